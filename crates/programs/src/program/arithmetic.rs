//! `doubles`: floats of 64 bits, whose results are exact. `wide-integers`: integers of 64 bits. Both compare with the processor's.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texel::{bytes, texels};
use reprise_d3d12::types::{
    D3D_SHADER_MODEL, D3D12_FEATURE as Feature, D3D12_FEATURE_DATA_D3D12_OPTIONS as Options,
    D3D12_FEATURE_DATA_D3D12_OPTIONS1 as Options1, D3D12_RESOURCE_STATES,
};

pub(super) const DOUBLES: Program =
    Program { name: "doubles", about: "floats of 64 bits: arithmetic, comparisons, conversions", run: doubles };
pub(super) const WIDE: Program =
    Program { name: "wide-integers", about: "integers of 64 bits: arithmetic, shifts, conversions", run: wide };

/// Threads of a group, as the shaders say.
const GROUP: u32 = 64;
const COUNT: u32 = 4 * GROUP;

fn doubles(stage: &Stage) -> Result<Digest, Failure> {
    let has = |is: &Options| is.DoublePrecisionFloatShaderOps != 0;
    stage.needs(Feature::D3D12_OPTIONS, "floats of 64 bits (DoublePrecisionFloatShaderOps)", has)?;
    let mut random = Random(64);
    let (mut inputs, mut expected) = (Vec::new(), Vec::new());
    for number in 0..COUNT {
        // Of 24 digits, so that products are exact and quotients come back; the third has all 53.
        let a = f64::from(random.next() as i32 >> 8) / 256.0;
        let b = f64::from((random.next() >> 8) + 1) / 8.0;
        let c = ((word(&mut random) as i64) >> 10) as f64 / f64::from(1u32 << random.below(31));
        // Denormals now and then, which are kept.
        let denormal = || f64::from_bits(c.to_bits() >> 20 & 0xff_ffff);
        let (a, b, c) = if number % 16 == 5 { (denormal(), 4.0, denormal() * 3.0) } else { (a, b, c) };
        inputs.extend([a, b, c, a * b].map(f64::to_bits));
        expected.extend(exact(a, b, c));
    }
    run(stage, &shader!("doubles.main"), &inputs, &expected)
}

/// What a thread writes.
fn exact(a: f64, b: f64, c: f64) -> [u64; 12] {
    let d = a * b;
    let told = [a < c, a <= d, true, c != d, c >= b];
    let told = told.iter().enumerate().fold(0, |bits, (at, told)| bits | u64::from(*told) << at);
    let lower = c.to_bits() as u32;
    let small = f32::from_bits((lower & 0xbfff_ffff) | 0x2000_0000);
    [
        (a + c).to_bits(),
        (a * c).to_bits(),
        a.to_bits(),
        (d + c).to_bits(),
        a.min(c).to_bits(),
        a.max(c).to_bits(),
        told | u64::from(a as i32 as u32) << 32,
        u64::from(b as u32) | u64::from((a as f32).to_bits()) << 32,
        f64::from(lower as i32).to_bits(),
        f64::from(lower).to_bits(),
        f64::from(small).to_bits(),
        (-c.abs()).to_bits(),
    ]
}

fn wide(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_0)?;
    let has = |is: &Options1| is.Int64ShaderOps != 0;
    stage.needs(Feature::D3D12_OPTIONS1, "integers of 64 bits (Int64ShaderOps)", has)?;
    let mut random = Random(65);
    let (mut inputs, mut expected) = (Vec::new(), Vec::new());
    for number in 0..COUNT {
        let a = word(&mut random);
        // Divisors of all sizes; never -1, by which one number has no quotient.
        let b = (word(&mut random) >> (number % 60)).max(2) & !1;
        inputs.extend([a, b]);
        expected.extend(whole(a, b));
    }
    run(stage, &shader!("wide.main" dxil), &inputs, &expected)
}

/// What a thread writes.
fn whole(a: u64, b: u64) -> [u64; 20] {
    let (c, d) = (a as i64, b as i64);
    let told = [a < b, c < d, true, c >= d];
    let float = |value: i64| value as f32 as i64 as u64;
    [
        a.wrapping_add(b),
        a.wrapping_sub(b),
        a.wrapping_mul(b),
        a / b,
        a % b,
        (c / d) as u64,
        (c % d) as u64,
        a & b,
        a | b,
        a ^ b,
        a << (b & 63),
        a >> (b & 63),
        (c >> (b & 63)) as u64,
        a.min(b),
        c.max(d) as u64,
        told.iter().enumerate().fold(0, |bits, (at, told)| bits | u64::from(*told) << at),
        a as i32 as u64,
        a >> 32,
        !a,
        float((a >> 40) as i64).wrapping_add(float(c >> 41)),
    ]
}

fn word(random: &mut Random) -> u64 {
    u64::from(random.next()) << 32 | u64::from(random.next())
}

/// Runs a shader on all inputs, and compares.
fn run(stage: &Stage, shader: &Shader, inputs: &[u64], expected: &[u64]) -> Result<Digest, Failure> {
    let device = &stage.device;
    let content = bytes(inputs);
    let mut input = Buffer::upload(device, content.len() as u64)?;
    input.write(0, &content);
    let output = Buffer::writable(device, expected.len() as u64 * 8)?;
    let root = RootSignature::compute(device, &[Parameter::Srv(0), Parameter::Uav(0)])?;
    let pipeline = Pipeline::compute(stage, &root, shader)?;
    let mut list = List::direct(device)?;
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_srv(0, input.address);
    list.compute_uav(1, output.address);
    list.dispatch(COUNT / GROUP, 1, 1);
    let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
    let got = buffer::fetch(device, &stage.queue, &mut list, &output, state)?.read()?;
    Failure::unless_equal("results", &texels::<u64>(&got), expected)?;
    Ok(Digest::of(&got))
}
