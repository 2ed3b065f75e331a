//! What is named by addresses in memory: a shader makes commands of these addresses, which copy what lies there.
//!
//! A shader of model 5 cannot follow an address, but an indirect command can set one as a root view. So the shaders that copy are
//! dispatched by commands that another shader makes: `dispatches.hlsl` reads the descriptions of indirect dispatches of rays and makes a
//! command for each of their tables, `pointers.hlsl` one for each instance that a pointer leads to.
//!
//! The GPU alone knows how large such a table is. Each has a fixed room; one that has none is used as it is, and counted.

use reprise_d3d12::types::{
    D3D12_INDIRECT_ARGUMENT_DESC as Argument, D3D12_INDIRECT_ARGUMENT_TYPE as Kind, D3D12_RESOURCE_BARRIER,
    D3D12_RESOURCE_STATES as State,
};

use super::commands::{COPIES, Commands, begin_writing, end_writing, transition, writes_done};
use super::kit::{Kit, Patch, Table};
use super::layout::Layout;
use super::parts::{Maker, Piece, Program, writable};
use super::tables::Records;
use super::trial;
use crate::runtime::Runtime;

const DISPATCHES: &[u8] = include_bytes!("../../shaders/dispatches.main.dxbc");
const POINTERS: &[u8] = include_bytes!("../../shaders/pointers.main.dxbc");

/// Words of a command that copies a shader table, as `dispatches.hlsl` makes it.
const TABLE_COMMAND: u32 = 12;
/// Words of a command that copies an instance, as `pointers.hlsl` makes it.
const INSTANCE_COMMAND: u32 = 8;
/// Tables of a dispatch.
const TABLES: u32 = 4;

/// Room for the tables of indirect dispatches: bytes for each that is no ray generation record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Room {
    table: u64,
    dispatches: u32,
}

impl Room {
    /// For the tables of one kind, of all commands of a call: what several calls of a frame can have without crowding out the program.
    const OF_A_KIND: u64 = 32 << 20;
    /// For one table at most: a record of 64 bytes for each of 131,072 geometries.
    const MOST: u64 = 8 << 20;
    /// And at least.
    const LEAST: u64 = 64 << 10;

    /// For so many commands.
    ///
    /// # Errors
    /// They are too many.
    pub(super) fn of(dispatches: u32) -> Result<Self, String> {
        let each = Self::OF_A_KIND / u64::from(dispatches.max(1));
        let table = each.min(Self::MOST) / 256 * 256;
        if table >= Self::LEAST {
            return Ok(Self { table, dispatches });
        }
        let most = Self::OF_A_KIND / Self::LEAST;
        Err(format!(
            "{dispatches} indirect dispatches of rays are more than the {most} whose shader tables can be moved at once"
        ))
    }

    /// Bytes for all tables.
    pub(super) fn bytes(self) -> u64 {
        u64::from(self.dispatches) * (Records::LONGEST + 3 * self.table)
    }

    /// Bytes of the commands that copy them.
    pub(super) fn bytes_of_commands(self) -> u64 {
        u64::from(self.dispatches) * u64::from(TABLES * TABLE_COMMAND * 4)
    }
}

/// What the tables of indirect dispatches need beside the copy of the arguments.
pub(super) struct Rays<'p> {
    /// The address of the table of facts.
    pub(super) facts: u64,
    pub(super) room: Room,
    /// Where the copies go.
    pub(super) to: u64,
    /// Commands that copy them.
    pub(super) made: &'p Piece,
    /// The buffer with the count, where its state changes and it is not that of the arguments; else 0.
    pub(super) count: u64,
    /// The address of the count; 0 where there is none.
    pub(super) count_address: u64,
    /// The word of a command at which the description of its dispatch begins.
    pub(super) at: u32,
}

