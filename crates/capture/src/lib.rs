//! The capture library: wrappers for every object of the API, and the path that records each call.
//!
//! The program sees only our [`chain::Chain`]s, the runtime only its own objects. Nothing here may panic into the
//! program; whatever cannot be recorded still reaches the runtime, and is named by a `Gap` record.
//!
//! Boundaries: `linux` (exported entry points, Vulkan hooks, mapped memory) calls [`entry::call_function`],
//! [`entry::frame`] and installs its tracker through [`memory::install`]. Everything else is on this side.

pub mod entry;
#[cfg(target_os = "linux")]
pub mod linux;
pub mod memory;
