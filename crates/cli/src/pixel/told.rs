//! The history of a pixel as JSON, and as text from it.

use crate::pixel::seen::{Lack, Seen, Side, Texel, Value};
use crate::pixel::{rays, threads};
use crate::shown::number::plain;
use reprise_codec::json::hex;
use reprise_picture::format_name;
use reprise_replay::{PixelEvent, PixelHistory, PixelPlace, PixelTouch};
use serde_json::{Value as Json, json};

/// Where and what, without the events.
pub(crate) fn head(history: &PixelHistory, frame: u64, sample: u32, format: Option<u32>) -> Json {
    let mut head = of_place(&history.place);
    head["frame"] = frame.into();
    head["sample"] = sample.into();
    head["samples"] = history.samples.into();
    head["format"] = json!(format.and_then(format_name));
    let followed = history.followed.iter();
    let followed: Vec<Json> =
        followed.map(|(call, to, from, samples)| {
            json!({ "call": call, "to": of_place(to), "from": of_place(from), "samples": samples })
        }).collect();
    head["followed"] = followed.into();
    head["left_out"] = json!(history.left_out);
    head
}

fn of_place(place: &PixelPlace) -> Json {
    let PixelPlace { resource, mip, slice, plane, at: (x, y) } = place;
    json!({ "resource": resource, "mip": mip, "slice": slice, "plane": plane, "x": x, "y": y })
}

/// An event with its values.
pub(crate) fn event(history: &PixelHistory, index: usize, seen: &Seen) -> Json {
    let it = &history.events[index];
    let mut said = json!({
        "submission": it.submission,
        "list": it.list,
        "call": it.call,
        "method": it.method,
        "touch": it.touch.name(),
        "outside": it.is_outside,
        "bundle": it.bundle,
        "pass": it.pass,
    });
    if let PixelTouch::Target(slot) = it.touch {
        said["slot"] = slot.into();
    }
    let mut failed = Vec::new();
    put(&mut said, index, Side::Own, seen, &mut failed);
    if let Some((depth, has_stencil)) = &it.depth {
        let mut beside = json!({ "resource": depth.resource, "mip": depth.mip, "slice": depth.slice });
        put(&mut beside, index, Side::Depth, seen, &mut failed);
        said["depth"] = beside;
        if *has_stencil {
            let mut beside = json!({});
            put(&mut beside, index, Side::Stencil, seen, &mut failed);
            said["stencil"] = beside;
        }
    }
    said["notes"] = json!(notes(it));
    said["failed"] = json!(failed);
    said
}

/// The values of a side, and whether they differ.
fn put(said: &mut Json, index: usize, side: Side, seen: &Seen, failed: &mut Vec<String>) {
    let mut outside = None;
    let mut of = |before: bool| -> Option<Texel> {
        match seen.get(&(index, side, before))? {
            Ok(texel) => Some(texel.clone()),
            Err(Lack::Failed(reason)) => {
                failed.push(reason.clone());
                None
            }
            Err(Lack::Outside(reason)) => {
                outside.get_or_insert_with(|| reason.clone());
                None
            }
        }
    };
    let (before, after) = (of(true), of(false));
    said["changed"] = json!(before.as_ref().zip(after.as_ref()).map(|(before, after)| !before.is_same(after)));
    said["before"] = json!(before.as_ref().map(value));
    said["after"] = json!(after.as_ref().map(value));
    if let Some(outside) = outside {
        said["ends_before"] = outside.into();
    }
}

/// A value.
pub(crate) fn value(texel: &Texel) -> Json {
    let values: Vec<Json> = texel.values.iter().map(|value| plain(*value)).collect();
    json!({ "values": values, "bytes": hex(&texel.bytes) })
}

fn notes(event: &PixelEvent) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(call) = event.bundle {
        notes.push(format!("in the bundle that call {call} runs, which is one step"));
    }
    if let Some(call) = event.pass.filter(|_| event.can_be_shown != [true; 2]) {
        notes.push(format!("in the render pass that call {call} begins, within which nothing can be copied"));
    }
    if event.is_outside {
        notes.push("the pixel lies outside of what it writes".into());
    }
    if event.draws && event.slices > 1 {
        notes.push(format!("the view has {} slices, and fragments of all of them are counted", event.slices));
    }
    if event.touch == PixelTouch::Unordered && event.draws {
        notes.push("what becomes of its fragments does not say whether its shaders write it".into());
    }
    if event.touch == PixelTouch::Unordered {
        notes.push("has an unordered view of it bound".into());
    }
    notes
}

/// Where a value is another one than the call before left: something that is not listed wrote it.
pub(crate) fn unexplained(history: &PixelHistory, seen: &Seen) -> Vec<(u64, u64)> {
    let mut last: Option<(u64, &Texel)> = None;
    let mut found = Vec::new();
    for (index, event) in history.events.iter().enumerate() {
        let of = |before: bool| seen.get(&(index, Side::Own, before)).and_then(|value: &Value| value.as_ref().ok());
        if let (Some((call, last)), Some(before)) = (last, of(true))
            && !last.is_same(before)
        {
            found.push((call, event.call));
        }
        last = of(false).map(|after| (event.call, after)).or(last);
    }
    found
}

/// Whether an event is a draw that does not come to the pixel.
fn is_elsewhere(event: &Json) -> bool {
    let outcome = event["tests"]["outcome"].as_str();
    event["changed"] != true && outcome.is_some_and(|outcome| matches!(outcome, "not_covered" | "viewport"))
}

