//! `subresources`: textures in memory of the processor, written by `WriteToSubresource`: whole and in boxes, with tight rows and
//! with padding between rows and slices, levels, slices of an array and of a volume, blocks. The GPU copies them out, and
//! `ReadFromSubresource` says the same.

use super::Program;
use crate::com::{Null, attempt, call};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::random::Random;
use crate::stage::Stage;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program = Program {
    name: "subresources",
    about: "textures of the processor's, written and read in boxes, rows padded or not",
    run,
};

/// A texture of blocks of texels; sizes are of its first level, in blocks.
struct Case {
    name: &'static str,
    desc: D3D12_RESOURCE_DESC,
    /// Texels of a block's side, and its bytes.
    block: (u32, usize),
}

fn cases() -> [Case; 4] {
    let levels =
        D3D12_RESOURCE_DESC { MipLevels: 3, DepthOrArraySize: 2, ..flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, 44, 28) };
    let volume = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE3D,
        DepthOrArraySize: 5,
        ..flat(DXGI_FORMAT::FORMAT_R16G16_UINT, 13, 9)
    };
    [
        Case { name: "bytes", desc: flat(DXGI_FORMAT::FORMAT_R8_UNORM, 71, 33), block: (1, 1) },
        Case { name: "levels and slices", desc: levels, block: (1, 4) },
        Case { name: "volume", desc: volume, block: (1, 4) },
        Case { name: "blocks", desc: flat(DXGI_FORMAT::FORMAT_BC1_UNORM, 64, 32), block: (4, 8) },
    ]
}

/// Columns, rows and slices of blocks, from and to.
#[derive(Clone, Copy)]
struct Box3 {
    from: [u32; 3],
    to: [u32; 3],
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let (mut digest, mut random, mut list) = (Digest::new(), Random(21), List::direct(&stage.device)?);
    for case in cases() {
        let texture = Texture::of_processor(&stage.device, &case.desc)?;
        let volume = case.desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        let depth = if volume { u32::from(case.desc.DepthOrArraySize) } else { 1 };
        let slices = if volume { 1 } else { u32::from(case.desc.DepthOrArraySize) };
        let mut expected = Vec::new();
        for subresource in 0..slices * u32::from(case.desc.MipLevels) {
            let level = subresource % u32::from(case.desc.MipLevels);
            let side = |texels: u32| (texels >> level).max(1).div_ceil(case.block.0);
            let size = [side(case.desc.Width as u32), side(case.desc.Height), depth];
            // The API wants it mapped, and gives no address of what it lays out itself.
            attempt!(texture.com, "ID3D12Resource", "Map", subresource, Null, Null)?;
            let mut subresource =
                Subresource { texture: &texture, number: subresource, size, block: case.block, model: Vec::new() };
            subresource.model = vec![0; subresource.bytes(size)];
            subresource.write(&mut random, None, 0)?;
            for round in 0..stage.frames(6) {
                let from = size.map(|size| random.below(size));
                let to = [0, 1, 2].map(|axis| from[axis] + 1 + random.below(size[axis] - from[axis]));
                let within = Box3 { from, to };
                subresource.write(&mut random, Some(within), round * 12)?;
            }
            subresource.check(case.name)?;
            call!(texture.com, "ID3D12Resource", "Unmap", subresource.number, Null);
            expected.push(subresource.model);
        }
        let got = texture.read(stage, &mut list, D3D12_RESOURCE_STATES::COMMON)?;
        for (number, (got, expected)) in got.iter().zip(&expected).enumerate() {
            Failure::unless_equal(&format!("{}, subresource {number}", case.name), got, expected)?;
            digest.add(got);
        }
    }
    Ok(digest)
}

/// One that is written, and what it should hold, without padding.
struct Subresource<'a> {
    texture: &'a Texture,
    number: u32,
    /// In blocks.
    size: [u32; 3],
    block: (u32, usize),
    model: Vec<u8>,
}

impl Subresource<'_> {
    fn bytes(&self, size: [u32; 3]) -> usize {
        size.iter().map(|side| *side as usize).product::<usize>() * self.block.1
    }

    /// Writes a box of random blocks, rows and slices `padding` bytes further apart than they need be.
    fn write(&mut self, random: &mut Random, within: Option<Box3>, padding: u32) -> Result<(), Failure> {
        let all = Box3 { from: [0; 3], to: self.size };
        let Box3 { from, to } = within.unwrap_or(all);
        let [columns, rows, slices] = [0, 1, 2].map(|axis| (to[axis] - from[axis]) as usize);
        let row = columns * self.block.1;
        let row_pitch = row + padding as usize;
        let slice_pitch = row_pitch * rows + padding as usize;
        // Exactly to the end of the last block: nobody may read on.
        let source = random.bytes(slice_pitch * (slices - 1) + row_pitch * (rows - 1) + row);
        let texels = within.map(|within| self.texels(within));
        let pointer = texels.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
        attempt!(
            self.texture.com,
            "ID3D12Resource",
            "WriteToSubresource",
            self.number,
            pointer,
            source.as_ptr(),
            row_pitch as u32,
            slice_pitch as u32
        )?;
        for slice in 0..slices {
            for line in 0..rows {
                let (z, y) = (from[2] as usize + slice, from[1] as usize + line);
                let block = (z * self.size[1] as usize + y) * self.size[0] as usize + from[0] as usize;
                let bytes = &source[slice * slice_pitch + line * row_pitch..][..row];
                self.model[block * self.block.1..][..row].copy_from_slice(bytes);
            }
        }
        Ok(())
    }

    /// A box in texels.
    fn texels(&self, within: Box3) -> D3D12_BOX {
        let side = self.block.0;
        let ([left, top, front], [right, bottom, back]) = (within.from, within.to);
        D3D12_BOX { left: left * side, top: top * side, front, right: right * side, bottom: bottom * side, back }
    }

    /// Reads it back by the processor, with padding.
    fn check(&self, name: &str) -> Result<(), Failure> {
        let row = self.size[0] as usize * self.block.1;
        let (row_pitch, slice_pitch) = (row + 4, (row + 4) * self.size[1] as usize + 8);
        let mut target = vec![0xee_u8; slice_pitch * self.size[2] as usize];
        attempt!(
            self.texture.com,
            "ID3D12Resource",
            "ReadFromSubresource",
            target.as_mut_ptr(),
            row_pitch as u32,
            slice_pitch as u32,
            self.number,
            core::ptr::null::<D3D12_BOX>()
        )?;
        let mut got = Vec::new();
        for slice in target.chunks(slice_pitch) {
            for line in 0..self.size[1] as usize {
                got.extend_from_slice(&slice[line * row_pitch..][..row]);
                let between = &slice[line * row_pitch + row..][..4];
                Failure::unless_equal(&format!("{name}: padding"), between, &[0xee; 4])?;
            }
        }
        Failure::unless_equal(
            &format!("{name}, subresource {} as read by the processor", self.number),
            &got,
            &self.model,
        )
    }
}
