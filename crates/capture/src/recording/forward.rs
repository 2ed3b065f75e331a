//! The call of the real function from argument words; straight-line code where the method is known at compile time.
//!
//! Invariant: every method can be called. This file writes out the common shapes; [`reprise_d3d12::abi::call`] has all of them.

use core::ffi::c_void;
use reprise_d3d12::abi::{self, Abi, Convention};
use reprise_d3d12::generated::{METHODS, STRUCTS};
use reprise_d3d12::model::Type;

/// Which parameters are 32-bit floats, as bits; all bits for methods with other parameters that do not go by word, and for those whose
/// out pointer does not come second in every convention.
const fn floats(id: u16) -> u32 {
    if METHODS[id as usize].returns_structure {
        return u32::MAX;
    }
    let params = METHODS[id as usize].params;
    let mut bits = 0;
    let mut at = 0;
    while at < params.len() {
        match params[at].ty {
            Type::F32 => bits |= 1 << at,
            Type::F64 => return u32::MAX,
            ty if ty.size(STRUCTS) > 8 => return u32::MAX,
            _ => {}
        }
        at += 1;
    }
    bits
}

/// Calls method `M` of a real object.
///
/// # Safety
/// `function` is the method's in convention `A`, `this` its object, `words` its valid arguments.
#[inline(always)]
pub(crate) unsafe fn method<A: Abi, const M: u16>(function: *const c_void, this: *mut c_void, words: &[u64]) -> u64 {
    macro_rules! typed {
        ($convention:literal ($($arg:expr => $ty:ty),*)) => {{
            // SAFETY: the types are those of the method's parameters, as words; the rest is the caller's promise.
            unsafe {
                let function = core::mem::transmute::<
                    *const c_void,
                    unsafe extern $convention fn(*mut c_void, $($ty),*) -> u64,
                >(function);
                function(this, $($arg),*)
            }
        }};
        (both ($($args:tt)*)) => {
            match A::CONVENTION {
                Convention::Win64 => typed!("win64" ($($args)*)),
                Convention::SystemV | Convention::Itanium => typed!("sysv64" ($($args)*)),
            }
        };
    }
    macro_rules! words {
        ($($at:literal)*) => { typed!(both ($(words[$at] => u64),*)) };
    }
    let float = |at: usize| f32::from_bits(words[at] as u32);
    match const { (METHODS[M as usize].params.len(), floats(M)) } {
        (0, 0) => words!(),
        (1, 0) => words!(0),
        (2, 0) => words!(0 1),
        (3, 0) => words!(0 1 2),
        (4, 0) => words!(0 1 2 3),
        (5, 0) => words!(0 1 2 3 4),
        (6, 0) => words!(0 1 2 3 4 5),
        (7, 0) => words!(0 1 2 3 4 5 6),
        (8, 0) => words!(0 1 2 3 4 5 6 7),
        (9, 0) => words!(0 1 2 3 4 5 6 7 8),
        (10, 0) => words!(0 1 2 3 4 5 6 7 8 9),
        (1, 0b1) => typed!(both (float(0) => f32)),
        (2, 0b11) => typed!(both (float(0) => f32, float(1) => f32)),
        (3, 0b111) => typed!(both (float(0) => f32, float(1) => f32, float(2) => f32)),
        (6, 0b100) => typed!(both (
            words[0] => u64, words[1] => u64, float(2) => f32, words[3] => u64, words[4] => u64, words[5] => u64
        )),
        // SAFETY: the caller passes the method's function, its object and valid words.
        _ => unsafe { abi::call(A::CONVENTION, function, Some(this), words, &METHODS[M as usize]) },
    }
}
