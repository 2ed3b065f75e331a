//! Adapters: those of DXCore, with the properties that they have to have and those that they may lack, and those of native libraries of
//! DXGI, whose characters have four bytes.
#![allow(clippy::unwrap_used)]

mod com;

use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use com::Com;
use reprise_com::guid::guid;
use reprise_com::result::{E_INVALIDARG, E_NOINTERFACE, E_NOTIMPL, S_FALSE, S_OK};
use reprise_d3d12::interface;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::{D3D_FEATURE_LEVEL, LUID};

const CORE: Guid = guid(0xf0db_4c7f, 0xfe5a, 0x42a2, [0xbd, 0x62, 0xf2, 0xa6, 0xcf, 0x6f, 0xc8, 0x3e]);
/// The adapter's LUID.
const NAME: [u32; 2] = [0x1234, 7];

/// An adapter that answers `IDXCoreAdapter`, if it answers anything.
#[repr(C)]
struct Adapter {
    vtable: *const [*const c_void; 14],
    answers: bool,
    /// How many of its properties it has: the LUID, the description, the ids of its hardware.
    properties: u32,
    references: AtomicU32,
}

static VTABLE: Table = Table([
    query as *const c_void,
    add_ref as *const c_void,
    release as *const c_void,
    not as *const c_void,
    not as *const c_void,
    not as *const c_void,
    get as *const c_void,
    get_size as *const c_void,
    not as *const c_void,
    not as *const c_void,
    not as *const c_void,
    not as *const c_void,
    not as *const c_void,
    not as *const c_void,
]);

struct Table([*const c_void; 14]);

// SAFETY: addresses of functions.
unsafe impl Sync for Table {}

unsafe extern "C" fn query(this: *mut Adapter, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: the runtime passes the adapter, an interface id and a place.
    unsafe {
        let known = *iid == CORE && (*this).answers || *iid == interface("IUnknown").get().iid;
        out.write(if known { this.cast() } else { null_mut() });
        (*this).references.fetch_add(known.into(), Ordering::Relaxed);
        if known { S_OK } else { E_NOINTERFACE }
    }
}

unsafe extern "C" fn add_ref(this: *mut Adapter) -> u32 {
    // SAFETY: the runtime passes the adapter.
    unsafe { (*this).references.fetch_add(1, Ordering::Relaxed) + 1 }
}

unsafe extern "C" fn release(this: *mut Adapter) -> u32 {
    // SAFETY: the runtime passes the adapter.
    unsafe { (*this).references.fetch_sub(1, Ordering::Relaxed) - 1 }
}

unsafe extern "C" fn not() -> i32 {
    E_NOTIMPL
}

/// The bytes of a property, by `DXCoreAdapterProperty`.
fn property(adapter: &Adapter, property: u32) -> Option<Vec<u8>> {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    match property {
        0 if adapter.properties >= 1 => Some(words(&NAME)),
        2 if adapter.properties >= 2 => Some(b"an adapter\0".to_vec()),
        3 if adapter.properties >= 3 => Some(words(&[0x1_0005, 0, 0, 0])),
        _ => None,
    }
}

unsafe extern "C" fn get(this: *mut Adapter, which: u32, size: usize, out: *mut u8) -> i32 {
    // SAFETY: the runtime passes the adapter, and a place of so many bytes.
    unsafe {
        match property(&*this, which) {
            Some(bytes) if bytes.len() <= size => {
                out.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                S_OK
            }
            _ => E_INVALIDARG,
        }
    }
}

unsafe extern "C" fn get_size(this: *mut Adapter, which: u32, size: *mut usize) -> i32 {
    // SAFETY: the runtime passes the adapter and a place.
    unsafe {
        match property(&*this, which) {
            Some(bytes) => {
                size.write(bytes.len());
                S_OK
            }
            None => E_INVALIDARG,
        }
    }
}

/// A process has one device for an adapter, which others must not hold meanwhile.
static ALONE: Mutex<()> = Mutex::new(());

fn adapter(answers: bool, properties: u32) -> Adapter {
    Adapter { vtable: &raw const VTABLE.0, answers, properties, references: AtomicU32::new(1) }
}

/// Asks for a device of a level; without a place for it the call only asks.
fn create(adapter: &Adapter, level: D3D_FEATURE_LEVEL, out: *mut *mut c_void) -> i32 {
    let iid = &interface("ID3D12Device").get().iid;
    // SAFETY: an adapter that lives, and a local place.
    unsafe { reprise_runtime::entry::create_device(core::ptr::from_ref(adapter).cast_mut().cast(), level, iid, out) }
}

