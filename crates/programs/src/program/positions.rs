//! `sample-positions`: a list sets where samples lie, draws rectangles whose edges cut pixels, and sets the standard positions again. The
//! pixel shader counts the covered samples, and occlusion queries count them behind a depth test. `samples-alone`: draws of several
//! samples without a target. `forced-samples`: pipeline states that force one sample on targets of several.

use super::Program;
use super::queries::{Queries, read, results};
use crate::buffer::{self, Buffer, bytes_of};
use crate::com::{Com, Null, Word, call};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::Area;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::{Depth, Target};
use crate::texture::{Texture, flat};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS, D3D12_COMPARISON_FUNC, D3D12_DEPTH_WRITE_MASK, D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS2,
    D3D12_FEATURE_DATA_D3D12_OPTIONS19, D3D12_PROGRAMMABLE_SAMPLE_POSITIONS_TIER as Tier,
    D3D12_QUERY_HEAP_TYPE as Kind, D3D12_QUERY_TYPE as Query, D3D12_RESOURCE_STATES as State, D3D12_SAMPLE_POSITION,
    DXGI_FORMAT, DXGI_SAMPLE_DESC,
};

pub(super) const PROGRAM: Program =
    Program { name: "sample-positions", about: "samples that lie where a list puts them", run };
pub(super) const ALONE: Program =
    Program { name: "samples-alone", about: "several samples of a pixel without a target", run: alone };

pub(super) const FORCED: Program =
    Program { name: "forced-samples", about: "one sample that is forced on targets of several", run: forced };

const PIXEL: Shader = shader!("positions.pixel");
const SIZE: u32 = 16;
const SAMPLES: u32 = 4;
const DEPTH: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT;
/// Edges of rectangles lie between these parts of a pixel, samples on every second one.
const PARTS: u32 = 32;
/// Sixteenths of a pixel from its middle, as the API has them; and the usual ones of four samples.
const OWN: [[i8; 2]; SAMPLES as usize] = [[-8, -8], [7, -3], [0, 0], [-5, 7]];
const USUAL: [[i8; 2]; SAMPLES as usize] = [[-2, -6], [6, -2], [-6, 2], [2, 6]];

/// In parts of a pixel: odd numbers, so that no edge meets a sample.
const RECTANGLES: [Area; 3] = [
    Area { left: 33, top: 47, right: 301, bottom: 203 },
    Area { left: 195, top: 139, right: 199, bottom: 477 },
    Area { left: 305, top: 311, right: 499, bottom: 313 },
];

fn supported(stage: &Stage) -> Result<Tier, Failure> {
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS2::default();
    let known = stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS2, &mut options);
    match known && options.ProgrammableSamplePositionsTier >= Tier::TIER_1 {
        true => Ok(options.ProgrammableSamplePositionsTier),
        false => Err(Failure::Cannot("the library has no programmable sample positions".into())),
    }
}

/// Positions of each pixel of a pattern, and pixels in a row of it.
struct Pattern {
    pixels: Vec<[[i8; 2]; SAMPLES as usize]>,
    side: u32,
}

impl Pattern {
    fn one(positions: [[i8; 2]; SAMPLES as usize]) -> Self {
        Self { pixels: vec![positions], side: 1 }
    }

    /// The samples of a pixel that an area of parts covers, one bit each.
    fn covered(&self, (x, y): (u32, u32), area: Area) -> u32 {
        let pixel = &self.pixels[(x % self.side + y % self.side * self.side) as usize];
        let half = PARTS / 2;
        let at = |pixel: u32, step: i8| (pixel * PARTS + half).wrapping_add_signed(i32::from(step) * 2);
        let inside = |[right, down]: [i8; 2]| {
            let (x, y) = (at(x, right), at(y, down));
            (area.left..area.right).contains(&x) && (area.top..area.bottom).contains(&y)
        };
        pixel.iter().enumerate().fold(0, |mask, (sample, position)| mask | u32::from(inside(*position)) << sample)
    }

    /// The samples of all pixels.
    fn all(&self, area: Area) -> Vec<u32> {
        (0..SIZE * SIZE).map(|at| self.covered((at % SIZE, at / SIZE), area)).collect()
    }
}

