//! Other bytes for what a program stores to a resource, as the stores come by.
//!
//! Invariant: every byte that is to be replaced is stored by the program, and where it may be stored once only, by one store.

use crate::error::{Error, refused};
use crate::language::Edit;
use reprise_trace::read::Event;
use reprise_trace::record::OBSERVED;
use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes of a resource, and what of the file goes there.
pub(crate) struct Piece {
    pub(crate) bytes: Range<u64>,
    /// From this byte of the file on.
    pub(crate) from: usize,
}

/// A file that goes into the stores of a resource.
pub(crate) struct Replacement {
    resource: u32,
    /// The resource that the edit names, into which this one is copied.
    named: u32,
    pieces: Vec<Piece>,
    /// Every byte may be stored once only.
    once: bool,
    file: Vec<u8>,
    /// Bytes that were stored so far, and by what: after which call.
    stored: BTreeMap<u64, (u64, u64)>,
}

/// Where in the payload of a store which bytes go.
pub(crate) type Parts = Vec<(usize, Vec<u8>)>;

impl Replacement {
    pub(crate) fn new(resource: u32, named: u32, pieces: Vec<Piece>, once: bool, file: Vec<u8>) -> Replacement {
        Replacement { resource, named, pieces, once, file, stored: BTreeMap::new() }
    }

    /// What of the file goes into a store.
    pub(crate) fn parts(&mut self, edit: &Edit, event: &Event<'_>) -> Result<Parts, Error> {
        let mut parts = Vec::new();
        let in_frame = edit.frames.as_ref().is_none_or(|frames| frames.contains(&event.frame.saturating_add(1)));
        if event.object != self.resource || event.method == OBSERVED || event.ordinal != 0 || !in_frame {
            return Ok(parts);
        }
        let Some((offset, bytes)) = event.memory() else {
            return Err(Error::Trace(format!("behind call {}: a store cannot be read", event.number)));
        };
        let end = offset.saturating_add(bytes.len() as u64);
        for piece in &self.pieces {
            let both = piece.bytes.start.max(offset)..piece.bytes.end.min(end);
            if both.is_empty() {
                continue;
            }
            let earlier = self.stored.range(..both.end).next_back();
            if let Some((_, (_, call))) = earlier.filter(|(_, (to, _))| self.once && *to > both.start) {
                let why = format!(
                    "bytes {} to {} of resource {}, which hold them, are stored behind call {call} and again behind call {}: \
                     which store is meant cannot be told",
                    both.start, both.end, self.resource, event.number
                );
                return Err(refused(edit, 0, why));
            }
            let from = piece.from + (both.start - piece.bytes.start) as usize;
            let count = (both.end - both.start) as usize;
            let Some(new) = self.file.get(from..from + count) else { continue };
            parts.push((16 + (both.start - offset) as usize, new.to_vec()));
            cover(&mut self.stored, both, event.number);
        }
        Ok(parts)
    }

    /// # Errors
    /// The program does not store all that the file is for.
    pub(crate) fn finish(&self, edit: &Edit) -> Result<(), Error> {
        let Replacement { resource, named, .. } = self;
        for piece in &self.pieces {
            let before = self.stored.range(..=piece.bytes.start).next_back();
            if before.is_none_or(|(_, (to, _))| *to < piece.bytes.end) {
                let (from, to) = (piece.bytes.start, piece.bytes.end);
                let via = match resource == named {
                    true => String::new(),
                    false => format!(", which resource {named} is copied from"),
                };
                let why = format!(
                    "the program does not store all of bytes {from} to {to} of resource {resource}{via}: the rest is not in the trace"
                );
                return Err(refused(edit, 0, why));
            }
        }
        Ok(())
    }
}

/// Adds a range to those that are stored, which never touch each other.
fn cover(stored: &mut BTreeMap<u64, (u64, u64)>, range: Range<u64>, call: u64) {
    let (mut start, mut end) = (range.start, range.end);
    let touching: Vec<u64> =
        stored.range(..=end).rev().take_while(|(_, (to, _))| *to >= start).map(|(from, _)| *from).collect();
    for from in touching {
        if let Some((to, _)) = stored.remove(&from) {
            start = start.min(from);
            end = end.max(to);
        }
    }
    stored.insert(start, (end, call));
}
