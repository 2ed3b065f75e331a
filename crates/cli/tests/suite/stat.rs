//! What `stat` counts, compared with what the dump shows, and with what is known to be left out.

use crate::bench::Bench;
use crate::programs;
use reprise_codec::{schema, wire};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::MethodId;
use reprise_trace::read::Trace;
use reprise_trace::record::{Kind, LEAVES, SEQUENCE};
use reprise_trace::session::{Config, Session};
use reprise_trace::writer_process;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

const ADD_REF: MethodId = reprise_d3d12::method("IUnknown", "AddRef");
const SET_NAME: MethodId = reprise_d3d12::method("ID3D12Object", "SetName");
const RELEASE: MethodId = reprise_d3d12::method("IUnknown", "Release");

fn stat(bench: &Bench, trace: &str) -> Json {
    serde_json::from_str(&bench.output(&["stat", "--json", trace])).unwrap()
}

fn dump(bench: &Bench) -> Vec<Json> {
    let text = bench.output(&["dump", "--json", "trace.reprise"]);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// All objects in a value, by class.
fn objects(value: &Json, found: &mut BTreeMap<String, BTreeSet<u64>>) {
    match value {
        Json::Object(members) => {
            if let (Some(id), Some(class)) = (value["id"].as_u64(), value["class"].as_str()) {
                found.entry(class.to_owned()).or_default().insert(id);
            }
            members.values().for_each(|value| objects(value, found));
        }
        Json::Array(values) => values.iter().for_each(|value| objects(value, found)),
        _ => {}
    }
}

/// What `SetName` is given: a pointer, and the text behind it.
fn name(text: &str) -> Vec<u8> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let header = wire::header(wire::Kind::Inline, units.len() as u64);
    let mut payload: Vec<u8> = [1, header].iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
    payload.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    payload.resize(payload.len().next_multiple_of(8), 0);
    payload
}

/// Writes the calls of `trace.reprise` again: without those that release these objects, and with a name of `held` and
/// another reference to it.
fn forget(bench: &Bench, forgotten: &[u32], held: u32) {
    let trace = Trace::open(&bench.path("trace.reprise")).unwrap();
    let folder = bench.path("session");
    let session = Session::create(&folder, &Config::default()).unwrap();
    let mut ring = session.create_ring("").unwrap();
    let mut events = trace.events();
    let mut left_out = BTreeSet::new();
    while let Some(event) = events.next().unwrap() {
        let release = event.kind == Kind::Enter && event.method == RELEASE.0;
        // Contents are not copied, so calls that are given any are not either.
        if (release && forgotten.contains(&event.object)) || !event.blobs.is_empty() {
            left_out.insert(event.number);
        }
        if left_out.contains(&event.number) || ![Kind::Enter, Kind::Leave].contains(&event.kind) {
            continue;
        }
        if release && event.object == held {
            ring.record(Kind::Enter, SET_NAME.0, SEQUENCE | LEAVES, held, 0, &[&name("the \u{1b} queue")]);
            ring.record(Kind::Leave, SET_NAME.0, SEQUENCE, held, 0, &[&[0; 8]]);
            ring.record(Kind::Enter, ADD_REF.0, SEQUENCE | LEAVES, held, 0, &[&[]]);
            ring.record(Kind::Leave, ADD_REF.0, SEQUENCE, held, 0, &[&2u64.to_le_bytes()]);
        }
        let returns = event.kind == Kind::Enter
            && MODEL.methods[usize::from(event.method)].order == reprise_d3d12::model::Order::EnterLeave;
        let flags = if returns { SEQUENCE | LEAVES } else { SEQUENCE };
        // The program's reference is not the last one now.
        let more = event.kind == Kind::Leave && event.method == RELEASE.0 && event.object == held;
        let payload = if more { &1u64.to_le_bytes()[..] } else { event.payload };
        ring.record(event.kind, event.method, flags, event.object, 0, &[payload]);
    }
    session.close();
    let schema = Box::new(|methods: &[u16]| schema::of(&MODEL, methods));
    let output = bench.path("leaks.reprise");
    writer_process::run(writer_process::Options {
        session: folder,
        output,
        program: None,
        max_bytes: None,
        compression: Default::default(),
        schema,
    })
    .unwrap();
}

