//! `reprise features`: what devices say that they can do.

use crate::bench::Bench;
use crate::programs;
use crate::state::capture_on_null;
use reprise_testing::artifact;
use serde_json::Value as Json;

fn rows(text: &str) -> Vec<Json> {
    let table: Json = serde_json::from_str(text).unwrap();
    table["rows"].as_array().unwrap().clone()
}

fn row<'a>(rows: &'a [Json], name: &str) -> &'a Json {
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no row {name}"))
}

/// The trace of a program says the same of its device as the device itself.
#[test]
fn a_trace_agrees_with_its_device() {
    let bench = Bench::new();
    programs::capture(&bench, "compute", &programs::ours());
    let text = bench.output(&["features", "ours", "trace.reprise", "--json"]);
    let rows = rows(&text);
    let known = rows.iter().filter(|row| row["values"].as_array().unwrap().iter().all(|value| !value.is_null()));
    assert!(known.count() > 100, "{text}");
    assert!(rows.iter().all(|row| row["different"] == false), "{text}");
    // The newest structure and the oldest, by the API's names; every device of this runtime binds whole heaps or tables of tier 1.
    let tier = &row(&rows, "D3D12_OPTIONS.ResourceBindingTier")["values"];
    assert!(tier == &serde_json::json!(["3", "3"]) || tier == &serde_json::json!(["1", "1"]), "{tier}");
    assert_eq!(row(&rows, "D3D12_OPTIONS22.Max1DDispatchSize")["values"][1], "65535");
    // As many groups where there are mesh shaders, and none elsewhere.
    let meshes = row(&rows, "D3D12_OPTIONS7.MeshShaderTier")["values"][1] != "0";
    let most: u32 = row(&rows, "D3D12_OPTIONS22.Max1DDispatchMeshSize")["values"][1].as_str().unwrap().parse().unwrap();
    assert!(if meshes { most >= 65535 } else { most == 0 }, "{most}");
    // A trace does not say what formats can do, and that is no difference.
    let text = bench.output(&["features", "ours", "trace.reprise", "--formats", "--json"]);
    let formats = self::rows(&text);
    let format = row(&formats, "FORMAT_SUPPORT.R8G8B8A8_UNORM.Support1");
    assert!(format["values"][0].as_str().unwrap().contains("RENDER_TARGET"), "{format}");
    assert_eq!((&format["values"][1], &format["different"]), (&Json::Null, &Json::Bool(false)));
}

/// The table of `docs/features.md` has the rows that are printed, in their order: none that is gone, and none too few.
#[test]
fn the_table_in_docs_has_the_rows_that_are_printed() {
    let bench = Bench::new();
    let rows = rows(&bench.output(&["features", "ours", "--json"]));
    let printed: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    let text = std::fs::read_to_string(artifact::workspace().join("docs/features.md")).unwrap();
    let table: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(name, _)| name).collect();
    assert_eq!(printed, table);
}

/// Two devices that differ: only the rows that do, with a star, and an exit code that says so.
#[test]
fn different_devices_differ() {
    let bench = Bench::new();
    capture_on_null(&bench, "compute");
    let finished = bench.run(&["features", "trace.reprise", "ours", "--different"]);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.errors());
    let text = finished.text();
    let table: Vec<&str> = text.lines().skip(4).collect();
    assert!(!table.is_empty() && table.iter().all(|line| line.starts_with("* ")), "{text}");
    let all = bench.run(&["features", "trace.reprise", "ours"]);
    assert!(all.text().lines().count() > text.lines().count());
}

/// What cannot be asked says why.
#[test]
fn what_has_no_answers_is_named() {
    let bench = Bench::new();
    for (side, code, message) in [
        ("./nothing.so", 1, "nothing.so"),
        ("missing.reprise", 3, "missing.reprise"),
        ("libc.so.6", 1, "exports no function that makes devices"),
    ] {
        let finished = bench.run(&["features", side]);
        assert_eq!(finished.status.code(), Some(code), "{side}: {}", finished.errors());
        assert!(finished.errors().contains(message), "{side}: {}", finished.errors());
    }
    let null = artifact::null_sysv_library().unwrap();
    assert!(bench.output(&["features", &null.to_string_lossy()]).contains("D3D12_OPTIONS.ResourceBindingTier"));
}
