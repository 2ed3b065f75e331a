//! `reprise pixel`: what happened to a pixel in a frame.

use super::replay;
use crate::options::adapter;
use crate::pixel::seen::{Seen, Side, texel, wanted};
use crate::pixel::{strip, told, why};
use crate::shown::sheet::Written;
use crate::shown::wish;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::trace::open;
use reprise_replay::{
    PixelDraw, PixelDraws, PixelEvent, PixelHistory, PixelTests, PixelTouch, PixelWish, history_of_pixel,
};
use reprise_view::damage::Met;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Each clear, draw, dispatch, copy and resolve of the frame's submissions that may write the pixel is listed, with the value before and after it:
that of the texture, and of a draw's depth buffer and stencil. Draws are made several times more, with a scissor of one pixel and one test more each time, under queries that
count what is left: so each says which test took its fragments. docs/pixel.md says what the outcomes mean.

Examples:
  reprise pixel game.reprise --frame 100 --at 320,200                  of the picture that the frame shows
  reprise pixel game.reprise --frame 100 --at 320,200 --target 57      of texture 57
  reprise pixel game.reprise --frame 100 --at 32,20 --target 57 --mip 1 --slice 5 --sample 3
  reprise pixel game.reprise --frame 100 --at 320,200 --json
  reprise pixel game.reprise --frame 100 --at 320,200 -o pixel.png     the values, as a row of squares

Exit codes: 0 success, 1 nothing writes the pixel, a value cannot be read, the replay failed, or a file cannot be written, 2 wrong usage,
3 the trace cannot be read or is damaged.";

/// Tell what happened to a pixel: each call of a frame that may write it, with the values before and after
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The frame; frames count from 1. Of a trace without frames: 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    frame: u64,
    /// Column and row, counted from 0 at the upper left
    #[arg(long, value_name = "X,Y", value_parser = wish::pixel)]
    at: (u32, u32),
    /// The texture, by its id [default: the back buffer that the frame writes last, or the texture; if that is only copied to, what is copied]
    #[arg(long, value_name = "ID")]
    target: Option<u32>,
    /// Level of detail
    #[arg(long, value_name = "M", default_value_t = 0)]
    mip: u32,
    /// Slice of an array, face of a cube, or slice of a volume's depth
    #[arg(long, value_name = "S", default_value_t = 0)]
    slice: u32,
    /// Plane of the texture: 0 depth, 1 stencil
    #[arg(long, value_name = "P", default_value_t = 0)]
    plane: u32,
    /// Sample of a multisampled texture
    #[arg(long, value_name = "I", default_value_t = 0)]
    sample: u32,
    /// A picture of the values (.png), an animation (.apng), or a folder for a file each
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
    /// List each draw that does not come to the pixel, too; JSON has all
    #[arg(long)]
    all: bool,
    /// Print the history as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    runtime: replay::Runtime,
    #[command(flatten)]
    adapter: adapter::Choice,
    #[command(flatten)]
    source: open::Source,
}

/// Bytes of contents that one replay keeps; more calls take several replays.
const MOST_BYTES: u64 = 1 << 30;

/// More draws than these are first asked whether they come to the pixel at all.
const MANY: usize = 32;

pub(crate) fn run(arguments: &Arguments) -> Ended {
    if let Some(output) = &arguments.output {
        arguments.source.spare(output)?;
    }
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    let written = arguments.output.clone().map(Written::new).transpose().or_exit(exit::USAGE)?;
    let history = arguments.history()?;
    let seen = arguments.look(&history)?;
    let tests = arguments.test(&history)?;
    let told = arguments.tell(&history, &seen, &tests);
    if let Some(mut written) = written {
        draw(&mut written, &history, &seen, arguments.plane)?;
    }
    if arguments.json {
        replay::print(&told.to_string())?;
    } else {
        told::lines(&told, arguments.all).iter().try_for_each(|line| replay::print(line))?;
    }
    let failures: BTreeSet<&String> = seen.values().filter_map(|value| value.as_ref().err()).collect();
    failures.iter().for_each(|reason| reprise_log::error(format_args!("{reason}")));
    let failed = !failures.is_empty();
    Ok(match (failed, arguments.adapter.is_wrong()) {
        (true, _) => exit::FAILED,
        (false, true) => exit::VALIDATION,
        (false, false) => 0,
    })
}

impl Arguments {
    /// The calls.
    fn history(&self) -> Result<PixelHistory, Failure> {
        let trace = self.source.open()?;
        self.source.has_frame(&trace, self.frame)?;
        let wish = PixelWish {
            frame: self.frame,
            at: self.at,
            resource: self.target,
            mip: self.mip,
            slice: self.slice,
            plane: self.plane,
            sample: self.sample,
        };
        let history = history_of_pixel(&trace, &wish);
        // What is missing may be what cannot be read.
        if history.is_err() {
            Met::of(&trace).sound(&self.source.trace)?;
        }
        history.map_err(|what| Failure::message(exit::FAILED, what))
    }

