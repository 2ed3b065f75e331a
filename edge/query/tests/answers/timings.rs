//! The tables `timings`, `counters` and `unmeasured`: rows of a file of times that this test writes, beside a recorded trace.

use crate::{answer, golden, program, run};
use reprise_times::{
    About, Counted, CountedSubmission, Counts, DriverCounted, DriverCounter, Executable, List, Operation, Pipeline,
    Run, Statistic, Submission, Times, beside,
};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// With two numbers.
fn executable() -> Executable {
    let statistic = |name: &str, value| Statistic { name: name.into(), about: String::new(), value };
    let statistics = vec![statistic("Registers", 24.0), statistic("Occupancy", 0.5)];
    Executable { name: "PS".into(), stages: vec!["pixel".into()], lanes: 32, statistics }
}

/// Two replays of two submissions, of which the second has a list that was timed as one; and counts.
fn times(trace: &Path) -> Times {
    let operation = |method: &str, pipeline, markers: &[&str]| Operation {
        method: method.into(),
        pipeline,
        markers: markers.iter().map(|&text| text.to_owned()).collect(),
        copied: (method == "CopyResource").then_some(4096),
        ..Operation::default()
    };
    let list = |list, begin, operations: &[(u64, f64)]| List {
        list,
        at: Some(begin),
        duration: operations.iter().map(|one| one.1).sum::<f64>() + if operations.is_empty() { 7.0 } else { 0.0 },
        operations: operations.to_vec(),
        passes: Vec::new(),
    };
    let submission = |call, frame, lists| Submission { call, frame, queue: 3, lists };
    let run = |scale: f64| Run {
        submissions: vec![
            submission(90, 1, vec![list(8, 100.0, &[(80, 10.0 * scale), (81, 2.5)])]),
            submission(95, 2, vec![list(9, 200.0, &[])]),
        ],
        untimed: BTreeMap::new(),
        cpu: None,
    };
    let mut counts = Counts::default();
    (counts.0[0], counts.0[11]) = (Some(36), Some(1000));
    let lists = vec![(8, vec![(80, counts), (81, Counts::default())])];
    Times {
        about: About { trace_bytes: std::fs::metadata(trace).unwrap().len(), ..About::default() },
        operations: BTreeMap::from([
            (80, operation("DrawInstanced", Some(Pipeline::State(14)), &["frame", "sky"])),
            (81, operation("CopyResource", None, &[])),
        ]),
        runs: vec![run(1.0), run(2.0)],
        counted: Some(Counted {
            submissions: vec![CountedSubmission { call: 90, frame: 1, queue: 3, lists }],
            uncounted: BTreeMap::new(),
        }),
        executables: BTreeMap::from([(14, vec![executable()])]),
        ..Times::default()
    }
}

/// A folder with a trace, and the trace.
fn trace() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("game.reprise");
    std::fs::copy(golden("gears"), &trace).unwrap();
    (folder, trace)
}

#[test]
fn rows_are_those_of_the_file() {
    let (_folder, trace) = trace();
    times(&trace).save(&beside(&trace)).unwrap();
    let ask = |sql: &str| answer(program().args(["--format", "json"]).arg(&trace).arg(sql));
    let rows = ask("SELECT * FROM timings");
    let row = |run: u64, begin: f64, duration: f64| {
        json!({
            "trace": "game.reprise", "run": run, "call": 80, "method": "DrawInstanced", "frame": 1, "submission": 90, "queue": 3,
            "list": 8, "pipeline": 14, "markers": "frame > sky", "begin_ns": begin, "duration_ns": duration,
        })
    };
    assert_eq!((rows.len(), &rows[0], &rows[3]), (6, &row(1, 100.0, 10.0), &row(2, 100.0, 20.0)));
    assert_eq!(
        (&rows[1]["begin_ns"], &rows[1]["duration_ns"], &rows[1]["markers"]),
        (&110.0.into(), &2.5.into(), &Json::Null)
    );
    assert_eq!((&rows[2]["call"], &rows[2]["list"], &rows[2]["duration_ns"]), (&Json::Null, &9.into(), &7.0.into()));
    let sums = ask(
        "SELECT method, median(duration_ns) AS ns FROM timings WHERE call IS NOT NULL GROUP BY method ORDER BY ns DESC",
    );
    assert_eq!(
        sums,
        [json!({ "method": "DrawInstanced", "ns": 15.0 }), json!({ "method": "CopyResource", "ns": 2.5 })]
    );
    let shaders = ask("SELECT * FROM shader_statistics WHERE statistic = 'Occupancy'");
    let row = json!({
        "trace": "game.reprise", "pipeline": 14, "executable": 0, "name": "PS", "stages": "pixel", "lanes": 32,
        "statistic": "Occupancy", "value": 0.5, "about": "",
    });
    assert_eq!(shaders, [row]);
    let counted = ask("SELECT call, vertices, primitives, samples_passed, bytes_copied FROM counters ORDER BY call");
    // What is null has no member.
    let row = |call: u64, counts: [Option<u64>; 4]| {
        let names = ["vertices", "primitives", "samples_passed", "bytes_copied"];
        let known = names.into_iter().zip(counts).filter_map(|(name, count)| Some((name.to_owned(), count?.into())));
        Json::Object([("call".to_owned(), call.into())].into_iter().chain(known).collect())
    };
    assert_eq!(counted, [row(80, [Some(36), None, Some(1000), None]), row(81, [None, None, None, Some(4096)])]);
    // With what the trace says of the same call.
    let joined = ask(
        "SELECT t.method, c.frame FROM timings t JOIN calls c ON c.call = t.submission WHERE t.run = 1 AND t.call = 81",
    );
    assert_eq!(joined.len(), 1, "{joined:?}");
}

