//! A device's messages: stored, counted, filtered, and given to callbacks. Pure, but for the calls of callbacks.
//!
//! Invariant: no lock is held while a program's callback runs, and a callback's own calls run no callback.

use core::cell::Cell;
use core::ffi::{CStr, c_void};
use std::collections::VecDeque;
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reprise_d3d12::types::{D3D12_MESSAGE_CATEGORY, D3D12_MESSAGE_ID, D3D12_MESSAGE_SEVERITY};

use crate::message::filter::Filter;
use crate::message::kind::Kind;

/// `D3D12_INFO_QUEUE_DEFAULT_MESSAGE_COUNT_LIMIT`.
const LIMIT: u64 = 1024;

/// A stored message.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) kind: Kind,
    pub(crate) text: CString,
}

/// Which of the two stacks of filters.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which {
    /// What is stored.
    Storage,
    /// What is seen of that.
    Retrieval,
}

/// What a debugger is to break on. Nothing breaks here; what is set is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Break {
    Category(D3D12_MESSAGE_CATEGORY),
    Severity(D3D12_MESSAGE_SEVERITY),
    Id(D3D12_MESSAGE_ID),
}

/// `D3D12MessageFunc`.
pub(crate) type Function = unsafe extern "C" fn(
    D3D12_MESSAGE_CATEGORY,
    D3D12_MESSAGE_SEVERITY,
    D3D12_MESSAGE_ID,
    *const core::ffi::c_char,
    *mut c_void,
);

/// A program's function that is called for each message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callback {
    pub(crate) function: Function,
    pub(crate) context: *mut c_void,
    /// It sees what the storage filter denies, too.
    pub(crate) all: bool,
}

// SAFETY: the API says that callbacks may be called by any thread; the context is theirs.
unsafe impl Send for Callback {}

#[derive(Debug)]
struct State {
    messages: VecDeque<Arc<Message>>,
    limit: u64,
    allowed: u64,
    denied: u64,
    discarded: u64,
    /// Filters by [`Which`]. The last one of a stack is in force.
    filters: [Vec<Filter>; 2],
    breaks: Vec<Break>,
    muted: bool,
    callbacks: Vec<(u32, Callback)>,
    /// The last cookie that was given.
    cookie: u32,
}

/// The information queue.
#[derive(Debug)]
pub(crate) struct Queue(Mutex<State>);

impl Default for Queue {
    fn default() -> Queue {
        Queue(Mutex::new(State {
            messages: VecDeque::new(),
            limit: LIMIT,
            allowed: 0,
            denied: 0,
            discarded: 0,
            filters: [const { Vec::new() }; 2],
            breaks: Vec::new(),
            muted: false,
            callbacks: Vec::new(),
            cookie: 0,
        }))
    }
}

/// How many messages there are and were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) stored: u64,
    /// Stored, and seen through the retrieval filter.
    pub(crate) seen: u64,
    pub(crate) allowed: u64,
    pub(crate) denied: u64,
    pub(crate) discarded: u64,
}

impl State {
    fn passes(&self, which: Which, kind: &Kind) -> bool {
        self.filters[which as usize].last().is_none_or(|filter| filter.passes(kind))
    }

    fn seen(&self) -> impl Iterator<Item = &Arc<Message>> {
        self.messages.iter().filter(|message| self.passes(Which::Retrieval, &message.kind))
    }

    /// Lets go of what is more than the limit, the oldest first.
    fn cut(&mut self) {
        while self.messages.len() as u64 > self.limit {
            self.messages.pop_front();
            self.discarded += 1;
        }
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A message comes.
    pub(crate) fn add(&self, kind: Kind, text: &str) {
        let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
        let Ok(text) = CString::new(bytes) else { return };
        let message = Arc::new(Message { kind, text });
        let callbacks: Vec<Callback> = {
            let mut state = self.state();
            let passes = state.passes(Which::Storage, &kind);
            if passes {
                state.allowed += 1;
                state.messages.push_back(Arc::clone(&message));
                state.cut();
            } else {
                state.denied += 1;
            }
            let callbacks = state.callbacks.iter().map(|(_, callback)| *callback);
            callbacks.filter(|callback| passes || callback.all).collect()
        };
        call(&callbacks, kind, &message.text);
    }

    /// A message by its place among those that the retrieval filter lets pass.
    pub(crate) fn message(&self, index: u64) -> Option<Arc<Message>> {
        self.state().seen().nth(usize::try_from(index).ok()?).cloned()
    }

    pub(crate) fn counts(&self) -> Counts {
        let state = self.state();
        Counts {
            stored: state.messages.len() as u64,
            seen: state.seen().count() as u64,
            allowed: state.allowed,
            denied: state.denied,
            discarded: state.discarded,
        }
    }

    pub(crate) fn clear(&self) {
        self.state().messages.clear();
    }

    pub(crate) fn limit(&self) -> u64 {
        self.state().limit
    }

    /// [`u64::MAX`] is no limit.
    pub(crate) fn set_limit(&self, limit: u64) {
        let mut state = self.state();
        state.limit = limit;
        state.cut();
    }

    /// Runs `act` with a stack of filters.
    pub(crate) fn filters<R>(&self, which: Which, act: impl FnOnce(&mut Vec<Filter>) -> R) -> R {
        act(&mut self.state().filters[which as usize])
    }

    pub(crate) fn set_break(&self, on: Break, enabled: bool) {
        let breaks = &mut self.state().breaks;
        breaks.retain(|other| *other != on);
        if enabled {
            breaks.push(on);
        }
    }

    pub(crate) fn breaks(&self, on: Break) -> bool {
        self.state().breaks.contains(&on)
    }

    pub(crate) fn mute(&self, muted: bool) {
        self.state().muted = muted;
    }

    pub(crate) fn is_muted(&self) -> bool {
        self.state().muted
    }

    /// The cookie by which the callback is dropped again; never 0.
    pub(crate) fn register(&self, callback: Callback) -> u32 {
        let mut state = self.state();
        state.cookie += 1;
        let cookie = state.cookie;
        state.callbacks.push((cookie, callback));
        cookie
    }

    /// Whether there was such a callback.
    pub(crate) fn unregister(&self, cookie: u32) -> bool {
        let callbacks = &mut self.state().callbacks;
        let before = callbacks.len();
        callbacks.retain(|(own, _)| *own != cookie);
        callbacks.len() < before
    }
}

thread_local! {
    /// Whether this thread runs a callback.
    static CALLING: Cell<bool> = const { Cell::new(false) };
}

fn call(callbacks: &[Callback], kind: Kind, text: &CStr) {
    if callbacks.is_empty() || CALLING.replace(true) {
        return;
    }
    for Callback { function, context, .. } in callbacks {
        // SAFETY: the program's function of this type, with the context that it registered; the text lives until it returns.
        unsafe { function(kind.category, kind.severity, kind.id, text.as_ptr(), *context) };
    }
    CALLING.set(false);
}

#[cfg(test)]
mod tests;
