//! `replay --diagnose`: an operation that never ends, or at which the device is lost, is named by its call. The faults are `REPRISE_FAULT`'s,
//! which counts operations as lists record them; which call that is, this test counts in the dump.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::{Finished, artifact};
use serde_json::Value as Json;

/// What `replay` ends with where the GPU stopped, and where it failed in another way.
const STOPPED: i32 = 6;
const FAILED: i32 = 1;

pub(crate) fn captured(name: &str) -> Bench {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-q", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args([name, "--shaders", "dxil", "--library"]).arg(programs::ours());
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{name}: {}\n{}", finished.status, finished.errors());
    bench
}

/// The calls of a trace that make the GPU do something, in their order: what lists record themselves, and not what bundles do.
pub(crate) fn operations(bench: &Bench) -> Vec<(u64, String)> {
    let lines = bench.output(&["dump", "--json", "trace.reprise"]);
    let mut bundles = Vec::new();
    let mut operations = Vec::new();
    for line in lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()) {
        let Some((class, method)) = line["method"].as_str().and_then(|name| name.split_once("::")) else { continue };
        if method.starts_with("CreateCommandList") && line["args"]["type"] == "D3D12_COMMAND_LIST_TYPE_BUNDLE" {
            bundles.push(line["args"]["ppCommandList"]["id"].clone());
        }
        let works = ["Draw", "Dispatch", "Copy", "Resolve", "Execute", "Build", "Clear"];
        let works = works.iter().any(|start| method.starts_with(start)) && method != "ClearState";
        if class.starts_with("ID3D12GraphicsCommandList") && works && !bundles.contains(&line["this"]["id"]) {
            operations.push((line["call"].as_u64().unwrap(), method.to_owned()));
        }
    }
    operations
}

pub(crate) fn replay(bench: &Bench, arguments: &[&str], fault: Option<String>) -> Finished {
    let mut command = bench.command();
    // What never ends is waited for shortly; a loss comes once the GPU is there, which takes long on a busy machine.
    let patience = if fault.as_ref().is_some_and(|fault| fault.starts_with("hang")) { "2" } else { "60" };
    command.args(["replay", "--fence-timeout", patience]).args(arguments).arg("trace.reprise");
    command.env_remove("REPRISE_LOG_LEVEL");
    if let Some(fault) = fault {
        command.env("REPRISE_FAULT", fault);
    }
    reprise_testing::run(&mut command, PATIENCE).unwrap()
}

/// The diagnosis of a replay that must end at a fault.
pub(crate) fn diagnosis(finished: &Finished) -> Json {
    assert_eq!(finished.status.code(), Some(STOPPED), "{}{}", finished.text(), finished.errors());
    let mut report: Json = serde_json::from_str(&finished.text()).unwrap();
    report["diagnosis"].take()
}

#[test]
fn the_operation_at_which_the_device_is_lost_is_named() {
    for name in ["vertices", "copies", "bundles", "passes", "compute"] {
        let bench = captured(name);
        let operations = operations(&bench);
        assert!(!operations.is_empty(), "{name}");
        // All of a short trace; of a long one every so often.
        for at in (0..operations.len()).step_by(operations.len().div_ceil(6)) {
            let (call, method) = &operations[at];
            let finished = replay(&bench, &["--json", "--diagnose"], Some(format!("lost@{}", at + 1)));
            let found = diagnosis(&finished);
            assert_eq!(found["suspects"], serde_json::json!([call]), "{name}, operation {}, {method}: {found}", at + 1);
            assert_eq!(found["removed"], "DXGI_ERROR_DEVICE_HUNG (0x887a0006)", "{name}");
        }
    }
}

#[test]
fn an_operation_that_never_ends_is_named() {
    let bench = captured("vertices");
    let operations = operations(&bench);
    let (call, method) = &operations[4];
    // Without the option, too: the trace is played again then.
    for option in ["--diagnose", "--quiet"] {
        let finished = replay(&bench, &[option], Some("hang@5".into()));
        assert_eq!(finished.status.code(), Some(STOPPED), "{}{}", finished.text(), finished.errors());
        let text = finished.text();
        assert!(text.contains("THE GPU DOES NOT FINISH"), "{text}");
        let begun = text.lines().find(|line| line.contains("[>]")).unwrap();
        assert!(begun.contains(&format!("#{call} ")) && begun.contains(method), "{text}");
        assert!(text.contains(&format!("bound at call {call}")) && text.lines().count() <= 40, "{text}");
    }
    let finished = replay(&bench, &["--no-diagnosis"], Some("hang@5".into()));
    assert_eq!(finished.status.code(), Some(FAILED), "{}", finished.errors());
}

/// Nothing waits for the only submission of a frame that was cut out: the replay's end does.
#[test]
fn work_that_never_ends_behind_the_last_wait_is_noticed() {
    let bench = Bench::new();
    let gears = artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    bench.output(&["trim", gears.to_str().unwrap(), "--frames", "1", "-o", "trace.reprise"]);
    assert_eq!(replay(&bench, &[], None).status.code(), Some(0));
    let finished = replay(&bench, &["--no-diagnosis"], Some("hang@3".into()));
    assert_eq!(finished.status.code(), Some(FAILED), "{}", finished.text());
    assert!(finished.errors().contains("queue 2 still works"), "{}", finished.errors());
    let call = operations(&bench)[2].0;
    let finished = replay(&bench, &[], Some("hang@3".into()));
    assert_eq!(finished.status.code(), Some(STOPPED), "{}", finished.errors());
    let begun = finished.text().lines().find(|line| line.contains("[>]")).unwrap_or_default().to_owned();
    assert!(begun.contains(&format!("#{call} ")), "{}", finished.text());
}

/// A fault in a buffer is told as the buffer and the offset; one in no buffer as such.
#[test]
fn the_address_of_a_fault_is_told_as_a_buffer() {
    // Its buffers lie where they lay, so the trace tells their addresses. The first one is there when the fault comes.
    let bench = captured("dispatch-roots");
    let lines = bench.output(&["dump", "--json", "trace.reprise"]);
    let mut facts = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let lies = facts.find(|event| event["fact"] == "address_range" && event["bytes"].as_u64() > Some(16)).unwrap();
    let address = u64::from_str_radix(lies["address"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
    let fault = |address: u64| {
        let finished = replay(&bench, &["--json", "--diagnose"], Some(format!("page-fault@1:{address:x}")));
        diagnosis(&finished)["fault"].take()
    };
    let found = fault(address + 8);
    assert_eq!(found["address"], format!("{:#x}", address + 8));
    assert_eq!((&found["owner"]["resource"], &found["owner"]["offset"]), (&lies["object"]["id"], &8.into()), "{found}");
    assert_eq!(fault(0x10)["owner"], Json::Null);
}

/// Markers change nothing where nothing is wrong.
#[test]
fn a_sound_trace_plays_with_markers_as_without() {
    for name in ["vertices", "copies", "bundles", "passes", "compute", "predication"] {
        let bench = captured(name);
        let finished = replay(&bench, &["--json", "--diagnose"], None);
        assert!(finished.status.success(), "{name}: {}{}", finished.text(), finished.errors());
        let report: Json = serde_json::from_str(&finished.text()).unwrap();
        assert_eq!(report["difference_count"], 0, "{name}: {report}");
        assert_ne!(report["compared_bytes"], 0, "{name}: {report}");
    }
}
