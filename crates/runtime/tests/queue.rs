//! Queues, fences and events, called the way a C program does. Needs a Vulkan 1.3 driver (lavapipe does).
//!
//! Every wait is bounded: what hangs fails.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use core::ffi::c_void;
use core::ptr::null_mut;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ash::vk;
use reprise_com::result::*;
use reprise_com::{Object, Ref};
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_gpu::queue::Recorded;
use reprise_runtime::device::Device;
use reprise_runtime::queue::CommandQueue;

/// A COM pointer with its reference.
#[derive(Debug)]
struct Com(*mut c_void);

// SAFETY: objects of the API may be used from any thread.
unsafe impl Send for Com {}
// SAFETY: objects of the API may be used from any thread.
unsafe impl Sync for Com {}

impl Com {
    /// A method's function as the type that a C program sees.
    ///
    /// # Safety
    /// `F` is the method's type, the object has the interface.
    unsafe fn slot<F: Copy>(&self, owner: &str, name: &str) -> F {
        let slot = usize::from(method(owner, name).get().slot);
        // SAFETY: the caller promises: `F` is the method's type, the object has the interface.
        unsafe { core::mem::transmute_copy(&*(*self.0.cast::<*const *const c_void>()).add(slot)) }
    }
}

impl Drop for Com {
    fn drop(&mut self) {
        // SAFETY: every object has it.
        unsafe { self.slot::<unsafe extern "C" fn(*mut c_void) -> u32>("IUnknown", "Release")(self.0) };
    }
}

/// The process's device, or one of its own for tests that remove it.
fn device(own: bool) -> Com {
    // SAFETY: null is allowed.
    let made = unsafe { reprise_runtime::entry::device::create(null_mut(), own) };
    let mut out = null_mut();
    // SAFETY: the place is writable.
    let given =
        unsafe { made.expect("is there a Vulkan 1.3 driver?").give(&interface("ID3D12Device").get().iid, &mut out) };
    assert_eq!(given, S_OK);
    Com(out)
}

type CreateQueue =
    unsafe extern "C" fn(*mut c_void, *const D3D12_COMMAND_QUEUE_DESC, *const Guid, *mut *mut c_void) -> i32;
type CreateFence = unsafe extern "C" fn(*mut c_void, u64, D3D12_FENCE_FLAGS, *const Guid, *mut *mut c_void) -> i32;
type OnQueue = unsafe extern "C" fn(*mut c_void, *mut c_void, u64) -> i32;
type Value = unsafe extern "C" fn(*mut c_void) -> u64;
type Signal = unsafe extern "C" fn(*mut c_void, u64) -> i32;
type SetEvent = unsafe extern "C" fn(*mut c_void, u64, *mut c_void) -> i32;
type SetEvents = unsafe extern "C" fn(
    *mut c_void,
    *const *mut c_void,
    *const u64,
    u32,
    D3D12_MULTIPLE_FENCE_WAIT_FLAGS,
    *mut c_void,
) -> i32;

fn desc(kind: D3D12_COMMAND_LIST_TYPE) -> D3D12_COMMAND_QUEUE_DESC {
    D3D12_COMMAND_QUEUE_DESC { Type: kind, Priority: 0, Flags: D3D12_COMMAND_QUEUE_FLAGS::NONE, NodeMask: 0 }
}

fn try_queue(device: &Com, desc: &D3D12_COMMAND_QUEUE_DESC) -> Result<Com, i32> {
    let mut out = null_mut();
    // SAFETY: the type is that of the slot, the caller holds the device, and description, id and place live through the call.
    let made = unsafe {
        device.slot::<CreateQueue>("ID3D12Device", "CreateCommandQueue")(
            device.0,
            desc,
            &interface("ID3D12CommandQueue").get().iid,
            &mut out,
        )
    };
    if made == S_OK { Ok(Com(out)) } else { Err(made) }
}

fn queue(device: &Com, kind: D3D12_COMMAND_LIST_TYPE) -> Com {
    try_queue(device, &desc(kind)).unwrap()
}

