//! The loop of the writer's process: it decides when to look at the rings, to write, to sleep and to end.
//!
//! Invariants: the program waits for the disk only while a ring is full; every record that the program published before its
//! death is in the file; a full disk ends the trace, not the program.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::file::chunk::Compression;
use crate::file::layout::{FileHeader, Footer};
use crate::merge::Merge;
use crate::os;
use crate::read::ReadError;
use crate::shared::session::{self, Session, SessionError};
use crate::trace_writer::repack::repack;
use crate::trace_writer::{FileOutput, Output, TraceWriter};
use crate::writer_process::api::{Gives, SchemaOf};
use crate::writer_process::drain::Drain;
use crate::writer_process::flight::{Flight, Reason, Recorder, Written};
use crate::writer_process::motion::Role;
use crate::writer_process::rings::RingTable;

/// The options of a writer.
pub struct Options {
    /// The session's folder; waited for until it appears.
    pub session: PathBuf,
    /// The trace file to write; replaced if it exists.
    pub output: PathBuf,
    /// The program's process id as the writer's system sees it, where it is not the one in the session (Wine). If this process
    /// ends before there is a session, the writer ends, too; without an id it waits for ever.
    pub program: Option<u32>,
    /// The largest size of the file in bytes, at least [`crate::trace_writer::MIN_LIMIT`]. The trace ends at one place of the order
    /// before it reaches that.
    pub max_bytes: Option<u64>,
    /// How far the file is compressed.
    pub compression: Compression,
    /// Called once at the end with the ids of all methods that occur: the bytes of the schema chunk.
    pub schema: Box<SchemaOf>,
}

/// What a writer does for callers that know the API.
pub struct Knowing {
    /// Says of a method whether it may give out objects. Readers of a late part of the trace then skip chunks without such calls.
    pub gives: Arc<Gives>,
    /// Where nothing moves for this long, the recording ends, or the flight recorder writes.
    pub hang_after: Option<Duration>,
    /// What calls of a method tell of motion.
    pub role: Box<dyn Fn(u16) -> Role>,
    /// Keeps the last frames only. [`Options::output`] is the first trace that it writes.
    pub flight: Option<Flight>,
    /// Told once, as soon as a part of the recording is lost: what, and why.
    pub lost: Box<dyn Fn(&str)>,
}

/// How a trace was finished.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Calls stored.
    pub calls: u64,
    /// Frames stored.
    pub frames: u32,
    /// Bytes of the file.
    pub bytes: u64,
    /// Gaps stored: things that are missing.
    pub gaps: u64,
    /// Calls that had not ended when the program did.
    pub open: Vec<u64>,
    /// Why the trace ended before its program did, as [`crate::wanted_frames::StopReason`] numbers it.
    pub stopped: Option<u32>,
    /// Process id of the program, as the writer sees it.
    pub program: u32,
    /// What a flight recorder has written.
    pub written: Vec<Written>,
    /// How many chunks were packed in a hurry, to be packed anew.
    pub hurried: usize,
    /// Why they stay as they are, where they do.
    pub unpacked: Option<String>,
}

impl Summary {
    pub(crate) fn new(totals: Footer, bytes: u64) -> Summary {
        Summary {
            calls: totals.calls,
            frames: totals.frames,
            bytes,
            gaps: totals.gaps,
            open: totals.open,
            ..Summary::default()
        }
    }
}

