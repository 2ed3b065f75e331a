//! `reprise thumbnails`: small pictures of frames.

use super::replay;
use crate::options::adapter;
use crate::options::range::{self, Range};
use crate::shown::sheet::Written;
use crate::shown::submitted::{self, Submitted};
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::plural;
use crate::trace::open;
use anyhow::Context;
use reprise_picture::{Mapping, Texels, Tile};
use reprise_replay::{Shot, ShotContents, ShotOf, ShotPart};
use reprise_trace::read::Trace;
use serde_json::{Value as Json, json};
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Each pixel is the mean of the pixels of the frame that it covers. All frames come from one replay, which ends with the last of them.

Where nothing ended a frame, submissions are the frames. The picture of a submission is the largest texture that it drew to, as it is right after it.
Without a draw it is the largest texture that it wrote. Of a frame of several submissions (--frame-boundary) the last one that did so counts.

Examples:
  reprise thumbnails game.reprise                                  all frames, on one sheet: game.thumbnails.png
  reprise thumbnails game.reprise --frames 100-200 -o sheet.png
  reprise thumbnails game.reprise --frames 1- --every 60 -o thumbs/    each 60th, as files: thumbs/frame_000001.png, ...
  reprise thumbnails game.reprise --frames 1-60 --size 320 -o run.apng one after another, in an animated PNG
  reprise thumbnails game.reprise --json -o thumbs/                a line of JSON on standard error for each as soon as it is there

Exit codes: 0 success, 1 the replay failed, none of the frames was shown, or a file cannot be written, 2 wrong usage, 3 the trace cannot be read
or is damaged.";

/// Make small pictures of frames, in files or on a sheet
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The frames: N, A-B, A- (to the last), or all; they count from 1
    #[arg(long, value_name = "A-B", default_value = "all", value_parser = range::frames)]
    frames: Range,
    /// Of these, the first and every N-th after it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// The longest side of a picture, in pixels; frames that are smaller keep their size
    #[arg(long, value_name = "PIXELS", default_value_t = 160, value_parser = clap::value_parser!(u32).range(1..=4096))]
    size: u32,
    /// A sheet (.png), an animated PNG (.apng), or a folder for a file each [default: NAME.thumbnails.png]
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
    /// Say each picture on standard error as a line of JSON when it is there, and all on standard output at the end
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
    let output = arguments.output.clone().unwrap_or_else(|| arguments.source.trace.with_extension("thumbnails.png"));
    arguments.source.spare(&output)?;
    let mut written = Written::new(output).or_exit(exit::USAGE)?;
    let trace = arguments.source.open()?;
    arguments.source.has_frame(&trace, arguments.frames.0)?;
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    if trace.statistics().frames == 0 {
        return of_submissions(arguments, &trace, written);
    }
    drop(trace);
    let mut told = Vec::new();
    let mut options = arguments.runtime.options()?;
    options.frames = Some(arguments.frames);
    options.picture_interval = arguments.every;
    options.on_picture = Some(Box::new(|frame, picture| {
        let fail = |reason: String| std::io::Error::other(format!("frame {frame}: {reason}"));
        let texels = Texels::new(picture.format, 0, (picture.width, picture.height), picture.bytes.clone());
        let image = Mapping::default().picture(&texels.map_err(fail)?).shrunk(arguments.size);
        let (width, height) = (image.width, image.height);
        let file = written.add(Tile { image, label: frame.to_string() }, &format!("frame_{frame:06}")).map_err(fail)?;
        let line = json!({ "frame": frame, "width": width, "height": height, "file": file });
        if arguments.json {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
        told.push(line);
        Ok(())
    }));
    let report = replay::play_quietly(&arguments.source, options)?;
    if told.is_empty() {
        replay::sound(&report, &arguments.source)?;
        let frames = plural(report.frames.len() as u64, "frame");
        let what = format!(
            "none of the frames asked for was shown ({frames} played); `reprise info` says which the trace has"
        );
        return Err(Failure::message(exit::FAILED, what));
    }
    finish(arguments, written, &told, "frame")?;
    replay::sound(&report, &arguments.source)?;
    Ok(if arguments.adapter.is_wrong() { exit::VALIDATION } else { 0 })
}