fn direct(device: &Com) -> Com {
    queue(device, D3D12_COMMAND_LIST_TYPE::DIRECT)
}

fn fence(device: &Com, value: u64) -> Com {
    fence_with(device, value, D3D12_FENCE_FLAGS::NONE)
}

fn fence_with(device: &Com, value: u64, flags: D3D12_FENCE_FLAGS) -> Com {
    let mut out = null_mut();
    // SAFETY: the type is that of the slot, the caller holds the device, and id and place live through the call.
    let made = unsafe {
        device.slot::<CreateFence>("ID3D12Device", "CreateFence")(
            device.0,
            value,
            flags,
            &interface("ID3D12Fence").get().iid,
            &mut out,
        )
    };
    assert_eq!(made, S_OK);
    Com(out)
}

fn value(fence: &Com) -> u64 {
    // SAFETY: a fence.
    unsafe { fence.slot::<Value>("ID3D12Fence", "GetCompletedValue")(fence.0) }
}

fn set(fence: &Com, value: u64) {
    // SAFETY: a fence.
    assert_eq!(unsafe { fence.slot::<Signal>("ID3D12Fence", "Signal")(fence.0, value) }, S_OK);
}

fn on_completion(fence: &Com, value: u64, event: *mut c_void) -> i32 {
    // SAFETY: a fence.
    unsafe { fence.slot::<SetEvent>("ID3D12Fence", "SetEventOnCompletion")(fence.0, value, event) }
}

fn on_queue(queue: &Com, name: &str, fence: &Com, value: u64) -> i32 {
    // SAFETY: a queue and a fence.
    unsafe { queue.slot::<OnQueue>("ID3D12CommandQueue", name)(queue.0, fence.0, value) }
}

fn signal(queue: &Com, fence: &Com, value: u64) {
    assert_eq!(on_queue(queue, "Signal", fence, value), S_OK);
}

fn wait(queue: &Com, fence: &Com, value: u64) {
    assert_eq!(on_queue(queue, "Wait", fence, value), S_OK);
}

/// An event of the program.
struct Event(OwnedFd);

impl Event {
    fn new() -> Event {
        // SAFETY: a new descriptor, owned by nobody else.
        Event(unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, libc::EFD_CLOEXEC)) })
    }

    fn handle(&self) -> *mut c_void {
        self.0.as_raw_fd() as usize as *mut c_void
    }

    fn is_set(&self, milliseconds: i32) -> bool {
        let mut poll = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one structure.
        unsafe { libc::poll(&mut poll, 1, milliseconds) == 1 }
    }
}

/// Waits for a fence, for a while.
fn reach(fence: &Com, wanted: u64) {
    let event = Event::new();
    assert_eq!(on_completion(fence, wanted, event.handle()), S_OK);
    assert!(event.is_set(60_000), "the fence does not reach {wanted}, it is at {}", value(fence));
}

/// Waits until a fence has exactly this value, for a while.
fn settle(fence: &Com, wanted: u64) {
    let start = std::time::Instant::now();
    while value(fence) != wanted {
        assert!(start.elapsed().as_secs() < 60, "the fence does not come to {wanted}, it is at {}", value(fence));
        std::thread::yield_now();
    }
}

#[test]
fn queues_say_what_they_are() {
    let device = device(false);
    for kind in [D3D12_COMMAND_LIST_TYPE::DIRECT, D3D12_COMMAND_LIST_TYPE::COMPUTE, D3D12_COMMAND_LIST_TYPE::COPY] {
        let queue = queue(&device, kind);
        type GetDesc =
            unsafe extern "C" fn(*mut c_void, *mut D3D12_COMMAND_QUEUE_DESC) -> *mut D3D12_COMMAND_QUEUE_DESC;
        let mut got = desc(D3D12_COMMAND_LIST_TYPE::NONE);
        // SAFETY: a queue; the place is ours.
        unsafe { queue.slot::<GetDesc>("ID3D12CommandQueue", "GetDesc")(queue.0, &mut got) };
        assert_eq!((got.Type, got.NodeMask), (kind, 1));
        type Frequency = unsafe extern "C" fn(*mut c_void, *mut u64) -> i32;
        let mut frequency = 0;
        // SAFETY: a queue; the place is ours.
        let result =
            unsafe { queue.slot::<Frequency>("ID3D12CommandQueue", "GetTimestampFrequency")(queue.0, &mut frequency) };
        assert!(result == S_OK && frequency > 0);
    }
    assert_eq!(try_queue(&device, &desc(D3D12_COMMAND_LIST_TYPE::BUNDLE)).unwrap_err(), E_INVALIDARG);
}

