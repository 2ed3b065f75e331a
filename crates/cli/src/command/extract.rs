//! `reprise extract`: the shaders and root signatures of a trace as files.

use crate::shader::disassembly::Form;
use crate::shader::extract::Extract;
use crate::terminal::exit::{self, Ended, OrExit};
use crate::terminal::output::{self, Output};
use crate::terminal::place;
use crate::terminal::progress::Progress;
use crate::trace::open;
use anyhow::Context;
use reprise_timeline::walk_as;
use reprise_view::api;
use reprise_view::damage::Met;
use serde_json::Value as Json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Each content is written once, named by its hash: HASH.STAGE.dxbc or .dxil for shaders, HASH.root_signature.dxbc with
HASH.root_signature.json and .hlsl (as an HLSL attribute has it) beside it for root signatures; those inside shaders and
libraries are decoded likewise. What is neither is kept as it is, as .bin. index.json says of each what it is and which
calls use it, and of each state object of ray tracing its exports, their shaders and what their shader records hold.
With --disassemble the code is text, too: HASH.STAGE.ll, in the notation of LLVM; DXIL as it is, older code
(DXBC) as our translator reads it; with =dxc HASH.STAGE.dxc.ll, and with =spirv HASH.STAGE.spvasm. The hash is XXH3-128 of the bytes: the same shader has the same name in every trace.

Examples:
  reprise extract gears.reprise                   into gears.extracted
  reprise extract -o shaders --disassemble gears.reprise
  reprise extract --disassemble=ours,spirv gears.reprise
  reprise extract --json gears.reprise | jq -r '.shaders[] | [.file, .uses[0].call] | @tsv'
  reprise extract --json gears.reprise | jq '.shaders[] | select(.error)'
                                                  what is no shader

Exit codes:
  0  success
  1  a file cannot be written
  2  wrong usage
  3  the trace cannot be read, or calls or contents of it are damaged";

/// Write the shaders and root signatures of a trace as files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder to write to, made if need be [default: NAME.extracted]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write the code of each shader as text, too; ours where no form is named
    #[arg(long, value_name = "FORM,FORM", value_delimiter = ',', num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "ours")]
    disassemble: Vec<Form>,
    /// Print the index, one JSON object, instead of a line for each file
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let file = &arguments.source.trace;
    arguments.disassemble.iter().try_for_each(|form| form.check())?;
    let trace = arguments.source.open()?;
    let folder = arguments.output.clone().unwrap_or_else(|| file.with_extension("extracted"));
    place::named(&folder)?;
    let cannot = || format!("cannot make the folder {}", folder.display());
    std::fs::create_dir_all(&folder).with_context(cannot).or_exit(exit::FAILED)?;
    let mut extract = Extract::new(&trace, folder, arguments.disassemble.clone());
    let mut progress = Progress::over("extracting", trace.statistics().calls);
    let walked = walk_as(api::model(), &trace, &mut [&mut extract, &mut progress]);
    walked.with_context(|| file.display().to_string()).or_exit(exit::TRACE)?;
    drop(progress);
    let index = extract.finish()?;
    for form in &arguments.disassemble {
        without_text(&index, *form);
    }
    let lines = if arguments.json { vec![index.to_string()] } else { lines(&index) };
    let mut output = Output::new();
    for line in lines {
        if !output.line(&line).context("cannot write to standard output").or_exit(exit::FAILED)? {
            return Ok(0);
        }
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Met::of(&trace).and_problems(extract.problems()).sound(file)?;
    Ok(0)
}

/// Says how many shaders have no text in a form, and why the first has none; the index says it of each.
fn without_text(index: &Json, form: Form) {
    let (_, member) = form.members();
    let failed = index["shaders"].as_array().into_iter().flatten().filter_map(|shader| shader[member].as_str());
    let failed: Vec<&str> = failed.collect();
    if let Some(first) = failed.first() {
        let count = output::plural(failed.len() as u64, "shader");
        reprise_log::warning(format_args!("--disassemble={}: no text of {count}: {first}", form.name()));
    }
}

/// For people: file, what it is, how much, how often it is used.
fn lines(index: &Json) -> Vec<String> {
    let all = ["shaders", "root_signatures"].into_iter().flat_map(|name| index[name].as_array().into_iter().flatten());
    let line = |entry: &Json| {
        let text = |name: &str| entry[name].as_str().unwrap_or_default();
        let about = match (text("error"), text("model")) {
            ("", "") => format!("version {}", text("version")),
            ("", model) => format!("model {model}"),
            (error, _) => format!("malformed: {error}"),
        };
        let uses = entry["uses"].as_array().map_or(&[][..], Vec::as_slice);
        let first = uses.first().map_or(0, |first| first["call"].as_u64().unwrap_or_default());
        let size = output::bytes(entry["bytes"].as_u64().unwrap_or_default());
        format!(
            "{}  {about}, {size}, {}, first in call {first}",
            text("file"),
            output::plural(uses.len() as u64, "use")
        )
    };
    let export = |export: &Json| {
        let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
        let arguments = export["record"]["arguments"].as_array().map_or(&[][..], Vec::as_slice);
        let argument = |argument: &Json| match argument["words"].as_u64() {
            Some(words) => format!(" +{} {}", argument["offset"], output::plural(words, "constant")),
            None => format!(" +{} {}", argument["offset"], text(&argument["holds"])),
        };
        let arguments: Vec<String> = arguments.iter().map(argument).collect();
        let (name, kind) = (text(&export["name"]).escape_default().to_string(), text(&export["kind"]));
        let colon = if arguments.is_empty() { "" } else { ":" };
        format!("  {name} ({kind}), record of {} bytes{colon}{}", export["record"]["bytes"], arguments.join(","))
    };
    let object = |object: &Json| {
        let exports = object["exports"].as_array().map_or(&[][..], Vec::as_slice);
        let kind = object["type"].as_str().unwrap_or_default().trim_start_matches("D3D12_STATE_OBJECT_TYPE_");
        let problem = object["problem"].as_str().map(|it| format!(", {}", it.escape_default())).unwrap_or_default();
        let head = format!(
            "state object {}  {}, {}, made by call {}{problem}",
            object["id"],
            kind.to_lowercase().replace('_', " "),
            output::plural(exports.len() as u64, "export"),
            object["call"]
        );
        std::iter::once(head).chain(exports.iter().map(export)).collect::<Vec<_>>()
    };
    let objects = index["state_objects"].as_array().into_iter().flatten().flat_map(object);
    all.map(line).chain(objects).collect()
}
