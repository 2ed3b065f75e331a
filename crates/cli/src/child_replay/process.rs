//! The parent's side of a replay in a process of its own: it starts `reprise pictures` and receives the pictures.

use crate::child_replay::picture_pipe::{self, Message};
use crate::terminal::exit::{self, Failure, OrExit};
use anyhow::Context;
use reprise_replay::Picture;
use std::ffi::OsString;
use std::io::{self, BufReader, PipeReader};
use std::process::{Child, Command, Stdio};

/// A replay under way.
#[derive(Debug)]
pub(crate) struct ChildReplay {
    /// The runtime: as it was asked for, then as the replay names it.
    pub(crate) runtime: String,
    child: Child,
    reader: BufReader<PipeReader>,
    ended: bool,
}

impl ChildReplay {
    /// Starts `reprise pictures` with these arguments.
    ///
    /// # Errors
    /// When no process can be started.
    pub(crate) fn start(
        runtime: String,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<ChildReplay, Failure> {
        let start = || -> io::Result<(Child, PipeReader)> {
            let (reader, writer) = io::pipe()?;
            let mut command = Command::new(std::env::current_exe()?);
            command.arg("pictures").args(arguments);
            command.stdin(Stdio::from(writer)).stdout(Stdio::null());
            Ok((command.spawn()?, reader))
        };
        let (child, reader) = start().context("cannot start a replay").or_exit(exit::FAILED)?;
        Ok(ChildReplay { runtime, child, reader: BufReader::with_capacity(1 << 16, reader), ended: false })
    }

    /// The next picture with the number of its frame, or `None` at the end of the trace.
    ///
    /// # Errors
    /// With the exit code of the replay, which has said why on standard error.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, Picture)>, Failure> {
        loop {
            match self.message()? {
                None => return Ok(None),
                Some(Message::Picture(frame, picture)) => return Ok(Some((frame, picture))),
                Some(_) => {}
            }
        }
    }

    /// The next picture or read, or `None` at the end of the trace.
    ///
    /// # Errors
    /// As [`ChildReplay::next`].
    pub(crate) fn message(&mut self) -> Result<Option<Message>, Failure> {
        if self.ended {
            return Ok(None);
        }
        match picture_pipe::receive(&mut self.reader) {
            Ok(Message::End(runtime)) => {
                self.ended = true;
                self.runtime = runtime;
                Ok(None)
            }
            Ok(message) => Ok(Some(message)),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Why the stream ended before the replay did.
    fn failed(&mut self, error: &io::Error) -> Failure {
        if error.kind() != io::ErrorKind::UnexpectedEof {
            // It would wait for a reader.
            let _ = self.child.kill();
        }
        let status = match self.child.wait() {
            Ok(status) => status,
            Err(error) => return Failure::message(exit::FAILED, format!("the replay on {}: {error}", self.runtime)),
        };
        let code = status.code().and_then(|code| u8::try_from(code).ok()).filter(|code| *code != 0);
        let how = match code {
            Some(_) => "failed, see above".to_owned(),
            None => format!("ended with {status} ({error})"),
        };
        Failure::message(code.unwrap_or(exit::FAILED), format!("the replay on {} {how}", self.runtime))
    }
}

impl Drop for ChildReplay {
    fn drop(&mut self) {
        if !self.ended {
            // It may have ended by itself already.
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
