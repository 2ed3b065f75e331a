//! What programs describe of a work graph, as values of our own.

use reprise_d3d12::types::{
    BOOL, D3D12_BROADCASTING_LAUNCH_OVERRIDES, D3D12_COMMON_COMPUTE_NODE_OVERRIDES, D3D12_NODE, D3D12_NODE_ID,
    D3D12_NODE_OUTPUT_OVERRIDES, D3D12_NODE_OVERRIDES_TYPE as Overrides, D3D12_NODE_TYPE, D3D12_WORK_GRAPH_DESC,
    D3D12_WORK_GRAPH_FLAGS,
};
use reprise_shader::node::{Id, Launch, Node};

use super::plan::Wanted;
use crate::state_object::invalid;
use crate::wide::text;
use crate::{Error, Result};

/// A work graph as described.
#[derive(Clone, Debug, Default)]
pub struct Described {
    /// The program's name.
    pub name: String,
    /// Which nodes it has.
    pub wanted: Wanted,
    /// Nodes that it says more of.
    pub nodes: Vec<Explicit>,
}

/// What a graph says of a node.
#[derive(Clone, Debug, Default)]
pub struct Explicit {
    /// The export.
    pub shader: String,
    /// The launch that it must have.
    launch: Option<Launch>,
    table: Option<u32>,
    begins: Option<bool>,
    id: Option<Id>,
    shares: Option<Id>,
    grid: Option<([u32; 3], bool)>,
    outputs: Vec<Output>,
}

#[derive(Clone, Debug, Default)]
struct Output {
    index: usize,
    to: Option<Id>,
    sparse: Option<bool>,
    records: Option<u32>,
}

impl Explicit {
    /// The node as the graph wants it.
    ///
    /// # Errors
    /// It has another launch, or no such output.
    pub fn apply(&self, node: &mut Node) -> Result<()> {
        let shader = &self.shader;
        if self.launch.is_some_and(|launch| launch != node.launch) {
            return Err(invalid(format!("node {shader:?} is overridden as one of another launch")));
        }
        if let Some(id) = &self.id {
            // Outputs to itself stay such.
            let own = core::mem::replace(&mut node.id, id.clone());
            node.outputs.iter_mut().filter(|output| output.to == own).for_each(|output| output.to = id.clone());
        }
        node.table = self.table.or(node.table);
        node.begins = self.begins.unwrap_or(node.begins);
        node.shares = self.shares.clone().or(node.shares.take());
        if let Some((grid, dynamic)) = self.grid {
            (node.grid, node.dynamic) = (grid, dynamic);
        }
        for wanted in &self.outputs {
            let missing = || invalid(format!("node {shader:?} has no output {}", wanted.index));
            let output = node.outputs.get_mut(wanted.index).ok_or_else(missing)?;
            output.to = wanted.to.clone().unwrap_or_else(|| output.to.clone());
            output.sparse = wanted.sparse.unwrap_or(output.sparse);
            output.records = wanted.records.unwrap_or(output.records);
        }
        Ok(())
    }
}

/// Takes a description down.
///
/// # Errors
/// What the API does not allow, or the runtime does not have.
///
/// # Safety
/// The description is readable as its type says, and each pointer in it is null or leads to as many elements as the count beside it.
pub unsafe fn read(desc: &D3D12_WORK_GRAPH_DESC) -> Result<Described> {
    // SAFETY: the caller promises names that end with zero, and arrays as long as they say.
    unsafe {
        let entries = array(desc.pEntrypoints, desc.NumEntrypoints).iter().map(|entry| id(entry));
        let nodes =
            array(desc.pExplicitlyDefinedNodes, desc.NumExplicitlyDefinedNodes).iter().map(|node| explicit(node));
        let all = desc.Flags.0 & D3D12_WORK_GRAPH_FLAGS::INCLUDE_ALL_AVAILABLE_NODES.0 != 0;
        if desc.Flags.0 & !D3D12_WORK_GRAPH_FLAGS::INCLUDE_ALL_AVAILABLE_NODES.0 != 0 {
            return Err(Error::Unsupported("work graphs with graphics nodes, and other flags of work graphs"));
        }
        Ok(Described {
            name: text(desc.ProgramName)?,
            wanted: Wanted { all, entries: entries.collect::<Result<_>>()? },
            nodes: nodes.collect::<Result<_>>()?,
        })
    }
}

/// # Safety
/// The array is as long as it says.
unsafe fn array<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller promises an array of this length.
    unsafe { core::slice::from_raw_parts(first, count as usize) }
}

