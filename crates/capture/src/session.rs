//! The session of this process: opened with the first function of the API that the program calls, once.
//!
//! Invariant: whether or not a session could be opened, the program's calls go on; what fails is said on standard error
//! once, since there is no trace to say it in. A forked child leaves its parent's rings alone and records only once it
//! makes a device of its own, into a session of its own.

use crate::thread::Threads;
use crate::{control, environment, process};
use reprise_codec::{Codec, Wide};
use reprise_d3d12::FINGERPRINT;
use reprise_trace::session::{Config, LIBRARY_MARK, Session};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

/// Environment: the folder that the session's files are made in. Without it nothing is recorded.
pub const FOLDER: &str = "REPRISE_SESSION";
/// Environment: bytes of each thread's ring.
pub const RING_BYTES: &str = "REPRISE_RING_BYTES";

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

/// An open session.
pub(crate) struct Active {
    pub(crate) session: Session,
    /// Tells this session from an earlier one of the same process image; from 1.
    pub(crate) number: u32,
    /// Who records.
    pub(crate) threads: Threads,
    /// Where the plan of wanted frames stands.
    pub(crate) frames: Mutex<control::State>,
    stopped: AtomicBool,
}

impl Active {
    /// Whether the recording has ended by [`stop`].
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Whether it has ended, or will as soon as somebody looks.
    pub(crate) fn is_over(&self) -> bool {
        self.is_stopped() || self.session.is_finished()
    }
}

/// Whether there is a recording that has not ended.
pub(crate) fn records() -> bool {
    current().is_some_and(|active| !active.is_stopped())
}

/// Ends the recording for all threads of this process; the program goes on. A trace that a writer has not finished yet
/// must have been told where it ends.
pub(crate) fn stop(active: &Active) {
    let unwatch = || {
        if let Some(tracker) = crate::memory::tracker() {
            tracker.on_end();
        }
    };
    // While the tracker is still told of what is unmapped; and what another thread mapped meanwhile.
    unwatch();
    active.stopped.store(true, Ordering::Release);
    active.threads.retire();
    unwatch();
}

static CURRENT: AtomicPtr<Active> = AtomicPtr::new(core::ptr::null_mut());
static OPENED: AtomicU32 = AtomicU32::new(0);
static OPENING: Mutex<()> = Mutex::new(());
static TRIED: AtomicBool = AtomicBool::new(false);
static CHILD: AtomicBool = AtomicBool::new(false);

