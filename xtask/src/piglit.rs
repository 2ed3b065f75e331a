//! `cargo xtask piglit`: OpenGL's conformance tests on our runtime, beside Mesa's own rasteriser.
//!
//! Invariant: ends with an exit code other than 0 when a test of the list `programs/gl/piglit.txt` says other than the list does, or, of
//! all tests, one that passes on Mesa's rasteriser crashes on ours, or fewer than [`ENOUGH`] of a thousand of those pass.

use crate::{cargo, setup};
use anyhow::{Context, Result, bail, ensure};
use reprise_testing::Display;
use reprise_testing::piglit::{self, Test, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// Of a thousand tests that pass on Mesa's rasteriser, so many pass on ours.
const ENOUGH: usize = 995;

struct Options {
    /// All of `quick_gl`, not those of the list.
    all: bool,
    /// Parts of names; all tests if empty.
    filters: Vec<String>,
    jobs: usize,
    json: Option<PathBuf>,
    /// With programs that are built already.
    build: Option<PathBuf>,
}

/// A test on both.
struct Outcome<'a> {
    test: &'a Test,
    bare: Verdict,
    ours: Verdict,
}

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments)?;
    setup::prepare(setup::For::Run)?;
    setup::prepare_named(&["piglit"])?;
    let built = match options.build {
        Some(folder) => folder,
        None => cargo::build("piglit", &["reprise", "reprise-runtime-library"])?,
    };
    let reprise = built.join("reprise");
    let mut tests = if options.all { piglit::all()? } else { piglit::chosen()? };
    let is_asked = |test: &Test| options.filters.iter().any(|filter| test.name.contains(filter));
    tests.retain(|test| options.filters.is_empty() || is_asked(test));
    ensure!(!tests.is_empty(), "there is no such test");
    let display = Display::start()?;
    let on = |ours: bool| {
        println!("piglit: {} tests on {}", tests.len(), if ours { "our runtime" } else { "llvmpipe" });
        piglit::run_all(&tests, options.jobs, |test| {
            let mut command = Command::new(if ours { &reprise } else { std::path::Path::new("env") }.as_os_str());
            if ours {
                command.args(["run", "--gl", "--quiet", "--"]);
            } else {
                command.args(["LIBGL_ALWAYS_SOFTWARE=1", "GALLIUM_DRIVER=llvmpipe"]);
            }
            test.run(Some(command), &display)
        })
    };
    let (bare, ours) = (on(false)?, on(true)?);
    let outcomes: Vec<Outcome<'_>> =
        bare.into_iter().zip(ours).map(|((test, bare), (_, ours))| Outcome { test, bare, ours }).collect();
    println!("\n{}", counts(&outcomes));
    for outcome in outcomes.iter().filter(|outcome| outcome.is_wrong()) {
        let known = outcome.test.known.map_or_else(String::new, |known| format!(" (the list says {known})"));
        println!("{}: {} on llvmpipe, {} on ours{known}", outcome.test.name, outcome.bare, outcome.ours);
    }
    if let Some(path) = &options.json {
        let text = serde_json::to_string_pretty(&outcomes.iter().map(Outcome::json).collect::<Value>())?;
        std::fs::write(path, text + "\n").with_context(|| path.display().to_string())?;
    }
    judge(&outcomes, options.all)
}

