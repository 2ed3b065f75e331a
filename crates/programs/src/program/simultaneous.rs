//! `simultaneous`: a texture of simultaneous access. A copy queue and a direct queue write halves of it at the same time, without any barrier,
//! and a compute queue reads what both left, while they already write two other textures.

use super::Program;
use crate::buffer::Buffer;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::fence::Fence;
use crate::list::List;
use crate::queue::Queue;
use crate::random::Random;
use crate::stage::Stage;
use crate::texture::{self, Texture, in_buffer};
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE as Kind, *};

pub(super) const PROGRAM: Program =
    Program { name: "simultaneous", about: "textures that two queues write at a time, and a third one reads", run };

/// Of a half, in texels of four bytes: rows of a copy lie without a gap.
const WIDTH: u32 = 64;
const HEIGHT: u32 = 24;
const ROW: usize = WIDTH as usize * 4;
const HALF: usize = ROW * HEIGHT as usize;
const TEXTURES: usize = 2;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let desc = D3D12_RESOURCE_DESC {
        Flags: D3D12_RESOURCE_FLAGS::ALLOW_SIMULTANEOUS_ACCESS,
        ..texture::flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, 2 * WIDTH, HEIGHT)
    };
    let make = |_| Texture::new(device, &desc, D3D12_RESOURCE_STATES::COMMON, None);
    let textures = (0..TEXTURES).map(make).collect::<Result<Vec<_>, _>>()?;
    let rounds = stage.frames(4) as usize;
    let content = Random(8).words((rounds * 2 * HALF / 4) as u32);
    let source = Buffer::uploaded(device, &content)?;
    let writers = [Queue::new(device, Kind::COPY)?, Queue::new(device, Kind::DIRECT)?];
    let reader = Queue::new(device, Kind::COMPUTE)?;
    let written = [Fence::new(device, 0)?, Fence::new(device, 0)?];
    let read = Fence::new(device, 0)?;
    let footprint = |offset: usize, width: u32| D3D12_PLACED_SUBRESOURCE_FOOTPRINT {
        Offset: offset as u64,
        Footprint: D3D12_SUBRESOURCE_FOOTPRINT {
            Format: desc.Format,
            Width: width,
            Height: HEIGHT,
            Depth: 1,
            RowPitch: width * 4,
        },
    };
    let (mut lists, mut backs) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let texture = &textures[round % TEXTURES];
        for (side, (queue, kind)) in writers.iter().zip([Kind::COPY, Kind::DIRECT]).enumerate() {
            let mut list = List::new(device, kind)?;
            let from = in_buffer(&source, footprint((round * 2 + side) * HALF, WIDTH));
            list.copy_texture(&texture.part(0), [side as u32 * WIDTH, 0, 0], &from, None);
            list.close()?;
            queue.wait(&read, (round + 1).saturating_sub(TEXTURES) as u64)?;
            queue.execute(&[&list]);
            queue.signal(&written[side], round as u64 + 1)?;
            lists.push(list);
        }
        let back = Buffer::readback(device, 2 * HALF as u64)?;
        let mut list = List::new(device, Kind::COMPUTE)?;
        list.copy_texture(&in_buffer(&back, footprint(0, 2 * WIDTH)), [0; 3], &texture.part(0), None);
        list.close()?;
        written.iter().try_for_each(|fence| reader.wait(fence, round as u64 + 1))?;
        reader.execute(&[&list]);
        reader.signal(&read, round as u64 + 1)?;
        lists.push(list);
        backs.push(back);
    }
    read.wait(rounds as u64)?;
    [&writers[0], &writers[1], &reader].into_iter().try_for_each(Queue::finish)?;
    let bytes = crate::buffer::bytes_of(&content);
    let mut digest = Digest::new();
    for (back, halves) in backs.iter().zip(bytes.chunks(2 * HALF)) {
        let (left, right) = halves.split_at(HALF);
        let rows = left.chunks(ROW).zip(right.chunks(ROW));
        let expected: Vec<u8> = rows.flat_map(|(left, right)| [left, right].concat()).collect();
        let got = back.read()?;
        Failure::unless_equal("texels", &got, &expected)?;
        digest.add(&got);
    }
    Ok(digest)
}
