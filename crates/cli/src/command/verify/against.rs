//! `reprise verify --against`: plays a trace on two runtimes and compares their frames pixel by pixel.

use super::{Arguments, captured};
use crate::child_replay::process::{Around, ChildReplay};
use crate::metric::Metric;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::{self, Output};
use crate::terminal::progress::Progress;
use anyhow::Context;
use reprise_replay::{FrameHash, Picture, Unlike, unlike};
use reprise_view::damage::Met;
use serde_json::{Value as Json, json};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ffi::OsString;

/// What was found.
#[derive(Default)]
struct Found {
    /// Frames that both replays have.
    compared: u64,
    /// Pixels in them.
    pixels: u64,
    different: Vec<Different>,
    /// Frames that are as they were at capture, in each replay.
    as_captured: [u64; 2],
}

/// A frame that is not the same in both.
struct Different {
    frame: u64,
    /// Whether it is within what the user allows.
    accepted: bool,
    what: What,
}

enum What {
    Unlike(Unlike),
    /// Only this side has it.
    Alone(usize),
}

pub(crate) fn run(arguments: &Arguments, against: &str) -> Ended {
    let trace = arguments.source.open()?;
    let hashes: BTreeMap<u64, FrameHash> =
        captured(&trace, &arguments.source)?.into_iter().map(|line| (line.frame, line.hash)).collect();
    let damage = Met::of(&trace);
    let frames = u64::from(trace.frame_count());
    drop(trace);
    let runtime = arguments.runtime.name().unwrap_or("ours");
    if arguments.gpu.is_some() && [runtime, against].iter().all(|name| *name != "ours") {
        return Err(Failure::message(exit::USAGE, "--gpu is for our own runtime, and neither side is it"));
    }
    let start =
        |name: &str| ChildReplay::start(name.to_owned(), side_arguments(arguments, Some(name)), Around::default());
    let mut sides = [start(runtime)?, start(against)?];
    let found = compare(arguments, &mut sides, &hashes, frames)?;
    let names = sides.each_ref().map(|side| side.runtime.as_str());
    let passed = found.compared > 0 && found.different.iter().all(|frame| frame.accepted);
    let mut output = Output::new();
    let printed = if arguments.json {
        output.line(&found.json(names, &hashes, passed).to_string()).map(|_| ())
    } else {
        found.describe(&mut output, names, hashes.len() as u64, passed)
    };
    printed.and_then(|()| output.flush()).context("cannot write to standard output").or_exit(exit::FAILED)?;
    damage.sound(&arguments.source.trace)?;
    Ok(if passed { 0 } else { exit::FAILED })
}

/// What a replay on a runtime is started with.
pub(super) fn side_arguments(arguments: &Arguments, name: Option<&str>) -> Vec<OsString> {
    let mut words: Vec<OsString> = name.into_iter().flat_map(|name| ["--runtime".into(), name.into()]).collect();
    words.extend(arguments.runtime.convention().map(|name| format!("--convention={name}").into()));
    words.push(format!("--fence-timeout={}", arguments.runtime.fence_timeout()).into());
    if let Some(gpu) = arguments.gpu.as_ref().filter(|_| name.is_none_or(|name| name == "ours")) {
        words.push(format!("--gpu={gpu}").into());
    }
    if let Some(rings) = &arguments.source.rings {
        words.extend(["--rings".into(), rings.into()]);
    }
    words.extend(arguments.source.boundary.words());
    words.extend(["--".into(), (&arguments.source.trace).into()]);
    words
}

/// Reads both replays to their end, frame by frame.
fn compare(
    arguments: &Arguments,
    [left, right]: &mut [ChildReplay; 2],
    hashes: &BTreeMap<u64, FrameHash>,
    frames: u64,
) -> Result<Found, Failure> {
    let mut found = Found::default();
    let mut progress = Progress::new("comparing");
    let mut next = [left.next()?, right.next()?];
    loop {
        let order = match &next {
            [None, None] => break,
            [Some(_), None] => Ordering::Less,
            [None, Some(_)] => Ordering::Greater,
            [Some((a, _)), Some((b, _))] => a.cmp(b),
        };
        let [a, b] = &mut next;
        let a = if order.is_le() { a.take() } else { None };
        let b = if order.is_ge() { b.take() } else { None };
        for (side, picture) in [&a, &b].into_iter().enumerate() {
            let same = |(frame, picture): &(u64, Picture)| hashes.get(frame) == Some(&picture.hash());
            found.as_captured[side] += u64::from(!hashes.is_empty() && picture.as_ref().is_some_and(same));
        }
        match (&a, &b) {
            (Some((frame, a)), Some((_, b))) => {
                progress.show_part(*frame, frames, || format!("frame {frame} of {frames}"));
                found.compared += 1;
                found.pixels += u64::from(a.width) * u64::from(a.height);
                let steps = if let Metric::MaxStep(steps) = arguments.metric() { steps } else { 0 };
                if let Some(unlike) = unlike(a, b, steps) {
                    write_pictures(arguments, *frame, [a, b], &unlike)?;
                    let accepted = arguments.metric().measure(a, b, arguments.max_pixels).passes;
                    found.different.push(Different { frame: *frame, accepted, what: What::Unlike(unlike) });
                }
            }
            (Some((frame, _)), None) => found.different.push(Different::alone(*frame, 0)),
            (None, Some((frame, _))) => found.different.push(Different::alone(*frame, 1)),
            (None, None) => {}
        }
        if order.is_le() {
            next[0] = left.next()?;
        }
        if order.is_ge() {
            next[1] = right.next()?;
        }
    }
    Ok(found)
}

