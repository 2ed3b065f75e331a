//! Queries for time stamps, and the memory that their values are copied to.
//!
//! Invariant: what the GPU may still write or read is not released: heaps and buffers are used again, and left to the end of the process.

use std::collections::HashMap;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_QUERY_HEAP_DESC, D3D12_QUERY_HEAP_TYPE, D3D12_QUERY_TYPE};
use reprise_d3d12::{interface, method};

use crate::runtime::Runtime;
use crate::runtime::replay_objects::{create, mapped, readback_buffer};

/// Stamps of one heap.
const CHUNK: u32 = 512;
/// Bytes of a stamp.
const STAMP: u64 = 8;

/// A query heap, and a buffer for its values. Both pointers are references held.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    heap: u64,
    values: u64,
}

/// What a chunk is for: the device, and whether its lists are those of copy queues, which have queries of their own.
type Kind = (u64, bool);

/// Chunks that no submission writes.
#[derive(Default)]
pub(crate) struct Pool(HashMap<Kind, Vec<Chunk>>);

/// The stamps of one recording of a list.
#[derive(Debug)]
pub(crate) struct Stamps {
    kind: Kind,
    chunks: Vec<Chunk>,
    used: u32,
}

impl Stamps {
    pub(crate) fn new(device: u64, copies: bool) -> Self {
        Self { kind: (device, copies), chunks: Vec::new(), used: 0 }
    }

    /// Records that the time is written once everything before is done.
    ///
    /// # Errors
    /// The device gives no queries, as those without time stamps on copy queues.
    ///
    /// # Safety
    /// `list` is a live pointer to a list of this device and kind, and it is recording.
    pub(crate) unsafe fn stamp(&mut self, pool: &mut Pool, runtime: &Runtime, list: u64) -> Result<(), String> {
        const END: MethodId = method("ID3D12GraphicsCommandList", "EndQuery");
        let (chunk, index) = ((self.used / CHUNK) as usize, self.used % CHUNK);
        if chunk == self.chunks.len() {
            self.chunks.push(pool.take(runtime, self.kind)?);
        }
        let heap = self.chunks.get(chunk).map_or(0, |chunk| chunk.heap);
        // SAFETY: list and heap are alive, and the list is recording, says the caller.
        unsafe { runtime.call(list, END, &[heap, D3D12_QUERY_TYPE::TIMESTAMP.0 as u64, u64::from(index)]) };
        self.used += 1;
        Ok(())
    }

    /// Records that the values are copied to where the CPU reads them.
    ///
    /// # Safety
    /// As [`Stamps::stamp`]; the list is in no render pass, and predicates nothing.
    pub(crate) unsafe fn resolve(&self, runtime: &Runtime, list: u64) {
        const RESOLVE: MethodId = method("ID3D12GraphicsCommandList", "ResolveQueryData");
        for (chunk, count) in self.filled() {
            let words = [chunk.heap, D3D12_QUERY_TYPE::TIMESTAMP.0 as u64, 0, u64::from(count), chunk.values, 0];
            // SAFETY: all are alive, and the list is recording, says the caller; the buffer has room for a chunk.
            unsafe { runtime.call(list, RESOLVE, &words) };
        }
    }

    /// The values, in ticks, of a submission that is done.
    ///
    /// # Errors
    /// The memory cannot be mapped.
    pub(crate) fn read(&self, runtime: &Runtime) -> Result<Vec<u64>, String> {
        let mut ticks = Vec::with_capacity(self.used as usize);
        for (chunk, count) in self.filled() {
            mapped(runtime, chunk.values, u64::from(count) * STAMP, |bytes| {
                let words = bytes.as_chunks::<8>().0.iter();
                ticks.extend(words.map(|word| u64::from_le_bytes(*word)));
                Ok(())
            })?;
        }
        Ok(ticks)
    }

    /// Chunks, and how many stamps each has.
    fn filled(&self) -> impl Iterator<Item = (Chunk, u32)> + '_ {
        let used = |at: usize| (self.used - at as u32 * CHUNK).min(CHUNK);
        self.chunks.iter().enumerate().map(move |(at, chunk)| (*chunk, used(at)))
    }
}

impl Pool {
    fn take(&mut self, runtime: &Runtime, kind: Kind) -> Result<Chunk, String> {
        if let Some(chunk) = self.0.get_mut(&kind).and_then(Vec::pop) {
            return Ok(chunk);
        }
        let (device, copies) = kind;
        let types = [D3D12_QUERY_HEAP_TYPE::TIMESTAMP, D3D12_QUERY_HEAP_TYPE::COPY_QUEUE_TIMESTAMP];
        let desc = D3D12_QUERY_HEAP_DESC { Type: types[usize::from(copies)], Count: CHUNK, NodeMask: 0 };
        let heap = create(runtime, device, "queries for times", interface("ID3D12QueryHeap"), |iid, out| {
            (method("ID3D12Device", "CreateQueryHeap"), vec![core::ptr::from_ref(&desc) as u64, iid, out])
        })?;
        let values = readback_buffer(runtime, device, u64::from(CHUNK) * STAMP)?.into_pointer();
        Ok(Chunk { heap: heap.into_pointer(), values })
    }

    /// Takes the chunks of a recording that no submission writes any more.
    pub(crate) fn give_back(&mut self, stamps: Stamps) {
        self.0.entry(stamps.kind).or_default().extend(stamps.chunks);
    }
}
