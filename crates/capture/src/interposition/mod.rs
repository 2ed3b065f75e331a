//! Functions that the dynamic linker finds in this library before it finds them in the runtime's.
//!
//! Every export (`exports`) asks `decision`. `lookup` answers programs that look functions up by name. `recorded_process`
//! decides whether the process is recorded. `adapter` and `private_interfaces` add facts about such calls to the trace.

pub(crate) mod adapter;
pub(crate) mod decision;
pub(crate) mod exports;
pub(crate) mod lookup;
pub(crate) mod private_interfaces;
pub(crate) mod recorded_process;
