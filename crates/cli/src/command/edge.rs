//! `reprise query`, `reprise inspect` and `reprise farm`: programs of their own, with libraries that the base program does without. They are
//! looked for beside this program, then in `PATH`.

use crate::terminal::exit::{self, Ended, Failure, OrExit};
use anyhow::Context;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Ask traces in SQL (a program of its own, `reprise-query`)
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Query {
    /// What `reprise query --help` tells
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) rest: Vec<OsString>,
}

/// Look at a trace in a browser (a program of its own, `reprise-inspect`)
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Inspect {
    /// What `reprise inspect --help` tells
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) rest: Vec<OsString>,
}

/// Play suites of traces on many machines (a program of its own, `reprise-farm`)
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Farm {
    /// What `reprise farm --help` tells
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) rest: Vec<OsString>,
}

/// Runs the program in the place of this one.
pub(crate) fn run(name: &str, arguments: &[OsString]) -> Ended {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(&file)).filter(|path| path.is_file());
    let mut command = Command::new(beside.unwrap_or_else(|| PathBuf::from(&file)));
    command.args(arguments);
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(windows)]
    let error = match command.status() {
        Ok(status) => return Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(exit::FAILED)),
        Err(error) => error,
    };
    if error.kind() == std::io::ErrorKind::NotFound {
        let (install, build) = match name.trim_start_matches("reprise-") {
            // Debian has no package of what it needs.
            "farm" => ("the wheel reprise_farm-….whl (`pip install`)".to_owned(), "farm --release".to_owned()),
            // Each is built without the libraries of the others.
            program => (format!("the package {name}"), format!("build {program} --release")),
        };
        let message = format!(
            "{name} is not installed: it is a program of its own, looked for beside reprise and in PATH. Install {install}, or in a clone \
             run `cargo xtask edge {build}`"
        );
        return Err(Failure::message(exit::USAGE, message));
    }
    Err(error).with_context(|| format!("cannot run {name}")).or_exit(exit::FAILED)
}
