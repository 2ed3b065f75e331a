//! Objects and commands that translate indirect arguments on one device.

use reprise_d3d12::description::buffer;
use reprise_d3d12::types::*;

use super::commands::{COPIES, Commands, GROUP, begin_writing, end_writing, transition};
use super::facts::Facts;
use super::layout::Layout;
use super::parts::{Followers, Piece, Program, writable};
use super::table::Moved;
use super::{Instances, UsedMemory};
use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::reference::Reference;
use crate::runtime::replay_objects::{address, committed, map};

/// Shader model 5, with its root signature: any runtime takes it.
const SHADER: &[u8] = include_bytes!("../../shaders/indirect.main.dxbc");
/// The same for instances of acceleration structures, which are many at a time.
const INSTANCES: &[u8] = include_bytes!("../../shaders/instances.main.dxbc");
const INSTANCES_IN_PLACE: &[u8] = include_bytes!("../../shaders/instances.in_place.dxbc");
/// The same for tables of shader records.
const RECORDS: &[u8] = include_bytes!("../../shaders/records.main.dxbc");
/// Bytes that are taken at a time for copies, at least.
const CHUNK: u64 = 1 << 20;
/// Larger memory for copies is given back when a recording is over: enough for as many instances as most frames have.
const LARGEST_KEPT: u64 = 64 << 20;
/// Copies begin at multiples of this.
pub(super) const ALIGNMENT: u64 = 256;
/// Least ranges that a table has room for: resources may come between the recording and the execution.
const LEAST_ROOM: u32 = 1024;
/// Least bytes of a table of facts, for the same reason.
const LEAST_FACTS: u64 = 32 << 10;

/// A table in memory that the GPU reads, of one recording: moved ranges, or what shader records hold. It is filled whenever the list
/// is executed.
pub(super) struct Table {
    buffer: u64,
    pub(super) address: u64,
    /// The address of its bytes in this process, which are mapped as long as it lives.
    place: u64,
    /// Bytes that it has room for.
    room: u64,
    /// The version of what it holds.
    version: Option<u64>,
}

impl Table {
    /// Moved ranges that it has room for.
    pub(super) fn ranges(&self) -> u32 {
        (self.room.saturating_sub(Moved::COUNT as u64) / Moved::RANGE as u64) as u32
    }

    /// Holds these ranges from now on, for executions that follow. The GPU is done with those before, by the API's rules for
    /// lists that are executed again.
    ///
    /// # Errors
    /// There is no room for so many ranges.
    pub(super) fn fill(&mut self, version: u64, moved: &Moved) -> Result<(), String> {
        if self.version == Some(version) {
            return Ok(());
        }
        let bytes = moved.bytes(self.ranges()).ok_or_else(|| {
            let (count, room) = (moved.len(), self.ranges());
            format!("the list was recorded with room for {room} ranges of addresses, and now there are {count}")
        })?;
        self.store(version, &bytes);
        Ok(())
    }

    /// Whether it holds this version.
    pub(super) fn holds(&self, version: u64) -> bool {
        self.version == Some(version)
    }

    /// Holds these facts from now on, as [`Table::fill`].
    ///
    /// # Errors
    /// There is no room for them.
    pub(super) fn fill_facts(&mut self, version: u64, facts: &Facts) -> Result<(), String> {
        let bytes: Vec<u8> = facts.words().into_iter().flat_map(u32::to_le_bytes).collect();
        if bytes.len() as u64 > self.room {
            return Err(format!(
                "the list was recorded with too little room for what is in shader tables now: {facts:?}"
            ));
        }
        self.store(version, &bytes);
        Ok(())
    }

    /// `bytes` are no more than it has room for.
    fn store(&mut self, version: u64, bytes: &[u8]) {
        let place = core::ptr::with_exposed_provenance_mut::<u8>(self.place as usize);
        // SAFETY: the place has room for so many bytes, and no work of the GPU reads it now.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
        self.version = Some(version);
    }
}

/// Memory for copies of arguments, of one recording.
pub(super) struct Scratch {
    buffer: u64,
    address: u64,
    bytes: u64,
    taken: u64,
}

/// One `ExecuteIndirect` to be.
pub(super) struct Patch<'p> {
    pub(super) layout: &'p Layout,
    pub(super) commands: u32,
    /// The program's buffer, where its state changes; else 0.
    pub(super) from: u64,
    /// The first argument.
    pub(super) from_address: u64,
    pub(super) table: &'p Table,
    pub(super) to: &'p Piece,
}

