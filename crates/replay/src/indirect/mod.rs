//! Addresses, handles and identifiers in memory that differ on this device: the GPU translates them right before their use.
//!
//! Where buffers do not lie at their recorded addresses, `ExecuteIndirect` reads a copy of its arguments. A compute shader of
//! replay's own makes the copy in the same list: `shaders/indirect.hlsl` looks each address up in a table of old and new
//! places. All of it is Direct3D 12, so it works on any runtime; nothing is read back. The table has the resources that are alive
//! when the list is executed, because only then are the arguments read: each recording has a table of its own, which replay fills
//! at `ExecuteCommandLists`. An address that lies in no resource, alive or gone, stays as it is: beyond the count that a buffer holds, arguments may
//! be anything.
//!
//! Instances of acceleration structures and tables of shader records ([`tables`]) are translated in the same way. Where addresses in
//! memory lead to more memory, a shader makes a command of each address ([`follow`]).
//!
//! Invariant: afterwards the list has the compute state and the predicate that the program gave it ([`state`] follows them per list).
//! Nothing can be computed within render passes and bundles. What the commands of a pass read is translated before the pass begins ([`passes`]);
//! what those of a bundle read, before the list executes the bundle ([`bundles`]). What cannot be translated is unsupported.

mod bundles;
mod commands;
mod facts;
mod follow;
mod kit;
mod layout;
mod parts;
mod passes;
mod promise;
mod state;
mod table;
mod tables;
mod totals;
mod trial;

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_DISPATCH_RAYS_DESC;
use reprise_d3d12::{MODEL, method};
use reprise_trace::read::Call;

use crate::error::Place;
use crate::input::values::argument;
use crate::runtime::Runtime;
use crate::runtime::reference;

pub(crate) use facts::{Facts, Field, Heap, IDENTIFIER, Identifier};
pub(crate) use layout::Layout;
pub(crate) use parts::{Prepared, Program};
pub(crate) use passes::{Asked, Passes, Within, are_in as passes_are_in};
pub(crate) use promise::{PromisedRays, Source};
pub(crate) use state::{BoundState, ListMade};
pub(crate) use table::Moved;

use commands::{COPIES, Commands, begin_writing, end_writing};
use follow::{Rays, Room};
use kit::{Kit, Patch, Scratch, Table};
use state::{ComputeState, FollowedList, LISTS};
use tables::Copies;

/// Whether the trace's schema names a method that reads addresses in memory; one without a schema may have it.
pub(crate) fn are_in(schema: &[u8]) -> bool {
    const NAMES: [&[u8]; 5] = [
        b"::ExecuteIndirect",
        b"::BuildRaytracingAccelerationStructure",
        b"::DispatchRays",
        b"::SetProgram",
        b"::DispatchGraph",
    ];
    let has = |name: &[u8]| schema.windows(name.len()).any(|window| window == name);
    schema.is_empty() || NAMES.into_iter().any(has)
}

/// Lists that are followed, and memory for translated arguments.
#[derive(Default)]
pub(crate) struct Indirect {
    /// By method: whether it is followed. Empty where nothing is: a trace without indirect commands needs nothing.
    followed: Vec<bool>,
    lists: HashMap<u32, FollowedList>,
    /// By device.
    kits: HashMap<u64, Kit>,
    /// Where resources lie, as of a version of the recorded ranges.
    moved: Option<(u64, Arc<Moved>)>,
    /// Memory that the GPU may still read, by the allocator of the lists that used it.
    used: HashMap<u32, Vec<UsedMemory>>,
    /// Signatures of the program that were tried, and why their commands are not executed here.
    tried: HashMap<u32, Result<(), String>>,
}

/// Memory of one recording.
#[derive(Default)]
struct UsedMemory {
    /// 0: nothing was used.
    device: u64,
    scratch: Vec<Scratch>,
    /// For builds of acceleration structures, which leave it in another state.
    builds: Vec<Scratch>,
    /// For commands that shaders make, which are in another state while copies are written.
    commands: Vec<Scratch>,
    table: Option<Table>,
    /// What shader records hold, by state object.
    facts: Vec<(u32, Table)>,
}

impl Indirect {
    const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
    const RESET_ALLOCATOR: MethodId = method("ID3D12CommandAllocator", "Reset");
    const BUNDLE: MethodId = method("ID3D12GraphicsCommandList", "ExecuteBundle");

