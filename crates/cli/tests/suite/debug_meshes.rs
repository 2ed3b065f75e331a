//! `reprise debug` of draws by mesh shaders: what the groups give is what the program says, and pixels behind them are what the GPU gives.

use crate::bench::Bench;
use crate::debugs::{calls, capture};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Runs `reprise debug --json`.
fn debug(bench: &Bench, call: &str, asked: &[&str]) -> (i32, Json, String) {
    let finished = bench.run(&[&["debug", "trace.reprise", call, "--json"], asked].concat());
    let told = serde_json::from_str(&finished.text()).unwrap_or(Json::Null);
    (finished.status.code().unwrap(), told, finished.errors())
}

/// A rectangle of the program `mesh`: left, top, right, bottom.
pub(crate) fn area(number: u32) -> [u32; 4] {
    let (left, top) = (number % 8 * 8, number / 8 * 8);
    [left, top, left + 3 + number % 5, top + 2 + number % 6]
}

/// What a group of the program `mesh` gives, as its shader has it: two triangles, and two that are culled.
fn rectangle(number: u32, bonus: u32) -> Json {
    let [left, top, right, bottom] = area(number);
    let corner = |thread: u32| {
        let (x, y) = match thread {
            0..4 => (if thread & 1 == 0 { left } else { right }, if thread & 2 == 0 { top } else { bottom }),
            _ => (64 * (thread & 1), 32 * (thread & 2)),
        };
        let place = |pixel: u32| f64::from(pixel) / 32.0;
        json!({
            "SV_Position0": [place(x) - 1.0, 1.0 - place(y), 0.0, 1.0],
            "PLACE0": [left, top],
            "NUMBER0": [number + bonus],
        })
    };
    let shape = |thread: u32| {
        let base = 4 * (thread & 1);
        let corners = if thread & 2 == 0 { [0, 1, 2] } else { [3, 2, 1] };
        json!({
            "corners": corners.map(|corner| base + corner),
            "open": null,
            "values": {
                "COLOUR0": [1000 + number],
                "MORE0": [number * number, 7 + bonus],
                "SV_PrimitiveID0": [50 + number],
                "SV_RenderTargetArrayIndex0": [number / 3 % 2],
                "SV_CullPrimitive0": [thread & 1],
            },
        })
    };
    json!({
        "vertices": (0..8).map(corner).collect::<Vec<_>>(),
        "primitives": (0..4).map(shape).collect::<Vec<_>>(),
        "open": null,
    })
}

#[test]
fn groups_of_meshes_give_what_the_program_says() {
    let bench = Bench::new();
    if !capture(&bench, "mesh", "dxil") {
        return;
    }
    let all = calls(&bench, "DispatchMesh");
    // The second is on the list and has two by three groups: the one at 1, 2 draws rectangle 5.
    let (_, told, errors) = debug(&bench, &all[1], &["--thread=8,2,0"]);
    assert_eq!(told["gives"], rectangle(5, 0), "{errors}");
    assert_ne!(told["gives"], rectangle(4, 0));
    assert_eq!(
        (&told["shader"]["stage"], &told["groups"], &told["group"]),
        (&json!("mesh"), &json!([2, 3, 1]), &json!([1, 2, 0]))
    );
    // Nothing is bound for writing, and what the group gives is compared. Of an amplification shader nothing is, and that is no success.
    let asked = ["--thread=0,0,0", "--stage=amplification"];
    let (code, told, _) = debug(&bench, &all[2], &asked);
    assert_eq!((code, &told["check"]["equal"]), (1, &Json::Null), "{}", told["check"]);
    assert_eq!(debug(&bench, &all[2], &[&asked[..], &["--no-check"]].concat()).0, 0);
    // The third has an amplification shader, two groups of which start six groups each.
    let drawn: Vec<u32> = (16..24).filter(|number| number & 5 != 0).collect();
    let (_, told, errors) = debug(&bench, &all[2], &["--thread=9,0,0", "--stage=amplification", "--no-check"]);
    assert_eq!(told["shader"]["stage"], "amplification", "{errors}");
    let starts = &told["starts"];
    assert_eq!(starts["groups"], json!([drawn.len(), 1, 1]), "{starts}");
    let payload: Vec<String> = drawn.iter().map(|number| format!("{number:#x}")).collect();
    assert_eq!(
        starts["payload"].as_array().unwrap()[..drawn.len()],
        payload.iter().map(|it| json!(it)).collect::<Vec<_>>()
    );
    assert_eq!(starts["payload"][8], format!("{:#x}", 301));
    let (_, told, errors) = debug(&bench, &all[2], &["--thread=17,0,0", "--parent=1,0,0", "--no-check"]);
    assert_eq!(told["parent"], json!([1, 0, 0]), "{errors}");
    // Which number is in which place of the payload is open, because lanes come in any order.
    let named = |gives: &Json| gives["vertices"][0]["NUMBER0"].clone();
    assert_eq!(named(&told["gives"]), json!([drawn[2] + 301]));
    assert_eq!(told["gives"]["vertices"], rectangle(drawn[2], 301)["vertices"]);
    // A command of an indirect draw: the third has three groups.
    let indirect = calls(&bench, "ExecuteIndirect");
    let (_, told, errors) = debug(&bench, &indirect[0], &["--thread=16,0,0", "--command=2", "--no-check"]);
    assert_eq!(told["gives"], rectangle(26, 0), "{errors}");
    for (call, asked, reason) in [
        (&all[1], &["--thread=16,0,0"][..], "there is no group 2,0,0: the draw has 2,3,1"),
        (&all[2], &["--thread=48,0,0"], "there is no group 6,0,0"),
        (&all[1], &["--thread=0,0,0", "--stage=amplification"], "its pipeline has no amplification shader"),
        (&all[1], &["--thread=0,0,0", "--parent=0,0,0"], "the pipeline has none"),
        (&all[1], &["--vertex=0"], "mesh shaders read no vertices"),
        (&calls(&bench, "Dispatch")[0], &["--thread=0,0,0", "--stage=mesh"], "for draws by mesh shaders"),
    ] {
        let (code, _, errors) = debug(&bench, call, asked);
        assert!(code == 2 && errors.contains(reason), "{asked:?}: {code}: {errors}");
    }
}

