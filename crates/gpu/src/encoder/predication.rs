//! Predication: Vulkan skips draws, dispatches and clears inside of rendering, as 32 bits in memory say.
//!
//! Invariant: Vulkan's part begins and ends outside of rendering.

use ash::vk;

use crate::encoder::Encoder;

/// Where Vulkan finds whether to act.
#[derive(Clone, Copy, Debug)]
pub struct Predicate {
    /// The buffer of the 32 bits.
    pub buffer: vk::Buffer,
    /// Their first byte in it.
    pub offset: u64,
    /// Not zero means to skip.
    pub inverted: bool,
}

impl Encoder {
    /// Whether a predicate is set.
    #[inline]
    pub fn is_predicated(&self) -> bool {
        self.predicate.is_some()
    }

    /// Skips nothing until [`Encoder::resume_predication`] gets the answer.
    pub fn pause_predication(&mut self) -> Option<Predicate> {
        let predicate = self.predicate.take()?;
        self.outside();
        if let Some(extension) = &self.logical.ext.conditional_rendering {
            // SAFETY: conditional rendering has begun in this command buffer, outside of rendering.
            unsafe { (extension.fp().cmd_end_conditional_rendering_ext)(self.buffer) };
        }
        Some(predicate)
    }

    /// Skips as a predicate says, from here on. To be called outside of rendering, without another predicate.
    pub fn resume_predication(&mut self, predicate: Option<Predicate>) {
        let (Some(set), Some(extension)) = (predicate, &self.logical.ext.conditional_rendering) else { return };
        let flags = match set.inverted {
            true => vk::ConditionalRenderingFlagsEXT::INVERTED,
            false => vk::ConditionalRenderingFlagsEXT::empty(),
        };
        let info = vk::ConditionalRenderingBeginInfoEXT::default().buffer(set.buffer).offset(set.offset).flags(flags);
        // SAFETY: the list's scratch memory has the buffer; rendering has ended, and so has conditional rendering.
        unsafe { (extension.fp().cmd_begin_conditional_rendering_ext)(self.buffer, &info) };
        self.predicate = predicate;
    }
}
