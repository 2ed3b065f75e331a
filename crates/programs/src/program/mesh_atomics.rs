//! `mesh-atomics`: mesh shaders add to one word, in groups of one draw and of two commands that a buffer holds. Of DXIL only.

use super::{Program, mesh};
use crate::buffer::{self, Buffer};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::signature::{CommandSignature, argument};
use crate::stage::Stage;
use reprise_d3d12::types::{D3D12_INDIRECT_ARGUMENT_TYPE as Argument, D3D12_RESOURCE_STATES as State};

pub(super) const PROGRAM: Program =
    Program { name: "mesh-atomics", about: "atomic additions of mesh shaders, of one command and of two", run };

const ADD: Shader = shader!("mesh_atomics.add" dxil);
const PIXEL: Shader = shader!("mesh_atomics.nothing" dxil);
/// Threads of a group, as the shader says.
const THREADS: u32 = 4;
/// Groups of the draw, and of each command.
const GROUPS: u32 = 2;
const COMMANDS: [u32; 2] = [3, 1];

/// What the groups of a draw add: each thread its number, from 1 on.
fn sum(groups: u32) -> u32 {
    (1..=THREADS * groups).sum()
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    mesh::supported(stage)?;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Parameter::Uav(0)], &[])?;
    let desc = plain(stage, &root, &shader!("rectangle.vertex"), &PIXEL, &[]);
    let pipeline = Pipeline::of_meshes(stage, &desc, None, &ADD)?;
    let signature = CommandSignature::new(device, None, &[argument(Argument::DISPATCH_MESH)], 12)?;
    let arguments = Buffer::uploaded(device, &COMMANDS.map(|groups| [groups, 1, 1]).concat())?;
    let sums = [(); 2].map(|()| Buffer::writable(device, 4));
    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.target_views(&[], None);
    list.square(64);
    list.set_pipeline(&pipeline);
    let [of_one, of_two] = sums;
    let (of_one, of_two) = (of_one?, of_two?);
    list.graphics_uav(0, of_one.address);
    list.dispatch_mesh(GROUPS, 1, 1)?;
    list.graphics_uav(0, of_two.address);
    list.execute_indirect(&signature, COMMANDS.len() as u32, (&arguments, 0), None);
    let mut digest = Digest::new();
    for (output, expected) in [(&of_one, sum(GROUPS)), (&of_two, COMMANDS.map(sum).iter().sum())] {
        let got = buffer::fetch(device, &stage.queue, &mut list, output, State::UNORDERED_ACCESS)?.read_u32()?[0];
        Failure::unless(got == expected, || format!("the sum is {got} instead of {expected}"))?;
        digest.add(&got.to_le_bytes());
    }
    Ok(digest)
}
