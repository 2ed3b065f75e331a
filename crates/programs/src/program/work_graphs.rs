//! `work-graphs`: nodes of each launch send records to each other, whose sums the processor knows.
//!
//! Entry points get their records in all four ways: for one or several, from memory of the processor or of the GPU. Among the nodes are an
//! array, one that shares another's records, one with empty records, one that sends records to itself, and some with arguments in a table. A second
//! graph has one node under another name and with another grid. Of DXIL only.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::com::{Com, call};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::state_object::{Part, StateObject};
use core::ffi::c_void;
use reprise_d3d12::interface;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "work-graphs", about: "nodes of work graphs, and their records by all ways", run };

const LIBRARY: Shader = shader!("work_graphs.library" dxil);
/// Names of the graphs.
const GRAPHS: [&str; 2] = ["everything", "alone"];
/// Words that nodes add to.
const WORDS: usize = 14;
/// Words that depend on how many records a runtime gives a group, and the most that it may give.
const COALESCED: [(usize, u32); 2] = [(5, 5), (7, 7)];
const FACTOR: u32 = 3;
/// Local root arguments, and bytes from one to the next.
const TABLE: [u32; 3] = [7, 0, 11];
const STRIDE: u64 = 32;
/// The grid of the second graph's node.
const GRID: [u32; 3] = [5, 1, 2];

/// Records for an entry point: its name, words of a record, and the records.
struct Input<'a> {
    entry: &'a str,
    words: usize,
    records: &'a [u32],
}

impl Input<'_> {
    /// The records with so many words from each to the next, up to the end of the last one.
    fn spaced(&self, apart: usize) -> Vec<u32> {
        let last = (self.records.len() / self.words).saturating_sub(1);
        let mut words = vec![0xffff_ffff; last * apart + self.words];
        for (at, record) in self.records.chunks_exact(self.words).enumerate() {
            words[at * apart..][..self.words].copy_from_slice(record);
        }
        words
    }
}

/// How records get to the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// From memory of the processor.
    Processor,
    /// From there, with so many words between two records, and the last one at the end of the program's memory.
    Spaced(usize),
    /// From there, where one record stands for all: 0 bytes from one to the next.
    Same,
    /// From there, where one input stands for all as well.
    SameInput,
    /// From memory of the GPU, with so many bytes from one record to the next.
    Gpu(u64),
}

/// What the processor finds.
#[derive(Default)]
struct Sums([u32; WORDS]);

/// An input of a node, and bytes that belong to none.
#[repr(C)]
struct Apart {
    input: D3D12_NODE_CPU_INPUT,
    between: [u64; 2],
}

impl Sums {
    fn add(&mut self, word: usize, value: u32) {
        self.0[word] = self.0[word].wrapping_add(value);
    }

    fn input(&mut self, input: &Input<'_>) {
        for record in input.records.chunks_exact(input.words) {
            match (input.entry, record) {
                ("Spread", [x, y, z, value]) => self.spread([*x, *y, *z], *value),
                ("Again", [value]) => self.again(*value, 3),
                ("Together", [_, value, grid]) => {
                    self.add(10, (2 * (grid & 0xffff) * (grid >> 16)).wrapping_mul(*value));
                }
                ("Halves", [value, grid]) => {
                    for group in 0..(grid & 0xffff) * (grid >> 16) {
                        let right = group % (grid & 0xffff) + 10 * (group / (grid & 0xffff));
                        self.fixed([*value, right], [3, 2, 2]);
                    }
                }
                ("OfTable", [value]) => self.add(12, TABLE[2] * value),
                ("OfTableToo", [value]) => self.add(13, TABLE[0] + value),
                ("Renamed", [left, right]) => self.fixed([*left, *right], GRID),
                _ => {}
            }
        }
    }

    fn spread(&mut self, grid: [u32; 3], value: u32) {
        for group in 0..grid.iter().product() {
            let (x, y, z) = (group % grid[0], group / grid[0] % grid[1], group / grid[0] / grid[1]);
            let value = value + x + 100 * y + 1000 * z;
            for lane in [1, 3, 5, 7] {
                self.add(0, (value + lane).wrapping_mul(FACTOR));
                self.add(1, (value + lane) ^ 1);
            }
            self.add(2 + value as usize % 3, 4 * value + 1);
            self.add(6, 1);
        }
    }

