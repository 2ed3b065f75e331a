//! The chunks that small resources share.

use core::sync::atomic::AtomicBool;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use ash::vk;

use crate::address;
use crate::error::{Error, Result};
use crate::graveyard::Graveyard;
use crate::logical::Logical;
use crate::memory::allocation::{Allocation, Owner, Slice};
use crate::memory::chunk::Taken;
use crate::memory::micromaps::{Extent, Micromaps};
use crate::memory::nowhere::{Holes, Nowhere};
use crate::memory::pages::Pages;
use crate::memory::request::{CpuAccess, Request};
use crate::memory::shared::Shared;
use crate::memory::structures::{Structure, Structures};
use crate::memory::zero::Fills;
use crate::settings::Addresses;

/// Bytes of an allocation that small buffers share; small heaps share others of this size.
pub(super) const CHUNK_OF_BUFFERS: u64 = 16 << 20;
/// From here on a buffer or a heap has an allocation of its own.
pub(super) const LARGE_BUFFER: u64 = 2 << 20;
pub(super) const CHUNK_OF_IMAGES: u64 = 32 << 20;
pub(super) const LARGE_IMAGE: u64 = 8 << 20;

/// A memory type's chunks for buffers, images or heaps.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    /// The newest last.
    all: Vec<Weak<Allocation>>,
    /// The newest is kept without slices, too: a program that makes and releases one resource after the other would have a new
    /// chunk each time.
    newest: Option<Arc<Allocation>>,
}

/// Chunks at places of an earlier process.
#[derive(Debug, Default)]
pub(super) struct PlacedChunks {
    /// By their first addresses.
    pub(super) all: BTreeMap<u64, Weak<Allocation>>,
    /// The newest is kept without slices, too, as that of other chunks is.
    pub(super) newest: Option<Arc<Allocation>>,
}

/// The chunks of every memory type.
#[derive(Debug)]
pub(super) struct Pools {
    pub(super) buffers: [Mutex<Chunks>; vk::MAX_MEMORY_TYPES],
    pub(super) images: [Mutex<Chunks>; vk::MAX_MEMORY_TYPES],
    /// Heaps and committed buffers differ in what is aligned: the place in Vulkan's memory, or the address.
    pub(super) heaps: [Mutex<Chunks>; vk::MAX_MEMORY_TYPES],
}

impl Default for Pools {
    fn default() -> Pools {
        let none = || core::array::from_fn(|_| Mutex::default());
        Pools { buffers: none(), images: none(), heaps: none() }
    }
}

/// Device memory. Chunks live as long as their slices, and the newest of each kind as long as the device.
#[derive(Debug)]
pub struct Memory {
    pub(super) shared: Arc<Shared<Allocation>>,
    graveyard: Arc<Graveyard>,
    holes: OnceLock<Option<Holes>>,
    /// Of what programs cannot map. A submission's fill of a slice may still be under way when the slice has gone and its
    /// bytes are given out again: later work of the GPU comes after the fill, stores of the CPU would not.
    pub(super) unmapped: Pools,
    /// Of what programs can map, which no fill goes to; apart even where it is the same memory type.
    pub(super) mappable: Pools,
    /// Of upload heaps in pages of the runtime's own.
    pub(super) imported: Mutex<Chunks>,
    /// Of what programs know the addresses of, where a later process shall have the same: what they cannot map, what they can, and what
    /// they can and the GPU writes.
    pub(super) repeatable: Option<Box<[Pools; 3]>>,
    /// Whether it was found that pages at chosen addresses cannot be had, or that the device sees them elsewhere.
    pub(super) has_no_pages: AtomicBool,
    /// At places of an earlier process.
    pub(super) placed: Mutex<PlacedChunks>,
    /// What lies in the way of tests.
    #[allow(dead_code, reason = "held until dropped")]
    taken: Option<Pages>,
    usage: vk::BufferUsageFlags,
    buffer_types: u32,
    image_types: u32,
}

