//! Shared handles within a process, called the way a C program does. Needs a Vulkan 1.3 driver (lavapipe does).
#![allow(clippy::unwrap_used)]

mod com;

use core::ffi::c_void;
use core::ptr::null_mut;

use com::{Com, at, buffer, committed, device, fence, iid, place, queue, texture};
use reprise_com::result::*;
use reprise_d3d12::types::*;

const ALL: u64 = 0x1000_0000;
const NAME_ALREADY_EXISTS: i32 = 0x887a_002c_u32 as i32;

/// A name as programs give it.
fn wide(name: &str) -> Vec<u16> {
    name.encode_utf16().chain([0]).collect()
}

/// A handle that the test owns.
#[derive(Debug)]
struct Handle(*mut c_void);

#[cfg(unix)]
impl Handle {
    fn duplicate(&self) -> Handle {
        // SAFETY: a file of the test's.
        Handle(unsafe { libc::dup(self.0 as usize as i32) } as usize as *mut c_void)
    }

    /// As another process or another API would hand one over.
    fn foreign() -> Handle {
        // SAFETY: no memory is involved.
        Handle(unsafe { libc::eventfd(0, 0) } as usize as *mut c_void)
    }

    fn close(&mut self) {
        // SAFETY: a handle is the number of a file here, and the test owns it.
        assert_eq!(unsafe { libc::close(self.0 as usize as i32) }, 0);
    }
}

#[cfg(windows)]
impl Handle {
    fn duplicate(&self) -> Handle {
        use std::os::windows::io::{BorrowedHandle, IntoRawHandle};
        // SAFETY: an open handle of the test's.
        Handle(unsafe { BorrowedHandle::borrow_raw(self.0) }.try_clone_to_owned().unwrap().into_raw_handle())
    }

    /// As another process or another API would hand one over.
    fn foreign() -> Handle {
        use std::os::windows::io::IntoRawHandle;
        Handle(std::thread::spawn(|| ()).into_raw_handle())
    }

    fn close(&mut self) {
        use std::os::windows::io::{FromRawHandle, OwnedHandle};
        // SAFETY: an open handle that the test owns.
        drop(unsafe { OwnedHandle::from_raw_handle(self.0) });
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.close();
    }
}

fn share(device: &Com, object: &Com, name: Option<&str>) -> Result<Handle, i32> {
    let name = name.map(wide);
    let mut handle: *mut c_void = null_mut();
    let words = [at(object.0), 0, ALL, name.as_ref().map_or(0, |name| at(name.as_ptr())), place(&mut handle)];
    match device.code("ID3D12Device", "CreateSharedHandle", &words) {
        S_OK => Ok(Handle(handle)),
        error => Err(error),
    }
}

fn open(device: &Com, handle: *mut c_void, interface: &str) -> Result<Com, i32> {
    device.make("ID3D12Device", "OpenSharedHandle", &[at(handle), iid(interface)])
}

fn by_name(device: &Com, name: &str) -> Result<Handle, i32> {
    let (name, mut handle) = (wide(name), null_mut::<c_void>());
    match device.code("ID3D12Device", "OpenSharedHandleByName", &[at(name.as_ptr()), ALL, place(&mut handle)]) {
        S_OK => Ok(Handle(handle)),
        error => Err(error),
    }
}

fn value(fence: &Com) -> u64 {
    fence.call("ID3D12Fence", "GetCompletedValue", &[])
}

