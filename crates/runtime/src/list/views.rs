//! View instances: a draw is recorded once for each view, with the pipeline that is made for it.
//!
//! Invariant: while a pipeline state with views is bound, `Dirty::VIEWS` is set, so that draws of all others need not ask.

use core::ffi::c_void;

use ash::vk;
use reprise_com::Slots;

use crate::Result;
use crate::list::command::Command;
use crate::list::recording::Recording;

/// Methods about view instances.
pub(super) const LIST_METHODS: &Slots = &[("SetViewInstanceMask", set_mask as *const c_void)];

/// How often a draw is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draws {
    /// There are no views.
    Once,
    /// For each view that the mask leaves.
    ByView,
}

impl Draws {
    /// Records a draw, after a flush.
    #[inline(always)]
    pub(super) fn times(self, list: &mut Recording, draw: impl Fn(&Recording)) -> Result<()> {
        match self {
            Draws::Once => {
                draw(list);
                Ok(())
            }
            Draws::ByView => list.draw_views(&draw),
        }
    }
}

impl Recording {
    #[cold]
    fn draw_views(&mut self, draw: &dyn Fn(&Recording)) -> Result<()> {
        for view in self.views_drawn() {
            self.bind_view(view)?;
            draw(self);
        }
        Ok(())
    }

    /// The views that the bound pipeline state draws; one where it has none.
    pub(super) fn views_drawn(&self) -> impl Iterator<Item = usize> + use<> {
        let graphics = self.bound.pipeline.as_ref().and_then(|pipeline| pipeline.graphics.as_ref());
        graphics.map(|graphics| graphics.views).unwrap_or_default().drawn(self.bound.view_mask)
    }

    /// Binds the pipeline for a view of the bound pipeline state, after a flush.
    pub(super) fn bind_view(&mut self, view: usize) -> Result<()> {
        let Some(graphics) = self.bound.pipeline.as_ref().and_then(|pipeline| pipeline.graphics.as_ref()) else {
            return Ok(());
        };
        if !graphics.views.any() {
            return Ok(());
        }
        let streams = graphics.stream_output != 0;
        self.with_pipeline(vk::PipelineBindPoint::GRAPHICS, |list, pipeline| {
            let vulkan = pipeline.for_targets(&list.bound.attachments.formats, view)?;
            if vulkan == list.bound.vulkan {
                return Ok(());
            }
            list.encoder.end_streaming();
            // SAFETY: the recording keeps the pipeline state, which keeps its pipelines.
            unsafe {
                let point = vk::PipelineBindPoint::GRAPHICS;
                list.encoder.logical.vk.cmd_bind_pipeline(list.encoder.buffer, point, vulkan);
            }
            list.bound.vulkan = vulkan;
            if streams {
                list.encoder.begin_streaming();
            }
            Ok(())
        })
    }
}

unsafe extern "C" fn set_mask(this: *mut c_void, mask: u32) {
    // SAFETY: a list of ours.
    unsafe { Recording::command(this, Command::ViewMask(mask)) };
}
