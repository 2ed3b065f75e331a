//! Traces on a device that wants other sizes and alignments than that of the capture: our own runtime with `REPRISE_INFLATE`.
//!
//! What a program read back is in its trace, byte by byte: that it is the same is the proof that heaps were laid out well.

use crate::bench::Bench;
use crate::programs::{capture, ours};
use reprise_testing::artifact;
use serde_json::Value;

const SEEDS: std::ops::Range<u64> = 1..4;

/// Replays `trace.reprise` on the device of a seed.
fn replay(bench: &Bench, seed: u64) -> Value {
    let mut command = bench.command();
    command.args(["replay", "--json", "trace.reprise"]).env("REPRISE_INFLATE", seed.to_string());
    let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
    assert!(finished.status.success(), "seed {seed}: {}\n{}", finished.status, finished.errors());
    serde_json::from_str(&finished.text()).unwrap()
}

/// Captures on the plain device; plays there as it was, and on others with the same bytes read back.
fn check(name: &str, heaps: u64) {
    let bench = Bench::new();
    capture(&bench, name, &ours());
    let plain = bench.output(&["replay", "trace.reprise"]);
    assert!(plain.contains("compared with those here") && !plain.contains("differ"), "{plain}");
    for seed in SEEDS {
        // A program that knows its device's sizes cannot run on such a device: nor could its trace, laid out as it was.
        let mut direct = std::process::Command::new(artifact::programs().unwrap());
        direct.args([name, "--library"]).arg(ours()).env("REPRISE_INFLATE", seed.to_string());
        let direct = reprise_testing::run(&mut direct, crate::bench::PATIENCE).unwrap();
        assert!(!direct.status.success(), "{name} runs on the device of seed {seed}");
        let report = replay(&bench, seed);
        let number = |path: &str| report.pointer(path).and_then(Value::as_u64).unwrap();
        assert_eq!(number("/different_bytes"), 0, "{name}, seed {seed}: {report}");
        assert_eq!(number("/replanned/heaps"), heaps, "{name}, seed {seed}: {report}");
        assert!(
            number("/compared_bytes") > 100_000 && number("/replanned/bytes") > number("/replanned/recorded_bytes")
        );
        let told = report["differences"].as_array().unwrap().iter();
        let heap = told.clone().find(|one| one["method"] == "ID3D12Device::CreateHeap").unwrap();
        assert!(heap["what"].as_str().unwrap().contains("this device wants other sizes or alignments"), "{heap}");
    }
}

#[test]
fn heaps_that_are_filled_by_sizes_are_laid_out_anew() {
    check("placed", 3);
}

#[test]
fn tiles_stay_with_the_buffers_whose_memory_they_are() {
    check("placed-tiles", 1);
}

#[test]
fn buffers_and_textures_over_each_other_stay_so() {
    check("aliasing", 1);
}

/// What a program was told of sizes is compared, field by field, and equal answers are told once.
#[test]
fn sizes_that_differ_are_named() {
    let bench = Bench::new();
    capture(&bench, "placed-tiles", &ours());
    let report = replay(&bench, 1);
    let differences = report["differences"].as_array().unwrap();
    let size = differences.iter().find(|one| one["field"] == "D3D12_RESOURCE_ALLOCATION_INFO.SizeInBytes").unwrap();
    let bytes = |side: &str| size[side].as_str().unwrap().parse::<u64>().unwrap();
    assert!(bytes("replayed") > bytes("recorded"), "{size}");
    assert!(size["asked"].as_str().unwrap().contains("pResourceDescs.Format DXGI_FORMAT_R8G8B8A8_UINT"), "{size}");
}

/// A check names what cannot be made, goes on behind it, and plays nothing.
#[test]
fn a_check_lists_what_fails() {
    let Some(debian) = reprise_testing::require(reprise_testing::missing::file(
        &["/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1"],
        "libvkd3d-utils1",
    )) else {
        return;
    };
    let bench = Bench::new();
    capture(&bench, "pipeline-streams", &ours());
    let text = bench.output(&["replay", "--check", "trace.reprise"]);
    assert!(
        text.contains("all that the trace makes can be made here") && text.contains("--check plays nothing"),
        "{text}"
    );
    assert!(!text.contains("compared with those here"), "{text}");
    // libvkd3d has no device that makes pipelines of streams.
    let finished = bench.run(&["replay", "--check", "--runtime", &debian.to_string_lossy(), "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.errors());
    let text = finished.text();
    assert!(text.contains("14 calls cannot be made here"), "{text}");
    let named = "ID3D12Device2::CreatePipelineState: the runtime's object 1 does not offer ID3D12Device2";
    assert!(text.contains(named) && text.contains("so are 13 more of these calls"), "{text}");
}
