//! What ends a frame: presents of all swap chains or of one, submissions, and the program's own markers.
//!
//! The program `boundaries` has six steps. Each sets the marker `Frame N` on the queue, runs a list with the event `pass of N` twice, and
//! presents to its first swap chain; steps 2 and 5 present to the second one, too.

use crate::bench::{Bench, PATIENCE};
use crate::overlays::pixels;
use crate::programs::{expected, ours};
use reprise_testing::{Finished, artifact, program};
use reprise_trace::frame_hash::{self, FrameLine};
use serde_json::{Value as Json, json};

fn capture(bench: &Bench, options: &[&str]) -> Finished {
    captured(bench, "boundaries", options)
}

fn captured(bench: &Bench, name: &str, options: &[&str]) -> Finished {
    let mut command = bench.command();
    command.args(["capture", "-f", "-o", "trace.reprise"]).args(options).arg("--");
    command.arg(artifact::programs().unwrap()).args([name, "--library"]).arg(ours());
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{options:?}: {}\n{}", finished.status, finished.errors());
    assert_eq!(finished.text(), format!("{name} {}\n", expected(name)));
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

/// A capture that was told the same is the expectation: where each frame ends, and what it shows.
#[test]
fn a_reader_says_what_ends_frames() {
    let bench = Bench::new();
    let ends = |options: &[&str]| -> Vec<(String, String, Json)> {
        let dump = bench.output(&[&["dump", "--json"], options, &["trace.reprise"]].concat());
        let (mut calls, mut found) = (0, Vec::new());
        let mut last = String::new();
        for event in dump.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()) {
            match (event["method"].as_str(), event["event"].as_str()) {
                // How often the program looks at a fence is chance, so calls are counted without these.
                (Some(method), _) if method.starts_with("ID3D12Fence::") => {}
                (Some(method), _) => (calls, last) = (calls + 1, format!("{} {method}", calls + 1)),
                (_, Some("frame")) => found.push((last.clone(), event["source"].to_string(), event["frame"].clone())),
                _ => {}
            }
        }
        found
    };
    let boundaries =
        ["present=1", "present=2", r"marker=^Frame \d+$", "marker=^Frame [02]$", "marker=pass of", "submissions"];
    let expected = boundaries.map(|boundary| {
        capture(&bench, &["--frame-boundary", boundary]);
        ends(&[])
    });
    assert_eq!(expected.each_ref().map(Vec::len), [6, 2, 6, 2, 12, 22]);
    // Of one that was captured with presents, and of one in which nothing ended a frame.
    for captured in [&["--frame-hashes", "captured.hashes"][..], &["--frame-boundary", "marker=nowhere"]] {
        capture(&bench, captured);
        for (boundary, expected) in boundaries.iter().zip(&expected) {
            assert_eq!(&ends(&["--frame-boundary", boundary]), expected, "{captured:?}, {boundary}");
        }
        // `present` is what it was without a word, and of the other one what it would have been.
        assert_eq!(ends(&["--frame-boundary", "present"]).len(), 8);
    }
    for (boundary, says) in [
        ("marker=nowhere", "ends no frame: the trace has markers such as \"Frame 0\", \"pass of 0\", \"Frame 1\""),
        ("present=3", "present=3 ends no frame: the trace makes 2 swap chains and presents 8 times"),
        ("presents", "must be present, present=N, submissions or marker=REGEX"),
    ] {
        let finished = bench.run(&["info", "--frame-boundary", boundary, "trace.reprise"]);
        assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
        assert!(finished.errors().contains(says), "{}", finished.errors());
    }
}

