//! Textures: filled and read through buffers that are laid out as the device says.
//!
//! Invariant: the bytes of a subresource are its rows one after the other, without padding, wherever the processor holds them.

use crate::buffer::{self, Buffer};
use crate::com::{Com, Null, Word, call, create};
use crate::device::Device;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::stage::Stage;
use reprise_d3d12::types::*;

/// A texture, in a heap of its own or placed.
pub(crate) struct Texture {
    pub(crate) com: Com,
    /// By subresource.
    footprints: Vec<Footprint>,
    /// Bytes of a buffer that holds all subresources.
    bytes: u64,
}

/// How a subresource lies in a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Footprint {
    pub(crate) placed: D3D12_PLACED_SUBRESOURCE_FOOTPRINT,
    /// Of texels, or of blocks.
    rows: u32,
    /// Bytes of a row without its padding.
    row: u64,
}

/// A texture of two dimensions, with one level, one slice and one sample.
pub(crate) fn flat(format: DXGI_FORMAT, width: u32, height: u32) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: u64::from(width),
        Height: height,
        DepthOrArraySize: 1,
        MipLevels: 1,
        Format: format,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        ..Default::default()
    }
}

impl Texture {
    /// Makes a texture in memory of the GPU.
    pub(crate) fn new(
        device: &Device,
        desc: &D3D12_RESOURCE_DESC,
        state: D3D12_RESOURCE_STATES,
        clear: Option<&D3D12_CLEAR_VALUE>,
    ) -> Result<Self, Failure> {
        Self::of_planes(device, desc, state, clear, 1)
    }

    /// As [`Texture::new`], with so many planes to be filled and read.
    pub(crate) fn of_planes(
        device: &Device,
        desc: &D3D12_RESOURCE_DESC,
        state: D3D12_RESOURCE_STATES,
        clear: Option<&D3D12_CLEAR_VALUE>,
        planes: u32,
    ) -> Result<Self, Failure> {
        let properties = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
        let clear = clear.map_or(Word::from(Null), |value| (&raw const *value).into());
        let com = create!(
            device.com, "ID3D12Device", "CreateCommittedResource",
            &raw const properties, 0u32, &raw const *desc, state.0, clear; "ID3D12Resource"
        )?;
        Self::from_com(device, com, desc, planes)
    }

    /// Makes a texture in memory of the processor, in the state `COMMON`, which copies change for themselves.
    pub(crate) fn of_processor(device: &Device, desc: &D3D12_RESOURCE_DESC) -> Result<Self, Failure> {
        let properties = D3D12_HEAP_PROPERTIES {
            Type: D3D12_HEAP_TYPE::CUSTOM,
            CPUPageProperty: D3D12_CPU_PAGE_PROPERTY::WRITE_BACK,
            MemoryPoolPreference: D3D12_MEMORY_POOL::L0,
            ..Default::default()
        };
        let com = create!(
            device.com, "ID3D12Device", "CreateCommittedResource",
            &raw const properties, 0u32, &raw const *desc, D3D12_RESOURCE_STATES::COMMON.0, Null; "ID3D12Resource"
        )?;
        Self::from_com(device, com, desc, 1)
    }

    /// Makes a texture that begins `offset` bytes into a heap.
    pub(crate) fn placed(
        device: &Device,
        memory: &Memory,
        offset: u64,
        desc: &D3D12_RESOURCE_DESC,
        state: D3D12_RESOURCE_STATES,
    ) -> Result<Self, Failure> {
        Self::placed_planes(device, (memory, offset), desc, state, 1)
    }

    /// As [`Texture::placed`], with so many planes to be filled and read.
    pub(crate) fn placed_planes(
        device: &Device,
        (memory, offset): (&Memory, u64),
        desc: &D3D12_RESOURCE_DESC,
        state: D3D12_RESOURCE_STATES,
        planes: u32,
    ) -> Result<Self, Failure> {
        Self::from_com(device, memory.place(offset, desc, state)?, desc, planes)
    }

    /// What was made with a description, with so many planes to be filled and read.
    pub(crate) fn from_com(
        device: &Device,
        com: Com,
        desc: &D3D12_RESOURCE_DESC,
        planes: u32,
    ) -> Result<Self, Failure> {
        let slices = if desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D { 1 } else { desc.DepthOrArraySize };
        let count = u32::from(slices) * u32::from(desc.MipLevels) * planes;
        let (footprints, bytes) = footprints(device, desc, count);
        // What the API answers about subresources that there are not.
        if bytes == u64::MAX {
            return Err(Failure::Cannot(format!("there are no footprints of {count} subresources (planes)")));
        }
        Ok(Self { com, footprints, bytes })
    }

    /// A texture that has been given its content, one part a subresource, and is then in `state`. The buffer must live until
    /// the list is done.
    pub(crate) fn filled(
        device: &Device,
        list: &mut List,
        desc: &D3D12_RESOURCE_DESC,
        content: &[Vec<u8>],
        state: D3D12_RESOURCE_STATES,
    ) -> Result<(Self, Buffer), Failure> {
        let texture = Self::new(device, desc, D3D12_RESOURCE_STATES::COPY_DEST, None)?;
        let buffer = texture.fill(device, list, content)?;
        // A transition names two different states.
        if state != D3D12_RESOURCE_STATES::COPY_DEST {
            list.transition(&texture.com, D3D12_RESOURCE_STATES::COPY_DEST, state);
        }
        Ok((texture, buffer))
    }

