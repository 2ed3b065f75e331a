//! `reprise thumbnails`: small pictures of frames.

use super::replay;
use crate::options::adapter;
use crate::options::range::{self, Range};
use crate::shown::sheet::Written;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::plural;
use crate::trace::open;
use reprise_picture::{Mapping, Texels, Tile};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Each pixel is the mean of the pixels of the frame that it covers. All frames come from one replay, which ends with the last of them.

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
    /// Of these, the first and every so many-th after it
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
    arguments.source.has_frame(&arguments.source.open()?, arguments.frames.0)?;
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
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
    let sheet = written.finish().or_exit(exit::FAILED)?;
    if arguments.json {
        replay::print(&json!({ "frames": told, "sheet": sheet }).to_string())?;
    } else {
        let place = sheet.unwrap_or_else(|| written.place());
        replay::print(&format!("{place}: {}", plural(told.len() as u64, "frame")))?;
    }
    replay::sound(&report, &arguments.source)?;
    Ok(if arguments.adapter.is_wrong() { exit::VALIDATION } else { 0 })
}
