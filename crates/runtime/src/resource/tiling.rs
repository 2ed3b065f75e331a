//! How a resource is cut into tiles, and how the API numbers them. Pure.
//!
//! Tiles of a texture are numbered layer by layer: all tiles of the first level, row by row, then those of the next. Behind those of
//! all layers lie the tiles that hold packed levels together, of the first layer first. Tiles of a buffer are numbered by address.

use reprise_d3d12::types::{D3D12_TILE_REGION_SIZE as Size, D3D12_TILED_RESOURCE_COORDINATE as Coordinate};

use crate::{Error, Result};

/// Bytes of a tile.
pub const TILE: u64 = 64 << 10;

/// A resource in tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Texels of a tile; bytes for buffers.
    pub shape: [u32; 3],
    /// Array layers.
    pub layers: u32,
    /// Levels of a layer.
    pub levels: u32,
    /// Of each level that is not packed: tiles in each direction, and the number of the first one within the layer.
    pub standard: Vec<([u32; 3], u32)>,
    /// Tiles of packed levels, of all layers.
    pub packed: u32,
}

/// Where a tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a level of its own: layer, level, tiles from the corner.
    Level(u32, u32, [u32; 3]),
    /// Among the tiles of packed levels of all layers: which one.
    Packed(u32),
}

impl Tiling {
    /// A buffer.
    ///
    /// # Errors
    /// There are more tiles than numbers.
    pub fn buffer(bytes: u64) -> Result<Tiling> {
        let tiles = u32::try_from(bytes.div_ceil(TILE)).map_err(|_| Error::MEMORY)?;
        let standard = vec![([tiles, 1, 1], 0)];
        Ok(Tiling { shape: [TILE as u32, 1, 1], layers: 1, levels: 1, standard, packed: 0 })
    }

    /// A texture whose levels from `first_packed` on share `packed` tiles, those of all layers together.
    pub fn texture(
        shape: [u32; 3],
        extent: [u32; 3],
        levels: u32,
        layers: u32,
        first_packed: u32,
        packed: u32,
    ) -> Tiling {
        let mut next = 0;
        let standard = (0..levels.min(first_packed)).map(|level| {
            let grid: [u32; 3] = core::array::from_fn(|axis| (extent[axis] >> level).max(1).div_ceil(shape[axis]));
            let first = next;
            next += grid.iter().product::<u32>();
            (grid, first)
        });
        let standard = standard.collect();
        Tiling { shape, layers, levels, standard, packed: if first_packed < levels { packed } else { 0 } }
    }

    /// Tiles of a layer's levels that are not packed.
    fn per_layer(&self) -> u32 {
        self.standard.last().map_or(0, |(grid, first)| first + grid.iter().product::<u32>())
    }

    /// The number of the first packed tile.
    pub fn first_packed(&self) -> u32 {
        self.per_layer() * self.layers
    }

    /// All tiles.
    pub fn total(&self) -> u32 {
        self.first_packed() + self.packed
    }

    /// A subresource's tiles in each direction and its first one; `None` for packed levels.
    pub fn subresource(&self, index: u32) -> Option<([u32; 3], u32)> {
        let (level, layer) = (index % self.levels, index / self.levels);
        let (grid, first) = *self.standard.get(level as usize)?;
        (layer < self.layers).then(|| (grid, layer * self.per_layer() + first))
    }

    /// Where a tile is; the number is below [`Tiling::total`].
    pub fn place(&self, tile: u32) -> Place {
        let Some(layer) = tile.checked_div(self.per_layer()).filter(|layer| *layer < self.layers) else {
            return Place::Packed(tile - self.first_packed());
        };
        let within = tile % self.per_layer();
        let level = self.standard.partition_point(|(_, first)| *first <= within);
        match self.standard.get(level.wrapping_sub(1)) {
            Some(([width, height, _], first)) => {
                let at = within - first;
                Place::Level(layer, level as u32 - 1, [at % width, at / width % height, at / width / height])
            }
            None => Place::Packed(0),
        }
    }

    /// The tile at a place. Within packed levels `X` counts, from the first one of all layers.
    fn number(&self, at: &Coordinate) -> Option<u32> {
        match self.subresource(at.Subresource) {
            Some(([width, height, depth], first)) => {
                let inside = at.X < width && at.Y < height && at.Z < depth;
                inside.then(|| first + (at.Z * height + at.Y) * width + at.X)
            }
            None => {
                let layer = at.Subresource / self.levels;
                (layer < self.layers && at.X < self.packed).then(|| self.first_packed() + at.X)
            }
        }
    }

    /// Adds the numbers of a region's tiles: those of a box, row by row, or so many one after the other.
    ///
    /// # Errors
    /// The resource does not have all of these tiles.
    pub fn region(&self, at: &Coordinate, size: &Size, tiles: &mut Vec<u32>) -> Result<()> {
        const OUTSIDE: Error = Error::Invalid("a region of tiles that the resource does not have");
        let first = self.number(at).ok_or(OUTSIDE)?;
        if size.UseBox == 0 {
            let end = first.checked_add(size.NumTiles).filter(|end| *end <= self.total()).ok_or(OUTSIDE)?;
            tiles.extend(first..end);
            return Ok(());
        }
        let ([width, height, depth], _) = self.subresource(at.Subresource).ok_or(OUTSIDE)?;
        let fits = |start: u32, count: u32, whole: u32| start.checked_add(count).is_some_and(|end| end <= whole);
        let (rows, slices) = (u32::from(size.Height), u32::from(size.Depth));
        if !fits(at.X, size.Width, width) || !fits(at.Y, rows, height) || !fits(at.Z, slices, depth) {
            return Err(OUTSIDE);
        }
        for slice in 0..slices {
            for row in 0..rows {
                let start = first + (slice * height + row) * width;
                tiles.extend(start..start + size.Width);
            }
        }
        Ok(())
    }

