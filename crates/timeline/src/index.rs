//! Random access: the state as of any call, without walking there from the beginning.
//!
//! One walk over the trace takes a snapshot of the [`State`] every so many calls and writes down the histories
//! ([`Chronicle`]); the state at a call is the last snapshot before it and a short walk. Long traces keep this in a file where
//! caches belong ([`Cache`]). A second file, from the same walk, says what each chunk has ([`Contents`]). Invariant: a file is
//! never trusted. It is used if the same sources wrote it (`build.rs`) for this very trace, and each part only if its checksum
//! holds and it can be decoded; otherwise it is made again.

mod cache;
mod chronicle;
mod contents;
mod file;
mod pieces;
mod recorder;
#[cfg(test)]
mod tests;

pub use crate::call::Entered;
pub use cache::Cache;
pub use chronicle::{BundleRun, Chronicle, FenceEvent, Life};
pub use contents::{Contents, Sought};

use crate::call::Pairing;
use crate::state::State;
use crate::walk::Walk;
use contents::{Seen, Taker};
use file::{File, Kept, Table};
use pieces::Store;
use recorder::Recorder;
use reprise_trace::read::{Events, ReadError, Trace};
use reprise_trace::record::Kind;

/// Calls between two snapshots at least. Walking so many takes about a tenth of a second.
const EVERY: u64 = 1 << 18;
/// One call more for so many bytes of the last snapshot, so that making snapshots takes less time than walking.
const BYTES_PER_CALL: u64 = 32;
/// Bytes of an index in memory and on disk at most; then no more snapshots are taken, and later calls take longer.
const MOST_BYTES: usize = 256 << 20;
/// Calls from one report of progress to the next.
const STEP: u64 = 1 << 16;

/// Why there is no state.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The trace cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// There is no such call.
    #[error("the trace has no call {call}: its calls are 1 to {last}")]
    NoCall {
        /// What was asked for.
        call: u64,
        /// The last call.
        last: u64,
    },
    /// The call is in a part of the trace that is damaged.
    #[error("call {call} is in a part of the trace that is damaged; the next one that can be read is call {next}")]
    Lost {
        /// What was asked for.
        call: u64,
        /// The next call.
        next: u64,
    },
}

/// The state as a call found it, and the call.
#[derive(Clone, Debug)]
pub struct Moment {
    /// After all calls that had ended when this one began, and before this one.
    pub state: State,
    /// The call.
    pub call: Entered,
}

/// A place from which a walk can go on.
#[derive(Debug)]
pub struct Snapshot<'t> {
    /// The events from there on.
    pub events: Events<'t>,
    /// The state as the first of them finds it.
    pub state: State,
    /// The calls that are open there, for [`Walk::resume`].
    pub pairing: Pairing,
}

impl<'t> Snapshot<'t> {
    /// The beginning of a trace.
    pub fn first(trace: &'t Trace) -> Snapshot<'t> {
        Snapshot { events: trace.events(), state: State::default(), pairing: Pairing::default() }
    }
}

/// What is stored at a snapshot.
type Stored = (State, Pairing);

/// The index of a trace.
#[derive(Debug)]
pub struct Index {
    file: File,
    table: Table,
    chronicle: Chronicle,
    /// Where it is kept.
    cache: Option<Cache>,
    /// Calls between two snapshots at least, where it is made again.
    every: u64,
    /// It was made now, not found.
    made: bool,
}

impl Index {
    /// Finds the index of a trace in a cache, or makes it, and puts it there if the trace is long. A cache that cannot be
    /// written is no error. `progress` is told how many calls are done, from time to time.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn open(trace: &Trace, cache: Option<Cache>, progress: &mut dyn FnMut(u64)) -> Result<Index, ReadError> {
        Index::open_every(EVERY, trace, cache, progress)
    }

