//! `reprise verify --control`: every way by which a program sees what the GPU did is captured, is equal when it is replayed, and would be told if
//! the GPU did something else.

use crate::bench::{Bench, PATIENCE};
use crate::presented;
use crate::programs::{expected, ours};
use reprise_testing::{artifact, missing, program, require};
use serde_json::Value as Json;

/// Captures a program of ours with hashes of its frames; `false` where this device lacks what it is about.
fn captured(bench: &Bench, name: &str, shaders: &str) -> bool {
    let mut command = bench.command();
    command.args(["capture", "--force", "-o", "trace.reprise", "--frame-hashes", "hashes.txt", "--"]);
    command.arg(artifact::programs().unwrap()).args([name, "--shaders", shaders, "--library"]).arg(ours());
    let finished = program::run(&mut command, PATIENCE).unwrap();
    // As the programs say that they cannot run.
    if finished.status.code() == Some(3) {
        eprintln!("skipped: {}", finished.errors());
        return false;
    }
    assert!(finished.status.success(), "{name}: {}", finished.errors());
    assert_eq!(finished.text(), format!("{name} {}\n", expected(name)));
    true
}

/// What `verify --control` says of `trace.reprise`, and its exit code.
fn controlled(bench: &Bench) -> (Json, Option<i32>) {
    let finished = bench.run(&["verify", "--control", "--json", "--runtime", "ours", "trace.reprise"]);
    let json = serde_json::from_str(&finished.text()).unwrap_or_else(|_| panic!("{}", finished.errors()));
    (json, finished.status.code())
}

/// Each way, with the program that goes it (but for memory that another process writes, whose work is in no trace), the form of its shaders, and what is compared of it: frames, read-backs, queries.
const WAYS: [(&str, &str, &str, [bool; 3]); 19] = [
    ("readback buffers, committed and placed, and ReadFromSubresource", "ways", "dxbc", [false, true, false]),
    ("mappings that a program keeps", "kept-maps", "dxbc", [false, true, false]),
    ("unordered views of compute shaders", "compute", "dxbc", [false, true, false]),
    ("the same of shader model 6", "compute", "dxil", [false, true, false]),
    ("targets of pixel shaders", "targets", "dxil", [false, true, false]),
    ("occlusion and pipeline statistics", "queries", "dxbc", [false, true, true]),
    ("statistics of streams, and streams", "stream-output", "dxbc", [false, true, true]),
    ("predication", "predication", "dxbc", [false, true, false]),
    ("words that lists write", "immediate-writes", "dxbc", [false, true, false]),
    ("clears", "clears", "dxbc", [false, true, false]),
    ("copies", "copies", "dxbc", [false, true, false]),
    ("reserved resources", "tiles", "dxbc", [false, true, false]),
    ("GPU upload heaps", "upload-heaps", "dxbc", [false, true, false]),
    ("memory of another device", "shared-devices", "dxbc", [false, true, false]),
    ("a heap in the program's memory", "hosted", "dxbc", [false, true, false]),
    ("IDXGIVkSwapChainFactory", "presents", "dxbc", [true, true, false]),
    ("mesh shaders", "mesh", "dxil", [false, true, false]),
    ("shaders of rays", "rays", "dxil", [false, true, false]),
    ("work graphs", "work-graphs", "dxil", [false, true, false]),
];

#[test]
fn every_way_is_compared_and_told() {
    for (way, name, shaders, kinds) in WAYS {
        let bench = Bench::new();
        if !captured(&bench, name, shaders) {
            continue;
        }
        let (said, code) = controlled(&bench);
        assert!(said["passed"] == true && said["control"]["holds"] == true && code == Some(0), "{way}, {name}: {said}");
        for (kind, is_there) in ["frames", "read_backs", "queries"].into_iter().zip(kinds) {
            let found = &said["control"][kind];
            assert_eq!(found.is_object(), is_there, "{way}, {name}: {kind}: {said}");
            let unnoticed = found["compared"].as_u64().unwrap_or(0) - found["noticed"].as_u64().unwrap_or(0);
            let own = if (name, kind) == OWN_STORES.0 { OWN_STORES.1 } else { 0 };
            assert_eq!(unnoticed, own, "{way}, {name}: {kind}: {said}");
        }
        // No work writes what the program stored there, and so no change upsets it.
        if name == OWN_STORES.0.0 {
            let not_written = said["compared_bytes"].as_u64().unwrap() - said["gpu_written_bytes"].as_u64().unwrap();
            assert_eq!(not_written, OWN_STORES.2, "{said}");
        }
    }
}

/// A program that also reads what it has stored itself: read-backs of that, and their bytes.
const OWN_STORES: ((&str, &str), u64, u64) = (("hosted", "read_backs"), 2, 1 << 16);

