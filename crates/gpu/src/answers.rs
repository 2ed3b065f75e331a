//! Answers of the driver that never change, kept: what images of a kind may be like.

use core::hash::BuildHasher;
use std::sync::OnceLock;

use ash::vk;
use rustc_hash::FxBuildHasher;

use crate::error::Result;

/// A kind of images: all that the driver is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    /// Vulkan's format.
    pub format: vk::Format,
    /// Dimensions.
    pub dimensions: vk::ImageType,
    /// How texels lie in memory.
    pub tiling: vk::ImageTiling,
    /// What the images are created for.
    pub usage: vk::ImageUsageFlags,
    /// What they are created as.
    pub flags: vk::ImageCreateFlags,
}

/// Answers that are kept at most. Programs have textures of some dozens of kinds.
const SLOTS: usize = 256;
/// Slots that one kind may be in.
const TRIES: usize = 8;

type Answer = Option<vk::ImageFormatProperties>;

/// The answers so far. Each texture that is made asks, so finding one takes no lock. Invariants: an answer that was kept is the
/// driver's, and stays; what finds no free slot is asked about again each time.
#[derive(Debug)]
pub struct Answers(Box<[OnceLock<(Kind, Answer)>]>);

impl Default for Answers {
    fn default() -> Answers {
        Answers(core::iter::repeat_with(OnceLock::new).take(SLOTS).collect())
    }
}

impl Answers {
    /// The limits of a kind; `None` where the device has no such images. The first time they are what `ask` gives.
    ///
    /// # Errors
    /// Those of `ask`; then nothing is kept.
    pub fn limits(&self, kind: Kind, ask: impl FnOnce() -> Result<Answer>) -> Result<Answer> {
        let first = FxBuildHasher.hash_one(kind) as usize % SLOTS;
        for at in first..first + TRIES {
            let slot = &self.0[at % SLOTS];
            match slot.get() {
                Some((known, answer)) if *known == kind => return Ok(*answer),
                Some(_) => {}
                None => {
                    let answer = ask()?;
                    // Another thread may have been faster. Then this answer is not kept: it is the same, or of another kind.
                    let _ = slot.set((kind, answer));
                    return Ok(answer);
                }
            }
        }
        ask()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use core::cell::Cell;

    use super::*;
    use crate::Error;

    #[test]
    fn each_kind_is_asked_about_once() {
        let (answers, asked) = (Answers::default(), Cell::new(0));
        let kind = |format| Kind {
            format,
            dimensions: vk::ImageType::TYPE_2D,
            tiling: vk::ImageTiling::OPTIMAL,
            usage: vk::ImageUsageFlags::SAMPLED,
            flags: vk::ImageCreateFlags::empty(),
        };
        let some = vk::ImageFormatProperties { max_mip_levels: 7, ..Default::default() };
        let limits = |format, answer: Result<_>| {
            answers.limits(kind(format), || {
                asked.set(asked.get() + 1);
                answer
            })
        };
        let levels = |answer: Result<Option<vk::ImageFormatProperties>>| answer.unwrap().map(|it| it.max_mip_levels);
        assert!(limits(vk::Format::R8_UNORM, Err(Error::Memory)).is_err());
        for _ in 0..2 {
            assert_eq!(levels(limits(vk::Format::R8_UNORM, Ok(Some(some)))), Some(7));
            assert_eq!(levels(limits(vk::Format::R8_UINT, Ok(None))), None);
        }
        assert_eq!(asked.get(), 3, "an error is no answer");
    }

    #[test]
    fn more_kinds_than_there_is_room_for_are_right_all_the_same() {
        let answers = Answers::default();
        for _ in 0..2 {
            for number in 0..2 * SLOTS as u32 {
                let kind = Kind {
                    format: vk::Format::R8_UNORM,
                    dimensions: vk::ImageType::TYPE_2D,
                    tiling: vk::ImageTiling::OPTIMAL,
                    usage: vk::ImageUsageFlags::from_raw(number),
                    flags: vk::ImageCreateFlags::empty(),
                };
                let answer = Some(vk::ImageFormatProperties { max_mip_levels: number, ..Default::default() });
                let found = answers.limits(kind, || Ok(answer)).unwrap();
                assert_eq!(found.map(|limits| limits.max_mip_levels), Some(number));
            }
        }
        let full = answers.0.iter().filter(|slot| slot.get().is_some()).count();
        assert!(full > SLOTS / 2, "{full} of {SLOTS} slots are used");
    }
}