#[test]
fn a_fence_is_one_behind_all_its_handles() {
    let device = device();
    let queue = queue(&device);
    let made = fence(&device, D3D12_FENCE_FLAGS::SHARED);
    let handle = share(&device, &made, None).unwrap();
    let opened = open(&device, handle.0, "ID3D12Fence").unwrap();
    assert_eq!(queue.code("ID3D12CommandQueue", "Signal", &[at(made.0), 5]), S_OK);
    assert_eq!(opened.code("ID3D12Fence", "SetEventOnCompletion", &[5, 0]), S_OK);
    assert_eq!(value(&opened), 5);
    // A handle keeps what it was made of, also where the program has released everything else.
    drop((made, opened));
    let again = open(&device, handle.0, "ID3D12Fence").unwrap();
    assert_eq!(value(&again), 5);
    // A duplicate is as good as the first.
    let duplicate = handle.duplicate();
    drop(handle);
    assert_eq!(value(&open(&device, duplicate.0, "ID3D12Fence").unwrap()), 5);
    assert_eq!(again.code("ID3D12Fence", "Signal", &[8]), S_OK);
    assert_eq!(value(&again), 8);
    drop(again);
    drop(duplicate);
    drop(queue);
    assert_eq!(device.count(), 1, "nothing of the device is left");
}

/// Waits for a value that nobody can signal any more end; those that a handle may still signal go on.
#[test]
fn a_fence_that_can_still_be_opened_is_waited_for() {
    let device = device();
    let queue = queue(&device);
    let (shared, done) = (fence(&device, D3D12_FENCE_FLAGS::SHARED), fence(&device, D3D12_FENCE_FLAGS::NONE));
    let handle = share(&device, &shared, None).unwrap();
    assert_eq!(queue.code("ID3D12CommandQueue", "Wait", &[at(shared.0), 3]), S_OK);
    assert_eq!(queue.code("ID3D12CommandQueue", "Signal", &[at(done.0), 1]), S_OK);
    drop(shared);
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert_eq!(value(&done), 0, "somebody may open it and signal");
    let opened = open(&device, handle.0, "ID3D12Fence").unwrap();
    assert_eq!(opened.code("ID3D12Fence", "Signal", &[3]), S_OK);
    assert_eq!(done.code("ID3D12Fence", "SetEventOnCompletion", &[1, 0]), S_OK);
}

#[test]
fn resources_and_heaps_have_the_same_bytes() {
    let device = device();
    let (shared, upload) = (D3D12_HEAP_FLAGS::SHARED, D3D12_HEAP_TYPE::UPLOAD);
    let made = committed(&device, upload, shared, &buffer(256));
    let mut bytes: *mut u8 = null_mut();
    assert_eq!(made.code("ID3D12Resource", "Map", &[0, 0, place(&mut bytes)]), S_OK);
    // SAFETY: the buffer is mapped.
    unsafe { bytes.write(77) };
    let handle = share(&device, &made, None).unwrap();
    drop(made);
    let opened = open(&device, handle.0, "ID3D12Resource").unwrap();
    let mut read: *mut u8 = null_mut();
    assert_eq!(opened.code("ID3D12Resource", "Map", &[0, 0, place(&mut read)]), S_OK);
    // SAFETY: the buffer is mapped.
    assert_eq!(unsafe { read.read() }, 77);
    // A heap, and a resource in it.
    let desc = D3D12_HEAP_DESC {
        SizeInBytes: 1 << 16,
        Properties: D3D12_HEAP_PROPERTIES { Type: upload, ..Default::default() },
        Flags: D3D12_HEAP_FLAGS(shared.0 | D3D12_HEAP_FLAGS::ALLOW_ONLY_BUFFERS.0),
        ..Default::default()
    };
    let heap = device.make("ID3D12Device", "CreateHeap", &[at(&desc), iid("ID3D12Heap")]).unwrap();
    let placed = {
        let desc = buffer(256);
        let words = [at(heap.0), 0, at(&desc), 0xac3, 0, iid("ID3D12Resource")];
        device.make("ID3D12Device", "CreatePlacedResource", &words).unwrap()
    };
    let (of_heap, of_placed) = (share(&device, &heap, None).unwrap(), share(&device, &placed, None).unwrap());
    drop((heap, placed));
    let heap = open(&device, of_heap.0, "ID3D12Heap").unwrap();
    let mut told = D3D12_HEAP_DESC::default();
    heap.call("ID3D12Heap", "GetDesc", &[place(&mut told)]);
    assert_eq!((told.SizeInBytes, told.Flags), (desc.SizeInBytes, desc.Flags));
    let placed = open(&device, of_placed.0, "ID3D12Resource").unwrap();
    assert_eq!(placed.code("ID3D12Resource", "Map", &[0, 0, place(&mut read)]), S_OK);
    assert_eq!(open(&device, of_heap.0, "ID3D12Resource").unwrap_err(), E_NOINTERFACE);
}

