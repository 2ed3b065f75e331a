//! The calls that make heaps and resources, and where their descriptions are.

use crate::argument;
use crate::argument::{Argument, Damaged, ObjectId, One};
use crate::call::Call;
use reprise_d3d12::description::newer;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BARRIER_LAYOUT, D3D12_HEAP_DESC, D3D12_HEAP_FLAGS, D3D12_HEAP_PROPERTIES, D3D12_RESOURCE_DESC,
    D3D12_RESOURCE_DESC1, D3D12_RESOURCE_STATES,
};

/// The description of a resource, in either form.
pub(super) enum Desc {
    Older(Argument<One<D3D12_RESOURCE_DESC>>),
    Newer(Argument<One<D3D12_RESOURCE_DESC1>>),
}

/// What a creation says of the resource's memory.
pub(super) enum Allocation {
    Committed(Argument<One<D3D12_HEAP_PROPERTIES>>, Argument<D3D12_HEAP_FLAGS>),
    Placed(Argument<ObjectId>, Argument<u64>),
    Reserved,
}

/// The state that a resource begins in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialState {
    /// `D3D12_RESOURCE_STATES`.
    State(u32),
    /// `D3D12_BARRIER_LAYOUT`.
    Layout(u32),
}

/// Where a creation says it.
enum Begins {
    State(Argument<D3D12_RESOURCE_STATES>),
    Layout(Argument<D3D12_BARRIER_LAYOUT>),
}

/// A method that makes resources.
pub(super) struct Row {
    pub(super) desc: Desc,
    pub(super) allocation: Allocation,
    begins: Begins,
}

impl Desc {
    /// The description in the newer form; `None` where it is null.
    pub(super) fn of(&self, call: &Call<'_>) -> Result<Option<D3D12_RESOURCE_DESC1>, Damaged> {
        match self {
            Desc::Older(desc) => Ok(desc.of(call)?.as_ref().map(newer)),
            Desc::Newer(desc) => desc.of(call),
        }
    }
}

impl Row {
    pub(super) const fn method(&self) -> MethodId {
        match &self.desc {
            Desc::Older(desc) => desc.method(),
            Desc::Newer(desc) => desc.method(),
        }
    }
}

/// The description of the resource that a call makes, in the newer form; `None` for other calls.
///
/// # Errors
/// When the arguments are damaged.
pub fn resource(call: &Call<'_>) -> Result<Option<D3D12_RESOURCE_DESC1>, Damaged> {
    RESOURCES.iter().find(|row| row.method() == call.method).map_or(Ok(None), |row| row.desc.of(call))
}

/// Whether calls of a method make resources with a description.
pub fn makes_resource(method: MethodId) -> bool {
    RESOURCES.iter().any(|row| row.method() == method)
}

/// The state that all subresources of the resource that a call makes begin in; `None` for other calls.
///
/// # Errors
/// When the arguments are damaged.
pub fn initial_state(call: &Call<'_>) -> Result<Option<InitialState>, Damaged> {
    let Some(row) = RESOURCES.iter().find(|row| row.method() == call.method) else { return Ok(None) };
    Ok(Some(match &row.begins {
        Begins::State(state) => InitialState::State(state.of(call)?.0),
        Begins::Layout(layout) => InitialState::Layout(layout.of(call)?.0 as u32),
    }))
}

/// The description of the heap that a call makes; `None` for other calls.
///
/// # Errors
/// When the arguments are damaged.
pub fn heap(call: &Call<'_>) -> Result<Option<D3D12_HEAP_DESC>, Damaged> {
    HEAPS.iter().find(|heap| heap.method() == call.method).map_or(Ok(None), |heap| heap.of(call))
}

/// Whether calls of a method make heaps with a description.
pub fn makes_heap(method: MethodId) -> bool {
    HEAPS.iter().any(|heap| heap.method() == method)
}

