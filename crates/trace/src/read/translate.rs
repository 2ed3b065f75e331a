//! The trait by which calls of another model become calls of today's model while they are read.
//!
//! This crate knows no model. A crate that does gives the trace a [`Translate`] before events are read, so that no reader of
//! events can forget the translation.

use std::collections::HashMap;
use std::fmt;

use crate::record::Kind;

/// Converts the calls of one trace.
pub trait Translate: fmt::Debug + Send + Sync {
    /// The reader's number for a method of the trace.
    fn number(&self, method: u16) -> u16;

    /// Whether payloads of the method differ; where they do not, nothing but [`Translate::number`] is asked.
    fn converts(&self, method: u16) -> bool;

    /// Appends the reader's enter payload to `out` and gives its method.
    fn enter(&self, method: u16, payload: &[u8], out: &mut Vec<u8>) -> u16;

    /// Appends the reader's leave payload to `out` and gives its method. `enter` is the trace's enter payload of the call, where
    /// that was read.
    fn leave(&self, method: u16, enter: Option<&[u8]>, payload: &[u8], out: &mut Vec<u8>) -> u16;

    /// Why a call that was given under this number is given as it is in the trace, and cannot be played.
    fn why(&self, number: u16, enter: &[u8]) -> String;
}

/// A translation at work on one walk over the events.
#[derive(Debug)]
pub(super) struct Translator<'t> {
    by: &'t dyn Translate,
    /// The trace's enter payloads of calls that are converted and have not returned, by number of the call.
    open: HashMap<u64, Vec<u8>>,
}

impl<'t> Translator<'t> {
    pub(super) fn new(by: &'t dyn Translate) -> Translator<'t> {
        Translator { by, open: HashMap::new() }
    }

    /// The reader's number of a method whose payloads stay as they are.
    #[inline]
    pub(super) fn number(&self, method: u16) -> Option<u16> {
        (!self.by.converts(method)).then(|| self.by.number(method))
    }

    /// The reader's number of any method.
    pub(super) fn any_number(&self, method: u16) -> u16 {
        self.by.number(method)
    }

    /// Keeps the enter payload of a call that will return. The event itself may be left out.
    pub(super) fn pass(&mut self, call: u64, method: u16, payload: &[u8]) {
        if self.by.converts(method) {
            self.open.insert(call, payload.to_vec());
        }
    }

    /// Converts an event: gives its method, and whether its payload is the one in `out` now.
    pub(super) fn event(
        &mut self,
        kind: Kind,
        call: u64,
        method: u16,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> (u16, bool) {
        match kind {
            Kind::Enter if self.by.converts(method) => {
                out.clear();
                (self.by.enter(method, payload, out), true)
            }
            Kind::Leave if self.by.converts(method) => {
                let enter = self.open.remove(&call);
                out.clear();
                (self.by.leave(method, enter.as_deref(), payload, out), true)
            }
            Kind::Enter | Kind::Leave => (self.by.number(method), false),
            // A gap names the method of a call whose arguments could not be read.
            Kind::Gap if method != 0 => (self.by.number(method), false),
            _ => (method, false),
        }
    }
}
