//! Methods that capture treats specially, by name.

use reprise_d3d12::model::{Method, MethodId};
use std::sync::LazyLock;

/// What capture does for a method beyond recording it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Special {
    /// Nothing.
    None,
    /// A submission: flush, records, sequence and call are one critical section.
    Submit,
    /// A queue signals a fence. As a submission, but stores are flushed only while submitted work waits for a fence.
    QueueSignal,
    /// A queue is to wait for a fence; ordered on the queue.
    QueueWait,
    /// Ordered on its queue.
    Queue,
    /// Ordered on the queue of its swap chain; ends a frame. Argument 1 holds the flags.
    Present,
    /// Makes a swap chain for the queue in argument 0, or duplicates an output for the device there.
    ForDevice,
    /// Makes a swap chain for a queue. The queue is what the method is called on.
    ByQueue,
    /// Ends a frame of a program that has no swap chain and says itself where its frames end.
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
    /// `SetProgram`: the list dispatches another graph from here on.
    SetProgram,
    /// `GetProgramIdentifier`: argument 0 is where the identifier goes, 1 the program's name.
    ProgramIdentifier,
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

/// What capture does for a method; one look into a table.
pub(crate) fn of(id: MethodId) -> Special {
    static SPECIAL: LazyLock<Box<[Special]>> = LazyLock::new(|| super::tables().methods.iter().map(classify).collect());
    SPECIAL[id.0 as usize]
}

fn classify(method: &Method) -> Special {
    let Some(owner) = method.interface.map(|id| super::interface(id).name) else {
        let makes = method.name.starts_with("D3D12CreateDevice") || method.name.starts_with("vkd3d_create_device");
        return if makes { Special::Create } else { Special::None };
    };
    match (owner, method.name) {
        ("ID3D12CommandQueue", "ExecuteCommandLists") => Special::Submit,
        ("ID3D12CommandQueue", "Signal") => Special::QueueSignal,
        ("ID3D12CommandQueue", "Wait") => Special::QueueWait,
        ("ID3D12CommandQueue", "UpdateTileMappings" | "CopyTileMappings") => Special::Queue,
        ("IDXGISwapChain" | "IDXGIVkSwapChain", "Present") | ("IDXGISwapChain1", "Present1") => Special::Present,
        (owner, name) if owner.starts_with("IDXGIFactory") && name.starts_with("CreateSwapChain") => Special::ForDevice,
        ("IWineDXGISwapChainFactory", "create_swapchain") => Special::ByQueue,
        (owner, name) if owner.starts_with("IDXGIOutput") && name.starts_with("DuplicateOutput") => Special::ForDevice,
        ("ID3D12SharingContract", "Present") => Special::ContractPresent,
        ("ID3D12Fence", "Signal") => Special::FenceSignal,
        ("ID3D12Fence", "GetCompletedValue") => Special::Fence,
        ("ID3D12Fence", "SetEventOnCompletion") => Special::FenceWait,
        ("ID3D12GraphicsCommandList10", "SetProgram") => Special::SetProgram,
        ("ID3D12StateObjectProperties1", "GetProgramIdentifier") => Special::ProgramIdentifier,
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
