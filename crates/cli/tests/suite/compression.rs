//! `capture --compression`: how large the trace becomes, and that it says so and holds the same.

use crate::bench::{Bench, PATIENCE};
use reprise_testing::artifact;
use serde_json::Value as Json;

/// Captures a program; gives the bytes of the trace and what it says of them.
fn capture(bench: &Bench, name: &str, how: &[&str]) -> (u64, Json) {
    let mut command = bench.command();
    command.args(["capture", "-o", name]).args(how).arg("--").arg(artifact::programs().unwrap());
    command.args(["dispatches", "--library"]).arg(artifact::runtime_library().unwrap());
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{how:?}: {}", finished.errors());
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", name])).unwrap();
    (info["bytes"].as_u64().unwrap(), info["compression"].clone())
}

#[test]
fn a_trace_is_as_small_as_it_says() {
    let bench = Bench::new();
    let (usual, said) = capture(&bench, "usual.reprise", &[]);
    assert_eq!(said, "zstd");
    assert!(bench.output(&["info", "usual.reprise"]).contains("compression: zstd\n"));
    let (none, said) = capture(&bench, "none.reprise", &["--compression", "NONE"]);
    assert_eq!(said, "none");
    let (fast, said) = capture(&bench, "fast.reprise", &["--compression", "lz4"]);
    assert_eq!(said, "lz4");
    let (small, said) = capture(&bench, "small.reprise", &["--compression", "zstd:19"]);
    assert_eq!(said, "zstd:19");
    assert!(small < usual && usual < fast && fast < none, "{small} {usual} {fast} {none}");
    // Damage, if any, would be exit code 3; what the program read back is compared.
    for name in ["usual.reprise", "fast.reprise", "none.reprise", "small.reprise"] {
        let replayed = bench.output(&["replay", name]);
        assert!(
            replayed.contains("2.5 KiB that the program saw") && !replayed.contains("differ"),
            "{name}: {replayed}"
        );
    }
    let refused = bench.run(&["capture", "--compression", "lz4:9", "--", "true"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.errors().contains("zstd:LEVEL"), "{}", refused.errors());
}
