//! What the command line of the task asks for.

use anyhow::{Context, Result, bail, ensure};
use std::path::PathBuf;
use std::time::Duration;

/// Longer than any test that is no stress test takes on two cores.
const TIMEOUT: Duration = Duration::from_secs(40);

/// Shown with every complaint.
const USAGE: &str = "conformance --suite PATH [--library PATH] [--capture | --replay | --replay-on RUNTIME] [--trim] [--json FILE] [--filter TEXT]... [--jobs N] \
                     [--timeout SECONDS] [--heartbeat PROGRAM], or conformance --compare FILE FILE";

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Run tests.
    Run(Options),
    /// Compare two JSON files of earlier runs.
    Compare(PathBuf, PathBuf),
}

/// How tests are to be run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// The test program.
    pub(super) suite: PathBuf,
    /// The runtime; ours, freshly built, if not given.
    pub(super) library: Option<PathBuf>,
    /// Run everything once more under `reprise capture`.
    pub(super) capture: bool,
    /// Replay what was captured: on the same runtime, or on the one named.
    pub(super) replay: Option<Option<String>>,
    /// Cut each trace at a submission in its middle, and replay the part.
    pub(super) trim: bool,
    /// Where results go.
    pub(super) json: Option<PathBuf>,
    /// Tests whose name has one of these parts; all if empty.
    pub(super) filters: Vec<String>,
    /// Processes at a time.
    pub(super) jobs: usize,
    /// A process that runs longer is ended.
    pub(super) timeout: Duration,
    /// A program that says once a second that the GPU works, where that may stop for all processes: `reprise-programs`.
    pub(super) heartbeat: Option<PathBuf>,
}

/// Reads the arguments after the task's name.
pub(super) fn parse(arguments: &[String]) -> Result<Task> {
    let mut options = Options {
        suite: PathBuf::new(),
        library: None,
        capture: false,
        replay: None,
        trim: false,
        json: None,
        filters: Vec::new(),
        jobs: 1,
        timeout: TIMEOUT,
        heartbeat: None,
    };
    let mut compare = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{argument} needs a value: {USAGE}"));
        match argument.as_str() {
            "--suite" => options.suite = value()?.into(),
            "--library" => options.library = Some(value()?.into()),
            "--json" => options.json = Some(value()?.into()),
            "--filter" => options.filters.push(value()?.clone()),
            "--jobs" => options.jobs = number(argument, value()?)?.try_into()?,
            "--timeout" => options.timeout = Duration::from_secs(number(argument, value()?)?),
            "--heartbeat" => options.heartbeat = Some(value()?.into()),
            "--capture" => options.capture = true,
            "--replay" => (options.capture, options.replay) = (true, Some(None)),
            "--replay-on" => (options.capture, options.replay) = (true, Some(Some(value()?.clone()))),
            "--trim" => {
                (options.capture, options.trim) = (true, true);
                options.replay.get_or_insert(None);
            }
            "--compare" => compare = Some((value()?.into(), value()?.into())),
            other => bail!("{other:?} is no option: {USAGE}"),
        }
    }
    if let Some((first, second)) = compare {
        ensure!(arguments.len() == 3, "--compare stands alone: {USAGE}");
        return Ok(Task::Compare(first, second));
    }
    ensure!(!options.suite.as_os_str().is_empty(), "which test program? {USAGE}");
    Ok(Task::Run(options))
}

fn number(option: &str, text: &str) -> Result<u64> {
    let number = text.parse().ok().filter(|number| (1..=100_000).contains(number));
    number.with_context(|| format!("{option} takes a number from 1 to 100000, got {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Task> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn every_option_arrives_at_its_place() {
        let line = "--suite s --library l --capture --json j --filter a --filter b --jobs 3 --timeout 7 --heartbeat h";
        let Task::Run(options) = parsed(line).unwrap() else { panic!("a run was asked for") };
        let expected = Options {
            suite: "s".into(),
            library: Some("l".into()),
            capture: true,
            replay: None,
            trim: false,
            json: Some("j".into()),
            filters: vec!["a".to_owned(), "b".to_owned()],
            jobs: 3,
            timeout: Duration::from_secs(7),
            heartbeat: Some("h".into()),
        };
        assert_eq!(options, expected);
        for (line, replay) in [("--replay", None), ("--replay-on ours", Some("ours".to_owned()))] {
            let Task::Run(options) = parsed(&format!("--suite s {line}")).unwrap() else { panic!("a run") };
            assert_eq!((options.capture, options.replay), (true, Some(replay)));
        }
        let Task::Run(options) = parsed("--suite s --replay-on ours --trim").unwrap() else { panic!("a run") };
        assert_eq!((options.trim, options.replay), (true, Some(Some("ours".to_owned()))));
        let Task::Run(options) = parsed("--suite s --trim").unwrap() else { panic!("a run") };
        assert_eq!((options.capture, options.trim, options.replay), (true, true, Some(None)));
        assert_eq!(parsed("--compare a b").unwrap(), Task::Compare("a".into(), "b".into()));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for line in ["", "--jobs 2", "--suite", "--suite s --jobs 0", "--suite s --timeout x", "--what"] {
            assert!(parsed(line).is_err(), "{line}");
        }
        for line in ["--compare a", "--compare a b --suite s", "--capture --compare a b"] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
