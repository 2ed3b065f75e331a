//! Ray tracing: calls whose memory may hold addresses and identifiers of the capture.
//!
//! Addresses among the arguments are translated as everywhere. Those of instances lie in memory: where resources lie elsewhere, the GPU
//! translates a copy of the instances right before the build, as it does for indirect arguments. So it does with shader tables right before
//! a dispatch, where identifiers, addresses or handles of descriptor tables are other ones here.

use std::sync::Arc;

use reprise_d3d12::interface;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC as Build, D3D12_DISPATCH_RAYS_DESC as Dispatch,
    D3D12_ELEMENTS_LAYOUT as Layout, D3D12_HEAP_TYPE, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE as Mode,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE as Type, D3D12_RAYTRACING_INSTANCE_DESC as Instance,
};

use reprise_codec::Value;
use reprise_codec::decode::Outcome;

use crate::arguments::{Arguments, moved};
use crate::call::Called;
use crate::call::open_call::{Enter, OpenCall};
use crate::context::Context;
use crate::error::Error;
use crate::indirect::{Facts, IDENTIFIER, Indirect, Instances};
use crate::input::values::number_at;
use crate::world::World;

const FOREIGN: &str =
    "a serialised acceleration structure is of the driver of the capture unless a call of this trace made it";
const TOOLS: &str = "the form of acceleration structures for tools is not replayed";
pub(super) const INSTANCES: &str = "instances hold addresses, and resources lie elsewhere here";
pub(super) const TABLES: &str = "shader tables hold identifiers, addresses or handles that are other ones here";
const RECORDS: &str = "the trace does not tell what the records of this state object's shaders hold";

/// Whether everything whose address the program knows lies where it lay, so far.
pub(super) fn lies_still(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<bool, Error> {
    let moved = moved(&mut context.world).map_err(|what| enter.fail(what))?;
    Ok(moved.is_nothing() && !moved.is_empty())
}

/// Whether memory can be used as it was recorded: everything lies where it lay, and what is made before the list runs is asked to lie
/// there, too. The list is told that it depends on that.
fn lies_as_recorded(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<bool, Error> {
    let same = context.world.placed && lies_still(context, enter)?;
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
            let by_pointers = inputs.DescsLayout == Layout::ARRAY_OF_POINTERS;
            // SAFETY: builds of top levels have this arm.
            let from = unsafe { inputs.Anonymous.InstanceDescs };
            let upload = uploaded(context, enter, u64::from(inputs.NumDescs) * size_of::<Instance>() as u64);
            let list = (enter.event.object, ready.this);
            let instances = Instances { list, from, upload, count: inputs.NumDescs, by_pointers };
            match translated(context, enter, &instances) {
                Ok(copy) => {
                    inputs.Anonymous.InstanceDescs = copy;
                    inputs.DescsLayout = Layout::ARRAY;
                    context.report.translated += 1;
                }
                Err(_) if lies_still(context, enter)? => context.world.indirect.trusts(enter.event.object),
                Err(error) => return Err(error),
            }
        }
    }
    arguments.make(context, enter, ready)
}

/// The buffer here, and the offset in it, of instances of so many bytes that lie whole in an upload heap. Such buffers stay in a state in which
/// they can be copied.
fn uploaded(context: &mut Context<'_, '_>, enter: Enter<'_, '_>, bytes: u64) -> Option<(u64, u64)> {
    let decoded = context.codec.decode_enter(enter.id(), enter.event.payload).ok()?;
    let address = number_at(&decoded.members, "pDesc.Inputs.InstanceDescs")?;
    let at = context.world.addresses.resolve(address)?;
    let resource = context.world.resources.get(&at.resource)?;
    let whole = at.offset.checked_add(bytes).is_some_and(|end| end <= resource.desc.Width);
    let uploaded = resource.heap_type == D3D12_HEAP_TYPE::UPLOAD.0 as u32 && whole;
    let buffer = uploaded.then(|| context.world.pointer(at.resource, interface("ID3D12Resource")).ok())??;
    Some((buffer, at.offset))
}

/// The address of a copy of instances whose addresses are right here.
fn translated(context: &mut Context<'_, '_>, enter: Enter<'_, '_>, instances: &Instances) -> Result<u64, Error> {
    let moved = moved(&mut context.world).map_err(|what| enter.fail(what))?;
    let world = &mut context.world;
    let mut translate = || {
        can_move_instances(instances.count, instances.by_pointers)?;
        let bound = world.indirect.bound(instances.list.0)?;
        let bound = bound.look_up(|id, class| world.pointer(id, class));
        let bound = bound.map_err(|what| format!("the list's compute state cannot be given back: {what}"))?;
        // SAFETY: the table of live objects has list and state; the kit's memory lives until the program resets the allocator.
        unsafe { world.indirect.translate_instances(&world.runtime, instances, bound, moved.len()) }
    };
    let copy = translate().map_err(|what: String| enter.fail(format!("{what}; {INSTANCES}")))?;
    context.report.moved_instances += u64::from(instances.count);
    Ok(copy)
}

