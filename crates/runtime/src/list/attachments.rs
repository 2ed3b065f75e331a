//! What a draw renders to: of the bound targets those that its pipeline can have, and the pipeline's formats for them. Pure.
//!
//! A program may draw to targets of other samples or formats than its pipeline state's. The API leaves the result open, Vulkan
//! forbids the draw, and an NVIDIA GPU stops for good. Drivers of the API go by the targets, so the draw gets a pipeline for them.
//! Invariants: all targets that are bound have one number of samples, which is the pipeline's; each has the pipeline's format.

use ash::vk;
use reprise_gpu::descriptor::record::Target;

use crate::list::fixed_state::TARGETS;
use crate::pipeline::{Formats, Graphics};

/// Whether a format has depth, and stencil.
pub(super) fn aspects(format: vk::Format) -> (bool, bool) {
    use vk::Format as F;
    match format {
        F::D16_UNORM | F::D32_SFLOAT | F::X8_D24_UNORM_PACK32 => (true, false),
        F::D24_UNORM_S8_UINT | F::D32_SFLOAT_S8_UINT | F::D16_UNORM_S8_UINT => (true, true),
        F::S8_UINT => (false, true),
        _ => (false, false),
    }
}

/// What rendering begins with. Draws that need another one need rendering to begin again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Attachments {
    /// The formats that the pipeline is made for.
    pub(super) formats: Formats,
    /// Colour targets that are bound, one bit each.
    pub(super) colours: u32,
    /// Whether depth and stencil are bound.
    pub(super) tests: [bool; 2],
    /// What all targets have, in texels; what the device has at most without any.
    pub(super) extent: vk::Extent2D,
    /// Layers that all targets have.
    pub(super) layers: u32,
    /// Whether depth and stencil are written, where layouts are tracked: what only is tested keeps the layout that shaders read it
    /// in. Neither where they are not.
    pub(super) writes: [bool; 2],
}

/// What of a pipeline state decides on what it renders to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    formats: Formats,
    written: u32,
    tests: [bool; 2],
    any_depth: bool,
}

impl Wanted {
    /// Of a pipeline state.
    pub(super) fn of(graphics: &Graphics) -> Wanted {
        let Graphics { formats, written, tests, any_depth, .. } = *graphics;
        Wanted { formats, written, tests, any_depth }
    }

    /// Whether a pipeline state renders to the same of any targets.
    pub(super) fn is_of(&self, graphics: &Graphics) -> bool {
        self.formats == graphics.formats
            && (self.written, self.tests, self.any_depth) == (graphics.written, graphics.tests, graphics.any_depth)
    }
}

/// Why a draw does not render to the bound targets with its pipeline state's own pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// Other samples than the pipeline state's.
    Samples,
    /// Another format than the pipeline state's.
    Format,
    /// A target has other samples than the first one.
    Mixed,
}

impl Misfit {
    /// What is said of it.
    pub(super) fn text(self) -> &'static str {
        match self {
            Misfit::Samples => {
                "a draw to targets of another number of samples than its pipeline state's: they get a pipeline of their own"
            }
            Misfit::Format => {
                "a draw to a target of another format than its pipeline state's: it gets a pipeline of its own"
            }
            Misfit::Mixed => {
                "a draw to targets that differ in their samples: it leaves out those that are not as the first"
            }
        }
    }
}

/// What a device asks of attachments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// A pipeline may have formats where no target is bound (`dynamicRenderingUnusedAttachments`).
    pub(super) unused: bool,
    /// Most texels of a rendering.
    pub(super) extent: vk::Extent2D,
    /// Most layers.
    pub(super) layers: u32,
}

impl Attachments {
    /// What a draw with a pipeline renders to, and what of it is not as the pipeline state says.
    pub(super) fn new(
        graphics: &Graphics,
        targets: &[Option<Target>; TARGETS],
        depth: Option<&Target>,
        rules: Rules,
    ) -> (Attachments, Option<Misfit>) {
        let own = &graphics.formats;
        let there = |target: &&Target| target.view != vk::ImageView::null();
        // Targets that the pipeline can write or test, whatever their format.
        let colour = |at: usize| {
            let target = targets[at].as_ref().filter(there)?;
            let format = own.colours[at];
            let written = graphics.written & 1 << at != 0;
            (format != vk::Format::UNDEFINED && (target.format == format || written)).then_some(target)
        };
        let depth = depth.filter(there).filter(|target| {
            let (has, wanted) = (aspects(target.format), [own.depth, own.stencil]);
            [has.0, has.1].into_iter().zip(wanted).zip(graphics.tests).any(|((has, format), tests)| {
                has && (format == target.format || tests && (format != vk::Format::UNDEFINED || graphics.any_depth))
            })
        });
        let mut used = (0..own.count.min(TARGETS)).filter_map(colour).chain(depth);
        let samples = match used.clone().any(|target| target.samples == own.samples.as_raw()) {
            true => own.samples,
            false => used.next().map_or(own.samples, |first| vk::SampleCountFlags::from_raw(first.samples)),
        };
        let mut misfit = (samples != own.samples).then_some(Misfit::Samples);
        let mut made = Attachments {
            formats: Formats { count: own.count, samples, middle: own.middle, ..Formats::default() },
            extent: rules.extent,
            layers: rules.layers,
            ..Attachments::default()
        };
        // A format without a target.
        let idle = |format: vk::Format| if rules.unused { format } else { vk::Format::UNDEFINED };
        for at in 0..own.count.min(TARGETS) {
            made.formats.colours[at] = idle(own.colours[at]);
            match colour(at) {
                Some(target) if target.samples == samples.as_raw() => {
                    made.formats.colours[at] = target.format;
                    made.colours |= 1 << at;
                    made.within(target);
                    misfit = misfit.or((target.format != own.colours[at]).then_some(Misfit::Format));
                }
                Some(_) => misfit = Some(Misfit::Mixed),
                None => {}
            }
        }
        (made.formats.depth, made.formats.stencil) = (idle(own.depth), idle(own.stencil));
        match depth {
            Some(target) if target.samples == samples.as_raw() => {
                let (has_depth, has_stencil) = aspects(target.format);
                let wants = |format: vk::Format| format != vk::Format::UNDEFINED || graphics.any_depth;
                made.tests = [has_depth && wants(own.depth), has_stencil && wants(own.stencil)];
                let formats = [&mut made.formats.depth, &mut made.formats.stencil];
                for ((format, bound), own) in formats.into_iter().zip(made.tests).zip([own.depth, own.stencil]) {
                    if bound {
                        misfit = misfit.or((target.format != own && !graphics.any_depth).then_some(Misfit::Format));
                        *format = target.format;
                    } else if *format != target.format {
                        // Both are one format where both are there.
                        *format = vk::Format::UNDEFINED;
                    }
                }
                made.within(target);
            }
            Some(_) => misfit = Some(Misfit::Mixed),
            None => {}
        }
        if made.colours == 0 && made.tests == [false; 2] {
            made.layers = 1;
        }
        (made, misfit)
    }

    fn within(&mut self, target: &Target) {
        self.extent.width = self.extent.width.min(target.width);
        self.extent.height = self.extent.height.min(target.height);
        self.layers = self.layers.min(target.layers.max(1));
    }
}

#[cfg(test)]
mod tests;
