//! The library inside the captured program.
