//! `reprise gpus`: the devices that our runtime can play on.

use crate::ours;
use crate::ours::{DriverRule, GpuLine};
use crate::terminal::exit::{self, Ended, OrExit};
use crate::terminal::output::Output;
use anyhow::Context;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  reprise gpus                                 their indices, names and kinds
  reprise gpus --rules                         the same with the drivers' rules
  reprise gpus --json | jq -r '.gpus[].name'    the names alone
  reprise replay --gpu 1 gears.reprise         play on the second one
  reprise replay --gpu llvmpipe gears.reprise  play on the one with this in its name

Exit codes: 0 listed, 1 there is no Vulkan, 2 wrong usage.";

/// List the Vulkan devices that our runtime can play on
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// What our runtime knows of each driver's release beside what the driver says, and does about it
    ///
    /// REPRISE_DRIVER_RULES_OFF=NAME,NAME switches rules off, to try them on a new release.
    #[arg(long)]
    rules: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let devices = ours::devices().or_exit(exit::FAILED)?;
    let devices = match arguments.json {
        true => vec![json!({ "gpus": devices.iter().map(as_json).collect::<Vec<_>>() }).to_string()],
        false => devices.iter().flat_map(|one| lines(one, arguments.rules)).collect(),
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

/// A device, and the rules about its driver where they are wanted.
fn lines(one: &GpuLine, rules: bool) -> Vec<String> {
    let mut lines = vec![one.to_string()];
    if rules {
        lines.push(format!("  driver {}", one.driver));
        lines.extend(one.rules.iter().map(|rule| format!("  {rule}")));
    }
    lines
}

fn as_json(one: &GpuLine) -> serde_json::Value {
    let rule = |rule: &DriverRule| json!({ "name": rule.name, "seen": rule.seen, "does": rule.does, "so": rule.so });
    let rules: Vec<_> = one.rules.iter().map(rule).collect();
    let GpuLine { index, name, kind, lacks, driver, .. } = one;
    json!({ "index": index, "name": name, "kind": kind, "lacks": lacks, "driver": driver, "rules": rules })
}
