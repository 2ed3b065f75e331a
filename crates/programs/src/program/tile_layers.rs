//! `tiles-layers`: an array without memory of its own, whose small levels share tiles (tiled resources of tier 4). Those of all layers
//! lie behind the other tiles, and have memory of their own.

use super::Program;
use super::tiles::{at, heap, map, row};
use crate::buffer::{bytes_of, description};
use crate::com::{Com, Null, call, create};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::random::Random;
use crate::stage::Stage;
use crate::texture::Texture;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "tiles-layers", about: "a reserved array whose small levels share tiles", run };

/// Two by two tiles of the API's shape for four bytes; then one, and smaller levels.
const SIZE: u32 = 256;
const LEVELS: u32 = 9;
const LAYERS: u32 = 4;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    if stage.device.options().TiledResourcesTier < D3D12_TILED_RESOURCES_TIER::TIER_4 {
        return Err(Failure::Cannot("the library has no reserved arrays with packed levels (tier 4)".into()));
    }
    let (device, mut random) = (&stage.device, Random(444));
    let state = D3D12_RESOURCE_STATES::COPY_DEST;
    let desc = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: SIZE.into(),
        Height: SIZE,
        DepthOrArraySize: LAYERS as u16,
        MipLevels: LEVELS as u16,
        Format: DXGI_FORMAT::FORMAT_R32_UINT,
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_64KB_UNDEFINED_SWIZZLE,
        ..description(0, D3D12_RESOURCE_FLAGS::NONE)
    };
    let array = create!(
        device.com, "ID3D12Device", "CreateReservedResource", &raw const desc, state.0, Null; "ID3D12Resource"
    )?;
    let (levels, standard, packed) = tiles(stage, &array)?;
    let others = D3D12_HEAP_FLAGS::DENY_BUFFERS.0 | D3D12_HEAP_FLAGS::DENY_RT_DS_TEXTURES.0;
    let heap = heap(stage, standard + packed, others)?;
    // Packed tiles have the heap's first bytes. They are named by the first subresource that lies in them.
    let first = D3D12_TILED_RESOURCE_COORDINATE { Subresource: levels, ..at(0, 0) };
    if packed > 0 {
        map(stage, &array, (first, row(packed)), Some(&heap), (D3D12_TILE_RANGE_FLAGS::NONE, 0));
    }
    map(stage, &array, (at(0, 0), row(standard)), Some(&heap), (D3D12_TILE_RANGE_FLAGS::NONE, packed));

    let content: Vec<Vec<u8>> = (0..LAYERS * LEVELS)
        .map(|index| bytes_of(&random.words((SIZE >> (index % LEVELS)) * (SIZE >> (index % LEVELS)))))
        .collect();
    let texture = Texture::from_com(device, array, &desc, 1)?;
    let mut list = List::direct(device)?;
    let _upload = texture.fill(device, &mut list, &content)?;
    let got = texture.read(stage, &mut list, state)?;
    let mut digest = Digest::new();
    for (index, (got, expected)) in got.iter().zip(&content).enumerate() {
        Failure::unless_equal(&format!("subresource {index}"), got, expected)?;
        digest.add(got);
    }
    Ok(digest)
}

/// Of an array with two standard levels or more: the number of standard levels (none shares a tile with another), the tiles of all
/// standard levels of all layers, and the tiles of all packed levels, which follow them.
fn tiles(stage: &Stage, array: &Com) -> Result<(u32, u32, u32), Failure> {
    let (mut total, mut packed) = (0u32, D3D12_PACKED_MIP_INFO::default());
    call!(
        stage.device.com,
        "ID3D12Device",
        "GetResourceTiling",
        array,
        &raw mut total,
        &raw mut packed,
        Null,
        Null,
        0u32,
        Null
    );
    let levels = u32::from(packed.NumStandardMips);
    Failure::unless((2..=LEVELS).contains(&levels), || format!("{levels} levels share no tile"))?;
    // Level 0 has four tiles, every other one has one.
    let standard = LAYERS * (4 + levels - 1);
    let any = levels < LEVELS;
    let got = [packed.NumPackedMips.into(), packed.StartTileIndexInOverallResource, total];
    let start = if any { standard } else { 0 };
    let expected = [LEVELS - levels, start, standard + packed.NumTilesForPackedMips];
    Failure::unless_equal("packed levels, their first tile, all tiles", &got, &expected)?;
    Failure::unless(any == (packed.NumTilesForPackedMips > 0), || "packed levels without tiles".into())?;
    Ok((levels, standard, packed.NumTilesForPackedMips))
}
