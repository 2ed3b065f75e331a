//! `reprise time`: how long the GPU works at each draw call, pass, marker, pipeline, list, submission or frame.

mod sides;

use self::sides::{Sides, Way};
use super::replay;
use crate::options::adapter;
use crate::options::edits;
use crate::options::range::{self, Range};
use crate::ours;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::plural;
use crate::terminal::progress::Progress;
use crate::timing::counters::{self, Wanted};
use crate::timing::executables;
use crate::timing::group::{By, Table};
use crate::timing::keep;
use crate::timing::left_out::unlike_work;
use crate::timing::measured::{Measured, WARM_UP};
use crate::timing::program::Program;
use crate::timing::row::{Row, driver_json};
use crate::timing::selection::{self, Selection};
use crate::timing::shaders::Shaders;
use crate::timing::slower::{self, Decided, Slower};
use crate::timing::what_if::{self, Experiments};
use crate::trace::open;
use anyhow::Context;
use reprise_replay::{ExperimentWish, TimeKind, TimeWish};
use reprise_times::{Amount, DriverCounter, List, Missing, Occupancies, Operation, Samples, Sum, Tally, Times};
use reprise_trace::read::Trace;
use reprise_whole_file::Whole;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The trace is replayed several times with time stamps between the operations of its lists. A row has the median of the replays, the least and the
most. A stamp is written once everything before it is done. So where two draws overlap on the GPU, the row of the later one has only what it adds;
--serial lets nothing overlap, and is slower than the program. Rows by draw, marker, pipeline and shader need a stamp at each operation, rows by pass one
at each pass. Replays with stamps at lists alone measure what these stamps add. Bundles are one operation. Time between two submissions is not counted.

With --against the replays of two sides take turns. The other side is a trace, a library, variables of the environment, a Vulkan driver's file (it ends in
.json), or several of these, as a line of `reprise bisect`. With variables or a driver each side has a process of its own. A row is marked slower (+)
or faster (-) where the medians are at least 1 % apart and the difference is sure: by the ranks of all replays (Mann and Whitney's test; were all rows equal,
chance would mark one in a thousand tables), or because every replay of one side took longer than every one of the other.

--what-if plays the frames without one thing at a time, in turns with the frames as they are: draws, pixel shaders, textures, blending and more. Their
pictures are wrong then, but the time that they save is the cost of that thing. --of limits it to a pipeline, a marker, a pass, or calls.

--counters replays once more with queries around draws and dispatches, and shows what the GPU counted. Bytes come from the calls' arguments.
--shaders replays once more, and shows what the driver says of each pipeline's shaders: registers, instructions, code size, spills.

Examples:
  reprise time game.reprise --frames 100                      the longest operations of a frame
  reprise time game.reprise --frames 100 --by marker          the program's own markers
  reprise time game.reprise --by frame --json
  reprise time game.reprise --frames 100 --counters           vertices, pixels, bytes copied, beside the durations
  reprise time game.reprise --frames 100 --cpu                also how long the CPU was in the runtime
  reprise time game.reprise --frames 100 --what-if            what draws, textures, blending and so on cost
  reprise time game.reprise --frames 100 --what-if --of marker:shadows
  reprise time game.reprise --save                            also keep all of it in game.reprise.times, for query and inspect
  reprise time game.reprise --frames 100 --by pipeline --against vkd3d-proton
  reprise time game.reprise --frames 100 --against 'RADV_DEBUG=nodcc vkd3d-proton' --runtime vkd3d-proton
  reprise time game.reprise -e 'every ExecuteBundle: unroll'                  also the draws of bundles
  reprise time game.reprise -e 'call 1234: drop' --against game.reprise --by pipeline   what an edit saves
  reprise time game.reprise --against ./old/libreprise_d3d12.so --slower 10   for CI: exit code 1 where something is 10 % slower

With --against a file that is kept (--save, -o) has the first side alone.

Exit codes: 0 success, 1 nothing was timed, the replay failed, or with --slower something is slower or cannot be compared, 2 wrong usage, 3 the trace cannot be read or is
damaged, 4 with --validate: Vulkan's validation layer found errors.";

