//! `reprise mesh`, against what the shaders of the captured programs compute, computed here once more.

use crate::bench::Bench;
use crate::programs;
use reprise_replay::{MeshOf, MeshWish, Options};
use reprise_testing::artifact;
use serde_json::{Value as Json, json};

fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The calls of a method in `trace.reprise`.
fn calls(bench: &Bench, method: &str) -> Vec<String> {
    let all = lines(&bench.output(&["dump", "--json", "trace.reprise"]));
    let is_it = |call: &&Json| call["method"].as_str().is_some_and(|name| name.ends_with(method));
    all.iter().filter(is_it).map(|call| call["call"].to_string()).collect()
}

/// Runs `reprise mesh --json` for several calls; gives the exit code and an answer for each.
fn mesh(bench: &Bench, of: &[String], more: &[&str]) -> (i32, Vec<Json>) {
    let mut arguments = vec!["mesh", "--json", "trace.reprise"];
    arguments.extend(of.iter().flat_map(|call| ["--call", call]));
    arguments.extend(more);
    let finished = bench.run(&arguments);
    (finished.status.code().unwrap(), lines(&finished.text()))
}

/// A vertex of the program `vertices`: the words of SV_Position and SEEN.
type Vertex = [u32; 8];

/// What the shader of `vertices` gives for a corner of a shape in an instance of a draw, by the contents of the program's buffers: corners and
/// colours by vertex, places by instance, tints by every second instance. `number` is the vertex's number as the shader sees it.
fn shaded(shape: u32, corner: u32, first_instance: u32, instance: u32, number: u32) -> Vertex {
    let at = first_instance + instance;
    let (x, y) = (2 * shape + 8 * (corner & 1) + 16 * (at % 4), shape + 8 * (corner >> 1) + 16 * (at / 4));
    let scale = 2.0 / 64.0;
    let place = [x as f32 * scale - 1.0, 1.0 - y as f32 * scale, 0.5, 1.0].map(f32::to_bits);
    let colour = (1 + corner + 4 * shape).wrapping_mul(0x9e37_79b1);
    let tint = (100 + first_instance + instance / 2).wrapping_mul(0x85eb_ca77);
    let seen = [colour, tint, number, instance << 16];
    std::array::from_fn(|at| if at < 4 { place[at] } else { seen[at - 4] })
}

/// A triangle, beginning with its least corner: which corner of a strip's triangle comes first is the driver's affair, the way around is not.
fn turned(triangle: &[Vertex]) -> Vec<Vertex> {
    let least = (0..3).min_by_key(|at| triangle[*at]).unwrap();
    (0..3).map(|at| triangle[(least + at) % 3]).collect()
}

/// Six draws of one list in one replay, with settings made once: instances, first instances, base vertices, indices of both sizes, strips.
/// The list goes on after each as if nothing had been drawn between, else those that follow were wrong.
#[test]
fn vertices_are_what_the_shader_computes() {
    let bench = Bench::new();
    programs::capture(&bench, "vertices", &programs::ours());
    // Shape, first instance, instances; numbers of the corners of an instance's triangles, and what is added to the number of a vertex.
    const STRIP: [u32; 6] = [0, 1, 2, 1, 3, 2];
    const LOWER: [u32; 6] = [3, 2, 1, 0, 1, 2];
    const UPPER: [u32; 6] = [0, 1, 2, 3, 2, 1];
    let draws = [
        (0, 0, 3, STRIP, 0),
        (2, 3, 2, STRIP, 0),
        (1, 5, 3, LOWER, 40),
        (3, 8, 1, LOWER, 40),
        (2, 9, 3, UPPER, 40),
        (0, 12, 4, UPPER, 40),
    ];
    let all = lines(&bench.output(&["dump", "--json", "trace.reprise"]));
    let is_draw = |call: &&Json| {
        call["method"]
            .as_str()
            .is_some_and(|name| name.ends_with("::DrawInstanced") || name.ends_with("DrawIndexedInstanced"))
    };
    let calls: Vec<String> = all.iter().filter(is_draw).map(|call| call["call"].to_string()).collect();
    assert_eq!(calls.len(), draws.len());
    let (code, said) = mesh(&bench, &calls, &["--raw", "raw/", "-o", "csv/"]);
    assert_eq!(code, 0, "{said:?}");
    for ((shape, first, instances, corners, bias), said) in draws.into_iter().zip(&said) {
        let raw = std::fs::read(bench.path(said["raw"].as_str().unwrap())).unwrap();
        let words: Vec<u32> = raw.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let found: Vec<Vertex> = words.as_chunks::<8>().0.to_vec();
        let expected: Vec<Vertex> = (0..instances)
            .flat_map(|instance| corners.map(|corner| shaded(shape, corner, first, instance, corner + bias)))
            .collect();
        let triangles = |all: &[Vertex]| all.chunks(3).map(turned).collect::<Vec<_>>();
        assert_eq!(found.len(), expected.len(), "{said}");
        assert_eq!(triangles(&found), triangles(&expected), "{said}");
        assert_eq!((&said["stage"], &said["instances"]), (&json!("vertex"), &json!(instances)));
        let is_strip = corners == STRIP;
        assert_eq!(said["notes"].to_string().contains("strips come as lists"), is_strip, "{said}");
        // Lists come in the order of the indices.
        assert!(is_strip || found == expected);
        let csv = std::fs::read_to_string(bench.path(said["file"].as_str().unwrap())).unwrap();
        assert_eq!(csv.lines().count(), 1 + found.len());
        let row = |vertex: &Vertex| {
            let place: Vec<String> = vertex[..4].iter().map(|word| f32::from_bits(*word).to_string()).collect();
            let seen: Vec<String> = vertex[4..].iter().map(u32::to_string).collect();
            format!("{},{},{}", place.join(","), seen.join(","), place[..3].join(","))
        };
        let last = format!("{},{},{}", found.len() - 1, instances - 1, row(&found[found.len() - 1]));
        assert_eq!(csv.lines().next_back(), Some(last.as_str()));
    }
    let (_, one) = mesh(&bench, &calls[5..], &["--instance", "3", "-o", "one.obj"]);
    let obj = std::fs::read_to_string(bench.path("one.obj")).unwrap();
    assert_eq!(one[0]["vertices"], 6);
    assert!(obj.starts_with("v -0.5 1 0.5\n") || obj.starts_with("v 0.5 -0.5 0.5\n"), "{obj}");
    assert!(obj.ends_with("f 1 2 3\nf 4 5 6\n"), "{obj}");
    let (code, none) = mesh(&bench, &calls[5..], &["--instance", "4"]);
    assert_eq!((code, none[0]["error"].as_str().unwrap().contains("no instance 4")), (1, true));
    let (code, none) = mesh(&bench, &calls[..1], &["--submission", "1"]);
    assert_eq!((code, none[0]["error"].as_str().unwrap().contains("call 1 does not submit")), (1, true));
}

