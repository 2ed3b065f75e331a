//! `IVKD3DCoreInterface`: vkd3d-proton's `d3d12.dll` calls the library behind it, `d3d12core.dll`, through this interface. Our library may
//! stand in the place of `d3d12core.dll`.
//!
//! The interface has no `IUnknown`: one table for the whole process, without counts. Its methods are the exported functions.

use core::ffi::c_void;

use reprise_com::guid::guid;
use reprise_com::result::{E_NOINTERFACE, S_FALSE, S_OK};
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::{
    D3D_FEATURE_LEVEL, D3D_ROOT_SIGNATURE_VERSION, D3D12_ROOT_SIGNATURE_DESC, D3D12_VERSIONED_ROOT_SIGNATURE_DESC,
};

use crate::entry;

/// `CLSID_VKD3DCore`.
pub(super) const CLASS: Guid = guid(0xed53_efad, 0xda21, 0x4d96, [0xa1, 0xbc, 0xe7, 0x34, 0xe0, 0x78, 0x87, 0x9c]);
/// The interface's id.
const INTERFACE: Guid = guid(0x18da_885c, 0xa7b5, 0x464e, [0xa1, 0x21, 0xcc, 0xb7, 0x5d, 0x4d, 0xfc, 0x31]);

type Out = *mut *mut c_void;

macro_rules! methods {
    ($($function:ident($($argument:ident: $ty:ty),*);)*) => {
        /// The table, in the interface's order.
        #[allow(dead_code, reason = "read by programs")]
        struct Methods([*const c_void; [$(stringify!($function)),*].len()]);

        // SAFETY: constant addresses of functions.
        unsafe impl Sync for Methods {}

        static METHODS: Methods = Methods([$({
            unsafe extern "C" fn method(_this: *mut c_void, $($argument: $ty),*) -> i32 {
                // SAFETY: the caller keeps what the API demands of the exported function's arguments.
                unsafe { entry::$function($($argument),*) }
            }
            method as *const c_void
        }),*]);
    };
}

methods! {
    create_device(adapter: *mut c_void, level: D3D_FEATURE_LEVEL, iid: *const Guid, out: Out);
    create_root_signature_deserializer(bytes: *const c_void, size: usize, iid: *const Guid, out: Out);
    serialize_root_signature(
        desc: *const D3D12_ROOT_SIGNATURE_DESC, version: D3D_ROOT_SIGNATURE_VERSION, out: Out, error: Out);
    create_versioned_root_signature_deserializer(bytes: *const c_void, size: usize, iid: *const Guid, out: Out);
    serialize_versioned_root_signature(desc: *const D3D12_VERSIONED_ROOT_SIGNATURE_DESC, out: Out, error: Out);
    get_debug_interface(iid: *const Guid, out: Out);
    enable_experimental_features(count: u32, features: *const Guid, structures: *const c_void, sizes: *const u32);
    get_interface(class: *const Guid, iid: *const Guid, out: Out);
}

