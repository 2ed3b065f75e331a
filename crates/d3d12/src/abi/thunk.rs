//! Thunks: functions with a method's machine signature that hand its argument words to a generic handler.
//!
//! A thunk is generic over the handler `H` and the method `M`; everything it needs to know of the method is a constant, so
//! that a handler marked `#[inline(always)]` becomes part of it, with `&METHODS[M]` folded.
//!
//! ```
//! use reprise_d3d12::abi::{Abi, Handler, Vtables, Win64};
//! use reprise_d3d12::{interface, model::Method};
//! use core::ffi::c_void;
//!
//! struct Count;
//! impl Handler for Count {
//!     unsafe fn method<A: Abi, const M: u16, const N: usize>(_this: *mut c_void, words: [u64; N]) -> u64 {
//!         let method: &'static Method = const { &reprise_d3d12::generated::METHODS[M as usize] };
//!         assert_eq!(method.params.len(), words.len());
//!         N as u64
//!     }
//!     unsafe fn function<A: Abi, const M: u16, const N: usize>(_words: [u64; N]) -> u64 { 0 }
//! }
//! let vtable = Vtables::<Count, Win64>::of(interface("ID3D12Fence1"));
//! assert_eq!(vtable.len(), 12);
//! ```

use super::{Abi, Itanium, Returned, SystemV, Win64, returned};
use crate::generated::{INTERFACES, METHODS, STRUCTS};
use crate::model::InterfaceId;
use core::ffi::c_void;
use core::marker::PhantomData;

/// What a set of thunks does with calls.
pub trait Handler: 'static {
    /// Called for method `M` (an index into `METHODS`) with its `N` argument words, each zero-extended from its parameter's
    /// size; a structure of 16 bytes by value is a pointer that is valid during the call. Gives the result's bits; what it
    /// gives for a method that returns a structure is ignored. `A` is the convention of this very call: tables of
    /// [`Itanium`] have System V's thunks for all methods that return no structure.
    ///
    /// # Safety
    /// `this` and the words are what a caller of the method passed.
    unsafe fn method<A: Abi, const M: u16, const N: usize>(this: *mut c_void, words: [u64; N]) -> u64;

    /// The same for an exported function.
    ///
    /// # Safety
    /// The words are what a caller of the function passed.
    unsafe fn function<A: Abi, const M: u16, const N: usize>(words: [u64; N]) -> u64;
}

/// The thunks of one convention for one handler.
pub trait Thunks<H: Handler>: Abi {
    /// By [`crate::model::MethodId`], functions included.
    const ALL: &'static [*const c_void; METHODS.len()];
}

/// Vtables made of thunks.
pub struct Vtables<H, A>(PhantomData<(H, A)>);

/// Slots of all interfaces together.
const TOTAL: usize = {
    let mut total = 0;
    let mut at = 0;
    while at < INTERFACES.len() {
        total += InterfaceId(at as u16).slots() as usize;
        at += 1;
    }
    total
};

/// Where each interface's slots begin, and the method in each slot.
const PLAN: (&[usize; INTERFACES.len() + 1], &[u16; TOTAL]) = {
    const STARTS_AND_SLOTS: ([usize; INTERFACES.len() + 1], [u16; TOTAL]) = {
        let mut starts = [0; INTERFACES.len() + 1];
        let mut slots = [0; TOTAL];
        let mut next = 0;
        let mut at = 0;
        while at < INTERFACES.len() {
            starts[at] = next;
            let id = InterfaceId(at as u16);
            let mut slot = 0;
            while slot < id.slots() {
                slots[next] = match id.slot(slot) {
                    Some(method) => method.0,
                    None => panic!("a slot without a method"),
                };
                next += 1;
                slot += 1;
            }
            at += 1;
        }
        starts[at] = next;
        (starts, slots)
    };
    (&STARTS_AND_SLOTS.0, &STARTS_AND_SLOTS.1)
};

