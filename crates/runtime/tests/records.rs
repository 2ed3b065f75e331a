//! The shaders by which a replay moves tables of shader records (`crates/replay/shaders`), on tables at random, compared with the same
//! done on the processor. Needs a Vulkan 1.3 driver (lavapipe does).
#![allow(clippy::unwrap_used)]

use core::ffi::c_void;
use core::ptr::null_mut;

use reprise_com::{Object, Public};
use reprise_d3d12::abi::{self, Convention};
use reprise_d3d12::types::{D3D12_RESOURCE_STATES as State, *};
use reprise_d3d12::{description, interface, method};
use reprise_runtime::Device;
use reprise_runtime::list::{CommandAllocator, CommandList};
use reprise_runtime::queue::CommandQueue;
use reprise_runtime::resource::create::{Initial, Wanted, committed};
use reprise_runtime::resource::object::Resource;

const LIST: &str = "ID3D12GraphicsCommandList";
const RECORDS: &[u8] = include_bytes!("../../replay/shaders/records.main.dxbc");
const DISPATCHES: &[u8] = include_bytes!("../../replay/shaders/dispatches.main.dxbc");
const POINTERS: &[u8] = include_bytes!("../../replay/shaders/pointers.main.dxbc");
const INSTANCES: &[u8] = include_bytes!("../../replay/shaders/instances.main.dxbc");
const INSTANCES_IN_PLACE: &[u8] = include_bytes!("../../replay/shaders/instances.in_place.dxbc");

/// Calls a method with one word for each argument.
fn call(object: *mut c_void, owner: &str, name: &str, words: &[u64]) -> u64 {
    let method = method(owner, name).get();
    // SAFETY: objects of the runtime, whose tables have a function in each slot; the callers' words are arguments of the method.
    unsafe {
        let function = *(*object.cast::<*const *const c_void>()).add(usize::from(method.slot));
        abi::call(Convention::SystemV, function, Some(object), words, method)
    }
}

/// A device, an open list, and a queue.
struct Stage {
    list: Public<CommandList>,
    _allocator: Public<CommandAllocator>,
    queue: Public<CommandQueue>,
    device: Public<Device>,
}

impl Stage {
    fn new() -> Stage {
        let device = reprise_runtime::entry::device::independent().unwrap();
        let kind = D3D12_COMMAND_LIST_TYPE::COMPUTE;
        let allocator = Object::make(CommandAllocator::new(&device, kind).unwrap());
        let list = Object::make(CommandList::new(&device, kind));
        assert_eq!(call(list.pointer(), LIST, "Reset", &[allocator.pointer() as u64, 0]), 0);
        let desc = D3D12_COMMAND_QUEUE_DESC { Type: kind, ..Default::default() };
        let queue = Object::make(CommandQueue::new(&device, &desc, reprise_runtime::queue::facets()).unwrap());
        Stage { list, _allocator: allocator, queue, device }
    }

    fn list(&self, name: &str, words: &[u64]) {
        call(self.list.pointer(), LIST, name, words);
    }

