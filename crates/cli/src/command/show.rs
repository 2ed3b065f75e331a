//! `reprise show`: what the GPU has in targets, textures and buffers at a call.

mod overlays;

use super::replay;
use crate::options::adapter;
use crate::options::custom_view::ShaderChoice;
use crate::options::edits;
use crate::options::structure::StructureChoice;
use crate::options::texture_part::TexturePart;
use crate::overlay::Kind;
use crate::shown::answer::{answer, in_words};
use crate::shown::custom::Custom;
use crate::shown::setting::{self, Setting, View};
use crate::shown::wish::{self, Look, Range, Wish};
use crate::shown::{is_file, is_folder};
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::Output;
use crate::trace::open;
use anyhow::Context;
use reprise_picture::{Channels, Mapping};
use reprise_replay::{Shot, ShotContents, ShotOf};
use serde_json::{Value as Json, json};
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

const EXAMPLES: &str = "\
A call of a command list is shown at its place in its list, in the first submission that runs it (or that of --submission): between two
draws of one list, that is.
At a call of a queue or of the processor it is what there is when all that was submitted by then is done. `reprise dump` numbers the calls.

Examples:
  reprise show game.reprise --call 1234 --target 0 -o after.png      what draw 1234 left in target 0
  reprise show game.reprise --call 1234 --before --target 0 -o before.png
  reprise show game.reprise --call 1234 --depth --auto-range -o depth.png
  reprise show game.reprise --call 1234 --target 0 --pixel 320,200   the value of a pixel, exactly
  reprise show game.reprise --call 1234 --target 0 -o hdr.exr        floats as they are; .dds and .bin have the very bits
  reprise show game.reprise --call 1234 --resource 57 --mip 2 --slice 5 --channels a -o alpha.png
  reprise show game.reprise --call 1234 --buffer 60 --range 0-255 --raw constants.bin
  reprise show game.reprise --call 1234 --buffer 60 --struct 'float3 position; uint kind;'    its elements, as HLSL declares them
  reprise show game.reprise --call 1234 --buffer 61 --struct lights.hlsl --packing constant -o lights.csv
  reprise show game.reprise --call 1234 --target 0 --target 1 --depth -o draw/     several, in one replay, into a folder
  reprise show game.reprise --call 1234 --target 0 --histogram=32    how values are spread; NaN and infinity are counted
  reprise show game.reprise --call 1234 --depth --range fit -o depth.png
  reprise show game.reprise --call 1234 --target 0 --shader luminance.hlsl -o light.png   as a pixel shader of your own shows it
  reprise show game.reprise --call 1234 --overlay draw,depth,backface -o draw/  what the draw reaches, what its depth test takes, its faces
  reprise show game.reprise --call 1234 --overlay without=scissor -o more.png   the target as it would be without the scissor
  reprise show game.reprise --call 1234 --overlay nan,clipping --json          where NaN and infinity are, and how many texels lie outside 0 to 1
  echo '{\"id\": 1, \"call\": 1234, \"target\": 0, \"output\": \"a.png\"}' | reprise show game.reprise --batch - --json

A line of a batch is a JSON object. \"call\", and one of \"target\": K, \"depth\": true, \"stencil\": true, \"resource\": ID, \"buffer\": ID have to be
there; \"before\", \"submission\", \"mip\", \"slice\", \"plane\", \"sample\", \"range\", \"auto_range\", \"histogram\", \"channels\", \"linear\", \"as\", \"struct\", \"struct_name\", \"packing\", \"stride\", \"pixels\": [[X, Y]], \"bytes\": \"A-B\",
\"output\", \"raw\" and \"id\" may. With --json each answer is a line, written as soon as it is there: \"request\" counts the lines from 0, \"id\" is
given back, and \"error\" says why there is nothing. docs/pictures.md has all fields.

Exit codes: 0 all is shown, 1 something is not (it says why), or the replay failed, 2 wrong usage, 3 the trace cannot be read or is damaged.";

