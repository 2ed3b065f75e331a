//! Making resources: committed and placed.

use std::sync::Arc;

use ash::vk;
use reprise_com::{Object, Public};
use reprise_d3d12::types::{
    D3D12_BARRIER_LAYOUT, D3D12_CLEAR_VALUE, D3D12_DRED_ALLOCATION_TYPE, D3D12_HEAP_FLAGS, D3D12_HEAP_PROPERTIES,
    D3D12_HEAP_TYPE, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION as Dimension, D3D12_RESOURCE_FLAGS,
    D3D12_RESOURCE_STATES as States, DXGI_FORMAT,
};
use reprise_gpu::buffer::Buffer;
use reprise_gpu::format::Format;
use reprise_gpu::image::{Image, Needs};
use reprise_gpu::logical::Logical;
#[cfg(unix)]
use reprise_gpu::memory::outside::{Described, Foreign};
use reprise_gpu::memory::types::Wish;
use reprise_gpu::memory::{Addressing, CpuAccess, Purpose, Request};

use crate::register::Number;
use crate::resource::allocation;
use crate::resource::backing::Backing;
use crate::resource::desc::{self, ALIGNMENT};
use crate::resource::heap::{self, Heap};
use crate::resource::heap_type;
use crate::resource::object::Resource;
use crate::resource::place;
use crate::resource::plan::plan;
use crate::resource::tiles::Tiles;
use crate::{Child, Device, Error, Result};

/// How a resource begins.
#[derive(Clone, Copy, Debug)]
pub enum Initial {
    /// By state.
    State(States),
    /// By layout; buffers have none.
    Layout(D3D12_BARRIER_LAYOUT),
}

/// What the program says of a new resource, wherever it lies.
pub struct Wanted<'a> {
    /// As the program wrote it; complete once it is checked. It is not copied until the resource is there.
    pub desc: &'a mut D3D12_RESOURCE_DESC1,
    /// The first state.
    pub initial: Initial,
    /// What it will be cleared to; only checked.
    pub clear: Option<&'a D3D12_CLEAR_VALUE>,
    /// Formats that views may have.
    pub castable: &'a [DXGI_FORMAT],
}

impl Wanted<'_> {
    /// Checks everything that does not depend on the device. Completes the description, and gives the first state.
    pub(super) fn check(&mut self, heap: &D3D12_HEAP_PROPERTIES, reserved: bool) -> Result<States> {
        desc::fill_in(self.desc, self.castable)?;
        let desc = &*self.desc;
        desc::layout(desc, reserved)?;
        desc::heap_type(desc, heap)?;
        desc::clear_value(desc, self.clear)?;
        match self.initial {
            Initial::State(state) => {
                // Reserved buffers may begin in any state: they are in no heap, and flags say nothing of them.
                if !reserved || desc.Dimension != Dimension::BUFFER {
                    desc::initial_state(desc, heap, state)?;
                }
                Ok(state)
            }
            Initial::Layout(layout) => state_of(desc, layout),
        }
    }
}

/// The state that stands for an initial layout.
fn state_of(desc: &D3D12_RESOURCE_DESC1, layout: D3D12_BARRIER_LAYOUT) -> Result<States> {
    use D3D12_BARRIER_LAYOUT as Layout;
    if desc.Dimension == Dimension::BUFFER {
        let none = matches!(layout, Layout::UNDEFINED);
        return if none { Ok(States::COMMON) } else { Err(Error::Invalid("a buffer has no layout")) };
    }
    let need = |flag: D3D12_RESOURCE_FLAGS, state: States| {
        if desc::has(desc, flag) {
            Ok(state)
        } else {
            Err(Error::Invalid("the layout needs a flag that the resource lacks"))
        }
    };
    match layout {
        Layout::RENDER_TARGET => need(D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET, States::RENDER_TARGET),
        Layout::UNORDERED_ACCESS => need(D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS, States::UNORDERED_ACCESS),
        Layout::DEPTH_STENCIL_WRITE => need(D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL, States::DEPTH_WRITE),
        Layout::DEPTH_STENCIL_READ => need(D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL, States::DEPTH_READ),
        Layout(-1..=31) => Ok(States::COMMON),
        _ => Err(Error::Invalid("a layout that the API does not have")),
    }
}

/// What is known before the resource is there.
pub(super) struct Base<'a> {
    pub(super) desc: &'a D3D12_RESOURCE_DESC1,
    pub(super) state: States,
    pub(super) properties: &'a D3D12_HEAP_PROPERTIES,
    pub(super) flags: D3D12_HEAP_FLAGS,
    pub(super) lasts: bool,
}