    fn again(&mut self, value: u32, left: u32) {
        self.add(8, value);
        self.add(9, 1 << (8 * left));
        if left != 0 {
            self.again(2 * value, left - 1);
            self.again(2 * value + 1, left - 1);
        }
    }

    /// Groups have 2 × 2 threads.
    fn fixed(&mut self, [left, right]: [u32; 2], [x, y, z]: [u32; 3]) {
        for thread in 0..4 * x * y * z {
            let place = [thread % (2 * x), thread / (2 * x) % (2 * y), thread / (4 * x * y)];
            self.add(11, left.wrapping_add(right * (place[0] + 6 * place[1] + 24 * place[2])));
        }
    }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_8)?;
    let has = |is: &D3D12_FEATURE_DATA_D3D12_OPTIONS21| is.WorkGraphsTier.0 >= D3D12_WORK_GRAPHS_TIER::TIER_1_0.0;
    stage.needs(D3D12_FEATURE::D3D12_OPTIONS21, "work graphs (WorkGraphsTier)", has)?;
    let graphs = Graphs::new(stage)?;
    graphs.check()?;
    let mut digest = Digest::new();
    // Grids of many sizes, one of them without groups, and one with more groups than share a record at first.
    let mut spread: Vec<u32> = (0..40).flat_map(|at| [1 + at % 5, at % 3, 1 + at % 2, 10 * at]).collect();
    spread.extend([64, 16, 3, 5]);
    let spread = |count: usize| Input { entry: "Spread", words: 4, records: &spread[..4 * count] };
    graphs.dispatch(stage, 0, By::Processor, false, &[spread(41)], &mut digest)?;
    graphs.dispatch(
        stage,
        0,
        By::Processor,
        false,
        &[Input { entry: "Again", words: 1, records: &[9] }],
        &mut digest,
    )?;
    let grid = |x: u32, y: u32| x | y << 16;
    let many: Vec<u32> = (0..700).collect();
    let others = [
        Input { entry: "Again", words: 1, records: &[1, 5, 6] },
        Input { entry: "Together", words: 3, records: &[0, 2, grid(7, 3), 0, 3, grid(1, 1), 0, 5, grid(32, 8)] },
        Input { entry: "Halves", words: 2, records: &[100, grid(2, 2), 7, grid(9, 1), 8, grid(0, 4)] },
        Input { entry: "OfTable", words: 1, records: &many },
        Input { entry: "OfTableToo", words: 1, records: &many[..33] },
        Input { entry: "Again", words: 1, records: &[2] },
    ];
    graphs.dispatch(stage, 0, By::Processor, true, &others, &mut digest)?;
    graphs.dispatch(stage, 0, By::Spaced(3), true, &others, &mut digest)?;
    graphs.dispatch(stage, 0, By::Spaced(1), false, &[spread(20)], &mut digest)?;
    let same = |_| Input { entry: "Halves", words: 2, records: &[6, 0x0002_0003, 6, 0x0002_0003, 6, 0x0002_0003] };
    graphs.dispatch(stage, 0, By::Same, false, &[same(0)], &mut digest)?;
    graphs.dispatch(stage, 0, By::Same, true, &[same(0), same(1)], &mut digest)?;
    graphs.dispatch(stage, 0, By::SameInput, true, &[same(0), same(1)], &mut digest)?;
    graphs.dispatch(stage, 0, By::Gpu(16), false, &[spread(40)], &mut digest)?;
    graphs.dispatch(stage, 0, By::Gpu(48), false, &[spread(41)], &mut digest)?;
    // What tracks its groups has no room for their number in the program's memory.
    let without = [&others[0], &others[2], &others[3], &others[4], &others[5]];
    let without: Vec<Input<'_>> = without.into_iter().map(|it| Input { ..*it }).chain([spread(7)]).collect();
    graphs.dispatch(stage, 0, By::Gpu(16), true, &without, &mut digest)?;
    let renamed = Input { entry: "Renamed", words: 2, records: &[3, 4, 50, 6] };
    graphs.dispatch(stage, 1, By::Processor, false, &[renamed], &mut digest)?;
    Ok(digest)
}

