//! The null runtime as a shared library for programs that call Direct3D 12 as C++ for Linux does (`libd3d12.so`).
//!
//! Told through the environment, see [`reprise_null::control`].

reprise_null::export_runtime!(
    itanium:
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
