//! The tables `draws` and `dispatches` beside what `reprise state` says of the same call: the suite of `crates/cli` holds that against the log of a runtime.

use crate::{ask, golden, programs};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::process::Command;

/// Value and place in a report, for each column that is compared.
const COLUMNS: [(&str, &[&str]); 17] = [
    ("recording", &["/list/begun"]),
    ("pipeline", &["/bound/pipeline/object/id"]),
    ("root_signature", &["/bound/graphics/signature/value/id"]),
    ("topology", &["/bound/input/topology/value"]),
    ("index_buffer", &["/bound/input/index/location/resource/id"]),
    ("index_offset", &["/bound/input/index/location/offset"]),
    ("index_format", &["/bound/input/index/format"]),
    ("vertex_buffer", &["/bound/input/vertices/0/location/resource/id"]),
    ("vertex_offset", &["/bound/input/vertices/0/location/offset"]),
    ("vertex_stride", &["/bound/input/vertices/0/stride"]),
    ("target", &["/bound/output/targets/value/0/descriptor/resource/id"]),
    ("depth_target", &["/bound/output/depth/descriptor/resource/id"]),
    ("viewport_left", &["/bound/output/viewports/value/0/0"]),
    ("viewport_width", &["/bound/output/viewports/value/0/2"]),
    ("viewport_height", &["/bound/output/viewports/value/0/3"]),
    ("scissor_right", &["/bound/output/scissors/value/0/2"]),
    ("scissor_bottom", &["/bound/output/scissors/value/0/3"]),
];

#[test]
fn draws_have_what_their_lists_have_set() {
    let mut compared = std::collections::BTreeSet::new();
    for name in ["gears", "bundles", "indirect-state"] {
        let trace = golden(name);
        let rows = ask(&trace, "SELECT * FROM draws ORDER BY call");
        assert!(!rows.is_empty());
        // A few of them: each is a run of a program.
        for row in rows.iter().step_by(rows.len().div_ceil(5)) {
            let report = state(&trace, &row["call"]);
            // What a bundle takes from the list that runs it is not the bundle's own.
            let is_bundle = report["list"]["kind"] == "D3D12_COMMAND_LIST_TYPE_BUNDLE";
            for (column, places) in COLUMNS {
                let said = places.iter().find_map(|place| report.pointer(place)).unwrap_or(&Json::Null);
                let (found, said) =
                    (row[column].as_f64(), if is_bundle && row[column].is_null() { None } else { said.as_f64() });
                let texts = (row[column].as_str(), report.pointer(places[0]).and_then(Json::as_str));
                assert_eq!(found, said, "{name}, call {}, {column}", row["call"]);
                if texts.0.is_some() || !is_bundle {
                    assert_eq!(texts.0, texts.1, "{name}, call {}, {column}", row["call"]);
                }
                if !row[column].is_null() {
                    compared.insert(column);
                }
            }
        }
    }
    assert!(compared.len() >= 14, "{compared:?}");
}

