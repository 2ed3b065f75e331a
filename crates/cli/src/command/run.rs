//! `reprise run`: runs a program on our own Direct3D 12 runtime.
//!
//! Invariant: nothing is installed and nothing left behind, however the run ends; the exit code is the program's own unless the run could
//! not be prepared, or made no device.

use crate::launch::folder::Folder;
use crate::launch::mark::Mark;
use crate::launch::restorer::Restorer;
use crate::launch::validation::Validation;
use crate::launch::windows::arrangement::{Arrangement, Equipment};
use crate::launch::windows::options::Options;
use crate::launch::windows::target::Target;
use crate::launch::windows::{host_log, placement};
use crate::launch::{gl, native, program, runtime};
use crate::options::logging::Logging;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::plural;
use anyhow::Context;
use reprise_environment::capture::HOST_LOG;
use reprise_environment::run::FOLDER;
use reprise_environment::runtime::{ADAPTER, CHECK_DESCRIPTORS, VALIDATION};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  reprise run -- wine game.exe -dx12          a Windows program under Wine; in Steam's launch options:
  reprise run -- %command%                    see docs/windows.md
  reprise run -- vkd3d-proton-gears           a native program that is linked with libvkd3d-proton-d3d12.so
  reprise run --gl -- glxgears                an OpenGL program, which Mesa's d3d12 driver draws on our runtime
  reprise run --validate --log-file log.txt -- wine game.exe
                                              Vulkan's validation layer checks our runtime meanwhile
  reprise run --gpu llvmpipe -- ./game        on this Vulkan device (reprise gpus lists them)
  reprise run --log-level debug -- ./game     with what the runtime decides, and why it refuses what it does
  reprise run --place system -- wine game.exe our libraries in the prefix, for programs that look at their folder
  reprise run --clean-up ~/Games/game         put back what a run that was killed left beside a Windows program
  reprise capture --runtime ours -- wine game.exe
                                              the same run, recorded

Of a Windows program, d3d12.dll and d3d12core.dll of our runtime are beside it while it runs, or in the prefix; files of these names that
are there already are put back afterwards. DXGI stays what it is: Wine's own, or DXVK's. A native program finds our runtime as
libvkd3d-proton-d3d12.so, or as libd3d12.so and libdxcore.so, which Microsoft's Linux Direct3D 12 programs load (Mesa's OpenGL, DirectML), in
a temporary folder that is first in LD_LIBRARY_PATH. The run lasts until the last Windows process that the
command started has ended.

The runtime heeds some of vkd3d-proton's variables (VKD3D_VULKAN_DEVICE, VKD3D_SHADER_CACHE_PATH and others: docs/windows.md has the
table); options here and variables that begin with REPRISE_ take precedence.

Exit codes: the program's own (128 + signal when a signal ended it); 124 when it ended well without a device of our runtime, 125 when the
run could not be prepared, 126 when the program cannot be run, 127 when there is no such program.";

/// Run a program on our own Direct3D 12 runtime, with nothing installed
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The Vulkan device of programs that leave the choice to the runtime, by its index or a part of its name: see `reprise gpus`
    #[arg(long, visible_alias = "adapter", value_name = "INDEX|NAME")]
    gpu: Option<String>,
    /// Have an OpenGL program draw by Direct3D 12: on Mesa's d3d12 driver (Debian's libgl1-mesa-dri has it), which uses our runtime
    #[arg(long)]
    gl: bool,
    /// Let Vulkan's validation layer check our runtime: messages on standard error, and in --log-file
    #[arg(long)]
    validate: bool,
    /// Let shaders look at each descriptor of a heap before they use it: an index beyond the heap, a descriptor of another type, of a
    /// resource that is gone, and others. What is found is a warning on standard error, and in --log-file
    #[arg(long)]
    check_descriptors: bool,
    /// Say nothing on success
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    logging: Logging,
    #[command(flatten)]
    windows: Options,
    /// The program and its arguments
    #[arg(value_name = "PROGRAM", required_unless_present = "clean_up", last = true)]
    program: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    if let Some(folder) = &arguments.windows.clean_up {
        return placement::clean_up_and_tell(folder);
    }
    let name = arguments.program.first();
    let name =
        name.ok_or_else(|| Failure::message(exit::USAGE, "no program to run: reprise run -- PROGRAM ARGUMENTS"))?;
    let shown = PathBuf::from(name);
    let program = program::find(name)
        .ok_or_else(|| Failure::message(exit::NOT_FOUND, format!("{}: no such program", shown.display())))?;
    arguments.logging.begin(&[])?;
    let target = Target::of(&arguments.program, &arguments.windows)?;
    if arguments.gl && target.is_some() {
        return Err(Failure::message(exit::USAGE, "--gl is for native programs, and this is a Windows program"));
    }
    program::refuse_foreign_rights(&program).map_err(|error| Failure::message(exit::CANNOT_RUN, error))?;
    let folder = Folder::make(&place(target.as_ref()), |path| Mark::new(FOLDER, path));
    let folder = folder.context("cannot make a temporary folder").or_exit(exit::CAPTURE)?;
    let name = target.as_ref().and_then(Target::name).or(program.file_name()).unwrap_or_default().to_owned();
    let prepared = Prepared::new(arguments, target, &folder)?;
    let words = prepared.arrangement.as_ref().map(|arrangement| arrangement.words(&arguments.program));
    let words = words.as_deref().unwrap_or(&arguments.program);
    let status = program::run(&program, words.get(1..).unwrap_or_default(), &prepared.environment, &|| {
        prepared.arrangement.iter().for_each(Arrangement::wait);
    });
    let outcome = prepared.end(arguments.quiet);
    folder.end();
    let code = program::exit_code(status.map_err(|error| error.failure(&shown))?);
    if outcome.devices > 0 {
        return Ok(code);
    }
    let name = name.display();
    reprise_log::error(format_args!(
        "{name} ended (exit code {code}) without a device of our runtime: {}",
        outcome.reason
    ));
    Ok(if code == 0 { exit::NO_DEVICE } else { code })
}

