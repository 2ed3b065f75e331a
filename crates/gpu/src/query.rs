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
    /// A pool of so many queries of a kind.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn new(logical: &Arc<Logical>, kind: vk::QueryType, count: u32) -> Result<Pool> {
        let mut info = vk::QueryPoolCreateInfo::default().query_count(count).query_type(kind);
        if kind == vk::QueryType::PIPELINE_STATISTICS {
            info.pipeline_statistics = STATISTICS;
        }
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

/// All counts of pipelines, in the order that Vulkan and the API share.
const STATISTICS: vk::QueryPipelineStatisticFlags = vk::QueryPipelineStatisticFlags::from_raw(0x7ff);
