//! Traces whose numbers are others than any program passes, by edits: every command that reads a trace ends with an answer or a reason, and never
//! with a panic or a signal.
//!
//! Edits write sound traces with any value that a call's type can hold, which flipped bits cannot: checksums find those.

use crate::bench::Bench;
use crate::programs::{self, ours};
use reprise_testing::program;
use serde_json::Value as Json;
use std::time::Duration;

/// Longest that one command may take on a small trace; a hang, not a slow machine, exceeds it.
const LIMIT: Duration = Duration::from_secs(300);
/// Edited traces of each program.
const ROUNDS: usize = 4;
/// Numbers at the ends of types, and beside what programs pass.
const NUMBERS: [i128; 18] = [
    0,
    1,
    2,
    3,
    7,
    16,
    33,
    64,
    255,
    256,
    65_535,
    65_536,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    u64::MAX as i128,
    -1,
];

/// The same numbers each time: a multiplicative generator, whose upper bits count.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Paths and values of arguments, as edits name them.
fn values(path: String, json: &Json, all: &mut Vec<(String, Json)>) {
    match json {
        Json::Object(object) if object.contains_key("id") => all.push((path, json.clone())),
        Json::Object(object) => {
            let dot = if path.is_empty() { "" } else { "." };
            object.iter().for_each(|(name, value)| values(format!("{path}{dot}{name}"), value, all));
        }
        Json::Array(list) => {
            list.iter().take(3).enumerate().for_each(|(at, value)| values(format!("{path}[{at}]"), value, all));
        }
        _ => all.push((path, json.clone())),
    }
}

/// Another value of the same kind.
fn other(chance: &mut Chance, value: &Json, objects: &[u64]) -> String {
    match value {
        Json::Object(_) => chance.of(objects).to_string(),
        Json::Bool(_) => chance.of(&["true", "false"]).to_string(),
        Json::Number(number) if number.is_f64() => chance.of(&["NaN", "inf", "-1.0", "0.0", "1e38"]).to_string(),
        Json::String(text) if text.starts_with("heap ") => {
            format!("heap {}[{}]", chance.of(objects), chance.of(&NUMBERS))
        }
        _ => chance.of(&NUMBERS).to_string(),
    }
}

#[test]
fn every_command_answers_of_edited_numbers() {
    for name in ["passes", "indirect-state", "predication"] {
        let bench = Bench::new();
        let run = |arguments: &[&str]| {
            let finished = program::run(bench.command().args(arguments), LIMIT).unwrap();
            let errors = finished.errors();
            assert!(!finished.timed_out, "{arguments:?} hangs");
            assert!(!errors.contains("panicked") && !errors.contains("a fault of ours"), "{arguments:?}: {errors}");
            let code = finished.status.code();
            // Of the program's own codes the greatest is that of a device that was removed.
            assert!(code.is_some_and(|code| code <= 6), "{arguments:?}: {}\n{errors}", finished.status);
            code.unwrap()
        };
        programs::capture(&bench, name, &ours());
        let dump = bench.output(&["dump", "--json", "trace.reprise"]);
        let calls: Vec<(u64, Json)> = dump
            .lines()
            .map(|line| serde_json::from_str::<Json>(line).unwrap())
            .filter_map(|line| Some((line["call"].as_u64()?, line["args"].clone())))
            .collect();
        let mut chance = Chance(name.len() as u64);
        let mut objects = vec![0];
        let mut all = Vec::new();
        for (call, arguments) in &calls {
            let mut own = Vec::new();
            values(String::new(), arguments, &mut own);
            objects.extend(own.iter().filter_map(|(_, value)| value["id"].as_u64()));
            all.extend(own.into_iter().map(|(path, value)| (*call, path, value)));
        }
        let mut written = 0;
        // Most edits are refused, which is an answer, too.
        for _ in 0..ROUNDS * 50 {
            if written == ROUNDS {
                break;
            }
            let (call, path, value) = chance.of(&all).clone();
            let edit = format!("call {call}: {path} = {}", other(&mut chance, &value, &objects));
            if run(&["edit", "-q", "-f", "-o", "edited.reprise", "-e", &edit, "trace.reprise"]) != 0 {
                continue;
            }
            written += 1;
            let (call, object) = (call.to_string(), chance.of(&objects).to_string());
            for command in [
                &["info"][..],
                &["dump", "--json"],
                &["lint"],
                &["diagnose"],
                &["trim", "-f", "--frames", "1", "-o", "part.reprise"],
                &["edit", "-q", "-f", "--undo", "-o", "before.reprise"],
                &["replay"],
                &["draws", "--frame", "1", "-o", "draws.png"],
            ] {
                run(&[command, &["edited.reprise"]].concat());
            }
            for options in [
                &["state", "--no-index", "--object", &object][..],
                &["scene"],
                &["debug", "--vertex=0"],
                &["debug", "--pixel=3,3"],
                &["debug", "--thread=0,0,0"],
            ] {
                run(&[&[options[0], "edited.reprise", &call], &options[1..]].concat());
            }
        }
        assert_eq!(written, ROUNDS, "{name}: hardly any edit is taken");
    }
}
