//! Options that promise something small: `tight-alignment` resources in a heap that ask for no more alignment than they need,
//! `compute-states` states of buffers on compute queues that only draws had before, `many-groups` as many groups in one dispatch as
//! every device runs.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of, description};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::pipeline::Pipeline;
use crate::queue::Queue;
use crate::random::Random;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::signature::{CommandSignature, argument};
use crate::stage::Stage;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{
    D3D12_COMMAND_LIST_TYPE, D3D12_FEATURE as Feature, D3D12_FEATURE_DATA_D3D12_OPTIONS1 as Options1,
    D3D12_FEATURE_DATA_D3D12_OPTIONS22 as Options22, D3D12_FEATURE_DATA_TIGHT_ALIGNMENT as Tight,
    D3D12_INDIRECT_ARGUMENT_TYPE as Argument, D3D12_RESOURCE_DESC, D3D12_RESOURCE_FLAGS,
    D3D12_RESOURCE_STATES as State, D3D12_TIGHT_ALIGNMENT_TIER, DXGI_FORMAT,
};

pub(super) const TIGHT: Program =
    Program { name: "tight-alignment", about: "resources that lie closer in a heap than 64 KiB", run: tight };
pub(super) const STATES: Program =
    Program { name: "compute-states", about: "constants and indirect arguments on a compute queue", run: states };
pub(super) const GROUPS: Program =
    Program { name: "many-groups", about: "a dispatch of as many groups as every device runs", run: groups };

const ARGUMENTS: Shader = shader!("dispatches.arguments");
const COUNT: Shader = shader!("dispatches.count");
/// Threads of a group of `count`.
const GROUP: u32 = 8;

fn tight(stage: &Stage) -> Result<Digest, Failure> {
    let has = |is: &Tight| is.SupportTier >= D3D12_TIGHT_ALIGNMENT_TIER::TIER_1;
    stage.needs(Feature::D3D12_TIGHT_ALIGNMENT, "tight alignment", has)?;
    let device = &stage.device;
    let close = D3D12_RESOURCE_FLAGS::USE_TIGHT_ALIGNMENT;
    let mut random = Random(64);
    let sizes: Vec<u64> = (0..40).map(|_| u64::from(1 + random.below(3000))).collect();
    // Each where the one before ends, as the device says.
    let mut end = 0u64;
    let mut place = |desc: &D3D12_RESOURCE_DESC| {
        let room = Memory::room(device, desc);
        let right =
            room.alignment.is_power_of_two() && room.size.is_multiple_of(room.alignment) && room.size != u64::MAX;
        Failure::unless(right, || format!("{} bytes are aligned by {}", room.size, room.alignment))?;
        let begin = end.next_multiple_of(room.alignment);
        end = begin + room.size;
        Ok((begin, room))
    };
    let mut places = Vec::new();
    for size in &sizes {
        let (begin, room) = place(&description(*size, close))?;
        Failure::unless(room.size >= *size && room.alignment < Memory::ALIGNMENT, || {
            format!("a buffer of {size} bytes needs {} bytes, aligned by {}", room.size, room.alignment)
        })?;
        places.push(begin);
    }
    let picture = D3D12_RESOURCE_DESC { Flags: close, ..flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, 16, 16) };
    let (at, _) = place(&picture)?;
    let loose = (sizes.len() as u64 + 1) * Memory::ALIGNMENT;
    Failure::unless(end < loose, || format!("{end} bytes are no fewer than {loose} at multiples of 64 KiB"))?;

    let memory = Memory::new(device, end.next_multiple_of(Memory::ALIGNMENT))?;
    let mut list = List::direct(device)?;
    let mut resources = Vec::new();
    for (size, begin) in sizes.iter().zip(&places) {
        let com = memory.place(*begin, &description(*size, close), State::COPY_DEST)?;
        let to = Buffer::from_com(com, *size)?;
        let content = random.bytes(*size as usize);
        let mut from = Buffer::upload(device, *size)?;
        from.write(0, &content);
        list.copy_bytes(&to, 0, &from, 0, *size);
        resources.push((to, from, content));
    }
    let texture = Texture::placed(device, &memory, at, &picture, State::COPY_DEST)?;
    let texels = random.bytes(16 * 16 * 4);
    let _from = texture.fill(device, &mut list, core::slice::from_ref(&texels))?;
    stage.queue.run(&mut list)?;

    let mut digest = Digest::new();
    for (buffer, _, content) in &resources {
        let got = buffer::fetch(device, &stage.queue, &mut list, buffer, State::COPY_DEST)?.read()?;
        Failure::unless_equal("a buffer among others", &got, content)?;
        digest.add(&got);
    }
    let got = texture.read(stage, &mut list, State::COPY_DEST)?.remove(0);
    Failure::unless_equal("a texture behind them", &got, &texels)?;
    digest.add(&got);
    Ok(digest)
}

