//! Lists are recorded ahead in lanes. A method may have to wait for lanes, and may read or write descriptors: its effect on them.

use reprise_d3d12::model::{InterfaceId, Method, MethodId, Order, Role, Type};
use reprise_d3d12::{MODEL, interface, method};

use super::batch::CLOSE;
use crate::call::decision::{self, Decision, Handler};

/// The effect of a call on lists that are recorded ahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Nothing, beside the objects that it is passed.
    Other,
    /// A call of a list without result, and the descriptors that it reads.
    Call(Reading),
    Close,
    /// A call of a list that looks at another one.
    Bundle,
    /// Writes descriptors.
    Write(Writing),
    /// Waits for everything.
    All,
}

/// CPU descriptors that are read where a call is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    Nothing,
    /// The one in this word.
    One(usize),
    /// As `OMSetRenderTargets` states them.
    Targets,
    Unknown,
}

/// Descriptors that are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Writing {
    /// The one in this word.
    One(usize),
    /// As `CopyDescriptorsSimple` states them.
    Row,
    /// As `CopyDescriptors` states them.
    Rows,
}

const TARGETS: MethodId = method("ID3D12GraphicsCommandList", "OMSetRenderTargets");
const BUNDLE: MethodId = method("ID3D12GraphicsCommandList", "ExecuteBundle");
const COPY: MethodId = method("ID3D12Device", "CopyDescriptors");
const COPY_SIMPLE: MethodId = method("ID3D12Device", "CopyDescriptorsSimple");
const LIST: InterfaceId = interface("ID3D12GraphicsCommandList");
const DEVICE: InterfaceId = interface("ID3D12Device");

/// The effect of calls of a method.
pub(super) fn of(id: MethodId) -> Effect {
    let method = id.get();
    let family = |class: InterfaceId| method.interface.is_some_and(|it| it.family() == class.family());
    let plain = matches!(method.result, Type::Void) && method.order != Order::EnterLeave;
    let made = matches!(
        decision::decide(id.0),
        Some(Decision::Call | Decision::Handle(Handler::ExecuteIndirect | Handler::Hoist))
    );
    match id {
        CLOSE => Effect::Close,
        BUNDLE => Effect::Bundle,
        COPY => Effect::Write(Writing::Rows),
        COPY_SIMPLE => Effect::Write(Writing::Row),
        _ if family(LIST) && plain && made => Effect::Call(reading(id)),
        _ if family(DEVICE) && plain => {
            let written = method.params.iter().position(|field| field.name == "DestDescriptor");
            written.map_or(Effect::All, |at| Effect::Write(Writing::One(at)))
        }
        _ if ["RemoveDevice", "GetDeviceRemovedReason"].contains(&method.name) => Effect::All,
        _ => Effect::Other,
    }
}

/// Which descriptors a call of a list reads.
fn reading(id: MethodId) -> Reading {
    let method: &Method = id.get();
    let by_value = |ty: Type| !matches!(ty, Type::Pointer(_));
    let mut handles = method.params.iter().enumerate().filter(|(_, field)| has_descriptor(field.ty, field.role, 0));
    match (handles.next(), handles.next()) {
        (None, _) => Reading::Nothing,
        _ if id == TARGETS => Reading::Targets,
        (Some((at, field)), None) if by_value(field.ty) => Reading::One(at),
        _ => Reading::Unknown,
    }
}

/// Whether a value holds a CPU descriptor handle, or leads to one. A value that is nested deeper than any of the API counts as one.
fn has_descriptor(ty: Type, role: Role, depth: u32) -> bool {
    match ty {
        _ if role == Role::CpuDescriptor || depth > 8 => true,
        Type::Pointer(to) => has_descriptor(to.ty, Role::Plain, depth + 1),
        Type::Struct(id) => {
            let fields = MODEL.structs.get(usize::from(id.0)).map_or(&[][..], |it| it.fields);
            fields.iter().any(|field| has_descriptor(field.ty, field.role, depth + 1))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_what_the_api_says() {
        let list = |name| of(method("ID3D12GraphicsCommandList", name));
        for (name, expected) in [
            ("DrawInstanced", Effect::Call(Reading::Nothing)),
            ("ResourceBarrier", Effect::Call(Reading::Nothing)),
            ("SetGraphicsRootDescriptorTable", Effect::Call(Reading::Nothing)),
            ("OMSetRenderTargets", Effect::Call(Reading::Targets)),
            ("ClearRenderTargetView", Effect::Call(Reading::One(0))),
            ("ClearDepthStencilView", Effect::Call(Reading::One(0))),
            ("ClearUnorderedAccessViewUint", Effect::Call(Reading::One(1))),
            ("ExecuteIndirect", Effect::Call(Reading::Nothing)),
            ("ExecuteBundle", Effect::Bundle),
            ("Close", Effect::Close),
            ("Reset", Effect::Other),
        ] {
            assert_eq!(list(name), expected, "{name}");
        }
        assert_eq!(of(method("ID3D12GraphicsCommandList4", "BeginRenderPass")), Effect::Call(Reading::Unknown));
        assert_eq!(of(method("ID3D12GraphicsCommandList4", "DispatchRays")), Effect::Other, "it is refused");
        let device = |name| of(method("ID3D12Device", name));
        assert_eq!(device("CreateRenderTargetView"), Effect::Write(Writing::One(2)));
        assert_eq!(device("CreateUnorderedAccessView"), Effect::Write(Writing::One(3)));
        assert_eq!(device("CreateSampler"), Effect::Write(Writing::One(1)));
        assert_eq!(device("CopyDescriptors"), Effect::Write(Writing::Rows));
        assert_eq!(device("CreateCommittedResource"), Effect::Other);
        assert_eq!(of(method("ID3D12Device5", "RemoveDevice")), Effect::All);
        assert_eq!(of(method("ID3D12CommandQueue", "ExecuteCommandLists")), Effect::Other, "it is passed lists");
    }
}
