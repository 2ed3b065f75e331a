//! `replay --renderdoc-frame`: with RenderDoc, and with a library of ours in its place that says what it is told.

use crate::bench::{Bench, PATIENCE};
use reprise_testing::{Display, Missing, missing, program, require};
use serde_json::Value as Json;
use std::path::Path;
use std::process::Command;

const FAKE: &str = include_str!("renderdoc/fake.c");

#[test]
fn renderdoc_is_told_where_the_frame_begins_and_ends() {
    let Some(compiler) = require(missing::program("gcc", "gcc")) else { return };
    let bench = Bench::new();
    if bench.capture("vkd3d-gears", 3).is_none() {
        return;
    }
    std::fs::write(bench.path("fake.c"), FAKE).unwrap();
    let mut command = Command::new(compiler);
    command.current_dir(&bench.folder).args(["-shared", "-fPIC", "-Wl,-soname,librenderdoc.so"]);
    let built = program::run(command.args(["-o", "librenderdoc.so", "fake.c"]), PATIENCE).unwrap();
    assert!(built.status.success(), "{}", built.errors());
    let replay = |loaded: bool, frame: &str| {
        let _ = std::fs::remove_file(bench.path("log"));
        let mut command = bench.command();
        command.args(["replay", "--quit-after-frame", "2", "--renderdoc-frame", frame, "trace.reprise"]);
        if frame == "1" {
            command.args(["--dump-resources-dir", "captures"]);
        }
        command.env("FAKE_RENDERDOC_LOG", bench.path("log"));
        if loaded {
            command.env("LD_PRELOAD", bench.path("librenderdoc.so"));
        }
        let finished = program::run(&mut command, PATIENCE).unwrap();
        (finished.status.code(), finished.text(), std::fs::read_to_string(bench.path("log")).unwrap_or_default())
    };
    for (frame, expected) in [("1", "api\n/frame_000001\nstart\nend\n"), ("2", "api\nstart\nend\n")] {
        let (code, text, log) = replay(true, frame);
        assert_eq!((code, log.as_str()), (Some(0), expected), "{text}");
        assert!(text.contains("/captures/frame.rdc"), "{text}");
    }
    let (code, text, log) = replay(true, "3");
    assert_eq!((code, log.as_str()), (Some(1), ""));
    assert!(text.contains("ended after frame 2"), "{text}");
    let (code, text, _) = replay(false, "2");
    assert_eq!(code, Some(1));
    assert!(
        text.contains("librenderdoc.so is not loaded") && text.contains("ENABLE_VULKAN_RENDERDOC_CAPTURE"),
        "{text}"
    );
}

/// RenderDoc's layer, which does nothing until its variable asks for it, and the program that reads what it writes.
fn renderdoc() -> Result<std::path::PathBuf, Missing> {
    missing::file(&["/usr/share/vulkan/implicit_layer.d/renderdoc_capture.json"], "librenderdoc")?;
    missing::program("renderdoccmd", "renderdoccmd")
}

/// How many indices each draw of a frame has: those of the lists that are executed in it.
fn draws_of_frame(bench: &Bench, frame: u64) -> Vec<u64> {
    let dumped = bench.output(&["dump", "--json", "trace.reprise"]);
    let calls: Vec<Json> = dumped.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is = |call: &Json, method: &str| call["method"].as_str().is_some_and(|name| name.ends_with(method));
    let executed = calls.iter().filter(|call| call["frame"] == frame && is(call, "::ExecuteCommandLists"));
    let lists = executed.flat_map(|call| call["args"]["ppCommandLists"].as_array().unwrap());
    let draws = |list: &Json| {
        let of_list = calls.iter().filter(|call| call["this"] == *list && is(call, "::DrawIndexedInstanced"));
        of_list.map(|call| call["args"]["IndexCountPerInstance"].as_u64().unwrap()).collect::<Vec<u64>>()
    };
    lists.flat_map(draws).collect()
}

