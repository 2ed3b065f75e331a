//! `reprise pixel`: its last value is the picture, which is looked at another way; each reason for which a fragment is lost is told right; and what
//! the program reads is what it is without all that.

use crate::bench::Bench;
use crate::programs;
use reprise_replay::{Options, PixelDraw, PixelDraws, PixelTouch, PixelWish, history_of_pixel};
use reprise_testing::artifact;
use reprise_trace::read::Trace;
use serde_json::{Value as Json, json};

fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn history(bench: &Bench, at: &str, more: &[&str]) -> Json {
    history_in(bench, "1", at, more)
}

fn history_in(bench: &Bench, frame: &str, at: &str, more: &[&str]) -> Json {
    let arguments = [&["pixel", "trace.reprise", "--frame", frame, "--at", at, "--json"], more].concat();
    serde_json::from_str(&bench.output(&arguments)).unwrap()
}

/// What becomes of the draws of the program `pixels`, in their order, each in a cell of four by four pixels.
const OUTCOMES: [&str; 15] = [
    "written",
    "scissor",
    "cull",
    "cull",
    "depth_clip",
    "sample_mask",
    "discard",
    "stencil",
    "depth",
    "write_mask",
    "same_value",
    "viewport",
    "predicate",
    "written",
    "not_covered",
];

#[test]
fn each_reason_of_a_lost_fragment_is_told() {
    let bench = Bench::new();
    programs::capture(&bench, "pixels", &programs::ours());
    for (index, wanted) in OUTCOMES.iter().enumerate() {
        // Column and row add up to a multiple of three in the cell of what is discarded.
        let at = format!("{},1", 4 * index + if *wanted == "discard" { 2 } else { 1 });
        let told = history(&bench, &at, &["--target", &target(&bench)]);
        let events = told["events"].as_array().unwrap();
        let draws: Vec<&Json> = events.iter().filter(|event| event["method"] == "DrawInstanced").collect();
        assert_eq!(draws.len(), OUTCOMES.len(), "{told}");
        for (other, draw) in draws.iter().enumerate() {
            let outcome = draw["tests"]["outcome"].as_str().unwrap();
            // The draw with another viewport covers none of these cells, whichever is asked for.
            let elsewhere = if OUTCOMES[other] == "viewport" { "viewport" } else { "not_covered" };
            let wanted = if other == index { wanted } else { elsewhere };
            assert_eq!(outcome, wanted, "draw {other} at {at}: {draw}");
            assert_eq!(draw["changed"] == true, outcome == "written", "{draw}");
        }
        assert_eq!(told["unexplained"], json!([]), "{told}");
        let own = &draws[index]["tests"];
        match index {
            2 => assert_eq!((&own["front"], &own["back"]), (&json!(1), &json!(0)), "{own}"),
            3 => assert_eq!((&own["front"], &own["back"]), (&json!(0), &json!(1)), "{own}"),
            13 => {
                // Depth is written by the first instance, which the counts of single tests do not know.
                let shown = own["shown"].as_array().unwrap();
                let of = |name: &str| shown.iter().map(|it| it[name].clone()).collect::<Vec<_>>();
                assert_eq!(of("instance"), [0, 1, 2], "{own}");
                assert_eq!(of("primitive"), [0, 0, 0], "{own}");
                assert_eq!(of("depth"), [0.25, 0.25, 0.25], "{own}");
                assert_eq!(of("front"), [true, true, true], "{own}");
                assert_eq!(shown[0]["output"]["values"], json!([14, 14, 14, 14]), "{own}");
            }
            _ => {}
        }
    }
    // The second triangle of the strip, in the other corner of its cell.
    let told = history(&bench, "3,3", &["--target", &target(&bench)]);
    let draw = told["events"].as_array().unwrap().iter().find(|event| event["method"] == "DrawInstanced").unwrap();
    assert_eq!(draw["tests"]["shown"][0]["primitive"], 1, "{draw}");
    let (depth, stencil) = (&draw["depth"], &draw["stencil"]);
    assert_eq!((&depth["after"]["values"], &stencil["after"]["values"]), (&json!([0.5]), &json!([3])), "{draw}");
    let text = bench.output(&["pixel", "trace.reprise", "--frame", "1", "--at", "9,1", "--target", &target(&bench)]);
    assert!(text.contains("1 fragment, front; 1 culled"), "{text}");
}

/// The target of the program's first draw.
fn target(bench: &Bench) -> String {
    let calls = lines(&bench.output(&["dump", "--json", "--methods", "CopyTextureRegion", "trace.reprise"]));
    calls[0]["args"]["pSrc"]["pResource"]["id"].to_string()
}

/// Programs with a target that a draw, clear, dispatch or copy writes.
const PROGRAMS: [&str; 43] = [
    "aliasing",
    "aspects",
    "blending",
    "bundles",
    "clears",
    "copies",
    "coverage",
    "depth",
    "depth-bias",
    "geometry",
    "indirect-bundles",
    "indirect-draws",
    "indirect-numbers",
    "indirect-passes",
    "indirect-state",
    "indirect-vertices",
    "layer-views",
    "logic",
    "outputs",
    "passes",
    "pipeline-streams",
    "pipelines",
    "pixels",
    "placed",
    "planes",
    "predication",
    "presents",
    "queries",
    "remapped",
    "resolves",
    "samples",
    "shader-stencils",
    "simultaneous",
    "stencil-views",
    "target-sizes",
    "targets",
    "tessellation",
    "textures",
    "topologies",
    "vertices",
    "viewports",
    "views",
    "volume-slices",
];

