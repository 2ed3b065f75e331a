//! `--check-nan`: which draw or dispatch wrote NaN or infinity first, to which resource and element.

use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::output::{self, Output, Paint, painted};
use anyhow::Context;
use reprise_replay::{Element, NanReport, NoNumber, NotNumber};
use reprise_timeline::index::{Cache, Index};
use reprise_trace::read::Trace;
use reprise_view::state;
use serde_json::{Value as Json, json};

/// Whether and how to look for NaN and infinity.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckingNan {
    /// Look for NaN and infinity that draws and dispatches write to render targets and unordered views of floats, and name the first call
    /// and the first element of each resource. The contents are looked at before and after what writes them between two barriers, and where
    /// an element became NaN or infinite the trace is played again until one call is left. What was so before, by uploads, clears and
    /// copies, is not reported. all: every draw and dispatch by itself, also what a later one draws over
    #[arg(
        long, value_name = "WHICH", value_enum, num_args = 0..=1, default_missing_value = "left", require_equals = true,
        conflicts_with_all = ["check", "loop_frame", "diagnose", "measured", "pictured", "frame_hashes", "frames", "window",
            "force_windowed", "force_windowed_origin", "pause_frame", "paused", "dump_resource", "dump_draw",
            "renderdoc_frame", "break_at"],
    )]
    check_nan: Option<Which>,
    /// Look at raw and structured unordered views as well, as if each word of 32 bits was a float. An integer can look like NaN then: -1 does
    #[arg(long, requires = "check_nan")]
    check_nan_words: bool,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// What draws and dispatches leave where a barrier, clear or copy comes, or the list ends
    Left,
    /// What each of them leaves
    All,
}

/// A finding, and what the trace says of it.
struct Told<'r> {
    finding: &'r NotNumber,
    object: Option<state::ObjectRef>,
    bound: Option<state::Report>,
}

impl CheckingNan {
    /// Whether words of raw and structured views are taken for floats.
    pub(crate) fn words(&self) -> bool {
        self.check_nan_words
    }

    /// Whether every call is looked at by itself; `None` where nothing is looked for.
    pub(crate) fn each(&self) -> Option<bool> {
        self.check_nan.map(|which| which == Which::All)
    }
}

/// Writes what was found.
///
/// # Errors
/// Nothing can be written.
pub(crate) fn write(trace: &Trace, report: &NanReport, as_json: bool, quiet: bool) -> Result<u8, Failure> {
    let found = tell(trace, report);
    let mut output = Output::new();
    let lines = match as_json {
        true => vec![json(report, &found).to_string()],
        false if quiet && found.is_empty() => Vec::new(),
        false => text(report, &found, output.colour()),
    };
    for line in lines {
        output.line(&line).context("cannot write to standard output").or_exit(exit::FAILED)?;
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Ok(if found.is_empty() { 0 } else { exit::FOUND })
}

/// Looks up in the trace what the findings name.
fn tell<'r>(trace: &Trace, report: &'r NanReport) -> Vec<Told<'r>> {
    let mut index = match report.findings.is_empty() {
        true => None,
        false => Index::open(trace, Cache::user(), &mut |_| ()).ok(),
    };
    let told = report.findings.iter().map(|finding| {
        let mut told = Told { finding, object: None, bound: None };
        if let Some(index) = &mut index {
            let mut at = |object| state::report(trace, index, finding.call, object, &mut |_| ()).ok();
            told.object = at(Some(finding.resource)).and_then(|report| report.object).map(|it| it.object);
            told.bound = at(None);
        }
        told
    });
    told.collect()
}

impl Told<'_> {
    /// `VS 01bff4…, PS 2a…` of the pipeline that was set.
    fn shaders(&self) -> Vec<(String, Option<String>)> {
        let pipeline = self.bound.as_ref().and_then(|report| report.bound.as_ref()?.pipeline.as_ref());
        let shaders = pipeline.into_iter().flat_map(|pipeline| &pipeline.shaders);
        shaders.map(|shader| (shader.stage.clone(), shader.hash.clone())).collect()
    }

    fn pipeline(&self) -> Option<&state::ObjectRef> {
        self.bound.as_ref()?.bound.as_ref()?.pipeline.as_ref()?.object.as_ref()
    }

    fn method(&self) -> &str {
        self.bound.as_ref().map_or("", |report| &report.call.method)
    }
}

