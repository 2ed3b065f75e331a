//! `reprise mesh` of draws by mesh shaders, against what the programs say of their groups.

use crate::bench::Bench;
use crate::debug_meshes::area;
use crate::debugs::{calls, capture};
use reprise_testing::{artifact, missing, require};
use serde_json::{Value as Json, json};

/// Runs `reprise mesh --json` for a call; gives the exit code and the answer.
fn mesh(bench: &Bench, call: &str, more: &[&str]) -> (i32, Json, String) {
    let finished = bench.run(&[&["mesh", "--json", "trace.reprise", "--call", call], more].concat());
    let said = serde_json::from_str(&finished.text()).unwrap_or(Json::Null);
    (finished.status.code().unwrap(), said, finished.errors())
}

/// The words of a corner: SV_Position, PLACE, NUMBER, COLOUR, MORE, SV_PrimitiveID, SV_RenderTargetArrayIndex.
type Corner = [u32; 12];

/// The six corners of a group's two triangles that are not culled, as the shader of the program `mesh` has them.
fn rectangle((number, bonus): (u32, u32)) -> Vec<Corner> {
    let [left, top, right, bottom] = area(number);
    let corner = |at: u32| -> Corner {
        let place = |pixel: u32| pixel as f32 / 32.0;
        let (x, y) = (if at & 1 == 0 { left } else { right }, if at & 2 == 0 { top } else { bottom });
        let [x, y, z, w] = [place(x) - 1.0, 1.0 - place(y), 0.0, 1.0].map(f32::to_bits);
        let own = [1000 + number, number * number, 7 + bonus, 50 + number, number / 3 % 2];
        [x, y, z, w, left, top, number + bonus, own[0], own[1], own[2], own[3], own[4]]
    };
    [0, 1, 2, 3, 2, 1].map(corner).to_vec()
}

/// The corners that a call gives.
fn corners(bench: &Bench, call: &str) -> (Vec<Corner>, Json) {
    let (code, said, errors) = mesh(bench, call, &["--raw", "raw.bin"]);
    assert_eq!(code, 0, "call {call}: {said}, {errors}");
    assert_eq!((&said["stage"], &said["stride"]), (&json!("mesh"), &json!(48)), "{said}");
    let raw = std::fs::read(bench.path("raw.bin")).unwrap();
    let words: Vec<u32> = raw.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    (words.as_chunks::<12>().0.to_vec(), said)
}

/// In the order of rectangles, which is open behind the amplification shader: its lanes come in any order to the place of a payload.
fn in_order(all: &[Corner]) -> Vec<Vec<Corner>> {
    let mut groups: Vec<Vec<Corner>> = all.chunks(6).map(<[Corner]>::to_vec).collect();
    groups.sort_by_key(|group| group[0][6]);
    groups
}

#[test]
fn groups_give_what_the_program_says() {
    let bench = Bench::new();
    if !capture(&bench, "mesh", "dxil") {
        return;
    }
    let (draws, indirect) = (calls(&bench, "DispatchMesh"), calls(&bench, "ExecuteIndirect"));
    let all = |numbers: &[(u32, u32)]| numbers.iter().copied().flat_map(rectangle).collect::<Vec<_>>();
    let plain = |numbers: std::ops::Range<u32>| numbers.map(|number| (number, 0)).collect::<Vec<_>>();
    // Two by three groups of the list, in their order. Each has two triangles more, which are culled.
    let (found, said) = corners(&bench, &draws[1]);
    assert_eq!(found, all(&plain(0..6)));
    assert!(said["notes"].to_string().contains("12 primitives are left out, because the shader culls them"), "{said}");
    assert_eq!((&said["topology"], &said["vertices_of_primitive"]), (&json!(4), &json!(3)));
    // The control: one bit of one word.
    let mut other = all(&plain(0..6));
    other[17][6] ^= 1;
    assert_ne!(found, other);
    // Five commands of an indirect call, one behind the other: each has a group more than the one before.
    let commands: Vec<(u32, u32)> = (1..6).flat_map(|count| plain(24..24 + count)).collect();
    let (found, said) = corners(&bench, &indirect[0]);
    assert_eq!(found, all(&commands));
    assert!(said["notes"].to_string().contains("all commands of the indirect call"), "{said}");
    assert_eq!(corners(&bench, &indirect[1]).0, all(&plain(32..38)));
    // Behind the amplification shader: groups of its first group come first.
    let chosen = |first: u32, mask: u32, bonus: u32| {
        let chosen = (first..first + 16).filter(move |number| number & mask != 0);
        chosen.map(move |number| (number, bonus + (number - first) / 8)).collect::<Vec<_>>()
    };
    for (call, wanted) in [(&draws[2], chosen(8, 5, 300)), (&indirect[2], chosen(48, 2, 70))] {
        let (found, _) = corners(&bench, call);
        let of_first = wanted.iter().filter(|(_, bonus)| bonus % 10 == 0).count();
        let bonuses: Vec<u32> = found.iter().map(|corner| corner[9]).collect();
        assert!(bonuses.is_sorted() && bonuses[6 * of_first - 1] < bonuses[6 * of_first], "{bonuses:?}");
        assert_eq!(in_order(&found), in_order(&all(&wanted)));
    }
    // No group is started.
    assert!(corners(&bench, &draws[3]).0.is_empty());
}