    fn buffer(&self, kind: D3D12_HEAP_TYPE, size: u64, state: State) -> Public<Resource> {
        let properties = D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() };
        let flags = match kind {
            D3D12_HEAP_TYPE::DEFAULT => D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS,
            _ => D3D12_RESOURCE_FLAGS::NONE,
        };
        let old = description::buffer(size, flags);
        let mut desc = D3D12_RESOURCE_DESC1 {
            Dimension: old.Dimension,
            Width: old.Width,
            Height: 1,
            DepthOrArraySize: 1,
            MipLevels: 1,
            SampleDesc: old.SampleDesc,
            Layout: old.Layout,
            Flags: flags,
            ..Default::default()
        };
        let mut wanted = Wanted { desc: &mut desc, initial: Initial::State(state), clear: None, castable: &[] };
        committed(&self.device, &properties, D3D12_HEAP_FLAGS::NONE, &mut wanted).unwrap()
    }

    fn uploaded(&self, words: &[u32]) -> Public<Resource> {
        let made = self.buffer(D3D12_HEAP_TYPE::UPLOAD, size_of_val(words).max(4) as u64, State::GENERIC_READ);
        let to = made.buffer().unwrap().slice.mapped().unwrap();
        // SAFETY: the buffer has as many bytes, and nothing reads it yet.
        unsafe { to.as_ptr().cast::<u32>().copy_from_nonoverlapping(words.as_ptr(), words.len()) };
        made
    }

    fn room(&self, size: u64) -> Public<Resource> {
        self.buffer(D3D12_HEAP_TYPE::DEFAULT, size, State::UNORDERED_ACCESS)
    }

    /// A shader with its root signature; the list has it from here on. Both live as long as the process.
    fn program(&self, shader: &[u8]) {
        let (device, mut root, mut pipeline) = (self.device.pointer(), null_mut::<c_void>(), null_mut::<c_void>());
        let (root_iid, pipeline_iid) = (interface("ID3D12RootSignature"), interface("ID3D12PipelineState"));
        let iid = &raw const root_iid.get().iid as u64;
        let words = [0, shader.as_ptr() as u64, shader.len() as u64, iid, &raw mut root as u64];
        assert_eq!(call(device, "ID3D12Device", "CreateRootSignature", &words), 0);
        let desc = D3D12_COMPUTE_PIPELINE_STATE_DESC {
            pRootSignature: root.cast(),
            CS: D3D12_SHADER_BYTECODE { pShaderBytecode: shader.as_ptr().cast(), BytecodeLength: shader.len() as u64 },
            ..Default::default()
        };
        let iid = &raw const pipeline_iid.get().iid as u64;
        let words = [&raw const desc as u64, iid, &raw mut pipeline as u64];
        assert_eq!(call(device, "ID3D12Device", "CreateComputePipelineState", &words), 0);
        self.list("SetComputeRootSignature", &[root as u64]);
        self.list("SetPipelineState", &[pipeline as u64]);
    }

    fn constants(&self, words: &[u32]) {
        self.list("SetComputeRoot32BitConstants", &[0, words.len() as u64, words.as_ptr() as u64, 0]);
    }

    fn reads(&self, parameter: u64, address: u64) {
        self.list("SetComputeRootShaderResourceView", &[parameter, address]);
    }

    fn writes(&self, parameter: u64, address: u64) {
        self.list("SetComputeRootUnorderedAccessView", &[parameter, address]);
    }

    /// Executes the list, and reads the words of some buffers.
    fn read(&self, from: &[(&Object<Resource>, usize)]) -> Vec<Vec<u32>> {
        let barrier = D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::UAV, ..Default::default() };
        self.list("ResourceBarrier", &[1, &raw const barrier as u64]);
        let copies: Vec<_> = from
            .iter()
            .map(|(from, words)| {
                let size = 4 * *words as u64;
                let to = self.buffer(D3D12_HEAP_TYPE::READBACK, size, State::COPY_DEST);
                self.list("CopyBufferRegion", &[to.pointer() as u64, 0, from.pointer() as u64, 0, size]);
                (to, *words)
            })
            .collect();
        assert_eq!(call(self.list.pointer(), LIST, "Close", &[]), 0);
        self.queue.execute(vec![self.list.recorded().unwrap()]);
        self.queue.drain();
        let words = |(to, words): &(Public<Resource>, usize)| {
            let at = to.buffer().unwrap().slice.mapped().unwrap();
            // SAFETY: the GPU is done with the buffer, which has as many words.
            unsafe { core::slice::from_raw_parts(at.as_ptr().cast::<u32>(), *words) }.to_vec()
        };
        copies.iter().map(words).collect()
    }
}

fn address(resource: &Object<Resource>) -> u64 {
    resource.buffer().unwrap().address
}

/// Numbers at random, the same ones each time (xorshift, Marsaglia 2003).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// First, end, first here.
type Range = (u64, u64, u64);

