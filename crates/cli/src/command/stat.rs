//! `reprise stat`: what the calls of a trace are made of, and what became of its objects.

use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::{self, Output, Paint, painted};
use crate::terminal::progress::Progress;
use crate::trace::open;
use anyhow::Context;
use reprise_d3d12::model::MethodId;
use reprise_timeline::walk_as;
use reprise_trace::read::Trace;
use reprise_view::api;
use reprise_view::damage::Met;
use reprise_view::summary::counts::{Blobs, Counts};
use reprise_view::summary::info;
use reprise_view::summary::lives::{Life, Lives};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
Calls and bytes are counted by method: what a call takes in the trace before compression, without contents of 256 bytes
and more, which are blobs, each stored once. Objects are counted by the interface they were first given out as; the
program leaks those that it still holds references to at the end (all it had, if it was killed), each listed with the call that gave it out,
and its name. The resources that most bytes were stored to in mapped memory are listed, and the largest blobs; averages are
over all frames.

Examples:
  reprise stat gears.reprise
  reprise stat --json gears.reprise | jq '.leaks[] | [.object, .class, .call, .name]'
  reprise stat --json gears.reprise | jq '.memory.objects[:5]'
                                                  what the program writes to most
  reprise dump --objects 12 gears.reprise         where a leaked object was used

Exit codes: 0 success, 2 wrong usage, 3 the trace cannot be read, or parts of it are damaged.";

/// Leaks shown to people.
const LEAKS: usize = 100;
/// Of the largest blobs, and of the objects with most stored bytes, shown to people.
const MOST: usize = 10;

/// Count calls, bytes, objects and leaks
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// One JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let file = arguments.source.trace.display();
    let trace = arguments.source.open_to_count()?;
    let (mut counts, mut lives) = (Counts::default(), Lives::new(&trace));
    let mut progress = Progress::over("counting", trace.statistics().calls);
    let walked = walk_as(api::model(), &trace, &mut [&mut counts, &mut lives, &mut progress]);
    walked.with_context(|| file.to_string()).or_exit(exit::TRACE)?;
    drop(progress);
    let (blobs, unread) = match counts.blobs(&trace) {
        Ok(blobs) => (Some(blobs), None),
        Err(error) => (None, Some(error)),
    };
    let report = report(&counts, &lives, blobs.as_ref(), &trace);
    let mut output = Output::new();
    let lines = if arguments.json { vec![report.to_string()] } else { text(&report, output.colour()) };
    for line in lines {
        if !output.line(&line).context("cannot write to standard output").or_exit(exit::FAILED)? {
            return Ok(0);
        }
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Met::of(&trace).and_undecoded(lives.damaged()).sound(&arguments.source.trace)?;
    match unread {
        Some(error) => Err(Failure::message(exit::TRACE, format!("{file}: {error}"))),
        None => Ok(0),
    }
}

/// Everything, methods with most bytes first.
fn report(counts: &Counts, lives: &Lives<'_>, blobs: Option<&Blobs>, trace: &Trace) -> Json {
    let (statistics, frames) = (trace.statistics(), u64::from(trace.frame_count()));
    let mut ranked: Vec<(String, (u64, u64))> =
        counts.methods.iter().map(|(number, counted)| (api::name(MethodId(*number)), *counted)).collect();
    ranked.sort_by(|(left, (_, less)), (right, (_, more))| more.cmp(less).then_with(|| left.cmp(right)));
    let methods: Map<String, Json> =
        ranked.into_iter().map(|(name, (calls, bytes))| (name, json!({ "calls": calls, "bytes": bytes }))).collect();
    let classes: Map<String, Json> = lives
        .classes()
        .map(|(name, class)| {
            let released = class.created - class.alive.min(class.created);
            let most = class.most;
            let counts =
                json!({ "created": class.created, "released": released, "leaked": class.alive, "most_at_once": most });
            (name.to_owned(), counts)
        })
        .collect();
    let leak = |(id, class, life): (u32, &'static str, &Life)| {
        json!({
            "object": id, "class": class, "name": life.name, "references": life.held,
            "call": life.call, "method": api::name(MethodId(life.method)),
        })
    };
    let stored = |(id, (writes, bytes)): (u32, (u64, u64))| {
        json!({
            "object": id, "class": lives.class(id), "name": lives.name_of(id), "writes": writes, "bytes": bytes,
        })
    };
    let largest = |blob: &reprise_view::summary::counts::Largest| {
        json!({
            "hash": format!("{:032x}", blob.hash), "bytes": blob.bytes, "given": blob.given,
            "call": blob.call, "method": api::name(MethodId(blob.method)),
        })
    };
    let calls = counts.methods.values().map(|(calls, _)| calls).sum::<u64>();
    let call_bytes = counts.methods.values().map(|(_, bytes)| bytes).sum::<u64>();
    let each = |count: u64| (frames > 0).then(|| count as f64 / frames as f64);
    let most = |(frame, count): (u64, u64)| json!({ "frame": frame, "count": count });
    json!({
        "complete": info::incomplete(trace).is_none(),
        "calls": calls,
        "calls_made": statistics.calls_made,
        "call_bytes": call_bytes,
        "frames": {
            "count": frames,
            "calls_each": each(calls),
            "call_bytes_each": each(call_bytes),
            "memory_bytes_each": each(counts.memory_bytes),
            "most_calls": most(counts.most_calls()),
            "most_memory_bytes": most(counts.most_memory()),
        },
        "methods": methods,
        "operations": counts.operations.iter().map(|(operation, calls)| (operation.name(), calls)).collect::<BTreeMap<_, _>>(),
        "memory": {
            "writes": counts.memory_writes,
            "bytes": counts.memory_bytes,
            "objects": counts.memory_objects().into_iter().map(stored).collect::<Json>(),
        },
        "blobs": {
            "stored": counts.blob_count(),
            "given": counts.blobs_given(),
            "stored_bytes": blobs.map(|blobs| blobs.stored),
            "given_bytes": blobs.map(|blobs| blobs.given),
            // How many bytes of contents one stored byte stands for.
            "ratio": blobs.filter(|blobs| blobs.stored > 0).map(|blobs| blobs.given as f64 / blobs.stored as f64),
            "largest": blobs.map(|blobs| blobs.largest.iter().map(largest).collect::<Json>()),
        },
        "objects": classes,
        "leaks": lives.alive().map(leak).collect::<Json>(),
    })
}

