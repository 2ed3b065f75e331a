//! The page of a session that program and writer share: who they are, and the counters of all threads.
//!
//! Invariant: everything in it is accessed as atomics, since the other process may write it at any time.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::clock::Instant3;
use crate::os::{self, Fresh, Mapping};
use crate::shared::instants::Instants;
use crate::shared::table::Table;

/// First word of a session file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"RPRSESS\0");
/// Version of the layout below.
pub const VERSION: u32 = 1;
/// Most rings of a session at one time: the places of its table, which later rings take again.
pub const MAX_RINGS: u32 = 4096;
/// Longest description, in bytes of JSON.
pub const MAX_DESCRIPTION: usize = 28 << 10;

const DESCRIPTION_AT: usize = 4096;
const TABLE_AT: usize = 32 << 10;
/// Length of the file, in bytes.
pub(super) const FILE_BYTES: usize = TABLE_AT + 8 * MAX_RINGS as usize;

/// State of the writer: none has come yet.
const WRITER_NONE: u32 = 0;
/// State of the writer: it reads the rings.
pub(super) const WRITER_ATTACHED: u32 = 1;
/// State of the writer: it has finished the trace and reads no more.
pub(super) const WRITER_FINISHED: u32 = 2;

/// How long the program waits for a writer that shows no sign of life, when the system cannot say whether it runs.
pub(super) const PATIENCE_NS: u64 = 10_000_000_000;
/// The same when the writer's process does run: it may be stopped, or stuck on a dead disk. A program never hangs on us.
const PATIENCE_ALIVE_NS: u64 = 60_000_000_000;

#[repr(C, align(128))]
pub(super) struct Control {
    pub(super) magic: AtomicU64,
    pub(super) version: AtomicU32,
    pub(super) pid: AtomicU32,
    pub(super) process_start: AtomicU64,
    pub(super) ticks: AtomicU64,
    pub(super) realtime_ns: AtomicU64,
    pub(super) monotonic_ns: AtomicU64,
    pub(super) ring_capacity: AtomicU64,
    pub(super) description_len: AtomicU32,
    pub(super) closed: AtomicU32,
    pub(super) api_version: AtomicU32,
    /// How often the launcher was asked to begin or to end what is wanted.
    pub(super) triggers: AtomicU32,
    pub(super) api_hash: AtomicU64,
    pub(super) sequence: Line,
    pub(super) object: Line,
    pub(super) rings: Line,
    pub(super) writer: WriterLine,
}

#[repr(C, align(128))]
pub(super) struct Line(pub(super) AtomicU64);

#[repr(C, align(128))]
pub(super) struct WriterLine {
    pub(super) heartbeat: AtomicU64,
    pub(super) pid: AtomicU32,
    pub(super) state: AtomicU32,
    pub(super) process_start: AtomicU64,
    /// Ticks, nanoseconds since 1970, monotonic nanoseconds.
    pub(super) even: [AtomicU64; 3],
    /// The space of process numbers that `pid` is of.
    pub(super) namespace: AtomicU64,
    /// How often the writer noted an instant. Odd: the last one is in `odd`.
    pub(super) noted: AtomicU64,
    /// Ticks, nanoseconds since 1970, monotonic nanoseconds.
    pub(super) odd: [AtomicU64; 3],
}

// As `FORMAT.md` says.
const _: () = {
    assert!(std::mem::offset_of!(Control, ring_capacity) == 48);
    assert!(std::mem::offset_of!(Control, api_hash) == 72);
    assert!(std::mem::offset_of!(Control, sequence) == 128);
    assert!(std::mem::offset_of!(Control, object) == 256);
    assert!(std::mem::offset_of!(Control, rings) == 384);
    assert!(std::mem::offset_of!(Control, writer) == 512);
    assert!(std::mem::offset_of!(WriterLine, even) == 24);
    assert!(std::mem::offset_of!(WriterLine, namespace) == 48);
    assert!(std::mem::offset_of!(WriterLine, noted) == 56);
    assert!(std::mem::offset_of!(WriterLine, odd) == 64);
    assert!(size_of::<Control>() <= DESCRIPTION_AT && FILE_BYTES == 65536);
};

/// The shared page.
#[derive(Debug)]
pub struct SessionPage {
    mapping: Mapping,
}

/// What a new page says of its session.
pub(super) struct About<'a> {
    pub(super) ring_capacity: u64,
    pub(super) api_version: u32,
    pub(super) api_hash: u64,
    /// [`MAX_DESCRIPTION`] bytes at most.
    pub(super) description: &'a str,
}

impl SessionPage {
    /// Lays out the page of a session of this process. The session begins now.
    pub(super) fn create(memory: Fresh, about: &About<'_>) -> SessionPage {
        let page = SessionPage { mapping: memory.into_mapping() };
        assert!(page.mapping.len() >= FILE_BYTES, "a session page has {FILE_BYTES} bytes");
        let control = page.control();
        let now = Instant3::now();
        control.version.store(VERSION, Ordering::Relaxed);
        control.pid.store(os::own_id(), Ordering::Relaxed);
        control.process_start.store(os::own_start(), Ordering::Relaxed);
        control.ticks.store(now.ticks, Ordering::Relaxed);
        control.realtime_ns.store(now.realtime_ns, Ordering::Relaxed);
        control.monotonic_ns.store(now.monotonic_ns, Ordering::Relaxed);
        control.ring_capacity.store(about.ring_capacity, Ordering::Relaxed);
        control.api_version.store(about.api_version, Ordering::Relaxed);
        control.api_hash.store(about.api_hash, Ordering::Relaxed);
        control.sequence.0.store(1, Ordering::Relaxed);
        control.object.0.store(1, Ordering::Relaxed);
        let text = about.description.as_bytes();
        for (word, bytes) in page.description_words().iter().zip(text.chunks(8)) {
            let mut whole = [0; 8];
            whole[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_le_bytes(whole), Ordering::Relaxed);
        }
        control.description_len.store(text.len().min(MAX_DESCRIPTION) as u32, Ordering::Relaxed);
        // Last, so that whoever sees the magic sees the rest.
        control.magic.store(MAGIC, Ordering::Release);
        page
    }

