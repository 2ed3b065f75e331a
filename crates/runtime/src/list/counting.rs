//! Queries: timestamps, and any number of counts at a time. Vulkan counts one of a sort at a time.
//!
//! Wherever a query begins or ends, Vulkan's query ends and another begins, so that each query is a sum of parts. Results go to the
//! heap's memory before a list resolves, and at its end. Invariants: while queries of a sort are active, Vulkan counts for them; a
//! list waits only for queries that it ended itself, so never for one of a list that is not executed.

use ash::vk;
use reprise_com::Object;
use reprise_d3d12::types::{
    D3D12_COMMAND_LIST_TYPE, D3D12_QUERY_HEAP_TYPE, D3D12_QUERY_TYPE as Type, D3D12_RESOURCE_STATES as States,
};

use crate::list::barrier::scope;
use crate::list::query_state::{COUNTERS, Counter, Part, Query, ROOM, Run, last_of_each};
use crate::list::recording::Recording;
use crate::query::QueryHeap;
use crate::{Error, Result};
use reprise_gpu::encoder::{Images, push, rows};
use reprise_gpu::kernel::Kernel;
use reprise_gpu::query::Pool;
use reprise_gpu::scope::{Gathered, Scope};

impl Recording {
    /// `BeginQuery`.
    pub(super) fn begin_count(&mut self, heap: &Object<QueryHeap>, query: Type, index: u32) -> Result<()> {
        let kinds = Counter::of(query);
        if kinds.is_empty() {
            return Err(Error::Call("BeginQuery: a query of this type only ends"));
        }
        self.draws()?;
        let active = |kind: &Counter| self.counting.active[kind.0].iter().any(|active| active.is(heap, index));
        if kinds.iter().any(active) {
            return Err(Error::Call("BeginQuery: the query has begun"));
        }
        let precise = query == Type::OCCLUSION;
        for kind in kinds {
            self.cut(*kind);
            self.counting.active[kind.0].push(Query { heap: heap.keep(), index, precise, parts: Vec::new() });
            self.count(*kind)?;
        }
        Ok(())
    }

    /// `EndQuery`.
    pub(super) fn end_count(&mut self, heap: &Object<QueryHeap>, query: Type, index: u32) -> Result<()> {
        let mut whole: Option<Query> = None;
        for kind in Counter::of(query) {
            let active = self.counting.active[kind.0].iter().position(|active| active.is(heap, index));
            let active = active.ok_or(Error::Call("EndQuery: the query has not begun"))?;
            self.cut(*kind);
            let query = self.counting.active[kind.0].swap_remove(active);
            match &mut whole {
                None => whole = Some(query),
                Some(whole) => whole.parts.extend(query.parts),
            }
            self.count(*kind)?;
        }
        let query = whole.ok_or(Error::Call("EndQuery: a type that the API does not have"))?;
        self.counting.ended.push(query);
        Ok(())
    }

    /// What is drawn next comes from mesh shaders, or from vertex shaders: queries count the stages that there are.
    pub(super) fn count_stages(&mut self, meshes: bool) -> Result<()> {
        if self.counting.meshes == meshes {
            return Ok(());
        }
        for kind in [Counter::STATISTICS, Counter::PRIMITIVES] {
            if !self.counting.active[kind.0].is_empty() {
                self.cut(kind);
            }
        }
        self.counting.meshes = meshes;
        self.count(Counter::STATISTICS)?;
        self.count(Counter::PRIMITIVES)
    }

    /// Does what is no work of the program's: queries of statistics do not count its shaders.
    pub(super) fn uncounted(&mut self, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.counting.running[Counter::STATISTICS.0].is_none() {
            return work(self);
        }
        self.cut(Counter::STATISTICS);
        let done = work(self);
        self.count(Counter::STATISTICS)?;
        done
    }

    /// `EndQuery` of a timestamp.
    pub(super) fn stamp(&mut self, heap: &Object<QueryHeap>, index: u32) -> Result<()> {
        // Heaps for copy queues were refused where those cannot give results.
        let on_copies = self.kind == D3D12_COMMAND_LIST_TYPE::COPY;
        if on_copies != (heap.kind == D3D12_QUERY_HEAP_TYPE::COPY_QUEUE_TIMESTAMP) {
            return Err(Error::Invalid(
                "a timestamp of a copy list in another heap, or of another list in a copy queue's",
            ));
        }
        let Some(part) = self.part(Counter::STAMP)? else { return Ok(()) };
        // Within rendering nothing waits; outside of it, clears come before the stamp.
        if self.encoder.has_clears() {
            self.encoder.outside();
        }
        // SAFETY: the query is reset, and its pool is kept.
        unsafe {
            let all = vk::PipelineStageFlags2::ALL_COMMANDS;
            self.encoder.logical.vk.cmd_write_timestamp2(self.encoder.buffer, all, part.pool, part.slot);
        }
        self.counting.ended.push(Query { heap: heap.keep(), index, precise: false, parts: vec![part] });
        Ok(())
    }

