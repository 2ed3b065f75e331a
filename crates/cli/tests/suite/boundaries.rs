//! What ends a frame: presents of all swap chains or of one, submissions, and the program's own markers.
//!
//! The program `boundaries` has six steps. Each sets the marker `Frame N` on the queue, runs a list with the event `pass of N` twice, and
//! presents to its first swap chain; steps 2 and 5 present to the second one, too.

use crate::bench::{Bench, PATIENCE};
use crate::programs::{expected, ours};
use reprise_testing::{Finished, artifact, program};
use reprise_trace::frame_hash::{self, FrameLine};
use serde_json::{Value as Json, json};

fn capture(bench: &Bench, options: &[&str]) -> Finished {
    let mut command = bench.command();
    command.args(["capture", "-f", "-o", "trace.reprise"]).args(options).arg("--");
    command.arg(artifact::programs().unwrap()).args(["boundaries", "--library"]).arg(ours());
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{options:?}: {}\n{}", finished.status, finished.errors());
    assert_eq!(finished.text(), format!("boundaries {}\n", expected("boundaries")));
    finished
}

/// The trace's events in order: methods of calls, and the sources of frames.
fn told(bench: &Bench) -> Vec<String> {
    let dump = bench.output(&["dump", "--json", "trace.reprise"]);
    let events = dump.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let word = |event: &Json| match event["event"].as_str() {
        Some("frame") => Some(format!("frame of {}", event["source"].as_str().unwrap())),
        Some(_) => None,
        None => event["method"].as_str().map(str::to_owned),
    };
    events.filter_map(|event| word(&event)).collect()
}

#[test]
fn frames_end_where_the_user_says() {
    let bench = Bench::new();
    let (present, submit) = ("IDXGIVkSwapChain::Present", "ID3D12CommandQueue::ExecuteCommandLists");
    let marker = "ID3D12CommandQueue::SetMarker";
    for (boundary, frames, source, behind) in [
        ("present", 8, "present", present),
        ("present=1", 6, "present", present),
        ("present=2", 2, "present", present),
        ("present=3", 0, "present", present),
        (r"marker=^Frame \d+$", 6, "marker", marker),
        ("marker=^Frame [02]$", 2, "marker", marker),
        // Each of the runs of a list with the event.
        ("marker=pass of", 12, "marker", submit),
        ("marker=(?i)PASS OF 1$", 2, "marker", submit),
        ("marker=nowhere", 0, "marker", marker),
    ] {
        capture(&bench, &["--frame-boundary", boundary]);
        let told = told(&bench);
        let ends = |(_, event): &(usize, &String)| event.starts_with("frame of ");
        let places: Vec<usize> = told.iter().enumerate().filter(ends).map(|(at, _)| at).collect();
        // Where nothing ends one, readers let submissions do it.
        let submissions = told.iter().filter(|told| *told == submit).count();
        let (there, source, behind) =
            if frames == 0 { (submissions, "submission", submit) } else { (frames, source, behind) };
        assert_eq!(places.len(), there, "{boundary}");
        for place in places {
            assert_eq!((&*told[place], &*told[place - 1]), (&*format!("frame of {source}"), behind), "{boundary}");
        }
        let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
        assert_eq!(info["frames"], json!(frames), "{boundary}");
        let said = (boundary != "present").then_some(boundary);
        assert_eq!(info["frame_boundary"].as_str(), said, "{boundary}");
    }
}

/// A frame's picture, as the program draws it: a ground and a bar, in blue, green, red, alpha.
fn line((frame, number): (u64, u32), (width, height): (u32, u32)) -> String {
    let mut pixels = vec![[0, number as u8, 255, 255]; (width * height) as usize];
    for (y, x) in (3..23).flat_map(|y| (number % width..(number % width + 5).min(width)).map(move |x| (y, x))) {
        pixels[(y * width + x) as usize] = [255, 0, number as u8 * 2, 255];
    }
    // DXGI_FORMAT_B8G8R8A8_UNORM
    let (format, row) = (87, width as usize * 4);
    let hash = frame_hash::hash_rows((width, height, format), &pixels.concat(), row, row).unwrap();
    format!("{}\n", FrameLine { frame, hash })
}

#[test]
fn frames_of_one_swap_chain_show_that_one() {
    let bench = Bench::new();
    let read = |name: &str| std::fs::read_to_string(bench.path(name)).unwrap();
    let first = (0..6).map(|step| line((u64::from(step) + 1, step), (64, 48))).collect::<String>();
    let second = [(1, 102), (2, 105)].map(|frame| line(frame, (40, 32))).concat();
    for (boundary, expected) in [("present=1", first), ("present=2", second)] {
        capture(&bench, &["--frame-boundary", boundary, "--frame-hashes", "captured.hashes"]);
        assert_eq!(read("captured.hashes"), expected, "{boundary}");
        let text = bench.output(&["replay", "trace.reprise", "--frame-hashes", "replayed.hashes"]);
        assert!(!text.contains("differ"), "{boundary}: {text}");
        assert_eq!(read("replayed.hashes"), expected, "{boundary}");
        let text = bench.output(&["verify", "--control", "trace.reprise"]);
        let frames = expected.lines().count();
        assert!(text.contains(&format!("control: frames: {frames} of {frames} noticed")), "{text}");
        // A part of the trace has the same swap chain's frames.
        bench.output(&["trim", "-f", "--frames", "2", "-o", "part.reprise", "trace.reprise"]);
        bench.output(&["replay", "part.reprise", "--frame-hashes", "part.hashes"]);
        let hash = |text: &str, line: usize| text.lines().nth(line).unwrap().split_once(' ').unwrap().1.to_owned();
        assert_eq!(hash(&read("part.hashes"), 0), hash(&expected, 1), "{boundary}");
        std::fs::remove_file(bench.path("captured.hashes")).unwrap();
        // A present that is kept of an older frame is no picture of a later one.
        capture(&bench, &["--frame-boundary", boundary, "--flight-recorder=1", "--flight-at-end"]);
        bench.output(&["replay", "trace.reprise", "--frame-hashes", "flight.hashes"]);
        assert_eq!(read("flight.hashes").lines().last(), expected.lines().last(), "{boundary}");
    }
}

