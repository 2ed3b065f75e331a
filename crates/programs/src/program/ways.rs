//! `ways`, `both-ways`: memory of every kind that a processor can read, written by copies of the GPU: what a program sees of the GPU's work, it
//! sees there, in the answers of queries, or on a screen. Of the first kinds the processor writes none, and all of the second.
//!
//! Kinds that a device does not have are left out; the digest is of what they would hold.

use super::Program;
use crate::buffer::{Buffer, bytes_of};
use crate::com::attempt;
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::random::Random;
use crate::stage::Stage;
use crate::texture::{Texture, flat, in_buffer, part};
use reprise_d3d12::types::*;

pub(super) const WAYS: Program = Program {
    name: "ways",
    about: "memory in which a program sees what the GPU wrote: readback, and texels",
    run: ways,
};
pub(super) const BOTH: Program = Program {
    name: "both-ways",
    about: "memory that both can write, in which a program sees what the GPU wrote",
    run: both,
};

/// Bytes of each buffer, and of the texels of the texture.
const SIZE: u32 = 16 << 10;
/// Texels of a side of it, 4 bytes each.
const SIDE: u32 = 64;

/// A kind of memory; `None` where the device has none.
type Way = (&'static str, fn(&Device) -> Result<Option<Buffer>, Failure>);

/// Memory that only the GPU writes.
const READ: [Way; 2] = [
    ("a readback buffer", |device| Buffer::readback(device, SIZE.into()).map(Some)),
    ("a buffer in a readback heap", |device| {
        let memory = Memory::of(device, D3D12_HEAP_TYPE::READBACK, 2 * Memory::ALIGNMENT, 0)?;
        Buffer::placed_readback(&memory, Memory::ALIGNMENT, SIZE.into()).map(Some)
    }),
];

/// Memory that the processor can write, too.
const WRITTEN: [Way; 4] = [
    ("a custom heap, write-back", |device| custom(device, D3D12_CPU_PAGE_PROPERTY::WRITE_BACK)),
    ("a custom heap, write-combined", |device| custom(device, D3D12_CPU_PAGE_PROPERTY::WRITE_COMBINE)),
    ("an upload buffer", |device| Buffer::upload(device, SIZE.into()).map(Some)),
    ("a GPU upload buffer", |device| {
        let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS16::default();
        let known = device.feature(D3D12_FEATURE::D3D12_OPTIONS16, &mut options);
        if known && options.GPUUploadHeapSupported != 0 {
            Buffer::gpu_upload(device, SIZE.into()).map(Some)
        } else {
            Ok(None)
        }
    }),
];

fn custom(device: &Device, pages: D3D12_CPU_PAGE_PROPERTY) -> Result<Option<Buffer>, Failure> {
    let properties = D3D12_HEAP_PROPERTIES {
        Type: D3D12_HEAP_TYPE::CUSTOM,
        CPUPageProperty: pages,
        MemoryPoolPreference: D3D12_MEMORY_POOL::L0,
        ..Default::default()
    };
    let state = (D3D12_RESOURCE_FLAGS::NONE, D3D12_RESOURCE_STATES::COMMON);
    Buffer::of_heap(device, &properties, SIZE.into(), state).map(Some)
}

fn ways(stage: &Stage) -> Result<Digest, Failure> {
    let (mut random, mut digest) = (Random(35), Digest::new());
    walk(stage, &READ, &mut random, &mut digest)?;
    read_texels(stage, &mut random, &mut digest)?;
    Ok(digest)
}

fn both(stage: &Stage) -> Result<Digest, Failure> {
    let (mut random, mut digest) = (Random(53), Digest::new());
    walk(stage, &WRITTEN, &mut random, &mut digest)?;
    Ok(digest)
}

fn walk(stage: &Stage, ways: &[Way], random: &mut Random, digest: &mut Digest) -> Result<(), Failure> {
    for (name, make) in ways {
        // None of them is zero: what nothing writes shows.
        let words: Vec<u32> = (0..SIZE / 4).map(|_| random.next() | 1).collect();
        digest.add(&bytes_of(&words));
        let Some(way) = make(&stage.device)? else { continue };
        let (mut list, source) = (List::direct(&stage.device)?, Buffer::uploaded(&stage.device, &words)?);
        let between = between(stage, &mut list, &source)?;
        list.copy_bytes(&way, 0, &between, 0, SIZE.into());
        stage.queue.run(&mut list)?;
        Failure::unless_equal(name, &way.read_u32()?, &words)?;
    }
    Ok(())
}

/// Memory of the GPU that holds a copy, and is in the state `COPY_SOURCE`.
fn between(stage: &Stage, list: &mut List, source: &Buffer) -> Result<Buffer, Failure> {
    let between = Buffer::copied(&stage.device, source.size)?;
    list.copy_bytes(&between, 0, source, 0, source.size);
    list.transition(&between.com, D3D12_RESOURCE_STATES::COPY_DEST, D3D12_RESOURCE_STATES::COPY_SOURCE);
    Ok(between)
}

/// A texture that the GPU wrote is read by the processor, with room between its rows.
fn read_texels(stage: &Stage, random: &mut Random, digest: &mut Digest) -> Result<(), Failure> {
    let words: Vec<u32> = (0..SIDE * SIDE).map(|_| random.next() | 1).collect();
    digest.add(&bytes_of(&words));
    let desc = flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, SIDE, SIDE);
    let texture = Texture::of_processor(&stage.device, &desc)?;
    let (mut list, source) = (List::direct(&stage.device)?, Buffer::uploaded(&stage.device, &words)?);
    let between = between(stage, &mut list, &source)?;
    let placed = D3D12_PLACED_SUBRESOURCE_FOOTPRINT {
        Offset: 0,
        Footprint: D3D12_SUBRESOURCE_FOOTPRINT {
            Format: desc.Format,
            Width: SIDE,
            Height: SIDE,
            Depth: 1,
            RowPitch: 4 * SIDE,
        },
    };
    list.copy_texture(&part(&texture.com, 0), [0; 3], &in_buffer(&between, placed), None);
    stage.queue.run(&mut list)?;
    let pitch = 4 * SIDE + 12;
    let mut read = vec![0xee_u8; (pitch * SIDE) as usize];
    attempt!(
        texture.com,
        "ID3D12Resource",
        "ReadFromSubresource",
        read.as_mut_ptr(),
        pitch,
        pitch * SIDE,
        0u32,
        core::ptr::null::<D3D12_BOX>()
    )?;
    let rows: Vec<u8> = read.chunks(pitch as usize).flat_map(|row| &row[..4 * SIDE as usize]).copied().collect();
    Failure::unless_equal("a texture that the processor reads", &rows, &bytes_of(&words))
}