    /// The same with snapshots so many calls apart, where one is made.
    fn open_every(
        every: u64,
        trace: &Trace,
        cache: Option<Cache>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Index, ReadError> {
        // What a trace without a footer holds may still change, or lie beside it.
        // An index has frames, and one is kept for each trace: the one with the frames that the trace has by itself.
        let cache = cache.filter(|_| trace.statistics().finished && trace.chosen_ends().is_none());
        if let Some(found) = cache.as_ref().and_then(|cache| Index::find(trace, cache)) {
            return Ok(Index { cache, every, ..found });
        }
        Index::make(every, trace, cache, progress)
    }

    fn find(trace: &Trace, cache: &Cache) -> Option<Index> {
        let (file, table) = File::open(&cache.path(trace.identity(), Kept::Index), trace.identity())?;
        let chronicle = file.decode(&table, &table.chronicle)?;
        Some(Index { file, table, chronicle, cache: None, every: EVERY, made: false })
    }

    fn make(
        every: u64,
        trace: &Trace,
        cache: Option<Cache>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Index, ReadError> {
        let (mut store, mut table) = (Store::default(), Table::default());
        let (mut recorder, mut contents) = (Recorder::default(), Taker::default());
        let mut bytes = Vec::new();
        trace.events_ahead(|mut events| -> Result<(), ReadError> {
            let mut walk = Walk::new(&[&mut recorder]);
            let (mut next, mut report) = (every, 0);
            while let Some(event) = events.next()? {
                if event.kind == Kind::Enter && event.number >= report.min(next) {
                    progress(event.number);
                    report = event.number + STEP;
                    if event.number >= next && store.bytes.len() < MOST_BYTES {
                        bytes.clear();
                        let stored = (&recorder.state, walk.pairing());
                        // What cannot be stored is not stored: the walk to a later call is longer.
                        if let Ok(all) = postcard::to_extend(&stored, std::mem::take(&mut bytes)) {
                            bytes = all;
                            if let Ok(parts) = store.put(&bytes) {
                                table.snapshots.push((event.number, parts));
                            }
                        }
                        next = event.number + every.max(bytes.len() as u64 / BYTES_PER_CALL);
                    }
                }
                if event.kind == Kind::Enter {
                    recorder.count(event.number);
                }
                walk.event(&event, &mut [&mut recorder]);
                let seen = Seen::of(&event);
                contents.take(&seen, events.stretches_read());
            }
            walk.finish(&mut [&mut recorder]);
            Ok(())
        })?;
        let chronicle = recorder.chronicle();
        if let Ok(parts) =
            postcard::to_allocvec(&chronicle).map_err(std::io::Error::other).and_then(|all| store.put(&all))
        {
            table.chronicle = parts;
        }
        table.pieces = store.pieces;
        if let Some(cache) = cache.as_ref().filter(|_| !table.snapshots.is_empty()) {
            let identity = trace.identity();
            cache.put(identity, Kept::Index, |to| {
                let bytes = postcard::to_allocvec(&table).map_err(std::io::Error::other)?;
                file::write(to, Kept::Index, identity, &bytes, &store.bytes)
            });
            contents.finish().put(trace, cache);
        }
        Ok(Index { file: File::memory(store.bytes), table, chronicle, cache, every, made: true })
    }

    /// The histories of the whole trace.
    pub fn chronicle(&self) -> &Chronicle {
        &self.chronicle
    }

    /// Whether it was made now, not found in the cache.
    pub fn was_made(&self) -> bool {
        self.made
    }

    /// Calls at which there are snapshots.
    pub fn snapshots(&self) -> impl Iterator<Item = u64> + '_ {
        self.table.snapshots.iter().map(|(call, _)| *call)
    }

    /// The last snapshot at or before a call; the trace's beginning where there is none, or where it is damaged.
    pub fn before<'t>(&self, trace: &'t Trace, call: u64) -> Snapshot<'t> {
        self.sound_before(trace, call).unwrap_or_else(|| Snapshot::first(trace))
    }

    /// The last snapshot at or before a call, or the trace's beginning where there is none; `None` where it is damaged.
    fn sound_before<'t>(&self, trace: &'t Trace, call: u64) -> Option<Snapshot<'t>> {
        let point = self.table.snapshots.partition_point(|(at, _)| *at <= call);
        let Some((at, parts)) = point.checked_sub(1).and_then(|point| self.table.snapshots.get(point)) else {
            return Some(Snapshot::first(trace));
        };
        let (state, pairing) = self.file.decode::<Stored>(&self.table, parts)?;
        Some(Snapshot { events: trace.from_call(*at), state, pairing })
    }

    /// The state as a call found it. An index that turns out to be damaged is made again.
    ///
    /// # Errors
    /// When there is no such call, or it cannot be read.
    pub fn at(&mut self, trace: &Trace, call: u64, progress: &mut dyn FnMut(u64)) -> Result<Moment, IndexError> {
        let last = self.chronicle.calls;
        if call == 0 || call > last {
            return Err(IndexError::NoCall { call, last });
        }
        match self.sound_before(trace, call) {
            Some(snapshot) => walk_to(snapshot, call, progress),
            // Memory keeps what was put there; a file may not.
            None if self.file.is_memory() => walk_to(Snapshot::first(trace), call, progress),
            None => {
                *self = Index::make(self.every, trace, self.cache.take(), progress)?;
                self.at(trace, call, progress)
            }
        }
    }
}

/// Walks to a call from a snapshot before it.
fn walk_to(from: Snapshot<'_>, call: u64, progress: &mut dyn FnMut(u64)) -> Result<Moment, IndexError> {
    let Snapshot { mut events, mut state, pairing } = from;
    let mut walk = Walk::resume(&[&mut state], pairing);
    let mut report = 0;
    while let Some(event) = events.next()? {
        if event.kind == Kind::Enter {
            if event.number == call {
                let call = Entered::of(&event);
                return Ok(Moment { state, call });
            }
            if event.number > call {
                return Err(IndexError::Lost { call, next: event.number });
            }
            if event.number >= report {
                progress(event.number);
                report = event.number + STEP;
            }
        }
        walk.event(&event, &mut [&mut state]);
    }
    Err(IndexError::NoCall { call, last: call.saturating_sub(1) })
}
