//! A process that is kept for many replays of one side: the Vulkan driver is loaded, and shaders are translated, once.
//!
//! The process is `reprise time --one KIND --again`. It reads a line for each replay, writes the file of times, and answers with a line
//! on its standard output. Invariant: what a process measured before it failed stands; after a failure, a crash or the end of its time it plays
//! nothing more, and the failure is told as that of a replay in a process of its own. A replay finds the device of the one before it, which what measures
//! still holds, and none of the trace's objects.

use crate::terminal::exit::{self, Failure, OrExit};
use crate::timing::apart::{self, Apart, Replaying};
use crate::timing::measured::{self, Measured};
use crate::trial::candidate::Candidate;
use crate::trial::outcome::{Ending, Outcome};
use anyhow::Context;
use reprise_replay::{TimeKind, TimeWish};
use reprise_times::Times;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What the process answers when a replay is measured. Layers of Vulkan write to the same output.
const ANSWER: &str = "reprise: measured";
/// Ends a request whose operations are to run one after the other.
const SERIAL: &str = "serial";
/// A process that ended its output ends itself within this time.
const END: Duration = Duration::from_secs(60);

/// Replays of one side.
#[derive(Debug)]
pub(crate) struct Kept {
    apart: Apart,
    candidate: Candidate,
    /// So many replays of each process come before the others, and are not counted.
    warm_up: u32,
    process: Option<Process>,
    /// How long the first replay took, which drivers need longest for. Until then there is no limit but the user's.
    first: Option<Duration>,
}

/// A process that waits for requests.
#[derive(Debug)]
struct Process {
    frames: (u64, u64),
    replaying: Replaying,
    answers: mpsc::Receiver<()>,
    file: PathBuf,
    _folder: TempDir,
}

/// What came of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    Measured,
    /// Nothing within the time.
    Late,
    /// The process writes, or reads, no more.
    Gone,
}

impl Kept {
    pub(crate) fn new(apart: Apart, candidate: Candidate, warm_up: u32) -> Self {
        Self { apart, candidate, warm_up, process: None, first: None }
    }

    /// Measures one replay; or how it ended without times. The process is started where there is none.
    ///
    /// # Errors
    /// No process can be started, or the trace cannot be read.
    pub(crate) fn measure(&mut self, wish: TimeWish) -> Result<Result<Times, Outcome>, Failure> {
        if self.apart.fresh {
            return self.apart.measure(&self.candidate, &Measured::of(wish));
        }
        let mut process = match self.process.take().filter(|process| process.frames == wish.frames) {
            Some(process) => process,
            None => match self.start(wish.frames)? {
                Ok(process) => process,
                Err(outcome) => return Ok(Err(outcome)),
            },
        };
        let answer = self.timed(&mut process, (wish.what, wish.serial))?;
        if answer != Answer::Measured {
            return process.end(answer).map(Err);
        }
        let times = Times::open(&process.file).context("what a replay measured").or_exit(exit::FAILED)?;
        apart::tell(&times);
        self.process = Some(process);
        Ok(Ok(times))
    }

    /// Ends the process: the next replay has a new one.
    pub(crate) fn begin_anew(&mut self) {
        self.process = None;
    }

    /// Starts the process, and plays what is not counted.
    fn start(&mut self, frames: (u64, u64)) -> Result<Result<Process, Outcome>, Failure> {
        let mut process = Process::start(&self.apart, &self.candidate, frames)?;
        for _ in 0..self.warm_up {
            let answer = self.timed(&mut process, (TimeKind::Lists, false))?;
            if answer != Answer::Measured {
                return process.end(answer).map(Err);
            }
        }
        Ok(Ok(process))
    }
}

impl Kept {
    /// Has a replay measured, which may take the user's time, or so many times as long as the first one.
    fn timed(&mut self, process: &mut Process, what: (TimeKind, bool)) -> Result<Answer, Failure> {
        // What the driver made of shaders may have to be made anew.
        let limit = self.first.filter(|_| what.0 != TimeKind::Shaders).map(measured::patience);
        let began = Instant::now();
        let answer = process.measure(what, self.apart.patience.or(limit))?;
        if answer == Answer::Measured {
            self.first.get_or_insert_with(|| began.elapsed());
        }
        Ok(answer)
    }
}

