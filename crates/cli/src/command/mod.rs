//! The commands, one file each: its arguments and what it does with them.

pub(crate) mod replay;
pub(crate) mod verify;