/// A call, what is asked of it, and the rectangle that the group draws, with what is added to its number; where that is not open.
type Draw<'d> = (&'d String, &'d [&'d str], Option<(u32, u32)>);

/// The numbers of what a group gives, by the names that the comparison has for them.
fn numbers(gives: &Json) -> BTreeMap<String, f64> {
    let all = |name: &str| gives[name].as_array().cloned().unwrap_or_default();
    let mut numbers = BTreeMap::new();
    let mut put = |before: &str, values: &Json| {
        for (name, parts) in values.as_object().unwrap() {
            for (at, part) in parts.as_array().unwrap().iter().enumerate() {
                let part_name =
                    if name.starts_with("SV_Cull") { String::new() } else { format!(".{}", &"xyzw"[at..=at]) };
                numbers.insert(format!("{before}{name}{part_name}"), part.as_f64().unwrap());
            }
        }
    };
    for (number, vertex) in all("vertices").iter().enumerate() {
        put(&format!("vertex {number}: "), vertex);
    }
    for (number, primitive) in all("primitives").iter().enumerate() {
        put(&format!("primitive {number}: "), &primitive["values"]);
    }
    for (number, primitive) in all("primitives").iter().enumerate() {
        for (at, corner) in primitive["corners"].as_array().unwrap().iter().enumerate() {
            numbers.insert(format!("primitive {number}: corner {at}"), corner.as_f64().unwrap());
        }
    }
    numbers.insert("vertices".to_owned(), all("vertices").len() as f64);
    numbers.insert("primitives".to_owned(), all("primitives").len() as f64);
    numbers
}

