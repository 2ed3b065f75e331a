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
    // SAFETY: the path is a string that ends with a zero, and the library is never unloaded; symbols are only looked up here, and called
    // below with the types that the API gives them.
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
    // SAFETY: the path ends with a zero, and the library is never unloaded; no other thread of this process reads the environment, and the
    // function has the type that the API gives it, with locals as its places.
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

/// In a process of its own, as above.
#[test]
#[ignore = "started by the other test"]
fn no_test_process_of_variables() {
    let Some(library) = std::env::var_os("REPRISE_TEST_LIBRARY") else { return };
    let library = CString::new(library.into_encoded_bytes()).unwrap();
    // SAFETY: the path ends with a zero, and the library is never unloaded; function and method have the types that the API gives them,
    // with locals as their places, and the device is released once.
    unsafe {
        let handle = libc::dlopen(library.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!handle.is_null(), "{:?}", CStr::from_ptr(libc::dlerror()));
        type Create = unsafe extern "C" fn(*mut c_void, i32, *const u128, *mut *mut c_void) -> i32;
        let create: Create =
            core::mem::transmute::<*mut c_void, Create>(libc::dlsym(handle, c"D3D12CreateDevice".as_ptr()));
        let iid = 0xf785_9b33_2118_54be_4b57_1db6_1898_19f1_u128;
        let mut device = std::ptr::null_mut();
        assert_eq!(create(std::ptr::null_mut(), 0xb000, &iid, &mut device), 0, "is there a Vulkan 1.3 driver?");
        let slot = |at: usize| *(*device.cast::<*const *const c_void>()).add(at);
        // `ID3D12Device::CheckFeatureSupport` of `D3D12_FEATURE_SHADER_MODEL`.
        type Check = unsafe extern "C" fn(*mut c_void, i32, *mut c_void, u32) -> i32;
        let check = core::mem::transmute::<*const c_void, Check>(slot(13));
        let mut model = 0x66_i32;
        assert_eq!(check(device, 7, (&raw mut model).cast(), 4), 0);
        assert_eq!(model, 0x60, "VKD3D_SHADER_MODEL says 6_0");
        let release = core::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut c_void) -> u32>(slot(2));
        assert_eq!(release(device), 0);
    }
}

#[test]
fn variables_of_vkd3d_proton_have_their_effect_or_are_named() {
    let log = std::env::temp_dir().join(format!("reprise-exports-{}.vkd3d.log", std::process::id()));
    let run = |level: Option<&str>| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "no_test_process_of_variables"]);
        command.env("REPRISE_TEST_LIBRARY", reprise_testing::runtime_library().unwrap());
        command.env("VKD3D_SHADER_MODEL", "6_0").env("VKD3D_LOG_FILE", &log).env("VKD3D_CONFIG", "virtual_heaps");
        // No device of these keeps the program from running.
        command.env("VKD3D_VULKAN_DEVICE", "99").env("VKD3D_DEBUG", level.unwrap_or("none"));
        let ended = command.output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
        let said = std::fs::read_to_string(&log).unwrap();
        std::fs::remove_file(&log).unwrap();
        said
    };
    let all = run(Some("trace"));
    assert!(all.contains("no effect on this runtime: VKD3D_CONFIG=virtual_heaps"), "{all}");
    assert!(all.contains("Index(99)"), "{all}");
    let usual = run(None);
    assert!(!usual.contains("VKD3D_CONFIG"), "{usual}");
    assert!(all.lines().count() > usual.lines().count(), "trace says more: {all}");
}
