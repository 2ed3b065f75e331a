//! A session: the folder of shared files through which one program hands its records to the writer.
//!
//! Owns `OUTPUT.rings/session` (the control page: who records, the counters that all threads share, the table of rings)
//! and the naming of the `ring-N` files beside it. Invariants: sequence numbers and object ids start at 1, are dense and
//! never given out twice; a ring appears in the table only after its file is complete.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::clock::Instant3;
use crate::os::{self, Mapping};
use crate::shared::ring::{self, CONTROL, MAX_CAPACITY, MIN_CAPACITY, Producer, Ring, RingError};

/// First word of a session file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"RPRSESS\0");
/// Version of the layout below.
pub const VERSION: u32 = 1;
/// Most rings of a session at one time: the places of its table, which later rings take again.
pub const MAX_RINGS: u32 = 4096;
/// Longest description, in bytes of JSON.
pub const MAX_DESCRIPTION: usize = 28 << 10;
/// Name of the control page's file within the folder.
pub const FILE: &str = "session";

const DESCRIPTION_AT: usize = 4096;
const TABLE_AT: usize = 32 << 10;
const FILE_BYTES: usize = TABLE_AT + 8 * MAX_RINGS as usize;

/// State of the writer: none has come yet.
pub const WRITER_NONE: u32 = 0;
/// State of the writer: it reads the rings.
pub const WRITER_ATTACHED: u32 = 1;
/// State of the writer: it has finished the trace and reads no more.
pub const WRITER_FINISHED: u32 = 2;

/// How long the program waits for a writer that shows no sign of life, when the system cannot say whether it runs.
const PATIENCE_NS: u64 = 10_000_000_000;
/// The same when the writer's process does run: it may be stopped, or stuck on a dead disk. A program never hangs on us.
const PATIENCE_ALIVE_NS: u64 = 60_000_000_000;

#[repr(C, align(128))]
struct Control {
    magic: AtomicU64,
    version: AtomicU32,
    pid: AtomicU32,
    process_start: AtomicU64,
    ticks: AtomicU64,
    realtime_ns: AtomicU64,
    monotonic_ns: AtomicU64,
    ring_capacity: AtomicU64,
    description_len: AtomicU32,
    closed: AtomicU32,
    api_version: AtomicU32,
    /// How often the launcher was asked to begin or to end what is wanted.
    triggers: AtomicU32,
    api_hash: AtomicU64,
    sequence: Line,
    object: Line,
    rings: Line,
    writer: WriterLine,
}

#[repr(C, align(128))]
struct Line(AtomicU64);

#[repr(C, align(128))]
struct WriterLine {
    heartbeat: AtomicU64,
    pid: AtomicU32,
    state: AtomicU32,
    process_start: AtomicU64,
    ticks: AtomicU64,
    realtime_ns: AtomicU64,
    monotonic_ns: AtomicU64,
    /// The space of process numbers that `pid` is of.
    namespace: AtomicU64,
}

// As `FORMAT.md` says.
const _: () = {
    assert!(std::mem::offset_of!(Control, ring_capacity) == 48);
    assert!(std::mem::offset_of!(Control, api_hash) == 72);
    assert!(std::mem::offset_of!(Control, sequence) == 128);
    assert!(std::mem::offset_of!(Control, object) == 256);
    assert!(std::mem::offset_of!(Control, rings) == 384);
    assert!(std::mem::offset_of!(Control, writer) == 512);
    assert!(std::mem::offset_of!(WriterLine, ticks) == 24);
    assert!(std::mem::offset_of!(WriterLine, namespace) == 48);
    assert!(size_of::<Control>() <= DESCRIPTION_AT && FILE_BYTES == 65536);
};

impl SessionError {
    /// Whether another process has a session in the folder, or is making one.
    pub fn is_taken(&self) -> bool {
        matches!(self, SessionError::Io { source, .. } if source.kind() == io::ErrorKind::AlreadyExists)
    }
}

