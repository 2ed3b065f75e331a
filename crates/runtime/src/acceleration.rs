//! Acceleration structures: what a build is made of, and the device's methods about them.
//!
//! Instances, boxes, transforms and the header of the serialised form lie alike in both APIs' memory; opacity micromaps are in
//! [`crate::micromap`]. Invariant: what Vulkan cannot build is unsupported, and its sizes are 0.

use core::ffi::c_void;
use std::borrow::Cow;

use ash::vk;
use reprise_com::result::E_FAIL;
use reprise_com::{Object, Slots, guard};
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS as Description,
    D3D12_DRIVER_MATCHING_IDENTIFIER_STATUS as Status, D3D12_ELEMENTS_LAYOUT as Layout,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS as Flags,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO as Sizes,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE as Type, D3D12_RAYTRACING_GEOMETRY_DESC,
    D3D12_RAYTRACING_GEOMETRY_FLAGS, D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC, D3D12_RAYTRACING_GEOMETRY_TYPE as Shape,
    D3D12_SERIALIZED_DATA_TYPE, DXGI_FORMAT,
};
use reprise_gpu::encoder::{Linkage, MicromapInputs, chain};
use reprise_gpu::format::Format;

use crate::device::{Device, this};
use crate::environment::settings;
use crate::micromap;
use crate::resource::inflate::enlarged;
use crate::{Error, Result};

/// Methods of the device about acceleration structures.
pub const DEVICE_METHODS: &Slots = &[
    ("GetRaytracingAccelerationStructurePrebuildInfo", get_prebuild_info as *const c_void),
    ("CheckDriverMatchingIdentifier", check_driver_matching_identifier as *const c_void),
];

/// What the API's sizes are multiples of, so that structures and scratch memory may lie side by side.
const ALIGNMENT: u64 = 256;
/// Bytes that name a driver and the layout of its serialised structures.
const IDENTIFIER: usize = 2 * vk::UUID_SIZE;

/// What a structure is built from, as Vulkan takes it.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Level of the structure.
    pub level: vk::AccelerationStructureTypeKHR,
    /// Flags. Whether it is an update is none of them.
    pub flags: vk::BuildAccelerationStructureFlagsKHR,
    /// Whether an earlier structure is changed.
    pub updates: bool,
    /// Geometries, which chain nothing.
    pub geometries: Vec<vk::AccelerationStructureGeometryKHR<'static>>,
    /// Triangles, boxes or instances of each geometry.
    pub counts: Vec<u32>,
    /// Micromaps of geometries. Vulkan's object of each is not known before the build is recorded, as sizes do not depend on it.
    pub linkages: Vec<Linkage>,
    /// Where the micromaps of `linkages` lie; 0 is nowhere.
    pub arrays: Vec<u64>,
    /// What micromaps are built from, where they are what is built.
    pub micromaps: Option<MicromapInputs>,
}

// SAFETY: geometries hold addresses of the GPU; their pointers to other structures are null.
unsafe impl Send for Inputs {}
// SAFETY: shared references allow nothing but reading plain numbers.
unsafe impl Sync for Inputs {}

