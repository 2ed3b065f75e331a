//! Which formats the device has typed buffers of.

use core::sync::atomic::{AtomicU8, Ordering};
use std::sync::Arc;

use ash::vk;

use crate::format::caps;
use crate::logical::Logical;

const READ: u8 = 1;
const WRITTEN: u8 = 2;
const ASKED: u8 = 4;

/// The driver's answers, by the number of a format of Vulkan 1.0. Invariant: an answer is 0, or the driver's with [`ASKED`].
#[derive(Debug)]
pub(super) struct Texels {
    logical: Arc<Logical>,
    answers: [AtomicU8; 256],
}

impl Texels {
    /// Nothing is asked yet.
    pub(super) fn new(logical: &Arc<Logical>) -> Texels {
        Texels { logical: logical.clone(), answers: [const { AtomicU8::new(0) }; 256] }
    }

    /// Whether there are typed buffers of a format, to read or to be `written`.
    #[inline]
    pub(super) fn has(&self, format: vk::Format, written: bool) -> bool {
        let known = self.answers.get(format.as_raw() as usize);
        let answer = match known.map_or(0, |known| known.load(Ordering::Relaxed)) {
            0 => self.ask(format, known),
            answer => answer,
        };
        answer & if written { WRITTEN } else { READ } != 0
    }

    #[cold]
    fn ask(&self, format: vk::Format, known: Option<&AtomicU8>) -> u8 {
        let has = caps::features(&self.logical, format).buffer_features;
        let bit = |feature, bit| if has.contains(feature) { bit } else { 0 };
        let answer = ASKED
            | bit(vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER, READ)
            | bit(vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER, WRITTEN);
        if let Some(known) = known {
            known.store(answer, Ordering::Relaxed);
        }
        answer
    }
}
