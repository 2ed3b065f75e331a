//! Stream output: targets, and the part of rendering in which vertices go to them.
//!
//! How much of a buffer is filled is a number in memory, read where a part begins and written where it ends. Invariant:
//! vertices go to the targets between [`Encoder::begin_streaming`] and [`Encoder::end_streaming`], and at no other time.

use ash::vk;

use crate::address::Place;
use crate::encoder::Encoder;
use crate::encoder::dirty::Dirty;
use crate::error::{Error, Result};
use crate::scope::{Gathered, Scope};

/// Targets.
pub const TARGETS: usize = 4;

/// Targets, and whether vertices go there.
#[derive(Clone, Copy, Debug)]
pub struct StreamOutput {
    /// Null where nothing is bound.
    buffers: [vk::Buffer; TARGETS],
    offsets: [u64; TARGETS],
    sizes: [u64; TARGETS],
    /// Where the filled sizes are; null where the size is not wanted.
    counters: [vk::Buffer; TARGETS],
    counter_offsets: [u64; TARGETS],
    /// Vertices go to the targets now.
    active: bool,
    /// They went there before, in this list or perhaps in one before it.
    written: bool,
}

impl Default for StreamOutput {
    /// As a list begins: the one before may have filled the same targets.
    fn default() -> StreamOutput {
        StreamOutput {
            buffers: Default::default(),
            offsets: [0; TARGETS],
            sizes: [0; TARGETS],
            counters: Default::default(),
            counter_offsets: [0; TARGETS],
            active: false,
            written: true,
        }
    }
}

impl StreamOutput {
    /// How many targets there are up to the last one that is bound.
    fn count(&self) -> usize {
        self.buffers.iter().rposition(|buffer| *buffer != vk::Buffer::null()).map_or(0, |last| last + 1)
    }
}

/// A target: where its bytes begin, how many they are, and where the filled size lies.
#[derive(Clone, Copy, Debug, Default)]
pub struct StreamTarget {
    /// The bytes, and how many of them; `None` where nothing is bound.
    pub bytes: Option<(Place, u64)>,
    /// The filled size; `None` where the size is not wanted.
    pub counter: Option<Place>,
}

/// What draws write to stream targets, and read of their filled sizes.
pub const STREAM_SCOPE: Scope = Scope {
    stages: vk::PipelineStageFlags2::from_raw(
        vk::PipelineStageFlags2::TRANSFORM_FEEDBACK_EXT.as_raw() | vk::PipelineStageFlags2::DRAW_INDIRECT.as_raw(),
    ),
    access: vk::AccessFlags2::from_raw(
        vk::AccessFlags2::TRANSFORM_FEEDBACK_WRITE_EXT.as_raw()
            | vk::AccessFlags2::TRANSFORM_FEEDBACK_COUNTER_READ_EXT.as_raw()
            | vk::AccessFlags2::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT.as_raw(),
    ),
};

impl Encoder {
    /// Targets are about to change: from now on vertices go nowhere.
    pub fn change_stream_targets(&mut self) {
        self.end_streaming();
        self.dirty.set(Dirty::STREAM);
    }

    /// Sets a target; no effect beyond the last one.
    pub fn set_stream_target(&mut self, at: usize, target: &StreamTarget) {
        if at >= TARGETS {
            return;
        }
        let stream = &mut self.stream;
        let (buffer, offset, size) =
            target.bytes.map_or((vk::Buffer::null(), 0, 0), |(place, size)| (place.buffer, place.offset, size));
        (stream.buffers[at], stream.offsets[at], stream.sizes[at]) = (buffer, offset, size);
        let counter = target.counter.map_or((vk::Buffer::null(), 0), |place| (place.buffer, place.offset));
        (stream.counters[at], stream.counter_offsets[at]) = counter;
    }

    /// Whether vertices go to targets now.
    #[inline]
    pub fn is_streaming(&self) -> bool {
        self.stream.active
    }

    /// Before a draw with stream output: what it needs outside of rendering. Nothing to do for draws in a row.
    ///
    /// # Errors
    /// The device has no stream output.
    pub fn prepare_streaming(&mut self) -> Result<()> {
        if self.stream.active {
            return Ok(());
        }
        if self.logical.ext.transform_feedback.is_none() {
            return Err(Error::Unsupported("stream output without VK_EXT_transform_feedback"));
        }
        if self.stream.written {
            // The API asks for no barrier between draws: filled sizes are read again.
            self.outside();
            self.barriers(&Gathered { before: STREAM_SCOPE, after: STREAM_SCOPE });
        }
        Ok(())
    }

    /// Inside of rendering: from now on vertices go to the targets.
    pub fn begin_streaming(&mut self) {
        let stream = &mut self.stream;
        let count = stream.count();
        // Without targets nothing is written.
        let Some(extension) = self.logical.ext.transform_feedback.as_ref().filter(|_| count != 0 && !stream.active)
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
        // SAFETY: the program keeps its buffers; counters may be null; the arrays have `count` elements.
        unsafe {
            (extension.fp().cmd_begin_transform_feedback_ext)(self.buffer, 0, count as u32, counters, offsets);
        }
    }

    /// From now on vertices go nowhere.
    pub fn end_streaming(&mut self) {
        let stream = &mut self.stream;
        if let Some(extension) = self.logical.ext.transform_feedback.as_ref().filter(|_| stream.active) {
            stream.active = false;
            let (count, counters) = (stream.count() as u32, stream.counters.as_ptr());
            // SAFETY: transform feedback has begun in this command buffer with these targets; the program keeps its buffers.
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
