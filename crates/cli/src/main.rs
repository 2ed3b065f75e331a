//! The program `reprise`: captures Direct3D 12 programs, and shows, replays and verifies what was captured.
//!
//! Invariant: what happened is in the exit code (see [`terminal::exit`]), standard output carries only what was asked for, and
//! everything else goes to standard error.

#[cfg(unix)]
mod bisect;
mod capture;
mod child_replay;
mod command;
mod control;
mod convert;
mod debug;
mod diagnosis;
mod divergence;
#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod documents;
mod features;
mod frame_picture;
mod launch;
mod metric;
mod observer;
mod options;
mod ours;
mod overlay;
mod overview;
mod pixel;
mod raster;
mod scene;
mod shader;
mod shown;
#[cfg(unix)]
mod suite;
mod terminal;
mod timing;
mod trace;
#[cfg(unix)]
mod trial;
mod window;

#[cfg(windows)]
use reprise_windows_start as _;
use shader::translator;
use terminal::{exit, output};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

const ABOUT: &str = "\
Captures what a Direct3D 12 program asks of its GPU, and shows, replays and verifies it.";

const EXAMPLES: &str = "\
Examples:
  reprise capture -- vkd3d-gears              run a program, record it into vkd3d-gears.reprise
  reprise run -- wine game.exe                run a program on our own Direct3D 12 runtime
  reprise info gears.reprise                  frames, calls, adapter, time of a trace
  reprise dump --frames 3 gears.reprise       the calls of the third frame, one a line
  reprise stat gears.reprise                  calls and bytes by method, objects, leaks
  reprise state gears.reprise 1234            what is bound at a draw, values of fences at any call
  reprise lint gears.reprise                  what the program did wrong: states, fences, lifetimes, descriptors
  reprise diagnose gears.reprise              where the GPU stopped when its device was removed
  reprise extract gears.reprise               its shaders and root signatures, as files
  reprise convert -o gears.parquet gears.reprise
                                              a row for each call and event, for other programs
  reprise diff before.reprise after.reprise   what two traces do not have in common
  reprise replay --screenshots 1-3 gears.reprise
                                              play it without a window; three frames as PNG
  reprise show gears.reprise --call 1234 --target 0 -o draw.png
                                              what a draw left in its target
  reprise verify gears.reprise                play it, compare each frame with the capture's
  reprise bisect --candidates builds.txt gears.reprise
                                              the first build that plays it in another way, and the first call
  reprise suite run tests/traces              traces with golden results, for the CI of a driver
  reprise trim --frames 100-102 gears.reprise cut three frames out, into a trace of their own
  reprise edit -e 'call 1234: drop' gears.reprise
                                              change calls and contents, into a new trace

Files written:
  capture, trim, edit and repair replace a trace only with --force; a name that capture chooses is numbered
  bisect goes on with a log only with --resume; suite add replaces the golden of the same trace and driver
  every other file to write is replaced if it exists
  - is standard output to convert, query and suite run --json; elsewhere a file needs a name

Exit codes:
  0  success
  1  frames differ, or the replay failed
  2  wrong usage
  3  the trace cannot be read, or is damaged
  4  replay --validate: played to the end, and Vulkan's validation found errors
  5  lint, replay --check-nan, replay --check-descriptors: something is wrong in what the program did
  6  replay, diagnose: the GPU stopped or was lost, and the report says where
  7  bisect: the first bad candidate is one of several, because others were skipped
  8  verify --control, suite add: all is equal, and would be if the GPU did something else
  diff ends as diff does: 0 the same, 1 different, 2 trouble
  capture and run end with the program's own exit code (128 + signal when a signal ended it), or
  124  the program ended well and never used Direct3D 12
  125  capturing, or preparing the run, failed
  126  the program cannot be run
  127  there is no such program";

#[derive(Debug, Parser)]
#[command(name = "reprise", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
struct Arguments {
    /// When to colour output; auto: on a terminal, as NO_COLOR and CLICOLOR_FORCE say
    #[arg(long, visible_alias = "colour", global = true, value_name = "WHEN", default_value = "auto")]
    color: output::When,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Capture(Box<command::capture::Arguments>),
    #[cfg(unix)]
    Run(command::run::Arguments),
    Info(command::info::Arguments),
    Dump(command::dump::Arguments),
    Stat(command::stat::Arguments),
    State(command::state::Arguments),
    Scene(command::scene::Arguments),
    Notes(command::notes::Arguments),
    Lint(command::lint::Arguments),
    Diagnose(command::diagnose::Arguments),
    Extract(command::extract::Arguments),
    Convert(command::convert::Arguments),
    Diff(command::diff::Arguments),
    Replay(Box<command::replay::Arguments>),
    Show(Box<command::show::Arguments>),
    Thumbnails(Box<command::thumbnails::Arguments>),
    Draws(Box<command::draws::Arguments>),
    Overdraw(Box<command::overdraw::Arguments>),
    Mesh(Box<command::mesh::Arguments>),
    Pixel(Box<command::pixel::Arguments>),
    Debug(Box<command::debug::Arguments>),
    Time(Box<command::time::Arguments>),
    Verify(command::verify::Arguments),
    #[cfg(unix)]
    Bisect(Box<command::bisect::Arguments>),
    #[cfg(unix)]
    Suite(Box<command::suite::Arguments>),
    Repair(command::repair::Arguments),
    Trim(command::trim::Arguments),
    Edit(command::edit::Arguments),
    Gpus(command::gpus::Arguments),
    Features(command::features::Arguments),
    Query(command::edge::Query),
    Inspect(command::edge::Inspect),
    Farm(command::edge::Farm),
    Completions(command::completions::Arguments),
    Man(command::man::Arguments),
    #[command(hide = true)]
    Pictures(command::pictures::Arguments),
    #[command(hide = true)]
    Steps(command::steps::Arguments),
    #[command(hide = true)]
    CheckMemory(command::check_memory::Arguments),
    #[command(hide = true)]
    Write(command::write::Arguments),
    #[cfg(unix)]
    #[command(hide = true)]
    Restore(command::restore::Arguments),
    /// Translate shaders for a replay (internal)
    #[command(hide = true)]
    Translate,
    #[command(hide = true)]
    Disassemble(command::disassemble::Arguments),
}