/// For people.
fn text(report: &Json, colour: bool) -> Vec<String> {
    let members = |name: &str| report[name].as_object().into_iter().flatten();
    let name = |text: &str| painted(colour, Paint::Name, text);
    let mut lines = totals(report, colour);
    let title = |text: String| painted(colour, Paint::Field, &text);
    lines.push(title(format!("{:>12} {:>12} method", "calls", "bytes")));
    lines.extend(
        members("methods")
            .map(|(method, of)| format!("{:>12} {:>12} {}", number(&of["calls"]), number(&of["bytes"]), name(method))),
    );
    lines
        .push(title(format!("{:>12} {:>12} {:>12} {:>12} interface", "created", "released", "leaked", "most at once")));
    for (class, of) in members("objects") {
        let [created, released, leaked, most] =
            ["created", "released", "leaked", "most_at_once"].map(|of_what| number(&of[of_what]));
        lines.push(format!("{created:>12} {released:>12} {leaked:>12} {most:>12} {}", name(class)));
    }
    let stored = list(&report["memory"]["objects"]);
    if !stored.is_empty() {
        lines.push(title(format!("{:>12} {:>12} stored to", "writes", "bytes")));
    }
    for of in stored.iter().take(MOST) {
        lines.push(format!("{:>12} {:>12} {}", number(&of["writes"]), number(&of["bytes"]), object(of)));
    }
    let largest = list(&report["blobs"]["largest"]);
    if !largest.is_empty() {
        lines.push(title(format!("{:>12} {:>12} blob", "given", "bytes")));
    }
    for of in largest.iter().take(MOST) {
        let (hash, method) = (word(of, "hash"), name(word(of, "method")));
        let (given, bytes) = (number(&of["given"]), number(&of["bytes"]));
        lines.push(format!("{given:>12} {bytes:>12} {hash} first in call {}, {method}", of["call"]));
    }
    lines.extend(leaks(report, colour));
    lines
}

fn totals(report: &Json, colour: bool) -> Vec<String> {
    let (memory, blobs, frames) = (&report["memory"], &report["blobs"], &report["frames"]);
    let field = |text: &str| painted(colour, Paint::Field, &format!("{text:<7}"));
    let mut lines = vec![
        format!("{} {}, {}", field("calls:"), report["calls"], output::bytes(number(&report["call_bytes"]))),
        format!(
            "{} {} in {}",
            field("memory:"),
            output::bytes(number(&memory["bytes"])),
            output::plural(number(&memory["writes"]), "write")
        ),
    ];
    let ratio = blobs["ratio"].as_f64().map_or_else(String::new, |ratio| format!(", {ratio:.2} to 1"));
    let given = output::plural(number(&blobs["given"]), "time");
    let stored = blobs["stored_bytes"].as_u64().map_or_else(|| "an unknown number of bytes".to_owned(), output::bytes);
    lines.push(format!("{} {}, {stored}, given {}{ratio}", field("blobs:"), blobs["stored"], given));
    if let (Some(calls), Some(bytes), Some(memory)) =
        (frames["calls_each"].as_f64(), frames["call_bytes_each"].as_f64(), frames["memory_bytes_each"].as_f64())
    {
        lines.push(format!(
            "{} {}, each of {calls:.1} calls, {} and {} stored to memory; most calls: {} in frame {}",
            field("frames:"),
            frames["count"],
            output::bytes(bytes as u64),
            output::bytes(memory as u64),
            frames["most_calls"]["count"],
            frames["most_calls"]["frame"],
        ));
    }
    lines
}

fn leaks(report: &Json, colour: bool) -> Vec<String> {
    let leaks = list(&report["leaks"]);
    let mut lines = vec![match leaks.len() {
        0 => "no leaks".to_owned(),
        count => painted(colour, Paint::Alarm, &output::plural(count as u64, "leak")) + ":",
    }];
    for leak in leaks.iter().take(LEAKS) {
        let references = output::plural(number(&leak["references"]), "reference");
        let (call, method) = (&leak["call"], painted(colour, Paint::Name, word(leak, "method")));
        lines.push(format!("  {}: {references}, from call {call}, {method}", object(leak)));
    }
    if leaks.len() > LEAKS {
        lines.push(format!("  … {} more: --json has all", leaks.len() - LEAKS));
    }
    lines
}

fn number(value: &Json) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn word<'a>(of: &'a Json, name: &str) -> &'a str {
    of[name].as_str().unwrap_or_default()
}

fn list(value: &Json) -> &[Json] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// `ID3D12Fence(7) "its name"`. The name is escaped: it is the program's text.
fn object(of: &Json) -> String {
    let name = of["name"].as_str().map_or_else(String::new, |name| format!(" {name:?}"));
    format!("{}({}){name}", word(of, "class"), of["object"])
}