    /// The numbers of all tiles of regions. Without coordinates the first region begins at the first tile; without sizes a
    /// region is one tile, or everything if there are no coordinates either.
    ///
    /// # Errors
    /// The resource does not have all of these tiles.
    pub fn regions(&self, count: u32, starts: Option<&[Coordinate]>, sizes: Option<&[Size]>) -> Result<Vec<u32>> {
        let mut tiles = Vec::new();
        for region in 0..count as usize {
            let start = starts.map_or_else(Coordinate::default, |starts| starts[region]);
            let all = if starts.is_some() { 1 } else { self.total() };
            let size = sizes.map_or(Size { NumTiles: all, ..Default::default() }, |sizes| sizes[region]);
            self.region(&start, &size, &mut tiles)?;
        }
        Ok(tiles)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn at(x: u32, y: u32, subresource: u32) -> Coordinate {
        Coordinate { X: x, Y: y, Z: 0, Subresource: subresource }
    }

    /// 512 x 512 of 32 bits with all levels: 16 + 4 + 1 tiles, and the rest in one.
    fn chain() -> Tiling {
        Tiling::texture([128, 128, 1], [512, 512, 1], 10, 1, 3, 1)
    }

    #[test]
    fn levels_follow_each_other_and_packed_ones_come_last() {
        let tiling = chain();
        assert_eq!((tiling.total(), tiling.first_packed()), (22, 21));
        assert_eq!(tiling.subresource(1), Some(([2, 2, 1], 16)));
        assert_eq!(tiling.subresource(3), None);
        let region = |start, size| tiling.regions(1, Some(&[start]), Some(&[size])).unwrap();
        let boxed = Size { NumTiles: 4, UseBox: 1, Width: 2, Height: 2, Depth: 1 };
        assert_eq!(region(at(1, 1, 0), boxed), [5, 6, 9, 10]);
        let row = |count| Size { NumTiles: count, ..Default::default() };
        assert_eq!(region(at(3, 3, 0), row(3)), [15, 16, 17], "on into the next level");
        assert_eq!(region(at(0, 0, 7), row(1)), [21]);
        assert!(tiling.regions(1, Some(&[at(0, 0, 7)]), Some(&[row(2)])).is_err());
        assert!(tiling.regions(1, Some(&[at(3, 0, 0)]), Some(&[boxed])).is_err());
        assert!(tiling.regions(1, Some(&[at(4, 0, 0)]), None).is_err());
        assert_eq!(tiling.regions(1, None, None).unwrap().len(), 22);
        assert_eq!(tiling.regions(2, Some(&[at(0, 0, 2), at(2, 0, 0)]), None).unwrap(), [20, 2]);
    }

    /// The same with four layers, as a device counts that has tier 4.
    #[test]
    fn packed_levels_of_all_layers_come_last() {
        let tiling = Tiling::texture([128, 128, 1], [512, 512, 1], 10, 4, 3, 4);
        assert_eq!((tiling.total(), tiling.first_packed()), (88, 84));
        assert_eq!(tiling.subresource(11), Some(([2, 2, 1], 37)), "level 1 of layer 1");
        assert_eq!(tiling.place(86), Place::Packed(2));
        assert_eq!(tiling.regions(1, Some(&[at(2, 0, 5)]), None).unwrap(), [86]);
    }

    proptest! {
        /// Numbers and places lead to each other, and each place is inside of its level.
        #[test]
        fn every_tile_has_a_place_of_its_own(
            width in 1u32..900, height in 1u32..900, depth in 1u32..70, levels in 1u32..8, layers in 1u32..4, packed in 0u32..8
        ) {
            let tiling = Tiling::texture([128, 64, 4], [width, height, depth], levels, layers, packed, 3 * layers);
            let mut seen = std::collections::HashSet::new();
            for tile in 0..tiling.total() {
                let place = tiling.place(tile);
                let start = match place {
                    Place::Level(layer, level, [x, y, z]) => {
                        prop_assert!(layer < layers && tile < tiling.first_packed());
                        prop_assert!(x * 128 < (width >> level).max(1) && y * 64 < (height >> level).max(1));
                        prop_assert!(z * 4 < (depth >> level).max(1));
                        Coordinate { X: x, Y: y, Z: z, Subresource: layer * levels + level }
                    }
                    Place::Packed(index) => Coordinate { X: index, Y: 0, Z: 0, Subresource: packed },
                };
                prop_assert_eq!(tiling.regions(1, Some(&[start]), None).unwrap(), vec![tile]);
                let place = match place {
                    Place::Level(layer, level, at) => (layer, level, at),
                    Place::Packed(index) => (u32::MAX, u32::MAX, [index, 0, 0]),
                };
                prop_assert!(seen.insert(place));
            }
        }
    }
}
