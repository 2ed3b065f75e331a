//! `reprise debug` of geometry, hull and domain shaders: what the interpreter makes of the primitives and patches of the test programs is what the
//! programs' sources say, and what the GPU makes of them.

use crate::bench::Bench;
use crate::debugs::{calls, capture};
use reprise_dxbc::container::{Tag, build};
use serde_json::{Value as Json, json};

/// Runs `reprise debug --json`.
fn debug(bench: &Bench, call: &str, more: &[&str]) -> (i32, Json, String) {
    let finished = bench.run(&[&["debug", "trace.reprise", call, "--json"], more].concat());
    let told = serde_json::from_str(&finished.text()).unwrap_or(Json::Null);
    (finished.status.code().unwrap(), told, finished.errors())
}

/// What is wrong with a run that has to be equal to the GPU's, bit for bit.
fn complaint((code, told, errors): &(i32, Json, String)) -> Option<String> {
    let check = &told["check"];
    let outputs = check["outputs"].as_array().map_or(&[][..], Vec::as_slice);
    let are_right = !outputs.is_empty() && outputs.iter().all(|output| output["verdict"] == "equal");
    let whole = check["equal"] == true && check["unseen"].as_array().is_some_and(Vec::is_empty);
    let steps = told["steps"].as_array().map_or(0, Vec::len);
    let is_right = *code == 0 && are_right && whole && steps > 0;
    (!is_right).then(|| format!("exit code {code}, {steps} steps, {check}, {errors}"))
}

/// As the shaders of `pipelines.hlsl` have it: where a pixel is.
fn place(x: f64, y: f64) -> Json {
    json!([x / 32.0 - 1.0, 1.0 - y / 32.0, 0.5, 1.0])
}

/// A vertex with its numbers, as the same shaders give it.
fn seen(x: f64, y: f64, numbers: [u32; 2]) -> Json {
    json!({ "SV_Position0": place(x, y), "SEEN0": numbers })
}

/// What the program `geometry` makes of a point: a square as large as its number says, and nothing of every fifth.
fn square(number: u32) -> Vec<Json> {
    if number % 5 == 4 {
        return Vec::new();
    }
    let (x, y) = (f64::from(8 * (number % 8)), f64::from(8 * (number / 8)));
    let size = f64::from(1 + number % 8);
    let corner = |at: u32| seen(x + size * f64::from(at & 1), y + size * f64::from(at >> 1), [number, number]);
    (0..4).map(corner).collect()
}

/// The vertices that were emitted.
fn vertices(emitted: &Json) -> Vec<Json> {
    let all = emitted.as_array().unwrap().iter();
    all.map(|it| it["vertex"].clone()).filter(Json::is_object).collect()
}

#[test]
fn geometry_shaders_emit_what_the_program_says() {
    let bench = Bench::new();
    for shaders in ["dxbc", "dxil"] {
        assert!(capture(&bench, "geometry", shaders));
        let call = calls(&bench, "DrawInstanced").swap_remove(0);
        for number in [0, 1, 4, 18] {
            let primitive = number.to_string();
            let found = debug(&bench, &call, &["--stage", "geometry", "--primitive", &primitive]);
            assert_eq!(complaint(&found), None, "{shaders}, {number}");
            let told = &found.1;
            assert_eq!(vertices(&told["emitted"]), square(number), "{shaders}, {number}");
            // Of each vertex there is a step.
            let steps = told["steps"].as_array().unwrap().iter().map(|step| step["emits"]["vertex"].clone());
            assert_eq!(steps.filter(Json::is_object).collect::<Vec<_>>(), square(number), "{shaders}, {number}");
            assert_eq!(
                (&told["primitive"], &told["instance"], &told["gs_instance"], &told["vertices"]),
                (&json!(number), &json!(0), &Json::Null, &json!([number]))
            );
            assert_eq!(told["shader"]["stage"], "geometry");
        }
        let text = bench.output(&["debug", "trace.reprise", &call, "--stage", "geometry", "--primitive", "1"]);
        assert!(
            text.contains("primitive 1, instance 0")
                && text.contains("emits to stream 0: SV_Position0 (-0.75, 1.0, 0.5, 1.0), SEEN0 (1, 1)"),
            "{text}"
        );
        assert!(text.contains("4 vertices are emitted to stream 0"), "{text}");
        // The control: another bit of what the vertex shader gives.
        let (code, told, _) = debug(&bench, &call, &["--stage", "geometry", "--primitive", "1", "--disturbed"]);
        assert!(code == 1 && told["check"]["equal"] == false, "{shaders}: {code}, {}", told["check"]);
        let unchecked = ["--stage", "geometry", "--primitive", "1", "--disturbed", "--no-check"];
        assert_eq!(debug(&bench, &call, &unchecked).0, 0);
    }
}

