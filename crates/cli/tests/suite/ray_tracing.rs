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
    let scenes: Vec<Json> = dispatches
        .map(|call| {
            let number = call["call"].to_string();
            let state: Json =
                serde_json::from_str(&bench.output(&["state", "--json", "trace.reprise", &number])).unwrap();
            state["bound"]["compute"]["arguments"][3].clone()
        })
        .collect();
    let told = |location: &Json| (location["resource"]["id"].as_u64().unwrap(), location["offset"].as_u64().unwrap());
    let slot = |at: usize| &scenes[at]["table"]["ranges"][0]["slots"][0];
    let dimension = "D3D12_SRV_DIMENSION_RAYTRACING_ACCELERATION_STRUCTURE";
    assert_eq!(slot(0)["desc"]["ViewDimension"], dimension);
    assert_eq!(told(&slot(0)["location"]), top(2));
    assert_eq!(slot(1)["location"], Json::Null, "a view of nothing");
    assert_eq!(told(&scenes[2]["descriptor"]["location"]), top(2), "{}", scenes[2]);
    assert_eq!(told(&slot(4)["location"]), top(5));
    assert!(slot(4)["copied_from"].is_object(), "{}", slot(4));
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

/// Four tables in each of three dispatches: records of several shaders, with constants, addresses and handles of tables.
#[test]
fn tables_of_shaders_are_moved_with_what_they_name() {
    let Some(bench) = captured_program("rays") else { return };
    // In another process resources lie elsewhere, if their places are not asked for. Beside dummies so do descriptor heaps.
    for (elsewhere, inflate) in [("--addresses=moved", false), (DUMMIES, false), (DUMMIES, true)] {
        let mut command = bench.command();
        command.args(["replay", "--json", elsewhere, "trace.reprise"]);
        if inflate {
            command.env("REPRISE_INFLATE", "7");
        }
        let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
        assert!(finished.status.success(), "{}\n{}", finished.status, finished.errors());
        let report: Json = serde_json::from_str(&finished.text()).unwrap();
        assert_eq!((&report["different_bytes"], &report["moved_tables"]), (&json!(0), &json!(12)), "{report}");
        assert!(report["compared_bytes"].as_u64().unwrap() >= 3 * 1024, "{report}");
    }
}

/// Only the GPU knows where their tables lie.
#[test]
fn indirect_dispatches_of_tables_that_would_have_to_move_are_refused() {
    let Some(bench) = captured_program("rays-grown") else { return };
    let replay = bench.run(&["replay", DUMMIES, "trace.reprise"]);
    assert_eq!(replay.status.code(), Some(1), "{}", replay.text());
    for part in ["ExecuteIndirect", "only tables of direct dispatches are moved"] {
        assert!(replay.errors().contains(part), "{part}: {}", replay.errors());
    }
}

/// The calls of a trace by the end of their methods' names.
fn calls_of<'c>(calls: &'c [Json], method: &str) -> Vec<&'c Json> {
    let end = format!("::{method}");
    calls.iter().filter(|call| call["method"].as_str().is_some_and(|name| name.ends_with(&end))).collect()
}

fn state(bench: &Bench, call: &Json) -> Json {
    serde_json::from_str(&bench.output(&["state", "--json", "trace.reprise", &call["call"].to_string()])).unwrap()
}

/// The identifiers that the program was told, by export and state object.
fn identifiers(calls: &[Json]) -> Vec<(u64, String, String)> {
    let asked = calls_of(calls, "GetShaderIdentifier").into_iter().filter(|call| call["result"].is_string());
    let told = |call: &Json| {
        let text = |value: &Json| value.as_str().unwrap().trim_start_matches("0x").to_owned();
        (call["this"]["id"].as_u64().unwrap(), text(&call["args"]["pExportName"]), text(&call["result"]))
    };
    asked.map(told).collect()
}

