//! Slots that a class does not implement: one message each, then the documented failure.

use core::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use reprise_d3d12::abi::{Abi, Handler};
use reprise_d3d12::generated::METHODS;
use reprise_d3d12::model::{Direction, Len, MethodId, Pointee, Type};

use crate::result::E_NOTIMPL;

static SAID: [AtomicBool; METHODS.len()] = [const { AtomicBool::new(false) }; METHODS.len()];

/// Says once a process that a method is not there, and why the picture may be wrong.
#[cold]
pub fn unsupported(method: MethodId, detail: &str) {
    if SAID[usize::from(method.0)].swap(true, Ordering::Relaxed) {
        return;
    }
    let row = method.get();
    let owner = row.interface.map_or("", |interface| interface.get().name);
    reprise_log::warning(format_args!(
        "{owner}::{} is not supported{detail}; the call does nothing or fails",
        row.name
    ));
}

/// Fills the slots that nobody implements.
pub(crate) struct Unsupported;

impl Handler for Unsupported {
    unsafe fn method<A: Abi, const M: u16, const N: usize>(_this: *mut c_void, words: [u64; N]) -> u64 {
        unsupported(MethodId(M), "");
        let method = const { &METHODS[M as usize] };
        if method.returns_structure {
            // SAFETY: word 0 is the caller's place for the structure, as large as what it points to.
            unsafe {
                if let Type::Pointer(to) = method.params[0].ty {
                    let size = to.ty.size(reprise_d3d12::generated::STRUCTS) as usize;
                    core::ptr::write_bytes(words[0] as *mut u8, 0, size);
                }
            }
        }
        // A program must not take what was in the place before for an object.
        for (param, word) in method.params.iter().zip(words) {
            if let (Direction::Out, Type::Pointer(Pointee { ty: Type::Object(_), len: Len::One })) =
                (param.direction, &param.ty)
            {
                let place = word as *mut *mut c_void;
                if !place.is_null() {
                    // SAFETY: the caller's place for an object.
                    unsafe { place.write(core::ptr::null_mut()) };
                }
            }
        }
        match method.result {
            Type::Hresult => E_NOTIMPL as u32 as u64,
            _ => 0,
        }
    }

    unsafe fn function<A: Abi, const M: u16, const N: usize>(_words: [u64; N]) -> u64 {
        unsupported(MethodId(M), "");
        E_NOTIMPL as u32 as u64
    }
}
