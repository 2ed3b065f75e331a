//! The device's methods that create descriptors.
//!
//! Each makes a [`Record`] and stores it. What cannot be made is stored as null, and a message or the log says why: these
//! methods return nothing. Their `Try` forms give the code.

use core::ffi::c_void;

use ash::vk;
use ash::vk::Handle;
use reprise_com::result::{E_FAIL, S_OK};
use reprise_com::{Object, guard, unsupported};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_CONSTANT_BUFFER_VIEW_DESC, D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_DEPTH_STENCIL_VIEW_DESC,
    D3D12_RENDER_TARGET_VIEW_DESC, D3D12_RESOURCE_DIMENSION as Dimension, D3D12_SAMPLER_DESC, D3D12_SAMPLER_DESC2,
    D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION as Srv, D3D12_UAV_DIMENSION as Uav,
    D3D12_UNORDERED_ACCESS_VIEW_DESC, DXGI_FORMAT,
};

use crate::descriptor::buffer::{self, Span};
use crate::descriptor::handle::CpuHandle;
use crate::descriptor::heap::Header;
use crate::descriptor::sampler::{description, older_description};
use crate::descriptor::texture::Texture;
use crate::device::{Device, this};
use crate::resource::object::Resource;
use crate::resource::pieces::Run;
use crate::{Error, Result};
use reprise_gpu::descriptor::checks::{Checks, Info};
use reprise_gpu::descriptor::offset::Entry;
use reprise_gpu::descriptor::publish::{Past, Spans};
use reprise_gpu::descriptor::record::{Record, RecordKind};
use reprise_gpu::descriptor::sampler::Description;
use reprise_gpu::descriptor::view::ImageView;
use reprise_gpu::format::{Format, is_map};
use reprise_gpu::image::Image;
use reprise_log::{debug, warning_once};
use reprise_shader::checks::layout::types;

fn texture(resource: &Resource, image: &Image) -> Result<Texture> {
    // Views of maps of sampler feedback are of what their images hold.
    let format = match is_map(resource.desc.Format) {
        true => Format::get(DXGI_FORMAT::FORMAT_R32_UINT),
        false => resource.format,
    };
    Ok(Texture {
        dimension: resource.desc.Dimension,
        format: format.ok_or(Error::Invalid("view: a texture without a format"))?,
        vk: image.format,
        aspects: image.aspects,
        extent: image.extent,
        levels: image.levels,
        layers: image.layers,
        multisampled: image.samples != vk::SampleCountFlags::TYPE_1,
    })
}

/// A view of one layer as the driver reads it right, whether shaders declare an array or not.
fn readable(device: &Device, view: ImageView) -> ImageView {
    match (device.caps.wants_array_views(), device.caps.wants_plain_views()) {
        (true, _) => view.as_array(),
        (_, true) => view.as_plain(),
        _ => view,
    }
}

/// The record of a texture's view for shaders.
fn shown(out: &mut Record, device: &Device, image: &Image, view: ImageView, kind: RecordKind) -> Result<()> {
    let view = image.view(&readable(device, view))?.as_raw();
    let (word, offset) = (image.layout.as_raw(), image.lifetime().into());
    *out = Record { view, word, offset, ..Record::null(kind) };
    Ok(())
}

/// Whether shaders may see texels of a format as one integer of 64 bits.
pub(super) fn is_wide(format: DXGI_FORMAT) -> bool {
    matches!(format, DXGI_FORMAT::FORMAT_R32G32_UINT | DXGI_FORMAT::FORMAT_R32G32_SINT)
}

