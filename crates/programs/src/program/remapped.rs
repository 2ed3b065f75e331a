//! `remapped`: a reserved render target whose tiles move through a heap. Before each turn a target that is placed there is cleared
//! to another colour, so the memory that the tiles come to was another target's. The reserved target is then cleared, a part of it
//! once more, and read.

use super::Program;
use super::tiles::{TILE, at, map, row, supported};
use crate::com::{Com, Null, call, create};
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::picture::{Area, Picture};
use crate::random::Random;
use crate::stage::Stage;
use crate::texel::texels;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{D3D12_RESOURCE_STATES as State, *};

pub(super) const PROGRAM: Program =
    Program { name: "remapped", about: "a reserved target whose tiles come to memory that was another target's", run };

/// Texels of a side: two by two tiles of four bytes a texel.
const SIDE: u32 = 256;
const TILES: u32 = 4;
/// Tiles of the heap, at least.
const HEAP: u32 = 9;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;

/// A colour of whole bytes, as the clear takes it and as it lies in memory.
fn colour(random: &mut Random) -> ([f32; 4], [u8; 4]) {
    let bytes = [(); 4].map(|()| random.below(256) as u8);
    (bytes.map(|byte| f32::from(byte) / 255.0), bytes)
}

fn view(stage: &Stage, views: &Heap, index: u32, target: &Com) {
    call!(stage.device.com, "ID3D12Device", "CreateRenderTargetView", target, Null, views.cpu(index).ptr);
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    supported(stage)?;
    let device = &stage.device;
    let mut desc = flat(FORMAT, SIDE, SIDE);
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
    let room = Memory::room(device, &desc).size;
    let heap = D3D12_HEAP_DESC {
        SizeInBytes: room.max(u64::from(HEAP) * TILE),
        Properties: D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() },
        Flags: D3D12_HEAP_FLAGS::ALLOW_ONLY_RT_DS_TEXTURES,
        ..Default::default()
    };
    let heap = create!(device.com, "ID3D12Device", "CreateHeap", &raw const heap; "ID3D12Heap")?;
    let placed = create!(
        device.com, "ID3D12Device", "CreatePlacedResource",
        &heap, 0u64, &raw const desc, State::RENDER_TARGET.0, Null; "ID3D12Resource"
    )?;
    desc.Layout = D3D12_TEXTURE_LAYOUT::LAYOUT_64KB_UNDEFINED_SWIZZLE;
    let reserved = create!(
        device.com, "ID3D12Device", "CreateReservedResource", &raw const desc, State::RENDER_TARGET.0, Null;
        "ID3D12Resource"
    )?;
    let views = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 2, false)?;
    view(stage, &views, 0, &placed);
    view(stage, &views, 1, &reserved);
    let reserved = Texture::from_com(device, reserved, &desc, 1)?;
    let (mut digest, mut random) = (Digest::new(), Random(64));
    let mut list = List::direct(device)?;
    for round in 0..stage.frames(12) {
        let before = colour(&mut random);
        list.alias(None, Some(&placed));
        list.clear_view(views.cpu(0), before.0, &[]);
        stage.queue.run(&mut list)?;
        let place = random.below(HEAP - TILES + 1);
        map(stage, &reserved.com, (at(0, 0), row(TILES)), Some(&heap), (D3D12_TILE_RANGE_FLAGS::NONE, place));
        let (all, some) = (colour(&mut random), colour(&mut random));
        let corner = [random.below(SIDE - 1), random.below(SIDE - 1)];
        let size = corner.map(|at| 1 + random.below(SIDE - at));
        let area = Area::at(corner[0], corner[1], size[0], size[1]);
        list.alias(Some(&placed), Some(&reserved.com));
        list.clear_view(views.cpu(1), all.0, &[]);
        list.clear_view(views.cpu(1), some.0, &[area]);
        let got = reserved.read(stage, &mut list, State::RENDER_TARGET)?;
        let mut expected = Picture::new(SIDE, SIDE, all.1);
        expected.fill(area, some.1);
        expected.check(&format!("round {round}"), &texels(&got[0]))?;
        digest.add(&got[0]);
    }
    Ok(digest)
}
