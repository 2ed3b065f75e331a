//! Lists before and after they are executed, called the way a C program does. Needs a Vulkan 1.3 driver (lavapipe does).
#![allow(clippy::unwrap_used)]

use core::ffi::c_void;
use core::ptr::null_mut;
use std::sync::mpsc;
use std::time::Duration;

use reprise_com::result::{E_INVALIDARG, S_OK};
use reprise_com::{Object, Public};
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_runtime::Device;
use reprise_runtime::list::{CommandAllocator, CommandList};
use reprise_runtime::queue::CommandQueue;
use reprise_runtime::resource::create::{Initial, Wanted, committed};
use reprise_runtime::resource::object::Resource;

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
    list_of(device, D3D12_COMMAND_LIST_TYPE::DIRECT)
}

/// An open list.
fn list_of(device: &Object<Device>, kind: D3D12_COMMAND_LIST_TYPE) -> (Public<CommandAllocator>, Public<CommandList>) {
    let allocator = Object::make(CommandAllocator::new(device, kind).unwrap());
    let list = Object::make(CommandList::new(device, kind));
    type Reset = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> i32;
    // SAFETY: a closed list and its allocator.
    let open = unsafe { slot::<Reset>(list.pointer(), LIST, "Reset")(list.pointer(), allocator.pointer(), null_mut()) };
    assert_eq!(open, S_OK);
    (allocator, list)
}

fn close(list: &Object<CommandList>) {
    assert_eq!(try_close(list), S_OK);
}

fn try_close(list: &Object<CommandList>) -> i32 {
    // SAFETY: an open list.
    unsafe { slot::<unsafe extern "C" fn(*mut c_void) -> i32>(list.pointer(), LIST, "Close")(list.pointer()) }
}

/// A heap of two queries.
fn heap(device: &Object<Device>, kind: D3D12_QUERY_HEAP_TYPE) -> Result<*mut c_void, i32> {
    let desc = D3D12_QUERY_HEAP_DESC { Type: kind, Count: 2, NodeMask: 0 };
    let mut heap = null_mut();
    type Create = unsafe extern "C" fn(*mut c_void, *const D3D12_QUERY_HEAP_DESC, *const Guid, *mut *mut c_void) -> i32;
    // SAFETY: the type is that of the slot, the caller holds the device, and description, id and place live through the call.
    let made = unsafe {
        let iid = &interface("ID3D12QueryHeap").get().iid;
        slot::<Create>(device.pointer(), "ID3D12Device", "CreateQueryHeap")(device.pointer(), &desc, iid, &mut heap)
    };
    if made == S_OK { Ok(heap) } else { Err(made) }
}

/// Lets go of the test's only reference.
fn release(heap: *mut c_void) {
    // SAFETY: the test's reference.
    unsafe { slot::<unsafe extern "C" fn(*mut c_void) -> u32>(heap, "IUnknown", "Release")(heap) };
}

/// A buffer that the CPU reads, for two results.
fn results(device: &Object<Device>) -> Public<Resource> {
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
    committed(device, &readback, D3D12_HEAP_FLAGS::NONE, &mut wanted).unwrap()
}

fn stamp(list: &Object<CommandList>, heap: *mut c_void, index: u32) {
    type End = unsafe extern "C" fn(*mut c_void, *mut c_void, i32, u32);
    // SAFETY: an open list and a heap that has the query.
    unsafe { slot::<End>(list.pointer(), LIST, "EndQuery")(list.pointer(), heap, STAMP, index) };
}

fn resolve(list: &Object<CommandList>, heap: *mut c_void, results: &Object<Resource>) {
    type Resolve = unsafe extern "C" fn(*mut c_void, *mut c_void, i32, u32, u32, *mut c_void, u64);
    // SAFETY: an open list, its heap and a buffer with room for both results.
    unsafe {
        let resolve = slot::<Resolve>(list.pointer(), LIST, "ResolveQueryData");
        resolve(list.pointer(), heap, STAMP, 0, 2, results.pointer(), 0);
    }
}

/// Both results, once the GPU is done.
fn stamps(results: &Object<Resource>) -> [u64; 2] {
    let bytes = results.buffer().unwrap().slice.mapped().unwrap();
    // SAFETY: the buffer has two numbers, and the GPU is done with it.
    unsafe { bytes.as_ptr().cast::<[u64; 2]>().read() }
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
    // As a queue holds it that the GPU is about to be done with.
    let held = list.recorded().unwrap();
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
    let heap = heap(&device, D3D12_QUERY_HEAP_TYPE::TIMESTAMP).unwrap();
    let results = results(&device);

    // Both queries end in a list; only the second one's is executed.
    let (_never, unused) = list(&device);
    stamp(&unused, heap, 0);
    close(&unused);
    let (_allocator, used) = list(&device);
    stamp(&used, heap, 1);
    resolve(&used, heap, &results);
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
    let [never, taken] = stamps(&results);
    assert_eq!(never, 0);
    assert_ne!(taken, 0);
    release(heap);
}

/// A heap of the other kind is refused by `Close`, in both directions.
#[test]
fn copy_queues_take_timestamps_where_they_can_give_them_out() {
    let device = reprise_runtime::entry::device::independent().unwrap();
    let kind = D3D12_COMMAND_LIST_TYPE::COPY;
    if !device.families.copies_are_timed() {
        assert!(heap(&device, D3D12_QUERY_HEAP_TYPE::COPY_QUEUE_TIMESTAMP).is_err());
        return;
    }
    let timed = heap(&device, D3D12_QUERY_HEAP_TYPE::COPY_QUEUE_TIMESTAMP).unwrap();
    let other = heap(&device, D3D12_QUERY_HEAP_TYPE::TIMESTAMP).unwrap();
    for (kind, heap) in [(kind, other), (D3D12_COMMAND_LIST_TYPE::DIRECT, timed)] {
        let (_allocator, list) = list_of(&device, kind);
        stamp(&list, heap, 0);
        assert_eq!(try_close(&list), E_INVALIDARG);
    }
    let results = results(&device);
    let (_allocator, list) = list_of(&device, kind);
    stamp(&list, timed, 0);
    stamp(&list, timed, 1);
    resolve(&list, timed, &results);
    close(&list);
    let desc = D3D12_COMMAND_QUEUE_DESC { Type: kind, ..Default::default() };
    let queue = Object::make(CommandQueue::new(&device, &desc, reprise_runtime::queue::facets()).unwrap());
    queue.execute(vec![list.recorded().unwrap()]);
    queue.drain();
    let [first, second] = stamps(&results);
    assert!(0 < first && first <= second, "{first} {second}");
    release(timed);
    release(other);
}
