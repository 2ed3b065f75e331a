//! The library, loaded by name as a program does.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::ffi::{CStr, CString, c_void};

const NAMES: [&CStr; 9] = [
    c"D3D12CreateDevice",
    c"D3D12GetDebugInterface",
    c"D3D12GetInterface",
    c"D3D12EnableExperimentalFeatures",
    c"D3D12SerializeRootSignature",
    c"D3D12SerializeVersionedRootSignature",
    c"D3D12CreateRootSignatureDeserializer",
    c"D3D12CreateVersionedRootSignatureDeserializer",
    c"D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary",
];

#[test]
fn stands_in_for_the_library_of_another_name() {
    let folder = std::env::temp_dir().join(format!("reprise-exports-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let link = folder.join("libvkd3d-proton-d3d12.so");
    std::os::unix::fs::symlink(reprise_testing::runtime_library().unwrap(), &link).unwrap();
    let path = CString::new(link.to_str().unwrap()).unwrap();
    // SAFETY: a library of ours; the functions are called as the API demands them.
    unsafe {
        let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!handle.is_null(), "{:?}", CStr::from_ptr(libc::dlerror()));
        for name in NAMES {
            assert!(!libc::dlsym(handle, name.as_ptr()).is_null(), "{name:?}");
        }
        // Names by which programs tell libvkd3d, whose convention is another one.
        assert!(libc::dlsym(handle, c"D3D12CreateDeviceVKD3D".as_ptr()).is_null());
        type Create = unsafe extern "C" fn(*mut c_void, i32, *const u128, *mut *mut c_void) -> i32;
        let create: Create =
            core::mem::transmute::<*mut c_void, Create>(libc::dlsym(handle, c"D3D12CreateDevice".as_ptr()));
        // `ID3D12Device`, as the Windows headers state it.
        let iid = 0xf785_9b33_2118_54be_4b57_1db6_1898_19f1_u128;
        let mut device = std::ptr::null_mut();
        assert_eq!(create(std::ptr::null_mut(), 0xb000, &iid, &mut device), 0, "is there a Vulkan 1.3 driver?");
        let release = *(*device.cast::<*const *const c_void>()).add(2);
        let release = core::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut c_void) -> u32>(release);
        assert_eq!(release(device), 0);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// In a process of its own: environments are whole processes'.
#[test]
#[ignore = "started by the other test"]
fn no_test_process() {
    let Some(library) = std::env::var_os("REPRISE_TEST_LIBRARY") else { return };
    let library = CString::new(library.into_encoded_bytes()).unwrap();
    // SAFETY: a library of ours; nobody else reads the environment now; the function is called as the API demands it.
    unsafe {
        let handle = libc::dlopen(library.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!handle.is_null(), "{:?}", CStr::from_ptr(libc::dlerror()));
        assert_eq!(libc::clearenv(), 0);
        type Create = unsafe extern "C" fn(*mut c_void, i32, *const u128, *mut *mut c_void) -> i32;
        let create: Create =
            core::mem::transmute::<*mut c_void, Create>(libc::dlsym(handle, c"D3D12CreateDevice".as_ptr()));
        let iid = 0xf785_9b33_2118_54be_4b57_1db6_1898_19f1_u128;
        let mut device = std::ptr::null_mut();
        assert_ne!(create(std::ptr::null_mut(), 0xb000, &iid, &mut device), 0, "there is no such adapter");
    }
}

#[test]
fn a_cleared_environment_changes_nothing() {
    let log = std::env::temp_dir().join(format!("reprise-exports-{}.log", std::process::id()));
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "no_test_process"]);
    command.env("REPRISE_TEST_LIBRARY", reprise_testing::runtime_library().unwrap());
    command.env("REPRISE_ADAPTER", "an adapter of this name").env("REPRISE_LOG_FILE", &log);
    let ended = command.output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    let said = std::fs::read_to_string(&log).unwrap();
    std::fs::remove_file(&log).unwrap();
    assert!(said.contains("an adapter of this name"), "{said}");
}
