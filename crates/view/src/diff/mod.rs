//! Two traces side by side: which calls only one of them has, and which are made otherwise.
//!
//! Calls are compared as [`side`] writes them, without what differs from run to run; [`matching`] knows which objects of the
//! two belong together; [`align`] finds the calls that do; [`compare`] goes through both traces window by window.
//! Invariant: what is held is bounded by two windows and the objects of both traces, whatever their length.

mod align;
mod change;
pub mod compare;
mod item;
mod matching;
pub mod report;
pub mod side;
mod writing;