/// Show what the GPU has in targets, textures and buffers at a call, as pictures, values and bytes
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The call, by the numbers of `reprise dump`; several times for several
    #[arg(long, value_name = "N", required_unless_present = "batch", value_parser = clap::value_parser!(u64).range(1..))]
    call: Vec<u64>,
    /// As it is right before the call, and not right after it
    #[arg(long)]
    before: bool,
    /// Of a list that is submitted several times: the ExecuteCommandLists whose run is shown [default: the first]
    #[arg(long, value_name = "N")]
    submission: Option<u64>,
    /// The render target in a slot, as its view has it; at ClearRenderTargetView, 0 is what it clears
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(0..8))]
    target: Vec<u32>,
    /// The depth buffer that is bound
    #[arg(long)]
    depth: bool,
    /// The stencil that is bound
    #[arg(long)]
    stencil: bool,
    /// A texture by its id, as `dump` and `state` have it
    #[arg(long, value_name = "ID")]
    resource: Vec<u32>,
    /// A buffer by its id
    #[arg(long, value_name = "ID")]
    buffer: Vec<u32>,
    #[command(flatten)]
    shader: ShaderChoice,
    #[command(flatten)]
    structure: StructureChoice,
    #[command(flatten)]
    part: TexturePart,
    /// LOW,HIGH: the values that are black and white in the picture [default: what the format says]; fit: the least and the greatest value
    /// that there are; fit-each: those of each channel. FIRST-LAST: the bytes of a buffer
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true, conflicts_with = "auto_range")]
    range: Option<Range>,
    /// The least value is black and the greatest white
    #[arg(long)]
    auto_range: bool,
    /// Channels that the picture shows: some of rgba; one alone is grey
    #[arg(long, value_name = "RGBA", default_value = "rgb", visible_alias = "channel")]
    channels: Channels,
    /// Floats of three and four channels as they are; without this they are taken for linear light and encoded as sRGB has it
    #[arg(long)]
    linear: bool,
    /// Read the texels as this DXGI format and not as the view or resource has it
    #[arg(long = "as", value_name = "FORMAT", value_parser = wish::format)]
    format: Option<u32>,
    /// Print the value of a pixel; several times for several
    #[arg(long, value_name = "X,Y", value_parser = wish::pixel)]
    pixel: Vec<(u32, u32)>,
    /// Tell how the values of each channel are spread: least, greatest, NaN, infinity, percentiles, and so many bins
    #[arg(long, value_name = "BINS", value_parser = wish::histogram_bins, num_args = 0..=1, require_equals = true, default_missing_value = "16")]
    histogram: Option<usize>,
    /// Paint over the picture what texels are in this respect, and count them: draw, changed, wireframe, depth, stencil, backface, viewport, nan,
    /// clipping, quads, triangles, or without=TEST; several times, or with commas, for several. Without --target, --depth, --stencil or
    /// --resource it is over target 0, or over the depth buffer of a draw that has no targets
    #[arg(long, value_name = "KIND", value_delimiter = ',', conflicts_with_all = ["raw", "pixel", "histogram", "buffer", "before"])]
    overlay: Vec<Kind>,
    /// The file to write: .png, .exr, .dds or .bin; for several pictures a folder [default, where nothing else is asked for: a
    /// name of the call and the target in this folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the texels or bytes as they are in memory, row by row without gaps, and what they are to FILE.json; for several a folder
    #[arg(long, value_name = "FILE")]
    raw: Option<PathBuf>,
    /// Show what each line of this file asks for, in one replay; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["call", "target", "depth", "stencil", "resource", "buffer", "pixel", "submission",
        "output", "raw", "range", "auto_range", "histogram", "overlay"])]
    batch: Option<PathBuf>,
    /// Print a line of JSON for each
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    runtime: replay::Runtime,
    #[command(flatten)]
    adapter: adapter::Choice,
    #[command(flatten)]
    edits: edits::Said,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &mut Arguments) -> Ended {
    // A kind that is named twice is one: both would be one file.
    let mut named = HashSet::new();
    arguments.overlay.retain(|kind| named.insert(*kind));
    let _edited = arguments.edits.apply(&mut arguments.source)?;
    let arguments = &*arguments;
    let wishes = match &arguments.batch {
        Some(batch) => {
            setting::check_batch(&arguments.given()).map_err(|what| Failure::message(exit::USAGE, what))?;
            batch_of(batch)?
        }
        None => arguments.wishes()?,
    };
    if arguments.overlay.is_empty() {
        let files = wishes.iter().flat_map(|wish| [&wish.output, &wish.raw]).flatten();
        arguments.source.spare_all(files.map(PathBuf::as_path))?;
    } else {
        let files = overlays::files(arguments, &wishes);
        arguments.source.spare_all(files.iter().map(PathBuf::as_path))?;
    }
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    if !arguments.overlay.is_empty() {
        return overlays::run(arguments, &wishes);
    }
    let custom = Custom::new(&arguments.shader, &arguments.runtime.options()?)?;
    let mut output = Output::new();
    let mut failed = false;
    let mut told = Ok(());
    let shots = wishes.iter().map(|wish| wish.shot.clone()).collect();
    let report = replay::shoot(&arguments.source, &arguments.runtime, shots, |request, shown| {
        let Some(wish) = wishes.get(request) else { return };
        let said = say(wish, shown, custom.as_ref());
        failed |= said.is_err();
        if told.is_ok() {
            told = tell(arguments, &mut output, (request, wish), said);
        }
    })?;
    told?;
    replay::sound(&report, &arguments.source)?;
    Ok(match (failed, arguments.adapter.is_wrong()) {
        (true, _) => exit::FAILED,
        (false, true) => exit::VALIDATION,
        (false, false) => 0,
    })
}

