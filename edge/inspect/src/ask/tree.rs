//! The tree of a frame: submissions, their lists, markers in these, and what acts.
//!
//! A node's id is its place: `frame:F`; `sub:S`, submission S; `list:S:I`, its list I; `mark:S:I:P` and `bundle:S:I:P`, entry P of that list's
//! recording; `call:N`. Ids depend on the trace only, so links may hold them.

use crate::answer::{Deadline, Refused, part};
use crate::parameters::Parameters;
use crate::subject::Subject;
use crate::subject::kind::Kind;
use crate::subject::queues::Operation;
use crate::subject::recording::Recording;
use crate::subject::survey::Survey;
use reprise_timeline::state::queues::{Ran, Submission};
use reprise_view::api;
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// Characters of a call's label.
const LABEL: usize = 160;

/// A node, as its id names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Frame(u64),
    Submission(u64),
    List(u64, usize),
    /// A marker, by its place in the recording.
    Marker(u64, usize, u32),
    Bundle(u64, usize, u32),
    Call,
}

impl Node {
    fn of(id: &str) -> Result<Node, Refused> {
        let wrong = || Refused::question("node must be an id that the tree gave, or frame:F");
        let words: Vec<&str> = id.split(':').collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok()).ok_or_else(wrong);
        let list = || Ok::<_, Refused>((number(1)?, usize::try_from(number(2)?).map_err(|_| wrong())?));
        let place = || u32::try_from(number(3)?).map_err(|_| wrong());
        Ok(match (words[0], words.len()) {
            ("frame", 2) => Node::Frame(number(1)?),
            ("sub", 2) => Node::Submission(number(1)?),
            ("list", 3) => Node::List(list()?.0, list()?.1),
            ("mark", 4) => Node::Marker(list()?.0, list()?.1, place()?),
            ("bundle", 4) => Node::Bundle(list()?.0, list()?.1, place()?),
            ("call", 2) => Node::Call,
            _ => return Err(wrong()),
        })
    }
}

/// The children of a node.
pub(crate) fn children(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let id = with.text("node").ok_or_else(|| Refused::question("node is missing"))?;
    let (first, count) = with.part(1000)?;
    let survey = subject.survey(until)?;
    let (total, items) = match Node::of(id)? {
        Node::Frame(frame) => of_frame(subject, survey, frame, (first, count), until)?,
        Node::Submission(number) => of_submission(subject, survey, number, (first, count), until)?,
        Node::List(number, place) => {
            let ran = ran(subject, number, place)?;
            let recording = subject.recording(ran.list, ran.begun, until)?;
            of_recording(subject, survey, &recording, None, (number, place), (first, count), until)?
        }
        Node::Marker(number, place, at) => {
            let ran = ran(subject, number, place)?;
            let recording = subject.recording(ran.list, ran.begun, until)?;
            of_recording(subject, survey, &recording, Some(at), (number, place), (first, count), until)?
        }
        Node::Bundle(number, place, at) => {
            let ran = ran(subject, number, place)?;
            let recording = subject.recording(ran.list, ran.begun, until)?;
            let call = recording.entries.get(at as usize).map(|entry| entry.call);
            let run = {
                let mut index = subject.index()?;
                let chronicle = index.get()?.chronicle();
                chronicle.bundles.iter().find(|run| Some(run.call) == call).copied()
            };
            let run = run.ok_or_else(|| Refused::missing("there is no such run of a bundle"))?;
            let bundle = subject.recording(run.bundle, run.begun, until)?;
            of_bundle(subject, survey, &bundle, (first, count), until)?
        }
        Node::Call => (0, Vec::new()),
    };
    let mut json = part(total, first, items);
    json["node"] = id.into();
    Ok(json)
}

/// A submission by its number.
fn submission(subject: &Subject, number: u64) -> Result<Submission, Refused> {
    let mut index = subject.index()?;
    let all = &index.get()?.chronicle().submissions;
    let place = all.binary_search_by_key(&number, |submission| submission.number);
    let found = place.ok().and_then(|place| all.get(place)).cloned();
    found.ok_or_else(|| Refused::missing(format!("there is no submission {number}")))
}

fn ran(subject: &Subject, number: u64, place: usize) -> Result<Ran, Refused> {
    let submission = submission(subject, number)?;
    let ran = submission.lists.get(place).copied();
    ran.ok_or_else(|| Refused::missing(format!("submission {number} has no list {place}")))
}

/// The operations of a frame, from 1.
fn operations(survey: &Survey, frame: u64) -> Vec<&Operation> {
    let wanted = frame.checked_sub(1);
    let mut all: Vec<&Operation> =
        survey.operations.iter().filter(|operation| Some(u64::from(operation.frame)) == wanted).collect();
    all.sort_unstable_by_key(|operation| operation.call);
    all
}

