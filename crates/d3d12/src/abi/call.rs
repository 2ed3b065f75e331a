//! Calling a function of any convention from argument words.
//!
//! Invariant: what a thunk of the same convention reads is what was passed here, word for word (tested for every shape).

use super::thunk::Big;
use super::{Convention, Returned, returned};
use crate::generated::STRUCTS;
use crate::model::{Method, Type};
use core::ffi::c_void;

/// Most words that any method passes on the stack: generous, checked when a call is made.
const STACK_MAX: usize = 32;

/// Registers and stack of one call.
struct Frame {
    integers: [u64; 6],
    integer_count: usize,
    floats: [u64; 8],
    float_count: usize,
    stack: [u64; STACK_MAX],
    stack_count: usize,
}

impl Frame {
    fn push(&mut self, word: u64) {
        assert!(self.stack_count < STACK_MAX, "a method with more than {STACK_MAX} words on the stack");
        self.stack[self.stack_count] = word;
        self.stack_count += 1;
    }

    fn integer(&mut self, word: u64, registers: usize) {
        if self.integer_count < registers {
            self.integers[self.integer_count] = word;
            self.integer_count += 1;
        } else {
            self.push(word);
        }
    }
}

/// Calls `function`, a method's (with `this`) or an exported one (without), and gives its result zero-extended from the
/// result type's size. A method that returns a structure gets its out pointer as word 0 and gives it back.
///
/// # Safety
/// `function` has the signature of `method` in this convention, `words` holds one valid word a parameter, and what they
/// point to satisfies the method's own contract. A word of a 16-byte parameter points to 16 readable bytes.
///
/// # Panics
/// When the number of words is not the method's number of parameters.
pub unsafe fn call(
    convention: Convention,
    function: *const c_void,
    this: Option<*mut c_void>,
    words: &[u64],
    method: &Method,
) -> u64 {
    assert_eq!(words.len(), method.params.len(), "words for {}", method.name);
    let mut frame = Frame {
        integers: [0; 6],
        integer_count: 0,
        floats: [0; 8],
        float_count: 0,
        stack: [0; STACK_MAX],
        stack_count: 0,
    };
    // The callee owns what it gets by reference, so each 16-byte structure is copied.
    let mut copies = [Big(0, 0); 4];
    let mut copied = 0;
    let win64 = convention == Convention::Win64;
    let registers = if win64 { 4 } else { 6 };
    let way = if convention == Convention::Itanium { returned(method) } else { Returned::Nothing };
    if way == Returned::Memory {
        frame.integer(words[0], registers);
    }
    if let Some(this) = this {
        frame.integer(this as u64, registers);
    }
    // What Itanium has passed already, or does not pass at all.
    let passed = usize::from(way != Returned::Nothing);
    for (word, param) in words.iter().zip(method.params).skip(passed) {
        let big = param.ty.size(STRUCTS) == 16;
        if win64 {
            // By position: the first four go to both kinds of registers, which also serves variadic callees.
            if frame.integer_count < registers && matches!(param.ty, Type::F32 | Type::F64) {
                frame.floats[frame.integer_count] = *word;
            }
            if big {
                // SAFETY: the caller gave a pointer to 16 readable bytes.
                copies[copied] = unsafe { (*word as *const Big).read_unaligned() };
                frame.integer(&raw const copies[copied] as u64, registers);
                copied += 1;
            } else {
                frame.integer(*word, registers);
            }
        } else if matches!(param.ty, Type::F32 | Type::F64) {
            if frame.float_count < 8 {
                frame.floats[frame.float_count] = *word;
                frame.float_count += 1;
            } else {
                frame.push(*word);
            }
        } else if big {
            // SAFETY: the caller gave a pointer to 16 readable bytes.
            let Big(low, high) = unsafe { (*word as *const Big).read_unaligned() };
            // Both halves in registers or both in memory.
            if frame.integer_count + 2 <= registers {
                frame.integer(low, registers);
                frame.integer(high, registers);
            } else {
                frame.push(low);
                frame.push(high);
            }
        } else {
            frame.integer(*word, registers);
        }
    }
    let enter = if win64 { enter_win64 } else { enter_sysv };
    // SAFETY: registers and stack are laid out for the callee's convention; the rest is the caller's promise.
    let Big(result, more) = unsafe {
        enter(function, frame.integers.as_ptr(), frame.floats.as_ptr(), frame.stack.as_ptr(), frame.stack_count)
    };
    if way == Returned::Registers {
        let Type::Pointer(pointee) = method.params[0].ty else { unreachable!("the out pointer") };
        let size = (pointee.ty.size(STRUCTS) as usize).min(size_of::<Big>());
        let structure = Big(result, more);
        // SAFETY: the out pointer has room for the structure, which has this size.
        unsafe { core::ptr::copy_nonoverlapping((&raw const structure).cast::<u8>(), words[0] as *mut u8, size) };
        return words[0];
    }
    match method.result.size(STRUCTS) {
        0 => 0,
        1 => result & 0xff,
        2 => result & 0xffff,
        4 => result & 0xffff_ffff,
        _ => result,
    }
}

