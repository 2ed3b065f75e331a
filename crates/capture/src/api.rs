//! Questions about the model that the wrappers ask: by interface id, by ancestry, by name.
//!
//! Owns no facts of the API beyond the names of methods that capture treats specially ([`Known`], [`Special`]).
//! Invariant: every name stated here is found in the model, which a test checks.

use reprise_d3d12::model::{Interface, InterfaceId, Method, MethodId, Model, Order};
use std::sync::LazyLock;

/// The built-in tables.
pub(crate) fn model() -> &'static Model {
    &reprise_d3d12::MODEL
}

/// An interface of the model.
pub(crate) fn interface(id: InterfaceId) -> &'static Interface {
    &model().interfaces[id.0 as usize]
}

/// A method of the model.
pub(crate) fn method(id: MethodId) -> &'static Method {
    &model().methods[id.0 as usize]
}

pub(crate) use reprise_d3d12::lookup::by_iid;

/// The interface with this name.
pub(crate) fn by_name(name: &str) -> Option<InterfaceId> {
    model().interfaces.iter().position(|interface| interface.name == name).map(|index| InterfaceId(index as u16))
}

/// Slots of the whole vtable.
pub(crate) fn slots(id: InterfaceId) -> u16 {
    id.slots()
}

/// Whether `id` is `ancestor` or derives from it.
pub(crate) fn derives(id: InterfaceId, ancestor: InterfaceId) -> bool {
    ancestor.0 != u16::MAX && id.derives_from(ancestor)
}

/// Whether the interface is a COM interface at all (those of shader reflection are not).
pub(crate) fn has_unknown(id: InterfaceId) -> bool {
    derives(id, known().unknown)
}

/// Interfaces that capture knows by name.
pub(crate) struct Known {
    pub(crate) unknown: InterfaceId,
    pub(crate) object: InterfaceId,
    pub(crate) dxgi_object: InterfaceId,
    pub(crate) device: InterfaceId,
    pub(crate) fence: InterfaceId,
    pub(crate) resource: InterfaceId,
    pub(crate) heap: InterfaceId,
    pub(crate) descriptor_heap: InterfaceId,
    pub(crate) swap_chain: InterfaceId,
}

/// See [`Known`].
pub(crate) fn known() -> &'static Known {
    static KNOWN: LazyLock<Known> = LazyLock::new(|| {
        // A name that the model does not have stands for nothing: no interface derives from it.
        let id = |name| by_name(name).unwrap_or(InterfaceId(u16::MAX));
        Known {
            unknown: id("IUnknown"),
            object: id("ID3D12Object"),
            dxgi_object: id("IDXGIObject"),
            device: id("ID3D12Device"),
            fence: id("ID3D12Fence"),
            resource: id("ID3D12Resource"),
            heap: id("ID3D12Heap"),
            descriptor_heap: id("ID3D12DescriptorHeap"),
            swap_chain: id("IDXGISwapChain"),
        }
    });
    &KNOWN
}

/// What capture does for a method beyond recording it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Special {
    /// Nothing.
    None,
    /// A submission: flush, records, sequence and call are one critical section.
    Submit,
    /// A signal by a queue: as a submission, but flushes only while something submitted waits for a fence.
    QueueSignal,
    /// A queue is to wait for a fence; ordered on the queue.
    QueueWait,
    /// Ordered on its queue.
    Queue,
    /// Ordered on the queue of its swap chain; ends a frame. Argument 1 holds the flags.
    Present,
    /// Ends a frame, for programs that say so without a swap chain.
    ContractPresent,
    /// Ordered on its fence; flushes as a queue's signal does.
    FenceSignal,
    /// Ordered on its fence.
    Fence,
    /// Ordered on its fence, and blocks when the event (argument 1) is null.
    FenceWait,
    /// `Map`: argument 0 the subresource, 1 the read range, 2 the out pointer.
    Map,
    /// `Unmap`: argument 0 the subresource.
    Unmap,
    /// `Reset` of an allocator or a list: fences are observed.
    Reset,
    /// `GetPrivateData`: our own notice is not found.
    GetPrivateData,
    /// `SetPrivateDataInterface`: the program's pointer is passed as it is, so that it comes back as it was.
    SetPrivateDataInterface,
    /// An exported function that makes a device: a session is opened for it, in a forked child as well.
    Create,
    /// `RegisterMessageCallback`: function in argument 0, context in argument 2.
    MessageCallback,
    /// `RegisterDestructionCallback`: function in argument 0, context in argument 1.
    DestructionCallback,
}

/// See [`Special`]; a table look-up.
pub(crate) fn special(id: MethodId) -> Special {
    static SPECIAL: LazyLock<Box<[Special]>> = LazyLock::new(|| model().methods.iter().map(classify).collect());
    SPECIAL[id.0 as usize]
}

fn classify(method: &Method) -> Special {
    let Some(owner) = method.interface.map(|id| interface(id).name) else {
        let makes = method.name.starts_with("D3D12CreateDevice") || method.name.starts_with("vkd3d_create_device");
        return if makes { Special::Create } else { Special::None };
    };
    match (owner, method.name) {
        ("ID3D12CommandQueue", "ExecuteCommandLists") => Special::Submit,
        ("ID3D12CommandQueue", "Signal") => Special::QueueSignal,
        ("ID3D12CommandQueue", "Wait") => Special::QueueWait,
        ("ID3D12CommandQueue", "UpdateTileMappings" | "CopyTileMappings") => Special::Queue,
        ("IDXGISwapChain", "Present") | ("IDXGISwapChain1", "Present1") => Special::Present,
        ("ID3D12SharingContract", "Present") => Special::ContractPresent,
        ("ID3D12Fence", "Signal") => Special::FenceSignal,
        ("ID3D12Fence", "GetCompletedValue") => Special::Fence,
        ("ID3D12Fence", "SetEventOnCompletion") => Special::FenceWait,
        ("ID3D12Resource", "Map") => Special::Map,
        ("ID3D12Resource", "Unmap") => Special::Unmap,
        ("ID3D12Object" | "IDXGIObject", "GetPrivateData") => Special::GetPrivateData,
        ("ID3D12Object" | "IDXGIObject", "SetPrivateDataInterface") => Special::SetPrivateDataInterface,
        ("ID3D12InfoQueue1", "RegisterMessageCallback") => Special::MessageCallback,
        ("ID3DDestructionNotifier", "RegisterDestructionCallback") => Special::DestructionCallback,
        (owner, "Reset") if owner.starts_with("ID3D12") && owner.contains("Command") => Special::Reset,
        _ => Special::None,
    }
}

/// Whether the API leaves the order of the method's calls on its object to the program: those of interfaces with methods
/// that are ordered by the object alone (command lists).
pub(crate) fn ordered(id: MethodId) -> bool {
    static ORDERED: LazyLock<Box<[bool]>> = LazyLock::new(|| {
        let model = model();
        let family = |method: &Method| method.interface.map(|id| interface(id).family);
        let mut families = vec![false; model.interfaces.len()];
        for method in model.methods.iter().filter(|method| method.order == Order::Object) {
            if let Some(family) = family(method) {
                families[family.0 as usize] = true;
            }
        }
        model.methods.iter().map(|method| family(method).is_some_and(|family| families[family.0 as usize])).collect()
    });
    ORDERED[id.0 as usize]
}
