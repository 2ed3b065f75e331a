//! `reprise scene`: what rays can hit, drawn.

use super::structures::{self, Solids};
use super::{debug, replay};
use crate::debug::rays;
use crate::options::adapter;
use crate::scene::{self, Build, Camera, Face, Matrix, Point, Shape, Solid, Way};
use crate::shown::file::write_bytes;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::plural;
use crate::terminal::progress::Progress;
use crate::trace::open;
use anyhow::Context;
use reprise_interpreter::TracedRay;
use reprise_replay::ScreenshotSize;
use reprise_timeline::index::{Cache, Index};
use reprise_view::damage::Met;
use reprise_view::state::{self, Refused};
use reprise_view::state::{InstanceReport, StructureReport};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

const EXAMPLES: &str = "\
The scene of a call is the first acceleration structure that its shaders can reach: the first top level with its instances, or else a bottom
level alone. `reprise state` lists all of them; --structure N chooses one, counted from 0 in that order. A build shows what it makes.

A structure itself cannot be read. Vertices, indices, transforms and boxes are those of the buffers that it was built of, as a replay has
them right before the build, in the first submission that runs it. Instances are those that the program stored itself.

Each instance has a colour. The camera stands aside and above, or where --eye says; y is upwards, x to the right, z away.

Examples:
  reprise dump --methods DispatchRays --methods 'BuildRaytracing*' game.reprise     which calls have a scene
  reprise scene game.reprise 1234 -o scene.png
  reprise scene game.reprise 1234 --eye 0,2,-5 --at 0,0,0 -o front.png
  reprise scene game.reprise 1234 -o scene.obj                                      for a modelling program
  reprise scene game.reprise 1234 --thread 400,300,0 -o rays.png                    with the rays of a thread
  reprise scene game.reprise 1234 --json                                            instances, geometries, bounds, what is left out

Exit codes: 0 all is shown; 1 a geometry is left out (it says why), or the replay failed; 2 wrong usage, or the call has no scene; 3 the trace
cannot be read or is damaged.";

/// Draw the acceleration structures that rays of a call can hit
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: open::Source,
    /// The call, by its number in `dump`: a dispatch of rays, a draw or dispatch whose shaders ask rays, or a build
    #[arg(value_name = "CALL", value_parser = clap::value_parser!(u64).range(1..))]
    call: u64,
    /// This structure of those that `state` lists, counted from 0
    #[arg(long, value_name = "N")]
    structure: Option<usize>,
    /// Where the camera stands
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    eye: Option<Point>,
    /// What it looks at [default: the middle of the scene]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    at: Option<Point>,
    /// Draw the rays of this thread of the dispatch, too, as SV_DispatchThreadID or DispatchRaysIndex counts
    #[arg(long, value_name = "X,Y,Z", value_parser = debug::thread)]
    thread: Option<[u32; 3]>,
    /// Of the picture, in pixels
    #[arg(long, value_name = "WxH", default_value = "800x600", value_parser = size)]
    size: (u32, u32),
    /// A picture (.png) or a model (.obj) [default: NAME.scene-CALL.png, without --json]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    runtime: replay::Runtime,
    #[command(flatten)]
    adapter: adapter::Choice,
}

fn point(text: &str) -> Result<Point, String> {
    let values: Option<Vec<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    let point =
        values.and_then(|values| Point::try_from(values).ok()).filter(|point| point.iter().all(|it| it.is_finite()));
    point.ok_or_else(|| format!("{text:?} is no point: write it like 0,2,-5"))
}

/// Pixels of a side.
const LARGEST: u32 = 8192;

fn size(text: &str) -> Result<(u32, u32), String> {
    match ScreenshotSize::from_pixels(text)? {
        // Each pixel takes 16 bytes while the scene is drawn.
        ScreenshotSize::Pixels(width, height) if width.max(height) <= LARGEST => Ok((width, height)),
        _ => Err(format!("{text:?} is too large: no side above {LARGEST}")),
    }
}

/// A bottom level at its place in the scene.
struct Instance<'r> {
    /// `None` where a bottom level is shown alone.
    desc: Option<&'r InstanceReport>,
    transform: Matrix,
    /// The call that built it; `None` where the instance names no structure, which rays cannot hit.
    build: Result<Option<u64>, String>,
}

