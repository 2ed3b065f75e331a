//! Pools of queries of these counters, and their results. A pool below, of another kind, gives each its handle.

use std::ffi::c_void;

use ash::vk;
use reprise_environment::counting::LIE;
use reprise_layer::next;

use crate::find;
use crate::offered::{self, ALL};
use crate::tally::{Pool, state};

find! {
    c"vkCreateQueryPool" => create: vk::PFN_vkCreateQueryPool,
    c"vkDestroyQueryPool" => destroy: vk::PFN_vkDestroyQueryPool,
    c"vkResetQueryPool" => reset: vk::PFN_vkResetQueryPool,
    c"vkResetQueryPoolEXT" => reset: vk::PFN_vkResetQueryPool,
    c"vkGetQueryPoolResults" => results: vk::PFN_vkGetQueryPoolResults,
}

unsafe extern "system" fn create(
    device: vk::Device,
    info: *const vk::QueryPoolCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    made: *mut vk::QueryPool,
) -> vk::Result {
    // SAFETY: the type of the function.
    let below = unsafe { next::command::<vk::PFN_vkCreateQueryPool>(device, &[c"vkCreateQueryPool"]) };
    let Some(below) = below else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: the program's structure.
    let asked = unsafe { &*info };
    if asked.query_type != vk::QueryType::PERFORMANCE_QUERY_KHR {
        // SAFETY: the arguments of this call.
        return unsafe { below(device, info, allocator, made) };
    }
    let mut counters = Vec::new();
    let mut at = asked.p_next.cast::<vk::BaseInStructure<'_>>();
    // SAFETY: structures of a chain begin with their kind and the next one; this one has so many indices.
    unsafe {
        while let Some(structure) = at.as_ref() {
            if structure.s_type == vk::StructureType::QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR {
                let own = &*at.cast::<vk::QueryPoolPerformanceCreateInfoKHR<'_>>();
                counters = std::slice::from_raw_parts(own.p_counter_indices, own.counter_index_count as usize).to_vec();
            }
            at = structure.p_next;
        }
    }
    let count = asked.query_count;
    let other = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::OCCLUSION).query_count(count);
    // SAFETY: a structure of ours, and the other arguments of this call.
    let result = unsafe { below(device, &raw const other, allocator, made) };
    if result == vk::Result::SUCCESS {
        let mut state = state();
        if counters.is_empty() || counters.iter().any(|counter| *counter as usize >= ALL.len()) {
            state.broke("a pool of counters that are not there");
        }
        if offered::passes(&counters) != 1 {
            state.broke("a pool of several passes, which are not submitted");
        }
        let pool = Pool { counters, results: vec![None; count as usize], is_reset: vec![false; count as usize] };
        // SAFETY: the pool was made.
        state.pools.insert(unsafe { *made }, pool);
    }
    result
}

unsafe extern "system" fn destroy(
    device: vk::Device,
    pool: vk::QueryPool,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    state().pools.remove(&pool);
    // SAFETY: the type of the function, and the arguments of this call.
    unsafe {
        if let Some(below) = next::command::<vk::PFN_vkDestroyQueryPool>(device, &[c"vkDestroyQueryPool"]) {
            below(device, pool, allocator);
        }
    }
}

unsafe extern "system" fn reset(device: vk::Device, pool: vk::QueryPool, first: u32, count: u32) {
    if let Some(pool) = state().pools.get_mut(&pool) {
        for at in first as usize..(first as usize + count as usize).min(pool.results.len()) {
            (pool.results[at], pool.is_reset[at]) = (None, true);
        }
        return;
    }
    // SAFETY: the type of the function, and the arguments of this call.
    unsafe {
        let names = [c"vkResetQueryPool", c"vkResetQueryPoolEXT"];
        if let Some(below) = next::command::<vk::PFN_vkResetQueryPool>(device, &names) {
            below(device, pool, first, count);
        }
    }
}

unsafe extern "system" fn results(
    device: vk::Device,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    bytes: usize,
    to: *mut c_void,
    stride: u64,
    flags: vk::QueryResultFlags,
) -> vk::Result {
    let mut state = state();
    let Some(own) = state.pools.get(&pool) else {
        drop(state);
        // SAFETY: the type of the function, and the arguments of this call.
        return unsafe {
            match next::command::<vk::PFN_vkGetQueryPoolResults>(device, &[c"vkGetQueryPoolResults"]) {
                Some(below) => below(device, pool, first, count, bytes, to, stride, flags),
                None => vk::Result::ERROR_INITIALIZATION_FAILED,
            }
        };
    };
    let lie = u64::from(std::env::var_os(LIE).is_some_and(|text| text == "1"));
    let size = own.counters.len() * 8;
    let all = first as usize..first as usize + count as usize;
    let fits = all.end <= own.results.len()
        && (count as usize).saturating_mul(stride as usize) <= bytes
        && stride as usize >= size;
    let found: Option<Vec<Vec<u64>>> = own
        .results
        .get(all)
        .into_iter()
        .flatten()
        .map(|result| {
            let mut tally = (*result)?;
            tally.draws += lie;
            Some(own.counters.iter().map(|counter| (ALL[*counter as usize].value)(&tally)).collect())
        })
        .collect();
    if !vk::QueryResultFlags::WAIT.contains(flags) {
        state.broke("results of counters are asked for with flags that they do not have");
    }
    if !fits {
        state.broke("results of counters have no room");
        return vk::Result::NOT_READY;
    }
    let Some(found) = found else { return vk::Result::NOT_READY };
    for (at, words) in found.iter().enumerate() {
        // SAFETY: the program has so many bytes, as was looked at.
        unsafe { to.cast::<u8>().add(at * stride as usize).copy_from_nonoverlapping(words.as_ptr().cast(), size) };
    }
    vk::Result::SUCCESS
}
