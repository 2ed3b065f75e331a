//! Draws whose pipeline is a generic program of a state object. Vertices, overlays and histories are compared with the constants that the program
//! `generic-programs` draws by, and `debug` with the GPU's result. Replay's own draws leave everything set as it was. Of DXIL only.

use crate::bench::Bench;
use crate::debugs::{calls, capture, lines};
use crate::programs;
use reprise_replay::{
    MeshOf, MeshWish, Options, OverlayCull, OverlayLayer, OverlayWish, PixelDraw, PixelDraws, PixelTouch, PixelWish,
    Report, histories_of_pixels,
};
use reprise_testing::missing;
use reprise_trace::read::Trace;
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::rc::Rc;

/// What the draws of the list reach, in their order, behind that of the bundle: two with one program, one by the same program of the state object
/// that grew, one that is added, one that is culled whole, one that is masked, and one of a pipeline state.
const REACHED: [u64; 7] = [24 * 20, 24 * 28, 24 * 48, 32 * 8, 0, 32 * 8, 64];
/// Which of these is added, which is culled, and what the latter would reach.
const ADDED: usize = 3;
const CULLED: usize = 4;
const WHOLE: u64 = 64 * 64;

/// The captured program, and the draws of its list.
fn captured() -> Option<(Bench, Vec<String>)> {
    let bench = Bench::new();
    let draws = capture(&bench, "generic-programs", "dxil").then(|| calls(&bench, "DrawInstanced").split_off(1))?;
    assert_eq!(draws.len(), REACHED.len());
    Some((bench, draws))
}

/// The target of a draw.
fn target(bench: &Bench, draw: &str) -> u32 {
    let said = &lines(&bench.output(&["show", "trace.reprise", "--json", "--call", draw, "--target", "0"]))[0];
    u32::try_from(said["resource"].as_u64().unwrap()).unwrap()
}

#[test]
fn overlays_reach_what_the_program_draws() {
    let Some((bench, draws)) = captured() else { return };
    for (draw, reached) in draws.iter().zip(REACHED) {
        let said = ["show", "trace.reprise", "--json", "--call", draw, "--overlay", "draw,without=cull"];
        let said = lines(&bench.output(&said));
        let more = if *draw == draws[CULLED] { WHOLE } else { 0 };
        assert_eq!(said[0]["counts"], json!({ "drawn": reached }), "{said:?}");
        assert_eq!(said[1]["counts"], json!({ "drawn": reached, "more": more }), "{said:?}");
        // No program has a depth buffer, though the default is that depth is written.
        assert!(!said[1].to_string().contains("writes depth"), "{}", said[1]);
    }
}

/// A pixel that a plain draw, one that is added and one that is culled cover.
#[test]
fn histories_tell_tests_and_values_of_programs() {
    let Some((bench, draws)) = captured() else { return };
    let resource = target(&bench, &draws[0]).to_string();
    let history = ["pixel", "trace.reprise", "--frame", "1", "--at", "20,20", "--resource", &resource, "--json"];
    let history: Json = serde_json::from_str(&bench.output(&history)).unwrap();
    let events = history["events"].as_array().unwrap();
    let of = |draw: &String| events.iter().find(|event| event["call"] == draw.parse::<u64>().unwrap()).unwrap();
    let outcomes: Vec<&str> = draws.iter().map(|draw| of(draw)["tests"]["outcome"].as_str().unwrap()).collect();
    let [there, not] = ["written", "not_covered"];
    assert_eq!(outcomes, [there, not, not, there, "cull", not, not], "{history}");
    assert_eq!(of(&draws[0])["after"]["bytes"], "c80a00ff");
    // Blue is added to red; the shader itself gives blue.
    let added = of(&draws[ADDED]);
    assert_eq!(
        (&added["after"]["bytes"], &added["tests"]["shown"][0]["output"]["bytes"]),
        (&json!("dc2896ff"), &json!("141e9600"))
    );
    assert_eq!(history["unexplained"], json!([]), "{history}");
}

#[test]
fn vertices_of_programs_are_those_of_their_rectangles() {
    let Some((bench, draws)) = captured() else { return };
    let places = [[8, 8, 32, 28], [8, 28, 32, 56], [32, 8, 56, 56], [16, 16, 48, 24], [0, 0, 64, 64], [16, 28, 48, 36]];
    for (draw, [left, top, right, bottom]) in
        draws.iter().zip(places.map(|edges| edges.map(|edge| f64::from(edge) / 32.0)))
    {
        let said = &lines(&bench.output(&["mesh", "--json", "trace.reprise", "--call", draw]))[0];
        assert_eq!(said["least"], json!([left - 1.0, 1.0 - bottom, 0.0]), "{said}");
        assert_eq!(said["greatest"], json!([right - 1.0, 1.0 - top, 0.0]), "{said}");
    }
}

#[test]
fn the_state_has_the_shaders_of_the_program_that_is_set() {
    let Some((bench, draws)) = captured() else { return };
    let shaders = |draw: &str| {
        let state: Json = serde_json::from_str(&bench.output(&["state", "trace.reprise", draw, "--json"])).unwrap();
        state["bound"]["pipeline"].clone()
    };
    // The last draw has a pipeline state of the same shaders.
    let usual = shaders(&draws[6]);
    let stages: Vec<&Json> = usual["shaders"].as_array().unwrap().iter().map(|shader| &shader["stage"]).collect();
    assert_eq!((&usual["kind"], stages), (&json!("pipeline"), vec![&json!("VS"), &json!("PS")]));
    for draw in &draws[..6] {
        let set = shaders(draw);
        let sorted = |of: &Json| {
            let mut all: Vec<String> = of["shaders"].as_array().unwrap().iter().map(Json::to_string).collect();
            all.sort_unstable();
            all
        };
        assert_eq!((&set["kind"], sorted(&set)), (&json!("program"), sorted(&usual)));
    }
}

