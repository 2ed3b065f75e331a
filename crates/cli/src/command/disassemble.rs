//! `reprise disassemble`: one shader as text, for `reprise extract`, which survives it. Not for people.

use crate::ours;
use crate::shader::disassembly::Form;
use crate::terminal::exit::{self, Ended, OrExit};
use anyhow::Context;
use std::io::{self, Read, Write};

/// Seconds of processor time that one shader may take.
#[cfg(unix)]
const SECONDS: u64 = 60;

/// Disassemble a shader for `extract` (internal)
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[arg(default_value = "ours")]
    form: Form,
    /// Of a library this shader alone, by its name; for SPIR-V
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
}

/// Reads a shader from standard input, and writes its text to standard output.
pub(crate) fn run(arguments: &Arguments) -> Ended {
    ours::limit();
    #[cfg(unix)]
    {
        let limit = libc::rlimit { rlim_cur: SECONDS, rlim_max: SECONDS };
        // SAFETY: the structure is valid for the call.
        unsafe { libc::setrlimit(libc::RLIMIT_CPU, &limit) };
    }
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes).context("cannot read the shader").or_exit(exit::FAILED)?;
    let text = arguments.form.read(&bytes, arguments.entry.as_deref()).or_exit(exit::FAILED)?;
    io::stdout().write_all(&text).context("nobody reads the text").or_exit(exit::FAILED)?;
    Ok(0)
}
