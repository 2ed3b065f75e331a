//! Direct3D 12 test programs: each exercises one thing, checks its own result, and prints a hash of it.
//!
//! They are fixtures: run as they are on any library, run under capture, replayed, run on other GPUs. Invariants: no window
//! (but for `dxgi`), no time, no randomness that is not seeded; whatever reaches the hash is exact on every conforming
//! driver (integers, texels at their centres, colours that UNORM holds exactly), so one hash is right everywhere and is stated
//! in `expected.txt`. They use the API's generated types and model and nothing else of this workspace.
//!
//! To write one: a file under `src/program/`, a line in `program.rs`, shaders under `shaders/` and their line in
//! `shaders/blobs.txt`.

mod acceleration;
mod arguments;
mod buffer;
mod com;
mod descriptor;
mod device;
mod digest;
mod dispatched;
mod draw;
mod failure;
mod fence;
mod graphics;
mod handle;
mod heartbeat;
mod list;
mod memory;
mod memory_log;
mod picture;
mod pipeline;
mod program;
mod queue;
mod random;
mod root;
mod runtime;
mod sampler;
mod shader;
mod signature;
mod stage;
mod state_object;
mod store;
mod swap_chain;
mod target;
mod texel;
mod texture;

use arguments::{Arguments, Task};
#[cfg(windows)]
use reprise_windows_start as _;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Arguments::read().task {
        Task::List => {
            let mut output = std::io::stdout().lock();
            // A reader that has seen enough goes away.
            let _ =
                program::ALL.iter().try_for_each(|program| writeln!(output, "{:<17} {}", program.name, program.about));
            ExitCode::SUCCESS
        }
        Task::Heartbeat(options) => match stage::Stage::new(&options).and_then(|stage| heartbeat::run(&stage)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                eprintln!("reprise-programs: heartbeat: {failure}");
                ExitCode::from(failure.exit_code())
            }
        },
        Task::Dispatched(list, options) => {
            match stage::Stage::new(&options).and_then(|stage| dispatched::run(&stage, &list)) {
                Ok(()) => ExitCode::SUCCESS,
                Err(failure) => {
                    eprintln!("reprise-programs: dispatched: {failure}");
                    ExitCode::from(failure.exit_code())
                }
            }
        }
        Task::Wrong(fault, wrong, options) => {
            match stage::Stage::new(&options).and_then(|stage| program::wrong::run(&stage, fault, wrong)) {
                Ok(()) => ExitCode::SUCCESS,
                Err(failure) => {
                    eprintln!("reprise-programs: {}: {failure}", fault.name);
                    ExitCode::from(failure.exit_code())
                }
            }
        }
        Task::Run(program, options) => match stage::Stage::new(&options).and_then(|stage| (program.run)(&stage)) {
            Ok(digest) => {
                println!("{} {digest}", program.name);
                ExitCode::SUCCESS
            }
            Err(failure) => {
                eprintln!("reprise-programs: {}: {failure}", program.name);
                ExitCode::from(failure.exit_code())
            }
        },
    }
}