/// The record of a target.
fn target(
    out: &mut Record,
    resource: &Object<Resource>,
    image: &Image,
    view: &ImageView,
    kind: RecordKind,
    flags: u8,
) -> Result<()> {
    // Chroma has half the size.
    let shift = view.first_level + u32::from(view.aspects == vk::ImageAspectFlags::PLANE_1);
    let level = |size: u32| u64::from((size >> shift.min(31)).max(1));
    *out = Record {
        first: resource.device.targets.number(&resource.number, resource.pointer().expose_provenance()),
        view: image.view(view)?.as_raw(),
        word: view.format.as_raw(),
        kind,
        flags,
        mip: view.first_level as u8,
        samples: image.samples.as_raw() as u8,
        buffer: image.image.as_raw(),
        offset: level(image.extent.width) | level(image.extent.height) << 32,
        range: u64::from(view.first_layer) | u64::from(view.layers) << 32,
        ..Record::EMPTY
    };
    Ok(())
}

/// Null of a kind. Programs fill whole heaps with it, so what is that null already is left alone.
#[inline(always)]
fn null(out: &mut Record, kind: RecordKind) {
    if out.kind != kind || !out.is_null() || out.first != 0 {
        *out = Record::null(kind);
    }
}

/// A constant buffer; `None` and address 0 are null.
fn constant_buffer(
    out: &mut Record,
    spans: &mut Spans,
    device: &Device,
    desc: Option<&D3D12_CONSTANT_BUFFER_VIEW_DESC>,
) -> Result<()> {
    let Some(desc) = desc.filter(|desc| desc.BufferLocation != 0 && desc.SizeInBytes != 0) else {
        null(out, RecordKind::ConstantBuffer);
        return Ok(());
    };
    let Some(place) = device.memory.addresses().find(desc.BufferLocation) else {
        warning_once("a descriptor is null:", "it is of a constant buffer at an address without a resource");
        return Err(Error::Invalid("constant buffer: nothing lies at BufferLocation"));
    };
    let limits = &device.caps.limits;
    if !place.offset.is_multiple_of(limits.min_uniform_buffer_offset_alignment) {
        return Err(Error::Invalid("constant buffer: BufferLocation is not a multiple of 256"));
    }
    let size = u64::from(desc.SizeInBytes.min(limits.max_uniform_buffer_range)).min(place.left);
    spans.raw = (desc.BufferLocation, size);
    *out = Record {
        kind: RecordKind::ConstantBuffer,
        word: place.lifetime as i32,
        buffer: place.buffer.as_raw(),
        offset: place.offset,
        range: size,
        // A shader may read it as a raw buffer, where the device's descriptors of both are alike.
        entry: Entry { byte_count: size as u32, ..Entry::default() },
        ..Record::EMPTY
    };
    Ok(())
}

/// A texture or buffer to read, or an acceleration structure at a location; no resource, and location 0, are null.
fn shader_resource(
    out: &mut Record,
    spans: &mut Spans,
    device: &Device,
    resource: Option<&Object<Resource>>,
    desc: Option<&D3D12_SHADER_RESOURCE_VIEW_DESC>,
) -> Result<()> {
    if let Some(desc) = desc.filter(|desc| desc.ViewDimension == Srv::RAYTRACING_ACCELERATION_STRUCTURE) {
        // The API wants no resource here. Programs that name one mean the location, too.
        // SAFETY: the dimension says which arm of the union is set.
        return acceleration(out, device, unsafe { desc.Anonymous.RaytracingAccelerationStructure.Location });
    }
    let Some(resource) = resource else {
        let Some(desc) = desc else { return Err(Error::Invalid("view: neither resource nor description")) };
        let buffer = matches!(desc.ViewDimension, Srv::BUFFER | Srv::BUFFER_BYTE_OFFSET);
        null(out, if buffer { RecordKind::ReadBuffer } else { RecordKind::SampledImage });
        return Ok(());
    };
    spans.cookie = resource.cookie;
    if let Some(image) = resource.image() {
        let view = texture(resource, image)?.shader_resource(desc)?;
        if view.levels == 0 {
            *out = Record::null(RecordKind::SampledImage);
            return Ok(());
        }
        return shown(out, device, image, view, RecordKind::SampledImage);
    }
    let (Some(buffer), Some(desc)) = (resource.buffer(), desc) else {
        return Err(Error::Invalid("view: a buffer needs a description"));
    };
    let span = Span::shader_resource(desc, device.bindings.reads_triples())?;
    // Raw and structured views have no format that their texels are converted from.
    spans.typed_only = is_typed(desc);
    let run = texels_in_tiles(resource, &span, spans.typed_only == Some(true));
    buffer::record(out, spans, device, buffer, run.as_ref(), &span, RecordKind::ReadBuffer)
}

