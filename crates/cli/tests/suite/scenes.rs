//! `reprise scene`, against the vertices and instances that the captured programs store.

use crate::bench::Bench;
use crate::programs;
use reprise_testing::artifact;
use serde_json::{Value as Json, json};

fn calls(bench: &Bench, method: &str) -> Vec<String> {
    let said = bench.output(&["dump", "--json", "--methods", method, "trace.reprise"]);
    said.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()["call"].to_string()).collect()
}

/// The program `rays` has a square of two triangles, which two instances show, and a box; its file has their numbers.
#[test]
fn a_scene_is_what_its_structures_were_built_of() {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args(["rays", "--shaders", "dxil", "--library"]).arg(programs::ours());
    let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
    assert!(finished.status.success(), "{}", finished.errors());
    let dispatch = &calls(&bench, "DispatchRays")[0];
    let said = bench.output(&["scene", "trace.reprise", dispatch, "--json", "-o", "scene.obj"]);
    let said: Json = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["level"], &said["triangles"], &said["boxes"]), (&json!("top"), &json!(4), &json!(1)));
    assert_eq!((&said["left_out"], &said["inactive"]), (&json!([]), &json!(0)));
    let instances = said["instances"].as_array().unwrap();
    let kinds: Vec<&Json> = instances.iter().map(|it| &it["geometries"][0]["kind"]).collect();
    assert_eq!(kinds, ["triangles", "boxes", "triangles"]);
    // The instances are those that `state` reads from the trace, and none is like another.
    let state: Json = serde_json::from_str(&bench.output(&["state", "trace.reprise", dispatch, "--json"])).unwrap();
    let stored = state["structures"][0]["instances"]["list"].as_array().unwrap();
    let moves = |of: &[Json]| of.iter().map(|it| it["transform"].clone()).collect::<Vec<_>>();
    assert_eq!(moves(instances), moves(stored));
    assert!(moves(stored)[0] != moves(stored)[1]);
    // The model has each triangle where its instance puts it: the corners span the bounds.
    let model = std::fs::read_to_string(bench.path("scene.obj")).unwrap();
    let corners: Vec<Vec<f64>> = model
        .lines()
        .filter_map(|line| line.strip_prefix("v "))
        .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
        .collect();
    assert_eq!(corners.len(), 3 * (4 + 12));
    for axis in 0..3 {
        let values = corners.iter().map(|corner| corner[axis]);
        assert_eq!(said["bounds"][0][axis], values.clone().fold(f64::INFINITY, f64::min));
        assert_eq!(said["bounds"][1][axis], values.fold(f64::NEG_INFINITY, f64::max));
    }
    let square = calls(&bench, "BuildRaytracingAccelerationStructure")[0].clone();
    let alone: Json = serde_json::from_str(&bench.output(&["scene", "trace.reprise", &square, "--json"])).unwrap();
    assert_eq!((&alone["level"], &alone["triangles"]), (&json!("bottom"), &json!(2)));
    // The second ray of the row traces another one where it hits, which hits the box beside: at a distance of 1 from z = -1, and of 1.5.
    let run = ["scene", "trace.reprise", dispatch, "--thread", "1,1,0", "--json", "-o", "rays.obj"];
    let rays: Json = serde_json::from_str(&bench.output(&run)).unwrap();
    let ends: Vec<&Json> = rays["rays"].as_array().unwrap().iter().map(|ray| &ray["hit"]["distance"]).collect();
    assert_eq!((ends, &rays["bounds"]), (vec![&json!(1.0), &json!(1.5)], &said["bounds"]));
    let model = std::fs::read_to_string(bench.path("rays.obj")).unwrap();
    let (_, second) = model.split_once("o ray_1\n").unwrap();
    let depths = second.lines().filter_map(|line| line.strip_prefix("v ")?.split(' ').nth(2)?.parse().ok());
    let mut depths: Vec<f64> = depths.collect();
    depths.sort_by(f64::total_cmp);
    assert!((depths[0] + 1.0).abs() < 1e-6 && (depths[depths.len() - 1] - 0.5).abs() < 1e-6, "{depths:?}");
    // Seen from before and from behind, x goes the other way.
    for (eye, name) in [("0,0,-9", "front.png"), ("0,0,9", "back.png")] {
        bench.output(&["scene", "trace.reprise", dispatch, "--eye", eye, "--size", "64x64", "-o", name]);
    }
    let picture = |name: &str| std::fs::read(bench.path(name)).unwrap();
    assert!(picture("front.png") != picture("back.png"));
}

#[test]
fn calls_without_a_scene_are_refused() {
    let bench = Bench::new();
    programs::capture(&bench, "depth", &programs::ours());
    let draw = &calls(&bench, "DrawInstanced")[0];
    for (more, what) in [
        (&["-o", "a.png"][..], "it reaches no acceleration structure"),
        (&["-o", "a.gif"], "a scene is a .png or a .obj file"),
        (&["--eye", "1,2"], "is no point"),
        (&["--size", "0x9"], "is no size"),
    ] {
        let finished = bench.run(&[&["scene", "trace.reprise", draw], more].concat());
        assert_eq!(finished.status.code(), Some(2), "{more:?}");
        assert!(finished.errors().contains(what), "{more:?}: {}", finished.errors());
    }
}
