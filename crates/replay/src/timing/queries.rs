//! Queries for time stamps and counts, and the memory that their values are copied to.
//!
//! Invariant: what the GPU may still write or read is not released: heaps and buffers are used again, and left to the end of the process.

use std::collections::HashMap;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_QUERY_DATA_PIPELINE_STATISTICS, D3D12_QUERY_HEAP_DESC, D3D12_QUERY_HEAP_TYPE, D3D12_QUERY_TYPE,
};
use reprise_d3d12::{counters, interface, method};

use crate::runtime::Runtime;
use crate::runtime::replay_objects::{create, mapped, readback_buffer};

/// Queries of one heap.
const CHUNK: u32 = 512;

/// What queries ask for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum What {
    /// When everything before is done.
    Stamp,
    /// The same on copy queues, which have queries of their own.
    CopyStamp,
    /// What stages of the pipeline count.
    Statistics,
    /// Samples that pass all tests.
    Occlusion,
    /// What counters of the driver count: of our runtime alone.
    Driver,
}

impl What {
    fn heap(self) -> D3D12_QUERY_HEAP_TYPE {
        match self {
            What::Stamp => D3D12_QUERY_HEAP_TYPE::TIMESTAMP,
            What::CopyStamp => D3D12_QUERY_HEAP_TYPE::COPY_QUEUE_TIMESTAMP,
            What::Statistics => D3D12_QUERY_HEAP_TYPE::PIPELINE_STATISTICS,
            What::Occlusion => D3D12_QUERY_HEAP_TYPE::OCCLUSION,
            What::Driver => counters::HEAP,
        }
    }

    fn query(self) -> D3D12_QUERY_TYPE {
        match self {
            What::Stamp | What::CopyStamp => D3D12_QUERY_TYPE::TIMESTAMP,
            What::Statistics => D3D12_QUERY_TYPE::PIPELINE_STATISTICS,
            What::Occlusion => D3D12_QUERY_TYPE::OCCLUSION,
            What::Driver => counters::QUERY,
        }
    }

    /// Words of 8 bytes that a query has.
    pub(crate) fn words(self) -> usize {
        match self {
            What::Statistics => size_of::<D3D12_QUERY_DATA_PIPELINE_STATISTICS>() / 8,
            _ => 1,
        }
    }

    fn bytes(self) -> u64 {
        self.words() as u64 * 8
    }
}

/// A query heap, and a buffer for its values: none (0) of the driver's counters, which the heap keeps. Both pointers are references held.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    heap: u64,
    values: u64,
}

impl Chunk {
    fn reset_driver(&self, runtime: &Runtime) {
        const SET: MethodId = method("ID3D12Object", "SetPrivateData");
        // SAFETY: the heap is a reference held; an id, and no bytes.
        unsafe { runtime.call(self.heap, SET, &[(&raw const counters::ID) as u64, 0, 0]) };
    }
}

/// What a chunk is for: the device, and what is asked.
type Kind = (u64, What);

/// Chunks that no submission writes.
#[derive(Default)]
pub(crate) struct Pool(HashMap<Kind, Vec<Chunk>>);

/// The queries of one kind in one recording of a list.
#[derive(Debug)]
pub(crate) struct Queries {
    kind: Kind,
    chunks: Vec<Chunk>,
    used: u32,
}

impl Queries {
    pub(crate) fn new(device: u64, what: What) -> Self {
        Self { kind: (device, what), chunks: Vec::new(), used: 0 }
    }

    /// Records that counting begins; with [`Queries::end`] it ends.
    ///
    /// # Errors
    /// The device gives no queries.
    ///
    /// # Safety
    /// As [`Queries::end`]; the list has no query of this kind open.
    pub(crate) unsafe fn begin(&mut self, pool: &mut Pool, runtime: &Runtime, list: u64) -> Result<(), String> {
        const BEGIN: MethodId = method("ID3D12GraphicsCommandList", "BeginQuery");
        let words = self.next(pool, runtime)?;
        // SAFETY: list and heap are alive, and the list is recording, says the caller.
        unsafe { runtime.call(list, BEGIN, &words) };
        Ok(())
    }

    /// Records that the time is written once everything before is done, or that counting ends.
    ///
    /// # Errors
    /// The device gives no queries, as those without time stamps on copy queues.
    ///
    /// # Safety
    /// `list` is a live pointer to a list of this device and kind, and it is recording.
    pub(crate) unsafe fn end(&mut self, pool: &mut Pool, runtime: &Runtime, list: u64) -> Result<(), String> {
        const END: MethodId = method("ID3D12GraphicsCommandList", "EndQuery");
        let words = self.next(pool, runtime)?;
        // SAFETY: list and heap are alive, and the list is recording, says the caller.
        unsafe { runtime.call(list, END, &words) };
        self.used += 1;
        Ok(())
    }

    /// Makes sure that there is a next query.
    ///
    /// # Errors
    /// The device gives no queries.
    pub(crate) fn reserve(&mut self, pool: &mut Pool, runtime: &Runtime) -> Result<(), String> {
        if (self.used / CHUNK) as usize == self.chunks.len() {
            self.chunks.push(pool.take(runtime, self.kind)?);
        }
        Ok(())
    }