impl Instance<'_> {
    fn built(&self) -> Option<u64> {
        self.build.as_ref().ok().copied().flatten()
    }

    fn name(&self) -> String {
        self.desc.map_or_else(|| "the bottom level".to_owned(), |desc| format!("instance {}", desc.index))
    }
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let wrong = |text: String| Failure::message(exit::USAGE, text);
    let output = match (&arguments.output, arguments.json) {
        (None, false) => Some(arguments.source.trace.with_extension(format!("scene-{}.png", arguments.call))),
        (output, _) => output.clone(),
    };
    let ending = output
        .as_ref()
        .map(|path| path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default());
    if let (Some(path), Some(ending)) = (&output, &ending) {
        if !matches!(ending.as_str(), "png" | "obj") {
            return Err(wrong(format!("{}: a scene is a .png or a .obj file", path.display())));
        }
        arguments.source.spare(path)?;
    }
    let structures = arguments.structures()?;
    let chosen = arguments.choose(&structures)?;
    let instances = instances(chosen, &structures).map_err(|text| wrong(format!("call {}: {text}", arguments.call)))?;
    let calls: BTreeSet<u64> = instances.iter().filter_map(Instance::built).collect();
    let trace = arguments.source.open()?;
    let place = || arguments.source.trace.display().to_string();
    let builds = scene::builds(&trace, &calls).with_context(place).or_exit(exit::TRACE)?;
    Met::of(&trace).sound(&arguments.source.trace)?;
    drop(trace);
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    let solids = structures::solids((&arguments.source, &arguments.runtime), &builds)?;
    let mut told = Told::new(arguments.call, chosen, &instances, &builds, &solids);
    let rays = arguments.rays()?;
    told.json["rays"] = rays.iter().map(rays::json).collect();
    let ways: Vec<Way> =
        told.bounds.into_iter().flat_map(|bounds| rays.iter().filter_map(move |ray| Way::of(ray, bounds))).collect();
    if let (Some(path), Some(ending)) = (&output, &ending) {
        let bytes = match ending.as_str() {
            "obj" => model(&instances, &solids, (&ways, told.bounds)).into_bytes(),
            _ => arguments.picture(&instances, &solids, (&ways, told.bounds)).map_err(wrong)?,
        };
        write_bytes(path, &bytes).or_exit(exit::FAILED)?;
    }
    let file = output.as_ref().map(|path| path.display().to_string());
    if arguments.json {
        let mut json = told.json;
        json["file"] = json!(file);
        replay::print(&json.to_string())?;
    } else {
        let mut lines = in_words(&told.json);
        rays::lines(&told.json, &mut lines);
        lines.iter().try_for_each(|line| replay::print(line))?;
        if let Some(file) = file {
            replay::print(&format!("  {file}"))?;
        }
    }
    Ok(match (told.left_out, arguments.adapter.is_wrong()) {
        (true, _) => exit::FAILED,
        (false, true) => exit::VALIDATION,
        (false, false) => 0,
    })
}

impl Arguments {
    /// The rays of the thread that is asked for.
    fn rays(&self) -> Result<Vec<TracedRay>, Failure> {
        match self.thread {
            None => Ok(Vec::new()),
            Some(thread) => {
                let rays = debug::rays((&self.source, &self.runtime, &self.adapter), self.call, thread)?;
                if rays.is_empty() {
                    reprise_log::warning(format_args!("the thread traces no rays"));
                }
                Ok(rays)
            }
        }
    }

    /// The structures of the call, as `state` tells them.
    fn structures(&self) -> Result<Vec<StructureReport>, Failure> {
        let trace = self.source.open()?;
        let place = || self.source.trace.display().to_string();
        let calls = trace.statistics().calls;
        let mut line = Progress::new("reading");
        let mut progress = |call: u64| line.show_part(call, calls, || format!("call {call} of {calls}"));
        let mut index = Index::open(&trace, Cache::user(), &mut progress).with_context(place).or_exit(exit::TRACE)?;
        let report = state::report(&trace, &mut index, self.call, None, &mut progress);
        drop(line);
        match report {
            Ok(report) => {
                if report.structures.is_empty() {
                    // What would tell of one may be in what cannot be read.
                    Met::of(&trace).sound(&self.source.trace)?;
                }
                Ok(report.structures)
            }
            Err(Refused::Asked(text)) => Err(Failure::message(exit::USAGE, format!("{}: {text}", place()))),
            Err(Refused::Trace(error)) => Err(error).with_context(place).or_exit(exit::TRACE),
        }
    }