/// What addresses mean here.
fn moved(ranges: &[Range], address: u64) -> u64 {
    let inside = ranges.iter().find(|range| (range.0..range.1).contains(&address));
    let range = inside.or_else(|| ranges.iter().find(|range| range.1 == address));
    range.map_or(address, |range| address - range.0 + range.2)
}

/// Ranges with gaps, side by side, and over borders of 32 bits.
fn ranges(random: &mut Random) -> Vec<Range> {
    let mut at = random.of(&[0x1000, 0xffff_f000, 0x7f00_0000_0000]);
    let mut all = Vec::new();
    for _ in 0..1 + random.below(6) {
        at += random.of(&[0, 0x100, 0x10_0000, 0xffff_ff00]);
        let end = at + random.of(&[0x100, 0x1_0000, 0x1_0000_0100]);
        all.push((at, end, random.below(1 << 40) * 8));
        at = end;
    }
    all
}

fn table_of(ranges: &[Range]) -> Vec<u32> {
    // Room that is not used lies behind all addresses.
    let rest = [(u64::MAX, u64::MAX, u64::MAX); 3];
    ranges.iter().chain(&rest).flat_map(|range| [range.0, range.1, range.2]).flat_map(halves).collect()
}

/// An address that lies in a range, at its end, or nowhere.
fn some_address(random: &mut Random, ranges: &[Range]) -> u64 {
    let range = random.of(ranges);
    match random.below(6) {
        0 => 0,
        1 => range.1,
        2 => random.next(),
        3 => range.0.wrapping_sub(1),
        _ => range.0 + random.below(range.1 - range.0),
    }
}

/// A descriptor heap: first handle, how many, distance; the same here.
#[derive(Clone, Copy)]
struct Heap {
    start: u64,
    count: u64,
    increment: u64,
    here: u64,
    increment_here: u64,
}

impl Heap {
    fn end(&self) -> u64 {
        self.start + self.count * self.increment
    }
}

struct Identifier {
    recorded: [u32; 8],
    here: [u32; 8],
    /// Words of addresses, and of handles.
    fields: Vec<(u32, bool)>,
}

/// Everything that a table of records is moved by.
struct World {
    ranges: Vec<Range>,
    heaps: Vec<Heap>,
    identifiers: Vec<Identifier>,
}

impl World {
    fn new(random: &mut Random) -> World {
        let ranges = ranges(random);
        let mut at = random.of(&[0x40u64, 0xffff_ff00, 0x5000_0000_0000]);
        let mut heaps: Vec<Heap> = Vec::new();
        for _ in 0..random.below(5) {
            at += random.of(&[0, 0x40, 0x1000]);
            let heap = Heap {
                start: at,
                count: 1 + random.below(200),
                increment: random.of(&[1, 32, 48, 64]),
                here: random.below(1 << 44) * 32,
                increment_here: random.of(&[8, 32, 64, 112]),
            };
            at = heap.end();
            heaps.push(heap);
        }
        let mut identifiers: Vec<Identifier> = Vec::new();
        for _ in 0..random.below(40) {
            let mut recorded: [u32; 8] = core::array::from_fn(|_| random.next() as u32);
            if let Some(other) = identifiers.last().filter(|_| random.below(2) == 0) {
                // Like another one but for one word.
                recorded = other.recorded;
                recorded[random.below(8) as usize] ^= random.of(&[1, 0x8000_0000]);
            }
            if identifiers.iter().any(|it| it.recorded == recorded) {
                continue;
            }
            let (mut word, mut fields) = (8 + random.below(3) as u32, Vec::new());
            for _ in 0..random.below(5) {
                fields.push((word, random.below(2) == 0));
                word += 2 + random.below(4) as u32;
            }
            identifiers.push(Identifier { recorded, here: core::array::from_fn(|_| random.next() as u32), fields });
        }
        identifiers.sort_by_key(|it| core::array::from_fn::<u32, 8, _>(|word| it.recorded[7 - word]));
        World { ranges, heaps, identifiers }
    }

