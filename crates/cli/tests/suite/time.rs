//! `reprise time`: what is timed, and that what costs more takes longer. Nothing depends on how busy the machine is: sums are exact, and of costs that
//! are four times as much the least of five replays is compared.

use crate::bench::Bench;
use crate::programs::{capture, ours};
use reprise_testing::artifact;
use serde_json::Value as Json;
use std::collections::BTreeMap;

fn timed(bench: &Bench, trace: &str, options: &[&str]) -> Json {
    serde_json::from_str(&bench.output(&[&["time", "--json", trace], options].concat())).unwrap()
}

fn rows(timed: &Json) -> &[Json] {
    timed["rows"].as_array().unwrap()
}

#[test]
fn what_costs_more_takes_longer_also_in_a_bundle() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    for options in [&[][..], &["--serial"]] {
        let timed = timed(&bench, "trace.reprise", options);
        // The program's markers say how many units a dispatch has; the bundle has 16.
        let of = |name: &str| {
            let row = rows(&timed).iter().find(|row| row["what"].as_str().unwrap().contains(&format!("({name})")));
            row.unwrap_or_else(|| panic!("{name}: {timed}"))["ms"]["least"].as_f64().unwrap()
        };
        assert!(of("1 units") < of("4 units") && of("4 units") < of("bundle"), "{timed}");
        assert!(of("2 units") < of("8 units"), "{timed}");
        assert_eq!((&timed["runs"], timed["stamps_add"].is_null()), (&5.into(), !options.is_empty()));
    }
}

#[test]
fn rows_add_up_to_the_whole_however_they_are_grouped() {
    let bench = Bench::new();
    for name in ["costs", "indirect-state", "presents"] {
        capture(&bench, name, &ours());
        for by in ["draw", "pass", "marker", "pipeline", "list", "submission", "frame"] {
            let timed = timed(&bench, "trace.reprise", &["--runs", "1", "--by", by]);
            let outermost = rows(&timed).iter().filter(|row| row["depth"] == 0);
            let sum: f64 = outermost.map(|row| row["ms"]["median"].as_f64().unwrap()).sum();
            let total = timed["total_ms"]["median"].as_f64().unwrap();
            assert!(total > 0.0 && (sum - total).abs() < total * 1e-6, "{name} by {by}: {sum} of {total}");
            assert_eq!(timed["untimed"], Json::Array(vec![]), "{name} by {by}");
        }
        std::fs::remove_file(bench.path("trace.reprise")).unwrap();
    }
}

/// Of a real program's frame each draw has a row, by the dump's own numbers; of other frames none.
#[test]
fn the_draws_of_a_frame_are_timed_and_no_others() {
    let bench = Bench::new();
    let golden = artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("gears.reprise")).unwrap();
    let dump = bench.output(&["dump", "--json", "gears.reprise"]);
    let calls: Vec<Json> = dump.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is = |call: &Json, name: &str| call["method"].as_str().is_some_and(|method| method.ends_with(name));
    // The lists are recorded before the first frame, one for each image, and none is reset.
    let submitted = calls.iter().filter(|call| call["frame"] == 2 && is(call, "::ExecuteCommandLists"));
    let lists: Vec<&Json> = submitted.flat_map(|call| call["args"]["ppCommandLists"].as_array().unwrap()).collect();
    let works = ["Draw", "Clear", "ResourceBarrier"];
    let wanted: BTreeMap<u64, String> = calls
        .iter()
        .filter(|call| lists.iter().any(|list| list["id"] == call["this"]["id"]))
        .filter_map(|call| Some((call["call"].as_u64()?, call["method"].as_str()?.rsplit("::").next()?.to_owned())))
        .filter(|(_, method)| works.iter().any(|work| method.starts_with(work)))
        .collect();
    let timed = timed(&bench, "gears.reprise", &["--runs", "1", "--frames", "2"]);
    let told: BTreeMap<u64, String> = rows(&timed)
        .iter()
        .map(|row| {
            assert_eq!((&row["frame"], row["calls"][0] == row["calls"][1]), (&2.into(), true), "{row}");
            let what = row["what"].as_str().unwrap();
            (row["calls"][0].as_u64().unwrap(), what.split(',').next().unwrap().to_owned())
        })
        .collect();
    assert!(wanted.len() > 5 && told == wanted, "{told:?} instead of {wanted:?}");
    let text = bench.output(&["time", "gears.reprise", "--runs", "1", "--frames", "2", "--limit", "2"]);
    assert!(
        text.contains(" ms of work on the GPU") && text.contains("8 more rows (--limit shows more, --json has all)"),
        "{text}"
    );
}
