//! `reprise pixel`: what happened to a pixel in a frame.

use super::debug::writers;
use super::replay;
use crate::debug::writers::Writers;
use crate::options::adapter;
use crate::options::texture_part::TexturePart;
use crate::pixel::link::Link;
use crate::pixel::seen::{Lack, Seen, Shown, Side, Wanted, wanted};
use crate::pixel::{contradictions, rays, strip, threads, told, why};
use crate::shown::sheet::Written;
use crate::shown::wish;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::trace::open;
use reprise_replay::{
    NoPixelHistory, PixelDraw, PixelDraws, PixelEvent, PixelHistory, PixelTests, PixelTouch, PixelWish, Shot,
    histories_of_pixels,
};
use reprise_view::damage::Met;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

const EXAMPLES: &str = "\
The list has each clear, draw, dispatch, copy and resolve of the frame's submissions that may write the pixel, with the value of the texture before and after it.
Draws have the values of depth buffer and stencil, too, and the test that rejected their fragments. To find it, a draw is repeated once for each test, with that test and those
before it, while a query counts the fragments that pass at the pixel. docs/pixel.md says what the outcomes mean.
Without --resource the texture is the back buffer that the frame writes last, and in a trace without back buffers the texture that it writes last, with the level, slice and plane
that are written. If only copies and resolves write that texture, their source is taken.

Examples:
  reprise pixel game.reprise --frame 100 --at 320,200                  of the picture that the frame shows
  reprise pixel game.reprise --frame 100 --at 320,200 --resource 57    of texture 57
  reprise pixel game.reprise --frame 100 --at 32,20 --resource 57 --mip 1 --slice 5 --sample 3
  reprise pixel game.reprise --frame 100 --at 320,200 --json
  reprise pixel game.reprise --frame 100 --at 320,200 -o pixel.png     the values, as a row of squares
  reprise pixel game.reprise --frame 100 --at 320,200 --at 321,200 --values-only --json     a line of JSON for each pixel

Exit codes: 0 success, 1 nothing writes the pixel, a value cannot be read, the replay failed, or a file cannot be written, 2 wrong usage, or there is no such texture,
part of it or pixel, 3 the trace cannot be read or is damaged.";

/// Tell what happened to a pixel: each call of a frame that may write it, with the values before and after
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The frame; frames count from 1. Of a trace without frames: 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    frame: u64,
    /// Column and row, counted from 0 at the upper left; several times for several pixels
    #[arg(long, value_name = "X,Y", required = true, value_parser = wish::pixel)]
    at: Vec<(u32, u32)>,
    /// The texture, by its id, as `dump` and `state` have it; --target is the same [default: what the frame shows]
    #[arg(long, value_name = "ID", alias = "target")]
    resource: Option<u32>,
    #[command(flatten)]
    part: TexturePart,
    /// A picture of the values (.png), an animation (.apng), or a folder for a file each
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
    /// List each draw that does not come to the pixel, too; JSON has all
    #[arg(long, conflicts_with = "values_only")]
    all: bool,
    /// Calls and values alone. What becomes of a draw's fragments takes further replays for each pixel; the values of all pixels are found in one
    #[arg(long)]
    values_only: bool,
    /// A bit of all that shaders of dispatches read is another one: for tests of the search for their threads
    #[arg(long, hide = true)]
    disturbed: bool,
    /// Print the history as JSON; of several pixels a line each
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    runtime: replay::Runtime,
    #[command(flatten)]
    adapter: adapter::Choice,
    #[command(flatten)]
    source: open::Source,
}

/// Dispatches of a pixel whose threads are looked for: each takes replays of its own.
const MOST_DISPATCHES: usize = 16;

/// More draws than these are first asked whether they come to the pixel at all.
const MANY: usize = 32;

