//! A trace of our runtime plays at the addresses that it was captured at: another process, the same driver, nothing translated.

use crate::bench::{Bench, PATIENCE};
use crate::programs::{self, expected};
use reprise_testing::{Finished, artifact};
use serde_json::Value as Json;

/// Programs whose memory holds addresses: of shader tables, instances and indirect arguments.
const PROGRAMS: [&str; 4] = ["rays", "ray-queries", "dispatch-roots", "indirect-state"];

/// Captures a program on our runtime; `None` where this machine's device cannot run it.
fn captured(name: &str, variables: &[(&str, &str)]) -> Option<Bench> {
    let bench = Bench::new();
    let mut command = bench.command();
    command.envs(variables.iter().copied()).env_remove("REPRISE_LOG_LEVEL");
    command.args(["capture", "-q", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args([name, "--shaders", "dxil", "--library"]).arg(programs::ours());
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    if finished.errors().contains("cannot run here") {
        return None;
    }
    assert!(finished.status.success(), "{name}: {}\n{}", finished.status, finished.errors());
    assert_eq!(finished.text(), format!("{name} {}\n", expected(name)));
    Some(bench)
}

/// The facts of the trace that keep places: object, address, bytes.
fn kept(bench: &Bench) -> Vec<(u64, u64, u64)> {
    let lines = bench.output(&["dump", "--json", "trace.reprise"]);
    let events = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let facts = events.filter(|event| event["fact"] == "capture_address");
    let number = |text: &Json| u64::from_str_radix(text.as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
    facts
        .map(|it| (it["object"]["id"].as_u64().unwrap(), number(&it["address"]), it["bytes"].as_u64().unwrap()))
        .collect()
}

fn replay(bench: &Bench, arguments: &[&str], variables: &[(&str, &str)]) -> Finished {
    let mut command = bench.command();
    command.envs(variables.iter().copied()).args(["replay", "--json"]).args(arguments).arg("trace.reprise");
    reprise_testing::run(&mut command, PATIENCE).unwrap()
}

/// What of it lies where it lay, and what does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Lies {
    allocations: (u64, u64),
    buffers: (u64, u64),
}

/// The report of a replay that must succeed and compute the same bytes.
fn lies(name: &str, finished: &Finished) -> Option<Lies> {
    assert!(finished.status.success(), "{name}: {}\n{}", finished.status, finished.errors());
    let report: Json = serde_json::from_str(&finished.text()).unwrap();
    assert_eq!(report["difference_count"], 0, "{name}: {report}");
    assert_ne!(report["compared_bytes"], 0, "{name}: {report}");
    let addresses = report["addresses"].as_object()?;
    let number = |name: &str| addresses[name].as_u64().unwrap();
    Some(Lies {
        allocations: (number("recorded"), number("elsewhere")),
        buffers: (number("buffers_recorded"), number("buffers_elsewhere")),
    })
}

/// Calls whose addresses in memory were translated, and shader tables.
fn translated(finished: &Finished) -> u64 {
    let report: Json = serde_json::from_str(&finished.text()).unwrap();
    ["translated", "moved_tables"].iter().map(|name| report[name].as_u64().unwrap()).sum()
}

#[test]
fn everything_lies_where_it_lay() {
    for name in PROGRAMS {
        let Some(bench) = captured(name, &[]) else { continue };
        let places = kept(&bench);
        assert!(places.iter().all(|(object, address, bytes)| *object != 0 && *address != 0 && *bytes != 0));
        let info = bench.output(&["info", "trace.reprise"]);
        assert!(info.contains("addresses:") && info.contains("our runtime on the same driver"), "{info}");
        let finished = replay(&bench, &[], &[]);
        let Lies { allocations, buffers } = lies(name, &finished).unwrap();
        assert_eq!(allocations, (places.len() as u64, 0), "{name}");
        assert!(buffers.0 >= places.len() as u64 && buffers.1 == 0, "{name}: {buffers:?}");
        assert_eq!(translated(&finished), 0, "{name}");
        // Threads make no difference, and text says it, too.
        let text = bench.output(&["replay", "--threads", "3", "trace.reprise"]);
        assert!(text.contains(" at recorded addresses") && !text.contains("lies elsewhere"), "{name}: {text}");
    }
}

/// What the blocked page is in moves, and nothing else; addresses in memory are translated then.
#[test]
fn what_cannot_be_had_moves_alone() {
    for name in PROGRAMS {
        let Some(bench) = captured(name, &[]) else { continue };
        let places = kept(&bench);
        let &(_, blocked, _) = places.first().unwrap();
        let finished = replay(&bench, &[], &[("REPRISE_TAKEN_ADDRESS", &format!("{blocked:x}"))]);
        let (recorded, elsewhere) = lies(name, &finished).unwrap().allocations;
        assert_eq!(recorded + elsewhere, places.len() as u64, "{name}");
        assert!(recorded > 0 && elsewhere > 0, "{name}: {recorded} and {elsewhere}");
        assert!(translated(&finished) > 0, "{name}");
    }
}

/// The highest places are those of the heaps that the GPU alone sees, made when lists that rely on them have been recorded already: the
/// replay begins anew, and says so.
#[test]
fn what_cannot_be_had_late_is_moved_anew() {
    let Some(bench) = captured("dispatch-late", &[]) else { return };
    let blocked = kept(&bench).into_iter().map(|(_, address, _)| address).max().unwrap();
    let finished = replay(&bench, &[], &[("REPRISE_TAKEN_ADDRESS", &format!("{blocked:x}"))]);
    assert_eq!(lies("dispatch-late", &finished), None, "the second replay asks for no addresses");
    assert!(finished.errors().contains("begins anew"), "{}", finished.errors());
    assert!(translated(&finished) > 0);
}

#[test]
fn a_replay_need_not_ask() {
    let Some(bench) = captured("dispatch-roots", &[]) else { return };
    for how in [
        &["--addresses", "moved"][..],
        &["--create-dummy-allocations"],
        &["--create-dummy-allocations", "--addresses", "recorded"],
    ] {
        assert_eq!(lies("dispatch-roots", &replay(&bench, how, &[])), None, "{how:?}");
    }
    // Our runtime as a library gives places as well.
    let library = programs::ours();
    let finished = replay(&bench, &["--runtime", &library.to_string_lossy()], &[]);
    assert_eq!(lies("dispatch-roots", &finished).unwrap().allocations, (kept(&bench).len() as u64, 0));
}

/// Sizes of another device: heaps that are laid out anew do not get places that no longer fit.
#[test]
fn heaps_of_other_sizes_lie_elsewhere() {
    let Some(bench) = captured("placed", &[]) else { return };
    let finished = replay(&bench, &[], &[("REPRISE_INFLATE", "7")]);
    assert!(finished.status.success(), "{}\n{}", finished.status, finished.errors());
    let report: Json = serde_json::from_str(&finished.text()).unwrap();
    assert_ne!(report["replanned"]["heaps"], 0, "{report}");
    assert_eq!(report["different_bytes"].as_u64().unwrap_or(0), 0, "{report}");
}

#[test]
fn other_traces_keep_no_addresses() {
    // Where the user says so, and on another library.
    let Some(bench) = captured("dispatch-roots", &[("REPRISE_ADDRESSES", "any")]) else { return };
    assert_eq!(kept(&bench), []);
    assert!(!bench.output(&["info", "trace.reprise"]).contains("addresses:"));
    assert_eq!(lies("dispatch-roots", &replay(&bench, &[], &[])), None);
    let Some([_, other]) = programs::runtimes() else { return };
    let bench = Bench::new();
    programs::capture(&bench, "compute", &other);
    assert_eq!(kept(&bench), []);
    assert!(!bench.output(&["info", "trace.reprise"]).contains("addresses:"));
    assert_eq!(lies("compute", &replay(&bench, &[], &[])), None);
}

/// Heaps of the device are the driver's on lavapipe: what is placed there moves, and what is not stays.
#[test]
fn what_has_no_place_moves() {
    let Some(bench) = captured("placed", &[]) else { return };
    let finished = replay(&bench, &[], &[]);
    let Lies { allocations, buffers } = lies("placed", &finished).unwrap();
    assert_eq!(allocations, (kept(&bench).len() as u64, 0));
    assert!(buffers.0 > 0, "{buffers:?}");
}
