//! What people see of a trace: its calls as lines, the state at a call, summaries, differences, findings. For programs as JSON, for people as text.
//!
//! Invariants: the JSON is made first, and the text from it, so a text says nothing that the JSON does not say. Nothing here prints, ends a
//! process or knows of a command line; what is wrong is an error that says what, where, and what to do. Texts from a trace are hostile: they
//! are escaped where they become text for a terminal, and are JSON strings otherwise.

pub mod api;
pub mod count;
pub mod damage;
pub mod diff;
pub mod dump;
pub mod finding;
pub mod open;
pub mod paint;
pub mod root_signature;
pub mod shaders;
pub mod state;
pub mod summary;
