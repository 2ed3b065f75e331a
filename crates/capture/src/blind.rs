//! The shim behind which an interface that the model does not know is passed on.
//!
//! Every slot past `IUnknown` replaces `this` by the real pointer and jumps through the real vtable, so that arguments and
//! result, whatever they are, stay where the caller put them. Invariant: the code reads [`Chain::real`] at offset 8 and
//! touches no register that carries an argument (`rax`, `r10` and `r11` carry none, save the vector count of a variadic
//! System V call in `al`, which is kept).
//!
//! [`Chain::real`]: crate::chain::Chain

use crate::Convention;

/// Slots a blind vtable has, `IUnknown`'s three included. The largest known interface has 99.
pub(crate) const SLOTS: usize = 512;

// One stub is 16 bytes: the slot's number goes into r11d, then all join one tail per convention.
core::arch::global_asm!(
    ".text",
    ".p2align 4",
    "reprise_blind_win64:",
    ".set slot, 0",
    ".rept {slots}",
    ".p2align 4",
    "mov r11d, slot * 8",
    "jmp 3f",
    ".set slot, slot + 1",
    ".endr",
    ".p2align 4",
    "3:",
    "mov rcx, [rcx + 8]",
    "mov r10, [rcx]",
    "jmp [r10 + r11]",
    ".p2align 4",
    "reprise_blind_sysv:",
    ".set slot, 0",
    ".rept {slots}",
    ".p2align 4",
    "mov r11d, slot * 8",
    "jmp 3f",
    ".set slot, slot + 1",
    ".endr",
    ".p2align 4",
    "3:",
    "mov rdi, [rdi + 8]",
    "mov r10, [rdi]",
    "jmp [r10 + r11]",
    slots = const SLOTS,
);

unsafe extern "C" {
    static reprise_blind_win64: [u8; SLOTS * 16];
    static reprise_blind_sysv: [u8; SLOTS * 16];
}

/// The code of one blind slot.
pub(crate) fn slot(convention: Convention, slot: usize) -> usize {
    let base = match convention {
        Convention::Win64 => &raw const reprise_blind_win64,
        Convention::SystemV => &raw const reprise_blind_sysv,
    };
    base as usize + slot.min(SLOTS - 1) * 16
}