pub(crate) fn run(arguments: &Arguments) -> Ended {
    if let Some(output) = &arguments.output {
        arguments.source.spare(output)?;
    }
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    if arguments.output.is_some() && arguments.at.len() > 1 {
        return Err(Failure::message(exit::USAGE, "-o draws the values of one pixel: name one by --at"));
    }
    let mut written = arguments.output.clone().map(Written::new).transpose().or_exit(exit::USAGE)?;
    let histories = arguments.histories()?;
    let all = arguments.look(&histories)?;
    for (history, seen) in histories.iter().zip(&all) {
        let tests = if arguments.values_only { PixelTests::new() } else { arguments.test(history)? };
        let threads = if arguments.values_only { Threads::new() } else { arguments.threads(history, seen) };
        let told = arguments.tell(history, seen, (&tests, &threads));
        if let Some(written) = &mut written {
            draw(written, history, seen)?;
        }
        if arguments.json {
            replay::print(&told.to_string())?;
        } else {
            told::lines(&told, arguments.all).iter().try_for_each(|line| replay::print(line))?;
        }
    }
    let failures = all.iter().flat_map(BTreeMap::values).filter_map(|value| match value {
        Err(Lack::Failed(reason)) => Some(reason),
        _ => None,
    });
    let failures: BTreeSet<&String> = failures.collect();
    failures.iter().for_each(|reason| reprise_log::error(format_args!("{reason}")));
    let failed = !failures.is_empty();
    Ok(match (failed, arguments.adapter.is_wrong()) {
        (true, _) => exit::FAILED,
        (false, true) => exit::VALIDATION,
        (false, false) => 0,
    })
}

/// Of dispatches, by their places in the history: the threads that write the pixel, or why they are not known.
type Threads = BTreeMap<usize, Result<Writers, String>>;

impl Arguments {
    /// The calls, of each pixel.
    fn histories(&self) -> Result<Vec<PixelHistory>, Failure> {
        let trace = self.source.open()?;
        self.source.has_frame(&trace, self.frame)?;
        let wish = |at: &(u32, u32)| PixelWish {
            frame: self.frame,
            at: *at,
            resource: self.resource,
            mip: self.part.mip,
            slice: self.part.slice,
            plane: self.part.plane,
            sample: self.part.sample,
        };
        let wishes: Vec<PixelWish> = self.at.iter().map(wish).collect();
        let histories = histories_of_pixels(&trace, &wishes);
        // What is missing may be what cannot be read.
        if histories.is_err() {
            Met::of(&trace).sound(&self.source.trace)?;
        }
        histories.map_err(|why| {
            let code = match why {
                NoPixelHistory::Wrong(_) => exit::USAGE,
                NoPixelHistory::Unread(_) => exit::TRACE,
                NoPixelHistory::Nothing(_) => exit::FAILED,
            };
            Failure::message(code, why.to_string())
        })
    }

    /// The values, of each pixel. What several pixels need of one call is shown once.
    fn look(&self, histories: &[PixelHistory]) -> Result<Vec<Seen>, Failure> {
        let mut all = vec![Seen::new(); histories.len()];
        let mut shots: Vec<(Shot, Vec<(usize, Wanted)>)> = Vec::new();
        let mut known = HashMap::new();
        for (pixel, history) in histories.iter().enumerate() {
            for wanted in wanted(history, self.part.sample) {
                let at = *known.entry(wanted.shot.clone()).or_insert_with(|| {
                    shots.push((wanted.shot.clone(), Vec::new()));
                    shots.len() - 1
                });
                shots[at].1.push((pixel, wanted));
            }
        }
        // Of a back buffer the size is known only now.
        let mut outside = None;
        let bytes = histories.iter().map(|history| history.bytes).max().unwrap_or(1).max(1);
        let at_once = usize::try_from(replay::MOST_SHOWN_BYTES / bytes).unwrap_or(usize::MAX).max(2);
        for round in shots.chunks(at_once) {
            let asked = round.iter().map(|(shot, _)| shot.clone()).collect();
            let report = replay::shoot(&self.source, &self.runtime, asked, |at, shown| {
                let mut shown = shown.map(Shown::new);
                for (pixel, wanted) in &round[at].1 {
                    let history = &histories[*pixel];
                    let format = if wanted.side == Side::Own { history.format } else { 0 };
                    let value = match &mut shown {
                        Ok(shown) => shown.texel(history.place.at, format),
                        Err(reason) => Err(Lack::Failed(reason.clone())),
                    };
                    if let (Side::Own, Err(Lack::Outside(what))) = (wanted.side, &value) {
                        outside = Some(what.clone());
                    }
                    all[*pixel].insert((wanted.event, wanted.side, wanted.before), value);
                }
            })?;
            replay::sound(&report, &self.source)?;
            if let Some(what) = outside {
                return Err(Failure::message(exit::USAGE, what));
            }
        }
        Ok(all)
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
                plane: (event.touch == PixelTouch::Depth).then_some(history.place.plane),
                lone: None,
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
        options.pixel = Some(PixelDraws {
            at: history.place.at,
            sample: self.part.sample,
            draws,
            coverage_only,
            in_full: false,
            view: None,
        });
        let mut report = replay::play_quietly(&self.source, options)?;
        replay::sound(&report, &self.source)?;
        Ok(report.pixel.take().unwrap_or_default())
    }

