//! What a person asks for around single calls: breakpoints, RenderDoc captures, replaced shaders.

pub(crate) mod breakpoint;
pub(crate) mod renderdoc;
pub(crate) mod replace;
