//! Places by private data: told by objects, asked of devices. A process of its own, because the setting is the process's. Needs a
//! Vulkan 1.3 driver that sees the process's memory at the process's addresses (lavapipe does).
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod com;

use com::{Com, at, buffer, committed, device, fence, place, texture};
use reprise_com::result::{DXGI_ERROR_MORE_DATA, DXGI_ERROR_NOT_FOUND, S_FALSE, S_OK};
use reprise_d3d12::place::{HEADER, ID, MOST, State, range};
use reprise_d3d12::types::{D3D12_FENCE_FLAGS, D3D12_HEAP_FLAGS, D3D12_HEAP_TYPE};

/// A device of a runtime that was asked for addresses that a later process can have.
fn repeatable() -> Com {
    // SAFETY: a test's process, before anything reads the environment; the tests of this file all set the same.
    unsafe { std::env::set_var("REPRISE_ADDRESSES", "repeatable") };
    device()
}

/// The private data of an object, with the code.
fn told(object: &Com) -> (i32, Vec<u8>) {
    let (mut bytes, mut size) = (vec![0u8; MOST], MOST as u32);
    let words = [at(&ID), place(&mut size), bytes.as_mut_ptr() as u64];
    let code = object.code("ID3D12Object", "GetPrivateData", &words);
    bytes.truncate(size as usize);
    (code, bytes)
}

fn ask(device: &Com, bytes: &[u8]) -> i32 {
    device.code("ID3D12Object", "SetPrivateData", &[at(&ID), bytes.len() as u64, bytes.as_ptr() as u64])
}

fn made(device: &Com, size: u64) -> Com {
    committed(device, D3D12_HEAP_TYPE::DEFAULT, D3D12_HEAP_FLAGS::NONE, &buffer(size))
}

fn address(resource: &Com) -> u64 {
    resource.call("ID3D12Resource", "GetGPUVirtualAddress", &[])
}

#[test]
fn a_place_serves_the_next_creation_once() {
    let device = repeatable();
    let (code, says) = told(&device);
    assert_eq!((code, says.len()), (S_OK, HEADER + 8));
    assert_eq!(says[HEADER..], [&(State::Repeatable as u32).to_le_bytes()[..], &[0; 4]].concat());

    let first = made(&device, 4096);
    let (code, wanted) = told(&first);
    assert_eq!((code, &wanted[..HEADER]), (S_OK, &says[..HEADER]));
    let lay = address(&first);
    assert_eq!(range(&wanted), Some((lay, 65536)), "buffers have whole pages");
    drop((first, device));

    let device = repeatable();
    assert_eq!(ask(&device, &wanted), S_OK);
    let again = made(&device, 4096);
    assert_eq!((address(&again), told(&again)), (lay, (S_OK, wanted.clone())));
    drop(again);
    // The wish is spent; another one that is taken back, or meets a texture, is, too.
    assert_ne!(address(&made(&device, 4096)), lay);
    ask(&device, &wanted);
    assert_eq!(device.code("ID3D12Object", "SetPrivateData", &[at(&ID), 0, 0]), S_OK);
    assert_ne!(address(&made(&device, 4096)), lay);
    ask(&device, &wanted);
    drop(committed(&device, D3D12_HEAP_TYPE::DEFAULT, D3D12_HEAP_FLAGS::NONE, &texture()));
    assert_ne!(address(&made(&device, 4096)), lay);
    // Of this thread, of this device.
    ask(&device, &wanted);
    assert_ne!(std::thread::scope(|scope| scope.spawn(|| address(&made(&device, 4096))).join().unwrap()), lay);
    assert_ne!(address(&made(&repeatable(), 4096)), lay);
    // What does not fit lies elsewhere.
    ask(&device, &wanted);
    assert_ne!(address(&made(&device, 1 << 20)), lay);
}

#[test]
fn a_place_of_another_driver_is_refused() {
    let device = repeatable();
    let mut wanted = told(&made(&device, 4096)).1;
    wanted[8] ^= 1;
    assert_eq!(ask(&device, &wanted), S_FALSE);
    assert_eq!(ask(&device, &wanted[..HEADER]), S_FALSE);
    assert_eq!(ask(&device, b"other"), S_FALSE);
    assert_eq!(device.code("ID3D12Object", "SetPrivateData", &[at(&ID), 0, 0]), S_OK, "no wish");
    drop(made(&device, 4096));
}

#[test]
fn only_what_has_memory_of_its_own_says_where() {
    let device = repeatable();
    let mut size = 8u32;
    let words = [at(&ID), place(&mut size), 0];
    let buffer = made(&device, 4096);
    assert_eq!(buffer.code("ID3D12Object", "GetPrivateData", &words), S_OK, "how many bytes");
    assert!(size as usize > HEADER && size as usize <= MOST);
    let (mut room, mut bytes) = (8u32, [0u8; 8]);
    let words = [at(&ID), place(&mut room), bytes.as_mut_ptr() as u64];
    assert_eq!(buffer.code("ID3D12Object", "GetPrivateData", &words), DXGI_ERROR_MORE_DATA);
    assert_eq!((room, bytes), (size, [0; 8]));
    let fence = fence(&device, D3D12_FENCE_FLAGS::NONE);
    assert_eq!(told(&fence).0, DXGI_ERROR_NOT_FOUND);
    let texture = committed(&device, D3D12_HEAP_TYPE::DEFAULT, D3D12_HEAP_FLAGS::NONE, &texture());
    assert_eq!(told(&texture).0, DXGI_ERROR_NOT_FOUND);
}