    /// The next query, as lists' methods take it.
    fn next(&mut self, pool: &mut Pool, runtime: &Runtime) -> Result<[u64; 3], String> {
        self.reserve(pool, runtime)?;
        let (chunk, index) = ((self.used / CHUNK) as usize, self.used % CHUNK);
        let heap = self.chunks.get(chunk).map_or(0, |chunk| chunk.heap);
        Ok([heap, self.kind.1.query().0 as u64, u64::from(index)])
    }

    /// Records that the values are copied to where the CPU reads them.
    ///
    /// # Safety
    /// As [`Queries::end`]; the list is in no render pass, and predicates nothing.
    pub(crate) unsafe fn resolve(&self, runtime: &Runtime, list: u64) {
        const RESOLVE: MethodId = method("ID3D12GraphicsCommandList", "ResolveQueryData");
        for (chunk, count) in self.filled() {
            let words = [chunk.heap, self.kind.1.query().0 as u64, 0, u64::from(count), chunk.values, 0];
            // SAFETY: all are alive, and the list is recording, says the caller; the buffer has room for a chunk.
            unsafe { runtime.call(list, RESOLVE, &words) };
        }
    }

    /// The words of all queries ([`What::words`] each), of a submission that is done: ticks, or counts.
    ///
    /// # Errors
    /// The memory cannot be mapped.
    pub(crate) fn read(&self, runtime: &Runtime) -> Result<Vec<u64>, String> {
        let mut values = Vec::with_capacity(self.used as usize * self.kind.1.words());
        for (chunk, count) in self.filled() {
            mapped(runtime, chunk.values, u64::from(count) * self.kind.1.bytes(), |bytes| {
                let words = bytes.as_chunks::<8>().0.iter();
                values.extend(words.map(|word| u64::from_le_bytes(*word)));
                Ok(())
            })?;
        }
        Ok(values)
    }

    /// What the driver counted in each query, of a submission that is done; nothing of those without a result.
    ///
    /// # Errors
    /// The runtime does not give the results.
    pub(crate) fn read_driver(&self, runtime: &Runtime) -> Result<Vec<Option<Vec<u64>>>, String> {
        const GET: MethodId = method("ID3D12Object", "GetPrivateData");
        let mut results = Vec::with_capacity(self.used as usize);
        for (chunk, count) in self.filled() {
            let mut size = 0u32;
            let words = [(&raw const counters::ID) as u64, (&raw mut size) as u64, 0];
            // SAFETY: the heap is a reference held; an id and a size, and no room, so that only the size is told.
            unsafe { runtime.call(chunk.heap, GET, &words) };
            let mut bytes = vec![0u8; size as usize];
            let words = [(&raw const counters::ID) as u64, (&raw mut size) as u64, bytes.as_mut_ptr() as u64];
            // SAFETY: the same, with so many bytes of room.
            let result = unsafe { runtime.call(chunk.heap, GET, &words) } as i32;
            let read = (result >= 0).then(|| counters::read(&bytes)).flatten();
            let read = read.filter(|read| read.len() >= count as usize);
            let read =
                read.ok_or("the runtime does not give what the driver counted; it says why on standard error")?;
            results.extend(read.into_iter().take(count as usize));
        }
        Ok(results)
    }

    /// Makes queries of the driver's counters ready to be begun again.
    pub(crate) fn reset_driver(&self, runtime: &Runtime) {
        self.chunks.iter().for_each(|chunk| chunk.reset_driver(runtime));
    }

    /// Chunks, and how many queries each has.
    fn filled(&self) -> impl Iterator<Item = (Chunk, u32)> + '_ {
        let used = |at: usize| (self.used - at as u32 * CHUNK).min(CHUNK);
        self.chunks.iter().enumerate().map(move |(at, chunk)| (*chunk, used(at)))
    }
}

impl Pool {
    fn take(&mut self, runtime: &Runtime, kind: Kind) -> Result<Chunk, String> {
        let (device, what) = kind;
        if let Some(chunk) = self.0.get_mut(&kind).and_then(Vec::pop) {
            if what == What::Driver {
                // Nobody read what was counted last, perhaps.
                chunk.reset_driver(runtime);
            }
            return Ok(chunk);
        }
        let desc = D3D12_QUERY_HEAP_DESC { Type: what.heap(), Count: CHUNK, NodeMask: 0 };
        let name =
            if matches!(what, What::Stamp | What::CopyStamp) { "queries for times" } else { "queries for counts" };
        let heap = create(runtime, device, name, interface("ID3D12QueryHeap"), |iid, out| {
            (method("ID3D12Device", "CreateQueryHeap"), vec![core::ptr::from_ref(&desc) as u64, iid, out])
        })?;
        let values = match what {
            // These have no memory of their own.
            What::Driver => 0,
            _ => readback_buffer(runtime, device, u64::from(CHUNK) * what.bytes())?.into_pointer(),
        };
        Ok(Chunk { heap: heap.into_pointer(), values })
    }

    /// Takes the chunks of a recording that no submission writes any more.
    pub(crate) fn give_back(&mut self, queries: Queries) {
        self.0.entry(queries.kind).or_default().extend(queries.chunks);
    }
}
