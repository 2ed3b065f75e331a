//! Programs that are started, to be captured or to run on our runtime: where they are, how they are waited for, which libraries of
//! ours they find, and what is arranged for that run alone.
//!
//! Invariant: when a run has ended, in whatever way, nothing of it is left. If the process of the run was killed, a helper process
//! takes its things away ([`restorer`]).

#[cfg(unix)]
pub(crate) mod folder;
#[cfg(unix)]
pub(crate) mod gl;
#[cfg(unix)]
pub(crate) mod mark;
#[cfg(unix)]
pub(crate) mod native;
#[cfg(unix)]
pub(crate) mod processes;
#[cfg(unix)]
pub(crate) mod program;
#[cfg_attr(not(unix), path = "restorer_absent.rs")]
pub(crate) mod restorer;
#[cfg(unix)]
pub(crate) mod runtime;
#[cfg(unix)]
pub(crate) mod signal;
#[cfg(unix)]
pub(crate) mod validation;
pub(crate) mod windows;