impl Base<'_> {
    pub(super) fn finish(
        self,
        device: &Object<Device>,
        backing: Backing,
        tiles: Option<Box<Tiles>>,
    ) -> Public<Resource> {
        let range = backing.buffer().map(|buffer| (buffer.address, buffer.size));
        let cookie = device.bindings.checks().map_or(0, |checks| checks.cookie(range));
        let resource = Object::make(Resource {
            address: backing.buffer().map_or(0, |buffer| buffer.address),
            device: Child::new(device),
            format: Format::get(self.desc.Format),
            desc: *self.desc,
            heap_properties: *self.properties,
            heap_flags: self.flags,
            initial_state: self.state,
            backing,
            tiles,
            cookie,
            number: Number::default(),
            lasts: self.lasts,
        });
        if let Some(image) = resource.image().filter(|image| !image.is_placed_target()) {
            device.initialisation.add(image);
        }
        // One that lasts is the runtime's own, and never released for good.
        if device.trail.wishes().ranges && !resource.lasts {
            let (address, size) = resource.range();
            device.trail.own(&resource, D3D12_DRED_ALLOCATION_TYPE::RESOURCE, address, size);
        }
        resource
    }
}

/// A resource with memory of its own.
///
/// # Errors
/// The API does not allow the resource, the device lacks it, or there is no memory.
pub fn committed(
    device: &Object<Device>,
    heap: &D3D12_HEAP_PROPERTIES,
    flags: D3D12_HEAP_FLAGS,
    wanted: &mut Wanted<'_>,
) -> Result<Public<Resource>> {
    make(device, heap, flags, wanted, (true, false))
}

/// As [`committed`], for a resource that the runtime gives to the program again and again.
///
/// # Errors
/// As [`committed`].
pub fn lasting(
    device: &Object<Device>,
    heap: &D3D12_HEAP_PROPERTIES,
    flags: D3D12_HEAP_FLAGS,
    wanted: &mut Wanted<'_>,
) -> Result<Public<Resource>> {
    make(device, heap, flags, wanted, (true, true))
}

/// A resource of the runtime's own, in the device's memory; to be written before it is read.
///
/// # Errors
/// The device lacks such resources, or there is no memory.
pub fn temporary(device: &Object<Device>, wanted: &mut Wanted<'_>) -> Result<Public<Resource>> {
    let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
    make(device, &heap, D3D12_HEAP_FLAGS::NONE, wanted, (false, false))
}

fn make(
    device: &Object<Device>,
    heap: &D3D12_HEAP_PROPERTIES,
    flags: D3D12_HEAP_FLAGS,
    wanted: &mut Wanted<'_>,
    (zeroed, lasts): (bool, bool),
) -> Result<Public<Resource>> {
    // Nobody asks for places of what the runtime makes for itself.
    let addressing = if zeroed { place::next(device) } else { Addressing::Own };
    heap::check_properties(device, heap)?;
    // What the API refuses comes before what this runtime lacks.
    let state = wanted.check(heap, false)?;
    let (desc, castable) = (&*wanted.desc, wanted.castable);
    heap::check_sharing(flags, desc)?;
    heap::check_flags(flags, heap)?;
    let (wish, access) =
        (heap_type::wish(heap, device.caps.architecture, device.caps.maps_local_memory())?, heap_type::access(heap));
    let backing = if desc.Dimension == Dimension::BUFFER {
        let size = desc.Width.checked_next_multiple_of(ALIGNMENT).ok_or(Error::MEMORY)?;
        let request = Request {
            size,
            alignment: ALIGNMENT,
            types: !0,
            wish,
            access,
            purpose: Purpose::Buffer,
            dedicated: vk::Image::null(),
            zeroed,
            addressing,
            gpu_writes: heap_type::gpu_writes(heap),
            outside: heap::is_outside(flags, access),
        };
        Backing::Buffer(Buffer::new(device.memory.allocate(&request)?, desc.Width))
    } else {
        Backing::Image(alone(device, desc, castable, (wish, access), (zeroed, heap::is_outside(flags, access)))?)
    };
    Ok(Base { desc, state, properties: heap, flags, lasts }.finish(device, backing, None))
}