/// Why a session could not be made or opened.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The operating system refused.
    #[error("{path}: cannot {what}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// Too little room.
    #[error("{path}: no room for {needed} bytes of shared memory; give another folder with --ring-dir")]
    NoRoom {
        /// The file or folder.
        path: PathBuf,
        /// Bytes needed.
        needed: u64,
    },
    /// The file is not a session of this version.
    #[error("{path}: not a session file of version {VERSION} ({reason})")]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file is not a ring.
    #[error("{path}: {source}")]
    Ring {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: RingError,
    },
    /// All places of the ring table are used.
    #[error("{MAX_RINGS} threads are recorded already; more at one time are not")]
    TooManyRings,
}

/// What stands in a capture library's file before the hash of its API model (8 bytes, little-endian): who preloads it can
/// tell whether both number methods alike, without loading it.
pub const LIBRARY_MARK: [u8; 24] = *b"reprise-capture's model:";

/// What a program says when it makes a session.
#[derive(Clone, Debug)]
pub struct Config {
    /// Bytes of every ring; rounded up to a power of two between 512 KiB and 16 MiB.
    pub ring_capacity: usize,
    /// JSON object that becomes part of the trace's `meta`: program, arguments, allow-listed environment.
    pub description: String,
    /// Version of the API model that the records follow.
    pub api_version: u32,
    /// Hash of that model, for readers that have the same one built in.
    pub api_hash: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config { ring_capacity: ring::DEFAULT_CAPACITY, description: "{}".into(), api_version: 0, api_hash: 0 }
    }
}

/// The shared control page.
#[derive(Debug)]
pub struct SessionPage {
    mapping: Mapping,
}

impl SessionPage {
    fn control(&self) -> &Control {
        // SAFETY: every `SessionPage` is made over at least `FILE_BYTES`; all fields are atomics, valid for any bits.
        unsafe { &*self.mapping.address().cast::<Control>() }
    }

    fn table(&self) -> &[AtomicU64] {
        // SAFETY: the table lies within `FILE_BYTES`, aligned to 8, and consists of atomics.
        unsafe { std::slice::from_raw_parts(self.mapping.address().add(TABLE_AT).cast(), MAX_RINGS as usize) }
    }

    /// The word of a ring's place in the table.
    fn place(&self, index: u32) -> &AtomicU64 {
        &self.table()[(index % MAX_RINGS) as usize]
    }

    /// The counter of sequence numbers: the next one to be given out.
    #[inline(always)]
    pub fn sequence(&self) -> &AtomicU64 {
        &self.control().sequence.0
    }

    /// A page in memory of this process only, for tests and models.
    pub fn anonymous() -> SessionPage {
        let page = SessionPage { mapping: Mapping::anonymous(FILE_BYTES) };
        page.init(&Config::default());
        page
    }

    fn init(&self, config: &Config) {
        let control = self.control();
        let pid = std::process::id();
        let now = Instant3::now();
        control.version.store(VERSION, Ordering::Relaxed);
        control.pid.store(pid, Ordering::Relaxed);
        control.process_start.store(os::own_start(), Ordering::Relaxed);
        control.ticks.store(now.ticks, Ordering::Relaxed);
        control.realtime_ns.store(now.realtime_ns, Ordering::Relaxed);
        control.monotonic_ns.store(now.monotonic_ns, Ordering::Relaxed);
        control.ring_capacity.store(config.ring_capacity as u64, Ordering::Relaxed);
        control.api_version.store(config.api_version, Ordering::Relaxed);
        control.api_hash.store(config.api_hash, Ordering::Relaxed);
        control.sequence.0.store(1, Ordering::Relaxed);
        control.object.0.store(1, Ordering::Relaxed);
        let text = config.description.as_bytes();
        if text.len() <= MAX_DESCRIPTION {
            // SAFETY: the area of `MAX_DESCRIPTION` bytes ends before the table, and nobody else has the page yet.
            unsafe {
                let to = self.mapping.address().add(DESCRIPTION_AT);
                std::ptr::copy_nonoverlapping(text.as_ptr(), to, text.len());
            }
            control.description_len.store(text.len() as u32, Ordering::Relaxed);
        }
        control.magic.store(MAGIC, Ordering::Release);
    }

