//! Which of the CPU's writes to a subresource still show.
//!
//! Later writes hide earlier ones, whole or in part. Invariant: of each write that is kept a texel shows, so there are no more of them than
//! the subresource has texels, and one that wrote all of it.

use super::Number;
use reprise_d3d12::types::D3D12_BOX;

/// The writes that show, in their order, each with the parts of it that do.
#[derive(Debug, Default)]
pub(super) struct Texels(Vec<(Number, Vec<Block>)>);

/// Texels from one corner to another, as `[x, y, z]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Block {
    from: [u32; 3],
    to: [u32; 3],
}

impl Texels {
    /// A call writes a box, or everything. An empty box is no write.
    pub(super) fn write(&mut self, call: Number, place: Option<D3D12_BOX>) {
        let all = Block { from: [0; 3], to: [u32::MAX; 3] };
        let written = place.map_or(all, |place| Block {
            from: [place.left, place.top, place.front],
            to: [place.right, place.bottom, place.back],
        });
        if written.is_empty() {
            return;
        }
        for (_, shows) in &mut self.0 {
            if shows.iter().any(|part| part.meets(&written)) {
                *shows = shows.iter().flat_map(|part| part.without(&written)).collect();
            }
        }
        self.0.retain(|(_, shows)| !shows.is_empty());
        self.0.push((call, vec![written]));
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = Number> {
        self.0.iter().map(|(call, _)| *call)
    }
}

impl Block {
    fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.from[axis] >= self.to[axis])
    }

    fn meets(&self, other: &Block) -> bool {
        (0..3).all(|axis| self.from[axis] < other.to[axis] && other.from[axis] < self.to[axis])
    }

    /// What is left of it without another, in parts that do not overlap.
    fn without(&self, other: &Block) -> Vec<Block> {
        if !self.meets(other) {
            return vec![*self];
        }
        let (mut rest, mut parts) = (*self, Vec::new());
        for axis in 0..3 {
            let (mut before, mut behind) = (rest, rest);
            before.to[axis] = other.from[axis];
            behind.from[axis] = other.to[axis];
            parts.extend([before, behind].into_iter().filter(|part| !part.is_empty()));
            rest.from[axis] = rest.from[axis].max(other.from[axis]);
            rest.to[axis] = rest.to[axis].min(other.to[axis]);
        }
        parts
    }
}
