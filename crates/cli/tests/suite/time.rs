//! `reprise time`: what is timed, and that what costs more takes longer. Nothing depends on how busy the machine is: sums are exact, and of costs that
//! are four times as much the least of five replays is compared.

use crate::bench::{Bench, PATIENCE};
use crate::programs::{self, capture, ours};
use reprise_testing::{Finished, artifact, program};
use reprise_times::Times;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::time::Instant;

fn timed(bench: &Bench, trace: &str, options: &[&str]) -> Json {
    serde_json::from_str(&bench.output(&[&["time", "--json", trace], options].concat())).unwrap()
}

fn rows(timed: &Json) -> &[Json] {
    timed["rows"].as_array().unwrap()
}

#[test]
fn what_costs_more_takes_longer_also_in_a_bundle() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    for options in [&[][..], &["--serial"]] {
        let timed = timed(&bench, "trace.reprise", options);
        // The program's markers say how many units a dispatch has; the bundle has 16.
        let of = |name: &str| {
            let row = rows(&timed).iter().find(|row| row["what"].as_str().unwrap().contains(&format!("({name})")));
            row.unwrap_or_else(|| panic!("{name}: {timed}"))["ms"]["least"].as_f64().unwrap()
        };
        assert!(of("1 units") < of("4 units") && of("4 units") < of("bundle"), "{timed}");
        assert!(of("2 units") < of("8 units"), "{timed}");
        assert_eq!((&timed["runs"], timed["stamps_add"].is_null()), (&5.into(), !options.is_empty()));
    }
}

#[test]
fn rows_add_up_to_the_whole_however_they_are_grouped() {
    let bench = Bench::new();
    for name in ["costs", "indirect-state", "presents"] {
        capture(&bench, name, &ours());
        for by in ["draw", "pass", "marker", "pipeline", "list", "submission", "frame"] {
            let timed = timed(&bench, "trace.reprise", &["--runs", "1", "--by", by]);
            let outermost = rows(&timed).iter().filter(|row| row["depth"] == 0);
            let sum: f64 = outermost.map(|row| row["ms"]["median"].as_f64().unwrap()).sum();
            let total = timed["total_ms"]["median"].as_f64().unwrap();
            assert!(total > 0.0 && (sum - total).abs() < total * 1e-6, "{name} by {by}: {sum} of {total}");
            assert_eq!(timed["untimed"], Json::Array(vec![]), "{name} by {by}");
        }
        std::fs::remove_file(bench.path("trace.reprise")).unwrap();
    }
}

/// A replay for its times alone does not compare what the program read back. Comparing takes time, and on another device each difference is waited for.
#[test]
fn reads_are_compared_where_that_is_asked_for() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let report = |compare_reads| {
        let runtime = Some(ours().display().to_string());
        let mut options = reprise_replay::Options { runtime, compare_reads, ..Default::default() };
        reprise_replay::replay(&bench.path("trace.reprise"), &mut options).unwrap()
    };
    let (with, without) = (report(true), report(false));
    assert!(with.compared_bytes > 0 && with.different_bytes == 0);
    assert_eq!((without.compared_bytes, without.gpu_written_bytes, without.calls), (0, 0, with.calls));
}

/// Of a real program's frame each draw has a row, by the dump's own numbers; of other frames none.
#[test]
fn the_draws_of_a_frame_are_timed_and_no_others() {
    let bench = Bench::new();
    let golden = artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("gears.reprise")).unwrap();
    let dump = bench.output(&["dump", "--json", "gears.reprise"]);
    let calls: Vec<Json> = dump.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is = |call: &Json, name: &str| call["method"].as_str().is_some_and(|method| method.ends_with(name));
    // The lists are recorded before the first frame, one for each image, and none is reset.
    let submitted = calls.iter().filter(|call| call["frame"] == 2 && is(call, "::ExecuteCommandLists"));
    let lists: Vec<&Json> = submitted.flat_map(|call| call["args"]["ppCommandLists"].as_array().unwrap()).collect();
    let works = ["Draw", "Clear", "ResourceBarrier"];
    let wanted: BTreeMap<u64, String> = calls
        .iter()
        .filter(|call| lists.iter().any(|list| list["id"] == call["this"]["id"]))
        .filter_map(|call| Some((call["call"].as_u64()?, call["method"].as_str()?.rsplit("::").next()?.to_owned())))
        .filter(|(_, method)| works.iter().any(|work| method.starts_with(work)))
        .collect();
    let timed = timed(&bench, "gears.reprise", &["--runs", "1", "--frames", "2"]);
    let told: BTreeMap<u64, String> = rows(&timed)
        .iter()
        .map(|row| {
            assert_eq!((&row["frame"], row["calls"][0] == row["calls"][1]), (&2.into(), true), "{row}");
            let what = row["what"].as_str().unwrap();
            (row["calls"][0].as_u64().unwrap(), what.split(',').next().unwrap().to_owned())
        })
        .collect();
    assert!(wanted.len() > 5 && told == wanted, "{told:?} instead of {wanted:?}");
    let text = bench.output(&["time", "gears.reprise", "--runs", "1", "--frames", "2", "--limit", "2"]);
    assert!(
        text.contains(" ms of work on the GPU") && text.contains("8 more rows (--limit shows more, --json has all)"),
        "{text}"
    );
}