/// An image with memory of its own. Texels that the CPU touches lie in rows where it sees them, if the device can; elsewhere
/// they are the GPU's alone, and staging buffers carry them.
fn alone(
    device: &Device,
    desc: &D3D12_RESOURCE_DESC1,
    castable: &[DXGI_FORMAT],
    (mut wish, mut access): (Wish, CpuAccess),
    (zeroed, outside): (bool, bool),
) -> Result<Arc<Image>> {
    let mut shape = plan(device, desc, castable, false, access.is_mappable())?;
    shape.shape.outside = outside && device.memory.shares() && shape.can_be_shared(logical(device));
    let mut image = shape.create(logical(device))?;
    let mut needs = image.needs();
    if shape.is_linear() && wish.pick(&device.caps.memory, needs.types).is_none() {
        shape = plan(device, desc, castable, false, false)?;
        image = shape.create(logical(device))?;
        needs = image.needs();
    }
    if !shape.is_linear() {
        (wish, access) = (Wish::DEVICE, CpuAccess::None);
    }
    let request = Request {
        size: needs.size,
        alignment: needs.alignment,
        types: needs.types,
        wish,
        access,
        purpose: Purpose::Image,
        dedicated: if needs.alone { image.vk() } else { vk::Image::null() },
        zeroed,
        addressing: Addressing::Own,
        gpu_writes: false,
        outside: shape.shape.outside,
    };
    let slice = device.memory.allocate(&request)?;
    // SAFETY: the memory is large enough, aligned, of a type, and alone where it must be, by the image's requirements.
    Ok(unsafe { image.bind(slice) }?)
}

/// A resource in a heap.
///
/// # Errors
/// The API does not allow the resource there, or the device lacks it.
pub fn placed(
    device: &Object<Device>,
    heap: &Object<Heap>,
    offset: u64,
    wanted: &mut Wanted<'_>,
) -> Result<Public<Resource>> {
    let state = wanted.check(&heap.desc.Properties, false)?;
    let (desc, castable) = (&*wanted.desc, wanted.castable);
    heap.admits(desc)?;
    // Games place targets of several samples in heaps of 64 KiB's alignment, and rely on runtimes that let them: Vulkan's own
    // requirements are checked below.
    let lenient = if desc.SampleDesc.Count > 1 { ALIGNMENT } else { desc.Alignment };
    if !offset.is_multiple_of(lenient) || lenient > heap.desc.Alignment.max(ALIGNMENT) {
        return Err(Error::Invalid("a resource is placed at a multiple of its alignment, in a heap of the same"));
    }
    allocation::check_inflated(device, desc, castable, (offset, &heap.desc))?;
    let backing = if desc.Dimension == Dimension::BUFFER {
        if offset.checked_add(desc.Width).is_none_or(|end| end > heap.desc.SizeInBytes) {
            return Err(Error::Invalid("the resource does not fit into the heap"));
        }
        Backing::Buffer(Buffer::new(heap.slice.part(offset, desc.Width), desc.Width))
    } else {
        Backing::Image(within(device, heap, offset, desc, castable)?)
    };
    let (properties, flags) = (&heap.desc.Properties, heap.desc.Flags);
    Ok(Base { desc, state, properties, flags, lasts: false }.finish(device, backing, None))
}

/// An image in a heap. It has memory of its own where the heap's cannot hold it: then it shares no bytes with its neighbours.
fn within(
    device: &Device,
    heap: &Heap,
    offset: u64,
    desc: &D3D12_RESOURCE_DESC1,
    castable: &[DXGI_FORMAT],
) -> Result<Arc<Image>> {
    let access = heap_type::access(&heap.desc.Properties);
    let place = |needs: Needs| {
        let at = allocation::place(heap.slice.offset, offset, needs)?;
        (at.checked_add(needs.size)? <= heap.desc.SizeInBytes).then_some(at)
    };
    let mut shape = plan(device, desc, castable, true, access.is_mappable())?;
    // Memory that others may open holds images that they may open, and no others.
    let outside = heap.slice.allocation().is_outside();
    shape.shape.outside = outside && shape.can_be_shared(logical(device));
    let admits = shape.shape.outside == outside;
    let holds = |needs: Needs| needs.types & (1 << heap.slice.allocation().type_index) != 0 && !needs.alone && admits;
    let image = shape.create(logical(device))?;
    let needs = image.needs();
    // The size that the program was told is that of an image whose texels the CPU does not see.
    let told = match shape.is_linear() {
        true => plan(device, desc, castable, true, false)?.needs(device),
        false => needs,
    };
    if place(told).is_none() {
        return Err(Error::Invalid("the resource does not fit into the heap"));
    }
    match place(needs) {
        Some(at) if holds(needs) && access.is_mappable() == shape.is_linear() => {
            // SAFETY: the heap's memory is large enough there, aligned and of a type by the image's requirements.
            Ok(unsafe { image.bind(heap.slice.part(at, needs.size)) }?)
        }
        _ => {
            let what = "a texture has memory of its own, because its heap's cannot hold it: it shares no bytes with its neighbours";
            reprise_log::warning_once("on this device", what);
            alone(
                device,
                desc,
                castable,
                (
                    heap_type::wish(&heap.desc.Properties, device.caps.architecture, device.caps.maps_local_memory())?,
                    access,
                ),
                (true, false),
            )
        }
    }
}

