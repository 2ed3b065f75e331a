//! `reprise mesh`: the vertices of a draw as the rasteriser gets them.

use super::replay;
use crate::options::adapter;
use crate::shown::file::write_bytes;
use crate::shown::mesh::Table;
use crate::shown::{is_file, is_folder};
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::plural;
use crate::terminal::place;
use crate::trace::open;
use anyhow::Result;
use reprise_replay::{Mesh, MeshOf, MeshWish};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The vertices are those after the last stage before rasterisation: vertex, domain, geometry or mesh shader. Each has all outputs of that stage,
with SV_Position in clip space, and beside it the place after the division by w. The draw is made a second time right before its place, into a
stream-output buffer, with what is bound there. Strips come as lists: each primitive has vertices of its own. Mesh shaders store what they
give, on our own runtime; a corner has what its vertex and its primitive have.

Unsupported: mesh shaders on other libraries, draws in bundles, indirect calls that set root arguments or buffers, shaders that write through
unordered views, several view instances, and draws while a query of statistics is open.

Examples:
  reprise mesh game.reprise --call 1234                    how many vertices, their outputs, and the first of them
  reprise mesh game.reprise --call 1234 -o mesh.csv        all values; .json has them, too
  reprise mesh game.reprise --call 1234 -o mesh.obj        places after the division, for programs that show meshes
  reprise mesh game.reprise --call 1234 --instance 3 -o mesh.csv
  reprise mesh game.reprise --call 1234 --call 1240 -o meshes/ --json

Exit codes: 0 all is shown, 1 something is not (it says why), or the replay failed, 2 wrong usage, 3 the trace cannot be read or is damaged.";

/// Vertices that are printed where no file is asked for.
const SOME: u64 = 12;

/// Show the vertices of a draw after the vertex stage, with all its outputs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The call that draws, by the numbers of `reprise dump`; several times for several
    #[arg(long, value_name = "N", required = true, value_parser = clap::value_parser!(u64).range(1..))]
    call: Vec<u64>,
    /// Of a list that is submitted several times: the ExecuteCommandLists whose run is shown [default: the first]
    #[arg(long, value_name = "N")]
    submission: Option<u64>,
    /// The vertices of this instance only; instances count from 0
    #[arg(long, value_name = "I")]
    instance: Option<u64>,
    /// The file to write: .csv, .json, .obj or .bin; for several calls a folder, which gets .csv files
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the vertices as they are in memory, words of 32 bits, and what they are to FILE.json; for several calls a folder
    #[arg(long, value_name = "FILE")]
    raw: Option<PathBuf>,
    /// Print a line of JSON for each call
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
    for path in [&arguments.output, &arguments.raw].into_iter().flatten() {
        if arguments.call.len() > 1 && is_file(path) {
            let what = format!(
                "{}: {} calls are asked for: name a folder, with / at its end",
                path.display(),
                arguments.call.len()
            );
            return Err(Failure::message(exit::USAGE, what));
        }
    }
    [&arguments.output, &arguments.raw].into_iter().flatten().try_for_each(|path| place::named(path))?;
    // One folder may take both.
    let files = [&arguments.output, &arguments.raw].into_iter().flatten().filter(|path| is_file(path));
    arguments.source.spare_all(files.map(PathBuf::as_path))?;
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    let mut options = arguments.runtime.options()?;
    let wish = |call: &u64| MeshWish {
        call: *call,
        submission: arguments.submission,
        of: MeshOf::Rasteriser,
        view: None,
        lone: None,
    };
    options.meshes = arguments.call.iter().map(wish).collect();
    let mut report = replay::play_quietly(&arguments.source, options)?;
    let meshes = std::mem::take(&mut report.meshes);
    let mut failed = false;
    for (call, mesh) in arguments.call.iter().zip(meshes) {
        let said = mesh.and_then(|mesh| {
            let said = show(arguments, *call, &mesh).map_err(|error| format!("{error:#}"))?;
            Ok((said, mesh))
        });
        failed |= said.is_err();
        match said {
            Ok((said, _)) if arguments.json => replay::print(&said.to_string())?,
            Ok((said, mesh)) => say(arguments, &said, &mesh)?,
            Err(error) if arguments.json => {
                replay::print(&json!({ "call": call, "error": error }).to_string())?;
            }
            Err(error) => reprise_log::error(format_args!("the mesh of call {call}: {error}")),
        }
    }
    replay::sound(&report, &arguments.source)?;
    Ok(match (failed, arguments.adapter.is_wrong()) {
        (true, _) => exit::FAILED,
        (false, true) => exit::VALIDATION,
        (false, false) => 0,
    })
}

