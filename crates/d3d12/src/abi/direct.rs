//! Calling methods whose arguments are all passed as integers, without laying out registers and stack for each call.
//!
//! Invariant: a method is callable this way only where all conventions pass each of its words in one integer register or
//! one word of the stack, so that the callee reads what [`call`](super::call()) would have passed.

use super::Convention;
use crate::generated::STRUCTS;
use crate::model::{Method, Type};
use core::ffi::c_void;

/// Most words besides `this`.
const MOST: usize = 10;

/// A method without result that can be called directly: its slot and the number of its words.
#[derive(Clone, Copy, Debug)]
pub struct Direct {
    slot: usize,
    words: usize,
}

/// A function type of `this` and as many words as there are names.
macro_rules! make {
    ($abi:literal, $function:expr, $this:expr, $words:expr, $($at:literal)*) => {{
        // SAFETY: by the caller's contract, the function takes `this` and so many integers.
        unsafe {
            let function: unsafe extern $abi fn(*mut c_void $(, make!(@word $at))*) = core::mem::transmute($function);
            function($this $(, $words[$at])*)
        }
    }};
    (@word $at:literal) => { u64 };
}

/// The call with as many words as there are.
macro_rules! with {
    ($abi:literal, $function:expr, $this:expr, $words:expr) => {
        match $words.len() {
            0 => make!($abi, $function, $this, $words,),
            1 => make!($abi, $function, $this, $words, 0),
            2 => make!($abi, $function, $this, $words, 0 1),
            3 => make!($abi, $function, $this, $words, 0 1 2),
            4 => make!($abi, $function, $this, $words, 0 1 2 3),
            5 => make!($abi, $function, $this, $words, 0 1 2 3 4),
            6 => make!($abi, $function, $this, $words, 0 1 2 3 4 5),
            7 => make!($abi, $function, $this, $words, 0 1 2 3 4 5 6),
            8 => make!($abi, $function, $this, $words, 0 1 2 3 4 5 6 7),
            9 => make!($abi, $function, $this, $words, 0 1 2 3 4 5 6 7 8),
            _ => make!($abi, $function, $this, $words, 0 1 2 3 4 5 6 7 8 9),
        }
    };
}

impl Direct {
    /// `None` where a method has a result, or words that are not passed as integers.
    pub fn new(method: &Method) -> Option<Self> {
        let integer =
            |ty: Type| !matches!(ty, Type::F32 | Type::F64) && matches!(ty.size(STRUCTS), 1 | 2 | 4 | 8) && !floats(ty);
        let fits = method.params.len() <= MOST && method.params.iter().all(|field| integer(field.ty));
        let plain = fits && method.interface.is_some() && matches!(method.result, Type::Void);
        plain.then_some(Self { slot: usize::from(method.slot), words: method.params.len() })
    }

    /// Calls the method on `this`.
    ///
    /// # Safety
    /// `this` is a live COM object of this convention that has the method's interface; the words are valid arguments.
    ///
    /// # Panics
    /// When the number of words is not the method's number of parameters.
    #[inline]
    pub unsafe fn call(&self, convention: Convention, this: *mut c_void, words: &[u64]) {
        assert_eq!(words.len(), self.words);
        // SAFETY: a COM object begins with the address of its table, which has a function in each slot of its interface.
        let function = unsafe { *(*this.cast::<*const *const c_void>()).add(self.slot) };
        match convention {
            Convention::SystemV | Convention::Itanium => with!("sysv64", function, this, words),
            Convention::Win64 => with!("win64", function, this, words),
        }
    }
}

/// Whether a structure by value has floats, which System V passes in other registers.
fn floats(ty: Type) -> bool {
    let Type::Struct(id) = ty else { return false };
    STRUCTS[usize::from(id.0)].fields.iter().any(|field| matches!(field.ty, Type::F32 | Type::F64) || floats(field.ty))
}
