//! Recorded addresses in indirect arguments, translated to addresses of this device as of the call that executes them.

use std::collections::HashMap;
use std::sync::Arc;

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;

use crate::call::open_call::Enter;
use crate::context::Context;
use crate::error::Error;
use crate::indirect::Moved;
use crate::input::values::{ids, member};
use crate::resolve::address::Location;
use crate::world::World;

const LATE: &str = "what came after dispatches of rays were recorded lies elsewhere here or has other identifiers, and their shader \
                    tables were taken as they are";
const UNKNOWN: &str = "the trace does not tell what some records of a state object hold that its program asked about after dispatches \
                       of rays were recorded";

/// Where resources lie that the program knows the addresses of.
pub(crate) fn moved(world: &mut World) -> Result<Arc<Moved>, String> {
    let version = world.addresses.version();
    if let Some(moved) = world.indirect.moved(version) {
        return Ok(moved);
    }
    let pieces = world.addresses.pieces();
    let mut moved = Moved::default();
    for (range, location) in pieces {
        world.place_structures(location.resource)?;
        let cuts = world.structures.cuts(location, range.end - range.start);
        let place = |offset: u64| range.start + (offset - location.offset);
        let ends = cuts.iter().skip(1).map(|cut| place(*cut)).chain([range.end]);
        for (&offset, end) in cuts.iter().zip(ends) {
            moved.push(place(offset)..end, world.address_of(Location { offset, ..location })?);
        }
    }
    Ok(world.indirect.keep_moved(version, moved))
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
    let world = &mut context.world;
    if !world.indirect.asks(&lists) {
        return Ok(());
    }
    let moved = moved(world).map_err(|what| enter.fail(what))?;
    let filled = world.indirect.fill(&lists, world.addresses.version(), &moved);
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
