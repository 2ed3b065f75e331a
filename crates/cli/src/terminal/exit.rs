//! What the exit code says. The meanings are part of the interface: scripts depend on them.

use reprise_view::damage::Damaged;
use reprise_view::dump::filter::NoMethod;
use reprise_view::open::OpenError;
use std::fmt;
use std::process::ExitCode;

/// Frames differ, or a replay failed.
pub(crate) const FAILED: u8 = 1;
/// The arguments make no sense, or name something that is not there.
pub(crate) const USAGE: u8 = 2;
/// The trace cannot be read, is damaged, or is of a version that this program does not know.
pub(crate) const TRACE: u8 = 3;
/// `diff`: the two are not the same.
pub(crate) const DIFFERENT: u8 = 1;
/// `diff`: everything that keeps it from telling.
pub(crate) const TROUBLE: u8 = 2;
/// `replay --validate`: played to the end, and Vulkan's validation reported errors.
pub(crate) const VALIDATION: u8 = 4;
/// `lint`, `replay --check-nan`, `replay --check-descriptors`: there are findings.
pub(crate) const FOUND: u8 = 5;
/// `replay`: the GPU stopped or its device was lost, and a report says where.
pub(crate) const STOPPED: u8 = 6;
/// `bisect`: the first bad candidate is one of several.
#[cfg(unix)]
pub(crate) const SEVERAL: u8 = 7;
/// `verify --control`, `suite add`: all is equal, and no control shows that it could differ.
pub(crate) const UNNOTICED: u8 = 8;
/// `capture`, `run`: the program ended well and never made a device.
pub(crate) const NO_DEVICE: u8 = 124;
/// `capture`, `run`: capturing itself failed, or preparing the run.
pub(crate) const CAPTURE: u8 = 125;
/// `capture`, `run`: the program was found and cannot be run.
pub(crate) const CANNOT_RUN: u8 = 126;
/// `capture`, `run`: there is no such program.
pub(crate) const NOT_FOUND: u8 = 127;

/// An error with the exit code that it ends the program with.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    error: anyhow::Error,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.error)
    }
}

/// What a command ends with: an exit code, or a failure to print.
pub(crate) type Ended = Result<u8, Failure>;

impl Failure {
    pub(crate) fn new(code: u8, error: impl Into<anyhow::Error>) -> Failure {
        Failure { code, error: error.into() }
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        self.code
    }

    /// The error, where it is one of this kind.
    pub(crate) fn cause<E: std::error::Error + Send + Sync + 'static>(&self) -> Option<&E> {
        self.error.downcast_ref()
    }

    /// The same with another exit code, for commands whose codes have other meanings.
    pub(crate) fn with_code(self, code: u8) -> Failure {
        Failure { code, ..self }
    }

    pub(crate) fn message(code: u8, message: impl fmt::Display) -> Failure {
        Failure { code, error: anyhow::anyhow!("{message}") }
    }
}

impl From<Damaged> for Failure {
    fn from(damaged: Damaged) -> Failure {
        Failure::new(TRACE, damaged)
    }
}

impl From<NoMethod> for Failure {
    fn from(misspelt: NoMethod) -> Failure {
        Failure::new(USAGE, misspelt)
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        let code = if matches!(error, OpenError::Rings { .. }) { USAGE } else { TRACE };
        Failure::new(code, error)
    }
}

/// States the exit code where an error arises.
pub(crate) trait OrExit<T> {
    /// The same success, or a failure that ends the program with `code`.
    fn or_exit(self, code: u8) -> Result<T, Failure>;
}

impl<T, E: Into<anyhow::Error>> OrExit<T> for Result<T, E> {
    fn or_exit(self, code: u8) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(code, error))
    }
}

/// Prints the failure, if it is one, and turns it into the process's exit code.
pub(crate) fn finish(ended: Ended) -> ExitCode {
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            reprise_log::say(reprise_log::Level::Fatal, format_args!("{:#}", failure.error));
            ExitCode::from(failure.code)
        }
    }
}
