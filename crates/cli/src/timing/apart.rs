//! A replay that is measured in a process of its own: on another driver, or in another environment.
//!
//! The process is `reprise time --one`, which writes a file of times; one that is kept for further replays has its own module
//! ([`kept`](crate::timing::kept)). Invariant: it ends with this one, or when its time is over: its standard
//! input is a pipe that this process holds open, so that the system tells it of every end, of a killed process too.

use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::left_out;
use crate::timing::measured::Measured;
use crate::trace::boundary::Boundary;
use crate::trial::candidate::Candidate;
use crate::trial::outcome::{Ending, Outcome};
use anyhow::Context;
use reprise_replay::TimeKind;
use reprise_times::Times;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a process is asked whether it has ended.
const STEP: Duration = Duration::from_millis(2);
/// What a replay said at its end is kept to so many bytes.
const SAID: usize = 400;
/// Of what it says until then the last so many bytes.
const HEARD: usize = 1 << 16;

/// What is the same for all replays.
#[derive(Clone, Debug)]
pub(crate) struct Apart {
    pub(crate) trace: PathBuf,
    pub(crate) rings: Option<PathBuf>,
    pub(crate) boundary: Boundary,
    /// The runtime of candidates that name none.
    pub(crate) runtime: String,
    pub(crate) gpu: Option<String>,
    pub(crate) fence_timeout: f64,
    /// A replay that takes longer is ended.
    pub(crate) patience: Option<Duration>,
    /// How long the CPU was in the runtime is measured, too.
    pub(crate) cpu: bool,
    /// No process is kept for a second replay.
    pub(crate) fresh: bool,
}

/// The option of `reprise time` for one replay of a kind.
pub(crate) fn word(what: TimeKind) -> &'static str {
    match what {
        TimeKind::Operations => "operations",
        TimeKind::Passes => "passes",
        TimeKind::Lists => "lists",
        TimeKind::Counts => "counts",
        TimeKind::Shaders => "shaders",
        TimeKind::Driver => "driver",
    }
}

impl Apart {
    /// Measures one replay; or how it ended without times.
    ///
    /// # Errors
    /// No process can be started, or the trace cannot be read.
    pub(crate) fn measure(
        &self,
        candidate: &Candidate,
        measured: &Measured<'_>,
    ) -> Result<Result<Times, Outcome>, Failure> {
        let wish = measured.wish;
        let folder = tempfile::tempdir().context("no folder for a replay's times").or_exit(exit::FAILED)?;
        let file = folder.path().join("times");
        let mut words: Vec<OsString> = Vec::new();
        if wish.serial {
            words.push("--serial".into());
        }
        if !measured.counters.is_empty() {
            let places: Vec<String> = measured.counters.iter().map(u32::to_string).collect();
            words.extend(["--driver-counters".into(), places.join(",").into()]);
        }
        if measured.reads {
            words.push("--reads".into());
        }
        if let Some(experiment) = measured.experiment {
            words.extend(["--without".into(), experiment.what.name().into()]);
            if !experiment.calls.is_empty() {
                // There may be more of them than a command line takes.
                let only = folder.path().join("only");
                let text: String = experiment.calls.iter().map(|(first, last)| format!("{first}-{last}\n")).collect();
                std::fs::write(&only, text).context("what an experiment is limited to").or_exit(exit::FAILED)?;
                words.extend(["--only".into(), only.into()]);
            }
        }
        let replaying = self.start(candidate, (wish.what, wish.frames), (words, &file), Stdio::null())?;
        if let Some(outcome) = replaying.end(self.patience)? {
            return Ok(Err(outcome));
        }
        let times = Times::open(&file).context("what a replay measured").or_exit(exit::FAILED)?;
        tell(&times);
        Ok(Ok(times))
    }

    /// Starts a process for replays of these frames, with further options; the times go to a file.
    ///
    /// # Errors
    /// No process can be started.
    pub(super) fn start(
        &self,
        candidate: &Candidate,
        (what, frames): (TimeKind, (u64, u64)),
        (options, file): (Vec<OsString>, &Path),
        output: Stdio,
    ) -> Result<Replaying, Failure> {
        let runtime = candidate.runtime(&self.runtime);
        let mut words: Vec<OsString> = ["time", "--one", word(what), "--runtime", runtime].map(Into::into).into();
        let last = if frames.1 == u64::MAX { String::new() } else { frames.1.to_string() };
        words.extend(["--frames".into(), format!("{}-{last}", frames.0).into()]);
        words.extend(["--fence-timeout".into(), self.fence_timeout.to_string().into()]);
        words.extend(options);
        if self.cpu {
            words.push("--cpu".into());
        }
        if let Some(gpu) = self.gpu.as_ref().filter(|_| runtime == "ours") {
            words.extend(["--gpu".into(), gpu.into()]);
        }
        if let Some(rings) = &self.rings {
            words.extend(["--rings".into(), rings.into()]);
        }
        words.extend(self.boundary.words());
        words.extend(["-o".into(), file.into(), "--".into(), (&self.trace).into()]);
        let mut command = Command::new(std::env::current_exe().context("this program").or_exit(exit::FAILED)?);
        command.args(words).envs(candidate.variables.clone());
        command.stdin(Stdio::piped()).stdout(output).stderr(Stdio::piped());
        command.spawn().context("cannot start a replay").or_exit(exit::FAILED).map(Replaying::new)
    }
}

