//! CPU clocks, in nanoseconds. On Windows, whose clocks of threads tick every 10 ms under Wine, time that passes: a bench is to be run there
//! on a machine that does nothing else.

/// Nanoseconds from one reading of a clock to a later one; none where the later reading is smaller, as where a virtual machine's processors have
/// clocks that stand apart.
pub fn passed(before: u64, after: u64) -> u64 {
    after.saturating_sub(before)
}

/// CPU time of the calling thread.
pub fn thread() -> u64 {
    imp::thread()
}

/// CPU time of the process, all threads.
pub fn process() -> u64 {
    imp::process()
}

/// CPU time of all children that were waited for, theirs included.
pub fn children() -> u64 {
    imp::children()
}

#[cfg(unix)]
mod imp {
    pub(super) fn thread() -> u64 {
        read(libc::CLOCK_THREAD_CPUTIME_ID)
    }

    pub(super) fn process() -> u64 {
        read(libc::CLOCK_PROCESS_CPUTIME_ID)
    }

    pub(super) fn children() -> u64 {
        // SAFETY: fills one structure of ours.
        let usage = unsafe {
            let mut usage: libc::rusage = core::mem::zeroed();
            libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
            usage
        };
        let of = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1000;
        of(usage.ru_utime) + of(usage.ru_stime)
    }

    fn read(clock: libc::clockid_t) -> u64 {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: fills one structure of ours.
        unsafe { libc::clock_gettime(clock, &raw mut time) };
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }
}

#[cfg(windows)]
mod imp {
    pub(super) fn thread() -> u64 {
        reprise_trace::os::monotonic_ns()
    }

    pub(super) fn process() -> u64 {
        reprise_trace::os::monotonic_ns()
    }

    pub(super) fn children() -> u64 {
        0
    }
}
