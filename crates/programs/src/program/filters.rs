//! `filters`: samples that are weighed of several texels, compared and gathered.
//!
//! Texels of the pictures are linear in their places, so that what a linear filter has to give is known without weighing anything.
//! Everything else has to lie within the least and the greatest texel. What exactly a device gives is open, so the hash is of what is expected.

use super::Program;
use super::samplers::{heap, nearest};
use crate::buffer::{self, Buffer};
use crate::descriptor::{AS_IS, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::shader;
use crate::stage::Stage;
use crate::texel::{bytes, texels};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "filters", about: "samples that are weighed of several texels, compared and gathered", run };

/// Results of a thread, as the shader says.
const COUNT: usize = 20;
const THREADS: usize = 128;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_FLOAT;
/// Columns, rows and levels of the picture.
const WIDTH: u32 = 16;
const HEIGHT: u32 = 8;
const LEVELS: u32 = 3;
const SIDE: u32 = 8;
const DEPTH: u32 = 4;

/// What a texel has of its place.
fn ramp(x: f64, y: f64, z: f64) -> f64 {
    3.0 * x + 50.0 * y + 700.0 * z
}

/// Slices of a texture, level by level, whose texels say where they are; all are the same but for a number of the slice.
fn slices(count: u32, (width, height): (u32, u32), levels: u32) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for slice in 0..count {
        for level in 0..levels {
            let (width, height) = ((width >> level).max(1), (height >> level).max(1));
            let texel = |at: u32| {
                let value = ramp(f64::from(at % width), f64::from(at / width), f64::from(slice)) as f32;
                [value, 1.0 - value, 0.25, f32::from(at.is_multiple_of(3))]
            };
            all.push(bytes(&(0..width * height).map(texel).collect::<Vec<_>>()));
        }
    }
    all
}

