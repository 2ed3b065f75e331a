//! `reprise capture` around Windows programs under Wine. Each program does known steps, and its trace must have them. Where there is no
//! trace, a message must say why. The programs' folders and the prefix must be the same before and after.

mod kills;
mod layers;
mod run;
mod shown;
pub(crate) mod wine;

use crate::bench::PATIENCE;
use reprise_testing::program;
use reprise_testing::wine::{TARGET, windows_path};
use reprise_testing::{artifact, autopsy};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use wine::{Wine, tree};

#[test]
#[ignore = "slow: boots a Wine prefix"]
fn what_programs_do_around_direct3d() {
    let Some(wine) = Wine::new() else { return };
    exit_codes_and_reasons(&wine);
    a_device_is_recorded(&wine);
    a_library_of_the_programs_own(&wine);
    two_processes(&wine);
    a_launcher_that_ends(&wine);
    a_program_that_looks_at_its_folder(&wine);
    the_environment(&wine);
    what_steam_starts(&wine);
    assert_eq!(wine.bench.files(), [""; 0], "something is left behind");
}

/// The calls of a trace, which is then removed.
fn calls(wine: &Wine, trace: &str) -> String {
    let text = wine.bench.output(&["dump", trace]);
    std::fs::remove_file(wine.bench.path(trace)).unwrap();
    text
}

