//! `reprise features`: what `CheckFeatureSupport` says, on this machine and in traces.

use crate::features::row::{self, Row};
use crate::features::side::Side;
use crate::ours;
use crate::terminal::exit::{self, Ended, OrExit};
use crate::terminal::output::Output;
use anyhow::Context;
use serde_json::json;

const EXAMPLES: &str = "\
A side is a runtime, as replay's --runtime names it, or a trace: then it is the device that the program had. Each member of each structure
that CheckFeatureSupport fills in is a row. Of two sides or more the rows that differ have a star.

Examples:
  reprise features                                      what our runtime can do on this machine
  reprise features ours vkd3d-proton --different        where two runtimes differ on one driver
  reprise features game.reprise ours --different        what the program's device could do and this one cannot
  reprise features ours --json | jq '.rows[] | select(.name | contains(\"Tier\"))'

Exit codes: 0 one side, or no difference; 1 two sides differ, or a runtime has no device; 2 wrong usage; 3 a trace cannot be read.";

/// Show what a device can do, or where two differ
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Runtimes (ours, system, vkd3d, vkd3d-proton, a path) or traces (*.reprise)
    #[arg(value_name = "SIDE", default_value = "ours")]
    sides: Vec<String>,
    /// Which Vulkan device our runtime uses: its index or a part of its name, as in `reprise gpus`
    #[arg(long, value_name = "INDEX|NAME")]
    gpu: Option<String>,
    /// Only rows in which sides differ
    #[arg(long)]
    different: bool,
    /// What each format can be used for, too
    #[arg(long)]
    formats: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    // Held until the end, so that the device stays chosen.
    let _held = match &arguments.gpu {
        Some(gpu) => Some(ours::choose(Some(gpu), false, [&[], &[]]).or_exit(exit::USAGE)?),
        None => None,
    };
    let mut sides = Vec::new();
    for word in &arguments.sides {
        sides.push(Side::named(word)?);
    }
    let mut rows = Row::all(&sides);
    rows.retain(|row| arguments.formats || !row::is_format(row));
    let differ = rows.iter().any(Row::differs);
    rows.retain(|row| !arguments.different || row.differs());
    let mut output = Output::new();
    let lines = match arguments.json {
        true => {
            let sides: Vec<_> = sides.iter().map(|side| json!({ "name": side.name, "device": side.device })).collect();
            let rows: Vec<_> = rows.iter().map(Row::json).collect();
            let object = json!({ "sides": sides, "rows": rows });
            vec![serde_json::to_string(&object).context("cannot write JSON").or_exit(exit::FAILED)?]
        }
        false => row::table(&sides, &rows, output.colour()),
    };
    for line in lines {
        if !output.line(&line).context("cannot write to standard output").or_exit(exit::FAILED)? {
            return Ok(0);
        }
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Ok(u8::from(differ))
}
