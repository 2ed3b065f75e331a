//! `draw-starts`: shaders are told with which vertex and instance a draw begins: by lists, by a bundle, by arguments in a buffer, with
//! and without indices (shader model 6.8).

use super::Program;
use crate::buffer::Buffer;
use crate::com::call;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::Picture;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::shader;
use crate::signature::{CommandSignature, argument};
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY as Topology, D3D_SHADER_MODEL, D3D12_COMMAND_LIST_TYPE, D3D12_FEATURE as Feature,
    D3D12_FEATURE_DATA_D3D12_OPTIONS21 as Options21, D3D12_INDEX_BUFFER_VIEW, D3D12_INDIRECT_ARGUMENT_TYPE as Argument,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "draw-starts", about: "shaders are told with which vertex and instance a draw begins", run };

const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// Of the target: a row for each draw, as the shader says.
const SIZE: u32 = 32;
const INDICES: [u32; 8] = [5, 1, 7, 0, 2, 6, 3, 4];
/// What `DrawInstanced` takes: vertices, instances, and which are the first.
const PLAIN: [u32; 4] = [5, 2, 3, 4];
const INDIRECT: [u32; 4] = [8, 3, 1000, 77];
/// What `DrawIndexedInstanced` takes: indices, instances, the first index, what is added to indices, the first instance. The shader
/// reads no vertex buffers, so any number may be added.
const INDEXED: [u32; 5] = [6, 2, 2, -7i32 as u32, 9];
const INDEXED_INDIRECT: [u32; 5] = [4, 4, 1, 123, 1];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_8)?;
    let has = |is: &Options21| is.ExtendedCommandInfoSupported != 0;
    stage.needs(Feature::D3D12_OPTIONS21, "first vertices and instances (ExtendedCommandInfoSupported)", has)?;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Parameter::Constants { register: 0, count: 1 }], &[])?;
    let (vertex, pixel) = (shader!("starts.vertex" dxil), shader!("starts.pixel" dxil));
    let desc = Description {
        PrimitiveTopologyType: D3D12_PRIMITIVE_TOPOLOGY_TYPE::POINT,
        ..plain(stage, &root, &vertex, &pixel, &[FORMAT])
    };
    let pipeline = Pipeline::graphics(stage, &desc)?;
    let indices = Buffer::uploaded(device, &INDICES)?;
    let view = D3D12_INDEX_BUFFER_VIEW {
        BufferLocation: indices.address,
        SizeInBytes: indices.size as u32,
        Format: DXGI_FORMAT::FORMAT_R32_UINT,
    };
    let arguments = Buffer::uploaded(device, &[&INDIRECT[..], &INDEXED_INDIRECT].concat())?;
    let signature = CommandSignature::new(device, None, &[argument(Argument::DRAW)], 16)?;
    let signature_indexed = CommandSignature::new(device, None, &[argument(Argument::DRAW_INDEXED)], 20)?;

    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let mut bundle = List::new(device, D3D12_COMMAND_LIST_TYPE::BUNDLE)?;
    bundle.set_graphics_root(&root);
    bundle.set_pipeline(&pipeline);
    bundle.topology(Topology::D3D_PRIMITIVE_TOPOLOGY_POINTLIST);
    bundle.graphics_constants(0, &[7]);
    bundle.draw(3, 1, 11, 12);
    bundle.close()?;

    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.topology(Topology::D3D_PRIMITIVE_TOPOLOGY_POINTLIST);
    list.clear_target(&target, [0.0; 4], &[]);
    list.set_pipeline(&pipeline);
    list.index_buffer(&view);
    let mut model = Model(Picture::new(SIZE, SIZE, [0; 4]));
    let row = |list: &mut List, row: u32| list.graphics_constants(0, &[row]);
    row(&mut list, 0);
    let [vertices, instances, first, first_instance] = PLAIN;
    list.draw(vertices, instances, first, first_instance);
    model.plain(0, PLAIN);
    row(&mut list, 1);
    let [count, instances, first, added, first_instance] = INDEXED;
    list.draw_indexed(count, instances, first, added as i32, first_instance);
    model.indexed(1, INDEXED);
    row(&mut list, 2);
    list.execute_indirect(&signature, 1, (&arguments, 0), None);
    model.plain(2, INDIRECT);
    row(&mut list, 3);
    list.execute_indirect(&signature_indexed, 1, (&arguments, 16), None);
    model.indexed(3, INDEXED_INDIRECT);
    // Nothing of the draws before is left.
    row(&mut list, 4);
    list.draw(2, 1, 0, 0);
    model.plain(4, [2, 1, 0, 0]);
    row(&mut list, 5);
    list.draw_indexed(2, 1, 0, 0, 0);
    model.indexed(5, [2, 1, 0, 0, 0]);
    call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
    model.plain(7, [3, 1, 11, 12]);
    let mut digest = Digest::new();
    target.check(stage, &mut list, "starts", &model.0, &mut digest)?;
    Ok(digest)
}

/// The target as it should be: numbers of vertices and instances count from nothing, whatever the first is.
struct Model(Picture<[u32; 4]>);

impl Model {
    fn plain(&mut self, row: u32, [vertices, instances, first, first_instance]: [u32; 4]) {
        (0..instances).for_each(|instance| {
            (0..vertices).for_each(|index| self.point(row, [index, instance, first, first_instance]));
        });
    }

    fn indexed(&mut self, row: u32, [count, instances, first, added, first_instance]: [u32; 5]) {
        let indices = &INDICES[first as usize..][..count as usize];
        (0..instances).for_each(|instance| {
            indices.iter().for_each(|index| self.point(row, [*index, instance, added, first_instance]));
        });
    }

    fn point(&mut self, row: u32, told: [u32; 4]) {
        let column = (told[0] & 7) + told[1] * 8;
        self.0.texels[(row * SIZE + column) as usize] = told;
    }
}
