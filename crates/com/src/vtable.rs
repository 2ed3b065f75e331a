//! Vtables, built at compile time: every slot of an interface by the model, the implemented ones by name.
//!
//! Each has a second table for programs of [`Itanium`], in which methods that return a structure are thunks ([`Explicit`]).

use core::ffi::c_void;

use reprise_d3d12::abi::{Abi, Handler, Itanium, Thunks};
use reprise_d3d12::generated::METHODS;
use reprise_d3d12::model::InterfaceId;

use crate::tables::Tables;
use crate::unsupported::Unsupported;

#[cfg(not(windows))]
type Native = reprise_d3d12::abi::SystemV;
#[cfg(windows)]
type Native = reprise_d3d12::abi::Win64;

/// Implemented methods: name and function. The functions are `unsafe extern "C"` with the method's own signature and `this`
/// first; a structure result is a pointer parameter after `this` that is also returned.
pub type Slots = [(&'static str, *const c_void)];

/// A vtable. Keep each in a `static`: its address tells objects of one class from those of others.
#[derive(Debug)]
#[repr(C)]
pub struct Vtable<const N: usize> {
    /// The native functions, the last slot's first, so that the function of slot `s` lies `s + 1` words before `itanium`.
    mirror: [*const c_void; N],
    itanium: [*const c_void; N],
    native: [*const c_void; N],
}

// SAFETY: constant addresses of functions.
unsafe impl<const N: usize> Sync for Vtable<N> {}

impl<const N: usize> Vtable<N> {
    /// With these functions in the platform's convention.
    const fn new(interface: InterfaceId, native: [*const c_void; N]) -> Vtable<N> {
        let (mut mirror, mut itanium) = (native, native);
        let mut at = 0;
        while at < N {
            mirror[N - 1 - at] = native[at];
            if let Some(method) = interface.slot(at as u16)
                && method.get().returns_structure
            {
                itanium[at] = <Itanium as Thunks<Explicit>>::ALL[method.0 as usize];
            }
            at += 1;
        }
        Vtable { mirror, itanium, native }
    }

    /// All slots, for either kind of program.
    pub const fn tables(&'static self) -> Tables {
        Tables::new(&self.native, &self.itanium)
    }
}

/// Calls the native function of the same slot, which takes the out pointer behind `this`.
struct Explicit;

impl Handler for Explicit {
    #[inline(always)]
    unsafe fn method<A: Abi, const M: u16, const N: usize>(this: *mut c_void, words: [u64; N]) -> u64 {
        let slot = const { METHODS[M as usize].slot as usize };
        // SAFETY: only tables of a `Vtable` lead here, which has the native functions before the table that the object begins with; the
        // function takes these words.
        unsafe {
            let table = *this.cast::<*const *const c_void>();
            native(*table.sub(slot + 1), this, &words)
        }
    }

    /// No vtable leads here.
    unsafe fn function<A: Abi, const M: u16, const N: usize>(_words: [u64; N]) -> u64 {
        0
    }
}

/// Calls a native function whose arguments are all words.
///
/// # Safety
/// The function takes `this` and so many words.
#[inline(always)]
unsafe fn native(function: *const c_void, this: *mut c_void, words: &[u64]) -> u64 {
    macro_rules! with {
        ($($at:literal)*) => {{
            // SAFETY: the caller promises a function that takes so many words.
            unsafe {
                type Word = u64;
                let function: unsafe extern "C" fn(*mut c_void $(, with!(@ $at Word))*) -> u64 = core::mem::transmute(function);
                function(this $(, words[$at])*)
            }
        }};
        (@ $at:literal $word:ident) => { $word };
    }
    match words.len() {
        1 => with!(0),
        2 => with!(0 1),
        3 => with!(0 1 2),
        4 => with!(0 1 2 3),
        5 => with!(0 1 2 3 4),
        6 => with!(0 1 2 3 4 5),
        _ => with!(0 1 2 3 4 5 6),
    }
}

/// What [`native`] can call.
const _: () = {
    let mut at = 0;
    while at < METHODS.len() {
        assert!(!METHODS[at].returns_structure || METHODS[at].params.len() <= 7);
        at += 1;
    }
};

/// The vtable of `interface` with `N` slots: those named in the lists, later lists winning, and [`crate::unsupported`] in
/// the rest.
///
/// # Panics
/// When compiling: if `N` is not the interface's number of slots, or a name in `own` is not one of its methods. Names in
/// `shared` that the interface does not have are passed over.
pub const fn vtable<const N: usize>(interface: InterfaceId, shared: &Slots, own: &Slots) -> Vtable<N> {
    vtable_of_lists(interface, shared, &[own])
}

/// As [`vtable`], for a class whose methods are spread over modules; a method is in one list only.
///
/// # Panics
/// As [`vtable`].
pub const fn vtable_of_lists<const N: usize>(interface: InterfaceId, shared: &Slots, own: &[&Slots]) -> Vtable<N> {
    assert!(interface.slots() as usize == N, "the interface has another number of slots");
    let mut slots = [core::ptr::null(); N];
    let mut at = 0;
    while at < N {
        let Some(method) = interface.slot(at as u16) else { panic!("a slot without a method") };
        slots[at] = <Native as Thunks<Unsupported>>::ALL[method.0 as usize];
        at += 1;
    }
    let mut entry = 0;
    while entry < shared.len() {
        place(interface, &mut slots, shared[entry]);
        entry += 1;
    }
    let mut list = 0;
    while list < own.len() {
        entry = 0;
        while entry < own[list].len() {
            let mut earlier = 0;
            while earlier < list {
                assert!(!has(own[earlier], own[list][entry].0), "two lists have the same method");
                earlier += 1;
            }
            assert!(place(interface, &mut slots, own[list][entry]), "the interface has no method of this name");
            entry += 1;
        }
        list += 1;
    }
    Vtable::new(interface, slots)
}

/// A vtable of `interface` with `N` slots that all hand their calls to a handler: see [`crate::Class::WATCHED`].
///
/// # Panics
/// When compiling: if `N` is not the interface's number of slots.
pub const fn vtable_of_thunks<H: Handler, const N: usize>(interface: InterfaceId) -> Vtable<N>
where
    Native: Thunks<H>,
{
    assert!(interface.slots() as usize == N, "the interface has another number of slots");
    let mut slots = [core::ptr::null(); N];
    let mut at = 0;
    while at < N {
        let Some(method) = interface.slot(at as u16) else { panic!("a slot without a method") };
        slots[at] = <Native as Thunks<H>>::ALL[method.0 as usize];
        at += 1;
    }
    Vtable::new(interface, slots)
}

const fn place(interface: InterfaceId, slots: &mut [*const c_void], entry: (&str, *const c_void)) -> bool {
    let mut at = 0;
    while at < slots.len() {
        let Some(method) = interface.slot(at as u16) else { return false };
        if same(method.get().name, entry.0) {
            slots[at] = entry.1;
            return true;
        }
        at += 1;
    }
    false
}

const fn has(list: &Slots, name: &str) -> bool {
    let mut at = 0;
    while at < list.len() {
        if same(list[at].0, name) {
            return true;
        }
        at += 1;
    }
    false
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}
