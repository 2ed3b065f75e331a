//! A session: the folder of shared files through which one program hands its records to the writer.
//!
//! Owns `OUTPUT.rings/session` (the shared page) and the `ring-N` files beside it. Invariants: sequence numbers and object ids
//! start at 1, are dense and never given out twice; a ring appears in the table only after its file is complete.

mod error;
mod folder;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::clock::Instant3;
use crate::os::{self, Mapping};
use crate::shared::page::{About, FILE_BYTES, PATIENCE_NS, WRITER_ATTACHED, WRITER_FINISHED, Wait};
use crate::shared::ring::{CONTROL, Consumer, DEFAULT_CAPACITY, MAX_CAPACITY, MIN_CAPACITY, Producer, Ring};
use crate::shared::{sequence, table};
use folder::{MAKING, create_mapping};

pub use crate::shared::page::{MAGIC, MAX_DESCRIPTION, MAX_RINGS, SessionPage, VERSION};
pub use error::SessionError;
pub use folder::{FILE, doomed, folder_beside, pick_folder};

/// Stands in a capture library's file before the hash of its API model (8 bytes, little-endian). A program that preloads the
/// library so knows, without loading it, whether both number methods alike.
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
        Config { ring_capacity: DEFAULT_CAPACITY, description: "{}".into(), api_version: 0, api_hash: 0 }
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
    ///
    /// # Errors
    /// There is a session already ([`SessionError::is_taken`]), the description is too long, or the system cannot make the
    /// files.
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
        let making = folder.join(MAKING);
        let page = create_mapping(&making, FILE_BYTES)?;
        // Only one process has that name at a time, so nobody else can finish a session here meanwhile.
        if path.exists() {
            // The error that matters is the other one.
            let _ = std::fs::remove_file(&making);
            let source = io::ErrorKind::AlreadyExists.into();
            return Err(SessionError::Io { path, what: "make a second session there", source });
        }
        let Config { api_version, api_hash, ref description, .. } = *config;
        let page =
            SessionPage::create(page, &About { ring_capacity: capacity as u64, api_version, api_hash, description });
        std::fs::rename(&making, &path).map_err(|source| SessionError::Io { path, what: "name the file", source })?;
        Ok(Session { page: Arc::new(page), folder: folder.into(), snapshot: false })
    }

    /// Opens the session of another process.
    ///
    /// # Errors
    /// There is none, it is of another version, or the system cannot map the file.
    pub fn open(folder: &Path) -> Result<Session, SessionError> {
        Session::open_as(folder, false)
    }

    /// Opens what a session left behind, to be read only: nothing that is done with it changes the files.
    ///
    /// # Errors
    /// As [`Session::open`].
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
        let page = SessionPage::open(mapping).map_err(|reason| SessionError::Format { path, reason })?;
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
        self.pid() == os::own_id()
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
        self.page.description()
    }

    /// Takes the next sequence number. [`Producer::begin`] does this for records.
    #[inline(always)]
    pub fn take_sequence(&self) -> u64 {
        sequence::take(self.page.sequence())
    }

    /// The next sequence number to be given out.
    pub fn next_sequence(&self) -> u64 {
        sequence::next(self.page.sequence())
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
        self.page.instants().last().unwrap_or_default()
    }

    /// Makes a ring for the calling thread. `name` is the thread's name, as far as it is known.
    ///
    /// # Errors
    /// So many threads are recorded already as there are places, or the system cannot make the file.
    pub fn create_ring(&self, name: &str) -> Result<Producer, SessionError> {
        let index = self.claim_ring()?;
        let path = self.ring_path(index);
        let capacity = self.page.control().ring_capacity.load(Ordering::Relaxed) as usize;
        let ring = create_mapping(&path, CONTROL + capacity).and_then(|memory| {
            let made = Producer::create(memory, index, os::thread_id(), name, Arc::clone(&self.page));
            made.map_err(|source| SessionError::Ring { path, source })
        });
        self.page.table().made(index, ring.is_ok());
        // After that, so that whoever sees the count sees the ring.
        self.page.control().rings.0.fetch_add(1, Ordering::Release);
        ring
    }

    /// Takes a place in the table for a ring that is about to be made, and the number that goes with it. Where all places are
    /// in use, waits for the writer to store what threads that have ended left behind.
    fn claim_ring(&self) -> Result<u32, SessionError> {
        let mut wait = None;
        loop {
            if let Some(index) = self.page.table().claim(self.ring_count()) {
                return Ok(index);
            }
            let wait: &mut Wait = wait.get_or_insert_with(|| self.page.wait());
            // Bounded, also while the writer works: so many threads may all be alive.
            if self.page.is_finished() || !wait.step(&self.page) || wait.elapsed_ns() > PATIENCE_NS {
                return Err(SessionError::TooManyRings);
            }
        }
    }

    /// How many rings have been made, or could not be.
    pub fn ring_count(&self) -> u32 {
        u32::try_from(self.page.control().rings.0.load(Ordering::Acquire)).unwrap_or(u32::MAX)
    }

    /// The numbers of the rings that are complete and not removed, rising.
    pub fn rings(&self) -> Vec<u32> {
        self.page.table().in_state(table::READY)
    }

    /// The numbers of the rings that could not be made, rising: threads that are not recorded. Rings that came later may have
    /// taken their places.
    pub fn failed_rings(&self) -> Vec<u32> {
        self.page.table().in_state(table::FAILED)
    }

    /// Opens ring `index` to be read; `None` while it is not complete, or if its making failed, or once it was removed.
    ///
    /// # Errors
    /// The system cannot map the file, or it is no ring.
    pub fn open_ring(&self, index: u32) -> Result<Option<Consumer>, SessionError> {
        if !self.page.table().is_ready(index) {
            return Ok(None);
        }
        let path = self.ring_path(index);
        let mapping = Mapping::open(&path, CONTROL, self.snapshot).map_err(|source| SessionError::Io {
            path: path.clone(),
            what: "map the file",
            source,
        })?;
        let ring = Ring::open(mapping).map_err(|source| SessionError::Ring { path, source })?;
        Ok(Some(Consumer::new(Arc::new(ring))))
    }

    /// Removes the file of a ring whose thread has ended and whose records are in the trace.
    pub fn remove_ring(&self, index: u32) {
        // A file that stays is removed with the folder.
        let _ = std::fs::remove_file(self.ring_path(index));
        self.page.table().remove(index);
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
        let pid = os::own_id();
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
        self.page.instants().note(Instant3::now());
    }

    /// Says that the writer reads no more.
    pub fn finish_writer(&self) {
        self.page.control().writer.state.store(WRITER_FINISHED, Ordering::Release);
    }

    /// Removes the folder with everything that a session puts there.
    ///
    /// # Errors
    /// The system refuses, or somebody put something else there.
    pub fn remove(folder: &Path) -> io::Result<()> {
        // Under another name first, so that a process that begins to record now finds no half of a session.
        let doomed = doomed(folder, os::own_id());
        let folder = if std::fs::rename(folder, &doomed).is_ok() { doomed.as_path() } else { folder };
        Session::clear(folder)?;
        // Fails, rightly, if somebody put something else there.
        std::fs::remove_dir(folder)
    }

    /// Removes everything that a session puts into its folder, and leaves the folder.
    ///
    /// # Errors
    /// The system refuses.
    pub fn clear(folder: &Path) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name == FILE || name == MAKING || name.starts_with("ring-") {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
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
            assert_eq!(session.page.table().claim(session.ring_count()), Some(index));
            session.page.table().made(index, true);
            session.page.table().remove(index);
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
