//! OpenGL's conformance tests, from Debian's package `piglit`: reads their list, runs one, and reads its verdict.

use crate::missing::{self, Missing};
use crate::program::{self, Finished};
use crate::{Display, artifact};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::sync::Mutex;
use std::time::Duration;

const FOLDER: &str = "/usr/lib/x86_64-linux-gnu/piglit";
/// What piglit's own list puts before the programs.
const LISTED: &str = "../lib/x86_64-linux-gnu/piglit/bin/";
/// Tests that need other ways to a display than a program's own.
const ELSEWHERE: [&str; 3] = ["glx@", "egl", "dma_buf"];
/// No test takes as long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// What a test says of itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// All is right.
    Pass,
    /// Right, with a remark.
    Warn,
    /// The driver lacks what it tests.
    Skip,
    /// Something is wrong.
    Fail,
    /// It said nothing before its end, or before its time was over.
    Crash,
}

/// A test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// As piglit calls it.
    pub name: String,
    /// What it is known to say on our runtime; none of a test that nobody looked at.
    pub known: Option<Verdict>,
    /// The program, from piglit's folder of programs, and its arguments.
    command: Vec<String>,
}

/// Whether there is a piglit.
///
/// # Errors
/// [`Missing`] names the package.
pub fn available() -> Result<(), Missing> {
    missing::file(&[FOLDER], "piglit").map(|_| ())
}

/// The tests that are run each time: `programs/gl/piglit.txt`.
///
/// # Errors
/// When a line is none of a test.
pub fn chosen() -> Result<Vec<Test>> {
    let path = chosen_path();
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.parse().with_context(|| format!("{}: {line:?}", path.display()))).collect()
}

/// The file of [`chosen`].
pub fn chosen_path() -> PathBuf {
    artifact::workspace().join("programs/gl/piglit.txt")
}

/// All tests of piglit's list `quick_gl`, but those of GLX, EGL and shared buffers.
///
/// # Errors
/// When piglit does not list them.
pub fn all() -> Result<Vec<Test>> {
    let finished = program::run_quietly(Command::new("piglit").args(["print-cmd", "quick_gl"]), PATIENCE)?;
    ensure!(finished.status.success(), "piglit print-cmd quick_gl: {}", finished.errors());
    let text = finished.text();
    let listed = text.lines().filter_map(|line| line.split_once(" ::: "));
    let tests = listed.filter(|(name, _)| !ELSEWHERE.iter().any(|word| name.contains(word))).map(|(name, command)| {
        let command = command.strip_prefix(LISTED).unwrap_or(command);
        Test { name: name.trim().to_owned(), known: None, command: words(command) }
    });
    Ok(tests.collect())
}

fn words(command: &str) -> Vec<String> {
    command.split_whitespace().map(str::to_owned).collect()
}

impl Test {
    /// Runs the test: its program with its arguments stands behind those of `before`, if that has any.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn run(&self, before: Option<Command>, display: &Display) -> Result<Verdict> {
        let (program, arguments) = self.command.split_first().context("a test without a program")?;
        let program = Path::new(FOLDER).join("bin").join(program);
        let mut command = match before {
            Some(mut before) => {
                before.arg(program);
                before
            }
            None => Command::new(program),
        };
        command.args(arguments).current_dir(FOLDER).env("DISPLAY", display.name());
        command.env("PIGLIT_SOURCE_DIR", FOLDER).env("LD_LIBRARY_PATH", Path::new(FOLDER).join("lib"));
        Ok(verdict(&program::run_quietly(&mut command, PATIENCE)?))
    }
}

/// Of its last word: parts of tests say theirs before.
fn verdict(finished: &Finished) -> Verdict {
    if finished.status.code().is_none_or(|code| code >= 128) || finished.timed_out {
        return Verdict::Crash;
    }
    let text = finished.text();
    let said = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("PIGLIT: ")?).ok());
    let mut results = said.filter_map(|said| said["result"].as_str()?.parse().ok());
    results.next().unwrap_or(Verdict::Crash)
}

