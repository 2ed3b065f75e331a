//! The beginning of a mapping: the tracker watches it, and the trace gets its place, its means of watching and its contents.

use crate::call::Call;
use crate::facts::{creation, size};
use crate::json;
use crate::session::record;
use crate::submission::{flush, section};
use crate::tracking::{self, LONGEST, MappedMemory, Mapping, Watched, Written};
use crate::wrapper::object::{self, Chain, MAPPED};
use core::ffi::c_void;
use reprise_d3d12::types::{
    D3D12_CPU_PAGE_PROPERTY, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_RANGE, D3D12_RESOURCE_DIMENSION,
};
use std::sync::atomic::Ordering;

/// What a `Map` that succeeded has given; the heap's properties besides.
///
/// # Safety
/// The call is a `Map` that succeeded.
unsafe fn mapping(call: &Call<'_>) -> Option<(Mapping, D3D12_HEAP_PROPERTIES)> {
    let (Some(chain), [subresource, range, out, ..]) = (call.chain, call.words) else { return None };
    // SAFETY: the program's pointers, which the runtime has just used.
    let (address, range) = unsafe { ((*out as *const usize).as_ref(), (*range as *const D3D12_RANGE).as_ref()) };
    let address = address.copied().filter(|address| *address != 0)?;
    let subresource = *subresource as u32;
    // SAFETY: the chain is a resource's, alive.
    let (size, heap) = unsafe { (size::mapped(chain, subresource), creation::heap_properties(chain)) };
    let heap_type = heap.Type.0 as u32;
    let readable = range.is_none_or(|range| range.End > range.Begin);
    Some((Mapping { object: chain.id, subresource, address, size, heap_type, readable }, heap))
}

/// A subresource is mapped, and neither the program nor the trace has its address: the program gets a mapping of its own, where the GPU
/// writes the memory, too. The submission's lock is held.
///
/// # Safety
/// The call is a `Map` that succeeded.
pub(super) unsafe fn apart(call: &Call<'_>) {
    let Some(tracker) = tracking::tracker() else { return };
    // SAFETY: the call is a `Map` that succeeded, so its pointers are those that the runtime has just used.
    let Some((mapping, _)) = (unsafe { mapping(call) }) else { return };
    if let (Some(address), [_, _, out, ..]) = (tracker.apart(&mapping), call.words) {
        // SAFETY: the runtime has just stored an address there.
        unsafe { (*out as *mut usize).write(address) };
    }
}

/// A subresource is mapped: the tracker watches it from now on. The submission's lock is held.
///
/// # Safety
/// The call is a `Map` that succeeded.
pub(super) unsafe fn begun(call: &Call<'_>) {
    // SAFETY: the call is a `Map` that succeeded, so its pointers are those that the runtime has just used.
    let (Some(chain), Some((mapping, heap))) = (call.chain, unsafe { mapping(call) }) else { return };
    // SAFETY: the program's pointer, which the runtime has just used.
    let range = unsafe { call.words.get(1).and_then(|range| (*range as *const D3D12_RANGE).as_ref()) };
    if watch(chain, &mapping) == Watched::Nothing || !mapping.readable {
        return;
    }
    let (reads, apart) = (is_for_reading(&heap), tracking::tracker().filter(|tracker| tracker.is_apart(&mapping)));
    if !reads && apart.is_none() {
        // SAFETY: the range has `size` bytes, and nothing unmaps it before this call returns.
        return unsafe { said_to_be_read(&mapping, range) };
    }
    let readback = heap.Type == D3D12_HEAP_TYPE::READBACK;
    if !readback {
        // The program may have stored there, by this mapping or another one: that is no work of the GPU.
        flush::flush();
    }
    // Programs that allocate memory by themselves map whole pools of it for each of their buffers. What no GPU wrote there since the
    // last time is in the trace.
    let found = !reads || !readback && tracking::finds_gpu();
    let shown =
        apart.filter(|_| found).is_some_and(|tracker| tracker.show(&mapping, &mut |written| flush::store(written)));
    if !found && let Some(tracker) = apart {
        // All of it is recorded now; what aliases it is not.
        let own = |written: &Written| (written.object, written.subresource) == (mapping.object, mapping.subresource);
        tracker.show(&mapping, &mut |written| {
            if !own(written) {
                flush::store(written);
            }
        });
    }
    if !shown {
        // SAFETY: the range has `size` bytes, and nothing unmaps it before this call returns.
        unsafe { contents(&mapping, range, true) };
    }
}

/// A program maps memory of a kind that is meant to be stored to, and may read it. Where the GPU's writes are found as stores are, those
/// made while the program had no mapping are the GPU's. Else the program says itself what it reads.
///
/// # Safety
/// The mapping is readable.
unsafe fn said_to_be_read(mapping: &Mapping, range: Option<&D3D12_RANGE>) {
    let found = tracking::tracker().filter(|_| tracking::finds_gpu());
    if found.is_some_and(|tracker| tracker.show(mapping, &mut |written| flush::store(written))) {
        return;
    }
    // A GPU writes no upload heaps.
    if range.is_some() && (found.is_some() || mapping.heap_type != D3D12_HEAP_TYPE::UPLOAD.0 as u32) {
        flush::flush();
        // SAFETY: the caller says that the mapping is readable.
        unsafe { contents(mapping, range, true) };
    }
}

