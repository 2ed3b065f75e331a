//! Queries of the driver's counters ([`reprise_d3d12::counters`]).
//!
//! They begin and end outside of rendering, as Vulkan demands of counters of render passes, so an operation between them has a rendering of its own.
//! Invariant: a query that begins ends in the same command buffer.

use ash::vk;

use crate::list::recording::Recording;
use crate::query::QueryHeap;
use crate::{Error, Result};

impl Recording {
    /// `BeginQuery` of a heap that counts so.
    pub(super) fn begin_counters(&mut self, heap: &QueryHeap, index: u32) -> Result<()> {
        self.draws()?;
        let pool = heap.counters.as_ref().ok_or(Error::Call("BeginQuery: a heap without counters"))?;
        if self.counting.counters_open.is_some() {
            return Err(Error::Call("BeginQuery: counters of the driver are counted already"));
        }
        let first = *self.counting.counters_pool.get_or_insert(pool.handle());
        // Where a command buffer has room for one pool, those of others stay without results, which is told.
        if first != pool.handle() && !pool.allows_several() {
            return Ok(());
        }
        self.encoder.outside();
        let (buffer, flags) = (self.encoder.buffer, vk::QueryControlFlags::empty());
        self.counting.counters_open = Some((pool.handle(), index));
        // SAFETY: the query is reset, the list is recorded for the family of the counters, and none of the kind is open.
        unsafe { self.encoder.logical.vk.cmd_begin_query(buffer, pool.handle(), index, flags) };
        Ok(())
    }

    /// `EndQuery` of it.
    pub(super) fn end_counters(&mut self, heap: &QueryHeap, index: u32) -> Result<()> {
        let pool = heap.counters.as_ref().ok_or(Error::Call("EndQuery: a heap without counters"))?;
        if self.counting.counters_open != Some((pool.handle(), index)) {
            return Ok(());
        }
        self.end_open_counters();
        Ok(())
    }

    /// At the end of a list: what is still counted has no result.
    pub(super) fn end_open_counters(&mut self) {
        let Some((pool, index)) = self.counting.counters_open.take() else { return };
        self.encoder.outside();
        // SAFETY: the query has begun in this command buffer, outside of rendering.
        unsafe { self.encoder.logical.vk.cmd_end_query(self.encoder.buffer, pool, index) };
    }
}
