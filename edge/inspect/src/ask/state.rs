//! The state at a call, and differences of what is bound.

use super::Shared;
use crate::answer::{Deadline, Refused};
use crate::parameters::Parameters;
use crate::subject::Subject;
use serde_json::{Map, Value as Json, json};

/// Changes that are told.
const CHANGES: usize = 2000;

/// What `reprise state --json` prints.
pub(crate) fn at(subject: &Subject, with: &Parameters) -> Result<Json, Refused> {
    let (call, object) = (with.needed::<u64>("call")?, with.number::<u32>("object")?);
    subject.report(call, object)
}

/// Differences to the draw before.
pub(crate) fn before(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let call = with.needed::<u64>("call")?;
    let (list, begun) = {
        let mut index = subject.index()?;
        let moment = index.get()?.at(&subject.trace, call, &mut |_| {})?;
        (moment.call.object, moment.state.lists.get(moment.call.object).map(|list| list.begun))
    };
    let Some(begun) = begun else {
        return Ok(json!({ "call": call, "before": null, "changes": [], "more": 0 }));
    };
    let recording = subject.recording(list, begun, until)?;
    let entries = &recording.entries;
    let end = entries.partition_point(|entry| entry.call < call);
    let before = entries[..end].iter().rev().find(|entry| entry.kind.draws()).map(|entry| entry.call);
    let Some(before) = before else {
        return Ok(json!({ "call": call, "before": null, "changes": [], "more": 0 }));
    };
    let (earlier, later) = (subject.report(before, None)?, subject.report(call, None)?);
    let (changes, more) = changes(&earlier["bound"], &later["bound"]);
    Ok(json!({ "call": call, "before": before, "changes": changes, "more": more }))
}

/// Differences between two calls, of one trace or of two.
pub(crate) fn differences(shared: &Shared, subject: &Subject, with: &Parameters) -> Result<Json, Refused> {
    let (call, other) = (with.needed::<u64>("call")?, with.needed::<u64>("other")?);
    let u = with.number::<usize>("u")?.unwrap_or(subject.t);
    let second = shared.subjects.get(u).ok_or_else(|| Refused::missing("there is no such trace"))?;
    let (a, b) = (subject.report(call, None)?, second.report(other, None)?);
    let (changes, more) = changes(&a["bound"], &b["bound"]);
    Ok(json!({ "call": call, "other": other, "u": u, "changes": changes, "more": more }))
}

fn changes(a: &Json, b: &Json) -> (Vec<Json>, usize) {
    let mut found = Vec::new();
    compare(a, b, &mut Vec::new(), &mut found);
    let more = found.len().saturating_sub(CHANGES);
    found.truncate(CHANGES);
    (found, more)
}

/// Members that say when or how something was set, and not what is set.
const WHEN: [&str; 2] = ["call", "inherited"];

fn compare(a: &Json, b: &Json, path: &mut Vec<Json>, found: &mut Vec<Json>) {
    match (a, b) {
        (Json::Object(a), Json::Object(b)) => members(a, b, path, found),
        (Json::Array(a), Json::Array(b)) => {
            for place in 0..a.len().max(b.len()) {
                path.push(place.into());
                compare(a.get(place).unwrap_or(&Json::Null), b.get(place).unwrap_or(&Json::Null), path, found);
                path.pop();
            }
        }
        (a, b) if a == b => {}
        (a, b) => {
            let what = match (a, b) {
                (Json::Null, _) => "added",
                (_, Json::Null) => "removed",
                _ => "changed",
            };
            found.push(json!({ "path": path, "a": a, "b": b, "what": what }));
        }
    }
}

fn members(a: &Map<String, Json>, b: &Map<String, Json>, path: &mut Vec<Json>, found: &mut Vec<Json>) {
    let only_b = b.keys().filter(|name| !a.contains_key(*name));
    for name in a.keys().chain(only_b).filter(|name| !WHEN.contains(&name.as_str())) {
        path.push(name.as_str().into());
        compare(a.get(name).unwrap_or(&Json::Null), b.get(name).unwrap_or(&Json::Null), path, found);
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_compared_and_not_when() {
        let a = json!({ "pipeline": { "object": { "id": 1 }, "call": 5 }, "words": [1, 2], "gone": 3 });
        let b = json!({ "pipeline": { "object": { "id": 2 }, "call": 9 }, "words": [1, 2, 3], "gone": null });
        let (changes, more) = changes(&a, &b);
        let expected = [
            json!({ "path": ["pipeline", "object", "id"], "a": 1, "b": 2, "what": "changed" }),
            json!({ "path": ["words", 2], "a": null, "b": 3, "what": "added" }),
            json!({ "path": ["gone"], "a": 3, "b": null, "what": "removed" }),
        ];
        assert_eq!((changes, more), (expected.to_vec(), 0));
    }
}
