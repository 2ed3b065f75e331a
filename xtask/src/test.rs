//! `cargo xtask test`: every check there is. The cheapest come first; lints come beside the tests, which leave a third of two
//! processors idle.
//!
//! Invariant: the last line is `N passed, N failed, N skipped`, and the exit code is 0 only when nothing failed.

mod count;
mod failure;
mod on;
mod programs;
mod watch;

use anyhow::{Result, bail};
use count::{Count, Skips};
use failure::Failures;
use reprise_testing::{artifact, missing, wine};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use watch::{End, Watch};

/// The whole run ends by then, whatever hangs, but for the minutes that it takes to say what does. Two cores need about
/// 40 minutes; a slow machine is no failure.
const LIMIT: Duration = Duration::from_secs(60 * 60);
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
    if arguments.iter().any(|argument| argument == "--on") {
        return on::run(arguments);
    }
    let mut quick = false;
    for argument in arguments {
        match argument.as_str() {
            "--quick" => quick = true,
            other => bail!("test takes --quick, or --on SYSTEM with options of its own (got {other:?})"),
        }
    }
    crate::setup::prepare(crate::setup::For::Test)?;
    let ran = Ran { started: Instant::now(), total: Mutex::default(), messages: Mutex::default() };
    for step in steps(quick) {
        ran.step(step)?;
    }
    let seconds = ran.started.elapsed().as_secs_f64();
    let (total, failures) = ran.total.into_inner().unwrap_or_else(PoisonError::into_inner);
    print!("{}", ran.messages.into_inner().unwrap_or_else(PoisonError::into_inner));
    for name in &failures {
        println!("test: failed: {name}");
    }
    println!("test: took {seconds:.0} s");
    println!("{total}");
    if failures.is_empty() { Ok(()) } else { bail!("{} of the steps failed", failures.len()) }
}

/// What the steps have come to, also of those that run at one time.
struct Ran {
    started: Instant,
    /// And the names of the steps that failed.
    total: Mutex<(Count, Vec<&'static str>)>,
    /// What failed tests said.
    messages: Mutex<Failures>,
}

impl Ran {
    /// Runs a step and says what it came to.
    fn step(&self, step: Step) -> Result<()> {
        let (name, begun, used) = (step.name, Instant::now(), processor_time());
        println!("test: {name}");
        let count = step.run(self)?;
        let (wall, used) = (begun.elapsed().as_secs_f64(), processor_time().saturating_sub(used).as_secs_f64());
        println!("test: {name}: {count} ({wall:.1} s, {used:.1} s of processor time)");
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        if count.failed > 0 {
            total.1.push(name);
        }
        total.0.add(count);
        Ok(())
    }

    fn keep(&self, messages: Failures) {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).append(messages);
    }

    /// When everything ends that still runs.
    fn deadline(&self) -> Instant {
        self.started + LIMIT
    }
}

/// The processor time of ended child processes. Steps that run at one time cannot be told apart: each is given the time of both.
pub(crate) fn processor_time() -> Duration {
    // SAFETY: a structure of integers, for which zeros are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is writable, and outlives the call.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    let time =
        |time: libc::timeval| Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64);
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// Builds for Windows while tests wait for something; the tests that need it come last, begin with the same commands, and say
/// what they say.
fn build_for_windows(deadline: Instant) {
    let mut command = crate::cargo::command();
    command.args(["xtask", "build-windows", "--debug"]).stderr(Stdio::null());
    let _ = Watch { name: "build-windows", deadline, silent: false }.run(command, |_| {});
    let _ = wine::build_programs().and_then(|_| wine::build_small_programs());
}

/// One command, and how its output is counted.
struct Step {
    name: &'static str,
    arguments: Vec<&'static str>,
    kind: Kind,
}

enum Kind {
    /// One check of cargo's, which its exit code tells.
    Check,
    /// Tests of cargo's, which its lines tell.
    Tests,
    /// The test programs that cargo builds; the arguments are theirs. Beside them, one after the other: a build for Windows, and
    /// what else waits for cargo's lock and not for a test.
    Programs { windows: bool, beside: Vec<Step> },
}

