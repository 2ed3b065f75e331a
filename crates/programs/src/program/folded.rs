//! `folded`: what whoever translates a shader may calculate beforehand: remainders and extremes of constants and of negatives, in shaders
//! that a compiler did not optimise, local arrays whose elements come from a constant buffer, and indices that are not sums.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use reprise_d3d12::types::D3D12_RESOURCE_STATES;

pub(super) const PROGRAM: Program = Program {
    name: "folded",
    about: "remainders, extremes, local arrays and indices that translators calculate beforehand",
    run,
};

/// Elements of the arrays.
const FOUR: u32 = 4;
/// Words that a shader may write.
const ROOM: usize = 32;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut digest = Digest::new();
    for (name, shader, expected) in [
        ("remainders", shader!("folded.divided"), divided()),
        ("extremes", shader!("folded.extremes"), extremes()),
        ("arrays", shader!("folded.arrays"), arrays()),
        ("indices", shader!("folded_indices.main"), indices()),
        ("casts", shader!("folded_casts.main"), casts()),
    ] {
        let got = results(stage, &shader)?;
        let mut words = expected;
        words.resize(ROOM, 0);
        Failure::unless_equal(name, &got, &words)?;
        digest.add(&bytes_of(&got));
    }
    Ok(digest)
}

/// The constants 1 to 12.
fn constant(number: u32) -> f32 {
    number as f32 + 1.0
}

fn divided() -> Vec<u32> {
    let large = 0xffff_fff0_u32;
    vec![7 % 4, 7 / 4, 11 % 7, large % 11, large / 11, FOUR % 3, 7 % FOUR, (-7_i32 % 4) as u32, (-7_i32 / 4) as u32]
}

fn extremes() -> Vec<u32> {
    let (a, d) = (constant(0), FOUR as i32);
    let floats = [-a, -a, -a, a, -a, -a].map(f32::to_bits);
    let integers = [-d, -d, -d, d].map(|value| value as u32);
    [&floats[..], &integers].concat()
}

fn arrays() -> Vec<u32> {
    // x, y, z and w of p are 0 to 3, those of q 4 to 7, those of r 8 to 11.
    let taken: [&[u32]; 6] = [&[0, 1, 2, 3], &[0, 1, 2, 4], &[0, 2, 3, 4], &[0, 3, 6, 10], &[7, 6, 5, 4], &[0, 4, 11]];
    taken.concat().into_iter().map(|number| constant(number) as u32).collect()
}

fn indices() -> Vec<u32> {
    let elements: Vec<u32> = (0..2 * FOUR).map(|number| 100 + number).collect();
    let at = |index: u32| elements[index as usize - 24];
    let of = |index: fn(u32) -> u32| (0..FOUR).map(move |i| at(index(i))).collect::<Vec<u32>>();
    let gap = vec![0; 12];
    [of(|i| 31 - i), of(|i| (i + 24) ^ 2), of(|i| (i + 24) | 2), gap, elements.clone()].concat()
}

fn casts() -> Vec<u32> {
    let given: Vec<u32> = (0..FOUR).map(|number| 0x4200_0000 + number).collect();
    let taken: Vec<u32> = (0..FOUR).map(|number| constant(number).to_bits()).collect();
    let replaced = vec![taken[0], given[0], taken[2], given[2]];
    [taken, replaced, vec![0; 16], given].concat()
}

fn results(stage: &Stage, shader: &Shader) -> Result<Vec<u32>, Failure> {
    let device = &stage.device;
    let mut words: Vec<u32> = (0..12).map(|number| constant(number).to_bits()).collect();
    words.push(FOUR);
    words.resize(64, 0);
    let (constants, zeros) = (Buffer::uploaded(device, &words)?, Buffer::uploaded(device, &[0; ROOM])?);
    let output = Buffer::writable(device, ROOM as u64 * 4)?;
    let root = RootSignature::compute(device, &[Parameter::Cbv(0), Parameter::Uav(0)])?;
    let pipeline = Pipeline::compute(stage, &root, shader)?;
    let mut list = List::direct(device)?;
    buffer::fill(&stage.queue, &mut list, &output, &zeros)?;
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_cbv(0, constants.address);
    list.compute_uav(1, output.address);
    list.dispatch(1, 1, 1);
    buffer::fetch(device, &stage.queue, &mut list, &output, D3D12_RESOURCE_STATES::UNORDERED_ACCESS)?.read_u32()
}
