//! `tiles-volumes`: a volume without memory of its own. Its tiles are filled one box at a time, mapped to where others are, and read
//! as one run (tiled resources of tier 3).

use super::Program;
use super::tiles::{TILE, at, heap, map, row, share};
use crate::buffer::{Buffer, bytes_of, description};
use crate::com::{Com, Null, call, create};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::random::Random;
use crate::stage::Stage;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "tiles-volumes", about: "a reserved volume: tiles mapped, shared and copied", run };

/// Tiles in each direction, and texels of a tile: 64 KiB of four bytes each.
const GRID: [u32; 3] = [3, 2, 2];
const SHAPE: [u32; 3] = [32, 32, 16];
const TILES: u32 = GRID[0] * GRID[1] * GRID[2];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    if stage.device.options().TiledResourcesTier < D3D12_TILED_RESOURCES_TIER::TIER_3 {
        return Err(Failure::Cannot("the library has no tiled volumes (tier 3)".into()));
    }
    let (device, mut random) = (&stage.device, Random(333));
    let others = D3D12_HEAP_FLAGS::DENY_BUFFERS.0 | D3D12_HEAP_FLAGS::DENY_RT_DS_TEXTURES.0;
    let heap = heap(stage, TILES, others)?;
    let state = D3D12_RESOURCE_STATES::COPY_DEST;
    let desc = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE3D,
        Width: u64::from(GRID[0] * SHAPE[0]),
        Height: GRID[1] * SHAPE[1],
        DepthOrArraySize: (GRID[2] * SHAPE[2]) as u16,
        Format: DXGI_FORMAT::FORMAT_R32_UINT,
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_64KB_UNDEFINED_SWIZZLE,
        ..description(0, D3D12_RESOURCE_FLAGS::NONE)
    };
    let volume = create!(
        device.com, "ID3D12Device", "CreateReservedResource", &raw const desc, state.0, Null; "ID3D12Resource"
    )?;
    check_shape(stage, &volume)?;
    let all = row(TILES);
    map(stage, &volume, (at(0, 0), all), Some(&heap), (D3D12_TILE_RANGE_FLAGS::NONE, 0));
    let words = random.words(TILES * TILE as u32 / 4);
    let upload = Buffer::uploaded(device, &words)?;
    let readback = Buffer::readback(device, u64::from(TILES) * TILE)?;
    let copy = |list: &List, start, size, (buffer, offset): (&Buffer, u64), flags: D3D12_TILE_COPY_FLAGS| {
        let (start, size): (D3D12_TILED_RESOURCE_COORDINATE, D3D12_TILE_REGION_SIZE) = (start, size);
        let (start, size) = (&raw const start, &raw const size);
        call!(list.com, "ID3D12GraphicsCommandList", "CopyTiles", &volume, start, size, &buffer.com, offset, flags.0);
    };
    // Columns of one by one by two tiles, from the last to the first.
    let column = D3D12_TILE_REGION_SIZE { NumTiles: 2, UseBox: 1, Width: 1, Height: 1, Depth: 2 };
    let layer = GRID[0] * GRID[1];
    let mut list = List::direct(device)?;
    let mut model = vec![0; TILES as usize];
    for (index, place) in (0..layer).rev().enumerate() {
        let start = at(place % GRID[0], place / GRID[0]);
        let into = D3D12_TILE_COPY_FLAGS::LINEAR_BUFFER_TO_SWIZZLED_TILED_RESOURCE;
        copy(&list, start, column, (&upload, 2 * index as u64 * TILE), into);
        model[place as usize] = 2 * index;
        model[(layer + place) as usize] = 2 * index + 1;
    }
    list.transition(&volume, state, D3D12_RESOURCE_STATES::COPY_SOURCE);
    list.close()?;
    stage.queue.execute(&[&list]);
    // The middle column shows what the first one does.
    share(stage, &volume, at(1, 0), at(0, 0), column);
    (model[1], model[1 + layer as usize]) = (model[0], model[layer as usize]);
    let mut look = List::direct(device)?;
    let out = D3D12_TILE_COPY_FLAGS::SWIZZLED_TILED_RESOURCE_TO_LINEAR_BUFFER;
    copy(&look, at(0, 0), all, (&readback, 0), out);
    look.close()?;
    stage.queue.execute(&[&look]);
    stage.queue.finish()?;
    let size = TILE as usize / 4;
    let expected: Vec<u32> = model.iter().flat_map(|piece| &words[piece * size..][..size]).copied().collect();
    let got = readback.read()?;
    Failure::unless_equal("texels of tiles", &got, &bytes_of(&expected))?;
    let mut digest = Digest::new();
    digest.add(&got);
    Ok(digest)
}

/// Tiles of volumes have the API's shape.
fn check_shape(stage: &Stage, volume: &Com) -> Result<(), Failure> {
    let (mut total, mut shape) = (0u32, D3D12_TILE_SHAPE::default());
    call!(
        stage.device.com,
        "ID3D12Device",
        "GetResourceTiling",
        volume,
        &raw mut total,
        Null,
        &raw mut shape,
        Null,
        0u32,
        Null
    );
    let got = [total, shape.WidthInTexels, shape.HeightInTexels, shape.DepthInTexels];
    Failure::unless_equal("tiles and their shape", &got, &[TILES, SHAPE[0], SHAPE[1], SHAPE[2]])
}