#[test]
fn clocks_are_read_side_by_side() {
    let device = device(false);
    let queue = direct(&device);
    let read = || {
        type Calibrate = unsafe extern "C" fn(*mut c_void, *mut u64, *mut u64) -> i32;
        let (mut gpu, mut cpu) = (0, 0);
        // SAFETY: a queue; the places are ours.
        let result = unsafe {
            queue.slot::<Calibrate>("ID3D12CommandQueue", "GetClockCalibration")(queue.0, &mut gpu, &mut cpu)
        };
        (result, gpu, cpu)
    };
    let now = || {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: one structure.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    };
    let before = now();
    let (first, gpu, cpu) = read();
    if first == E_NOTIMPL {
        return;
    }
    let (second, later_gpu, later_cpu) = read();
    assert_eq!((first, second), (S_OK, S_OK));
    assert!(later_gpu >= gpu && later_cpu >= cpu);
    assert!(before <= cpu && later_cpu <= now(), "the CPU's clock is CLOCK_MONOTONIC in nanoseconds");
}

#[test]
fn a_wait_may_come_before_its_signal() {
    let device = device(false);
    let (first, second) = (direct(&device), queue(&device, D3D12_COMMAND_LIST_TYPE::COMPUTE));
    let (a, b) = (fence(&device, 0), fence(&device, 0));
    wait(&second, &a, 3);
    signal(&second, &b, 1);
    let event = Event::new();
    assert_eq!(on_completion(&b, 1, event.handle()), S_OK);
    signal(&first, &a, 2);
    reach(&a, 2);
    assert!(!event.is_set(50) && value(&b) == 0, "nobody has promised 3");
    signal(&first, &a, 3);
    assert!(event.is_set(60_000));
    assert_eq!((value(&a), value(&b)), (3, 1));
}

#[test]
fn fences_rise_and_fall() {
    let device = device(false);
    let queue = direct(&device);
    let a = fence(&device, 5);
    assert_eq!(value(&a), 5);
    signal(&queue, &a, 10);
    reach(&a, 10);
    signal(&queue, &a, 3);
    settle(&a, 3);
    let event = Event::new();
    assert_eq!(on_completion(&a, 7, event.handle()), S_OK);
    signal(&queue, &a, 6);
    settle(&a, 6);
    assert!(!event.is_set(0));
    set(&a, 8);
    assert!(event.is_set(0));
    set(&a, 1);
    assert_eq!(value(&a), 1);
    // Without an event the call comes back when it is time, or at once.
    assert_eq!(on_completion(&a, 1, null_mut()), S_OK);
    signal(&queue, &a, 4);
    assert_eq!((on_completion(&a, 4, null_mut()), value(&a)), (S_OK, 4));
}

/// A fence that may be shared is like any other (`tests/shared.rs` has its handles).
#[test]
fn a_fence_that_may_be_shared_works() {
    let device = device(false);
    let queue = direct(&device);
    for flags in [D3D12_FENCE_FLAGS::SHARED, D3D12_FENCE_FLAGS(7)] {
        let fence = fence_with(&device, 3, flags);
        signal(&queue, &fence, 9);
        assert_eq!(on_completion(&fence, 9, null_mut()), S_OK);
        assert_eq!(value(&fence), 9);
    }
}

