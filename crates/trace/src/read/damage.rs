//! The damaged places of a trace, and the damage there.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::file::chunk::ChunkKind;

/// Most places that a trace lists; further ones are only counted.
const MOST: usize = 1000;

/// A part of a trace that cannot be read, or that contradicts another part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// Where it is.
    pub place: Place,
    /// What is wrong.
    pub what: String,
}

/// A place in a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// A chunk.
    Chunk {
        /// Where its header begins: bytes from the beginning of the file.
        offset: u64,
        /// What it holds.
        kind: ChunkKind,
    },
    /// Bytes that belong to no chunk.
    Bytes {
        /// The first one, from the beginning of the file.
        offset: u64,
        /// How many.
        len: u64,
    },
    /// The last 32 bytes of a finished file.
    Trailer {
        /// Where it begins: bytes from the beginning of the file.
        offset: u64,
    },
    /// A blob that no chunk has.
    Blob {
        /// Its id.
        id: u64,
    },
    /// A loss that the trace itself records: the recording or a repair could not save something.
    Recorded {
        /// The last call that began before it; 0 for none.
        after_call: u64,
    },
}

impl Place {
    /// Bytes from the beginning of the file, where the place is one of the file.
    pub fn offset(&self) -> Option<u64> {
        match *self {
            Place::Chunk { offset, .. } | Place::Bytes { offset, .. } | Place::Trailer { offset } => Some(offset),
            Place::Blob { .. } | Place::Recorded { .. } => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Chunk { offset, kind } => write!(f, "offset {offset}, {} chunk", kind.name()),
            Place::Bytes { offset, len } => write!(f, "offset {offset}, {len} bytes"),
            Place::Trailer { offset } => write!(f, "offset {offset}, trailer"),
            Place::Blob { id } => write!(f, "blob {id}"),
            Place::Recorded { after_call } => write!(f, "after call {after_call}"),
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// The damage that readers of one trace have met so far, each place once.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<Found>);

#[derive(Debug, Default)]
struct Found {
    list: Vec<Damage>,
    /// Places beyond those in the list. A place that was met twice counts twice.
    more: u64,
}

impl Ledger {
    /// Notes damage, unless it is known.
    pub(crate) fn note(&self, damage: Damage) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if found.list.contains(&damage) {
            return;
        }
        if found.list.len() < MOST {
            found.list.push(damage);
        } else {
            found.more += 1;
        }
    }

    /// The damage that is listed, and how many further places there are.
    pub(crate) fn found(&self) -> (Vec<Damage>, u64) {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (found.list.clone(), found.more)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).list.is_empty()
    }
}
