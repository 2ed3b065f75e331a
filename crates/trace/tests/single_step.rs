//! A stop at every instruction of the publish path: published records are whole, unpublished ones are invisible, and the ring
//! still makes a trace.
//!
//! A forked child records under `PTRACE_SINGLESTEP`. After each instruction the ring's file is as a SIGKILL at that instant
//! would leave it.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::atomic::{AtomicU64, Ordering};

use common::*;
use reprise_trace::os::Mapping;
use reprise_trace::read::Trace;
use reprise_trace::record::{Kind, LEAVES, Record, SEQUENCE, TICKS};
use reprise_trace::ring::{Consumer, Producer};
use reprise_trace::session::{Session, folder_beside};

/// Bytes that the ring holds when the stepping begins: so many that the steps go over its end.
const BEFORE: u64 = (512 << 10) - 200;

/// The records of the child: one of each way through the code, over the end of the ring.
fn records(p: &mut Producer, completed: &AtomicU64) {
    let mut done = 0;
    let mut next = || {
        done += 1;
        completed.store(done, Ordering::Relaxed);
    };
    for i in 0..4 {
        light(p, 2, 11, i, &[u64::from(i), 1]);
        next();
    }
    enter(p, 3, 10, b"argument that is not a multiple of eight");
    next();
    leave(p, 3, 10, b"r");
    next();
    p.blob(7, &[9; 100]);
    next();
    p.memory(12, 1, 4090, &[8; 20]);
    next();
    p.record(Kind::Enter, 4, SEQUENCE | TICKS | LEAVES, 10, 0, &[&[1; 16], &[2; 3]]);
    next();
}

/// The records from `from` on, in brief.
fn published(ring: &Consumer, from: u64) -> Vec<(Kind, u16, Vec<u8>)> {
    let (mut position, head) = (from, ring.head());
    let (mut found, mut bytes) = (Vec::new(), Vec::new());
    assert!(ring.copy(from, head, &mut bytes));
    while position < head {
        let record = Record::parse(&bytes[(position - from) as usize..]).unwrap();
        assert_eq!(record.header.flags & !31, 0);
        if record.kind != Kind::Pad {
            found.push((record.kind, record.header.method, record.payload.to_vec()));
        }
        position += u64::from(record.header.size);
    }
    assert_eq!(position, head, "a record reaches beyond what is published");
    found
}

#[test]
fn every_instruction_of_the_publish_path_may_be_the_last() {
    let folder = Folder::new();
    let output = folder.join("a.reprise");
    let completed_page = Mapping::create(&folder.join("completed"), 4096).unwrap();
    // SAFETY: the page is mapped until the end of the test.
    let completed = unsafe { &*completed_page.address().cast::<AtomicU64>() };

    // What an undisturbed run writes.
    let reference = {
        let session = session(&folder.join("reference"));
        let mut p = session.create_ring("reference").unwrap();
        records(&mut p, completed);
        published(&Consumer::new(std::sync::Arc::clone(p.ring())), 0)
    };
    completed.store(0, Ordering::Relaxed);

    let session = session(&output);
    let mut p = session.create_ring("main").unwrap();
    // A ring that is nearly at its end and otherwise empty.
    let mut ring = Consumer::new(std::sync::Arc::clone(p.ring()));
    while ring.head() < BEFORE {
        let rest = (BEFORE - ring.head()).min(8192) as usize;
        assert!(p.record(Kind::Observe, 0, 0, 0, 0, &[&vec![0; rest - 16]]));
    }
    assert_eq!(ring.head(), BEFORE);
    ring.release(BEFORE);
    // A trace with nothing but its header and what the program says of itself: a writer that was killed at once.
    let header = reprise_trace::layout::FileHeader { start: session.started(), ..Default::default() };
    let file = reprise_trace::trace_writer::TraceWriter::create(Vec::new(), &header, Default::default()).unwrap();
    std::fs::write(&output, file.into_output().unwrap()).unwrap();

    // SAFETY: the child calls only what needs no other thread: no allocation, no locks. It ends with `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: plain system calls.
        unsafe {
            libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0);
            libc::raise(libc::SIGSTOP);
        }
        records(&mut p, completed);
        // SAFETY: ends the child at once, as it must: it is a copy of a test.
        unsafe { libc::_exit(0) };
    }
    assert!(child > 0);
    let mut status = 0;
    // SAFETY: `status` is writable; the child is ours.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert!(libc::WIFSTOPPED(status));
    let (mut steps, mut last_head, mut last_done, mut opened) = (0u64, BEFORE, 0, 0);
    loop {
        // SAFETY: the child is stopped and traced by this thread.
        assert_eq!(unsafe { libc::ptrace(libc::PTRACE_SINGLESTEP, child, 0, 0) }, 0);
        // SAFETY: `status` is writable; the child is ours.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        if libc::WIFEXITED(status) {
            break;
        }
        assert!(libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == libc::SIGTRAP, "{status:#x}");
        steps += 1;
        let (head, done) = (ring.head(), completed.load(Ordering::Relaxed));
        let found = published(&ring, BEFORE);
        assert!(found.len() as u64 >= done && found.len() as u64 <= done + 1, "step {steps}");
        assert!(found.iter().zip(&reference).all(|(a, b)| a == b), "step {steps}: {found:?}");
        // Reading a trace is slow: after each instruction that published or completed something, and now and then.
        if head != last_head || done != last_done || steps % 97 == 0 {
            let snapshot = Session::open_snapshot(&folder_beside(&output)).unwrap();
            assert_eq!(published(&snapshot.open_ring(0).unwrap().unwrap(), BEFORE), found);
            let trace = Trace::open(&output).unwrap();
            let mut events = trace.events();
            let mut whole = Vec::new();
            while let Some(e) = events.next().unwrap() {
                if e.kind != Kind::Gap {
                    whole.push((e.kind, e.method, e.payload.to_vec()));
                }
            }
            let expected: Vec<_> = found.iter().filter(|f| f.0 != Kind::Blob).cloned().collect();
            assert_eq!(whole, expected, "step {steps}");
            opened += 1;
        }
        (last_head, last_done) = (head, done);
    }
    assert_eq!(libc::WEXITSTATUS(status), 0);
    assert_eq!(published(&ring, BEFORE), reference);
    assert!(ring.head() > 512 << 10, "the records did not go over the ring's end");
    assert!(steps > 1000 && opened > 20, "{steps} steps, {opened} readings");
}
