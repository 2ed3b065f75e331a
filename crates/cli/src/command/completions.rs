//! `reprise completions`: what a shell offers behind the Tab key.

use crate::terminal::exit::{self, Ended, OrExit};
use crate::terminal::output;
use anyhow::Context;
use clap::Command;
use clap_complete::Shell;

const EXAMPLES: &str = "\
The packages bring these files along; this is for a program that was built by hand.

Examples:
  reprise completions bash > ~/.local/share/bash-completion/completions/reprise
  reprise completions zsh > ~/.zfunc/_reprise
  reprise completions fish > ~/.config/fish/completions/reprise.fish

Exit codes:
  0  success
  1  standard output cannot be written to
  2  wrong usage";

/// Print what a shell needs to complete commands and options
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// `program` is the whole command line.
pub(crate) fn run(arguments: &Arguments, mut program: Command) -> Ended {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "reprise", &mut text);
    output::write(&text).context("cannot write to standard output").or_exit(exit::FAILED)?;
    Ok(0)
}
