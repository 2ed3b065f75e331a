//! `reprise lint`: correct programs have no finding, a wrong one has its own, in text and in JSON.

use crate::bench::Bench;
use crate::lint_program::{LIST, PIXEL, Program, TARGET};
use reprise_testing::artifact;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Programs that use many queues, heaps, barriers, bundles and passes, and those that had mistakes once.
const PROGRAMS: &[&str] = &[
    "compute",
    "queues",
    "aliasing",
    "placed",
    "barriers",
    "bundles",
    "passes",
    "copies",
    "view-instances",
    "tables",
    "textures",
];

#[test]
fn correct_programs_have_no_finding() {
    for name in PROGRAMS {
        let bench = Bench::new();
        let mut command = bench.command();
        command.args(["capture", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
        command.args([name, "--shaders", "dxil", "--library"]).arg(artifact::runtime_library().unwrap());
        let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
        assert!(finished.status.success(), "{name}: {}\n{}", finished.status, finished.errors());
        assert_eq!(bench.output(&["lint", "trace.reprise"]), "no findings\n", "{name}");
    }
}

/// Faults of `reprise-programs --wrong`: each is called by the rule that finds it.
const FAULTS: &[&str] = &[
    "state-before",
    "state-use",
    "barrier-arguments",
    "queue-race",
    "fence-backwards",
    "released-in-flight",
    "readback-early",
    "events",
    "stale-address",
    "stale-handle",
];

#[test]
fn wrong_programs_are_found_out_and_their_twins_are_not() {
    for fault in FAULTS {
        for right in [false, true] {
            let bench = Bench::new();
            let mut command = bench.command();
            command.args(["capture", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
            command.args(["--wrong", fault, "--library"]).arg(artifact::runtime_library().unwrap());
            command.args(right.then_some("--right"));
            let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
            assert!(finished.status.success(), "{fault}: {}\n{}", finished.status, finished.errors());
            let json = bench.run(&["lint", "--format", "json", "trace.reprise"]).text();
            let rules: BTreeSet<String> = json
                .lines()
                .map(|line| serde_json::from_str::<Json>(line).unwrap()["rule"].as_str().unwrap().to_owned())
                .collect();
            let expected: BTreeSet<String> = (!right).then(|| (*fault).to_owned()).into_iter().collect();
            assert_eq!(rules, expected, "{fault}, right: {right}\n{json}");
        }
    }
}

/// A trace with a transition from another state, 60 times, and an open event.
fn wrong(bench: &Bench) -> u64 {
    let mut program = Program::new();
    let texture = program.texture(TARGET);
    program.list("BeginEvent", &[1, c"frame".as_ptr() as u64, 6]);
    let first = program.transition(texture, PIXEL, 0x800);
    program.transition_of(LIST, texture, u32::MAX, (0x800, TARGET), 0);
    for _ in 1..60 {
        program.transition(texture, PIXEL, 0x800);
        program.transition_of(LIST, texture, u32::MAX, (0x800, TARGET), 0);
    }
    program.run();
    std::fs::write(bench.path("wrong.reprise"), program.bytes()).unwrap();
    first
}

#[test]
fn findings_are_told_to_people_and_machines() {
    let bench = Bench::new();
    let call = wrong(&bench);
    let finished = bench.run(&["lint", "wrong.reprise"]);
    assert_eq!(finished.status.code(), Some(5));
    let text = finished.text();
    assert!(text.starts_with("2 findings: 1 error, 1 hint\nstate-before (1 finding, seen 60 times): "), "{text}");
    assert!(text.contains(&format!("error call {call}, list 5, submission 1 ")), "{text}");
    let json = bench.run(&["lint", "--format", "json", "wrong.reprise"]);
    assert_eq!(json.status.code(), Some(5));
    let lines: Vec<Json> = json.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: Vec<_> =
        lines.iter().map(|it| (it["rule"].as_str().unwrap(), it["severity"].as_str().unwrap())).collect();
    assert_eq!(found, [("events", "hint"), ("state-before", "error")]);
    assert_eq!((&lines[1]["call"], &lines[1]["times"]), (&Json::from(call), &Json::from(60)));
    // What is not asked for does not count.
    let finished = bench.run(&["lint", "--rule", "queue-race", "wrong.reprise"]);
    assert_eq!((finished.status.code(), finished.text().as_str()), (Some(0), "no findings\n"));
    assert_eq!(
        bench.run(&["lint", "--rule", "events", "--severity", "likely", "wrong.reprise"]).status.code(),
        Some(0)
    );
    assert_eq!(bench.run(&["lint", "--rule", "no-such", "wrong.reprise"]).status.code(), Some(2));
    assert_eq!(bench.run(&["lint"]).status.code(), Some(2));
}

#[test]
fn rules_are_listed_and_documented() {
    let listed = reprise_lint::rules().iter().map(|rule| rule.name).collect::<BTreeSet<_>>();
    let text = Bench::new().output(&["lint", "--rules"]);
    let docs = std::fs::read_to_string(artifact::workspace().join("docs/lint.md")).unwrap();
    for name in listed {
        assert!(text.lines().any(|line| line == name), "{name}");
        assert!(docs.contains(&format!("`{name}`")), "docs/lint.md: {name}");
    }
}
