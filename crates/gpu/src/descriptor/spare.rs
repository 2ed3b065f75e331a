//! Descriptor sets that are used again.

use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;

use crate::caps::takes_room_of_layouts;
use crate::logical::Logical;

/// Sets of heaps that are gone, for heaps to come. Lavapipe gives every set the size of its layout, whatever count is asked
/// for, and fills it with zeros: hundreds of megabytes each time. Other drivers make sets of the size asked for, and keep
/// none here.
#[derive(Debug)]
pub(crate) struct Spare {
    logical: Arc<Logical>,
    keeps: bool,
    kept: Mutex<Vec<(bool, vk::DescriptorPool, Vec<vk::DescriptorSet>)>>,
}

impl Spare {
    /// Nothing is kept yet.
    pub(crate) fn new(logical: &Arc<Logical>) -> Spare {
        let keeps = takes_room_of_layouts(logical.caps.driver);
        Spare { logical: logical.clone(), keeps, kept: Mutex::default() }
    }

    /// Whether sets are kept at all.
    pub(super) fn keeps(&self) -> bool {
        self.keeps
    }

    /// Sets that were kept.
    pub(super) fn take(&self, samplers: bool) -> Option<(vk::DescriptorPool, Vec<vk::DescriptorSet>)> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|sets| sets.0 == samplers)?;
        let (_, pool, sets) = kept.swap_remove(at);
        Some((pool, sets))
    }

    /// Keeps the sets, or gives the pool back, which the caller destroys.
    pub(super) fn give(
        &self,
        samplers: bool,
        pool: vk::DescriptorPool,
        sets: Vec<vk::DescriptorSet>,
    ) -> vk::DescriptorPool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.keeps || sets.is_empty() || kept.iter().any(|sets| sets.0 == samplers) {
            return pool;
        }
        kept.push((samplers, pool, sets));
        vk::DescriptorPool::null()
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        for (_, pool, _) in self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: made by this device; the heaps that used the sets are gone.
            unsafe { self.logical.vk.destroy_descriptor_pool(pool, None) };
        }
    }
}