impl Memory {
    /// The memory of a device; nothing is allocated yet.
    pub(crate) fn new(logical: &Arc<Logical>) -> Arc<Memory> {
        use vk::BufferUsageFlags as Usage;
        let features = &logical.caps.features;
        let mut usage = Usage::TRANSFER_SRC
            | Usage::TRANSFER_DST
            | Usage::UNIFORM_TEXEL_BUFFER
            | Usage::STORAGE_TEXEL_BUFFER
            | Usage::UNIFORM_BUFFER
            | Usage::STORAGE_BUFFER
            | Usage::INDEX_BUFFER
            | Usage::VERTEX_BUFFER
            | Usage::INDIRECT_BUFFER
            | Usage::SHADER_DEVICE_ADDRESS;
        if features.transform_feedback.transform_feedback != 0 {
            usage |= Usage::TRANSFORM_FEEDBACK_BUFFER_EXT | Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT;
        }
        if features.conditional.conditional_rendering != 0 {
            usage |= Usage::CONDITIONAL_RENDERING_EXT;
        }
        if features.acceleration.acceleration_structure != 0 {
            usage |=
                Usage::ACCELERATION_STRUCTURE_STORAGE_KHR | Usage::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR;
        }
        if logical.caps.has_micromaps() {
            usage |= Usage::MICROMAP_STORAGE_EXT | Usage::MICROMAP_BUILD_INPUT_READ_ONLY_EXT;
        }
        if logical.caps.has_ray_pipelines() {
            usage |= Usage::SHADER_BINDING_TABLE_KHR;
        }
        let info = vk::BufferCreateInfo::default().size(1 << 16).usage(usage);
        let ask = vk::DeviceBufferMemoryRequirements::default().create_info(&info);
        let mut answer = vk::MemoryRequirements2::default();
        // SAFETY: plain structures.
        unsafe { logical.vk.get_device_buffer_memory_requirements(&ask, &mut answer) };
        let shared = Shared {
            logical: logical.clone(),
            addresses: Arc::default(),
            structures: Structures::default(),
            micromaps: Micromaps::default(),
            fills: Fills::default(),
        };
        let repeats = logical.instance.settings.addresses == Addresses::Repeatable;
        Arc::new(Memory {
            shared: Arc::new(shared),
            graveyard: Arc::default(),
            holes: OnceLock::new(),
            unmapped: Pools::default(),
            mappable: Pools::default(),
            imported: Mutex::default(),
            repeatable: repeats.then(Box::default),
            has_no_pages: AtomicBool::new(false),
            placed: Mutex::default(),
            taken: logical.instance.settings.taken.and_then(|address| Pages::at(address, 4096).ok()),
            usage,
            buffer_types: answer.memory_requirements.memory_type_bits,
            image_types: image_types(logical),
        })
    }

    /// The device.
    pub fn logical(&self) -> &Arc<Logical> {
        &self.shared.logical
    }

    /// What the program has let go and work may still need.
    pub fn graveyard(&self) -> &Arc<Graveyard> {
        &self.graveyard
    }

    /// What stands for addresses without a resource.
    pub fn nowhere(&self) -> Nowhere {
        let holes = self.holes.get_or_init(|| {
            let made = Holes::new(self.logical(), |bytes| self.buffer(CpuAccess::None, bytes));
            made.inspect_err(|error| {
                reprise_log::debug(|| format!("nothing stands for addresses that lead nowhere: {error}"))
            })
            .ok()
        });
        holes.as_ref().map(Holes::places).unwrap_or_default()
    }

    /// GPU virtual addresses, and the buffers that they lie in.
    #[inline(always)]
    pub fn addresses(&self) -> &Arc<address::Map> {
        &self.shared.addresses
    }

    /// Memory that a submission has to make zero.
    pub(crate) fn fills(&self) -> &Fills<Allocation> {
        &self.shared.fills
    }