    /// As the comment in `records.hlsl` has it.
    fn facts(&self) -> Vec<u32> {
        let rows = 4 + 17 * self.identifiers.len();
        let mut layouts = rows + 8 * self.heaps.len();
        let mut all = vec![self.identifiers.len() as u32, 4, self.heaps.len() as u32, rows as u32];
        for it in &self.identifiers {
            all.extend(it.recorded);
            all.extend(it.here);
            all.push(layouts as u32);
            layouts += 1 + it.fields.len();
        }
        for heap in &self.heaps {
            all.extend([heap.start, heap.end(), heap.here].into_iter().flat_map(halves));
            all.extend([heap.increment as u32, heap.increment_here as u32]);
        }
        for it in &self.identifiers {
            all.push(it.fields.len() as u32);
            all.extend(it.fields.iter().map(|(word, handle)| 2 * word + u32::from(*handle)));
        }
        all.resize(all.len() + 8, 0);
        all
    }

    fn handle(&self, handle: u64) -> u64 {
        let inside = self.heaps.iter().find(|heap| (heap.start..heap.end()).contains(&handle));
        let heap = inside.or_else(|| self.heaps.iter().find(|heap| heap.end() == handle));
        heap.map_or(handle, |heap| {
            let bytes = handle - heap.start;
            heap.here + bytes / heap.increment * heap.increment_here + bytes % heap.increment
        })
    }

    fn some_handle(&self, random: &mut Random) -> u64 {
        match (self.heaps.is_empty(), random.below(5)) {
            (true, _) | (_, 0) => random.next(),
            (_, 1) => random.of(&self.heaps).end(),
            (_, 2) => random.of(&self.heaps).start.wrapping_sub(1),
            _ => {
                let heap = random.of(&self.heaps);
                heap.start + random.below(heap.count) * heap.increment
            }
        }
    }

    /// A table of so many words, with records of known shaders, unknown ones and none.
    fn table(&self, random: &mut Random, stride: usize, size: usize) -> Vec<u32> {
        let mut all: Vec<u32> = (0..size).map(|_| random.next() as u32).collect();
        for record in all.chunks_mut(stride) {
            let identifier = match random.below(8) {
                0 => [0; 8],
                1 => continue,
                _ if self.identifiers.is_empty() => continue,
                _ => {
                    let it = &self.identifiers[random.below(self.identifiers.len() as u64) as usize];
                    for (word, is_handle) in &it.fields {
                        let value = match is_handle {
                            true => self.some_handle(random),
                            false => some_address(random, &self.ranges),
                        };
                        if let Some(to) = record.get_mut(*word as usize..*word as usize + 2) {
                            to.copy_from_slice(&halves(value));
                        }
                    }
                    it.recorded
                }
            };
            let size = record.len().min(8);
            record[..size].copy_from_slice(&identifier[..size]);
        }
        all
    }

    /// The table as it has to be here.
    fn expected(&self, table: &[u32], stride: usize) -> Vec<u32> {
        let mut all = table.to_vec();
        for record in all.chunks_mut(stride) {
            let known = self.identifiers.iter().find(|it| record.get(..8) == Some(&it.recorded[..]));
            let Some(known) = known else { continue };
            record[..8].copy_from_slice(&known.here);
            for (word, is_handle) in &known.fields {
                let Some(field) = record.get_mut(*word as usize..*word as usize + 2) else { continue };
                let value = u64::from(field[0]) | u64::from(field[1]) << 32;
                let here = if *is_handle { self.handle(value) } else { moved(&self.ranges, value) };
                field.copy_from_slice(&halves(here));
            }
        }
        all
    }
}

