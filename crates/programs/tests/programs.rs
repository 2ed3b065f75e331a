//! Every program gives the hash of `expected.txt`, on our runtime with both forms of shaders and on Debian's libvkd3d.
//!
//! The programs check themselves against the processor's result; the hash says that all libraries agree to the last bit.

#![allow(clippy::unwrap_used)]

mod common;

use common::expected;
use reprise_testing::{artifact, missing, program, require};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A program that does not end by then hangs.
const PATIENCE: Duration = Duration::from_secs(300);

fn programs() -> Command {
    // A folder of its own: some libraries leave their caches where they are run.
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise-programs"));
    command.current_dir(env!("CARGO_TARGET_TMPDIR")).env("VKD3D_DEBUG", "none").env("VKD3D_SHADER_DEBUG", "none");
    command
}

/// Heaps with room for few views, which are made much faster; nothing else is different. [`on_our_runtime_with_dxil`] has the room
/// that the device has, and so has the program that needs it.
fn few_views(command: &mut Command, program: &str) {
    if program != "many-views" {
        let (name, value) = artifact::FEW_VIEWS;
        command.env(name, value);
    }
}

/// Runs all programs on a library and says what is not as expected.
fn run_all(library: &Path, name: &str, form: &str) {
    let mut wrong = Vec::new();
    for (program, expected) in expected() {
        let mut command = programs();
        command.args([&program, "--shaders", form, "--library"]).arg(library);
        if form == "dxbc" {
            few_views(&mut command, &program);
        }
        let finished = program::run(&mut command, PATIENCE).unwrap();
        let known = |what| expected.known.contains(&format!("{name}/{form}={what}"));
        let right = match finished.status.code() {
            Some(0) => {
                finished.text() == format!("{program} {}\n", expected.hash) && !known("cannot") && !known("wrong")
            }
            Some(1) => known("wrong") && finished.text().is_empty() && finished.errors().contains(": wrong: "),
            Some(3) => known("cannot") && finished.text().is_empty() && finished.errors().contains("cannot run here"),
            // The library died by a signal.
            None => known("wrong") && finished.text().is_empty(),
            _ => false,
        };
        if !right {
            wrong.push(format!("{program}: {}: {}{}", finished.status, finished.text(), finished.errors()));
        }
    }
    assert!(wrong.is_empty(), "on {name} with {form}:\n{}", wrong.join("\n"));
}

#[test]
fn on_our_runtime_with_dxbc() {
    run_all(&artifact::runtime_library().unwrap(), "ours", "dxbc");
}

#[test]
fn on_our_runtime_with_dxil() {
    run_all(&artifact::runtime_library().unwrap(), "ours", "dxil");
}

#[test]
fn on_libvkd3d_with_dxbc() {
    let library = missing::file(&["/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1"], "libvkd3d-utils1");
    if let Some(library) = require(library) {
        run_all(&library, "vkd3d", "dxbc");
    }
}

#[test]
fn the_list_has_all_programs() {
    assert!(
        expected()
            .values()
            .flat_map(|expected| &expected.known)
            .all(|known| !known.starts_with("ours/") || known.ends_with("=cannot"))
    );
    let finished = program::run(programs().arg("--list"), PATIENCE).unwrap();
    let listed = finished.text();
    let listed: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let mut sorted = listed.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected().keys().collect::<Vec<_>>(), "expected.txt must have a line for each");
}

#[test]
fn exit_codes_tell_usage_from_what_is_missing() {
    for (arguments, code, said) in [
        (&["compute", "--library", "libreprise-none.so"][..], 2, "libreprise-none.so"),
        (&["no-such-program"], 2, "--list names them all"),
        (&[], 2, "--list"),
        (&["compute", "--frames", "0"], 2, "--frames"),
        (&["compute", "--shaders", "glsl"], 2, "dxil"),
        (&["--list", "compute"], 2, "--list"),
    ] {
        let finished = program::run(programs().args(arguments), PATIENCE).unwrap();
        assert_eq!(finished.status.code(), Some(code), "{arguments:?}: {}", finished.errors());
        assert!(finished.errors().contains(said) && finished.text().is_empty(), "{arguments:?}: {}", finished.errors());
    }
    let help = program::run(programs().arg("--help"), PATIENCE).unwrap();
    assert!(help.status.success() && help.text().contains("Exit codes"), "{}", help.text());
}