/// Measure how long the GPU works at each draw, pass, marker, pipeline, list or frame
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Frames whose submissions are timed: N, A-B or A- [default: all]
    #[arg(long, visible_alias = "frame", value_name = "A-B", value_parser = range::frames)]
    frames: Option<Range>,
    /// What a row stands for
    #[arg(long, value_enum, default_value_t = By::Draw)]
    by: By,
    /// Replays of each kind [default: 5; with --against and --what-if 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: Option<u32>,
    /// Begin each operation once everything before it is done
    #[arg(long)]
    serial: bool,
    /// Count: vertices, primitives, runs of shaders, samples, bytes (api; also without a value); what the driver counts, by names; list tells these
    #[arg(
        long, value_name = "api|NAME,…|list", num_args = 0..=1, require_equals = true, default_missing_value = "api",
        value_parser = counters::parse
    )]
    counters: Option<counters::Asked>,
    /// Ask our runtime what the driver made of shaders: registers, instructions, bytes
    #[arg(long)]
    shaders: bool,
    /// Rows to print; JSON has all
    #[arg(long, value_name = "N", default_value_t = 40)]
    limit: usize,
    /// What to compare with: another Direct3D 12 library, as --runtime, with variables of the environment before it; or another trace
    #[arg(long, value_name = "LIBRARY|TRACE")]
    against: Option<String>,
    /// End with exit code 1 where the whole, or a row of at least a hundredth of it, surely takes so many percent longer than on the other side
    #[arg(long, value_name = "PERCENT", requires = "against", value_parser = clap::value_parser!(u32).range(1..=1000))]
    slower: Option<u32>,
    /// Keep what was measured in TRACE.times, where `reprise query` and `reprise inspect` look for it
    #[arg(long)]
    save: bool,
    /// Keep it in this file
    #[arg(short, long, value_name = "FILE", conflicts_with = "save")]
    output: Option<PathBuf>,
    /// One replay of this kind, and nothing is printed. It ends with its standard input, where that is a pipe
    #[arg(long, value_enum, hide = true, requires = "output")]
    one: Option<One>,
    /// With --one driver: counters by their places
    #[arg(long, value_name = "N,N", value_delimiter = ',', hide = true, requires = "one")]
    driver_counters: Vec<u32>,
    /// With --one: read from standard input, a line for each, what else is to be replayed
    #[arg(long, hide = true, requires = "one", conflicts_with_all = ["without", "only"])]
    again: bool,
    /// Replays of each side that come before the others and are not counted [default: 1]
    #[arg(long, value_name = "N", conflicts_with_all = ["what_if", "fresh"], value_parser = clap::value_parser!(u32).range(0..=1000))]
    warm_up: Option<u32>,
    /// Play the frames again and again within one replay, on our runtime: each round counts as a replay
    #[arg(long = "loop", requires = "frames", conflicts_with_all = ["against", "what_if", "fresh", "one"])]
    repeats: bool,
    /// Play each replay in a process of its own, which finds nothing of earlier ones
    #[arg(long)]
    fresh: bool,
    /// Also how long the CPU was in the runtime's calls, and, where the trace says it, how long the captured program took
    #[arg(long, conflicts_with = "against")]
    cpu: bool,
    /// Leave out one thing at a time, and say how much time the frames save: all things, or names with commas between them
    #[arg(
        long, value_name = "LIST", num_args = 0..=1, require_equals = true, default_missing_value = "all", value_parser = what_if::parse,
        conflicts_with_all = ["against", "by", "serial", "counters", "limit", "slower", "save", "output", "one", "cpu", "shaders"]
    )]
    what_if: Option<Experiments>,
    /// With --what-if: of these operations alone
    #[arg(long, value_name = "pipeline:ID|marker:TEXT|pass:CALL|calls:A-B", requires = "what_if", value_parser = selection::parse)]
    of: Option<Selection>,
    /// With --one: compare what the program read back
    #[arg(long, hide = true, requires = "one")]
    reads: bool,
    /// With --one: an experiment
    #[arg(long, value_name = "NAME", hide = true, requires = "one", value_parser = what_if::parse)]
    without: Option<Experiments>,
    /// With --without: a file of ranges of calls that it is limited to
    #[arg(long, value_name = "FILE", hide = true, requires = "without")]
    only: Option<PathBuf>,
    /// Print what was timed as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    runtime: replay::Runtime,
    #[command(flatten)]
    adapter: adapter::Choice,
    #[command(flatten)]
    edits: edits::Said,
    #[command(flatten)]
    source: open::Source,
}

impl Arguments {
    /// Whether what was measured is kept in a file.
    fn keeps(&self) -> bool {
        self.save || self.output.is_some()
    }
}

/// Kinds of replays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum One {
    Operations,
    Passes,
    Lists,
    Counts,
    Shaders,
    Driver,
}

