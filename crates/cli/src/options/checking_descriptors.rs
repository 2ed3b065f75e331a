//! `--check-descriptors`: which draws and dispatches use descriptors that are wrong, and how they came to be so.

use crate::ours::{self, Finding};
use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::output::{self, Output, Paint, painted};
use anyhow::Context;
use reprise_replay::{Options, Report};
use reprise_timeline::index::{Cache, Index};
use reprise_trace::read::Trace;
use reprise_view::state;
use serde_json::{Value as Json, json};

/// Findings that are told one by one to people.
const TOLD: usize = 20;

/// Whether shaders look at descriptors.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckingDescriptors {
    /// Let shaders look at each descriptor of a heap before they use it: an index beyond the heap, a descriptor that was never written, of
    /// another type, of a resource that is gone, a table of a heap that is not set. Such uses read null, and are reported, as are root
    /// descriptors whose address is in no buffer that exists: the call, the shader, root parameter and register, index in the heap, what
    /// was expected and found, and the calls that wrote the slot and released the resource. Of each draw or dispatch the first fault of
    /// each kind is reported. Our own runtime only
    #[arg(
        long,
        conflicts_with_all = ["check", "loop_frame", "diagnose", "check_nan", "measured", "window", "force_windowed",
            "force_windowed_origin", "pause_frame", "paused"],
    )]
    check_descriptors: bool,
}

/// A finding, and what the trace says of it.
struct Told<'r> {
    finding: &'r Finding,
    at: Option<state::Report>,
    made: Option<state::Report>,
    copied: Option<state::Report>,
    released: Option<state::Report>,
}

impl CheckingDescriptors {
    /// Whether descriptors are looked at.
    pub(crate) fn is_wanted(&self) -> bool {
        self.check_descriptors
    }

    /// Tells our runtime, before anything of it is in use. Gives what it wants to be told of calls.
    ///
    /// # Errors
    /// Another runtime plays.
    pub(crate) fn begin(&self, runtime: Option<&str>) -> Result<Option<fn(u64)>, Failure> {
        if !self.check_descriptors {
            return Ok(None);
        }
        if let Some(other) = runtime.filter(|name| *name != "ours") {
            return Err(Failure::message(
                exit::USAGE,
                format!(
                    "--check-descriptors is for our own runtime, whose shaders can look, and --runtime names {other}"
                ),
            ));
        }
        ours::check_descriptors().map(Some).or_exit(exit::USAGE)
    }

    /// Asks the replay for what the runtime wants to be told.
    pub(crate) fn apply(&self, options: &mut Options<'_>, on_call: Option<fn(u64)>) {
        options.on_call = on_call;
    }
}

/// Writes what was found; `report` is there where the trace was played to its end.
///
/// # Errors
/// Nothing can be written.
pub(crate) fn write(trace: &Trace, report: Option<&Report>, as_json: bool, quiet: bool) -> Result<u8, Failure> {
    let (findings, left_out) = ours::findings();
    let most = if as_json { findings.len() } else { TOLD };
    let found = tell(trace, &findings[..findings.len().min(most)]);
    let mut output = Output::new();
    let lines = match as_json {
        true => {
            let findings = found.iter().map(json).collect::<Vec<_>>();
            let calls = report.map(|report| report.calls);
            vec![json!({ "findings": findings, "left_out": left_out, "calls": calls }).to_string()]
        }
        false if quiet && found.is_empty() => Vec::new(),
        false => text(&found, (findings.len(), left_out), report, output.colour()),
    };
    for line in lines {
        output.line(&line).context("cannot write to standard output").or_exit(exit::FAILED)?;
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Ok(if findings.is_empty() { 0 } else { exit::FOUND })
}

/// Looks up in the trace what the findings name.
fn tell<'r>(trace: &Trace, findings: &'r [Finding]) -> Vec<Told<'r>> {
    let mut index = match findings.is_empty() {
        true => None,
        false => Index::open(trace, Cache::user(), &mut |_| ())
            .inspect_err(|error| reprise_log::warning(format_args!("methods and objects are not told: {error}")))
            .ok(),
    };
    let told = findings.iter().map(|finding| {
        let mut at = |call: Option<u64>| {
            state::report(trace, index.as_mut()?, call.filter(|call| *call != 0)?, None, &mut |_| ()).ok()
        };
        Told {
            finding,
            at: at(Some(finding.call)),
            made: at(finding.made),
            copied: at(finding.copied),
            released: at(finding.released),
        }
    });
    told.collect()
}

