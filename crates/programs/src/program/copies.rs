//! `copies`: every kind of copy between textures and buffers: boxes, levels, slices, depths and blocks, within one texture, of
//! whole resources, and of bytes at any place. The model moves texels between arrays.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::com::call;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::stage::Stage;
use crate::texel::{bytes, texels};
use crate::texture::{Texture, flat, in_buffer};
use reprise_d3d12::types::{
    D3D12_BOX, D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION,
    D3D12_RESOURCE_STATES as State, D3D12_SUBRESOURCE_FOOTPRINT, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "copies", about: "copies between textures and buffers, in boxes, levels, slices and blocks", run };

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut list = List::direct(&stage.device)?;
    let mut digest = Digest::new();
    planes(stage, &mut list, &mut digest)?;
    volumes(stage, &mut list, &mut digest)?;
    blocks(stage, &mut list, &mut digest)?;
    buffers(stage, &mut list, &mut digest)?;
    whole(stage, &mut list, &mut digest)?;
    Ok(digest)
}

/// What the processor knows of a subresource: words of 32 bits a texel, or two a block.
#[derive(Clone)]
struct Part {
    size: [u32; 3],
    words: usize,
    data: Vec<u32>,
}

impl Part {
    fn new(size: [u32; 3], words: usize, seed: u32) -> Self {
        let count = size.iter().product::<u32>() * words as u32;
        let data = (0..count).map(|at| (seed * 0x1_0000 + at).wrapping_mul(0x9e37_79b1).rotate_right(11)).collect();
        Self { size, words, data }
    }

    fn index(&self, [x, y, z]: [u32; 3]) -> usize {
        ((z * self.size[1] + y) * self.size[0] + x) as usize * self.words
    }

    /// Takes a box of another part, of which `from` is the first corner and `size` the size.
    fn take(&mut self, to: [u32; 3], other: &Part, from: [u32; 3], size: [u32; 3]) {
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    let (to, from) = ([to[0] + x, to[1] + y, to[2] + z], [from[0] + x, from[1] + y, from[2] + z]);
                    let (to, from) = (self.index(to), other.index(from));
                    self.data[to..to + self.words].copy_from_slice(&other.data[from..from + self.words]);
                }
            }
        }
    }
}

/// A texture on both sides. Between copies it is in `COPY_DEST`.
pub(super) struct Image {
    texture: Texture,
    parts: Vec<Part>,
    _upload: Buffer,
}

impl Image {
    /// Of 32 bits a texel, or of blocks of 64.
    pub(super) fn new(stage: &Stage, list: &mut List, desc: &D3D12_RESOURCE_DESC, seed: u32) -> Result<Self, Failure> {
        let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        let (block, words) = if desc.Format == BLOCKS { (4, 2) } else { (1, 1) };
        let slices = if volume { 1 } else { u32::from(desc.DepthOrArraySize) };
        let parts: Vec<Part> = (0..slices * u32::from(desc.MipLevels))
            .map(|index| {
                let level = index % u32::from(desc.MipLevels);
                let depth = if volume { u32::from(desc.DepthOrArraySize) >> level } else { 1 };
                let size = [desc.Width as u32 >> level, desc.Height >> level].map(|length| length.div_ceil(block));
                Part::new([size[0], size[1], depth], words, seed + index)
            })
            .collect();
        let content: Vec<Vec<u8>> = parts.iter().map(|part| bytes(&part.data)).collect();
        let (texture, upload) = Texture::filled(&stage.device, list, desc, &content, State::COPY_DEST)?;
        Ok(Self { texture, parts, _upload: upload })
    }

    /// Copies a box, or all, from another texture; coordinates are texels.
    pub(super) fn copy(
        &mut self,
        list: &mut List,
        (part, to): (u32, [u32; 3]),
        from: &Image,
        (other, area): (u32, Option<D3D12_BOX>),
    ) {
        let source = (&from.texture.com, State::COPY_DEST, State::COPY_SOURCE);
        list.transition(source.0, source.1, source.2);
        list.copy_texture(&self.texture.part(part), to, &from.texture.part(other), area.as_ref());
        list.transition(source.0, source.2, source.1);
        let unit = if from.parts[0].words == 2 { 4 } else { 1 };
        let other = &from.parts[other as usize];
        let (first, size) = corner_and_size(area, other.size, unit);
        self.parts[part as usize].take([to[0] / unit, to[1] / unit, to[2]], other, first, size);
    }

