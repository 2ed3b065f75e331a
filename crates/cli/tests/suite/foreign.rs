//! Traces that builds with another model of the API recorded: shown and played as our own, and where today's model does not have
//! a call, shown by theirs and refused at that call.

use crate::bench::Bench;
use crate::doctor::Doctor;
use reprise_codec::schema;
use reprise_codec::translate::{Extended, Translation};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Model, Role};
use reprise_trace::read::Trace;
use reprise_trace::record::{Kind, LEAVES, SEQUENCE};
use reprise_trace::session::{Config, Session};
use reprise_trace::writer_process;
use serde_json::Value as Json;
use std::path::PathBuf;

/// A golden trace of one thread, of a compute program.
fn golden() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/v2/compute.reprise"))
}

/// Writes the golden trace as a build with this model would have recorded it; its schema says what `said` does.
fn record(bench: &Bench, name: &str, model: Model, said: Model) {
    let trace = Trace::open(&golden()).unwrap();
    // The golden trace is of an earlier day itself.
    reprise_codec::translate::attach(&trace, &Extended::new(MODEL)).unwrap();
    // From today's model to that one: as if that one were today's.
    let translation = Translation::between(&Extended::new(model), MODEL).unwrap();
    let folder = bench.path("session");
    let config = Config { description: trace.meta().to_string(), ..Config::default() };
    let session = Session::create(&folder, &config).unwrap();
    let mut ring = session.create_ring("").unwrap();
    let mut events = trace.events();
    let mut entered: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut out = Vec::new();
    while let Some(event) = events.next().unwrap() {
        for (number, id) in event.blobs {
            ring.blob(*number, &trace.blob_by_id(*id).unwrap());
        }
        out.clear();
        let returns = |method: u16| MODEL.methods[usize::from(method)].order == reprise_d3d12::model::Order::EnterLeave;
        let (method, flags) = match event.kind {
            Kind::Enter => {
                if returns(event.method) {
                    entered.push((event.number, event.payload.to_vec()));
                }
                let leaves = if returns(event.method) { LEAVES } else { 0 };
                (translation.enter(event.method, event.payload, &mut out), SEQUENCE | leaves)
            }
            Kind::Leave => {
                let at = entered.iter().position(|(number, _)| *number == event.number).unwrap();
                let (_, enter) = entered.remove(at);
                (translation.leave(event.method, Some(&enter), event.payload, &mut out), SEQUENCE)
            }
            _ => {
                out.extend_from_slice(event.payload);
                (event.method, SEQUENCE)
            }
        };
        assert!(usize::from(method) < model.methods.len(), "the other model has every call");
        ring.record(event.kind, method, flags, event.object, event.ordinal, &[&out]);
    }
    session.close();
    let options = writer_process::Options {
        session: folder,
        output: bench.path(name),
        program: None,
        max_bytes: None,
        compression: Default::default(),
        schema: Box::new(move |methods| schema::of(&said, methods)),
    };
    assert_eq!(writer_process::run(options).unwrap().calls, trace.statistics().calls);
}

/// Lines of `dump`, without times and what only golden traces have.
fn dump(bench: &Bench, trace: &str) -> Vec<Json> {
    let text = bench.output(&["dump", "--json", trace]);
    let lines = text.lines().map(|line| {
        let mut line: Json = serde_json::from_str(line).unwrap();
        line["time_ns"] = 0.into();
        line["thread"] = 0.into();
        line
    });
    lines.collect()
}

/// Another day: nothing has its number, its place or its value.
fn other() -> Doctor {
    let mut doctor = Doctor::new();
    doctor.grow("New", Role::Reserved);
    doctor.renumber_values();
    doctor.move_fields();
    doctor.renumber();
    doctor
}

#[test]
fn a_trace_of_another_day_reads_and_plays_as_one_of_today() {
    let bench = Bench::new();
    record(&bench, "other.reprise", other().model(), other().model());
    let golden = golden();
    let golden = golden.to_str().unwrap();
    assert_eq!(dump(&bench, "other.reprise"), dump(&bench, golden));
    // What it says of itself.
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "other.reprise"])).unwrap();
    assert_eq!(info["model"]["not_understood"], serde_json::json!({}), "{}", info["model"]);
    assert!(info["model"]["translated"].as_array().unwrap().len() > 10, "{}", info["model"]);
    let moved = "DXGI_FORMAT: DXGI_FORMAT_R32G32B32A32_TYPELESS is";
    let differences = info["model"]["differences"].as_array().unwrap();
    assert!(differences.iter().any(|line| line.as_str().unwrap().starts_with(moved)), "{differences:?}");
    assert!(bench.output(&["info", "other.reprise"]).contains("another build's: "));
    // The two are the same calls.
    let diff = bench.run(&["diff", "--calls-only", "other.reprise", golden]);
    assert_eq!(diff.status.code(), Some(0), "{}{}", diff.text(), diff.errors());
    // And do the same.
    let report: Json = serde_json::from_str(&bench.output(&["replay", "--json", "other.reprise"])).unwrap();
    let expected: Json = serde_json::from_str(&bench.output(&["replay", "--json", golden])).unwrap();
    for figure in ["calls", "difference_count", "different_bytes", "damaged"] {
        assert_eq!(report[figure], expected[figure], "{figure}: {report}");
    }
}

#[test]
fn a_call_that_today_does_not_have_is_shown_and_refused_where_it_stands() {
    let bench = Bench::new();
    let mut renamed = other();
    renamed.method("ID3D12GraphicsCommandList", "Dispatch").name = "DispatchTwice";
    record(&bench, "renamed.reprise", other().model(), renamed.model());
    let lines = dump(&bench, "renamed.reprise");
    let first = lines.iter().find(|line| line["method"] == "ID3D12GraphicsCommandList::DispatchTwice").unwrap();
    assert!(first["args"]["ThreadGroupCountX"].is_u64(), "{first}");
    let info = bench.output(&["info", "renamed.reprise"]);
    let why = "ID3D12GraphicsCommandList::DispatchTwice: today's model has no such method";
    assert!(info.contains(&format!("not understood: {why}")), "{info}");
    let replay = bench.run(&["replay", "renamed.reprise"]);
    assert!(!replay.status.success());
    let place = format!("call {} (frame {})", first["call"], first["frame"]);
    assert!(replay.errors().contains(&place) && replay.errors().contains(why), "{}", replay.errors());
}
