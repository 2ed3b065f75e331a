//! What tells a program that it may begin the next frame.
//!
//! Two semaphores count frames that are done. One is the program's, where it asked for a waitable object: natively an `eventfd`, on
//! Windows a semaphore of the system. The other one is internal and holds a program that does not wait to [`MOST`] frames.

use core::ffi::c_void;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use reprise_gpu::clock::ticks;
use reprise_gpu::queue::{Fence, Point};

use crate::{Error, Result};

/// Frames that may be under way at once; what the API promises programs that do not ask.
pub(super) const MOST: u32 = 3;
/// The most that a program may ask for: as many as buffers.
pub(super) const LIMIT: u32 = 16;

/// The frames of one swap chain that are under way.
pub(super) struct Latency {
    state: Mutex<State>,
    changed: Condvar,
    /// The program's, where it wants one.
    semaphore: Option<system::Semaphore>,
}

struct State {
    /// Frames that may still be begun without waiting.
    free: u32,
    /// As the program set it.
    latency: u32,
    /// Frames that are done, and when the last one was, in ticks of the system's clock for programs.
    done: (u64, u64),
}

impl Latency {
    /// With a semaphore for the program, or without one.
    ///
    /// # Errors
    /// The system has no more handles.
    pub(super) fn new(waitable: bool) -> Result<Latency> {
        let semaphore = if waitable { Some(system::Semaphore::new(1).ok_or(Error::MEMORY)?) } else { None };
        let latency = if waitable { 1 } else { MOST };
        let state = Mutex::new(State { free: MOST, latency, done: (0, 0) });
        Ok(Latency { state, changed: Condvar::new(), semaphore })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of frames, as the program set it.
    pub(super) fn get(&self) -> u32 {
        self.lock().latency
    }

    /// Sets the number of frames. A higher one lets the program begin more at once; to begin fewer is the program's work.
    ///
    /// # Errors
    /// The program asked for no waitable object, or the number is none.
    pub(super) fn set(&self, latency: u32) -> Result<()> {
        let semaphore = self.semaphore.as_ref();
        let semaphore = semaphore.ok_or(Error::Call("the swap chain was made without a waitable object"))?;
        if latency == 0 || latency > LIMIT {
            return Err(Error::Call("a frame latency of none, or of more frames than there can be buffers"));
        }
        let mut state = self.lock();
        semaphore.release(latency.saturating_sub(state.latency));
        state.latency = latency;
        Ok(())
    }

    /// Whether the program has a semaphore.
    #[cfg(windows)]
    pub(super) fn is_waitable(&self) -> bool {
        self.semaphore.is_some()
    }

    /// A handle of the program's semaphore, which the program closes; null where there is none.
    pub(super) fn handle(&self) -> *mut c_void {
        self.semaphore.as_ref().map_or(core::ptr::null_mut(), system::Semaphore::handle)
    }

    /// A frame was given to the queue: waits until few enough are under way.
    pub(super) fn begin(&self) {
        let mut state = self.lock();
        while state.free == 0 {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.free -= 1;
    }

    /// A frame that was not shown is done, too: a program that waits before each frame would wait for ever after it.
    pub(super) fn skip(&self) {
        if let Some(semaphore) = &self.semaphore {
            semaphore.release(1);
        }
    }

    /// Whether [`Latency::begin`] would wait.
    pub(super) fn is_full(&self) -> bool {
        self.lock().free == 0
    }

    /// Frames that are done, and when the last one was.
    pub(super) fn done(&self) -> (u64, u64) {
        self.lock().done
    }
}

impl Fence for Latency {
    fn promise(&self, _value: u64, _point: Point) -> bool {
        true
    }

    fn advance(&self) {
        let mut state = self.lock();
        state.free += 1;
        state.done = (state.done.0 + 1, ticks());
        drop(state);
        self.changed.notify_one();
        if let Some(semaphore) = &self.semaphore {
            semaphore.release(1);
        }
    }
}

impl core::fmt::Debug for Latency {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Latency").field("waitable", &self.semaphore.is_some()).finish_non_exhaustive()
    }
}

#[cfg(unix)]
mod system {
    use core::ffi::c_void;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    /// An `eventfd`: each read takes one.
    pub(super) struct Semaphore(OwnedFd);

    impl Semaphore {
        pub(super) fn new(count: u32) -> Option<Semaphore> {
            // SAFETY: no memory is involved.
            let file = unsafe { libc::eventfd(count, libc::EFD_CLOEXEC | libc::EFD_SEMAPHORE) };
            // SAFETY: a new descriptor, owned by nobody else.
            (file >= 0).then(|| Semaphore(unsafe { OwnedFd::from_raw_fd(file) }))
        }

