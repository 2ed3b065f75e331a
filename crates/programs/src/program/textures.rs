//! `textures`: each level and slice of textures of six formats, two of them compressed, read by address, by a static sampler and
//! by a sampler of a heap.

use super::Program;
use crate::descriptor::{AS_IS, Heap};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::sampler::{clamping, comparing, write_repeating};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "textures", about: "levels and slices of six formats, by address and by samplers", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const COLOUR: Shader = shader!("textures.colour");
const NUMBER: Shader = shader!("textures.number");
const BITS: Shader = shader!("textures.bits");

/// Of the first level: a square. The picture has the levels of a slice side by side, and the slices below each other.
const SIZE: u32 = 16;
const LEVELS: u16 = 3;
const SLICES: u16 = 2;
const COLUMNS: [u32; LEVELS as usize] = [0, SIZE, SIZE + SIZE / 2];

/// The bytes of a subresource, and what is to be read from it.
type Part = (Vec<u8>, Picture<[u32; 4]>);

/// A format with its shader, and a function that makes a level of a slice.
struct Case {
    name: &'static str,
    format: DXGI_FORMAT,
    pixel: &'static Shader,
    make: fn(u32, u32) -> Part,
}

const CASES: [Case; 6] = [
    Case {
        name: "R8G8B8A8_UNORM",
        format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
        pixel: &COLOUR,
        make: |level, slice| {
            texels(level, slice, |number| number, |number| [number, number, number, slice | level << 8])
        },
    },
    Case {
        name: "R32_UINT",
        format: DXGI_FORMAT::FORMAT_R32_UINT,
        pixel: &NUMBER,
        make: |level, slice| texels(level, slice, |number| number, |number| [number, 0, 0, 1]),
    },
    Case {
        name: "R16G16_UINT",
        format: DXGI_FORMAT::FORMAT_R16G16_UINT,
        pixel: &NUMBER,
        make: |level, slice| texels(level, slice, |number| number, |number| [number & 0xffff, number >> 16, 0, 1]),
    },
    Case {
        name: "R32_FLOAT",
        format: DXGI_FORMAT::FORMAT_R32_FLOAT,
        pixel: &BITS,
        make: |level, slice| {
            let float = |number: u32| (number as i32 as f32 / 256.0).to_bits();
            texels(level, slice, float, |number| [float(number), 0, 0, 1f32.to_bits()])
        },
    },
    Case {
        name: "BC1_UNORM",
        format: DXGI_FORMAT::FORMAT_BC1_UNORM,
        pixel: &COLOUR,
        make: |level, slice| blocks(level, slice, bc1),
    },
    Case {
        name: "BC3_UNORM",
        format: DXGI_FORMAT::FORMAT_BC3_UNORM,
        pixel: &COLOUR,
        make: |level, slice| blocks(level, slice, bc3),
    },
];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(
        device,
        &[Rectangle::PARAMETER, Parameter::Table(&[Range::srv(0, 1)]), Parameter::Table(&[Range::sampler(1, 1)])],
        &[clamping(0), comparing(2)],
    )?;
    let views = Heap::visible(device, CASES.len() as u32)?;
    let samplers = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER, 1, true)?;
    write_repeating(device, &samplers, 0);
    let target = Target::new(device, DXGI_FORMAT::FORMAT_R32G32B32A32_UINT, 2 * SIZE, 2 * SIZE)?;

    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    for (index, case) in CASES.iter().enumerate() {
        let index = index as u32;
        let parts: Vec<_> = subresources().map(|(slice, level)| (case.make)(level, slice)).collect();
        let mut desc = flat(case.format, SIZE, SIZE);
        (desc.DepthOrArraySize, desc.MipLevels) = (SLICES, LEVELS);
        let content: Vec<Vec<u8>> = parts.iter().map(|(bytes, _)| bytes.clone()).collect();
        let state = D3D12_RESOURCE_STATES::PIXEL_SHADER_RESOURCE;
        let (texture, _upload) = Texture::filled(device, &mut list, &desc, &content, state)?;
        views.srv(index, &texture.com, &view(case.format));
        let pixel = plain(stage, &root, &VERTEX, case.pixel, &[DXGI_FORMAT::FORMAT_R32G32B32A32_UINT]);
        let pipeline = Pipeline::graphics(stage, &pixel)?;

        list.set_heaps(&views, &samplers);
        list.set_graphics_root(&root);
        list.set_pipeline(&pipeline);
        list.graphics_table(1, views.gpu(index));
        list.graphics_table(2, samplers.gpu(0));
        list.targets(&[&target], None);
        list.square(2 * SIZE);
        list.clear_target(&target, [0.0; 4], &[]);
        let mut expected = Picture::new(2 * SIZE, 2 * SIZE, [0; 4]);
        for ((slice, level), (_, seen)) in subresources().zip(&parts) {
            let area = Area::at(COLUMNS[level as usize], slice * SIZE, seen.width, seen.height);
            let texel = (1.0 / seen.width as f32).to_bits();
            let rectangle = Rectangle::new(area, 2 * SIZE, [texel, texel, 0, 0]);
            list.rectangle(&Rectangle { choice: slice | level << 8, ..rectangle });
            expected.draw(area, |x, y, pixel| *pixel = seen.at(x - area.left, y - area.top));
        }
        target.check(stage, &mut list, case.name, &expected, &mut digest)?;
    }
    Ok(digest)
}