/// Where a view of a reserved buffer finds its texels, on a driver that loses those of sparse buffers.
fn texels_in_tiles(resource: &Resource, span: &Span, typed: bool) -> Option<Run> {
    let pieces = resource.tiles.as_ref()?.pieces.as_ref()?;
    let run =
        pieces.run(&resource.device.logical, span.start, span.size.min(resource.desc.Width.saturating_sub(span.start)));
    let run = run.filter(|run| (span.start - run.start).is_multiple_of(span.element));
    if run.is_none() && typed {
        reprise_log::warning_once(
            "a typed view of a reserved buffer, made before its tiles are mapped to one piece of a heap:",
            "this device (Mesa's software rasteriser, before 26.1) reads 0 through it and loses stores; results are wrong",
        );
    }
    run
}

/// Whether a buffer's view is of texels, and neither raw nor structured; `None` for views by bytes, which are not told apart.
fn is_typed(desc: &D3D12_SHADER_RESOURCE_VIEW_DESC) -> Option<bool> {
    if desc.ViewDimension != Srv::BUFFER {
        return None;
    }
    // SAFETY: plain numbers, and the dimension says which arm of the union is set.
    let buffer = unsafe { desc.Anonymous.Buffer };
    Some(buffer.StructureByteStride == 0 && buffer.Flags.0 == 0)
}

/// An acceleration structure, which lies where the program says; 0 is null.
fn acceleration(out: &mut Record, device: &Device, location: u64) -> Result<()> {
    if location != 0 {
        if device.memory.addresses().find(location).is_none() {
            warning_once(
                "a descriptor is null:",
                "it is of an acceleration structure at an address without a resource",
            );
            return Err(Error::Invalid("acceleration structure: nothing lies at Location"));
        }
        // A shader uses the address; Vulkan wants an object to be there, also of a structure that is not built yet.
        device.memory.structure(location)?;
    }
    *out = Record { first: location, ..Record::null(RecordKind::Acceleration) };
    Ok(())
}

/// A texture or buffer to write; no resource is null.
fn unordered_access(
    out: &mut Record,
    spans: &mut Spans,
    device: &Device,
    resource: Option<&Object<Resource>>,
    counter: Option<&Object<Resource>>,
    desc: Option<&D3D12_UNORDERED_ACCESS_VIEW_DESC>,
) -> Result<()> {
    let Some(resource) = resource else {
        let Some(desc) = desc else { return Err(Error::Invalid("view: neither resource nor description")) };
        let buffer = matches!(desc.ViewDimension, Uav::BUFFER | Uav::BUFFER_BYTE_OFFSET);
        null(out, if buffer { RecordKind::WriteBuffer } else { RecordKind::StorageImage });
        return Ok(());
    };
    spans.cookie = resource.cookie;
    if let Some(image) = resource.image() {
        let texture = texture(resource, image)?;
        let view = texture.unordered_access(desc)?;
        let slices = match resource.desc.Dimension {
            Dimension::TEXTURE3D if !view.sliced => (0, texture.depth(view.first_level)),
            _ => (view.first_layer, view.layers),
        };
        let format = texture.format(desc.map_or(DXGI_FORMAT::FORMAT_UNKNOWN, |desc| desc.Format))?;
        shown(out, device, image, view, RecordKind::StorageImage)?;
        if device.logical.wide.is_some() && is_wide(format.dxgi) {
            out.first = image.wide_view(&readable(device, view))?;
        }
        out.flags = format.dxgi.0 as u8;
        out.mip = view.first_level as u8;
        out.range = u64::from(slices.0) | u64::from(slices.1) << 32;
        return Ok(());
    }
    let (Some(buffer), Some(desc)) = (resource.buffer(), desc) else {
        return Err(Error::Invalid("view: a buffer needs a description"));
    };
    let (span, place) = Span::unordered_access(desc)?;
    // Raw and structured views are of words.
    let typed = desc.Anonymous;
    // SAFETY: plain numbers; other dimensions were refused above.
    let typed = unsafe { typed.Buffer.StructureByteStride == 0 && typed.Buffer.Flags.0 == 0 };
    let run = texels_in_tiles(resource, &span, typed);
    buffer::record(out, spans, device, buffer, run.as_ref(), &span, RecordKind::WriteBuffer)?;
    spans.typed_only = (desc.ViewDimension == Uav::BUFFER).then_some(typed);
    out.flags = if typed { desc.Format.0 as u8 } else { 0 };
    if let Some(counter) = counter {
        match counter.buffer() {
            Some(buffer) if place.saturating_add(4) <= buffer.size && place % 4 == 0 => {
                out.first = buffer.address + place;
            }
            _ => return Err(Error::Invalid("view: the counter does not lie in its buffer")),
        }
    }
    Ok(())
}

