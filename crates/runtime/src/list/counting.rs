//! Queries: timestamps, and any number of counts at a time, of which Vulkan counts one of a kind.
//!
//! Wherever a query begins or ends, what Vulkan counts is cut, so that a query is the sum of the parts between. Results go to
//! the heap's memory before a list resolves, and at its end. Invariants: while a kind has active queries, Vulkan counts for it;
//! a list waits only for queries that it has ended itself, so never for one of a list that is not executed.

use std::collections::HashSet;

use ash::vk;
use reprise_com::{Object, Ref};
use reprise_d3d12::types::{D3D12_QUERY_TYPE as Type, D3D12_RESOURCE_STATES as States};

use crate::list::barrier::scope;
use crate::list::kernels::{Images, push, rows};
use crate::list::recording::Recording;
use crate::query::QueryHeap;
use crate::{Error, Result};
use reprise_gpu::kernel::Kernel;
use reprise_gpu::query::Pool;
use reprise_gpu::scope::{Gathered, Scope};

/// Parts that one Vulkan pool has room for.
const ROOM: u32 = 64;
/// Kinds: occlusion, statistics of pipelines, and of each of four streams; timestamps.
const KINDS: usize = 7;

/// What Vulkan counts one of at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind(usize);

impl Kind {
    const STAMP: Kind = Kind(6);

    /// The kind of a query that counts.
    fn of(query: Type) -> Option<Kind> {
        Some(Kind(match query {
            Type::OCCLUSION | Type::BINARY_OCCLUSION => 0,
            Type::PIPELINE_STATISTICS => 1,
            Type(stream @ 4..=7) => stream as usize - 2,
            _ => return None,
        }))
    }

    fn vk(self) -> vk::QueryType {
        match self.0 {
            0 => vk::QueryType::OCCLUSION,
            1 => vk::QueryType::PIPELINE_STATISTICS,
            6 => vk::QueryType::TIMESTAMP,
            _ => vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT,
        }
    }

    fn stream(self) -> Option<u32> {
        (2..6).contains(&self.0).then(|| self.0 as u32 - 2)
    }
}

/// A Vulkan query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    pool: vk::QueryPool,
    slot: u32,
}

/// A query, and what Vulkan has counted of it so far.
#[derive(Debug)]
struct Query {
    heap: Ref<QueryHeap>,
    index: u32,
    precise: bool,
    parts: Vec<Part>,
}

impl Query {
    fn is(&self, heap: &Object<QueryHeap>, index: u32) -> bool {
        core::ptr::eq(&*self.heap, heap) && self.index == index
    }
}

/// The queries of a list.
#[derive(Debug, Default)]
pub(super) struct Counting {
    active: [Vec<Query>; KINDS],
    running: [Option<Part>; KINDS],
    /// The pool that a kind takes parts from, and how many it has given.
    pools: [Option<(vk::QueryPool, u32)>; KINDS],
    /// Ended, with results that are not in their heaps yet.
    ended: Vec<Query>,
    /// All pools, to be kept.
    pub(super) kept: Vec<Pool>,
}

impl Recording {
    /// `BeginQuery`.
    pub(super) fn begin_count(&mut self, heap: &Object<QueryHeap>, query: Type, index: u32) -> Result<()> {
        let kind = Kind::of(query).ok_or(Error::Invalid("BeginQuery: a query of this type only ends"))?;
        self.draws()?;
        if self.counting.active[kind.0].iter().any(|active| active.is(heap, index)) {
            return Err(Error::Invalid("BeginQuery: the query has begun"));
        }
        let precise = query == Type::OCCLUSION;
        self.cut(kind);
        self.counting.active[kind.0].push(Query { heap: heap.keep(), index, precise, parts: Vec::new() });
        self.count(kind)
    }

    /// `EndQuery`.
    pub(super) fn end_count(&mut self, heap: &Object<QueryHeap>, query: Type, index: u32) -> Result<()> {
        let kind = Kind::of(query).ok_or(Error::Invalid("EndQuery: a type that the API does not have"))?;
        let active = self.counting.active[kind.0].iter().position(|active| active.is(heap, index));
        let active = active.ok_or(Error::Invalid("EndQuery: the query has not begun"))?;
        self.cut(kind);
        let query = self.counting.active[kind.0].swap_remove(active);
        self.counting.ended.push(query);
        self.count(kind)
    }

