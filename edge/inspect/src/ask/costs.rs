//! What `reprise time --save` measured: whether it is there, operations and pipelines by what they cost, and two runs beside each other.

use crate::answer::{Deadline, Refused, part};
use crate::parameters::Parameters;
use crate::subject::Subject;
use crate::subject::kind;
use crate::subject::measured::{By, Compared, Measured, Sure};
use crate::subject::survey::Survey;
use reprise_times::{Cost, Missing, Operation, Pipeline, Samples, Sum, Tally};
use reprise_view::api;
use serde_json::{Value as Json, json};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Operations of one answer about all that a frame has.
const HEAT: usize = 200_000;
/// Calls that are named of those that were not measured for one reason.
const FIRST: usize = 20;

/// Whether there are times, and of what.
pub(crate) fn about(subject: &Subject) -> Result<Json, Refused> {
    Ok(match subject.measured() {
        Ok(None) => json!({ "measured": false, "error": null }),
        Err(why) => json!({ "measured": false, "error": why }),
        Ok(Some(measured)) => {
            let mut json = of_file(measured);
            (json["measured"], json["error"]) = (true.into(), Json::Null);
            json["against"] = measured.against.as_ref().map_or(Json::Null, |other| of_file(other));
            json
        }
    })
}

/// What a file is of.
fn of_file(measured: &Measured) -> Json {
    let about = &measured.times.about;
    let counters = measured.counters().map(|one| {
        json!({
            "name": one.full_name(), "about": one.about, "unit": one.unit, "adds": one.adds,
        })
    });
    json!({
        "file": measured.file.file_name().map(|name| name.to_string_lossy()), "runs": measured.times.runs.len(),
        "frames": [about.frames.0, about.frames.1], "serial": about.serial, "by_operation": about.by_operation,
        "runtime": about.runtime, "counted": measured.times.counted.is_some(), "total_ns": measured.total,
        "driver_counters": counters.collect::<Vec<_>>(),
        "untimed": missing(&measured.times.missing_times()), "uncounted": missing(&measured.uncounted),
        // Empty would be no words at all.
        "left_out": (!about.left_out.is_empty()).then_some(&about.left_out),
    })
}

/// Calls that were not measured, by reason; of many the first.
fn missing(all: &Missing) -> Vec<Json> {
    let one = |(reason, calls): (&String, &BTreeSet<u64>)| {
        let first: Vec<u64> = calls.iter().take(FIRST).copied().collect();
        json!({ "reason": reason, "count": calls.len(), "calls": first })
    };
    all.iter().map(one).collect()
}

/// What the driver counted, by the names of its counters: null of several operations without a sum, absent where it was not counted.
fn driver_counts(measured: &Measured, sums: impl Iterator<Item = Sum>) -> Json {
    let named = measured.counters().zip(sums).filter(|(_, sum)| *sum != Sum::None);
    Json::Object(named.map(|(counter, sum)| (counter.full_name(), json!(sum.amount()))).collect())
}

/// Operations, the longest first, or in their order.
pub(crate) fn list(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let measured = subject.times()?;
    let survey = subject.survey(until)?;
    let (first, count) = with.part(1000)?;
    let mut all = wanted(measured, with)?;
    match with.text("sort").unwrap_or("cost") {
        "cost" => sort_by_cost(&mut all),
        "call" => {}
        _ => return Err(Refused::question("sort is cost or call")),
    }
    let total = total(measured, with)?;
    let item = |cost: &&Cost| {
        let operation = measured.times.operations.get(&cost.call);
        let mut json = place(survey, cost, operation);
        json["gpu_ns"] = cost.duration.into();
        json["share"] = share(cost.duration, total);
        json["counts"] = Tally::of(cost.counts.unwrap_or_default(), operation).json();
        let driver = measured.driver_counts(cost).iter().map(|amount| amount.map_or(Sum::None, Sum::One));
        json["driver_counts"] = driver_counts(measured, driver);
        json["uncounted"] = measured.why_uncounted(cost.call, cost.submission).into();
        json
    };
    let items = some(&all, first, count).map(item).collect();
    let mut json = part(all.len() as u64, first, items);
    json["total_ns"] = total.into();
    Ok(json)
}

