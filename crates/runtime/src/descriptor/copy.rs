//! `CopyDescriptors` and `CopyDescriptorsSimple`.

use core::ffi::c_void;

use reprise_com::guard;
use reprise_d3d12::types::D3D12_CPU_DESCRIPTOR_HANDLE;

use crate::descriptor::handle::CpuHandle;
use crate::descriptor::heap::Header;
use reprise_gpu::descriptor::publish::Source;
use reprise_gpu::descriptor::record::Record;

/// Copies `count` descriptors, and publishes them where the heap has more than records.
///
/// # Safety
/// The handles are those of living heaps of ours with as many descriptors left; what the API demands of concurrent use.
#[inline(always)]
pub unsafe fn copy(to: CpuHandle, from: CpuHandle, count: u32) {
    let target = core::ptr::with_exposed_provenance_mut::<Record>(to.record());
    let source = core::ptr::with_exposed_provenance::<Record>(from.record());
    let header = core::ptr::with_exposed_provenance::<Header>(to.base());
    // SAFETY: the caller promises: the handles are those of living heaps of ours with as many descriptors left; what the API
    // demands of concurrent use. A program copies from heaps that shaders do not see, so ranges of a heap that shaders see
    // are never copied onto each other.
    unsafe {
        if let Some((infos, checks)) = (*header).checked() {
            let from_header = core::ptr::with_exposed_provenance::<Header>(from.base());
            if let Some((from_infos, _)) = (*from_header).checked() {
                let (to, from) = (to.index() as usize, from.index() as usize);
                core::ptr::copy(from_infos.add(from), infos.add(to), count as usize);
                let call = u32::try_from(crate::checks::call()).unwrap_or(0);
                for at in (to..to + count as usize).filter(|_| call != 0) {
                    let info = &mut *infos.add(at);
                    info.written = checks.copied(info.written, call);
                }
            }
        }
        let Some(to_heap) = (*header).target() else {
            match count {
                1 => target.write(source.read()),
                _ => core::ptr::copy(source, target, count as usize),
            }
            return;
        };
        // The source's heap is one more place of memory, and most copies are single ones.
        let from_heap = match to_heap.copies_bytes() {
            true => (*core::ptr::with_exposed_provenance::<Header>(from.base())).target(),
            false => None,
        };
        let source = Source { record: source, target: from_heap, index: from.index() };
        match count {
            1 => to_heap.copy_one(to.index(), target, source),
            _ => to_heap.copy(to.index(), target, source, count),
        }
    }
}

/// A piece of a copy between lists of ranges: range and offset on both sides, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Destination range, and the place in it.
    pub to: (usize, u32),
    /// Source range, and the place in it.
    pub from: (usize, u32),
    /// Descriptors.
    pub count: u32,
}

/// Walks two lists of ranges side by side; ends with the shorter one. Sizes are by index, 1 where there are none.
pub fn pieces(to: (usize, impl Fn(usize) -> u32), from: (usize, impl Fn(usize) -> u32), mut each: impl FnMut(Piece)) {
    let ((to_ranges, to_size), (from_ranges, from_size)) = (to, from);
    let (mut to, mut from) = ((0, 0), (0, 0));
    while to.0 < to_ranges && from.0 < from_ranges {
        let left = (to_size(to.0) - to.1, from_size(from.0) - from.1);
        let count = left.0.min(left.1);
        if count != 0 {
            each(Piece { to, from, count });
        }
        to.1 += count;
        from.1 += count;
        if count == left.0 {
            to = (to.0 + 1, 0);
        }
        if count == left.1 {
            from = (from.0 + 1, 0);
        }
    }
}

/// `ID3D12Device::CopyDescriptorsSimple`.
pub(super) unsafe extern "C" fn copy_descriptors_simple(
    _device: *mut c_void,
    count: u32,
    to: D3D12_CPU_DESCRIPTOR_HANDLE,
    from: D3D12_CPU_DESCRIPTOR_HANDLE,
    _kind: i32,
) {
    if let (Some(to), Some(from)) = (CpuHandle::new(to.ptr), CpuHandle::new(from.ptr)) {
        // SAFETY: both handles lead to descriptors of heaps that the program holds, with `count` of them from there on, and no other thread
        // writes these now.
        unsafe { copy(to, from, count) };
    }
}

/// `ID3D12Device::CopyDescriptors`.
pub(super) unsafe extern "C" fn copy_descriptors(
    _device: *mut c_void,
    to_ranges: u32,
    to: *const D3D12_CPU_DESCRIPTOR_HANDLE,
    to_sizes: *const u32,
    from_ranges: u32,
    from: *const D3D12_CPU_DESCRIPTOR_HANDLE,
    from_sizes: *const u32,
    _kind: i32,
) {
    // SAFETY: arrays of as many elements, or null.
    let size = |sizes: *const u32, at: usize| if sizes.is_null() { 1 } else { unsafe { sizes.add(at).read() } };
    // SAFETY: arrays of as many elements, or null.
    let handle = |starts: *const D3D12_CPU_DESCRIPTOR_HANDLE, (range, at): (usize, u32)| unsafe {
        let start = starts.add(range).read().ptr;
        CpuHandle::new(start).and_then(|start| CpuHandle::new(start.get() + u64::from(at) * 64))
    };
    guard((), || {
        if to.is_null() || from.is_null() {
            return;
        }
        pieces(
            (to_ranges as usize, |at| size(to_sizes, at)),
            (from_ranges as usize, |at| size(from_sizes, at)),
            |piece| {
                if let (Some(to), Some(from)) = (handle(to, piece.to), handle(from, piece.from)) {
                    // SAFETY: a piece lies within a range of either side, whose handle leads to as many descriptors of a heap that the
                    // program holds; no other thread writes these now.
                    unsafe { copy(to, from, piece.count) };
                }
            },
        );
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All descriptors of the ranges, in order.
    fn flat(sizes: &[u32]) -> Vec<(usize, u32)> {
        sizes.iter().enumerate().flat_map(|(range, &size)| (0..size).map(move |at| (range, at))).collect()
    }

    proptest! {
        #[test]
        fn ranges_are_walked_as_if_laid_end_to_end(to in prop::collection::vec(0u32..7, 0..9), from in prop::collection::vec(0u32..7, 0..9)) {
            let mut walked = Vec::new();
            pieces((to.len(), |at| to[at]), (from.len(), |at| from[at]), |piece| {
                for at in 0..piece.count {
                    walked.push(((piece.to.0, piece.to.1 + at), (piece.from.0, piece.from.1 + at)));
                }
            });
            let expected: Vec<_> = flat(&to).into_iter().zip(flat(&from)).collect();
            prop_assert_eq!(walked, expected);
        }
    }
}
