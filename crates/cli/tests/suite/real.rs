//! Real programs that no one here wrote: captured, dumped, replayed, compared.

use crate::bench::{Bench, PATIENCE, show};
use reprise_testing::{Finished, missing, program, require};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The exported functions a program imports that belong to Direct3D, or present.
fn imports(program: &str) -> BTreeSet<String> {
    let output = Command::new("nm").args(["-D", "--undefined-only", program]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let names =
        text.lines().filter_map(|line| line.split_whitespace().last()).filter_map(|name| name.split('@').next());
    const PRESENTING: [&str; 4] =
        ["vkCreateSwapchainKHR", "vkGetSwapchainImagesKHR", "vkAcquireNextImageKHR", "vkQueuePresentKHR"];
    let ours = |name: &&str| name.starts_with("D3D12") || name.starts_with("vkd3d_") || PRESENTING.contains(name);
    names.filter(ours).map(str::to_owned).collect()
}

/// Every line of the JSON dump.
fn dump(bench: &Bench) -> Vec<Json> {
    let text = bench.output(&["dump", "--json", "trace.reprise"]);
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// Numbers that stay numbers: handles of Vulkan and of the window system, events, and where the program sees mapped memory.
/// Beside them, `address` and `handle` are members of what the dump names better.
const NUMBERS: [&str; 18] = [
    "device",
    "instance",
    "queue",
    "swapchain",
    "oldSwapchain",
    "semaphore",
    "fence",
    "surface",
    "connection",
    "vk_image",
    "pSurface",
    "pSwapchain",
    "pAllocator",
    "hEvent",
    "event",
    "ppData",
    "address",
    "handle",
];

/// A complete dump has nothing that could not be decoded, and no pointer where the model knows better.
fn check_complete(line: &Json, name: &str, value: &Json) {
    assert!(!["error", "unknown_type", "not_recorded"].contains(&name), "{line}");
    match value {
        Json::String(text) => {
            // Names of the API are in capitals, as in D3D12_TEXTURE_LAYOUT_UNKNOWN.
            assert!(!text.contains("unknown"), "{line}");
            let method = line["method"].as_str().unwrap_or_default();
            // All that the calls of Vulkan itself have is Vulkan's handles.
            let vulkan = method.starts_with("vk") && !method.starts_with("vkd3d_");
            let known = NUMBERS.contains(&name) || vulkan || (name == "result" && method.starts_with("vkd3d_"));
            assert!(!text.starts_with("0x") || known || line.get("event").is_some(), "{name}: {line}");
        }
        Json::Array(values) => values.iter().for_each(|value| {
            let handles = ["pSwapchains", "pSwapchainImages", "pFences", "pWaitSemaphores"].contains(&name);
            check_complete(line, if handles { "surface" } else { name }, value);
        }),
        Json::Object(members) => members.iter().for_each(|(name, value)| check_complete(line, name, value)),
        _ => {}
    }
}

fn capture_and_check(program: &str, frames: u64) -> Option<(Bench, Vec<Json>)> {
    let bench = Bench::new();
    let (finished, hook) = bench.capture(program, frames)?;
    assert!(finished.errors().contains("trace.reprise: "), "no summary:\n{}", finished.errors());
    assert_eq!(bench.files(), ["hashes.txt", "trace.reprise"], "something is left behind");

    let presents = hook.presents();
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
    let lines = dump(&bench);
    let calls: Vec<&Json> = lines.iter().filter(|line| line.get("call").is_some()).collect();

    assert_eq!(info["frames"].as_u64(), Some(presents), "frames in the trace, presents seen by the hook");
    assert_eq!(info["calls"].as_u64(), Some(calls.len() as u64));
    assert_eq!(info["complete"], Json::Bool(true));
    assert_eq!(info["gap_count"].as_u64(), Some(0), "{}", info["gaps"]);
    assert_eq!(info["bytes"].as_u64(), Some(std::fs::metadata(bench.path("trace.reprise")).unwrap().len()));
    assert!(info["program"].as_str().is_some_and(|name| name.contains(program)), "{}", info["program"]);
    assert!(!info["adapter"].is_null(), "the trace does not say which adapter");
    assert!(info["duration_ns"].as_u64().is_some_and(|time| time > 0));
    let threads: BTreeSet<u64> = calls.iter().map(|line| line["thread"].as_u64().unwrap()).collect();
    assert!(info["threads"].as_u64().unwrap() >= threads.len() as u64);

    let mut methods: BTreeMap<String, u64> = BTreeMap::new();
    for (index, line) in calls.iter().enumerate() {
        assert_eq!(line["call"].as_u64(), Some(index as u64 + 1), "calls are numbered in order");
        let method = line["method"].as_str().unwrap();
        *methods.entry(method.to_owned()).or_default() += 1;
        assert_eq!(line["this"].is_null(), !method.contains("::"), "{line}");
        assert!(line["args"].is_object() && line.get("result").is_some(), "{line}");
    }
    assert_eq!(info["methods"].as_object().unwrap().len(), methods.len());
    for (method, count) in &methods {
        assert_eq!(info["methods"][method].as_u64(), Some(*count), "{method}");
    }
    lines.iter().for_each(|line| check_complete(line, "", line));
    let path = reprise_testing::missing::program(program, "vkd3d-demos").unwrap();
    assert_eq!(methods.get("vkd3d_wait_event").copied().unwrap_or(0), hook.waits(), "waits seen by the hook");
    for name in imports(&path.to_string_lossy()) {
        // Called only when the GPU is behind, and compared above.
        if name == "vkd3d_wait_event" {
            continue;
        }
        assert!(methods.contains_key(&name), "{program} imports {name}, and the dump has no call of it: {methods:?}");
    }
    assert_eq!(methods.get("vkQueuePresentKHR"), Some(&presents));
    Some((bench, lines))
}

/// Replays and compares every hash as text; `verify` must come to the same verdict.
fn check_replay(bench: &Bench, frames: usize) {
    bench.output(&["replay", "--runtime", "vkd3d", "--frame-hashes", "replayed.txt", "trace.reprise"]);
    let captured = std::fs::read_to_string(bench.path("hashes.txt")).unwrap();
    let replayed = std::fs::read_to_string(bench.path("replayed.txt")).unwrap();
    assert_eq!(captured.lines().count(), frames);
    for (left, right) in captured.lines().zip(replayed.lines()) {
        assert_eq!(left, right);
    }
    assert_eq!(captured, replayed);
    assert!(bench.output(&["verify", "trace.reprise"]).contains("equal"));

    let words = ["replay", "--json", "--quit-after-frame", "3", "trace.reprise"];
    let report: Json = serde_json::from_str(&bench.output(&words)).unwrap();
    assert_eq!((report["runtime"].as_str(), report["difference_count"].as_u64()), (Some("ours"), Some(0)), "{report}");
    assert_eq!(report["frames"].as_array().unwrap().len(), 3);
    assert!(report["replayed"].as_u64() > Some(0) && report["seconds"]["total"].is_f64(), "{report}");

    // A hash that is wrong is found, by frame.
    let wrong: String = captured
        .lines()
        .map(|line| match line.split_once(' ') {
            Some(("2", _)) => format!("2 {}\n", "0".repeat(32)),
            _ => format!("{line}\n"),
        })
        .collect();
    std::fs::write(bench.path("wrong.txt"), wrong).unwrap();
    let finished = bench.run(&["verify", "--hashes", "wrong.txt", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.text());
    assert!(finished.text().contains("frame 2"), "{}", finished.text());
}

/// What may differ on our runtime: its dot products are added up in the order of their components, those of libvkd3d in
/// whatever order the driver of Vulkan takes (see TESTING.md). A colour is off by a step, a pixel is at the wrong side of an edge.
const ROUNDED: [&str; 4] = ["--max-step", "1", "--max-pixels", "4"];

/// Two runtimes, pixel by pixel: the library of the capture shows the captured frames, ours the same but for rounding.
fn check_against(bench: &Bench, frames: usize) {
    let verify = |arguments: &[&str]| {
        let words = [&["verify", "--json", "--against", "vkd3d"], arguments, &["trace.reprise"]].concat();
        serde_json::from_str::<Json>(&bench.output(&words)).unwrap()
    };
    let count = |json: &Json, name: &str| json.pointer(name).and_then(Json::as_u64).unwrap() as usize;
    let ours = verify(&[&ROUNDED[..], &["--difference-dir", "differences"]].concat());
    assert_eq!((ours["runtime"].as_str(), count(&ours, "/frames")), (Some("ours"), frames), "{ours}");
    assert_eq!(count(&ours, "/as_captured/against"), frames, "{ours}");
    let different = ours["different"].as_array().unwrap();
    assert_eq!(count(&ours, "/as_captured/runtime") + different.len(), frames, "{ours}");
    assert!(different.len() * 10 < frames, "{} of {frames} frames differ", different.len());
    let pictures = std::fs::read_dir(bench.path("differences")).map_or(0, Iterator::count);
    assert_eq!(pictures, different.len() * 3, "two pictures and their difference for each frame");
    let same = verify(&["--runtime", "vkd3d"]);
    assert_eq!((count(&same, "/different_frames"), count(&same, "/as_captured/runtime")), (0, frames), "{same}");
}

fn presents(lines: &[Json]) -> usize {
    lines.iter().filter(|line| line["method"] == "vkQueuePresentKHR").count()
}

#[test]
#[ignore = "slow: captures and replays a real program"]
fn gears() {
    let Some((bench, lines)) = capture_and_check("vkd3d-gears", 60) else { return };
    let frames = presents(&lines);
    assert!(frames > 10, "{frames} frames");
    // The program animates: frames differ, and a replay that showed one picture for all would be found out.
    let hashes = std::fs::read_to_string(bench.path("hashes.txt")).unwrap();
    let different: BTreeSet<&str> = hashes.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    assert!(different.len() > frames / 2, "{} different pictures in {frames} frames", different.len());
    check_replay(&bench, frames);
    check_against(&bench, frames);
    check_screenshots(&bench);
    check_ends(&bench, &lines);
    check_pause(&bench);
    check_frames(&bench, &lines);
    check_text(&bench, &lines);
    check_order(&lines);
}

/// The program waits for the GPU by an event and then stores over what the frame before reads. Replay waits where the fence was seen and
/// stores where the bytes stand: so the first stands before the second.
fn check_order(lines: &[Json]) {
    let (mut stored, mut orders) = (false, 0);
    for line in lines {
        match line["event"].as_str() {
            Some("memory") => (stored, orders) = (true, orders + 1),
            Some("observe") => assert!(!stored, "bytes were stored before the fence was seen: {line}"),
            Some(_) => {}
            None => stored = false,
        }
    }
    assert!(orders > 10, "{orders} stores");
}

#[test]
#[ignore = "slow: captures and replays a real program"]
fn triangle() {
    let Some((bench, lines)) = capture_and_check("vkd3d-triangle", 1) else { return };
    let frames = presents(&lines);
    assert!(frames > 0);
    bench.output(&["replay", "--runtime", "vkd3d", "--frame-hashes", "replayed.txt", "trace.reprise"]);
    let read = |name: &str| std::fs::read_to_string(bench.path(name)).unwrap();
    assert_eq!(read("hashes.txt"), read("replayed.txt"));
    check_against(&bench, frames);
}

fn check_screenshots(bench: &Bench) {
    let arguments = ["replay", "--screenshots", "2,5-6", "--screenshot-dir", "shots", "--quit-after-frame", "7"];
    bench.output(&[&arguments[..], &["--quiet", "trace.reprise"]].concat());
    let mut names: Vec<String> = std::fs::read_dir(bench.path("shots"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["frame_000002.png", "frame_000005.png", "frame_000006.png"]);
}

/// Replays end where they are told to: after a call of the dump, after the frames measured.
fn check_ends(bench: &Bench, lines: &[Json]) {
    let report = |arguments: &[&str]| {
        let words = [&["replay", "--json"], arguments, &["trace.reprise"]].concat();
        serde_json::from_str::<Json>(&bench.output(&words)).unwrap()
    };
    let presents = lines.iter().filter(|line| line["method"] == "vkQueuePresentKHR");
    let third = presents.filter_map(|line| line["call"].as_u64()).nth(2).unwrap();
    for (call, frames) in [(third - 1, 2), (third, 3)] {
        let report = report(&["--sync", "--quit-after-call", &call.to_string()]);
        let played = report["frames"].as_array().unwrap().len();
        assert_eq!((report["calls"].as_u64(), played), (Some(call), frames), "{report}");
    }
    let words = ["--mfr", "3-6", "--measurement-file", "speed.json"];
    let measuring = report(&[&words[..], &["--quit-after-measurement-range", "--flush-measurement-range"]].concat());
    let speed: Json = serde_json::from_str(&std::fs::read_to_string(bench.path("speed.json")).unwrap()).unwrap();
    assert_eq!((measuring["frames"].as_array().unwrap().len(), &measuring["measured"]), (5, &speed));
    let range = &speed["frame_range"];
    let numbers = ["start_frame", "end_frame", "frame_count"].map(|name| range[name].as_u64());
    assert_eq!(numbers, [Some(3), Some(6), Some(3)]);
    let times: Vec<f64> = speed["frame_seconds"].as_array().unwrap().iter().filter_map(Json::as_f64).collect();
    let seconds = speed["seconds"].as_f64().unwrap();
    assert!(times.len() == 3 && (times.iter().sum::<f64>() - seconds).abs() < 1e-6, "{speed}");
    assert!((range["fps"].as_f64().unwrap() * seconds - 3.0).abs() < 1e-6, "{speed}");
    assert!(speed["cpu_seconds"].as_f64().is_some_and(|time| time > 0.0), "{speed}");
    let words = ["replay", "--mfr", "5-6", "--quit-after-frame", "3", "trace.reprise"];
    let finished = bench.run(&words);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.text());
    assert!(finished.errors().contains("ended with frame 3"), "{}", finished.errors());
    if require(missing::validation_layer()).is_none() {
        return;
    }
    let checked = report(&["--gpu", "0", "--validate", "--quit-after-frame", "2"]);
    assert_eq!(checked["validation"]["errors"].as_u64(), Some(0), "{checked}");
}

/// On a terminal a paused replay goes on at Enter, and not before.
fn check_pause(bench: &Bench) {
    let Some(script) = require(missing::program("script", "bsdutils")) else { return };
    let line = format!("'{}' replay --pause-frame 2 --quit-after-frame 4 trace.reprise", env!("CARGO_BIN_EXE_reprise"));
    let mut command = Command::new(script);
    command.current_dir(&bench.folder).args(["-qec", &line, "/dev/null"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let said = program::lines(child.stdout.take());
    said.wait_for("paused after frame 2; press Enter", PATIENCE).unwrap();
    assert!(child.try_wait().unwrap().is_none(), "it did not wait");
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    said.wait_for("4 frames and ", PATIENCE).unwrap();
    let (status, timed_out) = program::wait(&mut child, PATIENCE).unwrap();
    assert!(status.success() && !timed_out, "{status}");
}

/// A range of frames is exactly what the whole dump has of them.
fn check_frames(bench: &Bench, lines: &[Json]) {
    let text = bench.output(&["dump", "--json", "--frames", "3-4", "trace.reprise"]);
    let some: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected: Vec<&Json> = lines.iter().filter(|line| [3, 4].map(Some).contains(&line["frame"].as_u64())).collect();
    assert!(!expected.is_empty());
    assert_eq!(some.iter().collect::<Vec<_>>(), expected);
}

/// The dump for people has the same lines, and a reader that goes away is no error.
fn check_text(bench: &Bench, lines: &[Json]) {
    let text = bench.output(&["dump", "trace.reprise"]);
    assert_eq!(text.lines().count(), lines.len());
    assert!(!text.contains('\u{1b}'), "colours in a pipe");
    let draw = text.lines().find(|line| line.contains("::DrawIndexedInstanced(")).unwrap();
    assert!(draw.contains("ID3D12GraphicsCommandList") && draw.contains("InstanceCount="), "{draw}");
    let program = Path::new(env!("CARGO_BIN_EXE_reprise"));
    let script = format!("'{}' dump trace.reprise | head -1; exit ${{PIPESTATUS[0]}}", program.display());
    let status = Command::new("bash").current_dir(&bench.folder).args(["-c", &script]).output().unwrap();
    assert!(status.status.success() && status.stderr.is_empty(), "{status:?}");
}

/// What the runtime says on standard error, a line each, sorted.
fn complaints(finished: &Finished) -> Vec<String> {
    let errors = finished.errors();
    let mut lines: Vec<String> =
        errors.lines().filter(|line| !line.starts_with("reprise: ")).map(str::to_owned).collect();
    lines.sort();
    lines
}

/// What we ask the runtime makes it say nothing that the program alone would not have made it say.
#[test]
#[ignore = "slow: captures a real program"]
fn the_runtime_complains_no_more_than_without_us() {
    for name in ["vkd3d-gears", "vkd3d-triangle"] {
        let bench = Bench::new();
        let Some(program) = require(missing::program(name, "vkd3d-demos")) else { return };
        let Some((captured, _)) = bench.capture(name, 1) else { return };
        let Some(hook) = bench.hook() else { return };
        let Some(bare) = show(&mut Command::new(&program), &hook, 1) else { return };
        assert_eq!(complaints(&captured), complaints(&bare), "{name}");
    }
}
