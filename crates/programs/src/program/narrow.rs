//! `halves`: floats and integers of 16 bits, in structures, words, constants and memory of groups (shader model 6.2).
//! `min-precision`: numbers of minimum precision in compute shaders and between stages, with results that 16 bits hold.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::descriptor::{Elements, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::shader;
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::{
    D3D_SHADER_MODEL, D3D12_FEATURE as Feature, D3D12_FEATURE_DATA_D3D12_OPTIONS4 as Options4,
    D3D12_RESOURCE_STATES as State, DXGI_FORMAT,
};

pub(super) const HALVES: Program =
    Program { name: "halves", about: "floats and integers of 16 bits, in memory of every kind", run: halves };
pub(super) const NARROW: Program = Program {
    name: "min-precision",
    about: "numbers of minimum precision, in shaders and between stages",
    run: narrow,
};

/// Threads of a group, as the shaders say.
const GROUP: u32 = 64;
const THREADS: u32 = 4 * GROUP;

/// The bits of the float of 16 bits that is nearest; even where two are.
fn half(value: f32) -> u16 {
    let (sign, size) = ((value.to_bits() >> 16) as u16 & 0x8000, value.abs());
    // The distance of floats of 16 bits there; below 2^-14 it is that of denormals.
    let exponent = ((size.to_bits() >> 23) as i32 - 127).max(-14);
    let steps = (size * 2f32.powi(10 - exponent)).round_ties_even() as u16;
    sign | (((exponent + 14) as u16) << 10).wrapping_add(steps)
}

/// The float of some bits of 16, which are no infinity.
fn float(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let size = if exponent == 0 { fraction } else { fraction + 1024.0 } * 2f32.powi(exponent.max(1) - 25);
    if bits & 0x8000 == 0 { size } else { -size }
}

fn halves(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_2)?;
    let has = |is: &Options4| is.Native16BitShaderOpsSupported != 0;
    stage.needs(Feature::D3D12_OPTIONS4, "types of 16 bits (Native16BitShaderOpsSupported)", has)?;
    let device = &stage.device;
    let mut random = Random(16);
    let inputs: Vec<[u16; 8]> = (0..THREADS)
        .map(|thread| {
            // Eighths, so that sums are exact, and no zeros, which have two signs; every eighth thread has denormals, which are kept.
            let mut eighths = || half(((random.next() as i32 % 512) | 1) as f32 / 8.0);
            let (a, b, three) = (eighths(), eighths(), [eighths(), eighths(), eighths()]);
            let denormal = thread % 8 == 3;
            let (a, b) = if denormal { ((a & 0x80fe) | 2, (b & 0x80fe) | 2) } else { (a, b) };
            let d = (random.below(1000) as i16 + 2) * if random.next() & 1 == 0 { 1 } else { -1 };
            [a, b, random.next() as u16, d as u16, three[0], three[1], three[2], random.next() as u16]
        })
        .collect();
    // No infinities and no signals, which loads need not keep.
    let words: Vec<u16> = (0..2 * THREADS).map(|_| random.next() as u16 & 0xbfff).collect();
    let constants = Constants { scale: 2.0, mask: 0x3c5a, offsets: [-300, 77], added: [1.5, -2.0, 0.125, 9.0] };

    let input = uploaded(stage, &inputs.concat())?;
    let word_buffer = uploaded(stage, &words)?;
    let mut constant_words = vec![half(constants.scale), constants.mask];
    constant_words.extend(constants.offsets.map(|offset| offset as u16));
    constant_words.extend(constants.added.map(half));
    constant_words.resize(128, 0);
    let constant_buffer = uploaded(stage, &constant_words)?;
    let output = Buffer::writable(device, u64::from(THREADS) * 40)?;
    let stored = Buffer::writable(device, u64::from(THREADS) * 6)?;
    let root = RootSignature::compute(
        device,
        &[Parameter::Srv(0), Parameter::Srv(1), Parameter::Uav(0), Parameter::Uav(1), Parameter::Cbv(0)],
    )?;
    let pipeline = Pipeline::compute(stage, &root, &shader!("halves.main" dxil))?;
    let mut list = List::direct(device)?;
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_srv(0, input.address);
    list.compute_srv(1, word_buffer.address);
    list.compute_uav(2, output.address);
    list.compute_uav(3, stored.address);
    list.compute_cbv(4, constant_buffer.address);
    list.dispatch(THREADS / GROUP, 1, 1);

    let expected: Vec<u32> = (0..THREADS as usize).flat_map(|thread| constants.thread(thread, &inputs)).collect();
    let got = buffer::fetch(device, &stage.queue, &mut list, &output, State::UNORDERED_ACCESS)?.read_u32()?;
    Failure::unless_equal("structures", &got, &expected)?;
    let mut digest = Digest::of(&buffer::bytes_of(&got));
    let expected: Vec<u8> =
        words.chunks(2).flat_map(|pair| [pair[1], pair[0], pair[1]]).flat_map(u16::to_le_bytes).collect();
    let got = buffer::fetch(device, &stage.queue, &mut list, &stored, State::UNORDERED_ACCESS)?.read()?;
    Failure::unless_equal("bytes", &got, &expected)?;
    digest.add(&got);
    Ok(digest)
}

