//! How a reserved resource is cut into tiles of 64 KiB, and how the API numbers them.
//!
//! Tiles of a texture are numbered layer by layer: all tiles of the first level, row by row, then those of the next one, and at
//! the end of the layer the tiles that its packed levels share. Tiles of a buffer are numbered by address. Tile shapes are
//! the standard ones of the documentation ("Volume tiled resources", "Texture tiled resources"). Levels smaller than a tile
//! are taken as packed, in one tile a layer: a device may state more, and then numbers behind the first layer differ.

use reprise_codec::Texels;
use reprise_d3d12::description::older;
use reprise_d3d12::types::{
    D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION, D3D12_TILE_REGION_SIZE, D3D12_TILED_RESOURCE_COORDINATE,
};

/// Bytes of a tile.
pub const TILE: u64 = 64 << 10;
/// Rows of tiles that one region may have. Resources have fewer; a damaged trace may state more.
const MOST_ROWS: usize = 1 << 20;

/// A resource in tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiling {
    layers: u32,
    levels: u32,
    /// Of each level that is not packed: tiles in each direction, and the number of the first one within the layer.
    standard: Vec<([u32; 3], u32)>,
    /// Tiles that the packed levels of a layer share.
    packed: u32,
}

/// Edges of a tile in blocks of texels, by the bytes of a block: of a texture of two dimensions, and of one of three.
fn shape(block_bytes: u32, volume: bool) -> [u32; 3] {
    match (block_bytes, volume) {
        (1, false) => [256, 256, 1],
        (2, false) => [256, 128, 1],
        (4, false) => [128, 128, 1],
        (8, false) => [128, 64, 1],
        (_, false) => [64, 64, 1],
        (1, true) => [64, 32, 32],
        (2, true) => [32, 32, 32],
        (4, true) => [32, 32, 16],
        (8, true) => [32, 16, 16],
        (_, true) => [16, 16, 16],
    }
}

/// Edges by which more samples make a tile smaller.
fn samples(count: u32) -> [u32; 2] {
    match count {
        2 => [2, 1],
        4 => [2, 2],
        8 => [4, 2],
        16 => [4, 4],
        _ => [1, 1],
    }
}

impl Tiling {
    /// The tiling of a resource of this description.
    pub fn of(desc: &D3D12_RESOURCE_DESC1) -> Tiling {
        if desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER {
            let tiles = u32::try_from(desc.Width.div_ceil(TILE)).unwrap_or(u32::MAX);
            return Tiling { layers: 1, levels: 1, standard: vec![([tiles, 1, 1], 0)], packed: 0 };
        }
        let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        let layers = if volume { 1 } else { u32::from(desc.DepthOrArraySize).max(1) };
        let levels = u32::from(desc.MipLevels).clamp(1, 32);
        let [across, down] = samples(desc.SampleDesc.Count);
        let (mut standard, mut next) = (Vec::new(), 0_u32);
        let older = older(desc);
        for level in 0..levels {
            let Some(texels) = Texels::of(&older, level) else { break };
            let [width, height, depth] = shape(texels.block_bytes, volume);
            let tile = [(width / across).max(1), (height / down).max(1), depth];
            let blocks = [
                texels.width.div_ceil(texels.block_width.max(1)),
                texels.height.div_ceil(texels.block_height.max(1)),
                texels.depth,
            ];
            if level > 0 && (0..2).any(|axis| blocks[axis] < tile[axis]) {
                break;
            }
            let grid: [u32; 3] = std::array::from_fn(|axis| blocks[axis].div_ceil(tile[axis]));
            standard.push((grid, next));
            next = grid.iter().fold(1_u32, |all, edge| all.saturating_mul(*edge)).saturating_add(next);
        }
        let packed = u32::from((standard.len() as u32) < levels);
        Tiling { layers, levels, standard, packed }
    }

    /// The number of a layer's first packed tile, within the layer.
    fn first_packed(&self) -> u32 {
        self.standard.last().map_or(0, |(grid, first)| {
            grid.iter().fold(1_u32, |all, edge| all.saturating_mul(*edge)).saturating_add(*first)
        })
    }

    /// All tiles of the resource.
    pub fn total(&self) -> u32 {
        self.first_packed().saturating_add(self.packed).saturating_mul(self.layers)
    }

    /// The first tile of a subresource, and for one that is not packed its tiles in each direction.
    fn subresource(&self, index: u32) -> Option<(u32, Option<[u32; 3]>)> {
        let (level, layer) = (index % self.levels, index / self.levels);
        let base =
            self.first_packed().saturating_add(self.packed).checked_mul(layer).filter(|_| layer < self.layers)?;
        Some(match self.standard.get(level as usize) {
            Some((grid, first)) => (base.checked_add(*first)?, Some(*grid)),
            None => (base.checked_add(self.first_packed())?, None),
        })
    }

    /// The tiles of a region in the order of the API, in runs: the first tile, and how many. `None` where the resource does not
    /// have them.
    pub fn region(
        &self,
        start: &D3D12_TILED_RESOURCE_COORDINATE,
        size: &D3D12_TILE_REGION_SIZE,
    ) -> Option<Vec<(u32, u32)>> {
        let (first, grid) = self.subresource(start.Subresource)?;
        let number = |x: u32, y: u32, z: u32| match grid {
            Some([width, height, depth]) if x < width && y < height && z < depth => {
                z.checked_mul(height)?.checked_add(y)?.checked_mul(width)?.checked_add(x)?.checked_add(first)
            }
            Some(_) => None,
            None => first.checked_add(x),
        };
        if size.UseBox == 0 {
            let first = number(start.X, start.Y, start.Z)?;
            return Some(vec![(first, size.NumTiles.min(u32::MAX - first))]);
        }
        let [width, ..] = grid?;
        if start.X.checked_add(size.Width)? > width {
            return None;
        }
        let (rows, slices) = (u32::from(size.Height), u32::from(size.Depth));
        if rows as usize * slices as usize > MOST_ROWS {
            return None;
        }
        let mut runs = Vec::with_capacity(rows as usize * slices as usize);
        for slice in 0..slices {
            for row in 0..rows {
                let first = number(start.X, start.Y.checked_add(row)?, start.Z.checked_add(slice)?)?;
                runs.push((first, size.Width));
            }
        }
        Some(runs)
    }
}

/// The bytes of a texture's texels, of the first plane only: no device needs fewer.
pub fn texel_bytes(desc: &D3D12_RESOURCE_DESC1) -> u64 {
    let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
    let layers = if volume { 1 } else { u64::from(desc.DepthOrArraySize) };
    let mut desc = older(desc);
    desc.MipLevels = desc.MipLevels.max(1);
    let samples = u64::from(desc.SampleDesc.Count).max(1);
    // More levels than 32 have no texels of their own.
    let levels = (0..u32::from(desc.MipLevels).min(32)).filter_map(|level| Texels::of(&desc, level));
    let bytes = levels.map(|texels| {
        let blocks = u64::from(texels.width.div_ceil(texels.block_width.max(1)))
            .saturating_mul(u64::from(texels.height.div_ceil(texels.block_height.max(1))));
        blocks.saturating_mul(u64::from(texels.depth)).saturating_mul(u64::from(texels.block_bytes))
    });
    bytes.fold(0, u64::saturating_add).saturating_mul(layers).saturating_mul(samples)
}
