//! What can go wrong inside, and the result codes it becomes.

use ash::vk;
use reprise_com::result::{
    DXGI_ERROR_DEVICE_REMOVED, DXGI_ERROR_INVALID_CALL, DXGI_ERROR_UNSUPPORTED, E_FAIL, E_INVALIDARG, E_NOTIMPL,
    E_OUTOFMEMORY, S_OK,
};

/// The code for a cached pipeline of another driver.
const D3D12_ERROR_DRIVER_VERSION_MISMATCH: i32 = 0x887e_0002_u32 as i32;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A Vulkan call failed.
    #[error("{0}: {1}")]
    Vulkan(&'static str, vk::Result),
    /// An argument that the API does not allow.
    #[error("invalid argument: {0}")]
    Invalid(&'static str),
    /// A call that the API does not allow now.
    #[error("invalid call: {0}")]
    Call(&'static str),
    /// A call that fails with `E_FAIL`, as the API documents.
    #[error("{0}")]
    Fail(&'static str),
    /// Something of the API that is not here (yet).
    #[error("not supported: {0}")]
    Unsupported(&'static str),
    /// A cached pipeline that another driver or version has made.
    #[error("the cached pipeline is not of this driver")]
    DriverMismatch,
    /// What the API has no better code for.
    #[error("{0}")]
    Failed(&'static str),
    /// No memory.
    #[error("out of memory")]
    Memory,
    /// The device is lost.
    #[error("the device is removed")]
    Removed,
    /// No usable Vulkan device, or none with what is needed.
    #[error("{0}")]
    Device(String),
}

/// Results inside the runtime.
pub type Result<T> = core::result::Result<T, Error>;

impl Error {
    /// The code that the program gets.
    pub fn code(&self) -> i32 {
        match self {
            Error::Vulkan(_, vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY) => {
                E_OUTOFMEMORY
            }
            Error::Vulkan(_, vk::Result::ERROR_DEVICE_LOST) | Error::Removed => DXGI_ERROR_DEVICE_REMOVED,
            Error::Vulkan(..) | Error::Failed(_) => E_FAIL,
            Error::Invalid(_) => E_INVALIDARG,
            Error::Call(_) => DXGI_ERROR_INVALID_CALL,
            Error::Fail(_) => E_FAIL,
            Error::Unsupported(_) => E_NOTIMPL,
            Error::DriverMismatch => D3D12_ERROR_DRIVER_VERSION_MISMATCH,
            Error::Memory => E_OUTOFMEMORY,
            Error::Device(_) => DXGI_ERROR_UNSUPPORTED,
        }
    }
}

/// Names the Vulkan call that a result comes from.
pub trait Context<T> {
    /// The result with the call's name.
    fn call(self, name: &'static str) -> Result<T>;
}

impl<T> Context<T> for core::result::Result<T, vk::Result> {
    fn call(self, name: &'static str) -> Result<T> {
        self.map_err(|error| Error::Vulkan(name, error))
    }
}

/// The code of a result; says what failed when the log asks for it.
pub fn code(result: Result<()>) -> i32 {
    match result {
        Ok(()) => S_OK,
        Err(error) => {
            crate::config::debug(|| error.to_string());
            error.code()
        }
    }
}