/// Records of all distances and lengths, cut off at the end of the table; layouts that do not fit in the record; everything beside it.
#[test]
fn records_are_moved_as_the_processor_moves_them() {
    let stage = Stage::new();
    stage.program(RECORDS);
    let mut random = Random(0x5eed_0001);
    let mut cases = Vec::new();
    for _ in 0..96 {
        let world = World::new(&mut random);
        let stride = random.of(&[8, 16, 24, 32, 64, 256, 1024]) as usize;
        let size = match random.below(4) {
            0 => 1 + random.below(40) as usize,
            1 => stride * (1 + random.below(70) as usize),
            _ => stride * random.below(20) as usize + 1 + random.below(stride as u64) as usize,
        };
        let table = world.table(&mut random, stride, size);
        let ranges = table_of(&world.ranges);
        let (from, places) = (stage.uploaded(&table), stage.uploaded(&ranges));
        let facts = stage.uploaded(&world.facts());
        let to = stage.room(4 * size as u64);
        let records = size.div_ceil(stride) as u32;
        stage.constants(&[stride as u32, size as u32, records, ranges.len() as u32 / 6]);
        stage.reads(1, address(&from));
        stage.reads(2, address(&places));
        stage.reads(3, address(&facts));
        stage.writes(4, address(&to));
        stage.list("Dispatch", &[records.div_ceil(64).into(), 1, 1]);
        cases.push((world, stride, table, to, [from, places, facts]));
    }
    let places: Vec<_> = cases.iter().map(|(_, _, table, to, _)| (&**to, table.len())).collect();
    let results = stage.read(&places);
    let mut moved = 0;
    for (number, ((world, stride, table, ..), result)) in cases.iter().zip(results).enumerate() {
        let expected = world.expected(table, *stride);
        moved += table.iter().zip(&expected).filter(|(old, new)| old != new).count();
        assert_eq!(result, expected, "table {number}, records of {stride} words");
    }
    assert!(moved > 5000, "only {moved} words had to be moved");
}

/// Each pointer becomes a command that copies an instance; one that leads nowhere is an instance of nothing.
#[test]
fn pointers_become_commands() {
    let stage = Stage::new();
    stage.program(POINTERS);
    let mut random = Random(0x5eed_0002);
    let ranges = ranges(&mut random);
    let pointers: Vec<u64> = (0..200).map(|_| some_address(&mut random, &ranges)).collect();
    let words: Vec<u32> = pointers.iter().copied().flat_map(halves).collect();
    let table = table_of(&ranges);
    let (from, places) = (stage.uploaded(&words), stage.uploaded(&table));
    let (made, to) = (stage.room(32 * 200), stage.room(64 * 200));
    let array = 0x7_ffff_ff00u64;
    stage.constants(&[200, table.len() as u32 / 6, halves(array)[0], halves(array)[1]]);
    stage.reads(1, address(&from));
    stage.reads(2, address(&places));
    stage.writes(3, address(&made));
    stage.writes(4, address(&to));
    stage.list("Dispatch", &[4, 1, 1]);
    let results = stage.read(&[(&made, 8 * 200)]);
    let mut nowhere = 0;
    for ((number, pointer), command) in (0u64..).zip(&pointers).zip(results[0].chunks(8)) {
        let inside = ranges.iter().any(|range| (range.0..range.1).contains(pointer));
        nowhere += u32::from(!inside);
        let here = if inside { moved(&ranges, *pointer) } else { 0 };
        let mut expected = [halves(here), halves(array + 64 * number)].concat();
        expected.extend([u32::from(inside), 1, 1, 0]);
        assert_eq!(command, expected, "pointer {number}, {pointer:#x}");
    }
    assert!((20..180).contains(&nowhere), "{nowhere} lead nowhere");
}