impl Inputs {
    /// Reads the program's description, in place of what was read before.
    ///
    /// # Errors
    /// Something that the device cannot build, by name.
    ///
    /// # Safety
    /// The description's pointers lead to as many geometries as it says.
    pub unsafe fn read(&mut self, device: &reprise_gpu::Device, desc: &Description) -> Result<()> {
        self.level = vk::AccelerationStructureTypeKHR::TOP_LEVEL;
        self.flags = flags(device, desc.Flags)?;
        self.updates = desc.Flags.0 & Flags::PERFORM_UPDATE.0 != 0;
        self.geometries.clear();
        self.counts.clear();
        self.linkages.clear();
        self.arrays.clear();
        self.micromaps = None;
        match desc.Type {
            Type::TOP_LEVEL => {
                // SAFETY: the type says which arm of the union is set.
                let address = unsafe { desc.Anonymous.InstanceDescs };
                self.geometries.push(instances(address, desc.DescsLayout == Layout::ARRAY_OF_POINTERS));
                self.counts.push(desc.NumDescs);
            }
            Type::BOTTOM_LEVEL => {
                self.level = vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL;
                for at in 0..desc.NumDescs as usize {
                    // SAFETY: type and layout say which arm is set; the caller promises so many geometries.
                    let geometry = unsafe {
                        match desc.DescsLayout {
                            Layout::ARRAY_OF_POINTERS => &**desc.Anonymous.ppGeometryDescs.add(at),
                            _ => &*desc.Anonymous.pGeometryDescs.add(at),
                        }
                    };
                    let (geometry, count) = match geometry.Type {
                        Shape::OMM_TRIANGLES if !device.caps.has_micromaps() => return Err(micromap::ABSENT),
                        Shape::OMM_TRIANGLES => {
                            // SAFETY: the type says which arm is set, and its pointers lead to one structure each, or are null.
                            let parts = unsafe {
                                let both = geometry.Anonymous.OmmTriangles;
                                (both.pTriangles.as_ref(), both.pOmmLinkage.as_ref())
                            };
                            let (Some(triangles), Some(linkage)) = parts else {
                                return Err(Error::Invalid("a geometry with opacity micromaps: a null pointer"));
                            };
                            let (linkage, array) = micromap::linkage(device, at, linkage)?;
                            self.linkages.push(linkage);
                            self.arrays.push(array);
                            triangle_geometry(device, geometry_flags(geometry), triangles)?
                        }
                        _ => read_geometry(device, geometry)?,
                    };
                    self.geometries.push(geometry);
                    self.counts.push(count);
                }
            }
            Type::OPACITY_MICROMAP_ARRAY => {
                // SAFETY: the type says which arm of the union is set.
                let array = unsafe { desc.Anonymous.pOpacityMicromapArrayDesc.as_ref() };
                let array = array.ok_or(Error::Invalid("a build of opacity micromaps: pOpacityMicromapArrayDesc"))?;
                // SAFETY: the caller promises what the description's pointers lead to.
                self.micromaps = Some(unsafe { micromap::inputs(device, desc.Flags, array) }?);
            }
            _ => return Err(Error::Invalid("a build: the type of the acceleration structure")),
        }
        Ok(())
    }

    /// Finds Vulkan's objects of the micromaps that geometries have.
    ///
    /// # Errors
    /// No micromaps can lie at an address.
    pub fn find_micromaps(&mut self, device: &reprise_gpu::Device) -> Result<()> {
        for (linkage, address) in self.linkages.iter_mut().zip(&self.arrays) {
            if *address != 0 {
                linkage.micromap = micromap::find(device, *address)?;
            }
        }
        Ok(())
    }

    /// The build of these geometries without its places.
    fn info<'a>(
        &self,
        geometries: &'a [vk::AccelerationStructureGeometryKHR<'a>],
    ) -> vk::AccelerationStructureBuildGeometryInfoKHR<'a> {
        let mode = match self.updates {
            true => vk::BuildAccelerationStructureModeKHR::UPDATE,
            false => vk::BuildAccelerationStructureModeKHR::BUILD,
        };
        vk::AccelerationStructureBuildGeometryInfoKHR::default()
            .ty(self.level)
            .flags(self.flags)
            .mode(mode)
            .geometries(geometries)
    }

    /// How many bytes a build needs at most.
    pub fn sizes(&self, device: &reprise_gpu::Device) -> Sizes {
        if let Some(micromaps) = &self.micromaps {
            let [result, scratch] = micromaps.sizes(device).map(|size| size.next_multiple_of(ALIGNMENT));
            return Sizes {
                ResultDataMaxSizeInBytes: result,
                ScratchDataSizeInBytes: scratch,
                UpdateScratchDataSizeInBytes: 0,
            };
        }
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        if let Some(ext) = &device.ext.acceleration {
            let kind = vk::AccelerationStructureBuildTypeKHR::DEVICE;
            let mut geometries = Cow::Borrowed(&self.geometries[..]);
            let _chained = match self.linkages.is_empty() {
                true => Box::default(),
                false => chain(geometries.to_mut(), &self.linkages),
            };
            // SAFETY: one count for each geometry; the driver does not read what lies at the addresses.
            unsafe {
                ext.get_acceleration_structure_build_sizes(kind, &self.info(&geometries), &self.counts, &mut sizes);
            }
        }
        let [result, scratch, update] =
            [sizes.acceleration_structure_size, sizes.build_scratch_size, sizes.update_scratch_size]
                .map(|size| size.next_multiple_of(ALIGNMENT));
        Sizes {
            ResultDataMaxSizeInBytes: result,
            ScratchDataSizeInBytes: scratch,
            UpdateScratchDataSizeInBytes: update,
        }
    }
}

