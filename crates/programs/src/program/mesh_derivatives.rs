//! `mesh-derivatives`: differences between lanes of quads in mesh shaders, alone and behind an amplification shader that asks for
//! them too (shader model 6.6).

use super::{Program, mesh};
use crate::buffer::{self, Buffer};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texel::{bytes, texels};
use reprise_d3d12::types::{
    D3D_SHADER_MODEL, D3D12_FEATURE as Feature, D3D12_FEATURE_DATA_D3D12_OPTIONS9 as Options9,
    D3D12_RESOURCE_STATES as State,
};

pub(super) const PROGRAM: Program =
    Program { name: "mesh-derivatives", about: "differences between lanes in mesh and amplification shaders", run };

const BEFORE: Shader = shader!("mesh_derivatives.before" dxil);
const BEHIND: Shader = shader!("mesh_derivatives.behind" dxil);
const ALONE: Shader = shader!("mesh_derivatives.alone" dxil);
const PIXEL: Shader = shader!("mesh_derivatives.nothing" dxil);
/// Lanes of a group, as the shaders say.
const LANES: u32 = 32;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    mesh::supported(stage)?;
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_6)?;
    let what = "differences in mesh shaders (DerivativesInMeshAndAmplificationShadersSupported)";
    let has = |is: &Options9| is.DerivativesInMeshAndAmplificationShadersSupported != 0;
    stage.needs(Feature::D3D12_OPTIONS9, what, has)?;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Parameter::Uav(0)], &[])?;
    let mut digest = Digest::new();
    for (amplification, shader, first) in [(None, &ALONE, LANES), (Some(&BEFORE), &BEHIND, 0)] {
        let desc = plain(stage, &root, &shader!("rectangle.vertex"), &PIXEL, &[]);
        let pipeline = Pipeline::of_meshes(stage, &desc, amplification, shader)?;
        let output = Buffer::writable(device, u64::from(2 * LANES) * 16)?;
        let mut list = List::direct(device)?;
        list.set_graphics_root(&root);
        list.target_views(&[], None);
        list.square(64);
        list.set_pipeline(&pipeline);
        list.graphics_uav(0, output.address);
        list.dispatch_mesh(1, 1, 1)?;
        let got = buffer::fetch(device, &stage.queue, &mut list, &output, State::UNORDERED_ACCESS)?.read()?;
        for (lane, got) in (first..).zip(&texels::<[f32; 4]>(&got)[first as usize..]) {
            let (fine, coarse) = expected(lane % LANES);
            let right = got[..2] == fine && coarse.iter().all(|(part, either)| either.contains(&got[*part]));
            Failure::unless(right, || format!("lane {lane}: {got:?} instead of {fine:?}, {coarse:?}"))?;
            digest.add(&bytes(&fine));
        }
    }
    Ok(digest)
}

/// The fine differences of a lane, across and down, and of the coarse ones (by their place in the result) those that there may be: of
/// either row or column. Quads are four lanes that follow each other, two above two.
fn expected(lane: u32) -> ([f32; 2], [(usize, [f32; 2]); 2]) {
    let quad = lane / 4 * 4;
    let value = |lane: u32| (lane * lane) as f32;
    let across = [0, 2].map(|first| value(quad + first + 1) - value(quad + first));
    let down = [0, 1].map(|first| value(quad + first + 2) - value(quad + first));
    ([across[(lane % 4 / 2) as usize], down[(lane % 2) as usize]], [(2, across), (3, down)])
}
