//! Memory that programs may write to: shared pages of a memfd, as a software Vulkan driver gives them.

/// A shared mapping, unmapped when dropped.
pub(crate) struct Pages {
    start: *mut u8,
    size: usize,
}

// SAFETY: only the address is kept here, and never read through; the program alone stores to the pages.
unsafe impl Send for Pages {}
// SAFETY: the address does not change.
unsafe impl Sync for Pages {}

impl Pages {
    #[cfg(unix)]
    pub(crate) fn new(size: usize) -> Self {
        let size = size.max(1).next_multiple_of(4096);
        // SAFETY: plain system calls on a descriptor of our own; every result is checked.
        let start = unsafe {
            let file = libc::memfd_create(c"null".as_ptr(), libc::MFD_CLOEXEC);
            if file < 0 || libc::ftruncate(file, size as libc::off_t) != 0 {
                return Self { start: core::ptr::null_mut(), size: 0 };
            }
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let start = libc::mmap(core::ptr::null_mut(), size, access, libc::MAP_SHARED, file, 0);
            libc::close(file);
            start
        };
        if start == libc::MAP_FAILED {
            return Self { start: core::ptr::null_mut(), size: 0 };
        }
        Self { start: start.cast(), size }
    }

    #[cfg(not(unix))]
    pub(crate) fn new(size: usize) -> Self {
        Self { start: vec![0u8; size.max(1)].leak().as_mut_ptr(), size }
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        #[cfg(unix)]
        if !self.start.is_null() {
            // SAFETY: the mapping is ours and whole.
            unsafe { libc::munmap(self.start.cast(), self.size) };
        }
        #[cfg(not(unix))]
        let _ = self.size;
    }
}
