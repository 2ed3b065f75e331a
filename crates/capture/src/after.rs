//! What follows a call: mappings that began, facts about objects that were made; and sizes that only the runtime knows.
//!
//! Runs between the leave record and the program's next instruction, so that nobody has seen the objects yet.

use crate::api::{self, Special};
use crate::chain::Chain;
use crate::heavy::{Call, Made, failed};
use crate::identity::MAPPED;
use crate::memory::{self, LONGEST, Mapping, Watched, Written};
use crate::{facts, guard, raw, record, texels};
use core::ffi::c_void;
use reprise_codec::Texels;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_RANGE, D3D12_RESOURCE_DIMENSION};
use std::sync::atomic::Ordering;

/// Looks at what a call did.
///
/// # Safety
/// The call returned `result`; `made` are the objects it gave out, which are alive.
pub(crate) unsafe fn call(call: &Call<'_>, special: Special, result: u64, made: &Made) {
    // SAFETY: by contract.
    unsafe {
        if special == Special::Map && !failed(call.method, result) {
            mapped(call);
        }
        for (chain, new) in &made.chains {
            if *new {
                created(call, &**chain);
            }
        }
    }
}

/// A frame ends with a call that presents.
pub(crate) fn present(call: &Call<'_>, special: Special, result: u64) {
    /// `DXGI_PRESENT_TEST`: nothing is shown.
    const TEST: u64 = 1;
    if crate::control::by_submissions() {
        if call.method == EXECUTE {
            record::frame(FRAME_SUBMISSION);
        }
        return;
    }
    let presents = match special {
        Special::Present => !failed(call.method, result) && call.words.get(1).is_none_or(|flags| flags & TEST == 0),
        Special::ContractPresent => true,
        _ => false,
    };
    if presents {
        record::frame(FRAME_PRESENT);
    }
}

/// The source of a frame, as in FORMAT.md.
const FRAME_PRESENT: u32 = 1;
/// As above.
const FRAME_SUBMISSION: u32 = 3;
const EXECUTE: MethodId = reprise_d3d12::method("ID3D12CommandQueue", "ExecuteCommandLists");

unsafe fn created(call: &Call<'_>, chain: &Chain) {
    let Some(family) = chain.identity().primary.interface else { return };
    let known = api::known();
    // The pointer may be that of an interface below the class, as `IUnknown` is: then it cannot be asked.
    let is = |class| api::derives(family, class) && chain.has(class);
    // SAFETY: the object is alive and of the class that its family says.
    unsafe {
        if is(known.device) {
            facts::device(chain);
        } else if is(known.resource) {
            facts::resource(chain, call.chain);
            hosted(call, chain);
        } else if is(known.heap) {
            facts::heap(chain);
            if call.method.get().name.starts_with("OpenExistingHeapFromAddress") {
                let address = call.words.first().map_or(0, |word| *word as usize);
                chain.identity().host.store(address, Ordering::Relaxed);
            }
        } else if is(known.descriptor_heap) {
            facts::descriptor_heap(chain, call.chain);
        } else if is(known.swap_chain) {
            // The first argument of every function that makes a swap chain is its queue.
            let queue = call.words.first().map_or(core::ptr::null_mut(), |word| *word as *mut c_void);
            if let Some(queue) = crate::chain::from_pointer(queue) {
                let queue = core::ptr::from_ref(queue.identity()).cast_mut();
                chain.identity().queue.store(queue, Ordering::Relaxed);
            }
        }
    }
}

/// A subresource is mapped: the tracker watches it from now on. The submission's lock is held.
///
/// # Safety
/// The call is a `Map` that succeeded.
unsafe fn mapped(call: &Call<'_>) {
    let (Some(chain), [subresource, range, out, ..]) = (call.chain, call.words) else { return };
    // SAFETY: the program's pointers, which the runtime has just used.
    let (address, range) = unsafe { ((*out as *const usize).as_ref(), (*range as *const D3D12_RANGE).as_ref()) };
    let Some(address) = address.copied().filter(|address| *address != 0) else { return };
    let subresource = *subresource as u32;
    // SAFETY: the chain is a resource's, alive.
    let (size, heap_type) = unsafe { (texels::mapped_size(chain, subresource), facts::heap_type(chain)) };
    let readable = range.is_none_or(|range| range.End > range.Begin);
    let mapping = Mapping { object: chain.id, subresource, address, size, heap_type, readable };
    let watched = watch(chain, &mapping);
    if watched != Watched::Nothing && readable && heap_type == HEAP_TYPE_READBACK {
        // SAFETY: the range has `size` bytes, and nothing unmaps it before this call returns.
        unsafe { contents(&mapping, range, true) };
    }
}

