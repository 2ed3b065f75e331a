//! A capture, from the command line to the finished trace: the trace's name and the right to write it, the library that is
//! preloaded or stands beside a Windows program, and the writer processes.

#[cfg(unix)]
pub(crate) mod claim;
pub(crate) mod ending;
pub(crate) mod finished;
pub(crate) mod library;
pub(crate) mod motion;
#[cfg(unix)]
pub(crate) mod range;
#[cfg(unix)]
pub(crate) mod trace_name;
#[cfg(unix)]
pub(crate) mod trimming;
pub(crate) mod windows_library;
#[cfg(unix)]
pub(crate) mod writer;
