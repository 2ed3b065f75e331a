//! Indirect arguments that hold GPU virtual addresses: moved by the GPU, right before they are used.
//!
//! Where buffers do not lie at their recorded addresses, `ExecuteIndirect` reads a copy of its arguments, which a compute
//! shader of replay's own makes in the same list: `shaders/indirect.hlsl` looks each address up in a table of old and new
//! places. It all goes through Direct3D 12, so it works on any runtime; nothing is read back. The table has the resources
//! that are alive when the call is recorded, not those when the list is executed: the same rule as for addresses that are
//! arguments themselves. An address that lies in no resource stays as it is: beyond the count that a buffer holds, arguments
//! may be anything.
//!
//! Invariant: after it, the list has the compute state that the program gave it ([`state`] follows it per list). What cannot
//! be honoured, within render passes and bundles above all, is refused by name.

mod kit;
mod layout;
mod state;
mod table;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use reprise_d3d12::model::{Method, MethodId};
use reprise_d3d12::types::D3D12_HEAP_TYPE;
use reprise_d3d12::{MODEL, interface, method};
use reprise_trace::read::{Call, Event};

use crate::call::Called;
use crate::input::source::Blobs;
use crate::input::values::argument;
use crate::runtime::Runtime;
use crate::runtime::owned;
use crate::walk::Engine;
use crate::world::World;
use crate::{Error, Place};

pub(crate) use layout::Layout;
pub(crate) use state::ListMade;

use kit::{Kit, Patch, Scratch, Table};
use state::{LISTS, List};
use table::Moved;

/// Whether the trace's schema names the method; one without a schema may have it.
pub(crate) fn are_in(schema: &[u8]) -> bool {
    const NAME: &[u8] = b"::ExecuteIndirect";
    schema.is_empty() || schema.windows(NAME.len()).any(|window| window == NAME)
}

/// What is kept for all this.
#[derive(Default)]
pub(crate) struct Indirect {
    /// By method: whether it is followed. Empty where nothing is: a trace without indirect commands needs nothing.
    followed: Vec<bool>,
    lists: HashMap<u32, List>,
    /// By device.
    kits: HashMap<u64, Kit>,
    /// Where resources lie, as of a version of the recorded ranges.
    moved: Option<(u64, Arc<Moved>)>,
    /// What lists used that the GPU may still read, by allocator.
    used: HashMap<u32, Vec<Used>>,
}

/// Memory of one recording.
#[derive(Default)]
struct Used {
    /// 0: nothing was used.
    device: u64,
    scratch: Vec<Scratch>,
    tables: Vec<Arc<Table>>,
}

impl Used {
    fn keep(&mut self, table: Arc<Table>) {
        if !self.tables.last().is_some_and(|last| Arc::ptr_eq(last, &table)) {
            self.tables.push(table);
        }
    }
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
            self.lists.insert(id, List::new(made));
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

    /// What a list used stays with its allocator until that is reset.
    fn retire(&mut self, id: u32) {
        let Some(list) = self.lists.get_mut(&id) else { return };
        let used = core::mem::take(&mut list.used);
        if used.device != 0 {
            self.used.entry(list.allocator).or_default().push(used);
        }
    }

