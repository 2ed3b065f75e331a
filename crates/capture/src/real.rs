//! Calls of the runtime's own objects that the wrappers themselves need: `IUnknown`, and slots by number.
//!
//! Invariant: every pointer here is the runtime's, and nothing here records.

use crate::Convention;
use core::ffi::c_void;
use reprise_d3d12::model::{Guid, InterfaceId, MethodId};

/// `S_OK`.
pub(crate) const S_OK: i32 = 0;
/// `E_NOINTERFACE`.
pub(crate) const E_NOINTERFACE: i32 = 0x8000_4002_u32 as i32;
/// `E_POINTER`.
pub(crate) const E_POINTER: i32 = 0x8000_4003_u32 as i32;
/// `DXGI_ERROR_NOT_FOUND`.
pub(crate) const NOT_FOUND: i32 = 0x887a_0002_u32 as i32;

/// `IUnknown`.
pub(crate) const IID_UNKNOWN: Guid = Guid { data1: 0, data2: 0, data3: 0, data4: [0xc0, 0, 0, 0, 0, 0, 0, 0x46] };

/// The function in slot `slot` of an object's vtable.
///
/// # Safety
/// `object` is a live COM pointer whose vtable has that slot.
#[inline(always)]
pub(crate) unsafe fn slot(object: *mut c_void, slot: usize) -> *const c_void {
    // SAFETY: the first word of a COM object is its vtable, and the caller says that it has the slot.
    unsafe { *(*object.cast::<*const *const c_void>()).add(slot) }
}

macro_rules! call {
    ($convention:expr, $function:expr, ($($ty:ty),*) -> $result:ty, ($($arg:expr),*)) => {{
        let function: *const core::ffi::c_void = $function;
        match $convention {
            // SAFETY: the caller states the signature; the convention is that of the runtime behind the object.
            $crate::Convention::Win64 => unsafe {
                core::mem::transmute::<*const core::ffi::c_void, unsafe extern "win64" fn($($ty),*) -> $result>(function)($($arg),*)
            },
            // SAFETY: the caller states the signature; the convention is that of the runtime behind the object.
            $crate::Convention::SystemV | $crate::Convention::Itanium => unsafe {
                core::mem::transmute::<*const core::ffi::c_void, unsafe extern "sysv64" fn($($ty),*) -> $result>(function)($($arg),*)
            },
        }
    }};
}
pub(crate) use call;

/// `IUnknown::QueryInterface`; null where the object does not have it.
///
/// # Safety
/// `object` is a live COM pointer of `convention`.
pub(crate) unsafe fn query(convention: Convention, object: *mut c_void, iid: &Guid) -> *mut c_void {
    let mut out: *mut c_void = core::ptr::null_mut();
    // SAFETY: slot 0 of every COM object is QueryInterface.
    let result = unsafe { query_result(convention, object, iid, &raw mut out) };
    if result >= 0 { out } else { core::ptr::null_mut() }
}

/// `IUnknown::QueryInterface` with its result code.
///
/// # Safety
/// As [`query`]; `out` is what the callee's contract asks for.
pub(crate) unsafe fn query_result(
    convention: Convention,
    object: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: slot 0 of every COM object is QueryInterface.
    let function = unsafe { slot(object, 0) };
    call!(convention, function, (*mut c_void, *const Guid, *mut *mut c_void) -> i32, (object, iid, out))
}

/// `IUnknown::AddRef`.
///
/// # Safety
/// `object` is a live COM pointer of `convention`.
pub(crate) unsafe fn add_ref(convention: Convention, object: *mut c_void) -> u32 {
    // SAFETY: slot 1 of every COM object is AddRef.
    let function = unsafe { slot(object, 1) };
    call!(convention, function, (*mut c_void) -> u32, (object))
}

/// `IUnknown::Release`.
///
/// # Safety
/// `object` is a live COM pointer of `convention`, and the caller owns one reference.
pub(crate) unsafe fn release(convention: Convention, object: *mut c_void) -> u32 {
    // SAFETY: slot 2 of every COM object is Release.
    let function = unsafe { slot(object, 2) };
    call!(convention, function, (*mut c_void) -> u32, (object))
}

/// The pointer that stands for the object's identity: its `IUnknown`. Borrowed, not counted.
///
/// # Safety
/// `object` is a live COM pointer of `convention`.
pub(crate) unsafe fn canonical(convention: Convention, object: *mut c_void) -> *mut c_void {
    // SAFETY: the caller passes a live object; the reference that QueryInterface gave is given back, the caller's own keeps it.
    unsafe {
        let unknown = query(convention, object, &IID_UNKNOWN);
        if unknown.is_null() {
            return object;
        }
        release(convention, unknown);
        unknown
    }
}

/// Calls any function of the model.
///
/// # Safety
/// As [`reprise_d3d12::abi::call`].
pub(crate) unsafe fn invoke(
    convention: Convention,
    function: *const c_void,
    this: Option<*mut c_void>,
    words: &[u64],
    method: reprise_d3d12::model::MethodId,
) -> u64 {
    // SAFETY: function, convention, object and words belong to this method, as the caller of this function says.
    unsafe { reprise_d3d12::abi::call(convention, function, this, words, method.get()) }
}

/// Asks a real object: calls `method`, which it has, and returns the result.
///
/// # Safety
/// `object` is alive, has the method, and `words` are valid arguments.
pub(crate) unsafe fn ask(
    convention: Convention,
    object: *mut c_void,
    method: reprise_d3d12::model::MethodId,
    words: &[u64],
) -> u64 {
    // SAFETY: the caller says that the object is alive, has the method in this slot, and takes these words.
    unsafe { invoke(convention, slot(object, method.get().slot.into()), Some(object), words, method) }
}

/// A reference to an object of the runtime, given back when it is dropped.
pub(crate) struct Owned {
    pub(crate) convention: Convention,
    pub(crate) pointer: *mut c_void,
}

impl Owned {
    /// Calls a method; the words are its arguments.
    ///
    /// # Safety
    /// The object has the method, and takes these words.
    pub(crate) unsafe fn call(&self, method: MethodId, words: &[u64]) -> u64 {
        // SAFETY: the reference keeps the object alive; the rest is the caller's promise.
        unsafe { ask(self.convention, self.pointer, method, words) }
    }

    /// Calls a method that makes an object: its last two arguments are an interface id and a place.
    ///
    /// # Safety
    /// As [`Owned::call`], with `words` as all arguments before these two.
    pub(crate) unsafe fn make(&self, method: MethodId, words: &[u64], class: InterfaceId) -> Result<Owned, String> {
        let mut out: *mut c_void = core::ptr::null_mut();
        let mut all = words.to_vec();
        all.extend([(&raw const class.get().iid) as u64, (&raw mut out) as u64]);
        // SAFETY: the caller's words, an interface id, and a place for the pointer.
        let result = unsafe { self.call(method, &all) } as u32;
        if (result as i32) < 0 || out.is_null() {
            return Err(format!("{}: 0x{result:08x}", method.get().name));
        }
        Ok(Owned { convention: self.convention, pointer: out })
    }

    /// Calls a method and names it where it fails.
    ///
    /// # Safety
    /// As [`Owned::call`].
    pub(crate) unsafe fn succeed(&self, method: MethodId, words: &[u64]) -> Result<(), String> {
        // SAFETY: the caller's promise is the same.
        let result = unsafe { self.call(method, words) } as u32;
        if (result as i32) < 0 { Err(format!("{}: 0x{result:08x}", method.get().name)) } else { Ok(()) }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the reference that this value owns.
        unsafe { release(self.convention, self.pointer) };
    }
}