/// The interpreter's vertices and primitives equal the GPU's, and the GPU's equal what the program says: in draws of a list, behind amplification
/// shaders, in indirect commands, in a bundle, and with a program of a state object.
#[test]
fn vertices_and_primitives_are_what_the_gpu_gives() {
    let bench = Bench::new();
    if !capture(&bench, "mesh", "dxil") {
        return;
    }
    let (draws, indirect) = (calls(&bench, "DispatchMesh"), calls(&bench, "ExecuteIndirect"));
    // Which rectangle a group behind an amplification shader has is open.
    let all: [Draw<'_>; 6] = [
        (&draws[0], &["--thread=8,1,0"], Some((43, 0))),
        (&draws[1], &["--thread=8,2,0"], Some((5, 0))),
        (&draws[2], &["--thread=17,0,0", "--parent=1,0,0"], None),
        (&indirect[0], &["--thread=16,0,0", "--command=2"], Some((26, 0))),
        (&indirect[1], &["--thread=40,0,0"], Some((37, 0))),
        (&indirect[2], &["--thread=8,0,0"], None),
    ];
    for (call, asked, known) in all {
        let (code, told, errors) = debug(&bench, call, asked);
        let check = &told["check"];
        assert!(code == 0 && check["equal"] == true, "call {call}: {code}, {check}, {errors}");
        // The shader stores all that it declares.
        assert!(!told["open"].to_string().contains("does not store"), "{}", told["open"]);
        let outputs = check["outputs"].as_array().unwrap();
        let expected = match known {
            Some((number, bonus)) => numbers(&rectangle(number, bonus)),
            None => numbers(&told["gives"]),
        };
        let found = outputs.iter().map(|it| {
            let number = |of: &str| it[of].as_str().and_then(|text| text.parse::<f64>().ok()).unwrap();
            assert!(known.is_none() || number("expected") == number("found"), "{it}");
            (it["name"].as_str().unwrap().to_owned(), number("found"))
        });
        let found: BTreeMap<String, f64> = found.collect();
        assert_eq!(found.len(), 94, "call {call}");
        if known.is_some() {
            assert_eq!(found, expected, "call {call}");
            assert_ne!(found, numbers(&rectangle(23, 0)));
        } else {
            assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        }
        // The control: another bit of all that the shader reads.
        let (code, told, _) = debug(&bench, call, &[asked, &["--disturbed"]].concat());
        assert!(code == 1 && told["check"]["equal"] == false, "call {call}: {code}, {}", told["check"]);
    }
    let bench = Bench::new();
    if capture(&bench, "generic-programs", "dxil") {
        let call = &calls(&bench, "DispatchMesh")[0];
        let (code, told, errors) = debug(&bench, call, &["--thread=8,2,0"]);
        assert!(code == 0 && told["gives"] == rectangle(5, 0), "{code}, {}, {errors}", told["check"]);
        assert_eq!(told["check"]["outputs"].as_array().map(Vec::len), Some(94));
    }
}

/// Each view instance of a draw is compared with the GPU's of the same view.
#[test]
fn views_of_meshes_are_what_the_gpu_gives() {
    let bench = Bench::new();
    if !capture(&bench, "view-instances", "dxil") {
        return;
    }
    let call = &calls(&bench, "DispatchMesh")[0];
    let mut places = Vec::new();
    for view in ["--view=0", "--view=1"] {
        let (code, told, errors) = debug(&bench, call, &["--thread=0,0,0", view]);
        let check = &told["check"];
        assert!(code == 0 && check["equal"] == true, "{view}: {code}, {check}, {errors}");
        let outputs = check["outputs"].as_array().unwrap();
        let x = outputs.iter().find(|it| it["name"] == "vertex 0: SV_Position0.x").unwrap();
        places.push(x["found"].as_str().unwrap().parse::<f64>().unwrap());
        let (code, told, _) = debug(&bench, call, &["--thread=0,0,0", view, "--disturbed"]);
        assert!(code == 1 && told["check"]["equal"] == false, "{view}: {code}");
    }
    // Each view lies eight pixels of 64 further to the right.
    assert_eq!(places[1] - places[0], 0.25);
}

/// Where the draw cannot be repeated, a note says why. Then nothing is compared here, and that is no success.
#[test]
fn meshes_of_draws_that_cannot_be_repeated_are_not_compared() {
    let bench = Bench::new();
    if !capture(&bench, "mesh-statistics", "dxil") {
        return;
    }
    let (code, told, _) = debug(&bench, &calls(&bench, "DispatchMesh")[0], &["--thread=0,0,0"]);
    let check = &told["check"];
    assert_eq!((code, &check["equal"], &check["outputs"]), (1, &Json::Null, &json!([])), "{check}");
    assert!(check["notes"].to_string().contains("a query of statistics is open"), "{check}");
}

