//! `reprise convert`: a trace as a table for other programs, or as a timeline for Perfetto.

use crate::convert::contents::{Contents, Place};
use crate::convert::{lines, parquet, perfetto, row::Row};
use crate::options::selection::Selection;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::progress::Progress;
use crate::terminal::whole_file::Whole;
use crate::trace::open;
use anyhow::Context;
use reprise_times::Costs;
use reprise_trace::read::Trace;
use reprise_view::damage::Met;
use reprise_view::dump::filter::Filter;
use reprise_view::dump::{Dump, Line};
use serde_json::{Map, Value as Json};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
A table with one row for each call, in the order in which calls began, and for everything else that happened:
  kind         call, or memory, observe, frame, fact, gap; return, of a call that returned long after its row
  call         its number, from 1; of what is no call: that of the last call before it
  frame, thread, time_ns, duration_ns, sequence
  interface, method, object, class
               the object that the call is on, or that the event is about
  result, returned
  args         JSON: arguments by name as they went in, or what the event says
  outputs      JSON: what the call gave back, by parameter
  objects      ids of all objects taken and given, also by an address or handle
  blobs        numbers of contents; args has the hash (XXH3-128) of each
  bytes        of the arguments and of what the call gave back, or stored to memory
  error        what is damaged
In JSON, integers beyond 2^53 are decimal text, so that no reader rounds them; handles, addresses and pointers are
hexadecimal, and floats that JSON has no number for are text. JSON lines leave out what is empty. Nothing of an
argument is cut; --contents has the bytes behind the hashes, too. Both formats are written in bounded memory; the file
appears when it is whole, in place of what had its name.

A file that ends in .pftrace is for Perfetto's viewer: threads with their calls, queues with submissions, signals and waits, values of fences as the
program sees them, frames. With times beside the trace (reprise time --save) there are tracks of the GPU, too: durations are measured; a submission is
drawn from the end of its call on, or from the end of the one before it on its queue.

Examples:
  reprise convert gears.reprise                               into gears.jsonl
  reprise convert --format jsonl -o - gears.reprise | jq -r 'select(.kind == \"call\") | .method' | sort | uniq -c
  reprise convert -o gears.parquet gears.reprise
  duckdb -c \"select method, count(*) from 'gears.parquet' group by 1 order by 2 desc\"
  python3 -c \"import pandas; print(pandas.read_parquet('gears.parquet').groupby('frame').size())\"
  reprise convert -o gears.pftrace gears.reprise              a timeline for Perfetto's viewer
  reprise convert --frames 3 --contents files gears.reprise   contents as files, in gears.contents

Exit codes: 0 success, 1 a file cannot be written, 2 wrong usage, 3 the trace cannot be read or parts of it are damaged.";

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// JSON lines: one object a row
    Jsonl,
    /// Apache Parquet, compressed with zstd
    Parquet,
    /// A timeline for Perfetto: its protobuf messages
    Pftrace,
}

/// What becomes of contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Wanted {
    /// Only their hashes
    None,
    /// Into the table, beside the hash
    Base64,
    /// As files, named by the hash, in the folder NAME.contents
    Files,
}

/// Write a trace as a table: JSON lines or Parquet; or as a timeline for Perfetto
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The format [default: as the output file's name ends, or jsonl]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// The file to write, - for standard output [default: NAME.jsonl, NAME.parquet or NAME.pftrace]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What becomes of blobs, and of what the program stored to mapped memory
    #[arg(long, value_name = "WHERE", default_value = "none")]
    contents: Wanted,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    source: open::Source,
}

/// A table under way.
enum Table {
    Lines(BufWriter<Destination>),
    Parquet(Box<parquet::Writer<Destination>>),
}

/// Where bytes go.
type Destination = Box<dyn Write + Send>;

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let file = &arguments.source.trace;
    let (format, output) = target(arguments)?;
    if format == Format::Pftrace && arguments.contents != Wanted::None {
        let told = "--contents is for tables: a timeline has no blobs. Leave it out, or write .jsonl or .parquet";
        return Err(Failure::message(exit::USAGE, told));
    }
    let is_stdout = output.as_os_str() == "-";
    if !is_stdout {
        arguments.source.spare(&output)?;
    }
    let trace = arguments.source.open_to_count()?;
    let filter = Filter::new(&arguments.selection.selected(&trace, &arguments.source)?)?;
    let contents = Contents::new(&trace, place(arguments, file)?);
    let cannot = || format!("cannot write {}", output.display());
    let whole = match is_stdout {
        true => None,
        false => Some(Whole::begin(&output).with_context(cannot).or_exit(exit::FAILED)?),
    };
    let sink: Destination = match &whole {
        None => Box::new(io::stdout()),
        Some(whole) => Box::new(whole.writer().with_context(cannot).or_exit(exit::FAILED)?),
    };
    let made = match format {
        Format::Pftrace => {
            let mut writer = timeline(sink, &trace, file);
            fill(&trace, filter, &contents, file, perfetto::Moment::new, |moment| writer.write(&moment))
                .and_then(|filled| Ok(writer.finish().map(|()| filled)?))
        }
        Format::Jsonl => {
            let table = Table::Lines(BufWriter::with_capacity(1 << 16, sink));
            table.fill(&trace, filter, &contents, file)
        }
        Format::Parquet => {
            let writer = parquet::Writer::new(sink).map_err(Stop::from);
            writer.and_then(|writer| Table::Parquet(Box::new(writer)).fill(&trace, filter, &contents, file))
        }
    };
    let made = made.and_then(|filled| Ok(whole.map_or(Ok(()), Whole::finish).map(|()| filled)?));
    let filled = match made {
        // Nobody reads any more: a reason to stop, and no failure.
        Err(Stop::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(0),
        Err(Stop::Write(error)) => return Err(error).with_context(cannot).or_exit(exit::FAILED),
        Err(Stop::Trace(failure)) => return Err(failure),
        Ok(filled) => filled,
    };
    if filled.rows == 0 {
        arguments.selection.tell_nothing(&trace);
    }
    Met::of(&trace).and_undecoded(filled.damaged).sound(file)?;
    Ok(0)
}