/// An object of the interface: its first word leads to the table.
#[repr(transparent)]
#[allow(dead_code, reason = "read by programs")]
struct Core(&'static Methods);

static CORE: Core = Core(&METHODS);

/// The interface, if that is what is asked for.
///
/// # Safety
/// `out` is null or writable.
pub(super) unsafe fn get(iid: &Guid, out: Out) -> i32 {
    if *iid != INTERFACE {
        return E_NOINTERFACE;
    }
    if out.is_null() {
        return S_FALSE;
    }
    // SAFETY: `out` is not null, so it is writable.
    unsafe { out.write((&raw const CORE).cast_mut().cast()) };
    S_OK
}

#[cfg(test)]
mod tests {
    use reprise_d3d12::interface;

    use super::*;

    /// The slot of a method, by the interface's declaration.
    unsafe fn slot<F: Copy>(core: *mut c_void, at: usize) -> F {
        // SAFETY: the caller names the type of the method in this slot.
        unsafe { core::mem::transmute_copy(&*(*core.cast::<*const *const c_void>()).add(at)) }
    }

    #[test]
    fn every_slot_is_the_function_of_its_name() {
        type Get = unsafe extern "C" fn(*mut c_void, *const Guid, *const Guid, Out) -> i32;
        type Ask = unsafe extern "C" fn(*mut c_void, *const Guid, Out) -> i32;
        type Make = unsafe extern "C" fn(*mut c_void, *mut c_void, D3D_FEATURE_LEVEL, *const Guid, Out) -> i32;
        type Read = unsafe extern "C" fn(*mut c_void, *const c_void, usize, *const Guid, Out) -> i32;
        type Write = unsafe extern "C" fn(*mut c_void, *const c_void, Out, Out) -> i32;
        type WriteOld = unsafe extern "C" fn(*mut c_void, *const c_void, u32, Out, Out) -> i32;
        type Enable = unsafe extern "C" fn(*mut c_void, u32, *const Guid, *const c_void, *const u32) -> i32;
        type Release = unsafe extern "C" fn(*mut c_void) -> u32;
        let iid = |name: &str| interface(name).get().iid;
        let mut core = core::ptr::null_mut();
        // SAFETY: calls as vkd3d-proton's d3d12.dll makes them.
        unsafe {
            assert_eq!(entry::get_interface(&CLASS, &INTERFACE, core::ptr::null_mut()), S_FALSE);
            assert_eq!(entry::get_interface(&CLASS, &iid("IUnknown"), &mut core), E_NOINTERFACE);
            assert_eq!(entry::get_interface(&CLASS, &INTERFACE, &mut core), S_OK);
            let mut object = core::ptr::null_mut();
            let asks = slot::<Make>(core, 0)(
                core,
                core::ptr::null_mut(),
                D3D_FEATURE_LEVEL::LEVEL_11_0,
                &iid("ID3D12Device"),
                core::ptr::null_mut(),
            );
            assert_eq!(asks, S_FALSE, "a device can be made");
            let desc = D3D12_VERSIONED_ROOT_SIGNATURE_DESC {
                Version: D3D_ROOT_SIGNATURE_VERSION::VERSION_1_1,
                ..Default::default()
            };
            let mut bytes = core::ptr::null_mut();
            let nothing = core::ptr::null_mut();
            assert_eq!(slot::<Write>(core, 4)(core, (&raw const desc).cast(), &mut bytes, nothing), S_OK);
            let pointer: unsafe extern "C" fn(*mut c_void) -> *const c_void = slot(bytes, 3);
            let size: unsafe extern "C" fn(*mut c_void) -> usize = slot(bytes, 4);
            let (at, len) = (pointer(bytes), size(bytes));
            for (method, name) in
                [(1, "ID3D12RootSignatureDeserializer"), (3, "ID3D12VersionedRootSignatureDeserializer")]
            {
                assert_eq!(slot::<Read>(core, method)(core, at, len, &iid(name), &mut object), S_OK, "{name}");
                assert_eq!(slot::<Release>(object, 2)(object), 0);
            }
            slot::<Release>(bytes, 2)(bytes);
            let old = D3D12_ROOT_SIGNATURE_DESC::default();
            assert_eq!(slot::<WriteOld>(core, 2)(core, (&raw const old).cast(), 1, &mut bytes, nothing), S_OK);
            slot::<Release>(bytes, 2)(bytes);
            assert_eq!(slot::<Ask>(core, 5)(core, &iid("ID3D12Debug"), &mut object), S_OK);
            assert_eq!(slot::<Release>(object, 2)(object), 0);
            assert_eq!(
                slot::<Enable>(core, 6)(core, 1, &INTERFACE, core::ptr::null(), core::ptr::null()),
                E_NOINTERFACE
            );
            assert_eq!(slot::<Get>(core, 7)(core, &CLASS, &INTERFACE, &mut object), S_OK);
            assert_eq!(object, core, "there is one");
        }
    }
}
