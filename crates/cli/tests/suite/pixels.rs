//! `reprise pixel`: its last value is the picture, which is looked at another way; each reason for which a fragment is lost is told right; and what
//! the program reads is what it is without all that.

mod pictures;

use crate::bench::Bench;
use crate::programs;
use pictures::{Compared, REAL, Random, Subject};
use reprise_replay::{Options, PixelDraw, PixelDraws, PixelTouch, PixelWish, histories_of_pixels};
use reprise_testing::{artifact, missing};
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
        let told = history(&bench, &at, &["--resource", &target(&bench)]);
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
const PROGRAMS: [&str; 44] = [
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
    "odd-blocks",
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

#[test]
fn the_last_value_is_the_picture() {
    // The same places every time, all over the pictures.
    let mut random = Random(1);
    let mut all = Compared::default();
    for name in PROGRAMS {
        all.add(pictures::ours(name).compare((2, 2), &mut random));
    }
    // The comparison would notice another value: most pixels have one at their beginning.
    assert!(all.changed * 2 > all.pixels && all.noticed >= all.changed, "{all:?}");
    assert_eq!(all.contradictions, 0);
}

/// `cargo xtask pixels`.
#[test]
#[ignore = "slow: looks at 100 pixels of 44 programs of ours, and of six of others"]
fn the_last_value_of_many_pixels_is_the_picture() {
    let seed = pictures::asked("REPRISE_PIXELS_SEED").unwrap_or(1);
    let count = pictures::asked("REPRISE_PIXELS").unwrap_or(100);
    // What becomes of fragments takes a replay for each pixel.
    let tested = pictures::asked("REPRISE_PIXELS_TESTED").unwrap_or(10);
    let only = std::env::var("REPRISE_PIXELS_ONLY").unwrap_or_default();
    let mut table = format!("seed {seed}, {count} pixels of each, {tested} of them with fragments\n");
    print!("{table}");
    let (mut all, mut traces) = (Compared::default(), 0);
    let begun = std::time::Instant::now();
    let subjects = REAL.iter().map(|name| (*name, true)).chain(PROGRAMS.iter().map(|name| (*name, false)));
    for (name, is_real) in subjects.filter(|(name, _)| name.contains(&only)) {
        let subject: Option<Subject> = if is_real { pictures::real(name) } else { Some(pictures::ours(name)) };
        let Some(subject) = subject else { continue };
        // Of each program the same places, whichever others are looked at.
        let mut random = Random(name.bytes().fold(seed, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into())));
        let begun = std::time::Instant::now();
        let compared = subject.compare((count, tested), &mut random);
        let line = format!("{name}: {compared:?}, {:.0} s\n", begun.elapsed().as_secs_f64());
        print!("{line}");
        table.push_str(&line);
        all.add(compared);
        traces += 1;
    }
    let line = format!("{traces} traces: {all:?}, {:.0} s\n", begun.elapsed().as_secs_f64());
    print!("{line}");
    table.push_str(&line);
    pictures::keep(&table);
    assert_eq!(all.contradictions, 0);
    // Pictures of one colour notice nothing.
    assert!(!only.is_empty() || all.noticed * 2 > all.pixels, "{all:?}");
}

