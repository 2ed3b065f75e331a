//! `tiles-texels`: typed views of a reserved buffer whose tiles lie in pieces of a heap, as DirectML has all its tensors. The views
//! begin in one tile and end in the next. The tiles are mapped anew between turns, and each turn makes views of its own.

use super::Program;
use super::tiles::{TILE, at, heap, map, row, supported};
use crate::buffer::{self, Buffer};
use crate::descriptor::{Elements, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::shader;
use crate::stage::Stage;
use reprise_d3d12::types::{
    D3D12_HEAP_FLAGS as Flags, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES as States, D3D12_TILE_RANGE_FLAGS,
    DXGI_FORMAT,
};

pub(super) const PROGRAM: Program = Program {
    name: "tiles-texels",
    about: "typed views of a reserved buffer whose tiles lie in pieces of a heap",
    run,
};

/// Tiles of the buffer, and of the heap.
const TILES: u32 = 8;
/// Texels of a view.
const COUNT: u32 = 8192;
/// Where views of each format begin: in tiles that another view does not reach.
const SOURCES: [u64; 2] = [TILE - 4096, 2 * TILE + 49152];
const TARGETS: [u64; 2] = [5 * TILE - 8192, 6 * TILE + 40960];

/// A small number as each format has it.
fn encoded(format: DXGI_FORMAT, number: u32) -> Vec<u8> {
    if format == DXGI_FORMAT::FORMAT_R32_FLOAT {
        return (number as f32).to_le_bytes().into();
    }
    let exponent = number.ilog2();
    let half = (exponent + 15) << 10 | (number << 10 >> exponent & 0x3ff);
    (half as u16).to_le_bytes().into()
}

fn number(index: u32) -> u32 {
    1 + index % 2000
}

/// Which tiles of the heap the halves of the buffer are mapped to: first in two pieces, then in one.
const TURNS: [[u32; 2]; 2] = [[TILES / 2, 0], [0, TILES / 2]];
const FORMATS: [DXGI_FORMAT; 2] = [DXGI_FORMAT::FORMAT_R16_FLOAT, DXGI_FORMAT::FORMAT_R32_FLOAT];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    supported(stage)?;
    let device = &stage.device;
    let memory = heap(stage, TILES, Flags::DENY_RT_DS_TEXTURES.0 | Flags::DENY_NON_RT_DS_TEXTURES.0)?;
    let size = u64::from(TILES) * TILE;
    let reserved = Buffer::reserved_for(device, size, D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS)?;
    // No shader uses this view: there are no texels yet.
    let early = Heap::visible(device, 1)?;
    early.buffer_srv(0, &reserved, Elements::typed(0, COUNT, FORMATS[0]));
    let mut digest = Digest::new();
    for places in TURNS {
        for (half, place) in (0..).zip(places) {
            let tiles = (at(half * TILES / 2, 0), row(TILES / 2));
            map(stage, &reserved.com, tiles, Some(&memory), (D3D12_TILE_RANGE_FLAGS::NONE, place));
        }
        digest.add(&turn(stage, &reserved)?);
    }
    Ok(digest)
}

/// Fills the buffer, and has a shader write texels by views that are made now.
fn turn(stage: &Stage, reserved: &Buffer) -> Result<Vec<u8>, Failure> {
    let device = &stage.device;
    let mut expected = vec![0; reserved.size as usize];
    let write = |bytes: &mut [u8], format, start: u64, more: u32| {
        let texels: Vec<u8> = (0..COUNT).flat_map(|index| encoded(format, number(index) + more)).collect();
        bytes[start as usize..][..texels.len()].copy_from_slice(&texels);
    };
    FORMATS.iter().zip(SOURCES).for_each(|(format, start)| write(&mut expected, *format, start, 0));
    let mut upload = Buffer::upload(device, reserved.size)?;
    upload.write(0, &expected);
    let heap = Heap::visible(device, 4)?;
    for (at, format) in (0..).zip(FORMATS) {
        let (index, bytes) = (2 * at, encoded(format, 1).len() as u64);
        heap.buffer_srv(index, reserved, Elements::typed(SOURCES[at as usize] / bytes, COUNT, format));
        heap.buffer_uav(index + 1, reserved, Elements::typed(TARGETS[at as usize] / bytes, COUNT, format));
        write(&mut expected, format, TARGETS[at as usize], 1);
    }
    let tables = [Range::srv(0, 1), Range::uav(0, 1)];
    let root = RootSignature::compute(device, &[Parameter::Table(&tables)])?;
    let pipeline = Pipeline::compute(stage, &root, &shader!("tile_texels.main"))?;
    let mut list = List::direct(device)?;
    list.copy_bytes(reserved, 0, &upload, 0, reserved.size);
    list.transition(&reserved.com, States::COPY_DEST, States::UNORDERED_ACCESS);
    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    for at in 0..FORMATS.len() as u32 {
        list.compute_table(0, heap.gpu(2 * at));
        list.dispatch(COUNT / 64, 1, 1);
    }
    let got = buffer::fetch(device, &stage.queue, &mut list, reserved, States::UNORDERED_ACCESS)?.read()?;
    Failure::unless_equal("bytes of the reserved buffer", &got, &expected)?;
    Ok(got)
}