/// Both pictures of a frame that differs, and where they do.
fn write_pictures(
    arguments: &Arguments,
    frame: u64,
    [left, right]: [&Picture; 2],
    unlike: &Unlike,
) -> Result<(), Failure> {
    let Some(folder) = &arguments.difference_dir else { return Ok(()) };
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string()).or_exit(exit::FAILED)?;
    let path = |what: &str| folder.join(format!("frame_{frame:06}_{what}.png"));
    left.write_png(&path("runtime")).or_exit(exit::FAILED)?;
    right.write_png(&path("against")).or_exit(exit::FAILED)?;
    match unlike {
        Unlike::Pixels(_) => left.write_difference(right, &path("difference")).or_exit(exit::FAILED),
        Unlike::Shape(_) => Ok(()),
    }
}

impl Different {
    fn alone(frame: u64, side: usize) -> Different {
        Different { frame, accepted: false, what: What::Alone(side) }
    }

    fn text(&self, names: [&str; 2]) -> String {
        match &self.what {
            What::Unlike(unlike) => format!("frame {}: {unlike}", self.frame),
            What::Alone(side) => format!("frame {}: only {} has it", self.frame, names[*side]),
        }
    }

    fn json(&self) -> Json {
        let frame = self.frame;
        match &self.what {
            What::Alone(side) => json!({ "frame": frame, "only": if *side == 0 { "runtime" } else { "against" } }),
            What::Unlike(Unlike::Shape(shapes)) => {
                let shape = shapes.map(|(width, height, format)| json!([width, height, format]));
                json!({ "frame": frame, "shapes": shape })
            }
            What::Unlike(Unlike::Pixels(pixels)) => json!({
                "frame": frame,
                "pixels": pixels.count,
                "beyond": pixels.beyond,
                "of": pixels.of,
                "step": pixels.step,
                "first": [pixels.first.0, pixels.first.1],
                "columns": [pixels.area.0.start(), pixels.area.0.end()],
                "rows": [pixels.area.1.start(), pixels.area.1.end()],
            }),
        }
    }
}

impl Found {
    /// Pixels that differ, in all frames.
    fn different_pixels(&self) -> u64 {
        let count = |frame: &Different| match &frame.what {
            What::Unlike(Unlike::Pixels(pixels)) => pixels.count,
            _ => 0,
        };
        self.different.iter().map(count).sum()
    }

    fn describe(&self, output: &mut Output, names: [&str; 2], captured: u64, passed: bool) -> std::io::Result<()> {
        const SHOWN: usize = 10;
        let [runtime, against] = names;
        let frames = output::plural(self.compared, "frame");
        let accepted = if passed { ", no more than is accepted" } else { "" };
        output.line(&match self.different.len() {
            0 if self.compared == 0 => "nothing was compared: neither replay presents a frame; `reprise diff --replay` compares what the program reads back, and `reprise thumbnails` shows what was written".to_owned(),
            0 => format!("{frames} equal on {runtime} and {against}, pixel for pixel"),
            count => format!(
                "{count} of {frames} {} between {runtime} and {against}: {} of {} pixels{accepted}",
                output::agree(count as u64, "differs", "differ"),
                self.different_pixels(),
                self.pixels
            ),
        })?;
        for frame in self.different.iter().take(SHOWN) {
            output.line(&format!("  {}", frame.text(names)))?;
        }
        if self.different.len() > SHOWN {
            output.line(&format!("  and {} more (--json lists them all)", self.different.len() - SHOWN))?;
        }
        if captured > 0 {
            let [left, right] = self.as_captured;
            output.line(&format!("as captured: {left} of {captured} frames on {runtime}, {right} on {against}"))?;
        }
        Ok(())
    }

    fn json(&self, names: [&str; 2], hashes: &BTreeMap<u64, FrameHash>, passed: bool) -> Json {
        json!({
            "runtime": names[0],
            "against": names[1],
            "passed": passed,
            "frames": self.compared,
            "pixels": self.pixels,
            "different_frames": self.different.len(),
            "different_pixels": self.different_pixels(),
            "captured_hashes": hashes.len(),
            "as_captured": { "runtime": self.as_captured[0], "against": self.as_captured[1] },
            "different": self.different.iter().map(Different::json).collect::<Vec<Json>>(),
        })
    }
}
