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

/// More subresources than this are not kept one by one: no texture has as many (15 mips, 2,048 slices, 2 planes).
const MOST: u32 = 15 * 2048 * 2;

impl Shape {
    /// Of a resource of this description.
    pub(crate) fn of(desc: &D3D12_RESOURCE_DESC1) -> Shape {
        if desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER {
            return Shape { mips: 1, slices: 1, planes: 1 };
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
}