impl Process {
    fn start(apart: &Apart, candidate: &Candidate, frames: (u64, u64)) -> Result<Self, Failure> {
        let folder = tempfile::tempdir().context("no folder for a replay's times").or_exit(exit::FAILED)?;
        let file = folder.path().join("times");
        let options = vec!["--again".into()];
        let mut replaying = apart.start(candidate, (TimeKind::Lists, frames), (options, &file), Stdio::piped())?;
        let (sender, answers) = mpsc::channel();
        if let Some(output) = replaying.child.stdout.take() {
            std::thread::spawn(move || {
                // The sender goes when the output ends, and with it the wait for an answer.
                let lines = BufReader::new(output).lines().map_while(Result::ok);
                lines.filter(|line| line == ANSWER).map_while(|_| sender.send(()).ok()).for_each(drop);
            });
        }
        Ok(Self { frames, replaying, answers, file, _folder: folder })
    }

    /// Has a replay measured.
    fn measure(&mut self, (what, serial): (TimeKind, bool), patience: Option<Duration>) -> Result<Answer, Failure> {
        // What lies there then is of this replay.
        if self.file.exists() {
            std::fs::remove_file(&self.file).context("what a replay measured").or_exit(exit::FAILED)?;
        }
        let line =
            if serial { format!("{} {SERIAL}\n", apart::word(what)) } else { format!("{}\n", apart::word(what)) };
        let written = self.replaying.child.stdin.as_mut().map(|requests| requests.write_all(line.as_bytes()));
        if !matches!(written, Some(Ok(()))) {
            return Ok(Answer::Gone);
        }
        let answer = match patience {
            Some(patience) => self.answers.recv_timeout(patience),
            None => self.answers.recv().map_err(Into::into),
        };
        Ok(match answer {
            Ok(()) => Answer::Measured,
            Err(mpsc::RecvTimeoutError::Timeout) => Answer::Late,
            Err(mpsc::RecvTimeoutError::Disconnected) => Answer::Gone,
        })
    }

    /// How it ended, which did not measure what it was asked for. One that goes on is ended.
    fn end(self, answer: Answer) -> Result<Outcome, Failure> {
        if answer == Answer::Late {
            return Ok(apart::hung());
        }
        let ended = self.replaying.end(Some(END))?;
        let said = "it ended without times".to_owned();
        Ok(ended.unwrap_or(Outcome { ending: Ending::Failed, said, difference: None, errors: Vec::new() }))
    }
}

/// Plays what the process that started this one asks for, until it asks for no more; it ends within a replay where that process does.
///
/// # Errors
/// The first replay that fails, or a request that cannot be understood.
pub(crate) fn serve(mut measure: impl FnMut(TimeKind, bool) -> Result<(), Failure>) -> Result<(), Failure> {
    let wrong = |what: String| Failure::message(exit::USAGE, what);
    let pipe = apart::pipe().ok_or_else(|| wrong("--again reads from a pipe what it is to measure".into()))?;
    let (sender, requests) = mpsc::channel();
    let is_busy = Arc::new(AtomicBool::new(false));
    let busy = Arc::clone(&is_busy);
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            busy.store(true, Ordering::SeqCst);
            if sender.send(line).is_err() {
                return;
            }
        }
        if busy.load(Ordering::SeqCst) {
            apart::end_at_once();
        }
    });
    for line in requests {
        let (kind, serial) = match line.split_once(' ') {
            Some((kind, SERIAL)) => (kind, true),
            _ => (line.as_str(), false),
        };
        let kinds = [TimeKind::Operations, TimeKind::Passes, TimeKind::Lists, TimeKind::Counts, TimeKind::Shaders];
        let what = kinds.into_iter().find(|one| apart::word(*one) == kind);
        measure(what.ok_or_else(|| wrong(format!("--again: nothing is measured by {line:?}")))?, serial)?;
        is_busy.store(false, Ordering::SeqCst);
        let mut output = std::io::stdout().lock();
        writeln!(output, "{ANSWER}").and_then(|()| output.flush()).context("cannot answer").or_exit(exit::FAILED)?;
    }
    Ok(())
}
