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
    /// Of each of these a tile's edges in texels.
    edges: Vec<[u32; 3]>,
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
            return Tiling {
                layers: 1,
                levels: 1,
                standard: vec![([tiles, 1, 1], 0)],
                edges: vec![[TILE as u32, 1, 1]],
                packed: 0,
            };
        }
        let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        let layers = if volume { 1 } else { u32::from(desc.DepthOrArraySize).max(1) };
        let levels = u32::from(desc.MipLevels).clamp(1, 32);
        let [across, down] = samples(desc.SampleDesc.Count);
        let (mut standard, mut edges, mut next) = (Vec::new(), Vec::new(), 0_u32);
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
            let block = [texels.block_width.max(1), texels.block_height.max(1), 1];
            edges.push(std::array::from_fn(|axis| tile[axis] * block[axis]));
            standard.push((grid, next));
            next = grid.iter().fold(1_u32, |all, edge| all.saturating_mul(*edge)).saturating_add(next);
        }
        let packed = u32::from((standard.len() as u32) < levels);
        Tiling { layers, levels, standard, edges, packed }
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

    /// The tile in which a texel of a subresource lies; of a buffer a byte. `None` beyond the resource.
    pub fn tile(&self, subresource: u32, texel: [u32; 3]) -> Option<u32> {
        let (first, grid) = self.subresource(subresource)?;
        // The packed levels of a layer have one tile.
        let Some(grid) = grid else { return Some(first) };
        let edges = self.edges.get((subresource % self.levels) as usize)?;
        let [x, y, z]: [u32; 3] = std::array::from_fn(|axis| texel[axis] / edges[axis].max(1));
        let is_within = x < grid[0] && y < grid[1] && z < grid[2];
        let behind =
            || z.checked_mul(grid[1])?.checked_add(y)?.checked_mul(grid[0])?.checked_add(x)?.checked_add(first);
        is_within.then(behind).flatten()
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

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_d3d12::types::{DXGI_FORMAT, DXGI_SAMPLE_DESC};

    /// Two layers of 300 by 200 texels of four bytes: 3 by 2 tiles, and one for the levels that are smaller than a tile.
    #[test]
    fn texels_lie_in_tiles() {
        let desc = D3D12_RESOURCE_DESC1 {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: 300,
            Height: 200,
            DepthOrArraySize: 2,
            MipLevels: 9,
            Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            ..Default::default()
        };
        let tiling = Tiling::of(&desc);
        let second = tiling.total() / 2;
        assert_eq!(second, 7);
        let tile = |subresource, x, y| tiling.tile(subresource, [x, y, 0]);
        assert_eq!([tile(0, 0, 0), tile(0, 127, 127), tile(0, 128, 0), tile(0, 299, 199)], [0, 0, 1, 5].map(Some));
        // The next level is smaller than a tile, as all behind it; and those of the second layer.
        assert_eq!([tile(1, 149, 99), tile(8, 0, 0), tile(9, 128, 0), tile(10, 0, 0)], [6, 6, 8, 13].map(Some));
        assert_eq!([tile(0, 384, 0), tile(18, 0, 0)], [None; 2]);
        let buffer =
            D3D12_RESOURCE_DESC1 { Dimension: D3D12_RESOURCE_DIMENSION::BUFFER, Width: 3 * TILE, ..Default::default() };
        let tiling = Tiling::of(&buffer);
        let at = [0, TILE as u32 - 1, TILE as u32, 3 * TILE as u32].map(|byte| tiling.tile(0, [byte, 0, 0]));
        assert_eq!(at, [Some(0), Some(0), Some(1), None]);
    }
}
