//! `cargo xtask conformance`: a native Direct3D 12 test program run test by test on a runtime, and what came of it.
//!
//! The program is not ours and not here: it lists its tests with `--list-tests`, takes one name in `VKD3D_TEST_MATCH`, ends
//! with a line that counts its checks, and finds the runtime as `libvkd3d-proton-d3d12.so` in `LD_LIBRARY_PATH`.
//!
//! Invariant: every test of the list has exactly one result, from a process of its own if it was begun, and nothing that these
//! processes started or wrote is left behind but the logs and the JSON file, and what a GPU that has stopped holds.

mod compare;
mod counts;
mod cut;
mod danger;
mod detail;
mod group;
mod heartbeat;
mod options;
mod process;
mod replay;
mod report;
mod run;
mod suite;
mod verdict;

#[cfg(test)]
mod tests;

use anyhow::{Context, Result, bail, ensure};
use heartbeat::Heartbeat;
use options::{Options, Task};
use replay::Outcome;
use report::Report;
use reprise_testing::artifact;
use reprise_testing::crash::repetitions;
use run::{On, Way};
use std::path::PathBuf;
use suite::Suite;
use verdict::Verdict;

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    match options::parse(arguments)? {
        Task::Compare(first, second) => {
            let (first, second) = (Report::read(&first)?, Report::read(&second)?);
            let comparison = compare::Comparison::new(&first.tests, &second.tests);
            print!("{comparison}");
            ensure!(
                comparison.lost() == 0,
                "{} tests that passed in the first run do not in the second",
                comparison.lost()
            );
            Ok(())
        }
        Task::Run(options) => execute(&options),
    }
}

fn execute(options: &Options) -> Result<()> {
    // Beside the results that they explain, so that runs do not mix theirs.
    let logs = options
        .json
        .as_ref()
        .map_or_else(|| artifact::workspace().join("target/conformance"), |json| json.with_extension("logs"));
    std::fs::create_dir_all(&logs).with_context(|| format!("cannot make {}", logs.display()))?;
    let library = options.library.clone().map_or_else(build_library, Ok)?;
    let mut suite = Suite::open(&options.suite, &library, &logs)?;
    if let Some(program) = &options.heartbeat {
        suite.watch(Heartbeat::start(program)?);
    }
    let names = suite.list(&options.filters)?;
    ensure!(!names.is_empty(), "no test of {} is selected", options.suite.display());
    let base = suite.base(options.timeout)?;
    println!("conformance: {} tests on {}", names.len(), library.display());
    let mut report = Report::new(&options.suite, &library);
    let plain = run::all(&suite, &names, options, base, Way::Plain, |test| {
        report.tests.push(test);
        report.save(options.json.as_deref(), &names)
    })?;
    report.tests = plain;
    report.complete = !options.capture;
    report.save(options.json.as_deref(), &names)?;
    print!("{}", report.table());
    if options.capture && report.wedge().is_none() {
        let reprise = build_capture()?;
        println!("conformance: the same under capture");
        let replay = options.replay.as_ref().map(|on| on.as_deref().map_or(On::Same, On::Other));
        let way = Way::Captured { reprise: &reprise, replay, trim: options.trim };
        let captured = run::all(&suite, &names, options, base, way, |_| Ok(()))?;
        report.captured = Some(captured.clone());
        report.complete = true;
        report.save(options.json.as_deref(), &names)?;
        let comparison = compare::Comparison::new(&report.tests, &captured);
        print!("{comparison}");
        print!("captured: {}", repetitions(captured.iter().flat_map(|test| &test.repeated)));
        if replay.is_some() {
            print!("{}", report::replays(&captured));
        }
        ensure!(comparison.lost() == 0, "{} tests pass and do not under capture", comparison.lost());
        let unlike = captured.iter().filter_map(|test| test.replay.as_ref());
        let unlike = unlike.filter(|replay| replay.outcome != Outcome::Same).count();
        ensure!(unlike == 0, "the replays of {unlike} tests are not the same");
        let cuts = captured.iter().filter_map(|test| test.replay.as_ref()).flat_map(|replay| &replay.cuts);
        let wrong = cuts.filter(|cut| cut.came == cut::Came::Wrong).count();
        ensure!(wrong == 0, "{wrong} parts that were cut out do not show what the whole does");
    }
    println!("conformance: logs of what did not pass are in {}", logs.display());
    if let Some(wedge) = report.wedge() {
        bail!("{wedge}");
    }
    let wrong = report.tests.iter().filter(|test| !matches!(test.verdict, Verdict::Pass | Verdict::Skip)).count();
    if wrong > 0 {
        bail!("{wrong} of {} tests neither passed nor were skipped", report.tests.len());
    }
    Ok(())
}

/// Our own runtime as a shared library.
fn build_library() -> Result<PathBuf> {
    Ok(crate::cargo::release("conformance", &["reprise-runtime-library"])?.join("libreprise_d3d12.so"))
}

/// The program `reprise`, with the capture library beside it.
fn build_capture() -> Result<PathBuf> {
    Ok(crate::cargo::release("conformance", &["reprise", "reprise-capture"])?.join("reprise"))
}
