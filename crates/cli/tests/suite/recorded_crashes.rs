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

/// Three queues that wait for one another, and lists that are recorded anew while others are under way: what waits has begun nothing.
#[test]
fn the_operation_is_named_among_several_queues_and_frames() {
    for (name, faults) in [("queues", [1, 8, 15, 22].as_slice()), ("waits", &[2, 13]), ("streaming", &[2, 140, 290])] {
        for at in faults {
            let fault = format!("lost@{at}");
            let (bench, _) = captured(name, &["--breadcrumbs"], Some(&fault));
            let (call, method) = operations(&bench)[at - 1].clone();
            let found = diagnosed(&bench);
            assert_eq!(found["suspects"], serde_json::json!([call]), "{name}, {fault}, {method}: {found}");
        }
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