/// A state object with two graphs, and what their dispatches use.
struct Graphs {
    root: RootSignature,
    object: StateObject,
    properties: Com,
    sums: Buffer,
    zeroes: Buffer,
    table: Buffer,
    backing: [Buffer; 2],
}

/// A name as the API takes it.
fn wide(name: &str) -> Vec<u16> {
    name.encode_utf16().chain([0]).collect()
}

impl Graphs {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let root =
            RootSignature::compute(device, &[Parameter::Uav(0), Parameter::Constants { register: 0, count: 1 }])?;
        let parts = [
            Part::Library(&LIBRARY, &[]),
            Part::Graph(GRAPHS[0]),
            Part::Alone(GRAPHS[1], "Fixed", ("Renamed", 1), GRID),
            Part::Global(&root),
        ];
        let object = StateObject::new(device, D3D12_STATE_OBJECT_TYPE::EXECUTABLE, &parts, None)?;
        let properties = object.com.query(interface("ID3D12WorkGraphProperties"));
        let properties = properties.ok_or_else(|| Failure::Wrong("no properties of work graphs".into()))?;
        let mut table = vec![0; TABLE.len() * STRIDE as usize / 4];
        for (place, value) in table.chunks_mut(STRIDE as usize / 4).zip(TABLE) {
            place[0] = value;
        }
        let backing = |graph: u32| {
            let needs = memory(&properties, graph);
            let sound = needs.MinSizeInBytes <= needs.MaxSizeInBytes;
            Failure::unless(sound, || format!("graph {graph} needs {} bytes at least", needs.MinSizeInBytes))?;
            Buffer::writable(device, needs.MinSizeInBytes.max(256))
        };
        Ok(Self {
            sums: Buffer::writable(device, 4 * WORDS as u64)?,
            zeroes: Buffer::uploaded(device, &[0; WORDS])?,
            table: Buffer::uploaded(device, &table)?,
            backing: [backing(0)?, backing(1)?],
            root,
            object,
            properties,
        })
    }

    fn entry(&self, graph: u32, name: &str) -> u32 {
        let text = wide(name);
        let id = D3D12_NODE_ID { Name: text.as_ptr(), ArrayIndex: u32::from(name == "Renamed") };
        call!(self.properties, "ID3D12WorkGraphProperties", "GetEntrypointIndex", graph, &raw const id) as u32
    }

    /// What the state object says of its graphs.
    fn check(&self) -> Result<(), Failure> {
        let of = &self.properties;
        let number = |what: &str, got: u64, wanted: u32| {
            Failure::unless(got as u32 == wanted, || format!("{what} is {} instead of {wanted}", got as u32))
        };
        number("the number of graphs", call!(of, "ID3D12WorkGraphProperties", "GetNumWorkGraphs"), 2)?;
        for (name, index) in GRAPHS.iter().zip(0..) {
            let text = wide(name);
            let found = call!(of, "ID3D12WorkGraphProperties", "GetWorkGraphIndex", text.as_ptr());
            number("the index of a graph", found, index)?;
        }
        let nobody = wide("nobody");
        let none = call!(of, "ID3D12WorkGraphProperties", "GetWorkGraphIndex", nobody.as_ptr());
        number("the index of no graph", none, u32::MAX)?;
        number("nodes", call!(of, "ID3D12WorkGraphProperties", "GetNumNodes", 0u32), 13)?;
        number("nodes", call!(of, "ID3D12WorkGraphProperties", "GetNumNodes", 1u32), 1)?;
        number("entry points", call!(of, "ID3D12WorkGraphProperties", "GetNumEntrypoints", 0u32), 6)?;
        number("entry points", call!(of, "ID3D12WorkGraphProperties", "GetNumEntrypoints", 1u32), 1)?;
        for (graph, entry, bytes) in [(0, "Spread", 16), (0, "Again", 4), (0, "Together", 12), (1, "Renamed", 8)] {
            let index = self.entry(graph, entry);
            let size = call!(of, "ID3D12WorkGraphProperties", "GetEntrypointRecordSizeInBytes", graph, index);
            number(entry, size, bytes)?;
        }
        number("an entry point that is none", self.entry(0, "Each").into(), u32::MAX)?;
        let bin = wide("Bin");
        let id = D3D12_NODE_ID { Name: bin.as_ptr(), ArrayIndex: 2 };
        let index = call!(of, "ID3D12WorkGraphProperties", "GetNodeIndex", 0u32, &raw const id) as u32;
        let mut found = D3D12_NODE_ID { Name: core::ptr::null(), ArrayIndex: 0 };
        call!(of, "ID3D12WorkGraphProperties", "GetNodeID", &raw mut found, 0u32, index);
        number("the place in an array", found.ArrayIndex.into(), 2)?;
        let of_table = wide("OfTable");
        let id = D3D12_NODE_ID { Name: of_table.as_ptr(), ArrayIndex: 0 };
        let index = call!(of, "ID3D12WorkGraphProperties", "GetNodeIndex", 0u32, &raw const id) as u32;
        let place = call!(of, "ID3D12WorkGraphProperties", "GetNodeLocalRootArgumentsTableIndex", 0u32, index);
        number("the place in the table", place, 2)
    }

    /// Dispatches a graph once, and compares what its nodes have added. `several`: the way for several entry points.
    fn dispatch(
        &self,
        stage: &Stage,
        graph: u32,
        by: By,
        several: bool,
        inputs: &[Input<'_>],
        digest: &mut Digest,
    ) -> Result<(), Failure> {
        let mut list = List::direct(&stage.device)?;
        buffer::fill(&stage.queue, &mut list, &self.sums, &self.zeroes)?;
        list.set_compute_root(&self.root);
        list.compute_uav(0, self.sums.address);
        list.compute_constants(1, &[FACTOR]);
        let lists = list.com.query(interface("ID3D12GraphicsCommandList10"));
        let lists = lists.ok_or_else(|| Failure::Cannot("the library has no ID3D12GraphicsCommandList10".into()))?;
        self.set(&lists, graph);
        let records: Vec<Buffer> = match by {
            By::Processor | By::Spaced(_) | By::Same | By::SameInput => Vec::new(),
            By::Gpu(stride) => {
                let uploaded = inputs.iter().map(|input| spaced(stage, input, stride));
                uploaded.collect::<Result<_, _>>()?
            }
        };
        let described = self.describe(graph, by, inputs, &records);
        let inputs_there = Buffer::uploaded(&stage.device, &described)?;
        let apart = |input: &Input<'_>| match by {
            By::Spaced(words) => input.words + words,
            By::Same | By::SameInput => 0,
            _ => input.words,
        };
        let records_here: Vec<Vec<u32>> = inputs.iter().map(|input| input.spaced(apart(input))).collect();
        let here: Vec<D3D12_NODE_CPU_INPUT> = inputs
            .iter()
            .zip(&records_here)
            .map(|(input, records)| D3D12_NODE_CPU_INPUT {
                EntrypointIndex: self.entry(graph, input.entry),
                NumRecords: (input.records.len() / input.words) as u32,
                pRecords: records.as_ptr().cast::<c_void>(),
                RecordStrideInBytes: 4 * apart(input) as u64,
            })
            .collect();
        // Further apart than they need be, with what no pointer may be taken from between them.
        let apart: Vec<Apart> = here.iter().map(|input| Apart { input: *input, between: [u64::MAX; 2] }).collect();
        let several_there = Buffer::uploaded(
            &stage.device,
            &[inputs.len() as u32, 0, inputs_there.address as u32, (inputs_there.address >> 32) as u32, 24, 0],
        )?;
        let mut desc = D3D12_DISPATCH_GRAPH_DESC::default();
        match (by, several) {
            (By::Processor | By::Spaced(_) | By::Same | By::SameInput, false) => {
                desc.Mode = D3D12_DISPATCH_MODE::NODE_CPU_INPUT;
                desc.Anonymous.NodeCPUInput = here[0];
            }
            (By::Processor | By::Spaced(_) | By::Same | By::SameInput, true) => {
                desc.Mode = D3D12_DISPATCH_MODE::MULTI_NODE_CPU_INPUT;
                desc.Anonymous.MultiNodeCPUInput = D3D12_MULTI_NODE_CPU_INPUT {
                    NumNodeInputs: here.len() as u32,
                    pNodeInputs: apart.as_ptr().cast(),
                    NodeInputStrideInBytes: if by == By::SameInput { 0 } else { size_of::<Apart>() as u64 },
                };
            }
            (By::Gpu(_), false) => {
                desc.Mode = D3D12_DISPATCH_MODE::NODE_GPU_INPUT;
                desc.Anonymous.NodeGPUInput = inputs_there.address;
            }
            (By::Gpu(_), true) => {
                desc.Mode = D3D12_DISPATCH_MODE::MULTI_NODE_GPU_INPUT;
                desc.Anonymous.MultiNodeGPUInput = several_there.address;
            }
        }
        call!(lists, "ID3D12GraphicsCommandList10", "DispatchGraph", &raw const desc);
        list.uav_barrier(&self.sums.com);
        let before = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let got = buffer::fetch(&stage.device, &stage.queue, &mut list, &self.sums, before)?.read_u32()?;
        let mut expected = Sums::default();
        inputs.iter().for_each(|input| expected.input(input));
        let mut compared = got.clone();
        for (word, most) in COALESCED {
            // A group has one record at least, where there are any.
            let some = got[word] >= 1 || expected.0[word - 1] == 0;
            Failure::unless(some && got[word] <= most, || format!("a group of {} records", got[word]))?;
            compared[word] = 0;
        }
        let what = format!("what nodes of {by:?}, several: {several}, have added");
        Failure::unless_equal(&what, &compared, &expected.0)?;
        digest.add(&bytes_of(&compared));
        Ok(())
    }

    fn set(&self, list: &Com, graph: u32) {
        let properties = self.object.com.query(interface("ID3D12StateObjectProperties1"));
        let name = wide(GRAPHS[graph as usize]);
        let mut identifier = D3D12_PROGRAM_IDENTIFIER::default();
        if let Some(properties) = &properties {
            let (out, name) = (&raw mut identifier, name.as_ptr());
            call!(properties, "ID3D12StateObjectProperties1", "GetProgramIdentifier", out, name);
        }
        let backing = &self.backing[graph as usize];
        let mut desc = D3D12_SET_PROGRAM_DESC { Type: D3D12_PROGRAM_TYPE::WORK_GRAPH, ..Default::default() };
        desc.Anonymous.WorkGraph = D3D12_SET_WORK_GRAPH_DESC {
            ProgramIdentifier: identifier,
            Flags: D3D12_SET_WORK_GRAPH_FLAGS::INITIALIZE,
            BackingMemory: D3D12_GPU_VIRTUAL_ADDRESS_RANGE { StartAddress: backing.address, SizeInBytes: backing.size },
            NodeLocalRootArgumentsTable: D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE {
                StartAddress: self.table.address,
                SizeInBytes: self.table.size,
                StrideInBytes: STRIDE,
            },
        };
        call!(list, "ID3D12GraphicsCommandList10", "SetProgram", &raw const desc);
    }

    /// Inputs as the GPU reads them: six words each.
    fn describe(&self, graph: u32, by: By, inputs: &[Input<'_>], records: &[Buffer]) -> Vec<u32> {
        let By::Gpu(stride) = by else { return vec![0; 6] };
        let each = inputs.iter().zip(records).flat_map(|(input, records)| {
            let (count, address) = ((input.records.len() / input.words) as u32, records.address);
            [self.entry(graph, input.entry), count, address as u32, (address >> 32) as u32, stride as u32, 0]
        });
        each.collect()
    }
}

/// Records in memory of the GPU, so many bytes from each other.
fn spaced(stage: &Stage, input: &Input<'_>, stride: u64) -> Result<Buffer, Failure> {
    let mut words = Vec::new();
    for record in input.records.chunks_exact(input.words) {
        let end = words.len() + stride as usize / 4;
        words.extend(record);
        words.resize(end, 0xffff_ffff);
    }
    Buffer::uploaded(&stage.device, &words)
}

fn memory(properties: &Com, graph: u32) -> D3D12_WORK_GRAPH_MEMORY_REQUIREMENTS {
    let mut needs = D3D12_WORK_GRAPH_MEMORY_REQUIREMENTS::default();
    call!(properties, "ID3D12WorkGraphProperties", "GetWorkGraphMemoryRequirements", graph, &raw mut needs);
    needs
}
