//! The writer processes of one capture: `reprise write`, one for each process of the program that records.
//!
//! The first one is started before the program. Processes of the program that find the session folder taken make one of
//! their own beside it, with their process id in the name; those that come when it is free again take it. Both are looked
//! for while the program runs, and get a trace with their process id in its name.
//!
//! A writer is a session leader and deaf to the terminal, so it outlives Ctrl-C and us. It learns from the end of its
//! standard input that we wait no longer for a session to appear, and says on its standard output how the trace ended.

use crate::capture::claim::{Claim, Kind, kind_of};
use crate::capture::ending::ENDED_WELL;
use crate::capture::finished::{Finished, because};
use crate::capture::range::Control;
use crate::launch::signal;
use anyhow::{Context, Result, bail};
use reprise_trace::chunk::Compression;
use reprise_trace::session::{self, Session};
use reprise_trace::wanted_frames::StopReason;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often a new session is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// The writers of one capture.
#[derive(Debug)]
pub(crate) struct Recorder {
    sessions: Arc<Sessions>,
    watch: std::thread::JoinHandle<()>,
    /// Given up when all writers have ended.
    _claims: Arc<Vec<Claim>>,
}

#[derive(Debug)]
struct Sessions {
    rings: PathBuf,
    output: PathBuf,
    writers: Mutex<Vec<Writer>>,
    /// Sessions that have a writer, by process and when they began: a process that calls `exec` has one after the other.
    recorded: Mutex<Vec<(u32, u64)>>,
    stop: AtomicBool,
    claims: Arc<Vec<Claim>>,
    orders: Orders,
    /// Processes that were told to end, because what was wanted of them is captured, and when; no time once they have, or
    /// were ended by force: their numbers may be others' by then.
    quit: Mutex<Vec<(u32, Option<Instant>)>>,
}

/// What was asked for.
#[derive(Clone, Debug)]
struct Orders {
    /// For the writers' command lines.
    words: Vec<OsString>,
    quits: bool,
    is_flight: bool,
}

#[derive(Debug)]
struct Writer {
    child: Child,
    rings: PathBuf,
    output: PathBuf,
    /// How it ended, where that is known before the end of the program.
    early: Option<Finished>,
    /// It is told that the process died.
    is_mourned: bool,
}

impl Recorder {
    /// Starts the first writer, for the session that will appear in the folder `rings`. The claims last as long as this
    /// recorder and its writers.
    ///
    /// # Errors
    /// When this program cannot be started a second time.
    pub(crate) fn start(
        rings: &Path,
        output: &Path,
        claims: Vec<Claim>,
        control: &Control,
        compression: Compression,
        quiet: bool,
    ) -> Result<Recorder> {
        let mut words = control.words();
        words.extend(["--compression".into(), compression.to_string().into()]);
        if quiet {
            words.push("--quiet".into());
        }
        let orders = Orders { words, quits: control.quits(), is_flight: control.is_flight() };
        let first = Writer::start(rings.into(), output.into(), &claims, &orders)?;
        let claims = Arc::new(claims);
        let sessions = Arc::new(Sessions {
            rings: rings.into(),
            output: output.into(),
            writers: Mutex::new(vec![first]),
            recorded: Mutex::default(),
            stop: AtomicBool::new(false),
            claims: Arc::clone(&claims),
            orders,
            quit: Mutex::default(),
        });
        let watched = Arc::clone(&sessions);
        let watch = std::thread::spawn(move || watched.watch());
        Ok(Recorder { sessions, watch, _claims: claims })
    }

    /// Waits for all writers to finish, which are told whether the program ended well; gives what each has written (no traces when its
    /// process did not record; an error when it failed), and whether we ended the program.
    pub(crate) fn finish(self, well: bool) -> (Vec<Result<Vec<Finished>>>, bool) {
        self.sessions.stop.store(true, Ordering::Release);
        self.watch.thread().unpark();
        // A panic there was printed; what it had started is waited for all the same.
        let _ = self.watch.join();
        let mut writers = self.sessions.writers.lock().unwrap_or_else(PoisonError::into_inner);
        let finished: Vec<Result<Vec<Finished>>> = writers.drain(..).map(|writer| writer.finish(well)).collect();
        let quit = !self.sessions.quit.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        (finished, quit)
    }
}

