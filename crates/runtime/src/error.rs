//! The runtime's errors, and the result codes that they become.

use ash::vk;
use reprise_com::result::{
    DXGI_ERROR_DEVICE_REMOVED, DXGI_ERROR_INVALID_CALL, DXGI_ERROR_UNSUPPORTED, E_FAIL, E_INVALIDARG, E_NOTIMPL,
    E_OUTOFMEMORY, S_OK,
};
use reprise_d3d12::model::MethodId;

use crate::message::{self, Kind};

/// The code for a cached pipeline of another driver.
const D3D12_ERROR_DRIVER_VERSION_MISMATCH: i32 = 0x887e_0002_u32 as i32;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Vulkan's part failed.
    #[error(transparent)]
    Gpu(#[from] reprise_gpu::Error),
    /// An argument that the API does not allow.
    #[error("invalid argument: {0}")]
    Invalid(&'static str),
    /// A call that the API does not allow now.
    #[error("invalid call: {0}")]
    Call(&'static str),
    /// A call that fails with `E_FAIL`, as the API documents or because it has no better code.
    #[error("{0}")]
    Fail(&'static str),
    /// Something of the API that is not here (yet).
    #[error("not supported: {0}")]
    Unsupported(&'static str),
}

/// Results inside the runtime.
pub type Result<T> = core::result::Result<T, Error>;

impl Error {
    /// There is no memory.
    pub const MEMORY: Error = Error::Gpu(reprise_gpu::Error::Memory);
    /// The device is removed.
    pub const REMOVED: Error = Error::Gpu(reprise_gpu::Error::Lost);

    /// What is not here, where that is the error.
    pub fn unsupported(&self) -> Option<&'static str> {
        match self {
            Error::Unsupported(what) | Error::Gpu(reprise_gpu::Error::Unsupported(what)) => Some(what),
            _ => None,
        }
    }

    /// The code that the program gets.
    pub fn code(&self) -> i32 {
        match self {
            Error::Gpu(error) => code_of_gpu(error),
            Error::Invalid(_) => E_INVALIDARG,
            Error::Call(_) => DXGI_ERROR_INVALID_CALL,
            Error::Fail(_) => E_FAIL,
            Error::Unsupported(_) => E_NOTIMPL,
        }
    }
}

fn code_of_gpu(error: &reprise_gpu::Error) -> i32 {
    use reprise_gpu::Error as Gpu;
    match error {
        Gpu::Vulkan(_, vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY) => E_OUTOFMEMORY,
        Gpu::Vulkan(_, vk::Result::ERROR_DEVICE_LOST) | Gpu::Lost => DXGI_ERROR_DEVICE_REMOVED,
        Gpu::Vulkan(..) | Gpu::Failed(_) => E_FAIL,
        Gpu::Invalid(_) => E_INVALIDARG,
        Gpu::Unsupported(_) => E_NOTIMPL,
        Gpu::Memory => E_OUTOFMEMORY,
        Gpu::Device(_) => DXGI_ERROR_UNSUPPORTED,
        Gpu::DriverMismatch => D3D12_ERROR_DRIVER_VERSION_MISMATCH,
    }
}

/// The code of a result. A debug line names what failed.
pub fn code(result: Result<()>) -> i32 {
    match result {
        Ok(()) => S_OK,
        Err(error) => refuse(&error, Kind::of_call("", false)),
    }
}

/// A refused call's code. The debug layer and a debug line have why.
fn refuse(error: &Error, kind: Kind) -> i32 {
    message::refused(kind, error);
    error.code()
}

/// The code of a creation that failed, whichever method's it was.
pub(crate) fn code_of_creation(error: &Error) -> i32 {
    refuse(error, Kind::of_call("Create", false))
}

/// The code of a method's result. What is not supported is said aloud, with the method's name.
pub(crate) fn code_of_method(result: Result<()>, method: MethodId) -> i32 {
    if let Some(what) = result.as_ref().err().and_then(Error::unsupported) {
        reprise_com::unsupported(method, &format!(": {what}"));
    }
    code_at(result, method)
}

/// The code of a method's result.
pub(crate) fn code_at(result: Result<()>, method: MethodId) -> i32 {
    match result {
        Ok(()) => S_OK,
        Err(error) => {
            let kind = Kind::of_call(method.get().name, error.code() == E_OUTOFMEMORY);
            refuse(&error, kind)
        }
    }
}