fn method(report: Option<&state::Report>) -> &str {
    report.map_or("", |report| &report.call.method)
}

fn on(report: Option<&state::Report>) -> Option<&state::ObjectRef> {
    report.and_then(|report| report.call.this.as_ref())
}

/// The resource that a call which makes a view names.
fn resource(report: Option<&state::Report>) -> Option<&Json> {
    report?.call.args.get("pResource")
}

fn json(told: &Told<'_>) -> Json {
    let it = told.finding;
    let call = |number: Option<u64>, report: Option<&state::Report>| {
        number.map(|number| json!({ "call": number, "method": method(report), "this": on(report) }))
    };
    json!({
        "what": it.what,
        "call": it.call,
        "method": method(told.at.as_ref()),
        "frame": told.at.as_ref().map(|report| report.call.frame),
        "list": on(told.at.as_ref()),
        "operation": it.operation,
        "stage": it.stage,
        "shader": it.shader,
        "parameter": it.parameter,
        "register": it.register,
        "address": it.address.map(|address| format!("{address:#x}")),
        "table_start": it.table,
        "index": it.index,
        "heap": { "made_by": it.heap, "descriptors": it.descriptors },
        "expected": it.expected,
        "found": it.found,
        "other_heap": it.other.map(|call| json!({ "made_by": call })),
        "written": call(it.made, told.made.as_ref()),
        "copied": call(it.copied, told.copied.as_ref()),
        "resource": resource(told.made.as_ref()),
        "released": call(it.released, told.released.as_ref()),
        "text": it.wrong,
    })
}

fn text(found: &[Told<'_>], (all, left_out): (usize, u64), report: Option<&Report>, colour: bool) -> Vec<String> {
    let played = match report {
        Some(report) => format!("{} played", output::plural(report.calls, "call")),
        None => "the replay failed".to_owned(),
    };
    let mut lines = vec![match all {
        0 => format!("no wrong descriptor used; {played}"),
        count => format!("{}; {played}", output::plural(count as u64, "finding")),
    }];
    for told in found {
        let it = told.finding;
        let place = format!("call {} {}", it.call, method(told.at.as_ref()));
        let list = on(told.at.as_ref()).map_or_else(String::new, |list| format!(", {}", state::object_in_words(list)));
        lines.push(format!(
            "{} {}{list}, operation {}: {}",
            painted(colour, Paint::Alarm, it.what),
            painted(colour, Paint::Place, &place),
            it.operation,
            it.wrong
        ));
        let table = match (it.parameter, &it.register) {
            (Some(parameter), Some(register)) => format!("root parameter {parameter}, {register}"),
            (Some(parameter), None) => format!("root parameter {parameter}"),
            (None, _) => "without a table".to_owned(),
        };
        if it.address.is_some() {
            lines.push(format!("    {} {}: {table}", it.stage, it.shader));
        }
        let made = it.heap.map_or_else(String::new, |call| format!(", made by call {call}"));
        if it.address.is_none() {
            lines.push(format!(
                "    {} {}: {table}, index {} of a heap of {}{made}",
                it.stage, it.shader, it.index, it.descriptors
            ));
        }
        if let Some(other) = it.other {
            lines.push(format!("    the heap of the table was made by call {other}"));
        }
        for (what, call, report) in [
            ("the view was made", it.made, &told.made),
            ("the slot was written", it.copied, &told.copied),
            ("the resource was released", it.released, &told.released),
        ] {
            if let Some(call) = call {
                let object =
                    on(report.as_ref()).map_or_else(String::new, |it| format!(" on {}", state::object_in_words(it)));
                lines.push(format!("    {what} by call {call} {}{object}", method(report.as_ref())));
            }
        }
    }
    if all > found.len() {
        lines.push(format!("{} more: --json has them", all - found.len()));
    }
    if left_out > 0 {
        lines.push(format!("not kept of what was found: {left_out}"));
    }
    lines
}