    /// A Vulkan query of a kind that this list has not used yet, reset. `None` where nothing can be counted.
    fn part(&mut self, kind: Counter) -> Result<Option<Part>> {
        let meshes = self.counting.meshes;
        let queries = self.encoder.device.caps.features.mesh.mesh_shader_queries != 0;
        let Some(counts) = kind.counts(meshes, queries) else { return Ok(None) };
        let (pool, slot) = match self.counting.pools[usize::from(meshes)][kind.0].filter(|(_, used)| *used < ROOM) {
            Some(found) => found,
            None => {
                // Vulkan resets outside of rendering.
                self.encoder.outside();
                let pool = Pool::counting(&self.encoder.device, kind.vk(), counts.statistics, ROOM)?;
                let made = pool.vk;
                self.counting.kept.push(pool);
                // SAFETY: the pool is kept; rendering has ended.
                unsafe { self.encoder.logical.vk.cmd_reset_query_pool(self.encoder.buffer, made, 0, ROOM) };
                (made, 0)
            }
        };
        self.counting.pools[usize::from(meshes)][kind.0] = Some((pool, slot + 1));
        Ok(Some(Part { pool, slot, counts }))
    }

    /// Ends what Vulkan counts.
    fn cut(&mut self, kind: Counter) {
        self.encoder.outside();
        let Some(part) = self.counting.running[kind.0].take() else { return };
        for query in &mut self.counting.active[kind.0] {
            query.parts.push(part);
        }
        // SAFETY: the query has begun in this command buffer, outside of rendering.
        unsafe {
            match (kind.stream(), &self.encoder.device.ext.transform_feedback) {
                (Some(stream), Some(extension)) => {
                    (extension.fp().cmd_end_query_indexed_ext)(self.encoder.buffer, part.pool, part.slot, stream);
                }
                _ => self.encoder.logical.vk.cmd_end_query(self.encoder.buffer, part.pool, part.slot),
            }
        }
    }

    /// Lets Vulkan count, if a query is active.
    fn count(&mut self, kind: Counter) -> Result<()> {
        let active = &self.counting.active[kind.0];
        if active.is_empty() {
            return Ok(());
        }
        let precise = match active.iter().any(|query| query.precise) {
            true => vk::QueryControlFlags::PRECISE,
            false => vk::QueryControlFlags::empty(),
        };
        let Some(part) = self.part(kind)? else { return Ok(()) };
        self.counting.running[kind.0] = Some(part);
        let Part { pool, slot, .. } = part;
        // SAFETY: the query is reset, and no other of its kind is active.
        unsafe {
            match (kind.stream(), &self.encoder.device.ext.transform_feedback) {
                (Some(stream), Some(extension)) => {
                    (extension.fp().cmd_begin_query_indexed_ext)(self.encoder.buffer, pool, slot, precise, stream);
                }
                _ => self.encoder.logical.vk.cmd_begin_query(self.encoder.buffer, pool, slot, precise),
            }
        }
        Ok(())
    }

    /// At the end of a list: queries that are still active never end.
    pub(super) fn finish_counts(&mut self) -> Result<()> {
        self.end_open_counters();
        for kind in 0..COUNTERS {
            if !self.counting.active[kind].is_empty() {
                self.cut(Counter(kind));
                self.counting.active[kind].clear();
            }
        }
        self.store_counts()
    }