/// A map of sampler feedback, all of it; no map is null, and neither is one without a texture.
fn sampler_feedback(
    out: &mut Record,
    device: &Device,
    texture: Option<&Object<Resource>>,
    map: Option<&Object<Resource>>,
) -> Result<()> {
    let Some(map) = map.filter(|_| texture.is_some()) else {
        null(out, RecordKind::StorageImage);
        return Ok(());
    };
    if !is_map(map.desc.Format) {
        return Err(Error::Invalid("view: not a map of sampler feedback"));
    }
    unordered_access(out, &mut Spans::default(), device, Some(map), None, None)
}

/// A render target; no resource is null.
fn render_target(
    out: &mut Record,
    resource: Option<&Object<Resource>>,
    desc: Option<&D3D12_RENDER_TARGET_VIEW_DESC>,
) -> Result<()> {
    let Some(resource) = resource else { return null_target(out, RecordKind::RenderTarget, desc.is_some()) };
    let Some(image) = resource.image() else { return Err(Error::Unsupported("render targets in buffers")) };
    let view = texture(resource, image)?.render_target(desc)?;
    target(out, resource, image, &view, RecordKind::RenderTarget, 0)
}

/// A depth-stencil target; no resource is null.
fn depth_stencil(
    out: &mut Record,
    resource: Option<&Object<Resource>>,
    desc: Option<&D3D12_DEPTH_STENCIL_VIEW_DESC>,
) -> Result<()> {
    let Some(resource) = resource else { return null_target(out, RecordKind::DepthStencil, desc.is_some()) };
    let Some(image) = resource.image() else { return Err(Error::Invalid("view: a buffer is no depth-stencil target")) };
    let view = texture(resource, image)?.depth_stencil(desc)?;
    target(out, resource, image, &view, RecordKind::DepthStencil, desc.map_or(0, |desc| desc.Flags.0 as u8 & 3))
}

fn null_target(out: &mut Record, kind: RecordKind, described: bool) -> Result<()> {
    if !described {
        return Err(Error::Invalid("view: neither resource nor description"));
    }
    *out = Record { kind, ..Record::EMPTY };
    Ok(())
}

/// A sampler.
fn sampler(out: &mut Record, device: &Device, description: &Description) -> Result<()> {
    let sampler = device.bindings.sampler(description)?;
    let plain = match device.bindings.plain_samplers() {
        0 => sampler,
        _ => device.bindings.sampler(&Description { comparison: None, ..*description })?,
    };
    *out = Record { first: sampler.as_raw(), range: plain.as_raw(), kind: RecordKind::Sampler, ..Record::EMPTY };
    Ok(())
}

