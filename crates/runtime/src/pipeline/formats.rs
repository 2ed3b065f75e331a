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

    /// Whether there is any target.
    pub fn any(&self) -> bool {
        let all = self.colours().iter().chain([&self.depth, &self.stencil]);
        all.into_iter().any(|format| *format != vk::Format::UNDEFINED)
    }
}
