//! The queries of a list: those that count, and those whose results are not in their heaps yet.

use std::collections::HashSet;

use ash::vk;
use reprise_com::{Object, Ref};
use reprise_d3d12::types::D3D12_QUERY_TYPE as Type;
use reprise_gpu::query::Pool;

use crate::query::QueryHeap;

/// Parts that one Vulkan pool has room for.
pub(super) const ROOM: u32 = 64;
/// Counters: occlusion, statistics of pipelines, and of each of four streams; timestamps; primitives of mesh shaders.
pub(super) const COUNTERS: usize = 8;

/// A sort of query, of which Vulkan counts one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counter(pub(super) usize);

impl Counter {
    pub(super) const STATISTICS: Counter = Counter(1);
    pub(super) const STAMP: Counter = Counter(6);
    pub(super) const PRIMITIVES: Counter = Counter(7);

    /// The counters of a query that counts.
    pub(super) fn of(query: Type) -> &'static [Counter] {
        const STREAMS: [Counter; 4] = [Counter(2), Counter(3), Counter(4), Counter(5)];
        match query {
            Type::OCCLUSION | Type::BINARY_OCCLUSION => &[Counter(0)],
            Type::PIPELINE_STATISTICS | Type::PIPELINE_STATISTICS1 => &[Counter::STATISTICS, Counter::PRIMITIVES],
            Type(stream @ 4..=7) => &STREAMS[stream as usize - 4..][..1],
            _ => &[],
        }
    }

    pub(super) fn vk(self) -> vk::QueryType {
        match self {
            Counter(0) => vk::QueryType::OCCLUSION,
            Counter::STATISTICS => vk::QueryType::PIPELINE_STATISTICS,
            Counter::STAMP => vk::QueryType::TIMESTAMP,
            Counter::PRIMITIVES => vk::QueryType::MESH_PRIMITIVES_GENERATED_EXT,
            _ => vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT,
        }
    }

    pub(super) fn stream(self) -> Option<u32> {
        (2..6).contains(&self.0).then(|| self.0 as u32 - 2)
    }

    /// What Vulkan counts, and where that belongs in the API's results. Vulkan forbids to count stages that a pipeline cannot have,
    /// so there is one set of counts beside vertex shaders, and one beside mesh shaders; `None` where nothing is counted.
    /// `queries`: the device counts amplification and mesh shaders, and the primitives of these. As many are clipped: Vulkan forbids to count
    /// that beside mesh shaders.
    pub(super) fn counts(self, meshes: bool, queries: bool) -> Option<Counts> {
        let statistics = |bits, runs| Counts { statistics: vk::QueryPipelineStatisticFlags::from_raw(bits), runs };
        let none = vk::QueryPipelineStatisticFlags::empty();
        Some(match (self, meshes) {
            // Pixel and compute shaders; amplification and mesh shaders.
            (Counter::STATISTICS, true) if queries => statistics(0x1c80, &[Run(0, 7, 1), Run(1, 10, 3)]),
            (Counter::STATISTICS, true) => statistics(0x480, &[Run(0, 7, 1), Run(1, 10, 1)]),
            (Counter::STATISTICS, false) => statistics(0x7ff, &[Run(0, 0, 11)]),
            (Counter::PRIMITIVES, true) if queries => {
                Counts { statistics: none, runs: &[Run(0, 5, 1), Run(0, 6, 1), Run(0, 13, 1)] }
            }
            (Counter::PRIMITIVES, _) => return None,
            _ if self.stream().is_some() => Counts { statistics: none, runs: &[Run(0, 0, 2)] },
            _ => Counts { statistics: none, runs: &[Run(0, 0, 1)] },
        })
    }
}

/// Words of a result: where they begin in Vulkan's and in the API's, and how many they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run(pub(super) u64, pub(super) u64, pub(super) u64);

