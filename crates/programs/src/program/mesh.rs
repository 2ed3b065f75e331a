//! `mesh`: rectangles from mesh shaders, alone and behind an amplification shader that chooses some, dispatched by the list, by a
//! bundle and by arguments that a compute shader writes; with values of vertices and of primitives, culled primitives, and
//! layers. Between them a pipeline of vertices draws with the same root signature. Of DXIL only.

use super::Program;
use crate::buffer::Buffer;
use crate::com::call;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::signature::{CommandSignature, argument};
use crate::stage::Stage;
use crate::target::Target;
use crate::texel::texels;
use reprise_d3d12::types::{
    D3D_SHADER_MODEL, D3D12_COMMAND_LIST_TYPE, D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS7,
    D3D12_INDIRECT_ARGUMENT_TYPE as Argument, D3D12_MESH_SHADER_TIER, D3D12_RESOURCE_STATES as State, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "mesh", about: "mesh and amplification shaders, dispatched directly and indirectly", run };

pub(super) const PLAIN: Shader = shader!("mesh.plain" dxil);
const CHOSEN: Shader = shader!("mesh.chosen" dxil);
const CHOOSE: Shader = shader!("mesh.choose" dxil);
pub(super) const PIXEL: Shader = shader!("mesh.pixel" dxil);
const COMMANDS: Shader = shader!("mesh.commands" dxil);

pub(super) const SIZE: u32 = 64;
pub(super) const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// Rectangles, each in a place of a grid.
const COUNT: u32 = 64;
pub(super) const LAYERS: u16 = 2;

fn area(number: u32) -> Area {
    Area::at(number % 8 * 8, number / 8 * 8, 3 + number % 5, 2 + number % 6)
}

/// The layers as they should be.
pub(super) struct Model([Picture<[u32; 4]>; LAYERS as usize]);

impl Model {
    /// Nothing is drawn yet.
    pub(super) fn empty() -> Self {
        Self([(); LAYERS as usize].map(|()| Picture::new(SIZE, SIZE, [0; 4])))
    }

    /// Compares what the layers of a target hold, and counts it in.
    pub(super) fn check(
        &self,
        stage: &Stage,
        list: &mut List,
        target: &Target,
        digest: &mut Digest,
    ) -> Result<(), Failure> {
        let got = target.texture.read(stage, list, State::RENDER_TARGET)?;
        for (layer, expected) in self.0.iter().enumerate() {
            expected.check(&format!("layer {layer}"), &texels(&got[layer]))?;
            digest.add(&got[layer]);
        }
        Ok(())
    }

    /// The rectangle that a group draws.
    pub(super) fn group(&mut self, number: u32, bonus: u32) {
        let Area { left, top, .. } = area(number);
        let colour = 1000 + number + ((number * number) << 16);
        let pixel = [left | top << 16, number + bonus, colour, (50 + number) | (7 + bonus) << 16];
        self.0[(number / 3 % 2) as usize].fill(area(number), pixel);
    }

    /// What a dispatch behind the amplification shader draws.
    fn chosen(&mut self, first: u32, groups: u32, mask: u32, bonus: u32) {
        for number in (first..first + 8 * groups).filter(|number| number & mask != 0) {
            self.group(number, bonus + (number - first) / 8);
        }
    }
}

/// The edges of all rectangles, as `mesh.hlsl` reads them.
pub(super) fn edges(stage: &Stage) -> Result<Buffer, Failure> {
    let edges: Vec<u32> = (0..COUNT)
        .flat_map(|number| {
            let Area { left, top, right, bottom } = area(number);
            [left, top, right, bottom]
        })
        .collect();
    Buffer::uploaded(&stage.device, &edges)
}

/// The constants of a dispatch, as `mesh.hlsl` takes them.
pub(super) fn constants(first: u32, row: u32, mask: u32, bonus: u32) -> [u32; 12] {
    let scale = (2.0 / SIZE as f32).to_bits();
    [first, row, 0, 0, scale, scale, 0, mask, bonus, 0, 0, 0]
}

