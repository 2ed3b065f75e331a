//! The words of thread-local storage that each thread of the program has, reached without a call.
//!
//! A library that is present from the start of a program may use the initial-exec model of thread-local storage: one load
//! gives the offset, one addition the address. Rust's `thread_local!` in a shared library calls `__tls_get_addr` each
//! time, which costs more than the rest of a light call. On Windows, where it calls `TlsGetValue`, a slot of our own in the thread's
//! block serves (`host::windows::slot`). Invariant: the words are zero until the thread's first call.

#[cfg(all(windows, not(miri)))]
use crate::host::windows::slot;
use crate::session::recorder::Recorder;
use crate::sync::handover::Handover;
use crate::sync::reentrant::Owner;
use core::cell::Cell;

/// A thread's words.
#[repr(C)]
pub(crate) struct Words {
    /// Where to record; null while unknown, and where this thread records nothing. Another thread takes it away when the
    /// recording ends; it touches no other word.
    pub(crate) recorder: Handover<Recorder>,
    /// Calls of the runtime that this thread is inside of.
    pub(crate) depth: Cell<u32>,
    /// The session (its number) that `recorder` belongs to, or for which this thread was refused.
    pub(crate) session: Cell<u32>,
    /// Callbacks of the program that this thread is inside of; below them `depth` begins anew.
    pub(crate) callbacks: Cell<u32>,
    /// How often pages had been disarmed in this process (`memory::pages`) when a fault of this thread found none of ours.
    pub(crate) disarmed: Cell<usize>,
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
impl Words {
    const fn new() -> Self {
        Self {
            recorder: Handover::new(),
            depth: Cell::new(0),
            session: Cell::new(0),
            callbacks: Cell::new(0),
            disarmed: Cell::new(0),
        }
    }
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
#[cfg(all(windows, not(miri)))]
#[inline(always)]
pub(crate) fn words<'a>() -> &'a Words {
    let words = slot::get().cast::<Words>();
    // SAFETY: null, or what `make` put there for this thread.
    unsafe { words.as_ref() }.unwrap_or_else(|| make())
}

/// Makes the words of a thread that has none yet.
#[cfg(all(windows, not(miri)))]
#[cold]
#[inline(never)]
fn make<'a>() -> &'a Words {
    let words = Box::into_raw(Box::new(Words::new()));
    slot::set(words.cast());
    // SAFETY: made just now; `end` frees it when the thread has ended.
    unsafe { &*words }
}

/// The current thread has ended: Windows said so, and the destructors of its thread-local storage have run.
#[cfg(all(windows, not(miri)))]
pub(crate) fn end() {
    let words = slot::get().cast::<Words>();
    if !words.is_null() {
        slot::set(core::ptr::null_mut());
        // SAFETY: `make` made it by `Box::into_raw` for this thread, which runs no more code of ours.
        drop(unsafe { Box::from_raw(words) });
    }
}

/// The current thread's words. They live as long as the thread.
#[cfg(all(not(windows), not(all(target_os = "linux", target_arch = "x86_64", not(miri)))))]
#[inline(always)]
pub(crate) fn words<'a>() -> &'a Words {
    thread_local! {
        static WORDS: Words = const { Words::new() };
    }
    // SAFETY: the words have no destructor, so they live as long as the thread; the reference never leaves it.
    WORDS.with(|words| unsafe { &*core::ptr::from_ref(words) })
}

/// Runs calls of the runtime's own objects: nothing that they call is recorded.
pub(crate) fn inside<T>(call: impl FnOnce() -> T) -> T {
    let here = words();
    let depth = here.depth.get();
    here.depth.set(depth + 1);
    let result = call();
    here.depth.set(depth);
    result
}

/// The calling thread's number: the address of its words, which are its own while it lives.
pub(crate) fn owner() -> Owner {
    Owner(core::ptr::NonNull::from(words()).addr())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::reentrant::Reentrant;
    use std::cell::UnsafeCell;

    struct Counter(Reentrant, UnsafeCell<u64>);
    // SAFETY: the counter is read and written only while its lock is held.
    unsafe impl Sync for Counter {}

    #[test]
    fn one_thread_again_and_again_others_one_by_one() {
        static COUNTER: Counter = Counter(Reentrant::new(), UnsafeCell::new(0));
        let add = || {
            let _outer = COUNTER.0.hold(owner());
            let inner = COUNTER.0.hold(owner());
            // SAFETY: the lock is held, so no other thread uses the counter.
            unsafe { *COUNTER.1.get() += 1 };
            drop(inner);
            let _again = COUNTER.0.hold(owner());
            // SAFETY: the lock is held, so no other thread uses the counter.
            unsafe { *COUNTER.1.get() += 1 };
        };
        let rounds = if cfg!(miri) { 20 } else { 10_000 };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..rounds).for_each(|_| add()));
            }
        });
        let _held = COUNTER.0.hold(owner());
        // SAFETY: the lock is held, so no other thread uses the counter.
        assert_eq!(unsafe { *COUNTER.1.get() }, 8 * rounds);
    }
}
