//! The straight-line path: calls whose arguments are numbers, handles, objects and short arrays of these.
//!
//! Everything that depends on the method alone is a constant here, so that a thunk becomes: room in the ring, header,
//! arguments, publish, real call. Invariant: the bytes are those that [`reprise_codec::Codec::encode_enter`] writes for the
//! same call (a test compares them for every light method); no locks, no allocation, no system calls, no time stamp.

use crate::real;
use crate::recording::heavy;
use crate::recording::object_places::ObjectPlaces;
use crate::recording::steps::{Count, MAX_PARAMS, Step, deep, has_gap, offset_of, reads, sites, step_of, steps};
use crate::session::recorder::Recorder;
use crate::session::{thread, words};
use crate::wrapper::object::{self, Chain};
use core::ffi::c_void;
use core::mem::MaybeUninit;
use reprise_d3d12::MODEL;
use reprise_d3d12::generated::{METHODS, STRUCTS};
use reprise_d3d12::model::{MethodId, Order, render_target_handles};
use reprise_trace::record::{AFTER, Kind, LEAVES, ORDERED, SEQUENCE};
use reprise_trace::ring::Reading;

/// A call with more payload than this, in bytes, takes the other path.
const MAX_PAYLOAD: usize = 4096;
/// So does one with more bytes than this in arrays that hold objects, which are copied on the stack: 32 barriers.
const MAX_COPY: usize = 1024;

/// Bytes of the elements behind an argument; huge where the count makes no sense.
#[inline(always)]
fn bytes(element: u32, count: Count, words: &[u64]) -> u64 {
    u64::from(element).saturating_mul(elements(count, words))
}

#[inline(always)]
fn elements(count: Count, words: &[u64]) -> u64 {
    match count {
        Count::Const(count) => count.into(),
        Count::Field(at, size) => masked(words[at as usize], size),
        Count::Targets(at, single) => {
            render_target_handles(masked(words[at as usize], 4), masked(words[single as usize], 4) != 0)
        }
    }
}

#[inline(always)]
fn masked(word: u64, size: u32) -> u64 {
    if size >= 8 { word } else { word & ((1 << (size * 8)) - 1) }
}

/// Copies `size` bytes, padded with zeros to 8. A loop of words, kept from becoming a call.
///
/// # Safety
/// `from` is readable for `size` bytes, `to` writable for the padded size.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, size: usize) {
    // SAFETY: every access lies within `size` bytes of `from` or the padded size of `to`, which is aligned to 8.
    unsafe {
        let whole = size & !7;
        let mut at = 0;
        while at < whole {
            to.add(at).cast::<u64>().write_volatile(from.add(at).cast::<u64>().read_unaligned());
            at += 8;
        }
        let rest = size - whole;
        if rest == 4 {
            to.add(at).cast::<u64>().write(from.add(at).cast::<u32>().read_unaligned().into());
        } else if rest != 0 {
            let mut last = 0u64;
            let mut byte = 0;
            while byte < rest {
                last |= u64::from(from.add(at + byte).read()) << (byte * 8);
                byte += 1;
            }
            to.add(at).cast::<u64>().write(last);
        }
    }
}

/// Repeats a body with a constant for each possible parameter.
macro_rules! each {
    ($index:ident => $body:block) => {
        each!(@ $index $body 0 1 2 3 4 5 6 7 8 9 10 11)
    };
    (@ $index:ident $body:block $($number:literal)*) => {
        $({ const $index: usize = $number; if const { $index < steps(M) } $body })*
    };
}

