//! `reprise gpus`: the devices that our runtime can play on.

use crate::ours;
use crate::ours::GpuLine;
use crate::terminal::exit::{self, Ended, OrExit};
use crate::terminal::output::Output;
use anyhow::Context;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  reprise gpus                                 their indices, names and kinds
  reprise gpus --json | jq -r '.gpus[].name'    the names alone
  reprise replay --gpu 1 gears.reprise         play on the second one
  reprise replay --gpu llvmpipe gears.reprise  play on the one with this in its name

Exit codes: 0 listed, 1 there is no Vulkan, 2 wrong usage.";

/// List the Vulkan devices that our runtime can play on
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let devices = ours::devices().or_exit(exit::FAILED)?;
    let devices = match arguments.json {
        true => vec![json!({ "gpus": devices.iter().map(as_json).collect::<Vec<_>>() }).to_string()],
        false => devices.iter().map(ToString::to_string).collect(),
    };
    let mut output = Output::new();
    let mut print = || -> std::io::Result<()> {
        for line in &devices {
            output.line(line)?;
        }
        output.flush().map(|_| ())
    };
    print().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Ok(0)
}

fn as_json(one: &GpuLine) -> serde_json::Value {
    json!({ "index": one.index, "name": one.name, "kind": one.kind, "lacks": one.lacks })
}
