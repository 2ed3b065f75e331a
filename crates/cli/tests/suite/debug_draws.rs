//! `reprise debug` of vertices and pixels: what the interpreter makes of the draws of the test programs is what the GPU makes of them; and
//! what is unsupported is so for the reason that stands here.

use crate::bench::{Bench, PATIENCE};
use crate::debugs::{calls, capture};
use reprise_testing::{Display, artifact, missing, program, require};
use serde_json::{Value as Json, json};

/// Draws of a program that are looked at: some at its beginning, and the last one.
const MOST: usize = 3;

/// Programs whose vertices are what the GPU gives.
const VERTICES: [(&str, &str); 13] = [
    ("generic-programs", "dxil"),
    ("vertices", "dxbc"),
    ("vertices", "dxil"),
    ("vertex-formats", "dxil"),
    ("odd-attributes", "dxbc"),
    ("topologies", "dxbc"),
    ("neighbours", "dxbc"),
    ("cut-lists", "dxil"),
    ("geometry", "dxbc"),
    ("tessellation", "dxbc"),
    ("stream-parts", "dxbc"),
    ("viewports", "dxil"),
    ("min-precision", "dxbc"),
];

/// Programs whose pixels are what the GPU gives.
const PIXELS: [(&str, &str); 12] = [
    ("generic-programs", "dxil"),
    ("vertices", "dxbc"),
    ("vertices", "dxil"),
    ("blending", "dxbc"),
    ("targets", "dxbc"),
    ("outputs", "dxbc"),
    ("narrow-lines", "dxbc"),
    ("geometry", "dxbc"),
    ("tessellation", "dxil"),
    ("logic", "dxil"),
    ("min-precision", "dxbc"),
    ("pixels", "dxbc"),
];

/// Programs with a draw that cannot be looked at, and why: its method, the place of the call, what is asked.
const REFUSED: [(&str, &str, &str, &str, &str); 5] = [
    ("viewports", "dxbc", "DrawInstanced", "--pixel=14,17", "the draw chooses among slices of its targets"),
    ("mesh", "dxil", "DispatchMesh", "--vertex=0", "mesh shaders read no vertices"),
    ("queries", "dxbc", "DrawInstanced", "--pixel=21,8", "a query is open"),
    ("stream-output", "dxbc", "DrawInstanced", "--pixel=6,26", "its pipeline has no pixel shader"),
    ("compute", "dxbc", "Dispatch", "--vertex=0", "the call draws nothing"),
];

/// Runs `reprise debug --json`.
fn debug(bench: &Bench, call: &str, more: &[&str]) -> (i32, Json, String) {
    let finished = bench.run(&[&["debug", "trace.reprise", call, "--json"], more].concat());
    let told = serde_json::from_str(&finished.text()).unwrap_or(Json::Null);
    (finished.status.code().unwrap(), told, finished.errors())
}

/// The draws of a program: with and without indices.
fn draws(bench: &Bench) -> Vec<String> {
    let mut all = calls(bench, "Draw*Instanced");
    all.drain(MOST.min(all.len())..all.len().saturating_sub(1).max(MOST.min(all.len())));
    all
}

/// What is wrong with a run that has to be equal to the GPU's. Everything has to be compared, and something has to be equal. What is open has a
/// name, and is near.
fn complaint((code, told, errors): &(i32, Json, String)) -> Option<String> {
    let check = &told["check"];
    let outputs = check["outputs"].as_array().map_or(&[][..], Vec::as_slice);
    let steps = told["steps"].as_array().map_or(0, Vec::len);
    let is_near = |output: &Json| {
        let number = |name: &str| output[name].as_str().and_then(|text| text.parse::<f64>().ok());
        let apart =
            number("expected").zip(number("found")).map(|(one, other)| (one - other).abs() / one.abs().max(1.0));
        output["open"]["operation"].is_string() && apart.is_some_and(|apart| apart < 1e-3)
    };
    let are_right = outputs.iter().all(|output| output["verdict"] == "equal" || is_near(output));
    let some = outputs.iter().any(|output| output["verdict"] == "equal");
    let whole = check["equal"] == true && check["unseen"].as_array().is_some_and(Vec::is_empty);
    let is_right = *code == 0 && whole && are_right && some && steps > 0;
    (!is_right).then(|| format!("exit code {code}, {} outputs, {steps} steps, {check}, {errors}", outputs.len()))
}

