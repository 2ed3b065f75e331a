//! Ray tracing through everything: a program with acceleration structures and ray queries is captured, shown, extracted and played.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::artifact;
use serde_json::{Value as Json, json};

/// Moves everything that is allocated.
const DUMMIES: &str = "--create-dummy-allocations";
const BUILD: &str = "ID3D12GraphicsCommandList4::BuildRaytracingAccelerationStructure";

/// Captures `ray-queries`; `None` where this machine's device has none.
fn captured() -> Option<Bench> {
    captured_program("ray-queries")
}

/// Captures a program; `None` where this machine's device has not what it needs.
fn captured_program(name: &str) -> Option<Bench> {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-q", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args([name, "--shaders", "dxil", "--library"]).arg(programs::ours());
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    if finished.errors().contains("cannot run here") {
        let features = bench.output(&["features", "ours"]);
        let tier = features.lines().find(|line| line.contains("D3D12_OPTIONS5.RaytracingTier")).unwrap();
        assert!(!tier.ends_with("1_1"), "the device has ray queries: {}", finished.errors());
        return None;
    }
    assert!(finished.status.success(), "{}\n{}", finished.status, finished.errors());
    assert_eq!(finished.text(), format!("{name} {}\n", programs::expected(name)));
    Some(bench)
}

