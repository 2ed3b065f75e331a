//! Stubs for the slots of an interface that the model does not know: they pass each call on.
//!
//! Every slot past `IUnknown` replaces `this` by the real pointer and jumps through the real vtable, so that arguments and
//! result, whatever they are, stay where the caller put them. Invariant: the code reads the real pointer at offset 8 of a [`Chain`] and
//! touches no register that carries an argument (`rax`, `r10` and `r11` carry none, save the vector count of a variadic
//! System V call in `al`, which is kept).
//!
//! [`Chain`]: crate::wrapper::object::Chain

use crate::Convention;

/// Slots a blind vtable has, `IUnknown`'s three included. The largest known interface has 99.
pub(crate) const SLOTS: usize = 512;

/// The stubs of one convention: 16 bytes each, in which the slot's number goes into `r11d`; then all join one tail.
macro_rules! stubs {
    ($name:ident, $this:literal) => {
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
                concat!("mov ", $this, ", [", $this, " + 8]"),
                concat!("mov r10, [", $this, "]"),
                "jmp [r10 + r11]",
                slots = const SLOTS,
            )
        }
    };
}

stubs!(win64, "rcx");
stubs!(sysv, "rdi");

/// The code of one blind slot.
pub(crate) fn slot(convention: Convention, slot: usize) -> usize {
    let start = match convention {
        Convention::Win64 => win64 as *const () as usize,
        Convention::SystemV => sysv as *const () as usize,
    };
    // The first stub is aligned, wherever the function itself begins.
    start.next_multiple_of(16) + slot.min(SLOTS - 1) * 16
}