/// Draws of bundles, of indirect calls, and to several samples: program, form, method, which of its calls, and the options.
const FORMS: [(&str, &str, &str, usize, &[&str]); 12] = [
    ("bundles", "dxil", "DrawInstanced", 0, &["--vertex=1"]),
    ("bundles", "dxbc", "DrawInstanced", usize::MAX, &["--pixel=113,115"]),
    // Of a bundle that sets a program.
    ("generic-programs", "dxil", "DrawInstanced", 0, &["--vertex=1"]),
    ("generic-programs", "dxil", "DrawInstanced", 0, &["--pixel=40,44"]),
    ("indirect-bundles", "dxbc", "ExecuteIndirect", 0, &["--vertex=2"]),
    ("indirect-draws", "dxil", "ExecuteIndirect", 0, &["--pixel=20,3", "--command=1"]),
    ("indirect-state", "dxbc", "ExecuteIndirect", 0, &["--vertex=2", "--command=1"]),
    ("indirect-state", "dxil", "ExecuteIndirect", 0, &["--pixel=9,2", "--command=1"]),
    ("samples", "dxbc", "DrawInstanced", 0, &["--pixel=8,8", "--sample=2"]),
    ("samples", "dxil", "DrawInstanced", 1, &["--pixel=11,10"]),
    // A shader that chooses among the covered samples, and one that runs for each.
    ("coverage", "dxbc", "DrawInstanced", 2, &["--pixel=10,2", "--sample=0"]),
    ("coverage", "dxil", "DrawInstanced", usize::MAX, &["--pixel=10,10"]),
];

/// A colour of a constant, to a target of eight bits: a turned bit must not be lost as the GPU rounds.
#[test]
fn what_is_disturbed_shows_in_targets_of_eight_bits() {
    let bench = Bench::new();
    for (shaders, which, at) in [("dxbc", 0, "--pixel=3,4"), ("dxil", 1, "--pixel=9,10")] {
        if !capture(&bench, "passes", shaders) {
            continue;
        }
        let call = &calls(&bench, "DrawInstanced")[which];
        let (code, told, errors) = debug(&bench, call, &[at]);
        assert!(code == 0 && told["check"]["equal"] == true, "{code}: {errors} {}", told["check"]);
        let (code, told, errors) = debug(&bench, call, &[at, "--disturbed"]);
        assert!(code == 1 && told["check"]["equal"] == false, "{code}: {errors} {}", told["check"]);
    }
}

/// A draw that a predicate leaves out gives nothing to compare with.
#[test]
fn a_draw_that_is_left_out_is_compared_with_nothing() {
    let bench = Bench::new();
    if !capture(&bench, "predication", "dxbc") {
        return;
    }
    let draws = calls(&bench, "DrawInstanced");
    // The first draw is left out where the number is zero and zero leaves out; the draw behind it has no predicate.
    let (code, told, errors) = debug(&bench, &draws[0], &["--vertex=0"]);
    let check = &told["check"];
    assert_eq!((code, &check["equal"], &check["left_out"]), (1, &json!(null), &json!(true)), "{errors} {check}");
    let (code, _, errors) = debug(&bench, &draws[0], &["--pixel=3,3"]);
    assert!(code == 1 && errors.contains("the predicate that is set left the draw out"), "{code}: {errors}");
    let (code, told, _) = debug(&bench, &draws[1], &["--vertex=0"]);
    assert_eq!((code, &told["check"]["equal"]), (0, &json!(true)));
    let (code, _, errors) = debug(&bench, &draws[1], &["--pixel=60,60"]);
    assert!(code == 2 && !errors.contains("predicate"), "{code}: {errors}");
}

