//! Calls that replay does not make with the recorded arguments, one module for each kind.

pub(crate) mod dangling_table;
pub(crate) mod device;
pub(crate) mod execute_indirect;
pub(crate) mod forecast;
pub(crate) mod hosted_heap;
pub(crate) mod meta_command;
pub(crate) mod ray_tracing;
pub(crate) mod render_pass;
pub(crate) mod shared;
pub(crate) mod subresource;
pub(crate) mod work_graph;
