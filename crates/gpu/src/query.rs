//! Query pools.

use std::sync::Arc;

use ash::vk;

use crate::error::Result;
use crate::logical::Logical;

/// A Vulkan query pool.
#[derive(Debug)]
pub struct Pool {
    logical: Arc<Logical>,
    /// The pool.
    pub vk: vk::QueryPool,
}

impl Pool {
    /// A pool of so many queries of a kind that counts one thing.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn new(logical: &Arc<Logical>, kind: vk::QueryType, count: u32) -> Result<Pool> {
        Pool::counting(logical, kind, vk::QueryPipelineStatisticFlags::empty(), count)
    }

    /// A pool of so many queries of a kind. `statistics`: what queries of pipelines count; nothing for those of other kinds.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn counting(
        logical: &Arc<Logical>,
        kind: vk::QueryType,
        statistics: vk::QueryPipelineStatisticFlags,
        count: u32,
    ) -> Result<Pool> {
        let info =
            vk::QueryPoolCreateInfo::default().query_count(count).query_type(kind).pipeline_statistics(statistics);
        // SAFETY: the structure lives until the call returns.
        let pool = unsafe { logical.vk.create_query_pool(&info, None) };
        Ok(Pool { logical: logical.clone(), vk: logical.check("vkCreateQueryPool", pool)? })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: recordings hold the pools that they use.
        unsafe { self.logical.vk.destroy_query_pool(self.vk, None) };
    }
}
