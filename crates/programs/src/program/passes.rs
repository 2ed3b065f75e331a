//! `passes`: render passes that clear, keep and resolve their targets, and one that goes on in another list.

use super::Program;
use crate::com::{Com, Null, Word, call};
use crate::device::Device;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use crate::shader::shader;
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::interface;
use reprise_d3d12::types::{
    D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE as Begin, D3D12_RENDER_PASS_ENDING_ACCESS_TYPE as End,
    D3D12_RENDER_PASS_FLAGS as Flags, D3D12_RESOURCE_STATES as State, *,
};

pub(super) const PROGRAM: Program =
    Program { name: "passes", about: "render passes that clear, keep, resolve, and go on in another list", run };
pub(super) const WHOLE: Program =
    Program { name: "whole-resolves", about: "a render pass that resolves all by an empty rectangle", run: whole };

const SIZE: u32 = 32;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;

/// Whether the device has render passes.
fn demand(device: &Device) -> Result<(), Failure> {
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS18::default();
    let known = device.feature(D3D12_FEATURE::D3D12_OPTIONS18, &mut options);
    if !known || options.RenderPassesValid == 0 {
        return Err(Failure::Cannot("the device has no render passes".into()));
    }
    Ok(())
}

/// As Dawn resolves: the structure has no pointer that could be null, and an empty rectangle stands for all of the source.
fn whole(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    demand(device)?;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let (vertex, pixel) = (shader!("rectangle.vertex"), shader!("rectangle.colour"));
    let mut description: Description = plain(stage, &root, &vertex, &pixel, &[FORMAT]);
    description.SampleDesc.Count = 4;
    let pipeline = Pipeline::graphics(stage, &description)?;
    let (one, four) = (Target::new(device, FORMAT, SIZE, SIZE)?, Target::sampled(device, FORMAT, SIZE, SIZE, 4)?);
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    list.transition(&one.texture.com, State::RENDER_TARGET, State::RESOLVE_DEST);
    let pass = Pass {
        target: &four,
        begin: Begin::CLEAR,
        colour: [1.0, 1.0, 0.0, 1.0],
        resolve: Some((&one.texture.com, Area::at(0, 0, 0, 0), [0, 0])),
    };
    pass.begin(&list, Flags::NONE)?;
    list.set_graphics_root(&root);
    list.set_pipeline(&pipeline);
    list.square(SIZE);
    let area = Area::at(2, 3, 7, 5);
    list.rectangle(&Rectangle::new(area, SIZE, [1.0f32, 0.0, 1.0, 1.0].map(f32::to_bits)));
    Pass::end(&list)?;
    list.transition(&one.texture.com, State::RESOLVE_DEST, State::RENDER_TARGET);
    let mut expected = Picture::new(SIZE, SIZE, [0xffu8, 0xff, 0, 0xff]);
    expected.fill(area, [0xff, 0, 0xff, 0xff]);
    one.check(stage, &mut list, "all of the source", &expected, &mut digest)?;
    Ok(digest)
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    demand(device)?;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let (vertex, pixel) = (shader!("rectangle.vertex"), shader!("rectangle.colour"));
    let mut description: Description = plain(stage, &root, &vertex, &pixel, &[FORMAT]);
    let pipeline = Pipeline::graphics(stage, &description)?;
    description.SampleDesc.Count = 4;
    let sampled = Pipeline::graphics(stage, &description)?;
    let (one, four) = (Target::new(device, FORMAT, SIZE, SIZE)?, Target::sampled(device, FORMAT, SIZE, SIZE, 4)?);
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    let draw = |list: &mut List, pipeline: &Pipeline, area: Area, colour: [f32; 4]| {
        list.set_graphics_root(&root);
        list.set_pipeline(pipeline);
        list.square(SIZE);
        list.rectangle(&Rectangle::new(area, SIZE, colour.map(f32::to_bits)));
    };

    // Cleared; then kept, with a part drawn over in a pass that is suspended, and another in the list that resumes it.
    let mut expected = Picture::new(SIZE, SIZE, [0u8, 0xff, 0, 0xff]);
    let clear = Pass { target: &one, begin: Begin::CLEAR, colour: [0.0, 1.0, 0.0, 1.0], resolve: None };
    clear.begin(&list, Flags::NONE)?;
    Pass::end(&list)?;
    let keep = Pass { begin: Begin::PRESERVE, ..clear };
    keep.begin(&list, Flags::SUSPENDING_PASS)?;
    draw(&mut list, &pipeline, Area::at(1, 2, 10, 11), [1.0, 0.0, 0.0, 1.0]);
    Pass::end(&list)?;
    list.close()?;
    let mut other = List::direct(device)?;
    // What a resumed pass begins with is what the suspended one has left, also where it says otherwise.
    let resumed = Pass { begin: Begin::CLEAR, colour: [1.0; 4], ..keep };
    resumed.begin(&other, Flags::RESUMING_PASS)?;
    draw(&mut other, &pipeline, Area::at(8, 8, 10, 11), [0.0, 0.0, 1.0, 1.0]);
    Pass::end(&other)?;
    other.close()?;
    stage.queue.execute(&[&list, &other]);
    stage.queue.finish()?;
    list.reset()?;
    expected.fill(Area::at(1, 2, 10, 11), [0xff, 0, 0, 0xff]);
    expected.fill(Area::at(8, 8, 10, 11), [0, 0, 0xff, 0xff]);
    one.check(stage, &mut list, "two lists", &expected, &mut digest)?;

    // Of four samples, resolved into a part of the other target: all samples of a pixel are one colour.
    list.transition(&one.texture.com, State::RENDER_TARGET, State::RESOLVE_DEST);
    let part = Area::at(4, 6, 12, 9);
    let resolve = Pass {
        target: &four,
        begin: Begin::CLEAR,
        colour: [1.0, 1.0, 0.0, 1.0],
        resolve: Some((&one.texture.com, part, [17, 20])),
    };
    resolve.begin(&list, Flags::NONE)?;
    draw(&mut list, &sampled, Area::at(6, 8, 5, 4), [0.0, 1.0, 1.0, 1.0]);
    Pass::end(&list)?;
    list.transition(&one.texture.com, State::RESOLVE_DEST, State::RENDER_TARGET);
    expected.fill(Area::at(17, 20, 12, 9), [0xff, 0xff, 0, 0xff]);
    expected.fill(Area::at(19, 22, 5, 4), [0, 0xff, 0xff, 0xff]);
    one.check(stage, &mut list, "a resolve", &expected, &mut digest)?;
    Ok(digest)
}

