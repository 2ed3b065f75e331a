//! What a trace is made of besides its objects: calls and bytes by method and by frame, memory by resource, blobs.
//!
//! Invariant: what is kept grows with methods, resources and blobs, never with calls or frames.

use crate::dump::event;
use reprise_d3d12::operation::Operation;
use reprise_timeline::operations::Signatures;
use reprise_timeline::{Interests, Pass};
use reprise_trace::read::{Event, ReadError, Trace};
use reprise_trace::record::{Kind, OBSERVED};
use std::collections::BTreeMap;

/// How many of the largest blobs are named.
const LARGEST: usize = 20;

/// Counts, up to the event taken last.
#[derive(Default)]
pub struct Counts {
    /// Calls and bytes by method.
    pub methods: BTreeMap<u16, (u64, u64)>,
    /// Calls of lists by what they are.
    pub operations: BTreeMap<Operation, u64>,
    signatures: Signatures,
    /// How often the program stored to mapped memory.
    pub memory_writes: u64,
    /// Bytes that it stored there.
    pub memory_bytes: u64,
    /// Writes and bytes by resource.
    memory: BTreeMap<u32, (u64, u64)>,
    blobs: BTreeMap<u64, Given>,
    calls: Peak,
    stored: Peak,
}

/// How often a blob is given to a call, and by which call first.
struct Given {
    times: u64,
    call: u64,
    method: u16,
}

/// The frame with most of something. Events come frame by frame.
#[derive(Default)]
struct Peak {
    now: (u64, u64),
    most: (u64, u64),
}

impl Peak {
    fn add(&mut self, frame: u64, count: u64) {
        if frame != self.now.0 {
            self.most = self.reached();
            self.now = (frame, 0);
        }
        self.now.1 += count;
    }

    /// Its number from 1, and how much; the earliest of equals.
    fn reached(&self) -> (u64, u64) {
        if self.now.1 > self.most.1 { self.now } else { self.most }
    }
}

/// All blobs that calls were given.
pub struct Blobs {
    /// Their bytes, as often as they were given.
    pub given: u64,
    /// Their bytes, each once.
    pub stored: u64,
    /// The largest, largest first.
    pub largest: Vec<Largest>,
}

/// A large blob.
pub struct Largest {
    /// XXH3-128 of its bytes.
    pub hash: u128,
    /// How many bytes.
    pub bytes: u64,
    /// How often calls were given it.
    pub given: u64,
    /// The first of these calls.
    pub call: u64,
    /// The method of that call, by number.
    pub method: u16,
}

impl Pass for Counts {
    fn interests(&self) -> Interests {
        self.signatures.interests().events()
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.signatures)
    }

    fn event(&mut self, event: &Event<'_>) {
        match event.kind {
            Kind::Enter | Kind::Leave => {
                let (calls, bytes) = self.methods.entry(event.method).or_default();
                let begins = u64::from(event.kind == Kind::Enter);
                *calls += begins;
                *bytes += event.payload.len() as u64;
                self.calls.add(event::frame(event), begins);
                if let Some(operation) = self.signatures.operation_of(event).filter(|_| begins > 0) {
                    *self.operations.entry(operation).or_default() += 1;
                }
                for (_, id) in event.blobs {
                    let new = Given { times: 0, call: event.number, method: event.method };
                    self.blobs.entry(*id).or_insert(new).times += 1;
                }
            }
            // What the program saw the GPU write is no store.
            Kind::Memory if event.method != OBSERVED => {
                let stored = event.memory().map_or(0, |(_, bytes)| bytes.len() as u64);
                self.memory_writes += 1;
                self.memory_bytes += stored;
                let (writes, bytes) = self.memory.entry(event.object).or_default();
                *writes += 1;
                *bytes += stored;
                self.stored.add(event::frame(event), stored);
            }
            _ => {}
        }
    }
}

impl Counts {
    /// The frame with most calls, and how many.
    pub fn most_calls(&self) -> (u64, u64) {
        self.calls.reached()
    }

    /// The frame in which most bytes were stored to mapped memory, and how many.
    pub fn most_memory(&self) -> (u64, u64) {
        self.stored.reached()
    }

    /// Resources with writes and bytes, most bytes first.
    pub fn memory_objects(&self) -> Vec<(u32, (u64, u64))> {
        let mut objects: Vec<_> = self.memory.iter().map(|(id, of)| (*id, *of)).collect();
        objects.sort_by_key(|(_, (_, bytes))| std::cmp::Reverse(*bytes));
        objects
    }

    /// How many contents calls were given.
    pub fn blob_count(&self) -> usize {
        self.blobs.len()
    }

    /// How often contents were given.
    pub fn blobs_given(&self) -> u64 {
        self.blobs.values().map(|given| given.times).sum()
    }

    /// What only the blobs themselves say.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn blobs(&self, trace: &Trace) -> Result<Blobs, ReadError> {
        let (mut given, mut stored, mut sizes) = (0, 0, Vec::with_capacity(self.blobs.len()));
        // In the order of their numbers, which is that of the file.
        for (id, of) in &self.blobs {
            let bytes = trace.blob_len(*id)?;
            given += of.times * bytes;
            stored += bytes;
            sizes.push((bytes, *id));
        }
        sizes.sort_by_key(|(bytes, id)| (std::cmp::Reverse(*bytes), *id));
        let largest = |(bytes, id): (u64, u64)| {
            let of = &self.blobs[&id];
            Ok(Largest { hash: trace.blob_hash(id)?, bytes, given: of.times, call: of.call, method: of.method })
        };
        let largest = sizes.into_iter().take(LARGEST).map(largest).collect::<Result<_, ReadError>>()?;
        Ok(Blobs { given, stored, largest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_with_most_is_the_first_of_equals() {
        let mut peak = Peak::default();
        for (frame, count) in [(1, 2), (2, 1), (2, 2), (3, 3), (4, 1)] {
            peak.add(frame, count);
        }
        assert_eq!(peak.reached(), (2, 3));
        peak.add(5, 4);
        assert_eq!(peak.reached(), (5, 4));
    }
}
