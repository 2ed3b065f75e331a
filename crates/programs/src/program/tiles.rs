//! `tiles`: a buffer and a texture without memory of their own, whose tiles a queue maps to a heap, to the same place of it, and
//! to where other tiles are mapped; lists between the changes see the mappings of their turn. What is not mapped is not touched.
//! `tiles-blocks`: the same with a compressed texture, whose tiles have as many bytes and more texels.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of, description};
use crate::com::{Com, Null, Word, call, create};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::random::Random;
use crate::stage::Stage;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "tiles", about: "reserved resources: tiles mapped, shared, mapped elsewhere and copied", run };
pub(super) const BLOCKS: Program = Program {
    name: "tiles-blocks",
    about: "a reserved compressed texture: tiles mapped, shared and copied",
    run: blocks,
};

/// Bytes of a tile.
pub(super) const TILE: u64 = 64 << 10;
/// Tiles of the reserved buffer, and of the heap.
const TILES: u32 = 24;
const HEAP: u32 = 12;
/// Changes, each followed by a list that looks.
const STEPS: u32 = 32;
/// Bytes that are looked at of a tile.
const LOOK: u64 = 64;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    supported(stage)?;
    let mut digest = Digest::new();
    digest.add(&buffers(stage)?);
    digest.add(&textures(stage, DXGI_FORMAT::FORMAT_R32_UINT, [128, 128])?);
    Ok(digest)
}

fn blocks(stage: &Stage) -> Result<Digest, Failure> {
    supported(stage)?;
    let mut digest = Digest::new();
    digest.add(&textures(stage, DXGI_FORMAT::FORMAT_BC1_UNORM, [512, 256])?);
    digest.add(&textures(stage, DXGI_FORMAT::FORMAT_BC7_UNORM, [256, 256])?);
    Ok(digest)
}

pub(super) fn supported(stage: &Stage) -> Result<(), Failure> {
    match stage.device.options().TiledResourcesTier {
        D3D12_TILED_RESOURCES_TIER::TIER_NOT_SUPPORTED => {
            Err(Failure::Cannot("the library has no tiled resources".into()))
        }
        _ => Ok(()),
    }
}

/// A heap of `tiles` tiles that denies what `flags` say.
pub(super) fn heap(stage: &Stage, tiles: u32, flags: u32) -> Result<Com, Failure> {
    let desc = D3D12_HEAP_DESC {
        SizeInBytes: u64::from(tiles) * TILE,
        Properties: D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() },
        Flags: D3D12_HEAP_FLAGS(flags),
        ..Default::default()
    };
    create!(stage.device.com, "ID3D12Device", "CreateHeap", &raw const desc; "ID3D12Heap")
}

pub(super) fn at(x: u32, y: u32) -> D3D12_TILED_RESOURCE_COORDINATE {
    D3D12_TILED_RESOURCE_COORDINATE { X: x, Y: y, Z: 0, Subresource: 0 }
}

pub(super) fn row(count: u32) -> D3D12_TILE_REGION_SIZE {
    D3D12_TILE_REGION_SIZE { NumTiles: count, ..Default::default() }
}

/// Maps a region to a range of a heap.
pub(super) fn map(
    stage: &Stage,
    resource: &Com,
    (start, size): (D3D12_TILED_RESOURCE_COORDINATE, D3D12_TILE_REGION_SIZE),
    heap: Option<&Com>,
    (flags, first): (D3D12_TILE_RANGE_FLAGS, u32),
) {
    let heap = heap.map_or(Word::from(Null), Word::from);
    let (start, size, flags, first) = (&raw const start, &raw const size, &raw const flags, &raw const first);
    // One range takes all tiles of the region.
    call!(
        stage.queue.com,
        "ID3D12CommandQueue",
        "UpdateTileMappings",
        resource,
        1u32,
        start,
        size,
        heap,
        1u32,
        flags,
        first,
        Null,
        0u32
    );
}

