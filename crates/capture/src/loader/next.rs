//! The real function behind an export, and its calling convention.
//!
//! Libraries differ in their conventions for the same names. Debian's libvkd3d has win64 for `D3D12*` and all methods, and
//! System V for `vkd3d_*`. vkd3d-proton's native library and our own runtime have System V for everything; under the names that
//! Microsoft's Linux programs load, structures are returned as in C++. The library that the
//! loader found next decides, once per function. Its name also tells the width of a `WCHAR`.

use core::ffi::{CStr, c_void};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use reprise_codec::Wide;
use reprise_d3d12::file;
use reprise_environment::capture::{CONVENTION, ITANIUM, SYSV, WIN64};

use super::definition;
use crate::Convention;
use crate::model::codec;
use crate::session::environment;

/// A function as the program would have found it without us.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next {
    pub(crate) address: *const c_void,
    /// Of the runtime's `D3D12*` functions and objects.
    pub(crate) world: Convention,
}

/// Looks for the definition after ours in the loader's order.
pub(crate) fn find(name: &CStr) -> Option<Next> {
    let address = symbol(name)?;
    Some(Next { address, world: world_of(address) })
}

/// As [`find`], for a definition that is known.
pub(crate) fn at(address: *mut c_void) -> Next {
    Next { address, world: world_of(address) }
}

/// The address of the next definition of any function: first as the loader's own order has it, then in libraries that were opened
/// for one asker only (`RTLD_LOCAL`). Calls reach us from inside those, too: a library's own references to its exports go
/// through the process's order, in which ours come first. That is how Vulkan's loader answers `vkGetInstanceProcAddr` with our
/// export when a runtime has opened it for itself.
pub(crate) fn symbol(name: &CStr) -> Option<*const c_void> {
    // SAFETY: a terminated name; the call only searches.
    let address = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    if !address.is_null() {
        return Some(address.cast_const());
    }
    // The failure is ours: a program that asks for the last error must not find it.
    // SAFETY: the call takes the thread's last message away.
    unsafe { libc::dlerror() };
    definition::after(name, symbol as *const c_void)
}

/// Keeps the library that holds an address in the process, whoever closes it: our exports go on to it from then on.
pub(super) fn keep_loaded(address: *const c_void) {
    // SAFETY: all fields may be null.
    let mut info: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: any address may be asked for; the call fills `info`, whose name is the loader's terminated one.
    unsafe {
        if libc::dladdr(address, &raw mut info) == 0 || info.dli_fname.is_null() {
            return;
        }
        let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
        if libc::dlopen(info.dli_fname, flags).is_null() {
            // Of the program itself, which cannot be closed; the message is not the program's.
            libc::dlerror();
        }
    }
}

/// A function that is not an export of ours, as its type.
///
/// # Safety
/// `F` is the type of the function of this name.
pub(crate) unsafe fn function<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: `F` is the type of this function, as the caller says, and has the size of a pointer.
    symbol(name).map(|address| unsafe { core::mem::transmute_copy::<*const c_void, F>(&address) })
}

fn world_of(address: *const c_void) -> Convention {
    match environment::text(CONVENTION).as_deref() {
        Some(WIN64) => return Convention::Win64,
        Some(SYSV) => return Convention::SystemV,
        Some(ITANIUM) => return Convention::Itanium,
        _ => {}
    }
    // SAFETY: all fields may be null.
    let mut info: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: any address may be asked for; the call fills `info`.
    if unsafe { libc::dladdr(address, &raw mut info) } == 0 || info.dli_fname.is_null() {
        return Convention::SystemV;
    }
    // SAFETY: the loader's own terminated name, alive as long as the library, which holds the function asked for.
    let name = unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy();
    // A library that somebody put between us and the runtime takes and gives what the runtime does.
    let name = if is_known(&name) { name.into_owned() } else { loaded_runtime().unwrap_or(name.into_owned()) };
    if file::has_utf_16(&name) {
        codec::set_wide(Wide::Bits16);
    }
    file::convention(&name)
}

/// By the library's file name: whether it tells the convention.
fn is_known(path: &str) -> bool {
    file::has_utf_16(path) || file::convention(path) != Convention::SystemV
}

/// The first runtime among the loaded libraries that is known by its name.
fn loaded_runtime() -> Option<String> {
    let mut found: Option<String> = None;
    // SAFETY: the callback takes the place it is given, and does not keep it.
    unsafe { libc::dl_iterate_phdr(Some(note_known), (&raw mut found).cast()) };
    found
}

/// # Safety
/// Called by the loader with a library's description and the place of [`loaded_runtime`].
unsafe extern "C" fn note_known(info: *mut libc::dl_phdr_info, _size: usize, found: *mut c_void) -> libc::c_int {
    // SAFETY: the loader passes a description that is valid during the call, and the place that it was given.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<Option<String>>()) };
    if info.dlpi_name.is_null() {
        return 0;
    }
    // SAFETY: the loader's terminated name.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy();
    let known = is_known(&name);
    if known {
        *found = Some(name.into_owned());
    }
    libc::c_int::from(known)
}

/// Code of the runtime's own libraries; more than these are not expected in one process.
static RUNTIME: [(AtomicUsize, AtomicUsize); 16] = [const { (AtomicUsize::new(0), AtomicUsize::new(0)) }; 16];

/// True when the address is code of the runtime itself. Its libraries call their own exports through the loader, also from
/// threads of their own: those calls are not the program's.
pub(crate) fn is_runtime(address: usize) -> bool {
    RUNTIME
        .iter()
        .map(|(start, end)| start.load(Ordering::Relaxed)..end.load(Ordering::Relaxed))
        .take_while(|range| range.end != 0)
        .any(|range| range.contains(&address))
}

/// Takes note of where the runtime's libraries lie. Called when a function is first used, so libraries that come later
/// are met too.
pub(crate) fn note_runtime() {
    let mut found: Vec<Range<usize>> = Vec::new();
    // SAFETY: the callback takes the vector it is given, and does not keep it.
    unsafe { libc::dl_iterate_phdr(Some(note_library), (&raw mut found).cast()) };
    for (slot, range) in RUNTIME.iter().zip(found) {
        slot.0.store(range.start, Ordering::Relaxed);
        slot.1.store(range.end, Ordering::Relaxed);
    }
}

/// # Safety
/// Called by the loader with a library's description and the vector of [`note_runtime`].
unsafe extern "C" fn note_library(info: *mut libc::dl_phdr_info, _size: usize, found: *mut c_void) -> libc::c_int {
    // SAFETY: the loader passes a description that is valid during the call, and the vector that it was given.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<Vec<Range<usize>>>()) };
    if info.dlpi_name.is_null() || info.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: the loader's terminated name, and its table of `dlpi_phnum` headers.
    let (name, headers) = unsafe {
        let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        (CStr::from_ptr(info.dlpi_name).to_string_lossy(), headers)
    };
    if file::is_runtime(&name) {
        for header in headers.iter().filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0)
        {
            let start = info.dlpi_addr as usize + header.p_vaddr as usize;
            found.push(start..start + header.p_memsz as usize);
        }
    }
    0
}