    fn choose<'s>(&self, structures: &'s [StructureReport]) -> Result<&'s StructureReport, Failure> {
        let wrong = |text: String| Failure::message(exit::USAGE, format!("call {}: {text}", self.call));
        if structures.is_empty() {
            let text = "it reaches no acceleration structure, as far as its root arguments and shader tables tell; `reprise state` shows \
                        what it has, and builds are calls of BuildRaytracingAccelerationStructure";
            return Err(wrong(text.into()));
        }
        match self.structure {
            Some(number) => structures.get(number).ok_or_else(|| {
                wrong(format!(
                    "--structure {number}: it reaches {}, counted from 0",
                    plural(structures.len() as u64, "structure")
                ))
            }),
            None => {
                let top = structures.iter().find(|structure| structure.level == "top");
                Ok(top.unwrap_or(&structures[0]))
            }
        }
    }

    fn picture(
        &self,
        instances: &[Instance<'_>],
        solids: &Solids,
        (ways, bounds): (&[Way], Option<[Point; 2]>),
    ) -> Result<Vec<u8>, String> {
        let mut bounds = bounds.ok_or("there is nothing to draw: the scene has no triangle and no box")?;
        let thick = thickness(bounds);
        // All of the rays is seen.
        for point in ways.iter().flat_map(|way| [way.from, way.to]) {
            for axis in 0..3 {
                bounds[0][axis] = bounds[0][axis].min(point[axis]);
                bounds[1][axis] = bounds[1][axis].max(point[axis]);
            }
        }
        let middle = core::array::from_fn(|axis| (bounds[0][axis] + bounds[1][axis]) / 2.0);
        let camera = match (self.eye, self.at) {
            (None, None) => Camera::of_bounds(bounds)?,
            (Some(eye), at) => Camera::new(eye, at.unwrap_or(middle))?,
            (None, Some(at)) => {
                let away = Camera::of_bounds(bounds)?.eye();
                Camera::new(away, at)?
            }
        };
        let faces = instances.iter().enumerate().flat_map(|(number, instance)| {
            let colour = colour(number);
            let all = instance.solids(solids).filter_map(|solid| solid.as_ref().ok());
            all.flat_map(Solid::triangles)
                .map(move |corners| Face { corners: corners.map(|it| instance.transform.apply(it)), colour })
        });
        let lit = |way: &Way| if way.hits { [1.0, 1.0, 0.6] } else { [0.6, 0.6, 0.7] };
        let beside = ways.iter().flat_map(|way| {
            let colour = lit(way);
            way.triangles(thick).into_iter().map(move |corners| Face { corners, colour })
        });
        let (image, covered) = scene::paint(faces.chain(beside), &camera, self.size);
        if covered == 0 {
            reprise_log::warning(format_args!(
                "nothing of the scene is seen from there: leave --eye and --at out to see all of it"
            ));
        }
        let mut bytes = Vec::new();
        image.write_png(&mut bytes)?;
        Ok(bytes)
    }
}

impl<'r> Instance<'r> {
    fn solids<'s>(&self, solids: &'s Solids) -> impl Iterator<Item = &'s Result<Solid, String>> + use<'s> {
        self.built().and_then(|build| solids.get(&build)).into_iter().flatten()
    }
}