/// The calls of the trace.
fn calls(bench: &Bench) -> Vec<Json> {
    bench.output(&["dump", "--json", "trace.reprise"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The resource and offset that an address is shown as.
fn place(address: &Json) -> (u64, u64) {
    (address["object"].as_u64().unwrap_or_else(|| panic!("{address}")), address["offset"].as_u64().unwrap())
}

#[test]
fn what_is_built_is_dumped_as_the_program_stated_it() {
    let Some(bench) = captured() else { return };
    let calls = calls(&bench);
    let builds: Vec<&Json> = calls.iter().filter(|call| call["method"] == BUILD).map(|call| &call["args"]).collect();
    // Triangles, boxes, instances; both again, changed; and instances of what was copied.
    assert_eq!(builds.len(), 6);
    let inputs = |at: usize| &builds[at]["pDesc"]["Inputs"];
    let geometry = |at: usize, number: usize| &inputs(at)["pGeometryDescs"][number];

    assert_eq!(inputs(0)["DescsLayout"], "D3D12_ELEMENTS_LAYOUT_ARRAY");
    let (square, others) = (&geometry(0, 0)["Triangles"], &geometry(0, 1)["Triangles"]);
    assert_eq!((&square["IndexCount"], &square["VertexCount"]), (&json!(6), &json!(4)));
    assert_eq!(square["IndexFormat"], "DXGI_FORMAT_R16_UINT");
    assert_eq!(others["IndexFormat"], "DXGI_FORMAT_UNKNOWN");
    assert_eq!(others["VertexBuffer"]["StrideInBytes"], 24);
    let vertices = |triangles: &Json| place(&triangles["VertexBuffer"]["StartAddress"]);
    let (first, second) = (vertices(square), vertices(others));
    assert_eq!((second.0, second.1 - first.1), (first.0, 4 * 24), "behind the square's corners");
    assert_eq!(place(&others["Transform3x4"]).1, 0);

    assert_eq!(inputs(1)["DescsLayout"], "D3D12_ELEMENTS_LAYOUT_ARRAY_OF_POINTERS");
    let boxes = [0, 1].map(|number| &geometry(1, number)["AABBs"]);
    assert_eq!(boxes.map(|boxes| boxes["AABBCount"].as_u64().unwrap()), [2, 1]);
    assert_eq!(boxes.map(|boxes| place(&boxes["AABBs"]["StartAddress"]).1), [0, 48]);

    assert_eq!((&inputs(2)["NumDescs"], &inputs(2)["InstanceDescs"]["offset"]), (&json!(7), &json!(0)));
    let update = "D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PERFORM_UPDATE";
    for at in [3, 4] {
        assert!(inputs(at)["Flags"].to_string().contains(update), "{}", inputs(at));
        let desc = &builds[at]["pDesc"];
        let [from, to] =
            ["SourceAccelerationStructureData", "DestAccelerationStructureData"].map(|name| place(&desc[name]));
        assert_eq!(from, to, "changed in place");
    }
    let question = &builds[3]["pPostbuildInfoDescs"][0]["InfoType"];
    assert!(question.to_string().contains("COMPACTED_SIZE"), "{question}");

    let copies = calls.iter().filter(|call| call["method"].to_string().contains("::CopyRaytracing"));
    let modes: Vec<String> = copies.map(|call| call["args"]["Mode"].to_string()).collect();
    let named = ["COMPACT", "SERIALIZE", "DESERIALIZE", "CLONE", "SERIALIZE", "DESERIALIZE"];
    assert_eq!(modes.len(), named.len());
    assert!(modes.iter().zip(named).all(|(mode, name)| mode.ends_with(&format!("_{name}\""))), "{modes:?}");
    let sizes = calls.iter().filter(|call| call["method"].to_string().contains("PrebuildInfo"));
    let sizes: Vec<u64> =
        sizes.map(|call| call["args"]["pInfo"]["ResultDataMaxSizeInBytes"].as_u64().unwrap()).collect();
    assert!(sizes.len() == 4 && sizes.iter().all(|size| size % 256 == 0 && *size != 0), "{sizes:?}");
}

#[test]
fn a_dispatch_finds_structures_by_views_and_by_addresses() {
    let Some(bench) = captured() else { return };
    let calls = calls(&bench);
    let top = |at: usize| {
        let built: Vec<&Json> = calls.iter().filter(|call| call["method"] == BUILD).collect();
        place(&built[at]["args"]["pDesc"]["DestAccelerationStructureData"])
    };
    let dispatches = calls.iter().filter(|call| call["method"].to_string().ends_with("::Dispatch\""));
    let states: Vec<Json> = dispatches
        .map(|call| {
            let number = call["call"].to_string();
            serde_json::from_str(&bench.output(&["state", "--json", "trace.reprise", &number])).unwrap()
        })
        .collect();
    let scenes: Vec<Json> = states.iter().map(|state| state["bound"]["compute"]["arguments"][3].clone()).collect();
    let told = |location: &Json| (location["resource"]["id"].as_u64().unwrap(), location["offset"].as_u64().unwrap());
    let slot = |at: usize| &scenes[at]["table"]["ranges"][0]["slots"][0];
    let dimension = "D3D12_SRV_DIMENSION_RAYTRACING_ACCELERATION_STRUCTURE";
    assert_eq!(slot(0)["desc"]["ViewDimension"], dimension);
    assert_eq!(told(&slot(0)["location"]), top(2));
    assert_eq!(slot(1)["location"], Json::Null, "a view of nothing");
    assert_eq!(told(&scenes[2]["descriptor"]["location"]), top(2), "{}", scenes[2]);
    assert_eq!(told(&slot(4)["location"]), top(5));
    assert!(slot(4)["copied_from"].is_object(), "{}", slot(4));

    // The structures as their inputs: which build made them, and what the program stored as their instances.
    let builds: Vec<&Json> = calls.iter().filter(|call| call["method"] == BUILD).map(|call| &call["call"]).collect();
    for (at, build) in [(0, 2), (2, 4), (4, 5)] {
        let found = &states[at]["structures"][0];
        assert_eq!((&found["build"], &found["level"]), (builds[build], &json!("top")), "{found}");
        assert!(found["use"].as_str().unwrap().starts_with("root parameter 3"), "{found}");
        let instances = found["instances"]["list"].as_array().unwrap();
        let ids: Vec<u64> = instances.iter().map(|instance| instance["id"].as_u64().unwrap()).collect();
        let masks: Vec<u64> = instances.iter().map(|instance| instance["mask"].as_u64().unwrap()).collect();
        assert_eq!(ids, [100, 200, 300, 400, 500, 600, 700]);
        assert_eq!(masks, [1, 2, 4, 8, 16, 255, 0]);
        // Each bottom level once, by the first instance of it.
        let below = states[at]["structures"].as_array().unwrap().iter().skip(1);
        let below: Vec<&Json> = below.map(|it| &it["location"]).collect();
        let of: Vec<&Json> = instances.iter().map(|instance| &instance["structure"]).collect();
        assert_eq!(below, [of[0], of[2]]);
        assert_eq!((of[1], of[5]), (of[0], &Json::Null), "one has no structure");
    }
    assert_eq!(states[1].get("structures"), None, "a view of nothing");
}

#[test]
fn shaders_of_meshes_are_extracted_from_streams() {
    let Some(bench) = captured() else { return };
    let index: Json = serde_json::from_str(&bench.output(&["extract", "--json", "trace.reprise"])).unwrap();
    let shaders = artifact::workspace().join("crates/programs/shaders");
    for (name, stage) in [("mesh", "mesh"), ("compute", "compute"), ("pixel", "pixel"), ("vertex", "vertex")] {
        let bytes = std::fs::read(shaders.join(format!("ray_queries.{name}.dxil"))).unwrap();
        let folder = bench.path("trace.extracted");
        let files = index["shaders"].as_array().unwrap().iter().filter(|shader| shader["stage"] == stage);
        let mut files = files.map(|shader| folder.join(shader["file"].as_str().unwrap()));
        assert!(files.any(|file| std::fs::read(file).unwrap() == bytes), "{name}: {index}");
    }
}

/// Addresses of instances lie in memory, and resources lie elsewhere in another process.
#[test]
fn rays_find_the_same_when_replayed() {
    let Some(bench) = captured() else { return };
    // As it is, and beside allocations that only take room.
    for arguments in [&["replay", "--json", "trace.reprise"][..], &["replay", "--json", DUMMIES, "trace.reprise"]] {
        let report: Json = serde_json::from_str(&bench.output(arguments)).unwrap();
        assert_eq!(
            (&report["different_bytes"], &report["moved_structures"]["count"]),
            (&json!(0), &json!(0)),
            "{report}"
        );
        // The program reads the results of twelve dispatches and all of its pictures.
        assert!(report["compared_bytes"].as_u64().unwrap() > 100_000, "{report}");
    }
    larger(&bench);
}

/// Replays as on another device: what programs place needs more room, and structures that have less spoil what lies behind them.
fn larger(bench: &Bench) -> u64 {
    let mut command = bench.command();
    command.args(["replay", "--json", "trace.reprise"]).env("REPRISE_INFLATE", "7");
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{}\n{}", finished.status, finished.errors());
    let report: Json = serde_json::from_str(&finished.text()).unwrap();
    assert_eq!(report["different_bytes"], 0, "{report}");
    assert!(report["compared_bytes"].as_u64().unwrap() > 100_000, "{report}");
    report["moved_structures"]["count"].as_u64().unwrap()
}

/// A structure in less room than it needs would spoil the next one.
#[test]
fn structures_side_by_side_get_room_where_they_are_larger() {
    let Some(bench) = captured_program("structures") else { return };
    // In three frames, twelve bottom levels in the first pool and the second, and two top levels.
    assert_eq!(larger(&bench), 3 * (12 + 12 + 2));
}

/// Replays where things lie elsewhere, and where shaders have other identifiers with `inflate`.
fn moved(bench: &Bench, elsewhere: &str, inflate: bool) -> Json {
    let mut command = bench.command();
    command.args(["replay", "--json", elsewhere, "trace.reprise"]);
    if inflate {
        command.env("REPRISE_INFLATE", "7");
    }
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{}\n{}", finished.status, finished.errors());
    let report: Json = serde_json::from_str(&finished.text()).unwrap();
    assert_eq!(report["different_bytes"], 0, "{report}");
    assert_eq!(report["other_identifiers"].as_u64().unwrap() > 0, inflate, "{report}");
    report
}

/// With no address of the capture: in another process resources have others, if their places are not asked for. Beside dummies so do
/// descriptor heaps.
const PLACES: [(&str, bool); 3] = [("--addresses=moved", false), (DUMMIES, false), (DUMMIES, true)];

/// Four tables in each of five dispatches, two of which are in one list: records of several shaders, with constants, addresses and handles
/// of tables.
#[test]
fn tables_of_shaders_are_moved_with_what_they_name() {
    let Some(bench) = captured_program("rays") else { return };
    for (elsewhere, inflate) in PLACES {
        let report = moved(&bench, elsewhere, inflate);
        assert_eq!((&report["moved_tables"], &report["moved_instances"]), (&json!(5 * 4), &json!(3)), "{report}");
        assert!(report["compared_bytes"].as_u64().unwrap() >= 3 * 1024, "{report}");
    }
}

/// One bundle is executed by two lists, the second of which does so twice, with records that name other numbers.
#[test]
fn tables_of_dispatches_in_bundles_are_moved() {
    let Some(bench) = captured_program("rays-bundled") else { return };
    for (elsewhere, inflate) in PLACES {
        let report = moved(&bench, elsewhere, inflate);
        assert_eq!((&report["moved_tables"], &report["moved_instances"]), (&json!(4), &json!(3)), "{report}");
        assert!(report["compared_bytes"].as_u64().unwrap() >= 2 * 1024, "{report}");
    }
}

/// The same by buffers of arguments: two dispatches in the first list, twice two in the second, none in the third.
#[test]
fn tables_of_indirect_dispatches_in_bundles_are_moved() {
    let Some(bench) = captured_program("rays-counted") else { return };
    for (elsewhere, inflate) in PLACES {
        let report = moved(&bench, elsewhere, inflate);
        let counts = ["moved_tables", "moved_instances", "moved_commands"].map(|name| report[name].as_u64().unwrap());
        assert_eq!(counts, [(1 + 2) * 2 * 4, 3, 2], "{report}");
        assert!(report["compared_bytes"].as_u64().unwrap() >= 3 * 1024, "{report}");
    }
}

/// Only the GPU knows where these tables and instances lie, and how many of the dispatches count: two of two, then none. The other tables
/// are of four dispatches by lists, two of which are of a state object that has grown.
#[test]
fn tables_of_indirect_dispatches_and_instances_by_pointers_are_moved() {
    let Some(bench) = captured_program("rays-grown") else { return };
    for (elsewhere, inflate) in PLACES {
        let report = moved(&bench, elsewhere, inflate);
        let counts = ["moved_tables", "moved_instances", "moved_commands"].map(|name| report[name].as_u64().unwrap());
        assert_eq!(counts, [(4 + 2) * 4, 3, 2 * 2], "{report}");
        assert!(report["compared_bytes"].as_u64().unwrap() >= 4 * 1024, "{report}");
    }
    let text = bench.output(&["replay", DUMMIES, "trace.reprise"]);
    for part in ["24 shader tables moved on the GPU", "translated, in 3 instances and 4 indirect commands"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