/// Makes a record in its place, and publishes it where the heap has more than records. What cannot be made is null of its kind, and
/// a message says why.
///
/// # Safety
/// The handle is null or that of a descriptor in a living heap of ours; what the API demands of concurrent use.
#[inline(always)]
unsafe fn store(
    handle: D3D12_CPU_DESCRIPTOR_HANDLE,
    method: MethodId,
    kind: RecordKind,
    make: impl FnOnce(&mut Record, &mut Spans) -> Result<()>,
) -> i32 {
    let Some(handle) = CpuHandle::new(handle.ptr) else { return E_FAIL };
    // SAFETY: the caller promises: the handle is null or that of a descriptor in a living heap of ours; what the API demands
    // of concurrent use; any bytes that a heap ever holds are a record.
    let (record, header) = unsafe {
        let record = &mut *core::ptr::with_exposed_provenance_mut::<Record>(handle.record());
        (record, &*core::ptr::with_exposed_provenance::<Header>(handle.base()))
    };
    let past = Past::of(record);
    let mut spans = Spans::default();
    let code = match make(record, &mut spans) {
        Ok(()) => S_OK,
        Err(error) => {
            *record = failed(method, kind, &error);
            error.code()
        }
    };
    if let Some((infos, checks)) = header.checked() {
        let info = seen(record, &spans, checks);
        // SAFETY: the heap has this descriptor; what the API demands of concurrent use.
        unsafe { infos.add(handle.index() as usize).write(info) };
    }
    if let Some(target) = header.target() {
        // SAFETY: the caller promises: the handle is null or that of a descriptor in a living heap of ours; what the API
        // demands of concurrent use.
        unsafe { target.publish(handle.index(), record, past, &spans) };
    }
    code
}

/// What checks know of a record.
#[cold]
fn seen(record: &Record, spans: &Spans, checks: &Checks) -> Info {
    let buffers = |typed: u32| match spans.typed_only {
        Some(true) => typed,
        Some(false) => types::RAW_BUFFER,
        None => typed | types::RAW_BUFFER,
    };
    let (types, address) = match record.kind {
        RecordKind::ConstantBuffer => (types::CONSTANT_BUFFER, spans.raw.0),
        RecordKind::SampledImage => (types::SAMPLED_IMAGE, 0),
        RecordKind::StorageImage => (types::STORAGE_IMAGE, 0),
        RecordKind::ReadBuffer => (buffers(types::UNIFORM_TEXELS), 0),
        RecordKind::WriteBuffer => {
            let counted = if record.first != 0 || record.is_null() { types::ADDRESS } else { 0 };
            (buffers(types::STORAGE_TEXELS) | counted, 0)
        }
        RecordKind::Sampler => (types::SAMPLER, 0),
        RecordKind::Acceleration => (types::ACCELERATION | types::ADDRESS, record.first),
        RecordKind::Empty | RecordKind::RenderTarget | RecordKind::DepthStencil => (0, 0),
    };
    let cookie = if address == 0 { spans.cookie } else { checks.cookie_at(address) };
    Info { cookie, written: u32::try_from(crate::checks::call()).unwrap_or(0), types }
}

#[cold]
fn failed(method: MethodId, kind: RecordKind, error: &Error) -> Record {
    match error.unsupported() {
        Some(detail) => {
            unsupported(method, &format!(" for {detail}"));
        }
        None => debug(|| format!("{}: {error}; the descriptor is null", method.get().name)),
    }
    Record::null(kind)
}

/// A pair of methods, the older without and the newer with a result, from one function.
macro_rules! methods {
    ($($plain:ident $trying:ident $interface:literal $name:literal $kind:ident ($out:ident, $spans:ident, $device:ident, $($arg:ident: $ty:ty),*) $make:expr;)*) => {
        $(
            /// The method without a result.
            pub(super) unsafe extern "C" fn $plain(device: *mut c_void, $($arg: $ty,)* handle: D3D12_CPU_DESCRIPTOR_HANDLE) {
                // SAFETY: these are the same arguments, of a device whose vtable has both slots.
                unsafe { $trying(device, $($arg,)* handle) };
            }

            /// The method with a result.
            pub(super) unsafe extern "C" fn $trying(
                device: *mut c_void,
                $($arg: $ty,)*
                handle: D3D12_CPU_DESCRIPTOR_HANDLE,
            ) -> i32 {
                // SAFETY: the slot is of a device's vtable; objects are null or held by the program, descriptions null or readable, and the
                // handle lies in a heap of ours that the program holds.
                guard(E_FAIL, || unsafe {
                    let $device: &Device = this(device);
                    $(let $arg = $arg.take();)*
                    store(handle, const { method($interface, $name) }, RecordKind::$kind, |$out, $spans| $make)
                })
            }
        )*
    };
}

