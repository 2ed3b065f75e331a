//! What tiles are mapped to, as the program says it: ranges of a heap, nothing, or what is there already. Pure.

use reprise_d3d12::types::D3D12_TILE_RANGE_FLAGS as Flags;

use crate::{Error, Result};

/// What a tile is mapped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A tile of the heap.
    Heap(u32),
    /// Nothing.
    Null,
}

/// Ranges of `UpdateTileMappings`; what is `None` was null.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranges<'a> {
    /// How many.
    pub count: u32,
    /// Kinds; plain ones if null.
    pub flags: Option<&'a [Flags]>,
    /// First tiles in the heap; the heap's first if null, as drivers of the API take it.
    pub offsets: Option<&'a [u32]>,
    /// Tiles of each; all if null.
    pub counts: Option<&'a [u32]>,
}

impl Ranges<'_> {
    /// Pairs tiles with what they are mapped to, in order. Tiles that keep their mapping are left out.
    pub(super) fn pair(&self, tiles: &[u32]) -> Result<Vec<(u32, Source)>> {
        if self.counts.is_none() && self.count > 1 {
            return Err(Error::Invalid("several ranges of tiles need their counts"));
        }
        let (mut rest, mut pairs) = (tiles, Vec::with_capacity(tiles.len()));
        for range in 0..self.count as usize {
            let count = self.counts.map_or(rest.len(), |counts| counts[range] as usize).min(rest.len());
            let (these, after) = rest.split_at(count);
            rest = after;
            let flags = self.flags.map_or(Flags::NONE, |flags| flags[range]);
            if flags == Flags::SKIP {
                continue;
            }
            let step = match flags {
                Flags::NONE => 1,
                Flags::REUSE_SINGLE_TILE => 0,
                Flags::NULL => {
                    pairs.extend(these.iter().map(|tile| (*tile, Source::Null)));
                    continue;
                }
                _ => return Err(Error::Invalid("flags of a range of tiles")),
            };
            let first = self.offsets.map_or(0, |offsets| offsets[range]);
            for (tile, at) in these.iter().zip(0u32..) {
                let at = first.checked_add(at * step).ok_or(Error::Invalid("a range of tiles outside of its heap"))?;
                pairs.push((*tile, Source::Heap(at)));
            }
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ranges_are_laid_along_the_tiles() {
        let flags = [Flags::NONE, Flags::SKIP, Flags::REUSE_SINGLE_TILE, Flags::NULL];
        let ranges =
            Ranges { count: 4, flags: Some(&flags), offsets: Some(&[7, 0, 3, 0]), counts: Some(&[2, 1, 2, 9]) };
        let found = ranges.pair(&[10, 11, 20, 30, 31, 32]).unwrap();
        let heap = |tile, at| (tile, Source::Heap(at));
        assert_eq!(found, [heap(10, 7), heap(11, 8), heap(30, 3), heap(31, 3), (32, Source::Null)]);
        let all = Ranges { count: 1, flags: None, offsets: Some(&[5]), counts: None };
        assert_eq!(all.pair(&[1, 2, 3]).unwrap(), [heap(1, 5), heap(2, 6), heap(3, 7)]);
        assert!(Ranges { count: 2, ..all }.pair(&[1]).is_err(), "without counts");
        assert_eq!(Ranges { offsets: None, ..all }.pair(&[1, 2]).unwrap(), [heap(1, 0), heap(2, 1)], "without places");
        assert!(Ranges { offsets: Some(&[u32::MAX]), ..all }.pair(&[1, 2]).is_err(), "beyond the last");
    }
}
