//! What `reprise time --save` measured, on the page: a file of times that this test writes, beside a recorded trace.

use crate::page::{Page, golden, lines};
use reprise_times::{About, List, Operation, Run, Submission, Times, beside};
use serde_json::{Value as Json, json};

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
        let lists = vec![List { list, begin: 5.0, duration: total * scale, operations, passes: Vec::new() }];
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
