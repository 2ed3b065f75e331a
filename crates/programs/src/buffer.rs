//! Buffers in the three kinds of heaps, and reading and writing them from the processor.

use crate::com::{Com, Null, Word, attempt, call, create};
use crate::device::Device;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::queue::Queue;
use core::ptr::NonNull;
pub(crate) use reprise_d3d12::description::buffer as description;
use reprise_d3d12::types::*;

/// A buffer, in a heap of its own or placed.
pub(crate) struct Buffer {
    pub(crate) com: Com,
    /// In bytes.
    pub(crate) size: u64,
    /// For the GPU.
    pub(crate) address: u64,
    /// Where the processor writes, for upload buffers: mapped for the buffer's whole life.
    mapped: Option<NonNull<u8>>,
}

// SAFETY: the mapping belongs to the buffer; stores through it take `&self` of disjoint ranges or `&mut self`.
unsafe impl Send for Buffer {}
// SAFETY: stores through `&self` are to disjoint ranges, and the API's objects may be called by several threads.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Memory of the GPU that shaders may write, in the state `UNORDERED_ACCESS`.
    pub(crate) fn writable(device: &Device, size: u64) -> Result<Self, Failure> {
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let flags = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
        Self::new(device, D3D12_HEAP_TYPE::DEFAULT, size, flags, state)
    }

    /// Memory of an acceleration structure.
    pub(crate) fn structure(device: &Device, size: u64) -> Result<Self, Failure> {
        let state = D3D12_RESOURCE_STATES::RAYTRACING_ACCELERATION_STRUCTURE;
        Self::new(device, D3D12_HEAP_TYPE::DEFAULT, size, D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS, state)
    }

    /// Memory of the GPU, in the state `COPY_DEST`.
    pub(crate) fn copied(device: &Device, size: u64) -> Result<Self, Failure> {
        let state = D3D12_RESOURCE_STATES::COPY_DEST;
        Self::new(device, D3D12_HEAP_TYPE::DEFAULT, size, D3D12_RESOURCE_FLAGS::NONE, state)
    }

    /// Memory of the GPU that several queues use, shaders too: in the state `COMMON`, which every use changes for itself.
    pub(crate) fn shared(device: &Device, size: u64) -> Result<Self, Failure> {
        let flags = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
        Self::new(device, D3D12_HEAP_TYPE::DEFAULT, size, flags, D3D12_RESOURCE_STATES::COMMON)
    }

    /// A part of a heap that shaders may write, in the state `COPY_DEST`.
    pub(crate) fn placed(memory: &Memory, offset: u64, size: u64) -> Result<Self, Failure> {
        let desc = description(size, D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS);
        Self::from_com(memory.place(offset, &desc, D3D12_RESOURCE_STATES::COPY_DEST)?, size)
    }

    /// A part of an upload heap, as [`Buffer::upload`].
    pub(crate) fn placed_upload(memory: &Memory, offset: u64, size: u64) -> Result<Self, Failure> {
        let desc = description(size, D3D12_RESOURCE_FLAGS::NONE);
        let com = memory.place(offset, &desc, D3D12_RESOURCE_STATES::GENERIC_READ)?;
        Self::from_com(com, size)?.kept_mapped()
    }

    /// A part of a readback heap, as [`Buffer::readback`].
    pub(crate) fn placed_readback(memory: &Memory, offset: u64, size: u64) -> Result<Self, Failure> {
        let desc = description(size, D3D12_RESOURCE_FLAGS::NONE);
        Self::from_com(memory.place(offset, &desc, D3D12_RESOURCE_STATES::COPY_DEST)?, size)
    }

    /// Memory that the processor writes and the GPU reads, mapped for the buffer's whole life.
    pub(crate) fn upload(device: &Device, size: u64) -> Result<Self, Failure> {
        let state = D3D12_RESOURCE_STATES::GENERIC_READ;
        Self::new(device, D3D12_HEAP_TYPE::UPLOAD, size, D3D12_RESOURCE_FLAGS::NONE, state)?.kept_mapped()
    }

    /// Memory of the GPU that the processor writes, in the state `COMMON`.
    pub(crate) fn gpu_upload(device: &Device, size: u64) -> Result<Self, Failure> {
        let state = D3D12_RESOURCE_STATES::COMMON;
        Self::new(device, D3D12_HEAP_TYPE::GPU_UPLOAD, size, D3D12_RESOURCE_FLAGS::NONE, state)?.kept_mapped()
    }

    fn kept_mapped(mut self) -> Result<Self, Failure> {
        // The empty range: the processor reads nothing.
        self.mapped = Some(self.map(&D3D12_RANGE { Begin: 0, End: 0 })?);
        Ok(self)
    }

    /// An upload buffer that holds these values.
    pub(crate) fn uploaded(device: &Device, values: &[u32]) -> Result<Self, Failure> {
        let bytes = bytes_of(values);
        let mut buffer = Self::upload(device, bytes.len() as u64)?;
        buffer.write(0, &bytes);
        Ok(buffer)
    }

    /// Memory that the GPU copies into and the processor reads.
    pub(crate) fn readback(device: &Device, size: u64) -> Result<Self, Failure> {
        let state = D3D12_RESOURCE_STATES::COPY_DEST;
        Self::new(device, D3D12_HEAP_TYPE::READBACK, size, D3D12_RESOURCE_FLAGS::NONE, state)
    }

    /// Addresses without memory, until a queue maps their tiles.
    pub(crate) fn reserved(device: &Device, size: u64) -> Result<Self, Failure> {
        Self::reserved_for(device, size, D3D12_RESOURCE_FLAGS::NONE)
    }

    /// The same, for uses.
    pub(crate) fn reserved_for(device: &Device, size: u64, uses: D3D12_RESOURCE_FLAGS) -> Result<Self, Failure> {
        let desc = description(size, uses);
        let state = D3D12_RESOURCE_STATES::COMMON;
        let com = create!(
            device.com, "ID3D12Device", "CreateReservedResource", &raw const desc, state.0, Null; "ID3D12Resource"
        )?;
        let address = call!(com, "ID3D12Resource", "GetGPUVirtualAddress");
        Failure::unless(address != 0, || "a reserved buffer has no GPU address".into())?;
        Ok(Self { com, size, address, mapped: None })
    }

    fn new(
        device: &Device,
        heap: D3D12_HEAP_TYPE,
        size: u64,
        flags: D3D12_RESOURCE_FLAGS,
        state: D3D12_RESOURCE_STATES,
    ) -> Result<Self, Failure> {
        Self::of_heap(device, &D3D12_HEAP_PROPERTIES { Type: heap, ..Default::default() }, size, (flags, state))
    }

    /// A buffer in a heap of these properties.
    pub(crate) fn of_heap(
        device: &Device,
        properties: &D3D12_HEAP_PROPERTIES,
        size: u64,
        (flags, state): (D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES),
    ) -> Result<Self, Failure> {
        let desc = description(size, flags);
        let com = create!(
            device.com, "ID3D12Device", "CreateCommittedResource",
            &raw const *properties, 0u32, &raw const desc, state.0, Null; "ID3D12Resource"
        )?;
        Self::from_com(com, size)
    }

    /// A buffer that somebody else made, of so many bytes.
    pub(crate) fn from_com(com: Com, size: u64) -> Result<Self, Failure> {
        let address = call!(com, "ID3D12Resource", "GetGPUVirtualAddress");
        Failure::unless(address != 0, || "a buffer has no GPU address".into())?;
        Ok(Self { com, size, address, mapped: None })
    }

    /// Stores bytes of the processor.
    ///
    /// # Panics
    /// When they do not fit, or the buffer is no upload buffer.
    pub(crate) fn write(&mut self, offset: u64, bytes: &[u8]) {
        assert!(offset + bytes.len() as u64 <= self.size, "{} bytes at {offset} of {}", bytes.len(), self.size);
        let Some(mapped) = self.mapped else { panic!("only upload buffers are written by the processor") };
        // SAFETY: the mapping has `size` bytes, and the range lies within.
        unsafe { mapped.as_ptr().add(offset as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// Stores bytes of the processor to memory that is mapped for that alone.
    ///
    /// # Panics
    /// When they do not fit.
    pub(crate) fn store(&self, offset: u64, bytes: &[u8]) -> Result<(), Failure> {
        let end = offset + bytes.len() as u64;
        assert!(end <= self.size, "{} bytes at {offset} of {}", bytes.len(), self.size);
        let mapped = self.map(&D3D12_RANGE { Begin: 0, End: 0 })?;
        // SAFETY: the mapping has `size` bytes, and the range lies within.
        unsafe { mapped.as_ptr().add(offset as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        let written = D3D12_RANGE { Begin: offset, End: end };
        call!(self.com, "ID3D12Resource", "Unmap", 0u32, &raw const written);
        Ok(())
    }

    /// Where a byte of an upload buffer is for the processor.
    ///
    /// # Panics
    /// When the buffer is no upload buffer, or the byte lies behind it.
    pub(crate) fn place(&self, offset: u64) -> NonNull<u8> {
        assert!(offset < self.size, "byte {offset} of {}", self.size);
        let Some(mapped) = self.mapped else { panic!("only upload buffers are written by the processor") };
        // SAFETY: within the mapping.
        unsafe { mapped.add(offset as usize) }
    }

    /// Maps an upload buffer once more, to the same place; [`Buffer::unmap`] ends that.
    pub(crate) fn map_again(&self) -> Result<(), Failure> {
        let again = self.map(&D3D12_RANGE { Begin: 0, End: 0 })?;
        Failure::unless(Some(again) == self.mapped, || "a second Map gives another place".into())
    }

    /// Ends one mapping.
    pub(crate) fn unmap(&self) {
        call!(self.com, "ID3D12Resource", "Unmap", 0u32, Null);
    }

    /// What a read-back buffer holds. The GPU must be done with it.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        let mapped = self.map(&D3D12_RANGE { Begin: 0, End: self.size })?;
        // SAFETY: the mapping has `size` bytes, which nobody writes: the GPU is done.
        let bytes = unsafe { core::slice::from_raw_parts(mapped.as_ptr(), self.size as usize) }.to_vec();
        // The empty range: the processor wrote nothing.
        let written = D3D12_RANGE { Begin: 0, End: 0 };
        call!(self.com, "ID3D12Resource", "Unmap", 0u32, &raw const written);
        Ok(bytes)
    }

    /// As [`Buffer::read`], as numbers.
    pub(crate) fn read_u32(&self) -> Result<Vec<u32>, Failure> {
        Ok(self.read()?.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    /// Maps all of it for reading, for the buffer's whole life.
    pub(crate) fn mapped_for_reading(&self) -> Result<NonNull<u8>, Failure> {
        self.map(&D3D12_RANGE { Begin: 0, End: self.size })
    }

    fn map(&self, read: &D3D12_RANGE) -> Result<NonNull<u8>, Failure> {
        let mut mapped: *mut u8 = core::ptr::null_mut();
        attempt!(self.com, "ID3D12Resource", "Map", 0u32, Word::from(&raw const *read), &raw mut mapped)?;
        NonNull::new(mapped).ok_or_else(|| Failure::Wrong("Map succeeds and gives nothing".into()))
    }
}

/// Copies a buffer of the GPU, which is in state `before`, to the processor, and waits for it. The list must be open, and is
/// open again.
pub(crate) fn fetch(
    device: &Device,
    queue: &Queue,
    list: &mut List,
    buffer: &Buffer,
    before: D3D12_RESOURCE_STATES,
) -> Result<Buffer, Failure> {
    let readback = Buffer::readback(device, buffer.size)?;
    list.transition(&buffer.com, before, D3D12_RESOURCE_STATES::COPY_SOURCE);
    list.copy_bytes(&readback, 0, buffer, 0, buffer.size);
    list.transition(&buffer.com, D3D12_RESOURCE_STATES::COPY_SOURCE, before);
    queue.run(list)?;
    Ok(readback)
}

/// Copies a whole upload buffer into one that shaders write, and waits for it. The list must be open, and is open again.
pub(crate) fn fill(queue: &Queue, list: &mut List, buffer: &Buffer, from: &Buffer) -> Result<(), Failure> {
    list.transition(&buffer.com, D3D12_RESOURCE_STATES::UNORDERED_ACCESS, D3D12_RESOURCE_STATES::COPY_DEST);
    list.copy_bytes(buffer, 0, from, 0, from.size);
    list.transition(&buffer.com, D3D12_RESOURCE_STATES::COPY_DEST, D3D12_RESOURCE_STATES::UNORDERED_ACCESS);
    queue.run(list)
}

/// Fills a buffer that is in the state `COPY_DEST` with zeros, and waits for it.
pub(crate) fn clear(device: &Device, queue: &Queue, buffer: &Buffer) -> Result<(), Failure> {
    let mut zeros = Buffer::upload(device, buffer.size)?;
    zeros.write(0, &vec![0; buffer.size as usize]);
    let mut list = List::direct(device)?;
    list.copy_bytes(buffer, 0, &zeros, 0, buffer.size);
    list.close()?;
    queue.execute(&[&list]);
    queue.finish()
}

/// Numbers as the GPU sees them.
pub(crate) fn bytes_of(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