/// What the replays came to.
struct Measurement {
    here: Times,
    /// On the other library.
    there: Option<Times>,
    /// All that was timed, with stamps at lists alone.
    plain: Samples,
    runs: u32,
    /// Passes have stamps, and not each operation.
    by_passes: bool,
}

pub(crate) fn run(arguments: &mut Arguments) -> Ended {
    // A process of this one's own hands its times over in a file.
    let keeps = arguments.keeps() && arguments.one.is_none();
    if let Some(boundary) = arguments.source.boundary.given().filter(|_| keeps) {
        let what = format!(
            "a file of times has the frames that the trace has by itself: leave out --frame-boundary {boundary}, or --save and --output"
        );
        return Err(Failure::message(exit::USAGE, what));
    }
    if keeps && arguments.edits.is_there() {
        let what = "a file of times is of the trace as it is: leave out --save and --output, or write the edited trace first (`reprise edit -o`)";
        return Err(Failure::message(exit::USAGE, what));
    }
    let _edited = arguments.edits.apply(&mut arguments.source)?;
    let arguments = &*arguments;
    let trace = arguments.source.open()?;
    let frames = arguments.frames.unwrap_or((1, u64::MAX));
    arguments.source.has_frame(&trace, frames.0)?;
    let output = match (&arguments.output, arguments.save) {
        (Some(output), _) => Some(output.clone()),
        (None, true) => Some(reprise_times::beside(&arguments.source.trace)),
        (None, false) => None,
    };
    output.iter().try_for_each(|output| arguments.source.spare(output))?;
    output.iter().try_for_each(|output| writable(output))?;
    if let Some(percent) = arguments.slower.filter(|_| (runs(arguments) as usize) < Samples::FEWEST) {
        let told = format!(
            "--slower {percent} decides by chance with so few replays: of {fewest} on each side all are longer than all others once in 252 \
             times. Leave --runs out (10), or ask for at least {fewest}",
            fewest = Samples::FEWEST
        );
        return Err(Failure::message(exit::USAGE, told));
    }
    if arguments.repeats && frames.1 == u64::MAX {
        let told = "--loop plays frames again once they are over: say which is the last of them, as in --frames 100 or --frames 100-110";
        return Err(Failure::message(exit::USAGE, told));
    }
    if arguments.serial && arguments.one.is_none() && !arguments.by.needs_operations() {
        let told = "--serial keeps operations apart, and these rows are of whole lists, in which none is timed: leave it out, or say --by draw";
        return Err(Failure::message(exit::USAGE, told));
    }
    // Devices are made with them.
    ours::count_by_driver(arguments.driver_counters.clone());
    let experiments = arguments.what_if.is_some();
    #[cfg(windows)]
    if arguments.fresh {
        return Err(Failure::message(
            exit::USAGE,
            "--fresh is not there on Windows, where all replays are made in this process",
        ));
    }
    let way =
        Way { experiments, cpu: arguments.cpu, fresh: arguments.fresh, warm_up: arguments.warm_up.unwrap_or(WARM_UP) };
    let from = (&arguments.source, &trace);
    let mut sides = Sides::new(from, (&arguments.runtime, &arguments.adapter), arguments.against.as_deref(), way)?;
    output.iter().try_for_each(|output| sides.spare(output))?;
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    #[cfg(unix)]
    if arguments.again {
        crate::timing::kept::serve(|what, serial| {
            let wish = TimeWish { frames, what, serial };
            let times = sides.once(None, &Measured::of(wish))?;
            output.iter().try_for_each(|output| save(&times, output))
        })?;
        return Ok(0);
    }
    if let Some(one) = arguments.one {
        #[cfg(unix)]
        crate::timing::apart::end_with_parent();
        let what = match one {
            One::Operations => TimeKind::Operations,
            One::Passes => TimeKind::Passes,
            One::Lists => TimeKind::Lists,
            One::Counts => TimeKind::Counts,
            One::Shaders => TimeKind::Shaders,
            One::Driver => TimeKind::Driver,
        };
        let experiment = arguments.without.as_ref().map(|what| experiment(arguments, what, frames)).transpose()?;
        let wish = TimeWish { frames, what, serial: arguments.serial };
        let counters = &arguments.driver_counters;
        let (experiment, reads) = (experiment.as_ref(), arguments.reads);
        let times = sides.once(None, &Measured { experiment, counters, reads, ..Measured::of(wish) })?;
        output.iter().try_for_each(|output| save(&times, output))?;
        return Ok(0);
    }
    if arguments.counters == Some(counters::Asked::List) {
        ours_alone(arguments, "--counters=list")?;
        let all = counters::there()?;
        match arguments.json {
            true => replay::print(&counters::list(&all).to_string())?,
            false => counters::lines(&all).iter().try_for_each(|line| replay::print(line))?,
        }
        return Ok(0);
    }
    let driver = wanted(arguments)?;
    if let Some(wanted) = &arguments.what_if {
        let what_if = what_if::measure(&mut sides, frames, (wanted, arguments.of.as_ref()), runs(arguments))?;
        match arguments.json {
            true => replay::print(&what_if.json().to_string())?,
            false => what_if.lines().iter().try_for_each(|line| replay::print(line))?,
        }
        return Ok(0);
    }
    let shaders = (arguments.by == By::Shader).then(|| Shaders::of(&trace)).transpose()?;
    let table =
        |measured: &Measurement| Table::of(arguments.by, shaders.clone(), &measured.here, measured.there.as_ref());
    let least = arguments.slower.map(|percent| f64::from(percent) / 100.0);
    let anew = |before: u32| {
        if before > 0 {
            sides.begin_anew();
        }
        measure(arguments, (&sides, &driver), &trace, frames)
    };
    let Decided { measured, slower, measurements } = slower::decide(anew, |measured| {
        let Some(least) = least else { return Slower::default() };
        let table = table(measured);
        Slower::of(&table, &table.rows(arguments.against.is_some()), least)
    })?;
    let is_slower = !slower.is_none();
    let mut table = table(&measured);
    let unlike = measured.there.as_ref().and_then(|there| unlike_work(&measured.here, there));
    if let Some(run) = measured.here.runs.last().filter(|_| arguments.cpu) {
        table.add_program(&Program::of(&trace)?, run);
    }
    if let Some(why) = measured.here.untimed() {
        return Err(Failure::message(exit::FAILED, why));
    }
    output.iter().try_for_each(|output| save(&measured.here, output))?;
    let rows = table.rows(arguments.against.is_some());
    if arguments.json {
        let mut json = as_json(arguments, frames, &measured, &table, &rows);
        if arguments.against.is_some() {
            json["slower"] = match least {
                Some(_) if !is_slower && !table.is_comparable => Json::Null,
                Some(_) => is_slower.into(),
                None => Json::Null,
            };
            json["measurements"] = measurements.into();
        }
        replay::print(&json.to_string())?;
    } else {
        say(arguments, &measured, &table, &rows)?;
        if arguments.shaders {
            let shaders = Shaders::of(&trace)?;
            let Times { executables, silence, .. } = &measured.here;
            executables::lines(executables, *silence, &shaders).iter().try_for_each(|line| replay::print(line))?;
        }
    }
    if let Some(words) = arguments.adapter.in_words().filter(|_| !arguments.json) {
        replay::print(&words)?;
    }
    if let Some((percent, what)) = arguments.slower.zip(unlike).filter(|_| !is_slower) {
        let both = match rows.iter().any(|row| row.ratio().is_some()) {
            true => "The rows that both run are not slower",
            false => "No row can be compared: --by draw has those that both run",
        };
        let told = format!("--slower {percent} cannot decide about the whole: {what}. {both}");
        return Err(Failure::message(exit::FAILED, told));
    }
    if measurements > 1 && !arguments.json {
        let what = if is_slower { "it is slower in all of them" } else { "nothing is slower in all of them" };
        replay::print(&format!("measured {measurements} times, because something was slower: {what}"))?;
    }
    Ok(match (is_slower, arguments.adapter.is_wrong()) {
        (true, _) => exit::FAILED,
        (false, true) => exit::VALIDATION,
        (false, false) => 0,
    })
}

