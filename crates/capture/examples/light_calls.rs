//! What a light call costs: a do-nothing object called bare, and through its wrapper into a ring that is being drained.
//!
//! `cargo run --release -p reprise-capture --example light_calls [rounds]`. Per call kind, bare and captured rounds
//! alternate; the figure is the median over rounds of the thread's own CPU time per call, loop included in both.

use core::ffi::c_void;
use reprise_capture::{Convention, entry, session};
use reprise_d3d12::abi::{Abi, Handler, SystemV, Vtables, Win64};
use reprise_d3d12::{interface, method};
use reprise_trace::session::{Config, Session};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

const CALLS: usize = 100_000;

/// Answers `IUnknown` and nothing else.
struct Nothing;

impl Handler for Nothing {
    unsafe fn method<A: Abi, const M: u16, const N: usize>(this: *mut c_void, words: [u64; N]) -> u64 {
        if const { M == method("IUnknown", "QueryInterface").0 } {
            // SAFETY: QueryInterface's second argument is the place for the result.
            unsafe { *(words[1] as *mut *mut c_void) = this };
        }
        0
    }
    unsafe fn function<A: Abi, const M: u16, const N: usize>(_words: [u64; N]) -> u64 {
        0
    }
}

#[repr(C)]
struct Object(*const *const c_void);

fn object<A: Abi + reprise_d3d12::abi::Thunks<Nothing>>(name: &str) -> *mut c_void {
    let vtable = Vtables::<Nothing, A>::of(interface(name).family());
    Box::into_raw(Box::new(Object(vtable.as_ptr()))).cast()
}

fn cpu_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place for the result.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

fn time(run: &mut dyn FnMut(*mut c_void), on: *mut c_void) -> f64 {
    let start = cpu_ns();
    for _ in 0..CALLS / 10 {
        run(on);
    }
    (cpu_ns() - start) as f64 / CALLS as f64
}

macro_rules! slot {
    ($convention:literal $on:expr, $id:expr, ($($ty:ty),*)) => {{
        // SAFETY: the slot of the method, with its signature.
        unsafe {
            let vtable = *($on as *const *const *const c_void);
            core::mem::transmute::<*const c_void, unsafe extern $convention fn(*mut c_void, $($ty),*)>(
                *vtable.add($id.get().slot as usize),
            )
        }
    }};
}

macro_rules! measure {
    ($rounds:expr, $convention:literal $marker:ty, $owner:literal $name:literal, ($($arg:expr => $ty:ty),*)) => {{
        let id = method($owner, $name);
        let bare = object::<$marker>($owner);
        // SAFETY: a live object of this interface and convention.
        let wrapped = unsafe { entry::attach(bare, interface($owner).family(), <$marker as Abi>::CONVENTION) };
        let mut call = |on: *mut c_void| {
            let function = slot!($convention core::hint::black_box(on), id, ($($ty),*));
            for _ in 0..10 {
                // SAFETY: the arguments are the method's.
                unsafe { core::hint::black_box(function)(on, $($arg),*) };
            }
        };
        let mut bares = Vec::new();
        let mut captured = Vec::new();
        for _ in 0..$rounds {
            bares.push(time(&mut call, bare));
            captured.push(time(&mut call, wrapped));
        }
        bares.sort_by(f64::total_cmp);
        captured.sort_by(f64::total_cmp);
        let (b, c) = (bares[bares.len() / 2], captured[captured.len() / 2]);
        println!("{:6} {:40} bare {b:6.2}  captured {c:6.2}  added {:6.2} ns", $convention, $name, c - b);
    }};
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(41);
    let place = TempDir::with_prefix("reprise-light-").expect("a folder in the temporary folder");
    let folder = place.path().join("light.rings");
    let config = Config { ring_capacity: 16 << 20, ..Config::default() };
    let recording = Session::create(&folder, &config).expect("a session folder in the temporary folder");
    let reader = Session::open(&folder).expect("the session just made");
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let drain = std::thread::spawn(move || {
        let mut rings = Vec::new();
        while !stopped.load(Ordering::Relaxed) {
            while let Ok(Some(ring)) = reader.open_ring(rings.len() as u32) {
                rings.push(ring);
            }
            for ring in &mut rings {
                ring.release(ring.head());
            }
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
    });
    session::begin(recording);
    let bytes = [7u8; 64];
    let (views, constants) = (bytes.as_ptr(), bytes.as_ptr());
    // A transition of no resource.
    let zeros = [0u8; 64];
    let barrier = zeros.as_ptr();
    macro_rules! all {
        ($convention:literal $marker:ty) => {
            measure!(rounds, $convention $marker, "ID3D12GraphicsCommandList" "DrawInstanced", (3 => u32, 1 => u32, 0 => u32, 0 => u32));
            measure!(rounds, $convention $marker, "ID3D12GraphicsCommandList" "SetGraphicsRootDescriptorTable", (1 => u32, 4096 => u64));
            measure!(rounds, $convention $marker, "ID3D12GraphicsCommandList" "SetGraphicsRoot32BitConstants", (0 => u32, 4 => u32, constants => *const u8, 0 => u32));
            measure!(rounds, $convention $marker, "ID3D12GraphicsCommandList" "IASetVertexBuffers", (0 => u32, 2 => u32, views => *const u8));
            measure!(rounds, $convention $marker, "ID3D12GraphicsCommandList" "RSSetViewports", (1 => u32, views => *const u8));
            measure!(rounds, $convention $marker, "ID3D12GraphicsCommandList" "SetPipelineState", (core::ptr::null_mut() => *mut c_void));
            measure!(rounds, $convention $marker, "ID3D12GraphicsCommandList" "OMSetStencilRef", (1 => u32));
            measure!(rounds, $convention $marker, "ID3D12Device" "CopyDescriptorsSimple", (1 => u32, 64 => u64, 128 => u64, 0 => u32));
            measure!(rounds, $convention $marker, "ID3D12Resource" "GetGPUVirtualAddress", ());
            // Not light, for comparison: structures with objects, counts with an order, submissions.
            measure!(rounds, $convention $marker, "ID3D12GraphicsCommandList" "ResourceBarrier", (1 => u32, barrier => *const u8));
            measure!(rounds, $convention $marker, "ID3D12GraphicsCommandList" "AddRef", ());
            measure!(rounds, $convention $marker, "ID3D12Fence" "GetCompletedValue", ());
            measure!(rounds, $convention $marker, "ID3D12CommandQueue" "ExecuteCommandLists", (0 => u32, barrier => *const u8));
        };
    }
    all!("win64" Win64);
    all!("sysv64" SystemV);
    let _ = Convention::Win64;
    stop.store(true, Ordering::Relaxed);
    drain.join().expect("the draining thread");
}
