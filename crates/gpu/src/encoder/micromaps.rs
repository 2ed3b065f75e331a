//! Opacity micromaps: built, copied, and given to the triangles of acceleration structures.

use ash::vk;

use crate::encoder::Encoder;
use crate::scope::{Gathered, Scope};

/// The micromaps that the triangles of a geometry have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linkage {
    /// Which of the geometries.
    pub geometry: usize,
    /// The kind of indices, or that there are none: each triangle has the micromap of its own number.
    pub kind: vk::IndexType,
    /// Address of the indices.
    pub indices: u64,
    /// Bytes from one index to the next.
    pub stride: u64,
    /// Added to each index that is not negative.
    pub base: u32,
    /// The micromaps; null where all indices are negative, which say what a whole triangle is.
    pub micromap: vk::MicromapEXT,
}

/// What geometries chain: `VkAccelerationStructureTrianglesOpacityMicromapEXT`.
pub type Chained = vk::AccelerationStructureTrianglesOpacityMicromapEXT<'static>;

/// Chains micromaps to geometries, which must not be used any more once what this returns is gone. The API does not say how often a
/// geometry uses each kind of micromap, so Vulkan is told none.
pub fn chain(geometries: &mut [vk::AccelerationStructureGeometryKHR<'static>], linkages: &[Linkage]) -> Box<[Chained]> {
    let mut all: Box<[Chained]> = linkages
        .iter()
        .map(|linkage| {
            Chained::default()
                .index_type(linkage.kind)
                .index_buffer(vk::DeviceOrHostAddressConstKHR { device_address: linkage.indices })
                .index_stride(linkage.stride)
                .base_triangle(linkage.base)
                .micromap(linkage.micromap)
        })
        .collect();
    for (linkage, chained) in linkages.iter().zip(&mut all) {
        if let Some(geometry) = geometries.get_mut(linkage.geometry) {
            geometry.geometry.triangles.p_next = core::ptr::from_mut(chained).cast();
        }
    }
    all
}

/// What micromaps are built from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MicromapInputs {
    /// Flags.
    pub flags: vk::BuildMicromapFlagsEXT,
    /// How many there are of each format and subdivision: count, level, format.
    pub usages: Vec<[u32; 3]>,
    /// Address of the opacities.
    pub data: u64,
    /// Address of the micromaps' descriptions: where in the data, level, format.
    pub triangles: u64,
    /// Bytes from one description to the next.
    pub stride: u64,
}

impl MicromapInputs {
    /// Calls `with` with the build, without its places.
    fn with<T>(&self, with: impl FnOnce(vk::MicromapBuildInfoEXT<'_>) -> T) -> T {
        let usage = |[count, level, format]: &[u32; 3]| {
            vk::MicromapUsageEXT::default().count(*count).subdivision_level(*level).format(*format)
        };
        let usages: Vec<vk::MicromapUsageEXT> = self.usages.iter().map(usage).collect();
        let at = |device_address| vk::DeviceOrHostAddressConstKHR { device_address };
        let info = vk::MicromapBuildInfoEXT::default()
            .ty(vk::MicromapTypeEXT::OPACITY_MICROMAP)
            .flags(self.flags)
            .mode(vk::BuildMicromapModeEXT::BUILD)
            .usage_counts(&usages)
            .data(at(self.data))
            .triangle_array(at(self.triangles))
            .triangle_array_stride(self.stride);
        with(info)
    }

    /// Bytes of the micromaps, and of the scratch memory of their build; 0 on a device without them.
    pub fn sizes(&self, device: &crate::Device) -> [u64; 2] {
        let Some(ext) = &device.ext.micromaps else { return [0; 2] };
        let mut sizes = vk::MicromapBuildSizesInfoEXT::default();
        let kind = vk::AccelerationStructureBuildTypeKHR::DEVICE;
        self.with(|info| {
            // SAFETY: the driver reads the counts, and not what lies at the addresses.
            unsafe { (ext.fp().get_micromap_build_sizes_ext)(ext.device(), kind, &info, &mut sizes) };
        });
        [sizes.micromap_size, sizes.build_scratch_size]
    }
}

/// A copy of micromaps.
#[derive(Clone, Copy, Debug)]
pub enum MicromapCopy {
    /// From one to the other; `true` compacts it.
    Micromap(vk::MicromapEXT, vk::MicromapEXT, bool),
    /// To its serialised form at an address.
    Serialise(vk::MicromapEXT, u64),
    /// From its serialised form at an address.
    Deserialise(u64, vk::MicromapEXT),
}

impl Encoder {
    /// Before builds of micromaps, copies of them, and questions about them: outside of rendering, after the builds that wait.
    fn begin_micromaps(&mut self) {
        self.begin_builds();
        if !self.builds.micromaps {
            self.builds.micromaps = true;
            self.barriers(&Gathered { before: Scope::ALL, after: Scope::ALL });
        }
        self.begin_unknown();
    }

    /// Builds micromaps, with scratch memory at an address.
    pub fn build_micromaps(&mut self, inputs: &MicromapInputs, to: vk::MicromapEXT, scratch: u64) {
        self.begin_micromaps();
        let Some(ext) = &self.logical.ext.micromaps else { return };
        inputs.with(|info| {
            let mut info = info.dst_micromap(to);
            info.scratch_data.device_address = scratch;
            // SAFETY: the micromaps lie in a buffer that lives until the GPU is done, and the info and what it leads to live through the
            // call; inputs and scratch are addresses in buffers that the program keeps as long.
            unsafe { (ext.fp().cmd_build_micromaps_ext)(self.buffer, 1, &info) };
        });
    }