/// The pipe from the process that started this one; a terminal, or no input at all, is none.
pub(super) fn pipe() -> Option<File> {
    let input = std::io::stdin().as_fd().try_clone_to_owned().map(File::from);
    input.ok().filter(|file| file.metadata().is_ok_and(|file| file.file_type().is_fifo()))
}

/// Ends this process when the one that started it is gone: when its standard input, if that is a pipe, ends.
pub(crate) fn end_with_parent() {
    let Some(mut pipe) = pipe() else { return };
    std::thread::spawn(move || {
        // Nothing is written to it: a read ends with it, or with an error.
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        end_at_once()
    });
}

/// Ends this process, whose replay nobody wants any more.
pub(super) fn end_at_once() -> ! {
    // SAFETY: `_exit` takes any number. Nothing is left to be run: the driver is at work on other threads, and nobody reads the file.
    unsafe { libc::_exit(i32::from(exit::FAILED)) }
}

/// A process that ends with this value.
#[derive(Debug)]
pub(super) struct Replaying {
    pub(super) child: Child,
    /// The last that it says.
    said: Option<JoinHandle<String>>,
}

impl Replaying {
    fn new(mut child: Child) -> Self {
        let errors = child.stderr.take();
        Self { child, said: errors.map(|errors| std::thread::spawn(move || tail(errors))) }
    }

    /// How it ended, where that was not well.
    pub(super) fn end(mut self, patience: Option<Duration>) -> Result<Option<Outcome>, Failure> {
        let until = patience.and_then(|patience| Instant::now().checked_add(patience));
        let status = loop {
            match self.child.try_wait().context("a replay cannot be waited for").or_exit(exit::FAILED)? {
                Some(status) => break status,
                None if until.is_some_and(|until| Instant::now() >= until) => return Ok(Some(hung())),
                None => std::thread::sleep(STEP),
            }
        };
        let said = self.said.take().map(|said| said.join().unwrap_or_default()).unwrap_or_default();
        let said = last_words(&said);
        Ok(match status.code() {
            Some(0) => None,
            Some(code) if code == i32::from(exit::TRACE) => return Err(Failure::message(exit::TRACE, said)),
            Some(code) if code == i32::from(exit::USAGE) => Some(outcome(Ending::Absent, said)),
            Some(_) => Some(outcome(Ending::Failed, said)),
            None if said.is_empty() => Some(outcome(Ending::Crashed, status.to_string())),
            None => Some(outcome(Ending::Crashed, format!("{status}; {said}"))),
        })
    }
}

impl Drop for Replaying {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The last that is said until the end; what cannot be read was not said.
fn tail(mut from: impl Read) -> String {
    let (mut heard, mut next) = (Vec::new(), [0; 1 << 12]);
    while let Ok(count @ 1..) = from.read(&mut next) {
        heard.extend_from_slice(&next[..count]);
        heard.drain(..heard.len().saturating_sub(HEARD));
    }
    String::from_utf8_lossy(&heard).into_owned()
}

/// A replay took longer than it was given.
pub(super) fn hung() -> Outcome {
    outcome(Ending::Hung, "it was ended, because it took twenty times as long as the first one, a minute at least, or the time that was set".to_owned())
}

/// Passes on what a replay of another process left out, which nobody was told there.
pub(super) fn tell(times: &Times) {
    if !times.about.left_out.is_empty() {
        left_out::warn(&times.about.left_out);
    }
}

fn outcome(ending: Ending, said: String) -> Outcome {
    Outcome { ending, said, difference: None, errors: Vec::new() }
}

/// The last line that was said.
fn last_words(text: &str) -> String {
    // A warning of an earlier replay is no reason.
    let says = |line: &&str| !line.trim().is_empty() && !left_out::is_warning(line);
    let line = text.lines().rev().find(says).unwrap_or_default().trim();
    let line = line.strip_prefix("reprise: ").unwrap_or(line);
    let end = (0..=line.len().min(SAID)).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    line[..end].to_owned()
}
