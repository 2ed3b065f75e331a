//! States and layouts of a subresource, as they change by uses, barriers and the ends of submissions.
//!
//! Pure: no trace, no calls. Invariant: every function here follows a table or sentence of Direct3D's documentation, which it
//! names; what the documents leave open is allowed.

pub mod layout;
pub mod legacy;

/// What decides how states of a resource change by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A buffer in memory of the GPU.
    Buffer,
    /// A texture that several queues may use at once (`ALLOW_SIMULTANEOUS_ACCESS`).
    Simultaneous,
    /// Any other texture.
    Texture,
    /// A buffer of acceleration structures: it keeps the state that it was made in.
    Structure,
    /// A buffer of an upload heap: it keeps `GENERIC_READ`.
    Upload,
    /// A buffer of a readback heap: it keeps `COPY_DEST`.
    Readback,
}

impl Kind {
    /// Whether it has layouts.
    pub fn is_texture(self) -> bool {
        matches!(self, Kind::Texture | Kind::Simultaneous)
    }
}

/// What a command does with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Read as a vertex buffer.
    Vertex,
    /// Read as constants.
    Constants,
    /// Read as an index buffer.
    Index,
    /// Drawn to, or cleared as a render target.
    Target,
    /// Read and written by shaders, or cleared as such.
    Unordered,
    /// Drawn to with depth or stencil writes, or cleared.
    DepthWrite,
    /// Tested against.
    DepthRead,
    /// Read by shaders that are no pixel shaders.
    NonPixel,
    /// Read by pixel shaders.
    Pixel,
    /// Written by stream output.
    StreamOut,
    /// Read as indirect arguments or as a predicate.
    Indirect,
    /// Written by a copy.
    CopyTo,
    /// Read by a copy.
    CopyFrom,
    /// Written by a resolve.
    ResolveTo,
    /// Read by a resolve.
    ResolveFrom,
    /// Read or written as an acceleration structure.
    Structure,
    /// Read as a shading rate image.
    Rate,
}

impl Access {
    /// The bit of `D3D12_RESOURCE_STATES` that it needs.
    pub fn state(self) -> u32 {
        match self {
            Access::Vertex | Access::Constants => 0x1,
            Access::Index => 0x2,
            Access::Target => 0x4,
            Access::Unordered => 0x8,
            Access::DepthWrite => 0x10,
            Access::DepthRead => 0x20,
            Access::NonPixel => 0x40,
            Access::Pixel => 0x80,
            Access::StreamOut => 0x100,
            Access::Indirect => 0x200,
            Access::CopyTo => 0x400,
            Access::CopyFrom => 0x800,
            Access::ResolveTo => 0x1000,
            Access::ResolveFrom => 0x2000,
            Access::Structure => 0x40_0000,
            Access::Rate => 0x100_0000,
        }
    }

    /// Whether it writes.
    pub fn writes(self) -> bool {
        use Access::{CopyTo, DepthWrite, ResolveTo, StreamOut, Target, Unordered};
        matches!(self, Target | Unordered | DepthWrite | StreamOut | CopyTo | ResolveTo)
    }

    /// In words, after "used as".
    pub fn words(self) -> &'static str {
        match self {
            Access::Vertex => "vertex buffer",
            Access::Constants => "constant buffer",
            Access::Index => "index buffer",
            Access::Target => "render target",
            Access::Unordered => "unordered access view",
            Access::DepthWrite => "depth-stencil target with writes",
            Access::DepthRead => "depth-stencil target without writes",
            Access::NonPixel => "shader resource of a shader that is no pixel shader",
            Access::Pixel => "shader resource of a pixel shader",
            Access::StreamOut => "stream output buffer",
            Access::Indirect => "indirect arguments or predicate",
            Access::CopyTo => "destination of a copy",
            Access::CopyFrom => "source of a copy",
            Access::ResolveTo => "destination of a resolve",
            Access::ResolveFrom => "source of a resolve",
            Access::Structure => "acceleration structure",
            Access::Rate => "shading rate image",
        }
    }
}
