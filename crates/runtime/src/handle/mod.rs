//! Handles of the system that the runtime gives, and the objects that they share in this process.
//!
//! This module knows nothing of what the objects are, so that their own modules can tell it when one is released.

#[cfg(unix)]
mod packet;
mod token;

use std::any::Any;
use std::sync::{Mutex, MutexGuard, PoisonError};

use reprise_d3d12::types::D3D12_HEAP_FLAGS;

#[cfg(unix)]
pub(crate) use packet::Packet;
pub(crate) use token::Token;

/// Handles of other systems carry nothing.
#[cfg(not(unix))]
pub(crate) type Packet = ();

/// An object and its handles.
pub(crate) struct Entry {
    pub(crate) token: Token,
    pub(crate) name: Option<String>,
    pub(crate) content: Box<dyn Any + Send>,
}

impl Entry {
    /// What is shared, if it is of this type.
    pub(crate) fn content<T: Clone + 'static>(&self) -> Option<T> {
        self.content.downcast_ref().cloned()
    }
}

static ENTRIES: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

pub(crate) fn entries() -> MutexGuard<'static, Vec<Entry>> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Drops objects whose handles are all closed.
pub(crate) fn sweep() {
    let closed: Vec<Entry> = entries().extract_if(.., |entry| entry.token.is_closed()).collect();
    // Without the lock: an object's end may release others that are shared.
    drop(closed);
}

/// As [`sweep`], where memory with these flags can be shared.
pub(crate) fn sweep_for(flags: D3D12_HEAP_FLAGS) {
    if flags.0 & D3D12_HEAP_FLAGS::SHARED.0 != 0 {
        sweep();
    }
}
