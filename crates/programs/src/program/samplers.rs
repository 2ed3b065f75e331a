//! Samplers that few programs use. `texel-coordinates`: coordinates are texels. `sampler-heaps`: as many samplers as a heap may have, each
//! of a level of its own. `plain-reads`: the same, through samplers that compare, by a shader that does not. `anisotropy`: anisotropic filters between levels that are not mixed. `point-sampling`: coordinates just below
//! the next texel.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::com::call;
use crate::descriptor::{AS_IS, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texel::{bytes, texels};
use crate::texture::{Texture, flat};
use reprise_d3d12::interface;
use reprise_d3d12::types::{
    D3D12_COMPARISON_FUNC, D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_FEATURE as Feature,
    D3D12_FEATURE_DATA_D3D12_OPTIONS17 as Options17, D3D12_FEATURE_DATA_D3D12_OPTIONS19 as Options19, D3D12_FILTER,
    D3D12_RESOURCE_STATES as State, D3D12_ROOT_SIGNATURE_FLAGS, D3D12_SAMPLER_DESC, D3D12_SAMPLER_DESC2,
    D3D12_SAMPLER_DESC2_7, D3D12_SAMPLER_FLAGS, D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SHADER_VISIBILITY,
    D3D12_SRV_DIMENSION, D3D12_STATIC_BORDER_COLOR, D3D12_STATIC_SAMPLER_DESC1, D3D12_TEX2D_SRV,
    D3D12_TEXTURE_ADDRESS_MODE as Address, DXGI_FORMAT,
};

pub(super) const TEXELS: Program =
    Program { name: "texel-coordinates", about: "samplers whose coordinates are texels", run: texel_coordinates };
pub(super) const HEAPS: Program = Program {
    name: "sampler-heaps",
    about: "as many samplers as a heap may have",
    run: |stage| sampler_heaps(stage, &|_| D3D12_FILTER::MIN_MAG_MIP_POINT),
};
pub(super) const PLAIN_READS: Program =
    Program { name: "plain-reads", about: "reads that do not compare, through samplers that do", run: plain_reads };
pub(super) const ANISOTROPY: Program =
    Program { name: "anisotropy", about: "anisotropic filters of levels that are not mixed", run: anisotropy };
pub(super) const POINTS: Program =
    Program { name: "point-sampling", about: "coordinates just below the next texel", run: point_sampling };

/// Threads of a group, and samplers of the heap, as the shaders say.
const GROUP: usize = 64;
const SAMPLERS: u32 = 2048;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R16G16B16A16_FLOAT;

/// Where a thread samples, and through which sampler.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) at: [f32; 2],
    pub(super) gradient: [f32; 2],
    pub(super) sampler: u32,
}

/// A whole number below 2049 as a float of 16 bits.
fn half(number: u32) -> u16 {
    match number.checked_ilog2() {
        None => 0,
        Some(log) => (((log + 14) << 10) + ((number << 10) >> log)) as u16,
    }
}

/// A texture with levels, whose texels have numbers: `texel(level, x, y)` for red and green.
fn picture(
    stage: &Stage,
    list: &mut List,
    (width, height, levels): (u32, u32, u32),
    texel: impl Fn(u32, u32, u32) -> [u32; 2],
) -> Result<(Texture, Buffer), Failure> {
    let mut desc = flat(FORMAT, width, height);
    desc.MipLevels = levels as u16;
    let level = |level: u32| {
        let (width, height) = ((width >> level).max(1), (height >> level).max(1));
        let texel = |at: u32| texel(level, at % width, at / width);
        bytes(&(0..width * height).map(texel).map(|[red, green]| [half(red), half(green), 0, 0]).collect::<Vec<_>>())
    };
    let content: Vec<Vec<u8>> = (0..levels).map(level).collect();
    Texture::filled(&stage.device, list, &desc, &content, State::NON_PIXEL_SHADER_RESOURCE)
}

pub(super) const PARAMETERS: [Parameter<'_>; 4] = [
    Parameter::Srv(0),
    Parameter::Table(&[Range::srv(1, 1)]),
    Parameter::Table(&[Range::sampler(1, SAMPLERS)]),
    Parameter::Uav(0),
];

/// Runs a shader for each place; gives red and green of each of so many results a thread.
fn sample(
    stage: &Stage,
    list: &mut List,
    root: &RootSignature,
    shader: &Shader,
    (picture, levels): (&Texture, u32),
    samplers: &Heap,
    places: (&[Place], usize),
) -> Result<Vec<[f32; 2]>, Failure> {
    let mut view = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: FORMAT,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    view.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: levels, ..Default::default() };
    let got = sample_view(stage, list, root, shader, (picture, &view), samplers, places)?;
    Ok(got.into_iter().map(|[red, green, ..]| [red, green]).collect())
}

