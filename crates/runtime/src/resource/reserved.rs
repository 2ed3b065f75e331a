//! Making reserved resources: everything but memory.

use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::Arc;

use ash::vk;
use reprise_com::{Object, Public, Slots};
use reprise_d3d12::lookup::method;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::{
    D3D12_BARRIER_LAYOUT, D3D12_CLEAR_VALUE, D3D12_HEAP_FLAGS, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE,
    D3D12_RESOURCE_DESC, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION as Dimension, D3D12_RESOURCE_STATES,
    D3D12_TILED_RESOURCES_TIER as Tier, DXGI_FORMAT,
};
use reprise_gpu::buffer::Buffer;
use reprise_gpu::format::Format;
use reprise_gpu::image::Image;

use crate::device::this;
use crate::device::tiles::{shape, tier};
use crate::resource::backing::Backing;
use crate::resource::create::{Base, Initial, Wanted};
use crate::resource::desc;
use crate::resource::device::{formats, give};
use crate::resource::object::Resource;
use crate::resource::pieces::Pieces;
use crate::resource::tiles::{Tail, Tiles};
use crate::resource::tiling::{TILE, Tiling};
use crate::resource::{place, plan};
use crate::{Device, Error, Result};

/// Methods of the device that make these.
pub(crate) const RESERVED_METHODS: &Slots = &[
    ("CreateReservedResource", create_reserved as *const c_void),
    ("CreateReservedResource1", create_reserved1 as *const c_void),
    ("CreateReservedResource2", create_reserved2 as *const c_void),
];

/// A resource whose tiles are mapped by queues.
pub(super) fn reserved(device: &Object<Device>, wanted: &mut Wanted<'_>) -> Result<Public<Resource>> {
    let addressing = place::next(device);
    if tier(device) == Tier::TIER_NOT_SUPPORTED {
        return Err(Error::Unsupported("reserved resources: the Vulkan device cannot map memory piece by piece"));
    }
    let properties = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
    let state = wanted.check(&properties, true)?;
    let desc = &*wanted.desc;
    let (backing, tiles) = match desc.Dimension {
        Dimension::BUFFER => {
            let size = desc.Width.checked_next_multiple_of(TILE).ok_or(Error::MEMORY)?;
            let (slice, types) = device.memory.reserve(size, TILE, addressing.place())?;
            let types = if device.caps.binds_buffers_to_any_memory() { !0 } else { types };
            let buffer = Buffer::new(slice, desc.Width);
            let mut tiles = Tiles::new(Tiling::buffer(desc.Width)?, types, Tail::default());
            tiles.pieces = device.caps.loses_texels_of_tiles().then(|| Pieces::new(tiles.tiling.total()));
            (Backing::Buffer(buffer), tiles)
        }
        Dimension::TEXTURE2D | Dimension::TEXTURE3D => {
            let (image, tiles) = texture(device, desc, wanted.castable)?;
            (Backing::Image(image), tiles)
        }
        _ => return Err(Error::Invalid("textures of one dimension cannot be reserved")),
    };
    let base = Base { desc, state, properties: &properties, flags: D3D12_HEAP_FLAGS::NONE, lasts: false };
    Ok(base.finish(device, backing, Some(Box::new(tiles))))
}

fn texture(device: &Object<Device>, desc: &D3D12_RESOURCE_DESC1, casts: &[DXGI_FORMAT]) -> Result<(Arc<Image>, Tiles)> {
    const NONE: Error = Error::Invalid("textures of this format cannot be reserved");
    if desc.SampleDesc.Count != 1 {
        return Err(Error::Invalid("textures of several samples cannot be reserved"));
    }
    if desc.Dimension == Dimension::TEXTURE3D && tier(device) < Tier::TIER_3 {
        return Err(Error::Unsupported("reserved volumes: the device has tiled resources of a tier below 3"));
    }
    let plan = plan::reserved(device, desc, casts)?;
    let format = Format::get(desc.Format).ok_or(NONE)?;
    // Uses that only a cast has do not change the tiles, and Vulkan does not know them when asked.
    let usage = if desc::is_seen_as_texels(format, casts) { vk::ImageUsageFlags::SAMPLED } else { plan.shape.usage };
    let shape = shape(device, format, plan.shape.format, plan.kind, usage).ok_or(NONE)?;
    let image = plan.create(&device.gpu.logical)?.sparse();
    let tiles = cut(device, &image, shape)?;
    Ok((image, tiles))
}

