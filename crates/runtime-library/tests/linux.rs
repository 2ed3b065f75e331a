//! The library as Microsoft's Linux Direct3D 12, called by a C++ program that knows it from Microsoft's headers.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::ffi::{CStr, CString, c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;

use reprise_testing::{missing, require};

/// Compiles the program into a shared library; `None` where compiler or headers are missing.
fn caller() -> Option<PathBuf> {
    require(missing::program("g++", "g++"))?;
    require(missing::file(&["/usr/include/directx/dxcore.h"], "directx-headers-dev"))?;
    let library = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("dxcore.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/callers/dxcore.cpp");
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-w", "-shared", "-fPIC", "-I/usr/include/wsl/stubs", "-D_WIN32_WINNT=0x0A00", "-o"]);
    let output = command.arg(&library).arg(source).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(library)
}

fn open(path: &Path) -> *mut c_void {
    let path = CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: a terminated path of a library of ours.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    // SAFETY: the loader's last message.
    assert!(!handle.is_null(), "{:?}", unsafe { CStr::from_ptr(libc::dlerror()) });
    handle
}

fn symbol(library: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: an open library and a terminated name.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    assert!(!found.is_null(), "{name:?}");
    found
}

#[test]
fn a_program_lists_adapters_and_makes_a_device() {
    let Some(caller) = caller() else { return };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("linux-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [core, direct3d] = ["libdxcore.so", "libd3d12.so"].map(|name| {
        let link = folder.join(name);
        std::os::unix::fs::symlink(reprise_testing::runtime_library().unwrap(), &link).unwrap();
        // The first name that is loaded tells the convention, so both must.
        open(&link)
    });
    let caller = open(&caller);
    let factory = symbol(core, c"DXCoreCreateAdapterFactory");
    let device = symbol(direct3d, c"D3D12CreateDevice");
    // SAFETY: the program's functions, of these types.
    let (adapters, devices) = unsafe {
        let adapters: extern "C" fn(*mut c_void) -> c_int = core::mem::transmute(symbol(caller, c"adapters"));
        let devices: extern "C" fn(*mut c_void, *mut c_void) -> c_int = core::mem::transmute(symbol(caller, c"device"));
        (adapters(factory), devices(factory, device))
    };
    assert_eq!((adapters, devices), (0, 0), "the lines of dxcore.cpp whose checks failed");
    std::fs::remove_dir_all(&folder).unwrap();
}
