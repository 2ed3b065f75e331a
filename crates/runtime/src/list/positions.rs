//! Positions of samples that a list sets, in place of the usual ones.
//!
//! Pipelines are made for either, so a list that sets positions draws with variants of its pipeline states.

use core::ffi::c_void;

use reprise_com::Slots;
use reprise_d3d12::types::D3D12_SAMPLE_POSITION;
use reprise_gpu::encoder::Dirty;

use crate::list::array::array;
use crate::list::position_state::{MOST, Pattern};
use crate::list::recording::Recording;

/// Methods about positions of samples.
pub(super) const LIST_METHODS: &Slots = &[("SetSamplePositions", set as *const c_void)];

impl Recording {
    fn set_positions(&mut self, pattern: Option<Pattern>) {
        if self.bound.positions != pattern {
            // Some devices want one pattern for all that is rendered at once.
            self.encoder.outside();
            self.bound.positions = pattern;
            self.encoder.dirty.set(Dirty::POSITIONS.or(Dirty::TARGETS));
        }
    }

    /// Tells Vulkan the positions, for a pipeline that takes them.
    pub(super) fn flush_positions(&mut self) {
        let placed = self.bound.attachments.formats.placed;
        let functions = self.encoder.logical.ext.sample_locations.as_ref();
        if let Some((pattern, functions)) = self.bound.positions.as_ref().filter(|_| placed).zip(functions) {
            // SAFETY: the command buffer is being recorded; the device has such patterns.
            pattern.tell(|info| unsafe { functions.cmd_set_sample_locations(self.encoder.buffer, info) });
        }
    }
}

unsafe extern "C" fn set(this: *mut c_void, samples: u32, pixels: u32, positions: *const D3D12_SAMPLE_POSITION) {
    // SAFETY: a list of ours; the program gives so many positions, or null.
    unsafe {
        Recording::on_list(this, |list| {
            let count = if positions.is_null() { 0 } else { samples.saturating_mul(pixels) };
            let given = array(positions, if count as usize > MOST { 0 } else { count });
            let pattern = Pattern::new(samples, pixels, given, &list.encoder.device.caps.positions)?;
            list.set_positions(pattern);
            Ok(())
        });
    }
}
