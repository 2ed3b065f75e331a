//! A thread that notices when nothing moves any more, so that the trace of a program that hangs says where the GPU is, however the program is
//! ended.
//!
//! Invariant: the thread takes no signals of the program's, and sleeps but for a look at the words of what is under way.

use super::submissions::given;
use crate::panics::protected;
use crate::session::active;
use reprise_d3d12::markers::Why;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Between two looks.
const LOOK: Duration = Duration::from_millis(250);
/// What has not moved for so long is told of.
const STILL: Duration = Duration::from_secs(2);
/// Facts of one standstill: a program may go on to submit.
const MOST: u32 = 64;

/// Has the thread watch; once for each process.
pub(super) fn watch() {
    static WATCHED: AtomicU32 = AtomicU32::new(0);
    let process = std::process::id();
    if WATCHED.swap(process, Ordering::Relaxed) == process {
        return;
    }
    // A new thread has the mask of the one that makes it.
    // SAFETY: sets of signals of ours, which are filled before they are read.
    unsafe {
        let mut all = core::mem::zeroed();
        let mut before = core::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let made = std::thread::Builder::new().name("reprise-markers".into()).spawn(run);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, core::ptr::null_mut());
        if let Err(error) = made {
            reprise_log::warning(format_args!("--markers: nothing notices when the GPU stands still: {error}"));
        }
    }
}

fn run() {
    let mut last = given().words();
    let mut since = Instant::now();
    let (mut told, mut told_at) = (0, 0);
    while active::records() {
        std::thread::sleep(LOOK);
        protected((), || {
            let mut given = given();
            given.look();
            let words = given.words();
            let stands = !last.is_empty() && last.iter().all(|(at, was)| words.get(at) == Some(was));
            if !stands {
                since = Instant::now();
                if told > 0 {
                    given.tell(Why::Moves, 0);
                }
                told = 0;
            } else if since.elapsed() >= STILL
                && told < MOST
                && (told == 0 || told_at != given.count())
                && given.is_proven()
            {
                given.tell(Why::Still, since.elapsed().as_millis() as u32);
                (told, told_at) = (told + 1, given.count());
            }
            // What was given meanwhile is no movement.
            last = words;
        });
    }
}