/// Steps of one thread behind each operation of the slow pipeline state: so many that what other work on the machine does to ten replays is less.
const STEPS: u32 = 1 << 25;

/// The pipeline states that a trace makes, in their order.
fn pipelines(bench: &Bench) -> Vec<u64> {
    let dump = bench.output(&["dump", "--json", "trace.reprise"]);
    let calls = dump.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let made =
        calls.filter(|call| call["method"].as_str().is_some_and(|name| name.ends_with("::CreateComputePipelineState")));
    made.map(|call| call["args"]["ppPipelineState"]["id"].as_u64().unwrap_or_else(|| panic!("{call}"))).collect()
}

fn timed_slowly(bench: &Bench, slow: &str, options: &[&str]) -> Finished {
    let mut command = bench.command();
    command.env("REPRISE_SLOW", slow).args(["time", "trace.reprise", "--json", "--by", "pipeline"]).args(options);
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(!finished.timed_out, "{options:?} hangs");
    finished
}

/// `REPRISE_SLOW` makes one of two pipeline states slower on our runtime. A comparison with our runtime as it is names that pipeline state and no
/// other. A comparison of equal runtimes names none. What the program reads back stays the same.
#[test]
fn a_pipeline_that_is_slower_is_named_and_equal_ones_are_not() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let made = pipelines(&bench);
    assert_eq!(made.len(), 2);
    let against = ["--against", "REPRISE_SLOW= ours", "--slower", "20"];
    for (slow, named) in [(Some(1), Some(made[1])), (Some(0), Some(made[0])), (None, None)] {
        let seed = slow.map(|at: usize| format!("{}:{STEPS}", at + 1)).unwrap_or_default();
        let finished = timed_slowly(&bench, &seed, &against);
        let timed: Json = serde_json::from_str(&finished.text()).unwrap_or_else(|_| panic!("{}", finished.errors()));
        assert_eq!(finished.status.code(), Some(i32::from(named.is_some())), "{seed}: {timed}");
        assert_eq!(timed["slower"], named.is_some());
        // The rows that decide. What stands beside so much more work is a little slower too, and marked so.
        let number = |row: &Json, name: &str| row[name].as_f64().unwrap();
        let decides =
            |row: &&Json| row["slower"] == true && number(row, "ratio") >= 1.2 && number(row, "share") >= 0.01;
        let marked: Vec<&Json> = rows(&timed).iter().filter(decides).collect();
        let wanted = named.map(|id| format!("pipeline state {id}"));
        let told: Vec<&str> = marked.iter().map(|row| row["what"].as_str().unwrap()).collect();
        assert_eq!(told, wanted.iter().map(String::as_str).collect::<Vec<_>>(), "{seed}: {timed}");
    }
    // What the program computes does not depend on it.
    let mut command = bench.command();
    command.env("REPRISE_SLOW", format!("2:{STEPS}")).args(["replay", "trace.reprise"]);
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{}", finished.errors());
}

