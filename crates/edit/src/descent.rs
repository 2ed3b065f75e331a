//! Which traces come of each other by edits.

use reprise_trace::read::Trace;
use std::collections::HashSet;

/// Whether one trace is an edit of the other, or both are edits of one: objects have the same ids then.
pub fn are_related(one: &Trace, other: &Trace) -> bool {
    let ancestors: HashSet<String> = descent(one).collect();
    descent(other).any(|identity| ancestors.contains(&identity))
}

/// The identity of a trace, and of those that it was edited from.
fn descent(trace: &Trace) -> impl Iterator<Item = String> {
    let history = std::iter::successors(trace.meta().get("edited"), |edited| edited.get("before"));
    let before = history.filter_map(|edited| Some(edited["of"].as_str()?.to_owned()));
    std::iter::once(format!("{:032x}", trace.identity())).chain(before)
}
