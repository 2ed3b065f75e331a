//! `reprise verify`: plays a trace and compares what it presents with what was presented at capture.

mod against;
mod controlled;
mod pictures;

use super::replay;
use crate::control::Things;
use crate::metric::Metric;
use crate::options::edits;
use crate::ours;
use crate::terminal::differences;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::{self, Output};
use crate::trace::open;
use anyhow::Context;
use reprise_replay::{FrameLine, Machine, Report, frame_comparison};
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::Kind;
use reprise_trace::{fact, frame_hash};
use reprise_view::damage::Met;
use reprise_view::dump::event;
use reprise_view::summary::info;
use serde_json::json;
use std::cell::RefCell;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Verify reads the whole file first and checks it, as info does.
The frames of the capture are known by their hashes, which are in a trace that was captured with
--frame-hashes; other hashes, of a replay on another driver for one, are named with --hashes.
What the program read back from the GPU is in each trace, and compared byte by byte.
Both are compared on the runtime of the capture, if it is installed: another one may round in its
own way. How far two runtimes are apart, pixel by pixel, is what --against shows.

A comparison that cannot fail shows nothing. --control plays the trace once more, with a GPU that does nothing: nothing is drawn,
computed, copied or cleared. What is the same then (zeros, mostly) is played with a GPU that does something else: draws paint white,
clears have other values, copies and queries leave other words. What is equal under both changes was not made by the GPU, or is not
compared with what it made.

Examples:
  reprise capture --frame-hashes gears.txt -o gears.reprise -- vkd3d-gears
  reprise verify gears.reprise
  reprise verify --control gears.reprise                  and whether it would tell
  reprise verify --hashes other-driver.txt gears.reprise
  reprise verify --pictures shots --tolerance max-step=2 gears.reprise
                                                          frames of another driver, within 2 of 255 steps a channel
  reprise verify --against vkd3d gears.reprise            our runtime and libvkd3d, pixel by pixel
  reprise verify --runtime new/libvkd3d.so.1 --against old/libvkd3d.so.1 gears.reprise

Exit codes:
  0  every frame, and all that was read back, is equal (or within --tolerance, --max-pixels and --max-step)
  1  frames differ beyond that, or a replay failed
  2  wrong usage, or there is nothing to compare with
  3  the trace cannot be read, or is damaged
  8  --control: all is equal, and a kind of what is compared (frames, read-backs, queries) noticed nothing of the
     change, or the replay with the change failed";

/// Play a trace and compare its frames and what it reads back with the capture, or its frames on two runtimes
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The expected frames, one `frame hash` a line [default: those in the trace]
    #[arg(long, value_name = "HASHES", conflicts_with = "against")]
    hashes: Option<PathBuf>,
    /// In place of hashes: pictures of frames, frame_000001.png for one, as `replay --screenshot-all` writes them on the machine of the
    /// capture. Frames without a picture are not compared
    #[arg(long, value_name = "DIR", conflicts_with_all = ["against", "hashes", "control"])]
    pictures: Option<PathBuf>,
    /// With --pictures or --against: how far frames may be apart: max-step=N, psnr=DECIBELS, ssim=N or flip=N, as of a suite [default:
    /// max-step=0]. max-step holds for textures that the program reads back, too
    #[arg(long, value_name = "METRIC", conflicts_with = "max_step")]
    pub(super) tolerance: Option<Metric>,
    /// Play on this runtime, too, and compare the pixels of both; names as for --runtime, which is ours here if it is not stated
    #[arg(long, visible_alias = "against-runtime", value_name = "LIBRARY", conflicts_with = "convention")]
    against: Option<String>,
    /// With --pictures or --against: accept a frame if at most this many of its pixels differ (by more than --max-step)
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) max_pixels: u64,
    /// With --pictures or --against: accept a pixel if no channel of it differs by more than this many steps (a channel of 8 bits has 255)
    #[arg(long, value_name = "STEPS", default_value_t = 0)]
    pub(super) max_step: u32,
    /// With --against: write each frame that differs as PNG files, both pictures and their difference. With --pictures: the worst frame, and
    /// the first 10 beyond the tolerance
    #[arg(long, value_name = "DIR")]
    pub(super) difference_dir: Option<PathBuf>,
    /// The Vulkan device that our runtime plays on, by its index or a part of its name: see `reprise gpus`. What another runtime plays on
    /// is its own choice
    #[arg(long, value_name = "INDEX|NAME")]
    pub(super) gpu: Option<String>,
    /// Play once more with a change that must show, and say what of it each comparison notices
    #[arg(long, conflicts_with = "against")]
    control: bool,
    /// One JSON object with every frame that differs
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) runtime: replay::Runtime,
    #[command(flatten)]
    edits: edits::Said,
    #[command(flatten)]
    pub(super) source: open::Source,
}

