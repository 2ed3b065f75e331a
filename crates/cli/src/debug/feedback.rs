//! Maps of sampler feedback while a shader runs: bits as shaders set them, and bytes of regions as a replay decodes them.
//!
//! Shaders set bits in an image with two texels of 32 bits for a region of the texture's first level, side by side. Each level has four of the
//! 64 bits, for its region of the same number, and those to the right, below, and below to the right. The lowest four bits of the
//! image's width and height say the power of two that regions have as their size (`reprise_shader::feedback`).

use super::Invocation;
use super::key::Key;
use reprise_d3d12::types::{D3D12_RESOURCE_DESC1, DXGI_FORMAT};
use reprise_timeline::state::descriptors::View;

/// Bits of a level in a texel, and levels of a texel.
const BITS: u32 = 4;
const LEVELS: u32 = 8;
/// The image's width and height say the regions' in so many of their values.
const SIZES: u32 = 16;
/// What a region of a level decodes to that was read.
const READ: u8 = 0xff;

/// A map of sampler feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Map {
    pub(crate) resource: u32,
    /// It has the finest level that was read of each region, and not a picture of each level.
    is_of_finest: bool,
    /// Of the texture and of a region, in texels.
    size: [u32; 2],
    region: [u32; 2],
    levels: u32,
    pub(crate) slices: u32,
}

/// A byte of the decoded map that a bit stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) key: Key,
    /// Column and row.
    pub(crate) at: [u32; 2],
    /// What it is at most.
    pub(crate) most: Option<u8>,
    /// What it is.
    pub(crate) value: u8,
}

impl Map {
    /// # Errors
    /// In words: how the map was made is not known.
    pub(crate) fn of(invocation: &Invocation, view: &View) -> Result<Option<Map>, String> {
        if view.second == 0 {
            return Ok(None);
        }
        let made = invocation.made(view.second)?;
        Ok(Some(Map::made(view.second, &made)))
    }

    fn made(resource: u32, made: &D3D12_RESOURCE_DESC1) -> Map {
        let region = made.SamplerFeedbackMipRegion;
        let size = [u32::try_from(made.Width).unwrap_or(u32::MAX), made.Height];
        // A map that says no levels has all that its size makes.
        let all = size.into_iter().max().unwrap_or(1).max(1).ilog2() + 1;
        let levels = if made.MipLevels == 0 { all } else { u32::from(made.MipLevels) };
        Map {
            resource,
            is_of_finest: made.Format == DXGI_FORMAT::FORMAT_SAMPLER_FEEDBACK_MIN_MIP_OPAQUE,
            size,
            region: [region.Width.max(1), region.Height.max(1)],
            levels: levels.min(2 * LEVELS),
            slices: u32::from(made.DepthOrArraySize).max(1),
        }
    }

    /// Columns and rows of regions of a level.
    fn regions(&self, level: u32) -> [u32; 2] {
        [0, 1].map(|axis| (self.size[axis] >> level).max(1).div_ceil(self.region[axis]))
    }

    /// Columns and rows of the image.
    pub(crate) fn extent(&self) -> [u32; 2] {
        let [columns, rows] = self.regions(0);
        let padded = |size: u32, region: u32| {
            let power = region.ilog2();
            size.saturating_sub(power).next_multiple_of(SIZES) + power
        };
        [padded(columns.saturating_mul(2), self.region[0]), padded(rows, self.region[1])]
    }

    /// All of the decoded map.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> + use<> {
        let (resource, pictures) = (self.resource, if self.is_of_finest { 1 } else { self.levels });
        (0..self.slices)
            .flat_map(move |slice| (0..pictures).map(move |level| Key { resource, part: Some([level, slice, 0, 0]) }))
    }

    /// What bits of a texel of the image stand for.
    pub(crate) fn marks(&self, [x, y]: [u32; 2], slice: u32, bits: u32) -> Vec<Mark> {
        let mut marks = Vec::new();
        for bit in (0..32).filter(|bit| bits >> bit & 1 != 0) {
            let (level, neighbour) = (x % 2 * LEVELS + bit / BITS, bit % BITS);
            let own = [x / 2 + neighbour % 2, y + neighbour / 2];
            let [columns, rows] = self.regions(level);
            if level >= self.levels || own[0] >= columns || own[1] >= rows {
                continue;
            }
            if !self.is_of_finest {
                let key = Key { resource: self.resource, part: Some([level, slice, 0, 0]) };
                marks.push(Mark { key, at: own, most: None, value: READ });
                continue;
            }
            // All regions of the first level that the level's region lies in. Regions of both overlap, not always one to one.
            let key = Key { resource: self.resource, part: Some([0, slice, 0, 0]) };
            let all = self.regions(0);
            let along = |axis: usize| {
                let (whole, texels) = (u64::from(self.size[axis].max(1)), u64::from((self.size[axis] >> level).max(1)));
                let is_here = move |region: &u32| {
                    let region = u64::from(*region);
                    let (first, last) = (region * texels / whole, ((region + 1) * texels - 1) / whole);
                    (first..=last).contains(&u64::from(own[axis]))
                };
                (0..all[axis]).filter(is_here).collect::<Vec<u32>>()
            };
            let (columns, rows) = (along(0), along(1));
            let places = rows.iter().flat_map(|row| columns.iter().map(move |column| [*column, *row]));
            let value = level as u8;
            marks.extend(places.map(|at| Mark { key, at, most: Some(value), value }));
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_d3d12::types::D3D12_MIP_REGION;

    fn map(format: DXGI_FORMAT) -> Map {
        let made = D3D12_RESOURCE_DESC1 {
            Width: 64,
            Height: 32,
            DepthOrArraySize: 2,
            MipLevels: 3,
            Format: format,
            SamplerFeedbackMipRegion: D3D12_MIP_REGION { Width: 8, Height: 4, Depth: 0 },
            ..Default::default()
        };
        Map::made(7, &made)
    }

    #[test]
    fn bits_stand_for_regions_and_their_neighbours() {
        let used = map(DXGI_FORMAT::FORMAT_SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE);
        // 16 texels and 8 rows of regions: the next sizes whose lowest four bits are 3 and 2.
        assert_eq!((used.extent(), used.regions(2), used.keys().count()), ([19, 18], [2, 2], 6));
        let places = |x, bits| -> Vec<([u32; 4], [u32; 2])> {
            used.marks([x, 1], 1, bits).iter().map(|it| (it.key.part.unwrap_or_default(), it.at)).collect()
        };
        assert_eq!(places(4, 0b0001), [([0, 1, 0, 0], [2, 1])]);
        assert_eq!(places(4, 0b1000), [([0, 1, 0, 0], [3, 2])]);
        assert_eq!(places(2, 0b0101 << 8), [([2, 1, 0, 0], [1, 1])], "there is no third row of level 2");
        // Levels from the eighth on are in the other texel, and the map has three.
        assert_eq!(places(5, 1), []);
    }

    #[test]
    fn the_finest_level_is_of_all_regions_that_it_lies_in() {
        let finest = map(DXGI_FORMAT::FORMAT_SAMPLER_FEEDBACK_MIN_MIP_OPAQUE);
        assert_eq!(finest.keys().count(), 2);
        let marks = finest.marks([2, 1], 0, 1 << 4);
        let mut places: Vec<[u32; 2]> = marks.iter().map(|mark| mark.at).collect();
        places.sort_unstable();
        // A region of level 1 is two by two of level 0.
        assert_eq!(places, [[2, 2], [2, 3], [3, 2], [3, 3]]);
        assert!(marks.iter().all(|mark| mark.value == 1 && mark.most == Some(1)));
    }
}