impl Arguments {
    /// Whether queries of the API count.
    fn counts(&self) -> bool {
        matches!(self.counters, Some(counters::Asked::Count { api: true, .. }))
    }
}

/// Refuses another library for what our own runtime alone answers.
fn ours_alone(arguments: &Arguments, option: &str) -> Result<(), Failure> {
    let Some(other) = arguments.runtime.name().filter(|name| *name != "ours") else { return Ok(()) };
    let told = format!("{option} asks our own runtime for what the driver counts, and --runtime names {other}");
    Err(Failure::message(exit::USAGE, told))
}

/// The driver's counters that are asked for.
///
/// # Errors
/// They cannot be counted here.
fn wanted(arguments: &Arguments) -> Result<Wanted, Failure> {
    let Some(counters::Asked::Count { names, .. }) = &arguments.counters else { return Ok(Wanted::default()) };
    if names.is_empty() {
        return Ok(Wanted::default());
    }
    ours_alone(arguments, &format!("--counters={}", names.join(",")))?;
    if arguments.adapter.validates() {
        let told =
            "--counters=NAME counts in a process of its own, which --validate does not reach: leave one of both out";
        return Err(Failure::message(exit::USAGE, told));
    }
    Wanted::of(names, &counters::there()?)
}

/// How often each kind is replayed.
fn runs(arguments: &Arguments) -> u32 {
    let compares = arguments.against.is_some() || arguments.what_if.is_some();
    arguments.runs.unwrap_or(if compares { 10 } else { 5 })
}

