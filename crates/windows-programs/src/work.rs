//! Three threads of calls, each counted in a file after it has returned: what a trace must hold, however the program ends.
//!
//! The file is laid out as that of the native worker (`reprise_testing::worker::Log`): 4 bytes that are not 0, 4 bytes of nothing, then for
//! each thread four counts of 8 bytes: draws, node counts, signals, private data. A draw is numbered by its count of vertices and names the
//! thread by its count of instances; a signal's value is its number times 256 plus the thread; data of 512 bytes begin with both.

use crate::com;
use crate::device::Device;
use reprise_d3d12::generated::types::D3D12_COMMAND_QUEUE_DESC;
use reprise_d3d12::method;
use reprise_d3d12::model::Guid;
use std::ffi::c_void;
use std::fs::File;
use std::os::windows::io::AsRawHandle;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn CreateFileMappingW(
        file: *mut c_void,
        security: *const c_void,
        protection: u32,
        high: u32,
        low: u32,
        name: *const u16,
    ) -> *mut c_void;
    fn MapViewOfFile(mapping: *mut c_void, access: u32, high: u32, low: u32, len: usize) -> *mut c_void;
}

const BYTES: usize = 4096;
const PAGE_READWRITE: u32 = 4;
const FILE_MAP_WRITE: u32 = 2;
const THREADS: usize = 3;
static TAG: Guid = Guid { data1: 0x7a3d_91c2, data2: 0x1111, data3: 0x2222, data4: [1, 2, 3, 4, 5, 6, 7, 8] };

#[repr(C)]
struct Log {
    began: AtomicU32,
    nothing: u32,
    done: [[AtomicU64; 4]; THREADS],
}

fn open(path: &str) -> Option<&'static Log> {
    let file = File::options().read(true).write(true).create(true).truncate(true).open(path).ok()?;
    file.set_len(BYTES as u64).ok()?;
    // SAFETY: an open file of `BYTES` bytes; the view stays mapped for the life of the process, and zeros are a log.
    unsafe {
        let (none, handle) = (std::ptr::null(), file.as_raw_handle());
        let mapping = CreateFileMappingW(handle, none, PAGE_READWRITE, 0, BYTES as u32, std::ptr::null());
        let view = MapViewOfFile(mapping, FILE_MAP_WRITE, 0, 0, BYTES);
        view.cast::<Log>().as_ref()
    }
}

/// Works until the process is ended.
pub(crate) fn work(device: &Device, path: &str) -> Option<()> {
    let log = open(path)?;
    log.began.store(1, Ordering::Release);
    let desc = D3D12_COMMAND_QUEUE_DESC::default();
    let queue = device.make("CreateCommandQueue", &[(&raw const desc) as u64], "ID3D12CommandQueue")?;
    let objects = (device.0 as usize, queue as usize);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || calls(objects, thread, log))).collect();
        threads.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    })
}

fn calls((device, queue): (usize, usize), thread: usize, log: &Log) -> Option<()> {
    let device = std::mem::ManuallyDrop::new(Device(device as *mut c_void));
    let queue = queue as *mut c_void;
    let allocator = device.make("CreateCommandAllocator", &[0], "ID3D12CommandAllocator")?;
    let list = device.make("CreateCommandList", &[0, 0, allocator as u64, 0], "ID3D12GraphicsCommandList")?;
    let fence = device.make("CreateFence", &[0, 0], "ID3D12Fence")?;
    let count = |kind: usize, done: u64| log.done[thread][kind].store(done, Ordering::Release);
    let (mut nodes, mut signals, mut named) = (0, 0, 0);
    let mut data = [0u64; 64];
    for round in 1.. {
        // SAFETY: the objects are alive; each method takes these words; the data outlive the call.
        unsafe {
            let draw = method("ID3D12GraphicsCommandList", "DrawInstanced");
            com::call(list, draw, &[round, thread as u64, 7, 9]);
            count(0, round);
            if round % 8 == 0 {
                com::call(device.0, method("ID3D12Device", "GetNodeCount"), &[]);
                nodes += 1;
                count(1, nodes);
            }
            if round % 16 == 5 {
                signals += 1;
                let value = signals << 8 | thread as u64;
                com::call(queue, method("ID3D12CommandQueue", "Signal"), &[fence as u64, value]);
                count(2, signals);
            }
            if round % 32 == 9 {
                named += 1;
                (data[0], data[1]) = (named, thread as u64);
                let words = [(&raw const TAG) as u64, size_of_val(&data) as u64, data.as_ptr() as u64];
                com::call(list, method("ID3D12Object", "SetPrivateData"), &words);
                count(3, named);
            }
        }
        // Nobody knows how long it is until the end.
        if round % 64 == 0 {
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
    }
    Some(())
}