/// Whether so many instances can be moved at once.
///
/// # Errors
/// They cannot.
pub(super) fn can_move_instances(count: u32, by_pointers: bool) -> Result<(), String> {
    let most = if by_pointers { Indirect::MOST_POINTERS } else { Indirect::MOST };
    match count > most {
        true => Err(format!("{count} instances are more than the {most} that can be translated at once")),
        false => Ok(()),
    }
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
    look_at_copy(context, enter).map_err(|why| enter.fail(why))?;
    context.lists.before_call(enter.event.object);
    arguments.call(context, enter)
}

/// Whether a copy of an acceleration structure can be made; keeps where serialised ones lie.
///
/// # Errors
/// It cannot: why.
pub(super) fn look_at_copy(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<(), &'static str> {
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
                return Err(FOREIGN);
            }
        }
        _ => return Err(TOOLS),
    }
    Ok(())
}

/// What shader tables are, for the state object that a list has set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tables {
    /// Right as they are.
    Right,
    /// Right as long as nothing comes that lies elsewhere.
    Still,
    /// With identifiers, handles or addresses that are other ones here.
    Other,
}

/// What the list's shader tables are. Where they are right, the list is told that it depends on that.
///
/// # Errors
/// A resource has no address here.
pub(super) fn tables(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<Tables, Error> {
    let (right, addresses) = tables_as_recorded(context, enter);
    if !right || addresses && !lies_still(context, enter)? {
        return Ok(Tables::Other);
    }
    if addresses && !lies_as_recorded(context, enter)? {
        return Ok(Tables::Still);
    }
    trust_tables(context, enter);
    Ok(Tables::Right)
}

/// Whether identifiers and handles in shader tables are the recorded ones, and whether there are addresses.
fn tables_as_recorded(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> (bool, bool) {
    let object = context.world.indirect.state_object(enter.event.object).unwrap_or(0);
    context.world.tables_are_as_recorded(object)
}

/// The list uses its shader tables as they are.
pub(super) fn trust_tables(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) {
    let list = enter.event.object;
    let indirect = &mut context.world.indirect;
    indirect.trusts_tables(list, indirect.state_object(list).unwrap_or(0));
}

/// The state object that a list has set, and what its shaders' records hold.
///
/// # Errors
/// There is none, or the trace does not tell what they hold.
pub(super) fn records(world: &mut World, list: u32) -> Result<(u32, Arc<Facts>), String> {
    let object = world.indirect.state_object(list).ok_or("the list has no state object")?;
    Ok((object, world.facts(object).ok_or(RECORDS)?))
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
    let tables = tables(context, enter)?;
    if tables == Tables::Right {
        return arguments.call(context, enter);
    }
    let ready = arguments.prepare(context, enter, &mut None)?;
    let desc = ready.words.first().copied().unwrap_or(0);
    let desc = core::ptr::with_exposed_provenance_mut::<Dispatch>(desc as usize);
    // SAFETY: the codec rebuilt the words for this method, in memory of our own that may be written; null stays null.
    if let Some(desc) = unsafe { desc.as_mut() } {
        let moved = moved(&mut context.world).map_err(|what| enter.fail(what))?;
        let there = bytes_behind_tables(context, enter)?;
        let (id, world) = (enter.event.object, &mut context.world);
        let mut move_tables = || -> Result<_, String> {
            let (object, facts) = records(world, id)?;
            if world.indirect.is_bundle(id) {
                return world.indirect.promise_tables(&world.runtime, (id, ready.this), (object, facts), desc, there);
            }
            let bound = world.indirect.bound(id)?;
            let bound = bound.look_up(|id, class| world.pointer(id, class));
            let bound = bound.map_err(|what| format!("the list's compute state cannot be given back: {what}"))?;
            let (list, facts) = ((id, ready.this), (moved.len(), object, &*facts));
            // SAFETY: the table of live objects has list and state; the kit's memory lives until the program resets the allocator. The codec
            // translated the addresses of the dispatch.
            unsafe { world.indirect.move_tables(&world.runtime, list, bound, facts, desc, there) }
        };
        match move_tables() {
            Ok(moved) => context.report.moved_tables += moved,
            Err(_) if tables == Tables::Still => trust_tables(context, enter),
            Err(what) => {
                return Err(enter.fail(format!("{what}; {TABLES}")));
            }
        }
    }
    arguments.make(context, enter, ready)
}

/// How many bytes there are in the resource of each table, from its beginning on.
pub(super) fn bytes_behind_tables(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<[u64; 4], Error> {
    const TABLES: [&str; 4] = ["RayGenerationShaderRecord", "MissShaderTable", "HitGroupTable", "CallableShaderTable"];
    let decoded = context.codec.decode_enter(enter.id(), enter.event.payload);
    let decoded = decoded.map_err(|error| enter.fail(error.to_string()))?;
    Ok(TABLES.map(|table| {
        let address = number_at(&decoded.members, &format!("pDesc.{table}.StartAddress")).unwrap_or(0);
        let location = context.world.addresses.resolve(address);
        let resource = location.and_then(|location| Some((location, context.world.resources.get(&location.resource)?)));
        resource.map_or(0, |(location, resource)| resource.desc.Width.saturating_sub(location.offset))
    }))
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
    let other = here.is_none() || here != recorded;
    context.world.other_identifiers |= other;
    context.report.other_identifiers += u64::from(other);
}
