//! DXIL as text by Microsoft's own compiler library, where the user has it: `libdxcompiler.so`.
//!
//! Facts: its exported `DxcCreateInstance2`, and the interfaces `IDxcCompiler` and `IDxcBlob` of its public header. Older builds
//! for Linux have two more slots behind `IUnknown`'s (a virtual destructor): which of the two a library has shows in the slot of
//! the allocator that it allocates by, before any of its own methods is called. Invariant: this runs in a process that may die
//! (`reprise disassemble`); nothing is given back.

use anyhow::{Context, bail, ensure};
use core::ffi::{CStr, c_void};
use std::ffi::CString;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is looked for where nothing else is named.
pub(crate) const LIBRARY: &str = "libdxcompiler.so";

#[repr(C)]
struct Guid(u32, u16, u16, [u8; 8]);

const COMPILER_CLASS: Guid = Guid(0x73e2_2d93, 0xe6ce, 0x47f3, [0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0]);
const COMPILER: Guid = Guid(0x8c21_0bf3, 0x011f, 0x4422, [0x8d, 0x70, 0x6f, 0x9a, 0xcb, 0x8d, 0xb6, 0x17]);

type Create = unsafe extern "C" fn(*mut Object, *const Guid, *const Guid, *mut *mut Object) -> i32;

/// Any object of an interface.
#[repr(C)]
struct Object {
    vtable: *const *const c_void,
}

/// Slots behind `IUnknown`'s three, as the library's header has them.
const DISASSEMBLE: usize = 3 + 2;
const BUFFER_POINTER: usize = 3;
const BUFFER_SIZE: usize = 3 + 1;

/// Slots that this library has between `IUnknown`'s and others: 0 or 2, once it has allocated.
static SHIFT: AtomicUsize = AtomicUsize::new(UNKNOWN);
const UNKNOWN: usize = usize::MAX;

/// Opens the library.
///
/// # Errors
/// What the loader says, with what to do.
pub(crate) fn load(library: &Path) -> anyhow::Result<*mut c_void> {
    let name = CString::new(library.as_os_str().as_encoded_bytes())?;
    // SAFETY: a name; the library is the user's.
    let opened = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if opened.is_null() {
        // SAFETY: a text of this thread, or null.
        let why = unsafe { libc::dlerror().cast_const().as_ref().map(|text| CStr::from_ptr(text).to_string_lossy()) };
        bail!(
            "{}: the library of Microsoft's shader compiler cannot be loaded ({}); it comes with releases of \
             DirectXShaderCompiler, and REPRISE_DXCOMPILER or the loader's path says where it is",
            library.display(),
            why.unwrap_or_default()
        );
    }
    Ok(opened)
}

/// The text of a container, as the library has it.
///
/// # Errors
/// The library is not there or refuses the container.
pub(crate) fn disassemble(library: &Path, container: &[u8]) -> anyhow::Result<Vec<u8>> {
    let opened = load(library)?;
    // SAFETY: the library is open; the name is a string.
    let create = unsafe { libc::dlsym(opened, c"DxcCreateInstance2".as_ptr()) };
    ensure!(!create.is_null(), "{} has no DxcCreateInstance2: it is another library", library.display());
    // SAFETY: the function of this name has this form.
    let create = unsafe { std::mem::transmute::<*mut c_void, Create>(create) };
    let mut allocator = Object { vtable: ALLOCATOR.0.as_ptr() };
    let mut compiler: *mut Object = std::ptr::null_mut();
    // SAFETY: an object with the slots of IMalloc in either layout, alive until the process ends; two ids; a place.
    let made = unsafe { create(&raw mut allocator, &COMPILER_CLASS, &COMPILER, &raw mut compiler) };
    ensure!(made >= 0 && !compiler.is_null(), "{} makes no compiler ({made:#010x})", library.display());
    let shift = SHIFT.load(Ordering::Relaxed);
    ensure!(shift != UNKNOWN, "{} did not say how its interfaces are laid out", library.display());
    let source = Source { vtable: SOURCE.0.as_ptr(), bytes: container };
    let mut text: *mut Object = std::ptr::null_mut();
    // SAFETY: the compiler is an IDxcCompiler, whose method in this slot has this form; the source has the slots of IDxcBlob in
    // either layout and outlives the call.
    let told = unsafe {
        let method = *(*compiler).vtable.add(DISASSEMBLE + shift);
        type Disassemble = unsafe extern "C" fn(*mut Object, *const Source<'_>, *mut *mut Object) -> i32;
        std::mem::transmute::<*const c_void, Disassemble>(method)(compiler, &raw const source, &raw mut text)
    };
    ensure!(told >= 0 && !text.is_null(), "{} cannot disassemble it ({told:#010x})", library.display());
    // SAFETY: the text is an IDxcBlob, whose methods have these forms; what they give lives as long as it, which is for good.
    let bytes = unsafe {
        let method = |slot: usize| *(*text).vtable.add(slot + shift);
        type Pointer = unsafe extern "C" fn(*mut Object) -> *const u8;
        type Size = unsafe extern "C" fn(*mut Object) -> usize;
        let pointer = std::mem::transmute::<*const c_void, Pointer>(method(BUFFER_POINTER))(text);
        let size = std::mem::transmute::<*const c_void, Size>(method(BUFFER_SIZE))(text);
        if pointer.is_null() { &[][..] } else { std::slice::from_raw_parts(pointer, size) }
    };
    // The text ends with a zero.
    Ok(bytes.strip_suffix(&[0]).unwrap_or(bytes).to_vec())
}

/// Functions in the order of an interface.
struct Slots<const COUNT: usize>([*const c_void; COUNT]);

// SAFETY: functions, which nobody changes.
unsafe impl<const COUNT: usize> Sync for Slots<COUNT> {}

/// `IMalloc` in both layouts at once: `Alloc`, `Realloc`, `Free`, `GetSize`, `DidAlloc`, `HeapMinimize` from slot 3 or 5.
static ALLOCATOR: Slots<11> = Slots([
    itself as *const c_void,
    counted as *const c_void,
    counted as *const c_void,
    allocate_new as *const c_void,
    reallocate as *const c_void,
    third as *const c_void,
    fourth as *const c_void,
    fifth as *const c_void,
    nothing as *const c_void,
    nothing as *const c_void,
    nothing as *const c_void,
]);

/// `IDxcBlob` in both layouts at once.
static SOURCE: Slots<7> = Slots([
    itself as *const c_void,
    counted as *const c_void,
    counted as *const c_void,
    source_pointer as *const c_void,
    source_size as *const c_void,
    source_pointer as *const c_void,
    source_size as *const c_void,
]);

#[repr(C)]
struct Source<'b> {
    vtable: *const *const c_void,
    bytes: &'b [u8],
}

