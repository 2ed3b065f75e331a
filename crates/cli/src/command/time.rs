//! `reprise time`: how long the GPU works at each draw call, pass, marker, pipeline, list, submission or frame.

use super::replay;
use crate::options::adapter;
use crate::options::range::{self, Range};
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::plural;
use crate::terminal::progress::Progress;
#[cfg(unix)]
use crate::timing::apart::Apart;
use crate::timing::group::{By, Row, Table};
use crate::timing::keep;
use crate::timing::tally::Tally;
use crate::trace::open;
#[cfg(unix)]
use crate::trial::{candidate::Candidate, outcome::Outcome};
use anyhow::Context;
use reprise_replay::{TimeKind, TimeWish};
use reprise_times::{About, Samples, Times};
use reprise_trace::read::Trace;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The trace is replayed several times with time stamps between the operations of its lists. A row has the median of the replays, the least and the
most. A stamp is written once everything before it is done: where the GPU works at two draws at one time, a row has what the later one adds;
--serial keeps them apart, and is slower than the program. Rows by draw, pass, marker and pipeline need a stamp at each operation; what these stamps
add is measured by replays with one at each list, and told. Bundles are one operation. Of the time between two submissions nothing is counted.

With --against the replays of the two libraries take turns. What it names is a library, variables of the environment, a Vulkan driver's file (it ends in
.json), or several of these, as a line of `reprise bisect`; with variables or a driver each replay has a process of its own. A row is marked slower (+)
or faster (-) where the ranks of both say so (Mann and Whitney's test; were all rows equal, chance would mark one in a thousand tables), or where it was
so in every replay, and the median by at least 1 %.

--counters replays once more with queries around draws and dispatches, and says what the GPU counted; bytes are what the calls say.

Examples:
  reprise time game.reprise --frames 100                      the longest operations of a frame
  reprise time game.reprise --frames 100 --by marker          the program's own markers
  reprise time game.reprise --by frame --json
  reprise time game.reprise --frames 100 --counters           vertices, pixels, bytes copied, beside the durations
  reprise time game.reprise --save                            also keep all of it in game.reprise.times, for query and inspect
  reprise time game.reprise --frames 100 --by pipeline --against vkd3d-proton
  reprise time game.reprise --frames 100 --against 'RADV_DEBUG=nodcc vkd3d-proton' --runtime vkd3d-proton
  reprise time game.reprise --against ./old/libreprise_d3d12.so --slower 10   for CI: exit code 1 where something is 10 % slower

Exit codes: 0 success, 1 nothing was timed, the replay failed, or with --slower something is slower, 2 wrong usage, 3 the trace cannot be read or is
damaged.";

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
    /// Replays of each kind [default: 5; with --against 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: Option<u32>,
    /// Begin each operation once everything before it is done
    #[arg(long)]
    serial: bool,
    /// Count vertices, primitives, runs of shaders, samples, bytes
    #[arg(long)]
    counters: bool,
    /// Rows to print; JSON has all
    #[arg(long, value_name = "N", default_value_t = 40)]
    limit: usize,
    /// What to compare with: another Direct3D 12 library, as --runtime, with variables of the environment before it
    #[arg(long, value_name = "LIBRARY")]
    against: Option<String>,
    /// End with exit code 1 where the whole, or a row of at least a hundredth of it, surely takes so many percent longer than there
    #[arg(long, value_name = "PERCENT", requires = "against", value_parser = clap::value_parser!(u32).range(1..=1000))]
    slower: Option<u32>,
    /// Keep what was measured in TRACE.times, where `reprise query` and `reprise inspect` look for it
    #[arg(long)]
    save: bool,
    /// Keep it in this file
    #[arg(short, long, value_name = "FILE", conflicts_with = "save")]
    output: Option<PathBuf>,
    /// One replay of this kind, and nothing is printed
    #[arg(long, value_enum, hide = true, requires = "output")]
    one: Option<One>,
    /// Print what was timed as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    runtime: replay::Runtime,
    #[command(flatten)]
    adapter: adapter::Choice,
    #[command(flatten)]
    source: open::Source,
}

/// Kinds of replays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum One {
    Operations,
    Lists,
    Counts,
}