fn name(what: NoNumber) -> &'static str {
    match what {
        NoNumber::Nan => "nan",
        NoNumber::Infinity => "infinity",
    }
}

fn json(report: &NanReport, found: &[Told<'_>]) -> Json {
    let finding = |told: &Told<'_>| {
        let it = told.finding;
        let place = match it.element {
            Element::Texel { subresource, at: [x, y, z] } => {
                json!({ "subresource": subresource, "x": x, "y": y, "z": z })
            }
            Element::Byte(offset) => json!({ "offset": offset }),
        };
        // JSON has no such numbers.
        let values: Vec<Json> = it
            .values
            .iter()
            .map(|value| if value.is_finite() { json!(value) } else { json!(value.to_string()) })
            .collect();
        let shaders: Vec<Json> =
            told.shaders().into_iter().map(|(stage, hash)| json!({ "stage": stage, "hash": hash })).collect();
        json!({
            "what": name(it.what),
            "call": it.call,
            "last_call": it.last,
            "method": told.method(),
            "frame": told.bound.as_ref().map(|report| report.call.frame),
            "list": it.list,
            "submission": it.submission,
            "resource": { "id": it.resource, "class": told.object.as_ref().map(|it| &it.class), "name": told.object.as_ref().and_then(|it| it.name.as_ref()) },
            "through": if it.target { "render target view" } else { "unordered access view" },
            "format": it.format,
            "place": place,
            "values": values,
            "elements": it.elements,
            "pipeline": told.pipeline(),
            "shaders": shaders,
        })
    };
    json!({
        "findings": found.iter().map(finding).collect::<Vec<_>>(),
        "writes": report.writes,
        "looked_at": report.looked_at,
        "rounds": report.rounds,
        "left_out": report.left_out,
    })
}

fn text(report: &NanReport, found: &[Told<'_>], colour: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let looked = format!(
        "{} to targets and unordered views of floats looked at, in {}",
        output::plural(report.writes, "write"),
        output::plural(report.rounds.into(), "replay")
    );
    lines.push(match found.len() {
        0 => format!("no NaN and no infinity written; {looked}"),
        count => format!("{}; {looked}", output::plural(count as u64, "finding")),
    });
    for told in found {
        let it = told.finding;
        let what = match it.what {
            NoNumber::Nan => "NaN",
            NoNumber::Infinity => "infinity",
        };
        let calls = match it.last == it.call {
            true => format!("call {} {}", it.call, told.method()),
            false => format!("one of calls {} to {} (a render pass or bundle)", it.call, it.last),
        };
        let place = match it.element {
            Element::Texel { subresource, at: [x, y, 0] } => format!("subresource {subresource}, pixel ({x}, {y})"),
            Element::Texel { subresource, at: [x, y, z] } => {
                format!("subresource {subresource}, texel ({x}, {y}, {z})")
            }
            Element::Byte(offset) => format!("byte {offset}"),
        };
        let values = match it.values.is_empty() {
            true => String::new(),
            false => {
                let values: Vec<String> = it.values.iter().map(|value| value.to_string()).collect();
                format!(" = ({})", values.join(", "))
            }
        };
        let through = if it.target { "a render target view" } else { "an unordered access view" };
        let object = told.object.as_ref().map_or_else(|| format!("resource {}", it.resource), state::object_in_words);
        lines.push(format!(
            "{} {}, list {}, submission by call {}: {object}, {place}{values}",
            painted(colour, Paint::Alarm, what),
            painted(colour, Paint::Place, &calls),
            it.list,
            it.submission
        ));
        lines.push(format!(
            "    through {through} of DXGI format {}; {} became so there",
            it.format,
            output::plural(it.elements, "element")
        ));
        let shaders = told.shaders().into_iter().map(|(stage, hash)| format!("{stage} {}", hash.unwrap_or_default()));
        let shaders: Vec<String> = shaders.collect();
        if let Some(pipeline) = told.pipeline() {
            lines.push(format!("    pipeline {}: {}", state::object_in_words(pipeline), shaders.join(", ")));
        }
    }
    for (reason, count) in &report.left_out {
        lines.push(format!("not looked at ({}): {reason}", output::plural(*count, "time")));
    }
    lines
}
