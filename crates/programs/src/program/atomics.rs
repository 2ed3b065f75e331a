//! Atomic operations on integers of 64 bits (shader model 6.6): `wide-atomics` in structures and words of buffers, `group-atomics`
//! in memory of groups, `heap-atomics` in buffers that the shader takes from the heap itself, `typed-atomics` in texels of buffers
//! and textures. The results do not depend on the order of the threads.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::descriptor::{Elements, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texel::{bytes, texels};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{
    D3D_SHADER_MODEL, D3D12_FEATURE as Feature, D3D12_FEATURE_DATA_D3D12_OPTIONS1 as Options1,
    D3D12_FEATURE_DATA_D3D12_OPTIONS9 as Options9, D3D12_FEATURE_DATA_D3D12_OPTIONS11 as Options11,
    D3D12_RESOURCE_DESC, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES as State, D3D12_ROOT_SIGNATURE_FLAGS as Flags,
    D3D12_UAV_DIMENSION, D3D12_UNORDERED_ACCESS_VIEW_DESC, DXGI_FORMAT,
};

pub(super) const BUFFERS: Program =
    Program { name: "wide-atomics", about: "64-bit atomics in structures and words of buffers", run: buffers };
pub(super) const GROUPS: Program =
    Program { name: "group-atomics", about: "64-bit atomics in memory of groups", run: groups };
pub(super) const HEAP: Program =
    Program { name: "heap-atomics", about: "64-bit atomics in buffers from the heap", run: heap };
pub(super) const TYPED: Program =
    Program { name: "typed-atomics", about: "64-bit atomics in texels of buffers and textures", run: typed };

/// Threads of a group, as the shaders say.
const GROUP: u32 = 64;
const GROUPS_RUN: u32 = 8;
const THREADS: u32 = GROUP * GROUPS_RUN;
/// Values that the operations of unsigned and of signed numbers change.
const UNSIGNED: usize = 9;
const SIGNED: usize = 2;
/// What they are before.
const BEFORE: [u64; UNSIGNED + SIGNED] = [0, u64::MAX, 0, u64::MAX, 0, 0, 0, 0, 0, i64::MAX as u64, i64::MIN as u64];

/// What each thread exchanges a value for.
const EXCHANGED: u64 = 0x8123_4567_89ab_cdef;

/// What the values are after threads with these numbers. All but one find what another has exchanged.
fn after(numbers: &[u64]) -> [u64; UNSIGNED + SIGNED] {
    let fold = |first: u64, change: fn(u64, u64) -> u64| numbers.iter().copied().fold(first, change);
    let sum = fold(0, u64::wrapping_add);
    let signed = numbers.iter().map(|number| *number as i64);
    [
        sum,
        fold(u64::MAX, u64::min),
        fold(0, u64::max),
        fold(u64::MAX, |all, number| all & (number | 0xff00_0000_0000_0001)),
        fold(0, |any, number| any | (number & (number << 3))),
        fold(0, |odd, number| odd ^ number),
        EXCHANGED,
        EXCHANGED.wrapping_mul(numbers.len() as u64 - 1),
        sum,
        signed.clone().fold(i64::MAX, i64::min) as u64,
        signed.fold(i64::MIN, i64::max) as u64,
    ]
}

/// Compares values that threads have changed.
fn check(what: &str, numbers: &[u64], got: &[u64], digest: &mut Digest) -> Result<(), Failure> {
    Failure::unless(got.len() == UNSIGNED + SIGNED, || format!("{what}: {} values", got.len()))?;
    Failure::unless_equal(what, got, &after(numbers))?;
    digest.add(&bytes(got));
    Ok(())
}

fn supported(stage: &Stage) -> Result<(), Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_6)?;
    stage.needs(Feature::D3D12_OPTIONS1, "integers of 64 bits", |is: &Options1| is.Int64ShaderOps != 0)
}

fn numbers(seed: u64) -> Vec<u64> {
    let mut random = Random(seed);
    // Few bits are set in all or in none of so many; the shaders set some in all.
    (0..THREADS).map(|_| u64::from(random.next()) << 32 | u64::from(random.next())).collect()
}

fn uploaded(stage: &Stage, values: &[u64]) -> Result<Buffer, Failure> {
    let content = bytes(values);
    let mut buffer = Buffer::upload(&stage.device, content.len() as u64)?;
    buffer.write(0, &content);
    Ok(buffer)
}

/// A buffer that shaders write, with what it begins with.
fn begun(stage: &Stage, list: &mut List, values: &[u64]) -> Result<Buffer, Failure> {
    let from = uploaded(stage, values)?;
    let buffer = Buffer::writable(&stage.device, from.size)?;
    buffer::fill(&stage.queue, list, &buffer, &from)?;
    Ok(buffer)
}

fn read(stage: &Stage, list: &mut List, buffer: &Buffer) -> Result<Vec<u64>, Failure> {
    let got = buffer::fetch(&stage.device, &stage.queue, list, buffer, State::UNORDERED_ACCESS)?.read()?;
    Ok(texels(&got))
}

