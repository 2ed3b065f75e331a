//! Objects of other devices, of this process and of others, by what their handles carry.
//!
//! Memory is Vulkan's, opened by a file that means something to the same driver on the same adapter. A fence is a page of values
//! ([`crate::fence::page`]). What a handle says is checked as if a program had asked for it.

use core::ffi::c_void;

use ash::vk;
use reprise_com::Object;
use reprise_d3d12::model::Guid;
use reprise_gpu::memory::Slice;
use reprise_gpu::memory::outside::{Described, Foreign};

use crate::device::Device;
use crate::fence::Fence;
use crate::fence::page::Page;
use crate::handle::Packet;
use crate::resource::create::Opened;
use crate::resource::heap;
use crate::shared::Content;
use crate::shared::message::{Message, Origin};
use crate::{Error, Result};

fn origin(device: &Device) -> Origin {
    let caps = &device.caps.v11;
    let mut origin = [0; 32];
    origin[..16].copy_from_slice(&caps.device_uuid);
    origin[16..].copy_from_slice(&caps.driver_uuid);
    origin
}

/// The memory of an object, ready for others: what its device has to do before anybody uses it is done.
fn memory(device: &Device, slice: Option<&Slice>) -> Result<Option<(Foreign, Described)>> {
    let Some(given) = slice.map(|slice| device.memory.give(slice)).transpose()?.flatten() else { return Ok(None) };
    device.gpu.staging.settle(device.gpu.parts())?;
    Ok(Some(given))
}

/// What the handle of an object carries.
///
/// # Errors
/// The system has no memory, or the process too many files.
pub(super) fn packet(content: &Content) -> Result<Packet> {
    let (message, file) = match content {
        Content::Fence(fence) => {
            let file = fence.state.page()?.file();
            let file =
                file.map_err(|_| Error::Fail("the process has too many open files for another shared handle"))?;
            (Message::Fence { flags: fence.flags() }, Some(file))
        }
        Content::Heap(heap) => match memory(&heap.device, Some(&heap.slice))? {
            Some((file, memory)) => {
                (Message::Heap { origin: origin(&heap.device), desc: heap.desc, memory }, Some(file))
            }
            None => (Message::Private, None),
        },
        Content::Resource(resource) => {
            let slice = match (resource.buffer(), resource.image()) {
                (Some(buffer), _) => Some(&buffer.slice),
                (_, Some(image)) => image.slice(),
                _ => None,
            };
            match memory(&resource.device, slice)? {
                Some((file, memory)) => {
                    let message = Message::Resource {
                        origin: origin(&resource.device),
                        desc: resource.desc,
                        properties: resource.heap_properties,
                        flags: resource.heap_flags,
                        state: resource.initial_state,
                        texels: resource.image().is_some_and(|image| {
                            image.flags.contains(vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE)
                        }),
                        memory,
                    };
                    (message, Some(file))
                }
                None => (Message::Private, None),
            }
        }
    };
    Ok(Packet { bytes: message.write(), files: file.into_iter().collect() })
}

/// Opens what a handle carries, and gives it to the program.
///
/// # Errors
/// The handle carries nothing that this device can open.
///
/// # Safety
/// `out` is null or writable.
pub(super) unsafe fn open(
    device: &Object<Device>,
    handle: *mut c_void,
    iid: &Guid,
    out: *mut *mut c_void,
) -> Result<i32> {
    const FOREIGN: Error =
        Error::Invalid("the handle is none that this runtime made; objects of other APIs cannot be opened");
    let packet = i32::try_from(handle as usize).ok().filter(|number| *number > 0).and_then(Packet::peek);
    let packet = packet.ok_or(FOREIGN)?;
    let message = Message::read(&packet.bytes).ok_or(FOREIGN)?;
    let mut files = packet.files.into_iter();
    let mut file = || files.next().ok_or(Error::Invalid("a shared handle without the file that it speaks of"));
    let here = |origin: &Origin| match *origin == self::origin(device) {
        true => Ok(()),
        false => Err(Error::Call("the shared object is of another adapter or driver")),
    };
    // SAFETY: the caller passes a place that is null or writable.
    unsafe {
        match message {
            Message::Private => Err(Error::Call(
                "the shared object can be opened by its own device only: it is placed in a heap, the CPU sees it, or Vulkan gives \
                 no file for it",
            )),
            Message::Heap { origin, desc, memory } => {
                here(&origin)?;
                Ok(heap::opened(device, desc, &memory, file()?)?.give(iid, out))
            }
            Message::Resource { origin, desc, properties, flags, state, texels, memory } => {
                here(&origin)?;
                let opened = Opened { desc, properties, flags, state, texels, memory };
                Ok(opened.make(device, file()?)?.give(iid, out))
            }
            Message::Fence { flags } => {
                Ok(Object::make(Fence::opened(device, Page::open(file()?)?, flags)?).give(iid, out))
            }
        }
    }
}
