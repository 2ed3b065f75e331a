//! Recorded addresses in indirect arguments, translated to addresses of this device as of the call that executes them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;

use super::instead;
use crate::call::open_call::Enter;
use crate::context::Context;
use crate::error::Error;
use crate::indirect::Moved;
use crate::input::values::{ids, member};
use crate::memory::mapped;
use crate::memory::spans::{self, Spans};
use crate::report::Stale;
use crate::resolve::address::Location;
use crate::stead::Missing;
use crate::world::World;

const LATE: &str = "what came after dispatches of rays were recorded lies elsewhere here or has other identifiers, and their shader \
                    tables were taken as they are";
const UNKNOWN: &str = "the trace does not tell what some records of a state object hold that its program asked about after dispatches \
                       of rays were recorded";

/// Indirect commands of a call whose arguments are looked at.
const MOST_READ: u32 = 1024;
/// Buffers that are gone, of which addresses in memory are looked for: so many of the newest.
const MOST_GONE: usize = 256;
/// Bytes of such a buffer, where its heap is gone, too.
const MOST_OF_GONE: u64 = 16 << 20;

/// Where resources lie that the program knows the addresses of; where not all of them lie as recorded, also where buffers lay that are gone.
pub(crate) fn moved(world: &mut World) -> Result<Arc<Moved>, String> {
    let version = world.moved_version();
    if let Some(moved) = world.indirect.moved(version) {
        return Ok(moved);
    }
    let pieces = world.addresses.pieces();
    let user = pieces.first().map(|(_, location)| location.resource);
    let mut places = Vec::new();
    for (range, location) in pieces {
        world.place_structures(location.resource)?;
        let cuts = world.structures.cuts(location, range.end - range.start);
        let place = |offset: u64| range.start + (offset - location.offset);
        let ends = cuts.iter().skip(1).map(|cut| place(*cut)).chain([range.end]);
        for (&offset, end) in cuts.iter().zip(ends) {
            places.push((place(offset)..end, world.address_of(Location { offset, ..location })?));
        }
    }
    let mut moved = Moved::of(&places);
    if let Some(user) = user.filter(|_| !moved.is_nothing()) {
        add_gone(world, user, &mut places);
        places.sort_unstable_by_key(|(range, _)| range.start);
        moved = Moved::of(&places);
    }
    Ok(world.indirect.keep_moved(version, moved))
}

/// Adds where buffers lay that are gone, but for addresses that others have. `user` is a resource that is alive.
fn add_gone(world: &mut World, user: u32, places: &mut Vec<(Range<u64>, u64)>) {
    let mut taken = Spans::default();
    places.iter().for_each(|(range, _)| taken.insert(range.clone()));
    let gone: Vec<Range<u64>> = world.stale.ranges.newest().take(MOST_GONE).collect();
    for range in gone {
        let parts: Vec<_> = spans::between(range.clone(), &taken.within(&range)).collect();
        taken.insert(range);
        for part in parts {
            if let Some(here) = instead::place_in_heap(world, part.start) {
                places.push((part, here));
                continue;
            }
            let part = part.start..part.end.min(part.start + MOST_OF_GONE);
            if let Some(here) = instead::sink(world, user, part.end - part.start) {
                places.push((part, here));
            }
        }
    }
}

/// Before a call: where it executes lists, indirect commands among theirs find where resources lie now.
///
/// # Errors
/// A list has no room for so many resources, or was recorded when all of them lay where they lay at capture.
pub(super) fn submit(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<(), Error> {
    const SUBMIT: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
    if enter.id() != SUBMIT || !context.world.indirect.is_used() {
        return Ok(());
    }
    let decoded = context.codec.decode_enter(enter.id(), enter.event.payload);
    let decoded = decoded.map_err(|error| enter.fail(error.to_string()))?;
    let lists = member(&decoded.members, "ppCommandLists").map(ids).unwrap_or_default();
    name_gone(context, &lists);
    let world = &mut context.world;
    if !world.indirect.asks(&lists) {
        return Ok(());
    }
    let moved = moved(world).map_err(|what| enter.fail(what))?;
    let filled = world.indirect.fill(&lists, world.moved_version(), &moved);
    let asked = world.placed;
    let late = |what: String| {
        let place = enter.place.clone();
        if asked { Error::Late { place, what } } else { place.fail(what) }
    };
    filled.map_err(late)?;
    for object in world.indirect.trusted(&lists) {
        let (right, addresses) = world.tables_are_as_recorded(object);
        if !right || addresses && !moved.is_nothing() {
            return Err(late(LATE.into()));
        }
    }
    // What the state objects of these lists have in their records.
    let version = world.facts_version();
    let mut facts = HashMap::new();
    for object in world.indirect.state_objects(&lists, version) {
        facts.insert(object, world.facts(object).ok_or_else(|| enter.fail(UNKNOWN))?);
    }
    world.indirect.fill_facts(&lists, version, &facts).map_err(|what| enter.fail(what))
}

/// Lists are about to be executed. This names the buffers that are gone and that their indirect arguments have addresses of. Only
/// arguments in upload heaps are known.
fn name_gone(context: &mut Context<'_, '_>, lists: &[u32]) {
    if context.world.stale.ranges.newest().next().is_none() {
        return;
    }
    for (place, asked, layout) in context.world.indirect.asked(lists) {
        let world = &mut context.world;
        let (buffer, offset) = asked.arguments;
        let Some(size) = world.resources.get(&buffer).map(|it| it.desc.Width) else { continue };
        // Arguments may be said to begin behind the buffer's end.
        let bytes = layout.bytes(layout.fit(asked.most, size, offset).min(MOST_READ)).min(size.saturating_sub(offset));
        let Some(bytes) = mapped::read_upload(world, buffer, offset, bytes as usize) else { continue };
        for (command, address) in layout.addresses_in(&bytes) {
            if let Some((what, stead)) = instead::gone(&mut context.world, address) {
                let what = format!("in the arguments of command {command}, {what}");
                let (place, missing) = (place.clone(), Missing::Address);
                context.report.note_stale(Stale { place, missing, what, stead, count: 1 });
            }
        }
    }
}
