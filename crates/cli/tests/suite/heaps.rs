//! What a replay takes for descriptor heaps on lavapipe, which gives each heap the room of the largest one that there may be.

use crate::bench::Bench;
use crate::programs::{capture, ours};
use reprise_testing::artifact;
use std::process::Stdio;

/// KiB of memory that a replay of `trace.reprise` took at most, with so many views in heaps, or as it comes.
#[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
fn peak(bench: &Bench, views: Option<&str>) -> i64 {
    let mut command = bench.command();
    command.args(["replay", "trace.reprise"]).env_remove(artifact::FEW_VIEWS.0);
    command.envs(views.map(|views| (artifact::FEW_VIEWS.0, views)));
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // SAFETY: a structure of integers, for which zeros are valid.
    let (mut status, mut used) = (0, unsafe { std::mem::zeroed::<libc::rusage>() });
    // SAFETY: the child is this process's, and nobody else waits for it; both are writable.
    let ended = unsafe { libc::wait4(child.id() as i32, &raw mut status, 0, &raw mut used) };
    assert!(ended == child.id() as i32 && status == 0, "{views:?}: {ended}, {status}");
    used.ru_maxrss
}

/// The replay looks at the trace's heaps before it makes a device. Where a variable asks for the API's most, it cannot.
#[test]
fn a_replay_makes_room_for_the_heaps_that_the_trace_has() {
    let bench = Bench::new();
    capture(&bench, "bindless", &ours());
    let (known, most) = (peak(&bench, None), peak(&bench, Some("1000000")));
    assert!(known + 500_000 < most, "{known} KiB, and {most} KiB with room for a million views");
}
