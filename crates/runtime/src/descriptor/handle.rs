//! CPU and GPU handles of descriptors.
//!
//! A CPU handle is the address of a descriptor's [`Record`](super::Record) with the size of its heap in the low bits: heaps
//! lie in regions whose size is a power of two and whose address is a multiple of it, so heap and index are found by
//! arithmetic, without reading memory. Place 0 of a region is the heap's [`Header`](super::heap::Header).
//!
//! A GPU handle is a number: the heap's number in the high half, the index times [`INCREMENT`] in the low half. It says
//! nothing to the GPU; the index goes to shaders.

/// Bytes from a handle to the next, on both sides, for all kinds of heaps; the size of a record.
pub const INCREMENT: u32 = 64;
const LOW: usize = INCREMENT as usize - 1;

/// A CPU handle that is not null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuHandle(usize);

impl CpuHandle {
    /// A program's handle; `None` for null.
    #[inline(always)]
    pub fn new(handle: u64) -> Option<CpuHandle> {
        (handle != 0).then_some(CpuHandle(handle as usize))
    }

    /// The handle of the first descriptor of a region of `1 << log2` places at `base`.
    ///
    /// # Panics
    /// In debug builds, if `base` is not aligned to the region's size.
    pub fn first(base: usize, log2: u32) -> CpuHandle {
        debug_assert!(log2 < 64 && base.trailing_zeros() >= log2 + INCREMENT.trailing_zeros());
        CpuHandle((base + INCREMENT as usize) | log2 as usize)
    }

    /// What the program gets.
    pub fn get(self) -> u64 {
        self.0 as u64
    }

    /// Address of the record.
    #[inline(always)]
    pub fn record(self) -> usize {
        self.0 & !LOW
    }

    /// Address of the region, which begins with the heap's header.
    #[inline(always)]
    pub fn base(self) -> usize {
        let size = (INCREMENT as usize) << (self.0 & LOW);
        self.0 & !(size - 1)
    }

    /// Index in the heap; one below the first is `u32::MAX`.
    #[inline(always)]
    pub fn index(self) -> u32 {
        (((self.record() - self.base()) / INCREMENT as usize) as u32).wrapping_sub(1)
    }
}

/// Log2 of the places of a heap of `count` descriptors, with the header.
pub fn region_log2(count: u32) -> u32 {
    (u64::from(count) + 1).next_power_of_two().trailing_zeros()
}

/// A GPU handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuHandle(u64);

impl GpuHandle {
    /// The handle of the first descriptor of a heap.
    pub fn first(heap: u32) -> GpuHandle {
        GpuHandle(u64::from(heap) << 32)
    }

    /// A program's handle.
    #[inline(always)]
    pub fn new(handle: u64) -> GpuHandle {
        GpuHandle(handle)
    }

    /// What the program gets.
    pub fn get(self) -> u64 {
        self.0
    }

    /// The heap's number, never 0.
    pub fn heap(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Index in the heap: what a root table's dword holds.
    #[inline(always)]
    pub fn index(self) -> u32 {
        self.0 as u32 / INCREMENT
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn index_and_base_survive_the_programs_arithmetic(count in 1u32..1 << 24, place in 0usize..1 << 10, pick: u32) {
            let log2 = region_log2(count);
            prop_assert!(1u64 << log2 > u64::from(count), "header and descriptors fit");
            let base = (place + 1) << (log2 + 6);
            let index = pick % count;
            let start = CpuHandle::first(base, log2).get();
            let handle = CpuHandle::new(start + u64::from(index) * u64::from(INCREMENT)).unwrap();
            prop_assert_eq!(handle.index(), index);
            prop_assert_eq!(handle.base(), base);
            prop_assert_eq!(handle.record(), base + 64 * (index as usize + 1));
        }

        #[test]
        fn gpu_handles_name_heap_and_index(heap in 1u32.., index in 0u32..1 << 26) {
            let handle = GpuHandle::new(GpuHandle::first(heap).get() + u64::from(index) * u64::from(INCREMENT));
            prop_assert_eq!((handle.heap(), handle.index()), (heap, index));
            prop_assert_ne!(handle.get(), 0);
        }
    }

    #[test]
    fn null_is_no_handle() {
        assert_eq!(CpuHandle::new(0), None);
    }
}
