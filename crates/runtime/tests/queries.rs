//! Lists before and after they are executed, called the way a C program does. Needs a Vulkan 1.3 driver (lavapipe does).
#![allow(clippy::unwrap_used)]

use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::mpsc;
use std::time::Duration;

use reprise_com::result::{E_FAIL, S_OK};
use reprise_com::{Object, Public};
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_runtime::Device;
use reprise_runtime::list::{CommandAllocator, CommandList};
use reprise_runtime::queue::CommandQueue;
use reprise_runtime::resource::create::{Initial, Wanted, committed};

/// A method's function as the type that a C program sees.
///
/// # Safety
/// `F` is the method's type, `object` has the interface.
unsafe fn slot<F: Copy>(object: *mut c_void, owner: &str, name: &str) -> F {
    let slot = usize::from(method(owner, name).get().slot);
    // SAFETY: the caller promises: `F` is the method's type, `object` has the interface.
    unsafe { core::mem::transmute_copy(&*(*object.cast::<*const *const c_void>()).add(slot)) }
}

const LIST: &str = "ID3D12GraphicsCommandList";
const STAMP: i32 = D3D12_QUERY_TYPE::TIMESTAMP.0;

/// An open direct list.
fn list(device: &Object<Device>) -> (Public<CommandAllocator>, Public<CommandList>) {
    let kind = D3D12_COMMAND_LIST_TYPE::DIRECT;
    let allocator = Object::make(CommandAllocator::new(device, kind).unwrap());
    let list = Object::make(CommandList::new(device, kind));
    type Reset = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> i32;
    // SAFETY: a closed list and its allocator.
    let open = unsafe { slot::<Reset>(list.pointer(), LIST, "Reset")(list.pointer(), allocator.pointer(), null_mut()) };
    assert_eq!(open, S_OK);
    (allocator, list)
}

fn close(list: &Object<CommandList>) {
    // SAFETY: an open list.
    let closed =
        unsafe { slot::<unsafe extern "C" fn(*mut c_void) -> i32>(list.pointer(), LIST, "Close")(list.pointer()) };
    assert_eq!(closed, S_OK);
}

/// A queue's thread lets go of a list a while after programs can see that the GPU is done, a long while where much else goes on:
/// that is no use of the allocator that a program could wait for.
#[test]
fn an_allocator_can_be_reset_when_the_gpu_is_done() {
    let device = reprise_runtime::entry::device::independent().unwrap();
    let (allocator, list) = list(&device);
    close(&list);
    let reset = |allocator: &Object<CommandAllocator>| {
        // SAFETY: an allocator on which nothing records.
        unsafe {
            let reset = slot::<unsafe extern "C" fn(*mut c_void) -> i32>(
                allocator.pointer(),
                "ID3D12CommandAllocator",
                "Reset",
            );
            reset(allocator.pointer())
        }
    };
    // As a queue that is not done holds it.
    let held = list.recorded().unwrap();
    assert_eq!(reset(&allocator), E_FAIL, "in use");
    let desc = D3D12_COMMAND_QUEUE_DESC { Type: D3D12_COMMAND_LIST_TYPE::DIRECT, ..Default::default() };
    let queue = Object::make(CommandQueue::new(&device, &desc, reprise_runtime::queue::facets()).unwrap());
    queue.execute(vec![held.clone()]);
    queue.drain();
    let letting_go = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        drop(held);
    });
    assert_eq!(reset(&allocator), S_OK);
    letting_go.join().unwrap();
}

#[test]
fn a_query_of_a_list_that_is_never_executed_is_not_waited_for() {
    let device = reprise_runtime::entry::device::independent().unwrap();
    let desc = D3D12_QUERY_HEAP_DESC { Type: D3D12_QUERY_HEAP_TYPE::TIMESTAMP, Count: 2, NodeMask: 0 };
    let mut heap = null_mut();
    type Create = unsafe extern "C" fn(*mut c_void, *const D3D12_QUERY_HEAP_DESC, *const Guid, *mut *mut c_void) -> i32;
    // SAFETY: arguments as the API demands them.
    let made = unsafe {
        let iid = &interface("ID3D12QueryHeap").get().iid;
        slot::<Create>(device.pointer(), "ID3D12Device", "CreateQueryHeap")(device.pointer(), &desc, iid, &mut heap)
    };
    assert_eq!(made, S_OK);
    type End = unsafe extern "C" fn(*mut c_void, *mut c_void, i32, u32);
    let stamp = |list: &Object<CommandList>, index: u32| {
        // SAFETY: an open list and a heap that has the query.
        unsafe { slot::<End>(list.pointer(), LIST, "EndQuery")(list.pointer(), heap, STAMP, index) };
    };
    let readback = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::READBACK, ..Default::default() };
    let mut desc = D3D12_RESOURCE_DESC1 {
        Dimension: D3D12_RESOURCE_DIMENSION::BUFFER,
        Width: 16,
        Height: 1,
        DepthOrArraySize: 1,
        MipLevels: 1,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
        ..Default::default()
    };
    let initial = Initial::State(D3D12_RESOURCE_STATES::COPY_DEST);
    let mut wanted = Wanted { desc: &mut desc, initial, clear: None, castable: &[] };
    let results = committed(&device, &readback, D3D12_HEAP_FLAGS::NONE, &mut wanted).unwrap();

    // Both queries end in a list; only the second one's is executed.
    let (_never, unused) = list(&device);
    stamp(&unused, 0);
    close(&unused);
    let (_allocator, used) = list(&device);
    stamp(&used, 1);
    type Resolve = unsafe extern "C" fn(*mut c_void, *mut c_void, i32, u32, u32, *mut c_void, u64);
    // SAFETY: an open list, its heap and a buffer with room for both results.
    unsafe {
        let resolve = slot::<Resolve>(used.pointer(), LIST, "ResolveQueryData");
        resolve(used.pointer(), heap, STAMP, 0, 2, results.pointer(), 0);
    }
    close(&used);
    let desc = D3D12_COMMAND_QUEUE_DESC { Type: D3D12_COMMAND_LIST_TYPE::DIRECT, ..Default::default() };
    let queue = Object::make(CommandQueue::new(&device, &desc, reprise_runtime::queue::facets()).unwrap());
    queue.execute(vec![used.recorded().unwrap()]);
    let (done, finished) = mpsc::channel();
    let waiting = queue.keep();
    std::thread::spawn(move || {
        waiting.drain();
        done.send(()).unwrap();
    });
    finished.recv_timeout(Duration::from_secs(300)).expect("the GPU waits for a query that nobody ends");
    let bytes = results.buffer().unwrap().slice.mapped().unwrap();
    // SAFETY: the buffer has two numbers, and the GPU is done with it.
    let [never, taken] = unsafe { bytes.as_ptr().cast::<[u64; 2]>().read() };
    assert_eq!(never, 0);
    assert_ne!(taken, 0);
    // SAFETY: the program's reference.
    unsafe { slot::<unsafe extern "C" fn(*mut c_void) -> u32>(heap, "IUnknown", "Release")(heap) };
}
