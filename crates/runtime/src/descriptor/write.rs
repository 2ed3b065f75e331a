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

use crate::config::log;
use crate::descriptor::buffer::{self, Span};
use crate::descriptor::handle::CpuHandle;
use crate::descriptor::heap::Header;
use crate::descriptor::record::{Kind, Record};
use crate::descriptor::sampler::Description;
use crate::descriptor::texture::{ImageView, Texture};
use crate::descriptor::view::Views;
use crate::device::{Device, this};
use crate::resource::{Image, Resource};
use crate::{Error, Result};

/// Stores a record at a handle, and publishes it if the heap is shader visible.
///
/// # Safety
/// The handle is that of a descriptor in a living heap of ours; what the API demands of concurrent use.
#[inline]
pub unsafe fn store(handle: CpuHandle, record: &Record) {
    // SAFETY: by contract.
    unsafe {
        let place = core::ptr::with_exposed_provenance_mut::<Record>(handle.record());
        place.write(*record);
        let header = core::ptr::with_exposed_provenance::<Header>(handle.base());
        if let Some(published) = (*header).published() {
            published.publish_one(handle.index(), record);
        }
    }
}

/// A resource's views.
pub fn views(resource: &Resource) -> &Views {
    resource.views.get_or_init(|| Box::new(Views::new(&resource.device)))
}

fn texture(resource: &Resource, image: &Image) -> Result<Texture> {
    Ok(Texture {
        dimension: resource.desc.Dimension,
        format: resource.format.ok_or(Error::Invalid("view: a texture without a format"))?,
        vk: image.format,
        aspects: image.aspects,
        extent: image.extent,
        levels: image.levels,
        layers: image.layers,
        multisampled: image.samples != vk::SampleCountFlags::TYPE_1,
    })
}

/// The record of a texture's view for shaders.
fn shown(resource: &Resource, image: &Image, view: &ImageView, kind: Kind) -> Result<Record> {
    Ok(Record {
        view: views(resource).image(image.image, view)?.as_raw(),
        word: image.layout.as_raw(),
        ..Record::null(kind)
    })
}

/// The record of a target.
fn target(resource: &Object<Resource>, image: &Image, view: &ImageView, kind: Kind, flags: u8) -> Result<Record> {
    let level = |size: u32| u64::from((size >> view.first_level.min(31)).max(1));
    Ok(Record {
        first: resource.pointer() as u64,
        view: views(resource).image(image.image, view)?.as_raw(),
        word: view.format.as_raw(),
        kind,
        flags,
        mip: view.first_level as u8,
        samples: image.samples.as_raw() as u8,
        buffer: image.image.as_raw(),
        offset: level(image.extent.width) | level(image.extent.height) << 32,
        range: u64::from(view.first_layer) | u64::from(view.layers) << 32,
        ..Record::EMPTY
    })
}

/// A constant buffer; `None` and address 0 are null.
pub fn constant_buffer(device: &Device, desc: Option<&D3D12_CONSTANT_BUFFER_VIEW_DESC>) -> Result<Record> {
    let null = Record::null(Kind::ConstantBuffer);
    let Some(desc) = desc.filter(|desc| desc.BufferLocation != 0 && desc.SizeInBytes != 0) else { return Ok(null) };
    let Some(place) = device.addresses.find(desc.BufferLocation) else {
        return Err(Error::Invalid("constant buffer: nothing lies at BufferLocation"));
    };
    let limits = &device.caps.limits;
    if place.offset % limits.min_uniform_buffer_offset_alignment != 0 {
        return Err(Error::Invalid("constant buffer: BufferLocation is not a multiple of 256"));
    }
    let size = u64::from(desc.SizeInBytes.min(limits.max_uniform_buffer_range)).min(place.left);
    Ok(Record { buffer: place.buffer.as_raw(), offset: place.offset, range: size, ..null })
}

