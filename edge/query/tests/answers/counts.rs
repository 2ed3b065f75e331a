//! What can be counted in another way: from the events.

use crate::{ask, dump, golden};
use reprise_trace::read::Trace;
use reprise_trace::record::Kind;
use reprise_view::{api, open};
use serde_json::{Value as Json, json};
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
    for name in ["bundles", "compute", "gears", "passes", "indirect-state", "dispatches-dxil", "methods-sysv"] {
        let (trace, _) = open::open(&golden(name), None).unwrap();
        let expected = counted(&trace);
        let rows = ask(&golden(name), "SELECT method, count(*) AS n FROM calls GROUP BY method");
        let found: BTreeMap<String, u64> =
            rows.iter().map(|row| (row["method"].as_str().unwrap().to_owned(), row["n"].as_u64().unwrap())).collect();
        assert_eq!(found, expected, "{name}");
        let of = |names: &[&str]| names.iter().map(|name| expected.get(*name).copied().unwrap_or(0)).sum::<u64>();
        let count = |sql: &str| ask(&golden(name), sql)[0]["n"].as_u64().unwrap_or(0);
        let [draws, dispatches] = dump::draws_and_dispatches(&dump::calls(name));
        for (table, calls) in [("draws", &draws), ("dispatches", &dispatches)] {
            let rows = ask(&golden(name), &format!("SELECT call FROM {table} ORDER BY call"));
            let rows: Vec<u64> = rows.iter().map(|row| row["call"].as_u64().unwrap()).collect();
            assert_eq!(rows, calls.iter().copied().collect::<Vec<_>>(), "{name}, {table}");
            assert_eq!(count(&format!("SELECT sum({table}) AS n FROM frames")), calls.len() as u64, "{name}, {table}");
        }
        let copied = [
            "CopyBufferRegion",
            "CopyTextureRegion",
            "CopyResource",
            "CopyTiles",
            "AtomicCopyBufferUINT",
            "AtomicCopyBufferUINT64",
        ];
        assert_eq!(count("SELECT sum(copies) AS n FROM frames"), of(&copied), "{name}");
        assert_eq!(count("SELECT count(DISTINCT call) AS n FROM submissions"), of(&["ExecuteCommandLists"]), "{name}");
        let resolves = ["ResolveSubresource", "ResolveSubresourceRegion"];
        let copies = of(&["CopyBufferRegion", "CopyTextureRegion", "CopyResource", "CopyTiles"]) + of(&resolves);
        assert_eq!(count("SELECT count(*) AS n FROM copies"), copies, "{name}");
        // Of all methods, once each, one call of `ResourceBarrier` has no barrier in it.
        let empty = u64::from(name == "methods-sysv");
        let barriers = of(&["ResourceBarrier", "Barrier"]) - empty;
        assert_eq!(count("SELECT count(DISTINCT call) AS n FROM barriers"), barriers, "{name}");
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

/// Names are grouped by numbers where they are columns, and by their texts where they are parts of expressions: the same groups.
#[test]
fn groups_of_names_are_those_of_texts() {
    let sources = [
        "calls",
        "draws",
        "(SELECT trace, interface, method FROM calls UNION ALL SELECT trace, NULL, method FROM draws)",
        "(SELECT c.trace, d.interface, c.method FROM calls c JOIN calls d ON c.call = d.call + 1)",
    ];
    for source in sources {
        let names: &[&str] = if source == "draws" { &["trace", "method"] } else { &["trace", "interface", "method"] };
        let as_texts = names.iter().map(|name| format!("{name} || '' AS {name}")).collect::<Vec<_>>().join(", ");
        let (names, order) = (names.join(", "), "ORDER BY n DESC, method");
        let by_number = format!("SELECT {names}, count(*) AS n FROM {source} GROUP BY {names} {order}, {names}");
        let by_text = format!(
            "SELECT {names}, count(*) AS n FROM (SELECT {as_texts} FROM {source}) GROUP BY {names} {order}, {names}"
        );
        let rows = ask(&golden("gears"), &by_number);
        assert!(!rows.is_empty(), "{source}");
        assert_eq!(rows, ask(&golden("gears"), &by_text), "{source}");
    }
}

/// A method is named with its interface, with one that derives from that, or without; in any case of letters.
#[test]
fn methods_have_several_names() {
    let draws = dump::calls("gears").iter().filter(|call| call.is(&["DrawIndexedInstanced"])).count();
    assert!(draws > 0);
    for name in ["", "ID3D12GraphicsCommandList::", "ID3D12GraphicsCommandList4::", "id3d12graphicscommandlist::"] {
        for condition in ["", "WHERE method = 'DrawIndexedInstanced'"] {
            let sql = format!(
                r#"SELECT count(*) AS n, count("IndexCountPerInstance") AS counts FROM method('{name}drawIndexedInstanced') {condition}"#
            );
            assert_eq!(ask(&golden("gears"), &sql), [json!({ "n": draws, "counts": draws })], "{sql}");
        }
        let none = format!("SELECT call FROM method('{name}DrawIndexedInstanced') WHERE method = 'Close'");
        assert_eq!(ask(&golden("gears"), &none), [Json::Null; 0], "{none}");
    }
}
