//! Stream output: targets, and the part of rendering in which vertices go to them.
//!
//! How much of a buffer is filled is a number in memory, read where a part begins and written where it ends. Invariant:
//! vertices go to the targets during draws of pipelines that have stream output, and during no others.

use core::ffi::c_void;

use ash::vk;
use reprise_com::Slots;
use reprise_d3d12::types::{D3D12_RESOURCE_STATES as States, D3D12_STREAM_OUTPUT_BUFFER_VIEW};

use crate::list::barrier::scope;
use crate::list::clear::array;
use crate::list::recording::Recording;
use crate::list::state::Dirty;
use crate::{Error, Result};
use reprise_gpu::scope::Gathered;

/// Methods about stream output.
pub(super) const LIST_METHODS: &Slots = &[("SOSetTargets", set_targets as *const c_void)];

/// Targets.
const TARGETS: usize = 4;

/// Targets and whether vertices go there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StreamOutput {
    /// The first `count` may be bound; null where nothing is.
    buffers: [vk::Buffer; TARGETS],
    offsets: [u64; TARGETS],
    sizes: [u64; TARGETS],
    /// Where the filled sizes are; null where nobody wants to know.
    counters: [vk::Buffer; TARGETS],
    counter_offsets: [u64; TARGETS],
    /// Vertices go to the targets now.
    pub(super) active: bool,
    /// They went there before, in this list.
    written: bool,
}

impl StreamOutput {
    /// How many targets there are up to the last one that is bound.
    fn count(&self) -> usize {
        self.buffers.iter().rposition(|buffer| *buffer != vk::Buffer::null()).map_or(0, |last| last + 1)
    }
}

impl Recording {
    fn set_stream_targets(&mut self, first: u32, count: u32, views: &[D3D12_STREAM_OUTPUT_BUFFER_VIEW]) -> Result<()> {
        self.end_streaming();
        self.state.dirty.set(Dirty::STREAM);
        for at in first as usize..(first as usize).saturating_add(count as usize) {
            if at >= TARGETS {
                return Err(Error::Invalid("SOSetTargets: there are four targets"));
            }
            let view = views.get(at - first as usize).filter(|view| view.BufferLocation != 0 && view.SizeInBytes != 0);
            let find = |address: u64| match address {
                0 => Ok(None),
                _ => self
                    .device
                    .memory
                    .addresses()
                    .find(address)
                    .map(Some)
                    .ok_or(Error::Invalid("SOSetTargets: no buffer")),
            };
            let place = find(view.map_or(0, |view| view.BufferLocation))?;
            let counter = find(view.map_or(0, |view| view.BufferFilledSizeLocation))?;
            let stream = &mut self.state.stream;
            stream.buffers[at] = place.map_or(vk::Buffer::null(), |place| place.buffer);
            stream.offsets[at] = place.map_or(0, |place| place.offset);
            stream.sizes[at] = place.zip(view).map_or(0, |(place, view)| view.SizeInBytes.min(place.left) & !3);
            stream.counters[at] = counter.map_or(vk::Buffer::null(), |place| place.buffer);
            stream.counter_offsets[at] = counter.map_or(0, |place| place.offset);
        }
        Ok(())
    }

    /// Before a draw with stream output: what it needs outside of rendering. Nothing to do for draws in a row.
    pub(super) fn prepare_streaming(&mut self) -> Result<()> {
        if self.state.stream.active {
            return Ok(());
        }
        if self.device.ext.transform_feedback.is_none() {
            return Err(Error::Unsupported("stream output without VK_EXT_transform_feedback"));
        }
        if self.state.stream.written {
            // The API asks for no barrier between draws: filled sizes are read again.
            let stream = scope(States::STREAM_OUT);
            self.outside();
            self.barriers(&Gathered { before: stream, after: stream });
        }
        Ok(())
    }

    /// Inside of rendering: from now on vertices go to the targets.
    pub(super) fn begin_streaming(&mut self) {
        let stream = &mut self.state.stream;
        let count = stream.count();
        // Without targets nothing is written.
        let Some(extension) = self.device.ext.transform_feedback.as_ref().filter(|_| count != 0 && !stream.active)
        else {
            return;
        };
        (stream.active, stream.written) = (true, true);
        let mut first = 0;
        while first < count {
            let run = stream.buffers[first..count].iter().take_while(|buffer| **buffer != vk::Buffer::null()).count();
            if run != 0 {
                // SAFETY: the program keeps its buffers; the ranges lie inside of them.
                unsafe {
                    (extension.fp().cmd_bind_transform_feedback_buffers_ext)(
                        self.buffer,
                        first as u32,
                        run as u32,
                        stream.buffers[first..].as_ptr(),
                        stream.offsets[first..].as_ptr(),
                        stream.sizes[first..].as_ptr(),
                    );
                }
            }
            first += run + 1;
        }
        let (counters, offsets) = (stream.counters.as_ptr(), stream.counter_offsets.as_ptr());
        // SAFETY: as above; counters may be null.
        unsafe {
            (extension.fp().cmd_begin_transform_feedback_ext)(self.buffer, 0, count as u32, counters, offsets);
        }
    }

    /// From now on vertices go nowhere.
    pub(super) fn end_streaming(&mut self) {
        let stream = &mut self.state.stream;
        if let Some(extension) = self.device.ext.transform_feedback.as_ref().filter(|_| stream.active) {
            stream.active = false;
            let (count, counters) = (stream.count() as u32, stream.counters.as_ptr());
            // SAFETY: as above; transform feedback is active.
            unsafe {
                (extension.fp().cmd_end_transform_feedback_ext)(
                    self.buffer,
                    0,
                    count,
                    counters,
                    stream.counter_offsets.as_ptr(),
                );
            }
        }
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
