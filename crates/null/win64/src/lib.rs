//! The null runtime as a shared library for programs that call Direct3D 12 with the `win64` convention.
//!
//! Told through the environment, see [`reprise_null::control`].

// As a DLL it starts on Wine before 8.13.
#[cfg(windows)]
use reprise_windows_start as _;

reprise_null::export_runtime!(
    win64:
    D3D12CreateDevice,
    D3D12GetDebugInterface,
    D3D12GetInterface,
    D3D12EnableExperimentalFeatures,
    D3D12SerializeRootSignature,
    D3D12SerializeVersionedRootSignature,
    D3D12CreateRootSignatureDeserializer,
    D3D12CreateVersionedRootSignatureDeserializer,
    CreateDXGIFactory,
    CreateDXGIFactory1,
    CreateDXGIFactory2,
);
