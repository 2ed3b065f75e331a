//! `undefined-gone`: descriptors of resources that are gone are copied, into heaps that shaders see and into others, one at a time and
//! many at once. What is copied reads as null.

use super::Program;
use crate::buffer::Buffer;
use crate::com::Com;
use crate::descriptor::{Elements, Heap};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{D3D12_RESOURCE_STATES as State, *};

pub(super) const PROGRAM: Program =
    Program { name: "undefined-gone", about: "descriptors that are copied of resources that are gone", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const NUMBER: Shader = shader!("textures.number");
const SIZE: u32 = 16;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// A buffer with memory of its own, and one that shares it.
const SIZES: [u64; 2] = [8 << 20, 1 << 12];
/// Descriptors of each.
const EACH: u32 = 5;
const TEXTURES: u32 = 2;
const COUNT: u32 = TEXTURES + EACH * SIZES.len() as u32;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    // No list is open and nothing runs: what is released goes at once.
    let staging = Heap::staging(device, 2 * COUNT)?;
    write_and_release(stage, &staging)?;
    churn(stage)?;
    let heap = Heap::visible(device, 4 * COUNT)?;
    for at in 0..COUNT {
        heap.copy(at, &staging, at, 1);
    }
    heap.copy(COUNT, &staging, 0, COUNT);
    staging.copy(COUNT, &staging, 0, COUNT);
    heap.copy(2 * COUNT, &staging, COUNT, COUNT);
    // Over descriptors of what is there.
    let mut digest = Digest::new();
    let alive = Texture::new(device, &textured(), State::PIXEL_SHADER_RESOURCE, None)?;
    write_texture(&heap, 3 * COUNT, &alive.com);
    heap.copy(3 * COUNT, &staging, 0, 1);
    draw(stage, &heap, [0, COUNT, 2 * COUNT, 3 * COUNT], &mut digest)?;
    Ok(digest)
}

fn textured() -> D3D12_RESOURCE_DESC {
    let desc = flat(DXGI_FORMAT::FORMAT_R32_UINT, 64, 64);
    D3D12_RESOURCE_DESC { Flags: D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS, ..desc }
}

fn write_texture(heap: &Heap, at: u32, texture: &Com) {
    let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: DXGI_FORMAT::FORMAT_R32_UINT,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2DARRAY,
        Shader4ComponentMapping: crate::descriptor::AS_IS,
        ..Default::default()
    };
    desc.Anonymous.Texture2DArray = D3D12_TEX2D_ARRAY_SRV { MipLevels: 1, ArraySize: 1, ..Default::default() };
    heap.srv(at, texture, &desc);
}

/// A texture and buffers, descriptors of each kind of them, and their release.
fn write_and_release(stage: &Stage, heap: &Heap) -> Result<(), Failure> {
    let device = &stage.device;
    let texture = Texture::new(device, &textured(), State::COMMON, None)?;
    write_texture(heap, 0, &texture.com);
    let mut desc = D3D12_UNORDERED_ACCESS_VIEW_DESC {
        Format: DXGI_FORMAT::FORMAT_R32_UINT,
        ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    desc.Anonymous.Texture2D = D3D12_TEX2D_UAV::default();
    heap.uav(1, &texture.com, &desc);
    for (number, size) in (0..).zip(SIZES) {
        let buffer = Buffer::writable(device, size)?;
        let first = TEXTURES + EACH * number;
        let typed = || Elements::typed(1, 16, DXGI_FORMAT::FORMAT_R32_UINT);
        heap.buffer_srv(first, &buffer, typed());
        heap.buffer_srv(first + 1, &buffer, Elements::raw(0, 16));
        heap.buffer_uav(first + 2, &buffer, typed());
        heap.buffer_uav(first + 3, &buffer, Elements::structured(0, 4, 16));
        heap.cbv(first + 4, buffer.address, 256);
    }
    Ok(())
}

/// Others take the memory, the process's too.
fn churn(stage: &Stage) -> Result<(), Failure> {
    let mut all = Vec::new();
    for size in 1..=64u32 {
        all.push(vec![0xa5u8; 24 * size as usize]);
        let desc = flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, size, size);
        drop(Texture::new(&stage.device, &desc, State::COMMON, None)?);
    }
    drop(core::hint::black_box(all));
    Ok(())
}

/// What shaders read of some of the copies: nothing.
fn draw(stage: &Stage, heap: &Heap, copies: [u32; 4], digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let table = [Range::srv(0, 1)];
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Table(&table)], &[])?;
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &NUMBER, &[FORMAT]))?;
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let mut list = List::direct(device)?;
    for at in copies {
        list.clear_target(&target, [7.0; 4], &[]);
        list.targets(&[&target], None);
        list.set_heap(heap);
        list.set_graphics_root(&root);
        list.set_pipeline(&pipeline);
        list.graphics_table(1, heap.gpu(at));
        list.square(SIZE);
        list.rectangle(&Rectangle::new(Area::at(0, 0, SIZE, SIZE), SIZE, [0; 4]));
        let expected = Picture::new(SIZE, SIZE, [0, 0, 0, 0]);
        target.check(
            stage,
            &mut list,
            &format!("a copy at {at} of a descriptor whose texture is gone"),
            &expected,
            digest,
        )?;
    }
    Ok(())
}
