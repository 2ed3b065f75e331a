//! Which of its two tables an object shows: settled once, before the first object.

use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};

use reprise_d3d12::abi::Convention;

static ITANIUM: AtomicBool = AtomicBool::new(false);

/// From now on objects are for programs of this convention: [`Convention::Itanium`], or the platform's own. To be called before the first
/// object is made.
pub fn serve(convention: Convention) {
    ITANIUM.store(convention == Convention::Itanium, Ordering::Relaxed);
}

/// Whether programs call methods as C++ for Linux does.
pub fn is_itanium() -> bool {
    ITANIUM.load(Ordering::Relaxed)
}

/// The tables of a [`Vtable`](crate::Vtable).
#[derive(Clone, Copy, Debug)]
pub struct Tables {
    native: &'static [*const c_void],
    itanium: &'static [*const c_void],
}

impl Tables {
    pub(crate) const fn new(native: &'static [*const c_void], itanium: &'static [*const c_void]) -> Tables {
        Tables { native, itanium }
    }

    /// The functions in the platform's convention, by slot.
    pub const fn native(self) -> &'static [*const c_void] {
        self.native
    }

    /// The same for programs of [`Convention::Itanium`].
    pub const fn itanium(self) -> &'static [*const c_void] {
        self.itanium
    }

    /// The table that new objects begin with.
    #[inline(always)]
    pub(crate) fn shown(self) -> *const *const c_void {
        if is_itanium() { self.itanium.as_ptr() } else { self.native.as_ptr() }
    }

    /// Whether an object that begins with this table has either of these.
    #[inline(always)]
    pub(crate) fn has(self, table: *const *const c_void) -> bool {
        core::ptr::eq(table, self.native.as_ptr()) || core::ptr::eq(table, self.itanium.as_ptr())
    }
}
