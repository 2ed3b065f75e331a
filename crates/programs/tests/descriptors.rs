//! Shaders that look at descriptors find nothing wrong in our programs, and the programs' results stay as they are.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Expected, expected};
use reprise_testing::{artifact, program};
use std::process::Command;
use std::time::Duration;

/// A program that does not end by then hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// What `reprise-programs` ends with where the device lacks something.
const CANNOT: i32 = 3;

/// Runs a program with checks.
fn check(name: &str, expected: &Expected, shaders: &str) {
    let library = artifact::runtime_library().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise-programs"));
    command.args([name, "--shaders", shaders, "--library"]).arg(&library);
    command.current_dir(env!("CARGO_TARGET_TMPDIR")).env("REPRISE_CHECK_DESCRIPTORS", "1");
    if name != "many-views" {
        command.env(artifact::FEW_VIEWS.0, artifact::FEW_VIEWS.1);
    }
    let checked = program::run(&mut command, PATIENCE).unwrap();
    let said = checked.errors();
    assert!(!said.contains("descriptor check"), "{name}, {shaders}: {said}");
    if expected.known.contains(&format!("ours/{shaders}=cannot")) {
        assert_eq!(checked.status.code(), Some(CANNOT), "{name}, {shaders}: {said}");
        return;
    }
    assert!(checked.status.success(), "{name}, {shaders}: {said}");
    assert_eq!(checked.text(), format!("{name} {}\n", expected.hash), "{name}, {shaders}");
}

/// By stage and kind of descriptor.
#[test]
fn there_is_nothing_wrong_in_sound_programs() {
    let expected = expected();
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
        check(name, &expected[name], "dxil");
    }
    for name in ["bindless", "sampler-heaps", "uavs", "views"] {
        check(name, &expected[name], "dxbc");
    }
}

#[test]
#[ignore = "slow: runs all programs"]
fn there_is_nothing_wrong_in_any_program_with_dxil() {
    expected().iter().for_each(|(name, expected)| check(name, expected, "dxil"));
}

#[test]
#[ignore = "slow: runs all programs"]
fn there_is_nothing_wrong_in_any_program_with_dxbc() {
    expected().iter().for_each(|(name, expected)| check(name, expected, "dxbc"));
}
