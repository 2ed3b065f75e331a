//! `reprise gpus`: the devices that our runtime can play on.

use crate::options::adapter;
use crate::terminal::exit::{self, Ended, OrExit};
use crate::terminal::output::Output;
use anyhow::Context;
use reprise_gpu::Instance;
use reprise_gpu::adapter::adapters;
use reprise_runtime::environment;

const EXAMPLES: &str = "\
Examples:
  reprise gpus                                 their indices, names and kinds
  reprise replay --gpu 1 gears.reprise         play on the second one
  reprise replay --gpu llvmpipe gears.reprise  play on the one with this in its name

Exit codes: 0 listed, 1 there is no Vulkan, 2 wrong usage.";

/// List the Vulkan devices that our runtime can play on
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments) -> Ended {
    let instance = Instance::shared(&environment::settings().gpu).or_exit(exit::FAILED)?;
    let all = adapters(&instance).or_exit(exit::FAILED)?;
    let mut output = Output::new();
    let mut print = || -> std::io::Result<()> {
        for line in adapter::lines(&all) {
            output.line(&line)?;
        }
        output.flush().map(|_| ())
    };
    print().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Ok(0)
}
