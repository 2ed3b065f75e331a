//! Types of heaps: the memory they are made of, and what the process does with it. Pure.

use reprise_d3d12::types::{D3D12_CPU_PAGE_PROPERTY, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_MEMORY_POOL};
use reprise_gpu::memory::CpuAccess;
use reprise_gpu::memory::types::Wish;

use crate::{Error, Result};

/// The memory that heap properties ask for. `unified`: all memory is the GPU's and the CPU's ([`is_unified`]).
///
/// # Errors
/// The properties contradict each other, or are none of the API's.
pub fn wish(heap: &D3D12_HEAP_PROPERTIES, unified: bool) -> Result<Wish> {
    use {D3D12_CPU_PAGE_PROPERTY as Page, D3D12_HEAP_TYPE as Type, D3D12_MEMORY_POOL as Pool};
    let unknown = (heap.CPUPageProperty, heap.MemoryPoolPreference) == (Page::UNKNOWN, Pool::UNKNOWN);
    if heap.Type != Type::CUSTOM && !unknown {
        return Err(Error::Invalid("CPUPageProperty and MemoryPoolPreference are for custom heaps only"));
    }
    Ok(match heap.Type {
        Type::DEFAULT => Wish::DEVICE,
        Type::UPLOAD => Wish::UPLOAD,
        Type::READBACK => Wish::READBACK,
        Type::GPU_UPLOAD => Wish::DEVICE_UPLOAD,
        Type::CUSTOM if unified && heap.MemoryPoolPreference == Pool::L1 => {
            return Err(Error::Invalid("unified memory has one pool, L0"));
        }
        Type::CUSTOM => match (heap.CPUPageProperty, heap.MemoryPoolPreference) {
            (Page::NOT_AVAILABLE, Pool::L0 | Pool::L1) => Wish::DEVICE,
            (Page::WRITE_COMBINE, Pool::L1) => Wish::DEVICE_UPLOAD,
            (Page::WRITE_COMBINE, Pool::L0) => Wish::UPLOAD,
            (Page::WRITE_BACK, Pool::L0) => Wish::READBACK,
            _ => return Err(Error::Invalid("a custom heap names its page property and its pool")),
        },
        _ => return Err(Error::Invalid("unknown heap type")),
    })
}

/// What the process does with the memory of a heap, as far as its properties say.
pub fn access(heap: &D3D12_HEAP_PROPERTIES) -> CpuAccess {
    use {D3D12_CPU_PAGE_PROPERTY as Page, D3D12_HEAP_TYPE as Type};
    match heap.Type {
        Type::READBACK => CpuAccess::Readback,
        Type::UPLOAD | Type::GPU_UPLOAD => CpuAccess::Upload,
        Type::CUSTOM if matches!(heap.CPUPageProperty, Page::WRITE_COMBINE | Page::WRITE_BACK) => CpuAccess::Upload,
        _ => CpuAccess::None,
    }
}

