//! `--log-level` and `--log-file` of capture and replay.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::{Finished, artifact, program};
use std::collections::BTreeSet;

/// Level, process and text of each line.
fn lines(bench: &Bench, name: &str) -> Vec<(String, u32, String)> {
    let text = std::fs::read_to_string(bench.path(name)).unwrap();
    let line = |line: &str| {
        let (level, rest) = line.split_once(" [").unwrap();
        let (process, text) = rest.split_once("] ").unwrap();
        (level.trim_end().to_owned(), process.parse().unwrap(), text.to_owned())
    };
    text.lines().map(line).collect()
}

/// What our runtime says of the device that it makes, where decisions are wanted.
const DECISION: &str = "device ";

#[test]
fn a_replay_says_what_is_asked_for() {
    let bench = Bench::new();
    programs::capture(&bench, "compute", &programs::ours());
    let replay = |arguments: &[&str]| bench.run(&[&["replay", "-q", "trace.reprise"], arguments].concat());
    assert_eq!(replay(&[]).errors(), "");

    // What was there is not appended to.
    std::fs::write(bench.path("log.txt"), "of an earlier replay\n").unwrap();
    let told = replay(&["--log-level", "debug", "--log-file", "log.txt"]);
    assert!(told.status.success(), "{}", told.errors());
    let logged = lines(&bench, "log.txt");
    assert!(logged.iter().any(|(level, _, text)| level == "debug" && text.starts_with(DECISION)), "{logged:?}");
    // Threads that say something at once may do so in one order here and in another there.
    let mut in_file: Vec<String> = logged.iter().map(|(_, _, text)| format!("reprise: {text}")).collect();
    let errors = told.errors();
    let mut shown: Vec<&str> = errors.lines().collect();
    in_file.sort();
    shown.sort();
    assert_eq!(shown, in_file, "the file has what is shown");

    // A warning, which is not shown to who wants errors only.
    std::fs::create_dir(bench.path("edited")).unwrap();
    let shader = artifact::workspace().join("crates/programs/shaders/compute.main.dxbc");
    // Under a hash that no shader of the trace has.
    std::fs::copy(shader, bench.path(&format!("edited/{:032x}.dxbc", 1))).unwrap();
    let warned = |arguments: &[&str]| {
        let finished = replay(&[&["--replace-shaders", "edited"], arguments].concat());
        assert!(finished.status.success(), "{}", finished.errors());
        finished.errors().contains("no shader of the trace is")
    };
    assert!(warned(&[]) && warned(&["--log-level", "WARNING"]) && !warned(&["--log-level", "error"]));

    // What ends the process is always said.
    let failed: Finished =
        bench.run(&["replay", "missing.reprise", "--log-level", "fatal", "--log-file", "failed.txt"]);
    assert_eq!(failed.status.code(), Some(3));
    assert!(failed.errors().contains("missing.reprise"), "{}", failed.errors());
    let logged = lines(&bench, "failed.txt");
    assert!(logged.len() == 1 && logged[0].0 == "fatal" && logged[0].2.contains("missing.reprise"), "{logged:?}");

    // A trace is not written over.
    for name in ["trace.reprise", "./trace.reprise"] {
        let refused = replay(&["--log-file", name]);
        assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
        assert!(refused.errors().contains("--log-file"), "{}", refused.errors());
    }
    assert!(replay(&[]).status.success());
}

/// Launcher and program write into one file: what the program's library and runtime say is there, too.
#[test]
fn a_capture_and_its_program_share_a_file() {
    let bench = Bench::new();
    let capture = |arguments: &[&str]| {
        let mut command = bench.command();
        command.args(["capture", "--force", "-o", "trace.reprise"]).args(arguments).arg("--");
        command.arg(artifact::programs().unwrap()).args(["compute", "--library"]).arg(programs::ours());
        let finished = program::run(&mut command, PATIENCE).unwrap();
        assert!(finished.status.success(), "{}", finished.errors());
        finished
    };
    capture(&["--log-level", "debug", "--log-file", "log.txt"]);
    let logged = lines(&bench, "log.txt");
    let of =
        |what: &str| logged.iter().find(|(_, _, text)| text.contains(what)).unwrap_or_else(|| panic!("{logged:?}"));
    let (program, launcher) = (of(DECISION), of("trace.reprise: 0 frames"));
    assert_eq!((program.0.as_str(), launcher.0.as_str()), ("debug", "info"));
    assert_eq!(BTreeSet::from([program.1, launcher.1]).len(), 2, "two processes");

    let quiet = capture(&["--log-level", "warning"]);
    assert_eq!(quiet.errors(), "");
    assert!(capture(&[]).errors().contains("trace.reprise: 0 frames"));
}
