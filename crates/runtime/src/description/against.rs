//! Our serialiser against libvkd3d's: another program's reading of the same format. Its functions are in the Windows
//! convention, also on Linux.
#![allow(clippy::unwrap_used)]

use core::ffi::{CStr, c_void};
use core::ptr::null_mut;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::D3D12_VERSIONED_ROOT_SIGNATURE_DESC;
use reprise_d3d12::{interface, method};
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::Version;

use super::tests::signature;
use super::{Description, read};

type Serialise =
    unsafe extern "win64" fn(*const D3D12_VERSIONED_ROOT_SIGNATURE_DESC, *mut *mut c_void, *mut *mut c_void) -> i32;
type Create = unsafe extern "win64" fn(*const u8, usize, *const Guid, *mut *mut c_void) -> i32;
type Word = unsafe extern "win64" fn(*mut c_void) -> usize;

struct Other {
    serialise: Serialise,
    create: Create,
}

impl Other {
    fn load() -> Option<Other> {
        const PATH: &str = "/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1";
        reprise_testing::require(reprise_testing::missing::file(&[PATH], "libvkd3d-utils1"))?;
        let function = |name: &CStr| {
            // SAFETY: a well-behaved library; it stays loaded.
            let found =
                unsafe { libc::dlsym(libc::dlopen(c"libvkd3d-utils.so.1".as_ptr(), libc::RTLD_NOW), name.as_ptr()) };
            assert!(!found.is_null(), "{name:?}");
            found
        };
        // SAFETY: the functions have these shapes.
        unsafe {
            Some(Other {
                serialise: core::mem::transmute::<*mut c_void, Serialise>(function(
                    c"D3D12SerializeVersionedRootSignature",
                )),
                create: core::mem::transmute::<*mut c_void, Create>(function(
                    c"D3D12CreateVersionedRootSignatureDeserializer",
                )),
            })
        }
    }

    /// # Safety
    /// `object` is a living COM object of that library with this method, which takes nothing.
    unsafe fn word(object: *mut c_void, owner: &str, name: &str) -> usize {
        // SAFETY: the caller promises: `object` is a living COM object of that library with this method, which takes
        // nothing.
        unsafe {
            let slot = usize::from(method(owner, name).get().slot);
            let function: Word = core::mem::transmute(*(*object.cast::<*const *const c_void>()).add(slot));
            function(object)
        }
    }

    fn serialise(&self, description: &Description) -> Vec<u8> {
        let mut blob = null_mut();
        // SAFETY: the description is complete; the blob is alive until it is released.
        unsafe {
            assert_eq!((self.serialise)(description.get(), &mut blob, null_mut()), 0);
            let first = Self::word(blob, "ID3DBlob", "GetBufferPointer") as *const u8;
            let bytes = core::slice::from_raw_parts(first, Self::word(blob, "ID3DBlob", "GetBufferSize")).to_vec();
            Self::word(blob, "IUnknown", "Release");
            bytes
        }
    }

    fn deserialise(&self, bytes: &[u8]) -> (RootSignature, Version) {
        let (mut object, owner) = (null_mut(), "ID3D12VersionedRootSignatureDeserializer");
        // SAFETY: the object is alive until it is released, and what it points to as well.
        unsafe {
            assert_eq!((self.create)(bytes.as_ptr(), bytes.len(), &interface(owner).get().iid, &mut object), 0);
            let desc = Self::word(object, owner, "GetUnconvertedRootSignatureDesc");
            let said = read(&*(desc as *const D3D12_VERSIONED_ROOT_SIGNATURE_DESC)).unwrap();
            Self::word(object, "IUnknown", "Release");
            said
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "loads a library")]
fn both_read_what_the_other_writes() {
    let Some(other) = Other::load() else { return };
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(512) });
    runner
        .run(&(signature(), any::<bool>()), |(signature, newer)| {
            let version = if newer { Version::V1_1 } else { Version::V1_0 };
            let expected = signature.in_version(version);
            let ours = signature.to_container(version);
            prop_assert_eq!(other.deserialise(&ours), (expected.clone(), version));
            let theirs = other.serialise(&Description::new(&signature, version));
            prop_assert_eq!(RootSignature::from_container(&theirs).unwrap(), (expected, version));
            Ok(())
        })
        .unwrap();
}
