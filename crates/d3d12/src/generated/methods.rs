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
m("UpdateTileMappings",5,8,&[f("pResource",O(99),0),f("NumResourceRegions",U32,8),f("pResourceRegionStartCoordinates",P(&q(S(347),L::Field(1))),16).opt(),f("pResourceRegionSizes",P(&q(S(348),L::Field(1))),24).opt(),f("pHeap",O(79),32).opt(),f("NumRanges",U32,40),f("pRangeFlags",P(&q(E(154),L::Field(5))),48).opt(),f("pHeapRangeStartOffsets",P(&q(U32,L::Field(5))),56).opt(),f("pRangeTileCounts",P(&q(U32,L::Field(5))),64).opt(),f("Flags",E(153),72),],Void,80,EN),
m("CopyTileMappings",5,9,&[f("pDstResource",O(99),0),f("pDstRegionStartCoordinate",P(&o(S(347))),8),f("pSrcResource",O(99),16),f("pSrcRegionStartCoordinate",P(&o(S(347))),24),f("pRegionSize",P(&o(S(348))),32),f("Flags",E(153),40),],Void,48,EN),
m("ExecuteCommandLists",5,10,&[f("NumCommandLists",U32,0),f("ppCommandLists",P(&q(O(4),L::Field(0))),8),],Void,16,EN),
m("SetMarker",5,11,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,EN),
m("BeginEvent",5,12,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,EN),
m("EndEvent",5,13,&[],Void,0,EN),
m("Signal",5,14,&[f("pFence",O(63),0),f("Value",U64,8),],Hresult,16,EL),
m("Wait",5,15,&[f("pFence",O(63),0),f("Value",U64,8),],Hresult,16,EL),
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
m("CreateSharedResource",8,3,&[f("pHeapProperties",P(&o(S(182))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(266))),16),f("InitialResourceState",E(118),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("pFlags11",P(&o(S(0))),40).opt(),f("CompatibilityFlags",E(20),48),f("pLifetimeTracker",O(85),56).opt(),f("pOwningSwapchain",O(120),64).opt(),f("riid",P(&o(Guid)),72).r(R::Iid),f("ppResource",P(&o(O(99))),80).out().opt().iid(9).c(101),],Hresult,88,EL),
m("CreateSharedHeap",8,4,&[f("pHeapDesc",P(&o(S(181))),0),f("CompatibilityFlags",E(20),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppHeap",P(&o(O(79))),24).out().opt().iid(2).c(80),],Hresult,32,EL),
m("ReflectSharedProperties",8,5,&[f("pHeapOrResource",O(88),0),f("ReflectType",E(104),8),f("pData",P(&q(U8,L::Bytes(3))),16).out(),f("DataSize",U32,24),],Hresult,32,EL),
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
m("CreateDSRDevice",14,3,&[f("pD3D12Device",O(32),0),f("NodeMask",U32,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvDSRDevice",P(&o(O(32))),24).out().iid(2).c(47),],Hresult,32,EL),
// ID3D12Debug
m("EnableDebugLayer",15,3,&[],Void,0,EN),
// ID3D12Debug1
m("EnableDebugLayer",16,3,&[],Void,0,EN),
m("SetEnableGPUBasedValidation",16,4,&[f("Enable",Bool,0),],Void,8,EN),
m("SetEnableSynchronizedCommandQueueValidation",16,5,&[f("Enable",Bool,0),],Void,8,EN),
// ID3D12Debug2
m("SetGPUBasedValidationFlags",17,3,&[f("Flags",E(56),0),],Void,8,EN),
// ID3D12Debug3
m("SetEnableGPUBasedValidation",18,4,&[f("Enable",Bool,0),],Void,8,EN),
m("SetEnableSynchronizedCommandQueueValidation",18,5,&[f("Enable",Bool,0),],Void,8,EN),
m("SetGPUBasedValidationFlags",18,6,&[f("Flags",E(56),0),],Void,8,EN),
// ID3D12Debug4
m("DisableDebugLayer",19,7,&[],Void,0,EN),
// ID3D12Debug5
m("SetEnableAutoName",20,8,&[f("Enable",Bool,0),],Void,8,EN),
// ID3D12Debug6
m("SetForceLegacyBarrierValidation",21,9,&[f("Enable",Bool,0),],Void,8,EN),
// ID3D12DebugCommandList
m("AssertResourceState",22,3,&[f("pResource",O(99),0),f("Subresource",U32,8),f("State",U32,12),],Bool,16,EL),
m("SetFeatureMask",22,4,&[f("Mask",E(30),0),],Hresult,8,EL),
m("GetFeatureMask",22,5,&[],E(30),0,EL),
// ID3D12DebugCommandList1
m("AssertResourceState",23,3,&[f("pResource",O(99),0),f("Subresource",U32,8),f("State",U32,12),],Bool,16,EL),
m("SetDebugParameter",23,4,&[f("Type",E(28),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",23,5,&[f("Type",E(28),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
// ID3D12DebugCommandList2
m("SetDebugParameter",24,6,&[f("Type",E(28),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",24,7,&[f("Type",E(28),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
// ID3D12DebugCommandList3
m("AssertResourceAccess",25,8,&[f("pResource",O(99),0),f("Subresource",U32,8),f("Access",E(3),12),],Void,16,EN),
m("AssertTextureLayout",25,9,&[f("pResource",O(99),0),f("Subresource",U32,8),f("Layout",E(4),12),],Void,16,EN),
// ID3D12DebugCommandQueue
m("AssertResourceState",26,3,&[f("pResource",O(99),0),f("Subresource",U32,8),f("State",U32,12),],Bool,16,EL),
// ID3D12DebugCommandQueue1
m("AssertResourceAccess",27,4,&[f("pResource",O(99),0),f("Subresource",U32,8),f("Access",E(3),12),],Void,16,EN),
m("AssertTextureLayout",27,5,&[f("pResource",O(99),0),f("Subresource",U32,8),f("Layout",E(4),12),],Void,16,EN),
// ID3D12DebugDevice
m("SetFeatureMask",28,3,&[f("Mask",E(30),0),],Hresult,8,EL),
m("GetFeatureMask",28,4,&[],E(30),0,EL),
m("ReportLiveDeviceObjects",28,5,&[f("Flags",E(119),0),],Hresult,8,EL),
// ID3D12DebugDevice1
m("SetDebugParameter",29,3,&[f("Type",E(29),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",29,4,&[f("Type",E(29),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
m("ReportLiveDeviceObjects",29,5,&[f("Flags",E(119),0),],Hresult,8,EL),
// ID3D12DebugDevice2
m("SetDebugParameter",30,6,&[f("Type",E(29),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",30,7,&[f("Type",E(29),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
// ID3D12DescriptorHeap
m("GetDesc",31,8,&[f("result",P(&o(S(42))),0).out(),],Word,8,EL).rs(),
m("GetCPUDescriptorHandleForHeapStart",31,9,&[f("result",P(&o(U64)),0).out().r(R::CpuDescriptor),],Word,8,EL).rs(),
m("GetGPUDescriptorHandleForHeapStart",31,10,&[f("result",P(&o(U64)),0).out().r(R::GpuDescriptor),],Word,8,EL).rs(),
// ID3D12Device
m("GetNodeCount",32,7,&[],U32,0,EL),
m("CreateCommandQueue",32,8,&[f("pDesc",P(&o(S(20))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppCommandQueue",P(&o(O(5))),16).out().iid(1).c(6),],Hresult,24,EL),
m("CreateCommandAllocator",32,9,&[f("type",E(15),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppCommandAllocator",P(&o(O(3))),16).out().iid(1).c(3),],Hresult,24,EL),
m("CreateGraphicsPipelineState",32,10,&[f("pDesc",P(&o(S(180))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppPipelineState",P(&o(O(93))),16).out().iid(1).c(94),],Hresult,24,EL),
m("CreateComputePipelineState",32,11,&[f("pDesc",P(&o(S(32))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppPipelineState",P(&o(O(93))),16).out().iid(1).c(94),],Hresult,24,EL),
m("CreateCommandList",32,12,&[f("nodeMask",U32,0),f("type",E(15),4),f("pCommandAllocator",O(3),8),f("pInitialState",O(93),16).opt(),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppCommandList",P(&o(O(4))),32).out().iid(4).c(4),],Hresult,40,EL),
m("CheckFeatureSupport",32,13,&[f("Feature",E(49),0),f("pFeatureSupportData",P(&u(U8,X::FeatureData)),8).io(),f("FeatureSupportDataSize",U32,16),],Hresult,24,EL),
m("CreateDescriptorHeap",32,14,&[f("pDescriptorHeapDesc",P(&o(S(42))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(31))),16).out().iid(1).c(31),],Hresult,24,EL),
m("GetDescriptorHandleIncrementSize",32,15,&[f("DescriptorHeapType",E(33),0),],U32,8,EL),
m("CreateRootSignature",32,16,&[f("nodeMask",U32,0),f("pBlobWithRootSignature",P(&q(U8,L::Field(2))),8).r(R::Blob(B::RootSignature)),f("blobLengthInBytes",U64,16),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppvRootSignature",P(&o(O(102))),32).out().iid(3).c(103),],Hresult,40,EL),
m("CreateConstantBufferView",32,17,&[f("pDesc",P(&o(S(33))),0).opt(),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Void,16,EN),
m("CreateShaderResourceView",32,18,&[f("pResource",O(99),0).opt(),f("pDesc",P(&o(S(298))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("CreateUnorderedAccessView",32,19,&[f("pResource",O(99),0).opt(),f("pCounterResource",O(99),8).opt(),f("pDesc",P(&o(S(350))),16).opt(),f("DestDescriptor",U64,24).r(R::CpuDescriptor),],Void,32,EN),
m("CreateRenderTargetView",32,20,&[f("pResource",O(99),0).opt(),f("pDesc",P(&o(S(258))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("CreateDepthStencilView",32,21,&[f("pResource",O(99),0).opt(),f("pDesc",P(&o(S(41))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("CreateSampler",32,22,&[f("pDesc",P(&o(S(281))),0),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Void,16,EN),
m("CopyDescriptors",32,23,&[f("NumDestDescriptorRanges",U32,0),f("pDestDescriptorRangeStarts",P(&q(U64,L::Field(0))),8).r(R::CpuDescriptor),f("pDestDescriptorRangeSizes",P(&q(U32,L::Field(0))),16).opt(),f("NumSrcDescriptorRanges",U32,24),f("pSrcDescriptorRangeStarts",P(&q(U64,L::Field(3))),32).r(R::CpuDescriptor),f("pSrcDescriptorRangeSizes",P(&q(U32,L::Field(3))),40).opt(),f("DescriptorHeapsType",E(33),48),],Void,56,EN),
m("CopyDescriptorsSimple",32,24,&[f("NumDescriptors",U32,0),f("DestDescriptorRangeStart",U64,8).r(R::CpuDescriptor),f("SrcDescriptorRangeStart",U64,16).r(R::CpuDescriptor),f("DescriptorHeapsType",E(33),24),],Void,32,EN),
m("GetResourceAllocationInfo",32,25,&[f("result",P(&o(S(262))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(266),L::Field(2))),16),],Word,24,EL).rs(),
m("GetCustomHeapProperties",32,26,&[f("result",P(&o(S(182))),0).out(),f("nodeMask",U32,8),f("heapType",E(60),12),],Word,16,EL).rs(),
m("CreateCommittedResource",32,27,&[f("pHeapProperties",P(&o(S(182))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(266))),16),f("InitialResourceState",E(118),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("riidResource",P(&o(Guid)),40).r(R::Iid),f("ppvResource",P(&o(O(99))),48).out().opt().iid(5).c(101),],Hresult,56,EL),
m("CreateHeap",32,28,&[f("pDesc",P(&o(S(181))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(79))),16).out().opt().iid(1).c(80),],Hresult,24,EL),
m("CreatePlacedResource",32,29,&[f("pHeap",O(79),0),f("HeapOffset",U64,8).r(R::Size),f("pDesc",P(&o(S(266))),16),f("InitialState",E(118),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("riid",P(&o(Guid)),40).r(R::Iid),f("ppvResource",P(&o(O(99))),48).out().opt().iid(5).c(101),],Hresult,56,EL),
m("CreateReservedResource",32,30,&[f("pDesc",P(&o(S(266))),0),f("InitialState",E(118),8),f("pOptimizedClearValue",P(&o(S(18))),16).opt(),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppvResource",P(&o(O(99))),32).out().opt().iid(3).c(101),],Hresult,40,EL),
m("CreateSharedHandle",32,31,&[f("pObject",O(48),0),f("pAttributes",P(&o(S(541))),8).opt(),f("Access",U32,16),f("Name",P(&t(U16)),24).opt().r(R::Text),f("pHandle",P(&o(Word)),32).out().r(R::SharedHandle),],Hresult,40,EL),
m("OpenSharedHandle",32,32,&[f("NTHandle",Word,0).r(R::SharedHandle),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvObj",P(&o(O(0))),16).out().opt().iid(1),],Hresult,24,EL),
m("OpenSharedHandleByName",32,33,&[f("Name",P(&t(U16)),0).r(R::Text),f("Access",U32,8),f("pNTHandle",P(&o(Word)),16).out().r(R::SharedHandle),],Hresult,24,EL),
m("MakeResident",32,34,&[f("NumObjects",U32,0),f("ppObjects",P(&q(O(89),L::Field(0))),8),],Hresult,16,EL),
m("Evict",32,35,&[f("NumObjects",U32,0),f("ppObjects",P(&q(O(89),L::Field(0))),8),],Hresult,16,EL),
m("CreateFence",32,36,&[f("InitialValue",U64,0),f("Flags",E(51),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppFence",P(&o(O(63))),24).out().iid(2).c(64),],Hresult,32,EL),
m("GetDeviceRemovedReason",32,37,&[],Hresult,0,EL),
m("GetCopyableFootprints",32,38,&[f("pResourceDesc",P(&o(S(266))),0),f("FirstSubresource",U32,8),f("NumSubresources",U32,12),f("BaseOffset",U64,16),f("pLayouts",P(&q(S(214),L::Field(2))),24).out().opt(),f("pNumRows",P(&q(U32,L::Field(2))),32).out().opt(),f("pRowSizeInBytes",P(&q(U64,L::Field(2))),40).out().opt().r(R::Size),f("pTotalBytes",P(&o(U64)),48).out().opt().r(R::Size),],Void,56,EL),
m("CreateQueryHeap",32,39,&[f("pDesc",P(&o(S(222))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(98))),16).out().opt().iid(1).c(98),],Hresult,24,EL),
m("SetStablePowerState",32,40,&[f("Enable",Bool,0),],Hresult,8,EL),
m("CreateCommandSignature",32,41,&[f("pDesc",P(&o(S(21))),0),f("pRootSignature",O(102),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvCommandSignature",P(&o(O(7))),24).out().opt().iid(2).c(7),],Hresult,32,EL),
m("GetResourceTiling",32,42,&[f("pTiledResource",O(99),0),f("pNumTilesForEntireResource",P(&o(U32)),8).out().opt(),f("pPackedMipDesc",P(&o(S(211))),16).out().opt(),f("pStandardTileShapeForNonPackedMips",P(&o(S(349))),24).out().opt(),f("pNumSubresourceTilings",P(&o(U32)),32).io().opt(),f("FirstSubresourceTilingToGet",U32,40),f("pSubresourceTilingsForNonPackedMips",P(&q(S(314),L::Through(4))),48).out(),],Void,56,EL),
m("GetAdapterLuid",32,43,&[f("result",P(&o(S(538))),0).out(),],Word,8,EL).rs(),
// ID3D12Device1
m("CreatePipelineLibrary",33,44,&[f("pLibraryBlob",P(&q(U8,L::Field(1))),0).r(R::Blob(B::CachedPipeline)),f("BlobLength",U64,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineLibrary",P(&o(O(91))),24).out().iid(2).c(92),],Hresult,32,EL),
m("SetEventOnMultipleFenceCompletion",33,45,&[f("ppFences",P(&q(O(63),L::Field(2))),0),f("pFenceValues",P(&q(U64,L::Field(2))),8),f("NumFences",U32,16),f("Flags",E(78),20),f("hEvent",Word,24).r(R::Event),],Hresult,32,EL),
m("SetResidencyPriority",33,46,&[f("NumObjects",U32,0),f("ppObjects",P(&q(O(89),L::Field(0))),8),f("pPriorities",P(&q(E(110),L::Field(0))),16),],Hresult,24,EL),
// ID3D12Device2
m("CreatePipelineState",34,47,&[f("pDesc",P(&o(S(213))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppPipelineState",P(&o(O(93))),16).out().iid(1).c(94),],Hresult,24,EL),
// ID3D12Device3
m("OpenExistingHeapFromAddress",35,48,&[f("pAddress",Word,0).r(R::CpuAddress),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(79))),16).out().iid(1).c(80),],Hresult,24,EL),
m("OpenExistingHeapFromFileMapping",35,49,&[f("hFileMapping",Word,0).r(R::SharedHandle),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(79))),16).out().iid(1).c(80),],Hresult,24,EL),
m("EnqueueMakeResident",35,50,&[f("Flags",E(109),0),f("NumObjects",U32,4),f("ppObjects",P(&q(O(89),L::Field(1))),8),f("pFenceToSignal",O(63),16),f("FenceValueToSignal",U64,24),],Hresult,32,EL),
// ID3D12Device4
m("CreateCommandList1",36,51,&[f("nodeMask",U32,0),f("type",E(15),4),f("flags",E(13),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppCommandList",P(&o(O(4))),24).out().iid(3).c(4),],Hresult,32,EL),
m("CreateProtectedResourceSession",36,52,&[f("pDesc",P(&o(S(216))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppSession",P(&o(O(95))),16).out().iid(1).c(96),],Hresult,24,EL),
m("CreateCommittedResource1",36,53,&[f("pHeapProperties",P(&o(S(182))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(266))),16),f("InitialResourceState",E(118),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("pProtectedSession",O(95),40).opt(),f("riidResource",P(&o(Guid)),48).r(R::Iid),f("ppvResource",P(&o(O(99))),56).out().opt().iid(6).c(101),],Hresult,64,EL),
m("CreateHeap1",36,54,&[f("pDesc",P(&o(S(181))),0),f("pProtectedSession",O(95),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvHeap",P(&o(O(79))),24).out().opt().iid(2).c(80),],Hresult,32,EL),
m("CreateReservedResource1",36,55,&[f("pDesc",P(&o(S(266))),0),f("InitialState",E(118),8),f("pOptimizedClearValue",P(&o(S(18))),16).opt(),f("pProtectedSession",O(95),24).opt(),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppvResource",P(&o(O(99))),40).out().opt().iid(4).c(101),],Hresult,48,EL),
m("GetResourceAllocationInfo1",36,56,&[f("result",P(&o(S(262))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(266),L::Field(2))),16),f("pResourceAllocationInfo1",P(&q(S(263),L::Field(2))),24).out().opt(),],Word,32,EL).rs(),
// ID3D12Device5
m("CreateLifetimeTracker",37,57,&[f("pOwner",O(84),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvTracker",P(&o(O(85))),16).out().iid(1).c(85),],Hresult,24,EL),
m("RemoveDevice",37,58,&[],Void,0,EN),
m("EnumerateMetaCommands",37,59,&[f("pNumMetaCommands",P(&o(U32)),0).io(),f("pDescs",P(&q(S(200),L::Through(0))),8).out().opt(),],Hresult,16,EL),
m("EnumerateMetaCommandParameters",37,60,&[f("CommandId",P(&o(Guid)),0),f("Stage",E(76),8),f("pTotalStructureSizeInBytes",P(&o(U32)),16).out().opt(),f("pParameterCount",P(&o(U32)),24).io(),f("pParameterDescs",P(&q(S(201),L::Through(3))),32).out().opt(),],Hresult,40,EL),
m("CreateMetaCommand",37,61,&[f("CommandId",P(&o(Guid)),0),f("NodeMask",U32,8),f("pCreationParametersData",P(&q(U8,L::Bytes(3))),16).opt(),f("CreationParametersDataSizeInBytes",U64,24),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppMetaCommand",P(&o(O(87))),40).out().iid(4).c(87),],Hresult,48,EL),
m("CreateStateObject",37,62,&[f("pDesc",P(&o(S(304))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppStateObject",P(&o(O(114))),16).out().iid(1).c(114),],Hresult,24,EL),
m("GetRaytracingAccelerationStructurePrebuildInfo",37,63,&[f("pDesc",P(&o(S(16))),0),f("pInfo",P(&o(S(233))),8).out(),],Void,16,EL),
m("CheckDriverMatchingIdentifier",37,64,&[f("SerializedDataType",E(126),0),f("pIdentifierToCheck",P(&o(S(284))),8),],E(43),16,EL),
// ID3D12Device6
m("SetBackgroundProcessingMode",38,65,&[f("Mode",E(2),0),f("MeasurementsAction",E(68),4),f("hEventToSignalUponCompletion",Word,8).r(R::Event),f("pbFurtherMeasurementsDesired",P(&o(Bool)),16).out().opt(),],Hresult,24,EL),
// ID3D12Device7
m("AddToStateObject",39,66,&[f("pAddition",P(&o(S(304))),0),f("pStateObjectToGrowFrom",O(114),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppNewStateObject",P(&o(O(114))),24).out().iid(2).c(114),],Hresult,32,EL),
m("CreateProtectedResourceSession1",39,67,&[f("pDesc",P(&o(S(217))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppSession",P(&o(O(95))),16).out().iid(1).c(96),],Hresult,24,EL),
// ID3D12Device8
m("GetResourceAllocationInfo2",40,68,&[f("result",P(&o(S(262))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(267),L::Field(2))),16),f("pResourceAllocationInfo1",P(&q(S(263),L::Field(2))),24).out().opt(),],Word,32,EL).rs(),
m("CreateCommittedResource2",40,69,&[f("pHeapProperties",P(&o(S(182))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(267))),16),f("InitialResourceState",E(118),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("pProtectedSession",O(95),40).opt(),f("riidResource",P(&o(Guid)),48).r(R::Iid),f("ppvResource",P(&o(O(99))),56).out().opt().iid(6).c(101),],Hresult,64,EL),
m("CreatePlacedResource1",40,70,&[f("pHeap",O(79),0),f("HeapOffset",U64,8).r(R::Size),f("pDesc",P(&o(S(267))),16),f("InitialState",E(118),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("riid",P(&o(Guid)),40).r(R::Iid),f("ppvResource",P(&o(O(99))),48).out().opt().iid(5).c(101),],Hresult,56,EL),
m("CreateSamplerFeedbackUnorderedAccessView",40,71,&[f("pTargetedResource",O(99),0).opt(),f("pFeedbackResource",O(99),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("GetCopyableFootprints1",40,72,&[f("pResourceDesc",P(&o(S(267))),0),f("FirstSubresource",U32,8),f("NumSubresources",U32,12),f("BaseOffset",U64,16),f("pLayouts",P(&q(S(214),L::Field(2))),24).out().opt(),f("pNumRows",P(&q(U32,L::Field(2))),32).out().opt(),f("pRowSizeInBytes",P(&q(U64,L::Field(2))),40).out().opt().r(R::Size),f("pTotalBytes",P(&o(U64)),48).out().opt().r(R::Size),],Void,56,EL),
// ID3D12Device9
m("CreateShaderCacheSession",41,73,&[f("pDesc",P(&o(S(294))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvSession",P(&o(O(108))),16).out().opt().iid(1).c(108),],Hresult,24,EL),
m("ShaderCacheControl",41,74,&[f("Kinds",E(131),0),f("Control",E(129),4),],Hresult,8,EL),
m("CreateCommandQueue1",41,75,&[f("pDesc",P(&o(S(20))),0),f("CreatorID",P(&o(Guid)),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppCommandQueue",P(&o(O(5))),24).out().iid(2).c(6),],Hresult,32,EL),
// ID3D12Device10
m("CreateCommittedResource3",42,76,&[f("pHeapProperties",P(&o(S(182))),0),f("HeapFlags",E(58),8),f("pDesc",P(&o(S(267))),16),f("InitialLayout",E(4),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("pProtectedSession",O(95),40).opt(),f("NumCastableFormats",U32,48),f("pCastableFormats",P(&q(E(281),L::Field(6))),56).opt(),f("riidResource",P(&o(Guid)),64).r(R::Iid),f("ppvResource",P(&o(O(99))),72).out().opt().iid(8).c(101),],Hresult,80,EL),
m("CreatePlacedResource2",42,77,&[f("pHeap",O(79),0),f("HeapOffset",U64,8).r(R::Size),f("pDesc",P(&o(S(267))),16),f("InitialLayout",E(4),24),f("pOptimizedClearValue",P(&o(S(18))),32).opt(),f("NumCastableFormats",U32,40),f("pCastableFormats",P(&q(E(281),L::Field(5))),48).opt(),f("riid",P(&o(Guid)),56).r(R::Iid),f("ppvResource",P(&o(O(99))),64).out().opt().iid(7).c(101),],Hresult,72,EL),
m("CreateReservedResource2",42,78,&[f("pDesc",P(&o(S(266))),0),f("InitialLayout",E(4),8),f("pOptimizedClearValue",P(&o(S(18))),16).opt(),f("pProtectedSession",O(95),24).opt(),f("NumCastableFormats",U32,32),f("pCastableFormats",P(&q(E(281),L::Field(4))),40).opt(),f("riid",P(&o(Guid)),48).r(R::Iid),f("ppvResource",P(&o(O(99))),56).out().opt().iid(6).c(101),],Hresult,64,EL),
// ID3D12Device11
m("CreateSampler2",43,79,&[f("pDesc",P(&o(S(282))),0),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Void,16,EN),
// ID3D12Device12
m("GetResourceAllocationInfo3",44,80,&[f("result",P(&o(S(262))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(267),L::Field(2))),16),f("pNumCastableFormats",P(&q(U32,L::Field(2))),24),f("ppCastableFormats",P(&q(P(&u(E(281),X::CastableFormats)),L::Field(2))),32).opt(),f("pResourceAllocationInfo1",P(&q(S(263),L::Field(2))),40).out().opt(),],Word,48,EL).rs(),
// ID3D12Device13
m("OpenExistingHeapFromAddress1",45,81,&[f("pAddress",Word,0).r(R::CpuAddress),f("size",U64,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvHeap",P(&o(O(79))),24).out().iid(2).c(80),],Hresult,32,EL),
// ID3D12Device14
m("CreateRootSignatureFromSubobjectInLibrary",46,82,&[f("nodeMask",U32,0),f("pLibraryBlob",P(&q(U8,L::Field(2))),8).r(R::Blob(B::Shader)),f("blobLengthInBytes",U64,16),f("subobjectName",P(&t(U16)),24).opt().r(R::Text),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppvRootSignature",P(&o(O(102))),40).out().iid(4).c(103),],Hresult,48,EL),
// ID3D12Device15
m("RegisterTrimNotificationCallback",47,83,&[f("pData",P(&o(S(247))),0).io(),],Hresult,8,EL),
m("UnregisterTrimNotificationCallback",47,84,&[f("CallbackCookie",U32,0),],Hresult,8,EL),
m("TryCreateShaderResourceView",47,85,&[f("pResource",O(99),0).opt(),f("pDesc",P(&o(S(298))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Hresult,24,EL),
m("TryCreateUnorderedAccessView",47,86,&[f("pResource",O(99),0).opt(),f("pCounterResource",O(99),8).opt(),f("pDesc",P(&o(S(350))),16).opt(),f("DestDescriptor",U64,24).r(R::CpuDescriptor),],Hresult,32,EL),
m("TryCreateConstantBufferView",47,87,&[f("pDesc",P(&o(S(33))),0).opt(),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Hresult,16,EL),
m("TryCreateSampler2",47,88,&[f("pDesc",P(&o(S(282))),0),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Hresult,16,EL),
m("TryCreateRenderTargetView",47,89,&[f("pResource",O(99),0).opt(),f("pDesc",P(&o(S(258))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Hresult,24,EL),
m("TryCreateDepthStencilView",47,90,&[f("pResource",O(99),0).opt(),f("pDesc",P(&o(S(41))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Hresult,24,EL),
m("TryCreateSamplerFeedbackUnorderedAccessView",47,91,&[f("pTargetedResource",O(99),0).opt(),f("pFeedbackResource",O(99),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Hresult,24,EL),
m("CreateQueryHeap1",47,92,&[f("pDesc",P(&o(S(222))),0),f("Flags",E(91),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvHeap",P(&o(O(98))),24).out().iid(2).c(98),],Hresult,32,EL),
m("ResolveQueryData",47,93,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pResolvedQueryData",P(&u(U8,X::Named("QueryData"))),24).io(),],Hresult,32,EL),
// ID3D12DeviceChild
m("GetDevice",48,7,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvDevice",P(&o(O(32))),8).out().opt().iid(0).c(47),],Hresult,16,EL),
// ID3D12DeviceConfiguration
m("GetDesc",49,3,&[f("result",P(&o(S(45))),0).out(),],Word,8,EL).rs(),
m("GetEnabledExperimentalFeatures",49,4,&[f("pGuids",P(&q(Guid,L::Field(1))),0).out(),f("NumGuids",U32,8),],Hresult,16,EL),
m("SerializeVersionedRootSignature",49,5,&[f("pDesc",P(&o(S(351))),0),f("ppResult",P(&o(O(1))),8).out().c(1),f("ppError",P(&o(O(1))),16).out().c(1),],Hresult,24,EL),
m("CreateVersionedRootSignatureDeserializer",49,6,&[f("pBlob",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("Size",U64,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvDeserializer",P(&o(O(124))),24).out().iid(2).c(124),],Hresult,32,EL),
// ID3D12DeviceConfiguration1
m("CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary",50,7,&[f("pLibraryBlob",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::Shader)),f("Size",U64,8),f("RootSignatureSubobjectName",P(&t(U16)),16).r(R::Text),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppvDeserializer",P(&o(O(124))),32).out().iid(3).c(124),],Hresult,40,EL),
// ID3D12DeviceExt
m("GetVulkanHandles",51,3,&[f("vk_instance",P(&o(U64)),0).out(),f("vk_physical_device",P(&o(U64)),8).out(),f("vk_device",P(&o(U64)),16).out(),],Hresult,24,EL),
m("GetExtensionSupport",51,4,&[f("extension",E(251),0),],Bool,8,EL),
m("CreateCubinComputeShaderWithName",51,5,&[f("cubin_data",P(&q(U8,L::Bytes(1))),0),f("cubin_size",U32,8),f("block_x",U32,12),f("block_y",U32,16),f("block_z",U32,20),f("shader_name",P(&t(U8)),24).r(R::Text),f("handle",P(&o(U64)),32).out(),],Hresult,40,EL),
m("DestroyCubinComputeShader",51,6,&[f("handle",Word,0).r(R::CpuAddress),],Hresult,8,EL),
m("GetCudaTextureObject",51,7,&[f("srv_handle",U64,0).r(R::CpuDescriptor),f("sampler_handle",U64,8).r(R::CpuDescriptor),f("cuda_texture_handle",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetCudaSurfaceObject",51,8,&[f("uav_handle",U64,0).r(R::CpuDescriptor),f("cuda_surface_handle",P(&o(U32)),8).out(),],Hresult,16,EL),
m("CaptureUAVInfo",51,9,&[f("uav_info",Word,0).r(R::CpuAddress),],Hresult,8,EL),
// ID3D12DeviceFactory
m("InitializeFromGlobalState",52,3,&[],Hresult,0,EL),
m("ApplyToGlobalState",52,4,&[],Hresult,0,EL),
m("SetFlags",52,5,&[f("flags",E(36),0),],Hresult,8,EL),
m("GetFlags",52,6,&[],E(36),0,EL),
m("GetConfigurationInterface",52,7,&[f("clsid",P(&o(Guid)),0),f("iid",P(&o(Guid)),8).r(R::Iid),f("ppv",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("EnableExperimentalFeatures",52,8,&[f("NumFeatures",U32,0),f("pIIDs",P(&q(Guid,L::Field(0))),8),f("pConfigurationStructs",P(&u(U8,X::Named("ExperimentalConfiguration"))),16).opt(),f("pConfigurationStructSizes",P(&q(U32,L::Field(0))),24).opt(),],Hresult,32,EL),
m("CreateDevice",52,9,&[f("adapter",O(0),0).opt(),f("FeatureLevel",E(257),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvDevice",P(&o(O(32))),24).out().opt().iid(2).c(47),],Hresult,32,EL),
// ID3D12DeviceRemovedExtendedData
m("GetAutoBreadcrumbsOutput",53,3,&[f("pOutput",P(&o(S(55))),0).out(),],Hresult,8,EL),
m("GetPageFaultAllocationOutput",53,4,&[f("pOutput",P(&o(S(58))),0).out(),],Hresult,8,EL),
// ID3D12DeviceRemovedExtendedData1
m("GetAutoBreadcrumbsOutput1",54,5,&[f("pOutput",P(&o(S(56))),0).out(),],Hresult,8,EL),
m("GetPageFaultAllocationOutput1",54,6,&[f("pOutput",P(&o(S(59))),0).out(),],Hresult,8,EL),
// ID3D12DeviceRemovedExtendedData2
m("GetPageFaultAllocationOutput2",55,7,&[f("pOutput",P(&o(S(60))),0).out(),],Hresult,8,EL),
m("GetDeviceState",55,8,&[],E(40),0,EL),
// ID3D12DeviceRemovedExtendedDataSettings
m("SetAutoBreadcrumbsEnablement",56,3,&[f("Enablement",E(41),0),],Void,8,EN),
m("SetPageFaultEnablement",56,4,&[f("Enablement",E(41),0),],Void,8,EN),
m("SetWatsonDumpEnablement",56,5,&[f("Enablement",E(41),0),],Void,8,EN),
// ID3D12DeviceRemovedExtendedDataSettings1
m("SetBreadcrumbContextEnablement",57,6,&[f("Enablement",E(41),0),],Void,8,EN),
// ID3D12DeviceRemovedExtendedDataSettings2
m("UseMarkersOnlyAutoBreadcrumbs",58,7,&[f("MarkersOnly",Bool,0),],Void,8,EN),
// ID3D12DeviceStatistics
m("GetStateObjectStatistics",59,3,&[f("pStatistics",P(&o(S(305))),0).out(),],Hresult,8,EL),
// ID3D12DeviceTools
m("SetNextAllocationAddress",60,3,&[f("nextAllocationVirtualAddress",U64,0).r(R::GpuAddress),],Void,8,EN),
// ID3D12DeviceTools1
m("GetApplicationSpecificDriverState",61,4,&[f("ppBlob",P(&o(O(1))),0).out().c(1),],Hresult,8,EL),
m("GetApplicationSpecificDriverBlobStatus",61,5,&[],E(0),0,EL),
// ID3D12ExtDummyInterface
// ID3D12Fence
m("GetCompletedValue",63,8,&[],U64,0,EL),
m("SetEventOnCompletion",63,9,&[f("Value",U64,0),f("hEvent",Word,8).r(R::Event),],Hresult,16,EL),
m("Signal",63,10,&[f("Value",U64,0),],Hresult,8,EL),
// ID3D12Fence1
m("GetCreationFlags",64,11,&[],E(51),0,EL),
// ID3D12FunctionParameterReflection
m("GetDesc",65,0,&[f("pDesc",P(&o(S(212))),0).out(),],Hresult,8,EL),
// ID3D12FunctionReflection
m("GetDesc",66,0,&[f("pDesc",P(&o(S(172))),0).out(),],Hresult,8,EL),
m("GetConstantBufferByIndex",66,1,&[f("BufferIndex",U32,0),],O(110),8,EL),
m("GetConstantBufferByName",66,2,&[f("Name",P(&t(U8)),0).r(R::Text),],O(110),8,EL),
m("GetResourceBindingDesc",66,3,&[f("ResourceIndex",U32,0),f("pDesc",P(&o(S(296))),8).out(),],Hresult,16,EL),
m("GetVariableByName",66,4,&[f("Name",P(&t(U8)),0).r(R::Text),],O(112),8,EL),
m("GetResourceBindingDescByName",66,5,&[f("Name",P(&t(U8)),0).r(R::Text),f("pDesc",P(&o(S(296))),8).out(),],Hresult,16,EL),
m("GetFunctionParameter",66,6,&[f("ParameterIndex",I32,0),],O(65),8,EL),
// ID3D12GBVDiagnostics
m("GetGBVEntireSubresourceStatesData",67,3,&[f("pResource",O(99),0),f("pData",P(&q(I32,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
m("GetGBVSubresourceState",67,4,&[f("pResource",O(99),0),f("Subresource",U32,8),f("pData",P(&o(I32)),16).out(),],Hresult,24,EL),
m("GetGBVResourceUniformState",67,5,&[f("pResource",O(99),0),f("pData",P(&o(I32)),8).out(),],Hresult,16,EL),
m("GetGBVResourceInfo",67,6,&[f("pResource",O(99),0),f("pResourceDesc",P(&o(S(266))),8).out().opt(),f("pResourceHash",P(&o(U32)),16).out().opt(),f("pSubresourceStatesByteOffset",P(&o(U32)),24).out().opt(),],Hresult,32,EL),
m("GBVReserved0",67,7,&[],Void,0,EN),
m("GBVReserved1",67,8,&[],Void,0,EN),
// ID3D12GraphicsCommandList
m("Close",68,9,&[],Hresult,0,EL),
m("Reset",68,10,&[f("pAllocator",O(3),0),f("pInitialState",O(93),8).opt(),],Hresult,16,EL),
m("ClearState",68,11,&[f("pPipelineState",O(93),0).opt(),],Void,8,OB),
m("DrawInstanced",68,12,&[f("VertexCountPerInstance",U32,0),f("InstanceCount",U32,4),f("StartVertexLocation",U32,8),f("StartInstanceLocation",U32,12),],Void,16,OB),
m("DrawIndexedInstanced",68,13,&[f("IndexCountPerInstance",U32,0),f("InstanceCount",U32,4),f("StartIndexLocation",U32,8),f("BaseVertexLocation",I32,12),f("StartInstanceLocation",U32,16),],Void,24,OB),
m("Dispatch",68,14,&[f("ThreadGroupCountX",U32,0),f("ThreadGroupCountY",U32,4),f("ThreadGroupCountZ",U32,8),],Void,16,OB),
m("CopyBufferRegion",68,15,&[f("pDstBuffer",O(99),0),f("DstOffset",U64,8).r(R::Size),f("pSrcBuffer",O(99),16),f("SrcOffset",U64,24).r(R::Size),f("NumBytes",U64,32).r(R::Size),],Void,40,OB),
m("CopyTextureRegion",68,16,&[f("pDst",P(&o(S(345))),0),f("DstX",U32,8),f("DstY",U32,12),f("DstZ",U32,16),f("pSrc",P(&o(S(345))),24),f("pSrcBox",P(&o(S(8))),32).opt(),],Void,40,OB),
m("CopyResource",68,17,&[f("pDstResource",O(99),0),f("pSrcResource",O(99),8),],Void,16,OB),
m("CopyTiles",68,18,&[f("pTiledResource",O(99),0),f("pTileRegionStartCoordinate",P(&o(S(347))),8),f("pTileRegionSize",P(&o(S(348))),16),f("pBuffer",O(99),24),f("BufferStartOffsetInBytes",U64,32).r(R::Size),f("Flags",E(152),40),],Void,48,OB),
m("ResolveSubresource",68,19,&[f("pDstResource",O(99),0),f("DstSubresource",U32,8),f("pSrcResource",O(99),16),f("SrcSubresource",U32,24),f("Format",E(281),28),],Void,32,OB),
m("IASetPrimitiveTopology",68,20,&[f("PrimitiveTopology",E(263),0),],Void,8,OB),
m("RSSetViewports",68,21,&[f("NumViewports",U32,0),f("pViewports",P(&q(S(495),L::Field(0))),8),],Void,16,OB),
m("RSSetScissorRects",68,22,&[f("NumRects",U32,0),f("pRects",P(&q(S(540),L::Field(0))),8),],Void,16,OB),
m("OMSetBlendFactor",68,23,&[f("BlendFactor",P(&q(F32,L::Const(4))),0).opt().r(R::Color),],Void,8,OB),
m("OMSetStencilRef",68,24,&[f("StencilRef",U32,0),],Void,8,OB),
m("SetPipelineState",68,25,&[f("pPipelineState",O(93),0),],Void,8,OB),
m("ResourceBarrier",68,26,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(264),L::Field(0))),8),],Void,16,OB),
m("ExecuteBundle",68,27,&[f("pCommandList",O(68),0),],Void,8,OB),
m("SetDescriptorHeaps",68,28,&[f("NumDescriptorHeaps",U32,0),f("ppDescriptorHeaps",P(&q(O(31),L::Field(0))),8),],Void,16,OB),
m("SetComputeRootSignature",68,29,&[f("pRootSignature",O(102),0).opt(),],Void,8,OB),
m("SetGraphicsRootSignature",68,30,&[f("pRootSignature",O(102),0).opt(),],Void,8,OB),
m("SetComputeRootDescriptorTable",68,31,&[f("RootParameterIndex",U32,0),f("BaseDescriptor",U64,8).r(R::GpuDescriptor),],Void,16,OB),
m("SetGraphicsRootDescriptorTable",68,32,&[f("RootParameterIndex",U32,0),f("BaseDescriptor",U64,8).r(R::GpuDescriptor),],Void,16,OB),
m("SetComputeRoot32BitConstant",68,33,&[f("RootParameterIndex",U32,0),f("SrcData",U32,4),f("DestOffsetIn32BitValues",U32,8),],Void,16,OB),
m("SetGraphicsRoot32BitConstant",68,34,&[f("RootParameterIndex",U32,0),f("SrcData",U32,4),f("DestOffsetIn32BitValues",U32,8),],Void,16,OB),
m("SetComputeRoot32BitConstants",68,35,&[f("RootParameterIndex",U32,0),f("Num32BitValuesToSet",U32,4),f("pSrcData",P(&q(U32,L::Field(1))),8),f("DestOffsetIn32BitValues",U32,16),],Void,24,OB),
m("SetGraphicsRoot32BitConstants",68,36,&[f("RootParameterIndex",U32,0),f("Num32BitValuesToSet",U32,4),f("pSrcData",P(&q(U32,L::Field(1))),8),f("DestOffsetIn32BitValues",U32,16),],Void,24,OB),
m("SetComputeRootConstantBufferView",68,37,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetGraphicsRootConstantBufferView",68,38,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetComputeRootShaderResourceView",68,39,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetGraphicsRootShaderResourceView",68,40,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetComputeRootUnorderedAccessView",68,41,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetGraphicsRootUnorderedAccessView",68,42,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("IASetIndexBuffer",68,43,&[f("pView",P(&o(S(184))),0).opt(),],Void,8,OB),
m("IASetVertexBuffers",68,44,&[f("StartSlot",U32,0),f("NumViews",U32,4),f("pViews",P(&q(S(353),L::Field(1))),8).opt(),],Void,16,OB),
m("SOSetTargets",68,45,&[f("StartSlot",U32,0),f("NumViews",U32,4),f("pViews",P(&q(S(309),L::Field(1))),8).opt(),],Void,16,OB),
m("OMSetRenderTargets",68,46,&[f("NumRenderTargetDescriptors",U32,0),f("pRenderTargetDescriptors",P(&u(U64,X::RenderTargets)),8).opt().r(R::CpuDescriptor),f("RTsSingleHandleToDescriptorRange",Bool,16),f("pDepthStencilDescriptor",P(&o(U64)),24).opt().r(R::CpuDescriptor),],Void,32,OB),
m("ClearDepthStencilView",68,47,&[f("DepthStencilView",U64,0).r(R::CpuDescriptor),f("ClearFlags",E(12),8),f("Depth",F32,12),f("Stencil",U8,16),f("NumRects",U32,20),f("pRects",P(&q(S(540),L::Field(4))),24),],Void,32,OB),
m("ClearRenderTargetView",68,48,&[f("RenderTargetView",U64,0).r(R::CpuDescriptor),f("ColorRGBA",P(&q(F32,L::Const(4))),8).r(R::Color),f("NumRects",U32,16),f("pRects",P(&q(S(540),L::Field(2))),24),],Void,32,OB),
m("ClearUnorderedAccessViewUint",68,49,&[f("ViewGPUHandleInCurrentHeap",U64,0).r(R::GpuDescriptor),f("ViewCPUHandle",U64,8).r(R::CpuDescriptor),f("pResource",O(99),16),f("Values",P(&q(U32,L::Const(4))),24),f("NumRects",U32,32),f("pRects",P(&q(S(540),L::Field(4))),40),],Void,48,OB),
m("ClearUnorderedAccessViewFloat",68,50,&[f("ViewGPUHandleInCurrentHeap",U64,0).r(R::GpuDescriptor),f("ViewCPUHandle",U64,8).r(R::CpuDescriptor),f("pResource",O(99),16),f("Values",P(&q(F32,L::Const(4))),24),f("NumRects",U32,32),f("pRects",P(&q(S(540),L::Field(4))),40),],Void,48,OB),
m("DiscardResource",68,51,&[f("pResource",O(99),0),f("pRegion",P(&o(S(46))),8).opt(),],Void,16,OB),
m("BeginQuery",68,52,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",68,53,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",68,54,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(99),24),f("AlignedDestinationBufferOffset",U64,32).r(R::Size),],Void,40,OB),
m("SetPredication",68,55,&[f("pBuffer",O(99),0).opt(),f("AlignedBufferOffset",U64,8).r(R::Size),f("Operation",E(84),16),],Void,24,OB),
m("SetMarker",68,56,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",68,57,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("EndEvent",68,58,&[],Void,0,OB),
m("ExecuteIndirect",68,59,&[f("pCommandSignature",O(7),0),f("MaxCommandCount",U32,8),f("pArgumentBuffer",O(99),16),f("ArgumentBufferOffset",U64,24).r(R::Size),f("pCountBuffer",O(99),32).opt(),f("CountBufferOffset",U64,40).r(R::Size),],Void,48,OB),
// ID3D12GraphicsCommandList1
m("AtomicCopyBufferUINT",69,60,&[f("pDstBuffer",O(99),0),f("DstOffset",U64,8).r(R::Size),f("pSrcBuffer",O(99),16),f("SrcOffset",U64,24).r(R::Size),f("Dependencies",U32,32),f("ppDependentResources",P(&q(O(99),L::Field(4))),40),f("pDependentSubresourceRanges",P(&q(S(313),L::Field(4))),48),],Void,56,OB),
m("AtomicCopyBufferUINT64",69,61,&[f("pDstBuffer",O(99),0),f("DstOffset",U64,8).r(R::Size),f("pSrcBuffer",O(99),16),f("SrcOffset",U64,24).r(R::Size),f("Dependencies",U32,32),f("ppDependentResources",P(&q(O(99),L::Field(4))),40),f("pDependentSubresourceRanges",P(&q(S(313),L::Field(4))),48),],Void,56,OB),
m("OMSetDepthBounds",69,62,&[f("Min",F32,0),f("Max",F32,4),],Void,8,OB),
m("SetSamplePositions",69,63,&[f("NumSamplesPerPixel",U32,0),f("NumPixels",U32,4),f("pSamplePositions",P(&u(S(283),X::Named("SamplePositions"))),8),],Void,16,OB),
m("ResolveSubresourceRegion",69,64,&[f("pDstResource",O(99),0),f("DstSubresource",U32,8),f("DstX",U32,12),f("DstY",U32,16),f("pSrcResource",O(99),24),f("SrcSubresource",U32,32),f("pSrcRect",P(&o(S(540))),40).opt(),f("Format",E(281),48),f("ResolveMode",E(111),52),],Void,56,OB),
m("SetViewInstanceMask",69,65,&[f("Mask",U32,0),],Void,8,OB),
// ID3D12GraphicsCommandList2
m("WriteBufferImmediate",70,66,&[f("Count",U32,0),f("pParams",P(&q(S(500),L::Field(0))),8),f("pModes",P(&q(E(255),L::Field(0))),16).opt(),],Void,24,OB),
// ID3D12GraphicsCommandList3
m("SetProtectedResourceSession",71,67,&[f("pProtectedResourceSession",O(95),0).opt(),],Void,8,OB),
// ID3D12GraphicsCommandList4
m("BeginRenderPass",72,68,&[f("NumRenderTargets",U32,0),f("pRenderTargets",P(&q(S(256),L::Field(0))),8).opt(),f("pDepthStencil",P(&o(S(251))),16).opt(),f("Flags",E(107),24),],Void,32,OB),
m("EndRenderPass",72,69,&[],Void,0,OB),
m("InitializeMetaCommand",72,70,&[f("pMetaCommand",O(87),0),f("pInitializationParametersData",P(&q(U8,L::Bytes(2))),8).opt(),f("InitializationParametersDataSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteMetaCommand",72,71,&[f("pMetaCommand",O(87),0),f("pExecutionParametersData",P(&q(U8,L::Bytes(2))),8).opt(),f("ExecutionParametersDataSizeInBytes",U64,16),],Void,24,OB),
m("BuildRaytracingAccelerationStructure",72,72,&[f("pDesc",P(&o(S(15))),0),f("NumPostbuildInfoDescs",U32,8),f("pPostbuildInfoDescs",P(&q(S(231),L::Field(1))),16).opt(),],Void,24,OB),
m("EmitRaytracingAccelerationStructurePostbuildInfo",72,73,&[f("pDesc",P(&o(S(231))),0),f("NumSourceAccelerationStructures",U32,8),f("pSourceAccelerationStructureData",P(&q(U64,L::Field(1))),16).r(R::GpuAddress),],Void,24,OB),
m("CopyRaytracingAccelerationStructure",72,74,&[f("DestAccelerationStructureData",U64,0).r(R::GpuAddress),f("SourceAccelerationStructureData",U64,8).r(R::GpuAddress),f("Mode",E(95),16),],Void,24,OB),
m("SetPipelineState1",72,75,&[f("pStateObject",O(114),0),],Void,8,OB),
m("DispatchRays",72,76,&[f("pDesc",P(&o(S(50))),0),],Void,8,OB),
// ID3D12GraphicsCommandList5
m("RSSetShadingRate",73,77,&[f("baseShadingRate",E(136),0),f("combiners",P(&q(E(137),L::Const(2))),8).opt(),],Void,16,OB),
m("RSSetShadingRateImage",73,78,&[f("shadingRateImage",O(99),0).opt(),],Void,8,OB),
// ID3D12GraphicsCommandList6
m("DispatchMesh",74,79,&[f("ThreadGroupCountX",U32,0),f("ThreadGroupCountY",U32,4),f("ThreadGroupCountZ",U32,8),],Void,16,OB),
// ID3D12GraphicsCommandList7
m("Barrier",75,80,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(5),L::Field(0))),8),],Void,16,OB),
// ID3D12GraphicsCommandList8
m("OMSetFrontAndBackStencilRef",76,81,&[f("FrontStencilRef",U32,0),f("BackStencilRef",U32,4),],Void,8,OB),
// ID3D12GraphicsCommandList9
m("RSSetDepthBias",77,82,&[f("DepthBias",F32,0),f("DepthBiasClamp",F32,4),f("SlopeScaledDepthBias",F32,8),],Void,16,OB),
m("IASetIndexBufferStripCutValue",77,83,&[f("IBStripCutValue",E(62),0),],Void,8,OB),
// ID3D12GraphicsCommandList10
m("SetProgram",78,84,&[f("pDesc",P(&o(S(289))),0),],Void,8,OB),
m("DispatchGraph",78,85,&[f("pDesc",P(&o(S(48))),0),],Void,8,OB),
// ID3D12Heap
m("GetDesc",79,8,&[f("result",P(&o(S(181))),0).out(),],Word,8,EL).rs(),
// ID3D12Heap1
m("GetProtectedResourceSession",80,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(95))),8).out().opt().iid(0).c(96),],Hresult,16,EL),
// ID3D12InfoQueue
m("SetMessageCountLimit",81,3,&[f("MessageCountLimit",U64,0),],Hresult,8,EL),
m("ClearStoredMessages",81,4,&[],Void,0,EN),
m("GetMessage",81,5,&[f("MessageIndex",U64,0),f("pMessage",P(&u(S(199),X::Named("OneInBuffer"))),8).out().opt(),f("pMessageByteLength",P(&o(U64)),16).io(),],Hresult,24,EL),
m("GetNumMessagesAllowedByStorageFilter",81,6,&[],U64,0,EL),
m("GetNumMessagesDeniedByStorageFilter",81,7,&[],U64,0,EL),
m("GetNumStoredMessages",81,8,&[],U64,0,EL),
m("GetNumStoredMessagesAllowedByRetrievalFilter",81,9,&[],U64,0,EL),
m("GetNumMessagesDiscardedByMessageCountLimit",81,10,&[],U64,0,EL),
m("GetMessageCountLimit",81,11,&[],U64,0,EL),
m("AddStorageFilterEntries",81,12,&[f("pFilter",P(&o(S(192))),0),],Hresult,8,EL),
m("GetStorageFilter",81,13,&[f("pFilter",P(&u(S(192),X::Named("OneInBuffer"))),0).out().opt(),f("pFilterByteLength",P(&o(U64)),8).io(),],Hresult,16,EL),
m("ClearStorageFilter",81,14,&[],Void,0,EN),
m("PushEmptyStorageFilter",81,15,&[],Hresult,0,EL),
m("PushCopyOfStorageFilter",81,16,&[],Hresult,0,EL),
m("PushStorageFilter",81,17,&[f("pFilter",P(&o(S(192))),0),],Hresult,8,EL),
m("PopStorageFilter",81,18,&[],Void,0,EN),
m("GetStorageFilterStackSize",81,19,&[],U32,0,EL),
m("AddRetrievalFilterEntries",81,20,&[f("pFilter",P(&o(S(192))),0),],Hresult,8,EL),
m("GetRetrievalFilter",81,21,&[f("pFilter",P(&u(S(192),X::Named("OneInBuffer"))),0).out().opt(),f("pFilterByteLength",P(&o(U64)),8).io(),],Hresult,16,EL),
m("ClearRetrievalFilter",81,22,&[],Void,0,EN),
m("PushEmptyRetrievalFilter",81,23,&[],Hresult,0,EL),
m("PushCopyOfRetrievalFilter",81,24,&[],Hresult,0,EL),
m("PushRetrievalFilter",81,25,&[f("pFilter",P(&o(S(192))),0),],Hresult,8,EL),
m("PopRetrievalFilter",81,26,&[],Void,0,EN),
m("GetRetrievalFilterStackSize",81,27,&[],U32,0,EL),
m("AddMessage",81,28,&[f("Category",E(72),0),f("Severity",E(74),4),f("ID",E(73),8),f("pDescription",P(&t(U8)),16).r(R::Text),],Hresult,24,EL),
m("AddApplicationMessage",81,29,&[f("Severity",E(74),0),f("pDescription",P(&t(U8)),8).r(R::Text),],Hresult,16,EL),
m("SetBreakOnCategory",81,30,&[f("Category",E(72),0),f("bEnable",Bool,4),],Hresult,8,EL),
m("SetBreakOnSeverity",81,31,&[f("Severity",E(74),0),f("bEnable",Bool,4),],Hresult,8,EL),
m("SetBreakOnID",81,32,&[f("ID",E(73),0),f("bEnable",Bool,4),],Hresult,8,EL),
m("GetBreakOnCategory",81,33,&[f("Category",E(72),0),],Bool,8,EL),
m("GetBreakOnSeverity",81,34,&[f("Severity",E(74),0),],Bool,8,EL),
m("GetBreakOnID",81,35,&[f("ID",E(73),0),],Bool,8,EL),
m("SetMuteDebugOutput",81,36,&[f("bMute",Bool,0),],Void,8,EN),
m("GetMuteDebugOutput",81,37,&[],Bool,0,EL),
// ID3D12InfoQueue1
m("RegisterMessageCallback",82,38,&[f("CallbackFunc",Word,0).r(R::Callback),f("CallbackFilterFlags",E(71),8),f("pContext",Word,16).r(R::Context),f("pCallbackCookie",P(&o(U32)),24).io(),],Hresult,32,EL),
m("UnregisterMessageCallback",82,39,&[f("CallbackCookie",U32,0),],Hresult,8,EL),
// ID3D12LibraryReflection
m("GetDesc",83,3,&[f("pDesc",P(&o(S(196))),0).out(),],Hresult,8,EL),
m("GetFunctionByIndex",83,4,&[f("FunctionIndex",I32,0),],O(66),8,EL),
// ID3D12LifetimeOwner
m("LifetimeStateUpdated",84,3,&[f("NewState",E(65),0),],Void,8,EN),
// ID3D12LifetimeTracker
m("DestroyOwnedObject",85,8,&[f("pObject",O(48),0),],Hresult,8,EL),
// ID3D12ManualWriteTrackingResource
m("TrackWrite",86,3,&[f("Subresource",U32,0),f("pWrittenRange",P(&o(S(223))),8).opt(),],Void,16,EN),
// ID3D12MetaCommand
m("GetRequiredParameterResourceSize",87,8,&[f("Stage",E(76),0),f("ParameterIndex",U32,4),],U64,8,EL),
// ID3D12Object
m("GetPrivateData",88,3,&[f("guid",P(&o(Guid)),0),f("pDataSize",P(&o(U32)),8).io(),f("pData",P(&q(U8,L::BytesThrough(1))),16).out().opt().r(R::Blob(B::PrivateData)),],Hresult,24,EL),
m("SetPrivateData",88,4,&[f("guid",P(&o(Guid)),0),f("DataSize",U32,8),f("pData",P(&q(U8,L::Bytes(1))),16).opt().r(R::Blob(B::PrivateData)),],Hresult,24,EL),
m("SetPrivateDataInterface",88,5,&[f("guid",P(&o(Guid)),0),f("pData",O(0),8).opt(),],Hresult,16,EL),
m("SetName",88,6,&[f("Name",P(&t(U16)),0).r(R::Text),],Hresult,8,EL),
// ID3D12Pageable
// ID3D12PageableTools
m("GetAllocation",90,3,&[f("pAllocation",P(&o(S(178))),0).io(),],Hresult,8,EL),
// ID3D12PipelineLibrary
m("StorePipeline",91,8,&[f("pName",P(&t(U16)),0).opt().r(R::Text),f("pPipeline",O(93),8),],Hresult,16,EL),
m("LoadGraphicsPipeline",91,9,&[f("pName",P(&t(U16)),0).r(R::Text),f("pDesc",P(&o(S(180))),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineState",P(&o(O(93))),24).out().iid(2).c(94),],Hresult,32,EL),
m("LoadComputePipeline",91,10,&[f("pName",P(&t(U16)),0).r(R::Text),f("pDesc",P(&o(S(32))),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineState",P(&o(O(93))),24).out().iid(2).c(94),],Hresult,32,EL),
m("GetSerializedSize",91,11,&[],U64,0,EL),
m("Serialize",91,12,&[f("pData",P(&q(U8,L::Field(1))),0).out(),f("DataSizeInBytes",U64,8),],Hresult,16,EL),
// ID3D12PipelineLibrary1
m("LoadPipeline",92,13,&[f("pName",P(&t(U16)),0).r(R::Text),f("pDesc",P(&o(S(213))),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineState",P(&o(O(93))),24).out().iid(2).c(94),],Hresult,32,EL),
// ID3D12PipelineState
m("GetCachedBlob",93,8,&[f("ppBlob",P(&o(O(1))),0).out().c(1),],Hresult,8,EL),
// ID3D12PipelineState1
m("GetRootSignature",94,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvRootSignature",P(&o(O(102))),8).out().iid(0).c(103),],Hresult,16,EL),
// ID3D12ProtectedResourceSession
m("GetDesc",95,10,&[f("result",P(&o(S(216))),0).out(),],Word,8,EL).rs(),
// ID3D12ProtectedResourceSession1
m("GetDesc1",96,11,&[f("result",P(&o(S(217))),0).out(),],Word,8,EL).rs(),
// ID3D12ProtectedSession
m("GetStatusFence",97,8,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppFence",P(&o(O(63))),8).out().opt().iid(0).c(64),],Hresult,16,EL),
m("GetSessionStatus",97,9,&[],E(90),0,EL),
// ID3D12QueryHeap
// ID3D12Resource
m("Map",99,8,&[f("Subresource",U32,0),f("pReadRange",P(&o(S(223))),8).opt(),f("ppData",P(&u(Word,X::Mapping)),16).out().opt().r(R::CpuAddress),],Hresult,24,EL),
m("Unmap",99,9,&[f("Subresource",U32,0),f("pWrittenRange",P(&o(S(223))),8).opt(),],Void,16,EN),
m("GetDesc",99,10,&[f("result",P(&o(S(266))),0).out(),],Word,8,EL).rs(),
m("GetGPUVirtualAddress",99,11,&[],U64,0,EL).rr(R::GpuAddress),
m("WriteToSubresource",99,12,&[f("DstSubresource",U32,0),f("pDstBox",P(&o(S(8))),8).opt(),f("pSrcData",P(&u(U8,X::SubresourceData)),16).r(R::Blob(B::Texels)),f("SrcRowPitch",U32,24),f("SrcDepthPitch",U32,28),],Hresult,32,EL),
m("ReadFromSubresource",99,13,&[f("pDstData",P(&u(U8,X::SubresourceData)),0).out().r(R::Blob(B::Texels)),f("DstRowPitch",U32,8),f("DstDepthPitch",U32,12),f("SrcSubresource",U32,16),f("pSrcBox",P(&o(S(8))),24).opt(),],Hresult,32,EL),
m("GetHeapProperties",99,14,&[f("pHeapProperties",P(&o(S(182))),0).out().opt(),f("pHeapFlags",P(&o(E(58))),8).out().opt(),],Hresult,16,EL),
// ID3D12Resource1
m("GetProtectedResourceSession",100,15,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(95))),8).out().opt().iid(0).c(96),],Hresult,16,EL),
// ID3D12Resource2
m("GetDesc1",101,16,&[f("result",P(&o(S(267))),0).out(),],Word,8,EL).rs(),
// ID3D12RootSignature
// ID3D12RootSignature1
m("GetSerializedSize",103,8,&[],U64,0,EL),
m("GetSerializedData",103,9,&[f("pData",P(&q(U8,L::Bytes(1))),0).out().r(R::Blob(B::RootSignature)),f("Size",U64,8),],Hresult,16,EL),
// ID3D12RootSignatureDeserializer
m("GetRootSignatureDesc",104,3,&[],P(&o(S(277))),0,EL),
// ID3D12RuntimeValidationControl
m("DisableFailuresFromStricterValidationInAppLocalRuntime",105,3,&[f("bDisable",Bool,0),],Void,8,EN),
m("FailuresFromStricterValidationInAppLocalRuntimeDisabled",105,4,&[],Bool,0,EL),
// ID3D12SDKConfiguration
m("SetSDKVersion",106,3,&[f("SDKVersion",U32,0),f("SDKPath",P(&t(U8)),8).r(R::Text),],Hresult,16,EL),
// ID3D12SDKConfiguration1
m("CreateDeviceFactory",107,4,&[f("SDKVersion",U32,0),f("SDKPath",P(&t(U8)),8).r(R::Text),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvFactory",P(&o(O(52))),24).out().iid(2).c(52),],Hresult,32,EL),
m("FreeUnusedSDKs",107,5,&[],Void,0,EN),
// ID3D12ShaderCacheSession
m("FindValue",108,8,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("pValue",P(&q(U8,L::BytesThrough(3))),16).out().opt(),f("pValueSize",P(&o(U32)),24).io(),],Hresult,32,EL),
m("StoreValue",108,9,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("pValue",P(&q(U8,L::Bytes(3))),16),f("ValueSize",U32,24),],Hresult,32,EL),
m("SetDeleteOnDestroy",108,10,&[],Void,0,EN),
m("GetDesc",108,11,&[f("result",P(&o(S(294))),0).out(),],Word,8,EL).rs(),
// ID3D12ShaderReflection
m("GetDesc",109,3,&[f("pDesc",P(&o(S(295))),0).out(),],Hresult,8,EL),
m("GetConstantBufferByIndex",109,4,&[f("Index",U32,0),],O(110),8,EL),
m("GetConstantBufferByName",109,5,&[f("Name",P(&t(U8)),0).r(R::Text),],O(110),8,EL),
m("GetResourceBindingDesc",109,6,&[f("ResourceIndex",U32,0),f("pDesc",P(&o(S(296))),8).out(),],Hresult,16,EL),
m("GetInputParameterDesc",109,7,&[f("ParameterIndex",U32,0),f("pDesc",P(&o(S(301))),8).out(),],Hresult,16,EL),
m("GetOutputParameterDesc",109,8,&[f("ParameterIndex",U32,0),f("pDesc",P(&o(S(301))),8).out(),],Hresult,16,EL),
m("GetPatchConstantParameterDesc",109,9,&[f("ParameterIndex",U32,0),f("pDesc",P(&o(S(301))),8).out(),],Hresult,16,EL),
m("GetVariableByName",109,10,&[f("Name",P(&t(U8)),0).r(R::Text),],O(112),8,EL),
m("GetResourceBindingDescByName",109,11,&[f("Name",P(&t(U8)),0).r(R::Text),f("pDesc",P(&o(S(296))),8).out(),],Hresult,16,EL),
m("GetMovInstructionCount",109,12,&[],U32,0,EL),
m("GetMovcInstructionCount",109,13,&[],U32,0,EL),
m("GetConversionInstructionCount",109,14,&[],U32,0,EL),
m("GetBitwiseInstructionCount",109,15,&[],U32,0,EL),
m("GetGSInputPrimitive",109,16,&[],E(262),0,EL),
m("IsSampleFrequencyShader",109,17,&[],Bool,0,EL),
m("GetNumInterfaceSlots",109,18,&[],U32,0,EL),
m("GetMinFeatureLevel",109,19,&[f("pLevel",P(&o(E(257))),0).out(),],Hresult,8,EL),
m("GetThreadGroupSize",109,20,&[f("pSizeX",P(&o(U32)),0).out().opt(),f("pSizeY",P(&o(U32)),8).out().opt(),f("pSizeZ",P(&o(U32)),16).out().opt(),],U32,24,EL),
m("GetRequiresFlags",109,21,&[],U64,0,EL),
// ID3D12ShaderReflectionConstantBuffer
m("GetDesc",110,0,&[f("pDesc",P(&o(S(292))),0).out(),],Hresult,8,EL),
m("GetVariableByIndex",110,1,&[f("Index",U32,0),],O(112),8,EL),
m("GetVariableByName",110,2,&[f("Name",P(&t(U8)),0).r(R::Text),],O(112),8,EL),
// ID3D12ShaderReflectionType
m("GetDesc",111,0,&[f("pDesc",P(&o(S(299))),0).out(),],Hresult,8,EL),
m("GetMemberTypeByIndex",111,1,&[f("Index",U32,0),],O(111),8,EL),
m("GetMemberTypeByName",111,2,&[f("Name",P(&t(U8)),0).r(R::Text),],O(111),8,EL),
m("GetMemberTypeName",111,3,&[f("Index",U32,0),],P(&t(U8)),8,EL).rr(R::Text),
m("IsEqual",111,4,&[f("pType",O(111),0),],Hresult,8,EL),
m("GetSubType",111,5,&[],O(111),0,EL),
m("GetBaseClass",111,6,&[],O(111),0,EL),
m("GetNumInterfaces",111,7,&[],U32,0,EL),
m("GetInterfaceByIndex",111,8,&[f("uIndex",U32,0),],O(111),8,EL),
m("IsOfType",111,9,&[f("pType",O(111),0),],Hresult,8,EL),
m("ImplementsInterface",111,10,&[f("pBase",O(111),0),],Hresult,8,EL),
// ID3D12ShaderReflectionVariable
m("GetDesc",112,0,&[f("pDesc",P(&o(S(300))),0).out(),],Hresult,8,EL),
m("GetType",112,1,&[],O(111),0,EL),
m("GetBuffer",112,2,&[],O(110),0,EL),
m("GetInterfaceSlot",112,3,&[f("uArrayIndex",U32,0),],U32,8,EL),
// ID3D12SharingContract
m("Present",113,3,&[f("pResource",O(99),0),f("Subresource",U32,8),f("window",Word,16).r(R::Foreign),],Void,24,EN),
m("SharedFenceSignal",113,4,&[f("pFence",O(63),0),f("FenceValue",U64,8),],Void,16,EN),
m("BeginCapturableWork",113,5,&[f("guid",P(&o(Guid)),0),],Void,8,EN),
m("EndCapturableWork",113,6,&[f("guid",P(&o(Guid)),0),],Void,8,EN),
// ID3D12StateObject
// ID3D12StateObjectDatabase
m("SetApplicationDesc",115,3,&[f("pApplicationDesc",P(&o(S(2))),0),],Hresult,8,EL),
m("GetApplicationDesc",115,4,&[f("CallbackFunc",Word,0).r(R::Callback),f("pContext",Word,8).r(R::Context),],Hresult,16,EL),
m("StorePipelineStateDesc",115,5,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("Version",U32,12),f("pDesc",P(&o(S(213))),16),],Hresult,24,EL),
m("FindPipelineStateDesc",115,6,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("CallbackFunc",Word,16).r(R::Callback),f("pContext",Word,24).r(R::Context),],Hresult,32,EL),
m("StoreStateObjectDesc",115,7,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("Version",U32,12),f("pDesc",P(&o(S(304))),16),f("pStateObjectToGrowFromKey",P(&q(U8,L::Bytes(5))),24).opt(),f("StateObjectToGrowFromKeySize",U32,32),],Hresult,40,EL),
m("FindStateObjectDesc",115,8,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("CallbackFunc",Word,16).r(R::Callback),f("pContext",Word,24).r(R::Context),],Hresult,32,EL),
m("FindObjectVersion",115,9,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("pVersion",P(&o(U32)),16).out(),],Hresult,24,EL),
// ID3D12StateObjectDatabaseFactory
m("CreateStateObjectDatabaseFromFile",116,3,&[f("pDatabaseFile",P(&t(U16)),0).r(R::Text),f("flags",E(140),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvStateObjectDatabase",P(&o(O(115))),24).out().iid(2).c(115),],Hresult,32,EL),
// ID3D12StateObjectProperties
m("GetShaderIdentifier",117,3,&[f("pExportName",P(&t(U16)),0).r(R::Text),],P(&q(U8,L::Const(32))),8,EL),
m("GetShaderStackSize",117,4,&[f("pExportName",P(&t(U16)),0).r(R::Text),],U64,8,EL),
m("GetPipelineStackSize",117,5,&[],U64,0,EL),
m("SetPipelineStackSize",117,6,&[f("PipelineStackSizeInBytes",U64,0),],Void,8,EN),
// ID3D12StateObjectProperties1
m("GetProgramIdentifier",118,7,&[f("result",P(&o(S(215))),0).out(),f("pProgramName",P(&t(U16)),8).r(R::Text),],Word,16,EL).rs(),
// ID3D12StateObjectProperties2
m("GetGlobalRootSignatureForProgram",119,8,&[f("pProgramName",P(&t(U16)),0).r(R::Text),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvRootSignature",P(&o(O(102))),16).out().iid(1).c(103),],Hresult,24,EL),
m("GetGlobalRootSignatureForShader",119,9,&[f("pExportName",P(&t(U16)),0).r(R::Text),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvRootSignature",P(&o(O(102))),16).out().iid(1).c(103),],Hresult,24,EL),
// ID3D12SwapChainAssistant
m("GetLUID",120,3,&[f("result",P(&o(S(538))),0).out(),],Word,8,EL).rs(),
m("GetSwapChainObject",120,4,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppv",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
m("GetCurrentResourceAndCommandQueue",120,5,&[f("riidResource",P(&o(Guid)),0).r(R::Iid),f("ppvResource",P(&o(O(99))),8).out().iid(0).c(101),f("riidQueue",P(&o(Guid)),16).r(R::Iid),f("ppvQueue",P(&o(O(5))),24).out().iid(2).c(6),],Hresult,32,EL),
m("InsertImplicitSync",120,6,&[],Hresult,0,EL),
// ID3D12Tools
m("EnableShaderInstrumentation",121,3,&[f("bEnable",Bool,0),],Void,8,EN),
m("ShaderInstrumentationEnabled",121,4,&[],Bool,0,EL),
// ID3D12Tools1
m("ReserveGPUVARangesAtCreate",122,5,&[f("pRanges",P(&q(S(178),L::Field(1))),0),f("uiNumRanges",U32,8),],Hresult,16,EL),
m("ClearReservedGPUVARangesList",122,6,&[],Void,0,EN),
// ID3D12Tools2
m("SetApplicationSpecificDriverState",123,7,&[f("pAdapter",O(0),0),f("pBlob",O(1),8).opt(),],Hresult,16,EL),
// ID3D12VersionedRootSignatureDeserializer
m("GetRootSignatureDescAtVersion",124,3,&[f("convertToVersion",E(266),0),f("ppDesc",P(&o(P(&o(S(351))))),8).out(),],Hresult,16,EL),
m("GetUnconvertedRootSignatureDesc",124,4,&[],P(&o(S(351))),0,EL),
// ID3D12VideoDecodeCommandList
m("Close",125,9,&[],Hresult,0,EL),
m("Reset",125,10,&[f("pAllocator",O(3),0),],Hresult,8,EL),
m("ClearState",125,11,&[],Void,0,OB),
m("ResourceBarrier",125,12,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(264),L::Field(0))),8),],Void,16,OB),
m("DiscardResource",125,13,&[f("pResource",O(99),0),f("pRegion",P(&o(S(46))),8).opt(),],Void,16,OB),
m("BeginQuery",125,14,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",125,15,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",125,16,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(99),24),f("AlignedDestinationBufferOffset",U64,32).r(R::Size),],Void,40,OB),
m("SetPredication",125,17,&[f("pBuffer",O(99),0).opt(),f("AlignedBufferOffset",U64,8).r(R::Size),f("Operation",E(84),16),],Void,24,OB),
m("SetMarker",125,18,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",125,19,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("EndEvent",125,20,&[],Void,0,OB),
m("DecodeFrame",125,21,&[f("pDecoder",O(129),0),f("pOutputArguments",P(&o(S(363))),8),f("pInputArguments",P(&o(S(361))),16),],Void,24,OB),
m("WriteBufferImmediate",125,22,&[f("Count",U32,0),f("pParams",P(&q(S(500),L::Field(0))),8),f("pModes",P(&q(E(255),L::Field(0))),16).opt(),],Void,24,OB),
// ID3D12VideoDecodeCommandList1
m("DecodeFrame1",126,23,&[f("pDecoder",O(129),0),f("pOutputArguments",P(&o(S(364))),8),f("pInputArguments",P(&o(S(361))),16),],Void,24,OB),
// ID3D12VideoDecodeCommandList2
m("SetProtectedResourceSession",127,24,&[f("pProtectedResourceSession",O(95),0).opt(),],Void,8,OB),
m("InitializeExtensionCommand",127,25,&[f("pExtensionCommand",O(146),0),f("pInitializationParameters",P(&q(U8,L::Bytes(2))),8),f("InitializationParametersSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteExtensionCommand",127,26,&[f("pExtensionCommand",O(146),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),],Void,24,OB),
// ID3D12VideoDecodeCommandList3
m("Barrier",128,27,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(5),L::Field(0))),8),],Void,16,OB),
// ID3D12VideoDecoder
m("GetDesc",129,8,&[f("result",P(&o(S(354))),0).out(),],Word,8,EL).rs(),
// ID3D12VideoDecoder1
m("GetProtectedResourceSession",130,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(95))),8).out().opt().iid(0).c(96),],Hresult,16,EL),
// ID3D12VideoDecoderHeap
m("GetDesc",131,8,&[f("result",P(&o(S(355))),0).out(),],Word,8,EL).rs(),
// ID3D12VideoDecoderHeap1
m("GetProtectedResourceSession",132,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(95))),8).out().opt().iid(0).c(96),],Hresult,16,EL),
// ID3D12VideoDevice
m("CheckFeatureSupport",133,3,&[f("FeatureVideo",E(50),0),f("pFeatureSupportData",P(&u(U8,X::FeatureData)),8).io(),f("FeatureSupportDataSize",U32,16),],Hresult,24,EL),
m("CreateVideoDecoder",133,4,&[f("pDesc",P(&o(S(354))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoDecoder",P(&o(O(129))),16).out().iid(1).c(130),],Hresult,24,EL),
m("CreateVideoDecoderHeap",133,5,&[f("pVideoDecoderHeapDesc",P(&o(S(355))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoDecoderHeap",P(&o(O(131))),16).out().iid(1).c(132),],Hresult,24,EL),
m("CreateVideoProcessor",133,6,&[f("NodeMask",U32,0),f("pOutputStreamDesc",P(&o(S(489))),8),f("NumInputStreamDescs",U32,16),f("pInputStreamDescs",P(&q(S(484),L::Field(2))),24),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppVideoProcessor",P(&o(O(153))),40).out().iid(4).c(154),],Hresult,48,EL),
// ID3D12VideoDevice1
m("CreateVideoMotionEstimator",134,7,&[f("pDesc",P(&o(S(475))),0),f("pProtectedResourceSession",O(95),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoMotionEstimator",P(&o(O(147))),24).out().iid(2).c(147),],Hresult,32,EL),
m("CreateVideoMotionVectorHeap",134,8,&[f("pDesc",P(&o(S(478))),0),f("pProtectedResourceSession",O(95),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoMotionVectorHeap",P(&o(O(148))),24).out().iid(2).c(148),],Hresult,32,EL),
// ID3D12VideoDevice2
m("CreateVideoDecoder1",135,9,&[f("pDesc",P(&o(S(354))),0),f("pProtectedResourceSession",O(95),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoDecoder",P(&o(O(129))),24).out().iid(2).c(130),],Hresult,32,EL),
m("CreateVideoDecoderHeap1",135,10,&[f("pVideoDecoderHeapDesc",P(&o(S(355))),0),f("pProtectedResourceSession",O(95),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoDecoderHeap",P(&o(O(131))),24).out().iid(2).c(132),],Hresult,32,EL),
m("CreateVideoProcessor1",135,11,&[f("NodeMask",U32,0),f("pOutputStreamDesc",P(&o(S(489))),8),f("NumInputStreamDescs",U32,16),f("pInputStreamDescs",P(&q(S(484),L::Field(2))),24),f("pProtectedResourceSession",O(95),32).opt(),f("riid",P(&o(Guid)),40).r(R::Iid),f("ppVideoProcessor",P(&o(O(153))),48).out().iid(5).c(154),],Hresult,56,EL),
m("CreateVideoExtensionCommand",135,12,&[f("pDesc",P(&o(S(471))),0),f("pCreationParameters",P(&q(U8,L::Bytes(2))),8),f("CreationParametersDataSizeInBytes",U64,16),f("pProtectedResourceSession",O(95),24).opt(),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppVideoExtensionCommand",P(&o(O(146))),40).out().iid(4).c(146),],Hresult,48,EL),
m("ExecuteExtensionCommand",135,13,&[f("pExtensionCommand",O(146),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),f("pOutputData",P(&q(U8,L::Bytes(4))),24).out(),f("OutputDataSizeInBytes",U64,32),],Hresult,40,EL),
// ID3D12VideoDevice3
m("CreateVideoEncoder",136,14,&[f("pDesc",P(&o(S(398))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoEncoder",P(&o(O(143))),16).out().iid(1).c(143),],Hresult,24,EL),
m("CreateVideoEncoderHeap",136,15,&[f("pDesc",P(&o(S(413))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoEncoderHeap",P(&o(O(144))),16).out().iid(1).c(145),],Hresult,24,EL),
// ID3D12VideoDevice4
m("CreateVideoEncoderHeap1",137,16,&[f("pDesc",P(&o(S(414))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoEncoderHeap",P(&o(O(144))),16).out().iid(1).c(145),],Hresult,24,EL),
// ID3D12VideoEncodeCommandList
m("Close",138,9,&[],Hresult,0,EL),
m("Reset",138,10,&[f("pAllocator",O(3),0),],Hresult,8,EL),
m("ClearState",138,11,&[],Void,0,OB),
m("ResourceBarrier",138,12,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(264),L::Field(0))),8),],Void,16,OB),
m("DiscardResource",138,13,&[f("pResource",O(99),0),f("pRegion",P(&o(S(46))),8).opt(),],Void,16,OB),
m("BeginQuery",138,14,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",138,15,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",138,16,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(99),24),f("AlignedDestinationBufferOffset",U64,32).r(R::Size),],Void,40,OB),
m("SetPredication",138,17,&[f("pBuffer",O(99),0).opt(),f("AlignedBufferOffset",U64,8).r(R::Size),f("Operation",E(84),16),],Void,24,OB),
m("SetMarker",138,18,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",138,19,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("EndEvent",138,20,&[],Void,0,OB),
m("EstimateMotion",138,21,&[f("pMotionEstimator",O(147),0),f("pOutputArguments",P(&o(S(477))),8),f("pInputArguments",P(&o(S(476))),16),],Void,24,OB),
m("ResolveMotionVectorHeap",138,22,&[f("pOutputArguments",P(&o(S(260))),0),f("pInputArguments",P(&o(S(259))),8),],Void,16,OB),
m("WriteBufferImmediate",138,23,&[f("Count",U32,0),f("pParams",P(&q(S(500),L::Field(0))),8),f("pModes",P(&q(E(255),L::Field(0))),16).opt(),],Void,24,OB),
m("SetProtectedResourceSession",138,24,&[f("pProtectedResourceSession",O(95),0).opt(),],Void,8,OB),
// ID3D12VideoEncodeCommandList1
m("InitializeExtensionCommand",139,25,&[f("pExtensionCommand",O(146),0),f("pInitializationParameters",P(&q(U8,L::Bytes(2))),8),f("InitializationParametersSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteExtensionCommand",139,26,&[f("pExtensionCommand",O(146),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),],Void,24,OB),
// ID3D12VideoEncodeCommandList2
m("EncodeFrame",140,27,&[f("pEncoder",O(143),0),f("pHeap",O(144),8),f("pInputArguments",P(&o(S(402))),16),f("pOutputArguments",P(&o(S(404))),24),],Void,32,OB),
m("ResolveEncoderOutputMetadata",140,28,&[f("pInputArguments",P(&o(S(461))),0),f("pOutputArguments",P(&o(S(463))),8),],Void,16,OB),
// ID3D12VideoEncodeCommandList3
m("Barrier",141,29,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(5),L::Field(0))),8),],Void,16,OB),
// ID3D12VideoEncodeCommandList4
m("EncodeFrame1",142,30,&[f("pEncoder",O(143),0),f("pHeap",O(145),8),f("pInputArguments",P(&o(S(403))),16),f("pOutputArguments",P(&o(S(405))),24),],Void,32,OB),
m("ResolveEncoderOutputMetadata1",142,31,&[f("pInputArguments",P(&o(S(462))),0),f("pOutputArguments",P(&o(S(464))),8),],Void,16,OB),
m("ResolveInputParamLayout",142,32,&[f("pInputArguments",P(&o(S(459))),0),f("pOutputArguments",P(&o(S(460))),8),],Void,16,OB),
// ID3D12VideoEncoder
m("GetNodeMask",143,8,&[],U32,0,EL),
m("GetEncoderFlags",143,9,&[],E(199),0,EL),
m("GetCodec",143,10,&[],E(185),0,EL),
m("GetCodecProfile",143,11,&[f("dstProfile",S(442),0),],Hresult,16,EL),
m("GetCodecConfiguration",143,12,&[f("dstCodecConfig",S(386),0),],Hresult,16,EL),
m("GetInputFormat",143,13,&[],E(281),0,EL),
m("GetMaxMotionEstimationPrecision",143,14,&[],E(212),0,EL),
// ID3D12VideoEncoderHeap
m("GetNodeMask",144,8,&[],U32,0,EL),
m("GetEncoderHeapFlags",144,9,&[],E(206),0,EL),
m("GetCodec",144,10,&[],E(185),0,EL),
m("GetCodecProfile",144,11,&[f("dstProfile",S(442),0),],Hresult,16,EL),
m("GetCodecLevel",144,12,&[f("dstLevel",S(421),0),],Hresult,16,EL),
m("GetResolutionListCount",144,13,&[],U32,0,EL),
m("GetResolutionList",144,14,&[f("ResolutionsListCount",U32,0),f("pResolutionList",P(&q(S(440),L::Field(0))),8).out(),],Hresult,16,EL),
// ID3D12VideoEncoderHeap1
m("GetPow2DownscaleFactor",145,15,&[],U32,0,EL),
// ID3D12VideoExtensionCommand
m("GetDesc",146,8,&[f("result",P(&o(S(471))),0).out(),],Word,8,EL).rs(),
m("GetProtectedResourceSession",146,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(95))),8).out().opt().iid(0).c(96),],Hresult,16,EL),
// ID3D12VideoMotionEstimator
m("GetDesc",147,8,&[f("result",P(&o(S(475))),0).out(),],Word,8,EL).rs(),
m("GetProtectedResourceSession",147,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(95))),8).out().opt().iid(0).c(96),],Hresult,16,EL),
// ID3D12VideoMotionVectorHeap
m("GetDesc",148,8,&[f("result",P(&o(S(478))),0).out(),],Word,8,EL).rs(),
m("GetProtectedResourceSession",148,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(95))),8).out().opt().iid(0).c(96),],Hresult,16,EL),
// ID3D12VideoProcessCommandList
m("Close",149,9,&[],Hresult,0,EL),
m("Reset",149,10,&[f("pAllocator",O(3),0),],Hresult,8,EL),
m("ClearState",149,11,&[],Void,0,OB),
m("ResourceBarrier",149,12,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(264),L::Field(0))),8),],Void,16,OB),
m("DiscardResource",149,13,&[f("pResource",O(99),0),f("pRegion",P(&o(S(46))),8).opt(),],Void,16,OB),
m("BeginQuery",149,14,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",149,15,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",149,16,&[f("pQueryHeap",O(98),0),f("Type",E(93),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(99),24),f("AlignedDestinationBufferOffset",U64,32).r(R::Size),],Void,40,OB),
m("SetPredication",149,17,&[f("pBuffer",O(99),0).opt(),f("AlignedBufferOffset",U64,8).r(R::Size),f("Operation",E(84),16),],Void,24,OB),
m("SetMarker",149,18,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",149,19,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt().r(R::Blob(B::Marker)),f("Size",U32,16),],Void,24,OB),
m("EndEvent",149,20,&[],Void,0,OB),
m("ProcessFrames",149,21,&[f("pVideoProcessor",O(153),0),f("pOutputArguments",P(&o(S(488))),8),f("NumInputStreams",U32,16),f("pInputArguments",P(&q(S(482),L::Field(2))),24),],Void,32,OB),
m("WriteBufferImmediate",149,22,&[f("Count",U32,0),f("pParams",P(&q(S(500),L::Field(0))),8),f("pModes",P(&q(E(255),L::Field(0))),16).opt(),],Void,24,OB),
// ID3D12VideoProcessCommandList1
m("ProcessFrames1",150,23,&[f("pVideoProcessor",O(153),0),f("pOutputArguments",P(&o(S(488))),8),f("NumInputStreams",U32,16),f("pInputArguments",P(&q(S(483),L::Field(2))),24),],Void,32,OB),
// ID3D12VideoProcessCommandList2
m("SetProtectedResourceSession",151,24,&[f("pProtectedResourceSession",O(95),0).opt(),],Void,8,OB),
m("InitializeExtensionCommand",151,25,&[f("pExtensionCommand",O(146),0),f("pInitializationParameters",P(&q(U8,L::Bytes(2))),8),f("InitializationParametersSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteExtensionCommand",151,26,&[f("pExtensionCommand",O(146),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),],Void,24,OB),
// ID3D12VideoProcessCommandList3
m("Barrier",152,27,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(5),L::Field(0))),8),],Void,16,OB),
// ID3D12VideoProcessor
m("GetNodeMask",153,8,&[],U32,0,EL),
m("GetNumInputStreamDescs",153,9,&[],U32,0,EL),
m("GetInputStreamDescs",153,10,&[f("NumInputStreamDescs",U32,0),f("pInputStreamDescs",P(&q(S(484),L::Field(0))),8).out(),],Hresult,16,EL),
m("GetOutputStreamDesc",153,11,&[f("result",P(&o(S(489))),0).out(),],Word,8,EL).rs(),
// ID3D12VideoProcessor1
m("GetProtectedResourceSession",154,12,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(95))),8).out().opt().iid(0).c(96),],Hresult,16,EL),
// ID3D12VirtualizationGuestDevice
m("ShareWithHost",155,3,&[f("pObject",O(48),0),f("pHandle",P(&o(Word)),8).out().r(R::SharedHandle),],Hresult,16,EL),
m("CreateFenceFd",155,4,&[f("pFence",O(63),0),f("FenceValue",U64,8),f("pFenceFd",P(&o(I32)),16).out(),],Hresult,24,EL),
// ID3D12WorkGraphProperties
m("GetNumWorkGraphs",156,3,&[],U32,0,EL),
m("GetProgramName",156,4,&[f("WorkGraphIndex",U32,0),],P(&t(U16)),8,EL).rr(R::Text),
m("GetWorkGraphIndex",156,5,&[f("pProgramName",P(&t(U16)),0).r(R::Text),],U32,8,EL),
m("GetNumNodes",156,6,&[f("WorkGraphIndex",U32,0),],U32,8,EL),
m("GetNodeID",156,7,&[f("result",P(&o(S(208))),0).out(),f("WorkGraphIndex",U32,8),f("NodeIndex",U32,12),],Word,16,EL).rs(),
m("GetNodeIndex",156,8,&[f("WorkGraphIndex",U32,0),f("NodeID",S(208),8),],U32,24,EL),
m("GetNodeLocalRootArgumentsTableIndex",156,9,&[f("WorkGraphIndex",U32,0),f("NodeIndex",U32,4),],U32,8,EL),
m("GetNumEntrypoints",156,10,&[f("WorkGraphIndex",U32,0),],U32,8,EL),
m("GetEntrypointID",156,11,&[f("result",P(&o(S(208))),0).out(),f("WorkGraphIndex",U32,8),f("EntrypointIndex",U32,12),],Word,16,EL).rs(),
m("GetEntrypointIndex",156,12,&[f("WorkGraphIndex",U32,0),f("NodeID",S(208),8),],U32,24,EL),
m("GetEntrypointRecordSizeInBytes",156,13,&[f("WorkGraphIndex",U32,0),f("EntrypointIndex",U32,4),],U32,8,EL),
m("GetWorkGraphMemoryRequirements",156,14,&[f("WorkGraphIndex",U32,0),f("pWorkGraphMemoryRequirements",P(&o(S(499))),8).out(),],Void,16,EL),
m("GetEntrypointRecordAlignmentInBytes",156,15,&[f("WorkGraphIndex",U32,0),f("EntrypointIndex",U32,4),],U32,8,EL),
// ID3DDestructionNotifier
m("RegisterDestructionCallback",157,3,&[f("callbackFn",Word,0).r(R::Callback),f("pData",Word,8).r(R::Context),f("pCallbackID",P(&o(U32)),16).out(),],Hresult,24,EL),
m("UnregisterDestructionCallback",157,4,&[f("callbackID",U32,0),],Hresult,8,EL),
// IDXGIAdapter
m("EnumOutputs",158,7,&[f("Output",U32,0),f("ppOutput",P(&o(O(185))),8).out().c(191),],Hresult,16,EL),
m("GetDesc",158,8,&[f("pDesc",P(&o(S(502))),0).out(),],Hresult,8,EL),
m("CheckInterfaceSupport",158,9,&[f("InterfaceName",P(&o(Guid)),0),f("pUMDVersion",P(&o(I64)),8).out(),],Hresult,16,EL),
// IDXGIAdapter1
m("GetDesc1",159,10,&[f("pDesc",P(&o(S(503))),0).out(),],Hresult,8,EL),
// IDXGIAdapter2
m("GetDesc2",160,11,&[f("pDesc",P(&o(S(504))),0).out(),],Hresult,8,EL),
// IDXGIAdapter3
m("RegisterHardwareContentProtectionTeardownStatusEvent",161,12,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterHardwareContentProtectionTeardownStatus",161,13,&[f("dwCookie",U32,0),],Void,8,EN),
m("QueryVideoMemoryInfo",161,14,&[f("NodeIndex",U32,0),f("MemorySegmentGroup",E(288),4),f("pVideoMemoryInfo",P(&o(S(527))),8).out(),],Hresult,16,EL),
m("SetVideoMemoryReservation",161,15,&[f("NodeIndex",U32,0),f("MemorySegmentGroup",E(288),4),f("Reservation",U64,8),],Hresult,16,EL),
m("RegisterVideoMemoryBudgetChangeNotificationEvent",161,16,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterVideoMemoryBudgetChangeNotification",161,17,&[f("dwCookie",U32,0),],Void,8,EN),
// IDXGIAdapter4
m("GetDesc3",162,18,&[f("pDesc",P(&o(S(505))),0).out(),],Hresult,8,EL),
// IDXGIDebug
m("ReportLiveObjects",163,3,&[f("apiid",Guid,0),f("flags",E(279),16),],Hresult,24,EL),
// IDXGIDebug1
m("EnableLeakTrackingForThread",164,4,&[],Void,0,EN),
m("DisableLeakTrackingForThread",164,5,&[],Void,0,EN),
m("IsLeakTrackingEnabledForThread",164,6,&[],Bool,0,EL),
// IDXGIDecodeSwapChain
m("PresentBuffer",165,3,&[f("BufferToPresent",U32,0),f("SyncInterval",U32,4),f("Flags",U32,8),],Hresult,16,EL),
m("SetSourceRect",165,4,&[f("pRect",P(&o(S(540))),0),],Hresult,8,EL),
m("SetTargetRect",165,5,&[f("pRect",P(&o(S(540))),0),],Hresult,8,EL),
m("SetDestSize",165,6,&[f("Width",U32,0),f("Height",U32,4),],Hresult,8,EL),
m("GetSourceRect",165,7,&[f("pRect",P(&o(S(540))),0).out(),],Hresult,8,EL),
m("GetTargetRect",165,8,&[f("pRect",P(&o(S(540))),0).out(),],Hresult,8,EL),
m("GetDestSize",165,9,&[f("pWidth",P(&o(U32)),0).out(),f("pHeight",P(&o(U32)),8).out(),],Hresult,16,EL),
m("SetColorSpace",165,10,&[f("ColorSpace",E(292),0),],Hresult,8,EL),
m("GetColorSpace",165,11,&[],E(292),0,EL),
// IDXGIDevice
m("GetAdapter",166,7,&[f("pAdapter",P(&o(O(158))),0).out().c(162),],Hresult,8,EL),
m("CreateSurface",166,8,&[f("pDesc",P(&o(S(532))),0),f("NumSurfaces",U32,8),f("Usage",U32,12),f("pSharedResource",P(&o(S(531))),16).opt(),f("ppSurface",P(&q(O(195),L::Field(1))),24).out().c(197),],Hresult,32,EL),
m("QueryResourceResidency",166,9,&[f("ppResources",P(&q(O(0),L::Field(2))),0),f("pResidencyStatus",P(&q(E(295),L::Field(2))),8).out(),f("NumResources",U32,16),],Hresult,24,EL),
m("SetGPUThreadPriority",166,10,&[f("Priority",I32,0),],Hresult,8,EL),
m("GetGPUThreadPriority",166,11,&[f("pPriority",P(&o(I32)),0).out(),],Hresult,8,EL),
// IDXGIDevice1
m("SetMaximumFrameLatency",167,12,&[f("MaxLatency",U32,0),],Hresult,8,EL),
m("GetMaximumFrameLatency",167,13,&[f("pMaxLatency",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGIDevice2
m("OfferResources",168,14,&[f("NumResources",U32,0),f("ppResources",P(&q(O(193),L::Field(0))),8),f("Priority",E(293),16),],Hresult,24,EL),
m("ReclaimResources",168,15,&[f("NumResources",U32,0),f("ppResources",P(&q(O(193),L::Field(0))),8),f("pDiscarded",P(&q(Bool,L::Field(0))),16).out().opt(),],Hresult,24,EL),
m("EnqueueSetEvent",168,16,&[f("hEvent",Word,0).r(R::Event),],Hresult,8,EL),
// IDXGIDevice3
m("Trim",169,17,&[],Void,0,EN),
// IDXGIDevice4
m("OfferResources1",170,18,&[f("NumResources",U32,0),f("ppResources",P(&q(O(193),L::Field(0))),8),f("Priority",E(293),16),f("Flags",U32,20),],Hresult,24,EL),
m("ReclaimResources1",170,19,&[f("NumResources",U32,0),f("ppResources",P(&q(O(193),L::Field(0))),8),f("pResults",P(&q(E(294),L::Field(0))),16).out(),],Hresult,24,EL),
// IDXGIDeviceSubObject
m("GetDevice",171,7,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppDevice",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
// IDXGIDisplayControl
m("IsStereoEnabled",172,3,&[],Bool,0,EL),
m("SetStereoEnabled",172,4,&[f("enabled",Bool,0),],Void,8,EN),
// IDXGIFactory
m("EnumAdapters",173,7,&[f("Adapter",U32,0),f("ppAdapter",P(&o(O(158))),8).out().c(162),],Hresult,16,EL),
m("MakeWindowAssociation",173,8,&[f("WindowHandle",Word,0).r(R::Foreign),f("Flags",U32,8),],Hresult,16,EL),
m("GetWindowAssociation",173,9,&[f("pWindowHandle",P(&o(Word)),0).out().r(R::Foreign),],Hresult,8,EL),
m("CreateSwapChain",173,10,&[f("pDevice",O(0),0),f("pDesc",P(&o(S(533))),8),f("ppSwapChain",P(&o(O(198))),16).out().c(202),],Hresult,24,EL),
m("CreateSoftwareAdapter",173,11,&[f("Module",Word,0).r(R::Foreign),f("ppAdapter",P(&o(O(158))),8).out().c(162),],Hresult,16,EL),
// IDXGIFactory1
m("EnumAdapters1",174,12,&[f("Adapter",U32,0),f("ppAdapter",P(&o(O(159))),8).out().c(162),],Hresult,16,EL),
m("IsCurrent",174,13,&[],Bool,0,EL),
// IDXGIFactory2
m("IsWindowedStereoEnabled",175,14,&[],Bool,0,EL),
m("CreateSwapChainForHwnd",175,15,&[f("pDevice",O(0),0),f("hWnd",Word,8).r(R::Foreign),f("pDesc",P(&o(S(534))),16),f("pFullscreenDesc",P(&o(S(535))),24).opt(),f("pRestrictToOutput",O(185),32).opt(),f("ppSwapChain",P(&o(O(199))),40).out().c(202),],Hresult,48,EL),
m("CreateSwapChainForCoreWindow",175,16,&[f("pDevice",O(0),0),f("pWindow",O(0),8),f("pDesc",P(&o(S(534))),16),f("pRestrictToOutput",O(185),24).opt(),f("ppSwapChain",P(&o(O(199))),32).out().c(202),],Hresult,40,EL),
m("GetSharedResourceAdapterLuid",175,17,&[f("hResource",Word,0).r(R::SharedHandle),f("pLuid",P(&o(S(538))),8).out(),],Hresult,16,EL),
m("RegisterStereoStatusWindow",175,18,&[f("WindowHandle",Word,0).r(R::Foreign),f("wMsg",U32,8),f("pdwCookie",P(&o(U32)),16).out(),],Hresult,24,EL),
m("RegisterStereoStatusEvent",175,19,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterStereoStatus",175,20,&[f("dwCookie",U32,0),],Void,8,EN),
m("RegisterOcclusionStatusWindow",175,21,&[f("WindowHandle",Word,0).r(R::Foreign),f("wMsg",U32,8),f("pdwCookie",P(&o(U32)),16).out(),],Hresult,24,EL),
m("RegisterOcclusionStatusEvent",175,22,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterOcclusionStatus",175,23,&[f("dwCookie",U32,0),],Void,8,EN),
m("CreateSwapChainForComposition",175,24,&[f("pDevice",O(0),0),f("pDesc",P(&o(S(534))),8),f("pRestrictToOutput",O(185),16).opt(),f("ppSwapChain",P(&o(O(199))),24).out().c(202),],Hresult,32,EL),
// IDXGIFactory3
m("GetCreationFlags",176,25,&[],U32,0,EL),
// IDXGIFactory4
m("EnumAdapterByLuid",177,26,&[f("AdapterLuid",S(538),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvAdapter",P(&o(O(158))),16).out().iid(1).c(162),],Hresult,24,EL),
m("EnumWarpAdapter",177,27,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvAdapter",P(&o(O(158))),8).out().iid(0).c(162),],Hresult,16,EL),
// IDXGIFactory5
m("CheckFeatureSupport",178,28,&[f("Feature",E(280),0),f("pFeatureSupportData",P(&u(U8,X::FeatureData)),8).io(),f("FeatureSupportDataSize",U32,16),],Hresult,24,EL),
// IDXGIFactory6
m("EnumAdapterByGpuPreference",179,29,&[f("Adapter",U32,0),f("GpuPreference",E(283),4),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvAdapter",P(&o(O(158))),16).out().iid(2).c(162),],Hresult,24,EL),
// IDXGIFactory7
m("RegisterAdaptersChangedEvent",180,30,&[f("hEvent",Word,0).r(R::Event),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterAdaptersChangedEvent",180,31,&[f("dwCookie",U32,0),],Hresult,8,EL),
// IDXGIFactoryMedia
m("CreateSwapChainForCompositionSurfaceHandle",181,3,&[f("pDevice",O(0),0),f("hSurface",Word,8).r(R::Foreign),f("pDesc",P(&o(S(534))),16),f("pRestrictToOutput",O(185),24).opt(),f("ppSwapChain",P(&o(O(199))),32).out().c(202),],Hresult,40,EL),
m("CreateDecodeSwapChainForCompositionSurfaceHandle",181,4,&[f("pDevice",O(0),0),f("hSurface",Word,8).r(R::Foreign),f("pDesc",P(&o(S(506))),16),f("pYuvDecodeBuffers",O(193),24),f("pRestrictToOutput",O(185),32).opt(),f("ppSwapChain",P(&o(O(165))),40).out().c(165),],Hresult,48,EL),
// IDXGIInfoQueue
m("SetMessageCountLimit",182,3,&[f("Producer",Guid,0),f("MessageCountLimit",U64,16),],Hresult,24,EL),
m("ClearStoredMessages",182,4,&[f("Producer",Guid,0),],Void,16,EN),
m("GetMessage",182,5,&[f("Producer",Guid,0),f("MessageIndex",U64,16),f("pMessage",P(&u(S(514),X::Named("OneInBuffer"))),24).out().opt(),f("pMessageByteLength",P(&o(U64)),32).io(),],Hresult,40,EL),
m("GetNumStoredMessagesAllowedByRetrievalFilters",182,6,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumStoredMessages",182,7,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumMessagesDiscardedByMessageCountLimit",182,8,&[f("Producer",Guid,0),],U64,16,EL),
m("GetMessageCountLimit",182,9,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumMessagesAllowedByStorageFilter",182,10,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumMessagesDeniedByStorageFilter",182,11,&[f("Producer",Guid,0),],U64,16,EL),
m("AddStorageFilterEntries",182,12,&[f("Producer",Guid,0),f("pFilter",P(&o(S(512))),16),],Hresult,24,EL),
m("GetStorageFilter",182,13,&[f("Producer",Guid,0),f("pFilter",P(&u(S(512),X::Named("OneInBuffer"))),16).out().opt(),f("pFilterByteLength",P(&o(U64)),24).io(),],Hresult,32,EL),
m("ClearStorageFilter",182,14,&[f("Producer",Guid,0),],Void,16,EN),
m("PushEmptyStorageFilter",182,15,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushDenyAllStorageFilter",182,16,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushCopyOfStorageFilter",182,17,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushStorageFilter",182,18,&[f("Producer",Guid,0),f("pFilter",P(&o(S(512))),16),],Hresult,24,EL),
m("PopStorageFilter",182,19,&[f("Producer",Guid,0),],Void,16,EN),
m("GetStorageFilterStackSize",182,20,&[f("Producer",Guid,0),],U32,16,EL),
m("AddRetrievalFilterEntries",182,21,&[f("Producer",Guid,0),f("pFilter",P(&o(S(512))),16),],Hresult,24,EL),
m("GetRetrievalFilter",182,22,&[f("Producer",Guid,0),f("pFilter",P(&u(S(512),X::Named("OneInBuffer"))),16).out().opt(),f("pFilterByteLength",P(&o(U64)),24).io(),],Hresult,32,EL),
m("ClearRetrievalFilter",182,23,&[f("Producer",Guid,0),],Void,16,EN),
m("PushEmptyRetrievalFilter",182,24,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushDenyAllRetrievalFilter",182,25,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushCopyOfRetrievalFilter",182,26,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushRetrievalFilter",182,27,&[f("Producer",Guid,0),f("pFilter",P(&o(S(512))),16),],Hresult,24,EL),
m("PopRetrievalFilter",182,28,&[f("Producer",Guid,0),],Void,16,EN),
m("GetRetrievalFilterStackSize",182,29,&[f("Producer",Guid,0),],U32,16,EL),
m("AddMessage",182,30,&[f("Producer",Guid,0),f("Category",E(286),16),f("Severity",E(287),20),f("ID",I32,24),f("pDescription",P(&t(U8)),32).r(R::Text),],Hresult,40,EL),
m("AddApplicationMessage",182,31,&[f("Severity",E(287),0),f("pDescription",P(&t(U8)),8).r(R::Text),],Hresult,16,EL),
m("SetBreakOnCategory",182,32,&[f("Producer",Guid,0),f("Category",E(286),16),f("bEnable",Bool,20),],Hresult,24,EL),
m("SetBreakOnSeverity",182,33,&[f("Producer",Guid,0),f("Severity",E(287),16),f("bEnable",Bool,20),],Hresult,24,EL),
m("SetBreakOnID",182,34,&[f("Producer",Guid,0),f("ID",I32,16),f("bEnable",Bool,20),],Hresult,24,EL),
m("GetBreakOnCategory",182,35,&[f("Producer",Guid,0),f("Category",E(286),16),],Bool,24,EL),
m("GetBreakOnSeverity",182,36,&[f("Producer",Guid,0),f("Severity",E(287),16),],Bool,24,EL),
m("GetBreakOnID",182,37,&[f("Producer",Guid,0),f("ID",I32,16),],Bool,24,EL),
m("SetMuteDebugOutput",182,38,&[f("Producer",Guid,0),f("bMute",Bool,16),],Void,24,EN),
m("GetMuteDebugOutput",182,39,&[f("Producer",Guid,0),],Bool,16,EL),
// IDXGIKeyedMutex
m("AcquireSync",183,8,&[f("Key",U64,0),f("dwMilliseconds",U32,8),],Hresult,16,EL),
m("ReleaseSync",183,9,&[f("Key",U64,0),],Hresult,8,EL),
// IDXGIObject
m("SetPrivateData",184,3,&[f("Name",P(&o(Guid)),0),f("DataSize",U32,8),f("pData",P(&q(U8,L::Bytes(1))),16).opt().r(R::Blob(B::PrivateData)),],Hresult,24,EL),
m("SetPrivateDataInterface",184,4,&[f("Name",P(&o(Guid)),0),f("pUnknown",O(0),8).opt(),],Hresult,16,EL),
m("GetPrivateData",184,5,&[f("Name",P(&o(Guid)),0),f("pDataSize",P(&o(U32)),8).io(),f("pData",P(&q(U8,L::BytesThrough(1))),16).out().opt().r(R::Blob(B::PrivateData)),],Hresult,24,EL),
m("GetParent",184,6,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppParent",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
// IDXGIOutput
m("GetDesc",185,7,&[f("pDesc",P(&o(S(524))),0).out(),],Hresult,8,EL),
m("GetDisplayModeList",185,8,&[f("EnumFormat",E(281),0),f("Flags",U32,4),f("pNumModes",P(&o(U32)),8).io(),f("pDesc",P(&q(S(517),L::Through(2))),16).out().opt(),],Hresult,24,EL),
m("FindClosestMatchingMode",185,9,&[f("pModeToMatch",P(&o(S(517))),0),f("pClosestMatch",P(&o(S(517))),8).out(),f("pConcernedDevice",O(0),16).opt(),],Hresult,24,EL),
m("WaitForVBlank",185,10,&[],Hresult,0,EL),
m("TakeOwnership",185,11,&[f("pDevice",O(0),0),f("Exclusive",Bool,8),],Hresult,16,EL),
m("ReleaseOwnership",185,12,&[],Void,0,EN),
m("GetGammaControlCapabilities",185,13,&[f("pGammaCaps",P(&o(S(510))),0).out(),],Hresult,8,EL),
m("SetGammaControl",185,14,&[f("pArray",P(&o(S(509))),0),],Hresult,8,EL),
m("GetGammaControl",185,15,&[f("pArray",P(&o(S(509))),0).out(),],Hresult,8,EL),
m("SetDisplaySurface",185,16,&[f("pScanoutSurface",O(195),0),],Hresult,8,EL),
m("GetDisplaySurfaceData",185,17,&[f("pDestination",O(195),0),],Hresult,8,EL),
m("GetFrameStatistics",185,18,&[f("pStats",P(&o(S(507))),0).out(),],Hresult,8,EL),
// IDXGIOutput1
m("GetDisplayModeList1",186,19,&[f("EnumFormat",E(281),0),f("Flags",U32,4),f("pNumModes",P(&o(U32)),8).io(),f("pDesc",P(&q(S(518),L::Through(2))),16).out().opt(),],Hresult,24,EL),
m("FindClosestMatchingMode1",186,20,&[f("pModeToMatch",P(&o(S(518))),0),f("pClosestMatch",P(&o(S(518))),8).out(),f("pConcernedDevice",O(0),16).opt(),],Hresult,24,EL),
m("GetDisplaySurfaceData1",186,21,&[f("pDestination",O(193),0),],Hresult,8,EL),
m("DuplicateOutput",186,22,&[f("pDevice",O(0),0),f("ppOutputDuplication",P(&o(O(192))),8).out().c(192),],Hresult,16,EL),
// IDXGIOutput2
m("SupportsOverlays",187,23,&[],Bool,0,EL),
// IDXGIOutput3
m("CheckOverlaySupport",188,24,&[f("EnumFormat",E(281),0),f("pConcernedDevice",O(0),8),f("pFlags",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGIOutput4
m("CheckOverlayColorSpaceSupport",189,25,&[f("Format",E(281),0),f("ColorSpace",E(277),4),f("pConcernedDevice",O(0),8),f("pFlags",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGIOutput5
m("DuplicateOutput1",190,26,&[f("pDevice",O(0),0),f("Flags",U32,8),f("SupportedFormatsCount",U32,12),f("pSupportedFormats",P(&q(E(281),L::Field(2))),16),f("ppOutputDuplication",P(&o(O(192))),24).out().c(192),],Hresult,32,EL),
// IDXGIOutput6
m("GetDesc1",191,27,&[f("pDesc",P(&o(S(525))),0).out(),],Hresult,8,EL),
m("CheckHardwareCompositionSupport",191,28,&[f("pFlags",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGIOutputDuplication
m("GetDesc",192,7,&[f("pDesc",P(&o(S(519))),0).out(),],Void,8,EL),
m("AcquireNextFrame",192,8,&[f("TimeoutInMilliseconds",U32,0),f("pFrameInfo",P(&o(S(520))),8).out(),f("ppDesktopResource",P(&o(O(193))),16).out().c(194),],Hresult,24,EL),
m("GetFrameDirtyRects",192,9,&[f("DirtyRectsBufferSize",U32,0),f("pDirtyRectsBuffer",P(&q(S(540),L::Bytes(0))),8).out(),f("pDirtyRectsBufferSizeRequired",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetFrameMoveRects",192,10,&[f("MoveRectsBufferSize",U32,0),f("pMoveRectBuffer",P(&q(S(521),L::Bytes(0))),8).out(),f("pMoveRectsBufferSizeRequired",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetFramePointerShape",192,11,&[f("PointerShapeBufferSize",U32,0),f("pPointerShapeBuffer",P(&q(U8,L::Bytes(0))),8).out(),f("pPointerShapeBufferSizeRequired",P(&o(U32)),16).out(),f("pPointerShapeInfo",P(&o(S(523))),24).out(),],Hresult,32,EL),
m("MapDesktopSurface",192,12,&[f("pLockedRect",P(&o(S(515))),0).out(),],Hresult,8,EL),
m("UnMapDesktopSurface",192,13,&[],Hresult,0,EL),
m("ReleaseFrame",192,14,&[],Hresult,0,EL),
// IDXGIResource
m("GetSharedHandle",193,8,&[f("pSharedHandle",P(&o(Word)),0).out().r(R::SharedHandle),],Hresult,8,EL),
m("GetUsage",193,9,&[f("pUsage",P(&o(U32)),0).out(),],Hresult,8,EL),
m("SetEvictionPriority",193,10,&[f("EvictionPriority",U32,0),],Hresult,8,EL),
m("GetEvictionPriority",193,11,&[f("pEvictionPriority",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGIResource1
m("CreateSubresourceSurface",194,12,&[f("index",U32,0),f("ppSurface",P(&o(O(197))),8).out().c(197),],Hresult,16,EL),
m("CreateSharedHandle",194,13,&[f("pAttributes",P(&o(S(541))),0).opt(),f("dwAccess",U32,8),f("lpName",P(&t(U16)),16).opt().r(R::Text),f("pHandle",P(&o(Word)),24).out().r(R::SharedHandle),],Hresult,32,EL),
// IDXGISurface
m("GetDesc",195,8,&[f("pDesc",P(&o(S(532))),0).out(),],Hresult,8,EL),
m("Map",195,9,&[f("pLockedRect",P(&o(S(515))),0).out(),f("MapFlags",U32,8),],Hresult,16,EL),
m("Unmap",195,10,&[],Hresult,0,EL),
// IDXGISurface1
m("GetDC",196,11,&[f("Discard",Bool,0),f("phdc",P(&o(Word)),8).out().r(R::Foreign),],Hresult,16,EL),
m("ReleaseDC",196,12,&[f("pDirtyRect",P(&o(S(540))),0).opt(),],Hresult,8,EL),
// IDXGISurface2
m("GetResource",197,13,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppParentResource",P(&o(O(0))),8).out().iid(0),f("pSubresourceIndex",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGISwapChain
m("Present",198,8,&[f("SyncInterval",U32,0),f("Flags",U32,4),],Hresult,8,EL),
m("GetBuffer",198,9,&[f("Buffer",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppSurface",P(&o(O(99))),16).out().iid(1).c(101),],Hresult,24,EL),
m("SetFullscreenState",198,10,&[f("Fullscreen",Bool,0),f("pTarget",O(185),8).opt(),],Hresult,16,EL),
m("GetFullscreenState",198,11,&[f("pFullscreen",P(&o(Bool)),0).out().opt(),f("ppTarget",P(&o(O(185))),8).out().opt().c(191),],Hresult,16,EL),
m("GetDesc",198,12,&[f("pDesc",P(&o(S(533))),0).out(),],Hresult,8,EL),
m("ResizeBuffers",198,13,&[f("BufferCount",U32,0),f("Width",U32,4),f("Height",U32,8),f("NewFormat",E(281),12),f("SwapChainFlags",U32,16),],Hresult,24,EL),
m("ResizeTarget",198,14,&[f("pNewTargetParameters",P(&o(S(517))),0),],Hresult,8,EL),
m("GetContainingOutput",198,15,&[f("ppOutput",P(&o(O(185))),0).out().c(191),],Hresult,8,EL),
m("GetFrameStatistics",198,16,&[f("pStats",P(&o(S(507))),0).out(),],Hresult,8,EL),
m("GetLastPresentCount",198,17,&[f("pLastPresentCount",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGISwapChain1
m("GetDesc1",199,18,&[f("pDesc",P(&o(S(534))),0).out(),],Hresult,8,EL),
m("GetFullscreenDesc",199,19,&[f("pDesc",P(&o(S(535))),0).out(),],Hresult,8,EL),
m("GetHwnd",199,20,&[f("pHwnd",P(&o(Word)),0).out().r(R::Foreign),],Hresult,8,EL),
m("GetCoreWindow",199,21,&[f("refiid",P(&o(Guid)),0).r(R::Iid),f("ppUnk",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
m("Present1",199,22,&[f("SyncInterval",U32,0),f("PresentFlags",U32,4),f("pPresentParameters",P(&o(S(526))),8),],Hresult,16,EL),
m("IsTemporaryMonoSupported",199,23,&[],Bool,0,EL),
m("GetRestrictToOutput",199,24,&[f("ppRestrictToOutput",P(&o(O(185))),0).out().c(191),],Hresult,8,EL),
m("SetBackgroundColor",199,25,&[f("pColor",P(&o(S(501))),0).r(R::Color),],Hresult,8,EL),
m("GetBackgroundColor",199,26,&[f("pColor",P(&o(S(501))),0).out().r(R::Color),],Hresult,8,EL),
m("SetRotation",199,27,&[f("Rotation",E(289),0),],Hresult,8,EL),
m("GetRotation",199,28,&[f("pRotation",P(&o(E(289))),0).out(),],Hresult,8,EL),
// IDXGISwapChain2
m("SetSourceSize",200,29,&[f("Width",U32,0),f("Height",U32,4),],Hresult,8,EL),
m("GetSourceSize",200,30,&[f("pWidth",P(&o(U32)),0).out(),f("pHeight",P(&o(U32)),8).out(),],Hresult,16,EL),
m("SetMaximumFrameLatency",200,31,&[f("MaxLatency",U32,0),],Hresult,8,EL),
m("GetMaximumFrameLatency",200,32,&[f("pMaxLatency",P(&o(U32)),0).out(),],Hresult,8,EL),
m("GetFrameLatencyWaitableObject",200,33,&[],Word,0,EL).rr(R::Event),
m("SetMatrixTransform",200,34,&[f("pMatrix",P(&o(S(516))),0),],Hresult,8,EL),
m("GetMatrixTransform",200,35,&[f("pMatrix",P(&o(S(516))),0).out(),],Hresult,8,EL),
// IDXGISwapChain3
m("GetCurrentBackBufferIndex",201,36,&[],U32,0,EL),
m("CheckColorSpaceSupport",201,37,&[f("ColorSpace",E(277),0),f("pColorSpaceSupport",P(&o(U32)),8).out(),],Hresult,16,EL),
m("SetColorSpace1",201,38,&[f("ColorSpace",E(277),0),],Hresult,8,EL),
m("ResizeBuffers1",201,39,&[f("BufferCount",U32,0),f("Width",U32,4),f("Height",U32,8),f("Format",E(281),12),f("SwapChainFlags",U32,16),f("pCreationNodeMask",P(&q(U32,L::Field(0))),24),f("ppPresentQueue",P(&q(O(0),L::Field(0))),32),],Hresult,40,EL),
// IDXGISwapChain4
m("SetHDRMetaData",202,40,&[f("Type",E(285),0),f("Size",U32,4),f("pMetaData",P(&q(U8,L::Field(1))),8).opt(),],Hresult,16,EL),
// IDXGISwapChainMedia
m("GetFrameStatisticsMedia",203,3,&[f("pStats",P(&o(S(508))),0).out(),],Hresult,8,EL),
m("SetPresentDuration",203,4,&[f("Duration",U32,0),],Hresult,8,EL),
m("CheckPresentDurationSupport",203,5,&[f("DesiredPresentDuration",U32,0),f("pClosestSmallerPresentDuration",P(&o(U32)),8).out(),f("pClosestLargerPresentDuration",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGIVkInteropAdapter
m("GetVulkanHandles",204,3,&[f("pInstance",P(&o(Word)),0).out().r(R::Foreign),f("pPhysDev",P(&o(Word)),8).out().r(R::Foreign),],Void,16,EL),
// IDXGIVkInteropFactory
m("GetVulkanInstance",205,3,&[f("pInstance",P(&o(Word)),0).out().r(R::Foreign),f("ppfnVkGetInstanceProcAddr",P(&o(Word)),8).out().r(R::Foreign),],Void,16,EL),
// IDXGIVkInteropFactory1
m("GetGlobalHDRState",206,4,&[f("pOutColorSpace",P(&o(E(277))),0).out(),f("ppOutMetadata",P(&o(S(511))),8).out(),],Hresult,16,EL),
m("SetGlobalHDRState",206,5,&[f("ColorSpace",E(277),0),f("pMetadata",P(&o(S(511))),8).opt(),],Hresult,16,EL),
// IDXGIVkSurfaceFactory
m("CreateSurface",207,3,&[f("instance",Word,0).r(R::Foreign),f("adapter",Word,8).r(R::Foreign),f("pSurface",P(&o(Word)),16).out().r(R::Foreign),],I32,24,EL),
// IDXGIVkSwapChain
m("GetDesc",208,3,&[f("pDesc",P(&o(S(534))),0).out(),],Hresult,8,EL),
m("GetAdapter",208,4,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvObject",P(&o(O(158))),8).out().iid(0).c(162),],Hresult,16,EL),
m("GetDevice",208,5,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppDevice",P(&o(O(32))),8).out().iid(0).c(47),],Hresult,16,EL),
m("GetImage",208,6,&[f("BufferId",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppBuffer",P(&o(O(99))),16).out().iid(1).c(101),],Hresult,24,EL),
m("GetImageIndex",208,7,&[],U32,0,EL),
m("GetFrameLatency",208,8,&[],U32,0,EL),
m("GetFrameLatencyEvent",208,9,&[],Word,0,EL).rr(R::Event),
m("ChangeProperties",208,10,&[f("pDesc",P(&o(S(534))),0),f("pNodeMasks",Word,8).r(R::CpuAddress),f("ppPresentQueues",Word,16).r(R::CpuAddress),],Hresult,24,EL),
m("SetPresentRegion",208,11,&[f("pRegion",P(&o(S(540))),0).opt(),],Hresult,8,EL),
m("SetGammaControl",208,12,&[f("NumControlPoints",U32,0),f("pControlPoints",P(&q(S(529),L::Field(0))),8).opt(),],Hresult,16,EL),
m("SetFrameLatency",208,13,&[f("MaxLatency",U32,0),],Hresult,8,EL),
m("Present",208,14,&[f("SyncInterval",U32,0),f("PresentFlags",U32,4),f("pPresentParameters",P(&o(S(526))),8).opt(),],Hresult,16,EL),
m("CheckColorSpaceSupport",208,15,&[f("ColorSpace",E(277),0),],U32,8,EL),
m("SetColorSpace",208,16,&[f("ColorSpace",E(277),0),],Hresult,8,EL),
m("SetHDRMetaData",208,17,&[f("pMetaData",P(&o(S(537))),0).opt(),],Hresult,8,EL),
// IDXGIVkSwapChain1
m("GetLastPresentCount",209,18,&[f("pLastPresentCount",P(&o(U64)),0).out(),],Void,8,EL),
m("GetFrameStatistics",209,19,&[f("pFrameStatistics",P(&o(S(536))),0).out(),],Void,8,EL),
// IDXGIVkSwapChain2
m("SetTargetFrameRate",210,20,&[f("FrameRate",F64,0),],Void,8,EN),
// IDXGIVkSwapChainFactory
m("CreateSwapChain",211,3,&[f("pSurfaceFactory",O(207),0),f("pDesc",P(&o(S(534))),8),f("ppSwapChain",P(&o(O(208))),16).out().c(210),],Hresult,24,EL),
// IWineDXGISwapChainFactory
m("create_swapchain",212,3,&[f("factory",O(173),0),f("window",Word,8).r(R::Foreign),f("desc",P(&o(S(534))),16),f("fullscreen_desc",P(&o(S(535))),24).opt(),f("output",O(185),32).opt(),f("swapchain",P(&o(O(199))),40).out().c(202),],Hresult,48,EL),
// functions
m("D3D12CreateDevice",-1,0,&[f("pAdapter",O(0),0).opt(),f("MinimumFeatureLevel",E(257),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppDevice",P(&o(O(32))),24).out().opt().iid(2).c(47),],Hresult,32,EL),
m("D3D12GetDebugInterface",-1,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvDebug",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
m("D3D12GetInterface",-1,0,&[f("rclsid",P(&o(Guid)),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvDebug",P(&o(O(0))),16).out().opt().iid(1),],Hresult,24,EL),
m("D3D12EnableExperimentalFeatures",-1,0,&[f("NumFeatures",U32,0),f("pIIDs",P(&q(Guid,L::Field(0))),8),f("pConfigurationStructs",P(&u(U8,X::Named("ExperimentalConfiguration"))),16).opt(),f("pConfigurationStructSizes",P(&q(U32,L::Field(0))),24).opt(),],Hresult,32,EL),
m("D3D12SerializeRootSignature",-1,0,&[f("pRootSignature",P(&o(S(277))),0),f("Version",E(266),8),f("ppBlob",P(&o(O(1))),16).out().c(1),f("ppErrorBlob",P(&o(O(1))),24).out().c(1),],Hresult,32,EL),
m("D3D12SerializeVersionedRootSignature",-1,0,&[f("pRootSignature",P(&o(S(351))),0),f("ppBlob",P(&o(O(1))),8).out().c(1),f("ppErrorBlob",P(&o(O(1))),16).out().c(1),],Hresult,24,EL),
m("D3D12CreateRootSignatureDeserializer",-1,0,&[f("pSrcData",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("SrcDataSizeInBytes",U64,8),f("pRootSignatureDeserializerInterface",P(&o(Guid)),16).r(R::Iid),f("ppRootSignatureDeserializer",P(&o(O(104))),24).out().iid(2).c(104),],Hresult,32,EL),
m("D3D12CreateVersionedRootSignatureDeserializer",-1,0,&[f("pSrcData",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("SrcDataSizeInBytes",U64,8),f("pRootSignatureDeserializerInterface",P(&o(Guid)),16).r(R::Iid),f("ppRootSignatureDeserializer",P(&o(O(124))),24).out().iid(2).c(124),],Hresult,32,EL),
m("CreateDXGIFactory",-1,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppFactory",P(&o(O(173))),8).out().iid(0).c(180),],Hresult,16,EL),
m("CreateDXGIFactory1",-1,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppFactory",P(&o(O(173))),8).out().iid(0).c(180),],Hresult,16,EL),
m("CreateDXGIFactory2",-1,0,&[f("Flags",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppFactory",P(&o(O(173))),16).out().iid(1).c(180),],Hresult,24,EL),
m("DXGIGetDebugInterface1",-1,0,&[f("Flags",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("pDebug",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("DXGIDeclareAdapterRemovalSupport",-1,0,&[],Hresult,0,EL),
m("DXGIDisableVBlankVirtualization",-1,0,&[],Hresult,0,EL),
m("D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary",-1,0,&[f("pSrcData",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::Shader)),f("SrcDataSizeInBytes",U64,8),f("RootSignatureSubobjectName",P(&t(U16)),16).opt().r(R::Text),f("pRootSignatureDeserializerInterface",P(&o(Guid)),24).r(R::Iid),f("ppRootSignatureDeserializer",P(&o(O(124))),32).out().iid(3).c(124),],Hresult,40,EL),
m("D3D12CompilerCreateFactory",-1,0,&[f("pPluginCompilerDllPath",P(&t(U16)),0).r(R::Text),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppFactory",P(&o(O(11))),16).out().opt().iid(1).c(11),],Hresult,24,EL),
m("D3D12CompilerSerializeVersionedRootSignature",-1,0,&[f("pRootSignature",P(&o(S(351))),0),f("ppBlob",P(&o(O(1))),8).out().c(1),f("ppErrorBlob",P(&o(O(1))),16).out().opt().c(1),],Hresult,24,EL),
m("D3D12CreateDeviceVKD3D",-1,0,&[f("pAdapter",O(0),0).opt(),f("MinimumFeatureLevel",E(257),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppDevice",P(&o(O(32))),24).out().opt().iid(2).c(47),f("api_version",E(299),32),],Hresult,40,EL),
m("vkd3d_create_event",-1,0,&[],Word,0,EL).rr(R::Event),
m("vkd3d_signal_event",-1,0,&[f("event",Word,0).r(R::Event),],Hresult,8,EL),
m("vkd3d_wait_event",-1,0,&[f("event",Word,0).r(R::Event),f("milliseconds",U32,8),],U32,16,EL),
m("vkd3d_destroy_event",-1,0,&[f("event",Word,0).r(R::Event),],Void,8,EN),
m("vkd3d_create_instance",-1,0,&[f("create_info",P(&o(S(554))),0),f("instance",P(&o(Word)),8).out().r(R::Foreign),],Hresult,16,EL),
m("vkd3d_instance_decref",-1,0,&[f("instance",Word,0).r(R::Foreign),],U32,8,EL),
m("vkd3d_instance_get_vk_instance",-1,0,&[f("instance",Word,0).r(R::Foreign),],Word,8,EL).rr(R::Foreign),
m("vkd3d_instance_incref",-1,0,&[f("instance",Word,0).r(R::Foreign),],U32,8,EL),
m("vkd3d_create_device",-1,0,&[f("create_info",P(&o(S(552))),0),f("iid",P(&o(Guid)),8).r(R::Iid),f("device",P(&o(O(32))),16).out().opt().iid(1).c(47),],Hresult,24,EL),
m("vkd3d_get_device_parent",-1,0,&[f("device",O(32),0),],O(0),8,EL),
m("vkd3d_get_vk_device",-1,0,&[f("device",O(32),0),],Word,8,EL).rr(R::Foreign),
m("vkd3d_get_vk_physical_device",-1,0,&[f("device",O(32),0),],Word,8,EL).rr(R::Foreign),
m("vkd3d_instance_from_device",-1,0,&[f("device",O(32),0),],Word,8,EL).rr(R::Foreign),
m("vkd3d_get_vk_queue_family_index",-1,0,&[f("queue",O(5),0),],U32,8,EL),
m("vkd3d_acquire_vk_queue",-1,0,&[f("queue",O(5),0),],Word,8,EL).rr(R::Foreign),
m("vkd3d_release_vk_queue",-1,0,&[f("queue",O(5),0),],Void,8,EN),
m("vkd3d_create_image_resource",-1,0,&[f("device",O(32),0),f("create_info",P(&o(S(553))),8),f("resource",P(&o(O(99))),16).out().c(101),],Hresult,24,EL),
m("vkd3d_resource_decref",-1,0,&[f("resource",O(99),0),],U32,8,EL),
m("vkd3d_resource_incref",-1,0,&[f("resource",O(99),0),],U32,8,EL),
m("vkd3d_serialize_root_signature",-1,0,&[f("desc",P(&o(S(277))),0),f("version",E(266),8),f("blob",P(&o(O(1))),16).out().c(1),f("error_blob",P(&o(O(1))),24).out().opt().c(1),],Hresult,32,EL),
m("vkd3d_create_root_signature_deserializer",-1,0,&[f("data",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("data_size",U64,8),f("iid",P(&o(Guid)),16).r(R::Iid),f("deserializer",P(&o(O(104))),24).out().iid(2).c(104),],Hresult,32,EL),
m("vkd3d_get_vk_format",-1,0,&[f("format",E(281),0),],I32,8,EL),
m("vkd3d_get_dxgi_format",-1,0,&[f("format",I32,0),],E(281),8,EL),
m("vkd3d_serialize_versioned_root_signature",-1,0,&[f("desc",P(&o(S(351))),0),f("blob",P(&o(O(1))),8).out().c(1),f("error_blob",P(&o(O(1))),16).out().opt().c(1),],Hresult,24,EL),
m("vkd3d_create_versioned_root_signature_deserializer",-1,0,&[f("data",P(&q(U8,L::Bytes(1))),0).r(R::Blob(B::RootSignature)),f("data_size",U64,8),f("iid",P(&o(Guid)),16).r(R::Iid),f("deserializer",P(&o(O(124))),24).out().iid(2).c(124),],Hresult,32,EL),
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