/// Root arguments that push constants have no room for lie in memory, and mean the same, also where indirect commands set them.
#[test]
fn root_arguments_beyond_push_constants() {
    let expected = expected();
    let run_with = |name: &str, descriptors: &str| {
        let mut command = programs();
        command.args([name, "--frames", "1", "--library"]).arg(artifact::runtime_library().unwrap());
        command.env("REPRISE_DESCRIPTORS", descriptors);
        few_views(&mut command, name);
        let layer = if missing::validation_layer().is_ok() { "1" } else { "0" };
        program::run(command.env("REPRISE_PUSH_BYTES", "16").env("REPRISE_VALIDATION", layer), PATIENCE).unwrap()
    };
    // Constants, addresses and tables; of both bind points in turn; in bundles; beside static samplers; after kernels of the runtime.
    for name in [
        "compute",
        "predication",
        "bundles",
        "depth",
        "uavs",
        "geometry",
        "dispatch-roots",
        "indirect-roots",
        "indirect-numbers",
    ] {
        for descriptors in ["sets", "buffers"] {
            let finished = run_with(name, descriptors);
            assert!(finished.status.success(), "{name}, {descriptors}: {}", finished.errors());
            assert!(!finished.errors().contains("validation error"), "{name}, {descriptors}: {}", finished.errors());
        }
    }
    let run = |name: &str| run_with(name, "0");
    for name in
        ["bundles", "dispatch-roots", "indirect-roots", "indirect-numbers", "indirect-state", "indirect-vertices"]
    {
        assert_eq!(run(name).text(), format!("{name} {}\n", expected[name].hash));
    }
}

/// A program on our runtime, as on a device that generates no commands.
fn without_generated_commands(name: &str, form: &str, descriptors: &str) -> program::Finished {
    let mut command = programs();
    command.args([name, "--shaders", form, "--library"]).arg(artifact::runtime_library().unwrap());
    few_views(&mut command, name);
    let layer = if missing::validation_layer().is_ok() { "1" } else { "0" };
    command.env("REPRISE_GENERATED_COMMANDS", "0").env("REPRISE_DESCRIPTORS", descriptors);
    program::run(command.env("REPRISE_VALIDATION", layer), PATIENCE).unwrap()
}

/// Where Vulkan generates no commands, those that change state give the hashes that they give elsewhere. The hashes are those of
/// [`on_our_runtime_with_dxil`], on a device that generates them; libvkd3d, which leaves these arguments alone, gives others.
#[test]
fn indirect_state_without_generated_commands() {
    let expected = expected();
    let changing = expected.keys().filter(|name| {
        name.starts_with("indirect-") && *name != "indirect-cuts"
            || ["dispatch-roots", "dispatch-late", "pointers"].contains(&name.as_str())
    });
    for name in changing {
        for (form, descriptors) in [("dxbc", "sets"), ("dxbc", "buffers"), ("dxil", "sets"), ("dxil", "buffers")] {
            let finished = without_generated_commands(name, form, descriptors);
            let said = finished.errors();
            assert_eq!(finished.text(), format!("{name} {}\n", expected[name].hash), "{form}, {descriptors}: {said}");
            let counted = said.lines().filter(|line| line.contains("Vulkan validation: "));
            assert!(counted.into_iter().all(|line| line.contains(": 0 errors, 0 warnings")), "{name}, {form}: {said}");
        }
    }
}