/// A texture that nobody used before its last release is made ready once it is opened.
#[test]
fn a_new_texture_is_used_after_it_was_released_and_opened() {
    let device = device();
    let queue = queue(&device);
    // In a heap: what has memory of its own is made ready for others when it is shared.
    let desc = D3D12_HEAP_DESC {
        SizeInBytes: 1 << 20,
        Properties: D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() },
        Flags: D3D12_HEAP_FLAGS::SHARED,
        ..Default::default()
    };
    let heap = device.make("ID3D12Device", "CreateHeap", &[at(&desc), iid("ID3D12Heap")]).unwrap();
    let made = {
        let words = [at(heap.0), 0, at(&texture()), 0, 0, iid("ID3D12Resource")];
        device.make("ID3D12Device", "CreatePlacedResource", &words).unwrap()
    };
    let handle = share(&device, &made, None).unwrap();
    drop((made, heap));
    let opened = open(&device, handle.0, "ID3D12Resource").unwrap();
    // SAFETY: a resource of ours; the reference keeps it.
    let body = unsafe { reprise_com::Object::<reprise_runtime::resource::Resource>::this(opened.0) };
    assert!(!body.is_begun());
    // SAFETY: a queue of ours; the reference keeps it.
    let queue = unsafe { reprise_com::Object::<reprise_runtime::queue::CommandQueue>::this(queue.0) };
    queue.gpu.hand_over();
    assert!(body.is_begun());
    queue.drain();
}

#[test]
fn names_belong_to_one_object_while_it_has_handles() {
    let device = device();
    let [first, second] = [(); 2].map(|()| fence(&device, D3D12_FENCE_FLAGS::SHARED));
    let name = "reprise shared test";
    let handle = share(&device, &first, Some(name)).unwrap();
    assert_eq!(share(&device, &second, Some(name)).unwrap_err(), NAME_ALREADY_EXISTS);
    assert_eq!(by_name(&device, "reprise shared tes").unwrap_err(), E_INVALIDARG);
    let found = by_name(&device, name).unwrap();
    drop(handle);
    let opened = open(&device, found.0, "ID3D12Fence").unwrap();
    assert_eq!(opened.code("ID3D12Fence", "Signal", &[4]), S_OK);
    assert_eq!(value(&first), 4);
    drop(found);
    assert_eq!(by_name(&device, name).unwrap_err(), E_INVALIDARG, "its last handle is closed");
    drop(share(&device, &second, Some(name)).unwrap());
}