/// A committed resource that another device or process has given, with what it says of it.
#[cfg(unix)]
pub struct Opened {
    /// As the other one has it.
    pub desc: D3D12_RESOURCE_DESC1,
    /// As the other one has them.
    pub properties: D3D12_HEAP_PROPERTIES,
    /// Likewise.
    pub flags: D3D12_HEAP_FLAGS,
    /// The state that it began in.
    pub state: States,
    /// Whether its blocks may be seen as texels.
    pub texels: bool,
    /// The memory.
    pub memory: Described,
}

#[cfg(unix)]
impl Opened {
    /// Makes a resource of the memory.
    ///
    /// # Errors
    /// The API or this device has no such resource, or the memory is not for it.
    pub fn make(mut self, device: &Object<Device>, file: Foreign) -> Result<Public<Resource>> {
        const SMALL: Error = Error::Invalid("memory that was given is smaller than the resource in it");
        heap::check_properties(device, &self.properties)?;
        heap::check_flags(self.flags, &self.properties)?;
        heap::check_sharing(self.flags, &self.desc)?;
        if !heap::is_outside(self.flags, heap_type::access(&self.properties)) {
            return Err(Error::Invalid("a resource that was given is none that can be"));
        }
        let mut wanted =
            Wanted { desc: &mut self.desc, initial: Initial::State(self.state), clear: None, castable: &[] };
        let state = wanted.check(&self.properties, false)?;
        let Opened { desc, properties, flags, texels, memory, .. } = &self;
        let backing = if desc.Dimension == Dimension::BUFFER {
            if memory.size < desc.Width {
                return Err(SMALL);
            }
            Backing::Buffer(Buffer::new(device.memory.open(memory, file, vk::Image::null(), true)?, desc.Width))
        } else {
            let mut shape = plan(device, desc, &[], false, false)?;
            if *texels && self::texels(desc) {
                shape.shape.flags |= vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE;
            }
            shape.shape.outside = true;
            if !shape.can_be_shared(logical(device)) {
                return Err(Error::Unsupported("such textures of another device or process"));
            }
            shape.check(logical(device))?;
            let image = shape.create(logical(device))?;
            let needs = image.needs();
            let suits = memory.type_index < 32 && needs.types & (1 << memory.type_index) != 0;
            if memory.size < needs.size || !suits || needs.alone && !memory.dedicated {
                return Err(SMALL);
            }
            let slice = device.memory.open(memory, file, image.vk(), false)?;
            // SAFETY: the memory is large enough, of a type, and alone where it must be; it begins with the allocation.
            let image = unsafe { image.bind(slice) }?;
            image.begun_elsewhere();
            Backing::Image(image)
        };
        Ok(Base { desc, state, properties, flags: *flags, lasts: false }.finish(device, backing, None))
    }
}

/// Whether a texture has blocks.
#[cfg(unix)]
fn texels(desc: &D3D12_RESOURCE_DESC1) -> bool {
    Format::get(desc.Format).is_some_and(Format::is_block_compressed)
}

fn logical(device: &Device) -> &Arc<Logical> {
    &device.gpu.logical
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Layouts that the API has or had, and numbers that it never had.
    #[test]
    fn textures_begin_in_layouts_of_the_api() {
        let texture = D3D12_RESOURCE_DESC1 { Dimension: Dimension::TEXTURE2D, ..Default::default() };
        for layout in [-1, 0, 1, 6, 18, 29, 30, 31] {
            assert!(state_of(&texture, D3D12_BARRIER_LAYOUT(layout)).is_ok(), "{layout}");
        }
        for layout in [-2, 32, 99, i32::MAX] {
            assert!(matches!(state_of(&texture, D3D12_BARRIER_LAYOUT(layout)), Err(Error::Invalid(_))), "{layout}");
        }
    }
}
