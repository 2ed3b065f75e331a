//! The workspace's test programs, two at a time: many of them keep one processor busy, or wait.
//!
//! Cargo runs them one after the other. What a program says is shown when it has ended, so that lines of two do not mix.

use super::count::Count;
use super::failure::Failures;
use super::watch::{End, Watch};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

/// How many run at a time. Each runs as many of its tests at a time as there are processors.
const AT_A_TIME: usize = 2;

/// A test program that cargo has built.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// As cargo calls it when it runs it: `tests/damage.rs`.
    source: String,
    /// The package's folder, in which it runs.
    folder: PathBuf,
    pub(super) executable: PathBuf,
}

impl Program {
    /// From a line of `cargo test --no-run --message-format=json`; `None` for what is no test program.
    fn from_message(line: &str) -> Option<Program> {
        let message: Value = serde_json::from_str(line).ok()?;
        if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
            return None;
        }
        let executable = PathBuf::from(message["executable"].as_str()?);
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_path_buf();
        let source = Path::new(message["target"]["src_path"].as_str()?);
        let source = source.strip_prefix(&folder).unwrap_or(source).display().to_string();
        Some(Program { source, folder, executable })
    }

    fn size(&self) -> u64 {
        std::fs::metadata(&self.executable).map_or(0, |file| file.len())
    }
}

/// Builds what is not built yet. The largest comes first: it runs longest.
pub(super) fn build() -> Result<Vec<Program>> {
    let mut programs = build_some(&["--workspace"])?;
    programs.sort_by_key(|program| (std::cmp::Reverse(program.size()), program.executable.clone()));
    ensure!(!programs.is_empty(), "cargo names no test programs");
    Ok(programs)
}

/// Builds one test program of a package.
pub(super) fn build_one(package: &str, test: &str) -> Result<Program> {
    build_some(&["--package", package, "--test", test])?.pop().context("cargo names no test program")
}

fn build_some(which: &[&str]) -> Result<Vec<Program>> {
    let mut cargo = crate::cargo::command();
    cargo.args(["test", "--quiet", "--no-run", "--message-format=json-render-diagnostics"]).args(which);
    let output = cargo.stderr(Stdio::inherit()).output().context("cannot run cargo test --no-run")?;
    ensure!(output.status.success(), "the test programs do not build");
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(Program::from_message).collect())
}

/// Runs them all, but for those that have not begun by the deadline, which count as one failure each.
pub(super) fn run(
    programs: Vec<Program>,
    arguments: &[&str],
    prepare: &(dyn Fn(&mut Command) + Sync),
    deadline: Instant,
) -> Result<(Count, Failures)> {
    let (waiting, total) = (Mutex::new(programs.into_iter()), Mutex::new((Count::default(), Failures::default())));
    let work = || -> Result<()> {
        // The lock is held for the look alone.
        let next = || waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
        while let Some(program) = next() {
            let (count, messages) = run_one(&program, arguments, prepare, deadline)?;
            let mut total = total.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            total.0.add(count);
            total.1.append(messages);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    Ok(total.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

fn run_one(
    program: &Program,
    arguments: &[&str],
    prepare: &dyn Fn(&mut Command),
    deadline: Instant,
) -> Result<(Count, Failures)> {
    let mut command = Command::new(&program.executable);
    command.args(arguments).current_dir(&program.folder).env("CARGO_MANIFEST_DIR", &program.folder);
    prepare(&mut command);
    let begun = Instant::now();
    let (mut count, mut messages, mut said) = (Count::default(), Failures::default(), String::new());
    let end = Watch { name: &program.source, deadline, silent: true }.run(command, |line| {
        count.line(line);
        messages.line(line);
        said.push_str(line);
        said.push('\n');
    })?;
    // In one piece: another thread prints, too. What failed tests printed is a part of it.
    let seconds = begun.elapsed().as_secs_f64();
    println!("     Running {} ({}), {seconds:.1} s\n{said}", program.source, program.folder.display());
    match end {
        End::OutOfTime => count.failed += 1,
        // A program that died.
        End::Status(status) if !status.success() && count.failed == 0 => count.add(Count::FAILED),
        End::Status(_) => {}
    }
    Ok((count, messages))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// What a shell's script counts as, in the place of a test program.
    fn counted(script: &str, left: Duration) -> Count {
        let shell = Program { source: "sh".into(), folder: "/".into(), executable: "/bin/sh".into() };
        run(vec![shell], &["-c", script], &|_| {}, Instant::now() + left).unwrap().0
    }

    #[test]
    fn what_fails_dies_or_hangs_is_a_failure() {
        let long = Duration::from_secs(60);
        let count = |passed, failed| (passed, failed, 0);
        for (script, expected) in [
            ("echo 'test result: ok. 3 passed; 0 failed; 0 ignored'", count(3, 0)),
            ("echo 'test result: FAILED. 3 passed; 2 failed; 0 ignored'; exit 101", count(3, 2)),
            ("echo 'running 3 tests'; kill -9 $$", count(0, 1)),
            ("exit 101", count(0, 1)),
        ] {
            let found = counted(script, long);
            assert_eq!((found.passed, found.failed, found.skipped), expected, "{script}");
        }
        assert_eq!(counted("sleep 1000", Duration::from_millis(200)).failed, 1);
    }

    #[test]
    fn of_cargos_messages_test_programs_are_taken() {
        let line = r#"{"reason":"compiler-artifact","manifest_path":"/w/crates/trace/Cargo.toml","target":{"src_path":
            "/w/crates/trace/tests/damage.rs"},"profile":{"test":true},"executable":"/w/target/debug/deps/damage-1"}"#;
        let expected = Program {
            source: "tests/damage.rs".into(),
            folder: "/w/crates/trace".into(),
            executable: "/w/target/debug/deps/damage-1".into(),
        };
        assert_eq!(Program::from_message(&line.replace('\n', "")), Some(expected));
        for other in [
            line.replace("\"test\":true", "\"test\":false"),
            line.replace("compiler-artifact", "build-script-executed"),
            line.replace("\"/w/target/debug/deps/damage-1\"", "null"),
            "no message".into(),
        ] {
            assert_eq!(Program::from_message(&other.replace('\n', "")), None, "{other}");
        }
    }
}
