//! `reprise stat`: what the calls of a trace are made of, and what became of its objects.

use crate::api;
use crate::exit::{self, Ended, Failure, OrExit};
use crate::lives::{Life, Lives};
use crate::open;
use crate::output::{self, Output};
use crate::progress::Progress;
use anyhow::Context;
use reprise_d3d12::model::MethodId;
use reprise_trace::read::{Event, ReadError, Trace};
use reprise_trace::record::Kind;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
Calls and bytes are counted by method: what a call takes in the trace before compression, without contents of 256 bytes
and more, which are blobs, each stored once. Objects are counted by the interface they were first given out as; the
program leaks those that it still holds references to at the end (all it had, if it was killed), each listed with the call that gave it out,
and its name.

Examples:
  reprise stat gears.reprise
  reprise stat --json gears.reprise | jq '.leaks[] | [.object, .class, .call, .name]'
  reprise dump --objects 12 gears.reprise         where a leaked object was used

Exit codes: 0 success, 2 wrong usage, 3 the trace cannot be read, or parts of it are damaged.";

/// Leaks shown to people.
const LEAKS: usize = 100;

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

/// What is counted besides objects.
#[derive(Default)]
struct Counts {
    /// Calls and bytes by method.
    methods: BTreeMap<u16, (u64, u64)>,
    memory_writes: u64,
    memory_bytes: u64,
    /// How often each blob is given to a call.
    blobs: BTreeMap<u64, u64>,
    damaged: u64,
}

impl Counts {
    fn event(&mut self, event: &Event<'_>) {
        self.damaged += u64::from(crate::dump::event::is_damage(event));
        match event.kind {
            Kind::Enter | Kind::Leave => {
                let (calls, bytes) = self.methods.entry(event.method).or_default();
                *calls += u64::from(event.kind == Kind::Enter);
                *bytes += event.payload.len() as u64;
                event.blobs.iter().for_each(|(_, id)| *self.blobs.entry(*id).or_default() += 1);
            }
            Kind::Memory => {
                self.memory_writes += 1;
                self.memory_bytes += event.memory().map_or(0, |(_, bytes)| bytes.len() as u64);
            }
            _ => {}
        }
    }

    /// Bytes of all blobs that calls were given: each time, and each once.
    fn blob_bytes(&self, trace: &Trace) -> Result<(u64, u64), ReadError> {
        let (mut given, mut stored) = (0, 0);
        // In the order of their numbers, which is that of the file.
        for (id, times) in &self.blobs {
            let bytes = trace.blob_len(*id)?;
            given += times * bytes;
            stored += bytes;
        }
        Ok((given, stored))
    }
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let file = arguments.source.trace.display();
    let trace = arguments.source.look()?;
    let (mut counts, mut lives) = (Counts::default(), Lives::new());
    let mut progress = Progress::new("counting");
    let mut events = trace.events();
    while let Some(event) = events.next().with_context(|| file.to_string()).or_exit(exit::TRACE)? {
        progress.show(|| format!("frame {}", crate::dump::event::frame(&event)));
        counts.event(&event);
        lives.event(&trace, &event);
    }
    let (blobs, unread) = match counts.blob_bytes(&trace) {
        Ok(blobs) => (Some(blobs), None),
        Err(error) => (None, Some(error)),
    };
    let report = report(&counts, &lives, blobs);
    let lines = if arguments.json { vec![report.to_string()] } else { text(&report) };
    let mut output = Output::new();
    for line in lines {
        if !output.line(&line).context("cannot write to standard output").or_exit(exit::FAILED)? {
            return Ok(0);
        }
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    match (unread, counts.damaged + lives.damaged()) {
        (Some(error), _) => Err(Failure::message(exit::TRACE, format!("{file}: {error}"))),
        (None, 0) => Ok(0),
        (None, count) => Err(Failure::message(exit::TRACE, format!("{file}: {count} places are damaged"))),
    }
}

/// Everything, methods with most bytes first.
fn report(counts: &Counts, lives: &Lives, blobs: Option<(u64, u64)>) -> Json {
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
    json!({
        "calls": counts.methods.values().map(|(calls, _)| calls).sum::<u64>(),
        "call_bytes": counts.methods.values().map(|(_, bytes)| bytes).sum::<u64>(),
        "methods": methods,
        "memory": { "writes": counts.memory_writes, "bytes": counts.memory_bytes },
        "blobs": {
            "stored": counts.blobs.len(),
            "given": counts.blobs.values().sum::<u64>(),
            "stored_bytes": blobs.map(|(_, stored)| stored),
            "given_bytes": blobs.map(|(given, _)| given),
            // How many bytes of contents one stored byte stands for.
            "ratio": blobs.filter(|(_, stored)| *stored > 0).map(|(given, stored)| given as f64 / stored as f64),
        },
        "objects": classes,
        "leaks": lives.alive().map(leak).collect::<Json>(),
    })
}

/// For people.
fn text(report: &Json) -> Vec<String> {
    let number = |value: &Json| value.as_u64().unwrap_or_default();
    let members = |name: &str| report[name].as_object().into_iter().flatten();
    let (memory, blobs) = (&report["memory"], &report["blobs"]);
    let mut lines = vec![
        format!("calls:  {}, {}", report["calls"], output::bytes(number(&report["call_bytes"]))),
        format!(
            "memory: {} in {}",
            output::bytes(number(&memory["bytes"])),
            output::plural(number(&memory["writes"]), "write")
        ),
    ];
    let ratio = blobs["ratio"].as_f64().map_or_else(String::new, |ratio| format!(", {ratio:.2} to 1"));
    let stored = output::bytes(number(&blobs["stored_bytes"]));
    lines.push(format!("blobs:  {}, {stored}, given {} times{ratio}", blobs["stored"], blobs["given"]));
    lines.push(format!("{:>12} {:>12} method", "calls", "bytes"));
    lines.extend(
        members("methods")
            .map(|(name, of)| format!("{:>12} {:>12} {name}", number(&of["calls"]), number(&of["bytes"]))),
    );
    lines.push(format!("{:>12} {:>12} {:>12} {:>12} interface", "created", "released", "leaked", "most at once"));
    for (name, of) in members("objects") {
        let [created, released, leaked, most] =
            ["created", "released", "leaked", "most_at_once"].map(|of_what| number(&of[of_what]));
        lines.push(format!("{created:>12} {released:>12} {leaked:>12} {most:>12} {name}"));
    }
    let leaks = report["leaks"].as_array().map_or(&[][..], Vec::as_slice);
    lines.push(match leaks.len() {
        0 => "no leaks".to_owned(),
        count => format!("{}:", output::plural(count as u64, "leak")),
    });
    for leak in leaks.iter().take(LEAKS) {
        let word = |name: &str| leak[name].as_str().unwrap_or_default();
        // Escaped: it is the program's text.
        let name = leak["name"].as_str().map_or_else(String::new, |name| format!(" {name:?}"));
        let references = output::plural(number(&leak["references"]), "reference");
        let (class, id, call, method) = (word("class"), &leak["object"], &leak["call"], word("method"));
        lines.push(format!("  {class}({id}){name}: {references}, from call {call}, {method}"));
    }
    if leaks.len() > LEAKS {
        lines.push(format!("  … {} more: --json has all", leaks.len() - LEAKS));
    }
    lines
}
