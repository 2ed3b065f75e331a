//! What `diff` finds: nothing where nothing differs, and exactly what a test has changed.

use crate::bench::Bench;
use crate::programs;
use reprise_codec::schema;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{MethodId, Order};
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::{Kind, LEAVES, SEQUENCE};
use reprise_trace::session::{Config, Session};
use reprise_trace::writer;
use serde_json::{Value as Json, json};

const DISPATCH: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList", "Dispatch");

/// Writes the calls of `trace.reprise` that need no contents again, each with the payload that `edit` gives, or not.
fn rewrite(bench: &Bench, name: &str, mut edit: impl FnMut(&Event<'_>) -> Option<Vec<u8>>) {
    let trace = Trace::open(&bench.path("trace.reprise")).unwrap();
    let folder = bench.path("session");
    let session = Session::create(&folder, &Config::default()).unwrap();
    let mut ring = session.create_ring("").unwrap();
    let mut events = trace.events();
    let mut left_out = Vec::new();
    while let Some(event) = events.next().unwrap() {
        if ![Kind::Enter, Kind::Leave].contains(&event.kind) || left_out.contains(&event.number) {
            continue;
        }
        let payload = if event.blobs.is_empty() { edit(&event) } else { None };
        let Some(payload) = payload else {
            left_out.push(event.number);
            continue;
        };
        let returns = event.kind == Kind::Enter && MODEL.methods[usize::from(event.method)].order == Order::EnterLeave;
        let flags = if returns { SEQUENCE | LEAVES } else { SEQUENCE };
        ring.record(event.kind, event.method, flags, event.object, 0, &[&payload]);
    }
    session.close();
    let schema = Box::new(|methods: &[u16]| schema::of(&MODEL, methods));
    let output = bench.path(name);
    writer::run(writer::Options { session: folder, output, program: None, schema, max_bytes: None }).unwrap();
}

/// The differences and the summary, and the exit code.
fn diff(bench: &Bench, arguments: &[&str]) -> (Vec<Json>, Json, Option<i32>) {
    let finished = bench.run(&[&["diff", "--json"], arguments].concat());
    let text = finished.text();
    let mut lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = lines.pop().unwrap_or_else(|| panic!("{}", finished.errors()))["summary"].clone();
    (lines, summary, finished.status.code())
}

#[test]
fn exactly_what_was_changed_is_found() {
    let bench = Bench::new();
    programs::capture(&bench, "threads", &programs::ours());
    rewrite(&bench, "same.reprise", |event| Some(event.payload.to_vec()));
    // The second Dispatch gets other numbers; then it is left out.
    let mut place = 0;
    let mut second = |event: &Event<'_>| {
        place += u32::from(event.kind == Kind::Enter && event.method == DISPATCH.0);
        event.kind == Kind::Enter && event.method == DISPATCH.0 && place == 2
    };
    rewrite(&bench, "changed.reprise", |event| {
        let mut payload = event.payload.to_vec();
        if second(event) {
            payload[4..8].copy_from_slice(&77u32.to_le_bytes());
        }
        Some(payload)
    });
    let mut place = 0;
    rewrite(&bench, "without.reprise", |event| {
        let dispatch = event.kind == Kind::Enter && event.method == DISPATCH.0;
        place += u32::from(dispatch);
        (!dispatch || place != 2).then(|| event.payload.to_vec())
    });
    let text = bench.output(&["dump", "--json", "--methods", "Dispatch", "same.reprise"]);
    let dispatch: Json = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();

    for trace in ["trace.reprise", "same.reprise", "without.reprise"] {
        let (differences, summary, code) = diff(&bench, &[trace, trace]);
        assert_eq!((differences.len(), &summary["equal"], code), (0, &Json::Bool(true), Some(0)), "{trace}");
        assert_eq!(bench.output(&["diff", trace, trace]), "");
    }
    let (differences, summary, code) = diff(&bench, &["same.reprise", "changed.reprise"]);
    assert_eq!((differences.len(), code), (1, Some(1)), "{differences:?}");
    assert_eq!((&summary["changed"], &summary["removed"], &summary["added"]), (&1.into(), &0.into(), &0.into()));
    assert_eq!((&differences[0]["difference"], &differences[0]["a"]["call"]), (&"changed".into(), &dispatch["call"]));
    let was = &dispatch["args"]["ThreadGroupCountY"];
    assert_eq!(differences[0]["changes"], json!([{ "path": "args.ThreadGroupCountY", "a": was, "b": 77 }]));
    let text = bench.run(&["diff", "same.reprise", "changed.reprise"]).text();
    assert!(text.contains(&format!("    args.ThreadGroupCountY: {was} → 77\n")), "{text}");

    let (differences, _, code) = diff(&bench, &["same.reprise", "without.reprise"]);
    assert_eq!((differences.len(), code), (1, Some(1)), "{differences:?}");
    assert_eq!((&differences[0]["difference"], &differences[0]["a"]["call"]), (&"removed".into(), &dispatch["call"]));
    assert_eq!(differences[0]["a"]["args"], dispatch["args"]);
    let (differences, ..) = diff(&bench, &["without.reprise", "same.reprise"]);
    assert_eq!((&differences[0]["difference"], &differences[0]["b"]["call"]), (&"added".into(), &dispatch["call"]));
    let ignored = diff(&bench, &["--ignore", "dispatch", "same.reprise", "without.reprise"]);
    assert_eq!((ignored.0.len(), ignored.2), (0, Some(0)));
    assert_eq!(bench.run(&["diff", "--summary", "same.reprise", "without.reprise"]).text().lines().count(), 5);

    for arguments in
        [&["same.reprise", "missing.reprise"][..], &["--ignore=NoSuchMethod", "same.reprise", "same.reprise"]]
    {
        let finished = bench.run(&[&["diff"], arguments].concat());
        assert_eq!(finished.status.code(), Some(2), "{arguments:?}: {}", finished.errors());
    }
}

/// Two runs of a program with many threads, which take their turns and get their numbers otherwise each time.
#[test]
fn two_runs_of_one_program_are_the_same_but_for_how_they_wait() {
    let bench = Bench::new();
    programs::capture(&bench, "threads", &programs::ours());
    std::fs::rename(bench.path("trace.reprise"), bench.path("first.reprise")).unwrap();
    programs::capture(&bench, "threads", &programs::ours());
    let waits = ["--ignore=GetCompletedValue", "--ignore=SetEventOnCompletion"];
    let (differences, summary, code) = diff(&bench, &[waits[0], waits[1], "first.reprise", "trace.reprise"]);
    assert_eq!((differences.first(), code), (None, Some(0)));
    assert!(summary["calls"][0].as_u64().unwrap() > 3000, "{summary}");
}
