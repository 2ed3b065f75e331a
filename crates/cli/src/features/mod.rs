//! What devices say that they can do, side by side.
//!
//! A [`side`](side::Side) is a runtime on this machine, or the device of a trace. Its answers become [`row`]s: one for each member of each
//! structure that `CheckFeatureSupport` fills in.

pub(crate) mod row;
pub(crate) mod side;