/// All draws of a program once more with all their tests: the program reads what it reads without that.
#[test]
fn what_the_program_reads_is_not_changed() {
    let mut probed = 0;
    const ALL: [&str; 9] = [
        "pixels",
        "depth",
        "outputs",
        "blending",
        "pipelines",
        "pipeline-streams",
        "targets",
        "viewports",
        // With four samples a pixel.
        "samples",
    ];
    for name in ALL {
        let bench = Bench::new();
        programs::capture(&bench, name, &programs::ours());
        let path = bench.path("trace.reprise");
        let trace = Trace::open(&path).unwrap();
        let wish = |frame: u64| {
            [PixelWish { frame, at: (5, 6), resource: None, mip: None, slice: None, plane: None, sample: 0 }]
        };
        let mut histories = (1..=3).filter_map(|frame| histories_of_pixels(&trace, &wish(frame)).ok());
        let history = histories.next().unwrap().remove(0);
        let draws = history.events.iter().filter(|event| event.draws).map(|event| PixelDraw {
            submission: event.submission,
            call: event.call,
            slot: match event.touch {
                PixelTouch::Target(slot) => Some(slot),
                _ => None,
            },
            plane: (event.touch == PixelTouch::Depth).then_some(0),
            lone: None,
        });
        let draws: Vec<PixelDraw> = draws.collect();
        let asked = PixelDraws { at: (5, 6), sample: 0, draws, coverage_only: false, in_full: false, view: None };
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
        (&["--frame", "1", "--at", "5000,2"][..], 2, "lies outside"),
        (&["--frame", "1", "--at", "5,2", "--target", "1"], 2, "resource 1 is no texture, but an ID3D12Device"),
        (
            &["--frame", "1", "--at", "5,2", "--resource", "4000"],
            2,
            "resource 4000 is not there; frame 1 writes the textures",
        ),
        (&["--frame", "1", "--at", "5,2", "--mip", "7"], 2, "has no mip 7: 0 is the only mip"),
        (&["--frame", "1", "--at", "5,2", "--slice", "1"], 2, "has no slice 1: 0 is the only slice"),
        (&["--frame", "1", "--at", "5,2", "--plane", "1"], 2, "has no plane 1: 0 is the only plane"),
        (&["--frame", "1", "--at", "5,2", "--sample", "4"], 2, "has no sample 4: 0 is the only sample"),
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

/// Rectangles of the program `samples`, in the order of its draws: left, top, width, height, depth and sample mask.
const SAMPLED: [([u64; 4], f64, u32); 6] = [
    ([2, 2, 20, 20], 0.5, 0b1111),
    ([8, 0, 10, 30], 0.25, 0b0011),
    ([0, 8, 30, 10], 0.375, 0b1110),
    ([4, 4, 24, 24], 0.125, 0b0100),
    ([0, 0, 16, 16], 0.25, 0xffff_fff8),
    ([20, 20, 12, 12], 0.75, 0b0000),
];

/// A pixel has one fragment of a rectangle in each of its samples, although lavapipe's scissor lets samples of pixels beside it through.
#[test]
fn each_sample_has_its_own_history() {
    let bench = Bench::new();
    programs::capture(&bench, "samples", &programs::ours());
    let mut outcomes = std::collections::BTreeMap::new();
    for (x, y) in [(5, 5), (2, 2), (21, 21), (9, 9), (0, 0)] {
        for sample in 0..4u32 {
            let told = history_in(&bench, "2", &format!("{x},{y}"), &["--sample", &sample.to_string()]);
            assert_eq!((&told["samples"], &told["sample"]), (&json!(4), &json!(sample)), "{told}");
            assert_eq!(told["followed"][0]["samples"], 4, "{told}");
            let events = told["events"].as_array().unwrap();
            let draws: Vec<&Json> = events.iter().filter(|event| event["method"] == "DrawInstanced").collect();
            assert_eq!(draws.len(), SAMPLED.len(), "{told}");
            let mut nearest = 1.0;
            for (draw, ([left, top, width, height], depth, mask)) in draws.into_iter().zip(SAMPLED) {
                let covers = (left..left + width).contains(&x) && (top..top + height).contains(&y);
                let wanted = match () {
                    () if !covers => "not_covered",
                    () if mask & 1 << sample == 0 => "sample_mask",
                    () if depth >= nearest => "depth",
                    () => "written",
                };
                if wanted == "written" {
                    nearest = depth;
                }
                let tests = &draw["tests"];
                assert_eq!(tests["outcome"], wanted, "sample {sample} of {x},{y}: {draw}");
                assert_eq!(tests["fragments"], u64::from(covers), "sample {sample} of {x},{y}: {draw}");
                assert_eq!(draw["contradictions"], json!([]), "{draw}");
                *outcomes.entry(wanted).or_insert(0) += 1;
            }
        }
    }
    assert_eq!(outcomes.len(), 4, "{outcomes:?}");
    let text = bench.output(&["pixel", "trace.reprise", "--frame", "2", "--at", "5,5"]);
    assert!(text.contains("which has 4 samples: what follows is the history of sample 0 alone"), "{text}");
}

/// The program says the colours before and after its draws.
#[test]
fn fragments_in_render_passes_are_shown() {
    let bench = Bench::new();
    programs::capture(&bench, "passes", &programs::ours());
    let (green, red) = ([0, 1, 0, 1], [1, 0, 0, 1]);
    for (at, outcome, fragments, after) in [("3,4", "written", 1, red), ("20,20", "not_covered", 0, green)] {
        let target = target(&bench);
        let told = history(&bench, at, &["--resource", &target]);
        let events = told["events"].as_array().unwrap();
        let draw = events.iter().find(|event| event["method"] == "DrawInstanced").unwrap();
        assert!(draw["pass"].is_u64(), "{draw}");
        assert_eq!(draw["before"]["values"], json!(green), "{draw}");
        assert_eq!(draw["after"]["values"], json!(after), "{draw}");
        let tests = &draw["tests"];
        assert_eq!((&tests["outcome"], &tests["fragments"]), (&json!(outcome), &json!(fragments)), "{draw}");
        assert_eq!(tests["shown"].as_array().unwrap().len(), fragments, "{draw}");
        assert_eq!(draw["contradictions"], json!([]), "{draw}");
    }
}

/// The test is a feature of the device, which lavapipe lacks.
#[test]
fn depth_bounds_are_told() {
    let bench = Bench::new();
    let (programs, library) = (artifact::programs().unwrap(), programs::ours());
    let mut bare = std::process::Command::new(programs);
    let finished = reprise_testing::run(bare.args(["depth-bounds", "--library"]).arg(library), crate::bench::PATIENCE);
    let finished = finished.unwrap();
    if !finished.status.success() {
        let said = finished.text() + &finished.errors();
        assert!(said.contains("the device tests no depth against bounds"), "{said}");
        return missing::device_lacks("a test of depth against bounds");
    }
    programs::capture(&bench, "depth-bounds", &programs::ours());
    // Nine columns of depths in eighths, seven pixels wide; the second row's draw has bounds from two to five of them.
    for column in 0..9u64 {
        let told = history(&bench, &format!("{},10", column * 7 + 3), &["--resource", &target(&bench)]);
        let events = told["events"].as_array().unwrap();
        let draws = events.iter().filter(|event| event["method"] == "DrawInstanced");
        let outcomes: Vec<&Json> = draws.map(|draw| &draw["tests"]["outcome"]).collect();
        let wanted = if (2..=5).contains(&column) { "written" } else { "depth_bounds" };
        assert_eq!(outcomes[1], wanted, "{told}");
        assert!(outcomes.iter().enumerate().all(|(at, outcome)| at == 1 || **outcome == "not_covered"), "{told}");
    }
}

/// The pixel shader gives the stencil reference, by which replay tells fragments apart: what else it gives is not told wrongly.
#[test]
fn outputs_beside_a_stencil_reference_are_not_told() {
    let bench = Bench::new();
    programs::capture(&bench, "shader-stencils", &programs::ours());
    let mut shown = 0;
    for x in 0..8 {
        let told = history(&bench, &format!("{x},5"), &[]);
        for draw in told["events"].as_array().unwrap().iter().filter(|event| event["tests"].is_object()) {
            let fragments = draw["tests"]["shown"].as_array().unwrap();
            shown += fragments.len();
            assert!(fragments.iter().all(|it| it["output"].is_null()), "{draw}");
            let notes = draw["tests"]["notes"].to_string();
            assert!(fragments.is_empty() || notes.contains("gives the stencil reference"), "{draw}");
        }
    }
    assert!(shown > 0);
}

/// A device may count what a shader discards that asks for early tests: such counts are no answer, and what is left there no output.
#[test]
fn discards_behind_early_tests_are_not_told() {
    let bench = Bench::new();
    programs::capture(&bench, "outputs", &programs::ours());
    let draws = |at: &str| -> Vec<Json> {
        let told = history(&bench, at, &[]);
        let events = told["events"].as_array().unwrap().iter();
        events
            .filter(|event| event["tests"]["outcome"].as_str().is_some_and(|it| it != "not_covered"))
            .cloned()
            .collect()
    };
    // Both shaders discard where x + y is a multiple of three; the first one is tested late, the second one early.
    let late = draws("3,3");
    assert_eq!(late[0]["tests"]["outcome"], "discard", "{late:?}");
    let early = draws("20,10");
    assert_eq!(early[0]["tests"]["outcome"], "same_value", "{early:?}");
    assert!(early[0]["tests"]["notes"].to_string().contains("devices may count what it discards"), "{early:?}");
    assert!(early[0]["tests"]["shown"][0]["output"].is_null(), "{early:?}");
    assert_eq!(draws("21,10")[0]["tests"]["outcome"], "written");
}

/// Where the depth buffer ends before the pixel, the row says so, and the command succeeds.
#[test]
fn a_depth_buffer_may_be_smaller_than_the_target() {
    let bench = Bench::new();
    programs::capture(&bench, "target-sizes", &programs::ours());
    let told = history(&bench, "50,10", &["--resource", &target(&bench)]);
    let events = told["events"].as_array().unwrap();
    let draw = events.iter().find(|event| event["method"] == "DrawInstanced").unwrap();
    assert!(draw["depth"]["ends_before"].as_str().unwrap().contains("is 48 by 200 there"), "{draw}");
    assert_eq!((&draw["depth"]["before"], &draw["failed"]), (&Json::Null, &json!([])), "{draw}");
    assert!(draw["before"].is_object(), "{draw}");
    let inside = history(&bench, "5,10", &["--resource", &target(&bench)]);
    assert!(!inside.to_string().contains("ends_before"), "{inside}");
}

/// The first dispatch of `rays-texture` has a thread for each texel. The second has four, which write beside their index.
#[test]
fn a_pixel_that_rays_write_leads_to_the_thread() {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args(["rays-texture", "--shaders", "dxil", "--library"]).arg(programs::ours());
    let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
    assert!(finished.status.success(), "{}", finished.errors());
    // The first submission is of the buffers that the structures' sizes come through.
    let told = history_in(&bench, "2", "5,1", &[]);
    let events = told["events"].as_array().unwrap();
    let rays: Vec<&Json> = events.iter().filter(|event| event["method"] == "DispatchRays").collect();
    assert!(events.iter().filter(|event| event["method"] != "DispatchRays").all(|event| event["rays"].is_null()));
    let sizes: Vec<&Json> = rays.iter().map(|event| &event["rays"]["threads"]).collect();
    assert_eq!(sizes, [&json!([8, 4, 1]), &json!([2, 2, 1])]);
    assert_eq!((&rays[0]["rays"]["thread"], &rays[1]["rays"]["thread"]), (&json!([5, 1, 0]), &json!(null)));
    let second = rays[1]["rays"]["command"].as_str().unwrap();
    assert!(second.contains("--thread X,Y,Z"), "{second}");
    // What a thread writes, by the words of the command: the texel, and what the dispatch left there.
    let written = |command: &str| -> Vec<(Json, Json)> {
        let words: Vec<&str> = command.split(' ').skip(1).chain(["--json", "--no-check"]).collect();
        let told: Json = serde_json::from_str(&bench.output(&words)).unwrap();
        let writes = told["steps"].as_array().unwrap().iter().map(|step| &step["write"]);
        writes.filter(|write| write["texel"].is_array()).map(|it| (it["texel"].clone(), it["value"].clone())).collect()
    };
    let value = |event: &Json| {
        let value = &event["after"]["values"][0];
        json!(format!("({value}, {value}, {value}, {value})"))
    };
    let first = rays[0]["rays"]["command"].as_str().unwrap();
    assert_eq!(written(first), [(json!([5, 1]), value(rays[0]))]);
    assert_eq!(written(&second.replace("X,Y,Z", "0,0,0")), [(json!([5, 1]), value(rays[1]))]);
    // Another thread writes another texel.
    assert_ne!(written(&first.replace("5,1,0", "4,1,0"))[0], (json!([5, 1]), value(rays[0])));
    let text = bench.output(&["pixel", "trace.reprise", "--frame", "2", "--at", "5,1"]);
    assert!(text.contains(&format!("thread 5,1,0; {first}\n")) && text.contains(second), "{text}");
}

/// What wrote the texel at a command's thread, by the words of the command: the value, where it is one.
fn stored(bench: &Bench, command: &str, texel: &Json) -> Vec<Json> {
    let words: Vec<&str> = command.split(' ').skip(1).chain(["--json", "--no-check", "--one-group"]).collect();
    let told: Json = serde_json::from_str(&bench.output(&words)).unwrap();
    let writes = told["steps"].as_array().unwrap().iter().map(|step| &step["write"]);
    writes.filter(|write| write["texel"] == *texel).map(|write| write["value"].clone()).collect()
}

/// The dispatches of `uavs` write textures of every dimension at the index of their threads, which walk through the slices. The history names
/// the thread, and what that thread stores is what the GPU left there. Where what it reads is another, it stores something else, and that is said.
#[test]
fn a_pixel_that_a_dispatch_writes_leads_to_the_thread() {
    let bench = Bench::new();
    programs::capture(&bench, "uavs", &programs::ours());
    let textures = bench.output(&["dump", "trace.reprise", "--json", "--methods", "CreateUnorderedAccessView"]);
    let line = |line: &str| serde_json::from_str::<Json>(line).unwrap();
    let textures: Vec<Json> = textures.lines().map(|text| line(text)["args"]["pResource"]["id"].clone()).collect();
    for (dimension, slice) in [(2, 0), (3, 2), (4, 3)] {
        let (texture, slice) = (textures[dimension].to_string(), slice.to_string());
        let history = |more: &[&str]| {
            let asked = [&["--resource", &texture, "--slice", &slice], more].concat();
            let told = history_in(&bench, "1", "11,5", &asked);
            let events = told["events"].as_array().unwrap().iter();
            events.filter(|event| event["method"] == "Dispatch").cloned().collect::<Vec<_>>()
        };
        let found = history(&[]);
        assert_eq!(found.len(), 2, "{found:?}");
        let thread: Json = format!("[11, 5, {slice}]").parse().unwrap();
        let texel = if dimension == 2 { json!([11, 5]) } else { thread.clone() };
        for event in &found {
            let of = &event["dispatch"];
            assert_eq!((&of["thread"], &of["threads"]), (&thread, &json!([thread])), "{event}");
            assert_eq!(
                (&of["same"], &of["groups"], &of["groups_run"]),
                (&json!(true), &json!(4), &json!(1)),
                "{event}"
            );
            let value = &event["after"]["values"][0];
            let command = of["command"].as_str().unwrap();
            let found = stored(&bench, command, &texel);
            assert!(
                found.iter().any(|it| it.to_string().contains(&value.to_string())),
                "{command}: {found:?}, {value}"
            );
            // Another thread writes another texel.
            let other = command.replace("--thread 11,", "--thread 10,");
            assert_eq!(stored(&bench, &other, &texel), Vec::<Json>::new(), "{other}");
        }
        // The first dispatch reads nothing, and the second one what is there.
        let other = history(&["--disturbed"]);
        assert_eq!((&other[0]["dispatch"]["same"], &other[1]["dispatch"]["same"]), (&json!(true), &json!(false)));
        assert_eq!(other[1]["dispatch"]["groups_run"], 4, "another group may have been the last");
        assert!(history(&["--values-only"]).iter().all(|event| event["dispatch"].is_null()));
    }
    let asked = ["pixel", "trace.reprise", "--frame", "1", "--at", "11,5", "--resource", &textures[2].to_string()];
    let text = bench.output(&asked);
    assert!(text.contains("thread 11,5,0 writes it, as the GPU left it; reprise debug trace.reprise "), "{text}");
    let text = bench.output(&[&asked[..], &["--disturbed"]].concat());
    assert!(text.contains("but not what the GPU left: all 4 groups were run; reprise debug"), "{text}");
}

/// Of a bundle's dispatches and of an indirect call's commands the first one of `partial-stores` writes the first group's texels, and the second one all. A
/// dispatch has no writers of another one of its bundle, and a command that writes is named by its number.
#[test]
fn a_pixel_that_one_of_several_dispatches_writes_leads_to_that_one() {
    let bench = Bench::new();
    programs::capture(&bench, "partial-stores", &programs::ours());
    let textures = lines(&bench.output(&["dump", "trace.reprise", "--json", "--methods", "CreateUnorderedAccessView"]));
    let textures: Vec<String> = textures.iter().map(|view| view["args"]["pResource"]["id"].to_string()).collect();
    // The planes of the bundle, and of the indirect call behind it.
    let dispatches = |texture: &str, at: &str| -> Vec<Json> {
        let told = history(&bench, at, &["--resource", texture]);
        let events = told["events"].as_array().unwrap().iter();
        events.filter(|event| event["dispatch"].is_object()).map(|event| event["dispatch"].clone()).collect()
    };
    let wrote = |of: &Json| (of["thread"].clone(), of["groups"].clone(), of["number"].clone());
    for (at, thread) in [("11,5", Json::Null), ("3,2", json!([3, 2, 0]))] {
        let bundled = dispatches(&textures[2], at);
        assert_eq!(bundled.len(), 2, "{bundled:?}");
        assert_eq!(wrote(&bundled[0]), (thread, 1.into(), Json::Null), "{}", bundled[0]);
        let [x, y] = [0, 1].map(|axis| at.split(',').nth(axis).unwrap().parse::<u32>().unwrap());
        assert_eq!(wrote(&bundled[1]), (json!([x, y, 0]), 4.into(), Json::Null), "{}", bundled[1]);
    }
    // Another thread of the command writes another texel, and so does the same thread of the command before it, which has none there.
    let indirect = dispatches(&textures[7], "11,5");
    assert_eq!(indirect.len(), 1, "{indirect:?}");
    assert_eq!(wrote(&indirect[0]), (json!([11, 5, 0]), 5.into(), 1.into()), "{}", indirect[0]);
    let command = indirect[0]["command"].as_str().unwrap();
    assert!(command.ends_with(" --command 1"), "{command}");
    assert!(!stored(&bench, command, &json!([11, 5])).is_empty(), "{command}");
    assert!(stored(&bench, &command.replace("--thread 11,", "--thread 10,"), &json!([11, 5])).is_empty());
    // The first command writes its own texels before the second one is looked through.
    let first = &dispatches(&textures[7], "3,2")[0];
    assert_eq!((&first["thread"], &first["number"]), (&json!([3, 2, 0]), &0.into()), "{first}");
    assert!(!first["command"].as_str().unwrap().contains("--command"), "{first}");
}