/// A buffer was placed into a heap in the program's own memory, which needs no map to store there: it is watched for as long as
/// it lives, and begins with what the memory holds.
///
/// # Safety
/// The chain is a new resource's, made by this call.
unsafe fn hosted(call: &Call<'_>, chain: &Chain) {
    let (true, [heap, offset, ..]) = (call.method.get().name.starts_with("CreatePlacedResource"), call.words) else {
        return;
    };
    // SAFETY: an object of the program's, which the call has just used, or null.
    let heap = unsafe { crate::chain::from_pointer(*heap as *mut c_void) };
    let host = heap.map_or(0, |heap| heap.identity().host.load(Ordering::Relaxed));
    if host == 0 {
        return;
    }
    // SAFETY: the chain is a resource's, alive.
    let (desc, heap_type) = unsafe { (facts::resource_desc(chain), facts::heap_type(chain)) };
    if desc.Dimension != D3D12_RESOURCE_DIMENSION::BUFFER {
        return record::gap(chain.id, "a texture lies in the program's own memory: stores to it are not recorded");
    }
    let size = desc.Width;
    let address = host.wrapping_add(*offset as usize);
    let mapping = Mapping { object: chain.id, subresource: 0, address, size, heap_type, readable: false };
    let _held = guard::submission();
    if watch(chain, &mapping) != Watched::Nothing {
        // SAFETY: the resource lies there, and the program keeps the memory for as long as it lives.
        unsafe { contents(&mapping, None, false) };
    }
}

/// Lets the tracker watch a mapping, and says so in the trace. The submission's lock is held.
fn watch(chain: &Chain, mapping: &Mapping) -> Watched {
    facts::mapping(mapping);
    chain.identity().flags.fetch_or(MAPPED, Ordering::Relaxed);
    let Some(tracker) = memory::tracker() else {
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
            let mut text = format!("{{\"mode\":\"{}\"", watched.name());
            if let Some(reason) = tracker.refused() {
                text.push_str(",\"because\":");
                crate::session::json_text(&mut text, &reason);
            }
            text.push('}');
            record::fact(chain.id, reprise_trace::fact::MAPPING_MODE, text.as_bytes());
        }
    }
    watched
}

/// `D3D12_HEAP_TYPE_READBACK`.
const HEAP_TYPE_READBACK: u32 = 3;

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
        guard::store(&Written { object, subresource, offset, bytes, len, observed });
    }
}

/// Bytes of storage that the object owns and returned.
///
/// # Safety
/// The call is one on a living object.
pub(crate) unsafe fn owned_size(call: &Call<'_>, method: MethodId) -> Option<u64> {
    const POINTER: MethodId = reprise_d3d12::method("ID3DBlob", "GetBufferPointer");
    const SIZE: MethodId = reprise_d3d12::method("ID3DBlob", "GetBufferSize");
    let chain = call.chain.filter(|_| method == POINTER)?;
    // SAFETY: the object is a blob, alive.
    Some(unsafe { raw::ask(call.convention, chain.real(), SIZE, &[]) })
}

/// The extent of a subresource of the resource that is called.
///
/// # Safety
/// The call is one on a living resource.
pub(crate) unsafe fn texels(call: &Call<'_>, subresource: u32) -> Option<Texels> {
    let chain = call.chain?;
    if !api::derives(chain.interface?, api::known().resource) {
        return None;
    }
    // SAFETY: as just compared.
    let desc = unsafe { facts::resource_desc(chain) };
    Texels::of(&desc, subresource)
}