    /// Follows lists from here on.
    pub(crate) fn follow(&mut self) {
        let methods = LISTS.iter().chain(&[Self::RESET, Self::RESET_ALLOCATOR, Self::BUNDLE]);
        self.followed = vec![false; MODEL.methods.len()];
        methods.for_each(|method| self.followed[usize::from(method.0)] = true);
    }

    /// A list was made.
    pub(crate) fn made(&mut self, id: u32, made: ListMade) {
        if !self.followed.is_empty() {
            self.lists.insert(id, FollowedList::new(made));
        }
    }

    /// A call on a list or allocator was made with these words.
    #[inline]
    pub(crate) fn note(&mut self, runtime: &Runtime, call: &Call<'_>, words: &[u64]) {
        if self.followed.get(usize::from(call.method)) == Some(&true) {
            self.noted(runtime, call, words);
        }
    }

    fn noted(&mut self, runtime: &Runtime, event: &Call<'_>, words: &[u64]) {
        let method = MethodId(event.method);
        match method {
            Self::RESET_ALLOCATOR => self.let_go(runtime, event.object),
            Self::RESET => {
                let id = |name| argument(method.get(), event.payload, name).unwrap_or(0) as u32;
                self.retire(event.object);
                if let Some(list) = self.lists.get_mut(&event.object) {
                    list.reset(id("pAllocator"), id("pInitialState"));
                }
            }
            Self::BUNDLE => {
                let bundle = argument(method.get(), event.payload, "pCommandList").unwrap_or(0) as u32;
                let left = self.lists.get(&bundle);
                let left = left.map(|it| (it.state.clone(), it.trusts, it.trusts_tables.clone()));
                if let (Some(list), Some((left, trusts, tables))) = (self.lists.get_mut(&event.object), left) {
                    list.state.run_bundle(left);
                    // The list depends on what its bundles depend on.
                    list.trusts |= trusts;
                    list.trusts_tables.extend(tables);
                }
            }
            _ => {
                if let Some(list) = self.lists.get_mut(&event.object) {
                    let first = method.get().params.first();
                    let first = first.and_then(|field| argument(method.get(), event.payload, field.name));
                    // SAFETY: the words are valid arguments of the method: the call was made with them.
                    unsafe { list.note(method, first.unwrap_or(0) as u32, words) };
                }
            }
        }
    }

    /// The memory of a list stays with its allocator until that is reset.
    fn retire(&mut self, id: u32) {
        let Some(list) = self.lists.get_mut(&id) else { return };
        let used = core::mem::take(&mut list.used);
        if used.device != 0 {
            self.used.entry(list.allocator).or_default().push(used);
        }
    }

    /// The program resets an allocator: the GPU is done with its recordings.
    fn let_go(&mut self, runtime: &Runtime, allocator: u32) {
        for used in self.used.remove(&allocator).unwrap_or_default() {
            self.kits.entry(used.device).and_modify(|kit| kit.take_back(runtime, used));
        }
    }

    /// An object of the program went.
    pub(crate) fn gone(&mut self, runtime: &Runtime, id: u32) {
        if !self.followed.is_empty() {
            self.retire(id);
            self.lists.remove(&id);
            self.tried.remove(&id);
            self.let_go(runtime, id);
        }
    }

    /// Releases everything; the GPU is done.
    pub(crate) fn release(&mut self, runtime: &Runtime) {
        let lists: Vec<u32> = self.lists.keys().copied().collect();
        lists.into_iter().for_each(|id| self.retire(id));
        let allocators: Vec<u32> = self.used.keys().copied().collect();
        allocators.into_iter().for_each(|id| self.let_go(runtime, id));
        self.kits.drain().for_each(|(_, kit)| kit.release(runtime));
    }
}

/// An `ExecuteIndirect` whose arguments hold addresses, with pointers of the runtime.
pub(crate) struct Command {
    /// The list's id, and the list.
    pub(crate) list: (u32, u64),
    pub(crate) layout: Layout,
    /// How many commands lie whole in the buffer of arguments.
    pub(crate) commands: u32,
    /// The buffer of arguments, where its state changes; else 0.
    pub(crate) arguments: u64,
    /// The address of the first argument.
    pub(crate) address: u64,
    /// The buffer with the count and the offset of the count; 0 where there is none.
    pub(crate) count: (u64, u64),
    /// For dispatches of rays whose tables are to be moved.
    pub(crate) rays: Option<MovedRays>,
}

