//! Layers inside a captured Windows program, and its stores to mapped memory. Each layer's program says itself whether what it saw is
//! right, and says the same bare and captured. Each program that stores knows its pattern (`windows-programs`, `memory.rs`), and the
//! trace must have that pattern.

use super::wine::Wine;
use crate::bench::PATIENCE;
use reprise_testing::program;
use reprise_trace::read::Trace;
use reprise_trace::record::Kind;

const PAGE: usize = 4096;
const PAGES: usize = 16;

#[test]
#[ignore = "slow: boots a Wine prefix"]
fn layers_in_the_program_and_stores_to_mapped_memory() {
    let Some(wine) = Wine::new() else { return };
    layers(&wine);
    before_the_program_begins(&wine);
    stores(&wine);
    filters(&wine);
}

/// Steps, and a call that the trace must have because of them.
const LAYERS: [(&str, &str); 7] = [
    ("hostile=hook", "D3D12CreateDevice"),
    ("hostile=queue", "ID3D12CommandQueue(2)::ExecuteCommandLists"),
    ("hostile=factory", "CreateSwapChainForHwnd"),
    ("hostile=swapchain", "IDXGISwapChain1(4)::Present"),
    ("hostile=wrapped", "::Present"),
    ("hostile=private", "QueryInterface(riid=deadbeef-0001"),
    ("hostile=raw", "InitialValue=12"),
];

fn layers(wine: &Wine) {
    let folder = wine.folder("layers", &[("game.exe", "late"), ("linked.exe", "linked")]);
    for (step, call) in LAYERS {
        for program in ["game.exe", "linked.exe"] {
            let program = folder.join(program);
            let bare = wine.bare(&program, &[step]);
            assert_eq!(bare.status.code(), Some(0), "{step} without us: {}", bare.errors());
            let captured = wine.captured(&["-o", "t.reprise"], &program, &[step]);
            assert_eq!(captured.status.code(), Some(0), "{step}: {}", captured.errors());
            let text = wine.bench.output(&["dump", "t.reprise"]);
            assert!(text.contains(call), "{step}: {text}");
            // A layer's own objects, which come from the system's library, are its own.
            assert!(!text.contains("InitialValue=11"), "{step}: {text}");
            wine.bench.output(&["replay", "--quiet", "t.reprise"]);
            std::fs::remove_file(wine.bench.path("t.reprise")).unwrap();
        }
    }
}

/// Calls of a DLL's `DllMain` are made with the loader's lock held.
fn before_the_program_begins(wine: &Wine) {
    let folder = wine.folder("attach", &[("game.exe", "late")]);
    let mut command = wine.capture(&["-o", "t.reprise"], &folder.join("game.exe"), &["hostile=attach"]);
    let finished = program::run(command.env("WINDOWS_PROGRAM_ATTACH", "1"), PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    let text = wine.bench.output(&["dump", "t.reprise"]);
    assert!(text.contains("InitialValue=5"), "{text}");
    std::fs::remove_file(wine.bench.path("t.reprise")).unwrap();
}

/// By each means, every store of the program and no other is in the trace.
fn stores(wine: &Wine) {
    const ROUNDS: usize = 40;
    let folder = wine.folder("memory", &[("game.exe", "late")]);
    let rounds = format!("memory={ROUNDS}");
    for (asked, mode) in
        [("auto", "pages"), ("mprotect", "mprotect"), ("write-watch", "compare"), ("compare", "compare")]
    {
        let options = ["-o", "t.reprise", "--memory-tracking", asked];
        let finished = wine.captured(&options, &folder.join("game.exe"), &[&rounds]);
        assert_eq!(finished.status.code(), Some(0), "{asked}: {}", finished.errors());
        let text = wine.bench.output(&["dump", "t.reprise"]);
        // Linux before 6.7 has no way to ask for pages.
        let modes = if asked == "auto" { vec![mode, "mprotect"] } else { vec![mode] };
        assert!(modes.iter().any(|mode| text.contains(&format!("mode={mode}"))), "{asked}: {text}");
        check_stores(&wine.bench.path("t.reprise"), ROUNDS, mode != "compare");
        wine.bench.output(&["replay", "--quiet", "t.reprise"]);
        std::fs::remove_file(wine.bench.path("t.reprise")).unwrap();
    }
}

/// The reports of each submission, put into a copy of the buffer: after each it is what the program had stored. Whole pages come where
/// the kernel tells pages; comparing finds the bytes that changed.
fn check_stores(trace: &std::path::Path, rounds: usize, pages: bool) {
    const EXECUTE: reprise_d3d12::model::MethodId = reprise_d3d12::method("ID3D12CommandQueue", "ExecuteCommandLists");
    let trace = Trace::open(trace).unwrap();
    let (mut seen, mut expected) = (vec![0u8; 2 * PAGES * PAGE], vec![0u8; 2 * PAGES * PAGE]);
    let (mut submission, mut reported) = (0, 0);
    let mut events = trace.events();
    while let Some(event) = events.next().unwrap() {
        if event.kind == Kind::Memory {
            let (offset, bytes) = event.memory().unwrap();
            seen[offset as usize..offset as usize + bytes.len()].copy_from_slice(bytes);
            reported += bytes.len();
        } else if event.kind == Kind::Enter && event.method == EXECUTE.0 {
            if submission == 0 {
                expected[3 * PAGE + 5] = 0xa5;
            } else {
                for page in 0..PAGES {
                    expected[2 * page * PAGE..][..PAGE].fill(((submission - 1) * 5 + page) as u8);
                }
            }
            assert!(seen == expected, "submission {submission} sees what the program stored");
            let stored = if submission == 0 { 1 } else { PAGES };
            assert!(!pages || reported == stored * PAGE, "submission {submission}: {reported} bytes were reported");
            (submission, reported) = (submission + 1, 0);
        }
    }
    assert_eq!(submission, rounds + 1);
}

/// Proton's filter ends whoever calls Linux from code of Windows; pages are found all the same.
fn filters(wine: &Wine) {
    let folder = wine.folder("filters", &[("game.exe", "late")]);
    let program = folder.join("game.exe");
    let dead = wine.bare(&program, &["seccomp", "raw"]);
    assert_eq!(dead.status.code(), None, "the filter lets system calls of Windows' code through: {}", dead.errors());
    let finished = wine.captured(&["-o", "t.reprise"], &program, &["seccomp", "memory=5"]);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    let text = wine.bench.output(&["dump", "t.reprise"]);
    assert!(text.contains("mode=pages") || text.contains("mode=mprotect"), "{text}");
    check_stores(&wine.bench.path("t.reprise"), 5, true);
    std::fs::remove_file(wine.bench.path("t.reprise")).unwrap();
}
