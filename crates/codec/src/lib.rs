//! Native arguments to wire bytes and back, driven by the model.
//!
//! One description, the tables of `reprise_d3d12::model`, serves four walks over a call's arguments:
//! [`encode`] (program's memory to wire), [`unwrap`](mod@unwrap) (program-visible objects to the runtime's, in place or in copies),
//! [`decode`] (wire to [`value`]s, and from there [`json`] or [`text`]) and [`rebuild`] (wire to native memory for a
//! real call). What a sibling field cannot express is a rule, in `shape` and `rule`: each rule is stated once and used
//! by all four.
//!
//! Invariant: the walks agree on which pointers have a child on the wire, in which order and of which type, because all
//! of them ask `shape` and nothing else.

pub mod arena;
pub mod codec;
pub mod decode;
pub mod encode;
#[cfg(feature = "fabricate")]
pub mod fabricate;
mod frame;
pub mod fuzz;
pub mod json;
pub mod light;
pub mod objects;
pub mod outputs;
mod path;
mod reader;
pub mod rebuild;
mod rule;
pub mod schema;
mod shape;
pub mod texels;
pub mod text;
pub mod unwrap;
pub mod value;
pub mod wire;

pub use arena::Arena;
pub use codec::{Codec, Traits, Wide};
pub use objects::{BlobSink, Objects, Texels};
pub use value::Value;
