//! Calling conventions.
macro_rules! shapes { ($($t:tt)*) => {} }
macro_rules! thunk_list { ($($t:tt)*) => {} }
pub(crate) use {shapes, thunk_list};
