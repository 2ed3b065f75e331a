//! The command line.

use crate::program::wrong::{self, Fault};
use crate::program::{self, Program, undefined};
use crate::shader::Kind;
use clap::{CommandFactory, Parser};
use std::path::PathBuf;

/// Runs one of Reprise's Direct3D 12 test programs and prints a hash of its result.
///
/// Each program exercises one thing, without a window, checks its own result against the processor's, and prints one line,
/// `NAME HASH`. The hash is the same on every conforming library and driver.
#[derive(Parser)]
#[command(name = "reprise-programs", after_help = EXAMPLES)]
struct CommandLine {
    /// The program to run; --list names them all
    name: Option<String>,

    /// List the programs and what each is about
    #[arg(long, conflicts_with = "name")]
    list: bool,

    /// The Direct3D 12 library to run on: ours (beside this program), vkd3d (Debian's), vkd3d-proton, windows (d3d12.dll), or a path
    #[arg(long, value_name = "LIBRARY", default_value = LIBRARY)]
    library: String,

    /// Which form of its shaders the program gives to the library: DXBC is shader model 5, DXIL is 6
    #[arg(long, value_name = "KIND", value_enum, default_value_t = Kind::Dxbc)]
    shaders: Kind,

    /// How many frames to run, for programs that repeat (the hash depends on it)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    frames: Option<u32>,

    /// Copy four bytes on the GPU once a second, and write a line each time: `cargo xtask conformance --heartbeat` listens
    #[arg(long, hide = true, conflicts_with = "name")]
    heartbeat: bool,

    /// Run the compute shaders that this file names, line by line: `cargo xtask oracle` writes it
    #[arg(long, hide = true, conflicts_with = "name", value_name = "FILE")]
    dispatched: Option<PathBuf>,

    /// Do one thing wrong, once, for `reprise lint` or `reprise replay --check-nan` to find; on our own library only. An unknown
    /// name is answered with those that there are
    #[arg(long, conflicts_with = "name", value_name = "FAULT")]
    wrong: Option<String>,

    /// With --wrong: the correct twin
    #[arg(long, requires = "wrong")]
    right: bool,

    /// Write what mapped memory holds at each submission to this file, for `reprise check-memory`; only `writers` does
    #[arg(long, value_name = "FILE")]
    memory_log: Option<PathBuf>,
}

/// The library that a program of this system expects.
const LIBRARY: &str = if cfg!(windows) { "windows" } else { "ours" };

const EXAMPLES: &str = "\
Examples:
  reprise-programs --list
  reprise-programs compute
  reprise-programs compute --library vkd3d
  reprise-programs compute --library ./libvkd3d-proton-d3d12.so --shaders dxil
  reprise capture -o compute.reprise -- reprise-programs compute
  reprise capture -o wrong.reprise -- reprise-programs --wrong state-before
  reprise capture -o right.reprise -- reprise-programs --wrong state-before --right
  reprise capture -o writers.reprise -- reprise-programs writers --memory-log writers.log

Exit codes:
  0  the result is right
  1  the result is wrong, or a call failed that should not (standard error says which)
  2  the command line is wrong, or there is no such library
  3  the library says that it lacks what the program needs (standard error says what)";

/// What is asked for, checked.
pub(crate) struct Arguments {
    pub(crate) task: Task,
}

/// What to do.
pub(crate) enum Task {
    List,
    /// Says once a second that the GPU works.
    Heartbeat(Options),
    /// Runs the shaders of a list.
    Dispatched(PathBuf, Options),
    /// Does something wrong, or, where false, its correct twin.
    Wrong(&'static Fault, bool, Options),
    Run(&'static Program, Options),
}

/// How a program is to be run.
pub(crate) struct Options {
    /// A name or a path.
    pub(crate) library: String,
    pub(crate) shaders: Kind,
    /// `None`: as many as the program thinks right.
    pub(crate) frames: Option<u32>,
    /// Where to write down what mapped memory holds at each submission.
    pub(crate) memory_log: Option<PathBuf>,
}

impl Arguments {
    /// Reads the process's arguments; ends it with exit code 2 where they make no sense.
    pub(crate) fn read() -> Self {
        let line = CommandLine::parse();
        let foreign = line.library != "ours" && !line.library.ends_with("libreprise_d3d12.so");
        let options =
            Options { library: line.library, shaders: line.shaders, frames: line.frames, memory_log: line.memory_log };
        let task = match line.name {
            _ if line.list => Task::List,
            _ if line.heartbeat => Task::Heartbeat(options),
            _ if let Some(list) = line.dispatched => Task::Dispatched(list, options),
            None if line.wrong.is_some() && foreign => usage("what is wrong is done on our own library only"),
            None if let Some(name) = &line.wrong => match wrong::ALL.iter().find(|fault| fault.name == name) {
                Some(fault) => Task::Wrong(fault, !line.right, options),
                None => {
                    let names: Vec<&str> = wrong::ALL.iter().map(|fault| fault.name).collect();
                    usage(&format!("there is no fault {name:?}; there are {}", names.join(", ")))
                }
            },
            None => usage("name a program, or ask for --list"),
            Some(name) if undefined::ALL.iter().any(|program| program.name == name) && foreign => usage(
                "undefined programs run on our own library only: others hand on to the driver what stops GPUs for good",
            ),
            Some(name) => match program::ALL.iter().chain(undefined::ALL).find(|program| program.name == name) {
                Some(program) => Task::Run(program, options),
                None => usage(&format!("there is no program {name:?}; --list names them all")),
            },
        };
        Self { task }
    }
}

fn usage(message: &str) -> ! {
    CommandLine::command().error(clap::error::ErrorKind::ValueValidation, message).exit()
}