/// Records and forwards a light call. `forward` gets the real function, the real object and the words for it.
///
/// # Safety
/// `M` is light; `chain` is what the program called, `words` are its arguments.
#[inline(always)]
pub(crate) unsafe fn call<const M: u16>(
    chain: &Chain,
    words: &[u64],
    forward: impl FnOnce(*const c_void, *mut c_void, &[u64]) -> u64,
) -> u64 {
    let here = words::words();
    let recorder = thread::recorder_of_call(here);
    let leaves = const { matches!(METHODS[M as usize].order, Order::EnterLeave) };
    let mut entered = false;
    if const { deep(M) } {
        let mut copied = 0u64;
        each!(I => {
            if let Step::Deep(element, count) = const { step_of(M, I) }
                && words[I] != 0
            {
                copied = copied.saturating_add(bytes(element, count, words));
            }
        });
        if copied > MAX_COPY as u64 {
            // SAFETY: the caller passes the program's arguments of this method on this chain.
            return unsafe { otherwise(chain, M, words) };
        }
    }
    if !recorder.is_null() {
        let mut size = const { METHODS[M as usize].args_size as usize };
        each!(I => {
            if let Step::Array(element, count) | Step::Deep(element, count) = const { step_of(M, I) }
                && words[I] != 0
            {
                let bytes = bytes(element, count, words);
                // Byte buffers from a size on are blobs.
                let most = if element == 1 { reprise_codec::wire::BLOB_BYTES - 1 } else { MAX_PAYLOAD as u64 };
                if bytes > most {
                    // SAFETY: the caller passes the program's arguments of this method on this chain.
                    return unsafe { otherwise(chain, M, words) };
                }
                size += 8 + (bytes as usize).next_multiple_of(8);
            }
        });
        if size > MAX_PAYLOAD {
            // SAFETY: the caller passes the program's arguments of this method on this chain.
            return unsafe { otherwise(chain, M, words) };
        }
        // SAFETY: this thread's recorder; the arguments are the program's.
        entered = unsafe { enter::<M>(&mut *recorder, chain, words, size) };
    }

    let mut real = [0u64; MAX_PARAMS];
    let mut copies = MaybeUninit::<[u64; MAX_COPY / 8]>::uninit();
    let mut room = copies.as_mut_ptr().cast::<u8>();
    each!(I => {
        real[I] = match const { step_of(M, I) } {
            // SAFETY: object arguments are null or COM pointers.
            Step::Object => match unsafe { object::from_pointer(words[I] as *mut c_void) } {
                Some(chain) => chain.real() as u64,
                None => words[I],
            },
            Step::Deep(element, count) if words[I] != 0 => {
                let (number, from, to) = (elements(count, words) as usize, words[I] as *const u8, room);
                if let Some(sites) = const { &sites(M, I) } {
                    // SAFETY: the program's elements; their sum was compared with the room.
                    unsafe { unwrap(sites, element as usize, number, from, to) };
                }
                room = room.wrapping_add(number * element as usize);
                to as u64
            }
            _ => words[I],
        };
    });
    let _ = room;
    let this = chain.real();
    let depth = here.depth.get();
    here.depth.set(depth + 1);
    // SAFETY: the program may call this slot, so the real object has it.
    let function = unsafe { real::slot(this, const { METHODS[M as usize].slot as usize }) };
    let result = forward(function, this, &real[..const { steps(M) }]);
    here.depth.set(depth);
    if entered {
        // SAFETY: this thread's recorder, which lives at least until the thread is past the program's code.
        let producer = unsafe { &mut (*recorder).producer };
        if leaves {
            if let Some(to) = producer.begin(Kind::Leave, M, SEQUENCE, chain.id, 0, 8) {
                let size = const { METHODS[M as usize].result.size(STRUCTS) };
                // SAFETY: `begin` gave room for 8 bytes.
                unsafe { to.cast::<u64>().write(masked(result, size)) };
                producer.publish();
            }
        } else {
            producer.leave_call();
        }
    }
    result
}