/// What moving the tables of indirect dispatches needs.
pub(crate) struct MovedRays {
    /// The state object that traces, and what is known of its records.
    pub(crate) state_object: u32,
    pub(crate) facts: Arc<Facts>,
    /// The address of the count; 0 where there is none.
    pub(crate) count_address: u64,
    /// Whether the count lies in a buffer of its own whose state changes.
    pub(crate) count_changes: bool,
}

/// What addresses in memory name, so that the GPU alone finds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Named {
    /// Shader tables of indirect dispatches of rays.
    Tables,
    /// Instances by pointers.
    Instances,
}

/// Instances of a build.
pub(crate) struct Instances {
    /// The list's id, and the list.
    pub(crate) list: (u32, u64),
    /// Where they lie here: in a state for shaders to read, or in an upload heap.
    pub(crate) from: u64,
    /// Of an upload heap: the buffer here, and where they begin in it. What lies there can be copied without a shader.
    pub(crate) upload: Option<(u64, u64)>,
    pub(crate) count: u32,
    /// Pointers to them lie there.
    pub(crate) by_pointers: bool,
}

impl Indirect {
    /// How many pointers to instances can be followed at once: as many indirect commands as every device executes in one call.
    pub(crate) const MOST_POINTERS: u32 = 1 << 20;
    /// How many commands can be translated at once.
    pub(crate) const MOST: u32 = Kit::MOST;

    /// Why a bundle's commands are not written before a render pass.
    pub(crate) const LATE: &str = bundles::LATE;

    /// Whether so many commands can be translated at once.
    ///
    /// # Errors
    /// They cannot.
    pub(crate) fn can_move(commands: u32) -> Result<(), String> {
        let most = Self::MOST;
        match commands > most {
            true => {
                Err(format!("{commands} indirect commands are more than the {most} that can be translated at once"))
            }
            false => Ok(()),
        }
    }

    /// Whether there is room for the tables of so many dispatches of rays.
    ///
    /// # Errors
    /// There is not.
    pub(crate) fn has_room(dispatches: u32) -> Result<(), String> {
        Room::of(dispatches).map(|_| ())
    }

    /// Whether the tables of a dispatch can be copied, of which so many bytes are `there`.
    ///
    /// # Errors
    /// They are too large.
    pub(crate) fn can_copy(desc: &D3D12_DISPATCH_RAYS_DESC, there: [u64; 4]) -> Result<(), String> {
        Copies::of(desc, there).map(|_| ())
    }

    /// Root signature and pipeline of a list, to be given back after commands of replay's own.
    ///
    /// # Errors
    /// Replay cannot add commands here: why.
    pub(crate) fn bound(&self, list: u32) -> Result<BoundState<u32>, String> {
        let list = self.lists.get(&list).ok_or("the list was made in a way that is not known")?;
        list.can_patch()?;
        Ok(list.state.bound())
    }

    /// Where resources lie as of this version of the recorded ranges, if that is known.
    pub(crate) fn moved(&self, version: u64) -> Option<Arc<Moved>> {
        self.moved.as_ref().filter(|(known, _)| *known == version).map(|(_, moved)| moved.clone())
    }

    /// A list reads arguments with addresses.
    pub(crate) fn asks_for(&mut self, place: &Place, asked: Asked, layout: Layout) {
        if let Some(list) = self.lists.get_mut(&asked.list) {
            list.asked.push((place.clone(), asked, layout));
        }
    }

    /// What these lists read so.
    pub(crate) fn asked(&self, lists: &[u32]) -> Vec<(Place, Asked, Layout)> {
        lists.iter().filter_map(|id| self.lists.get(id)).flat_map(|list| list.asked.iter().cloned()).collect()
    }

    /// A list has commands with addresses that are not translated, because all resources lie where they lay at capture.
    pub(crate) fn trusts(&mut self, list: u32) {
        if let Some(list) = self.lists.get_mut(&list) {
            list.trusts = true;
        }
    }

    /// A list uses shader tables as they are, by this state object.
    pub(crate) fn trusts_tables(&mut self, list: u32, state_object: u32) {
        if let Some(list) = self.lists.get_mut(&list) {
            list.trusts_tables.insert(state_object);
        }
    }

