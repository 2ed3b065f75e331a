//! Opacity micromaps: what they are built from, and how the triangles of a geometry name them.
//!
//! Descriptions, opacities and indices, the negative ones among them, lie alike in both APIs' memory, and so do the flags of instances and
//! of rays. Invariant: a device without them refuses them by name.

use ash::vk;
use reprise_d3d12::types::{
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS as Flags,
    D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC as LinkageDesc, D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC as Array,
    D3D12_RAYTRACING_OPACITY_MICROMAP_FORMAT as Format, DXGI_FORMAT,
};
use reprise_gpu::encoder::{Linkage, MicromapInputs};
use reprise_gpu::memory::Extent;

use crate::{Error, Result};

/// The device has none.
pub const ABSENT: Error = Error::Unsupported("opacity micromaps on this device");

/// What an array of micromaps is built from.
///
/// # Errors
/// The device has none, or not as fine ones; a flag or a format that they cannot have.
///
/// # Safety
/// The description's pointer leads to as many entries as it says.
pub unsafe fn inputs(device: &reprise_gpu::Device, flags: Flags, desc: &Array) -> Result<MicromapInputs> {
    if !device.caps.has_micromaps() {
        return Err(ABSENT);
    }
    let limits = &device.caps.micromaps;
    let mut usages = Vec::with_capacity(desc.NumOmmHistogramEntries as usize);
    for at in 0..desc.NumOmmHistogramEntries as usize {
        // SAFETY: the caller promises so many entries.
        let entry = unsafe { *desc.pOmmHistogram.add(at) };
        let (format, finest) = match entry.Format {
            Format::OC1_2_STATE => {
                (vk::OpacityMicromapFormatEXT::TYPE_2_STATE, limits.max_opacity2_state_subdivision_level)
            }
            Format::OC1_4_STATE => {
                (vk::OpacityMicromapFormatEXT::TYPE_4_STATE, limits.max_opacity4_state_subdivision_level)
            }
            _ => return Err(Error::Invalid("a build of opacity micromaps: Format of a histogram entry")),
        };
        if entry.SubdivisionLevel > finest {
            return Err(Error::Unsupported(
                "opacity micromaps that divide triangles as finely as that, on this device",
            ));
        }
        usages.push([entry.Count, entry.SubdivisionLevel, format.as_raw() as u32]);
    }
    Ok(MicromapInputs {
        flags: build_flags(flags)?,
        usages,
        data: desc.InputBuffer,
        triangles: desc.PerOmmDescs.StartAddress,
        stride: desc.PerOmmDescs.StrideInBytes,
    })
}

/// Vulkan's flags of a build. That it need not use much memory is a wish that Vulkan has no word for.
fn build_flags(flags: Flags) -> Result<vk::BuildMicromapFlagsEXT> {
    use vk::BuildMicromapFlagsEXT as To;
    let table = [
        (Flags::ALLOW_COMPACTION, To::ALLOW_COMPACTION),
        (Flags::PREFER_FAST_TRACE, To::PREFER_FAST_TRACE),
        (Flags::PREFER_FAST_BUILD, To::PREFER_FAST_BUILD),
        (Flags::MINIMIZE_MEMORY, To::empty()),
    ];
    let known = table.iter().fold(0, |all, (flag, _)| all | flag.0);
    if flags.0 & !known != 0 {
        return Err(Error::Invalid("a build of opacity micromaps: Flags"));
    }
    Ok(table.iter().filter(|(flag, _)| flags.0 & flag.0 != 0).fold(To::empty(), |all, (_, to)| all | *to))
}