impl Kit {
    /// Makes what moves the tables of indirect dispatches, once.
    ///
    /// # Errors
    /// The device does not execute it.
    pub(super) fn follow_dispatches(&mut self, runtime: &Runtime) -> Result<(), String> {
        const WHAT: &str = "shader tables of indirect dispatches of rays";
        if self.followers.totals.is_none() {
            self.followers.totals = Some(writable(runtime, self.device(), 256)?);
        }
        if self.followers.dispatches.is_none() {
            let device = self.device();
            let records = self.records(runtime)?;
            let arguments =
                [constants(4), view(Kind::SHADER_RESOURCE_VIEW, 1), view(Kind::UNORDERED_ACCESS_VIEW, 4), dispatch()];
            let commands = (&arguments[..], TABLE_COMMAND);
            let maker = tried(runtime, device, (DISPATCHES, records), commands, WHAT)?;
            self.followers.dispatches = Some(maker);
        }
        Ok(())
    }

    /// Makes what moves instances that pointers lead to, once.
    ///
    /// # Errors
    /// The device does not execute it.
    pub(super) fn follow_pointers(&mut self, runtime: &Runtime) -> Result<(), String> {
        const WHAT: &str = "instances that are named by pointers";
        if self.followers.pointers.is_none() {
            let arguments = [view(Kind::SHADER_RESOURCE_VIEW, 1), view(Kind::UNORDERED_ACCESS_VIEW, 3), dispatch()];
            let commands = (&arguments[..], INSTANCE_COMMAND);
            let maker = tried(runtime, self.device(), (POINTERS, &self.arguments), commands, WHAT)?;
            self.followers.pointers = Some(maker);
        }
        Ok(())
    }

    /// Records a copy of the arguments of dispatches of rays, and of the tables that they name. Compute state is the kit's afterwards.
    ///
    /// # Errors
    /// The runtime refuses an object that this needs; nothing is recorded then.
    pub(super) fn record_dispatches(
        &mut self,
        runtime: &Runtime,
        commands: Commands<'_>,
        patch: &Patch<'_>,
        rays: &Rays<'_>,
    ) -> Result<(), String> {
        self.follow_dispatches(runtime)?;
        let (arguments, shader) = (State::INDIRECT_ARGUMENT, State::NON_PIXEL_SHADER_RESOURCE);
        let program = |before, after| {
            let buffers = [patch.from, rays.count].into_iter().filter(|buffer| *buffer != 0);
            buffers.map(move |buffer| transition(buffer, before, after))
        };
        let own = begin_writing(patch.to, COPIES).into_iter().chain(begin_writing(rays.made, arguments));
        commands.barriers(program(arguments, shader).chain(own));
        self.copy_dispatches(commands, patch, rays, program(shader, arguments))?;
        commands.barriers([end_writing(patch.to, COPIES)]);
        Ok(())
    }

    /// Records the copies of [`Kit::record_dispatches`] between barriers of the caller's; `read` are for when the arguments have been read.
    ///
    /// # Errors
    /// [`Kit::follow_dispatches`] was not called before; nothing is recorded then.
    pub(super) fn copy_dispatches(
        &self,
        commands: Commands<'_>,
        patch: &Patch<'_>,
        rays: &Rays<'_>,
        read: impl IntoIterator<Item = D3D12_RESOURCE_BARRIER>,
    ) -> Result<(), String> {
        let records = self.records.as_ref().ok_or("there is no program")?;
        let maker = self.followers.dispatches.as_ref().ok_or("there is no program")?;
        let (_, totals) = self.followers.totals.ok_or("there is no memory")?;
        self.copy(commands, patch);
        commands.barriers([writes_done()]);

        let ranges = patch.table.ranges();
        let (low, high) = (rays.to as u32, (rays.to >> 32) as u32);
        let words = [Records::LONGEST, rays.room.table].map(|bytes| (bytes / 4) as u32);
        let counted = rays.count_address != 0;
        commands.program(&maker.program);
        commands.constants(&[
            patch.layout.stride,
            rays.at,
            patch.commands,
            ranges,
            low,
            high,
            words[0],
            words[1],
            counted.into(),
        ]);
        commands.reads(1, patch.from_address);
        commands.reads(2, patch.table.address);
        // Without a count any address will do: nothing that is read there decides.
        commands.reads(3, if counted { rays.count_address } else { patch.table.address });
        commands.writes(4, patch.to.address);
        commands.writes(5, rays.made.address);
        commands.writes(6, totals);
        commands.dispatch(TABLES * patch.commands);
        let made = [end_writing(rays.made, State::INDIRECT_ARGUMENT), writes_done()];
        commands.barriers(read.into_iter().chain(made));

        commands.program(records);
        commands.reads(2, patch.table.address);
        commands.reads(3, rays.facts);
        commands.execute(maker.signature, TABLES * patch.commands, rays.made);
        Ok(())
    }