pub(super) fn supported(stage: &Stage) -> Result<(), Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_5)?;
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS7::default();
    let known = stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS7, &mut options);
    match known && options.MeshShaderTier >= D3D12_MESH_SHADER_TIER::TIER_1 {
        true => Ok(()),
        false => Err(Failure::Cannot("the library has no mesh shaders".into())),
    }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    supported(stage)?;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Srv(0)], &[])?;
    let (vertex, number) = (shader!("rectangle.vertex"), shader!("rectangle.number"));
    let vertices = Pipeline::graphics(stage, &plain(stage, &root, &vertex, &number, &[FORMAT]))?;
    let desc = plain(stage, &root, &vertex, &PIXEL, &[FORMAT]);
    let alone = Pipeline::of_meshes(stage, &desc, None, &PLAIN)?;
    let behind = Pipeline::of_meshes(stage, &desc, Some(&CHOOSE), &CHOSEN)?;

    let edges = edges(stage)?;
    let mut bundle = List::new(device, D3D12_COMMAND_LIST_TYPE::BUNDLE)?;
    bundle.set_graphics_root(&root);
    bundle.set_pipeline(&alone);
    bundle.graphics_constants(0, &constants(40, 2, 0, 0));
    bundle.dispatch_mesh(2, 2, 1)?;
    bundle.close()?;

    let mut list = List::direct(device)?;
    let (arguments, _kept) = commands(stage, &mut list)?;
    let signature = CommandSignature::new(device, None, &[argument(Argument::DISPATCH_MESH)], 12)?;
    let target = Target::layered(device, FORMAT, SIZE, SIZE, LAYERS)?;
    let mut model = Model::empty();
    list.set_graphics_root(&root);
    list.graphics_srv(1, edges.address);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);

    list.set_pipeline(&alone);
    list.graphics_constants(0, &constants(0, 2, 0, 0));
    list.dispatch_mesh(2, 3, 1)?;
    (0..6).for_each(|number| model.group(number, 0));

    // Vertices, before and behind which are meshes.
    list.set_pipeline(&vertices);
    let over = Area::at(4, 4, 40, 2);
    list.rectangle(&Rectangle::new(over, SIZE, [9, 8, 7, 6]));
    model.0[0].fill(over, [9, 8, 7, 6]);
    list.set_pipeline(&behind);
    list.graphics_constants(0, &constants(8, 0, 5, 300));
    list.dispatch_mesh(2, 1, 1)?;
    model.chosen(8, 2, 5, 300);
    // No group of the second draws anything.
    list.graphics_constants(0, &constants(8, 0, 0, 0));
    list.dispatch_mesh(1, 1, 1)?;

    // Five of at most eight commands, the largest of which has five groups; then the sixth, by no count.
    list.set_pipeline(&alone);
    list.graphics_constants(0, &constants(24, 0, 0, 0));
    list.execute_indirect(&signature, 8, (&arguments, 0), Some((&arguments, 96)));
    (24..29).for_each(|number| model.group(number, 0));
    list.graphics_constants(0, &constants(32, 0, 0, 0));
    list.execute_indirect(&signature, 1, (&arguments, 60), None);
    (32..38).for_each(|number| model.group(number, 0));
    // The amplification shader's groups come from arguments, too: the second command has two.
    list.set_pipeline(&behind);
    list.graphics_constants(0, &constants(48, 0, 2, 70));
    list.execute_indirect(&signature, 1, (&arguments, 12), None);
    model.chosen(48, 2, 2, 70);

    call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
    (40..44).for_each(|number| model.group(number, 0));

    let mut digest = Digest::new();
    model.check(stage, &mut list, &target, &mut digest)?;
    Ok(digest)
}

/// Commands that a compute shader writes, and their number behind them.
fn commands(stage: &Stage, list: &mut List) -> Result<(Buffer, (RootSignature, Pipeline)), Failure> {
    let root = RootSignature::compute(&stage.device, &[Parameter::Uav(0)])?;
    let pipeline = Pipeline::compute(stage, &root, &COMMANDS)?;
    let buffer = Buffer::writable(&stage.device, 256)?;
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_uav(0, buffer.address);
    list.dispatch(1, 1, 1);
    list.transition(&buffer.com, State::UNORDERED_ACCESS, State::INDIRECT_ARGUMENT);
    Ok((buffer, (root, pipeline)))
}
