//! Values that a thread makes while Python looks at those before them.
//!
//! A reader of a trace borrows the trace, and an object of Python cannot borrow. So the reader lives on a thread of its own, which owns what it
//! reads. Invariant: the thread is at most [`BATCHES`] batches ahead, and ends when nobody wants more.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Batches that may wait.
const BATCHES: usize = 2;

/// The reading side.
pub(crate) struct Ahead<T>(Receiver<Result<T, String>>);

/// The making side.
pub(crate) struct Sender<T>(SyncSender<Result<T, String>>);

impl<T> Sender<T> {
    /// Gives a value; `false` where nobody wants more.
    pub(crate) fn give(&self, value: T) -> bool {
        self.0.send(Ok(value)).is_ok()
    }
}

impl<T: Send + 'static> Ahead<T> {
    /// Runs a maker, whose error comes after all that it gave.
    pub(crate) fn new(make: impl FnOnce(&Sender<T>) -> Result<(), String> + Send + 'static) -> Ahead<T> {
        let (sender, receiver) = sync_channel(BATCHES);
        thread::spawn(move || {
            let sender = Sender(sender);
            if let Err(wrong) = make(&sender) {
                // Nobody may be there to hear it.
                let _ = sender.0.send(Err(wrong));
            }
        });
        Ahead(receiver)
    }

    /// The next value, or why there is none; `None` at the end.
    pub(crate) fn next(&self) -> Option<Result<T, String>> {
        self.0.recv().ok()
    }
}