/// Gives tiles the mappings of others of the same resource.
pub(super) fn share(
    stage: &Stage,
    resource: &Com,
    to: D3D12_TILED_RESOURCE_COORDINATE,
    from: D3D12_TILED_RESOURCE_COORDINATE,
    size: D3D12_TILE_REGION_SIZE,
) {
    let (to, from, size) = (&raw const to, &raw const from, &raw const size);
    call!(stage.queue.com, "ID3D12CommandQueue", "CopyTileMappings", resource, to, resource, from, size, 0u32);
}

fn buffers(stage: &Stage) -> Result<Vec<u8>, Failure> {
    let (device, mut random) = (&stage.device, Random(24));
    let textures = D3D12_HEAP_FLAGS::DENY_RT_DS_TEXTURES.0 | D3D12_HEAP_FLAGS::DENY_NON_RT_DS_TEXTURES.0;
    let heap = heap(stage, HEAP, textures)?;
    let reserved = Buffer::reserved(device, u64::from(TILES) * TILE)?;
    let words = random.words(HEAP * TILE as u32 / 4);
    let upload = Buffer::uploaded(device, &words)?;
    map(stage, &reserved.com, (at(0, 0), row(HEAP)), Some(&heap), (D3D12_TILE_RANGE_FLAGS::NONE, 0));
    let mut first = List::direct(device)?;
    first.copy_bytes(&reserved, 0, &upload, 0, upload.size);
    first.close()?;
    stage.queue.execute(&[&first]);

    // Where each tile is mapped, and what each look finds.
    let mut model: Vec<Option<u32>> = (0..TILES).map(|tile| (tile < HEAP).then_some(tile)).collect();
    let target = Buffer::copied(device, u64::from(STEPS * TILES) * LOOK)?;
    let mut expected = vec![0; target.size as usize];
    let mut lists = Vec::new();
    for step in 0..STEPS {
        let count = 1 + random.below(6);
        let (tile, other) = (random.below(TILES - count), random.below(TILES - count));
        let place = random.below(HEAP - count);
        let size = row(count);
        match random.below(4) {
            0 => {
                map(stage, &reserved.com, (at(tile, 0), size), Some(&heap), (D3D12_TILE_RANGE_FLAGS::NONE, place));
                (0..count).for_each(|index| model[(tile + index) as usize] = Some(place + index));
            }
            1 => {
                let reuse = D3D12_TILE_RANGE_FLAGS::REUSE_SINGLE_TILE;
                map(stage, &reserved.com, (at(tile, 0), size), Some(&heap), (reuse, place));
                (0..count).for_each(|index| model[(tile + index) as usize] = Some(place));
            }
            2 => {
                map(stage, &reserved.com, (at(tile, 0), size), None, (D3D12_TILE_RANGE_FLAGS::NULL, 0));
                (0..count).for_each(|index| model[(tile + index) as usize] = None);
            }
            // What overlaps has no order.
            _ if tile.abs_diff(other) >= count => {
                share(stage, &reserved.com, at(tile, 0), at(other, 0), size);
                (0..count).for_each(|index| model[(tile + index) as usize] = model[(other + index) as usize]);
            }
            _ => {}
        }
        let mut list = List::direct(device)?;
        for (tile, mapped) in (0..).zip(&model) {
            let Some(mapped) = mapped else { continue };
            let within = 4 * u64::from(random.below((TILE - LOOK) as u32 / 4));
            let to = u64::from(step * TILES + tile) * LOOK;
            list.copy_bytes(&target, to, &reserved, u64::from(tile) * TILE + within, LOOK);
            let word = (u64::from(*mapped) * TILE + within) as usize / 4;
            expected[to as usize..][..LOOK as usize].copy_from_slice(&bytes_of(&words[word..word + LOOK as usize / 4]));
        }
        list.close()?;
        stage.queue.execute(&[&list]);
        lists.push(list);
    }
    stage.queue.finish()?;
    first.reset()?;
    let got = buffer::fetch(device, &stage.queue, &mut first, &target, D3D12_RESOURCE_STATES::COPY_DEST)?.read()?;
    Failure::unless_equal("bytes of mapped tiles", &got, &expected)?;
    Ok(got)
}

