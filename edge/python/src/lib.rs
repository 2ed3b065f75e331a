//! The Python module `reprise`: traces as objects, rows and arrays.
//!
//! The compiled part, `reprise._reprise`, reads traces. What needs a GPU is in Python beside it: it runs `reprise`, because a replay may end its
//! process. Invariants: a row has the names and values of `reprise dump --json`, and everything that fails raises `reprise.Error` with the call and
//! the reason; while a trace is read, other Python threads run.

mod ahead;
mod calls;
mod columns;
mod error;
mod memory;
mod picture;
mod trace;

use pyo3::prelude::*;

#[pymodule]
mod _reprise {
    #[pymodule_export]
    use crate::calls::{Call, Calls};
    #[pymodule_export]
    use crate::columns::Columns;
    #[pymodule_export]
    use crate::error::{Damaged, Error};
    #[pymodule_export]
    use crate::memory::Memory;
    #[pymodule_export]
    use crate::picture::decode;
    #[pymodule_export]
    use crate::trace::Trace;
}