    /// The threads of dispatches that changed the pixel, or of which it is not known whether they did.
    fn threads(&self, history: &PixelHistory, seen: &Seen) -> Threads {
        let texel = |index: usize, before: bool| seen.get(&(index, Side::Own, before))?.as_ref().ok();
        let is_asked = |(index, event): &(usize, &PixelEvent)| {
            let is_dispatch = event.touch == PixelTouch::Unordered && !event.draws && event.rays.is_none();
            let is_same = texel(*index, true).zip(texel(*index, false)).is_some_and(|(one, other)| one.is_same(other));
            is_dispatch && !event.is_outside && !is_same
        };
        let asked: Vec<_> = history.events.iter().enumerate().filter(is_asked).collect();
        let most = asked.len().saturating_sub(MOST_DISPATCHES);
        let all = asked.into_iter().enumerate().map(|(place, (index, event))| {
            if place < most {
                let what = format!("of the dispatches that change the pixel, the last {MOST_DISPATCHES} are looked at");
                return (index, Err(what));
            }
            let given = (&self.source, &self.runtime, &self.adapter);
            let left = texel(index, false).map(|texel| texel.bytes.as_slice());
            let given = (given, self.disturbed);
            let found = writers(given, (event.call, event.submission), (&history.place, self.part.sample), left);
            (index, found.map_err(|failure| failure.to_string()))
        });
        all.collect()
    }

    fn tell(&self, history: &PixelHistory, seen: &Seen, (tests, threads): (&PixelTests, &Threads)) -> Json {
        let format = seen.iter().filter(|((_, side, _), _)| *side == Side::Own);
        let format = format.filter_map(|(_, value)| Some(value.as_ref().ok()?.format)).next();
        let mut told = told::head(history, self.frame, self.part.sample, format);
        let link = Link { trace: &self.source.trace, runtime: self.runtime.name() };
        let event = |(index, of): (usize, &PixelEvent)| {
            let mut event = told::event(history, index, seen);
            let tests = tests.get(&(of.submission, of.call));
            if let Some(tests) = tests {
                why::put(&mut event, tests);
            }
            if let Some(of_rays) = &of.rays {
                event["rays"] = rays::json(of_rays, of, &link);
            }
            if let Some(found) = threads.get(&index) {
                event["dispatch"] = threads::json(found, of, &link);
            }
            event["contradictions"] =
                json!(contradictions::of(&event, of, tests.and_then(|tests| tests.as_ref().ok())));
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
fn draw(written: &mut Written, history: &PixelHistory, seen: &Seen) -> Result<(), Failure> {
    let failed = |what: String| Failure::message(exit::FAILED, what);
    for (index, event) in history.events.iter().enumerate() {
        for before in [true, false].into_iter().filter(|before| index == 0 || !before) {
            if let Some(Ok(texel)) = seen.get(&(index, Side::Own, before)) {
                let label = if before { "-".to_owned() } else { format!("#{}", event.call) };
                let name = format!("call_{:08}{}", event.call, if before { "_before" } else { "" });
                let tile = strip::square(texel, history.place.plane, label).map_err(failed)?;
                written.add(tile, &name).map_err(failed)?;
            }
        }
    }
    written.finish().or_exit(exit::FAILED)?;
    Ok(())
}