/// Without a sample all are looked at.
#[test]
fn a_pixel_without_fragments_has_none_in_any_sample() {
    let bench = Bench::new();
    if !capture(&bench, "passes", "dxbc") {
        return;
    }
    let call = &calls(&bench, "DrawInstanced")[2];
    for (asked, says) in [
        (&["--pixel=30,30"][..], "no fragment at this pixel in any of its 4 samples"),
        (&["--pixel=30,30", "--sample=1"], "no fragment at this pixel in sample 1"),
    ] {
        let (code, _, errors) = debug(&bench, call, asked);
        assert!(code == 2 && errors.contains(says), "{asked:?}: {code}: {errors}");
    }
}

/// Of a call of a bundle the submission that is asked for has to run a list that runs it.
#[test]
fn another_submission_is_named_for_bundles_too() {
    let bench = Bench::new();
    if !capture(&bench, "kept-bundles", "dxbc") {
        return;
    }
    let call = &calls(&bench, "Dispatch")[0];
    let mut codes = Vec::new();
    for submission in calls(&bench, "ExecuteCommandLists") {
        let (code, _, errors) = debug(&bench, call, &["--thread=0,0,0", "--submission", &submission]);
        let says = "the submission that is asked for runs no list that runs its bundle after it";
        assert_eq!(code == 2, errors.contains(says), "{submission}: {code}: {errors}");
        codes.push(code);
    }
    codes.sort_unstable();
    codes.dedup();
    assert!(codes.len() > 1 && codes.contains(&2), "{codes:?}");
}

/// The triangle of the program `sample-inputs`, and where samples lie, in sixteenths of a pixel.
const CORNERS: [[i32; 2]; 3] = [[20, 12], [232, 50], [70, 244]];
const PLACES: [[i32; 2]; 4] = [[6, 2], [14, 6], [2, 10], [10, 14]];

/// The samples of a pixel that the triangle covers, a bit each.
fn covered(x: i32, y: i32) -> u32 {
    let covers = |[right, down]: [i32; 2]| {
        (0..3).all(|number| {
            let ([ax, ay], [bx, by]) = (CORNERS[number], CORNERS[(number + 1) % 3]);
            (bx - ax) * (16 * y + down - ay) - (by - ay) * (16 * x + right - ax) > 0
        })
    };
    (0..4).filter(|sample| covers(PLACES[*sample])).fold(0, |all, sample| all | 1 << sample)
}

