//! `many-draws`: 10,000 draws in one list, each of a pixel with a number of its own, with a dispatch among every hundred of them.
//!
//! With a clear before them and a copy behind them the list has 10,102 operations; a second list copies what the dispatches wrote.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use crate::texel::bytes;
use reprise_d3d12::types::{D3D12_RESOURCE_STATES as State, DXGI_FORMAT};

pub(super) const PROGRAM: Program =
    Program { name: "many-draws", about: "10,000 draws of a pixel each in one list", run };

const SIZE: u32 = 128;
const DRAWS: u32 = 10_000;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let (vertex, pixel): (Shader, Shader) = (shader!("rectangle.vertex"), shader!("rectangle.number"));
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &vertex, &pixel, &[FORMAT]))?;
    let parameters = [Parameter::Constants { register: 0, count: 6 }, Parameter::Uav(0)];
    let compute_root = RootSignature::compute(device, &parameters)?;
    let compute = Pipeline::compute(stage, &compute_root, &shader!("indirect.draws"))?;
    let written = Buffer::writable(device, 512)?;
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;

    let mut list = List::direct(device)?;
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    list.set_graphics_root(&root);
    list.set_pipeline(&pipeline);
    list.set_compute_root(&compute_root);
    list.compute_constants(0, &[0; 6]);
    list.compute_uav(1, written.address);
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    for index in 0..DRAWS {
        if index % 100 == 50 {
            list.uav_barrier(&written.com);
            list.set_pipeline(&compute);
            list.dispatch(1, 1, 1);
            list.set_pipeline(&pipeline);
        }
        let area = Area::at(index % SIZE, index / SIZE, 1, 1);
        list.rectangle(&Rectangle::new(area, SIZE, [index, !index, index * 3, 1]));
        expected.fill(area, [index, !index, index * 3, 1]);
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "draws", &expected, &mut digest)?;
    let got = buffer::fetch(device, &stage.queue, &mut list, &written, State::UNORDERED_ACCESS)?.read_u32()?;
    digest.add(&bytes(&got));
    Ok(digest)
}