/// What programs are told of sizes that the device has: with `REPRISE_INFLATE` more, as of another device.
pub fn told(sizes: Sizes) -> Sizes {
    let Some(seed) = settings().inflate else { return sizes };
    let more = |size: u64| enlarged(seed, size).next_multiple_of(ALIGNMENT);
    Sizes {
        ResultDataMaxSizeInBytes: more(sizes.ResultDataMaxSizeInBytes),
        ScratchDataSizeInBytes: more(sizes.ScratchDataSizeInBytes),
        UpdateScratchDataSizeInBytes: more(sizes.UpdateScratchDataSizeInBytes),
    }
}

/// Vulkan's flags of a build. Whether it is an update is no flag there.
fn flags(device: &reprise_gpu::Device, flags: Flags) -> Result<vk::BuildAccelerationStructureFlagsKHR> {
    use vk::BuildAccelerationStructureFlagsKHR as To;
    let table = [
        (Flags::ALLOW_UPDATE, To::ALLOW_UPDATE),
        (Flags::ALLOW_COMPACTION, To::ALLOW_COMPACTION),
        (Flags::PREFER_FAST_TRACE, To::PREFER_FAST_TRACE),
        (Flags::PREFER_FAST_BUILD, To::PREFER_FAST_BUILD),
        (Flags::MINIMIZE_MEMORY, To::LOW_MEMORY),
        (Flags::PERFORM_UPDATE, To::empty()),
        (Flags::ALLOW_OMM_UPDATE, To::ALLOW_OPACITY_MICROMAP_UPDATE_EXT),
        (Flags::ALLOW_DISABLE_OMMS, To::ALLOW_DISABLE_OPACITY_MICROMAPS_EXT),
    ];
    let known = table.iter().fold(0, |all, (flag, _)| all | flag.0);
    if flags.0 & !known != 0 {
        return Err(Error::Unsupported("a build of an acceleration structure with an unknown flag"));
    }
    if flags.0 & (Flags::ALLOW_OMM_UPDATE.0 | Flags::ALLOW_DISABLE_OMMS.0) != 0 && !device.caps.has_micromaps() {
        return Err(micromap::ABSENT);
    }
    Ok(table.iter().filter(|(flag, _)| flags.0 & flag.0 != 0).fold(To::empty(), |all, (_, to)| all | *to))
}

fn instances(address: u64, by_pointers: bool) -> vk::AccelerationStructureGeometryKHR<'static> {
    let instances = vk::AccelerationStructureGeometryInstancesDataKHR::default()
        .array_of_pointers(by_pointers)
        .data(vk::DeviceOrHostAddressConstKHR { device_address: address });
    vk::AccelerationStructureGeometryKHR::default()
        .geometry_type(vk::GeometryTypeKHR::INSTANCES)
        .geometry(vk::AccelerationStructureGeometryDataKHR { instances })
}

