//! Commands in bundles and in render passes: replay translates the memory that they read earlier, outside of the bundle or pass.
//!
//! Nothing can be computed in a bundle, so its commands read copies that every list writes right before it executes the bundle, or before
//! the render pass in which it does. Between lists the copies' memory is in no state (`COMMON`), which any list can begin with.
//! Two lists that execute one bundle on two queues at the same time write the same copies: the bytes are the same unless
//! the program changes arguments that are being read.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::commands::{COPIES, Commands, transition};
use super::facts::Facts;
use super::follow::{Rays, Room};
use super::kit::{self, Patch};
use super::layout::Layout;
use super::parts::Prepared;
use super::promise::{Dispatches, Promise, Promised, PromisedRays, Source};
use super::state::BoundState;
use super::tables::Copies;
use super::{Indirect, NO_TABLE, Open};
use crate::runtime::Runtime;
use reprise_d3d12::types::{D3D12_DISPATCH_RAYS_DESC, D3D12_RESOURCE_STATES as State};

pub(super) const LATE: &str = "the bundle was recorded after its render pass began";
/// What is moved is what lies there before the bundle is executed.
const WRITTEN: &str = "what a command reads in memory may be written within the bundle";

impl Indirect {
    /// Whether a list is a bundle.
    pub(crate) fn is_bundle(&self, list: u32) -> bool {
        self.lists.get(&list).is_some_and(|list| list.bundle)
    }

    /// Whether a list is within a render pass.
    pub(crate) fn is_in_pass(&self, list: u32) -> bool {
        self.lists.get(&list).is_some_and(|list| list.in_pass)
    }

    /// Whether arguments of a bundle's next command can be moved before the bundle is executed.
    ///
    /// # Errors
    /// The bundle itself may have written them.
    pub(crate) fn can_promise(&self, bundle: u32) -> Result<(), String> {
        match self.lists.get(&bundle).is_some_and(|bundle| bundle.writes) {
            true => Err(WRITTEN.into()),
            false => Ok(()),
        }
    }

    /// Memory for translated arguments of a bundle's command, which is written whenever the bundle is executed. `rays`: it dispatches rays, and
    /// its shader tables are to be moved, too.
    ///
    /// # Errors
    /// The runtime has no such memory or does not execute what moves tables, or the bundle itself may have written what is to be moved.
    pub(crate) fn promise(
        &mut self,
        runtime: &Runtime,
        bundle: (u32, u64),
        (layout, commands): (Layout, u32),
        arguments: (u32, u64),
        rays: Option<PromisedRays>,
    ) -> Result<Prepared, String> {
        self.can_promise(bundle.0)?;
        let (kit, follow) = self.kit(runtime, bundle)?;
        let (used, _) = follow.parts();
        used.device = kit.device();
        let mut bytes = layout.bytes(commands);
        let dispatches = match rays {
            Some(rays) => {
                let room = Room::of(commands)?;
                kit.follow_dispatches(runtime)?;
                bytes = bytes.next_multiple_of(kit::ALIGNMENT) + room.bytes();
                let made = kit.scratch(runtime, &mut used.commands, room.bytes_of_commands())?;
                Some(Dispatches { rays, room, made })
            }
            None => None,
        };
        let to = kit.scratch(runtime, &mut used.scratch, bytes)?;
        follow
            .promises
            .push(Promise { what: Promised::Arguments { layout, commands, from: arguments, dispatches }, to });
        Ok(Prepared { buffer: to.buffer, offset: to.offset, commands })
    }

    /// Memory for copies of the shader tables of a bundle's dispatch, which are written whenever the bundle is executed. Puts their places
    /// into the dispatch; how many tables there are. So many bytes are `there` from each table on.
    ///
    /// # Errors
    /// The runtime has no such memory, a table is too large, or the bundle itself may have written it.
    pub(crate) fn promise_tables(
        &mut self,
        runtime: &Runtime,
        bundle: (u32, u64),
        (state_object, facts): (u32, Arc<Facts>),
        desc: &mut D3D12_DISPATCH_RAYS_DESC,
        there: [u64; 4],
    ) -> Result<u64, String> {
        self.can_promise(bundle.0)?;
        let copies = Copies::of(desc, there)?;
        if copies.count() == 0 {
            return Ok(0);
        }
        let (kit, follow) = self.kit(runtime, bundle)?;
        let (used, _) = follow.parts();
        used.device = kit.device();
        let to = kit.scratch(runtime, &mut used.scratch, copies.bytes())?;
        let tables = copies.count();
        copies.put(desc, to.address);
        let what = Promised::Tables { copies: Arc::new(copies), state_object, facts };
        follow.promises.push(Promise { what, to });
        Ok(tables)
    }

    /// What a bundle's recording promises.
    pub(crate) fn promises(&self, bundle: u32) -> Vec<Promise> {
        self.lists.get(&bundle).map(|bundle| bundle.promises.clone()).unwrap_or_default()
    }

