//! Gives out memory: slices of shared chunks for small resources, allocations of their own for the rest.

use core::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ash::vk;
use reprise_com::Object;
use reprise_d3d12::types::{D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE};

use crate::config::{config, debug};
use crate::device::Parts;
use crate::error::Context;
use crate::memory::chunk::Free;
use crate::memory::types::{Wish, is_mappable, is_unified};
use crate::memory::{Allocation, Slice, upload, zero};
use crate::{Device, Error, Result};

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

/// What is asked for.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Bytes, not zero.
    pub size: u64,
    /// Of the address for buffers, of the place in the memory for images; a power of two.
    pub alignment: u64,
    /// Memory types that the image can live in; all ones for buffers.
    pub types: u32,
    /// What the program asked for.
    pub heap: &'a D3D12_HEAP_PROPERTIES,
    /// What it is for.
    pub purpose: Purpose,
    /// The image that Vulkan wants alone in its memory; null otherwise.
    pub dedicated: vk::Image,
    /// Whether it must be zero; else it has whatever lies in it.
    pub zeroed: bool,
}

/// Bytes of an allocation that small buffers share.
pub(super) const CHUNK_OF_BUFFERS: u64 = 16 << 20;
/// From here on a buffer has an allocation of its own.
pub(super) const LARGE_BUFFER: u64 = 2 << 20;
const CHUNK_OF_IMAGES: u64 = 32 << 20;
const LARGE_IMAGE: u64 = 8 << 20;

/// A memory type's chunks for buffers, or those for images.
pub(super) type Chunks = Vec<Weak<Allocation>>;

/// The chunks of every memory type.
#[derive(Debug)]
struct Pools {
    buffers: [Mutex<Chunks>; vk::MAX_MEMORY_TYPES],
    images: [Mutex<Chunks>; vk::MAX_MEMORY_TYPES],
}

impl Default for Pools {
    fn default() -> Pools {
        let none = || core::array::from_fn(|_| Mutex::default());
        Pools { buffers: none(), images: none() }
    }
}

/// Gives out device memory. Holds no memory itself: chunks live as long as their slices.
#[derive(Debug)]
pub struct Allocator {
    /// Of what programs cannot map. A submission's fill of a slice may still be under way when the slice has gone and its
    /// bytes are given out again: later work of the GPU comes after the fill, stores of the CPU would not.
    unmapped: Pools,
    /// Of what programs can map, which no fill goes to; apart even where it is the same memory type.
    mappable: Pools,
    /// Of upload heaps in pages of the runtime's own.
    pub(super) imported: Mutex<Chunks>,
    usage: vk::BufferUsageFlags,
    buffer_types: u32,
    image_types: u32,
}

impl Allocator {
    /// Reads what the device has.
    pub fn new(parts: &Parts<'_>) -> Result<Allocator> {
        use vk::BufferUsageFlags as Usage;
        let features = &parts.caps.features;
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
        let info = vk::BufferCreateInfo::default().size(1 << 16).usage(usage);
        let ask = vk::DeviceBufferMemoryRequirements::default().create_info(&info);
        let mut answer = vk::MemoryRequirements2::default();
        // SAFETY: plain structures.
        unsafe { parts.vk.get_device_buffer_memory_requirements(&ask, &mut answer) };
        Ok(Allocator {
            unmapped: Pools::default(),
            mappable: Pools::default(),
            imported: Mutex::default(),
            usage,
            buffer_types: answer.memory_requirements.memory_type_bits,
            image_types: image_types(parts),
        })
    }

    /// Frees everything; nothing uses it any more.
    pub fn destroy(&mut self, _vk: &ash::Device) {}

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
fn image_types(parts: &Parts<'_>) -> u32 {
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
        unsafe { parts.vk.get_device_image_memory_requirements(&ask, &mut answer) };
        answer.memory_requirements.memory_type_bits
    });
    types[0] & types[1]
}

/// Memory as asked for.
pub fn allocate(device: &Object<Device>, request: &Request<'_>) -> Result<Slice> {
    let mut slice = take(device, request)?;
    if request.zeroed {
        zero::zero(device, &mut slice, is_mappable(request.heap));
    }
    Ok(slice)
}