fn say(wish: &Wish, shown: Result<ShotContents, String>, custom: Option<&Custom>) -> Result<Json, String> {
    let words = |error: anyhow::Error| format!("{error:#}");
    let Some(custom) = custom else { return answer(wish, &shown?).map_err(words) };
    let (wish, contents) = custom.of(wish, shown?)?;
    let mut said = answer(&wish, &contents).map_err(words)?;
    custom.name(&mut said);
    Ok(said)
}

/// Prints an answer.
fn tell(
    arguments: &Arguments,
    output: &mut Output,
    (request, wish): (usize, &Wish),
    said: Result<Json, String>,
) -> Result<(), Failure> {
    print(arguments, output, (request, wish), said, in_words)
}

/// The same, with other words for people.
fn print(
    arguments: &Arguments,
    output: &mut Output,
    (request, wish): (usize, &Wish),
    said: Result<Json, String>,
    in_words: impl Fn(&Json) -> Vec<String>,
) -> Result<(), Failure> {
    let mut lines = Vec::new();
    if arguments.json {
        let mut line = json!({ "request": request });
        if let Some(id) = &wish.id {
            line["id"] = id.clone();
        }
        let more = said.unwrap_or_else(
            |error| json!({ "call": wish.shot.call, "what": wish.shot.of.to_string(), "error": error }),
        );
        if let (Json::Object(line), Json::Object(more)) = (&mut line, more) {
            line.extend(more);
        }
        lines.push(line.to_string());
    } else {
        match said {
            Ok(said) => lines = in_words(&said),
            Err(error) => reprise_log::error(format_args!("{} at call {}: {error}", wish.shot.of, wish.shot.call)),
        }
    }
    let cannot = "cannot write to standard output";
    for line in lines {
        output.line(&line).context(cannot).or_exit(exit::FAILED)?;
    }
    output.flush().context(cannot).or_exit(exit::FAILED)?;
    Ok(())
}

/// The wishes of a batch.
fn batch_of(path: &PathBuf) -> Result<Vec<Wish>, Failure> {
    let cannot = || format!("cannot read {}", path.display());
    let file: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(path).with_context(cannot).or_exit(exit::USAGE)?)
    };
    let mut wishes = Vec::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.with_context(cannot).or_exit(exit::USAGE)?;
        if !line.trim().is_empty() {
            let wish = Wish::of_json(&line).with_context(|| format!("{}, line {}", path.display(), number + 1));
            wishes.push(wish.or_exit(exit::USAGE)?);
        }
    }
    Ok(wishes)
}