fn view(format: DXGI_FORMAT, dimension: D3D12_SRV_DIMENSION) -> D3D12_SHADER_RESOURCE_VIEW_DESC {
    D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: format,
        ViewDimension: dimension,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let mut list = List::direct(device)?;
    let state = D3D12_RESOURCE_STATES::NON_PIXEL_SHADER_RESOURCE;
    let mut random = Random(812);
    let mut uploads = Vec::new();
    let mut filled = |desc: &D3D12_RESOURCE_DESC, content: &[Vec<u8>], list: &mut List| {
        let (texture, upload) = Texture::filled(device, list, desc, content, state)?;
        uploads.push(upload);
        Ok::<_, Failure>(texture)
    };
    let square = |slices: u16, levels: u16, width: u32, height: u32| D3D12_RESOURCE_DESC {
        DepthOrArraySize: slices,
        MipLevels: levels,
        ..flat(FORMAT, width, height)
    };
    let picture = square(1, LEVELS as u16, WIDTH, HEIGHT);
    let picture = filled(&picture, &slices(1, (WIDTH, HEIGHT), LEVELS), &mut list)?;
    let layers = filled(&square(3, 1, SIDE, SIDE), &slices(3, (SIDE, SIDE), 1), &mut list)?;
    let cubes = filled(&square(12, 2, SIDE, SIDE), &slices(12, (SIDE, SIDE), 2), &mut list)?;
    let volume =
        D3D12_RESOURCE_DESC { Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE3D, ..square(DEPTH as u16, 1, SIDE, SIDE) };
    let volume = filled(&volume, &[slices(DEPTH, (SIDE, SIDE), 1).concat()], &mut list)?;
    let row = D3D12_RESOURCE_DESC { Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE1D, ..square(1, 1, WIDTH, 1) };
    let row = filled(&row, &slices(1, (WIDTH, 1), 1), &mut list)?;
    let codes: Vec<u8> = random.words(SIDE * SIDE).iter().flat_map(|word| word.to_le_bytes()).collect();
    let colour = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM_SRGB;
    let colours = filled(&flat(colour, SIDE, SIDE), &[codes], &mut list)?;
    // What samplers compare with has to be a depth buffer: other formats the API does not compare, and NVIDIA's driver gives as they are.
    let depths = D3D12_RESOURCE_DESC {
        Flags: D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL,
        ..flat(DXGI_FORMAT::FORMAT_R32_TYPELESS, WIDTH, HEIGHT)
    };
    let near = |at: u32| (ramp((at % WIDTH).into(), (at / WIDTH).into(), 0.0) / 400.0) as f32;
    let near: Vec<u8> = (0..WIDTH * HEIGHT).flat_map(|at| near(at).to_le_bytes()).collect();
    let depths = filled(&depths, &[near], &mut list)?;
    let views = Heap::visible(device, 8)?;
    let mut flat_view = view(FORMAT, D3D12_SRV_DIMENSION::TEXTURE2D);
    flat_view.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: LEVELS, ..Default::default() };
    views.srv(0, &picture.com, &flat_view);
    let mut of_layers = view(FORMAT, D3D12_SRV_DIMENSION::TEXTURE2DARRAY);
    of_layers.Anonymous.Texture2DArray = D3D12_TEX2D_ARRAY_SRV { MipLevels: 1, ArraySize: 3, ..Default::default() };
    views.srv(1, &layers.com, &of_layers);
    let mut of_volume = view(FORMAT, D3D12_SRV_DIMENSION::TEXTURE3D);
    of_volume.Anonymous.Texture3D = D3D12_TEX3D_SRV { MipLevels: 1, ..Default::default() };
    views.srv(2, &volume.com, &of_volume);
    let mut of_cube = view(FORMAT, D3D12_SRV_DIMENSION::TEXTURECUBE);
    of_cube.Anonymous.TextureCube = D3D12_TEXCUBE_SRV { MipLevels: 2, ..Default::default() };
    views.srv(3, &cubes.com, &of_cube);
    let mut of_cubes = view(FORMAT, D3D12_SRV_DIMENSION::TEXTURECUBEARRAY);
    of_cubes.Anonymous.TextureCubeArray = D3D12_TEXCUBE_ARRAY_SRV { MipLevels: 2, NumCubes: 2, ..Default::default() };
    views.srv(4, &cubes.com, &of_cubes);
    let mut of_colours = view(colour, D3D12_SRV_DIMENSION::TEXTURE2D);
    of_colours.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: 1, ..Default::default() };
    views.srv(5, &colours.com, &of_colours);
    let mut of_row = view(FORMAT, D3D12_SRV_DIMENSION::TEXTURE1D);
    of_row.Anonymous.Texture1D = D3D12_TEX1D_SRV { MipLevels: 1, ..Default::default() };
    views.srv(6, &row.com, &of_row);
    let mut of_depths = view(DXGI_FORMAT::FORMAT_R32_FLOAT, D3D12_SRV_DIMENSION::TEXTURE2D);
    of_depths.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: 1, ..Default::default() };
    views.srv(7, &depths.com, &of_depths);
    let samplers = heap(stage, &samplers())?;
    let root = RootSignature::compute(
        device,
        &[
            Parameter::Srv(0),
            Parameter::Table(&[Range::srv(1, 8)]),
            Parameter::Table(&[Range::sampler(1, 7)]),
            Parameter::Uav(0),
        ],
    )?;
    let pipeline = Pipeline::compute(stage, &root, &shader!("filters.main"))?;
    let places = places(&mut random);
    let words: Vec<u32> = places.iter().flatten().map(|it| it.to_bits()).collect();
    let input = Buffer::uploaded(device, &words)?;
    let output = Buffer::writable(device, (THREADS * COUNT * 16) as u64)?;
    list.set_heaps(&views, &samplers);
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_srv(0, input.address);
    list.compute_table(1, views.gpu(0));
    list.compute_table(2, samplers.gpu(0));
    list.compute_uav(3, output.address);
    list.dispatch(THREADS as u32 / 64, 1, 1);
    let got =
        buffer::fetch(device, &stage.queue, &mut list, &output, D3D12_RESOURCE_STATES::UNORDERED_ACCESS)?.read()?;
    let got = texels::<[f32; 4]>(&got);
    let mut expected = Vec::new();
    for (place, got) in places.iter().zip(got.chunks(COUNT)) {
        expected.push(check(place, got)?);
    }
    Ok(Digest::of(&bytes(&expected)))
}