/// A pass with one target.
#[derive(Clone, Copy)]
struct Pass<'a> {
    target: &'a Target,
    begin: Begin,
    colour: [f32; 4],
    /// Where to, of which part, and to which place.
    resolve: Option<(&'a Com, Area, [u32; 2])>,
}

/// The list as the interface that has passes.
fn newer(list: &List) -> Result<Com, Failure> {
    const CLASS: reprise_d3d12::model::InterfaceId = interface("ID3D12GraphicsCommandList4");
    list.com.query(CLASS).ok_or_else(|| Failure::Wrong("there are render passes, and no interface for them".into()))
}

impl Pass<'_> {
    fn begin(&self, list: &List, flags: Flags) -> Result<(), Failure> {
        let mut desc = D3D12_RENDER_PASS_RENDER_TARGET_DESC { cpuDescriptor: self.target.view(), ..Default::default() };
        desc.BeginningAccess.Type = self.begin;
        let mut value = D3D12_CLEAR_VALUE { Format: FORMAT, ..Default::default() };
        value.Anonymous.Color = self.colour;
        desc.BeginningAccess.Anonymous.Clear =
            D3D12_RENDER_PASS_BEGINNING_ACCESS_CLEAR_PARAMETERS { ClearValue: value };
        desc.EndingAccess.Type = End::PRESERVE;
        let mut part = D3D12_RENDER_PASS_ENDING_ACCESS_RESOLVE_SUBRESOURCE_PARAMETERS::default();
        if let Some((to, area, [x, y])) = self.resolve {
            (part.DstX, part.DstY, part.SrcRect) = (x, y, crate::draw::rect(area));
            desc.EndingAccess.Type = End::RESOLVE;
            desc.EndingAccess.Anonymous.Resolve = D3D12_RENDER_PASS_ENDING_ACCESS_RESOLVE_PARAMETERS {
                pSrcResource: self.target.texture.com.as_ptr(),
                pDstResource: to.as_ptr(),
                SubresourceCount: 1,
                pSubresourceParameters: &raw const part,
                Format: FORMAT,
                ResolveMode: D3D12_RESOLVE_MODE::AVERAGE,
                PreserveResolveSource: 0,
            };
        }
        let targets = Word::from(&raw const desc);
        call!(newer(list)?, "ID3D12GraphicsCommandList4", "BeginRenderPass", 1u32, targets, Null, flags.0);
        Ok(())
    }

    fn end(list: &List) -> Result<(), Failure> {
        call!(newer(list)?, "ID3D12GraphicsCommandList4", "EndRenderPass");
        Ok(())
    }
}