    /// `EndQuery` of a timestamp.
    pub(super) fn stamp(&mut self, heap: &Object<QueryHeap>, index: u32) -> Result<()> {
        // Queues that only copy cannot give results.
        self.computes()?;
        // Vulkan resets outside of rendering.
        self.outside();
        let part = self.part(Kind::STAMP)?;
        // SAFETY: the query is reset, and its pool is kept.
        unsafe {
            let all = vk::PipelineStageFlags2::ALL_COMMANDS;
            self.device.vk.cmd_write_timestamp2(self.buffer, all, part.pool, part.slot);
        }
        self.counting.ended.push(Query { heap: heap.keep(), index, precise: false, parts: vec![part] });
        Ok(())
    }

    /// A Vulkan query of a kind that this list has not used yet, reset.
    fn part(&mut self, kind: Kind) -> Result<Part> {
        let (pool, slot) = match self.counting.pools[kind.0].filter(|(_, used)| *used < ROOM) {
            Some(found) => found,
            None => {
                let pool = Pool::new(&self.device, kind.vk(), ROOM)?;
                let made = pool.vk;
                self.counting.kept.push(pool);
                // SAFETY: the pool is kept; rendering has ended.
                unsafe { self.device.vk.cmd_reset_query_pool(self.buffer, made, 0, ROOM) };
                (made, 0)
            }
        };
        self.counting.pools[kind.0] = Some((pool, slot + 1));
        Ok(Part { pool, slot })
    }

    /// Ends what Vulkan counts.
    fn cut(&mut self, kind: Kind) {
        self.outside();
        let Some(part) = self.counting.running[kind.0].take() else { return };
        for query in &mut self.counting.active[kind.0] {
            query.parts.push(part);
        }
        // SAFETY: the query has begun in this command buffer, outside of rendering.
        unsafe {
            match (kind.stream(), &self.device.ext.transform_feedback) {
                (Some(stream), Some(extension)) => {
                    (extension.fp().cmd_end_query_indexed_ext)(self.buffer, part.pool, part.slot, stream);
                }
                _ => self.device.vk.cmd_end_query(self.buffer, part.pool, part.slot),
            }
        }
    }

    /// Lets Vulkan count, if a query is active.
    fn count(&mut self, kind: Kind) -> Result<()> {
        let active = &self.counting.active[kind.0];
        if active.is_empty() {
            return Ok(());
        }
        let precise = match active.iter().any(|query| query.precise) {
            true => vk::QueryControlFlags::PRECISE,
            false => vk::QueryControlFlags::empty(),
        };
        let Part { pool, slot } = self.part(kind)?;
        self.counting.running[kind.0] = Some(Part { pool, slot });
        // SAFETY: the query is reset, and no other of its kind is active.
        unsafe {
            match (kind.stream(), &self.device.ext.transform_feedback) {
                (Some(stream), Some(extension)) => {
                    (extension.fp().cmd_begin_query_indexed_ext)(self.buffer, pool, slot, precise, stream);
                }
                _ => self.device.vk.cmd_begin_query(self.buffer, pool, slot, precise),
            }
        }
        Ok(())
    }

    /// At the end of a list: queries that are still active never end.
    pub(super) fn finish_counts(&mut self) -> Result<()> {
        for kind in 0..KINDS {
            if !self.counting.active[kind].is_empty() {
                self.cut(Kind(kind));
                self.counting.active[kind].clear();
            }
        }
        self.store_counts()
    }