/// A texture or buffer to read; no resource is null.
pub fn shader_resource(
    device: &Device,
    resource: Option<&Object<Resource>>,
    desc: Option<&D3D12_SHADER_RESOURCE_VIEW_DESC>,
) -> Result<Record> {
    let Some(resource) = resource else {
        let dimension = desc.map(|desc| desc.ViewDimension);
        let buffer = matches!(dimension, Some(Srv::BUFFER | Srv::BUFFER_BYTE_OFFSET));
        return match dimension {
            None => Err(Error::Invalid("view: neither resource nor description")),
            Some(Srv::RAYTRACING_ACCELERATION_STRUCTURE) => Err(Error::Unsupported("acceleration structures")),
            _ => Ok(Record::null(if buffer { Kind::ReadBuffer } else { Kind::SampledImage })),
        };
    };
    if let Some(image) = resource.image() {
        let view = texture(resource, image)?.shader_resource(desc)?;
        return shown(resource, image, &view, Kind::SampledImage);
    }
    let (Some(buffer), Some(desc)) = (resource.buffer(), desc) else {
        return Err(Error::Invalid("view: a buffer needs a description"));
    };
    let span = Span::shader_resource(desc)?;
    buffer::record(device, views(resource), buffer, &span, Kind::ReadBuffer)
}

/// A texture or buffer to write; no resource is null.
pub fn unordered_access(
    device: &Device,
    resource: Option<&Object<Resource>>,
    counter: Option<&Object<Resource>>,
    desc: Option<&D3D12_UNORDERED_ACCESS_VIEW_DESC>,
) -> Result<Record> {
    let Some(resource) = resource else {
        let Some(desc) = desc else { return Err(Error::Invalid("view: neither resource nor description")) };
        let buffer = matches!(desc.ViewDimension, Uav::BUFFER | Uav::BUFFER_BYTE_OFFSET);
        return Ok(Record::null(if buffer { Kind::WriteBuffer } else { Kind::StorageImage }));
    };
    if let Some(image) = resource.image() {
        let texture = texture(resource, image)?;
        let view = texture.unordered_access(desc)?;
        let slices = match resource.desc.Dimension {
            Dimension::TEXTURE3D if !view.sliced => (0, texture.depth(view.first_level)),
            _ => (view.first_layer, view.layers),
        };
        return Ok(Record {
            flags: texture.format(desc.map_or(DXGI_FORMAT::FORMAT_UNKNOWN, |desc| desc.Format))?.dxgi.0 as u8,
            mip: view.first_level as u8,
            range: u64::from(slices.0) | u64::from(slices.1) << 32,
            ..shown(resource, image, &view, Kind::StorageImage)?
        });
    }
    let (Some(buffer), Some(desc)) = (resource.buffer(), desc) else {
        return Err(Error::Invalid("view: a buffer needs a description"));
    };
    let (span, place) = Span::unordered_access(desc)?;
    let mut record = buffer::record(device, views(resource), buffer, &span, Kind::WriteBuffer)?;
    // Raw and structured views are of words.
    let typed = desc.Anonymous;
    // SAFETY: plain numbers; other dimensions were refused above.
    let typed = unsafe { typed.Buffer.StructureByteStride == 0 && typed.Buffer.Flags.0 == 0 };
    record.flags = if typed { desc.Format.0 as u8 } else { 0 };
    if let Some(counter) = counter {
        match counter.buffer() {
            Some(buffer) if place.saturating_add(4) <= buffer.size && place % 4 == 0 => {
                record.first = buffer.address + place;
            }
            _ => return Err(Error::Invalid("view: the counter does not lie in its buffer")),
        }
    }
    Ok(record)
}

/// A render target; no resource is null.
pub fn render_target(
    resource: Option<&Object<Resource>>,
    desc: Option<&D3D12_RENDER_TARGET_VIEW_DESC>,
) -> Result<Record> {
    let Some(resource) = resource else { return null_target(Kind::RenderTarget, desc.is_some()) };
    let Some(image) = resource.image() else { return Err(Error::Unsupported("render targets in buffers")) };
    let view = texture(resource, image)?.render_target(desc)?;
    target(resource, image, &view, Kind::RenderTarget, 0)
}

/// A depth-stencil target; no resource is null.
pub fn depth_stencil(
    resource: Option<&Object<Resource>>,
    desc: Option<&D3D12_DEPTH_STENCIL_VIEW_DESC>,
) -> Result<Record> {
    let Some(resource) = resource else { return null_target(Kind::DepthStencil, desc.is_some()) };
    let Some(image) = resource.image() else { return Err(Error::Invalid("view: a buffer is no depth-stencil target")) };
    let view = texture(resource, image)?.depth_stencil(desc)?;
    target(resource, image, &view, Kind::DepthStencil, desc.map_or(0, |desc| desc.Flags.0 as u8 & 3))
}

fn null_target(kind: Kind, described: bool) -> Result<Record> {
    if described {
        Ok(Record { kind, ..Record::EMPTY })
    } else {
        Err(Error::Invalid("view: neither resource nor description"))
    }
}