impl<H: Handler, A: Thunks<H>> Vtables<H, A> {
    const SLOTS: &'static [*const c_void; TOTAL] = &{
        let mut slots = [core::ptr::null(); TOTAL];
        let mut at = 0;
        while at < TOTAL {
            slots[at] = A::ALL[PLAN.1[at] as usize];
            at += 1;
        }
        slots
    };

    /// The vtable of an interface, inherited slots first. Objects usually have that of their newest interface
    /// ([`InterfaceId::family`]), which serves the older ones as well.
    pub fn of(interface: InterfaceId) -> &'static [*const c_void] {
        let at = usize::from(interface.0);
        &Self::SLOTS[PLAN.0[at]..PLAN.0[at + 1]]
    }
}

/// Bits of a word that belong to parameter `at` of method `method`.
pub const fn mask(method: u16, at: usize) -> u64 {
    match METHODS[method as usize].params[at].ty.size(STRUCTS) {
        1 => 0xff,
        2 => 0xffff,
        4 => 0xffff_ffff,
        _ => u64::MAX,
    }
}

/// Whether the method returns a structure through its parameter 0.
pub const fn returns_structure(method: u16) -> bool {
    METHODS[method as usize].returns_structure
}

/// A structure of 16 bytes by value, as System V passes it: in two integer registers, or in memory when fewer are left.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Big(pub u64, pub u64);

/// The Rust type of an argument.
#[macro_export]
#[doc(hidden)]
macro_rules! argument {
    (win64 i) => { u64 };
    (win64 s) => { f32 };
    (win64 d) => { f64 };
    (win64 b) => { *const $crate::abi::thunk::Big };
    (sysv64 i) => { u64 };
    (sysv64 s) => { f32 };
    (sysv64 d) => { f64 };
    (sysv64 b) => { $crate::abi::thunk::Big };
}

/// The word of an argument.
#[macro_export]
#[doc(hidden)]
macro_rules! word {
    ($abi:tt i $arg:ident $at:literal $method:expr) => {
        $arg & const { $crate::abi::thunk::mask($method, $at) }
    };
    ($abi:tt s $arg:ident $at:literal $method:expr) => {
        $arg.to_bits() as u64
    };
    ($abi:tt d $arg:ident $at:literal $method:expr) => {
        $arg.to_bits()
    };
    (win64 b $arg:ident $at:literal $method:expr) => {
        $arg as u64
    };
    (sysv64 b $arg:ident $at:literal $method:expr) => {
        &raw const $arg as u64
    };
}

/// The thunks' bodies, one a shape.
macro_rules! shape {
    ($abi:tt $text:literal $marker:ty, m $name:ident($($arg:ident $at:tt $kind:tt),*)) => {
        pub(super) unsafe extern $text fn $name<H: Handler, const M: u16>(
            this: *mut c_void, $($arg: $crate::argument!($abi $kind)),*
        ) -> u64 {
            let words = [$($crate::word!($abi $kind $arg $at M)),*];
            // SAFETY: `this` and the words are the caller's, as the handler demands.
            let result = unsafe { H::method::<$marker, M, _>(this, words) };
            match words.first() {
                Some(out) if const { returns_structure(M) } => *out,
                _ => result,
            }
        }
    };
    ($abi:tt $text:literal $marker:ty, f $name:ident($($arg:ident $at:tt $kind:tt),*)) => {
        pub(super) unsafe extern $text fn $name<H: Handler, const M: u16>($($arg: $crate::argument!($abi $kind)),*) -> u64 {
            let words = [$($crate::word!($abi $kind $arg $at M)),*];
            // SAFETY: the words are the caller's, as the handler demands.
            unsafe { H::function::<$marker, M, _>(words) }
        }
    };
}

