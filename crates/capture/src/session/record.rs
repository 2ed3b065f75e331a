//! Records that are not calls: facts, gaps, frames, observed fences.

use crate::session::{thread, words};
use reprise_trace::record::{GapReason, Kind, SEQUENCE};

/// Writes a record into this thread's ring; nothing where the thread does not record.
pub(crate) fn write(kind: Kind, flags: u8, object: u32, ordinal: u32, pieces: &[&[u8]]) {
    let recorder = thread::recorder(words::words());
    if !recorder.is_null() {
        // SAFETY: the recorder is this thread's, and no reference to it lives here.
        unsafe { (*recorder).producer.record(kind, 0, flags, object, ordinal, pieces) };
    }
}

/// Something could not be recorded.
#[cold]
pub(crate) fn gap(object: u32, text: &str) {
    write(Kind::Gap, SEQUENCE, object, 0, &[&(GapReason::Capture as u64).to_le_bytes(), text.as_bytes()]);
}

/// Something that the program did not ask; `kind` as in [`reprise_trace::fact`].
pub(crate) fn fact(object: u32, kind: u32, bytes: &[u8]) {
    write(Kind::Fact, SEQUENCE, object, 0, &[&u64::from(kind).to_le_bytes(), bytes]);
}

/// A fence was seen at `value`.
pub(crate) fn observe(fence: u32, value: u64) {
    write(Kind::Observe, SEQUENCE, fence, 0, &[&value.to_le_bytes()]);
}
