//! How `reprise time` plays again: in this process, in a process that is kept for each side, in a new one each time, and in rounds within one replay.
//! All of them say the same of the same work, and tell when a replay does not come to its end.

use crate::bench::{Bench, PATIENCE};
use crate::bisect;
use crate::programs::{capture, ours};
use reprise_testing::{Finished, artifact, program};
use reprise_times::Times;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

/// Steps of a kernel that are longer than all of `costs`.
const STEPS: u32 = 8 << 20;

/// What rows stand for: all that does not depend on how long anything took.
fn described(timed: &Json) -> BTreeSet<String> {
    let row = |row: &Json| format!("{} {} {} {}", row["calls"], row["what"], row["frame"], row["operations"]);
    timed["rows"].as_array().unwrap().iter().map(row).collect()
}

fn timed(bench: &Bench, options: &[&str], environment: &[(&str, &str)]) -> Finished {
    let mut command = bench.command();
    command.envs(environment.iter().copied()).args(["time", "trace.reprise"]).args(options);
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(!finished.timed_out, "{options:?} hangs");
    finished
}

fn json(finished: &Finished) -> Json {
    serde_json::from_str(&finished.text()).unwrap_or_else(|_| panic!("{}", finished.errors()))
}

/// The second pipeline state takes longer than all else, in each replay that counts: also in the last of a process, and in each round. A wrong number of
/// it would make the first one slow, or none.
#[test]
fn the_same_is_said_however_replays_are_made() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let slow = format!("2:{STEPS}");
    let other = "REPRISE_SLOW= ours";
    let ways: [&[&str]; 6] = [
        &[],
        &["--warm-up", "0"],
        &["--fresh"],
        &["--against", other],
        &["--against", other, "--fresh"],
        &["--loop", "--frames", "1"],
    ];
    let mut rows = Vec::new();
    for way in ways {
        let options = [&["--json", "--runs", "3", "--by", "pipeline"][..], way].concat();
        let said = json(&timed(&bench, &options, &[("REPRISE_SLOW", &slow)]));
        let least = |row: &Json| row["ms"]["least"].as_f64().unwrap();
        let all = said["rows"].as_array().unwrap();
        let sum: f64 = all.iter().map(least).sum();
        let longest = all.iter().max_by(|one, other| least(one).total_cmp(&least(other))).unwrap();
        assert_eq!(longest["operations"], 3, "{way:?}: {said}");
        assert!(least(longest) > 0.5 * sum, "{way:?}: {said}");
        assert_eq!((&said["runs"], &said["repeated"]), (&3.into(), &way.contains(&"--loop").into()));
        if way.contains(&"--against") {
            assert!(longest["ratio"].as_f64().unwrap() > 1.5, "{way:?}: {said}");
        }
        rows.push(described(&said));
    }
    assert!(rows.iter().all(|one| *one == rows[0] && !one.is_empty()), "{rows:?}");
    // A control: without the seed the second one is not the longest.
    let plain = json(&timed(&bench, &["--json", "--runs", "1", "--by", "pipeline"], &[]));
    assert_ne!(plain["rows"][0]["operations"], 3, "{plain}");
}

/// The frame of a real program, whose lists are recorded before it: each round has all of its draws, and nothing of other frames.
#[test]
fn rounds_of_a_frame_have_what_the_frame_has() {
    let bench = Bench::new();
    let golden = artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("trace.reprise")).unwrap();
    let frame = ["--json", "--runs", "4", "--frames", "2"];
    let once = json(&timed(&bench, &frame, &[]));
    let rounds = json(&timed(&bench, &[&frame[..], &["--loop", "--warm-up", "2"]].concat(), &[]));
    assert_eq!(described(&once), described(&rounds));
    assert_eq!(once["rows"].as_array().unwrap().len(), 10, "{once}");
    let saved = timed(&bench, &["--runs", "4", "--frames", "2", "--loop", "--warm-up", "2", "-o", "rounds"], &[]);
    assert!(saved.status.success(), "{}", saved.errors());
    let times = Times::open(&bench.path("rounds")).unwrap();
    let submissions: Vec<Vec<u64>> =
        times.runs.iter().map(|run| run.submissions.iter().map(|one| one.call).collect()).collect();
    assert_eq!((submissions.len(), submissions[0].len()), (4, 1), "{submissions:?}");
    assert!(submissions.iter().all(|one| *one == submissions[0]), "{submissions:?}");
    // Another frame has other calls: a control.
    let other = json(&timed(&bench, &["--json", "--runs", "1", "--frames", "3", "--loop"], &[]));
    assert_ne!(described(&other), described(&rounds));

    for (options, why) in [
        (&["--loop"][..], "--frames"),
        (&["--loop", "--frames", "2-"], "say which is the last"),
        (&["--loop", "--frames", "2", "--against", "A=1 ours"], "cannot be used with"),
        (&["--loop", "--frames", "2", "--runtime", "/nowhere.so"], "/nowhere.so"),
    ] {
        let refused = timed(&bench, options, &[]);
        assert_ne!(refused.status.code(), Some(0), "{options:?}");
        assert!(refused.errors().contains(why), "{options:?}: {}", refused.errors());
    }
}

