//! The history of a pixel: the calls of a frame that touch it, and for draws what became of their fragments there.
//!
//! A pass over the trace finds the calls (`events`); their values before and after are shots of the texel (`resource_dump`). To find the test
//! that takes a draw's fragments, replay repeats the draw right before it (`prober`): first without any test, and then with one test more each
//! time. The repeated draws write nothing; a query counts the samples that pass. Invariant: a call that may write the texel is listed, also
//! where what it does cannot be told; the program's own draws give what they give without the repeated ones.

mod area;
mod events;
mod fragments;
mod pipeline;
mod plan;
mod probe_shader;
mod prober;
#[cfg(test)]
mod tests;

pub use events::histories_of_pixels;
pub(crate) use pipeline::{Mark, Marking, marking};
pub(crate) use plan::{Draw, plan};
pub(crate) use probe_shader::nothing;
pub(crate) use prober::Prober;
