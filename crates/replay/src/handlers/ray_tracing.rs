//! Ray tracing: calls whose memory may hold addresses and identifiers of the capture.
//!
//! Addresses among the arguments are translated as everywhere. Those of instances lie in memory: where resources lie elsewhere, the GPU
//! translates a copy of the instances right before the build, as it does for indirect arguments. So it does with shader tables right before
//! a dispatch, where identifiers, addresses or handles of descriptor tables are other ones here.

use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC as Build, D3D12_DISPATCH_RAYS_DESC as Dispatch,
    D3D12_ELEMENTS_LAYOUT as Layout, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE as Mode,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE as Type,
};

use reprise_codec::Value;
use reprise_codec::decode::Outcome;

use crate::arguments::{Arguments, moved};
use crate::call::Called;
use crate::call::open_call::{Enter, OpenCall};
use crate::context::Context;
use crate::error::Error;
use crate::indirect::{IDENTIFIER, Indirect, Instances};

const BY_POINTERS: &str = "the instances of the top level are named by addresses in memory, whose own addresses are not translated \
                           yet, and resources lie elsewhere here";
const FOREIGN: &str =
    "a serialised acceleration structure is of the driver of the capture unless a call of this trace made it";
const TOOLS: &str = "the form of acceleration structures for tools is not replayed";
const RECORDS: &str = "the trace does not tell what the records of this state object's shaders hold";

