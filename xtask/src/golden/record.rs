//! Recording one golden trace, in a folder of its own, so that no path of the machine gets into it.

use super::folder::{Folder, Said};
use super::recipe::{End, How, Recipe, SMALL};
use anyhow::{Context, Result, bail, ensure};
use reprise_testing::worker::{self, Link, Log};
use reprise_testing::{Display, artifact, autopsy, missing, program};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const HEAPS: &str = include_str!("heaps.c");
/// Nothing here takes as long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// Calls after which a worker, or its writer, is killed: some are in the file then, some in the rings.
const ENOUGH: u64 = 500;
/// Calls that stay in the rings, at least.
const MORE: u64 = 50;
/// A file of so many bytes has more than a header and what the program says of itself.
const HEAD: u64 = 1024;

/// The programs of the build, and where they run.
pub(super) struct Tools {
    built: PathBuf,
    work: PathBuf,
    /// Where programs in C are built.
    programs: PathBuf,
    worker: PathBuf,
}

impl Tools {
    pub(super) fn new(built: &Path) -> Result<Tools> {
        let work = artifact::workspace().join("target/golden");
        let _ = std::fs::remove_dir_all(&work);
        let programs = work.join("programs");
        std::fs::create_dir_all(&programs).with_context(|| format!("cannot make {}", programs.display()))?;
        let worker = worker::build_on(&built.join("libreprise_null_win64.so"), &programs, Link::Linked)?;
        Ok(Tools { built: built.to_owned(), work, programs, worker })
    }

    /// Records a trace and hands it over with what this build says of it.
    pub(super) fn record(&self, recipe: &Recipe, folder: &mut Folder) -> Result<()> {
        let place = self.work.join(recipe.name);
        std::fs::create_dir_all(&place)?;
        let command = match &recipe.how {
            How::Program { options, words } => self.program(&place, options, words),
            How::Window { options, program, package } => self.window(&place, options, program, package),
            How::Worker { options, words, null, end } => self.worker(&place, options, words, null, *end),
            How::Heaps => self.heaps(&place),
            How::Session { kind } => self.session(&place, kind),
        }?;
        let trace = place.join("trace.reprise");
        let say = |words: &[&str]| {
            let finished = program::run_quietly(self.reprise(&place).args(words).arg("trace.reprise"), PATIENCE)?;
            let exit = finished.status.code().filter(|code| matches!(code, 0 | 3));
            let exit = exit.with_context(|| format!("{words:?}: {} {}", finished.status, finished.errors()))?;
            anyhow::Ok((finished.text(), exit))
        };
        let ((info, exit), (dump, other)) = (say(&["info", "--json"])?, say(&["dump", "--json"])?);
        ensure!(exit == other, "info ends with {exit}, dump with {other}");
        folder.add(recipe, &command, &trace, &Said { info, dump, exit })
    }

    fn reprise(&self, place: &Path) -> Command {
        let mut command = Command::new(self.built.join("reprise"));
        command.current_dir(place).env_remove("DISPLAY").stdin(Stdio::null());
        command.env("REPRISE_CAPTURE_LIBRARY", self.built.join("libreprise_capture.so"));
        command.env("VKD3D_DEBUG", "none").env("VKD3D_SHADER_DEBUG", "none").env("REPRISE_NULL_LOG", "off");
        command
    }

    fn capture(&self, place: &Path, options: &[&str], what: &Path, words: &[&str]) -> Command {
        let mut command = self.reprise(place);
        command.args(["capture", "-o", "trace.reprise"]).args(options).arg("--").arg(what).args(words);
        command
    }

    fn program(&self, place: &Path, options: &[&str], words: &[&str]) -> Result<String> {
        let mut command = self.capture(place, options, &self.built.join("reprise-programs"), words);
        let finished = program::run_quietly(&mut command, PATIENCE)?;
        ensure!(finished.status.success(), "{}", finished.errors());
        Ok(shown(options, "reprise-programs", words))
    }

    fn window(&self, place: &Path, options: &[&str], name: &str, package: &str) -> Result<String> {
        let display = Display::start()?;
        let hashed = [&["--frame-hashes", "hashes.txt"], options].concat();
        let mut command = self.capture(place, &hashed, &missing::program(name, package)?, &[]);
        let finished = program::run_quietly(command.env("DISPLAY", display.name()), PATIENCE)?;
        ensure!(finished.status.success(), "{}", finished.errors());
        Ok(shown(&hashed, name, &[]))
    }

