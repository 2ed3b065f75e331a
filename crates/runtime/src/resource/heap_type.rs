//! Types of heaps: the memory they are made of, and what the process does with it. Pure.

use reprise_d3d12::types::{D3D12_CPU_PAGE_PROPERTY, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_MEMORY_POOL};
use reprise_gpu::architecture::Architecture;
use reprise_gpu::memory::CpuAccess;
use reprise_gpu::memory::types::Wish;

use crate::{Error, Result};

/// The memory that heap properties ask for.
///
/// # Errors
/// The properties contradict each other, are none of the API's, or ask for memory of the device that the CPU sees where it does
/// not (`mapped`).
pub fn wish(heap: &D3D12_HEAP_PROPERTIES, architecture: Architecture, mapped: bool) -> Result<Wish> {
    use {D3D12_CPU_PAGE_PROPERTY as Page, D3D12_HEAP_TYPE as Type, D3D12_MEMORY_POOL as Pool};
    let unknown = (heap.CPUPageProperty, heap.MemoryPoolPreference) == (Page::UNKNOWN, Pool::UNKNOWN);
    if heap.Type != Type::CUSTOM && !unknown {
        return Err(Error::Invalid("CPUPageProperty and MemoryPoolPreference are for custom heaps only"));
    }
    Ok(match heap.Type {
        Type::DEFAULT => Wish::DEVICE,
        Type::UPLOAD => Wish::UPLOAD,
        Type::READBACK => Wish::READBACK,
        Type::GPU_UPLOAD if mapped => Wish::MAPPED,
        Type::GPU_UPLOAD => return Err(Error::Invalid("GPU upload heaps are not reported")),
        Type::CUSTOM if architecture.is_unified() && heap.MemoryPoolPreference == Pool::L1 => {
            return Err(Error::Invalid("unified memory has one pool, L0"));
        }
        Type::CUSTOM => match (heap.CPUPageProperty, heap.MemoryPoolPreference) {
            (Page::NOT_AVAILABLE, Pool::L0 | Pool::L1) => Wish::DEVICE,
            (Page::WRITE_COMBINE, Pool::L1) if mapped => Wish::MAPPED,
            (Page::WRITE_COMBINE, Pool::L1) => {
                return Err(Error::Invalid(
                    "the CPU writes the device's memory only where GPU upload heaps are reported",
                ));
            }
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

/// Whether the GPU may write bytes of such a heap that the process maps: of all but upload heaps.
pub fn gpu_writes(heap: &D3D12_HEAP_PROPERTIES) -> bool {
    access(heap).is_mappable() && heap.Type != D3D12_HEAP_TYPE::UPLOAD
}

/// The custom heap that is the same as a heap of another type; `None` for custom heaps themselves.
pub fn as_custom(kind: D3D12_HEAP_TYPE, architecture: Architecture) -> Option<D3D12_HEAP_PROPERTIES> {
    use {D3D12_CPU_PAGE_PROPERTY as Page, D3D12_HEAP_TYPE as Type, D3D12_MEMORY_POOL as Pool};
    let local = if architecture.is_unified() { Pool::L0 } else { Pool::L1 };
    let written = if architecture == Architecture::CacheCoherent { Page::WRITE_BACK } else { Page::WRITE_COMBINE };
    let (page, pool) = match kind {
        Type::DEFAULT => (Page::NOT_AVAILABLE, local),
        Type::UPLOAD => (written, Pool::L0),
        Type::READBACK => (Page::WRITE_BACK, Pool::L0),
        Type::GPU_UPLOAD => (written, local),
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
    use super::*;

    const ARCHITECTURES: [Architecture; 3] =
        [Architecture::Discrete, Architecture::Unified, Architecture::CacheCoherent];

    fn heap(kind: D3D12_HEAP_TYPE) -> D3D12_HEAP_PROPERTIES {
        D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() }
    }

    #[test]
    fn each_heap_has_its_memory() {
        use D3D12_HEAP_TYPE as Type;
        let rows = [(Type::DEFAULT, Wish::DEVICE), (Type::UPLOAD, Wish::UPLOAD), (Type::READBACK, Wish::READBACK)];
        for ((kind, expected), architecture) in
            rows.into_iter().flat_map(|row| ARCHITECTURES.map(|architecture| (row, architecture)))
        {
            assert_eq!(wish(&heap(kind), architecture, false), Ok(expected));
            let custom = as_custom(kind, architecture).unwrap();
            // Where the CPU's caches hold all memory, what it writes is cached, too.
            let cached = kind == Type::UPLOAD && architecture == Architecture::CacheCoherent;
            assert_eq!(
                wish(&custom, architecture, false),
                Ok(if cached { Wish::READBACK } else { expected }),
                "{kind:?}"
            );
            assert_eq!(access(&custom).is_mappable(), kind != Type::DEFAULT);
            assert_eq!(access(&heap(kind)).is_mappable(), kind != Type::DEFAULT);
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
        for properties in [
            made(Type::DEFAULT, Page::NOT_AVAILABLE, Pool::UNKNOWN),
            made(Type::UPLOAD, Page::UNKNOWN, Pool::L0),
            made(Type::CUSTOM, Page::UNKNOWN, Pool::L0),
            made(Type::CUSTOM, Page::WRITE_BACK, Pool::UNKNOWN),
            made(Type::CUSTOM, Page::WRITE_BACK, Pool::L1),
            // These go with GPU upload heaps.
            made(Type::CUSTOM, Page::WRITE_COMBINE, Pool::L1),
            made(Type::GPU_UPLOAD, Page::UNKNOWN, Pool::UNKNOWN),
            made(Type(0), Page::UNKNOWN, Pool::UNKNOWN),
            made(Type(77), Page::UNKNOWN, Pool::UNKNOWN),
        ] {
            for architecture in ARCHITECTURES {
                assert!(wish(&properties, architecture, false).is_err());
            }
        }
        let local = made(Type::CUSTOM, Page::NOT_AVAILABLE, Pool::L1);
        assert_eq!(
            ARCHITECTURES.map(|architecture| wish(&local, architecture, false).is_ok()),
            [true, false, false],
            "one pool where it is shared"
        );
    }

    #[test]
    fn the_cpu_writes_memory_of_the_device_where_it_sees_all_of_it() {
        use {D3D12_CPU_PAGE_PROPERTY as Page, D3D12_HEAP_TYPE as Type, D3D12_MEMORY_POOL as Pool};
        let custom = D3D12_HEAP_PROPERTIES {
            Type: Type::CUSTOM,
            CPUPageProperty: Page::WRITE_COMBINE,
            MemoryPoolPreference: Pool::L1,
            ..Default::default()
        };
        for properties in [heap(Type::GPU_UPLOAD), custom] {
            assert_eq!(wish(&properties, Architecture::Discrete, true), Ok(Wish::MAPPED));
            assert!(wish(&properties, Architecture::Discrete, false).is_err());
            assert_eq!(access(&properties), CpuAccess::Upload);
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
