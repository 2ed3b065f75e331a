//! What replay does with each method and function of the API.
//!
//! Rules are tried in order; the first that fits decides. A name that ends in `*` fits every name with that beginning.
//! Invariant: every method of the model has a decision (a test walks them all), and a call that is not made has a stated reason.

use std::sync::LazyLock;

use reprise_d3d12::MODEL;
use reprise_d3d12::model::Method;

/// The way that replay treats a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Decision {
    /// Made. Where it gave an object at capture, it has to here.
    Call,
    /// Made, and its answer is compared with the recorded one; a difference is reported.
    Query,
    /// Made or not, by code of its own.
    Handle(Handler),
    /// Not made; the reason goes into the report.
    Skip(&'static str),
    /// Cannot be honoured; ends the replay if it succeeded at capture.
    Refuse(&'static str),
}

/// Calls with code of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Handler {
    /// The object goes when the recorded count says so.
    Release,
    /// Makes the device, whichever function the runtime has for it.
    CreateDevice,
    /// Made; recorded and replayed start are paired.
    CpuHeapStart,
    GpuHeapStart,
    /// Made; recorded and replayed increment are paired.
    Increment,
    /// Not made; the recorded range is noted.
    GpuAddress,
    Map,
    Unmap,
    /// Made, and its texels are compared.
    ReadSubresource,
    /// Waits for the value that the program saw.
    CompletedValue,
    /// Blocks where it blocked at capture, and not longer.
    FenceEvent,
    MultipleFenceEvent,
    /// Made as a creation; what the capture did not find is not kept here.
    LoadPipeline,
    /// Made with memory of replay's own.
    HostedHeap,
    /// Not made; the object stays behind the recorded handle.
    CreateShared,
    /// Not made; the recorded handle is another one of the same object.
    FindShared,
    /// Not made; the object behind the recorded handle is given out.
    OpenShared,
    /// Made where the addresses in its arguments are right.
    ExecuteIndirect,
    /// Made once what indirect commands of the render pass or bundle read is moved.
    Hoist,
    /// Made with a copy of instances whose addresses are right.
    BuildStructure,
    /// Made where the source is a structure of this runtime.
    CopyStructure,
    /// Made where shader tables are right as they are.
    DispatchRays,
    /// Made, and the identifier is compared.
    Identifier,
    /// Made; recorded and replayed identifier are paired.
    ProgramIdentifier,
    /// Made with this runtime's identifier of the program.
    SetProgram,
    /// Made where inputs in memory are right as they are.
    DispatchGraph,
    /// Made once addresses and handles among its parameters are those of this device.
    InitializeMetaCommand,
    ExecuteMetaCommand,
    VkSwapchainImages,
    VkPresent,
    Vkd3dImageResource,
    Vkd3dAcquireQueue,
    DxgiCreateSwapChain,
    DxgiGetBuffer,
    DxgiPresent,
    DxgiResize,
    /// The same, as Vulkan's swap chains have it.
    DxgiChange,
    /// Not made; notes the part of a buffer that is shown.
    DxgiSource,
    DxgiIndex,
    DxgiDesc,
    /// Not made; gives out the queue or the device behind a swap chain.
    DxgiDevice,
}

impl Handler {
    /// Whether replay answers the call itself, so that nothing of the runtime's need be there for it.
    pub(crate) fn stays_within(self) -> bool {
        matches!(
            self,
            Self::Release
                | Self::CreateDevice
                | Self::VkSwapchainImages
                | Self::VkPresent
                | Self::Vkd3dImageResource
                | Self::Vkd3dAcquireQueue
                | Self::DxgiCreateSwapChain
                | Self::DxgiGetBuffer
                | Self::DxgiPresent
                | Self::DxgiResize
                | Self::DxgiChange
                | Self::DxgiSource
                | Self::DxgiIndex
                | Self::DxgiDesc
                | Self::DxgiDevice
        )
    }
}

use Decision::{Call, Handle, Query, Refuse, Skip};