    /// Brings the results of ended queries into their heaps, where transfers see them.
    pub(super) fn store_counts(&mut self) -> Result<()> {
        let ended = last_of_each(core::mem::take(&mut self.counting.ended));
        let mut sums = Vec::new();
        let mut at = 0;
        while let Some(query) = ended.get(at) {
            let results = &query.heap.results;
            let size = query.heap.size();
            let place = results.offset + u64::from(query.index) * size;
            let mut run = 1;
            if let [only] = query.parts[..] {
                // Neighbours that lie side by side in pool and heap.
                run = 1 + ended[at + 1..]
                    .iter()
                    .zip(1..)
                    .take_while(|(next, step)| {
                        let part = Part { slot: only.slot + step, ..only };
                        next.is(&query.heap, query.index + step) && next.parts == [part]
                    })
                    .count();
                self.copy_counts(only, run as u32, (results.allocation.buffer, place), size);
            } else {
                let scratch = self.scratch(size * query.parts.len() as u64)?;
                for (part, number) in query.parts.iter().zip(0u64..) {
                    self.copy_counts(*part, 1, (scratch.buffer, scratch.offset + number * size), size);
                }
                let parts = query.parts.len() as u32;
                sums.push((scratch.address, results.address() + u64::from(query.index) * size, size / 8, parts));
            }
            at += run;
        }
        if !sums.is_empty() {
            let (copies, shaders) = (scope(States::COPY_DEST), scope(States::UNORDERED_ACCESS));
            self.barriers(&Gathered { before: copies, after: shaders });
            for (from, to, words, parts) in sums {
                self.gather(from, to, words as u32, parts, false)?;
            }
            self.barriers(&Gathered { before: shaders, after: copies });
        }
        Ok(())
    }

    fn copy_counts(&mut self, from: Part, count: u32, to: (vk::Buffer, u64), size: u64) {
        self.transfer();
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        let vk = &self.device.vk;
        // SAFETY: the queries have ended in this command buffer; the results fit.
        unsafe { vk.cmd_copy_query_pool_results(self.buffer, from.pool, from.slot, count, to.0, to.1, size, flags) };
    }

    /// Adds counts up, whatever the predicate says; the caller has the barriers.
    pub(super) fn gather(&mut self, from: u64, to: u64, sums: u32, parts: u32, binary: bool) -> Result<()> {
        let half = |address: u64| [address as u32, (address >> 32) as u32];
        let ([a, b], [c, d]) = (half(from), half(to));
        let block = push([a, b, c, d, sums, parts, binary.into()]);
        let paused = self.pause_predication();
        self.run(Kernel::Gather, Images::default(), &block, rows(sums.into()))?;
        self.resume_predication(paused);
        Ok(())
    }

    /// `ResolveQueryData` of counts: from a heap's memory to a program's buffer.
    pub(super) fn resolve_counts(
        &mut self,
        from: (vk::Buffer, u64, u64),
        to: (vk::Buffer, u64, u64),
        size: u64,
        binary: bool,
    ) -> Result<()> {
        self.store_counts()?;
        let (copies, shaders) = (scope(States::COPY_DEST), scope(States::UNORDERED_ACCESS));
        if binary {
            self.barriers(&Gathered { before: Scope::ALL, after: shaders });
            self.gather(from.2, to.2, (size / 8) as u32, 1, true)?;
            self.barriers(&Gathered { before: shaders, after: copies });
            return Ok(());
        }
        self.transfer();
        let region = [vk::BufferCopy::default().src_offset(from.1).dst_offset(to.1).size(size)];
        // SAFETY: the recording keeps the heap, the program its buffer; the region lies inside of both.
        unsafe { self.device.vk.cmd_copy_buffer(self.buffer, from.0, to.0, &region) };
        Ok(())
    }
}

/// What a query that was used several times had last, in order.
fn last_of_each(mut ended: Vec<Query>) -> Vec<Query> {
    let mut seen = HashSet::with_capacity(ended.len());
    ended.reverse();
    ended.retain(|query| seen.insert((core::ptr::from_ref::<Object<QueryHeap>>(&query.heap), query.index)));
    ended.reverse();
    ended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_kinds_of_their_own() {
        assert_eq!(Kind::of(Type::OCCLUSION), Kind::of(Type::BINARY_OCCLUSION));
        assert_eq!(Kind::of(Type::TIMESTAMP), None);
        let streams = [
            Type::SO_STATISTICS_STREAM0,
            Type::SO_STATISTICS_STREAM1,
            Type::SO_STATISTICS_STREAM2,
            Type::SO_STATISTICS_STREAM3,
        ];
        for (stream, number) in streams.into_iter().zip(0..) {
            assert_eq!(Kind::of(stream).and_then(Kind::stream), Some(number));
        }
        assert_eq!(Kind::of(Type::PIPELINE_STATISTICS).and_then(Kind::stream), None);
    }
}
