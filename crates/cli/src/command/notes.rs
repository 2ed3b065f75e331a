//! `reprise notes`: what people keep of a trace, beside it.

use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::Output;
use crate::trace::open;
use anyhow::Context;
use reprise_trace::read::Trace;
use reprise_trace::record::Kind;
use reprise_view::notes::{self, Note};
use reprise_view::state;
use serde_json::json;

const EXAMPLES: &str = "\
Notes are kept in TRACE.notes, a file in JSON beside the trace, which the page of `reprise inspect` shows and changes, too. A note is about a
call, an object or a frame, or about the trace. `reprise trim` writes those that are about what it keeps beside the new trace, with the
numbers that calls and frames have there.

Examples:
  reprise notes game.reprise                                   lists them, each with its number
  reprise notes game.reprise --add 'the hole' --call 1234
  reprise notes game.reprise --add 'shadow map?' --object 57
  reprise notes game.reprise --add '' --frame 12               a bookmark alone
  reprise notes game.reprise --remove 2                        the second of the list

Exit codes: 0 success, 1 the file cannot be written, 2 wrong usage, or TRACE.notes is of another trace, 3 the trace cannot be read.";

/// Keep notes of calls, objects and frames beside a trace
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Add a note with this text
    #[arg(long, value_name = "TEXT", conflicts_with = "remove")]
    add: Option<String>,
    /// What is added is about this call
    #[arg(long, value_name = "N", requires = "add", value_parser = clap::value_parser!(u64).range(1..))]
    call: Option<u64>,
    /// What is added is about this object
    #[arg(long, value_name = "ID", requires = "add", value_parser = clap::value_parser!(u32).range(1..))]
    object: Option<u32>,
    /// What is added is about this frame, counted from 1
    #[arg(long, value_name = "N", requires = "add", value_parser = clap::value_parser!(u64).range(1..))]
    frame: Option<u64>,
    /// Remove the note with this number in the list
    #[arg(long, value_name = "NUMBER")]
    remove: Option<usize>,
    /// One JSON array
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let trace = arguments.source.open()?;
    let file = notes::beside(&arguments.source.trace);
    let usage = |what: String| Failure::message(exit::USAGE, what);
    let mut all = notes::read(&file, &trace).map_err(usage)?;
    let changes = arguments.add.is_some() || arguments.remove.is_some();
    if let Some(text) = &arguments.add {
        if let Some(call) = arguments.call.filter(|call| !has(&trace, *call)) {
            return Err(usage(format!("the trace has no call {call}: `reprise dump` numbers them")));
        }
        let Arguments { call, object, frame, .. } = *arguments;
        all.push(Note { call, object, frame, text: text.clone() });
    }
    if let Some(place) = arguments.remove {
        if place == 0 || place > all.len() {
            return Err(usage(format!("there is no note {place}: the trace has {}", all.len())));
        }
        all.remove(place - 1);
    }
    if changes {
        all = notes::write(&file, &trace, all).map_err(|what| Failure::message(exit::FAILED, what))?;
    }
    let mut output = Output::new();
    let lines: Vec<String> = match arguments.json {
        true => vec![json!(all).to_string()],
        false => all.iter().enumerate().map(|(place, note)| in_words(place + 1, note)).collect(),
    };
    for line in lines {
        if !output.line(&line).context("cannot write to standard output").or_exit(exit::FAILED)? {
            return Ok(0);
        }
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Ok(0)
}

/// Whether the trace has a call.
fn has(trace: &Trace, call: u64) -> bool {
    let mut events = trace.from_call(call);
    while let Ok(Some(event)) = events.next() {
        if event.kind == Kind::Enter && event.number >= call {
            return event.number == call;
        }
    }
    false
}

/// A note as a line. Text of people is escaped like that of traces: it may come from somebody else.
fn in_words(place: usize, note: &Note) -> String {
    let about = [("call", note.call), ("object", note.object.map(u64::from)), ("frame", note.frame)];
    let about: Vec<String> = about.iter().filter_map(|(name, it)| Some(format!("{name} {}", (*it)?))).collect();
    let about = if about.is_empty() { "trace".to_owned() } else { about.join(", ") };
    format!("{place:>3}  {about:<16} {}", state::clean(&note.text)).trim_end().to_owned()
}