/// What `show` has of a pixel once all of the frame's submissions are done, which is another way to copy it.
fn shown(bench: &Bench, told: &Json, call: u64) -> Json {
    let wish = json!({
        "call": call, "resource": told["resource"], "mip": told["mip"], "slice": told["slice"], "plane": told["plane"],
        "sample": told["sample"], "pixels": [[told["x"], told["y"]]], "as": told["format"],
    });
    std::fs::write(bench.path("batch"), format!("{wish}\n")).unwrap();
    let said = lines(&bench.output(&["show", "trace.reprise", "--batch", "batch", "--json"]));
    said[0]["pixels"][0]["values"].clone()
}

#[test]
fn the_last_value_is_the_picture() {
    let (mut pixels, mut changed) = (0, 0);
    // The same places every time, all over the pictures.
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    for name in PROGRAMS {
        let bench = Bench::new();
        programs::capture(&bench, name, &programs::ours());
        // Of programs that present nothing, frames are submissions: the first that writes a texture.
        let writes = |frame: &String| {
            let finished = bench.run(&["pixel", "trace.reprise", "--frame", frame, "--at", "0,0"]);
            finished.status.code() == Some(0)
        };
        let frame = (1..=10).map(|frame| frame.to_string()).find(writes);
        let frame = frame.unwrap_or_else(|| panic!("{name}: no frame has a history"));
        for _ in 0..2 {
            let mut at = format!("{},{}", random() % 16, random() % 16);
            let probed = bench.run(&["pixel", "trace.reprise", "--frame", &frame, "--at", &at, "--json"]);
            let told = if probed.errors().contains("lies outside") {
                // Some pictures are small.
                at = "0,0".into();
                history_in(&bench, &frame, &at, &[])
            } else {
                assert!(probed.status.success(), "{name} at {at}: {}", probed.errors());
                serde_json::from_str(&probed.text()).unwrap()
            };
            let place = format!("{name} at {at}: {told}");
            let events = told["events"].as_array().unwrap();
            assert!(events.iter().all(|event| event["failed"] == json!([])), "{place}");
            assert_eq!(told["unexplained"], json!([]), "{place}");
            let last = events[events.len() - 1]["submission"].as_u64().unwrap();
            let value = shown(&bench, &told, last);
            assert!(value.is_array() && told["last"]["values"] == value, "{value}: {place}");
            pixels += 1;
            changed += u32::from(events[0]["before"]["values"] != told["last"]["values"]);
            // What is not changed is not said to be.
            for event in events.iter().filter(|event| !event["before"].is_null() && !event["after"].is_null()) {
                assert_eq!(event["changed"] == true, event["before"] != event["after"], "{event}: {place}");
            }
        }
    }
    // The comparison would notice another value: most pixels have one at their beginning.
    assert!(changed * 2 > pixels, "{changed} of {pixels} pixels change");
}

/// All draws of a program once more with all their tests: the program reads what it reads without that.
#[test]
fn what_the_program_reads_is_not_changed() {
    let mut probed = 0;
    for name in ["pixels", "depth", "outputs", "blending", "pipelines", "pipeline-streams", "targets", "viewports"] {
        let bench = Bench::new();
        programs::capture(&bench, name, &programs::ours());
        let path = bench.path("trace.reprise");
        let trace = Trace::open(&path).unwrap();
        let wish = PixelWish { frame: 1, at: (5, 6), resource: None, mip: 0, slice: 0, plane: 0, sample: 0 };
        let history = history_of_pixel(&trace, &wish).unwrap();
        let draws = history.events.iter().filter(|event| event.draws).map(|event| PixelDraw {
            submission: event.submission,
            call: event.call,
            slot: match event.touch {
                PixelTouch::Target(slot) => Some(slot),
                _ => None,
            },
            plane: 0,
        });
        let draws: Vec<PixelDraw> = draws.collect();
        let asked = PixelDraws { at: (5, 6), sample: 0, draws, coverage_only: false };
        let replayed = |pixel: Option<PixelDraws>| {
            let mut reads = Vec::new();
            let runtime = Some(programs::ours().display().to_string());
            let on_read: reprise_replay::OnRead<'_> = Box::new(|read| reads.push(*read));
            let mut options = Options { runtime, pixel, on_read: Some(on_read), ..Options::default() };
            let report = reprise_replay::replay(&path, &mut options).unwrap();
            drop(options);
            (reads, report)
        };
        let (with, report) = replayed(Some(asked));
        let (without, _) = replayed(None);
        assert!(!with.is_empty() && with.iter().all(|read| !read.differs), "{name}: {with:?}");
        assert_eq!(with, without, "{name}");
        let tests = report.pixel.unwrap();
        probed += tests.values().filter(|tests| tests.is_ok()).count();
    }
    assert!(probed > 100, "{probed} draws were tested");
}

#[test]
fn what_has_no_history_is_said() {
    let bench = Bench::new();
    let golden = artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("gears.reprise")).unwrap();
    for (arguments, code, what) in [
        (&["--frame", "1", "--at", "5000,2"][..], 1, "lies outside"),
        (&["--frame", "1", "--at", "5,2", "--target", "1"], 1, "no call of frame 1 writes resource 1"),
        (&["--frame", "9999", "--at", "5,2"], 2, "there is no frame 9999"),
        (&["--frame", "1", "--at", "5"], 2, "is no pixel"),
    ] {
        let finished = bench.run(&[&["pixel", "gears.reprise"], arguments].concat());
        assert_eq!(finished.status.code(), Some(code), "{arguments:?}: {}", finished.errors());
        assert!(finished.errors().contains(what), "{arguments:?}: {}", finished.errors());
    }
    bench.output(&["pixel", "gears.reprise", "--frame", "2", "--at", "150,150", "-o", "pixel.png"]);
    assert!(std::fs::read(bench.path("pixel.png")).unwrap().starts_with(b"\x89PNG"));
}
