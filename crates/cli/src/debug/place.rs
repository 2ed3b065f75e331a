//! Where a recorded call runs: its own list, or the list that runs its bundle, and the submission of that list.

use super::Refused;
use reprise_timeline::State;
use reprise_timeline::index::{BundleRun, Chronicle, Index};
use reprise_timeline::state::lists::{Bound, List};
use reprise_trace::read::Trace;

/// Where a recorded call runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The call at which contents are looked at: the same, or the one that runs its bundle.
    pub(super) seen: u64,
    /// The call that submits its list.
    pub(super) submission: u64,
    /// The run of its bundle.
    pub(super) run: Option<BundleRun>,
}

/// What is known where a list runs a bundle.
pub(super) struct Outer {
    pub(super) state: State,
    /// What is bound on the list.
    pub(super) bound: Bound,
    /// The calls of the bundle.
    pub(super) calls: Vec<u64>,
}

impl Place {
    /// Of a call of a list's recording, as a submission runs it; without one the first that does.
    ///
    /// # Errors
    /// None does.
    pub(super) fn of(
        chronicle: &Chronicle,
        (call, id, list): (u64, u32, &List),
        submission: Option<u64>,
    ) -> Result<Place, Refused> {
        let asked = |what: &str| Refused::Asked(format!("call {call}: {what}"));
        let submitted = |list: u32, begun: u64, from: u64| match submission {
            Some(submission) => chronicle.submissions.iter().find(|ran| {
                ran.call == submission && ran.lists.iter().any(|ran| (ran.list, ran.begun) == (list, begun))
            }),
            None => chronicle.submission_of(list, begun, from),
        };
        if list.is_bundle() {
            let mut runs = chronicle.runs_of(id, list.begun, call);
            let found = runs.find_map(|run| Some((*run, submitted(run.list, run.list_begun, run.call)?.call)));
            let (run, submission) = found.ok_or_else(|| {
                asked(match submission {
                    Some(_) => "the submission that is asked for runs no list that runs its bundle after it",
                    None => "no list that is submitted runs its bundle",
                })
            })?;
            return Ok(Place { seen: run.call, submission, run: Some(run) });
        }
        let found = submitted(id, list.begun, call).ok_or_else(|| {
            asked(match submission {
                Some(_) => "the submission that is asked for does not run its list",
                None => "no submission runs its list",
            })
        })?;
        Ok(Place { seen: call, submission: found.call, run: None })
    }

    /// What is known where the bundle is run; `None`: the call is in no bundle.
    ///
    /// # Errors
    /// The trace does not have the list or the bundle there.
    pub(super) fn outer(
        &self,
        trace: &Trace,
        index: &mut Index,
        call: u64,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Option<Outer>, Refused> {
        let Some(run) = self.run else { return Ok(None) };
        let state = index.at(trace, run.call, progress)?.state;
        let asked = |what: &str| Refused::Asked(format!("call {call}: {what}"));
        let list = state.lists.get(run.list).ok_or_else(|| asked("the trace does not have its list"))?;
        let bundle = state.lists.get(run.bundle).ok_or_else(|| asked("its bundle is gone"))?;
        let (bound, calls) = (list.bound.clone(), bundle.calls.iter().collect());
        Ok(Some(Outer { state, bound, calls }))
    }
}

impl Outer {
    /// What a command of the bundle has, of what the bundle set before it.
    pub(super) fn within(&self, own: &Bound) -> Bound {
        Bound::within(&self.bound, own, |one, other| self.state.lists.are_same(one, other))
    }
}
