//! The function in every slot of our vtables: straight-line code for light methods, the model's tables for all others.

use crate::panics::protected;
use crate::recording::heed::{self, COPY, RESET};
use crate::recording::{forward, heavy, light, steps, unknown};
use crate::session::active;
use crate::wrapper::blind;
use crate::wrapper::object::Chain;
use crate::{Convention, markers, model};
use core::ffi::c_void;
use reprise_d3d12::abi::{Abi, Handler, Itanium, SystemV, Vtables, Win64};
use reprise_d3d12::interface;
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::operation::is_work;

/// Makes thunks that record.
pub(crate) enum Record {}

impl Handler for Record {
    #[inline(always)]
    unsafe fn method<A: Abi, const M: u16, const N: usize>(this: *mut c_void, words: [u64; N]) -> u64 {
        // SAFETY: our vtables are only those of chains.
        let chain = unsafe { &*this.cast::<Chain>() };
        if const { steps::is_light(M) } {
            // SAFETY: a light method; object, function and words belong together.
            unsafe {
                light::call::<M>(chain, &words, |function, real, words| forward::method::<A, M>(function, real, words))
            }
        } else {
            // SAFETY: chain and words are the program's.
            unsafe { heavy::method(chain, MethodId(M), &words) }
        }
    }

    /// Exported functions have trampolines of their own, which find the real function; no vtable leads here.
    unsafe fn function<A: Abi, const M: u16, const N: usize>(_words: [u64; N]) -> u64 {
        NOT_IMPLEMENTED
    }
}

/// Makes thunks that record an operation of a list between two markers (`capture --markers`).
pub(crate) enum Mark {}

impl Handler for Mark {
    #[inline(always)]
    unsafe fn method<A: Abi, const M: u16, const N: usize>(this: *mut c_void, words: [u64; N]) -> u64 {
        if !const { steps::is_of_lists(M) } {
            return NOT_IMPLEMENTED;
        }
        // SAFETY: our vtables are only those of chains.
        let chain = unsafe { &*this.cast::<Chain>() };
        if const { M == RESET.0 } {
            // SAFETY: the program calls this method of an object of ours with these words; they are passed on as they are.
            let result = unsafe { Record::method::<A, M, N>(this, words) };
            if (result as i32) >= 0 {
                protected((), || markers::begin(chain));
            }
            return result;
        }
        // SAFETY: the program calls an operation of a list that it holds.
        let operation = protected(None, || unsafe { markers::before(chain) });
        // SAFETY: the program calls this method of an object of ours with these words; they are passed on as they are.
        let result = unsafe { Record::method::<A, M, N>(this, words) };
        if let Some(operation) = operation {
            // SAFETY: the program has called the operation just now.
            protected((), || unsafe { markers::after(&operation) });
        }
        result
    }

    unsafe fn function<A: Abi, const M: u16, const N: usize>(_words: [u64; N]) -> u64 {
        NOT_IMPLEMENTED
    }
}

/// Makes thunks that record a call of a list or a queue, and heed what it says of frames.
pub(crate) enum Heed {}

impl Handler for Heed {
    #[inline(always)]
    unsafe fn method<A: Abi, const M: u16, const N: usize>(this: *mut c_void, words: [u64; N]) -> u64 {
        if !const { heed::may_tell(M) } {
            return NOT_IMPLEMENTED;
        }
        // SAFETY: the program calls this method of an object of ours with these words; they are passed on as they are.
        let result = unsafe {
            match const { M == RESET.0 || M == COPY.0 } && markers::wanted() {
                true => Mark::method::<A, M, N>(this, words),
                false => Record::method::<A, M, N>(this, words),
            }
        };
        // SAFETY: our vtables are only those of chains.
        let chain = unsafe { &*this.cast::<Chain>() };
        if active::records() {
            // SAFETY: the words are the program's, for a call that has returned.
            protected((), || unsafe { heed::after(chain, MethodId(M), &words, result) });
        }
        result
    }

    unsafe fn function<A: Abi, const M: u16, const N: usize>(_words: [u64; N]) -> u64 {
        NOT_IMPLEMENTED
    }
}

/// `E_NOTIMPL`.
const NOT_IMPLEMENTED: u64 = 0x8000_4001;

/// The slots of a family's vtable; of the blind one for `None`.
pub(crate) fn slots(convention: Convention, family: Option<InterfaceId>) -> Vec<usize> {
    let mut slots: Vec<usize> = match (family, convention) {
        (None, convention) => (0..blind::SLOTS).map(|slot| blind::slot(convention, slot)).collect(),
        (Some(family), Convention::Win64) => addresses(Vtables::<Record, Win64>::of(family)),
        (Some(family), Convention::SystemV) => addresses(Vtables::<Record, SystemV>::of(family)),
        (Some(family), Convention::Itanium) => addresses(Vtables::<Record, Itanium>::of(family)),
    };
    if let Some(family) = family.filter(|family| *family == interface("ID3D12GraphicsCommandList").family())
        && markers::wanted()
    {
        let marked = match convention {
            Convention::Win64 => Vtables::<Mark, Win64>::of(family),
            Convention::SystemV => Vtables::<Mark, SystemV>::of(family),
            Convention::Itanium => Vtables::<Mark, Itanium>::of(family),
        };
        for (index, (slot, marked)) in slots.iter_mut().zip(marked).enumerate() {
            let id = family.slot(index as u16);
            if id.is_some_and(|id| id == RESET || is_work(id.get())) {
                *slot = *marked as usize;
            }
        }
    }
    if let Some(family) = family {
        let heeding = |index: u16| family.slot(index).is_some_and(|id| heed::tells(convention, id));
        if (0..slots.len() as u16).any(heeding) {
            let heeded = match convention {
                Convention::Win64 => Vtables::<Heed, Win64>::of(family),
                Convention::SystemV => Vtables::<Heed, SystemV>::of(family),
                Convention::Itanium => Vtables::<Heed, Itanium>::of(family),
            };
            for (index, (slot, heeded)) in slots.iter_mut().zip(heeded).enumerate() {
                if heeding(index as u16) {
                    *slot = *heeded as usize;
                }
            }
        }
    }
    if family.is_none_or(model::has_unknown) {
        slots[..3].copy_from_slice(&unknown::slots(convention));
    }
    slots
}

fn addresses(slots: &[*const c_void]) -> Vec<usize> {
    slots.iter().map(|slot| *slot as usize).collect()
}