/// A geometry, and its number of triangles or boxes.
fn read_geometry(
    device: &reprise_gpu::Device,
    desc: &D3D12_RAYTRACING_GEOMETRY_DESC,
) -> Result<(vk::AccelerationStructureGeometryKHR<'static>, u32)> {
    let flags = geometry_flags(desc);
    let geometry = vk::AccelerationStructureGeometryKHR::default().flags(flags);
    // SAFETY: the type says which arm of the union is set.
    unsafe {
        match desc.Type {
            Shape::TRIANGLES => triangle_geometry(device, flags, &desc.Anonymous.Triangles),
            Shape::PROCEDURAL_PRIMITIVE_AABBS => {
                let boxes = &desc.Anonymous.AABBs;
                let aabbs = vk::AccelerationStructureGeometryAabbsDataKHR::default()
                    .stride(boxes.AABBs.StrideInBytes)
                    .data(vk::DeviceOrHostAddressConstKHR { device_address: boxes.AABBs.StartAddress });
                let count =
                    u32::try_from(boxes.AABBCount).map_err(|_| Error::Invalid("a build: the number of boxes"))?;
                let data = vk::AccelerationStructureGeometryDataKHR { aabbs };
                Ok((geometry.geometry_type(vk::GeometryTypeKHR::AABBS).geometry(data), count))
            }
            _ => Err(Error::Invalid("a build: the type of a geometry")),
        }
    }
}

fn geometry_flags(desc: &D3D12_RAYTRACING_GEOMETRY_DESC) -> vk::GeometryFlagsKHR {
    let mut flags = vk::GeometryFlagsKHR::empty();
    if desc.Flags.0 & D3D12_RAYTRACING_GEOMETRY_FLAGS::OPAQUE.0 != 0 {
        flags |= vk::GeometryFlagsKHR::OPAQUE;
    }
    if desc.Flags.0 & D3D12_RAYTRACING_GEOMETRY_FLAGS::NO_DUPLICATE_ANYHIT_INVOCATION.0 != 0 {
        flags |= vk::GeometryFlagsKHR::NO_DUPLICATE_ANY_HIT_INVOCATION;
    }
    flags
}

/// A geometry of triangles, and their number.
fn triangle_geometry(
    device: &reprise_gpu::Device,
    flags: vk::GeometryFlagsKHR,
    desc: &D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC,
) -> Result<(vk::AccelerationStructureGeometryKHR<'static>, u32)> {
    let corners = match desc.IndexFormat {
        DXGI_FORMAT::FORMAT_UNKNOWN => desc.VertexCount,
        _ => desc.IndexCount,
    };
    let geometry = vk::AccelerationStructureGeometryKHR::default()
        .flags(flags)
        .geometry_type(vk::GeometryTypeKHR::TRIANGLES)
        .geometry(vk::AccelerationStructureGeometryDataKHR { triangles: read_triangles(device, desc)? });
    Ok((geometry, corners / 3))
}

/// The format without its fourth component, which the API ignores. Mesa's lavapipe (25.0) multiplies the translation of a geometry's
/// matrix by it, and vertices may lie so close that it is a part of the next one.
fn without_fourth(format: vk::Format) -> vk::Format {
    match format {
        vk::Format::R16G16B16A16_SFLOAT => vk::Format::R16G16B16_SFLOAT,
        vk::Format::R16G16B16A16_SNORM => vk::Format::R16G16B16_SNORM,
        vk::Format::R16G16B16A16_UNORM => vk::Format::R16G16B16_UNORM,
        vk::Format::R8G8B8A8_SNORM => vk::Format::R8G8B8_SNORM,
        vk::Format::R8G8B8A8_UNORM => vk::Format::R8G8B8_UNORM,
        other => other,
    }
}

