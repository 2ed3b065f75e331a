//! Capture when somebody dies: the program, the launcher, the writer.

use crate::bench::{Bench, PATIENCE};
use reprise_testing::{Display, Hook, autopsy, missing, program, require};
use serde_json::Value as Json;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A capture of vkd3d-gears that is under way.
struct Running {
    bench: Bench,
    _display: Display,
    launcher: Child,
}

fn start() -> Option<Running> {
    let gears = require(missing::program("vkd3d-gears", "vkd3d-demos"))?;
    require(Display::available())?;
    let (bench, display) = (Bench::new(), Display::start().unwrap());
    let hook = bench.hook()?;
    let launcher = launch(&bench, &display, &gears, &[], &hook);
    let running = Running { bench, _display: display, launcher };
    // The trace itself begins to grow when the writer takes what it has.
    running.wait_until("frames", || {
        hook.presents() > 3 && std::fs::metadata(running.bench.path("trace.reprise")).is_ok_and(|data| data.len() > 0)
    });
    Some(running)
}

fn launch(bench: &Bench, display: &Display, gears: &Path, options: &[&str], hook: &Hook) -> Child {
    let mut command = bench.command();
    command.arg("capture").args(options).args(["-o", "trace.reprise", "--"]).arg(gears).env("DISPLAY", display.name());
    command.env("VKD3D_DEBUG", "none").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.envs(hook.environment(None));
    command.spawn().unwrap()
}

/// The processes that a process has started, by their names.
fn children(pid: u32) -> Vec<(u32, String)> {
    let named = |pid| std::fs::read_to_string(format!("/proc/{pid}/comm")).map(|name| (pid, name.trim().to_owned()));
    autopsy::family(pid).into_iter().skip(1).filter_map(|pid| named(pid).ok()).collect()
}