const OWN_REFERENCES: Decision = Skip("references are kept by their outcome");
const PRIVATE: Decision = Skip("private data means something to the program only");
const TOOLS: Decision = Skip("debug and tool interfaces of the captured program are left out");
const WINDOWS: Decision = Skip("windows, displays and adapters stay with the captured program");
const PACING: Decision = Skip("when and how a buffer is shown changes no pixel of it");
const OTHER_API: Decision = Skip("DXGI's devices and surfaces belong to other APIs than Direct3D 12");
const VULKAN: Decision = Skip("Vulkan objects stay with the captured program; presentation is headless");
const INTEROP: Decision = Refuse("the program's own Vulkan commands are not in the trace");
const LENT: Decision = Skip("what the program itself gave to Vulkan meanwhile is not in the trace");
const VENDOR: Decision = Refuse("what only one vendor's hardware can is not replayed");
const EVENTS: Decision = Skip("events are replay's own; fence values keep the order");
const SHARED: Decision = Refuse("objects shared with another process or API cannot be opened at replay");
const HOST_MEMORY: Decision = Refuse("the heap lies in memory of the program's own whose size is not in the trace");
const MACHINE: Decision = Skip("acts on the machine, not on the frames");
const BLOB: Decision = Skip("blob contents are passed where they are used");
const VIDEO: Decision = Refuse("video is not replayed yet");
const OTHER_MACHINE: Decision = Skip("tells about the machine and time of the capture");
const CALLBACKS: Decision = Skip("callbacks of the program are not called");
const COMPILER: Decision = Skip("results of the state object compiler are not used at replay");
const GUEST: Decision = Refuse("virtual machine guests are not replayed");

