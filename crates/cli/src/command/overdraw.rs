//! `reprise overdraw`: how often the draws of a frame write each pixel.

use super::replay;
use crate::options::adapter;
use crate::options::range::{self, Range};
use crate::shown::file::write_bytes;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::plural;
use crate::trace::open;
use anyhow::Error;
use reprise_picture::heat;
use reprise_replay::{Overdraw, OverdrawReport, OverdrawTarget};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Each draw is counted by itself, right before it is made: with its own vertices, shaders, depth test and scissors, so what a shader discards and
what is hidden behind something is not counted. Clears and copies are none. The stencil counts, up to 255 by draws with one depth buffer.

Not counted, but named with their calls: draws in bundles and in render passes that cannot be opened, indirect draws, draws with a stencil test, with shaders that
write through unordered views, with a depth buffer of 16 bits, while a query is open, and into stream output.

Examples:
  reprise overdraw game.reprise --frame 100                   the target with the most writes: game.overdraw-100.png
  reprise overdraw game.reprise --frame 100 -o x/             a picture for each target
  reprise overdraw game.reprise --frame 100 --calls 1200-1300 --resource 57 -o x.png
  reprise overdraw game.reprise --frame 100 --json

Exit codes: 0 success, 1 no draw was counted, the replay failed, or a file cannot be written, 2 wrong usage, 3 the trace cannot be read or
is damaged.";

/// Count how often the draws of a frame write each pixel
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The frame; frames count from 1. Of a trace without frames: 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    frame: u64,
    /// Draws of these numbers only: N, A-B or A-
    #[arg(long, visible_alias = "call", value_name = "A-B", value_parser = range::calls)]
    calls: Option<Range>,
    /// The target to show [default: that with the most writes]
    #[arg(long, value_name = "ID")]
    resource: Option<u32>,
    /// The picture (.png), or a folder for one of each target [default: NAME.overdraw-N.png]
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
    /// Write the numbers, 32 bits each, row by row; for several targets they follow each other
    #[arg(long, value_name = "FILE")]
    raw: Option<PathBuf>,
    /// Print what was counted as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    runtime: replay::Runtime,
    #[command(flatten)]
    adapter: adapter::Choice,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| arguments.source.trace.with_extension(format!("overdraw-{}.png", arguments.frame)));
    arguments.source.spare_all([Some(&output), arguments.raw.as_ref()].into_iter().flatten().map(PathBuf::as_path))?;
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    arguments.source.has_frame(&arguments.source.open()?, arguments.frame)?;
    let mut options = arguments.runtime.options()?;
    let calls = arguments.calls.unwrap_or((0, u64::MAX));
    options.overdraw = Some(Overdraw { frame: arguments.frame, calls });
    let mut report = replay::play_quietly(&arguments.source, options)?;
    let counted = report.overdraw.take().unwrap_or_else(|| Err("the replay did not come there".into()));
    let mut counted = counted.map_err(|reason| Failure::message(exit::FAILED, reason))?;
    if let Some(resource) = arguments.resource {
        let others: BTreeSet<u32> = counted.targets.iter().map(|target| target.resource).collect();
        if !others.is_empty() && !others.contains(&resource) {
            let others: Vec<String> = others.iter().map(u32::to_string).collect();
            let what = format!(
                "resource {resource} is no target of the draws that were counted in frame {}: those are {}",
                arguments.frame,
                others.join(", ")
            );
            return Err(Failure::message(exit::USAGE, what));
        }
        counted.targets.retain(|target| target.resource == resource);
    }
    let is_folder = output.is_dir() || output.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("png"));
    let mut told = Vec::new();
    let greatest = (0..counted.targets.len()).max_by_key(|at| (sum(&counted.targets[*at]), usize::MAX - *at));
    for (at, target) in counted.targets.iter().enumerate() {
        let file = match (is_folder, greatest == Some(at)) {
            (true, _) => Some(output.join(name(target))),
            (false, true) => Some(output.clone()),
            (false, false) => None,
        };
        if let Some(file) = &file {
            let mut bytes = Vec::new();
            let image =
                heat((target.width, target.height), &target.counts).map_err(Error::msg).or_exit(exit::FAILED)?;
            image.write_png(&mut bytes).map_err(Error::msg).or_exit(exit::FAILED)?;
            write_bytes(file, &bytes).or_exit(exit::FAILED)?;
        }
        told.push(about(target, file.map(|file| file.display().to_string())));
    }
    if let Some(raw) = &arguments.raw {
        let all = counted.targets.iter().flat_map(|target| &target.counts);
        let bytes: Vec<u8> = all.flat_map(|count| count.to_le_bytes()).collect();
        write_bytes(raw, &bytes).or_exit(exit::FAILED)?;
    }
    if arguments.json {
        let left_out: Vec<Json> =
            counted.left_out.iter().map(|(reason, calls)| json!({ "reason": reason, "calls": calls })).collect();
        let all = json!({ "frame": arguments.frame, "targets": told, "left_out": left_out });
        replay::print(&all.to_string())?;
    } else {
        say(&counted, &told)?;
    }
    // What was not counted may be in what cannot be read.
    replay::sound(&report, &arguments.source)?;
    if told.is_empty() {
        let what = format!("no draw of frame {} was counted", arguments.frame);
        return Err(Failure::message(exit::FAILED, what));
    }
    Ok(if arguments.adapter.is_wrong() { exit::VALIDATION } else { 0 })
}

fn name(target: &OverdrawTarget) -> String {
    format!("overdraw_resource{}_mip{}_slice{}.png", target.resource, target.mip, target.slice)
}

fn sum(target: &OverdrawTarget) -> u64 {
    target.counts.iter().map(|count| u64::from(*count)).sum()
}

fn about(target: &OverdrawTarget, file: Option<String>) -> Json {
    let written = target.counts.iter().filter(|count| **count > 0).count() as u64;
    let total = sum(target);
    json!({
        "resource": target.resource,
        "mip": target.mip,
        "slice": target.slice,
        "width": target.width,
        "height": target.height,
        "samples": target.samples,
        "draws": target.draws.len(),
        "calls": target.draws,
        "total": total,
        "maximum": target.counts.iter().max(),
        "average": total as f64 / (target.counts.len().max(1)) as f64,
        "written": written,
        "average_of_written": if written > 0 { total as f64 / written as f64 } else { 0.0 },
        "saturated": target.saturated,
        "file": file,
    })
}

fn say(counted: &OverdrawReport, told: &[Json]) -> Result<(), Failure> {
    for it in told {
        let number = |name: &str| it[name].as_f64().unwrap_or(0.0);
        replay::print(&format!(
            "resource {}, mip {}, slice {}: {}x{}, {}; at most {} writes of a pixel, {:.2} on average, {:.2} of those written",
            it["resource"],
            it["mip"],
            it["slice"],
            it["width"],
            it["height"],
            plural(number("draws") as u64, "draw"),
            it["maximum"],
            number("average"),
            number("average_of_written"),
        ))?;
        if number("saturated") > 0.0 {
            let pixels = plural(number("saturated") as u64, "pixel");
            replay::print(&format!("  255 or more, where the counter ends: {pixels}"))?;
        }
        if let Some(file) = it["file"].as_str() {
            replay::print(&format!("  {file}"))?;
        }
    }
    for (reason, calls) in &counted.left_out {
        let some: Vec<String> = calls.iter().take(5).map(u64::to_string).collect();
        let more = if calls.len() > some.len() { ", ..." } else { "" };
        replay::print(&format!("not counted: {} {reason} (calls {}{more})", calls.len(), some.join(", ")))?;
    }
    Ok(())
}
