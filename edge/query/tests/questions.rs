//! The questions of docs/query.md over recorded traces, and what can be counted in another way.
#![allow(clippy::unwrap_used)]

use reprise_trace::read::Trace;
use reprise_trace::record::Kind;
use reprise_view::{api, open};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn golden(name: &str) -> PathBuf {
    root().join("crates/cli/tests/golden/v2").join(name).with_extension("reprise")
}

/// Runs the program with a cache of its own.
fn run(arguments: &[&str]) -> Output {
    let cache = std::env::temp_dir().join("reprise-query-tests");
    Command::new(env!("CARGO_BIN_EXE_reprise-query")).args(arguments).env("XDG_CACHE_HOME", cache).output().unwrap()
}

/// The rows of an answer.
fn ask(trace: &Path, sql: &str) -> Vec<Json> {
    let output = run(&["--format", "json", trace.to_str().unwrap(), sql]);
    assert!(output.status.success(), "{}: {sql}\n{}", trace.display(), String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The questions of the document.
fn questions() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/query.md")).unwrap();
    let blocks = text.split("```sql\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_questions_of_the_document_have_answers() {
    let questions = questions();
    assert_eq!(questions.len(), 20);
    for sql in &questions {
        for name in ["bundles", "compute"] {
            ask(&golden(name), sql);
        }
    }
}

/// Calls by method, counted from the events.
fn counted(trace: &Trace) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    let mut events = trace.events();
    while let Some(event) = events.next().unwrap() {
        if event.kind == Kind::Enter {
            *counts.entry(api::method(event.method).unwrap().name.to_owned()).or_default() += 1;
        }
    }
    counts
}

#[test]
fn counts_are_those_of_the_events() {
    for name in ["bundles", "compute", "gears", "passes"] {
        let (trace, _) = open::open(&golden(name), None).unwrap();
        let expected = counted(&trace);
        let rows = ask(&golden(name), "SELECT method, count(*) AS n FROM calls GROUP BY method");
        let found: BTreeMap<String, u64> =
            rows.iter().map(|row| (row["method"].as_str().unwrap().to_owned(), row["n"].as_u64().unwrap())).collect();
        assert_eq!(found, expected, "{name}");
        let of = |names: &[&str]| names.iter().map(|name| expected.get(*name).copied().unwrap_or(0)).sum::<u64>();
        let count = |sql: &str| ask(&golden(name), sql)[0]["n"].as_u64().unwrap_or(0);
        let draws = of(&["DrawInstanced", "DrawIndexedInstanced", "DispatchMesh", "ExecuteIndirect"]);
        assert_eq!(count("SELECT count(*) AS n FROM draws"), draws, "{name}");
        assert_eq!(count("SELECT sum(draws) AS n FROM frames"), draws, "{name}");
        assert_eq!(count("SELECT count(DISTINCT call) AS n FROM submissions"), of(&["ExecuteCommandLists"]), "{name}");
        let copies = of(&["CopyBufferRegion", "CopyTextureRegion", "CopyResource", "CopyTiles", "ResolveSubresource"]);
        assert_eq!(count("SELECT count(*) AS n FROM copies"), copies, "{name}");
        assert_eq!(
            count("SELECT count(DISTINCT call) AS n FROM barriers"),
            of(&["ResourceBarrier", "Barrier"]),
            "{name}"
        );
        assert_eq!(
            count("SELECT count(*) AS n FROM calls WHERE method = 'Release' AND call > 5"),
            of(&["Release"]),
            "{name}"
        );
    }
}

#[test]
fn bounds_and_parts_lose_nothing() {
    let trace = golden("gears");
    let all = ask(&trace, "SELECT call, frame, method, result, duration_ns FROM calls ORDER BY call");
    let frame = |row: &Json| row["frame"].as_u64().unwrap();
    for wanted in 1..=3 {
        let rows = ask(
            &trace,
            &format!("SELECT call, frame, method, result, duration_ns FROM calls WHERE frame = {wanted} ORDER BY call"),
        );
        assert_eq!(rows, all.iter().filter(|row| frame(row) == wanted).cloned().collect::<Vec<_>>());
    }
    let rows = ask(
        &trace,
        "SELECT call, frame, method, result, duration_ns FROM calls WHERE call BETWEEN 20 AND 90 ORDER BY call",
    );
    assert_eq!(rows, all[19..90]);
}

#[test]
fn wrong_questions_are_told_what_is_near() {
    let trace = golden("compute");
    let trace = trace.to_str().unwrap();
    for (sql, said) in [
        ("SELECT * FROM calss", "did you mean calls?"),
        ("SELECT methd FROM calls", "method"),
        ("SELEC 1", "SELEC"),
        ("SELECT * FROM method('CreateHep')", "did you mean CreateHeap?"),
        ("CREATE TABLE x AS SELECT 1", "DDL"),
    ] {
        let output = run(&[trace, sql]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{sql}: {text}");
        assert!(text.contains(said), "{sql}: {text}");
    }
    assert_eq!(run(&["/no/such.reprise", "SELECT 1"]).status.code(), Some(3));
}

/// Flips bytes and cuts the file: an answer or an error, and never a panic.
#[test]
fn damaged_traces_are_answered_or_refused() {
    let bytes = std::fs::read(golden("bundles")).unwrap();
    let file = std::env::temp_dir().join(format!("reprise-query-damaged-{}.reprise", std::process::id()));
    let counts = [
        "objects", "args", "barriers", "lists", "blobs", "shaders", "findings", "gaps", "bindings", "draws", "markers",
        "fences",
    ];
    let counts = counts.map(|table| format!("SELECT count(*) AS n FROM {table}"));
    let sql = format!(
        "SELECT sum(duration_ns) AS n FROM calls UNION ALL SELECT sum(written) FROM frames UNION ALL {}",
        counts.join(" UNION ALL ")
    );
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let mut named = 0;
    for round in 0..24 {
        let mut damaged = bytes.clone();
        match round % 4 {
            0 => damaged.truncate(next(bytes.len())),
            _ => (0..=next(4)).for_each(|_| {
                let at = next(bytes.len());
                damaged[at] ^= 1 << next(8);
            }),
        }
        std::fs::write(&file, &damaged).unwrap();
        let output = run(&["--format", "json", file.to_str().unwrap(), &sql]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 3)), "round {round}: {:?} {text}", output.status);
        assert!(!text.contains("panicked"), "round {round}: {text}");
        if output.status.code() == Some(3) {
            assert!(!text.is_empty());
            named += 1;
        }
    }
    assert!(named > 10, "damage was named only {named} times");
    std::fs::remove_file(&file).unwrap();
}
