//! `undefined-views`: views that their textures cannot have. They are null: nothing is drawn, cleared or read there.

use super::Program;
use crate::com::{Com, Word, call};
use crate::descriptor::{AS_IS, Heap};
use crate::digest::Digest;
use crate::draw::{ClearValue, Rectangle};
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use crate::texel::texels;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{D3D12_RESOURCE_STATES as State, *};

pub(super) const PROGRAM: Program =
    Program { name: "undefined-views", about: "views that their textures cannot have", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const COLOUR: Shader = shader!("rectangle.colour");
const BYTES: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
const WIDE: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_FLOAT;
const SIZE: u32 = 16;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let mut list = List::direct(device)?;
    // It may be read, and nothing else; it has content that must stay.
    let texels_: Vec<u8> = (0..SIZE * SIZE * 4).map(|at| at as u8).collect();
    let (plain_, _upload) = Texture::filled(
        device,
        &mut list,
        &flat(BYTES, SIZE, SIZE),
        std::slice::from_ref(&texels_),
        State::COPY_SOURCE,
    )?;
    read(stage, &plain_.com)?;
    write(stage, &mut list, &plain_.com)?;
    let bytes = plain_.read(stage, &mut list, State::COPY_SOURCE)?;
    Failure::unless(bytes[0] == texels_, || "a view that cannot be was written through".into())?;
    let mut digest = Digest::new();
    digest.add(&bytes[0]);
    draw(stage, &mut list, &plain_.com, &mut digest)?;
    Ok(digest)
}

/// Views to read of formats, levels, slices and dimensions that there are not.
fn read(stage: &Stage, texture: &Com) -> Result<(), Failure> {
    let plane = |format: DXGI_FORMAT, level: u32, levels: u32| {
        let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
            Format: format,
            ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
            Shader4ComponentMapping: AS_IS,
            ..Default::default()
        };
        desc.Anonymous.Texture2D =
            D3D12_TEX2D_SRV { MostDetailedMip: level, MipLevels: levels, PlaneSlice: 0, ResourceMinLODClamp: 0.0 };
        desc
    };
    let mut slices = plane(BYTES, 0, 1);
    slices.ViewDimension = D3D12_SRV_DIMENSION::TEXTURE2DARRAY;
    slices.Anonymous.Texture2DArray =
        D3D12_TEX2D_ARRAY_SRV { MipLevels: 1, FirstArraySlice: 7, ArraySize: 1, ..Default::default() };
    let of = |dimension| D3D12_SHADER_RESOURCE_VIEW_DESC { ViewDimension: dimension, ..plane(BYTES, 0, 1) };
    let descs = [
        plane(WIDE, 0, 1),
        plane(DXGI_FORMAT::FORMAT_BC7_UNORM, 0, 1),
        plane(DXGI_FORMAT::FORMAT_D32_FLOAT, 0, 1),
        plane(DXGI_FORMAT(190), 0, 1),
        plane(BYTES, 9, 1),
        plane(BYTES, 0, 0),
        slices,
        of(D3D12_SRV_DIMENSION::TEXTURE1D),
        of(D3D12_SRV_DIMENSION::TEXTURE2DMS),
        of(D3D12_SRV_DIMENSION::TEXTURE3D),
        of(D3D12_SRV_DIMENSION::TEXTURECUBE),
        of(D3D12_SRV_DIMENSION::BUFFER),
        of(D3D12_SRV_DIMENSION(77)),
    ];
    let heap = Heap::visible(&stage.device, descs.len() as u32)?;
    for (index, desc) in (0..).zip(&descs) {
        heap.srv(index, texture, desc);
    }
    Ok(())
}

/// Views to write of a texture that is not for that, cleared.
fn write(stage: &Stage, list: &mut List, texture: &Com) -> Result<(), Failure> {
    let (seen, unseen) = (Heap::visible(&stage.device, 2)?, Heap::staging(&stage.device, 2)?);
    let desc = |format| D3D12_UNORDERED_ACCESS_VIEW_DESC {
        Format: format,
        ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    for (index, format) in [(0, BYTES), (1, DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM_SRGB)] {
        for heap in [&seen, &unseen] {
            heap.uav(index, texture, &desc(format));
        }
        list.clear_writable((seen.gpu(index), unseen.cpu(index)), texture, ClearValue::Numbers([9; 4]), &[]);
    }
    stage.queue.run(list)
}

/// Targets of a texture that is not for that, and of formats and levels that a target has not: a draw beside a right one.
fn draw(stage: &Stage, list: &mut List, texture: &Com, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let target = Target::new(device, BYTES, SIZE, SIZE)?;
    let view = |format: DXGI_FORMAT, level: u32| {
        let mut desc = D3D12_RENDER_TARGET_VIEW_DESC {
            Format: format,
            ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2D,
            ..Default::default()
        };
        desc.Anonymous.Texture2D = D3D12_TEX2D_RTV { MipSlice: level, PlaneSlice: 0 };
        desc
    };
    let rows = [(texture, view(BYTES, 0)), (&target.texture.com, view(WIDE, 0)), (&target.texture.com, view(BYTES, 3))];
    let heap = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, rows.len() as u32, false)?;
    for (index, (resource, desc)) in (0..).zip(&rows) {
        let desc = Word::from(&raw const *desc);
        call!(device.com, "ID3D12Device", "CreateRenderTargetView", *resource, desc, heap.cpu(index).ptr);
    }
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &COLOUR, &[BYTES]))?;
    list.clear_target(&target, [0.0; 4], &[]);
    list.set_graphics_root(&root);
    list.set_pipeline(&pipeline);
    list.square(SIZE);
    let rectangle = |area| Rectangle::new(area, SIZE, [1.0f32.to_bits(); 4]);
    for index in 0..rows.len() as u32 {
        list.clear_view(heap.cpu(index), [1.0; 4], &[]);
        list.target_views(&[heap.cpu(index)], None);
        list.rectangle(&rectangle(Area::at(0, 0, SIZE, SIZE)));
    }
    list.targets(&[&target], None);
    list.rectangle(&rectangle(Area::at(3, 3, 4, 4)));
    let mut expected = Picture::new(SIZE, SIZE, [0u8; 4]);
    expected.fill(Area::at(3, 3, 4, 4), [255; 4]);
    let got = target.texture.read(stage, list, State::RENDER_TARGET)?;
    expected.check("null targets", &texels(&got[0]))?;
    digest.add(&got[0]);
    Ok(())
}
