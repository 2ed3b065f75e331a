//! Answers of the driver that never change, kept: what images of a kind may be like.

use std::sync::{PoisonError, RwLock};

use ash::vk;
use rustc_hash::FxHashMap;

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

/// The answers so far. Each texture that is made asks, so the hash is a fast one. Invariant: an answer that was kept is the driver's.
#[derive(Debug, Default)]
pub struct Answers(RwLock<FxHashMap<Kind, Option<vk::ImageFormatProperties>>>);

impl Answers {
    /// The limits of a kind; `None` where the device has no such images. The first time they are what `ask` gives.
    ///
    /// # Errors
    /// Those of `ask`; then nothing is kept.
    pub fn limits(
        &self,
        kind: Kind,
        ask: impl FnOnce() -> Result<Option<vk::ImageFormatProperties>>,
    ) -> Result<Option<vk::ImageFormatProperties>> {
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&kind) {
            return Ok(*known);
        }
        let answer = ask()?;
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(kind, answer);
        Ok(answer)
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
}