/// The primitives of later instances are found behind those of earlier ones, of which one gives nothing.
#[test]
fn instances_are_told_apart() {
    let bench = Bench::new();
    assert!(capture(&bench, "geometry", "dxil"));
    let call = calls(&bench, "DrawInstanced").swap_remove(0);
    let edit = format!("call {call}: InstanceCount = 3");
    bench.output(&["edit", "trace.reprise", "-o", "edited.reprise", "--force", "-e", &edit]);
    std::fs::rename(bench.path("edited.reprise"), bench.path("trace.reprise")).unwrap();
    for (primitive, instance) in [("0", "1"), ("4", "2"), ("5", "2"), ("63", "2")] {
        let asked = ["--stage", "geometry", "--primitive", primitive, "--instance", instance];
        let found = debug(&bench, &call, &asked);
        assert_eq!(complaint(&found), None, "{primitive}, {instance}");
        assert_eq!(vertices(&found.1["emitted"]), square(primitive.parse().unwrap()));
    }
    let (code, _, errors) = debug(&bench, &call, &["--stage", "geometry", "--primitive", "0", "--instance", "3"]);
    assert!(code == 2 && errors.contains("there is no instance 3: the draw has 3"), "{code}: {errors}");
}

/// A geometry shader with two instances that makes a point of each vertex of a primitive and of its neighbours, with the vertex's number and that
/// of the instance. `kind`: `D3D10_SB_PRIMITIVE`.
fn points_of(kind: u32, vertices: u32) -> Vec<u8> {
    type Row = (&'static str, u32, u32, u32, u32);
    let signature = |rows: [Row; 2], used: u32| -> Vec<u8> {
        let mut end = 8 + 24 * rows.len() as u32;
        let mut words = vec![rows.len() as u32, 8];
        for (name, value, kind, register, mask) in rows {
            words.extend([end, 0, value, kind, register, mask | (mask * used) << 8]);
            end += name.len() as u32 + 1;
        }
        let mut part: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        part.extend(rows.iter().flat_map(|(name, ..)| name.bytes().chain([0])));
        part.resize(part.len().next_multiple_of(4), 0);
        part
    };
    let taken = [("PIXEL", 0, 1, 0, 0b0011), ("NUMBER", 0, 1, 0, 0b0100)];
    let given = [("SV_Position", 1, 3, 0, 0b1111), ("SEEN", 0, 1, 1, 0b0011)];
    // Tokens of `gs_5_0`, by `d3d11TokenizedProgramFormat.hpp`.
    let mut code: Vec<u32> = [
        &[0x0200_00ce, 2][..],                    // dcl_gsinstances 2
        &[0x0400_005f, 0x0020_1072, vertices, 0], // dcl_input v[][0].xyz
        &[0x0200_005f, 0x0002_5001],              // dcl_input vGSInstanceID
        &[0x0100_005d | kind << 11],              // dcl_inputprimitive
        &[0x0300_008f, 0x0011_0000, 0],           // dcl_stream m0
        &[0x0100_085c],                           // dcl_outputtopology pointlist
        &[0x0400_0067, 0x0010_20f2, 0, 1],        // dcl_output_siv o0.xyzw, position
        &[0x0300_0065, 0x0010_2032, 1],           // dcl_output o1.xy
        &[0x0200_005e, vertices],                 // dcl_maxout
    ]
    .concat();
    for vertex in 0..vertices {
        code.extend([0x0800_0036, 0x0010_20f2, 0, 0x0000_4002, 0, 0, 0, 0x3f80_0000]); // mov o0.xyzw, l(0, 0, 0, 1)
        code.extend([0x0600_0036, 0x0010_2012, 1, 0x0020_102a, vertex, 0]); // mov o1.x, v[vertex][0].z
        code.extend([0x0400_0036, 0x0010_2022, 1, 0x0002_5001]); // mov o1.y, vGSInstanceID
        code.extend([0x0300_0075, 0x0011_0000, 0]); // emit_stream m0
    }
    code.push(0x0100_003e); // ret
    let words = [0x0002_0050, code.len() as u32 + 2].into_iter().chain(code);
    let code: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    build(&[(Tag(*b"ISGN"), &signature(taken, 1)), (Tag(*b"OSGN"), &signature(given, 0)), (Tag(*b"SHEX"), &code)])
}

/// Lists and strips with neighbours, by the figures of the API's "Primitive topologies"; and the instances of a shader.
#[test]
fn primitives_have_their_neighbours() {
    let bench = Bench::new();
    for (topology, kind, cases) in [
        ("LINELIST_ADJ", 6, &[("3", &[12, 13, 14, 15][..])][..]),
        ("LINESTRIP_ADJ", 6, &[("3", &[3, 4, 5, 6])]),
        ("TRIANGLELIST_ADJ", 7, &[("2", &[12, 13, 14, 15, 16, 17])]),
        // The first, one in the middle that turns, one that does not, and the last.
        (
            "TRIANGLESTRIP_ADJ",
            7,
            &[
                ("0", &[0, 1, 2, 6, 4, 3]),
                ("3", &[6, 9, 10, 12, 8, 4]),
                ("4", &[8, 6, 10, 14, 12, 11]),
                ("29", &[58, 61, 62, 63, 60, 56]),
            ],
        ),
    ] {
        let strip = kind == 7;
        assert!(capture(&bench, "geometry", "dxbc"));
        std::fs::write(bench.path("points.dxbc"), points_of(kind, if strip { 6 } else { 4 })).unwrap();
        let draws = calls(&bench, "DrawInstanced");
        let state = bench.output(&["state", "trace.reprise", &draws[0], "--json"]);
        let state: Json = serde_json::from_str(&state).unwrap();
        let pipeline = &state["bound"]["pipeline"]["object"]["id"];
        let set = calls(&bench, "IASetPrimitiveTopology").pop().unwrap();
        let made = calls(&bench, "CreateGraphicsPipelineState").swap_remove(0);
        let class = if strip { "TRIANGLE" } else { "LINE" };
        let edits = [
            format!("shader of {pipeline} GS = \"points.dxbc\""),
            format!("call {set}: PrimitiveTopology = D3D_PRIMITIVE_TOPOLOGY_{topology}"),
            format!("call {made}: pDesc.PrimitiveTopologyType = D3D12_PRIMITIVE_TOPOLOGY_TYPE_{class}"),
            format!("call {}: drop", draws[1]),
        ];
        let edits: Vec<&str> = edits.iter().flat_map(|edit| ["-e", edit]).collect();
        bench.output(&[&["edit", "trace.reprise", "-o", "edited.reprise", "--force"], &edits[..]].concat());
        std::fs::rename(bench.path("edited.reprise"), bench.path("trace.reprise")).unwrap();
        for (primitive, numbers) in cases {
            for own in ["0", "1"] {
                let asked = ["--stage", "geometry", "--primitive", primitive, "--gs-instance", own];
                let found = debug(&bench, &draws[0], &asked);
                assert_eq!(complaint(&found), None, "{topology}, {primitive}, {own}");
                let seen =
                    vertices(&found.1["emitted"]).iter().map(|vertex| vertex["SEEN0"].clone()).collect::<Vec<_>>();
                let own: u32 = own.parse().unwrap();
                let wanted: Vec<Json> = numbers.iter().map(|number| json!([number, own])).collect();
                assert_eq!(seen, wanted, "{topology}, {primitive}");
                assert_eq!(found.1["gs_instance"], own);
            }
        }
    }
}

/// Two streams whose outputs have one name: the second has two vertices for each that comes.
#[test]
fn each_stream_is_compared() {
    let bench = Bench::new();
    for shaders in ["dxbc", "dxil"] {
        if !capture(&bench, "stream-parts", shaders) {
            continue;
        }
        let wanted = |number: f64| {
            let value = |stream: u32, first: f64| json!({ "stream": stream, "vertex": { "VALUE0": [first, first + 1.0] }, "open": null });
            let base = 100.0 * number;
            json!([value(0, base), value(1, base + 2.0), value(1, base + 12.0)])
        };
        let mut found = 0;
        for call in calls(&bench, "DrawInstanced") {
            let told = debug(&bench, &call, &["--stage", "geometry", "--primitive", "1"]);
            // Its other draws have no geometry shader.
            if told.2.contains("its pipeline has no geometry shader") {
                assert_eq!(told.0, 2);
                continue;
            }
            found += 1;
            assert_eq!(complaint(&told), None, "{shaders}, {call}");
            assert_eq!(told.1["emitted"], wanted(1.0), "{shaders}");
            let outputs = told.1["check"]["outputs"].as_array().unwrap();
            let names: Vec<&str> = outputs.iter().map(|it| it["name"].as_str().unwrap()).collect();
            assert!(names.contains(&"vertices") && names.contains(&"stream 1, vertex 1: VALUE0.y"), "{names:?}");
        }
        assert!(found > 0, "{shaders}");
    }
}

/// Slices and viewports that the shader chooses, and layers that come from the vertex shader, for each view.
#[test]
fn slices_viewports_and_views_are_compared() {
    let bench = Bench::new();
    for shaders in ["dxbc", "dxil"] {
        assert!(capture(&bench, "viewports", shaders));
        let call = calls(&bench, "DrawInstanced").swap_remove(0);
        let found = debug(&bench, &call, &["--stage", "geometry", "--primitive", "6"]);
        assert_eq!(complaint(&found), None, "{shaders}");
        let last = vertices(&found.1["emitted"]).pop().unwrap();
        assert_eq!((&last["SV_RenderTargetArrayIndex0"], &last["SV_ViewportArrayIndex0"]), (&json!([1]), &json!([2])));
    }
    if !capture(&bench, "view-instances", "dxil") {
        return;
    }
    let mut found = 0;
    for call in calls(&bench, "DrawInstanced") {
        let first = debug(&bench, &call, &["--stage", "geometry", "--primitive", "1"]);
        if first.2.contains("its pipeline has no geometry shader") {
            continue;
        }
        found += 1;
        assert_eq!(complaint(&first), None, "{call}");
        // The second triangle of a strip turns.
        assert_eq!(first.1["vertices"], json!([1, 3, 2]), "{call}");
        // What is given are system values alone.
        let (code, told, _) = debug(&bench, &call, &["--stage", "geometry", "--primitive", "1", "--disturbed"]);
        assert!(code == 1 && told["check"]["equal"] == false, "{call}: {code}, {}", told["check"]);
        let Some(view) = first.1["view"].as_u64() else { continue };
        let other = (view + 1).to_string();
        let second = debug(&bench, &call, &["--stage", "geometry", "--primitive", "1", "--view", &other]);
        if second.0 != 2 {
            assert_eq!(complaint(&second), None, "{call}");
            assert_ne!(first.1["emitted"], second.1["emitted"], "{call}");
        }
    }
    assert!(found > 0);
}

/// What the program `tessellation` divides a patch by.
fn factor(number: u32) -> u32 {
    if number % 7 == 6 { 0 } else { 1 << (number % 3) }
}

#[test]
fn hull_shaders_give_what_the_program_says() {
    let bench = Bench::new();
    for shaders in ["dxbc", "dxil"] {
        assert!(capture(&bench, "tessellation", shaders));
        let call = calls(&bench, "DrawInstanced").swap_remove(0);
        for number in [0, 5, 6, 33] {
            let primitive = number.to_string();
            let constants = debug(&bench, &call, &["--stage", "hull", "--primitive", &primitive]);
            assert_eq!(complaint(&constants), None, "{shaders}, {number}");
            let (told, factor) = (&constants.1, f64::from(factor(number)));
            let given = |name: &str| told["gives"][name][0].as_f64();
            let edges: Vec<Option<f64>> = (0..4).map(|edge| given(&format!("SV_TessFactor{edge}"))).collect();
            assert_eq!((edges, given("SV_InsideTessFactor1")), (vec![Some(factor); 4], Some(factor)));
            assert_eq!((given("NUMBER0"), &told["phase"]), (Some(f64::from(number)), &json!("constants")));
            let dropped = told["check"]["outputs"].as_array().unwrap().iter().find(|it| it["name"] == "dropped");
            assert_eq!(dropped.unwrap()["found"], u32::from(factor == 0.0).to_string());
            let point = debug(&bench, &call, &["--stage", "hull", "--primitive", &primitive, "--point", "0"]);
            assert_eq!(complaint(&point), None, "{shaders}, {number}");
            let pixel = json!([8 * (number % 8), 8 * (number / 8)]);
            assert_eq!(point.1["gives"], json!({ "PIXEL0": pixel, "NUMBER0": [number] }), "{shaders}");
            assert_eq!(point.1["phase"], "points");
        }
        for asked in [&["--point", "0"][..], &[]] {
            let disturbed = [&["--stage", "hull", "--primitive", "1", "--disturbed"], asked].concat();
            let (code, told, errors) = debug(&bench, &call, &disturbed);
            assert!(code == 1 && told["check"]["equal"] == false, "{shaders}: {code}, {errors} {}", told["check"]);
        }
        let (code, _, errors) = debug(&bench, &call, &["--stage", "hull", "--primitive", "0", "--point", "1"]);
        assert!(code == 2 && errors.contains("there is no point 1: the hull shader gives 1"), "{code}: {errors}");
    }
}

#[test]
fn domain_shaders_give_what_the_program_says() {
    let bench = Bench::new();
    for shaders in ["dxbc", "dxil"] {
        assert!(capture(&bench, "tessellation", shaders));
        let call = calls(&bench, "DrawInstanced").swap_remove(0);
        for (number, point) in [(0, 0), (0, 5), (2, 50), (33, 3)] {
            let (primitive, point) = (number.to_string(), point.to_string());
            let asked = ["--stage", "domain", "--primitive", &primitive, "--point", &point];
            let found = debug(&bench, &call, &asked);
            assert_eq!(complaint(&found), None, "{shaders}, {number}, {point}");
            let told = &found.1;
            // Two triangles for each square that a patch is divided into.
            assert_eq!(told["points"], json!(6 * factor(number) * factor(number)), "{shaders}, {number}");
            let at: Vec<f64> = (0..2).map(|axis| told["location"][axis].as_f64().unwrap()).collect();
            let written = |name: &str| {
                let outputs = told["check"]["outputs"].as_array().unwrap();
                let output = outputs.iter().find(|it| it["name"] == name).unwrap();
                output["expected"].as_str().unwrap().parse::<f64>().unwrap()
            };
            let (x, y) = (f64::from(8 * (number % 8)) + 8.0 * at[0], f64::from(8 * (number / 8)) + 8.0 * at[1]);
            let wanted = place(x, y);
            let found = ["x", "y", "z", "w"].map(|axis| written(&format!("SV_Position0.{axis}")));
            assert_eq!(json!(found), wanted, "{shaders}, {number}, {point}");
            assert_eq!((written("SEEN0.x"), written("SEEN0.y")), (f64::from(number), f64::from(number)));
        }
        // A vertex by its place, and a place that has none.
        let found = debug(&bench, &call, &["--stage", "domain", "--primitive", "1", "--location", "0.5,1"]);
        assert_eq!(complaint(&found), None, "{shaders}");
        let (code, told, _) = debug(&bench, &call, &["--stage", "domain", "--primitive", "1", "--location", "0.3,1"]);
        let unseen = told["check"]["unseen"][0].as_str().unwrap_or_default().to_owned();
        assert!(code == 1 && unseen.contains("the GPU has no vertex at this place"), "{code}: {unseen}");
        let disturbed = ["--stage", "domain", "--primitive", "1", "--point", "0", "--disturbed"];
        let (code, told, errors) = debug(&bench, &call, &disturbed);
        assert!(code == 1 && told["check"]["equal"] == false, "{shaders}: {code}, {errors} {}", told["check"]);
        for (asked, reason) in [
            (&["--primitive", "6", "--point", "0"], "the GPU makes no vertices of the patch"),
            (&["--primitive", "0", "--point", "6"], "there is no point 6: the GPU makes 6 of the patch"),
            (&["--primitive", "64", "--point", "0"], "there is no patch 64: the draw has 64 in each instance"),
        ] {
            let (code, _, errors) = debug(&bench, &call, &[&["--stage", "domain"], &asked[..]].concat());
            assert!(code == 2 && errors.contains(reason), "{code}: {errors}");
        }
    }
}

#[test]
fn what_does_not_go_together_is_refused_by_name() {
    let bench = Bench::new();
    assert!(capture(&bench, "geometry", "dxbc"));
    let call = calls(&bench, "DrawInstanced").swap_remove(0);
    for (asked, reason) in [
        (&["--stage", "geometry"][..], "name the primitive whose shader runs by --primitive P"),
        (&["--stage", "geometry", "--primitive", "64"], "there is no primitive 64: the draw has 64 in each instance"),
        (
            &["--stage", "geometry", "--primitive", "0", "--gs-instance", "1"],
            "there is no instance 1 of the shader: it has 1",
        ),
        (
            &["--stage", "geometry", "--primitive", "0", "--vertex", "0"],
            "--thread, --vertex and --pixel are of other shaders",
        ),
        (
            &["--stage", "geometry", "--primitive", "0", "--point", "0"],
            "--point goes with patches, and no tessellation comes before the geometry shader",
        ),
        (&["--stage", "hull", "--primitive", "0"], "its pipeline has no hull shader"),
        (&["--stage", "domain", "--primitive", "0"], "name the vertex that the domain shader makes by --point I"),
        (&["--stage", "domain", "--primitive", "0", "--point", "0"], "its pipeline has no domain shader"),
        (&["--stage", "mesh"], "--stage mesh name the shader of a thread: add --thread X,Y,Z"),
        (&["--primitive", "0"], "--primitive goes with --pixel X,Y, or with --stage hull, domain or geometry"),
        (&["--vertex", "0", "--gs-instance", "0"], "--gs-instance goes with --stage geometry"),
        (&["--vertex", "0", "--point", "0"], "--point goes with --stage hull, domain or geometry"),
        (&["--vertex", "0", "--location", "0,0"], "--location goes with --stage domain"),
    ] {
        let (code, told, errors) = debug(&bench, &call, asked);
        assert!(code == 2 && told == Json::Null && errors.contains(reason), "{asked:?}: {code}: {errors}");
    }
    if capture(&bench, "mesh", "dxil") {
        let call = calls(&bench, "DispatchMesh").swap_remove(0);
        let (code, _, errors) = debug(&bench, &call, &["--stage", "geometry", "--primitive", "0"]);
        assert!(code == 2 && errors.contains("mesh shaders read no vertices"), "{code}: {errors}");
    }
}
