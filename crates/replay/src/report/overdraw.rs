//! How often draws write each pixel: what is asked for, and what is told.

use std::collections::BTreeMap;

/// The draws to count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overdraw {
    /// Frames count from 1; 1 also for a trace without frames.
    pub frame: u64,
    /// Calls of these numbers only, first and last.
    pub calls: (u64, u64),
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub struct OverdrawReport {
    /// One for each part of a texture that draws had as their first target, or as depth buffer where they had none, in the order of the
    /// draws.
    pub targets: Vec<OverdrawTarget>,
    /// Draws that were not counted, by reason.
    pub left_out: BTreeMap<String, Vec<u64>>,
}

/// How often the pixels of a target were written.
#[derive(Clone, Debug)]
pub struct OverdrawTarget {
    /// Its id in the trace.
    pub resource: u32,
    /// Level of detail.
    pub mip: u32,
    /// Of an array.
    pub slice: u32,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Samples of a pixel; the one that was written most counts.
    pub samples: u32,
    /// The draws that were counted.
    pub draws: Vec<u64>,
    /// For each pixel, row by row.
    pub counts: Vec<u32>,
    /// Pixels of which 255 is the least that it can be: the counter ends there.
    pub saturated: u64,
}