/// Pixels behind mesh shaders: of the list, of a bundle, of commands, and behind amplification shaders. The first slice is looked at.
#[test]
fn pixels_behind_mesh_shaders_are_what_the_gpu_gives() {
    let bench = Bench::new();
    if !capture(&bench, "mesh", "dxil") {
        return;
    }
    let (draws, indirect) = (calls(&bench, "DispatchMesh"), calls(&bench, "ExecuteIndirect"));
    // The call, the rectangle, what is added to it, and the command.
    let all = [
        (&draws[0], 42, 0, None),
        (&draws[1], 1, 0, None),
        (&draws[2], 12, 300, None),
        (&draws[2], 19, 301, None),
        (&indirect[0], 24, 0, Some("--command=2")),
        (&indirect[2], 50, 70, None),
    ];
    for (call, number, bonus, command) in all {
        let [left, top, ..] = area(number);
        assert_eq!(number / 3 % 2, 0, "of the first slice");
        let pixel = format!("--pixel={},{}", left + 1, top + 1);
        let asked: Vec<&str> = [pixel.as_str()].into_iter().chain(command).collect();
        let (code, told, errors) = debug(&bench, call, &asked);
        let check = &told["check"];
        let outputs = check["outputs"].as_array().map_or(&[][..], Vec::as_slice);
        let expected = [
            left | top << 16,
            number + bonus,
            1000 + number + ((number * number) << 16),
            (50 + number) | (7 + bonus) << 16,
        ];
        let is_open = call == &draws[2] || call == &indirect[2];
        let is_right = outputs.len() >= 4
            && outputs.iter().zip(expected).all(|(output, expected)| {
                let both =
                    ["expected", "found"].map(|name| output[name].as_str().and_then(|it| it.parse::<f64>().ok()));
                both == [Some(f64::from(expected)); 2]
            });
        assert!(code == 0 && is_right, "rectangle {number}: {code}, {check}, {errors}");
        assert_eq!(
            told["notes"].to_string().contains("comes of what the API leaves open"),
            is_open,
            "{}",
            told["notes"]
        );
        // The control: another bit in what the mesh shader gives shows, but where all of it is open.
        if !is_open {
            let (code, told, _) = debug(&bench, call, &[&asked[..], &["--disturbed"]].concat());
            assert!(code == 1 && told["check"]["equal"] != true, "rectangle {number}: {code}, {}", told["check"]);
        }
    }
}

/// What mesh and amplification shaders write to resources is compared.
#[test]
fn what_mesh_shaders_write_is_compared() {
    let bench = Bench::new();
    if !capture(&bench, "mesh-derivatives", "dxil") {
        return;
    }
    for (call, asked) in calls(&bench, "DispatchMesh").iter().zip([&["--stage=mesh"][..], &["--stage=amplification"]]) {
        let (code, told, errors) = debug(&bench, call, &[&["--thread=5,0,0"], asked].concat());
        let check = &told["check"];
        assert!(code == 0 && check["equal"] == true, "{code}, {check}, {errors}");
        // A draw that writes is not repeated, so what its groups give is not compared. Amplification shaders give no vertices.
        let is_told = check["notes"].to_string().contains("write through unordered views");
        assert_eq!(is_told, asked == ["--stage=mesh"], "{check}");
        assert!(check["whole"] == true && check["bytes_written"].as_u64().is_some_and(|count| count >= 512), "{check}");
        // Only of which row and column coarse differences are is open.
        let differences = check["differences"].as_array().unwrap();
        let is_coarse = |it: &Json| it["open"]["operation"].as_str().is_some_and(|name| name.starts_with("DPd"));
        assert!(differences.iter().all(is_coarse), "{check}");
    }
}

/// Only the command that is asked for runs: what its atomic operations leave is open where other commands may write there, too. The program `mesh-atomics` says
/// what each draw adds.
#[test]
fn atomics_that_other_commands_write_too_are_open() {
    let bench = Bench::new();
    if !capture(&bench, "mesh-atomics", "dxil") {
        return;
    }
    let run = |call: &str, asked: &[&str]| {
        let (code, told, errors) = debug(&bench, call, asked);
        let check = told["check"].clone();
        assert!(code == 0 && check["equal"] == true && check["bytes_compared"] == 4, "{code}, {check}, {errors}");
        check
    };
    // Of one draw every group runs, so that its sum is the GPU's.
    let check = run(&calls(&bench, "DispatchMesh")[0], &["--thread=0,0,0"]);
    assert_eq!((&check["whole"], &check["differences"]), (&json!(true), &json!([])));
    let sum = |groups: u32| (1..=4 * groups).sum::<u32>();
    let [three, one] = [3, 1].map(sum);
    let call = &calls(&bench, "ExecuteIndirect")[0];
    for (command, own) in [("--command=0", three), ("--command=1", one)] {
        let check = run(call, &["--thread=0,0,0", command]);
        assert_eq!(check["whole"], false, "{check}");
        let [difference] = &check["differences"].as_array().unwrap()[..] else { panic!("{check}") };
        let numbers = ["expected", "found"].map(|side| difference[side].as_str());
        let [own, both] = [own, three + one].map(|sum| format!("{sum:02x}"));
        assert_eq!(numbers, [Some(own.as_str()), Some(both.as_str())], "{difference}");
        assert_eq!(difference["open"]["operation"], "AtomicIAdd: what other groups do, which did not run");
    }
}