/// The program's own draws find everything set as it was: frames whose draws were all made twice have the pictures that they have without.
#[test]
fn the_program_draws_as_if_nothing_had_been_drawn_between() {
    let bench = Bench::new();
    let gears = artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(&gears, bench.path("trace.reprise")).unwrap();
    let draws = calls(&bench, "::DrawIndexedInstanced");
    let replayed = |meshes: Vec<MeshWish>| {
        let runtime = Some(programs::ours().display().to_string());
        let mut options = Options { runtime, meshes, frame_hashes: true, ..Options::default() };
        reprise_replay::replay(&gears, &mut options).unwrap()
    };
    let wishes = draws.iter().map(|call| MeshWish {
        call: call.parse().unwrap(),
        submission: None,
        of: MeshOf::Rasteriser,
        view: None,
        lone: None,
    });
    let (with, without) = (replayed(wishes.collect()), replayed(Vec::new()));
    assert!(with.meshes.len() == 18 && with.meshes.iter().all(Result::is_ok), "{:?}", with.meshes);
    // The replay ends with the last mesh, before the third frame is presented.
    assert_eq!(with.frames.len(), 2);
    assert_eq!(with.frames, without.frames[..2]);
    assert!(with.frames.iter().all(|frame| frame.hash.is_some()));
}

/// What a value in memory leaves out has no vertices, and what it lets through has.
#[test]
fn a_predicate_leaves_out_vertices_too() {
    let bench = Bench::new();
    programs::capture(&bench, "predication", &programs::ours());
    let draws = calls(&bench, "::DrawInstanced");
    let (code, said) = mesh(&bench, &draws[..3], &[]);
    assert_eq!(code, 0, "{said:?}");
    let counts: Vec<&Json> = said.iter().map(|mesh| &mesh["vertices"]).collect();
    assert_eq!(counts, [0, 6, 6]);
    assert!(said[0]["notes"].to_string().contains("predicate"), "{}", said[0]);
}

/// Two render passes, each with a rectangle on a target of 32 by 32 pixels: one that is suspended, and the one that resumes it.
#[test]
fn draws_in_render_passes_have_vertices() {
    let bench = Bench::new();
    programs::capture(&bench, "passes", &programs::ours());
    let draws = calls(&bench, "::DrawInstanced");
    let (code, said) = mesh(&bench, &draws[..2], &[]);
    assert_eq!(code, 0, "{said:?}");
    for ((left, top), said) in [(1.0, 2.0), (8.0, 8.0)].into_iter().zip(&said) {
        let (right, bottom) = (left + 10.0, top + 11.0);
        assert_eq!(said["least"], json!([left / 16.0 - 1.0, 1.0 - bottom / 16.0, 0.0]));
        assert_eq!(said["greatest"], json!([right / 16.0 - 1.0, 1.0 - top / 16.0, 0.0]));
    }
}

#[test]
fn what_cannot_be_streamed_out_is_refused_by_name() {
    for (program, why) in [("bundles", "a bundle"), ("stream-output", "a query of statistics")] {
        let bench = Bench::new();
        programs::capture(&bench, program, &programs::ours());
        let draw = calls(&bench, "::DrawInstanced").swap_remove(0);
        let (code, said) = mesh(&bench, &[draw, "1".into(), "99999999".into()], &[]);
        assert_eq!(code, 1);
        let errors = ["not supported", "D3D12CreateDevice draws nothing", "no such call"];
        for (said, error) in said.iter().zip(errors) {
            assert!(said["error"].as_str().is_some_and(|text| text.contains(error)), "{program}: {said}");
        }
        assert!(said[0]["error"].as_str().unwrap().contains(why), "{program}: {}", said[0]);
    }
}
