//! Mapped memory, end to end: the trace of a program that stores in every way, from several threads, has at each submission
//! what the program's own log says, in each mode and on runtimes that map differently; and a replay reads back the same.

use crate::bench::Bench;
use crate::programs::ours;
use reprise_testing::{artifact, missing, require};
use std::path::{Path, PathBuf};

/// Our own runtime with and without upload heaps of its own pages, and libvkd3d, whose mappings are lavapipe's.
fn runtimes() -> Vec<(PathBuf, Option<&'static str>)> {
    let mut runtimes = vec![(ours(), None), (ours(), Some("driver"))];
    let debian = missing::file(&["/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1"], "libvkd3d-utils1");
    runtimes.extend(require(debian).map(|library| (library, None)));
    runtimes
}

/// Captures `writers` and compares; gives what `info` says of its mappings, and leaves trace and log.
fn check(bench: &Bench, mode: &str, runtime: &Path, upload: Option<&str>) -> String {
    let mut command = bench.command();
    command.env("VKD3D_DEBUG", "none").envs(upload.map(|upload| ("REPRISE_UPLOAD_MEMORY", upload)));
    command.args(["capture", "-f", "-o", "trace.reprise", "--memory-tracking", mode, "--"]);
    command.arg(artifact::programs().unwrap());
    command.args(["writers", "--frames", "15", "--memory-log", "memory.log", "--library"]).arg(runtime);
    let place = format!("{mode} on {} ({upload:?})", runtime.display());
    let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
    assert!(finished.status.success(), "{place}: {}\n{}", finished.status, finished.errors());
    let finished = bench.run(&["check-memory", "trace.reprise", "memory.log"]);
    assert!(finished.status.success(), "{place}: {}\n{}", finished.text(), finished.errors());
    assert!(finished.text().starts_with("16 submissions, "), "{place}: {}", finished.text());
    bench.output(&["info", "trace.reprise"])
}

#[test]
fn a_trace_has_what_memory_held_at_each_submission() {
    for (runtime, upload) in runtimes() {
        for mode in ["auto", "mprotect", "compare"] {
            let bench = Bench::new();
            let info = check(&bench, mode, &runtime, upload);
            let expected = if mode == "auto" { "pages" } else { mode };
            assert!(info.contains(&format!("watched by {expected}")), "{mode}: {info}");
        }
    }
}

#[test]
fn a_replay_reads_back_what_was_stored() {
    let bench = Bench::new();
    check(&bench, "auto", &ours(), None);
    let text = bench.output(&["replay", "trace.reprise"]);
    assert!(text.contains("that the program saw the GPU write compared") && !text.contains("differ"), "{text}");
}

/// What `WriteToSubresource` was given reaches the replay: boxes, padded rows and slices, blocks.
#[test]
fn texels_written_by_the_processor_are_in_the_trace() {
    let bench = Bench::new();
    crate::programs::capture(&bench, "subresources", &ours());
    let text = bench.output(&["replay", "trace.reprise"]);
    // What buffers read back, which the GPU wrote, and what `ReadFromSubresource` gave.
    assert!(text.contains("63.7 KiB that the program saw the GPU write compared"), "{text}");
    assert!(text.contains("submitted work had written 45.5 KiB of them"), "{text}");
    assert!(!text.contains("differ"), "{text}");
}

/// A log that says something else, of one byte or of a submission too many, is not equal.
#[test]
fn what_differs_from_the_log_is_found() {
    let bench = Bench::new();
    check(&bench, "auto", &ours(), None);
    let log = std::fs::read(bench.path("memory.log")).unwrap();
    let compare = |bytes: &[u8], said: &str| {
        std::fs::write(bench.path("wrong.log"), bytes).unwrap();
        let finished = bench.run(&["check-memory", "trace.reprise", "wrong.log"]);
        assert_eq!(finished.status.code(), Some(1), "{}{}", finished.text(), finished.errors());
        assert!(finished.text().contains(said), "{}", finished.text());
    };
    let mut byte = log.clone();
    *byte.last_mut().unwrap() ^= 0x10;
    compare(&byte, "submission 16, 66000 bytes mapped at");
    compare(&byte, "1 byte differs, the first at 65999");
    let mut later = log.clone();
    later.extend([17u64, 1, 0].iter().flat_map(|word| word.to_le_bytes()));
    compare(&later, "the log has submission 17, and the trace ends with 16");
    for cut in [log.len() - 1, 5, 0] {
        std::fs::write(bench.path("wrong.log"), &log[..cut]).unwrap();
        let finished = bench.run(&["check-memory", "trace.reprise", "wrong.log"]);
        assert_eq!(finished.status.code(), Some(2), "{}", finished.text());
    }
}
