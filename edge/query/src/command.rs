//! The command line. It takes a question, has it answered, and writes the answer.

use crate::exit::{self, Ended, Failure};
use crate::grouping::ByNumber;
use crate::output::{Compression, Format, Output, To};
use crate::provider::Provider;
use crate::refused::Refuse;
use crate::source::{self, Source};
use crate::{message, table};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use reprise_whole_file::Whole;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Tables are about what a trace has: calls, frames, lists, objects, barriers, ... `--tables` lists
all, with what each column means. The calls of any method, with its parameters as columns, are a
table of their own: method('CreateCommittedResource'). Every table has the column trace: with
several traces it says which. Filters on trace, call, frame, method, time_ns and the object of a
call are quick: only that part of the file is read.

Examples:
  reprise query game.reprise 'SELECT method, count(*) AS n FROM calls GROUP BY 1 ORDER BY 2 DESC LIMIT 20'
  reprise query game.reprise 'SELECT frame, draws, dispatches FROM frames ORDER BY draws DESC LIMIT 5'
  reprise query game.reprise 'SELECT * FROM draws WHERE frame = 12'
  reprise query game.reprise \"SELECT call, path, text FROM args WHERE call = 4711\"
  reprise query game.reprise 'SELECT call, method, duration_ns / 1e6 AS ms FROM calls ORDER BY duration_ns DESC NULLS LAST LIMIT 10'
  reprise query game.reprise 'SELECT \"Width\", count(*) FROM method('\\''CreateHeap'\\'') GROUP BY 1'
  reprise query a.reprise b.reprise 'SELECT trace, count(*) FROM barriers GROUP BY trace'
  reprise query --plot frame,draws game.reprise 'SELECT frame, draws FROM frames'
  reprise query --plot method,n -o calls.svg game.reprise 'SELECT method, count(*) AS n FROM calls GROUP BY 1 ORDER BY 2 DESC LIMIT 20'
  reprise query -o draws.parquet game.reprise 'SELECT * FROM draws'
  reprise query --arrow - game.reprise 'SELECT * FROM frames' | python3 -c 'import pyarrow, sys; print(pyarrow.ipc.open_stream(sys.stdin.buffer).read_all())'
docs/query.md answers 20 questions that people ask.

Exit codes: 0 success, 1 the answer cannot be written, 2 wrong usage or wrong SQL, 3 a trace cannot
be read or parts of it are damaged: what is sound was answered, and the damage is named on standard
error.";

/// Ask traces in SQL
#[derive(Debug, clap::Parser)]
#[command(name = "reprise query", bin_name = "reprise query", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The traces, and after them the question, in SQL
    #[arg(value_name = "TRACE... SQL", required_unless_present = "tables")]
    rest: Vec<String>,
    /// List all tables and columns, and what they mean
    #[arg(long)]
    tables: bool,
    /// How the answer is written [default: as the output file's name ends, or table]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// The file to write, - for standard output; it appears when the answer is whole
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The same as --format arrow --output FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "output", "plot"])]
    arrow: Option<PathBuf>,
    /// How columns of Parquet are compressed: none, zstd, or zstd:LEVEL with a level from 1 to 22 [default: zstd:3]
    #[arg(long, value_name = "METHOD", conflicts_with_all = ["arrow", "plot"])]
    compression: Option<Compression>,
    /// A chart of two columns of the answer: in characters, or SVG where the output file's name ends in .svg
    #[arg(long, value_name = "X,Y", conflicts_with = "format")]
    plot: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    if arguments.tables {
        return ended(list());
    }
    let Some((sql, traces)) = arguments.rest.split_last().filter(|(_, traces)| !traces.is_empty()) else {
        return Err(Failure::new(
            exit::USAGE,
            "name a trace, and behind it the question: reprise query game.reprise 'SELECT * FROM frames'",
        ));
    };
    if Path::new(sql).is_file() {
        return Err(Failure::new(exit::USAGE, format!("{sql} is a file: the question in SQL comes last")));
    }
    let paths: Vec<PathBuf> = traces.iter().map(PathBuf::from).collect();
    let target = arguments.arrow.as_deref().or(arguments.output.as_deref());
    if let Some(trace) = paths.iter().find(|path| target.is_some_and(|target| are_one(path, target))) {
        let message = format!("{} is a trace that is read: name another file to write", trace.display());
        return Err(Failure::new(exit::USAGE, message));
    }
    let names = source::names(&paths).map_err(|error| Failure::new(exit::USAGE, error))?;
    let sources: Result<Vec<_>, _> =
        paths.iter().zip(names).map(|(path, name)| Source::open(path, name).map(Arc::new)).collect();
    let sources: Arc<[Arc<Source>]> = sources.map_err(|error| Failure::new(exit::TRACE, error))?.into();
    sources.iter().filter_map(|source| source.part()).for_each(exit::warn);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(processors()).build();
    let runtime = runtime.map_err(|error| Failure::new(exit::FAILED, format!("cannot start: {error}")))?;
    let answered = runtime.block_on(answer(arguments, sql, &sources));
    // Threads that still read end when they find that nobody takes their batches.
    runtime.shutdown_background();
    sources.iter().flat_map(|source| source.lacking()).for_each(exit::warn);
    let damage: Vec<String> = sources.iter().filter_map(|source| source.sound().err()).collect();
    match (answered, damage.is_empty()) {
        (Ok(()), false) => Err(Failure::new(exit::TRACE, damage.join("\n"))),
        (answered, _) => answered,
    }
}

