//! Stream output: the buffers that vertices go to.

use core::ffi::c_void;

use reprise_com::Slots;
use reprise_d3d12::types::D3D12_STREAM_OUTPUT_BUFFER_VIEW;
use reprise_gpu::encoder::{STREAM_TARGETS, StreamTarget};
use reprise_log::warning_once;

use crate::list::array::array;
use crate::list::recording::Recording;
use crate::{Error, Result};

/// Methods about stream output.
pub(super) const LIST_METHODS: &Slots = &[("SOSetTargets", set_targets as *const c_void)];

impl Recording {
    fn set_stream_targets(&mut self, first: u32, count: u32, views: &[D3D12_STREAM_OUTPUT_BUFFER_VIEW]) -> Result<()> {
        self.encoder.change_stream_targets();
        for at in first as usize..(first as usize).saturating_add(count as usize) {
            if at >= STREAM_TARGETS {
                return Err(Error::Call("SOSetTargets: a target that the API does not have"));
            }
            let view = views.get(at - first as usize).filter(|view| view.BufferLocation != 0 && view.SizeInBytes != 0);
            let words = |address: u64| match address.is_multiple_of(4) {
                true => Ok(self.encoder.addresses.find(address).filter(|_| address != 0)),
                false => Err(Error::Call("SOSetTargets: a buffer or a filled size that begins within a word")),
            };
            let place = words(view.map_or(0, |view| view.BufferLocation))?;
            let counter = words(view.map_or(0, |view| view.BufferFilledSizeLocation))?;
            if counter.is_some_and(|counter| counter.left < 4) {
                return Err(Error::Call("SOSetTargets: a filled size that leaves its buffer"));
            }
            let named = |view: &D3D12_STREAM_OUTPUT_BUFFER_VIEW| {
                place.is_none() || counter.is_none() && view.BufferFilledSizeLocation != 0
            };
            if view.is_some_and(named) {
                warning_once(
                    "a command list treats as null",
                    "a stream output buffer at an address without a resource",
                );
            }
            let bytes = place.zip(view).map(|(place, view)| (place, view.SizeInBytes.min(place.left) & !3));
            self.encoder.set_stream_target(at, &StreamTarget { bytes, counter });
        }
        Ok(())
    }
}

unsafe extern "C" fn set_targets(
    this: *mut c_void,
    first: u32,
    count: u32,
    views: *const D3D12_STREAM_OUTPUT_BUFFER_VIEW,
) {
    // SAFETY: a list of ours, the program's array.
    unsafe { Recording::on_list(this, |list| list.set_stream_targets(first, count, array(views, count))) };
}
