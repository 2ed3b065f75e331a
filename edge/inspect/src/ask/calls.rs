//! Calls: rows, one call in full, methods.

use crate::answer::{Deadline, Refused, part};
use crate::parameters::Parameters;
use crate::subject::Subject;
use crate::subject::kind::{self, Kinds};
use crate::subject::rows::Lines;
use crate::subject::survey::{BLOCK, Survey};
use reprise_d3d12::model::MethodId;
use reprise_trace::record::Kind as Record;
use reprise_view::{api, dump};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// Events after a call that are told.
const EVENTS: usize = 1000;

pub(crate) fn rows(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let (first, count) = with.part(1000)?;
    let total = subject.survey(until)?.rows;
    Ok(part(total, first, subject.rows(first, count, until)?))
}

/// The row of a call, a frame, a time, or of the next call of a kind.
pub(crate) fn row(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let survey = subject.survey(until)?;
    let row = if let Some(call) = with.number::<u64>("call")? {
        survey.row_of(call)
    } else if let Some(frame) = with.number::<u64>("frame")? {
        let place = usize::try_from(frame).ok().and_then(|frame| frame.checked_sub(1));
        let frame = place.and_then(|place| survey.frames.get(place));
        frame.filter(|frame| frame.calls.is_some()).map(|frame| frame.first_row)
    } else if let Some(time) = with.number::<u64>("time_ns")? {
        by_time(subject, survey, time, until)?
    } else if let Some(word) = with.text("next") {
        let wanted = Kinds::named(word).ok_or_else(|| Refused::question("next must be a kind of row, or action"))?;
        let from = with.needed::<u64>("from")?;
        match with.number::<i64>("step")?.unwrap_or(1) {
            1 => next(subject, survey, from, wanted, until)?,
            -1 => last(subject, survey, from, wanted, until)?,
            _ => return Err(Refused::question("step must be 1 or -1")),
        }
    } else {
        return Err(Refused::question("one of call, frame, time_ns and next is missing"));
    };
    Ok(json!({ "row": row }))
}

fn by_time(subject: &Subject, survey: &Survey, time: u64, until: &Deadline) -> Result<Option<u64>, Refused> {
    let block = survey.blocks.partition_point(|block| block.begin_ns <= time).saturating_sub(1);
    let mut found = None;
    let first = block as u64 * BLOCK;
    scan(subject, survey, first, BLOCK, until, |row, event| {
        if event.time_ns <= time {
            found = Some(row);
        }
        true
    })?;
    Ok(found)
}

fn next(
    subject: &Subject,
    survey: &Survey,
    from: u64,
    wanted: Kinds,
    until: &Deadline,
) -> Result<Option<u64>, Refused> {
    let mut at = from.saturating_add(1);
    while at < survey.rows {
        let block = at / BLOCK;
        let end = (block + 1) * BLOCK;
        if survey.blocks.get(block as usize).is_some_and(|block| block.kinds.meets(wanted)) {
            let mut found = None;
            scan(subject, survey, at, end - at, until, |row, event| {
                found = wanted.has(kind::of(event.method)).then_some(row);
                found.is_none()
            })?;
            if found.is_some() {
                return Ok(found);
            }
        }
        at = end;
    }
    Ok(None)
}

fn last(
    subject: &Subject,
    survey: &Survey,
    from: u64,
    wanted: Kinds,
    until: &Deadline,
) -> Result<Option<u64>, Refused> {
    let mut end = from.min(survey.rows);
    while end > 0 {
        let block = (end - 1) / BLOCK;
        let first = block * BLOCK;
        if survey.blocks.get(block as usize).is_some_and(|block| block.kinds.meets(wanted)) {
            let mut found = None;
            scan(subject, survey, first, end - first, until, |row, event| {
                found = if wanted.has(kind::of(event.method)) { Some(row) } else { found };
                true
            })?;
            if found.is_some() {
                return Ok(found);
            }
        }
        end = first;
    }
    Ok(None)
}

