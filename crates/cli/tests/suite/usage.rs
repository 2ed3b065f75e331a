//! Exit codes and help: what scripts and newcomers depend on.

use crate::bench::Bench;
use reprise_testing::{missing, require};
use std::process::Command;

#[test]
fn every_command_teaches_with_examples() {
    let bench = Bench::new();
    let overview = bench.output(&["--help"]);
    assert!(overview.contains("Examples:") && overview.contains("Exit codes:"), "{overview}");
    assert!(!overview.lines().any(|line| line.starts_with("  write ")), "the writer is not for people");
    for command in [
        "capture",
        "info",
        "dump",
        "extract",
        "convert",
        "diff",
        "stat",
        "replay",
        "verify",
        "repair",
        "gpus",
        "lint",
        "features",
        "state",
        "notes",
        "trim",
        "diagnose",
        "show",
        "thumbnails",
        "draws",
        "overdraw",
        "mesh",
        "time",
        "pixel",
        "bisect",
        "suite",
        "run",
        "completions",
        "man",
    ] {
        assert!(overview.contains(command));
        let help = bench.output(&[command, "--help"]);
        assert!(help.contains("Examples:") && help.contains(&format!("reprise {command} ")), "{help}");
        assert!(help.contains("Exit codes:"), "{help}");
    }
}