#[test]
fn what_is_not_shared_or_not_ours_is_refused() {
    let (device, other) = (device(), device());
    let private = fence(&device, D3D12_FENCE_FLAGS::NONE);
    assert_eq!(share(&device, &private, None).unwrap_err(), DXGI_ERROR_INVALID_CALL);
    let private = committed(&device, D3D12_HEAP_TYPE::DEFAULT, D3D12_HEAP_FLAGS::NONE, &texture());
    assert_eq!(share(&device, &private, None).unwrap_err(), DXGI_ERROR_INVALID_CALL);
    let queue = queue(&device);
    assert_eq!(share(&device, &queue, None).unwrap_err(), E_INVALIDARG);
    let shared = fence(&device, D3D12_FENCE_FLAGS::SHARED);
    assert_eq!(share(&other, &shared, None).unwrap_err(), DXGI_ERROR_INVALID_CALL);
    let handle = share(&device, &shared, None).unwrap();
    // Other devices open what a file carries, on systems that have such.
    let elsewhere = open(&other, handle.0, "ID3D12Fence");
    assert_eq!(elsewhere.map(|_| ()), if cfg!(unix) { Ok(()) } else { Err(DXGI_ERROR_INVALID_CALL) });
    // What the CPU sees stays on its device.
    let seen = committed(&device, D3D12_HEAP_TYPE::UPLOAD, D3D12_HEAP_FLAGS::SHARED, &buffer(256));
    let of_seen = share(&device, &seen, None).unwrap();
    assert_eq!(open(&other, of_seen.0, "ID3D12Resource").unwrap_err(), DXGI_ERROR_INVALID_CALL);
    let foreign = Handle::foreign();
    for wrong in [null_mut(), usize::MAX as *mut c_void, 0x7fff_fff0 as *mut c_void, foreign.0] {
        assert_eq!(open(&device, wrong, "ID3D12Fence").unwrap_err(), E_INVALIDARG, "{wrong:?}");
    }
    assert_eq!(device.code("ID3D12Device", "OpenSharedHandle", &[at(handle.0), 0, 0]), E_INVALIDARG);
    assert_eq!(device.code("ID3D12Device", "CreateSharedHandle", &[at(shared.0), 0, ALL, 0, 0]), E_INVALIDARG);
    assert_eq!(device.code("ID3D12Device", "OpenSharedHandleByName", &[0, ALL, place(&mut { 0u64 })]), E_INVALIDARG);
}

#[cfg(unix)]
mod devices {
    use super::*;
    use std::time::{Duration, Instant};

    fn until(what: &str, ready: impl Fn() -> bool) {
        let begin = Instant::now();
        while !ready() {
            assert!(begin.elapsed() < Duration::from_secs(10), "{what}");
            std::thread::yield_now();
        }
    }

