//! `reprise suite`: golden results, and what becomes of them on a runtime that rounds otherwise, on one that crashes, and where files are not as
//! they were. The runtimes are those of the tests of `bisect`.

use crate::bench::Bench;
use crate::{bisect, left_out, presented, programs};
use reprise_testing::{Finished, artifact};
use serde_json::Value as Json;

fn captured(bench: &Bench, name: &str) {
    programs::capture(bench, name, &programs::ours());
    std::fs::rename(bench.path("trace.reprise"), bench.path(&format!("{name}.reprise"))).unwrap();
}

/// Runs the suite, and gives each trace's status and what is said of it.
fn run(bench: &Bench, arguments: &[&str]) -> (Vec<(String, String)>, Option<i32>) {
    let finished = bench.run(&[&["suite", "run", "s", "--json", "-"], arguments].concat());
    let json: Json = serde_json::from_str(&finished.text()).unwrap_or_else(|_| panic!("{}", finished.errors()));
    let text = |it: &Json, name: &str| it[name].as_str().unwrap().to_owned();
    let results = json["results"].as_array().unwrap().iter();
    (results.map(|it| (text(it, "status"), text(it, "why"))).collect(), finished.status.code())
}

#[test]
fn traces_pass_differ_or_fail_by_their_metrics() {
    let bench = Bench::new();
    let (Some(rounds), Some(crashes)) = (bisect::runtime(&bench, 1), bisect::runtime(&bench, 3)) else { return };
    captured(&bench, "presents");
    captured(&bench, "targets");
    bench.output(&["suite", "add", "s", "presents.reprise", "--reason", "by hand"]);
    bench.output(&[
        "suite",
        "add",
        "s",
        "presents.reprise",
        "--name",
        "step",
        "--metric",
        "max-step=1",
        "--frames",
        "1-3",
    ]);
    bench.output(&[
        "suite",
        "add",
        "s",
        "presents.reprise",
        "--name",
        "flip",
        "--metric",
        "flip=0.02",
        "--frames",
        "2",
    ]);
    bench.output(&["suite", "add", "s", "targets.reprise"]);
    // A golden result is replaced by `update` alone.
    let again = bench.run(&["suite", "add", "s", "targets.reprise", "--runtime", &rounds, "--driver", "llvmpipe"]);
    assert_eq!(again.status.code(), Some(2), "{}", again.errors());
    // What shows nothing is no golden result, and its trace is not kept.
    let nothing = bench.run(&["suite", "add", "s", "targets.reprise", "--name", "none", "--metric", "psnr=40"]);
    assert!(!nothing.status.success() && !bench.path("s/traces/none.reprise").exists(), "{}", nothing.errors());

    let statuses = |all: &[(String, String)]| all.iter().map(|(status, _)| status.clone()).collect::<Vec<_>>();
    let (all, code) = run(&bench, &["--jobs", "2"]);
    assert_eq!((statuses(&all), code), (vec!["pass".to_owned(); 4], Some(0)), "{all:?}");
    assert_eq!(all[1].1, "3 frames");
    // Clears are one step darker: each of the pixels, in all frames.
    let golden = ["--driver", "llvmpipe"];
    let (all, code) = run(&bench, &[&golden, &["--runtime", &rounds, "--junit", "j.xml"][..]].concat());
    assert_eq!(
        (statuses(&all), code),
        (["differs", "pass", "differs", "differs"].map(str::to_owned).to_vec(), Some(1))
    );
    assert!(all[0].1.starts_with("14 frames of 14 differ") && all[1].1 == "3 frames, the worst 1.0000", "{all:?}");
    assert!(all[2].1.contains("1 frame of 1 differs, the first is 2: flip 0.0"), "{all:?}");
    assert!(bench.path("reprise-results/flip/frame_000002_difference.png").exists());
    let junit = std::fs::read_to_string(bench.path("j.xml")).unwrap();
    assert!(junit.contains("tests=\"4\" failures=\"3\" errors=\"0\""), "{junit}");
    let crashed = bench.run(&["suite", "run", "s", "--only", "t*", "--github", "--runtime", &crashes]);
    assert_eq!(crashed.status.code(), Some(1));
    assert!(
        crashed.text().contains("::error title=targets%3A failed::the replay crashes: signal: 11"),
        "{}",
        crashed.text()
    );
    let (all, code) = run(&bench, &["--only", "step", "--timeout", "0.001"]);
    assert!(all[0].1.contains("hangs") && code == Some(1), "{all:?}");

    // What rounds otherwise is right from now on, and says why.
    let update =
        ["suite", "update", "s", "--only", "presents", "--reason", "rounds as the API says", "--runtime", &rounds];
    let said = bench.output(&[&update, &golden[..]].concat());
    assert!(said.starts_with("presents: golden for llvmpipe recorded anew; it was: 14 frames of 14"), "{said}");
    let (all, _) = run(&bench, &[&golden, &["--only", "presents", "--runtime", &rounds][..]].concat());
    assert_eq!(all[0].0, "pass");
    assert!(bench.output(&["suite", "list", "s"]).contains("llvmpipe: exact; rounds as the API says; recorded on"));
    let (all, code) = run(&bench, &["--only", "presents", "--driver", "radv"]);
    assert_eq!((all[0].0.as_str(), code), ("no golden", Some(1)));
    assert_eq!(run(&bench, &["--only", "presents", "--driver", "radv", "--allow-missing"]).1, Some(0));
}