    /// Bytes of the commands that copy so many instances.
    pub(super) fn bytes_of_pointers(pointers: u32) -> u64 {
        u64::from(pointers) * u64::from(INSTANCE_COMMAND * 4)
    }

    /// Records a copy of the instances that so many pointers lead to, as an array. Compute state is the kit's afterwards.
    ///
    /// # Errors
    /// The runtime refuses an object that this needs; nothing is recorded then.
    pub(super) fn record_pointers(
        &mut self,
        runtime: &Runtime,
        commands: Commands<'_>,
        (from, pointers): (u64, u32),
        (table, made, to): (&Table, &Piece, &Piece),
    ) -> Result<(), String> {
        self.follow_pointers(runtime)?;
        let maker = self.followers.pointers.as_ref().ok_or("there is no program")?;
        let arguments = State::INDIRECT_ARGUMENT;
        commands.barriers(begin_writing(to, COPIES).into_iter().chain(begin_writing(made, arguments)));
        commands.program(&maker.program);
        commands.constants(&[pointers, table.ranges(), to.address as u32, (to.address >> 32) as u32]);
        commands.reads(1, from);
        commands.reads(2, table.address);
        commands.writes(3, made.address);
        commands.writes(4, to.address);
        commands.dispatch(pointers);
        commands.barriers([end_writing(made, arguments), writes_done()]);

        // Each command copies one instance.
        let Layout { stride, size, addresses, .. } = Layout::INSTANCES;
        let mut constants = vec![stride, size, 1, table.ranges()];
        constants.extend(addresses);
        commands.program(&self.arguments);
        commands.constants(&constants);
        commands.reads(2, table.address);
        commands.execute(maker.signature, pointers, made);
        commands.barriers([end_writing(to, COPIES)]);
        Ok(())
    }
}

/// A program that makes commands which dispatch another one, if the device executes them; `what` is moved by it.
fn tried(
    runtime: &Runtime,
    device: u64,
    (shader, of): (&[u8], &Program),
    commands: (&[Argument], u32),
    what: &str,
) -> Result<Maker, String> {
    let maker = Maker::new(runtime, device, shader, of, commands)?;
    match trial::of_commands(runtime, device, (&maker, of), what) {
        Ok(()) => Ok(maker),
        Err(why) => {
            maker.release(runtime);
            Err(why)
        }
    }
}

fn dispatch() -> Argument {
    Argument { Type: Kind::DISPATCH, ..Default::default() }
}

/// So many words at root parameter 0.
fn constants(count: u32) -> Argument {
    let mut argument = Argument { Type: Kind::CONSTANT, ..Default::default() };
    argument.Anonymous.Constant.Num32BitValuesToSet = count;
    argument
}

/// A view at a root parameter. All kinds have it in the same place.
fn view(kind: Kind, parameter: u32) -> Argument {
    let mut argument = Argument { Type: kind, ..Default::default() };
    argument.Anonymous.ShaderResourceView.RootParameterIndex = parameter;
    argument
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_room_as_long_as_there_are_few() {
        let room = |dispatches| Room::of(dispatches).unwrap();
        assert_eq!((room(1).table, room(1).bytes()), (8 << 20, 4096 + 3 * (8 << 20)));
        assert_eq!(room(512).table, 64 << 10);
        assert!(room(100).table.is_multiple_of(256) && room(100).bytes() < 100 << 20);
        let error = Room::of(513).err().unwrap();
        assert!(error.contains("513 indirect dispatches of rays are more than the 512"), "{error}");
    }
}
