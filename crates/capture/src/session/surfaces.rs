//! Where the program presents: surfaces told apart by their number, for `--frame-boundary present=N`.
//!
//! Invariant: without that option nothing is kept here, and every present ends a frame.

use crate::session::{frames, record};
use reprise_environment::FrameBoundary;
use reprise_trace::fact;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the program presents to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Surface {
    /// A swap chain of the API, by its object's id.
    SwapChain(u32),
    /// One of Vulkan's, by its handle.
    #[cfg(target_os = "linux")]
    Vulkan(u64),
    /// A window or another surface of OpenGL's, by its handle.
    #[cfg(target_os = "linux")]
    OpenGl(usize),
}

/// Each at its number, from 0; `None` where it is gone, since handles come again.
fn known() -> MutexGuard<'static, Vec<Option<Surface>>> {
    static KNOWN: Mutex<Vec<Option<Surface>>> = Mutex::new(Vec::new());
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The surface whose presents alone end frames.
fn chosen() -> Option<usize> {
    match frames::boundary() {
        FrameBoundary::SwapChain(number) => Some(*number as usize - 1),
        _ => None,
    }
}

/// The program has made a surface; it takes the number of the one that it replaces.
pub(crate) fn made(surface: Surface, replaced: Option<Surface>) {
    let Some(chosen) = chosen() else { return };
    let mut known = known();
    let at = replaced.and_then(|old| known.iter().position(|known| *known == Some(old)));
    let number = at.unwrap_or(known.len());
    match known.get_mut(number) {
        Some(place) => *place = Some(surface),
        None => known.push(Some(surface)),
    }
    drop(known);
    let (object, handle): (u32, u64) = match surface {
        Surface::SwapChain(object) => (object, 0),
        #[cfg(target_os = "linux")]
        Surface::Vulkan(handle) => (0, handle),
        // Replay has no such surface, and its frames show what was read back.
        #[cfg(target_os = "linux")]
        Surface::OpenGl(_) => return,
    };
    if number == chosen {
        record::fact(object, fact::FRAME_SURFACE, &handle.to_le_bytes());
    }
}

/// A surface is gone, and its number with it.
#[cfg(target_os = "linux")]
pub(crate) fn gone(surface: Surface) {
    if chosen().is_some() {
        known().iter_mut().filter(|known| **known == Some(surface)).for_each(|known| *known = None);
    }
}

/// Whether a present to this surface ends a frame.
pub(crate) fn ends_frame(surface: Surface) -> bool {
    match (frames::boundary(), chosen()) {
        (FrameBoundary::Presents, _) => true,
        (_, Some(chosen)) => known().get(chosen) == Some(&Some(surface)),
        _ => false,
    }
}

/// Whether a swap of OpenGL's ends a frame. Its surfaces are numbered as they are first swapped, since nobody says when they are made.
#[cfg(target_os = "linux")]
pub(crate) fn ends_frame_of_opengl(handle: usize) -> bool {
    let surface = Surface::OpenGl(handle);
    if chosen().is_some() && !known().contains(&Some(surface)) {
        made(surface, None);
    }
    ends_frame(surface)
}
