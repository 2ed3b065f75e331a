//! The steps of the straight-line path: one for each argument of a method, worked out from the model at compile time.

use crate::recording::object_places::ObjectPlaces;
use reprise_d3d12::generated::{METHODS, STRUCTS};
use reprise_d3d12::model::{Direction, Field, Len, Method, MethodId, Order, Rule, Type};

/// Most parameters of a light method.
pub(crate) const MAX_PARAMS: usize = 12;
/// What the straight-line path does with one argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Its own bytes.
    Scalar(u32),
    /// An object: its id for the record, its real pointer for the call.
    Object,
    /// A pointer to elements of this many bytes.
    Array(u32, Count),
    /// The same, with objects in them: see [`ObjectPlaces`].
    Deep(u32, Count),
    /// Not for this path.
    Heavy,
}

/// How many elements there are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    Const(u32),
    /// The value of this argument, of this size.
    Field(u8, u32),
    /// This argument, unless the other one says that one handle stands for all ([`Rule::RenderTargets`]).
    Targets(u8, u8),
}

const fn flat(ty: Type) -> bool {
    match ty {
        Type::Void | Type::Object(_) | Type::Pointer(_) => false,
        Type::Struct(id) => STRUCTS[id.0 as usize].flat,
        _ => true,
    }
}

const fn step(method: &Method, index: usize) -> Step {
    let field: &Field = &method.params[index];
    if !matches!(field.direction, Direction::In) || field.count != 1 {
        return Step::Heavy;
    }
    match field.ty {
        Type::Object(_) => Step::Object,
        Type::Pointer(to) => {
            let size = to.ty.size(STRUCTS);
            let count = match to.len {
                Len::One => Count::Const(1),
                Len::Const(count) => Count::Const(count),
                Len::Field(at) => Count::Field(at, method.params[at as usize].ty.size(STRUCTS)),
                Len::Bytes(at) if size == 1 => Count::Field(at, method.params[at as usize].ty.size(STRUCTS)),
                Len::Rule(Rule::RenderTargets) => match targets(method) {
                    Some(count) => count,
                    None => return Step::Heavy,
                },
                _ => return Step::Heavy,
            };
            if flat(to.ty) {
                Step::Array(size, count)
            } else if ObjectPlaces::of(to.ty).is_some() && !matches!(count, Count::Targets(..)) {
                Step::Deep(size, count)
            } else {
                Step::Heavy
            }
        }
        Type::Struct(_) | Type::Guid | Type::Void => Step::Heavy,
        other => Step::Scalar(other.size(STRUCTS)),
    }
}

/// `OMSetRenderTargets(NumRenderTargetDescriptors, pRenderTargetDescriptors, RTsSingleHandleToDescriptorRange, ..)`.
const fn targets(method: &Method) -> Option<Count> {
    if method.params.len() == 4 && matches!(method.params[0].ty, Type::U32) && matches!(method.params[2].ty, Type::Bool)
    {
        Some(Count::Targets(0, 2))
    } else {
        None
    }
}

/// Calls that need more than recording, although their arguments are light.
const EXCLUDED: [MethodId; 14] = [
    reprise_d3d12::method("ID3D12Device", "GetDeviceRemovedReason"),
    reprise_d3d12::method("ID3D12CommandQueue", "ExecuteCommandLists"),
    reprise_d3d12::method("ID3D12Fence", "Signal"),
    reprise_d3d12::method("ID3D12Fence", "GetCompletedValue"),
    reprise_d3d12::method("ID3D12Fence", "SetEventOnCompletion"),
    reprise_d3d12::method("ID3D12CommandQueue", "Signal"),
    reprise_d3d12::method("ID3D12CommandQueue", "Wait"),
    reprise_d3d12::method("ID3D12CommandQueue", "UpdateTileMappings"),
    reprise_d3d12::method("ID3D12CommandQueue", "CopyTileMappings"),
    reprise_d3d12::method("ID3D12Resource", "Unmap"),
    reprise_d3d12::method("IDXGISwapChain", "Present"),
    reprise_d3d12::method("ID3D12SharingContract", "Present"),
    reprise_d3d12::method("ID3D12CommandAllocator", "Reset"),
    reprise_d3d12::method("ID3D12GraphicsCommandList10", "SetProgram"),
];

