//! Work graphs: where the memory that a program gives them has what, and the kernels between two levels of nodes.
//!
//! ```text
//!  counters   2 words, a word per node        what nodes have taken for the next level: nodes and kernels add
//!  commands   16 bytes, 48 per node           how many groups each node of this level has
//!  takings    8 bytes each                    runs of records, in the order in which they were taken
//!  offsets    a word per record               where records of this level lie, those of a node together
//!  records    twice                           of this level, and of the next
//! ```
//!
//! A level is: [`Encoder::level`], then a dispatch of each of its nodes. Kernels read a [`Node`] per node (`kernel/node.glsl`).
//! Invariant: takings and offsets have room for all records that records have room for, since a taking has at least 16 bytes and a
//! record at least 2; empty records have neither.

use ash::vk;

use crate::encoder::Encoder;
use crate::encoder::kernels::{Images, push};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::scope::{Gathered, Scope};

/// Bytes of a command.
const COMMAND: u64 = 48;
/// Bytes before the commands: the kernel's own.
const EXPAND: u64 = 16;
/// Parts begin at multiples of this.
const ALIGNMENT: u64 = 256;
/// What sizes of memory are multiples of.
pub const GRANULARITY: u64 = 64 << 10;
/// Bytes for records of a level, at least and at most.
const ROOM: [u64; 2] = [32 << 20, 128 << 20];

/// What kernels know of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Bytes of a record.
    pub stride: u32,
    /// 1 broadcasting, 2 coalescing, 3 thread launch; 0 for one that is not there.
    pub launch: u32,
    /// The last word of a record counts the groups that share it.
    pub tracked: bool,
    /// Components of a grid have 16 bits.
    pub narrow: bool,
    /// Records have their grid.
    pub dynamic: bool,
    /// Components of a record's grid.
    pub components: u32,
    /// Records of a group.
    pub records: u32,
    /// The node whose records it has, too.
    pub shares: Option<u32>,
    /// Where the grid is in a record.
    pub field: u32,
    /// Groups of a record, or most of them.
    pub groups: u32,
}

impl Node {
    /// As kernels read it.
    pub fn words(&self) -> [u32; 8] {
        let flags = [(self.tracked, 4), (self.narrow, 8), (self.dynamic, 16)];
        let kind = flags.into_iter().filter(|(has, _)| *has).fold(self.launch, |kind, (_, bit)| kind | bit);
        let kind = kind | self.components << 8;
        [self.stride, kind, self.records.max(1), self.shares.unwrap_or(u32::MAX), self.field, self.groups, 0, 0]
    }
}

/// Where what is, in bytes from the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    nodes: u32,
    commands: u64,
    takings: u64,
    offsets: u64,
    records: [u64; 2],
    /// Bytes for records of a level.
    pub room: u32,
}

impl Memory {
    /// Bytes that a graph of so many nodes needs besides records.
    fn fixed(nodes: u32) -> [u64; 2] {
        let commands = (8 + 4 * u64::from(nodes)).next_multiple_of(ALIGNMENT);
        [commands, (commands + EXPAND + COMMAND * u64::from(nodes)).next_multiple_of(ALIGNMENT)]
    }

    /// Least and most bytes for a graph of so many nodes.
    pub fn sizes(nodes: u32) -> [u64; 2] {
        let [_, fixed] = Memory::fixed(nodes);
        ROOM.map(|room| (fixed + 9 * (room / 2)).next_multiple_of(GRANULARITY))
    }

    /// Divides so many bytes; `None` if they are too few.
    pub fn new(nodes: u32, bytes: u64) -> Option<Memory> {
        let [commands, takings] = Memory::fixed(nodes);
        // One part of takings, two of records for each of two levels, and four of their offsets.
        let part = (bytes.checked_sub(takings)? / 9).min(u32::MAX as u64 / 4) / ALIGNMENT * ALIGNMENT;
        let (offsets, room) = (takings + part, 2 * part);
        let first = offsets + 2 * room;
        (room != 0).then_some(Memory {
            nodes,
            commands,
            takings,
            offsets,
            records: [first, first + room],
            room: room as u32,
        })
    }

    /// Words from the counters of nodes to the takings.
    pub fn takings_word(&self) -> u32 {
        (self.takings / 4) as u32 - 2
    }

    /// Where the records of a level lie.
    pub fn records(&self, level: u32) -> u64 {
        self.records[(level & 1) as usize]
    }

    /// Where the offsets of records lie.
    pub fn offsets(&self) -> u64 {
        self.offsets
    }

    /// Where a node's command lies: groups in rows, their first record (a word), the other groups, their first record, and the end.
    pub fn command(&self, node: u32) -> Command {
        let at = self.commands + EXPAND + COMMAND * u64::from(node);
        Command { rows: at, first: at + 12, rest: at + 16, second: at + 28, end: at + 32 }
    }
}

/// Where the parts of a node's command lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Groups in whole rows.
    pub rows: u64,
    /// The number of their first record.
    pub first: u64,
    /// The other groups.
    pub rest: u64,
    /// The number of their first record.
    pub second: u64,
    /// The number behind the last record.
    pub end: u64,
}

