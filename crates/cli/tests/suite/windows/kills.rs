//! Deaths under Wine at random instants, of the program and of Wine's own server: no call that had returned is lost, and the program's
//! folder and the prefix's system folder are as they were.
//!
//! `REPRISE_WINE_KILLS` is how many there are; `cargo xtask kills --wine` makes 200.

use super::kill;
use super::wine::{Wine, tree};
use crate::bench::PATIENCE;
use crate::kills::{OF_A_KILL, compare, random, told, wait_until};
use reprise_testing::program;
use reprise_testing::wine::windows_path;
use reprise_testing::worker::Log;
use reprise_trace::read::Trace;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Kills without being asked for more.
const FEW: u64 = 8;

#[test]
#[ignore = "slow: boots a Wine prefix, and kills programs in it"]
fn killed_under_wine_at_random_instants() {
    let Some(wine) = Wine::new() else { return };
    let kills = std::env::var("REPRISE_WINE_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(FEW);
    let folder = wine.folder("kills", &[("killed.exe", "late")]);
    let logs = wine.folder("logs", &[("unused.exe", "late")]);
    let log = logs.join("log");
    let system = wine.prefix.folder().join("drive_c/windows/system32");
    let before = (tree(&folder), tree(&system));
    let (mut state, mut calls, mut servers, mut without) = (2026, 0, 0, 0);
    for number in 0..kills {
        let step = format!("work={}", windows_path(&log));
        let options = ["--quiet", "--force", "-o", "t.reprise"];
        let mut command = wine.capture(&options, &folder.join("killed.exe"), &[&step]);
        let mut launcher = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_until("program", || Log::read(&log).pid != 0);
        // One in four comes early; the others when there is something to lose.
        let enough = if number % 4 == 0 { 0 } else { 500 + random(&mut state) % 5000 };
        wait_until("calls", || Log::read(&log).calls() >= enough);
        std::thread::sleep(Duration::from_micros(random(&mut state) % 20_000));
        // Every third death is the server's. A process of Wine's ends when it next wants something of the server; this one may never.
        if number % 3 == 2 {
            servers += 1;
            kill(server(wine.prefix.folder()).expect("the prefix has a server"));
            std::thread::sleep(Duration::from_micros(random(&mut state) % 50_000));
        }
        named("killed.exe").into_iter().for_each(kill);
        let (status, timed_out) = program::wait(&mut launcher, PATIENCE).unwrap();
        assert!(!timed_out && !status.success(), "kill {number}: {status}");
        let done = Log::read(&log);
        if done.calls() == 0 && !wine.bench.path("t.reprise").exists() {
            without += 1;
        } else {
            let trace = Trace::open(&wine.bench.path("t.reprise")).unwrap();
            assert!(trace.statistics().complete, "kill {number}");
            compare(&done, &told(&trace, &OF_A_KILL));
            drop(trace);
            wine.bench.output(&["replay", "--quiet", "t.reprise"]);
        }
        calls += done.calls();
        std::fs::remove_file(&log).unwrap();
        assert!(tree(&folder) == before.0, "kill {number}: {:?}", tree(&folder).keys());
    }
    assert!(tree(&system) == before.1, "the prefix is not as it was");
    println!(
        "{kills} deaths, {servers} of them the server's: {calls} calls had returned and all are in the traces; {without} before the first one"
    );
}

/// Processes by their number.
fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The process of a Windows program: its command line has the program's name, and it is none of ours.
fn named(name: &str) -> Option<u32> {
    processes().find(|id| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let ours = std::fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|exe| exe.ends_with("reprise"));
        !ours && String::from_utf8_lossy(&line).contains(name)
    })
}

/// The server of a prefix: it works in a folder that has the numbers of the prefix's own in its name.
fn server(prefix: &Path) -> Option<u32> {
    let data = std::fs::metadata(prefix).ok()?;
    let name = format!("server-{:x}-{:x}", data.dev(), data.ino());
    processes().find(|id| {
        let folder = std::fs::read_link(format!("/proc/{id}/cwd"));
        folder.is_ok_and(|folder| folder.file_name().is_some_and(|last| last.to_string_lossy() == name))
    })
}