/// The program `sample-inputs` states where centroids and samples lie, and which samples are covered. The GPU and the interpreter both give its shaders that.
#[test]
fn inputs_of_samples_are_where_the_program_says() {
    for shaders in ["dxbc", "dxil"] {
        let bench = Bench::new();
        assert!(capture(&bench, "sample-inputs", shaders));
        let [whole, each] = <[String; 2]>::try_from(calls(&bench, "DrawInstanced")[..2].to_vec()).unwrap();
        let numbers = |told: &Json| -> Vec<[f64; 2]> {
            let outputs = told["check"]["outputs"].as_array().map_or(&[][..], Vec::as_slice);
            let number = |text: &Json| text.as_str().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN);
            outputs.iter().take(4).map(|output| [number(&output["expected"]), number(&output["found"])]).collect()
        };
        let both = |of: [i32; 4]| of.map(|number| [f64::from(number); 2]).to_vec();
        // Of pixels with one, two and three covered samples the first, and one that is covered whole.
        for count in 1..=4 {
            let pixels = (0..16).flat_map(|y| (0..16).map(move |x| (x, y)));
            let (x, y) = pixels.into_iter().find(|(x, y)| covered(*x, *y).count_ones() == count).unwrap();
            let here = covered(x, y);
            let pixel = format!("--pixel={x},{y}");
            let (code, told, errors) = debug(&bench, &whole, &[&pixel]);
            assert_eq!(code, 0, "{shaders}: {errors} {}", told["check"]);
            // The GPU draws to one sample alone to tell its fragment, and covers no other one then.
            let mut expected = both([here as i32, 16 * x + 8, 16 * y + 8, 1]);
            expected[0][1] = f64::from(1 << here.trailing_zeros());
            assert_eq!(numbers(&told), expected, "{shaders}: {}", told["check"]);
            for sample in (0..4).filter(|sample| here >> sample & 1 != 0) {
                let [right, down] = PLACES[sample];
                let (pixel, sample_of) = (format!("--pixel={},{y}", x + 16), format!("--sample={sample}"));
                let (code, told, errors) = debug(&bench, &each, &[&pixel, &sample_of]);
                assert_eq!(code, 0, "{shaders}: {errors} {}", told["check"]);
                let given = [sample as i32 | 1 << (8 + sample), 16 * x + right, 16 * y + down, 3];
                assert_eq!(numbers(&told), both(given), "{shaders}: {}", told["check"]);
                if sample != here.trailing_zeros() as usize {
                    continue;
                }
                // The control: samples elsewhere show.
                let (code, told, _) = debug(&bench, &each, &[&pixel, &sample_of, "--turned-samples"]);
                let wrong = told["check"]["outputs"].as_array().unwrap().iter();
                let wrong: Vec<&Json> = wrong.filter(|it| it["verdict"] == "differs").map(|it| &it["name"]).collect();
                assert!(code == 1 && wrong == ["SV_Target0.y", "SV_Target0.z"], "{shaders}: {code}, {}", told["check"]);
            }
        }
    }
}

/// A shader that asks for the samples of its target is told those of the pipeline. It stands in the place of one of `sample-inputs`.
#[test]
fn a_shader_that_asks_for_samples_of_its_target_is_told_them() {
    let folder = artifact::workspace().join("crates/programs/shaders");
    for form in ["dxbc", "dxil"] {
        let bench = Bench::new();
        assert!(capture(&bench, "sample-inputs", form));
        let made = bench.output(&["dump", "trace.reprise", "--json", "--methods", "CreateGraphicsPipelineState"]);
        let made: Json = serde_json::from_str(made.lines().next().unwrap()).unwrap();
        let asked = folder.join(format!("target_samples.asked.{form}"));
        let edit = format!("shader of {} PS = \"{}\"", made["args"]["ppPipelineState"]["id"], asked.display());
        bench.output(&["edit", "trace.reprise", "-e", &edit, "-o", "edited.reprise"]);
        std::fs::rename(bench.path("edited.reprise"), bench.path("trace.reprise")).unwrap();
        let call = &calls(&bench, "DrawInstanced")[0];
        // A pixel that the triangle covers whole. The third sample lies at PLACES[2].
        let (code, told, errors) = debug(&bench, call, &["--pixel=5,5"]);
        let outputs = told["check"]["outputs"].as_array().map_or(&[][..], Vec::as_slice);
        let side = |name: &str| -> Vec<f64> {
            let number = |output: &Json| output[name].as_str().and_then(|text| text.parse().ok());
            outputs.iter().take(4).filter_map(number).collect()
        };
        assert!(code == 0 && told["check"]["equal"] == true, "{form}: {code}, {errors}, {}", told["check"]);
        let [right, down] = PLACES[2].map(f64::from);
        let told_to_shaders = [4.0, right, down, 5.0].to_vec();
        assert_eq!((side("expected"), side("found")), (told_to_shaders.clone(), told_to_shaders), "{form}");
    }
}

