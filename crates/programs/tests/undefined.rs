//! What the API leaves open and Vulkan forbids is harmless on our runtime: the programs that do it run under Vulkan's validation,
//! which aborts them at the first error, and every kind that is left out is said. `docs/undefined.md` lists them all.

#![allow(clippy::unwrap_used)]

use reprise_testing::{artifact, missing, program, require};
use std::process::Command;
use std::time::Duration;

/// A program that does not end by then hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs a program of `src/program/undefined`, as it is and under validation; gives what it said under validation.
fn run(name: &str) -> String {
    run_with(name, &["dxbc", "dxil"])
}

/// As [`run`], with these forms of shaders.
fn run_with(name: &str, forms: &[&str]) -> String {
    let library = artifact::runtime_library().unwrap();
    let mut said = String::new();
    let layer = require(missing::validation_layer()).is_some();
    for validation in [Some("0"), layer.then_some("fatal")].into_iter().flatten() {
        for shaders in forms {
            let mut command = Command::new(env!("CARGO_BIN_EXE_reprise-programs"));
            command.args([name, "--shaders", shaders, "--library"]).arg(&library);
            command.current_dir(env!("CARGO_TARGET_TMPDIR")).env("REPRISE_VALIDATION", validation);
            let finished = program::run(&mut command, PATIENCE).unwrap();
            said = finished.errors();
            assert!(finished.status.success(), "{name}, validation {validation}: {said}");
            assert_eq!(said.contains("Vulkan validation: 0 errors, 0 warnings"), validation == "fatal", "{said}");
        }
    }
    said
}

/// By the ways of sharing arrays that lavapipe bears. `views` it does not: it calls a function that typed buffers' descriptors name,
/// and other types' descriptors do not.
#[test]
fn descriptors_that_are_read_as_what_they_are_not() {
    let library = artifact::runtime_library().unwrap();
    for sharing in ["0", "families", "1"] {
        for shaders in ["dxbc", "dxil"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_reprise-programs"));
            command.args(["undefined-slots", "--shaders", shaders, "--library"]).arg(&library);
            command.current_dir(env!("CARGO_TARGET_TMPDIR")).env("REPRISE_SEPARATE_SETS", sharing);
            let finished = program::run(&mut command, PATIENCE).unwrap();
            let said = finished.errors();
            assert_eq!(
                finished.text(),
                "undefined-slots 01f473f4e45d8d01d12d85b2fd55c39e\n",
                "{sharing}, {shaders}: {said}"
            );
        }
    }
}

/// In each way of sharing arrays that lavapipe bears, in sets and in memory, and in the usual ones under validation: all find the same.
fn in_every_way(name: &str, expected: &str) {
    let library = artifact::runtime_library().unwrap();
    let layer = require(missing::validation_layer()).is_some();
    for sharing in ["0", "families", "1"] {
        for descriptors in ["sets", "buffers"] {
            for validation in [Some("0"), (layer && sharing == "0").then_some("fatal")].into_iter().flatten() {
                let mut command = Command::new(env!("CARGO_BIN_EXE_reprise-programs"));
                command.args([name, "--shaders", "dxil", "--library"]).arg(&library);
                command.current_dir(env!("CARGO_TARGET_TMPDIR")).env("REPRISE_SEPARATE_SETS", sharing);
                command.env("REPRISE_DESCRIPTORS", descriptors).env("REPRISE_VALIDATION", validation);
                let finished = program::run(&mut command, PATIENCE).unwrap();
                let said = finished.errors();
                assert_eq!(
                    finished.text(),
                    format!("{name} {expected}\n"),
                    "{sharing}, {descriptors}, {validation}: {said}"
                );
            }
        }
    }
}

#[test]
fn indices_tables_and_handles_that_lead_out_of_their_heaps() {
    in_every_way("undefined-bounds", "620dd0ad7e27ef3602bcbbf756783839");
}

#[test]
fn descriptors_and_null_of_each_kind_read_as_every_kind() {
    in_every_way("undefined-kinds", "2c914eec1169b18c9ddf5ec4d99e1bcb");
}

#[test]
fn targets_of_other_samples_formats_and_sizes() {
    let said = run("undefined-targets");
    for part in ["number of samples than", "differ in their samples", "of another format than"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn draws_that_lack_something() {
    let said = run("undefined-draws");
    for part in [
        "without a pipeline state of its kind",
        "without a primitive topology",
        "a draw of patches without a hull shader",
        "without a root signature",
        "another root signature than",
        "without a heap of them",
        "begins within an index",
        "index buffer of 16 or 32 bits",
        "an index buffer at an address without a resource",
        "larger strides than the device has",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn calls_that_lead_out_of_what_they_name() {
    let said = run("undefined-calls");
    for part in ["formats of different sizes", "over itself", "begins within a word"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // One message a kind.
    for part in [
        "what a copy of bytes has beyond its buffers",
        "numbers of samples differ",
        "textures of different shapes",
        "from several samples to one",
        "ClearRenderTargetView: not a render target",
        "ClearDepthStencilView: not a depth target",
        "a query that its heap does not have",
        "the query has not begun",
        "the query has begun",
        "results do not fit",
        "a node mask is treated as that of the first node",
    ] {
        assert_eq!(said.matches(part).count(), 1, "{part}: {said}");
    }
}

#[test]
fn pipeline_states_for_targets_of_every_format() {
    let said = run("undefined-formats");
    for part in ["of a format that the device cannot render to", "has no targets of so many"] {
        assert_eq!(said.matches(part).count(), 1, "{part}: {said}");
    }
}

#[test]
fn addresses_where_nothing_lies() {
    let said = run("undefined-addresses");
    for part in [
        "a vertex buffer at an address without a resource",
        "an index buffer at an address without a resource",
        "a stream output buffer at an address without a resource",
        "a root argument with an address without a resource",
        "a constant buffer at an address without a resource",
        "a count outside of its buffer",
    ] {
        assert_eq!(said.matches(part).count(), 1, "{part}: {said}");
    }
}

#[test]
fn objects_that_are_released_while_the_gpu_needs_them() {
    let said = run("undefined-releases");
    for part in ["a view of a target whose resource is released", "it is reset while the GPU executes its lists"] {
        assert_eq!(said.matches(part).count(), 1, "{part}: {said}");
    }
}

#[test]
fn descriptors_whose_resources_are_gone() {
    let said = run("undefined-gone");
    let part = "a copied descriptor is null: its resource is released";
    assert_eq!(said.matches(part).count(), 1, "{part}: {said}");
}

/// Under validation of synchronisation, too: a barrier that is missing is an error there.
#[test]
fn acceleration_structures_without_barriers() {
    run_with("undefined-builds", &["dxil"]);
}

#[test]
fn views_that_their_textures_cannot_have() {
    run("undefined-views");
}

#[test]
fn on_another_library_they_do_not_run() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise-programs"));
    let finished = program::run(command.args(["undefined-targets", "--library", "vkd3d"]), PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(2));
    assert!(finished.errors().contains("our own library only"), "{}", finished.errors());
}
