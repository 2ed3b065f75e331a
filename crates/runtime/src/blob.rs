//! `ID3DBlob`: bytes with a count.

use core::ffi::c_void;

use reprise_com::result::S_OK;
use reprise_com::{Class, Object, Tables, Vtable, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;

/// Bytes that a program may read for as long as it holds the object.
#[derive(Debug)]
pub struct Blob(Box<[u8]>);

const INTERFACE: InterfaceId = interface("ID3DBlob");

static VTABLE: Vtable<{ INTERFACE.slots() as usize }> = vtable(
    INTERFACE,
    Object::<Blob>::SHARED,
    &[("GetBufferPointer", get_buffer_pointer as *const c_void), ("GetBufferSize", get_buffer_size as *const c_void)],
);

impl Class for Blob {
    const INTERFACE: InterfaceId = INTERFACE;
    const VTABLE: Tables = VTABLE.tables();
}

/// Gives bytes to the program as a blob.
///
/// # Safety
/// `out` is writable.
pub unsafe fn give(bytes: Vec<u8>, out: *mut *mut c_void) -> i32 {
    let blob = Object::make(Blob(bytes.into()));
    // SAFETY: the caller promises: `out` is writable.
    unsafe { blob.give(&INTERFACE.get().iid, out) }
}

/// Gives text to the program as a zero-terminated blob, where it wants one.
///
/// # Safety
/// `out` is null or writable.
pub unsafe fn give_text(text: &str, out: *mut *mut c_void) {
    if !out.is_null() {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        // SAFETY: `out` is writable.
        let given = unsafe { give(bytes, out) };
        debug_assert_eq!(given, S_OK, "a blob answers its own interface");
    }
}

unsafe extern "C" fn get_buffer_pointer(this: *mut c_void) -> *mut c_void {
    // SAFETY: a blob of ours.
    unsafe { Object::<Blob>::this(this) }.0.as_ptr().cast_mut().cast()
}

unsafe extern "C" fn get_buffer_size(this: *mut c_void) -> usize {
    // SAFETY: a blob of ours.
    unsafe { Object::<Blob>::this(this) }.0.len()
}