/// How geometry number `geometry` names its micromaps, and the address of their array; 0 where it has none.
///
/// # Errors
/// The device has none, or no indices of this format.
pub fn linkage(device: &reprise_gpu::Device, geometry: usize, desc: &LinkageDesc) -> Result<(Linkage, u64)> {
    if !device.caps.has_micromaps() {
        return Err(ABSENT);
    }
    let kind = match desc.OpacityMicromapIndexFormat {
        DXGI_FORMAT::FORMAT_UNKNOWN => vk::IndexType::NONE_KHR,
        DXGI_FORMAT::FORMAT_R32_UINT => vk::IndexType::UINT32,
        DXGI_FORMAT::FORMAT_R16_UINT => vk::IndexType::UINT16,
        DXGI_FORMAT::FORMAT_R8_UINT if device.caps.features.index_bytes.index_type_uint8 != 0 => {
            vk::IndexType::UINT8_KHR
        }
        DXGI_FORMAT::FORMAT_R8_UINT => {
            return Err(Error::Unsupported("opacity micromaps by indices of one byte, on this device"));
        }
        _ => return Err(Error::Invalid("a geometry with opacity micromaps: OpacityMicromapIndexFormat")),
    };
    let linkage = Linkage {
        geometry,
        kind,
        indices: desc.OpacityMicromapIndexBuffer.StartAddress,
        stride: desc.OpacityMicromapIndexBuffer.StrideInBytes,
        base: desc.OpacityMicromapBaseLocation,
        micromap: vk::MicromapEXT::null(),
    };
    Ok((linkage, desc.OpacityMicromapArray))
}

/// Vulkan's object of the micromaps at an address, whether the list that makes them is recorded yet or not.
///
/// # Errors
/// No buffer lies at the address, or not at a multiple of 256 bytes.
pub fn find(device: &reprise_gpu::Device, address: u64) -> Result<vk::MicromapEXT> {
    match device.memory.micromaps().find(address) {
        Some(found) => Ok(found.vk),
        None => Ok(device.memory.micromap_of(address, Extent::Unknown)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The flags that the API allows, and no others.
    #[test]
    fn flags_of_builds_are_those_that_micromaps_can_have() {
        use vk::BuildMicromapFlagsEXT as To;
        let of = |flags: &[Flags]| build_flags(Flags(flags.iter().fold(0, |all, flag| all | flag.0)));
        assert_eq!(of(&[]).ok(), Some(To::empty()));
        assert_eq!(of(&[Flags::ALLOW_COMPACTION, Flags::MINIMIZE_MEMORY]).ok(), Some(To::ALLOW_COMPACTION));
        let both = [Flags::PREFER_FAST_BUILD, Flags::PREFER_FAST_TRACE];
        assert_eq!(of(&both).ok(), Some(To::PREFER_FAST_BUILD | To::PREFER_FAST_TRACE));
        for refused in [Flags::ALLOW_UPDATE, Flags::PERFORM_UPDATE, Flags::ALLOW_OMM_UPDATE, Flags::ALLOW_DISABLE_OMMS]
        {
            assert!(matches!(of(&[refused]), Err(Error::Invalid(_))), "{refused:?}");
        }
    }

    /// What lies in memory in one API's layout is read there in the other's.
    #[test]
    fn numbers_in_memory_are_the_same_in_both_apis() {
        use reprise_d3d12::types::D3D12_RAYTRACING_OPACITY_MICROMAP_DESC as Description;
        assert_eq!(size_of::<Description>(), size_of::<vk::MicromapTriangleEXT>());
        assert_eq!(Format::OC1_2_STATE.0, vk::OpacityMicromapFormatEXT::TYPE_2_STATE.as_raw());
        assert_eq!(Format::OC1_4_STATE.0, vk::OpacityMicromapFormatEXT::TYPE_4_STATE.as_raw());
        // The API's special indices, -1 to -4: transparent, opaque, unknown and more likely transparent, unknown and more likely opaque.
        use vk::OpacityMicromapSpecialIndexEXT as Special;
        let special = [
            Special::FULLY_TRANSPARENT,
            Special::FULLY_OPAQUE,
            Special::FULLY_UNKNOWN_TRANSPARENT,
            Special::FULLY_UNKNOWN_OPAQUE,
        ];
        assert_eq!(special.map(Special::as_raw), [-1, -2, -3, -4]);
        // D3D12_RAYTRACING_INSTANCE_FLAG_FORCE_OMM_2_STATE and _DISABLE_OMMS.
        use vk::GeometryInstanceFlagsKHR as Instance;
        assert_eq!(Instance::FORCE_OPACITY_MICROMAP_2_STATE_EXT.as_raw(), 0x10);
        assert_eq!(Instance::DISABLE_OPACITY_MICROMAPS_EXT.as_raw(), 0x20);
    }
}
