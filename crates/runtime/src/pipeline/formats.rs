//! What Vulkan wants to know of targets when it makes a pipeline. Pure.

use ash::vk;

/// Render targets.
pub const TARGETS: usize = 8;

/// Formats and samples of targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Formats {
    /// Of colours; `UNDEFINED` where there is no target, and from `count` on.
    pub colours: [vk::Format; TARGETS],
    /// Colour targets, those without a format included.
    pub count: usize,
    /// Of depth; `UNDEFINED` without.
    pub depth: vk::Format,
    /// Of stencil; `UNDEFINED` without. The same as that of depth where both are there.
    pub stencil: vk::Format,
    /// Samples of each target.
    pub samples: vk::SampleCountFlags,
    /// Samples lie where the list says.
    pub placed: bool,
    /// All samples of a pixel are covered by its middle, or none.
    pub middle: bool,
}

impl Formats {
    /// The formats of the colour targets.
    pub fn colours(&self) -> &[vk::Format] {
        &self.colours[..self.count.min(TARGETS)]
    }

    /// Those of colour attachments: one without a format where there is no target, and the driver needs one.
    pub fn attachments(&self, needs_one: bool) -> &[vk::Format] {
        &self.colours[..self.count.min(TARGETS).max(usize::from(needs_one))]
    }

    /// Whether there is any target.
    pub fn any(&self) -> bool {
        let all = self.colours().iter().chain([&self.depth, &self.stencil]);
        all.into_iter().any(|format| *format != vk::Format::UNDEFINED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_that_needs_an_attachment_has_one_without_a_format() {
        let none = Formats::default();
        assert_eq!((none.attachments(true), none.attachments(false)), (&[vk::Format::UNDEFINED][..], &[][..]));
        let mut two = Formats { count: 2, ..none };
        two.colours[1] = vk::Format::R32_UINT;
        assert_eq!((two.attachments(true), two.attachments(false)), (two.colours(), two.colours()));
    }
}
