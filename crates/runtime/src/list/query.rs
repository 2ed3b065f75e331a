//! Methods of lists about queries.

use core::ffi::c_void;

use reprise_com::{Object, Slots};
use reprise_d3d12::counters;
use reprise_d3d12::types::D3D12_QUERY_TYPE as Type;

use crate::list::recording::Recording;
use crate::query::QueryHeap;
use crate::resource::object::Resource;
use crate::{Error, Result};

/// Methods about queries.
pub(super) const LIST_METHODS: &Slots = &[
    ("BeginQuery", begin_query as *const c_void),
    ("EndQuery", end_query as *const c_void),
    ("ResolveQueryData", resolve_query_data as *const c_void),
];

/// The heap and a query of it.
///
/// # Safety
/// `heap` is null or a COM pointer that is alive for `'a`.
unsafe fn query<'a>(list: &mut Recording, heap: *mut c_void, kind: Type, index: u32) -> Result<&'a Object<QueryHeap>> {
    // SAFETY: the caller promises: `heap` is null or a COM pointer that is alive for `'a`.
    let heap = unsafe { Object::<QueryHeap>::from_pointer(heap) }.filter(|heap| index < heap.count && heap.has(kind));
    let heap = heap.ok_or(Error::Call("a query that its heap does not have"))?;
    list.keep.queries.add(heap);
    Ok(heap)
}

unsafe extern "C" fn begin_query(this: *mut c_void, heap: *mut c_void, kind: Type, index: u32) {
    // SAFETY: a list of ours, the program's heap.
    unsafe {
        Recording::on_list(this, |list| {
            let heap = query(list, heap, kind, index)?;
            match kind {
                counters::QUERY => list.begin_counters(heap, index),
                _ => list.begin_count(heap, kind, index),
            }
        });
    }
}

unsafe extern "C" fn end_query(this: *mut c_void, heap: *mut c_void, kind: Type, index: u32) {
    // SAFETY: a list of ours, the program's heap.
    unsafe {
        Recording::on_list(this, |list| {
            let heap = query(list, heap, kind, index)?;
            match kind {
                Type::TIMESTAMP => list.stamp(heap, index),
                counters::QUERY => list.end_counters(heap, index),
                _ => list.end_count(heap, kind, index),
            }
        });
    }
}

unsafe extern "C" fn resolve_query_data(
    this: *mut c_void,
    heap: *mut c_void,
    kind: Type,
    first: u32,
    count: u32,
    to: *mut c_void,
    offset: u64,
) {
    // SAFETY: a list of ours, the program's objects.
    unsafe {
        Recording::on_list(this, |list| {
            if count == 0 {
                return Ok(());
            }
            let last = first.checked_add(count - 1).ok_or(Error::Call("ResolveQueryData: too many queries"))?;
            let heap = query(list, heap, kind, last)?;
            if heap.counters.is_some() {
                return Err(Error::Call("ResolveQueryData: what the driver counted is read by private data"));
            }
            let buffer = Object::<Resource>::from_pointer(to).and_then(|resource| resource.buffer());
            let buffer = buffer.ok_or(Error::Call("ResolveQueryData: not a buffer"))?;
            let size = heap.size() * u64::from(count);
            if !offset.is_multiple_of(8) || offset.checked_add(size).is_none_or(|end| end > buffer.size) {
                return Err(Error::Call("ResolveQueryData: results do not fit"));
            }
            let start = u64::from(first) * heap.size();
            let results = &heap.results;
            let from = (results.allocation().buffer, results.offset + start, results.address() + start);
            let to = (buffer.vk(), buffer.offset() + offset, buffer.address + offset);
            list.resolve_counts(from, to, size, kind == Type::BINARY_OCCLUSION)
        });
    }
}