#[test]
fn files_that_are_not_as_they_were_are_named() {
    let bench = Bench::new();
    captured(&bench, "compute");
    let is = |finished: Finished, code: i32, said: &str| {
        assert_eq!(finished.status.code(), Some(code), "{said}: {}", finished.errors());
        assert!(finished.errors().contains(said), "{said}: {}", finished.errors());
    };
    is(bench.run(&["suite", "run", "s"]), 2, "no suite: s/suite.toml");
    is(bench.run(&["suite", "add", "s", "compute.reprise", "--metric", "psnr=40"]), 2, "presents none");
    bench.output(&["suite", "add", "s", "compute.reprise"]);
    is(bench.run(&["suite", "run", "s", "--only", "x"]), 2, "no trace is meant");
    let break_file = |name: &str, at: usize| {
        let whole = std::fs::read(bench.path(name)).unwrap();
        let mut bytes = whole.clone();
        bytes[at] ^= 0x11;
        std::fs::write(bench.path(name), bytes).unwrap();
        whole
    };
    let trace = break_file("s/traces/compute.reprise", 5000);
    let (all, code) = run(&bench, &[]);
    assert!(all[0].0 == "failed" && all[0].1.contains("another trace than was added") && code == Some(1), "{all:?}");
    is(bench.run(&["suite", "add", "t", "s/traces/compute.reprise"]), 3, "damaged");
    // A file that no entry names is somebody's: it stays.
    std::fs::create_dir_all(bench.path("u/traces")).unwrap();
    std::fs::write(bench.path("u/traces/compute.reprise"), "somebody's").unwrap();
    is(bench.run(&["suite", "add", "u", "compute.reprise"]), 2, "does not name it");
    assert_eq!(std::fs::read(bench.path("u/traces/compute.reprise")).unwrap(), b"somebody's");
    std::fs::copy(bench.path("compute.reprise"), bench.path("u/traces/compute.reprise")).unwrap();
    bench.output(&["suite", "add", "u", "compute.reprise"]);
    std::fs::write(bench.path("s/traces/compute.reprise"), trace).unwrap();
    let golden = "s/golden/compute/llvmpipe/shown.txt";
    break_file(golden, 0);
    let (all, _) = run(&bench, &[]);
    assert!(all[0].0 == "failed" && all[0].1.contains("not as it was written"), "{all:?}");
    break_file(golden, 0);
    // A metric that compares nothing passes nothing.
    let manifest = std::fs::read_to_string(bench.path("s/suite.toml")).unwrap();
    let lossy = manifest.replace("\"exact\"", "\"psnr=40\"");
    assert_ne!(lossy, manifest);
    std::fs::write(bench.path("s/suite.toml"), lossy).unwrap();
    let (all, code) = run(&bench, &[]);
    assert!(all[0].0 == "differs" && all[0].1.contains("there are none") && code == Some(1), "{all:?}");
    std::fs::write(bench.path("s/suite.toml"), "version = 1\n[[trace]]\nname = 1\n").unwrap();
    is(bench.run(&["suite", "list", "s"]), 3, "suite.toml");
}

/// On the null runtime, which draws nothing, no picture can be told from what a GPU shows that does nothing.
#[test]
fn a_golden_result_that_nothing_upsets_is_refused() {
    let bench = Bench::new();
    presented::capture(&bench, &[]);
    let null = artifact::null_sysv_library().unwrap();
    let add = ["suite", "add", "s", "trace.reprise", "--driver", "none", "--runtime", &null.to_string_lossy()];
    for metric in ["exact", "max-step=1"] {
        let refused = bench.run(&[&add[..], &["--metric", metric]].concat());
        assert_eq!(refused.status.code(), Some(8), "{metric}: {}", refused.errors());
        assert!(refused.errors().contains("frames: 0 of 12 noticed"), "{metric}: {}", refused.errors());
        assert!(!bench.path("s/suite.toml").exists() && !bench.path("s/traces/trace.reprise").exists(), "{metric}");
    }
    bench.output(&[&add[..], &["--unchecked"]].concat());
    let manifest = std::fs::read_to_string(bench.path("s/suite.toml")).unwrap();
    assert!(manifest.contains("unchecked = true\n"), "{manifest}");
    assert!(bench.output(&["suite", "list", "s"]).contains("; unchecked"));
    // The same trace on a runtime that draws.
    bench.output(&["suite", "add", "s", "trace.reprise", "--driver", "llvmpipe"]);
    let manifest = std::fs::read_to_string(bench.path("s/suite.toml")).unwrap();
    assert_eq!(manifest.matches("unchecked").count(), 1, "{manifest}");
}

