//! A replay that is measured in a process of its own: on another driver, or in another environment.
//!
//! The process is `reprise time --one`, which writes a file of times. Invariant: it ends with this one, or when its time is over: its standard
//! input is a pipe that this process holds open, so that the system tells it of every end, of a killed process too.

use crate::terminal::exit::{self, Failure, OrExit};
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
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often a process is asked whether it has ended.
const STEP: Duration = Duration::from_millis(2);
/// What a replay said at its end is kept to so many bytes.
const SAID: usize = 400;

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
}

/// The option of `reprise time` for one replay of a kind.
pub(crate) fn word(what: TimeKind) -> &'static str {
    match what {
        TimeKind::Operations => "operations",
        TimeKind::Passes => "passes",
        TimeKind::Lists => "lists",
        TimeKind::Counts => "counts",
        TimeKind::Shaders => "shaders",
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
        let runtime = candidate.runtime(&self.runtime);
        let mut words: Vec<OsString> = ["time", "--one", word(wish.what), "--runtime", runtime].map(Into::into).into();
        let last = if wish.frames.1 == u64::MAX { String::new() } else { wish.frames.1.to_string() };
        words.extend(["--frames".into(), format!("{}-{last}", wish.frames.0).into()]);
        words.extend(["--fence-timeout".into(), self.fence_timeout.to_string().into()]);
        if wish.serial {
            words.push("--serial".into());
        }
        if self.cpu {
            words.push("--cpu".into());
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
        if let Some(gpu) = self.gpu.as_ref().filter(|_| runtime == "ours") {
            words.extend(["--gpu".into(), gpu.into()]);
        }
        if let Some(rings) = &self.rings {
            words.extend(["--rings".into(), rings.into()]);
        }
        words.extend(self.boundary.words());
        words.extend(["-o".into(), (&file).into(), "--".into(), (&self.trace).into()]);
        let mut command = Command::new(std::env::current_exe().context("this program").or_exit(exit::FAILED)?);
        command.args(words).envs(candidate.variables.clone());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().context("cannot start a replay").or_exit(exit::FAILED)?;
        if let Some(outcome) = Replaying(child).end(self.patience)? {
            return Ok(Err(outcome));
        }
        let times = Times::open(&file).context("what a replay measured").or_exit(exit::FAILED)?;
        Ok(Ok(times))
    }
}

/// Ends this process when the one that started it is gone: when its standard input, if that is a pipe, ends.
pub(crate) fn end_with_parent() {
    let input = std::io::stdin().as_fd().try_clone_to_owned().map(File::from);
    // A terminal, or no input at all, is no process that waits for this one.
    let Some(mut pipe) = input.ok().filter(|file| file.metadata().is_ok_and(|file| file.file_type().is_fifo())) else {
        return;
    };
    std::thread::spawn(move || {
        // Nothing is written to it: a read ends with it, or with an error.
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        // SAFETY: `_exit` takes any number. Nothing is left to be run: the driver is at work on other threads, and nobody reads the file.
        unsafe { libc::_exit(i32::from(exit::FAILED)) }
    });
}

/// A process that ends with this value.
struct Replaying(Child);

impl Replaying {
    /// How it ended, where that was not well.
    fn end(mut self, patience: Option<Duration>) -> Result<Option<Outcome>, Failure> {
        let mut errors = self.0.stderr.take();
        let said = std::thread::spawn(move || {
            let mut text = Vec::new();
            // What cannot be read was not said.
            errors.as_mut().map(|errors| errors.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        });
        let until = patience.and_then(|patience| Instant::now().checked_add(patience));
        let status = loop {
            match self.0.try_wait().context("a replay cannot be waited for").or_exit(exit::FAILED)? {
                Some(status) => break status,
                None if until.is_some_and(|until| Instant::now() >= until) => {
                    let said = "it was ended when its time was over".to_owned();
                    return Ok(Some(outcome(Ending::Hung, said)));
                }
                None => std::thread::sleep(STEP),
            }
        };
        let said = last_words(&said.join().unwrap_or_default());
        Ok(match status.code() {
            Some(0) => None,
            Some(code) if code == i32::from(exit::TRACE) => return Err(Failure::message(exit::TRACE, said)),
            Some(code) if code == i32::from(exit::USAGE) => Some(outcome(Ending::Absent, said)),
            Some(_) => Some(outcome(Ending::Failed, said)),
            None => Some(outcome(Ending::Crashed, format!("{status}; {said}"))),
        })
    }
}

impl Drop for Replaying {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn outcome(ending: Ending, said: String) -> Outcome {
    Outcome { ending, said, difference: None, errors: Vec::new() }
}

/// The last line that was said.
fn last_words(text: &str) -> String {
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let line = line.strip_prefix("reprise: ").unwrap_or(line);
    let end = (0..=line.len().min(SAID)).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    line[..end].to_owned()
}