/// Writes the sheet, and says what there is.
fn finish(arguments: &Arguments, mut written: Written, told: &[Json], what: &str) -> Result<(), Failure> {
    let sheet = written.finish().or_exit(exit::FAILED)?;
    if arguments.json {
        return replay::print(&json!({ "frames": told, "sheet": sheet }).to_string());
    }
    let place = sheet.unwrap_or_else(|| written.place());
    replay::print(&format!("{place}: {}", plural(told.len() as u64, what)))
}

/// Nothing is presented: of each frame, which a submission is unless the user says otherwise, what the largest texture holds that it drew to, or else wrote.
fn of_submissions(arguments: &Arguments, trace: &Trace, mut written: Written) -> Ended {
    let place = || arguments.source.trace.display().to_string();
    // Others than submissions end frames where the user says so.
    let one = if trace.is_by_submissions() { "submission" } else { "frame" };
    let all = submitted::textures(trace).with_context(place).or_exit(exit::TRACE)?;
    let (first, last) = arguments.frames;
    let within = |frame: u64| (first..=last).contains(&frame) && (frame - first).is_multiple_of(arguments.every);
    let wanted: Vec<(u64, Submitted)> = all.into_iter().filter(|(frame, _)| within(*frame)).collect();
    if wanted.is_empty() {
        let what = format!(
            "nothing is presented in this trace, and none of the {one}s asked for writes a texture: there is nothing to show"
        );
        return Err(Failure::message(exit::FAILED, what));
    }
    let shot = |(_, it): &(u64, Submitted)| Shot {
        call: it.call,
        before: false,
        submission: None,
        of: ShotOf::Texture { resource: it.resource, mip: it.mip, slice: it.slice, plane: it.plane, sample: 0 },
    };
    let (mut told, mut failed, mut lost) = (Vec::new(), None, 0);
    let shots = wanted.iter().map(shot).collect();
    let report = replay::shoot(&arguments.source, &arguments.runtime, shots, |number, shown| {
        let Some((frame, it)) = wanted.get(number) else { return };
        match tile(*frame, shown, arguments.size).and_then(|tile| add(&mut written, one, *frame, *it, tile)) {
            Ok(line) => {
                if arguments.json {
                    let _ = writeln!(std::io::stderr(), "{line}");
                }
                told.push(line);
            }
            Err(why) => {
                lost += 1;
                failed.get_or_insert(format!("{one} {frame}, resource {}: {why}", it.resource));
            }
        }
    })?;
    if let Some(why) = failed {
        if told.is_empty() {
            return Err(Failure::message(exit::FAILED, why));
        }
        reprise_log::warning(format_args!("{} could not be shown, the first: {why}", plural(lost, one)));
    }
    if told.is_empty() {
        replay::sound(&report, &arguments.source)?;
        return Err(Failure::message(exit::FAILED, format!("the replay came to none of the {one}s asked for")));
    }
    if !arguments.json {
        reprise_log::info(format_args!(
            "nothing is presented in this trace: each picture is the largest texture that a {one} drew to, or else wrote"
        ));
    }
    finish(arguments, written, &told, one)?;
    replay::sound(&report, &arguments.source)?;
    Ok(if arguments.adapter.is_wrong() { exit::VALIDATION } else { 0 })
}

/// What a shot shows, as a small picture: all values that there are from black to white, unless they are colours.
fn tile(frame: u64, shown: Result<ShotContents, String>, size: u32) -> Result<Tile, String> {
    let contents = shown?;
    let ShotPart::Texels { plane, format, width, height, bytes, .. } = contents.part else {
        return Err("it is a buffer".to_owned());
    };
    let texels = Texels::new(format, plane, (width, height), bytes)?;
    let image = Mapping::default().picture(&texels).shrunk(size);
    Ok(Tile { image, label: frame.to_string() })
}

/// Writes a picture, and gives the line that says it.
fn add(written: &mut Written, one: &str, frame: u64, it: Submitted, tile: Tile) -> Result<Json, String> {
    let (width, height) = (tile.image.width, tile.image.height);
    let file = written.add(tile, &format!("{one}_{frame:06}"))?;
    Ok(json!({
        "frame": frame, "width": width, "height": height, "file": file, "call": it.call, "resource": it.resource,
        "mip": it.mip, "slice": it.slice,
    }))
}