/// Whether two paths lead to the same file.
fn are_one(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Has the question answered, and writes the answer.
async fn answer(arguments: &Arguments, sql: &str, sources: &Arc<[Arc<Source>]>) -> Ended {
    let config = SessionConfig::new().with_target_partitions(processors()).with_information_schema(true);
    let context = SessionContext::new_with_config(config);
    context.add_analyzer_rule(Arc::new(ByNumber::new()));
    let mut names = Vec::new();
    let failed = |error: &DataFusionError, names: &[String]| message::failure(error, names);
    for table in table::all() {
        names.push(table.name().to_owned());
        let name = table.name().to_owned();
        let provider = Arc::new(Provider::new(table, Arc::clone(sources)));
        context.register_table(name, provider).map_err(|error| failed(&error, &names))?;
    }
    context.register_udtf("method", Arc::new(table::MethodFunction(Arc::clone(sources))));
    context.register_relation_planner(Arc::new(Refuse)).map_err(|error| failed(&error, &names))?;
    let options = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
    let frame = context.sql_with_options(sql, options).await.map_err(|error| failed(&error, &names))?;
    let schema: SchemaRef = Arc::new(frame.schema().as_arrow().clone());
    let mut stream = frame.execute_stream().await.map_err(|error| failed(&error, &names))?;
    let target = arguments.arrow.as_deref().or(arguments.output.as_deref()).filter(|path| path.as_os_str() != "-");
    let cannot = |error: io::Error| match error.kind() {
        // The reader of our output, such as `head`, has ended. That is no failure.
        io::ErrorKind::BrokenPipe => None,
        _ => Some(Failure::new(
            exit::FAILED,
            match target {
                Some(path) => format!("cannot write {}: {error}", path.display()),
                None => format!("cannot write to standard output: {error}"),
            },
        )),
    };
    let (mut output, file) = match begin(arguments, target, &schema) {
        Ok(begun) => begun,
        Err(Begin::Usage(text)) => return Err(Failure::new(exit::USAGE, text)),
        Err(Begin::Write(error)) => return cannot(error).map_or(Ok(()), Err),
    };
    let progress = Progress::new();
    while let Some(batch) = stream.next().await {
        let batch = batch.map_err(|error| failed(&error, &names))?;
        progress.rows(batch.num_rows());
        if let Err(error) = output.batch(&batch) {
            return cannot(error).map_or(Ok(()), Err);
        }
    }
    drop(progress);
    match output.finish(&schema).and_then(|()| file.map_or(Ok(()), Whole::finish)) {
        Err(error) => cannot(error).map_or(Ok(()), Err),
        Ok(()) => Ok(()),
    }
}

/// Why an answer was not begun.
enum Begin {
    Usage(String),
    Write(io::Error),
}

/// Begins to write the answer. With it comes the file that it goes to, if it goes to one; finishing the file lets it appear.
fn begin(arguments: &Arguments, target: Option<&Path>, schema: &SchemaRef) -> Result<(Output, Option<Whole>), Begin> {
    let svg = target.and_then(Path::extension).is_some_and(|ending| ending == "svg");
    let to = || -> Result<(To, Option<Whole>), Begin> {
        let file = target.map(Whole::begin).transpose().map_err(Begin::Write)?;
        let to: Box<dyn Write + Send> = match &file {
            Some(file) => Box::new(file.writer().map_err(Begin::Write)?),
            None => Box::new(io::stdout()),
        };
        Ok((BufWriter::with_capacity(1 << 16, to), file))
    };
    if let Some(columns) = &arguments.plot {
        let (to, file) = to()?;
        return Ok((Output::chart(to, svg, columns, schema).map_err(Begin::Usage)?, file));
    }
    if svg {
        return Err(Begin::Usage("an SVG is a chart: say which columns with --plot X,Y".into()));
    }
    let format = match &arguments.arrow {
        Some(_) => Format::Arrow,
        None => arguments.format.or_else(|| Format::of(target?)).unwrap_or(Format::Table),
    };
    if matches!(format, Format::Parquet | Format::Arrow) && target.is_none() && io::stdout().is_terminal() {
        return Err(Begin::Usage("this format is not for a terminal: name a file with -o, or a pipe".into()));
    }
    if arguments.compression.is_some() && format != Format::Parquet {
        return Err(Begin::Usage(
            "--compression is for Parquet: --format parquet, or a file that ends in .parquet".into(),
        ));
    }
    if format == Format::Csv
        && let Some(field) = schema.fields().iter().find(|field| field.data_type().is_nested())
    {
        let message = format!("CSV has no lists, and the column {} has some: use --format json", field.name());
        return Err(Begin::Usage(message));
    }
    let compression = arguments.compression.unwrap_or_default();
    let (to, file) = to()?;
    let output = Output::new(format, compression, to, schema).map_err(Begin::Write)?;
    Ok((output, file))
}

/// Processors of this machine.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// All tables, columns and what they mean.
fn list() -> io::Result<()> {
    let mut to = BufWriter::new(io::stdout());
    writeln!(
        to,
        "Every table has trace before these columns: the file's name, with folders where two traces have the same one. Numbers are whole and\n\
         signed, of 64 bits; edges and sizes of viewports have fractions.\n"
    )?;
    for table in table::all() {
        writeln!(to, "{}: {}", table.name(), table.about())?;
        let columns = table.columns();
        let width = columns.iter().map(|column| column.name.len()).max().unwrap_or(0);
        for column in columns {
            let kind = match column.kind {
                table::Kind::Number | table::Kind::Real => "number",
                table::Kind::Flag => "flag",
                _ => "text",
            };
            writeln!(to, "  {:width$}  {kind:6}  {}", column.name, column.about)?;
        }
        writeln!(to)?;
    }
    writeln!(
        to,
        "method('Name'): calls of a method, with call, frame, thread, object, duration_ns, returned, method, and a column for"
    )?;
    writeln!(to, "  each parameter, named as in the API: in double quotes, as SQL asks for where letters are large")?;
    to.flush()
}

fn ended(written: io::Result<()>) -> Ended {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(exit::FAILED, format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Shows on a terminal how many rows have come, from the first second on.
struct Progress(Arc<Shown>);

#[derive(Default)]
struct Shown {
    rows: AtomicU64,
    done: AtomicBool,
}

impl Progress {
    fn new() -> Progress {
        let shown = Arc::new(Shown::default());
        if io::stderr().is_terminal() {
            let shown = Arc::clone(&shown);
            std::thread::spawn(move || show(&shown));
        }
        Progress(shown)
    }

    /// So many rows have come.
    fn rows(&self, rows: usize) {
        self.0.rows.fetch_add(rows as u64, Ordering::Relaxed);
        // The rows go to the same terminal, and show the progress themselves.
        if io::stdout().is_terminal() {
            self.0.done.store(true, Ordering::Relaxed);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.done.store(true, Ordering::Relaxed);
    }
}

fn show(shown: &Shown) {
    let began = Instant::now();
    let mut written = false;
    while !shown.done.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
        if began.elapsed() > Duration::from_secs(1) && !shown.done.load(Ordering::Relaxed) {
            eprint!("\r{} rows, {} s", shown.rows.load(Ordering::Relaxed), began.elapsed().as_secs());
            written = true;
        }
    }
    if written {
        eprint!("\r\u{1b}[K");
    }
}
