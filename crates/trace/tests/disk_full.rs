//! A full disk ends the trace at one place, with a message, and ends neither the writer nor the program.
//!
//! A limit on the size of files makes the disk full in the writer's process, which is this test binary started again.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::*;
use reprise_trace::read::Trace;
use reprise_trace::record::{GapReason, Kind};
use reprise_trace::session::folder_beside;
use reprise_trace::trace_writer::{FileOutput, Output};

const OUTPUT: &str = "REPRISE_TEST_OUTPUT";
const LIMIT: u64 = 3 << 20;

/// Not a test: the writer's process.
#[test]
#[ignore = "started by the other test"]
fn no_test_process() {
    let Ok(output) = std::env::var(OUTPUT) else { return };
    let limit = libc::rlimit { rlim_cur: LIMIT, rlim_max: LIMIT };
    // SAFETY: plain system calls that concern this process only.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
    let output = PathBuf::from(output);
    room_is_within_the_limit(&output.with_extension("room"));
    write(&output);
}

/// The system gives disk space behind the end of a file beyond the limit on its size, and refuses to write there.
fn room_is_within_the_limit(path: &Path) {
    let mut file = FileOutput::create(path).unwrap();
    file.append(&[1; 1000]).unwrap();
    file.reserve(LIMIT - 1000).unwrap();
    assert_eq!(file.reserve(LIMIT - 999).unwrap_err().kind(), std::io::ErrorKind::FileTooLarge);
    file.append(&vec![2; LIMIT as usize - 1000]).unwrap();
    file.append(&[3]).unwrap_err();
    assert_eq!(file.finish().unwrap(), LIMIT);
}

#[test]
fn the_trace_ends_cleanly_and_the_program_goes_on() {
    let folder = Folder::new();
    let output = folder.join("a.reprise");
    let session = session(&output);
    let mut command = Command::new(std::env::current_exe().unwrap());
    // Uncaptured, what the writer says is part of what this test says.
    command.args(["--ignored", "--exact", "--quiet", "--nocapture", "no_test_process"]);
    let mut writer = command.env(OUTPUT, &output).stdout(Stdio::null()).spawn().unwrap();
    // A program waits only so long for a writer that has not come yet.
    let started = std::time::Instant::now();
    while !session.has_writer() {
        assert!(started.elapsed().as_secs() < 300 && writer.try_wait().unwrap().is_none(), "no writer");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let mut p = session.create_ring("main").unwrap();
    let calls = 80_000u32;
    for i in 0..calls {
        let words: Vec<u64> = noise(i.into(), 64).as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
        assert!(light(&mut p, 1, 11, i, &words), "the program goes on recording into the void");
    }
    drop(p);
    session.close();
    assert!(writer.wait().unwrap().success());
    assert!(!folder_beside(&output).exists());
    assert!(std::fs::metadata(&output).unwrap().len() <= LIMIT);

    let trace = Trace::open(&output).unwrap();
    let s = trace.statistics().clone();
    // It is whole as a file, and not all that the program did.
    assert!(s.finished && !s.complete);
    assert_eq!((s.calls_made, trace.loss()), (Some(calls.into()), trace.meta()["cut"].as_str()));
    assert!(s.calls > 10_000 && s.calls < u64::from(calls), "{}", s.calls);
    assert!(trace.meta()["cut"].as_str().unwrap().contains("sequence number"));
    assert_eq!(s.gaps, 1);
    let (mut next, mut gap) = (0u32, None);
    let mut events = trace.events();
    while let Some(e) = events.next().unwrap() {
        assert!(gap.is_none(), "the gap is the last event");
        if e.kind == Kind::Gap {
            gap = Some(e.fact().unwrap().0);
            continue;
        }
        assert!(e.payload == noise(next.into(), 64), "call {next}");
        next += 1;
    }
    assert_eq!(gap, Some(GapReason::DiskFull as u32));
    sound(&trace);
    assert_eq!(u64::from(next), s.calls);
}
