//! A window that shows pictures and hears keys: X11's; elsewhere there is none yet.

#[cfg(unix)]
mod x11;
#[cfg(unix)]
pub(crate) use x11::Window;

#[cfg(not(unix))]
mod absent;
#[cfg(not(unix))]
pub(crate) use absent::Window;

/// What the user wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(unix), expect(dead_code, reason = "no window, no wishes"))]
pub(crate) enum Wish {
    /// Stop at this frame, or go on.
    Pause,
    /// One more frame.
    Step,
    /// No more frames.
    Quit,
}