    /// The state objects whose shader tables these lists use as they are.
    pub(crate) fn trusted(&self, lists: &[u32]) -> BTreeSet<u32> {
        let lists = lists.iter().filter_map(|id| self.lists.get(id));
        lists.flat_map(|list| list.trusts_tables.iter().copied()).collect()
    }

    /// Whether lists are followed.
    pub(crate) fn is_used(&self) -> bool {
        !self.lists.is_empty()
    }

    /// Whether one of these lists depends on where resources lie.
    pub(crate) fn asks(&self, lists: &[u32]) -> bool {
        let asks = |id| self.lists.get(id).is_some_and(|list| list.asks());
        lists.iter().any(asks)
    }

    /// Lists are about to be executed: their tables get where resources lie now, as of this version of the recorded ranges.
    ///
    /// # Errors
    /// A list cannot be told: why.
    pub(crate) fn fill(&mut self, lists: &[u32], version: u64, moved: &Moved) -> Result<(), String> {
        for id in lists {
            let Some(list) = self.lists.get_mut(id) else { continue };
            if list.trusts && !moved.is_nothing() {
                return Err("resources that came after indirect commands were recorded lie elsewhere here".into());
            }
            if let Some(table) = &mut list.used.table {
                table.fill(version, moved)?;
            }
        }
        Ok(())
    }

    /// Keeps where resources lie as of a version of the recorded ranges.
    pub(crate) fn keep_moved(&mut self, version: u64, moved: Moved) -> Arc<Moved> {
        let moved = Arc::new(moved);
        self.moved = Some((version, moved.clone()));
        moved
    }

    /// Records a copy of the arguments that is right here, and puts `bound` back; where the copy lies. `ranges` is how many ranges of
    /// addresses there are.
    ///
    /// # Errors
    /// The runtime refuses an object that the translation needs.
    ///
    /// # Safety
    /// All pointers are alive, and stay so until the program resets the list's allocator.
    pub(crate) unsafe fn translate(
        &mut self,
        runtime: &Runtime,
        command: &Command,
        bound: BoundState<u64>,
        ranges: u32,
    ) -> Result<Prepared, String> {
        let facts = command.rays.as_ref().map(|rays| (rays.state_object, &*rays.facts));
        let Open { kit, used, state } = self.open(runtime, command.list, ranges, facts)?;
        let room = facts.map(|_| Room::of(command.commands)).transpose()?;
        let made = match room {
            Some(room) => Some(kit.scratch(runtime, &mut used.commands, room.bytes_of_commands())?),
            None => None,
        };
        // Copies of tables lie behind that of the arguments.
        let first = command.layout.bytes(command.commands).next_multiple_of(kit::ALIGNMENT);
        let to = kit.scratch(runtime, &mut used.scratch, first + room.map_or(0, Room::bytes))?;
        let patch = Patch {
            layout: &command.layout,
            commands: command.commands,
            from: command.arguments,
            from_address: command.address,
            table: used.table.as_ref().ok_or(NO_TABLE)?,
            to: &to,
        };
        // SAFETY: list and buffers are alive, says the caller; kit and tables are this module's own.
        let commands = unsafe { Commands::new(runtime, command.list.1) };
        commands.stop_predication(bound.has_predicate());
        let (count, _) = command.count;
        let done = match (&command.rays, command.layout.rays, room, &made) {
            (Some(rays), Some(at), Some(room), Some(made)) => {
                let rays = Rays {
                    facts: used.facts_of(rays.state_object)?.address,
                    room,
                    to: to.address + first,
                    made,
                    count: if rays.count_changes { count } else { 0 },
                    count_address: rays.count_address,
                    at,
                };
                kit.record_dispatches(runtime, commands, &patch, &rays)
            }
            _ => {
                kit.record(commands, &patch);
                Ok(())
            }
        };
        // SAFETY: list and `bound` are alive, says the caller.
        unsafe { state.restore(runtime, command.list.1, bound) };
        done?;
        Ok(Prepared { buffer: to.buffer, offset: to.offset, commands: command.commands })
    }