#[test]
fn draws_of_bundles_indirect_calls_and_samples_are_what_the_gpu_gives() {
    let bench = Bench::new();
    let mut wrong = Vec::new();
    for (name, shaders, method, which, asked) in FORMS {
        if !capture(&bench, name, shaders) {
            continue;
        }
        let all = calls(&bench, method);
        let call = &all[which.min(all.len() - 1)];
        let found = debug(&bench, call, asked);
        wrong.extend(complaint(&found).map(|it| format!("{name}, {shaders}, call {call}, {asked:?}: {it}")));
        // What is asked is what is told.
        let told = &found.1;
        let number = |option: &str| asked.iter().find_map(|it| it.strip_prefix(option)?.parse::<u64>().ok());
        assert_eq!(told["command"].as_u64().unwrap_or(0), number("--command=").unwrap_or(0), "{told}");
        let notes = told["notes"].to_string();
        let comes_later = number("--command=") == Some(1) && asked[0].starts_with("--pixel");
        assert_eq!(notes.contains("other commands come before it"), comes_later, "{asked:?}: {notes}");
        if let Some(sample) = number("--sample=") {
            assert_eq!(told["sample"], sample, "{told}");
        }
        // The control: with another bit in what a vertex reads, it differs.
        if asked[0].starts_with("--vertex") {
            let (code, told, errors) = debug(&bench, call, &[asked, &["--disturbed"][..]].concat());
            assert!(code == 1 && told["check"]["equal"] == false, "{name}: {code}, {}, {errors}", told["check"]);
        }
    }
    assert_eq!(wrong, [""; 0]);
    for (asked, reason) in [
        (&["--pixel=6,6", "--sample=64"][..], "there is no sample 64"),
        (&["--vertex=0", "--command=1"], "--command is for indirect calls"),
        (&["--vertex=0", "--wave=8"], "cannot be used with"),
        (&["--vertex=0", "--sample=0"], "cannot be used with"),
    ] {
        let call = calls(&bench, "DrawInstanced").pop().unwrap();
        let (code, _, errors) = debug(&bench, &call, asked);
        assert!(code == 2 && errors.contains(reason), "{asked:?}: {code}: {errors}");
    }
}

