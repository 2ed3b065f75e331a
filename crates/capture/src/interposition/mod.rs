//! Functions that the program finds in us before it finds them in its runtime.
//!
//! Every export (`exports`) asks `decide`; `lookup` answers programs that look functions up by name, `wanted` says whether the
//! process is recorded. `adapter` and `private_interfaces` say in the trace what such calls mean beyond their records.

pub(crate) mod adapter;
pub(crate) mod decide;
pub(crate) mod exports;
pub(crate) mod lookup;
pub(crate) mod private_interfaces;
pub(crate) mod wanted;
