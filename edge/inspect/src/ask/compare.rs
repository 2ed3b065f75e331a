//! Two traces side by side.

use super::Shared;
use crate::answer::{Answered, Deadline, Refused};
use crate::parameters::Parameters;
use serde_json::{Value as Json, json};

/// Frames that are told.
const FRAMES: usize = 100_000;

/// The frames of both by number, and the first that differs in its picture.
pub(crate) fn frames(shared: &Shared, until: &Deadline) -> Answered {
    let [a, b] = &shared.subjects[..] else {
        return Err(Refused::conflict("there is one trace: --compare names another"));
    };
    if a.shares(b) {
        return Err(Refused::conflict("both are replays of one trace: the job replays compares them"));
    }
    let (first, second) = (a.survey(until)?, b.survey(until)?);
    let hash = |survey: &crate::subject::survey::Survey, place: usize| {
        survey.frames.get(place).and_then(|frame| frame.image.as_ref()).map(|(hash, ..)| hash.clone())
    };
    let mut different = None;
    let frames: Vec<Json> = (0..first.frames.len().max(second.frames.len()).min(FRAMES))
        .map(|place| {
            let (a, b) = (hash(first, place), hash(second, place));
            let equal = a.as_ref().zip(b.as_ref()).map(|(a, b)| a == b);
            if equal == Some(false) && different.is_none() {
                different = Some(place + 1);
            }
            json!({ "frame": place + 1, "a": a, "b": b, "equal": equal })
        })
        .collect();
    let same = different.is_none() && first.frames.len() == second.frames.len();
    let adapter = |trace: &reprise_trace::read::Trace| {
        let adapter = trace.meta().get("adapter").cloned().unwrap_or_default();
        adapter.get("name").cloned().unwrap_or(adapter)
    };
    Ok(json!({
        "same": same, "adapters": [adapter(&a.trace), adapter(&b.trace)], "frames": frames, "first_different_frame": different,
    })
    .into())
}

/// The row of the other trace that stands beside one, which is asked for by its number or by its call.
pub(crate) fn row(shared: &Shared, with: &Parameters, until: &Deadline) -> Answered {
    let [a, b] = &shared.subjects[..] else {
        return Err(Refused::conflict("there is one trace: --compare names another"));
    };
    let t = with.needed::<usize>("t")?;
    let (own, other) = if t == 0 { (a, b) } else { (b, a) };
    let (own, other) = (own.survey(until)?, other.survey(until)?);
    let (row, call) = match with.number::<u64>("call")? {
        Some(call) => (own.row_of(call).ok_or_else(|| Refused::missing("there is no such call"))?, call),
        None => {
            let row = with.needed::<u64>("row")?;
            (row, own.call_of(row).ok_or_else(|| Refused::missing("there is no such row"))?)
        }
    };
    let alignment = shared.jobs.alignment().ok_or_else(|| Refused::conflict("the job diff is not done yet"))?;
    // Threads mix otherwise in each run, so frames are the firm ground: within one, what differs shifts the rest.
    let frame = own.frames.partition_point(|frame| frame.calls.is_none_or(|(_, last)| last < call));
    let (Some(here), Some(there)) = (own.frames.get(frame), other.frames.get(frame)) else {
        return Ok(json!({ "row": other.rows, "call": null, "exact": false }).into());
    };
    let (place, exact) = alignment.beside(t, frame as u64 + 1, call);
    let target = if exact && place != 0 {
        other.row_from(place)
    } else {
        let within = row - here.first_row;
        let (removed, added) = alignment.before(t, frame as u64 + 1, call);
        there.first_row + (within.saturating_sub(removed) + added).min(there.count)
    };
    Ok(json!({ "row": target, "call": other.call_of(target), "exact": exact }).into())
}