/// Writes the files of a mesh, and gives what is to be said of it.
fn show(arguments: &Arguments, call: u64, mesh: &Mesh) -> Result<Json> {
    let table = Table::of(mesh, arguments.instance)?;
    let mut said = json!({ "call": call });
    if let (Json::Object(said), Json::Object(about)) = (&mut said, table.about()) {
        said.extend(about);
    }
    let file = |path: &Path, ending: &str| match arguments.call.len() == 1 && !is_folder(path) {
        true => path.to_owned(),
        false => path.join(format!("call{call:08}_mesh.{ending}")),
    };
    let raw = arguments.raw.as_ref().map(|path| file(path, "bin"));
    if let Some(raw) = &raw {
        write_bytes(raw, table.bytes())?;
        let mut beside = raw.as_os_str().to_owned();
        beside.push(".json");
        write_bytes(Path::new(&beside), format!("{said:#}\n").as_bytes())?;
    }
    let output = arguments.output.as_ref().map(|path| file(path, "csv"));
    if let Some(output) = &output {
        table.write(output)?;
    }
    for (name, path) in [("file", output), ("raw", raw)] {
        said[name] = path.map(|path| path.display().to_string()).into();
    }
    Ok(said)
}

fn say(arguments: &Arguments, said: &Json, mesh: &Mesh) -> Result<(), Failure> {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let vertices = said["vertices"].as_u64().unwrap_or_default();
    let mut line = format!(
        "call {}: {} behind the {} stage",
        said["call"],
        if vertices == 1 { "1 vertex".to_owned() } else { format!("{vertices} vertices") },
        text(&said["stage"])
    );
    let primitive = ["point", "line", "triangle"];
    if let Some(one) = said["vertices_of_primitive"].as_u64().filter(|one| (1..4).contains(one)) {
        line.push_str(&format!(", {}", plural(vertices / one, primitive[one as usize - 1])));
    }
    if let Some(instances) = said["instances"].as_u64().filter(|_| arguments.instance.is_none()) {
        line.push_str(&format!(", {}", plural(instances, "instance")));
    }
    replay::print(&line)?;
    for column in said["columns"].as_array().into_iter().flatten() {
        let (semantic, kind) = (text(&column["semantic"]), text(&column["type"]));
        replay::print(&format!("  {semantic}{}: {} {kind}", column["index"], column["components"]))?;
    }
    if said["least"].is_array() {
        replay::print(&format!("  after the division from {} to {}", said["least"], said["greatest"]))?;
    }
    for note in said["notes"].as_array().into_iter().flatten() {
        replay::print(&format!("  {}", text(note)))?;
    }
    let files: Vec<String> =
        ["file", "raw"].iter().map(|name| text(&said[*name])).filter(|it| !it.is_empty()).collect();
    for file in &files {
        replay::print(&format!("  {file}"))?;
    }
    if files.is_empty() {
        let table = Table::of(mesh, arguments.instance).or_exit(exit::FAILED)?;
        table.csv(SOME).lines().try_for_each(|line| replay::print(&format!("  {line}")))?;
        if vertices > SOME {
            replay::print(&format!("  {} more: -o FILE writes all", vertices - SOME))?;
        }
    }
    Ok(())
}