#[test]
fn a_wait_remembers_what_it_has_seen() {
    let device = device(false);
    let queue = direct(&device);
    for _ in 0..200 {
        let (a, b) = (fence(&device, 0), fence(&device, 0));
        signal(&queue, &b, 1);
        reach(&b, 1);
        wait(&queue, &a, 1);
        set(&a, 1);
        set(&a, 0);
        signal(&queue, &b, 2);
        reach(&b, 2);
    }
    // A queue that has not come to a wait yet remembers too.
    let (a, b, c) = (fence(&device, 0), fence(&device, 0), fence(&device, 0));
    wait(&queue, &c, 1);
    wait(&queue, &a, 8);
    signal(&queue, &b, 1);
    set(&a, 8);
    set(&a, 0);
    set(&c, 1);
    reach(&b, 1);
}

#[test]
fn a_fence_may_go_while_queues_and_events_wait() {
    let device = device(false);
    let (first, second) = (direct(&device), direct(&device));
    let (a, b, c) = (fence(&device, 0), fence(&device, 0), fence(&device, 0));
    let event = Event::new();
    wait(&second, &a, 9);
    wait(&first, &c, 1);
    signal(&first, &a, 1);
    wait(&second, &a, 1);
    signal(&second, &b, 1);
    assert_eq!(on_completion(&a, 9, event.handle()), S_OK);
    assert!(!event.is_set(20));
    drop(a);
    assert!(event.is_set(0), "nobody can signal 9");
    let event = Event::new();
    assert_eq!(on_completion(&b, 1, event.handle()), S_OK);
    assert!(!event.is_set(50), "but 1 is on its way");
    set(&c, 1);
    assert!(event.is_set(60_000));
}

#[test]
fn several_fences_at_once() {
    let device = device(false);
    let set_events = |fences: &[&Com], values: &[u64], flags, event: &Event| {
        let pointers: Vec<_> = fences.iter().map(|fence| fence.0).collect();
        // SAFETY: arrays as long as said.
        unsafe {
            device.slot::<SetEvents>("ID3D12Device1", "SetEventOnMultipleFenceCompletion")(
                device.0,
                pointers.as_ptr(),
                values.as_ptr(),
                values.len() as u32,
                flags,
                event.handle(),
            )
        }
    };
    let (a, b) = (fence(&device, 0), fence(&device, 0));
    let (any, all) = (Event::new(), Event::new());
    assert_eq!(set_events(&[&a, &b], &[1, 2], D3D12_MULTIPLE_FENCE_WAIT_FLAGS::ANY, &any), S_OK);
    assert_eq!(set_events(&[&a, &b], &[1, 2], D3D12_MULTIPLE_FENCE_WAIT_FLAGS::ALL, &all), S_OK);
    assert!(!any.is_set(0) && !all.is_set(0));
    set(&b, 2);
    assert!(any.is_set(0) && !all.is_set(0));
    set(&b, 0);
    set(&a, 1);
    assert!(all.is_set(0), "each has been there once");
    assert_eq!(set_events(&[], &[], D3D12_MULTIPLE_FENCE_WAIT_FLAGS::ALL, &all), E_INVALIDARG);
    assert_eq!(on_completion(&a, 9, usize::MAX as *mut c_void), E_INVALIDARG, "no handle");
}

#[test]
fn a_ring_of_queues_and_threads() {
    const QUEUES: usize = 4;
    const ROUNDS: u64 = 250;
    let device = device(false);
    let fences: Vec<Com> = (0..QUEUES).map(|_| fence(&device, 0)).collect();
    std::thread::scope(|scope| {
        for at in 0..QUEUES {
            let (device, fences) = (&device, &fences);
            scope.spawn(move || {
                let queue = direct(device);
                let before = &fences[(at + QUEUES - 1) % QUEUES];
                for round in 1..=ROUNDS {
                    // The first of a round waits for the last of the one before.
                    wait(&queue, before, if at == 0 { round - 1 } else { round });
                    signal(&queue, &fences[at], round);
                    if round % 50 == 0 {
                        reach(&fences[at], round);
                        assert!(value(before) >= round - u64::from(at == 0), "the GPU's order");
                    }
                }
            });
        }
    });
    fences.iter().for_each(|fence| assert_eq!(value(fence), ROUNDS));
}

