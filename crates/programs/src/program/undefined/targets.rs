//! `undefined-targets`: draws to other targets than the pipeline state's. Samples and formats differ, sizes differ, targets are
//! missing, are of the other kind, or nobody asked for them.

use super::Program;
use crate::com::call;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::{Depth, Target};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "undefined-targets", about: "draws to other targets than the pipeline state's", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const COLOUR: Shader = shader!("rectangle.colour");
const NOTHING: Shader = shader!("rectangle.nothing");
const SAMPLES: Shader = shader!("outputs.samples");
const TWO: Shader = shader!("outputs.two");
const SIZE: u32 = 32;
const BYTES: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
const FLOATS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_FLOAT;
const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const DEPTH: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT;
/// What draws cover.
const AREA: Area = Area::at(4, 6, 20, 12);
/// Exact in bytes and in floats.
const RED: [f32; 4] = [1.0, 0.0, 1.0, 0.0];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let root = RootSignature::graphics(&stage.device, &[Rectangle::PARAMETER], &[])?;
    let mut program =
        Misfits { stage, root, list: List::direct(&stage.device)?, digest: Digest::new(), made: Vec::new() };
    program.samples()?;
    program.mixed()?;
    program.formats()?;
    program.depths()?;
    program.sizes()?;
    program.kinds()?;
    Ok(program.digest)
}

struct Misfits<'a> {
    stage: &'a Stage,
    root: RootSignature,
    list: List,
    digest: Digest,
    /// Lists refer to pipeline states without keeping them.
    made: Vec<Pipeline>,
}