impl Running {
    fn wait_until(&self, what: &str, holds: impl Fn() -> bool) {
        let started = Instant::now();
        while !holds() {
            assert!(started.elapsed() < PATIENCE, "no {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The process that our launcher started under this name.
    fn child(&self, name: &str) -> u32 {
        let children = children(self.launcher.id());
        let child = children.iter().find(|(_, own)| own == name);
        child.unwrap_or_else(|| panic!("no {name} among {children:?}")).0
    }

    fn wait(&mut self) -> Option<i32> {
        let (status, timed_out) = program::wait(&mut self.launcher, PATIENCE).unwrap();
        assert!(!timed_out, "the launcher hangs");
        status.code()
    }

    fn info(&self, trace: &str) -> Json {
        serde_json::from_str(&self.bench.output(&["info", "--json", trace])).unwrap()
    }
}

fn kill(pid: u32) {
    // SAFETY: a process that this test started, by its id; no memory is involved.
    assert_eq!(unsafe { libc::kill(pid.cast_signed(), libc::SIGKILL) }, 0);
}

/// Waits until a process has closed its files: until it is a zombie, or gone.
fn wait_for_end(pid: u32) {
    let lives = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    };
    let started = Instant::now();
    while lives() {
        assert!(started.elapsed() < PATIENCE, "process {pid} does not end");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
#[ignore = "slow: captures a real program"]
fn the_program_is_killed() {
    let Some(mut running) = start() else { return };
    kill(running.child("vkd3d-gears"));
    assert_eq!(running.wait(), Some(137));
    assert_eq!(running.bench.files(), ["trace.reprise"], "something is left behind");
    let info = running.info("trace.reprise");
    assert_eq!(info["complete"], Json::Bool(true));
    // It may have died on the arguments of a call, or between the pieces of a blob: then that is said, and no more is missing.
    let of_a_kill =
        ["the thread died on the arguments of a call", "the thread ended within a call", "records are missing"];
    let gaps = info["gaps"].as_array().unwrap();
    assert!(gaps.len() <= 1 && gaps.iter().all(|gap| of_a_kill.map(Json::from).contains(&gap["reason"])), "{gaps:?}");
    assert!(info["frames"].as_u64().unwrap() > 1);
    // At most the call that was under way has no end; it is the last one.
    let dump = running.bench.output(&["dump", "--json", "trace.reprise"]);
    let open: Vec<Json> = dump
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap())
        .filter(|line| line.get("returned").is_some())
        .collect();
    assert!(open.len() <= 1, "{open:?}");
    assert!(open.iter().all(|line| line["call"] == info["calls"]), "{open:?}");
    running.bench.output(&["replay", "trace.reprise"]);
}

#[test]
#[ignore = "slow: captures a real program"]
fn the_launcher_is_killed() {
    let Some(mut running) = start() else { return };
    kill(running.launcher.id());
    running.wait();
    // The program runs on, and so does its writer, until the program's window is closed.
    running._display.close_windows().unwrap();
    running.wait_until("end of the writer", || running.bench.files() == ["trace.reprise"]);
    let info = running.info("trace.reprise");
    assert_eq!((&info["complete"], info["gap_count"].as_u64()), (&Json::Bool(true), Some(0)), "{info}");
}

#[test]
#[ignore = "slow: captures a real program"]
fn the_writer_is_killed() {
    let Some(mut running) = start() else { return };
    kill(running.child("reprise"));
    running._display.close_windows().unwrap();
    // The program ends as it would have; the capture has failed and says where the rest is.
    assert_eq!(running.wait(), Some(125));
    let mut said = String::new();
    std::io::Read::read_to_string(running.launcher.stderr.as_mut().unwrap(), &mut said).unwrap();
    assert!(said.contains("trace.reprise.rings"), "{said}");
    assert_eq!(running.bench.files(), ["trace.reprise", "trace.reprise.rings"]);
    let before = running.info("trace.reprise");
    assert_eq!(before["complete"], Json::Bool(false));
    assert!(before["calls"].as_u64().unwrap() > 0);
    // The same with the rings elsewhere, where they must be named.
    std::fs::rename(running.bench.path("trace.reprise.rings"), running.bench.path("elsewhere")).unwrap();
    assert!(running.info("trace.reprise")["calls"].as_u64() < before["calls"].as_u64());
    let named = ["--rings", "elsewhere", "trace.reprise"];
    let info: Json = serde_json::from_str(&running.bench.output(&[&["info", "--json"][..], &named].concat())).unwrap();
    assert_eq!(info["calls"], before["calls"]);
    let dump = running.bench.output(&[&["dump", "--json"][..], &named].concat());
    let calls = dump.lines().filter(|line| serde_json::from_str::<Json>(line).unwrap().get("call").is_some());
    assert_eq!(calls.count() as u64, before["calls"].as_u64().unwrap());
    running.bench.output(&[&["replay"][..], &named].concat());
    let nothing = running.bench.run(&["info", "--rings", ".", "trace.reprise"]);
    assert_eq!(nothing.status.code(), Some(2), "{}", nothing.errors());
    std::fs::rename(running.bench.path("elsewhere"), running.bench.path("trace.reprise.rings")).unwrap();
    running.bench.output(&["repair", "-o", "whole.reprise", "trace.reprise"]);
    let after = running.info("whole.reprise");
    assert_eq!((&after["complete"], &after["calls"]), (&Json::Bool(true), &before["calls"]));
    running.bench.output(&["replay", "whole.reprise"]);
}

/// One capture after the other into the same trace, whoever was killed in the one before: each finds a clean place.
#[test]
#[ignore = "slow: captures a real program"]
fn thirty_captures_to_one_output() {
    let Some(gears) = require(missing::program("vkd3d-gears", "vkd3d-demos")) else { return };
    let Some(()) = require(Display::available()) else { return };
    let (bench, display) = (Bench::new(), Display::start().unwrap());
    let Some(hook) = bench.hook() else { return };
    let trace = bench.path("trace.reprise");
    // A trace of this run is another file than the one before, whose number is not used again while it is open.
    let trace_of = || std::fs::metadata(&trace).ok().map(|data| (data.ino(), data.len()));
    let (mut before, mut _open) = (None, None);
    for run in 0..30u64 {
        let presents = hook.presents();
        let mut launcher = launch(&bench, &display, &gears, &["--force"], &hook);
        let started = Instant::now();
        while !trace_of().is_some_and(|(which, bytes)| Some(which) != before && bytes > 0) {
            let status = launcher.try_wait().unwrap();
            assert!(started.elapsed() < PATIENCE, "run {run}: no trace");
            if status.is_some() {
                let mut said = String::new();
                std::io::Read::read_to_string(launcher.stderr.as_mut().unwrap(), &mut said).unwrap();
                panic!("run {run}: no trace: {status:?}: {said}");
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let lived = run * 37 % 150;
        std::thread::sleep(Duration::from_millis(lived));
        // Killed at once it may not have made a call.
        let has_called = lived >= 100;
        assert!(!has_called || hook.wait_for_presents(presents + 1, PATIENCE), "run {run}: no frame");
        let children = children(launcher.id());
        let child = |name: &str| children.iter().find(|(_, own)| own == name).map(|(pid, _)| *pid);
        let (program, writer) = (child("vkd3d-gears").unwrap(), child("reprise").unwrap());
        // The program last: while it runs, the next capture may not begin.
        let (doomed, code): (&[u32], _) = match run % 5 {
            0 => (&[program], Some(137)),
            1 => (&[launcher.id(), program], None),
            2 => (&[launcher.id(), writer, program], None),
            3 => (&[writer, program], Some(125)),
            _ => (&[program], Some(137)),
        };
        doomed.iter().for_each(|pid| kill(*pid));
        let (status, timed_out) = program::wait(&mut launcher, PATIENCE).unwrap();
        let mut said = String::new();
        std::io::Read::read_to_string(launcher.stderr.as_mut().unwrap(), &mut said).unwrap();
        assert!(!timed_out && status.code() == code, "run {run}: {status}, not {code:?}: {said}");
        // Whoever loses its launcher is nobody's child; it has let go of the folder when it has ended.
        doomed.iter().for_each(|pid| wait_for_end(*pid));
        before = trace_of().map(|(which, _)| which);
        _open = std::fs::File::open(&trace).ok();
        if run % 5 == 0 || run % 5 == 4 {
            assert_eq!(bench.files(), ["trace.reprise"], "run {run}: something is left behind");
            let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
            assert_eq!(info["complete"], Json::Bool(true), "run {run}");
            assert!(!has_called || info["calls"].as_u64().unwrap() > 0, "run {run}");
        }
    }
}

/// Every process of a program that uses Direct3D has a trace of its own, at the same time or one after the other.
#[test]
#[ignore = "slow: captures a real program"]
fn two_processes_two_traces() {
    two_processes("vkd3d-gears & vkd3d-triangle; wait");
    two_processes("vkd3d-gears; vkd3d-triangle");
}

fn two_processes(script: &str) {
    let Some(_) = require(missing::program("vkd3d-gears", "vkd3d-demos")) else { return };
    let Some(()) = require(Display::available()) else { return };
    let (bench, display) = (Bench::new(), Display::start().unwrap());
    let mut command: Command = bench.command();
    command.args(["capture", "-o", "trace.reprise", "--", "sh", "-c", script]);
    command.env("DISPLAY", display.name()).env("VKD3D_DEBUG", "none").stdin(Stdio::null()).stderr(Stdio::null());
    let mut launcher = command.spawn().unwrap();
    let started = Instant::now();
    // Windows come one after the other; each is asked to close until none is left to ask.
    let (status, timed_out) = loop {
        let (status, timed_out) = match launcher.try_wait().unwrap() {
            Some(status) => (status, false),
            None if started.elapsed() > PATIENCE => program::wait(&mut launcher, Duration::ZERO).unwrap(),
            None => {
                std::thread::sleep(Duration::from_millis(1500));
                display.close_windows().unwrap();
                continue;
            }
        };
        break (status, timed_out);
    };
    assert!(!timed_out && status.success(), "{status}");
    let files = bench.files();
    assert_eq!(files.len(), 2, "{files:?}");
    let mut programs: Vec<String> = files
        .iter()
        .map(|file| serde_json::from_str::<Json>(&bench.output(&["info", "--json", file])).unwrap())
        .map(|info| {
            assert_eq!((&info["complete"], info["gap_count"].as_u64()), (&Json::Bool(true), Some(0)));
            info["program"].as_str().unwrap().to_owned()
        })
        .collect();
    programs.sort();
    assert_eq!(programs, ["vkd3d-gears", "vkd3d-triangle"]);
}
