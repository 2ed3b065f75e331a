//! Lanes: which lists may be recorded at the same time, and which of them a step of the walk has to wait for.
//!
//! A lane is a row of calls that are made one after another: those of all lists that record into one command allocator, which
//! the API lets record in turn. Lanes do not wait for each other. Every other event of a trace is a step of the walk, which asks
//! here what it has to wait for. This module makes no calls and knows of no threads. Invariant: if each step of the walk
//! waits as it is told, two calls that could notice each other are made in the order of the trace.

use crate::lists::reads::Reads;
use crate::resolve::ids::IdMap;

/// A row of calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lane(pub(crate) usize);

/// The lanes that a step of the walk has to wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    Nothing,
    One(Lane),
    All,
}

/// Lanes of lists and allocators.
#[derive(Default)]
pub(crate) struct Lanes {
    /// Of lists whose allocator is known, and of these allocators.
    of: IdMap<Lane>,
    /// How many lists and allocators are in each lane: an empty lane is used again.
    members: Vec<u32>,
    /// Lanes with calls that may still have to be made.
    open: Vec<Lane>,
    is_open: Vec<bool>,
    reads: Reads,
    /// The runtime wants the calls of all lists in the order of the trace, and descriptors as they were then.
    strict: bool,
}

impl Lanes {
    /// For a runtime that is `strict`: its lists depend on earlier recordings of other lists, or read any descriptor.
    pub(crate) fn new(strict: bool) -> Self {
        Self { strict, ..Self::default() }
    }

    /// A list records into this allocator from here on.
    pub(crate) fn begin(&mut self, list: u32, allocator: u32) {
        self.forget(list);
        let lane = match self.of.get(&allocator) {
            Some(lane) => *lane,
            None => {
                let lane = self.vacant();
                self.enter(allocator, lane);
                lane
            }
        };
        self.enter(list, lane);
    }

    fn vacant(&mut self) -> Lane {
        if self.strict && !self.members.is_empty() {
            return Lane(0);
        }
        let free = self.members.iter().zip(&self.is_open).position(|(&members, &open)| members == 0 && !open);
        Lane(free.unwrap_or_else(|| {
            self.members.push(0);
            self.is_open.push(false);
            self.members.len() - 1
        }))
    }

    fn enter(&mut self, id: u32, lane: Lane) {
        self.of.insert(id, lane);
        self.members[lane.0] += 1;
    }

    /// An object is gone, or nothing is known of it any more.
    pub(crate) fn forget(&mut self, id: u32) {
        if let Some(lane) = self.of.remove(&id) {
            self.members[lane.0] -= 1;
        }
    }

    /// The lane of a list that may be recorded ahead.
    #[inline]
    pub(crate) fn of(&self, list: u32) -> Option<Lane> {
        self.of.get(&list).copied()
    }

    /// Whether calls of a lane may still have to be made.
    #[inline]
    pub(crate) fn is_open(&self, lane: Lane) -> bool {
        self.is_open[lane.0]
    }

    /// A call is put into a lane.
    pub(crate) fn open(&mut self, lane: Lane) {
        if !self.is_open(lane) {
            self.is_open[lane.0] = true;
            self.open.push(lane);
        }
    }

    /// All calls of a lane are made.
    pub(crate) fn done(&mut self, lane: Lane) {
        if core::mem::take(&mut self.is_open[lane.0]) {
            self.open.retain(|other| *other != lane);
        }
        if self.open.is_empty() {
            self.reads.clear();
        }
    }

    /// Lanes with calls that may still have to be made.
    pub(crate) fn all_open(&self) -> &[Lane] {
        &self.open
    }

    /// Descriptors that calls in lanes read when they are made.
    pub(crate) fn reads(&mut self) -> &mut Reads {
        &mut self.reads
    }

    /// The wait of a step that is about this object, or passes it on.
    pub(crate) fn before_use(&self, id: u32) -> Wait {
        match self.of.get(&id) {
            Some(lane) if self.is_open[lane.0] => Wait::One(*lane),
            _ => Wait::Nothing,
        }
    }

    /// The wait of a list's call that the walk makes.
    #[inline]
    pub(crate) fn before_call(&self, list: u32) -> Wait {
        if self.strict { self.before_all() } else { self.before_use(list) }
    }

    /// The wait of a write to so many descriptors, from this one on.
    #[inline]
    pub(crate) fn before_write(&self, first: u64, count: u64) -> Wait {
        if self.strict || self.reads.meet(first, count) { self.before_all() } else { Wait::Nothing }
    }

    /// Whether no write to descriptors has to wait.
    #[inline(always)]
    pub(crate) fn writes_are_free(&self) -> bool {
        self.open.is_empty() || !(self.strict || self.reads.are_any())
    }

    /// The wait of a step that any call could notice: above all that an object goes, since lists keep none alive.
    pub(crate) fn before_all(&self) -> Wait {
        if self.open.is_empty() { Wait::Nothing } else { Wait::All }
    }
}

#[cfg(test)]
mod tests;
