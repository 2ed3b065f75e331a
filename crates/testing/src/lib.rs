//! What tests and tasks need from the machine they run on: a virtual display, programs that end by a deadline, the
//! capture library, and one way to say that a package is missing.
//!
//! Invariant: whatever is started here is ended here, by its own process id, also when a test fails.
//!
//! ```
//! use std::process::Command;
//! use std::time::Duration;
//!
//! let said = reprise_testing::run(Command::new("echo").arg("done"), Duration::from_secs(60))?;
//! assert!(said.status.success() && !said.timed_out);
//! assert_eq!(said.text(), "done\n");
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod artifact;
pub mod autopsy;
pub mod counting;
pub mod crash;
pub mod display;
pub mod family;
pub mod hook;
pub mod missing;
mod output;
pub mod piglit;
pub mod program;
pub mod reorder;
pub mod wine;
pub mod worker;
mod x11;

pub use artifact::{capture_library, runtime_library};
pub use display::Display;
pub use hook::Hook;
pub use missing::{Missing, require};
pub use program::{Finished, run};
