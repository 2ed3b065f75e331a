//! `hosted`: a heap in memory of the program's own, to which it stores without a map: before there is a heap, between two
//! submissions, and while a buffer is mapped for nothing but its address.

use super::Program;
use crate::buffer::{Buffer, description};
use crate::com::{Com, Null, attempt, call, create};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::random::Random;
use crate::stage::Stage;
use core::ptr::NonNull;
use reprise_d3d12::interface;
use reprise_d3d12::types::{D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES};
use std::alloc::{Layout, alloc_zeroed, dealloc};

pub(super) const PROGRAM: Program =
    Program { name: "hosted", about: "a heap in memory of the program's own, stored to without a map", run };

/// Bytes of each of the two buffers.
const SIZE: usize = Memory::ALIGNMENT as usize;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = stage.device.com.query(interface("ID3D12Device13"));
    let device = device.ok_or_else(|| Failure::Cannot("the device has no ID3D12Device13".into()))?;
    let mut random = Random(77);
    let mut model = random.bytes(2 * SIZE);
    let host = Host::new(2 * SIZE)?;
    host.write(0, &model);

    let heap: Com = create!(
        device, "ID3D12Device13", "OpenExistingHeapFromAddress1", host.start.as_ptr(), 2 * SIZE as u64; "ID3D12Heap"
    )?;
    let buffers = [place(stage, &heap, 0)?, place(stage, &heap, SIZE as u64)?];
    let mut digest = Digest::new();
    let mut list = List::direct(&stage.device)?;
    check(stage, &mut list, &buffers, &model, "before there was a heap", &mut digest)?;

    // In one page, over the border of the buffers, and in the last byte.
    for (offset, bytes) in [(100, 7), (SIZE - 5, 11), (2 * SIZE - 1, 1)] {
        let bytes = random.bytes(bytes);
        model[offset..offset + bytes.len()].copy_from_slice(&bytes);
        host.write(offset, &bytes);
    }
    check(stage, &mut list, &buffers, &model, "between submissions", &mut digest)?;

    let mut mapped: *mut u8 = core::ptr::null_mut();
    attempt!(buffers[1].com, "ID3D12Resource", "Map", 0u32, Null, &raw mut mapped)?;
    call!(buffers[1].com, "ID3D12Resource", "Unmap", 0u32, Null);
    Failure::unless(mapped == host.start.as_ptr().wrapping_add(SIZE), || "a buffer is mapped elsewhere".into())?;
    let bytes = random.bytes(3000);
    model[SIZE + 4000..SIZE + 7000].copy_from_slice(&bytes);
    host.write(SIZE + 4000, &bytes);
    check(stage, &mut list, &buffers, &model, "after a map", &mut digest)?;
    Ok(digest)
}

fn place(stage: &Stage, heap: &Com, offset: u64) -> Result<Buffer, Failure> {
    let desc = description(SIZE as u64, D3D12_RESOURCE_FLAGS::ALLOW_CROSS_ADAPTER);
    let state = D3D12_RESOURCE_STATES::COPY_SOURCE;
    let com = create!(
        stage.device.com, "ID3D12Device", "CreatePlacedResource",
        heap, offset, &raw const desc, state.0, Null; "ID3D12Resource"
    )?;
    Buffer::from_com(com, SIZE as u64)
}

/// What the GPU sees in both buffers.
fn check(
    stage: &Stage,
    list: &mut List,
    buffers: &[Buffer; 2],
    model: &[u8],
    what: &str,
    digest: &mut Digest,
) -> Result<(), Failure> {
    let readback = Buffer::readback(&stage.device, 2 * SIZE as u64)?;
    for (buffer, offset) in buffers.iter().zip([0, SIZE as u64]) {
        list.copy_bytes(&readback, offset, buffer, 0, SIZE as u64);
    }
    stage.queue.run(list)?;
    let got = readback.read()?;
    Failure::unless_equal(what, &got, model)?;
    digest.add(&got);
    Ok(())
}

/// Memory of the program's own, in whole pages.
struct Host {
    start: NonNull<u8>,
    layout: Layout,
}

impl Host {
    fn new(size: usize) -> Result<Self, Failure> {
        let layout = Layout::from_size_align(size, SIZE).map_err(|error| Failure::Wrong(error.to_string()))?;
        // SAFETY: the size is not 0.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) });
        Ok(Self { start: start.ok_or_else(|| Failure::Wrong("there is no memory".into()))?, layout })
    }

    fn write(&self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= self.layout.size(), "{} bytes at {offset}", bytes.len());
        // SAFETY: within the memory, which the GPU does not use now.
        unsafe { self.start.as_ptr().add(offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: allocated so, and freed once; the heap is gone.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
