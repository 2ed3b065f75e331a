//! Labels: names that debuggers of Vulkan show.
//!
//! Invariant: a list ends the labels that it began, and no others.

use std::ffi::CStr;

use ash::vk;

use crate::encoder::Encoder;

fn label(name: &CStr, color: [f32; 4]) -> vk::DebugUtilsLabelEXT<'_> {
    vk::DebugUtilsLabelEXT::default().label_name(name).color(color)
}

impl Encoder {
    /// Names this place. No effect where no debugger listens.
    pub fn insert_label(&mut self, name: &CStr, color: [f32; 4]) {
        let Some(extension) = &self.logical.ext.debug_utils else { return };
        // SAFETY: the command buffer is being recorded; the name lives until the call returns.
        unsafe { extension.cmd_insert_debug_utils_label(self.buffer, &label(name, color)) };
    }

    /// Names what follows, until [`Encoder::end_label`].
    pub fn begin_label(&mut self, name: &CStr, color: [f32; 4]) {
        let Some(extension) = &self.logical.ext.debug_utils else { return };
        self.labels += 1;
        // SAFETY: the command buffer is being recorded; the name lives until the call returns.
        unsafe { extension.cmd_begin_debug_utils_label(self.buffer, &label(name, color)) };
    }

    /// Ends the innermost label, if one has begun.
    pub fn end_label(&mut self) {
        if let (Some(extension), 1..) = (&self.logical.ext.debug_utils, self.labels) {
            self.labels -= 1;
            // SAFETY: a label has begun in this command buffer.
            unsafe { extension.cmd_end_debug_utils_label(self.buffer) };
        }
    }

    /// Ends all labels: the list ends.
    pub fn end_labels(&mut self) {
        while self.labels != 0 {
            self.end_label();
        }
    }
}
