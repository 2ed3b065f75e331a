// Made by `cargo xtask codegen` from windows-default 0.100.0 and overlay.toml; do not edit.
//! The API's tables and types; see `crate::model` for what they mean.
mod enums;
mod interfaces;
mod methods;
mod structs;
pub mod types;
pub use enums::*;
pub use interfaces::*;
pub use methods::*;
pub use structs::*;
