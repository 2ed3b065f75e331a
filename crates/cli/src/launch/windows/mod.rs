//! Windows programs under Wine and Proton: what a command line brings to run, what is arranged for that run alone, and why none
//! of ours was used where that is so.
//!
//! Invariant: when a run has ended, however it did, the program's folders and the prefix are as they were, or a journal beside
//! what is not says how it is put back ([`journal`]).

#[cfg(unix)]
pub(crate) mod arrangement;
#[cfg(unix)]
pub(crate) mod command_line;
pub(crate) mod executable;
pub(crate) mod explanation;
pub(crate) mod folders;
pub(crate) mod host_log;
pub(crate) mod journal;
pub(crate) mod libraries;
#[cfg(unix)]
pub(crate) mod observer;
#[cfg(unix)]
pub(crate) mod opened;
#[cfg(unix)]
pub(crate) mod options;
#[cfg(unix)]
pub(crate) mod overrides;
pub(crate) mod placement;
#[cfg(unix)]
pub(crate) mod prefix;
#[cfg(unix)]
pub(crate) mod target;