/// Gives the calls of rows to `each`, as long as it wants more.
pub(crate) fn scan(
    subject: &Subject,
    survey: &Survey,
    first: u64,
    count: u64,
    until: &Deadline,
    mut each: impl FnMut(u64, &reprise_trace::read::Event<'_>) -> bool,
) -> Result<(), Refused> {
    let Some(call) = survey.call_of(first) else { return Ok(()) };
    let mut events = subject.trace.from_call(call).without_pages();
    let mut row = first;
    while row < first.saturating_add(count) {
        let Some(event) = events.next()? else { return Ok(()) };
        until.check()?;
        if event.kind == Record::Enter {
            if !each(row, &event) {
                return Ok(());
            }
            row += 1;
        }
    }
    Ok(())
}

/// A call in full.
pub(crate) fn call(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let survey = subject.survey(until)?;
    let call = with.needed::<u64>("call")?;
    let none = || Refused::missing(format!("the trace has no call {call}"));
    let row = survey.row_of(call).ok_or_else(none)?;
    let mut lines = Lines::new(survey, Some(&subject.trace));
    let mut events = subject.trace.from_call(call).without_pages();
    let (mut told, mut more, mut kind) = (Vec::new(), 0, kind::Kind::Other);
    let mut begun = false;
    let mut names = dump::names::Names::default();
    while let Some(event) = events.next()? {
        until.check()?;
        match event.kind {
            Record::Enter if event.number == call => {
                kind = kind::of(event.method);
                lines.begin(&event);
                begun = true;
            }
            Record::Enter => lines.pass(&event),
            Record::Leave => lines.end(&event),
            _ if event.number == call && told.len() < EVENTS => {
                let mut line = told_event(&event, &mut names);
                if let Some(object) = line.get_mut("object") {
                    *object = survey.object_json(event.object);
                }
                told.push(Json::from(line));
            }
            _ if event.number == call => more += 1,
            _ => {}
        }
        if !begun || (event.number > call && !lines.waits()) {
            break;
        }
    }
    let mut line = lines.finish().pop().ok_or_else(|| Refused::damaged(format!("call {call} cannot be read")))?;
    let duration = line.shift_remove("duration_ns");
    let mut objects = BTreeSet::new();
    line.values().for_each(|value| mentioned(value, &mut objects));
    let objects: Vec<Json> = objects.into_iter().filter(|id| *id != 0).map(|id| survey.object_json(id)).collect();
    Ok(json!({
        "row": row, "kind": kind.name(), "line": line, "duration_ns": duration, "events": told, "events_more": more,
        "objects": objects,
    }))
}

fn told_event(event: &reprise_trace::read::Event<'_>, names: &mut dump::names::Names) -> serde_json::Map<String, Json> {
    let line = dump::event::line(event, names, None);
    // Stores that are kept in pages are not read for this: their place and length stand in the record.
    line.unwrap_or_else(|| {
        let mut line = serde_json::Map::new();
        if let Some((offset, bytes)) = event.memory_range() {
            line.insert("event".into(), "memory".into());
            line.insert("after_call".into(), event.number.into());
            line.insert("thread".into(), event.thread.into());
            line.insert("frame".into(), dump::event::frame(event).into());
            line.insert("time_ns".into(), event.time_ns.into());
            line.insert("object".into(), Json::Null);
            line.insert("subresource".into(), event.ordinal.into());
            line.insert("offset".into(), offset.into());
            line.insert("bytes".into(), bytes.into());
        }
        line
    })
}

/// The objects that a value of a line names.
fn mentioned(value: &Json, found: &mut BTreeSet<u32>) {
    match value {
        Json::Object(members) => {
            let is_object = members.contains_key("id") && members.contains_key("class");
            let is_place = members.contains_key("handle") || members.contains_key("address");
            for (name, value) in members {
                let id = value.as_u64().and_then(|id| u32::try_from(id).ok());
                match (name.as_str(), id) {
                    ("id", Some(id)) if is_object => _ = found.insert(id),
                    ("heap" | "object", Some(id)) if is_place => _ = found.insert(id),
                    _ => mentioned(value, found),
                }
            }
        }
        Json::Array(values) => values.iter().for_each(|value| mentioned(value, found)),
        _ => {}
    }
}

/// Methods, most called first.
pub(crate) fn methods(subject: &Subject, until: &Deadline) -> Result<Json, Refused> {
    let survey = subject.survey(until)?;
    let mut methods: Vec<(u16, u64)> =
        (0..).zip(survey.methods.iter().copied()).filter(|(_, calls)| *calls > 0).collect();
    methods.sort_by_key(|(number, calls)| (std::cmp::Reverse(*calls), *number));
    let item = |(number, calls): &(u16, u64)| json!({ "method": api::name(MethodId(*number)), "kind": kind::of(*number).name(), "calls": calls });
    Ok(json!({ "items": methods.iter().map(item).collect::<Vec<_>>() }))
}