/// Instances in a copy that the shader makes, and in one that was made before, with little and with much room in the table. Only
/// addresses change.
#[test]
fn addresses_of_instances_are_moved() {
    const COUNT: usize = 333;
    let mut random = Random(0x5eed_0004);
    let ranges = ranges(&mut random);
    let mut instances: Vec<u32> = Vec::new();
    let mut expected: Vec<u32> = Vec::new();
    for _ in 0..COUNT {
        let rest: [u32; 14] = core::array::from_fn(|_| random.next() as u32);
        let address = some_address(&mut random, &ranges);
        let here = moved(&ranges, address);
        instances.extend(rest.into_iter().chain(halves(address)));
        expected.extend(rest.into_iter().chain(halves(here)));
    }
    for (shader, room) in [(INSTANCES, 0), (INSTANCES, 1000), (INSTANCES_IN_PLACE, 0), (INSTANCES_IN_PLACE, 1000)] {
        let stage = Stage::new();
        stage.program(shader);
        let mut table = table_of(&ranges);
        table.resize(table.len() + 6 * room, u32::MAX);
        let constants = [COUNT as u32, table.len() as u32 / 6];
        table.extend([ranges.len() as u32, 0]);
        let (from, places) = (stage.uploaded(&instances), stage.uploaded(&table));
        // What lies behind stays.
        let to = stage.room(64 * COUNT as u64 + 64);
        if shader == INSTANCES {
            stage.reads(1, address(&from));
            stage.reads(2, address(&places));
            stage.writes(3, address(&to));
        } else {
            let bytes = 64 * COUNT as u64;
            stage.list("CopyBufferRegion", &[to.pointer() as u64, 0, from.pointer() as u64, 0, bytes]);
            let mut barrier =
                D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::TRANSITION, ..Default::default() };
            barrier.Anonymous.Transition = D3D12_RESOURCE_TRANSITION_BARRIER {
                pResource: to.pointer().cast(),
                StateBefore: State::COPY_DEST,
                StateAfter: State::UNORDERED_ACCESS,
                ..Default::default()
            };
            stage.list("ResourceBarrier", &[1, &raw const barrier as u64]);
            stage.reads(1, address(&places));
            stage.writes(2, address(&to));
        }
        stage.constants(&constants);
        stage.list("Dispatch", &[(COUNT as u64).div_ceil(64), 1, 1]);
        let results = stage.read(&[(&to, 16 * COUNT + 16)]);
        assert_eq!(results[0][..16 * COUNT], expected, "room for {room} more");
        assert_eq!(results[0][16 * COUNT..], [0; 16]);
    }
}

/// A table of an indirect dispatch: address, size, distance.
type Table = (u64, u64, u64);

