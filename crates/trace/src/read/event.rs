//! The reader's output: events, and calls in brief.

use crate::file::cursor::Cursor;
use crate::file::unpack::Turn;
use crate::read::piece::Piece;
use crate::record::{GapReason, Kind};

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Number of the call: for [`Kind::Enter`] its own (from 1), for [`Kind::Leave`] that of the enter it ends (0 if that
    /// is missing), for everything else that of the last call begun before it (0: none).
    pub number: u64,
    /// Number of the thread, from 0 in order of appearance.
    pub thread: u32,
    /// Number of the frame it belongs to, from 0. A [`Kind::Frame`] event ends the frame it belongs to.
    pub frame: u32,
    /// Nanoseconds since the session began: of this event, or of the thread's last one that had a time stamp.
    pub time_ns: u64,
    /// What it is.
    pub kind: Kind,
    /// The method called or left; 0 where there is none.
    pub method: u16,
    /// The object concerned; 0 for none.
    pub object: u32,
    /// Subresource of [`Kind::Memory`]; 0 for ordered calls, whose order is that of the events.
    pub ordinal: u32,
    /// Its sequence number; 0 when it took none.
    pub sequence: u64,
    /// The whole payload: parts joined, pages of memory put in.
    pub payload: &'a [u8],
    /// Where the bytes of [`Kind::Pages`] are; see [`Event::pieces`].
    pub pieces: &'a [Piece],
    /// The blobs that the payload may name: the thread's number of each, and its place in the trace.
    pub blobs: &'a [(u32, u64)],
    /// For [`Kind::Enter`]: the recording ends while this call is running.
    pub open: bool,
    /// The flags of its record, as [`crate::record`] numbers them.
    pub flags: u8,
    /// The time stamp of its thread's last record that had one; 0 for none.
    pub ticks: u64,
}

impl<'a> Event<'a> {
    /// What it says as a call.
    #[inline]
    pub fn call(&self) -> Call<'a> {
        let turn = Turn::default();
        Call { number: self.number, method: self.method, object: self.object, payload: self.payload, turn }
    }

    /// Offset and bytes of a [`Kind::Memory`] event.
    pub fn memory(&self) -> Option<(u64, &'a [u8])> {
        let mut c = Cursor(self.payload);
        let (offset, len) = (c.u64()?, usize::try_from(c.u64()?).ok()?);
        let bytes = c.bytes(len)?;
        (self.kind == Kind::Memory).then_some((offset, bytes))
    }

    /// Offset and length of what the program stored, of [`Kind::Memory`] and [`Kind::Pages`] events.
    pub fn memory_range(&self) -> Option<(u64, u64)> {
        let mut c = Cursor(self.payload);
        c.u64().zip(c.u64()).filter(|_| matches!(self.kind, Kind::Memory | Kind::Pages))
    }

    /// What the program stored, of a [`Kind::Pages`] event that was asked for [in pieces](crate::read::Events::in_pieces): offsets and bytes,
    /// which follow each other and are as many as [`Event::memory_range`] says.
    pub fn pieces(&self) -> impl Iterator<Item = (u64, &'a [u8])> {
        let (pieces, payload) = (self.pieces, self.payload);
        pieces.iter().map(move |piece| piece.bytes(payload))
    }

    /// Whether it is a gap that means that the trace itself is damaged.
    pub fn is_damage(&self) -> bool {
        self.kind == Kind::Gap && is_loss(self.payload)
    }

    /// The first word and the text or bytes behind it, of [`Kind::Fact`] and [`Kind::Gap`] events. Padding is included.
    pub fn fact(&self) -> Option<(u32, &'a [u8])> {
        let (kind, _) = self.payload.split_first_chunk::<4>()?;
        Some((u32::from_le_bytes(*kind), self.payload.get(8..)?))
    }

    /// What a [`Kind::Gap`] event says is missing.
    pub fn gap_text(&self) -> String {
        text(self.payload)
    }
}

/// Whether the payload of a gap says that the trace itself is damaged.
pub(crate) fn is_loss(payload: &[u8]) -> bool {
    let damage = [GapReason::DamagedChunk, GapReason::DamagedRing, GapReason::IncompleteBlob];
    Cursor(payload).u32().is_some_and(|found| damage.iter().any(|reason| *reason as u32 == found))
}

/// The text in the payload of a gap.
pub(crate) fn text(payload: &[u8]) -> String {
    let text = payload.get(8..).unwrap_or(&[]);
    String::from_utf8_lossy(text).trim_end_matches('\0').to_owned()
}

/// A call in brief: nothing else is known of it without its full event.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// As in [`Event`].
    pub number: u64,
    /// The method called.
    pub method: u16,
    /// The object it is called on; 0 for none.
    pub object: u32,
    /// As in [`Event`].
    pub payload: &'a [u8],
    /// What it has in common with another call.
    pub turn: Turn,
}