/// The custom heap that is the same as a heap of another type; `None` for custom heaps themselves.
pub fn as_custom(kind: D3D12_HEAP_TYPE, unified: bool) -> Option<D3D12_HEAP_PROPERTIES> {
    use {D3D12_CPU_PAGE_PROPERTY as Page, D3D12_HEAP_TYPE as Type, D3D12_MEMORY_POOL as Pool};
    let local = if unified { Pool::L0 } else { Pool::L1 };
    let (page, pool) = match kind {
        Type::DEFAULT => (Page::NOT_AVAILABLE, local),
        Type::UPLOAD => (if unified { Page::WRITE_BACK } else { Page::WRITE_COMBINE }, Pool::L0),
        Type::READBACK => (Page::WRITE_BACK, Pool::L0),
        Type::GPU_UPLOAD => (if unified { Page::WRITE_BACK } else { Page::WRITE_COMBINE }, local),
        _ => return None,
    };
    Some(D3D12_HEAP_PROPERTIES {
        Type: Type::CUSTOM,
        CPUPageProperty: page,
        MemoryPoolPreference: pool,
        CreationNodeMask: 1,
        VisibleNodeMask: 1,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use ash::vk::{
        MemoryHeap, MemoryHeapFlags, MemoryPropertyFlags as Flags, MemoryType, PhysicalDeviceMemoryProperties,
    };
    use proptest::prelude::*;

    use reprise_gpu::memory::types::is_unified;

    use super::*;

    const HOST: Flags = Flags::from_raw(Flags::HOST_VISIBLE.as_raw() | Flags::HOST_COHERENT.as_raw());
    const LOCAL: Flags = Flags::DEVICE_LOCAL;
    const CACHED: Flags = Flags::HOST_CACHED;

    fn device(types: &[(Flags, u32)], local_heaps: &[bool]) -> PhysicalDeviceMemoryProperties {
        let mut made = PhysicalDeviceMemoryProperties {
            memory_type_count: types.len() as u32,
            memory_heap_count: local_heaps.len() as u32,
            ..Default::default()
        };
        for (row, (property_flags, heap_index)) in made.memory_types.iter_mut().zip(types) {
            *row = MemoryType { property_flags: *property_flags, heap_index: *heap_index };
        }
        for (row, local) in made.memory_heaps.iter_mut().zip(local_heaps) {
            let flags = if *local { MemoryHeapFlags::DEVICE_LOCAL } else { MemoryHeapFlags::empty() };
            *row = MemoryHeap { size: 1 << 30, flags };
        }
        made
    }

    /// As a discrete GPU with a window onto its memory says it.
    fn discrete() -> PhysicalDeviceMemoryProperties {
        let types = [(Flags::empty(), 1), (LOCAL, 0), (HOST, 1), (HOST | CACHED, 1), (LOCAL | HOST, 0)];
        device(&types, &[true, false])
    }

    fn heap(kind: D3D12_HEAP_TYPE) -> D3D12_HEAP_PROPERTIES {
        D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() }
    }

    #[test]
    fn each_heap_has_its_memory() {
        use D3D12_HEAP_TYPE as Type;
        let pick = |kind, memory: &_, allowed| wish(&heap(kind), is_unified(memory)).unwrap().pick(memory, allowed);
        let rows = [(Type::DEFAULT, 1), (Type::UPLOAD, 2), (Type::READBACK, 3), (Type::GPU_UPLOAD, 4)];
        for (kind, index) in rows {
            assert_eq!(pick(kind, &discrete(), !0), Some(index), "{kind:?}");
            // The custom heap that says the same gets the same.
            let custom = as_custom(kind, false).unwrap();
            assert_eq!(wish(&custom, false).unwrap().pick(&discrete(), !0), Some(index), "{kind:?}");
            assert_eq!(access(&custom).is_mappable(), kind != Type::DEFAULT);
            assert_eq!(access(&heap(kind)).is_mappable(), kind != Type::DEFAULT);
        }
        assert_eq!(pick(Type::UPLOAD, &discrete(), 0b0_0010), None, "not visible");
        assert_eq!(pick(Type::DEFAULT, &discrete(), 0b0_0001), Some(0), "anything will do");
        let unified = device(&[(LOCAL | HOST | CACHED, 0)], &[true]);
        for (kind, _) in rows {
            assert_eq!(pick(kind, &unified, !0), Some(0), "{kind:?}");
            assert_eq!(wish(&as_custom(kind, true).unwrap(), true).unwrap().pick(&unified, !0), Some(0), "{kind:?}");
        }
    }

    #[test]
    fn properties_that_contradict_each_other_are_refused() {
        use {D3D12_CPU_PAGE_PROPERTY as Page, D3D12_HEAP_TYPE as Type, D3D12_MEMORY_POOL as Pool};
        let made = |kind, page, pool| D3D12_HEAP_PROPERTIES {
            Type: kind,
            CPUPageProperty: page,
            MemoryPoolPreference: pool,
            ..Default::default()
        };
        for (properties, unified) in [
            (made(Type::DEFAULT, Page::NOT_AVAILABLE, Pool::UNKNOWN), false),
            (made(Type::UPLOAD, Page::UNKNOWN, Pool::L0), false),
            (made(Type::CUSTOM, Page::UNKNOWN, Pool::L0), false),
            (made(Type::CUSTOM, Page::WRITE_BACK, Pool::UNKNOWN), false),
            (made(Type::CUSTOM, Page::WRITE_BACK, Pool::L1), false),
            (made(Type::CUSTOM, Page::NOT_AVAILABLE, Pool::L1), true),
            (made(Type(0), Page::UNKNOWN, Pool::UNKNOWN), false),
            (made(Type(77), Page::UNKNOWN, Pool::UNKNOWN), false),
        ] {
            assert!(wish(&properties, unified).is_err());
        }
    }

    proptest! {
        /// A type is found exactly when one has what is required, and it is one of those allowed.
        #[test]
        fn picks_what_is_allowed(flags in prop::collection::vec(0u32..16, 1..32), allowed in any::<u32>(), kind in 1i32..4) {
            let types: Vec<_> = flags.iter().map(|bits| (Flags::from_raw(*bits), 0)).collect();
            let memory = device(&types, &[true]);
            let wish = wish(&heap(D3D12_HEAP_TYPE(kind)), true).unwrap();
            let suits = |index: usize| allowed & (1 << index) != 0 && types[index].0.contains(wish.required);
            match wish.pick(&memory, allowed) {
                Some(index) => prop_assert!(suits(index as usize)),
                None => prop_assert!(!(0..types.len()).any(suits)),
            }
        }
    }

    #[test]
    fn what_the_cpu_writes_is_an_upload_heap() {
        use {D3D12_CPU_PAGE_PROPERTY as Page, D3D12_HEAP_TYPE as Type, D3D12_MEMORY_POOL as Pool};
        let custom = |page| D3D12_HEAP_PROPERTIES {
            Type: Type::CUSTOM,
            CPUPageProperty: page,
            MemoryPoolPreference: Pool::L0,
            ..Default::default()
        };
        for (properties, is) in [
            (heap(Type::UPLOAD), CpuAccess::Upload),
            (heap(Type::READBACK), CpuAccess::Readback),
            (heap(Type::DEFAULT), CpuAccess::None),
            (custom(Page::WRITE_COMBINE), CpuAccess::Upload),
            (custom(Page::WRITE_BACK), CpuAccess::Upload),
            (custom(Page::NOT_AVAILABLE), CpuAccess::None),
        ] {
            assert_eq!(access(&properties), is, "{:?}", (properties.Type, properties.CPUPageProperty));
        }
    }
}
