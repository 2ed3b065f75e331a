//! The runner on a test program of ours that ends in every way there is.

use super::compare::Comparison;
use super::heartbeat::Heartbeat;
use super::options::Options;
use super::process::End;
use super::replay::Outcome;
use super::report::{self, Report, Test};
use super::run::{self, On, Way};
use super::suite::Suite;
use super::verdict::Verdict;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Stands in for the test program: a check is made for every run, as the real one does for its adapter.
const PROGRAM: &str = r#"#!/bin/sh
driver() { echo "CRASH signal 0"; echo "CRASH frame libc.so.6 raise"; echo "CRASH frame libvulkan_lvp.so f"; kill -$1 $$; }
end() { echo "fake: $1 tests executed ($2 failures, 0 successful todo, $3 skipped, 0 todo, 0 bugs)."; }
if [ "$1" = --list-tests ]; then
    echo "a line that is no name"
    for name in good nothing setup wrong dies sometimes then_wrong silent captured library driver; do echo "test_$name"; done
    exit 0
fi
[ -n "$VKD3D_TEST_FILTER$VKD3D_TEST_EXCLUDE" ] && exit 9
# Counts attempts in the working folder, which is the suite's own.
echo x >> "$VKD3D_TEST_MATCH.attempts"
attempts=$(wc -l < "$VKD3D_TEST_MATCH.attempts")
case "$VKD3D_TEST_MATCH" in
test_good) end 5 0 0 ;;
test_nothing) end 1 0 0 ;;
test_setup) echo "here: Test skipped: no such feature"; end 9 0 1 ;;
test_wrong) echo "there: Test failed: got 1, expected 2"; end 5 1 0; exit 1 ;;
test_dies) echo "last words"; kill -SEGV $$ ;;
test_sometimes) [ "$attempts" -lt 3 ] && driver SEGV; end 7 0 0 ;;
test_then_wrong) [ "$attempts" -lt 2 ] && driver ABRT; end 7 2 0; exit 1 ;;
test_driver) driver SEGV ;;
test_silent) exit 0 ;;
test_captured) [ -z "$FAKE_CAPTURE" ] || { end 3 1 0; exit 1; }; end 3 0 0 ;;
test_library) [ "$(cat "${LD_LIBRARY_PATH%%:*}/libvkd3d-proton-d3d12.so")" = runtime ] && end 2 0 0 ;;
test_hangs) sleep 1000 & echo "child $!"; end 5 0 0; wait ;;
test_leaves) sleep 1000 & echo "child $!"; end 5 0 0 ;;
test_floods) exec yes ;;
test_stops) touch stopped; exec sleep 1000 ;;
test_falls) [ -e stopped ] && exit 1; end 5 0 0 ;;
test_slow) exec sleep 1000 ;;
test_multisample_rendering) end 5 0 0 ;;
*) end 1 0 0 ;;
esac
"#;

/// Stands in for `reprise`: leaves a trace, and tells the signal of its program as a shell does. One test's replay differs.
const REPRISE: &str = r#"#!/bin/sh
if [ "$1 $2" = "replay --runtime" ]; then
    read name < "$4"
    [ -e "$3" ] || [ "$3" = other ] || exit 2
    case "$name$3" in
    test_goodother) echo "reprise: call 3, Method: not there" >&2; exit 1 ;;
    test_sometimes*) echo '{"replayed":4,"difference_count":1,"differences":[{"call":2,"method":"M","what":"w"}]}' ;;
    *) echo '{"replayed":4,"compared_bytes":8,"difference_count":0,"differences":[]}' ;;
    esac
    exit 0
fi
[ "$1 $2 $3 $4 $6" = "capture --quiet --force --output --" ] || exit 125
echo "$VKD3D_TEST_MATCH" > "$5"
FAKE_CAPTURE=1 "$7"
"#;

/// Stands in for the program that uses the GPU: it is silent once a test has stopped that. Nothing waits in a driver for it.
const HEARTBEAT: &str = r#"#!/bin/sh
while [ ! -e "$1/stopped" ]; do echo beat; sleep 0.05; done
exec sleep 1000
"#;

/// Nothing here takes as long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// A folder with the program and a library, gone when dropped.
struct Fixture {
    folder: PathBuf,
}