/// What the replays came to.
struct Measurement {
    here: Times,
    /// On the other library.
    there: Option<Times>,
    /// All that was timed, with stamps at lists alone.
    plain: Samples,
    runs: u32,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let trace = arguments.source.open()?;
    let frames = arguments.frames.unwrap_or((1, u64::MAX));
    arguments.source.has_frame(&trace, frames.0)?;
    let output = match (&arguments.output, arguments.save) {
        (Some(output), _) => Some(output.clone()),
        (None, true) => Some(reprise_times::beside(&arguments.source.trace)),
        (None, false) => None,
    };
    output.iter().try_for_each(|output| arguments.source.spare(output))?;
    let sides = Sides::new(arguments, &trace)?;
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    if let Some(one) = arguments.one {
        let what = match one {
            One::Operations => TimeKind::Operations,
            One::Lists => TimeKind::Lists,
            One::Counts => TimeKind::Counts,
        };
        let times = sides.here(TimeWish { frames, what, serial: arguments.serial })?;
        output.iter().try_for_each(|output| save(&times, output))?;
        return Ok(0);
    }
    let measured = measure(arguments, &sides, frames)?;
    let table = Table::of(arguments.by, &measured.here, measured.there.as_ref());
    // A list without operations has no time.
    if table.total[0].most() <= 0.0 {
        let untimed = measured.here.runs.iter().find_map(|run| run.untimed.keys().next());
        let why = untimed.map_or("no list with operations was submitted in these frames", |why| why);
        return Err(Failure::message(exit::FAILED, format!("nothing was timed: {why}")));
    }
    output.iter().try_for_each(|output| save(&measured.here, output))?;
    let rows = table.rows(arguments.against.is_some());
    if arguments.json {
        replay::print(&as_json(arguments, frames, &measured, &table, &rows).to_string())?;
    } else {
        say(arguments, &measured, &table, &rows)?;
    }
    let slower = arguments.slower.is_some_and(|percent| table.is_slower(&rows, f64::from(percent) / 100.0));
    Ok(match (slower, arguments.adapter.is_wrong()) {
        (true, _) => exit::FAILED,
        (false, true) => exit::VALIDATION,
        (false, false) => 0,
    })
}

fn save(times: &Times, output: &Path) -> Result<(), Failure> {
    times.save(output).with_context(|| format!("cannot write {}", output.display())).or_exit(exit::FAILED)
}

/// Where replays are measured: in this process, or each in one of its own, where the other side wants another environment or driver.
struct Sides<'a> {
    arguments: &'a Arguments,
    trace: &'a Trace,
    trace_bytes: u64,
    #[cfg(unix)]
    apart: Option<(Apart, Candidate)>,
}

impl<'a> Sides<'a> {
    fn new(arguments: &'a Arguments, trace: &'a Trace) -> Result<Self, Failure> {
        let trace_bytes = std::fs::metadata(&arguments.source.trace).map_or(0, |file| file.len());
        #[cfg(unix)]
        let apart = {
            let other = arguments.against.as_deref().map(Candidate::of_line).transpose();
            let other = other.map_err(|error| Failure::message(exit::USAGE, format!("--against: {error}")))?;
            let other = other.filter(|other| !other.variables.is_empty());
            if other.is_some() && (arguments.adapter.validates() || arguments.runtime.convention().is_some()) {
                let told = "--against with variables or a driver plays each replay in a process of its own, which --validate and \
                            --convention do not reach: leave them out, or name a library alone";
                return Err(Failure::message(exit::USAGE, told));
            }
            let apart = |other| {
                let apart = Apart {
                    trace: arguments.source.trace.clone(),
                    rings: arguments.source.rings.clone(),
                    runtime: arguments.runtime.name().unwrap_or("ours").to_owned(),
                    gpu: arguments.adapter.gpu().map(str::to_owned),
                    fence_timeout: arguments.runtime.fence_timeout(),
                    patience: None,
                };
                (apart, other)
            };
            // In this process the environment is read once.
            other.map(apart)
        };
        Ok(Self {
            arguments,
            trace,
            trace_bytes,
            #[cfg(unix)]
            apart,
        })
    }

    fn here(&self, wish: TimeWish) -> Result<Times, Failure> {
        #[cfg(unix)]
        if let Some((apart, _)) = &self.apart {
            return well(apart.measure(&Candidate::default(), wish)?);
        }
        self.once(None, wish)
    }

    fn there(&self, other: &str, wish: TimeWish) -> Result<Times, Failure> {
        #[cfg(unix)]
        if let Some((apart, other)) = &self.apart {
            return well(apart.measure(other, wish)?);
        }
        self.once(Some(other), wish)
    }

    /// One replay in this process.
    fn once(&self, library: Option<&str>, wish: TimeWish) -> Result<Times, Failure> {
        let arguments = self.arguments;
        let mut options = arguments.runtime.options()?;
        if let Some(library) = library {
            options.runtime = Some(library.to_owned());
            options.convention = None;
        }
        let about = About {
            trace_bytes: self.trace_bytes,
            frames: (wish.frames.0, (wish.frames.1 != u64::MAX).then_some(wish.frames.1)),
            serial: wish.serial,
            by_operation: wish.what == TimeKind::Operations,
            runtime: options.runtime.clone().unwrap_or_default(),
        };
        options.timing = Some(wish);
        options.quit_after_frame = (wish.frames.1 != u64::MAX).then_some(wish.frames.1);
        let mut report = replay::play_quietly(&arguments.source, options)?;
        replay::sound(&report, &arguments.source)?;
        let report = report.timing.take().unwrap_or_default();
        Ok(keep::times(report, about, wish.what == TimeKind::Counts, self.trace))
    }
}

#[cfg(unix)]
fn well(played: Result<Times, Outcome>) -> Result<Times, Failure> {
    played.map_err(|outcome| Failure::message(exit::FAILED, outcome.to_string()))
}

