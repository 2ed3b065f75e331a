//! Clears of whole attachments, which wait. Rendering that begins with such an attachment clears it as it begins, for next to nothing. Performed by
//! itself, a clear is rendering of its own, with a barrier before it.
//!
//! Invariants: clears wait outside of rendering only, and whatever is recorded outside of rendering performs them first, transitions of their images
//! among it. All views of an image that wait to be cleared are one, so clears of the same texels stay in order.

use ash::vk;

use super::Encoder;
use crate::scope::{Gathered, Scope};

/// A clear of a whole view.
#[derive(Clone, Copy)]
pub struct Clear {
    /// Of attachments: one level, and some layers.
    pub view: vk::ImageView,
    /// What it is a view of.
    pub image: vk::Image,
    /// In which rendering finds the image.
    pub layout: vk::ImageLayout,
    /// Texels of the view.
    pub extent: vk::Extent2D,
    /// Layers of the view.
    pub layers: u32,
    /// What colour, depth and stencil become.
    pub values: [Option<vk::ClearValue>; 3],
}

/// The aspect that an attachment shows, as the place of its value in [`Clear::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// Of colour attachments.
    Colour,
    /// Of depth attachments.
    Depth,
    /// Of stencil attachments.
    Stencil,
}

impl Encoder {
    /// Clears a view, behind the transitions that wait. Rendering has ended.
    pub fn clear_attachments(&mut self, clear: Clear) {
        // A transition of what waits to be cleared comes behind its clear, and so does a clear by another view.
        let by_another_view =
            |other: &Clear| other.image == clear.image && (other.view, other.layout) != (clear.view, clear.layout);
        if self.clears.iter().any(|other| self.changes(other) || by_another_view(other)) {
            self.perform_clears();
        }
        if !self.layouts.waiting.is_empty() {
            self.transition(None);
        }
        let same = |other: &&mut Clear| (other.view, other.layout) == (clear.view, clear.layout);
        match self.clears.iter_mut().find(same) {
            Some(other) => {
                for (value, new) in other.values.iter_mut().zip(clear.values) {
                    *value = new.or(*value);
                }
            }
            None => self.clears.push(clear),
        }
    }

    /// Whether any clear waits.
    #[inline]
    pub fn has_clears(&self) -> bool {
        !self.clears.is_empty()
    }

    /// What an attachment is cleared to as rendering begins, of so many texels and layers: the clear waits no longer. `None`: nothing waits
    /// that is as large as the rendering.
    pub fn take_clear(
        &mut self,
        (view, aspect, layout): (vk::ImageView, Aspect, vk::ImageLayout),
        (extent, layers): (vk::Extent2D, u32),
    ) -> Option<vk::ClearValue> {
        let wanted = (view, layout, extent, layers);
        let is_wanted = |it: &Clear| (it.view, it.layout, it.extent, it.layers) == wanted && !self.changes(it);
        let at = self.clears.iter().position(is_wanted)?;
        let value = self.clears[at].values[aspect as usize].take()?;
        if self.clears[at].values.iter().all(Option::is_none) {
            self.clears.remove(at);
        }
        Some(value)
    }

    /// Whether a transition waits of what a clear clears.
    fn changes(&self, clear: &Clear) -> bool {
        self.layouts.waiting.iter().any(|barrier| barrier.image == clear.image)
    }

    /// Performs what waits, in order, before the transitions that wait.
    #[cold]
    pub(super) fn perform_clears(&mut self) {
        for clear in core::mem::take(&mut self.clears) {
            // Attachments need no barrier of the program between a clear and what was drawn before.
            let attachments = Gathered { before: Scope::ATTACHMENTS, after: Scope::ATTACHMENTS }.barrier(self.role);
            self.record(attachments, &[]);
            let attachment = |value: Option<vk::ClearValue>| {
                vk::RenderingAttachmentInfo::default()
                    .image_view(clear.view)
                    .image_layout(clear.layout)
                    .load_op(vk::AttachmentLoadOp::CLEAR)
                    .store_op(vk::AttachmentStoreOp::STORE)
                    .clear_value(value.unwrap_or_default())
            };
            let [colour, depth, stencil] = clear.values.map(attachment);
            let colours = [colour];
            let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: clear.extent };
            let mut info = vk::RenderingInfo::default().render_area(area).layer_count(clear.layers);
            if clear.values[Aspect::Colour as usize].is_some() {
                info = info.color_attachments(&colours);
            }
            if clear.values[Aspect::Depth as usize].is_some() {
                info = info.depth_attachment(&depth);
            }
            if clear.values[Aspect::Stencil as usize].is_some() {
                info = info.stencil_attachment(&stencil);
            }
            // SAFETY: the view is of a resource that the recording keeps; the structures live until the calls return.
            unsafe {
                self.logical.vk.cmd_begin_rendering(self.buffer, &info);
                self.logical.vk.cmd_end_rendering(self.buffer);
            }
        }
    }
}
