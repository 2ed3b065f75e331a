//! A view or sampler as a call made it.

use crate::argument::Element;
use reprise_d3d12::Plain;
use serde::{Deserialize, Serialize};

/// What a view is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ViewKind {
    /// Constants: `D3D12_CONSTANT_BUFFER_VIEW_DESC`.
    Constants,
    /// Reads of shaders: `D3D12_SHADER_RESOURCE_VIEW_DESC`.
    Shader,
    /// Reads and writes of shaders: `D3D12_UNORDERED_ACCESS_VIEW_DESC`.
    Unordered,
    /// Sampler feedback, without a description.
    Feedback,
    /// A render target: `D3D12_RENDER_TARGET_VIEW_DESC`.
    Target,
    /// A depth-stencil target: `D3D12_DEPTH_STENCIL_VIEW_DESC`.
    Depth,
    /// A sampler: `D3D12_SAMPLER_DESC`.
    Sampler,
    /// A sampler: `D3D12_SAMPLER_DESC2`.
    Sampler2,
}

/// A view or sampler.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct View {
    /// What it is for.
    pub kind: ViewKind,
    /// Id of the resource; 0 for null views, samplers and constants (whose description has an address).
    pub resource: u32,
    /// Id of the counter's resource, or of the feedback texture; 0 for none.
    pub second: u32,
    /// The description as in memory; empty where it was null.
    pub(super) desc: Box<[u8]>,
    /// The call that made it.
    pub call: u64,
}

impl View {
    /// The description; `None` where it was null, or is of another type.
    pub fn desc<T: Plain>(&self) -> Option<T> {
        (self.desc.len() == size_of::<T>()).then(|| T::from_bytes(&self.desc)).flatten()
    }

    /// The bytes of the description; empty where it was null.
    pub fn bytes(&self) -> &[u8] {
        &self.desc
    }
}