/// The thunk of a shape in [`Itanium`], which [`returned`] chooses. Methods whose first word is no pointer return no structure.
macro_rules! itanium {
    (m $name:ident(a0 0 i $(,$arg:ident $at:tt $kind:tt)*)) => {
        pub(super) const fn $name<H: Handler, const M: u16>() -> *const c_void {
            unsafe extern "sysv64" fn registers<H: Handler, const M: u16>(
                this: *mut c_void, $($arg: $crate::argument!(sysv64 $kind)),*
            ) -> Big {
                let mut out = Big(0, 0);
                let words = [&raw mut out as u64, $($crate::word!(sysv64 $kind $arg $at M)),*];
                // SAFETY: `this` and the words are the caller's, and the out pointer has room for the structure.
                unsafe { H::method::<Itanium, M, _>(this, words) };
                out
            }
            unsafe extern "sysv64" fn memory<H: Handler, const M: u16>(
                out: u64, this: *mut c_void, $($arg: $crate::argument!(sysv64 $kind)),*
            ) -> u64 {
                let words = [out, $($crate::word!(sysv64 $kind $arg $at M)),*];
                // SAFETY: `this` and the words are the caller's, as the handler demands.
                unsafe { H::method::<Itanium, M, _>(this, words) };
                out
            }
            match returned(&METHODS[M as usize]) {
                Returned::Nothing => sysv64::$name::<H, M> as *const c_void,
                Returned::Registers => registers::<H, M> as *const c_void,
                Returned::Memory => memory::<H, M> as *const c_void,
            }
        }
    };
    ($class:tt $name:ident $args:tt) => {
        pub(super) const fn $name<H: Handler, const M: u16>() -> *const c_void {
            sysv64::$name::<H, M> as *const c_void
        }
    };
}

/// All shapes in all conventions.
macro_rules! shapes {
    ($($class:tt $name:ident $args:tt;)*) => {
        #[allow(clippy::too_many_arguments)]
        mod win64 {
            use super::*;
            $(shape!(win64 "win64" Win64, $class $name $args);)*
        }
        #[allow(clippy::too_many_arguments)]
        mod sysv64 {
            use super::*;
            $(shape!(sysv64 "sysv64" SystemV, $class $name $args);)*
        }
        #[allow(clippy::too_many_arguments)]
        mod itanium {
            use super::*;
            $(itanium!($class $name $args);)*
        }
    };
}

/// The table of all methods' thunks, by shape.
macro_rules! thunk_list {
    ($($name:ident $method:literal,)*) => {
        impl<H: Handler> Thunks<H> for Win64 {
            const ALL: &'static [*const c_void; METHODS.len()] = &[$(win64::$name::<H, $method> as *const c_void,)*];
        }
        impl<H: Handler> Thunks<H> for SystemV {
            const ALL: &'static [*const c_void; METHODS.len()] = &[$(sysv64::$name::<H, $method> as *const c_void,)*];
        }
        impl<H: Handler> Thunks<H> for Itanium {
            const ALL: &'static [*const c_void; METHODS.len()] = &[$(itanium::$name::<H, $method>(),)*];
        }
    };
}

/// The exported function itself; used by [`export!`](crate::export).
#[macro_export]
#[doc(hidden)]
macro_rules! export_as {
    ($handler:ty, $abi:tt $text:literal $marker:ty, $name:ident, $method:literal, ($($arg:ident $at:tt $kind:tt),*)) => {
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, missing_docs, clippy::missing_safety_doc, clippy::too_many_arguments)]
        pub unsafe extern $text fn $name($($arg: $crate::argument!($abi $kind)),*) -> u64 {
            let words = [$($crate::word!($abi $kind $arg $at $method)),*];
            // SAFETY: the words are the caller's, as the handler demands.
            unsafe { <$handler as $crate::abi::Handler>::function::<$marker, $method, _>(words) }
        }
    };
}

/// Exports functions of the API by name: `export!(MyHandler, win64, D3D12CreateDevice);` (or `sysv64`, `itanium`).
#[macro_export]
macro_rules! export {
    ($handler:ty, win64, $name:ident) => {
        $crate::export_named!($name, $handler, win64 "win64" $crate::abi::Win64);
    };
    ($handler:ty, sysv64, $name:ident) => {
        $crate::export_named!($name, $handler, sysv64 "sysv64" $crate::abi::SystemV);
    };
    ($handler:ty, itanium, $name:ident) => {
        $crate::export_named!($name, $handler, sysv64 "sysv64" $crate::abi::Itanium);
    };
}

include!("../generated/thunks.rs");
