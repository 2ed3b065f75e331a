//! Programs compiled by gcc call our vtables through public headers.
//!
//! What they check themselves shows what our thunks give back (structures above all: in release builds a thunk that gave
//! back anything but the out pointer would send them to garbage); what the handler saw is compared here.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // A failing step is a failing test.

use core::ffi::{c_char, c_int, c_void};
use reprise_d3d12::abi::{Abi, Handler, Itanium, SystemV, Thunks, Vtables, Win64};
use reprise_d3d12::generated::{METHODS, STRUCTS};
use reprise_d3d12::interface;
use reprise_d3d12::model::{InterfaceId, Type};
use reprise_testing::{missing, require};
use std::cell::RefCell;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::Command;

thread_local! {
    static SEEN: RefCell<Vec<(&'static str, Vec<u64>)>> = const { RefCell::new(Vec::new()) };
}

struct Recorder;

impl Handler for Recorder {
    unsafe fn method<A: Abi, const M: u16, const N: usize>(_this: *mut c_void, mut words: [u64; N]) -> u64 {
        let method = &METHODS[usize::from(M)];
        if method.returns_structure {
            let size = match method.params[0].ty {
                Type::Pointer(pointee) => pointee.ty.size(STRUCTS),
                _ => 0,
            };
            for (at, value) in (0..size as usize / 8).zip(0x1122_3344_5566_7788..) {
                // SAFETY: the word is the caller's out pointer, which has room for the structure.
                unsafe { (words[0] as *mut u64).add(at).write_unaligned(value) };
            }
            words[0] = 0;
        }
        for (word, param) in words.iter_mut().zip(method.params) {
            if param.ty.size(STRUCTS) == 16 {
                // SAFETY: the word of a 16-byte parameter points to 16 bytes during the call.
                let [low, high] = unsafe { (*word as *const [u64; 2]).read_unaligned() };
                *word = low.wrapping_add(high & 0xffff_ffff);
            }
        }
        SEEN.with_borrow_mut(|all| all.push((method.name, words.to_vec())));
        // Garbage for a method that returns a structure: the thunk must not pass it on.
        0xdead_0000_1234_5678
    }
    unsafe fn function<A: Abi, const M: u16, const N: usize>(_words: [u64; N]) -> u64 {
        0
    }
}

/// Compiles a caller into a shared library; `None` where the compiler or the header that it needs is missing.
fn build(source: &str, name: &str, options: &[&str], (needs, package): (&str, &str)) -> Option<PathBuf> {
    require(missing::program("gcc", "gcc"))?;
    require(missing::file(&[needs], package))?;
    let library = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.so"));
    let output = Command::new("gcc")
        .args(["-O2", "-w", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/callers").join(source))
        .args(options)
        .output()
        .expect("gcc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(library)
}

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// Runs a caller on an object of `interface`.
fn run<A: Thunks<Recorder>>(library: &Path, symbol: &str, interface: InterfaceId) -> Vec<(&'static str, Vec<u64>)> {
    let path = CString::new(library.to_str().expect("a path of text")).unwrap();
    let symbol = CString::new(symbol).unwrap();
    // SAFETY: both arguments are terminated texts; 2 is RTLD_NOW.
    let entry = unsafe { dlsym(dlopen(path.as_ptr(), 2), symbol.as_ptr()) };
    assert!(!entry.is_null(), "{}", library.display());
    // SAFETY: the callers' entry points have this signature.
    let entry: extern "C" fn(*mut c_void) -> c_int = unsafe { core::mem::transmute(entry) };
    let object = [Vtables::<Recorder, A>::of(interface).as_ptr()];
    assert_eq!(entry(object.as_ptr() as *mut c_void), 0, "the number of the check that failed in the caller");
    SEEN.take()
}

fn classic<A: Thunks<Recorder>>(name: &str, options: &[&str]) {
    let mut all = vec!["-I/usr/include/vkd3d"];
    all.extend(options);
    let Some(library) = build("classic.c", name, &all, ("/usr/include/vkd3d/vkd3d_utils.h", "libvkd3d-dev")) else {
        return;
    };
    let seen = run::<A>(&library, "classic_heap", interface("ID3D12DescriptorHeap"));
    let expected = [
        ("GetCPUDescriptorHandleForHeapStart", vec![0]),
        ("GetGPUDescriptorHandleForHeapStart", vec![0]),
        ("GetDesc", vec![0]),
    ];
    assert_eq!(seen, expected);
    let seen = run::<A>(&library, "classic_device", interface("ID3D12Device15"));
    let expected = [
        ("GetAdapterLuid", vec![0]),
        ("GetResourceAllocationInfo", vec![0, 1, 2, 0x40]),
        ("CreateCommittedResource", vec![1, 2, 3, 4, 5, 6, 7]),
    ];
    assert_eq!(seen, expected);
    let seen = run::<A>(&library, "classic_list", interface("ID3D12GraphicsCommandList10"));
    let expected = [
        ("ClearDepthStencilView", vec![0x99, 1, u64::from(0.25f32.to_bits()), 0x7f, 1, 0x60]),
        ("DrawIndexedInstanced", vec![10, 11, 12, 0xffff_fff3, 14]),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn a_win64_program_is_served() {
    classic::<Win64>("classic-win64", &[]);
}

#[test]
fn a_system_v_program_is_served() {
    classic::<SystemV>("classic-sysv", &["-Dms_abi=sysv_abi", "-D__ms_abi__=__sysv_abi__"]);
}

#[test]
fn a_cpp_program_on_linux_is_served() {
    let options = ["-std=c++17", "-I/usr/include/wsl/stubs"];
    let Some(library) = build("newer.cpp", "newer", &options, ("/usr/include/directx/d3d12.h", "directx-headers-dev"))
    else {
        return;
    };
    let bits = |value: f32| u64::from(value.to_bits());
    let seen = run::<SystemV>(&library, "newer_list", interface("ID3D12GraphicsCommandList10"));
    let expected = vec![
        ("OMSetDepthBounds", vec![bits(0.25), bits(0.75)]),
        ("RSSetDepthBias", vec![bits(1.5), bits(-2.5), bits(3.5)]),
    ];
    assert_eq!(seen, expected);
    let seen = run::<SystemV>(&library, "newer_graph", interface("ID3D12WorkGraphProperties"));
    let expected =
        vec![("GetNodeIndex", vec![7, 0x12_3456_7890 + 42]), ("GetWorkGraphMemoryRequirements", vec![3, 0x50])];
    assert_eq!(seen, expected);
}

/// Structures as Microsoft's headers have them on Linux, and everything else as in System V.
#[test]
fn a_program_for_microsofts_linux_library_is_served() {
    let options = ["-std=c++17", "-I/usr/include/wsl/stubs"];
    let package = ("/usr/include/directx/d3d12.h", "directx-headers-dev");
    let Some(library) = build("structures.cpp", "structures", &options, package) else { return };
    let seen = |symbol, name| {
        let mut seen = run::<Itanium>(&library, symbol, interface(name));
        // The out pointers are the thunks' or the caller's own.
        for (_, words) in &mut seen {
            words.remove(0);
        }
        seen
    };
    let none = |names: [&'static str; 3]| names.map(|name| (name, vec![])).to_vec();
    let heap = none(["GetCPUDescriptorHandleForHeapStart", "GetGPUDescriptorHandleForHeapStart", "GetDesc"]);
    assert_eq!(seen("structures_heap", "ID3D12DescriptorHeap"), heap);
    let device = vec![
        ("GetAdapterLuid", vec![]),
        ("GetResourceAllocationInfo", vec![1, 2, 0x40]),
        ("GetCustomHeapProperties", vec![3, 0xffff_fff2]),
        ("GetResourceAllocationInfo1", vec![4, 5, 0x50, 0x60]),
        ("GetResourceAllocationInfo3", vec![7, 8, 0x70, 0x80, 0x90, 0xa0]),
    ];
    assert_eq!(seen("structures_device", "ID3D12Device15"), device);
    let resource = vec![("GetDesc", vec![]), ("GetDesc1", vec![])];
    assert_eq!(seen("structures_resource", "ID3D12Resource2"), resource);
    let nodes = vec![("GetNodeID", vec![9, 10]), ("GetEntrypointID", vec![11, 12])];
    assert_eq!(seen("structures_graph", "ID3D12WorkGraphProperties"), nodes);
}