const IN_STRUCTURES: Shader = shader!("atomics.in_structures" dxil);
const IN_WORDS: Shader = shader!("atomics.in_words" dxil);

fn buffers(stage: &Stage) -> Result<Digest, Failure> {
    supported(stage)?;
    let device = &stage.device;
    let numbers = numbers(66);
    let input = uploaded(stage, &numbers)?;
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();

    // By addresses in the root, and by views of the heap that begin within their buffers.
    let roots = [Parameter::Srv(0), Parameter::Uav(0), Parameter::Uav(1), Parameter::Uav(2)];
    let tables = [Parameter::Srv(0), Parameter::Table(&[Range::uav(0, 3)])];
    for (way, parameters) in [("roots", &roots[..]), ("tables", &tables[..])] {
        let root = RootSignature::compute(device, parameters)?;
        let [structures, words] =
            [Pipeline::compute(stage, &root, &IN_STRUCTURES)?, Pipeline::compute(stage, &root, &IN_WORDS)?];
        let first = if way == "roots" { 0 } else { 3 };
        let values = |from: &[u64]| [vec![7; first], from.to_vec()].concat();
        let unsigned = begun(stage, &mut list, &values(&BEFORE[..UNSIGNED]))?;
        let signed = begun(stage, &mut list, &values(&BEFORE[UNSIGNED..]))?;
        // Raw views begin at 16 bytes.
        let raw_first = if way == "roots" { 0 } else { 2 };
        let raw = begun(stage, &mut list, &[vec![7; raw_first], BEFORE.to_vec()].concat())?;
        let heap = Heap::visible(device, 3)?;
        list.set_heap(&heap);
        list.set_compute_root(&root);
        list.compute_srv(0, input.address);
        if way == "roots" {
            list.compute_uav(1, unsigned.address);
            list.compute_uav(2, signed.address);
            list.compute_uav(3, raw.address);
        } else {
            heap.buffer_uav(0, &unsigned, Elements::structured(first as u64, UNSIGNED as u32, 8));
            heap.buffer_uav(1, &signed, Elements::structured(first as u64, SIGNED as u32, 8));
            heap.buffer_uav(2, &raw, Elements::raw(raw_first as u64 * 2, 2 * BEFORE.len() as u32));
            list.compute_table(1, heap.gpu(0));
        }
        list.set_pipeline(&structures);
        list.dispatch(GROUPS_RUN, 1, 1);
        list.set_pipeline(&words);
        list.dispatch(GROUPS_RUN, 1, 1);
        let got = read(stage, &mut list, &unsigned)?;
        let got = [&got[first..], &read(stage, &mut list, &signed)?[first..]].concat();
        check(&format!("structures, {way}"), &numbers, &got, &mut digest)?;
        check(&format!("words, {way}"), &numbers, &read(stage, &mut list, &raw)?[raw_first..], &mut digest)?;
    }
    Ok(digest)
}

fn groups(stage: &Stage) -> Result<Digest, Failure> {
    supported(stage)?;
    let what = "64-bit atomics in memory of groups (AtomicInt64OnGroupSharedSupported)";
    stage.needs(Feature::D3D12_OPTIONS9, what, |is: &Options9| is.AtomicInt64OnGroupSharedSupported != 0)?;
    let device = &stage.device;
    let numbers = numbers(67);
    let input = uploaded(stage, &numbers)?;
    let output = Buffer::writable(device, u64::from(GROUPS_RUN) * BEFORE.len() as u64 * 8)?;
    let root = RootSignature::compute(device, &[Parameter::Srv(0), Parameter::Uav(0)])?;
    let pipeline = Pipeline::compute(stage, &root, &shader!("atomics.in_groups" dxil))?;
    let mut list = List::direct(device)?;
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_srv(0, input.address);
    list.compute_uav(1, output.address);
    list.dispatch(GROUPS_RUN, 1, 1);
    let got = read(stage, &mut list, &output)?;
    let mut digest = Digest::new();
    for (group, (numbers, got)) in numbers.chunks(GROUP as usize).zip(got.chunks(BEFORE.len())).enumerate() {
        check(&format!("group {group}"), numbers, got, &mut digest)?;
    }
    Ok(digest)
}