/// Refuses what cannot be written, before anything is measured.
fn writable(output: &Path) -> Result<(), Failure> {
    let whole = Whole::begin(output).with_context(|| format!("cannot write {}", output.display()));
    whole.or_exit(exit::FAILED).map(drop)
}

/// The experiment of one replay, with what it is limited to.
fn experiment(arguments: &Arguments, what: &Experiments, frames: Range) -> Result<ExperimentWish, Failure> {
    let what = what.0.first().copied().ok_or_else(|| Failure::message(exit::USAGE, "--without names no experiment"))?;
    let calls = match &arguments.only {
        None => Vec::new(),
        Some(file) => {
            let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()));
            let ranges: Result<Vec<Range>, String> = text.or_exit(exit::FAILED)?.lines().map(range::calls).collect();
            ranges.map_err(|error| Failure::message(exit::USAGE, format!("{}: {error}", file.display())))?
        }
    };
    Ok(ExperimentWish { what, frames, calls })
}

fn save(times: &Times, output: &Path) -> Result<(), Failure> {
    times.save(output).with_context(|| format!("cannot write {}", output.display())).or_exit(exit::FAILED)
}

/// Replays in turns: on both libraries, with stamps at operations and at lists. One more counts.
fn measure(
    arguments: &Arguments,
    (sides, driver): (&Sides<'_>, &Wanted),
    trace: &Trace,
    frames: Range,
) -> Result<Measurement, Failure> {
    let runs = runs(arguments);
    let operations = arguments.by.needs_operations() || arguments.cpu || arguments.keeps();
    // Where only passes are asked for, stamps stand between them alone.
    let passes = arguments.by == By::Pass
        && !arguments.serial
        && arguments.counters.is_none()
        && !arguments.cpu
        && !arguments.keeps();
    let what = match (operations, passes) {
        (_, true) => TimeKind::Passes,
        (true, false) => TimeKind::Operations,
        (false, false) => TimeKind::Lists,
    };
    let wish = TimeWish { frames, what, serial: arguments.serial };
    let mut measured =
        Measurement { here: Times::default(), there: None, plain: Samples::default(), runs, by_passes: passes };
    let mut progress = Progress::new("timing");
    // The first replay of a process waits for shaders that later ones find made. Other processes warm up by themselves.
    let warm_up = if sides.share_a_process() { arguments.warm_up.unwrap_or(WARM_UP) } else { 0 };
    // Whether rows can be compared is known after one.
    let replays = if arguments.repeats { 0 } else { warm_up.max(u32::from(sides.other().is_some())) };
    for _ in 0..replays {
        progress.show(|| "warming up".to_owned());
        let wish = TimeWish { what: TimeKind::Lists, serial: false, ..wish };
        let here = sides.here(wish)?;
        let there = arguments.against.as_ref().map(|other| sides.there(other, wish)).transpose()?;
        if let Some((there, other)) = there.zip(sides.other()) {
            comparable(arguments.by, (&here, trace), (&there, other))?;
        }
    }
    if arguments.repeats {
        progress.show(|| format!("{runs} rounds"));
        let rounds = |wish| {
            let mut times = sides.repeated(wish, warm_up + runs)?;
            times.runs.drain(..times.runs.len().min(warm_up as usize));
            Ok::<Times, Failure>(times)
        };
        measured.here = rounds(wish)?;
        if operations {
            let plain = rounds(TimeWish { what: TimeKind::Lists, serial: false, ..wish })?;
            plain.runs.iter().for_each(|run| measured.plain.add(run.duration()));
        }
    }
    for number in 1..=if arguments.repeats { 0 } else { runs } {
        progress.show(|| format!("replay {number} of {runs}"));
        let times = sides.here(wish)?;
        keep::merge(&mut measured.here, times);
        if operations {
            let plain = sides.here(TimeWish { what: TimeKind::Lists, serial: false, ..wish })?;
            plain.runs.iter().for_each(|run| measured.plain.add(run.duration()));
        }
        if let Some(other) = &arguments.against {
            keep::merge(measured.there.get_or_insert_default(), sides.there(other, wish)?);
        }
    }
    #[cfg(unix)]
    for (number, places) in (1..).zip(&driver.replays) {
        progress.show(|| format!("the driver counts: replay {number} of {}", driver.replays.len()));
        let wish = TimeWish { what: TimeKind::Driver, serial: false, ..wish };
        keep::merge(&mut measured.here, sides.driven(wish, places)?);
    }
    #[cfg(windows)]
    let _ = driver;
    if arguments.counts() {
        progress.show(|| "counting".to_owned());
        keep::merge(&mut measured.here, sides.counted(TimeWish { what: TimeKind::Counts, serial: false, ..wish })?);
    }
    if arguments.shaders {
        progress.show(|| "asking for shaders".to_owned());
        keep::merge(&mut measured.here, sides.here(TimeWish { what: TimeKind::Shaders, serial: false, ..wish })?);
    }
    Ok(measured)
}

/// Refuses rows that do not stand for the same in two traces.
fn comparable(by: By, here: (&Times, &Trace), there: (&Times, &Trace)) -> Result<(), Failure> {
    let refused = |what: String| {
        let told =
            format!("{what}. Ask for rows --by marker, shader or frame, which have names of their own in each trace");
        Err(Failure::message(exit::USAGE, told))
    };
    if let Some(why) = there.0.untimed() {
        return Err(Failure::message(exit::FAILED, format!("of the other trace {why}")));
    }
    match by {
        By::Marker | By::Shader | By::Frame => Ok(()),
        By::Pipeline if reprise_edit::are_related(here.1, there.1) => Ok(()),
        By::Pipeline => refused(
            "neither trace is an edit of the other, so pipelines of the same number need not be the same".into(),
        ),
        By::Draw | By::Pass | By::List | By::Submission => {
            let (here, there) = (&here.0.operations, &there.0.operations);
            let method =
                |operations: &BTreeMap<u64, Operation>, call: u64| operations.get(&call).map(|one| one.method.clone());
            let mut calls = here.keys().chain(there.keys()).copied();
            let Some(call) = calls.find(|call| method(here, *call) != method(there, *call)) else { return Ok(()) };
            let name = |operations| method(operations, call).unwrap_or_else(|| "no operation".into());
            refused(format!(
                "call {call} is {} in this trace and {} in the other, so their rows would stand for different calls",
                name(here),
                name(there)
            ))
        }
    }
}

/// How much longer everything takes with a stamp at each operation, as a share.
fn added(measured: &Measurement, table: &Table, serial: bool) -> Option<f64> {
    let plain = measured.plain.median();
    (!plain.is_nan() && !serial).then(|| table.total[0].median() / plain - 1.0)
}

/// How many submissions and operations the last replay timed.
fn counts(measured: &Measurement) -> (u64, u64) {
    let Some(run) = measured.here.runs.last() else { return (0, 0) };
    let lists = run.submissions.iter().flat_map(|submission| &submission.lists);
    let operations =
        |list: &List| list.passes.iter().map(|pass| pass.operations).sum::<u64>() + list.operations.len() as u64;
    (run.submissions.len() as u64, lists.map(operations).sum())
}

/// What was not timed, and what was not counted.
fn missing(measured: &Measurement) -> [Missing; 2] {
    [measured.here.missing_times(), measured.here.missing_counts()]
}

fn as_json(arguments: &Arguments, frames: Range, measured: &Measurement, table: &Table, rows: &[Row]) -> Json {
    let total = table.total[0].median();
    let reasons = |missing: &Missing| {
        missing.iter().map(|(reason, calls)| json!({ "reason": reason, "calls": calls })).collect::<Vec<Json>>()
    };
    let [untimed, uncounted] = missing(measured);
    let mut json = json!({
        "frames": [frames.0, (frames.1 != u64::MAX).then_some(frames.1)],
        "by": clap::ValueEnum::to_possible_value(&arguments.by).map(|value| value.get_name().to_owned()),
        "serial": arguments.serial,
        "runs": measured.runs,
        "repeated": arguments.repeats,
        "submissions": counts(measured).0,
        "total_ms": table.total[0].json(),
        "stamps_add": added(measured, table, arguments.serial),
        "queues": Occupancies::of(&measured.here.runs).map(|all| all.json()),
        "plain_ms": (!measured.plain.is_empty()).then(|| measured.plain.json()),
        "stamps": match (arguments.by.needs_operations() || arguments.cpu, measured.by_passes) {
            (_, true) => "pass",
            (true, false) => "operation",
            (false, false) => "list",
        },
        "rows": rows.iter().map(|row| row.json(total, &table.driver)).collect::<Vec<_>>(),
        "untimed": reasons(&untimed),
        "validation": arguments.adapter.as_json(),
    });
    if arguments.shaders {
        json["executables"] = executables::json(&measured.here.executables);
        json["executables_silence"] = json!(measured.here.silence);
    }
    if let Some(tally) = &table.tally {
        json["total_counts"] = tally.json();
    }
    if !table.driver.is_empty() {
        let counters = table.driver.iter().map(|(counter, _)| counter);
        json["driver_counters"] = json!(counters.collect::<Vec<_>>());
        json["driver_replays"] = measured.here.driver.len().into();
        json["total_driver_counts"] = driver_json(table.driver.iter().map(|(counter, sum)| (counter, sum)));
    }
    if table.tally.is_some() || !table.driver.is_empty() {
        json["uncounted"] = reasons(&uncounted).into();
    }
    if let Some(other) = &arguments.against {
        json["against"] = other.clone().into();
        json["against_total_ms"] = table.total[1].json();
        json["comparable"] = table.is_comparable.into();
    }
    json
}

/// A smaller share of time without work, or of time that is counted several times, is not told.
const IDLE: f64 = 0.01;

/// What is printed of the counts, by name, with a head.
const COUNTED: [(&str, &str); 7] = [
    ("vertices", "vertices"),
    ("primitives", "primitives"),
    ("pixel_invocations", "pixels"),
    ("samples_passed", "samples"),
    ("compute_invocations", "compute"),
    ("bytes_copied", "copied"),
    ("bytes_cleared", "cleared"),
];

/// The columns of counts, or their heads.
fn columns(tally: Option<&Tally>) -> String {
    let Some(tally) = tally else { return String::new() };
    let cell = |(name, _): &(&str, &str)| tally.get(name).map_or_else(|| "-".to_owned(), |count| count.to_string());
    COUNTED.iter().map(|one| format!(" {:>11}", cell(one))).collect()
}

/// The columns of the driver's counters. A dash stands for what was not counted, or for several operations without a sum.
fn driver_columns(counters: &[(DriverCounter, Sum)], counted: &[Sum]) -> String {
    let cell = |(at, (counter, _)): (usize, &(DriverCounter, Sum))| {
        let amount = counted.get(at).and_then(|sum| sum.amount());
        let cell = amount.map_or_else(|| "-".to_owned(), in_digits);
        format!(" {cell:>width$}", width = width(counter))
    };
    counters.iter().enumerate().map(cell).collect()
}

/// How wide a counter's column is.
fn width(counter: &DriverCounter) -> usize {
    counter.name.chars().count().max(11)
}

fn in_digits(amount: Amount) -> String {
    match amount {
        Amount::Whole(number) => number.to_string(),
        Amount::Signed(number) => number.to_string(),
        Amount::Real(Some(number)) => format!("{number:.3}"),
        Amount::Real(None) => "no number".to_owned(),
    }
}

/// When the queues worked; nothing of one queue that had work all the time.
fn occupancy(all: &Occupancies, ms: &impl Fn(f64) -> String) -> Vec<String> {
    let (span, busy) = (all.span.median(), all.busy.median());
    let mut lines = Vec::new();
    if all.queues.len() > 1 {
        let queues = all.queues.iter().map(|(queue, worked)| format!("queue {queue} {}", ms(worked.median())));
        let (queues, together) = (queues.collect::<Vec<_>>().join(", "), ms(all.together.median()));
        lines.push(format!("{queues}; {together} of it two or more at one time"));
    }
    let (sum, overlap) = (all.sum.median(), all.overlap.median());
    if overlap > sum * IDLE {
        lines.push(format!(
            "what rows take adds up to {}, {} of it at one time with other rows: {} by the clock",
            ms(sum),
            ms(overlap),
            ms(busy)
        ));
    }
    if busy < span * (1.0 - IDLE) {
        lines.push(format!(
            "{} ms from the first list to the last; {} of it no queue worked",
            ms(span),
            ms(span - busy)
        ));
    }
    lines
}

fn say(arguments: &Arguments, timed: &Measurement, table: &Table, rows: &[Row]) -> Result<(), Failure> {
    let [here, there] = &table.total;
    let ms = |nanoseconds: f64| format!("{:.3}", nanoseconds / 1e6);
    let range = |samples: &Samples| format!("{} to {}", ms(samples.least()), ms(samples.most()));
    let (submissions, operations) = counts(timed);
    let counted = match operations {
        0 => plural(submissions, "submission"),
        count => format!("{} in {}", plural(count, "operation"), plural(submissions, "submission")),
    };
    replay::print(&format!(
        "{} ms of work on the GPU, the median of {} ({}); {counted}",
        ms(here.median()),
        plural(u64::from(timed.runs), if arguments.repeats { "round" } else { "replay" }),
        range(here)
    ))?;
    if let Some(added) = added(timed, table, arguments.serial) {
        let at = if timed.by_passes { "pass" } else { "operation" };
        replay::print(&format!("stamps at each {at} add {:.1} %", added * 100.0))?;
    }
    if let Some(all) = Occupancies::of(&timed.here.runs) {
        occupancy(&all, &ms).iter().try_for_each(|line| replay::print(line))?;
    }
    if let Some(other) = &arguments.against {
        let compared = match table.is_comparable {
            true => format!("{:.2} times as long here", here.median() / there.median()),
            false => "not comparable, because one side leaves out what the other one runs".to_owned(),
        };
        replay::print(&format!("{} ms on {other} ({}): {compared}", ms(there.median()), range(there)))?;
    }
    let heads = if arguments.against.is_some() {
        "        ms     there  ratio"
    } else {
        "        ms     least      most  share"
    };
    let counted = COUNTED.iter().map(|(_, head)| format!(" {head:>11}")).collect::<String>();
    let counted = if table.tally.is_some() { counted } else { String::new() };
    let driver = table.driver.iter().map(|(counter, _)| format!(" {:>width$}", counter.name, width = width(counter)));
    let counted = counted + &driver.collect::<String>();
    let counted = if table.has_cpu() { format!("{:>10}{:>10}{counted}", "CPU", "program") } else { counted };
    replay::print(&format!("\n{heads}{counted}  call"))?;
    for row in rows.iter().take(arguments.limit) {
        let what = format!("{}{}{}", "  ".repeat(row.depth), row.label(), row.left_out());
        let own = if row.samples.is_empty() { "-".to_owned() } else { ms(row.samples.median()) };
        let counted = columns(row.tally.as_ref()) + &driver_columns(&table.driver, &row.driver);
        let counted = match &row.cpu {
            Some(cpu) => {
                let own = if cpu.is_empty() { "-".to_owned() } else { ms(cpu.median()) };
                format!("{own:>10}{:>10}{counted}", row.program.map_or_else(|| "-".to_owned(), ms))
            }
            None => counted,
        };
        let line = match &row.others {
            Some(others) => {
                let mark = match (row.is_slower(), row.is_faster()) {
                    (true, _) => '+',
                    (_, true) => '-',
                    _ => ' ',
                };
                let ratio = row.ratio().filter(|ratio| ratio.is_finite());
                let ratio = ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
                let others = if others.is_empty() { "-".to_owned() } else { ms(others.median()) };
                format!("{own:>10}{others:>10} {ratio:>5}{mark}{counted}  {what}")
            }
            None => {
                let share = row.samples.median() / here.median() * 100.0;
                let range = [row.samples.least(), row.samples.most()].map(ms);
                format!("{own:>10}{:>10}{:>10} {share:>5.1}%{counted}  {what}", range[0], range[1])
            }
        };
        replay::print(&line)?;
    }
    if let Some(rest) = rows.get(arguments.limit..).filter(|rest| !rest.is_empty()) {
        let sum: f64 = rest.iter().filter(|row| row.depth == 0).map(|row| row.samples.median()).sum();
        replay::print(&format!(
            "{:>10}  {} (--limit shows more, --json has all)",
            ms(sum),
            plural(rest.len() as u64, "more row")
        ))?;
    }
    let [untimed, uncounted] = missing(timed);
    for (what, of, missing) in [("not timed", "submission", &untimed), ("not counted", "operation", &uncounted)] {
        for (reason, calls) in missing {
            let some: Vec<String> = calls.iter().take(5).map(u64::to_string).collect();
            let more = if calls.len() > some.len() { ", ..." } else { "" };
            let count = plural(calls.len() as u64, of);
            replay::print(&format!("{what}: {count}: {reason} (calls {}{more})", some.join(", ")))?;
        }
    }
    Ok(())
}