    /// The acceleration structure at an address, whether one is built there yet or not.
    ///
    /// # Errors
    /// As [`Memory::structure_of`].
    pub fn structure(&self, address: u64) -> Result<Structure> {
        self.shared.structures.find(self.logical(), self.addresses(), address, None)
    }

    /// The acceleration structure of `size` bytes that is built at an address.
    ///
    /// # Errors
    /// The device has none, the buffer at the address does not hold it, the address is no multiple of 256, or Vulkan has no memory.
    pub fn structure_of(&self, address: u64, size: u64) -> Result<Structure> {
        self.shared.structures.find(self.logical(), self.addresses(), address, Some(size))
    }

    /// The opacity micromap that is made at an address.
    ///
    /// # Errors
    /// The device has none, no buffer lies at the address, the address is no multiple of 256, or Vulkan has no memory.
    pub fn micromap_of(&self, address: u64, extent: Extent) -> Result<vk::MicromapEXT> {
        self.shared.micromaps.place(self.logical(), self.addresses(), address, extent)
    }

    /// Opacity micromaps, by their addresses.
    pub fn micromaps(&self) -> &Micromaps {
        &self.shared.micromaps
    }

    /// Memory types that buffers can live in, one bit each.
    pub fn buffer_types(&self) -> u32 {
        self.buffer_types
    }

    /// Memory types that textures and render targets can live in, one bit each.
    pub fn image_types(&self) -> u32 {
        self.image_types
    }

    /// Usages of all buffers.
    pub fn usage(&self) -> vk::BufferUsageFlags {
        self.usage
    }
}

/// Vulkan promises that images of one kind (colour, or one depth format) all have the same memory types.
fn image_types(logical: &Logical) -> u32 {
    use vk::ImageUsageFlags as Usage;
    let probes = [
        (vk::Format::R8G8B8A8_UNORM, Usage::COLOR_ATTACHMENT),
        (vk::Format::D32_SFLOAT, Usage::DEPTH_STENCIL_ATTACHMENT),
    ];
    let types = probes.map(|(format, usage)| {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: 64, height: 64, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage | Usage::SAMPLED | Usage::TRANSFER_SRC | Usage::TRANSFER_DST);
        let ask = vk::DeviceImageMemoryRequirements::default().create_info(&info);
        let mut answer = vk::MemoryRequirements2::default();
        // SAFETY: plain structures; every device has such images.
        unsafe { logical.vk.get_device_image_memory_requirements(&ask, &mut answer) };
        answer.memory_requirements.memory_type_bits
    });
    types[0] & types[1]
}

/// A slice of one of these chunks, or of a new one. `by_address`: what is to be aligned is the address.
pub(super) fn from_chunks(
    chunks: &Mutex<Chunks>,
    request: &Request,
    by_address: bool,
    new: impl FnOnce() -> Result<Allocation>,
) -> Result<Slice> {
    let take = |chunk: &Arc<Allocation>| {
        let base = if by_address { chunk.address } else { 0 };
        let free = chunk.free.as_ref()?;
        let taken = free.lock().unwrap_or_else(PoisonError::into_inner).take(base, request.size, request.alignment)?;
        let Taken { offset, fresh } = taken;
        Some(Slice { owner: Owner::Chunk(chunk.clone()), offset, size: request.size, fresh, filled: false })
    };
    // A chunk may die under this lock: `Allocation`'s drop takes none of these locks.
    let mut list = chunks.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(slice) = list.newest.as_ref().and_then(take) {
        return Ok(slice);
    }
    // The oldest of many are full.
    if let Some(slice) = list.all.iter().rev().filter_map(Weak::upgrade).find_map(|chunk| take(&chunk)) {
        return Ok(slice);
    }
    list.all.retain(|chunk| chunk.strong_count() > 0);
    let chunk = Arc::new(new()?);
    list.all.push(Arc::downgrade(&chunk));
    let slice = take(&chunk).ok_or(Error::Memory);
    list.newest = Some(chunk);
    slice
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(Some(holes)) = self.holes.get_mut() {
            holes.destroy(&self.shared.logical);
        }
    }
}