/// Loads registers and stack, calls with System V, gives RAX and RDX.
#[unsafe(naked)]
unsafe extern "sysv64" fn enter_sysv(
    function: *const c_void,
    integers: *const u64,
    floats: *const u64,
    stack: *const u64,
    count: usize,
) -> Big {
    core::arch::naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "lea rax, [r8*8 + 15]",
        "and rax, -16",
        "sub rsp, rax",
        "xor eax, eax",
        "2: cmp rax, r8",
        "jae 3f",
        "mov r9, [rcx + rax*8]",
        "mov [rsp + rax*8], r9",
        "inc rax",
        "jmp 2b",
        "3: mov r11, rdi",
        "mov r10, rsi",
        "movsd xmm0, [rdx]",
        "movsd xmm1, [rdx + 8]",
        "movsd xmm2, [rdx + 16]",
        "movsd xmm3, [rdx + 24]",
        "movsd xmm4, [rdx + 32]",
        "movsd xmm5, [rdx + 40]",
        "movsd xmm6, [rdx + 48]",
        "movsd xmm7, [rdx + 56]",
        "mov rdi, [r10]",
        "mov rsi, [r10 + 8]",
        "mov rdx, [r10 + 16]",
        "mov rcx, [r10 + 24]",
        "mov r8, [r10 + 32]",
        "mov r9, [r10 + 40]",
        "call r11",
        "mov rsp, rbp",
        "pop rbp",
        "ret",
    )
}

/// Loads registers, shadow area and stack, calls with win64, gives RAX (and what is in RDX). It is entered with System V itself: what win64
/// keeps, System V's caller does not expect to be changed either.
#[unsafe(naked)]
unsafe extern "sysv64" fn enter_win64(
    function: *const c_void,
    integers: *const u64,
    floats: *const u64,
    stack: *const u64,
    count: usize,
) -> Big {
    core::arch::naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "lea rax, [r8*8 + 47]",
        "and rax, -16",
        "sub rsp, rax",
        "xor eax, eax",
        "2: cmp rax, r8",
        "jae 3f",
        "mov r9, [rcx + rax*8]",
        "mov [rsp + rax*8 + 32], r9",
        "inc rax",
        "jmp 2b",
        "3: mov r11, rdi",
        "mov r10, rsi",
        "movsd xmm0, [rdx]",
        "movsd xmm1, [rdx + 8]",
        "movsd xmm2, [rdx + 16]",
        "movsd xmm3, [rdx + 24]",
        "mov rcx, [r10]",
        "mov rdx, [r10 + 8]",
        "mov r8, [r10 + 16]",
        "mov r9, [r10 + 24]",
        "call r11",
        "mov rsp, rbp",
        "pop rbp",
        "ret",
    )
}
