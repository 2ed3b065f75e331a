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
/// Tests of the longest program that wait for Wine most of their time. They run as a program of their own beside the rest: at its end, in the
/// order of names, they kept two processors idle for eight of 31 minutes.
const WAITING: (&str, [&str; 2]) = ("tests/suite/main.rs", ["windows::", "wine::"]);

/// A test program that cargo has built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// As cargo calls it when it runs it: `tests/damage.rs`.
    source: String,
    /// The package's folder, in which it runs.
    folder: PathBuf,
    pub(super) executable: PathBuf,
    /// What chooses some of its tests.
    filter: Vec<&'static str>,
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
        Some(Program { source, folder, executable, filter: Vec::new() })
    }

    fn size(&self) -> u64 {
        std::fs::metadata(&self.executable).map_or(0, |file| file.len())
    }

    /// The program, or its two parts: the tests that wait, and all others.
    fn parts(self, (source, waiting): (&str, [&'static str; 2])) -> Vec<Program> {
        if self.source != source {
            return vec![self];
        }
        let others = waiting.iter().flat_map(|name| ["--skip", name]).collect();
        let part = |filter| Program { filter, ..self.clone() };
        vec![part(waiting.to_vec()), part(others)]
    }
}

/// Builds what is not built yet. The largest comes first: it runs longest.
pub(super) fn build() -> Result<Vec<Program>> {
    let mut programs = build_some(&["--workspace"])?;
    programs.sort_by_key(|program| (std::cmp::Reverse(program.size()), program.executable.clone()));
    ensure!(!programs.is_empty(), "cargo names no test programs");
    Ok(programs.into_iter().flat_map(|program| program.parts(WAITING)).collect())
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
    command.args(arguments).args(&program.filter).current_dir(&program.folder);
    command.env("CARGO_MANIFEST_DIR", &program.folder);
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
    let filter = program.filter.iter().map(|word| format!(" {word}")).collect::<String>();
    println!("     Running {}{filter} ({}), {seconds:.1} s\n{said}", program.source, program.folder.display());
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
        let shell =
            Program { source: "sh".into(), folder: "/".into(), executable: "/bin/sh".into(), filter: Vec::new() };
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

    /// By this test program's own tests, which libtest lists as it runs them.
    #[test]
    fn each_test_is_in_one_part() {
        let own = std::env::current_exe().unwrap();
        let whole = Program { source: "src/main.rs".into(), folder: "/".into(), executable: own, filter: Vec::new() };
        let list = |filter: &[&str]| {
            let output = Command::new(&whole.executable).arg("--list").args(filter).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let mut names: Vec<_> =
                text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect();
            names.sort_unstable();
            names
        };
        let parts = whole.clone().parts(("src/main.rs", ["test::", "setup::"]));
        let parts: Vec<_> = parts.iter().map(|part| list(&part.filter)).collect();
        let [waiting, others] = &parts[..] else { panic!("{} parts", parts.len()) };
        assert!(waiting.contains(&"test::programs::tests::each_test_is_in_one_part".to_owned()), "{waiting:?}");
        assert!(!others.is_empty() && others.iter().all(|name| !name.contains("test::")), "{others:?}");
        let mut both = [&waiting[..], others].concat();
        both.sort_unstable();
        assert_eq!(both, list(&[]));
        let other = Program { source: "tests/damage.rs".into(), ..whole.clone() };
        assert_eq!(other.clone().parts(WAITING), [other]);
    }

    #[test]
    fn of_cargos_messages_test_programs_are_taken() {
        let line = r#"{"reason":"compiler-artifact","manifest_path":"/w/crates/trace/Cargo.toml","target":{"src_path":
            "/w/crates/trace/tests/damage.rs"},"profile":{"test":true},"executable":"/w/target/debug/deps/damage-1"}"#;
        let expected = Program {
            source: "tests/damage.rs".into(),
            folder: "/w/crates/trace".into(),
            executable: "/w/target/debug/deps/damage-1".into(),
            filter: Vec::new(),
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