/// The properties of the heap that a call makes for a resource alone; `None` for other calls.
///
/// # Errors
/// When the arguments are damaged.
pub fn own_heap(call: &Call<'_>) -> Result<Option<D3D12_HEAP_PROPERTIES>, Damaged> {
    match RESOURCES.iter().find(|row| row.method() == call.method).map(|row| &row.allocation) {
        Some(Allocation::Committed(properties, _)) => properties.of(call),
        _ => Ok(None),
    }
}

/// The heap that a call places a resource in, and the offset there in bytes; `None` for calls that place nothing.
///
/// # Errors
/// When the arguments are damaged.
pub fn placement(call: &Call<'_>) -> Result<Option<(u32, u64)>, Damaged> {
    match RESOURCES.iter().find(|row| row.method() == call.method).map(|row| &row.allocation) {
        Some(Allocation::Placed(heap, offset)) => Ok(Some((heap.of(call)?.0, offset.of(call)?))),
        _ => Ok(None),
    }
}

macro_rules! desc {
    ($form:ident $interface:literal $method:literal) => {
        Desc::$form(argument!($interface, $method, "pDesc"))
    };
}

macro_rules! begins {
    ($interface:literal $method:literal State $parameter:literal) => {
        Begins::State(argument!($interface, $method, $parameter))
    };
    ($interface:literal $method:literal Layout $parameter:literal) => {
        Begins::Layout(argument!($interface, $method, $parameter))
    };
}

macro_rules! committed {
    ($form:ident $interface:literal $method:literal $begins:ident $parameter:literal) => {
        Row {
            desc: desc!($form $interface $method),
            allocation: Allocation::Committed(
                argument!($interface, $method, "pHeapProperties"),
                argument!($interface, $method, "HeapFlags"),
            ),
            begins: begins!($interface $method $begins $parameter),
        }
    };
}

macro_rules! placed {
    ($form:ident $interface:literal $method:literal $begins:ident $parameter:literal) => {
        Row {
            desc: desc!($form $interface $method),
            allocation: Allocation::Placed(argument!($interface, $method, "pHeap"), argument!($interface, $method, "HeapOffset")),
            begins: begins!($interface $method $begins $parameter),
        }
    };
}

macro_rules! reserved {
    ($form:ident $interface:literal $method:literal $begins:ident $parameter:literal) => {
        Row {
            desc: desc!($form $interface $method),
            allocation: Allocation::Reserved,
            begins: begins!($interface $method $begins $parameter),
        }
    };
}

/// All methods that make resources with a description.
pub(super) static RESOURCES: [Row; 11] = [
    committed!(Older "ID3D12Device" "CreateCommittedResource" State "InitialResourceState"),
    committed!(Older "ID3D12Device4" "CreateCommittedResource1" State "InitialResourceState"),
    committed!(Newer "ID3D12Device8" "CreateCommittedResource2" State "InitialResourceState"),
    committed!(Newer "ID3D12Device10" "CreateCommittedResource3" Layout "InitialLayout"),
    committed!(Older "ID3D12CompatibilityDevice" "CreateSharedResource" State "InitialResourceState"),
    placed!(Older "ID3D12Device" "CreatePlacedResource" State "InitialState"),
    placed!(Newer "ID3D12Device8" "CreatePlacedResource1" State "InitialState"),
    placed!(Newer "ID3D12Device10" "CreatePlacedResource2" Layout "InitialLayout"),
    reserved!(Older "ID3D12Device" "CreateReservedResource" State "InitialState"),
    reserved!(Older "ID3D12Device4" "CreateReservedResource1" State "InitialState"),
    reserved!(Older "ID3D12Device10" "CreateReservedResource2" Layout "InitialLayout"),
];

/// All methods that make heaps with a description.
pub(super) static HEAPS: [Argument<One<D3D12_HEAP_DESC>>; 3] = [
    argument!("ID3D12Device", "CreateHeap", "pDesc"),
    argument!("ID3D12Device4", "CreateHeap1", "pDesc"),
    argument!("ID3D12CompatibilityDevice", "CreateSharedHeap", "pHeapDesc"),
];
