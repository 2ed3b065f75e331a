//! `ID3D12WorkGraphProperties`: which work graphs, nodes and entry points a state object has, and the memory that a graph needs.

use core::ffi::c_void;
use core::mem::offset_of;

use reprise_com::{Facet, Faceted, Object, Vtable, facet, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::lookup;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{D3D12_NODE_ID, D3D12_STATE_OBJECT_TYPE, D3D12_WORK_GRAPH_MEMORY_REQUIREMENTS};
use reprise_gpu::encoder::graph::GRANULARITY;

use super::graph::Graph;
use super::graph::program::Made;
use super::object::StateObject;
use crate::own::is_of;
use crate::wide::text;

const NEWEST: InterfaceId = interface("ID3D12WorkGraphProperties");

/// The facet's number.
const NUMBER: usize = 1;
/// The API's answer for what is not there.
const NONE: u32 = u32::MAX;

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(
    NEWEST,
    <StateObject as Faceted<NUMBER>>::UNKNOWN,
    &[
        ("GetNumWorkGraphs", get_num_work_graphs as *const c_void),
        ("GetProgramName", get_program_name as *const c_void),
        ("GetWorkGraphIndex", get_work_graph_index as *const c_void),
        ("GetNumNodes", get_num_nodes as *const c_void),
        ("GetNodeID", get_node_id as *const c_void),
        ("GetNodeIndex", get_node_index as *const c_void),
        ("GetNodeLocalRootArgumentsTableIndex", get_table_index as *const c_void),
        ("GetNumEntrypoints", get_num_entrypoints as *const c_void),
        ("GetEntrypointID", get_entrypoint_id as *const c_void),
        ("GetEntrypointIndex", get_entrypoint_index as *const c_void),
        ("GetEntrypointRecordSizeInBytes", get_record_size as *const c_void),
        ("GetWorkGraphMemoryRequirements", get_memory_requirements as *const c_void),
        ("GetEntrypointRecordAlignmentInBytes", get_record_alignment as *const c_void),
    ],
);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for StateObject {
    const PLACE: usize = offset_of!(StateObject, graph_properties);
}

/// The facet of a new state object.
pub(super) fn new_facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The facet, where it is asked for: executables have it.
pub(super) fn answer(object: &Object<StateObject>, iid: &Guid) -> Option<*mut c_void> {
    let asked = lookup::by_iid(iid)?;
    let has = is_of(NEWEST, asked) && object.kind == D3D12_STATE_OBJECT_TYPE::EXECUTABLE;
    has.then(|| facet::pointer::<StateObject, NUMBER>(object))
}

/// # Safety
/// Our facet.
unsafe fn graph<'a>(this: *mut c_void, index: u32) -> Option<&'a Graph> {
    // SAFETY: the caller passes our facet.
    let object = unsafe { facet::object::<StateObject, NUMBER>(this) };
    object.graphs.get(index as usize).map(|graph| &**graph)
}

fn id(made: Option<&Made>) -> D3D12_NODE_ID {
    match made {
        Some(made) => D3D12_NODE_ID { Name: made.name.as_ptr(), ArrayIndex: made.node.id.index },
        None => D3D12_NODE_ID { Name: core::ptr::null(), ArrayIndex: 0 },
    }
}

/// The place of a node among numbers.
///
/// # Safety
/// The name ends with zero.
unsafe fn place(graph: &Graph, numbers: &[u32], id: &D3D12_NODE_ID) -> u32 {
    // SAFETY: the caller promises a name that ends with zero.
    let Ok(name) = (unsafe { text(id.Name) }) else { return NONE };
    let is = |made: &Made| made.node.id.name == name && made.node.id.index == id.ArrayIndex;
    let at = numbers.iter().position(|number| graph.node(*number).is_some_and(is));
    at.map_or(NONE, |at| at as u32)
}

unsafe extern "C" fn get_num_work_graphs(this: *mut c_void) -> u32 {
    // SAFETY: our facet.
    unsafe { facet::object::<StateObject, NUMBER>(this) }.graphs.len() as u32
}

unsafe extern "C" fn get_program_name(this: *mut c_void, index: u32) -> *const u16 {
    // SAFETY: our facet.
    unsafe { graph(this, index) }.map_or(core::ptr::null(), |graph| graph.name.as_ptr())
}

unsafe extern "C" fn get_work_graph_index(this: *mut c_void, name: *const u16) -> u32 {
    guard(NONE, || {
        // SAFETY: our facet; the program's name ends with zero.
        let (object, name) = unsafe { (facet::object::<StateObject, NUMBER>(this), text(name)) };
        name.ok().and_then(|name| object.graph(&name)).map_or(NONE, |(index, _)| index)
    })
}

unsafe extern "C" fn get_num_nodes(this: *mut c_void, index: u32) -> u32 {
    // SAFETY: our facet.
    unsafe { graph(this, index) }.map_or(0, |graph| graph.order.len() as u32)
}

unsafe extern "C" fn get_node_id(
    this: *mut c_void,
    out: *mut D3D12_NODE_ID,
    index: u32,
    node: u32,
) -> *mut D3D12_NODE_ID {
    // SAFETY: our facet; the place is the caller's.
    unsafe {
        let made = graph(this, index).and_then(|graph| graph.node(*graph.order.get(node as usize)?));
        if !out.is_null() {
            out.write(id(made));
        }
    }
    out
}

unsafe extern "C" fn get_node_index(this: *mut c_void, index: u32, node: D3D12_NODE_ID) -> u32 {
    // SAFETY: our facet; the program's name ends with zero.
    guard(NONE, || unsafe { graph(this, index).map_or(NONE, |graph| place(graph, &graph.order, &node)) })
}

unsafe extern "C" fn get_table_index(this: *mut c_void, index: u32, node: u32) -> u32 {
    // SAFETY: our facet.
    let made = unsafe { graph(this, index).and_then(|graph| graph.node(*graph.order.get(node as usize)?)) };
    made.and_then(|made| made.node.table).unwrap_or(NONE)
}

unsafe extern "C" fn get_num_entrypoints(this: *mut c_void, index: u32) -> u32 {
    // SAFETY: our facet.
    unsafe { graph(this, index) }.map_or(0, |graph| graph.entries.len() as u32)
}

unsafe extern "C" fn get_entrypoint_id(
    this: *mut c_void,
    out: *mut D3D12_NODE_ID,
    index: u32,
    entry: u32,
) -> *mut D3D12_NODE_ID {
    // SAFETY: our facet; the place is the caller's.
    unsafe {
        let made = graph(this, index).and_then(|graph| graph.entry(entry));
        if !out.is_null() {
            out.write(id(made));
        }
    }
    out
}

unsafe extern "C" fn get_entrypoint_index(this: *mut c_void, index: u32, node: D3D12_NODE_ID) -> u32 {
    // SAFETY: our facet; the program's name ends with zero.
    guard(NONE, || unsafe { graph(this, index).map_or(NONE, |graph| place(graph, &graph.entries, &node)) })
}

unsafe extern "C" fn get_record_size(this: *mut c_void, index: u32, entry: u32) -> u32 {
    // SAFETY: our facet.
    unsafe { graph(this, index).and_then(|graph| graph.entry(entry)) }.map_or(0, Made::record)
}

/// Sizes are multiples of what members of records are aligned to, so the alignment is what the size is a multiple of.
unsafe extern "C" fn get_record_alignment(this: *mut c_void, index: u32, entry: u32) -> u32 {
    /// The largest: members have 8 bytes at most.
    const LARGEST: u32 = 8;
    // SAFETY: our facet.
    let size = unsafe { graph(this, index).and_then(|graph| graph.entry(entry)) }.map_or(0, Made::record);
    if size == 0 { 0 } else { 1 << size.trailing_zeros().min(LARGEST.trailing_zeros()) }
}

unsafe extern "C" fn get_memory_requirements(
    this: *mut c_void,
    index: u32,
    out: *mut D3D12_WORK_GRAPH_MEMORY_REQUIREMENTS,
) {
    // SAFETY: our facet.
    let needs = unsafe { graph(this, index) }.map(|graph| {
        let [least, most] = graph.sizes();
        D3D12_WORK_GRAPH_MEMORY_REQUIREMENTS {
            MinSizeInBytes: least,
            MaxSizeInBytes: most,
            SizeGranularityInBytes: GRANULARITY as u32,
        }
    });
    if !out.is_null() {
        // SAFETY: the place is the caller's.
        unsafe { out.write(needs.unwrap_or_default()) };
    }
}
