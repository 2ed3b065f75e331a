//! `D3D12_BARRIER_LAYOUT`: which accesses a layout allows, and which accesses need which synchronisation scopes.
//!
//! Source: the enhanced barriers specification, "Layout Access Compatibility", "Access Bits Barrier Sync Compatibility",
//! "COMMON Layout" and "Compatibility with legacy D3D12_RESOURCE_STATES".

use super::{Access, Kind};

/// `D3D12_BARRIER_LAYOUT_UNDEFINED`.
pub const UNDEFINED: u32 = u32::MAX;
/// `D3D12_BARRIER_LAYOUT_COMMON`, which is `PRESENT`, too.
pub const COMMON: u32 = 0;
/// `D3D12_BARRIER_ACCESS_NO_ACCESS`.
pub const NO_ACCESS: u32 = 0x8000_0000;

const TARGET: u32 = 0x8;
const UNORDERED: u32 = 0x10;
const DEPTH_WRITE: u32 = 0x20;
const DEPTH_READ: u32 = 0x40;
const SHADER: u32 = 0x80;
const COPY_TO: u32 = 0x400;
const COPY_FROM: u32 = 0x800;
const RESOLVE_TO: u32 = 0x1000;
const RESOLVE_FROM: u32 = 0x2000;
const STRUCTURE_READ: u32 = 0x4000;
const STRUCTURE_WRITE: u32 = 0x8000;
const RATE: u32 = 0x1_0000;

/// The `D3D12_BARRIER_ACCESS` bits that a layout is compatible with; `None` for layouts that are not known here.
pub fn accesses(layout: u32) -> Option<u32> {
    const READ: u32 = SHADER | COPY_FROM;
    const DIRECT_READ: u32 = SHADER | COPY_FROM | DEPTH_READ | RATE | RESOLVE_FROM;
    const QUEUE_COMMON: u32 = COPY_FROM | COPY_TO | SHADER | UNORDERED;
    Some(match layout {
        UNDEFINED => 0,
        COMMON => SHADER | COPY_TO | COPY_FROM,
        1 => READ,
        2 => TARGET,
        3 => UNORDERED,
        4 => DEPTH_READ | DEPTH_WRITE,
        5 => DEPTH_READ,
        6 => SHADER,
        7 => COPY_FROM,
        8 => COPY_TO,
        9 => RESOLVE_FROM,
        10 => RESOLVE_TO,
        11 => RATE,
        // VIDEO_DECODE_READ to VIDEO_ENCODE_WRITE, in the order of their access bits.
        12..=17 => 0x2_0000 << (layout - 12),
        18 | 24 => QUEUE_COMMON,
        19 | 31 => DIRECT_READ,
        25 => READ,
        20 | 26 => UNORDERED,
        21 | 27 => SHADER,
        22 | 28 => COPY_FROM,
        23 | 29 => COPY_TO,
        _ => return None,
    })
}

/// The `D3D12_BARRIER_ACCESS` bit of a use, where it is one of textures.
fn bit(access: Access) -> Option<u32> {
    Some(match access {
        Access::Target => TARGET,
        Access::Unordered => UNORDERED,
        Access::DepthWrite => DEPTH_WRITE,
        Access::DepthRead => DEPTH_READ,
        Access::NonPixel | Access::Pixel => SHADER,
        Access::CopyTo => COPY_TO,
        Access::CopyFrom => COPY_FROM,
        Access::ResolveTo => RESOLVE_TO,
        Access::ResolveFrom => RESOLVE_FROM,
        Access::Rate => RATE,
        _ => return None,
    })
}

/// Whether a subresource in a layout may be used so.
pub fn allows(kind: Kind, layout: u32, access: Access) -> bool {
    let (Some(bit), Some(mut allowed)) = (bit(access), accesses(layout)) else { return true };
    if kind == Kind::Simultaneous && layout == COMMON {
        allowed |= TARGET | UNORDERED | RESOLVE_TO | RESOLVE_FROM;
    }
    allowed & bit != 0
}

/// Whether a barrier's access bits on one side fit the layout on the same side.
pub fn fits(kind: Kind, layout: u32, access: u32, both_undefined: bool) -> bool {
    if access == 0 || access == NO_ACCESS || both_undefined {
        return true;
    }
    let Some(mut allowed) = accesses(layout) else { return true };
    if kind == Kind::Simultaneous && layout == COMMON {
        allowed |= TARGET | UNORDERED | RESOLVE_TO | RESOLVE_FROM;
    }
    access & !allowed == 0
}

/// `D3D12_BARRIER_SYNC_SPLIT`.
pub const SPLIT: u32 = 0x8000_0000;

const ALL: u32 = 0x1;
const DRAW: u32 = 0x2;
const INDEX_INPUT: u32 = 0x4;
const VERTEX_SHADING: u32 = 0x8;
const PIXEL_SHADING: u32 = 0x10;
const DEPTH_STENCIL: u32 = 0x20;
const RENDER_TARGET: u32 = 0x40;
const COMPUTE_SHADING: u32 = 0x80;
const RAYTRACING: u32 = 0x100;
const COPY: u32 = 0x200;
const RESOLVE: u32 = 0x400;
const INDIRECT: u32 = 0x800;
const ALL_SHADING: u32 = 0x1000;
const NON_PIXEL_SHADING: u32 = 0x2000;
const EMIT_INFO: u32 = 0x4000;
const CLEAR_UNORDERED: u32 = 0x8000;
const BUILD: u32 = 0x80_0000;
const COPY_STRUCTURE: u32 = 0x100_0000;