/// Tiles of the texture: four in a row, two rows.
const COLUMNS: u32 = 4;
const ROWS: u32 = 2;

/// `width` and `height` are those of a tile in texels, as the API states them for the format.
fn textures(stage: &Stage, format: DXGI_FORMAT, [width, height]: [u32; 2]) -> Result<Vec<u8>, Failure> {
    let (device, mut random) = (&stage.device, Random(128));
    let others = D3D12_HEAP_FLAGS::DENY_BUFFERS.0 | D3D12_HEAP_FLAGS::DENY_RT_DS_TEXTURES.0;
    let heap = heap(stage, COLUMNS * ROWS, others)?;
    let desc = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: u64::from(COLUMNS * width),
        Height: ROWS * height,
        Format: format,
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_64KB_UNDEFINED_SWIZZLE,
        ..description(0, D3D12_RESOURCE_FLAGS::NONE)
    };
    let state = D3D12_RESOURCE_STATES::COPY_DEST;
    let texture = create!(
        device.com, "ID3D12Device", "CreateReservedResource", &raw const desc, state.0, Null; "ID3D12Resource"
    )?;
    let all = row(COLUMNS * ROWS);
    map(stage, &texture, (at(0, 0), all), Some(&heap), (D3D12_TILE_RANGE_FLAGS::NONE, 0));
    let words = random.words(COLUMNS * ROWS * TILE as u32 / 4);
    let (upload, readback) =
        (Buffer::uploaded(device, &words)?, Buffer::readback(device, u64::from(all.NumTiles) * TILE)?);
    let copy = |list: &List,
                start: D3D12_TILED_RESOURCE_COORDINATE,
                size: D3D12_TILE_REGION_SIZE,
                buffer: &Buffer,
                offset: u64,
                flags: D3D12_TILE_COPY_FLAGS| {
        let (start, size) = (&raw const start, &raw const size);
        call!(list.com, "ID3D12GraphicsCommandList", "CopyTiles", &texture, start, size, &buffer.com, offset, flags.0);
    };
    // A box of two by two tiles in the middle, a row of two that goes on in the next row, the first tile, and the last one.
    let square = D3D12_TILE_REGION_SIZE { NumTiles: 4, UseBox: 1, Width: 2, Height: 2, Depth: 1 };
    let in_order = [1, 2, 5, 6, 3, 4, 0, 7];
    let mut list = List::direct(device)?;
    let into = D3D12_TILE_COPY_FLAGS::LINEAR_BUFFER_TO_SWIZZLED_TILED_RESOURCE;
    copy(&list, at(1, 0), square, &upload, 0, into);
    copy(&list, at(3, 0), row(2), &upload, 4 * TILE, into);
    copy(&list, at(0, 0), row(1), &upload, 6 * TILE, into);
    copy(&list, at(3, 1), row(1), &upload, 7 * TILE, into);
    list.transition(&texture, state, D3D12_RESOURCE_STATES::COPY_SOURCE);
    list.close()?;
    stage.queue.execute(&[&list]);
    // The last tile shows what the second of the first row does.
    share(stage, &texture, at(3, 1), at(1, 0), row(1));
    let mut look = List::direct(device)?;
    copy(&look, at(0, 0), all, &readback, 0, D3D12_TILE_COPY_FLAGS::SWIZZLED_TILED_RESOURCE_TO_LINEAR_BUFFER);
    look.close()?;
    stage.queue.execute(&[&look]);
    stage.queue.finish()?;

    let piece = |index: usize| &words[index * TILE as usize / 4..][..TILE as usize / 4];
    let mut tiles = vec![piece(0); in_order.len()];
    in_order.iter().zip(0..).for_each(|(tile, index)| tiles[*tile] = piece(index));
    tiles[7] = tiles[1];
    let got = readback.read()?;
    Failure::unless_equal("texels of tiles", &got, &bytes_of(&tiles.concat()))?;
    Ok(got)
}