pub(crate) fn run(arguments: &mut Arguments) -> Ended {
    let _edited = arguments.edits.apply(&mut arguments.source)?;
    let arguments = &*arguments;
    edits::tell(&arguments.source);
    if let Some(against) = &arguments.against {
        return against::run(arguments, against);
    }
    if let Some(folder) = &arguments.pictures {
        return pictures::run(arguments, folder);
    }
    let of_pictures = !matches!(arguments.metric(), Metric::MaxStep(_)) || arguments.max_pixels > 0;
    if of_pictures || arguments.difference_dir.is_some() {
        let message = "this needs pixels, and a trace has hashes of its frames: name --pictures or --against, too";
        return Err(Failure::message(exit::USAGE, message));
    }
    let named = arguments.hashes.as_deref().map(from_file).transpose()?;
    let trace = arguments.source.open()?;
    let captured = captured(&trace, &arguments.source)?;
    let expected = named.unwrap_or(captured);
    let reads = RefCell::new(Things::new());
    let mut options = arguments.runtime.options()?;
    if options.runtime.is_none() && arguments.gpu.is_none() {
        options.runtime = of_capture(&trace);
    }
    let _held = match &arguments.gpu {
        Some(_) if options.runtime.as_deref().is_some_and(|name| name != "ours") => {
            return Err(Failure::message(exit::USAGE, "--gpu is for our own runtime, and --runtime names another"));
        }
        Some(gpu) => Some(ours::choose(Some(gpu), false, [&[], &[]]).or_exit(exit::USAGE)?),
        None => None,
    };
    let damage = Met::of(&trace);
    let lacks = info::incomplete(&trace);
    drop(trace);
    options.frame_hashes = !expected.is_empty();
    options.read_steps = arguments.read_steps();
    let runtime = options.runtime.clone();
    if arguments.control {
        options.on_read = Some(Box::new(|read| controlled::keep(&mut reads.borrow_mut(), read)));
    }
    let report = replay::play(&arguments.source, options, None)?;
    let verdict = frame_comparison::compare(&expected, &report.hash_lines_for(&expected));
    if expected.is_empty() && report.compared_bytes == 0 {
        damage.sound(&arguments.source.trace)?;
        return Err(nothing(&arguments.source.trace, &report));
    }
    let passed = verdict.mismatches.is_empty() && report.different_bytes == 0;
    let control = arguments
        .control
        .then(|| controlled::run(arguments, runtime.as_deref(), controlled::things(&expected, &report, reads.take())));
    let mut output = Output::new();
    let printed = if arguments.json {
        let mut said = as_json(&verdict, &report, passed);
        said["complete"] = lacks.is_none().into();
        if let Some(control) = &control {
            said["control"] = control.json();
        }
        output.line(&said.to_string()).map(|_| ())
    } else {
        let why = lacks.map(|why| format!("complete: no: {why}; what is there was compared"));
        describe(&mut output, &verdict, &report)
            .and_then(|()| why.map_or(Ok(()), |why| output.line(&why).map(|_| ())))
            .and_then(|()| if passed { Ok(()) } else { hint(&mut output, &report) })
            .and_then(|()| control.iter().try_for_each(|control| control.describe(&mut output)))
    };
    printed.and_then(|()| output.flush()).context("cannot write to standard output").or_exit(exit::FAILED)?;
    // The check saw the whole file, the replay only what it needs.
    damage.sound(&arguments.source.trace)?;
    Ok(match control {
        _ if !passed => exit::FAILED,
        Some(control) if !control.holds() => exit::UNNOTICED,
        _ => 0,
    })
}

/// In words, that a trace plays on another driver than that of its capture; `here` is adapter and driver of the replay. `None` where they are
/// the same, or one is not known.
fn from_other_driver(recorded: &Machine, here: &str) -> Option<String> {
    let there = Machine { host: String::new(), ..recorded.clone() };
    let known = !there.adapter.is_empty() && !there.driver.is_empty() && !here.is_empty();
    let there = there.to_string();
    (known && there != here)
        .then(|| format!("captured on {there}; played on {here}, another driver, which may round otherwise"))
}

/// Why frames may differ that were played rightly.
fn hint(output: &mut Output, report: &Report) -> std::io::Result<()> {
    let here = report.replayed_on.as_ref().map(ToString::to_string).unwrap_or_default();
    let Some(other) = from_other_driver(&report.recorded_on, &here) else { return Ok(()) };
    output.line(&other)?;
    output.line("  how far frames are apart: `reprise verify --pictures DIR --tolerance max-step=2`, with pictures of that driver")?;
    Ok(())
}