    /// The program says that the GPU is done with what an allocator recorded.
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

impl World {
    /// Where resources lie that the program knows the addresses of.
    fn moved(&mut self) -> Result<Arc<Moved>, String> {
        let version = self.addresses.version();
        if let Some((known, moved)) = &self.indirect.moved
            && *known == version
        {
            return Ok(moved.clone());
        }
        let pieces = self.addresses.pieces();
        let mut moved = Moved::default();
        for (range, location) in pieces {
            let here = self.base_address(location.resource)?.wrapping_add(location.offset);
            moved.push(range, here);
        }
        let moved = Arc::new(moved);
        self.indirect.moved = Some((version, moved.clone()));
        Ok(moved)
    }
}

impl Engine<'_, '_> {
    /// Makes an `ExecuteIndirect`, with arguments that are right here.
    pub(crate) fn execute_indirect(
        &mut self,
        event: &Event<'_>,
        method: &'static Method,
        place: &Place,
        blobs: &dyn Blobs,
    ) -> Result<Option<Called>, Error> {
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let signature = argument(method, event.payload, "pCommandSignature").unwrap_or(0) as u32;
        let Some(layout) = self.world.addressing.get(&signature).copied() else {
            return self.execute_plain(event, method, place, blobs);
        };
        let moved = self.world.moved().map_err(fail)?;
        let most = argument(method, event.payload, "MaxCommandCount").unwrap_or(0) as u32;
        if moved.is_nothing() || most == 0 {
            return self.execute_plain(event, method, place, blobs);
        }
        self.lists.before_call(event.object);
        let made = layout.map_err(str::to_owned).and_then(|layout| {
            let number = |name| argument(method, event.payload, name).unwrap_or(0);
            let command = Command {
                list: event.object,
                signature,
                layout,
                most,
                arguments: (number("pArgumentBuffer") as u32, number("ArgumentBufferOffset")),
                count: (number("pCountBuffer") as u32, number("CountBufferOffset")),
            };
            self.world.execute_moved(&command, moved)
        });
        let made =
            made.map_err(|what| fail(format!("{what}; the arguments hold addresses, and buffers lie elsewhere here")));
        if made? {
            self.count_call();
        } else {
            self.differ(place, "no command lies whole in the buffer of arguments: the call is not made".into());
        }
        Ok(None)
    }
}

impl Engine<'_, '_> {
    /// Makes an `ExecuteIndirect` as it is.
    fn execute_plain(
        &mut self,
        event: &Event<'_>,
        method: &'static Method,
        place: &Place,
        blobs: &dyn Blobs,
    ) -> Result<Option<Called>, Error> {
        if self.lists.are_on() && self.record_whole(event, method, place, blobs)? {
            return Ok(None);
        }
        self.plain(event, method, place, blobs)
    }
}

/// An `ExecuteIndirect` whose arguments hold addresses.
struct Command {
    list: u32,
    signature: u32,
    layout: Layout,
    most: u32,
    /// Buffer and offset, by id.
    arguments: (u32, u64),
    count: (u32, u64),
}

impl World {
    /// Makes the call with arguments whose addresses are right here; whether there are any.
    fn execute_moved(&mut self, command: &Command, moved: Arc<Moved>) -> Result<bool, String> {
        const EXECUTE: MethodId = method("ID3D12GraphicsCommandList", "ExecuteIndirect");
        // All that can be refused is, before anything is recorded.
        let follow = self.indirect.lists.get(&command.list).ok_or("the list was made in a way that is not known")?;
        follow.can_patch()?;
        let bound = follow.state.bound();
        let (buffer, offset) = command.arguments;
        let resource = self.resources.get(&buffer).ok_or("the arguments are in no buffer that is alive here")?;
        let commands = command.layout.fit(command.most, resource.desc.Width, offset);
        if commands > Kit::MOST {
            return Err(format!(
                "{commands} indirect commands are more than the {} that can be translated at once",
                Kit::MOST
            ));
        }
        // Upload and readback heaps stay in one state, which includes those that arguments are read in.
        let fixed =
            [D3D12_HEAP_TYPE::UPLOAD.0 as u32, D3D12_HEAP_TYPE::READBACK.0 as u32].contains(&resource.heap_type);
        let list = self.pointer(command.list, interface("ID3D12GraphicsCommandList"))?;
        let signature = self.pointer(command.signature, interface("ID3D12CommandSignature"))?;
        let from = self.pointer(buffer, interface("ID3D12Resource"))?;
        let count = match command.count.0 {
            0 => 0,
            id => self.pointer(id, interface("ID3D12Resource"))?,
        };
        let address = self.base_address(buffer)?.wrapping_add(offset);
        if commands == 0 {
            return Ok(false);
        }
        // A damaged trace may have let go of them.
        let bound = bound.look_up(|id, class| self.pointer(id, class));
        let bound = bound.map_err(|what| format!("the list's compute state cannot be given back: {what}"))?;
        let (runtime, indirect) = (&self.runtime, &mut self.indirect);
        let device = owned::of_pointer(runtime, list)?;
        let kit = match indirect.kits.entry(device.pointer()) {
            Entry::Occupied(kit) => kit.into_mut(),
            Entry::Vacant(place) => place.insert(Kit::new(device)?),
        };
        let follow = indirect.lists.get_mut(&command.list).ok_or("the list is gone")?;
        let (used, state) = follow.parts();
        used.device = kit.device();
        let table = kit.table(runtime, moved)?;
        let to = kit.scratch(runtime, &mut used.scratch, command.layout.bytes(commands))?;
        let patch = Patch {
            layout: &command.layout,
            commands,
            from: if fixed { 0 } else { from },
            from_address: address,
            table: &table,
            to: &to,
        };
        // SAFETY: list, buffers and what is bound are alive; the buffers are kept until the program resets the allocator.
        unsafe {
            kit.record(runtime, list, &patch);
            state.restore(runtime, list, bound);
            runtime.call(list, EXECUTE, &[signature, commands.into(), to.buffer, to.offset, count, command.count.1]);
        }
        used.keep(table);
        Ok(true)
    }
}
