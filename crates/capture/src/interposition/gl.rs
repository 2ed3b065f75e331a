//! Presents of OpenGL programs: each swap of buffers ends a frame. Mesa's driver for Direct3D 12 reads its pictures back and shows them by
//! other means, so the API sees no present; the picture is the one that was read back last (`picture/read_back`).
//!
//! Invariant: a swap reaches the program's OpenGL as it was called; one that OpenGL makes within another ends no frame of its own.

use core::cell::Cell;
use core::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::recorded_process::is_recorded;
use crate::loader::next;
use crate::panics::protected;
use crate::picture::read_back;
use crate::session::surfaces;
use crate::{entry, picture};
use reprise_trace::record::FrameSource;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// A function of OpenGL's that this library exports, and the one that the program would have found without it.
struct Export {
    name: &'static CStr,
    own: *const c_void,
    /// Found behind a library's handle, by `dlsym`.
    behind: AtomicPtr<c_void>,
    next: OnceLock<usize>,
}

// SAFETY: addresses of functions, which any thread may call.
unsafe impl Sync for Export {}

impl Export {
    const fn new(name: &'static CStr, own: *const c_void) -> Export {
        Export { name, own, behind: AtomicPtr::new(core::ptr::null_mut()), next: OnceLock::new() }
    }

    /// The real function; `None` where no library has it yet.
    fn real(&self) -> Option<*const c_void> {
        if let Some(next) = self.next.get() {
            return Some(core::ptr::with_exposed_provenance(*next));
        }
        let behind = self.behind.load(Ordering::Acquire).cast_const();
        let found = if behind.is_null() { next::symbol(self.name)? } else { behind };
        Some(core::ptr::with_exposed_provenance(*self.next.get_or_init(|| found.expose_provenance())))
    }
}

/// Calls a real swap of a surface, and ends the frame behind it.
fn swap<T>(surface: usize, real: impl FnOnce() -> T) -> T {
    if INSIDE.replace(true) {
        return real();
    }
    let result = real();
    INSIDE.set(false);
    if is_recorded() && protected(false, || surfaces::ends_frame_of_opengl(surface)) {
        let order = picture::in_order();
        if order.is_some() {
            protected((), read_back::swapped);
        }
        entry::frame(FrameSource::Present);
    }
    result
}

macro_rules! swaps {
    ($($static:ident $name:ident($display:ident: $first:ty, $surface:ident: $second:ty $(, $argument:ident: $ty:ty)*)
        -> $result:ty, $failed:expr;)*) => {
        $(
            static $static: Export = Export::new(
                // SAFETY: a literal without inner zeros, and one at the end.
                unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) },
                $name as *const c_void,
            );

            /// Exported in OpenGL's place.
            ///
            /// # Safety
            /// As the function of this name.
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, clippy::unused_unit, reason = "the names are OpenGL's, and some of these functions return nothing")]
            unsafe extern "C" fn $name($display: $first, $surface: $second $(, $argument: $ty)*) -> $result {
                let Some(real) = $static.real() else { return $failed };
                // SAFETY: the function of this name has this type; the arguments are the program's.
                swap($surface as usize, || unsafe {
                    core::mem::transmute::<*const c_void, unsafe extern "C" fn($first, $second $(, $ty)*) -> $result>(real)(
                        $display, $surface $(, $argument)*
                    )
                })
            }
        )*

        /// All swaps.
        static SWAPS: &[&Export] = &[$(&$static),*];
    };
}

swaps! {
    GLX_SWAP glXSwapBuffers(display: *mut c_void, drawable: usize) -> (), ();
    EGL_SWAP eglSwapBuffers(display: *mut c_void, surface: *mut c_void) -> u32, 0;
    EGL_SWAP_DAMAGE_KHR eglSwapBuffersWithDamageKHR(
        display: *mut c_void, surface: *mut c_void, rectangles: *const i32, count: i32) -> u32, 0;
    EGL_SWAP_DAMAGE_EXT eglSwapBuffersWithDamageEXT(
        display: *mut c_void, surface: *mut c_void, rectangles: *const i32, count: i32) -> u32, 0;
}

macro_rules! lookups {
    ($($static:ident $name:ident;)*) => {
        $(
            static $static: Export = Export::new(
                // SAFETY: a literal without inner zeros, and one at the end.
                unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) },
                $name as *const c_void,
            );

            /// Exported in OpenGL's place: gives our swaps where the program looks them up.
            ///
            /// # Safety
            /// As the function of this name.
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, clippy::unused_unit, reason = "the names are OpenGL's, and some of these functions return nothing")]
            unsafe extern "C" fn $name(name: *const c_char) -> *const c_void {
                let Some(real) = $static.real() else { return core::ptr::null() };
                // SAFETY: the function of this name has this type; the argument is the program's.
                let found = unsafe {
                    core::mem::transmute::<*const c_void, unsafe extern "C" fn(*const c_char) -> *const c_void>(real)(name)
                };
                if found.is_null() || name.is_null() {
                    return found;
                }
                // SAFETY: not null, and the program's terminated text.
                found_behind_handle(unsafe { CStr::from_ptr(name) }, found).unwrap_or(found)
            }
        )*

        /// All functions that look others up.
        static LOOKUPS: &[&Export] = &[$(&$static),*];
    };
}

lookups! {
    GLX_LOOKUP glXGetProcAddress;
    GLX_LOOKUP_ARB glXGetProcAddressARB;
    EGL_LOOKUP eglGetProcAddress;
}

fn export(name: &CStr) -> Option<&'static Export> {
    // Nearly all lookups are of something else.
    if !matches!(name.to_bytes(), [b'g', b'l', b'X', ..] | [b'e', b'g', b'l', ..]) {
        return None;
    }
    SWAPS.iter().chain(LOOKUPS).find(|export| export.name == name).copied()
}

/// Whether a function of this name is exported here.
pub(super) fn is_export(name: &CStr) -> bool {
    export(name).is_some()
}

/// Our function in the place of one that the program has found by name.
pub(super) fn found_behind_handle(name: &CStr, found: *const c_void) -> Option<*const c_void> {
    let export = export(name).filter(|_| is_recorded() && !found.is_null())?;
    if found != export.own {
        export.behind.store(found.cast_mut(), Ordering::Release);
    }
    Some(export.own)
}

/// Whether only this library has a function that the program has found in the whole process.
pub(super) fn is_only_ours(name: &CStr) -> bool {
    export(name).is_some_and(|export| export.real().is_none())
}