#[test]
fn traces_that_take_longer_than_their_profiles_are_slower() {
    let bench = Bench::new();
    captured(&bench, "costs");
    // The equal pipeline states of `costs` take about as long as the machine lets them: what is slower takes three times as long.
    let slower = ["--slower", "150"];
    bench.output(&["suite", "add", "s", "costs.reprise"]);
    let (all, code) = run(&bench, &["--time", "--runs", "5"]);
    assert_eq!((all[0].0.as_str(), code), ("no profile", Some(1)), "{all:?}");
    assert!(all[0].1.contains("no profile for llvmpipe"), "{all:?}");
    let said = bench.output(&[&["suite", "time", "s", "--runs", "5", "--reason", "today's"], &slower[..]].concat());
    assert!(said.starts_with("costs: ") && said.contains("ms on llvmpipe"), "{said}");
    let listed = bench.output(&["suite", "list", "s"]);
    assert!(listed.contains("times of llvmpipe") && listed.contains("150 % are slower; today's"), "{listed}");

    let (all, code) = run(&bench, &["--time", "--runs", "5"]);
    assert_eq!((all[0].0.as_str(), code), ("pass", Some(0)), "{all:?}");
    assert!(all[0].1.contains("times its profile") || all[0].1.contains("than its profile"), "{all:?}");
    let seed = ["--time", "--runs", "5", "--env", "REPRISE_SLOW=2:8388608"];
    let (all, code) = run(&bench, &[&seed[..], &["--junit", "j.xml"]].concat());
    assert_eq!((all[0].0.as_str(), code), ("slower", Some(1)), "{all:?}");
    assert!(all[0].1.contains("pipeline state") && all[0].1.contains("% longer"), "{all:?}");
    assert!(std::fs::read_to_string(bench.path("j.xml")).unwrap().contains("failures=\"1\""));
    // Without being asked, nobody measures.
    assert_eq!(run(&bench, &[]).1, Some(0));

    for (words, said) in [
        (&["--time", "--jobs", "2"][..], "--jobs"),
        (&["--runs", "5"], "--time"),
        (&["--time", "--runs", "4"], "5..=60"),
    ] {
        let wrong = bench.run(&[&["suite", "run", "s"], words].concat());
        assert!(wrong.status.code() == Some(2) && wrong.errors().contains(said), "{}", wrong.errors());
    }
    let file = bench.path("s/golden/costs/times");
    let file = std::fs::read_dir(file).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("\"trace_bytes\":", "\"trace_bytes\":1", 1)).unwrap();
    let (all, code) = run(&bench, &["--time", "--runs", "5"]);
    assert_eq!((all[0].0.as_str(), code), ("failed", Some(1)), "{all:?}");
    assert!(all[0].1.contains("times of another trace"), "{all:?}");
    // What has no times of operations, or too few, would call nothing slower, or everything.
    let without_runs = |left: usize| {
        let mut lines: Vec<&str> = text.lines().filter(|line| !line.contains("\"end\"")).collect();
        let is_beyond = |line: &&str| (left + 1..=5).any(|run| line.starts_with(&format!("{{\"run\":[{run},")));
        lines.retain(|line| !is_beyond(line));
        let end = format!("{{\"end\":{}}}", lines.len());
        lines.push(&end);
        lines.join("\n") + "\n"
    };
    let lists = text.replacen("\"by_operation\":true", "\"by_operation\":false", 1);
    for (file_has, said) in [
        (lists, "no times of operations"),
        (without_runs(0), "no times"),
        (without_runs(4), "fewer than five"),
        (text[..text.len() / 2].to_owned(), "`reprise suite time` records the profile anew"),
    ] {
        std::fs::write(&file, file_has).unwrap();
        let (all, code) = run(&bench, &["--time", "--runs", "5"]);
        assert_eq!((all[0].0.as_str(), code), ("failed", Some(1)), "{said}: {all:?}");
        assert!(all[0].1.contains(said), "{said}: {all:?}");
    }
}

/// A library that leaves work out shows something else. That its times cannot be compared with those of more work makes it no failure.
#[test]
fn what_shows_something_else_stays_that_where_times_are_not_compared() {
    let Some(bench) = left_out::captured("compute") else { return };
    bench.output(&["suite", "add", "s", "trace.reprise"]);
    bench.output(&["suite", "time", "s", "--runs", "5", "--reason", "all of it"]);
    let (all, code) = run(&bench, &["--time", "--runs", "5", "--runtime", "vkd3d", "--driver", "llvmpipe"]);
    assert_eq!((all[0].0.as_str(), code), ("differs", Some(1)), "{all:?}");
    assert!(all[0].1.contains("times are not comparable") && all[0].1.contains("vkd3d leaves out"), "{all:?}");
}