    pub(super) fn check(&self, stage: &Stage, list: &mut List, what: &str, digest: &mut Digest) -> Result<(), Failure> {
        for (got, expected) in self.texture.read(stage, list, State::COPY_DEST)?.iter().zip(&self.parts) {
            Failure::unless_equal(what, &texels(got), &expected.data)?;
            digest.add(got);
        }
        Ok(())
    }
}

/// A box in units of blocks; without one, all.
fn corner_and_size(area: Option<D3D12_BOX>, all: [u32; 3], unit: u32) -> ([u32; 3], [u32; 3]) {
    area.map_or(([0; 3], all), |area| {
        let [width, height] = [area.right - area.left, area.bottom - area.top].map(|length| length.div_ceil(unit));
        ([area.left / unit, area.top / unit, area.front], [width, height, area.back - area.front])
    })
}

pub(super) fn square(left: u32, top: u32, right: u32, bottom: u32) -> Option<D3D12_BOX> {
    Some(D3D12_BOX { left, top, front: 0, right, bottom, back: 1 })
}

const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32_UINT;
const COLOURS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
const BLOCKS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_BC1_UNORM;

/// Levels and slices of textures of colours, and numbers of the same family.
fn planes(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    let array = D3D12_RESOURCE_DESC { DepthOrArraySize: 2, MipLevels: 3, ..flat(COLOURS, 16, 16) };
    let from = Image::new(stage, list, &array, 1)?;
    let numbers = Image::new(stage, list, &flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, 16, 16), 20)?;
    let mut to = Image::new(stage, list, &array, 40)?;
    to.copy(list, (3, [0; 3]), &from, (0, None));
    to.copy(list, (0, [5, 6, 0]), &from, (0, square(3, 2, 11, 9)));
    to.copy(list, (0, [8, 0, 0]), &from, (4, None));
    to.copy(list, (2, [1, 1, 0]), &from, (5, square(0, 2, 3, 4)));
    to.copy(list, (4, [2, 0, 0]), &numbers, (0, square(10, 5, 16, 13)));
    // Within one texture, from one subresource to another.
    let com = &to.texture.com;
    list.transition_part(com, 3, State::COPY_DEST, State::COPY_SOURCE);
    list.copy_texture(&to.texture.part(0), [0, 12, 0], &to.texture.part(3), square(0, 0, 16, 4).as_ref());
    list.transition_part(com, 3, State::COPY_SOURCE, State::COPY_DEST);
    let other = to.parts[3].clone();
    to.parts[0].take([0, 12, 0], &other, [0; 3], [16, 4, 1]);
    to.check(stage, list, "levels and slices", digest)
}

/// Between volumes, and between a volume's slices and planes.
fn volumes(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    let volume = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE3D,
        DepthOrArraySize: 8,
        MipLevels: 2,
        ..flat(NUMBERS, 8, 8)
    };
    let from = Image::new(stage, list, &volume, 60)?;
    let mut to = Image::new(stage, list, &volume, 70)?;
    let mut plane = Image::new(stage, list, &flat(NUMBERS, 8, 8), 80)?;
    let part = |front, back| Some(D3D12_BOX { left: 1, top: 2, front, right: 5, bottom: 7, back });
    to.copy(list, (0, [3, 0, 1]), &from, (0, part(2, 7)));
    to.copy(list, (1, [0; 3]), &from, (1, None));
    plane.copy(list, (0, [4, 1, 0]), &from, (0, part(5, 6)));
    to.copy(list, (0, [0, 0, 7]), &plane, (0, None));
    to.check(stage, list, "volumes", digest)?;
    plane.check(stage, list, "a plane of a volume", digest)
}

