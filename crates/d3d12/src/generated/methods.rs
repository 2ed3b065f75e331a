// Made by `cargo xtask codegen` from windows-default 0.100.0 and overlay.toml; do not edit.
use crate::build::*;
use crate::model::Method;
/// Methods of all interfaces in slot order, then functions.
pub static METHODS: &[Method] = &[
// IUnknown
m("QueryInterface",0,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvObject",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
m("AddRef",0,1,&[],U32,0,EL),
m("Release",0,2,&[],U32,0,EL),
// ID3D10Blob
m("GetBufferPointer",1,3,&[],P(&u(U8,X::CalleeOwned)),0,EL),
m("GetBufferSize",1,4,&[],U64,0,EL),
// ID3D12ApplicationIdentity
m("SetApplicationIdentity",2,3,&[f("pDesc",P(&o(S(2))),0),f("AppId",P(&o(Guid)),8),],Hresult,16,EL),
// ID3D12CommandAllocator
m("Reset",3,8,&[],Hresult,0,EL),
// ID3D12CommandList
m("GetType",4,8,&[],E(15),0,EL),
// ID3D12CommandQueue
m("UpdateTileMappings",5,8,&[f("pResource",O(107),0),f("NumResourceRegions",U32,8),f("pResourceRegionStartCoordinates",P(&q(S(347),L::Field(1))),16).opt(),f("pResourceRegionSizes",P(&q(S(348),L::Field(1))),24).opt(),f("pHeap",O(87),32).opt(),f("NumRanges",U32,40),f("pRangeFlags",P(&q(E(154),L::Field(5))),48).opt(),f("pHeapRangeStartOffsets",P(&q(U32,L::Field(5))),56).opt(),f("pRangeTileCounts",P(&q(U32,L::Field(5))),64).opt(),f("Flags",E(153),72),],Void,80,EN),
m("CopyTileMappings",5,9,&[f("pDstResource",O(107),0),f("pDstRegionStartCoordinate",P(&o(S(347))),8),f("pSrcResource",O(107),16),f("pSrcRegionStartCoordinate",P(&o(S(347))),24),f("pRegionSize",P(&o(S(348))),32),f("Flags",E(153),40),],Void,48,EN),
m("ExecuteCommandLists",5,10,&[f("NumCommandLists",U32,0),f("ppCommandLists",P(&q(O(4),L::Field(0))),8),],Void,16,EN),
m("SetMarker",5,11,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,EN),
m("BeginEvent",5,12,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,EN),
m("EndEvent",5,13,&[],Void,0,EN),
m("Signal",5,14,&[f("pFence",O(71),0),f("Value",U64,8),],Hresult,16,EL),
m("Wait",5,15,&[f("pFence",O(71),0),f("Value",U64,8),],Hresult,16,EL),
m("GetTimestampFrequency",5,16,&[f("pFrequency",P(&o(U64)),0).out(),],Hresult,8,EL),
m("GetClockCalibration",5,17,&[f("pGpuTimestamp",P(&o(U64)),0).out(),f("pCpuTimestamp",P(&o(U64)),8).out(),],Hresult,16,EL),
m("GetDesc",5,18,&[f("result",P(&o(S(20))),0).out(),],Word,8,EL).rs(),
// ID3D12CommandQueue1
m("SetProcessPriority",6,19,&[f("Priority",E(18),0),],Hresult,8,EL),
m("GetProcessPriority",6,20,&[f("pOutValue",P(&o(E(18))),0).out(),],Hresult,8,EL),
m("SetGlobalPriority",6,21,&[f("Priority",E(17),0),],Hresult,8,EL),
m("GetGlobalPriority",6,22,&[f("pOutValue",P(&o(E(17))),0).out(),],Hresult,8,EL),
// ID3D12CommandSignature
// ID3D12CompatibilityDevice
m("CreateSharedResource",8,3,&[f("pHeapProperties",P(&o(S(182))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(266))),16),f("InitialResourceState",E(118),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("pFlags11",P(&o(S(0))),40).opt(),f("CompatibilityFlags",E(20),48),f("pLifetimeTracker",O(93),56).opt(),f("pOwningSwapchain",O(128),64).opt(),f("riid",P(&o(Guid)),72).r(R::Iid),f("ppResource",P(&o(O(107))),80).out().opt().iid(9).c(109),],Hresult,88,EL),
m("CreateSharedHeap",8,4,&[f("pHeapDesc",P(&o(S(181))),0),f("CompatibilityFlags",E(20),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppHeap",P(&o(O(87))),24).out().opt().iid(2).c(88),],Hresult,32,EL),
m("ReflectSharedProperties",8,5,&[f("pHeapOrResource",O(96),0),f("ReflectType",E(104),8),f("pData",P(&q(U8,L::Bytes(3))),16).out(),f("DataSize",U32,24),],Hresult,32,EL),
// ID3D12Compiler
m("CompilePipelineState",9,4,&[f("pGroupKey",P(&o(S(24))),0),f("GroupVersion",U32,8),f("pDesc",P(&o(S(213))),16),],Hresult,24,EL),
m("CompileStateObject",9,5,&[f("pGroupKey",P(&o(S(24))),0),f("GroupVersion",U32,8),f("pDesc",P(&o(S(304))),16),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppCompilerStateObject",P(&o(O(13))),32).out().iid(3).c(13),],Hresult,40,EL),
m("CompileAddToStateObject",9,6,&[f("pGroupKey",P(&o(S(24))),0),f("GroupVersion",U32,8),f("pAddition",P(&o(S(304))),16),f("pCompilerStateObjectToGrowFrom",O(13),24),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppNewCompilerStateObject",P(&o(O(13))),40).out().iid(4).c(13),],Hresult,48,EL),
m("GetCacheSession",9,7,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppCompilerCacheSession",P(&o(O(10))),8).out().iid(0).c(10),],Hresult,16,EL),
// ID3D12CompilerCacheSession
m("FindGroup",10,4,&[f("pGroupKey",P(&o(S(24))),0),f("pGroupVersion",P(&o(U32)),8).out().opt(),],Hresult,16,EL),
m("FindGroupValueKeys",10,5,&[f("pGroupKey",P(&o(S(24))),0),f("pExpectedGroupVersion",P(&o(U32)),8).opt(),f("CallbackFunc",Word,16).r(R::Callback),f("pContext",Word,24).r(R::Context),],Hresult,32,EL),
m("FindGroupValues",10,6,&[f("pGroupKey",P(&o(S(24))),0),f("pExpectedGroupVersion",P(&o(U32)),8).opt(),f("ValueTypeFlags",E(22),16),f("CallbackFunc",Word,24).r(R::Callback),f("pContext",Word,32).r(R::Context),],Hresult,40,EL),
m("FindValue",10,7,&[f("pValueKey",P(&o(S(28))),0),f("pTypedValues",P(&q(S(26),L::Field(2))),8).io(),f("NumTypedValues",U32,16),f("pCallbackFunc",Word,24).r(R::Callback),f("pContext",Word,32).r(R::Context),],Hresult,40,EL),
m("GetApplicationDesc",10,8,&[],P(&o(S(2))),0,EL),
m("GetCompilerTarget",10,9,&[f("result",P(&o(S(31))),0).out(),],Word,8,EL).rs(),
m("GetValueTypes",10,10,&[],E(22),0,EL),
m("StoreGroupValueKeys",10,11,&[f("pGroupKey",P(&o(S(24))),0),f("GroupVersion",U32,8),f("pValueKeys",P(&q(S(28),L::Field(3))),16),f("NumValueKeys",U32,24),],Hresult,32,EL),
m("StoreValue",10,12,&[f("pValueKey",P(&o(S(28))),0),f("pTypedValues",P(&q(S(25),L::Field(2))),8),f("NumTypedValues",U32,16),],Hresult,24,EL),
// ID3D12CompilerFactory
m("EnumerateAdapterFamilies",11,3,&[f("AdapterFamilyIndex",U32,0),f("pAdapterFamily",P(&o(S(1))),8).out(),],Hresult,16,EL),
m("EnumerateAdapterFamilyABIVersions",11,4,&[f("AdapterFamilyIndex",U32,0),f("pNumABIVersions",P(&o(U32)),8).io(),f("pABIVersions",P(&q(U64,L::Through(1))),16).out().opt(),],Hresult,24,EL),
m("EnumerateAdapterFamilyCompilerVersion",11,5,&[f("AdapterFamilyIndex",U32,0),f("pCompilerVersion",P(&o(S(352))),8).out(),],Hresult,16,EL),
m("GetApplicationProfileVersion",11,6,&[f("pTarget",P(&o(S(31))),0),f("pApplicationDesc",P(&o(S(2))),8),f("pApplicationProfileVersion",P(&o(S(352))),16).out(),],Hresult,24,EL),
m("CreateCompilerCacheSession",11,7,&[f("pPaths",P(&q(S(29),L::Field(1))),0),f("NumPaths",U32,8),f("pTarget",P(&o(S(31))),16).opt(),f("pApplicationDesc",P(&o(S(2))),24).opt(),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppCompilerCacheSession",P(&o(O(10))),40).out().iid(4).c(10),],Hresult,48,EL),
m("CreateCompiler",11,8,&[f("pCompilerCacheSession",O(10),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppCompiler",P(&o(O(9))),16).out().iid(1).c(9),],Hresult,24,EL),
// ID3D12CompilerFactoryChild
m("GetFactory",12,3,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppCompilerFactory",P(&o(O(11))),8).out().iid(0).c(11),],Hresult,16,EL),
// ID3D12CompilerStateObject
m("GetCompiler",13,3,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppCompiler",P(&o(O(9))),8).out().iid(0).c(9),],Hresult,16,EL),
// ID3D12DSRDeviceFactory
m("CreateDSRDevice",14,3,&[f("pD3D12Device",O(36),0),f("NodeMask",U32,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvDSRDevice",P(&o(O(36))),24).out().iid(2).c(51),],Hresult,32,EL),
// ID3D12DXVKInteropDevice
m("GetDXGIAdapter",15,3,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("object",P(&o(O(166))),8).out().iid(0).c(170),],Hresult,16,EL),
m("GetInstanceExtensions",15,4,&[f("extension_count",Word,0).r(R::CpuAddress),f("extensions",Word,8).r(R::CpuAddress),],Hresult,16,EL),
m("GetDeviceExtensions",15,5,&[f("extension_count",Word,0).r(R::CpuAddress),f("extensions",Word,8).r(R::CpuAddress),],Hresult,16,EL),
m("GetDeviceFeatures",15,6,&[f("features",Word,0).r(R::CpuAddress),],Hresult,8,EL),
m("GetVulkanHandles",15,7,&[f("vk_instance",P(&o(Word)),0).out().r(R::Foreign),f("vk_physical_device",P(&o(Word)),8).out().r(R::Foreign),f("vk_device",P(&o(Word)),16).out().r(R::Foreign),],Hresult,24,EL),
m("GetVulkanQueueInfo",15,8,&[f("queue",O(5),0),f("vk_queue",P(&o(Word)),8).out().r(R::Foreign),f("vk_queue_family",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetVulkanImageLayout",15,9,&[f("resource",O(107),0),f("state",E(118),8),f("vk_layout",P(&o(U32)),16).out(),],Void,24,EL),
m("GetVulkanResourceInfo",15,10,&[f("resource",O(107),0),f("vk_handle",P(&o(U64)),8).out(),f("buffer_offset",P(&o(U64)),16).out(),],Hresult,24,EL),
m("LockCommandQueue",15,11,&[f("queue",O(5),0),],Hresult,8,EL),
m("UnlockCommandQueue",15,12,&[f("queue",O(5),0),],Hresult,8,EL),
// ID3D12DXVKInteropDevice1
m("GetVulkanResourceInfo1",16,13,&[f("resource",O(107),0),f("vk_handle",P(&o(U64)),8).out(),f("buffer_offset",P(&o(U64)),16).out(),f("format",P(&o(U32)),24).out(),],Hresult,32,EL),
m("CreateInteropCommandQueue",16,14,&[f("pDesc",P(&o(S(20))),0),f("vk_queue_family_index",U32,8),f("ppQueue",P(&o(O(5))),16).out().c(6),],Hresult,24,EL),
m("CreateInteropCommandAllocator",16,15,&[f("type",E(15),0),f("vk_queue_family_index",U32,4),f("ppAllocator",P(&o(O(3))),8).out().c(3),],Hresult,16,EL),
m("BeginVkCommandBufferInterop",16,16,&[f("pCmdList",O(4),0),f("pCommandBuffer",P(&o(Word)),8).out().r(R::Foreign),],Hresult,16,EL),
m("EndVkCommandBufferInterop",16,17,&[f("pCmdList",O(4),0),],Hresult,8,EL),
// ID3D12DXVKInteropDevice2
m("LockVulkanQueue",17,18,&[f("queue",O(5),0),],Hresult,8,EL),
m("UnlockVulkanQueue",17,19,&[f("queue",O(5),0),],Hresult,8,EL),
// ID3D12DXVKInteropDevice3
m("GetVulkanHeapInfo",18,20,&[f("heap",O(87),0),f("vk_memory",P(&o(U64)),8).out(),f("heap_offset",P(&o(U64)),16).out(),f("vk_memory_type",P(&o(U32)),24).out(),],Hresult,32,EL),
// ID3D12Debug
m("EnableDebugLayer",19,3,&[],Void,0,EN),
// ID3D12Debug1
m("EnableDebugLayer",20,3,&[],Void,0,EN),
m("SetEnableGPUBasedValidation",20,4,&[f("Enable",Bool,0),],Void,8,EN),
m("SetEnableSynchronizedCommandQueueValidation",20,5,&[f("Enable",Bool,0),],Void,8,EN),
// ID3D12Debug2
m("SetGPUBasedValidationFlags",21,3,&[f("Flags",E(56),0),],Void,8,EN),
// ID3D12Debug3
m("SetEnableGPUBasedValidation",22,4,&[f("Enable",Bool,0),],Void,8,EN),
m("SetEnableSynchronizedCommandQueueValidation",22,5,&[f("Enable",Bool,0),],Void,8,EN),
m("SetGPUBasedValidationFlags",22,6,&[f("Flags",E(56),0),],Void,8,EN),
// ID3D12Debug4
m("DisableDebugLayer",23,7,&[],Void,0,EN),
// ID3D12Debug5
m("SetEnableAutoName",24,8,&[f("Enable",Bool,0),],Void,8,EN),
// ID3D12Debug6
m("SetForceLegacyBarrierValidation",25,9,&[f("Enable",Bool,0),],Void,8,EN),
// ID3D12DebugCommandList
m("AssertResourceState",26,3,&[f("pResource",O(107),0),f("Subresource",U32,8),f("State",U32,12),],Bool,16,EL),
m("SetFeatureMask",26,4,&[f("Mask",E(30),0),],Hresult,8,EL),
m("GetFeatureMask",26,5,&[],E(30),0,EL),
// ID3D12DebugCommandList1
m("AssertResourceState",27,3,&[f("pResource",O(107),0),f("Subresource",U32,8),f("State",U32,12),],Bool,16,EL),
m("SetDebugParameter",27,4,&[f("Type",E(28),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",27,5,&[f("Type",E(28),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
// ID3D12DebugCommandList2
m("SetDebugParameter",28,6,&[f("Type",E(28),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",28,7,&[f("Type",E(28),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
// ID3D12DebugCommandList3
m("AssertResourceAccess",29,8,&[f("pResource",O(107),0),f("Subresource",U32,8),f("Access",E(3),12),],Void,16,EN),
m("AssertTextureLayout",29,9,&[f("pResource",O(107),0),f("Subresource",U32,8),f("Layout",E(4),12),],Void,16,EN),
// ID3D12DebugCommandQueue
m("AssertResourceState",30,3,&[f("pResource",O(107),0),f("Subresource",U32,8),f("State",U32,12),],Bool,16,EL),
// ID3D12DebugCommandQueue1
m("AssertResourceAccess",31,4,&[f("pResource",O(107),0),f("Subresource",U32,8),f("Access",E(3),12),],Void,16,EN),
m("AssertTextureLayout",31,5,&[f("pResource",O(107),0),f("Subresource",U32,8),f("Layout",E(4),12),],Void,16,EN),
// ID3D12DebugDevice
m("SetFeatureMask",32,3,&[f("Mask",E(30),0),],Hresult,8,EL),
m("GetFeatureMask",32,4,&[],E(30),0,EL),
m("ReportLiveDeviceObjects",32,5,&[f("Flags",E(119),0),],Hresult,8,EL),
// ID3D12DebugDevice1
m("SetDebugParameter",33,3,&[f("Type",E(29),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",33,4,&[f("Type",E(29),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
m("ReportLiveDeviceObjects",33,5,&[f("Flags",E(119),0),],Hresult,8,EL),
// ID3D12DebugDevice2
m("SetDebugParameter",34,6,&[f("Type",E(29),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",34,7,&[f("Type",E(29),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
// ID3D12DescriptorHeap
m("GetDesc",35,8,&[f("result",P(&o(S(42))),0).out(),],Word,8,EL).rs(),
m("GetCPUDescriptorHandleForHeapStart",35,9,&[f("result",P(&o(U64)),0).out().r(R::CpuDescriptor),],Word,8,EL).rs(),
m("GetGPUDescriptorHandleForHeapStart",35,10,&[f("result",P(&o(U64)),0).out().r(R::GpuDescriptor),],Word,8,EL).rs(),
// ID3D12Device
m("GetNodeCount",36,7,&[],U32,0,EL),
m("CreateCommandQueue",36,8,&[f("pDesc",P(&o(S(20))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppCommandQueue",P(&o(O(5))),16).out().iid(1).c(6),],Hresult,24,EL),
m("CreateCommandAllocator",36,9,&[f("type",E(15),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppCommandAllocator",P(&o(O(3))),16).out().iid(1).c(3),],Hresult,24,EL),
m("CreateGraphicsPipelineState",36,10,&[f("pDesc",P(&o(S(180))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppPipelineState",P(&o(O(101))),16).out().iid(1).c(102),],Hresult,24,EL),
m("CreateComputePipelineState",36,11,&[f("pDesc",P(&o(S(32))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppPipelineState",P(&o(O(101))),16).out().iid(1).c(102),],Hresult,24,EL),
m("CreateCommandList",36,12,&[f("nodeMask",U32,0),f("type",E(15),4),f("pCommandAllocator",O(3),8),f("pInitialState",O(101),16).opt(),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppCommandList",P(&o(O(4))),32).out().iid(4).c(4),],Hresult,40,EL),
m("CheckFeatureSupport",36,13,&[f("Feature",E(49),0),f("pFeatureSupportData",P(&u(U8,X::FeatureData)),8).io(),f("FeatureSupportDataSize",U32,16),],Hresult,24,EL),
m("CreateDescriptorHeap",36,14,&[f("pDescriptorHeapDesc",P(&o(S(42))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(35))),16).out().iid(1).c(35),],Hresult,24,EL),
m("GetDescriptorHandleIncrementSize",36,15,&[f("DescriptorHeapType",E(33),0),],U32,8,EL),
m("CreateRootSignature",36,16,&[f("nodeMask",U32,0),f("pBlobWithRootSignature",P(&q(U8,L::Field(2))),8).r(R::Blob(B::RootSignature)),f("blobLengthInBytes",U64,16),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppvRootSignature",P(&o(O(110))),32).out().iid(3).c(111),],Hresult,40,EL),
m("CreateConstantBufferView",36,17,&[f("pDesc",P(&o(S(33))),0).opt(),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Void,16,EN),
m("CreateShaderResourceView",36,18,&[f("pResource",O(107),0).opt(),f("pDesc",P(&o(S(298))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("CreateUnorderedAccessView",36,19,&[f("pResource",O(107),0).opt(),f("pCounterResource",O(107),8).opt(),f("pDesc",P(&o(S(350))),16).opt(),f("DestDescriptor",U64,24).r(R::CpuDescriptor),],Void,32,EN),
m("CreateRenderTargetView",36,20,&[f("pResource",O(107),0).opt(),f("pDesc",P(&o(S(258))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("CreateDepthStencilView",36,21,&[f("pResource",O(107),0).opt(),f("pDesc",P(&o(S(41))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("CreateSampler",36,22,&[f("pDesc",P(&o(S(281))),0),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Void,16,EN),
m("CopyDescriptors",36,23,&[f("NumDestDescriptorRanges",U32,0),f("pDestDescriptorRangeStarts",P(&q(U64,L::Field(0))),8).r(R::CpuDescriptor),f("pDestDescriptorRangeSizes",P(&q(U32,L::Field(0))),16).opt(),f("NumSrcDescriptorRanges",U32,24),f("pSrcDescriptorRangeStarts",P(&q(U64,L::Field(3))),32).r(R::CpuDescriptor),f("pSrcDescriptorRangeSizes",P(&q(U32,L::Field(3))),40).opt(),f("DescriptorHeapsType",E(33),48),],Void,56,EN),
m("CopyDescriptorsSimple",36,24,&[f("NumDescriptors",U32,0),f("DestDescriptorRangeStart",U64,8).r(R::CpuDescriptor),f("SrcDescriptorRangeStart",U64,16).r(R::CpuDescriptor),f("DescriptorHeapsType",E(33),24),],Void,32,EN),
m("GetResourceAllocationInfo",36,25,&[f("result",P(&o(S(262))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(266),L::Field(2))),16),],Word,24,EL).rs(),
m("GetCustomHeapProperties",36,26,&[f("result",P(&o(S(182))),0).out(),f("nodeMask",U32,8),f("heapType",E(60),12),],Word,16,EL).rs(),
m("CreateCommittedResource",36,27,&[f("pHeapProperties",P(&o(S(182))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(266))),16),f("InitialResourceState",E(118),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("riidResource",P(&o(Guid)),40).r(R::Iid),f("ppvResource",P(&o(O(107))),48).out().opt().iid(5).c(109),],Hresult,56,EL),
m("CreateHeap",36,28,&[f("pDesc",P(&o(S(181))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(87))),16).out().opt().iid(1).c(88),],Hresult,24,EL),
m("CreatePlacedResource",36,29,&[f("pHeap",O(87),0),f("HeapOffset",U64,8).r(R::Size),f("pDesc",P(&o(S(266))),16),f("InitialState",E(118),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("riid",P(&o(Guid)),40).r(R::Iid),f("ppvResource",P(&o(O(107))),48).out().opt().iid(5).c(109),],Hresult,56,EL),
m("CreateReservedResource",36,30,&[f("pDesc",P(&o(S(266))),0),f("InitialState",E(118),8),f("pOptimizedClearValue",P(&o(S(18))),16).opt(),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppvResource",P(&o(O(107))),32).out().opt().iid(3).c(109),],Hresult,40,EL),
m("CreateSharedHandle",36,31,&[f("pObject",O(52),0),f("pAttributes",P(&o(S(541))),8).opt(),f("Access",U32,16),f("Name",P(&t(U16)),24).opt().r(R::Text),f("pHandle",P(&o(Word)),32).out().r(R::SharedHandle),],Hresult,40,EL),
m("OpenSharedHandle",36,32,&[f("NTHandle",Word,0).r(R::SharedHandle),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvObj",P(&o(O(0))),16).out().opt().iid(1),],Hresult,24,EL),
m("OpenSharedHandleByName",36,33,&[f("Name",P(&t(U16)),0).r(R::Text),f("Access",U32,8),f("pNTHandle",P(&o(Word)),16).out().r(R::SharedHandle),],Hresult,24,EL),
m("MakeResident",36,34,&[f("NumObjects",U32,0),f("ppObjects",P(&q(O(97),L::Field(0))),8),],Hresult,16,EL),
m("Evict",36,35,&[f("NumObjects",U32,0),f("ppObjects",P(&q(O(97),L::Field(0))),8),],Hresult,16,EL),
m("CreateFence",36,36,&[f("InitialValue",U64,0),f("Flags",E(51),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppFence",P(&o(O(71))),24).out().iid(2).c(72),],Hresult,32,EL),
m("GetDeviceRemovedReason",36,37,&[],Hresult,0,EL),
m("GetCopyableFootprints",36,38,&[f("pResourceDesc",P(&o(S(266))),0),f("FirstSubresource",U32,8),f("NumSubresources",U32,12),f("BaseOffset",U64,16),f("pLayouts",P(&q(S(214),L::Field(2))),24).out().opt(),f("pNumRows",P(&q(U32,L::Field(2))),32).out().opt(),f("pRowSizeInBytes",P(&q(U64,L::Field(2))),40).out().opt().r(R::Size),f("pTotalBytes",P(&o(U64)),48).out().opt().r(R::Size),],Void,56,EL),
m("CreateQueryHeap",36,39,&[f("pDesc",P(&o(S(222))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(106))),16).out().opt().iid(1).c(106),],Hresult,24,EL),
m("SetStablePowerState",36,40,&[f("Enable",Bool,0),],Hresult,8,EL),
m("CreateCommandSignature",36,41,&[f("pDesc",P(&o(S(21))),0),f("pRootSignature",O(110),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvCommandSignature",P(&o(O(7))),24).out().opt().iid(2).c(7),],Hresult,32,EL),
m("GetResourceTiling",36,42,&[f("pTiledResource",O(107),0),f("pNumTilesForEntireResource",P(&o(U32)),8).out().opt(),f("pPackedMipDesc",P(&o(S(211))),16).out().opt(),f("pStandardTileShapeForNonPackedMips",P(&o(S(349))),24).out().opt(),f("pNumSubresourceTilings",P(&o(U32)),32).io().opt(),f("FirstSubresourceTilingToGet",U32,40),f("pSubresourceTilingsForNonPackedMips",P(&q(S(314),L::Through(4))),48).out(),],Void,56,EL),
m("GetAdapterLuid",36,43,&[f("result",P(&o(S(538))),0).out(),],Word,8,EL).rs(),
// ID3D12Device1
m("CreatePipelineLibrary",37,44,&[f("pLibraryBlob",P(&q(U8,L::Field(1))),0).r(R::Blob(B::CachedPipeline)),f("BlobLength",U64,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineLibrary",P(&o(O(99))),24).out().iid(2).c(100),],Hresult,32,EL),
m("SetEventOnMultipleFenceCompletion",37,45,&[f("ppFences",P(&q(O(71),L::Field(2))),0),f("pFenceValues",P(&q(U64,L::Field(2))),8),f("NumFences",U32,16),f("Flags",E(78),20),f("hEvent",Word,24).r(R::Event),],Hresult,32,EL),
m("SetResidencyPriority",37,46,&[f("NumObjects",U32,0),f("ppObjects",P(&q(O(97),L::Field(0))),8),f("pPriorities",P(&q(E(110),L::Field(0))),16),],Hresult,24,EL),
// ID3D12Device2
m("CreatePipelineState",38,47,&[f("pDesc",P(&o(S(213))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppPipelineState",P(&o(O(101))),16).out().iid(1).c(102),],Hresult,24,EL),
// ID3D12Device3
m("OpenExistingHeapFromAddress",39,48,&[f("pAddress",Word,0).r(R::CpuAddress),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(87))),16).out().iid(1).c(88),],Hresult,24,EL),
m("OpenExistingHeapFromFileMapping",39,49,&[f("hFileMapping",Word,0).r(R::SharedHandle),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(87))),16).out().iid(1).c(88),],Hresult,24,EL),
m("EnqueueMakeResident",39,50,&[f("Flags",E(109),0),f("NumObjects",U32,4),f("ppObjects",P(&q(O(97),L::Field(1))),8),f("pFenceToSignal",O(71),16),f("FenceValueToSignal",U64,24),],Hresult,32,EL),
// ID3D12Device4
m("CreateCommandList1",40,51,&[f("nodeMask",U32,0),f("type",E(15),4),f("flags",E(13),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppCommandList",P(&o(O(4))),24).out().iid(3).c(4),],Hresult,32,EL),
m("CreateProtectedResourceSession",40,52,&[f("pDesc",P(&o(S(216))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppSession",P(&o(O(103))),16).out().iid(1).c(104),],Hresult,24,EL),
m("CreateCommittedResource1",40,53,&[f("pHeapProperties",P(&o(S(182))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(266))),16),f("InitialResourceState",E(118),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("pProtectedSession",O(103),40).opt(),f("riidResource",P(&o(Guid)),48).r(R::Iid),f("ppvResource",P(&o(O(107))),56).out().opt().iid(6).c(109),],Hresult,64,EL),
m("CreateHeap1",40,54,&[f("pDesc",P(&o(S(181))),0),f("pProtectedSession",O(103),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvHeap",P(&o(O(87))),24).out().opt().iid(2).c(88),],Hresult,32,EL),
m("CreateReservedResource1",40,55,&[f("pDesc",P(&o(S(266))),0),f("InitialState",E(118),8),f("pOptimizedClearValue",P(&o(S(18))),16).opt(),f("pProtectedSession",O(103),24).opt(),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppvResource",P(&o(O(107))),40).out().opt().iid(4).c(109),],Hresult,48,EL),
m("GetResourceAllocationInfo1",40,56,&[f("result",P(&o(S(262))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(266),L::Field(2))),16),f("pResourceAllocationInfo1",P(&q(S(263),L::Field(2))),24).out().opt(),],Word,32,EL).rs(),
// ID3D12Device5
m("CreateLifetimeTracker",41,57,&[f("pOwner",O(92),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvTracker",P(&o(O(93))),16).out().iid(1).c(93),],Hresult,24,EL),
m("RemoveDevice",41,58,&[],Void,0,EN),
m("EnumerateMetaCommands",41,59,&[f("pNumMetaCommands",P(&o(U32)),0).io(),f("pDescs",P(&q(S(200),L::Through(0))),8).out().opt(),],Hresult,16,EL),
m("EnumerateMetaCommandParameters",41,60,&[f("CommandId",P(&o(Guid)),0),f("Stage",E(76),8),f("pTotalStructureSizeInBytes",P(&o(U32)),16).out().opt(),f("pParameterCount",P(&o(U32)),24).io(),f("pParameterDescs",P(&q(S(201),L::Through(3))),32).out().opt(),],Hresult,40,EL),
m("CreateMetaCommand",41,61,&[f("CommandId",P(&o(Guid)),0),f("NodeMask",U32,8),f("pCreationParametersData",P(&q(U8,L::Bytes(3))),16).opt(),f("CreationParametersDataSizeInBytes",U64,24),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppMetaCommand",P(&o(O(95))),40).out().iid(4).c(95),],Hresult,48,EL),
m("CreateStateObject",41,62,&[f("pDesc",P(&o(S(304))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppStateObject",P(&o(O(122))),16).out().iid(1).c(122),],Hresult,24,EL),
m("GetRaytracingAccelerationStructurePrebuildInfo",41,63,&[f("pDesc",P(&o(S(16))),0),f("pInfo",P(&o(S(233))),8).out(),],Void,16,EL),
m("CheckDriverMatchingIdentifier",41,64,&[f("SerializedDataType",E(126),0),f("pIdentifierToCheck",P(&o(S(284))),8),],E(43),16,EL),
// ID3D12Device6
m("SetBackgroundProcessingMode",42,65,&[f("Mode",E(2),0),f("MeasurementsAction",E(68),4),f("hEventToSignalUponCompletion",Word,8).r(R::Event),f("pbFurtherMeasurementsDesired",P(&o(Bool)),16).out().opt(),],Hresult,24,EL),
// ID3D12Device7
m("AddToStateObject",43,66,&[f("pAddition",P(&o(S(304))),0),f("pStateObjectToGrowFrom",O(122),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppNewStateObject",P(&o(O(122))),24).out().iid(2).c(122),],Hresult,32,EL),
m("CreateProtectedResourceSession1",43,67,&[f("pDesc",P(&o(S(217))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppSession",P(&o(O(103))),16).out().iid(1).c(104),],Hresult,24,EL),
// ID3D12Device8
m("GetResourceAllocationInfo2",44,68,&[f("result",P(&o(S(262))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(267),L::Field(2))),16),f("pResourceAllocationInfo1",P(&q(S(263),L::Field(2))),24).out().opt(),],Word,32,EL).rs(),
m("CreateCommittedResource2",44,69,&[f("pHeapProperties",P(&o(S(182))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(267))),16),f("InitialResourceState",E(118),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("pProtectedSession",O(103),40).opt(),f("riidResource",P(&o(Guid)),48).r(R::Iid),f("ppvResource",P(&o(O(107))),56).out().opt().iid(6).c(109),],Hresult,64,EL),
m("CreatePlacedResource1",44,70,&[f("pHeap",O(87),0),f("HeapOffset",U64,8).r(R::Size),f("pDesc",P(&o(S(267))),16),f("InitialState",E(118),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("riid",P(&o(Guid)),40).r(R::Iid),f("ppvResource",P(&o(O(107))),48).out().opt().iid(5).c(109),],Hresult,56,EL),
m("CreateSamplerFeedbackUnorderedAccessView",44,71,&[f("pTargetedResource",O(107),0).opt(),f("pFeedbackResource",O(107),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("GetCopyableFootprints1",44,72,&[f("pResourceDesc",P(&o(S(267))),0),f("FirstSubresource",U32,8),f("NumSubresources",U32,12),f("BaseOffset",U64,16),f("pLayouts",P(&q(S(214),L::Field(2))),24).out().opt(),f("pNumRows",P(&q(U32,L::Field(2))),32).out().opt(),f("pRowSizeInBytes",P(&q(U64,L::Field(2))),40).out().opt().r(R::Size),f("pTotalBytes",P(&o(U64)),48).out().opt().r(R::Size),],Void,56,EL),
// ID3D12Device9
m("CreateShaderCacheSession",45,73,&[f("pDesc",P(&o(S(294))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvSession",P(&o(O(116))),16).out().opt().iid(1).c(116),],Hresult,24,EL),
m("ShaderCacheControl",45,74,&[f("Kinds",E(131),0),f("Control",E(129),4),],Hresult,8,EL),
m("CreateCommandQueue1",45,75,&[f("pDesc",P(&o(S(20))),0),f("CreatorID",P(&o(Guid)),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppCommandQueue",P(&o(O(5))),24).out().iid(2).c(6),],Hresult,32,EL),
// ID3D12Device10
m("CreateCommittedResource3",46,76,&[f("pHeapProperties",P(&o(S(182))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(267))),16),f("InitialLayout",E(4),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("pProtectedSession",O(103),40).opt(),f("NumCastableFormats",U32,48),f("pCastableFormats",P(&q(E(281),L::Field(6))),56).opt(),f("riidResource",P(&o(Guid)),64).r(R::Iid),f("ppvResource",P(&o(O(107))),72).out().opt().iid(8).c(109),],Hresult,80,EL),
m("CreatePlacedResource2",46,77,&[f("pHeap",O(87),0),f("HeapOffset",U64,8).r(R::Size),f("pDesc",P(&o(S(267))),16),f("InitialLayout",E(4),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("NumCastableFormats",U32,40),f("pCastableFormats",P(&q(E(281),L::Field(5))),48).opt(),f("riid",P(&o(Guid)),56).r(R::Iid),f("ppvResource",P(&o(O(107))),64).out().opt().iid(7).c(109),],Hresult,72,EL),
m("CreateReservedResource2",46,78,&[f("pDesc",P(&o(S(266))),0),f("InitialLayout",E(4),8),f("pOptimizedClearValue",P(&o(S(18))),16).opt(),f("pProtectedSession",O(103),24).opt(),f("NumCastableFormats",U32,32),f("pCastableFormats",P(&q(E(281),L::Field(4))),40).opt(),f("riid",P(&o(Guid)),48).r(R::Iid),f("ppvResource",P(&o(O(107))),56).out().opt().iid(6).c(109),],Hresult,64,EL),
// ID3D12Device11
m("CreateSampler2",47,79,&[f("pDesc",P(&o(S(282))),0),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Void,16,EN),
// ID3D12Device12
m("GetResourceAllocationInfo3",48,80,&[f("result",P(&o(S(262))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(267),L::Field(2))),16),f("pNumCastableFormats",P(&q(U32,L::Field(2))),24),f("ppCastableFormats",P(&q(P(&u(E(281),X::CastableFormats)),L::Field(2))),32).opt(),f("pResourceAllocationInfo1",P(&q(S(263),L::Field(2))),40).out().opt(),],Word,48,EL).rs(),
// ID3D12Device13
m("OpenExistingHeapFromAddress1",49,81,&[f("pAddress",Word,0).r(R::CpuAddress),f("size",U64,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvHeap",P(&o(O(87))),24).out().iid(2).c(88),],Hresult,32,EL),
// ID3D12Device14
m("CreateRootSignatureFromSubobjectInLibrary",50,82,&[f("nodeMask",U32,0),f("pLibraryBlob",P(&q(U8,L::Field(2))),8).r(R::Blob(B::Shader)),f("blobLengthInBytes",U64,16),f("subobjectName",P(&t(U16)),24).opt().r(R::Text),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppvRootSignature",P(&o(O(110))),40).out().iid(4).c(111),],Hresult,48,EL),
// ID3D12Device15
m("RegisterTrimNotificationCallback",51,83,&[f("pData",P(&o(S(247))),0).io(),],Hresult,8,EL),
m("UnregisterTrimNotificationCallback",51,84,&[f("CallbackCookie",U32,0),],Hresult,8,EL),
m("TryCreateShaderResourceView",51,85,&[f("pResource",O(107),0).opt(),f("pDesc",P(&o(S(298))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Hresult,24,EL),
m("TryCreateUnorderedAccessView",51,86,&[f("pResource",O(107),0).opt(),f("pCounterResource",O(107),8).opt(),f("pDesc",P(&o(S(350))),16).opt(),f("DestDescriptor",U64,24).r(R::CpuDescriptor),],Hresult,32,EL),
m("TryCreateConstantBufferView",51,87,&[f("pDesc",P(&o(S(33))),0).opt(),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Hresult,16,EL),
m("TryCreateSampler2",51,88,&[f("pDesc",P(&o(S(282))),0),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Hresult,16,EL),
m("TryCreateRenderTargetView",51,89,&[f("pResource",O(107),0).opt(),f("pDesc",P(&o(S(258))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Hresult,24,EL),
m("TryCreateDepthStencilView",51,90,&[f("pResource",O(107),0).opt(),f("pDesc",P(&o(S(41))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Hresult,24,EL),
m("TryCreateSamplerFeedbackUnorderedAccessView",51,91,&[f("pTargetedResource",O(107),0).opt(),f("pFeedbackResource",O(107),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Hresult,24,EL),
m("CreateQueryHeap1",51,92,&[f("pDesc",P(&o(S(222))),0),f("Flags",E(91),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvHeap",P(&o(O(106))),24).out().iid(2).c(106),],Hresult,32,EL),
m("ResolveQueryData",51,93,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pResolvedQueryData",P(&u(U8,X::Named("QueryData"))),24).io(),],Hresult,32,EL),
// ID3D12DeviceChild
m("GetDevice",52,7,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvDevice",P(&o(O(36))),8).out().opt().iid(0).c(51),],Hresult,16,EL),
// ID3D12DeviceConfiguration
m("GetDesc",53,3,&[f("result",P(&o(S(45))),0).out(),],Word,8,EL).rs(),
m("GetEnabledExperimentalFeatures",53,4,&[f("pGuids",P(&q(Guid,L::Field(1))),0).out(),f("NumGuids",U32,8),],Hresult,16,EL),
m("SerializeVersionedRootSignature",53,5,&[f("pDesc",P(&o(S(351))),0),f("ppResult",P(&o(O(1))),8).out().c(1),f("ppError",P(&o(O(1))),16).out().c(1),],Hresult,24,EL),
m("CreateVersionedRootSignatureDeserializer",53,6,&[f("pBlob",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("Size",U64,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvDeserializer",P(&o(O(132))),24).out().iid(2).c(132),],Hresult,32,EL),
// ID3D12DeviceConfiguration1
m("CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary",54,7,&[f("pLibraryBlob",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::Shader)),f("Size",U64,8),f("RootSignatureSubobjectName",P(&t(U16)),16).r(R::Text),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppvDeserializer",P(&o(O(132))),32).out().iid(3).c(132),],Hresult,40,EL),
// ID3D12DeviceExt
m("GetVulkanHandles",55,3,&[f("vk_instance",P(&o(U64)),0).out(),f("vk_physical_device",P(&o(U64)),8).out(),f("vk_device",P(&o(U64)),16).out(),],Hresult,24,EL),
m("GetExtensionSupport",55,4,&[f("extension",E(251),0),],Bool,8,EL),
m("CreateCubinComputeShaderWithName",55,5,&[f("cubin_data",P(&q(U8,L::Bytes(1))),0),f("cubin_size",U32,8),f("block_x",U32,12),f("block_y",U32,16),f("block_z",U32,20),f("shader_name",P(&t(U8)),24).r(R::Text),f("handle",P(&o(U64)),32).out(),],Hresult,40,EL),
m("DestroyCubinComputeShader",55,6,&[f("handle",Word,0).r(R::CpuAddress),],Hresult,8,EL),
m("GetCudaTextureObject",55,7,&[f("srv_handle",U64,0).r(R::CpuDescriptor),f("sampler_handle",U64,8).r(R::CpuDescriptor),f("cuda_texture_handle",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetCudaSurfaceObject",55,8,&[f("uav_handle",U64,0).r(R::CpuDescriptor),f("cuda_surface_handle",P(&o(U32)),8).out(),],Hresult,16,EL),
m("CaptureUAVInfo",55,9,&[f("uav_info",Word,0).r(R::CpuAddress),],Hresult,8,EL),
// ID3D12DeviceExt1
m("CreateResourceFromBorrowedHandle",56,10,&[f("desc",P(&o(S(267))),0),f("vk_handle",Word,8).r(R::Foreign),f("resource",P(&o(O(107))),16).out().c(109),],Hresult,24,EL),
m("GetVulkanQueueInfoEx",56,11,&[f("queue",O(5),0),f("vk_queue",P(&o(Word)),8).out().r(R::Foreign),f("vk_queue_index",P(&o(U32)),16).out(),f("vk_queue_flags",P(&o(U32)),24).out(),f("vk_queue_family",P(&o(U32)),32).out(),],Hresult,40,EL),
// ID3D12DeviceExt2
m("SupportsCubin64bit",57,12,&[],Bool,0,EL),
m("CreateCubinComputeShaderExV2",57,13,&[f("params",Word,0).r(R::CpuAddress),],Hresult,8,EL),
m("GetCudaMergedTextureSamplerObject",57,14,&[f("params",Word,0).r(R::CpuAddress),],Hresult,8,EL),
m("GetCudaIndependentDescriptorObject",57,15,&[f("params",Word,0).r(R::CpuAddress),],Hresult,8,EL),
// ID3D12DeviceExt3
m("SupportsAGSExtension",58,16,&[f("agsExtension",U32,0),],Bool,8,EL),
m("SetAGSUAVSlot",58,17,&[f("uavSlot",U32,0),],Hresult,8,EL),
// ID3D12DeviceExt4
m("IsNvShaderExtnOpCodeSupported",59,18,&[f("op_code",U32,0),],Bool,8,EL),
m("SetNvShaderExtnSlotSpace",59,19,&[f("uav_slot",U32,0),f("uav_space",U32,4),f("local_thread",Bool,8),],Hresult,16,EL),
// ID3D12DeviceFactory
m("InitializeFromGlobalState",60,3,&[],Hresult,0,EL),
m("ApplyToGlobalState",60,4,&[],Hresult,0,EL),
m("SetFlags",60,5,&[f("flags",E(36),0),],Hresult,8,EL),
m("GetFlags",60,6,&[],E(36),0,EL),
m("GetConfigurationInterface",60,7,&[f("clsid",P(&o(Guid)),0),f("iid",P(&o(Guid)),8).r(R::Iid),f("ppv",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("EnableExperimentalFeatures",60,8,&[f("NumFeatures",U32,0),f("pIIDs",P(&q(Guid,L::Field(0))),8),f("pConfigurationStructs",P(&u(U8,X::Named("ExperimentalConfiguration"))),16).opt(),f("pConfigurationStructSizes",P(&q(U32,L::Field(0))),24).opt(),],Hresult,32,EL),
m("CreateDevice",60,9,&[f("adapter",O(0),0).opt(),f("FeatureLevel",E(257),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvDevice",P(&o(O(36))),24).out().opt().iid(2).c(51),],Hresult,32,EL),
// ID3D12DeviceRemovedExtendedData
m("GetAutoBreadcrumbsOutput",61,3,&[f("pOutput",P(&o(S(55))),0).out(),],Hresult,8,EL),
m("GetPageFaultAllocationOutput",61,4,&[f("pOutput",P(&o(S(58))),0).out(),],Hresult,8,EL),
// ID3D12DeviceRemovedExtendedData1
m("GetAutoBreadcrumbsOutput1",62,5,&[f("pOutput",P(&o(S(56))),0).out(),],Hresult,8,EL),
m("GetPageFaultAllocationOutput1",62,6,&[f("pOutput",P(&o(S(59))),0).out(),],Hresult,8,EL),
// ID3D12DeviceRemovedExtendedData2
m("GetPageFaultAllocationOutput2",63,7,&[f("pOutput",P(&o(S(60))),0).out(),],Hresult,8,EL),
m("GetDeviceState",63,8,&[],E(40),0,EL),
// ID3D12DeviceRemovedExtendedDataSettings
m("SetAutoBreadcrumbsEnablement",64,3,&[f("Enablement",E(41),0),],Void,8,EN),
m("SetPageFaultEnablement",64,4,&[f("Enablement",E(41),0),],Void,8,EN),
m("SetWatsonDumpEnablement",64,5,&[f("Enablement",E(41),0),],Void,8,EN),
// ID3D12DeviceRemovedExtendedDataSettings1
m("SetBreadcrumbContextEnablement",65,6,&[f("Enablement",E(41),0),],Void,8,EN),
// ID3D12DeviceRemovedExtendedDataSettings2
m("UseMarkersOnlyAutoBreadcrumbs",66,7,&[f("MarkersOnly",Bool,0),],Void,8,EN),
// ID3D12DeviceStatistics
m("GetStateObjectStatistics",67,3,&[f("pStatistics",P(&o(S(305))),0).out(),],Hresult,8,EL),
// ID3D12DeviceTools
m("SetNextAllocationAddress",68,3,&[f("nextAllocationVirtualAddress",U64,0).r(R::GpuAddress),],Void,8,EN),
// ID3D12DeviceTools1
m("GetApplicationSpecificDriverState",69,4,&[f("ppBlob",P(&o(O(1))),0).out().c(1),],Hresult,8,EL),
m("GetApplicationSpecificDriverBlobStatus",69,5,&[],E(0),0,EL),
// ID3D12ExtDummyInterface
// ID3D12Fence
m("GetCompletedValue",71,8,&[],U64,0,EL),
m("SetEventOnCompletion",71,9,&[f("Value",U64,0),f("hEvent",Word,8).r(R::Event),],Hresult,16,EL),
m("Signal",71,10,&[f("Value",U64,0),],Hresult,8,EL),
// ID3D12Fence1
m("GetCreationFlags",72,11,&[],E(51),0,EL),
// ID3D12FunctionParameterReflection
m("GetDesc",73,0,&[f("pDesc",P(&o(S(212))),0).out(),],Hresult,8,EL),
// ID3D12FunctionReflection
m("GetDesc",74,0,&[f("pDesc",P(&o(S(172))),0).out(),],Hresult,8,EL),
m("GetConstantBufferByIndex",74,1,&[f("BufferIndex",U32,0),],O(118),8,EL),
m("GetConstantBufferByName",74,2,&[f("Name",P(&t(U8)),0).r(R::Text),],O(118),8,EL),
m("GetResourceBindingDesc",74,3,&[f("ResourceIndex",U32,0),f("pDesc",P(&o(S(296))),8).out(),],Hresult,16,EL),
m("GetVariableByName",74,4,&[f("Name",P(&t(U8)),0).r(R::Text),],O(120),8,EL),
m("GetResourceBindingDescByName",74,5,&[f("Name",P(&t(U8)),0).r(R::Text),f("pDesc",P(&o(S(296))),8).out(),],Hresult,16,EL),
m("GetFunctionParameter",74,6,&[f("ParameterIndex",I32,0),],O(73),8,EL),
// ID3D12GBVDiagnostics
m("GetGBVEntireSubresourceStatesData",75,3,&[f("pResource",O(107),0),f("pData",P(&q(I32,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
m("GetGBVSubresourceState",75,4,&[f("pResource",O(107),0),f("Subresource",U32,8),f("pData",P(&o(I32)),16).out(),],Hresult,24,EL),
m("GetGBVResourceUniformState",75,5,&[f("pResource",O(107),0),f("pData",P(&o(I32)),8).out(),],Hresult,16,EL),
m("GetGBVResourceInfo",75,6,&[f("pResource",O(107),0),f("pResourceDesc",P(&o(S(266))),8).out().opt(),f("pResourceHash",P(&o(U32)),16).out().opt(),f("pSubresourceStatesByteOffset",P(&o(U32)),24).out().opt(),],Hresult,32,EL),
m("GBVReserved0",75,7,&[],Void,0,EN),
m("GBVReserved1",75,8,&[],Void,0,EN),
// ID3D12GraphicsCommandList
m("Close",76,9,&[],Hresult,0,EL),
m("Reset",76,10,&[f("pAllocator",O(3),0),f("pInitialState",O(101),8).opt(),],Hresult,16,EL),
m("ClearState",76,11,&[f("pPipelineState",O(101),0).opt(),],Void,8,OB),
m("DrawInstanced",76,12,&[f("VertexCountPerInstance",U32,0),f("InstanceCount",U32,4),f("StartVertexLocation",U32,8),f("StartInstanceLocation",U32,12),],Void,16,OB),
m("DrawIndexedInstanced",76,13,&[f("IndexCountPerInstance",U32,0),f("InstanceCount",U32,4),f("StartIndexLocation",U32,8),f("BaseVertexLocation",I32,12),f("StartInstanceLocation",U32,16),],Void,24,OB),
m("Dispatch",76,14,&[f("ThreadGroupCountX",U32,0),f("ThreadGroupCountY",U32,4),f("ThreadGroupCountZ",U32,8),],Void,16,OB),
m("CopyBufferRegion",76,15,&[f("pDstBuffer",O(107),0),f("DstOffset",U64,8).r(R::Size),f("pSrcBuffer",O(107),16),f("SrcOffset",U64,24).r(R::Size),f("NumBytes",U64,32).r(R::Size),],Void,40,OB),
m("CopyTextureRegion",76,16,&[f("pDst",P(&o(S(345))),0),f("DstX",U32,8),f("DstY",U32,12),f("DstZ",U32,16),f("pSrc",P(&o(S(345))),24),f("pSrcBox",P(&o(S(8))),32).opt(),],Void,40,OB),
m("CopyResource",76,17,&[f("pDstResource",O(107),0),f("pSrcResource",O(107),8),],Void,16,OB),
m("CopyTiles",76,18,&[f("pTiledResource",O(107),0),f("pTileRegionStartCoordinate",P(&o(S(347))),8),f("pTileRegionSize",P(&o(S(348))),16),f("pBuffer",O(107),24),f("BufferStartOffsetInBytes",U64,32).r(R::Size),f("Flags",E(152),40),],Void,48,OB),
m("ResolveSubresource",76,19,&[f("pDstResource",O(107),0),f("DstSubresource",U32,8),f("pSrcResource",O(107),16),f("SrcSubresource",U32,24),f("Format",E(281),28),],Void,32,OB),
m("IASetPrimitiveTopology",76,20,&[f("PrimitiveTopology",E(263),0),],Void,8,OB),
m("RSSetViewports",76,21,&[f("NumViewports",U32,0),f("pViewports",P(&q(S(495),L::Field(0))),8),],Void,16,OB),
m("RSSetScissorRects",76,22,&[f("NumRects",U32,0),f("pRects",P(&q(S(540),L::Field(0))),8),],Void,16,OB),
m("OMSetBlendFactor",76,23,&[f("BlendFactor",P(&q(F32,L::Const(4))),0).opt().r(R::Color),],Void,8,OB),
m("OMSetStencilRef",76,24,&[f("StencilRef",U32,0),],Void,8,OB),
m("SetPipelineState",76,25,&[f("pPipelineState",O(101),0),],Void,8,OB),
m("ResourceBarrier",76,26,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(264),L::Field(0))),8),],Void,16,OB),
m("ExecuteBundle",76,27,&[f("pCommandList",O(76),0),],Void,8,OB),
m("SetDescriptorHeaps",76,28,&[f("NumDescriptorHeaps",U32,0),f("ppDescriptorHeaps",P(&q(O(35),L::Field(0))),8),],Void,16,OB),
m("SetComputeRootSignature",76,29,&[f("pRootSignature",O(110),0).opt(),],Void,8,OB),
m("SetGraphicsRootSignature",76,30,&[f("pRootSignature",O(110),0).opt(),],Void,8,OB),
m("SetComputeRootDescriptorTable",76,31,&[f("RootParameterIndex",U32,0),f("BaseDescriptor",U64,8).r(R::GpuDescriptor),],Void,16,OB),
m("SetGraphicsRootDescriptorTable",76,32,&[f("RootParameterIndex",U32,0),f("BaseDescriptor",U64,8).r(R::GpuDescriptor),],Void,16,OB),
m("SetComputeRoot32BitConstant",76,33,&[f("RootParameterIndex",U32,0),f("SrcData",U32,4),f("DestOffsetIn32BitValues",U32,8),],Void,16,OB),
m("SetGraphicsRoot32BitConstant",76,34,&[f("RootParameterIndex",U32,0),f("SrcData",U32,4),f("DestOffsetIn32BitValues",U32,8),],Void,16,OB),
m("SetComputeRoot32BitConstants",76,35,&[f("RootParameterIndex",U32,0),f("Num32BitValuesToSet",U32,4),f("pSrcData",P(&q(U32,L::Field(1))),8),f("DestOffsetIn32BitValues",U32,16),],Void,24,OB),
m("SetGraphicsRoot32BitConstants",76,36,&[f("RootParameterIndex",U32,0),f("Num32BitValuesToSet",U32,4),f("pSrcData",P(&q(U32,L::Field(1))),8),f("DestOffsetIn32BitValues",U32,16),],Void,24,OB),
m("SetComputeRootConstantBufferView",76,37,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetGraphicsRootConstantBufferView",76,38,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetComputeRootShaderResourceView",76,39,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetGraphicsRootShaderResourceView",76,40,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetComputeRootUnorderedAccessView",76,41,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetGraphicsRootUnorderedAccessView",76,42,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("IASetIndexBuffer",76,43,&[f("pView",P(&o(S(184))),0).opt(),],Void,8,OB),
m("IASetVertexBuffers",76,44,&[f("StartSlot",U32,0),f("NumViews",U32,4),f("pViews",P(&q(S(353),L::Field(1))),8).opt(),],Void,16,OB),
m("SOSetTargets",76,45,&[f("StartSlot",U32,0),f("NumViews",U32,4),f("pViews",P(&q(S(309),L::Field(1))),8).opt(),],Void,16,OB),
m("OMSetRenderTargets",76,46,&[f("NumRenderTargetDescriptors",U32,0),f("pRenderTargetDescriptors",P(&u(U64,X::RenderTargets)),8).opt().r(R::CpuDescriptor),f("RTsSingleHandleToDescriptorRange",Bool,16),f("pDepthStencilDescriptor",P(&o(U64)),24).opt().r(R::CpuDescriptor),],Void,32,OB),
m("ClearDepthStencilView",76,47,&[f("DepthStencilView",U64,0).r(R::CpuDescriptor),f("ClearFlags",E(12),8),f("Depth",F32,12),f("Stencil",U8,16),f("NumRects",U32,20),f("pRects",P(&q(S(540),L::Field(4))),24),],Void,32,OB),
m("ClearRenderTargetView",76,48,&[f("RenderTargetView",U64,0).r(R::CpuDescriptor),f("ColorRGBA",P(&q(F32,L::Const(4))),8).r(R::Color),f("NumRects",U32,16),f("pRects",P(&q(S(540),L::Field(2))),24),],Void,32,OB),
m("ClearUnorderedAccessViewUint",76,49,&[f("ViewGPUHandleInCurrentHeap",U64,0).r(R::GpuDescriptor),f("ViewCPUHandle",U64,8).r(R::CpuDescriptor),f("pResource",O(107),16),f("Values",P(&q(U32,L::Const(4))),24),f("NumRects",U32,32),f("pRects",P(&q(S(540),L::Field(4))),40),],Void,48,OB),
m("ClearUnorderedAccessViewFloat",76,50,&[f("ViewGPUHandleInCurrentHeap",U64,0).r(R::GpuDescriptor),f("ViewCPUHandle",U64,8).r(R::CpuDescriptor),f("pResource",O(107),16),f("Values",P(&q(F32,L::Const(4))),24),f("NumRects",U32,32),f("pRects",P(&q(S(540),L::Field(4))),40),],Void,48,OB),
m("DiscardResource",76,51,&[f("pResource",O(107),0),f("pRegion",P(&o(S(46))),8).opt(),],Void,16,OB),
m("BeginQuery",76,52,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",76,53,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",76,54,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(107),24),f("AlignedDestinationBufferOffset",U64,32).r(R::Size),],Void,40,OB),
m("SetPredication",76,55,&[f("pBuffer",O(107),0).opt(),f("AlignedBufferOffset",U64,8).r(R::Size),f("Operation",E(84),16),],Void,24,OB),
m("SetMarker",76,56,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",76,57,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("EndEvent",76,58,&[],Void,0,OB),
m("ExecuteIndirect",76,59,&[f("pCommandSignature",O(7),0),f("MaxCommandCount",U32,8),f("pArgumentBuffer",O(107),16),f("ArgumentBufferOffset",U64,24).r(R::Size),f("pCountBuffer",O(107),32).opt(),f("CountBufferOffset",U64,40).r(R::Size),],Void,48,OB),
// ID3D12GraphicsCommandList1
m("AtomicCopyBufferUINT",77,60,&[f("pDstBuffer",O(107),0),f("DstOffset",U64,8).r(R::Size),f("pSrcBuffer",O(107),16),f("SrcOffset",U64,24).r(R::Size),f("Dependencies",U32,32),f("ppDependentResources",P(&q(O(107),L::Field(4))),40),f("pDependentSubresourceRanges",P(&q(S(313),L::Field(4))),48),],Void,56,OB),
m("AtomicCopyBufferUINT64",77,61,&[f("pDstBuffer",O(107),0),f("DstOffset",U64,8).r(R::Size),f("pSrcBuffer",O(107),16),f("SrcOffset",U64,24).r(R::Size),f("Dependencies",U32,32),f("ppDependentResources",P(&q(O(107),L::Field(4))),40),f("pDependentSubresourceRanges",P(&q(S(313),L::Field(4))),48),],Void,56,OB),
m("OMSetDepthBounds",77,62,&[f("Min",F32,0),f("Max",F32,4),],Void,8,OB),
m("SetSamplePositions",77,63,&[f("NumSamplesPerPixel",U32,0),f("NumPixels",U32,4),f("pSamplePositions",P(&u(S(283),X::Named("SamplePositions"))),8),],Void,16,OB),
m("ResolveSubresourceRegion",77,64,&[f("pDstResource",O(107),0),f("DstSubresource",U32,8),f("DstX",U32,12),f("DstY",U32,16),f("pSrcResource",O(107),24),f("SrcSubresource",U32,32),f("pSrcRect",P(&o(S(540))),40).opt(),f("Format",E(281),48),f("ResolveMode",E(111),52),],Void,56,OB),
m("SetViewInstanceMask",77,65,&[f("Mask",U32,0),],Void,8,OB),
// ID3D12GraphicsCommandList2
m("WriteBufferImmediate",78,66,&[f("Count",U32,0),f("pParams",P(&q(S(500),L::Field(0))),8),f("pModes",P(&q(E(255),L::Field(0))),16).opt(),],Void,24,OB),
// ID3D12GraphicsCommandList3
m("SetProtectedResourceSession",79,67,&[f("pProtectedResourceSession",O(103),0).opt(),],Void,8,OB),
// ID3D12GraphicsCommandList4
m("BeginRenderPass",80,68,&[f("NumRenderTargets",U32,0),f("pRenderTargets",P(&q(S(256),L::Field(0))),8).opt(),f("pDepthStencil",P(&o(S(251))),16).opt(),f("Flags",E(107),24),],Void,32,OB),
m("EndRenderPass",80,69,&[],Void,0,OB),
m("InitializeMetaCommand",80,70,&[f("pMetaCommand",O(95),0),f("pInitializationParametersData",P(&q(U8,L::Bytes(2))),8).opt(),f("InitializationParametersDataSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteMetaCommand",80,71,&[f("pMetaCommand",O(95),0),f("pExecutionParametersData",P(&q(U8,L::Bytes(2))),8).opt(),f("ExecutionParametersDataSizeInBytes",U64,16),],Void,24,OB),
m("BuildRaytracingAccelerationStructure",80,72,&[f("pDesc",P(&o(S(15))),0),f("NumPostbuildInfoDescs",U32,8),f("pPostbuildInfoDescs",P(&q(S(231),L::Field(1))),16).opt(),],Void,24,OB),
m("EmitRaytracingAccelerationStructurePostbuildInfo",80,73,&[f("pDesc",P(&o(S(231))),0),f("NumSourceAccelerationStructures",U32,8),f("pSourceAccelerationStructureData",P(&q(U64,L::Field(1))),16).r(R::GpuAddress),],Void,24,OB),
m("CopyRaytracingAccelerationStructure",80,74,&[f("DestAccelerationStructureData",U64,0).r(R::GpuAddress),f("SourceAccelerationStructureData",U64,8).r(R::GpuAddress),f("Mode",E(95),16),],Void,24,OB),
m("SetPipelineState1",80,75,&[f("pStateObject",O(122),0),],Void,8,OB),
m("DispatchRays",80,76,&[f("pDesc",P(&o(S(50))),0),],Void,8,OB),
// ID3D12GraphicsCommandList5
m("RSSetShadingRate",81,77,&[f("baseShadingRate",E(136),0),f("combiners",P(&q(E(137),L::Const(2))),8).opt(),],Void,16,OB),
m("RSSetShadingRateImage",81,78,&[f("shadingRateImage",O(107),0).opt(),],Void,8,OB),
// ID3D12GraphicsCommandList6
m("DispatchMesh",82,79,&[f("ThreadGroupCountX",U32,0),f("ThreadGroupCountY",U32,4),f("ThreadGroupCountZ",U32,8),],Void,16,OB),
// ID3D12GraphicsCommandList7
m("Barrier",83,80,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(5),L::Field(0))),8),],Void,16,OB),
// ID3D12GraphicsCommandList8
m("OMSetFrontAndBackStencilRef",84,81,&[f("FrontStencilRef",U32,0),f("BackStencilRef",U32,4),],Void,8,OB),
// ID3D12GraphicsCommandList9
m("RSSetDepthBias",85,82,&[f("DepthBias",F32,0),f("DepthBiasClamp",F32,4),f("SlopeScaledDepthBias",F32,8),],Void,16,OB),
m("IASetIndexBufferStripCutValue",85,83,&[f("IBStripCutValue",E(62),0),],Void,8,OB),
// ID3D12GraphicsCommandList10
m("SetProgram",86,84,&[f("pDesc",P(&o(S(289))),0),],Void,8,OB),
m("DispatchGraph",86,85,&[f("pDesc",P(&o(S(48))),0),],Void,8,OB),
// ID3D12Heap
m("GetDesc",87,8,&[f("result",P(&o(S(181))),0).out(),],Word,8,EL).rs(),
// ID3D12Heap1
m("GetProtectedResourceSession",88,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(103))),8).out().opt().iid(0).c(104),],Hresult,16,EL),
// ID3D12InfoQueue
m("SetMessageCountLimit",89,3,&[f("MessageCountLimit",U64,0),],Hresult,8,EL),
m("ClearStoredMessages",89,4,&[],Void,0,EN),
m("GetMessage",89,5,&[f("MessageIndex",U64,0),f("pMessage",P(&u(S(199),X::Named("OneInBuffer"))),8).out().opt(),f("pMessageByteLength",P(&o(U64)),16).io(),],Hresult,24,EL),
m("GetNumMessagesAllowedByStorageFilter",89,6,&[],U64,0,EL),
m("GetNumMessagesDeniedByStorageFilter",89,7,&[],U64,0,EL),
m("GetNumStoredMessages",89,8,&[],U64,0,EL),
m("GetNumStoredMessagesAllowedByRetrievalFilter",89,9,&[],U64,0,EL),
m("GetNumMessagesDiscardedByMessageCountLimit",89,10,&[],U64,0,EL),
m("GetMessageCountLimit",89,11,&[],U64,0,EL),
m("AddStorageFilterEntries",89,12,&[f("pFilter",P(&o(S(192))),0),],Hresult,8,EL),
m("GetStorageFilter",89,13,&[f("pFilter",P(&u(S(192),X::Named("OneInBuffer"))),0).out().opt(),f("pFilterByteLength",P(&o(U64)),8).io(),],Hresult,16,EL),
m("ClearStorageFilter",89,14,&[],Void,0,EN),
m("PushEmptyStorageFilter",89,15,&[],Hresult,0,EL),
m("PushCopyOfStorageFilter",89,16,&[],Hresult,0,EL),
m("PushStorageFilter",89,17,&[f("pFilter",P(&o(S(192))),0),],Hresult,8,EL),
m("PopStorageFilter",89,18,&[],Void,0,EN),
m("GetStorageFilterStackSize",89,19,&[],U32,0,EL),
m("AddRetrievalFilterEntries",89,20,&[f("pFilter",P(&o(S(192))),0),],Hresult,8,EL),
m("GetRetrievalFilter",89,21,&[f("pFilter",P(&u(S(192),X::Named("OneInBuffer"))),0).out().opt(),f("pFilterByteLength",P(&o(U64)),8).io(),],Hresult,16,EL),
m("ClearRetrievalFilter",89,22,&[],Void,0,EN),
m("PushEmptyRetrievalFilter",89,23,&[],Hresult,0,EL),
m("PushCopyOfRetrievalFilter",89,24,&[],Hresult,0,EL),
m("PushRetrievalFilter",89,25,&[f("pFilter",P(&o(S(192))),0),],Hresult,8,EL),
m("PopRetrievalFilter",89,26,&[],Void,0,EN),
m("GetRetrievalFilterStackSize",89,27,&[],U32,0,EL),
m("AddMessage",89,28,&[f("Category",E(72),0),f("Severity",E(74),4),f("ID",E(73),8),f("pDescription",P(&t(U8)),16).r(R::Text),],Hresult,24,EL),
m("AddApplicationMessage",89,29,&[f("Severity",E(74),0),f("pDescription",P(&t(U8)),8).r(R::Text),],Hresult,16,EL),
m("SetBreakOnCategory",89,30,&[f("Category",E(72),0),f("bEnable",Bool,4),],Hresult,8,EL),
m("SetBreakOnSeverity",89,31,&[f("Severity",E(74),0),f("bEnable",Bool,4),],Hresult,8,EL),
m("SetBreakOnID",89,32,&[f("ID",E(73),0),f("bEnable",Bool,4),],Hresult,8,EL),
m("GetBreakOnCategory",89,33,&[f("Category",E(72),0),],Bool,8,EL),
m("GetBreakOnSeverity",89,34,&[f("Severity",E(74),0),],Bool,8,EL),
m("GetBreakOnID",89,35,&[f("ID",E(73),0),],Bool,8,EL),
m("SetMuteDebugOutput",89,36,&[f("bMute",Bool,0),],Void,8,EN),
m("GetMuteDebugOutput",89,37,&[],Bool,0,EL),
// ID3D12InfoQueue1
m("RegisterMessageCallback",90,38,&[f("CallbackFunc",Word,0).r(R::Callback),f("CallbackFilterFlags",E(71),8),f("pContext",Word,16).r(R::Context),f("pCallbackCookie",P(&o(U32)),24).io(),],Hresult,32,EL),
m("UnregisterMessageCallback",90,39,&[f("CallbackCookie",U32,0),],Hresult,8,EL),
// ID3D12LibraryReflection
m("GetDesc",91,3,&[f("pDesc",P(&o(S(196))),0).out(),],Hresult,8,EL),
m("GetFunctionByIndex",91,4,&[f("FunctionIndex",I32,0),],O(74),8,EL),
// ID3D12LifetimeOwner
m("LifetimeStateUpdated",92,3,&[f("NewState",E(65),0),],Void,8,EN),
// ID3D12LifetimeTracker
m("DestroyOwnedObject",93,8,&[f("pObject",O(52),0),],Hresult,8,EL),
// ID3D12ManualWriteTrackingResource
m("TrackWrite",94,3,&[f("Subresource",U32,0),f("pWrittenRange",P(&o(S(223))),8).opt(),],Void,16,EN),
// ID3D12MetaCommand
m("GetRequiredParameterResourceSize",95,8,&[f("Stage",E(76),0),f("ParameterIndex",U32,4),],U64,8,EL),
// ID3D12Object
m("GetPrivateData",96,3,&[f("guid",P(&o(Guid)),0),f("pDataSize",P(&o(U32)),8).io(),f("pData",P(&q(U8,L::BytesThrough(1))),16).out().opt().r(R::Blob(B::PrivateData)),],Hresult,24,EL),
m("SetPrivateData",96,4,&[f("guid",P(&o(Guid)),0),f("DataSize",U32,8),f("pData",P(&q(U8,L::Bytes(1))),16).opt().r(R::Blob(B::PrivateData)),],Hresult,24,EL),
m("SetPrivateDataInterface",96,5,&[f("guid",P(&o(Guid)),0),f("pData",O(0),8).opt(),],Hresult,16,EL),
m("SetName",96,6,&[f("Name",P(&t(U16)),0).r(R::Text),],Hresult,8,EL),
// ID3D12Pageable
// ID3D12PageableTools
m("GetAllocation",98,3,&[f("pAllocation",P(&o(S(178))),0).io(),],Hresult,8,EL),
// ID3D12PipelineLibrary
m("StorePipeline",99,8,&[f("pName",P(&t(U16)),0).opt().r(R::Text),f("pPipeline",O(101),8),],Hresult,16,EL),
m("LoadGraphicsPipeline",99,9,&[f("pName",P(&t(U16)),0).r(R::Text),f("pDesc",P(&o(S(180))),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineState",P(&o(O(101))),24).out().iid(2).c(102),],Hresult,32,EL),
m("LoadComputePipeline",99,10,&[f("pName",P(&t(U16)),0).r(R::Text),f("pDesc",P(&o(S(32))),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineState",P(&o(O(101))),24).out().iid(2).c(102),],Hresult,32,EL),
m("GetSerializedSize",99,11,&[],U64,0,EL),
m("Serialize",99,12,&[f("pData",P(&q(U8,L::Field(1))),0).out(),f("DataSizeInBytes",U64,8),],Hresult,16,EL),
// ID3D12PipelineLibrary1
m("LoadPipeline",100,13,&[f("pName",P(&t(U16)),0).r(R::Text),f("pDesc",P(&o(S(213))),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineState",P(&o(O(101))),24).out().iid(2).c(102),],Hresult,32,EL),
// ID3D12PipelineState
m("GetCachedBlob",101,8,&[f("ppBlob",P(&o(O(1))),0).out().c(1),],Hresult,8,EL),
// ID3D12PipelineState1
m("GetRootSignature",102,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvRootSignature",P(&o(O(110))),8).out().iid(0).c(111),],Hresult,16,EL),
// ID3D12ProtectedResourceSession
m("GetDesc",103,10,&[f("result",P(&o(S(216))),0).out(),],Word,8,EL).rs(),
// ID3D12ProtectedResourceSession1
m("GetDesc1",104,11,&[f("result",P(&o(S(217))),0).out(),],Word,8,EL).rs(),
// ID3D12ProtectedSession
m("GetStatusFence",105,8,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppFence",P(&o(O(71))),8).out().opt().iid(0).c(72),],Hresult,16,EL),
m("GetSessionStatus",105,9,&[],E(90),0,EL),
// ID3D12QueryHeap
// ID3D12Resource
m("Map",107,8,&[f("Subresource",U32,0),f("pReadRange",P(&o(S(223))),8).opt(),f("ppData",P(&u(Word,X::Mapping)),16).out().opt().r(R::CpuAddress),],Hresult,24,EL),
m("Unmap",107,9,&[f("Subresource",U32,0),f("pWrittenRange",P(&o(S(223))),8).opt(),],Void,16,EN),
m("GetDesc",107,10,&[f("result",P(&o(S(266))),0).out(),],Word,8,EL).rs(),
m("GetGPUVirtualAddress",107,11,&[],U64,0,EL).rr(R::GpuAddress),
m("WriteToSubresource",107,12,&[f("DstSubresource",U32,0),f("pDstBox",P(&o(S(8))),8).opt(),f("pSrcData",P(&u(U8,X::SubresourceData)),16).r(R::Blob(B::Texels)),f("SrcRowPitch",U32,24),f("SrcDepthPitch",U32,28),],Hresult,32,EL),
m("ReadFromSubresource",107,13,&[f("pDstData",P(&u(U8,X::SubresourceData)),0).out().r(R::Blob(B::Texels)),f("DstRowPitch",U32,8),f("DstDepthPitch",U32,12),f("SrcSubresource",U32,16),f("pSrcBox",P(&o(S(8))),24).opt(),],Hresult,32,EL),
m("GetHeapProperties",107,14,&[f("pHeapProperties",P(&o(S(182))),0).out().opt(),f("pHeapFlags",P(&o(E(58))),8).out().opt(),],Hresult,16,EL),
// ID3D12Resource1
m("GetProtectedResourceSession",108,15,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(103))),8).out().opt().iid(0).c(104),],Hresult,16,EL),
// ID3D12Resource2
m("GetDesc1",109,16,&[f("result",P(&o(S(267))),0).out(),],Word,8,EL).rs(),
// ID3D12RootSignature
// ID3D12RootSignature1
m("GetSerializedSize",111,8,&[],U64,0,EL),
m("GetSerializedData",111,9,&[f("pData",P(&q(U8,L::Bytes(1))),0).out().r(R::Blob(B::RootSignature)),f("Size",U64,8),],Hresult,16,EL),
// ID3D12RootSignatureDeserializer
m("GetRootSignatureDesc",112,3,&[],P(&o(S(277))),0,EL),
// ID3D12RuntimeValidationControl
m("DisableFailuresFromStricterValidationInAppLocalRuntime",113,3,&[f("bDisable",Bool,0),],Void,8,EN),
m("FailuresFromStricterValidationInAppLocalRuntimeDisabled",113,4,&[],Bool,0,EL),
// ID3D12SDKConfiguration
m("SetSDKVersion",114,3,&[f("SDKVersion",U32,0),f("SDKPath",P(&t(U8)),8).r(R::Text),],Hresult,16,EL),
// ID3D12SDKConfiguration1
m("CreateDeviceFactory",115,4,&[f("SDKVersion",U32,0),f("SDKPath",P(&t(U8)),8).r(R::Text),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvFactory",P(&o(O(60))),24).out().iid(2).c(60),],Hresult,32,EL),
m("FreeUnusedSDKs",115,5,&[],Void,0,EN),
// ID3D12ShaderCacheSession
m("FindValue",116,8,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("pValue",P(&q(U8,L::BytesThrough(3))),16).out().opt(),f("pValueSize",P(&o(U32)),24).io(),],Hresult,32,EL),
m("StoreValue",116,9,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("pValue",P(&q(U8,L::Bytes(3))),16),f("ValueSize",U32,24),],Hresult,32,EL),
m("SetDeleteOnDestroy",116,10,&[],Void,0,EN),
m("GetDesc",116,11,&[f("result",P(&o(S(294))),0).out(),],Word,8,EL).rs(),
// ID3D12ShaderReflection
m("GetDesc",117,3,&[f("pDesc",P(&o(S(295))),0).out(),],Hresult,8,EL),
m("GetConstantBufferByIndex",117,4,&[f("Index",U32,0),],O(118),8,EL),
m("GetConstantBufferByName",117,5,&[f("Name",P(&t(U8)),0).r(R::Text),],O(118),8,EL),
m("GetResourceBindingDesc",117,6,&[f("ResourceIndex",U32,0),f("pDesc",P(&o(S(296))),8).out(),],Hresult,16,EL),
m("GetInputParameterDesc",117,7,&[f("ParameterIndex",U32,0),f("pDesc",P(&o(S(301))),8).out(),],Hresult,16,EL),
m("GetOutputParameterDesc",117,8,&[f("ParameterIndex",U32,0),f("pDesc",P(&o(S(301))),8).out(),],Hresult,16,EL),
m("GetPatchConstantParameterDesc",117,9,&[f("ParameterIndex",U32,0),f("pDesc",P(&o(S(301))),8).out(),],Hresult,16,EL),
m("GetVariableByName",117,10,&[f("Name",P(&t(U8)),0).r(R::Text),],O(120),8,EL),
m("GetResourceBindingDescByName",117,11,&[f("Name",P(&t(U8)),0).r(R::Text),f("pDesc",P(&o(S(296))),8).out(),],Hresult,16,EL),
m("GetMovInstructionCount",117,12,&[],U32,0,EL),
m("GetMovcInstructionCount",117,13,&[],U32,0,EL),
m("GetConversionInstructionCount",117,14,&[],U32,0,EL),
m("GetBitwiseInstructionCount",117,15,&[],U32,0,EL),
m("GetGSInputPrimitive",117,16,&[],E(262),0,EL),
m("IsSampleFrequencyShader",117,17,&[],Bool,0,EL),
m("GetNumInterfaceSlots",117,18,&[],U32,0,EL),
m("GetMinFeatureLevel",117,19,&[f("pLevel",P(&o(E(257))),0).out(),],Hresult,8,EL),
m("GetThreadGroupSize",117,20,&[f("pSizeX",P(&o(U32)),0).out().opt(),f("pSizeY",P(&o(U32)),8).out().opt(),f("pSizeZ",P(&o(U32)),16).out().opt(),],U32,24,EL),
m("GetRequiresFlags",117,21,&[],U64,0,EL),
// ID3D12ShaderReflectionConstantBuffer
m("GetDesc",118,0,&[f("pDesc",P(&o(S(292))),0).out(),],Hresult,8,EL),
m("GetVariableByIndex",118,1,&[f("Index",U32,0),],O(120),8,EL),
m("GetVariableByName",118,2,&[f("Name",P(&t(U8)),0).r(R::Text),],O(120),8,EL),
// ID3D12ShaderReflectionType
m("GetDesc",119,0,&[f("pDesc",P(&o(S(299))),0).out(),],Hresult,8,EL),
m("GetMemberTypeByIndex",119,1,&[f("Index",U32,0),],O(119),8,EL),
m("GetMemberTypeByName",119,2,&[f("Name",P(&t(U8)),0).r(R::Text),],O(119),8,EL),
m("GetMemberTypeName",119,3,&[f("Index",U32,0),],P(&t(U8)),8,EL).rr(R::Text),
m("IsEqual",119,4,&[f("pType",O(119),0),],Hresult,8,EL),
m("GetSubType",119,5,&[],O(119),0,EL),
m("GetBaseClass",119,6,&[],O(119),0,EL),
m("GetNumInterfaces",119,7,&[],U32,0,EL),
m("GetInterfaceByIndex",119,8,&[f("uIndex",U32,0),],O(119),8,EL),
m("IsOfType",119,9,&[f("pType",O(119),0),],Hresult,8,EL),
m("ImplementsInterface",119,10,&[f("pBase",O(119),0),],Hresult,8,EL),
// ID3D12ShaderReflectionVariable
m("GetDesc",120,0,&[f("pDesc",P(&o(S(300))),0).out(),],Hresult,8,EL),
m("GetType",120,1,&[],O(119),0,EL),
m("GetBuffer",120,2,&[],O(118),0,EL),
m("GetInterfaceSlot",120,3,&[f("uArrayIndex",U32,0),],U32,8,EL),
// ID3D12SharingContract
m("Present",121,3,&[f("pResource",O(107),0),f("Subresource",U32,8),f("window",Word,16).r(R::Foreign),],Void,24,EN),
m("SharedFenceSignal",121,4,&[f("pFence",O(71),0),f("FenceValue",U64,8),],Void,16,EN),
m("BeginCapturableWork",121,5,&[f("guid",P(&o(Guid)),0),],Void,8,EN),
m("EndCapturableWork",121,6,&[f("guid",P(&o(Guid)),0),],Void,8,EN),
// ID3D12StateObject
// ID3D12StateObjectDatabase
m("SetApplicationDesc",123,3,&[f("pApplicationDesc",P(&o(S(2))),0),],Hresult,8,EL),
m("GetApplicationDesc",123,4,&[f("CallbackFunc",Word,0).r(R::Callback),f("pContext",Word,8).r(R::Context),],Hresult,16,EL),
m("StorePipelineStateDesc",123,5,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("Version",U32,12),f("pDesc",P(&o(S(213))),16),],Hresult,24,EL),
m("FindPipelineStateDesc",123,6,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("CallbackFunc",Word,16).r(R::Callback),f("pContext",Word,24).r(R::Context),],Hresult,32,EL),
m("StoreStateObjectDesc",123,7,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("Version",U32,12),f("pDesc",P(&o(S(304))),16),f("pStateObjectToGrowFromKey",P(&q(U8,L::Bytes(5))),24).opt(),f("StateObjectToGrowFromKeySize",U32,32),],Hresult,40,EL),
m("FindStateObjectDesc",123,8,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("CallbackFunc",Word,16).r(R::Callback),f("pContext",Word,24).r(R::Context),],Hresult,32,EL),
m("FindObjectVersion",123,9,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("pVersion",P(&o(U32)),16).out(),],Hresult,24,EL),
// ID3D12StateObjectDatabaseFactory
m("CreateStateObjectDatabaseFromFile",124,3,&[f("pDatabaseFile",P(&t(U16)),0).r(R::Text),f("flags",E(140),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvStateObjectDatabase",P(&o(O(123))),24).out().iid(2).c(123),],Hresult,32,EL),
// ID3D12StateObjectProperties
m("GetShaderIdentifier",125,3,&[f("pExportName",P(&t(U16)),0).r(R::Text),],P(&q(U8,L::Const(32))),8,EL),
m("GetShaderStackSize",125,4,&[f("pExportName",P(&t(U16)),0).r(R::Text),],U64,8,EL),
m("GetPipelineStackSize",125,5,&[],U64,0,EL),
m("SetPipelineStackSize",125,6,&[f("PipelineStackSizeInBytes",U64,0),],Void,8,EN),
// ID3D12StateObjectProperties1
m("GetProgramIdentifier",126,7,&[f("result",P(&o(S(215))),0).out(),f("pProgramName",P(&t(U16)),8).r(R::Text),],Word,16,EL).rs(),
// ID3D12StateObjectProperties2
m("GetGlobalRootSignatureForProgram",127,8,&[f("pProgramName",P(&t(U16)),0).r(R::Text),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvRootSignature",P(&o(O(110))),16).out().iid(1).c(111),],Hresult,24,EL),
m("GetGlobalRootSignatureForShader",127,9,&[f("pExportName",P(&t(U16)),0).r(R::Text),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvRootSignature",P(&o(O(110))),16).out().iid(1).c(111),],Hresult,24,EL),
// ID3D12SwapChainAssistant
m("GetLUID",128,3,&[f("result",P(&o(S(538))),0).out(),],Word,8,EL).rs(),
m("GetSwapChainObject",128,4,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppv",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
m("GetCurrentResourceAndCommandQueue",128,5,&[f("riidResource",P(&o(Guid)),0).r(R::Iid),f("ppvResource",P(&o(O(107))),8).out().iid(0).c(109),f("riidQueue",P(&o(Guid)),16).r(R::Iid),f("ppvQueue",P(&o(O(5))),24).out().iid(2).c(6),],Hresult,32,EL),
m("InsertImplicitSync",128,6,&[],Hresult,0,EL),
// ID3D12Tools
m("EnableShaderInstrumentation",129,3,&[f("bEnable",Bool,0),],Void,8,EN),
m("ShaderInstrumentationEnabled",129,4,&[],Bool,0,EL),
// ID3D12Tools1
m("ReserveGPUVARangesAtCreate",130,5,&[f("pRanges",P(&q(S(178),L::Field(1))),0),f("uiNumRanges",U32,8),],Hresult,16,EL),
m("ClearReservedGPUVARangesList",130,6,&[],Void,0,EN),
// ID3D12Tools2
m("SetApplicationSpecificDriverState",131,7,&[f("pAdapter",O(0),0),f("pBlob",O(1),8).opt(),],Hresult,16,EL),
// ID3D12VersionedRootSignatureDeserializer
m("GetRootSignatureDescAtVersion",132,3,&[f("convertToVersion",E(266),0),f("ppDesc",P(&o(P(&o(S(351))))),8).out(),],Hresult,16,EL),
m("GetUnconvertedRootSignatureDesc",132,4,&[],P(&o(S(351))),0,EL),
// ID3D12VideoDecodeCommandList
m("Close",133,9,&[],Hresult,0,EL),
m("Reset",133,10,&[f("pAllocator",O(3),0),],Hresult,8,EL),
m("ClearState",133,11,&[],Void,0,OB),
m("ResourceBarrier",133,12,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(264),L::Field(0))),8),],Void,16,OB),
m("DiscardResource",133,13,&[f("pResource",O(107),0),f("pRegion",P(&o(S(46))),8).opt(),],Void,16,OB),
m("BeginQuery",133,14,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",133,15,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",133,16,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(107),24),f("AlignedDestinationBufferOffset",U64,32).r(R::Size),],Void,40,OB),
m("SetPredication",133,17,&[f("pBuffer",O(107),0).opt(),f("AlignedBufferOffset",U64,8).r(R::Size),f("Operation",E(84),16),],Void,24,OB),
m("SetMarker",133,18,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",133,19,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("EndEvent",133,20,&[],Void,0,OB),
m("DecodeFrame",133,21,&[f("pDecoder",O(137),0),f("pOutputArguments",P(&o(S(363))),8),f("pInputArguments",P(&o(S(361))),16),],Void,24,OB),
m("WriteBufferImmediate",133,22,&[f("Count",U32,0),f("pParams",P(&q(S(500),L::Field(0))),8),f("pModes",P(&q(E(255),L::Field(0))),16).opt(),],Void,24,OB),
// ID3D12VideoDecodeCommandList1
m("DecodeFrame1",134,23,&[f("pDecoder",O(137),0),f("pOutputArguments",P(&o(S(364))),8),f("pInputArguments",P(&o(S(361))),16),],Void,24,OB),
// ID3D12VideoDecodeCommandList2
m("SetProtectedResourceSession",135,24,&[f("pProtectedResourceSession",O(103),0).opt(),],Void,8,OB),
m("InitializeExtensionCommand",135,25,&[f("pExtensionCommand",O(154),0),f("pInitializationParameters",P(&q(U8,L::Bytes(2))),8),f("InitializationParametersSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteExtensionCommand",135,26,&[f("pExtensionCommand",O(154),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),],Void,24,OB),
// ID3D12VideoDecodeCommandList3
m("Barrier",136,27,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(5),L::Field(0))),8),],Void,16,OB),
// ID3D12VideoDecoder
m("GetDesc",137,8,&[f("result",P(&o(S(354))),0).out(),],Word,8,EL).rs(),
// ID3D12VideoDecoder1
m("GetProtectedResourceSession",138,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(103))),8).out().opt().iid(0).c(104),],Hresult,16,EL),
// ID3D12VideoDecoderHeap
m("GetDesc",139,8,&[f("result",P(&o(S(355))),0).out(),],Word,8,EL).rs(),
// ID3D12VideoDecoderHeap1
m("GetProtectedResourceSession",140,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(103))),8).out().opt().iid(0).c(104),],Hresult,16,EL),
// ID3D12VideoDevice
m("CheckFeatureSupport",141,3,&[f("FeatureVideo",E(50),0),f("pFeatureSupportData",P(&u(U8,X::FeatureData)),8).io(),f("FeatureSupportDataSize",U32,16),],Hresult,24,EL),
m("CreateVideoDecoder",141,4,&[f("pDesc",P(&o(S(354))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoDecoder",P(&o(O(137))),16).out().iid(1).c(138),],Hresult,24,EL),
m("CreateVideoDecoderHeap",141,5,&[f("pVideoDecoderHeapDesc",P(&o(S(355))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoDecoderHeap",P(&o(O(139))),16).out().iid(1).c(140),],Hresult,24,EL),
m("CreateVideoProcessor",141,6,&[f("NodeMask",U32,0),f("pOutputStreamDesc",P(&o(S(489))),8),f("NumInputStreamDescs",U32,16),f("pInputStreamDescs",P(&q(S(484),L::Field(2))),24),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppVideoProcessor",P(&o(O(161))),40).out().iid(4).c(162),],Hresult,48,EL),
// ID3D12VideoDevice1
m("CreateVideoMotionEstimator",142,7,&[f("pDesc",P(&o(S(475))),0),f("pProtectedResourceSession",O(103),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoMotionEstimator",P(&o(O(155))),24).out().iid(2).c(155),],Hresult,32,EL),
m("CreateVideoMotionVectorHeap",142,8,&[f("pDesc",P(&o(S(478))),0),f("pProtectedResourceSession",O(103),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoMotionVectorHeap",P(&o(O(156))),24).out().iid(2).c(156),],Hresult,32,EL),
// ID3D12VideoDevice2
m("CreateVideoDecoder1",143,9,&[f("pDesc",P(&o(S(354))),0),f("pProtectedResourceSession",O(103),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoDecoder",P(&o(O(137))),24).out().iid(2).c(138),],Hresult,32,EL),
m("CreateVideoDecoderHeap1",143,10,&[f("pVideoDecoderHeapDesc",P(&o(S(355))),0),f("pProtectedResourceSession",O(103),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoDecoderHeap",P(&o(O(139))),24).out().iid(2).c(140),],Hresult,32,EL),
m("CreateVideoProcessor1",143,11,&[f("NodeMask",U32,0),f("pOutputStreamDesc",P(&o(S(489))),8),f("NumInputStreamDescs",U32,16),f("pInputStreamDescs",P(&q(S(484),L::Field(2))),24),f("pProtectedResourceSession",O(103),32).opt(),f("riid",P(&o(Guid)),40).r(R::Iid),f("ppVideoProcessor",P(&o(O(161))),48).out().iid(5).c(162),],Hresult,56,EL),
m("CreateVideoExtensionCommand",143,12,&[f("pDesc",P(&o(S(471))),0),f("pCreationParameters",P(&q(U8,L::Bytes(2))),8),f("CreationParametersDataSizeInBytes",U64,16),f("pProtectedResourceSession",O(103),24).opt(),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppVideoExtensionCommand",P(&o(O(154))),40).out().iid(4).c(154),],Hresult,48,EL),
m("ExecuteExtensionCommand",143,13,&[f("pExtensionCommand",O(154),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),f("pOutputData",P(&q(U8,L::Bytes(4))),24).out(),f("OutputDataSizeInBytes",U64,32),],Hresult,40,EL),
// ID3D12VideoDevice3
m("CreateVideoEncoder",144,14,&[f("pDesc",P(&o(S(398))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoEncoder",P(&o(O(151))),16).out().iid(1).c(151),],Hresult,24,EL),
m("CreateVideoEncoderHeap",144,15,&[f("pDesc",P(&o(S(413))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoEncoderHeap",P(&o(O(152))),16).out().iid(1).c(153),],Hresult,24,EL),
// ID3D12VideoDevice4
m("CreateVideoEncoderHeap1",145,16,&[f("pDesc",P(&o(S(414))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoEncoderHeap",P(&o(O(152))),16).out().iid(1).c(153),],Hresult,24,EL),
// ID3D12VideoEncodeCommandList
m("Close",146,9,&[],Hresult,0,EL),
m("Reset",146,10,&[f("pAllocator",O(3),0),],Hresult,8,EL),
m("ClearState",146,11,&[],Void,0,OB),
m("ResourceBarrier",146,12,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(264),L::Field(0))),8),],Void,16,OB),
m("DiscardResource",146,13,&[f("pResource",O(107),0),f("pRegion",P(&o(S(46))),8).opt(),],Void,16,OB),
m("BeginQuery",146,14,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",146,15,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",146,16,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(107),24),f("AlignedDestinationBufferOffset",U64,32).r(R::Size),],Void,40,OB),
m("SetPredication",146,17,&[f("pBuffer",O(107),0).opt(),f("AlignedBufferOffset",U64,8).r(R::Size),f("Operation",E(84),16),],Void,24,OB),
m("SetMarker",146,18,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",146,19,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("EndEvent",146,20,&[],Void,0,OB),
m("EstimateMotion",146,21,&[f("pMotionEstimator",O(155),0),f("pOutputArguments",P(&o(S(477))),8),f("pInputArguments",P(&o(S(476))),16),],Void,24,OB),
m("ResolveMotionVectorHeap",146,22,&[f("pOutputArguments",P(&o(S(260))),0),f("pInputArguments",P(&o(S(259))),8),],Void,16,OB),
m("WriteBufferImmediate",146,23,&[f("Count",U32,0),f("pParams",P(&q(S(500),L::Field(0))),8),f("pModes",P(&q(E(255),L::Field(0))),16).opt(),],Void,24,OB),
m("SetProtectedResourceSession",146,24,&[f("pProtectedResourceSession",O(103),0).opt(),],Void,8,OB),
// ID3D12VideoEncodeCommandList1
m("InitializeExtensionCommand",147,25,&[f("pExtensionCommand",O(154),0),f("pInitializationParameters",P(&q(U8,L::Bytes(2))),8),f("InitializationParametersSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteExtensionCommand",147,26,&[f("pExtensionCommand",O(154),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),],Void,24,OB),
// ID3D12VideoEncodeCommandList2
m("EncodeFrame",148,27,&[f("pEncoder",O(151),0),f("pHeap",O(152),8),f("pInputArguments",P(&o(S(402))),16),f("pOutputArguments",P(&o(S(404))),24),],Void,32,OB),
m("ResolveEncoderOutputMetadata",148,28,&[f("pInputArguments",P(&o(S(461))),0),f("pOutputArguments",P(&o(S(463))),8),],Void,16,OB),
// ID3D12VideoEncodeCommandList3
m("Barrier",149,29,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(5),L::Field(0))),8),],Void,16,OB),
// ID3D12VideoEncodeCommandList4
m("EncodeFrame1",150,30,&[f("pEncoder",O(151),0),f("pHeap",O(153),8),f("pInputArguments",P(&o(S(403))),16),f("pOutputArguments",P(&o(S(405))),24),],Void,32,OB),
m("ResolveEncoderOutputMetadata1",150,31,&[f("pInputArguments",P(&o(S(462))),0),f("pOutputArguments",P(&o(S(464))),8),],Void,16,OB),
m("ResolveInputParamLayout",150,32,&[f("pInputArguments",P(&o(S(459))),0),f("pOutputArguments",P(&o(S(460))),8),],Void,16,OB),
// ID3D12VideoEncoder
m("GetNodeMask",151,8,&[],U32,0,EL),
m("GetEncoderFlags",151,9,&[],E(199),0,EL),
m("GetCodec",151,10,&[],E(185),0,EL),
m("GetCodecProfile",151,11,&[f("dstProfile",S(442),0),],Hresult,16,EL),
m("GetCodecConfiguration",151,12,&[f("dstCodecConfig",S(386),0),],Hresult,16,EL),
m("GetInputFormat",151,13,&[],E(281),0,EL),
m("GetMaxMotionEstimationPrecision",151,14,&[],E(212),0,EL),
// ID3D12VideoEncoderHeap
m("GetNodeMask",152,8,&[],U32,0,EL),
m("GetEncoderHeapFlags",152,9,&[],E(206),0,EL),
m("GetCodec",152,10,&[],E(185),0,EL),
m("GetCodecProfile",152,11,&[f("dstProfile",S(442),0),],Hresult,16,EL),
m("GetCodecLevel",152,12,&[f("dstLevel",S(421),0),],Hresult,16,EL),
m("GetResolutionListCount",152,13,&[],U32,0,EL),
m("GetResolutionList",152,14,&[f("ResolutionsListCount",U32,0),f("pResolutionList",P(&q(S(440),L::Field(0))),8).out(),],Hresult,16,EL),
// ID3D12VideoEncoderHeap1
m("GetPow2DownscaleFactor",153,15,&[],U32,0,EL),
// ID3D12VideoExtensionCommand
m("GetDesc",154,8,&[f("result",P(&o(S(471))),0).out(),],Word,8,EL).rs(),
m("GetProtectedResourceSession",154,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(103))),8).out().opt().iid(0).c(104),],Hresult,16,EL),
// ID3D12VideoMotionEstimator
m("GetDesc",155,8,&[f("result",P(&o(S(475))),0).out(),],Word,8,EL).rs(),
m("GetProtectedResourceSession",155,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(103))),8).out().opt().iid(0).c(104),],Hresult,16,EL),
// ID3D12VideoMotionVectorHeap
m("GetDesc",156,8,&[f("result",P(&o(S(478))),0).out(),],Word,8,EL).rs(),
m("GetProtectedResourceSession",156,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(103))),8).out().opt().iid(0).c(104),],Hresult,16,EL),
// ID3D12VideoProcessCommandList
m("Close",157,9,&[],Hresult,0,EL),
m("Reset",157,10,&[f("pAllocator",O(3),0),],Hresult,8,EL),
m("ClearState",157,11,&[],Void,0,OB),
m("ResourceBarrier",157,12,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(264),L::Field(0))),8),],Void,16,OB),
m("DiscardResource",157,13,&[f("pResource",O(107),0),f("pRegion",P(&o(S(46))),8).opt(),],Void,16,OB),
m("BeginQuery",157,14,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",157,15,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",157,16,&[f("pQueryHeap",O(106),0),f("Type",E(93),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(107),24),f("AlignedDestinationBufferOffset",U64,32).r(R::Size),],Void,40,OB),
m("SetPredication",157,17,&[f("pBuffer",O(107),0).opt(),f("AlignedBufferOffset",U64,8).r(R::Size),f("Operation",E(84),16),],Void,24,OB),
m("SetMarker",157,18,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",157,19,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("EndEvent",157,20,&[],Void,0,OB),
m("ProcessFrames",157,21,&[f("pVideoProcessor",O(161),0),f("pOutputArguments",P(&o(S(488))),8),f("NumInputStreams",U32,16),f("pInputArguments",P(&q(S(482),L::Field(2))),24),],Void,32,OB),
m("WriteBufferImmediate",157,22,&[f("Count",U32,0),f("pParams",P(&q(S(500),L::Field(0))),8),f("pModes",P(&q(E(255),L::Field(0))),16).opt(),],Void,24,OB),
// ID3D12VideoProcessCommandList1
m("ProcessFrames1",158,23,&[f("pVideoProcessor",O(161),0),f("pOutputArguments",P(&o(S(488))),8),f("NumInputStreams",U32,16),f("pInputArguments",P(&q(S(483),L::Field(2))),24),],Void,32,OB),
// ID3D12VideoProcessCommandList2
m("SetProtectedResourceSession",159,24,&[f("pProtectedResourceSession",O(103),0).opt(),],Void,8,OB),
m("InitializeExtensionCommand",159,25,&[f("pExtensionCommand",O(154),0),f("pInitializationParameters",P(&q(U8,L::Bytes(2))),8),f("InitializationParametersSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteExtensionCommand",159,26,&[f("pExtensionCommand",O(154),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),],Void,24,OB),
// ID3D12VideoProcessCommandList3
m("Barrier",160,27,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(5),L::Field(0))),8),],Void,16,OB),
// ID3D12VideoProcessor
m("GetNodeMask",161,8,&[],U32,0,EL),
m("GetNumInputStreamDescs",161,9,&[],U32,0,EL),
m("GetInputStreamDescs",161,10,&[f("NumInputStreamDescs",U32,0),f("pInputStreamDescs",P(&q(S(484),L::Field(0))),8).out(),],Hresult,16,EL),
m("GetOutputStreamDesc",161,11,&[f("result",P(&o(S(489))),0).out(),],Word,8,EL).rs(),
// ID3D12VideoProcessor1
m("GetProtectedResourceSession",162,12,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(103))),8).out().opt().iid(0).c(104),],Hresult,16,EL),
// ID3D12VirtualizationGuestDevice
m("ShareWithHost",163,3,&[f("pObject",O(52),0),f("pHandle",P(&o(Word)),8).out().r(R::SharedHandle),],Hresult,16,EL),
m("CreateFenceFd",163,4,&[f("pFence",O(71),0),f("FenceValue",U64,8),f("pFenceFd",P(&o(I32)),16).out(),],Hresult,24,EL),
// ID3D12WorkGraphProperties
m("GetNumWorkGraphs",164,3,&[],U32,0,EL),
m("GetProgramName",164,4,&[f("WorkGraphIndex",U32,0),],P(&t(U16)),8,EL).rr(R::Text),
m("GetWorkGraphIndex",164,5,&[f("pProgramName",P(&t(U16)),0).r(R::Text),],U32,8,EL),
m("GetNumNodes",164,6,&[f("WorkGraphIndex",U32,0),],U32,8,EL),
m("GetNodeID",164,7,&[f("result",P(&o(S(208))),0).out(),f("WorkGraphIndex",U32,8),f("NodeIndex",U32,12),],Word,16,EL).rs(),
m("GetNodeIndex",164,8,&[f("WorkGraphIndex",U32,0),f("NodeID",S(208),8),],U32,24,EL),
m("GetNodeLocalRootArgumentsTableIndex",164,9,&[f("WorkGraphIndex",U32,0),f("NodeIndex",U32,4),],U32,8,EL),
m("GetNumEntrypoints",164,10,&[f("WorkGraphIndex",U32,0),],U32,8,EL),
m("GetEntrypointID",164,11,&[f("result",P(&o(S(208))),0).out(),f("WorkGraphIndex",U32,8),f("EntrypointIndex",U32,12),],Word,16,EL).rs(),
m("GetEntrypointIndex",164,12,&[f("WorkGraphIndex",U32,0),f("NodeID",S(208),8),],U32,24,EL),
m("GetEntrypointRecordSizeInBytes",164,13,&[f("WorkGraphIndex",U32,0),f("EntrypointIndex",U32,4),],U32,8,EL),
m("GetWorkGraphMemoryRequirements",164,14,&[f("WorkGraphIndex",U32,0),f("pWorkGraphMemoryRequirements",P(&o(S(499))),8).out(),],Void,16,EL),
m("GetEntrypointRecordAlignmentInBytes",164,15,&[f("WorkGraphIndex",U32,0),f("EntrypointIndex",U32,4),],U32,8,EL),
// ID3DDestructionNotifier
m("RegisterDestructionCallback",165,3,&[f("callbackFn",Word,0).r(R::Callback),f("pData",Word,8).r(R::Context),f("pCallbackID",P(&o(U32)),16).out(),],Hresult,24,EL),
m("UnregisterDestructionCallback",165,4,&[f("callbackID",U32,0),],Hresult,8,EL),
// IDXGIAdapter
m("EnumOutputs",166,7,&[f("Output",U32,0),f("ppOutput",P(&o(O(193))),8).out().c(199),],Hresult,16,EL),
m("GetDesc",166,8,&[f("pDesc",P(&o(S(502))),0).out(),],Hresult,8,EL),
m("CheckInterfaceSupport",166,9,&[f("InterfaceName",P(&o(Guid)),0),f("pUMDVersion",P(&o(I64)),8).out(),],Hresult,16,EL),
// IDXGIAdapter1
m("GetDesc1",167,10,&[f("pDesc",P(&o(S(503))),0).out(),],Hresult,8,EL),
// IDXGIAdapter2
m("GetDesc2",168,11,&[f("pDesc",P(&o(S(504))),0).out(),],Hresult,8,EL),
// IDXGIAdapter3
m("RegisterHardwareContentProtectionTeardownStatusEvent",169,12,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterHardwareContentProtectionTeardownStatus",169,13,&[f("dwCookie",U32,0),],Void,8,EN),
m("QueryVideoMemoryInfo",169,14,&[f("NodeIndex",U32,0),f("MemorySegmentGroup",E(288),4),f("pVideoMemoryInfo",P(&o(S(527))),8).out(),],Hresult,16,EL),
m("SetVideoMemoryReservation",169,15,&[f("NodeIndex",U32,0),f("MemorySegmentGroup",E(288),4),f("Reservation",U64,8),],Hresult,16,EL),
m("RegisterVideoMemoryBudgetChangeNotificationEvent",169,16,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterVideoMemoryBudgetChangeNotification",169,17,&[f("dwCookie",U32,0),],Void,8,EN),
// IDXGIAdapter4
m("GetDesc3",170,18,&[f("pDesc",P(&o(S(505))),0).out(),],Hresult,8,EL),
// IDXGIDebug
m("ReportLiveObjects",171,3,&[f("apiid",Guid,0),f("flags",E(279),16),],Hresult,24,EL),
// IDXGIDebug1
m("EnableLeakTrackingForThread",172,4,&[],Void,0,EN),
m("DisableLeakTrackingForThread",172,5,&[],Void,0,EN),
m("IsLeakTrackingEnabledForThread",172,6,&[],Bool,0,EL),
// IDXGIDecodeSwapChain
m("PresentBuffer",173,3,&[f("BufferToPresent",U32,0),f("SyncInterval",U32,4),f("Flags",U32,8),],Hresult,16,EL),
m("SetSourceRect",173,4,&[f("pRect",P(&o(S(540))),0),],Hresult,8,EL),
m("SetTargetRect",173,5,&[f("pRect",P(&o(S(540))),0),],Hresult,8,EL),
m("SetDestSize",173,6,&[f("Width",U32,0),f("Height",U32,4),],Hresult,8,EL),
m("GetSourceRect",173,7,&[f("pRect",P(&o(S(540))),0).out(),],Hresult,8,EL),
m("GetTargetRect",173,8,&[f("pRect",P(&o(S(540))),0).out(),],Hresult,8,EL),
m("GetDestSize",173,9,&[f("pWidth",P(&o(U32)),0).out(),f("pHeight",P(&o(U32)),8).out(),],Hresult,16,EL),
m("SetColorSpace",173,10,&[f("ColorSpace",E(292),0),],Hresult,8,EL),
m("GetColorSpace",173,11,&[],E(292),0,EL),
// IDXGIDevice
m("GetAdapter",174,7,&[f("pAdapter",P(&o(O(166))),0).out().c(170),],Hresult,8,EL),
m("CreateSurface",174,8,&[f("pDesc",P(&o(S(532))),0),f("NumSurfaces",U32,8),f("Usage",U32,12),f("pSharedResource",P(&o(S(531))),16).opt(),f("ppSurface",P(&q(O(203),L::Field(1))),24).out().c(205),],Hresult,32,EL),
m("QueryResourceResidency",174,9,&[f("ppResources",P(&q(O(0),L::Field(2))),0),f("pResidencyStatus",P(&q(E(295),L::Field(2))),8).out(),f("NumResources",U32,16),],Hresult,24,EL),
m("SetGPUThreadPriority",174,10,&[f("Priority",I32,0),],Hresult,8,EL),
m("GetGPUThreadPriority",174,11,&[f("pPriority",P(&o(I32)),0).out(),],Hresult,8,EL),
// IDXGIDevice1
m("SetMaximumFrameLatency",175,12,&[f("MaxLatency",U32,0),],Hresult,8,EL),
m("GetMaximumFrameLatency",175,13,&[f("pMaxLatency",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGIDevice2
m("OfferResources",176,14,&[f("NumResources",U32,0),f("ppResources",P(&q(O(201),L::Field(0))),8),f("Priority",E(293),16),],Hresult,24,EL),
m("ReclaimResources",176,15,&[f("NumResources",U32,0),f("ppResources",P(&q(O(201),L::Field(0))),8),f("pDiscarded",P(&q(Bool,L::Field(0))),16).out().opt(),],Hresult,24,EL),
m("EnqueueSetEvent",176,16,&[f("hEvent",Word,0).r(R::Event),],Hresult,8,EL),
// IDXGIDevice3
m("Trim",177,17,&[],Void,0,EN),
// IDXGIDevice4
m("OfferResources1",178,18,&[f("NumResources",U32,0),f("ppResources",P(&q(O(201),L::Field(0))),8),f("Priority",E(293),16),f("Flags",U32,20),],Hresult,24,EL),
m("ReclaimResources1",178,19,&[f("NumResources",U32,0),f("ppResources",P(&q(O(201),L::Field(0))),8),f("pResults",P(&q(E(294),L::Field(0))),16).out(),],Hresult,24,EL),
// IDXGIDeviceSubObject
m("GetDevice",179,7,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppDevice",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
// IDXGIDisplayControl
m("IsStereoEnabled",180,3,&[],Bool,0,EL),
m("SetStereoEnabled",180,4,&[f("enabled",Bool,0),],Void,8,EN),
// IDXGIFactory
m("EnumAdapters",181,7,&[f("Adapter",U32,0),f("ppAdapter",P(&o(O(166))),8).out().c(170),],Hresult,16,EL),
m("MakeWindowAssociation",181,8,&[f("WindowHandle",Word,0).r(R::Foreign),f("Flags",U32,8),],Hresult,16,EL),
m("GetWindowAssociation",181,9,&[f("pWindowHandle",P(&o(Word)),0).out().r(R::Foreign),],Hresult,8,EL),
m("CreateSwapChain",181,10,&[f("pDevice",O(0),0),f("pDesc",P(&o(S(533))),8),f("ppSwapChain",P(&o(O(206))),16).out().c(210),],Hresult,24,EL),
m("CreateSoftwareAdapter",181,11,&[f("Module",Word,0).r(R::Foreign),f("ppAdapter",P(&o(O(166))),8).out().c(170),],Hresult,16,EL),
// IDXGIFactory1
m("EnumAdapters1",182,12,&[f("Adapter",U32,0),f("ppAdapter",P(&o(O(167))),8).out().c(170),],Hresult,16,EL),
m("IsCurrent",182,13,&[],Bool,0,EL),
// IDXGIFactory2
m("IsWindowedStereoEnabled",183,14,&[],Bool,0,EL),
m("CreateSwapChainForHwnd",183,15,&[f("pDevice",O(0),0),f("hWnd",Word,8).r(R::Foreign),f("pDesc",P(&o(S(534))),16),f("pFullscreenDesc",P(&o(S(535))),24).opt(),f("pRestrictToOutput",O(193),32).opt(),f("ppSwapChain",P(&o(O(207))),40).out().c(210),],Hresult,48,EL),
m("CreateSwapChainForCoreWindow",183,16,&[f("pDevice",O(0),0),f("pWindow",O(0),8),f("pDesc",P(&o(S(534))),16),f("pRestrictToOutput",O(193),24).opt(),f("ppSwapChain",P(&o(O(207))),32).out().c(210),],Hresult,40,EL),
m("GetSharedResourceAdapterLuid",183,17,&[f("hResource",Word,0).r(R::SharedHandle),f("pLuid",P(&o(S(538))),8).out(),],Hresult,16,EL),
m("RegisterStereoStatusWindow",183,18,&[f("WindowHandle",Word,0).r(R::Foreign),f("wMsg",U32,8),f("pdwCookie",P(&o(U32)),16).out(),],Hresult,24,EL),
m("RegisterStereoStatusEvent",183,19,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterStereoStatus",183,20,&[f("dwCookie",U32,0),],Void,8,EN),
m("RegisterOcclusionStatusWindow",183,21,&[f("WindowHandle",Word,0).r(R::Foreign),f("wMsg",U32,8),f("pdwCookie",P(&o(U32)),16).out(),],Hresult,24,EL),
m("RegisterOcclusionStatusEvent",183,22,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterOcclusionStatus",183,23,&[f("dwCookie",U32,0),],Void,8,EN),
m("CreateSwapChainForComposition",183,24,&[f("pDevice",O(0),0),f("pDesc",P(&o(S(534))),8),f("pRestrictToOutput",O(193),16).opt(),f("ppSwapChain",P(&o(O(207))),24).out().c(210),],Hresult,32,EL),
// IDXGIFactory3
m("GetCreationFlags",184,25,&[],U32,0,EL),
// IDXGIFactory4
m("EnumAdapterByLuid",185,26,&[f("AdapterLuid",S(538),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvAdapter",P(&o(O(166))),16).out().iid(1).c(170),],Hresult,24,EL),
m("EnumWarpAdapter",185,27,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvAdapter",P(&o(O(166))),8).out().iid(0).c(170),],Hresult,16,EL),
// IDXGIFactory5
m("CheckFeatureSupport",186,28,&[f("Feature",E(280),0),f("pFeatureSupportData",P(&u(U8,X::FeatureData)),8).io(),f("FeatureSupportDataSize",U32,16),],Hresult,24,EL),
// IDXGIFactory6
m("EnumAdapterByGpuPreference",187,29,&[f("Adapter",U32,0),f("GpuPreference",E(283),4),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvAdapter",P(&o(O(166))),16).out().iid(2).c(170),],Hresult,24,EL),
// IDXGIFactory7
m("RegisterAdaptersChangedEvent",188,30,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterAdaptersChangedEvent",188,31,&[f("dwCookie",U32,0),],Hresult,8,EL),
// IDXGIFactoryMedia
m("CreateSwapChainForCompositionSurfaceHandle",189,3,&[f("pDevice",O(0),0),f("hSurface",Word,8).r(R::Foreign),f("pDesc",P(&o(S(534))),16),f("pRestrictToOutput",O(193),24).opt(),f("ppSwapChain",P(&o(O(207))),32).out().c(210),],Hresult,40,EL),
m("CreateDecodeSwapChainForCompositionSurfaceHandle",189,4,&[f("pDevice",O(0),0),f("hSurface",Word,8).r(R::Foreign),f("pDesc",P(&o(S(506))),16),f("pYuvDecodeBuffers",O(201),24),f("pRestrictToOutput",O(193),32).opt(),f("ppSwapChain",P(&o(O(173))),40).out().c(173),],Hresult,48,EL),
// IDXGIInfoQueue
m("SetMessageCountLimit",190,3,&[f("Producer",Guid,0),f("MessageCountLimit",U64,16),],Hresult,24,EL),
m("ClearStoredMessages",190,4,&[f("Producer",Guid,0),],Void,16,EN),
m("GetMessage",190,5,&[f("Producer",Guid,0),f("MessageIndex",U64,16),f("pMessage",P(&u(S(514),X::Named("OneInBuffer"))),24).out().opt(),f("pMessageByteLength",P(&o(U64)),32).io(),],Hresult,40,EL),
m("GetNumStoredMessagesAllowedByRetrievalFilters",190,6,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumStoredMessages",190,7,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumMessagesDiscardedByMessageCountLimit",190,8,&[f("Producer",Guid,0),],U64,16,EL),
m("GetMessageCountLimit",190,9,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumMessagesAllowedByStorageFilter",190,10,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumMessagesDeniedByStorageFilter",190,11,&[f("Producer",Guid,0),],U64,16,EL),
m("AddStorageFilterEntries",190,12,&[f("Producer",Guid,0),f("pFilter",P(&o(S(512))),16),],Hresult,24,EL),
m("GetStorageFilter",190,13,&[f("Producer",Guid,0),f("pFilter",P(&u(S(512),X::Named("OneInBuffer"))),16).out().opt(),f("pFilterByteLength",P(&o(U64)),24).io(),],Hresult,32,EL),
m("ClearStorageFilter",190,14,&[f("Producer",Guid,0),],Void,16,EN),
m("PushEmptyStorageFilter",190,15,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushDenyAllStorageFilter",190,16,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushCopyOfStorageFilter",190,17,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushStorageFilter",190,18,&[f("Producer",Guid,0),f("pFilter",P(&o(S(512))),16),],Hresult,24,EL),
m("PopStorageFilter",190,19,&[f("Producer",Guid,0),],Void,16,EN),
m("GetStorageFilterStackSize",190,20,&[f("Producer",Guid,0),],U32,16,EL),
m("AddRetrievalFilterEntries",190,21,&[f("Producer",Guid,0),f("pFilter",P(&o(S(512))),16),],Hresult,24,EL),
m("GetRetrievalFilter",190,22,&[f("Producer",Guid,0),f("pFilter",P(&u(S(512),X::Named("OneInBuffer"))),16).out().opt(),f("pFilterByteLength",P(&o(U64)),24).io(),],Hresult,32,EL),
m("ClearRetrievalFilter",190,23,&[f("Producer",Guid,0),],Void,16,EN),
m("PushEmptyRetrievalFilter",190,24,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushDenyAllRetrievalFilter",190,25,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushCopyOfRetrievalFilter",190,26,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushRetrievalFilter",190,27,&[f("Producer",Guid,0),f("pFilter",P(&o(S(512))),16),],Hresult,24,EL),
m("PopRetrievalFilter",190,28,&[f("Producer",Guid,0),],Void,16,EN),
m("GetRetrievalFilterStackSize",190,29,&[f("Producer",Guid,0),],U32,16,EL),
m("AddMessage",190,30,&[f("Producer",Guid,0),f("Category",E(286),16),f("Severity",E(287),20),f("ID",I32,24),f("pDescription",P(&t(U8)),32).r(R::Text),],Hresult,40,EL),
m("AddApplicationMessage",190,31,&[f("Severity",E(287),0),f("pDescription",P(&t(U8)),8).r(R::Text),],Hresult,16,EL),
m("SetBreakOnCategory",190,32,&[f("Producer",Guid,0),f("Category",E(286),16),f("bEnable",Bool,20),],Hresult,24,EL),
m("SetBreakOnSeverity",190,33,&[f("Producer",Guid,0),f("Severity",E(287),16),f("bEnable",Bool,20),],Hresult,24,EL),
m("SetBreakOnID",190,34,&[f("Producer",Guid,0),f("ID",I32,16),f("bEnable",Bool,20),],Hresult,24,EL),
m("GetBreakOnCategory",190,35,&[f("Producer",Guid,0),f("Category",E(286),16),],Bool,24,EL),
m("GetBreakOnSeverity",190,36,&[f("Producer",Guid,0),f("Severity",E(287),16),],Bool,24,EL),
m("GetBreakOnID",190,37,&[f("Producer",Guid,0),f("ID",I32,16),],Bool,24,EL),
m("SetMuteDebugOutput",190,38,&[f("Producer",Guid,0),f("bMute",Bool,16),],Void,24,EN),
m("GetMuteDebugOutput",190,39,&[f("Producer",Guid,0),],Bool,16,EL),
// IDXGIKeyedMutex
m("AcquireSync",191,8,&[f("Key",U64,0),f("dwMilliseconds",U32,8),],Hresult,16,EL),
m("ReleaseSync",191,9,&[f("Key",U64,0),],Hresult,8,EL),
// IDXGIObject
m("SetPrivateData",192,3,&[f("Name",P(&o(Guid)),0),f("DataSize",U32,8),f("pData",P(&q(U8,L::Bytes(1))),16).opt().r(R::Blob(B::PrivateData)),],Hresult,24,EL),
m("SetPrivateDataInterface",192,4,&[f("Name",P(&o(Guid)),0),f("pUnknown",O(0),8).opt(),],Hresult,16,EL),
m("GetPrivateData",192,5,&[f("Name",P(&o(Guid)),0),f("pDataSize",P(&o(U32)),8).io(),f("pData",P(&q(U8,L::BytesThrough(1))),16).out().opt().r(R::Blob(B::PrivateData)),],Hresult,24,EL),
m("GetParent",192,6,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppParent",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
// IDXGIOutput
m("GetDesc",193,7,&[f("pDesc",P(&o(S(524))),0).out(),],Hresult,8,EL),
m("GetDisplayModeList",193,8,&[f("EnumFormat",E(281),0),f("Flags",U32,4),f("pNumModes",P(&o(U32)),8).io(),f("pDesc",P(&q(S(517),L::Through(2))),16).out().opt(),],Hresult,24,EL),
m("FindClosestMatchingMode",193,9,&[f("pModeToMatch",P(&o(S(517))),0),f("pClosestMatch",P(&o(S(517))),8).out(),f("pConcernedDevice",O(0),16).opt(),],Hresult,24,EL),
m("WaitForVBlank",193,10,&[],Hresult,0,EL),
m("TakeOwnership",193,11,&[f("pDevice",O(0),0),f("Exclusive",Bool,8),],Hresult,16,EL),
m("ReleaseOwnership",193,12,&[],Void,0,EN),
m("GetGammaControlCapabilities",193,13,&[f("pGammaCaps",P(&o(S(510))),0).out(),],Hresult,8,EL),
m("SetGammaControl",193,14,&[f("pArray",P(&o(S(509))),0),],Hresult,8,EL),
m("GetGammaControl",193,15,&[f("pArray",P(&o(S(509))),0).out(),],Hresult,8,EL),
m("SetDisplaySurface",193,16,&[f("pScanoutSurface",O(203),0),],Hresult,8,EL),
m("GetDisplaySurfaceData",193,17,&[f("pDestination",O(203),0),],Hresult,8,EL),
m("GetFrameStatistics",193,18,&[f("pStats",P(&o(S(507))),0).out(),],Hresult,8,EL),
// IDXGIOutput1
m("GetDisplayModeList1",194,19,&[f("EnumFormat",E(281),0),f("Flags",U32,4),f("pNumModes",P(&o(U32)),8).io(),f("pDesc",P(&q(S(518),L::Through(2))),16).out().opt(),],Hresult,24,EL),
m("FindClosestMatchingMode1",194,20,&[f("pModeToMatch",P(&o(S(518))),0),f("pClosestMatch",P(&o(S(518))),8).out(),f("pConcernedDevice",O(0),16).opt(),],Hresult,24,EL),
m("GetDisplaySurfaceData1",194,21,&[f("pDestination",O(201),0),],Hresult,8,EL),
m("DuplicateOutput",194,22,&[f("pDevice",O(0),0),f("ppOutputDuplication",P(&o(O(200))),8).out().c(200),],Hresult,16,EL),
// IDXGIOutput2
m("SupportsOverlays",195,23,&[],Bool,0,EL),
// IDXGIOutput3
m("CheckOverlaySupport",196,24,&[f("EnumFormat",E(281),0),f("pConcernedDevice",O(0),8),f("pFlags",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGIOutput4
m("CheckOverlayColorSpaceSupport",197,25,&[f("Format",E(281),0),f("ColorSpace",E(277),4),f("pConcernedDevice",O(0),8),f("pFlags",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGIOutput5
m("DuplicateOutput1",198,26,&[f("pDevice",O(0),0),f("Flags",U32,8),f("SupportedFormatsCount",U32,12),f("pSupportedFormats",P(&q(E(281),L::Field(2))),16),f("ppOutputDuplication",P(&o(O(200))),24).out().c(200),],Hresult,32,EL),
// IDXGIOutput6
m("GetDesc1",199,27,&[f("pDesc",P(&o(S(525))),0).out(),],Hresult,8,EL),
m("CheckHardwareCompositionSupport",199,28,&[f("pFlags",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGIOutputDuplication
m("GetDesc",200,7,&[f("pDesc",P(&o(S(519))),0).out(),],Void,8,EL),
m("AcquireNextFrame",200,8,&[f("TimeoutInMilliseconds",U32,0),f("pFrameInfo",P(&o(S(520))),8).out(),f("ppDesktopResource",P(&o(O(201))),16).out().c(202),],Hresult,24,EL),
m("GetFrameDirtyRects",200,9,&[f("DirtyRectsBufferSize",U32,0),f("pDirtyRectsBuffer",P(&q(S(540),L::Bytes(0))),8).out(),f("pDirtyRectsBufferSizeRequired",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetFrameMoveRects",200,10,&[f("MoveRectsBufferSize",U32,0),f("pMoveRectBuffer",P(&q(S(521),L::Bytes(0))),8).out(),f("pMoveRectsBufferSizeRequired",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetFramePointerShape",200,11,&[f("PointerShapeBufferSize",U32,0),f("pPointerShapeBuffer",P(&q(U8,L::Bytes(0))),8).out(),f("pPointerShapeBufferSizeRequired",P(&o(U32)),16).out(),f("pPointerShapeInfo",P(&o(S(523))),24).out(),],Hresult,32,EL),
m("MapDesktopSurface",200,12,&[f("pLockedRect",P(&o(S(515))),0).out(),],Hresult,8,EL),
m("UnMapDesktopSurface",200,13,&[],Hresult,0,EL),
m("ReleaseFrame",200,14,&[],Hresult,0,EL),
// IDXGIResource
m("GetSharedHandle",201,8,&[f("pSharedHandle",P(&o(Word)),0).out().r(R::SharedHandle),],Hresult,8,EL),
m("GetUsage",201,9,&[f("pUsage",P(&o(U32)),0).out(),],Hresult,8,EL),
m("SetEvictionPriority",201,10,&[f("EvictionPriority",U32,0),],Hresult,8,EL),
m("GetEvictionPriority",201,11,&[f("pEvictionPriority",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGIResource1
m("CreateSubresourceSurface",202,12,&[f("index",U32,0),f("ppSurface",P(&o(O(205))),8).out().c(205),],Hresult,16,EL),
m("CreateSharedHandle",202,13,&[f("pAttributes",P(&o(S(541))),0).opt(),f("dwAccess",U32,8),f("lpName",P(&t(U16)),16).opt().r(R::Text),f("pHandle",P(&o(Word)),24).out().r(R::SharedHandle),],Hresult,32,EL),
// IDXGISurface
m("GetDesc",203,8,&[f("pDesc",P(&o(S(532))),0).out(),],Hresult,8,EL),
m("Map",203,9,&[f("pLockedRect",P(&o(S(515))),0).out(),f("MapFlags",U32,8),],Hresult,16,EL),
m("Unmap",203,10,&[],Hresult,0,EL),
// IDXGISurface1
m("GetDC",204,11,&[f("Discard",Bool,0),f("phdc",P(&o(Word)),8).out().r(R::Foreign),],Hresult,16,EL),
m("ReleaseDC",204,12,&[f("pDirtyRect",P(&o(S(540))),0).opt(),],Hresult,8,EL),
// IDXGISurface2
m("GetResource",205,13,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppParentResource",P(&o(O(0))),8).out().iid(0),f("pSubresourceIndex",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGISwapChain
m("Present",206,8,&[f("SyncInterval",U32,0),f("Flags",U32,4),],Hresult,8,EL),
m("GetBuffer",206,9,&[f("Buffer",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppSurface",P(&o(O(107))),16).out().iid(1).c(109),],Hresult,24,EL),
m("SetFullscreenState",206,10,&[f("Fullscreen",Bool,0),f("pTarget",O(193),8).opt(),],Hresult,16,EL),
m("GetFullscreenState",206,11,&[f("pFullscreen",P(&o(Bool)),0).out().opt(),f("ppTarget",P(&o(O(193))),8).out().opt().c(199),],Hresult,16,EL),
m("GetDesc",206,12,&[f("pDesc",P(&o(S(533))),0).out(),],Hresult,8,EL),
m("ResizeBuffers",206,13,&[f("BufferCount",U32,0),f("Width",U32,4),f("Height",U32,8),f("NewFormat",E(281),12),f("SwapChainFlags",U32,16),],Hresult,24,EL),
m("ResizeTarget",206,14,&[f("pNewTargetParameters",P(&o(S(517))),0),],Hresult,8,EL),
m("GetContainingOutput",206,15,&[f("ppOutput",P(&o(O(193))),0).out().c(199),],Hresult,8,EL),
m("GetFrameStatistics",206,16,&[f("pStats",P(&o(S(507))),0).out(),],Hresult,8,EL),
m("GetLastPresentCount",206,17,&[f("pLastPresentCount",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGISwapChain1
m("GetDesc1",207,18,&[f("pDesc",P(&o(S(534))),0).out(),],Hresult,8,EL),
m("GetFullscreenDesc",207,19,&[f("pDesc",P(&o(S(535))),0).out(),],Hresult,8,EL),
m("GetHwnd",207,20,&[f("pHwnd",P(&o(Word)),0).out().r(R::Foreign),],Hresult,8,EL),
m("GetCoreWindow",207,21,&[f("refiid",P(&o(Guid)),0).r(R::Iid),f("ppUnk",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
m("Present1",207,22,&[f("SyncInterval",U32,0),f("PresentFlags",U32,4),f("pPresentParameters",P(&o(S(526))),8),],Hresult,16,EL),
m("IsTemporaryMonoSupported",207,23,&[],Bool,0,EL),
m("GetRestrictToOutput",207,24,&[f("ppRestrictToOutput",P(&o(O(193))),0).out().c(199),],Hresult,8,EL),
m("SetBackgroundColor",207,25,&[f("pColor",P(&o(S(501))),0).r(R::Color),],Hresult,8,EL),
m("GetBackgroundColor",207,26,&[f("pColor",P(&o(S(501))),0).out().r(R::Color),],Hresult,8,EL),
m("SetRotation",207,27,&[f("Rotation",E(289),0),],Hresult,8,EL),
m("GetRotation",207,28,&[f("pRotation",P(&o(E(289))),0).out(),],Hresult,8,EL),
// IDXGISwapChain2
m("SetSourceSize",208,29,&[f("Width",U32,0),f("Height",U32,4),],Hresult,8,EL),
m("GetSourceSize",208,30,&[f("pWidth",P(&o(U32)),0).out(),f("pHeight",P(&o(U32)),8).out(),],Hresult,16,EL),
m("SetMaximumFrameLatency",208,31,&[f("MaxLatency",U32,0),],Hresult,8,EL),
m("GetMaximumFrameLatency",208,32,&[f("pMaxLatency",P(&o(U32)),0).out(),],Hresult,8,EL),
m("GetFrameLatencyWaitableObject",208,33,&[],Word,0,EL).rr(R::Event),
m("SetMatrixTransform",208,34,&[f("pMatrix",P(&o(S(516))),0),],Hresult,8,EL),
m("GetMatrixTransform",208,35,&[f("pMatrix",P(&o(S(516))),0).out(),],Hresult,8,EL),
// IDXGISwapChain3
m("GetCurrentBackBufferIndex",209,36,&[],U32,0,EL),
m("CheckColorSpaceSupport",209,37,&[f("ColorSpace",E(277),0),f("pColorSpaceSupport",P(&o(U32)),8).out(),],Hresult,16,EL),
m("SetColorSpace1",209,38,&[f("ColorSpace",E(277),0),],Hresult,8,EL),
m("ResizeBuffers1",209,39,&[f("BufferCount",U32,0),f("Width",U32,4),f("Height",U32,8),f("Format",E(281),12),f("SwapChainFlags",U32,16),f("pCreationNodeMask",P(&q(U32,L::Field(0))),24),f("ppPresentQueue",P(&q(O(0),L::Field(0))),32),],Hresult,40,EL),
// IDXGISwapChain4
m("SetHDRMetaData",210,40,&[f("Type",E(285),0),f("Size",U32,4),f("pMetaData",P(&q(U8,L::Field(1))),8).opt(),],Hresult,16,EL),
// IDXGISwapChainMedia
m("GetFrameStatisticsMedia",211,3,&[f("pStats",P(&o(S(508))),0).out(),],Hresult,8,EL),
m("SetPresentDuration",211,4,&[f("Duration",U32,0),],Hresult,8,EL),
m("CheckPresentDurationSupport",211,5,&[f("DesiredPresentDuration",U32,0),f("pClosestSmallerPresentDuration",P(&o(U32)),8).out(),f("pClosestLargerPresentDuration",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGIVkInteropAdapter
m("GetVulkanHandles",212,3,&[f("pInstance",P(&o(Word)),0).out().r(R::Foreign),f("pPhysDev",P(&o(Word)),8).out().r(R::Foreign),],Void,16,EL),
// IDXGIVkInteropFactory
m("GetVulkanInstance",213,3,&[f("pInstance",P(&o(Word)),0).out().r(R::Foreign),f("ppfnVkGetInstanceProcAddr",P(&o(Word)),8).out().r(R::Foreign),],Void,16,EL),
// IDXGIVkInteropFactory1
m("GetGlobalHDRState",214,4,&[f("pOutColorSpace",P(&o(E(277))),0).out(),f("ppOutMetadata",P(&o(S(511))),8).out(),],Hresult,16,EL),
m("SetGlobalHDRState",214,5,&[f("ColorSpace",E(277),0),f("pMetadata",P(&o(S(511))),8).opt(),],Hresult,16,EL),
// IDXGIVkSurfaceFactory
m("CreateSurface",215,3,&[f("instance",Word,0).r(R::Foreign),f("adapter",Word,8).r(R::Foreign),f("pSurface",P(&o(Word)),16).out().r(R::Foreign),],I32,24,EL),
// IDXGIVkSwapChain
m("GetDesc",216,3,&[f("pDesc",P(&o(S(534))),0).out(),],Hresult,8,EL),
m("GetAdapter",216,4,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvObject",P(&o(O(166))),8).out().iid(0).c(170),],Hresult,16,EL),
m("GetDevice",216,5,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppDevice",P(&o(O(36))),8).out().iid(0).c(51),],Hresult,16,EL),
m("GetImage",216,6,&[f("BufferId",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppBuffer",P(&o(O(107))),16).out().iid(1).c(109),],Hresult,24,EL),
m("GetImageIndex",216,7,&[],U32,0,EL),
m("GetFrameLatency",216,8,&[],U32,0,EL),
m("GetFrameLatencyEvent",216,9,&[],Word,0,EL).rr(R::Event),
m("ChangeProperties",216,10,&[f("pDesc",P(&o(S(534))),0),f("pNodeMasks",Word,8).r(R::CpuAddress),f("ppPresentQueues",Word,16).r(R::CpuAddress),],Hresult,24,EL),
m("SetPresentRegion",216,11,&[f("pRegion",P(&o(S(540))),0).opt(),],Hresult,8,EL),
m("SetGammaControl",216,12,&[f("NumControlPoints",U32,0),f("pControlPoints",P(&q(S(529),L::Field(0))),8).opt(),],Hresult,16,EL),
m("SetFrameLatency",216,13,&[f("MaxLatency",U32,0),],Hresult,8,EL),
m("Present",216,14,&[f("SyncInterval",U32,0),f("PresentFlags",U32,4),f("pPresentParameters",P(&o(S(526))),8).opt(),],Hresult,16,EL),
m("CheckColorSpaceSupport",216,15,&[f("ColorSpace",E(277),0),],U32,8,EL),
m("SetColorSpace",216,16,&[f("ColorSpace",E(277),0),],Hresult,8,EL),
m("SetHDRMetaData",216,17,&[f("pMetaData",P(&o(S(537))),0).opt(),],Hresult,8,EL),
// IDXGIVkSwapChain1
m("GetLastPresentCount",217,18,&[f("pLastPresentCount",P(&o(U64)),0).out(),],Void,8,EL),
m("GetFrameStatistics",217,19,&[f("pFrameStatistics",P(&o(S(536))),0).out(),],Void,8,EL),
// IDXGIVkSwapChain2
m("SetTargetFrameRate",218,20,&[f("FrameRate",F64,0),],Void,8,EN),
// IDXGIVkSwapChainFactory
m("CreateSwapChain",219,3,&[f("pSurfaceFactory",O(215),0),f("pDesc",P(&o(S(534))),8),f("ppSwapChain",P(&o(O(216))),16).out().c(218),],Hresult,24,EL),
// IWineDXGISwapChainFactory
m("create_swapchain",220,3,&[f("factory",O(181),0),f("window",Word,8).r(R::Foreign),f("desc",P(&o(S(534))),16),f("fullscreen_desc",P(&o(S(535))),24).opt(),f("output",O(193),32).opt(),f("swapchain",P(&o(O(207))),40).out().c(210),],Hresult,48,EL),
// functions
m("D3D12CreateDevice",-1,0,&[f("pAdapter",O(0),0).opt(),f("MinimumFeatureLevel",E(257),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppDevice",P(&o(O(36))),24).out().opt().iid(2).c(51),],Hresult,32,EL),
m("D3D12GetDebugInterface",-1,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvDebug",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
m("D3D12GetInterface",-1,0,&[f("rclsid",P(&o(Guid)),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvDebug",P(&o(O(0))),16).out().opt().iid(1),],Hresult,24,EL),
m("D3D12EnableExperimentalFeatures",-1,0,&[f("NumFeatures",U32,0),f("pIIDs",P(&q(Guid,L::Field(0))),8),f("pConfigurationStructs",P(&u(U8,X::Named("ExperimentalConfiguration"))),16).opt(),f("pConfigurationStructSizes",P(&q(U32,L::Field(0))),24).opt(),],Hresult,32,EL),
m("D3D12SerializeRootSignature",-1,0,&[f("pRootSignature",P(&o(S(277))),0),f("Version",E(266),8),f("ppBlob",P(&o(O(1))),16).out().c(1),f("ppErrorBlob",P(&o(O(1))),24).out().c(1),],Hresult,32,EL),
m("D3D12SerializeVersionedRootSignature",-1,0,&[f("pRootSignature",P(&o(S(351))),0),f("ppBlob",P(&o(O(1))),8).out().c(1),f("ppErrorBlob",P(&o(O(1))),16).out().c(1),],Hresult,24,EL),
m("D3D12CreateRootSignatureDeserializer",-1,0,&[f("pSrcData",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("SrcDataSizeInBytes",U64,8),f("pRootSignatureDeserializerInterface",P(&o(Guid)),16).r(R::Iid),f("ppRootSignatureDeserializer",P(&o(O(112))),24).out().iid(2).c(112),],Hresult,32,EL),
m("D3D12CreateVersionedRootSignatureDeserializer",-1,0,&[f("pSrcData",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("SrcDataSizeInBytes",U64,8),f("pRootSignatureDeserializerInterface",P(&o(Guid)),16).r(R::Iid),f("ppRootSignatureDeserializer",P(&o(O(132))),24).out().iid(2).c(132),],Hresult,32,EL),
m("CreateDXGIFactory",-1,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppFactory",P(&o(O(181))),8).out().iid(0).c(188),],Hresult,16,EL),
m("CreateDXGIFactory1",-1,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppFactory",P(&o(O(181))),8).out().iid(0).c(188),],Hresult,16,EL),
m("CreateDXGIFactory2",-1,0,&[f("Flags",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppFactory",P(&o(O(181))),16).out().iid(1).c(188),],Hresult,24,EL),
m("DXGIGetDebugInterface1",-1,0,&[f("Flags",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("pDebug",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("DXGIDeclareAdapterRemovalSupport",-1,0,&[],Hresult,0,EL),
m("DXGIDisableVBlankVirtualization",-1,0,&[],Hresult,0,EL),
m("D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary",-1,0,&[f("pSrcData",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::Shader)),f("SrcDataSizeInBytes",U64,8),f("RootSignatureSubobjectName",P(&t(U16)),16).opt().r(R::Text),f("pRootSignatureDeserializerInterface",P(&o(Guid)),24).r(R::Iid),f("ppRootSignatureDeserializer",P(&o(O(132))),32).out().iid(3).c(132),],Hresult,40,EL),
m("D3D12CompilerCreateFactory",-1,0,&[f("pPluginCompilerDllPath",P(&t(U16)),0).r(R::Text),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppFactory",P(&o(O(11))),16).out().opt().iid(1).c(11),],Hresult,24,EL),
m("D3D12CompilerSerializeVersionedRootSignature",-1,0,&[f("pRootSignature",P(&o(S(351))),0),f("ppBlob",P(&o(O(1))),8).out().c(1),f("ppErrorBlob",P(&o(O(1))),16).out().opt().c(1),],Hresult,24,EL),
m("D3D12CreateDeviceVKD3D",-1,0,&[f("pAdapter",O(0),0).opt(),f("MinimumFeatureLevel",E(257),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppDevice",P(&o(O(36))),24).out().opt().iid(2).c(51),f("api_version",E(299),32),],Hresult,40,EL),
m("vkd3d_create_event",-1,0,&[],Word,0,EL).rr(R::Event),
m("vkd3d_signal_event",-1,0,&[f("event",Word,0).r(R::Event),],Hresult,8,EL),
m("vkd3d_wait_event",-1,0,&[f("event",Word,0).r(R::Event),f("milliseconds",U32,8),],U32,16,EL),
m("vkd3d_destroy_event",-1,0,&[f("event",Word,0).r(R::Event),],Void,8,EN),
m("vkd3d_create_instance",-1,0,&[f("create_info",P(&o(S(554))),0),f("instance",P(&o(Word)),8).out().r(R::Foreign),],Hresult,16,EL),
m("vkd3d_instance_decref",-1,0,&[f("instance",Word,0).r(R::Foreign),],U32,8,EL),
m("vkd3d_instance_get_vk_instance",-1,0,&[f("instance",Word,0).r(R::Foreign),],Word,8,EL).rr(R::Foreign),
m("vkd3d_instance_incref",-1,0,&[f("instance",Word,0).r(R::Foreign),],U32,8,EL),
m("vkd3d_create_device",-1,0,&[f("create_info",P(&o(S(552))),0),f("iid",P(&o(Guid)),8).r(R::Iid),f("device",P(&o(O(36))),16).out().opt().iid(1).c(51),],Hresult,24,EL),
m("vkd3d_get_device_parent",-1,0,&[f("device",O(36),0),],O(0),8,EL),
m("vkd3d_get_vk_device",-1,0,&[f("device",O(36),0),],Word,8,EL).rr(R::Foreign),
m("vkd3d_get_vk_physical_device",-1,0,&[f("device",O(36),0),],Word,8,EL).rr(R::Foreign),
m("vkd3d_instance_from_device",-1,0,&[f("device",O(36),0),],Word,8,EL).rr(R::Foreign),
m("vkd3d_get_vk_queue_family_index",-1,0,&[f("queue",O(5),0),],U32,8,EL),
m("vkd3d_acquire_vk_queue",-1,0,&[f("queue",O(5),0),],Word,8,EL).rr(R::Foreign),
m("vkd3d_release_vk_queue",-1,0,&[f("queue",O(5),0),],Void,8,EN),
m("vkd3d_create_image_resource",-1,0,&[f("device",O(36),0),f("create_info",P(&o(S(553))),8),f("resource",P(&o(O(107))),16).out().c(109),],Hresult,24,EL),
m("vkd3d_resource_decref",-1,0,&[f("resource",O(107),0),],U32,8,EL),
m("vkd3d_resource_incref",-1,0,&[f("resource",O(107),0),],U32,8,EL),
m("vkd3d_serialize_root_signature",-1,0,&[f("desc",P(&o(S(277))),0),f("version",E(266),8),f("blob",P(&o(O(1))),16).out().c(1),f("error_blob",P(&o(O(1))),24).out().opt().c(1),],Hresult,32,EL),
m("vkd3d_create_root_signature_deserializer",-1,0,&[f("data",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("data_size",U64,8),f("iid",P(&o(Guid)),16).r(R::Iid),f("deserializer",P(&o(O(112))),24).out().iid(2).c(112),],Hresult,32,EL),
m("vkd3d_get_vk_format",-1,0,&[f("format",E(281),0),],I32,8,EL),
m("vkd3d_get_dxgi_format",-1,0,&[f("format",I32,0),],E(281),8,EL),
m("vkd3d_serialize_versioned_root_signature",-1,0,&[f("desc",P(&o(S(351))),0),f("blob",P(&o(O(1))),8).out().c(1),f("error_blob",P(&o(O(1))),16).out().opt().c(1),],Hresult,24,EL),
m("vkd3d_create_versioned_root_signature_deserializer",-1,0,&[f("data",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("data_size",U64,8),f("iid",P(&o(Guid)),16).r(R::Iid),f("deserializer",P(&o(O(132))),24).out().iid(2).c(132),],Hresult,32,EL),
m("vkCreateSwapchainKHR",-1,0,&[f("device",Word,0).r(R::Foreign),f("pCreateInfo",P(&o(S(547))),8),f("pAllocator",Word,16).r(R::CpuAddress),f("pSwapchain",P(&o(Word)),24).out().r(R::Foreign),],I32,32,EL),
m("vkDestroySwapchainKHR",-1,0,&[f("device",Word,0).r(R::Foreign),f("swapchain",Word,8).r(R::Foreign),f("pAllocator",Word,16).r(R::CpuAddress),],Void,24,EN),
m("vkGetSwapchainImagesKHR",-1,0,&[f("device",Word,0).r(R::Foreign),f("swapchain",Word,8).r(R::Foreign),f("pSwapchainImageCount",P(&o(U32)),16).io(),f("pSwapchainImages",P(&q(Word,L::Through(2))),24).out().opt().r(R::Foreign),],I32,32,EL),
m("vkAcquireNextImageKHR",-1,0,&[f("device",Word,0).r(R::Foreign),f("swapchain",Word,8).r(R::Foreign),f("timeout",U64,16),f("semaphore",Word,24).r(R::Foreign),f("fence",Word,32).r(R::Foreign),f("pImageIndex",P(&o(U32)),40).out(),],I32,48,EL),
m("vkAcquireNextImage2KHR",-1,0,&[f("device",Word,0).r(R::Foreign),f("pAcquireInfo",P(&o(S(542))),8),f("pImageIndex",P(&o(U32)),16).out(),],I32,24,EL),
m("vkQueuePresentKHR",-1,0,&[f("queue",Word,0).r(R::Foreign),f("pPresentInfo",P(&o(S(544))),8),],I32,16,EL),
m("vkCreateXcbSurfaceKHR",-1,0,&[f("instance",Word,0).r(R::Foreign),f("pCreateInfo",P(&o(S(549))),8),f("pAllocator",Word,16).r(R::CpuAddress),f("pSurface",P(&o(Word)),24).out().r(R::Foreign),],I32,32,EL),
m("vkCreateXlibSurfaceKHR",-1,0,&[f("instance",Word,0).r(R::Foreign),f("pCreateInfo",P(&o(S(550))),8),f("pAllocator",Word,16).r(R::CpuAddress),f("pSurface",P(&o(Word)),24).out().r(R::Foreign),],I32,32,EL),
m("vkCreateWaylandSurfaceKHR",-1,0,&[f("instance",Word,0).r(R::Foreign),f("pCreateInfo",P(&o(S(548))),8),f("pAllocator",Word,16).r(R::CpuAddress),f("pSurface",P(&o(Word)),24).out().r(R::Foreign),],I32,32,EL),
m("vkDestroySurfaceKHR",-1,0,&[f("instance",Word,0).r(R::Foreign),f("surface",Word,8).r(R::Foreign),f("pAllocator",Word,16).r(R::CpuAddress),],Void,24,EN),
m("vkGetPhysicalDeviceSurfaceSupportKHR",-1,0,&[f("physicalDevice",Word,0).r(R::Foreign),f("queueFamilyIndex",U32,8),f("surface",Word,16).r(R::Foreign),f("pSupported",P(&o(Bool)),24).out(),],I32,32,EL),
m("vkGetPhysicalDeviceSurfaceCapabilitiesKHR",-1,0,&[f("physicalDevice",Word,0).r(R::Foreign),f("surface",Word,8).r(R::Foreign),f("pSurfaceCapabilities",P(&o(S(545))),16).out(),],I32,24,EL),
m("vkGetPhysicalDeviceSurfaceFormatsKHR",-1,0,&[f("physicalDevice",Word,0).r(R::Foreign),f("surface",Word,8).r(R::Foreign),f("pSurfaceFormatCount",P(&o(U32)),16).io(),f("pSurfaceFormats",P(&q(S(546),L::Through(2))),24).out().opt(),],I32,32,EL),
m("vkGetPhysicalDeviceSurfacePresentModesKHR",-1,0,&[f("physicalDevice",Word,0).r(R::Foreign),f("surface",Word,8).r(R::Foreign),f("pPresentModeCount",P(&o(U32)),16).io(),f("pPresentModes",P(&q(I32,L::Through(2))),24).out().opt(),],I32,32,EL),
m("vkCreateFence",-1,0,&[f("device",Word,0).r(R::Foreign),f("pCreateInfo",P(&o(S(543))),8),f("pAllocator",Word,16).r(R::CpuAddress),f("pFence",P(&o(Word)),24).out().r(R::Foreign),],I32,32,EL),
m("vkDestroyFence",-1,0,&[f("device",Word,0).r(R::Foreign),f("fence",Word,8).r(R::Foreign),f("pAllocator",Word,16).r(R::CpuAddress),],Void,24,EN),
m("vkResetFences",-1,0,&[f("device",Word,0).r(R::Foreign),f("fenceCount",U32,8),f("pFences",P(&q(Word,L::Field(1))),16).r(R::Foreign),],I32,24,EL),
m("vkWaitForFences",-1,0,&[f("device",Word,0).r(R::Foreign),f("fenceCount",U32,8),f("pFences",P(&q(Word,L::Field(1))),16).r(R::Foreign),f("waitAll",Bool,24),f("timeout",U64,32),],I32,40,EL),
];
