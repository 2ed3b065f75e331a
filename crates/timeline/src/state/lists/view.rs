//! Bindings without a descriptor table: targets, buffers, the predicate, the render pass. Plain data from the calls' arguments.

use crate::state::descriptors::Descriptor;
use serde::{Deserialize, Serialize};

/// Render targets and depth, as they were when they were set: the API copies these descriptors then, so that the program may
/// overwrite them at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Targets {
    /// Render targets, by slot.
    pub colours: Vec<Target>,
    /// Depth and stencil.
    pub depth: Option<Target>,
}

/// A target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// The CPU handle.
    pub handle: u64,
    /// What the descriptor held; nothing where the trace never saw it written.
    pub descriptor: Option<Descriptor>,
}

/// An index buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexBuffer {
    /// GPU address.
    pub address: u64,
    /// In bytes.
    pub size: u32,
    /// `DXGI_FORMAT`.
    pub format: u32,
}

/// A vertex buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VertexBuffer {
    /// GPU address.
    pub address: u64,
    /// In bytes.
    pub size: u32,
    /// Bytes from one vertex to the next.
    pub stride: u32,
}

/// A buffer of stream output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamOutput {
    /// GPU address.
    pub address: u64,
    /// In bytes.
    pub size: u64,
    /// GPU address of the number of bytes written.
    pub filled: u64,
}

/// A predicate: commands run where the words at this place are zero, or are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Predication {
    /// Id of the buffer.
    pub buffer: u32,
    /// In bytes.
    pub offset: u64,
    /// `D3D12_PREDICATION_OP`.
    pub operation: u32,
}

/// Where samples lie.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SamplePositions {
    /// Samples of a pixel; 0: the standard positions.
    pub samples: u32,
    /// Pixels that have positions of their own.
    pub pixels: u32,
    /// In sixteenths of a pixel from its centre.
    pub positions: Vec<(i8, i8)>,
}

/// A render pass that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// `D3D12_RENDER_PASS_FLAGS`.
    pub flags: u32,
    /// How each colour target begins and ends: `D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE` and its ending counterpart.
    pub colours: Vec<(u32, u32)>,
    /// The same of depth and of stencil.
    pub depth: Option<[(u32, u32); 2]>,
}

impl Pass {
    /// `D3D12_RENDER_PASS_FLAG_SUSPENDING_PASS`: the pass goes on in another list, and its targets end nothing here.
    pub const SUSPENDS: u32 = 2;
    /// `D3D12_RENDER_PASS_FLAG_RESUMING_PASS`: the pass began in another list, and its targets begin nothing here.
    pub const RESUMES: u32 = 4;

    /// Whether it goes on in another list.
    pub fn suspends(&self) -> bool {
        self.flags & Self::SUSPENDS != 0
    }

    /// Whether it began in another list.
    pub fn resumes(&self) -> bool {
        self.flags & Self::RESUMES != 0
    }
}
