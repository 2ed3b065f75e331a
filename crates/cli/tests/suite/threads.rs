//! A replay is the same on any number of threads.

use crate::bench::Bench;
use crate::programs::{capture, ours, runtimes};
use serde_json::Value as Json;

/// Programs that make many pipelines, use them late, or record lists on several threads of their own; that write descriptors
/// right after they were used, and whose lists look at others or at indirect arguments.
const PROGRAMS: [&str; 8] =
    ["pipelines", "threads", "textures", "geometry", "clears", "targets", "bundles", "indirect-draws"];

#[test]
fn what_programs_read_back_is_the_same_on_any_number_of_threads() {
    for name in PROGRAMS {
        let bench = Bench::new();
        capture(&bench, name, &ours());
        let replays = ["1", "2", "8"].map(|threads| {
            // Each call of a list goes to another thread, where there is one.
            let lists = ["--recorded-from", "1"];
            let text = bench.output(&["replay", "--json", "--threads", threads, lists[0], lists[1], "trace.reprise"]);
            let mut json: Json = serde_json::from_str(&text).unwrap();
            assert_eq!(json["different_bytes"], 0, "{name} on {threads} threads: {text}");
            assert!(json["compared_bytes"].as_u64() > Some(0), "{name} reads nothing back: {text}");
            json["seconds"] = Json::Null;
            json
        });
        assert_eq!(replays[1], replays[0], "{name}");
        assert_eq!(replays[2], replays[0], "{name}");
    }
}

#[test]
fn frames_are_the_same_on_any_number_of_threads() {
    let bench = Bench::new();
    let Some(_) = bench.capture("vkd3d-gears", 20) else { return };
    let hashes = ["1", "2", "8"].map(|threads| {
        let arguments = ["replay", "--quiet", "--threads", threads, "--frame-hashes", "replayed.txt", "trace.reprise"];
        bench.output(&arguments);
        std::fs::read_to_string(bench.path("replayed.txt")).unwrap()
    });
    assert!(hashes[0].lines().count() > 5, "{}", hashes[0]);
    assert_eq!(hashes[1], hashes[0]);
    assert_eq!(hashes[2], hashes[0]);
}

/// A library that looks at lists and descriptors where they are recorded.
#[test]
fn libvkd3d_records_what_it_records_on_one_thread() {
    let Some([_, debian]) = runtimes() else { return };
    let bench = Bench::new();
    capture(&bench, "clears", &debian);
    for threads in ["1", "2", "8"] {
        let runtime = debian.to_string_lossy();
        let lists = ["--threads", threads, "--recorded-from", "1", "--runtime", &runtime];
        let text = bench.output(&[&["replay", "--json", "trace.reprise"], &lists[..]].concat());
        let json: Json = serde_json::from_str(&text).unwrap();
        assert_eq!((&json["different_bytes"], &json["difference_count"]), (&0.into(), &0.into()), "{threads}: {text}");
        assert!(json["compared_bytes"].as_u64() > Some(0), "{text}");
    }
}

#[test]
fn options_that_look_at_calls_say_that_there_is_one_thread() {
    let bench = Bench::new();
    capture(&bench, "clears", &ours());
    let finished = bench.run(&["replay", "--quiet", "--threads", "4", "--sync", "trace.reprise"]);
    assert!(finished.status.success() && finished.errors().contains("--sync"), "{}", finished.errors());
    let finished = bench.run(&["replay", "--quiet", "--threads", "4", "trace.reprise"]);
    assert!(finished.status.success() && finished.errors().is_empty(), "{}", finished.errors());
}
