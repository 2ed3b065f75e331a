//! Signals while a program of ours runs.
//!
//! The terminal sends Ctrl-C to the program as well as to us: then we only must not die before it. A signal that a person
//! or a supervisor sends to us alone is meant for the program and is passed on.

use std::io;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// The process that signals are passed on to; 0 before it runs and after it ended.
static PROGRAM: AtomicI32 = AtomicI32::new(0);
/// Signals for a program that runs already, whose number we do not know yet: a bit each.
static WAITING: AtomicU32 = AtomicU32::new(0);

/// How often something came that ends programs, from whomever.
static ENDINGS: AtomicU32 = AtomicU32::new(0);

/// Signals that came to begin or to end what is wanted.
static TRIGGERS: AtomicU32 = AtomicU32::new(0);
/// The signal that does; 0 for none.
static TRIGGER: AtomicI32 = AtomicI32::new(0);

const PASSED_ON: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2];

/// Passes signals on from now on. To be called before the program starts, so that none is missed; a program started
/// after this has the ordinary dispositions again, because handlers do not survive `exec`.
///
/// # Errors
/// When the operating system refuses a handler.
pub(crate) fn install() -> io::Result<()> {
    for signal in passed_on() {
        // Ignored from outside (nohup, a background job): so it is for the program.
        if !is_ignored(signal)? {
            listen(signal)?;
        }
    }
    Ok(())
}

/// Those that are not the trigger.
fn passed_on() -> impl Iterator<Item = libc::c_int> {
    PASSED_ON.into_iter().filter(|signal| *signal != TRIGGER.load(Ordering::SeqCst))
}

fn is_ignored(signal: libc::c_int) -> io::Result<bool> {
    // SAFETY: `sigaction` writes a structure of its own type that lives across the call; zero is a valid value for every
    // field.
    unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        match libc::sigaction(signal, std::ptr::null(), &mut old) {
            0 => Ok(old.sa_sigaction == libc::SIG_IGN),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Has a signal come to [`handle`].
fn listen(signal: libc::c_int) -> io::Result<()> {
    // SAFETY: `sigaction` reads a structure of its own type that lives across the call; zero is a valid value for every
    // field. The handler only uses atomics and calls `kill`, both safe inside a signal handler.
    unsafe {
        let mut new: libc::sigaction = std::mem::zeroed();
        new.sa_sigaction = handle as *const () as usize;
        new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        match libc::sigaction(signal, &new, std::ptr::null_mut()) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// The signal that is written so, of those that may begin and end what is wanted.
///
/// # Errors
/// In words, where it is another.
pub(crate) fn named(text: &str) -> Result<libc::c_int, String> {
    match text.strip_prefix("SIG").unwrap_or(text) {
        "USR1" => Ok(libc::SIGUSR1),
        "USR2" => Ok(libc::SIGUSR2),
        "HUP" => Ok(libc::SIGHUP),
        _ => Err("must be USR1, USR2 or HUP".to_owned()),
    }
}

/// This signal is for us from now on, also where it was ignored, and to our end: it is counted, and not passed on. To be
/// called before [`install`].
///
/// # Errors
/// When the operating system refuses a handler.
pub(crate) fn trigger_with(signal: libc::c_int) -> io::Result<()> {
    TRIGGER.store(signal, Ordering::SeqCst);
    listen(signal)
}

/// How often the trigger's signal came.
pub(crate) fn triggers() -> u32 {
    TRIGGERS.load(Ordering::SeqCst)
}

/// Names the program that signals are for; 0 for none. It gets what came since [`install`].
pub(crate) fn pass_on_to(pid: u32) {
    PROGRAM.store(pid.cast_signed(), Ordering::SeqCst);
    PASSED_ON.into_iter().for_each(pass_on);
}

/// Sends the program a signal that waits for it, once: whoever takes the bit sends it.
fn pass_on(signal: libc::c_int) {
    let (pid, bit) = (PROGRAM.load(Ordering::SeqCst), 1 << signal);
    if pid > 0 && WAITING.fetch_and(!bit, Ordering::SeqCst) & bit != 0 {
        // SAFETY: sends a signal to the program we started; `kill` may be called in a signal handler.
        unsafe { libc::kill(pid, signal) };
    }
}

/// How often a signal came that ends programs: for us alone, or from the terminal for all.
pub(crate) fn count() -> u32 {
    ENDINGS.load(Ordering::SeqCst)
}

/// Takes the signals that came for us alone while no program was named: they are for the processes that it left.
pub(crate) fn take() -> impl Iterator<Item = libc::c_int> {
    let bits = WAITING.swap(0, Ordering::SeqCst);
    PASSED_ON.into_iter().filter(move |signal| bits & 1 << signal != 0)
}

/// Sends a signal to a process of the program.
pub(crate) fn send(process: u32, signal: libc::c_int) {
    // SAFETY: no memory is involved; the process was alive a moment ago, and its number is not ours or a group's.
    unsafe { libc::kill(process.cast_signed(), signal) };
}

/// Passes no more signals on: they have their ordinary effect on us again, all but the trigger, which may come late.
pub(crate) fn restore() {
    pass_on_to(0);
    for signal in passed_on() {
        // One ignored from outside stays so.
        if is_ignored(signal).is_ok_and(|ignored| !ignored) {
            // SAFETY: restoring the default needs nothing of ours.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    if signal == TRIGGER.load(Ordering::SeqCst) {
        TRIGGERS.fetch_add(1, Ordering::SeqCst);
        return;
    }
    // SAFETY: the kernel passes a valid `siginfo_t` to a handler installed with SA_SIGINFO.
    let from_process = unsafe { (*info).si_code } <= 0;
    if matches!(signal, libc::SIGINT | libc::SIGQUIT | libc::SIGTERM | libc::SIGHUP) {
        ENDINGS.fetch_add(1, Ordering::SeqCst);
    }
    if from_process {
        WAITING.fetch_or(1 << signal, Ordering::SeqCst);
        pass_on(signal);
    }
}