/// The first candidate that is slower, and what accounts for it: the frame, the submission, the pipeline state, its shader.
#[test]
fn the_first_slower_candidate_is_found_with_what_accounts_for_it() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let slow = format!("REPRISE_SLOW=2:{STEPS}");
    let list = format!("ours\nA=1 ours\n{slow} ours\n{slow} A=2 ours\n");
    std::fs::write(bench.path("list"), list).unwrap();
    let question = ["bisect", "trace.reprise", "--json", "--slower", "20", "--runs", "6"];
    let finished = bench.run(&[&question[..], &["--candidates", "list"]].concat());
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    let answer: Json = serde_json::from_str(&finished.text()).unwrap();
    assert_eq!((&answer["first_bad"]["number"], &answer["last_good"]["number"]), (&3.into(), &2.into()), "{answer}");
    assert_eq!(answer["symptom"], "slower");
    let log = std::fs::read_to_string(bench.path("trace.bisect/log.jsonl")).unwrap();
    let (slower, others): (Vec<&str>, Vec<&str>) =
        log.lines().filter(|line| line.contains("\"outcome\":{")).partition(|line| line.contains("\"difference\":{"));
    assert!(!slower.is_empty() && slower.iter().all(|line| !line.contains("is not slower")), "{log}");
    assert!(!others.is_empty() && others.iter().all(|line| line.contains("is not slower")), "{log}");
    let first = &answer["first"]["slower"];
    let shaders = bench.output(&["extract", "--json", "trace.reprise"]);
    let pipeline = &first["pipelines"][0];
    assert_eq!(
        (&pipeline["kind"], &pipeline["id"]),
        (&"pipeline_state".into(), &pipelines(&bench)[1].into()),
        "{answer}"
    );
    assert_eq!(first["pipelines"].as_array().unwrap().len(), 1, "{answer}");
    assert!(pipeline["share"].as_f64().unwrap() > 0.5 && pipeline["ratio"].as_f64().unwrap() > 1.2, "{answer}");
    let shader = pipeline["shaders"][0]["hash"].as_str().unwrap();
    assert!(shaders.contains(shader), "{shader}: {shaders}");
    assert_eq!(first["frame"], 1);
    let dump = bench.output(&["dump", "--json", "trace.reprise"]);
    let calls = || dump.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let of = |name: &str, at: usize| {
        calls().filter(|call| call["method"].as_str().is_some_and(|method| method.ends_with(name))).nth(at).unwrap()["call"].clone()
    };
    assert_eq!(first["submission"], of("::ExecuteCommandLists", 0), "{answer}");
    // The first that has that pipeline state is the second of those that warm up.
    assert_eq!(first["operation"], of("::Dispatch", 1), "{answer}");

    // Equal ends: no answer. What does not start cannot be judged.
    let equal = bench.run(&[&question[..], &["--good", "ours", "--bad", "A=1 ours", "--log", "equal"]].concat());
    assert_eq!(equal.status.code(), Some(1), "{}", equal.errors());
    assert!(equal.errors().contains("the bad candidate is not slower than the good one"), "{}", equal.errors());
    let gone = bench.run(&[&question[..], &["--good", "ours", "--bad", "/nowhere.so", "--log", "gone"]].concat());
    assert_eq!(gone.status.code(), Some(1), "{}", gone.errors());
    assert!(gone.errors().contains("cannot be judged"), "{}", gone.errors());
}

/// What the GPU counts of a program's draws is what the calls say, on each library that is there; bytes are those of the targets.
#[test]
fn counters_are_what_the_calls_say() {
    let bench = Bench::new();
    let golden = artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("trace.reprise")).unwrap();
    let dump = bench.output(&["dump", "--json", "trace.reprise"]);
    let calls: BTreeMap<u64, Json> = dump
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap())
        .filter_map(|call| Some((call["call"].as_u64()?, call)))
        .collect();
    let Some(runtimes) = programs::runtimes() else { return };
    let mut all = Vec::new();
    for runtime in &runtimes {
        let runtime = runtime.to_string_lossy();
        let options = ["--runs", "1", "--frames", "2", "--counters", "--runtime", &runtime];
        let timed = timed(&bench, "trace.reprise", &options);
        let (mut draws, mut clears, mut unknown) = (0, 0, Vec::new());
        for row in rows(&timed) {
            let call = &calls[&row["calls"][0].as_u64().unwrap()];
            let (method, args, counts) = (call["method"].as_str().unwrap(), &call["args"], &row["counts"]);
            let number = |name: &str| args[name].as_u64().unwrap_or_else(|| panic!("{name}: {args}"));
            if method.contains("::Draw") {
                let each = if method.contains("Indexed") { "IndexCountPerInstance" } else { "VertexCountPerInstance" };
                assert_eq!(counts["vertices"], number(each) * number("InstanceCount"), "{runtime}: {row}");
                assert!(counts["samples_passed"].as_u64() > Some(0), "{runtime}: {row}");
                draws += 1;
            } else if method.contains("::Clear") {
                // 300 x 300 texels of four bytes of depth. The window's image has no description in the trace.
                let depth = method.ends_with("::ClearDepthStencilView");
                let bytes = if depth { Json::from(300 * 300 * 4) } else { Json::Null };
                assert_eq!(counts["bytes_cleared"], bytes, "{runtime}: {row}");
                unknown.extend((!depth).then(|| row["calls"][0].clone()));
                clears += 1;
            } else {
                assert_eq!(counts, &serde_json::json!({}), "{runtime}: {row}");
            }
        }
        assert!(draws > 2 && clears == 2, "{runtime}: {timed}");
        // What the sum of bytes lacks is named.
        let lacks =
            serde_json::json!([{ "reason": "the trace does not say how many bytes they write", "calls": unknown }]);
        assert_eq!((unknown.len(), &timed["uncounted"]), (1, &lacks), "{runtime}");
        let sum = |name: &str| rows(&timed).iter().filter_map(|row| row["counts"][name].as_u64()).sum::<u64>();
        for name in ["vertices", "pixel_invocations", "samples_passed", "bytes_cleared"] {
            assert_eq!(timed["total_counts"][name], sum(name), "{runtime} {name}");
        }
        all.push((sum("vertices"), sum("primitives"), sum("samples_passed")));
    }
    assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
}