/// What the shader of halves has in its constant buffer.
struct Constants {
    scale: f32,
    mask: u16,
    offsets: [i16; 2],
    added: [f32; 4],
}

impl Constants {
    /// What a thread writes: ten words.
    fn thread(&self, thread: usize, inputs: &[[u16; 8]]) -> [u32; 10] {
        let [a_bits, b_bits, c, d, x, y, z, e] = inputs[thread];
        let (a, b, signed) = (float(a_bits), float(b_bits), d as i16);
        let factor = [0.5, 1.0, 2.0, -4.0][thread % 4];
        let floats = [half(a + b), half(a * self.scale), half(-a * factor), inputs[thread ^ 1][0]];
        let numbers = [c.wrapping_mul(e), c.wrapping_add(self.mask), c << (e & 15), (c & self.mask) >> 2];
        let told = u16::from(a < b) | u16::from(signed < self.offsets[1]) << 1 | u16::from(d > c) << 2;
        let signs = [signed.wrapping_sub(self.offsets[0]), (c as i16).wrapping_div(signed), signed >> 3];
        let three = [x, y, z].map(float);
        let larger = |at: usize| half(three[at].max(self.added[at]));
        let vectors = [larger(0), larger(1), larger(2), half(a + 4.0)];
        let wide = u32::from(c).wrapping_mul(u32::from(e)).wrapping_add(i32::from(signed) as u32);
        let pair = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
        [
            pair(floats[0], floats[1]),
            pair(floats[2], floats[3]),
            pair(numbers[0], numbers[1]),
            pair(numbers[2], numbers[3]),
            pair(signs[0] as u16, signs[1] as u16),
            pair(signs[2] as u16, told),
            pair(vectors[0], vectors[1]),
            pair(vectors[2], vectors[3]),
            wide,
            (a + self.added[3]).to_bits(),
        ]
    }
}

fn uploaded(stage: &Stage, values: &[u16]) -> Result<Buffer, Failure> {
    let mut buffer = Buffer::upload(&stage.device, values.len() as u64 * 2)?;
    buffer.write(0, &crate::texel::bytes(values));
    Ok(buffer)
}

/// Of the target, as the shader's places say.
const SIDE: u32 = 16;

