//! `barycentrics`: where pixels lie in their triangles, and the values of each corner by itself (shader model 6.1).

use super::Program;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use crate::shader::shader;
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY, D3D_SHADER_MODEL, D3D12_FEATURE as Feature, D3D12_FEATURE_DATA_D3D12_OPTIONS3 as Options3,
    DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "barycentrics", about: "weights of corners in pixels, and each corner's values", run };

const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// Of the target, as the shader's weights say: 128 are one.
const SIZE: u32 = 64;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_1)?;
    let has = |is: &Options3| is.BarycentricsSupported != 0;
    stage.needs(Feature::D3D12_OPTIONS3, "barycentric coordinates (BarycentricsSupported)", has)?;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[], &[])?;
    let (vertex, pixel) = (shader!("barycentrics.vertex" dxil), shader!("barycentrics.pixel" dxil));
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &vertex, &pixel, &[FORMAT]))?;
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    list.set_pipeline(&pipeline);
    list.draw(6, 1, 0, 0);
    let mut picture = Picture::new(SIZE, SIZE, [0; 4]);
    picture.draw(Area::at(0, 0, SIZE, SIZE), |x, y, pixel| *pixel = expected(x, SIZE - 1 - y));
    let mut digest = Digest::new();
    target.check(stage, &mut list, "weights and corners", &picture, &mut digest)?;
    Ok(digest)
}

/// What a pixel says, counted from below. On the diagonal it is the second triangle's, whose left edge that is.
fn expected(x: u32, y: u32) -> [u32; 4] {
    let (x, y) = (2 * x + 1, 2 * y + 1);
    let second = x + y >= 2 * SIZE;
    let (weights, first) = match second {
        true => ([x + y - 2 * SIZE, 2 * SIZE - x, 2 * SIZE - y], 3),
        false => ([2 * SIZE - x - y, x, y], 0),
    };
    let number = |corner: u32| [first + corner, (first + corner) * (first + corner) + 7, 0xabcd_0000 + first + corner];
    let (one, two, three) = (number(0), number(1), number(2));
    let value = two[0] as f32 * 0.5 - (-1.0 - two[0] as f32);
    [
        weights[0] | weights[1] << 8 | weights[2] << 16,
        one[0] | two[1] << 8 | three[1] << 20,
        three[2] ^ one[2],
        value.to_bits(),
    ]
}
