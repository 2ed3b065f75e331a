//! Barriers that our runtime needs are there: programs give the same results under a Vulkan layer that reorders whatever no barrier
//! keeps in order (`crates/reorder`), and Vulkan's validation, with synchronisation, finds nothing. Layers before 1.4 do not look at what builds
//! read and write, so the control here is the wrong result.

#![allow(clippy::unwrap_used)]

mod common;

use common::expected;
use reprise_testing::{artifact, missing, program, reorder, require};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

/// A program that does not end by then hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// Programs that build acceleration structures, and run on lavapipe.
const BUILDERS: [&str; 8] = [
    "undefined-builds",
    "ray-queries",
    "structures",
    "rays",
    "rays-bundled",
    "rays-counted",
    "rays-grown",
    "demands-rays",
];

/// A program on our runtime under the layer, with this seed.
fn under(name: &str, folder: &std::path::Path, seed: u64) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise-programs"));
    command.args([name, "--shaders", "dxil", "--library"]).arg(artifact::runtime_library().unwrap());
    command.current_dir(env!("CARGO_TARGET_TMPDIR"));
    // One program is about the room of heaps.
    if name != "many-views" {
        command.env(artifact::FEW_VIEWS.0, artifact::FEW_VIEWS.1);
    }
    reorder::load(&mut command, folder, seed).unwrap();
    command
}

/// Runs programs so many times each under the layer, half of them under validation, too; gives how many commands were moved.
fn rounds(names: &[&str], count: u64) -> u64 {
    let validates = require(missing::validation_layer()).is_some();
    let folder = tempfile::tempdir().unwrap();
    let (mut moved, mut results) = (0, BTreeMap::new());
    for name in names {
        let begun = Instant::now();
        let mut of_this = 0;
        for seed in 0..count {
            let mut command = under(name, folder.path(), seed / 2);
            let validation = if validates && seed % 2 == 1 { "fatal" } else { "0" };
            let finished = program::run_quietly(command.env("REPRISE_VALIDATION", validation), PATIENCE).unwrap();
            let said = finished.errors();
            assert!(finished.status.success(), "{name}, seed {}, validation {validation}: {said}", seed / 2);
            assert_eq!(said.contains("Vulkan validation: 0 errors, 0 warnings"), validation == "fatal", "{said}");
            let result = results.entry(name).or_insert_with(|| finished.text());
            assert_eq!(*result, finished.text(), "{name}, seed {}", seed / 2);
            of_this += reorder::said(&said).unwrap().moved;
        }
        eprintln!("{name}: {count} runs right, {of_this} commands moved, {:.0} s", begun.elapsed().as_secs_f64());
        moved += of_this;
    }
    moved
}

#[test]
fn builds_without_barriers_are_right_in_other_orders() {
    let moved = rounds(&["undefined-builds"], 4);
    assert!(moved > 0, "the layer moved nothing");
}

/// Without our runtime's barriers the results are wrong in another order: the layer shows a barrier that is missing.
#[test]
fn a_barrier_that_is_missing_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = under("undefined-builds", folder.path(), 0);
    reorder::without_barriers(&mut command);
    let finished = program::run(&mut command, PATIENCE).unwrap();
    let said = reorder::said(&finished.errors()).unwrap();
    assert!(said.dropped > 0 && said.moved > 0, "{said:?}");
    assert_eq!(finished.status.code(), Some(1), "{}", finished.errors());
    assert!(finished.errors().contains("undefined-builds: wrong: ray 0"), "{}", finished.errors());
}

/// Prints a line a program: `REPRISE_REORDERED=100 cargo test -p reprise-programs --test reordered -- --ignored --nocapture`.
#[test]
#[ignore = "slow: runs each program that builds acceleration structures several times"]
fn loops_of_each_program_that_builds() {
    assert!(rounds(&BUILDERS, loops()) > 0, "the layer moved nothing");
}

/// How often each program runs: a few times, or as often as the variable says.
fn loops() -> u64 {
    std::env::var("REPRISE_REORDERED").map_or(4, |said| said.parse().unwrap())
}

/// As above, of every program, backwards, and by chance where the variable asks for it.
#[test]
#[ignore = "slow: runs every test program"]
fn every_program_is_right_in_other_orders() {
    let folder = tempfile::tempdir().unwrap();
    let (mut moved, mut right) = (0, 0);
    for (name, expected) in expected() {
        for seed in 0..loops().min(8).div_ceil(4) {
            let finished = program::run_quietly(&mut under(&name, folder.path(), seed), PATIENCE).unwrap();
            let said = finished.errors();
            if expected.known.iter().any(|known| known == "ours/dxil=cannot") {
                assert_eq!(finished.status.code(), Some(3), "{name}: {said}");
                continue;
            }
            assert_eq!(finished.text(), format!("{name} {}\n", expected.hash), "seed {seed}: {said}");
            moved += reorder::said(&said).unwrap().moved;
            right += 1;
        }
    }
    eprintln!("{right} runs right, {moved} commands moved");
    assert!(right > 0 && moved > 0, "{right} runs, {moved} commands moved");
}
