//! The history of a pixel: the calls of a frame that touch it, and for draws what became of their fragments there.
//!
//! A pass over the trace finds the calls (`events`); their values before and after are shots of the texel (`resource_dump`). Draws are made
//! once more right before themselves, with ever more of their tests and without all that they write, and a query counts the samples that
//! are left (`prober`). Invariant: a call that may write the texel is listed, also where what it does cannot be told; what the program's own
//! draws make is what it is without all this.

mod area;
mod events;
mod fragments;
mod pipeline;
mod plan;
mod probe_shader;
mod prober;

pub use events::history_of_pixel;
pub(crate) use plan::plan;
pub(crate) use probe_shader::nothing;
pub(crate) use prober::Prober;
