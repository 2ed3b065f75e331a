//! The beginning of a mapping: the tracker watches it, and the trace gets its place, its means of watching and its contents.

use crate::call::Call;
use crate::facts::{creation, size};
use crate::json;
use crate::session::record;
use crate::submission::{flush, section};
use crate::tracking::{self, LONGEST, Mapping, Watched, Written};
use crate::wrapper::object::{self, Chain, MAPPED};
use core::ffi::c_void;
use reprise_d3d12::types::{D3D12_RANGE, D3D12_RESOURCE_DIMENSION};
use std::sync::atomic::Ordering;

/// A subresource is mapped: the tracker watches it from now on. The submission's lock is held.
///
/// # Safety
/// The call is a `Map` that succeeded.
pub(super) unsafe fn begun(call: &Call<'_>) {
    let (Some(chain), [subresource, range, out, ..]) = (call.chain, call.words) else { return };
    // SAFETY: the program's pointers, which the runtime has just used.
    let (address, range) = unsafe { ((*out as *const usize).as_ref(), (*range as *const D3D12_RANGE).as_ref()) };
    let Some(address) = address.copied().filter(|address| *address != 0) else { return };
    let subresource = *subresource as u32;
    // SAFETY: the chain is a resource's, alive.
    let (size, heap) = unsafe { (size::mapped(chain, subresource), creation::home(chain)) };
    let readable = range.is_none_or(|range| range.End > range.Begin);
    let mapping = Mapping { object: chain.id, subresource, address, size, heap_type: heap.kind, readable };
    let watched = watch(chain, &mapping);
    if watched != Watched::Nothing && readable && heap.read_back {
        // SAFETY: the range has `size` bytes, and nothing unmaps it before this call returns.
        unsafe { contents(&mapping, range, true) };
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
    let (desc, heap) = unsafe { (creation::resource_desc(chain), creation::home(chain)) };
    if desc.Dimension != D3D12_RESOURCE_DIMENSION::BUFFER {
        return record::gap(chain.id, "a texture lies in the program's own memory: stores to it are not recorded");
    }
    let size = desc.Width;
    let address = host.wrapping_add(*offset as usize);
    let mapping = Mapping { object: chain.id, subresource: 0, address, size, heap_type: heap.kind, readable: false };
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
            if let Some(reason) = tracker.refused() {
                json::member(&mut text, "because", &reason);
            }
            text.push('}');
            record::fact(chain.id, reprise_trace::fact::MAPPING_MODE, text.as_bytes());
        }
    }
    watched
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