    /// Brings the results of ended queries into their heaps, where transfers see them.
    pub(super) fn store_counts(&mut self) -> Result<()> {
        if self.counting.ended.is_empty() {
            return Ok(());
        }
        let ended = last_of_each(core::mem::take(&mut self.counting.ended));
        let mut sums = Vec::new();
        let mut at = 0;
        while let Some(query) = ended.get(at) {
            let results = &query.heap.results;
            let size = query.heap.size();
            let place = results.offset + u64::from(query.index) * size;
            let mut run = 1;
            if let [only] = query.parts[..]
                && only.is_whole(size / 8)
            {
                // Neighbours that lie side by side in pool and heap.
                run = 1 + ended[at + 1..]
                    .iter()
                    .zip(1..)
                    .take_while(|(next, step)| {
                        let part = Part { slot: only.slot + step, ..only };
                        next.is(&query.heap, query.index + step) && next.parts == [part]
                    })
                    .count();
                self.copy_counts(only, run as u32, (results.allocation().buffer, place), size);
            } else {
                let scratch = self.encoder.scratch(size * query.parts.len() as u64)?;
                for (part, number) in query.parts.iter().zip(0u64..) {
                    let place = (scratch.buffer, scratch.offset + number * size);
                    match part.is_whole(size / 8) {
                        true => self.copy_counts(*part, 1, place, size),
                        false => self.spread_counts(*part, place, size)?,
                    }
                }
                let parts = query.parts.len() as u32;
                sums.push((scratch.address, results.address() + u64::from(query.index) * size, size / 8, parts));
            }
            at += run;
        }
        if !sums.is_empty() {
            let (copies, shaders) = (scope(States::COPY_DEST), scope(States::UNORDERED_ACCESS));
            self.encoder.barriers(&Gathered { before: copies, after: shaders });
            for (from, to, words, parts) in sums {
                self.gather(from, to, words as u32, parts, false)?;
            }
            self.encoder.barriers(&Gathered { before: shaders, after: copies });
        }
        Ok(())
    }

    fn copy_counts(&mut self, from: Part, count: u32, to: (vk::Buffer, u64), size: u64) {
        self.encoder.transfer();
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        let vk = &self.encoder.logical.vk;
        // SAFETY: the queries have ended in this command buffer; the results fit.
        unsafe {
            vk.cmd_copy_query_pool_results(self.encoder.buffer, from.pool, from.slot, count, to.0, to.1, size, flags)
        };
    }

    /// Brings a result to its places among the API's words; the others are zero.
    fn spread_counts(&mut self, from: Part, to: (vk::Buffer, u64), size: u64) -> Result<()> {
        let bytes = 8 * from.counts.words();
        let own = self.encoder.scratch(bytes)?;
        self.copy_counts(from, 1, (own.buffer, own.offset), bytes);
        self.encoder.transfer();
        // SAFETY: the list's own memory.
        unsafe { self.encoder.logical.vk.cmd_fill_buffer(self.encoder.buffer, to.0, to.1, size, 0) };
        // Heaps of the older type end before mesh shaders.
        let inside = |Run(_, place, count): &Run| (size / 8).saturating_sub(*place).min(*count);
        let region = |run: &Run| {
            let Run(first, place, _) = run;
            vk::BufferCopy { src_offset: own.offset + 8 * first, dst_offset: to.1 + 8 * place, size: 8 * inside(run) }
        };
        let regions: Vec<_> = from.counts.runs.iter().map(region).filter(|region| region.size != 0).collect();
        self.encoder.transfer();
        // SAFETY: the list's own memory; the regions lie inside of it and apart from each other.
        unsafe { self.encoder.logical.vk.cmd_copy_buffer(self.encoder.buffer, own.buffer, to.0, &regions) };
        Ok(())
    }

    /// Adds counts up, whatever the predicate says; the caller has the barriers.
    pub(super) fn gather(&mut self, from: u64, to: u64, sums: u32, parts: u32, binary: bool) -> Result<()> {
        let half = |address: u64| [address as u32, (address >> 32) as u32];
        let ([a, b], [c, d]) = (half(from), half(to));
        let block = push([a, b, c, d, sums, parts, binary.into()]);
        let paused = self.encoder.pause_predication();
        self.run(Kernel::Gather, Images::default(), &block, rows(sums.into()))?;
        self.encoder.resume_predication(paused);
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
            self.encoder.barriers(&Gathered { before: Scope::ALL, after: shaders });
            self.gather(from.2, to.2, (size / 8) as u32, 1, true)?;
            self.encoder.barriers(&Gathered { before: shaders, after: copies });
            return Ok(());
        }
        self.encoder.transfer();
        let region = [vk::BufferCopy::default().src_offset(from.1).dst_offset(to.1).size(size)];
        // SAFETY: the recording keeps the heap, the program its buffer; the region lies inside of both.
        unsafe { self.encoder.logical.vk.cmd_copy_buffer(self.encoder.buffer, from.0, to.0, &region) };
        Ok(())
    }
}