/// A program of a mesh shader, to a target with layers.
#[test]
fn pixels_of_meshes_are_what_the_gpu_gives() {
    let Some((bench, _)) = captured() else { return };
    let all = calls(&bench, "DispatchMesh");
    let Some(call) = all.first() else {
        return missing::device_lacks("mesh shaders");
    };
    let debug = |asked: &[&str]| {
        let finished = bench.run(&[&["debug", "trace.reprise", call, "--json"], asked].concat());
        let told: Json = serde_json::from_str(&finished.text()).unwrap_or(Json::Null);
        (finished.status.code().unwrap(), told, finished.errors())
    };
    // The rectangles 0 and 1.
    for (at, given) in
        [("--pixel=1,0", [0, 0, 1000, 50 | 7 << 16]), ("--pixel=9,1", [8, 1, 1001 | 1 << 16, 51 | 7 << 16])]
    {
        let (code, told, errors) = debug(&[at]);
        assert!(code == 0 && told["check"]["equal"] == true, "{at}: {code}, {}, {errors}", told["check"]);
        for of in ["expected", "found"] {
            let outputs = told["check"]["outputs"].as_array().unwrap().iter();
            let numbers: Vec<f64> = outputs.filter_map(|output| output[of].as_str()?.parse().ok()).take(4).collect();
            assert_eq!(numbers, given.map(f64::from), "{at}: {}", told["check"]);
        }
        // The control: another bit in what the mesh shader reads shows.
        let (code, told, errors) = debug(&[at, "--disturbed"]);
        assert!(code == 1 && told["check"]["equal"] != true, "{at}: {code}, {}, {errors}", told["check"]);
    }
    let said = &lines(&bench.run(&["mesh", "--json", "trace.reprise", "--call", call]).text())[0];
    // Six groups of two triangles that are not culled.
    assert_eq!((&said["stage"], &said["vertices"]), (&json!("mesh"), &json!(6 * 2 * 3)), "{said}");
}

/// The draws with their vertices, in a layer each, and with all their tests: the program reads what it reads without that, though its second draw
/// does not set the program that the first one had.
#[test]
fn the_program_finds_its_programs_set_as_they_were() {
    let Some((bench, draws)) = captured() else { return };
    let (path, resource) = (bench.path("trace.reprise"), Some(target(&bench, &draws[0])));
    let draws: Vec<u64> = draws.iter().map(|draw| draw.parse().unwrap()).collect();
    let replayed = |what: Options<'static>| -> (Vec<_>, Report) {
        let reads = Rc::new(RefCell::new(Vec::new()));
        let noted = reads.clone();
        let runtime = Some(programs::ours().display().to_string());
        let on_read: reprise_replay::OnRead<'_> = Box::new(move |read| noted.borrow_mut().push(*read));
        let mut options = Options { runtime, on_read: Some(on_read), ..what };
        let report = reprise_replay::replay(&path, &mut options).unwrap();
        drop(options);
        (reads.take(), report)
    };
    let (without, _) = replayed(Options::default());
    assert!(!without.is_empty());
    let mesh = |call: &u64| MeshWish { call: *call, submission: None, of: MeshOf::Rasteriser, view: None, lone: None };
    let (with, report) = replayed(Options { meshes: draws.iter().map(mesh).collect(), ..Options::default() });
    assert!(report.meshes.iter().all(Result::is_ok) && report.meshes.len() == draws.len(), "{:?}", report.meshes);
    assert!(without.starts_with(&with), "{with:?} instead of {without:?}");
    let layer = OverlayLayer { cull: OverlayCull::Nothing, ..OverlayLayer::WHOLE };
    let overlay = |call: &u64| OverlayWish {
        call: *call,
        submission: None,
        slot: Some(0),
        layers: vec![OverlayLayer::WHOLE, layer],
        colours: None,
    };
    let (with, report) = replayed(Options { overlays: draws.iter().map(overlay).collect(), ..Options::default() });
    assert!(report.overlays.iter().all(Result::is_ok) && report.overlays.len() == draws.len());
    assert_eq!(with, without);
    let wish = PixelWish { frame: 1, at: (20, 20), resource, mip: None, slice: None, plane: None, sample: 0 };
    let history = histories_of_pixels(&Trace::open(&path).unwrap(), &[wish]).unwrap().remove(0);
    let events = history.events.iter().filter(|event| draws.contains(&event.call));
    let asked: Vec<PixelDraw> = events
        .map(|event| PixelDraw {
            submission: event.submission,
            call: event.call,
            slot: match event.touch {
                PixelTouch::Target(slot) => Some(slot),
                _ => None,
            },
            plane: None,
            lone: None,
        })
        .collect();
    assert_eq!(asked.len(), draws.len());
    let asked = PixelDraws { at: (20, 20), sample: 0, draws: asked, coverage_only: false, in_full: false, view: None };
    let (with, report) = replayed(Options { pixel: Some(asked), ..Options::default() });
    let tests = report.pixel.unwrap();
    assert!(tests.len() == draws.len() && tests.values().all(Result::is_ok), "{tests:?}");
    assert_eq!(with, without);
}
