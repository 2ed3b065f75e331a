//! Recorded numbers on this runtime: object ids, GPU addresses, descriptor handles, event handles, shared handles; buffers of swap chains.

pub(crate) mod address;
pub(crate) mod back_buffers;
pub(crate) mod descriptor;
pub(crate) mod event;
pub(crate) mod freed;
pub(crate) mod ids;
pub(crate) mod objects;
pub(crate) mod shared;
