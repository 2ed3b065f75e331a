//! Private data: bytes and interfaces that the program attaches to an object under GUIDs of its choice.

use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use reprise_d3d12::abi::{self, Convention};
use reprise_d3d12::model::{Guid, MethodId};
use reprise_d3d12::{interface, method};

use crate::result::{DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, E_INVALIDARG, S_FALSE, S_OK};
use crate::wide;

const _: () = assert!(interface("IUnknown").0 < u16::MAX);
const ADD_REF: MethodId = method("IUnknown", "AddRef");
const RELEASE: MethodId = method("IUnknown", "Release");

/// The convention of the program's own objects: the platform's.
pub(crate) const NATIVE: Convention = if cfg!(windows) { Convention::Win64 } else { Convention::SystemV };

/// A COM pointer of the program's, held by a reference; or null, which the API keeps as a value too.
struct Held(*mut c_void);

// SAFETY: COM objects given to a runtime may be referenced from any thread.
unsafe impl Send for Held {}

impl Held {
    /// # Safety
    /// `pointer` is null or a COM pointer.
    unsafe fn new(pointer: *mut c_void) -> Held {
        if !pointer.is_null() {
            // SAFETY: not null, so a COM pointer, as the caller says.
            unsafe { call(pointer, ADD_REF) };
        }
        Held(pointer)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the reference taken in `new` is given back once.
            unsafe { call(self.0, RELEASE) };
        }
    }
}

/// # Safety
/// `pointer` is a COM pointer; the method is one of `IUnknown` without arguments.
unsafe fn call(pointer: *mut c_void, method: MethodId) {
    // SAFETY: a COM pointer begins with its vtable, whose first three slots are those of `IUnknown`.
    unsafe {
        let vtable = *pointer.cast::<*const *const c_void>();
        abi::call(NATIVE, *vtable.add(usize::from(method.get().slot)), Some(pointer), &[], method.get());
    }
}

enum Value {
    Bytes(Box<[u8]>),
    Interface(Held),
}

/// What is attached to one object.
#[derive(Default)]
pub struct PrivateData {
    values: Mutex<BTreeMap<u128, Value>>,
    /// Whether anything was ever attached. Most objects have nothing, and go without a lock.
    used: AtomicBool,
}

impl PrivateData {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u128, Value>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn insert(&self, name: &Guid, value: Value) {
        let mut values = self.lock();
        self.used.store(true, Ordering::Relaxed);
        let old = values.insert(name.to_u128(), value);
        drop(values);
        // Outside the lock: a release may call back.
        drop(old);
    }

    /// `SetPrivateData`: no bytes at all (`None`) removes what is there; `S_FALSE` when there was nothing.
    pub fn set(&self, name: &Guid, bytes: Option<&[u8]>) -> i32 {
        let old = match bytes {
            Some(bytes) => {
                self.insert(name, Value::Bytes(bytes.into()));
                return S_OK;
            }
            None => self.lock().remove(&name.to_u128()),
        };
        // The old value is dropped here, outside the lock: a release may call back.
        if old.is_some() { S_OK } else { S_FALSE }
    }

    /// `SetPrivateDataInterface`; null is kept as a value, removing is [`PrivateData::set`]'s.
    ///
    /// # Safety
    /// `pointer` is null or a COM pointer.
    pub unsafe fn set_interface(&self, name: &Guid, pointer: *mut c_void) -> i32 {
        // SAFETY: the caller passes null or a COM pointer.
        let held = unsafe { Held::new(pointer) };
        self.insert(name, Value::Interface(held));
        S_OK
    }

    /// `GetPrivateData`: `size` is what the buffer holds and becomes what there is; an interface is given out with a
    /// reference.
    ///
    /// # Safety
    /// `buffer` is null or writable for `size` bytes.
    pub unsafe fn get(&self, name: &Guid, size: Option<&mut u32>, buffer: *mut u8) -> i32 {
        let Some(size) = size else { return E_INVALIDARG };
        let values = self.lock();
        let Some(value) = values.get(&name.to_u128()) else {
            *size = 0;
            return DXGI_ERROR_NOT_FOUND;
        };
        let pointer;
        let bytes: &[u8] = match value {
            Value::Bytes(bytes) => bytes,
            Value::Interface(held) => {
                pointer = (held.0 as usize).to_ne_bytes();
                &pointer
            }
        };
        let gives = !buffer.is_null() && *size as usize >= bytes.len();
        if let Value::Interface(held) = value
            && !held.0.is_null()
            && gives
        {
            // SAFETY: held by a reference of ours; the caller gets one of its own.
            unsafe { call(held.0, ADD_REF) };
        }
        // SAFETY: the caller passes the buffer with its size.
        unsafe { answer(bytes, Some(size), buffer) }
    }

    /// Lets go of everything; the interfaces hear of it after the lock is free. For an object that the program has released: what
    /// any thread attached came before its release.
    pub fn clear(&self) {
        if !self.used.load(Ordering::Relaxed) {
            return;
        }
        let taken = core::mem::take(&mut *self.lock());
        drop(taken);
    }

    /// The name given by `SetName`, for messages.
    pub fn name(&self) -> Option<String> {
        let values = self.lock();
        let Some(Value::Bytes(bytes)) = values.get(&crate::guid::DEBUG_OBJECT_NAME_W.to_u128()) else { return None };
        Some(String::from_utf16_lossy(&wide::decode(bytes)).trim_end_matches('\0').to_owned())
    }
}

/// Answers `GetPrivateData` with these bytes: `size` is what the buffer holds and becomes what there is.
///
/// # Safety
/// `buffer` is null or writable for `size` bytes.
pub(crate) unsafe fn answer(bytes: &[u8], size: Option<&mut u32>, buffer: *mut u8) -> i32 {
    let Some(size) = size else { return E_INVALIDARG };
    let room = core::mem::replace(size, bytes.len() as u32) as usize;
    if buffer.is_null() {
        return S_OK;
    }
    if room < bytes.len() {
        return DXGI_ERROR_MORE_DATA;
    }
    // SAFETY: the buffer holds `room` bytes, which is enough.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer, bytes.len()) };
    S_OK
}

impl core::fmt::Debug for PrivateData {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "PrivateData({})", self.lock().len())
    }
}
