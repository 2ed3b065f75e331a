//! What a use of a resource is, in the words of tables and reports.

use crate::nested;
use crate::rule::Severity;
use crate::states::Access;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::operation::{self, Operation as Class};

/// How a call uses a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The program stores to mapped memory.
    Store,
    /// The program sees in mapped memory what the GPU wrote.
    Readback,
    /// `Map`.
    Map,
    /// `WriteToSubresource`.
    SubresourceWrite,
    /// `ReadFromSubresource`.
    SubresourceRead,
    /// A clear, also that of a render pass.
    Clear,
    /// Contents are given up.
    Discard,
    /// A render pass begins and keeps what is there.
    Keep,
    /// A draw writes it as a render target.
    RenderTarget,
    /// A draw writes depth or stencil.
    DepthWrite,
    /// A draw tests depth or stencil.
    DepthRead,
    /// Shaders may read and write it.
    UnorderedAccess,
    /// Shaders read it.
    ShaderResource,
    /// Shaders read constants in it.
    ConstantBuffer,
    /// A draw's vertices.
    VertexBuffer,
    /// A draw's indices.
    IndexBuffer,
    /// A draw's stream output.
    StreamOutput,
    /// Arguments or counts of `ExecuteIndirect`.
    IndirectArgument,
    /// `SetPredication`.
    Predicate,
    /// A shading rate image.
    ShadingRate,
    /// Read by a copy.
    CopySource,
    /// Written by a copy.
    CopyDestination,
    /// Read by a resolve.
    ResolveSource,
    /// Written by a resolve.
    ResolveDestination,
    /// Written by `ResolveQueryData`.
    QueryResult,
    /// Written by `WriteBufferImmediate`.
    ImmediateWrite,
    /// Geometry and instances that a build reads.
    BuildInput,
    /// An acceleration structure that is read, by an update or a copy.
    BuildSource,
    /// An acceleration structure that is written.
    BuildDestination,
    /// Scratch memory of a build.
    BuildScratch,
    /// What the GPU tells of a build, or a structure as bytes.
    BuildResult,
    /// An acceleration structure that shaders trace.
    AccelerationStructure,
    /// Shader records of rays.
    ShaderTable,
}

/// How sure it is that the GPU does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sureness {
    /// The call says so.
    Certain,
    /// A shader is made for it, and may leave it out.
    Likely,
    /// A shader may pick it out of many.
    Possible,
}

impl Sureness {
    /// For machines.
    pub fn name(self) -> &'static str {
        match self {
            Sureness::Certain => "certain",
            Sureness::Likely => "likely",
            Sureness::Possible => "possible",
        }
    }

    pub(crate) fn of(severity: Severity) -> Sureness {
        match severity {
            Severity::Error => Sureness::Certain,
            Severity::Likely => Sureness::Likely,
            Severity::Hint => Sureness::Possible,
        }
    }
}

impl Role {
    /// For machines.
    pub fn name(self) -> &'static str {
        match self {
            Role::Store => "store",
            Role::Readback => "readback",
            Role::Map => "map",
            Role::SubresourceWrite => "subresource_write",
            Role::SubresourceRead => "subresource_read",
            Role::Clear => "clear",
            Role::Discard => "discard",
            Role::Keep => "keep",
            Role::RenderTarget => "render_target",
            Role::DepthWrite => "depth_write",
            Role::DepthRead => "depth_read",
            Role::UnorderedAccess => "unordered_access",
            Role::ShaderResource => "shader_resource",
            Role::ConstantBuffer => "constant_buffer",
            Role::VertexBuffer => "vertex_buffer",
            Role::IndexBuffer => "index_buffer",
            Role::StreamOutput => "stream_output",
            Role::IndirectArgument => "indirect_argument",
            Role::Predicate => "predicate",
            Role::ShadingRate => "shading_rate",
            Role::CopySource => "copy_source",
            Role::CopyDestination => "copy_destination",
            Role::ResolveSource => "resolve_source",
            Role::ResolveDestination => "resolve_destination",
            Role::QueryResult => "query_result",
            Role::ImmediateWrite => "immediate_write",
            Role::BuildInput => "build_input",
            Role::BuildSource => "build_source",
            Role::BuildDestination => "build_destination",
            Role::BuildScratch => "build_scratch",
            Role::BuildResult => "build_result",
            Role::AccelerationStructure => "acceleration_structure",
            Role::ShaderTable => "shader_table",
        }
    }

    /// Whether contents may be others after it.
    pub fn writes(self) -> bool {
        use Role::*;
        matches!(
            self,
            Store
                | SubresourceWrite
                | Clear
                | Discard
                | RenderTarget
                | DepthWrite
                | UnorderedAccess
                | StreamOutput
                | CopyDestination
                | ResolveDestination
                | QueryResult
                | ImmediateWrite
                | BuildDestination
                | BuildScratch
                | BuildResult
        )
    }

    /// What a use of a list's operation is; `None` for those that are told apart from what rules look at.
    pub(crate) fn of(method: Option<MethodId>, access: Access) -> Option<Role> {
        const PREDICATION: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList", "SetPredication");
        if method.is_some_and(nested::is_told_apart) {
            return None;
        }
        let class = method.and_then(|method| operation::of_number(method.0));
        Some(match (access, class) {
            (_, Some(Class::Clear)) => Role::Clear,
            (Access::CopyTo, Some(Class::Query)) => Role::QueryResult,
            (Access::CopyTo, Some(Class::Write)) => Role::ImmediateWrite,
            (Access::NonPixel, Some(Class::Rays)) => Role::ShaderTable,
            (Access::Indirect, _) if method == Some(PREDICATION) => Role::Predicate,
            (Access::Vertex, _) => Role::VertexBuffer,
            (Access::Constants, _) => Role::ConstantBuffer,
            (Access::Index, _) => Role::IndexBuffer,
            (Access::Target, _) => Role::RenderTarget,
            (Access::Unordered, _) => Role::UnorderedAccess,
            (Access::DepthWrite, _) => Role::DepthWrite,
            (Access::DepthRead, _) => Role::DepthRead,
            (Access::NonPixel | Access::Pixel, _) => Role::ShaderResource,
            (Access::StreamOut, _) => Role::StreamOutput,
            (Access::Indirect, _) => Role::IndirectArgument,
            (Access::CopyTo, _) => Role::CopyDestination,
            (Access::CopyFrom, _) => Role::CopySource,
            (Access::ResolveTo, _) => Role::ResolveDestination,
            (Access::ResolveFrom, _) => Role::ResolveSource,
            (Access::Structure, _) => Role::AccelerationStructure,
            (Access::Rate, _) => Role::ShadingRate,
        })
    }
}