/// Whether memory can be used as it was recorded: everything lies where it lay. The list is told that it depends on that.
fn lies_as_recorded(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<bool, Error> {
    let moved = moved(&mut context.world).map_err(|what| enter.fail(what))?;
    let same = moved.is_nothing() && !moved.is_empty();
    if same {
        context.world.indirect.trusts(enter.event.object);
    }
    Ok(same)
}

/// `BuildRaytracingAccelerationStructure`.
///
/// # Errors
/// An argument cannot be honoured, or addresses in memory cannot be translated.
pub(crate) fn build(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
) -> Result<Called, Error> {
    context.lists.before_call(enter.event.object);
    let ready = arguments.prepare(context, enter, &mut None)?;
    let desc = ready.words.first().copied().unwrap_or(0);
    let desc = core::ptr::with_exposed_provenance_mut::<Build>(desc as usize);
    // SAFETY: the codec rebuilt the words for this method, in memory of our own that may be written; null stays null.
    if let Some(desc) = unsafe { desc.as_mut() } {
        let place =
            |what: String| enter.fail(format!("{what}; the build needs more scratch memory here than at capture"));
        let world = &mut context.world;
        // SAFETY: the list is the one that the call is made on; the codec rebuilt as many geometries as the description says.
        let scratch = unsafe { world.structures.scratch_of_build(&world.runtime, ready.this, &desc.Inputs) };
        if let Some(bytes) = scratch.map_err(place)? {
            let list = (enter.event.object, ready.this);
            let scratch = world.indirect.scratch_of_build(&world.runtime, list, bytes);
            desc.ScratchAccelerationStructureData = scratch.map_err(place)?;
        }
        let inputs = &mut desc.Inputs;
        let instances = inputs.Type == Type::TOP_LEVEL && inputs.NumDescs != 0;
        if instances && !lies_as_recorded(context, enter)? {
            if inputs.DescsLayout == Layout::ARRAY_OF_POINTERS {
                return Err(enter.fail(BY_POINTERS));
            }
            // SAFETY: builds of top levels have this arm.
            let from = unsafe { inputs.Anonymous.InstanceDescs };
            let count = inputs.NumDescs;
            inputs.Anonymous.InstanceDescs = translated(context, enter, ready.this, from, count)?;
            context.report.translated += 1;
        }
    }
    arguments.make(context, enter, ready)
}

/// The address of a copy of instances whose addresses are right here.
fn translated(
    context: &mut Context<'_, '_>,
    enter: Enter<'_, '_>,
    list: u64,
    from: u64,
    count: u32,
) -> Result<u64, Error> {
    let moved = moved(&mut context.world).map_err(|what| enter.fail(what))?;
    let (id, world) = (enter.event.object, &mut context.world);
    let mut translate = || {
        if count > Indirect::MOST {
            return Err(format!(
                "{count} instances are more than the {} that can be translated at once",
                Indirect::MOST
            ));
        }
        let bound = world.indirect.bound(id)?;
        let bound = bound.look_up(|id, class| world.pointer(id, class));
        let bound = bound.map_err(|what| format!("the list's compute state cannot be given back: {what}"))?;
        let instances = Instances { list: (id, list), from, count };
        // SAFETY: the table of live objects has list and state; the kit's memory lives until the program resets the allocator.
        unsafe { world.indirect.translate_instances(&world.runtime, &instances, bound, moved.len()) }
    };
    translate().map_err(|what: String| {
        enter.fail(format!("{what}; instances hold addresses, and resources lie elsewhere here"))
    })
}

/// `CopyRaytracingAccelerationStructure`.
///
/// # Errors
/// An argument cannot be honoured, or the source is no structure of this runtime.
pub(crate) fn copy(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
) -> Result<Called, Error> {
    let number = |name| enter.number(name).unwrap_or(0);
    let place = |context: &Context<'_, '_>, address| {
        context.world.addresses.resolve(address).map(|location| (location.resource, location.offset))
    };
    match Mode(number("Mode") as i32) {
        Mode::CLONE | Mode::COMPACT => {}
        Mode::SERIALIZE => {
            let to = place(context, number("DestAccelerationStructureData"));
            context.world.serialised.extend(to);
        }
        Mode::DESERIALIZE => {
            let from = place(context, number("SourceAccelerationStructureData"));
            if !from.is_some_and(|from| context.world.serialised.contains(&from)) {
                return Err(enter.fail(FOREIGN));
            }
        }
        _ => return Err(enter.fail(TOOLS)),
    }
    context.lists.before_call(enter.event.object);
    arguments.call(context, enter)
}

/// Whether shader tables are right as they are for the state object that a list has set. The list is told that it depends on that.
///
/// # Errors
/// A resource has no address here.
pub(super) fn tables_are_right(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<bool, Error> {
    let list = enter.event.object;
    let facts = context.world.indirect.state_object(list).and_then(|object| context.world.facts(object));
    if let Some(facts) = facts {
        if !facts.are_as_recorded() {
            return Ok(false);
        }
        return if facts.have_addresses() { lies_as_recorded(context, enter) } else { Ok(true) };
    }
    // Nobody knows what is in the tables, so that everything has to be as it was.
    let world = &context.world;
    Ok(!world.other_identifiers && world.descriptors_lie_as_recorded() && lies_as_recorded(context, enter)?)
}

/// `DispatchRays`: made with shader tables that are right here.
///
/// # Errors
/// An argument cannot be honoured, or what shader tables hold cannot be moved.
pub(crate) fn dispatch(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
) -> Result<Called, Error> {
    context.lists.before_call(enter.event.object);
    if tables_are_right(context, enter)? {
        return arguments.call(context, enter);
    }
    let ready = arguments.prepare(context, enter, &mut None)?;
    let desc = ready.words.first().copied().unwrap_or(0);
    let desc = core::ptr::with_exposed_provenance_mut::<Dispatch>(desc as usize);
    // SAFETY: the codec rebuilt the words for this method, in memory of our own that may be written; null stays null.
    if let Some(desc) = unsafe { desc.as_mut() } {
        let moved = moved(&mut context.world).map_err(|what| enter.fail(what))?;
        let (id, world) = (enter.event.object, &mut context.world);
        let mut move_tables = || {
            let object = world.indirect.state_object(id).ok_or("the list has no state object")?;
            let facts = world.facts(object).ok_or(RECORDS)?;
            let bound = world.indirect.bound(id)?;
            let bound = bound.look_up(|id, class| world.pointer(id, class));
            let bound = bound.map_err(|what| format!("the list's compute state cannot be given back: {what}"))?;
            let list = (id, ready.this);
            // SAFETY: the table of live objects has list and state; the kit's memory lives until the program resets the allocator. The codec
            // translated the addresses of the dispatch.
            unsafe { world.indirect.move_tables(&world.runtime, list, bound, (moved.len(), object, &facts), desc) }
        };
        let tables = move_tables().map_err(|what: String| {
            enter.fail(format!("{what}; shader tables hold identifiers, addresses or handles that are other ones here"))
        })?;
        context.report.moved_tables += tables;
    }
    arguments.make(context, enter, ready)
}

/// A recorded identifier is compared with the one here.
pub(crate) fn compare_identifier(context: &mut Context<'_, '_>, call: &OpenCall, outcome: &Outcome<'_>) {
    let recorded: Vec<u8> = match &outcome.result {
        Value::Bytes(bytes) => bytes.to_vec(),
        Value::Array(bytes) => bytes.iter().filter_map(crate::input::values::number).map(|byte| byte as u8).collect(),
        // A name that the state object does not have.
        Value::Null => return,
        _ => Vec::new(),
    };
    let here = call.called.as_ref().map_or(0, |called| called.result);
    let here = core::ptr::with_exposed_provenance::<[u8; IDENTIFIER]>(here as usize);
    // SAFETY: the runtime gives null, or an identifier that lives as long as its state object, which does.
    let (here, recorded) = (unsafe { here.as_ref() }, recorded.first_chunk::<IDENTIFIER>());
    if let (Some(here), Some(recorded)) = (here, recorded) {
        context.world.identifiers.answered(call.object, *recorded, *here);
    }
    context.world.other_identifiers |= here.is_none() || here != recorded;
}
