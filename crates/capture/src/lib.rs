//! The capture library: wrappers for every object of the API, and the path that records each call.
//!
//! The program holds wrappers only (for each object one *chain* for each family of its interfaces), the runtime only its own objects.
//! Most calls are *light*: straight-line code that is made at compile time records them. A draw is one.
//!
//! Invariants: no panic leaves this library. A call that cannot be recorded still reaches the runtime, and a `Gap` record names
//! it. A light call takes no lock, allocates nothing and makes no system call.
//!
//! The folders follow the way of a call, and each uses only those below it:
//!
//! - `interposition`: functions that the program finds in us first; `presentation`: hooks on the way to the screen
//! - [`entry`]: what these call; `recording`: the record of each call on a wrapper
//! - `submission`: locks, flushes and fences around work for the GPU; `facts`: what is asked of new objects; `picture`: what
//!   presented frames look like
//! - `markers`: how far the GPU is in lists, by words that the library has it write
//! - `memory`: which bytes of mapped memory the program stored; `loader`: the functions behind our exports
//! - `host`: the system below, natively, under Wine and on Windows
//! - `wrapper`: what the program holds in place of the runtime's objects; [`session`]: rings, threads, frames, the end
//! - `sync`: what threads share without a lock; [`tracking`]: the seam to mapped memory; `model`: questions about the API
//!
//! ```no_run
//! use reprise_capture::entry::{self, Convention};
//! use reprise_d3d12::function;
//! use reprise_d3d12::library::{Library, Scope};
//!
//! // What an export does: it records the call, and makes it on the runtime's function.
//! let runtime = Library::open("libvkd3d-proton-d3d12.so", Scope::Local)?;
//! let real = runtime.symbol("D3D12CreateDevice").ok_or("no such function")?;
//! let words = [0, 0xb000, 0, 0];
//! // SAFETY: the function is of this convention, and takes these arguments.
//! let result = unsafe { entry::call_function(Convention::SystemV, function("D3D12CreateDevice"), real, &words) };
//! println!("{result:#x}");
//! # Ok::<(), String>(())
//! ```

mod call;
pub mod entry;
mod facts;
mod host;
mod interposition;
mod json;
#[cfg(target_os = "linux")]
mod loader;
mod markers;
pub mod memory;
mod model;
mod panics;
mod picture;
#[cfg(target_os = "linux")]
mod presentation;
mod real;
mod recording;
pub mod session;
mod submission;
mod sync;
pub mod tracking;
mod wrapper;

// The DLL starts on Wine before 8.13.
#[cfg(windows)]
use reprise_windows_start as _;

pub use model::codec::set_wide;
pub use reprise_d3d12::abi::Convention;
