//! DXBC and DXIL to SPIR-V.
//!
//! [`translate`] takes a container, an [`Interface`] (what the root signature says about registers), a [`Link`] (what the
//! pipeline says about this stage) and a [`Target`] (what the device can do), and gives [`Spirv`] or says why not. [`library`] says what
//! a library of many shaders holds, [`nodes`] which of them are nodes of work graphs; each of them is translated by its name.
//! It is the only door to the translator, which is C++ and can be crashed by malformed input: containers are verified
//! before it sees them, and [`worker`] runs it in a process of its own that may die. [`recent`] keeps results in memory, [`cache`]
//! on disk.
//!
//! Invariant: nothing of the translator (no pointer, no object, no arena) outlives one call of [`translate`].
//!
//! ```no_run
//! use reprise_shader::{Interface, Link, Stage, Target, translate};
//!
//! # fn root_signature() -> Interface { unimplemented!() }
//! # fn pipeline() -> Link { unimplemented!() }
//! # fn device() -> Target { unimplemented!() }
//! let container = std::fs::read("triangle_pixel.dxbc")?;
//! let spirv = translate(&container, Stage::Pixel, &root_signature(), &pipeline(), &device())?;
//! println!("{:?}", spirv.facts());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bounds;
pub mod cache;
pub mod checks;
mod dangling;
mod disassemble;
mod error;
mod facts;
mod feedback;
pub mod interface;
mod lanes;
mod library;
mod lone;
pub mod loops;
mod mesh;
pub mod meshlets;
mod micromaps;
mod newer;
pub mod node;
mod option;
mod passed;
pub mod plain;
pub mod pulled;
pub mod recent;
mod record;
mod remap;
mod session;
mod spirv;
mod streamed;
mod target;
mod translate;
mod verify;
pub mod views;
pub mod wide;
mod wire;
pub mod worker;

pub use disassemble::disassemble;
pub use error::TranslateError;
pub use facts::{Facts, Primitive};
pub use interface::{
    Binding, Class, Heaps, Interface, Link, Local, LocalParameter, LocalRange, Passed, Place, Slot, StreamOutput,
    Varying, ViewInstances,
};
pub use library::library;
pub use node::nodes;
pub use reprise_dxbc::Stage;
pub use reprise_dxbc::rdat::{Declared, Export, Library, Subobject};
pub use spirv::Spirv;
pub use target::Target;
pub use translate::{translate, translate_marked};
pub use verify::verify;