/// The whole for people; without `all`, several draws in a row that do not come to the pixel are one line.
pub(crate) fn lines(told: &Json, all: bool) -> Vec<String> {
    let mut head = format!("pixel {},{} of resource {}", told["x"], told["y"], told["resource"]);
    for part in ["mip", "slice", "plane"] {
        if told[part] != 0 {
            head.push_str(&format!(", {part} {}", told[part]));
        }
    }
    if told["samples"] != 1 {
        head.push_str(&format!(", sample {} of {} (--sample)", told["sample"], told["samples"]));
    }
    if let Some(format) = told["format"].as_str() {
        head.push_str(&format!(", {format}"));
    }
    let mut lines = vec![format!("{head}; frame {}", told["frame"])];
    for step in told["followed"].as_array().into_iter().flatten() {
        let (to, from) = (&step["to"], &step["from"]);
        let mut line = format!(
            "  followed back: call {} writes pixel {},{} of resource {} from pixel {},{} of resource {}",
            step["call"], to["x"], to["y"], to["resource"], from["x"], from["y"], from["resource"]
        );
        if let Some(samples) = step["samples"].as_u64().filter(|samples| *samples > 1) {
            line.push_str(&format!(
                ", which has {samples} samples: what follows is the history of sample {} alone (--sample)",
                told["sample"]
            ));
        }
        lines.push(line);
    }
    let events = told["events"].as_array().map_or(&[][..], Vec::as_slice);
    for run in events.chunk_by(|one, next| is_elsewhere(one) && is_elsewhere(next)) {
        match run {
            [first, _, .., last] if !all => lines.push(format!(
                "{:>8}  to {}: {} draws that do not come to the pixel (--all lists them)",
                first["call"].to_string(),
                last["call"],
                run.len()
            )),
            run => run.iter().for_each(|event| of_event(event, &mut lines)),
        }
    }
    for gap in told["unexplained"].as_array().into_iter().flatten() {
        lines.push(format!(
            "between calls {} and {} the value changes by something that is not listed",
            gap["after"], gap["before"]
        ));
    }
    for (reason, calls) in told["left_out"].as_object().into_iter().flatten() {
        lines.push(format!("what these write is not known: {reason}: {calls}"));
    }
    lines
}

/// The lines of an event.
fn of_event(event: &Json, lines: &mut Vec<String>) {
    let text = |it: &Json| it.as_str().unwrap_or_default().to_owned();
    let touch = match event["slot"].as_u64() {
        Some(slot) => format!("target {slot}"),
        None => text(&event["touch"]).replace('_', " "),
    };
    let mut line =
        format!("{:>8}  {:<24} {touch:<10} {}", event["call"].to_string(), text(&event["method"]), change(event));
    for side in ["depth", "stencil"] {
        if event[side].is_object() {
            let change = match event[side]["ends_before"].as_str() {
                Some(reason) => reason.to_owned(),
                None => change(&event[side]),
            };
            line.push_str(&format!("; {side} {change}"));
        }
    }
    lines.push(line);
    if let Some(why) = event["why"].as_str() {
        lines.push(format!("          {why}"));
    }
    let shown = event["tests"]["shown"].as_array();
    lines.extend(shown.into_iter().flatten().enumerate().map(|(number, it)| fragment(number, it)));
    let against = event["contradictions"].as_array().into_iter().flatten();
    lines.extend(against.filter_map(|it| Some(format!("          contradiction: {}", it.as_str()?))));
    let leads = [rays::line(event), threads::line(event)].into_iter().flatten();
    lines.extend(leads.map(|line| format!("          {line}")));
    for list in ["notes", "failed"] {
        let notes = event[list].as_array().into_iter().flatten();
        lines.extend(notes.filter_map(|note| Some(format!("          {}", note.as_str()?))));
    }
}

/// A fragment in a line.
fn fragment(number: usize, it: &Json) -> String {
    let mut line = format!("          fragment {number}:");
    for part in ["primitive", "instance"] {
        if it[part].is_u64() {
            line.push_str(&format!(" {part} {},", it[part]));
        }
    }
    if let Some(front) = it["front"].as_bool() {
        line.push_str(if front { " front," } else { " back," });
    }
    line.push_str(&format!(" depth {}", short(&it["depth"])));
    if let Some(values) = it["output"]["values"].as_array() {
        let values: Vec<String> = values.iter().map(short).collect();
        line.push_str(&format!(", shader gives ({})", values.join(", ")));
    }
    line
}

fn change(of: &Json) -> String {
    let value = |side: &str| match of[side]["values"].as_array() {
        Some(values) => {
            let values: Vec<String> = values.iter().map(short).collect();
            format!("({})", values.join(", "))
        }
        None => "?".to_owned(),
    };
    match of["changed"].as_bool() {
        Some(false) => format!("{}, not changed", value("after")),
        Some(true) => format!("{} -> {}", value("before"), value("after")),
        None if of["before"].is_null() && of["after"].is_null() => "-".to_owned(),
        None => format!("{} -> {}", value("before"), value("after")),
    }
}

/// A number in few digits.
fn short(value: &Json) -> String {
    match value.as_f64() {
        Some(number) if !value.is_i64() && !value.is_u64() => {
            let text = format!("{number:.5}");
            let text = text.trim_end_matches('0').trim_end_matches('.');
            if number != 0.0 && (number.abs() < 1e-4 || number.abs() >= 1e9) {
                format!("{number:.4e}")
            } else {
                text.to_owned()
            }
        }
        _ => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}