/// Strips that end within index buffers need generated commands, because elsewhere draws have no indices; the list is unsupported.
#[test]
fn strips_of_indirect_index_buffers_without_generated_commands_are_refused() {
    for form in ["dxbc", "dxil"] {
        let finished = without_generated_commands("indirect-cuts", form, "sets");
        assert_eq!((finished.status.code(), finished.text().as_str()), (Some(3), ""), "{}", finished.errors());
        let said =
            "indirect index buffers of strips that end at the largest index, without VK_EXT_device_generated_commands";
        assert!(finished.errors().contains(said), "{}", finished.errors());
    }
}

/// A heap that the room is too small for is refused with a message; it does not become smaller in silence.
#[test]
fn a_heap_beyond_its_room_is_refused() {
    let (name, value) = artifact::FEW_VIEWS;
    let mut command = programs();
    command.args(["many-views", "--library"]).arg(artifact::runtime_library().unwrap()).env(name, value);
    let finished = program::run(command.env("REPRISE_LOG_LEVEL", "debug"), PATIENCE).unwrap();
    assert_eq!((finished.status.code(), finished.text().as_str()), (Some(3), ""), "{}", finished.errors());
    assert!(finished.errors().contains(name), "{}", finished.errors());
}

/// What is not validated. `tables`: the layer looks at all 10,240 descriptors again for each of the 640 dispatches, minutes. `overlaps`
/// is wrong on purpose. The others need extensions that the runtime leaves alone where a layer does not know them:
/// VK_EXT_image_sliced_view_of_3d, VK_EXT_device_generated_commands for strips, VK_KHR_maintenance5, VK_EXT_legacy_vertex_attributes,
/// VK_KHR_compute_shader_derivatives for shader model 6.6, and VK_KHR_shader_maximal_reconvergence for 6.7 and 6.8.
const NOT_VALIDATED: [&str; 15] = [
    "tables",
    "overlaps",
    "alpha-borders",
    "volume-slices",
    "quads",
    "multisamples",
    "dimensions",
    "odd-attributes",
    "wide-atomics",
    "group-atomics",
    "heap-atomics",
    "mesh-derivatives",
    "draw-starts",
    "work-graphs",
    "indirect-cuts",
];

/// Runs a program once under Vulkan's layer. Gives what is wrong: it failed, or the layer said something.
fn validated(name: &str, form: &str, layouts: &str) -> Option<String> {
    let mut command = programs();
    command
        .args([name, "--frames", "1", "--shaders", form, "--library"])
        .arg(artifact::runtime_library().unwrap())
        .env("REPRISE_LAYOUTS", layouts)
        .env("REPRISE_VALIDATION", "1");
    few_views(&mut command, name);
    let finished = program::run(&mut command, PATIENCE).unwrap();
    let said = finished.errors();
    let counts: Vec<&str> = said.lines().filter(|line| line.contains("Vulkan validation: ")).collect();
    let silent = !counts.is_empty() && counts.iter().all(|line| line.contains(": 0 errors, 0 warnings"));
    let right = silent && finished.status.success();
    (!right).then(|| format!("{name}, {form}, {layouts}: {}: {said}", finished.status))
}

