//! What a library left out of what was timed: draws and dispatches whose pipeline state it refused. Their rows have the time of what stands around them
//! alone. Invariant: rows and wholes that stand for different work are compared with nothing.

use crate::terminal::exit::{self, Failure, OrExit};
use anyhow::Context;
use reprise_timeline::argument::{Argument, ObjectId};
use reprise_timeline::state::lists::{RESET, records};
use reprise_timeline::{At, Call, Interests, Pass, Recorded, argument, walk};
use reprise_times::{About, Times};
use reprise_trace::read::Trace;
use std::collections::BTreeSet;
use std::ops::AddAssign;

const BUNDLE: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteBundle", "pCommandList");

/// Of the operations of a row on one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// How many are left out, or run bundles of which something is.
    pub(super) count: u64,
    /// How many of these run bundles.
    pub(super) bundles: u64,
    /// How many of these the other side runs.
    pub(super) only: u64,
}

impl AddAssign for LeftOut {
    fn add_assign(&mut self, other: LeftOut) {
        self.count += other.count;
        self.bundles += other.bundles;
        self.only += other.only;
    }
}

/// Behind a row's label: what is left out, of so many operations; empty where nothing is. Without another side `there` is `None`.
pub(super) fn words(here: LeftOut, there: Option<LeftOut>, operations: u64) -> String {
    let told = |one: LeftOut| match one.count {
        // Lists and frames whose operations have no times of their own.
        _ if operations == 0 => "draws may be left out".to_owned(),
        count if count == one.bundles && count == operations => "with draws left out".to_owned(),
        count if count == operations => "left out".to_owned(),
        count => format!("{count} left out"),
    };
    match (here, there) {
        (LeftOut { count: 0, .. }, None | Some(LeftOut { count: 0, .. })) => String::new(),
        (here, None) => format!(", {}", told(here)),
        (here, Some(LeftOut { count: 0, .. })) => format!(", {} here", told(here)),
        (LeftOut { count: 0, .. }, Some(there)) => format!(", {} there", told(there)),
        (here, Some(there)) if here == there && here.only == 0 => format!(", {} on both sides", told(here)),
        (here, Some(there)) => format!(", {} here and {} there", told(here), told(there)),
    }
}

/// These calls, which are left out, with those that run bundles in which one of them was recorded.
///
/// # Errors
/// The trace cannot be read.
pub(crate) fn with_bundles(trace: &Trace, calls: &BTreeSet<u64>) -> Result<BTreeSet<u64>, Failure> {
    let mut bundles = Bundles { calls, recorded: Recorded::default(), found: calls.clone() };
    walk(trace, &mut [&mut bundles]).context("bundles with what is left out").or_exit(exit::TRACE)?;
    Ok(bundles.found)
}

/// Finds who runs bundles in which something is left out.
struct Bundles<'a> {
    calls: &'a BTreeSet<u64>,
    /// What is left out, by lists.
    recorded: Recorded<()>,
    found: BTreeSet<u64>,
}

impl Pass for Bundles<'_> {
    fn interests(&self) -> Interests {
        Interests::new().calls_where(records).calls(&[RESET, BUNDLE.method()])
    }

    fn call(&mut self, call: &Call<'_>, _: &At) {
        if self.recorded.call(call) {
            return;
        }
        if call.method == BUNDLE.method() && BUNDLE.of(call).is_ok_and(|bundle| !self.recorded.of(bundle.0).is_empty())
        {
            self.found.insert(call.number);
        }
        if self.calls.contains(&call.number) {
            self.recorded.push(call.object, ());
        }
    }
}

/// What one side leaves out and the other one runs, as a sentence; `None` where both ran the same.
pub(crate) fn unlike_work(here: &Times, there: &Times) -> Option<String> {
    let (here, there) = (&here.about, &there.about);
    let only = |one: &About, other: &About| one.left_out_calls.difference(&other.left_out_calls).count();
    if here.trace_bytes != there.trace_bytes && [here, there].iter().any(|side| !side.left_out_calls.is_empty()) {
        return Some(
            "a library leaves out draws or dispatches, of which nobody knows what they are in another trace".into(),
        );
    }
    let (side, count) = match (only(here, there), only(there, here)) {
        (0, 0) => return None,
        (count, 0) => (here, count),
        (_, count) => (there, count),
    };
    let library = if side.runtime.is_empty() { "our runtime" } else { &side.runtime };
    let operations = if count == 1 { "a draw or dispatch" } else { &format!("{count} draws and dispatches") };
    Some(format!("{library} leaves out {operations} that the other side runs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(count: u64, bundles: u64, only: u64) -> LeftOut {
        LeftOut { count, bundles, only }
    }

    /// A bundle of which something is left out runs all the same, and lists whose operations have no times may lack something.
    #[test]
    fn what_is_left_out_is_told_from_what_runs_in_part() {
        let none = LeftOut::default();
        assert_eq!((&*words(none, None, 3), &*words(none, Some(none), 3)), ("", ""));
        assert_eq!(words(of(3, 0, 0), None, 3), ", left out");
        assert_eq!(words(of(2, 1, 0), None, 3), ", 2 left out");
        assert_eq!(words(of(1, 1, 1), None, 1), ", with draws left out");
        // A draw beside a bundle is not there at all.
        assert_eq!(words(of(2, 1, 1), None, 2), ", left out");
        assert_eq!(words(of(7, 1, 1), None, 0), ", draws may be left out");
        assert_eq!(words(of(1, 1, 1), Some(none), 1), ", with draws left out here");
        assert_eq!(words(none, Some(of(1, 0, 1)), 1), ", left out there");
        assert_eq!(words(of(2, 0, 0), Some(of(2, 0, 0)), 2), ", left out on both sides");
        // As many, and others.
        assert_eq!(words(of(1, 0, 1), Some(of(1, 0, 1)), 2), ", 1 left out here and 1 left out there");
    }

    fn times(bytes: u64, runtime: &str, calls: &[u64]) -> Times {
        let about = About {
            trace_bytes: bytes,
            runtime: runtime.to_owned(),
            left_out_calls: calls.iter().copied().collect(),
            ..About::default()
        };
        Times { about, ..Times::default() }
    }

    #[test]
    fn which_side_leaves_out_what_the_other_runs_is_told() {
        let told = |here: &Times, there: &Times| unlike_work(here, there).unwrap_or_default();
        let (all, less) = (times(9, "", &[]), times(9, "a", &[3, 5]));
        assert_eq!((told(&all, &all), told(&less, &less)), (String::new(), String::new()));
        let both = "a leaves out 2 draws and dispatches that the other side runs";
        assert_eq!((&*told(&less, &all), &*told(&all, &less)), (both, both));
        let one = told(&times(9, "", &[3, 5, 7]), &less);
        assert_eq!(one, "our runtime leaves out a draw or dispatch that the other side runs");
        // Calls of another trace have other numbers: the same ones say nothing.
        let other = times(8, "a", &[3, 5]);
        assert!(told(&other, &less).contains("in another trace") && !told(&times(8, "", &[]), &less).is_empty());
        assert_eq!(told(&times(8, "", &[]), &all), "");
    }
}