/// Asks Vulkan how an image is cut.
fn cut(device: &Object<Device>, image: &Image, shape: [u32; 3]) -> Result<Tiles> {
    // SAFETY: the image is there, and sparse.
    let (needs, parts) = unsafe {
        (
            device.vk.get_image_memory_requirements(image.image),
            device.vk.get_image_sparse_memory_requirements(image.image),
        )
    };
    let [part] = parts.as_slice() else {
        return Err(Error::Unsupported("reserved textures with memory that is the driver's own"));
    };
    if needs.alignment > TILE {
        return Err(Error::Unsupported("the device's pages are larger than the API's tiles"));
    }
    let first_packed = part.image_mip_tail_first_lod;
    let last = image.levels - 1;
    let small = (image.extent.width >> last) < shape[0] || (image.extent.height >> last) < shape[1];
    if image.layers > 1 && (small || first_packed < image.levels) && tier(device) < Tier::TIER_4 {
        return Err(Error::Invalid(
            "textures of several layers with levels smaller than a tile: the device has tiled resources of a tier below 4",
        ));
    }
    let tail =
        Tail { offset: part.image_mip_tail_offset, stride: part.image_mip_tail_stride, size: part.image_mip_tail_size };
    let one_piece = part.format_properties.flags.contains(vk::SparseImageFormatFlags::SINGLE_MIPTAIL);
    let layers = if one_piece { 1 } else { image.layers };
    let packed = u32::try_from(tail.tiles() * u64::from(layers)).map_err(|_| Error::MEMORY)?;
    let extent = [image.extent.width, image.extent.height, image.extent.depth];
    let tiling = Tiling::texture(shape, extent, image.levels, image.layers, first_packed, packed);
    Ok(Tiles::new(tiling, needs.memory_type_bits, tail))
}

/// # Safety
/// `device` is of the vtable that the slot is in. Pointers to descriptions are null or readable, and `out` is null or room for a pointer.
unsafe fn make(
    device: *mut c_void,
    desc: Option<D3D12_RESOURCE_DESC1>,
    initial: Initial,
    clear: *const D3D12_CLEAR_VALUE,
    session: *mut c_void,
    castable: &[DXGI_FORMAT],
) -> Result<Public<Resource>> {
    if !session.is_null() {
        return Err(Error::Unsupported("protected sessions"));
    }
    let mut desc = desc.ok_or(Error::Invalid("a resource needs a description"))?;
    // SAFETY: the caller promises a device of ours, and a clear value that is null or readable; the description is our copy.
    unsafe { reserved(this(device), &mut Wanted { desc: &mut desc, initial, clear: clear.as_ref(), castable }) }
}

unsafe extern "C" fn create_reserved(
    device: *mut c_void,
    desc: *const D3D12_RESOURCE_DESC,
    state: D3D12_RESOURCE_STATES,
    clear: *const D3D12_CLEAR_VALUE,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the same arguments.
    unsafe { create_reserved1(device, desc, state, clear, null_mut(), iid, out) }
}

unsafe extern "C" fn create_reserved1(
    device: *mut c_void,
    desc: *const D3D12_RESOURCE_DESC,
    state: D3D12_RESOURCE_STATES,
    clear: *const D3D12_CLEAR_VALUE,
    session: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the slot is of a device's vtable; description and clear value are null or readable until the call returns, `iid` and `out`
    // null, or an id and room for a pointer.
    unsafe {
        give(const { method("ID3D12Device4", "CreateReservedResource1") }, iid, out, || {
            make(device, desc.as_ref().map(desc::newer), Initial::State(state), clear, session, &[])
        })
    }
}

unsafe extern "C" fn create_reserved2(
    device: *mut c_void,
    desc: *const D3D12_RESOURCE_DESC,
    layout: D3D12_BARRIER_LAYOUT,
    clear: *const D3D12_CLEAR_VALUE,
    session: *mut c_void,
    castable_count: u32,
    castable: *const DXGI_FORMAT,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the slot is of a device's vtable; description, clear value and the array of `castable_count` formats are null or readable
    // until the call returns, `iid` and `out` null, or an id and room for a pointer.
    unsafe {
        give(const { method("ID3D12Device10", "CreateReservedResource2") }, iid, out, || {
            let castable = formats(castable_count, castable);
            make(device, desc.as_ref().map(desc::newer), Initial::Layout(layout), clear, session, castable)
        })
    }
}
