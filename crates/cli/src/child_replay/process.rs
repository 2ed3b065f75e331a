//! The parent's side of a replay in a process of its own: it starts `reprise pictures` and receives the pictures.

use crate::child_replay::picture_pipe::{self, Message};
use crate::terminal::exit::{self, Failure, OrExit};
use anyhow::Context;
use reprise_replay::Picture;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, PipeReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// What a replay is started with, beside its arguments.
#[derive(Debug, Default)]
pub(crate) struct Around {
    /// Variables of its environment.
    pub(crate) variables: Vec<(String, String)>,
    /// Where it writes what it says; `None`: where this process does.
    pub(crate) said: Option<File>,
    /// It is ended when this time is over.
    pub(crate) patience: Option<Duration>,
    /// It is ended when this says no.
    pub(crate) wanted: Option<fn() -> bool>,
}

/// A replay under way.
#[derive(Debug)]
pub(crate) struct ChildReplay {
    /// The runtime: as it was asked for, then as the replay names it.
    pub(crate) runtime: String,
    /// The adapter and its driver in words, once the replay is over; empty where they are not known.
    pub(crate) device: String,
    child: Arc<Mutex<Child>>,
    reader: BufReader<PipeReader>,
    ended: bool,
    /// Its time was over.
    hung: Arc<AtomicBool>,
    /// Dropped, it tells whoever watches the process that nobody needs that any more.
    _watched: Option<mpsc::Sender<()>>,
}

/// How often a process that has a time limit is asked whether it has ended.
const STEP: Duration = Duration::from_millis(2);
/// How often a replay's owner is asked whether it is wanted.
const WANTED: Duration = Duration::from_millis(50);

impl ChildReplay {
    /// Starts `reprise pictures` with these arguments.
    ///
    /// # Errors
    /// When no process can be started.
    pub(crate) fn start(
        runtime: String,
        arguments: impl IntoIterator<Item = OsString>,
        around: Around,
    ) -> Result<ChildReplay, Failure> {
        let Around { variables, said, patience, wanted } = around;
        let start = || -> io::Result<(Child, PipeReader)> {
            let (reader, writer) = io::pipe()?;
            let mut command = Command::new(std::env::current_exe()?);
            command.arg("pictures").args(arguments).envs(variables);
            command.stdin(Stdio::from(writer)).stdout(Stdio::null());
            if let Some(said) = said {
                command.stderr(Stdio::from(said));
            }
            Ok((command.spawn()?, reader))
        };
        let (child, reader) = start().context("cannot start a replay").or_exit(exit::FAILED)?;
        let (child, hung) = (Arc::new(Mutex::new(child)), Arc::new(AtomicBool::new(false)));
        let is_watched = patience.is_some() || wanted.is_some();
        let watched = is_watched.then(|| watch(Arc::clone(&child), Arc::clone(&hung), patience, wanted));
        let reader = BufReader::with_capacity(1 << 16, reader);
        Ok(ChildReplay { runtime, device: String::new(), child, reader, ended: false, hung, _watched: watched })
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
        self.receive().map_err(|error| self.failed(&error))
    }

    /// The same for whoever asks afterwards how it ended ([`ChildReplay::wait`]).
    ///
    /// # Errors
    /// The replay is over before it said so.
    pub(crate) fn receive(&mut self) -> io::Result<Option<Message>> {
        if self.ended {
            return Ok(None);
        }
        match picture_pipe::receive(&mut self.reader)? {
            Message::End { runtime, device } => {
                self.ended = true;
                (self.runtime, self.device) = (runtime, device);
                Ok(None)
            }
            message => Ok(Some(message)),
        }
    }

    /// Why the stream ended before the replay did.
    fn failed(&mut self, error: &io::Error) -> Failure {
        if error.kind() != io::ErrorKind::UnexpectedEof {
            // It would wait for a reader.
            self.kill();
        }
        let status = match self.wait() {
            Ok(status) => status,
            Err(error) => return Failure::message(exit::FAILED, format!("the replay on {}: {error}", self.runtime)),
        };
        if self.hung() {
            let message = format!("the replay on {} was ended when its time was over", self.runtime);
            return Failure::message(exit::FAILED, message);
        }
        let code = status.code().and_then(|code| u8::try_from(code).ok()).filter(|code| *code != 0);
        let how = match code {
            Some(_) => "failed, see above".to_owned(),
            None => format!("ended with {status} ({error})"),
        };
        Failure::message(code.unwrap_or(exit::FAILED), format!("the replay on {} {how}", self.runtime))
    }

    /// Whether it was ended because its time was over.
    pub(crate) fn hung(&self) -> bool {
        self.hung.load(Ordering::Relaxed)
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// It cannot be waited for.
    pub(crate) fn wait(&self) -> io::Result<ExitStatus> {
        loop {
            // Not waited for under the lock: whoever watches the time must be able to end it.
            if let Some(status) = self.locked().try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(STEP);
        }
    }

    fn kill(&self) {
        // It may have ended by itself already.
        let _ = self.locked().kill();
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a process when its time is over or it is not wanted, unless what comes back is dropped before.
fn watch(
    child: Arc<Mutex<Child>>,
    hung: Arc<AtomicBool>,
    patience: Option<Duration>,
    wanted: Option<fn() -> bool>,
) -> mpsc::Sender<()> {
    let (sender, receiver) = mpsc::channel();
    let until = patience.and_then(|patience| Instant::now().checked_add(patience));
    std::thread::spawn(move || {
        loop {
            let left = until.map_or(WANTED, |until| until.saturating_duration_since(Instant::now()));
            let step = if wanted.is_some() { left.min(WANTED) } else { left };
            match receiver.recv_timeout(step) {
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                _ => return,
            }
            let is_over = until.is_some_and(|until| Instant::now() >= until);
            if is_over || wanted.is_some_and(|wanted| !wanted()) {
                hung.store(is_over, Ordering::Relaxed);
                let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
                return;
            }
        }
    });
    sender
}

impl Drop for ChildReplay {
    fn drop(&mut self) {
        if !self.ended {
            self.kill();
        }
        let _ = self.wait();
    }
}
