//! `cargo xtask test`: every check there is, in the order in which a failure is cheapest to learn.
//!
//! Invariant: the last line is `N passed, N failed, N skipped`, and the exit code is 0 only when nothing failed.

mod count;

use anyhow::{Context, Result, bail};
use count::{Count, Skips};
use reprise_testing::{artifact, autopsy, missing};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The whole run ends by then, whatever hangs, but for the minutes that it takes to say what does. Two cores need about
/// 30 minutes; a slow machine is no failure.
const LIMIT: Duration = Duration::from_secs(60 * 60);
/// A test hangs when none has ended for so long.
const SILENCE: Duration = Duration::from_secs(20 * 60);
/// What the Windows target must compile: everything that does not drive Linux processes.
const PORTABLE: &[&str] = &[
    "reprise-d3d12",
    "reprise-codec",
    "reprise-trace",
    "reprise-null",
    "reprise-capture",
    "reprise-programs",
    "reprise-windows-programs",
    "reprise-runtime-library",
    "reprise",
];
/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let mut quick = false;
    for argument in arguments {
        match argument.as_str() {
            "--quick" => quick = true,
            other => bail!("test takes --quick (got {other:?})"),
        }
    }
    crate::setup::prepare(crate::setup::For::Test)?;
    let started = Instant::now();
    let mut total = Count::default();
    let mut failures = Vec::new();
    for step in steps(quick) {
        let left = LIMIT.saturating_sub(started.elapsed());
        let (begun, used) = (Instant::now(), processor_time());
        println!("test: {}", step.name);
        let count = step.run(left)?;
        let (wall, used) = (begun.elapsed().as_secs_f64(), processor_time().saturating_sub(used).as_secs_f64());
        println!("test: {}: {count} ({wall:.1} s, {used:.1} s of processor time)", step.name);
        if count.failed > 0 {
            failures.push(step.name);
        }
        total.add(count);
    }
    for name in &failures {
        println!("test: failed: {name}");
    }
    println!("test: took {:.0} s", started.elapsed().as_secs_f64());
    println!("{total}");
    if failures.is_empty() { Ok(()) } else { bail!("{} of the steps failed", failures.len()) }
}

/// What processes that this one started took, as far as they have ended and were waited for.
fn processor_time() -> Duration {
    // SAFETY: a structure of integers, for which zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is writable, and outlives the call.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    let time =
        |time: libc::timeval| Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64);
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// One command, and how its output is counted.
struct Step {
    name: &'static str,
    arguments: Vec<&'static str>,
    /// Its lines tell how many tests ran; otherwise it counts as one check.
    tests: bool,
}

fn steps(quick: bool) -> Vec<Step> {
    let step = |name, arguments: &[&'static str], tests| Step { name, arguments: arguments.to_vec(), tests };
    // In the profile of the tests' `build-windows --debug`: the C++ of the shader translator is compiled once.
    let mut windows = vec!["clippy", "--quiet", "--target", "x86_64-pc-windows-gnu"];
    windows.extend(PORTABLE.iter().flat_map(|package| ["--package", package]));
    windows.extend(["--", "-D", "warnings"]);
    let mut tests = vec!["test", "--workspace", "--no-fail-fast"];
    if !quick {
        tests.extend(["--", "--include-ignored"]);
    }
    vec![
        step("formatting", &["fmt", "--all", "--check"], false),
        step("generated code", &["xtask", "codegen", "--check"], false),
        step("modules", &["xtask", "modules"], false),
        step("dependencies", &["xtask", "deny"], false),
        step("lints", &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"], false),
        step("Windows target", &windows, false),
        // What `cargo test` would build, and shared libraries, which it would not: tests take all of it as it is.
        step("build", &["build", "--quiet", "--workspace", "--lib", "--bins", "--examples", "--tests"], false),
        step("docs/commands.md", &["xtask", "commands", "--check"], false),
        step("tests", &tests, true),
    ]
}

impl Step {
    /// Runs the command, shows its output, and counts. A command that exceeds the time is ended with all it started.
    fn run(&self, left: Duration) -> Result<Count> {
        let mut command = crate::cargo::command();
        command.args(&self.arguments);
        let skips = artifact::workspace().join(format!("target/skips-{}", std::process::id()));
        let _ = std::fs::remove_file(&skips);
        // Set-up has run: what is missing now is a failure.
        command
            .env("CI", "true")
            .env(missing::SKIPS, &skips)
            .env(artifact::BUILT, "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0);
        let mut child = command.spawn().with_context(|| format!("cannot run cargo {}", self.arguments.join(" ")))?;
        let (sender, lines) = mpsc::channel();
        let reader = child.stdout.take().map(|stdout| {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(|line| line.ok()) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            })
        });
        let deadline = Instant::now() + left;
        let mut count = Count::default();
        // All are built before the first one runs.
        let mut runs = false;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match lines.recv_timeout(if runs { left.min(SILENCE) } else { left }) {
                Ok(line) => {
                    println!("{line}");
                    runs |= self.tests && line.starts_with("running ");
                    if self.tests {
                        count.line(&line);
                    }
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    println!("test: {}: out of time:\n{}", self.name, autopsy::autopsy(child.id()));
                    end_group(child.id());
                    count.failed += 1;
                    break;
                }
            }
        }
        let status = child.wait().context("cannot wait for cargo")?;
        if let Some(reader) = reader {
            // The pipe may be held open by what a test left running; nobody waits for that.
            drop(lines);
            if reader.is_finished() {
                let _ = reader.join();
            }
        }
        if !self.tests {
            count.add(if status.success() { Count::PASSED } else { Count::FAILED });
        } else if !status.success() && count.failed == 0 {
            // A test that did not build, or a test program that died.
            count.add(Count::FAILED);
        }
        let said = Skips::read(&std::fs::read_to_string(&skips).unwrap_or_default());
        let _ = std::fs::remove_file(&skips);
        print!("{said}");
        count.skip(&said);
        Ok(count)
    }
}

/// Ends a command of ours and everything it started, which is the process group made for it.
fn end_group(leader: u32) {
    if let Ok(group) = libc::pid_t::try_from(leader)
        && group > 1
    {
        // SAFETY: sends a signal to the process group that `Step::run` made; no memory is involved.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}
