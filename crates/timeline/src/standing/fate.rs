//! What becomes of calls of a method when a recording is reduced to what still stands.
//!
//! Most methods follow from the model: those that give out objects, those of lists, those that write descriptors. What is left either
//! changes its object, so that the last such call stands, or asks or does something that is over.

use crate::codec;
use crate::state::descriptors;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::{function, interface, method};
use std::sync::OnceLock;

/// What becomes of calls of a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// It gives out objects, and stands as long as one of them is needed.
    Gives,
    /// It takes a reference.
    AddRef,
    /// It gives one up.
    Release,
    /// It is part of what a list holds.
    Recorded,
    /// It begins what a list holds anew.
    Reset,
    /// It ends what a list holds.
    Close,
    /// What lists hold of this allocator can be executed no more.
    AllocatorReset,
    /// It writes a descriptor.
    Writes,
    /// It copies descriptors.
    Copies,
    /// It maps a subresource.
    Map,
    /// It ends that.
    Unmap,
    /// A queue sets a fence's value.
    Signal,
    /// The CPU sets a fence's value.
    SetValue,
    /// A queue waits for a fence's value.
    Wait,
    /// It changes which memory tiles have.
    Tiles,
    /// It makes objects resident, or more so.
    MakeResident,
    /// The reverse.
    Evict,
    /// It writes texels of a subresource.
    Texels,
    /// It gives out a handle of an object.
    Shares,
    /// The last call of its kind stands, on its object.
    LastStands,
    /// It is over when it is over: it asks, presents, submits or waits.
    Over,
}

/// Methods that change nothing, whatever their names say.
const OVER: [MethodId; 25] = [
    method("ID3D12CommandQueue", "ExecuteCommandLists"),
    method("ID3D12CommandQueue", "BeginEvent"),
    method("ID3D12CommandQueue", "EndEvent"),
    method("ID3D12CommandQueue", "SetMarker"),
    method("ID3D12Fence", "SetEventOnCompletion"),
    method("ID3D12Device1", "SetEventOnMultipleFenceCompletion"),
    method("ID3D12Device5", "RemoveDevice"),
    method("IDXGISwapChain", "Present"),
    method("IDXGISwapChain1", "Present1"),
    method("ID3D12Resource", "ReadFromSubresource"),
    method("ID3D12ShaderCacheSession", "FindValue"),
    method("ID3D12ShaderCacheSession", "StoreValue"),
    method("ID3D12PipelineLibrary", "Serialize"),
    method("IDXGIFactory", "MakeWindowAssociation"),
    function("vkAcquireNextImageKHR"),
    function("vkAcquireNextImage2KHR"),
    function("vkQueuePresentKHR"),
    function("vkCreateFence"),
    function("vkDestroyFence"),
    function("vkResetFences"),
    function("vkWaitForFences"),
    function("vkd3d_acquire_vk_queue"),
    function("vkd3d_release_vk_queue"),
    function("vkd3d_signal_event"),
    function("vkd3d_wait_event"),
];

/// Methods that ask for numbers which later calls pass in.
const NUMBERS: [MethodId; 4] = [
    method("ID3D12Resource", "GetGPUVirtualAddress"),
    method("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart"),
    method("ID3D12DescriptorHeap", "GetGPUDescriptorHandleForHeapStart"),
    method("ID3D12StateObjectProperties", "GetShaderIdentifier"),
];

/// How the names of methods begin that only ask.
const ASKING: [&str; 7] = ["Get", "Check", "Is", "Enum", "Find", "Read", "Query"];

/// Kinds of lists.
const LISTS: [InterfaceId; 2] = [interface("ID3D12CommandList"), interface("ID3D12DebugCommandList")];

impl Fate {
    /// What becomes of calls of a method. Those that the built-in model does not have are over.
    pub(super) fn of(id: MethodId) -> Fate {
        static FATES: OnceLock<Box<[Fate]>> = OnceLock::new();
        let all = 0..u16::try_from(MODEL.methods.len()).unwrap_or(u16::MAX);
        let fates = FATES.get_or_init(|| all.map(|number| found(MethodId(number))).collect());
        fates.get(usize::from(id.0)).copied().unwrap_or(Fate::Over)
    }
}