    /// The values of all of them.
    fn look(&self, history: &PixelHistory) -> Result<Seen, Failure> {
        let mut seen = Seen::new();
        let all = wanted(history, self.sample);
        let at_once = usize::try_from(MOST_BYTES / history.bytes.max(1)).unwrap_or(usize::MAX).max(2);
        for round in all.chunks(at_once) {
            let shots = round.iter().map(|wanted| wanted.shot.clone()).collect();
            let report = replay::shoot(&self.source, &self.runtime, shots, |at, shown| {
                let wanted = &round[at];
                let format = if wanted.side == Side::Own { history.format } else { 0 };
                let value = shown.and_then(|contents| texel(contents, history.place.at, format));
                seen.insert((wanted.event, wanted.side, wanted.before), value);
            })?;
            replay::sound(&report, &self.source)?;
        }
        Ok(seen)
    }

    /// What became of the draws' fragments.
    fn test(&self, history: &PixelHistory) -> Result<PixelTests, Failure> {
        let draws: Vec<PixelDraw> = history
            .events
            .iter()
            .filter(|event| event.draws)
            .map(|event| PixelDraw {
                submission: event.submission,
                call: event.call,
                slot: match event.touch {
                    PixelTouch::Target(slot) => Some(slot),
                    _ => None,
                },
                plane: self.plane,
            })
            .collect();
        if draws.is_empty() {
            return Ok(PixelTests::new());
        }
        if draws.len() <= MANY {
            return self.probe(history, draws, false);
        }
        // Most draws of a frame are elsewhere, and need no more than that to be said of them.
        let mut tests = self.probe(history, draws.clone(), true)?;
        let comes = |draw: &PixelDraw| match tests.get(&(draw.submission, draw.call)) {
            Some(Ok(tests)) => tests.left.first().is_some_and(|(_, count)| *count > 0),
            _ => false,
        };
        let draws: Vec<PixelDraw> = draws.into_iter().filter(comes).collect();
        if !draws.is_empty() {
            tests.extend(self.probe(history, draws, false)?);
        }
        Ok(tests)
    }

    /// Makes these draws once more.
    fn probe(&self, history: &PixelHistory, draws: Vec<PixelDraw>, coverage_only: bool) -> Result<PixelTests, Failure> {
        let mut options = self.runtime.options()?;
        options.pixel = Some(PixelDraws { at: history.place.at, sample: self.sample, draws, coverage_only });
        let mut report = replay::play_quietly(&self.source, options)?;
        replay::sound(&report, &self.source)?;
        Ok(report.pixel.take().unwrap_or_default())
    }

    fn tell(&self, history: &PixelHistory, seen: &Seen, tests: &PixelTests) -> Json {
        let format = seen.iter().filter(|((_, side, _), _)| *side == Side::Own);
        let format = format.filter_map(|(_, value)| Some(value.as_ref().ok()?.format)).next();
        let mut told = told::head(history, self.frame, self.sample, format);
        let event = |(index, of): (usize, &PixelEvent)| {
            let mut event = told::event(history, index, seen);
            if let Some(tests) = tests.get(&(of.submission, of.call)) {
                why::put(&mut event, tests);
            }
            event
        };
        let events: Vec<Json> = history.events.iter().enumerate().map(event).collect();
        let last = seen.iter().rfind(|((_, side, before), value)| *side == Side::Own && !before && value.is_ok());
        told["last"] = json!(last.and_then(|(_, value)| value.as_ref().ok()).map(told::value));
        let gaps = told::unexplained(history, seen);
        told["unexplained"] = gaps.iter().map(|(after, before)| json!({ "after": after, "before": before })).collect();
        told["events"] = events.into();
        told
    }
}

/// A square for the first value, and one for what each call left.
fn draw(written: &mut Written, history: &PixelHistory, seen: &Seen, plane: u32) -> Result<(), Failure> {
    let failed = |what: String| Failure::message(exit::FAILED, what);
    for (index, event) in history.events.iter().enumerate() {
        for before in [true, false].into_iter().filter(|before| index == 0 || !before) {
            if let Some(Ok(texel)) = seen.get(&(index, Side::Own, before)) {
                let label = if before { "-".to_owned() } else { format!("#{}", event.call) };
                let name = format!("call_{:08}{}", event.call, if before { "_before" } else { "" });
                let tile = strip::square(texel, plane, label).map_err(failed)?;
                written.add(tile, &name).map_err(failed)?;
            }
        }
    }
    written.finish().or_exit(exit::FAILED)?;
    Ok(())
}
