//! `replay --check-descriptors` and `REPRISE_CHECK_DESCRIPTORS`: which dispatch used which wrong descriptor. Calls are counted in the dump; registers,
//! parameters and indices are those that the programs (`reprise-programs --wrong descriptor-…`) choose.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::artifact;
use serde_json::{Value as Json, json};

/// What `replay --check-descriptors` ends with where it found something.
const FOUND: i32 = 5;

/// Runs a fault, captured or checked as it runs.
fn run(fault: &str, captured: bool) -> (Bench, String) {
    let bench = Bench::new();
    let mut command = bench.command();
    if captured {
        command.args(["capture", "-q", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    } else {
        command = std::process::Command::new(artifact::programs().unwrap());
        command.env("REPRISE_CHECK_DESCRIPTORS", "1");
    }
    command.args(["--wrong", fault, "--library"]).arg(programs::ours());
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{fault}: {}\n{}", finished.status, finished.errors());
    (bench, finished.errors())
}

/// The calls of a method, in their order.
fn calls(bench: &Bench, name: &str) -> Vec<u64> {
    let lines = bench.output(&["dump", "--json", "trace.reprise"]);
    let lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let named = lines.filter(|line| line["method"].as_str().is_some_and(|method| method.ends_with(name)));
    named.map(|line| line["call"].as_u64().unwrap()).collect()
}

/// The only finding.
fn finding(bench: &Bench) -> Json {
    let finished = bench.run(&["replay", "--json", "--check-descriptors", "trace.reprise"]);
    let mut report: Json = serde_json::from_str(&finished.text()).unwrap();
    assert_eq!(finished.status.code(), Some(FOUND), "{}{}", finished.text(), finished.errors());
    let Json::Array(mut findings) = report["findings"].take() else { panic!("{report}") };
    assert_eq!(findings.len(), 1, "{findings:?}");
    findings.remove(0)
}

#[test]
fn the_register_and_the_index_are_named() {
    for (fault, what, parameter, register, index) in [
        ("descriptor-index", "index", 3, "t3 space2", 16),
        ("descriptor-unwritten", "unwritten", 2, "t2 space1", 6),
        ("descriptor-type", "type", 4, "t1 space3", 9),
        ("descriptor-heap", "heap", 2, "t0 space1", 4),
        ("descriptor-sampler", "heap", 4, "t0 space3", 8),
    ] {
        let (bench, _) = run(fault, true);
        let found = finding(&bench);
        let told = json!([found["what"], found["parameter"], found["register"], found["index"], found["operation"]]);
        assert_eq!(told, json!([what, parameter, register, index, 2]), "{fault}: {found}");
        assert_eq!(found["call"], calls(&bench, "::Dispatch")[1], "{fault}");
        assert_eq!((&found["stage"], &found["heap"]["descriptors"]), (&json!("CS"), &json!(16)), "{fault}");
        // The shader is one of those that the trace has.
        let shader = found["shader"].as_str().unwrap().to_owned();
        assert!(bench.output(&["extract", "-o", "shaders", "trace.reprise"]).contains(&shader), "{fault}: {shader}");
    }
}

/// The view is made in a heap that shaders do not see, copied, and its resource released.
#[test]
fn the_calls_that_wrote_and_released_are_named() {
    let (bench, _) = run("descriptor-gone", true);
    let found = finding(&bench);
    // Behind it come the twelve views of buffers of another heap.
    let made = *calls(&bench, "::CreateShaderResourceView").iter().rev().nth(12).unwrap();
    let copied = calls(&bench, "::CopyDescriptorsSimple")[0];
    assert_eq!((&found["written"]["call"], &found["copied"]["call"]), (&json!(made), &json!(copied)), "{found}");
    let released = found["released"]["call"].as_u64().unwrap();
    assert!(calls(&bench, "::Release").contains(&released), "{found}");
    assert_eq!(found["resource"]["id"], found["released"]["this"]["id"], "{found}");
    let text = bench.run(&["replay", "--check-descriptors", "trace.reprise"]);
    assert_eq!(text.status.code(), Some(FOUND));
    let text = text.text();
    assert!(text.lines().count() <= 8 && text.contains(&format!("released by call {released} ")), "{text}");
}

/// The buffer is released before the list is submitted. A root descriptor has no index and no heap.
#[test]
fn a_root_descriptor_of_a_released_buffer_is_named() {
    let (bench, _) = run("descriptor-root", true);
    let found = finding(&bench);
    let told = json!([found["what"], found["parameter"], found["register"], found["operation"], found["stage"]]);
    assert_eq!(told, json!(["root", 1, "u0 space0", 2, "CS"]), "{found}");
    assert_eq!(found["call"], calls(&bench, "::Dispatch")[1], "{found}");
    let release = found["released"]["call"].as_u64().unwrap();
    assert!(calls(&bench, "::Release").contains(&release), "{found}");
    let shader = found["shader"].as_str().unwrap().to_owned();
    assert!(bench.output(&["extract", "-o", "shaders", "trace.reprise"]).contains(&shader), "{shader}");
}

#[test]
fn programs_are_told_while_they_run() {
    for (fault, part) in [
        (
            "descriptor-root",
            "root parameter 1, u0 space0: a buffer of 512 bytes that was released lay at the root descriptor's",
        ),
        ("descriptor-address", "root parameter 1, u0 space0: the root descriptor's address 0x"),
        (
            "descriptor-type",
            "root parameter 4, t1 space3, index 9 of heap 1 of 16: wanted: typed buffer SRV; found: raw",
        ),
        (
            "descriptor-gone",
            "root parameter 3, t3 space2, index 15 of heap 1 of 16: the resource of the descriptor was released",
        ),
    ] {
        let (_, said) = run(fault, false);
        let line = said.lines().find(|line| line.contains("descriptor check: ")).unwrap_or_default();
        assert!(line.contains("operation 2 (Dispatch), Compute shader ") && line.contains(part), "{said}");
        assert_eq!(said.matches("descriptor check: ").count(), 1, "{said}");
    }
}

#[test]
fn other_runtimes_have_no_checks() {
    let bench = Bench::new();
    let finished = bench.run(&["replay", "--check-descriptors", "--runtime", "null", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
    assert!(finished.errors().contains("for our own runtime"), "{}", finished.errors());
}
