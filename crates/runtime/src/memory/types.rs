//! Which Vulkan memory type stands for a heap of the API. Pure.

use ash::vk::{MemoryPropertyFlags as Flags, PhysicalDeviceMemoryProperties};
use reprise_d3d12::types::{D3D12_CPU_PAGE_PROPERTY, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_MEMORY_POOL};

use crate::{Error, Result};

/// What a heap's memory must be, should be, and should rather not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Without these there is no such heap.
    pub required: Flags,
    /// As many of these as there are.
    pub preferred: Flags,
    /// As few of these as there are.
    pub avoided: Flags,
}

const HOST: Flags = Flags::from_raw(Flags::HOST_VISIBLE.as_raw() | Flags::HOST_COHERENT.as_raw());
const LOCAL: Flags = Flags::DEVICE_LOCAL;
const CACHED: Flags = Flags::HOST_CACHED;

impl Wish {
    /// What heap properties ask for. `unified`: all memory is the GPU's and the CPU's ([`is_unified`]).
    pub fn of(heap: &D3D12_HEAP_PROPERTIES, unified: bool) -> Result<Wish> {
        use {D3D12_CPU_PAGE_PROPERTY as Page, D3D12_HEAP_TYPE as Type, D3D12_MEMORY_POOL as Pool};
        let unknown = (heap.CPUPageProperty, heap.MemoryPoolPreference) == (Page::UNKNOWN, Pool::UNKNOWN);
        if heap.Type != Type::CUSTOM && !unknown {
            return Err(Error::Invalid("CPUPageProperty and MemoryPoolPreference are for custom heaps only"));
        }
        let (required, preferred, avoided) = match heap.Type {
            Type::DEFAULT => (Flags::empty(), LOCAL, Flags::HOST_VISIBLE),
            Type::UPLOAD => (HOST, Flags::empty(), LOCAL | CACHED),
            Type::READBACK => (HOST, CACHED, LOCAL),
            Type::GPU_UPLOAD => (HOST | LOCAL, Flags::empty(), CACHED),
            Type::CUSTOM if unified && heap.MemoryPoolPreference == Pool::L1 => {
                return Err(Error::Invalid("unified memory has one pool, L0"));
            }
            Type::CUSTOM => match (heap.CPUPageProperty, heap.MemoryPoolPreference) {
                (Page::NOT_AVAILABLE, Pool::L0 | Pool::L1) => (Flags::empty(), LOCAL, Flags::HOST_VISIBLE),
                (Page::WRITE_COMBINE, Pool::L1) => (HOST | LOCAL, Flags::empty(), CACHED),
                (Page::WRITE_COMBINE, Pool::L0) => (HOST, Flags::empty(), LOCAL | CACHED),
                (Page::WRITE_BACK, Pool::L0) => (HOST, CACHED, LOCAL),
                _ => return Err(Error::Invalid("a custom heap names its page property and its pool")),
            },
            _ => return Err(Error::Invalid("unknown heap type")),
        };
        Ok(Wish { required, preferred, avoided })
    }

    /// The best memory type among those that `allowed` has a bit for.
    pub fn pick(&self, memory: &PhysicalDeviceMemoryProperties, allowed: u32) -> Option<u32> {
        let special = Flags::PROTECTED | Flags::LAZILY_ALLOCATED | Flags::DEVICE_COHERENT_AMD | Flags::RDMA_CAPABLE_NV;
        let count = |flags: Flags| flags.as_raw().count_ones();
        let types = &memory.memory_types[..memory.memory_type_count as usize];
        let suits = |flags: Flags| flags.contains(self.required) && !flags.intersects(special);
        let candidates =
            types.iter().enumerate().filter(|(index, row)| allowed & (1 << index) != 0 && suits(row.property_flags));
        // The first of equals: Vulkan orders types by speed.
        let best = candidates.min_by_key(|(_, row)| {
            let flags = row.property_flags;
            count(self.preferred & !flags) * 4 + count(flags & self.avoided)
        });
        best.map(|(index, _)| index as u32)
    }
}

/// Whether the program may map such a heap.
pub fn is_mappable(heap: &D3D12_HEAP_PROPERTIES) -> bool {
    use {D3D12_CPU_PAGE_PROPERTY as Page, D3D12_HEAP_TYPE as Type};
    match heap.Type {
        Type::UPLOAD | Type::READBACK | Type::GPU_UPLOAD => true,
        Type::CUSTOM => matches!(heap.CPUPageProperty, Page::WRITE_COMBINE | Page::WRITE_BACK),
        _ => false,
    }
}

/// Whether all memory is the GPU's and the CPU's alike.
pub fn is_unified(memory: &PhysicalDeviceMemoryProperties) -> bool {
    let heaps = &memory.memory_heaps[..memory.memory_heap_count as usize];
    heaps.iter().all(|heap| heap.flags.contains(ash::vk::MemoryHeapFlags::DEVICE_LOCAL))
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
    use ash::vk::{MemoryHeap, MemoryHeapFlags, MemoryType};
    use proptest::prelude::*;

    use super::*;

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
        let pick = |kind, memory: &_, allowed| Wish::of(&heap(kind), is_unified(memory)).unwrap().pick(memory, allowed);
        let rows = [(Type::DEFAULT, 1), (Type::UPLOAD, 2), (Type::READBACK, 3), (Type::GPU_UPLOAD, 4)];
        for (kind, index) in rows {
            assert_eq!(pick(kind, &discrete(), !0), Some(index), "{kind:?}");
            // The custom heap that says the same gets the same.
            let custom = as_custom(kind, false).unwrap();
            assert_eq!(Wish::of(&custom, false).unwrap().pick(&discrete(), !0), Some(index), "{kind:?}");
            assert_eq!(is_mappable(&custom), kind != Type::DEFAULT);
            assert_eq!(is_mappable(&heap(kind)), kind != Type::DEFAULT);
        }
        assert_eq!(pick(Type::UPLOAD, &discrete(), 0b0_0010), None, "not visible");
        assert_eq!(pick(Type::DEFAULT, &discrete(), 0b0_0001), Some(0), "anything will do");
        let unified = device(&[(LOCAL | HOST | CACHED, 0)], &[true]);
        for (kind, _) in rows {
            assert_eq!(pick(kind, &unified, !0), Some(0), "{kind:?}");
            assert_eq!(
                Wish::of(&as_custom(kind, true).unwrap(), true).unwrap().pick(&unified, !0),
                Some(0),
                "{kind:?}"
            );
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
            assert!(Wish::of(&properties, unified).is_err());
        }
    }

    proptest! {
        /// A type is found exactly when one has what is required, and it is one of those allowed.
        #[test]
        fn picks_what_is_allowed(flags in prop::collection::vec(0u32..16, 1..32), allowed in any::<u32>(), kind in 1i32..4) {
            let types: Vec<_> = flags.iter().map(|bits| (Flags::from_raw(*bits), 0)).collect();
            let memory = device(&types, &[true]);
            let wish = Wish::of(&heap(D3D12_HEAP_TYPE(kind)), true).unwrap();
            let suits = |index: usize| allowed & (1 << index) != 0 && types[index].0.contains(wish.required);
            match wish.pick(&memory, allowed) {
                Some(index) => prop_assert!(suits(index as usize)),
                None => prop_assert!(!(0..types.len()).any(suits)),
            }
        }
    }
}