    /// Makes an `ExecuteIndirect` on a list with translated arguments. `count` is the buffer with the count and its offset.
    ///
    /// # Safety
    /// List, signature and buffers are alive.
    pub(crate) unsafe fn execute(
        runtime: &Runtime,
        (list, signature): (u64, u64),
        prepared: Prepared,
        (count, count_offset): (u64, u64),
    ) {
        const EXECUTE: MethodId = method("ID3D12GraphicsCommandList", "ExecuteIndirect");
        let words = [signature, prepared.commands.into(), prepared.buffer, prepared.offset, count, count_offset];
        // SAFETY: list, signature and buffers are alive, says the caller; the copy lies in this module's memory.
        unsafe { runtime.call(list, EXECUTE, &words) };
    }

    /// Records a copy of instances whose addresses are right here, and puts `bound` back; the copy's address, where they are an array.
    /// `ranges` as for [`Indirect::translate`].
    ///
    /// # Errors
    /// The runtime refuses an object that the translation needs.
    ///
    /// # Safety
    /// As for [`Indirect::translate`]; so many instances, or pointers to them, lie at the address.
    pub(crate) unsafe fn translate_instances(
        &mut self,
        runtime: &Runtime,
        instances: &Instances,
        bound: BoundState<u64>,
        ranges: u32,
    ) -> Result<u64, String> {
        let Instances { list, from, count, by_pointers, .. } = *instances;
        let layout = &Layout::INSTANCES;
        let Open { kit, used, state } = self.open(runtime, list, ranges, None)?;
        let made = match by_pointers {
            true => Some(kit.scratch(runtime, &mut used.commands, Kit::bytes_of_pointers(count))?),
            false => None,
        };
        let to = kit.scratch(runtime, &mut used.scratch, layout.bytes(count))?;
        let table = used.table.as_ref().ok_or(NO_TABLE)?;
        // SAFETY: list and instances are alive, says the caller; kit and tables are this module's own.
        let commands = unsafe { Commands::new(runtime, list.1) };
        commands.stop_predication(bound.has_predicate());
        let done = match &made {
            Some(made) => kit.record_pointers(runtime, commands, (from, count), (table, made, &to)),
            None => kit.record_instances(runtime, commands, instances, (table, &to)),
        };
        // SAFETY: list and `bound` are alive, says the caller.
        unsafe { state.restore(runtime, list.1, bound) };
        done.map(|()| to.address)
    }

    /// The address of scratch memory for a build on a list, which nothing else of the recording uses.
    ///
    /// # Errors
    /// The list is not known, or the runtime has no such memory.
    pub(crate) fn scratch_of_build(&mut self, runtime: &Runtime, list: (u32, u64), bytes: u64) -> Result<u64, String> {
        let (kit, follow) = self.kit(runtime, list)?;
        let (used, _) = follow.parts();
        used.device = kit.device();
        kit.scratch(runtime, &mut used.builds, bytes).map(|piece| piece.address)
    }

    /// Whether the device executes the commands of one of the program's signatures: id and pointer. Asked of our runtime; others do not
    /// say.
    ///
    /// # Errors
    /// It does not.
    pub(crate) fn can_execute(&mut self, runtime: &Runtime, (id, signature): (u32, u64)) -> Result<(), String> {
        if runtime.name != "ours" {
            return Ok(());
        }
        if let Some(known) = self.tried.get(&id) {
            return known.clone();
        }
        let device = reference::device_of(runtime, signature)?;
        let tried = trial::of_signature(runtime, device.pointer(), signature);
        self.tried.insert(id, tried.clone());
        tried
    }

    /// Whether the device of a list executes what moves this.
    ///
    /// # Errors
    /// It does not: why.
    pub(crate) fn can_follow(&mut self, runtime: &Runtime, list: (u32, u64), what: Named) -> Result<(), String> {
        let (kit, _) = self.kit(runtime, list)?;
        match what {
            Named::Tables => kit.follow_dispatches(runtime),
            Named::Instances => kit.follow_pointers(runtime),
        }
    }

    /// The kit of a list's device, and what is known of the list.
    fn kit(&mut self, runtime: &Runtime, (id, list): (u32, u64)) -> Result<(&mut Kit, &mut FollowedList), String> {
        let device = reference::device_of(runtime, list)?;
        let kit = match self.kits.entry(device.pointer()) {
            Entry::Occupied(kit) => kit.into_mut(),
            Entry::Vacant(place) => place.insert(Kit::new(device)?),
        };
        let follow = self.lists.get_mut(&id).ok_or("the list was made in a way that is not known")?;
        Ok((kit, follow))
    }