/// The session, if one is open.
#[inline]
pub(crate) fn current() -> Option<&'static Active> {
    // SAFETY: points to a leaked box, or is null.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

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
    if let Some(folder) = environment::get(FOLDER).filter(|_| wanted) {
        let folder = PathBuf::from(folder);
        let ring_capacity = environment::text(RING_BYTES).and_then(|bytes| bytes.parse().ok());
        let mut config = Config { description: describe(), api_hash: fingerprint(), ..Config::default() };
        if let Some(bytes) = ring_capacity {
            config.ring_capacity = bytes;
        }
        // Where another process of the same capture (a parent, a launcher) has its session already, ours lies beside it.
        let made = match Session::create(&folder, &config) {
            Err(error) if error.is_taken() => {
                end_of_earlier_image(&folder);
                // A process that calls `exec` again and again needs one name after the other.
                let mut made = Session::create(&own_folder(&folder, 1), &config);
                for image in 2..=MOST_IMAGES {
                    match &made {
                        Err(error) if error.is_taken() => {
                            end_of_earlier_image(&own_folder(&folder, image - 1));
                            made = Session::create(&own_folder(&folder, image), &config);
                        }
                        _ => break,
                    }
                }
                made
            }
            made => made,
        };
        match made {
            Ok(session) => publish(session),
            Err(error) => say(&format!("nothing is recorded: {error}")),
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
    after_fork();
    let number = OPENED.fetch_add(1, Ordering::Relaxed) + 1;
    let (threads, frames, stopped) = (Threads::default(), Mutex::default(), AtomicBool::new(false));
    let active = Box::leak(Box::new(Active { session, number, threads, frames, stopped }));
    CURRENT.store(active, Ordering::Release);
    control::begin(active);
}

/// A line for people, where there is no trace to say it in.
pub(crate) fn say(text: &str) {
    reprise_log::warning(text);
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
    let own = match (std::process::id(), image) {
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

/// What goes into the trace about this process.
fn describe() -> String {
    let arguments: Vec<String> = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let mut text = String::from("{\"program\":");
    json_text(&mut text, program.as_deref().or(arguments.first().map(String::as_str)).unwrap_or(""));
    text.push_str(",\"arguments\":[");
    // Long command lines are cut: the description has a fixed place.
    let mut room = 16usize << 10;
    for (index, argument) in arguments.iter().skip(1).enumerate() {
        let Some(left) = room.checked_sub(argument.len() * 6 + 3) else { break };
        room = left;
        if index > 0 {
            text.push(',');
        }
        json_text(&mut text, argument);
    }
    text.push_str("],\"environment\":{");
    let mut first = true;
    for name in ALLOWED {
        let Some(value) = std::env::var_os(name) else { continue };
        let value = value.to_string_lossy();
        let Some(left) = room.checked_sub(value.len() * 6 + name.len() + 6) else { continue };
        room = left;
        if !first {
            text.push(',');
        }
        first = false;
        json_text(&mut text, name);
        text.push(':');
        json_text(&mut text, &value);
    }
    text.push_str("},\"policies\":{\"time_stamps\":\"calls with results\"}}");
    text
}

/// Of the environment only what changes how Direct3D runs is stored: traces are shared.
const ALLOWED: [&str; 9] = [
    "VKD3D_CONFIG",
    "VKD3D_DEBUG",
    "VKD3D_SHADER_MODEL",
    "VKD3D_FEATURE_LEVEL",
    "VKD3D_VULKAN_DEVICE",
    "VKD3D_DISABLE_EXTENSIONS",
    "LP_NUM_THREADS",
    "MESA_VK_VERSION_OVERRIDE",
    "GALLIUM_DRIVER",
];

pub(crate) fn json_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

static WIDE: AtomicU32 = AtomicU32::new(if cfg!(windows) { 16 } else { 32 });

/// States the width of the runtime's `WCHAR`. Call before the first recorded call; the default is the system's `wchar_t`.
pub fn set_wide(wide: Wide) {
    WIDE.store(if matches!(wide, Wide::Bits16) { 16 } else { 32 }, Ordering::Relaxed);
}

/// The codec over the built-in model.
pub(crate) fn codec() -> &'static Codec {
    static CODECS: [std::sync::OnceLock<Codec>; 2] = [const { std::sync::OnceLock::new() }; 2];
    let (index, wide) = if WIDE.load(Ordering::Relaxed) == 16 { (0, Wide::Bits16) } else { (1, Wide::Bits32) };
    CODECS[index].get_or_init(|| Codec::new(*crate::api::model(), wide))
}

/// Makes a forked child forget its parent's session.
fn after_fork() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        extern "C" fn child() {
            CURRENT.store(core::ptr::null_mut(), Ordering::Release);
            CHILD.store(true, Ordering::Relaxed);
            TRIED.store(false, Ordering::Release);
            // The parent's recorder is left as it is: dropping it would close the parent's ring.
            let words = crate::tls::words();
            words.recorder.store(core::ptr::null_mut(), Ordering::Relaxed);
            words.retired.store(core::ptr::null_mut(), Ordering::Relaxed);
        }
        // SAFETY: the handler only stores to atomics and to words of the one thread that the child has.
        ONCE.call_once(|| unsafe {
            libc::pthread_atfork(None, None, Some(child));
        });
    }
}
