//! A page of memory that processes share: the values of one fence, in their order.
//!
//! Every value that a process gives the fence is an entry of a ring. All read the ring, and so agree on which value is the last. A
//! reader that is overtaken by a whole ring still learns the highest value that there ever was. Invariant: whatever another
//! process writes there, only values of the fence follow from it.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

use crate::{Error, Result};

/// Entries of the ring.
const ENTRIES: u64 = 1024;

#[repr(C)]
struct Entry {
    /// The entry's number and one more; 0 while it is written.
    stamp: AtomicU64,
    value: AtomicU64,
    /// Who wrote it.
    writer: AtomicU64,
}

#[repr(C)]
struct Shared {
    /// Changes with every entry, and when somebody wants to be noticed.
    changes: AtomicU32,
    _unused: u32,
    /// Entries so far.
    head: AtomicU64,
    /// The highest value so far.
    peak: AtomicU64,
    /// The value before the first entry.
    first: AtomicU64,
    /// Writers so far.
    writers: AtomicU64,
    entries: [Entry; ENTRIES as usize],
}

const SIZE: usize = size_of::<Shared>().next_multiple_of(4096);
/// Nobody changes the file's size any more.
const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

/// What is read at a place of the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// Nothing yet.
    End,
    /// A value, and whether this page's owner wrote it.
    Value(u64, bool),
    /// Too late: go on at this place, after the highest value that there was.
    Lost { next: u64, peak: u64 },
}

/// A mapping of the page.
#[derive(Debug)]
pub(crate) struct Page {
    file: OwnedFd,
    place: NonNull<Shared>,
    me: u64,
}

// SAFETY: the page is used through atomics only, and stays mapped as long as this.
unsafe impl Send for Page {}
// SAFETY: the page is used through atomics only, and stays mapped as long as this.
unsafe impl Sync for Page {}

