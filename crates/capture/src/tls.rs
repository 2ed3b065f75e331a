//! The words that each thread of the program has with us, reached without a call.
//!
//! A library that is present from the start of a program may use the initial-exec model of thread-local storage: one load
//! gives the offset, one addition the address. Rust's `thread_local!` in a shared library calls `__tls_get_addr` each
//! time, which costs more than the rest of a light call. Invariant: the words are zero until the thread's first call.

use crate::thread::Recorder;
use core::cell::Cell;
use core::sync::atomic::AtomicPtr;

/// A thread's words.
#[repr(C)]
pub(crate) struct Words {
    /// Where to record; null while unknown, and where this thread records nothing. Another thread may take it away when
    /// the recording ends, which is the only word of these that it touches, and the next.
    pub(crate) recorder: AtomicPtr<Recorder>,
    /// What was taken away so, until this thread is in no call that may still use it.
    pub(crate) retired: AtomicPtr<Recorder>,
    /// Calls of the runtime that this thread is inside of.
    pub(crate) depth: Cell<u32>,
    /// The session (its number) that `recorder` belongs to, or for which this thread was refused.
    pub(crate) session: Cell<u32>,
    /// Callbacks of the program that this thread is inside of; below them `depth` begins anew.
    pub(crate) callbacks: Cell<u32>,
    /// How often pages had been disarmed in this process (`linux::protect`) when a fault of this thread found none of ours.
    pub(crate) disarmed: Cell<usize>,
}

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
core::arch::global_asm!(
    ".section .tbss.reprise_words,\"awT\",@nobits",
    ".p2align 4",
    ".globl reprise_words",
    ".hidden reprise_words",
    ".type reprise_words, @object",
    ".size reprise_words, {size}",
    "reprise_words:",
    ".zero {size}",
    ".text",
    size = const size_of::<Words>(),
);

/// The current thread's words. They live as long as the thread.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub(crate) fn words<'a>() -> &'a Words {
    let at: *const Words;
    // SAFETY: reads the thread pointer and the offset of our symbol in the static block; both are constant for a thread.
    unsafe {
        core::arch::asm!(
            "mov {at}, qword ptr [rip + reprise_words@GOTTPOFF]",
            "add {at}, qword ptr fs:[0]",
            at = out(reg) at,
            options(pure, readonly, nostack),
        );
        &*at
    }
}

/// The current thread's words. They live as long as the thread.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
#[inline(always)]
pub(crate) fn words<'a>() -> &'a Words {
    thread_local! {
        static WORDS: Words = const {
            Words {
                recorder: AtomicPtr::new(core::ptr::null_mut()),
                retired: AtomicPtr::new(core::ptr::null_mut()),
                depth: Cell::new(0),
                session: Cell::new(0),
                callbacks: Cell::new(0),
                disarmed: Cell::new(0),
            }
        };
    }
    // SAFETY: the words have no destructor, so they live as long as the thread; the reference never leaves it.
    WORDS.with(|words| unsafe { &*core::ptr::from_ref(words) })
}