/// `QueryInterface`: asked only for what they are.
unsafe extern "C" fn itself(this: *mut Object, _iid: *const Guid, out: *mut *mut Object) -> i32 {
    // SAFETY: the caller's place.
    unsafe { out.write(this) };
    0
}

/// `AddRef` and `Release`: they outlive everyone who counts.
unsafe extern "C" fn counted(_this: *mut Object) -> u32 {
    1
}

unsafe extern "C" fn source_pointer(this: *const Source<'_>) -> *const u8 {
    // SAFETY: an object of ours.
    let bytes = unsafe { (*this).bytes };
    bytes.as_ptr()
}

unsafe extern "C" fn source_size(this: *const Source<'_>) -> usize {
    // SAFETY: an object of ours.
    let bytes = unsafe { (*this).bytes };
    bytes.len()
}

unsafe extern "C" fn allocate_new(_this: *mut Object, size: usize) -> *mut c_void {
    SHIFT.store(0, Ordering::Relaxed);
    // SAFETY: any size may be asked for.
    unsafe { libc::malloc(size) }
}

/// The new layout's only: the old one has a destructor there, which nobody calls.
unsafe extern "C" fn reallocate(_this: *mut Object, pointer: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: memory of `malloc`, or null.
    unsafe { libc::realloc(pointer, size) }
}

/// `Free`, or the old layout's `Alloc`, which comes before any memory is there to be freed.
unsafe extern "C" fn third(_this: *mut Object, value: usize) -> *mut c_void {
    if SHIFT.load(Ordering::Relaxed) != 0 {
        SHIFT.store(2, Ordering::Relaxed);
        // SAFETY: any size may be asked for.
        return unsafe { libc::malloc(value) };
    }
    // SAFETY: memory of `malloc`, or null.
    unsafe { libc::free(value as *mut c_void) };
    std::ptr::null_mut()
}

/// `GetSize`, or the old layout's `Realloc`.
unsafe extern "C" fn fourth(_this: *mut Object, pointer: *mut c_void, size: usize) -> *mut c_void {
    match SHIFT.load(Ordering::Relaxed) {
        // SAFETY: memory of `malloc`, or null.
        2 => unsafe { libc::realloc(pointer, size) },
        // SAFETY: the library asks for the size of memory that this allocator gave it with `malloc`, or of null.
        _ => unsafe { libc::malloc_usable_size(pointer) as *mut c_void },
    }
}

/// `DidAlloc`, which may say that it does not know, or the old layout's `Free`.
unsafe extern "C" fn fifth(_this: *mut Object, pointer: *mut c_void) -> i32 {
    if SHIFT.load(Ordering::Relaxed) == 2 {
        // SAFETY: memory of `malloc`, or null.
        unsafe { libc::free(pointer) };
    }
    -1
}

/// `HeapMinimize`, and what else is not asked.
unsafe extern "C" fn nothing(_this: *mut Object) -> i32 {
    -1
}

/// The library to use: what the environment names, or the usual one.
pub(crate) fn library() -> std::path::PathBuf {
    std::env::var_os(reprise_environment::command::DXCOMPILER)
        .filter(|path| !path.is_empty())
        .unwrap_or_else(|| LIBRARY.into())
        .into()
}

/// Whether it can be used.
///
/// # Errors
/// As [`load`].
pub(crate) fn check() -> anyhow::Result<()> {
    load(&library()).map(|_| ()).context("--disassemble=dxc")
}