/// What a dispatch of a graph works on.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Address of the program's memory.
    pub base: u64,
    /// Its Vulkan buffer, and the first byte in it.
    pub buffer: (vk::Buffer, u64),
    /// How it is divided.
    pub memory: Memory,
    /// Address of the [`Node`]s, and of the nodes of entry points behind them.
    pub graph: u64,
    /// Number of entry points.
    pub entries: u32,
    /// One row has room for all groups.
    pub wide: bool,
}

fn half(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

/// What nodes and kernels write, for those behind them.
pub const NODES: Gathered = Gathered {
    before: COMPUTES,
    after: Scope {
        stages: vk::PipelineStageFlags2::from_raw(
            vk::PipelineStageFlags2::COMPUTE_SHADER.as_raw() | vk::PipelineStageFlags2::DRAW_INDIRECT.as_raw(),
        ),
        access: vk::AccessFlags2::from_raw(
            vk::AccessFlags2::SHADER_READ.as_raw()
                | vk::AccessFlags2::SHADER_WRITE.as_raw()
                | vk::AccessFlags2::INDIRECT_COMMAND_READ.as_raw(),
        ),
    },
};
const COMPUTES: Scope = Scope {
    // What reads commands is done before they are written anew.
    stages: vk::PipelineStageFlags2::from_raw(
        vk::PipelineStageFlags2::COMPUTE_SHADER.as_raw() | vk::PipelineStageFlags2::DRAW_INDIRECT.as_raw(),
    ),
    access: vk::AccessFlags2::from_raw(
        vk::AccessFlags2::SHADER_READ.as_raw() | vk::AccessFlags2::SHADER_WRITE.as_raw(),
    ),
};

impl Encoder {
    /// Brings records to the first level. `inputs` is the address of an input, or of the number, address and stride of several.
    ///
    /// # Errors
    /// Vulkan cannot make the pipeline.
    pub fn graph_inputs(&mut self, work: &Work, inputs: u64, several: bool) -> Result<()> {
        /// Groups that copy.
        const GROUPS: u32 = 32;
        let ([a, b], [c, d], [e, f]) = (half(work.graph), half(inputs), half(work.base));
        let [g, h] = half(work.base + work.memory.records(0));
        let Memory { nodes, room, .. } = work.memory;
        let takings = work.memory.takings_word();
        let words = push([a, b, c, d, e, f, g, h, nodes, work.entries, takings, room, several.into()]);
        self.barriers(&NODES);
        self.run(Kernel::NodeInputs, Images::default(), &words, [GROUPS, 1, 1])?;
        self.barriers(&NODES);
        Ok(())
    }

    /// What was taken becomes what the nodes of a level have.
    ///
    /// # Errors
    /// Vulkan cannot make the pipelines.
    pub fn level(&mut self, work: &Work, level: u32) -> Result<()> {
        let memory = work.memory;
        let ([a, b], [c, d]) = (half(work.graph), half(work.base));
        let [e, f] = half(work.base + memory.commands);
        let words = push([a, b, c, d, e, f, memory.nodes, work.wide.into()]);
        self.run(Kernel::NodeGroups, Images::default(), &words, [1, 1, 1])?;
        self.barriers(&NODES);
        let ([c, d], [g, h]) = (half(work.base + memory.takings), half(work.base + memory.records(level)));
        let [i, j] = half(work.base + memory.offsets);
        let (buffer, first) = work.buffer;
        self.run_from(Kernel::NodeRecords, &push([a, b, e, f, c, d, g, h, i, j]), (buffer, first + memory.commands))?;
        self.barriers(&NODES);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_behind_each_other_and_inside() {
        for nodes in [1, 2, 60, 1000, 60_000] {
            for bytes in Memory::sizes(nodes).into_iter().chain([1 << 20, 16 << 20]) {
                let Some(memory) = Memory::new(nodes, bytes) else { continue };
                let room = u64::from(memory.room);
                assert!(8 + 4 * u64::from(nodes) <= memory.commands);
                assert!(memory.command(nodes - 1).rows + COMMAND <= memory.takings);
                // Takings of 16 bytes, and records of 2.
                assert!(memory.takings + room / 16 * 8 <= memory.offsets, "{nodes} {bytes}");
                assert!(memory.offsets + room / 2 * 4 <= memory.records(0));
                assert!(memory.records(0) + room <= memory.records(1) && memory.records(1) + room <= bytes);
                assert!([memory.commands, memory.takings, memory.records(0)].iter().all(|at| at % ALIGNMENT == 0));
                assert_eq!(8 + 4 * u64::from(memory.takings_word()), memory.takings);
            }
            let [least, most] = Memory::sizes(nodes);
            let room = |bytes| Memory::new(nodes, bytes).map_or(0, |memory| u64::from(memory.room));
            assert!(least < most && room(least) >= ROOM[0] && room(most) >= ROOM[1]);
        }
        assert_eq!(Memory::new(1000, 4096), None);
    }
}