fn take(device: &Object<Device>, request: &Request<'_>) -> Result<Slice> {
    if device.removed_reason() != 0 {
        return Err(Error::Removed);
    }
    if config().imported_uploads && upload::is_upload(request) {
        match upload::allocate(device, request) {
            Ok(slice) => return Ok(slice),
            Err(error) => debug(|| format!("an upload heap of {} bytes is the driver's memory: {error}", request.size)),
        }
    }
    let allocator = &device.memory;
    let wish = Wish::of(request.heap, is_unified(&device.caps.memory))?;
    let buffers = match request.purpose {
        Purpose::Buffer => true,
        Purpose::Image => false,
        Purpose::Heap { buffers, .. } => buffers,
    };
    let types = if buffers { request.types & allocator.buffer_types } else { request.types };
    let index = wish.pick(&device.caps.memory, types).ok_or(Error::Unsupported("no memory type serves such a heap"))?;
    let pools = if is_mappable(request.heap) { &allocator.mappable } else { &allocator.unmapped };
    let (chunks, chunk_size, large) = match request.purpose {
        Purpose::Buffer => (Some(&pools.buffers[index as usize]), CHUNK_OF_BUFFERS, LARGE_BUFFER),
        Purpose::Image => (Some(&pools.images[index as usize]), CHUNK_OF_IMAGES, LARGE_IMAGE),
        Purpose::Heap { .. } => (None, 0, 0),
    };
    let slice = match chunks {
        Some(chunks) if request.size < large && request.dedicated == vk::Image::null() => {
            let whole = Fresh { size: chunk_size, index, addressed: buffers, chunk: true, ..Fresh::default() };
            from_chunks(chunks, request, buffers, || fresh(device, &whole))?
        }
        _ => {
            let (size, dedicated) = (request.size, request.dedicated);
            let alone = Fresh { size, index, addressed: buffers, dedicated, ..Fresh::default() };
            let allocation = Arc::new(fresh(device, &alone)?);
            Slice { allocation, offset: 0, size: request.size, owned: false, filled: false }
        }
    };
    Ok(slice)
}

/// Zeroed bytes of a buffer in memory of one of the API's kinds, for the runtime's own use.
pub fn buffer(device: &Object<Device>, kind: D3D12_HEAP_TYPE, size: u64) -> Result<Slice> {
    let heap = D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() };
    allocate(device, &of_buffer(&heap, size, true))
}

/// As [`buffer`], in the device's own memory and with whatever lies in it: for what is written before it is read.
pub fn scratch(device: &Object<Device>, size: u64) -> Result<Slice> {
    let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
    allocate(device, &of_buffer(&heap, size, false))
}

fn of_buffer(heap: &D3D12_HEAP_PROPERTIES, size: u64, zeroed: bool) -> Request<'_> {
    Request { size, alignment: 512, types: !0, heap, purpose: Purpose::Buffer, dedicated: vk::Image::null(), zeroed }
}

/// A slice of one of these chunks, or of a new one. `addressed`: what is to be aligned is the address.
pub(super) fn from_chunks(
    chunks: &Mutex<Chunks>,
    request: &Request<'_>,
    addressed: bool,
    new: impl FnOnce() -> Result<Allocation>,
) -> Result<Slice> {
    let take = |chunk: &Arc<Allocation>| {
        let base = if addressed { chunk.address } else { 0 };
        let free = chunk.free.as_ref()?;
        let offset = free.lock().unwrap_or_else(PoisonError::into_inner).take(base, request.size, request.alignment)?;
        Some(Slice { allocation: chunk.clone(), offset, size: request.size, owned: true, filled: false })
    };
    // A chunk that dies while it is looked at must not do so under the lock of the list that its slices need: `Allocation`'s
    // drop takes none of these locks.
    let mut list = chunks.lock().unwrap_or_else(PoisonError::into_inner);
    list.retain(|chunk| chunk.strong_count() > 0);
    for chunk in list.iter().filter_map(Weak::upgrade) {
        if let Some(slice) = take(&chunk) {
            return Ok(slice);
        }
    }
    let chunk = Arc::new(new()?);
    list.push(Arc::downgrade(&chunk));
    take(&chunk).ok_or(Error::Memory)
}

/// What is destroyed when an allocation fails half-way.
struct Undo<'a> {
    vk: &'a ash::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        // SAFETY: nobody has them yet; null is allowed.
        unsafe {
            self.vk.destroy_buffer(self.buffer, None);
            self.vk.free_memory(self.memory, None);
        }
    }
}

