//! The ranges that copies have touched since the last barrier between copies. Pure.
//!
//! The API promises that copies of a list are in order where they touch the same bytes; Vulkan promises nothing without a
//! barrier, and a barrier makes the GPU wait for all that came before. Invariant: between two barriers no copy writes what
//! another one touches.

use ash::vk;
use ash::vk::Handle;

/// A range of a buffer in bytes, or of an image in subresources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touch {
    /// The handle.
    object: u64,
    first: u64,
    end: u64,
    writes: bool,
}

impl Touch {
    /// `size` bytes of a buffer from `offset` on are read.
    pub fn buffer(buffer: vk::Buffer, offset: u64, size: u64) -> Touch {
        Touch { object: buffer.as_raw(), first: offset, end: offset.saturating_add(size), writes: false }
    }

    /// An image is read: `count` levels of layers from the one with number `first` on, of all its planes.
    pub fn image(image: vk::Image, first: u32, count: u32) -> Touch {
        let first = first.into();
        Touch { object: image.as_raw(), first, end: first + u64::from(count), writes: false }
    }

    /// The same range, written.
    #[must_use]
    pub fn written(self) -> Touch {
        Touch { writes: true, ..self }
    }

    /// Whether a range continues this one or lies inside of it.
    fn takes(&self, other: &Touch) -> bool {
        (self.object, self.writes) == (other.object, other.writes) && (self.first..=self.end).contains(&other.first)
    }

    fn conflicts(&self, other: &Touch) -> bool {
        (self.writes || other.writes) && self.object == other.object && self.first < other.end && other.first < self.end
    }
}

/// Ranges that are remembered.
const ROOM: usize = 16;

/// What was touched since the last barrier.
#[derive(Clone, Debug)]
pub struct Transfers {
    touched: [Touch; ROOM],
    used: usize,
    /// Something that is not among them was touched.
    more: bool,
}

impl Default for Transfers {
    /// As a list begins: the one before may have copied anything.
    fn default() -> Transfers {
        Transfers { touched: [Touch::default(); ROOM], used: 0, more: true }
    }
}

impl Transfers {
    /// As a list begins.
    pub fn reset(&mut self) {
        (self.used, self.more) = (0, true);
    }

    /// Adds a copy that touches these ranges. Returns whether it needs a barrier, which the caller then makes.
    #[inline]
    pub fn add<const N: usize>(&mut self, touches: [Touch; N]) -> bool {
        let known = &self.touched[..self.used];
        let wait = self.more
            || self.used + N > ROOM
            || touches.iter().any(|touch| known.iter().any(|known| known.conflicts(touch)));
        if wait {
            (self.used, self.more) = (0, false);
        }
        for touch in touches {
            // Programs copy ranges one after another, or one to many places.
            let known = self.touched[..self.used].iter_mut();
            match known.into_iter().find(|known| known.takes(&touch)) {
                Some(known) => known.end = known.end.max(touch.end),
                None => {
                    self.touched[self.used] = touch;
                    self.used += 1;
                }
            }
        }
        wait
    }

    /// Adds a copy that may touch anything. Returns whether it needs a barrier, which the caller then makes.
    pub fn add_unknown(&mut self) -> bool {
        let wait = self.more || self.used != 0;
        (self.used, self.more) = (0, true);
        wait
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn touch((object, first, size, writes): (u64, u64, u64, bool)) -> Touch {
        let read = Touch::buffer(vk::Buffer::from_raw(object), first, size);
        if writes { read.written() } else { read }
    }

    proptest! {
        #[test]
        fn between_barriers_nothing_is_written_that_another_copy_touches(
            copies in prop::collection::vec(
                ((1u64..3, 0u64..40, 1u64..8), (1u64..4, 0u64..40, 1u64..8), prop::bool::weighted(0.05)), 1..60),
        ) {
            let (mut transfers, mut since, mut unknown) = (Transfers::default(), Vec::<Touch>::new(), true);
            for (from, to, is_unknown) in copies {
                let both = [touch((from.0, from.1, from.2, false)), touch((to.0, to.1, to.2, true))];
                let wait = if is_unknown { transfers.add_unknown() } else { transfers.add(both) };
                if wait {
                    since.clear();
                    unknown = false;
                }
                prop_assert!(!unknown, "after an unknown copy there is a barrier");
                if is_unknown {
                    prop_assert!(since.is_empty());
                    unknown = true;
                } else {
                    prop_assert!(!since.iter().any(|earlier| both.iter().any(|touch| earlier.conflicts(touch))));
                    since.extend(both);
                }
            }
        }
    }

    #[test]
    fn copies_side_by_side_need_one_barrier() {
        let (from, to) = (vk::Buffer::from_raw(1), vk::Buffer::from_raw(2));
        let mut transfers = Transfers::default();
        let waits = (0..1000)
            .filter(|at| transfers.add([Touch::buffer(from, at * 64, 64), Touch::buffer(to, at * 64, 64).written()]));
        assert_eq!(waits.count(), 1, "the first");
        let image = vk::Image::from_raw(3);
        assert!(!transfers.add([Touch::buffer(from, 0, 64), Touch::image(image, 0, 1).written()]));
        assert!(!transfers.add([Touch::buffer(from, 0, 64), Touch::image(image, 1, 1).written()]));
        assert!(transfers.add([Touch::image(image, 0, u32::MAX), Touch::buffer(to, 1 << 20, 64).written()]));
    }
}
