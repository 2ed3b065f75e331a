//! A capture, from the command line to the finished trace: the trace's name and the right to write it, the library that is
//! preloaded, the program that is started, and the writer processes.

pub(crate) mod claim;
pub(crate) mod launch;
pub(crate) mod library;
pub(crate) mod range;
pub(crate) mod signal;
pub(crate) mod trace_name;
pub(crate) mod windows;
pub(crate) mod writer;
