//! `reprise run` around Windows programs under Wine: they run on our runtime, and everything is as it was afterwards.

use super::wine::{Wine, tree};
use super::{calls, kill};
use crate::bench::PATIENCE;
use crate::programs::expected;
use reprise_testing::wine::windows_path;
use reprise_testing::{Finished, missing, program, require};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
#[ignore = "slow: boots a Wine prefix"]
fn windows_programs_on_ours() {
    let Some(wine) = Wine::new() else { return };
    exit_codes_and_reasons(&wine);
    a_program_of_ours(&wine);
    in_the_system_folder(&wine);
    a_launcher_that_ends(&wine);
    nothing_released(&wine);
    a_core_of_its_own(&wine);
    validation(&wine);
    captured(&wine);
    killed(&wine);
    assert_eq!(wine.bench.files(), [""; 0], "something is left behind");
}

fn run(wine: &Wine, options: &[&str], program: &Path, steps: &[&str]) -> Finished {
    let mut command = wine.reprise();
    command.arg("run").args(options).arg("--").arg(wine.program()).arg(program).args(steps);
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(!finished.timed_out, "{steps:?} hangs");
    finished
}

fn exit_codes_and_reasons(wine: &Wine) {
    let folder = wine.folder("on-ours", &[("late.exe", "late"), ("linked.exe", "linked")]);
    wine.build_own_library(&folder);
    let before = tree(&folder);
    for (options, program, steps, code, reason) in [
        (&[][..], "late.exe", &["device", "exit=9"][..], 9, ""),
        (&[], "linked.exe", &["sleep=200", "device", "exit=7"], 7, ""),
        (&[], "late.exe", &["share", "exit=6"], 6, ""),
        (&[], "late.exe", &["exit=5"], 5, "not linked with Direct3D 12"),
        (&[], "late.exe", &["load", "sleep=300"], 124, "no Direct3D 12 device was made"),
        (&["--adapter", "no such adapter"], "late.exe", &["device"], 103, "no such adapter"),
    ] {
        let finished = run(wine, options, &folder.join(program), steps);
        assert_eq!(finished.status.code(), Some(code), "{program} {steps:?}: {}", finished.errors());
        let said = finished.errors();
        assert!(said.contains("d3d12.dll, d3d12core.dll"), "{said}");
        assert!(said.contains(reason), "{program} {steps:?}: {said}");
        assert_eq!(said.contains("without a device of our runtime"), !reason.is_empty(), "{program} {steps:?}: {said}");
        assert_eq!(tree(&folder), before, "{program} {steps:?}");
    }
}

/// Wine's own Direct3D 12 gets this one wrong (`expected.txt`).
fn a_program_of_ours(wine: &Wine) {
    const NAME: &str = "stream-output";
    let folder = wine.folder("hashes", &[]);
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("programs.exe");
    std::fs::copy(wine.libraries.join("reprise-programs.exe"), &program).unwrap();
    let finished = run(wine, &["--quiet"], &program, &[NAME]);
    assert_eq!(finished.text().trim(), format!("{NAME} {}", expected(NAME)), "{}", finished.errors());
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
}

fn in_the_system_folder(wine: &Wine) {
    let folder = wine.folder("system-ours", &[("game.exe", "late")]);
    let system = wine.prefix.folder().join("drive_c/windows/system32");
    let before = tree(&system);
    let finished = run(wine, &["--place", "system"], &folder.join("game.exe"), &["files=game.exe", "device"]);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    assert!(!finished.errors().contains("without a device"), "{}", finished.errors());
    assert!(tree(&system) == before, "the prefix is not as it was");
}

fn a_launcher_that_ends(wine: &Wine) {
    let folder = wine.folder("launcher-ours", &[("launcher.exe", "late"), ("bin/x64/game.exe", "late")]);
    let before = tree(&folder);
    let child = format!("start={},sleep=1500,device", windows_path(&folder.join("bin/x64/game.exe")));
    let finished = run(wine, &[], &folder.join("launcher.exe"), &[&child, "exit=4"]);
    assert_eq!(finished.status.code(), Some(4), "{}", finished.errors());
    assert!(finished.errors().contains("waiting for game.exe"), "{}", finished.errors());
    assert!(!finished.errors().contains("without a device"), "{}", finished.errors());
    assert_eq!(tree(&folder), before);
}

