//! What can go wrong below the API.

use ash::vk;

/// Why Vulkan's part of an operation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A Vulkan call failed: its name and result.
    #[error("{0}: {1}")]
    Vulkan(&'static str, vk::Result),
    /// An argument that no device accepts.
    #[error("invalid argument: {0}")]
    Invalid(&'static str),
    /// Something that this device lacks.
    #[error("not supported: {0}")]
    Unsupported(&'static str),
    /// A fault of this crate, or of the driver.
    #[error("{0}")]
    Failed(&'static str),
    /// The process or the device has no memory left.
    #[error("out of memory")]
    Memory,
    /// The device is lost.
    #[error("the device is removed")]
    Lost,
    /// There is no usable Vulkan device, or none with all requirements.
    #[error("{0}")]
    Device(String),
    /// Another driver, another version, or a damaged file made these bytes of a pipeline cache.
    #[error("the cached pipeline is not of this driver")]
    DriverMismatch,
}

impl Error {
    /// Whether the memory that was asked for is used up; another kind of memory may not be.
    pub fn is_full(&self) -> bool {
        use vk::Result as R;
        matches!(self, Error::Memory | Error::Vulkan(_, R::ERROR_OUT_OF_DEVICE_MEMORY | R::ERROR_OUT_OF_HOST_MEMORY))
    }
}

/// Results of this crate.
pub type Result<T> = core::result::Result<T, Error>;

/// Names the Vulkan call that a result comes from.
pub trait Context<T> {
    /// Adds the call's name to the error.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when the call failed.
    fn call(self, name: &'static str) -> Result<T>;
}

impl<T> Context<T> for core::result::Result<T, vk::Result> {
    fn call(self, name: &'static str) -> Result<T> {
        self.map_err(|error| Error::Vulkan(name, error))
    }
}
