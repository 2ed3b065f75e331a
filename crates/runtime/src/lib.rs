//! Direct3D 12 on Vulkan 1.3.
//!
//! Owns the objects behind the API's interfaces; everything that is Vulkan and not the API is in `reprise-gpu`. Each module is
//! one noun; COM methods only unpack arguments and call plain methods. Modules add their methods of the device as `DEVICE_METHODS`, those of command lists as `LIST_METHODS`; the
//! vtables are put together from these tables when compiling.
//!
//! Invariants: nothing unwinds into the program; what is not there fails with one message that names it, and no capability
//! is reported that the modules do not have; a Vulkan object dies after the last GPU work that uses it.
//!
//! ```no_run
//! use reprise_d3d12::interface;
//! use reprise_d3d12::types::D3D_FEATURE_LEVEL;
//! use reprise_runtime::entry;
//!
//! let (iid, mut device) = (interface("ID3D12Device").get().iid, core::ptr::null_mut());
//! // SAFETY: no adapter, a readable id, a writable place.
//! let result = unsafe { entry::create_device(core::ptr::null_mut(), D3D_FEATURE_LEVEL::LEVEL_11_0, &iid, &mut device) };
//! println!("{result:#x}: {device:?}");
//! ```

pub mod acceleration;
pub mod blob;
pub mod checks;
pub mod command_signature;
pub mod debug_layer;
pub mod decompression;
pub mod description;
pub mod descriptor;
pub mod deserializer;
pub mod device;
pub mod dred;
#[cfg(not(windows))]
pub mod dxcore;
pub mod entry;
pub mod environment;
pub mod error;
pub mod event;
pub mod export;
pub mod fence;
mod handle;
pub mod list;
pub mod list_type;
mod message;
pub mod meta_command;
pub mod micromap;
#[cfg(windows)]
mod module;
mod own;
pub mod pipeline;
pub mod query;
pub mod queue;
pub mod register;
pub mod resource;
pub mod root;
pub mod shared;
mod sign;
pub mod state_object;
pub mod trail;
pub mod vendor;
pub mod wide;
mod wish;

pub use device::{Child, Device};
pub use error::{Error, Result};
