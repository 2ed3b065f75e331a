//! What `reprise time --save` measured, on the page: a file of times that this test writes, beside a recorded trace.

use crate::counting;
use crate::page::{Page, golden, lines, programs, reprise};
use reprise_times::{
    About, Counted, CountedSubmission, Counts, DriverCounted, DriverCounter, List, Operation, Pipeline, Run,
    Submission, Times, beside,
};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The gears' frame 2: each of its draws takes a microsecond for each index of the draw.
#[test]
fn durations_are_in_the_tree_the_frames_the_timeline_and_by_cost() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("gears.reprise");
    std::fs::copy(golden("gears"), &trace).unwrap();
    let dump = lines(&["dump", "--json", trace.to_str().unwrap()]);
    let is = |line: &Json, name: &str| line["method"].as_str().is_some_and(|method| method.ends_with(name));
    let submission = dump.iter().find(|line| line["frame"] == 2 && is(line, "::ExecuteCommandLists")).unwrap();
    let list = &submission["args"]["ppCommandLists"][0]["id"];
    let draws: Vec<(u64, f64)> = dump
        .iter()
        .filter(|line| line["this"]["id"] == *list && is(line, "::DrawIndexedInstanced"))
        .map(|line| (line["call"].as_u64().unwrap(), line["args"]["IndexCountPerInstance"].as_f64().unwrap() * 1000.0))
        .collect();
    let total: f64 = draws.iter().map(|draw| draw.1).sum();
    let (call, queue) = (submission["call"].as_u64().unwrap(), submission["this"]["id"].as_u64().unwrap() as u32);
    let run = |scale: f64| {
        let operations: Vec<(u64, f64)> = draws.iter().map(|(call, ns)| (*call, ns * scale)).collect();
        let list = list.as_u64().unwrap() as u32;
        let lists = vec![List { list, at: Some(5.0), duration: total * scale, operations, passes: Vec::new() }];
        Run { submissions: vec![Submission { call, frame: 2, queue, lists }], ..Run::default() }
    };
    let operation =
        Operation { method: "DrawIndexedInstanced".into(), markers: vec!["gear".into()], ..Operation::default() };
    let times = Times {
        about: About { trace_bytes: std::fs::metadata(&trace).unwrap().len(), by_operation: true, ..About::default() },
        operations: draws.iter().map(|draw| (draw.0, operation.clone())).collect(),
        runs: vec![run(1.0), run(3.0), run(0.5)],
        ..Times::default()
    };
    times.save(&beside(&trace)).unwrap();
    let page = Page::of(&trace);
    let about = page.get("0/times");
    assert_eq!((&about["measured"], &about["runs"], &about["total_ns"]), (&true.into(), &3.into(), &total.into()));
    assert_eq!(page.get("traces")["traces"][0]["measured"], true);
    let frames = page.get("0/frames");
    let of: Vec<&Json> = frames["items"].as_array().unwrap().iter().map(|frame| &frame["gpu_ns"]).collect();
    assert_eq!(of[..2], [&Json::Null, &total.into()]);
    // The longest first; both ends of a part.
    let mut sorted = draws.clone();
    sorted.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let told = |question: &str| {
        let items = page.get(question)["items"].as_array().unwrap().clone();
        items.iter().map(|item| (item["call"].as_u64().unwrap(), item["gpu_ns"].as_f64().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(told("0/costs?count=1000"), sorted);
    assert_eq!(told("0/costs?sort=call&frame=2&count=1000"), draws);
    assert_eq!(told("0/costs?first=1&count=2"), sorted[1..3]);
    assert!(told("0/costs?frame=1").is_empty());
    assert_eq!(page.get("0/costs")["items"][0]["markers"], json!(["gear"]));
    assert_eq!(page.ask("0/costs?sort=name").0, 400);
    // In the tree: the submission, its list, each draw.
    let below = |node: &str| page.get(&format!("0/tree?node={node}&count=1000"))["items"].as_array().unwrap().clone();
    let submitted = below("frame:2").into_iter().find(|node| node["call"] == call).unwrap();
    assert_eq!(submitted["gpu_ns"], total);
    let list = below(submitted["id"].as_str().unwrap()).remove(0);
    assert_eq!(list["gpu_ns"], total);
    let mut found = Vec::new();
    let mut open = vec![list["id"].as_str().unwrap().to_owned()];
    while let Some(node) = open.pop() {
        for child in below(&node) {
            if child["kind"] == "draw" {
                found.push((child["call"].as_u64().unwrap(), child["gpu_ns"].as_f64().unwrap()));
            } else if child["kind"] == "marker" {
                open.push(child["id"].as_str().unwrap().to_owned());
            } else {
                assert!(child["gpu_ns"].is_null(), "{child}");
            }
        }
    }
    found.sort_by_key(|draw| draw.0);
    assert_eq!(found, draws);
    // On the timeline it begins when the call ended, and the draws follow each other.
    let timeline = page.get("0/timeline");
    let track = &timeline["gpu"][0];
    let event = timeline["queues"].as_array().unwrap().iter().flat_map(|queue| queue["events"].as_array().unwrap());
    let ended = event.clone().find(|event| event["call"] == call).unwrap()["end_ns"].as_f64().unwrap();
    let shown = &track["submissions"][0];
    assert_eq!((shown["begin_ns"].as_f64(), shown["end_ns"].as_f64()), (Some(ended), Some(ended + total)));
    let calls = track["calls"].as_array().unwrap();
    assert_eq!((calls.len(), &calls[0][3]), (draws.len(), &"draw".into()));
    assert_eq!((calls[1][1].as_f64(), calls[1][0].as_u64()), (calls[0][2].as_f64(), Some(draws[1].0)));
}

#[test]
fn what_was_not_measured_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("gears.reprise");
    std::fs::copy(golden("gears"), &trace).unwrap();
    let page = Page::of(&trace);
    assert_eq!(page.get("0/times"), json!({ "measured": false, "error": null }));
    assert_eq!(page.ask("0/costs").0, 404);
    assert_eq!(page.get("0/timeline")["gpu"], json!([]));
    drop(page);
    std::fs::write(beside(&trace), "{\"times\"").unwrap();
    let page = Page::of(&trace);
    let error = page.get("0/times")["error"].as_str().unwrap().to_owned();
    assert!(error.contains("line 1") && page.ask("0/costs").0 == 503, "{error}");
}

/// Operations of one list that frame 2 submits: call, markers, pipeline, nanoseconds.
type Timed<'a> = (u64, &'a [&'a str], u32, f64);

/// Three replays of these, each operation a little longer in each; with counts of as many pixels as its nanoseconds halved.
fn times(trace: &Path, all: &[Timed<'_>]) -> Times {
    let operation = |(call, markers, pipeline, _): &Timed<'_>| {
        let markers = markers.iter().map(|&text| text.to_owned()).collect();
        let pipeline = Some(Pipeline::State(*pipeline));
        (*call, Operation { method: "DrawInstanced".into(), pipeline, markers, ..Operation::default() })
    };
    let run = |scale: f64| {
        let operations: Vec<(u64, f64)> = all.iter().map(|one| (one.0, one.3 * scale)).collect();
        let duration = operations.iter().map(|one| one.1).sum();
        let lists = vec![List { list: 15, duration, operations, ..List::default() }];
        Run { submissions: vec![Submission { call: 165, frame: 2, queue: 2, lists }], ..Run::default() }
    };
    let counts = |one: &Timed<'_>| {
        let mut counts = Counts::default();
        counts.0[7] = Some((one.3 / 2.0) as u64);
        (one.0, counts)
    };
    let counted =
        CountedSubmission { call: 165, frame: 2, queue: 2, lists: vec![(15, all.iter().map(counts).collect())] };
    Times {
        about: About { trace_bytes: std::fs::metadata(trace).unwrap().len(), by_operation: true, ..About::default() },
        operations: all.iter().map(operation).collect(),
        runs: vec![run(1.0), run(1.001), run(0.999)],
        counted: Some(Counted { submissions: vec![counted], uncounted: BTreeMap::new() }),
        ..Times::default()
    }
}

fn traced() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("gears.reprise");
    std::fs::copy(golden("gears"), &trace).unwrap();
    (folder, trace)
}

