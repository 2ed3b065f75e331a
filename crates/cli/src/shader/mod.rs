//! Shaders and root signatures of a trace: found, written as files, shown as text, translated in a process of their own.

pub(crate) mod compiled;
pub(crate) mod disassembly;
#[cfg_attr(not(unix), path = "dxc_absent.rs")]
pub(crate) mod dxc;
pub(crate) mod extract;
mod state_objects;
pub(crate) mod translator;
