//! Subresources: how many a resource has, and sets of them.
//!
//! Invariant: an index is mip + slice × mips + plane × mips × slices, as `D3D12CalcSubresource` has it.

use reprise_d3d12::types::{D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION};
use reprise_d3d12::{description, format};
use std::rc::Rc;

/// The subresources of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) mips: u32,
    /// 1 for volumes.
    pub(crate) slices: u32,
    pub(crate) planes: u32,
}

/// A box of subresources: of each of mips, layers and planes the first one, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Part {
    /// Planes: 1 is stencil, or chroma.
    pub planes: (u32, u32),
    /// Layers of an array; 0 and 1 of a volume.
    pub layers: (u32, u32),
    /// Levels.
    pub mips: (u32, u32),
}

impl Part {
    /// Whether a subresource is in it.
    pub fn has(&self, mip: u32, layer: u32, plane: u32) -> bool {
        let within = |(first, count): (u32, u32), one: u32| one >= first && one - first < count;
        within(self.mips, mip) && within(self.layers, layer) && within(self.planes, plane)
    }
}

/// More subresources than this are not kept one by one: no texture has as many (15 mips, 2,048 slices, 2 planes).
const MOST: u32 = 15 * 2048 * 2;

impl Shape {
    /// One subresource.
    pub(crate) const ONE: Shape = Shape { mips: 1, slices: 1, planes: 1 };

    /// Of a resource of this description.
    pub(crate) fn of(desc: &D3D12_RESOURCE_DESC1) -> Shape {
        if desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER {
            return Shape::ONE;
        }
        let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        let slices = if volume { 1 } else { u32::from(desc.DepthOrArraySize).max(1) };
        let mips = description::levels(desc);
        Shape { mips, slices, planes: format::planes(desc.Format.0 as u32) }
    }

    pub(crate) fn count(self) -> u32 {
        self.mips.saturating_mul(self.slices).saturating_mul(self.planes).min(MOST)
    }

    /// A box of subresources; counts of `u32::MAX` reach to the end.
    pub(crate) fn part(self, mips: (u32, u32), slices: (u32, u32), planes: (u32, u32)) -> Subresources {
        let range = |(first, count): (u32, u32), all: u32| (first.min(all), first.saturating_add(count).min(all));
        let (mips, slices, planes) = (range(mips, self.mips), range(slices, self.slices), range(planes, self.planes));
        if (mips, slices, planes) == ((0, self.mips), (0, self.slices), (0, self.planes)) {
            return Subresources::All;
        }
        let mut list = Vec::new();
        for plane in planes.0..planes.1 {
            for slice in slices.0..slices.1 {
                let first = plane.saturating_mul(self.slices).saturating_add(slice).saturating_mul(self.mips);
                list.extend((mips.0..mips.1).map(|mip| first.saturating_add(mip)));
                if list.len() > MOST as usize {
                    return Subresources::Some(list.into());
                }
            }
        }
        match list[..] {
            [one] => Subresources::One(one),
            _ => Subresources::Some(list.into()),
        }
    }

    /// Whether boxes have all subresources.
    pub(crate) fn is_all(self, parts: &[Part]) -> bool {
        matches!(parts, [one] if *one == Part { mips: (0, self.mips), layers: (0, self.slices), planes: (0, self.planes) })
    }

    /// Subresources as boxes, in the order of planes, layers and mips. No subresource is in two of them.
    pub(crate) fn boxes(self, subresources: &Subresources) -> Vec<Part> {
        if let Subresources::All = subresources {
            return vec![Part { mips: (0, self.mips), layers: (0, self.slices), planes: (0, self.planes) }];
        }
        let mut indices = Vec::new();
        subresources.each(self.count(), |index| indices.push(index));
        indices.sort_unstable();
        indices.dedup();
        // Runs of mips, then equal runs of layers behind each other, then equal boxes of planes behind each other.
        let mut all: Vec<Part> = Vec::new();
        for index in indices {
            let (mip, layer) = (index % self.mips, index / self.mips % self.slices);
            let plane = index / self.mips / self.slices;
            match all.last_mut() {
                Some(last)
                    if last.planes == (plane, 1) && last.layers == (layer, 1) && last.mips.0 + last.mips.1 == mip =>
                {
                    last.mips.1 += 1;
                }
                _ => all.push(Part { planes: (plane, 1), layers: (layer, 1), mips: (mip, 1) }),
            }
        }
        let layers = joined(all, |last, next| {
            let follows = last.planes == next.planes && last.mips == next.mips;
            let behind = last.layers.0 + last.layers.1 == next.layers.0;
            if follows && behind {
                last.layers.1 += next.layers.1;
            }
            follows && behind
        });
        joined(layers, |last, next| {
            let follows = last.layers == next.layers && last.mips == next.mips;
            let behind = last.planes.0 + last.planes.1 == next.planes.0;
            if follows && behind {
                last.planes.1 += next.planes.1;
            }
            follows && behind
        })
    }