/// Why a trace could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The session could not be opened.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The program ended without ever recording.
    #[error(
        "{0}: the program ended without making a session: it made no device, or the capture library was not loaded"
    )]
    NoSession(PathBuf),
    /// The output could not be written.
    #[error("{path}: cannot write the trace: {source}")]
    Output {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The trace to repair could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// How often, at most, the program is looked for while nothing happens.
const LOOK_FOR_PROGRAM: Duration = Duration::from_millis(20);
/// The writer writes what it has taken after this time at the latest, so that its death costs little.
const WRITE_AFTER: Duration = Duration::from_secs(1);
/// If so many threads have ended, the writer does not wait for that, because their rings hold memory until they are stored.
const MANY_CLOSED: usize = 8;
/// If a ring fills up, the writer gives up a missing record for which others wait after this time. On a busy machine a thread
/// may be stopped for seconds between taking its number and publishing.
const GIVE_UP_AFTER: Duration = Duration::from_secs(20);
/// The shortest nap between two looks. Waking up costs tens of microseconds, however little there is to take.
const SHORTEST_NAP: Duration = Duration::from_micros(500);
/// The longest nap. A thread that begins to record 500 bytes a microsecond finds its ring of 4 MiB full just after it.
const LONGEST_NAP: Duration = Duration::from_millis(8);
/// With less than this new in the busiest ring, in 256ths of its capacity, the next nap may be longer.
const LITTLE: u64 = 16;
/// With more than this, there is no nap.
const MUCH: u64 = 64;

/// Most threads that compress. Two do what one that merges and packs has for them, if there are few blobs.
const MOST_COMPRESSORS: usize = 4;

/// Threads that compress beside this one: none where there is one processor, or nothing to do.
fn compressors(compression: Compression) -> usize {
    match compression {
        Compression::None => 0,
        _ => std::thread::available_parallelism().map_or(0, |processors| processors.get() - 1).min(MOST_COMPRESSORS),
    }
}

/// How long to sleep after a look that found so much, after a nap of `last`.
fn nap(fresh: u64, last: Duration) -> Duration {
    match fresh {
        0..LITTLE => (last * 2).clamp(SHORTEST_NAP, LONGEST_NAP),
        LITTLE..=MUCH => last,
        _ => Duration::ZERO,
    }
}

static ATTACHED: AtomicBool = AtomicBool::new(false);

/// Whether a writer of this process has found its session.
pub fn is_attached() -> bool {
    ATTACHED.load(Ordering::Acquire)
}

/// Runs until the program is gone or has closed the session, finishes the trace, and removes the session's folder.
///
/// # Errors
/// There is no session, the program ended without one, or the output cannot be written.
pub fn run(options: Options) -> Result<Summary, WriteError> {
    let (gives, role) = (Arc::new(|_| true), Box::new(|_| Role::Other));
    run_knowing(options, Knowing { gives, hang_after: None, role, flight: None, lost: Box::new(|_| ()) })
}

/// As [`run`], for callers that know the API.
///
/// # Errors
/// As [`run`].
pub fn run_knowing(options: Options, knowing: Knowing) -> Result<Summary, WriteError> {
    let session = wait_for_session(&options)?;
    ATTACHED.store(true, Ordering::Release);
    session.attach_writer();
    let (path, compressors) = (options.output.clone(), compressors(options.compression));
    let result = record(&session, options, knowing);
    // Before the trace is packed: the program need not wait for that.
    session.finish_writer();
    let (mut summary, hurried) = result.map_err(|source| WriteError::Output { path: path.clone(), source })?;
    if let Some(Hurried { places, totals }) = hurried {
        summary.hurried = places.len();
        // A trace that cannot be packed anew is whole as it is.
        match repack(&path, &places, totals, compressors, &|| session.beat()) {
            Ok(Some(bytes)) => summary.bytes = bytes,
            Ok(None) => summary.unpacked = Some("its file is gone, or cannot be replaced".into()),
            Err(error) => summary.unpacked = Some(error.to_string()),
        }
    }
    // Everything is in the trace; a folder that cannot be removed is untidy, no more.
    let _ = Session::remove(session.folder());
    Ok(summary)
}

fn wait_for_session(options: &Options) -> Result<Session, WriteError> {
    loop {
        // In this order: a program may make its session and end between two looks.
        let gone = options.program.is_some_and(|pid| os::process_alive(pid, 0) == Some(false));
        if options.session.join(session::FILE).exists() {
            return Ok(Session::open(&options.session)?);
        }
        if gone {
            return Err(WriteError::NoSession(options.session.clone()));
        }
        std::thread::sleep(SHORTEST_NAP);
    }
}

/// What was packed in a hurry: the places of the chunks, and what the footer says.
struct Hurried {
    places: Vec<u64>,
    totals: Footer,
}

fn record(session: &Session, options: Options, knowing: Knowing) -> io::Result<(Summary, Option<Hurried>)> {
    let Knowing { gives, hang_after, role, flight, lost } = knowing;
    let mut lost = Some(lost);
    let schema: Arc<SchemaOf> = Arc::from(options.schema);
    let (api_version, api_hash) = session.api();
    let header = FileHeader { api_version, api_hash, start: session.started() };
    let mut description = match serde_json::from_str(&session.description()) {
        Ok(serde_json::Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    };
    description.insert("compression".into(), options.compression.to_string().into());
    let (mut recorder, mut output) = match flight {
        Some(flight) => {
            let tools = (Arc::clone(&schema), Arc::clone(&gives));
            let begun = Recorder::begin(flight, tools, options.compression, header, options.output.clone())?;
            (Some(begun.0), begun.1)
        }
        None => (None, FileOutput::replace(&options.output)?),
    };
    if let Some(bytes) = options.max_bytes {
        output.limit(bytes);
    }
    let mut file = TraceWriter::create(output, &header, description)?;
    file.set_compression(options.compression);
    file.set_compressors(compressors(options.compression));
    file.set_giving(&*gives);
    let mut drain = Drain::new(file, Merge::default());
    if hang_after.is_some() {
        drain.watch_motion(&*role);
    }
    // Where the size of the file decides what it holds, every byte counts at once.
    drain.let_hurry(recorder.is_none() && options.max_bytes.is_none());
    let mut rings = RingTable::default();
    let (pid, start) = match options.program {
        Some(pid) => (pid, 0),
        None => (session.pid_here(), session.process_start()),
    };
    let mut looked_for_program = Instant::now();
    let mut written = Instant::now();
    let mut waiting_since: Option<Instant> = None;
    let mut idle = 0u32;
    let mut rest = Duration::ZERO;
    loop {
        session.beat();
        if drain.file().loss().is_some()
            && let (Some(told), Some(loss)) = (lost.take(), drain.file().loss())
        {
            told(loss);
        }
        let now = Instant::now();
        // In this order: the look sees everything that the program did before it ended.
        let mut ended = session.is_closed();
        if now.duration_since(looked_for_program) >= LOOK_FOR_PROGRAM {
            looked_for_program = now;
            ended |= os::process_alive(pid, start) == Some(false);
        }
        rings.open_new(session, &mut drain, ended);
        if ended {
            break;
        }
        drain.look();
        rest = nap(drain.fresh(), rest);
        if drain.collect()? {
            retire(&mut drain, session);
        }
        let taken = drain.take()?;
        if drain.ended().is_some() {
            break;
        }
        // Rings of threads that have ended hold memory until they are stored.
        let many_closed = drain.closed() >= MANY_CLOSED;
        if drain.is_pressed()
            || many_closed
            || (drain.file().has_pending() && now.duration_since(written) >= WRITE_AFTER)
        {
            drain.flush()?;
            drain.describe(&*schema)?;
            written = now;
            session.note_instant();
            retire(&mut drain, session);
            if drain.ended().is_some() {
                break;
            }
        }
        let allowed = hang_after.filter(|allowed| drain.motion().stands_still(*allowed, now));
        if let Some(allowed) = allowed {
            drain.note_still(allowed, recorder.is_none());
            match &mut recorder {
                Some(recorder) => recorder.write_soon(&mut drain, Reason::Hang)?,
                None => break,
            }
        }
        if let Some(recorder) = &mut recorder {
            recorder.step(session, &mut drain)?;
        }
        if taken > 0 {
            idle = 0;
            waiting_since = None;
            if !rest.is_zero() {
                drain.sleep(rest);
            }
            continue;
        }
        if drain.is_waiting() && drain.is_pressed() {
            let since = *waiting_since.get_or_insert(now);
            if now.duration_since(since) >= GIVE_UP_AFTER && drain.give_up_one() {
                continue;
            }
        }
        if idle == 16 {
            retire(&mut drain, session);
        }
        idle = idle.saturating_add(1);
        drain.sleep(rest.max(SHORTEST_NAP));
    }
    // Before the file is finished: the program's threads need not wait for that.
    if drain.ended().is_some() {
        session.finish_writer();
    }
    if let Some(recorder) = recorder {
        let stopped = drain.ended();
        let totals = drain.file().totals().clone();
        let written = recorder.finish(drain)?;
        return Ok((Summary { stopped, program: pid, written, ..Summary::new(totals, 0) }, None));
    }
    // A program that ends right after its last wanted frame has said so in what is left.
    drain.take_all()?;
    let stopped = drain.ended();
    let (mut output, totals) = drain.finish(&*schema)?;
    let places = output.take_hurried();
    let hurried = (!places.is_empty()).then(|| Hurried { places, totals: totals.clone() });
    Ok((Summary { stopped, program: pid, ..Summary::new(totals, output.finish()?) }, hurried))
}

fn retire<O: Output>(drain: &mut Drain<O>, session: &Session) {
    drain.retire().into_iter().for_each(|index| session.remove_ring(index));
}