/// Runs tests on so many threads; what each said, in their order.
///
/// # Errors
/// The first of them.
pub fn run_all(
    tests: &[Test],
    threads: usize,
    run: impl Fn(&Test) -> Result<Verdict> + Sync,
) -> Result<Vec<(&Test, Verdict)>> {
    let (waiting, done) = (Mutex::new(tests.iter().enumerate()), Mutex::new(Vec::new()));
    let work = || -> Result<()> {
        // The lock is held for the look alone.
        let next = || waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
        while let Some((number, test)) = next() {
            let verdict = run(test).with_context(|| test.name.clone())?;
            done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((number, test, verdict));
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_unstable_by_key(|(number, ..)| *number);
    Ok(done.into_iter().map(|(_, test, verdict)| (test, verdict)).collect())
}

/// The words of [`Verdict`], as piglit has them.
const VERDICTS: [(&str, Verdict); 5] = [
    ("pass", Verdict::Pass),
    ("warn", Verdict::Warn),
    ("skip", Verdict::Skip),
    ("fail", Verdict::Fail),
    ("crash", Verdict::Crash),
];

impl FromStr for Verdict {
    type Err = anyhow::Error;

    fn from_str(word: &str) -> Result<Self> {
        let found = VERDICTS.iter().find(|(name, _)| *name == word);
        Ok(found.with_context(|| format!("{word:?} is no verdict"))?.1)
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = VERDICTS.iter().find(|(_, verdict)| verdict == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

/// A line of the list: the verdict, the name, the command, divided by tabs.
impl FromStr for Test {
    type Err = anyhow::Error;

    fn from_str(line: &str) -> Result<Self> {
        let mut fields = line.split('\t');
        let mut next = || fields.next().context("the line is no VERDICT, NAME and COMMAND, divided by tabs");
        let (known, name, command) = (next()?.parse()?, next()?.to_owned(), words(next()?));
        Ok(Test { name, known: Some(known), command })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn said(script: &str) -> Verdict {
        verdict(&program::run_quietly(Command::new("sh").args(["-c", script]), PATIENCE).unwrap())
    }

    #[test]
    fn the_last_result_counts_and_silence_is_a_crash() {
        let part = r#"echo 'PIGLIT: {"subtest": {"a" : "fail"}}'"#;
        let whole = |word: &str| format!(r#"{part}; echo 'PIGLIT: {{"result": "{word}" }}'"#);
        for (word, verdict) in VERDICTS {
            assert_eq!(said(&whole(word)), verdict);
            assert_eq!(word.parse::<Verdict>().unwrap().to_string(), word);
        }
        assert_eq!(said(&format!("{}; exit 1", whole("fail"))), Verdict::Fail);
        assert_eq!(said(&format!("{}; kill -SEGV $$", whole("pass"))), Verdict::Crash);
        assert_eq!(said(part), Verdict::Crash);
    }

    #[test]
    fn lines_of_the_list_are_tests() {
        let test: Test = "fail\tspec@a@b c\tb -auto -fbo".parse().unwrap();
        assert_eq!((test.name.as_str(), test.known), ("spec@a@b c", Some(Verdict::Fail)));
        assert_eq!(test.command, ["b", "-auto", "-fbo"]);
        for wrong in ["", "fine\ta\tb", "pass\ta"] {
            assert!(wrong.parse::<Test>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn tests_run_each_once_and_stay_in_order() {
        let tests: Vec<Test> = (0..50).map(|n| format!("pass\t{n}\tx").parse().unwrap()).collect();
        let run = |test: &Test| Ok(if test.name == "7" { Verdict::Fail } else { Verdict::Pass });
        let done = run_all(&tests, 2, run).unwrap();
        assert!(done.iter().zip(&tests).all(|((done, _), test)| *done == test) && done.len() == tests.len());
        let failed: Vec<_> = done.iter().filter(|(_, verdict)| *verdict != Verdict::Pass).collect();
        assert_eq!(failed, [&(&tests[7], Verdict::Fail)]);
        assert!(run_all(&tests, 2, |_| anyhow::bail!("no")).is_err());
    }
}