/// Dispatches have the threads that they start; copies the bytes that they write. Of the operations beside the program's own queries it is said that
/// they are not counted.
#[test]
fn what_is_not_counted_is_said() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let first = timed(&bench, "trace.reprise", &["--runs", "1", "--counters"]);
    let threads: Vec<u64> =
        rows(&first).iter().filter_map(|row| row["counts"]["compute_invocations"].as_u64()).collect();
    // Two that warm up, four dispatches, and one in the bundle.
    assert_eq!(threads, [256; 7], "{first}");
    assert_eq!(first["total_counts"]["bytes_copied"], 5 * 256 * 4, "{first}");
    assert_eq!(first["uncounted"], Json::Array(vec![]), "{first}");
    std::fs::remove_file(bench.path("trace.reprise")).unwrap();
    capture(&bench, "queries", &ours());
    let second = timed(&bench, "trace.reprise", &["--runs", "1", "--counters", "--by", "frame"]);
    let reasons: Vec<&str> =
        second["uncounted"].as_array().unwrap().iter().map(|one| one["reason"].as_str().unwrap()).collect();
    assert!(reasons.iter().any(|reason| reason.contains("own query is open")), "{second}");
    let text = bench.output(&["time", "trace.reprise", "--runs", "1", "--counters"]);
    assert!(text.contains("not counted: ") && text.contains("   vertices"), "{text}");
}

/// The file has all that the tables are made of, whatever they are grouped by.
#[test]
fn what_was_measured_is_kept_beside_the_trace() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let timed = timed(&bench, "trace.reprise", &["--runs", "3", "--counters", "--save", "--by", "pipeline"]);
    let times = Times::open(&bench.path("trace.reprise.times")).unwrap();
    times.is_of(&bench.path("trace.reprise")).unwrap();
    assert_eq!((times.runs.len(), times.counted.is_some()), (3, true));
    let mut totals: Vec<f64> = times.runs.iter().map(|run| run.duration() / 1e6).collect();
    totals.sort_by(f64::total_cmp);
    for (name, at) in [("least", 0), ("median", 1), ("most", 2)] {
        let told = timed["total_ms"][name].as_f64().unwrap();
        assert!((told - totals[at]).abs() < 1e-6 * told, "{name}: {told} {totals:?}");
    }
    let refused = bench.run(&["time", "trace.reprise", "--runs", "1", "-o", "trace.reprise"]);
    assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
}

/// Lists of all queues lie on one clock, within the time that the replay took. Lavapipe has one queue of its own behind those of the API, so no two of them
/// work at one time.
#[test]
fn queues_are_timed_by_one_clock() {
    let bench = Bench::new();
    capture(&bench, "queues", &ours());
    let began = Instant::now();
    let timed = timed(&bench, "trace.reprise", &["--runs", "2", "--save"]);
    let took = began.elapsed().as_nanos() as f64;
    let times = Times::open(&bench.path("trace.reprise.times")).unwrap();
    let mut lists = 0;
    for run in &times.runs {
        let mut ends: BTreeMap<u32, f64> = BTreeMap::new();
        for submission in &run.submissions {
            for list in &submission.lists {
                let at = list.at.expect("lavapipe has a clock");
                let end = ends.insert(submission.queue, at + list.duration).unwrap_or(0.0);
                // Readings of the clocks are some microseconds off.
                assert!(at + 1e5 >= end && at + list.duration <= took, "{submission:?} behind {end}, of {took}");
                lists += 1;
            }
        }
        assert!(ends.len() > 1, "{ends:?}");
    }
    assert!(lists > 4, "{lists}");
    let queues = &timed["queues"];
    let median = |name: &str| queues[name]["median"].as_f64().unwrap();
    let each: f64 = queues["queues"].as_array().unwrap().iter().map(|one| one["ms"]["least"].as_f64().unwrap()).sum();
    assert!(median("span_ms") >= median("busy_ms") && queues["busy_ms"]["most"].as_f64().unwrap() >= each, "{queues}");
    assert!(median("together_ms") < 0.05 * median("busy_ms"), "{queues}");
}

