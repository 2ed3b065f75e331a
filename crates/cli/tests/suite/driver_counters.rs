//! Counters of the driver by their names, with a layer that offers some of known values: what must come out is known from the calls. The layer stands
//! for the rules of `VK_KHR_performance_query`, too.

use crate::bench::{Bench, PATIENCE};
use crate::programs::{capture, ours};
use reprise_testing::{Finished, artifact, counting, program};
use reprise_times::{Amount, Times};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::process::Command;

fn gears(bench: &Bench) {
    let golden = artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("trace.reprise")).unwrap();
}

fn layered(bench: &Bench, options: &[&str], change: impl FnOnce(&mut Command)) -> Finished {
    let folder = bench.path("layer");
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = bench.command();
    counting::load(&mut command, &folder, &bench.path("said")).unwrap();
    change(&mut command);
    command.args(["time", "trace.reprise", "--runs", "1"]).args(options);
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(!finished.timed_out, "{options:?} hangs");
    finished
}

fn timed(bench: &Bench, options: &[&str], change: impl FnOnce(&mut Command)) -> Json {
    let finished = layered(bench, &[&["--json"], options].concat(), change);
    assert!(finished.status.success(), "{options:?}: {}", finished.errors());
    serde_json::from_str(&finished.text()).unwrap()
}

/// What processes said of the layer: queries of those that had some, and broken rules.
fn said(bench: &Bench) -> (Vec<u64>, Vec<String>) {
    let text = std::fs::read_to_string(bench.path("said")).unwrap();
    let queries = text.lines().map(|line| line.split(' ').next().unwrap().parse::<u64>().unwrap());
    let broken = text.lines().filter(|line| !line.contains(" 0 rules broken")).map(str::to_owned);
    (queries.filter(|count| *count > 0).collect(), broken.collect())
}

/// By the numbers of calls: method, arguments.
fn calls(bench: &Bench) -> BTreeMap<u64, Json> {
    let dump = bench.output(&["dump", "--json", "trace.reprise"]);
    let calls = dump.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    calls.filter_map(|call| Some((call["call"].as_u64()?, call))).collect()
}

