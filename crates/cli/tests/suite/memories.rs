//! Memory that the processor and the GPU both write: what the GPU wrote is observed and no store of the program, and a replay in which
//! the GPU writes something else says so.

use crate::bench::Bench;
use crate::programs::ours;
use reprise_testing::{artifact, missing, require};
use reprise_trace::read::Trace;
use reprise_trace::record::{Kind, OBSERVED};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// `D3D12_HEAP_TYPE`.
const UPLOAD: u32 = 2;
const READBACK: u32 = 3;
const CUSTOM: u32 = 4;
const GPU_UPLOAD: u32 = 5;
const RUNTIMES_OF_OTHERS: [&str; 1] = ["/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1"];

/// Captures a program of ours.
fn capture(bench: &Bench, name: &str, mode: &str, runtime: &Path) {
    let mut command = bench.command();
    command.env("VKD3D_DEBUG", "none").args(["capture", "-f", "-o", "trace.reprise", "--memory-tracking", mode, "--"]);
    command.arg(artifact::programs().unwrap()).args([name, "--library"]).arg(runtime);
    let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
    assert!(finished.status.success(), "{mode}: {}\n{}", finished.status, finished.errors());
}

fn report(bench: &Bench, more: &[&str]) -> serde_json::Value {
    let arguments = [&["replay", "--json"], more, &["trace.reprise"]].concat();
    serde_json::from_str(&bench.output(&arguments)).unwrap()
}

/// Resources in these heaps (`D3D12_HEAP_TYPE`), and the bytes that the trace has of them as stores of the program, and as what it saw
/// the GPU write.
fn recorded(bench: &Bench, heap: u32) -> (BTreeSet<u32>, [u64; 2]) {
    let trace = Trace::open(&bench.path("trace.reprise")).unwrap();
    let (mut events, mut wanted, mut bytes) = (trace.events(), BTreeSet::new(), [0, 0]);
    while let Some(event) = events.next().unwrap() {
        if let Some((reprise_trace::fact::MAPPING, fact)) = event.fact().filter(|_| event.kind == Kind::Fact) {
            let own = u32::from_le_bytes(fact[20..24].try_into().unwrap());
            let _ = own == heap && wanted.insert(event.object);
        }
        if let Some((_, len)) = event.memory_range().filter(|_| wanted.contains(&event.object)) {
            bytes[usize::from(event.method == OBSERVED)] += len;
        }
    }
    (wanted, bytes)
}

/// Whether the trace says that it is of a processor that plays the GPU.
fn on_processor(bench: &Bench) -> bool {
    let info: serde_json::Value = serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
    info["adapter"].as_str().unwrap().starts_with("llvmpipe")
}

/// Our runtime and libvkd3d, by each means of watching.
#[test]
fn what_the_gpu_wrote_is_no_store_of_the_program() {
    let others = RUNTIMES_OF_OTHERS.map(|place| missing::file(&[place], "libvkd3d-utils1"));
    let others: Vec<PathBuf> = others.into_iter().filter_map(require).collect();
    for runtime in [ours()].iter().chain(&others) {
        for mode in ["auto", "mprotect", "compare"] {
            let bench = Bench::new();
            capture(&bench, "memories", mode, runtime);
            let played = report(&bench, &[]);
            let place = format!("{mode} on {}: {played}", runtime.display());
            assert_eq!(played["different_bytes"], 0, "{place}");
            assert_ne!(played["gpu_written_bytes"], 0, "{place}");
            // The program looks at all that the GPU writes.
            assert_eq!((&played["uncompared_bytes"], &played["uncompared"]), (&0.into(), &json!([])), "{place}");
            if mode == "compare" {
                continue;
            }
            // All six pages at first; in each round a page with the header, and one of what is stored over the result.
            let (_, [stores, observed]) = recorded(&bench, CUSTOM);
            assert_eq!(stores, 3 * (6 + 3 + 3) * 4096, "{place}");
            assert!(observed >= 3 * 3 * 16384, "{observed}, {place}");
            // All pages at first, and then those that the GPU wrote, of which the result has four.
            if mode == "auto" && on_processor(&bench) {
                assert_eq!(observed, 3 * (6 + 4 + 4) * 4096, "{place}");
            }
            let (_, [stores, observed]) = recorded(&bench, READBACK);
            assert_eq!(stores, 0, "{place}");
            assert!(observed >= 3 * 16384, "{observed}, {place}");
        }
    }
}

