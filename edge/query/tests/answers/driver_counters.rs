//! The table `driver_counters`: a replay counts, over a layer whose counters have values that the calls say.

use crate::{answer, counting, program, programs, root};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::process::Command;

/// The second frame of the gears, measured over the layer, which may lie.
fn measured(folder: &Path, change: impl FnOnce(&mut Command)) -> std::path::PathBuf {
    let trace = folder.join("gears.reprise");
    std::fs::copy(root().join("crates/cli/tests/golden/v3/gears.reprise"), &trace).unwrap();
    let mut command = Command::new(programs().join("reprise"));
    counting::load(&mut command, folder, &folder.join("said")).unwrap();
    change(&mut command);
    command.args(["time", "--save", "--runs", "1", "--frames", "2", "--counters=Draws,Renderings,Groups,Busy"]);
    let output = command.arg(&trace).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    trace
}

/// Operations of the frame by what their calls say, and by what the layer counted: those of which both are not the same.
fn wrong(trace: &Path) -> Vec<Json> {
    let ask = |sql: &str| answer(program().args(["--format", "json"]).arg(trace).arg(sql));
    let rows = ask("SELECT t.call, t.method, d.value, d.whole, d.storage, d.unit, d.adds, d.category, d.about \
                    FROM timings t LEFT JOIN driver_counters d ON d.call = t.call AND d.counter = 'Draws' ORDER BY t.call");
    assert_eq!(rows.len(), 10, "{rows:?}");
    let is_right = |row: &Json| {
        let draws = i32::from(row["method"].as_str().unwrap().starts_with("Draw"));
        let known = ["storage", "unit", "adds", "category", "about"].map(|name| &row[name]);
        known == [&json!("whole"), &json!("count"), &json!(true), &json!("Commands"), &json!("Commands that draw")]
            && row["whole"] == draws
            && row["value"] == f64::from(draws)
    };
    rows.into_iter().filter(|row| !is_right(row)).collect()
}

#[test]
fn a_row_stands_for_each_operation_and_counter() {
    let folder = tempfile::tempdir().unwrap();
    let trace = measured(folder.path(), |_| {});
    assert_eq!(wrong(&trace), [Json::Null; 0]);
    let ask = |sql: &str| answer(program().args(["--format", "json"]).arg(&trace).arg(sql));
    let sums = ask("SELECT counter, unit, storage, adds, count(*) AS n, sum(value) AS sum, count(whole) AS whole \
                    FROM driver_counters GROUP BY ALL ORDER BY counter");
    let row = |counter: &str, unit: &str, storage: &str, adds: bool, sum: f64, whole: u64| json!({ "counter": counter, "unit": unit, "storage": storage, "adds": adds, "n": 10, "sum": sum, "whole": whole });
    assert_eq!(
        [&sums[0], &sums[1], &sums[2]],
        [
            &row("Busy", "%", "real", false, 500.0, 0),
            &row("Draws", "count", "whole", true, 6.0, 10),
            &row("Groups", "cycles", "real", true, 0.0, 0),
        ]
    );
    assert_eq!((sums.len(), &sums[3]["counter"], &sums[3]["whole"]), (4, &"Renderings".into(), &10.into()));
    assert_eq!(
        ask(
            "SELECT runs, first_frame, last_frame, serial, by_operation, left_out, counted, driver_counters FROM measurements"
        ),
        [json!({
            "runs": 1, "first_frame": 2, "last_frame": 2, "serial": false, "by_operation": true, "counted": false, "driver_counters": 4,
        })]
    );
}

/// The control: a layer that counts one draw too many shows in each row.
#[test]
fn a_lie_shows() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(wrong(&measured(folder.path(), counting::lie)).len(), 10);
}
