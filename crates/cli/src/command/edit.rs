//! `reprise edit`: a trace with other arguments, calls, shaders and contents.

use super::replay;
use crate::options::edits::{self, Asked};
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::{bytes, plural};
use crate::terminal::place;
use crate::terminal::whole_file::Whole;
use crate::trace::notes::Carried;
use crate::trace::open;
use anyhow::Context;
use reprise_edit::{Error, Plan, Refusal, SyntaxError, Written};
use reprise_trace::read::Trace;
use reprise_trace::trace_writer::FileOutput;
use reprise_view::damage::Met;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The new trace is a trace like any other. `diff` shows what is different, and `info` that it was edited and how. Calls have the numbers and
arguments the names that `dump` prints. Every edit is checked against the whole trace first; what it makes impossible is refused, with the reason,
and then nothing is written. docs/edit.md has the whole language.

Edits, one a line:
  call 1234: pViewports[0].Width = 640              an argument of a call
  calls 100-200 DrawInstanced: drop                 calls out of the trace
  frame 3: every DrawInstanced where InstanceCount = 1: drop
  every RSSetScissorRects: pRects[0].right = 320    all calls of a method
  call 1234: repeat                                 a call once more, right after itself
  insert before call 1234: DrawInstanced(3, 1, 0, 0)
  shader of 57 PS = \"red.dxil\"                      a pipeline's shader, by the pipeline's id
  buffer 12+0x100 = \"constants.bin\"                 what the program stores to a buffer
  texture 30 subresource 0 = \"white.bin\"            what it uploads to a texture
  force samples 4 = 2                               the same for all; also force format, force size

Examples:
  reprise edit gears.reprise -e 'call 1234: drop' -o without.reprise
  reprise edit gears.reprise --edit changes.txt      into gears.edited.reprise
  reprise edit --check gears.reprise -e 'frame 3: every DrawInstanced: drop'
                                                     would it work, and what does it change
  reprise diff gears.reprise without.reprise         what the edits changed, and nothing else
  reprise edit --undo without.reprise -o again.reprise
                                                     the trace before the last edit, record for record
  reprise replay gears.reprise -e 'call 1234: drop' --screenshots 3
                                                     play it so, and write no trace

Exit codes: 0 success, 1 an edit cannot be done or undone, or a file cannot be written, 2 wrong usage, or a line that is no edit, 3 the trace cannot
be read, is damaged, or is not complete.";

/// Change calls, arguments, shaders and contents of a trace, into a new trace
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    edits: edits::Said,
    /// Write the trace as it was before its last edit, which it keeps: every record with its bytes and times
    #[arg(long, conflicts_with_all = ["files", "lines", "check"])]
    undo: bool,
    /// The trace to write [default: NAME.edited.reprise, with --undo NAME.undone.reprise]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Check the edits, say what they change, and write nothing
    #[arg(long, conflicts_with_all = ["output", "force"])]
    check: bool,
    /// Replace the trace if it exists; it stays until there is a new one
    #[arg(short, long)]
    force: bool,
    /// One JSON object: what was changed and written, or the edit that cannot be done and why
    #[arg(long)]
    json: bool,
    /// Say in the JSON which number this call has in the new trace; several times for several
    #[arg(long = "number", value_name = "CALL", requires = "json", conflicts_with = "check")]
    numbers: Vec<u64>,
    /// Say nothing on success
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &mut Arguments) -> Ended {
    let ended = edit(arguments);
    if let Err(failure) = &ended
        && arguments.json
    {
        replay::print(&json!({ "error": refused(failure) }).to_string())?;
    }
    ended
}

/// Why there is no edited trace, for scripts.
fn refused(failure: &Failure) -> Json {
    if let Some(Refusal { place, edit, call, what }) = failure.cause() {
        let call = Some(call).filter(|call| **call != 0);
        return json!({ "source": place.source, "line": place.line, "edit": edit, "call": call, "reason": what });
    }
    if let Some(SyntaxError { place, column, what }) = failure.cause() {
        return json!({ "source": place.source, "line": place.line, "column": column, "reason": what });
    }
    json!({ "reason": failure.to_string() })
}

