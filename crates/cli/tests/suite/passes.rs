//! Render passes clear where they begin and resolve where they end, and say so wherever a command of their own would.
//!
//! The program `passes` clears a target of 32 by 32 pixels in one pass, keeps it in a second that is suspended, and resumes that in another list with
//! a pass that says to clear; then a pass clears and draws to a target of four samples, of which it resolves a part.

use crate::bench::Bench;
use crate::programs::{self, ours};
use serde_json::{Value as Json, json};

struct Passes {
    bench: Bench,
    calls: Vec<Json>,
}

impl Passes {
    fn new() -> Passes {
        let bench = Bench::new();
        programs::capture(&bench, "passes", &ours());
        let dump = bench.output(&["dump", "--json", "trace.reprise"]);
        Passes { bench, calls: dump.lines().map(|line| serde_json::from_str(line).unwrap()).collect() }
    }

    /// The numbers of the calls of a method.
    fn of(&self, method: &str) -> Vec<u64> {
        let is = |call: &&Json| call["method"].as_str().is_some_and(|name| name.ends_with(method));
        self.calls.iter().filter(is).map(|call| call["call"].as_u64().unwrap()).collect()
    }

    fn json(&self, arguments: &[&str]) -> Json {
        serde_json::from_str(&self.bench.output(&[arguments, &["--json", "trace.reprise"]].concat())).unwrap()
    }

    /// What stands in arguments of a pass, by the pass's number.
    fn target(&self, pass: usize) -> (u64, Json) {
        let begin = self.of("::BeginRenderPass")[pass];
        let call = self.calls.iter().find(|call| call["call"] == begin).unwrap();
        (begin, call["args"]["pRenderTargets"][0].clone())
    }
}

#[test]
fn a_pass_that_resumes_clears_nothing() {
    let passes = Passes::new();
    let draws = passes.of("::DrawInstanced");
    let (resumes, says) = passes.target(2);
    assert_eq!(says["BeginningAccess"]["Type"], "D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE_CLEAR");
    // The target is resolved to at the end: it is the destination of the fourth pass.
    let target = passes.target(3).1["EndingAccess"]["Resolve"]["pDstResource"]["id"].as_u64().unwrap().to_string();
    let usage = |call: u64| {
        let call = call.to_string();
        let told = passes.bench.output(&["state", "trace.reprise", &call, "--object", &target, "--json", "--no-index"]);
        serde_json::from_str::<Json>(&told).unwrap()["usage"].clone()
    };
    let found = usage(resumes);
    assert_eq!(found["previous_write"]["call"], draws[0], "{found}");
    assert_eq!(found["next_write"]["call"], draws[1], "{found}");
    assert_eq!(found["here"][0]["kind"], "keep", "{found}");
    // The control: the first pass clears.
    let (clears, _) = passes.target(0);
    let found = usage(clears);
    assert_eq!((&found["here"][0]["kind"], &found["here"][0]["call"]), (&json!("clear"), &json!(clears)), "{found}");
}

#[test]
fn clears_and_resolves_of_passes_are_steps_of_their_frames() {
    let passes = Passes::new();
    let (begins, ends, draws) =
        (passes.of("::BeginRenderPass"), passes.of("::EndRenderPass"), passes.of("::DrawInstanced"));
    // Each submission is a frame.
    let submissions = passes.of("::ExecuteCommandLists");
    let call = |number: u64| passes.calls.iter().find(|call| call["call"] == number).unwrap();
    let runs = |submission: u64, list: &Json| {
        let lists = call(submission)["args"]["ppCommandLists"].as_array().unwrap();
        lists.iter().any(|run| run["id"] == list["id"])
    };
    let shown = |from: u64| -> Vec<(u64, u64)> {
        let list = &call(from)["this"];
        let frame =
            submissions.iter().position(|submission| *submission > from && runs(*submission, list)).unwrap() + 1;
        let told = passes.json(&["draws", "--frame", &frame.to_string()]);
        let pictures = told["pictures"].as_array().unwrap().clone();
        pictures.iter().map(|it| (it["call"].as_u64().unwrap(), it["resource"].as_u64().unwrap())).collect()
    };
    let resolve = passes.target(3).1["EndingAccess"]["Resolve"].clone();
    let (to, from) = (resolve["pDstResource"]["id"].as_u64().unwrap(), resolve["pSrcResource"]["id"].as_u64().unwrap());
    // Nothing of the pass that resumes is a step but its draw.
    assert_eq!(shown(begins[0]), [(begins[0], to), (draws[0], to), (draws[1], to)]);
    assert_eq!(shown(begins[3]), [(begins[3], from), (draws[2], from), (ends[3], to)]);
}

#[test]
fn what_passes_clear_and_resolve_is_dumped_and_shown() {
    let passes = Passes::new();
    let bench = &passes.bench;
    let (begins, ends) = (passes.of("::BeginRenderPass"), passes.of("::EndRenderPass"));
    let resolve = passes.target(3).1["EndingAccess"]["Resolve"].clone();
    let (to, from) = (&resolve["pDstResource"]["id"], &resolve["pSrcResource"]["id"]);
    let dumped = |call: u64| {
        _ = std::fs::remove_dir_all(bench.path("dumped"));
        let call = call.to_string();
        let done = ["replay", "-q", "--dump-draw", &call, "--dump-resources-dir", "dumped", "trace.reprise"];
        let done = bench.run(&done);
        let files = std::fs::read_dir(bench.path("dumped")).into_iter().flatten();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter_map(|name| name.strip_suffix(".dds").map(str::to_owned)).collect();
        names.sort();
        (names, done.errors())
    };
    let name = |call: u64, role: &str, resource: &Json| format!("call{call:08}_after_{role}_res{resource}");
    assert_eq!(dumped(begins[0]).0, [name(begins[0], "cleared", to)]);
    assert_eq!(dumped(ends[3]).0, [name(ends[3], "destination", to), name(ends[3], "source", from)]);
    for (call, says) in [(begins[2], "clears nothing where it begins"), (ends[1], "resolves nothing where it ends")] {
        let (names, errors) = dumped(call);
        assert!(names.is_empty() && errors.contains(says), "{names:?} {errors}");
    }
    // The first pass clears to what nothing was before, the one that resumes changes nothing.
    for (call, changed) in [(begins[0], 1024), (begins[2], 0)] {
        let (call, picture) = (call.to_string(), format!("{call}.png"));
        let looked = ["show", "--call", &call, "--target", "0", "--overlay", "changed", "-o", &picture];
        let text = bench.output(&[&looked[..], &["trace.reprise"]].concat());
        assert!(text.contains(&format!("changed: {changed} texels")), "{text}");
    }
}