/// The same through a view, with all components.
pub(super) fn sample_view(
    stage: &Stage,
    list: &mut List,
    root: &RootSignature,
    shader: &Shader,
    (picture, view): (&Texture, &D3D12_SHADER_RESOURCE_VIEW_DESC),
    samplers: &Heap,
    (places, results): (&[Place], usize),
) -> Result<Vec<[f32; 4]>, Failure> {
    let device = &stage.device;
    let words = places.iter().flat_map(|place| {
        let [x, y, over, down] = [place.at[0], place.at[1], place.gradient[0], place.gradient[1]].map(f32::to_bits);
        [x, y, over, down, place.sampler, 0, 0, 0]
    });
    let mut words: Vec<u32> = words.collect();
    words.resize(places.len().next_multiple_of(GROUP) * 8, 0);
    let input = Buffer::uploaded(device, &words)?;
    let output = Buffer::writable(device, (words.len() / 8 * results * 16) as u64)?;
    let views = Heap::visible(device, 1)?;
    views.srv(0, &picture.com, view);
    let pipeline = Pipeline::compute(stage, root, shader)?;
    list.set_heaps(&views, samplers);
    list.set_compute_root(root);
    list.set_pipeline(&pipeline);
    list.compute_srv(0, input.address);
    list.compute_table(1, views.gpu(0));
    list.compute_table(2, samplers.gpu(0));
    list.compute_uav(3, output.address);
    list.dispatch((words.len() / 8 / GROUP) as u32, 1, 1);
    let got = buffer::fetch(device, &stage.queue, list, &output, State::UNORDERED_ACCESS)?.read()?;
    Ok(texels::<[f32; 4]>(&got).into_iter().take(places.len() * results).collect())
}

fn check(what: &str, got: &[[f32; 2]], expected: &[[f32; 2]]) -> Result<Digest, Failure> {
    Failure::unless_equal(what, got, expected)?;
    Ok(Digest::of(&bytes(got)))
}

/// A heap of samplers: all are the nearest texel's but for those that are said.
pub(super) fn heap(stage: &Stage, samplers: &[D3D12_SAMPLER_DESC]) -> Result<Heap, Failure> {
    let device = &stage.device;
    let heap = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER, SAMPLERS, true)?;
    for (index, desc) in (0..).zip(samplers) {
        call!(device.com, "ID3D12Device", "CreateSampler", &raw const *desc, heap.cpu(index).ptr);
    }
    Ok(heap)
}

pub(super) fn nearest() -> D3D12_SAMPLER_DESC {
    D3D12_SAMPLER_DESC {
        Filter: D3D12_FILTER::MIN_MAG_MIP_POINT,
        AddressU: Address::CLAMP,
        AddressV: Address::CLAMP,
        AddressW: Address::CLAMP,
        MaxAnisotropy: 1,
        ComparisonFunc: D3D12_COMPARISON_FUNC::NEVER,
        MaxLOD: f32::MAX,
        ..Default::default()
    }
}

/// Of a side of the picture whose texels are told by their place.
const SIDE: u32 = 64;

