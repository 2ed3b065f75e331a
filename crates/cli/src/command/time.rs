//! `reprise time`: how long the GPU works at each draw call, pass, marker, pipeline, list, submission or frame.

use super::replay;
use crate::options::adapter;
use crate::options::range::{self, Range};
use crate::terminal::exit::{self, Ended, Failure};
use crate::terminal::output::plural;
use crate::terminal::progress::Progress;
use crate::timing::group::{By, Row, Table, total};
use crate::timing::sample::Samples;
use crate::trace::open;
use reprise_replay::{TimeWish, TimingReport};
use reprise_timeline::state::lists::Marker;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
The trace is replayed several times with time stamps between the operations of its lists. A row has the median of the replays, the least and the
most. A stamp is written once everything before it is done: where the GPU works at two draws at one time, a row has what the later one adds;
--serial keeps them apart, and is slower than the program. Rows by draw, pass, marker and pipeline need a stamp at each operation; what these stamps
add is measured by replays with one at each list, and told. Bundles are one operation. Of the time between two submissions nothing is counted.

With --against the replays of the two libraries take turns. A row is marked slower (+) or faster (-) where it was so in every replay, and the median by
at least 1 %: among rows that are equal that happens to one of 184,756 by chance, with ten replays of each.

Examples:
  reprise time game.reprise --frames 100                      the longest operations of a frame
  reprise time game.reprise --frames 100 --by marker          the program's own markers
  reprise time game.reprise --by frame --json
  reprise time game.reprise --frames 100 --by pipeline --against vkd3d-proton
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
    /// Rows to print; JSON has all
    #[arg(long, value_name = "N", default_value_t = 40)]
    limit: usize,
    /// Another Direct3D 12 library, to be compared with: as --runtime
    #[arg(long, value_name = "LIBRARY")]
    against: Option<String>,
    /// End with exit code 1 where the whole, or a row of at least a hundredth of it, takes so many percent longer than there, in every replay
    #[arg(long, value_name = "PERCENT", requires = "against", value_parser = clap::value_parser!(u32).range(1..=1000))]
    slower: Option<u32>,
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

/// What the replays came to.
struct Timed<'t> {
    table: Table<'t>,
    /// All that was timed, with stamps at lists alone.
    plain: Samples,
    untimed: BTreeMap<String, Vec<u64>>,
    runs: u32,
    /// How many submissions and operations one replay timed.
    counts: (u64, u64),
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let trace = arguments.source.open()?;
    let frames = arguments.frames.unwrap_or((1, u64::MAX));
    arguments.source.has_frame(&trace, frames.0)?;
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    let text = |marker: &Marker| marker.resolved(&trace).text;
    let timed = measure(arguments, &text, frames)?;
    // A list without operations has no time.
    if timed.table.total[0].most() <= 0.0 {
        let why =
            timed.untimed.keys().next().map_or("no list with operations was submitted in these frames", |why| why);
        return Err(Failure::message(exit::FAILED, format!("nothing was timed: {why}")));
    }
    let rows = timed.table.rows(arguments.against.is_some());
    if arguments.json {
        replay::print(&as_json(arguments, frames, &timed, &rows).to_string())?;
    } else {
        say(arguments, &timed, &rows)?;
    }
    let slower = arguments.slower.is_some_and(|percent| is_slower(&timed.table, &rows, f64::from(percent) / 100.0));
    Ok(match (slower, arguments.adapter.is_wrong()) {
        (true, _) => exit::FAILED,
        (false, true) => exit::VALIDATION,
        (false, false) => 0,
    })
}

/// Replays in turns: on both libraries, with stamps at operations and at lists.
fn measure<'t>(
    arguments: &Arguments,
    text: &'t dyn Fn(&Marker) -> String,
    frames: Range,
) -> Result<Timed<'t>, Failure> {
    let runs = arguments.runs.unwrap_or(if arguments.against.is_some() { 10 } else { 5 });
    let table = Table::new(arguments.by, text);
    let mut timed = Timed { table, plain: Samples::default(), untimed: BTreeMap::new(), runs, counts: (0, 0) };
    let operations = arguments.by.needs_operations();
    let mut progress = Progress::new("timing");
    for number in 1..=runs {
        progress.show(|| format!("replay {number} of {runs}"));
        let wish = TimeWish { frames, operations, serial: arguments.serial };
        let report = once(arguments, None, wish)?;
        timed.table.add(&report, 0);
        let lists = report.submissions.iter().flat_map(|submission| &submission.lists);
        timed.counts = (report.submissions.len() as u64, lists.map(|list| list.operations.len() as u64).sum());
        if operations {
            timed.plain.add(total(&once(arguments, None, TimeWish { operations: false, serial: false, ..wish })?));
        }
        if let Some(other) = &arguments.against {
            timed.table.add(&once(arguments, Some(other), wish)?, 1);
        }
        timed.untimed = report.untimed;
    }
    Ok(timed)
}

