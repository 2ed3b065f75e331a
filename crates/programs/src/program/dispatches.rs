//! Dispatches whose arguments the GPU wrote. `dispatches`: their sizes; `dispatch-counts`: how many there are, from a buffer;
//! `dispatch-roots`: root constants and root buffers of each, by address. `dispatch-late`: buffers that are made after the list is
//! recorded, and others before the list is executed again.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::signature::{CommandSignature, argument, constants, srv, uav};
use crate::stage::Stage;
use reprise_d3d12::types::{D3D12_INDIRECT_ARGUMENT_TYPE as Argument, D3D12_RESOURCE_STATES as State};

pub(super) const SIZES: Program =
    Program { name: "dispatches", about: "indirect dispatches whose sizes the GPU wrote", run: sizes };
pub(super) const COUNTS: Program =
    Program { name: "dispatch-counts", about: "as many indirect dispatches as a buffer says", run: counts };
pub(super) const ROOTS: Program =
    Program { name: "dispatch-roots", about: "indirect dispatches with root constants and root buffers", run: roots };

pub(super) const LATE: Program = Program {
    name: "dispatch-late",
    about: "indirect dispatches of buffers that are made after the recording",
    run: late,
};

const ARGUMENTS: Shader = shader!("dispatches.arguments");
const COUNT: Shader = shader!("dispatches.count");
const MOVE: Shader = shader!("dispatches.move");
const COMMANDS: u32 = 6;
/// Words that one execution may count in.
const PLACE: u32 = 128;
/// Threads of a group of `count` and of `move`.
const GROUP: u32 = 8;

fn sizes(stage: &Stage) -> Result<Digest, Failure> {
    let mut counting = Counting::new(stage)?;
    counting.execute(0..COMMANDS, None);
    counting.execute(2..3, None);
    counting.execute(1..COMMANDS, None);
    counting.check(stage)
}

fn counts(stage: &Stage) -> Result<Digest, Failure> {
    let mut counting = Counting::new(stage)?;
    // Fewer than there may be, more, none, and as many; then from the middle.
    for count in [2, 100, 0, COMMANDS] {
        counting.execute(0..COMMANDS, Some(count));
    }
    counting.execute(3..COMMANDS, Some(2));
    counting.check(stage)
}

/// The buffers that these programs need, and what should come of the executions so far.
struct Counting<'s> {
    tools: Tools,
    signature: CommandSignature,
    arguments: Buffer,
    output: Buffer,
    list: List,
    model: Vec<u32>,
    executed: u32,
    stage: &'s Stage,
    /// Numbers of commands, until the list is done.
    numbers: Vec<Buffer>,
}

impl<'s> Counting<'s> {
    /// Executions that there is room for.
    const MOST: u32 = 5;

    fn new(stage: &'s Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let tools = Tools::new(stage)?;
        let signature = CommandSignature::new(device, None, &[argument(Argument::DISPATCH)], 16)?;
        let mut list = List::direct(device)?;
        let zeros = vec![0; (PLACE * Self::MOST) as usize];
        let arguments = tools.arguments(stage, &mut list, &[0; 4 * COMMANDS as usize], 16, 0)?;
        let output = Buffer::writable(device, u64::from(PLACE * Self::MOST) * 4)?;
        buffer::fill(&stage.queue, &mut list, &output, &Buffer::uploaded(device, &zeros)?)?;
        Ok(Self { tools, signature, arguments, output, list, model: zeros, executed: 0, stage, numbers: Vec::new() })
    }

    /// Executes a range of the commands, or as many of it as a buffer says, into a place of their own.
    fn execute(&mut self, commands: std::ops::Range<u32>, count: Option<u32>) {
        let (place, add) = (PLACE * self.executed, 10 + self.executed);
        let list = &mut self.list;
        list.set_compute_root(&self.tools.root);
        list.set_pipeline(&self.tools.count);
        list.compute_constants(0, &[place, add]);
        list.compute_uav(2, self.output.address);
        let offset = u64::from(commands.start * self.signature.stride);
        // The number stands behind another word, so that its offset matters.
        let number = count.and_then(|count| Buffer::uploaded(&self.stage.device, &[77, count]).ok());
        let most = commands.len() as u32;
        list.execute_indirect(
            &self.signature,
            most,
            (&self.arguments, offset),
            number.as_ref().map(|number| (number, 4)),
        );
        self.numbers.extend(number);
        for command in commands.take(count.unwrap_or(most) as usize) {
            for (x, y) in groups(command) {
                self.model[(place + x + 16 * y) as usize] += GROUP * (1 + add);
            }
        }
        self.executed += 1;
    }

    fn check(mut self, stage: &Stage) -> Result<Digest, Failure> {
        let state = State::UNORDERED_ACCESS;
        let got = buffer::fetch(&stage.device, &stage.queue, &mut self.list, &self.output, state)?.read_u32()?;
        Failure::unless_equal("counts", &got, &self.model)?;
        Ok(Digest::of(&bytes_of(&got)))
    }
}