/// Boxes of blocks, in two levels.
fn blocks(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    let desc = D3D12_RESOURCE_DESC { MipLevels: 2, ..flat(BLOCKS, 16, 16) };
    let from = Image::new(stage, list, &desc, 90)?;
    let mut to = Image::new(stage, list, &desc, 95)?;
    to.copy(list, (0, [8, 0, 0]), &from, (0, square(4, 4, 12, 12)));
    to.copy(list, (1, [0, 4, 0]), &from, (0, square(8, 12, 16, 16)));
    to.copy(list, (0, [0, 8, 0]), &from, (1, None));
    to.check(stage, list, "blocks", digest)
}

/// Between a texture and texels in a buffer, at a place of their own in rows of their own.
fn buffers(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let placed = D3D12_PLACED_SUBRESOURCE_FOOTPRINT {
        Offset: 512,
        Footprint: D3D12_SUBRESOURCE_FOOTPRINT { Format: NUMBERS, Width: 24, Height: 10, Depth: 1, RowPitch: 512 },
    };
    // The buffer as rows of 128 words, of which the texels are part.
    let mut rows = Part::new([128, 12, 1], 1, 100);
    let upload = Buffer::uploaded(device, &rows.data)?;
    let buffer = Buffer::copied(device, upload.size)?;
    list.copy_bytes(&buffer, 0, &upload, 0, upload.size);
    list.transition(&buffer.com, State::COPY_DEST, State::COPY_SOURCE);
    let mut image = Image::new(stage, list, &flat(NUMBERS, 16, 16), 110)?;
    let area = square(2, 1, 14, 9);
    list.copy_texture(&image.texture.part(0), [3, 5, 0], &in_buffer(&buffer, placed), area.as_ref());
    image.parts[0].take([3, 5, 0], &rows, [2, 2, 0], [12, 8, 1]);
    image.check(stage, list, "texels of a buffer", digest)?;

    list.transition(&buffer.com, State::COPY_SOURCE, State::COPY_DEST);
    list.transition(&image.texture.com, State::COPY_DEST, State::COPY_SOURCE);
    let area = square(1, 4, 16, 11);
    list.copy_texture(&in_buffer(&buffer, placed), [9, 2, 0], &image.texture.part(0), area.as_ref());
    rows.take([9, 3, 0], &image.parts[0], [1, 4, 0], [15, 7, 1]);
    let got = buffer::fetch(device, &stage.queue, list, &buffer, State::COPY_DEST)?.read_u32()?;
    Failure::unless_equal("texels in a buffer", &got, &rows.data)?;
    digest.add(&bytes(&got));
    Ok(())
}

/// Whole textures and buffers, and bytes at any place.
fn whole(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let desc = D3D12_RESOURCE_DESC { DepthOrArraySize: 3, MipLevels: 2, ..flat(COLOURS, 8, 8) };
    let (from, mut to) = (Image::new(stage, list, &desc, 120)?, Image::new(stage, list, &desc, 130)?);
    list.transition(&from.texture.com, State::COPY_DEST, State::COPY_SOURCE);
    call!(list.com, "ID3D12GraphicsCommandList", "CopyResource", &to.texture.com, &from.texture.com);
    to.parts.clone_from(&from.parts);
    to.check(stage, list, "a whole texture", digest)?;

    let content: Vec<u8> = (0..=255).collect();
    let upload = Buffer::uploaded(device, &texels::<u32>(&content))?;
    let buffer = Buffer::copied(device, upload.size)?;
    call!(list.com, "ID3D12GraphicsCommandList", "CopyResource", &buffer.com, &upload.com);
    let mut expected = content.clone();
    for (to, from, size) in [(1, 100, 3), (7, 0, 1), (13, 201, 55), (200, 3, 50)] {
        list.transition(&buffer.com, State::COPY_DEST, State::COPY_SOURCE);
        list.transition(&buffer.com, State::COPY_SOURCE, State::COPY_DEST);
        list.copy_bytes(&buffer, to, &upload, from, size);
        expected[to as usize..][..size as usize].copy_from_slice(&content[from as usize..][..size as usize]);
    }
    let got = buffer::fetch(device, &stage.queue, list, &buffer, State::COPY_DEST)?.read()?;
    Failure::unless_equal("bytes", &got, &expected)?;
    digest.add(&got);
    Ok(())
}
