//! Shaders that look at descriptors find nothing wrong in our programs, and the programs' results stay as they are.

#![allow(clippy::unwrap_used)]

use reprise_testing::{artifact, program};
use std::process::Command;
use std::time::Duration;

/// A program that does not end by then hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// What `reprise-programs` ends with where the device lacks something.
const CANNOT: i32 = 3;

/// Runs a program with and without checks.
fn compare(name: &str, shaders: &str) {
    let library = artifact::runtime_library().unwrap();
    let run = |checks: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise-programs"));
        command.args([name, "--shaders", shaders, "--library"]).arg(&library);
        command.current_dir(env!("CARGO_TARGET_TMPDIR")).env("REPRISE_CHECK_DESCRIPTORS", checks);
        if name != "many-views" {
            command.env(artifact::FEW_VIEWS.0, artifact::FEW_VIEWS.1);
        }
        program::run(&mut command, PATIENCE).unwrap()
    };
    let (plain, checked) = (run("0"), run("1"));
    if plain.status.code() == Some(CANNOT) {
        return;
    }
    let said = checked.errors();
    assert!(checked.status.success() && !said.contains("descriptor check"), "{name}, {shaders}: {said}");
    assert_eq!(checked.text(), plain.text(), "{name}, {shaders}");
}

/// By stage and kind of descriptor.
#[test]
fn there_is_nothing_wrong_in_sound_programs() {
    for name in [
        "bindless",
        "tables",
        "sampler-heaps",
        "textures",
        "heap-atomics",
        "counters",
        "uavs",
        "indirect-state",
        "bundles",
        "tessellation",
        "geometry",
        "mesh",
        "rays",
        "ray-queries",
        "work-graphs",
        "null-views",
        "many-draws",
    ] {
        compare(name, "dxil");
    }
    for name in ["bindless", "sampler-heaps", "uavs", "views"] {
        compare(name, "dxbc");
    }
}

#[test]
#[ignore = "slow: runs all programs four times"]
fn there_is_nothing_wrong_in_any_program() {
    let listed = Command::new(env!("CARGO_BIN_EXE_reprise-programs")).arg("--list").output().unwrap();
    for name in String::from_utf8(listed.stdout).unwrap().lines().filter_map(|line| line.split_whitespace().next()) {
        for shaders in ["dxil", "dxbc"] {
            compare(name, shaders);
        }
    }
}
