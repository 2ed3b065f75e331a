//! What can be counted in another way: from the events.

use crate::{ask, golden};
use reprise_trace::read::Trace;
use reprise_trace::record::Kind;
use reprise_view::{api, open};
use serde_json::Value as Json;
use std::collections::BTreeMap;

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