/// Interface (empty for functions), method, decision.
const RULES: &[(&str, &str, Decision)] = &[
    ("IUnknown", "QueryInterface", Query),
    ("IUnknown", "AddRef", OWN_REFERENCES),
    ("IUnknown", "Release", Handle(Handler::Release)),
    ("ID3D12Object", "SetName", Call),
    ("ID3D12Object", "*", PRIVATE),
    ("ID3D12DeviceChild", "GetDevice", Query),
    ("ID3DBlob", "*", BLOB),
    ("ID3DDestructionNotifier", "*", CALLBACKS),
    // The device.
    ("ID3D12DeviceExt*", "GetVulkan*", VULKAN),
    ("ID3D12DeviceExt*", "GetExtensionSupport", OTHER_MACHINE),
    ("ID3D12DeviceExt*", "Supports*", OTHER_MACHINE),
    ("ID3D12DeviceExt*", "IsNvShaderExtnOpCodeSupported", OTHER_MACHINE),
    ("ID3D12DeviceExt*", "SetCreatePipelineStateFlagsNVAPI", Call),
    ("ID3D12DeviceExt*", "*", VENDOR),
    ("ID3D12GraphicsCommandListExt*", "GetVulkanHandle", INTEROP),
    ("ID3D12GraphicsCommandListExt*", "Verify*", OTHER_MACHINE),
    ("ID3D12GraphicsCommandListExt*", "*", VENDOR),
    ("ID3D12CommandQueueExt", "*", PACING),
    ("ID3DLowLatencyDevice", "SupportsLowLatency", OTHER_MACHINE),
    ("ID3DLowLatencyDevice", "*", PACING),
    ("IAmdExtAntiLagApi", "*", PACING),
    ("ID3D12DXVKInteropDevice*", "Create*", INTEROP),
    ("ID3D12DXVKInteropDevice*", "BeginVk*", INTEROP),
    ("ID3D12DXVKInteropDevice*", "EndVk*", INTEROP),
    ("ID3D12DXVKInteropDevice*", "Lock*", LENT),
    ("ID3D12DXVKInteropDevice*", "Unlock*", LENT),
    ("ID3D12DXVKInteropDevice*", "*", VULKAN),
    ("ID3D12Device*", "GetDescriptorHandleIncrementSize", Handle(Handler::Increment)),
    ("ID3D12Device*", "SetEventOnMultipleFenceCompletion", Handle(Handler::MultipleFenceEvent)),
    ("ID3D12Device*", "CreateSharedHandle", Handle(Handler::CreateShared)),
    ("ID3D12Device*", "OpenSharedHandleByName", Handle(Handler::FindShared)),
    ("ID3D12Device*", "OpenSharedHandle", Handle(Handler::OpenShared)),
    ("ID3D12Device*", "OpenExistingHeapFromAddress1", Handle(Handler::HostedHeap)),
    ("ID3D12Device*", "OpenExistingHeap*", HOST_MEMORY),
    ("ID3D12Device*", "CreateLifetimeTracker", CALLBACKS),
    ("ID3D12Device*", "GetAdapterLuid", OTHER_MACHINE),
    ("ID3D12Device*", "CheckDriverMatchingIdentifier", OTHER_MACHINE),
    ("ID3D12Device*", "SetStablePowerState", MACHINE),
    ("ID3D12Device*", "SetBackgroundProcessingMode", MACHINE),
    ("ID3D12Device*", "ShaderCacheControl", MACHINE),
    ("ID3D12Device*", "CreateShaderCacheSession", MACHINE),
    ("ID3D12Device*", "SetResidencyPriority", MACHINE),
    ("ID3D12DeviceFactory", "CreateDevice", Handle(Handler::CreateDevice)),
    ("ID3D12DeviceFactory", "*", TOOLS),
    ("ID3D12DeviceConfiguration*", "*", TOOLS),
    ("ID3D12DeviceRemovedExtendedData*", "*", TOOLS),
    ("ID3D12DeviceTools*", "*", TOOLS),
    ("ID3D12Device*", "Create*", Call),
    ("ID3D12Device*", "Copy*", Call),
    ("ID3D12Device*", "Get*", Query),
    ("ID3D12Device*", "CheckFeatureSupport", Query),
    ("ID3D12Device*", "Enumerate*", Query),
    ("ID3D12Device*", "MakeResident", Call),
    ("ID3D12Device*", "EnqueueMakeResident", Call),
    ("ID3D12Device*", "Evict", Call),
    ("ID3D12Device*", "AddToStateObject", Call),
    ("ID3D12Device*", "TryCreate*", Call),
    ("ID3D12Device*", "ResolveQueryData", Call),
    ("ID3D12Device*", "RegisterTrimNotificationCallback", CALLBACKS),
    ("ID3D12Device*", "UnregisterTrimNotificationCallback", CALLBACKS),
    ("ID3D12Device*", "RemoveDevice", Call),
    // Queues, lists, allocators.
    ("ID3D12CommandQueue*", "GetClockCalibration", OTHER_MACHINE),
    ("ID3D12CommandQueue*", "GetTimestampFrequency", OTHER_MACHINE),
    ("ID3D12CommandQueue*", "GetProcessPriority", MACHINE),
    ("ID3D12CommandQueue*", "GetGlobalPriority", MACHINE),
    ("ID3D12CommandQueue*", "SetProcessPriority", MACHINE),
    ("ID3D12CommandQueue*", "SetGlobalPriority", MACHINE),
    ("ID3D12CommandQueue*", "Get*", Query),
    ("ID3D12CommandQueue*", "*", Call),
    ("ID3D12CommandAllocator", "Reset", Call),
    ("ID3D12CommandList", "GetType", Query),
    ("ID3D12GraphicsCommandList*", "ExecuteIndirect", Handle(Handler::ExecuteIndirect)),
    ("ID3D12GraphicsCommandList*", "BeginRenderPass", Handle(Handler::Hoist)),
    ("ID3D12GraphicsCommandList*", "EndRenderPass", Handle(Handler::Hoist)),
    ("ID3D12GraphicsCommandList*", "ExecuteBundle", Handle(Handler::Hoist)),
    ("ID3D12GraphicsCommandList*", "BuildRaytracingAccelerationStructure", Handle(Handler::BuildStructure)),
    ("ID3D12GraphicsCommandList*", "CopyRaytracingAccelerationStructure", Handle(Handler::CopyStructure)),
    ("ID3D12GraphicsCommandList*", "DispatchRays", Handle(Handler::DispatchRays)),
    ("ID3D12GraphicsCommandList*", "SetProgram", Handle(Handler::SetProgram)),
    ("ID3D12GraphicsCommandList*", "DispatchGraph", Handle(Handler::DispatchGraph)),
    ("ID3D12GraphicsCommandList*", "InitializeMetaCommand", Handle(Handler::InitializeMetaCommand)),
    ("ID3D12GraphicsCommandList*", "ExecuteMetaCommand", Handle(Handler::ExecuteMetaCommand)),
    ("ID3D12GraphicsCommandList*", "*", Call),
    // Resources, heaps, descriptors.
    ("ID3D12Resource*", "Map", Handle(Handler::Map)),
    ("ID3D12Resource*", "Unmap", Handle(Handler::Unmap)),
    ("ID3D12Resource*", "GetGPUVirtualAddress", Handle(Handler::GpuAddress)),
    ("ID3D12Resource*", "WriteToSubresource", Call),
    ("ID3D12Resource*", "ReadFromSubresource", Handle(Handler::ReadSubresource)),
    ("ID3D12Resource*", "Get*", Query),
    ("ID3D12Heap*", "Get*", Query),
    ("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart", Handle(Handler::CpuHeapStart)),
    ("ID3D12DescriptorHeap", "GetGPUDescriptorHandleForHeapStart", Handle(Handler::GpuHeapStart)),
    ("ID3D12DescriptorHeap", "GetDesc", Query),
    ("ID3D12Fence*", "GetCompletedValue", Handle(Handler::CompletedValue)),
    ("ID3D12Fence*", "SetEventOnCompletion", Handle(Handler::FenceEvent)),
    ("ID3D12Fence*", "Signal", Call),
    ("ID3D12Fence*", "GetCreationFlags", Query),
    // Pipelines.
    ("ID3D12PipelineState*", "GetCachedBlob", Skip("the blob belongs to the driver of the capture")),
    ("ID3D12PipelineState*", "GetRootSignature", Query),
    ("ID3D12PipelineLibrary*", "GetSerializedSize", OTHER_MACHINE),
    ("ID3D12PipelineLibrary*", "Serialize", OTHER_MACHINE),
    ("ID3D12PipelineLibrary*", "Load*", Handle(Handler::LoadPipeline)),
    (
        "ID3D12PipelineLibrary*",
        "StorePipeline",
        Skip("pipelines are made from their descriptions; libraries stay empty"),
    ),
    ("ID3D12RootSignatureDeserializer", "*", Query),
    ("ID3D12VersionedRootSignatureDeserializer", "*", Query),
    ("ID3D12StateObjectProperties*", "GetShaderIdentifier", Handle(Handler::Identifier)),
    ("ID3D12StateObjectProperties*", "GetProgramIdentifier", Handle(Handler::ProgramIdentifier)),
    ("ID3D12StateObjectProperties*", "SetPipelineStackSize", Call),
    ("ID3D12StateObjectProperties*", "Get*", Query),
    ("ID3D12WorkGraphProperties*", "Get*", Query),
    ("ID3D12MetaCommand", "*", Query),
    ("ID3D12ProtectedResourceSession*", "*", Query),
    ("ID3D12ProtectedSession", "*", Query),
    ("ID3D12ShaderCacheSession", "*", MACHINE),
    ("ID3D12LifetimeOwner", "*", CALLBACKS),
    ("ID3D12LifetimeTracker", "*", CALLBACKS),
    // Debugging and tools.
    ("ID3D12Debug*", "*", TOOLS),
    ("ID3D12InfoQueue*", "*", TOOLS),
    ("ID3D12SharingContract", "*", TOOLS),
    ("ID3D12GBVDiagnostics", "*", TOOLS),
    ("ID3D12ManualWriteTrackingResource", "*", TOOLS),
    ("ID3D12PageableTools", "*", TOOLS),
    ("ID3D12Tools*", "*", TOOLS),
    ("ID3D12SDKConfiguration*", "*", TOOLS),
    ("ID3D12DSRDeviceFactory", "*", TOOLS),
    ("ID3D12SwapChainAssistant", "*", PACING),
    ("ID3D12VirtualizationGuestDevice", "*", GUEST),
    ("ID3D12ApplicationIdentity", "*", TOOLS),
    ("ID3D12RuntimeValidationControl", "*", TOOLS),
    ("ID3D12CompatibilityDevice", "*", SHARED),
    ("ID3D12Compiler*", "*", COMPILER),
    ("ID3D12StateObjectDatabase*", "*", COMPILER),
    ("ID3D12RootSignature1", "*", Query),
    ("ID3D12Video*", "*", VIDEO),
    ("ID3D12FunctionReflection", "*", TOOLS),
    ("ID3D12FunctionParameterReflection", "*", TOOLS),
    ("ID3D12LibraryReflection", "*", TOOLS),
    ("ID3D12ShaderReflection*", "*", TOOLS),
    // DXGI.
    ("IDXGISwapChain*", "Present*", Handle(Handler::DxgiPresent)),
    ("IDXGISwapChain*", "GetBuffer", Handle(Handler::DxgiGetBuffer)),
    ("IDXGISwapChain*", "ResizeBuffers*", Handle(Handler::DxgiResize)),
    ("IDXGISwapChain*", "SetSourceSize", Handle(Handler::DxgiSource)),
    ("IDXGISwapChain*", "GetCurrentBackBufferIndex", Handle(Handler::DxgiIndex)),
    ("IDXGISwapChain*", "GetDesc*", Handle(Handler::DxgiDesc)),
    ("IDXGISwapChain*", "ResizeTarget", WINDOWS),
    ("IDXGISwapChain*", "SetFullscreenState", WINDOWS),
    ("IDXGISwapChain*", "GetFullscreen*", WINDOWS),
    ("IDXGISwapChain*", "GetContainingOutput", WINDOWS),
    ("IDXGISwapChain*", "GetHwnd", WINDOWS),
    ("IDXGISwapChain*", "GetCoreWindow", WINDOWS),
    ("IDXGISwapChain*", "GetRestrictToOutput", WINDOWS),
    ("IDXGISwapChain*", "*", PACING),
    ("IDXGIDecodeSwapChain", "*", OTHER_API),
    ("IDXGIDeviceSubObject", "GetDevice", Handle(Handler::DxgiDevice)),
    ("IDXGIObject", "GetParent", WINDOWS),
    ("IDXGIObject", "*", PRIVATE),
    ("IDXGIFactory*", "CreateDecodeSwapChain*", OTHER_API),
    ("IDXGIFactory*", "CreateSwapChain*", Handle(Handler::DxgiCreateSwapChain)),
    ("IDXGIVkSwapChain*", "Present", Handle(Handler::DxgiPresent)),
    ("IDXGIVkSwapChain*", "GetImage", Handle(Handler::DxgiGetBuffer)),
    ("IDXGIVkSwapChain*", "ChangeProperties", Handle(Handler::DxgiChange)),
    ("IDXGIVkSwapChain*", "GetImageIndex", Handle(Handler::DxgiIndex)),
    ("IDXGIVkSwapChain*", "GetDesc", Handle(Handler::DxgiDesc)),
    ("IDXGIVkSwapChain*", "GetDevice", Handle(Handler::DxgiDevice)),
    ("IDXGIVkSwapChain*", "GetAdapter", WINDOWS),
    ("IDXGIVkSwapChainFactory", "CreateSwapChain", Handle(Handler::DxgiCreateSwapChain)),
    ("IWineDXGISwapChainFactory", "create_swapchain", Handle(Handler::DxgiCreateSwapChain)),
    ("IDXGIVkSwapChain*", "*", PACING),
    ("IDXGIVk*", "*", VULKAN),
    ("IDXGIFactory*", "*", WINDOWS),
    ("IDXGIAdapter*", "*", WINDOWS),
    ("IDXGIOutput*", "*", WINDOWS),
    ("IDXGIDisplayControl", "*", WINDOWS),
    ("IDXGIDebug*", "*", TOOLS),
    ("IDXGIInfoQueue", "*", TOOLS),
    ("IDXGI*", "*", OTHER_API),
    // Exported functions.
    ("", "D3D12CreateDevice*", Handle(Handler::CreateDevice)),
    ("", "vkd3d_create_device", Handle(Handler::CreateDevice)),
    ("", "D3D12Serialize*", Query),
    ("", "D3D12CreateRootSignatureDeserializer*", Query),
    ("", "D3D12CreateVersionedRootSignatureDeserializer*", Query),
    ("", "D3D12Compiler*", COMPILER),
    ("", "D3D12GetDebugInterface", TOOLS),
    ("", "D3D12GetInterface", TOOLS),
    ("", "D3D12EnableExperimentalFeatures", Query),
    ("", "CreateDXGIFactory*", WINDOWS),
    ("", "DXGIGetDebugInterface*", TOOLS),
    ("", "DXGI*", WINDOWS),
    ("", "vkd3d_create_image_resource", Handle(Handler::Vkd3dImageResource)),
    ("", "vkd3d_acquire_vk_queue", Handle(Handler::Vkd3dAcquireQueue)),
    ("", "vkd3d_serialize_*", Query),
    ("", "vkd3d_create_root_signature_deserializer", Query),
    ("", "vkd3d_create_versioned_root_signature_deserializer", Query),
    ("", "vkd3d_create_event", EVENTS),
    ("", "vkd3d_signal_event", EVENTS),
    ("", "vkd3d_wait_event", EVENTS),
    ("", "vkd3d_destroy_event", EVENTS),
    ("", "vkd3d_resource_*", OWN_REFERENCES),
    ("", "vkd3d_instance_*", VULKAN),
    ("", "vkd3d_create_instance", VULKAN),
    ("", "vkd3d_release_vk_queue", VULKAN),
    ("", "vkd3d_get_*", VULKAN),
    ("", "vkGetSwapchainImagesKHR", Handle(Handler::VkSwapchainImages)),
    ("", "vkQueuePresentKHR", Handle(Handler::VkPresent)),
    ("", "vk*", VULKAN),
];