const FEW: [Timed<'static>; 4] =
    [(91, &["sky"], 13, 4000.0), (93, &["sky", "sun"], 14, 2000.0), (95, &[], 13, 1000.0), (97, &["sky"], 13, 8000.0)];

#[test]
fn a_strip_boxes_and_pipelines_are_the_same_operations() {
    let (_folder, trace) = traced();
    times(&trace, &FEW).save(&beside(&trace)).unwrap();
    let page = Page::of(&trace);
    let heat = page.get("0/costs/heat?frame=2");
    assert_eq!(
        (&heat["calls"], &heat["gpu_ns"], &heat["pixels"], &heat["methods"], &heat["method"]),
        (
            &json!([91, 93, 95, 97]),
            &json!([4000.0, 2000.0, 1000.0, 8000.0]),
            &json!([2000, 1000, 500, 4000]),
            &json!(["DrawInstanced"]),
            &json!([0, 0, 0, 0])
        )
    );
    assert_eq!(page.get("0/costs/heat?frame=1")["calls"], json!([]));
    // In order of the submissions; a part of it; and by cost, where what is equal is one.
    let boxes = |question: &str| page.get(question)["boxes"].as_array().unwrap().clone();
    let all = boxes("0/costs/flame");
    assert_eq!(all[0], json!([0, 0.0, 15000.0, "frame", "frame 2", 91, 4]));
    assert_eq!(all[1], json!([1, 0.0, 6000.0, "marker", "sky", 91, 2]));
    assert_eq!(all[2], json!([2, 0.0, 4000.0, "draw", "DrawInstanced, #13", 91, 1]));
    assert_eq!(all.len(), 8);
    let part = boxes("0/costs/flame?begin=6500&end=6600");
    assert_eq!(part.len(), 2, "{part:?}");
    let by_cost = boxes("0/costs/flame?sort=cost");
    assert_eq!(by_cost[2], json!([2, 0.0, 12000.0, "draw", "DrawInstanced, #13", 97, 2]));
    // What is narrow is put together, and nothing of it is lost.
    let narrow = boxes("0/costs/flame?parts=1");
    let several: u64 = narrow.iter().filter(|one| one[3].is_null()).map(|one| one[6].as_u64().unwrap()).sum();
    assert_eq!((narrow.len(), several), (2, 4), "{narrow:?}");
    for wrong in ["sort=name", "begin=5&end=4", "begin=NaN", "begin=x", "end=inf"] {
        assert_eq!(page.ask(&format!("0/costs/flame?{wrong}")).0, 400, "{wrong}");
    }
    let pipelines = page.get("0/costs/pipelines");
    let of: Vec<_> = pipelines["items"].as_array().unwrap().iter().collect();
    assert_eq!(of.len(), 2);
    assert_eq!(
        (&of[0]["pipeline"]["id"], &of[0]["gpu_ns"], &of[0]["operations"], &of[0]["counts"]["pixel_invocations"]),
        (&13.into(), &13000.0.into(), &3.into(), &6500.into())
    );
    let one = page.get("0/costs/pipelines?object=14");
    assert_eq!((&one["total"], &one["items"][0]["gpu_ns"]), (&1.into(), &2000.0.into()));
    let ran = page.get("0/costs?pipeline=14");
    assert_eq!((&ran["total"], &ran["items"][0]["call"]), (&1.into(), &93.into()));
    assert_eq!(page.ask("0/costs/against").0, 404);
    assert_eq!(page.get("0/times")["against"], json!(null));
}

/// A replay counts over a layer whose counters have values that the calls say. Of several operations counts have a sum, and shares have none.
#[test]
fn counters_of_the_driver_are_those_of_the_calls() {
    let told = |change: fn(&mut Command)| {
        let (folder, trace) = traced();
        let mut command = Command::new(programs().join("reprise"));
        counting::load(&mut command, folder.path(), &folder.path().join("said")).unwrap();
        change(&mut command);
        command.args(["time", "--save", "--runs", "1", "--frames", "2", "--counters=Draws,Groups,Busy"]);
        let output = command.arg(&trace).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let page = Page::of(&trace);
        let about = page.get("0/times");
        let counter = |name: &str, about: &str, unit: &str, adds: bool| json!({ "name": name, "about": about, "unit": unit, "adds": adds });
        assert_eq!(
            about["driver_counters"],
            json!([
                counter("Commands/Draws", "Commands that draw", "count", true),
                counter("Work/Groups", "Groups of threads that dispatches name, in halves", "cycles", true),
                counter("Work/Busy", "Always a half", "%", false),
            ])
        );
        assert_eq!(about["left_out"], Json::Null);
        let items = page.get("0/costs?count=1000")["items"].as_array().unwrap().clone();
        let wrong = |item: &&Json| {
            let draws = u64::from(item["kind"] == "draw");
            item["driver_counts"] != json!({ "Commands/Draws": draws, "Work/Groups": 0.0, "Work/Busy": 50.0 })
        };
        let (all, wrong) = (items.len(), items.iter().filter(wrong).count());
        for one in page.get("0/costs/pipelines")["items"].as_array().unwrap() {
            let own = items.iter().filter(|item| item["pipeline"]["id"] == one["pipeline"]["id"]);
            let sum: u64 = own.clone().map(|item| item["driver_counts"]["Commands/Draws"].as_u64().unwrap()).sum();
            assert_eq!(
                (&one["operations"], &one["driver_counts"]["Commands/Draws"]),
                (&own.count().into(), &sum.into())
            );
            let share = if one["operations"] == 1 { json!(50.0) } else { Json::Null };
            assert_eq!(one["driver_counts"]["Work/Busy"], share, "{one}");
        }
        (all, wrong)
    };
    assert_eq!(told(|_| {}), (10, 0));
    assert_eq!(told(counting::lie), (10, 10));
}

/// Times of a library that left draws out say so, of either run.
#[test]
fn times_of_less_work_are_called_so() {
    let (folder, trace) = traced();
    let (less, own) = (folder.path().join("less.times"), folder.path().join("own.times"));
    times(&trace, &FEW).save(&own).unwrap();
    let mut left = times(&trace, &FEW);
    left.about.left_out = "3 draws are left out, because of a test".into();
    left.save(&less).unwrap();
    let [own, less, trace] = [&own, &less, &trace].map(|path| path.to_str().unwrap());
    let about = Page::with(&["--times", own, "--times", less, trace], &programs()).get("0/times");
    assert_eq!(
        (&about["left_out"], &about["against"]["left_out"]),
        (&Json::Null, &"3 draws are left out, because of a test".into())
    );
}

/// What was not timed or not counted is told with the reason: of the file, of each operation, and how many of a pipeline's operations it is.
#[test]
fn what_was_not_counted_is_said() {
    let (_folder, trace) = traced();
    let told = |lacking: &Times| {
        lacking.save(&beside(&trace)).unwrap();
        let page = Page::of(&trace);
        let of = |question: &str, name: &str, member: &str| {
            let items = page.get(question)["items"].as_array().unwrap().clone();
            items.iter().map(|item| (item[name].clone(), item[member].clone())).collect::<Vec<_>>()
        };
        let pipelines = page.get("0/costs/pipelines")["items"].as_array().unwrap().clone();
        let pipelines: Vec<_> =
            pipelines.iter().map(|one| (one["pipeline"]["id"].clone(), one["uncounted"].clone())).collect();
        (page.get("0/times"), of("0/costs?sort=call", "call", "uncounted"), pipelines)
    };
    let whole = times(&trace, &FEW);
    let (about, operations, pipelines) = told(&whole);
    assert_eq!((&about["untimed"], &about["uncounted"]), (&json!([]), &json!([])));
    assert!(operations.iter().all(|one| one.1 == Json::Null), "{operations:?}");
    assert_eq!(pipelines, [(json!(13), json!(0)), (json!(14), json!(0))]);
    let mut lacking = whole.clone();
    let many: Vec<u64> = (200..250).collect();
    lacking.runs[2].untimed = BTreeMap::from([("a queue without a clock".to_owned(), many.clone())]);
    lacking.counted.as_mut().unwrap().uncounted = BTreeMap::from([("a test".to_owned(), vec![91])]);
    let counters = vec![DriverCounter { name: "Waves".into(), ..DriverCounter::default() }];
    let uncounted = BTreeMap::from([("a test".to_owned(), vec![91, 97])]);
    lacking.driver = vec![DriverCounted { counters, uncounted, ..DriverCounted::default() }];
    let (about, operations, pipelines) = told(&lacking);
    assert_eq!(about["uncounted"], json!([{ "reason": "a test", "count": 2, "calls": [91, 97] }]));
    assert_eq!(about["untimed"], json!([{ "reason": "a queue without a clock", "count": 50, "calls": many[..20] }]));
    let reasons = [(91, json!("a test")), (93, Json::Null), (95, Json::Null), (97, json!("a test"))];
    assert_eq!(operations, reasons.map(|(call, reason)| (json!(call), reason)));
    assert_eq!(pipelines, [(json!(13), json!(2)), (json!(14), json!(0))]);
    // Of a submission that was not counted none of its operations is.
    lacking.driver[0].uncounted = BTreeMap::from([("another".to_owned(), vec![165])]);
    let (_, operations, pipelines) = told(&lacking);
    let reasons = [(91, "a test"), (93, "another"), (95, "another"), (97, "another")];
    assert_eq!(operations, reasons.map(|(call, reason)| (json!(call), json!(reason))));
    assert_eq!(pipelines, [(json!(13), json!(3)), (json!(14), json!(1))]);
}

/// Every operation of the second run takes twice as long. What a run left out, the whole with it, and pipelines, of which some of it may be, are called
/// neither longer nor shorter.
#[test]
fn what_a_run_left_out_is_neither_longer_nor_shorter() {
    let (folder, trace) = traced();
    let slower: Vec<Timed<'_>> = FEW.iter().map(|one| (one.0, one.1, one.2, one.3 * 2.0)).collect();
    let save = |name: &str, all: &[Timed<'_>], calls: &[u64]| {
        let mut times = times(&trace, all);
        times.about.left_out_calls = calls.iter().copied().collect();
        let path = folder.path().join(name);
        times.save(&path).unwrap();
        path.display().to_string()
    };
    let (whole, less) = (save("whole.times", &FEW, &[]), save("less.times", &FEW, &[93]));
    let (slow, slow_less) = (save("slow.times", &slower, &[]), save("slow-less.times", &slower, &[93]));
    let trace = trace.to_str().unwrap();
    let all: Vec<u64> = FEW.iter().map(|one| one.0).collect();
    let others: Vec<u64> = all.iter().copied().filter(|call| *call != 93).collect();
    // Both runs, the operations and the number of pipelines that are longer, and whether the whole is.
    let cases = [
        ([&whole, &slow], &all, 2, true),
        ([&less, &slow_less], &all, 2, true),
        ([&less, &slow], &others, 0, false),
        ([&whole, &slow_less], &others, 0, false),
    ];
    for ([a, b], longer, pipelines, is_whole) in cases {
        let page = Page::with(&["--times", a, "--times", b, trace], &programs());
        let rows = page.get("0/costs/against?sort=call");
        let items = rows["items"].as_array().unwrap();
        let told: Vec<u64> =
            items.iter().filter(|row| row["sure"] == "longer").map(|row| row["call"].as_u64().unwrap()).collect();
        assert_eq!(&told, longer, "{rows}");
        assert!(items.iter().all(|row| row["sure"] == "longer" || row["sure"].is_null()), "{rows}");
        assert_eq!(rows["longer"], longer.len(), "{rows}");
        assert_eq!(rows["total_sure"], if is_whole { json!("longer") } else { Json::Null }, "{rows}");
        assert_eq!(page.get("0/costs/against?by=pipeline")["longer"], pipelines, "{a} {b}");
    }
}

/// A barrier that is recorded while a pipeline is set runs none.
#[test]
fn a_pipeline_has_what_it_ran() {
    let (_folder, trace) = traced();
    let mut barriers = times(&trace, &FEW);
    barriers.operations.get_mut(&97).unwrap().method = "ResourceBarrier".into();
    barriers.save(&beside(&trace)).unwrap();
    let page = Page::of(&trace);
    let of = page.get("0/costs/pipelines?object=13");
    assert_eq!((&of["items"][0]["operations"], &of["items"][0]["gpu_ns"]), (&2.into(), &5000.0.into()));
    assert_eq!(page.get("0/costs?pipeline=13")["total"], 2);
    let first = &page.get("0/costs?count=1")["items"][0];
    assert_eq!((&first["call"], &first["pipeline"]), (&97.into(), &Json::Null));
    let flame = page.get("0/costs/flame");
    assert!(flame["boxes"].as_array().unwrap().iter().any(|one| one[4] == "ResourceBarrier"), "{flame}");
}

/// One operation of the second run takes twice as long, one is not in it, and one is in it alone.
#[test]
fn two_runs_are_compared_by_operation_and_by_pipeline() {
    let (folder, trace) = traced();
    let (a, b) = (folder.path().join("a.times"), folder.path().join("b.times"));
    times(&trace, &FEW).save(&a).unwrap();
    let mut slower: Vec<Timed<'_>> = FEW.to_vec();
    slower[1].3 *= 2.0;
    slower[3] = (99, &["sky"], 13, 8000.0);
    times(&trace, &slower).save(&b).unwrap();
    let words = |files: &[&Path]| {
        let mut words: Vec<String> = Vec::new();
        files.iter().for_each(|file| words.extend(["--times".into(), file.display().to_string()]));
        words.push(trace.display().to_string());
        words
    };
    let with = |files: &[&Path]| {
        let words = words(files);
        Page::with(&words.iter().map(String::as_str).collect::<Vec<_>>(), &programs())
    };
    let page = with(&[&a, &b]);
    let about = page.get("0/times");
    assert_eq!((&about["file"], &about["against"]["file"]), (&"a.times".into(), &"b.times".into()));
    assert_eq!(page.get("traces")["traces"][0]["measured"], true);
    let rows = page.get("0/costs/against");
    let items = rows["items"].as_array().unwrap();
    let told: Vec<_> = items
        .iter()
        .map(|row| (row["call"].as_u64().unwrap(), row["difference_ns"].as_f64(), row["sure"].as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (93, Some(2000.0), Some("longer")),
            (91, Some(0.0), None),
            (95, Some(0.0), None),
            (97, None, None),
            (99, None, None)
        ]
    );
    assert_eq!((&items[3]["b_ns"], &items[4]["a_ns"], &items[4]["b_ns"]), (&Json::Null, &Json::Null, &8000.0.into()));
    assert_eq!((&rows["longer"], &rows["shorter"], &rows["compared"]), (&1.into(), &0.into(), &5.into()));
    let by = page.get("0/costs/against?by=pipeline");
    let of: Vec<_> = by["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["pipeline"]["id"], row["difference_ns"].as_f64()))
        .collect();
    assert_eq!(of, [(&14.into(), Some(2000.0)), (&13.into(), Some(0.0))]);
    // The other way round it is shorter; a run beside itself differs in nothing.
    let turned = with(&[&b, &a]).get("0/costs/against");
    assert_eq!((&turned["items"][0]["call"], &turned["items"][0]["sure"]), (&93.into(), &"shorter".into()));
    let same = with(&[&a, &a]).get("0/costs/against");
    assert_eq!((&same["longer"], &same["shorter"], &same["total_sure"]), (&0.into(), &0.into(), &Json::Null));
    assert_eq!(page.ask("0/costs/against?by=pipeline&frame=2").0, 400);
    // Files that cannot be taken are refused before there is a page.
    let refused = |files: &[&Path]| {
        let words = words(files);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_reprise-inspect")).args(&words).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let cut = folder.path().join("cut.times");
    let bytes = std::fs::read(&a).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() - 20]).unwrap();
    let other = folder.path().join("other.times");
    let mut strange = times(&trace, &FEW);
    strange.about.trace_bytes += 1;
    strange.save(&other).unwrap();
    for (file, why) in [(&cut, "line "), (&other, "bytes"), (&folder.path().join("none.times"), "none.times")] {
        let (code, said) = refused(&[&a, file]);
        assert!(code == Some(3) && said.contains(why), "{code:?} {said}");
    }
    assert_eq!(refused(&[&a, &a, &a]).0, Some(2));
}

/// The history of a pixel is the one that the command prints.
#[test]
fn a_pixels_history_is_that_of_the_command() {
    let trace = golden("gears");
    let page = Page::of(&trace);
    let question = json!({ "kind": "pixel", "frame": 2, "at": [150, 150] });
    let job = page.job(&question);
    assert_eq!(job["state"], "done", "{job}");
    let mut told = job["result"].clone();
    let expected = reprise(&["pixel", trace.to_str().unwrap(), "--frame", "2", "--at", "150,150", "--json"]);
    let expected: Json = serde_json::from_str(&expected).unwrap();
    assert_eq!(told["object"]["id"], told["resource"]);
    told.as_object_mut().unwrap().remove("object");
    assert_eq!(told, expected);
    assert!(expected["events"].as_array().unwrap().len() > 1);
    // Another texture by its id, and one that there is not.
    let resource = expected["resource"].as_u64().unwrap();
    let named = page.job(&json!({ "kind": "pixel", "frame": 2, "at": [150, 150], "resource": resource }));
    assert_eq!(named["result"]["events"], expected["events"]);
    let none = page.job(&json!({ "kind": "pixel", "frame": 2, "at": [150, 150], "resource": 4711 }));
    assert_eq!((&none["state"], none["error"].is_string()), (&"failed".into(), true), "{none}");
    let outside = page.job(&json!({ "kind": "pixel", "frame": 2, "at": [5000, 5000] }));
    let failed = outside["error"].as_str().unwrap_or_default();
    assert!(outside["state"] == "failed" && failed.contains("lies outside"), "{outside}");
    for wrong in [
        json!({ "at": [1, 2] }),
        json!({ "frame": 0, "at": [1, 2] }),
        json!({ "frame": 1 }),
        json!({ "frame": 1, "at": [-1, 2] }),
        json!({ "frame": 1, "at": [1, 2, 3] }),
        json!({ "frame": 1, "at": [1, 2], "resource": "x" }),
    ] {
        let mut question = wrong.clone();
        question["kind"] = "pixel".into();
        assert_eq!(page.begin(&question).0, 400, "{wrong}");
    }
}

/// The heat of a target is each operation's time, spread over the texels that it changed, by what `reprise show` has of them before and after it.
#[test]
fn a_targets_heat_is_spread_over_what_each_operation_changed() {
    let (folder, trace) = traced();
    let dump = lines(&["dump", "--json", trace.to_str().unwrap()]);
    let draws: Vec<u64> = dump
        .iter()
        .filter(|line| {
            line["this"]["id"] == 15
                && line["method"].as_str().is_some_and(|name| name.ends_with("::DrawIndexedInstanced"))
        })
        .map(|line| line["call"].as_u64().unwrap())
        .collect();
    let timed: Vec<Timed<'_>> =
        draws.iter().zip(1..).map(|(call, at)| (*call, &[][..], 13, f64::from(at) * 1000.0)).collect();
    times(&trace, &timed).save(&beside(&trace)).unwrap();
    let raw = |call: u64, before: bool| {
        let path = folder.path().join("texels.raw");
        let (call, path_text) = (call.to_string(), path.to_str().unwrap());
        let mut words = vec!["show", trace.to_str().unwrap(), "--call", &call, "--resource", "3", "--raw", path_text];
        words.extend(before.then_some("--before"));
        reprise(&words);
        std::fs::read(&path).unwrap()
    };
    let mut expected = vec![0.0f32; 300 * 300];
    let mut changed = Vec::new();
    for (call, _, _, ns) in &timed {
        let (before, after) = (raw(*call, true), raw(*call, false));
        let of: Vec<usize> =
            (0..300 * 300).filter(|at| before[at * 4..at * 4 + 4] != after[at * 4..at * 4 + 4]).collect();
        of.iter().for_each(|at| expected[*at] += (ns / of.len() as f64) as f32);
        changed.push(of.len());
    }
    assert!(changed.iter().filter(|count| **count > 100).count() > 2, "{changed:?}");
    let page = Page::of(&trace);
    let job = page.job(&json!({ "kind": "heat", "frame": 2, "resource": 3 }));
    assert_eq!(job["state"], "done", "{job}");
    let told = &job["result"];
    assert_eq!(
        (&told["width"], &told["operations"], &told["of"]),
        (&300.into(), &draws.len().into(), &draws.len().into())
    );
    assert!((told["share"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{told}");
    let bytes = page.file(&told["values"]["file"]);
    let heat: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
    assert_eq!(heat, expected);
    let none = page.job(&json!({ "kind": "heat", "frame": 1, "resource": 3 }));
    assert!(none["state"] == "failed" && none["error"].as_str().unwrap().contains("frame 1"), "{none}");
    let gone = page.job(&json!({ "kind": "heat", "frame": 2, "resource": 4711 }));
    assert!(gone["state"] == "failed" && gone["error"].as_str().unwrap().contains("4711"), "{gone}");
    assert_eq!(page.begin(&json!({ "kind": "heat", "frame": 2 })).0, 400);
    let bare = Page::of(&golden("gears")).job(&json!({ "kind": "heat", "frame": 2, "resource": 3 }));
    assert!(bare["error"].as_str().unwrap().contains("reprise time --save"), "{bare}");
}
