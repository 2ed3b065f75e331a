//! The table `uses` beside tables that are made of calls' arguments and records: `copies`, `draws`, `memory_writes`. `uses` follows lists as they run;
//! the golden programs run each list once, so both have the same.

use crate::{ask, golden};
use serde_json::Value as Json;

/// Rows as text, in order, so that they can be compared.
fn rows(name: &str, sql: &str) -> Vec<String> {
    let mut all: Vec<String> = ask(&golden(name), sql).iter().map(Json::to_string).collect();
    all.sort();
    all
}

#[test]
fn copies_are_uses_of_both_sides() {
    let copied = |column: &str| {
        format!(
            "SELECT DISTINCT call, {column} AS object FROM copies WHERE {column} IS NOT NULL AND method LIKE 'Copy%'"
        )
    };
    let used =
        |kind: &str| format!("SELECT DISTINCT call, object FROM uses WHERE kind = '{kind}' AND method LIKE 'Copy%'");
    let mut compared = 0;
    for name in ["compute", "line-views", "passes"] {
        let (sources, destinations) = (rows(name, &copied("source")), rows(name, &copied("destination")));
        assert_eq!(rows(name, &used("copy_source")), sources, "{name}");
        assert_eq!(rows(name, &used("copy_destination")), destinations, "{name}");
        // The control: the sides are told apart.
        assert_ne!(sources, destinations);
        compared += sources.len();
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn draws_use_what_is_bound() {
    for (column, kind) in
        [("index_buffer", "index_buffer"), ("depth_target", "depth_write"), ("target", "render_target")]
    {
        let bound = rows("gears", &format!("SELECT call, {column} AS object FROM draws WHERE {column} IS NOT NULL"));
        let used = rows("gears", &format!("SELECT call, object FROM uses WHERE kind = '{kind}'"));
        assert!(used.len() > 15, "{kind}");
        assert_eq!(used, bound, "{kind}");
    }
    // The control: a clear is none.
    assert!(rows("gears", "SELECT call FROM uses WHERE kind = 'clear'").len() > 3);
}

#[test]
fn stores_are_uses_with_their_bytes() {
    let columns = "call, frame, object, bytes";
    let stored = rows("gears", &format!("SELECT {columns}, \"offset\" FROM memory_writes WHERE NOT observed"));
    let used = rows("gears", &format!("SELECT {columns}, \"offset\" FROM uses WHERE kind = 'store'"));
    assert!(!stored.is_empty());
    assert_eq!(used, stored);
}

#[test]
fn a_subresource_is_within_its_box() {
    let sql = "SELECT mip, mips, layer, layers, plane, planes, object FROM uses WHERE kind = 'copy_destination'";
    let all = ask(&golden("line-views"), sql);
    let number = |row: &Json, name: &str| row[name].as_u64().unwrap();
    // Levels are uploaded one by one: each is a box of one level, and all levels are met.
    let levels: std::collections::BTreeSet<u64> =
        all.iter().filter(|row| number(row, "mips") == 1).map(|row| number(row, "mip")).collect();
    assert!(levels.len() > 1 && levels.contains(&0), "{levels:?}");
    assert!(all.iter().all(|row| number(row, "mips") > 0 && number(row, "layers") > 0 && number(row, "planes") > 0));
}