fn of_frame(
    subject: &Subject,
    survey: &Survey,
    frame: u64,
    (first, count): (u64, u64),
    until: &Deadline,
) -> Result<(u64, Vec<Json>), Refused> {
    if frame == 0 || frame > survey.frames.len() as u64 {
        return Err(Refused::missing(format!("there is no frame {frame}: there are {}", survey.frames.len())));
    }
    let all = operations(survey, frame);
    let from = usize::try_from(first).unwrap_or(usize::MAX).min(all.len());
    let numbers: Vec<Option<Submission>> = {
        let mut index = subject.index()?;
        let chronicle = index.get()?.chronicle();
        let number = |operation: &&Operation| {
            let place = chronicle.submissions.binary_search_by_key(&operation.call, |one| one.call);
            place.ok().and_then(|place| chronicle.submissions.get(place)).cloned()
        };
        all[from..].iter().take(count as usize).map(number).collect()
    };
    let measured = subject.measured().ok().flatten();
    let mut items = Vec::new();
    for (operation, submission) in all[from..].iter().zip(&numbers) {
        let queue = survey.object_json(operation.object);
        let name = api::method(operation.method).map_or("", |method| method.name);
        items.push(match submission {
            Some(submission) => json!({
                "id": format!("sub:{}", submission.number), "kind": "submission", "label": name, "call": operation.call,
                "queue": queue, "children": submission.lists.len(), "submission": submission.number,
                "gpu_ns": measured.and_then(|measured| measured.submissions.get(&operation.call)),
            }),
            None => {
                let label = label(subject, survey, operation.call, until)?;
                json!({
                    "id": format!("call:{}", operation.call), "kind": operation.kind.name(), "label": label,
                    "call": operation.call, "queue": queue, "children": 0,
                })
            }
        });
    }
    Ok((all.len() as u64, items))
}

fn of_submission(
    subject: &Subject,
    survey: &Survey,
    number: u64,
    (first, count): (u64, u64),
    until: &Deadline,
) -> Result<(u64, Vec<Json>), Refused> {
    let submission = submission(subject, number)?;
    let measured = subject.measured().ok().flatten();
    let mut items = Vec::new();
    for (place, ran) in submission.lists.iter().enumerate().skip(first as usize).take(count as usize) {
        let object = survey.object_json(ran.list);
        let class = object["class"].as_str().unwrap_or_default();
        let name = object.get("name").and_then(Json::as_str).map_or_else(String::new, |name| format!(" {name}"));
        let recording = subject.recording(ran.list, ran.begun, until)?;
        items.push(json!({
            "id": format!("list:{number}:{place}"), "kind": "list", "label": format!("{class}({}){name}", ran.list),
            "call": ran.begun, "object": object, "children": recording.below(None).count(), "calls": ran.calls,
            "first_call": ran.begun, "last_call": recording.last, "draws": recording.draws(),
            "actions": recording.entries.len(), "cut": recording.cut,
            "gpu_ns": measured.and_then(|measured| measured.lists.get(&(submission.call, ran.list))),
        }));
    }
    Ok((submission.lists.len() as u64, items))
}

fn of_recording(
    subject: &Subject,
    survey: &Survey,
    recording: &Arc<Recording>,
    below: Option<u32>,
    (number, list): (u64, usize),
    (first, count): (u64, u64),
    until: &Deadline,
) -> Result<(u64, Vec<Json>), Refused> {
    let total = recording.below(below).count() as u64;
    let measured = subject.measured().ok().flatten();
    let submitted = measured.and_then(|_| {
        let submission = submission(subject, number).ok()?;
        Some((submission.call, submission.lists.get(list)?.list))
    });
    let cost = |calls: (u64, u64)| measured?.between(submitted?, calls);
    let mut items = Vec::new();
    for place in recording.below(below).skip(first as usize).take(count as usize) {
        let entry = recording.entries[place as usize];
        items.push(match entry.kind {
            Kind::Marker => {
                let mut json = marker(recording, place);
                json["id"] = format!("mark:{number}:{list}:{place}").into();
                let last = json["last_call"].as_u64().unwrap_or(entry.call);
                json["gpu_ns"] = cost((entry.call, last)).into();
                json
            }
            Kind::Bundle => json!({
                "id": format!("bundle:{number}:{list}:{place}"), "kind": "bundle", "label": "ExecuteBundle",
                "call": entry.call, "children": null,
                "object": survey.object_json(recording.bundles.get(&place).copied().unwrap_or_default()),
                "gpu_ns": cost((entry.call, entry.call)),
            }),
            kind => json!({
                "id": format!("call:{}", entry.call), "kind": kind.name(), "call": entry.call, "children": 0,
                "label": label(subject, survey, entry.call, until)?, "draws": entry.draws,
                "gpu_ns": cost((entry.call, entry.call)),
            }),
        });
    }
    Ok((total, items))
}