/// Each command counts the same frames; the control is another expression.
#[test]
fn every_command_takes_what_ends_frames() {
    let bench = Bench::new();
    capture(&bench, &["--frame-boundary", "marker=nowhere"]);
    for (boundary, frames) in [(r"marker=^Frame \d+$", 6), ("marker=^Frame [02]$", 2)] {
        let json = |command: &str, more: &[&str]| -> Json {
            let options = ["--frame-boundary", boundary, "--json", "trace.reprise"];
            serde_json::from_str(bench.output(&[&[command], &options[..], more].concat()).lines().last().unwrap())
                .unwrap()
        };
        assert_eq!(json("info", &[])["frames"], frames);
        assert_eq!(json("stat", &[])["frames"]["count"], frames);
        assert_eq!(json("replay", &[])["frames"].as_array().unwrap().len(), frames);
        let run = |words: &[&str]| bench.run(&[words, &["--frame-boundary", boundary, "trace.reprise"]].concat());
        let last = frames.to_string();
        let behind = (frames + 1).to_string();
        for command in
            [&["draws", "--frame"][..], &["overdraw", "--frame"], &["thumbnails", "--frames"], &["time", "--frames"]]
        {
            let finished = run(&[command, &[&*behind]].concat());
            let says =
                format!("there is no frame {behind}: the trace has {frames}, as --frame-boundary {boundary} ends them");
            assert_eq!(finished.status.code(), Some(2), "{command:?}: {}", finished.errors());
            assert!(finished.errors().contains(&says), "{command:?}: {}", finished.errors());
        }
        // What follows the last end is of no frame in commands that show calls, either.
        let none = format!("there is no frame {behind}: the trace has {frames}");
        let edit = format!("frame {behind}: every Release: drop");
        for command in [
            &["dump", "--frames", &behind][..],
            &["convert", "--frames", &behind, "-o", "x.jsonl"],
            &["trim", "-f", "--frames", &behind, "-o", "part.reprise"],
            &["replay", "--frames", &behind],
            &["pixel", "--frame", &behind, "--at", "1,1"],
            &["edit", "--check", "-e", &edit],
        ] {
            let finished = run(command);
            assert!(!finished.status.success(), "{command:?}: {}", finished.text());
            let errors = finished.errors();
            let says = errors.contains(&none) || command[0] == "trim" && errors.contains("are not in the trace");
            assert!(says, "{command:?}: {errors}");
        }
        let lines = |range: &str| run(&["dump", "--json", "--frames", range]).text().lines().count();
        assert_eq!(lines(&format!("{last}-{behind}")), lines(&last));
        assert!(lines(&format!("{last}-")) > lines(&last), "a range without an end goes on to the trace's");
        for command in [&["verify"][..], &["lint"], &["diagnose"], &["dump", "--frames", &last], &["time"]] {
            let finished = run(command);
            assert!(finished.status.success(), "{command:?}: {}", finished.errors());
        }
        let text = bench.output(&["diff", "--replay", "--frame-boundary", boundary, "trace.reprise"]);
        assert!(text.contains(&format!("{frames} frames")), "{text}");
        // A part has the calls of its frames, and says by what they were counted.
        let cut = run(&["trim", "-f", "--frames", "2", "-o", "part.reprise"]);
        assert!(cut.status.success(), "{}", cut.errors());
        let part: Json = serde_json::from_str(&bench.output(&["info", "--json", "part.reprise"])).unwrap();
        assert_eq!(
            (&part["trimmed"]["frames"], &part["trimmed"]["frame_boundary"]),
            (&json!([2, 2]), &json!(boundary))
        );
        bench.output(&["replay", "part.reprise"]);
        // `frame 2` of an edit is this one, too: it ends with one such marker.
        let edit = "frame 2: every SetMarker: drop";
        let finished = run(&["edit", "--check", "--json", "-e", edit]);
        let told: Json = serde_json::from_str(&finished.text()).unwrap();
        assert_eq!(told["dropped_calls"], if frames == 6 { 1 } else { 2 }, "{}", finished.errors());
        // Notes name the frames that the trace has by itself, and some commands have no frames.
        let finished = run(&["notes", "--add", "x", "--frame", "2"]);
        assert!(finished.errors().contains("leave out --frame-boundary"), "{}", finished.errors());
        let finished = run(&["time", "-o", "x.times"]);
        assert!(
            finished.errors().contains("a file of times has the frames that the trace has by itself"),
            "{}",
            finished.errors()
        );
        let finished = run(&["repair"]);
        assert!(finished.errors().contains("unexpected argument '--frame-boundary'"), "{}", finished.errors());
    }
}

/// Six markers begin what six presents show: the last of these stands behind the last end.
#[test]
fn pictures_of_no_frame_are_told() {
    let bench = Bench::new();
    capture(&bench, &["--frame-hashes", "captured.hashes"]);
    let verify = |boundary: &str| bench.run(&["verify", "--frame-boundary", boundary, "trace.reprise"]);
    let finished = verify(r"marker=^Frame \d+$");
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    let errors = finished.errors();
    // Steps 2 and 5 have two presents; the fifth stands within the last frame that ends, and the sixth step's is behind it.
    assert!(errors.contains("behind the last end of a frame"), "{errors}");
    assert!(errors.contains("frames by --frame-boundary marker=^Frame \\d+$ have several"), "{errors}");
    // The control: every present ends a frame.
    let finished = verify("present");
    assert!(!finished.errors().contains("not compared"), "{}", finished.errors());
}

