//! Records that the trace writer makes itself: changes of thread, bindings of blobs, and gaps.

use crate::file::chunk::{ChunkHeader, ChunkKind};
use crate::file::layout::ChunkState;
use crate::file::pack::Packer;
use crate::merge::Gap;
use crate::record::{GapReason, HEADER, Header, Kind, padded};

/// Adds a record without optional words: the header, whose size this function fills in, and a payload.
pub(super) fn put_plain(to: &mut Packer, header: Header, payload: &[u8]) {
    let size = HEADER + padded(payload.len());
    let mut record = Header { size: size as u32, ..header }.to_bytes().to_vec();
    record.extend_from_slice(payload);
    record.resize(size, 0);
    to.push(&record);
}

/// Adds a gap. `about` names the method and object concerned, if there are any.
pub(super) fn put_gap(to: &mut Packer, about: Header, reason: GapReason, text: &str) {
    let mut payload = (reason as u64).to_le_bytes().to_vec();
    payload.extend_from_slice(text.as_bytes());
    put_plain(to, Header { kind: Kind::Gap as u8, ..about }, &payload);
}

/// What a gap found by the merge says.
pub(super) fn text(gap: &Gap) -> String {
    let Gap { first, count, object, .. } = *gap;
    match (gap.reason, gap.malformed) {
        (GapReason::MissingSequence, _) => format!("records from sequence number {first} on are missing: {count}"),
        (GapReason::MissingOrdinal, _) => format!("calls of object {object} are missing: {count}"),
        (_, Some(malformed)) => {
            format!("ring position {first}: {malformed}; {count} bytes and all that follow are lost")
        }
        (reason, None) => format!("{reason:?}: {count} from {first} on"),
    }
}

/// A chunk of events that only says what is missing before the chunk of events `next`.
pub(crate) fn chunk(next: &ChunkHeader, texts: &[String]) -> (ChunkHeader, Vec<u8>) {
    let mut events = Packer::default();
    texts.iter().for_each(|text| put_gap(&mut events, Header::default(), GapReason::DamagedChunk, text));
    let records = events.records() as u32;
    let mut payload = Vec::new();
    events.put(&mut payload);
    ChunkState::default().put(&mut payload);
    let header = ChunkHeader {
        first: next.first,
        sequence: next.sequence,
        frame: next.frame,
        records,
        ..ChunkHeader::empty(ChunkKind::Events)
    };
    (header, payload)
}