/// Whether the order of some call on the same interfaces is the object's own.
const fn ordered(method: &Method) -> bool {
    let Some(owner) = method.interface else { return false };
    let family = owner.family().0;
    let mut at = 0;
    while at < METHODS.len() {
        if let (Some(other), Order::Object) = (METHODS[at].interface, METHODS[at].order)
            && other.family().0 == family
        {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether a method takes the straight-line path.
pub(crate) const fn is_light(id: u16) -> bool {
    let method = &METHODS[id as usize];
    if method.interface.is_none() || method.returns_structure || method.params.len() > MAX_PARAMS {
        return false;
    }
    let mut at = 0;
    while at < EXCLUDED.len() {
        if EXCLUDED[at].0 == id {
            return false;
        }
        at += 1;
    }
    let mut index = 0;
    while index < method.params.len() {
        if matches!(step(method, index), Step::Heavy) {
            return false;
        }
        index += 1;
    }
    match (method.order, method.result) {
        (Order::Object, Type::Void) => true,
        (Order::Enter, Type::Void) => !ordered(method),
        (
            Order::EnterLeave,
            Type::U8
            | Type::U16
            | Type::U32
            | Type::I32
            | Type::U64
            | Type::I64
            | Type::Bool
            | Type::Enum(_)
            | Type::Word,
        ) => !ordered(method),
        _ => false,
    }
}

/// Whether a method is one of command lists.
pub(crate) const fn is_of_lists(id: u16) -> bool {
    const LISTS: u16 = reprise_d3d12::interface("ID3D12GraphicsCommandList").family().0;
    match METHODS[id as usize].interface {
        Some(owner) => owner.family().0 == LISTS,
        None => false,
    }
}

/// Parameters of a method.
pub(crate) const fn steps(id: u16) -> usize {
    METHODS[id as usize].params.len()
}

/// What is done with one argument of a method; [`Step::Heavy`] past the last.
pub(crate) const fn step_of(id: u16, index: usize) -> Step {
    if index < steps(id) { step(&METHODS[id as usize], index) } else { Step::Heavy }
}

/// Where the objects are in the elements of a [`Step::Deep`].
pub(crate) const fn sites(id: u16, index: usize) -> Option<ObjectPlaces> {
    match step_of(id, index) {
        Step::Deep(..) => match METHODS[id as usize].params[index].ty {
            Type::Pointer(to) => ObjectPlaces::of(to.ty),
            _ => None,
        },
        _ => None,
    }
}

/// Where an argument lies in the argument block, in bytes.
pub(crate) const fn offset_of(id: u16, index: usize) -> usize {
    if index < steps(id) { METHODS[id as usize].params[index].offset as usize } else { 0 }
}

/// Whether the 8 bytes at `slot` of the argument block are not all arguments.
pub(crate) const fn has_gap(id: u16, slot: usize) -> bool {
    let method = &METHODS[id as usize];
    if slot * 8 >= method.args_size as usize {
        return false;
    }
    let mut covered = 0;
    let mut index = 0;
    while index < method.params.len() {
        if method.params[index].offset as usize / 8 == slot {
            covered += method.params[index].ty.size(STRUCTS);
        }
        index += 1;
    }
    covered < 8
}

/// Whether a light method reads memory of the program.
pub(crate) const fn reads(id: u16) -> bool {
    let mut index = 0;
    while index < steps(id) {
        if let Step::Array(..) | Step::Deep(..) = step_of(id, index) {
            return true;
        }
        index += 1;
    }
    false
}

/// Whether objects lie in memory that a light method reads.
pub(crate) const fn deep(id: u16) -> bool {
    let mut index = 0;
    while index < steps(id) {
        if let Step::Deep(..) = step_of(id, index) {
            return true;
        }
        index += 1;
    }
    false
}
