//! The commands, one file each: its arguments and what it does with them.

pub(crate) mod adapter;
pub(crate) mod against;
pub(crate) mod capture;
pub(crate) mod check_memory;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod diff_replay;
pub(crate) mod differences;
pub(crate) mod disassemble;
pub(crate) mod dump;
pub(crate) mod extract;
pub(crate) mod gpus;
pub(crate) mod info;
pub(crate) mod inspect;
pub(crate) mod measure;
pub(crate) mod pictures;
pub(crate) mod repair;
pub(crate) mod replay;
pub(crate) mod screenshot;
pub(crate) mod stat;
pub(crate) mod translate;
pub(crate) mod verify;
pub(crate) mod windowed;
pub(crate) mod write;
