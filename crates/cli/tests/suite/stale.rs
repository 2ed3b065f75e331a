//! Programs that name what they have released: their traces are played, what is not there is named, and what a heap still holds is read.

use crate::bench::Bench;
use reprise_testing::artifact;
use serde_json::Value as Json;

/// Captures a fault of `reprise-programs` on our runtime, or its twin.
fn captured(fault: &str, right: bool) -> Bench {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args(["--wrong", fault, "--library"]).arg(artifact::runtime_library().unwrap());
    command.args(right.then_some("--right"));
    let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
    assert!(finished.status.success(), "{fault}: {}\n{}", finished.status, finished.errors());
    bench
}

/// What each kind of thing became, with the calls' methods.
fn became(bench: &Bench, how: &[&str]) -> Vec<(String, String, String)> {
    let report = bench.output(&[&["replay", "--json", "trace.reprise"], how].concat());
    let report: Json = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["difference_count"], &report["different_bytes"]), (&Json::from(0), &Json::from(0)), "{report}");
    assert_ne!(report["compared_bytes"], 0);
    let text = |value: &Json| value.as_str().unwrap().to_owned();
    let stale = report["stale"].as_array().unwrap();
    let method = |it: &Json| text(&it["method"]).rsplit("::").next().unwrap().to_owned();
    stale.iter().map(|it| (method(it), text(&it["missing"]), text(&it["instead"]))).collect()
}

#[test]
fn what_is_gone_is_named_and_the_replay_goes_on() {
    let addresses: &[_] = &[
        ("CreateConstantBufferView", "address", "zeros"),
        ("SetComputeRootConstantBufferView", "address", "zeros"),
        ("SetComputeRootConstantBufferView", "address", "heap"),
        ("IASetVertexBuffers", "address", "null"),
        ("IASetIndexBuffer", "address", "zeros"),
        ("ExecuteIndirect", "address", "heap"),
    ];
    let handles: &[_] =
        &[("CopyDescriptorsSimple", "handle", "left-out"), ("OMSetRenderTargets", "handle", "null-target")];
    for (fault, expected) in [("stale-address", addresses), ("stale-handle", handles)] {
        let expected: Vec<_> =
            expected.iter().map(|&(one, two, three)| (one.to_owned(), two.to_owned(), three.to_owned())).collect();
        let bench = captured(fault, false);
        for how in [&["--addresses", "recorded"][..], &["--addresses", "moved"], &["--patch-guess"]] {
            assert_eq!(became(&bench, how), expected, "{fault} {how:?}");
        }
        let verified = bench.output(&["verify", "trace.reprise"]);
        let told = format!("{} arguments name what was not there", expected.len());
        assert!(verified.contains(&told), "{verified}");
        assert_eq!(became(&captured(fault, true), &[]), [], "{fault}, correct");
    }
}
