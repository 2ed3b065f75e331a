//! Queries, and the marks that debuggers show.

use core::ffi::c_void;

use ash::vk;
use reprise_com::{Object, Slots};
use reprise_d3d12::types::D3D12_QUERY_TYPE as Type;

use crate::list::barrier::{Gathered, Scope, scope};
use crate::list::recording::Recording;
use crate::query::QueryHeap;
use crate::resource::Resource;
use crate::{Error, Result};
use reprise_d3d12::types::D3D12_RESOURCE_STATES as States;

/// Methods about queries and marks.
pub(super) const LIST_METHODS: &Slots = &[
    ("BeginQuery", begin_query as *const c_void),
    ("EndQuery", end_query as *const c_void),
    ("ResolveQueryData", resolve_query_data as *const c_void),
    ("SetMarker", set_marker as *const c_void),
    ("BeginEvent", set_marker as *const c_void),
    ("EndEvent", end_event as *const c_void),
];

/// The heap and a query of it.
///
/// # Safety
/// `heap` is null or a COM pointer that is alive for `'a`.
unsafe fn query<'a>(list: &mut Recording, heap: *mut c_void, index: u32) -> Result<&'a Object<QueryHeap>> {
    // SAFETY: by contract.
    let heap = unsafe { Object::<QueryHeap>::from_pointer(heap) }.filter(|heap| index < heap.count());
    let heap = heap.ok_or(Error::Invalid("a query that its heap does not have"))?;
    list.queries.add(heap);
    Ok(heap)
}

unsafe extern "C" fn begin_query(this: *mut c_void, heap: *mut c_void, kind: Type, index: u32) {
    // SAFETY: a list of ours, the program's heap.
    unsafe {
        Recording::on_list(this, |list| {
            let heap = query(list, heap, index)?;
            let precise = match kind {
                Type::OCCLUSION => vk::QueryControlFlags::PRECISE,
                Type::BINARY_OCCLUSION | Type::PIPELINE_STATISTICS => vk::QueryControlFlags::empty(),
                _ => return Err(Error::Invalid("BeginQuery: a query of this type only ends")),
            };
            list.outside();
            let vk = &list.device.vk;
            vk.cmd_reset_query_pool(list.buffer, heap.pool, index, 1);
            vk.cmd_begin_query(list.buffer, heap.pool, index, precise);
            Ok(())
        });
    }
}

unsafe extern "C" fn end_query(this: *mut c_void, heap: *mut c_void, kind: Type, index: u32) {
    // SAFETY: a list of ours, the program's heap.
    unsafe {
        Recording::on_list(this, |list| {
            let heap = query(list, heap, index)?;
            list.outside();
            let vk = &list.device.vk;
            match kind {
                Type::TIMESTAMP => {
                    vk.cmd_reset_query_pool(list.buffer, heap.pool, index, 1);
                    let stage = vk::PipelineStageFlags2::ALL_COMMANDS;
                    vk.cmd_write_timestamp2(list.buffer, stage, heap.pool, index);
                }
                Type::OCCLUSION | Type::BINARY_OCCLUSION | Type::PIPELINE_STATISTICS => {
                    vk.cmd_end_query(list.buffer, heap.pool, index);
                }
                _ => return Err(Error::Unsupported("queries of this type")),
            }
            heap.end(index);
            Ok(())
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
            let heap = query(list, heap, last)?;
            let buffer = Object::<Resource>::from_pointer(to).and_then(|resource| resource.buffer());
            let buffer = buffer.ok_or(Error::Invalid("ResolveQueryData: not a buffer"))?;
            let size = heap.size();
            if !offset.is_multiple_of(8)
                || offset.checked_add(size * u64::from(count)).is_none_or(|end| end > buffer.size)
            {
                return Err(Error::Invalid("ResolveQueryData: results do not fit"));
            }
            if kind == Type::BINARY_OCCLUSION {
                return Err(Error::Unsupported("ResolveQueryData of binary occlusion"));
            }
            list.transfer();
            let copies = scope(States::COPY_DEST);
            list.barriers(&Gathered { before: Scope::ALL, after: copies });
            let mut at = 0;
            while at < count {
                let (run, ended) = heap.run(first + at, count - at);
                let place = buffer.offset() + offset + u64::from(at) * size;
                let (vk, commands, pool) = (&list.device.vk, list.buffer, heap.pool);
                if ended {
                    let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
                    vk.cmd_copy_query_pool_results(commands, pool, first + at, run, buffer.vk(), place, size, flags);
                } else {
                    // Never issued, unless a list that is recorded later is executed earlier: zero, and then what is there.
                    vk.cmd_fill_buffer(commands, buffer.vk(), place, size * u64::from(run), 0);
                    list.transfer();
                    let (vk, flags) = (&list.device.vk, vk::QueryResultFlags::TYPE_64);
                    vk.cmd_copy_query_pool_results(commands, pool, first + at, run, buffer.vk(), place, size, flags);
                }
                at += run;
            }
            Ok(())
        });
    }
}

/// Marks and events change nothing; no debugger of Vulkan's is told of them yet.
unsafe extern "C" fn set_marker(_this: *mut c_void, _metadata: u32, _data: *const c_void, _size: u32) {}

unsafe extern "C" fn end_event(_this: *mut c_void) {}
