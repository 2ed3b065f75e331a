//! What the bench programs share: clocks, figures, the measured process, calls of a D3D12 library, the measured mixes.
//!
//! Method, for every figure: CPU time, not wall time; bare and captured runs alternate within one invocation; a figure is
//! the median of the runs with the least and the greatest beside it.

pub mod child;
pub mod clock;
pub mod com;
pub mod crew;
pub mod dxbc;
pub mod engine;
pub mod figures;
pub mod floor;
pub mod make;
pub mod mix;
pub mod operation;
mod queue;
pub mod stage;
pub mod structures;
pub mod threads;