/// All operations of a frame, or of all, as columns: what colours a strip.
pub(crate) fn heat(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let measured = subject.times()?;
    let all = wanted(measured, with)?;
    let (mut calls, mut durations, mut pixels, mut of) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut methods: Vec<&str> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for cost in all.iter().take(HEAT) {
        until.check()?;
        let method = measured.times.operations.get(&cost.call).map_or("", |operation| operation.method.as_str());
        let place = *places.entry(method).or_insert_with(|| {
            methods.push(method);
            methods.len() - 1
        });
        calls.push(cost.call);
        durations.push(cost.duration.map(f64::round));
        pixels.push(cost.counts.and_then(|counts| Tally::of(counts, None).get("pixel_invocations")));
        of.push(place);
    }
    let kinds: Vec<&str> = methods.iter().map(|method| kind_of(method)).collect();
    let counted = pixels.iter().any(Option::is_some);
    Ok(json!({
        "total": all.len(), "more": all.len() - calls.len(), "total_ns": total(measured, with)?, "methods": methods, "kinds": kinds,
        "calls": calls, "gpu_ns": durations, "method": of, "pixels": counted.then_some(pixels),
    }))
}

/// What each pipeline ran took together.
pub(crate) fn pipelines(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let measured = subject.times()?;
    let survey = subject.survey(until)?;
    let (first, count) = with.part(1000)?;
    let object = with.number::<u32>("object")?;
    let is_wanted = |pipeline: Option<Pipeline>| match (object, pipeline) {
        (None, _) => true,
        (Some(object), Some(Pipeline::State(id) | Pipeline::StateObject(id))) => id == object,
        (Some(_), Some(Pipeline::Program(_)) | None) => false,
    };
    let all: Vec<_> = measured.pipelines().iter().filter(|one| is_wanted(one.pipeline)).collect();
    let items = some(&all, first, count).map(|one| {
        json!({
            "pipeline": pipeline(survey, one.pipeline), "what": what(one.pipeline), "gpu_ns": one.duration,
            "share": share(one.duration, measured.total), "operations": one.operations,
            "counts": one.tally.json(), "driver_counts": driver_counts(measured, one.driver.iter().copied()),
            "uncounted": one.uncounted,
        })
    });
    let mut json = part(all.len() as u64, first, items.collect());
    json["total_ns"] = measured.total.into();
    Ok(json)
}

/// Two runs beside each other.
pub(crate) fn against(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let measured = subject.times()?;
    let survey = subject.survey(until)?;
    let (first, count) = with.part(1000)?;
    let by = match with.text("by").unwrap_or("operation") {
        "operation" => By::Operation,
        "pipeline" => By::Pipeline,
        _ => return Err(Refused::question("by is operation or pipeline")),
    };
    let why = "one run was measured: `reprise inspect --times A --times B` compares two";
    let (rows, other) = measured.compared(by).zip(measured.against.as_ref()).ok_or_else(|| Refused::missing(why))?;
    let frame = with.number::<u64>("frame")?;
    if frame.is_some() && by == By::Pipeline {
        return Err(Refused::question("pipelines are compared over all frames: leave frame out"));
    }
    let mut all: Vec<&Compared> = rows.iter().filter(|row| frame.is_none_or(|frame| row.cost.frame == frame)).collect();
    let medians =
        |row: &Compared| row.samples.each_ref().map(|samples| (!samples.is_empty()).then(|| samples.median()));
    let difference = |row: &Compared| {
        let [a, b] = medians(row);
        Some(b? - a?)
    };
    let far = |row: &Compared| difference(row).map_or(-1.0, f64::abs);
    match with.text("sort").unwrap_or("difference") {
        "difference" => all.sort_by(|one, other| far(other).total_cmp(&far(one))),
        "cost" => {
            let cost = |row: &Compared| medians(row).into_iter().flatten().fold(0.0, f64::max);
            all.sort_by(|one, other| cost(other).total_cmp(&cost(one)));
        }
        "call" => {}
        _ => return Err(Refused::question("sort is difference, cost or call")),
    }
    // What one side left out was not measured there.
    let left_out = [measured, other].map(|side| &side.times.about.left_out_calls);
    let unlike: BTreeSet<u64> = left_out[0].symmetric_difference(left_out[1]).copied().collect();
    let sure_of = |row: &Compared| {
        let is_alike = unlike.is_empty() || (by == By::Operation && !unlike.contains(&row.cost.call));
        row.sure.filter(|_| is_alike)
    };
    let item = |row: &&Compared| {
        let operations = [measured.times.operations.get(&row.cost.call), other.times.operations.get(&row.cost.call)];
        let operation = operations.into_iter().flatten().next();
        let mut json = place(survey, &row.cost, operation);
        if by == By::Pipeline {
            json["pipeline"] = pipeline(survey, row.pipeline);
            json["what"] = what(row.pipeline).into();
        }
        let [a, b] = medians(row);
        let range = |samples: &Samples| (!samples.is_empty()).then(|| [samples.least(), samples.most()]);
        json["operations"] = row.operations.into();
        (json["a_ns"], json["b_ns"]) = (a.into(), b.into());
        json["a_range"] = json!(range(&row.samples[0]));
        json["b_range"] = json!(range(&row.samples[1]));
        json["difference_ns"] = difference(row).into();
        json["sure"] = sure_of(row).map(Sure::name).into();
        json
    };
    let items = some(&all, first, count).map(item).collect();
    let mut json = part(all.len() as u64, first, items);
    let totals = [measured.totals(), other.totals()];
    let sure = |wanted: Sure| rows.iter().filter(|row| sure_of(row) == Some(wanted)).count();
    json["a_total_ns"] = measured.total.into();
    json["b_total_ns"] = other.total.into();
    let total_sure = Sure::of([&totals[0], &totals[1]], 1).filter(|_| unlike.is_empty());
    json["total_sure"] = total_sure.map(Sure::name).into();
    (json["longer"], json["shorter"]) = (sure(Sure::Longer).into(), sure(Sure::Shorter).into());
    json["compared"] = rows.len().into();
    Ok(json)
}