    /// Values rise and fall on both sides; waits of the CPU and of queues end by what the other side does.
    #[test]
    fn a_fence_of_two_devices_has_one_value() {
        let (one, other) = (device(), device());
        let (first, second) = (queue(&one), queue(&other));
        let made = fence(&one, D3D12_FENCE_FLAGS::SHARED);
        assert_eq!(made.code("ID3D12Fence", "Signal", &[2]), S_OK);
        let handle = share(&one, &made, None).unwrap();
        let opened = open(&other, handle.0, "ID3D12Fence").unwrap();
        let third = open(&other, handle.duplicate().0, "ID3D12Fence").unwrap();
        drop(handle);
        assert_eq!((value(&opened), value(&third)), (2, 2), "the value that it had");
        assert_eq!(opened.call("ID3D12Fence1", "GetCreationFlags", &[]) as u32, D3D12_FENCE_FLAGS::SHARED.0);
        // By the CPU, at once and in both directions, also downwards.
        for at in [7, 3, 12] {
            assert_eq!(made.code("ID3D12Fence", "Signal", &[at]), S_OK);
            assert_eq!((value(&opened), value(&third)), (at, at));
            assert_eq!(opened.code("ID3D12Fence", "Signal", &[at - 1]), S_OK);
            assert_eq!((value(&made), value(&third)), (at - 1, at - 1));
        }
        // A queue waits for what a queue of the other device signals, and back.
        assert_eq!(second.code("ID3D12CommandQueue", "Wait", &[at(opened.0), 20]), S_OK);
        assert_eq!(second.code("ID3D12CommandQueue", "Signal", &[at(opened.0), 21]), S_OK);
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(value(&made), 11, "nobody has signalled");
        assert_eq!(first.code("ID3D12CommandQueue", "Signal", &[at(made.0), 20]), S_OK);
        assert_eq!(made.code("ID3D12Fence", "SetEventOnCompletion", &[21, 0]), S_OK);
        assert_eq!(value(&third), 21);
        // A thread that waits is woken although the value falls again at once.
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| third.code("ID3D12Fence", "SetEventOnCompletion", &[30, 0]));
            std::thread::sleep(Duration::from_millis(30));
            assert_eq!(made.code("ID3D12Fence", "Signal", &[30]), S_OK);
            assert_eq!(made.code("ID3D12Fence", "Signal", &[1]), S_OK);
            assert_eq!(waiting.join().unwrap(), S_OK);
        });
        assert_eq!((value(&third), value(&opened)), (1, 1));
        // The device that made it may go.
        drop((made, first, one));
        assert_eq!(opened.code("ID3D12Fence", "Signal", &[50]), S_OK);
        assert_eq!(value(&third), 50);
        drop((opened, third, second));
        until("nothing of the device is left", || other.count() == 1);
    }

    /// Two devices give values at once, and agree about the last one.
    #[test]
    fn devices_agree_about_the_last_of_many_values() {
        let (one, other) = (device(), device());
        let made = fence(&one, D3D12_FENCE_FLAGS::SHARED);
        let handle = share(&one, &made, None).unwrap();
        let opened = open(&other, handle.0, "ID3D12Fence").unwrap();
        std::thread::scope(|scope| {
            for (fence, base) in [(&made, 1000), (&opened, 500_000)] {
                scope.spawn(move || {
                    for at in 0..3000 {
                        assert_eq!(fence.code("ID3D12Fence", "Signal", &[base + at]), S_OK);
                    }
                });
            }
        });
        assert_eq!(value(&made), value(&opened));
        assert!([3999, 502_999].contains(&value(&made)));
    }

    #[test]
    fn memory_of_another_device_is_what_it_was_made_as() {
        let (one, other) = (device(), device());
        let shared = D3D12_HEAP_FLAGS::SHARED;
        let told = |object: &Com| {
            let mut desc = D3D12_RESOURCE_DESC::default();
            object.call("ID3D12Resource", "GetDesc", &[place(&mut desc)]);
            (desc.Dimension, desc.Width, desc.Height, desc.Format, desc.MipLevels, desc.Flags)
        };
        for desc in [buffer(70_000), D3D12_RESOURCE_DESC { MipLevels: 0, ..texture() }] {
            let made = committed(&one, D3D12_HEAP_TYPE::DEFAULT, shared, &desc);
            let handle = share(&one, &made, None).unwrap();
            let opened = open(&other, handle.0, "ID3D12Resource").unwrap();
            assert_eq!(told(&made), told(&opened));
            assert_eq!(open(&other, handle.0, "ID3D12Fence").unwrap_err(), E_NOINTERFACE);
            // SAFETY: a resource of ours; the reference keeps it.
            let made = unsafe { reprise_com::Object::<reprise_runtime::resource::Resource>::this(made.0) };
            assert!(made.is_begun(), "its owner has made it ready");
        }
        let desc = D3D12_HEAP_DESC {
            SizeInBytes: 200_000,
            Properties: D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() },
            Flags: D3D12_HEAP_FLAGS(shared.0 | D3D12_HEAP_FLAGS::ALLOW_ONLY_BUFFERS.0),
            ..Default::default()
        };
        let made = one.make("ID3D12Device", "CreateHeap", &[at(&desc), iid("ID3D12Heap")]).unwrap();
        let handle = share(&one, &made, None).unwrap();
        drop((made, one));
        let opened = open(&other, handle.0, "ID3D12Heap").unwrap();
        let mut got = D3D12_HEAP_DESC::default();
        opened.call("ID3D12Heap", "GetDesc", &[place(&mut got)]);
        assert_eq!((got.SizeInBytes, got.Flags, got.Properties.Type), (200_000, desc.Flags, desc.Properties.Type));
        let inside = buffer(1000);
        let words = [at(opened.0), 1 << 16, at(&inside), 0, 0, iid("ID3D12Resource")];
        assert!(other.make("ID3D12Device", "CreatePlacedResource", &words).is_ok());
    }
}
