//! Programs for Microsoft's Linux Direct3D 12: ours under its names, called as C++ for Linux calls methods, and OpenGL programs on Mesa's
//! driver, which are such programs.

use crate::bench::{Bench, PATIENCE};
use crate::programs::{expected, ours};
use reprise_testing::{Display, artifact, missing, program, require};
use std::collections::HashSet;
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
    command.args(["capture", "--gl", "-o", "trace.reprise", "--frame-hashes", "captured.hashes"]);
    command.args(["--frames", &format!("1-{FRAMES}"), "--quit-after-capture-frames"]);
    let finished = program::run(command.arg("--").arg(gears), PATIENCE).unwrap();
    assert!(finished.status.success() && !finished.timed_out, "{}\n{}", finished.status, finished.errors());
    // Each swap of buffers is a frame.
    assert!(finished.errors().contains(&format!("{FRAMES} frames")), "{}", finished.errors());
    // What `--gl` has the runtime report to Mesa.
    let mut replay = bench.command();
    replay.env("REPRISE_SAMPLE_POSITIONS", "reported");
    let finished =
        program::run(replay.args(["replay", "trace.reprise", "--frame-hashes", "replayed.hashes"]), PATIENCE);
    let text = finished.unwrap().text();
    assert!(text.contains("that the program saw the GPU write compared"), "{text}");
    assert!(!text.contains("differ"), "{text}");
    let read = |name: &str| std::fs::read_to_string(bench.path(name)).unwrap();
    let hashes = read("captured.hashes");
    assert_eq!(hashes, read("replayed.hashes"));
    // The gears turn: no frame is that of another.
    let different: HashSet<&str> = hashes.lines().map(|line| line.split_once(' ').unwrap().1).collect();
    assert_eq!(different.len(), FRAMES.parse::<usize>().unwrap(), "{hashes}");
    let text = bench.output(&["verify", "--control", "trace.reprise"]);
    assert!(text.contains(&format!("control: frames: {FRAMES} of {FRAMES} noticed")), "{text}");
}

/// Builds a program of ours that draws with OpenGL.
fn swaps(bench: &Bench) -> Option<PathBuf> {
    let compiler = require(missing::program("gcc", "gcc"))?;
    let (source, program) = (bench.path("swaps.c"), bench.path("swaps"));
    std::fs::write(&source, include_str!("gl/swaps.c")).unwrap();
    let mut command = std::process::Command::new(compiler);
    command.args(["-O1", "-Wall", "-Werror", "-o"]).arg(&program).arg(&source);
    command.args(["-l:libGL.so.1", "-l:libX11.so.6"]);
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{}", finished.errors());
    Some(program)
}

/// Width and height of the program's windows, and the rectangle in the lower left corner.
const SIZES: [(usize, usize); 2] = [(120, 80), (60, 50)];
const CORNER: (usize, usize) = (30, 10);

/// Blue, green and red of a frame's pixels, rows top first, as the program's `draw` has them.
fn drawn(step: usize, window: usize) -> Vec<u8> {
    let (width, height) = SIZES[window];
    let pixel = |at: usize| match at % width < CORNER.0 && at / width >= height - CORNER.1 {
        true => [0, (step * 20) as u8, 255],
        false => [96, 64 * (window as u8 + 1), (step * 40) as u8],
    };
    (0..width * height).flat_map(pixel).collect()
}

/// The pixels of a screenshot.
fn screenshot(bench: &Bench, frame: usize) -> ((usize, usize), Vec<u8>) {
    let bmp = std::fs::read(bench.path(&format!("frame_{frame:06}.bmp"))).unwrap();
    let word = |at: usize| u32::from_le_bytes(bmp[at..at + 4].try_into().unwrap()) as usize;
    let (start, width, height) = (word(10), word(18), word(22));
    let pitch = (width * 3).next_multiple_of(4);
    let rows = (0..height).rev().flat_map(|row| &bmp[start + row * pitch..][..width * 3]);
    ((width, height), rows.copied().collect())
}