fn narrow(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let mut random = Random(17);
    // In memory each number has 32 bits.
    let (mut inputs, mut expected) = (Vec::new(), Vec::new());
    let (scale, added, mask, three) = (2f32, -500i32, 0x3f0u32, [1f32, 2.0, 0.5]);
    let parts: Vec<(f32, [f32; 2], i32, u32)> = (0..THREADS)
        .map(|_| {
            let mut quarters = |most: i32, of: f32| (random.next() as i32 % most) as f32 / of;
            let (a, b) = (quarters(256, 8.0), [quarters(128, 4.0), quarters(128, 4.0)]);
            (a, b, random.next() as i32 % 10_000, random.below(2048))
        })
        .collect();
    for (thread, &(a, b, c, d)) in parts.iter().enumerate() {
        inputs.extend([a.to_bits(), b[0].to_bits(), b[1].to_bits(), c as u32, d]);
        let told = u32::from(a < b[1]) | u32::from(c < added) << 1 | u32::from(d > mask) << 2;
        let floats = [a + b[0], a * scale, parts[thread ^ 1].0, b[0] * three[0] + b[1] * three[1]];
        expected.extend(floats.map(f32::to_bits));
        expected.extend([(c + added) as u32, d & mask, (c * 3) as u32, d >> 1]);
        expected.extend([told, a.max(three[2]).to_bits(), a as i32 as u32, (d as f32).to_bits()]);
    }
    let mut constants = vec![scale.to_bits(), added as u32, mask, 0];
    constants.extend(three.map(f32::to_bits));
    constants.resize(64, 0);
    let [input, constants] = [Buffer::uploaded(device, &inputs)?, Buffer::uploaded(device, &constants)?];
    let output = Buffer::writable(device, u64::from(THREADS) * 48)?;
    let root = RootSignature::compute(device, &[Parameter::Srv(0), Parameter::Uav(0), Parameter::Cbv(0)])?;
    let pipeline = Pipeline::compute(stage, &root, &shader!("narrow.compute"))?;
    let mut list = List::direct(device)?;
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_srv(0, input.address);
    list.compute_uav(1, output.address);
    list.compute_cbv(2, constants.address);
    list.dispatch(THREADS / GROUP, 1, 1);
    let got = buffer::fetch(device, &stage.queue, &mut list, &output, State::UNORDERED_ACCESS)?.read_u32()?;
    Failure::unless_equal("results", &got, &expected)?;
    let mut digest = Digest::of(&buffer::bytes_of(&got));

    memory(stage, &mut list, &mut random, &mut digest)?;
    let format = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
    let target = Target::new(device, format, SIDE, SIDE)?;
    let root = RootSignature::graphics(device, &[], &[])?;
    let (vertex, pixel) = (shader!("narrow.vertex"), shader!("narrow.pixel"));
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &vertex, &pixel, &[format]))?;
    list.set_graphics_root(&root);
    list.targets(&[&target], None);
    list.square(SIDE);
    list.set_pipeline(&pipeline);
    list.draw(4, 1, 0, 0);
    let mut picture = Picture::new(SIDE, SIDE, [0u32; 4]);
    picture.draw(Area::at(0, 0, SIDE, SIDE), |x, y, pixel| *pixel = [x, SIDE - 1 - y, 295, 40_000]);
    target.check(stage, &mut list, "between stages", &picture, &mut digest)?;
    Ok(digest)
}

/// Numbers of minimum precision from memory and back to it.
fn memory(stage: &Stage, list: &mut List, random: &mut Random, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let (mut inputs, mut expected) = (Vec::new(), Vec::new());
    for _ in 0..THREADS {
        let [a, c, d] = [(); 3].map(|()| random.next() as i32 % 30_000);
        let (b, e) = (random.below(60_000), (random.below(500) + 1) as f32 / 4.0);
        inputs.extend([a as u32, b, c as u32, d as u32, e.to_bits()]);
        expected.extend([(a - 100) as u32, b + 1000, -d as u32, -c as u32, (-e).to_bits()]);
    }
    let input = Buffer::uploaded(device, &inputs)?;
    let output = Buffer::writable(device, input.size)?;
    let heap = Heap::visible(device, 2)?;
    heap.buffer_srv(0, &input, Elements::structured(0, THREADS, 20));
    heap.buffer_uav(1, &output, Elements::structured(0, THREADS, 20));
    let root = RootSignature::compute(device, &[Parameter::Table(&[Range::srv(0, 1), Range::uav(0, 1)])])?;
    let pipeline = Pipeline::compute(stage, &root, &shader!("narrow_stores.main"))?;
    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_table(0, heap.gpu(0));
    list.dispatch(THREADS / GROUP, 1, 1);
    let got = buffer::fetch(device, &stage.queue, list, &output, State::UNORDERED_ACCESS)?.read_u32()?;
    // DXIL does not say which integers of 16 bits are signed, so of those only these bits are certain.
    let certain = |words: &[u32]| -> Vec<u32> {
        (0..).zip(words).map(|(at, word)| if [0, 2, 3].contains(&(at % 5)) { word & 0xffff } else { *word }).collect()
    };
    let (got, expected) = (certain(&got), certain(&expected));
    Failure::unless_equal("memory", &got, &expected)?;
    digest.add(&buffer::bytes_of(&got));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{float, half};

    #[test]
    fn halves_are_what_they_say() {
        let known =
            [(0x3c00, 1.0), (0xc500, -5.0), (0x7bff, 65504.0), (1, 2f32.powi(-24)), (0x83fe, -1022.0 * 2f32.powi(-24))];
        for (bits, value) in known {
            assert_eq!((half(value), float(bits)), (bits, value));
        }
        assert_eq!((half(0.0), half(-0.0)), (0, 0x8000));
        assert!((0..0x7c00).all(|bits| half(float(bits)) == bits));
        assert_eq!(half(4.0 + 2f32.powi(-23)), 0x4400, "the nearest");
    }
}
