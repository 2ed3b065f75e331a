//! The Vulkan device under the runtime.
//!
//! Owns everything below the API's objects: the instance and the adapters, the device with its capabilities, memory and
//! addresses, formats, descriptor sets, queues with their threads, and caches of what drivers made. The crate knows neither COM
//! nor the API's interfaces: callers pass plain values, and plain values come back. Of `reprise-d3d12` it uses format numbers.
//!
//! Invariants: a Vulkan object dies after the last GPU work that uses it; only features that a row of [`requirements`] names are
//! switched on; no environment variable is read here; nothing unwinds into the driver.
//!
//! ```no_run
//! use reprise_gpu::adapter::adapters;
//! use reprise_gpu::instance::Instance;
//! use reprise_gpu::settings::Settings;
//!
//! let instance = Instance::shared(&Settings::default())?;
//! for adapter in adapters(&instance)? {
//!     let fit = adapter.lacks.map_or_else(|| "can be used".to_owned(), |lacks| format!("lacks {lacks}"));
//!     println!("{} ({}): {fit}", adapter.name, adapter.kind);
//! }
//! # Ok::<(), reprise_gpu::Error>(())
//! ```

pub mod adapter;
pub mod address;
pub mod answers;
pub mod architecture;
pub mod buffer;
pub mod cache;
pub mod caps;
pub mod card;
pub mod clock;
pub mod counter_pool;
pub mod counters;
pub mod descriptor;
pub mod device;
mod drivers;
pub mod encoder;
pub mod error;
pub mod executables;
pub mod extensions;
pub mod families;
pub mod fault;
pub mod format;
pub mod gate;
pub mod gates;
pub mod graveyard;
pub mod identity;
pub mod image;
pub mod instance;
pub mod kernel;
pub mod lifetime;
pub mod logical;
pub mod loss;
pub mod memory;
pub mod positions;
pub mod present;
pub mod progress;
pub mod query;
pub mod queue;
pub mod rates;
pub mod requirements;
pub mod rules;
pub mod scope;
pub mod settings;
pub mod sparse;
pub mod staging;
pub mod validation;
pub mod vulkan;
pub mod wide;

pub use device::Device;
pub use error::{Error, Result};
pub use instance::Instance;