/// What each sampler of the shader is like.
fn samplers() -> [D3D12_SAMPLER_DESC; 7] {
    type Address = D3D12_TEXTURE_ADDRESS_MODE;
    let of = |filter: D3D12_FILTER, mode: Address| D3D12_SAMPLER_DESC {
        Filter: filter,
        AddressU: mode,
        AddressV: mode,
        AddressW: mode,
        MaxAnisotropy: 4,
        ..nearest()
    };
    let linear = D3D12_FILTER::MIN_MAG_MIP_LINEAR;
    let border = D3D12_SAMPLER_DESC { BorderColor: [1.0; 4], ..of(linear, Address::BORDER) };
    let compares = D3D12_SAMPLER_DESC {
        ComparisonFunc: D3D12_COMPARISON_FUNC::LESS_EQUAL,
        ..of(D3D12_FILTER::COMPARISON_MIN_MAG_LINEAR_MIP_POINT, Address::CLAMP)
    };
    [
        of(linear, Address::CLAMP),
        of(D3D12_FILTER::MIN_MAG_LINEAR_MIP_POINT, Address::MIRROR),
        compares,
        of(D3D12_FILTER::MINIMUM_MIN_MAG_LINEAR_MIP_POINT, Address::WRAP),
        border,
        D3D12_SAMPLER_DESC { MipLODBias: 0.75, MaxLOD: 1.5, ..of(linear, Address::MIRROR_ONCE) },
        of(D3D12_FILTER::ANISOTROPIC, Address::CLAMP),
    ]
}

/// Where threads sample: a place and a level, two gradients, a reference and a slice.
fn places(random: &mut Random) -> Vec<[f32; 12]> {
    let mut unit = || (random.words(1)[0] >> 8) as f32 / (1 << 24) as f32;
    let one = |at: usize| {
        let [x, y, z] = [unit(), unit(), unit()];
        let level = (at % 9) as f32 * 0.3 - 0.2;
        let step = 2f32.powf(unit() * 3.0 - 1.0) / WIDTH as f32;
        [x, y, z, level, step, 0.0, 0.0, step, (unit() * 400.0).floor() + 0.5, (at % 2) as f32, 0.0, 0.0]
    };
    (0..THREADS).map(one).collect()
}

/// Looks at the results of a thread, and gives what was expected of the first one.
fn check(place: &[f32; 12], got: &[[f32; 4]]) -> Result<f32, Failure> {
    let [x, y, z, level] = [place[0], place[1], place[2], place[3]].map(f64::from);
    // A coordinate along an axis, in texels, as far as there are some.
    let along = |at: f64, count: u32| (at * f64::from(count) - 0.5).clamp(0.0, f64::from(count - 1));
    let at_level = |level: u32| ramp(along(x, WIDTH >> level), along(y, HEIGHT >> level), 0.0);
    let level = level.clamp(0.0, f64::from(LEVELS - 1));
    let (first, part) = (level.floor() as u32, level.fract());
    let mixed = at_level(first) * (1.0 - part) + at_level((first + 1).min(LEVELS - 1)) * part;
    let volume = ramp(along(x, SIDE), along(y, SIDE), along(z, DEPTH));
    let slice = ramp(along(x, SIDE), along(y, SIDE), f64::from(place[9]));
    // Weights are off by 1/256 along each axis, and between levels.
    for (index, expected, slack) in [(0, mixed, 2.0), (3, volume, 4.0), (6, slice, 1.0)] {
        let found = f64::from(got[index][0]);
        Failure::unless((found - expected).abs() <= slack, || {
            format!("result {index} at {place:?}: {found} instead of {expected}, give or take {slack}")
        })?;
    }
    let within = |index: usize, least: f32, greatest: f32| {
        let right = got[index].iter().all(|it| (least..=greatest).contains(it));
        Failure::unless(right, || format!("result {index} at {place:?}: {:?} is beyond all texels", got[index]))
    };
    (7..15).filter(|index| (12..15).contains(index) || *index == 7).try_for_each(|index| within(index, 0.0, 1.0))?;
    // The greatest first channel of each texture; the second one is 1 less it, and all others are less.
    let most =
        |columns: u32, rows: u32, slices: u32| ramp((columns - 1).into(), (rows - 1).into(), (slices - 1).into());
    let all = [
        (&[1, 2, 8, 9, 10, 15, 16, 17, 19][..], most(WIDTH, HEIGHT, 1)),
        (&[4, 5, 11], most(SIDE, SIDE, 12)),
        (&[18], most(SIDE, SIDE, DEPTH)),
    ];
    for (indices, most) in all {
        indices.iter().try_for_each(|index| within(*index, 1.0 - most as f32, most as f32))?;
    }
    Ok(mixed as f32)
}
