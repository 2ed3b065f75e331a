//! Making allocations: memory, the buffer over it, its mapping and its address.

use core::ptr::NonNull;
use std::sync::Mutex;

use ash::vk;

use crate::error::{Context, Error, Result};
use crate::lifetime::Lifetime;
use crate::memory::allocation::Allocation;
use crate::memory::chunk::Free;
use crate::memory::outside::{self, Foreign, Outside};
use crate::memory::pages::Pages;
use crate::memory::place::{Class, Origin, Way};
use crate::memory::pools::Memory;
use crate::memory::types::Wish;

/// Destroys a buffer and memory where an allocation fails half-way.
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
/// # Errors
/// The device imports no memory, or none at this place.
///
/// # Safety
/// The bytes are readable and writable, and stay so while anything uses the allocation.
pub(super) unsafe fn import(memory: &Memory, place: NonNull<u8>, size: u64, chunk: bool) -> Result<Allocation> {
    let logical = memory.logical();
    let missing = Error::Unsupported("the Vulkan device cannot use memory of the program");
    let extension = logical.ext.host_memory.as_ref().ok_or(missing)?;
    let mut found = vk::MemoryHostPointerPropertiesEXT::default();
    let kind = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
    let ask = extension.fp().get_memory_host_pointer_properties_ext;
    // SAFETY: the device has the extension; the caller promises that the pointer leads to readable and writable bytes of the process.
    unsafe { ask(logical.vk.handle(), kind, place.as_ptr().cast(), &mut found) }
        .result()
        .call("vkGetMemoryHostPointerPropertiesEXT")?;
    let types = found.memory_type_bits & memory.buffer_types();
    let index = Wish::READBACK
        .pick(&logical.caps.memory, types)
        .ok_or(Error::Unsupported("no buffer can live in this memory"))?;
    allocation(memory, &Wanted { size, index, addressed: true, chunk, import: Some(place), ..Wanted::default() })
}

/// What pages that are imported begin and end at multiples of.
pub(super) fn alignment(memory: &Memory) -> u64 {
    memory.logical().caps.host_pages.max(1 << 16)
}

/// Pages as an allocation, which the device sees at their own addresses.
///
/// # Errors
/// The device imports no memory, or sees it elsewhere.
pub(super) fn of_pages(memory: &Memory, pages: Pages, size: u64, class: Class) -> Result<Allocation> {
    // SAFETY: the pages go after the allocation that has them.
    let mut made = unsafe { import(memory, pages.base(), size, class.shared) }?;
    let same = made.address == pages.base().as_ptr() as u64;
    if !class.mappable {
        made.mapped = None;
    }
    made.origin = Some(Origin { way: Way::Pages, class });
    made.free = class.shared.then(|| Mutex::new(Free::rotating(size)));
    (made.pages, made.made_zero) = (Some(pages), true);
    if same {
        return Ok(made);
    }
    Err(Error::Unsupported("the device has addresses other than the process's"))
}

/// An allocation to be.
#[derive(Clone, Copy, Default)]
pub(super) struct Wanted {
    /// Bytes.
    pub(super) size: u64,
    /// Vulkan's memory type.
    pub(super) index: u32,
    /// Whether it must have an address.
    pub(super) addressed: bool,
    /// The image that Vulkan wants alone in the memory; null otherwise.
    pub(super) dedicated: vk::Image,
    /// Whether slices share it.
    pub(super) chunk: bool,
    /// Whether the process sees it.
    pub(super) mapped: bool,
    /// Memory of the process, which is imported.
    pub(super) import: Option<NonNull<u8>>,
    /// Where it must be possible to have its address again: what it holds, and the opaque addresses of an earlier process, or zeros.
    pub(super) origin: Option<Origin>,
    /// The first address that it must have; 0: any.
    pub(super) base: u64,
    /// Whether other devices and processes may be given the memory.
    pub(super) outside: bool,
}

pub(super) fn allocation(memory: &Memory, wanted: &Wanted) -> Result<Allocation> {
    allocation_of(memory, wanted, None)
}

