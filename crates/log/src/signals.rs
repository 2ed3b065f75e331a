//! Writes of ours inside a captured program, which must not end it.
//!
//! The default action of `SIGPIPE` and `SIGXFSZ` is to end the process. A program may run on although nobody reads its standard error, or
//! although its files are at their limit, because it does not write itself. Our writes must not raise these signals in it. Invariant: after
//! a write of ours the same signals are pending and blocked as before.

/// Runs a write of ours; the signals that it makes for this thread are taken away, and its error is all there is.
pub fn without_signals<T>(write: impl FnOnce() -> T) -> T {
    #[cfg(unix)]
    let _held = unix::Held::new();
    write()
}

#[cfg(unix)]
mod unix {
    use libc::sigset_t;

    const SIGNALS: [libc::c_int; 2] = [libc::SIGPIPE, libc::SIGXFSZ];

    /// The signals, kept from this thread; `None` where the system refuses.
    pub(super) struct Held {
        /// The thread's mask before, and what was pending.
        before: Option<(sigset_t, sigset_t)>,
    }

    fn set(signals: impl IntoIterator<Item = libc::c_int>) -> sigset_t {
        // SAFETY: a structure of integers, filled by the calls, which it outlives.
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            signals.into_iter().for_each(|signal| {
                libc::sigaddset(&raw mut set, signal);
            });
            set
        }
    }

    fn has(set: &sigset_t, signal: libc::c_int) -> bool {
        // SAFETY: the set outlives the call.
        unsafe { libc::sigismember(set, signal) == 1 }
    }

    fn pending() -> sigset_t {
        let mut pending = set([]);
        // SAFETY: the set outlives the call.
        unsafe { libc::sigpending(&raw mut pending) };
        pending
    }

    impl Held {
        pub(super) fn new() -> Held {
            let mut mask = set([]);
            // SAFETY: both sets outlive the call.
            let held = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set(SIGNALS), &raw mut mask) } == 0;
            Held { before: held.then(|| (mask, pending())) }
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            let Some((mask, before)) = &self.before else { return };
            let now = pending();
            // Both signals go to the thread whose write made them, so these are this thread's to take.
            let made = SIGNALS.into_iter().filter(|signal| has(&now, *signal) && !has(before, *signal));
            let none = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            for signal in made {
                // SAFETY: the set and the time outlive the call.
                unsafe { libc::sigtimedwait(&set([signal]), std::ptr::null_mut(), &none) };
            }
            // SAFETY: the mask outlives the call.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, std::ptr::null_mut()) };
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write;
    use std::os::fd::FromRawFd;

    const WANTED: &str = "REPRISE_TEST_SIGNALS";

    /// Ends with the number of what failed. In a child: the actions and the limit are the whole process's.
    fn child() -> i32 {
        let mut file = tempfile::tempfile().unwrap();
        let mut ends = [0; 2];
        // SAFETY: plain system calls; the descriptors are new.
        let mut pipe = unsafe {
            libc::signal(libc::SIGPIPE, libc::SIG_DFL);
            libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
            libc::setrlimit(libc::RLIMIT_FSIZE, &libc::rlimit { rlim_cur: 0, rlim_max: 0 });
            libc::pipe(ends.as_mut_ptr());
            libc::close(ends[0]);
            File::from_raw_fd(ends[1])
        };
        let broken = without_signals(|| pipe.write_all(b"a")).unwrap_err();
        let large = without_signals(|| file.write_all(b"a")).unwrap_err();
        if broken.raw_os_error() != Some(libc::EPIPE) || large.raw_os_error() != Some(libc::EFBIG) {
            return 1;
        }
        // SAFETY: plain system calls on structures of integers.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigpending(&raw mut set);
            if libc::sigismember(&set, libc::SIGPIPE) != 0 {
                return 2;
            }
            // What the program has pending stays pending.
            libc::sigaddset(&raw mut set, libc::SIGPIPE);
            libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
            libc::pthread_kill(libc::pthread_self(), libc::SIGPIPE);
            let _ = without_signals(|| pipe.write_all(b"a"));
            libc::sigpending(&raw mut set);
            if libc::sigismember(&set, libc::SIGPIPE) != 1 {
                return 3;
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), &raw mut set);
            if libc::sigismember(&set, libc::SIGPIPE) != 1 || libc::sigismember(&set, libc::SIGXFSZ) != 0 {
                4
            } else {
                0
            }
        }
    }

    /// Not a test: another process.
    #[test]
    #[ignore = "started by the other test"]
    fn no_test_process() {
        if std::env::var_os(WANTED).is_none() {
            return;
        }
        let code = child();
        // SAFETY: ends the process. Nothing that runs at the end is to meet the limit.
        unsafe { libc::_exit(code) };
    }

    #[test]
    fn a_write_that_fails_ends_nobody() {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "--quiet", "--nocapture", "signals::tests::no_test_process"]);
        let ended = command.env(WANTED, "1").stdout(std::process::Stdio::null()).status().unwrap();
        assert_eq!(ended.code(), Some(0), "{ended}");
    }
}
