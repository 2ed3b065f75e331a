//! A capture, from the command line to the finished trace: the trace's name and the right to write it, the library that is
//! preloaded, the program that is started, and the writer processes.

#[cfg(unix)]
pub(crate) mod claim;
#[cfg(unix)]
pub(crate) mod launch;
pub(crate) mod library;
#[cfg(unix)]
pub(crate) mod range;
#[cfg(unix)]
pub(crate) mod signal;
#[cfg(unix)]
pub(crate) mod trace_name;
pub(crate) mod windows;
#[cfg(unix)]
pub(crate) mod writer;