fn texel_coordinates(stage: &Stage) -> Result<Digest, Failure> {
    let has = |is: &Options17| is.NonNormalizedCoordinateSamplersSupported != 0;
    let what = "samplers whose coordinates are texels (NonNormalizedCoordinateSamplersSupported)";
    stage.needs(Feature::D3D12_OPTIONS17, what, has)?;
    let device = &stage.device;
    let mut list = List::direct(device)?;
    let (picture, _upload) = picture(stage, &mut list, (SIDE, SIDE, 1), |_, x, y| [x, 100 + y])?;
    let fixed = D3D12_STATIC_SAMPLER_DESC1 {
        Filter: D3D12_FILTER::MIN_MAG_MIP_POINT,
        AddressU: Address::BORDER,
        AddressV: Address::CLAMP,
        AddressW: Address::CLAMP,
        MaxAnisotropy: 1,
        ComparisonFunc: D3D12_COMPARISON_FUNC::NEVER,
        BorderColor: D3D12_STATIC_BORDER_COLOR::OPAQUE_WHITE,
        ShaderVisibility: D3D12_SHADER_VISIBILITY::ALL,
        Flags: D3D12_SAMPLER_FLAGS::NON_NORMALIZED_COORDINATES,
        ..Default::default()
    };
    let root = RootSignature::versioned(device, &PARAMETERS, &[fixed], D3D12_ROOT_SIGNATURE_FLAGS::NONE)?;
    let samplers = heap(stage, &[nearest(); SAMPLERS as usize])?;
    let newer = device.com.query(interface("ID3D12Device11"));
    let newer = newer.ok_or_else(|| Failure::Cannot("the device has no ID3D12Device11".into()))?;
    for (index, filter) in [(0, D3D12_FILTER::MIN_MAG_MIP_POINT), (1, D3D12_FILTER::MIN_MAG_LINEAR_MIP_POINT)] {
        let desc = D3D12_SAMPLER_DESC2 {
            Filter: filter,
            AddressU: Address::CLAMP,
            AddressV: if index == 0 { Address::CLAMP } else { Address::BORDER },
            AddressW: Address::CLAMP,
            MaxAnisotropy: 1,
            ComparisonFunc: D3D12_COMPARISON_FUNC::NEVER,
            Anonymous: D3D12_SAMPLER_DESC2_7 { FloatBorderColor: [0.0; 4] },
            Flags: D3D12_SAMPLER_FLAGS::NON_NORMALIZED_COORDINATES,
            ..Default::default()
        };
        call!(newer, "ID3D12Device11", "CreateSampler2", &raw const desc, samplers.cpu(index).ptr);
    }
    // Middles of texels, places between two in each direction, and places outside.
    let places: Vec<Place> = (0..256u32)
        .map(|at| {
            let (x, y) = ((at * 7 % 80) as f32 - 8.0, (at * 11 % 90) as f32 - 12.0);
            let at = match at % 3 {
                0 => [x + 0.5, y + 0.5],
                1 => [x + 1.0, y + 0.5],
                _ => [x + 0.5, y + 1.0],
            };
            Place { at, gradient: [0.0; 2], sampler: 0 }
        })
        .collect();
    let read = (&picture, 1);
    let got = sample(stage, &mut list, &root, &shader!("samplers.texels"), read, &samplers, (&places, 3))?;
    let expected: Vec<[f32; 2]> = places.iter().flat_map(|place| texel_values(place.at)).collect();
    check("texels", &got, &expected)
}

/// What the three samplers give: the nearest texel, the mean of those around with nothing above and below, and the nearest with ones
/// beside.
fn texel_values([x, y]: [f32; 2]) -> [[f32; 2]; 3] {
    let side = SIDE as f32;
    let texel = |x: f32, y: f32| [x.clamp(0.0, side - 1.0), 100.0 + y.clamp(0.0, side - 1.0)];
    let nearest = texel(x.floor(), y.floor());
    let around = |x: f32, y: f32| if (0.0..side).contains(&y) { texel(x, y) } else { [0.0; 2] };
    // Either the middle of a texel or between two.
    let (left, right) = ((x - 0.5).floor(), (x - 0.5).ceil());
    let (above, below) = ((y - 0.5).floor(), (y - 0.5).ceil());
    let four = [around(left, above), around(right, above), around(left, below), around(right, below)];
    let mean = [0, 1].map(|part| four.iter().map(|texel| texel[part]).sum::<f32>() / 4.0);
    let beside = if (0.0..side).contains(&x.floor()) { nearest } else { [1.0; 2] };
    [nearest, mean, beside]
}

/// The root signature of the others, with a sampler that nothing uses.
fn plain_root(stage: &Stage) -> Result<RootSignature, Failure> {
    RootSignature::compute(&stage.device, &PARAMETERS)
}

fn plain_reads(stage: &Stage) -> Result<Digest, Failure> {
    let filters = [D3D12_FILTER::COMPARISON_MIN_MAG_MIP_POINT, D3D12_FILTER::MIN_MAG_MIP_POINT];
    sampler_heaps(stage, &|index| filters[index as usize % 3 / 2])
}

