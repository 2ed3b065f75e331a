//! Where two replays of one trace part, as `reprise diff --replay` finds it: first the operation that left the first difference, then every frame
//! and every read-back that differs.

use super::store::Store;
use super::{Job, replay};
use crate::answer::Refused;
use crate::subject::Subject;
use serde_json::{Value as Json, json};

pub(super) fn run(job: &Job, [a, b]: [&Subject; 2], store: &Store) -> Result<Json, Refused> {
    let key = Store::key(a, &json!({ "kind": "replays", "against": b.side.stamp() }));
    if let Some(known) = store.answer(&key) {
        known["items"].as_array().into_iter().flatten().for_each(|item| _ = job.found(item.clone()));
        return Ok(known["result"].clone());
    }
    let frames = u64::from(a.trace.frame_count());
    let mut items = Vec::new();
    let mut found = |item: Json| {
        if job.found(item.clone()) {
            items.push(item);
        }
    };
    let first = compare(job, [a, b], &["--targets"], |line| {
        job.progress(0, 0, || format!("looking for the first difference: {}", line["at"].as_str().unwrap_or_default()));
    })?;
    let mut result = first.clone();
    if first["equal"] == false {
        slots(&first).for_each(&mut found);
        let all = compare(job, [a, b], &["--all"], |line| {
            if line["difference"].is_object() {
                found(line["difference"].clone());
            }
            let frame = line["at"].as_str().and_then(|at| at.strip_prefix("frame ")?.parse().ok());
            if let Some(frame) = frame {
                job.progress(frame, frames, || format!("frame {frame} of {frames}"));
            }
        })?;
        for member in ["frames", "reads", "more"] {
            result[member] = all[member].clone();
        }
        // The items say the same one by one.
        result["steady"] =
            (all["first"]["what"] == first["first"]["what"] && all["first"]["frame"] == first["first"]["frame"]).into();
    }
    store.keep(&key, &json!({ "items": items, "result": result }))?;
    Ok(result)
}

/// What the operation that left the first difference left unlike, an item each.
fn slots(first: &Json) -> impl Iterator<Item = Json> {
    let draw = &first["draw"];
    let of_draw = ["call", "method", "list", "submission", "earlier"].map(|name| (name, draw[name].clone()));
    let frame = first["first"]["frame"].clone();
    draw["unlike"].as_array().into_iter().flatten().map(move |slot| {
        let mut item = slot.clone();
        item["what"] = "operation".into();
        item["frame"] = frame.clone();
        of_draw.iter().for_each(|(name, value)| item[*name] = value.clone());
        item
    })
}

/// What the comparison says at its end; `see` gets what it says before that.
fn compare(job: &Job, sides: [&Subject; 2], words: &[&str], mut see: impl FnMut(&Json)) -> Result<Json, Refused> {
    let mut said = Json::Null;
    replay::pair(job, sides, words, |line| {
        let line: Json = serde_json::from_str(line).map_err(Refused::unavailable)?;
        match line.get("equal") {
            Some(_) => said = line,
            None => see(&line),
        }
        Ok(())
    })?;
    match said {
        Json::Null => Err(Refused::unavailable("the comparison ended without an answer")),
        said => Ok(said),
    }
}