/// The device's part.
pub(super) struct Kit {
    device: u64,
    /// Moves indirect arguments, and instances that pointers lead to.
    pub(super) arguments: Program,
    /// Move arrays of instances, once some were to be moved: with the copy, and where it is made.
    instances: [Option<Program>; 2],
    /// Moves shader records, once some were to be moved.
    pub(super) records: Option<Program>,
    /// Follow addresses in memory, once some were to be followed.
    pub(super) followers: Followers,
    /// Tables that are free.
    tables: Vec<Table>,
    /// Chunks that are free.
    free: Vec<Scratch>,
}

impl Kit {
    pub(super) fn new(device: Reference<'_>) -> Result<Self, String> {
        let arguments = Program::new(device.runtime(), device.pointer(), SHADER)?;
        Ok(Self {
            device: device.into_pointer(),
            arguments,
            instances: [None, None],
            records: None,
            followers: Followers::default(),
            tables: Vec::new(),
            free: Vec::new(),
        })
    }

    /// The program that moves shader records.
    pub(super) fn records(&mut self, runtime: &Runtime) -> Result<&Program, String> {
        let program = match self.records.take() {
            Some(program) => program,
            None => Program::new(runtime, self.device, RECORDS)?,
        };
        Ok(self.records.insert(program))
    }

    /// The device, which stays alive.
    pub(super) fn device(&self) -> u64 {
        self.device
    }

    /// A table for a recording that begins when there are so many ranges.
    pub(super) fn table(&mut self, runtime: &Runtime, ranges: u32) -> Result<Table, String> {
        let room = ranges.saturating_mul(2).max(LEAST_ROOM);
        self.mapped(runtime, u64::from(room) * Moved::RANGE as u64 + Moved::COUNT as u64)
    }

    /// A table for a recording that begins when there are these facts.
    pub(super) fn table_of_facts(&mut self, runtime: &Runtime, facts: &Facts) -> Result<Table, String> {
        self.mapped(runtime, (8 * facts.words().len() as u64).max(LEAST_FACTS))
    }

    fn mapped(&mut self, runtime: &Runtime, room: u64) -> Result<Table, String> {
        if let Some(at) = self.tables.iter().position(|table| table.room >= room) {
            return Ok(Table { version: None, ..self.tables.swap_remove(at) });
        }
        let desc = buffer(room, D3D12_RESOURCE_FLAGS::NONE);
        let state = D3D12_RESOURCE_STATES::GENERIC_READ;
        let made = committed(runtime, self.device, D3D12_HEAP_TYPE::UPLOAD, &desc, state)?;
        let place = map(runtime, made.pointer(), "a buffer of replay's own")?;
        let address = address(runtime, made.pointer());
        Ok(Table { buffer: made.into_pointer(), address, place, room, version: None })
    }

    /// So many bytes that no other command of the recording uses.
    pub(super) fn scratch(
        &mut self,
        runtime: &Runtime,
        chunks: &mut Vec<Scratch>,
        bytes: u64,
    ) -> Result<Piece, String> {
        if chunks.last().is_none_or(|chunk| chunk.bytes - chunk.taken < bytes) {
            // The smallest that is free and large enough: sizes are powers of two, so few are larger than they need be.
            let free = self.free.iter().enumerate().filter(|(_, chunk)| chunk.bytes >= bytes);
            let chunk = match free.min_by_key(|(_, chunk)| chunk.bytes).map(|(at, _)| at) {
                Some(at) => self.free.swap_remove(at),
                None => self.chunk(runtime, bytes.max(CHUNK).checked_next_power_of_two().unwrap_or(bytes))?,
            };
            chunks.push(chunk);
        }
        let chunk = chunks.last_mut().ok_or("there is no memory")?;
        let offset = chunk.taken;
        chunk.taken = (offset + bytes).next_multiple_of(ALIGNMENT).min(chunk.bytes);
        Ok(Piece { buffer: chunk.buffer, offset, address: chunk.address + offset, again: offset != 0 })
    }

    fn chunk(&self, runtime: &Runtime, bytes: u64) -> Result<Scratch, String> {
        let (buffer, address) = writable(runtime, self.device, bytes)?;
        Ok(Scratch { buffer, address, bytes, taken: 0 })
    }