impl Fixture {
    fn new(name: &str) -> Fixture {
        let folder = std::env::temp_dir().join(format!("reprise-conformance-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(folder.join("logs")).unwrap();
        for (name, text) in
            [("program", PROGRAM), ("reprise", REPRISE), ("heartbeat", HEARTBEAT), ("library", "runtime")]
        {
            let (path, written) = (folder.join(name), folder.join("written"));
            std::fs::write(&written, text).unwrap();
            // By another process: what one of ours that another test is just starting has open for writing cannot be run.
            let status = Command::new("install").args(["-m", "755"]).args([&written, &path]).status().unwrap();
            assert!(status.success(), "install: {status}");
        }
        Fixture { folder }
    }

    fn suite(&self) -> Suite {
        Suite::open(&self.path("program"), &self.path("library"), &self.path("logs")).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn options(&self, jobs: usize) -> Options {
        Options {
            suite: self.path("program"),
            library: None,
            capture: false,
            replay: None,
            trim: false,
            json: None,
            filters: Vec::new(),
            jobs,
            timeout: PATIENCE,
            heartbeat: None,
        }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn all(fixture: &Fixture, jobs: usize, way: Way<'_>) -> Vec<Test> {
    let suite = fixture.suite();
    let names = suite.list(&[]).unwrap();
    let base = suite.base(PATIENCE).unwrap();
    assert_eq!(base, 1);
    let mut seen = 0;
    let tests = run::all(&suite, &names, &fixture.options(jobs), base, way, |_| {
        seen += 1;
        Ok(())
    });
    let tests = tests.unwrap();
    assert_eq!(seen, names.len());
    assert_eq!(tests.iter().map(|test| &test.name).collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
    tests
}

#[test]
fn every_way_to_end_has_its_result() {
    let fixture = Fixture::new("ends");
    let expected = [
        ("test_good", Verdict::Pass, 1, ""),
        ("test_nothing", Verdict::Skip, 1, "fake: 1 tests executed"),
        ("test_setup", Verdict::Skip, 1, "here: Test skipped: no such feature"),
        ("test_wrong", Verdict::Fail, 1, "there: Test failed: got 1, expected 2"),
        // Of its own, so once: the signal comes from the shell that stands in for the program.
        ("test_dies", Verdict::Crash, 1, "signal 11"),
        ("test_sometimes", Verdict::Pass, 3, ""),
        ("test_then_wrong", Verdict::Fail, 2, "fake: 7 tests executed"),
        ("test_silent", Verdict::Crash, 1, ""),
        ("test_captured", Verdict::Pass, 1, ""),
        ("test_library", Verdict::Pass, 1, ""),
        ("test_driver", Verdict::Crash, 5, "signal 11 in libvulkan_lvp.so f"),
    ];
    for jobs in [1, 4] {
        let tests = all(&fixture, jobs, Way::Plain);
        assert_eq!(tests.len(), expected.len());
        for (test, (name, verdict, attempts, detail)) in tests.iter().zip(expected) {
            let runs = test.repeated.len() + 1;
            assert_eq!((test.name.as_str(), test.verdict, runs), (name, verdict, attempts), "{}", test.detail);
            assert!(test.repeated.iter().all(|frame| frame == "libvulkan_lvp.so f"), "{:?}", test.repeated);
            assert!(test.detail.starts_with(detail) && (!detail.is_empty() || test.detail.is_empty()), "{test:?}");
        }
    }
    let mut report = Report::new(Path::new("program"), Path::new("library"));
    report.tests = all(&fixture, 4, Way::Plain);
    let table = report.table();
    assert!(table.contains("crashed in the driver and repeated: 7\n     7 in libvulkan_lvp.so f\n"), "{table}");
    // Logs stay for what somebody will look into.
    assert!(fixture.path("logs/test_wrong.log").exists() && !fixture.path("logs/test_good.log").exists());
}

/// A suite whose tests may stop the GPU of a heartbeat that is silent after `patience`.
fn watched(fixture: &Fixture, patience: Duration) -> Suite {
    let mut suite = fixture.suite();
    let mut command = Command::new(fixture.path("heartbeat"));
    let heartbeat = Heartbeat::with_patience(command.arg(suite.folder()), patience, PATIENCE);
    suite.watch(heartbeat.unwrap());
    suite
}

fn verdicts(suite: &Suite, options: &Options, names: &[&str]) -> Vec<Test> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    run::all(suite, &names, options, 1, Way::Plain, |_| Ok(())).unwrap()
}

#[test]
fn a_run_ends_when_the_gpu_stops() {
    let fixture = Fixture::new("stops");
    let suite = watched(&fixture, Duration::from_secs(7));
    let names = ["test_multisample_rendering", "test_good", "test_stops", "test_falls"];
    let tests = verdicts(&suite, &fixture.options(1), &names);
    let found: Vec<Verdict> = tests.iter().map(|test| test.verdict).collect();
    // What is dangerous comes last.
    assert_eq!(found, [Verdict::NotRun, Verdict::Pass, Verdict::Wedge, Verdict::NotRun], "{tests:?}");
    let mut report = Report::new(Path::new("program"), Path::new("library"));
    report.tests = tests;
    let said = report.wedge().unwrap();
    assert!(said.contains("1 tests had ended before, 1 ran then (test_stops), 0 were begun after"), "{said}");
    let path = fixture.path("stopped.json");
    report.save(Some(&path), &[]).unwrap();
    assert_eq!(Report::read(&path).unwrap().wedge(), Some(said));
}

#[test]
fn a_test_that_was_begun_on_a_gpu_that_had_stopped_waited() {
    let fixture = Fixture::new("waits");
    let suite = watched(&fixture, Duration::from_secs(7));
    std::fs::write(suite.folder().join("stopped"), "").unwrap();
    // Beats are missing; the silence is not long enough yet to be sure.
    std::thread::sleep(Duration::from_millis(2500));
    let tests = verdicts(&suite, &fixture.options(2), &["test_slow", "test_falls"]);
    // Whether one fails at once or waits: neither says anything of the test.
    assert_eq!(tests.iter().map(|test| test.verdict).collect::<Vec<_>>(), [Verdict::Waited; 2], "{tests:?}");
}

#[test]
fn a_test_that_hangs_alone_is_no_wedge() {
    let fixture = Fixture::new("hangs-alone");
    let suite = watched(&fixture, PATIENCE);
    let mut options = fixture.options(1);
    options.timeout = Duration::from_secs(1);
    let tests = verdicts(&suite, &options, &["test_slow", "test_multisample_rendering", "test_good"]);
    let found: Vec<Verdict> = tests.iter().map(|test| test.verdict).collect();
    assert_eq!(found, [Verdict::Timeout, Verdict::Pass, Verdict::Pass]);
}

#[test]
fn a_heartbeat_that_never_beats_is_refused() {
    let error = Heartbeat::with_patience(&mut Command::new("true"), PATIENCE, Duration::from_millis(200)).unwrap_err();
    assert!(error.to_string().contains("silent from the beginning"), "{error}");
}

#[test]
fn names_are_selected_by_their_parts() {
    let fixture = Fixture::new("names");
    let suite = fixture.suite();
    assert_eq!(
        suite.list(&["oo".to_owned(), "wrong".to_owned()]).unwrap(),
        ["test_good", "test_wrong", "test_then_wrong"]
    );
    assert!(suite.list(&["nowhere".to_owned()]).unwrap().is_empty());
}

#[test]
fn a_capture_that_changes_a_result_is_found_and_leaves_no_trace() {
    let fixture = Fixture::new("capture");
    let plain = all(&fixture, 1, Way::Plain);
    let reprise = fixture.path("reprise");
    let captured = all(&fixture, 1, Way::Captured { reprise: &reprise, replay: None, trim: false });
    let comparison = Comparison::new(&plain, &captured);
    assert_eq!(comparison.lost(), 1);
    let shown = comparison.to_string();
    assert!(shown.contains("LOST pass    -> fail    test_captured"), "{shown}");
    // Also what a signal ended is recognised behind `reprise`.
    assert!(captured.iter().any(|test| test.name == "test_dies" && test.detail.starts_with("signal 11")));
    let suite = fixture.suite();
    drop(suite.capture("test_good", PATIENCE, &reprise).unwrap());
    assert!(!suite.folder().join("test_good.traces").exists());
    let folder = suite.folder().to_path_buf();
    drop(suite);
    assert!(!folder.exists());
}

#[test]
fn what_passes_under_capture_is_replayed() {
    let fixture = Fixture::new("replay");
    let reprise = fixture.path("reprise");
    let outcomes = |on| {
        let tests = all(&fixture, 2, Way::Captured { reprise: &reprise, replay: Some(on), trim: false });
        let outcomes: Vec<_> = tests.iter().map(|test| test.replay.as_ref().map(|replay| replay.outcome)).collect();
        (report::replays(&tests), outcomes)
    };
    let (table, same) = outcomes(On::Same);
    let passed = [(0, Outcome::Same), (5, Outcome::Differs), (9, Outcome::Same)];
    let expected = |at: usize| passed.iter().find(|(index, _)| *index == at).map(|(_, outcome)| *outcome);
    assert_eq!(same, (0..11).map(expected).collect::<Vec<_>>(), "only what passed is replayed");
    assert!(table.contains("test_sometimes replay: differs") && table.contains("call 2, M: w"), "{table}");
    assert!(table.contains("3 tests replayed: 2 same, 1 differs, 0 failed"), "{table}");
    let (table, other) = outcomes(On::Other("other"));
    assert_eq!(other[0], Some(Outcome::Failed));
    assert!(table.contains("call 3, Method: not there"), "{table}");
}

/// The process id that a test of the program has printed.
fn child(output: &str) -> u32 {
    output.lines().find_map(|line| line.strip_prefix("child ")).unwrap().parse().unwrap()
}

/// A process that was killed is gone, or waits for whoever inherits it.
fn runs(process: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

#[test]
fn whatever_a_test_starts_ends_with_it() {
    let fixture = Fixture::new("hangs");
    let suite = fixture.suite();
    // Long enough for it to have started its child.
    let patience = (0..7).map(|times| Duration::from_secs(1 << times));
    let mut hung = patience.map(|patience| suite.run("test_hangs", patience).unwrap());
    let hung = hung.find(|hung| hung.output.contains("child ")).unwrap();
    assert_eq!(hung.end, End::TimedOut);
    assert_eq!(Verdict::of(&hung, 1).0, Verdict::Timeout);
    let left = suite.run("test_leaves", PATIENCE).unwrap();
    assert_eq!(left.end, End::Code(0));
    for ended in [hung, left] {
        let process = child(&ended.output);
        // The signal has been sent; the process ends when it is next scheduled.
        let started = Instant::now();
        while runs(process) {
            assert!(started.elapsed() < PATIENCE, "process {process} runs on");
            std::thread::yield_now();
        }
    }
    let flood = suite.run("test_floods", PATIENCE).unwrap();
    assert_eq!(flood.end, End::TimedOut);
}

#[test]
fn results_survive_their_file_and_broken_files_are_refused() {
    let fixture = Fixture::new("json");
    let path = fixture.path("results.json");
    let mut report = Report::new(Path::new("program"), Path::new("library"));
    report.tests = all(&fixture, 2, Way::Plain);
    report.captured = Some(report.tests.iter().take(2).cloned().collect());
    report.tests[0].replay = Some(super::replay::Replay::none());
    report.complete = true;
    for test in report.tests.iter_mut().chain(report.captured.iter_mut().flatten()) {
        test.seconds = 0.5;
    }
    report.save(Some(&path), &[]).unwrap();
    assert_eq!(Report::read(&path).unwrap(), report);

    let value: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(value["totals"]["pass"], 4);
    assert_eq!(value["tests"][3]["result"], "fail");
    assert_eq!(value["tests"][3]["failures"], 1);
    let mut broken = value.clone();
    broken["tests"][3]["result"] = "brilliant".into();
    std::fs::write(&path, broken.to_string()).unwrap();
    assert!(Report::read(&path).unwrap_err().to_string().contains("tests[3]"));
    std::fs::write(&path, "{}").unwrap();
    assert!(Report::read(&path).is_err());
}

#[test]
fn only_what_goes_wrong_is_lost() {
    let test = |name: &str, verdict| Test {
        name: name.to_owned(),
        verdict,
        counts: Default::default(),
        repeated: Vec::new(),
        seconds: 0.0,
        detail: String::new(),
        replay: None,
    };
    let first = [("a", Verdict::Pass), ("b", Verdict::Pass), ("c", Verdict::Fail), ("d", Verdict::Pass)];
    let second = [("a", Verdict::Timeout), ("b", Verdict::Skip), ("c", Verdict::Pass), ("e", Verdict::Crash)];
    let first = first.map(|(name, verdict)| test(name, verdict));
    let second = second.map(|(name, verdict)| test(name, verdict));
    let comparison = Comparison::new(&first, &second);
    assert_eq!(comparison.lost(), 1);
    let shown = comparison.to_string();
    for line in ["LOST pass    -> timeout a", "     pass    -> skip    b", "     fail    -> pass    c"] {
        assert!(shown.contains(line), "{shown}");
    }
    assert!(shown.contains("pass    -> absent  d") && shown.contains("absent  -> crash   e"), "{shown}");
    assert_eq!(Comparison::new(&second, &first).lost(), 1, "c");
}
