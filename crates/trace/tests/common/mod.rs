//! What the tests of this crate share: folders that vanish, and a writer in a thread.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use reprise_trace::read::Trace;
use reprise_trace::record::{AFTER, Kind, LEAVES, ORDERED, SEQUENCE, TICKS};
use reprise_trace::ring::Producer;
use reprise_trace::session::{Config, Session, folder_beside};
use reprise_trace::writer_process::{self, Options, Summary};

/// A folder that is removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("reprise-trace-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        // What was left there under the same process id.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn session(output: &Path) -> Session {
    let description = r#"{"program":"test","args":["-x"]}"#.into();
    let config = Config { ring_capacity: 512 << 10, description, api_version: 7, api_hash: 0x1234 };
    Session::create(&folder_beside(output), &config).unwrap()
}

pub fn options(output: &Path) -> Options {
    Options {
        session: folder_beside(output),
        output: output.into(),
        program: None,
        max_bytes: None,
        compression: Default::default(),
        schema: Box::new(|methods| format!("{methods:?}").into_bytes()),
    }
}

/// Runs the writer to its end in this process: the session must be closed.
pub fn write(output: &Path) -> Summary {
    writer_process::run(options(output)).unwrap()
}

/// Checks every byte of a trace, and that its parts say the same.
pub fn sound(trace: &Trace) {
    trace.check(|_| {}, |_| {}).unwrap();
    let (damage, more) = trace.damage();
    assert!(damage.is_empty() && more == 0, "{damage:#?}");
}

/// A call of `Order::Object`, as the capture layer makes it.
pub fn light(producer: &mut Producer, method: u16, object: u32, ordinal: u32, words: &[u64]) -> bool {
    let flags = ORDERED | AFTER;
    let Some(to) = producer.begin(Kind::Enter, method, flags, object, ordinal, words.len() * 8) else { return false };
    for (i, word) in words.iter().enumerate() {
        // SAFETY: `begin` gave room for so many words.
        unsafe { to.cast::<u64>().add(i).write(*word) };
    }
    producer.publish();
    producer.enter_call();
    producer.leave_call();
    true
}

/// A call of `Order::EnterLeave`.
pub fn enter(producer: &mut Producer, method: u16, object: u32, payload: &[u8]) -> bool {
    producer.record(Kind::Enter, method, SEQUENCE | TICKS | LEAVES, object, 0, &[payload])
}

pub fn leave(producer: &mut Producer, method: u16, object: u32, payload: &[u8]) -> bool {
    producer.record(Kind::Leave, method, SEQUENCE, object, 0, &[payload])
}

pub fn frame(producer: &mut Producer) -> bool {
    producer.record(Kind::Frame, 0, SEQUENCE | TICKS, 0, 0, &[&1u64.to_le_bytes()])
}

/// Bytes without a pattern, always the same.
pub fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 56) as u8
    };
    (0..len).map(|_| next()).collect()
}
