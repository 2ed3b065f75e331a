//! Exit codes. They mean the same for all commands of `reprise`.

use std::fmt::Display;
use std::process::ExitCode;

/// An output cannot be written.
pub(crate) const FAILED: u8 = 1;
/// The arguments or the SQL make no sense.
pub(crate) const USAGE: u8 = 2;
/// A trace cannot be read, or parts of it are damaged.
pub(crate) const TRACE: u8 = 3;

/// An error with the exit code that it ends the program with.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    pub(crate) fn new(code: u8, message: impl Display) -> Failure {
        Failure { code, message: message.to_string() }
    }
}

/// What the program ends with.
pub(crate) type Ended = Result<(), Failure>;

/// Says something that is no failure.
pub(crate) fn warn(message: impl Display) {
    eprintln!("reprise query: warning: {message}");
}

/// Prints the failure, if it is one.
pub(crate) fn finish(ended: Ended) -> ExitCode {
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { code, message }) => {
            eprintln!("reprise query: {message}");
            ExitCode::from(code)
        }
    }
}
