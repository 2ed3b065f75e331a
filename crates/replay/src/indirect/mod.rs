//! Indirect arguments that hold GPU virtual addresses: the GPU translates them right before they are used.
//!
//! Where buffers do not lie at their recorded addresses, `ExecuteIndirect` reads a copy of its arguments. A compute shader of
//! replay's own makes the copy in the same list: `shaders/indirect.hlsl` looks each address up in a table of old and new
//! places. All of it is Direct3D 12, so it works on any runtime; nothing is read back. The table has the resources that are alive
//! when the list is executed, because only then the arguments are read: each recording has a table of its own, which replay fills
//! at `ExecuteCommandLists`. An address that lies in no resource stays as it is: beyond the count that a buffer holds, arguments may
//! be anything.
//!
//! Invariant: afterwards the list has the compute state that the program gave it ([`state`] follows it per list). What cannot
//! be honoured, within render passes and bundles above all, is refused by name.

mod facts;
mod kit;
mod layout;
mod state;
mod table;
mod tables;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_DISPATCH_RAYS_DESC;
use reprise_d3d12::{MODEL, method};
use reprise_trace::read::Call;

use crate::input::values::argument;
use crate::runtime::Runtime;
use crate::runtime::reference;

pub(crate) use facts::{Facts, Field, Heap, IDENTIFIER, Identifier};
pub(crate) use layout::Layout;
pub(crate) use state::{BoundState, ListMade};
pub(crate) use table::Moved;

use kit::{Kit, Patch, Piece, Scratch, Table};
use state::{FollowedList, LISTS};
use tables::Copies;

/// Whether the trace's schema names a method that reads addresses in memory; one without a schema may have it.
pub(crate) fn are_in(schema: &[u8]) -> bool {
    const NAMES: [&[u8]; 3] = [b"::ExecuteIndirect", b"::BuildRaytracingAccelerationStructure", b"::DispatchRays"];
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
}

/// Memory of one recording.
#[derive(Default)]
struct UsedMemory {
    /// 0: nothing was used.
    device: u64,
    scratch: Vec<Scratch>,
    /// For builds of acceleration structures, which leave it in another state.
    builds: Vec<Scratch>,
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
                let left = self.lists.get(&bundle).map(|bundle| bundle.state.clone());
                if let (Some(list), Some(left)) = (self.lists.get_mut(&event.object), left) {
                    list.state.run_bundle(left);
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
    pub(crate) signature: u64,
    pub(crate) layout: Layout,
    /// How many commands lie whole in the buffer of arguments.
    pub(crate) commands: u32,
    /// The buffer of arguments, where its state changes; else 0.
    pub(crate) arguments: u64,
    /// The address of the first argument.
    pub(crate) address: u64,
    /// The buffer with the count and the offset of the count; 0 where there is none.
    pub(crate) count: (u64, u64),
}

/// Instances of a build.
pub(crate) struct Instances {
    /// The list's id, and the list.
    pub(crate) list: (u32, u64),
    /// Where they lie here.
    pub(crate) from: u64,
    pub(crate) count: u32,
}

impl Indirect {
    /// How many commands can be translated at once.
    pub(crate) const MOST: u32 = Kit::MOST;

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

    /// A list has commands with addresses that are not translated, because all resources lie where they lay at capture.
    pub(crate) fn trusts(&mut self, list: u32) {
        if let Some(list) = self.lists.get_mut(&list) {
            list.trusts = true;
        }
    }

    /// Whether lists are followed.
    pub(crate) fn is_used(&self) -> bool {
        !self.lists.is_empty()
    }