impl Page {
    /// A new page, of a fence with a value.
    pub(super) fn new(value: u64) -> Result<Page> {
        const FAILED: Error = Error::Fail("there is no memory for a shared fence");
        // SAFETY: a name that ends with zero.
        let file = unsafe { libc::memfd_create(c"fence".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
        if file < 0 {
            return Err(FAILED);
        }
        // SAFETY: a new file, owned by nobody else.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        let file = File::from(file);
        file.set_len(SIZE as u64).map_err(|_| FAILED)?;
        // SAFETY: a file of ours.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, SEALS) } != 0 {
            return Err(FAILED);
        }
        let page = Page::map(file.into())?;
        page.shared().first.store(value, Ordering::Relaxed);
        page.shared().peak.store(value, Ordering::Relaxed);
        Ok(page)
    }

    /// The page behind a file that somebody gave.
    ///
    /// # Errors
    /// The file is none of a page, or could shrink.
    pub(crate) fn open(file: OwnedFd) -> Result<Page> {
        const WRONG: Error = Error::Invalid("a file that was given as a fence's is none");
        // SAFETY: a file of ours.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        let size = File::from(file.try_clone().map_err(|_| WRONG)?).metadata().map_err(|_| WRONG)?.len();
        if seals < 0 || seals & SEALS != SEALS || size != SIZE as u64 {
            return Err(WRONG);
        }
        Page::map(file)
    }

    fn map(file: OwnedFd) -> Result<Page> {
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, of a file of this size which stays so.
        let place = unsafe { libc::mmap(core::ptr::null_mut(), SIZE, rights, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        let place = NonNull::new(place.cast()).filter(|_| place != libc::MAP_FAILED);
        let place = place.ok_or(Error::Fail("a shared fence cannot be mapped"))?;
        let mut page = Page { file, place, me: 0 };
        page.me = page.shared().writers.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(page)
    }

    fn shared(&self) -> &Shared {
        // SAFETY: mapped, aligned, and of atomics only, for which every value is one.
        unsafe { self.place.as_ref() }
    }

    /// The file, for others.
    pub(crate) fn file(&self) -> std::io::Result<OwnedFd> {
        self.file.try_clone()
    }

    /// Adds a value.
    pub(super) fn add(&self, value: u64) {
        let shared = self.shared();
        let number = shared.head.fetch_add(1, Ordering::AcqRel);
        let entry = &shared.entries[(number % ENTRIES) as usize];
        entry.stamp.store(0, Ordering::SeqCst);
        entry.value.store(value, Ordering::SeqCst);
        entry.writer.store(self.me, Ordering::SeqCst);
        entry.stamp.store(number + 1, Ordering::SeqCst);
        shared.peak.fetch_max(value, Ordering::AcqRel);
        shared.changes.fetch_add(1, Ordering::Release);
    }

    /// What lies at a place, counted from 0.
    pub(super) fn read(&self, at: u64) -> Read {
        /// Looks at an entry that somebody is writing before it is assumed to be dead.
        const PATIENCE: u32 = 10_000;
        let shared = self.shared();
        let entry = &shared.entries[(at % ENTRIES) as usize];
        for _ in 0..PATIENCE {
            let head = shared.head.load(Ordering::Acquire);
            if at >= head {
                return Read::End;
            }
            if head - at > ENTRIES {
                return Read::Lost { next: head - ENTRIES / 2, peak: shared.peak.load(Ordering::Acquire) };
            }
            let stamp = entry.stamp.load(Ordering::SeqCst);
            let (value, writer) = (entry.value.load(Ordering::SeqCst), entry.writer.load(Ordering::SeqCst));
            if stamp == at + 1 && entry.stamp.load(Ordering::SeqCst) == stamp {
                return Read::Value(value, writer == self.me);
            }
            std::thread::yield_now();
        }
        Read::Lost { next: at + 1, peak: shared.peak.load(Ordering::Acquire) }
    }

    /// Where the ring ends, and the value there.
    pub(super) fn last(&self) -> (u64, u64) {
        let shared = self.shared();
        let head = shared.head.load(Ordering::Acquire);
        let value = match head.checked_sub(1).map(|at| self.read(at)) {
            None | Some(Read::End) => shared.first.load(Ordering::Acquire),
            Some(Read::Value(value, _)) => value,
            Some(Read::Lost { peak, .. }) => peak,
        };
        (head, value)
    }

    /// What [`Page::wait`] is told.
    pub(super) fn changes(&self) -> u32 {
        self.shared().changes.load(Ordering::Acquire)
    }

    /// Wakes all that wait, also where there is no new entry.
    pub(super) fn wake(&self) {
        self.shared().changes.fetch_add(1, Ordering::Release);
        // SAFETY: the word is mapped.
        unsafe { libc::syscall(libc::SYS_futex, &raw const self.shared().changes, libc::FUTEX_WAKE, i32::MAX) };
    }

    /// Waits until something changes, or for a while.
    pub(super) fn wait(&self, seen: u32, most: Duration) {
        let most = libc::timespec { tv_sec: most.as_secs() as _, tv_nsec: most.subsec_nanos().into() };
        // SAFETY: the word is mapped; the time lives until the call returns.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                &raw const self.shared().changes,
                libc::FUTEX_WAIT,
                seen,
                &raw const most,
                core::ptr::null::<u32>(),
                0,
            )
        };
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: mapped by us, and used by nobody any more.
        unsafe { libc::munmap(self.place.as_ptr().cast(), SIZE) };
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn all_read_the_same_values_in_the_same_order() {
        let one = Page::new(3).unwrap();
        let other = Page::open(one.file().unwrap()).unwrap();
        assert_eq!((one.last(), other.last()), ((0, 3), (0, 3)));
        assert_eq!(other.read(0), Read::End);
        one.add(7);
        other.add(5);
        assert_eq!([one.read(0), one.read(1), one.read(2)], [Read::Value(7, true), Read::Value(5, false), Read::End]);
        assert_eq!([other.read(0), other.read(1)], [Read::Value(7, false), Read::Value(5, true)]);
        assert_eq!(other.last(), (2, 5), "a value may fall");
        // From threads: each value once, each thread's in order.
        std::thread::scope(|scope| {
            for page in [&one, &other] {
                scope.spawn(move || (0..400).for_each(|at| page.add(at)));
            }
        });
        let mut next = [0; 2];
        for at in 2..802 {
            let Read::Value(value, own) = one.read(at) else { panic!("a value at {at}") };
            let next = &mut next[usize::from(own)];
            assert_eq!(value, *next);
            *next += 1;
        }
        assert_eq!(next, [400; 2]);
    }

    #[test]
    fn who_is_late_learns_the_highest_value() {
        let page = Page::new(0).unwrap();
        (0..ENTRIES).for_each(|at| page.add(if at == 9 { 1 << 40 } else { at }));
        assert_eq!(page.read(0), Read::Value(0, true));
        page.add(77);
        let Read::Lost { next, peak } = page.read(0) else { panic!("the entry is gone") };
        assert_eq!(peak, 1 << 40);
        assert!(matches!(page.read(next), Read::Value(..)));
        assert_eq!(page.last(), (ENTRIES + 1, 77));
    }

    #[test]
    fn other_files_are_refused() {
        let memory = |size: u64, sealed: bool| {
            // SAFETY: a name that ends with zero; a new file.
            let file = unsafe { OwnedFd::from_raw_fd(libc::memfd_create(c"test".as_ptr(), libc::MFD_ALLOW_SEALING)) };
            File::from(file.try_clone().unwrap()).set_len(size).unwrap();
            // SAFETY: a file of the test's.
            assert!(!sealed || unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, SEALS) } == 0);
            file
        };
        assert!(Page::open(memory(SIZE as u64, true)).is_ok());
        assert!(Page::open(memory(SIZE as u64, false)).is_err(), "it could shrink");
        assert!(Page::open(memory(4096, true)).is_err(), "too small");
        assert!(Page::open(File::open("/dev/null").unwrap().into()).is_err());
    }
}