/// Where the folder of the run is made: the container of a game has a temporary folder of its own for what lies elsewhere.
fn place(target: Option<&Target>) -> PathBuf {
    let usual = std::env::temp_dir();
    if target.is_none_or(|target| target.sees(&usual)) { usual } else { "/tmp".into() }
}

/// What is ready for the program to start.
struct Prepared {
    environment: Vec<(&'static str, OsString)>,
    arrangement: Option<Arrangement>,
    validation: Option<Validation>,
    host_log: PathBuf,
    /// Why a native program made no device.
    reason: fn(&host_log::Told) -> String,
}

/// How it went.
struct Outcome {
    /// Devices that were made on our runtime.
    devices: usize,
    /// Why there was none.
    reason: String,
}

impl Prepared {
    fn new(arguments: &Arguments, target: Option<Target>, folder: &Folder) -> Result<Prepared, Failure> {
        let fail = |error: String| Failure::message(exit::CAPTURE, error);
        let host_log = folder.path().join("host");
        let mut environment =
            vec![(FOLDER, folder.path().as_os_str().to_owned()), (HOST_LOG, host_log.clone().into_os_string())];
        environment.extend(arguments.gpu.as_ref().map(|gpu| (ADAPTER, gpu.into())));
        environment.extend(arguments.logging.environment(arguments.quiet));
        // A script that is given a Windows program may run a native one as well.
        if target.as_ref().is_none_or(Target::may_be_native) {
            environment.push(native::prepare(folder).map_err(fail)?);
        }
        if arguments.gl {
            environment.extend(gl::environment());
        }
        let is_windows = target.is_some();
        let validation = (arguments.validate && is_windows).then(|| Validation::begin(folder)).transpose();
        let validation = validation.context("cannot prepare the validation layer").or_exit(exit::CAPTURE)?;
        environment.extend(validation.iter().flat_map(Validation::environment));
        // Wine shows the runtime no layer, so the variable must not ask for one there. Natively `fatal` asks for more than the option.
        if arguments.validate && is_windows {
            environment.push((VALIDATION, "0".into()));
        } else if arguments.validate && std::env::var_os(VALIDATION).is_none_or(|value| value != "fatal") {
            environment.push((VALIDATION, "1".into()));
        }
        if arguments.check_descriptors {
            environment.push((CHECK_DESCRIPTORS, "1".into()));
        }
        let arrangement = target.map(|target| arrange(target, arguments, folder, &host_log)).transpose()?;
        environment.extend(arrangement.iter().flat_map(Arrangement::environment));
        if !is_windows && !arguments.quiet {
            let name = arguments.program.first().map(Path::new).and_then(Path::file_name).unwrap_or_default();
            let (name, library) =
                (name.display(), if arguments.gl { "libd3d12.so" } else { "libvkd3d-proton-d3d12.so" });
            reprise_log::info(format_args!("{name}: our runtime is {library} for this run"));
        }
        let reason = if arguments.gl { gl::reason } else { native::reason };
        Ok(Prepared { environment, arrangement, validation, host_log, reason })
    }

    /// The program has ended: puts everything back, and says what the validation layer found.
    fn end(self, quiet: bool) -> Outcome {
        let counts = self.validation.map(Validation::finish);
        let outcome = match self.arrangement {
            Some(arrangement) => {
                let ended = arrangement.end();
                Outcome { devices: ended.devices, reason: ended.reason }
            }
            None => {
                let told = host_log::take(&self.host_log);
                Outcome { devices: told.devices, reason: (self.reason)(&told) }
            }
        };
        match counts {
            Some(counts) if !counts.is_there && outcome.devices > 0 => reprise_log::error(
                "Vulkan's validation layer was not loaded: install vulkan-validationlayers where the program runs (Steam's container \
                 has none)",
            ),
            Some(counts) if counts.is_there && (!quiet || counts.errors > 0) => reprise_log::info(format_args!(
                "Vulkan validation: {}, {}, {} excused",
                plural(counts.errors, "error"),
                plural(counts.warnings, "warning"),
                counts.excused
            )),
            _ => {}
        }
        outcome
    }
}

/// Puts our runtime where a Windows program finds it.
fn arrange(target: Target, arguments: &Arguments, folder: &Folder, host_log: &Path) -> Result<Arrangement, Failure> {
    let libraries = runtime::windows().map_err(|error| Failure::message(exit::CAPTURE, error))?;
    let restorer = Restorer::start(folder.mark(), host_log);
    let equipment = Equipment { libraries: &libraries, mark: folder.mark(), restorer, host_log: host_log.to_owned() };
    Arrangement::begin(target, &arguments.windows, equipment, arguments.quiet)
}