/// The decision for a method, `None` if no rule fits or the model has no such method.
pub(crate) fn decide(method: u16) -> Option<Decision> {
    static TABLE: LazyLock<Vec<Option<Decision>>> = LazyLock::new(|| {
        let interface = |method: &Method| method.interface.map_or("", |id| id.get().name);
        let rules = MODEL.methods.iter().map(|method| rule(interface(method), method.name));
        rules.map(|rule| rule.map(|index| RULES[index].2)).collect()
    });
    TABLE.get(usize::from(method)).copied().flatten()
}

/// The decision for asking an object for this interface, where it is left out as a whole as tools are: replay's device need not have it.
pub(crate) fn of_tool(interface: &str) -> Option<Decision> {
    let (_, methods, decision) = RULES.iter().find(|(interfaces, ..)| fits(interfaces, interface))?;
    (*methods == "*" && *decision == TOOLS).then_some(TOOLS)
}

fn rule(interface: &str, method: &str) -> Option<usize> {
    RULES.iter().position(|&(interfaces, methods, _)| fits(interfaces, interface) && fits(methods, method))
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Names the methods that lack a rule, and the rules that fit nothing.
    #[test]
    fn every_method_has_a_decision() {
        let mut used = vec![false; RULES.len()];
        let mut missing = Vec::new();
        for method in reprise_d3d12::MODEL.methods {
            let interface = method.interface.map_or("", |id| id.get().name);
            match rule(interface, method.name) {
                Some(index) => used[index] = true,
                None => missing.push(format!("{interface}::{}", method.name)),
            }
        }
        assert!(missing.is_empty(), "no decision for {missing:#?}");
        let idle: Vec<_> = RULES.iter().zip(used).filter(|(_, used)| !used).map(|(rule, _)| (rule.0, rule.1)).collect();
        assert!(idle.is_empty(), "rules for nothing: {idle:#?}");
    }

    #[test]
    fn the_first_rule_that_fits_decides() {
        let decision = |interface, method| rule(interface, method).map(|index| RULES[index].2);
        assert_eq!(decision("ID3D12Device10", "CreateCommittedResource3"), Some(Call));
        assert_eq!(decision("ID3D12Device", "CheckFeatureSupport"), Some(Query));
        assert_eq!(decision("ID3D12DeviceRemovedExtendedData1", "GetPageFaultAllocationOutput1"), Some(TOOLS));
        assert_eq!(decision("ID3D12Resource", "Map"), Some(Handle(Handler::Map)));
        assert_eq!(decision("IDXGISwapChain1", "Present1"), Some(Handle(Handler::DxgiPresent)));
        assert_eq!(decision("", "vkDestroySwapchainKHR"), Some(VULKAN));
        assert_eq!(decision("ID3D12Device", "SomethingNew"), None);
        assert_eq!(decision("ID3D12Novelty", "Do"), None);
    }
}
