//! Names of result codes that programs of this API meet.

/// The name of an `HRESULT`, as the headers of the API spell it.
pub fn name(code: u32) -> Option<&'static str> {
    Some(match code {
        0 => "S_OK",
        1 => "S_FALSE",
        0x8000_4001 => "E_NOTIMPL",
        0x8000_4002 => "E_NOINTERFACE",
        0x8000_4003 => "E_POINTER",
        0x8000_4004 => "E_ABORT",
        0x8000_4005 => "E_FAIL",
        0x8007_0005 => "E_ACCESSDENIED",
        0x8007_000e => "E_OUTOFMEMORY",
        0x8007_0057 => "E_INVALIDARG",
        0x887a_0001 => "DXGI_ERROR_INVALID_CALL",
        0x887a_0002 => "DXGI_ERROR_NOT_FOUND",
        0x887a_0003 => "DXGI_ERROR_MORE_DATA",
        0x887a_0004 => "DXGI_ERROR_UNSUPPORTED",
        0x887a_0005 => "DXGI_ERROR_DEVICE_REMOVED",
        0x887a_0006 => "DXGI_ERROR_DEVICE_HUNG",
        0x887a_0007 => "DXGI_ERROR_DEVICE_RESET",
        0x887a_000a => "DXGI_ERROR_WAS_STILL_DRAWING",
        0x887a_0020 => "DXGI_ERROR_DRIVER_INTERNAL_ERROR",
        0x887a_002d => "DXGI_ERROR_SDK_COMPONENT_MISSING",
        0x887e_0001 => "D3D12_ERROR_ADAPTER_NOT_FOUND",
        0x887e_0002 => "D3D12_ERROR_DRIVER_VERSION_MISMATCH",
        0x887e_0003 => "D3D12_ERROR_INVALID_REDIST",
        _ => return None,
    })
}