impl Misfits<'_> {
    fn desc(&self, pixel: &Shader, targets: &[DXGI_FORMAT], samples: u32) -> Description {
        let mut desc = plain(self.stage, &self.root, &VERTEX, pixel, targets);
        desc.SampleDesc.Count = samples;
        desc
    }

    /// Draws a rectangle to targets that are cleared to zeros.
    fn draw(&mut self, desc: &Description, targets: &[&Target], depth: Option<&Depth>) -> Result<(), Failure> {
        for target in targets {
            self.list.clear_target(target, [0.0; 4], &[]);
        }
        self.list.targets(targets, depth);
        self.again(desc, 0.0)
    }

    /// Draws a rectangle to what is bound.
    fn again(&mut self, desc: &Description, near: f32) -> Result<(), Failure> {
        let pipeline = Pipeline::graphics(self.stage, desc)?;
        self.list.set_graphics_root(&self.root);
        self.list.square(SIZE);
        self.list.set_pipeline(&pipeline);
        let value = RED.map(f32::to_bits);
        // For `two` a second colour of ones.
        self.list.rectangle(&Rectangle { depth: near, choice: 15, ..Rectangle::new(AREA, SIZE, value) });
        self.made.push(pipeline);
        Ok(())
    }

    /// A rectangle of one colour on zeros.
    fn picture(colour: [u8; 4]) -> Picture<[u8; 4]> {
        let mut picture = Picture::new(SIZE, SIZE, [0; 4]);
        picture.fill(AREA, colour);
        picture
    }

    fn check(&mut self, what: &str, target: &Target, expected: [u8; 4]) -> Result<(), Failure> {
        target.check(self.stage, &mut self.list, what, &Self::picture(expected), &mut self.digest)
    }

    /// The mean of a target's samples.
    fn check_mean(&mut self, what: &str, target: &Target, expected: [u8; 4]) -> Result<(), Failure> {
        let device = &self.stage.device;
        let mean = Texture::new(device, &flat(BYTES, SIZE, SIZE), D3D12_RESOURCE_STATES::RESOLVE_DEST, None)?;
        let (drawn, source) = (D3D12_RESOURCE_STATES::RENDER_TARGET, D3D12_RESOURCE_STATES::RESOLVE_SOURCE);
        self.list.transition(&target.texture.com, drawn, source);
        let (to, from) = (&mean.com, &target.texture.com);
        call!(self.list.com, "ID3D12GraphicsCommandList", "ResolveSubresource", to, 0u32, from, 0u32, BYTES.0);
        let bytes = mean.read(self.stage, &mut self.list, D3D12_RESOURCE_STATES::RESOLVE_DEST)?;
        Self::picture(expected).check(what, &crate::texel::texels(&bytes[0]))?;
        self.digest.add(&bytes[0]);
        Ok(())
    }

    /// A pipeline state of four samples draws the first one to a target of one; one of one sample draws all four.
    fn samples(&mut self) -> Result<(), Failure> {
        let device = &self.stage.device;
        let (one, four) = (Target::new(device, BYTES, SIZE, SIZE)?, Target::sampled(device, BYTES, SIZE, SIZE, 4)?);
        self.draw(&self.desc(&SAMPLES, &[BYTES], 4), &[&one], None)?;
        self.check("four samples to a target of one", &one, [4; 4])?;
        self.draw(&self.desc(&SAMPLES, &[BYTES], 1), &[&four], None)?;
        self.check_mean("one sample to a target of four", &four, [10; 4])
    }

    /// Of targets that differ in samples those are drawn to that the pipeline state is for.
    fn mixed(&mut self) -> Result<(), Failure> {
        let device = &self.stage.device;
        let (one, four) = (Target::new(device, BYTES, SIZE, SIZE)?, Target::sampled(device, BYTES, SIZE, SIZE, 4)?);
        let depth = Depth::sampled(device, DEPTH, DEPTH, SIZE, SIZE, 4)?;
        self.list.clear_depth(&depth, D3D12_CLEAR_FLAGS::DEPTH, (0.0, 0), &[]);
        let mut desc = self.desc(&TWO, &[BYTES, BYTES], 1);
        self.draw(&desc, &[&four, &one], None)?;
        self.check("the second of two targets", &one, [255; 4])?;
        self.check_mean("the first of two targets", &four, [0; 4])?;
        // A depth test that nothing would pass.
        desc = self.desc(&COLOUR, &[BYTES], 1);
        less(&mut desc, DEPTH);
        self.draw(&desc, &[&one], Some(&depth))?;
        self.check("a depth buffer of other samples", &one, [255, 0, 255, 0])
    }

    /// Targets of other formats are drawn to as what they are, where the shader writes them at all.
    fn formats(&mut self) -> Result<(), Failure> {
        let device = &self.stage.device;
        let floats = Target::new(device, FLOATS, SIZE, SIZE)?;
        let mut desc = self.desc(&COLOUR, &[BYTES], 1);
        self.draw(&desc, &[&floats], None)?;
        let mut expected = Picture::new(SIZE, SIZE, [0u32; 4]);
        expected.fill(AREA, RED.map(f32::to_bits));
        floats.check(self.stage, &mut self.list, "a target of floats", &expected, &mut self.digest)?;
        // Integers are not blended. What is drawn is nobody's; what is not stays.
        let numbers = Target::new(device, NUMBERS, SIZE, SIZE)?;
        desc.BlendState.RenderTarget[0].BlendEnable = 1;
        self.draw(&desc, &[&numbers], None)?;
        let bytes = numbers.texture.read(self.stage, &mut self.list, D3D12_RESOURCE_STATES::RENDER_TARGET)?;
        let row = SIZE as usize * 16;
        let above = bytes[0].get(..row * AREA.top as usize).unwrap_or_default();
        Failure::unless(above.iter().all(|byte| *byte == 0), || "a target of integers is written outside".into())?;
        // A shader that writes no target leaves any target alone.
        let desc = self.desc(&NOTHING, &[BYTES], 1);
        self.draw(&desc, &[&floats], None)?;
        let untouched = Picture::new(SIZE, SIZE, [0u32; 4]);
        floats.check(self.stage, &mut self.list, "a target that no shader writes", &untouched, &mut self.digest)
    }

    /// Depth is tested in the bound target's format; a target that the pipeline state does not test is left alone.
    fn depths(&mut self) -> Result<(), Failure> {
        let device = &self.stage.device;
        let colour = Target::new(device, BYTES, SIZE, SIZE)?;
        let both = DXGI_FORMAT::FORMAT_D32_FLOAT_S8X24_UINT;
        for (named, bound) in [(DEPTH, both), (both, DEPTH), (DEPTH, DXGI_FORMAT::FORMAT_D16_UNORM)] {
            let depth = Depth::new(device, bound, bound, SIZE, SIZE)?;
            let mut desc = self.desc(&COLOUR, &[BYTES], 1);
            less(&mut desc, named);
            for (cleared, expected) in [(1.0, [255, 0, 255, 0]), (0.25, [0; 4])] {
                self.list.clear_depth(&depth, D3D12_CLEAR_FLAGS::DEPTH, (cleared, 0), &[]);
                self.list.clear_target(&colour, [0.0; 4], &[]);
                self.list.targets(&[&colour], Some(&depth));
                self.again(&desc, 0.5)?;
                self.check("a depth buffer of another format", &colour, expected)?;
            }
        }
        let depth = Depth::sampled(device, DEPTH, DEPTH, SIZE, SIZE, 4)?;
        self.list.clear_depth(&depth, D3D12_CLEAR_FLAGS::DEPTH, (0.0, 0), &[]);
        self.draw(&self.desc(&COLOUR, &[BYTES], 1), &[&colour], Some(&depth))?;
        self.check("a depth buffer that nobody tests", &colour, [255, 0, 255, 0])
    }

    /// Nothing is drawn beyond the smallest target, whatever the scissor says.
    fn sizes(&mut self) -> Result<(), Failure> {
        let device = &self.stage.device;
        let (large, small) = (Target::new(device, BYTES, SIZE, SIZE)?, Target::new(device, BYTES, 16, 8)?);
        self.draw(&self.desc(&TWO, &[BYTES, BYTES], 1), &[&large, &small], None)?;
        let mut expected = Picture::new(SIZE, SIZE, [0u8; 4]);
        expected.fill(AREA.within(Area::at(0, 0, 16, 8)), [255, 0, 255, 0]);
        large.check(self.stage, &mut self.list, "beside a smaller target", &expected, &mut self.digest)
    }

    /// A handle of a depth buffer is no target of colours, one of colours no depth buffer, and none of either nothing.
    fn kinds(&mut self) -> Result<(), Failure> {
        let device = &self.stage.device;
        let colour = Target::new(device, BYTES, SIZE, SIZE)?;
        let depth = Depth::new(device, DEPTH, DEPTH, SIZE, SIZE)?;
        let mut desc = self.desc(&TWO, &[BYTES, BYTES], 1);
        less(&mut desc, DEPTH);
        self.list.clear_target(&colour, [0.0; 4], &[]);
        self.list.target_views(&[colour.view(), depth.view()], Some(&colour.view()));
        self.again(&desc, 0.5)?;
        self.check("targets of the other kind", &colour, [255, 0, 255, 0])?;
        self.draw(&desc, &[], None)?;
        self.list.clear_target(&colour, [0.0; 4], &[]);
        self.check("no targets", &colour, [0; 4])
    }
}

/// Tests depth and writes it.
fn less(desc: &mut Description, format: DXGI_FORMAT) {
    let test = &mut desc.DepthStencilState;
    (test.DepthEnable, test.DepthWriteMask) = (1, D3D12_DEPTH_WRITE_MASK::ALL);
    test.DepthFunc = D3D12_COMPARISON_FUNC::LESS;
    desc.DSVFormat = format;
}