/// What the bundle of `costs` runs has rows of its own once it stands in the list, and an edit is compared with the trace that it was made of: of what
/// both have the rows are of the same calls, or they are refused.
#[test]
fn edits_are_timed_and_compared_with_their_trace() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let labels = |timed: &Json| -> Vec<String> {
        rows(timed).iter().map(|row| row["what"].as_str().unwrap().to_owned()).collect()
    };
    let whole = labels(&timed(&bench, "trace.reprise", &["--runs", "1"]));
    let unrolled = labels(&timed(&bench, "trace.reprise", &["--runs", "1", "-e", "every ExecuteBundle: unroll"]));
    let bundles = |labels: &[String]| labels.iter().filter(|label| label.starts_with("ExecuteBundle")).count();
    let within = |labels: &[String]| labels.iter().filter(|label| label.contains("bundle > 16 units")).count();
    assert_eq!((bundles(&whole), within(&whole)), (1, 0), "{whole:?}");
    assert_eq!((bundles(&unrolled), within(&unrolled)), (0, 1), "{unrolled:?}");

    // The dispatch of 8 units is gone, so what the first pipeline state takes is less, and the other one's is as it was.
    let rowed = timed(&bench, "trace.reprise", &["--runs", "1"]);
    let eight = rows(&rowed).iter().find(|row| row["what"].as_str().unwrap().contains("(8 units)")).unwrap();
    let eight = eight["calls"][0].as_u64().unwrap();
    let drop = format!("call {eight}: drop");
    let edited = ["--runs", "5", "-e", &drop, "--against", "trace.reprise"];
    let compared = timed(&bench, "trace.reprise", &[&edited[..], &["--by", "pipeline"]].concat());
    let least = |side: &str, row: usize| rows(&compared)[row][side]["least"].as_f64().unwrap();
    let first = rows(&compared).iter().position(|row| row["operations"] == 3).unwrap();
    assert!(least("ms", first) < least("against_ms", first), "{compared}");
    assert_eq!(compared["against"], "trace.reprise");

    let refused = bench.run(&[&["time", "trace.reprise"], &edited[..]].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
    assert!(refused.errors().contains("rows would stand for different calls"), "{}", refused.errors());
    let saved = bench.run(&["time", "trace.reprise", "-e", &drop, "--save"]);
    assert_eq!(saved.status.code(), Some(2), "{}", saved.errors());
    assert!(!bench.path("trace.reprise.times").exists());

    // Another program's pipelines have the same numbers, and are others.
    std::fs::rename(bench.path("trace.reprise"), bench.path("costs.reprise")).unwrap();
    capture(&bench, "worth", &ours());
    let refused =
        bench.run(&["time", "trace.reprise", "--runs", "5", "--against", "costs.reprise", "--by", "pipeline"]);
    assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
    assert!(refused.errors().contains("neither trace is an edit of the other"), "{}", refused.errors());
    let frames = timed(&bench, "trace.reprise", &["--runs", "5", "--against", "costs.reprise", "--by", "frame"]);
    assert!(rows(&frames)[0]["against_ms"]["median"].as_f64().unwrap() > 0.0, "{frames}");
}

/// Replays in processes of their own would not be validated, and nobody would be told.
#[test]
fn options_that_do_not_reach_another_process_are_refused() {
    let bench = Bench::new();
    crate::programs::capture(&bench, "costs", &ours());
    for option in [&["--validate"][..], &["--convention", "sysv"]] {
        let against = ["--against", "REPRISE_SLOW= ours"];
        let mut command = bench.command();
        command.args(["time", "trace.reprise", "--runs", "1"]).args(against).args(option);
        let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
        assert_eq!(finished.status.code(), Some(2), "{option:?}: {}", finished.errors());
        assert!(finished.errors().contains(option[0]), "{option:?}: {}", finished.errors());
    }
}

/// Lavapipe says nothing of shaders, and that is told; on a driver that does, each executable has a stage and a number.
#[test]
fn shaders_are_told_or_it_is_said_that_they_are_not() {
    let bench = Bench::new();
    programs::capture(&bench, "costs", &programs::ours());
    let json = bench.output(&["time", "trace.reprise", "--runs", "1", "--shaders", "--json"]);
    let json: Json = serde_json::from_str(&json).unwrap();
    let executables = json["executables"].as_array().unwrap();
    for one in executables {
        assert!(!one["stages"].as_array().unwrap().is_empty() && one["statistics"].is_array(), "{one}");
    }
    let said = bench.output(&["time", "trace.reprise", "--runs", "1", "--shaders"]);
    // The runtime is ours, so it is the driver that says nothing.
    let silence = &json["executables_silence"];
    let (told, wanted) = match executables.is_empty() {
        true => ("no shaders are told: the driver lacks VK_KHR_pipeline_executable_properties", Json::from("driver")),
        false => ("what the driver made of shaders", Json::Null),
    };
    assert!(said.contains(told) && *silence == wanted, "{silence} {said}");
}