    /// Text for people: `mip 2, slice 1`.
    pub(crate) fn words(self, index: u32) -> String {
        let (mip, slice, plane) = (index % self.mips, index / self.mips % self.slices, index / self.mips / self.slices);
        let mut text = format!("subresource {index}");
        if self.count() == 1 {
            return text;
        }
        text += &format!(" (mip {mip}");
        if self.slices > 1 {
            text += &format!(", slice {slice}");
        }
        if self.planes > 1 {
            text += &format!(", plane {plane}");
        }
        text + ")"
    }
}

/// Puts together what belongs together: `join` takes a later box into an earlier one, and says whether it did.
fn joined(all: Vec<Part>, join: impl Fn(&mut Part, &Part) -> bool) -> Vec<Part> {
    let mut kept: Vec<Part> = Vec::new();
    for next in all {
        // Behind each other they need not stand next to each other: a layer may have several runs of mips.
        if !kept.iter_mut().rev().take(MOST_RUNS).any(|last| join(last, &next)) {
            kept.push(next);
        }
    }
    kept
}

/// How many boxes back one is looked for that a box continues: a layer has at most eight runs of its fifteen mips.
const MOST_RUNS: usize = 8;

/// Some subresources of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subresources {
    All,
    One(u32),
    Some(Rc<[u32]>),
}

impl Subresources {
    /// As in `D3D12_RESOURCE_TRANSITION_BARRIER`.
    pub(crate) fn of_index(index: u32) -> Subresources {
        if index == u32::MAX { Subresources::All } else { Subresources::One(index) }
    }

    /// Each index of a resource with so many.
    pub(crate) fn each(&self, count: u32, mut give: impl FnMut(u32)) {
        match self {
            Subresources::All => (0..count).for_each(give),
            Subresources::One(one) if *one < count => give(*one),
            Subresources::One(_) => {}
            Subresources::Some(list) => list.iter().copied().filter(|index| *index < count).for_each(give),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_its_indices() {
        let shape = Shape { mips: 3, slices: 2, planes: 2 };
        assert_eq!(shape.part((0, 3), (0, u32::MAX), (0, 2)), Subresources::All);
        assert_eq!(shape.part((1, 1), (1, 1), (1, 1)), Subresources::One(1 + 3 + 6));
        assert_eq!(shape.part((2, u32::MAX), (0, 2), (0, 1)), Subresources::Some([2, 5].into()));
        assert_eq!(shape.words(10), "subresource 10 (mip 1, slice 1, plane 1)");
    }

    #[test]
    fn boxes_have_each_subresource_once() {
        let shape = Shape { mips: 3, slices: 4, planes: 2 };
        let part = |mips, layers, planes| Part { mips, layers, planes };
        assert_eq!(shape.boxes(&Subresources::All), [part((0, 3), (0, 4), (0, 2))]);
        assert_eq!(shape.boxes(&shape.part((1, 2), (1, 2), (0, 2))), [part((1, 2), (1, 2), (0, 2))]);
        // Every set of subresources of a smaller shape: the boxes have what the set has, and nothing twice.
        let shape = Shape { mips: 2, slices: 3, planes: 2 };
        for bits in 0u32..1 << shape.count() {
            let wanted: Vec<u32> = (0..shape.count()).filter(|index| bits >> index & 1 != 0).collect();
            let mut found = Vec::new();
            for part in shape.boxes(&Subresources::Some(wanted.clone().into())) {
                for index in 0..shape.count() {
                    let (mip, layer, plane) = (index % 2, index / 2 % 3, index / 6);
                    found.extend(part.has(mip, layer, plane).then_some(index));
                }
            }
            found.sort_unstable();
            assert_eq!(found, wanted);
        }
    }
}