fn steps(quick: bool) -> Vec<Step> {
    let step = |name, arguments: &[&'static str], kind| Step { name, arguments: arguments.to_vec(), kind };
    let check = |name, arguments: &[&'static str]| step(name, arguments, Kind::Check);
    // In the profile of the tests' `build-windows --debug`: the C++ of the shader translator is compiled once.
    let mut windows = vec!["clippy", "--quiet", "--target", "x86_64-pc-windows-gnu"];
    windows.extend(PORTABLE.iter().flat_map(|package| ["--package", package]));
    windows.extend(["--", "-D", "warnings"]);
    let beside = vec![
        check("Windows target", &windows),
        check("lints", &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    ];
    let tests: &[&str] = if quick { &[] } else { &["--include-ignored"] };
    vec![
        check("formatting", &["fmt", "--all", "--check"]),
        check("generated code", &["xtask", "codegen", "--check"]),
        check("modules", &["xtask", "modules"]),
        check("dependencies", &["xtask", "deny"]),
        // What `cargo test` would build, and shared libraries, which it would not: tests take all of it as it is.
        check("build", &["build", "--quiet", "--workspace", "--lib", "--bins", "--examples", "--tests"]),
        check("docs/commands.md", &["xtask", "commands", "--check"]),
        step("tests", tests, Kind::Programs { windows: !quick, beside }),
        step("examples in documentation", &["test", "--workspace", "--no-fail-fast", "--doc"], Kind::Tests),
    ]
}

impl Step {
    /// Runs it, shows its output, and counts. What exceeds the time is ended with all it started.
    fn run(self, ran: &Ran) -> Result<Count> {
        let Step { name, arguments, kind } = self;
        let skips = artifact::workspace().join(format!(
            "target/skips-{}-{}",
            std::process::id(),
            name.replace(['/', ' '], "-")
        ));
        let _ = std::fs::remove_file(&skips);
        // Set-up has run: what is missing now is a failure.
        let prepare = |command: &mut Command| {
            command.env("CI", "true").env(missing::SKIPS, &skips).env(artifact::BUILT, "1");
        };
        let deadline = ran.deadline();
        let mut count = match kind {
            Kind::Programs { windows, beside } => {
                let programs = programs::build()?;
                std::thread::scope(|scope| -> Result<Count> {
                    let others = scope.spawn(|| -> Result<()> {
                        if windows {
                            build_for_windows(deadline);
                        }
                        beside.into_iter().try_for_each(|step| ran.step(step))
                    });
                    let (count, messages) = programs::run(programs, &arguments, &prepare, deadline)?;
                    ran.keep(messages);
                    match others.join() {
                        Ok(result) => result.map(|()| count),
                        Err(panic) => std::panic::resume_unwind(panic),
                    }
                })?
            }
            Kind::Check | Kind::Tests => {
                let mut command = crate::cargo::command();
                command.args(&arguments);
                prepare(&mut command);
                let (count, messages) = run_cargo(name, matches!(kind, Kind::Tests), command, deadline)?;
                ran.keep(messages);
                count
            }
        };
        let said = Skips::read(&std::fs::read_to_string(&skips).unwrap_or_default());
        let _ = std::fs::remove_file(&skips);
        print!("{said}");
        count.skip(&said);
        Ok(count)
    }
}

/// A command of cargo's: what its tests say counts, or else its exit code.
fn run_cargo(name: &str, has_tests: bool, command: Command, deadline: Instant) -> Result<(Count, Failures)> {
    let (mut count, mut messages) = (Count::default(), Failures::default());
    let end = Watch { name, deadline, silent: false }.run(command, |line| {
        println!("{line}");
        if has_tests {
            count.line(line);
            messages.line(line);
        }
    })?;
    match end {
        End::OutOfTime => count.failed += 1,
        End::Status(status) if !has_tests => {
            count.add(if status.success() { Count::PASSED } else { Count::FAILED });
        }
        // A test that did not build.
        End::Status(status) if !status.success() && count.failed == 0 => count.add(Count::FAILED),
        End::Status(_) => {}
    }
    Ok((count, messages))
}
