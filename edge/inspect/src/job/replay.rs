//! Runs `reprise` as another process. Replays need it because a GPU or its driver may fail. Disassembly needs it because shaders come from
//! strangers and may crash the disassembler.

use super::Job;
use crate::answer::Refused;
use crate::subject::Subject;
use crate::subject::side::Side;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The most bytes that are read of a process's output.
pub(super) const MOST: u64 = 256 << 20;
/// How often a job is asked whether it is still wanted.
const STEP: Duration = Duration::from_millis(100);
/// Seconds that a replay waits for a fence, more than `reprise` waits unless told otherwise. A person need not wait that long: the replay ends
/// when its view is left.
const FENCE: &str = "120";
/// Bytes of a process's complaint that are told.
const COMPLAINT: usize = 4000;

/// The program: beside this one, or in `PATH`.
///
/// # Errors
/// There is none.
pub(crate) fn program() -> Result<PathBuf, Refused> {
    let file = format!("reprise{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(&file)).filter(|path| path.is_file());
    let in_path = || {
        let folders = std::env::var_os("PATH")?;
        std::env::split_paths(&folders).map(|folder| folder.join(&file)).find(|path| path.is_file())
    };
    beside.or_else(in_path).ok_or_else(|| {
        Refused::unavailable(
            "reprise is neither beside reprise-inspect nor in PATH: nothing that needs a replay can be shown",
        )
    })
}

/// How long a process may take to end what it has started, once its standard input is closed.
const CLEARING: Duration = Duration::from_secs(5);

/// A process that ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // One that has started others waits for the end of its input, to end them first.
        if let Some(input) = self.0.stdin.take() {
            drop(input);
            let begun = Instant::now();
            while begun.elapsed() < CLEARING && matches!(self.0.try_wait(), Ok(None)) {
                std::thread::sleep(STEP / 10);
            }
        }
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a run of the program with these arguments writes, given this input.
///
/// # Errors
/// What it says, or that it takes too long.
pub(crate) fn run(arguments: &[&str], input: &[u8], longest: Duration) -> Result<Vec<u8>, String> {
    let program = program().map_err(|refused| refused.why)?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Running(command.spawn().map_err(|error| format!("reprise cannot be started: {error}"))?);
    let (output, errors) = (child.0.stdout.take(), child.0.stderr.take());
    let writing = child.0.stdin.take();
    let input = input.to_vec();
    std::thread::spawn(move || writing.map(|mut writing| writing.write_all(&input)));
    let complaint = std::thread::spawn(move || read(errors, COMPLAINT as u64));
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(read(output, MOST)));
    let bytes = receiver.recv_timeout(longest).map_err(|_| format!("it takes longer than {} s", longest.as_secs()))?;
    let status = child.0.wait().map_err(|error| error.to_string())?;
    if status.success() {
        return Ok(bytes);
    }
    drop(child);
    let said = complaint.join().unwrap_or_default();
    Err(complained(&said, status.code().map_or_else(|| status.to_string(), |code| format!("it ended with {code}"))))
}

fn read(from: Option<impl Read>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    // An error ends the output like its end does.
    let _ = from.map(|from| from.take(most).read_to_end(&mut bytes));
    bytes
}

/// Gives the lines of a stream, as long as more are wanted.
fn read_lines(from: Option<impl Read>, mut each: impl FnMut(String) -> bool) {
    let lines = from.map(|from| BufReader::new(from.take(MOST)).lines());
    for line in lines.into_iter().flatten().map_while(Result::ok) {
        if !each(line) {
            return;
        }
    }
}

fn complained(said: &[u8], otherwise: String) -> String {
    let text = String::from_utf8_lossy(said);
    let text = text.trim().trim_start_matches("reprise: ");
    if text.is_empty() { otherwise } else { text.to_owned() }
}

/// Which file is played, and on what.
#[derive(Clone, Copy)]
pub(super) struct Played<'p> {
    pub(super) file: &'p Path,
    pub(super) rings: Option<&'p Path>,
    side: &'p Side,
    /// What ends a frame, where that was chosen: the same frames are counted.
    ends: Option<&'p str>,
}

impl<'p> Played<'p> {
    /// The trace of a subject.
    pub(super) fn of(subject: &'p Subject) -> Played<'p> {
        Played { rings: subject.rings.as_deref(), ..Played::other(subject, &subject.file) }
    }

    /// Another file on the same.
    pub(super) fn other(subject: &'p Subject, file: &'p Path) -> Played<'p> {
        let ends = subject.trace.chosen_ends().map(|ends| &*ends.by);
        Played { file, rings: None, side: &subject.side, ends }
    }
}

/// Runs the program for a job and gives each line that it writes to `each`; it ends when the job is cancelled.
///
/// # Errors
/// What it says, or that the job is cancelled.
pub(super) fn lines(
    job: &Job,
    subject: &Subject,
    words: &[&str],
    input: Option<String>,
    each: impl FnMut(&str) -> Result<(), Refused>,
) -> Result<(), Refused> {
    played(job, Played::of(subject), (words, &[]), input, each)
}