    /// Gives a texture that is in `COPY_DEST` its content. The buffer must live until the list is done.
    pub(crate) fn fill(&self, device: &Device, list: &mut List, content: &[Vec<u8>]) -> Result<Buffer, Failure> {
        assert_eq!(content.len(), self.footprints.len(), "parts of a texture");
        let mut buffer = Buffer::upload(device, self.bytes)?;
        for (index, (footprint, bytes)) in self.footprints.iter().zip(content).enumerate() {
            footprint.spread(bytes, |offset, row| buffer.write(offset, row));
            list.copy_texture(&self.part(index as u32), [0; 3], &in_buffer(&buffer, footprint.placed), None);
        }
        Ok(buffer)
    }

    /// The content, one part a subresource. The texture must be in state `before`, where it comes back to; the list must be
    /// open, and is open again.
    pub(crate) fn read(
        &self,
        stage: &Stage,
        list: &mut List,
        before: D3D12_RESOURCE_STATES,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let readback = Buffer::readback(&stage.device, self.bytes)?;
        if self.footprints.iter().map(Footprint::bytes).sum::<u64>() < self.bytes {
            // What lies between the rows is nobody's: a replay of the program would find other bytes there.
            buffer::clear(&stage.device, &stage.queue, &readback)?;
        }
        if before != D3D12_RESOURCE_STATES::COPY_SOURCE {
            list.transition(&self.com, before, D3D12_RESOURCE_STATES::COPY_SOURCE);
        }
        for (index, footprint) in self.footprints.iter().enumerate() {
            list.copy_texture(&in_buffer(&readback, footprint.placed), [0; 3], &self.part(index as u32), None);
        }
        if before != D3D12_RESOURCE_STATES::COPY_SOURCE {
            list.transition(&self.com, D3D12_RESOURCE_STATES::COPY_SOURCE, before);
        }
        stage.queue.run(list)?;
        let bytes = readback.read()?;
        Ok(self.footprints.iter().map(|footprint| footprint.gather(&bytes)).collect())
    }

    /// A subresource, as copies name it.
    pub(crate) fn part(&self, index: u32) -> D3D12_TEXTURE_COPY_LOCATION {
        part(&self.com, index)
    }
}

/// A subresource of a texture, as copies name it.
pub(crate) fn part(texture: &Com, index: u32) -> D3D12_TEXTURE_COPY_LOCATION {
    let mut place = D3D12_TEXTURE_COPY_LOCATION {
        pResource: texture.as_ptr(),
        Type: D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX,
        ..Default::default()
    };
    place.Anonymous.SubresourceIndex = index;
    place
}

/// A part of a buffer that holds texels, as copies name it.
pub(crate) fn in_buffer(buffer: &Buffer, placed: D3D12_PLACED_SUBRESOURCE_FOOTPRINT) -> D3D12_TEXTURE_COPY_LOCATION {
    let mut place = D3D12_TEXTURE_COPY_LOCATION {
        pResource: buffer.com.as_ptr(),
        Type: D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT,
        ..Default::default()
    };
    place.Anonymous.PlacedFootprint = placed;
    place
}

impl Footprint {
    /// Bytes of all rows, without padding.
    fn bytes(&self) -> u64 {
        self.row * u64::from(self.rows * self.placed.Footprint.Depth)
    }

    /// Where each row begins in the buffer.
    fn offsets(&self) -> impl Iterator<Item = u64> {
        let D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: first, Footprint: shape } = self.placed;
        (0..u64::from(self.rows * shape.Depth)).map(move |row| first + row * u64::from(shape.RowPitch))
    }

    /// Gives each row of tight bytes to `write`, with its offset in the buffer.
    pub(crate) fn spread(&self, bytes: &[u8], mut write: impl FnMut(u64, &[u8])) {
        assert_eq!(bytes.len() as u64, self.bytes(), "bytes of a part");
        self.offsets().zip(bytes.chunks(self.row as usize)).for_each(|(offset, row)| write(offset, row));
    }

    /// The rows of a buffer's bytes, without padding.
    pub(crate) fn gather(&self, bytes: &[u8]) -> Vec<u8> {
        self.offsets().flat_map(|offset| &bytes[offset as usize..(offset + self.row) as usize]).copied().collect()
    }
}

fn footprints(device: &Device, desc: &D3D12_RESOURCE_DESC, count: u32) -> (Vec<Footprint>, u64) {
    let mut placed = vec![D3D12_PLACED_SUBRESOURCE_FOOTPRINT::default(); count as usize];
    let (mut rows, mut row, mut total) = (vec![0u32; count as usize], vec![0u64; count as usize], 0u64);
    call!(
        device.com,
        "ID3D12Device",
        "GetCopyableFootprints",
        &raw const *desc,
        0u32,
        count,
        0u64,
        placed.as_mut_ptr(),
        rows.as_mut_ptr(),
        row.as_mut_ptr(),
        &raw mut total
    );
    let parts = placed.into_iter().zip(rows).zip(row);
    (parts.map(|((placed, rows), row)| Footprint { placed, rows, row }).collect(), total)
}