#[test]
fn wrong_usage_ends_with_2() {
    let bench = Bench::new();
    std::fs::write(bench.path("x.reprise"), "").unwrap();
    let cases: &[&[&str]] = &[
        &[],
        &["no-such-command"],
        &["info"],
        &["dump", "--frames", "0", "x.reprise"],
        &["time", "--slower", "10", "x.reprise"],
        &["time", "--runs", "0", "x.reprise"],
        &["dump", "--frames", "7-3", "x.reprise"],
        &["dump", "--calls", "0-3", "x.reprise"],
        &["dump", "--threads", "a", "x.reprise"],
        &["dump", "--objects", "0", "x.reprise"],
        &["convert", "--format", "xml", "x.reprise"],
        &["convert", "-o", "x.csv", "x.reprise"],
        &["diff", "x.reprise"],
        &["replay", "--screenshots", "a", "x.reprise"],
        &["replay", "--screenshots", "1", "--screenshot-all", "x.reprise"],
        &["replay", "--screenshot-all", "--screenshot-interval", "0", "x.reprise"],
        &["replay", "--screenshot-all", "--screenshot-format", "jpg", "x.reprise"],
        &["replay", "--screenshot-all", "--screenshot-scale", "-1,0", "x.reprise"],
        &["replay", "--screenshot-all", "--screenshot-size", "5", "x.reprise"],
        &["replay", "--screenshot-all", "--screenshot-size", "5x5", "--screenshot-scale", "2", "x.reprise"],
        &["replay", "--screenshot-size", "5x5", "x.reprise"],
        &["replay", "--quit-after-frame", "0", "x.reprise"],
        &["replay", "--quit-after-call", "0", "x.reprise"],
        &["replay", "--mfr", "5-5", "x.reprise"],
        &["replay", "--measurement-file", "speed.json", "x.reprise"],
        // Nobody can press Enter here.
        &["replay", "--paused", "x.reprise"],
        &["replay", "--gpu", "0", "--runtime", "vkd3d", "x.reprise"],
        &["replay", "--validate", "--runtime", "vkd3d", "x.reprise"],
        &["replay", "--denied-messages", "SYNC-HAZARD", "x.reprise"],
        &["replay", "--dump-resource", "12", "x.reprise"],
        &["replay", "--frames", "1-2,4", "x.reprise"],
        &["replay", "--break-at", "0", "x.reprise"],
        &["replay", "--gpu", "no device has this name", "x.reprise"],
        &["replay", "--pause-frame", "2", "x.reprise"],
        &["replay", "--check", "--screenshot-all", "x.reprise"],
        &["replay", "--check", "--dump-draw", "1", "x.reprise"],
        &["capture"],
        &["capture", "--ring-size", "1", "--", "true"],
        &["capture", "--memory-tracking", "page_guard", "--", "true"],
        &["verify", "--hashes", "missing.txt", "x.reprise"],
        &["verify", "--hashes", "a.txt", "--against", "vkd3d", "x.reprise"],
        &["verify", "--max-pixels", "3", "x.reprise"],
        &["replay", "--convention", "sysv", "x.reprise"],
    ];
    for arguments in cases {
        let finished = bench.run(arguments);
        assert_eq!(finished.status.code(), Some(2), "{arguments:?}: {}", finished.errors());
        assert!(!finished.errors().is_empty(), "{arguments:?} says nothing");
    }
    // Refused as such, and not for the display that is not there.
    for (arguments, why) in [
        (["replay", "--quiet", "--force-windowed=0,0", "x.reprise"], "is no number here"),
        (["replay", "--check", "--window", "x.reprise"], "cannot be used with"),
    ] {
        assert!(bench.run(&arguments).errors().contains(why), "{arguments:?}");
    }
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let bench = Bench::new();
    for arguments in [&["completions", "bash"][..], &["man"], &["help"], &["lint", "--rules"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = bench.command().args(arguments).stdout(writer).output().unwrap();
        assert!(ended.status.success() && ended.stderr.is_empty(), "{arguments:?}: {ended:?}");
    }
}

#[test]
fn no_trace_is_written_over_while_it_is_read() {
    let bench = Bench::new();
    std::fs::write(bench.path("x.reprise"), "what is there").unwrap();
    std::fs::hard_link(bench.path("x.reprise"), bench.path("other.jsonl")).unwrap();
    std::os::unix::fs::symlink("x.reprise", bench.path("link")).unwrap();
    for arguments in [
        &["convert", "-o", "x.reprise", "./x.reprise"][..],
        &["convert", "-o", "other.jsonl", "x.reprise"],
        &["replay", "--frame-hashes", "link", "x.reprise"],
        &["replay", "--mfr", "1-2", "--measurement-file", "link", "x.reprise"],
    ] {
        let finished = bench.run(arguments);
        assert_eq!(finished.status.code(), Some(2), "{arguments:?}: {}", finished.errors());
        assert!(finished.errors().contains("is the trace that is read"), "{arguments:?}: {}", finished.errors());
        assert_eq!(std::fs::read_to_string(bench.path("x.reprise")).unwrap(), "what is there");
    }
}

#[test]
fn outputs_do_not_replace_each_other() {
    let bench = Bench::new();
    std::fs::write(bench.path("x.reprise"), "no trace: nothing is read of it").unwrap();
    std::os::unix::fs::symlink("a", bench.path("b")).unwrap();
    std::fs::write(bench.path("a"), "what is there").unwrap();
    for arguments in [
        &["show", "--call", "1", "--target", "0", "-o", "y.png", "--raw", "./y.png", "x.reprise"][..],
        &["overdraw", "--frame", "1", "-o", "y.png", "--raw", "y.png", "x.reprise"],
        &["mesh", "--call", "1", "-o", "y.csv", "--raw", "y.csv", "x.reprise"],
        &["replay", "--mfr", "1-2", "--measurement-file", "b", "--frame-hashes", "a", "x.reprise"],
    ] {
        let finished = bench.run(arguments);
        assert_eq!(finished.status.code(), Some(2), "{arguments:?}: {}", finished.errors());
        assert!(finished.errors().contains("named for two files"), "{arguments:?}: {}", finished.errors());
    }
    assert_eq!(std::fs::read_to_string(bench.path("a")).unwrap(), "what is there");
}

#[test]
fn what_is_not_for_standard_output_makes_no_file_of_its_name() {
    let bench = Bench::new();
    std::fs::write(bench.path("x.reprise"), "no trace: nothing is read of it").unwrap();
    for arguments in [
        &["show", "--call", "1", "--target", "0", "-o", "-", "x.reprise"][..],
        &["show", "--call", "1", "--target", "0", "--raw", "-", "x.reprise"],
        &["thumbnails", "-o", "-", "x.reprise"],
        &["draws", "--frame", "1", "-o", "-", "x.reprise"],
        &["overdraw", "--frame", "1", "--raw", "-", "x.reprise"],
        &["mesh", "--call", "1", "-o", "-", "x.reprise"],
        &["replay", "--frame-hashes", "-", "x.reprise"],
        &["replay", "--log-file", "-", "x.reprise"],
        &["repair", "-o", "-", "x.reprise"],
        &["capture", "-o", "-", "--", "true"],
        &["capture", "--frame-hashes", "-", "--", "true"],
    ] {
        let finished = bench.run(arguments);
        assert_eq!(finished.status.code(), Some(2), "{arguments:?}: {}", finished.errors());
        assert!(finished.errors().contains("not written to standard output"), "{arguments:?}: {}", finished.errors());
    }
    let golden = reprise_testing::artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    for arguments in [&["trim", "--frames", "1", "-o", "-"][..], &["extract", "-o", "-"]] {
        let finished = bench.run(&[arguments, &[golden.to_str().unwrap()]].concat());
        assert_eq!(finished.status.code(), Some(2), "{arguments:?}: {}", finished.errors());
    }
    assert_eq!(bench.files(), ["x.reprise"]);
}

/// A trace that is written for another one takes time to make again: it is replaced when that is asked for, and never the one that is read.
#[test]
fn traces_that_are_there_are_replaced_by_force_alone() {
    let bench = Bench::new();
    let golden = reprise_testing::artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("gears.reprise")).unwrap();
    std::fs::write(bench.path("part.reprise"), "what is there").unwrap();
    for command in [&["trim", "--frames", "1"][..], &["repair"]] {
        let run = |more: &[&str]| bench.run(&[command, more, &["gears.reprise"]].concat());
        let finished = run(&["-o", "part.reprise"]);
        assert_eq!(finished.status.code(), Some(2), "{command:?}: {}", finished.errors());
        assert!(finished.errors().contains("replace it with --force"), "{command:?}: {}", finished.errors());
        assert_eq!(std::fs::read_to_string(bench.path("part.reprise")).unwrap(), "what is there", "{command:?}");
        let finished = run(&["-f", "-o", "gears.reprise"]);
        assert_eq!(finished.status.code(), Some(2), "{command:?}: {}", finished.errors());
        assert!(finished.errors().contains("is the trace that is read"), "{command:?}: {}", finished.errors());
        assert!(run(&["--force", "-o", "part.reprise"]).status.success(), "{command:?}");
        bench.output(&["info", "part.reprise"]);
        std::fs::write(bench.path("part.reprise"), "what is there").unwrap();
    }
    assert_eq!(bench.files(), ["gears.reprise", "part.reprise"]);
}

