//! The function tables behind COM pointers, and what every thunk runs first.

use crate::{object, runtime};
use core::ffi::c_void;
use reprise_d3d12::abi::{Abi, Convention, Handler, Itanium, SystemV, Vtables, Win64};
use reprise_d3d12::generated::METHODS;
use reprise_d3d12::model::{InterfaceId, MethodId, Type};

/// The handler of all thunks: the runtime.
pub struct Null;

/// Whether a call of this method may return at once when nobody looks: nothing comes back from it.
const fn light(method: u16) -> bool {
    let row = &METHODS[method as usize];
    if !matches!(row.result, Type::Void) || row.returns_structure {
        return false;
    }
    let mut at = 0;
    while at < row.params.len() {
        if !matches!(row.params[at].direction, reprise_d3d12::model::Direction::In) {
            return false;
        }
        at += 1;
    }
    true
}

impl Handler for Null {
    #[inline(always)]
    unsafe fn method<A: Abi, const M: u16, const N: usize>(this: *mut c_void, words: [u64; N]) -> u64 {
        if const { light(M) } && crate::control::idle() {
            return 0;
        }
        // SAFETY: `this` is the object that the program calls, and the words are its arguments.
        unsafe { runtime::call(A::CONVENTION, MethodId(M), this, &words) }
    }

    unsafe fn function<A: Abi, const M: u16, const N: usize>(words: [u64; N]) -> u64 {
        object::fill_with(vtable);
        if const { matches!(A::CONVENTION, Convention::Itanium) } {
            crate::set_wide(4);
        }
        // SAFETY: the words are the program's arguments of this function.
        unsafe { runtime::call(A::CONVENTION, MethodId(M), core::ptr::null_mut(), &words) }
    }
}

pub(crate) fn vtable(convention: Convention, family: InterfaceId) -> *const c_void {
    match convention {
        Convention::Win64 => Vtables::<Null, Win64>::of(family).as_ptr().cast(),
        Convention::SystemV => Vtables::<Null, SystemV>::of(family).as_ptr().cast(),
        Convention::Itanium => Vtables::<Null, Itanium>::of(family).as_ptr().cast(),
    }
}

/// Exports every function of the API under its own name, in `win64`, `sysv64` or `itanium`, and reads the environment when the
/// library is loaded. For shared libraries.
#[macro_export]
macro_rules! export_runtime {
    ($abi:tt: $($name:ident),* $(,)?) => {
        $(reprise_d3d12::export!($crate::Null, $abi, $name);)*

        /// Run by the loader.
        #[used]
        #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
        #[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
        static START: extern "C" fn() = {
            extern "C" fn start() {
                if let Err(message) = $crate::control::from_environment() {
                    eprintln!("null runtime: {message}");
                    std::process::exit(2);
                }
            }
            start
        };
    };
}