    /// All that commands of replay's own need of a list, with the tables in which they look things up.
    fn open(
        &mut self,
        runtime: &Runtime,
        list: (u32, u64),
        ranges: u32,
        facts: Option<(u32, &Facts)>,
    ) -> Result<Open<'_>, String> {
        let (kit, follow) = self.kit(runtime, list)?;
        let (used, state) = follow.parts();
        used.device = kit.device();
        if used.table.is_none() {
            used.table = Some(kit.table(runtime, ranges)?);
        }
        if let Some((state_object, facts)) = facts
            && used.facts_of(state_object).is_err()
        {
            used.facts.push((state_object, kit.table_of_facts(runtime, facts)?));
        }
        Ok(Open { kit, used, state })
    }

    /// The state object that a list has set last.
    pub(crate) fn state_object(&self, list: u32) -> Option<u32> {
        self.lists.get(&list)?.state.state_object()
    }

    /// Records copies of a dispatch's shader tables that are right here, puts their places into the dispatch, and puts `bound` back; how
    /// many tables there are. `ranges` as for [`Indirect::translate`]; so many bytes are `there` from each table on.
    ///
    /// # Errors
    /// The runtime refuses an object that this needs, or a table is too large.
    ///
    /// # Safety
    /// As for [`Indirect::translate`]; the dispatch has addresses of this device.
    pub(crate) unsafe fn move_tables(
        &mut self,
        runtime: &Runtime,
        list: (u32, u64),
        bound: BoundState<u64>,
        (ranges, state_object, facts): (u32, u32, &Facts),
        desc: &mut D3D12_DISPATCH_RAYS_DESC,
        there: [u64; 4],
    ) -> Result<u64, String> {
        let copies = Copies::of(desc, there)?;
        if copies.count() == 0 {
            return Ok(0);
        }
        let Open { kit, used, state } = self.open(runtime, list, ranges, Some((state_object, facts)))?;
        let to = kit.scratch(runtime, &mut used.scratch, copies.bytes())?;
        let moved = used.table.as_ref().map(|table| (table.address, table.ranges())).ok_or(NO_TABLE)?;
        let facts = used.facts_of(state_object)?.address;
        let program = kit.records(runtime)?;
        // SAFETY: list and tables are alive, says the caller; kit and copies are this module's own.
        let commands = unsafe { Commands::new(runtime, list.1) };
        commands.stop_predication(bound.has_predicate());
        commands.barriers(begin_writing(&to, COPIES));
        copies.record(commands, program, moved, facts, to.address);
        commands.barriers([end_writing(&to, COPIES)]);
        copies.put(desc, to.address);
        // SAFETY: list and `bound` are alive, says the caller.
        unsafe { state.restore(runtime, list.1, bound) };
        Ok(copies.count())
    }

    /// The state objects whose shader records lists have copies of, which are older than this version.
    pub(crate) fn state_objects(&self, lists: &[u32], version: u64) -> Vec<u32> {
        let tables = lists.iter().filter_map(|id| self.lists.get(id)).flat_map(|list| &list.used.facts);
        tables.filter(|(_, table)| !table.holds(version)).map(|(object, _)| *object).collect()
    }

    /// Lists are about to be executed: their tables of shader records get what those hold now, as of this version.
    ///
    /// # Errors
    /// A list has no room for it.
    pub(crate) fn fill_facts(
        &mut self,
        lists: &[u32],
        version: u64,
        facts: &HashMap<u32, Arc<Facts>>,
    ) -> Result<(), String> {
        for id in lists {
            let Some(list) = self.lists.get_mut(id) else { continue };
            for (state_object, table) in &mut list.used.facts {
                if let Some(facts) = facts.get(state_object) {
                    table.fill_facts(version, facts)?;
                }
            }
        }
        Ok(())
    }
}

const NO_TABLE: &str = "there is no table";

impl UsedMemory {
    fn facts_of(&self, state_object: u32) -> Result<&Table, String> {
        let found = self.facts.iter().find(|(of, _)| *of == state_object);
        found.map(|(_, table)| table).ok_or_else(|| NO_TABLE.to_owned())
    }
}

/// A list that takes commands of replay's own.
struct Open<'o> {
    kit: &'o mut Kit,
    used: &'o mut UsedMemory,
    state: &'o ComputeState,
}