/// # Safety
/// The name ends with zero.
unsafe fn id(from: &D3D12_NODE_ID) -> Result<Id> {
    // SAFETY: the caller promises a name that ends with zero.
    Ok(Id { name: unsafe { text(from.Name)? }, index: from.ArrayIndex })
}

/// # Safety
/// Null or a node's name.
unsafe fn some_id(from: *const D3D12_NODE_ID) -> Result<Option<Id>> {
    // SAFETY: the caller promises null or a name that ends with zero.
    unsafe { from.as_ref().map(|from| id(from)).transpose() }
}

/// # Safety
/// The node is readable as its type says, and each pointer in it is null or leads to as many elements as the count beside it.
unsafe fn explicit(node: &D3D12_NODE) -> Result<Explicit> {
    if node.NodeType != D3D12_NODE_TYPE::SHADER {
        return Err(Error::Unsupported("nodes of work graphs that are programs: mesh nodes and other graphics nodes"));
    }
    // SAFETY: the type says which member of the union there is, and the caller promises that its name ends with a zero and that its
    // overrides are null or readable.
    unsafe {
        let shader = &node.Anonymous.Shader;
        let name = text(shader.Shader)?;
        let any = shader.Anonymous.pCommonComputeNodeOverrides;
        let common = |launch| -> Result<Explicit> {
            let desc = any.as_ref().ok_or_else(|| invalid(format!("node {name:?} has overrides that are null")))?;
            compute(name.clone(), launch, desc)
        };
        match shader.OverridesType {
            Overrides::NONE => Ok(Explicit { shader: name, ..Explicit::default() }),
            // These are one structure under several names.
            Overrides::COALESCING_LAUNCH => common(Some(Launch::Coalescing)),
            Overrides::THREAD_LAUNCH => common(Some(Launch::Thread)),
            Overrides::COMMON_COMPUTE => common(None),
            Overrides::BROADCASTING_LAUNCH => {
                let desc: *const D3D12_BROADCASTING_LAUNCH_OVERRIDES = shader.Anonymous.pBroadcastingLaunchOverrides;
                let desc =
                    desc.as_ref().ok_or_else(|| invalid(format!("node {name:?} has overrides that are null")))?;
                let three = |grid: *const u32| (!grid.is_null()).then(|| [0, 1, 2].map(|at| *grid.add(at)));
                let fixed = three(desc.pDispatchGrid).map(|grid| (grid, false));
                Ok(Explicit {
                    shader: name,
                    launch: Some(Launch::Broadcasting),
                    table: desc.pLocalRootArgumentsTableIndex.as_ref().copied(),
                    begins: begins(desc.pProgramEntry),
                    id: some_id(desc.pNewName)?,
                    shares: some_id(desc.pShareInputOf)?,
                    grid: fixed.or(three(desc.pMaxDispatchGrid).map(|grid| (grid, true))),
                    outputs: outputs(desc.pOutputOverrides, desc.NumOutputOverrides)?,
                })
            }
            Overrides(other) => Err(invalid(format!("{other} is no type of overrides of nodes"))),
        }
    }
}

/// # Safety
/// Null or readable.
unsafe fn begins(from: *const BOOL) -> Option<bool> {
    // SAFETY: the caller promises that it is null or readable.
    unsafe { from.as_ref() }.map(|begins| *begins != 0)
}

/// # Safety
/// The overrides are readable as their type says, and each pointer in them is null or leads to as many elements as the count beside it.
unsafe fn compute(
    shader: String,
    launch: Option<Launch>,
    desc: &D3D12_COMMON_COMPUTE_NODE_OVERRIDES,
) -> Result<Explicit> {
    // SAFETY: the caller promises that each pointer of the overrides is null or readable, and that arrays have the length beside them.
    unsafe {
        Ok(Explicit {
            shader,
            launch,
            table: desc.pLocalRootArgumentsTableIndex.as_ref().copied(),
            begins: begins(desc.pProgramEntry),
            id: some_id(desc.pNewName)?,
            shares: some_id(desc.pShareInputOf)?,
            grid: None,
            outputs: outputs(desc.pOutputOverrides, desc.NumOutputOverrides)?,
        })
    }
}

/// # Safety
/// The array is as long as it says.
unsafe fn outputs(first: *const D3D12_NODE_OUTPUT_OVERRIDES, count: u32) -> Result<Vec<Output>> {
    // SAFETY: the caller promises an array of this length, each of whose pointers is null or readable until the description is read.
    let each = unsafe { array(first, count) }.iter().map(|output| unsafe {
        Ok(Output {
            index: output.OutputIndex as usize,
            to: some_id(output.pNewName)?,
            sparse: begins(output.pAllowSparseNodes),
            records: output.pMaxRecords.as_ref().copied(),
        })
    });
    each.collect()
}
