//! Draws and dispatches that are left out, because the library that plays refuses their pipeline state: every command that shows what a
//! replay gives says so, and compares nothing with what is not there.

use crate::bench::{Bench, PATIENCE};
use crate::programs::{self, expected};
use reprise_testing::artifact;
use serde_json::Value as Json;

/// A trace with shaders that libvkd3d does not take. `None` where there is no libvkd3d.
pub(crate) fn captured(name: &str) -> Option<Bench> {
    programs::runtimes()?;
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-q", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args([name, "--shaders", "dxil", "--library"]).arg(programs::ours());
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert_eq!(finished.text(), format!("{name} {}\n", expected(name)), "{}", finished.errors());
    Some(bench)
}

const SAID: &str = "left out, because";

#[test]
fn pictures_say_what_they_lack() {
    let Some(bench) = captured("blending") else { return };
    let draws = bench.output(&["dump", "--methods", "DrawInstanced", "trace.reprise"]);
    let call = draws.lines().last().and_then(|line| line.trim_start_matches('#').split(' ').next()).unwrap();
    let show = ["show", "--call", call, "--target", "0", "-o", "target.png", "trace.reprise"];
    let own = bench.run(&show);
    assert!(own.status.success() && !own.errors().contains(SAID), "{}", own.errors());
    let other = bench.run(&[&show[..], &["--runtime", "vkd3d"]].concat());
    assert!(other.status.success(), "{}", other.errors());
    let told = format!("{} draws and dispatches are {SAID}", draws.lines().count());
    assert!(other.errors().contains(&told), "{told}: {}", other.errors());
}

/// What the GPU never ran is compared with nothing: it is neither equal nor different.
#[test]
fn a_debugger_compares_nothing() {
    let Some(bench) = captured("compute") else { return };
    let dispatches = bench.output(&["dump", "--methods", "Dispatch", "trace.reprise"]);
    let call = dispatches.trim_start_matches('#').split(' ').next().unwrap();
    let debug = ["debug", "trace.reprise", call, "--thread", "0,0,0"];
    let own = bench.run(&debug);
    assert!(own.status.success() && own.text().contains("equal to what the GPU left"), "{}", own.text());
    let other = bench.run(&[&debug[..], &["--runtime", "vkd3d"]].concat());
    assert_eq!(other.status.code(), Some(1), "{}", other.errors());
    assert!(other.text().contains("its pipeline state was not made"), "{}", other.text());
    assert!(!other.text().contains("differ") && !other.text().contains("equal to"), "{}", other.text());
}

/// A library that makes less is not faster without a word.
#[test]
fn times_say_what_was_not_made() {
    let Some(bench) = captured("compute") else { return };
    let told = |more: &[&str]| {
        let finished = bench.run(&[&["time", "trace.reprise", "--runs", "1"][..], more].concat());
        assert!(finished.status.success(), "{}", finished.errors());
        finished.errors().matches(SAID).count()
    };
    assert_eq!(told(&[]), 0);
    assert_eq!(told(&["--against", "vkd3d"]), 1);
}