/// Tables that fit are copied, those that are too large are counted and used where they lie, and what does not count is left alone.
#[test]
fn tables_of_indirect_dispatches_become_commands() {
    const COMMANDS: usize = 300;
    const STRIDE: usize = 30;
    const AT: usize = 3;
    const ROOM: [u64; 2] = [4096, 0x1_0000];
    let mut random = Random(0x5eed_0003);
    let ranges = ranges(&mut random);
    let mut dispatches: Vec<([Table; 4], [u32; 3])> = Vec::new();
    let mut words: Vec<u32> = Vec::new();
    for _ in 0..COMMANDS {
        let tables: [Table; 4] = core::array::from_fn(|_| {
            let size = random.of(&[0, 32, 64, 96, 4096, 4128, 0x1_0000, 0x1_0020, 1 << 33]);
            (some_address(&mut random, &ranges), size, random.of(&[0, 32, 64, 4096, 1 << 34]))
        });
        let rays = random.of(&[[1, 1, 1], [64, 2, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0]]);
        let first = words.len();
        words.extend([random.next() as u32; AT]);
        words.extend([tables[0].0, tables[0].1].into_iter().flat_map(halves));
        words.extend(tables[1..].iter().flat_map(|it| [it.0, it.1, it.2]).flat_map(halves));
        words.extend(rays);
        words.resize(first + STRIDE, 0xabab_abab);
        dispatches.push((tables, rays));
    }
    for counted in [None, Some(200u32)] {
        let stage = Stage::new();
        stage.program(DISPATCHES);
        let table = table_of(&ranges);
        let (from, places) = (stage.uploaded(&words), stage.uploaded(&table));
        let count = stage.uploaded(&[counted.unwrap_or(0)]);
        let to = stage.room(4 * words.len() as u64);
        let (made, totals) = (stage.room(4 * 12 * 4 * COMMANDS as u64), stage.room(256));
        // As the arguments are copied before.
        stage.list("CopyBufferRegion", &[to.pointer() as u64, 0, from.pointer() as u64, 0, 4 * words.len() as u64]);
        let barrier = D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::UAV, ..Default::default() };
        stage.list("ResourceBarrier", &[1, &raw const barrier as u64]);
        let scratch = 0xffff_f000u64;
        let mut constants = vec![STRIDE as u32, AT as u32, COMMANDS as u32, table.len() as u32 / 6];
        constants.extend(halves(scratch));
        constants.extend(ROOM.map(|bytes| bytes as u32 / 4));
        constants.push(u32::from(counted.is_some()));
        stage.constants(&constants);
        stage.reads(1, address(&from));
        stage.reads(2, address(&places));
        stage.reads(3, address(&count));
        stage.writes(4, address(&to));
        stage.writes(5, address(&made));
        stage.writes(6, address(&totals));
        stage.list("Dispatch", &[(4 * COMMANDS as u64).div_ceil(64), 1, 1]);
        let results = stage.read(&[(&to, words.len()), (&made, 12 * 4 * COMMANDS), (&totals, 2)]);
        let (mut expected, mut sums) = (words.clone(), [0, 0]);
        for (number, (tables, rays)) in dispatches.iter().enumerate() {
            let counts = counted.is_none_or(|count| number < count as usize) && !rays.contains(&0);
            for (kind, &(from, size, stride)) in tables.iter().enumerate() {
                let command = &results[1][12 * (4 * number + kind)..][..12];
                let inside = ranges.iter().any(|range| (range.0..range.1).contains(&from));
                let stride = if kind == 0 { 0 } else { stride };
                // Without a distance there is one record.
                let used = if stride == 0 { size.min(4096) } else { size };
                let fits = used <= ROOM[kind.min(1)];
                if !counts || from == 0 || size == 0 || !inside || !fits {
                    assert_eq!(command[8], 0, "dispatch {number}, table {kind}: nothing is copied");
                    sums[0] += u32::from(counts && from != 0 && size != 0 && !fits);
                    continue;
                }
                sums[1] += 1;
                let offset = number as u64 * (ROOM[0] + 3 * ROOM[1]);
                let offset = offset + if kind == 0 { 0 } else { ROOM[0] + (kind as u64 - 1) * ROOM[1] };
                let distance = if stride == 0 { used } else { stride.min(used) };
                let records = used.div_ceil(distance);
                let mut copy =
                    [distance / 4, used / 4, records, table.len() as u64 / 6].map(|word| word as u32).to_vec();
                copy.extend(halves(moved(&ranges, from)));
                copy.extend(halves(scratch + offset));
                copy.extend([records.div_ceil(64) as u32, 1, 1, 0]);
                assert_eq!(command, copy, "dispatch {number}, table {kind}");
                let at = number * STRIDE + AT + if kind == 0 { 0 } else { 6 * kind - 2 };
                expected[at..at + 2].copy_from_slice(&halves(scratch + offset));
                expected[at + 2..at + 4].copy_from_slice(&halves(used));
            }
        }
        // Where nothing is copied the address is that of here: the copy of the arguments says the same.
        let mut told = results[0].clone();
        for (number, (tables, rays)) in dispatches.iter().enumerate() {
            let counts = counted.is_none_or(|count| number < count as usize) && !rays.contains(&0);
            for (kind, (from, size, _)) in tables.iter().enumerate() {
                let at = number * STRIDE + AT + if kind == 0 { 0 } else { 6 * kind - 2 };
                if expected[at..at + 2] == halves(*from) && counts && *from != 0 && *size != 0 {
                    let inside = ranges.iter().any(|range| (range.0..range.1).contains(from));
                    let here = if inside { moved(&ranges, *from) } else { *from };
                    assert_eq!(told[at..at + 2], halves(here), "dispatch {number}, table {kind} is used where it lies");
                    told[at..at + 2].copy_from_slice(&halves(*from));
                }
            }
        }
        assert_eq!(told, expected);
        assert_eq!(results[2], sums, "tables without room, and tables that were copied");
        assert!(sums[0] > 20 && sums[1] > 40, "{sums:?}");
    }
}