fn edit(arguments: &mut Arguments) -> Ended {
    let Asked { edits, files } = arguments.edits.edits()?;
    if edits.is_empty() && !arguments.undo {
        return Err(Failure::message(
            exit::USAGE,
            "no edit: -e 'EDIT' or --edit FILE says what to change, and --undo undoes the last edit",
        ));
    }
    arguments.source.others = files;
    let arguments = &*arguments;
    let source = &arguments.source;
    let ending = if arguments.undo { "undone.reprise" } else { "edited.reprise" };
    let output = arguments.output.clone().unwrap_or_else(|| source.trace.with_extension(ending));
    if !arguments.check {
        source.spare(&output)?;
        place::free(&output, arguments.force)?;
    }
    let trace = source.open()?;
    Met::of(&trace).sound(&source.trace)?;
    let carried = || Carried::of(&source.trace, &trace, &output, arguments.force, arguments.quiet);
    if arguments.undo {
        let cannot = |error| edits::failure(&source.trace, &output, error);
        let undone = reprise_edit::last_edits(&trace).map_err(cannot)?;
        let notes = carried()?;
        let written = write(&trace, source, &output, reprise_edit::undo)?;
        let noted = notes.put(&trace, &output, &written.numbers, Some);
        told_undone(arguments, (&output, &written), &undone, noted.as_ref().ok())?;
        return noted.map(|_| 0);
    }
    let plan = edits::plan(&trace, &source.trace, &edits)?;
    if arguments.check {
        return told(arguments, None, &plan, None);
    }
    let notes = carried()?;
    let written = write(&trace, source, &output, |trace, file| reprise_edit::write(trace, &plan, file))?;
    let noted = notes.put(&trace, &output, &written.numbers, Some);
    told(arguments, Some((&output, &written)), &plan, noted.as_ref().ok())?;
    noted.map(|_| 0)
}

impl Arguments {
    /// Which number each call that is asked for has in a new trace; none where it is not there.
    fn numbers(&self, written: &Written) -> BTreeMap<u64, Option<u64>> {
        self.numbers.iter().map(|call| (*call, written.numbers.of(*call))).collect()
    }
}

/// Writes a trace that is there whole or not at all.
fn write(
    trace: &Trace,
    source: &open::Source,
    output: &Path,
    write: impl FnOnce(&Trace, FileOutput) -> Result<Written, Error>,
) -> Result<Written, Failure> {
    let cannot = || format!("cannot write {}", output.display());
    let whole = Whole::begin(output).with_context(cannot).or_exit(exit::FAILED)?;
    let file = FileOutput::of(whole.writer().with_context(cannot).or_exit(exit::FAILED)?);
    let written = write(trace, file);
    // What is damaged was left out, and whatever else is wrong may be so for that reason.
    Met::of(trace).sound(&source.trace)?;
    let written = written.map_err(|error| edits::failure(&source.trace, output, error))?;
    whole.finish().with_context(cannot).or_exit(exit::FAILED)?;
    Ok(written)
}

/// Says what was undone, and where it was written.
fn told_undone(
    arguments: &Arguments,
    (output, written): (&Path, &Written),
    undone: &[String],
    notes: Option<&usize>,
) -> Ended {
    if arguments.json {
        let report = json!({
            "output": output.display().to_string(),
            "bytes": written.bytes,
            "calls": written.calls,
            "frames": written.frames,
            "undone": undone,
            "notes": notes,
            "numbers": arguments.numbers(written),
        });
        replay::print(&report.to_string())?;
    } else if !arguments.quiet {
        let (size, edits) = (bytes(written.bytes), plural(undone.len() as u64, "edit"));
        let _ = writeln!(std::io::stderr(), "reprise: {}: {size}; {edits} undone", output.display());
    }
    Ok(0)
}

/// Says what was changed, and where it was written.
fn told(arguments: &Arguments, written: Option<(&PathBuf, &Written)>, plan: &Plan, notes: Option<&usize>) -> Ended {
    if arguments.json {
        let report = json!({
            "output": written.map(|(output, _)| output.display().to_string()),
            "bytes": written.map(|(_, written)| written.bytes),
            "calls": written.map(|(_, written)| written.calls),
            "frames": written.map(|(_, written)| written.frames),
            "changed_calls": plan.changed(),
            "dropped_calls": plan.dropped(),
            "inserted_calls": plan.inserted(),
            "changed_stores": plan.stores(),
            "notes": notes,
            "numbers": written.map(|(_, written)| arguments.numbers(written)),
        });
        replay::print(&report.to_string())?;
    } else if !arguments.quiet {
        let counts = [
            (plan.changed() as u64, "call", "changed"),
            (plan.dropped() as u64, "call", "dropped"),
            (plan.inserted() as u64, "call", "inserted"),
            (plan.stores() as u64, "store", "changed"),
        ];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, what, done)| format!("{} {done}", plural(count, what))).collect();
        let place = match written {
            Some((output, written)) => format!("{}: {}", output.display(), bytes(written.bytes)),
            None => "would do, and nothing is written".to_owned(),
        };
        let _ = writeln!(std::io::stderr(), "reprise: {place}; {}", counts.join(", "));
    }
    Ok(0)
}