fn states(stage: &Stage) -> Result<Digest, Failure> {
    let what = "more states on compute queues (ExpandedComputeResourceStates)";
    stage.needs(Feature::D3D12_OPTIONS1, what, |is: &Options1| is.ExpandedComputeResourceStates != 0)?;
    let device = &stage.device;
    let queue = Queue::new(device, D3D12_COMMAND_LIST_TYPE::COMPUTE)?;
    let mut list = List::new(device, D3D12_COMMAND_LIST_TYPE::COMPUTE)?;
    let writes = RootSignature::compute(device, &[Parameter::Constants { register: 0, count: 2 }, Parameter::Uav(0)])?;
    let reads = RootSignature::compute(device, &[Parameter::Cbv(0), Parameter::Uav(0)])?;
    let [write, count] = [Pipeline::compute(stage, &writes, &ARGUMENTS)?, Pipeline::compute(stage, &reads, &COUNT)?];
    let signature = CommandSignature::new(device, None, &[argument(Argument::DISPATCH)], 12)?;
    const COMMANDS: u32 = 4;
    const WORDS: u32 = 128;
    let arguments = Buffer::writable(device, u64::from(COMMANDS) * 12)?;
    let constants = Buffer::writable(device, 256)?;
    let output = Buffer::writable(device, u64::from(WORDS) * 4)?;
    // Command i has i + 1 groups in a row, 1 + (i & 1) rows; the first three words of the constants are 1.
    let mut model = vec![0; WORDS as usize];
    let write_to = |list: &mut List, buffer: &Buffer, commands: u32| {
        list.set_compute_root(&writes);
        list.set_pipeline(&write);
        list.compute_constants(0, &[12, 0]);
        list.compute_uav(1, buffer.address);
        list.dispatch(commands, 1, 1);
    };
    // Twice, in and out of the states.
    for _ in 0..2 {
        write_to(&mut list, &arguments, COMMANDS);
        write_to(&mut list, &constants, 1);
        list.transition(&arguments.com, State::UNORDERED_ACCESS, State::INDIRECT_ARGUMENT);
        list.transition(&constants.com, State::UNORDERED_ACCESS, State::VERTEX_AND_CONSTANT_BUFFER);
        list.set_compute_root(&reads);
        list.set_pipeline(&count);
        list.compute_cbv(0, constants.address);
        list.compute_uav(1, output.address);
        list.execute_indirect(&signature, COMMANDS, (&arguments, 0), None);
        list.transition(&arguments.com, State::INDIRECT_ARGUMENT, State::UNORDERED_ACCESS);
        list.transition(&constants.com, State::VERTEX_AND_CONSTANT_BUFFER, State::UNORDERED_ACCESS);
        for command in 0..COMMANDS {
            for (y, x) in (0..=command & 1).flat_map(|y| (0..=command).map(move |x| (y, x))) {
                model[(1 + x + 16 * y) as usize] += GROUP * 2;
            }
        }
    }
    let got = buffer::fetch(device, &queue, &mut list, &output, State::UNORDERED_ACCESS)?.read_u32()?;
    Failure::unless_equal("counts", &got, &model)?;
    Ok(Digest::of(&bytes_of(&got)))
}

fn groups(stage: &Stage) -> Result<Digest, Failure> {
    /// `D3D12_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION`.
    const MOST: u32 = 65535;
    let device = &stage.device;
    let mut said = Options22::default();
    if device.feature(Feature::D3D12_OPTIONS22, &mut said) {
        let most = said.Max1DDispatchSize;
        Failure::unless(most >= MOST, || {
            format!("a dispatch has {most} groups at most, and every device runs {MOST}")
        })?;
    }
    let root = RootSignature::compute(device, &[Parameter::Constants { register: 0, count: 2 }, Parameter::Uav(0)])?;
    let count = Pipeline::compute(stage, &root, &COUNT)?;
    let output = Buffer::writable(device, (u64::from(MOST) + 2) * 4)?;
    let mut list = List::direct(device)?;
    list.set_compute_root(&root);
    list.set_pipeline(&count);
    list.compute_constants(0, &[1, 4]);
    list.compute_uav(1, output.address);
    list.dispatch(MOST, 1, 1);
    let got = buffer::fetch(device, &stage.queue, &mut list, &output, State::UNORDERED_ACCESS)?.read_u32()?;
    // Each group counts in a word of its own; before and behind them nothing is.
    let mut model = vec![GROUP * 5; MOST as usize + 2];
    (model[0], model[MOST as usize + 1]) = (0, 0);
    Failure::unless_equal("counts", &got, &model)?;
    Ok(Digest::of(&bytes_of(&got)))
}
