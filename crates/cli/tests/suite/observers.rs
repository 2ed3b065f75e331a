//! `reprise replay --observer`: a library in C sees each call that the trace has, as `dump --json` says it.

use crate::bench::Bench;
use crate::programs::{capture, ours};
use reprise_testing::{artifact, missing, require};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Compiles a library; `None` where there is no compiler.
fn compile(bench: &Bench, source: &Path, options: &[&str], name: &str) -> Option<()> {
    require(missing::program("gcc", "gcc"))?;
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let mut command = Command::new("gcc");
    command.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I"]).arg(header).args(options);
    let output = command.arg("-o").arg(bench.path(name)).arg(source).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

fn lines(bench: &Bench, options: &[&str]) -> Option<()> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/observers/lines.c");
    compile(bench, &source, options, "lines.so")
}

/// Calls with their arguments, before and after, in the order of the trace; frames where they end. The GPU does the same as without an observer.
#[test]
fn an_observer_sees_what_a_dump_says() {
    let bench = Bench::new();
    let Some(()) = lines(&bench, &[]) else { return };
    capture(&bench, "presents", &ours());
    let replayed = bench.output(&["replay", "trace.reprise", "--observer", "./lines.so=seen"]);
    assert!(replayed.contains("14 frames and ") && !replayed.contains("differ"), "{replayed}");
    let seen = std::fs::read_to_string(bench.path("seen")).unwrap();
    let seen: Vec<&str> = seen.lines().collect();
    assert_eq!((seen[0], seen[seen.len() - 1]), ("begin trace.reprise", "end"));
    let dumped = bench.output(&["dump", "--json", "trace.reprise"]);
    let dumped: Vec<Json> = dumped.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let calls: Vec<&Json> = dumped.iter().filter(|line| line.get("call").is_some()).collect();
    let told = |when: &str| -> Vec<(String, Json)> {
        let of = seen.iter().filter_map(|line| line.strip_prefix(when)?.strip_prefix(' '));
        let parts = of.map(|line| {
            let (told, line) = line.split_once(" {").unwrap();
            (told.to_owned(), serde_json::from_str(&format!("{{{line}")).unwrap())
        });
        parts.collect()
    };
    let before = told("before");
    assert_eq!(before.iter().map(|(_, line)| line).collect::<Vec<_>>(), calls);
    for (told, line) in &before {
        let name = line["method"].as_str().unwrap();
        let name = if name.contains("::") { name.replace("::", "/") } else { format!("/{name}") };
        let object = line["this"]["id"].as_u64().unwrap_or(0);
        let wanted = format!("64 {} {} {} {object} {name}", line["call"], line["frame"], line["thread"]);
        assert_eq!(told.rsplit_once(' ').unwrap().0, wanted);
    }
    // Objects are there where something is called on them: of lists at every draw.
    let draws: BTreeSet<&str> = before
        .iter()
        .filter(|(_, line)| line["method"].as_str().unwrap().contains("::Clear"))
        .map(|(told, _)| told.rsplit_once(' ').unwrap().1)
        .collect();
    assert_eq!(draws, BTreeSet::from(["1"]));
    let after: BTreeSet<u64> = told("after").iter().map(|(_, line)| line["call"].as_u64().unwrap()).collect();
    let numbers: BTreeSet<u64> = calls.iter().map(|line| line["call"].as_u64().unwrap()).collect();
    assert!(after.is_subset(&numbers) && after.len() * 10 > numbers.len() * 9, "{} of {}", after.len(), numbers.len());
    let frames: Vec<&str> = seen.iter().filter_map(|line| line.strip_prefix("frame ")).collect();
    assert_eq!(frames, (1..=14).map(|frame| frame.to_string()).collect::<Vec<_>>());
}

/// The example counts what the calls say, and another program's draws are other ones.
#[test]
fn the_example_counts_triangles() {
    let bench = Bench::new();
    let source = artifact::workspace().join("docs/observers/triangles.c");
    let Some(()) = compile(&bench, &source, &[], "triangles.so") else { return };
    for (name, wanted) in [("passes", 6), ("many-draws", 20_000)] {
        let _ = std::fs::remove_file(bench.path("trace.reprise"));
        capture(&bench, name, &ours());
        let said = bench.output(&["replay", "--quiet", "trace.reprise", "--observer", "./triangles.so"]);
        assert_eq!(said.lines().last(), Some(&*format!("{wanted} triangles")), "{said}");
    }
}

/// A replay that cannot make a call ends its observer, too.
#[test]
fn an_observer_ends_with_a_replay_that_fails() {
    let bench = Bench::new();
    let Some(()) = lines(&bench, &[]) else { return };
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v3/interface.reprise");
    let finished = bench.run(&["replay", "--quiet", &trace.to_string_lossy(), "--observer", "./lines.so=seen"]);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.errors());
    let seen = std::fs::read_to_string(bench.path("seen")).unwrap();
    assert_eq!(seen.lines().filter(|line| line.starts_with("begin ")).count(), 1, "{seen}");
    assert_eq!(seen.lines().last(), Some("end"), "{seen}");
}

#[test]
fn libraries_that_cannot_watch_are_refused() {
    let bench = Bench::new();
    let Some(()) = lines(&bench, &["-DOTHER_VERSION"]) else { return };
    capture(&bench, "compute", &ours());
    let refused = |library: &str, wanted: &str| {
        let refused = bench.run(&["replay", "trace.reprise", "--observer", library]);
        assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
        assert!(refused.errors().contains(wanted), "{}", refused.errors());
    };
    refused("./lines.so", "an observer of version 2; this build takes version 1");
    lines(&bench, &["-DBLIND"]);
    refused("./lines.so", "it would see nothing");
    refused("./none.so", "none.so");
    refused(&ours().to_string_lossy(), "it has no reprise_observer_version");
    refused("=seen", "LIBRARY or LIBRARY=ARGUMENT");
}
