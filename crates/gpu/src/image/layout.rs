//! Which layouts an image has. Pure.
//!
//! Where layouts cost nothing, every image stays in `GENERAL` ([`Layouts::Unified`]). Elsewhere targets are tracked
//! ([`Layouts::Tracked`]): drivers keep compressed texels and cleared blocks of targets in the layouts for attachments, and give them
//! up in `GENERAL`.
//!
//! Invariant: an image is *at rest* between lists, in the layout that its descriptors state. A list assumes this when it begins and
//! restores it when it ends. So lists may be recorded at the same time, and executed in any order, any number of times.
//!
//! These stay in `GENERAL` on every device:
//!
//! - Textures that are no targets. Drivers have nothing beside their texels (Mesa's drivers for AMD and Intel look at the usage), and
//!   transitions would make uploads wait for each other.
//! - Images for simultaneous access. Queues use them at the same time without barriers.
//! - Images that lie in rows. The CPU writes and reads them.
//! - Sparse images. Their tiles may be another image's, too.
//! - Images of shading rates, and depth whose samples lie where lists put them: transitions would have to say where.
//! - Images with planes of colour. Vulkan's barriers take all planes at once, and the API's do not.

use ash::vk;

use crate::image::{SPARSE, Shape};
use crate::settings::Layouts;

/// What a subresource of an image is ready for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Use {
    /// Shaders, and tests of depth and stencil that write nothing: every list begins and ends so.
    #[default]
    Rest,
    /// Rendering that writes.
    Target,
    /// Copies and resolves that read.
    Source,
    /// Copies and resolves that write.
    Destination,
    /// Copies that read and write the same subresource.
    Copy,
}

/// Which layout each use of an image has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Discipline {
    /// `GENERAL` for all uses.
    #[default]
    General,
    /// A colour target that shaders read.
    Colour,
    /// A colour target that shaders do not see.
    HiddenColour,
    /// A colour target that shaders read and write: `GENERAL` but for rendering.
    Stored,
    /// A depth or stencil target that shaders read.
    Depth,
    /// A depth or stencil target that shaders do not see.
    HiddenDepth,
}

impl Discipline {
    /// The discipline of images of a shape. `separate`: depth and stencil have layouts of their own
    /// (`separateDepthStencilLayouts`, which every device with Vulkan 1.2 has).
    pub fn new(layouts: Layouts, shape: &Shape, separate: bool) -> Discipline {
        type Usage = vk::ImageUsageFlags;
        let both = vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
        let has = |usage: Usage| shape.usage.contains(usage);
        let fixed = layouts == Layouts::Unified
            || shape.simultaneous
            || shape.outside
            || shape.tiling == vk::ImageTiling::LINEAR
            || shape.flags.intersects(SPARSE | vk::ImageCreateFlags::SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_EXT)
            || has(Usage::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR)
            || shape.aspects.intersects(vk::ImageAspectFlags::PLANE_0 | vk::ImageAspectFlags::PLANE_1)
            || shape.aspects.contains(both) && !separate;
        match (has(Usage::COLOR_ATTACHMENT), has(Usage::DEPTH_STENCIL_ATTACHMENT), has(Usage::SAMPLED)) {
            _ if fixed => Discipline::General,
            (true, _, _) if has(Usage::STORAGE) => Discipline::Stored,
            (true, _, true) => Discipline::Colour,
            (true, _, false) => Discipline::HiddenColour,
            (_, true, true) => Discipline::Depth,
            (_, true, false) => Discipline::HiddenDepth,
            _ => Discipline::General,
        }
    }

    /// The layout of a use.
    pub fn layout(self, of: Use) -> vk::ImageLayout {
        type Layout = vk::ImageLayout;
        match (self, of) {
            (Discipline::General, _) | (_, Use::Copy) => Layout::GENERAL,
            (Discipline::Stored, Use::Rest | Use::Source | Use::Destination) => Layout::GENERAL,
            (Discipline::Colour, Use::Rest) => Layout::SHADER_READ_ONLY_OPTIMAL,
            (Discipline::Depth, Use::Rest) => Layout::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
            (Discipline::Colour | Discipline::Stored, Use::Target) => Layout::COLOR_ATTACHMENT_OPTIMAL,
            (Discipline::HiddenColour, Use::Rest | Use::Target) => Layout::COLOR_ATTACHMENT_OPTIMAL,
            (Discipline::Depth, Use::Target) => Layout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            (Discipline::HiddenDepth, Use::Rest | Use::Target) => Layout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            (_, Use::Source) => Layout::TRANSFER_SRC_OPTIMAL,
            (_, Use::Destination) => Layout::TRANSFER_DST_OPTIMAL,
        }
    }