impl Sessions {
    fn watch(&self) {
        let mut triggers = 0;
        loop {
            let last = self.stop.load(Ordering::Acquire);
            let (taken, undecided) = self.look();
            let asked = signal::triggers();
            if asked != triggers && !taken && self.has_ended() {
                reprise_log::warning(
                    "the recording has ended: frames that come later need a capture of their own, from the start of the \
                     program",
                );
            }
            triggers = asked;
            if last && !undecided {
                return;
            }
            self.look_for_ends();
            self.look_for_deaths();
            std::thread::park_timeout(LOOK);
        }
    }

    /// Tells of traces that were finished before the program ended, and ends programs that have nothing else to do.
    fn look_for_ends(&self) {
        let mut writers = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
        for writer in writers.iter_mut().filter(|writer| writer.early.is_none()) {
            // A flight recorder has ended only when its program has.
            if self.orders.is_flight || !writer.has_finished() {
                continue;
            }
            let Some((finished, program)) = writer.read(true).ok().and_then(|mut finished| finished.pop()) else {
                continue;
            };
            let finished = writer.early.insert(finished);
            let Some(reason) = finished.stopped.filter(|_| runs(program)) else { continue };
            let (path, why) = (finished.path.display(), because(reason));
            let quits = self.orders.quits && !matches!(reason, StopReason::Size | StopReason::Hang);
            let then = if quits { "is ended" } else { "goes on, not recorded" };
            reprise_log::info(format_args!("{path} is finished: {why}; process {program} {then}"));
            if quits {
                signal::send(program, libc::SIGTERM);
                self.quit.lock().unwrap_or_else(PoisonError::into_inner).push((program, Some(Instant::now())));
            }
        }
        drop(writers);
        for (program, since) in self.quit.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            *since = since.filter(|_| runs(*program));
            if since.is_some_and(|since| since.elapsed() > QUIT_PATIENCE) {
                signal::send(*program, libc::SIGKILL);
                *since = None;
            }
        }
    }

    /// Tells of writers that died while their program runs.
    fn look_for_deaths(&self) {
        let mut writers = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
        for writer in writers.iter_mut().filter(|writer| !writer.is_mourned && writer.early.is_none()) {
            let Ok(Some(status)) = writer.child.try_wait() else { continue };
            let program = Session::open(&writer.rings).map(|session| session.pid_here());
            let Some(program) = program.ok().filter(|program| !status.success() && runs(*program)) else { continue };
            writer.is_mourned = true;
            reprise_log::error(format_args!(
                "{}: the recording has ended: its writer died ({status}); process {program} goes on, not recorded",
                writer.output.display()
            ));
        }
    }

    /// Whether a trace was finished before its program ended.
    fn has_ended(&self) -> bool {
        self.writers.lock().unwrap_or_else(PoisonError::into_inner).iter().any(Writer::has_stopped)
    }

    /// Starts a writer for each session that has none yet, and hands on what signals asked for. Whether there is a session, and
    /// whether the next look must tell who writes one.
    fn look(&self) -> (bool, bool) {
        let (mut any, mut undecided) = (false, false);
        let entries = self.rings.parent().and_then(|folder| std::fs::read_dir(folder).ok());
        let Some(entries) = entries else { return (any, undecided) };
        for entry in entries.flatten() {
            let rings = entry.path();
            if rings != self.rings && !matches!(kind_of(&self.rings, &rings), Some(Kind::Further(_))) {
                continue;
            }
            let Ok(session) = Session::open(&rings) else { continue };
            let pid = session.pid();
            any |= !session.is_finished();
            session.set_triggers(signal::triggers());
            let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
            let known = (pid, session.started().realtime_ns);
            // One writer for each session: where it failed, what is left is for people to look at.
            if recorded.contains(&known) {
                continue;
            }
            if session.has_writer() {
                recorded.push(known);
                continue;
            }
            let mut writers = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
            // It is about to take the session, or to end because its own process did: the next look will tell. Or it failed
            // before we saw it at work: then this is the session it left.
            if writers.iter_mut().any(|writer| writer.rings == rings && !writer.has_finished()) {
                // One that was killed decides nothing any more.
                undecided |= writers.iter_mut().any(|w| w.rings == rings && matches!(w.child.try_wait(), Ok(None)));
                continue;
            }
            recorded.push(known);
            let mut output = self.output.with_extension(format!("{pid}.reprise"));
            let mut image = 1;
            while writers.iter().any(|writer| writer.output == output) {
                image += 1;
                output = self.output.with_extension(format!("{pid}-{image}.reprise"));
            }
            match Writer::start(rings, output, &self.claims, &self.orders) {
                Ok(writer) => writers.push(writer),
                Err(error) => reprise_log::error(format_args!("process {pid} is not recorded: {error:#}")),
            }
        }
        (any, undecided)
    }
}