/// Three counters need two passes: two replays count them. Each draw of a frame is one draw in a rendering of its own.
#[test]
fn draws_are_counted_as_the_calls_say_in_two_passes_and_a_lie_shows() {
    let bench = Bench::new();
    gears(&bench);
    let calls = calls(&bench);
    let options = ["--frames", "2", "--counters=Draws,Passes/Renderings,Dispatches"];
    let all = timed(&bench, &options, |_| {});
    assert_eq!(all["driver_replays"], 2, "{all}");
    let names: Vec<&str> =
        all["driver_counters"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Draws", "Renderings", "Dispatches"]);
    // Of the second counter's four bytes the layer writes others behind.
    let wrong = |all: &Json| {
        let rows = all["rows"].as_array().unwrap().iter();
        let wrong = rows.filter(|row| {
            let is = |name: &str| calls[&row["calls"][0].as_u64().unwrap()]["method"].as_str().unwrap().contains(name);
            let counts = &row["driver_counts"];
            let renders = u64::from(is("::Draw") || is("::ClearRenderTargetView") || is("::ClearDepthStencilView"));
            counts["Commands/Draws"] != u64::from(is("::Draw"))
                || counts["Passes/Renderings"]
                    .as_u64()
                    .is_none_or(|count| count > renders || is("::Draw") && count != 1)
                || counts["Commands/Dispatches"] != 0
        });
        wrong.count()
    };
    assert_eq!((all["rows"].as_array().unwrap().len(), wrong(&all)), (10, 0), "{all}");
    assert_eq!(all["total_driver_counts"]["Commands/Draws"], 6, "{all}");
    assert_eq!(all["uncounted"], Json::Array(vec![]), "{all}");
    // Of each replay that counts ten operations are asked.
    assert_eq!(said(&bench), (vec![10, 10], vec![]));
    let lied = timed(&bench, &options, counting::lie);
    assert_eq!(wrong(&lied), 10, "{lied}");
    assert_eq!(lied["total_driver_counts"]["Commands/Draws"], 16, "{lied}");
}

/// Sums of rows are those of their operations; shares have none. What is kept in a file is the same.
#[test]
fn rows_have_sums_where_counters_have_them() {
    let bench = Bench::new();
    capture(&bench, "costs", &ours());
    let calls = calls(&bench);
    let groups: Vec<f64> = calls
        .values()
        .filter(|call| call["method"].as_str().is_some_and(|method| method.ends_with("::Dispatch")))
        .map(|call| {
            ["X", "Y", "Z"]
                .map(|name| call["args"][format!("ThreadGroupCount{name}")].as_f64().unwrap())
                .iter()
                .product()
        })
        .collect();
    let counters = "--counters=Groups,Busy,api,Dispatches";
    let by_draw = timed(&bench, &[counters], |_| {});
    let count = |all: &Json, name: &str| {
        let rows = all["rows"].as_array().unwrap().iter();
        rows.map(|row| row["driver_counts"][name].as_f64()).collect::<Vec<_>>()
    };
    let mut halves: Vec<f64> =
        count(&by_draw, "Work/Groups").into_iter().flatten().filter(|count| *count > 0.0).collect();
    let mut wanted: Vec<f64> = groups.iter().map(|groups| groups / 2.0).collect();
    halves.sort_by(f64::total_cmp);
    wanted.sort_by(f64::total_cmp);
    assert_eq!(halves, wanted, "{by_draw}");
    assert!(count(&by_draw, "Work/Busy").iter().all(|count| *count == Some(50.0)), "{by_draw}");
    // The API's own stand beside them.
    assert!(by_draw["rows"][0]["counts"]["compute_invocations"].as_u64() > Some(0), "{by_draw}");
    let by_pipeline = timed(&bench, &[counters, "--by", "pipeline", "-o", "times"], |_| {});
    let sums: f64 = count(&by_pipeline, "Work/Groups").into_iter().flatten().sum();
    assert_eq!(sums, wanted.iter().sum::<f64>());
    assert_eq!(by_pipeline["total_driver_counts"]["Commands/Dispatches"], groups.len());
    for row in by_pipeline["rows"].as_array().unwrap() {
        assert!(row["driver_counts"].as_object().unwrap()["Work/Busy"].is_null(), "{by_pipeline}");
    }
    let times = Times::open(&bench.path("times")).unwrap();
    let kept: Vec<(String, Amount)> = times
        .driver
        .iter()
        .flat_map(|one| one.submissions.iter().map(move |submission| (one, submission)))
        .flat_map(|(one, submission)| {
            let of = |(_, amounts): &(u64, Vec<Amount>)| {
                one.counters.iter().map(|counter| counter.name.clone()).zip(amounts.clone()).collect::<Vec<_>>()
            };
            submission.lists.iter().flat_map(|(_, all)| all).flat_map(of).collect::<Vec<_>>()
        })
        .collect();
    let dispatches = kept.iter().filter(|(name, _)| name == "Dispatches");
    let sum = dispatches.fold(Amount::Whole(0), |sum, (_, amount)| sum.plus(*amount));
    assert_eq!(sum, Amount::Whole(groups.len() as u64), "{kept:?}");
    assert!(said(&bench).1.is_empty(), "{:?}", said(&bench));
}

/// Names that cannot be counted are refused before anything is played, each with its reason. A device without the extension has a message with what to do.
#[test]
fn what_cannot_be_counted_is_refused_by_name() {
    let bench = Bench::new();
    gears(&bench);
    for (counters, why) in [
        ("--counters=Draws,Heavy", "Heavy needs 2 passes by itself"),
        ("--counters=Buffers", "Buffers counts whole command buffers"),
        ("--counters=nope", "the driver has no counter nope"),
        ("--counters=Draws,,Busy", "a name is missing"),
    ] {
        let refused = layered(&bench, &[counters], |_| {});
        assert_eq!(refused.status.code(), Some(2), "{counters}: {}", refused.text());
        assert!(refused.errors().contains(why), "{counters}: {}", refused.errors());
    }
    let refused = layered(&bench, &["--counters=Draws", "--runtime", "/nowhere.so"], |_| {});
    assert!(refused.errors().contains("asks our own runtime"), "{}", refused.errors());
    let listed = layered(&bench, &["--counters=list"], |_| {});
    assert!(listed.status.success() && listed.text().contains("Work/Busy (%, of a command): Always a half"));
    assert_eq!(said(&bench), (vec![], vec![]));
    for counters in ["--counters=list", "--counters=Draws"] {
        let refused = bench.run(&["time", "trace.reprise", counters]);
        assert_eq!(refused.status.code(), Some(2), "{}", refused.text());
        let errors = refused.errors();
        assert!(errors.contains("VK_KHR_performance_query") && errors.contains("--counters alone"), "{errors}");
    }
}