        pub(super) fn release(&self, count: u32) {
            let bytes = u64::from(count).to_ne_bytes();
            // Fails only for a counter that is full, which no program reaches.
            // SAFETY: eight readable bytes.
            unsafe { libc::write(self.0.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
        }

        /// Another descriptor of it. Never 0, which a program would take for none.
        pub(super) fn handle(&self) -> *mut c_void {
            // SAFETY: no memory is involved.
            let file = unsafe { libc::fcntl(self.0.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 1) };
            if file < 0 { core::ptr::null_mut() } else { file as usize as *mut c_void }
        }
    }
}

#[cfg(windows)]
mod system {
    use core::ffi::c_void;
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

    use super::LIMIT;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn CreateSemaphoreW(attributes: *const c_void, first: i32, most: i32, name: *const u16) -> *mut c_void;
        fn ReleaseSemaphore(semaphore: *mut c_void, count: i32, before: *mut i32) -> i32;
        fn GetCurrentProcess() -> *mut c_void;
        fn DuplicateHandle(
            from: *mut c_void,
            handle: *mut c_void,
            to: *mut c_void,
            new: *mut *mut c_void,
            access: u32,
            inherit: i32,
            options: u32,
        ) -> i32;
    }

    /// `SYNCHRONIZE`: programs may wait, and nothing else.
    const SYNCHRONIZE: u32 = 0x0010_0000;

    pub(super) struct Semaphore(OwnedHandle);

    impl Semaphore {
        pub(super) fn new(count: u32) -> Option<Semaphore> {
            // SAFETY: no memory is involved.
            let handle = unsafe { CreateSemaphoreW(core::ptr::null(), count as i32, i32::MAX, core::ptr::null()) };
            // SAFETY: a new handle, owned by nobody else.
            (!handle.is_null()).then(|| Semaphore(unsafe { OwnedHandle::from_raw_handle(handle) }))
        }

        pub(super) fn release(&self, count: u32) {
            if count > 0 {
                // SAFETY: the semaphore is open as long as this.
                unsafe { ReleaseSemaphore(self.0.as_raw_handle(), count.min(LIMIT) as i32, core::ptr::null_mut()) };
            }
        }

        pub(super) fn handle(&self) -> *mut c_void {
            let mut new = core::ptr::null_mut();
            // SAFETY: the semaphore is open as long as this; the place is ours.
            unsafe {
                let process = GetCurrentProcess();
                DuplicateHandle(process, self.0.as_raw_handle(), process, &raw mut new, SYNCHRONIZE, 0, 0);
            }
            new
        }
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// How many reads of the handle succeed at once; what was read is put back.
    fn free(handle: *mut c_void) -> u64 {
        let file = handle as usize as i32;
        let mut count = 0u64;
        // SAFETY: a descriptor of ours, and eight bytes for each call.
        unsafe {
            libc::fcntl(file, libc::F_SETFL, libc::O_NONBLOCK);
            let mut word = 0u64;
            while libc::read(file, (&raw mut word).cast(), 8) == 8 {
                assert_eq!(word, 1, "each read takes one");
                count += 1;
            }
            let bytes = count.to_ne_bytes();
            libc::write(file, bytes.as_ptr().cast(), 8);
            libc::close(file);
        }
        count
    }

    #[test]
    fn the_programs_semaphore_counts_frames() {
        let latency = Latency::new(true).unwrap();
        assert_ne!(latency.handle() as usize, 0);
        assert_eq!((latency.get(), free(latency.handle())), (1, 1));
        latency.set(3).unwrap();
        assert_eq!((latency.get(), free(latency.handle())), (3, 3));
        // To begin fewer is the program's work.
        latency.set(2).unwrap();
        assert_eq!((latency.get(), free(latency.handle())), (2, 3));
        latency.advance();
        assert_eq!(free(latency.handle()), 4);
        assert_eq!(latency.done().0, 1);
        assert_ne!(latency.done().1, 0);
        latency.skip();
        assert_eq!((free(latency.handle()), latency.done().0), (5, 1));
        for wrong in [0, 17] {
            assert!(latency.set(wrong).is_err(), "{wrong}");
        }
        let without = Latency::new(false).unwrap();
        assert!(without.handle().is_null() && without.set(2).is_err());
        assert_eq!(without.get(), MOST);
    }

    #[test]
    fn a_program_that_does_not_wait_is_held() {
        let latency = Latency::new(false).unwrap();
        (0..MOST).for_each(|_| latency.begin());
        std::thread::scope(|scope| {
            let held = scope.spawn(|| latency.begin());
            std::thread::sleep(core::time::Duration::from_millis(20));
            assert!(!held.is_finished());
            latency.advance();
        });
        assert!(latency.is_full());
        latency.advance();
        assert!(!latency.is_full());
    }
}