/// The runtime that the trace was captured on, if it is one that has a name here and is installed.
///
/// What the trace says is compared with names, never opened: traces come from strangers.
fn of_capture(trace: &Trace) -> Option<String> {
    let said = trace.meta().get("runtime")?.as_str()?;
    let known = [("libvkd3d-proton-", "vkd3d-proton"), ("libvkd3d", "vkd3d"), ("libreprise_d3d12", "ours")];
    let (_, name) = known.into_iter().find(|(library, _)| said.starts_with(library))?;
    if name != "ours" && !reprise_replay::is_installed(name) {
        let _ = writeln!(
            std::io::stderr(),
            "reprise: captured on {name}, which is not installed here: compared on ours, which may round otherwise"
        );
        return None;
    }
    Some(name.to_owned())
}

fn as_json(verdict: &frame_comparison::Verdict, report: &Report, passed: bool) -> serde_json::Value {
    let hash = |hash: Option<reprise_replay::FrameHash>| hash.map(|hash| hash.to_string());
    let different = verdict.mismatches.iter().map(|mismatch| {
        json!({ "frame": mismatch.frame, "expected": hash(mismatch.expected), "actual": hash(mismatch.actual) })
    });
    let here = report.replayed_on.as_ref().map(ToString::to_string).unwrap_or_default();
    json!({
        "runtime": report.runtime,
        "passed": passed,
        "other_driver": from_other_driver(&report.recorded_on, &here).is_some(),
        "frames": verdict.equal + verdict.mismatches.len() as u64,
        "different_frames": verdict.mismatches.len(),
        "different": different.collect::<Vec<_>>(),
        "compared_bytes": report.compared_bytes,
        "gpu_written_bytes": report.gpu_written_bytes,
        "uncompared_bytes": differences::uncompared_bytes(report).0,
        "uncompared": differences::uncompared(report),
        "different_bytes": report.different_bytes,
        "near_bytes": report.near_bytes,
        "early_bytes": report.early_bytes,
        "untold_bytes": report.untold_bytes,
        "time_bytes": report.time_bytes,
        "size_bytes": report.size_bytes,
        "stale_count": report.stale_count,
    })
}

fn describe(output: &mut Output, verdict: &frame_comparison::Verdict, report: &Report) -> std::io::Result<()> {
    const SHOWN: usize = 10;
    let runtime = &report.runtime;
    let count = verdict.mismatches.len() as u64;
    let (frames, differ) = (output::plural(count, "frame"), output::agree(count, "differs", "differ"));
    match verdict.mismatches.first() {
        Some(first) => {
            let (first, equal) = (first.frame, verdict.equal);
            output.line(&format!("{frames} {differ} on {runtime}, the first is frame {first}; {equal} equal"))?;
        }
        None if verdict.equal > 0 => {
            output.line(&format!("{} equal on {runtime}", output::plural(verdict.equal, "frame")))?;
        }
        None => {}
    }
    for mismatch in verdict.mismatches.iter().take(SHOWN) {
        output.line(&format!("  {mismatch}"))?;
    }
    if verdict.mismatches.len() > SHOWN {
        output.line(&format!("  and {} more", verdict.mismatches.len() - SHOWN))?;
    }
    let bytes = output::bytes(report.compared_bytes);
    if report.different_bytes > 0 {
        let (count, differ) = (report.different_bytes, output::agree(report.different_bytes, "differs", "differ"));
        let line = format!("{count} of {bytes} that the program read back {differ} on {runtime}");
        output.line(&line)?;
        for line in differences::lines(report) {
            output.line(&format!("  {line}"))?;
        }
    } else if report.compared_bytes > 0 {
        output.line(&format!("{bytes} that the program read back equal on {runtime}"))?;
    }
    if report.near_bytes > 0 {
        let near = output::plural(report.near_bytes, "byte");
        output.line(&format!("  {near} of these, of textures, not the same, but within the tolerance"))?;
    }
    if report.compared_bytes > 0 {
        let written = output::bytes(report.gpu_written_bytes);
        output.line(&format!("  submitted work had written {written} of these bytes here"))?;
    }
    for line in [differences::early_line(report), differences::uncompared_line(report)].into_iter().flatten() {
        output.line(&format!("  {line}"))?;
    }
    if report.stale_count > 0 {
        let count = output::plural(report.stale_count, "argument");
        let name = output::agree(report.stale_count, "names", "name");
        output.line(&format!("{count} {name} what was not there; `reprise replay` says at which calls"))?;
    }
    Ok(())
}

/// A line has about 40 bytes, so this is a day at 60 frames a second.
const LARGEST_HASHES: u64 = 256 << 20;