/// The report of a replay with another shader in the place of the one whose results are read, and the resources in which it differs.
fn otherwise(bench: &Bench) -> (serde_json::Value, BTreeSet<u32>) {
    bench.output(&["extract", "-o", "shaders", "trace.reprise"]);
    let folder = artifact::workspace().join("crates/programs/shaders");
    let [fold, other] = ["fold.main", "dispatches.count"]
        .map(|name| ["dxbc", "dxil"].map(|kind| std::fs::read(folder.join(format!("{name}.{kind}"))).unwrap()));
    for file in std::fs::read_dir(bench.path("shaders")).unwrap().map(|file| file.unwrap().path()) {
        let bytes = std::fs::read(&file).unwrap();
        for (fold, other) in fold.iter().zip(&other) {
            if bytes == *fold {
                std::fs::write(&file, other).unwrap();
            }
        }
    }
    let played = report(bench, &["--replace-shaders", "shaders"]);
    let text = played["differences"].to_string();
    let numbers =
        text.split("of resource ").skip(1).filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    let different = numbers.map(|number| number.parse().unwrap()).collect();
    (played, different)
}

#[test]
fn what_the_gpu_writes_otherwise_differs() {
    for mode in ["auto", "mprotect", "compare"] {
        let bench = Bench::new();
        capture(&bench, "memories", mode, &ours());
        let (played, different) = otherwise(&bench);
        let (custom, _) = recorded(&bench, CUSTOM);
        assert_eq!((custom.len(), custom.intersection(&different).count()), (3, 3), "{mode}: {played}");
        // Of upload heaps the one that the GPU writes.
        assert_eq!(recorded(&bench, UPLOAD).0.intersection(&different).count(), 1, "{mode}: {played}");
        let (both, _) = recorded(&bench, GPU_UPLOAD);
        assert!(both.is_subset(&different), "{mode}: {played}");
    }
}

/// Where a library lets a heap go before the buffer in it that is still mapped, the driver's mapping goes with the heap.
#[test]
fn a_mapping_that_goes_with_its_heap_ends_no_program() {
    let others = RUNTIMES_OF_OTHERS.map(|place| missing::file(&[place], "libvkd3d-utils1"));
    for runtime in others.into_iter().filter_map(require) {
        for mode in ["mprotect", "compare"] {
            capture(&Bench::new(), "kept-maps", mode, &runtime);
        }
    }
}

/// In an upload heap that stays mapped, writes of the GPU and stores of the program cannot be told apart. Replay neither stores nor
/// compares such bytes, and its report says so.
#[test]
fn what_cannot_be_told_is_neither_stored_nor_compared() {
    for mode in ["auto", "mprotect", "compare"] {
        let bench = Bench::new();
        capture(&bench, "kept-maps", mode, &ours());
        let verified: serde_json::Value =
            serde_json::from_str(&bench.output(&["verify", "--json", "trace.reprise"])).unwrap();
        let uncompared: BTreeSet<u32> = numbers(&verified["uncompared"]);
        let uploads = recorded(&bench, UPLOAD).0;
        let untold: Vec<&u32> = uncompared.intersection(&uploads).collect();
        assert_eq!(untold.len(), 1, "{mode}: {verified}");
        // The second and the third result of that buffer, at least.
        assert!(verified["untold_bytes"].as_u64().unwrap() >= 2 * 16384, "{mode}: {verified}");
        let lines = bench.output(&["verify", "trace.reprise"]);
        assert!(lines.contains("not compared, because no record shows it: "), "{mode}: {lines}");
        // What is told in the other modes is compared, all but that buffer.
        if mode != "compare" {
            assert_eq!(uncompared.len(), 1, "{mode}: {verified}");
        }
    }
}

fn numbers(list: &serde_json::Value) -> BTreeSet<u32> {
    list.as_array().unwrap().iter().map(|it| it["object"].as_u64().unwrap() as u32).collect()
}

/// What a program reads by a mapping that it keeps, without another call, is compared like what it maps anew: of each round, the last one
/// before nothing but the release, too.
#[test]
fn what_is_read_by_a_kept_mapping_is_compared() {
    for mode in ["auto", "mprotect"] {
        let bench = Bench::new();
        capture(&bench, "kept-maps", mode, &ours());
        let played = report(&bench, &[]);
        assert_eq!(played["different_bytes"], 0, "{mode}: {played}");
        let (custom, [stores, observed]) = recorded(&bench, CUSTOM);
        assert_eq!((custom.len(), stores), (3, 0), "{mode}: {played}");
        assert!(observed >= 3 * 3 * 16384, "{observed}, {mode}: {played}");
        let (readback, [stores, observed]) = recorded(&bench, READBACK);
        assert_eq!((readback.len(), stores), (1, 0), "{mode}: {played}");
        assert!(observed >= 3 * 16384, "{observed}, {mode}: {played}");
        let (played, different) = otherwise(&bench);
        assert!(custom.union(&readback).all(|resource| different.contains(resource)), "{mode}: {played}");
    }
}