/// Two windows with known colours: the program itself says by `XGetImage` that the window showed them.
#[test]
fn frames_of_opengl_are_what_the_window_shows() {
    if require(missing::file(&[DRIVER], "libgl1-mesa-dri")).is_none() || require(Display::available()).is_none() {
        return;
    }
    let bench = Bench::new();
    let Some(program) = swaps(&bench) else { return };
    let display = Display::start().unwrap();
    // Steps and windows of the frames: each step draws in the first window, every second one in the other, too.
    let all: Vec<(usize, usize)> = vec![(0, 0), (1, 0), (1, 1), (2, 0), (3, 0), (3, 1)];
    for boundary in ["present", "present=2"] {
        let mut command = bench.command();
        command.env("DISPLAY", display.name()).env("REPRISE_RUNTIME_LIBRARY", ours());
        command.args(["capture", "--gl", "-f", "-o", "trace.reprise", "--frame-hashes", "captured.hashes"]);
        command.args(["--frame-boundary", boundary, "--"]).arg(&program);
        let finished = program::run(&mut command, PATIENCE).unwrap();
        assert!(finished.status.success(), "{boundary}: {}\n{}", finished.status, finished.errors());
        assert_eq!(finished.text(), "shown\n");
        // Mesa makes its device by a method, not by a function.
        let info: serde_json::Value =
            serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
        assert!(info["adapter"].is_string(), "{info}");
        let wanted = |(_, window): &&(usize, usize)| boundary == "present" || *window == 1;
        let frames: Vec<(usize, usize)> = all.iter().filter(wanted).copied().collect();
        bench.output(&[
            "replay",
            "trace.reprise",
            "--screenshot-all",
            "--screenshot-format",
            "bmp",
            "--frame-hashes",
            "replayed.hashes",
        ]);
        for (at, (step, window)) in frames.iter().enumerate() {
            let (size, pixels) = screenshot(&bench, at + 1);
            assert_eq!(size, SIZES[*window], "{boundary}, frame {}", at + 1);
            assert!(pixels == drawn(*step, *window), "{boundary}, frame {}", at + 1);
        }
        let read = |name: &str| std::fs::read_to_string(bench.path(name)).unwrap();
        assert_eq!(read("captured.hashes").lines().count(), frames.len());
        assert_eq!(read("captured.hashes"), read("replayed.hashes"), "{boundary}");
        ["captured.hashes", "replayed.hashes"].iter().for_each(|name| std::fs::remove_file(bench.path(name)).unwrap());
    }
}

/// A swap of a window that was never drawn in shows nothing, and nothing is read back: no picture of an earlier frame takes its place.
#[test]
fn a_frame_of_opengl_without_a_picture_has_no_hash() {
    if require(missing::file(&[DRIVER], "libgl1-mesa-dri")).is_none() || require(Display::available()).is_none() {
        return;
    }
    let bench = Bench::new();
    let Some(program) = swaps(&bench) else { return };
    let display = Display::start().unwrap();
    let mut command = bench.command();
    command.env("DISPLAY", display.name()).env("REPRISE_RUNTIME_LIBRARY", ours());
    command.args(["capture", "--gl", "-o", "trace.reprise", "--frame-hashes", "captured.hashes", "--"]);
    let finished = program::run(command.arg(&program).arg("alone"), PATIENCE).unwrap();
    assert!(finished.status.success(), "{}\n{}", finished.status, finished.errors());
    let said = finished.errors().matches("no picture was read back").count();
    assert_eq!(said, 1, "{}", finished.errors());
    let captured = std::fs::read_to_string(bench.path("captured.hashes")).unwrap();
    let without: Vec<bool> = captured.lines().map(|line| line.starts_with("# frame ")).collect();
    assert_eq!(without, [false, true, false, true], "{captured}");
    let text = bench.output(&["replay", "trace.reprise", "--frame-hashes", "replayed.hashes"]);
    assert!(text.contains("read back no picture before the buffers were swapped"), "{text}");
    let hashes = |text: &str| text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>();
    let replayed = std::fs::read_to_string(bench.path("replayed.hashes")).unwrap();
    assert_eq!(hashes(&captured), hashes(&replayed));
    assert!(bench.output(&["verify", "trace.reprise"]).contains("2 frames equal"));
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
