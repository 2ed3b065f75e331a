//! The capture library: wrappers for every object of the API, and the path that records each call.
//!
//! The program sees only our `Chain`s, the runtime only its own objects. Nothing here may panic into the program; whatever
//! cannot be recorded still reaches the runtime, and is named by a `Gap` record.
//!
//! The way of a call: a vtable slot (`vtable`, filled by `thunk`) leads to `light`, straight-line code for most calls of
//! command lists, or to `heavy`, which is driven by the model's tables; `guard` adds locks and flushes, `after` facts.
//! Objects: `identity` (which object is this), `chain` (what the program holds), `unknown` (`IUnknown`), `blind`
//! (interfaces nobody knows). `control` decides which frames are wanted and when the recording ends, `process` which processes.
//!
//! Boundaries: `linux` (exported entry points, Vulkan hooks, mapped memory) calls [`entry::call_function`],
//! [`entry::frame`] and installs its tracker through [`memory::install`]. Everything else is on this side.

mod after;
mod api;
mod blind;
mod callback;
mod chain;
mod control;
pub mod entry;
mod environment;
mod facts;
mod fences;
mod forward;
mod guard;
mod heavy;
mod identity;
mod light;
#[cfg(target_os = "linux")]
pub mod linux;
mod lock;
pub mod memory;
mod process;
mod raw;
mod record;
pub mod session;
mod sites;
mod texels;
mod thread;
mod thunk;
mod tls;
mod unknown;
mod vtable;

pub use entry::Convention;