/// An experiment takes its work out of what the GPU counts and of what the program reads back. All other bytes stay equal. `cargo xtask bench timing`
/// measures that the frame is shorter.
#[test]
fn experiments_take_out_what_they_say_and_nothing_else() {
    let bench = Bench::new();
    capture(&bench, "worth", &ours());
    let all = |options: &[&str]| {
        let answer = timed(&bench, "trace.reprise", options);
        let experiments = answer["experiments"].as_array().unwrap().clone();
        experiments.into_iter().map(|one| (one["name"].as_str().unwrap().to_owned(), one)).collect::<BTreeMap<_, _>>()
    };
    let once = all(&["--what-if", "--runs", "1"]);
    let changed: Vec<(&str, u64, bool)> = once
        .iter()
        .map(|(name, one)| (name.as_str(), one["changed"].as_u64().unwrap(), one["different_bytes"].as_u64() > Some(0)))
        .collect();
    // Clears are of targets that are written whole, or were never written; what the depth test hides is what is there already.
    let wanted = [
        ("blending", 1, true),
        ("clears", 7, false),
        ("copies", 16, true),
        ("depth-test", 2, false),
        ("depth-writes", 2, false),
        ("dispatches", 1, true),
        ("draws", 5, true),
        ("pixel-shader", 5, true),
        ("scissor", 5, true),
        ("textures", 1, true),
    ];
    assert_eq!(changed, wanted, "{once:?}");
    assert!(once.values().all(|one| one["failed"].is_null() && one["sure"] == false), "{once:?}");

    // What the GPU counts then: pixel shaders that ran, and samples that passed.
    let counted = |without: &[&str]| {
        let file = bench.path("counts");
        let words = ["time", "trace.reprise", "--one", "counts", "-o", "counts"];
        bench.output(&[&words[..], without].concat());
        let times = Times::open(&file).unwrap();
        let lists = times.counted.unwrap().submissions.into_iter().flat_map(|submission| submission.lists);
        let all: Vec<_> = lists.flat_map(|(_, operations)| operations).map(|(_, counts)| counts).collect();
        ["pixel_invocations", "samples_passed", "compute_invocations"].map(|name| {
            let of = |(own, count): (&str, u64)| (own == name).then_some(count);
            all.iter().flat_map(reprise_times::Counts::named).filter_map(of).sum::<u64>()
        })
    };
    // Of 256 x 256 pixels: 12 shown, 24 hidden, 1 that hides these, 16 blended; and one pixel. 256 threads compute.
    let area = 256 * 256;
    let whole = 29 * area + 1;
    assert_eq!(counted(&[])[1..], [whole, 256]);
    for (without, samples) in [
        ("draws", 0),
        ("scissor", 30),
        ("pixel-shader", whole),
        ("depth-test", whole + 24 * area),
        ("depth-writes", whole + 24 * area),
        ("blending", whole),
        ("textures", whole),
    ] {
        let [shaded, passed, computed] = counted(&["--without", without]);
        assert_eq!((passed, computed), (samples, 256), "{without}");
        assert!(shaded < area || !matches!(without, "draws" | "scissor" | "pixel-shader"), "{without}: {shaded}");
        assert!(shaded >= whole || matches!(without, "draws" | "scissor" | "pixel-shader"), "{without}: {shaded}");
    }
    assert_eq!(counted(&["--without", "dispatches"])[1..], [whole, 0]);

    // Of one draw of a pixel: what is there without it differs in 13 of its 16 bytes.
    let one = all(&["--what-if", "--runs", "1", "--of", "marker:nothing"]);
    let bytes = |name: &str| (one[name]["changed"].as_u64(), one[name]["different_bytes"].as_u64());
    assert!(one.values().all(|one| one["failed"].is_string() || one["compared_bytes"].as_u64() > Some(0)), "{one:?}");
    assert_eq!([bytes("draws"), bytes("pixel-shader")], [(Some(1), Some(13)); 2], "{one:?}");
    for name in ["blending", "depth-test", "copies", "clears", "dispatches"] {
        assert_eq!((bytes(name), one[name].get("ms")), ((Some(0), Some(0)), None), "{one:?}");
    }
    assert!(one["textures"]["failed"].as_str().unwrap().contains("--of"), "{one:?}");
}