fn exit_codes_and_reasons(wine: &Wine) {
    let folder = wine.folder("reasons", &[("late.exe", "late"), ("linked.exe", "linked")]);
    let before = tree(&folder);
    for (program, steps, code, reason) in [
        ("late.exe", &["exit=5"][..], 5, "not linked with Direct3D 12"),
        ("late.exe", &[], 124, "not linked with Direct3D 12"),
        ("late.exe", &["load", "sleep=500"], 124, "no Direct3D 12 device was made"),
        ("linked.exe", &["sleep=500", "exit=3"], 3, "no Direct3D 12 device was made"),
    ] {
        let finished = wine.captured(&[], &folder.join(program), steps);
        assert_eq!(finished.status.code(), Some(code), "{program} {steps:?}: {}", finished.errors());
        assert!(finished.errors().contains(reason), "{program} {steps:?}: {}", finished.errors());
        assert_eq!(tree(&folder), before, "{program} {steps:?}");
    }
    // A program of 32 bits: at once, and nothing is started.
    std::fs::create_dir_all(folder.with_file_name("narrow")).unwrap();
    let narrow = folder.with_file_name("narrow").join("game.exe");
    let mut bytes = before[&folder.join("late.exe")].clone();
    let header = u32::from_le_bytes(bytes[0x3c..0x40].try_into().unwrap()) as usize;
    bytes[header + 4..header + 6].copy_from_slice(&0x14c_u16.to_le_bytes());
    bytes[header + 24..header + 26].copy_from_slice(&0x10b_u16.to_le_bytes());
    std::fs::write(&narrow, bytes).unwrap();
    let began = Instant::now();
    let finished = wine.captured(&[], &narrow, &[]);
    assert_eq!(finished.status.code(), Some(126), "{}", finished.errors());
    assert!(finished.errors().contains("32-bit"), "{}", finished.errors());
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

fn a_device_is_recorded(wine: &Wine) {
    let folder = wine.folder("device", &[("late.exe", "late"), ("linked.exe", "linked")]);
    let before = tree(&folder);
    for program in ["late.exe", "linked.exe"] {
        let program = folder.join(program);
        // A path with `..`, which Wine does not resolve.
        let trace = Path::new("..").join(wine.bench.folder.file_name().unwrap()).join("t.reprise");
        let finished = wine.captured(&["-o", trace.to_str().unwrap()], &program, &["sleep=200", "device", "exit=9"]);
        assert_eq!(finished.status.code(), Some(9), "{}", finished.errors());
        let text = calls(wine, "t.reprise");
        assert!(text.contains("D3D12CreateDevice") && text.contains("InitialValue=7"), "{text}");
    }
    assert_eq!(tree(&folder), before);
    // By a path of Windows, and into a trace with the program's name.
    let finished = wine.captured(&[], Path::new(&windows_path(&folder.join("LATE.EXE"))), &["device"]);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    assert!(calls(wine, "late.reprise").contains("D3D12CreateDevice"));
}

fn a_library_of_the_programs_own(wine: &Wine) {
    let folder = wine.folder("own", &[("game.exe", "late")]);
    wine.build_own_library(&folder);
    let before = tree(&folder);
    let program = folder.join("game.exe");
    // Without us it counts only where the user says so.
    let mut command = wine.capture(&["-o", "t.reprise"], &program, &["device"]);
    let finished = program::run(command.env("WINEDLLOVERRIDES", "d3d12=n"), PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(103), "{}", finished.errors());
    if wine.bench.path("t.reprise").exists() {
        assert!(calls(wine, "t.reprise").contains("88888888"));
    } else {
        assert!(finished.errors().contains("no Direct3D 12 device was made"), "{}", finished.errors());
    }
    assert_eq!(tree(&folder), before);
}

fn two_processes(wine: &Wine) {
    let folder = wine.folder("two", &[("game.exe", "late")]);
    let child = format!("call={},device,sleep=300", windows_path(&folder.join("game.exe")));
    let finished = wine.captured(&["-o", "t.reprise"], &folder.join("game.exe"), &["device", &child]);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    let traces = wine.bench.files();
    assert_eq!(traces.len(), 2, "{traces:?}: {}", finished.errors());
    for trace in traces {
        assert!(calls(wine, &trace).contains("InitialValue=7"), "{trace}");
    }
}

fn a_launcher_that_ends(wine: &Wine) {
    let folder = wine.folder("launcher", &[("launcher.exe", "late"), ("bin/x64/game.exe", "late")]);
    let before = tree(&folder);
    let child = format!("start={},sleep=1500,device", windows_path(&folder.join("bin/x64/game.exe")));
    let finished = wine.captured(&["-o", "t.reprise"], &folder.join("launcher.exe"), &[&child, "exit=4"]);
    assert_eq!(finished.status.code(), Some(4), "{}", finished.errors());
    assert!(finished.errors().contains("waiting for game.exe"), "{}", finished.errors());
    assert!(calls(wine, "t.reprise").contains("InitialValue=7"));
    assert_eq!(tree(&folder), before);
}

fn a_program_that_looks_at_its_folder(wine: &Wine) {
    let folder = wine.folder("looks", &[("game.exe", "late")]);
    let (program, steps) = (folder.join("game.exe"), ["files=game.exe", "device"]);
    assert_eq!(wine.bare(&program, &steps).status.code(), Some(0));
    let beside = wine.captured(&["-o", "t.reprise"], &program, &steps);
    assert_eq!(beside.status.code(), Some(106), "{}", beside.errors());
    let system = wine.prefix.folder().join("drive_c/windows/system32");
    let before = tree(&system);
    let finished = wine.captured(&["--place", "system", "-o", "t.reprise"], &program, &steps);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    assert!(calls(wine, "t.reprise").contains("InitialValue=7"));
    assert!(tree(&system) == before, "the prefix is not as it was");
}

fn the_environment(wine: &Wine) {
    let folder = wine.folder("environment", &[("game.exe", "late")]);
    let mut command =
        wine.capture(&[], &folder.join("game.exe"), &["variable=WINEDLLOVERRIDES", "variable=LD_PRELOAD"]);
    let finished = program::run(command.env("WINEDLLOVERRIDES", "winmm=n,b;dxgi=b"), PATIENCE).unwrap();
    assert_eq!(finished.text().trim(), "winmm=n,b;d3d12,dxgi,d3d12core=n,b", "{}", finished.errors());
    assert!(finished.errors().contains("dxgi=b"), "{}", finished.errors());
}

/// Scripts stand in for the container and for Proton, which finds its prefix by a variable and adds to the overrides.
fn what_steam_starts(wine: &Wine) {
    let game = wine.folder("common/Game", &[("launcher.exe", "late"), ("bin/game.exe", "late")]);
    let before = tree(&game);
    let container = wine.script("_v2-entry-point", "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"");
    let proton = format!(
        "shift; WINEPREFIX=$STEAM_COMPAT_DATA_PATH/pfx WINEDLLOVERRIDES=\"$WINEDLLOVERRIDES;d3d11=n,b\" exec {} \"$@\"",
        wine.program().display()
    );
    let proton = wine.script("proton", &proton);
    let data = wine.prefix.folder().with_file_name("compatdata");
    std::fs::create_dir(&data).unwrap();
    std::os::unix::fs::symlink(wine.prefix.folder(), data.join("pfx")).unwrap();
    let mut command = wine.reprise();
    command.args(["capture", "-o", "t.reprise", "--"]).arg(container).args(["--verb=waitforexitandrun", "--"]);
    command.arg(proton).arg("waitforexitandrun").arg(game.join("launcher.exe"));
    command.arg(format!("start={},sleep=500,device", windows_path(&game.join("bin/game.exe"))));
    command.env_remove("WINEPREFIX").env("STEAM_COMPAT_DATA_PATH", &data).env("STEAM_COMPAT_INSTALL_PATH", &game);
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    assert!(finished.errors().contains("launcher.exe under Proton"), "{}", finished.errors());
    assert!(calls(wine, "t.reprise").contains("InitialValue=7"));
    assert_eq!(tree(&game), before);
}

/// `reprise.exe` under Wine, which stands in for Windows.
#[test]
#[ignore = "slow: boots a Wine prefix"]
fn reprise_for_windows() {
    let Some(wine) = Wine::new() else { return };
    let reprise = wine.libraries.join("reprise.exe");
    let folder = wine.folder("here", &[("game.exe", "late")]);
    let before = tree(&folder);
    let run = |arguments: &[&str]| {
        let mut command = wine.command(wine.program());
        command.arg(&reprise).args(arguments).env("REPRISE_WINDOWS_LIBRARIES", windows_path(&wine.libraries));
        program::run(command.env("WINEDLLOVERRIDES", "d3d12,dxgi=n,b"), PATIENCE).unwrap()
    };
    let game = windows_path(&folder.join("game.exe"));
    let captured = run(&["capture", "-o", "t.reprise", "--", &game, "device", "exit=7"]);
    assert_eq!(captured.status.code(), Some(7), "{}", captured.errors());
    assert_eq!(tree(&folder), before);
    assert_eq!(wine.bench.files(), ["t.reprise"]);
    // Both programs read the trace alike.
    let dump = run(&["dump", "t.reprise"]).text().replace("\r\n", "\n");
    assert_eq!(dump, wine.bench.output(&["dump", "t.reprise"]));
    assert!(dump.contains("InitialValue=7"), "{dump}");
    for (arguments, code, text) in [
        (&["replay", "t.reprise"][..], 0, "4 calls replayed on d3d12.dll"),
        (&["replay", "--runtime", "ours", "t.reprise"], 2, "not part of reprise.exe"),
        (&["gpus"], 1, "not part of reprise.exe"),
        (&["replay", "--window", "t.reprise"], 2, "X11 only"),
        (&["capture", "--", &game], 124, "not linked with Direct3D 12"),
        (&["capture", "--", "nowhere.exe"], 127, "no such program"),
        (&["info", "t.reprise"], 0, "5"),
        (&["stat", "t.reprise"], 0, "CreateFence"),
        (&["diff", "t.reprise", "t.reprise"], 0, ""),
        (&["convert", "-o", "t.parquet", "t.reprise"], 0, ""),
    ] {
        let finished = run(arguments);
        assert_eq!(finished.status.code(), Some(code), "{arguments:?}: {}", finished.errors());
        let said = finished.text() + &finished.errors();
        assert!(said.contains(text), "{arguments:?}: {said}");
    }
}

/// Ends a process by force.
fn kill(process: u32) {
    // SAFETY: no memory is involved; the process was started by this test and not waited for, or found by its command line.
    unsafe { libc::kill(process.cast_signed(), libc::SIGKILL) };
}

/// The process that puts folders back, for this trace.
fn restorer(trace: &Path) -> Option<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let mut ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.find(|id| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(" restore ") && line.contains(trace.to_str().unwrap())
    })
}

