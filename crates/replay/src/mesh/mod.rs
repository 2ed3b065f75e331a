//! Meshes: the vertices that a draw gives to the rasteriser, with all outputs of the stage that makes them.
//!
//! Right before the draw the same draw is recorded once more, into a stream-output buffer of replay's own: with the program's shaders up to
//! the last one before rasterisation, with its root signature that allows stream output beside what it allows, and with its root
//! arguments. Nothing is rasterised. So inputs, constants and textures are those that the program's own draw finds, on any runtime. The
//! program's draw follows as recorded, with everything set as it was. Invariant: a draw that is wanted has its vertices, or the
//! reason why not.
//!
//! Stream output takes nothing of mesh shaders. Our own runtime makes pipelines whose mesh shaders store what they give (`meshlets`).

mod assembled;
mod meshlets;
mod patch;
mod pipeline;
mod places;
mod plan;
mod primitive;
mod shader;
mod stream;
mod tracer;
mod views;

pub(crate) use plan::plan;
pub(crate) use tracer::{Tracer, words as words_of_draw};