/// A buffer that the GPU fills and the CPU reads, made by Vulkan alone.
struct Buffer {
    device: Ref<Device>,
    pool: vk::CommandPool,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    words: *mut u32,
    dropped: Arc<AtomicU32>,
}

// SAFETY: the pointer is to memory of its own.
unsafe impl Send for Buffer {}
// SAFETY: the pointer is to memory of its own; it is read only after the GPU is done.
unsafe impl Sync for Buffer {}

const WORDS: usize = 1 << 20;

impl Buffer {
    /// Lists that fill the buffer with each value in turn. The last one holds the buffer.
    fn lists(device: &Com, values: &[u32], dropped: &Arc<AtomicU32>) -> Vec<Arc<Recorded>> {
        // SAFETY: a device of ours.
        let device = unsafe { Object::<Device>::from_pointer(device.0) }.unwrap().keep();
        let vk = &device.vk;
        // SAFETY: Vulkan as its specification says; everything is destroyed in `drop`.
        unsafe {
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(device.families.graphics.index);
            let pool = vk.create_command_pool(&info, None).unwrap();
            let size = WORDS as u64 * 4;
            let info = vk::BufferCreateInfo::default().size(size).usage(vk::BufferUsageFlags::TRANSFER_DST);
            let buffer = vk.create_buffer(&info, None).unwrap();
            let needs = vk.get_buffer_memory_requirements(buffer);
            let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let kind = (0..32u32)
                .find(|&kind| {
                    needs.memory_type_bits & (1 << kind) != 0
                        && device.caps.memory.memory_types[kind as usize].property_flags.contains(wanted)
                })
                .unwrap();
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
            let memory = vk.allocate_memory(&info, None).unwrap();
            vk.bind_buffer_memory(buffer, memory, 0).unwrap();
            let words = vk.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).unwrap().cast::<u32>();
            let info =
                vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(values.len() as u32);
            let buffers = vk.allocate_command_buffers(&info).unwrap();
            for (&value, &commands) in values.iter().zip(&buffers) {
                vk.begin_command_buffer(
                    commands,
                    &vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE),
                )
                .unwrap();
                vk.cmd_fill_buffer(commands, buffer, 0, vk::WHOLE_SIZE, value);
                vk.end_command_buffer(commands).unwrap();
            }
            let held =
                Arc::new(Buffer { device: device.clone(), pool, buffer, memory, words, dropped: dropped.clone() });
            buffers
                .into_iter()
                .map(|buffer| Arc::new(Recorded::new(buffer, Vec::new(), None, held.clone())) as Arc<Recorded>)
                .collect()
        }
    }

    /// The value that the whole buffer has.
    fn all(&self) -> Option<u32> {
        // SAFETY: mapped, and not written any more.
        let words = unsafe { core::slice::from_raw_parts(self.words, WORDS) };
        words.iter().all(|&word| word == words[0]).then_some(words[0])
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // Dropped after the GPU is done: so the last value is there.
        self.dropped.store(self.all().unwrap_or(0xdead), Ordering::SeqCst);
        // SAFETY: the GPU is done with them.
        unsafe {
            self.device.vk.destroy_command_pool(self.pool, None);
            self.device.vk.destroy_buffer(self.buffer, None);
            self.device.vk.free_memory(self.memory, None);
        }
    }
}

fn body(queue: &Com) -> &Object<CommandQueue> {
    // SAFETY: a queue of ours.
    unsafe { Object::from_pointer(queue.0) }.unwrap()
}

#[test]
fn what_the_gpu_wrote_is_there_after_the_signal() {
    let device = device(false);
    let (first, second, a) = (direct(&device), direct(&device), fence(&device, 0));
    let dropped = Arc::new(AtomicU32::new(0));
    for round in 0..20u32 {
        let lists = Buffer::lists(&device, &[1 + round, 100 + round], &dropped);
        let held = lists[0].keep.downcast_ref::<Arc<Buffer>>().unwrap().clone();
        // The second queue is asked first, and fills last.
        wait(&second, &a, u64::from(round) * 2 + 1);
        body(&second).execute(vec![lists[1].clone()]);
        signal(&second, &a, u64::from(round) * 2 + 2);
        body(&first).execute(vec![lists[0].clone()]);
        signal(&first, &a, u64::from(round) * 2 + 1);
        reach(&a, u64::from(round) * 2 + 2);
        assert_eq!(held.all(), Some(100 + round));
    }
    body(&first).drain();
}

