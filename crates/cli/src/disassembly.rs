//! Shaders as text. They come from strangers, and what reads them is not made for that: each in a process of its own.

use anyhow::{Context, bail};
use std::io::Write;
use std::process::{Command, Stdio};

/// The text of a shader, by `reprise disassemble`.
///
/// # Errors
/// What that says, or how it died.
pub(crate) fn of(shader: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("disassemble").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("no process can be started")?;
    // It reads all before it writes anything; one that is gone shows below.
    let written = child.stdin.take().map(|mut input| input.write_all(shader));
    let finished = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&finished.stderr);
    match finished.status.code() {
        Some(0) if matches!(written, Some(Ok(()))) => Ok(finished.stdout),
        Some(_) => bail!("{}", said.trim().trim_start_matches("reprise: ")),
        None => bail!("what reads it died on it ({})", finished.status),
    }
}