    /// Whether uses differ in their layouts, so that lists track them.
    #[inline]
    pub fn is_tracked(self) -> bool {
        self != Discipline::General
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Usage = vk::ImageUsageFlags;
    type Layout = vk::ImageLayout;

    const COLOUR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
    const DEPTH: vk::ImageAspectFlags = vk::ImageAspectFlags::DEPTH;

    fn shape(aspects: vk::ImageAspectFlags, usage: Usage) -> Shape {
        let tiling = vk::ImageTiling::OPTIMAL;
        Shape { aspects, usage: usage | Usage::TRANSFER_SRC | Usage::TRANSFER_DST, tiling, ..Shape::default() }
    }

    #[test]
    fn uses_have_their_layouts() {
        use Use::{Copy, Destination, Rest, Source, Target};
        let (both, hidden) = (Usage::COLOR_ATTACHMENT | Usage::SAMPLED, Usage::COLOR_ATTACHMENT);
        let tests = Usage::DEPTH_STENCIL_ATTACHMENT;
        let (read, write) = (Layout::DEPTH_STENCIL_READ_ONLY_OPTIMAL, Layout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
        let (from, to, drawn) =
            (Layout::TRANSFER_SRC_OPTIMAL, Layout::TRANSFER_DST_OPTIMAL, Layout::COLOR_ATTACHMENT_OPTIMAL);
        let general = Layout::GENERAL;
        for (aspects, usage, expected) in [
            (COLOUR, both, [Layout::SHADER_READ_ONLY_OPTIMAL, drawn, from, to, general]),
            (COLOUR, hidden, [drawn, drawn, from, to, general]),
            (COLOUR, both | Usage::STORAGE, [general, drawn, general, general, general]),
            (DEPTH, tests | Usage::SAMPLED, [read, write, from, to, general]),
            (DEPTH, tests, [write, write, from, to, general]),
            (COLOUR, Usage::SAMPLED, [general; 5]),
            (COLOUR, Usage::SAMPLED | Usage::STORAGE, [general; 5]),
        ] {
            let shape = shape(aspects, usage);
            let given = Discipline::new(Layouts::Tracked, &shape, true);
            let layouts = [Rest, Target, Source, Destination, Copy].map(|of| given.layout(of));
            assert_eq!(layouts, expected, "{aspects:?} {usage:?}");
            assert_eq!(given.is_tracked(), expected != [general; 5]);
            let unified = Discipline::new(Layouts::Unified, &shape, true);
            assert!(!unified.is_tracked(), "{aspects:?} {usage:?}");
        }
    }

    #[test]
    fn some_targets_stay_general() {
        let target = shape(COLOUR, Usage::COLOR_ATTACHMENT | Usage::SAMPLED);
        let both = shape(DEPTH | vk::ImageAspectFlags::STENCIL, Usage::DEPTH_STENCIL_ATTACHMENT);
        let planes = vk::ImageAspectFlags::PLANE_0 | vk::ImageAspectFlags::PLANE_1;
        for (shape, separate, tracked) in [
            (target, true, true),
            (target, false, true),
            (Shape { simultaneous: true, ..target }, true, false),
            (Shape { tiling: vk::ImageTiling::LINEAR, ..target }, true, false),
            (Shape { flags: SPARSE, ..target }, true, false),
            (Shape { flags: vk::ImageCreateFlags::ALIAS, ..target }, true, true),
            (Shape { aspects: planes, ..target }, true, false),
            (Shape { usage: target.usage | Usage::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR, ..target }, true, false),
            (Shape { flags: vk::ImageCreateFlags::SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_EXT, ..both }, true, false),
            (both, true, true),
            (both, false, false),
        ] {
            assert_eq!(Discipline::new(Layouts::Tracked, &shape, separate).is_tracked(), tracked, "{shape:?}");
        }
    }
}
