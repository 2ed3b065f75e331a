//! The table of seeded faults (`cargo xtask faults`, docs/faults.md), as far as they are programs that run: each is found, the call that is named
//! is the one that was seeded, and the correct twin has no finding. A row is printed for each.

use crate::bench::{Bench, PATIENCE};
use crate::breadcrumbs;
use crate::diagnosis;
use crate::programs;
use reprise_testing::artifact;
use serde_json::Value as Json;

/// A fault of `reprise-programs --wrong`: its name, the rule that finds it, the method that is wrong, and which of the method's calls, from 0.
const WRONG: &[(&str, &str, &str, usize)] = &[
    ("state-before", "state-before", "ID3D12GraphicsCommandList::ResourceBarrier", 1),
    ("state-use", "state-use", "ID3D12GraphicsCommandList::CopyBufferRegion", 1),
    ("barrier-arguments", "barrier-arguments", "ID3D12GraphicsCommandList::ResourceBarrier", 1),
    ("queue-race", "queue-race", "ID3D12GraphicsCommandList::CopyBufferRegion", 1),
    ("fence-backwards", "fence-backwards", "ID3D12CommandQueue::Signal", 1),
    ("released-in-flight", "released-in-flight", "IUnknown::Release", 0),
    ("readback-early", "readback-early", "ID3D12Resource::Unmap", 0),
    ("events", "events", "ID3D12GraphicsCommandList::BeginEvent", 0),
    ("stale-address", "stale-address", "ID3D12Device::CreateConstantBufferView", 0),
    ("stale-handle", "stale-handle", "ID3D12Device::CopyDescriptorsSimple", 0),
    ("nan-targets", "nan", "ID3D12GraphicsCommandList::DrawInstanced", 26),
    ("nan-views", "nan", "ID3D12GraphicsCommandList::Dispatch", 2),
    ("nan-pass", "nan", "ID3D12GraphicsCommandList::DrawInstanced", 3),
    ("nan-bundle", "infinity", "ID3D12GraphicsCommandList::DrawInstanced", 0),
    ("descriptor-index", "index", "ID3D12GraphicsCommandList::Dispatch", 1),
    ("descriptor-unwritten", "unwritten", "ID3D12GraphicsCommandList::Dispatch", 1),
    ("descriptor-type", "type", "ID3D12GraphicsCommandList::Dispatch", 1),
    ("descriptor-gone", "gone", "ID3D12GraphicsCommandList::Dispatch", 1),
    ("descriptor-heap", "heap", "ID3D12GraphicsCommandList::Dispatch", 1),
    ("descriptor-sampler", "heap", "ID3D12GraphicsCommandList::Dispatch", 1),
    ("descriptor-root", "root", "ID3D12GraphicsCommandList::Dispatch", 1),
];

/// Captures a fault of `reprise-programs`, or its twin.
fn captured(fault: &str, right: bool) -> Bench {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-q", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args(["--wrong", fault, "--library"]).arg(programs::ours()).args(right.then_some("--right"));
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{fault}: {}\n{}", finished.status, finished.errors());
    bench
}

/// The calls of a method, in their order.
fn calls(bench: &Bench, method: &str) -> Vec<u64> {
    let lines = bench.output(&["dump", "--json", "trace.reprise"]);
    let lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    lines.filter(|line| line["method"] == method).map(|line| line["call"].as_u64().unwrap()).collect()
}

/// The option of replay that finds a fault; `None` where `lint` does.
fn option(fault: &str) -> Option<&'static str> {
    let options = [("nan-", "--check-nan"), ("descriptor-", "--check-descriptors")];
    options.into_iter().find(|(prefix, _)| fault.starts_with(prefix)).map(|(_, option)| option)
}

/// What is found, as rule or kind, and call.
fn found(bench: &Bench, fault: &str) -> Vec<(String, u64)> {
    let (lines, name): (Vec<Json>, _) = if let Some(option) = option(fault) {
        let text = bench.run(&["replay", "--json", option, "trace.reprise"]).text();
        let mut report: Json = serde_json::from_str(&text).unwrap();
        let Json::Array(findings) = report["findings"].take() else { panic!("{text}") };
        (findings, "what")
    } else {
        let text = bench.run(&["lint", "--format", "json", "trace.reprise"]).text();
        (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), "rule")
    };
    lines.iter().map(|line| (line[name].as_str().unwrap().to_owned(), line["call"].as_u64().unwrap())).collect()
}

#[test]
fn each_program_is_found_out_at_its_call() {
    for (fault, rule, method, turn) in WRONG {
        let bench = captured(fault, false);
        let call = calls(&bench, method)[*turn];
        let findings = found(&bench, fault);
        assert!(findings.contains(&((*rule).to_owned(), call)), "{fault}: {method}, call {call}: {findings:?}");
        let alarms = found(&captured(fault, true), fault);
        assert_eq!(alarms, [], "{fault}, correct");
        let tool = option(fault).map_or("lint".to_owned(), |option| format!("replay {option}"));
        println!("| `--wrong {fault}` | `{tool}`: {rule} | yes | yes | 0 |");
    }
}

#[test]
fn each_fault_of_the_device_is_found_at_its_operation() {
    let bench = diagnosis::captured("vertices");
    let operations = diagnosis::operations(&bench);
    let right = diagnosis::replay(&bench, &["--json", "--diagnose"], None);
    assert!(right.status.success(), "{}", right.errors());
    for (fault, at) in [("hang@{}", 3), ("lost@{}", 5), ("page-fault@{}:dead0000", 4)] {
        let finished = diagnosis::replay(&bench, &["--json", "--diagnose"], Some(fault.replace("{}", &at.to_string())));
        let told = diagnosis::diagnosis(&finished);
        assert_eq!(told["suspects"], serde_json::json!([operations[at - 1].0]), "{fault}: {told}");
        if fault.starts_with("page-fault") {
            assert_eq!(told["fault"]["address"], "0xdead0000", "{told}");
        }
        println!("| `REPRISE_FAULT={}` | `replay --diagnose` | yes | yes | 0 |", fault.replace("{}", "N"));
    }
}

/// What DRED says is checked by the program itself; without a fault DRED must have nothing to say there.
#[test]
fn each_fault_of_the_device_is_told_to_a_crash_handler() {
    let bench = Bench::new();
    breadcrumbs::told(&breadcrumbs::run(&bench, None, false));
    for fault in ["lost@{}", "page-fault@{}:released"] {
        let text = breadcrumbs::told(&breadcrumbs::run(&bench, Some(&fault.replace("{}", "15")), false));
        let flight = |line: &str| line.starts_with("in flight") && line.ends_with("CopyBufferRegion");
        assert!(text.lines().any(flight), "{fault}: {text}");
        println!(
            "| `REPRISE_FAULT={}` | DRED, in the program `breadcrumbs` | yes | yes | 0 |",
            fault.replace("{}", "N")
        );
    }
}
