//! What shaders find at root arguments that lead nowhere: zeros.
//!
//! Root arguments are addresses, which the GPU does not check. Programs leave them unset, or set those of buffers that are gone, and
//! drivers of the API let them where no shader looks, and often where one does. So an address without a resource is exchanged for
//! that of a buffer of [`SIZE`] bytes without memory: the device promises that reads of it give zeros and writes are dropped. Where it
//! does not, two small buffers serve, one to read and one to write.

use ash::vk;

use crate::error::{Context, Result};
use crate::logical::Logical;
use crate::memory::allocation::Slice;

/// Bytes that 32 bits of an offset lead to.
const SIZE: u64 = 4 << 30;
/// Bytes of a small buffer: as many as a constant buffer has at most, and some.
const SMALL: u64 = 1 << 20;

/// The addresses to read and to write at; 0 where the device has no memory for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nowhere {
    /// Reads give zeros here.
    pub read: u64,
    /// Nobody reads what is written here.
    pub written: u64,
}

/// What lies there.
#[derive(Debug)]
pub(super) enum Holes {
    /// A buffer without memory, and its address.
    Sparse(vk::Buffer, u64),
    /// To read, and to write.
    Small([Slice; 2]),
}

impl Holes {
    /// `small` makes a buffer of so many zeros.
    pub(super) fn new(logical: &Logical, small: impl Fn(u64) -> Result<Slice>) -> Result<Holes> {
        let caps = &logical.caps;
        let strict = caps.sparse.residency_non_resident_strict != 0 && caps.features.base.sparse_residency_buffer != 0;
        match strict.then(|| sparse(logical)) {
            Some(Ok((buffer, address))) => Ok(Holes::Sparse(buffer, address)),
            _ => Ok(Holes::Small([small(SMALL)?, small(SMALL)?])),
        }
    }

    pub(super) fn places(&self) -> Nowhere {
        match self {
            Holes::Sparse(_, address) => Nowhere { read: *address, written: *address },
            Holes::Small([read, written]) => Nowhere { read: read.address(), written: written.address() },
        }
    }

    pub(super) fn destroy(&mut self, logical: &Logical) {
        if let Holes::Sparse(buffer, _) = self {
            // SAFETY: the device's memory goes, so nothing of the GPU's work is left.
            unsafe { logical.vk.destroy_buffer(core::mem::take(buffer), None) };
        }
    }
}

fn sparse(logical: &Logical) -> Result<(vk::Buffer, u64)> {
    use vk::BufferUsageFlags as Usage;
    let families = logical.families.distinct();
    let mut info = vk::BufferCreateInfo::default()
        .size(SIZE)
        .flags(vk::BufferCreateFlags::SPARSE_BINDING | vk::BufferCreateFlags::SPARSE_RESIDENCY)
        .usage(Usage::STORAGE_BUFFER | Usage::UNIFORM_BUFFER | Usage::SHADER_DEVICE_ADDRESS);
    if families.len() > 1 {
        info = info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(&families);
    }
    // SAFETY: plain structures, on a device with sparse buffers.
    let buffer = unsafe { logical.vk.create_buffer(&info, None) }.call("vkCreateBuffer")?;
    let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
    // SAFETY: the buffer has the usage; sparse buffers have an address without memory.
    Ok((buffer, unsafe { logical.vk.get_buffer_device_address(&info) }))
}