/// The first access bit of a barrier's side that no synchronisation scope of that side goes with.
pub fn without_scope(sync: u32, access: u32) -> Option<u32> {
    // No scope at all says that there is nothing before or after; a split barrier says it elsewhere.
    if sync == 0 || sync & SPLIT != 0 || sync & ALL != 0 || access == NO_ACCESS {
        return None;
    }
    const SHADING: u32 =
        VERTEX_SHADING | PIXEL_SHADING | COMPUTE_SHADING | DRAW | ALL_SHADING | NON_PIXEL_SHADING | RAYTRACING;
    const SCOPES: [(u32, u32); 15] = [
        (0x1, VERTEX_SHADING | DRAW | ALL_SHADING | NON_PIXEL_SHADING),
        (0x2, SHADING),
        (0x4, INDEX_INPUT | DRAW),
        (TARGET, DRAW | RENDER_TARGET),
        (UNORDERED, SHADING | CLEAR_UNORDERED | EMIT_INFO | BUILD),
        (DEPTH_WRITE, DRAW | DEPTH_STENCIL),
        (DEPTH_READ, DRAW | DEPTH_STENCIL),
        (SHADER, SHADING | BUILD),
        (0x100, VERTEX_SHADING | DRAW | ALL_SHADING | NON_PIXEL_SHADING),
        // Indirect arguments and predicates are one bit, and so are their scopes.
        (0x200, INDIRECT),
        (COPY_TO, COPY),
        (COPY_FROM, COPY),
        (RESOLVE_TO, RESOLVE),
        (RESOLVE_FROM, RESOLVE),
        (RATE, PIXEL_SHADING | ALL_SHADING | DRAW),
    ];
    let structures =
        COMPUTE_SHADING | RAYTRACING | ALL_SHADING | NON_PIXEL_SHADING | BUILD | COPY_STRUCTURE | EMIT_INFO | SHADING;
    let structure = [(STRUCTURE_READ, structures), (STRUCTURE_WRITE, structures)];
    let all = SCOPES.iter().copied().chain(structure);
    all.filter(|(bit, scopes)| access & bit != 0 && sync & scopes == 0).map(|(bit, _)| bit).next()
}

/// The name of a layout.
pub fn name(layout: u32) -> String {
    const NAMES: [&str; 32] = [
        "COMMON",
        "GENERIC_READ",
        "RENDER_TARGET",
        "UNORDERED_ACCESS",
        "DEPTH_STENCIL_WRITE",
        "DEPTH_STENCIL_READ",
        "SHADER_RESOURCE",
        "COPY_SOURCE",
        "COPY_DEST",
        "RESOLVE_SOURCE",
        "RESOLVE_DEST",
        "SHADING_RATE_SOURCE",
        "VIDEO_DECODE_READ",
        "VIDEO_DECODE_WRITE",
        "VIDEO_PROCESS_READ",
        "VIDEO_PROCESS_WRITE",
        "VIDEO_ENCODE_READ",
        "VIDEO_ENCODE_WRITE",
        "DIRECT_QUEUE_COMMON",
        "DIRECT_QUEUE_GENERIC_READ",
        "DIRECT_QUEUE_UNORDERED_ACCESS",
        "DIRECT_QUEUE_SHADER_RESOURCE",
        "DIRECT_QUEUE_COPY_SOURCE",
        "DIRECT_QUEUE_COPY_DEST",
        "COMPUTE_QUEUE_COMMON",
        "COMPUTE_QUEUE_GENERIC_READ",
        "COMPUTE_QUEUE_UNORDERED_ACCESS",
        "COMPUTE_QUEUE_SHADER_RESOURCE",
        "COMPUTE_QUEUE_COPY_SOURCE",
        "COMPUTE_QUEUE_COPY_DEST",
        "VIDEO_QUEUE_COMMON",
        "DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE",
    ];
    match layout {
        UNDEFINED => "UNDEFINED".to_owned(),
        _ => NAMES.get(layout as usize).map_or_else(|| format!("{layout:#x}"), |name| (*name).to_owned()),
    }
}

/// The name of an access bit.
pub fn access_name(bit: u32) -> String {
    const NAMES: [&str; 17] = [
        "VERTEX_BUFFER",
        "CONSTANT_BUFFER",
        "INDEX_BUFFER",
        "RENDER_TARGET",
        "UNORDERED_ACCESS",
        "DEPTH_STENCIL_WRITE",
        "DEPTH_STENCIL_READ",
        "SHADER_RESOURCE",
        "STREAM_OUTPUT",
        "INDIRECT_ARGUMENT",
        "COPY_DEST",
        "COPY_SOURCE",
        "RESOLVE_DEST",
        "RESOLVE_SOURCE",
        "RAYTRACING_ACCELERATION_STRUCTURE_READ",
        "RAYTRACING_ACCELERATION_STRUCTURE_WRITE",
        "SHADING_RATE_SOURCE",
    ];
    let name = (bit.count_ones() == 1).then(|| NAMES.get(bit.trailing_zeros() as usize)).flatten();
    match name {
        Some(name) => (*name).to_owned(),
        _ => format!("{bit:#x}"),
    }
}