fn from_file(path: &Path) -> Result<Vec<FrameLine>, Failure> {
    let cannot = || format!("cannot read {}", path.display());
    let file = std::fs::File::open(path).with_context(cannot).or_exit(exit::USAGE)?;
    // A device gives bytes for ever.
    let mut text = String::new();
    file.take(LARGEST_HASHES + 1).read_to_string(&mut text).with_context(cannot).or_exit(exit::USAGE)?;
    if text.len() as u64 > LARGEST_HASHES {
        let message = format!("{}: no file of frame hashes is larger than {LARGEST_HASHES} bytes", path.display());
        return Err(Failure::message(exit::USAGE, message));
    }
    frame_hash::parse_lines(&text).with_context(|| path.display().to_string()).or_exit(exit::USAGE)
}

/// There is neither a hash nor a byte to compare with.
fn nothing(path: &Path, report: &Report) -> Failure {
    let early = differences::early_line(report).map(|line| format!(" ({line})")).unwrap_or_default();
    Failure::message(
        exit::USAGE,
        format!(
            "{}: nothing to compare with{early}: capture with --frame-hashes, name a file with --hashes, or another runtime with \
             --against",
            path.display()
        ),
    )
}

/// Checks the whole trace, and gives the hashes that the capture layer put into it: each stands before the boundary of the
/// frame it is of.
pub(super) fn captured(trace: &Trace, source: &open::Source) -> Result<Vec<FrameLine>, Failure> {
    let mut lines: Vec<FrameLine> = Vec::new();
    let hash = |event: &Event<'_>| match event.fact() {
        Some((fact::FRAME_HASH, bytes)) if event.kind == Kind::Fact => event::hash(bytes),
        _ => None,
    };
    let Some(ends) = trace.chosen_ends() else {
        source.check(trace, |event| {
            lines.extend(hash(event).map(|hash| FrameLine { frame: event::frame(event), hash }))
        })?;
        return Ok(lines);
    };
    source.check(trace, |_| ())?;
    // A frame with several pictures shows the first one. One that presents to a swap chain end shows what that present shows: its hash stands right
    // behind the call.
    let (mut events, mut ended) = (trace.events().without_pages(), None);
    let (mut others, mut behind) = (0u64, 0u64);
    let place = || source.trace.display().to_string();
    while let Some(event) = events.next().with_context(place).or_exit(exit::TRACE)? {
        match event.kind {
            Kind::Frame => ended = Some(event::frame(&event)),
            Kind::Enter => ended = None,
            _ => {}
        }
        let Some(hash) = hash(&event) else { continue };
        let Some(frame) = (if ends.surface == 0 { Some(event::frame(&event)) } else { ended }) else { continue };
        match frame > u64::from(trace.frame_count()) {
            // What follows the last end is of no frame.
            true => behind += 1,
            false if lines.last().is_some_and(|last| last.frame >= frame) => others += 1,
            false => lines.push(FrameLine { frame, hash }),
        }
    }
    let by = &ends.by;
    if others > 0 {
        let what = output::plural(others, "picture");
        let are = output::agree(others, "is", "are");
        reprise_log::warning(format_args!(
            "{what} that the capture hashed {are} not compared: frames by --frame-boundary {by} have several, of which the first one counts"
        ));
    }
    if behind > 0 {
        let what = output::plural(behind, "picture");
        let are = output::agree(behind, "is", "are");
        reprise_log::warning(format_args!(
            "{what} that the capture hashed {are} not compared: behind the last end of a frame by --frame-boundary {by} nothing is of a frame"
        ));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_mapped_too_early_is_a_reason_to_compare_nothing() {
        let said = |bytes| {
            let mut report = Report::default();
            report.early_bytes = bytes;
            nothing(Path::new("a.reprise"), &report).to_string()
        };
        assert!(!said(0).contains("mapped"), "{}", said(0));
        assert!(said(2048).contains("2.0 KiB not compared: the program mapped them before a fence"), "{}", said(2048));
    }

    #[test]
    fn another_driver_is_named_where_both_are_known() {
        let machine = |adapter: &str, driver: &str, host: &str| Machine {
            adapter: adapter.into(),
            driver: driver.into(),
            host: host.into(),
        };
        let here = "llvmpipe, driver Mesa 25.0";
        let said = from_other_driver(&machine("llvmpipe", "Mesa 26.2", ""), here);
        let expected = "captured on llvmpipe, driver Mesa 26.2; played on llvmpipe, driver Mesa 25.0, another driver, which may round otherwise";
        assert_eq!(said.as_deref(), Some(expected));
        for same in
            [machine("llvmpipe", "Mesa 25.0", "Wine 8.0"), machine("GeForce", "", "Wine 8.0"), machine("", "", "")]
        {
            assert_eq!(from_other_driver(&same, here), None);
        }
        assert_eq!(from_other_driver(&machine("llvmpipe", "Mesa 26.2", ""), ""), None);
    }
}
