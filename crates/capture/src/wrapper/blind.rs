//! Stubs for the slots of an interface that the model does not know: they pass each call on.
//!
//! Every slot past `IUnknown` replaces `this` by the real pointer and jumps through the real vtable, so that arguments and
//! result, whatever they are, stay where the caller put them. One thing is changed: an argument that is a wrapper of ours becomes the
//! runtime's own object, because a runtime takes pointers of its own interfaces for its own objects. In C++ for Linux a method that returns a large structure has `this` as its
//! second argument, behind the place of the structure; which it is, the first argument tells: it is a wrapper or not. Invariant: the code reads the real
//! pointer at offset 8 of a [`Chain`], and every register that carries an argument reaches the runtime otherwise as it was.

use crate::Convention;
use crate::host::kernel;
use crate::panics::protected;
use crate::wrapper::object::{self, Chain};
use crate::wrapper::vtable;
use core::ffi::c_void;

/// Slots a blind vtable has, `IUnknown`'s three included. The largest known interface has 99.
pub(crate) const SLOTS: usize = 512;

/// The stubs of one convention: 16 bytes each, in which the slot's number goes into `r11d`; then all join one tail. It keeps all
/// registers that may carry arguments, has those of the integers looked at, and goes on to the real method, `r10` being what came of the look.
macro_rules! stubs {
    ($name:ident, $unwrap:path, $first:literal, $count:literal, $($onward:literal),+) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".set slot, 0",
                ".rept {slots}",
                ".p2align 4",
                "mov r11d, slot * 8",
                "jmp 3f",
                ".set slot, slot + 1",
                ".endr",
                ".p2align 4",
                "3:",
                "push rbp",
                "mov rbp, rsp",
                "sub rsp, 240",
                "and rsp, -16",
                // 32 bytes stay free for what is called. The integer arguments of both conventions follow, each in its order.
                "mov [rsp+32], rdi",
                "mov [rsp+40], rsi",
                "mov [rsp+48], rcx",
                "mov [rsp+56], rdx",
                "mov [rsp+64], r8",
                "mov [rsp+72], r9",
                "mov [rsp+80], r11",
                "mov [rsp+88], rax",
                "movups [rsp+96], xmm0",
                "movups [rsp+112], xmm1",
                "movups [rsp+128], xmm2",
                "movups [rsp+144], xmm3",
                "movups [rsp+160], xmm4",
                "movups [rsp+176], xmm5",
                "movups [rsp+192], xmm6",
                "movups [rsp+208], xmm7",
                concat!("lea rcx, [rsp+", $first, "]"),
                concat!("mov edx, ", $count),
                "call {unwrap}",
                "mov [rsp+224], rax",
                "mov rdi, [rsp+32]",
                "mov rsi, [rsp+40]",
                "mov rcx, [rsp+48]",
                "mov rdx, [rsp+56]",
                "mov r8, [rsp+64]",
                "mov r9, [rsp+72]",
                "mov r11, [rsp+80]",
                "mov rax, [rsp+88]",
                "movups xmm0, [rsp+96]",
                "movups xmm1, [rsp+112]",
                "movups xmm2, [rsp+128]",
                "movups xmm3, [rsp+144]",
                "movups xmm4, [rsp+160]",
                "movups xmm5, [rsp+176]",
                "movups xmm6, [rsp+192]",
                "movups xmm7, [rsp+208]",
                "mov r10, [rsp+224]",
                "mov rsp, rbp",
                "pop rbp",
                $($onward,)+
                "jmp [r10 + r11]",
                slots = const SLOTS,
                unwrap = sym $unwrap,
            )
        }
    };
}

// Behind `this`: rdx, r8 and r9 in win64, rsi, rdx, rcx, r8 and r9 in System V.
stubs!(win64, unwrap_arguments, "56", "3", "mov rcx, [rcx + 8]", "mov r10, [rcx]");
stubs!(sysv, unwrap_arguments, "40", "5", "mov rdi, [rdi + 8]", "mov r10, [rdi]");
// All six, and the object in r10.
stubs!(itanium, unwrap_all, "32", "6", "mov r10, [r10]");

/// Puts the runtime's own objects in the place of wrappers, in `count` registers that a stub has kept.
///
/// # Safety
/// `first` is the first of `count` words in the frame of a stub.
unsafe extern "win64" fn unwrap_arguments(first: *mut u64, count: u32) {
    // SAFETY: the stub passes words of its own frame, which nobody else uses meanwhile.
    let words = unsafe { core::slice::from_raw_parts_mut(first, count as usize) };
    unwrap(words);
}

/// The same, and for `this`, which is the first word, or the second where the first is the place of a structure. Gives the runtime's object.
///
/// # Safety
/// `first` is the first of `count` words in the frame of a stub, of a call on a wrapper.
unsafe extern "win64" fn unwrap_all(first: *mut u64, count: u32) -> *mut c_void {
    // SAFETY: as in `unwrap_arguments`.
    let words = unsafe { core::slice::from_raw_parts_mut(first, count as usize) };
    for at in 0..2 {
        // SAFETY: a wrapper that the program holds, or the place of more than 16 bytes that it has for the result; where that is no
        // wrapper, the second word is `this`.
        if let Some(chain) = unsafe { object::from_pointer(words[at] as *mut c_void) } {
            words[at] = chain.real() as u64;
            unwrap(&mut words[at + 1..]);
            return chain.real();
        }
    }
    // The slot of one of our tables was called with no wrapper: as without us, there is no object.
    core::ptr::null_mut()
}

fn unwrap(words: &mut [u64]) {
    protected((), || {
        for word in words {
            if let Some(real) = real_of(*word as usize) {
                *word = real as u64;
            }
        }
    });
}

/// The runtime's object behind an argument; `None` where it is no wrapper. It may be any number: what it points to, if it is an address
/// at all, is read by way of the kernel, which answers with an error where nothing is.
fn real_of(argument: usize) -> Option<*mut c_void> {
    /// Nothing lies in the first pages, and nothing beyond 47 bits.
    const ADDRESSES: core::ops::Range<usize> = 1 << 16..1 << 47;
    if !argument.is_multiple_of(8) || !ADDRESSES.contains(&argument) {
        return None;
    }
    let first = kernel::word(argument)?;
    // SAFETY: only wrappers begin with the address of a vtable of ours; the program passes one that it holds.
    vtable::is_own(first as usize).then(|| unsafe { object::from_pointer(argument as *mut c_void) })?.map(Chain::real)
}

/// The code of one blind slot.
pub(crate) fn slot(convention: Convention, slot: usize) -> usize {
    let start = match convention {
        Convention::Win64 => win64 as *const () as usize,
        Convention::SystemV => sysv as *const () as usize,
        Convention::Itanium => itanium as *const () as usize,
    };
    // The first stub is aligned, wherever the function itself begins.
    start.next_multiple_of(16) + slot.min(SLOTS - 1) * 16
}