impl Arguments {
    /// What is said of what is shown. An option that is added does not compile before it stands here.
    fn given(&self) -> Vec<Setting> {
        let Arguments {
            // What is shown, where it goes, and how the trace is played.
            call: _,
            submission: _,
            target: _,
            depth: _,
            stencil: _,
            resource: _,
            buffer: _,
            overlay: _,
            output: _,
            batch: _,
            json: _,
            runtime: _,
            adapter: _,
            edits: _,
            source: _,
            before,
            part: TexturePart { mip, slice, plane, sample },
            range,
            auto_range,
            channels,
            linear,
            format,
            pixel,
            histogram,
            raw,
            structure,
            shader,
        } = self;
        let (values, fit, bytes) = match range {
            Some(Range::Values(_)) => (true, false, false),
            Some(Range::Fit | Range::FitEach) => (false, true, false),
            Some(Range::Bytes(_)) => (false, false, true),
            None => (false, false, false),
        };
        let given = [
            (Setting::Mip, mip.is_some()),
            (Setting::Slice, slice.is_some()),
            (Setting::Plane, plane.is_some()),
            (Setting::Sample, *sample != 0),
            (Setting::Structure, structure.text.is_some()),
            // One shader is for all lines of a batch.
            (Setting::Shader, shader.shader.is_some() && self.batch.is_none()),
            (Setting::Before, *before),
            (Setting::Values, values),
            (Setting::Fit, fit || *auto_range),
            (Setting::Bytes, bytes),
            (Setting::Channels, *channels != Channels::default()),
            (Setting::Linear, *linear),
            (Setting::Format, format.is_some()),
            (Setting::Pixel, !pixel.is_empty()),
            (Setting::Histogram, histogram.is_some()),
            (Setting::Raw, raw.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(setting, _)| setting).collect()
    }

    /// The wishes of the command line.
    fn wishes(&self) -> Result<Vec<Wish>, Failure> {
        let wrong = |what: String| Failure::message(exit::USAGE, what);
        let TexturePart { mip, slice, plane, sample } = self.part;
        let [mip, slice, plane] = [mip, slice, plane].map(Option::unwrap_or_default);
        let mut mapping =
            Mapping { range: None, auto: self.auto_range, each: false, channels: self.channels, linear: self.linear };
        let mut bytes = None;
        match self.range {
            Some(Range::Values(range)) => mapping.range = Some(range),
            Some(Range::Fit) => mapping.auto = true,
            Some(Range::FitEach) => (mapping.auto, mapping.each) = (true, true),
            Some(Range::Bytes(range)) => bytes = Some(range),
            None => {}
        }
        let targets = self.target.iter().map(|slot| ShotOf::Target { slot: *slot, slice, sample });
        let depth = self.depth.then_some(ShotOf::Depth { stencil: false, slice, sample });
        let stencil = self.stencil.then_some(ShotOf::Depth { stencil: true, slice, sample });
        let textures = self.resource.iter().map(|id| ShotOf::Texture { resource: *id, mip, slice, plane, sample });
        let buffers = self.buffer.iter().map(|id| ShotOf::Buffer { resource: *id, bytes });
        let mut all: Vec<ShotOf> = targets.chain(depth).chain(stencil).chain(textures).chain(buffers).collect();
        let is_open = all.is_empty() && !self.overlay.is_empty();
        if is_open {
            // What it is of is the draw's affair.
            all.push(ShotOf::Target { slot: 0, slice, sample });
        }
        if all.is_empty() {
            return Err(wrong("say what to show: --target K, --depth, --stencil, --resource ID or --buffer ID".into()));
        }
        let mut views: Vec<View> = all.iter().map(View::of).collect();
        let over = |kind: &Kind| if *kind == Kind::Clipping { View::Clipping } else { View::Overlay };
        views.extend(self.overlay.iter().map(over));
        setting::check(&views, &self.given()).map_err(wrong)?;
        let count = all.len() * self.call.len() * self.overlay.len().max(1);
        let elements = self.structure.elements().map_err(wrong)?;
        let look =
            Look { mapping, format: self.format, pixels: self.pixel.clone(), histogram: self.histogram, elements };
        let nothing = self.output.is_none()
            && self.raw.is_none()
            && self.pixel.is_empty()
            && !self.json
            && self.histogram.is_none()
            && self.structure.text.is_none();
        let wishes = self.call.iter().flat_map(|call| {
            all.iter().map(|of| {
                let shot = Shot { call: *call, before: self.before, submission: self.submission, of: of.clone() };
                let mut wish = Wish { id: None, shot, look: look.clone(), output: None, raw: None };
                let name = |ending: &str| format!("{}.{ending}", wish.name());
                let several = |path: &PathBuf, ending: &str| match count {
                    // Overlays name files themselves.
                    _ if !self.overlay.is_empty() => path.clone(),
                    1 if !is_folder(path) => path.clone(),
                    _ => path.join(name(ending)),
                };
                let output = match &self.output {
                    None if nothing && self.overlay.is_empty() => Some(name(wish.ending()).into()),
                    output => output.as_ref().map(|path| several(path, wish.ending())),
                };
                let raw = self.raw.as_ref().map(|path| several(path, "bin"));
                (wish.output, wish.raw) = (output, raw);
                wish
            })
        });
        let mut wishes: Vec<Wish> = wishes.collect();
        if self.overlay.is_empty() && wishes.iter().any(|wish| wish.output.is_none()) {
            setting::check_without_picture(&self.given()).map_err(wrong)?;
        }
        if is_open {
            overlays::place(self, &mut wishes)?;
        }
        if let Some(path) = self.output.as_ref().filter(|path| count > 1 && is_file(path)) {
            return Err(wrong(format!("{}: {count} are asked for: name a folder, with / at its end", path.display())));
        }
        Ok(wishes)
    }
}
