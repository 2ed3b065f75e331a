//! `worth`: work of one kind after the other, each in a marker of its own, that an experiment of `reprise time --what-if` takes out: draws that run
//! many pixel shaders, draws that a depth test hides, draws that blend, dispatches, copies and clears. The draw in the marker `nothing` is one
//! pixel. The program checks the results.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::descriptor::{AS_IS, Heap};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::sampler::{clamping, comparing, write_repeating};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::{Depth, Target};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "worth", about: "draws, dispatches, copies and clears that experiments take out", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const TEXELS: Shader = shader!("textures.colour");
const NUMBER: Shader = shader!("rectangle.number");
const COLOUR: Shader = shader!("rectangle.colour");
const STEPS: Shader = shader!("costs.main");

const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const COLOURS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
const DEPTHS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT;
/// Of targets and the texture, which has all levels.
const SIZE: u32 = 256;
const LEVELS: u16 = 9;
/// What each texel of the first level is; those of the last level are another number.
const TEXEL: u32 = 0x4433_2211;
/// How often each rectangle is drawn.
const SHOWN: u32 = 12;
const HIDDEN: u32 = 24;
const BLENDED: u32 = 16;
/// Of the target that is cleared only, how often, and bytes of each copy, and how many there are.
const CLEARED: u32 = 1024;
const CLEARS: u32 = 4;
const COPIED: u64 = 8 << 20;
const COPIES: u32 = 4;
const THREADS: u32 = 256;
const STEP_COUNT: u32 = 1 << 15;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(
        device,
        &[Rectangle::PARAMETER, Parameter::Table(&[Range::srv(0, 1)]), Parameter::Table(&[Range::sampler(1, 1)])],
        &[clamping(0), comparing(2)],
    )?;
    let computes =
        RootSignature::compute(device, &[Parameter::Constants { register: 0, count: 2 }, Parameter::Uav(0)])?;
    let views = Heap::visible(device, 1)?;
    let samplers = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER, 1, true)?;
    write_repeating(device, &samplers, 0);
    let [numbers, cleared] = [SIZE, CLEARED].map(|size| Target::new(device, NUMBERS, size, size));
    let (numbers, cleared) = (numbers?, cleared?);
    let colours = Target::new(device, COLOURS, SIZE, SIZE)?;
    let depth = Depth::new(device, DEPTHS, DEPTHS, SIZE, SIZE)?;
    let [from, to] = [Buffer::copied(device, COPIED)?, Buffer::copied(device, COPIED)?];
    let results = Buffer::writable(device, u64::from(THREADS) * 4)?;

    let shown = plain(stage, &root, &VERTEX, &TEXELS, &[NUMBERS]);
    let hidden = Description {
        DSVFormat: DEPTHS,
        DepthStencilState: D3D12_DEPTH_STENCIL_DESC {
            DepthEnable: 1,
            DepthWriteMask: D3D12_DEPTH_WRITE_MASK::ALL,
            DepthFunc: D3D12_COMPARISON_FUNC::LESS,
            ..shown.DepthStencilState
        },
        ..shown
    };
    let mut blended = plain(stage, &root, &VERTEX, &COLOUR, &[COLOURS]);
    let target = &mut blended.BlendState.RenderTarget[0];
    (target.BlendEnable, target.DestBlend, target.DestBlendAlpha) = (1, D3D12_BLEND::ONE, D3D12_BLEND::ONE);
    let nothing = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &NUMBER, &[NUMBERS]))?;
    let (shown, hidden) = (Pipeline::graphics(stage, &shown)?, Pipeline::graphics(stage, &hidden)?);
    let blended = Pipeline::graphics(stage, &blended)?;
    let steps = Pipeline::compute(stage, &computes, &STEPS)?;

    let mut list = List::direct(device)?;
    let mut desc = flat(COLOURS, SIZE, SIZE);
    desc.MipLevels = LEVELS;
    let level = |level: u16| {
        let texel = if level + 1 == LEVELS { !TEXEL } else { TEXEL };
        texel.to_le_bytes().repeat((SIZE >> level).pow(2) as usize)
    };
    let content: Vec<Vec<u8>> = (0..LEVELS).map(level).collect();
    let state = D3D12_RESOURCE_STATES::PIXEL_SHADER_RESOURCE;
    let (texture, _upload) = Texture::filled(device, &mut list, &desc, &content, state)?;
    views.srv(0, &texture.com, &view());

    let all = Area::at(0, 0, SIZE, SIZE);
    let texel = (1.0 / SIZE as f32).to_bits();
    let rectangle = Rectangle::new(all, SIZE, [texel, texel, 0, 0]);
    list.set_heaps(&views, &samplers);
    list.set_graphics_root(&root);
    list.graphics_table(1, views.gpu(0));
    list.graphics_table(2, samplers.gpu(0));
    list.square(SIZE);

    list.begin_event("clears");
    for _ in 0..CLEARS {
        list.clear_target(&cleared, [0.0; 4], &[]);
    }
    list.clear_target(&numbers, [0.0; 4], &[]);
    list.clear_target(&colours, [0.0; 4], &[]);
    list.clear_depth(&depth, D3D12_CLEAR_FLAGS::DEPTH, (1.0, 0), &[]);
    list.end_event();

    list.begin_event("shown");
    list.targets(&[&numbers], None);
    list.set_pipeline(&shown);
    list.graphics_constants(0, &rectangle.words());
    list.draw(4, SHOWN, 0, 0);
    list.end_event();

    list.begin_event("hidden");
    list.targets(&[&numbers], Some(&depth));
    list.set_pipeline(&hidden);
    for (depth, count) in [(0.25, 1), (0.5, HIDDEN)] {
        list.graphics_constants(0, &Rectangle { depth, ..rectangle }.words());
        list.draw(4, count, 0, 0);
    }
    list.end_event();

    list.begin_event("nothing");
    list.targets(&[&numbers], None);
    list.set_pipeline(&nothing);
    list.rectangle(&Rectangle::new(Area::at(0, 0, 1, 1), SIZE, [1, 2, 3, 4]));
    list.end_event();

    list.begin_event("blended");
    list.targets(&[&colours], None);
    list.set_pipeline(&blended);
    list.graphics_constants(0, &Rectangle::new(all, SIZE, [(1.0 / 255.0f32).to_bits(); 4]).words());
    list.draw(4, BLENDED, 0, 0);
    list.end_event();

    list.begin_event("copies");
    for _ in 0..COPIES {
        list.copy_bytes(&to, 0, &from, 0, COPIED);
    }
    list.end_event();

    list.begin_event("dispatches");
    list.set_compute_root(&computes);
    list.compute_uav(1, results.address);
    list.set_pipeline(&steps);
    list.compute_constants(0, &[STEP_COUNT, 0]);
    list.dispatch(THREADS / 64, 1, 1);
    list.end_event();

    let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
    let got = buffer::fetch(device, &stage.queue, &mut list, &results, state)?.read_u32()?;
    let mut digest = Digest::new();
    for word in got.iter().step_by(51) {
        digest.add(&buffer::bytes_of(&[*word]));
    }
    let mut expected = Picture::new(SIZE, SIZE, [TEXEL, TEXEL, TEXEL, 0]);
    expected.fill(Area::at(0, 0, 1, 1), [1, 2, 3, 4]);
    numbers.check(stage, &mut list, "texels", &expected, &mut digest)?;
    let expected = Picture::new(SIZE, SIZE, [BLENDED as u8; 4]);
    colours.check(stage, &mut list, "blended colours", &expected, &mut digest)?;
    Ok(digest)
}

/// All levels.
fn view() -> D3D12_SHADER_RESOURCE_VIEW_DESC {
    let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: COLOURS,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2DARRAY,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    desc.Anonymous.Texture2DArray =
        D3D12_TEX2D_ARRAY_SRV { MipLevels: u32::from(LEVELS), ArraySize: 1, ..Default::default() };
    desc
}