/// A sampler.
pub fn sampler(device: &Device, description: &Description) -> Result<Record> {
    let sampler = device.bindings.cache.get(device, description)?;
    Ok(Record { first: sampler.as_raw(), kind: Kind::Sampler, ..Record::EMPTY })
}

/// Stores what was made, or null of its kind, and says why.
///
/// # Safety
/// As [`store`], or the handle is null.
unsafe fn finish(handle: D3D12_CPU_DESCRIPTOR_HANDLE, method: MethodId, kind: Kind, made: Result<Record>) -> i32 {
    let Some(handle) = CpuHandle::new(handle.ptr) else { return E_FAIL };
    let (record, code) = match made {
        Ok(record) => (record, S_OK),
        Err(error) => (failed(method, kind, &error), error.code()),
    };
    // SAFETY: by contract.
    unsafe { store(handle, &record) };
    code
}

#[cold]
fn failed(method: MethodId, kind: Kind, error: &Error) -> Record {
    match error {
        Error::Unsupported(detail) => {
            unsupported(method, &format!(" for {detail}"));
        }
        _ => log(1, || format!("{}: {error}; the descriptor is null", method.get().name)),
    }
    Record::null(kind)
}

/// A pair of methods, the older without and the newer with a result, from one function.
macro_rules! methods {
    ($($plain:ident $trying:ident $interface:literal $name:literal $kind:ident ($device:ident, $($arg:ident: $ty:ty),*) $make:expr;)*) => {
        $(
            /// The method without a result.
            pub(super) unsafe extern "C" fn $plain(device: *mut c_void, $($arg: $ty,)* handle: D3D12_CPU_DESCRIPTOR_HANDLE) {
                // SAFETY: the program's arguments, as the API demands them.
                unsafe { $trying(device, $($arg,)* handle) };
            }

            /// The method with a result.
            pub(super) unsafe extern "C" fn $trying(
                device: *mut c_void,
                $($arg: $ty,)*
                handle: D3D12_CPU_DESCRIPTOR_HANDLE,
            ) -> i32 {
                // SAFETY: the program's arguments, as the API demands them.
                guard(E_FAIL, || unsafe {
                    let $device: &Device = this(device);
                    $(let $arg = $arg.take();)*
                    finish(handle, const { method($interface, $name) }, Kind::$kind, $make)
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
        // SAFETY: by contract. The call's end ends the use.
        unsafe { Object::from_pointer(self) }
    }
}

macro_rules! descriptions {
    ($($ty:ty)*) => {
        $(impl Take for *const $ty {
            type Taken = Option<&'static $ty>;

            unsafe fn take(self) -> Self::Taken {
                // SAFETY: by contract. The call's end ends the use.
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
        (device, desc: *const D3D12_CONSTANT_BUFFER_VIEW_DESC)
        constant_buffer(device, desc);
    create_srv try_create_srv "ID3D12Device" "CreateShaderResourceView" SampledImage
        (device, resource: Pointer, desc: *const D3D12_SHADER_RESOURCE_VIEW_DESC)
        shader_resource(device, resource, desc);
    create_uav try_create_uav "ID3D12Device" "CreateUnorderedAccessView" StorageImage
        (device, resource: Pointer, counter: Pointer, desc: *const D3D12_UNORDERED_ACCESS_VIEW_DESC)
        unordered_access(device, resource, counter, desc);
    create_rtv try_create_rtv "ID3D12Device" "CreateRenderTargetView" RenderTarget
        (_device, resource: Pointer, desc: *const D3D12_RENDER_TARGET_VIEW_DESC)
        render_target(resource, desc);
    create_dsv try_create_dsv "ID3D12Device" "CreateDepthStencilView" DepthStencil
        (_device, resource: Pointer, desc: *const D3D12_DEPTH_STENCIL_VIEW_DESC)
        depth_stencil(resource, desc);
    create_sampler try_create_sampler "ID3D12Device" "CreateSampler" Empty
        (device, desc: *const D3D12_SAMPLER_DESC)
        desc.ok_or(NO_SAMPLER).and_then(|desc| sampler(device, &Description::from_older(desc)));
    create_sampler2 try_create_sampler2 "ID3D12Device11" "CreateSampler2" Empty
        (device, desc: *const D3D12_SAMPLER_DESC2)
        desc.ok_or(NO_SAMPLER).and_then(|desc| sampler(device, &Description::new(desc)));
}
