//! Segmentation faults: our handler, which asks `pages` first, and the program's own handler behind it.
//!
//! Invariants:
//! - A fault that we did not cause goes to the program's handler. The handler is called as the kernel would call it: with its
//!   mask, its one-shot flag and the same context. Without a handler the process ends.
//! - Our handler touches only atomics, makes only system calls, and leaves `errno` as it was.
//!
//! `signal_calls` answers the C library's functions that set or read the program's handler. A change by a bare system call is
//! found at the next [`install`].

use core::ffi::{c_int, c_void};
use std::io;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::beyond;
use super::signals::{KernelAction, Mask, SEGV, set_mask, set_signals, signals};
use crate::memory::{page_lock, pages};

/// What a program does about a signal.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(in crate::memory) struct Action {
    pub(in crate::memory) handler: usize,
    pub(in crate::memory) flags: u64,
    pub(in crate::memory) mask: Mask,
}

/// The program's, while ours is installed. Changed and read under the lock of `page_lock`.
static HANDLER: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static FLAGS: AtomicU64 = AtomicU64::new(0);
static MASK: AtomicU64 = AtomicU64::new(0);

/// Ours was installed.
static INSTALLED: AtomicBool = AtomicBool::new(false);
/// Ours may be installed some time: no thread may block the signal.
static EXPECTED: AtomicBool = AtomicBool::new(false);

/// True once the program's handler is kept here and not by the kernel.
pub(in crate::memory) fn is_installed() -> bool {
    INSTALLED.load(Ordering::Acquire)
}

/// True when the signal must stay unblocked in all threads.
pub(in crate::memory) fn is_expected() -> bool {
    EXPECTED.load(Ordering::Relaxed)
}

/// From now on no thread is to block the signal: a thread that blocks it and stores to a protected page ends the process, and
/// masks outlive the moment at which memory is mapped.
pub(in crate::memory) fn expect() {
    EXPECTED.store(true, Ordering::Relaxed);
}

/// Makes our handler the first. What was there becomes the program's.
///
/// # Errors
/// What the kernel says.
pub(in crate::memory) fn install() -> io::Result<()> {
    let mut now = KernelAction::default();
    // SAFETY: asks for the action only; the structure is the system call's, with a mask of 8 bytes.
    let asked = unsafe {
        libc::syscall(libc::SYS_rt_sigaction, libc::SIGSEGV, std::ptr::null::<KernelAction>(), &raw mut now, 8)
    };
    if asked == 0 && now.handler == on_fault as *const () as usize {
        return Ok(());
    }
    expect();
    static FORKS: Once = Once::new();
    extern "C" fn child() {
        pages::after_fork();
    }
    // SAFETY: the handler only stores to atomics.
    FORKS.call_once(|| unsafe {
        libc::pthread_atfork(None, None, Some(child));
    });
    let real = beyond::sigaction().ok_or(io::ErrorKind::Unsupported)?;
    // SAFETY: a structure of numbers.
    let (mut ours, mut before): (libc::sigaction, libc::sigaction) = unsafe { core::mem::zeroed() };
    ours.sa_sigaction = on_fault as *const () as usize;
    // On the thread's alternate stack, if it has one, since that is where a handler for stack overflows has to run.
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    set_signals(&mut ours.sa_mask, u64::MAX);
    page_lock::locked(|| {
        // SAFETY: the C library's function, with two structures of its own; the handler keeps to what handlers may do.
        if unsafe { real(libc::SIGSEGV, &raw const ours, &raw mut before) } != 0 {
            return Err(io::Error::last_os_error());
        }
        if before.sa_sigaction != ours.sa_sigaction {
            store(&action_of(&before));
        }
        INSTALLED.store(true, Ordering::Release);
        Ok(())
    })
}

fn store(action: &Action) {
    HANDLER.store(action.handler, Ordering::Relaxed);
    FLAGS.store(action.flags, Ordering::Relaxed);
    MASK.store(action.mask, Ordering::Relaxed);
}

fn load() -> Action {
    let (handler, flags) = (HANDLER.load(Ordering::Relaxed), FLAGS.load(Ordering::Relaxed));
    Action { handler, flags, mask: MASK.load(Ordering::Relaxed) }
}

/// Answers the program's `sigaction`: gives what it had, and takes what it wants.
pub(in crate::memory) fn exchange(new: Option<Action>) -> Action {
    page_lock::locked(|| {
        let before = load();
        if let Some(new) = &new {
            store(new);
        }
        before
    })
}

/// What the C library's structure says.
pub(in crate::memory) fn action_of(action: &libc::sigaction) -> Action {
    Action { handler: action.sa_sigaction, flags: u64::from(action.sa_flags as u32), mask: signals(&action.sa_mask) }
}

/// The handler. All signals are blocked while it runs.
unsafe extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the thread's own; the kernel passes valid structures.
    unsafe {
        let place = libc::__errno_location();
        let errno = *place;
        // A positive code is the kernel's: the fault is real, and the address is what was stored to.
        let ours = (*info).si_code > 0 && pages::resolve((*info).si_addr() as usize);
        if !ours {
            chain(signal, info, context);
        }
        *place = errno;
    }
}

/// Does what would have been done without us.
///
/// # Safety
/// The arguments are the kernel's.
unsafe fn chain(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let action = page_lock::locked_in_handler(|| {
        let action = load();
        if action.flags & libc::SA_RESETHAND as u64 != 0 && action.handler != libc::SIG_IGN {
            store(&Action::default());
        }
        action
    });
    // SAFETY: the kernel passes a valid structure.
    let real = unsafe { (*info).si_code } > 0;
    match action.handler {
        libc::SIG_IGN if !real => {}
        // A fault cannot be ignored: the kernel ends the process.
        libc::SIG_DFL | libc::SIG_IGN => end(real),
        handler => {
            let own = if action.flags & libc::SA_NODEFER as u64 == 0 { SEGV } else { 0 };
            // SAFETY: the mask at the fault, in the context that the kernel saved; the program's handler takes these three
            // arguments, or only the first.
            unsafe {
                let interrupted = signals(&(*context.cast::<libc::ucontext_t>()).uc_sigmask);
                set_mask(interrupted | action.mask | own);
                let handler: unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                    core::mem::transmute(handler);
                handler(signal, info, context);
            }
        }
    }
}

/// Lets the process die of the signal: the instruction faults again without a handler, and a signal that was sent is sent again.
fn end(real: bool) {
    let default = KernelAction::default();
    // SAFETY: the structure is the system call's; zero is the default action. The thread signals itself.
    unsafe {
        let none = std::ptr::null_mut::<KernelAction>();
        libc::syscall(libc::SYS_rt_sigaction, libc::SIGSEGV, &raw const default, none, 8);
        if !real {
            let (process, thread) = (libc::syscall(libc::SYS_getpid), libc::syscall(libc::SYS_gettid));
            libc::syscall(libc::SYS_tgkill, process, thread, libc::SIGSEGV);
        }
    }
}