#[test]
fn calls_objects_and_leaks_are_counted() {
    let bench = Bench::new();
    programs::capture(&bench, "dispatches", &programs::ours());
    let (found, lines) = (stat(&bench, "trace.reprise"), dump(&bench));

    let mut methods: BTreeMap<&str, u64> = BTreeMap::new();
    lines.iter().filter_map(|line| line["method"].as_str()).for_each(|name| *methods.entry(name).or_default() += 1);
    let counted = found["methods"].as_object().unwrap();
    let counted: BTreeMap<&str, u64> =
        counted.iter().map(|(name, of)| (name.as_str(), of["calls"].as_u64().unwrap())).collect();
    assert_eq!(counted, methods);
    assert_eq!(found["calls"].as_u64(), Some(methods.values().sum()));
    // What the program saw the GPU write is no store.
    let stores = || lines.iter().filter(|line| line["event"] == "memory" && line["observed"].is_null());
    let stored = stores().filter_map(|line| line["bytes"].as_u64());
    assert_eq!(found["memory"]["bytes"].as_u64(), Some(stored.sum()));
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
    let all = lines.iter().filter(|line| line["event"] == "memory").filter_map(|line| line["bytes"].as_u64()).sum();
    assert_eq!(info["memory_bytes"].as_u64(), Some(all));
    let observed = info["observed_bytes"].as_u64().unwrap();
    assert!(observed > 0 && found["memory"]["bytes"].as_u64() == Some(all - observed), "{info}");
    // Three shaders, each given once: the sizes of their files.
    let folder = reprise_testing::artifact::workspace().join("crates/programs/shaders");
    let size = |name: &str| std::fs::metadata(folder.join(format!("dispatches.{name}.dxbc"))).unwrap().len();
    let sizes: u64 = ["arguments", "count", "move"].map(size).iter().sum();
    let blobs = &found["blobs"];
    assert_eq!((blobs["stored"].as_u64(), blobs["stored_bytes"].as_u64()), (Some(3), Some(sizes)));
    assert_eq!((blobs["given"].as_u64(), blobs["ratio"].as_f64()), (Some(3), Some(1.0)));
    let largest: Vec<u64> = blobs["largest"].as_array().unwrap().iter().map(|b| b["bytes"].as_u64().unwrap()).collect();
    assert!(largest.len() == 3 && largest.is_sorted_by(|a, b| a >= b) && largest.iter().sum::<u64>() == sizes);
    let mut written: BTreeMap<u64, u64> = BTreeMap::new();
    stores().for_each(|line| {
        *written.entry(line["object"]["id"].as_u64().unwrap()).or_default() += line["bytes"].as_u64().unwrap();
    });
    let by_object = found["memory"]["objects"].as_array().unwrap().iter();
    let by_object: BTreeMap<u64, u64> =
        by_object.map(|of| (of["object"].as_u64().unwrap(), of["bytes"].as_u64().unwrap())).collect();
    assert!(!written.is_empty() && by_object == written, "{by_object:?} {written:?}");
    let frames = lines.iter().filter(|line| line["event"] == "frame").count();
    assert_eq!(found["frames"]["count"].as_u64(), Some(frames as u64));

    let mut classes = BTreeMap::new();
    lines.iter().for_each(|line| objects(line, &mut classes));
    assert_eq!(found["objects"].as_object().unwrap().len(), classes.len());
    for (class, ids) in &classes {
        let of = &found["objects"][class];
        assert_eq!((of["created"].as_u64(), of["leaked"].as_u64()), (Some(ids.len() as u64), Some(0)), "{class}");
    }
    assert_eq!(found["leaks"], Json::Array(Vec::new()));

    let [fence, queue] = ["ID3D12Fence", "ID3D12CommandQueue"].map(|class| *classes[class].first().unwrap());
    let resource = *classes["ID3D12Resource"].last().unwrap();
    forget(&bench, &[fence as u32, resource as u32], queue as u32);
    let leaks = stat(&bench, "leaks.reprise")["leaks"].clone();
    let leaked: BTreeMap<u64, (&str, &str)> = leaks
        .as_array()
        .unwrap()
        .iter()
        .map(|leak| {
            assert_eq!(leak["references"], 1, "{leak}");
            let named = if leak["object"] == queue { "the \u{1b} queue".into() } else { Json::Null };
            assert_eq!(leak["name"], named, "{leak}");
            let text = |name: &str| leak[name].as_str().unwrap();
            (leak["object"].as_u64().unwrap(), (text("class"), text("method")))
        })
        .collect();
    let expected = [
        (queue, ("ID3D12CommandQueue", "ID3D12Device::CreateCommandQueue")),
        (fence, ("ID3D12Fence", "ID3D12Device::CreateFence")),
        (resource, ("ID3D12Resource", "ID3D12Device::CreateCommittedResource")),
    ];
    assert_eq!(leaked, BTreeMap::from(expected));
    let text = bench.output(&["stat", "leaks.reprise"]);
    assert!(text.contains(&format!("  ID3D12Fence({fence}): 1 reference, from call ")), "{text}");
    let named = format!("  ID3D12CommandQueue({queue}) \"the \\u{{1b}} queue\": 1 reference");
    assert!(text.contains(&named), "escaped: {text}");
    assert!(bench.output(&["stat", "trace.reprise"]).ends_with("no leaks\n"));
}
