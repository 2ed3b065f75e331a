//! Frame boundaries, the range of wanted frames, and the end of the recording while the program goes on.
//!
//! Calls before the first wanted frame are recorded, too, because a trace must replay; facts mark the wanted frames.
//! Invariants:
//! - Without a plan a frame boundary costs a few loads.
//! - A fact about the next frame stands right behind the boundary. The thread that ended the frame writes it.
//! - The end is one record, so it is one place in the order of all threads. After it, every call is passed on without a look at
//!   the plan.

use crate::json;
use crate::session::active::{self, Active};
use crate::session::plan::{Change, Plan, Progress};
use crate::session::{environment, record};
use reprise_environment::FrameBoundary;
use reprise_environment::capture::FRAME_BOUNDARY;
use reprise_trace::fact;
use reprise_trace::record::{FrameSource, Kind, SEQUENCE, TICKS};
use std::sync::{MutexGuard, OnceLock, PoisonError};

fn plan() -> Option<&'static Plan> {
    static PLAN: OnceLock<Option<Plan>> = OnceLock::new();
    PLAN.get_or_init(Plan::from_environment).as_ref()
}

/// What ends a frame.
pub(crate) fn boundary() -> &'static FrameBoundary {
    static BOUNDARY: OnceLock<FrameBoundary> = OnceLock::new();
    BOUNDARY.get_or_init(|| {
        let named = environment::text(FRAME_BOUNDARY).map(|text| FrameBoundary::named(&text));
        named
            .and_then(|named| {
                // The launcher has checked what it gives.
                let heeded = named
                    .inspect_err(|wrong| reprise_log::warning(format_args!("{FRAME_BOUNDARY} is not heeded: {wrong}")));
                heeded.ok()
            })
            .unwrap_or_default()
    })
}

/// Whether the frame that is under way is wanted: pictures of others are not taken.
pub(crate) fn is_wanted() -> bool {
    plan().is_none() || active::current().is_some_and(|active| lock(active).since.is_some())
}

fn lock(active: &Active) -> MutexGuard<'_, Progress> {
    active.frames.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says what ends frames, and whether the first one is wanted. Called once for each session, before its first call is recorded.
pub(crate) fn begin(active: &Active) {
    if !matches!(boundary(), FrameBoundary::Presents) {
        let mut text = String::from("{");
        json::member(&mut text, "frame_boundary", &boundary().to_string());
        text.push('}');
        record::fact(0, fact::META, text.as_bytes());
    }
    if let Some(plan) = plan() {
        step(active, plan, &mut lock(active));
    }
}

/// Ends a frame at a boundary of this source.
pub(crate) fn end_frame(source: FrameSource) {
    let write = || record::write(Kind::Frame, SEQUENCE | TICKS, 0, 0, &[&u64::from(source as u32).to_le_bytes()]);
    let Some(active) = active::current() else { return };
    let Some(plan) = plan() else {
        write();
        if active.session.is_finished() {
            active::stop(active);
        }
        return;
    };
    // Held over both, so that frames are numbered here as they are in the trace.
    let mut progress = lock(active);
    if active.is_stopped() {
        return;
    }
    write();
    progress.ended += 1;
    step(active, plan, &mut progress);
    if active.session.is_finished() {
        active::stop(active);
    }
}

fn step(active: &Active, plan: &Plan, progress: &mut Progress) {
    let say = |kind, word: u32| record::fact(0, kind, &u64::from(word).to_le_bytes());
    match plan.change(progress, || plan.triggered(active.session.triggers())) {
        Change::Nothing => {}
        Change::Begin => {
            progress.since = Some(progress.ended + 1);
            say(fact::WANTED, 1);
        }
        Change::Pause => {
            progress.since = None;
            say(fact::WANTED, 0);
        }
        Change::Stop(reason) => {
            progress.since = None;
            say(fact::STOP, reason as u32);
            active::stop(active);
        }
    }
}