#[test]
fn a_queue_may_go_while_its_work_is_in_flight() {
    let device = device(false);
    let dropped = Arc::new(AtomicU32::new(0));
    let lists = Buffer::lists(&device, &(1..=64).collect::<Vec<_>>(), &dropped);
    let a = fence(&device, 0);
    let queue = direct(&device);
    body(&queue).execute(lists);
    signal(&queue, &a, 1);
    drop(queue);
    reach(&a, 1);
    assert_eq!(dropped.load(Ordering::SeqCst), 64, "held until the GPU was done");
}

#[test]
fn a_queue_that_waits_for_nobody_does_not_hold_up_its_release() {
    let device = device(false);
    let dropped = Arc::new(AtomicU32::new(0));
    let (a, b) = (fence(&device, 0), fence(&device, 0));
    let queue = direct(&device);
    wait(&queue, &a, 1);
    body(&queue).execute(Buffer::lists(&device, &[7], &dropped));
    signal(&queue, &b, 1);
    drop(queue);
    drop(device);
    assert_eq!((value(&b), dropped.load(Ordering::SeqCst)), (0, 0));
    set(&a, 1);
    reach(&b, 1);
}

#[test]
fn a_removed_device_lets_everybody_go() {
    let device = device(true);
    let (queue, a, b) = (direct(&device), fence(&device, 0), fence(&device, 0));
    let event = Event::new();
    assert_eq!(on_completion(&a, 1, event.handle()), S_OK);
    wait(&queue, &b, 9);
    signal(&queue, &a, 1);
    assert!(!event.is_set(20));
    std::thread::scope(|scope| {
        let blocked = scope.spawn(|| on_completion(&a, 2, null_mut()));
        type Execute = unsafe extern "C" fn(*mut c_void, u32, *const *mut c_void);
        let lists = [null_mut()];
        // SAFETY: a null list is what is tried.
        unsafe { queue.slot::<Execute>("ID3D12CommandQueue", "ExecuteCommandLists")(queue.0, 1, lists.as_ptr()) };
        assert_eq!(blocked.join().unwrap(), S_OK);
    });
    assert!(event.is_set(0));
    assert_eq!((value(&a), value(&b), value(&fence(&device, 0))), (u64::MAX, u64::MAX, u64::MAX));
    assert_eq!(on_queue(&queue, "Signal", &a, 1), DXGI_ERROR_DEVICE_REMOVED);
    type Reason = unsafe extern "C" fn(*mut c_void) -> i32;
    // SAFETY: a device.
    let reason = unsafe { device.slot::<Reason>("ID3D12Device", "GetDeviceRemovedReason")(device.0) };
    assert_eq!(reason, DXGI_ERROR_INVALID_CALL);
}

#[test]
fn duels_of_queues_end() {
    let device = device(false);
    let (first, a, b) = (direct(&device), direct(&device), direct(&device));
    let (fence, other) = (fence(&device, 0), fence(&device, 0));
    for _ in 0..2000 {
        set(&fence, 0);
        for round in 0..5 {
            wait(&first, &fence, 2 * round + 1);
            signal(&first, &fence, 2 * round + 2);
        }
        signal(&a, &other, 1);
        wait(&a, &other, 2);
        wait(&b, &other, 1);
        signal(&b, &other, 2);
        for round in 0..5 {
            signal(&a, &fence, 2 * round + 1);
            wait(&a, &fence, 2 * round + 2);
        }
        signal(&a, &other, 0);
        // The program goes on while the queues' threads may still be behind, and lets the fence fall.
        reach(&fence, 10);
    }
}
