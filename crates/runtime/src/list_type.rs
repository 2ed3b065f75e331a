//! Types of lists and queues: what their Vulkan queues can do.

use reprise_d3d12::types::D3D12_COMMAND_LIST_TYPE as Type;
use reprise_gpu::families::Role;

/// What the queues of a type can do; `None` for bundles, and for types that have no queues here.
pub fn role(list: Type) -> Option<Role> {
    match list {
        Type::DIRECT => Some(Role::Graphics),
        Type::COMPUTE => Some(Role::Compute),
        Type::COPY => Some(Role::Copy),
        _ => None,
    }
}
