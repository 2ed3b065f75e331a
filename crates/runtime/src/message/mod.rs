//! Messages of the debug layer: what our runtime has to say to a program, beside its log.
//!
//! A device that was made with the debug layer has a [`Queue`]. Each line of the log from [`reprise_log::Level::Info`] on goes there, and each refusal of a
//! call ([`refused`]), which the log has as a debug line. Nothing says which device a line is about, so all such devices get it.
//!
//! Invariant: without such a device nothing is made or kept.

mod filter;
mod kind;
mod queue;

use core::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError, Weak};

pub(crate) use filter::Filter;
pub(crate) use kind::Kind;
pub(crate) use queue::{Break, Callback, Function, Queue, Which};

static QUEUES: Mutex<Vec<Weak<Queue>>> = Mutex::new(Vec::new());

/// A queue that gets all messages from now on.
pub(crate) fn connect(queue: &Arc<Queue>) {
    QUEUES.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(queue));
    reprise_log::listen(|level, text| tell(Kind::of_line(level), text));
}

/// A call of the program is refused. The log has it as a debug line.
#[cold]
pub(crate) fn refused(kind: Kind, why: impl Display) {
    reprise_log::debug(|| why.to_string());
    if reprise_log::is_heard() {
        tell(kind, &why.to_string());
    }
}

/// Gives all queues a message.
fn tell(kind: Kind, text: &str) {
    // A callback of the program may make or release devices: the lock is given back before.
    let queues: Vec<Arc<Queue>> = {
        let mut queues = QUEUES.lock().unwrap_or_else(PoisonError::into_inner);
        queues.retain(|queue| queue.strong_count() > 0);
        queues.iter().filter_map(Weak::upgrade).collect()
    };
    queues.iter().for_each(|queue| queue.add(kind, text));
}