#[test]
fn an_adapter_of_dxcore_gives_a_device() {
    let _alone = ALONE.lock();
    for properties in 1..=3 {
        let core = adapter(true, properties);
        let mut made = null_mut();
        assert_eq!(create(&core, D3D_FEATURE_LEVEL::LEVEL_11_0, null_mut()), S_FALSE, "{properties}");
        assert_eq!(create(&core, D3D_FEATURE_LEVEL::LEVEL_11_0, &mut made), S_OK, "{properties}");
        let device = Com(made);
        let mut luid = LUID::default();
        device.call("ID3D12Device", "GetAdapterLuid", &[com::place(&mut luid)]);
        assert_eq!((luid.LowPart, luid.HighPart), (NAME[0], NAME[1] as i32), "{properties}");
        assert!(core.references.load(Ordering::Relaxed) > 1, "the device holds its adapter");
        drop(device);
        assert_eq!(core.references.load(Ordering::Relaxed), 1, "{properties}");
    }
}

#[test]
fn objects_that_are_no_adapters_or_have_no_name_give_none() {
    let _alone = ALONE.lock();
    for other in [adapter(false, 3), adapter(true, 0)] {
        let mut made = null_mut();
        assert_eq!(create(&other, D3D_FEATURE_LEVEL::LEVEL_11_0, &mut made), E_INVALIDARG);
        assert_eq!((made, other.references.load(Ordering::Relaxed)), (null_mut(), 1));
    }
}

/// Levels of devices for computing alone are levels; others are none.
#[test]
fn every_device_has_the_levels_of_devices_for_computing() {
    let _alone = ALONE.lock();
    let core = adapter(true, 3);
    for level in [D3D_FEATURE_LEVEL::LEVEL_1_0_GENERIC, D3D_FEATURE_LEVEL::LEVEL_1_0_CORE] {
        assert_eq!(create(&core, level, null_mut()), S_FALSE, "{level:?}");
    }
    for level in [D3D_FEATURE_LEVEL::LEVEL_10_1, D3D_FEATURE_LEVEL(0x2000)] {
        assert_eq!(create(&core, level, null_mut()), E_INVALIDARG, "{level:?}");
    }
}

/// An adapter of a native library of DXGI.
#[repr(C)]
struct NativeAdapter {
    vtable: *const [*const c_void; 10],
    references: AtomicU32,
}

/// `DXGI_ADAPTER_DESC` with `wchar_t` as Linux has it.
#[repr(C)]
struct NativeDesc {
    name: [u32; 128],
    ids: [u32; 4],
    memory: [usize; 3],
    luid: [u32; 2],
}

struct NativeTable([*const c_void; 10]);

// SAFETY: addresses of functions.
unsafe impl Sync for NativeTable {}

static NATIVE: NativeTable = NativeTable([
    query_native as *const c_void,
    add_ref_native as *const c_void,
    release_native as *const c_void,
    not as *const c_void,
    not as *const c_void,
    not as *const c_void,
    not as *const c_void,
    not as *const c_void,
    describe_native as *const c_void,
    not as *const c_void,
]);

unsafe extern "C" fn query_native(this: *mut NativeAdapter, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: the runtime passes the adapter, an interface id and a place.
    unsafe {
        let known = ["IDXGIAdapter", "IUnknown"].iter().any(|name| *iid == interface(name).get().iid);
        out.write(if known { this.cast() } else { null_mut() });
        (*this).references.fetch_add(known.into(), Ordering::Relaxed);
        if known { S_OK } else { E_NOINTERFACE }
    }
}

unsafe extern "C" fn add_ref_native(this: *mut NativeAdapter) -> u32 {
    // SAFETY: the runtime passes the adapter.
    unsafe { (*this).references.fetch_add(1, Ordering::Relaxed) + 1 }
}

unsafe extern "C" fn release_native(this: *mut NativeAdapter) -> u32 {
    // SAFETY: the runtime passes the adapter.
    unsafe { (*this).references.fetch_sub(1, Ordering::Relaxed) - 1 }
}

unsafe extern "C" fn describe_native(_this: *mut NativeAdapter, out: *mut NativeDesc) -> i32 {
    let mut name = [0; 128];
    name[..3].copy_from_slice(&['G', 'P', 'U'].map(u32::from));
    // SAFETY: the caller of a native library has room for its structure.
    unsafe { out.write(NativeDesc { name, ids: [0x1_0005, 0, 0, 0], memory: [0; 3], luid: NAME }) };
    S_OK
}

#[test]
fn an_adapter_of_a_native_dxgi_gives_a_device_of_its_name() {
    let _alone = ALONE.lock();
    let native = NativeAdapter { vtable: &raw const NATIVE.0, references: AtomicU32::new(1) };
    let iid = &interface("ID3D12Device").get().iid;
    let mut made = null_mut();
    let pointer: *mut c_void = core::ptr::from_ref(&native).cast_mut().cast();
    // SAFETY: an adapter that lives, and a local place.
    let result =
        unsafe { reprise_runtime::entry::create_device(pointer, D3D_FEATURE_LEVEL::LEVEL_11_0, iid, &mut made) };
    assert_eq!(result, S_OK);
    let device = Com(made);
    let mut luid = LUID::default();
    device.call("ID3D12Device", "GetAdapterLuid", &[com::place(&mut luid)]);
    assert_eq!((luid.LowPart, luid.HighPart), (NAME[0], NAME[1] as i32));
}
