//! Programs that do what the API leaves open (`docs/undefined.md`): their traces play.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::artifact;

/// Captures such a program on our runtime.
fn captured(name: &str) -> Bench {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args([name, "--shaders", "dxil", "--library"]).arg(programs::ours());
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{name}: {}\n{}", finished.status, finished.errors());
    bench
}

/// Memory is stored to and released, still mapped, before the list that reads it is submitted: what was stored is in the trace.
#[test]
fn memory_that_is_released_before_its_list_is_submitted_is_recorded() {
    let verified = captured("undefined-releases").output(&["verify", "--runtime", "ours", "trace.reprise"]);
    assert!(verified.contains("that the program read back equal on ours"), "{verified}");
}
