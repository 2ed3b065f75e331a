//! `reprise draws`: a frame draw by draw.

use super::replay;
use crate::options::adapter;
use crate::options::range::{self, Range};
use crate::shown::sheet::Written;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::plural;
use crate::trace::open;
use reprise_picture::{Mapping, Texels, Tile};
use reprise_replay::{DrawShot, ShotContents, ShotPart};
use reprise_view::damage::Met;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
After each draw, dispatch, clear and copy that the frame's submissions run, the first render target is looked at, and becomes a picture
where it changed. The number above a picture is that of the call. A dispatch or copy shows the target of the command before it. A render pass
shows what it clears as it begins, and where it resolves to as it ends. A bundle is one step, and so is a render pass that cannot be opened:
nothing can be copied within.

Examples:
  reprise draws game.reprise --frame 100                      a sheet: game.frame-100.png
  reprise draws game.reprise --frame 100 -o frame.apng        one after another, in an animated PNG
  reprise draws game.reprise --frame 100 --size 512 -o steps/ a file each: steps/call_00001234.png, ...
  reprise draws game.reprise --frame 100 --resource 57        what happens to texture 57, whatever is bound

Exit codes: 0 success, 1 nothing was drawn, something could not be looked at, the replay failed, or a file cannot be written, 2 wrong usage,
3 the trace cannot be read or is damaged.";

/// Show a frame draw by draw: the first target after each command that changes it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The frame; frames count from 1. Of a trace without frames: 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    frame: u64,
    /// Calls of these numbers only: N, A-B or A-
    #[arg(long, value_name = "A-B", value_parser = range::calls)]
    calls: Option<Range>,
    /// Look at this texture after each command, and not at the first target
    #[arg(long, value_name = "ID")]
    resource: Option<u32>,
    /// The longest side of a picture, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 160, value_parser = clap::value_parser!(u32).range(1..=4096))]
    size: u32,
    /// The least value is black and the greatest white, in each picture
    #[arg(long)]
    auto_range: bool,
    /// A sheet (.png), an animated PNG (.apng), or a folder for a file each [default: NAME.frame-N.png]
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

/// What a command left, before it is known whether that changed: most commands of a frame change no texel, and no picture is made for them.
struct Seen {
    hash: u64,
    texels: Texels,
    resource: u32,
    notes: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| arguments.source.trace.with_extension(format!("frame-{}.png", arguments.frame)));
    arguments.source.spare(&output)?;
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    let mut written = Written::new(output).or_exit(exit::USAGE)?;
    let draws = arguments.draws()?;
    let (mut told, mut failures) = (Vec::new(), 0u64);
    let mut last: BTreeMap<u32, u64> = BTreeMap::new();
    let mut rest = draws.as_slice();
    while !rest.is_empty() {
        let (round, more) = rest.split_at(round(rest));
        rest = more;
        let mut seen: BTreeMap<usize, Result<Seen, String>> = BTreeMap::new();
        let mut next = 0;
        let mut failed = None;
        let shots = round.iter().map(|draw| draw.shot.clone()).collect();
        let report = replay::shoot(&arguments.source, &arguments.runtime, shots, |at, shown| {
            seen.insert(at, shown.and_then(|contents| arguments.see(contents)));
            // In the order of the commands.
            while let Some(this) = seen.remove(&next) {
                let draw = &round[next];
                next += 1;
                match this {
                    Ok(this) if last.insert(this.resource, this.hash) == Some(this.hash) => {}
                    Ok(this) => match arguments.keep(&mut written, draw, this) {
                        Ok(line) => told.push(line),
                        Err(reason) => failed = Some(reason),
                    },
                    Err(reason) => {
                        failures += 1;
                        reprise_log::error(format_args!("{} at call {}: {reason}", draw.method, draw.shot.call));
                    }
                }
            }
        })?;
        if let Some(reason) = failed {
            return Err(Failure::message(exit::FAILED, reason));
        }
        replay::sound(&report, &arguments.source)?;
    }
    if told.is_empty() {
        let what = format!("frame {} changes no target that could be looked at", arguments.frame);
        return Err(Failure::message(exit::FAILED, what));
    }
    let sheet = written.finish().or_exit(exit::FAILED)?;
    if arguments.json {
        let all = json!({ "frame": arguments.frame, "commands": draws.len(), "pictures": told, "sheet": sheet });
        replay::print(&all.to_string())?;
    } else {
        let place = sheet.unwrap_or_else(|| written.place());
        let (pictures, commands) = (plural(told.len() as u64, "picture"), plural(draws.len() as u64, "command"));
        replay::print(&format!("{place}: {pictures} of {commands}"))?;
    }
    Ok(match (failures, arguments.adapter.is_wrong()) {
        (1.., _) => exit::FAILED,
        (0, true) => exit::VALIDATION,
        (0, false) => 0,
    })
}

/// How many of these commands one replay looks at: one at least.
fn round(draws: &[DrawShot]) -> usize {
    let mut bytes = 0u64;
    let fits = draws.iter().take_while(|draw| {
        bytes = bytes.saturating_add(draw.bytes);
        bytes <= replay::MOST_SHOWN_BYTES
    });
    fits.count().max(1)
}

impl Arguments {
    /// The commands to look at.
    fn draws(&self) -> Result<Vec<DrawShot>, Failure> {
        let trace = self.source.open()?;
        self.source.has_frame(&trace, self.frame)?;
        let draws = reprise_replay::draws_of_frame(&trace, self.frame, self.resource);
        // What is missing may be what cannot be read.
        if draws.as_ref().map_or(true, Vec::is_empty) {
            Met::of(&trace).sound(&self.source.trace)?;
        }
        let mut draws = draws.map_err(|what| Failure::message(exit::USAGE, what))?;
        if let Some((first, last)) = self.calls {
            draws.retain(|draw| (first..=last).contains(&draw.shot.call));
        }
        if draws.is_empty() {
            let asked = if self.calls.is_some() { ", among the calls asked for" } else { "" };
            let what = format!(
                "the submissions of frame {} run no command that changes a picture{asked}; lists that are recorded there may run later, or never",
                self.frame
            );
            return Err(Failure::message(exit::FAILED, what));
        }
        Ok(draws)
    }

    fn see(&self, contents: ShotContents) -> Result<Seen, String> {
        let ShotContents { resource, part, notes, .. } = contents;
        let ShotPart::Texels { plane, format, width, height, bytes, mip, slice, .. } = part else {
            return Err(format!("resource {resource} is a buffer"));
        };
        let mut hasher = DefaultHasher::new();
        (mip, slice, &bytes).hash(&mut hasher);
        let texels = Texels::new(format, plane, (width, height), bytes)?;
        Ok(Seen { hash: hasher.finish(), texels, resource, notes })
    }

    /// Keeps a picture, and gives what is said of it.
    fn keep(&self, written: &mut Written, draw: &DrawShot, seen: Seen) -> Result<Json, String> {
        let Seen { texels, resource, notes, .. } = seen;
        let mapping = Mapping { auto: self.auto_range, ..Mapping::default() };
        let image = mapping.picture(&texels).shrunk(self.size);
        let call = draw.shot.call;
        let (width, height) = (image.width, image.height);
        let file = written.add(Tile { image, label: format!("#{call}") }, &format!("call_{call:08}"))?;
        let line = json!({
            "call": call, "method": draw.method, "resource": resource, "width": width, "height": height, "file": file, "notes": notes,
        });
        if self.json {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
        Ok(line)
    }
}