    /// Takes back the memory of a recording; the GPU is done with it.
    pub(super) fn take_back(&mut self, runtime: &Runtime, used: UsedMemory) {
        for mut chunk in used.scratch.into_iter().chain(used.builds).chain(used.commands) {
            if chunk.bytes <= LARGEST_KEPT {
                chunk.taken = 0;
                self.free.push(chunk);
            } else {
                runtime.release(chunk.buffer);
            }
        }
        self.tables.extend(used.table);
        self.tables.extend(used.facts.into_iter().map(|(_, table)| table));
    }

    /// Commands of one patch at most: as many as one dimension of a dispatch can have.
    pub(super) const MOST: u32 = 65_535 * GROUP;

    /// Records a copy of the arguments with addresses that are right here. Compute state is the kit's afterwards.
    pub(super) fn record(&self, commands: Commands<'_>, patch: &Patch<'_>) {
        let (arguments, shader) =
            (D3D12_RESOURCE_STATES::INDIRECT_ARGUMENT, D3D12_RESOURCE_STATES::NON_PIXEL_SHADER_RESOURCE);
        let program = |before, after| (patch.from != 0).then(|| transition(patch.from, before, after));
        commands.barriers([program(arguments, shader), begin_writing(patch.to, COPIES)].into_iter().flatten());
        self.copy(commands, patch);
        commands.barriers(program(shader, arguments).into_iter().chain([end_writing(patch.to, COPIES)]));
    }

    /// Records a copy of instances with addresses that are right here. Compute state is the kit's afterwards.
    ///
    /// # Errors
    /// The runtime refuses the program.
    pub(super) fn record_instances(
        &mut self,
        runtime: &Runtime,
        commands: Commands<'_>,
        instances: &Instances,
        (table, to): (&Table, &Piece),
    ) -> Result<(), String> {
        const COPIED: D3D12_RESOURCE_STATES = D3D12_RESOURCE_STATES::COPY_DEST;
        let [copying, in_place] = &mut self.instances;
        let (program, shader) = match instances.upload {
            Some(_) => (in_place, INSTANCES_IN_PLACE),
            None => (copying, INSTANCES),
        };
        if program.is_none() {
            *program = Some(Program::new(runtime, self.device, shader)?);
        }
        let program = program.as_ref().ok_or("there is no program")?;
        if let Some((from, offset)) = instances.upload {
            commands.barriers(to.again.then(|| transition(to.buffer, COPIES, COPIED)));
            commands.copy((from, offset), to, Layout::INSTANCES.bytes(instances.count));
            commands.barriers([transition(to.buffer, COPIED, D3D12_RESOURCE_STATES::UNORDERED_ACCESS)]);
        } else {
            commands.barriers(begin_writing(to, COPIES));
        }
        commands.program(program);
        commands.constants(&[instances.count, table.ranges()]);
        if instances.upload.is_some() {
            commands.reads(1, table.address);
            commands.writes(2, to.address);
        } else {
            commands.reads(1, instances.from);
            commands.reads(2, table.address);
            commands.writes(3, to.address);
        }
        commands.dispatch(instances.count);
        commands.barriers([end_writing(to, COPIES)]);
        Ok(())
    }

    /// Records the copy alone, without barriers.
    pub(super) fn copy(&self, commands: Commands<'_>, patch: &Patch<'_>) {
        let Layout { stride, size, addresses, .. } = *patch.layout;
        let mut constants = vec![stride, size, patch.commands, patch.table.ranges()];
        constants.extend(addresses);
        commands.program(&self.arguments);
        commands.constants(&constants);
        commands.reads(1, patch.from_address);
        commands.reads(2, patch.table.address);
        commands.writes(3, patch.to.address);
        commands.dispatch(patch.commands);
    }

    /// Gives everything back; nothing is in use.
    pub(super) fn release(self, runtime: &Runtime) {
        self.free.into_iter().for_each(|chunk| runtime.release(chunk.buffer));
        self.tables.into_iter().for_each(|table| runtime.release(table.buffer));
        self.arguments.release(runtime);
        self.instances.into_iter().flatten().chain(self.records).for_each(|program| program.release(runtime));
        self.followers.release(runtime);
        runtime.release(self.device);
    }
}