/// What a Vulkan query counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) statistics: vk::QueryPipelineStatisticFlags,
    /// In the API's order; a word of Vulkan's may have several places.
    pub(super) runs: &'static [Run],
}

impl Counts {
    /// Words of Vulkan's result.
    pub(super) fn words(&self) -> u64 {
        self.runs.iter().map(|Run(first, _, count)| first + count).max().unwrap_or(0)
    }
}

/// A Vulkan query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) pool: vk::QueryPool,
    pub(super) slot: u32,
    pub(super) counts: Counts,
}

impl Part {
    /// Whether its result is all of the API's, of so many words.
    pub(super) fn is_whole(&self, words: u64) -> bool {
        self.counts.runs == [Run(0, 0, words)]
    }
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
    /// The pool that a counter takes parts from, and how many it has given; beside vertex shaders, and beside mesh shaders.
    pub(super) pools: [[Option<(vk::QueryPool, u32)>; COUNTERS]; 2],
    /// What is drawn comes from mesh shaders.
    pub(super) meshes: bool,
    /// Ended, with results that are not in their heaps yet.
    pub(super) ended: Vec<Query>,
    /// The pool of the driver's counters that the list had first.
    pub(super) counters_pool: Option<vk::QueryPool>,
    /// A query of it that has begun.
    pub(super) counters_open: Option<(vk::QueryPool, u32)>,
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
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn streams_are_kinds_of_their_own() {
        assert_eq!(Counter::of(Type::OCCLUSION), Counter::of(Type::BINARY_OCCLUSION));
        assert_eq!(Counter::of(Type::TIMESTAMP), []);
        let streams = [
            Type::SO_STATISTICS_STREAM0,
            Type::SO_STATISTICS_STREAM1,
            Type::SO_STATISTICS_STREAM2,
            Type::SO_STATISTICS_STREAM3,
        ];
        for (stream, number) in streams.into_iter().zip(0..) {
            let counters: Vec<_> = Counter::of(stream).iter().map(|counter| counter.stream()).collect();
            assert_eq!(counters, [Some(number)]);
        }
        assert_eq!(Counter::of(Type::PIPELINE_STATISTICS1), Counter::of(Type::PIPELINE_STATISTICS));
        assert_eq!(Counter::of(Type::PIPELINE_STATISTICS1).len(), 2);
        assert!(Counter::of(Type::PIPELINE_STATISTICS1).iter().all(|counter| counter.stream().is_none()));
    }

    /// The numbers of counts are those of the structure in the API's header, and the bits those of Vulkan's registry.
    #[test]
    fn counts_stand_where_the_api_has_them() {
        let at = |meshes, queries| {
            let counts = Counter::STATISTICS.counts(meshes, queries).unwrap();
            let bits = counts.statistics.as_raw();
            let places: Vec<u64> = counts.runs.iter().flat_map(|Run(_, to, count)| *to..to + count).collect();
            let vulkan: Vec<u64> = (0..13).filter(|bit| bits & 1 << bit != 0).collect();
            assert_eq!(counts.words(), vulkan.len() as u64);
            (places, vulkan)
        };
        for (meshes, queries) in [(false, true), (true, true), (true, false)] {
            let (places, vulkan) = at(meshes, queries);
            assert_eq!(places, vulkan, "both have the same order");
            let of_vertices = places.iter().any(|place| [0, 1, 2, 3, 4, 5, 6, 8, 9].contains(place));
            assert_eq!(of_vertices, !meshes, "Vulkan forbids these beside mesh shaders");
            assert_eq!(places.contains(&12), meshes && queries);
        }
        let primitives = Counter::PRIMITIVES.counts(true, true).unwrap();
        assert_eq!(primitives.runs, [Run(0, 5, 1), Run(0, 6, 1), Run(0, 13, 1)]);
        assert_eq!(primitives.words(), 1);
        assert!(Counter::PRIMITIVES.counts(true, false).is_none());
        assert!(Counter::PRIMITIVES.counts(false, true).is_none());
    }
}
