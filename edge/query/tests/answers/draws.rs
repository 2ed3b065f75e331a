//! The table `draws` beside what `reprise state` says of the same call: the suite of `crates/cli` holds that against the log of a runtime.

use crate::{ask, golden, programs};
use serde_json::Value as Json;
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
            let mut command = Command::new(programs().join("reprise"));
            let output = command.args(["state", "--json"]).arg(&trace).arg(row["call"].to_string()).output().unwrap();
            let report: Json = serde_json::from_slice(&output.stdout).unwrap();
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