/// An argument of the program as a reference.
trait Take {
    type Taken;
    /// # Safety
    /// The argument is null or valid for the call.
    unsafe fn take(self) -> Self::Taken;
}

/// A COM pointer.
pub(super) type Pointer = *mut c_void;

impl Take for Pointer {
    type Taken = Option<&'static Object<Resource>>;

    unsafe fn take(self) -> Self::Taken {
        // SAFETY: null, or a COM pointer that the program keeps until the call ends; nothing is kept longer.
        unsafe { Object::from_pointer(self) }
    }
}

macro_rules! descriptions {
    ($($ty:ty)*) => {
        $(impl Take for *const $ty {
            type Taken = Option<&'static $ty>;

            unsafe fn take(self) -> Self::Taken {
                // SAFETY: null, or the program's structure, which it keeps until the call ends; nothing is kept longer.
                unsafe { self.as_ref() }
            }
        })*
    };
}

descriptions! {
    D3D12_CONSTANT_BUFFER_VIEW_DESC
    D3D12_SHADER_RESOURCE_VIEW_DESC
    D3D12_UNORDERED_ACCESS_VIEW_DESC
    D3D12_RENDER_TARGET_VIEW_DESC
    D3D12_DEPTH_STENCIL_VIEW_DESC
    D3D12_SAMPLER_DESC
    D3D12_SAMPLER_DESC2
}

const NO_SAMPLER: Error = Error::Invalid("sampler: no description");

methods! {
    create_cbv try_create_cbv "ID3D12Device" "CreateConstantBufferView" ConstantBuffer
        (out, spans, device, desc: *const D3D12_CONSTANT_BUFFER_VIEW_DESC)
        constant_buffer(out, spans, device, desc);
    create_srv try_create_srv "ID3D12Device" "CreateShaderResourceView" SampledImage
        (out, spans, device, resource: Pointer, desc: *const D3D12_SHADER_RESOURCE_VIEW_DESC)
        shader_resource(out, spans, device, resource, desc);
    create_uav try_create_uav "ID3D12Device" "CreateUnorderedAccessView" StorageImage
        (out, spans, device, resource: Pointer, counter: Pointer, desc: *const D3D12_UNORDERED_ACCESS_VIEW_DESC)
        unordered_access(out, spans, device, resource, counter, desc);
    create_feedback try_create_feedback "ID3D12Device8" "CreateSamplerFeedbackUnorderedAccessView" StorageImage
        (out, _spans, device, texture: Pointer, map: Pointer)
        sampler_feedback(out, device, texture, map);
    create_rtv try_create_rtv "ID3D12Device" "CreateRenderTargetView" RenderTarget
        (out, _spans, _device, resource: Pointer, desc: *const D3D12_RENDER_TARGET_VIEW_DESC)
        render_target(out, resource, desc);
    create_dsv try_create_dsv "ID3D12Device" "CreateDepthStencilView" DepthStencil
        (out, _spans, _device, resource: Pointer, desc: *const D3D12_DEPTH_STENCIL_VIEW_DESC)
        depth_stencil(out, resource, desc);
    create_sampler try_create_sampler "ID3D12Device" "CreateSampler" Empty
        (out, _spans, device, desc: *const D3D12_SAMPLER_DESC)
        desc.ok_or(NO_SAMPLER).and_then(|desc| sampler(out, device, &older_description(desc)));
    create_sampler2 try_create_sampler2 "ID3D12Device11" "CreateSampler2" Empty
        (out, _spans, device, desc: *const D3D12_SAMPLER_DESC2)
        desc.ok_or(NO_SAMPLER).and_then(|desc| sampler(out, device, &description(desc)));
}