/// The instances of a structure, with the builds of their bottom levels.
fn instances<'r>(chosen: &'r StructureReport, all: &'r [StructureReport]) -> Result<Vec<Instance<'r>>, String> {
    let Some(list) = &chosen.instances else {
        let build = chosen.build.map(Some).ok_or_else(|| {
            format!(
                "the structure at {} was {}, and the trace does not have its build",
                chosen.location.address, chosen.made.how
            )
        });
        return Ok(vec![Instance { desc: None, transform: Matrix::IDENTITY, build }]);
    };
    if let Some(reason) = list.unknown {
        return Err(format!("its {} instances are not known: {reason}", list.count));
    }
    Ok(list
        .list
        .iter()
        .map(|desc| {
            let build = match &desc.structure {
                // As the API has it: no ray hits it.
                None => Ok(None),
                Some(at) => match all.iter().find(|other| other.location.address == at.address) {
                    None => Err(format!("the structure at {} is not known", at.address)),
                    Some(other) if other.level == "top" => Err("it names a top level".to_owned()),
                    Some(other) => other
                        .build
                        .map(Some)
                        .ok_or_else(|| format!("the build of the structure at {} is not in the trace", at.address)),
                },
            };
            Instance { desc: Some(desc), transform: Matrix::of_floats(desc.transform), build }
        })
        .collect())
}

/// Colours that lie far from each other, whatever their number: the hue turns by the golden angle.
fn colour(number: usize) -> [f64; 3] {
    let hue = (0.08 + number as f64 * 0.618_033_988_749_895).fract() * 6.0;
    [5.0, 3.0, 1.0].map(|turn| {
        let k = (turn + hue) % 6.0;
        1.0 - 0.65 * k.min(4.0 - k).clamp(0.0, 1.0)
    })
}

/// How thick rays are drawn in a scene of these bounds.
fn thickness([least, most]: [Point; 2]) -> f64 {
    let square: f64 = (0..3).map(|axis| (most[axis] - least[axis]).powi(2)).sum();
    square.sqrt() / 400.0
}