fn judge(outcomes: &[Outcome<'_>], all: bool) -> Result<()> {
    let wrong = outcomes.iter().filter(|outcome| outcome.is_wrong()).count();
    if !all {
        ensure!(wrong == 0, "{wrong} of them say other than the list does");
        return Ok(());
    }
    let passing = || outcomes.iter().filter(|outcome| outcome.bare == Verdict::Pass);
    let (passed, crashed) =
        (passing().filter(|one| one.ours == Verdict::Pass).count(), passing().filter(|one| one.ours == Verdict::Crash));
    let crashed = crashed.count();
    ensure!(crashed == 0, "{crashed} of them crash");
    let of = passing().count();
    ensure!(passed * 1000 >= of * ENOUGH, "{passed} of {of} pass: fewer than {ENOUGH} of a thousand");
    Ok(())
}

/// A row for each verdict on llvmpipe, a column for each on ours.
fn counts(outcomes: &[Outcome<'_>]) -> String {
    const ALL: [Verdict; 5] = [Verdict::Pass, Verdict::Warn, Verdict::Skip, Verdict::Fail, Verdict::Crash];
    let mut found: BTreeMap<(Verdict, Verdict), usize> = BTreeMap::new();
    for outcome in outcomes {
        *found.entry((outcome.bare, outcome.ours)).or_default() += 1;
    }
    let heads: Vec<String> = ALL.iter().map(|verdict| format!("{verdict} on ours")).collect();
    let mut text = format!("| on llvmpipe | {} |\n|---|---|---|---|---|---|\n", heads.join(" | "));
    for bare in ALL {
        let row = ALL.map(|ours| found.get(&(bare, ours)).copied().unwrap_or(0).to_string());
        text += &format!("| {bare} | {} |\n", row.join(" | "));
    }
    text
}

impl Outcome<'_> {
    /// Not what the list says; of a test that is in no list: not as on llvmpipe, where that passes.
    fn is_wrong(&self) -> bool {
        match self.test.known {
            Some(known) => self.ours != known || self.bare != Verdict::Pass,
            None => self.bare == Verdict::Pass && self.ours != Verdict::Pass,
        }
    }

    fn json(&self) -> Value {
        json!({ "test": self.test.name, "llvmpipe": self.bare.to_string(), "ours": self.ours.to_string() })
    }
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self { all: false, filters: Vec::new(), jobs: 2, json: None, build: None };
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            let mut value = || rest.next().cloned().with_context(|| format!("{option} needs a value"));
            match option.as_str() {
                "--all" => options.all = true,
                "--filter" => options.filters.push(value()?),
                "--jobs" => options.jobs = value()?.parse().context("--jobs: no number")?,
                "--json" => options.json = Some(value()?.into()),
                "--build" => options.build = Some(std::path::absolute(value()?)?),
                other => {
                    bail!("piglit takes --all, --filter TEXT, --jobs N, --json FILE and --build FOLDER (got {other:?})")
                }
            }
        }
        ensure!(options.jobs > 0, "--jobs 0 runs nothing");
        Ok(options)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_list_holds_in_both_directions_and_all_tests_by_their_share() {
        let listed = |line: &str| line.parse::<Test>().unwrap();
        let (passes, fails) = (listed("pass\ta\ta"), listed("fail\tb\tb"));
        let one = |test, bare, ours| Outcome { test, bare, ours };
        for (test, bare, ours, wrong) in [
            (&passes, Verdict::Pass, Verdict::Pass, false),
            (&passes, Verdict::Pass, Verdict::Fail, true),
            (&passes, Verdict::Skip, Verdict::Pass, true),
            (&fails, Verdict::Pass, Verdict::Fail, false),
            (&fails, Verdict::Pass, Verdict::Pass, true),
            (&fails, Verdict::Pass, Verdict::Crash, true),
        ] {
            assert_eq!(judge(&[one(test, bare, ours)], false).is_err(), wrong, "{} {bare} {ours}", test.name);
        }
        let mut unknown = passes.clone();
        unknown.known = None;
        let share = |failing: usize, how: Verdict| {
            let of = |number| one(&unknown, Verdict::Pass, if number < failing { how } else { Verdict::Pass });
            judge(&(0..1000).map(of).collect::<Vec<_>>(), true)
        };
        assert!(
            share(5, Verdict::Fail).is_ok() && share(6, Verdict::Fail).is_err() && share(1, Verdict::Crash).is_err()
        );
        let text = counts(&[one(&passes, Verdict::Pass, Verdict::Fail), one(&fails, Verdict::Skip, Verdict::Skip)]);
        assert!(
            text.contains("| pass | 0 | 0 | 0 | 1 | 0 |\n") && text.contains("| skip | 0 | 0 | 1 | 0 | 0 |\n"),
            "{text}"
        );
    }
}