/// What `reprise state` says of a call.
fn state(trace: &Path, call: &Json) -> Json {
    let mut command = Command::new(programs().join("reprise"));
    let output = command.args(["state", "--json"]).arg(trace).arg(call.to_string()).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Root arguments as a table has them, made of those of a report.
fn root_arguments(report: &Json) -> Vec<Json> {
    let (mut all, set) = (Vec::new(), report["arguments"].as_array().unwrap());
    // A report has all parameters of the root signature.
    for argument in set.iter().filter(|argument| !argument["call"].is_null()) {
        let at = argument["parameter"].as_u64().unwrap() as usize;
        all.resize(all.len().max(at + 1), Json::Null);
        all[at] = match (&argument["constants"], &argument["descriptor"]) {
            (Json::Object(constants), _) => {
                // A report has all words of the parameter.
                let words = constants["words"].as_array().unwrap();
                let set = words.iter().rposition(|word| !word.is_null()).map_or(0, |last| last + 1);
                json!({ "constants": words[..set] })
            }
            (_, Json::Object(view)) => {
                let place = &view["location"];
                let kind = view["view"].as_str().unwrap();
                json!({ kind: { "object": place["resource"]["id"], "offset": place["offset"] } })
            }
            _ => {
                let start = &argument["table"]["start"];
                json!({ "table": { "heap": start["heap"]["id"], "index": start["slot"] } })
            }
        };
    }
    all
}

#[test]
fn dispatches_and_draws_have_root_arguments_and_what_else_is_set() {
    let mut kinds = std::collections::BTreeSet::new();
    for (name, table, side) in [
        ("compute", "dispatches", "compute"),
        ("queues", "dispatches", "compute"),
        ("dispatch-roots", "dispatches", "compute"),
        ("bundles", "draws", "graphics"),
        ("indirect-state", "draws", "graphics"),
    ] {
        let trace = golden(name);
        let columns = "call, recording, pipeline, root_signature, heaps, marker, root_arguments";
        let rows = ask(&trace, &format!("SELECT {columns} FROM {table} ORDER BY call"));
        assert!(!rows.is_empty(), "{name}");
        for row in rows.iter().step_by(rows.len().div_ceil(3)) {
            let report = state(&trace, &row["call"]);
            // What a bundle takes from the list that runs it is not the bundle's own.
            if report["list"]["kind"] == "D3D12_COMMAND_LIST_TYPE_BUNDLE" {
                continue;
            }
            let roots = &report["bound"][side];
            let said: Vec<Json> = serde_json::from_str(row["root_arguments"].as_str().unwrap_or("[]")).unwrap();
            assert_eq!(said, root_arguments(roots), "{name}, call {}", row["call"]);
            kinds.extend(said.iter().filter_map(|argument| argument.as_object()?.keys().next().cloned()));
            assert_eq!(row["root_signature"], roots["signature"]["value"]["id"], "{name}, call {}", row["call"]);
            assert_eq!(row["recording"], report["list"]["begun"], "{name}, call {}", row["call"]);
            let pipeline = &report["bound"]["pipeline"]["object"]["id"];
            assert_eq!(&row["pipeline"], pipeline, "{name}, call {}", row["call"]);
            let heaps = report["bound"]["descriptor_heaps"]["value"].as_array();
            let heaps =
                heaps.map(|heaps| heaps.iter().map(|heap| heap["id"].to_string()).collect::<Vec<_>>().join(","));
            assert_eq!(row["heaps"].as_str(), heaps.as_deref(), "{name}, call {}", row["call"]);
        }
        // The same calls and arguments without what is set.
        if table == "dispatches" {
            let alone = ask(&trace, "SELECT call, x, y, z FROM dispatches WHERE x IS NOT NULL ORDER BY call");
            let dumped = "SELECT call, max(CASE WHEN path = 'ThreadGroupCountX' THEN number END) AS x, \
                max(CASE WHEN path = 'ThreadGroupCountY' THEN number END) AS y, \
                max(CASE WHEN path = 'ThreadGroupCountZ' THEN number END) AS z FROM args WHERE method = 'Dispatch' GROUP BY call ORDER BY call";
            assert_eq!(alone, ask(&trace, dumped), "{name}");
        }
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["cbv", "constants", "srv", "table", "uav"]);
}

/// Whichever columns are asked for, and so however it is read: the same calls, with the same arguments.
#[test]
fn draws_are_the_same_however_they_are_read() {
    for name in ["gears", "bundles", "indirect-state"] {
        let trace = golden(name);
        let heads = "call, frame, thread, method, list";
        let arguments = "vertices, instances, first, base_vertex, first_instance, signature, most_commands, argument_buffer, count_buffer";
        let all = ask(&trace, &format!("SELECT {heads}, {arguments}, recording, pipeline FROM draws ORDER BY call"));
        let cut = |names: &str| -> Vec<Json> {
            let rows = all.iter().map(|row| {
                let members =
                    row.as_object().unwrap().iter().filter(|(name, _)| names.split(", ").any(|own| own == *name));
                Json::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect())
            });
            rows.collect()
        };
        assert_eq!(ask(&trace, &format!("SELECT {heads} FROM draws ORDER BY call")), cut(heads), "{name}");
        let both = format!("{heads}, {arguments}");
        assert_eq!(ask(&trace, &format!("SELECT {both} FROM draws ORDER BY call")), cut(&both), "{name}");
        // The arguments as `args` has them, which reads lines of dumps.
        let sql = "SELECT call, sum(number) AS n FROM args WHERE method = 'DrawInstanced' AND path = 'VertexCountPerInstance' GROUP BY call ORDER BY call";
        let dumped: Vec<(Json, Json)> =
            ask(&trace, sql).into_iter().map(|row| (row["call"].clone(), row["n"].clone())).collect();
        let drawn = all.iter().filter(|row| row["method"] == "DrawInstanced");
        let drawn: Vec<(Json, Json)> = drawn.map(|row| (row["call"].clone(), row["vertices"].clone())).collect();
        assert_eq!(drawn, dumped, "{name}");
    }
}
