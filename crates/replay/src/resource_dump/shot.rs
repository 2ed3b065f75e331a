//! Contents that a caller looks at: what is asked for, and what it gets.

use std::fmt;

use reprise_d3d12::types::D3D12_RESOURCE_DESC;

/// One subresource, or a range of a buffer, at a call.
///
/// At a call of a list they are what the GPU has there in a submission that runs it; at any other call, what it has when all
/// that was submitted by then is done.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shot {
    /// By the numbers of `reprise dump`.
    pub call: u64,
    /// Right before the call, and not right after it.
    pub before: bool,
    /// At a call of a list: the call that submits it; `None`: the first that does.
    pub submission: Option<u64>,
    /// What is looked at.
    pub of: ShotOf,
}

/// What a shot is of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ShotOf {
    /// The render target in a slot, as its view has it. At `ClearRenderTargetView`, slot 0 is what is cleared.
    Target {
        /// From 0 to 7.
        slot: u32,
        /// Counted from the first slice of the view.
        slice: u32,
        /// Of a multisampled target.
        sample: u32,
    },
    /// The depth buffer, or its stencil, as its view has it. At `ClearDepthStencilView`, what is cleared.
    Depth {
        /// The stencil, and not the depth.
        stencil: bool,
        /// Counted from the first slice of the view.
        slice: u32,
        /// Of a multisampled one.
        sample: u32,
    },
    /// A subresource of a texture.
    Texture {
        /// Its id in the trace.
        resource: u32,
        /// Level of detail.
        mip: u32,
        /// Of an array, or of a volume's depth.
        slice: u32,
        /// 0 for depth, 1 for stencil; 0 where there is only one.
        plane: u32,
        /// Of a multisampled texture.
        sample: u32,
    },
    /// Bytes of a buffer.
    Buffer {
        /// Its id in the trace.
        resource: u32,
        /// Offset and number of bytes, which is cut off at the end of the buffer; `None` for all.
        bytes: Option<(u64, u64)>,
    },
}

impl fmt::Display for ShotOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target { slot, .. } => write!(f, "target {slot}"),
            Self::Depth { stencil: false, .. } => f.write_str("depth"),
            Self::Depth { stencil: true, .. } => f.write_str("stencil"),
            Self::Texture { resource, .. } => write!(f, "resource {resource}"),
            Self::Buffer { resource, .. } => write!(f, "buffer {resource}"),
        }
    }
}

/// What a shot shows.
#[derive(Clone)]
pub struct ShotContents {
    /// The resource's id in the trace.
    pub resource: u32,
    /// Of the resource.
    pub desc: D3D12_RESOURCE_DESC,
    /// The call that submitted the list; `None` where all that was submitted was done.
    pub submission: Option<u64>,
    /// The part of it.
    pub part: ShotPart,
    /// Remarks on what the contents are.
    pub notes: Vec<String>,
    /// Why they are of a later moment than was asked for, where they are.
    pub moved: Option<String>,
}

/// The part of a resource that a shot shows.
#[derive(Clone, Debug)]
pub enum ShotPart {
    /// Texels of one subresource, or of one slice of a volume.
    Texels {
        /// Level of detail.
        mip: u32,
        /// Of an array, or of a volume's depth.
        slice: u32,
        /// As the API counts them.
        plane: u32,
        /// Of so many as the description says.
        sample: u32,
        /// `DXGI_FORMAT` of the view that named it, or of the resource; with planes that of all of them.
        format: u32,
        /// In texels.
        width: u32,
        /// In texels.
        height: u32,
        /// Rows of texels, or of blocks, without gaps, top first. Depth of 24 bits stands in the low bits of 32.
        bytes: Vec<u8>,
    },
    /// Bytes of a buffer.
    Bytes {
        /// Where they begin.
        offset: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

/// Takes what a shot shows, by its number in [`ResourceDumps::shots`](super::ResourceDumps::shots), or why there is nothing. Each is given once.
pub type OnShot<'a> = Box<dyn FnMut(usize, Result<ShotContents, String>) + 'a>;