    /// Copies micromaps.
    pub fn copy_micromaps(&mut self, copy: MicromapCopy) {
        self.begin_micromaps();
        let Some(ext) = &self.logical.ext.micromaps else { return };
        match copy {
            MicromapCopy::Micromap(from, to, compacts) => {
                let mode = match compacts {
                    true => vk::CopyMicromapModeEXT::COMPACT,
                    false => vk::CopyMicromapModeEXT::CLONE,
                };
                let info = vk::CopyMicromapInfoEXT::default().src(from).dst(to).mode(mode);
                // SAFETY: micromaps in living buffers.
                unsafe { (ext.fp().cmd_copy_micromap_ext)(self.buffer, &info) };
            }
            MicromapCopy::Serialise(from, device_address) => {
                let info = vk::CopyMicromapToMemoryInfoEXT::default()
                    .src(from)
                    .dst(vk::DeviceOrHostAddressKHR { device_address })
                    .mode(vk::CopyMicromapModeEXT::SERIALIZE);
                // SAFETY: the source lies in a buffer that lives until the GPU is done; the address is in one that the program keeps as
                // long, with the room that the size it was told for this asks for.
                unsafe { (ext.fp().cmd_copy_micromap_to_memory_ext)(self.buffer, &info) };
            }
            MicromapCopy::Deserialise(device_address, to) => {
                let info = vk::CopyMemoryToMicromapInfoEXT::default()
                    .src(vk::DeviceOrHostAddressConstKHR { device_address })
                    .dst(to)
                    .mode(vk::CopyMicromapModeEXT::DESERIALIZE);
                // SAFETY: the target lies in a buffer that lives until the GPU is done; the address is in one that the program keeps as
                // long, with what a serialisation left there.
                unsafe { (ext.fp().cmd_copy_memory_to_micromap_ext)(self.buffer, &info) };
            }
        }
    }

    /// Asks about micromaps, after everything before: one query of a pool each.
    pub fn ask_micromaps(&mut self, micromaps: &[vk::MicromapEXT], kind: vk::QueryType, pool: vk::QueryPool) {
        self.begin_micromaps();
        self.builds_wait();
        let Some(ext) = &self.logical.ext.micromaps else { return };
        let count = micromaps.len() as u32;
        // SAFETY: micromaps in living buffers, and a pool with as many queries.
        unsafe {
            (ext.fp().cmd_write_micromaps_properties_ext)(self.buffer, count, micromaps.as_ptr(), kind, pool, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk::Handle;

    /// Each geometry with micromaps chains its own, the others chain nothing, and what is chained is what was said.
    #[test]
    fn geometries_chain_their_own_micromaps() {
        let linkage = |geometry: usize, base: u32| Linkage {
            geometry,
            kind: vk::IndexType::UINT16,
            indices: 0x1000 + u64::from(base),
            stride: 4,
            base,
            micromap: vk::MicromapEXT::from_raw(9),
        };
        let triangles = vk::AccelerationStructureGeometryTrianglesDataKHR::default();
        let geometry = vk::AccelerationStructureGeometryKHR::default()
            .geometry_type(vk::GeometryTypeKHR::TRIANGLES)
            .geometry(vk::AccelerationStructureGeometryDataKHR { triangles });
        let mut geometries = [geometry; 4];
        let chained = chain(&mut geometries, &[linkage(1, 5), linkage(3, 6)]);
        for (number, expected) in [None, Some(&chained[0]), None, Some(&chained[1])].into_iter().enumerate() {
            // SAFETY: all geometries are triangles.
            let next = unsafe { geometries[number].geometry.triangles }.p_next;
            assert_eq!(next, expected.map_or(core::ptr::null(), |it| core::ptr::from_ref(it).cast()), "{number}");
        }
        let it = &chained[1];
        // SAFETY: the arm is the one that was set.
        let indices = unsafe { it.index_buffer.device_address };
        assert_eq!((it.index_type, indices, it.index_stride), (vk::IndexType::UINT16, 0x1006, 4));
        assert_eq!((it.base_triangle, it.micromap.as_raw(), it.usage_counts_count), (6, 9, 0));
    }

    /// Vulkan is told of each kind of micromap.
    #[test]
    fn a_build_counts_each_kind_of_micromap() {
        let (usages, [data, triangles]) = (vec![[5, 2, 1], [7, 3, 2]], [0x100, 0x200]);
        let flags = vk::BuildMicromapFlagsEXT::ALLOW_COMPACTION;
        let inputs = MicromapInputs { flags, usages: usages.clone(), data, triangles, stride: 8 };
        inputs.with(|info| {
            // SAFETY: the counts live until this returns.
            let told = unsafe { core::slice::from_raw_parts(info.p_usage_counts, info.usage_counts_count as usize) };
            let told: Vec<_> = told.iter().map(|it| [it.count, it.subdivision_level, it.format]).collect();
            assert_eq!(told, usages);
            // SAFETY: the arms are those that were set.
            let places = unsafe { [info.data.device_address, info.triangle_array.device_address] };
            assert_eq!((places, info.triangle_array_stride, info.flags), ([data, triangles], 8, flags));
        });
    }
}
