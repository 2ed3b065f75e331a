//! Overlays: which texels of its target a draw reaches with some of its tests, layer by layer.
//!
//! Right before the draw the same draw is recorded once more for each layer, with a pipeline that has the layer's tests
//! (`pixel/pipeline.rs`) and writes nothing of the program's: its one target is a texture of replay's own, in which each fragment leaves a
//! mark. Depth and stencil are tested against the program's own, which the draw finds. The program's draw follows as recorded, with everything
//! set as it was. Invariant: a draw that is wanted has its layers, or the reason why not.

mod painter;
mod plan;
mod surface;

pub(crate) use painter::Painter;
pub(crate) use plan::plan;