fn read_triangles(
    device: &reprise_gpu::Device,
    desc: &D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC,
) -> Result<vk::AccelerationStructureGeometryTrianglesDataKHR<'static>> {
    let at = |address: u64| vk::DeviceOrHostAddressConstKHR { device_address: address };
    let indices = match desc.IndexFormat {
        DXGI_FORMAT::FORMAT_UNKNOWN => vk::IndexType::NONE_KHR,
        DXGI_FORMAT::FORMAT_R16_UINT => vk::IndexType::UINT16,
        DXGI_FORMAT::FORMAT_R32_UINT => vk::IndexType::UINT32,
        _ => return Err(Error::Invalid("a build: the format of indices")),
    };
    let format = Format::get(desc.VertexFormat).map_or(vk::Format::UNDEFINED, |format| format.vk);
    let found = [without_fourth(format), format].into_iter().find(|format| can_be_vertices(device, *format));
    // Without vertices nobody looks at their format.
    if desc.VertexCount != 0 && found.is_none() {
        return Err(Error::Unsupported("acceleration structures of vertices in this format on this device"));
    }
    let format = found.unwrap_or(format);
    Ok(vk::AccelerationStructureGeometryTrianglesDataKHR::default()
        .vertex_format(format)
        .vertex_data(at(desc.VertexBuffer.StartAddress))
        .vertex_stride(desc.VertexBuffer.StrideInBytes)
        .max_vertex(desc.VertexCount.saturating_sub(1))
        .index_type(indices)
        .index_data(at(desc.IndexBuffer))
        .transform_data(at(desc.Transform3x4)))
}

/// Whether a structure may be built of vertices in a format.
fn can_be_vertices(device: &reprise_gpu::Device, format: vk::Format) -> bool {
    // Nearly all are of this one, and every device has it (Vulkan specification, "Required Format Support").
    if format == vk::Format::R32G32B32_SFLOAT {
        return true;
    }
    let logical = &device.logical;
    // SAFETY: the instance lives as long as the device.
    let has = unsafe { logical.instance.instance.get_physical_device_format_properties(logical.physical, format) };
    has.buffer_features.contains(vk::FormatFeatureFlags::ACCELERATION_STRUCTURE_VERTEX_BUFFER_KHR)
}

unsafe extern "C" fn get_prebuild_info(device: *mut c_void, desc: *const Description, out: *mut Sizes) {
    guard((), || {
        // SAFETY: a device of ours; the program's structures, which are null or valid for the call.
        let (device, desc, out) = unsafe { (Object::<Device>::this(device), desc.as_ref(), out.as_mut()) };
        let Some(out) = out else { return };
        *out = Sizes::default();
        if device.ext.acceleration.is_none() {
            reprise_log::warning_once("not supported on this device:", "acceleration structures");
            return;
        }
        let mut inputs = Inputs::default();
        // SAFETY: the program's description, whose pointers lead to as many geometries as it says.
        match desc.map(|desc| unsafe { inputs.read(device, desc) }) {
            Some(Ok(())) => *out = told(inputs.sizes(device)),
            Some(Err(Error::Unsupported(what))) => {
                reprise_log::warning_once("not supported, so that sizes are 0:", what)
            }
            Some(Err(error)) => {
                reprise_log::debug(|| format!("GetRaytracingAccelerationStructurePrebuildInfo: {error}"))
            }
            None => {}
        }
    });
}

unsafe extern "C" fn check_driver_matching_identifier(
    device: *mut c_void,
    kind: D3D12_SERIALIZED_DATA_TYPE,
    identifier: *const [u8; IDENTIFIER],
) -> Status {
    guard(Status(E_FAIL), || {
        // SAFETY: a device of ours; the program's identifier.
        let (device, identifier) = unsafe { (this(device), identifier.as_ref()) };
        let (Some(ext), Some(identifier)) = (&device.ext.acceleration, identifier) else {
            return Status::UNSUPPORTED_TYPE;
        };
        if kind != D3D12_SERIALIZED_DATA_TYPE::RAYTRACING_ACCELERATION_STRUCTURE {
            return Status::UNSUPPORTED_TYPE;
        }
        let version = vk::AccelerationStructureVersionInfoKHR::default().version_data(identifier);
        // SAFETY: the structure lives until the call returns.
        match unsafe { ext.get_device_acceleration_structure_compatibility(&version) } {
            vk::AccelerationStructureCompatibilityKHR::COMPATIBLE => Status::COMPATIBLE_WITH_DEVICE,
            _ => Status::UNRECOGNIZED,
        }
    })
}
