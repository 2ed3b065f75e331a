//! A replay in a process of its own, for commands that compare two replays.
//!
//! The parent holds a [`process::ChildReplay`]. The child sends pictures and read-backs through a pipe ([`picture_pipe`]).

pub(crate) mod picture_pipe;
pub(crate) mod process;
