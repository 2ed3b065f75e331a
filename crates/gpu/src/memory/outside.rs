//! Memory that other devices and processes open: by file descriptors, on systems that have them.
//!
//! Vulkan gives a file for an allocation, and takes it for one of the same size and type of another Vulkan device, if that is of the same
//! driver on the same adapter. Such an allocation is one thing: what is shared is all of it. Invariant: what was opened is used only as
//! far as the allocation that it was made of reaches, whatever its sender says ([`exchange`](super::exchange)).

use ash::vk;

#[cfg(unix)]
mod file {
    use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};

    /// What other processes get.
    pub type Foreign = OwnedFd;

    /// Its number.
    pub(in crate::memory) fn number(file: &Foreign) -> i32 {
        file.as_raw_fd()
    }

    /// The driver owns it now.
    pub(in crate::memory) fn let_go(file: Foreign) {
        let _ = file.into_raw_fd();
    }
}

#[cfg(not(unix))]
mod file {
    /// There is no such file.
    pub type Foreign = core::convert::Infallible;

    pub(in crate::memory) fn number(file: &Foreign) -> i32 {
        match *file {}
    }

    pub(in crate::memory) fn let_go(file: Foreign) {
        match file {}
    }
}

pub use file::Foreign;
pub(super) use file::{let_go, number};

/// Vulkan's kind of such memory: files that mean something to the driver alone.
pub(crate) const KIND: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// What another Vulkan device must know of an allocation to open it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outside {
    /// Bytes of Vulkan's allocation.
    pub(super) allocated: u64,
    /// Whether it was made for one image.
    pub(super) dedicated: bool,
}

/// What is said of memory to those that open it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// Bytes of Vulkan's allocation.
    pub allocated: u64,
    /// Bytes of it that are used, from the first one on.
    pub size: u64,
    /// Vulkan's memory type.
    pub type_index: u32,
    /// Whether it was made for one image.
    pub dedicated: bool,
    /// Whether the process sees it.
    pub mapped: bool,
}
