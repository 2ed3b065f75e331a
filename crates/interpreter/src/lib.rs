//! Shaders run step by step on the processor.
//!
//! [`Module::read`] reads SPIR-V as `reprise-shader` makes it of DXBC and DXIL, and [`run`] runs a group of a compute shader: all lanes, in
//! waves, with group memory, barriers and atomic operations; [`run_amplification`] and [`run_mesh`] run those of draws. [`run_lanes`] runs a vertex, a primitive of a geometry shader, a point of a domain shader, or the quad of a pixel;
//! [`run_patch`] a hull shader. What the shader reads and writes outside of its variables, a [`Resources`]
//! holds. The steps of one lane are kept ([`Step`]).
//!
//! Invariant: the result is the one that SPIR-V and Direct3D 12 define. Where they leave something open, the value is one of those that
//! are right, and it carries the name of an operation that it comes of ([`Value::open`]), through registers, memory and branches. Either it
//! may be anything ([`is_free`]), or it has other last bits: what becomes of those, runs show that [lean](Lean) to one side. What is not supported ends the run by name ([`Fault`]); no module makes the interpreter panic or run without end.
//!
//! ```no_run
//! use reprise_interpreter::{Module, Nothing, Opens, Task, run};
//!
//! # fn translated() -> Vec<u32> { unimplemented!() }
//! let module = Module::read(&translated())?;
//! let mut opens = Opens::default();
//! let ran = run(&module, Task { watched: Some(0), ..Task::default() }, &mut Nothing, &mut opens)?;
//! for step in &ran.steps {
//!     println!("{}: {}", step.offset, module.text(&step.value, step.kind));
//! }
//! # Ok::<(), reprise_interpreter::Fault>(())
//! ```

mod compute;
mod extended;
mod fault;
mod geometry;
mod gives;
mod glsl;
mod group;
mod half;
mod kind;
mod lanes;
mod layout;
mod listing;
mod memory;
mod mesh;
mod module;
mod number;
mod open;
mod pointer;
mod quad;
mod ray_query;
mod rays;
mod resources;
mod sampling;
mod stage;
mod tessellation;
mod texture;
mod trace_ray;
mod value;
mod wave;

pub use fault::Fault;
pub use group::{Input, OpenOperation, Opens, Ran, Step, Task, Write, run};
pub use half::of_f32 as half;
pub use kind::{Image, Kind};
pub use lanes::run_lanes;
pub use mesh::{Meshlet, Shape, Started, run_amplification, run_mesh};
pub use module::{Instruction, Module};
pub use open::{Lean, Open, Range, either, is_free};
pub use pointer::{Buffer, Descriptor, Handle, Place, Pointer, Texel};
pub use rays::{
    Bottom, Geometry, InstancePlace, Matrix, Meeting, Point, Primitives, Ray, RayHit, Record, Scene, Table, TracedRay,
    instance_flag, ray_flag,
};
pub use resources::{Nothing, Resources, Size};
pub use sampling::{Address, Compare, Reduction, Sampler, Surface};
pub use spirv::BuiltIn;
pub use stage::{Declared, Emitted, Given, Interpolation, Left, Payload, Port, Words};
pub use tessellation::{Patch, run_patch};
pub use trace_ray::run_rays;
pub use value::Value;