#[test]
#[ignore = "slow: boots a Wine prefix, and kills captures in it"]
fn folders_and_prefix_are_as_they_were_after_kills() {
    const KILLS: u64 = 8;
    let Some(wine) = Wine::new() else { return };
    let folder = wine.folder("killed", &[("game.exe", "late"), ("bin/other.exe", "linked")]);
    wine.build_own_library(&folder.join("bin"));
    let system = wine.prefix.folder().join("drive_c/windows/system32");
    let before = (tree(&folder), tree(&system));
    let wait_until_as_before = |what: &str| {
        let deadline = Instant::now() + PATIENCE;
        let is_changing =
            || [&folder, &folder.join("bin"), &system].map(|place| place.join("reprise-capture.journal").exists());
        while is_changing().contains(&true) {
            assert!(Instant::now() < deadline, "{what}: {:?}", is_changing());
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(tree(&folder) == before.0, "{what}: {:?}", tree(&folder).keys());
        assert!(tree(&system) == before.1, "{what}: the prefix is not as it was");
    };
    for round in 0..KILLS {
        let place = if round % 3 == 2 { "system" } else { "program" };
        let options = ["--force", "-o", "t.reprise", "--place", place];
        let mut command = wine.capture(&options, &folder.join("game.exe"), &["device", "sleep=600"]);
        let mut capture = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Any instant from the first change to the end.
        std::thread::sleep(Duration::from_millis(round * 1300 / KILLS));
        let what = match round % 4 {
            // With it the one that would put things back: then it is asked for.
            0 => {
                let restorer = restorer(&wine.bench.path("t.reprise"));
                kill(capture.id());
                restorer.into_iter().for_each(kill);
                capture.wait().unwrap();
                let root = if place == "system" { &system } else { &folder };
                let finished = wine.bench.run(&["capture", "--clean-up", root.to_str().unwrap()]);
                assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
                "all that is ours"
            }
            1 => {
                // On a busy machine the server may not be there yet, and the program would sleep to its end. A program of Wine's
                // whose server goes while the two meet waits for ever for its answer: it is ended, too.
                let asked = Instant::now();
                while capture.try_wait().unwrap().is_none() {
                    wine.prefix.end();
                    if asked.elapsed() > Duration::from_secs(20) {
                        let is_program = |pid: &u32| {
                            std::fs::read_to_string(format!("/proc/{pid}/comm"))
                                .is_ok_and(|name| name.starts_with("wine64"))
                        };
                        autopsy::family(capture.id()).into_iter().skip(1).filter(is_program).for_each(kill);
                    }
                    std::thread::sleep(Duration::from_millis(200));
                }
                "the server"
            }
            _ => {
                kill(capture.id());
                "the capture"
            }
        };
        capture.wait().unwrap();
        wait_until_as_before(&format!("round {round}, place {place}, killed {what}"));
        // A writer of the capture that was killed finishes its trace first.
        wine.prefix.end();
    }
    let finished = wine.captured(&["--force", "-o", "t.reprise"], &folder.join("game.exe"), &["device"]);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    wait_until_as_before("the last capture");
}

/// The capture library's own tests, those of its parts for Windows and Wine among them.
#[test]
#[ignore = "slow: boots a Wine prefix"]
fn units() {
    let Some(wine) = Wine::new() else { return };
    let mut cargo = wine.command(Path::new(env!("CARGO")));
    // In the profile of `build-windows --debug`, which has most of it built.
    cargo.args(["test", "--quiet", "--locked", "--package", "reprise-capture", "--lib", "--target", TARGET]);
    cargo.current_dir(artifact::workspace()).env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", wine.program());
    let finished = program::run(&mut cargo, 3 * PATIENCE).unwrap();
    assert!(finished.status.success() && !finished.timed_out, "{}{}", finished.text(), finished.errors());
}