fn found(id: MethodId) -> Fate {
    let exact: [(MethodId, Fate); 17] = [
        (method("IUnknown", "AddRef"), Fate::AddRef),
        (method("IUnknown", "Release"), Fate::Release),
        (method("ID3D12CommandAllocator", "Reset"), Fate::AllocatorReset),
        (method("ID3D12Resource", "Map"), Fate::Map),
        (method("ID3D12Resource", "Unmap"), Fate::Unmap),
        (method("ID3D12CommandQueue", "Signal"), Fate::Signal),
        (method("ID3D12CommandQueue", "Wait"), Fate::Wait),
        (method("ID3D12Fence", "Signal"), Fate::SetValue),
        (method("ID3D12CommandQueue", "UpdateTileMappings"), Fate::Tiles),
        (method("ID3D12CommandQueue", "CopyTileMappings"), Fate::Tiles),
        (method("ID3D12Device", "MakeResident"), Fate::MakeResident),
        (method("ID3D12Device3", "EnqueueMakeResident"), Fate::MakeResident),
        (method("ID3D12Device", "Evict"), Fate::Evict),
        (method("ID3D12Resource", "WriteToSubresource"), Fate::Texels),
        (method("ID3D12Device", "CreateSharedHandle"), Fate::Shares),
        (method("ID3D12Device", "OpenSharedHandleByName"), Fate::Shares),
        (method("ID3D12Object", "SetName"), Fate::LastStands),
    ];
    if let Some((_, fate)) = exact.iter().find(|(method, _)| *method == id) {
        return *fate;
    }
    if OVER.contains(&id) {
        return Fate::Over;
    }
    if codec().traits(id).output_objects {
        return Fate::Gives;
    }
    if descriptors::writes(id) {
        return Fate::Writes;
    }
    if descriptors::copies(id) {
        return Fate::Copies;
    }
    let (name, through) = (id.get().name, id.get().interface);
    let of_list = through.is_some_and(|own| LISTS.iter().any(|list| own.derives_from(*list)));
    let asks = ASKING.iter().any(|begin| name.starts_with(begin));
    match name {
        "Reset" if of_list => Fate::Reset,
        "Close" if of_list => Fate::Close,
        _ if NUMBERS.contains(&id) => Fate::LastStands,
        _ if asks => Fate::Over,
        _ if of_list => Fate::Recorded,
        _ => Fate::LastStands,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_of_each_kind_have_their_fate() {
        let of = |interface: &str, name: &str| Fate::of(method(interface, name));
        assert_eq!(of("ID3D12GraphicsCommandList", "DrawInstanced"), Fate::Recorded);
        assert_eq!(of("ID3D12GraphicsCommandList7", "Barrier"), Fate::Recorded);
        assert_eq!(of("ID3D12VideoEncodeCommandList", "Close"), Fate::Close);
        assert_eq!(of("ID3D12GraphicsCommandList", "Reset"), Fate::Reset);
        assert_eq!(of("ID3D12Device", "CreateFence"), Fate::Gives);
        assert_eq!(of("ID3D12DeviceChild", "GetDevice"), Fate::Gives);
        assert_eq!(of("ID3D12Device", "CreateSampler"), Fate::Writes);
        assert_eq!(of("ID3D12Device", "CopyDescriptorsSimple"), Fate::Copies);
        assert_eq!(of("ID3D12Fence", "GetCompletedValue"), Fate::Over);
        assert_eq!(of("ID3D12Device", "CheckFeatureSupport"), Fate::Over);
        assert_eq!(of("ID3D12Object", "SetPrivateData"), Fate::LastStands);
        assert_eq!(of("IDXGISwapChain", "ResizeBuffers"), Fate::LastStands);
        assert_eq!(of("ID3D12Resource", "WriteToSubresource"), Fate::Texels);
        assert_eq!(of("ID3D12Resource", "ReadFromSubresource"), Fate::Over);
        assert_eq!(of("ID3D12Device", "CreateSharedHandle"), Fate::Shares);
        assert_eq!(of("ID3D12Device", "OpenSharedHandle"), Fate::Gives);
    }
}
