//! The exported functions, as plain Rust functions.
