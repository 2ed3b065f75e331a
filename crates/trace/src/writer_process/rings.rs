//! The rings of a session that the writer has opened.

use crate::record::GapReason;
use crate::shared::session::{MAX_RINGS, Session};
use crate::trace_writer::Output;
use crate::writer_process::drain::Drain;

/// The text of the gap for a thread whose ring could not be made.
pub(crate) fn not_recorded(index: u32) -> String {
    format!(
        "thread {index} is not recorded: its ring could not be made, for a reason that the program's standard error says; what \
         it called is missing"
    )
}

/// Which rings of the session have been opened.
#[derive(Default)]
pub(crate) struct RingTable {
    /// How many there were at the last look.
    count: u32,
    /// By place: the smallest ring number that was not opened there yet.
    next: Vec<u32>,
}

impl RingTable {
    /// Opens new rings. `last`: also those that were made and not counted, by a thread that was killed between the two.
    pub(crate) fn open_new<O: Output>(&mut self, session: &Session, drain: &mut Drain<O>, last: bool) {
        let count = session.ring_count();
        if count == self.count && !last {
            return;
        }
        self.count = count;
        self.next.resize(MAX_RINGS as usize, 0);
        for index in session.failed_rings() {
            if self.is_new(index) {
                drain.file().lose(None, GapReason::Capture, &not_recorded(index));
            }
        }
        for index in session.rings() {
            if !self.is_new(index) {
                continue;
            }
            match session.open_ring(index) {
                Ok(Some(ring)) => drain.add_ring(ring, index, 0, Vec::new()),
                Ok(None) => {}
                Err(error) => {
                    let text = format!("thread {index}: {error}");
                    drain.file().gap_text(None, GapReason::DamagedRing, &text);
                }
            }
        }
    }

    /// Whether a ring was not met yet. From now on it was.
    fn is_new(&mut self, index: u32) -> bool {
        let Some(next) = self.next.get_mut((index % MAX_RINGS) as usize).filter(|next| index >= **next) else {
            return false;
        };
        *next = index + 1;
        true
    }
}
