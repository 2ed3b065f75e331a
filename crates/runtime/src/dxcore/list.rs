//! `IDXCoreAdapterList`: adapters that have what was asked for, in an order that the program can choose.

use core::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use reprise_com::guard;
use reprise_com::guid::guid;
use reprise_com::result::{DXGI_ERROR_UNSUPPORTED, E_FAIL, E_INVALIDARG, E_POINTER, S_OK};
use reprise_d3d12::model::Guid;

use super::adapter::{self, Adapter};
use super::object::{Class, Object, get_factory};

/// A list.
pub(super) struct List(Mutex<Vec<&'static Object<Adapter>>>);

impl Class for List {
    const INTERFACES: &'static [Guid] =
        &[guid(0x526c_7776, 0x40e9, 0x459b, [0xb7, 0x11, 0xf3, 0x2a, 0xd7, 0x6d, 0xfc, 0x28])];
    const METHODS: &'static [*const c_void] = &[
        get_adapter as *const c_void,
        get_adapter_count as *const c_void,
        is_stale as *const c_void,
        get_factory as *const c_void,
        sort as *const c_void,
        is_adapter_preference_supported as *const c_void,
    ];
    const GOES: bool = true;
}

/// The adapters that are wanted.
pub(super) fn of(wanted: impl Fn(&Adapter) -> bool) -> List {
    List(Mutex::new(adapter::all().iter().filter(|adapter| wanted(&adapter.body)).collect()))
}

impl List {
    fn with<T>(&self, then: impl FnOnce(&mut Vec<&'static Object<Adapter>>) -> T) -> T {
        then(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

unsafe extern "C" fn get_adapter(this: *mut c_void, index: u32, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a list of ours.
        let found = unsafe { Object::<List>::this(this) }.body.with(|all| all.get(index as usize).copied());
        let Some(adapter) = found else { return E_INVALIDARG };
        // SAFETY: adapters live as long as the process, so the copied reference outlives the list; `query` looks at `iid` and `out`, which
        // are null, or an id and room for a pointer.
        unsafe { adapter.query(iid, out) }
    })
}

unsafe extern "C" fn get_adapter_count(this: *mut c_void) -> u32 {
    // SAFETY: a list of ours.
    guard(0, || unsafe { Object::<List>::this(this) }.body.with(|all| all.len() as u32))
}

/// Devices neither come nor go while a process uses Vulkan.
unsafe extern "C" fn is_stale(_this: *mut c_void) -> bool {
    false
}

/// What an adapter is worth by a preference, the best first; `None` where there is no such preference.
fn rank(preference: u32, adapter: &Adapter) -> Option<(u8, core::cmp::Reverse<u64>)> {
    let card = &adapter.card;
    let (software, integrated) = (u8::from(!card.is_hardware), u8::from(card.is_integrated));
    Some(match preference {
        // Hardware.
        0 => (software, core::cmp::Reverse(0)),
        // MinimumPower.
        1 => (2 * software + (1 - integrated), core::cmp::Reverse(0)),
        // HighPerformance.
        2 => (2 * software + integrated, core::cmp::Reverse(card.local)),
        _ => return None,
    })
}

unsafe extern "C" fn sort(this: *mut c_void, count: u32, preferences: *const u32) -> i32 {
    guard(E_FAIL, || {
        if count == 0 {
            return E_INVALIDARG;
        }
        if preferences.is_null() {
            return E_POINTER;
        }
        // SAFETY: the program's array has so many preferences.
        let preferences = unsafe { core::slice::from_raw_parts(preferences, count as usize) };
        if !preferences.iter().all(|preference| is_preference(*preference)) {
            return DXGI_ERROR_UNSUPPORTED;
        }
        // SAFETY: a list of ours.
        let list = unsafe { &Object::<List>::this(this).body };
        let key = |adapter: &&Object<Adapter>| -> Vec<_> {
            preferences.iter().map(|preference| rank(*preference, &adapter.body)).collect()
        };
        list.with(|all| all.sort_by_cached_key(key));
        S_OK
    })
}

fn is_preference(preference: u32) -> bool {
    preference <= 2
}

unsafe extern "C" fn is_adapter_preference_supported(_this: *mut c_void, preference: u32) -> bool {
    is_preference(preference)
}