/// Replays in turns: on both libraries, with stamps at operations and at lists. One more counts.
fn measure(arguments: &Arguments, sides: &Sides<'_>, frames: Range) -> Result<Measurement, Failure> {
    let runs = arguments.runs.unwrap_or(if arguments.against.is_some() { 10 } else { 5 });
    let operations = arguments.by.needs_operations();
    let what = if operations { TimeKind::Operations } else { TimeKind::Lists };
    let wish = TimeWish { frames, what, serial: arguments.serial };
    let mut measured = Measurement { here: Times::default(), there: None, plain: Samples::default(), runs };
    let mut progress = Progress::new("timing");
    for number in 1..=runs {
        progress.show(|| format!("replay {number} of {runs}"));
        let times = sides.here(wish)?;
        measured.here.about = times.about.clone();
        keep::merge(&mut measured.here, times);
        if operations {
            let plain = sides.here(TimeWish { what: TimeKind::Lists, serial: false, ..wish })?;
            plain.runs.iter().for_each(|run| measured.plain.add(run.duration()));
        }
        if let Some(other) = &arguments.against {
            keep::merge(measured.there.get_or_insert_default(), sides.there(other, wish)?);
        }
    }
    if arguments.counters {
        progress.show(|| "counting".to_owned());
        keep::merge(&mut measured.here, sides.here(TimeWish { what: TimeKind::Counts, serial: false, ..wish })?);
    }
    Ok(measured)
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
    (run.submissions.len() as u64, lists.map(|list| list.operations.len() as u64).sum())
}

/// What the last replay did not time, and what was not counted.
fn missing(measured: &Measurement) -> [BTreeMap<String, Vec<u64>>; 2] {
    let untimed = measured.here.runs.last().map(|run| run.untimed.clone());
    let uncounted = measured.here.counted.as_ref().map(|counted| counted.uncounted.clone());
    [untimed.unwrap_or_default(), uncounted.unwrap_or_default()]
}

fn as_json(arguments: &Arguments, frames: Range, measured: &Measurement, table: &Table, rows: &[Row]) -> Json {
    let total = table.total[0].median();
    let reasons = |missing: &BTreeMap<String, Vec<u64>>| {
        missing.iter().map(|(reason, calls)| json!({ "reason": reason, "calls": calls })).collect::<Vec<Json>>()
    };
    let [untimed, uncounted] = missing(measured);
    let mut json = json!({
        "frames": [frames.0, (frames.1 != u64::MAX).then_some(frames.1)],
        "by": clap::ValueEnum::to_possible_value(&arguments.by).map(|value| value.get_name().to_owned()),
        "serial": arguments.serial,
        "runs": measured.runs,
        "submissions": counts(measured).0,
        "total_ms": table.total[0].json(),
        "stamps_add": added(measured, table, arguments.serial),
        "rows": rows.iter().map(|row| row.json(total)).collect::<Vec<_>>(),
        "untimed": reasons(&untimed),
    });
    if let Some(tally) = &table.tally {
        json["total_counts"] = tally.json();
        json["uncounted"] = reasons(&uncounted).into();
    }
    if let Some(other) = &arguments.against {
        json["against"] = other.clone().into();
        json["against_total_ms"] = table.total[1].json();
        json["slower"] = arguments.slower.map(|percent| table.is_slower(rows, f64::from(percent) / 100.0)).into();
    }
    json
}

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
        plural(u64::from(timed.runs), "replay"),
        range(here)
    ))?;
    if let Some(added) = added(timed, table, arguments.serial) {
        replay::print(&format!("stamps at each operation add {:.1} %", added * 100.0))?;
    }
    if let Some(other) = &arguments.against {
        let ratio = here.median() / there.median();
        replay::print(&format!(
            "{} ms on {other} ({}): {ratio:.2} times as long here",
            ms(there.median()),
            range(there)
        ))?;
    }
    let heads = if arguments.against.is_some() {
        "        ms     there  ratio"
    } else {
        "        ms     least      most  share"
    };
    let counted = COUNTED.iter().map(|(_, head)| format!(" {head:>11}")).collect::<String>();
    let counted = if table.tally.is_some() { counted } else { String::new() };
    replay::print(&format!("\n{heads}{counted}  call"))?;
    for row in rows.iter().take(arguments.limit) {
        let what = format!("{}{}", "  ".repeat(row.depth), row.label());
        let own = if row.samples.is_empty() { "-".to_owned() } else { ms(row.samples.median()) };
        let counted = columns(row.tally.as_ref());
        let line = match &row.others {
            Some(others) => {
                let mark = match (row.is_slower(), row.is_faster()) {
                    (true, _) => '+',
                    (_, true) => '-',
                    _ => ' ',
                };
                let ratio = row.ratio().unwrap_or(f64::NAN);
                format!("{own:>10}{:>10} {ratio:>5.2}{mark}{counted}  {what}", ms(others.median()))
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
