//! `reprise debug`: a shader run step by step on the processor, with what the call had.
//!
//! [`Invocation`] is what the trace says of the call: shader, root arguments, descriptors. [`Store`] has the contents that a replay found right
//! before the call, and takes what the interpreter writes. What the shader turns out to read is fetched by a replay, and the shader runs
//! anew, until nothing is missing. [`check`] compares with what the GPU left.
//!
//! Invariant: nothing is made up. What is not known ends the run, by name, and what differs from the GPU is said.

pub(crate) mod assembly;
pub(crate) mod before;
pub(crate) mod check;
pub(crate) mod dispatch;
mod draw;
pub(crate) mod draw_told;
pub(crate) mod emitted;
mod emitted_told;
mod feedback;
mod indirect;
mod invocation;
mod key;
pub(crate) mod lines;
pub(crate) mod made;
pub(crate) mod mesh;
pub(crate) mod mesh_told;
pub(crate) mod meshlet;
pub(crate) mod outputs;
mod outputs_told;
pub(crate) mod patch;
mod pipeline;
pub(crate) mod pixel;
pub(crate) mod pixel_check;
mod place;
mod ports;
mod primitive;
pub(crate) mod prompt;
mod ray_tables;
pub(crate) mod rays;
mod refused;
mod region;
mod rows;
mod sampler;
pub(crate) mod sampling;
mod stage;
mod store;
pub(crate) mod told;
pub(crate) mod until;
pub(crate) mod vertex;
mod words;
pub(crate) mod writers;

pub(crate) use draw::{Draw, draws_meshes};
pub(crate) use invocation::{Command, Invocation};
pub(crate) use refused::Refused;
pub(crate) use region::Region;
pub(crate) use stage::Stage;
pub(crate) use store::{Key, Store, Watch, Written};