impl List {
    fn positions(&mut self, pattern: Option<&Pattern>) -> Result<(), Failure> {
        const LIST: InterfaceId = interface("ID3D12GraphicsCommandList1");
        let list: Option<Com> = self.com.query(LIST);
        let list = list.ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList1".into()))?;
        let positions = pattern.iter().flat_map(|pattern| pattern.pixels.iter().flatten());
        let all: Vec<_> = positions.map(|[x, y]| D3D12_SAMPLE_POSITION { X: *x, Y: *y }).collect();
        let pixels = pattern.map_or(0, |pattern| pattern.side * pattern.side);
        let samples = if pattern.is_some() { SAMPLES } else { 0 };
        let first = if all.is_empty() { Word::from(Null) } else { all.as_ptr().into() };
        call!(list, "ID3D12GraphicsCommandList1", "SetSamplePositions", samples, pixels, first);
        Ok(())
    }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let tier = supported(stage)?;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Uav(0)], &[])?;
    let vertex = shader!("rectangle.vertex");
    let mut desc = Description { DSVFormat: DEPTH, ..plain(stage, &root, &vertex, &PIXEL, &[]) };
    desc.SampleDesc = DXGI_SAMPLE_DESC { Count: SAMPLES, Quality: 0 };
    let test = &mut desc.DepthStencilState;
    (test.DepthEnable, test.DepthWriteMask) = (1, D3D12_DEPTH_WRITE_MASK::ALL);
    test.DepthFunc = D3D12_COMPARISON_FUNC::LESS;
    let pipeline = Pipeline::graphics(stage, &desc)?;
    let depth = Depth::sampled(device, DEPTH, DEPTH, SIZE, SIZE, SAMPLES)?;
    let occlusion = Queries::new(stage, Kind::OCCLUSION, Query::OCCLUSION, 2)?;
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    let mut patterns = vec![
        ("own", Some(Pattern::one(OWN)), true),
        ("usual", None, true),
        ("turned", Some(Pattern::one(OWN.map(|[x, y]| [y, x]))), true),
    ];
    if tier >= Tier::TIER_2 {
        let turned = OWN.map(|[x, y]| [y, x]);
        let pixels = vec![OWN, USUAL, turned, [[3, 3]; SAMPLES as usize]];
        patterns.push(("two by two", Some(Pattern { pixels, side: 2 }), false));
    }
    for (name, pattern, everywhere) in patterns {
        for area in RECTANGLES {
            let covered = Buffer::writable(device, u64::from(SIZE * SIZE) * 4)?;
            buffer::clear(device, &stage.queue, &covered)?;
            let (counts, _kept) = results(stage, &mut list, 2)?;
            list.set_graphics_root(&root);
            list.positions(pattern.as_ref())?;
            list.clear_depth(&depth, D3D12_CLEAR_FLAGS::DEPTH, (1.0, 0), &[]);
            list.targets(&[], Some(&depth));
            list.square(SIZE);
            list.set_pipeline(&pipeline);
            list.graphics_uav(1, covered.address);
            // The second one is hidden wherever the first one is.
            for (number, z) in [(0, 0.25), (1, 0.5)] {
                occlusion.begin(&mut list, number);
                list.rectangle(&Rectangle { depth: z, ..Rectangle::new(area, SIZE * PARTS, [0; 4]) });
                occlusion.end(&mut list, number);
            }
            occlusion.resolve(&mut list, (0, 2), &counts, 0);
            let counts = read(stage, &mut list, &counts)?;
            let got = buffer::fetch(device, &stage.queue, &mut list, &covered, State::UNORDERED_ACCESS)?.read_u32()?;
            let expected = pattern.as_ref().unwrap_or(&Pattern::one(USUAL)).all(area);
            Failure::unless_equal(&format!("samples, {name}"), &got, &expected)?;
            let all: u32 = expected.iter().map(|mask| mask.count_ones()).sum();
            Failure::unless_equal(&format!("counts, {name}"), &counts, &[all.into(), 0])?;
            if everywhere {
                digest.add(&bytes_of(&got));
            }
        }
    }
    Ok(digest)
}

