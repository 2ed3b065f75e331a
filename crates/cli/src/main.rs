//! The program `reprise`: captures Direct3D 12 programs, and shows, replays and verifies what was captured.
//!
//! Invariant: what happened is in the exit code (see [`exit`]), standard output carries only what was asked for, and
//! everything else goes to standard error.

mod command;
mod exit;
mod output;
mod progress;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

const ABOUT: &str = "\
Captures what a Direct3D 12 program asks of its GPU, and shows, replays and verifies it.";

const EXAMPLES: &str = "\
Examples:
  reprise capture -- vkd3d-gears             run a program and record it into vkd3d-gears.reprise
  reprise info vkd3d-gears.reprise           what is in a trace: frames, calls, adapter, time
  reprise dump --frames 3 gears.reprise      the calls of the third frame, one a line
  reprise replay --screenshots 1-3 gears.reprise
                                             play it without a window, three frames as PNG files
  reprise verify gears.reprise               play it and compare each frame with what was presented at capture

Exit codes:
  0 success   1 frames differ, or the replay failed   2 wrong usage   3 the trace cannot be read, or is damaged
  capture ends with the program's own exit code (128 + signal when a signal ended it); 124 when the program ended well
  but never made a device, 125 when capturing itself failed, 126 and 127 when the program cannot be run or found.";

#[derive(Debug, Parser)]
#[command(name = "reprise", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Replay(command::replay::Arguments),
    Verify(command::verify::Arguments),
}

fn main() -> ExitCode {
    // A reader that goes away (`reprise dump | head`) shows as a failed write, not as a signal; see `output`.
    let arguments = Arguments::parse();
    let ended = match arguments.command {
        Command::Replay(arguments) => command::replay::run(&arguments),
        Command::Verify(arguments) => command::verify::run(&arguments),
    };
    exit::finish(ended)
}