/// A replay in a process of its own does not outlive the one that started it: the end of the pipe between them is the end of both.
#[test]
fn a_replay_apart_ends_with_its_parent() {
    let bench = Bench::new();
    capture(&bench, "worth", &ours());
    for (held, code) in [(true, 0), (false, 1)] {
        let file = bench.path("times");
        let _ = std::fs::remove_file(&file);
        let mut command = bench.command();
        command.args(["time", "trace.reprise", "--one", "lists", "-o", "times"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let pipe = child.stdin.take().filter(|_| held);
        let ended = child.wait().unwrap();
        drop(pipe);
        assert_eq!((ended.code(), file.exists()), (Some(code), held));
    }
}

/// What a render pass clears at its beginning belongs to each of its draws: an experiment without clears names it, of one of them too.
#[test]
fn what_render_passes_clear_is_named() {
    let bench = Bench::new();
    capture(&bench, "passes", &ours());
    let all = timed(&bench, "trace.reprise", &["--what-if=clears", "--runs", "1"]);
    let told =
        |answer: &Json| answer["experiments"][0]["unchanged"][0]["calls"].as_array().cloned().unwrap_or_default();
    let by_draw = timed(&bench, "trace.reprise", &["--by", "draw", "--runs", "1"]);
    let draws = rows(&by_draw).iter().filter(|row| row["what"].as_str().unwrap().starts_with("DrawInstanced"));
    let of = |row: &Json| {
        let call = &row["calls"][0];
        timed(&bench, "trace.reprise", &["--what-if=clears", "--runs", "1", "--of", &format!("calls:{call}-{call}")])
    };
    let told_of: Vec<Vec<Json>> = draws.map(|row| told(&of(row))).collect();
    assert!(told(&all).len() > 1 && told_of.iter().flatten().all(|call| told(&all).contains(call)), "{all}");
    // One draw stands in a pass that keeps what was there.
    assert_eq!(told_of.iter().map(Vec::len).collect::<BTreeSet<_>>(), BTreeSet::from([0, 1]), "{told_of:?}");
}

/// What cannot be changed is named: bundles, which other lists may run. Lists that frames before run are left as they are, and so are these frames.
#[test]
fn what_an_experiment_leaves_alone_is_named() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let answer = timed(&bench, "trace.reprise", &["--what-if=dispatches,draws", "--runs", "1"]);
    let of = |at: usize| &answer["experiments"][at];
    assert_eq!((&of(0)["name"], &of(0)["changed"], &of(1)["changed"]), (&"dispatches".into(), &6.into(), &0.into()));
    assert!(of(0)["unchanged"][0]["reason"].as_str().unwrap().contains("bundle"), "{answer}");
    assert_eq!(of(0)["unchanged"][0]["calls"].as_array().unwrap().len(), 1, "{answer}");
    // The bundle dispatches, and draws nothing.
    assert_eq!(of(1)["unchanged"].as_array().map(Vec::len), Some(0), "{answer}");
    for (option, wrong) in [("--what-if=sky", "there is no experiment"), ("--what-if=draws --of sky", "pipeline:ID")] {
        let words: Vec<&str> = ["time", "trace.reprise"].into_iter().chain(option.split(' ')).collect();
        let refused = bench.run(&words);
        assert_eq!(refused.status.code(), Some(2), "{option}: {}", refused.errors());
        assert!(refused.errors().contains(wrong), "{option}: {}", refused.errors());
    }
    let nothing = bench.run(&["time", "trace.reprise", "--what-if", "--of", "pipeline:9999"]);
    assert_eq!(nothing.status.code(), Some(1), "{}", nothing.errors());
    assert!(nothing.errors().contains("no operation of pipeline 9999"), "{}", nothing.errors());
}

/// A shader is named as `extract` names it, and a pipeline counts for each of its shaders: of gears, which draws with two, for all but the clears
/// the shares are twice the whole.
#[test]
fn shaders_have_the_time_of_all_that_runs_them() {
    let bench = Bench::new();
    let golden = artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("trace.reprise")).unwrap();
    let shaders = bench.output(&["extract", "--json", "trace.reprise"]);
    let file = bench.path("kept");
    let answer = timed(&bench, "trace.reprise", &["--by", "shader", "--runs", "1", "-o", &file.to_string_lossy()]);
    let times = Times::open(&file).unwrap();
    let draws = |call: &u64| times.operations[call].method.starts_with("Draw");
    let lists = times.runs[0].submissions.iter().flat_map(|submission| &submission.lists);
    let drawn: f64 = lists.flat_map(|list| &list.operations).filter(|(call, _)| draws(call)).map(|(_, ns)| ns).sum();
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for row in rows(&answer) {
        let what = row["what"].as_str().unwrap();
        let Some((stage, hash)) = what.split_once(" shader ") else { continue };
        assert!(shaders.contains(hash), "{hash}: {shaders}");
        *sums.entry(stage).or_default() += row["ms"]["median"].as_f64().unwrap();
    }
    assert_eq!(sums.len(), 2, "{answer}");
    for (stage, sum) in sums {
        assert!((sum - drawn / 1e6).abs() < 1e-6 * sum, "{stage}: {sum} of {drawn}");
    }
}

