//! Segmentation faults and the C library, natively.

pub(crate) mod beyond;
pub(crate) mod fault;
pub(crate) mod signal_calls;
pub(crate) mod signals;
pub(crate) mod system_calls;