/// No file, one of another trace, one that was cut, one without counters: an error that says what to do, and no empty answer.
#[test]
fn what_was_not_measured_is_an_error() {
    let (_folder, trace) = trace();
    let refused = |table: &str, says: &str| {
        let output = run(&[trace.to_str().unwrap(), &format!("SELECT count(*) FROM {table}")]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(3) && text.contains(says), "{table}: {:?} {text}", output.status);
    };
    refused("timings", "nothing was measured of it yet: `reprise time --save`");
    refused("counters", "nothing was measured of it yet");
    let file = beside(&trace);
    Times { counted: None, executables: BTreeMap::new(), ..times(&trace) }.save(&file).unwrap();
    refused("counters", "its times have no counters");
    refused("driver_counters", "its times have no counters of the driver");
    refused("shader_statistics", "its times say nothing of shaders");
    let mut other = times(&trace);
    other.about.trace_bytes += 1;
    other.save(&file).unwrap();
    refused("timings", "times of another trace");
    times(&trace).save(&file).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 20]).unwrap();
    refused("timings", "line ");
    // Other tables do not need it.
    assert!(run(&[trace.to_str().unwrap(), "SELECT count(*) FROM calls"]).status.success());
}

/// Times of a library that left draws out are no better times: a question that reads them is warned, and a table has the words.
#[test]
fn times_of_less_work_are_called_so() {
    let (_folder, trace) = trace();
    let file = beside(&trace);
    let said = |sql: &str| {
        let output = run(&["--format", "json", trace.to_str().unwrap(), sql]);
        assert!(output.status.success());
        let warned =
            String::from_utf8_lossy(&output.stderr).matches("times of less work: 3 draws are left out").count();
        (String::from_utf8(output.stdout).unwrap().trim().to_owned(), warned)
    };
    let mut less = times(&trace);
    times(&trace).save(&file).unwrap();
    assert_eq!(said("SELECT left_out FROM measurements"), ("{}".into(), 0));
    assert_eq!(said("SELECT count(*) AS n FROM timings"), (r#"{"n":6}"#.into(), 0));
    less.about.left_out = "3 draws are left out, because of a test".into();
    less.save(&file).unwrap();
    assert_eq!(
        said("SELECT left_out FROM measurements"),
        (r#"{"left_out":"3 draws are left out, because of a test"}"#.into(), 1)
    );
    for table in ["timings", "counters", "shader_statistics"] {
        assert_eq!(said(&format!("SELECT count(*) > 0 AS n FROM {table}")), (r#"{"n":true}"#.into(), 1), "{table}");
    }
    // Who asks nothing of them is told nothing.
    assert_eq!(said("SELECT count(*) > 0 AS n FROM calls"), (r#"{"n":true}"#.into(), 0));
}

/// What was not timed or not counted has rows with the reason, however many replays lack it, and whoever adds counts up is warned.
#[test]
fn what_was_not_counted_has_rows_and_a_warning() {
    let (_folder, trace) = trace();
    let file = beside(&trace);
    let missing = |all: &[(&str, &[u64])]| -> BTreeMap<String, Vec<u64>> {
        all.iter().map(|(reason, calls)| ((*reason).to_owned(), calls.to_vec())).collect()
    };
    let mut lacking = times(&trace);
    let counters = vec![DriverCounter { name: "Waves".into(), ..DriverCounter::default() }];
    lacking.driver = vec![DriverCounted { counters, ..DriverCounted::default() }];
    let ask = |times: &Times, sql: &str| {
        times.save(&file).unwrap();
        let output = run(&["--format", "json", trace.to_str().unwrap(), sql]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{sql}: {said}");
        let rows = String::from_utf8(output.stdout).unwrap();
        let rows: Vec<Json> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (rows, said.matches("sums of counts lack some of what ran: the table `unmeasured` has 3 ").count())
    };
    const ROWS: &str = "SELECT lacks, call, method, reason FROM unmeasured ORDER BY lacks, call";
    const NUMBERS: &str = "SELECT untimed, uncounted FROM measurements";
    // The control: nothing is missing.
    assert_eq!(ask(&lacking, ROWS), (vec![], 0));
    assert_eq!(ask(&lacking, NUMBERS), (vec![json!({ "untimed": 0, "uncounted": 0 })], 0));
    assert_eq!(ask(&lacking, "SELECT call FROM counters WHERE call = 80").1, 0);
    for run in &mut lacking.runs {
        run.untimed = missing(&[("a queue without a clock", &[95])]);
    }
    let counted = lacking.counted.as_mut().unwrap();
    counted.uncounted = missing(&[("too many to count", &[81])]);
    lacking.driver[0].uncounted =
        missing(&[("a render pass that lists share", &[80]), ("too many to count", &[81, 95])]);
    let row = |lacks: &str, call: u64, method: Option<&str>, reason: &str| {
        let mut row = json!({ "lacks": lacks, "call": call, "reason": reason });
        if let Some(method) = method {
            row["method"] = method.into();
        }
        row
    };
    let rows = vec![
        row("counts", 80, Some("DrawInstanced"), "a render pass that lists share"),
        row("counts", 81, Some("CopyResource"), "too many to count"),
        row("counts", 95, None, "too many to count"),
        row("time", 95, None, "a queue without a clock"),
    ];
    assert_eq!(ask(&lacking, ROWS), (rows, 0));
    assert_eq!(ask(&lacking, NUMBERS), (vec![json!({ "untimed": 1, "uncounted": 3 })], 0));
    for (table, warned) in [("counters", 1), ("driver_counters", 1), ("timings", 0), ("calls", 0)] {
        assert_eq!(ask(&lacking, &format!("SELECT count(*) AS n FROM {table}")).1, warned, "{table}");
    }
}
