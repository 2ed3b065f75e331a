//! The loss of a device: its first reason, and everybody who must be told.
//!
//! Invariant: the first reason stays. A listener that is added after the loss is not told; its owner asks [`Loss::reason`].

use std::sync::{Mutex, OnceLock, PoisonError, Weak};

use crate::error::Error;

/// Why a device is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A Vulkan call failed so that the device cannot go on.
    Failed(Error),
    /// The caller gave the device up, with a number of its own.
    GivenUp(i32),
}

/// Is told of the loss, once, on the thread that noticed it.
pub trait Listener: Send + Sync {
    /// The device is lost. Nothing that waits for its GPU gets an answer any more.
    fn lost(&self);
}

/// Whether a device is lost.
#[derive(Default)]
pub struct Loss {
    reason: OnceLock<Reason>,
    listeners: Mutex<Vec<Weak<dyn Listener>>>,
}

impl Loss {
    /// The first reason; `None` while the device works.
    #[inline]
    pub fn reason(&self) -> Option<&Reason> {
        self.reason.get()
    }

    /// Adds somebody to be told of a loss that comes.
    pub fn listen(&self, listener: Weak<dyn Listener>) {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        if listeners.len() == listeners.capacity() {
            listeners.retain(|known| known.strong_count() != 0);
        }
        listeners.push(listener);
    }

    /// The device is lost. Tells all listeners if this is the first reason; call it without a lock that a listener takes.
    pub fn lose(&self, reason: Reason) {
        let mut first = false;
        let reason = self.reason.get_or_init(|| {
            first = true;
            reason
        });
        if !first {
            return;
        }
        match reason {
            Reason::Failed(error) => reprise_log::error(format_args!("the device is removed: {error}")),
            Reason::GivenUp(number) => reprise_log::error(format_args!("the device is removed ({number:#010x})")),
        }
        let listeners = core::mem::take(&mut *self.listeners.lock().unwrap_or_else(PoisonError::into_inner));
        listeners.iter().filter_map(Weak::upgrade).for_each(|listener| listener.lost());
    }
}

impl core::fmt::Debug for Loss {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Loss").field("reason", &self.reason.get()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[derive(Default)]
    struct Count(AtomicU32);

    impl Listener for Count {
        fn lost(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_first_reason_stays_and_living_listeners_are_told_once() {
        let (loss, here, gone) = (Loss::default(), Arc::new(Count::default()), Arc::new(Count::default()));
        let as_listener = |count: &Arc<Count>| -> Weak<dyn Listener> { Arc::downgrade(count) as Weak<Count> as _ };
        loss.listen(as_listener(&here));
        loss.listen(as_listener(&gone));
        drop(gone);
        assert_eq!(loss.reason(), None);
        loss.lose(Reason::GivenUp(7));
        loss.lose(Reason::Failed(Error::Lost));
        assert_eq!(loss.reason(), Some(&Reason::GivenUp(7)));
        assert_eq!(here.0.load(Ordering::Relaxed), 1);
    }
}
