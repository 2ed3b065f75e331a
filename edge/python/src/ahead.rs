//! Values that a thread makes while Python looks at those before them.
//!
//! A Python object cannot borrow a trace, as a reader does. So each reader has a thread, which owns the trace that it reads. Invariant: the thread is at most [`BATCHES`] batches ahead, ends when nobody wants more, and an end that is none is an error.

use crate::error::Wrong;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// Batches that may wait.
const BATCHES: usize = 2;

/// The reading side.
pub(crate) struct Ahead<T> {
    values: Receiver<T>,
    /// It gives how it ended, once.
    maker: Option<JoinHandle<Result<(), Wrong>>>,
}

/// The making side.
pub(crate) struct Sender<T>(SyncSender<T>);

impl<T> Sender<T> {
    /// Gives a value; `false` where nobody wants more.
    pub(crate) fn give(&self, value: T) -> bool {
        self.0.send(value).is_ok()
    }
}

impl<T: Send + 'static> Ahead<T> {
    /// Runs a maker, whose error comes after all that it gave.
    pub(crate) fn new(make: impl FnOnce(&Sender<T>) -> Result<(), Wrong> + Send + 'static) -> Ahead<T> {
        let (sender, values) = sync_channel(BATCHES);
        let maker = thread::spawn(move || make(&Sender(sender)));
        Ahead { values, maker: Some(maker) }
    }

    /// The next value, or why there is none; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Result<T, Wrong>> {
        if let Ok(value) = self.values.recv() {
            return Some(Ok(value));
        }
        match self.maker.take()?.join() {
            Ok(Ok(())) => None,
            Ok(Err(wrong)) => Some(Err(wrong)),
            Err(_) => Some(Err("the reader of the trace ended by a fault of its own, which it printed".into())),
        }
    }
}
