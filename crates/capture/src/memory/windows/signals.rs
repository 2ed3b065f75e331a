//! Signals, which Windows has none of: a thread that holds the lock of protected pages is interrupted by nobody.

/// A stretch that no signal interrupts.
pub(in crate::memory) struct Quiet;

impl Quiet {
    /// There are no signals to block.
    pub(in crate::memory) fn begin() -> Self {
        Self
    }
}

/// Faults reach vectored handlers always.
pub(in crate::memory) fn unblock() {}
