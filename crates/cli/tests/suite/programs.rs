//! Our own test programs: captured as they are, on two runtimes, and replayed on both.
//!
//! What a program read back is in its trace, so replay finds out by itself whether it computes the same. The programs' own
//! hashes say that capture changed nothing.

use crate::bench::Bench;
use reprise_testing::{artifact, missing, require};
use reprise_trace::frame_hash::{self, FrameLine};
use std::path::{Path, PathBuf};

/// The hash that `reprise-programs` must print, as stated beside the programs.
pub(crate) fn expected(name: &str) -> String {
    let text = std::fs::read_to_string(artifact::workspace().join("crates/programs/expected.txt")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).unwrap();
    line.split(' ').next().unwrap().to_owned()
}

/// Our own runtime, as a library.
pub(crate) fn ours() -> PathBuf {
    artifact::runtime_library().unwrap()
}

/// Ours and libvkd3d, which speak different conventions.
pub(crate) fn runtimes() -> Option<[PathBuf; 2]> {
    let debian = missing::file(&["/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1"], "libvkd3d-utils1");
    Some([ours(), require(debian)?])
}

/// Captures a program on a runtime into `trace.reprise`.
pub(crate) fn capture(bench: &Bench, name: &str, runtime: &Path) {
    let mut command = bench.command();
    command.env("VKD3D_DEBUG", "none").env("VKD3D_SHADER_DEBUG", "none");
    command.args(["capture", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args([name, "--library"]).arg(runtime);
    let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
    assert!(finished.status.success(), "{name}: {}\n{}", finished.status, finished.errors());
    assert_eq!(finished.text(), format!("{name} {}\n", expected(name)), "captured on {}", runtime.display());
}

/// Replays `trace.reprise`, which must succeed; gives what it prints.
///
/// libvkd3d at times loses a value of a fence that is signalled in quick succession (1 replay in 14 to 200 of `queues`). Replay
/// then says so and goes on, because the queue is done: the only difference that there may be.
fn replay(bench: &Bench, runtime: &Path) -> String {
    let text = bench.output(&["replay", "trace.reprise", "--runtime", &runtime.to_string_lossy()]);
    let lost = |line: &&str| runtime != ours() && line.contains("the library lost a fence's value");
    text.lines().filter(|line| !lost(line)).map(|line| format!("{line}\n")).collect()
}

/// Captures on each runtime, replays on each: everything that was read back, so many bytes in words, is equal.
fn check(name: &str, read_back: &str) {
    let Some(runtimes) = runtimes() else { return };
    for captured in &runtimes {
        let bench = Bench::new();
        capture(&bench, name, captured);
        for replayed in &runtimes {
            let text = replay(&bench, replayed);
            let place = format!("{name}, from {} on {}:\n{text}", captured.display(), replayed.display());
            assert!(text.contains(&format!("  {read_back} that the program saw the GPU write compared")), "{place}");
            assert!(!text.contains("differ"), "{place}");
        }
    }
}

#[test]
fn compute_is_the_same_on_both_runtimes() {
    check("compute", "12.2 KiB");
}

/// The debug layer's calls are recorded, its callbacks among them, and left out at replay with a reason; the device is made without it.
#[test]
fn a_program_of_the_debug_layer_is_recorded_and_replayed() {
    let bench = Bench::new();
    capture(&bench, "messages", &ours());
    let calls = bench.output(&["dump", "trace.reprise"]);
    for call in ["ID3D12Debug", "AddApplicationMessage", "RegisterMessageCallback", "GetStorageFilter"] {
        assert!(calls.contains(call), "{call}");
    }
    let text = replay(&bench, &ours());
    assert!(text.contains("debug and tool interfaces of the captured program are left out"), "{text}");
    assert!(!text.contains("differ"), "{text}");
}

#[test]
fn lists_of_many_threads_are_the_same() {
    check("threads", "16.0 KiB");
}

#[test]
fn memory_that_stays_mapped_is_the_same() {
    check("streaming", "97.7 KiB");
}

/// Our runtime takes upload heaps from pages that the kernel can watch, and the trace says that it was asked to.
#[test]
fn upload_heaps_are_watched_on_our_runtime() {
    let Some([ours, debian]) = runtimes() else { return };
    let policy = "upload_memory_policy:";
    let bench = Bench::new();
    capture(&bench, "streaming", &ours);
    assert!(bench.output(&["info", "trace.reprise"]).contains(policy));
    std::fs::remove_file(bench.path("trace.reprise")).unwrap();
    capture(&bench, "streaming", &debian);
    assert!(!bench.output(&["info", "trace.reprise"]).contains(policy), "libvkd3d does not know of it");
}

/// Addresses that a program keeps in GPU memory are those of the capture: replay moves them. (libvkd3d leaves such arguments out.)
#[test]
fn addresses_in_indirect_arguments_are_moved() {
    for (name, read_back) in [("dispatch-roots", "1.5 KiB"), ("indirect-state", "64.0 KiB")] {
        let bench = Bench::new();
        capture(&bench, name, &ours());
        let runtime = ours();
        let text = bench.output(&[
            "replay",
            "trace.reprise",
            "--create-dummy-allocations",
            "--runtime",
            &runtime.to_string_lossy(),
        ]);
        assert!(text.contains(&format!("  {read_back} that the program saw the GPU write compared")), "{text}");
        assert!(!text.contains("differ"), "{text}");
    }
}

/// Parameters of meta commands are bytes to the API, and hold addresses: replay moves them.
#[test]
fn addresses_in_parameters_of_meta_commands_are_moved() {
    let bench = Bench::new();
    capture(&bench, "decompression", &ours());
    let runtime = ours();
    for option in [&["--addresses", "moved"][..], &["--addresses", "moved", "--create-dummy-allocations"]] {
        let play = ["replay", "trace.reprise", "--runtime", &runtime.to_string_lossy()];
        let text = bench.output(&[&play, option].concat());
        assert!(text.contains("  6.1 MiB that the program saw the GPU write compared"), "{option:?}: {text}");
        assert!(!text.contains("differ"), "{option:?}: {text}");
    }
}

/// What a program stores to a heap in its own memory needs no map to be found, by any means of finding it.
#[test]
fn stores_to_a_heap_in_the_programs_memory_are_found() {
    for tracking in ["auto", "mprotect", "compare"] {
        let bench = Bench::new();
        let runtime = ours();
        let mut command = bench.command();
        command.args(["capture", "-o", "trace.reprise", "--memory-tracking", tracking, "--"]);
        command.arg(artifact::programs().unwrap()).args(["hosted", "--library"]).arg(&runtime);
        let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
        assert!(finished.status.success(), "{tracking}: {}\n{}", finished.status, finished.errors());
        assert_eq!(finished.text(), format!("hosted {}\n", expected("hosted")), "{tracking}");
        let text = replay(&bench, &runtime);
        // Three readbacks of 128 KiB, and the buffer that is mapped for its address: the processor caches that heap, so programs may
        // map it to read what the GPU wrote.
        assert!(text.contains("  448.0 KiB that the program saw the GPU write compared"), "{tracking}: {text}");
        assert!(!text.contains("differ"), "{tracking}: {text}");
    }
}

/// Times are other ones in every run: they are counted, and are no difference.
#[test]
fn times_of_the_gpus_clock_are_no_difference() {
    let bench = Bench::new();
    capture(&bench, "timestamps", &ours());
    let text = replay(&bench, &ours());
    assert!(text.contains("of times that the GPU's clock gave not compared"), "{text}");
    assert!(!text.contains("differ"), "{text}");
}

#[test]
fn three_queues_are_the_same() {
    check("queues", "32.0 KiB");
}

#[test]
fn textures_are_the_same() {
    check("textures", "96.0 KiB");
}

/// libvkd3d runs one of several indirect dispatches: replay must say so.
#[test]
fn a_runtime_that_computes_something_else_is_found_out() {
    let Some([ours, debian]) = runtimes() else { return };
    let bench = Bench::new();
    capture(&bench, "dispatches", &ours);
    assert!(!replay(&bench, &ours).contains("differ"));
    let text = replay(&bench, &debian);
    assert!(text.contains("36 of 2560 bytes that the GPU wrote differ from what the program saw"), "{text}");
}

/// Swap chains of a queue's own factory: each present is a frame, whose hash at capture is that of its replay, and of the pixels that
/// the program itself read back before it presented them.
#[test]
fn presents_are_frames_with_the_programs_own_pixels() {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-o", "trace.reprise", "--frame-hashes", "trace.hashes", "--"]);
    command.arg(artifact::programs().unwrap()).args(["presents", "--library"]).arg(ours());
    let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
    assert!(finished.status.success(), "{}: {}", finished.status, finished.errors());
    assert_eq!(finished.text(), format!("presents {}\n", expected("presents")));
    assert!(!bench.output(&["info", "trace.reprise"]).contains("unknown"), "every interface is recorded");
    let text = bench.output(&["replay", "trace.reprise", "--frame-hashes", "replay.hashes"]);
    assert!(text.contains("14 frames and "), "{text}");
    assert!(!text.contains("differ"), "{text}");
    let read = |name: &str| std::fs::read_to_string(bench.path(name)).unwrap();
    let (captured, replayed) = (read("trace.hashes"), read("replay.hashes"));
    assert_eq!(captured, replayed);
    // As the program draws them: a ground and a bar, in blue, green, red, alpha.
    let pictures = (0..14u32).map(|number| {
        let (width, height) = if number < 7 { (64, 48) } else { (40, 56) };
        let mut pixels = vec![[0, number as u8, 255, 255]; (width * height) as usize];
        for (y, x) in (3..23).flat_map(|y| (number..(number + 5).min(width)).map(move |x| (y, x))) {
            pixels[(y * width + x) as usize] = [255, 0, number as u8 * 2, 255];
        }
        // DXGI_FORMAT_B8G8R8A8_UNORM
        let format = 87;
        let bytes = pixels.concat();
        frame_hash::hash_rows((width, height, format), &bytes, width as usize * 4, width as usize * 4).unwrap()
    });
    let lines = (1..).zip(pictures).map(|(frame, hash)| format!("{}\n", FrameLine { frame, hash }));
    assert_eq!(captured, lines.collect::<String>());
}

/// Memory and a fence of two devices: in the trace both are, and replay has one device for both.
#[test]
fn what_two_devices_share_is_replayed() {
    let (bench, runtime) = (Bench::new(), ours());
    capture(&bench, "shared-devices", &runtime);
    let text = replay(&bench, &runtime);
    assert!(text.contains("  467.2 KiB that the program saw the GPU write compared"), "{text}");
    assert!(!text.contains("differ"), "{text}");
}

/// What another process does to shared memory is in no trace of this one. The replay whose queue waits for the other process ends, the one that
/// opens what the other shared leaves it out, and both say why.
#[test]
fn what_two_processes_share_is_named() {
    let bench = Bench::new();
    capture(&bench, "shared-processes", &ours());
    let own = |name: &str| name.starts_with("trace.") && name.ends_with(".reprise");
    // Beside `trace.reprise` the child's, with the number of its process.
    let names: Vec<String> = bench.files().into_iter().filter(|name| name == "trace.reprise" || own(name)).collect();
    assert_eq!(names.len(), 2, "each process has a trace: {names:?}");
    for name in names {
        let (plays, why) = match name.as_str() {
            "trace.reprise" => (false, "the program shared objects, and what others do to them is in no trace"),
            _ => (true, "objects shared with another process or API cannot be opened at replay"),
        };
        let finished = bench.run(&["replay", &name, "--fence-timeout", "2"]);
        let told = format!("{}{}", finished.text(), finished.errors());
        assert!(finished.status.success() == plays && told.contains(why), "{name}: {told}");
    }
}
