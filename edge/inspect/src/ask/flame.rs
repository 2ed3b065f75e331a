//! What was measured, as boxes that lie on each other.

use super::costs::kind_of;
use crate::answer::{Deadline, Refused};
use crate::parameters::Parameters;
use crate::subject::Subject;
use crate::subject::flame::{Block, Drawn, Order, What};
use reprise_times::Pipeline;
use serde_json::{Value as Json, json};

/// The most boxes of an answer.
const MOST: usize = 20_000;
/// Characters of a text.
const TEXT: usize = 200;

/// The boxes between two places of the axis; what would be narrower than a part of `parts` is put together.
pub(crate) fn of(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let measured = subject.times()?;
    let survey = subject.survey(until)?;
    let order = match with.text("sort").unwrap_or("call") {
        "call" => Order::Submissions,
        "cost" => Order::Cost,
        _ => return Err(Refused::question("sort is call or cost")),
    };
    let flame = measured.flame(order);
    let begin = with.number::<f64>("begin")?.unwrap_or(0.0);
    let end = with.number::<f64>("end")?.unwrap_or(flame.total);
    let parts = with.number::<u32>("parts")?.unwrap_or(1000).clamp(1, 4000);
    if !begin.is_finite() || !end.is_finite() || begin > end {
        return Err(Refused::question("begin and end are nanoseconds, the lesser first"));
    }
    let (drawn, all) = flame.within((begin, end), (end - begin) / f64::from(parts), MOST);
    let name = |id: u32| {
        survey.object_json(id)["name"].as_str().map_or_else(|| format!("#{id}"), |name| format!("{name} #{id}"))
    };
    let text = |what: &What| match what {
        // Of a trace in which nothing ended a frame, submissions stand for them.
        What::Frame(number) if subject.trace.is_by_submissions() => format!("submission {number}"),
        What::Frame(number) => format!("frame {number}"),
        What::Marker(text) => text.chars().take(TEXT).collect(),
        What::Operation(method, Some(Pipeline::State(id) | Pipeline::StateObject(id))) => {
            format!("{method}, {}", name(*id))
        }
        What::Operation(method, _) => method.clone(),
    };
    let kind = |what: &What| match what {
        What::Frame(_) => "frame",
        What::Marker(_) => "marker",
        What::Operation(method, _) => kind_of(method),
    };
    let boxes = drawn.iter().map(|drawn| match drawn {
        Drawn::One(Block { depth, begin, end, what, call, operations, .. }) => {
            json!([depth, begin, end, kind(what), text(what), call, operations])
        }
        Drawn::Several(depth, begin, end, operations, call) => json!([depth, begin, end, null, null, call, operations]),
    });
    let boxes: Vec<Json> = boxes.collect();
    Ok(json!({ "total_ns": flame.total, "begin": begin, "end": end, "depth": flame.depth, "all": all, "boxes": boxes }))
}
