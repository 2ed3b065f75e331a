//! State objects: collections of shaders, and ray tracing pipelines.
//!
//! [`subobject`] reads what a program describes, [`association`] and [`plan`] resolve names, [`object`] makes [`piece`]s of Vulkan's
//! pipelines: each part of a state object that others may take over is a pipeline library, and each global root signature has a whole
//! pipeline that links its parts. Invariants: an identifier is the driver's handle of a shader group, and the same in every state object
//! that takes its export over; what lies behind it in a record is the API's layout ([`record`]).

pub mod association;
pub mod layout;
mod methods;
mod object;
pub mod piece;
pub mod plan;
mod properties;
pub mod record;
mod subobject;

pub use methods::DEVICE_METHODS;
pub use object::StateObject;
