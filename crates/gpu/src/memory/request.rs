//! What a caller asks of memory.

use ash::vk;

use crate::memory::place::Place;
use crate::memory::types::Wish;

/// Whose addresses these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// Nobody's but the runtime's: no program knows them.
    Own,
    /// A program's: a later process may want them again.
    Program,
    /// A program's, as of an earlier process, if they can be had.
    At(Place),
}

impl Addressing {
    /// A program's, at a place where one is known.
    pub fn of(place: Option<Place>) -> Addressing {
        place.map_or(Addressing::Program, Addressing::At)
    }

    /// The place, where there is one.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Addressing::At(place) => Some(place),
            Addressing::Own | Addressing::Program => None,
        }
    }
}

/// What memory is for. Buffers and images do not share chunks, so their granularity never matters there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// One buffer.
    Buffer,
    /// One image.
    Image,
    /// A heap of the API.
    Heap {
        /// Whether the heap may hold buffers, so that it must have an address.
        buffers: bool,
        /// Whether it may hold textures.
        images: bool,
    },
}

/// What the process does with the bytes of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuAccess {
    /// Nothing: only the GPU reaches them.
    None,
    /// It writes them, and the GPU reads.
    Upload,
    /// It reads them.
    Readback,
}

impl CpuAccess {
    /// The memory that suits such use.
    pub(super) fn wish(self) -> Wish {
        match self {
            CpuAccess::None => Wish::DEVICE,
            CpuAccess::Upload => Wish::UPLOAD,
            CpuAccess::Readback => Wish::READBACK,
        }
    }

    /// Whether the process can map the bytes.
    pub fn is_mappable(self) -> bool {
        self != CpuAccess::None
    }
}

/// A request for memory.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Bytes, not zero.
    pub size: u64,
    /// A power of two. The alignment of the address for buffers, of the place in the memory for images.
    pub alignment: u64,
    /// Memory types that the image can live in, one bit each; all ones for buffers and heaps.
    pub types: u32,
    /// What the memory must be.
    pub wish: Wish,
    /// What the process does with it.
    pub access: CpuAccess,
    /// What it is for.
    pub purpose: Purpose,
    /// The image that Vulkan wants alone in its memory; null otherwise.
    pub dedicated: vk::Image,
    /// Whether the bytes must be zero. Otherwise they are whatever lies there.
    pub zeroed: bool,
    /// Whose addresses these are.
    pub addressing: Addressing,
    /// Whether the GPU writes bytes that the process maps. A capture has such memory mapped a second time, so pages of it are shared ones.
    pub gpu_writes: bool,
    /// Whether other devices and processes may be given the memory, where Vulkan can ([`Memory::shares`](super::Memory::shares)).
    pub outside: bool,
}

impl Request {
    /// A request for a buffer of this crate's own.
    pub(super) fn of_buffer(access: CpuAccess, size: u64, zeroed: bool) -> Request {
        let (wish, purpose) = (access.wish(), Purpose::Buffer);
        let (dedicated, addressing) = (vk::Image::null(), Addressing::Own);
        Request {
            size,
            alignment: 512,
            types: !0,
            wish,
            access,
            purpose,
            dedicated,
            zeroed,
            addressing,
            gpu_writes: false,
            outside: false,
        }
    }
}