/// Replays that are not counted are made: the device is lost at an operation of the second replay, which is the first that counts where one warms up.
#[test]
fn replays_that_warm_up_are_made_and_not_counted() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let lost = [("REPRISE_FAULT", "lost@15")];
    for way in [&[][..], &["--against", "A=1 ours"]] {
        let lists = [&["--json", "--runs", "1", "--by", "list"][..], way].concat();
        let cold = timed(&bench, &[&lists[..], &["--warm-up", "0"]].concat(), &lost);
        assert_eq!(cold.status.code(), Some(0), "{way:?}: {}", cold.errors());
        let warm = timed(&bench, &[&lists[..], &["--warm-up", "1"]].concat(), &lost);
        assert_eq!(warm.status.code(), Some(1), "{way:?}: {}", warm.text());
    }
}

/// A library that crashes ends the process that is kept, and is told like one in a process of its own.
#[test]
fn a_crash_is_told_by_processes_that_are_kept() {
    let bench = Bench::new();
    // The library crashes at the first draw.
    capture(&bench, "targets", &ours());
    let Some(crashes) = bisect::runtime(&bench, 3) else { return };
    let other = format!("A=1 {crashes}");
    let of = |options: &[&str]| {
        let finished = timed(&bench, &[&["--runs", "5", "--against", &other][..], options].concat(), &[]);
        assert_eq!(finished.status.code(), Some(1), "{options:?}: {}", finished.text());
        assert!(finished.errors().contains("the replay crashes: signal: 11"), "{options:?}: {}", finished.errors());
    };
    of(&[]);
    of(&["--fresh"]);
    let bisected = bench.run(&[
        "bisect",
        "trace.reprise",
        "--slower",
        "1000",
        "--runs",
        "5",
        "--good",
        "ours",
        "--bad",
        &crashes,
        "--log",
        "log",
    ]);
    assert!(bisected.errors().contains("the replay crashes: signal: 11"), "{}", bisected.errors());
}

/// A library that crashes when it counts ends a process of its own, and is told by its name.
#[test]
fn a_crash_of_what_counts_is_told() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let Some(crashes) = bisect::runtime(&bench, 6) else { return };
    let finished = timed(&bench, &["--runs", "1", "--runtime", &crashes], &[]);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    let finished = timed(&bench, &["--runs", "1", "--runtime", &crashes, "--counters"], &[]);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.errors());
    let told = format!("--counters on {crashes}: the replay crashes: signal: 11");
    assert!(finished.errors().contains(&told), "{}", finished.errors());
}

/// What is slower in all replays of one process, and in none of the next one, is not called slower.
#[test]
fn what_only_one_process_has_is_not_slower() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let Some(once) = bisect::runtime(&bench, 5) else { return };
    let question = ["--json", "--runs", "5", "--runtime", &once, "--against", "A=1 ours", "--slower", "100"];
    let finished = timed(&bench, &question, &[]);
    // A second process is there only where the first one was slower.
    let processes = || std::fs::read_to_string(bench.path("processes")).unwrap().lines().count();
    assert_eq!(processes(), 2, "{}", finished.text());
    assert_eq!(json(&finished)["measurements"], 2);
    assert_eq!((finished.status.code(), &json(&finished)["slower"]), (Some(0), &false.into()), "{}", finished.text());
    // Where nothing is slower at first, nothing is measured again.
    let equal = json(&timed(&bench, &["--json", "--runs", "5", "--against", "A=1 ours", "--slower", "1000"], &[]));
    assert_eq!((&equal["measurements"], &equal["slower"]), (&1.into(), &false.into()), "{equal}");
    std::fs::remove_file(bench.path("processes")).unwrap();
    let bisected = bench.run(&[
        "bisect",
        "trace.reprise",
        "--slower",
        "100",
        "--runs",
        "5",
        "--good",
        "ours",
        "--bad",
        &once,
        "--log",
        "log",
    ]);
    assert!(processes() > 1, "{}", bisected.errors());
    assert!(bisected.errors().contains("the bad candidate is not slower than the good one"), "{}", bisected.errors());
}

