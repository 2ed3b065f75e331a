//! `streaming`: one upload buffer, mapped for its whole life and used as a ring. In every frame the processor stores pieces of
//! odd sizes at odd places, over page borders too, and the GPU copies them out; a place is stored to again only once a fence
//! says that the frame which read it is done.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::fence::Fence;
use crate::list::List;
use crate::random::Random;
use crate::stage::Stage;
use reprise_d3d12::types::D3D12_RESOURCE_STATES;

pub(super) const PROGRAM: Program =
    Program { name: "streaming", about: "a ring in an upload buffer that stays mapped, stored to in every frame", run };

/// Frames on their way at a time, each with its part of the ring.
const AHEAD: u32 = 3;
/// Bytes of a frame's part: no whole number of pages.
const PART: u64 = 50_001;
const PIECES: u32 = 24;
/// Bytes that the copies lead to; later pieces overwrite earlier ones.
const TARGET: u64 = 100_000;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let mut ring = Buffer::upload(device, u64::from(AHEAD) * PART)?;
    let target = Buffer::copied(device, TARGET)?;
    let mut model = vec![0; TARGET as usize];
    let zeros = Buffer::uploaded(device, &vec![0; TARGET as usize / 4])?;
    let mut alone = List::direct(device)?;
    alone.copy_bytes(&target, 0, &zeros, 0, TARGET);
    stage.queue.run(&mut alone)?;
    let fence = Fence::new(device, 0)?;
    let mut lists = Vec::new();
    for _ in 0..AHEAD {
        lists.push(List::direct(device)?);
    }

    let mut random = Random(2);
    for frame in 0..u64::from(stage.frames(12)) {
        let part = frame % u64::from(AHEAD);
        let list = &mut lists[part as usize];
        if let Some(before) = (frame + 1).checked_sub(u64::from(AHEAD)).filter(|before| *before > 0) {
            fence.wait(before)?;
            list.reset()?;
        }
        let mut at = part * PART;
        for _ in 0..PIECES {
            // An odd piece, after a gap that is odd too.
            let size = 1 + random.below(2000);
            let bytes = random.bytes(size as usize);
            at += u64::from(random.below(60));
            let to = u64::from(random.below(TARGET as u32 - 2000));
            ring.write(at, &bytes);
            list.copy_bytes(&target, to, &ring, at, bytes.len() as u64);
            model[to as usize..][..bytes.len()].copy_from_slice(&bytes);
            at += bytes.len() as u64;
            // Copies within a list overlap unless something stands between them.
            list.transition(&target.com, D3D12_RESOURCE_STATES::COPY_DEST, D3D12_RESOURCE_STATES::COPY_SOURCE);
            list.transition(&target.com, D3D12_RESOURCE_STATES::COPY_SOURCE, D3D12_RESOURCE_STATES::COPY_DEST);
        }
        list.close()?;
        stage.queue.execute(&[list]);
        stage.queue.signal(&fence, frame + 1)?;
    }
    stage.queue.finish()?;
    let state = D3D12_RESOURCE_STATES::COPY_DEST;
    let got = buffer::fetch(device, &stage.queue, &mut alone, &target, state)?.read()?;
    Failure::unless_equal("bytes", &got, &model)?;
    Ok(Digest::of(&got))
}
