//! What is wrong in what a program did, found from its recording alone, without a GPU.
//!
//! [`Linter`] is a pass over a trace. It keeps the timeline's state at each call, and for each list the operations that run with it
//! ([`recording`]). It runs submissions in the order that fences give them ([`queues`]), and gives every step to the rules ([`rules`], a file
//! each). [`states`] has what the API's documents demand of states, and knows nothing of traces.
//!
//! Invariant: a rule speaks only where the recording proves something, or says by its [`Severity`] what it leaves open. A trace is
//! never trusted: damaged calls are left out, and nothing panics.
//!
//! ```
//! use reprise_codec::translate::{self, Extended};
//! use reprise_d3d12::MODEL;
//! use reprise_lint::Linter;
//! use reprise_timeline::walk;
//! use reprise_trace::read::Trace;
//! use std::path::Path;
//!
//! let trace = Trace::open(Path::new("../cli/tests/golden/v3/gears.reprise"))?;
//! translate::attach(&trace, &Extended::new(MODEL))?; // Its build may have had another model.
//! let mut linter = Linter::new(&trace);
//! walk(&trace, &mut [&mut linter])?;
//! let (findings, left_out) = linter.finish();
//! for finding in &findings {
//!     println!("{} call {}: {}", finding.rule.name, finding.call, finding.text);
//! }
//! assert_eq!(left_out, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod draw;
mod execute;
mod finding;
mod left;
mod linter;
mod mark;
mod nested;
mod pass;
mod pipeline;
mod queues;
mod rays;
mod record;
mod recording;
mod role;
mod rule;
mod rules;
mod scene;
mod standing;
pub mod states;
mod structures;
mod subresource;
mod supposed;
mod used;
mod view;
mod world;

pub use finding::{Finding, Named};
pub use linter::Linter;
pub use role::{Role, Sureness};
pub use rule::{Rule, Severity};
pub use standing::{Held, HeldWhat, Stand, Standing};
pub use subresource::Part;
pub use used::{Moment, Reached, Used, Wish};

/// All rules, in the order of reports.
pub fn rules() -> &'static [&'static Rule] {
    &rules::ALL
}