/// Shaders are told which view instance they run for: vertices lie eight pixels of 64 further to the right in each.
#[test]
fn views_are_told_to_shaders() {
    let bench = Bench::new();
    if !capture(&bench, "view-instances", "dxil") {
        return;
    }
    let column = |told: &Json| {
        let steps = told["steps"].as_array().map_or(&[][..], Vec::as_slice);
        let mut written = steps.iter().map(|step| &step["write"]);
        let x = written.find(|write| write["variable"] == "%SV_Position[0]");
        x.and_then(|write| write["value"].as_str()?.parse::<f64>().ok())
    };
    let (mut several, mut masked) = (0, 0);
    for call in calls(&bench, "DrawInstanced") {
        let of = |view: &str| debug(&bench, &call, &["--vertex=1", view]);
        let (code, first, errors) = of("--view=0");
        let (second_code, second, second_errors) = of("--view=1");
        if second_errors.contains("there is no view 1") {
            continue;
        }
        if errors.contains("leaves view 0 out") || second_errors.contains("leaves view 1 out") {
            masked += 1;
            continue;
        }
        several += 1;
        assert!(code == 0 && first["check"]["equal"] == true && first["view"] == 0, "{call}: {code}, {errors}");
        let (one, other) = (column(&first).unwrap(), column(&second).unwrap());
        assert_eq!(other - one, 0.25, "call {call}");
        assert!(
            second_code == 0 && second["check"]["equal"] == true && second["view"] == 1,
            "{call}: {second_code}, {second_errors}"
        );
        // Compared with the GPU's of the same view: what the shader is given otherwise shows.
        let (code, told, _) = debug(&bench, &call, &["--vertex=1", "--view=1", "--disturbed"]);
        assert!(code == 1 && told["check"]["equal"] == false, "{call}: {code}");
    }
    assert!(several > 0 && masked > 0, "{several}, {masked}");
    let mesh = &calls(&bench, "DispatchMesh")[0];
    let x = |view: &str| {
        let (_, told, errors) = debug(&bench, mesh, &["--thread=0,0,0", view, "--no-check"]);
        told["gives"]["vertices"][0]["SV_Position0"][0].as_f64().ok_or(errors)
    };
    assert_eq!(x("--view=1").unwrap() - x("--view=0").unwrap(), 0.25);
    let (code, _, errors) = debug(&bench, mesh, &["--thread=0,0,0", "--view=3"]);
    assert!(code == 2 && errors.contains("the mask 0x7 of the list leaves view 3 out"), "{code}: {errors}");
}

/// The fragment of each view instance is where the view is drawn to, and its shader is told which view it runs for: the view is the last of four
/// numbers. Without `--view` it is the first view that covers the pixel.
#[test]
fn pixels_of_views_are_what_the_gpu_gives() {
    let bench = Bench::new();
    if !capture(&bench, "view-instances", "dxil") {
        return;
    }
    let pixel = |call: &str, more: &[&str]| debug(&bench, call, more);
    // The views 0, 1 and 3 of a rectangle from 12 to 18, each eight further to the right; those with odd numbers in the second viewport.
    let calls = calls(&bench, "DrawInstanced");
    let is_asked = |call: &&String| {
        let (code, told, _) = pixel(call, &["--pixel=51,36"]);
        code == 0 && told["view"] == 3
    };
    let call = calls.iter().find(is_asked).unwrap();
    for (at, view) in [("--pixel=13,5", 0), ("--pixel=43,35", 1), ("--pixel=51,36", 3)] {
        let (code, told, errors) = pixel(call, &[at]);
        assert!(code == 0 && told["check"]["equal"] == true && told["view"] == view, "{at}: {code}, {told}, {errors}");
        let outputs = told["check"]["outputs"].as_array().unwrap();
        let given = outputs.iter().find(|output| output["name"] == "SV_Target0.w").unwrap();
        let number = |of: &str| given[of].as_str().and_then(|text| text.parse::<f64>().ok());
        assert_eq!((number("expected"), number("found")), (Some(f64::from(view)), Some(f64::from(view))), "{at}");
        let (code, told, _) = pixel(call, &[at, "--disturbed"]);
        assert!(code == 1 && told["check"]["equal"] == false, "{at}: {code}");
    }
    let (code, _, errors) = pixel(call, &["--pixel=13,5", "--view=3"]);
    assert!(code == 2 && errors.contains("has no fragment at this pixel"), "{code}: {errors}");
    let (code, _, errors) = pixel(call, &["--pixel=13,5", "--view=2"]);
    assert!(code == 2 && errors.contains("leaves view 2 out"), "{code}: {errors}");
    // Behind a mesh shader, in the second viewport.
    let mesh = &self::calls(&bench, "DispatchMesh")[0];
    let (code, told, errors) = pixel(mesh, &["--pixel=38,55"]);
    assert!(code == 0 && told["check"]["equal"] == true && told["view"] == 1, "{code}, {told}, {errors}");
}
