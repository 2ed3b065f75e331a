//! A replay is the same on any number of threads.

use crate::bench::Bench;
use crate::programs::{capture, ours};
use serde_json::Value as Json;

/// Programs that make many pipelines, use them late, or record lists on several threads of their own.
const PROGRAMS: [&str; 4] = ["pipelines", "threads", "textures", "geometry"];

#[test]
fn what_programs_read_back_is_the_same_on_any_number_of_threads() {
    for name in PROGRAMS {
        let bench = Bench::new();
        capture(&bench, name, &ours());
        let replays = ["1", "2", "8"].map(|threads| {
            let text = bench.output(&["replay", "--json", "--threads", threads, "trace.reprise"]);
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