/// Tables as crates/programs/src/program/rays.rs and rays/model.rs write them: local arguments behind 32 bytes, addresses and handles at
/// multiples of 8, records 64 bytes apart.
#[test]
fn records_of_shader_tables_are_told_as_the_program_wrote_them() {
    for (program, grown) in [("rays", false), ("rays-grown", true)] {
        let Some(bench) = captured_program(program) else { return };
        let calls = calls(&bench);
        let dispatches = calls_of(&calls, "DispatchRays");
        let state = state(&bench, dispatches.last().unwrap());
        let tables = state["shader_tables"].as_array().unwrap();
        let told: Vec<_> = tables
            .iter()
            .map(|table| {
                (table["table"].as_str().unwrap(), table["bytes"].as_u64().unwrap(), table["stride"].as_u64().unwrap())
            })
            .collect();
        let expected = [("ray_generation", 32, 0), ("miss", 128, 64), ("hit", 192, 64), ("callable", 128, 64)];
        assert_eq!(told, expected);
        let record = |table: usize, index: usize| &tables[table]["records"][index];
        let names = |table: usize| -> Vec<Json> {
            tables[table]["records"].as_array().unwrap().iter().map(|record| record["export"].clone()).collect()
        };
        assert_eq!(names(0), ["generate"]);
        assert_eq!(names(1), ["nothing", "nothing"]);
        let late = if grown { json!("late") } else { Json::Null };
        assert_eq!(names(2), [json!("near"), json!("box"), late]);
        assert_eq!(record(2, 2)["null"], !grown);
        assert_eq!(names(3), ["twice", "twice"]);
        let known = identifiers(&calls);
        for (table, index) in [(0, 0), (1, 1), (2, 0), (2, 1), (3, 0)] {
            let (name, identifier) = (&record(table, index)["export"], &record(table, index)["identifier"]);
            assert!(known.iter().any(|(_, export, bytes)| export == name && bytes == identifier), "{name} {known:?}");
        }

        let constants = |words: [u32; 2]| json!([{ "offset": 32, "constants": words }]);
        assert_eq!(record(0, 0)["arguments"], json!([]));
        assert_eq!(record(1, 0)["arguments"], constants([100, 3]));
        assert_eq!(record(1, 1)["arguments"], constants([200, 5]));
        assert_eq!(record(3, 0)["arguments"], constants([7, 0]));
        assert_eq!(record(3, 1)["arguments"], constants([9, 0]));
        let near = &record(2, 0)["arguments"];
        assert_eq!(near[0], json!({ "offset": 32, "constants": [1000, 2] }));
        assert_eq!((&near[1]["offset"], &near[1]["address"]["offset"]), (&json!(40), &json!(0)), "{near}");
        let numbers = &near[1]["address"]["resource"]["id"];
        let made = calls.iter().find(|call| call["args"]["ppvResource"]["id"] == *numbers).unwrap();
        assert_eq!(made["args"]["pDesc"]["Width"], 16, "the buffer of four numbers: {made}");
        let side = &record(2, 1)["arguments"];
        assert_eq!(side[0], json!({ "offset": 32, "constants": [10] }), "and a word of padding");
        assert_eq!((&side[1]["offset"], &side[1]["table"]["slot"]), (&json!(40), &json!(3)), "{side}");
        let heaps = calls_of(&calls, "SetDescriptorHeaps");
        assert_eq!(side[1]["table"]["heap"]["id"], heaps[0]["args"]["ppDescriptorHeaps"][0]["id"]);

        let text = bench.output(&["state", "trace.reprise", &dispatches[0]["call"].to_string()]);
        for line in
            ["miss table", "nothing (miss); +32 constants 0xc8 0x5", "box (procedural); +32 constants 0xa; +40 table "]
        {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}

/// Exports as crates/programs/src/program/rays.rs states them: hit groups of a collection, the others of the pipeline.
#[test]
fn exports_of_state_objects_are_extracted_with_their_records() {
    let Some(bench) = captured_program("rays-grown") else { return };
    let index: Json = serde_json::from_str(&bench.output(&["extract", "--json", "trace.reprise"])).unwrap();
    let objects = index["state_objects"].as_array().unwrap();
    let created = calls(&bench);
    let made: Vec<u64> = ["CreateStateObject", "AddToStateObject"]
        .iter()
        .flat_map(|method| calls_of(&created, method))
        .map(|call| call["call"].as_u64().unwrap())
        .collect();
    assert_eq!(objects.iter().map(|object| object["call"].as_u64().unwrap()).collect::<Vec<_>>(), made);
    let exports = |at: usize| -> Vec<(&str, &str, u64)> {
        assert_eq!(objects[at].get("problem"), None);
        let exports = objects[at]["exports"].as_array().unwrap().iter();
        let mut all: Vec<_> = exports
            .map(|it| {
                (it["name"].as_str().unwrap(), it["kind"].as_str().unwrap(), it["record"]["bytes"].as_u64().unwrap())
            })
            .collect();
        all.sort_unstable();
        all
    };
    let hits = [("box", "procedural", 48), ("near", "triangles", 48)];
    assert_eq!(exports(0), hits);
    let first = ("generate", "raygeneration", 32);
    let (nothing, twice) = (("nothing", "miss", 40), ("twice", "callable", 40));
    assert_eq!(exports(1), [hits[0], first, hits[1], nothing, twice]);
    assert_eq!(exports(2), [hits[0], first, ("late", "triangles", 32), hits[1], nothing, twice]);
    let find = |at: usize, name: &str| {
        let found = objects[at]["exports"].as_array().unwrap().iter().find(|export| export["name"] == name);
        found.unwrap_or_else(|| panic!("{name}: {}", objects[at])).clone()
    };
    let stages: Vec<Json> =
        find(2, "box")["shaders"].as_array().unwrap().iter().map(|it| json!([it["stage"], it["name"]])).collect();
    assert_eq!(stages, [json!(["closesthit", "beside"]), json!(["intersection", "cross"])]);
    let arguments = json!([{ "offset": 32, "holds": "constants", "words": 1 }, { "offset": 40, "holds": "table" }]);
    assert_eq!(find(0, "box")["record"]["arguments"], arguments);
    // What was told of the one counts for the other.
    assert_eq!(find(1, "near")["identifier"], find(2, "near")["identifier"]);
    assert!(find(1, "near")["identifier"].is_string());
    let text = bench.output(&["extract", "trace.reprise"]);
    assert!(text.contains("  box (procedural), record of 48 bytes: +32 1 constant, +40 table"), "{text}");
}
