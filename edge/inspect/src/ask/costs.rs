//! What `reprise time --save` measured: whether it is there, and operations by what they cost.

use crate::answer::{Deadline, Refused, part};
use crate::parameters::Parameters;
use crate::subject::Subject;
use crate::subject::kind;
use reprise_times::{Cost, Costs, Pipeline};
use reprise_view::api;
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Whether there are times, and of what.
pub(crate) fn about(subject: &Subject) -> Result<Json, Refused> {
    Ok(match subject.measured() {
        Ok(None) => json!({ "measured": false, "error": null }),
        Err(why) => json!({ "measured": false, "error": why }),
        Ok(Some(measured)) => {
            let about = &measured.times.about;
            json!({
                "measured": true, "error": null, "runs": measured.times.runs.len(), "frames": [about.frames.0, about.frames.1],
                "serial": about.serial, "by_operation": about.by_operation, "runtime": about.runtime,
                "counted": measured.times.counted.is_some(), "total_ns": measured.total,
            })
        }
    })
}

/// What was measured.
fn measured(subject: &Subject) -> Result<&Costs, Refused> {
    match subject.measured() {
        Ok(Some(measured)) => Ok(measured),
        Ok(None) => Err(Refused::missing("nothing was measured of this trace yet: `reprise time --save` does")),
        Err(why) => Err(Refused::unavailable(why)),
    }
}

/// Operations, the longest first, or in their order.
pub(crate) fn list(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let measured = measured(subject)?;
    let survey = subject.survey(until)?;
    let (first, count) = with.part(1000)?;
    let frame = with.number::<u64>("frame")?;
    let wanted = |cost: &&Cost| frame.is_none_or(|frame| cost.frame == frame);
    let mut all: Vec<&Cost> = measured.operations.iter().filter(wanted).collect();
    match with.text("sort").unwrap_or("cost") {
        "cost" => all.sort_by(|one, other| {
            let of = |cost: &Cost| cost.duration.unwrap_or(-1.0);
            of(other).total_cmp(&of(one)).then(one.call.cmp(&other.call))
        }),
        "call" => {}
        _ => return Err(Refused::question("sort is cost or call")),
    }
    let total = frame.map_or(measured.total, |frame| measured.frames.get(&frame).copied().unwrap_or(0.0));
    let item = |cost: &&Cost| {
        let operation = measured.times.operations.get(&cost.call);
        let method = operation.map_or("", |operation| operation.method.as_str());
        let pipeline = match operation.and_then(|operation| operation.pipeline) {
            Some(Pipeline::State(id) | Pipeline::StateObject(id)) => survey.object_json(id),
            Some(Pipeline::Program(_)) | None => Json::Null,
        };
        let mut counts: Map<String, Json> = Map::new();
        counts.extend(
            cost.counts.iter().flat_map(|all| {
                all.named().map(|(name, count)| (name.to_owned(), Json::from(count))).collect::<Vec<_>>()
            }),
        );
        let bytes = [
            ("bytes_copied", operation.and_then(|operation| operation.copied)),
            ("bytes_cleared", operation.and_then(|operation| operation.cleared)),
        ];
        counts.extend(bytes.into_iter().filter_map(|(name, bytes)| Some((name.to_owned(), bytes?.into()))));
        json!({
            "call": cost.call, "method": method, "kind": kind_of(method), "frame": cost.frame, "submission": cost.submission,
            "list": survey.object_json(cost.list), "pipeline": pipeline,
            "markers": operation.map(|operation| operation.markers.clone()).unwrap_or_default(),
            "gpu_ns": cost.duration, "share": cost.duration.filter(|_| total > 0.0).map(|duration| duration / total),
            "counts": counts,
        })
    };
    let from = usize::try_from(first).unwrap_or(usize::MAX).min(all.len());
    let items = all[from..].iter().take(count as usize).map(item).collect();
    let mut json = part(all.len() as u64, first, items);
    json["total_ns"] = total.into();
    Ok(json)
}

/// The kind of a method of lists, by its name.
pub(crate) fn kind_of(name: &str) -> &'static str {
    static KINDS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
        let methods = api::model().methods.iter().zip(0u16..);
        let operations = methods.filter(|(method, _)| reprise_d3d12::operation::of(method).is_some());
        operations.map(|(method, number)| (method.name, kind::of(number).name())).collect()
    });
    KINDS.get(name).copied().unwrap_or("other")
}
