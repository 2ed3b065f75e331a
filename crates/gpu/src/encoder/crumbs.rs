//! Breadcrumbs: words that the GPU writes before and behind operations ([`crate::progress`]).
//!
//! With `VK_AMD_buffer_marker` they cost no barrier. Without it they are a copy before each operation, behind a barrier for all that was
//! recorded before: a driver may copy before it draws what came earlier (lavapipe does). So operations do not overlap there, and rendering
//! ends before each of them.

use ash::vk;

use crate::encoder::Encoder;
use crate::progress::Words;
use crate::scope::{Gathered, Scope};

impl Encoder {
    /// The operation of this number follows. Numbers rise.
    pub fn begin_crumb(&mut self, words: &Words, number: u32) {
        match self.logical.ext.buffer_marker.is_some() {
            true => self.marker(words, vk::PipelineStageFlags::TOP_OF_PIPE, 0, number),
            false => self.copy_crumbs(words, [number, number - 1]),
        }
    }

    /// The operation of this number is recorded.
    pub fn end_crumb(&mut self, words: &Words, number: u32) {
        self.marker(words, vk::PipelineStageFlags::BOTTOM_OF_PIPE, 4, number);
    }

    /// No operation follows the one of this number.
    pub fn last_crumb(&mut self, words: &Words, number: u32) {
        if self.logical.ext.buffer_marker.is_none() {
            self.copy_crumbs(words, [number; 2]);
        }
    }

    fn marker(&mut self, words: &Words, stage: vk::PipelineStageFlags, offset: u64, value: u32) {
        let Some(marker) = &self.logical.ext.buffer_marker else { return };
        let write = marker.fp().cmd_write_buffer_marker_amd;
        // Builds are recorded together with later ones.
        self.end_builds();
        let (buffer, place) = words.place();
        // SAFETY: the word lies inside of the buffer, which the recording keeps; rendering may be under way.
        unsafe { write(self.buffer, stage, buffer, place + offset, value) };
    }

    fn copy_crumbs(&mut self, words: &Words, values: [u32; 2]) {
        self.outside();
        self.end_builds();
        self.barriers(&Gathered { before: Scope::ALL, after: Scope::ALL });
        let (buffer, place) = words.place();
        let [begun, done] = values.map(u32::to_le_bytes);
        let bytes = [begun, done].concat();
        // SAFETY: the words lie inside of the buffer, which the recording keeps; rendering has ended.
        unsafe { self.logical.vk.cmd_update_buffer(self.buffer, buffer, place, &bytes) };
    }
}