/// Memory of the process as an allocation, which does not own it. The address and `size` are multiples of what the device
/// asks for.
///
/// # Safety
/// The bytes are readable and writable, and stay so while anything uses the allocation.
pub unsafe fn import(device: &Object<Device>, place: NonNull<u8>, size: u64, chunk: bool) -> Result<Allocation> {
    let missing = Error::Unsupported("the Vulkan device cannot use memory of the program");
    let extension = device.ext.host_memory.as_ref().ok_or(missing)?;
    let mut found = vk::MemoryHostPointerPropertiesEXT::default();
    let kind = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
    let ask = extension.fp().get_memory_host_pointer_properties_ext;
    // SAFETY: the device has the extension; the pointer is one of the process's, by contract.
    unsafe { ask(device.vk.handle(), kind, place.as_ptr().cast(), &mut found) }
        .result()
        .call("vkGetMemoryHostPointerPropertiesEXT")?;
    let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::READBACK, ..Default::default() };
    let wish = Wish::of(&heap, is_unified(&device.caps.memory))?;
    let types = found.memory_type_bits & device.memory.buffer_types;
    let index = wish.pick(&device.caps.memory, types).ok_or(Error::Unsupported("no buffer can live in this memory"))?;
    fresh(device, &Fresh { size, index, addressed: true, chunk, import: Some(place), ..Fresh::default() })
}

/// An allocation to be.
#[derive(Clone, Copy, Default)]
struct Fresh {
    size: u64,
    /// Vulkan's memory type.
    index: u32,
    /// Whether it must have an address.
    addressed: bool,
    dedicated: vk::Image,
    chunk: bool,
    /// Memory that is there.
    import: Option<NonNull<u8>>,
}

fn fresh(device: &Object<Device>, wanted: &Fresh) -> Result<Allocation> {
    let Fresh { size, index, addressed, dedicated, chunk, import } = *wanted;
    let vk = &device.vk;
    let kind = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
    let mut undo = Undo { vk, buffer: vk::Buffer::null(), memory: vk::DeviceMemory::null() };
    // Images' memory gets a buffer too where it can, for zeroing.
    let buffer_there = device.memory.buffer_types & (1 << index) != 0 && dedicated == vk::Image::null();
    let (mut bytes, families) = (size, device.families.distinct());
    if buffer_there {
        let mut outside = vk::ExternalMemoryBufferCreateInfo::default().handle_types(kind);
        let mut info = vk::BufferCreateInfo::default().size(size).usage(device.memory.usage);
        if import.is_some() {
            info = info.push_next(&mut outside);
        }
        if families.len() > 1 {
            info = info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(&families);
        }
        // SAFETY: plain structures.
        undo.buffer = unsafe { vk.create_buffer(&info, None) }.call("vkCreateBuffer")?;
        // SAFETY: the buffer is there.
        bytes = bytes.max(unsafe { vk.get_buffer_memory_requirements(undo.buffer) }.size);
        if import.is_some() && bytes != size {
            return Err(Error::Invalid("the device needs more memory for a buffer than is given"));
        }
    } else if addressed {
        return Err(Error::Unsupported("no buffer can live in this heap's memory"));
    }
    let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
    let mut alone = vk::MemoryDedicatedAllocateInfo::default().image(dedicated);
    let mut info = vk::MemoryAllocateInfo::default().allocation_size(bytes).memory_type_index(index);
    if buffer_there {
        info = info.push_next(&mut flags);
    }
    if dedicated != vk::Image::null() {
        info = info.push_next(&mut alone);
    }
    let mut given = vk::ImportMemoryHostPointerInfoEXT::default().handle_type(kind);
    if let Some(place) = import {
        given = given.host_pointer(place.as_ptr().cast());
        info = info.push_next(&mut given);
    }
    // SAFETY: plain structures; imported memory is there by the contract of `import`.
    undo.memory = unsafe { vk.allocate_memory(&info, None) }.call("vkAllocateMemory")?;
    let mut address = 0;
    if buffer_there {
        // SAFETY: the memory is large enough by the buffer's own requirements, and of a type that buffers can live in.
        unsafe { vk.bind_buffer_memory(undo.buffer, undo.memory, 0) }.call("vkBindBufferMemory")?;
    }
    if addressed {
        let info = vk::BufferDeviceAddressInfo::default().buffer(undo.buffer);
        // SAFETY: the buffer is bound and has the usage.
        address = unsafe { vk.get_buffer_device_address(&info) };
    }
    let flags = device.caps.memory.memory_types[index as usize].property_flags;
    let mut mapped = import;
    if import.is_none()
        && flags.contains(vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT)
    {
        // SAFETY: the memory is host-visible and not mapped yet.
        let place = unsafe { vk.map_memory(undo.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
        mapped = NonNull::new(place.call("vkMapMemory")?.cast());
    }
    if address != 0 {
        device.addresses.insert(address, size, undo.buffer);
    }
    let made = Allocation {
        device: device.keep(),
        memory: undo.memory,
        buffer: undo.buffer,
        address,
        size,
        mapped,
        type_index: index,
        free: chunk.then(|| Mutex::new(Free::new(size))),
        pages: None,
    };
    core::mem::forget(undo);
    Ok(made)
}