/// As [`allocation`], of memory that another device or process has given: the size of Vulkan's allocation there, and its file.
pub(super) fn allocation_of(memory: &Memory, wanted: &Wanted, opened: Option<(u64, Foreign)>) -> Result<Allocation> {
    let Wanted { size, index, addressed, dedicated, chunk, mapped, import, mut origin, base, outside } = *wanted;
    let logical = memory.logical();
    let vk = &logical.vk;
    let kind = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
    let mut undo = Undo { vk, buffer: vk::Buffer::null(), memory: vk::DeviceMemory::null() };
    // Images' memory gets a buffer too where it can, for zeroing.
    let buffer_there = memory.buffer_types() & (1 << index) != 0 && dedicated == vk::Image::null();
    let (mut bytes, families) = (size, logical.families.distinct());
    if buffer_there {
        let kinds = if outside { outside::KIND } else { kind };
        let mut shared = vk::ExternalMemoryBufferCreateInfo::default().handle_types(kinds);
        let mut opaque = vk::BufferOpaqueCaptureAddressCreateInfo::default();
        let mut info = vk::BufferCreateInfo::default().size(size).usage(memory.usage());
        if let Some(Origin { way: Way::Opaque { buffer, .. }, .. }) = origin {
            info = info.flags(vk::BufferCreateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY);
            if buffer != 0 {
                opaque.opaque_capture_address = buffer;
                info = info.push_next(&mut opaque);
            }
        }
        if import.is_some() || outside {
            info = info.push_next(&mut shared);
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
    if let Some((allocated, _)) = &opened {
        if bytes > *allocated {
            return Err(Error::Invalid("memory that was opened is smaller than what shall lie in it"));
        }
        bytes = *allocated;
    }
    let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
    let mut opaque = vk::MemoryOpaqueCaptureAddressAllocateInfo::default();
    let mut alone = vk::MemoryDedicatedAllocateInfo::default().image(dedicated);
    let mut info = vk::MemoryAllocateInfo::default().allocation_size(bytes).memory_type_index(index);
    if let Some(Origin { way: Way::Opaque { memory, .. }, .. }) = origin {
        flags.flags |= vk::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY;
        if memory != 0 {
            opaque.opaque_capture_address = memory;
            info = info.push_next(&mut opaque);
        }
    }
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
    let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(outside::KIND);
    let mut file = vk::ImportMemoryFdInfoKHR::default().handle_type(outside::KIND);
    // Not both: NVIDIA's driver 580.159 makes new memory then, instead of opening the file.
    let exported = outside && opened.is_none();
    if exported {
        info = info.push_next(&mut export);
    }
    if let Some((_, foreign)) = &opened {
        file = file.fd(outside::number(foreign));
        info = info.push_next(&mut file);
    }
    // SAFETY: plain structures; the caller of `import` promises that imported memory is there, and an opened file is ours.
    undo.memory = unsafe { vk.allocate_memory(&info, None) }.call("vkAllocateMemory")?;
    // The driver has taken the file.
    opened.into_iter().for_each(|(_, foreign)| outside::let_go(foreign));
    let mut address = 0;
    if buffer_there {
        // SAFETY: the memory is large enough by the buffer's own requirements, and of a type that buffers can live in.
        unsafe { vk.bind_buffer_memory(undo.buffer, undo.memory, 0) }.call("vkBindBufferMemory")?;
    }
    if addressed {
        let info = vk::BufferDeviceAddressInfo::default().buffer(undo.buffer);
        // SAFETY: the buffer is bound and has the usage.
        address = unsafe { vk.get_buffer_device_address(&info) };
        if let Some(Origin { way: Way::Opaque { memory, buffer }, .. }) = &mut origin {
            let given = vk::DeviceMemoryOpaqueCaptureAddressInfo::default().memory(undo.memory);
            // SAFETY: both were made with the flag of capture and replay, on a device with the feature; the buffer is bound.
            unsafe {
                *memory = vk.get_device_memory_opaque_capture_address(&given);
                *buffer = vk.get_buffer_opaque_capture_address(&info);
            }
        }
        if base != 0 && address != base {
            return Err(Error::Unsupported("the driver gives another address than the one asked for"));
        }
    }
    let flags = logical.caps.memory.memory_types[index as usize].property_flags;
    let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    let mut place = import;
    if import.is_none() && mapped && flags.contains(visible) {
        // SAFETY: the memory is host-visible and not mapped yet.
        let found = unsafe { vk.map_memory(undo.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
        place = NonNull::new(found.call("vkMapMemory")?.cast());
    }
    let lifetime = Lifetime::begin();
    if address != 0 {
        memory.addresses().insert(address, size, undo.buffer, lifetime.number());
    }
    let made = Allocation {
        shared: memory.shared.clone(),
        memory: undo.memory,
        buffer: undo.buffer,
        address,
        size,
        mapped: place,
        type_index: index,
        outside: exported.then_some(Outside { allocated: bytes, dedicated: dedicated != vk::Image::null() }),
        made_zero: import.is_none() && logical.caps.zeroes_memory(),
        free: chunk.then(|| Mutex::new(if origin.is_some() { Free::rotating(size) } else { Free::new(size) })),
        origin: origin.filter(|_| address != 0),
        pages: None,
        lifetime,
    };
    core::mem::forget(undo);
    Ok(made)
}
