//! What `diff` finds: nothing where nothing differs, and exactly what a test has changed.

use crate::bench::{Bench, PATIENCE};
use crate::{bisect, programs};
use reprise_codec::schema;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{MethodId, Order};
use reprise_testing::{missing, require};
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::{Kind, LEAVES, SEQUENCE};
use reprise_trace::session::{Config, Session};
use reprise_trace::writer_process;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

const DISPATCH: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList", "Dispatch");

/// Writes the calls of `trace.reprise` that need no contents again, each with the payload that `edit` gives, or not.
fn rewrite(bench: &Bench, name: &str, mut edit: impl FnMut(&Event<'_>) -> Option<Vec<u8>>) {
    let trace = Trace::open(&bench.path("trace.reprise")).unwrap();
    let folder = bench.path("session");
    let session = Session::create(&folder, &Config::default()).unwrap();
    // A ring for each thread: a call of one may be inside a call of another.
    let mut rings = BTreeMap::new();
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
        let ring = rings.entry(event.thread).or_insert_with(|| session.create_ring("").unwrap());
        ring.record(event.kind, event.method, flags, event.object, 0, &[&payload]);
    }
    session.close();
    write(folder, bench.path(name));
}

/// Makes a session a trace.
fn write(session: PathBuf, output: PathBuf) {
    let schema = Box::new(|methods: &[u16]| schema::of(&MODEL, methods));
    let (program, max_bytes, compression) = (None, None, Default::default());
    writer_process::run(writer_process::Options { session, output, program, schema, max_bytes, compression }).unwrap();
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

/// Writes a trace of one frame with a draw for each number.
fn long(bench: &Bench, name: &str, numbers: impl Iterator<Item = u32>) {
    const DRAW: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList", "DrawInstanced");
    let folder = bench.path("session");
    let session = Session::create(&folder, &Config::default()).unwrap();
    let output = bench.path(name);
    std::thread::scope(|scope| {
        let folder = folder.clone();
        let writer = scope.spawn(move || write(folder, output));
        let mut ring = session.create_ring("").unwrap();
        for number in numbers {
            let payload: Vec<u8> = [number, 1, 0, 0].iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
            ring.record(Kind::Enter, DRAW.0, SEQUENCE, 1, 0, &[&payload]);
        }
        drop(ring);
        session.close();
        writer.join().unwrap();
    });
}

/// A frame of several windows: what is put in shifts all windows behind it.
#[test]
fn a_frame_longer_than_any_window_is_compared_across_its_pieces() {
    const CALLS: u32 = 150_000;
    let bench = Bench::new();
    long(&bench, "long.reprise", 0..CALLS);
    let other = |number| match number {
        65_000 => (1_000_000..1_003_000).chain([number]).collect(),
        100_000 => vec![7],
        _ => vec![number],
    };
    let more = (0..CALLS).flat_map(other);
    long(&bench, "other.reprise", more);
    let (differences, summary, code) = diff(&bench, &["long.reprise", "other.reprise"]);
    assert_eq!((&summary["added"], &summary["removed"], &summary["changed"]), (&3000.into(), &0.into(), &1.into()));
    assert_eq!((differences.len(), code), (3001, Some(1)));
    let changed = differences.iter().find(|difference| difference["difference"] == "changed").unwrap();
    assert_eq!((&changed["a"]["call"], &changed["b"]["call"]), (&100_001.into(), &103_001.into()));
    assert_eq!(changed["changes"][0]["a"], 100_000);
}

/// libvkd3d runs one of several indirect dispatches, so what is read back differs; ours gives the same each time.
#[test]
fn replays_part_where_a_runtime_computes_something_else() {
    let bench = Bench::new();
    programs::capture(&bench, "dispatches", &programs::ours());
    let twice = bench.run(&["diff", "--replay", "--json", "trace.reprise"]);
    let report: Json = serde_json::from_str(&twice.text()).unwrap();
    assert_eq!((twice.status.code(), &report["equal"], &report["first"]), (Some(0), &true.into(), &Json::Null));
    assert!(report["reads"].as_u64().unwrap() > 0, "{report}");
    let vkd3d = missing::file(&["/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1"], "libvkd3d-utils1");
    if require(vkd3d).is_none() {
        return;
    }
    // What the capture has not, but the replay on the other library does: known from the replay's own comparison.
    let replayed = bench.run(&["replay", "--json", "--runtime", "vkd3d", "trace.reprise"]).text();
    let replayed: Json = serde_json::from_str(&replayed).unwrap();
    assert!(replayed["different_bytes"].as_u64().unwrap() > 0, "{replayed}");
    let other = bench.run(&["diff", "--replay", "--against-runtime", "vkd3d", "--json", "--targets", "trace.reprise"]);
    let report: Json = serde_json::from_str(&other.text()).unwrap();
    assert_eq!((other.status.code(), &report["first"]["what"]), (Some(1), &"read".into()), "{}", other.errors());
    let read =
        bench.output(&["dump", "--json", "--objects", &report["first"]["resource"].to_string(), "trace.reprise"]);
    let memory = read.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let after: Vec<Json> =
        memory.filter(|line| line["event"] == "memory").map(|line| line["after_call"].clone()).collect();
    assert!(after.contains(&report["first"]["call"]), "{report} {after:?}");
    // Found at the calls themselves, in front of the copy that is read back; everything bound there can be looked at.
    let draw = &report["draw"];
    assert!(draw["method"].as_str().is_some_and(|name| name.ends_with("::ExecuteIndirect")), "{report}");
    assert!(
        draw["call"].as_u64() < report["first"]["call"].as_u64() && draw["unlike"][0]["bytes"].as_u64() > Some(0),
        "{report}"
    );
    assert_eq!(report["not_compared"], Json::Array(Vec::new()));
    for wrong in
        [&["--runtime", "vkd3d", "trace.reprise", "trace.reprise"][..], &["--replay", "trace.reprise", "trace.reprise"]]
    {
        assert_eq!(bench.run(&[&["diff"], wrong].concat()).status.code(), Some(2), "{wrong:?}");
    }
    // To the end: each read-back that differs, said when it is known and all together at the end.
    let words = ["diff", "--replay", "--against-runtime", "vkd3d", "--json", "--all", "--progress", "trace.reprise"];
    let all = bench.run(&words);
    let listed: Json = serde_json::from_str(&all.text()).unwrap();
    let listed = listed["differences"].as_array().unwrap().clone();
    assert_eq!((all.status.code(), &listed[0]), (Some(1), &report["first"]), "{listed:?}");
    let said = all.errors();
    let said = said.lines().filter_map(|line| Some(serde_json::from_str::<Json>(line).ok()?["difference"].clone()));
    assert_eq!(said.filter(|line| !line.is_null()).collect::<Vec<_>>(), listed);
    let none = bench.run(&["diff", "--replay", "--against-runtime", "no-such-library", "trace.reprise"]);
    assert_eq!(none.status.code(), Some(2), "{}", none.errors());
}

/// Who looks at a comparison and goes away takes its replays along, also one that would never end.
#[test]
fn a_comparison_that_nobody_waits_for_ends_with_its_replays() {
    let bench = Bench::new();
    let Some(stuck) = bisect::runtime(&bench, 4) else { return };
    programs::capture(&bench, "compute", &programs::ours());
    let mut command = bench.command();
    command.args(["diff", "--replay", "--json", "--until-input-ends", "--against-runtime", &stuck, "trace.reprise"]);
    let mut compares = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let own = compares.id();
    let children = || {
        let text = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
        text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let started = Instant::now();
    while children().len() < 2 {
        assert!(started.elapsed() < PATIENCE, "no replays were started");
        std::thread::sleep(Duration::from_millis(10));
    }
    let replays = children();
    drop(compares.stdin.take());
    let code = compares.wait().unwrap().code();
    assert!(code.is_some_and(|code| code > 1), "{code:?}");
    assert!(replays.iter().all(|pid| !Path::new("/proc").join(pid).exists()), "{replays:?}");
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

/// A trace that neither presents nor reads back: its program ends as soon as it has its device.
#[test]
fn replays_of_which_nothing_can_be_compared_are_not_called_equal() {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "--quiet", "-o", "t.reprise", "--"]).arg(reprise_testing::artifact::programs().unwrap());
    command.args(["compute", "--library"]).arg(reprise_testing::artifact::runtime_library().unwrap());
    reprise_testing::run(&mut command, PATIENCE).unwrap();
    let trim = ["trim", "--quiet", "--submissions", "1-1", "-o", "part.reprise", "t.reprise"];
    bench.output(&trim);
    for form in [&[][..], &["--json"]] {
        let finished = bench.run(&[&["diff", "--replay"], form, &["part.reprise"]].concat());
        assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
        assert!(finished.errors().contains("nothing was compared") && finished.text().is_empty());
    }
}
