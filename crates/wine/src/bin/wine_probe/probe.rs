//! What the probe does, step by step; `tests/wine.rs` expects exactly these stores.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use reprise_d3d12::generated::types::*;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};

const ROUNDS: usize = 40;
const PAGES_PER_ROUND: usize = 16;
const PAGE: usize = 4096;
const BYTES: usize = 2 * PAGES_PER_ROUND * PAGE;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn LoadLibraryA(name: *const u8) -> *mut c_void;
    fn GetProcAddress(module: *mut c_void, name: *const u8) -> *const c_void;
}

/// A step that failed ends the program with the step's number.
fn expect(step: i32, holds: bool) {
    if !holds {
        eprintln!("wine_probe: step {step} failed");
        std::process::exit(step);
    }
}

/// The function in the slot of `method` of a COM object.
///
/// # Safety
/// `object` is a COM object that has the method.
unsafe fn slot(object: *mut c_void, method: MethodId) -> *const c_void {
    // SAFETY: a COM object begins with the address of its table, which has the method's slot.
    unsafe { *(*object.cast::<*const *const c_void>()).add(usize::from(method.get().slot)) }
}

pub(crate) fn run() {
    // SAFETY: names are zero-terminated; the functions found have the types stated here.
    let (create, watch, flush) = unsafe {
        let library = LoadLibraryA(c"d3d12.dll".as_ptr().cast());
        expect(10, !library.is_null());
        let find = |name: &std::ffi::CStr| {
            let found = GetProcAddress(library, name.as_ptr().cast());
            // Without our exports this is Wine's own library.
            expect(11, !found.is_null());
            found
        };
        let create = find(c"D3D12CreateDevice");
        let (watch, flush) = (find(c"reprise_spike_watch"), find(c"reprise_spike_flush"));
        (
            std::mem::transmute::<
                *const c_void,
                unsafe extern "win64" fn(usize, i32, *const c_void, *mut *mut c_void) -> i32,
            >(create),
            std::mem::transmute::<*const c_void, extern "win64" fn(u64, u64) -> i32>(watch),
            std::mem::transmute::<*const c_void, extern "win64" fn() -> i32>(flush),
        )
    };
    let mut device = null_mut();
    const DEVICE_IID: reprise_d3d12::model::Guid = interface("ID3D12Device").get().iid;
    const FEATURE_LEVEL_11_0: i32 = 0xb000;
    // SAFETY: the adapter may be null; the id and the result outlive the call.
    let made = unsafe { create(0, FEATURE_LEVEL_11_0, std::ptr::from_ref(&DEVICE_IID).cast(), &mut device) };
    expect(12, made == 0 && !device.is_null());
    let memory = map(device);
    expect(15, watch(memory as u64, BYTES as u64) == 0);
    expect(16, flush() == 0);
    // SAFETY: `memory` is mapped for `BYTES` bytes.
    unsafe { memory.add(3 * PAGE + 5).write_volatile(0xa5) };
    expect(17, flush() == 1);
    for round in 0..ROUNDS {
        for page in 0..PAGES_PER_ROUND {
            // SAFETY: every second page of the mapped `BYTES` bytes.
            unsafe { memory.add(2 * page * PAGE).write_bytes((round * 5 + page) as u8, PAGE) };
        }
        expect(18, flush() == PAGES_PER_ROUND as i32);
    }
}

/// An upload buffer of `BYTES` bytes, mapped.
fn map(device: *mut c_void) -> *mut u8 {
    const CREATE: MethodId = method("ID3D12Device", "CreateCommittedResource");
    const MAP: MethodId = method("ID3D12Resource", "Map");
    const RESOURCE_IID: reprise_d3d12::model::Guid = interface("ID3D12Resource").get().iid;
    let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::UPLOAD, ..Default::default() };
    let desc = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::BUFFER,
        Width: BYTES as u64,
        Height: 1,
        DepthOrArraySize: 1,
        MipLevels: 1,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
        ..Default::default()
    };
    let (mut resource, mut memory) = (null_mut::<c_void>(), null_mut::<u8>());
    type Create = unsafe extern "win64" fn(
        *mut c_void,
        *const D3D12_HEAP_PROPERTIES,
        i32,
        *const D3D12_RESOURCE_DESC,
        D3D12_RESOURCE_STATES,
        *const c_void,
        *const c_void,
        *mut *mut c_void,
    ) -> i32;
    type Map = unsafe extern "win64" fn(*mut c_void, u32, *const c_void, *mut *mut u8) -> i32;
    // SAFETY: the functions in these slots have these types; all arguments outlive the calls.
    unsafe {
        let create = std::mem::transmute::<*const c_void, Create>(slot(device, CREATE));
        let iid = std::ptr::from_ref(&RESOURCE_IID).cast();
        let state = D3D12_RESOURCE_STATES::GENERIC_READ;
        expect(13, create(device, &heap, 0, &desc, state, null(), iid, &mut resource) == 0);
        let mapped = std::mem::transmute::<*const c_void, Map>(slot(resource, MAP));
        expect(14, mapped(resource, 0, null(), &mut memory) == 0 && !memory.is_null());
    }
    memory
}
