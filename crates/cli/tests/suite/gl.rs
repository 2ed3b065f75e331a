//! Programs for Microsoft's Linux Direct3D 12: ours under its names, called as C++ for Linux calls methods, and OpenGL programs on Mesa's
//! driver, which are such programs.

use crate::bench::{Bench, PATIENCE};
use crate::programs::{expected, ours};
use reprise_testing::{Display, artifact, missing, program, require};
use std::path::{Path, PathBuf};

/// Mesa's driver, by the name under which its loader finds it.
const DRIVER: &str = "/usr/lib/x86_64-linux-gnu/dri/d3d12_dri.so";
const FRAMES: &str = "20";

/// Our runtime under a name that tells how programs call it.
fn linux_library(bench: &Bench) -> PathBuf {
    let path = bench.path("libd3d12.so");
    std::os::unix::fs::symlink(ours(), &path).unwrap();
    path
}

fn run_program(bench: &Bench, name: &str, library: &Path) -> String {
    let mut command = bench.command();
    command.env("REPRISE_RUNTIME_LIBRARY", library);
    command.args(["capture", "-f", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args([name, "--library"]).arg(library);
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{name}: {}\n{}", finished.status, finished.errors());
    finished.text()
}

/// The programs call in the convention that a library's name tells. Structures go wrong at once where the library has another.
#[test]
fn programs_of_the_third_convention_are_captured_and_replayed() {
    let bench = Bench::new();
    let library = linux_library(&bench);
    for name in ["compute", "streaming", "bindless"] {
        assert_eq!(run_program(&bench, name, &library), format!("{name} {}\n", expected(name)));
        // Under both names: the trace says nothing of conventions.
        for runtime in [&library, &ours()] {
            let text = bench.output(&["replay", "trace.reprise", "--runtime", &runtime.to_string_lossy()]);
            assert!(text.contains("that the program saw the GPU write compared"), "{name}: {text}");
            assert!(!text.contains("differ"), "{name}: {text}");
        }
    }
    // The control: the same library, called in another convention.
    let wrong =
        bench.run(&["replay", "trace.reprise", "--runtime", &library.to_string_lossy(), "--convention", "sysv"]);
    assert!(!wrong.status.success(), "{}", wrong.text());
}

#[test]
fn an_opengl_program_is_captured_and_replays_the_same() {
    let Some(gears) = require(missing::program("glxgears", "mesa-utils")) else { return };
    if require(missing::file(&[DRIVER], "libgl1-mesa-dri")).is_none() || require(Display::available()).is_none() {
        return;
    }
    let bench = Bench::new();
    let display = Display::start().unwrap();
    let mut command = bench.command();
    command.env("DISPLAY", display.name()).env("REPRISE_RUNTIME_LIBRARY", ours());
    command.args([
        "capture",
        "--gl",
        "-o",
        "trace.reprise",
        "--frames",
        &format!("1-{FRAMES}"),
        "--quit-after-capture-frames",
    ]);
    let finished = program::run(command.arg("--").arg(gears), PATIENCE).unwrap();
    assert!(finished.status.success() && !finished.timed_out, "{}\n{}", finished.status, finished.errors());
    // Each swap of buffers is a frame.
    assert!(finished.errors().contains(&format!("{FRAMES} frames")), "{}", finished.errors());
    let text = bench.output(&["replay", "trace.reprise"]);
    assert!(text.contains("that the program saw the GPU write compared"), "{text}");
    assert!(!text.contains("differ"), "{text}");
}

/// A variable of the user's that chooses another driver is named.
#[test]
fn another_driver_that_was_chosen_is_named() {
    let Some(info) = require(missing::program("glxinfo", "mesa-utils")) else { return };
    if require(missing::file(&[DRIVER], "libgl1-mesa-dri")).is_none() || require(Display::available()).is_none() {
        return;
    }
    let bench = Bench::new();
    let display = Display::start().unwrap();
    // The last is the control: `--gl` replaces it.
    for (name, value, is_named) in [
        ("MESA_LOADER_DRIVER_OVERRIDE", "zink", true),
        ("LIBGL_ALWAYS_INDIRECT", "1", true),
        ("GALLIUM_DRIVER", "zink", false),
    ] {
        for command in ["run", "capture"] {
            let mut reprise = bench.command();
            reprise.env("DISPLAY", display.name()).env("REPRISE_RUNTIME_LIBRARY", ours()).env(name, value);
            reprise.args([command, "--gl", "--"]).arg(&info);
            let finished = program::run(&mut reprise, PATIENCE).unwrap();
            let told = finished.errors().contains(&format!("{name} is set, which chooses another: unset it"));
            assert_eq!(told, is_named, "{command}, {name}: {}", finished.errors());
            assert_eq!(finished.text().contains("D3D12 ("), !is_named, "{command}, {name}: {}", finished.text());
        }
    }
}

#[test]
fn a_program_without_opengl_is_told_why_it_got_no_device() {
    let bench = Bench::new();
    for command in ["run", "capture"] {
        let mut reprise = bench.command();
        reprise.env("REPRISE_RUNTIME_LIBRARY", ours()).args([command, "--gl", "--", "true"]);
        let finished = program::run(&mut reprise, PATIENCE).unwrap();
        assert_eq!(finished.status.code(), Some(124), "{}", finished.errors());
        let why = if Path::new(DRIVER).exists() { "made no OpenGL context" } else { "libgl1-mesa-dri" };
        assert!(finished.errors().contains(why), "{}", finished.errors());
    }
    assert_eq!(bench.files(), [""; 0], "nothing is left behind");
}

/// The null runtime logs what arrives: in the third convention that is what arrives in System V, call by call.
#[test]
fn replays_in_the_third_convention_ask_for_the_same() {
    let bench = Bench::new();
    crate::programs::capture(&bench, "compute", &ours());
    let methods = |library: PathBuf| {
        let log = library.with_extension("log");
        let log = bench.path(&log.file_name().unwrap().to_string_lossy());
        let mut command = bench.command();
        command.env("REPRISE_NULL_LOG", &log);
        command.args(["replay", "-q", "--threads", "1", "trace.reprise", "--runtime"]).arg(library);
        let finished = program::run(&mut command, PATIENCE).unwrap();
        assert!(!finished.timed_out, "{}", finished.errors());
        let text = std::fs::read_to_string(log).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.map(|line| line["method"].clone()).collect::<Vec<_>>()
    };
    let itanium = methods(artifact::null_itanium_library().unwrap());
    assert!(
        itanium.iter().any(|method| method == "ID3D12DescriptorHeap::GetCPUDescriptorHandleForHeapStart"),
        "{itanium:?}"
    );
    assert_eq!(itanium, methods(artifact::null_sysv_library().unwrap()));
}