/// How long a program may take to end when it is asked to.
const QUIT_PATIENCE: Duration = Duration::from_secs(5);

/// Whether a process is there; one that has ended and was not waited for is not.
fn runs(process: u32) -> bool {
    reprise_trace::os::process_alive(process, 0) == Some(true)
}

impl Writer {
    fn start(rings: PathBuf, output: PathBuf, claims: &[Claim], orders: &Orders) -> Result<Writer> {
        let program = std::env::current_exe().context("cannot tell where this program lies")?;
        let mut command = Command::new(&program);
        command.arg("write").arg("--session").arg(&rings).arg("--output").arg(&output);
        command.envs(reprise_log::environment());
        command.args(&orders.words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).env_remove("LD_PRELOAD");
        let kept: Vec<i32> = claims.iter().map(Claim::descriptor).collect();
        // SAFETY: `setsid` and `fcntl` are plain system calls, allowed between fork and exec; they touch no memory.
        unsafe {
            command.pre_exec(move || {
                // The claims stay open in the writer: it may outlive us.
                let kept = kept.iter().all(|descriptor| libc::fcntl(*descriptor, libc::F_SETFD, 0) == 0);
                if !kept || libc::setsid() < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
            });
        }
        let child = command.spawn().with_context(|| format!("cannot start the writer {}", program.display()))?;
        Ok(Writer { child, rings, output, early: None, is_mourned: false })
    }

    /// Whether it ended, and well.
    fn has_finished(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(status)) if status.success())
    }

    /// Waits for its end; no traces when no session ever appeared, or where a flight recorder had no reason to write.
    fn finish(mut self, well: bool) -> Result<Vec<Finished>> {
        match self.early.take() {
            Some(finished) => Ok(vec![finished]),
            None => Ok(self.read(well)?.into_iter().map(|(finished, _)| finished).collect()),
        }
    }

    /// Whether its trace ended before its program did.
    fn has_stopped(&self) -> bool {
        self.early.as_ref().is_some_and(|finished| finished.stopped.is_some())
    }

    /// As [`Writer::finish`], once; each trace with the process that was recorded.
    fn read(&mut self, well: bool) -> Result<Vec<(Finished, u32)>> {
        if let Some(mut stdin) = self.child.stdin.take()
            && well
        {
            // Whoever is gone needs no word.
            let _ = stdin.write_all(&[ENDED_WELL]);
        }
        let mut text = String::new();
        if let Some(mut stdout) = self.child.stdout.take() {
            stdout.read_to_string(&mut text).context("cannot read from the writer")?;
        }
        let status = self.child.wait().context("cannot wait for the writer")?;
        // There only if it was killed while it removed its folder.
        let doomed = session::doomed(&self.rings, self.child.id());
        if doomed.exists() && Session::clear(&doomed).is_ok() {
            let _ = std::fs::remove_dir(&doomed);
        }
        let lines: Option<Vec<_>> = text.lines().map(|line| self.finished(line)).collect();
        match lines {
            Some(finished) if status.success() => Ok(finished),
            _ if self.rings.join(session::FILE).exists() => bail!(
                "the writer of {} failed ({status}); what it had not stored yet is kept in {}",
                self.output.display(),
                self.rings.display()
            ),
            _ => bail!("the writer of {} failed ({status})", self.output.display()),
        }
    }

    /// What a line of the writer says: six numbers, and a path where the trace is not the one that was asked for.
    fn finished(&self, line: &str) -> Option<(Finished, u32)> {
        let mut words = line.splitn(7, ' ');
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let numbers = [number()?, number()?, number()?, number()?, number()?];
        let program = u32::try_from(number()?).unwrap_or(0);
        let path = words.next().map_or_else(|| self.output.clone(), PathBuf::from);
        Some((Finished::of(path, numbers), program))
    }
}