/// `vkQueuePresentKHR`, with libvkd3d's own images: each frame is told.
#[test]
fn frames_that_vulkan_presents_are_told() {
    let bench = Bench::new();
    if bench.capture("vkd3d-gears", 6).is_none() {
        return;
    }
    for runtime in ["ours", "vkd3d"] {
        if runtime == "vkd3d"
            && require(missing::file(&["/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1"], "libvkd3d-utils1")).is_none()
        {
            continue;
        }
        let finished = bench.run(&[
            "verify",
            "--control",
            "--json",
            "--hashes",
            "hashes.txt",
            "--runtime",
            runtime,
            "trace.reprise",
        ]);
        let said: Json = serde_json::from_str(&finished.text()).unwrap_or_else(|_| panic!("{}", finished.errors()));
        let frames = &said["control"]["frames"];
        // What differs between two runtimes by itself is not looked at.
        let equal = said["frames"].as_u64().unwrap() - said["different_frames"].as_u64().unwrap();
        assert_eq!(frames["compared"].as_u64().unwrap_or(0), equal, "{runtime}: {said}");
        assert_eq!(frames["noticed"], frames["compared"], "{runtime}: {said}");
    }
}

/// `IDXGISwapChain`: captured on the null runtime, which has all of DXGI and draws nothing; the frames are those of a replay.
#[test]
fn frames_that_dxgi_presents_are_told() {
    let bench = Bench::new();
    presented::capture(&bench, &[]);
    bench.output(&["replay", "--runtime", "ours", "--frame-hashes", "hashes.txt", "trace.reprise"]);
    let finished =
        bench.run(&["verify", "--control", "--json", "--hashes", "hashes.txt", "--runtime", "ours", "trace.reprise"]);
    let said: Json = serde_json::from_str(&finished.text()).unwrap_or_else(|_| panic!("{}", finished.errors()));
    let frames = &said["control"]["frames"];
    assert_eq!((&frames["compared"], &frames["noticed"]), (&12.into(), &12.into()), "{said}");
}

/// The null runtime draws nothing: every picture is the same as if the GPU did nothing, whatever it is compared with.
#[test]
fn a_comparison_that_cannot_fail_is_none() {
    let bench = Bench::new();
    presented::capture(&bench, &[]);
    let null = artifact::null_sysv_library().unwrap();
    let on_null = ["--runtime", &null.to_string_lossy(), "trace.reprise"];
    bench.output(&[&["replay", "--frame-hashes", "hashes.txt"], &on_null[..]].concat());
    let plain = bench.output(&[&["verify", "--hashes", "hashes.txt"], &on_null[..]].concat());
    assert!(plain.starts_with("12 frames equal on "), "{plain}");
    let finished = bench.run(&[&["verify", "--control", "--hashes", "hashes.txt"], &on_null[..]].concat());
    assert_eq!(finished.status.code(), Some(8), "{}", finished.errors());
    let said = finished.text();
    assert!(
        said.contains("control: frames: 0 of 12 noticed: nothing that the control changes reaches them\n"),
        "{said}"
    );
    assert!(
        said.contains("  not noticed: frame 1\n") && said.contains("  and 2 more (--json lists them all)\n"),
        "{said}"
    );
}

/// What differs by itself is not counted as noticed, and decides the exit code.
#[test]
fn what_differs_by_itself_is_not_noticed() {
    let bench = Bench::new();
    if !captured(&bench, "presents", "dxbc") {
        return;
    }
    let hashes = std::fs::read_to_string(bench.path("hashes.txt")).unwrap();
    let wrong: Vec<String> = hashes.lines().map(|line| format!("{}0", &line[..line.len() - 1])).collect();
    let changed = hashes.lines().zip(&wrong).filter(|(line, wrong)| line != wrong).count();
    assert!(changed > 0, "all hashes end with 0");
    std::fs::write(bench.path("wrong.txt"), wrong.join("\n") + "\n").unwrap();
    let finished =
        bench.run(&["verify", "--control", "--json", "--hashes", "wrong.txt", "--runtime", "ours", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.errors());
    let said: Json = serde_json::from_str(&finished.text()).unwrap();
    let equal = wrong.len() - changed;
    assert_eq!(said["control"]["frames"]["compared"].as_u64().unwrap_or(0), equal as u64, "{said}");
    assert_eq!(said["control"]["read_backs"]["noticed"], 14, "{said}");
}

/// Two readback buffers and a texture: `ReadFromSubresource` is compared like any other memory, without the program's own bytes between rows.
#[test]
fn texels_that_a_program_reads_are_compared() {
    let bench = Bench::new();
    if !captured(&bench, "ways", "dxbc") {
        return;
    }
    let (said, _) = controlled(&bench);
    assert_eq!((&said["compared_bytes"], &said["different_bytes"]), (&(3 * 16384).into(), &0.into()), "{said}");
    assert_eq!(said["control"]["read_backs"]["noticed"], 3, "{said}");
}

/// Memory that the processor could write, too: custom heaps of both page properties, an upload buffer, and a GPU upload buffer where there is one.
/// What the GPU wrote there is no store of the program.
#[test]
fn memory_that_both_can_write_is_compared_and_told() {
    let bench = Bench::new();
    if !captured(&bench, "both-ways", "dxbc") {
        return;
    }
    let (said, code) = controlled(&bench);
    assert!(said["passed"] == true && code == Some(0), "{said}");
    assert!(said["compared_bytes"].as_u64().unwrap() >= 3 * 16384, "{said}");
    let reads = &said["control"]["read_backs"];
    assert_eq!(reads["noticed"], reads["compared"], "{said}");
}