/// The CPU's times are beside the GPU's: of the replay for all rows, of the captured program where the trace has an end.
#[test]
fn the_cpu_has_columns_and_what_has_no_end_has_none() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let of = |by: &str| timed(&bench, "trace.reprise", &["--cpu", "--runs", "2", "--by", by]);
    let draws = of("draw");
    for row in rows(&draws) {
        assert!(row["cpu_ms"]["median"].as_f64() > Some(0.0) && row["program_ms"].is_null(), "{row}");
    }
    let lists = of("list");
    let sum: f64 = rows(&draws).iter().map(|row| row["cpu_ms"]["least"].as_f64().unwrap()).sum();
    assert_eq!(rows(&lists).len(), 1);
    let list = &rows(&lists)[0];
    assert!(list["program_ms"].as_f64() > Some(0.0) && list["cpu_ms"]["most"].as_f64() > Some(0.0), "{list}");
    assert!(sum > 0.0);
    let text = bench.output(&["time", "trace.reprise", "--cpu", "--runs", "1"]);
    assert!(text.lines().any(|line| line.contains("CPU   program  call")), "{text}");
    let plain = timed(&bench, "trace.reprise", &["--runs", "1"]);
    assert!(rows(&plain).iter().all(|row| row.get("cpu_ms").is_none()), "{plain}");
}

/// Rows of passes need no stamp at each operation, unless something else asks for one; their sums are the same.
#[test]
fn passes_have_stamps_of_their_own() {
    let bench = Bench::new();
    capture(&bench, "worth", &ours());
    let passes = timed(&bench, "trace.reprise", &["--by", "pass", "--runs", "1"]);
    let operations = timed(&bench, "trace.reprise", &["--by", "pass", "--runs", "1", "--serial"]);
    assert_eq!((&passes["stamps"], &operations["stamps"]), (&"pass".into(), &"operation".into()));
    let of = |timed: &Json| {
        let mut all: Vec<(Json, Json, Json)> = rows(timed)
            .iter()
            .map(|row| (row["calls"].clone(), row["what"].clone(), row["operations"].clone()))
            .collect();
        all.sort_by_key(|(calls, ..)| calls[0].as_u64());
        all
    };
    assert_eq!(of(&passes), of(&operations));
    let sum: f64 = rows(&passes).iter().map(|row| row["ms"]["median"].as_f64().unwrap()).sum();
    let total = passes["total_ms"]["median"].as_f64().unwrap();
    assert!(total > 0.0 && (sum - total).abs() < total * 1e-6, "{sum} of {total}");
}

/// What cannot come to a right answer is refused before anything is played: too few replays, an output that cannot be written, another side that is
/// not there.
#[test]
fn what_would_be_in_vain_is_refused_first() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let cases: [(&[&str], u8, &str); 6] = [
        (&["--against", "ours", "--slower", "10", "--runs", "4"], 2, "at least 5"),
        (&["--against", " "], 2, "names nothing"),
        (&["--against", "nowhere.json"], 2, "there is no Vulkan driver's file nowhere.json"),
        (&["-o", "nowhere/times"], 1, "cannot write nowhere/times"),
        (&["--what-if", "--by", "pass"], 2, "--by"),
        (&["--of", "pass:3"], 2, "--what-if"),
    ];
    for (options, code, told) in cases {
        let refused = bench.run(&[&["time", "trace.reprise"][..], options].concat());
        assert_eq!(refused.status.code(), Some(code.into()), "{options:?}: {}", refused.errors());
        assert!(refused.errors().contains(told), "{options:?}: {}", refused.errors());
        assert!(refused.text().is_empty(), "{options:?}: {}", refused.text());
    }
    let bisect = ["bisect", "trace.reprise", "--slower", "10", "--good", "ours", "--bad", "A=1 ours", "--log", "log"];
    for (options, told) in [(["--runs", "4"], "5..=1000"), (["--frames", "9"], "there is no frame 9")] {
        let refused = bench.run(&[&bisect[..], &options].concat());
        assert_eq!(refused.status.code(), Some(2), "{options:?}: {}", refused.errors());
        assert!(refused.errors().contains(told) && !bench.path("log").exists(), "{options:?}: {}", refused.errors());
    }
    let convert = bench.run(&["convert", "-o", "x.pftrace", "--contents", "base64", "trace.reprise"]);
    assert_eq!(convert.status.code(), Some(2), "{}", convert.errors());
    assert!(convert.errors().contains("--contents") && !bench.path("x.pftrace").exists(), "{}", convert.errors());
}