/// A buffer was placed into a heap in the program's own memory, which needs no map to store there: it is watched for as long as
/// it lives, and begins with what the memory holds.
///
/// # Safety
/// The chain is a new resource's, made by this call.
pub(super) unsafe fn hosted(call: &Call<'_>, chain: &Chain) {
    let (true, [heap, offset, ..]) = (call.method.get().name.starts_with("CreatePlacedResource"), call.words) else {
        return;
    };
    // SAFETY: an object of the program's, which the call has just used, or null.
    let heap = unsafe { object::from_pointer(*heap as *mut c_void) };
    let host = heap.map_or(0, |heap| heap.identity().host.load(Ordering::Relaxed));
    if host == 0 {
        return;
    }
    // SAFETY: the chain is a resource's, alive.
    let (desc, heap) = unsafe { (creation::resource_desc(chain), creation::heap_properties(chain)) };
    let heap_type = heap.Type.0 as u32;
    if desc.Dimension != D3D12_RESOURCE_DIMENSION::BUFFER {
        return record::gap(chain.id, "a texture lies in the program's own memory: stores to it are not recorded");
    }
    let size = desc.Width;
    let address = host.wrapping_add(*offset as usize);
    let mapping = Mapping { object: chain.id, subresource: 0, address, size, heap_type, readable: false };
    let _held = section::submission();
    if watch(chain, &mapping) != Watched::Nothing {
        // SAFETY: the resource lies there, and the program keeps the memory for as long as it lives.
        unsafe { contents(&mapping, None, false) };
    }
}

/// Lets the tracker watch a mapping, and says so in the trace. The submission's lock is held.
fn watch(chain: &Chain, mapping: &Mapping) -> Watched {
    creation::mapping(mapping);
    chain.identity().flags.fetch_or(MAPPED, Ordering::Relaxed);
    let Some(tracker) = tracking::tracker() else {
        record::gap(chain.id, "no tracker of mapped memory is installed: stores to this mapping are not recorded");
        return Watched::Nothing;
    };
    let watched = tracker.on_map(mapping);
    match watched {
        Watched::Nothing if mapping.size == 0 => {
            record::gap(chain.id, "the size of the mapping could not be found: stores to it are not recorded");
        }
        Watched::Nothing => {}
        _ => {
            let mut text = String::from("{");
            json::member(&mut text, "mode", watched.name());
            if let Some(stores) = stores(tracker, mapping, watched) {
                json::member(&mut text, "stores", stores);
            }
            if let Some(reason) = tracker.refused() {
                json::member(&mut text, "because", &reason);
            }
            text.push('}');
            record::fact(chain.id, reprise_trace::fact::MAPPING_MODE, text.as_bytes());
        }
    }
    watched
}

/// What the trace says of the stores that are found in a mapping: whether all are the program's. Nothing where that is not known, because
/// the GPU's writes may show in the mapping, or not.
fn stores(tracker: &dyn MappedMemory, mapping: &Mapping, watched: Watched) -> Option<&'static str> {
    match watched {
        _ if tracker.is_apart(mapping) => Some("told"),
        Watched::Compare => Some("untold"),
        _ if tracking::finds_gpu() && mapping.heap_type == D3D12_HEAP_TYPE::UPLOAD.0 as u32 => Some("untold"),
        _ => None,
    }
}

/// Whether a program maps such a heap to read what the GPU wrote. Programs that allocate memory by themselves have custom heaps
/// for it, which the processor caches (`wgpu` has).
fn is_for_reading(heap: &D3D12_HEAP_PROPERTIES) -> bool {
    match heap.Type {
        D3D12_HEAP_TYPE::READBACK => true,
        D3D12_HEAP_TYPE::CUSTOM => heap.CPUPageProperty == D3D12_CPU_PAGE_PROPERTY::WRITE_BACK,
        _ => false,
    }
}

/// Records what a mapping holds: what the program is about to read (`observed`), which the GPU wrote before there was a mapping
/// to watch, so that without this nobody could tell whether a replay computes the same; or what the program had stored.
///
/// # Safety
/// The mapping is readable.
unsafe fn contents(mapping: &Mapping, range: Option<&D3D12_RANGE>, observed: bool) {
    let (begin, end) = range.map_or((0, mapping.size), |range| (range.Begin, range.End.min(mapping.size)));
    for offset in (begin..end).step_by(LONGEST) {
        let bytes = (mapping.address as *const u8).wrapping_add(offset as usize);
        let len = (end - offset).min(LONGEST as u64) as usize;
        let (object, subresource) = (mapping.object, mapping.subresource);
        flush::store(&Written { object, subresource, offset, bytes, len, observed });
    }
}