#[test]
fn vertices_are_what_the_gpu_gives() {
    let bench = Bench::new();
    let mut wrong = Vec::new();
    for (name, shaders) in VERTICES {
        if !capture(&bench, name, shaders) {
            continue;
        }
        let draws = draws(&bench);
        assert!(!draws.is_empty(), "{name}");
        for call in draws {
            for vertex in ["0", "2"] {
                let found = debug(&bench, &call, &["--vertex", vertex]);
                // Of a draw of fewer vertices.
                if found.0 == 2 && found.2.contains("there is no vertex") {
                    continue;
                }
                wrong.extend(complaint(&found).map(|it| format!("{name}, {shaders}, call {call}, {vertex}: {it}")));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// The first pixel of a draw's targets that it has a fragment at.
fn pixel(bench: &Bench, call: &str) -> Option<(String, (i32, Json, String))> {
    let state: Json = serde_json::from_str(&bench.output(&["state", "trace.reprise", call, "--json"])).unwrap();
    let mesh = bench.run(&["mesh", "trace.reprise", "--call", call, "--json"]).text();
    let mesh: Json = serde_json::from_str(&mesh).ok()?;
    let number = |of: &Json| of.as_f64().unwrap_or(0.0);
    let viewport = &state["bound"]["output"]["viewports"]["value"][0];
    let along = |share: f64, axis: usize| {
        let (least, greatest) = (number(&mesh["least"][axis]), number(&mesh["greatest"][axis]));
        let place = least.max(-1.0) + (greatest.min(1.0) - least.max(-1.0)) * share;
        let place = if axis == 1 { -place } else { place };
        (number(&viewport[axis]) + (place + 1.0) / 2.0 * number(&viewport[axis + 2])) as u32
    };
    [(0.4, 0.4), (0.6, 0.3), (0.5, 0.5), (0.1, 0.9)].iter().find_map(|(x, y)| {
        let at = format!("{},{}", along(*x, 0), along(*y, 1));
        let found = debug(bench, call, &["--pixel", &at]);
        (!found.2.contains("no fragment at this pixel")).then_some((at, found))
    })
}

#[test]
fn pixels_are_what_the_gpu_gives() {
    let bench = Bench::new();
    let mut wrong = Vec::new();
    for (name, shaders) in PIXELS {
        if !capture(&bench, name, shaders) {
            continue;
        }
        let mut there = 0;
        for call in draws(&bench) {
            let Some((at, found)) = pixel(&bench, &call) else { continue };
            there += 1;
            wrong.extend(complaint(&found).map(|it| format!("{name}, {shaders}, call {call}, pixel {at}: {it}")));
        }
        if there == 0 {
            wrong.push(format!("{name}, {shaders}: no pixel was found"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// The control of both comparisons: where a bit of what the shader is given is another one, they say what differs.
#[test]
fn another_input_of_a_draw_is_noticed() {
    let bench = Bench::new();
    for shaders in ["dxbc", "dxil"] {
        assert!(capture(&bench, "vertices", shaders));
        let call = calls(&bench, "DrawInstanced").swap_remove(0);
        let (at, _) = pixel(&bench, &call).unwrap();
        for asked in [["--vertex", "1"], ["--pixel", &at]] {
            let (code, told, errors) = debug(&bench, &call, &[&asked[..], &["--disturbed"]].concat());
            let outputs = told["check"]["outputs"].as_array().unwrap();
            let differ = outputs.iter().filter(|output| output["verdict"] == "differs").count();
            assert!(code == 1 && differ > 0 && told["check"]["equal"] == false, "{asked:?}: {told}, {errors}");
            let text = bench.run(&["debug", "trace.reprise", &call, asked[0], asked[1], "--disturbed"]).text();
            assert!(text.contains("differ from what the GPU gave"), "{text}");
            let unchecked = debug(&bench, &call, &[&asked[..], &["--disturbed", "--no-check"]].concat());
            assert_eq!((unchecked.0, &unchecked.1["check"]), (0, &Json::Null));
        }
    }
}

#[test]
fn what_of_draws_is_unsupported_is_refused_by_name() {
    let bench = Bench::new();
    for (name, shaders, method, asked, reason) in REFUSED {
        if !capture(&bench, name, shaders) {
            continue;
        }
        let mut reasons = Vec::new();
        let found = calls(&bench, method).into_iter().any(|call| {
            let (code, told, errors) = debug(&bench, &call, &[asked]);
            let wanted = if matches!(name, "compute" | "mesh") { 2 } else { 1 };
            let is_refused = code == wanted && told == Json::Null && errors.contains(reason);
            reasons.push(errors);
            is_refused
        });
        assert!(found, "{name}: {reasons:?}");
    }
}

/// The record of a vertex and of a pixel: what they are given, and what is not there.
#[test]
fn a_vertex_and_a_pixel_have_their_own_records() {
    let bench = Bench::new();
    assert!(capture(&bench, "vertices", "dxbc"));
    let indexed = calls(&bench, "DrawIndexedInstanced").swap_remove(0);
    let (code, told, errors) = debug(&bench, &indexed, &["--vertex", "3", "--instance", "2"]);
    assert_eq!(code, 0, "{errors}");
    assert_eq!(
        (&told["vertex"], &told["instance"], &told["shader"]["stage"]),
        (&json!(3), &json!(2), &json!("vertex"))
    );
    let input = |told: &Json, name: &str| {
        let inputs = told["inputs"].as_array().unwrap().clone();
        inputs.into_iter().find(|input| input["name"] == name).map(|input| input["value"].clone())
    };
    // The draw begins at instance 5; its fourth index names the third of the square's corners.
    assert_eq!(input(&told, "InstanceIndex"), Some(json!("7")), "{told}");
    let names: Vec<&str> =
        told["check"]["outputs"].as_array().unwrap().iter().map(|output| output["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"SV_Position0.w") && names.contains(&"SEEN0.x"), "{names:?}");
    for (asked, code) in
        [(["--vertex", "6"], 2), (["--vertex", "x"], 2), (["--pixel", "1"], 2), (["--pixel", "4000,4000"], 2)]
    {
        let finished = bench.run(&[&["debug", "trace.reprise", &indexed], &asked[..]].concat());
        assert_eq!(finished.status.code(), Some(code), "{asked:?}: {}", finished.errors());
    }
    let call = calls(&bench, "DrawInstanced").swap_remove(0);
    let (at, (_, told, _)) = pixel(&bench, &call).unwrap();
    let pixel: Vec<u64> = at.split(',').map(|part| part.parse().unwrap()).collect();
    assert_eq!((&told["pixel"], &told["shader"]["stage"]), (&json!(pixel), &json!("pixel")));
    let primitive = told["primitive"].to_string();
    assert_eq!(input(&told, "PrimitiveId"), Some(json!(primitive)), "{told}");
    let (code, again, errors) = debug(&bench, &call, &["--pixel", &at, "--primitive", &primitive]);
    assert_eq!((code, &again["steps"]), (0, &told["steps"]), "{errors}");
    let (code, _, errors) = debug(&bench, &call, &["--pixel", &at, "--primitive", "999"]);
    assert!(code == 2 && errors.contains("primitive 999 has no fragment there"), "{code}: {errors}");
    // A shader that is listed step by step.
    let text = bench.output(&["debug", "trace.reprise", &call, "--pixel", &at, "--steps", "1-3"]);
    assert_eq!(text.lines().filter(|line| line.contains("  word ")).count(), 3, "{text}");
}

/// A picture with perspective: depths are as near to the GPU's as interpolated values are known.
#[test]
fn depths_are_compared_within_what_is_open() {
    let bench = Bench::new();
    let golden = artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("trace.reprise")).unwrap();
    let found = debug(&bench, "121", &["--pixel", "150,150"]);
    assert_eq!(complaint(&found), None);
    let outputs = found.1["check"]["outputs"].as_array().unwrap();
    let depth = outputs.iter().find(|output| output["name"] == "depth").unwrap();
    assert!(depth["tolerance"].as_f64().is_none_or(|tolerance| tolerance < 1e-4), "{depth}");
    assert_eq!(complaint(&debug(&bench, "121", &["--vertex", "700"])), None);
}

/// Colours that are interpolated: those of the GPU are within the tolerance, and a value of another bit is not.
#[test]
fn interpolated_values_are_compared_within_what_is_open() {
    let Some(triangle) = require(missing::program("vkd3d-triangle", "vkd3d-demos")) else { return };
    if require(Display::available()).is_none() {
        return;
    }
    let (bench, display) = (Bench::new(), Display::start().unwrap());
    let mut command = bench.command();
    command
        .args(["capture", "-o", "trace.reprise", "--frames", "1", "--quit-after-capture-frames", "--"])
        .arg(triangle);
    command.env("DISPLAY", display.name());
    let captured = program::run(&mut command, PATIENCE).unwrap();
    assert_eq!(captured.status.code(), Some(0), "{}", captured.errors());
    let call = calls(&bench, "DrawInstanced").swap_remove(0);
    let found = debug(&bench, &call, &["--pixel", "300,250"]);
    assert_eq!(complaint(&found), None);
    let (code, told, _) = debug(&bench, &call, &["--pixel", "300,250", "--disturbed"]);
    let outputs = told["check"]["outputs"].as_array().unwrap();
    let red = outputs.iter().find(|output| output["name"] == "SV_Target0.x").unwrap();
    assert_eq!((code, &red["verdict"]), (1, &json!("differs")), "{red}");
    let tolerance = red["tolerance"].as_f64().unwrap();
    assert!(tolerance < 1e-3 && red["open"]["operation"].as_str().unwrap().starts_with("Interpolation"), "{red}");
}
