//! Our own Direct3D 12 runtime and its translator of shaders, as this program has them.
//!
//! On Linux they are linked in: `--runtime ours` loads no library. On Windows they are absent, and what asks for them is told so.
//! Invariant: no other module names their crates.

mod compiled;
mod finding;
mod gpu_line;
#[cfg(unix)]
mod linked;
#[cfg(unix)]
mod spirv;
mod translated;
#[cfg(unix)]
pub(crate) use compiled::{compile, compile_ray, compile_roots};
#[cfg(unix)]
pub(crate) use linked::*;

pub(crate) use compiled::{Argument, Compiled, Linked, Slots, VIEW};
pub(crate) use finding::Finding;
pub(crate) use gpu_line::{DriverRule, GpuLine};
pub(crate) use translated::Translated;

#[cfg(not(unix))]
mod absent;
#[cfg(not(unix))]
pub(crate) use absent::*;