fn main() -> ExitCode {
    // A reader that goes away (`reprise dump | head`) shows as a failed write, not as a signal; see `output`.
    let program = overview::grouped(Arguments::command());
    let matches = program.clone().try_get_matches();
    let matches = matches.unwrap_or_else(|error| overview::with_tip(overview::suggesting(error, &program)).exit());
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    output::set_colour(arguments.color);
    // What plays traces, and what may use Vulkan by whatever runtime.
    use Command::{
        Diff, Draws, Features, Gpus, Mesh, Overdraw, Pictures, Pixel, Replay, Show, Steps, Thumbnails, Trim, Verify,
    };
    let plays = matches!(
        &arguments.command,
        Replay(_)
            | Verify(_)
            | Pictures(_)
            | Steps(_)
            | Trim(_)
            | Show(_)
            | Thumbnails(_)
            | Draws(_)
            | Overdraw(_)
            | Mesh(_)
            | Pixel(_)
    );
    if plays {
        translator::elsewhere();
        ours::give_addresses();
    }
    if plays || matches!(&arguments.command, Diff(_) | Gpus(_) | Features(_)) {
        ours::keep_renderdoc();
    }
    let ended = match arguments.command {
        Command::Capture(arguments) => command::capture::run(&arguments),
        #[cfg(unix)]
        Command::Run(arguments) => command::run::run(&arguments),
        Command::Info(arguments) => command::info::run(&arguments),
        Command::Dump(arguments) => command::dump::run(&arguments),
        Command::Stat(arguments) => command::stat::run(&arguments),
        Command::State(arguments) => command::state::run(&arguments),
        Command::Scene(arguments) => command::scene::run(&arguments),
        Command::Notes(arguments) => command::notes::run(&arguments),
        Command::Lint(arguments) => command::lint::run(&arguments),
        Command::Diagnose(arguments) => command::diagnose::run(&arguments),
        Command::Extract(arguments) => command::extract::run(&arguments),
        Command::Convert(arguments) => command::convert::run(&arguments),
        Command::Diff(arguments) => command::diff::run(&arguments),
        Command::Replay(mut arguments) => command::replay::run(&mut arguments),
        Command::Show(mut arguments) => command::show::run(&mut arguments),
        Command::Thumbnails(arguments) => command::thumbnails::run(&arguments),
        Command::Draws(arguments) => command::draws::run(&arguments),
        Command::Overdraw(arguments) => command::overdraw::run(&arguments),
        Command::Time(mut arguments) => command::time::run(&mut arguments),
        Command::Mesh(arguments) => command::mesh::run(&arguments),
        Command::Pixel(arguments) => command::pixel::run(&arguments),
        Command::Debug(arguments) => command::debug::run(&arguments),
        Command::Verify(mut arguments) => command::verify::run(&mut arguments),
        #[cfg(unix)]
        Command::Bisect(arguments) => command::bisect::run(&arguments),
        #[cfg(unix)]
        Command::Suite(arguments) => command::suite::run(&arguments),
        Command::Repair(arguments) => command::repair::run(&arguments),
        Command::Trim(arguments) => command::trim::run(&arguments),
        Command::Edit(mut arguments) => command::edit::run(&mut arguments),
        Command::Gpus(arguments) => command::gpus::run(&arguments),
        Command::Features(arguments) => command::features::run(&arguments),
        Command::Query(arguments) => command::edge::run("reprise-query", &arguments.rest),
        Command::Inspect(arguments) => command::edge::run("reprise-inspect", &arguments.rest),
        Command::Farm(arguments) => command::edge::run("reprise-farm", &arguments.rest),
        Command::Completions(arguments) => {
            command::completions::run(&arguments, overview::for_people(&Arguments::command()))
        }
        Command::Man(arguments) => command::man::run(&arguments, overview::readable(Arguments::command())),
        Command::Pictures(arguments) => command::pictures::run(&arguments),
        Command::Steps(arguments) => command::steps::run(&arguments),
        Command::CheckMemory(arguments) => command::check_memory::run(&arguments),
        Command::Write(arguments) => command::write::run(&arguments),
        #[cfg(unix)]
        Command::Restore(arguments) => command::restore::run(&arguments),
        Command::Translate => command::translate::run(),
        Command::Disassemble(arguments) => command::disassemble::run(&arguments),
    };
    exit::finish(ended)
}
