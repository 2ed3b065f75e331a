//! Methods of lists about queries, and timestamps.

use core::ffi::c_void;

use ash::vk;
use reprise_com::{Object, Slots};
use reprise_d3d12::types::D3D12_QUERY_TYPE as Type;

use crate::list::barrier::{Gathered, Scope, scope};
use crate::list::recording::Recording;
use crate::query::{QueryHeap, Stamps, Store};
use crate::resource::{Buffer, Resource};
use crate::{Error, Result};
use reprise_d3d12::types::D3D12_RESOURCE_STATES as States;

/// Methods about queries.
pub(super) const LIST_METHODS: &Slots = &[
    ("BeginQuery", begin_query as *const c_void),
    ("EndQuery", end_query as *const c_void),
    ("ResolveQueryData", resolve_query_data as *const c_void),
];

impl Recording {
    fn stamp(&mut self, stamps: &Stamps, index: u32) {
        // Vulkan resets outside of rendering.
        self.outside();
        let vk = &self.device.vk;
        // SAFETY: the recording keeps the heap, which has the query.
        unsafe {
            vk.cmd_reset_query_pool(self.buffer, stamps.pool.vk, index, 1);
            vk.cmd_write_timestamp2(self.buffer, vk::PipelineStageFlags2::ALL_COMMANDS, stamps.pool.vk, index);
        }
        stamps.end(index);
    }

    fn resolve_stamps(&mut self, stamps: &Stamps, first: u32, count: u32, to: (&Buffer, u64)) {
        self.transfer();
        self.barriers(&Gathered { before: Scope::ALL, after: scope(States::COPY_DEST) });
        let (target, pool) = (to.0.vk(), stamps.pool.vk);
        let mut at = 0;
        while at < count {
            let (run, ended) = stamps.run(first + at, count - at);
            let place = to.0.offset() + to.1 + u64::from(at) * 8;
            let mut flags = vk::QueryResultFlags::TYPE_64;
            if ended {
                flags |= vk::QueryResultFlags::WAIT;
            } else {
                // Never taken, unless a list that is recorded later is executed earlier: zero, and then what is there.
                // SAFETY: the results fit into the buffer.
                unsafe { self.device.vk.cmd_fill_buffer(self.buffer, target, place, 8 * u64::from(run), 0) };
                self.transfer();
            }
            let vk = &self.device.vk;
            // SAFETY: the recording keeps the heap; the results fit into the buffer.
            unsafe { vk.cmd_copy_query_pool_results(self.buffer, pool, first + at, run, target, place, 8, flags) };
            at += run;
        }
    }
}

/// The heap and a query of it.
///
/// # Safety
/// `heap` is null or a COM pointer that is alive for `'a`.
unsafe fn query<'a>(list: &mut Recording, heap: *mut c_void, kind: Type, index: u32) -> Result<&'a Object<QueryHeap>> {
    // SAFETY: by contract.
    let heap = unsafe { Object::<QueryHeap>::from_pointer(heap) }.filter(|heap| index < heap.count && heap.has(kind));
    let heap = heap.ok_or(Error::Invalid("a query that its heap does not have"))?;
    list.queries.add(heap);
    Ok(heap)
}

unsafe extern "C" fn begin_query(this: *mut c_void, heap: *mut c_void, kind: Type, index: u32) {
    // SAFETY: a list of ours, the program's heap.
    unsafe {
        Recording::on_list(this, |list| {
            let heap = query(list, heap, kind, index)?;
            list.begin_count(heap, kind, index)
        });
    }
}

unsafe extern "C" fn end_query(this: *mut c_void, heap: *mut c_void, kind: Type, index: u32) {
    // SAFETY: a list of ours, the program's heap.
    unsafe {
        Recording::on_list(this, |list| {
            let heap = query(list, heap, kind, index)?;
            match &heap.store {
                Store::Stamps(stamps) => {
                    list.stamp(stamps, index);
                    Ok(())
                }
                Store::Counts(_) => list.end_count(heap, kind, index),
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
            let last = first.checked_add(count - 1).ok_or(Error::Invalid("ResolveQueryData: too many queries"))?;
            let heap = query(list, heap, kind, last)?;
            let buffer = Object::<Resource>::from_pointer(to).and_then(|resource| resource.buffer());
            let buffer = buffer.ok_or(Error::Invalid("ResolveQueryData: not a buffer"))?;
            let size = heap.size() * u64::from(count);
            if !offset.is_multiple_of(8) || offset.checked_add(size).is_none_or(|end| end > buffer.size) {
                return Err(Error::Invalid("ResolveQueryData: results do not fit"));
            }
            match &heap.store {
                Store::Stamps(stamps) => {
                    list.resolve_stamps(stamps, first, count, (buffer, offset));
                    Ok(())
                }
                Store::Counts(counts) => {
                    let start = u64::from(first) * heap.size();
                    let from = (counts.allocation.buffer, counts.offset + start, counts.address() + start);
                    let to = (buffer.vk(), buffer.offset() + offset, buffer.address + offset);
                    list.resolve_counts(from, to, size, kind == Type::BINARY_OCCLUSION)
                }
            }
        });
    }
}
