//! The queries of a list: those that count, and those whose results are not in their heaps yet.

use std::collections::HashSet;

use ash::vk;
use reprise_com::{Object, Ref};
use reprise_d3d12::types::D3D12_QUERY_TYPE as Type;
use reprise_gpu::query::Pool;

use crate::query::QueryHeap;

/// Parts that one Vulkan pool has room for.
pub(super) const ROOM: u32 = 64;
/// Counters: occlusion, statistics of pipelines, and of each of four streams; timestamps.
pub(super) const COUNTERS: usize = 7;

/// A sort of query, of which Vulkan counts one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counter(pub(super) usize);

impl Counter {
    pub(super) const STAMP: Counter = Counter(6);

    /// The counter of a query that counts.
    pub(super) fn of(query: Type) -> Option<Counter> {
        Some(Counter(match query {
            Type::OCCLUSION | Type::BINARY_OCCLUSION => 0,
            Type::PIPELINE_STATISTICS => 1,
            Type(stream @ 4..=7) => stream as usize - 2,
            _ => return None,
        }))
    }

    pub(super) fn vk(self) -> vk::QueryType {
        match self.0 {
            0 => vk::QueryType::OCCLUSION,
            1 => vk::QueryType::PIPELINE_STATISTICS,
            6 => vk::QueryType::TIMESTAMP,
            _ => vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT,
        }
    }

    pub(super) fn stream(self) -> Option<u32> {
        (2..6).contains(&self.0).then(|| self.0 as u32 - 2)
    }
}

/// A Vulkan query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) pool: vk::QueryPool,
    pub(super) slot: u32,
}

/// A query, and what Vulkan has counted of it so far.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) heap: Ref<QueryHeap>,
    pub(super) index: u32,
    pub(super) precise: bool,
    pub(super) parts: Vec<Part>,
}

impl Query {
    pub(super) fn is(&self, heap: &Object<QueryHeap>, index: u32) -> bool {
        core::ptr::eq(&*self.heap, heap) && self.index == index
    }
}

/// The queries of a list.
#[derive(Debug, Default)]
pub(super) struct Counting {
    pub(super) active: [Vec<Query>; COUNTERS],
    pub(super) running: [Option<Part>; COUNTERS],
    /// The pool that a counter takes parts from, and how many it has given.
    pub(super) pools: [Option<(vk::QueryPool, u32)>; COUNTERS],
    /// Ended, with results that are not in their heaps yet.
    pub(super) ended: Vec<Query>,
    /// All pools, to be kept.
    pub(super) kept: Vec<Pool>,
}

/// What a query that was used several times had last, in order.
pub(super) fn last_of_each(mut ended: Vec<Query>) -> Vec<Query> {
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
        assert_eq!(Counter::of(Type::OCCLUSION), Counter::of(Type::BINARY_OCCLUSION));
        assert_eq!(Counter::of(Type::TIMESTAMP), None);
        let streams = [
            Type::SO_STATISTICS_STREAM0,
            Type::SO_STATISTICS_STREAM1,
            Type::SO_STATISTICS_STREAM2,
            Type::SO_STATISTICS_STREAM3,
        ];
        for (stream, number) in streams.into_iter().zip(0..) {
            assert_eq!(Counter::of(stream).and_then(Counter::stream), Some(number));
        }
        assert_eq!(Counter::of(Type::PIPELINE_STATISTICS).and_then(Counter::stream), None);
    }
}
