//! Opening the session of this process, once, at the program's first call of the API.
//!
//! Invariant: the program's calls go on whether or not a session could be opened. A failure is reported once on standard error,
//! because no trace exists to hold it. A forked child leaves its parent's rings alone; it records into a session of its own
//! once it makes a device.

use crate::host;
use crate::session::{active, description, environment, frames, process};
use reprise_d3d12::FINGERPRINT;
use reprise_environment::capture::{RING_BYTES, SESSION};
use reprise_trace::session::{Config, LIBRARY_MARK, Session, SessionError};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The fingerprint of our model, for whoever preloads this library: see [`LIBRARY_MARK`].
static MARKED: [u8; 32] = {
    let (mut bytes, model) = ([0; 32], FINGERPRINT.to_le_bytes());
    let mut at = 0;
    while at < 32 {
        bytes[at] = if at < 24 { LIBRARY_MARK[at] } else { model[at - 24] };
        at += 1;
    }
    bytes
};

/// What the mark says: read from it, so that the linker keeps it.
fn fingerprint() -> u64 {
    std::hint::black_box(&MARKED).last_chunk().copied().map_or(0, u64::from_le_bytes)
}

static OPENING: Mutex<()> = Mutex::new(());
static TRIED: AtomicBool = AtomicBool::new(false);
static CHILD: AtomicBool = AtomicBool::new(false);

/// Opens the session that the environment asks for, on the first call. In a forked child only a call that makes a device
/// (`device`) does.
pub(crate) fn ensure(device: bool) {
    if TRIED.load(Ordering::Acquire) || CHILD.load(Ordering::Relaxed) && !device {
        return;
    }
    let _opening = OPENING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if TRIED.load(Ordering::Acquire) {
        return;
    }
    let forked = CHILD.load(Ordering::Relaxed);
    let wanted = if forked { !process::alone() } else { process::is_wanted() };
    if let Some(folder) = environment::get(SESSION).filter(|_| wanted) {
        let folder = reprise_environment::path(&folder);
        let ring_capacity = environment::text(RING_BYTES).and_then(|bytes| bytes.parse().ok());
        let mut config = Config { description: description::describe(), api_hash: fingerprint(), ..Config::default() };
        if let Some(bytes) = ring_capacity {
            config.ring_capacity = bytes;
        }
        let made = host::process::introduce();
        match made.and_then(|()| create(&folder, &config).map_err(|error| error.to_string())) {
            Ok(session) => publish(session),
            Err(reason) => {
                reprise_log::warning(format_args!("nothing is recorded: {reason}"));
                host::process::refused(&reason);
            }
        }
    }
    TRIED.store(true, Ordering::Release);
}

/// Records into `session` from now on. For tests and for programs that embed the library.
pub fn begin(session: Session) {
    let _opening = OPENING.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    publish(session);
    TRIED.store(true, Ordering::Release);
}

fn publish(session: Session) {
    watch_for_forks();
    frames::begin(active::publish(session));
}

/// Makes the session's files; where another process of the same capture (a parent, a launcher) has its session in the folder
/// already, beside it.
///
/// # Errors
/// What the system says, and that more programs than [`MOST_IMAGES`] of this process had sessions before.
fn create(first: &Path, config: &Config) -> Result<Session, SessionError> {
    let mut folder = first.to_owned();
    let mut made = Session::create(&folder, config);
    // A process that calls `exec` again and again needs one name after the other.
    for image in 1..=MOST_IMAGES {
        if !made.as_ref().is_err_and(SessionError::is_taken) {
            break;
        }
        end_of_earlier_image(&folder);
        folder = own_folder(first, image);
        made = Session::create(&folder, config);
    }
    made
}

/// Most programs that one process may become by `exec`, each with a session of its own.
const MOST_IMAGES: u32 = 100;

/// The session that this process had before it called `exec`, if the one in a folder is that: nobody records there any more,
/// though a process of that number runs, so it is closed and its writer need not wait.
fn end_of_earlier_image(folder: &Path) {
    if let Ok(session) = Session::open(folder)
        && session.is_ours()
        // Another process may call itself by our number, in a container of its own.
        && session.process_start() == reprise_trace::os::own_start()
    {
        session.close();
    }
}

/// `a/b.rings` to `a/b.PID.rings`; of later programs of a process (`image` from 2) to `a/b.PID-IMAGE.rings`.
fn own_folder(folder: &Path, image: u32) -> PathBuf {
    let own = match (reprise_trace::os::own_id(), image) {
        (pid, 1) => pid.to_string(),
        (pid, image) => format!("{pid}-{image}"),
    };
    match (folder.file_stem(), folder.extension()) {
        (Some(stem), Some(extension)) => {
            let mut name = stem.to_owned();
            name.push(format!(".{own}."));
            name.push(extension);
            folder.with_file_name(name)
        }
        _ => folder.with_extension(own),
    }
}

/// Makes a forked child forget its parent's session.
fn watch_for_forks() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        extern "C" fn child() {
            active::forget();
            CHILD.store(true, Ordering::Relaxed);
            TRIED.store(false, Ordering::Release);
            // The parent's recorder is left as it is: dropping it would close the parent's ring.
            crate::session::words::words().recorder.clear();
        }
        // SAFETY: the handler only stores to atomics and to words of the one thread that the child has.
        ONCE.call_once(|| unsafe {
            libc::pthread_atfork(None, None, Some(child));
        });
    }
}
