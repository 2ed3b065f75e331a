// Made by `cargo xtask codegen` from windows-default 0.100.0 and overlay.toml; do not edit.
use crate::build::*;
use crate::model::Method;
/// Methods of all interfaces in slot order, then functions.
pub static METHODS: &[Method] = &[
// IUnknown
m("QueryInterface",0,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvObject",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
m("AddRef",0,1,&[],U32,0,EL),
m("Release",0,2,&[],U32,0,EL),
// IAmdExtAntiLagApi
m("UpdateAntiLagState",1,3,&[f("pData",Word,0).r(R::CpuAddress),],Hresult,8,EL),
// ID3D10Blob
m("GetBufferPointer",2,3,&[],P(&u(U8,X::CalleeOwned)),0,EL),
m("GetBufferSize",2,4,&[],U64,0,EL),
// ID3D12ApplicationIdentity
m("SetApplicationIdentity",3,3,&[f("pDesc",P(&o(S(2))),0),f("AppId",P(&o(Guid)),8),],Hresult,16,EL),
// ID3D12CommandAllocator
m("Reset",4,8,&[],Hresult,0,EL),
// ID3D12CommandList
m("GetType",5,8,&[],E(15),0,EL),
// ID3D12CommandQueue
m("UpdateTileMappings",6,8,&[f("pResource",O(113),0),f("NumResourceRegions",U32,8),f("pResourceRegionStartCoordinates",P(&q(S(348),L::Field(1))),16).opt(),f("pResourceRegionSizes",P(&q(S(349),L::Field(1))),24).opt(),f("pHeap",O(93),32).opt(),f("NumRanges",U32,40),f("pRangeFlags",P(&q(E(155),L::Field(5))),48).opt(),f("pHeapRangeStartOffsets",P(&q(U32,L::Field(5))),56).opt(),f("pRangeTileCounts",P(&q(U32,L::Field(5))),64).opt(),f("Flags",E(154),72),],Void,80,EN),
m("CopyTileMappings",6,9,&[f("pDstResource",O(113),0),f("pDstRegionStartCoordinate",P(&o(S(348))),8),f("pSrcResource",O(113),16),f("pSrcRegionStartCoordinate",P(&o(S(348))),24),f("pRegionSize",P(&o(S(349))),32),f("Flags",E(154),40),],Void,48,EN),
m("ExecuteCommandLists",6,10,&[f("NumCommandLists",U32,0),f("ppCommandLists",P(&q(O(5),L::Field(0))),8),],Void,16,EN),
m("SetMarker",6,11,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,EN),
m("BeginEvent",6,12,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,EN),
m("EndEvent",6,13,&[],Void,0,EN),
m("Signal",6,14,&[f("pFence",O(74),0),f("Value",U64,8),],Hresult,16,EL),
m("Wait",6,15,&[f("pFence",O(74),0),f("Value",U64,8),],Hresult,16,EL),
m("GetTimestampFrequency",6,16,&[f("pFrequency",P(&o(U64)),0).out(),],Hresult,8,EL),
m("GetClockCalibration",6,17,&[f("pGpuTimestamp",P(&o(U64)),0).out(),f("pCpuTimestamp",P(&o(U64)),8).out(),],Hresult,16,EL),
m("GetDesc",6,18,&[f("result",P(&o(S(20))),0).out(),],Word,8,EL).rs(),
// ID3D12CommandQueue1
m("SetProcessPriority",7,19,&[f("Priority",E(18),0),],Hresult,8,EL),
m("GetProcessPriority",7,20,&[f("pOutValue",P(&o(E(18))),0).out(),],Hresult,8,EL),
m("SetGlobalPriority",7,21,&[f("Priority",E(17),0),],Hresult,8,EL),
m("GetGlobalPriority",7,22,&[f("pOutValue",P(&o(E(17))),0).out(),],Hresult,8,EL),
// ID3D12CommandQueueExt
m("NotifyOutOfBandCommandQueue",8,3,&[f("type",E(82),0),],Hresult,8,EL),
// ID3D12CommandSignature
// ID3D12CompatibilityDevice
m("CreateSharedResource",10,3,&[f("pHeapProperties",P(&o(S(183))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(267))),16),f("InitialResourceState",E(119),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("pFlags11",P(&o(S(0))),40).opt(),f("CompatibilityFlags",E(20),48),f("pLifetimeTracker",O(99),56).opt(),f("pOwningSwapchain",O(134),64).opt(),f("riid",P(&o(Guid)),72).r(R::Iid),f("ppResource",P(&o(O(113))),80).out().opt().iid(9).c(115),],Hresult,88,EL),
m("CreateSharedHeap",10,4,&[f("pHeapDesc",P(&o(S(182))),0),f("CompatibilityFlags",E(20),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppHeap",P(&o(O(93))),24).out().opt().iid(2).c(94),],Hresult,32,EL),
m("ReflectSharedProperties",10,5,&[f("pHeapOrResource",O(102),0),f("ReflectType",E(105),8),f("pData",P(&q(U8,L::Bytes(3))),16).out(),f("DataSize",U32,24),],Hresult,32,EL),
// ID3D12Compiler
m("CompilePipelineState",11,4,&[f("pGroupKey",P(&o(S(24))),0),f("GroupVersion",U32,8),f("pDesc",P(&o(S(214))),16),],Hresult,24,EL),
m("CompileStateObject",11,5,&[f("pGroupKey",P(&o(S(24))),0),f("GroupVersion",U32,8),f("pDesc",P(&o(S(305))),16),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppCompilerStateObject",P(&o(O(15))),32).out().iid(3).c(15),],Hresult,40,EL),
m("CompileAddToStateObject",11,6,&[f("pGroupKey",P(&o(S(24))),0),f("GroupVersion",U32,8),f("pAddition",P(&o(S(305))),16),f("pCompilerStateObjectToGrowFrom",O(15),24),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppNewCompilerStateObject",P(&o(O(15))),40).out().iid(4).c(15),],Hresult,48,EL),
m("GetCacheSession",11,7,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppCompilerCacheSession",P(&o(O(12))),8).out().iid(0).c(12),],Hresult,16,EL),
// ID3D12CompilerCacheSession
m("FindGroup",12,4,&[f("pGroupKey",P(&o(S(24))),0),f("pGroupVersion",P(&o(U32)),8).out().opt(),],Hresult,16,EL),
m("FindGroupValueKeys",12,5,&[f("pGroupKey",P(&o(S(24))),0),f("pExpectedGroupVersion",P(&o(U32)),8).opt(),f("CallbackFunc",Word,16).r(R::Callback),f("pContext",Word,24).r(R::Context),],Hresult,32,EL),
m("FindGroupValues",12,6,&[f("pGroupKey",P(&o(S(24))),0),f("pExpectedGroupVersion",P(&o(U32)),8).opt(),f("ValueTypeFlags",E(22),16),f("CallbackFunc",Word,24).r(R::Callback),f("pContext",Word,32).r(R::Context),],Hresult,40,EL),
m("FindValue",12,7,&[f("pValueKey",P(&o(S(28))),0),f("pTypedValues",P(&q(S(26),L::Field(2))),8).io(),f("NumTypedValues",U32,16),f("pCallbackFunc",Word,24).r(R::Callback),f("pContext",Word,32).r(R::Context),],Hresult,40,EL),
m("GetApplicationDesc",12,8,&[],P(&o(S(2))),0,EL),
m("GetCompilerTarget",12,9,&[f("result",P(&o(S(31))),0).out(),],Word,8,EL).rs(),
m("GetValueTypes",12,10,&[],E(22),0,EL),
m("StoreGroupValueKeys",12,11,&[f("pGroupKey",P(&o(S(24))),0),f("GroupVersion",U32,8),f("pValueKeys",P(&q(S(28),L::Field(3))),16),f("NumValueKeys",U32,24),],Hresult,32,EL),
m("StoreValue",12,12,&[f("pValueKey",P(&o(S(28))),0),f("pTypedValues",P(&q(S(25),L::Field(2))),8),f("NumTypedValues",U32,16),],Hresult,24,EL),
// ID3D12CompilerFactory
m("EnumerateAdapterFamilies",13,3,&[f("AdapterFamilyIndex",U32,0),f("pAdapterFamily",P(&o(S(1))),8).out(),],Hresult,16,EL),
m("EnumerateAdapterFamilyABIVersions",13,4,&[f("AdapterFamilyIndex",U32,0),f("pNumABIVersions",P(&o(U32)),8).io(),f("pABIVersions",P(&q(U64,L::Through(1))),16).out().opt(),],Hresult,24,EL),
m("EnumerateAdapterFamilyCompilerVersion",13,5,&[f("AdapterFamilyIndex",U32,0),f("pCompilerVersion",P(&o(S(353))),8).out(),],Hresult,16,EL),
m("GetApplicationProfileVersion",13,6,&[f("pTarget",P(&o(S(31))),0),f("pApplicationDesc",P(&o(S(2))),8),f("pApplicationProfileVersion",P(&o(S(353))),16).out(),],Hresult,24,EL),
m("CreateCompilerCacheSession",13,7,&[f("pPaths",P(&q(S(29),L::Field(1))),0),f("NumPaths",U32,8),f("pTarget",P(&o(S(31))),16).opt(),f("pApplicationDesc",P(&o(S(2))),24).opt(),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppCompilerCacheSession",P(&o(O(12))),40).out().iid(4).c(12),],Hresult,48,EL),
m("CreateCompiler",13,8,&[f("pCompilerCacheSession",O(12),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppCompiler",P(&o(O(11))),16).out().iid(1).c(11),],Hresult,24,EL),
// ID3D12CompilerFactoryChild
m("GetFactory",14,3,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppCompilerFactory",P(&o(O(13))),8).out().iid(0).c(13),],Hresult,16,EL),
// ID3D12CompilerStateObject
m("GetCompiler",15,3,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppCompiler",P(&o(O(11))),8).out().iid(0).c(11),],Hresult,16,EL),
// ID3D12DSRDeviceFactory
m("CreateDSRDevice",16,3,&[f("pD3D12Device",O(38),0),f("NodeMask",U32,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvDSRDevice",P(&o(O(38))),24).out().iid(2).c(53),],Hresult,32,EL),
// ID3D12DXVKInteropDevice
m("GetDXGIAdapter",17,3,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("object",P(&o(O(173))),8).out().iid(0).c(177),],Hresult,16,EL),
m("GetInstanceExtensions",17,4,&[f("extension_count",Word,0).r(R::CpuAddress),f("extensions",Word,8).r(R::CpuAddress),],Hresult,16,EL),
m("GetDeviceExtensions",17,5,&[f("extension_count",Word,0).r(R::CpuAddress),f("extensions",Word,8).r(R::CpuAddress),],Hresult,16,EL),
m("GetDeviceFeatures",17,6,&[f("features",Word,0).r(R::CpuAddress),],Hresult,8,EL),
m("GetVulkanHandles",17,7,&[f("vk_instance",P(&o(Word)),0).out().r(R::Foreign),f("vk_physical_device",P(&o(Word)),8).out().r(R::Foreign),f("vk_device",P(&o(Word)),16).out().r(R::Foreign),],Hresult,24,EL),
m("GetVulkanQueueInfo",17,8,&[f("queue",O(6),0),f("vk_queue",P(&o(Word)),8).out().r(R::Foreign),f("vk_queue_family",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetVulkanImageLayout",17,9,&[f("resource",O(113),0),f("state",E(119),8),f("vk_layout",P(&o(U32)),16).out(),],Void,24,EL),
m("GetVulkanResourceInfo",17,10,&[f("resource",O(113),0),f("vk_handle",P(&o(U64)),8).out(),f("buffer_offset",P(&o(U64)),16).out(),],Hresult,24,EL),
m("LockCommandQueue",17,11,&[f("queue",O(6),0),],Hresult,8,EL),
m("UnlockCommandQueue",17,12,&[f("queue",O(6),0),],Hresult,8,EL),
// ID3D12DXVKInteropDevice1
m("GetVulkanResourceInfo1",18,13,&[f("resource",O(113),0),f("vk_handle",P(&o(U64)),8).out(),f("buffer_offset",P(&o(U64)),16).out(),f("format",P(&o(U32)),24).out(),],Hresult,32,EL),
m("CreateInteropCommandQueue",18,14,&[f("pDesc",P(&o(S(20))),0),f("vk_queue_family_index",U32,8),f("ppQueue",P(&o(O(6))),16).out().c(7),],Hresult,24,EL),
m("CreateInteropCommandAllocator",18,15,&[f("type",E(15),0),f("vk_queue_family_index",U32,4),f("ppAllocator",P(&o(O(4))),8).out().c(4),],Hresult,16,EL),
m("BeginVkCommandBufferInterop",18,16,&[f("pCmdList",O(5),0),f("pCommandBuffer",P(&o(Word)),8).out().r(R::Foreign),],Hresult,16,EL),
m("EndVkCommandBufferInterop",18,17,&[f("pCmdList",O(5),0),],Hresult,8,EL),
// ID3D12DXVKInteropDevice2
m("LockVulkanQueue",19,18,&[f("queue",O(6),0),],Hresult,8,EL),
m("UnlockVulkanQueue",19,19,&[f("queue",O(6),0),],Hresult,8,EL),
// ID3D12DXVKInteropDevice3
m("GetVulkanHeapInfo",20,20,&[f("heap",O(93),0),f("vk_memory",P(&o(U64)),8).out(),f("heap_offset",P(&o(U64)),16).out(),f("vk_memory_type",P(&o(U32)),24).out(),],Hresult,32,EL),
// ID3D12Debug
m("EnableDebugLayer",21,3,&[],Void,0,EN),
// ID3D12Debug1
m("EnableDebugLayer",22,3,&[],Void,0,EN),
m("SetEnableGPUBasedValidation",22,4,&[f("Enable",Bool,0),],Void,8,EN),
m("SetEnableSynchronizedCommandQueueValidation",22,5,&[f("Enable",Bool,0),],Void,8,EN),
// ID3D12Debug2
m("SetGPUBasedValidationFlags",23,3,&[f("Flags",E(56),0),],Void,8,EN),
// ID3D12Debug3
m("SetEnableGPUBasedValidation",24,4,&[f("Enable",Bool,0),],Void,8,EN),
m("SetEnableSynchronizedCommandQueueValidation",24,5,&[f("Enable",Bool,0),],Void,8,EN),
m("SetGPUBasedValidationFlags",24,6,&[f("Flags",E(56),0),],Void,8,EN),
// ID3D12Debug4
m("DisableDebugLayer",25,7,&[],Void,0,EN),
// ID3D12Debug5
m("SetEnableAutoName",26,8,&[f("Enable",Bool,0),],Void,8,EN),
// ID3D12Debug6
m("SetForceLegacyBarrierValidation",27,9,&[f("Enable",Bool,0),],Void,8,EN),
// ID3D12DebugCommandList
m("AssertResourceState",28,3,&[f("pResource",O(113),0),f("Subresource",U32,8),f("State",U32,12),],Bool,16,EL),
m("SetFeatureMask",28,4,&[f("Mask",E(30),0),],Hresult,8,EL),
m("GetFeatureMask",28,5,&[],E(30),0,EL),
// ID3D12DebugCommandList1
m("AssertResourceState",29,3,&[f("pResource",O(113),0),f("Subresource",U32,8),f("State",U32,12),],Bool,16,EL),
m("SetDebugParameter",29,4,&[f("Type",E(28),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",29,5,&[f("Type",E(28),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
// ID3D12DebugCommandList2
m("SetDebugParameter",30,6,&[f("Type",E(28),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",30,7,&[f("Type",E(28),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
// ID3D12DebugCommandList3
m("AssertResourceAccess",31,8,&[f("pResource",O(113),0),f("Subresource",U32,8),f("Access",E(3),12),],Void,16,EN),
m("AssertTextureLayout",31,9,&[f("pResource",O(113),0),f("Subresource",U32,8),f("Layout",E(4),12),],Void,16,EN),
// ID3D12DebugCommandQueue
m("AssertResourceState",32,3,&[f("pResource",O(113),0),f("Subresource",U32,8),f("State",U32,12),],Bool,16,EL),
// ID3D12DebugCommandQueue1
m("AssertResourceAccess",33,4,&[f("pResource",O(113),0),f("Subresource",U32,8),f("Access",E(3),12),],Void,16,EN),
m("AssertTextureLayout",33,5,&[f("pResource",O(113),0),f("Subresource",U32,8),f("Layout",E(4),12),],Void,16,EN),
// ID3D12DebugDevice
m("SetFeatureMask",34,3,&[f("Mask",E(30),0),],Hresult,8,EL),
m("GetFeatureMask",34,4,&[],E(30),0,EL),
m("ReportLiveDeviceObjects",34,5,&[f("Flags",E(120),0),],Hresult,8,EL),
// ID3D12DebugDevice1
m("SetDebugParameter",35,3,&[f("Type",E(29),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",35,4,&[f("Type",E(29),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
m("ReportLiveDeviceObjects",35,5,&[f("Flags",E(120),0),],Hresult,8,EL),
// ID3D12DebugDevice2
m("SetDebugParameter",36,6,&[f("Type",E(29),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",36,7,&[f("Type",E(29),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
// ID3D12DescriptorHeap
m("GetDesc",37,8,&[f("result",P(&o(S(42))),0).out(),],Word,8,EL).rs(),
m("GetCPUDescriptorHandleForHeapStart",37,9,&[f("result",P(&o(U64)),0).out().r(R::CpuDescriptor),],Word,8,EL).rs(),
m("GetGPUDescriptorHandleForHeapStart",37,10,&[f("result",P(&o(U64)),0).out().r(R::GpuDescriptor),],Word,8,EL).rs(),
// ID3D12Device
m("GetNodeCount",38,7,&[],U32,0,EL),
m("CreateCommandQueue",38,8,&[f("pDesc",P(&o(S(20))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppCommandQueue",P(&o(O(6))),16).out().iid(1).c(7),],Hresult,24,EL),
m("CreateCommandAllocator",38,9,&[f("type",E(15),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppCommandAllocator",P(&o(O(4))),16).out().iid(1).c(4),],Hresult,24,EL),
m("CreateGraphicsPipelineState",38,10,&[f("pDesc",P(&o(S(181))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppPipelineState",P(&o(O(107))),16).out().iid(1).c(108),],Hresult,24,EL),
m("CreateComputePipelineState",38,11,&[f("pDesc",P(&o(S(32))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppPipelineState",P(&o(O(107))),16).out().iid(1).c(108),],Hresult,24,EL),
m("CreateCommandList",38,12,&[f("nodeMask",U32,0),f("type",E(15),4),f("pCommandAllocator",O(4),8),f("pInitialState",O(107),16).opt(),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppCommandList",P(&o(O(5))),32).out().iid(4).c(5),],Hresult,40,EL),
m("CheckFeatureSupport",38,13,&[f("Feature",E(49),0),f("pFeatureSupportData",P(&u(U8,X::FeatureData)),8).io(),f("FeatureSupportDataSize",U32,16),],Hresult,24,EL),
m("CreateDescriptorHeap",38,14,&[f("pDescriptorHeapDesc",P(&o(S(42))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(37))),16).out().iid(1).c(37),],Hresult,24,EL),
m("GetDescriptorHandleIncrementSize",38,15,&[f("DescriptorHeapType",E(33),0),],U32,8,EL),
m("CreateRootSignature",38,16,&[f("nodeMask",U32,0),f("pBlobWithRootSignature",P(&q(U8,L::Field(2))),8).r(R::Blob(B::RootSignature)),f("blobLengthInBytes",U64,16),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppvRootSignature",P(&o(O(116))),32).out().iid(3).c(117),],Hresult,40,EL),
m("CreateConstantBufferView",38,17,&[f("pDesc",P(&o(S(33))),0).opt(),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Void,16,EN),
m("CreateShaderResourceView",38,18,&[f("pResource",O(113),0).opt(),f("pDesc",P(&o(S(299))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("CreateUnorderedAccessView",38,19,&[f("pResource",O(113),0).opt(),f("pCounterResource",O(113),8).opt(),f("pDesc",P(&o(S(351))),16).opt(),f("DestDescriptor",U64,24).r(R::CpuDescriptor),],Void,32,EN),
m("CreateRenderTargetView",38,20,&[f("pResource",O(113),0).opt(),f("pDesc",P(&o(S(259))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("CreateDepthStencilView",38,21,&[f("pResource",O(113),0).opt(),f("pDesc",P(&o(S(41))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("CreateSampler",38,22,&[f("pDesc",P(&o(S(282))),0),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Void,16,EN),
m("CopyDescriptors",38,23,&[f("NumDestDescriptorRanges",U32,0),f("pDestDescriptorRangeStarts",P(&q(U64,L::Field(0))),8).r(R::CpuDescriptor),f("pDestDescriptorRangeSizes",P(&q(U32,L::Field(0))),16).opt(),f("NumSrcDescriptorRanges",U32,24),f("pSrcDescriptorRangeStarts",P(&q(U64,L::Field(3))),32).r(R::CpuDescriptor),f("pSrcDescriptorRangeSizes",P(&q(U32,L::Field(3))),40).opt(),f("DescriptorHeapsType",E(33),48),],Void,56,EN),
m("CopyDescriptorsSimple",38,24,&[f("NumDescriptors",U32,0),f("DestDescriptorRangeStart",U64,8).r(R::CpuDescriptor),f("SrcDescriptorRangeStart",U64,16).r(R::CpuDescriptor),f("DescriptorHeapsType",E(33),24),],Void,32,EN),
m("GetResourceAllocationInfo",38,25,&[f("result",P(&o(S(263))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(267),L::Field(2))),16),],Word,24,EL).rs(),
m("GetCustomHeapProperties",38,26,&[f("result",P(&o(S(183))),0).out(),f("nodeMask",U32,8),f("heapType",E(60),12),],Word,16,EL).rs(),
m("CreateCommittedResource",38,27,&[f("pHeapProperties",P(&o(S(183))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(267))),16),f("InitialResourceState",E(119),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("riidResource",P(&o(Guid)),40).r(R::Iid),f("ppvResource",P(&o(O(113))),48).out().opt().iid(5).c(115),],Hresult,56,EL),
m("CreateHeap",38,28,&[f("pDesc",P(&o(S(182))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(93))),16).out().opt().iid(1).c(94),],Hresult,24,EL),
m("CreatePlacedResource",38,29,&[f("pHeap",O(93),0),f("HeapOffset",U64,8).r(R::Size),f("pDesc",P(&o(S(267))),16),f("InitialState",E(119),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("riid",P(&o(Guid)),40).r(R::Iid),f("ppvResource",P(&o(O(113))),48).out().opt().iid(5).c(115),],Hresult,56,EL),
m("CreateReservedResource",38,30,&[f("pDesc",P(&o(S(267))),0),f("InitialState",E(119),8),f("pOptimizedClearValue",P(&o(S(18))),16).opt(),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppvResource",P(&o(O(113))),32).out().opt().iid(3).c(115),],Hresult,40,EL),
m("CreateSharedHandle",38,31,&[f("pObject",O(54),0),f("pAttributes",P(&o(S(542))),8).opt(),f("Access",U32,16),f("Name",P(&t(U16)),24).opt().r(R::Text),f("pHandle",P(&o(Word)),32).out().r(R::SharedHandle),],Hresult,40,EL),
m("OpenSharedHandle",38,32,&[f("NTHandle",Word,0).r(R::SharedHandle),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvObj",P(&o(O(0))),16).out().opt().iid(1),],Hresult,24,EL),
m("OpenSharedHandleByName",38,33,&[f("Name",P(&t(U16)),0).r(R::Text),f("Access",U32,8),f("pNTHandle",P(&o(Word)),16).out().r(R::SharedHandle),],Hresult,24,EL),
m("MakeResident",38,34,&[f("NumObjects",U32,0),f("ppObjects",P(&q(O(103),L::Field(0))),8),],Hresult,16,EL),
m("Evict",38,35,&[f("NumObjects",U32,0),f("ppObjects",P(&q(O(103),L::Field(0))),8),],Hresult,16,EL),
m("CreateFence",38,36,&[f("InitialValue",U64,0),f("Flags",E(51),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppFence",P(&o(O(74))),24).out().iid(2).c(75),],Hresult,32,EL),
m("GetDeviceRemovedReason",38,37,&[],Hresult,0,EL),
m("GetCopyableFootprints",38,38,&[f("pResourceDesc",P(&o(S(267))),0),f("FirstSubresource",U32,8),f("NumSubresources",U32,12),f("BaseOffset",U64,16),f("pLayouts",P(&q(S(215),L::Field(2))),24).out().opt(),f("pNumRows",P(&q(U32,L::Field(2))),32).out().opt(),f("pRowSizeInBytes",P(&q(U64,L::Field(2))),40).out().opt().r(R::Size),f("pTotalBytes",P(&o(U64)),48).out().opt().r(R::Size),],Void,56,EL),
m("CreateQueryHeap",38,39,&[f("pDesc",P(&o(S(223))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(112))),16).out().opt().iid(1).c(112),],Hresult,24,EL),
m("SetStablePowerState",38,40,&[f("Enable",Bool,0),],Hresult,8,EL),
m("CreateCommandSignature",38,41,&[f("pDesc",P(&o(S(21))),0),f("pRootSignature",O(116),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvCommandSignature",P(&o(O(9))),24).out().opt().iid(2).c(9),],Hresult,32,EL),
m("GetResourceTiling",38,42,&[f("pTiledResource",O(113),0),f("pNumTilesForEntireResource",P(&o(U32)),8).out().opt(),f("pPackedMipDesc",P(&o(S(212))),16).out().opt(),f("pStandardTileShapeForNonPackedMips",P(&o(S(350))),24).out().opt(),f("pNumSubresourceTilings",P(&o(U32)),32).io().opt(),f("FirstSubresourceTilingToGet",U32,40),f("pSubresourceTilingsForNonPackedMips",P(&q(S(315),L::Through(4))),48).out(),],Void,56,EL),
m("GetAdapterLuid",38,43,&[f("result",P(&o(S(539))),0).out(),],Word,8,EL).rs(),
// ID3D12Device1
m("CreatePipelineLibrary",39,44,&[f("pLibraryBlob",P(&q(U8,L::Field(1))),0).r(R::Blob(B::CachedPipeline)),f("BlobLength",U64,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineLibrary",P(&o(O(105))),24).out().iid(2).c(106),],Hresult,32,EL),
m("SetEventOnMultipleFenceCompletion",39,45,&[f("ppFences",P(&q(O(74),L::Field(2))),0),f("pFenceValues",P(&q(U64,L::Field(2))),8),f("NumFences",U32,16),f("Flags",E(78),20),f("hEvent",Word,24).r(R::Event),],Hresult,32,EL),
m("SetResidencyPriority",39,46,&[f("NumObjects",U32,0),f("ppObjects",P(&q(O(103),L::Field(0))),8),f("pPriorities",P(&q(E(111),L::Field(0))),16),],Hresult,24,EL),
// ID3D12Device2
m("CreatePipelineState",40,47,&[f("pDesc",P(&o(S(214))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppPipelineState",P(&o(O(107))),16).out().iid(1).c(108),],Hresult,24,EL),
// ID3D12Device3
m("OpenExistingHeapFromAddress",41,48,&[f("pAddress",Word,0).r(R::CpuAddress),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(93))),16).out().iid(1).c(94),],Hresult,24,EL),
m("OpenExistingHeapFromFileMapping",41,49,&[f("hFileMapping",Word,0).r(R::SharedHandle),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(93))),16).out().iid(1).c(94),],Hresult,24,EL),
m("EnqueueMakeResident",41,50,&[f("Flags",E(110),0),f("NumObjects",U32,4),f("ppObjects",P(&q(O(103),L::Field(1))),8),f("pFenceToSignal",O(74),16),f("FenceValueToSignal",U64,24),],Hresult,32,EL),
// ID3D12Device4
m("CreateCommandList1",42,51,&[f("nodeMask",U32,0),f("type",E(15),4),f("flags",E(13),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppCommandList",P(&o(O(5))),24).out().iid(3).c(5),],Hresult,32,EL),
m("CreateProtectedResourceSession",42,52,&[f("pDesc",P(&o(S(217))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppSession",P(&o(O(109))),16).out().iid(1).c(110),],Hresult,24,EL),
m("CreateCommittedResource1",42,53,&[f("pHeapProperties",P(&o(S(183))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(267))),16),f("InitialResourceState",E(119),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("pProtectedSession",O(109),40).opt(),f("riidResource",P(&o(Guid)),48).r(R::Iid),f("ppvResource",P(&o(O(113))),56).out().opt().iid(6).c(115),],Hresult,64,EL),
m("CreateHeap1",42,54,&[f("pDesc",P(&o(S(182))),0),f("pProtectedSession",O(109),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvHeap",P(&o(O(93))),24).out().opt().iid(2).c(94),],Hresult,32,EL),
m("CreateReservedResource1",42,55,&[f("pDesc",P(&o(S(267))),0),f("InitialState",E(119),8),f("pOptimizedClearValue",P(&o(S(18))),16).opt(),f("pProtectedSession",O(109),24).opt(),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppvResource",P(&o(O(113))),40).out().opt().iid(4).c(115),],Hresult,48,EL),
m("GetResourceAllocationInfo1",42,56,&[f("result",P(&o(S(263))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(267),L::Field(2))),16),f("pResourceAllocationInfo1",P(&q(S(264),L::Field(2))),24).out().opt(),],Word,32,EL).rs(),
// ID3D12Device5
m("CreateLifetimeTracker",43,57,&[f("pOwner",O(98),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvTracker",P(&o(O(99))),16).out().iid(1).c(99),],Hresult,24,EL),
m("RemoveDevice",43,58,&[],Void,0,EN),
m("EnumerateMetaCommands",43,59,&[f("pNumMetaCommands",P(&o(U32)),0).io(),f("pDescs",P(&q(S(201),L::Through(0))),8).out().opt(),],Hresult,16,EL),
m("EnumerateMetaCommandParameters",43,60,&[f("CommandId",P(&o(Guid)),0),f("Stage",E(76),8),f("pTotalStructureSizeInBytes",P(&o(U32)),16).out().opt(),f("pParameterCount",P(&o(U32)),24).io(),f("pParameterDescs",P(&q(S(202),L::Through(3))),32).out().opt(),],Hresult,40,EL),
m("CreateMetaCommand",43,61,&[f("CommandId",P(&o(Guid)),0),f("NodeMask",U32,8),f("pCreationParametersData",P(&q(U8,L::Bytes(3))),16).opt(),f("CreationParametersDataSizeInBytes",U64,24),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppMetaCommand",P(&o(O(101))),40).out().iid(4).c(101),],Hresult,48,EL),
m("CreateStateObject",43,62,&[f("pDesc",P(&o(S(305))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppStateObject",P(&o(O(128))),16).out().iid(1).c(128),],Hresult,24,EL),
m("GetRaytracingAccelerationStructurePrebuildInfo",43,63,&[f("pDesc",P(&o(S(16))),0),f("pInfo",P(&o(S(234))),8).out(),],Void,16,EL),
m("CheckDriverMatchingIdentifier",43,64,&[f("SerializedDataType",E(127),0),f("pIdentifierToCheck",P(&o(S(285))),8),],E(43),16,EL),
// ID3D12Device6
m("SetBackgroundProcessingMode",44,65,&[f("Mode",E(2),0),f("MeasurementsAction",E(68),4),f("hEventToSignalUponCompletion",Word,8).r(R::Event),f("pbFurtherMeasurementsDesired",P(&o(Bool)),16).out().opt(),],Hresult,24,EL),
// ID3D12Device7
m("AddToStateObject",45,66,&[f("pAddition",P(&o(S(305))),0),f("pStateObjectToGrowFrom",O(128),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppNewStateObject",P(&o(O(128))),24).out().iid(2).c(128),],Hresult,32,EL),
m("CreateProtectedResourceSession1",45,67,&[f("pDesc",P(&o(S(218))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppSession",P(&o(O(109))),16).out().iid(1).c(110),],Hresult,24,EL),
// ID3D12Device8
m("GetResourceAllocationInfo2",46,68,&[f("result",P(&o(S(263))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(268),L::Field(2))),16),f("pResourceAllocationInfo1",P(&q(S(264),L::Field(2))),24).out().opt(),],Word,32,EL).rs(),
m("CreateCommittedResource2",46,69,&[f("pHeapProperties",P(&o(S(183))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(268))),16),f("InitialResourceState",E(119),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("pProtectedSession",O(109),40).opt(),f("riidResource",P(&o(Guid)),48).r(R::Iid),f("ppvResource",P(&o(O(113))),56).out().opt().iid(6).c(115),],Hresult,64,EL),
m("CreatePlacedResource1",46,70,&[f("pHeap",O(93),0),f("HeapOffset",U64,8).r(R::Size),f("pDesc",P(&o(S(268))),16),f("InitialState",E(119),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("riid",P(&o(Guid)),40).r(R::Iid),f("ppvResource",P(&o(O(113))),48).out().opt().iid(5).c(115),],Hresult,56,EL),
m("CreateSamplerFeedbackUnorderedAccessView",46,71,&[f("pTargetedResource",O(113),0).opt(),f("pFeedbackResource",O(113),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("GetCopyableFootprints1",46,72,&[f("pResourceDesc",P(&o(S(268))),0),f("FirstSubresource",U32,8),f("NumSubresources",U32,12),f("BaseOffset",U64,16),f("pLayouts",P(&q(S(215),L::Field(2))),24).out().opt(),f("pNumRows",P(&q(U32,L::Field(2))),32).out().opt(),f("pRowSizeInBytes",P(&q(U64,L::Field(2))),40).out().opt().r(R::Size),f("pTotalBytes",P(&o(U64)),48).out().opt().r(R::Size),],Void,56,EL),
// ID3D12Device9
m("CreateShaderCacheSession",47,73,&[f("pDesc",P(&o(S(295))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvSession",P(&o(O(122))),16).out().opt().iid(1).c(122),],Hresult,24,EL),
m("ShaderCacheControl",47,74,&[f("Kinds",E(132),0),f("Control",E(130),4),],Hresult,8,EL),
m("CreateCommandQueue1",47,75,&[f("pDesc",P(&o(S(20))),0),f("CreatorID",P(&o(Guid)),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppCommandQueue",P(&o(O(6))),24).out().iid(2).c(7),],Hresult,32,EL),
// ID3D12Device10
m("CreateCommittedResource3",48,76,&[f("pHeapProperties",P(&o(S(183))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(268))),16),f("InitialLayout",E(4),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("pProtectedSession",O(109),40).opt(),f("NumCastableFormats",U32,48),f("pCastableFormats",P(&q(E(283),L::Field(6))),56).opt(),f("riidResource",P(&o(Guid)),64).r(R::Iid),f("ppvResource",P(&o(O(113))),72).out().opt().iid(8).c(115),],Hresult,80,EL),
m("CreatePlacedResource2",48,77,&[f("pHeap",O(93),0),f("HeapOffset",U64,8).r(R::Size),f("pDesc",P(&o(S(268))),16),f("InitialLayout",E(4),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("NumCastableFormats",U32,40),f("pCastableFormats",P(&q(E(283),L::Field(5))),48).opt(),f("riid",P(&o(Guid)),56).r(R::Iid),f("ppvResource",P(&o(O(113))),64).out().opt().iid(7).c(115),],Hresult,72,EL),
m("CreateReservedResource2",48,78,&[f("pDesc",P(&o(S(267))),0),f("InitialLayout",E(4),8),f("pOptimizedClearValue",P(&o(S(18))),16).opt(),f("pProtectedSession",O(109),24).opt(),f("NumCastableFormats",U32,32),f("pCastableFormats",P(&q(E(283),L::Field(4))),40).opt(),f("riid",P(&o(Guid)),48).r(R::Iid),f("ppvResource",P(&o(O(113))),56).out().opt().iid(6).c(115),],Hresult,64,EL),
// ID3D12Device11
m("CreateSampler2",49,79,&[f("pDesc",P(&o(S(283))),0),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Void,16,EN),
// ID3D12Device12
m("GetResourceAllocationInfo3",50,80,&[f("result",P(&o(S(263))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(268),L::Field(2))),16),f("pNumCastableFormats",P(&q(U32,L::Field(2))),24),f("ppCastableFormats",P(&q(P(&u(E(283),X::CastableFormats)),L::Field(2))),32).opt(),f("pResourceAllocationInfo1",P(&q(S(264),L::Field(2))),40).out().opt(),],Word,48,EL).rs(),
// ID3D12Device13
m("OpenExistingHeapFromAddress1",51,81,&[f("pAddress",Word,0).r(R::CpuAddress),f("size",U64,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvHeap",P(&o(O(93))),24).out().iid(2).c(94),],Hresult,32,EL),
// ID3D12Device14
m("CreateRootSignatureFromSubobjectInLibrary",52,82,&[f("nodeMask",U32,0),f("pLibraryBlob",P(&q(U8,L::Field(2))),8).r(R::Blob(B::Shader)),f("blobLengthInBytes",U64,16),f("subobjectName",P(&t(U16)),24).opt().r(R::Text),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppvRootSignature",P(&o(O(116))),40).out().iid(4).c(117),],Hresult,48,EL),
// ID3D12Device15
m("RegisterTrimNotificationCallback",53,83,&[f("pData",P(&o(S(248))),0).io(),],Hresult,8,EL),
m("UnregisterTrimNotificationCallback",53,84,&[f("CallbackCookie",U32,0),],Hresult,8,EL),
m("TryCreateShaderResourceView",53,85,&[f("pResource",O(113),0).opt(),f("pDesc",P(&o(S(299))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Hresult,24,EL),
m("TryCreateUnorderedAccessView",53,86,&[f("pResource",O(113),0).opt(),f("pCounterResource",O(113),8).opt(),f("pDesc",P(&o(S(351))),16).opt(),f("DestDescriptor",U64,24).r(R::CpuDescriptor),],Hresult,32,EL),
m("TryCreateConstantBufferView",53,87,&[f("pDesc",P(&o(S(33))),0).opt(),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Hresult,16,EL),
m("TryCreateSampler2",53,88,&[f("pDesc",P(&o(S(283))),0),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Hresult,16,EL),
m("TryCreateRenderTargetView",53,89,&[f("pResource",O(113),0).opt(),f("pDesc",P(&o(S(259))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Hresult,24,EL),
m("TryCreateDepthStencilView",53,90,&[f("pResource",O(113),0).opt(),f("pDesc",P(&o(S(41))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Hresult,24,EL),
m("TryCreateSamplerFeedbackUnorderedAccessView",53,91,&[f("pTargetedResource",O(113),0).opt(),f("pFeedbackResource",O(113),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Hresult,24,EL),
m("CreateQueryHeap1",53,92,&[f("pDesc",P(&o(S(223))),0),f("Flags",E(92),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvHeap",P(&o(O(112))),24).out().iid(2).c(112),],Hresult,32,EL),
m("ResolveQueryData",53,93,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pResolvedQueryData",P(&u(U8,X::Named("QueryData"))),24).io(),],Hresult,32,EL),
// ID3D12DeviceChild
m("GetDevice",54,7,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvDevice",P(&o(O(38))),8).out().opt().iid(0).c(53),],Hresult,16,EL),
// ID3D12DeviceConfiguration
m("GetDesc",55,3,&[f("result",P(&o(S(45))),0).out(),],Word,8,EL).rs(),
m("GetEnabledExperimentalFeatures",55,4,&[f("pGuids",P(&q(Guid,L::Field(1))),0).out(),f("NumGuids",U32,8),],Hresult,16,EL),
m("SerializeVersionedRootSignature",55,5,&[f("pDesc",P(&o(S(352))),0),f("ppResult",P(&o(O(2))),8).out().c(2),f("ppError",P(&o(O(2))),16).out().c(2),],Hresult,24,EL),
m("CreateVersionedRootSignatureDeserializer",55,6,&[f("pBlob",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("Size",U64,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvDeserializer",P(&o(O(138))),24).out().iid(2).c(138),],Hresult,32,EL),
// ID3D12DeviceConfiguration1
m("CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary",56,7,&[f("pLibraryBlob",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::Shader)),f("Size",U64,8),f("RootSignatureSubobjectName",P(&t(U16)),16).r(R::Text),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppvDeserializer",P(&o(O(138))),32).out().iid(3).c(138),],Hresult,40,EL),
// ID3D12DeviceExt
m("GetVulkanHandles",57,3,&[f("vk_instance",P(&o(U64)),0).out(),f("vk_physical_device",P(&o(U64)),8).out(),f("vk_device",P(&o(U64)),16).out(),],Hresult,24,EL),
m("GetExtensionSupport",57,4,&[f("extension",E(252),0),],Bool,8,EL),
m("CreateCubinComputeShaderWithName",57,5,&[f("cubin_data",P(&q(U8,L::Bytes(1))),0),f("cubin_size",U32,8),f("block_x",U32,12),f("block_y",U32,16),f("block_z",U32,20),f("shader_name",P(&t(U8)),24).r(R::Text),f("handle",P(&o(U64)),32).out(),],Hresult,40,EL),
m("DestroyCubinComputeShader",57,6,&[f("handle",Word,0).r(R::CpuAddress),],Hresult,8,EL),
m("GetCudaTextureObject",57,7,&[f("srv_handle",U64,0).r(R::CpuDescriptor),f("sampler_handle",U64,8).r(R::CpuDescriptor),f("cuda_texture_handle",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetCudaSurfaceObject",57,8,&[f("uav_handle",U64,0).r(R::CpuDescriptor),f("cuda_surface_handle",P(&o(U32)),8).out(),],Hresult,16,EL),
m("CaptureUAVInfo",57,9,&[f("uav_info",Word,0).r(R::CpuAddress),],Hresult,8,EL),
// ID3D12DeviceExt1
m("CreateResourceFromBorrowedHandle",58,10,&[f("desc",P(&o(S(268))),0),f("vk_handle",Word,8).r(R::Foreign),f("resource",P(&o(O(113))),16).out().c(115),],Hresult,24,EL),
m("GetVulkanQueueInfoEx",58,11,&[f("queue",O(6),0),f("vk_queue",P(&o(Word)),8).out().r(R::Foreign),f("vk_queue_index",P(&o(U32)),16).out(),f("vk_queue_flags",P(&o(U32)),24).out(),f("vk_queue_family",P(&o(U32)),32).out(),],Hresult,40,EL),
// ID3D12DeviceExt2
m("SupportsCubin64bit",59,12,&[],Bool,0,EL),
m("CreateCubinComputeShaderExV2",59,13,&[f("params",Word,0).r(R::CpuAddress),],Hresult,8,EL),
m("GetCudaMergedTextureSamplerObject",59,14,&[f("params",Word,0).r(R::CpuAddress),],Hresult,8,EL),
m("GetCudaIndependentDescriptorObject",59,15,&[f("params",Word,0).r(R::CpuAddress),],Hresult,8,EL),
// ID3D12DeviceExt3
m("SupportsAGSExtension",60,16,&[f("agsExtension",U32,0),],Bool,8,EL),
m("SetAGSUAVSlot",60,17,&[f("uavSlot",U32,0),],Hresult,8,EL),
// ID3D12DeviceExt4
m("IsNvShaderExtnOpCodeSupported",61,18,&[f("op_code",U32,0),],Bool,8,EL),
m("SetNvShaderExtnSlotSpace",61,19,&[f("uav_slot",U32,0),f("uav_space",U32,4),f("local_thread",Bool,8),],Hresult,16,EL),
// ID3D12DeviceExt5
m("SetCreatePipelineStateFlagsNVAPI",62,20,&[f("pipeline_state_flags",E(253),0),],Bool,8,EL),
// ID3D12DeviceFactory
m("InitializeFromGlobalState",63,3,&[],Hresult,0,EL),
m("ApplyToGlobalState",63,4,&[],Hresult,0,EL),
m("SetFlags",63,5,&[f("flags",E(36),0),],Hresult,8,EL),
m("GetFlags",63,6,&[],E(36),0,EL),
m("GetConfigurationInterface",63,7,&[f("clsid",P(&o(Guid)),0),f("iid",P(&o(Guid)),8).r(R::Iid),f("ppv",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("EnableExperimentalFeatures",63,8,&[f("NumFeatures",U32,0),f("pIIDs",P(&q(Guid,L::Field(0))),8),f("pConfigurationStructs",P(&u(U8,X::Named("ExperimentalConfiguration"))),16).opt(),f("pConfigurationStructSizes",P(&q(U32,L::Field(0))),24).opt(),],Hresult,32,EL),
m("CreateDevice",63,9,&[f("adapter",O(0),0).opt(),f("FeatureLevel",E(259),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvDevice",P(&o(O(38))),24).out().opt().iid(2).c(53),],Hresult,32,EL),
// ID3D12DeviceRemovedExtendedData
m("GetAutoBreadcrumbsOutput",64,3,&[f("pOutput",P(&o(S(55))),0).out(),],Hresult,8,EL),
m("GetPageFaultAllocationOutput",64,4,&[f("pOutput",P(&o(S(58))),0).out(),],Hresult,8,EL),
// ID3D12DeviceRemovedExtendedData1
m("GetAutoBreadcrumbsOutput1",65,5,&[f("pOutput",P(&o(S(56))),0).out(),],Hresult,8,EL),
m("GetPageFaultAllocationOutput1",65,6,&[f("pOutput",P(&o(S(59))),0).out(),],Hresult,8,EL),
// ID3D12DeviceRemovedExtendedData2
m("GetPageFaultAllocationOutput2",66,7,&[f("pOutput",P(&o(S(60))),0).out(),],Hresult,8,EL),
m("GetDeviceState",66,8,&[],E(40),0,EL),
// ID3D12DeviceRemovedExtendedDataSettings
m("SetAutoBreadcrumbsEnablement",67,3,&[f("Enablement",E(41),0),],Void,8,EN),
m("SetPageFaultEnablement",67,4,&[f("Enablement",E(41),0),],Void,8,EN),
m("SetWatsonDumpEnablement",67,5,&[f("Enablement",E(41),0),],Void,8,EN),
// ID3D12DeviceRemovedExtendedDataSettings1
m("SetBreadcrumbContextEnablement",68,6,&[f("Enablement",E(41),0),],Void,8,EN),
// ID3D12DeviceRemovedExtendedDataSettings2
m("UseMarkersOnlyAutoBreadcrumbs",69,7,&[f("MarkersOnly",Bool,0),],Void,8,EN),
// ID3D12DeviceStatistics
m("GetStateObjectStatistics",70,3,&[f("pStatistics",P(&o(S(306))),0).out(),],Hresult,8,EL),
// ID3D12DeviceTools
m("SetNextAllocationAddress",71,3,&[f("nextAllocationVirtualAddress",U64,0).r(R::GpuAddress),],Void,8,EN),
// ID3D12DeviceTools1
m("GetApplicationSpecificDriverState",72,4,&[f("ppBlob",P(&o(O(2))),0).out().c(2),],Hresult,8,EL),
m("GetApplicationSpecificDriverBlobStatus",72,5,&[],E(0),0,EL),
// ID3D12ExtDummyInterface
// ID3D12Fence
m("GetCompletedValue",74,8,&[],U64,0,EL),
m("SetEventOnCompletion",74,9,&[f("Value",U64,0),f("hEvent",Word,8).r(R::Event),],Hresult,16,EL),
m("Signal",74,10,&[f("Value",U64,0),],Hresult,8,EL),
// ID3D12Fence1
m("GetCreationFlags",75,11,&[],E(51),0,EL),
// ID3D12FunctionParameterReflection
m("GetDesc",76,0,&[f("pDesc",P(&o(S(213))),0).out(),],Hresult,8,EL),
// ID3D12FunctionReflection
m("GetDesc",77,0,&[f("pDesc",P(&o(S(173))),0).out(),],Hresult,8,EL),
m("GetConstantBufferByIndex",77,1,&[f("BufferIndex",U32,0),],O(124),8,EL),
m("GetConstantBufferByName",77,2,&[f("Name",P(&t(U8)),0).r(R::Text),],O(124),8,EL),
m("GetResourceBindingDesc",77,3,&[f("ResourceIndex",U32,0),f("pDesc",P(&o(S(297))),8).out(),],Hresult,16,EL),
m("GetVariableByName",77,4,&[f("Name",P(&t(U8)),0).r(R::Text),],O(126),8,EL),
m("GetResourceBindingDescByName",77,5,&[f("Name",P(&t(U8)),0).r(R::Text),f("pDesc",P(&o(S(297))),8).out(),],Hresult,16,EL),
m("GetFunctionParameter",77,6,&[f("ParameterIndex",I32,0),],O(76),8,EL),
// ID3D12GBVDiagnostics
m("GetGBVEntireSubresourceStatesData",78,3,&[f("pResource",O(113),0),f("pData",P(&q(I32,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
m("GetGBVSubresourceState",78,4,&[f("pResource",O(113),0),f("Subresource",U32,8),f("pData",P(&o(I32)),16).out(),],Hresult,24,EL),
m("GetGBVResourceUniformState",78,5,&[f("pResource",O(113),0),f("pData",P(&o(I32)),8).out(),],Hresult,16,EL),
m("GetGBVResourceInfo",78,6,&[f("pResource",O(113),0),f("pResourceDesc",P(&o(S(267))),8).out().opt(),f("pResourceHash",P(&o(U32)),16).out().opt(),f("pSubresourceStatesByteOffset",P(&o(U32)),24).out().opt(),],Hresult,32,EL),
m("GBVReserved0",78,7,&[],Void,0,EN),
m("GBVReserved1",78,8,&[],Void,0,EN),
// ID3D12GraphicsCommandList
m("Close",79,9,&[],Hresult,0,EL),
m("Reset",79,10,&[f("pAllocator",O(4),0),f("pInitialState",O(107),8).opt(),],Hresult,16,EL),
m("ClearState",79,11,&[f("pPipelineState",O(107),0).opt(),],Void,8,OB),
m("DrawInstanced",79,12,&[f("VertexCountPerInstance",U32,0),f("InstanceCount",U32,4),f("StartVertexLocation",U32,8),f("StartInstanceLocation",U32,12),],Void,16,OB),
m("DrawIndexedInstanced",79,13,&[f("IndexCountPerInstance",U32,0),f("InstanceCount",U32,4),f("StartIndexLocation",U32,8),f("BaseVertexLocation",I32,12),f("StartInstanceLocation",U32,16),],Void,24,OB),
m("Dispatch",79,14,&[f("ThreadGroupCountX",U32,0),f("ThreadGroupCountY",U32,4),f("ThreadGroupCountZ",U32,8),],Void,16,OB),
m("CopyBufferRegion",79,15,&[f("pDstBuffer",O(113),0),f("DstOffset",U64,8).r(R::Size),f("pSrcBuffer",O(113),16),f("SrcOffset",U64,24).r(R::Size),f("NumBytes",U64,32).r(R::Size),],Void,40,OB),
m("CopyTextureRegion",79,16,&[f("pDst",P(&o(S(346))),0),f("DstX",U32,8),f("DstY",U32,12),f("DstZ",U32,16),f("pSrc",P(&o(S(346))),24),f("pSrcBox",P(&o(S(8))),32).opt(),],Void,40,OB),
m("CopyResource",79,17,&[f("pDstResource",O(113),0),f("pSrcResource",O(113),8),],Void,16,OB),
m("CopyTiles",79,18,&[f("pTiledResource",O(113),0),f("pTileRegionStartCoordinate",P(&o(S(348))),8),f("pTileRegionSize",P(&o(S(349))),16),f("pBuffer",O(113),24),f("BufferStartOffsetInBytes",U64,32).r(R::Size),f("Flags",E(153),40),],Void,48,OB),
m("ResolveSubresource",79,19,&[f("pDstResource",O(113),0),f("DstSubresource",U32,8),f("pSrcResource",O(113),16),f("SrcSubresource",U32,24),f("Format",E(283),28),],Void,32,OB),
m("IASetPrimitiveTopology",79,20,&[f("PrimitiveTopology",E(265),0),],Void,8,OB),
m("RSSetViewports",79,21,&[f("NumViewports",U32,0),f("pViewports",P(&q(S(496),L::Field(0))),8),],Void,16,OB),
m("RSSetScissorRects",79,22,&[f("NumRects",U32,0),f("pRects",P(&q(S(541),L::Field(0))),8),],Void,16,OB),
m("OMSetBlendFactor",79,23,&[f("BlendFactor",P(&q(F32,L::Const(4))),0).opt().r(R::Color),],Void,8,OB),
m("OMSetStencilRef",79,24,&[f("StencilRef",U32,0),],Void,8,OB),
m("SetPipelineState",79,25,&[f("pPipelineState",O(107),0),],Void,8,OB),
m("ResourceBarrier",79,26,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(265),L::Field(0))),8),],Void,16,OB),
m("ExecuteBundle",79,27,&[f("pCommandList",O(79),0),],Void,8,OB),
m("SetDescriptorHeaps",79,28,&[f("NumDescriptorHeaps",U32,0),f("ppDescriptorHeaps",P(&q(O(37),L::Field(0))),8),],Void,16,OB),
m("SetComputeRootSignature",79,29,&[f("pRootSignature",O(116),0).opt(),],Void,8,OB),
m("SetGraphicsRootSignature",79,30,&[f("pRootSignature",O(116),0).opt(),],Void,8,OB),
m("SetComputeRootDescriptorTable",79,31,&[f("RootParameterIndex",U32,0),f("BaseDescriptor",U64,8).r(R::GpuDescriptor),],Void,16,OB),
m("SetGraphicsRootDescriptorTable",79,32,&[f("RootParameterIndex",U32,0),f("BaseDescriptor",U64,8).r(R::GpuDescriptor),],Void,16,OB),
m("SetComputeRoot32BitConstant",79,33,&[f("RootParameterIndex",U32,0),f("SrcData",U32,4),f("DestOffsetIn32BitValues",U32,8),],Void,16,OB),
m("SetGraphicsRoot32BitConstant",79,34,&[f("RootParameterIndex",U32,0),f("SrcData",U32,4),f("DestOffsetIn32BitValues",U32,8),],Void,16,OB),
m("SetComputeRoot32BitConstants",79,35,&[f("RootParameterIndex",U32,0),f("Num32BitValuesToSet",U32,4),f("pSrcData",P(&q(U32,L::Field(1))),8),f("DestOffsetIn32BitValues",U32,16),],Void,24,OB),
m("SetGraphicsRoot32BitConstants",79,36,&[f("RootParameterIndex",U32,0),f("Num32BitValuesToSet",U32,4),f("pSrcData",P(&q(U32,L::Field(1))),8),f("DestOffsetIn32BitValues",U32,16),],Void,24,OB),
m("SetComputeRootConstantBufferView",79,37,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetGraphicsRootConstantBufferView",79,38,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetComputeRootShaderResourceView",79,39,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetGraphicsRootShaderResourceView",79,40,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetComputeRootUnorderedAccessView",79,41,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetGraphicsRootUnorderedAccessView",79,42,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("IASetIndexBuffer",79,43,&[f("pView",P(&o(S(185))),0).opt(),],Void,8,OB),
m("IASetVertexBuffers",79,44,&[f("StartSlot",U32,0),f("NumViews",U32,4),f("pViews",P(&q(S(354),L::Field(1))),8).opt(),],Void,16,OB),
m("SOSetTargets",79,45,&[f("StartSlot",U32,0),f("NumViews",U32,4),f("pViews",P(&q(S(310),L::Field(1))),8).opt(),],Void,16,OB),
m("OMSetRenderTargets",79,46,&[f("NumRenderTargetDescriptors",U32,0),f("pRenderTargetDescriptors",P(&u(U64,X::RenderTargets)),8).opt().r(R::CpuDescriptor),f("RTsSingleHandleToDescriptorRange",Bool,16),f("pDepthStencilDescriptor",P(&o(U64)),24).opt().r(R::CpuDescriptor),],Void,32,OB),
m("ClearDepthStencilView",79,47,&[f("DepthStencilView",U64,0).r(R::CpuDescriptor),f("ClearFlags",E(12),8),f("Depth",F32,12),f("Stencil",U8,16),f("NumRects",U32,20),f("pRects",P(&q(S(541),L::Field(4))),24),],Void,32,OB),
m("ClearRenderTargetView",79,48,&[f("RenderTargetView",U64,0).r(R::CpuDescriptor),f("ColorRGBA",P(&q(F32,L::Const(4))),8).r(R::Color),f("NumRects",U32,16),f("pRects",P(&q(S(541),L::Field(2))),24),],Void,32,OB),
m("ClearUnorderedAccessViewUint",79,49,&[f("ViewGPUHandleInCurrentHeap",U64,0).r(R::GpuDescriptor),f("ViewCPUHandle",U64,8).r(R::CpuDescriptor),f("pResource",O(113),16),f("Values",P(&q(U32,L::Const(4))),24),f("NumRects",U32,32),f("pRects",P(&q(S(541),L::Field(4))),40),],Void,48,OB),
m("ClearUnorderedAccessViewFloat",79,50,&[f("ViewGPUHandleInCurrentHeap",U64,0).r(R::GpuDescriptor),f("ViewCPUHandle",U64,8).r(R::CpuDescriptor),f("pResource",O(113),16),f("Values",P(&q(F32,L::Const(4))),24),f("NumRects",U32,32),f("pRects",P(&q(S(541),L::Field(4))),40),],Void,48,OB),
m("DiscardResource",79,51,&[f("pResource",O(113),0),f("pRegion",P(&o(S(46))),8).opt(),],Void,16,OB),
m("BeginQuery",79,52,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",79,53,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",79,54,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(113),24),f("AlignedDestinationBufferOffset",U64,32).r(R::Size),],Void,40,OB),
m("SetPredication",79,55,&[f("pBuffer",O(113),0).opt(),f("AlignedBufferOffset",U64,8).r(R::Size),f("Operation",E(85),16),],Void,24,OB),
m("SetMarker",79,56,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",79,57,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("EndEvent",79,58,&[],Void,0,OB),
m("ExecuteIndirect",79,59,&[f("pCommandSignature",O(9),0),f("MaxCommandCount",U32,8),f("pArgumentBuffer",O(113),16),f("ArgumentBufferOffset",U64,24).r(R::Size),f("pCountBuffer",O(113),32).opt(),f("CountBufferOffset",U64,40).r(R::Size),],Void,48,OB),
// ID3D12GraphicsCommandList1
m("AtomicCopyBufferUINT",80,60,&[f("pDstBuffer",O(113),0),f("DstOffset",U64,8).r(R::Size),f("pSrcBuffer",O(113),16),f("SrcOffset",U64,24).r(R::Size),f("Dependencies",U32,32),f("ppDependentResources",P(&q(O(113),L::Field(4))),40),f("pDependentSubresourceRanges",P(&q(S(314),L::Field(4))),48),],Void,56,OB),
m("AtomicCopyBufferUINT64",80,61,&[f("pDstBuffer",O(113),0),f("DstOffset",U64,8).r(R::Size),f("pSrcBuffer",O(113),16),f("SrcOffset",U64,24).r(R::Size),f("Dependencies",U32,32),f("ppDependentResources",P(&q(O(113),L::Field(4))),40),f("pDependentSubresourceRanges",P(&q(S(314),L::Field(4))),48),],Void,56,OB),
m("OMSetDepthBounds",80,62,&[f("Min",F32,0),f("Max",F32,4),],Void,8,OB),
m("SetSamplePositions",80,63,&[f("NumSamplesPerPixel",U32,0),f("NumPixels",U32,4),f("pSamplePositions",P(&u(S(284),X::Named("SamplePositions"))),8),],Void,16,OB),
m("ResolveSubresourceRegion",80,64,&[f("pDstResource",O(113),0),f("DstSubresource",U32,8),f("DstX",U32,12),f("DstY",U32,16),f("pSrcResource",O(113),24),f("SrcSubresource",U32,32),f("pSrcRect",P(&o(S(541))),40).opt(),f("Format",E(283),48),f("ResolveMode",E(112),52),],Void,56,OB),
m("SetViewInstanceMask",80,65,&[f("Mask",U32,0),],Void,8,OB),
// ID3D12GraphicsCommandList2
m("WriteBufferImmediate",81,66,&[f("Count",U32,0),f("pParams",P(&q(S(501),L::Field(0))),8),f("pModes",P(&q(E(257),L::Field(0))),16).opt(),],Void,24,OB),
// ID3D12GraphicsCommandList3
m("SetProtectedResourceSession",82,67,&[f("pProtectedResourceSession",O(109),0).opt(),],Void,8,OB),
// ID3D12GraphicsCommandList4
m("BeginRenderPass",83,68,&[f("NumRenderTargets",U32,0),f("pRenderTargets",P(&q(S(257),L::Field(0))),8).opt(),f("pDepthStencil",P(&o(S(252))),16).opt(),f("Flags",E(108),24),],Void,32,OB),
m("EndRenderPass",83,69,&[],Void,0,OB),
m("InitializeMetaCommand",83,70,&[f("pMetaCommand",O(101),0),f("pInitializationParametersData",P(&q(U8,L::Bytes(2))),8).opt(),f("InitializationParametersDataSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteMetaCommand",83,71,&[f("pMetaCommand",O(101),0),f("pExecutionParametersData",P(&q(U8,L::Bytes(2))),8).opt(),f("ExecutionParametersDataSizeInBytes",U64,16),],Void,24,OB),
m("BuildRaytracingAccelerationStructure",83,72,&[f("pDesc",P(&o(S(15))),0),f("NumPostbuildInfoDescs",U32,8),f("pPostbuildInfoDescs",P(&q(S(232),L::Field(1))),16).opt(),],Void,24,OB),
m("EmitRaytracingAccelerationStructurePostbuildInfo",83,73,&[f("pDesc",P(&o(S(232))),0),f("NumSourceAccelerationStructures",U32,8),f("pSourceAccelerationStructureData",P(&q(U64,L::Field(1))),16).r(R::GpuAddress),],Void,24,OB),
m("CopyRaytracingAccelerationStructure",83,74,&[f("DestAccelerationStructureData",U64,0).r(R::GpuAddress),f("SourceAccelerationStructureData",U64,8).r(R::GpuAddress),f("Mode",E(96),16),],Void,24,OB),
m("SetPipelineState1",83,75,&[f("pStateObject",O(128),0),],Void,8,OB),
m("DispatchRays",83,76,&[f("pDesc",P(&o(S(50))),0),],Void,8,OB),
// ID3D12GraphicsCommandList5
m("RSSetShadingRate",84,77,&[f("baseShadingRate",E(137),0),f("combiners",P(&q(E(138),L::Const(2))),8).opt(),],Void,16,OB),
m("RSSetShadingRateImage",84,78,&[f("shadingRateImage",O(113),0).opt(),],Void,8,OB),
// ID3D12GraphicsCommandList6
m("DispatchMesh",85,79,&[f("ThreadGroupCountX",U32,0),f("ThreadGroupCountY",U32,4),f("ThreadGroupCountZ",U32,8),],Void,16,OB),
// ID3D12GraphicsCommandList7
m("Barrier",86,80,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(5),L::Field(0))),8),],Void,16,OB),
// ID3D12GraphicsCommandList8
m("OMSetFrontAndBackStencilRef",87,81,&[f("FrontStencilRef",U32,0),f("BackStencilRef",U32,4),],Void,8,OB),
// ID3D12GraphicsCommandList9
m("RSSetDepthBias",88,82,&[f("DepthBias",F32,0),f("DepthBiasClamp",F32,4),f("SlopeScaledDepthBias",F32,8),],Void,16,OB),
m("IASetIndexBufferStripCutValue",88,83,&[f("IBStripCutValue",E(62),0),],Void,8,OB),
// ID3D12GraphicsCommandList10
m("SetProgram",89,84,&[f("pDesc",P(&o(S(290))),0),],Void,8,OB),
m("DispatchGraph",89,85,&[f("pDesc",P(&o(S(48))),0),],Void,8,OB),
// ID3D12GraphicsCommandListExt
m("GetVulkanHandle",90,3,&[f("pVkCommandBuffer",P(&o(Word)),0).out().r(R::Foreign),],Hresult,8,EL),
m("LaunchCubinShader",90,4,&[f("handle",Word,0).r(R::CpuAddress),f("block_x",U32,8),f("block_y",U32,12),f("block_z",U32,16),f("params",P(&q(U8,L::Bytes(5))),24),f("param_size",U32,32),],Hresult,40,EL),
// ID3D12GraphicsCommandListExt1
m("LaunchCubinShaderEx",91,5,&[f("handle",Word,0).r(R::CpuAddress),f("block_x",U32,8),f("block_y",U32,12),f("block_z",U32,16),f("smem_size",U32,20),f("params",P(&q(U8,L::Bytes(6))),24),f("param_size",U32,32),f("raw_params",Word,40).r(R::CpuAddress),f("raw_params_count",U32,48),],Hresult,56,EL),
// ID3D12GraphicsCommandListExt2
m("VerifyOpacityMicromapArrayNVAPI",92,6,&[f("opacity_micromap_array",U64,0).r(R::GpuAddress),],Bool,8,EL),
// ID3D12Heap
m("GetDesc",93,8,&[f("result",P(&o(S(182))),0).out(),],Word,8,EL).rs(),
// ID3D12Heap1
m("GetProtectedResourceSession",94,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(109))),8).out().opt().iid(0).c(110),],Hresult,16,EL),
// ID3D12InfoQueue
m("SetMessageCountLimit",95,3,&[f("MessageCountLimit",U64,0),],Hresult,8,EL),
m("ClearStoredMessages",95,4,&[],Void,0,EN),
m("GetMessage",95,5,&[f("MessageIndex",U64,0),f("pMessage",P(&u(S(200),X::Named("OneInBuffer"))),8).out().opt(),f("pMessageByteLength",P(&o(U64)),16).io(),],Hresult,24,EL),
m("GetNumMessagesAllowedByStorageFilter",95,6,&[],U64,0,EL),
m("GetNumMessagesDeniedByStorageFilter",95,7,&[],U64,0,EL),
m("GetNumStoredMessages",95,8,&[],U64,0,EL),
m("GetNumStoredMessagesAllowedByRetrievalFilter",95,9,&[],U64,0,EL),
m("GetNumMessagesDiscardedByMessageCountLimit",95,10,&[],U64,0,EL),
m("GetMessageCountLimit",95,11,&[],U64,0,EL),
m("AddStorageFilterEntries",95,12,&[f("pFilter",P(&o(S(193))),0),],Hresult,8,EL),
m("GetStorageFilter",95,13,&[f("pFilter",P(&u(S(193),X::Named("OneInBuffer"))),0).out().opt(),f("pFilterByteLength",P(&o(U64)),8).io(),],Hresult,16,EL),
m("ClearStorageFilter",95,14,&[],Void,0,EN),
m("PushEmptyStorageFilter",95,15,&[],Hresult,0,EL),
m("PushCopyOfStorageFilter",95,16,&[],Hresult,0,EL),
m("PushStorageFilter",95,17,&[f("pFilter",P(&o(S(193))),0),],Hresult,8,EL),
m("PopStorageFilter",95,18,&[],Void,0,EN),
m("GetStorageFilterStackSize",95,19,&[],U32,0,EL),
m("AddRetrievalFilterEntries",95,20,&[f("pFilter",P(&o(S(193))),0),],Hresult,8,EL),
m("GetRetrievalFilter",95,21,&[f("pFilter",P(&u(S(193),X::Named("OneInBuffer"))),0).out().opt(),f("pFilterByteLength",P(&o(U64)),8).io(),],Hresult,16,EL),
m("ClearRetrievalFilter",95,22,&[],Void,0,EN),
m("PushEmptyRetrievalFilter",95,23,&[],Hresult,0,EL),
m("PushCopyOfRetrievalFilter",95,24,&[],Hresult,0,EL),
m("PushRetrievalFilter",95,25,&[f("pFilter",P(&o(S(193))),0),],Hresult,8,EL),
m("PopRetrievalFilter",95,26,&[],Void,0,EN),
m("GetRetrievalFilterStackSize",95,27,&[],U32,0,EL),
m("AddMessage",95,28,&[f("Category",E(72),0),f("Severity",E(74),4),f("ID",E(73),8),f("pDescription",P(&t(U8)),16).r(R::Text),],Hresult,24,EL),
m("AddApplicationMessage",95,29,&[f("Severity",E(74),0),f("pDescription",P(&t(U8)),8).r(R::Text),],Hresult,16,EL),
m("SetBreakOnCategory",95,30,&[f("Category",E(72),0),f("bEnable",Bool,4),],Hresult,8,EL),
m("SetBreakOnSeverity",95,31,&[f("Severity",E(74),0),f("bEnable",Bool,4),],Hresult,8,EL),
m("SetBreakOnID",95,32,&[f("ID",E(73),0),f("bEnable",Bool,4),],Hresult,8,EL),
m("GetBreakOnCategory",95,33,&[f("Category",E(72),0),],Bool,8,EL),
m("GetBreakOnSeverity",95,34,&[f("Severity",E(74),0),],Bool,8,EL),
m("GetBreakOnID",95,35,&[f("ID",E(73),0),],Bool,8,EL),
m("SetMuteDebugOutput",95,36,&[f("bMute",Bool,0),],Void,8,EN),
m("GetMuteDebugOutput",95,37,&[],Bool,0,EL),
// ID3D12InfoQueue1
m("RegisterMessageCallback",96,38,&[f("CallbackFunc",Word,0).r(R::Callback),f("CallbackFilterFlags",E(71),8),f("pContext",Word,16).r(R::Context),f("pCallbackCookie",P(&o(U32)),24).io(),],Hresult,32,EL),
m("UnregisterMessageCallback",96,39,&[f("CallbackCookie",U32,0),],Hresult,8,EL),
// ID3D12LibraryReflection
m("GetDesc",97,3,&[f("pDesc",P(&o(S(197))),0).out(),],Hresult,8,EL),
m("GetFunctionByIndex",97,4,&[f("FunctionIndex",I32,0),],O(77),8,EL),
// ID3D12LifetimeOwner
m("LifetimeStateUpdated",98,3,&[f("NewState",E(65),0),],Void,8,EN),
// ID3D12LifetimeTracker
m("DestroyOwnedObject",99,8,&[f("pObject",O(54),0),],Hresult,8,EL),
// ID3D12ManualWriteTrackingResource
m("TrackWrite",100,3,&[f("Subresource",U32,0),f("pWrittenRange",P(&o(S(224))),8).opt(),],Void,16,EN),
// ID3D12MetaCommand
m("GetRequiredParameterResourceSize",101,8,&[f("Stage",E(76),0),f("ParameterIndex",U32,4),],U64,8,EL),
// ID3D12Object
m("GetPrivateData",102,3,&[f("guid",P(&o(Guid)),0),f("pDataSize",P(&o(U32)),8).io(),f("pData",P(&q(U8,L::BytesThrough(1))),16).out().opt().r(R::Blob(B::PrivateData)),],Hresult,24,EL),
m("SetPrivateData",102,4,&[f("guid",P(&o(Guid)),0),f("DataSize",U32,8),f("pData",P(&q(U8,L::Bytes(1))),16).opt().r(R::Blob(B::PrivateData)),],Hresult,24,EL),
m("SetPrivateDataInterface",102,5,&[f("guid",P(&o(Guid)),0),f("pData",O(0),8).opt(),],Hresult,16,EL),
m("SetName",102,6,&[f("Name",P(&t(U16)),0).r(R::Text),],Hresult,8,EL),
// ID3D12Pageable
// ID3D12PageableTools
m("GetAllocation",104,3,&[f("pAllocation",P(&o(S(179))),0).io(),],Hresult,8,EL),
// ID3D12PipelineLibrary
m("StorePipeline",105,8,&[f("pName",P(&t(U16)),0).opt().r(R::Text),f("pPipeline",O(107),8),],Hresult,16,EL),
m("LoadGraphicsPipeline",105,9,&[f("pName",P(&t(U16)),0).r(R::Text),f("pDesc",P(&o(S(181))),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineState",P(&o(O(107))),24).out().iid(2).c(108),],Hresult,32,EL),
m("LoadComputePipeline",105,10,&[f("pName",P(&t(U16)),0).r(R::Text),f("pDesc",P(&o(S(32))),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineState",P(&o(O(107))),24).out().iid(2).c(108),],Hresult,32,EL),
m("GetSerializedSize",105,11,&[],U64,0,EL),
m("Serialize",105,12,&[f("pData",P(&q(U8,L::Field(1))),0).out(),f("DataSizeInBytes",U64,8),],Hresult,16,EL),
// ID3D12PipelineLibrary1
m("LoadPipeline",106,13,&[f("pName",P(&t(U16)),0).r(R::Text),f("pDesc",P(&o(S(214))),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineState",P(&o(O(107))),24).out().iid(2).c(108),],Hresult,32,EL),
// ID3D12PipelineState
m("GetCachedBlob",107,8,&[f("ppBlob",P(&o(O(2))),0).out().c(2),],Hresult,8,EL),
// ID3D12PipelineState1
m("GetRootSignature",108,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvRootSignature",P(&o(O(116))),8).out().iid(0).c(117),],Hresult,16,EL),
// ID3D12ProtectedResourceSession
m("GetDesc",109,10,&[f("result",P(&o(S(217))),0).out(),],Word,8,EL).rs(),
// ID3D12ProtectedResourceSession1
m("GetDesc1",110,11,&[f("result",P(&o(S(218))),0).out(),],Word,8,EL).rs(),
// ID3D12ProtectedSession
m("GetStatusFence",111,8,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppFence",P(&o(O(74))),8).out().opt().iid(0).c(75),],Hresult,16,EL),
m("GetSessionStatus",111,9,&[],E(91),0,EL),
// ID3D12QueryHeap
// ID3D12Resource
m("Map",113,8,&[f("Subresource",U32,0),f("pReadRange",P(&o(S(224))),8).opt(),f("ppData",P(&u(Word,X::Mapping)),16).out().opt().r(R::CpuAddress),],Hresult,24,EL),
m("Unmap",113,9,&[f("Subresource",U32,0),f("pWrittenRange",P(&o(S(224))),8).opt(),],Void,16,EN),
m("GetDesc",113,10,&[f("result",P(&o(S(267))),0).out(),],Word,8,EL).rs(),
m("GetGPUVirtualAddress",113,11,&[],U64,0,EL).rr(R::GpuAddress),
m("WriteToSubresource",113,12,&[f("DstSubresource",U32,0),f("pDstBox",P(&o(S(8))),8).opt(),f("pSrcData",P(&u(U8,X::SubresourceData)),16).r(R::Blob(B::Texels)),f("SrcRowPitch",U32,24),f("SrcDepthPitch",U32,28),],Hresult,32,EL),
m("ReadFromSubresource",113,13,&[f("pDstData",P(&u(U8,X::SubresourceData)),0).out().r(R::Blob(B::Texels)),f("DstRowPitch",U32,8),f("DstDepthPitch",U32,12),f("SrcSubresource",U32,16),f("pSrcBox",P(&o(S(8))),24).opt(),],Hresult,32,EL),
m("GetHeapProperties",113,14,&[f("pHeapProperties",P(&o(S(183))),0).out().opt(),f("pHeapFlags",P(&o(E(58))),8).out().opt(),],Hresult,16,EL),
// ID3D12Resource1
m("GetProtectedResourceSession",114,15,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(109))),8).out().opt().iid(0).c(110),],Hresult,16,EL),
// ID3D12Resource2
m("GetDesc1",115,16,&[f("result",P(&o(S(268))),0).out(),],Word,8,EL).rs(),
// ID3D12RootSignature
// ID3D12RootSignature1
m("GetSerializedSize",117,8,&[],U64,0,EL),
m("GetSerializedData",117,9,&[f("pData",P(&q(U8,L::Bytes(1))),0).out().r(R::Blob(B::RootSignature)),f("Size",U64,8),],Hresult,16,EL),
// ID3D12RootSignatureDeserializer
m("GetRootSignatureDesc",118,3,&[],P(&o(S(278))),0,EL),
// ID3D12RuntimeValidationControl
m("DisableFailuresFromStricterValidationInAppLocalRuntime",119,3,&[f("bDisable",Bool,0),],Void,8,EN),
m("FailuresFromStricterValidationInAppLocalRuntimeDisabled",119,4,&[],Bool,0,EL),
// ID3D12SDKConfiguration
m("SetSDKVersion",120,3,&[f("SDKVersion",U32,0),f("SDKPath",P(&t(U8)),8).r(R::Text),],Hresult,16,EL),
// ID3D12SDKConfiguration1
m("CreateDeviceFactory",121,4,&[f("SDKVersion",U32,0),f("SDKPath",P(&t(U8)),8).r(R::Text),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvFactory",P(&o(O(63))),24).out().iid(2).c(63),],Hresult,32,EL),
m("FreeUnusedSDKs",121,5,&[],Void,0,EN),
// ID3D12ShaderCacheSession
m("FindValue",122,8,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("pValue",P(&q(U8,L::BytesThrough(3))),16).out().opt(),f("pValueSize",P(&o(U32)),24).io(),],Hresult,32,EL),
m("StoreValue",122,9,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("pValue",P(&q(U8,L::Bytes(3))),16),f("ValueSize",U32,24),],Hresult,32,EL),
m("SetDeleteOnDestroy",122,10,&[],Void,0,EN),
m("GetDesc",122,11,&[f("result",P(&o(S(295))),0).out(),],Word,8,EL).rs(),
// ID3D12ShaderReflection
m("GetDesc",123,3,&[f("pDesc",P(&o(S(296))),0).out(),],Hresult,8,EL),
m("GetConstantBufferByIndex",123,4,&[f("Index",U32,0),],O(124),8,EL),
m("GetConstantBufferByName",123,5,&[f("Name",P(&t(U8)),0).r(R::Text),],O(124),8,EL),
m("GetResourceBindingDesc",123,6,&[f("ResourceIndex",U32,0),f("pDesc",P(&o(S(297))),8).out(),],Hresult,16,EL),
m("GetInputParameterDesc",123,7,&[f("ParameterIndex",U32,0),f("pDesc",P(&o(S(302))),8).out(),],Hresult,16,EL),
m("GetOutputParameterDesc",123,8,&[f("ParameterIndex",U32,0),f("pDesc",P(&o(S(302))),8).out(),],Hresult,16,EL),
m("GetPatchConstantParameterDesc",123,9,&[f("ParameterIndex",U32,0),f("pDesc",P(&o(S(302))),8).out(),],Hresult,16,EL),
m("GetVariableByName",123,10,&[f("Name",P(&t(U8)),0).r(R::Text),],O(126),8,EL),
m("GetResourceBindingDescByName",123,11,&[f("Name",P(&t(U8)),0).r(R::Text),f("pDesc",P(&o(S(297))),8).out(),],Hresult,16,EL),
m("GetMovInstructionCount",123,12,&[],U32,0,EL),
m("GetMovcInstructionCount",123,13,&[],U32,0,EL),
m("GetConversionInstructionCount",123,14,&[],U32,0,EL),
m("GetBitwiseInstructionCount",123,15,&[],U32,0,EL),
m("GetGSInputPrimitive",123,16,&[],E(264),0,EL),
m("IsSampleFrequencyShader",123,17,&[],Bool,0,EL),
m("GetNumInterfaceSlots",123,18,&[],U32,0,EL),
m("GetMinFeatureLevel",123,19,&[f("pLevel",P(&o(E(259))),0).out(),],Hresult,8,EL),
m("GetThreadGroupSize",123,20,&[f("pSizeX",P(&o(U32)),0).out().opt(),f("pSizeY",P(&o(U32)),8).out().opt(),f("pSizeZ",P(&o(U32)),16).out().opt(),],U32,24,EL),
m("GetRequiresFlags",123,21,&[],U64,0,EL),
// ID3D12ShaderReflectionConstantBuffer
m("GetDesc",124,0,&[f("pDesc",P(&o(S(293))),0).out(),],Hresult,8,EL),
m("GetVariableByIndex",124,1,&[f("Index",U32,0),],O(126),8,EL),
m("GetVariableByName",124,2,&[f("Name",P(&t(U8)),0).r(R::Text),],O(126),8,EL),
// ID3D12ShaderReflectionType
m("GetDesc",125,0,&[f("pDesc",P(&o(S(300))),0).out(),],Hresult,8,EL),
m("GetMemberTypeByIndex",125,1,&[f("Index",U32,0),],O(125),8,EL),
m("GetMemberTypeByName",125,2,&[f("Name",P(&t(U8)),0).r(R::Text),],O(125),8,EL),
m("GetMemberTypeName",125,3,&[f("Index",U32,0),],P(&t(U8)),8,EL).rr(R::Text),
m("IsEqual",125,4,&[f("pType",O(125),0),],Hresult,8,EL),
m("GetSubType",125,5,&[],O(125),0,EL),
m("GetBaseClass",125,6,&[],O(125),0,EL),
m("GetNumInterfaces",125,7,&[],U32,0,EL),
m("GetInterfaceByIndex",125,8,&[f("uIndex",U32,0),],O(125),8,EL),
m("IsOfType",125,9,&[f("pType",O(125),0),],Hresult,8,EL),
m("ImplementsInterface",125,10,&[f("pBase",O(125),0),],Hresult,8,EL),
// ID3D12ShaderReflectionVariable
m("GetDesc",126,0,&[f("pDesc",P(&o(S(301))),0).out(),],Hresult,8,EL),
m("GetType",126,1,&[],O(125),0,EL),
m("GetBuffer",126,2,&[],O(124),0,EL),
m("GetInterfaceSlot",126,3,&[f("uArrayIndex",U32,0),],U32,8,EL),
// ID3D12SharingContract
m("Present",127,3,&[f("pResource",O(113),0),f("Subresource",U32,8),f("window",Word,16).r(R::Foreign),],Void,24,EN),
m("SharedFenceSignal",127,4,&[f("pFence",O(74),0),f("FenceValue",U64,8),],Void,16,EN),
m("BeginCapturableWork",127,5,&[f("guid",P(&o(Guid)),0),],Void,8,EN),
m("EndCapturableWork",127,6,&[f("guid",P(&o(Guid)),0),],Void,8,EN),
// ID3D12StateObject
// ID3D12StateObjectDatabase
m("SetApplicationDesc",129,3,&[f("pApplicationDesc",P(&o(S(2))),0),],Hresult,8,EL),
m("GetApplicationDesc",129,4,&[f("CallbackFunc",Word,0).r(R::Callback),f("pContext",Word,8).r(R::Context),],Hresult,16,EL),
m("StorePipelineStateDesc",129,5,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("Version",U32,12),f("pDesc",P(&o(S(214))),16),],Hresult,24,EL),
m("FindPipelineStateDesc",129,6,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("CallbackFunc",Word,16).r(R::Callback),f("pContext",Word,24).r(R::Context),],Hresult,32,EL),
m("StoreStateObjectDesc",129,7,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("Version",U32,12),f("pDesc",P(&o(S(305))),16),f("pStateObjectToGrowFromKey",P(&q(U8,L::Bytes(5))),24).opt(),f("StateObjectToGrowFromKeySize",U32,32),],Hresult,40,EL),
m("FindStateObjectDesc",129,8,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("CallbackFunc",Word,16).r(R::Callback),f("pContext",Word,24).r(R::Context),],Hresult,32,EL),
m("FindObjectVersion",129,9,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("pVersion",P(&o(U32)),16).out(),],Hresult,24,EL),
// ID3D12StateObjectDatabaseFactory
m("CreateStateObjectDatabaseFromFile",130,3,&[f("pDatabaseFile",P(&t(U16)),0).r(R::Text),f("flags",E(141),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvStateObjectDatabase",P(&o(O(129))),24).out().iid(2).c(129),],Hresult,32,EL),
// ID3D12StateObjectProperties
m("GetShaderIdentifier",131,3,&[f("pExportName",P(&t(U16)),0).r(R::Text),],P(&q(U8,L::Const(32))),8,EL),
m("GetShaderStackSize",131,4,&[f("pExportName",P(&t(U16)),0).r(R::Text),],U64,8,EL),
m("GetPipelineStackSize",131,5,&[],U64,0,EL),
m("SetPipelineStackSize",131,6,&[f("PipelineStackSizeInBytes",U64,0),],Void,8,EN),
// ID3D12StateObjectProperties1
m("GetProgramIdentifier",132,7,&[f("result",P(&o(S(216))),0).out(),f("pProgramName",P(&t(U16)),8).r(R::Text),],Word,16,EL).rs(),
// ID3D12StateObjectProperties2
m("GetGlobalRootSignatureForProgram",133,8,&[f("pProgramName",P(&t(U16)),0).r(R::Text),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvRootSignature",P(&o(O(116))),16).out().iid(1).c(117),],Hresult,24,EL),
m("GetGlobalRootSignatureForShader",133,9,&[f("pExportName",P(&t(U16)),0).r(R::Text),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvRootSignature",P(&o(O(116))),16).out().iid(1).c(117),],Hresult,24,EL),
// ID3D12SwapChainAssistant
m("GetLUID",134,3,&[f("result",P(&o(S(539))),0).out(),],Word,8,EL).rs(),
m("GetSwapChainObject",134,4,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppv",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
m("GetCurrentResourceAndCommandQueue",134,5,&[f("riidResource",P(&o(Guid)),0).r(R::Iid),f("ppvResource",P(&o(O(113))),8).out().iid(0).c(115),f("riidQueue",P(&o(Guid)),16).r(R::Iid),f("ppvQueue",P(&o(O(6))),24).out().iid(2).c(7),],Hresult,32,EL),
m("InsertImplicitSync",134,6,&[],Hresult,0,EL),
// ID3D12Tools
m("EnableShaderInstrumentation",135,3,&[f("bEnable",Bool,0),],Void,8,EN),
m("ShaderInstrumentationEnabled",135,4,&[],Bool,0,EL),
// ID3D12Tools1
m("ReserveGPUVARangesAtCreate",136,5,&[f("pRanges",P(&q(S(179),L::Field(1))),0),f("uiNumRanges",U32,8),],Hresult,16,EL),
m("ClearReservedGPUVARangesList",136,6,&[],Void,0,EN),
// ID3D12Tools2
m("SetApplicationSpecificDriverState",137,7,&[f("pAdapter",O(0),0),f("pBlob",O(2),8).opt(),],Hresult,16,EL),
// ID3D12VersionedRootSignatureDeserializer
m("GetRootSignatureDescAtVersion",138,3,&[f("convertToVersion",E(268),0),f("ppDesc",P(&o(P(&o(S(352))))),8).out(),],Hresult,16,EL),
m("GetUnconvertedRootSignatureDesc",138,4,&[],P(&o(S(352))),0,EL),
// ID3D12VideoDecodeCommandList
m("Close",139,9,&[],Hresult,0,EL),
m("Reset",139,10,&[f("pAllocator",O(4),0),],Hresult,8,EL),
m("ClearState",139,11,&[],Void,0,OB),
m("ResourceBarrier",139,12,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(265),L::Field(0))),8),],Void,16,OB),
m("DiscardResource",139,13,&[f("pResource",O(113),0),f("pRegion",P(&o(S(46))),8).opt(),],Void,16,OB),
m("BeginQuery",139,14,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",139,15,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",139,16,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(113),24),f("AlignedDestinationBufferOffset",U64,32).r(R::Size),],Void,40,OB),
m("SetPredication",139,17,&[f("pBuffer",O(113),0).opt(),f("AlignedBufferOffset",U64,8).r(R::Size),f("Operation",E(85),16),],Void,24,OB),
m("SetMarker",139,18,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",139,19,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("EndEvent",139,20,&[],Void,0,OB),
m("DecodeFrame",139,21,&[f("pDecoder",O(143),0),f("pOutputArguments",P(&o(S(364))),8),f("pInputArguments",P(&o(S(362))),16),],Void,24,OB),
m("WriteBufferImmediate",139,22,&[f("Count",U32,0),f("pParams",P(&q(S(501),L::Field(0))),8),f("pModes",P(&q(E(257),L::Field(0))),16).opt(),],Void,24,OB),
// ID3D12VideoDecodeCommandList1
m("DecodeFrame1",140,23,&[f("pDecoder",O(143),0),f("pOutputArguments",P(&o(S(365))),8),f("pInputArguments",P(&o(S(362))),16),],Void,24,OB),
// ID3D12VideoDecodeCommandList2
m("SetProtectedResourceSession",141,24,&[f("pProtectedResourceSession",O(109),0).opt(),],Void,8,OB),
m("InitializeExtensionCommand",141,25,&[f("pExtensionCommand",O(160),0),f("pInitializationParameters",P(&q(U8,L::Bytes(2))),8),f("InitializationParametersSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteExtensionCommand",141,26,&[f("pExtensionCommand",O(160),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),],Void,24,OB),
// ID3D12VideoDecodeCommandList3
m("Barrier",142,27,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(5),L::Field(0))),8),],Void,16,OB),
// ID3D12VideoDecoder
m("GetDesc",143,8,&[f("result",P(&o(S(355))),0).out(),],Word,8,EL).rs(),
// ID3D12VideoDecoder1
m("GetProtectedResourceSession",144,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(109))),8).out().opt().iid(0).c(110),],Hresult,16,EL),
// ID3D12VideoDecoderHeap
m("GetDesc",145,8,&[f("result",P(&o(S(356))),0).out(),],Word,8,EL).rs(),
// ID3D12VideoDecoderHeap1
m("GetProtectedResourceSession",146,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(109))),8).out().opt().iid(0).c(110),],Hresult,16,EL),
// ID3D12VideoDevice
m("CheckFeatureSupport",147,3,&[f("FeatureVideo",E(50),0),f("pFeatureSupportData",P(&u(U8,X::FeatureData)),8).io(),f("FeatureSupportDataSize",U32,16),],Hresult,24,EL),
m("CreateVideoDecoder",147,4,&[f("pDesc",P(&o(S(355))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoDecoder",P(&o(O(143))),16).out().iid(1).c(144),],Hresult,24,EL),
m("CreateVideoDecoderHeap",147,5,&[f("pVideoDecoderHeapDesc",P(&o(S(356))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoDecoderHeap",P(&o(O(145))),16).out().iid(1).c(146),],Hresult,24,EL),
m("CreateVideoProcessor",147,6,&[f("NodeMask",U32,0),f("pOutputStreamDesc",P(&o(S(490))),8),f("NumInputStreamDescs",U32,16),f("pInputStreamDescs",P(&q(S(485),L::Field(2))),24),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppVideoProcessor",P(&o(O(167))),40).out().iid(4).c(168),],Hresult,48,EL),
// ID3D12VideoDevice1
m("CreateVideoMotionEstimator",148,7,&[f("pDesc",P(&o(S(476))),0),f("pProtectedResourceSession",O(109),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoMotionEstimator",P(&o(O(161))),24).out().iid(2).c(161),],Hresult,32,EL),
m("CreateVideoMotionVectorHeap",148,8,&[f("pDesc",P(&o(S(479))),0),f("pProtectedResourceSession",O(109),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoMotionVectorHeap",P(&o(O(162))),24).out().iid(2).c(162),],Hresult,32,EL),
// ID3D12VideoDevice2
m("CreateVideoDecoder1",149,9,&[f("pDesc",P(&o(S(355))),0),f("pProtectedResourceSession",O(109),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoDecoder",P(&o(O(143))),24).out().iid(2).c(144),],Hresult,32,EL),
m("CreateVideoDecoderHeap1",149,10,&[f("pVideoDecoderHeapDesc",P(&o(S(356))),0),f("pProtectedResourceSession",O(109),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoDecoderHeap",P(&o(O(145))),24).out().iid(2).c(146),],Hresult,32,EL),
m("CreateVideoProcessor1",149,11,&[f("NodeMask",U32,0),f("pOutputStreamDesc",P(&o(S(490))),8),f("NumInputStreamDescs",U32,16),f("pInputStreamDescs",P(&q(S(485),L::Field(2))),24),f("pProtectedResourceSession",O(109),32).opt(),f("riid",P(&o(Guid)),40).r(R::Iid),f("ppVideoProcessor",P(&o(O(167))),48).out().iid(5).c(168),],Hresult,56,EL),
m("CreateVideoExtensionCommand",149,12,&[f("pDesc",P(&o(S(472))),0),f("pCreationParameters",P(&q(U8,L::Bytes(2))),8),f("CreationParametersDataSizeInBytes",U64,16),f("pProtectedResourceSession",O(109),24).opt(),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppVideoExtensionCommand",P(&o(O(160))),40).out().iid(4).c(160),],Hresult,48,EL),
m("ExecuteExtensionCommand",149,13,&[f("pExtensionCommand",O(160),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),f("pOutputData",P(&q(U8,L::Bytes(4))),24).out(),f("OutputDataSizeInBytes",U64,32),],Hresult,40,EL),
// ID3D12VideoDevice3
m("CreateVideoEncoder",150,14,&[f("pDesc",P(&o(S(399))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoEncoder",P(&o(O(157))),16).out().iid(1).c(157),],Hresult,24,EL),
m("CreateVideoEncoderHeap",150,15,&[f("pDesc",P(&o(S(414))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoEncoderHeap",P(&o(O(158))),16).out().iid(1).c(159),],Hresult,24,EL),
// ID3D12VideoDevice4
m("CreateVideoEncoderHeap1",151,16,&[f("pDesc",P(&o(S(415))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoEncoderHeap",P(&o(O(158))),16).out().iid(1).c(159),],Hresult,24,EL),
// ID3D12VideoEncodeCommandList
m("Close",152,9,&[],Hresult,0,EL),
m("Reset",152,10,&[f("pAllocator",O(4),0),],Hresult,8,EL),
m("ClearState",152,11,&[],Void,0,OB),
m("ResourceBarrier",152,12,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(265),L::Field(0))),8),],Void,16,OB),
m("DiscardResource",152,13,&[f("pResource",O(113),0),f("pRegion",P(&o(S(46))),8).opt(),],Void,16,OB),
m("BeginQuery",152,14,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",152,15,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",152,16,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(113),24),f("AlignedDestinationBufferOffset",U64,32).r(R::Size),],Void,40,OB),
m("SetPredication",152,17,&[f("pBuffer",O(113),0).opt(),f("AlignedBufferOffset",U64,8).r(R::Size),f("Operation",E(85),16),],Void,24,OB),
m("SetMarker",152,18,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",152,19,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("EndEvent",152,20,&[],Void,0,OB),
m("EstimateMotion",152,21,&[f("pMotionEstimator",O(161),0),f("pOutputArguments",P(&o(S(478))),8),f("pInputArguments",P(&o(S(477))),16),],Void,24,OB),
m("ResolveMotionVectorHeap",152,22,&[f("pOutputArguments",P(&o(S(261))),0),f("pInputArguments",P(&o(S(260))),8),],Void,16,OB),
m("WriteBufferImmediate",152,23,&[f("Count",U32,0),f("pParams",P(&q(S(501),L::Field(0))),8),f("pModes",P(&q(E(257),L::Field(0))),16).opt(),],Void,24,OB),
m("SetProtectedResourceSession",152,24,&[f("pProtectedResourceSession",O(109),0).opt(),],Void,8,OB),
// ID3D12VideoEncodeCommandList1
m("InitializeExtensionCommand",153,25,&[f("pExtensionCommand",O(160),0),f("pInitializationParameters",P(&q(U8,L::Bytes(2))),8),f("InitializationParametersSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteExtensionCommand",153,26,&[f("pExtensionCommand",O(160),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),],Void,24,OB),
// ID3D12VideoEncodeCommandList2
m("EncodeFrame",154,27,&[f("pEncoder",O(157),0),f("pHeap",O(158),8),f("pInputArguments",P(&o(S(403))),16),f("pOutputArguments",P(&o(S(405))),24),],Void,32,OB),
m("ResolveEncoderOutputMetadata",154,28,&[f("pInputArguments",P(&o(S(462))),0),f("pOutputArguments",P(&o(S(464))),8),],Void,16,OB),
// ID3D12VideoEncodeCommandList3
m("Barrier",155,29,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(5),L::Field(0))),8),],Void,16,OB),
// ID3D12VideoEncodeCommandList4
m("EncodeFrame1",156,30,&[f("pEncoder",O(157),0),f("pHeap",O(159),8),f("pInputArguments",P(&o(S(404))),16),f("pOutputArguments",P(&o(S(406))),24),],Void,32,OB),
m("ResolveEncoderOutputMetadata1",156,31,&[f("pInputArguments",P(&o(S(463))),0),f("pOutputArguments",P(&o(S(465))),8),],Void,16,OB),
m("ResolveInputParamLayout",156,32,&[f("pInputArguments",P(&o(S(460))),0),f("pOutputArguments",P(&o(S(461))),8),],Void,16,OB),
// ID3D12VideoEncoder
m("GetNodeMask",157,8,&[],U32,0,EL),
m("GetEncoderFlags",157,9,&[],E(200),0,EL),
m("GetCodec",157,10,&[],E(186),0,EL),
m("GetCodecProfile",157,11,&[f("dstProfile",S(443),0),],Hresult,16,EL),
m("GetCodecConfiguration",157,12,&[f("dstCodecConfig",S(387),0),],Hresult,16,EL),
m("GetInputFormat",157,13,&[],E(283),0,EL),
m("GetMaxMotionEstimationPrecision",157,14,&[],E(213),0,EL),
// ID3D12VideoEncoderHeap
m("GetNodeMask",158,8,&[],U32,0,EL),
m("GetEncoderHeapFlags",158,9,&[],E(207),0,EL),
m("GetCodec",158,10,&[],E(186),0,EL),
m("GetCodecProfile",158,11,&[f("dstProfile",S(443),0),],Hresult,16,EL),
m("GetCodecLevel",158,12,&[f("dstLevel",S(422),0),],Hresult,16,EL),
m("GetResolutionListCount",158,13,&[],U32,0,EL),
m("GetResolutionList",158,14,&[f("ResolutionsListCount",U32,0),f("pResolutionList",P(&q(S(441),L::Field(0))),8).out(),],Hresult,16,EL),
// ID3D12VideoEncoderHeap1
m("GetPow2DownscaleFactor",159,15,&[],U32,0,EL),
// ID3D12VideoExtensionCommand
m("GetDesc",160,8,&[f("result",P(&o(S(472))),0).out(),],Word,8,EL).rs(),
m("GetProtectedResourceSession",160,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(109))),8).out().opt().iid(0).c(110),],Hresult,16,EL),
// ID3D12VideoMotionEstimator
m("GetDesc",161,8,&[f("result",P(&o(S(476))),0).out(),],Word,8,EL).rs(),
m("GetProtectedResourceSession",161,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(109))),8).out().opt().iid(0).c(110),],Hresult,16,EL),
// ID3D12VideoMotionVectorHeap
m("GetDesc",162,8,&[f("result",P(&o(S(479))),0).out(),],Word,8,EL).rs(),
m("GetProtectedResourceSession",162,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(109))),8).out().opt().iid(0).c(110),],Hresult,16,EL),
// ID3D12VideoProcessCommandList
m("Close",163,9,&[],Hresult,0,EL),
m("Reset",163,10,&[f("pAllocator",O(4),0),],Hresult,8,EL),
m("ClearState",163,11,&[],Void,0,OB),
m("ResourceBarrier",163,12,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(265),L::Field(0))),8),],Void,16,OB),
m("DiscardResource",163,13,&[f("pResource",O(113),0),f("pRegion",P(&o(S(46))),8).opt(),],Void,16,OB),
m("BeginQuery",163,14,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",163,15,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",163,16,&[f("pQueryHeap",O(112),0),f("Type",E(94),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(113),24),f("AlignedDestinationBufferOffset",U64,32).r(R::Size),],Void,40,OB),
m("SetPredication",163,17,&[f("pBuffer",O(113),0).opt(),f("AlignedBufferOffset",U64,8).r(R::Size),f("Operation",E(85),16),],Void,24,OB),
m("SetMarker",163,18,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",163,19,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("EndEvent",163,20,&[],Void,0,OB),
m("ProcessFrames",163,21,&[f("pVideoProcessor",O(167),0),f("pOutputArguments",P(&o(S(489))),8),f("NumInputStreams",U32,16),f("pInputArguments",P(&q(S(483),L::Field(2))),24),],Void,32,OB),
m("WriteBufferImmediate",163,22,&[f("Count",U32,0),f("pParams",P(&q(S(501),L::Field(0))),8),f("pModes",P(&q(E(257),L::Field(0))),16).opt(),],Void,24,OB),
// ID3D12VideoProcessCommandList1
m("ProcessFrames1",164,23,&[f("pVideoProcessor",O(167),0),f("pOutputArguments",P(&o(S(489))),8),f("NumInputStreams",U32,16),f("pInputArguments",P(&q(S(484),L::Field(2))),24),],Void,32,OB),
// ID3D12VideoProcessCommandList2
m("SetProtectedResourceSession",165,24,&[f("pProtectedResourceSession",O(109),0).opt(),],Void,8,OB),
m("InitializeExtensionCommand",165,25,&[f("pExtensionCommand",O(160),0),f("pInitializationParameters",P(&q(U8,L::Bytes(2))),8),f("InitializationParametersSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteExtensionCommand",165,26,&[f("pExtensionCommand",O(160),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),],Void,24,OB),
// ID3D12VideoProcessCommandList3
m("Barrier",166,27,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(5),L::Field(0))),8),],Void,16,OB),
// ID3D12VideoProcessor
m("GetNodeMask",167,8,&[],U32,0,EL),
m("GetNumInputStreamDescs",167,9,&[],U32,0,EL),
m("GetInputStreamDescs",167,10,&[f("NumInputStreamDescs",U32,0),f("pInputStreamDescs",P(&q(S(485),L::Field(0))),8).out(),],Hresult,16,EL),
m("GetOutputStreamDesc",167,11,&[f("result",P(&o(S(490))),0).out(),],Word,8,EL).rs(),
// ID3D12VideoProcessor1
m("GetProtectedResourceSession",168,12,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(109))),8).out().opt().iid(0).c(110),],Hresult,16,EL),
// ID3D12VirtualizationGuestDevice
m("ShareWithHost",169,3,&[f("pObject",O(54),0),f("pHandle",P(&o(Word)),8).out().r(R::SharedHandle),],Hresult,16,EL),
m("CreateFenceFd",169,4,&[f("pFence",O(74),0),f("FenceValue",U64,8),f("pFenceFd",P(&o(I32)),16).out(),],Hresult,24,EL),
// ID3D12WorkGraphProperties
m("GetNumWorkGraphs",170,3,&[],U32,0,EL),
m("GetProgramName",170,4,&[f("WorkGraphIndex",U32,0),],P(&t(U16)),8,EL).rr(R::Text),
m("GetWorkGraphIndex",170,5,&[f("pProgramName",P(&t(U16)),0).r(R::Text),],U32,8,EL),
m("GetNumNodes",170,6,&[f("WorkGraphIndex",U32,0),],U32,8,EL),
m("GetNodeID",170,7,&[f("result",P(&o(S(209))),0).out(),f("WorkGraphIndex",U32,8),f("NodeIndex",U32,12),],Word,16,EL).rs(),
m("GetNodeIndex",170,8,&[f("WorkGraphIndex",U32,0),f("NodeID",S(209),8),],U32,24,EL),
m("GetNodeLocalRootArgumentsTableIndex",170,9,&[f("WorkGraphIndex",U32,0),f("NodeIndex",U32,4),],U32,8,EL),
m("GetNumEntrypoints",170,10,&[f("WorkGraphIndex",U32,0),],U32,8,EL),
m("GetEntrypointID",170,11,&[f("result",P(&o(S(209))),0).out(),f("WorkGraphIndex",U32,8),f("EntrypointIndex",U32,12),],Word,16,EL).rs(),
m("GetEntrypointIndex",170,12,&[f("WorkGraphIndex",U32,0),f("NodeID",S(209),8),],U32,24,EL),
m("GetEntrypointRecordSizeInBytes",170,13,&[f("WorkGraphIndex",U32,0),f("EntrypointIndex",U32,4),],U32,8,EL),
m("GetWorkGraphMemoryRequirements",170,14,&[f("WorkGraphIndex",U32,0),f("pWorkGraphMemoryRequirements",P(&o(S(500))),8).out(),],Void,16,EL),
m("GetEntrypointRecordAlignmentInBytes",170,15,&[f("WorkGraphIndex",U32,0),f("EntrypointIndex",U32,4),],U32,8,EL),
// ID3DDestructionNotifier
m("RegisterDestructionCallback",171,3,&[f("callbackFn",Word,0).r(R::Callback),f("pData",Word,8).r(R::Context),f("pCallbackID",P(&o(U32)),16).out(),],Hresult,24,EL),
m("UnregisterDestructionCallback",171,4,&[f("callbackID",U32,0),],Hresult,8,EL),
// ID3DLowLatencyDevice
m("SupportsLowLatency",172,3,&[],Bool,0,EL),
m("LatencySleep",172,4,&[],Hresult,0,EL),
m("SetLatencySleepMode",172,5,&[f("low_latency_mode",Bool,0),f("low_latency_boost",Bool,4),f("minimum_interval_us",U32,8),],Hresult,16,EL),
m("SetLatencyMarker",172,6,&[f("frameID",U64,0),f("markerType",U32,8),],Hresult,16,EL),
m("GetLatencyInfo",172,7,&[f("latency_results",Word,0).r(R::CpuAddress),],Hresult,8,EL),
// IDXGIAdapter
m("EnumOutputs",173,7,&[f("Output",U32,0),f("ppOutput",P(&o(O(200))),8).out().c(206),],Hresult,16,EL),
m("GetDesc",173,8,&[f("pDesc",P(&o(S(503))),0).out(),],Hresult,8,EL),
m("CheckInterfaceSupport",173,9,&[f("InterfaceName",P(&o(Guid)),0),f("pUMDVersion",P(&o(I64)),8).out(),],Hresult,16,EL),
// IDXGIAdapter1
m("GetDesc1",174,10,&[f("pDesc",P(&o(S(504))),0).out(),],Hresult,8,EL),
// IDXGIAdapter2
m("GetDesc2",175,11,&[f("pDesc",P(&o(S(505))),0).out(),],Hresult,8,EL),
// IDXGIAdapter3
m("RegisterHardwareContentProtectionTeardownStatusEvent",176,12,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterHardwareContentProtectionTeardownStatus",176,13,&[f("dwCookie",U32,0),],Void,8,EN),
m("QueryVideoMemoryInfo",176,14,&[f("NodeIndex",U32,0),f("MemorySegmentGroup",E(290),4),f("pVideoMemoryInfo",P(&o(S(528))),8).out(),],Hresult,16,EL),
m("SetVideoMemoryReservation",176,15,&[f("NodeIndex",U32,0),f("MemorySegmentGroup",E(290),4),f("Reservation",U64,8),],Hresult,16,EL),
m("RegisterVideoMemoryBudgetChangeNotificationEvent",176,16,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterVideoMemoryBudgetChangeNotification",176,17,&[f("dwCookie",U32,0),],Void,8,EN),
// IDXGIAdapter4
m("GetDesc3",177,18,&[f("pDesc",P(&o(S(506))),0).out(),],Hresult,8,EL),
// IDXGIDebug
m("ReportLiveObjects",178,3,&[f("apiid",Guid,0),f("flags",E(281),16),],Hresult,24,EL),
// IDXGIDebug1
m("EnableLeakTrackingForThread",179,4,&[],Void,0,EN),
m("DisableLeakTrackingForThread",179,5,&[],Void,0,EN),
m("IsLeakTrackingEnabledForThread",179,6,&[],Bool,0,EL),
// IDXGIDecodeSwapChain
m("PresentBuffer",180,3,&[f("BufferToPresent",U32,0),f("SyncInterval",U32,4),f("Flags",U32,8),],Hresult,16,EL),
m("SetSourceRect",180,4,&[f("pRect",P(&o(S(541))),0),],Hresult,8,EL),
m("SetTargetRect",180,5,&[f("pRect",P(&o(S(541))),0),],Hresult,8,EL),
m("SetDestSize",180,6,&[f("Width",U32,0),f("Height",U32,4),],Hresult,8,EL),
m("GetSourceRect",180,7,&[f("pRect",P(&o(S(541))),0).out(),],Hresult,8,EL),
m("GetTargetRect",180,8,&[f("pRect",P(&o(S(541))),0).out(),],Hresult,8,EL),
m("GetDestSize",180,9,&[f("pWidth",P(&o(U32)),0).out(),f("pHeight",P(&o(U32)),8).out(),],Hresult,16,EL),
m("SetColorSpace",180,10,&[f("ColorSpace",E(294),0),],Hresult,8,EL),
m("GetColorSpace",180,11,&[],E(294),0,EL),
// IDXGIDevice
m("GetAdapter",181,7,&[f("pAdapter",P(&o(O(173))),0).out().c(177),],Hresult,8,EL),
m("CreateSurface",181,8,&[f("pDesc",P(&o(S(533))),0),f("NumSurfaces",U32,8),f("Usage",U32,12),f("pSharedResource",P(&o(S(532))),16).opt(),f("ppSurface",P(&q(O(210),L::Field(1))),24).out().c(212),],Hresult,32,EL),
m("QueryResourceResidency",181,9,&[f("ppResources",P(&q(O(0),L::Field(2))),0),f("pResidencyStatus",P(&q(E(297),L::Field(2))),8).out(),f("NumResources",U32,16),],Hresult,24,EL),
m("SetGPUThreadPriority",181,10,&[f("Priority",I32,0),],Hresult,8,EL),
m("GetGPUThreadPriority",181,11,&[f("pPriority",P(&o(I32)),0).out(),],Hresult,8,EL),
// IDXGIDevice1
m("SetMaximumFrameLatency",182,12,&[f("MaxLatency",U32,0),],Hresult,8,EL),
m("GetMaximumFrameLatency",182,13,&[f("pMaxLatency",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGIDevice2
m("OfferResources",183,14,&[f("NumResources",U32,0),f("ppResources",P(&q(O(208),L::Field(0))),8),f("Priority",E(295),16),],Hresult,24,EL),
m("ReclaimResources",183,15,&[f("NumResources",U32,0),f("ppResources",P(&q(O(208),L::Field(0))),8),f("pDiscarded",P(&q(Bool,L::Field(0))),16).out().opt(),],Hresult,24,EL),
m("EnqueueSetEvent",183,16,&[f("hEvent",Word,0).r(R::Event),],Hresult,8,EL),
// IDXGIDevice3
m("Trim",184,17,&[],Void,0,EN),
// IDXGIDevice4
m("OfferResources1",185,18,&[f("NumResources",U32,0),f("ppResources",P(&q(O(208),L::Field(0))),8),f("Priority",E(295),16),f("Flags",U32,20),],Hresult,24,EL),
m("ReclaimResources1",185,19,&[f("NumResources",U32,0),f("ppResources",P(&q(O(208),L::Field(0))),8),f("pResults",P(&q(E(296),L::Field(0))),16).out(),],Hresult,24,EL),
// IDXGIDeviceSubObject
m("GetDevice",186,7,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppDevice",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
// IDXGIDisplayControl
m("IsStereoEnabled",187,3,&[],Bool,0,EL),
m("SetStereoEnabled",187,4,&[f("enabled",Bool,0),],Void,8,EN),
// IDXGIFactory
m("EnumAdapters",188,7,&[f("Adapter",U32,0),f("ppAdapter",P(&o(O(173))),8).out().c(177),],Hresult,16,EL),
m("MakeWindowAssociation",188,8,&[f("WindowHandle",Word,0).r(R::Foreign),f("Flags",U32,8),],Hresult,16,EL),
m("GetWindowAssociation",188,9,&[f("pWindowHandle",P(&o(Word)),0).out().r(R::Foreign),],Hresult,8,EL),
m("CreateSwapChain",188,10,&[f("pDevice",O(0),0),f("pDesc",P(&o(S(534))),8),f("ppSwapChain",P(&o(O(213))),16).out().c(217),],Hresult,24,EL),
m("CreateSoftwareAdapter",188,11,&[f("Module",Word,0).r(R::Foreign),f("ppAdapter",P(&o(O(173))),8).out().c(177),],Hresult,16,EL),
// IDXGIFactory1
m("EnumAdapters1",189,12,&[f("Adapter",U32,0),f("ppAdapter",P(&o(O(174))),8).out().c(177),],Hresult,16,EL),
m("IsCurrent",189,13,&[],Bool,0,EL),
// IDXGIFactory2
m("IsWindowedStereoEnabled",190,14,&[],Bool,0,EL),
m("CreateSwapChainForHwnd",190,15,&[f("pDevice",O(0),0),f("hWnd",Word,8).r(R::Foreign),f("pDesc",P(&o(S(535))),16),f("pFullscreenDesc",P(&o(S(536))),24).opt(),f("pRestrictToOutput",O(200),32).opt(),f("ppSwapChain",P(&o(O(214))),40).out().c(217),],Hresult,48,EL),
m("CreateSwapChainForCoreWindow",190,16,&[f("pDevice",O(0),0),f("pWindow",O(0),8),f("pDesc",P(&o(S(535))),16),f("pRestrictToOutput",O(200),24).opt(),f("ppSwapChain",P(&o(O(214))),32).out().c(217),],Hresult,40,EL),
m("GetSharedResourceAdapterLuid",190,17,&[f("hResource",Word,0).r(R::SharedHandle),f("pLuid",P(&o(S(539))),8).out(),],Hresult,16,EL),
m("RegisterStereoStatusWindow",190,18,&[f("WindowHandle",Word,0).r(R::Foreign),f("wMsg",U32,8),f("pdwCookie",P(&o(U32)),16).out(),],Hresult,24,EL),
m("RegisterStereoStatusEvent",190,19,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterStereoStatus",190,20,&[f("dwCookie",U32,0),],Void,8,EN),
m("RegisterOcclusionStatusWindow",190,21,&[f("WindowHandle",Word,0).r(R::Foreign),f("wMsg",U32,8),f("pdwCookie",P(&o(U32)),16).out(),],Hresult,24,EL),
m("RegisterOcclusionStatusEvent",190,22,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterOcclusionStatus",190,23,&[f("dwCookie",U32,0),],Void,8,EN),
m("CreateSwapChainForComposition",190,24,&[f("pDevice",O(0),0),f("pDesc",P(&o(S(535))),8),f("pRestrictToOutput",O(200),16).opt(),f("ppSwapChain",P(&o(O(214))),24).out().c(217),],Hresult,32,EL),
// IDXGIFactory3
m("GetCreationFlags",191,25,&[],U32,0,EL),
// IDXGIFactory4
m("EnumAdapterByLuid",192,26,&[f("AdapterLuid",S(539),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvAdapter",P(&o(O(173))),16).out().iid(1).c(177),],Hresult,24,EL),
m("EnumWarpAdapter",192,27,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvAdapter",P(&o(O(173))),8).out().iid(0).c(177),],Hresult,16,EL),
// IDXGIFactory5
m("CheckFeatureSupport",193,28,&[f("Feature",E(282),0),f("pFeatureSupportData",P(&u(U8,X::FeatureData)),8).io(),f("FeatureSupportDataSize",U32,16),],Hresult,24,EL),
// IDXGIFactory6
m("EnumAdapterByGpuPreference",194,29,&[f("Adapter",U32,0),f("GpuPreference",E(285),4),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvAdapter",P(&o(O(173))),16).out().iid(2).c(177),],Hresult,24,EL),
// IDXGIFactory7
m("RegisterAdaptersChangedEvent",195,30,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterAdaptersChangedEvent",195,31,&[f("dwCookie",U32,0),],Hresult,8,EL),
// IDXGIFactoryMedia
m("CreateSwapChainForCompositionSurfaceHandle",196,3,&[f("pDevice",O(0),0),f("hSurface",Word,8).r(R::Foreign),f("pDesc",P(&o(S(535))),16),f("pRestrictToOutput",O(200),24).opt(),f("ppSwapChain",P(&o(O(214))),32).out().c(217),],Hresult,40,EL),
m("CreateDecodeSwapChainForCompositionSurfaceHandle",196,4,&[f("pDevice",O(0),0),f("hSurface",Word,8).r(R::Foreign),f("pDesc",P(&o(S(507))),16),f("pYuvDecodeBuffers",O(208),24),f("pRestrictToOutput",O(200),32).opt(),f("ppSwapChain",P(&o(O(180))),40).out().c(180),],Hresult,48,EL),
// IDXGIInfoQueue
m("SetMessageCountLimit",197,3,&[f("Producer",Guid,0),f("MessageCountLimit",U64,16),],Hresult,24,EL),
m("ClearStoredMessages",197,4,&[f("Producer",Guid,0),],Void,16,EN),
m("GetMessage",197,5,&[f("Producer",Guid,0),f("MessageIndex",U64,16),f("pMessage",P(&u(S(515),X::Named("OneInBuffer"))),24).out().opt(),f("pMessageByteLength",P(&o(U64)),32).io(),],Hresult,40,EL),
m("GetNumStoredMessagesAllowedByRetrievalFilters",197,6,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumStoredMessages",197,7,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumMessagesDiscardedByMessageCountLimit",197,8,&[f("Producer",Guid,0),],U64,16,EL),
m("GetMessageCountLimit",197,9,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumMessagesAllowedByStorageFilter",197,10,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumMessagesDeniedByStorageFilter",197,11,&[f("Producer",Guid,0),],U64,16,EL),
m("AddStorageFilterEntries",197,12,&[f("Producer",Guid,0),f("pFilter",P(&o(S(513))),16),],Hresult,24,EL),
m("GetStorageFilter",197,13,&[f("Producer",Guid,0),f("pFilter",P(&u(S(513),X::Named("OneInBuffer"))),16).out().opt(),f("pFilterByteLength",P(&o(U64)),24).io(),],Hresult,32,EL),
m("ClearStorageFilter",197,14,&[f("Producer",Guid,0),],Void,16,EN),
m("PushEmptyStorageFilter",197,15,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushDenyAllStorageFilter",197,16,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushCopyOfStorageFilter",197,17,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushStorageFilter",197,18,&[f("Producer",Guid,0),f("pFilter",P(&o(S(513))),16),],Hresult,24,EL),
m("PopStorageFilter",197,19,&[f("Producer",Guid,0),],Void,16,EN),
m("GetStorageFilterStackSize",197,20,&[f("Producer",Guid,0),],U32,16,EL),
m("AddRetrievalFilterEntries",197,21,&[f("Producer",Guid,0),f("pFilter",P(&o(S(513))),16),],Hresult,24,EL),
m("GetRetrievalFilter",197,22,&[f("Producer",Guid,0),f("pFilter",P(&u(S(513),X::Named("OneInBuffer"))),16).out().opt(),f("pFilterByteLength",P(&o(U64)),24).io(),],Hresult,32,EL),
m("ClearRetrievalFilter",197,23,&[f("Producer",Guid,0),],Void,16,EN),
m("PushEmptyRetrievalFilter",197,24,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushDenyAllRetrievalFilter",197,25,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushCopyOfRetrievalFilter",197,26,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushRetrievalFilter",197,27,&[f("Producer",Guid,0),f("pFilter",P(&o(S(513))),16),],Hresult,24,EL),
m("PopRetrievalFilter",197,28,&[f("Producer",Guid,0),],Void,16,EN),
m("GetRetrievalFilterStackSize",197,29,&[f("Producer",Guid,0),],U32,16,EL),
m("AddMessage",197,30,&[f("Producer",Guid,0),f("Category",E(288),16),f("Severity",E(289),20),f("ID",I32,24),f("pDescription",P(&t(U8)),32).r(R::Text),],Hresult,40,EL),
m("AddApplicationMessage",197,31,&[f("Severity",E(289),0),f("pDescription",P(&t(U8)),8).r(R::Text),],Hresult,16,EL),
m("SetBreakOnCategory",197,32,&[f("Producer",Guid,0),f("Category",E(288),16),f("bEnable",Bool,20),],Hresult,24,EL),
m("SetBreakOnSeverity",197,33,&[f("Producer",Guid,0),f("Severity",E(289),16),f("bEnable",Bool,20),],Hresult,24,EL),
m("SetBreakOnID",197,34,&[f("Producer",Guid,0),f("ID",I32,16),f("bEnable",Bool,20),],Hresult,24,EL),
m("GetBreakOnCategory",197,35,&[f("Producer",Guid,0),f("Category",E(288),16),],Bool,24,EL),
m("GetBreakOnSeverity",197,36,&[f("Producer",Guid,0),f("Severity",E(289),16),],Bool,24,EL),
m("GetBreakOnID",197,37,&[f("Producer",Guid,0),f("ID",I32,16),],Bool,24,EL),
m("SetMuteDebugOutput",197,38,&[f("Producer",Guid,0),f("bMute",Bool,16),],Void,24,EN),
m("GetMuteDebugOutput",197,39,&[f("Producer",Guid,0),],Bool,16,EL),
// IDXGIKeyedMutex
m("AcquireSync",198,8,&[f("Key",U64,0),f("dwMilliseconds",U32,8),],Hresult,16,EL),
m("ReleaseSync",198,9,&[f("Key",U64,0),],Hresult,8,EL),
// IDXGIObject
m("SetPrivateData",199,3,&[f("Name",P(&o(Guid)),0),f("DataSize",U32,8),f("pData",P(&q(U8,L::Bytes(1))),16).opt().r(R::Blob(B::PrivateData)),],Hresult,24,EL),
m("SetPrivateDataInterface",199,4,&[f("Name",P(&o(Guid)),0),f("pUnknown",O(0),8).opt(),],Hresult,16,EL),
m("GetPrivateData",199,5,&[f("Name",P(&o(Guid)),0),f("pDataSize",P(&o(U32)),8).io(),f("pData",P(&q(U8,L::BytesThrough(1))),16).out().opt().r(R::Blob(B::PrivateData)),],Hresult,24,EL),
m("GetParent",199,6,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppParent",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
// IDXGIOutput
m("GetDesc",200,7,&[f("pDesc",P(&o(S(525))),0).out(),],Hresult,8,EL),
m("GetDisplayModeList",200,8,&[f("EnumFormat",E(283),0),f("Flags",U32,4),f("pNumModes",P(&o(U32)),8).io(),f("pDesc",P(&q(S(518),L::Through(2))),16).out().opt(),],Hresult,24,EL),
m("FindClosestMatchingMode",200,9,&[f("pModeToMatch",P(&o(S(518))),0),f("pClosestMatch",P(&o(S(518))),8).out(),f("pConcernedDevice",O(0),16).opt(),],Hresult,24,EL),
m("WaitForVBlank",200,10,&[],Hresult,0,EL),
m("TakeOwnership",200,11,&[f("pDevice",O(0),0),f("Exclusive",Bool,8),],Hresult,16,EL),
m("ReleaseOwnership",200,12,&[],Void,0,EN),
m("GetGammaControlCapabilities",200,13,&[f("pGammaCaps",P(&o(S(511))),0).out(),],Hresult,8,EL),
m("SetGammaControl",200,14,&[f("pArray",P(&o(S(510))),0),],Hresult,8,EL),
m("GetGammaControl",200,15,&[f("pArray",P(&o(S(510))),0).out(),],Hresult,8,EL),
m("SetDisplaySurface",200,16,&[f("pScanoutSurface",O(210),0),],Hresult,8,EL),
m("GetDisplaySurfaceData",200,17,&[f("pDestination",O(210),0),],Hresult,8,EL),
m("GetFrameStatistics",200,18,&[f("pStats",P(&o(S(508))),0).out(),],Hresult,8,EL),
// IDXGIOutput1
m("GetDisplayModeList1",201,19,&[f("EnumFormat",E(283),0),f("Flags",U32,4),f("pNumModes",P(&o(U32)),8).io(),f("pDesc",P(&q(S(519),L::Through(2))),16).out().opt(),],Hresult,24,EL),
m("FindClosestMatchingMode1",201,20,&[f("pModeToMatch",P(&o(S(519))),0),f("pClosestMatch",P(&o(S(519))),8).out(),f("pConcernedDevice",O(0),16).opt(),],Hresult,24,EL),
m("GetDisplaySurfaceData1",201,21,&[f("pDestination",O(208),0),],Hresult,8,EL),
m("DuplicateOutput",201,22,&[f("pDevice",O(0),0),f("ppOutputDuplication",P(&o(O(207))),8).out().c(207),],Hresult,16,EL),
// IDXGIOutput2
m("SupportsOverlays",202,23,&[],Bool,0,EL),
// IDXGIOutput3
m("CheckOverlaySupport",203,24,&[f("EnumFormat",E(283),0),f("pConcernedDevice",O(0),8),f("pFlags",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGIOutput4
m("CheckOverlayColorSpaceSupport",204,25,&[f("Format",E(283),0),f("ColorSpace",E(279),4),f("pConcernedDevice",O(0),8),f("pFlags",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGIOutput5
m("DuplicateOutput1",205,26,&[f("pDevice",O(0),0),f("Flags",U32,8),f("SupportedFormatsCount",U32,12),f("pSupportedFormats",P(&q(E(283),L::Field(2))),16),f("ppOutputDuplication",P(&o(O(207))),24).out().c(207),],Hresult,32,EL),
// IDXGIOutput6
m("GetDesc1",206,27,&[f("pDesc",P(&o(S(526))),0).out(),],Hresult,8,EL),
m("CheckHardwareCompositionSupport",206,28,&[f("pFlags",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGIOutputDuplication
m("GetDesc",207,7,&[f("pDesc",P(&o(S(520))),0).out(),],Void,8,EL),
m("AcquireNextFrame",207,8,&[f("TimeoutInMilliseconds",U32,0),f("pFrameInfo",P(&o(S(521))),8).out(),f("ppDesktopResource",P(&o(O(208))),16).out().c(209),],Hresult,24,EL),
m("GetFrameDirtyRects",207,9,&[f("DirtyRectsBufferSize",U32,0),f("pDirtyRectsBuffer",P(&q(S(541),L::Bytes(0))),8).out(),f("pDirtyRectsBufferSizeRequired",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetFrameMoveRects",207,10,&[f("MoveRectsBufferSize",U32,0),f("pMoveRectBuffer",P(&q(S(522),L::Bytes(0))),8).out(),f("pMoveRectsBufferSizeRequired",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetFramePointerShape",207,11,&[f("PointerShapeBufferSize",U32,0),f("pPointerShapeBuffer",P(&q(U8,L::Bytes(0))),8).out(),f("pPointerShapeBufferSizeRequired",P(&o(U32)),16).out(),f("pPointerShapeInfo",P(&o(S(524))),24).out(),],Hresult,32,EL),
m("MapDesktopSurface",207,12,&[f("pLockedRect",P(&o(S(516))),0).out(),],Hresult,8,EL),
m("UnMapDesktopSurface",207,13,&[],Hresult,0,EL),
m("ReleaseFrame",207,14,&[],Hresult,0,EL),
// IDXGIResource
m("GetSharedHandle",208,8,&[f("pSharedHandle",P(&o(Word)),0).out().r(R::SharedHandle),],Hresult,8,EL),
m("GetUsage",208,9,&[f("pUsage",P(&o(U32)),0).out(),],Hresult,8,EL),
m("SetEvictionPriority",208,10,&[f("EvictionPriority",U32,0),],Hresult,8,EL),
m("GetEvictionPriority",208,11,&[f("pEvictionPriority",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGIResource1
m("CreateSubresourceSurface",209,12,&[f("index",U32,0),f("ppSurface",P(&o(O(212))),8).out().c(212),],Hresult,16,EL),
m("CreateSharedHandle",209,13,&[f("pAttributes",P(&o(S(542))),0).opt(),f("dwAccess",U32,8),f("lpName",P(&t(U16)),16).opt().r(R::Text),f("pHandle",P(&o(Word)),24).out().r(R::SharedHandle),],Hresult,32,EL),
// IDXGISurface
m("GetDesc",210,8,&[f("pDesc",P(&o(S(533))),0).out(),],Hresult,8,EL),
m("Map",210,9,&[f("pLockedRect",P(&o(S(516))),0).out(),f("MapFlags",U32,8),],Hresult,16,EL),
m("Unmap",210,10,&[],Hresult,0,EL),
// IDXGISurface1
m("GetDC",211,11,&[f("Discard",Bool,0),f("phdc",P(&o(Word)),8).out().r(R::Foreign),],Hresult,16,EL),
m("ReleaseDC",211,12,&[f("pDirtyRect",P(&o(S(541))),0).opt(),],Hresult,8,EL),
// IDXGISurface2
m("GetResource",212,13,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppParentResource",P(&o(O(0))),8).out().iid(0),f("pSubresourceIndex",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGISwapChain
m("Present",213,8,&[f("SyncInterval",U32,0),f("Flags",U32,4),],Hresult,8,EL),
m("GetBuffer",213,9,&[f("Buffer",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppSurface",P(&o(O(113))),16).out().iid(1).c(115),],Hresult,24,EL),
m("SetFullscreenState",213,10,&[f("Fullscreen",Bool,0),f("pTarget",O(200),8).opt(),],Hresult,16,EL),
m("GetFullscreenState",213,11,&[f("pFullscreen",P(&o(Bool)),0).out().opt(),f("ppTarget",P(&o(O(200))),8).out().opt().c(206),],Hresult,16,EL),
m("GetDesc",213,12,&[f("pDesc",P(&o(S(534))),0).out(),],Hresult,8,EL),
m("ResizeBuffers",213,13,&[f("BufferCount",U32,0),f("Width",U32,4),f("Height",U32,8),f("NewFormat",E(283),12),f("SwapChainFlags",U32,16),],Hresult,24,EL),
m("ResizeTarget",213,14,&[f("pNewTargetParameters",P(&o(S(518))),0),],Hresult,8,EL),
m("GetContainingOutput",213,15,&[f("ppOutput",P(&o(O(200))),0).out().c(206),],Hresult,8,EL),
m("GetFrameStatistics",213,16,&[f("pStats",P(&o(S(508))),0).out(),],Hresult,8,EL),
m("GetLastPresentCount",213,17,&[f("pLastPresentCount",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGISwapChain1
m("GetDesc1",214,18,&[f("pDesc",P(&o(S(535))),0).out(),],Hresult,8,EL),
m("GetFullscreenDesc",214,19,&[f("pDesc",P(&o(S(536))),0).out(),],Hresult,8,EL),
m("GetHwnd",214,20,&[f("pHwnd",P(&o(Word)),0).out().r(R::Foreign),],Hresult,8,EL),
m("GetCoreWindow",214,21,&[f("refiid",P(&o(Guid)),0).r(R::Iid),f("ppUnk",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
m("Present1",214,22,&[f("SyncInterval",U32,0),f("PresentFlags",U32,4),f("pPresentParameters",P(&o(S(527))),8),],Hresult,16,EL),
m("IsTemporaryMonoSupported",214,23,&[],Bool,0,EL),
m("GetRestrictToOutput",214,24,&[f("ppRestrictToOutput",P(&o(O(200))),0).out().c(206),],Hresult,8,EL),
m("SetBackgroundColor",214,25,&[f("pColor",P(&o(S(502))),0).r(R::Color),],Hresult,8,EL),
m("GetBackgroundColor",214,26,&[f("pColor",P(&o(S(502))),0).out().r(R::Color),],Hresult,8,EL),
m("SetRotation",214,27,&[f("Rotation",E(291),0),],Hresult,8,EL),
m("GetRotation",214,28,&[f("pRotation",P(&o(E(291))),0).out(),],Hresult,8,EL),
// IDXGISwapChain2
m("SetSourceSize",215,29,&[f("Width",U32,0),f("Height",U32,4),],Hresult,8,EL),
m("GetSourceSize",215,30,&[f("pWidth",P(&o(U32)),0).out(),f("pHeight",P(&o(U32)),8).out(),],Hresult,16,EL),
m("SetMaximumFrameLatency",215,31,&[f("MaxLatency",U32,0),],Hresult,8,EL),
m("GetMaximumFrameLatency",215,32,&[f("pMaxLatency",P(&o(U32)),0).out(),],Hresult,8,EL),
m("GetFrameLatencyWaitableObject",215,33,&[],Word,0,EL).rr(R::Event),
m("SetMatrixTransform",215,34,&[f("pMatrix",P(&o(S(517))),0),],Hresult,8,EL),
m("GetMatrixTransform",215,35,&[f("pMatrix",P(&o(S(517))),0).out(),],Hresult,8,EL),
// IDXGISwapChain3
m("GetCurrentBackBufferIndex",216,36,&[],U32,0,EL),
m("CheckColorSpaceSupport",216,37,&[f("ColorSpace",E(279),0),f("pColorSpaceSupport",P(&o(U32)),8).out(),],Hresult,16,EL),
m("SetColorSpace1",216,38,&[f("ColorSpace",E(279),0),],Hresult,8,EL),
m("ResizeBuffers1",216,39,&[f("BufferCount",U32,0),f("Width",U32,4),f("Height",U32,8),f("Format",E(283),12),f("SwapChainFlags",U32,16),f("pCreationNodeMask",P(&q(U32,L::Field(0))),24),f("ppPresentQueue",P(&q(O(0),L::Field(0))),32),],Hresult,40,EL),
// IDXGISwapChain4
m("SetHDRMetaData",217,40,&[f("Type",E(287),0),f("Size",U32,4),f("pMetaData",P(&q(U8,L::Field(1))),8).opt(),],Hresult,16,EL),
// IDXGISwapChainMedia
m("GetFrameStatisticsMedia",218,3,&[f("pStats",P(&o(S(509))),0).out(),],Hresult,8,EL),
m("SetPresentDuration",218,4,&[f("Duration",U32,0),],Hresult,8,EL),
m("CheckPresentDurationSupport",218,5,&[f("DesiredPresentDuration",U32,0),f("pClosestSmallerPresentDuration",P(&o(U32)),8).out(),f("pClosestLargerPresentDuration",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGIVkInteropAdapter
m("GetVulkanHandles",219,3,&[f("pInstance",P(&o(Word)),0).out().r(R::Foreign),f("pPhysDev",P(&o(Word)),8).out().r(R::Foreign),],Void,16,EL),
// IDXGIVkInteropFactory
m("GetVulkanInstance",220,3,&[f("pInstance",P(&o(Word)),0).out().r(R::Foreign),f("ppfnVkGetInstanceProcAddr",P(&o(Word)),8).out().r(R::Foreign),],Void,16,EL),
// IDXGIVkInteropFactory1
m("GetGlobalHDRState",221,4,&[f("pOutColorSpace",P(&o(E(279))),0).out(),f("ppOutMetadata",P(&o(S(512))),8).out(),],Hresult,16,EL),
m("SetGlobalHDRState",221,5,&[f("ColorSpace",E(279),0),f("pMetadata",P(&o(S(512))),8).opt(),],Hresult,16,EL),
// IDXGIVkSurfaceFactory
m("CreateSurface",222,3,&[f("instance",Word,0).r(R::Foreign),f("adapter",Word,8).r(R::Foreign),f("pSurface",P(&o(Word)),16).out().r(R::Foreign),],I32,24,EL),
// IDXGIVkSwapChain
m("GetDesc",223,3,&[f("pDesc",P(&o(S(535))),0).out(),],Hresult,8,EL),
m("GetAdapter",223,4,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvObject",P(&o(O(173))),8).out().iid(0).c(177),],Hresult,16,EL),
m("GetDevice",223,5,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppDevice",P(&o(O(38))),8).out().iid(0).c(53),],Hresult,16,EL),
m("GetImage",223,6,&[f("BufferId",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppBuffer",P(&o(O(113))),16).out().iid(1).c(115),],Hresult,24,EL),
m("GetImageIndex",223,7,&[],U32,0,EL),
m("GetFrameLatency",223,8,&[],U32,0,EL),
m("GetFrameLatencyEvent",223,9,&[],Word,0,EL).rr(R::Event),
m("ChangeProperties",223,10,&[f("pDesc",P(&o(S(535))),0),f("pNodeMasks",Word,8).r(R::CpuAddress),f("ppPresentQueues",Word,16).r(R::CpuAddress),],Hresult,24,EL),
m("SetPresentRegion",223,11,&[f("pRegion",P(&o(S(541))),0).opt(),],Hresult,8,EL),
m("SetGammaControl",223,12,&[f("NumControlPoints",U32,0),f("pControlPoints",P(&q(S(530),L::Field(0))),8).opt(),],Hresult,16,EL),
m("SetFrameLatency",223,13,&[f("MaxLatency",U32,0),],Hresult,8,EL),
m("Present",223,14,&[f("SyncInterval",U32,0),f("PresentFlags",U32,4),f("pPresentParameters",P(&o(S(527))),8).opt(),],Hresult,16,EL),
m("CheckColorSpaceSupport",223,15,&[f("ColorSpace",E(279),0),],U32,8,EL),
m("SetColorSpace",223,16,&[f("ColorSpace",E(279),0),],Hresult,8,EL),
m("SetHDRMetaData",223,17,&[f("pMetaData",P(&o(S(538))),0).opt(),],Hresult,8,EL),
// IDXGIVkSwapChain1
m("GetLastPresentCount",224,18,&[f("pLastPresentCount",P(&o(U64)),0).out(),],Void,8,EL),
m("GetFrameStatistics",224,19,&[f("pFrameStatistics",P(&o(S(537))),0).out(),],Void,8,EL),
// IDXGIVkSwapChain2
m("SetTargetFrameRate",225,20,&[f("FrameRate",F64,0),],Void,8,EN),
// IDXGIVkSwapChainFactory
m("CreateSwapChain",226,3,&[f("pSurfaceFactory",O(222),0),f("pDesc",P(&o(S(535))),8),f("ppSwapChain",P(&o(O(223))),16).out().c(225),],Hresult,24,EL),
// IWineDXGISwapChainFactory
m("create_swapchain",227,3,&[f("factory",O(188),0),f("window",Word,8).r(R::Foreign),f("desc",P(&o(S(535))),16),f("fullscreen_desc",P(&o(S(536))),24).opt(),f("output",O(200),32).opt(),f("swapchain",P(&o(O(214))),40).out().c(217),],Hresult,48,EL),
// functions
m("D3D12CreateDevice",-1,0,&[f("pAdapter",O(0),0).opt(),f("MinimumFeatureLevel",E(259),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppDevice",P(&o(O(38))),24).out().opt().iid(2).c(53),],Hresult,32,EL),
m("D3D12GetDebugInterface",-1,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvDebug",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
m("D3D12GetInterface",-1,0,&[f("rclsid",P(&o(Guid)),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvDebug",P(&o(O(0))),16).out().opt().iid(1),],Hresult,24,EL),
m("D3D12EnableExperimentalFeatures",-1,0,&[f("NumFeatures",U32,0),f("pIIDs",P(&q(Guid,L::Field(0))),8),f("pConfigurationStructs",P(&u(U8,X::Named("ExperimentalConfiguration"))),16).opt(),f("pConfigurationStructSizes",P(&q(U32,L::Field(0))),24).opt(),],Hresult,32,EL),
m("D3D12SerializeRootSignature",-1,0,&[f("pRootSignature",P(&o(S(278))),0),f("Version",E(268),8),f("ppBlob",P(&o(O(2))),16).out().c(2),f("ppErrorBlob",P(&o(O(2))),24).out().c(2),],Hresult,32,EL),
m("D3D12SerializeVersionedRootSignature",-1,0,&[f("pRootSignature",P(&o(S(352))),0),f("ppBlob",P(&o(O(2))),8).out().c(2),f("ppErrorBlob",P(&o(O(2))),16).out().c(2),],Hresult,24,EL),
m("D3D12CreateRootSignatureDeserializer",-1,0,&[f("pSrcData",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("SrcDataSizeInBytes",U64,8),f("pRootSignatureDeserializerInterface",P(&o(Guid)),16).r(R::Iid),f("ppRootSignatureDeserializer",P(&o(O(118))),24).out().iid(2).c(118),],Hresult,32,EL),
m("D3D12CreateVersionedRootSignatureDeserializer",-1,0,&[f("pSrcData",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("SrcDataSizeInBytes",U64,8),f("pRootSignatureDeserializerInterface",P(&o(Guid)),16).r(R::Iid),f("ppRootSignatureDeserializer",P(&o(O(138))),24).out().iid(2).c(138),],Hresult,32,EL),
m("CreateDXGIFactory",-1,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppFactory",P(&o(O(188))),8).out().iid(0).c(195),],Hresult,16,EL),
m("CreateDXGIFactory1",-1,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppFactory",P(&o(O(188))),8).out().iid(0).c(195),],Hresult,16,EL),
m("CreateDXGIFactory2",-1,0,&[f("Flags",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppFactory",P(&o(O(188))),16).out().iid(1).c(195),],Hresult,24,EL),
m("DXGIGetDebugInterface1",-1,0,&[f("Flags",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("pDebug",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("DXGIDeclareAdapterRemovalSupport",-1,0,&[],Hresult,0,EL),
m("DXGIDisableVBlankVirtualization",-1,0,&[],Hresult,0,EL),
m("D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary",-1,0,&[f("pSrcData",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::Shader)),f("SrcDataSizeInBytes",U64,8),f("RootSignatureSubobjectName",P(&t(U16)),16).opt().r(R::Text),f("pRootSignatureDeserializerInterface",P(&o(Guid)),24).r(R::Iid),f("ppRootSignatureDeserializer",P(&o(O(138))),32).out().iid(3).c(138),],Hresult,40,EL),
m("D3D12CompilerCreateFactory",-1,0,&[f("pPluginCompilerDllPath",P(&t(U16)),0).r(R::Text),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppFactory",P(&o(O(13))),16).out().opt().iid(1).c(13),],Hresult,24,EL),
m("D3D12CompilerSerializeVersionedRootSignature",-1,0,&[f("pRootSignature",P(&o(S(352))),0),f("ppBlob",P(&o(O(2))),8).out().c(2),f("ppErrorBlob",P(&o(O(2))),16).out().opt().c(2),],Hresult,24,EL),
m("D3D12CreateDeviceVKD3D",-1,0,&[f("pAdapter",O(0),0).opt(),f("MinimumFeatureLevel",E(259),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppDevice",P(&o(O(38))),24).out().opt().iid(2).c(53),f("api_version",E(301),32),],Hresult,40,EL),
m("vkd3d_create_event",-1,0,&[],Word,0,EL).rr(R::Event),
m("vkd3d_signal_event",-1,0,&[f("event",Word,0).r(R::Event),],Hresult,8,EL),
m("vkd3d_wait_event",-1,0,&[f("event",Word,0).r(R::Event),f("milliseconds",U32,8),],U32,16,EL),
m("vkd3d_destroy_event",-1,0,&[f("event",Word,0).r(R::Event),],Void,8,EN),
m("vkd3d_create_instance",-1,0,&[f("create_info",P(&o(S(555))),0),f("instance",P(&o(Word)),8).out().r(R::Foreign),],Hresult,16,EL),
m("vkd3d_instance_decref",-1,0,&[f("instance",Word,0).r(R::Foreign),],U32,8,EL),
m("vkd3d_instance_get_vk_instance",-1,0,&[f("instance",Word,0).r(R::Foreign),],Word,8,EL).rr(R::Foreign),
m("vkd3d_instance_incref",-1,0,&[f("instance",Word,0).r(R::Foreign),],U32,8,EL),
m("vkd3d_create_device",-1,0,&[f("create_info",P(&o(S(553))),0),f("iid",P(&o(Guid)),8).r(R::Iid),f("device",P(&o(O(38))),16).out().opt().iid(1).c(53),],Hresult,24,EL),
m("vkd3d_get_device_parent",-1,0,&[f("device",O(38),0),],O(0),8,EL),
m("vkd3d_get_vk_device",-1,0,&[f("device",O(38),0),],Word,8,EL).rr(R::Foreign),
m("vkd3d_get_vk_physical_device",-1,0,&[f("device",O(38),0),],Word,8,EL).rr(R::Foreign),
m("vkd3d_instance_from_device",-1,0,&[f("device",O(38),0),],Word,8,EL).rr(R::Foreign),
m("vkd3d_get_vk_queue_family_index",-1,0,&[f("queue",O(6),0),],U32,8,EL),
m("vkd3d_acquire_vk_queue",-1,0,&[f("queue",O(6),0),],Word,8,EL).rr(R::Foreign),
m("vkd3d_release_vk_queue",-1,0,&[f("queue",O(6),0),],Void,8,EN),
m("vkd3d_create_image_resource",-1,0,&[f("device",O(38),0),f("create_info",P(&o(S(554))),8),f("resource",P(&o(O(113))),16).out().c(115),],Hresult,24,EL),
m("vkd3d_resource_decref",-1,0,&[f("resource",O(113),0),],U32,8,EL),
m("vkd3d_resource_incref",-1,0,&[f("resource",O(113),0),],U32,8,EL),
m("vkd3d_serialize_root_signature",-1,0,&[f("desc",P(&o(S(278))),0),f("version",E(268),8),f("blob",P(&o(O(2))),16).out().c(2),f("error_blob",P(&o(O(2))),24).out().opt().c(2),],Hresult,32,EL),
m("vkd3d_create_root_signature_deserializer",-1,0,&[f("data",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("data_size",U64,8),f("iid",P(&o(Guid)),16).r(R::Iid),f("deserializer",P(&o(O(118))),24).out().iid(2).c(118),],Hresult,32,EL),
m("vkd3d_get_vk_format",-1,0,&[f("format",E(283),0),],I32,8,EL),
m("vkd3d_get_dxgi_format",-1,0,&[f("format",I32,0),],E(283),8,EL),
m("vkd3d_serialize_versioned_root_signature",-1,0,&[f("desc",P(&o(S(352))),0),f("blob",P(&o(O(2))),8).out().c(2),f("error_blob",P(&o(O(2))),16).out().opt().c(2),],Hresult,24,EL),
m("vkd3d_create_versioned_root_signature_deserializer",-1,0,&[f("data",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("data_size",U64,8),f("iid",P(&o(Guid)),16).r(R::Iid),f("deserializer",P(&o(O(138))),24).out().iid(2).c(138),],Hresult,32,EL),
m("vkCreateSwapchainKHR",-1,0,&[f("device",Word,0).r(R::Foreign),f("pCreateInfo",P(&o(S(548))),8),f("pAllocator",Word,16).r(R::CpuAddress),f("pSwapchain",P(&o(Word)),24).out().r(R::Foreign),],I32,32,EL),
m("vkDestroySwapchainKHR",-1,0,&[f("device",Word,0).r(R::Foreign),f("swapchain",Word,8).r(R::Foreign),f("pAllocator",Word,16).r(R::CpuAddress),],Void,24,EN),
m("vkGetSwapchainImagesKHR",-1,0,&[f("device",Word,0).r(R::Foreign),f("swapchain",Word,8).r(R::Foreign),f("pSwapchainImageCount",P(&o(U32)),16).io(),f("pSwapchainImages",P(&q(Word,L::Through(2))),24).out().opt().r(R::Foreign),],I32,32,EL),
m("vkAcquireNextImageKHR",-1,0,&[f("device",Word,0).r(R::Foreign),f("swapchain",Word,8).r(R::Foreign),f("timeout",U64,16),f("semaphore",Word,24).r(R::Foreign),f("fence",Word,32).r(R::Foreign),f("pImageIndex",P(&o(U32)),40).out(),],I32,48,EL),
m("vkAcquireNextImage2KHR",-1,0,&[f("device",Word,0).r(R::Foreign),f("pAcquireInfo",P(&o(S(543))),8),f("pImageIndex",P(&o(U32)),16).out(),],I32,24,EL),
m("vkQueuePresentKHR",-1,0,&[f("queue",Word,0).r(R::Foreign),f("pPresentInfo",P(&o(S(545))),8),],I32,16,EL),
m("vkCreateXcbSurfaceKHR",-1,0,&[f("instance",Word,0).r(R::Foreign),f("pCreateInfo",P(&o(S(550))),8),f("pAllocator",Word,16).r(R::CpuAddress),f("pSurface",P(&o(Word)),24).out().r(R::Foreign),],I32,32,EL),
m("vkCreateXlibSurfaceKHR",-1,0,&[f("instance",Word,0).r(R::Foreign),f("pCreateInfo",P(&o(S(551))),8),f("pAllocator",Word,16).r(R::CpuAddress),f("pSurface",P(&o(Word)),24).out().r(R::Foreign),],I32,32,EL),
m("vkCreateWaylandSurfaceKHR",-1,0,&[f("instance",Word,0).r(R::Foreign),f("pCreateInfo",P(&o(S(549))),8),f("pAllocator",Word,16).r(R::CpuAddress),f("pSurface",P(&o(Word)),24).out().r(R::Foreign),],I32,32,EL),
m("vkDestroySurfaceKHR",-1,0,&[f("instance",Word,0).r(R::Foreign),f("surface",Word,8).r(R::Foreign),f("pAllocator",Word,16).r(R::CpuAddress),],Void,24,EN),
m("vkGetPhysicalDeviceSurfaceSupportKHR",-1,0,&[f("physicalDevice",Word,0).r(R::Foreign),f("queueFamilyIndex",U32,8),f("surface",Word,16).r(R::Foreign),f("pSupported",P(&o(Bool)),24).out(),],I32,32,EL),
m("vkGetPhysicalDeviceSurfaceCapabilitiesKHR",-1,0,&[f("physicalDevice",Word,0).r(R::Foreign),f("surface",Word,8).r(R::Foreign),f("pSurfaceCapabilities",P(&o(S(546))),16).out(),],I32,24,EL),
m("vkGetPhysicalDeviceSurfaceFormatsKHR",-1,0,&[f("physicalDevice",Word,0).r(R::Foreign),f("surface",Word,8).r(R::Foreign),f("pSurfaceFormatCount",P(&o(U32)),16).io(),f("pSurfaceFormats",P(&q(S(547),L::Through(2))),24).out().opt(),],I32,32,EL),
m("vkGetPhysicalDeviceSurfacePresentModesKHR",-1,0,&[f("physicalDevice",Word,0).r(R::Foreign),f("surface",Word,8).r(R::Foreign),f("pPresentModeCount",P(&o(U32)),16).io(),f("pPresentModes",P(&q(I32,L::Through(2))),24).out().opt(),],I32,32,EL),
m("vkCreateFence",-1,0,&[f("device",Word,0).r(R::Foreign),f("pCreateInfo",P(&o(S(544))),8),f("pAllocator",Word,16).r(R::CpuAddress),f("pFence",P(&o(Word)),24).out().r(R::Foreign),],I32,32,EL),
m("vkDestroyFence",-1,0,&[f("device",Word,0).r(R::Foreign),f("fence",Word,8).r(R::Foreign),f("pAllocator",Word,16).r(R::CpuAddress),],Void,24,EN),
m("vkResetFences",-1,0,&[f("device",Word,0).r(R::Foreign),f("fenceCount",U32,8),f("pFences",P(&q(Word,L::Field(1))),16).r(R::Foreign),],I32,24,EL),
m("vkWaitForFences",-1,0,&[f("device",Word,0).r(R::Foreign),f("fenceCount",U32,8),f("pFences",P(&q(Word,L::Field(1))),16).r(R::Foreign),f("waitAll",Bool,24),f("timeout",U64,32),],I32,40,EL),
];