#[test]
fn wanted_frames_are_those_of_the_markers() {
    let bench = Bench::new();
    capture(&bench, &["--frame-boundary", "marker=^Frame", "--frames", "3-4"]);
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
    assert_eq!((&info["frames"], &info["wanted_frames"]), (&json!(4), &json!([[3, 4]])));
    assert_eq!(info["stopped"], json!({"because": "frames", "after_frame": 4}));
}

#[test]
fn a_wrong_boundary_is_refused_before_the_program_starts() {
    let bench = Bench::new();
    for (wrong, says) in [
        ("present=0", "such as present=1"),
        ("marker=[a", "unclosed character class"),
        ("marker=", "such as marker='^Frame'"),
        ("presents", "must be present, present=N, submissions or marker=REGEX"),
    ] {
        let finished =
            bench.run(&["capture", "-o", "trace.reprise", "--frame-boundary", wrong, "--", "touch", "started"]);
        assert_eq!(finished.status.code(), Some(2), "{wrong}: {}", finished.errors());
        assert!(finished.errors().contains(says), "{wrong}: {}", finished.errors());
    }
    // Nothing says what such a frame shows.
    let options = ["--frame-boundary", "marker=x", "--frame-hashes", "captured.hashes", "--", "touch", "started"];
    let finished = bench.run(&[&["capture", "-o", "trace.reprise"], &options[..]].concat());
    assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
    assert!(finished.errors().contains("with --frame-boundary marker=x none ends a frame"), "{}", finished.errors());
    assert_eq!(bench.files(), [""; 0], "nothing was started");
}

#[test]
fn a_trace_without_boundaries_is_cut_by_submissions_and_says_so() {
    let bench = Bench::new();
    capture(&bench, &["--frame-boundary", "marker=nowhere"]);
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
    let submissions = told(&bench).iter().filter(|told| told.ends_with("::ExecuteCommandLists")).count();
    assert_eq!((&info["frames"], &info["submissions"]), (&json!(0), &json!(submissions)));
    let text = bench.output(&["info", "trace.reprise"]);
    assert!(text.contains(&format!("none: {submissions} submissions stand for frames")), "{text}");
    let cut = bench.run(&["trim", "--frames", "4-5", "-o", "frames.reprise", "trace.reprise"]);
    assert!(cut.status.success(), "{}", cut.errors());
    assert!(cut.errors().contains("no frame boundaries: submissions stand for frames"), "{}", cut.errors());
    bench.output(&["trim", "--submissions", "4-5", "-o", "submissions.reprise", "trace.reprise"]);
    let dump = |name: &str| bench.output(&["dump", name]);
    assert_eq!(dump("frames.reprise"), dump("submissions.reprise"));
    let behind = (submissions + 1).to_string();
    let finished = bench.run(&["thumbnails", "--frames", &behind, "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
    assert!(
        finished.errors().contains("which are submissions, because nothing ended a frame"),
        "{}",
        finished.errors()
    );
}

/// A capture that was told to end frames at submissions is the expectation.
#[test]
fn without_boundaries_every_command_has_frames_by_submissions() {
    let bench = Bench::new();
    // How often a program looks at a fence is chance.
    let is_chance = |method: &str| method.starts_with("ID3D12Fence::");
    // Each call, with the number of its frame.
    let calls = |options: &[&str]| -> Vec<(Json, Json)> {
        let dump = bench.output(&[&["dump", "--json"], options, &["trace.reprise"]].concat());
        let events = dump.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
        events
            .filter(|event| event["method"].as_str().is_some_and(|method| !is_chance(method)))
            .map(|event| (event["frame"].clone(), event["method"].clone()))
            .collect()
    };
    let replayed = || -> Vec<Json> {
        let json: Json = serde_json::from_str(&bench.output(&["replay", "--json", "trace.reprise"])).unwrap();
        json["frames"].as_array().unwrap().clone()
    };
    let seen = || {
        (
            told(&bench).into_iter().filter(|word| !is_chance(word)).collect::<Vec<_>>(),
            calls(&[]),
            replayed().len(),
            calls(&["--frames", "2-3"]),
        )
    };
    capture(&bench, &["--frame-boundary", "submissions"]);
    let wanted = seen();
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
    assert!(wanted.2 > 3 && info["frames"] == json!(wanted.2), "{info}");
    let json: Json = serde_json::from_str(&bench.output(&["replay", "--json", "trace.reprise"])).unwrap();
    assert_eq!(json["divided"], json!(false));
    capture(&bench, &["--frame-boundary", "marker=nowhere"]);
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
    assert_eq!(info["frames"], json!(0));
    assert_eq!(seen(), wanted);
    let json: Json = serde_json::from_str(&bench.output(&["replay", "--json", "trace.reprise"])).unwrap();
    assert_eq!(json["divided"], json!(true));
    let words = bench.output(&["replay", "trace.reprise"]);
    assert!(words.starts_with(&format!("{} submissions and ", wanted.2)), "{words}");
}