    /// Writes what a bundle promises, in a list outside of render passes, and puts `bound` back. `ranges` as for [`Indirect::translate`].
    ///
    /// # Errors
    /// The runtime refuses an object that this needs.
    ///
    /// # Safety
    /// As for [`Indirect::translate`]; the promises are the bundle's, and each has its source.
    pub(crate) unsafe fn fulfil(
        &mut self,
        runtime: &Runtime,
        list: (u32, u64),
        bound: BoundState<u64>,
        ranges: u32,
        promises: &[(Promise, Source)],
    ) -> Result<(), String> {
        for records in promises.iter().filter_map(|(promise, _)| promise.records()) {
            self.open(runtime, list, ranges, Some(records))?;
        }
        let Open { used, state, kit } = self.open(runtime, list, ranges, None)?;
        let table = used.table.as_ref().ok_or(NO_TABLE)?;
        let facts = |promise: &Promise| match promise.records() {
            Some((state_object, _)) => used.facts_of(state_object).map(|facts| facts.address),
            None => Ok(0),
        };
        let facts = promises.iter().map(|(promise, _)| facts(promise)).collect::<Result<Vec<u64>, String>>()?;
        // Made now: where it cannot be, nothing was recorded.
        kit.records(runtime)?;
        if promises.iter().any(|(promise, _)| promise.is_of_dispatches()) {
            kit.follow_dispatches(runtime)?;
        }
        let copies: BTreeSet<u64> = promises.iter().map(|(promise, _)| promise.to.buffer).collect();
        let sources = promises.iter().flat_map(|(_, source)| [source.arguments.0, source.count.0]);
        let sources: BTreeSet<u64> = sources.filter(|buffer| *buffer != 0).collect();
        let (arguments, shader, write) =
            (State::INDIRECT_ARGUMENT, State::NON_PIXEL_SHADER_RESOURCE, State::UNORDERED_ACCESS);
        // SAFETY: list and buffers are alive, says the caller; kit and tables are this module's own.
        let commands = unsafe { Commands::new(runtime, list.1) };
        commands.stop_predication(bound.has_predicate());
        let read = sources.iter().map(|buffer| transition(*buffer, arguments, shader));
        commands.barriers(read.chain(copies.iter().map(|buffer| transition(*buffer, State::COMMON, write))));
        for ((promise, source), facts) in promises.iter().zip(facts) {
            let ((from, from_address), to) = (source.arguments, &promise.to);
            match &promise.what {
                Promised::Arguments { layout, commands: count, dispatches, .. } => {
                    let patch = Patch { layout, commands: *count, from, from_address, table, to };
                    let Some((at, Dispatches { room, made, .. })) = layout.rays.zip(dispatches.as_ref()) else {
                        kit.copy(commands, &patch);
                        continue;
                    };
                    let first = layout.bytes(*count).next_multiple_of(kit::ALIGNMENT);
                    let (count, count_address) = source.count;
                    let to = to.address + first;
                    let rays = Rays { facts, room: *room, to, made, count, count_address, at };
                    commands.barriers([transition(made.buffer, State::COMMON, write)]);
                    kit.copy_dispatches(commands, &patch, &rays, [])?;
                    commands.barriers([transition(made.buffer, arguments, State::COMMON)]);
                }
                Promised::Tables { copies, .. } => {
                    let moved = (table.address, table.ranges());
                    copies.record(commands, kit.records(runtime)?, moved, facts, to.address);
                }
            }
        }
        let read = sources.iter().map(|buffer| transition(*buffer, shader, arguments));
        commands.barriers(read.chain(copies.iter().map(|buffer| transition(*buffer, write, COPIES))));
        // SAFETY: list and `bound` are alive, says the caller.
        unsafe { state.restore(runtime, list.1, bound) };
        if let Some(list) = self.lists.get_mut(&list.0) {
            list.fulfilled.extend(copies);
        }
        Ok(())
    }

    /// Whether a list has copies for bundles to give back.
    pub(crate) fn has_written(&self, list: u32) -> bool {
        self.lists.get(&list).is_some_and(|list| !list.fulfilled.is_empty())
    }

    /// After bundles were executed, and outside of render passes: their copies are in no state again.
    ///
    /// # Safety
    /// The list is alive and recording.
    pub(crate) unsafe fn end_bundles(&mut self, runtime: &Runtime, (id, list): (u32, u64)) {
        let Some(follow) = self.lists.get_mut(&id).filter(|list| !list.in_pass) else { return };
        let copies = core::mem::take(&mut follow.fulfilled);
        // SAFETY: the list is alive, says the caller; the copies live until the program resets the bundle's allocator.
        let commands = unsafe { Commands::new(runtime, list) };
        commands.barriers(copies.into_iter().map(|buffer| transition(buffer, COPIES, State::COMMON)));
    }

    /// Keeps what was moved before a render pass for one of its commands, by the number of the call.
    pub(crate) fn keep_prepared(&mut self, list: u32, call: u64, prepared: Result<Prepared, String>) {
        if let Some(list) = self.lists.get_mut(&list) {
            list.prepared.insert(call, prepared);
        }
    }

    /// What was moved before the render pass for this call.
    pub(crate) fn prepared(&self, list: u32, call: u64) -> Option<Result<Prepared, String>> {
        self.lists.get(&list)?.prepared.get(&call).cloned()
    }

    /// Keeps that a bundle's promises were written before a render pass, or why not.
    pub(crate) fn keep_bundle(&mut self, list: u32, bundle: u32, written: Result<(), String>) {
        let recording = self.lists.get(&bundle).map_or(0, |bundle| bundle.recording);
        if let Some(list) = self.lists.get_mut(&list) {
            list.bundles.insert(bundle, (recording, written));
        }
    }

    /// Whether a bundle's promises were written before the render pass that a list is in.
    ///
    /// # Errors
    /// They were not: why.
    pub(crate) fn bundle_is_written(&self, list: u32, bundle: u32) -> Result<(), String> {
        let recording = self.lists.get(&bundle).map_or(0, |bundle| bundle.recording);
        let known = self.lists.get(&list).and_then(|list| list.bundles.get(&bundle));
        match known {
            Some((of, written)) if *of == recording => written.clone(),
            _ => Err(LATE.into()),
        }
    }

    /// A render pass of the list is about to begin: nothing is moved for it yet.
    pub(crate) fn begin_pass(&mut self, list: u32) {
        if let Some(list) = self.lists.get_mut(&list) {
            list.prepared.clear();
            list.bundles.clear();
        }
    }
}