/// Each of 60000 groups of the amplification shader starts six, for which there are 128 MiB: those that have no room are counted, and nothing
/// is stored for them.
#[test]
fn groups_without_room_are_counted() {
    let bench = Bench::new();
    if !capture(&bench, "mesh", "dxil") {
        return;
    }
    let call = &calls(&bench, "DispatchMesh")[2];
    let edit = format!("call {call}: ThreadGroupCountX = 60000");
    bench.output(&["edit", "trace.reprise", "-e", &edit, "-o", "many.reprise"]);
    let finished = bench.run(&["mesh", "--json", "many.reprise", "--call", call]);
    let said: Json = serde_json::from_str(&finished.text()).unwrap();
    let note = said["notes"].as_array().unwrap().iter().filter_map(Json::as_str).find(|it| it.contains("no room"));
    let lost: u64 = note.unwrap().split(' ').next().unwrap().parse().unwrap();
    let there = said["vertices"].as_u64().unwrap();
    assert_eq!(there % 6, 0);
    assert_eq!(there / 6 + lost, 360_000, "{said}");
    assert!(there > 0 && lost > 0);
}

/// What a shader stores is valid on the device, and the program's own draws are, too.
#[test]
fn what_is_stored_keeps_the_rules() {
    if require(missing::validation_layer()).is_none() {
        return;
    }
    let bench = Bench::new();
    if !capture(&bench, "mesh", "dxil") {
        return;
    }
    for call in [&calls(&bench, "DispatchMesh")[1..3], &calls(&bench, "ExecuteIndirect")[..1]].concat() {
        let (code, said, errors) = mesh(&bench, &call, &["--validate"]);
        assert!(code == 0 && said["vertices"].as_u64() > Some(0), "call {call}: {code}, {said}, {errors}");
        assert!(errors.contains("Vulkan is validated"), "{errors}");
    }
}

/// Programs of state objects have mesh shaders as pipeline states have them.
#[test]
fn programs_of_state_objects_give_what_they_say() {
    let bench = Bench::new();
    if !capture(&bench, "generic-programs", "dxil") {
        return;
    }
    let (found, _) = corners(&bench, &calls(&bench, "DispatchMesh")[0]);
    assert_eq!(found, (0..6).flat_map(|number| rectangle((number, 0))).collect::<Vec<_>>());
}

/// Overlays that are made of a draw's vertices are there of mesh shaders, too: 64 groups of the program draw a square each.
#[test]
fn overlays_of_triangles_are_made_of_what_is_stored() {
    let bench = Bench::new();
    if !capture(&bench, "ray-queries", "dxil") {
        return;
    }
    let call = &calls(&bench, "DispatchMesh")[0];
    let asked = ["show", "trace.reprise", "--call", call, "--target", "0", "--overlay", "triangles", "-o", "shown.png"];
    let text = bench.output(&asked);
    assert!(text.contains("triangles 128, without_texels 64"), "{text}");
    assert!(bench.path("shown.png").is_file());
}

#[test]
fn what_cannot_be_stored_is_refused_by_name() {
    for (program, why) in [
        ("mesh-atomics", "write through unordered views"),
        ("mesh-derivatives", "write through unordered views"),
        ("mesh-statistics", "a query of statistics is open"),
        ("view-instances", "several view instances"),
    ] {
        let bench = Bench::new();
        if !capture(&bench, program, "dxil") {
            continue;
        }
        let (code, said, errors) = mesh(&bench, &calls(&bench, "DispatchMesh")[0], &[]);
        assert_eq!(code, 1, "{program}: {said}, {errors}");
        assert!(said["error"].as_str().is_some_and(|text| text.contains(why)), "{program}: {said}");
    }
    let bench = Bench::new();
    if !capture(&bench, "mesh", "dxil") {
        return;
    }
    let draws = calls(&bench, "DispatchMesh");
    let (code, said, _) = mesh(&bench, &draws[0], &[]);
    assert!(code == 1 && said["error"].to_string().contains("stands in a bundle"), "{said}");
    // Another library keeps what it is given, and makes a pipeline that stores nothing.
    let other = artifact::null_sysv_library().unwrap();
    let (code, said, errors) = mesh(&bench, &draws[1], &["--runtime", &other.to_string_lossy()]);
    let is_named = said["error"].as_str().is_some_and(|text| text.contains("reprise's own runtime only"));
    assert!(code == 1 && is_named, "{said}, {errors}");
}