/// A replay that takes longer than it may is ended, and said to hang.
#[test]
fn a_kept_process_that_takes_too_long_is_ended() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let question = ["bisect", "trace.reprise", "--slower", "20", "--runs", "5", "--good", "ours", "--bad", "A=1 ours"];
    let hurried = bench.run(&[&question[..], &["--timeout", "0.01", "--log", "hurried"]].concat());
    assert_eq!(hurried.status.code(), Some(1), "{}", hurried.errors());
    assert!(hurried.errors().contains("the replay hangs: it was ended"), "{}", hurried.errors());
    // With time the same question has an answer.
    let patient = bench.run(&[&question[..], &["--timeout", "300", "--log", "patient"]].concat());
    assert!(patient.errors().contains("is not slower than the good one"), "{}", patient.errors());
}

/// A process answers each request with a file of its own, says what it cannot do, and does not outlive the one that asks.
#[test]
fn a_kept_process_answers_until_nobody_asks() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let start = || {
        let mut command = bench.command();
        command.args(["time", "trace.reprise", "--one", "lists", "--again", "-o", "times"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut child = start();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut requests = child.stdin.take().unwrap();
    for (request, operations) in [("lists", 0), ("operations serial", 11), ("operations", 11), ("lists", 0)] {
        let _ = std::fs::remove_file(bench.path("times"));
        writeln!(requests, "{request}").unwrap();
        assert_eq!(answers.next().unwrap().unwrap(), "reprise: measured", "{request}");
        let times = Times::open(&bench.path("times")).unwrap();
        let list = &times.runs[0].submissions[0].lists[0];
        assert_eq!((list.operations.len(), times.about.serial), (operations, request.ends_with("serial")), "{request}");
    }
    drop(requests);
    assert_eq!(child.wait().unwrap().code(), Some(0));

    // Nobody is there any more when the replay that was asked for is under way.
    let mut child = start();
    let mut requests = child.stdin.take().unwrap();
    writeln!(requests, "lists").unwrap();
    drop(requests);
    assert_eq!(child.wait().unwrap().code(), Some(1));

    let mut child = start();
    writeln!(child.stdin.take().unwrap(), "everything").unwrap();
    let ended = child.wait_with_output().unwrap();
    // It ends with the pipe, or says why it ends: whichever comes first.
    assert!(ended.status.code() == Some(2) || ended.status.code() == Some(1), "{ended:?}");
}

/// What passes take adds up to what the frame takes by its own clock, once what lies over each other is taken away: by construction within a replay, and so
/// within the 3 % that are asked for, on a program with one queue and on one with three.
#[test]
fn passes_add_up_to_the_frame_less_what_overlaps() {
    let bench = Bench::new();
    for name in ["costs", "queues"] {
        capture(&bench, name, &ours());
        let said = json(&timed(&bench, &["--json", "--runs", "3", "--by", "pass", "-o", "times"], &[]));
        let times = Times::open(&bench.path("times")).unwrap();
        for run in &times.runs {
            let lists = || run.submissions.iter().flat_map(|one| &one.lists);
            let passes: f64 = lists().map(|list| list.duration).sum();
            let occupancy = reprise_times::Occupancy::of(run).unwrap();
            assert!((occupancy.sum - passes).abs() < 1e-6 * passes, "{occupancy:?}");
            let by_the_clock = passes - occupancy.overlap();
            assert!((by_the_clock - occupancy.busy).abs() < 0.03 * occupancy.busy, "{occupancy:?}");
            // Lists of one queue, or of lavapipe's one, hardly overlap.
            assert!(occupancy.overlap().abs() < 0.05 * passes, "{occupancy:?}");
        }
        let rows: f64 = said["rows"].as_array().unwrap().iter().map(|row| row["ms"]["median"].as_f64().unwrap()).sum();
        let median = |name: &str| said["queues"][name]["median"].as_f64().unwrap();
        assert!(rows > 0.0 && median("sum_ms") > 0.0 && said["queues"]["overlap_ms"]["least"].is_f64(), "{said}");
        assert!(median("busy_ms") <= median("span_ms"), "{said}");
        std::fs::remove_file(bench.path("trace.reprise")).unwrap();
    }
}
