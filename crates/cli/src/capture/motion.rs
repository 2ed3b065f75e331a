//! What calls tell of a program's motion, for `--hang-after`.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_trace::writer_process::Role;

/// Methods by which a program that hangs may ask for ever.
const ASKING: [MethodId; 6] = [
    method("ID3D12Fence", "GetCompletedValue"),
    method("ID3D12Device", "GetDeviceRemovedReason"),
    method("ID3D12CommandQueue", "GetClockCalibration"),
    method("ID3D12CommandQueue", "GetTimestampFrequency"),
    method("IUnknown", "AddRef"),
    method("IUnknown", "Release"),
];

/// What calls of a method tell.
pub(crate) fn role(method: u16) -> Role {
    match MethodId(method) {
        SUBMIT | SIGNAL => Role::Submits,
        method if ASKING.contains(&method) => Role::Asks,
        _ => Role::Other,
    }
}

const SUBMIT: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