/// Rows that stand for work which one side leaves out have no ratio, and nothing decides by them.
#[test]
fn times_of_less_work_are_not_compared() {
    let Some(bench) = captured("compute") else { return };
    let time = |more: &[&str]| bench.run(&[&["time", "trace.reprise", "--runs", "5"][..], more].concat());
    let json = |more: &[&str]| -> Json {
        let finished = time(&[&["--json"][..], more].concat());
        serde_json::from_str(&finished.text()).unwrap_or_else(|_| panic!("{}", finished.errors()))
    };
    let of = |timed: &Json, method: &str| -> Vec<Json> {
        let rows = timed["rows"].as_array().unwrap().iter();
        rows.filter(|row| row["what"].as_str().unwrap().starts_with(method)).cloned().collect()
    };
    let less = json(&["--against", "vkd3d"]);
    let dispatches = of(&less, "Dispatch");
    assert!(!dispatches.is_empty(), "{less}");
    for row in &dispatches {
        let told = (&row["left_out"], &row["against_left_out"], &row["ratio"], &row["faster"], &row["slower"]);
        assert_eq!(told, (&Json::Null, &1.into(), &Json::Null, &false.into(), &false.into()), "{row}");
    }
    // What both run is compared.
    let copies = of(&less, "Copy");
    assert!(!copies.is_empty() && copies.iter().all(|row| row["ratio"].is_f64()), "{less}");
    assert_eq!((&less["comparable"], &less["slower"]), (&false.into(), &Json::Null), "{less}");
    let frames = json(&["--against", "vkd3d", "--by", "frame"]);
    assert_eq!((&frames["rows"][0]["ratio"], &frames["comparable"]), (&Json::Null, &false.into()), "{frames}");
    assert_eq!(frames["rows"][0].get("against_left_out"), Some(&Json::Null), "{frames}");
    // How many it is of a list whose operations have no times, nobody knows either.
    let lists = json(&["--against", "vkd3d", "--by", "list"]);
    assert_eq!(lists["rows"][0].get("against_left_out"), Some(&Json::Null), "{lists}");
    // Frames behind the one dispatch lack nothing.
    for (range, is_whole) in [("1-", false), ("2-", true)] {
        let some = json(&["--against", "vkd3d", "--by", "frame", "--frames", range]);
        let last = some["rows"].as_array().unwrap().iter().find(|row| row["frame"] == 4).unwrap();
        assert_eq!((&some["comparable"], last["ratio"].is_f64()), (&is_whole.into(), is_whole), "{some}");
    }
    let same = json(&["--against", "ours"]);
    assert!(same["comparable"] == true && same["rows"][0]["ratio"].is_f64(), "{same}");
    assert!(of(&same, "Dispatch").iter().all(|row| row["against_left_out"].is_null()), "{same}");
    let alone = time(&["--runtime", "vkd3d"]).text();
    assert!(alone.contains(", left out\n"), "{alone}");
    let text = time(&["--against", "vkd3d"]).text();
    assert!(text.contains(", left out there\n") && text.contains("not comparable"), "{text}");

    // A bundle has what is left out in it.
    std::fs::remove_file(bench.path("trace.reprise")).unwrap();
    let mut capture = bench.command();
    capture.args(["capture", "-q", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    capture.args(["costs", "--shaders", "dxil", "--library"]).arg(programs::ours());
    assert!(reprise_testing::run(&mut capture, PATIENCE).unwrap().status.success());
    let bundles = of(&json(&["--against", "vkd3d"]), "ExecuteBundle");
    assert_eq!(bundles.len(), 1, "{bundles:?}");
    assert_eq!((&bundles[0]["against_left_out"], &bundles[0]["ratio"]), (&1.into(), &Json::Null), "{bundles:?}");
    // It runs all the same, and the dispatches beside it do not.
    let text = time(&["--against", "vkd3d"]).text();
    let ends =
        |method: &str, end: &str| text.lines().filter(|line| line.contains(method) && line.ends_with(end)).count();
    assert_eq!(
        (ends(" ExecuteBundle", ", with draws left out there"), ends(" Dispatch", ", left out there")),
        (1, 6),
        "{text}"
    );

    let decided = time(&["--against", "vkd3d", "--slower", "1000"]);
    assert_eq!(decided.status.code(), Some(1), "{}", decided.errors());
    assert!(decided.errors().contains("--slower 1000 cannot decide"), "{}", decided.errors());
    let bisect = ["bisect", "trace.reprise", "--slower", "20", "--runs", "5", "--good", "ours", "--bad", "vkd3d"];
    let bisected = bench.run(&bisect);
    assert!(bisected.errors().contains("times are not comparable: vkd3d leaves out"), "{}", bisected.errors());
}

/// Calls of an edited trace have other numbers: which of them the library leaves out says nothing about the trace that it was made of.
#[test]
fn times_of_two_traces_with_less_work_are_not_compared() {
    let Some(bench) = captured("costs") else { return };
    let dispatches = bench.output(&["dump", "--methods", "Dispatch", "trace.reprise"]);
    let call = dispatches.trim_start_matches('#').split(' ').next().unwrap();
    let drop = format!("call {call}: drop");
    let options =
        ["time", "trace.reprise", "--runs", "5", "--by", "pipeline", "-e", &drop, "--against", "trace.reprise"];
    for (library, is_whole) in [("ours", true), ("vkd3d", false)] {
        let finished = bench.run(&[&options[..], &["--runtime", library, "--json"]].concat());
        let timed: Json = serde_json::from_str(&finished.text()).unwrap_or_else(|_| panic!("{}", finished.errors()));
        assert_eq!(timed["comparable"], is_whole, "{library}: {timed}");
        let rows = timed["rows"].as_array().unwrap();
        let dispatch = rows.iter().filter(|row| row["what"].as_str().unwrap().starts_with("pipeline state"));
        let ratios: Vec<bool> = dispatch.map(|row| row["ratio"].is_f64()).collect();
        assert_eq!(ratios, [is_whole; 2], "{library}: {timed}");
    }
    let decided = bench.run(&[&options[..], &["--runtime", "vkd3d", "--slower", "1000"]].concat());
    assert_eq!(decided.status.code(), Some(1), "{}", decided.errors());
    let told = "a library leaves out draws or dispatches, of which nobody knows what they are in another trace";
    assert!(decided.errors().contains(told), "{}", decided.errors());
}

/// Replays in processes of their own, kept or not, have no less to say.
#[test]
fn other_processes_say_what_was_not_made() {
    let Some(bench) = captured("compute") else { return };
    let told = |arguments: &[&str]| {
        let finished = bench.run(arguments);
        (finished.status.code(), finished.errors().matches(SAID).count())
    };
    let time = ["time", "trace.reprise", "--runs", "1"];
    for more in [&["--against", "A=1 vkd3d"][..], &["--against", "A=1 vkd3d", "--fresh"]] {
        assert_eq!(told(&[&time[..], more].concat()), (Some(0), 1), "{more:?}");
    }
    assert_eq!(told(&[&time[..], &["--against", "A=1 ours"]].concat()), (Some(0), 0));
    // A golden of a library that makes less is a golden of less.
    assert_eq!(told(&["suite", "add", "own", "trace.reprise"]).1, 0);
    assert_eq!(told(&["suite", "add", "less", "trace.reprise", "--runtime", "vkd3d"]), (Some(0), 1));
    assert_eq!(told(&["suite", "run", "less", "--runtime", "vkd3d"]), (Some(0), 1));
}