    /// Begins to wait for the writer to make room.
    #[cold]
    pub(crate) fn wait(&self) -> Wait {
        let now = os::monotonic_ns();
        Wait { rounds: 0, since: now, heartbeat: self.control().writer.heartbeat.load(Ordering::Relaxed), changed: now }
    }

    /// Whether the writer has finished the trace.
    pub(crate) fn is_finished(&self) -> bool {
        self.control().writer.state.load(Ordering::Acquire) == WRITER_FINISHED
    }

    /// Whether the writer's process runs, where the system can tell.
    fn writer_alive(&self) -> Option<bool> {
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
pub(crate) struct Wait {
    rounds: u32,
    since: u64,
    heartbeat: u64,
    changed: u64,
}

impl Wait {
    /// Waits a little. `false`: the writer is dead or stuck, stop recording.
    #[cold]
    pub(crate) fn step(&mut self, session: &SessionPage) -> bool {
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

    pub(crate) fn elapsed_ns(&self) -> u64 {
        os::monotonic_ns().saturating_sub(self.since)
    }
}

/// A session folder: made by the program, opened by the writer and by salvage.
#[derive(Debug)]
pub struct Session {
    page: Arc<SessionPage>,
    folder: PathBuf,
    snapshot: bool,
}

impl Session {
    /// Makes the folder and its control page for this process. Fails where there is a session already, were it only what
    /// an earlier recording left behind.
    pub fn create(folder: &Path, config: &Config) -> Result<Session, SessionError> {
        let capacity = config.ring_capacity.clamp(MIN_CAPACITY, MAX_CAPACITY).next_power_of_two();
        if config.description.len() > MAX_DESCRIPTION {
            let reason = format!("the description has {} bytes, {MAX_DESCRIPTION} fit", config.description.len());
            return Err(SessionError::Format { path: folder.into(), reason });
        }
        std::fs::create_dir_all(folder).map_err(|source| SessionError::Io {
            path: folder.into(),
            what: "make the folder",
            source,
        })?;
        let path = folder.join(FILE);
        // Under another name until it is complete: the writer looks for the final one.
        let making = folder.join("session.new");
        let page = SessionPage { mapping: create_mapping(&making, FILE_BYTES)? };
        // Only one process has that name at a time, so nobody else can finish a session here meanwhile.
        if path.exists() {
            // The error that matters is the other one.
            let _ = std::fs::remove_file(&making);
            let source = io::ErrorKind::AlreadyExists.into();
            return Err(SessionError::Io { path, what: "make a second session there", source });
        }
        page.init(&Config { ring_capacity: capacity, ..config.clone() });
        std::fs::rename(&making, &path).map_err(|source| SessionError::Io { path, what: "name the file", source })?;
        Ok(Session { page: Arc::new(page), folder: folder.into(), snapshot: false })
    }

    /// Opens the session of another process.
    pub fn open(folder: &Path) -> Result<Session, SessionError> {
        Session::open_as(folder, false)
    }

    /// Opens what a session left behind, to be read only: nothing that is done with it changes the files.
    pub fn open_snapshot(folder: &Path) -> Result<Session, SessionError> {
        Session::open_as(folder, true)
    }

    fn open_as(folder: &Path, snapshot: bool) -> Result<Session, SessionError> {
        let path = folder.join(FILE);
        let mapping = Mapping::open(&path, FILE_BYTES, snapshot).map_err(|source| SessionError::Io {
            path: path.clone(),
            what: "map the file",
            source,
        })?;
        let page = SessionPage { mapping };
        let (magic, version) =
            (page.control().magic.load(Ordering::Acquire), page.control().version.load(Ordering::Relaxed));
        if magic != MAGIC || version != VERSION {
            let reason = format!("first word {magic:#x}, version {version}");
            return Err(SessionError::Format { path, reason });
        }
        Ok(Session { page: Arc::new(page), folder: folder.into(), snapshot })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The shared page.
    pub fn page(&self) -> &Arc<SessionPage> {
        &self.page
    }

    /// Whether this process made the session. In a forked child it is not: the child makes a session of its own and must
    /// not touch its parent's rings.
    pub fn is_ours(&self) -> bool {
        self.pid() == std::process::id()
    }

    /// The recording process's id, as the process itself sees it.
    pub fn pid(&self) -> u32 {
        self.page.control().pid.load(Ordering::Relaxed)
    }

    /// The number by which this process knows the recording one: another than its own where that lives in a container.
    pub fn pid_here(&self) -> u32 {
        os::process_here(self.pid(), self.process_start())
    }

    /// When that process started, as [`os::own_start`] says; 0 when unknown.
    pub fn process_start(&self) -> u64 {
        self.page.control().process_start.load(Ordering::Relaxed)
    }

    /// Version and hash of the API model.
    pub fn api(&self) -> (u32, u64) {
        let control = self.page.control();
        (control.api_version.load(Ordering::Relaxed), control.api_hash.load(Ordering::Relaxed))
    }

    /// The JSON object that the program described itself with.
    pub fn description(&self) -> String {
        let len = self.page.control().description_len.load(Ordering::Acquire) as usize;
        let at = self.page.mapping.address();
        // SAFETY: the area lies within the page; it was written before the magic word was, and never again.
        let text = unsafe { std::slice::from_raw_parts(at.add(DESCRIPTION_AT), len.min(MAX_DESCRIPTION)) };
        String::from_utf8_lossy(text).into_owned()
    }

    /// Takes the next sequence number. [`Producer::begin`] does this for records.
    #[inline(always)]
    pub fn take_sequence(&self) -> u64 {
        self.page.sequence().fetch_add(1, Ordering::AcqRel)
    }

    /// The next sequence number to be given out.
    pub fn next_sequence(&self) -> u64 {
        self.page.sequence().load(Ordering::Acquire)
    }

    /// A new object id, never 0, never used before in this session.
    #[inline]
    pub fn new_object(&self) -> u32 {
        self.page.control().object.0.fetch_add(1, Ordering::Relaxed) as u32
    }

    /// The instant at which the session began.
    pub fn started(&self) -> Instant3 {
        let control = self.page.control();
        Instant3 {
            ticks: control.ticks.load(Ordering::Relaxed),
            realtime_ns: control.realtime_ns.load(Ordering::Relaxed),
            monotonic_ns: control.monotonic_ns.load(Ordering::Relaxed),
        }
    }

    /// The last instant that the writer noted; zeros when there was none.
    pub fn last_seen(&self) -> Instant3 {
        let writer = &self.page.control().writer;
        Instant3 {
            ticks: writer.ticks.load(Ordering::Relaxed),
            realtime_ns: writer.realtime_ns.load(Ordering::Relaxed),
            monotonic_ns: writer.monotonic_ns.load(Ordering::Relaxed),
        }
    }

    /// Makes a ring for the calling thread.
    pub fn create_ring(&self, name: &str) -> Result<Producer, SessionError> {
        let index = self.claim_ring()?;
        let path = self.ring_path(index);
        let capacity = self.page.control().ring_capacity.load(Ordering::Relaxed) as usize;
        let ring = create_mapping(&path, CONTROL + capacity).and_then(|mapping| {
            Ring::create(mapping, index, os::thread_id(), name).map_err(|source| SessionError::Ring { path, source })
        });
        let state = if ring.is_ok() { TABLE_READY } else { TABLE_FAILED };
        self.page.place(index).store(entry(index, state), Ordering::Release);
        // After that, so that whoever sees the count sees the ring.
        self.page.control().rings.0.fetch_add(1, Ordering::Release);
        Ok(Producer::new(Arc::new(ring?), Arc::clone(&self.page)))
    }

    /// Takes a place in the table for a ring that is about to be made, and the number that goes with it. Where all places are
    /// in use, waits for the writer to store what threads that have ended left behind.
    fn claim_ring(&self) -> Result<u32, SessionError> {
        let mut wait = None;
        loop {
            if let Some(index) = self.free_place() {
                return Ok(index);
            }
            let wait: &mut Wait = wait.get_or_insert_with(|| self.page.wait());
            // Bounded, also while the writer works: so many threads may all be alive.
            if self.page.is_finished() || !wait.step(&self.page) || wait.elapsed_ns() > PATIENCE_NS {
                return Err(SessionError::TooManyRings);
            }
        }
    }

    fn free_place(&self) -> Option<u32> {
        let first = self.ring_count() % MAX_RINGS;
        (first..MAX_RINGS).chain(0..first).find_map(|place| {
            let word = &self.page.table()[place as usize];
            let found = word.load(Ordering::Acquire);
            let before = match found & TABLE_STATE {
                TABLE_NONE => 0,
                TABLE_FAILED | TABLE_REMOVED => (found >> 32) + 1,
                _ => return None,
            };
            let index = u32::try_from(before * u64::from(MAX_RINGS) + u64::from(place)).ok()?;
            let making = entry(index, TABLE_MAKING);
            let taken = word.compare_exchange(found, making, Ordering::AcqRel, Ordering::Relaxed);
            taken.is_ok().then_some(index)
        })
    }

    /// How many rings have been made, or could not be.
    pub fn ring_count(&self) -> u32 {
        u32::try_from(self.page.control().rings.0.load(Ordering::Acquire)).unwrap_or(u32::MAX)
    }

    /// The numbers of the rings that are complete and not removed, rising.
    pub fn rings(&self) -> Vec<u32> {
        self.rings_in(TABLE_READY)
    }

    /// The numbers of the rings that could not be made, rising: threads that are not recorded. Rings that came later may have
    /// taken their places.
    pub fn failed_rings(&self) -> Vec<u32> {
        self.rings_in(TABLE_FAILED)
    }

    fn rings_in(&self, state: u64) -> Vec<u32> {
        let words = self.page.table().iter().map(|place| place.load(Ordering::Acquire));
        let ready = (0u64..).zip(words).filter(|(_, word)| word & TABLE_STATE == state);
        let number = |(place, word): (u64, u64)| u32::try_from((word >> 32) * u64::from(MAX_RINGS) + place).ok();
        let mut rings: Vec<u32> = ready.filter_map(number).collect();
        rings.sort_unstable();
        rings
    }

    /// Opens ring `index`; `None` while it is not complete, or if its making failed, or once it was removed.
    pub fn open_ring(&self, index: u32) -> Result<Option<Ring>, SessionError> {
        if self.page.place(index).load(Ordering::Acquire) != entry(index, TABLE_READY) {
            return Ok(None);
        }
        let path = self.ring_path(index);
        let mapping = Mapping::open(&path, CONTROL, self.snapshot).map_err(|source| SessionError::Io {
            path: path.clone(),
            what: "map the file",
            source,
        })?;
        Ring::open(mapping).map(Some).map_err(|source| SessionError::Ring { path, source })
    }

    /// Removes the file of a ring whose thread has ended and whose records are in the trace.
    pub fn remove_ring(&self, index: u32) {
        // A file that stays is removed with the folder.
        let _ = std::fs::remove_file(self.ring_path(index));
        let (ready, removed) = (entry(index, TABLE_READY), entry(index, TABLE_REMOVED));
        // Where that is not what stands there, the place is another ring's.
        let _ = self.page.place(index).compare_exchange(ready, removed, Ordering::AcqRel, Ordering::Relaxed);
    }

    fn ring_path(&self, index: u32) -> PathBuf {
        self.folder.join(format!("ring-{index}"))
    }

    /// Says that the program records nothing more.
    pub fn close(&self) {
        self.page.control().closed.store(1, Ordering::Release);
    }

    /// Whether the program said so.
    pub fn is_closed(&self) -> bool {
        self.page.control().closed.load(Ordering::Acquire) != 0
    }

    /// Says how often the user has asked, in all, to begin or to end what is wanted: the program looks at its next frame
    /// boundary.
    pub fn set_triggers(&self, count: u32) {
        self.page.control().triggers.store(count, Ordering::Release);
    }

    /// As [`Session::set_triggers`] said last.
    pub fn triggers(&self) -> u32 {
        self.page.control().triggers.load(Ordering::Acquire)
    }

    /// Whether the writer takes no more, because the trace is finished: what is still recorded is for nobody.
    pub fn is_finished(&self) -> bool {
        self.page.is_finished()
    }

    /// Says that this process is the writer now.
    pub fn attach_writer(&self) {
        let writer = &self.page.control().writer;
        let pid = std::process::id();
        writer.pid.store(pid, Ordering::Relaxed);
        writer.process_start.store(os::own_start(), Ordering::Relaxed);
        writer.namespace.store(os::namespace(), Ordering::Relaxed);
        self.note_instant();
        writer.state.store(WRITER_ATTACHED, Ordering::Release);
    }

    /// Whether a writer is attached and, as far as the system can tell, runs.
    pub fn has_writer(&self) -> bool {
        let attached = self.page.control().writer.state.load(Ordering::Acquire) == WRITER_ATTACHED;
        attached && self.page.writer_alive() != Some(false)
    }

    /// Whether the recording program runs, as far as the system can tell.
    pub fn program_runs(&self) -> bool {
        os::process_alive(self.pid_here(), self.process_start()) == Some(true)
    }

    /// Whether a ring holds records that are in no trace. A ring that cannot be read may.
    pub fn has_unsaved(&self) -> bool {
        self.rings().into_iter().any(|index| match self.open_ring(index) {
            Ok(Some(ring)) => ring.head() != ring.tail(),
            Ok(None) => false,
            Err(_) => true,
        })
    }

    /// The writer's sign of life.
    pub fn beat(&self) {
        self.page.control().writer.heartbeat.fetch_add(1, Ordering::Relaxed);
    }

    /// The writer notes the time on all clocks: the second point of the line from ticks to nanoseconds.
    pub fn note_instant(&self) {
        let (writer, now) = (&self.page.control().writer, Instant3::now());
        writer.ticks.store(now.ticks, Ordering::Relaxed);
        writer.realtime_ns.store(now.realtime_ns, Ordering::Relaxed);
        writer.monotonic_ns.store(now.monotonic_ns, Ordering::Relaxed);
    }

    /// Says that the writer reads no more.
    pub fn finish_writer(&self) {
        self.page.control().writer.state.store(WRITER_FINISHED, Ordering::Release);
    }

    /// Removes the folder with everything that a session puts there.
    pub fn remove(folder: &Path) -> io::Result<()> {
        // Under another name first, so that a process that begins to record now finds no half of a session.
        let doomed = doomed(folder, std::process::id());
        let folder = if std::fs::rename(folder, &doomed).is_ok() { doomed.as_path() } else { folder };
        Session::clear(folder)?;
        // Fails, rightly, if somebody put something else there.
        std::fs::remove_dir(folder)
    }

    /// Removes everything that a session puts into its folder, and leaves the folder.
    pub fn clear(folder: &Path) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name == FILE || name == "session.new" || name.starts_with("ring-") {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

const TABLE_NONE: u64 = 0;
const TABLE_READY: u64 = 1;
const TABLE_FAILED: u64 = 2;
const TABLE_REMOVED: u64 = 3;
const TABLE_MAKING: u64 = 4;
/// The part of a word of the table that is the state; the upper half counts the rings that had the place before.
const TABLE_STATE: u64 = u32::MAX as u64;

/// The word of ring `index` in the table.
fn entry(index: u32, state: u64) -> u64 {
    u64::from(index / MAX_RINGS) << 32 | state
}

fn create_mapping(path: &Path, bytes: usize) -> Result<Mapping, SessionError> {
    Mapping::create(path, bytes).map_err(|source| match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            SessionError::NoRoom { path: path.into(), needed: bytes as u64 }
        }
        _ => SessionError::Io { path: path.into(), what: "make and map the file", source },
    })
}

/// What process `pid` calls a session's folder while it removes it.
pub fn doomed(folder: &Path, pid: u32) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(format!(".{pid}"));
    name.into()
}

/// The folder of a session whose trace is `output`: `OUTPUT.rings` beside it.
pub fn folder_beside(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".rings");
    name.into()
}

/// Picks the folder for a session: beside the output if the file system there maps files shared and has room for
/// `threads` rings of `ring_capacity` bytes, else in shared memory under the same conditions.
///
/// The place is tried with a real file; nothing is left behind but the empty folder.
pub fn pick_folder(output: &Path, ring_capacity: usize, threads: usize) -> Result<PathBuf, SessionError> {
    let needed = FILE_BYTES as u64 + threads as u64 * (ring_capacity + CONTROL) as u64;
    let beside = folder_beside(output);
    let first = match try_folder(&beside, needed) {
        Ok(()) => return Ok(beside),
        Err(error) => error,
    };
    let shared = Path::new("/dev/shm");
    if shared.is_dir() {
        let name = beside.file_name().unwrap_or("reprise.rings".as_ref());
        let folder = shared.join(format!("reprise-{}-{}", std::process::id(), name.to_string_lossy()));
        if try_folder(&folder, needed).is_ok() {
            return Ok(folder);
        }
    }
    Err(first)
}

fn try_folder(folder: &Path, needed: u64) -> Result<(), SessionError> {
    let existed = folder.is_dir();
    let attempt = || {
        std::fs::create_dir_all(folder).map_err(|source| SessionError::Io {
            path: folder.into(),
            what: "make the folder",
            source,
        })?;
        if os::free_space(folder).is_some_and(|free| free < needed) {
            return Err(SessionError::NoRoom { path: folder.into(), needed });
        }
        let probe = folder.join("session.new");
        drop(create_mapping(&probe, CONTROL)?);
        std::fs::remove_file(&probe).map_err(|source| SessionError::Io {
            path: probe,
            what: "remove the probe",
            source,
        })
    };
    attempt().inspect_err(|_| {
        if !existed {
            // The error that matters is the attempt's.
            let _ = std::fs::remove_dir(folder);
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A program may have any number of threads, one after the other.
    #[test]
    fn places_of_rings_that_are_gone_are_taken_again() {
        let folder = std::env::temp_dir().join(format!("reprise-session-places-{}.rings", std::process::id()));
        let session = Session::create(&folder, &Config { ring_capacity: 1, ..Config::default() }).unwrap();
        let kept = session.create_ring("kept").unwrap();
        for index in 1..MAX_RINGS {
            // As if it had been made, stored and removed.
            assert_eq!(session.free_place(), Some(index));
            session.page.place(index).store(entry(index, TABLE_REMOVED), Ordering::Relaxed);
            session.page.control().rings.0.fetch_add(1, Ordering::Relaxed);
        }
        // The first place is in use.
        let again = session.create_ring("again").unwrap();
        assert_eq!(again.ring().index(), MAX_RINGS + 1);
        assert_eq!(session.rings(), [0, MAX_RINGS + 1]);
        assert!(session.open_ring(MAX_RINGS + 1).unwrap().is_some());
        assert!(session.open_ring(1).unwrap().is_none());
        assert!(session.open_ring(MAX_RINGS).unwrap().is_none());
        session.remove_ring(1);
        assert_eq!(session.rings(), [0, MAX_RINGS + 1], "the place is another's now");
        session.remove_ring(MAX_RINGS + 1);
        assert_eq!(session.rings(), [0]);
        drop((kept, again));
        Session::remove(&folder).unwrap();
    }
}
