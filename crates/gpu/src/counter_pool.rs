//! Queries of the driver's counters that the process asks for ([`crate::counters`]).

use std::sync::Arc;

use ash::vk;

use crate::error::{Error, Result};
use crate::logical::Logical;

/// Queries of the counters that the process asks for.
#[derive(Debug)]
pub struct CounterPool {
    logical: Arc<Logical>,
    vk: vk::QueryPool,
    count: u32,
}

impl CounterPool {
    /// So many queries, all reset.
    ///
    /// # Errors
    /// The process asked for no counters, or the device is out of memory.
    pub fn new(logical: &Arc<Logical>, count: u32) -> Result<CounterPool> {
        let counters = &logical.instance.settings.counters;
        if counters.is_empty() || logical.profiling.is_none() {
            return Err(Error::Device("counters of the driver were not asked for when the device was made".into()));
        }
        let mut own = vk::QueryPoolPerformanceCreateInfoKHR::default()
            .queue_family_index(logical.families.graphics.index)
            .counter_indices(counters);
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::PERFORMANCE_QUERY_KHR)
            .query_count(count)
            .push_next(&mut own);
        // SAFETY: the structures live until the call returns; the counters are the family's, or making the device would have failed.
        let pool = unsafe { logical.vk.create_query_pool(&info, None) };
        let vk = logical.check("vkCreateQueryPool", pool)?;
        let pool = CounterPool { logical: logical.clone(), vk, count };
        pool.reset();
        Ok(pool)
    }

    /// Whether a command buffer that has queries of one pool may have some of another.
    pub fn allows_several(&self) -> bool {
        self.logical.caps.features.counters.performance_counter_multiple_query_pools != 0
    }

    /// The pool.
    pub fn handle(&self) -> vk::QueryPool {
        self.vk
    }

    /// Makes all queries ready to be begun again. No work that has them is under way.
    pub fn reset(&self) {
        // SAFETY: the pool has so many queries, and the device resets them from the CPU (`host_query_reset` is required).
        unsafe { self.logical.vk.reset_query_pool(self.vk, 0, self.count) };
    }

    /// The results of each query, of work that is done: a word for each counter, or nothing of a query that no work ended since the reset.
    ///
    /// # Errors
    /// Vulkan fails.
    pub fn read(&self) -> Result<Vec<Option<Vec<u64>>>> {
        let counters = self.logical.instance.settings.counters.len();
        let one = |query: u32| {
            let mut words = vec![[0u64]; counters];
            // All counters of a query are one element: as many bytes as its stride.
            let functions = &self.logical.vk;
            let (bytes, room) = (counters * 8, words.as_mut_ptr().cast());
            // SAFETY: the query is the pool's, and there is room for its result; a performance query takes no flags but to wait, and what is done
            // needs no wait.
            let result = unsafe {
                (functions.fp_v1_0().get_query_pool_results)(
                    functions.handle(),
                    self.vk,
                    query,
                    1,
                    bytes,
                    room,
                    bytes as u64,
                    vk::QueryResultFlags::empty(),
                )
            };
            match result {
                vk::Result::SUCCESS => Ok(Some(words.into_iter().map(|[word]| word).collect())),
                vk::Result::NOT_READY => Ok(None),
                error => self.logical.check("vkGetQueryPoolResults", Err(error)),
            }
        };
        (0..self.count).map(one).collect()
    }
}

impl Drop for CounterPool {
    fn drop(&mut self) {
        // SAFETY: recordings hold the heaps whose pools they use.
        unsafe { self.logical.vk.destroy_query_pool(self.vk, None) };
    }
}