/// Why a table was not finished.
enum Stop {
    Write(io::Error),
    Trace(Failure),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Write(error)
    }
}

/// What a finished table has.
struct Filled {
    rows: u64,
    /// Damaged places.
    damaged: u64,
}

/// Writes all rows.
fn fill<L: Line>(
    trace: &Trace,
    filter: Filter,
    contents: &Contents<'_>,
    file: &Path,
    line: fn(&Map<String, Json>) -> L,
    mut write: impl FnMut(L) -> io::Result<()>,
) -> Result<Filled, Stop> {
    let mut rows = 0;
    let mut dump = Dump::new(filter, line).whole(contents);
    let mut progress = Progress::over("converting", trace.statistics().calls);
    let mut events = trace.events();
    let next =
        |error| Stop::Trace(Failure::new(exit::TRACE, anyhow::Error::new(error).context(file.display().to_string())));
    while let Some(event) = events.next().map_err(next)? {
        if dump.is_done(&event) {
            break;
        }
        let state = || format!("frame {}", reprise_view::dump::event::frame(&event));
        progress.show_part(event.number, trace.statistics().calls, state);
        dump.event(&event);
        while let Some(row) = dump.next() {
            rows += 1;
            write(row)?;
        }
        if let Some(error) = contents.failed() {
            return Err(error.into());
        }
    }
    while let Some(row) = dump.rest() {
        rows += 1;
        write(row)?;
    }
    Ok(Filled { rows, damaged: dump.damaged() + contents.missing() })
}

/// A timeline, with what the GPU did where that was measured.
fn timeline(sink: Destination, trace: &Trace, file: &Path) -> perfetto::Writer<BufWriter<Destination>> {
    let costs = Costs::beside(file).unwrap_or_else(|why| {
        reprise_log::warning(format_args!("there are no tracks of the GPU: {why}"));
        None
    });
    let program = trace.meta().get("program").and_then(|name| name.as_str()).unwrap_or("the program").to_owned();
    perfetto::Writer::new(BufWriter::with_capacity(1 << 16, sink), program, costs)
}

impl Table {
    /// Writes all rows.
    fn fill(mut self, trace: &Trace, filter: Filter, contents: &Contents<'_>, file: &Path) -> Result<Filled, Stop> {
        let filled = fill(trace, filter, contents, file, Row::new, |row| self.write(row))?;
        Ok(self.finish().map(|()| filled)?)
    }

    fn write(&mut self, row: Row) -> io::Result<()> {
        match self {
            Table::Lines(writer) => lines::write(writer, &row),
            Table::Parquet(writer) => writer.write(row),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Table::Lines(mut writer) => writer.flush(),
            Table::Parquet(writer) => writer.finish(),
        }
    }
}

/// The format, and the file it goes to.
fn target(arguments: &Arguments) -> Result<(Format, PathBuf), Failure> {
    let by_name = |output: &PathBuf| match output.extension().and_then(|ending| ending.to_str()) {
        Some("parquet") => Ok(Format::Parquet),
        Some("pftrace") => Ok(Format::Pftrace),
        Some("csv" | "arrow") => Err(Failure::message(
            exit::USAGE,
            format!(
                "{}: convert writes JSON lines and Parquet; `reprise query -o FILE` writes CSV and Arrow",
                output.display()
            ),
        )),
        _ => Ok(Format::Jsonl),
    };
    let format = match (arguments.format, &arguments.output) {
        (Some(format), _) => format,
        (None, Some(output)) => by_name(output)?,
        (None, None) => Format::Jsonl,
    };
    let ending = match format {
        Format::Jsonl => "jsonl",
        Format::Parquet => "parquet",
        Format::Pftrace => "pftrace",
    };
    let output = arguments.output.clone().unwrap_or_else(|| arguments.source.trace.with_extension(ending));
    Ok((format, output))
}

/// Where contents go; the folder is made.
fn place(arguments: &Arguments, trace: &Path) -> Result<Place, Failure> {
    Ok(match arguments.contents {
        Wanted::None => Place::Nowhere,
        Wanted::Base64 => Place::Table,
        Wanted::Files => {
            let beside = arguments.output.as_deref().filter(|output| output.as_os_str() != "-").unwrap_or(trace);
            let folder = beside.with_extension("contents");
            let cannot = || format!("cannot make the folder {}", folder.display());
            std::fs::create_dir_all(&folder).with_context(cannot).or_exit(exit::FAILED)?;
            Place::Folder(folder)
        }
    })
}