/// One replay.
fn once(arguments: &Arguments, library: Option<&str>, wish: TimeWish) -> Result<TimingReport, Failure> {
    let mut options = arguments.runtime.options()?;
    if let Some(library) = library {
        options.runtime = Some(library.to_owned());
        options.convention = None;
    }
    options.timing = Some(wish);
    options.quit_after_frame = (wish.frames.1 != u64::MAX).then_some(wish.frames.1);
    let mut report = replay::play_quietly(&arguments.source, options)?;
    replay::sound(&report, &arguments.source)?;
    Ok(report.timing.take().unwrap_or_default())
}

/// Whether the whole, or a row that matters, is slower than on the other library.
fn is_slower(table: &Table<'_>, rows: &[Row], least: f64) -> bool {
    let [here, there] = &table.total;
    let whole = here.are_all_longer_than(there) && here.median() / there.median() >= 1.0 + least;
    let matters = |row: &&Row| row.samples.median() >= here.median() / 100.0;
    let row = |row: &Row| row.is_slower() && row.ratio().is_some_and(|ratio| ratio >= 1.0 + least);
    whole || rows.iter().filter(matters).any(row)
}

/// How much longer everything takes with a stamp at each operation, as a share.
fn added(timed: &Timed<'_>, serial: bool) -> Option<f64> {
    let plain = timed.plain.median();
    (!plain.is_nan() && !serial).then(|| timed.table.total[0].median() / plain - 1.0)
}

fn as_json(arguments: &Arguments, frames: Range, timed: &Timed<'_>, rows: &[Row]) -> Json {
    let total = timed.table.total[0].median();
    let untimed: Vec<Json> =
        timed.untimed.iter().map(|(reason, calls)| json!({ "reason": reason, "calls": calls })).collect();
    let mut json = json!({
        "frames": [frames.0, (frames.1 != u64::MAX).then_some(frames.1)],
        "by": clap::ValueEnum::to_possible_value(&arguments.by).map(|value| value.get_name().to_owned()),
        "serial": arguments.serial,
        "runs": timed.runs,
        "submissions": timed.counts.0,
        "total_ms": timed.table.total[0].json(),
        "stamps_add": added(timed, arguments.serial),
        "rows": rows.iter().map(|row| row.json(total)).collect::<Vec<_>>(),
        "untimed": untimed,
    });
    if let Some(other) = &arguments.against {
        json["against"] = other.clone().into();
        json["against_total_ms"] = timed.table.total[1].json();
    }
    json
}

fn say(arguments: &Arguments, timed: &Timed<'_>, rows: &[Row]) -> Result<(), Failure> {
    let [here, there] = &timed.table.total;
    let ms = |nanoseconds: f64| format!("{:.3}", nanoseconds / 1e6);
    let range = |samples: &Samples| format!("{} to {}", ms(samples.least()), ms(samples.most()));
    let (submissions, operations) = timed.counts;
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
    if let Some(added) = added(timed, arguments.serial) {
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
    replay::print(&format!("\n{heads}  call"))?;
    for row in rows.iter().take(arguments.limit) {
        let what = format!("{}{}", "  ".repeat(row.depth), row.label());
        let own = ms(row.samples.median());
        let line = match &row.others {
            Some(others) => {
                let mark = match (row.is_slower(), row.is_faster()) {
                    (true, _) => '+',
                    (_, true) => '-',
                    _ => ' ',
                };
                let ratio = row.ratio().unwrap_or(f64::NAN);
                format!("{own:>10}{:>10} {ratio:>5.2}{mark}  {what}", ms(others.median()))
            }
            None => {
                let share = row.samples.median() / here.median() * 100.0;
                format!("{own:>10}{:>10}{:>10} {share:>5.1}%  {what}", ms(row.samples.least()), ms(row.samples.most()))
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
    for (reason, calls) in &timed.untimed {
        let some: Vec<String> = calls.iter().take(5).map(u64::to_string).collect();
        let more = if calls.len() > some.len() { ", ..." } else { "" };
        replay::print(&format!(
            "not timed: {}: {reason} (calls {}{more})",
            plural(calls.len() as u64, "submission"),
            some.join(", ")
        ))?;
    }
    Ok(())
}
