//! `reprise diagnose`: the operation at which the device of a recorded program was lost, from the trace alone. The faults are
//! `REPRISE_FAULT`'s; which call the N-th operation is, this test counts in the dump.

use crate::bench::{Bench, PATIENCE};
use crate::diagnosis::operations;
use crate::programs;
use reprise_testing::{Finished, artifact};
use serde_json::Value as Json;

/// What `diagnose` ends with where the GPU stopped.
const STOPPED: i32 = 6;

/// Captures a program, whose device may be lost meanwhile.
fn captured(name: &str, options: &[&str], fault: Option<&str>) -> (Bench, Finished) {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-q", "-o", "trace.reprise"]).args(options).arg("--").arg(artifact::programs().unwrap());
    command.args([name, "--shaders", "dxil", "--library"]).arg(programs::ours());
    if let Some(fault) = fault {
        command.env("REPRISE_FAULT", fault);
    }
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    (bench, finished)
}

fn diagnosed(bench: &Bench) -> Json {
    let finished = bench.run(&["diagnose", "--json", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(STOPPED), "{}{}", finished.text(), finished.errors());
    let mut report: Json = serde_json::from_str(&finished.text()).unwrap();
    report["diagnosis"].take()
}

#[test]
fn the_operation_that_a_crash_was_at_is_named() {
    for (name, at) in
        [("vertices", 3), ("copies", 1), ("copies", 9), ("passes", 2), ("compute", 4), ("many-draws", 5000)]
    {
        let fault = format!("lost@{at}");
        let (bench, _) = captured(name, &["--breadcrumbs"], Some(&fault));
        let (call, method) = operations(&bench)[at - 1].clone();
        let found = diagnosed(&bench);
        assert_eq!(found["suspects"], serde_json::json!([call]), "{name}, {fault}, {method}: {found}");
        assert_eq!(found["removed"], "DXGI_ERROR_DEVICE_HUNG (0x887a0006)", "{name}");
        let text = bench.run(&["diagnose", "trace.reprise"]).text();
        assert!(text.lines().count() <= 40, "{text}");
        assert!(text.contains(&format!("bound at call {call}")), "{text}");
    }
}

/// Frames are under way while others are recorded.
#[test]
fn the_operation_is_named_among_several_frames() {
    for at in [2, 140, 280] {
        let (bench, _) = captured("streaming", &["--breadcrumbs"], Some(&format!("lost@{at}")));
        let (call, method) = operations(&bench)[at - 1].clone();
        let found = diagnosed(&bench);
        assert_eq!(found["suspects"], serde_json::json!([call]), "lost@{at}, {method}: {found}");
    }
}

/// Three queues, of which two wait for what the third one makes. DRED does not say whether the next operation of a queue is begun, so that
/// one which waits for nothing is named beside the one that was seeded. One that waits is not.
#[test]
fn a_queue_that_waits_has_no_part_in_a_crash() {
    for (name, at) in [("queues", 1), ("queues", 8), ("queues", 22), ("waits", 2), ("waits", 13)] {
        let fault = format!("lost@{at}");
        let (bench, _) = captured(name, &["--breadcrumbs"], Some(&fault));
        let (call, method) = operations(&bench)[at - 1].clone();
        let found = diagnosed(&bench);
        let suspects = found["suspects"].as_array().unwrap();
        assert!(suspects.contains(&call.into()), "{name}, {fault}, {method} by call {call}: {found}");
        let queues = found["queues"].as_array().unwrap();
        let at_work = queues.iter().filter(|queue| queue["at"] == "submission").count();
        let waiting = queues.iter().filter(|queue| queue["at"] == "wait").collect::<Vec<_>>();
        assert_eq!(suspects.len(), at_work, "{name}, {fault}: {found}");
        // The steps of a chunk go from queue to queue, and of three queues one at least has nothing to work on when another stands still.
        assert!(at_work < 3, "{name}, {fault}: {found}");
        for queue in waiting {
            assert!(queue["wait"]["signaller"]["call"].is_u64(), "{name}, {fault}: {found}");
        }
    }
}

/// Markers of capture's own need no breadcrumbs.
#[test]
fn markers_name_the_operation_that_a_crash_was_at() {
    for (name, at) in [("vertices", 3), ("passes", 2), ("streaming", 140), ("many-draws", 7000)] {
        let fault = format!("lost@{at}");
        let (bench, _) = captured(name, &["--markers"], Some(&fault));
        let (call, method) = operations(&bench)[at - 1].clone();
        let found = diagnosed(&bench);
        assert_eq!(found["suspects"], serde_json::json!([call]), "{name}, {fault}, {method}: {found}");
        assert_eq!(found["unmarked"], Json::Null, "{name}, {fault}: {found}");
    }
}

/// The result is that of a capture without markers, and so are the calls.
#[test]
fn markers_are_no_part_of_what_is_recorded() {
    let calls = |bench: &Bench| {
        let dump = bench.output(&["dump", "--json", "trace.reprise"]);
        let lines = dump.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
        let methods = lines.filter(|line| line.get("call").is_some()).map(|line| line["method"].to_string());
        // How often a program looks at a fence depends on the time.
        methods.filter(|method| !method.contains("ID3D12Fence::")).collect::<Vec<_>>()
    };
    for name in ["bundles", "passes", "queues"] {
        let [(with, finished), (without, other)] =
            [&["--markers"][..], &[]].map(|options| captured(name, options, None));
        assert!(finished.status.success(), "{name}: {}", finished.errors());
        assert_eq!((finished.text(), calls(&with)), (other.text(), calls(&without)), "{name}");
        let policy = with.output(&["dump", "--json", "trace.reprise"]);
        assert!(policy.contains("markers_policy"), "{name}");
    }
}

#[test]
fn without_breadcrumbs_the_submission_is_named() {
    let (bench, _) = captured("vertices", &[], Some("lost@3"));
    let found = diagnosed(&bench);
    assert_eq!(found["suspects"], serde_json::json!([]));
    assert_eq!(found["queues"][0]["at"], "submission");
    let unmarked = found["unmarked"].as_str().unwrap();
    assert!(unmarked.contains("capture --breadcrumbs"), "{unmarked}");
}

/// The buffer was released before the fault: the call that did is named.
#[test]
fn a_fault_in_released_memory_names_the_release() {
    let (bench, finished) = captured("breadcrumbs", &["--breadcrumbs"], Some("page-fault@20:released"));
    assert!(finished.status.success(), "{}", finished.errors());
    let found = diagnosed(&bench);
    let released = found["fault"]["owner"]["released"].as_u64().unwrap();
    let lines = bench.output(&["dump", "--json", "trace.reprise"]);
    let mut lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let release = lines.find(|line| line["call"] == released).unwrap();
    assert!(release["method"].as_str().unwrap().ends_with("::Release"), "{release}");
    assert_eq!(release["this"]["id"], found["fault"]["owner"]["resource"]);
}

#[test]
fn a_program_that_ends_well_has_nothing_to_diagnose() {
    let (bench, finished) = captured("vertices", &["--breadcrumbs"], None);
    assert!(finished.status.success(), "{}", finished.errors());
    let found = bench.run(&["diagnose", "trace.reprise"]);
    assert_eq!(found.status.code(), Some(0), "{}", found.errors());
    assert!(found.text().starts_with("nothing stopped"), "{}", found.text());
}