/// The same of any file. The second words stand behind the file.
///
/// # Errors
/// As [`lines`].
pub(super) fn played(
    job: &Job,
    played: Played<'_>,
    (words, behind): (&[&str], &[&str]),
    input: Option<String>,
    each: impl FnMut(&str) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let mut command = Command::new(program()?);
    command.args(words).args(["--fence-timeout", FENCE]);
    played.side.tell(&mut command);
    if let Some(rings) = played.rings {
        command.arg("--rings").arg(rings);
    }
    if let Some(ends) = played.ends {
        command.args(["--frame-boundary", ends]);
    }
    command.arg("--").arg(played.file).args(behind);
    follow(job, command, input.map_or(Input::None, Input::Text), &[0], each)
}

/// Runs a command of the program that replays nothing on a file, in a folder. `words` come before the file.
///
/// # Errors
/// As [`lines`].
pub(super) fn read_only(
    job: &Job,
    played: Played<'_>,
    folder: &Path,
    words: &[&str],
    each: impl FnMut(&str) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let whole = |path: &Path| std::path::absolute(path).map_err(Refused::unavailable);
    let mut command = Command::new(whole(&program()?)?);
    command.current_dir(folder).args(words);
    if let Some(rings) = played.rings {
        command.arg("--rings").arg(whole(rings)?);
    }
    if let Some(ends) = played.ends {
        command.args(["--frame-boundary", ends]);
    }
    command.arg("--").arg(whole(played.file)?);
    follow(job, command, Input::None, &[0], each)
}

/// Runs `reprise diff --replay` on what two subjects play on, as [`lines`] does.
///
/// # Errors
/// As [`lines`].
pub(super) fn pair(
    job: &Job,
    [a, b]: [&Subject; 2],
    words: &[&str],
    each: impl FnMut(&str) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let mut command = Command::new(program()?);
    command.args(["diff", "--replay", "--json", "--progress", "--until-input-ends"]).args(words);
    for (prefix, side) in [("--", &a.side), ("--against-", &b.side)] {
        let stated = [("runtime", &side.runtime), ("gpu", &side.gpu)];
        for (name, value) in stated.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
            command.arg(format!("{prefix}{name}={value}"));
        }
        for (name, value) in &side.variables {
            command.arg(format!("{prefix}env={name}={value}"));
        }
    }
    if let Some(ends) = Played::of(a).ends {
        command.args(["--frame-boundary", ends]);
    }
    command.arg("--").arg(&a.file);
    // 1: they differ.
    follow(job, command, Input::Open, &[0, 1], each)
}

/// What a process reads from its standard input.
enum Input {
    None,
    Text(String),
    /// Nothing, until it shall end.
    Open,
}

/// Runs a command for a job, and gives each line of its output and each line of JSON of its errors to `each`. It has to end with one of
/// these codes.
fn follow(
    job: &Job,
    mut command: Command,
    input: Input,
    codes: &[i32],
    mut each: impl FnMut(&str) -> Result<(), Refused>,
) -> Result<(), Refused> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let spawned = command.spawn().map_err(|error| Refused::unavailable(format!("reprise cannot be started: {error}")));
    let mut child = Running(spawned?);
    if !matches!(input, Input::Open) {
        let writing = child.0.stdin.take();
        std::thread::spawn(move || {
            if let (Some(mut writing), Input::Text(text)) = (writing, input) {
                // A process that ended early says why itself.
                let _ = writing.write_all(text.as_bytes());
            }
        });
    }
    let (output, errors) = (child.0.stdout.take(), child.0.stderr.take());
    let (sender, receiver) = mpsc::channel::<String>();
    let of_errors = sender.clone();
    std::thread::spawn(move || {
        read_lines(output, |line| sender.send(line).is_ok());
    });
    let complaint = std::thread::spawn(move || {
        let mut said = String::new();
        read_lines(errors, |line| {
            // Some commands write their progress there, as JSON.
            if line.starts_with('{') {
                return of_errors.send(line).is_ok();
            }
            if said.len() < COMPLAINT {
                said.push_str(&line);
                said.push('\n');
            }
            true
        });
        said.into_bytes()
    });
    let started = Instant::now();
    loop {
        job.go_on()?;
        match receiver.recv_timeout(STEP) {
            Ok(line) => each(&line)?,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let seconds = started.elapsed().as_secs();
                if seconds > 0 {
                    job.progress(0, 0, || format!("replaying for {seconds} s"));
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = child.0.wait().map_err(|error| Refused::unavailable(error.to_string()))?;
    if status.code().is_some_and(|code| codes.contains(&code)) {
        return Ok(());
    }
    drop(child);
    let said = complaint.join().unwrap_or_default();
    let otherwise = format!("reprise ended with {status}");
    Err(Refused::unavailable(complained(&said, otherwise)))
}