fn of_bundle(
    subject: &Subject,
    survey: &Survey,
    recording: &Recording,
    (first, count): (u64, u64),
    until: &Deadline,
) -> Result<(u64, Vec<Json>), Refused> {
    // Markers of bundles are shown flat: few bundles have any.
    let mut items = Vec::new();
    for (place, entry) in recording.entries.iter().enumerate().skip(first as usize).take(count as usize) {
        let text = match entry.kind {
            Kind::Marker => recording.markers.get(&(place as u32)).map(|(text, _)| text.clone()).unwrap_or_default(),
            _ => label(subject, survey, entry.call, until)?,
        };
        items.push(json!({
            "id": format!("call:{}", entry.call), "kind": entry.kind.name(), "label": text, "call": entry.call, "children": 0,
        }));
    }
    Ok((recording.entries.len() as u64, items))
}

fn marker(recording: &Recording, place: u32) -> Json {
    let entry = recording.entries[place as usize];
    let (text, colour) = recording.markers.get(&place).cloned().unwrap_or_default();
    let last = recording.entries.get(entry.end.saturating_sub(1) as usize).map_or(entry.call, |last| last.call);
    json!({
        "kind": "marker", "label": text, "colour": colour.map(|colour| format!("#{:06x}", colour & 0xff_ffff)),
        "call": entry.call, "last_call": last, "children": recording.below(Some(place)).count(), "draws": entry.draws,
    })
}

/// `DrawInstanced(VertexCountPerInstance=3, …)`.
fn label(subject: &Subject, survey: &Survey, call: u64, until: &Deadline) -> Result<String, Refused> {
    let Some(row) = survey.row_of(call) else { return Ok(String::new()) };
    let rows = subject.rows(row, 1, until)?;
    let Some(row) = rows.first() else { return Ok(String::new()) };
    let word = |name: &str| row[name].as_str().unwrap_or_default();
    let text = format!("{}({})", word("method"), word("text"));
    Ok(match text.char_indices().nth(LABEL) {
        Some((at, _)) => format!("{}\u{2026}", &text[..at]),
        None => text,
    })
}

/// Where a call stands in the tree.
pub(crate) fn path(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let call = with.needed::<u64>("call")?;
    let survey = subject.survey(until)?;
    if survey.row_of(call).is_none() {
        return Err(Refused::missing(format!("the trace has no call {call}")));
    }
    let frame_of = |call: u64| {
        let place = survey.frames.partition_point(|frame| frame.calls.is_none_or(|(_, last)| last < call));
        place as u64 + 1
    };
    if survey.operations.binary_search_by_key(&call, |operation| operation.call).is_ok()
        || survey.operations.iter().any(|operation| operation.call == call)
    {
        let frame = frame_of(call);
        let all = operations(survey, frame);
        let place = all.iter().position(|operation| operation.call == call);
        let id = all
            .get(place.unwrap_or_default())
            .filter(|operation| operation.submission != 0)
            .map_or_else(|| format!("call:{call}"), |operation| format!("sub:{}", operation.submission));
        return Ok(json!({ "path": [format!("frame:{frame}"), id], "index": [place] }));
    }
    let found = {
        let mut index = subject.index()?;
        let index = index.get()?;
        let moment = index.at(&subject.trace, call, &mut |_| {})?;
        let list = moment.call.object;
        let begun = moment.state.lists.get(list).map(|list| list.begun);
        begun
            .and_then(|begun| index.chronicle().submission_of(list, begun, call).cloned().map(|run| (list, begun, run)))
    };
    let Some((list, begun, run)) = found else {
        return Ok(json!({ "path": [format!("frame:{}", frame_of(call))], "index": [] }));
    };
    let frame = u64::from(run.frame) + 1;
    let of_frame = operations(survey, frame);
    let place = of_frame.iter().position(|operation| operation.call == run.call).unwrap_or_default();
    let at = run.lists.iter().position(|ran| (ran.list, ran.begun) == (list, begun)).unwrap_or_default();
    let mut path = vec![format!("frame:{frame}"), format!("sub:{}", run.number), format!("list:{}:{at}", run.number)];
    let mut index = vec![place, at];
    let recording = subject.recording(list, begun, until)?;
    if let Some(own) = recording.place_of(call) {
        let mut level = None;
        for around in recording.around(own).into_iter().chain([own]) {
            index.push(recording.below(level).position(|place| place == around).unwrap_or_default());
            path.push(match recording.entries[around as usize].kind {
                Kind::Marker => format!("mark:{}:{at}:{around}", run.number),
                Kind::Bundle => format!("bundle:{}:{at}:{around}", run.number),
                _ => format!("call:{}", recording.entries[around as usize].call),
            });
            level = Some(around);
        }
    }
    Ok(json!({ "path": path, "index": index }))
}
