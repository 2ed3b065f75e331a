//! The commands, one file each: its arguments and what it does with them.

#[cfg(unix)]
pub(crate) mod bisect;
#[cfg_attr(windows, path = "capture_on_windows.rs")]
pub(crate) mod capture;
pub(crate) mod check_memory;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod debug;
pub(crate) mod diagnose;
pub(crate) mod diff;
pub(crate) mod disassemble;
pub(crate) mod draws;
pub(crate) mod dump;
pub(crate) mod edge;
pub(crate) mod edit;
pub(crate) mod extract;
pub(crate) mod features;
pub(crate) mod gpus;
pub(crate) mod info;
pub(crate) mod lint;
pub(crate) mod man;
pub(crate) mod mesh;
pub(crate) mod notes;
pub(crate) mod overdraw;
pub(crate) mod pictures;
pub(crate) mod pixel;
pub(crate) mod repair;
pub(crate) mod replay;
#[cfg(unix)]
pub(crate) mod restore;
#[cfg(unix)]
pub(crate) mod run;
pub(crate) mod scene;
pub(crate) mod show;
pub(crate) mod stat;
pub(crate) mod state;
pub(crate) mod steps;
mod structures;
#[cfg(unix)]
pub(crate) mod suite;
pub(crate) mod thumbnails;
pub(crate) mod time;
pub(crate) mod translate;
pub(crate) mod trim;
pub(crate) mod verify;
pub(crate) mod write;
