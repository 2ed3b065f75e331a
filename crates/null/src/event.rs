//! Event handles: on Linux the number of an eventfd, as vkd3d-proton has it; 0 is no event.

/// Larger words are no file numbers: a foreign kind of event, left alone.
#[cfg(unix)]
const MOST: u64 = 1 << 20;

pub(crate) fn signal(event: u64) {
    #[cfg(unix)]
    if event != 0 && event < MOST {
        let one = 1u64;
        // SAFETY: writes eight bytes of ours to a descriptor of the caller's; a wrong one is an error we may ignore.
        unsafe { libc::write(event as i32, core::ptr::from_ref(&one).cast(), 8) };
    }
    #[cfg(not(unix))]
    let _ = event;
}

/// A new event that is not signalled; 0 when the system has none.
pub(crate) fn create() -> u64 {
    #[cfg(unix)]
    {
        // SAFETY: touches nothing of ours.
        let file = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
        u64::try_from(file).unwrap_or(0)
    }
    #[cfg(not(unix))]
    0
}

/// Waits until the event is signalled, and resets it. Gives 0 when it was, 1 when the time (in ms, all ones for ever) ran out.
pub(crate) fn wait(event: u64, milliseconds: u32) -> u64 {
    #[cfg(unix)]
    {
        let timeout = i32::try_from(milliseconds).unwrap_or(-1);
        let mut poll = libc::pollfd { fd: event as i32, events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor's entry, ours; then eight bytes of ours.
        unsafe {
            if libc::poll(&raw mut poll, 1, timeout) <= 0 {
                return 1;
            }
            let mut count = 0u64;
            libc::read(event as i32, (&raw mut count).cast(), 8);
        }
        0
    }
    #[cfg(not(unix))]
    {
        let _ = (event, milliseconds);
        0
    }
}

/// Gives the event back to the system.
pub(crate) fn destroy(event: u64) {
    #[cfg(unix)]
    if event != 0 && event < MOST {
        // SAFETY: the caller is done with this descriptor.
        unsafe { libc::close(event as i32) };
    }
    #[cfg(not(unix))]
    let _ = event;
}
