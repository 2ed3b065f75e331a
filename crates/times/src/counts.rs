//! What the GPU counts of an operation.

use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// The names of the counts, in the order of `D3D12_QUERY_DATA_PIPELINE_STATISTICS`, and the samples that passed behind them.
pub const NAMES: [&str; Counts::LENGTH] = [
    "vertices",
    "primitives",
    "vertex_invocations",
    "geometry_invocations",
    "geometry_primitives",
    "clipper_invocations",
    "clipper_primitives",
    "pixel_invocations",
    "hull_invocations",
    "domain_invocations",
    "compute_invocations",
    "samples_passed",
];

/// Counts of one operation, or of several together; each is there or was not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts(pub [Option<u64>; Counts::LENGTH]);

impl Counts {
    /// How many there are.
    pub const LENGTH: usize = Counts::STATISTICS + 1;
    /// Those of the pipeline's statistics, which stand first.
    pub const STATISTICS: usize = 11;

    /// Names and counts of what was counted.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        NAMES.iter().zip(&self.0).filter_map(|(name, count)| Some((*name, (*count)?)))
    }
}

impl AddAssign for Counts {
    /// What one of both lacks counts as nothing.
    fn add_assign(&mut self, other: Counts) {
        for (own, more) in self.0.iter_mut().zip(other.0) {
            *own = match (*own, more) {
                (Some(own), Some(more)) => Some(own.saturating_add(more)),
                (own, more) => own.or(more),
            };
        }
    }
}
