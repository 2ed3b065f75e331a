//! `reprise notes`: what people keep of a trace, beside it.

use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::Output;
use crate::trace::open;
use anyhow::Context;
use reprise_timeline::index::{Cache, Index};
use reprise_view::notes::{self, Note};
use reprise_view::state;
use serde_json::json;
use std::cell::OnceCell;

const EXAMPLES: &str = "\
Notes are kept in TRACE.notes, a file in JSON beside the trace, which the page of `reprise inspect` shows and changes, too. A note is about a
call, an object or a frame, or about the trace. `reprise trim` and `reprise edit` write those that are about what the new trace has beside it,
with the numbers that calls and frames have there. TRACE.notes.lock is empty and stays: changes lock it, so that those made at once are all kept.

Examples:
  reprise notes game.reprise                                   lists them, each with its number
  reprise notes game.reprise --add 'the hole' --call 1234
  reprise notes game.reprise --add 'shadow map?' --object 57
  reprise notes game.reprise --add '' --frame 12               a bookmark alone
  reprise notes game.reprise --remove 2                        the second of the list

Exit codes: 0 success, 1 the file cannot be written, 2 wrong usage, or TRACE.notes is damaged or of another trace, 3 the trace cannot be read.";

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
    let all = match (&arguments.add, arguments.remove) {
        (Some(text), _) => {
            let Arguments { call, object, frame, .. } = *arguments;
            if let Some(boundary) = arguments.source.boundary.given().filter(|_| frame.is_some()) {
                let what = format!(
                    "notes name the frames that the trace has by itself: leave out --frame-boundary {boundary}, or make the note about a call"
                );
                return Err(Failure::message(exit::USAGE, what));
            }
            let note = Note { call, object, frame, text: text.clone() };
            let index = OnceCell::new();
            let chronicle = || {
                let made = Index::open(&trace, Cache::user(), &mut |_| {}).map_err(|error| error.to_string())?;
                Ok(index.get_or_init(|| made).chronicle())
            };
            notes::is_about(&trace, &note, chronicle).map_err(|what| Failure::message(exit::USAGE, what))?;
            notes::change(&file, &trace, |all| {
                all.push(note);
                Ok(())
            })
        }
        (None, Some(number)) => notes::change(&file, &trace, |all| match number.checked_sub(1) {
            Some(place) if place < all.len() => {
                all.remove(place);
                Ok(())
            }
            _ => Err(format!("there is no note {number}: the trace has {}", all.len())),
        }),
        (None, None) => notes::read(&file, &trace),
    };
    let all = all.map_err(|error| {
        let code = if matches!(error, notes::Error::Write(_)) { exit::FAILED } else { exit::USAGE };
        Failure::message(code, error)
    })?;
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

/// A note as a line. Text of people is escaped like that of traces: it may come from somebody else.
fn in_words(place: usize, note: &Note) -> String {
    let about = [("call", note.call), ("object", note.object.map(u64::from)), ("frame", note.frame)];
    let about: Vec<String> = about.iter().filter_map(|(name, it)| Some(format!("{name} {}", (*it)?))).collect();
    let about = if about.is_empty() { "trace".to_owned() } else { about.join(", ") };
    format!("{place:>3}  {about:<16} {}", state::clean(&note.text)).trim_end().to_owned()
}
