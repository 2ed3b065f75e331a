//! `conservative`: rectangles whose edges lie between pixels, each drawn into every pixel that it touches, and once more as usual,
//! where a pixel counts whose middle is covered.

use super::Program;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "conservative", about: "rectangles drawn into every pixel that they touch", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const NUMBER: Shader = shader!("rectangle.number");
const SIZE: u32 = 64;
/// Positions within a pixel. No edge lies nearer to a pixel's own edge than one of these, which is more than tier 2 may be wrong by.
const STEPS: u32 = 8;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// Edges in steps: rectangles of several pixels, within one pixel beside its middle, thinner than a pixel, and over all.
const DRAWS: [Area; 6] = [
    Area::at(3, 5, 200, 122),
    Area::at(257, 9, 2, 2),
    Area::at(41, 261, 1, 186),
    Area::at(77, 301, 330, 1),
    Area::at(131, 330, 6, 4),
    Area::at(211, 351, 290, 154),
];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    if device.options().ConservativeRasterizationTier < D3D12_CONSERVATIVE_RASTERIZATION_TIER::TIER_2 {
        return Err(Failure::Cannot("the library has no conservative rasterisation of tier 2".into()));
    }
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let mut desc = plain(stage, &root, &VERTEX, &NUMBER, &[FORMAT]);
    let usual = Pipeline::graphics(stage, &desc)?;
    desc.RasterizerState.ConservativeRaster = D3D12_CONSERVATIVE_RASTERIZATION_MODE::ON;
    let touching = Pipeline::graphics(stage, &desc)?;
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    let last = |edge: u32| edge.div_ceil(STEPS);
    // A middle on an edge belongs to the rectangle on its right and below; so half a pixel less one step counts as covered.
    let middle = |edge: u32| (edge + STEPS / 2 - 1) / STEPS;
    for (what, pipeline, conservative) in [("every touched pixel", &touching, true), ("as usual", &usual, false)] {
        let target = Target::new(device, FORMAT, SIZE, SIZE)?;
        let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
        list.set_graphics_root(&root);
        list.targets(&[&target], None);
        list.square(SIZE);
        list.clear_target(&target, [0.0; 4], &[]);
        list.set_pipeline(pipeline);
        for (area, number) in DRAWS.into_iter().zip(1..) {
            list.rectangle(&Rectangle::new(area, SIZE * STEPS, [number; 4]));
            let Area { left, top, right, bottom } = area;
            let covered = match conservative {
                true => Area { left: left / STEPS, top: top / STEPS, right: last(right), bottom: last(bottom) },
                false => Area { left: middle(left), top: middle(top), right: middle(right), bottom: middle(bottom) },
            };
            expected.fill(covered, [number; 4]);
        }
        target.check(stage, &mut list, what, &expected, &mut digest)?;
    }
    Ok(digest)
}