/// Hashes of the capture belong to presents, whatever frames these are in.
#[test]
fn frames_that_a_reader_says_are_verified() {
    let bench = Bench::new();
    capture(&bench, &["--frame-hashes", "captured.hashes"]);
    let first = (0..6).map(|step| line((u64::from(step) + 1, step), (64, 48))).collect::<String>();
    let second = [(1, 102), (2, 105)].map(|frame| line(frame, (40, 32))).concat();
    for (boundary, expected) in [("present=1", first), ("present=2", second)] {
        let options = ["--frame-boundary", boundary, "trace.reprise"];
        let frames = expected.lines().count();
        let text = bench.output(&[&["verify", "--control"], &options[..]].concat());
        assert!(text.contains(&format!("{frames} frames equal on ")), "{text}");
        assert!(text.contains(&format!("control: frames: {frames} of {frames} noticed")), "{text}");
        bench.output(&[&["replay", "--frame-hashes", "replayed.hashes"], &options[..]].concat());
        assert_eq!(std::fs::read_to_string(bench.path("replayed.hashes")).unwrap(), expected, "{boundary}");
        let text = bench.output(&[&["verify", "--against", "ours"], &options[..]].concat());
        assert!(
            text.contains(&format!("as captured: {frames} of {frames} frames on ours, {frames} on ours")),
            "{text}"
        );
    }
    // Of a frame with several pictures, the first one.
    let text = bench.output(&["verify", "--frame-boundary", r"marker=^Frame \d+$", "trace.reprise"]);
    assert!(text.contains("5 frames equal on "), "{text}");
    // The control: these are not the frames of the capture.
    let finished =
        bench.run(&["verify", "--hashes", "captured.hashes", "--frame-boundary", "present=2", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.text());
}

/// The program `steps` presents nothing. Each of its five steps runs two lists, a read-back, and sets the marker `Step N` then.
#[test]
fn markers_end_the_frames_of_a_program_that_presents_nothing() {
    let bench = Bench::new();
    captured(&bench, "steps", &[]);
    let boundary = ["--frame-boundary", "marker=^Step"];
    let frames = |options: &[&str]| -> Json {
        let info: Json =
            serde_json::from_str(&bench.output(&[&["info", "--json"], options, &["steps.reprise"]].concat())).unwrap();
        info["frames"].clone()
    };
    std::fs::rename(bench.path("trace.reprise"), bench.path("steps.reprise")).unwrap();
    assert_eq!((frames(&[]), frames(&boundary)), (json!(0), json!(5)));
    // Events in lists end one with each submission that runs them, the clear of the ground and that of the bar.
    assert_eq!(frames(&["--frame-boundary", "marker= of [0-9]$"]), json!(10));
    // In each frame its own clears, in colours of its own.
    for step in 0..5u32 {
        let frame = (step + 1).to_string();
        let options = ["dump", "--frames", &frame, "--methods", "ClearRenderTargetView", "steps.reprise"];
        let dump = bench.output(&[&options[..], &boundary].concat());
        assert_eq!(dump.lines().count(), 2, "{dump}");
        let number = |text: &str| text.trim().trim_end_matches(']').parse::<f32>().unwrap();
        let green = dump.split("ColorRGBA=[").nth(1).and_then(|rest| rest.split(", ").nth(1)).map(number).unwrap();
        assert!((green * 255.0 - (step * 40) as f32).abs() < 0.01, "{dump}");
    }
    let made = bench.output(&[&["thumbnails", "--json", "-o", "thumbs", "steps.reprise"][..], &boundary].concat());
    let made: Json = serde_json::from_str(&made).unwrap();
    let pictures = made["frames"].as_array().unwrap();
    assert_eq!(pictures.len(), 5, "{made}");
    // The bar is there: the last submission of the step that writes the target counts.
    for (step, one) in pictures.iter().enumerate() {
        let (pixels, width) = pixels(&bench, one["file"].as_str().unwrap());
        let (green, x) = (step as u8 * 40, step * 10);
        assert_eq!((pixels[20 * width + x + 4], pixels[2 * width + 63]), ([255, 255, green], [0, green, 255]));
    }
    // The control: what matches nothing is refused, with markers that there are.
    let refused = bench.run(&["info", "--frame-boundary", "marker=^Stop", "steps.reprise"]);
    assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
    assert!(
        refused.errors().contains("ends no frame") && refused.errors().contains("\"Step 0\""),
        "{}",
        refused.errors()
    );
}