/// Writes the enter record; false where the thread has stopped recording.
///
/// # Safety
/// As [`call`]; `size` is the payload's.
#[inline(always)]
unsafe fn enter<const M: u16>(recorder: &mut Recorder, chain: &Chain, words: &[u64], size: usize) -> bool {
    let by_object = const { matches!(METHODS[M as usize].order, Order::Object) };
    let leaves = const { matches!(METHODS[M as usize].order, Order::EnterLeave) };
    let (flags, ordinal) = if by_object {
        (ORDERED | AFTER, heavy::next_ordinal(&chain.identity().ordinal))
    } else {
        (if leaves { SEQUENCE | LEAVES } else { SEQUENCE }, 0)
    };
    let producer = &mut recorder.producer;
    let Some(to) = producer.begin(Kind::Enter, M, flags, chain.id, ordinal, size) else {
        thread::refused();
        return false;
    };
    // SAFETY: `begin` gave room for `size` bytes: the argument block, and the children counted by the caller.
    unsafe {
        each!(I => {
            // There are never more words than parameters.
            if const { has_gap(M, I) } {
                to.add(I * 8).cast::<u64>().write(0);
            }
        });
        each!(I => {
            let at = to.add(const { offset_of(M, I) });
            let word = words[I];
            match const { step_of(M, I) } {
                Step::Scalar(1) => at.write(word as u8),
                Step::Scalar(2) => at.cast::<u16>().write(word as u16),
                Step::Scalar(4) => at.cast::<u32>().write(word as u32),
                Step::Object => {
                    let id = object::from_pointer(word as *mut c_void).map_or(0, |chain| chain.id);
                    at.cast::<u64>().write(id.into());
                }
                _ => at.cast::<u64>().write(word),
            }
        });
        if const { reads(M) } {
            producer.begin_reading(Reading { method: M, object: chain.id });
        }
        let mut child = to.add(const { METHODS[M as usize].args_size as usize });
        each!(I => {
            if let Step::Array(element, count) = const { step_of(M, I) }
                && words[I] != 0
            {
                let elements = elements(count, words);
                let bytes = elements as usize * element as usize;
                child.cast::<u64>().write(elements);
                copy(words[I] as *const u8, child.add(8), bytes);
                child = child.add(8 + bytes.next_multiple_of(8));
            }
            if let Step::Deep(element, count) = const { step_of(M, I) }
                && let Some(sites) = const { &sites(M, I) }
                && words[I] != 0
            {
                let elements = elements(count, words);
                child.cast::<u64>().write(elements);
                name(sites, element as usize, elements as usize, words[I] as *const u8, child.add(8));
                child = child.add(8 + elements as usize * element as usize);
            }
        });
        let _ = child;
    }
    if const { reads(M) } {
        producer.end_reading();
    }
    producer.publish();
    if const { !matches!(METHODS[M as usize].order, Order::EnterLeave) } {
        producer.enter_call();
    }
    true
}

/// Copies elements with the ids of their objects.
///
/// # Safety
/// `from` is readable for `number` elements of `size` bytes, a multiple of 8, and `to` writable; objects are null or COM pointers.
#[inline(always)]
unsafe fn name(sites: &ObjectPlaces, size: usize, number: usize, from: *const u8, to: *mut u8) {
    // SAFETY: the elements are readable, and the place has room for all of them; sites lie inside an element, and each is an
    // object argument: null or a COM pointer.
    unsafe {
        copy(from, to, size * number);
        for at in (0..number).map(|index| index * size) {
            sites.each(from.add(at), |offset| {
                let object = from.add(at + offset).cast::<*mut c_void>().read_unaligned();
                let id = object::from_pointer(object).map_or(0, |chain| chain.id);
                to.add(at + offset).cast::<u64>().write(id.into());
            });
        }
    }
}

/// Copies elements with the runtime's own objects.
///
/// # Safety
/// As [`name`].
#[inline(always)]
unsafe fn unwrap(sites: &ObjectPlaces, size: usize, number: usize, from: *const u8, to: *mut u8) {
    // SAFETY: the elements are readable, and the place has room for all of them; sites lie inside an element, and each is an
    // object argument: null or a COM pointer.
    unsafe {
        copy(from, to, size * number);
        for at in (0..number).map(|index| index * size) {
            sites.each(from.add(at), |offset| {
                let object = from.add(at + offset).cast::<*mut c_void>().read_unaligned();
                if let Some(chain) = object::from_pointer(object) {
                    to.add(at + offset).cast::<*mut c_void>().write(chain.real());
                }
            });
        }
    }
}

/// The other path, for a call that is too large for this one.
///
/// # Safety
/// As [`call`].
#[cold]
#[inline(never)]
unsafe fn otherwise(chain: &Chain, method: u16, words: &[u64]) -> u64 {
    // SAFETY: the caller passes the program's arguments of this method on this chain.
    unsafe { heavy::method(chain, MethodId(method), words) }
}

const _: () = assert!(MODEL.methods.len() < u16::MAX as usize);

#[cfg(test)]
mod tests;