    fn worker(&self, place: &Path, options: &[&str], words: &[&str], null: &str, end: End) -> Result<String> {
        let words = [&["log"], words].concat();
        let mut command = self.capture(place, options, &self.worker, &words);
        if !null.is_empty() {
            command.env("REPRISE_NULL", null);
        }
        match end {
            End::Own | End::Crash => {
                let finished = program::run_quietly(&mut command, PATIENCE)?;
                let expected = if end == End::Own { 0 } else { 128 + libc::SIGSEGV };
                ensure!(finished.status.code() == Some(expected), "{}: {}", finished.status, finished.errors());
            }
            End::Killed | End::WriterKilled => {
                let mut launcher = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
                let log = || Log::read(&place.join("log"));
                wait_until(|| log().calls() >= ENOUGH)?;
                if end == End::WriterKilled {
                    // The writer is the launcher's child that has the launcher's own name.
                    let named = |pid: &u32| {
                        std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "reprise\n")
                    };
                    let writer = autopsy::family(launcher.id()).into_iter().skip(1).find(named).context("no writer")?;
                    let written = || std::fs::metadata(place.join("trace.reprise")).map_or(0, |file| file.len());
                    wait_until(|| written() >= HEAD)?;
                    kill(writer)?;
                    let before = log().calls();
                    wait_until(|| log().calls() > before + MORE)?;
                }
                kill(log().pid)?;
                let (status, timed_out) = program::wait(&mut launcher, PATIENCE)?;
                ensure!(!timed_out && !status.success(), "{status}");
            }
        }
        let null = if null.is_empty() { String::new() } else { format!("REPRISE_NULL={null} ") };
        Ok(null + &shown(options, "worker", &words))
    }

    fn heaps(&self, place: &Path) -> Result<String> {
        let compiler = missing::program("gcc", "gcc")?;
        std::fs::write(self.programs.join("heaps.c"), HEAPS)?;
        // The name by which captured programs know the runtime's convention.
        let library = "libvkd3d-proton-d3d12.so";
        std::os::unix::fs::symlink(self.built.join("libreprise_d3d12.so"), self.programs.join(library))?;
        let mut command = Command::new(compiler);
        command.current_dir(&self.programs).args([
            "-O1",
            "-Wall",
            "-Wno-missing-braces",
            "-I/usr/include/vkd3d",
            "-o",
            "heaps",
            "heaps.c",
            "-L.",
        ]);
        command.arg(format!("-l:{library}")).arg("-Wl,-rpath,$ORIGIN");
        let finished = program::run_quietly(&mut command, PATIENCE)?;
        ensure!(finished.status.success(), "{}", finished.errors());
        let mut command = self.capture(place, SMALL, &self.programs.join("heaps"), &[]);
        let finished = program::run_quietly(&mut command, PATIENCE)?;
        ensure!(finished.status.success(), "{}", finished.errors());
        Ok(shown(SMALL, "heaps", &[]))
    }

    fn session(&self, place: &Path, kind: &str) -> Result<String> {
        let mut command = crate::cargo::command();
        command.args(["run", "--quiet", "--package", "reprise-capture", "--example", "golden_session", "--", kind]);
        let finished = program::run_quietly(command.arg(place.join("session")), PATIENCE * 4)?;
        ensure!(finished.status.success(), "{}", finished.errors());
        let mut command = self.reprise(place);
        command.args(["write", "--session", "session", "--output", "trace.reprise"]).args(SMALL);
        let finished = program::run_quietly(&mut command, PATIENCE)?;
        ensure!(finished.status.success(), "{}", finished.errors());
        Ok(format!("golden_session {kind} session && reprise write --session session --output trace.reprise"))
    }
}

/// The command as a person types it.
fn shown(options: &[&str], what: &str, words: &[&str]) -> String {
    [&["reprise", "capture"], options, &["--", what], words].concat().join(" ")
}

fn wait_until(holds: impl Fn() -> bool) -> Result<()> {
    let started = Instant::now();
    while !holds() {
        if started.elapsed() > PATIENCE {
            bail!("the program does not get on");
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    Ok(())
}

fn kill(pid: u32) -> Result<()> {
    let pid = libc::pid_t::try_from(pid).ok().filter(|pid| *pid > 1).context("no process")?;
    // SAFETY: a signal to one process that this task started, by its id; no memory is involved.
    ensure!(unsafe { libc::kill(pid, libc::SIGKILL) } == 0, "cannot kill process {pid}");
    Ok(())
}
