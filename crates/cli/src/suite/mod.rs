//! Regression suites: traces, and what they have to show on each driver.
//!
//! `manifest` is the file, `golden` what a trace has to show, `profile` how long it may take. `play` plays a trace and
//! compares it, `table`, `junit` and `json` of `tell` say what came of all of them.

pub(crate) mod golden;
pub(crate) mod manifest;
pub(crate) mod play;
pub(crate) mod profile;
pub(crate) mod tell;
pub(crate) mod timed;
