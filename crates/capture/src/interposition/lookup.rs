//! `dlsym` and `dlvsym`: a program that looks up an exported function by a library's handle gets the function of this library.
//!
//! Invariant: every other look-up reaches the loader's own function by a jump, with the caller's return address in place,
//! because the results of `RTLD_NEXT` and `RTLD_DEFAULT` depend on the caller. A program that asks the whole process whether it has
//! a function of ours gets the answer that it would have without us. In a process that is not recorded, every
//! look-up goes to the loader.

use core::ffi::{CStr, c_char, c_void};
use std::arch::naked_asm;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::recorded_process::is_recorded;
use super::{exports, gl};
use crate::loader::{definition, names, next};

/// The next definition of each function after ours; until the first use, what finds it.
static DLSYM: AtomicPtr<c_void> = AtomicPtr::new(first_dlsym as *mut c_void);
static DLVSYM: AtomicPtr<c_void> = AtomicPtr::new(first_dlvsym as *mut c_void);

macro_rules! lookup {
    ($name:ident, $answer:path, $real:path) => {
        /// Exported in the loader's place.
        ///
        /// # Safety
        /// As the function of this name.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub(super) unsafe extern "sysv64" fn $name() {
            naked_asm!(
                // RTLD_NEXT is -1.
                "cmp rdi, -1",
                "je 2f",
                "push rdi",
                "push rsi",
                "push rdx",
                "mov rcx, [rsp+24]",
                "call {answer}",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "test rax, rax",
                "jnz 3f",
                "2:",
                "jmp qword ptr [rip + {real}]",
                "3:",
                // 1 stands for null: the look-up has failed already.
                "cmp rax, 1",
                "jne 4f",
                "xor eax, eax",
                "4:",
                "ret",
                answer = sym $answer,
                real = sym $real,
            )
        }
    };
}

lookup!(dlsym, answer_dlsym, DLSYM);
lookup!(dlvsym, answer_dlvsym, DLVSYM);

macro_rules! first {
    ($name:ident, $find:path, $real:path) => {
        /// Finds the loader's function, once, and goes on there.
        #[unsafe(naked)]
        unsafe extern "sysv64" fn $name() {
            naked_asm!(
                "push rdi",
                "push rsi",
                "push rdx",
                "call {find}",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "jmp qword ptr [rip + {real}]",
                find = sym $find,
                real = sym $real,
            )
        }
    };
}

first!(first_dlsym, find_dlsym, DLSYM);
first!(first_dlvsym, find_dlvsym, DLVSYM);

extern "sysv64" fn find_dlsym() {
    find(&DLSYM, c"dlsym", dlsym as *const c_void);
}

extern "sysv64" fn find_dlvsym() {
    find(&DLVSYM, c"dlvsym", dlvsym as *const c_void);
}

fn find(real: &AtomicPtr<c_void>, name: &CStr, ours: *const c_void) {
    let found = definition::after(name, ours).unwrap_or(nothing as *const c_void);
    real.store(found.cast_mut(), Ordering::Release);
}

/// Stands for a loader that has no such function.
extern "sysv64" fn nothing() -> *const c_void {
    core::ptr::null()
}

/// Stands for the null that the program is to get.
const NOT_FOUND: *const c_void = core::ptr::without_provenance(1);

/// What a program gets from us for `dlsym`; null where the loader is to answer.
///
/// # Safety
/// The arguments of a call of `dlsym`, and its return address.
unsafe extern "sysv64" fn answer_dlsym(
    handle: *mut c_void,
    name: *const c_char,
    _: *const c_char,
    caller: usize,
) -> *const c_void {
    type Dlsym = unsafe extern "sysv64" fn(*mut c_void, *const c_char) -> *const c_void;
    if DLSYM.load(Ordering::Acquire) == first_dlsym as *mut c_void {
        find_dlsym();
    }
    // SAFETY: the loader's function, of this type; handle and name are the program's.
    unsafe {
        let lookup = core::mem::transmute::<*mut c_void, Dlsym>(DLSYM.load(Ordering::Acquire));
        answer(handle, name, caller, |handle| lookup(handle, name))
    }
}

/// As [`answer_dlsym`].
///
/// # Safety
/// The arguments of a call of `dlvsym`, and its return address.
unsafe extern "sysv64" fn answer_dlvsym(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
    caller: usize,
) -> *const c_void {
    type Dlvsym = unsafe extern "sysv64" fn(*mut c_void, *const c_char, *const c_char) -> *const c_void;
    if DLVSYM.load(Ordering::Acquire) == first_dlvsym as *mut c_void {
        find_dlvsym();
    }
    // SAFETY: the loader's function, of this type; handle, name and version are the program's.
    unsafe {
        let lookup = core::mem::transmute::<*mut c_void, Dlvsym>(DLVSYM.load(Ordering::Acquire));
        answer(handle, name, caller, |handle| lookup(handle, name, version))
    }
}

/// Our export where the program asks a library for a function that we have, and the loader finds it; [`NOT_FOUND`] where the program
/// asks the whole process and only we have it.
///
/// # Safety
/// `name` is null or a terminated text; `lookup` asks the loader.
unsafe fn answer(
    handle: *mut c_void,
    name: *const c_char,
    caller: usize,
    lookup: impl Fn(*mut c_void) -> *const c_void,
) -> *const c_void {
    if name.is_null() {
        return core::ptr::null();
    }
    // SAFETY: not null, and the program's terminated text.
    let name = unsafe { CStr::from_ptr(name) };
    let Some(index) = names::index_of(name) else { return answer_gl(handle, name, lookup) };
    if handle == libc::RTLD_DEFAULT {
        return in_whole_process(index, lookup);
    }
    if !is_recorded() {
        return core::ptr::null();
    }
    // The runtime's own libraries look each other's functions up, and must find them.
    next::note_runtime();
    if next::is_runtime(caller) {
        return core::ptr::null();
    }
    exports::found_behind_handle(index, lookup(handle))
}

/// The same for functions of OpenGL's.
fn answer_gl(handle: *mut c_void, name: &CStr, lookup: impl Fn(*mut c_void) -> *const c_void) -> *const c_void {
    if handle == libc::RTLD_DEFAULT {
        return if gl::is_only_ours(name) { NOT_FOUND } else { core::ptr::null() };
    }
    gl::is_export(name).then(|| gl::found_behind_handle(name, lookup(handle))).flatten().unwrap_or(core::ptr::null())
}

/// [`NOT_FOUND`] where nothing but our export has the name; then the loader's message is that of a look-up that failed.
fn in_whole_process(index: usize, lookup: impl Fn(*mut c_void) -> *const c_void) -> *const c_void {
    if !exports::is_only_ours(index, lookup(libc::RTLD_DEFAULT)) {
        return core::ptr::null();
    }
    // The C library has no such function, so the look-up behind its handle leaves the message.
    // SAFETY: opens what is loaded already, by its name.
    let library = unsafe { libc::dlopen(c"libc.so.6".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    // The reference is kept: the C library stays anyway, and closing it would take the message away.
    if !library.is_null() {
        lookup(library);
    }
    NOT_FOUND
}