/// The same of a capture of RenderDoc's, which is converted to XML beside it.
fn draws_of_capture(renderdoccmd: &Path, capture: &Path) -> Vec<u64> {
    let xml = capture.with_extension("xml");
    let mut convert = Command::new(renderdoccmd);
    convert
        .env("HOME", capture.parent().unwrap())
        .arg("convert")
        .arg("-f")
        .arg(capture)
        .args(["-c", "xml", "-o"])
        .arg(&xml);
    let converted = program::run(&mut convert, PATIENCE).unwrap();
    assert!(converted.status.success(), "{}{}", converted.text(), converted.errors());
    let text = std::fs::read_to_string(xml).unwrap();
    let draws = text.split("<chunk ").filter(|chunk| chunk.contains("name=\"vkCmdDrawIndexed\""));
    let count = |draw: &str| {
        let value = draw.split("name=\"indexCount\"").nth(1)?.split('>').nth(1)?.split('<').next()?;
        value.parse().ok()
    };
    draws.map(|draw| count(draw).unwrap()).collect()
}

/// Without a window and in one: a file that RenderDoc itself can read and play, with the draws of the frame.
#[test]
fn renderdoc_captures_the_frame() {
    let vkd3d = missing::file(&["/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1"], "libvkd3d-utils1");
    let (Some(renderdoccmd), Some(_)) = (require(renderdoc()), require(vkd3d)) else { return };
    let bench = Bench::new();
    if require(Display::available()).is_none() || bench.capture("vkd3d-gears", 3).is_none() {
        return;
    }
    let display = Display::start().unwrap();
    let expected = draws_of_frame(&bench, 2);
    assert!(expected.len() > 1, "{expected:?}");
    for folder in ["headless", "window"] {
        let mut command = bench.command();
        command.args(["replay", "--runtime", "vkd3d", "--renderdoc-frame", "2", "--quit-after-frame", "3", "--json"]);
        command.args(["--dump-resources-dir", folder, "trace.reprise"]).env("ENABLE_VULKAN_RENDERDOC_CAPTURE", "1");
        // RenderDoc keeps what it likes there.
        command.env("HOME", &bench.folder);
        if folder == "window" {
            command.arg("--window").env("DISPLAY", display.name());
        }
        let finished = program::run(&mut command, PATIENCE).unwrap();
        assert!(finished.status.success(), "{folder}: {}", finished.errors());
        let report: Json = serde_json::from_str(&finished.text()).unwrap();
        let file = Path::new(report["dumped"][0]["files"][0].as_str().unwrap());
        assert!(file.starts_with(bench.path(folder)) && file.is_file(), "{}", file.display());
        assert_eq!(draws_of_capture(&renderdoccmd, file), expected, "{folder}");

        let mut play = Command::new(&renderdoccmd);
        play.args(["replay", "--loops", "1"]).arg(file).env("DISPLAY", display.name()).env("HOME", &bench.folder);
        let played = program::run(&mut play, PATIENCE).unwrap();
        assert!(played.status.success(), "{folder}: {}{}", played.text(), played.errors());
    }
}

/// What our runtime needs and RenderDoc hides on lavapipe is named, with the way out.
#[test]
fn a_device_that_renderdoc_limits_is_named() {
    if require(renderdoc()).is_none() {
        return;
    }
    let bench = Bench::new();
    let mut command = bench.command();
    command.env("HOME", &bench.folder);
    let finished = program::run(command.arg("gpus").env("ENABLE_VULKAN_RENDERDOC_CAPTURE", "1"), PATIENCE).unwrap();
    let text = finished.text();
    let limited = text.lines().find(|line| line.contains("llvmpipe")).unwrap_or_default();
    assert!(!limited.is_empty(), "{text}{}", finished.errors());
    // A lavapipe that can do it would not be limited.
    let named = limited.contains("bufferDeviceAddressCaptureReplay") && limited.contains("--runtime vkd3d");
    assert!(named || !limited.contains("cannot be used"), "{text}{}", finished.errors());
    assert!(!bench.output(&["gpus"]).contains("RenderDoc"));
}