fn model(instances: &[Instance<'_>], solids: &Solids, (ways, bounds): (&[Way], Option<[Point; 2]>)) -> String {
    let mut objects = Vec::new();
    for (number, instance) in instances.iter().enumerate() {
        for (geometry, solid) in instance.solids(solids).enumerate() {
            let Ok(solid) = solid else { continue };
            let corners: Vec<[Point; 3]> =
                solid.triangles().map(|corners| corners.map(|it| instance.transform.apply(it))).collect();
            objects.push((format!("instance_{number}_geometry_{geometry}"), corners));
        }
    }
    let thick = bounds.map_or(0.0, thickness);
    objects.extend(ways.iter().enumerate().map(|(number, way)| (format!("ray_{number}"), way.triangles(thick))));
    scene::obj(objects.iter().map(|(name, corners)| (name.clone(), corners.as_slice())))
}

/// What is said of a scene.
struct Told {
    json: Json,
    bounds: Option<[Point; 2]>,
    left_out: bool,
}

impl Told {
    fn new(
        call: u64,
        chosen: &StructureReport,
        instances: &[Instance<'_>],
        builds: &BTreeMap<u64, Build>,
        solids: &Solids,
    ) -> Self {
        let mut bounds: Option<[Point; 2]> = None;
        let (mut triangles, mut boxes, mut inactive) = (0u64, 0u64, 0u64);
        let mut left_out = Vec::new();
        let mut list = Vec::new();
        for instance in instances {
            let mut geometries = Vec::new();
            if let Err(reason) = &instance.build {
                left_out.push(json!({ "what": instance.name(), "reason": reason }));
            }
            for (number, solid) in instance.solids(solids).enumerate() {
                let desc = instance.built().and_then(|build| builds.get(&build)).map(|build| &build.geometries[number]);
                let flags = desc.map(|desc| desc.flags.replace("D3D12_RAYTRACING_GEOMETRY_FLAG_", ""));
                match solid {
                    Ok(solid) => {
                        let (kind, count) = match &solid.shape {
                            Shape::Triangles(all) => ("triangles", all.len() as u64),
                            Shape::Boxes(all) => ("boxes", all.len() as u64),
                        };
                        *(if kind == "boxes" { &mut boxes } else { &mut triangles }) += count;
                        inactive += solid.inactive;
                        for point in solid.triangles().flatten().map(|point| instance.transform.apply(point)) {
                            let [least, most] = bounds.get_or_insert([point; 2]);
                            for axis in 0..3 {
                                least[axis] = least[axis].min(point[axis]);
                                most[axis] = most[axis].max(point[axis]);
                            }
                        }
                        geometries
                            .push(json!({ "kind": kind, "count": count, "inactive": solid.inactive, "flags": flags }));
                    }
                    Err(reason) => {
                        let what = format!("{}, geometry {number}", instance.name());
                        left_out.push(json!({ "what": what, "reason": reason }));
                        geometries.push(json!({ "kind": null, "count": 0, "inactive": 0, "flags": flags }));
                    }
                }
            }
            let mut one = json!({ "build": instance.built(), "geometries": geometries });
            if let Some(desc) = instance.desc {
                for (name, value) in [
                    ("index", json!(desc.index)),
                    ("id", json!(desc.id)),
                    ("mask", json!(desc.mask)),
                    ("hit_group", json!(desc.hit_group)),
                    ("flags", json!(desc.flags)),
                    ("transform", json!(desc.transform)),
                ] {
                    one[name] = value;
                }
            }
            list.push(one);
        }
        let all = chosen.instances.as_ref().map_or(0, |all| u64::from(all.count));
        if let Some(missing) =
            all.checked_sub(instances.len() as u64).filter(|missing| *missing > 0 && chosen.instances.is_some())
        {
            left_out.push(json!({ "what": format!("{missing} more instances"), "reason": format!("the first {} are told", instances.len()) }));
        }
        let json = json!({
            "call": call,
            "use": chosen.used_by,
            "structure": chosen.location,
            "build": chosen.build,
            "level": chosen.level,
            "instances": list,
            "triangles": triangles,
            "boxes": boxes,
            "inactive": inactive,
            "bounds": bounds,
            "left_out": left_out,
        });
        Self { left_out: !left_out.is_empty(), bounds, json }
    }
}

fn in_words(said: &Json) -> Vec<String> {
    let count = |name: &str, one: &str| plural(said[name].as_u64().unwrap_or(0), one);
    let instances = said["instances"].as_array().map_or(&[][..], Vec::as_slice);
    let level = match said["level"].as_str() {
        Some("top") => format!("a top level of {}", plural(instances.len() as u64, "instance")),
        _ => "a bottom level".to_owned(),
    };
    let boxes = if said["boxes"] == 0 { String::new() } else { format!(", {}", boxes_in_words(&said["boxes"])) };
    let mut lines = vec![format!(
        "call {}: {level} ({}), built by call {}: {}{boxes}",
        said["call"],
        said["use"].as_str().unwrap_or_default(),
        said["build"],
        count("triangles", "triangle")
    )];
    if let Some([least, most]) = said["bounds"].as_array().map(Vec::as_slice) {
        lines.push(format!("  from {least} to {most}"));
    }
    for instance in instances.iter().take(32).filter(|instance| instance["index"].is_number()) {
        let geometries = instance["geometries"].as_array().into_iter().flatten();
        let geometries: Vec<String> = geometries.map(geometry_in_words).collect();
        let what = match instance["build"].as_u64() {
            Some(build) => format!("built by call {build}: {}", geometries.join(", ")),
            None => "no structure that rays can hit".to_owned(),
        };
        lines.push(format!(
            "  instance {}: id {}, mask {:#x}, hit group {}, {what}",
            instance["index"],
            instance["id"],
            instance["mask"].as_u64().unwrap_or(0),
            instance["hit_group"]
        ));
    }
    if instances.len() > 32 {
        lines.push(format!("  and {} more: --json has all", instances.len() - 32));
    }
    if said["inactive"] != 0 {
        lines.push(format!(
            "  {} cannot be hit: a corner is no number, or an index lies behind the vertices",
            said["inactive"]
        ));
    }
    for one in said["left_out"].as_array().into_iter().flatten() {
        let text = |name: &str| one[name].as_str().unwrap_or_default();
        lines.push(format!("  left out: {}: {}", text("what"), text("reason")));
    }
    lines
}

fn geometry_in_words(geometry: &Json) -> String {
    match geometry["kind"].as_str() {
        Some("boxes") => boxes_in_words(&geometry["count"]),
        Some(_) => plural(geometry["count"].as_u64().unwrap_or(0), "triangle"),
        None => "a geometry that is not shown".into(),
    }
}

fn boxes_in_words(count: &Json) -> String {
    if *count == 1 { "1 box".into() } else { format!("{count} boxes") }
}
