//! The decision about one call of an export: passed on, or recorded and forwarded.
//!
//! Invariant: a call by the system's own code, or from within a recorded call of this thread, is passed on.

use core::ffi::{CStr, c_void};
use std::sync::OnceLock;

use reprise_d3d12::model::{Method, MethodId};

use super::names::{Dll, PASSED, RECORDED};
use super::{device, library};
use crate::Convention;
use crate::entry;
use crate::interposition::{private_interfaces, recorded_process::is_recorded};
use crate::model::codec;
use crate::panics::protected;
use reprise_codec::Wide;

/// Most parameters that any recorded export has.
pub(super) const MAX_WORDS: usize = 6;

/// `E_NOTIMPL`: what a program gets for a function that the real DLL does not have.
pub(super) const E_NOTIMPL: u32 = 0x8000_4001;

/// The program's words of a call.
pub(super) type Words = [u64; MAX_WORDS];

/// What is known about a recorded export after its first use.
#[derive(Clone, Copy)]
struct Known {
    address: usize,
    method: Option<MethodId>,
}

static KNOWN: [OnceLock<Option<Known>>; RECORDED.len()] = [const { OnceLock::new() }; RECORDED.len()];

fn known(index: usize) -> Option<Known> {
    *KNOWN[index].get_or_init(|| {
        let export = &RECORDED[index];
        let address = library::real(export.dll)?.export(export.name)? as usize;
        let name = export.name.to_bytes();
        let functions = reprise_d3d12::MODEL.methods.iter().enumerate().rev();
        let mut functions = functions.take_while(|(_, method)| method.interface.is_none());
        let method = functions.find(|(_, method)| method.name.as_bytes() == name);
        Some(Known { address, method: method.map(|(index, _)| MethodId(index as u16)) })
    })
}

/// The real function behind an export that is passed on; null where there is none.
pub(super) fn passed(index: usize) -> *const c_void {
    real_of(PASSED[index].dll, PASSED[index].name)
}

/// The function of this name in the real DLL; null where there is none.
pub(super) fn real_of(dll: Dll, name: &CStr) -> *const c_void {
    protected(None, || library::real(dll)?.export(name)).unwrap_or(core::ptr::null())
}

/// One call of a recorded export.
///
/// # Safety
/// The words are the program's arguments, as many as the function has; `caller` is where it returns to.
pub(super) unsafe fn call(index: usize, words: &Words, caller: *const c_void) -> u64 {
    let Some(known) = protected(None, || known(index)) else { return E_NOTIMPL.into() };
    let method = known.method.filter(|_| !entry::inside() && protected(false, is_recorded));
    let method = method.filter(|_| !protected(true, || library::is_system(caller)));
    let Some(method) = method else {
        // SAFETY: the real function takes these words; those that it does not have lie in registers and on a stack of ours.
        return unsafe { pass(known.address, words) };
    };
    let asks = matches!(RECORDED[index].dll, Dll::D3d12 | Dll::D3d12Core) && method == interface_method();
    // SAFETY: the first two arguments of `D3D12GetInterface` are the ids of a class and of an interface.
    if asks && unsafe { private_interfaces::asked_for(words[0] as *const c_void, words[1] as *const c_void) } {
        // SAFETY: the real function takes these words.
        return unsafe { pass(known.address, words) };
    }
    codec::set_wide(Wide::Bits16);
    let words = sized(method.get(), words);
    let count = method.get().params.len().min(MAX_WORDS);
    // SAFETY: the function has the method's signature in this convention; the words are the program's own.
    let value =
        unsafe { entry::call_function(Convention::Win64, method, known.address as *const c_void, &words[..count]) };
    if RECORDED[index].name == c"D3D12CreateDevice" && value as i32 >= 0 {
        // SAFETY: the fourth argument of a call that succeeded is null, or where the device is.
        protected((), || unsafe { device::made(words[3] as *const *mut c_void) });
    }
    value
}

fn interface_method() -> MethodId {
    const METHOD: MethodId = reprise_d3d12::function("D3D12GetInterface");
    METHOD
}

/// # Safety
/// The function at `address` takes at most these words.
unsafe fn pass(address: usize, words: &Words) -> u64 {
    let [a, b, c, d, e, f] = *words;
    // SAFETY: an exported function of integers and pointers; surplus words are ignored.
    unsafe {
        let function = core::mem::transmute::<
            *const c_void,
            unsafe extern "win64" fn(u64, u64, u64, u64, u64, u64) -> u64,
        >(address as *const c_void);
        function(a, b, c, d, e, f)
    }
}

/// Arguments as the model wants them: one word each, zero-extended from the parameter's size.
fn sized(method: &Method, words: &Words) -> Words {
    let mut sized = *words;
    for (word, parameter) in sized.iter_mut().zip(method.params) {
        let size = parameter.ty.size(reprise_d3d12::MODEL.structs);
        if size < 8 {
            *word &= (1 << (size * 8)) - 1;
        }
    }
    sized
}