/// Vulkan's layer finds no fault with what our runtime does for the programs, synchronisation included.
#[test]
#[ignore = "slow: every program under Vulkan's validation"]
fn under_vulkan_validation() {
    if require(missing::validation_layer()).is_none() {
        return;
    }
    let mut wrong = Vec::new();
    for (name, expected) in expected() {
        if !expected.known.iter().any(|known| known == "ours/dxbc=cannot") && !NOT_VALIDATED.contains(&name.as_str()) {
            wrong.extend(validated(&name, "dxbc", "unified"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where drivers want targets in a layout for each use, lists change them, and Vulkan's layer finds no fault with it: programs about
/// targets, copies, resolves, planes, and memory that resources share.
#[test]
fn targets_in_a_layout_for_each_use() {
    let expected = expected();
    let layer = require(missing::validation_layer()).is_some();
    for name in ["targets", "depth", "samples", "resolves", "passes", "planes", "aspects", "stencil-views", "aliasing"]
    {
        let mut command = programs();
        command.args([name, "--library"]).arg(artifact::runtime_library().unwrap()).env("REPRISE_LAYOUTS", "tracked");
        few_views(&mut command, name);
        let finished = program::run(&mut command, PATIENCE).unwrap();
        assert_eq!(finished.text(), format!("{name} {}\n", expected[name].hash), "{}", finished.errors());
        assert_eq!(validated(name, "dxbc", "tracked").filter(|_| layer), None);
    }
}

/// Cut values end primitives of lists where `REPRISE_LIST_CUTS` asks for it, and else strips alone: the same draws are wrong then.
#[test]
fn indices_end_primitives_of_lists_where_that_is_asked_for() {
    let expected = expected().into_iter().find_map(|(name, expected)| (name == "cut-lists").then_some(expected.hash));
    for form in ["dxbc", "dxil"] {
        let drawn = |cuts: &str| {
            let mut command = programs();
            command.args(["cut-lists", "--shaders", form, "--library"]).arg(artifact::runtime_library().unwrap());
            program::run(command.env("REPRISE_LIST_CUTS", cuts), PATIENCE).unwrap()
        };
        assert_eq!(drawn("1").text(), format!("cut-lists {}\n", expected.as_deref().unwrap()), "{form}");
        assert!(!drawn("0").status.success(), "{form}");
    }
}

/// On a driver that loses texels of sparse buffers, the runtime says where its own way ends: a view before its tiles are mapped, and
/// tiles that move under views. Elsewhere it says nothing.
#[test]
fn texels_of_tiles_that_may_be_wrong_are_told_of() {
    let mut command = programs();
    command.args(["tiles-texels", "--library"]).arg(artifact::runtime_library().unwrap());
    let finished = program::run(command.env("REPRISE_LOG_LEVEL", "debug"), PATIENCE).unwrap();
    let said = finished.errors();
    let loses = said.contains("device llvmpipe");
    for what in ["made before its tiles are mapped", "tiles of a reserved buffer are mapped anew"] {
        assert_eq!(said.matches(what).count(), usize::from(loses), "{what}: {said}");
    }
}

/// Lavapipe asks the sampler whether a read compares, and descriptor buffers there have no second sampler (docs/limits.md).
const SETS_ALONE: &str = "plain-reads";

/// Other drivers' ways at once: heaps are descriptor buffers, and targets change their layouts. Every program gives its hash so, one
/// form of shaders and the other in turn, and Vulkan's layer finds no fault. The hashes are those of the usual ways.
#[test]
#[ignore = "slow: every program under Vulkan's validation"]
fn with_descriptors_in_memory_and_a_layout_for_each_use() {
    let layer = require(missing::validation_layer()).is_some();
    let mut wrong = Vec::new();
    for ((name, expected), form) in expected().into_iter().zip(["dxbc", "dxil"].into_iter().cycle()) {
        if expected.known.contains(&format!("ours/{form}=cannot")) || name == SETS_ALONE {
            continue;
        }
        let validated = layer && !NOT_VALIDATED.contains(&name.as_str());
        let mut command = programs();
        command
            .args([&name, "--shaders", form, "--library"])
            .arg(artifact::runtime_library().unwrap())
            .env("REPRISE_DESCRIPTORS", "buffers")
            .env("REPRISE_LAYOUTS", "tracked")
            .env("REPRISE_VALIDATION", if validated { "fatal" } else { "0" });
        let finished = program::run(&mut command, PATIENCE).unwrap();
        let said = finished.errors();
        let right = finished.status.success()
            && finished.text() == format!("{name} {}\n", expected.hash)
            && said.contains(": 0 errors, 0 warnings") == validated
            && !said.contains("it uses sets");
        if !right {
            wrong.push(format!("{name}, {form}: {}: {}{said}", finished.status, finished.text()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
