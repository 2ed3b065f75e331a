//! `zeroes`: what is new is zero, whatever its memory held before, on each kind of queue, at the first use and without a wait.
//!
//! Resources are written, released, and made again while a neighbour lives, so that a library that shares memory among resources
//! gives them the same bytes. Another queue has the first submission after that: what it does for the new resources must be done
//! before the queue that reads them begins. Then they are written again, and must stay so.

use super::Program;
use crate::buffer::{Buffer, bytes_of};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::queue::Queue;
use crate::random::Random;
use crate::stage::Stage;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE as Kind, D3D12_RESOURCE_STATES as State, DXGI_FORMAT};

pub(super) const PROGRAM: Program =
    Program { name: "zeroes", about: "new buffers, heaps and textures in memory that held something else", run };

/// Bytes: several that may share memory, and one that is large.
const SIZES: [u64; 5] = [64 << 10, 4096, 256, 192 << 10, 5 << 20];
/// Texels of a side.
const SIDE: u32 = 64;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    // They keep what libraries allocate for many resources at once.
    let _neighbours = (
        Buffer::shared(device, 4096)?,
        Texture::new(device, &flat(DXGI_FORMAT::FORMAT_R32_UINT, SIDE, SIDE), State::COMMON, None)?,
    );
    let mut random = Random(21);
    let mut digest = Digest::new();
    for kind in [Kind::DIRECT, Kind::COMPUTE, Kind::COPY] {
        let other = if kind.0 == Kind::DIRECT.0 { Kind::COPY } else { Kind::DIRECT };
        let queues = [kind, other].map(|kind| Queue::new(device, kind).map(|queue| (queue, kind)));
        let [queue, other] = queues;
        let (queue, other) = (queue?, other?);
        for _ in 0..stage.frames(3) {
            buffers(stage, &queue, &other, random.words(SIZES[4] as u32 / 4), &mut digest)?;
        }
    }
    textures(stage, random.bytes((SIDE * SIDE * 4) as usize), &mut digest)?;
    Ok(digest)
}

/// All buffers that one round makes: of their own, and one in a heap of its own.
fn make(stage: &Stage) -> Result<(Vec<Buffer>, Memory), Failure> {
    let device = &stage.device;
    let memory = Memory::new(device, 1 << 20)?;
    let mut all = Vec::new();
    for size in SIZES {
        all.push(Buffer::shared(device, size)?);
    }
    all.push(Buffer::placed(&memory, 1 << 19, 64 << 10)?);
    Ok((all, memory))
}

fn buffers(
    stage: &Stage,
    (queue, kind): &(Queue, Kind),
    (other, other_kind): &(Queue, Kind),
    words: Vec<u32>,
    digest: &mut Digest,
) -> Result<(), Failure> {
    let device = &stage.device;
    let content = Buffer::uploaded(device, &words)?;
    {
        let (dirty, _memory) = make(stage)?;
        let mut list = List::new(device, *kind)?;
        dirty.iter().for_each(|buffer| list.copy_bytes(buffer, 0, &content, 0, buffer.size));
        queue.run(&mut list)?;
    }
    let (new, _memory) = make(stage)?;
    let mut outputs = Vec::new();
    for buffer in &new {
        outputs.push([Buffer::readback(device, buffer.size)?, Buffer::readback(device, buffer.size)?]);
    }
    let mut empty = List::new(device, *other_kind)?;
    empty.close()?;
    let mut list = List::new(device, *kind)?;
    for (at, (buffer, [first, second])) in new.iter().zip(&outputs).enumerate() {
        // What is placed begins in COPY_DEST; the others go from COMMON to what copies need by themselves.
        if at == SIZES.len() {
            list.transition(&buffer.com, State::COPY_DEST, State::COPY_SOURCE);
        }
        list.copy_bytes(first, 0, buffer, 0, buffer.size);
        list.transition(&buffer.com, State::COPY_SOURCE, State::COPY_DEST);
        list.copy_bytes(buffer, 0, &content, 0, buffer.size);
        list.transition(&buffer.com, State::COPY_DEST, State::COPY_SOURCE);
        list.copy_bytes(second, 0, buffer, 0, buffer.size);
    }
    list.close()?;
    other.execute(&[&empty]);
    queue.execute(&[&list]);
    other.finish()?;
    queue.finish()?;
    let content = bytes_of(&words);
    for [first, second] in &outputs {
        let [first, second] = [first.read()?, second.read()?];
        Failure::unless_equal("new bytes", &first, &vec![0; first.len()])?;
        Failure::unless_equal("written bytes", &second, &content[..second.len()])?;
        digest.add(&first);
        digest.add(&second);
    }
    Ok(())
}

fn textures(stage: &Stage, content: Vec<u8>, digest: &mut Digest) -> Result<(), Failure> {
    let desc = flat(DXGI_FORMAT::FORMAT_R32_UINT, SIDE, SIDE);
    let mut list = List::direct(&stage.device)?;
    {
        let content = std::slice::from_ref(&content);
        let _dirty = Texture::filled(&stage.device, &mut list, &desc, content, State::COPY_SOURCE)?;
        stage.queue.run(&mut list)?;
    }
    let texture = Texture::new(&stage.device, &desc, State::COPY_SOURCE, None)?;
    let [texels] = &texture.read(stage, &mut list, State::COPY_SOURCE)?[..] else {
        return Err(Failure::Wrong("a texture of one part has several".into()));
    };
    Failure::unless_equal("new texels", texels, &vec![0; content.len()])?;
    digest.add(texels);
    list.close()
}
