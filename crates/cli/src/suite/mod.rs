//! Regression suites: traces, and what they have to show on each driver.
//!
//! `manifest` is the file, `golden` what a trace has to show. `play` plays a trace and compares it, `table`,
//! `junit` and `json` tell what came of all of them.

pub(crate) mod golden;
pub(crate) mod manifest;
pub(crate) mod play;
pub(crate) mod tell;