fn sampler_heaps(stage: &Stage, filter: &dyn Fn(u32) -> D3D12_FILTER) -> Result<Digest, Failure> {
    const LEVELS: u32 = 12;
    let what = "heaps of 2048 samplers (MaxSamplerDescriptorHeapSize)";
    let has = |is: &Options19| is.MaxSamplerDescriptorHeapSize >= SAMPLERS;
    stage.needs(Feature::D3D12_OPTIONS19, what, has)?;
    let mut list = List::direct(&stage.device)?;
    // The left half of each level is told from the right.
    let texel = |level: u32, x: u32, _| [10 + level, if x < 2048 >> level { 300 } else { 400 }];
    let (picture, _upload) = picture(stage, &mut list, (4096, 1, LEVELS), texel)?;
    let modes = [Address::WRAP, Address::MIRROR, Address::CLAMP];
    let samplers: Vec<D3D12_SAMPLER_DESC> = (0..SAMPLERS)
        .map(|index| {
            let level = (index % LEVELS) as f32;
            let mode = modes[(index / LEVELS) as usize % 3];
            let own = D3D12_SAMPLER_DESC { AddressU: mode, MinLOD: level, MaxLOD: level, ..nearest() };
            D3D12_SAMPLER_DESC { Filter: filter(index), ComparisonFunc: D3D12_COMPARISON_FUNC::GREATER, ..own }
        })
        .collect();
    let samplers = heap(stage, &samplers)?;
    // Each twice: beyond the right edge and beyond the left one.
    let places: Vec<Place> = (0..2 * SAMPLERS)
        .map(|at| {
            let x = if at < SAMPLERS { 1.25 } else { -0.25 };
            Place { at: [x, 0.5], gradient: [0.25 / 4096.0, 0.25], sampler: at * 1021 % SAMPLERS }
        })
        .collect();
    let root = plain_root(stage)?;
    let read = (&picture, LEVELS);
    let got = sample(stage, &mut list, &root, &shader!("samplers.levels"), read, &samplers, (&places, 1))?;
    let expected: Vec<[f32; 2]> = places
        .iter()
        .map(|place| {
            let beyond = place.at[0] > 1.0;
            let right = match modes[(place.sampler / LEVELS) as usize % 3] {
                Address::WRAP => !beyond,
                _ => beyond,
            };
            [(10 + place.sampler % LEVELS) as f32, if right { 400.0 } else { 300.0 }]
        })
        .collect();
    check("samplers", &got, &expected)
}

fn anisotropy(stage: &Stage) -> Result<Digest, Failure> {
    const LEVELS: u32 = 7;
    let what = "anisotropic filters of unmixed levels (AnisoFilterWithPointMipSupported)";
    stage.needs(Feature::D3D12_OPTIONS19, what, |is: &Options19| is.AnisoFilterWithPointMipSupported != 0)?;
    let mut list = List::direct(&stage.device)?;
    let (picture, _upload) = picture(stage, &mut list, (SIDE, SIDE, LEVELS), |level, _, _| [100 * level, 7])?;
    let filter = D3D12_FILTER::MIN_MAG_ANISOTROPIC_MIP_POINT;
    let desc = D3D12_SAMPLER_DESC { Filter: filter, MaxAnisotropy: 4, ..nearest() };
    let samplers = heap(stage, &[desc; SAMPLERS as usize])?;
    // Far enough from the middle between levels, where drivers may go either way.
    let levels = [-1.0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3.25, 4.75, 5.25, 9.0f32];
    let places: Vec<Place> = levels
        .iter()
        .map(|level| {
            let step = level.exp2() / SIDE as f32;
            Place { at: [0.4, 0.6], gradient: [step; 2], sampler: 2047 }
        })
        .collect();
    let root = plain_root(stage)?;
    let read = (&picture, LEVELS);
    let got = sample(stage, &mut list, &root, &shader!("samplers.levels"), read, &samplers, (&places, 1))?;
    let expected: Vec<[f32; 2]> = levels.iter().map(|level| [100.0 * level.round().clamp(0.0, 6.0), 7.0]).collect();
    check("levels", &got, &expected)
}

fn point_sampling(stage: &Stage) -> Result<Digest, Failure> {
    let what = "exact points (PointSamplingAddressesNeverRoundUp)";
    stage.needs(Feature::D3D12_OPTIONS19, what, |is: &Options19| is.PointSamplingAddressesNeverRoundUp != 0)?;
    let mut list = List::direct(&stage.device)?;
    let (picture, _upload) = picture(stage, &mut list, (SIDE, SIDE, 1), |_, x, y| [x, 100 + y])?;
    let samplers = heap(stage, &[nearest(); SAMPLERS as usize])?;
    // The nearest float below the edge of a texel, across and down in turn; then the edge itself.
    let places: Vec<Place> = (1..SIDE)
        .flat_map(|texel| {
            let edge = texel as f32 / SIDE as f32;
            let below = edge.next_down();
            [[below, 0.5], [0.5, below], [edge, below]].map(|at| Place { at, gradient: [0.0; 2], sampler: 1 })
        })
        .collect();
    let root = plain_root(stage)?;
    let read = (&picture, 1);
    let got = sample(stage, &mut list, &root, &shader!("samplers.levels"), read, &samplers, (&places, 1))?;
    let texel = |at: f32| (at * SIDE as f32).floor();
    let expected: Vec<[f32; 2]> = places.iter().map(|place| [texel(place.at[0]), 100.0 + texel(place.at[1])]).collect();
    check("texels", &got, &expected)
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn whole_numbers_as_halves() {
        assert_eq!([0, 1, 2, 3, 100, 2047].map(half), [0, 0x3c00, 0x4000, 0x4200, 0x5640, 0x67ff]);
    }
}
