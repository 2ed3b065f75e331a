//! What `GetResourceAllocationInfo` says: size and alignment of resources in heaps.
//!
//! The API's alignments are fixed; where Vulkan wants more, the size has room for it, and the image begins at the first place
//! that suits ([`place`]).

use reprise_d3d12::types::{
    D3D12_HEAP_DESC, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION as Dimension, D3D12_RESOURCE_FLAGS as Flags,
    DXGI_FORMAT,
};
use reprise_gpu::image::Needs;

use crate::environment::settings;
use crate::resource::desc;
use crate::resource::inflate::inflated;
use crate::resource::plan::plan;
use crate::resource::room::Room;
use crate::{Device, Error, Result};

/// The room of a description as the program wrote it, and formats of views beyond its family.
///
/// # Errors
/// The API or the device does not have such resources.
pub fn room(device: &Device, desc: &D3D12_RESOURCE_DESC1, casts: &[DXGI_FORMAT]) -> Result<Room> {
    let desc = desc::complete(desc, casts)?;
    let room = if desc.Dimension == Dimension::BUFFER {
        let (size, alignment) = (desc.Width.checked_next_multiple_of(desc.Alignment), desc.Alignment);
        Room { size: size.ok_or(Error::Invalid("a buffer is too large"))?, alignment }
    } else {
        of(desc.Alignment, plan(device, &desc, casts, true, false)?.needs(device))
    };
    Ok(settings().inflate.map_or(room, |seed| inflated(seed, &desc, room)))
}

/// Whether a resource of a complete description, whose alignment the device grants, lies in a heap as it was told to.
/// Demanded of what is inflated only: the others are held to what Vulkan needs.
///
/// # Errors
/// The resource is not aligned, or the heap ends, otherwise than it was said to be.
pub fn check_inflated(
    device: &Device,
    desc: &D3D12_RESOURCE_DESC1,
    casts: &[DXGI_FORMAT],
    (offset, heap): (u64, &D3D12_HEAP_DESC),
) -> Result<()> {
    if settings().inflate.is_none() {
        return Ok(());
    }
    let asked = D3D12_RESOURCE_DESC1 {
        Alignment: if desc::has(desc, Flags::USE_TIGHT_ALIGNMENT) { 0 } else { desc.Alignment },
        ..*desc
    };
    let room = room(device, &asked, casts)?;
    if desc.Alignment < desc::ALIGNMENT && room.alignment > desc.Alignment {
        return Err(Error::Invalid("REPRISE_INFLATE: the small alignment is not granted"));
    }
    let coarse = room.alignment > desc::ALIGNMENT && heap.Alignment < desc::ALIGNMENT_MULTISAMPLED;
    if coarse || !offset.is_multiple_of(room.alignment) {
        return Err(Error::Invalid("REPRISE_INFLATE: the resource is not aligned as it was told"));
    }
    if offset.checked_add(room.size).is_none_or(|end| end > heap.SizeInBytes) {
        return Err(Error::Invalid("REPRISE_INFLATE: the heap ends before the size that was told"));
    }
    Ok(())
}

/// The room of an image. Pure.
pub fn of(alignment: u64, needs: Needs) -> Room {
    let padding = needs.alignment.saturating_sub(alignment);
    Room { size: (needs.size + padding).next_multiple_of(alignment), alignment }
}

/// Where in a heap an image begins that is placed at `offset`. `base`: where the heap begins in Vulkan's memory. Pure.
pub fn place(base: u64, offset: u64, needs: Needs) -> Option<u64> {
    let at = base.checked_add(offset)?.checked_next_multiple_of(needs.alignment)?;
    Some(at - base)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::resource::desc::{ALIGNMENT, ALIGNMENT_SMALL};

    proptest! {
        #[test]
        fn an_image_fits_into_its_room(
            size in 1u64..1 << 30, power in 0u32..24, slot in 0u64..1000, kind in 0usize..3, heap in 0u64..1000
        ) {
            let needs = Needs { size, alignment: 1 << power, types: 1, alone: false };
            let asked = [ALIGNMENT_SMALL, ALIGNMENT, desc::ALIGNMENT_MULTISAMPLED][kind];
            let room = of(asked, needs);
            let offset = slot * room.alignment;
            // Heaps begin at multiples of their alignment, which is at least the resource's or 64 KiB.
            let base = heap * asked.max(ALIGNMENT);
            let at = place(base, offset, needs).unwrap();
            prop_assert!(at >= offset && (base + at).is_multiple_of(needs.alignment));
            prop_assert!(at + size <= offset + room.size);
            prop_assert!(room.size.is_multiple_of(room.alignment));
            prop_assert_eq!(room.alignment, asked);
        }
    }
}
