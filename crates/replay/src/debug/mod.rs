//! Options that look at single calls: breakpoints, RenderDoc captures, replaced shaders.

pub(crate) mod breakpoint;
pub(crate) mod renderdoc;
pub(crate) mod replace;
