//! Panics in this library: they are caught, because none may reach the program.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs code of ours; a panic in it ends there, with `otherwise` as the result. The panic hook has said it on standard error.
pub(crate) fn protected<T>(otherwise: T, run: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(otherwise)
}