/// The operations that a question is about.
fn wanted<'m>(measured: &'m Measured, with: &Parameters) -> Result<Vec<&'m Cost>, Refused> {
    let (frame, object) = (with.number::<u64>("frame")?, with.number::<u32>("pipeline")?);
    let by = |cost: &Cost| {
        let pipeline = measured.times.operations.get(&cost.call).and_then(Operation::ran);
        matches!(pipeline, Some(Pipeline::State(id) | Pipeline::StateObject(id)) if Some(id) == object)
    };
    let wanted = |cost: &&Cost| frame.is_none_or(|frame| cost.frame == frame) && (object.is_none() || by(cost));
    Ok(measured.operations.iter().filter(wanted).collect())
}

/// The time of a frame, or of all.
fn total(measured: &Measured, with: &Parameters) -> Result<f64, Refused> {
    let frame = with.number::<u64>("frame")?;
    Ok(frame.map_or(measured.total, |frame| measured.frames.get(&frame).copied().unwrap_or(0.0)))
}

/// The longest first.
fn sort_by_cost(all: &mut [&Cost]) {
    let of = |cost: &Cost| cost.duration.unwrap_or(-1.0);
    all.sort_by(|one, other| of(other).total_cmp(&of(one)).then(one.call.cmp(&other.call)));
}

/// Part of a list.
fn some<T>(all: &[T], first: u64, count: u64) -> impl Iterator<Item = &T> {
    let from = usize::try_from(first).unwrap_or(usize::MAX).min(all.len());
    all[from..].iter().take(usize::try_from(count).unwrap_or(usize::MAX))
}

fn share(duration: Option<f64>, total: f64) -> Json {
    duration.filter(|_| total > 0.0).map(|duration| duration / total).into()
}

/// What an operation is, and where it stands.
fn place(survey: &Survey, cost: &Cost, operation: Option<&Operation>) -> Json {
    let method = operation.map_or("", |operation| operation.method.as_str());
    json!({
        "call": cost.call, "method": method, "kind": kind_of(method), "frame": cost.frame, "submission": cost.submission,
        "list": survey.object_json(cost.list), "pipeline": pipeline(survey, operation.and_then(Operation::ran)),
        "markers": operation.map(|operation| operation.markers.clone()).unwrap_or_default(),
    })
}

fn pipeline(survey: &Survey, pipeline: Option<Pipeline>) -> Json {
    match pipeline {
        Some(Pipeline::State(id) | Pipeline::StateObject(id)) => survey.object_json(id),
        Some(Pipeline::Program(_)) | None => Json::Null,
    }
}

/// What ran, in words.
fn what(pipeline: Option<Pipeline>) -> String {
    match pipeline {
        Some(Pipeline::State(_)) => "pipeline state".into(),
        Some(Pipeline::StateObject(_)) => "state object".into(),
        Some(Pipeline::Program(kind)) => format!("program of type {kind}"),
        None => "no pipeline".into(),
    }
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
