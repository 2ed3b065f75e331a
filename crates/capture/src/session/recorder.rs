//! A thread's recorder: its ring, and memory that its calls use again.

use reprise_codec::{Arena, BlobSink};
use reprise_trace::ring::Producer;

/// A thread's recorder. Each call stores to it, so nothing of others lies in its cache lines, nor in those beside them, which
/// some processors fetch along.
#[repr(align(128))]
pub(crate) struct Recorder {
    pub(crate) producer: Producer,
    /// Number of the last blob that this thread wrote.
    blobs: u32,
    /// Copies with objects unwrapped; calls within calls rewind to their own mark.
    pub(crate) arena: Arena,
    /// Buffers for payloads, kept between calls; a call within a call takes another.
    buffers: Vec<Vec<u8>>,
}

/// Buffers that grew beyond this many bytes are given back to the system.
const KEEP: usize = 1 << 20;

impl Recorder {
    /// A recorder that writes to a ring.
    pub(crate) fn new(producer: Producer) -> Recorder {
        Recorder { producer, blobs: 0, arena: Arena::new(), buffers: Vec::new() }
    }

    /// An empty buffer.
    pub(crate) fn take_buffer(&mut self) -> Vec<u8> {
        self.buffers.pop().unwrap_or_else(|| Vec::with_capacity(4096))
    }

    /// Keeps a buffer for the next call.
    pub(crate) fn keep_buffer(&mut self, mut buffer: Vec<u8>) {
        if buffer.capacity() <= KEEP {
            buffer.clear();
            self.buffers.push(buffer);
        }
    }
}

/// Writes blobs into the thread's ring as an encoder meets them.
pub(crate) struct Blobs(pub(crate) *mut Recorder);

impl BlobSink for Blobs {
    fn blob(&mut self, bytes: &[u8]) -> u32 {
        // SAFETY: the pointer is this thread's recorder, and no reference to it lives while an encoder runs.
        let recorder = unsafe { &mut *self.0 };
        recorder.blobs = recorder.blobs.wrapping_add(1);
        let number = recorder.blobs;
        recorder.producer.blob(number, bytes);
        number
    }
}
