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