fn heap(stage: &Stage) -> Result<Digest, Failure> {
    supported(stage)?;
    let what = "64-bit atomics in resources from the heap (AtomicInt64OnDescriptorHeapResourceSupported)";
    let has = |is: &Options11| is.AtomicInt64OnDescriptorHeapResourceSupported != 0;
    stage.needs(Feature::D3D12_OPTIONS11, what, has)?;
    let device = &stage.device;
    let numbers = numbers(68);
    let input = uploaded(stage, &numbers)?;
    let mut list = List::direct(device)?;
    let unsigned = begun(stage, &mut list, &BEFORE[..UNSIGNED])?;
    let signed = begun(stage, &mut list, &BEFORE[UNSIGNED..])?;
    let heap = Heap::visible(device, 40)?;
    heap.buffer_uav(33, &unsigned, Elements::structured(0, UNSIGNED as u32, 8));
    heap.buffer_uav(7, &signed, Elements::structured(0, SIGNED as u32, 8));
    let parameters = [Parameter::Srv(0), Parameter::Constants { register: 0, count: 2 }];
    let root = RootSignature::new(device, &parameters, &[], Flags::CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED)?;
    let pipeline = Pipeline::compute(stage, &root, &shader!("atomics.in_the_heap" dxil))?;
    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_srv(0, input.address);
    list.compute_constants(1, &[33, 7]);
    list.dispatch(GROUPS_RUN, 1, 1);
    let got = [read(stage, &mut list, &unsigned)?, read(stage, &mut list, &signed)?].concat();
    let mut digest = Digest::new();
    check("buffers of the heap", &numbers, &got, &mut digest)?;
    Ok(digest)
}

/// Of 64 bits, as typed views show them.
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32_UINT;
/// Texels of a side of the textures, as the shader says.
const SIDE: u32 = 4;

fn typed(stage: &Stage) -> Result<Digest, Failure> {
    supported(stage)?;
    let what = "64-bit atomics in typed resources (AtomicInt64OnTypedResourceSupported)";
    stage.needs(Feature::D3D12_OPTIONS9, what, |is: &Options9| is.AtomicInt64OnTypedResourceSupported != 0)?;
    let device = &stage.device;
    let numbers = numbers(69);
    let input = uploaded(stage, &numbers)?;
    let mut list = List::direct(device)?;
    // Views begin within their buffers.
    const FIRST: usize = 3;
    let values = |from: &[u64]| [vec![7; FIRST], from.to_vec()].concat();
    let unsigned = begun(stage, &mut list, &values(&BEFORE[..UNSIGNED]))?;
    let signed = begun(stage, &mut list, &values(&BEFORE[UNSIGNED..]))?;
    let desc = D3D12_RESOURCE_DESC { Flags: D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS, ..flat(FORMAT, SIDE, SIDE) };
    let mut unsigned_texels = [0; (SIDE * SIDE) as usize];
    unsigned_texels[..UNSIGNED].copy_from_slice(&BEFORE[..UNSIGNED]);
    let mut signed_texels = [0; (SIDE * SIDE) as usize];
    signed_texels[3 * SIDE as usize..][..SIGNED].copy_from_slice(&BEFORE[UNSIGNED..]);
    let state = State::UNORDERED_ACCESS;
    let (picture, _first) = Texture::filled(device, &mut list, &desc, &[bytes(&unsigned_texels)], state)?;
    let (picture_signed, _second) = Texture::filled(device, &mut list, &desc, &[bytes(&signed_texels)], state)?;
    // Descriptors are made where shaders do not see them, and copied.
    let made = Heap::staging(device, 4)?;
    made.buffer_uav(0, &unsigned, Elements::typed(FIRST as u64, UNSIGNED as u32, FORMAT));
    made.buffer_uav(1, &signed, Elements::typed(FIRST as u64, SIGNED as u32, FORMAT));
    let view = D3D12_UNORDERED_ACCESS_VIEW_DESC {
        Format: FORMAT,
        ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    made.uav(2, &picture.com, &view);
    made.uav(3, &picture_signed.com, &view);
    let heap = Heap::visible(device, 4)?;
    heap.copy(0, &made, 0, 4);
    let root = RootSignature::compute(device, &[Parameter::Srv(0), Parameter::Table(&[Range::uav(3, 4)])])?;
    let buffers = Pipeline::compute(stage, &root, &shader!("atomics.in_texels_of_buffers" dxil))?;
    let textures = Pipeline::compute(stage, &root, &shader!("atomics.in_texels" dxil))?;
    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.compute_srv(0, input.address);
    list.compute_table(1, heap.gpu(0));
    list.set_pipeline(&buffers);
    list.dispatch(GROUPS_RUN, 1, 1);
    list.set_pipeline(&textures);
    list.dispatch(GROUPS_RUN, 1, 1);
    let (unsigned, signed) = (read(stage, &mut list, &unsigned)?, read(stage, &mut list, &signed)?);
    for values in [&unsigned, &signed] {
        Failure::unless_equal("texels before a view", &values[..FIRST], &[7; FIRST])?;
    }
    let got = [&unsigned[FIRST..], &signed[FIRST..]].concat();
    let mut digest = Digest::new();
    check("texels of buffers", &numbers, &got, &mut digest)?;
    let [unsigned, signed] = [&picture, &picture_signed].map(|texture| texture.read(stage, &mut list, state));
    let (unsigned, signed) = (texels::<u64>(&unsigned?[0]), texels::<u64>(&signed?[0]));
    let got = [&unsigned[..UNSIGNED], &signed[3 * SIDE as usize..][..SIGNED]].concat();
    check("texels of textures", &numbers, &got, &mut digest)?;
    Ok(digest)
}
