//! What each subresource of an image is ready for, within a list. Pure.
//!
//! Invariant: a change tells each subresource that was ready for something else exactly once.

use ash::vk;

use crate::image::{Shape, Use};

type Aspects = vk::ImageAspectFlags;

/// A range of subresources whose numbers are all stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) aspects: Aspects,
    pub(super) first_level: u32,
    pub(super) levels: u32,
    pub(super) first_layer: u32,
    pub(super) layers: u32,
}

impl Range {
    /// A range of Vulkan's, whose numbers may stand for all that is left of an image.
    pub(super) fn new(shape: &Shape, range: &vk::ImageSubresourceRange) -> Range {
        let left = |count: u32, first: u32, all: u32| if count == u32::MAX { all.saturating_sub(first) } else { count };
        Range {
            aspects: range.aspect_mask,
            first_level: range.base_mip_level,
            levels: left(range.level_count, range.base_mip_level, shape.levels),
            first_layer: range.base_array_layer,
            layers: left(range.layer_count, range.base_array_layer, shape.layers),
        }
    }

    /// As Vulkan takes it.
    pub(super) fn vk(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: self.aspects,
            base_mip_level: self.first_level,
            level_count: self.levels,
            base_array_layer: self.first_layer,
            layer_count: self.layers,
        }
    }

    /// Whether both have a subresource in common.
    pub(super) fn meets(&self, other: &Range) -> bool {
        let meets = |first: u32, count: u32, other: u32, others: u32| first < other + others && other < first + count;
        self.aspects.intersects(other.aspects)
            && meets(self.first_level, self.levels, other.first_level, other.levels)
            && meets(self.first_layer, self.layers, other.first_layer, other.layers)
    }
}

/// The uses of an image's subresources.
#[derive(Clone, Debug)]
pub(super) struct Uses {
    aspects: Aspects,
    levels: u32,
    layers: u32,
    /// Of all subresources, where `each` is empty.
    all: Use,
    /// Of each subresource: level by level within a layer, layer by layer within a plane.
    each: Vec<Use>,
}

impl Uses {
    /// An image at rest.
    pub(super) fn new(shape: &Shape) -> Uses {
        let Shape { aspects, levels, layers, .. } = *shape;
        Uses { aspects, levels, layers, all: Use::Rest, each: Vec::new() }
    }

    /// Whether all of the image is at rest.
    pub(super) fn is_resting(&self) -> bool {
        self.each.is_empty() && self.all == Use::Rest
    }

    /// Every subresource.
    pub(super) fn whole(&self) -> Range {
        Range { aspects: self.aspects, first_level: 0, levels: self.levels, first_layer: 0, layers: self.layers }
    }

    /// Where a plane's first subresource is in `each`, for each plane of some aspects.
    fn planes(&self, wanted: Aspects) -> impl Iterator<Item = (Aspects, usize)> + use<> {
        let size = (self.levels * self.layers) as usize;
        let own = self.aspects;
        let planes =
            [Aspects::COLOR, Aspects::DEPTH, Aspects::STENCIL].into_iter().filter(move |one| own.contains(*one));
        planes.enumerate().filter(move |(_, one)| wanted.contains(*one)).map(move |(at, one)| (one, at * size))
    }

    /// The levels and layers of a range, plane by plane, with their places in `each`.
    fn places(&self, range: &Range) -> impl Iterator<Item = (Aspects, u32, u32, usize)> + use<> {
        let (levels, range) = (self.levels, *range);
        self.planes(range.aspects).flat_map(move |(plane, first)| {
            let within = range.first_level..range.first_level + range.levels;
            within.flat_map(move |level| {
                let within = range.first_layer..range.first_layer + range.layers;
                within.map(move |layer| (plane, level, layer, first + (layer * levels + level) as usize))
            })
        })
    }

    /// Whether one of a range's subresources is ready for a use.
    pub(super) fn any(&self, range: &Range, of: Use) -> bool {
        match self.each.as_slice() {
            [] => self.all == of,
            each => self.places(range).any(|(.., at)| each[at] == of),
        }
    }

    /// Whether one of the image's subresources is ready for a use.
    pub(super) fn has(&self, of: Use) -> bool {
        if self.each.is_empty() { self.all == of } else { self.each.contains(&of) }
    }

    /// Makes a range ready for a use, and tells what was ready for another one: ranges that do not meet.
    pub(super) fn change(&mut self, range: &Range, to: Use, mut tell: impl FnMut(Range, Use)) {
        if self.each.is_empty() {
            if self.all == to {
                return;
            }
            if *range == self.whole() {
                tell(*range, self.all);
                self.all = to;
                return;
            }
            let planes = self.planes(self.aspects).count();
            self.each = vec![self.all; planes * (self.levels * self.layers) as usize];
        }
        let mut run: Option<(Range, Use)> = None;
        let mut told = Vec::new();
        for (aspects, level, layer, at) in self.places(range) {
            let from = core::mem::replace(&mut self.each[at], to);
            match &mut run {
                // The next layer of the same level.
                Some((run, of))
                    if *of == from
                        && (run.aspects, run.first_level) == (aspects, level)
                        && run.first_layer + run.layers == layer =>
                {
                    run.layers += 1;
                }
                _ => {
                    told.extend(run.take());
                    run = Some((Range { aspects, first_level: level, levels: 1, first_layer: layer, layers: 1 }, from));
                }
            }
        }
        told.extend(run);
        if let Some((first, rest)) = self.each.split_first()
            && rest.iter().all(|one| one == first)
        {
            self.all = *first;
            self.each.clear();
        }
        // Levels whose runs are alike are one.
        let mut last: Option<(Range, Use)> = None;
        for (run, from) in told.into_iter().filter(|(_, from)| *from != to) {
            match &mut last {
                Some((last, of))
                    if *of == from
                        && last.first_level + last.levels == run.first_level
                        && (last.aspects, last.first_layer, last.layers)
                            == (run.aspects, run.first_layer, run.layers) =>
                {
                    last.levels += 1;
                }
                _ => {
                    if let Some((run, from)) = last.replace((run, from)) {
                        tell(run, from);
                    }
                }
            }
        }
        if let Some((run, from)) = last {
            tell(run, from);
        }
    }
}

#[cfg(test)]
mod tests;