fn roots(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let tools = Tools::new(stage)?;
    // Two constants, two addresses, three sizes, one word that nobody reads.
    let described = [constants(0, 2), srv(1), uav(2), argument(Argument::DISPATCH)];
    let signature = CommandSignature::new(device, Some(&tools.root), &described, 40)?;
    let words = Random(6).words(COMMANDS * 64);
    let input = Buffer::uploaded(device, &words)?;
    let zeros = vec![0; (COMMANDS * 64) as usize];
    let output = Buffer::writable(device, u64::from(COMMANDS) * 256)?;
    let mut list = List::direct(device)?;
    buffer::fill(&stage.queue, &mut list, &output, &Buffer::uploaded(device, &zeros)?)?;

    // Command i copies from its own part of the input to the part of the output that is as far from the end.
    let mut content = Vec::new();
    let mut model = zeros;
    for command in 0..COMMANDS {
        let (from, to) = (64 * command, 64 * (COMMANDS - 1 - command));
        let (mark, add) = (command, 1000 * command);
        content.extend([mark, add]);
        for address in [input.address + u64::from(from) * 4, output.address + u64::from(to) * 4] {
            content.extend([address as u32, (address >> 32) as u32]);
        }
        content.extend([0; 4]);
        for i in 0..GROUP * (command + 1) {
            model[(to + mark + i) as usize] = words[(from + i) as usize].wrapping_add(add);
        }
    }
    let arguments = tools.arguments(stage, &mut list, &content, 40, 6)?;
    list.set_compute_root(&tools.root);
    list.set_pipeline(&tools.moving);
    list.execute_indirect(&signature, COMMANDS, (&arguments, 0), None);
    let got = buffer::fetch(device, &stage.queue, &mut list, &output, State::UNORDERED_ACCESS)?.read_u32()?;
    Failure::unless_equal("words moved", &got, &model)?;
    Ok(Digest::of(&bytes_of(&got)))
}

/// What a list reads of memory counts when it is executed: its commands name buffers that nobody had when it was recorded.
fn late(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let tools = Tools::new(stage)?;
    let parts = [constants(0, 2), srv(1), uav(2), argument(Argument::DISPATCH)];
    let signature = CommandSignature::new(device, Some(&tools.root), &parts, 40)?;
    let mut arguments = Buffer::upload(device, 40 * u64::from(COMMANDS))?;
    let mut recorded = List::direct(device)?;
    recorded.set_compute_root(&tools.root);
    recorded.set_pipeline(&tools.moving);
    recorded.execute_indirect(&signature, COMMANDS, (&arguments, 0), None);
    recorded.close()?;

    let mut list = List::direct(device)?;
    let (mut random, mut digest, mut kept) = (Random(33), Digest::new(), Vec::new());
    for round in 0..stage.frames(3) {
        let words = random.words(COMMANDS * 64);
        let input = Buffer::uploaded(device, &words)?;
        let output = Buffer::writable(device, u64::from(COMMANDS) * 256)?;
        let mut model = vec![0; words.len()];
        for command in 0..COMMANDS {
            let (from, to) = (64 * command, 64 * (COMMANDS - 1 - command));
            let (mark, add) = (command, 1000 * command + round);
            let addresses = [input.address + u64::from(from) * 4, output.address + u64::from(to) * 4];
            let [from_address, to_address] = addresses.map(|address| [address as u32, (address >> 32) as u32]);
            let content = [[mark, add], from_address, to_address, [1, 1], [1, 0]];
            arguments.write(40 * u64::from(command), &bytes_of(content.as_flattened()));
            for i in 0..GROUP {
                model[(to + mark + i) as usize] = words[(from + i) as usize].wrapping_add(add);
            }
        }
        stage.queue.execute(&[&recorded]);
        stage.queue.finish()?;
        let got = buffer::fetch(device, &stage.queue, &mut list, &output, State::UNORDERED_ACCESS)?.read_u32()?;
        Failure::unless_equal("words moved", &got, &model)?;
        digest.add(&bytes_of(&got));
        // The next round's buffers lie elsewhere.
        kept.push((input, output));
    }
    Ok(digest)
}

/// One root signature (two constants, a buffer to read, one to write) and the pipelines.
struct Tools {
    root: RootSignature,
    arguments: Pipeline,
    count: Pipeline,
    moving: Pipeline,
}

impl Tools {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        let parameters = [Parameter::Constants { register: 0, count: 2 }, Parameter::Srv(0), Parameter::Uav(0)];
        let root = RootSignature::compute(&stage.device, &parameters)?;
        let [arguments, count, moving] =
            [&ARGUMENTS, &COUNT, &MOVE].map(|shader| Pipeline::compute(stage, &root, shader));
        Ok(Self { arguments: arguments?, count: count?, moving: moving?, root })
    }

    /// A buffer of arguments: `content` from the processor, and over it sizes that a shader writes, `first` words into each
    /// `stride` bytes.
    fn arguments(
        &self,
        stage: &Stage,
        list: &mut List,
        content: &[u32],
        stride: u32,
        first: u32,
    ) -> Result<Buffer, Failure> {
        let buffer = Buffer::writable(&stage.device, content.len() as u64 * 4)?;
        buffer::fill(&stage.queue, list, &buffer, &Buffer::uploaded(&stage.device, content)?)?;
        list.set_compute_root(&self.root);
        list.set_pipeline(&self.arguments);
        list.compute_constants(0, &[stride, first]);
        list.compute_uav(2, buffer.address);
        list.dispatch(COMMANDS, 1, 1);
        list.transition(&buffer.com, State::UNORDERED_ACCESS, State::INDIRECT_ARGUMENT);
        Ok(buffer)
    }
}

/// The groups of a command, as the shader writes its size.
fn groups(command: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..1 + (command & 1)).flat_map(move |y| (0..command + 1).map(move |x| (x, y)))
}