    /// Opens the page of another process. The error says what its first words are.
    pub(super) fn open(mapping: Mapping) -> Result<SessionPage, String> {
        if mapping.len() < FILE_BYTES {
            return Err(format!("{} bytes of {FILE_BYTES}", mapping.len()));
        }
        let page = SessionPage { mapping };
        let control = page.control();
        let (magic, version) = (control.magic.load(Ordering::Acquire), control.version.load(Ordering::Relaxed));
        if magic == MAGIC && version == VERSION {
            Ok(page)
        } else {
            Err(format!("first word {magic:#x}, version {version}"))
        }
    }

    /// A page in memory of this process only, for tests and models.
    pub fn anonymous() -> SessionPage {
        let about = About { ring_capacity: 0, api_version: 0, api_hash: 0, description: "{}" };
        SessionPage::create(Mapping::anonymous(FILE_BYTES), &about)
    }

    pub(super) fn control(&self) -> &Control {
        // SAFETY: `create` and `open` checked that the mapping has `FILE_BYTES` bytes, of which the control page is the
        // beginning; it is aligned to a page and lives as long as `self`. All fields are atomics, valid for any bits.
        unsafe { &*self.mapping.address().cast::<Control>() }
    }

    fn words(&self, at: usize, bytes: usize) -> &[AtomicU64] {
        assert!(at.is_multiple_of(8) && at + bytes <= FILE_BYTES);
        // SAFETY: the range lies within the `FILE_BYTES` bytes of the mapping, which is aligned to a page and lives as long as
        // `self`; it is accessed as atomics only.
        unsafe { std::slice::from_raw_parts(self.mapping.address().add(at).cast(), bytes / 8) }
    }

    /// The table of rings.
    pub(super) fn table(&self) -> Table<'_, AtomicU64> {
        Table(self.words(TABLE_AT, 8 * MAX_RINGS as usize))
    }

    fn description_words(&self) -> &[AtomicU64] {
        self.words(DESCRIPTION_AT, MAX_DESCRIPTION)
    }

    /// The JSON object that the program described itself with.
    pub(super) fn description(&self) -> String {
        let len = self.control().description_len.load(Ordering::Acquire) as usize;
        let words = self.description_words().iter().flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes());
        String::from_utf8_lossy(&words.take(len).collect::<Vec<u8>>()).into_owned()
    }

    /// The counter of sequence numbers: the next one to be given out.
    #[inline(always)]
    pub fn sequence(&self) -> &AtomicU64 {
        &self.control().sequence.0
    }

    /// The instants that the writer notes.
    pub(super) fn instants(&self) -> Instants<'_, AtomicU64> {
        let writer = &self.control().writer;
        Instants { count: &writer.noted, slots: [&writer.even, &writer.odd] }
    }

    /// Begins to wait for the writer to make room.
    #[cold]
    pub(super) fn wait(&self) -> Wait {
        let now = os::monotonic_ns();
        Wait { rounds: 0, since: now, heartbeat: self.control().writer.heartbeat.load(Ordering::Relaxed), changed: now }
    }

    /// Whether the writer has finished the trace.
    pub(super) fn is_finished(&self) -> bool {
        self.control().writer.state.load(Ordering::Acquire) == WRITER_FINISHED
    }

    /// Whether the writer's process runs, where the system can tell.
    pub(super) fn writer_alive(&self) -> Option<bool> {
        let writer = &self.control().writer;
        match writer.state.load(Ordering::Acquire) {
            WRITER_NONE => None,
            // Its number says nothing where processes are counted by themselves (containers).
            WRITER_ATTACHED if ![0, os::namespace()].contains(&writer.namespace.load(Ordering::Relaxed)) => None,
            WRITER_ATTACHED => {
                os::process_alive(writer.pid.load(Ordering::Relaxed), writer.process_start.load(Ordering::Relaxed))
            }
            _ => Some(false),
        }
    }
}

/// A thread of the program waiting for room in its ring.
#[derive(Debug)]
pub(super) struct Wait {
    rounds: u32,
    since: u64,
    heartbeat: u64,
    changed: u64,
}

impl Wait {
    /// Waits a little. `false`: the writer is dead or stuck, stop recording.
    #[cold]
    pub(super) fn step(&mut self, session: &SessionPage) -> bool {
        self.rounds = self.rounds.saturating_add(1);
        if self.rounds <= 64 {
            std::hint::spin_loop();
            return true;
        }
        std::thread::sleep(std::time::Duration::from_micros(if self.rounds < 200 { 50 } else { 500 }));
        // A look at the processes is a few system calls: every 64 ms or so.
        if !self.rounds.is_multiple_of(128) {
            return true;
        }
        let heartbeat = session.control().writer.heartbeat.load(Ordering::Relaxed);
        let now = os::monotonic_ns();
        if heartbeat != self.heartbeat {
            (self.heartbeat, self.changed) = (heartbeat, now);
        }
        let silent = now.saturating_sub(self.changed);
        match session.writer_alive() {
            Some(false) => false,
            Some(true) => silent < PATIENCE_ALIVE_NS,
            None => silent < PATIENCE_NS,
        }
    }

    pub(super) fn elapsed_ns(&self) -> u64 {
        os::monotonic_ns().saturating_sub(self.since)
    }
}