/// Programs that end with work under way and release nothing end as others do.
fn nothing_released(wine: &Wine) {
    let folder = wine.folder("abandoned", &[("game.exe", "late")]);
    let before = tree(&folder);
    for round in 0..5 {
        let finished = run(wine, &["--quiet"], &folder.join("game.exe"), &["device", "abandon", "device", "exit=8"]);
        assert_eq!(finished.status.code(), Some(8), "round {round}: {}", finished.errors());
        assert_eq!(tree(&folder), before);
    }
}

/// A program that brings a `D3D12Core.dll` runs on our runtime all the same, bare and captured.
fn a_core_of_its_own(wine: &Wine) {
    let folder = wine.folder("own-core", &[("game.exe", "sdk")]);
    wine.build_own_core(&folder);
    let before = tree(&folder);
    let game = folder.join("game.exe");
    let finished = run(wine, &[], &game, &["device", "exit=8"]);
    assert_eq!(finished.status.code(), Some(8), "{}", finished.errors());
    assert!(!finished.errors().contains("without a device"), "{}", finished.errors());
    assert_eq!(tree(&folder), before);
    let finished = wine.captured(&["--runtime", "ours", "-o", "t.reprise"], &game, &["device", "exit=8"]);
    assert_eq!(finished.status.code(), Some(8), "{}", finished.errors());
    assert!(wine.bench.output(&["info", "t.reprise"]).contains("d3d12.dll of Reprise"));
    assert_eq!(tree(&folder), before);
    std::fs::remove_file(wine.bench.path("t.reprise")).unwrap();
}

/// Wine lets no program ask for a layer; the loader outside has it.
fn validation(wine: &Wine) {
    if require(missing::validation_layer()).is_none() {
        return;
    }
    let program = wine.folder("hashes", &[]).join("programs.exe");
    let finished = run(wine, &["--validate", "--log-file", "log"], &program, &["overlaps"]);
    assert_eq!(finished.status.code(), Some(0), "the exit code is the program's: {}", finished.errors());
    let log = std::fs::read_to_string(wine.bench.path("log")).unwrap();
    std::fs::remove_file(wine.bench.path("log")).unwrap();
    for said in [log, finished.errors()] {
        assert!(said.contains("validation error: VUID-vkCmdCopyBuffer-pRegions-00117: vkCmdCopyBuffer"), "{said}");
        assert!(said.contains("1 error, 0 warnings"), "{said}");
    }
    let clean = run(wine, &["--validate"], &program, &["compute"]);
    assert!(clean.errors().contains("0 errors, 0 warnings"), "{}", clean.errors());
}

fn captured(wine: &Wine) {
    let folder = wine.folder("captured-ours", &[("late.exe", "late"), ("linked.exe", "linked")]);
    let before = tree(&folder);
    for program in ["late.exe", "linked.exe"] {
        let options = ["--runtime", "ours", "-o", "t.reprise"];
        let finished = wine.captured(&options, &folder.join(program), &["device", "exit=3"]);
        assert_eq!(finished.status.code(), Some(3), "{program}: {}", finished.errors());
        assert!(wine.bench.output(&["info", "t.reprise"]).contains("d3d12.dll of Reprise"), "{program}");
        assert!(calls(wine, "t.reprise").contains("InitialValue=7"), "{program}");
        assert_eq!(tree(&folder), before);
    }
    let program = wine.folder("hashes", &[]).join("programs.exe");
    for (name, compared) in [("compute", "12.2 KiB"), ("interop", "16.0 KiB")] {
        let finished = wine.captured(&["--force", "--runtime", "ours", "-o", "t.reprise"], &program, &[name]);
        assert_eq!(finished.text().trim(), format!("{name} {}", expected(name)), "{}", finished.errors());
        let replayed = wine.bench.output(&["replay", "t.reprise"]);
        assert!(replayed.contains(&format!("{compared} that the program saw the GPU write compared")), "{replayed}");
    }
    std::fs::remove_file(wine.bench.path("t.reprise")).unwrap();
}

fn killed(wine: &Wine) {
    let folder = wine.folder("killed-ours", &[("game.exe", "late")]);
    let before = tree(&folder);
    let mut command = wine.reprise();
    command.args(["run", "--"]).arg(wine.program()).arg(folder.join("game.exe")).args(["device", "sleep=800"]);
    let mut launcher = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + PATIENCE;
    while !folder.join("d3d12.dll").exists() {
        assert!(Instant::now() < deadline, "nothing is placed");
        std::thread::sleep(Duration::from_millis(5));
    }
    kill(launcher.id());
    launcher.wait().unwrap();
    while tree(&folder) != before {
        assert!(Instant::now() < deadline, "{:?}", tree(&folder).keys());
        std::thread::sleep(Duration::from_millis(50));
    }
}