fn alone(stage: &Stage) -> Result<Digest, Failure> {
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS19::default();
    let known = stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS19, &mut options);
    if !known || options.SupportedSampleCountsWithNoOutputs & SAMPLES == 0 {
        return Err(Failure::Cannot("the library has no four samples without targets".into()));
    }
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Uav(0)], &[])?;
    let mut desc = plain(stage, &root, &shader!("rectangle.vertex"), &PIXEL, &[]);
    desc.SampleDesc = DXGI_SAMPLE_DESC { Count: SAMPLES, Quality: 0 };
    let several = Pipeline::graphics(stage, &desc)?;
    // One sample is forced, in the middle of the pixel.
    desc.RasterizerState.ForcedSampleCount = 1;
    let one = Pipeline::graphics(stage, &desc)?;
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    let middle = |area: Area| {
        let all = Pattern::one([[0, 0]; SAMPLES as usize]).all(area);
        all.into_iter().map(|mask| mask & 1).collect::<Vec<u32>>()
    };
    for area in RECTANGLES {
        for (pipeline, expected) in [(&several, Pattern::one(USUAL).all(area)), (&one, middle(area))] {
            let covered = Buffer::writable(device, u64::from(SIZE * SIZE) * 4)?;
            buffer::clear(device, &stage.queue, &covered)?;
            list.set_graphics_root(&root);
            list.targets(&[], None);
            list.square(SIZE);
            list.set_pipeline(pipeline);
            list.graphics_uav(1, covered.address);
            list.rectangle(&Rectangle::new(area, SIZE * PARTS, [0; 4]));
            let got = buffer::fetch(device, &stage.queue, &mut list, &covered, State::UNORDERED_ACCESS)?.read_u32()?;
            Failure::unless_equal("samples", &got, &expected)?;
            digest.add(&bytes_of(&got));
        }
    }
    Ok(digest)
}

/// The middle of a pixel covers all of its samples, or none; without force, each is covered by itself.
fn forced(stage: &Stage) -> Result<Digest, Failure> {
    const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
    /// A quarter of it is a whole number, too.
    const WHOLE: u32 = 252;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let (vertex, pixel) = (shader!("rectangle.vertex"), shader!("rectangle.colour"));
    let mut desc = plain(stage, &root, &vertex, &pixel, &[FORMAT]);
    desc.SampleDesc = DXGI_SAMPLE_DESC { Count: SAMPLES, Quality: 0 };
    let several = Pipeline::graphics(stage, &desc)?;
    desc.RasterizerState.ForcedSampleCount = 1;
    let one = Pipeline::graphics(stage, &desc)?;
    let target = Target::sampled(device, FORMAT, SIZE, SIZE, SAMPLES)?;
    let resolved = Texture::new(device, &flat(FORMAT, SIZE, SIZE), State::RESOLVE_DEST, None)?;
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    let middle = Pattern::one([[0, 0]; SAMPLES as usize]);
    for area in RECTANGLES {
        for (name, pipeline, pattern) in [("one", &one, &middle), ("several", &several, &Pattern::one(USUAL))] {
            list.set_graphics_root(&root);
            list.targets(&[&target], None);
            list.square(SIZE);
            list.clear_target(&target, [0.0; 4], &[]);
            list.set_pipeline(pipeline);
            let colour = [(WHOLE as f32 / 255.0).to_bits(); 4];
            list.rectangle(&Rectangle::new(area, SIZE * PARTS, colour));
            let (drawn, source) = (State::RENDER_TARGET, State::RESOLVE_SOURCE);
            list.transition(&target.texture.com, drawn, source);
            let (to, from) = (&resolved.com, &target.texture.com);
            call!(list.com, "ID3D12GraphicsCommandList", "ResolveSubresource", to, 0u32, from, 0u32, FORMAT.0);
            list.transition(&target.texture.com, source, drawn);
            let got = &resolved.read(stage, &mut list, State::RESOLVE_DEST)?[0];
            let share = |mask: u32| [(WHOLE / SAMPLES * mask.count_ones()) as u8; 4];
            let expected: Vec<u8> = pattern.all(area).into_iter().flat_map(share).collect();
            Failure::unless_equal(&format!("resolved colours, {name}"), got, &expected)?;
            digest.add(got);
        }
    }
    Ok(digest)
}