    /// Whether one of these lists depends on where resources lie.
    pub(crate) fn asks(&self, lists: &[u32]) -> bool {
        let asks = |id| self.lists.get(id).is_some_and(|list| list.trusts || list.used.table.is_some());
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

    /// Makes the call with translated arguments, and puts `bound` back. `ranges` is how many ranges of addresses there are.
    ///
    /// # Errors
    /// The runtime refuses an object that the translation needs.
    ///
    /// # Safety
    /// All pointers are alive, and stay so until the program resets the list's allocator.
    pub(crate) unsafe fn execute(
        &mut self,
        runtime: &Runtime,
        command: &Command,
        bound: BoundState<u64>,
        ranges: u32,
    ) -> Result<(), String> {
        const EXECUTE: MethodId = method("ID3D12GraphicsCommandList", "ExecuteIndirect");
        let copied = Copied {
            list: command.list,
            layout: &command.layout,
            commands: command.commands,
            from: command.arguments,
            from_address: command.address,
        };
        // SAFETY: list, buffers and `bound` are alive, says the caller.
        let to = unsafe { self.copy(runtime, &copied, bound, ranges) }?;
        let (count, count_offset) = command.count;
        let words = [command.signature, command.commands.into(), to.buffer, to.offset, count, count_offset];
        // SAFETY: list, signature and buffers are alive, says the caller; the copy lies in this module's memory.
        unsafe { runtime.call(command.list.1, EXECUTE, &words) };
        Ok(())
    }

    /// Records a copy of instances whose addresses are right here, and puts `bound` back; the copy's address. `ranges` as for
    /// [`Indirect::execute`].
    ///
    /// # Errors
    /// The runtime refuses an object that the translation needs.
    ///
    /// # Safety
    /// As for [`Indirect::execute`]; so many instances lie at the address.
    pub(crate) unsafe fn translate_instances(
        &mut self,
        runtime: &Runtime,
        instances: &Instances,
        bound: BoundState<u64>,
        ranges: u32,
    ) -> Result<u64, String> {
        let copied = Copied {
            list: instances.list,
            layout: &Layout::INSTANCES,
            commands: instances.count,
            // They are in a state for shaders to read, or in an upload heap.
            from: 0,
            from_address: instances.from,
        };
        // SAFETY: list, instances and `bound` are alive, says the caller.
        unsafe { self.copy(runtime, &copied, bound, ranges) }.map(|to| to.address)
    }

    /// The address of scratch memory for a build on a list, which nothing else of the recording uses.
    ///
    /// # Errors
    /// The list is not known, or the runtime has no such memory.
    pub(crate) fn scratch_of_build(
        &mut self,
        runtime: &Runtime,
        (id, list): (u32, u64),
        bytes: u64,
    ) -> Result<u64, String> {
        let device = reference::device_of(runtime, list)?;
        let kit = match self.kits.entry(device.pointer()) {
            Entry::Occupied(kit) => kit.into_mut(),
            Entry::Vacant(place) => place.insert(Kit::new(device)?),
        };
        let follow = self.lists.get_mut(&id).ok_or("the list was made in a way that is not known")?;
        let (used, _) = follow.parts();
        used.device = kit.device();
        kit.scratch(runtime, &mut used.builds, bytes).map(|piece| piece.address)
    }

    /// The state object that a list has set last.
    pub(crate) fn state_object(&self, list: u32) -> Option<u32> {
        self.lists.get(&list)?.state.state_object()
    }

    /// Records copies of a dispatch's shader tables that are right here, puts their places into the dispatch, and puts `bound` back; how
    /// many tables there are. `ranges` as for [`Indirect::execute`].
    ///
    /// # Errors
    /// The runtime refuses an object that this needs, or a table is too large.
    ///
    /// # Safety
    /// As for [`Indirect::execute`]; the dispatch has addresses of this device.
    pub(crate) unsafe fn move_tables(
        &mut self,
        runtime: &Runtime,
        (id, list): (u32, u64),
        bound: BoundState<u64>,
        (ranges, state_object, facts): (u32, u32, &Facts),
        desc: &mut D3D12_DISPATCH_RAYS_DESC,
    ) -> Result<u64, String> {
        let copies = Copies::of(desc)?;
        if copies.count() == 0 {
            return Ok(0);
        }
        let device = reference::device_of(runtime, list)?;
        let kit = match self.kits.entry(device.pointer()) {
            Entry::Occupied(kit) => kit.into_mut(),
            Entry::Vacant(place) => place.insert(Kit::new(device)?),
        };
        let follow = self.lists.get_mut(&id).ok_or("the list is gone")?;
        let (used, state) = follow.parts();
        used.device = kit.device();
        if used.table.is_none() {
            used.table = Some(kit.table(runtime, ranges)?);
        }
        if !used.facts.iter().any(|(of, _)| *of == state_object) {
            used.facts.push((state_object, kit.table_of_facts(runtime, facts)?));
        }
        let moved = used.table.as_ref().map(|table| (table.address, table.ranges())).ok_or("there is no table")?;
        let facts = used.facts.iter().find(|(of, _)| *of == state_object).ok_or("there is no table")?.1.address;
        let to = kit.scratch(runtime, &mut used.scratch, copies.bytes())?;
        let program = kit.records(runtime)?;
        // SAFETY: list, tables and `bound` are alive, says the caller; kit and copies are this module's own.
        unsafe {
            copies.record((runtime, list), program, moved, facts, (&to, desc));
            state.restore(runtime, list, bound);
        }
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
        facts: &HashMap<u32, Facts>,
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

    /// Records a translated copy, and puts `bound` back.
    ///
    /// # Errors
    /// The runtime refuses an object that the translation needs.
    ///
    /// # Safety
    /// All pointers are alive, and stay so until the program resets the list's allocator.
    unsafe fn copy(
        &mut self,
        runtime: &Runtime,
        copied: &Copied<'_>,
        bound: BoundState<u64>,
        ranges: u32,
    ) -> Result<Piece, String> {
        let (id, list) = copied.list;
        let device = reference::device_of(runtime, list)?;
        let kit = match self.kits.entry(device.pointer()) {
            Entry::Occupied(kit) => kit.into_mut(),
            Entry::Vacant(place) => place.insert(Kit::new(device)?),
        };
        let follow = self.lists.get_mut(&id).ok_or("the list is gone")?;
        let (used, state) = follow.parts();
        used.device = kit.device();
        if used.table.is_none() {
            used.table = Some(kit.table(runtime, ranges)?);
        }
        let table = used.table.as_ref().ok_or("there is no table")?;
        let to = kit.scratch(runtime, &mut used.scratch, copied.layout.bytes(copied.commands))?;
        let Copied { layout, commands, from, from_address, .. } = *copied;
        let patch = Patch { layout, commands, from, from_address, table, to: &to };
        // SAFETY: list, buffers and `bound` are alive, says the caller; kit and table are this module's own.
        unsafe {
            kit.record(runtime, list, &patch);
            state.restore(runtime, list, bound);
        }
        Ok(to)
    }
}

/// What is copied and translated.
struct Copied<'c> {
    /// The list's id, and the list.
    list: (u32, u64),
    layout: &'c Layout,
    commands: u32,
    /// The buffer, where its state changes; else 0.
    from: u64,
    from_address: u64,
}