/// Slice and level of each subresource, in the API's order.
fn subresources() -> impl Iterator<Item = (u32, u32)> {
    (0..u32::from(SLICES)).flat_map(|slice| (0..u32::from(LEVELS)).map(move |level| (slice, level)))
}

/// All levels and slices.
fn view(format: DXGI_FORMAT) -> D3D12_SHADER_RESOURCE_VIEW_DESC {
    let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: format,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2DARRAY,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    desc.Anonymous.Texture2DArray =
        D3D12_TEX2D_ARRAY_SRV { MipLevels: u32::from(LEVELS), ArraySize: u32::from(SLICES), ..Default::default() };
    desc
}

/// Each texel or block is made from one number, which this is.
fn number(level: u32, slice: u32, x: u32, y: u32) -> u32 {
    (1 + x + SIZE * y + 0x100 * level + 0x1000 * slice).wrapping_mul(0x9e37_79b1).rotate_right(7)
}

/// A level of texels of 32 bits.
fn texels(level: u32, slice: u32, stored: impl Fn(u32) -> u32, seen: impl Fn(u32) -> [u32; 4]) -> Part {
    let size = SIZE >> level;
    let (mut bytes, mut picture) = (Vec::new(), Picture::new(size, size, [0; 4]));
    picture.draw(Area::at(0, 0, size, size), |x, y, pixel| {
        let number = number(level, slice, x, y);
        bytes.extend_from_slice(&stored(number).to_le_bytes());
        *pixel = seen(number);
    });
    (bytes, picture)
}

/// A level of blocks of 4 x 4 texels; `encode` makes a block of a number, and says which colour, as R8G8B8A8, each texel has.
fn blocks(level: u32, slice: u32, encode: fn(u32) -> (Vec<u8>, [u32; 16])) -> Part {
    let size = SIZE >> level;
    let (mut bytes, mut picture) = (Vec::new(), Picture::new(size, size, [0; 4]));
    for (y, x) in (0..size / 4).flat_map(|y| (0..size / 4).map(move |x| (y, x))) {
        let (block, colours) = encode(number(level, slice, x, y));
        bytes.extend(block);
        picture.draw(Area::at(4 * x, 4 * y, 4, 4), |x, y, pixel| {
            let colour = colours[(y % 4 * 4 + x % 4) as usize];
            *pixel = [colour, colour, colour, slice | level << 8];
        });
    }
    (bytes, picture)
}

/// Two colours and an index of two bits a texel. The number's bits 0 to 15 choose between two indices that are exact: ends of
/// the scale, or nothing at all. Bit 16 chooses between blocks without transparency (first colour greater) and with.
fn bc1(number: u32) -> (Vec<u8>, [u32; 16]) {
    const SOLID: [(u32, u32); 2] = [(0, RED), (1, GREEN)];
    const HOLES: [(u32, u32); 2] = [(1, WHITE), (3, 0)];
    let (ends, choices): ([u16; 2], _) =
        if number & 1 << 16 == 0 { ([0xf800, 0x07e0], SOLID) } else { ([0x001f, 0xffff], HOLES) };
    let pick = |texel: usize| choices[(number >> texel & 1) as usize];
    let indices = (0..16).fold(0, |indices, texel| indices | pick(texel).0 << (2 * texel));
    let mut block: Vec<u8> = ends.into_iter().flat_map(u16::to_le_bytes).collect();
    block.extend(u32::to_le_bytes(indices));
    (block, std::array::from_fn(|texel| pick(texel).1))
}

/// Two alphas and an index of three bits a texel, then colours as in [`bc1`], but never with holes. Bit 16 chooses between the
/// alphas' two modes, in which other indices are exact.
fn bc3(number: u32) -> (Vec<u8>, [u32; 16]) {
    let (ends, indices): ([u8; 2], [u64; 2]) =
        if number & 1 << 16 == 0 { ([255, 0], [0, 1]) } else { ([1, 2], [7, 6]) };
    let clear = |texel: usize| number >> ((texel + 5) % 16) & 1;
    let alphas = (0..16).fold(0, |all, texel| all | indices[clear(texel) as usize] << (3 * texel));
    let (colours, solid) = bc1(number & 0xffff);
    let mut block = ends.to_vec();
    block.extend_from_slice(&alphas.to_le_bytes()[..6]);
    block.extend(colours);
    (block, std::array::from_fn(|texel| solid[texel] & if clear(texel) == 1 { 0x00ff_ffff } else { u32::MAX }))
}

const RED: u32 = 0xff00_00ff;
const GREEN: u32 = 0xff00_ff00;
const WHITE: u32 = 0xffff_ffff;
