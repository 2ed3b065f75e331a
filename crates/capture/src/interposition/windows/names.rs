//! The exports: in which DLL the program finds each, and under which name.

use core::ffi::CStr;

/// The DLL that an export belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dll {
    D3d12,
    D3d12Core,
    Dxgi,
}

impl Dll {
    pub(crate) const ALL: [Dll; 3] = [Dll::D3d12, Dll::D3d12Core, Dll::Dxgi];

    /// The file's name, in small letters.
    pub(crate) const fn file(self) -> &'static str {
        match self {
            Self::D3d12 => "d3d12.dll",
            Self::D3d12Core => "d3d12core.dll",
            Self::Dxgi => "dxgi.dll",
        }
    }
}

/// An export.
pub(crate) struct Export {
    pub(crate) dll: Dll,
    /// Its name in the DLL.
    pub(crate) name: &'static CStr,
}

/// Calls a macro with every export that the model has: our name for it, its DLL, and its name there.
macro_rules! each_recorded {
    ($callback:ident) => {
        $callback! {
            D3D12CreateDevice D3d12 "D3D12CreateDevice";
            D3D12GetDebugInterface D3d12 "D3D12GetDebugInterface";
            D3D12GetInterface D3d12 "D3D12GetInterface";
            D3D12EnableExperimentalFeatures D3d12 "D3D12EnableExperimentalFeatures";
            D3D12SerializeRootSignature D3d12 "D3D12SerializeRootSignature";
            D3D12SerializeVersionedRootSignature D3d12 "D3D12SerializeVersionedRootSignature";
            D3D12CreateRootSignatureDeserializer D3d12 "D3D12CreateRootSignatureDeserializer";
            D3D12CreateVersionedRootSignatureDeserializer D3d12 "D3D12CreateVersionedRootSignatureDeserializer";
            D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary D3d12
                "D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary";
            d3d12core_D3D12GetInterface D3d12Core "D3D12GetInterface";
            CreateDXGIFactory Dxgi "CreateDXGIFactory";
            CreateDXGIFactory1 Dxgi "CreateDXGIFactory1";
            CreateDXGIFactory2 Dxgi "CreateDXGIFactory2";
            DXGIGetDebugInterface1 Dxgi "DXGIGetDebugInterface1";
        }
    };
}
pub(crate) use each_recorded;

/// Calls a macro with every other export: vendors' and the system's own, which are passed on.
macro_rules! each_passed {
    ($callback:ident) => {
        $callback! {
            GetBehaviorValue D3d12 "GetBehaviorValue";
            d3d12_SetAppCompatStringPointer D3d12 "SetAppCompatStringPointer";
            D3D12CoreCreateLayeredDevice D3d12 "D3D12CoreCreateLayeredDevice";
            D3D12CoreGetLayeredDeviceSize D3d12 "D3D12CoreGetLayeredDeviceSize";
            D3D12CoreRegisterLayers D3d12 "D3D12CoreRegisterLayers";
            D3D12DeviceRemovedExtendedData D3d12 "D3D12DeviceRemovedExtendedData";
            D3D12PIXEventsReplaceBlock D3d12 "D3D12PIXEventsReplaceBlock";
            D3D12PIXGetThreadInfo D3d12 "D3D12PIXGetThreadInfo";
            D3D12PIXNotifyWakeFromFenceSignal D3d12 "D3D12PIXNotifyWakeFromFenceSignal";
            D3D12PIXReportCounter D3d12 "D3D12PIXReportCounter";
            ApplyCompatResolutionQuirking Dxgi "ApplyCompatResolutionQuirking";
            CompatString Dxgi "CompatString";
            CompatValue Dxgi "CompatValue";
            DXGID3D10CreateLayeredDevice Dxgi "DXGID3D10CreateLayeredDevice";
            DXGID3D10GetLayeredDeviceSize Dxgi "DXGID3D10GetLayeredDeviceSize";
            DXGID3D10RegisterLayers Dxgi "DXGID3D10RegisterLayers";
            DXGIDeclareAdapterRemovalSupport Dxgi "DXGIDeclareAdapterRemovalSupport";
            DXGIDisableVBlankVirtualization Dxgi "DXGIDisableVBlankVirtualization";
            DXGIDumpJournal Dxgi "DXGIDumpJournal";
            DXGIReportAdapterConfiguration Dxgi "DXGIReportAdapterConfiguration";
            PIXBeginCapture Dxgi "PIXBeginCapture";
            PIXEndCapture Dxgi "PIXEndCapture";
            PIXGetCaptureState Dxgi "PIXGetCaptureState";
            dxgi_SetAppCompatStringPointer Dxgi "SetAppCompatStringPointer";
            UpdateHMDEmulationStatus Dxgi "UpdateHMDEmulationStatus";
        }
    };
}
pub(crate) use each_passed;

/// The name as C has it.
pub(crate) const fn terminated(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a literal without inner zeros, and one at the end"),
    }
}

macro_rules! table {
    ($($own:ident $dll:ident $name:literal;)*) => {
        [$(Export { dll: Dll::$dll, name: terminated(concat!($name, "\0")) }),*]
    };
}

/// The exports that are recorded, by number.
pub(crate) static RECORDED: [Export; 14] = each_recorded!(table);
/// The exports that are passed on, by number.
pub(crate) static PASSED: [Export; 25] = each_passed!(table);