#[test]
fn a_capture_without_a_trace_leaves_the_former_one() {
    let bench = Bench::new();
    std::fs::write(bench.path("x.reprise"), "the former trace").unwrap();
    let finished = bench.run(&["capture", "--force", "-o", "x.reprise", "--", "true"]);
    assert_eq!(finished.status.code(), Some(124), "{}", finished.errors());
    assert_eq!(std::fs::read_to_string(bench.path("x.reprise")).unwrap(), "the former trace");
    assert_eq!(bench.files(), ["x.reprise"]);
    // Neither a device nor a folder becomes a trace.
    for place in ["/dev/null", "."] {
        let refused = bench.run(&["capture", "--force", "-o", place, "--", "true"]);
        assert_eq!(refused.status.code(), Some(2), "{place}: {}", refused.errors());
    }
}

#[test]
fn a_sheet_has_the_ending_of_a_format_that_is_written() {
    let bench = Bench::new();
    std::fs::write(bench.path("x.reprise"), "no trace: nothing is read of it").unwrap();
    for arguments in
        [&["thumbnails", "-o", "x.jpg", "x.reprise"][..], &["draws", "--frame", "1", "-o", "x.GIF", "x.reprise"]]
    {
        let finished = bench.run(arguments);
        assert_eq!(finished.status.code(), Some(2), "{arguments:?}: {}", finished.errors());
        assert!(finished.errors().contains(".png"), "{arguments:?}: {}", finished.errors());
    }
}

#[test]
fn a_selection_without_calls_says_so() {
    let bench = Bench::new();
    let golden = reprise_testing::artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("gears.reprise")).unwrap();
    for command in [&["dump"][..], &["convert", "-o", "-"], &["convert", "-o", "empty.parquet"]] {
        let finished = bench.run(&[command, &["--methods", "DispatchMesh", "gears.reprise"]].concat());
        assert!(finished.status.success() && finished.text().is_empty(), "{command:?}");
        assert!(finished.errors().contains("185 calls in 3 frames"), "{command:?}: {}", finished.errors());
    }
}

/// Frames count from 1, and what a program did behind its last one ends none.
#[test]
fn a_frame_that_is_not_there_is_refused_before_anything_is_played() {
    let bench = Bench::new();
    let golden = reprise_testing::artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("gears.reprise")).unwrap();
    for command in [
        &["replay", "--frames", "4"][..],
        &["replay", "--loop-frame", "4"],
        &["replay", "--mfr", "4-5"],
        &["replay", "--window", "--pause-frame", "4"],
        &["replay", "--renderdoc-frame", "4"],
        &["thumbnails", "--frames", "4-"],
        &["draws", "--frame", "4"],
        &["overdraw", "--frame", "4"],
        &["time", "--frames", "4"],
    ] {
        let finished = bench.run(&[command, &["gears.reprise"]].concat());
        assert_eq!(finished.status.code(), Some(2), "{command:?}: {}{}", finished.text(), finished.errors());
        assert!(finished.errors().contains("no frame 4: the trace has 3"), "{command:?}: {}", finished.errors());
    }
    assert_eq!(bench.files(), ["gears.reprise"]);
}

