//! Overdraw: how often the draws of a frame write each pixel.
//!
//! Right before each draw of the frame the same draw is recorded once more, with a pipeline that differs in three things only: it has no
//! render targets, its stencil test passes always and counts, and its depth buffer is one of replay's own, which the program's depth is copied
//! to. So vertices, shaders (with what they discard, and the depth that they write), depth test and scissors are the program's. The
//! program's own draw follows as recorded. Invariant: a draw is counted, or named with the reason why not.

mod count;
mod pipeline;
mod plan;

pub(crate) use count::Counter;
pub(crate) use pipeline::writes;
pub(crate) use plan::plan;
