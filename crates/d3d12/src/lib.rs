//! The Direct3D 12 API, stated once.
//!
//! This crate owns the *model* (every interface, method, parameter, structure, union and enumeration, with direction,
//! array lengths and what a number means), the binary types, and the two calling conventions through which programs
//! reach the API on x86-64. Everything else (capture, dump, replay, the null runtime, documentation) is driven by it.
//!
//! Invariant: nothing outside this crate states a layout, a slot number or an interface id a second time.
//!
//! ```
//! use reprise_d3d12::model::MethodId;
//! use reprise_d3d12::operation::{self, Operation};
//! use reprise_d3d12::{MODEL, method};
//!
//! // Names are looked up by the compiler: a method that the model lacks does not compile.
//! const DRAW: MethodId = method("ID3D12GraphicsCommandList", "DrawInstanced");
//! let draw = &MODEL.methods[usize::from(DRAW.0)];
//! assert_eq!(draw.params[0].name, "VertexCountPerInstance");
//! assert_eq!(operation::of(draw), Some(Operation::Draw));
//! ```

pub mod abi;
#[cfg(target_os = "linux")]
pub mod adapter;
pub mod breadcrumb;
mod build;
pub mod counters;
pub mod description;
pub mod executables;
pub mod feature;
pub mod file;
pub mod format;
#[rustfmt::skip] // Compact on purpose.
pub mod generated;
pub mod library;
pub mod lookup;
pub mod markers;
pub mod meshlets;
pub mod model;
pub mod operation;
pub mod pix;
pub mod place;
mod plain;
pub mod read_back;
pub mod removal;
pub mod result;
pub mod wide;

pub use generated::types;
pub use lookup::{FINGERPRINT, MODEL, enum_, function, interface, method, struct_};
pub use plain::{Plain, Shape};
