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
m("GetBufferPointer",1,3,&[],Word,0,EL),
m("GetBufferSize",1,4,&[],U64,0,EL),
// ID3D12CommandAllocator
m("Reset",2,8,&[],Hresult,0,EL),
// ID3D12CommandList
m("GetType",3,8,&[],E(14),0,EL),
// ID3D12CommandQueue
m("UpdateTileMappings",4,8,&[f("pResource",O(87),0),f("NumResourceRegions",U32,8),f("pResourceRegionStartCoordinates",P(&q(S(176),L::Field(1))),16).opt(),f("pResourceRegionSizes",P(&q(S(177),L::Field(1))),24).opt(),f("pHeap",O(67),32).opt(),f("NumRanges",U32,40),f("pRangeFlags",P(&q(E(115),L::Field(5))),48).opt(),f("pHeapRangeStartOffsets",P(&q(U32,L::Field(5))),56).opt(),f("pRangeTileCounts",P(&q(U32,L::Field(5))),64).opt(),f("Flags",E(114),72),],Void,80,EN),
m("CopyTileMappings",4,9,&[f("pDstResource",O(87),0),f("pDstRegionStartCoordinate",P(&o(S(176))),8),f("pSrcResource",O(87),16),f("pSrcRegionStartCoordinate",P(&o(S(176))),24),f("pRegionSize",P(&o(S(177))),32),f("Flags",E(114),40),],Void,48,EN),
m("ExecuteCommandLists",4,10,&[f("NumCommandLists",U32,0),f("ppCommandLists",P(&q(O(3),L::Field(0))),8).c(3),],Void,16,EN),
m("SetMarker",4,11,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt(),f("Size",U32,16),],Void,24,EN),
m("BeginEvent",4,12,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt(),f("Size",U32,16),],Void,24,EN),
m("EndEvent",4,13,&[],Void,0,EN),
m("Signal",4,14,&[f("pFence",O(51),0),f("Value",U64,8),],Hresult,16,EL),
m("Wait",4,15,&[f("pFence",O(51),0),f("Value",U64,8),],Hresult,16,EL),
m("GetTimestampFrequency",4,16,&[f("pFrequency",P(&o(U64)),0).out(),],Hresult,8,EL),
m("GetClockCalibration",4,17,&[f("pGpuTimestamp",P(&o(U64)),0).out(),f("pCpuTimestamp",P(&o(U64)),8).out(),],Hresult,16,EL),
m("GetDesc",4,18,&[f("result",P(&o(S(14))),0).out(),],Word,8,EL).rs(),
// ID3D12CommandSignature
// ID3D12DSRDeviceFactory
m("CreateDSRDevice",6,3,&[f("pD3D12Device",O(24),0),f("NodeMask",U32,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvDSRDevice",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
// ID3D12Debug
m("EnableDebugLayer",7,3,&[],Void,0,EN),
// ID3D12Debug1
m("EnableDebugLayer",8,3,&[],Void,0,EN),
m("SetEnableGPUBasedValidation",8,4,&[f("Enable",Bool,0),],Void,8,EN),
m("SetEnableSynchronizedCommandQueueValidation",8,5,&[f("Enable",Bool,0),],Void,8,EN),
// ID3D12Debug2
m("SetGPUBasedValidationFlags",9,3,&[f("Flags",E(44),0),],Void,8,EN),
// ID3D12Debug3
m("SetEnableGPUBasedValidation",10,4,&[f("Enable",Bool,0),],Void,8,EN),
m("SetEnableSynchronizedCommandQueueValidation",10,5,&[f("Enable",Bool,0),],Void,8,EN),
m("SetGPUBasedValidationFlags",10,6,&[f("Flags",E(44),0),],Void,8,EN),
// ID3D12Debug4
m("DisableDebugLayer",11,7,&[],Void,0,EN),
// ID3D12Debug5
m("SetEnableAutoName",12,8,&[f("Enable",Bool,0),],Void,8,EN),
// ID3D12Debug6
m("SetForceLegacyBarrierValidation",13,9,&[f("Enable",Bool,0),],Void,8,EN),
// ID3D12DebugCommandList
m("AssertResourceState",14,3,&[f("pResource",O(87),0),f("Subresource",U32,8),f("State",U32,12),],Bool,16,EL),
m("SetFeatureMask",14,4,&[f("Mask",E(22),0),],Hresult,8,EL),
m("GetFeatureMask",14,5,&[],E(22),0,EL),
// ID3D12DebugCommandList1
m("AssertResourceState",15,3,&[f("pResource",O(87),0),f("Subresource",U32,8),f("State",U32,12),],Bool,16,EL),
m("SetDebugParameter",15,4,&[f("Type",E(20),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",15,5,&[f("Type",E(20),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
// ID3D12DebugCommandList2
m("SetDebugParameter",16,6,&[f("Type",E(20),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",16,7,&[f("Type",E(20),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
// ID3D12DebugCommandList3
m("AssertResourceAccess",17,8,&[f("pResource",O(87),0),f("Subresource",U32,8),f("Access",E(3),12),],Void,16,EN),
m("AssertTextureLayout",17,9,&[f("pResource",O(87),0),f("Subresource",U32,8),f("Layout",E(4),12),],Void,16,EN),
// ID3D12DebugCommandQueue
m("AssertResourceState",18,3,&[f("pResource",O(87),0),f("Subresource",U32,8),f("State",U32,12),],Bool,16,EL),
// ID3D12DebugCommandQueue1
m("AssertResourceAccess",19,4,&[f("pResource",O(87),0),f("Subresource",U32,8),f("Access",E(3),12),],Void,16,EN),
m("AssertTextureLayout",19,5,&[f("pResource",O(87),0),f("Subresource",U32,8),f("Layout",E(4),12),],Void,16,EN),
// ID3D12DebugDevice
m("SetFeatureMask",20,3,&[f("Mask",E(22),0),],Hresult,8,EL),
m("GetFeatureMask",20,4,&[],E(22),0,EL),
m("ReportLiveDeviceObjects",20,5,&[f("Flags",E(89),0),],Hresult,8,EL),
// ID3D12DebugDevice1
m("SetDebugParameter",21,3,&[f("Type",E(21),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",21,4,&[f("Type",E(21),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
m("ReportLiveDeviceObjects",21,5,&[f("Flags",E(89),0),],Hresult,8,EL),
// ID3D12DebugDevice2
m("SetDebugParameter",22,6,&[f("Type",E(21),0),f("pData",P(&q(U8,L::Bytes(2))),8),f("DataSize",U32,16),],Hresult,24,EL),
m("GetDebugParameter",22,7,&[f("Type",E(21),0),f("pData",P(&q(U8,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
// ID3D12DescriptorHeap
m("GetDesc",23,8,&[f("result",P(&o(S(22))),0).out(),],Word,8,EL).rs(),
m("GetCPUDescriptorHandleForHeapStart",23,9,&[f("result",P(&o(U64)),0).out().r(R::CpuDescriptor),],Word,8,EL).rs(),
m("GetGPUDescriptorHandleForHeapStart",23,10,&[f("result",P(&o(U64)),0).out().r(R::GpuDescriptor),],Word,8,EL).rs(),
// ID3D12Device
m("GetNodeCount",24,7,&[],U32,0,EL),
m("CreateCommandQueue",24,8,&[f("pDesc",P(&o(S(14))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppCommandQueue",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("CreateCommandAllocator",24,9,&[f("type",E(14),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppCommandAllocator",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("CreateGraphicsPipelineState",24,10,&[f("pDesc",P(&o(S(42))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppPipelineState",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("CreateComputePipelineState",24,11,&[f("pDesc",P(&o(S(16))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppPipelineState",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("CreateCommandList",24,12,&[f("nodeMask",U32,0),f("type",E(14),4),f("pCommandAllocator",O(2),8),f("pInitialState",O(81),16).opt(),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppCommandList",P(&o(O(0))),32).out().iid(4),],Hresult,40,EL),
m("CheckFeatureSupport",24,13,&[f("Feature",E(39),0),f("pFeatureSupportData",P(&q(U8,L::Bytes(2))),8).io(),f("FeatureSupportDataSize",U32,16),],Hresult,24,EL),
m("CreateDescriptorHeap",24,14,&[f("pDescriptorHeapDesc",P(&o(S(22))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("GetDescriptorHandleIncrementSize",24,15,&[f("DescriptorHeapType",E(25),0),],U32,8,EL),
m("CreateRootSignature",24,16,&[f("nodeMask",U32,0),f("pBlobWithRootSignature",P(&q(U8,L::Field(2))),8),f("blobLengthInBytes",U64,16),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppvRootSignature",P(&o(O(0))),32).out().iid(3),],Hresult,40,EL),
m("CreateConstantBufferView",24,17,&[f("pDesc",P(&o(S(17))),0).opt(),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Void,16,EN),
m("CreateShaderResourceView",24,18,&[f("pResource",O(87),0).opt(),f("pDesc",P(&o(S(131))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("CreateUnorderedAccessView",24,19,&[f("pResource",O(87),0).opt(),f("pCounterResource",O(87),8).opt(),f("pDesc",P(&o(S(179))),16).opt(),f("DestDescriptor",U64,24).r(R::CpuDescriptor),],Void,32,EN),
m("CreateRenderTargetView",24,20,&[f("pResource",O(87),0).opt(),f("pDesc",P(&o(S(96))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("CreateDepthStencilView",24,21,&[f("pResource",O(87),0).opt(),f("pDesc",P(&o(S(21))),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("CreateSampler",24,22,&[f("pDesc",P(&o(S(118))),0),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Void,16,EN),
m("CopyDescriptors",24,23,&[f("NumDestDescriptorRanges",U32,0),f("pDestDescriptorRangeStarts",P(&q(U64,L::Field(0))),8).r(R::CpuDescriptor),f("pDestDescriptorRangeSizes",P(&q(U32,L::Field(0))),16).opt(),f("NumSrcDescriptorRanges",U32,24),f("pSrcDescriptorRangeStarts",P(&q(U64,L::Field(3))),32).r(R::CpuDescriptor),f("pSrcDescriptorRangeSizes",P(&q(U32,L::Field(3))),40).opt(),f("DescriptorHeapsType",E(25),48),],Void,56,EN),
m("CopyDescriptorsSimple",24,24,&[f("NumDescriptors",U32,0),f("DestDescriptorRangeStart",U64,8).r(R::CpuDescriptor),f("SrcDescriptorRangeStart",U64,16).r(R::CpuDescriptor),f("DescriptorHeapsType",E(25),24),],Void,32,EN),
m("GetResourceAllocationInfo",24,25,&[f("result",P(&o(S(100))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(104),L::Field(2))),16),],Word,24,EL).rs(),
m("GetCustomHeapProperties",24,26,&[f("result",P(&o(S(44))),0).out(),f("nodeMask",U32,8),f("heapType",E(47),12),],Word,16,EL).rs(),
m("CreateCommittedResource",24,27,&[f("pHeapProperties",P(&o(S(44))),0),f("HeapFlags",E(46),8),f("pDesc",P(&o(S(104))),16),f("InitialResourceState",E(88),24),f("pOptimizedClearValue",P(&o(S(13))),32).opt(),f("riidResource",P(&o(Guid)),40),f("ppvResource",P(&o(O(0))),48).out().opt(),],Hresult,56,EL),
m("CreateHeap",24,28,&[f("pDesc",P(&o(S(43))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(0))),16).out().opt().iid(1),],Hresult,24,EL),
m("CreatePlacedResource",24,29,&[f("pHeap",O(67),0),f("HeapOffset",U64,8),f("pDesc",P(&o(S(104))),16),f("InitialState",E(88),24),f("pOptimizedClearValue",P(&o(S(13))),32).opt(),f("riid",P(&o(Guid)),40).r(R::Iid),f("ppvResource",P(&o(O(0))),48).out().opt().iid(5),],Hresult,56,EL),
m("CreateReservedResource",24,30,&[f("pDesc",P(&o(S(104))),0),f("InitialState",E(88),8),f("pOptimizedClearValue",P(&o(S(13))),16).opt(),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppvResource",P(&o(O(0))),32).out().opt().iid(3),],Hresult,40,EL),
m("CreateSharedHandle",24,31,&[f("pObject",O(39),0),f("pAttributes",P(&o(S(337))),8).opt(),f("Access",U32,16),f("Name",P(&t(U16)),24).opt().r(R::Text),f("pHandle",P(&o(Word)),32).out().r(R::Foreign),],Hresult,40,EL),
m("OpenSharedHandle",24,32,&[f("NTHandle",Word,0).r(R::Foreign),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvObj",P(&o(O(0))),16).out().opt().iid(1),],Hresult,24,EL),
m("OpenSharedHandleByName",24,33,&[f("Name",P(&t(U16)),0).r(R::Text),f("Access",U32,8),f("pNTHandle",P(&o(Word)),16).out().r(R::Foreign),],Hresult,24,EL),
m("MakeResident",24,34,&[f("NumObjects",U32,0),f("ppObjects",P(&q(O(77),L::Field(0))),8).c(77),],Hresult,16,EL),
m("Evict",24,35,&[f("NumObjects",U32,0),f("ppObjects",P(&q(O(77),L::Field(0))),8).c(77),],Hresult,16,EL),
m("CreateFence",24,36,&[f("InitialValue",U64,0),f("Flags",E(41),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppFence",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
m("GetDeviceRemovedReason",24,37,&[],Hresult,0,EL),
m("GetCopyableFootprints",24,38,&[f("pResourceDesc",P(&o(S(104))),0),f("FirstSubresource",U32,8),f("NumSubresources",U32,12),f("BaseOffset",U64,16),f("pLayouts",P(&q(S(68),L::Field(2))),24).out().opt(),f("pNumRows",P(&q(U32,L::Field(2))),32).out().opt(),f("pRowSizeInBytes",P(&q(U64,L::Field(2))),40).out().opt(),f("pTotalBytes",P(&o(U64)),48).out().opt(),],Void,56,EL),
m("CreateQueryHeap",24,39,&[f("pDesc",P(&o(S(72))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(0))),16).out().opt().iid(1),],Hresult,24,EL),
m("SetStablePowerState",24,40,&[f("Enable",Bool,0),],Hresult,8,EL),
m("CreateCommandSignature",24,41,&[f("pDesc",P(&o(S(15))),0),f("pRootSignature",O(90),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvCommandSignature",P(&o(O(0))),24).out().opt().iid(2),],Hresult,32,EL),
m("GetResourceTiling",24,42,&[f("pTiledResource",O(87),0),f("pNumTilesForEntireResource",P(&o(U32)),8).out().opt(),f("pPackedMipDesc",P(&o(S(65))),16).out().opt(),f("pStandardTileShapeForNonPackedMips",P(&o(S(178))),24).out().opt(),f("pNumSubresourceTilings",P(&o(U32)),32).io().opt(),f("FirstSubresourceTilingToGet",U32,40),f("pSubresourceTilingsForNonPackedMips",P(&q(S(144),L::Through(4))),48).out(),],Void,56,EL),
m("GetAdapterLuid",24,43,&[f("result",P(&o(S(334))),0).out(),],Word,8,EL).rs(),
// ID3D12Device1
m("CreatePipelineLibrary",25,44,&[f("pLibraryBlob",P(&q(U8,L::Field(1))),0),f("BlobLength",U64,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineLibrary",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
m("SetEventOnMultipleFenceCompletion",25,45,&[f("ppFences",P(&q(O(51),L::Field(2))),0).c(52),f("pFenceValues",P(&q(U64,L::Field(2))),8),f("NumFences",U32,16),f("Flags",E(62),20),f("hEvent",Word,24).r(R::Foreign),],Hresult,32,EL),
m("SetResidencyPriority",25,46,&[f("NumObjects",U32,0),f("ppObjects",P(&q(O(77),L::Field(0))),8).c(77),f("pPriorities",P(&q(E(82),L::Field(0))),16),],Hresult,24,EL),
// ID3D12Device2
m("CreatePipelineState",26,47,&[f("pDesc",P(&o(S(67))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppPipelineState",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
// ID3D12Device3
m("OpenExistingHeapFromAddress",27,48,&[f("pAddress",P(&o(U8)),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("OpenExistingHeapFromFileMapping",27,49,&[f("hFileMapping",Word,0).r(R::Foreign),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvHeap",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("EnqueueMakeResident",27,50,&[f("Flags",E(81),0),f("NumObjects",U32,4),f("ppObjects",P(&q(O(77),L::Field(1))),8).c(77),f("pFenceToSignal",O(51),16),f("FenceValueToSignal",U64,24),],Hresult,32,EL),
// ID3D12Device4
m("CreateCommandList1",28,51,&[f("nodeMask",U32,0),f("type",E(14),4),f("flags",E(13),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppCommandList",P(&o(O(0))),24).out().iid(3),],Hresult,32,EL),
m("CreateProtectedResourceSession",28,52,&[f("pDesc",P(&o(S(70))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppSession",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("CreateCommittedResource1",28,53,&[f("pHeapProperties",P(&o(S(44))),0),f("HeapFlags",E(46),8),f("pDesc",P(&o(S(104))),16),f("InitialResourceState",E(88),24),f("pOptimizedClearValue",P(&o(S(13))),32).opt(),f("pProtectedSession",O(83),40).opt(),f("riidResource",P(&o(Guid)),48),f("ppvResource",P(&o(O(0))),56).out().opt(),],Hresult,64,EL),
m("CreateHeap1",28,54,&[f("pDesc",P(&o(S(43))),0),f("pProtectedSession",O(83),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvHeap",P(&o(O(0))),24).out().opt().iid(2),],Hresult,32,EL),
m("CreateReservedResource1",28,55,&[f("pDesc",P(&o(S(104))),0),f("InitialState",E(88),8),f("pOptimizedClearValue",P(&o(S(13))),16).opt(),f("pProtectedSession",O(83),24).opt(),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppvResource",P(&o(O(0))),40).out().opt().iid(4),],Hresult,48,EL),
m("GetResourceAllocationInfo1",28,56,&[f("result",P(&o(S(100))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(104),L::Field(2))),16),f("pResourceAllocationInfo1",P(&q(S(101),L::Field(2))),24).out().opt(),],Word,32,EL).rs(),
// ID3D12Device5
m("CreateLifetimeTracker",29,57,&[f("pOwner",O(72),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvTracker",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("RemoveDevice",29,58,&[],Void,0,EN),
m("EnumerateMetaCommands",29,59,&[f("pNumMetaCommands",P(&o(U32)),0).io(),f("pDescs",P(&q(S(59),L::Through(0))),8).out().opt(),],Hresult,16,EL),
m("EnumerateMetaCommandParameters",29,60,&[f("CommandId",P(&o(Guid)),0),f("Stage",E(60),8),f("pTotalStructureSizeInBytes",P(&o(U32)),16).out().opt(),f("pParameterCount",P(&o(U32)),24).io(),f("pParameterDescs",P(&q(S(60),L::Through(3))),32).out().opt(),],Hresult,40,EL),
m("CreateMetaCommand",29,61,&[f("CommandId",P(&o(Guid)),0),f("NodeMask",U32,8),f("pCreationParametersData",P(&q(U8,L::Bytes(3))),16).opt(),f("CreationParametersDataSizeInBytes",U64,24),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppMetaCommand",P(&o(O(0))),40).out().iid(4),],Hresult,48,EL),
m("CreateStateObject",29,62,&[f("pDesc",P(&o(S(136))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppStateObject",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("GetRaytracingAccelerationStructurePrebuildInfo",29,63,&[f("pDesc",P(&o(S(11))),0),f("pInfo",P(&o(S(77))),8).out(),],Void,16,EL),
m("CheckDriverMatchingIdentifier",29,64,&[f("SerializedDataType",E(95),0),f("pIdentifierToCheck",P(&o(S(121))),8),],E(35),16,EL),
// ID3D12Device6
m("SetBackgroundProcessingMode",30,65,&[f("Mode",E(2),0),f("MeasurementsAction",E(53),4),f("hEventToSignalUponCompletion",Word,8).r(R::Foreign),f("pbFurtherMeasurementsDesired",P(&o(Bool)),16).out().opt(),],Hresult,24,EL),
// ID3D12Device7
m("AddToStateObject",31,66,&[f("pAddition",P(&o(S(136))),0),f("pStateObjectToGrowFrom",O(100),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppNewStateObject",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
m("CreateProtectedResourceSession1",31,67,&[f("pDesc",P(&o(S(71))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppSession",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
// ID3D12Device8
m("GetResourceAllocationInfo2",32,68,&[f("result",P(&o(S(100))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(105),L::Field(2))),16),f("pResourceAllocationInfo1",P(&q(S(101),L::Field(2))),24).out().opt(),],Word,32,EL).rs(),
m("CreateCommittedResource2",32,69,&[f("pHeapProperties",P(&o(S(44))),0),f("HeapFlags",E(46),8),f("pDesc",P(&o(S(105))),16),f("InitialResourceState",E(88),24),f("pOptimizedClearValue",P(&o(S(13))),32).opt(),f("pProtectedSession",O(83),40).opt(),f("riidResource",P(&o(Guid)),48),f("ppvResource",P(&o(O(0))),56).out().opt(),],Hresult,64,EL),
m("CreatePlacedResource1",32,70,&[f("pHeap",O(67),0),f("HeapOffset",U64,8),f("pDesc",P(&o(S(105))),16),f("InitialState",E(88),24),f("pOptimizedClearValue",P(&o(S(13))),32).opt(),f("riid",P(&o(Guid)),40).r(R::Iid),f("ppvResource",P(&o(O(0))),48).out().opt().iid(5),],Hresult,56,EL),
m("CreateSamplerFeedbackUnorderedAccessView",32,71,&[f("pTargetedResource",O(87),0).opt(),f("pFeedbackResource",O(87),8).opt(),f("DestDescriptor",U64,16).r(R::CpuDescriptor),],Void,24,EN),
m("GetCopyableFootprints1",32,72,&[f("pResourceDesc",P(&o(S(105))),0),f("FirstSubresource",U32,8),f("NumSubresources",U32,12),f("BaseOffset",U64,16),f("pLayouts",P(&q(S(68),L::Field(2))),24).out().opt(),f("pNumRows",P(&q(U32,L::Field(2))),32).out().opt(),f("pRowSizeInBytes",P(&q(U64,L::Field(2))),40).out().opt(),f("pTotalBytes",P(&o(U64)),48).out().opt(),],Void,56,EL),
// ID3D12Device9
m("CreateShaderCacheSession",33,73,&[f("pDesc",P(&o(S(128))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvSession",P(&o(O(0))),16).out().opt().iid(1),],Hresult,24,EL),
m("ShaderCacheControl",33,74,&[f("Kinds",E(99),0),f("Control",E(97),4),],Hresult,8,EL),
m("CreateCommandQueue1",33,75,&[f("pDesc",P(&o(S(14))),0),f("CreatorID",P(&o(Guid)),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppCommandQueue",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
// ID3D12Device10
m("CreateCommittedResource3",34,76,&[f("pHeapProperties",P(&o(S(44))),0),f("HeapFlags",E(46),8),f("pDesc",P(&o(S(105))),16),f("InitialLayout",E(4),24),f("pOptimizedClearValue",P(&o(S(13))),32).opt(),f("pProtectedSession",O(83),40).opt(),f("NumCastableFormats",U32,48),f("pCastableFormats",P(&o(E(199))),56),f("riidResource",P(&o(Guid)),64),f("ppvResource",P(&o(O(0))),72).out().opt(),],Hresult,80,EL),
m("CreatePlacedResource2",34,77,&[f("pHeap",O(67),0),f("HeapOffset",U64,8),f("pDesc",P(&o(S(105))),16),f("InitialLayout",E(4),24),f("pOptimizedClearValue",P(&o(S(13))),32).opt(),f("NumCastableFormats",U32,40),f("pCastableFormats",P(&o(E(199))),48),f("riid",P(&o(Guid)),56).r(R::Iid),f("ppvResource",P(&o(O(0))),64).out().opt().iid(7),],Hresult,72,EL),
m("CreateReservedResource2",34,78,&[f("pDesc",P(&o(S(104))),0),f("InitialLayout",E(4),8),f("pOptimizedClearValue",P(&o(S(13))),16).opt(),f("pProtectedSession",O(83),24).opt(),f("NumCastableFormats",U32,32),f("pCastableFormats",P(&o(E(199))),40),f("riid",P(&o(Guid)),48).r(R::Iid),f("ppvResource",P(&o(O(0))),56).out().opt().iid(6),],Hresult,64,EL),
// ID3D12Device11
m("CreateSampler2",35,79,&[f("pDesc",P(&o(S(119))),0),f("DestDescriptor",U64,8).r(R::CpuDescriptor),],Void,16,EN),
// ID3D12Device12
m("GetResourceAllocationInfo3",36,80,&[f("result",P(&o(S(100))),0).out(),f("visibleMask",U32,8),f("numResourceDescs",U32,12),f("pResourceDescs",P(&q(S(105),L::Field(2))),16),f("pNumCastableFormats",P(&o(U32)),24),f("ppCastableFormats",P(&o(P(&o(E(199))))),32),f("pResourceAllocationInfo1",P(&q(S(101),L::Field(2))),40).out().opt(),],Word,48,EL).rs(),
// ID3D12Device13
m("OpenExistingHeapFromAddress1",37,81,&[f("pAddress",P(&o(U8)),0),f("size",U64,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvHeap",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
// ID3D12Device14
m("CreateRootSignatureFromSubobjectInLibrary",38,82,&[f("nodeMask",U32,0),f("pLibraryBlob",P(&q(U8,L::Field(2))),8),f("blobLengthInBytes",U64,16),f("subobjectName",P(&t(U16)),24).opt().r(R::Text),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppvRootSignature",P(&o(O(0))),40).out().iid(4),],Hresult,48,EL),
// ID3D12DeviceChild
m("GetDevice",39,7,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvDevice",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
// ID3D12DeviceConfiguration
m("GetDesc",40,3,&[f("result",P(&o(S(25))),0).out(),],Word,8,EL).rs(),
m("GetEnabledExperimentalFeatures",40,4,&[f("pGuids",P(&q(Guid,L::Field(1))),0).out(),f("NumGuids",U32,8),],Hresult,16,EL),
m("SerializeVersionedRootSignature",40,5,&[f("pDesc",P(&o(S(180))),0),f("ppResult",P(&o(O(1))),8).out().c(1),f("ppError",P(&o(O(1))),16).out().c(1),],Hresult,24,EL),
m("CreateVersionedRootSignatureDeserializer",40,6,&[f("pBlob",P(&q(U8,L::Bytes(1))),0),f("Size",U64,8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvDeserializer",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
// ID3D12DeviceConfiguration1
m("CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary",41,7,&[f("pLibraryBlob",P(&q(U8,L::Bytes(1))),0),f("Size",U64,8),f("RootSignatureSubobjectName",P(&t(U16)),16).r(R::Text),f("riid",P(&o(Guid)),24).r(R::Iid),f("ppvDeserializer",P(&o(O(0))),32).out().iid(3),],Hresult,40,EL),
// ID3D12DeviceFactory
m("InitializeFromGlobalState",42,3,&[],Hresult,0,EL),
m("ApplyToGlobalState",42,4,&[],Hresult,0,EL),
m("SetFlags",42,5,&[f("flags",E(28),0),],Hresult,8,EL),
m("GetFlags",42,6,&[],E(28),0,EL),
m("GetConfigurationInterface",42,7,&[f("clsid",P(&o(Guid)),0),f("iid",P(&o(Guid)),8).r(R::Iid),f("ppv",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("EnableExperimentalFeatures",42,8,&[f("NumFeatures",U32,0),f("pIIDs",P(&q(Guid,L::Field(0))),8),f("pConfigurationStructs",P(&q(U8,L::Field(0))),16).opt(),f("pConfigurationStructSizes",P(&q(U32,L::Field(0))),24).opt(),],Hresult,32,EL),
m("CreateDevice",42,9,&[f("adapter",O(0),0).opt(),f("FeatureLevel",E(176),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvDevice",P(&o(O(0))),24).out().opt().iid(2),],Hresult,32,EL),
// ID3D12DeviceRemovedExtendedData
m("GetAutoBreadcrumbsOutput",43,3,&[f("pOutput",P(&o(S(31))),0).out(),],Hresult,8,EL),
m("GetPageFaultAllocationOutput",43,4,&[f("pOutput",P(&o(S(34))),0).out(),],Hresult,8,EL),
// ID3D12DeviceRemovedExtendedData1
m("GetAutoBreadcrumbsOutput1",44,5,&[f("pOutput",P(&o(S(32))),0).out(),],Hresult,8,EL),
m("GetPageFaultAllocationOutput1",44,6,&[f("pOutput",P(&o(S(35))),0).out(),],Hresult,8,EL),
// ID3D12DeviceRemovedExtendedData2
m("GetPageFaultAllocationOutput2",45,7,&[f("pOutput",P(&o(S(36))),0).out(),],Hresult,8,EL),
m("GetDeviceState",45,8,&[],E(32),0,EL),
// ID3D12DeviceRemovedExtendedDataSettings
m("SetAutoBreadcrumbsEnablement",46,3,&[f("Enablement",E(33),0),],Void,8,EN),
m("SetPageFaultEnablement",46,4,&[f("Enablement",E(33),0),],Void,8,EN),
m("SetWatsonDumpEnablement",46,5,&[f("Enablement",E(33),0),],Void,8,EN),
// ID3D12DeviceRemovedExtendedDataSettings1
m("SetBreadcrumbContextEnablement",47,6,&[f("Enablement",E(33),0),],Void,8,EN),
// ID3D12DeviceRemovedExtendedDataSettings2
m("UseMarkersOnlyAutoBreadcrumbs",48,7,&[f("MarkersOnly",Bool,0),],Void,8,EN),
// ID3D12DeviceTools
m("SetNextAllocationAddress",49,3,&[f("nextAllocationVirtualAddress",U64,0).r(R::GpuAddress),],Void,8,EN),
// ID3D12DeviceTools1
m("GetApplicationSpecificDriverState",50,4,&[f("ppBlob",P(&o(O(1))),0).out().c(1),],Hresult,8,EL),
m("GetApplicationSpecificDriverBlobStatus",50,5,&[],E(0),0,EL),
// ID3D12Fence
m("GetCompletedValue",51,8,&[],U64,0,EL),
m("SetEventOnCompletion",51,9,&[f("Value",U64,0),f("hEvent",Word,8).r(R::Foreign),],Hresult,16,EL),
m("Signal",51,10,&[f("Value",U64,0),],Hresult,8,EL),
// ID3D12Fence1
m("GetCreationFlags",52,11,&[],E(41),0,EL),
// ID3D12FunctionParameterReflection
m("GetDesc",53,0,&[f("pDesc",P(&o(S(66))),0).out(),],Hresult,8,EL),
// ID3D12FunctionReflection
m("GetDesc",54,0,&[f("pDesc",P(&o(S(37))),0).out(),],Hresult,8,EL),
m("GetConstantBufferByIndex",54,1,&[f("BufferIndex",U32,0),],O(96),8,EL),
m("GetConstantBufferByName",54,2,&[f("Name",P(&t(U8)),0).r(R::Text),],O(96),8,EL),
m("GetResourceBindingDesc",54,3,&[f("ResourceIndex",U32,0),f("pDesc",P(&o(S(130))),8).out(),],Hresult,16,EL),
m("GetVariableByName",54,4,&[f("Name",P(&t(U8)),0).r(R::Text),],O(98),8,EL),
m("GetResourceBindingDescByName",54,5,&[f("Name",P(&t(U8)),0).r(R::Text),f("pDesc",P(&o(S(130))),8).out(),],Hresult,16,EL),
m("GetFunctionParameter",54,6,&[f("ParameterIndex",I32,0),],O(53),8,EL),
// ID3D12GBVDiagnostics
m("GetGBVEntireSubresourceStatesData",55,3,&[f("pResource",O(87),0),f("pData",P(&q(I32,L::Bytes(2))),8).out(),f("DataSize",U32,16),],Hresult,24,EL),
m("GetGBVSubresourceState",55,4,&[f("pResource",O(87),0),f("Subresource",U32,8),f("pData",P(&o(I32)),16).out(),],Hresult,24,EL),
m("GetGBVResourceUniformState",55,5,&[f("pResource",O(87),0),f("pData",P(&o(I32)),8).out(),],Hresult,16,EL),
m("GetGBVResourceInfo",55,6,&[f("pResource",O(87),0),f("pResourceDesc",P(&o(S(104))),8).opt(),f("pResourceHash",P(&o(U32)),16).opt(),f("pSubresourceStatesByteOffset",P(&o(U32)),24).opt(),],Hresult,32,EL),
m("GBVReserved0",55,7,&[],Void,0,EN),
m("GBVReserved1",55,8,&[],Void,0,EN),
// ID3D12GraphicsCommandList
m("Close",56,9,&[],Hresult,0,EL),
m("Reset",56,10,&[f("pAllocator",O(2),0),f("pInitialState",O(81),8).opt(),],Hresult,16,EL),
m("ClearState",56,11,&[f("pPipelineState",O(81),0).opt(),],Void,8,OB),
m("DrawInstanced",56,12,&[f("VertexCountPerInstance",U32,0),f("InstanceCount",U32,4),f("StartVertexLocation",U32,8),f("StartInstanceLocation",U32,12),],Void,16,OB),
m("DrawIndexedInstanced",56,13,&[f("IndexCountPerInstance",U32,0),f("InstanceCount",U32,4),f("StartIndexLocation",U32,8),f("BaseVertexLocation",I32,12),f("StartInstanceLocation",U32,16),],Void,24,OB),
m("Dispatch",56,14,&[f("ThreadGroupCountX",U32,0),f("ThreadGroupCountY",U32,4),f("ThreadGroupCountZ",U32,8),],Void,16,OB),
m("CopyBufferRegion",56,15,&[f("pDstBuffer",O(87),0),f("DstOffset",U64,8),f("pSrcBuffer",O(87),16),f("SrcOffset",U64,24),f("NumBytes",U64,32),],Void,40,OB),
m("CopyTextureRegion",56,16,&[f("pDst",P(&o(S(175))),0),f("DstX",U32,8),f("DstY",U32,12),f("DstZ",U32,16),f("pSrc",P(&o(S(175))),24),f("pSrcBox",P(&o(S(5))),32).opt(),],Void,40,OB),
m("CopyResource",56,17,&[f("pDstResource",O(87),0),f("pSrcResource",O(87),8),],Void,16,OB),
m("CopyTiles",56,18,&[f("pTiledResource",O(87),0),f("pTileRegionStartCoordinate",P(&o(S(176))),8),f("pTileRegionSize",P(&o(S(177))),16),f("pBuffer",O(87),24),f("BufferStartOffsetInBytes",U64,32),f("Flags",E(113),40),],Void,48,OB),
m("ResolveSubresource",56,19,&[f("pDstResource",O(87),0),f("DstSubresource",U32,8),f("pSrcResource",O(87),16),f("SrcSubresource",U32,24),f("Format",E(199),28),],Void,32,OB),
m("IASetPrimitiveTopology",56,20,&[f("PrimitiveTopology",E(182),0),],Void,8,OB),
m("RSSetViewports",56,21,&[f("NumViewports",U32,0),f("pViewports",P(&q(S(297),L::Field(0))),8),],Void,16,OB),
m("RSSetScissorRects",56,22,&[f("NumRects",U32,0),f("pRects",P(&q(S(336),L::Field(0))),8),],Void,16,OB),
m("OMSetBlendFactor",56,23,&[f("BlendFactor",P(&q(F32,L::Const(4))),0).opt(),],Void,8,OB),
m("OMSetStencilRef",56,24,&[f("StencilRef",U32,0),],Void,8,OB),
m("SetPipelineState",56,25,&[f("pPipelineState",O(81),0),],Void,8,OB),
m("ResourceBarrier",56,26,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(102),L::Field(0))),8),],Void,16,OB),
m("ExecuteBundle",56,27,&[f("pCommandList",O(56),0),],Void,8,OB),
m("SetDescriptorHeaps",56,28,&[f("NumDescriptorHeaps",U32,0),f("ppDescriptorHeaps",P(&q(O(23),L::Field(0))),8).c(23),],Void,16,OB),
m("SetComputeRootSignature",56,29,&[f("pRootSignature",O(90),0).opt(),],Void,8,OB),
m("SetGraphicsRootSignature",56,30,&[f("pRootSignature",O(90),0).opt(),],Void,8,OB),
m("SetComputeRootDescriptorTable",56,31,&[f("RootParameterIndex",U32,0),f("BaseDescriptor",U64,8).r(R::GpuDescriptor),],Void,16,OB),
m("SetGraphicsRootDescriptorTable",56,32,&[f("RootParameterIndex",U32,0),f("BaseDescriptor",U64,8).r(R::GpuDescriptor),],Void,16,OB),
m("SetComputeRoot32BitConstant",56,33,&[f("RootParameterIndex",U32,0),f("SrcData",U32,4),f("DestOffsetIn32BitValues",U32,8),],Void,16,OB),
m("SetGraphicsRoot32BitConstant",56,34,&[f("RootParameterIndex",U32,0),f("SrcData",U32,4),f("DestOffsetIn32BitValues",U32,8),],Void,16,OB),
m("SetComputeRoot32BitConstants",56,35,&[f("RootParameterIndex",U32,0),f("Num32BitValuesToSet",U32,4),f("pSrcData",P(&o(U8)),8),f("DestOffsetIn32BitValues",U32,16),],Void,24,OB),
m("SetGraphicsRoot32BitConstants",56,36,&[f("RootParameterIndex",U32,0),f("Num32BitValuesToSet",U32,4),f("pSrcData",P(&o(U8)),8),f("DestOffsetIn32BitValues",U32,16),],Void,24,OB),
m("SetComputeRootConstantBufferView",56,37,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetGraphicsRootConstantBufferView",56,38,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetComputeRootShaderResourceView",56,39,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetGraphicsRootShaderResourceView",56,40,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetComputeRootUnorderedAccessView",56,41,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("SetGraphicsRootUnorderedAccessView",56,42,&[f("RootParameterIndex",U32,0),f("BufferLocation",U64,8).r(R::GpuAddress),],Void,16,OB),
m("IASetIndexBuffer",56,43,&[f("pView",P(&o(S(45))),0).opt(),],Void,8,OB),
m("IASetVertexBuffers",56,44,&[f("StartSlot",U32,0),f("NumViews",U32,4),f("pViews",P(&q(S(181),L::Field(1))),8).opt(),],Void,16,OB),
m("SOSetTargets",56,45,&[f("StartSlot",U32,0),f("NumViews",U32,4),f("pViews",P(&q(S(140),L::Field(1))),8).opt(),],Void,16,OB),
m("OMSetRenderTargets",56,46,&[f("NumRenderTargetDescriptors",U32,0),f("pRenderTargetDescriptors",P(&o(U64)),8).opt().r(R::CpuDescriptor),f("RTsSingleHandleToDescriptorRange",Bool,16),f("pDepthStencilDescriptor",P(&o(U64)),24).opt().r(R::CpuDescriptor),],Void,32,OB),
m("ClearDepthStencilView",56,47,&[f("DepthStencilView",U64,0).r(R::CpuDescriptor),f("ClearFlags",E(12),8),f("Depth",F32,12),f("Stencil",U8,16),f("NumRects",U32,20),f("pRects",P(&q(S(336),L::Field(4))),24),],Void,32,OB),
m("ClearRenderTargetView",56,48,&[f("RenderTargetView",U64,0).r(R::CpuDescriptor),f("ColorRGBA",P(&q(F32,L::Const(4))),8),f("NumRects",U32,16),f("pRects",P(&q(S(336),L::Field(2))),24),],Void,32,OB),
m("ClearUnorderedAccessViewUint",56,49,&[f("ViewGPUHandleInCurrentHeap",U64,0).r(R::GpuDescriptor),f("ViewCPUHandle",U64,8).r(R::CpuDescriptor),f("pResource",O(87),16),f("Values",P(&q(U32,L::Const(4))),24),f("NumRects",U32,32),f("pRects",P(&q(S(336),L::Field(4))),40),],Void,48,OB),
m("ClearUnorderedAccessViewFloat",56,50,&[f("ViewGPUHandleInCurrentHeap",U64,0).r(R::GpuDescriptor),f("ViewCPUHandle",U64,8).r(R::CpuDescriptor),f("pResource",O(87),16),f("Values",P(&q(F32,L::Const(4))),24),f("NumRects",U32,32),f("pRects",P(&q(S(336),L::Field(4))),40),],Void,48,OB),
m("DiscardResource",56,51,&[f("pResource",O(87),0),f("pRegion",P(&o(S(26))),8).opt(),],Void,16,OB),
m("BeginQuery",56,52,&[f("pQueryHeap",O(86),0),f("Type",E(70),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",56,53,&[f("pQueryHeap",O(86),0),f("Type",E(70),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",56,54,&[f("pQueryHeap",O(86),0),f("Type",E(70),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(87),24),f("AlignedDestinationBufferOffset",U64,32),],Void,40,OB),
m("SetPredication",56,55,&[f("pBuffer",O(87),0).opt(),f("AlignedBufferOffset",U64,8),f("Operation",E(64),16),],Void,24,OB),
m("SetMarker",56,56,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt(),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",56,57,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt(),f("Size",U32,16),],Void,24,OB),
m("EndEvent",56,58,&[],Void,0,OB),
m("ExecuteIndirect",56,59,&[f("pCommandSignature",O(5),0),f("MaxCommandCount",U32,8),f("pArgumentBuffer",O(87),16),f("ArgumentBufferOffset",U64,24),f("pCountBuffer",O(87),32).opt(),f("CountBufferOffset",U64,40),],Void,48,OB),
// ID3D12GraphicsCommandList1
m("AtomicCopyBufferUINT",57,60,&[f("pDstBuffer",O(87),0),f("DstOffset",U64,8),f("pSrcBuffer",O(87),16),f("SrcOffset",U64,24),f("Dependencies",U32,32),f("ppDependentResources",P(&q(O(87),L::Field(4))),40).c(89),f("pDependentSubresourceRanges",P(&q(S(143),L::Field(4))),48),],Void,56,OB),
m("AtomicCopyBufferUINT64",57,61,&[f("pDstBuffer",O(87),0),f("DstOffset",U64,8),f("pSrcBuffer",O(87),16),f("SrcOffset",U64,24),f("Dependencies",U32,32),f("ppDependentResources",P(&q(O(87),L::Field(4))),40).c(89),f("pDependentSubresourceRanges",P(&q(S(143),L::Field(4))),48),],Void,56,OB),
m("OMSetDepthBounds",57,62,&[f("Min",F32,0),f("Max",F32,4),],Void,8,OB),
m("SetSamplePositions",57,63,&[f("NumSamplesPerPixel",U32,0),f("NumPixels",U32,4),f("pSamplePositions",P(&o(S(120))),8),],Void,16,OB),
m("ResolveSubresourceRegion",57,64,&[f("pDstResource",O(87),0),f("DstSubresource",U32,8),f("DstX",U32,12),f("DstY",U32,16),f("pSrcResource",O(87),24),f("SrcSubresource",U32,32),f("pSrcRect",P(&o(S(336))),40).opt(),f("Format",E(199),48),f("ResolveMode",E(83),52),],Void,56,OB),
m("SetViewInstanceMask",57,65,&[f("Mask",U32,0),],Void,8,OB),
// ID3D12GraphicsCommandList2
m("WriteBufferImmediate",58,66,&[f("Count",U32,0),f("pParams",P(&q(S(299),L::Field(0))),8),f("pModes",P(&q(E(174),L::Field(0))),16).opt(),],Void,24,OB),
// ID3D12GraphicsCommandList3
m("SetProtectedResourceSession",59,67,&[f("pProtectedResourceSession",O(83),0).opt(),],Void,8,OB),
// ID3D12GraphicsCommandList4
m("BeginRenderPass",60,68,&[f("NumRenderTargets",U32,0),f("pRenderTargets",P(&q(S(94),L::Field(0))),8).opt(),f("pDepthStencil",P(&o(S(89))),16).opt(),f("Flags",E(80),24),],Void,32,OB),
m("EndRenderPass",60,69,&[],Void,0,OB),
m("InitializeMetaCommand",60,70,&[f("pMetaCommand",O(75),0),f("pInitializationParametersData",P(&q(U8,L::Bytes(2))),8).opt(),f("InitializationParametersDataSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteMetaCommand",60,71,&[f("pMetaCommand",O(75),0),f("pExecutionParametersData",P(&q(U8,L::Bytes(2))),8).opt(),f("ExecutionParametersDataSizeInBytes",U64,16),],Void,24,OB),
m("BuildRaytracingAccelerationStructure",60,72,&[f("pDesc",P(&o(S(10))),0),f("NumPostbuildInfoDescs",U32,8),f("pPostbuildInfoDescs",P(&q(S(76),L::Field(1))),16).opt(),],Void,24,OB),
m("EmitRaytracingAccelerationStructurePostbuildInfo",60,73,&[f("pDesc",P(&o(S(76))),0),f("NumSourceAccelerationStructures",U32,8),f("pSourceAccelerationStructureData",P(&q(U64,L::Field(1))),16).r(R::GpuAddress),],Void,24,OB),
m("CopyRaytracingAccelerationStructure",60,74,&[f("DestAccelerationStructureData",U64,0).r(R::GpuAddress),f("SourceAccelerationStructureData",U64,8).r(R::GpuAddress),f("Mode",E(72),16),],Void,24,OB),
m("SetPipelineState1",60,75,&[f("pStateObject",O(100),0),],Void,8,OB),
m("DispatchRays",60,76,&[f("pDesc",P(&o(S(28))),0),],Void,8,OB),
// ID3D12GraphicsCommandList5
m("RSSetShadingRate",61,77,&[f("baseShadingRate",E(102),0),f("combiners",P(&o(E(103))),8).opt(),],Void,16,OB),
m("RSSetShadingRateImage",61,78,&[f("shadingRateImage",O(87),0).opt(),],Void,8,OB),
// ID3D12GraphicsCommandList6
m("DispatchMesh",62,79,&[f("ThreadGroupCountX",U32,0),f("ThreadGroupCountY",U32,4),f("ThreadGroupCountZ",U32,8),],Void,16,OB),
// ID3D12GraphicsCommandList7
m("Barrier",63,80,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(2),L::Field(0))),8),],Void,16,OB),
// ID3D12GraphicsCommandList8
m("OMSetFrontAndBackStencilRef",64,81,&[f("FrontStencilRef",U32,0),f("BackStencilRef",U32,4),],Void,8,OB),
// ID3D12GraphicsCommandList9
m("RSSetDepthBias",65,82,&[f("DepthBias",F32,0),f("DepthBiasClamp",F32,4),f("SlopeScaledDepthBias",F32,8),],Void,16,OB),
m("IASetIndexBufferStripCutValue",65,83,&[f("IBStripCutValue",E(48),0),],Void,8,OB),
// ID3D12GraphicsCommandList10
m("SetProgram",66,84,&[f("pDesc",P(&o(S(123))),0),],Void,8,OB),
m("DispatchGraph",66,85,&[f("pDesc",P(&o(S(27))),0),],Void,8,OB),
// ID3D12Heap
m("GetDesc",67,8,&[f("result",P(&o(S(43))),0).out(),],Word,8,EL).rs(),
// ID3D12Heap1
m("GetProtectedResourceSession",68,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
// ID3D12InfoQueue
m("SetMessageCountLimit",69,3,&[f("MessageCountLimit",U64,0),],Hresult,8,EL),
m("ClearStoredMessages",69,4,&[],Void,0,EN),
m("GetMessage",69,5,&[f("MessageIndex",U64,0),f("pMessage",P(&q(S(58),L::BytesThrough(2))),8).out().opt(),f("pMessageByteLength",P(&o(U64)),16).io(),],Hresult,24,EL),
m("GetNumMessagesAllowedByStorageFilter",69,6,&[],U64,0,EL),
m("GetNumMessagesDeniedByStorageFilter",69,7,&[],U64,0,EL),
m("GetNumStoredMessages",69,8,&[],U64,0,EL),
m("GetNumStoredMessagesAllowedByRetrievalFilter",69,9,&[],U64,0,EL),
m("GetNumMessagesDiscardedByMessageCountLimit",69,10,&[],U64,0,EL),
m("GetMessageCountLimit",69,11,&[],U64,0,EL),
m("AddStorageFilterEntries",69,12,&[f("pFilter",P(&o(S(53))),0),],Hresult,8,EL),
m("GetStorageFilter",69,13,&[f("pFilter",P(&q(S(53),L::BytesThrough(1))),0).out().opt(),f("pFilterByteLength",P(&o(U64)),8).io(),],Hresult,16,EL),
m("ClearStorageFilter",69,14,&[],Void,0,EN),
m("PushEmptyStorageFilter",69,15,&[],Hresult,0,EL),
m("PushCopyOfStorageFilter",69,16,&[],Hresult,0,EL),
m("PushStorageFilter",69,17,&[f("pFilter",P(&o(S(53))),0),],Hresult,8,EL),
m("PopStorageFilter",69,18,&[],Void,0,EN),
m("GetStorageFilterStackSize",69,19,&[],U32,0,EL),
m("AddRetrievalFilterEntries",69,20,&[f("pFilter",P(&o(S(53))),0),],Hresult,8,EL),
m("GetRetrievalFilter",69,21,&[f("pFilter",P(&q(S(53),L::BytesThrough(1))),0).out().opt(),f("pFilterByteLength",P(&o(U64)),8).io(),],Hresult,16,EL),
m("ClearRetrievalFilter",69,22,&[],Void,0,EN),
m("PushEmptyRetrievalFilter",69,23,&[],Hresult,0,EL),
m("PushCopyOfRetrievalFilter",69,24,&[],Hresult,0,EL),
m("PushRetrievalFilter",69,25,&[f("pFilter",P(&o(S(53))),0),],Hresult,8,EL),
m("PopRetrievalFilter",69,26,&[],Void,0,EN),
m("GetRetrievalFilterStackSize",69,27,&[],U32,0,EL),
m("AddMessage",69,28,&[f("Category",E(56),0),f("Severity",E(58),4),f("ID",E(57),8),f("pDescription",P(&t(U8)),16).r(R::Text),],Hresult,24,EL),
m("AddApplicationMessage",69,29,&[f("Severity",E(58),0),f("pDescription",P(&t(U8)),8).r(R::Text),],Hresult,16,EL),
m("SetBreakOnCategory",69,30,&[f("Category",E(56),0),f("bEnable",Bool,4),],Hresult,8,EL),
m("SetBreakOnSeverity",69,31,&[f("Severity",E(58),0),f("bEnable",Bool,4),],Hresult,8,EL),
m("SetBreakOnID",69,32,&[f("ID",E(57),0),f("bEnable",Bool,4),],Hresult,8,EL),
m("GetBreakOnCategory",69,33,&[f("Category",E(56),0),],Bool,8,EL),
m("GetBreakOnSeverity",69,34,&[f("Severity",E(58),0),],Bool,8,EL),
m("GetBreakOnID",69,35,&[f("ID",E(57),0),],Bool,8,EL),
m("SetMuteDebugOutput",69,36,&[f("bMute",Bool,0),],Void,8,EN),
m("GetMuteDebugOutput",69,37,&[],Bool,0,EL),
// ID3D12InfoQueue1
m("RegisterMessageCallback",70,38,&[f("CallbackFunc",Word,0).r(R::Callback),f("CallbackFilterFlags",E(55),8),f("pContext",P(&o(U8)),16).io(),f("pCallbackCookie",P(&o(U32)),24).io(),],Hresult,32,EL),
m("UnregisterMessageCallback",70,39,&[f("CallbackCookie",U32,0),],Hresult,8,EL),
// ID3D12LibraryReflection
m("GetDesc",71,3,&[f("pDesc",P(&o(S(57))),0).out(),],Hresult,8,EL),
m("GetFunctionByIndex",71,4,&[f("FunctionIndex",I32,0),],O(54),8,EL),
// ID3D12LifetimeOwner
m("LifetimeStateUpdated",72,3,&[f("NewState",E(51),0),],Void,8,EN),
// ID3D12LifetimeTracker
m("DestroyOwnedObject",73,8,&[f("pObject",O(39),0),],Hresult,8,EL),
// ID3D12ManualWriteTrackingResource
m("TrackWrite",74,3,&[f("Subresource",U32,0),f("pWrittenRange",P(&o(S(73))),8).opt(),],Void,16,EN),
// ID3D12MetaCommand
m("GetRequiredParameterResourceSize",75,8,&[f("Stage",E(60),0),f("ParameterIndex",U32,4),],U64,8,EL),
// ID3D12Object
m("GetPrivateData",76,3,&[f("guid",P(&o(Guid)),0),f("pDataSize",P(&o(U32)),8).io(),f("pData",P(&q(U8,L::BytesThrough(1))),16).out().opt(),],Hresult,24,EL),
m("SetPrivateData",76,4,&[f("guid",P(&o(Guid)),0),f("DataSize",U32,8),f("pData",P(&q(U8,L::Bytes(1))),16).opt(),],Hresult,24,EL),
m("SetPrivateDataInterface",76,5,&[f("guid",P(&o(Guid)),0),f("pData",O(0),8).opt(),],Hresult,16,EL),
m("SetName",76,6,&[f("Name",P(&t(U16)),0).r(R::Text),],Hresult,8,EL),
// ID3D12Pageable
// ID3D12PageableTools
m("GetAllocation",78,3,&[f("pAllocation",P(&o(S(40))),0).io(),],Hresult,8,EL),
// ID3D12PipelineLibrary
m("StorePipeline",79,8,&[f("pName",P(&t(U16)),0).opt().r(R::Text),f("pPipeline",O(81),8),],Hresult,16,EL),
m("LoadGraphicsPipeline",79,9,&[f("pName",P(&t(U16)),0).r(R::Text),f("pDesc",P(&o(S(42))),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineState",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
m("LoadComputePipeline",79,10,&[f("pName",P(&t(U16)),0).r(R::Text),f("pDesc",P(&o(S(16))),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineState",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
m("GetSerializedSize",79,11,&[],U64,0,EL),
m("Serialize",79,12,&[f("pData",P(&q(U8,L::Field(1))),0).out(),f("DataSizeInBytes",U64,8),],Hresult,16,EL),
// ID3D12PipelineLibrary1
m("LoadPipeline",80,13,&[f("pName",P(&t(U16)),0).r(R::Text),f("pDesc",P(&o(S(67))),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppPipelineState",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
// ID3D12PipelineState
m("GetCachedBlob",81,8,&[f("ppBlob",P(&o(O(1))),0).out().c(1),],Hresult,8,EL),
// ID3D12PipelineState1
m("GetRootSignature",82,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvRootSignature",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
// ID3D12ProtectedResourceSession
m("GetDesc",83,10,&[f("result",P(&o(S(70))),0).out(),],Word,8,EL).rs(),
// ID3D12ProtectedResourceSession1
m("GetDesc1",84,11,&[f("result",P(&o(S(71))),0).out(),],Word,8,EL).rs(),
// ID3D12ProtectedSession
m("GetStatusFence",85,8,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppFence",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
m("GetSessionStatus",85,9,&[],E(68),0,EL),
// ID3D12QueryHeap
// ID3D12Resource
m("Map",87,8,&[f("Subresource",U32,0),f("pReadRange",P(&o(S(73))),8).opt(),f("ppData",P(&o(U8)),16).out(),],Hresult,24,EL),
m("Unmap",87,9,&[f("Subresource",U32,0),f("pWrittenRange",P(&o(S(73))),8).opt(),],Void,16,EN),
m("GetDesc",87,10,&[f("result",P(&o(S(104))),0).out(),],Word,8,EL).rs(),
m("GetGPUVirtualAddress",87,11,&[],U64,0,EL).rr(R::GpuAddress),
m("WriteToSubresource",87,12,&[f("DstSubresource",U32,0),f("pDstBox",P(&o(S(5))),8).opt(),f("pSrcData",P(&o(U8)),16),f("SrcRowPitch",U32,24),f("SrcDepthPitch",U32,28),],Hresult,32,EL),
m("ReadFromSubresource",87,13,&[f("pDstData",P(&o(U8)),0).out(),f("DstRowPitch",U32,8),f("DstDepthPitch",U32,12),f("SrcSubresource",U32,16),f("pSrcBox",P(&o(S(5))),24).opt(),],Hresult,32,EL),
m("GetHeapProperties",87,14,&[f("pHeapProperties",P(&o(S(44))),0).out().opt(),f("pHeapFlags",P(&o(E(46))),8).out().opt(),],Hresult,16,EL),
// ID3D12Resource1
m("GetProtectedResourceSession",88,15,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
// ID3D12Resource2
m("GetDesc1",89,16,&[f("result",P(&o(S(105))),0).out(),],Word,8,EL).rs(),
// ID3D12RootSignature
// ID3D12RootSignatureDeserializer
m("GetRootSignatureDesc",91,3,&[],Word,0,EL),
// ID3D12SDKConfiguration
m("SetSDKVersion",92,3,&[f("SDKVersion",U32,0),f("SDKPath",P(&t(U8)),8).r(R::Text),],Hresult,16,EL),
// ID3D12SDKConfiguration1
m("CreateDeviceFactory",93,4,&[f("SDKVersion",U32,0),f("SDKPath",P(&t(U8)),8).r(R::Text),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppvFactory",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
m("FreeUnusedSDKs",93,5,&[],Void,0,EN),
// ID3D12ShaderCacheSession
m("FindValue",94,8,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("pValue",P(&q(U8,L::BytesThrough(3))),16).out(),f("pValueSize",P(&o(U32)),24).io(),],Hresult,32,EL),
m("StoreValue",94,9,&[f("pKey",P(&q(U8,L::Bytes(1))),0),f("KeySize",U32,8),f("pValue",P(&q(U8,L::Bytes(3))),16),f("ValueSize",U32,24),],Hresult,32,EL),
m("SetDeleteOnDestroy",94,10,&[],Void,0,EN),
m("GetDesc",94,11,&[f("result",P(&o(S(128))),0).out(),],Word,8,EL).rs(),
// ID3D12ShaderReflection
m("GetDesc",95,3,&[f("pDesc",P(&o(S(129))),0).out(),],Hresult,8,EL),
m("GetConstantBufferByIndex",95,4,&[f("Index",U32,0),],O(96),8,EL),
m("GetConstantBufferByName",95,5,&[f("Name",P(&t(U8)),0).r(R::Text),],O(96),8,EL),
m("GetResourceBindingDesc",95,6,&[f("ResourceIndex",U32,0),f("pDesc",P(&o(S(130))),8).out(),],Hresult,16,EL),
m("GetInputParameterDesc",95,7,&[f("ParameterIndex",U32,0),f("pDesc",P(&o(S(134))),8).out(),],Hresult,16,EL),
m("GetOutputParameterDesc",95,8,&[f("ParameterIndex",U32,0),f("pDesc",P(&o(S(134))),8).out(),],Hresult,16,EL),
m("GetPatchConstantParameterDesc",95,9,&[f("ParameterIndex",U32,0),f("pDesc",P(&o(S(134))),8).out(),],Hresult,16,EL),
m("GetVariableByName",95,10,&[f("Name",P(&t(U8)),0).r(R::Text),],O(98),8,EL),
m("GetResourceBindingDescByName",95,11,&[f("Name",P(&t(U8)),0).r(R::Text),f("pDesc",P(&o(S(130))),8).out(),],Hresult,16,EL),
m("GetMovInstructionCount",95,12,&[],U32,0,EL),
m("GetMovcInstructionCount",95,13,&[],U32,0,EL),
m("GetConversionInstructionCount",95,14,&[],U32,0,EL),
m("GetBitwiseInstructionCount",95,15,&[],U32,0,EL),
m("GetGSInputPrimitive",95,16,&[],E(181),0,EL),
m("IsSampleFrequencyShader",95,17,&[],Bool,0,EL),
m("GetNumInterfaceSlots",95,18,&[],U32,0,EL),
m("GetMinFeatureLevel",95,19,&[f("pLevel",P(&o(E(176))),0).out(),],Hresult,8,EL),
m("GetThreadGroupSize",95,20,&[f("pSizeX",P(&o(U32)),0).out().opt(),f("pSizeY",P(&o(U32)),8).out().opt(),f("pSizeZ",P(&o(U32)),16).out().opt(),],U32,24,EL),
m("GetRequiresFlags",95,21,&[],U64,0,EL),
// ID3D12ShaderReflectionConstantBuffer
m("GetDesc",96,0,&[f("pDesc",P(&o(S(126))),0).out(),],Hresult,8,EL),
m("GetVariableByIndex",96,1,&[f("Index",U32,0),],O(98),8,EL),
m("GetVariableByName",96,2,&[f("Name",P(&t(U8)),0).r(R::Text),],O(98),8,EL),
// ID3D12ShaderReflectionType
m("GetDesc",97,0,&[f("pDesc",P(&o(S(132))),0).out(),],Hresult,8,EL),
m("GetMemberTypeByIndex",97,1,&[f("Index",U32,0),],O(97),8,EL),
m("GetMemberTypeByName",97,2,&[f("Name",P(&t(U8)),0).r(R::Text),],O(97),8,EL),
m("GetMemberTypeName",97,3,&[f("Index",U32,0),],P(&t(U8)),8,EL).rr(R::Text),
m("IsEqual",97,4,&[f("pType",O(97),0),],Hresult,8,EL),
m("GetSubType",97,5,&[],O(97),0,EL),
m("GetBaseClass",97,6,&[],O(97),0,EL),
m("GetNumInterfaces",97,7,&[],U32,0,EL),
m("GetInterfaceByIndex",97,8,&[f("uIndex",U32,0),],O(97),8,EL),
m("IsOfType",97,9,&[f("pType",O(97),0),],Hresult,8,EL),
m("ImplementsInterface",97,10,&[f("pBase",O(97),0),],Hresult,8,EL),
// ID3D12ShaderReflectionVariable
m("GetDesc",98,0,&[f("pDesc",P(&o(S(133))),0).out(),],Hresult,8,EL),
m("GetType",98,1,&[],O(97),0,EL),
m("GetBuffer",98,2,&[],O(96),0,EL),
m("GetInterfaceSlot",98,3,&[f("uArrayIndex",U32,0),],U32,8,EL),
// ID3D12SharingContract
m("Present",99,3,&[f("pResource",O(87),0),f("Subresource",U32,8),f("window",Word,16).r(R::Foreign),],Void,24,EN),
m("SharedFenceSignal",99,4,&[f("pFence",O(51),0),f("FenceValue",U64,8),],Void,16,EN),
m("BeginCapturableWork",99,5,&[f("guid",P(&o(Guid)),0),],Void,8,EN),
m("EndCapturableWork",99,6,&[f("guid",P(&o(Guid)),0),],Void,8,EN),
// ID3D12StateObject
// ID3D12StateObjectProperties
m("GetShaderIdentifier",101,3,&[f("pExportName",P(&t(U16)),0).r(R::Text),],Word,8,EL),
m("GetShaderStackSize",101,4,&[f("pExportName",P(&t(U16)),0).r(R::Text),],U64,8,EL),
m("GetPipelineStackSize",101,5,&[],U64,0,EL),
m("SetPipelineStackSize",101,6,&[f("PipelineStackSizeInBytes",U64,0),],Void,8,EN),
// ID3D12StateObjectProperties1
m("GetProgramIdentifier",102,7,&[f("result",P(&o(S(69))),0).out(),f("pProgramName",P(&t(U16)),8).r(R::Text),],Word,16,EL).rs(),
// ID3D12StateObjectProperties2
m("GetGlobalRootSignatureForProgram",103,8,&[f("pProgramName",P(&t(U16)),0).r(R::Text),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvRootSignature",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("GetGlobalRootSignatureForShader",103,9,&[f("pExportName",P(&t(U16)),0).r(R::Text),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvRootSignature",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
// ID3D12SwapChainAssistant
m("GetLUID",104,3,&[f("result",P(&o(S(334))),0).out(),],Word,8,EL).rs(),
m("GetSwapChainObject",104,4,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppv",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
m("GetCurrentResourceAndCommandQueue",104,5,&[f("riidResource",P(&o(Guid)),0),f("ppvResource",P(&o(O(0))),8).out(),f("riidQueue",P(&o(Guid)),16),f("ppvQueue",P(&o(O(0))),24).out(),],Hresult,32,EL),
m("InsertImplicitSync",104,6,&[],Hresult,0,EL),
// ID3D12Tools
m("EnableShaderInstrumentation",105,3,&[f("bEnable",Bool,0),],Void,8,EN),
m("ShaderInstrumentationEnabled",105,4,&[],Bool,0,EL),
// ID3D12Tools1
m("ReserveGPUVARangesAtCreate",106,5,&[f("pRanges",P(&q(S(40),L::Field(1))),0),f("uiNumRanges",U32,8),],Hresult,16,EL),
m("ClearReservedGPUVARangesList",106,6,&[],Void,0,EN),
// ID3D12Tools2
m("SetApplicationSpecificDriverState",107,7,&[f("pAdapter",O(0),0),f("pBlob",O(1),8).opt(),],Hresult,16,EL),
// ID3D12VersionedRootSignatureDeserializer
m("GetRootSignatureDescAtVersion",108,3,&[f("convertToVersion",E(185),0),f("ppDesc",P(&o(P(&o(S(180))))),8).out(),],Hresult,16,EL),
m("GetUnconvertedRootSignatureDesc",108,4,&[],Word,0,EL),
// ID3D12VideoDecodeCommandList
m("Close",109,9,&[],Hresult,0,EL),
m("Reset",109,10,&[f("pAllocator",O(2),0),],Hresult,8,EL),
m("ClearState",109,11,&[],Void,0,OB),
m("ResourceBarrier",109,12,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(102),L::Field(0))),8),],Void,16,OB),
m("DiscardResource",109,13,&[f("pResource",O(87),0),f("pRegion",P(&o(S(26))),8).opt(),],Void,16,OB),
m("BeginQuery",109,14,&[f("pQueryHeap",O(86),0),f("Type",E(70),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",109,15,&[f("pQueryHeap",O(86),0),f("Type",E(70),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",109,16,&[f("pQueryHeap",O(86),0),f("Type",E(70),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(87),24),f("AlignedDestinationBufferOffset",U64,32),],Void,40,OB),
m("SetPredication",109,17,&[f("pBuffer",O(87),0).opt(),f("AlignedBufferOffset",U64,8),f("Operation",E(64),16),],Void,24,OB),
m("SetMarker",109,18,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt(),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",109,19,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt(),f("Size",U32,16),],Void,24,OB),
m("EndEvent",109,20,&[],Void,0,OB),
m("DecodeFrame",109,21,&[f("pDecoder",O(113),0),f("pOutputArguments",P(&o(S(191))),8),f("pInputArguments",P(&o(S(189))),16),],Void,24,OB),
m("WriteBufferImmediate",109,22,&[f("Count",U32,0),f("pParams",P(&q(S(299),L::Field(0))),8),f("pModes",P(&q(E(174),L::Field(0))),16).opt(),],Void,24,OB),
// ID3D12VideoDecodeCommandList1
m("DecodeFrame1",110,23,&[f("pDecoder",O(113),0),f("pOutputArguments",P(&o(S(192))),8),f("pInputArguments",P(&o(S(189))),16),],Void,24,OB),
// ID3D12VideoDecodeCommandList2
m("SetProtectedResourceSession",111,24,&[f("pProtectedResourceSession",O(83),0).opt(),],Void,8,OB),
m("InitializeExtensionCommand",111,25,&[f("pExtensionCommand",O(130),0),f("pInitializationParameters",P(&q(U8,L::Bytes(2))),8),f("InitializationParametersSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteExtensionCommand",111,26,&[f("pExtensionCommand",O(130),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),],Void,24,OB),
// ID3D12VideoDecodeCommandList3
m("Barrier",112,27,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(2),L::Field(0))),8),],Void,16,OB),
// ID3D12VideoDecoder
m("GetDesc",113,8,&[f("result",P(&o(S(182))),0).out(),],Word,8,EL).rs(),
// ID3D12VideoDecoder1
m("GetProtectedResourceSession",114,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
// ID3D12VideoDecoderHeap
m("GetDesc",115,8,&[f("result",P(&o(S(183))),0).out(),],Word,8,EL).rs(),
// ID3D12VideoDecoderHeap1
m("GetProtectedResourceSession",116,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
// ID3D12VideoDevice
m("CheckFeatureSupport",117,3,&[f("FeatureVideo",E(40),0),f("pFeatureSupportData",P(&q(U8,L::Bytes(2))),8).io(),f("FeatureSupportDataSize",U32,16),],Hresult,24,EL),
m("CreateVideoDecoder",117,4,&[f("pDesc",P(&o(S(182))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoDecoder",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("CreateVideoDecoderHeap",117,5,&[f("pVideoDecoderHeapDesc",P(&o(S(183))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoDecoderHeap",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("CreateVideoProcessor",117,6,&[f("NodeMask",U32,0),f("pOutputStreamDesc",P(&o(S(293))),8),f("NumInputStreamDescs",U32,16),f("pInputStreamDescs",P(&q(S(288),L::Field(2))),24),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppVideoProcessor",P(&o(O(0))),40).out().iid(4),],Hresult,48,EL),
// ID3D12VideoDevice1
m("CreateVideoMotionEstimator",118,7,&[f("pDesc",P(&o(S(280))),0),f("pProtectedResourceSession",O(83),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoMotionEstimator",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
m("CreateVideoMotionVectorHeap",118,8,&[f("pDesc",P(&o(S(283))),0),f("pProtectedResourceSession",O(83),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoMotionVectorHeap",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
// ID3D12VideoDevice2
m("CreateVideoDecoder1",119,9,&[f("pDesc",P(&o(S(182))),0),f("pProtectedResourceSession",O(83),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoDecoder",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
m("CreateVideoDecoderHeap1",119,10,&[f("pVideoDecoderHeapDesc",P(&o(S(183))),0),f("pProtectedResourceSession",O(83),8).opt(),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppVideoDecoderHeap",P(&o(O(0))),24).out().iid(2),],Hresult,32,EL),
m("CreateVideoProcessor1",119,11,&[f("NodeMask",U32,0),f("pOutputStreamDesc",P(&o(S(293))),8),f("NumInputStreamDescs",U32,16),f("pInputStreamDescs",P(&q(S(288),L::Field(2))),24),f("pProtectedResourceSession",O(83),32).opt(),f("riid",P(&o(Guid)),40).r(R::Iid),f("ppVideoProcessor",P(&o(O(0))),48).out().iid(5),],Hresult,56,EL),
m("CreateVideoExtensionCommand",119,12,&[f("pDesc",P(&o(S(279))),0),f("pCreationParameters",P(&q(U8,L::Bytes(2))),8),f("CreationParametersDataSizeInBytes",U64,16),f("pProtectedResourceSession",O(83),24).opt(),f("riid",P(&o(Guid)),32).r(R::Iid),f("ppVideoExtensionCommand",P(&o(O(0))),40).out().iid(4),],Hresult,48,EL),
m("ExecuteExtensionCommand",119,13,&[f("pExtensionCommand",O(130),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),f("pOutputData",P(&q(U8,L::Bytes(4))),24).out(),f("OutputDataSizeInBytes",U64,32),],Hresult,40,EL),
// ID3D12VideoDevice3
m("CreateVideoEncoder",120,14,&[f("pDesc",P(&o(S(215))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoEncoder",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("CreateVideoEncoderHeap",120,15,&[f("pDesc",P(&o(S(226))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoEncoderHeap",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
// ID3D12VideoDevice4
m("CreateVideoEncoderHeap1",121,16,&[f("pDesc",P(&o(S(227))),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppVideoEncoderHeap",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
// ID3D12VideoEncodeCommandList
m("Close",122,9,&[],Hresult,0,EL),
m("Reset",122,10,&[f("pAllocator",O(2),0),],Hresult,8,EL),
m("ClearState",122,11,&[],Void,0,OB),
m("ResourceBarrier",122,12,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(102),L::Field(0))),8),],Void,16,OB),
m("DiscardResource",122,13,&[f("pResource",O(87),0),f("pRegion",P(&o(S(26))),8).opt(),],Void,16,OB),
m("BeginQuery",122,14,&[f("pQueryHeap",O(86),0),f("Type",E(70),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",122,15,&[f("pQueryHeap",O(86),0),f("Type",E(70),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",122,16,&[f("pQueryHeap",O(86),0),f("Type",E(70),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(87),24),f("AlignedDestinationBufferOffset",U64,32),],Void,40,OB),
m("SetPredication",122,17,&[f("pBuffer",O(87),0).opt(),f("AlignedBufferOffset",U64,8),f("Operation",E(64),16),],Void,24,OB),
m("SetMarker",122,18,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt(),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",122,19,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt(),f("Size",U32,16),],Void,24,OB),
m("EndEvent",122,20,&[],Void,0,OB),
m("EstimateMotion",122,21,&[f("pMotionEstimator",O(131),0),f("pOutputArguments",P(&o(S(282))),8),f("pInputArguments",P(&o(S(281))),16),],Void,24,OB),
m("ResolveMotionVectorHeap",122,22,&[f("pOutputArguments",P(&o(S(98))),0),f("pInputArguments",P(&o(S(97))),8),],Void,16,OB),
m("WriteBufferImmediate",122,23,&[f("Count",U32,0),f("pParams",P(&q(S(299),L::Field(0))),8),f("pModes",P(&q(E(174),L::Field(0))),16).opt(),],Void,24,OB),
m("SetProtectedResourceSession",122,24,&[f("pProtectedResourceSession",O(83),0).opt(),],Void,8,OB),
// ID3D12VideoEncodeCommandList1
m("InitializeExtensionCommand",123,25,&[f("pExtensionCommand",O(130),0),f("pInitializationParameters",P(&q(U8,L::Bytes(2))),8),f("InitializationParametersSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteExtensionCommand",123,26,&[f("pExtensionCommand",O(130),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),],Void,24,OB),
// ID3D12VideoEncodeCommandList2
m("EncodeFrame",124,27,&[f("pEncoder",O(127),0),f("pHeap",O(128),8),f("pInputArguments",P(&o(S(218))),16),f("pOutputArguments",P(&o(S(220))),24),],Void,32,OB),
m("ResolveEncoderOutputMetadata",124,28,&[f("pInputArguments",P(&o(S(269))),0),f("pOutputArguments",P(&o(S(271))),8),],Void,16,OB),
// ID3D12VideoEncodeCommandList3
m("Barrier",125,29,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(2),L::Field(0))),8),],Void,16,OB),
// ID3D12VideoEncodeCommandList4
m("EncodeFrame1",126,30,&[f("pEncoder",O(127),0),f("pHeap",O(129),8),f("pInputArguments",P(&o(S(219))),16),f("pOutputArguments",P(&o(S(221))),24),],Void,32,OB),
m("ResolveEncoderOutputMetadata1",126,31,&[f("pInputArguments",P(&o(S(270))),0),f("pOutputArguments",P(&o(S(272))),8),],Void,16,OB),
m("ResolveInputParamLayout",126,32,&[f("pInputArguments",P(&o(S(267))),0),f("pOutputArguments",P(&o(S(268))),8),],Void,16,OB),
// ID3D12VideoEncoder
m("GetNodeMask",127,8,&[],U32,0,EL),
m("GetEncoderFlags",127,9,&[],E(139),0,EL),
m("GetCodec",127,10,&[],E(130),0,EL),
m("GetCodecProfile",127,11,&[f("dstProfile",S(251),0),],Hresult,16,EL),
m("GetCodecConfiguration",127,12,&[f("dstCodecConfig",S(210),0),],Hresult,16,EL),
m("GetInputFormat",127,13,&[],E(199),0,EL),
m("GetMaxMotionEstimationPrecision",127,14,&[],E(151),0,EL),
// ID3D12VideoEncoderHeap
m("GetNodeMask",128,8,&[],U32,0,EL),
m("GetEncoderHeapFlags",128,9,&[],E(145),0,EL),
m("GetCodec",128,10,&[],E(130),0,EL),
m("GetCodecProfile",128,11,&[f("dstProfile",S(251),0),],Hresult,16,EL),
m("GetCodecLevel",128,12,&[f("dstLevel",S(234),0),],Hresult,16,EL),
m("GetResolutionListCount",128,13,&[],U32,0,EL),
m("GetResolutionList",128,14,&[f("ResolutionsListCount",U32,0),f("pResolutionList",P(&q(S(250),L::Field(0))),8).out(),],Hresult,16,EL),
// ID3D12VideoEncoderHeap1
m("GetPow2DownscaleFactor",129,15,&[],U32,0,EL),
// ID3D12VideoExtensionCommand
m("GetDesc",130,8,&[f("result",P(&o(S(279))),0).out(),],Word,8,EL).rs(),
m("GetProtectedResourceSession",130,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
// ID3D12VideoMotionEstimator
m("GetDesc",131,8,&[f("result",P(&o(S(280))),0).out(),],Word,8,EL).rs(),
m("GetProtectedResourceSession",131,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
// ID3D12VideoMotionVectorHeap
m("GetDesc",132,8,&[f("result",P(&o(S(283))),0).out(),],Word,8,EL).rs(),
m("GetProtectedResourceSession",132,9,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
// ID3D12VideoProcessCommandList
m("Close",133,9,&[],Hresult,0,EL),
m("Reset",133,10,&[f("pAllocator",O(2),0),],Hresult,8,EL),
m("ClearState",133,11,&[],Void,0,OB),
m("ResourceBarrier",133,12,&[f("NumBarriers",U32,0),f("pBarriers",P(&q(S(102),L::Field(0))),8),],Void,16,OB),
m("DiscardResource",133,13,&[f("pResource",O(87),0),f("pRegion",P(&o(S(26))),8).opt(),],Void,16,OB),
m("BeginQuery",133,14,&[f("pQueryHeap",O(86),0),f("Type",E(70),8),f("Index",U32,12),],Void,16,OB),
m("EndQuery",133,15,&[f("pQueryHeap",O(86),0),f("Type",E(70),8),f("Index",U32,12),],Void,16,OB),
m("ResolveQueryData",133,16,&[f("pQueryHeap",O(86),0),f("Type",E(70),8),f("StartIndex",U32,12),f("NumQueries",U32,16),f("pDestinationBuffer",O(87),24),f("AlignedDestinationBufferOffset",U64,32),],Void,40,OB),
m("SetPredication",133,17,&[f("pBuffer",O(87),0).opt(),f("AlignedBufferOffset",U64,8),f("Operation",E(64),16),],Void,24,OB),
m("SetMarker",133,18,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt(),f("Size",U32,16),],Void,24,OB),
m("BeginEvent",133,19,&[f("Metadata",U32,0),f("pData",P(&q(U8,L::Bytes(2))),8).opt(),f("Size",U32,16),],Void,24,OB),
m("EndEvent",133,20,&[],Void,0,OB),
m("ProcessFrames",133,21,&[f("pVideoProcessor",O(137),0),f("pOutputArguments",P(&o(S(292))),8),f("NumInputStreams",U32,16),f("pInputArguments",P(&q(S(286),L::Field(2))),24),],Void,32,OB),
m("WriteBufferImmediate",133,22,&[f("Count",U32,0),f("pParams",P(&q(S(299),L::Field(0))),8),f("pModes",P(&q(E(174),L::Field(0))),16).opt(),],Void,24,OB),
// ID3D12VideoProcessCommandList1
m("ProcessFrames1",134,23,&[f("pVideoProcessor",O(137),0),f("pOutputArguments",P(&o(S(292))),8),f("NumInputStreams",U32,16),f("pInputArguments",P(&q(S(287),L::Field(2))),24),],Void,32,OB),
// ID3D12VideoProcessCommandList2
m("SetProtectedResourceSession",135,24,&[f("pProtectedResourceSession",O(83),0).opt(),],Void,8,OB),
m("InitializeExtensionCommand",135,25,&[f("pExtensionCommand",O(130),0),f("pInitializationParameters",P(&q(U8,L::Bytes(2))),8),f("InitializationParametersSizeInBytes",U64,16),],Void,24,OB),
m("ExecuteExtensionCommand",135,26,&[f("pExtensionCommand",O(130),0),f("pExecutionParameters",P(&q(U8,L::Bytes(2))),8),f("ExecutionParametersSizeInBytes",U64,16),],Void,24,OB),
// ID3D12VideoProcessCommandList3
m("Barrier",136,27,&[f("NumBarrierGroups",U32,0),f("pBarrierGroups",P(&q(S(2),L::Field(0))),8),],Void,16,OB),
// ID3D12VideoProcessor
m("GetNodeMask",137,8,&[],U32,0,EL),
m("GetNumInputStreamDescs",137,9,&[],U32,0,EL),
m("GetInputStreamDescs",137,10,&[f("NumInputStreamDescs",U32,0),f("pInputStreamDescs",P(&q(S(288),L::Field(0))),8).out(),],Hresult,16,EL),
m("GetOutputStreamDesc",137,11,&[f("result",P(&o(S(293))),0).out(),],Word,8,EL).rs(),
// ID3D12VideoProcessor1
m("GetProtectedResourceSession",138,12,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppProtectedSession",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
// ID3D12VirtualizationGuestDevice
m("ShareWithHost",139,3,&[f("pObject",O(39),0),f("pHandle",P(&o(Word)),8).out().r(R::Foreign),],Hresult,16,EL),
m("CreateFenceFd",139,4,&[f("pFence",O(51),0),f("FenceValue",U64,8),f("pFenceFd",P(&o(I32)),16).out(),],Hresult,24,EL),
// ID3D12WorkGraphProperties
m("GetNumWorkGraphs",140,3,&[],U32,0,EL),
m("GetProgramName",140,4,&[f("WorkGraphIndex",U32,0),],P(&t(U16)),8,EL).rr(R::Text),
m("GetWorkGraphIndex",140,5,&[f("pProgramName",P(&t(U16)),0).r(R::Text),],U32,8,EL),
m("GetNumNodes",140,6,&[f("WorkGraphIndex",U32,0),],U32,8,EL),
m("GetNodeID",140,7,&[f("result",P(&o(S(64))),0).out(),f("WorkGraphIndex",U32,8),f("NodeIndex",U32,12),],Word,16,EL).rs(),
m("GetNodeIndex",140,8,&[f("WorkGraphIndex",U32,0),f("NodeID",S(64),8),],U32,24,EL),
m("GetNodeLocalRootArgumentsTableIndex",140,9,&[f("WorkGraphIndex",U32,0),f("NodeIndex",U32,4),],U32,8,EL),
m("GetNumEntrypoints",140,10,&[f("WorkGraphIndex",U32,0),],U32,8,EL),
m("GetEntrypointID",140,11,&[f("result",P(&o(S(64))),0).out(),f("WorkGraphIndex",U32,8),f("EntrypointIndex",U32,12),],Word,16,EL).rs(),
m("GetEntrypointIndex",140,12,&[f("WorkGraphIndex",U32,0),f("NodeID",S(64),8),],U32,24,EL),
m("GetEntrypointRecordSizeInBytes",140,13,&[f("WorkGraphIndex",U32,0),f("EntrypointIndex",U32,4),],U32,8,EL),
m("GetWorkGraphMemoryRequirements",140,14,&[f("WorkGraphIndex",U32,0),f("pWorkGraphMemoryRequirements",P(&o(S(298))),8).out(),],Void,16,EL),
m("GetEntrypointRecordAlignmentInBytes",140,15,&[f("WorkGraphIndex",U32,0),f("EntrypointIndex",U32,4),],U32,8,EL),
// ID3DDestructionNotifier
m("RegisterDestructionCallback",141,3,&[f("callbackFn",Word,0).r(R::Callback),f("pData",P(&o(U8)),8),f("pCallbackID",P(&o(U32)),16).out(),],Hresult,24,EL),
m("UnregisterDestructionCallback",141,4,&[f("callbackID",U32,0),],Hresult,8,EL),
// IDXGIAdapter
m("EnumOutputs",142,7,&[f("Output",U32,0),f("ppOutput",P(&o(O(169))),8).io().c(175),],Hresult,16,EL),
m("GetDesc",142,8,&[f("pDesc",P(&o(S(301))),0).out(),],Hresult,8,EL),
m("CheckInterfaceSupport",142,9,&[f("InterfaceName",P(&o(Guid)),0),f("pUMDVersion",P(&o(I64)),8).out(),],Hresult,16,EL),
// IDXGIAdapter1
m("GetDesc1",143,10,&[f("pDesc",P(&o(S(302))),0).out(),],Hresult,8,EL),
// IDXGIAdapter2
m("GetDesc2",144,11,&[f("pDesc",P(&o(S(303))),0).out(),],Hresult,8,EL),
// IDXGIAdapter3
m("RegisterHardwareContentProtectionTeardownStatusEvent",145,12,&[f("hEvent",Word,0).r(R::Foreign),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterHardwareContentProtectionTeardownStatus",145,13,&[f("dwCookie",U32,0),],Void,8,EN),
m("QueryVideoMemoryInfo",145,14,&[f("NodeIndex",U32,0),f("MemorySegmentGroup",E(206),4),f("pVideoMemoryInfo",P(&o(S(325))),8).out(),],Hresult,16,EL),
m("SetVideoMemoryReservation",145,15,&[f("NodeIndex",U32,0),f("MemorySegmentGroup",E(206),4),f("Reservation",U64,8),],Hresult,16,EL),
m("RegisterVideoMemoryBudgetChangeNotificationEvent",145,16,&[f("hEvent",Word,0).r(R::Foreign),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterVideoMemoryBudgetChangeNotification",145,17,&[f("dwCookie",U32,0),],Void,8,EN),
// IDXGIAdapter4
m("GetDesc3",146,18,&[f("pDesc",P(&o(S(304))),0).out(),],Hresult,8,EL),
// IDXGIDebug
m("ReportLiveObjects",147,3,&[f("apiid",Guid,0),f("flags",E(197),16),],Hresult,24,EL),
// IDXGIDebug1
m("EnableLeakTrackingForThread",148,4,&[],Void,0,EN),
m("DisableLeakTrackingForThread",148,5,&[],Void,0,EN),
m("IsLeakTrackingEnabledForThread",148,6,&[],Bool,0,EL),
// IDXGIDecodeSwapChain
m("PresentBuffer",149,3,&[f("BufferToPresent",U32,0),f("SyncInterval",U32,4),f("Flags",U32,8),],Hresult,16,EL),
m("SetSourceRect",149,4,&[f("pRect",P(&o(S(336))),0),],Hresult,8,EL),
m("SetTargetRect",149,5,&[f("pRect",P(&o(S(336))),0),],Hresult,8,EL),
m("SetDestSize",149,6,&[f("Width",U32,0),f("Height",U32,4),],Hresult,8,EL),
m("GetSourceRect",149,7,&[f("pRect",P(&o(S(336))),0).out(),],Hresult,8,EL),
m("GetTargetRect",149,8,&[f("pRect",P(&o(S(336))),0).out(),],Hresult,8,EL),
m("GetDestSize",149,9,&[f("pWidth",P(&o(U32)),0).out(),f("pHeight",P(&o(U32)),8).out(),],Hresult,16,EL),
m("SetColorSpace",149,10,&[f("ColorSpace",E(210),0),],Hresult,8,EL),
m("GetColorSpace",149,11,&[],E(210),0,EL),
// IDXGIDevice
m("GetAdapter",150,7,&[f("pAdapter",P(&o(O(142))),0).out().c(146),],Hresult,8,EL),
m("CreateSurface",150,8,&[f("pDesc",P(&o(S(330))),0),f("NumSurfaces",U32,8),f("Usage",U32,12),f("pSharedResource",P(&o(S(329))),16).opt(),f("ppSurface",P(&q(O(179),L::Field(1))),24).out().c(181),],Hresult,32,EL),
m("QueryResourceResidency",150,9,&[f("ppResources",P(&q(O(0),L::Field(2))),0).c(0),f("pResidencyStatus",P(&q(E(213),L::Field(2))),8).out(),f("NumResources",U32,16),],Hresult,24,EL),
m("SetGPUThreadPriority",150,10,&[f("Priority",I32,0),],Hresult,8,EL),
m("GetGPUThreadPriority",150,11,&[f("pPriority",P(&o(I32)),0).out(),],Hresult,8,EL),
// IDXGIDevice1
m("SetMaximumFrameLatency",151,12,&[f("MaxLatency",U32,0),],Hresult,8,EL),
m("GetMaximumFrameLatency",151,13,&[f("pMaxLatency",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGIDevice2
m("OfferResources",152,14,&[f("NumResources",U32,0),f("ppResources",P(&q(O(177),L::Field(0))),8).c(178),f("Priority",E(211),16),],Hresult,24,EL),
m("ReclaimResources",152,15,&[f("NumResources",U32,0),f("ppResources",P(&q(O(177),L::Field(0))),8).c(178),f("pDiscarded",P(&q(Bool,L::Field(0))),16).out().opt(),],Hresult,24,EL),
m("EnqueueSetEvent",152,16,&[f("hEvent",Word,0).r(R::Foreign),],Hresult,8,EL),
// IDXGIDevice3
m("Trim",153,17,&[],Void,0,EN),
// IDXGIDevice4
m("OfferResources1",154,18,&[f("NumResources",U32,0),f("ppResources",P(&q(O(177),L::Field(0))),8).c(178),f("Priority",E(211),16),f("Flags",U32,20),],Hresult,24,EL),
m("ReclaimResources1",154,19,&[f("NumResources",U32,0),f("ppResources",P(&q(O(177),L::Field(0))),8).c(178),f("pResults",P(&q(E(212),L::Field(0))),16).out(),],Hresult,24,EL),
// IDXGIDeviceSubObject
m("GetDevice",155,7,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppDevice",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
// IDXGIDisplayControl
m("IsStereoEnabled",156,3,&[],Bool,0,EL),
m("SetStereoEnabled",156,4,&[f("enabled",Bool,0),],Void,8,EN),
// IDXGIFactory
m("EnumAdapters",157,7,&[f("Adapter",U32,0),f("ppAdapter",P(&o(O(142))),8).out().c(146),],Hresult,16,EL),
m("MakeWindowAssociation",157,8,&[f("WindowHandle",Word,0).r(R::Foreign),f("Flags",U32,8),],Hresult,16,EL),
m("GetWindowAssociation",157,9,&[f("pWindowHandle",P(&o(Word)),0).out().r(R::Foreign),],Hresult,8,EL),
m("CreateSwapChain",157,10,&[f("pDevice",O(0),0),f("pDesc",P(&o(S(331))),8),f("ppSwapChain",P(&o(O(182))),16).out().c(186),],Hresult,24,EL),
m("CreateSoftwareAdapter",157,11,&[f("Module",Word,0).r(R::Foreign),f("ppAdapter",P(&o(O(142))),8).out().c(146),],Hresult,16,EL),
// IDXGIFactory1
m("EnumAdapters1",158,12,&[f("Adapter",U32,0),f("ppAdapter",P(&o(O(143))),8).out().c(146),],Hresult,16,EL),
m("IsCurrent",158,13,&[],Bool,0,EL),
// IDXGIFactory2
m("IsWindowedStereoEnabled",159,14,&[],Bool,0,EL),
m("CreateSwapChainForHwnd",159,15,&[f("pDevice",O(0),0),f("hWnd",Word,8).r(R::Foreign),f("pDesc",P(&o(S(332))),16),f("pFullscreenDesc",P(&o(S(333))),24).opt(),f("pRestrictToOutput",O(169),32).opt(),f("ppSwapChain",P(&o(O(183))),40).out().c(186),],Hresult,48,EL),
m("CreateSwapChainForCoreWindow",159,16,&[f("pDevice",O(0),0),f("pWindow",O(0),8),f("pDesc",P(&o(S(332))),16),f("pRestrictToOutput",O(169),24).opt(),f("ppSwapChain",P(&o(O(183))),32).out().c(186),],Hresult,40,EL),
m("GetSharedResourceAdapterLuid",159,17,&[f("hResource",Word,0).r(R::Foreign),f("pLuid",P(&o(S(334))),8).out(),],Hresult,16,EL),
m("RegisterStereoStatusWindow",159,18,&[f("WindowHandle",Word,0).r(R::Foreign),f("wMsg",U32,8),f("pdwCookie",P(&o(U32)),16).out(),],Hresult,24,EL),
m("RegisterStereoStatusEvent",159,19,&[f("hEvent",Word,0).r(R::Foreign),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterStereoStatus",159,20,&[f("dwCookie",U32,0),],Void,8,EN),
m("RegisterOcclusionStatusWindow",159,21,&[f("WindowHandle",Word,0).r(R::Foreign),f("wMsg",U32,8),f("pdwCookie",P(&o(U32)),16).out(),],Hresult,24,EL),
m("RegisterOcclusionStatusEvent",159,22,&[f("hEvent",Word,0).r(R::Foreign),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterOcclusionStatus",159,23,&[f("dwCookie",U32,0),],Void,8,EN),
m("CreateSwapChainForComposition",159,24,&[f("pDevice",O(0),0),f("pDesc",P(&o(S(332))),8),f("pRestrictToOutput",O(169),16).opt(),f("ppSwapChain",P(&o(O(183))),24).out().c(186),],Hresult,32,EL),
// IDXGIFactory3
m("GetCreationFlags",160,25,&[],U32,0,EL),
// IDXGIFactory4
m("EnumAdapterByLuid",161,26,&[f("AdapterLuid",S(334),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvAdapter",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("EnumWarpAdapter",161,27,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvAdapter",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
// IDXGIFactory5
m("CheckFeatureSupport",162,28,&[f("Feature",E(198),0),f("pFeatureSupportData",P(&q(U8,L::Bytes(2))),8).io(),f("FeatureSupportDataSize",U32,16),],Hresult,24,EL),
// IDXGIFactory6
m("EnumAdapterByGpuPreference",163,29,&[f("Adapter",U32,0),f("GpuPreference",E(201),4),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvAdapter",P(&o(O(0))),16).out().iid(2),],Hresult,24,EL),
// IDXGIFactory7
m("RegisterAdaptersChangedEvent",164,30,&[f("hEvent",Word,0).r(R::Foreign),f("pdwCookie",P(&o(U32)),8).out(),],Hresult,16,EL),
m("UnregisterAdaptersChangedEvent",164,31,&[f("dwCookie",U32,0),],Hresult,8,EL),
// IDXGIFactoryMedia
m("CreateSwapChainForCompositionSurfaceHandle",165,3,&[f("pDevice",O(0),0),f("hSurface",Word,8).r(R::Foreign),f("pDesc",P(&o(S(332))),16),f("pRestrictToOutput",O(169),24).opt(),f("ppSwapChain",P(&o(O(183))),32).out().c(186),],Hresult,40,EL),
m("CreateDecodeSwapChainForCompositionSurfaceHandle",165,4,&[f("pDevice",O(0),0),f("hSurface",Word,8).r(R::Foreign),f("pDesc",P(&o(S(305))),16),f("pYuvDecodeBuffers",O(177),24),f("pRestrictToOutput",O(169),32).opt(),f("ppSwapChain",P(&o(O(149))),40).out().c(149),],Hresult,48,EL),
// IDXGIInfoQueue
m("SetMessageCountLimit",166,3,&[f("Producer",Guid,0),f("MessageCountLimit",U64,16),],Hresult,24,EL),
m("ClearStoredMessages",166,4,&[f("Producer",Guid,0),],Void,16,EN),
m("GetMessage",166,5,&[f("Producer",Guid,0),f("MessageIndex",U64,16),f("pMessage",P(&q(S(312),L::BytesThrough(3))),24).out().opt(),f("pMessageByteLength",P(&o(U64)),32).io(),],Hresult,40,EL),
m("GetNumStoredMessagesAllowedByRetrievalFilters",166,6,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumStoredMessages",166,7,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumMessagesDiscardedByMessageCountLimit",166,8,&[f("Producer",Guid,0),],U64,16,EL),
m("GetMessageCountLimit",166,9,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumMessagesAllowedByStorageFilter",166,10,&[f("Producer",Guid,0),],U64,16,EL),
m("GetNumMessagesDeniedByStorageFilter",166,11,&[f("Producer",Guid,0),],U64,16,EL),
m("AddStorageFilterEntries",166,12,&[f("Producer",Guid,0),f("pFilter",P(&o(S(310))),16),],Hresult,24,EL),
m("GetStorageFilter",166,13,&[f("Producer",Guid,0),f("pFilter",P(&q(S(310),L::BytesThrough(2))),16).out().opt(),f("pFilterByteLength",P(&o(U64)),24).io(),],Hresult,32,EL),
m("ClearStorageFilter",166,14,&[f("Producer",Guid,0),],Void,16,EN),
m("PushEmptyStorageFilter",166,15,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushDenyAllStorageFilter",166,16,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushCopyOfStorageFilter",166,17,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushStorageFilter",166,18,&[f("Producer",Guid,0),f("pFilter",P(&o(S(310))),16),],Hresult,24,EL),
m("PopStorageFilter",166,19,&[f("Producer",Guid,0),],Void,16,EN),
m("GetStorageFilterStackSize",166,20,&[f("Producer",Guid,0),],U32,16,EL),
m("AddRetrievalFilterEntries",166,21,&[f("Producer",Guid,0),f("pFilter",P(&o(S(310))),16),],Hresult,24,EL),
m("GetRetrievalFilter",166,22,&[f("Producer",Guid,0),f("pFilter",P(&q(S(310),L::BytesThrough(2))),16).out().opt(),f("pFilterByteLength",P(&o(U64)),24).io(),],Hresult,32,EL),
m("ClearRetrievalFilter",166,23,&[f("Producer",Guid,0),],Void,16,EN),
m("PushEmptyRetrievalFilter",166,24,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushDenyAllRetrievalFilter",166,25,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushCopyOfRetrievalFilter",166,26,&[f("Producer",Guid,0),],Hresult,16,EL),
m("PushRetrievalFilter",166,27,&[f("Producer",Guid,0),f("pFilter",P(&o(S(310))),16),],Hresult,24,EL),
m("PopRetrievalFilter",166,28,&[f("Producer",Guid,0),],Void,16,EN),
m("GetRetrievalFilterStackSize",166,29,&[f("Producer",Guid,0),],U32,16,EL),
m("AddMessage",166,30,&[f("Producer",Guid,0),f("Category",E(204),16),f("Severity",E(205),20),f("ID",I32,24),f("pDescription",P(&t(U8)),32).r(R::Text),],Hresult,40,EL),
m("AddApplicationMessage",166,31,&[f("Severity",E(205),0),f("pDescription",P(&t(U8)),8).r(R::Text),],Hresult,16,EL),
m("SetBreakOnCategory",166,32,&[f("Producer",Guid,0),f("Category",E(204),16),f("bEnable",Bool,20),],Hresult,24,EL),
m("SetBreakOnSeverity",166,33,&[f("Producer",Guid,0),f("Severity",E(205),16),f("bEnable",Bool,20),],Hresult,24,EL),
m("SetBreakOnID",166,34,&[f("Producer",Guid,0),f("ID",I32,16),f("bEnable",Bool,20),],Hresult,24,EL),
m("GetBreakOnCategory",166,35,&[f("Producer",Guid,0),f("Category",E(204),16),],Bool,24,EL),
m("GetBreakOnSeverity",166,36,&[f("Producer",Guid,0),f("Severity",E(205),16),],Bool,24,EL),
m("GetBreakOnID",166,37,&[f("Producer",Guid,0),f("ID",I32,16),],Bool,24,EL),
m("SetMuteDebugOutput",166,38,&[f("Producer",Guid,0),f("bMute",Bool,16),],Void,24,EN),
m("GetMuteDebugOutput",166,39,&[f("Producer",Guid,0),],Bool,16,EL),
// IDXGIKeyedMutex
m("AcquireSync",167,8,&[f("Key",U64,0),f("dwMilliseconds",U32,8),],Hresult,16,EL),
m("ReleaseSync",167,9,&[f("Key",U64,0),],Hresult,8,EL),
// IDXGIObject
m("SetPrivateData",168,3,&[f("Name",P(&o(Guid)),0),f("DataSize",U32,8),f("pData",P(&q(U8,L::Bytes(1))),16),],Hresult,24,EL),
m("SetPrivateDataInterface",168,4,&[f("Name",P(&o(Guid)),0),f("pUnknown",O(0),8).opt(),],Hresult,16,EL),
m("GetPrivateData",168,5,&[f("Name",P(&o(Guid)),0),f("pDataSize",P(&o(U32)),8).io(),f("pData",P(&q(U8,L::BytesThrough(1))),16).out(),],Hresult,24,EL),
m("GetParent",168,6,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppParent",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
// IDXGIOutput
m("GetDesc",169,7,&[f("pDesc",P(&o(S(322))),0).out(),],Hresult,8,EL),
m("GetDisplayModeList",169,8,&[f("EnumFormat",E(199),0),f("Flags",U32,4),f("pNumModes",P(&o(U32)),8).io(),f("pDesc",P(&q(S(315),L::Through(2))),16).out().opt(),],Hresult,24,EL),
m("FindClosestMatchingMode",169,9,&[f("pModeToMatch",P(&o(S(315))),0),f("pClosestMatch",P(&o(S(315))),8).out(),f("pConcernedDevice",O(0),16).opt(),],Hresult,24,EL),
m("WaitForVBlank",169,10,&[],Hresult,0,EL),
m("TakeOwnership",169,11,&[f("pDevice",O(0),0),f("Exclusive",Bool,8),],Hresult,16,EL),
m("ReleaseOwnership",169,12,&[],Void,0,EN),
m("GetGammaControlCapabilities",169,13,&[f("pGammaCaps",P(&o(S(309))),0).out(),],Hresult,8,EL),
m("SetGammaControl",169,14,&[f("pArray",P(&o(S(308))),0),],Hresult,8,EL),
m("GetGammaControl",169,15,&[f("pArray",P(&o(S(308))),0).out(),],Hresult,8,EL),
m("SetDisplaySurface",169,16,&[f("pScanoutSurface",O(179),0),],Hresult,8,EL),
m("GetDisplaySurfaceData",169,17,&[f("pDestination",O(179),0),],Hresult,8,EL),
m("GetFrameStatistics",169,18,&[f("pStats",P(&o(S(306))),0).out(),],Hresult,8,EL),
// IDXGIOutput1
m("GetDisplayModeList1",170,19,&[f("EnumFormat",E(199),0),f("Flags",U32,4),f("pNumModes",P(&o(U32)),8).io(),f("pDesc",P(&q(S(316),L::Through(2))),16).out().opt(),],Hresult,24,EL),
m("FindClosestMatchingMode1",170,20,&[f("pModeToMatch",P(&o(S(316))),0),f("pClosestMatch",P(&o(S(316))),8).out(),f("pConcernedDevice",O(0),16).opt(),],Hresult,24,EL),
m("GetDisplaySurfaceData1",170,21,&[f("pDestination",O(177),0),],Hresult,8,EL),
m("DuplicateOutput",170,22,&[f("pDevice",O(0),0),f("ppOutputDuplication",P(&o(O(176))),8).out().c(176),],Hresult,16,EL),
// IDXGIOutput2
m("SupportsOverlays",171,23,&[],Bool,0,EL),
// IDXGIOutput3
m("CheckOverlaySupport",172,24,&[f("EnumFormat",E(199),0),f("pConcernedDevice",O(0),8),f("pFlags",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGIOutput4
m("CheckOverlayColorSpaceSupport",173,25,&[f("Format",E(199),0),f("ColorSpace",E(195),4),f("pConcernedDevice",O(0),8),f("pFlags",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGIOutput5
m("DuplicateOutput1",174,26,&[f("pDevice",O(0),0),f("Flags",U32,8),f("SupportedFormatsCount",U32,12),f("pSupportedFormats",P(&q(E(199),L::Field(2))),16),f("ppOutputDuplication",P(&o(O(176))),24).out().c(176),],Hresult,32,EL),
// IDXGIOutput6
m("GetDesc1",175,27,&[f("pDesc",P(&o(S(323))),0).out(),],Hresult,8,EL),
m("CheckHardwareCompositionSupport",175,28,&[f("pFlags",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGIOutputDuplication
m("GetDesc",176,7,&[f("pDesc",P(&o(S(317))),0).out(),],Void,8,EL),
m("AcquireNextFrame",176,8,&[f("TimeoutInMilliseconds",U32,0),f("pFrameInfo",P(&o(S(318))),8).out(),f("ppDesktopResource",P(&o(O(177))),16).out().c(178),],Hresult,24,EL),
m("GetFrameDirtyRects",176,9,&[f("DirtyRectsBufferSize",U32,0),f("pDirtyRectsBuffer",P(&q(S(336),L::Bytes(0))),8).out(),f("pDirtyRectsBufferSizeRequired",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetFrameMoveRects",176,10,&[f("MoveRectsBufferSize",U32,0),f("pMoveRectBuffer",P(&q(S(319),L::Bytes(0))),8).out(),f("pMoveRectsBufferSizeRequired",P(&o(U32)),16).out(),],Hresult,24,EL),
m("GetFramePointerShape",176,11,&[f("PointerShapeBufferSize",U32,0),f("pPointerShapeBuffer",P(&q(U8,L::Bytes(0))),8).out(),f("pPointerShapeBufferSizeRequired",P(&o(U32)),16).out(),f("pPointerShapeInfo",P(&o(S(321))),24).out(),],Hresult,32,EL),
m("MapDesktopSurface",176,12,&[f("pLockedRect",P(&o(S(313))),0).out(),],Hresult,8,EL),
m("UnMapDesktopSurface",176,13,&[],Hresult,0,EL),
m("ReleaseFrame",176,14,&[],Hresult,0,EL),
// IDXGIResource
m("GetSharedHandle",177,8,&[f("pSharedHandle",P(&o(Word)),0).out().r(R::Foreign),],Hresult,8,EL),
m("GetUsage",177,9,&[f("pUsage",P(&o(U32)),0).out(),],Hresult,8,EL),
m("SetEvictionPriority",177,10,&[f("EvictionPriority",U32,0),],Hresult,8,EL),
m("GetEvictionPriority",177,11,&[f("pEvictionPriority",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGIResource1
m("CreateSubresourceSurface",178,12,&[f("index",U32,0),f("ppSurface",P(&o(O(181))),8).out().c(181),],Hresult,16,EL),
m("CreateSharedHandle",178,13,&[f("pAttributes",P(&o(S(337))),0).opt(),f("dwAccess",U32,8),f("lpName",P(&t(U16)),16).opt().r(R::Text),f("pHandle",P(&o(Word)),24).out().r(R::Foreign),],Hresult,32,EL),
// IDXGISurface
m("GetDesc",179,8,&[f("pDesc",P(&o(S(330))),0).out(),],Hresult,8,EL),
m("Map",179,9,&[f("pLockedRect",P(&o(S(313))),0).out(),f("MapFlags",U32,8),],Hresult,16,EL),
m("Unmap",179,10,&[],Hresult,0,EL),
// IDXGISurface1
m("GetDC",180,11,&[f("Discard",Bool,0),f("phdc",P(&o(Word)),8).out().r(R::Foreign),],Hresult,16,EL),
m("ReleaseDC",180,12,&[f("pDirtyRect",P(&o(S(336))),0).opt(),],Hresult,8,EL),
// IDXGISurface2
m("GetResource",181,13,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppParentResource",P(&o(O(0))),8).out().iid(0),f("pSubresourceIndex",P(&o(U32)),16).out(),],Hresult,24,EL),
// IDXGISwapChain
m("Present",182,8,&[f("SyncInterval",U32,0),f("Flags",U32,4),],Hresult,8,EL),
m("GetBuffer",182,9,&[f("Buffer",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppSurface",P(&o(O(0))),16).io().iid(1),],Hresult,24,EL),
m("SetFullscreenState",182,10,&[f("Fullscreen",Bool,0),f("pTarget",O(169),8).opt(),],Hresult,16,EL),
m("GetFullscreenState",182,11,&[f("pFullscreen",P(&o(Bool)),0).out().opt(),f("ppTarget",P(&o(O(169))),8).out().opt().c(175),],Hresult,16,EL),
m("GetDesc",182,12,&[f("pDesc",P(&o(S(331))),0).out(),],Hresult,8,EL),
m("ResizeBuffers",182,13,&[f("BufferCount",U32,0),f("Width",U32,4),f("Height",U32,8),f("NewFormat",E(199),12),f("SwapChainFlags",U32,16),],Hresult,24,EL),
m("ResizeTarget",182,14,&[f("pNewTargetParameters",P(&o(S(315))),0),],Hresult,8,EL),
m("GetContainingOutput",182,15,&[f("ppOutput",P(&o(O(169))),0).out().c(175),],Hresult,8,EL),
m("GetFrameStatistics",182,16,&[f("pStats",P(&o(S(306))),0).out(),],Hresult,8,EL),
m("GetLastPresentCount",182,17,&[f("pLastPresentCount",P(&o(U32)),0).out(),],Hresult,8,EL),
// IDXGISwapChain1
m("GetDesc1",183,18,&[f("pDesc",P(&o(S(332))),0).out(),],Hresult,8,EL),
m("GetFullscreenDesc",183,19,&[f("pDesc",P(&o(S(333))),0).out(),],Hresult,8,EL),
m("GetHwnd",183,20,&[f("pHwnd",P(&o(Word)),0).out().r(R::Foreign),],Hresult,8,EL),
m("GetCoreWindow",183,21,&[f("refiid",P(&o(Guid)),0).r(R::Iid),f("ppUnk",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
m("Present1",183,22,&[f("SyncInterval",U32,0),f("PresentFlags",U32,4),f("pPresentParameters",P(&o(S(324))),8),],Hresult,16,EL),
m("IsTemporaryMonoSupported",183,23,&[],Bool,0,EL),
m("GetRestrictToOutput",183,24,&[f("ppRestrictToOutput",P(&o(O(169))),0).out().c(175),],Hresult,8,EL),
m("SetBackgroundColor",183,25,&[f("pColor",P(&o(S(300))),0),],Hresult,8,EL),
m("GetBackgroundColor",183,26,&[f("pColor",P(&o(S(300))),0).out(),],Hresult,8,EL),
m("SetRotation",183,27,&[f("Rotation",E(207),0),],Hresult,8,EL),
m("GetRotation",183,28,&[f("pRotation",P(&o(E(207))),0).out(),],Hresult,8,EL),
// IDXGISwapChain2
m("SetSourceSize",184,29,&[f("Width",U32,0),f("Height",U32,4),],Hresult,8,EL),
m("GetSourceSize",184,30,&[f("pWidth",P(&o(U32)),0).out(),f("pHeight",P(&o(U32)),8).out(),],Hresult,16,EL),
m("SetMaximumFrameLatency",184,31,&[f("MaxLatency",U32,0),],Hresult,8,EL),
m("GetMaximumFrameLatency",184,32,&[f("pMaxLatency",P(&o(U32)),0).out(),],Hresult,8,EL),
m("GetFrameLatencyWaitableObject",184,33,&[],Word,0,EL).rr(R::Foreign),
m("SetMatrixTransform",184,34,&[f("pMatrix",P(&o(S(314))),0),],Hresult,8,EL),
m("GetMatrixTransform",184,35,&[f("pMatrix",P(&o(S(314))),0).out(),],Hresult,8,EL),
// IDXGISwapChain3
m("GetCurrentBackBufferIndex",185,36,&[],U32,0,EL),
m("CheckColorSpaceSupport",185,37,&[f("ColorSpace",E(195),0),f("pColorSpaceSupport",P(&o(U32)),8).out(),],Hresult,16,EL),
m("SetColorSpace1",185,38,&[f("ColorSpace",E(195),0),],Hresult,8,EL),
m("ResizeBuffers1",185,39,&[f("BufferCount",U32,0),f("Width",U32,4),f("Height",U32,8),f("Format",E(199),12),f("SwapChainFlags",U32,16),f("pCreationNodeMask",P(&q(U32,L::Field(0))),24),f("ppPresentQueue",P(&q(O(0),L::Field(0))),32).c(0),],Hresult,40,EL),
// IDXGISwapChain4
m("SetHDRMetaData",186,40,&[f("Type",E(203),0),f("Size",U32,4),f("pMetaData",P(&q(U8,L::Field(1))),8).opt(),],Hresult,16,EL),
// IDXGISwapChainMedia
m("GetFrameStatisticsMedia",187,3,&[f("pStats",P(&o(S(307))),0).out(),],Hresult,8,EL),
m("SetPresentDuration",187,4,&[f("Duration",U32,0),],Hresult,8,EL),
m("CheckPresentDurationSupport",187,5,&[f("DesiredPresentDuration",U32,0),f("pClosestSmallerPresentDuration",P(&o(U32)),8).out(),f("pClosestLargerPresentDuration",P(&o(U32)),16).out(),],Hresult,24,EL),
// functions
m("D3D12CreateDevice",-1,0,&[f("pAdapter",O(0),0).opt(),f("MinimumFeatureLevel",E(176),8),f("riid",P(&o(Guid)),16).r(R::Iid),f("ppDevice",P(&o(O(0))),24).out().opt().iid(2),],Hresult,32,EL),
m("D3D12GetDebugInterface",-1,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppvDebug",P(&o(O(0))),8).out().opt().iid(0),],Hresult,16,EL),
m("D3D12GetInterface",-1,0,&[f("rclsid",P(&o(Guid)),0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppvDebug",P(&o(O(0))),16).out().opt().iid(1),],Hresult,24,EL),
m("D3D12EnableExperimentalFeatures",-1,0,&[f("NumFeatures",U32,0),f("pIIDs",P(&o(Guid)),8),f("pConfigurationStructs",P(&o(U8)),16).out(),f("pConfigurationStructSizes",P(&o(U32)),24).out(),],Hresult,32,EL),
m("D3D12SerializeRootSignature",-1,0,&[f("pRootSignature",P(&o(S(115))),0),f("Version",E(185),8),f("ppBlob",P(&o(O(1))),16).out().c(1),f("ppErrorBlob",P(&o(O(1))),24).out().c(1),],Hresult,32,EL),
m("D3D12SerializeVersionedRootSignature",-1,0,&[f("pRootSignature",P(&o(S(180))),0),f("ppBlob",P(&o(O(1))),8).out().c(1),f("ppErrorBlob",P(&o(O(1))),16).out().c(1),],Hresult,24,EL),
m("D3D12CreateRootSignatureDeserializer",-1,0,&[f("pSrcData",P(&q(U8,L::Bytes(1))),0),f("SrcDataSizeInBytes",U64,8),f("pRootSignatureDeserializerInterface",P(&o(Guid)),16),f("ppRootSignatureDeserializer",P(&o(U8)),24).out(),],Hresult,32,EL),
m("D3D12CreateVersionedRootSignatureDeserializer",-1,0,&[f("pSrcData",P(&q(U8,L::Bytes(1))),0),f("SrcDataSizeInBytes",U64,8),f("pRootSignatureDeserializerInterface",P(&o(Guid)),16),f("ppRootSignatureDeserializer",P(&o(U8)),24).out(),],Hresult,32,EL),
m("CreateDXGIFactory",-1,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppFactory",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
m("CreateDXGIFactory1",-1,0,&[f("riid",P(&o(Guid)),0).r(R::Iid),f("ppFactory",P(&o(O(0))),8).out().iid(0),],Hresult,16,EL),
m("CreateDXGIFactory2",-1,0,&[f("Flags",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("ppFactory",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("DXGIGetDebugInterface1",-1,0,&[f("Flags",U32,0),f("riid",P(&o(Guid)),8).r(R::Iid),f("pDebug",P(&o(O(0))),16).out().iid(1),],Hresult,24,EL),
m("DXGIDeclareAdapterRemovalSupport",-1,0,&[],Hresult,0,EL),
m("DXGIDisableVBlankVirtualization",-1,0,&[],Hresult,0,EL),
];