#[test]
fn an_unknown_way_of_memory_tracking_is_answered_with_those_there_are() {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "--", "true"]).env("REPRISE_MEMORY_TRACKING", "page_guard");
    let by_environment = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
    let by_option = bench.run(&["capture", "--memory-tracking", "page_guard", "--", "true"]);
    for finished in [by_environment, by_option] {
        assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
        let said = finished.errors();
        assert!(
            ["page_guard", "auto", "pages", "mprotect", "compare"].iter().all(|word| said.contains(word)),
            "{said}"
        );
    }
    assert!(bench.files().is_empty());
}

#[test]
fn a_file_that_is_no_trace_ends_with_3_and_says_so() {
    let bench = Bench::new();
    std::fs::write(bench.path("text.reprise"), "this is no trace\n".repeat(100)).unwrap();
    std::fs::write(bench.path("empty.reprise"), "").unwrap();
    for command in ["info", "dump", "extract", "convert", "stat", "replay"] {
        for file in ["text.reprise", "empty.reprise", "missing.reprise"] {
            let finished = bench.run(&[command, file]);
            assert_eq!(finished.status.code(), Some(3), "{command} {file}: {}", finished.errors());
            assert!(finished.errors().contains(file), "{command} {file}: {}", finished.errors());
            assert!(finished.stdout.is_empty(), "{command} {file}: {}", finished.text());
        }
    }
    assert_eq!(bench.run(&["verify", "missing.reprise"]).status.code(), Some(3));
    let missing = bench.run(&["info", "missing.reprise"]).errors();
    assert_eq!(missing.matches("No such file").count(), 1, "{missing}");
}

/// What has no length is refused: to open a pipe would be to wait, and a device gives bytes for ever.
#[test]
fn what_is_no_ordinary_file_is_not_read() {
    let bench = Bench::new();
    let pipe = std::ffi::CString::new(bench.path("pipe").into_os_string().into_encoded_bytes()).unwrap();
    // SAFETY: a terminated path.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    for file in ["pipe", ".", "/dev/zero"] {
        let finished = bench.run(&["info", file]);
        assert_eq!(finished.status.code(), Some(3), "{file}: {}", finished.errors());
        assert!(finished.errors().contains("no ordinary file"), "{file}: {}", finished.errors());
    }
}

#[test]
fn frame_hashes_of_a_capture_replace_nothing_else() {
    let bench = Bench::new();
    let capture = |options: &[&str]| bench.run(&[&["capture", "--frame-hashes", "x"][..], options, &["true"]].concat());
    for precious in ["precious", "#!/bin/sh\n"] {
        std::fs::write(bench.path("x"), precious).unwrap();
        let refused = capture(&["--"]);
        assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
        assert!(refused.errors().contains("--force"), "{}", refused.errors());
        assert_eq!(std::fs::read_to_string(bench.path("x")).unwrap(), precious);
    }
    assert_eq!(capture(&["--force", "--"]).status.code(), Some(124));
    assert!(!bench.path("x").exists());
    // What an earlier capture wrote is replaced unasked.
    std::fs::write(bench.path("x"), format!("1 {:032x}\n2 {:032x}\n", 7, 8)).unwrap();
    assert_eq!(capture(&["--"]).status.code(), Some(124));
}

/// What Vulkan's own tool lists is what there is to choose from, and is named to whoever chooses something else.
#[test]
fn devices_are_listed_as_vulkan_has_them() {
    let Some(tool) = require(missing::program("vulkaninfo", "vulkan-tools")) else { return };
    let bench = Bench::new();
    let mut command = Command::new(tool);
    let summary =
        reprise_testing::run(command.arg("--summary").env_remove("DISPLAY"), crate::bench::PATIENCE).unwrap().text();
    let names: Vec<&str> = summary.lines().filter_map(|line| line.trim().strip_prefix("deviceName")).collect();
    let names: Vec<&str> = names.iter().map(|name| name.trim_start_matches([' ', '='])).collect();
    assert!(!names.is_empty(), "{summary}");
    let listed = bench.output(&["gpus"]);
    assert_eq!(listed.lines().count(), names.len(), "{listed}");
    let refused = bench.run(&["replay", "--gpu", "no device has this name", "x.reprise"]).errors();
    for (index, (line, name)) in listed.lines().zip(names).enumerate() {
        assert!(line.starts_with(&format!("{index}: {name} (")), "{line}");
        assert!(refused.contains(line), "{refused}");
    }
}
