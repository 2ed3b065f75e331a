//! Shared handles: those that the program itself made and opened again. The runtime shares nothing; replay hands out the object.
//!
//! What other processes or APIs shared is in no trace: it is left out, and calls that need it are, too.

use reprise_codec::Value;
use reprise_codec::decode::Outcome;
use reprise_d3d12::interface;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::InterfaceId;

use crate::call::creation::MadeObject;
use crate::call::open_call::OpenCall;
use crate::context::Context;
use crate::error::Error;
use crate::input::values::{at, guid, ids, number_at};
use crate::resolve::shared::SharedObject;
use crate::runtime::com::Com;
use crate::runtime::reference;

const CHILD: InterfaceId = interface("ID3D12DeviceChild");
const DEVICE: InterfaceId = interface("ID3D12Device");

/// A name among the arguments of a call.
fn name(call: &OpenCall, context: &Context<'_, '_>) -> Result<Option<String>, Error> {
    let arguments = call.arguments(&context.codec)?;
    Ok(match at(&arguments.members, "Name") {
        Some(Value::Text(name)) => Some(name.clone()),
        _ => None,
    })
}

/// `CreateSharedHandle`: the object stays behind the recorded handle.
///
/// # Errors
/// The object is not alive here.
pub(crate) fn create(context: &mut Context<'_, '_>, call: &OpenCall, outcome: &Outcome<'_>) -> Result<(), Error> {
    let handle = number_at(&outcome.outputs, "pHandle").unwrap_or(0);
    let id = call.number("pObject").unwrap_or(0) as u32;
    let name = name(call, context)?;
    let world = &mut context.world;
    let pointer = world.pointer(id, CHILD).map_err(|what| call.fail(what))?;
    let made = match (world.resources.get(&id), world.heap_types.get(&id)) {
        (Some(resource), _) => {
            MadeObject::Resource { desc: resource.desc, heap_type: resource.heap_type, placed: None }
        }
        (None, Some(&heap_type)) => MadeObject::Heap { heap_type },
        (None, None) => MadeObject::Other,
    };
    world.runtime.add_reference(pointer);
    world.shared.keep(&world.runtime, handle, name, SharedObject { pointer, made });
    world.shared.note(id);
    Ok(())
}

/// `OpenSharedHandleByName`: another handle of the same object. A name of another process is left alone until its handle is opened.
///
/// # Errors
/// The payload is damaged.
pub(crate) fn find(context: &mut Context<'_, '_>, call: &OpenCall, outcome: &Outcome<'_>) -> Result<(), Error> {
    let handle = number_at(&outcome.outputs, "pNTHandle").unwrap_or(0);
    let name = name(call, context)?;
    let world = &mut context.world;
    if let Some(object) = name.and_then(|name| world.shared.named(&name)) {
        world.runtime.add_reference(object.pointer);
        world.shared.keep(&world.runtime, handle, None, object);
    }
    Ok(())
}

/// `OpenSharedHandle`: the object itself, with the interface that the program asked for.
///
/// # Errors
/// The handle is another process's; the object is of another device here, or lacks the interface.
pub(crate) fn open(context: &mut Context<'_, '_>, call: &OpenCall, outcome: &Outcome<'_>) -> Result<(), Error> {
    let Some(id) = outcome.outputs.iter().flat_map(|member| ids(&member.value)).find(|&id| id != 0) else {
        return Ok(());
    };
    let handle = call.number("NTHandle").unwrap_or(0);
    let world = &mut context.world;
    let SharedObject { pointer, made } = world
        .shared
        .get(handle)
        .ok_or_else(|| call.leave_out("objects shared with another process or API cannot be opened at replay"))?;
    let opener = world.pointer(call.object, DEVICE).map_err(|what| call.fail(what))?;
    let owner = reference::device_of(&world.runtime, pointer).map_err(|what| call.fail(what))?.pointer();
    if opener != owner {
        return Err(call.fail("the shared object is of another device here, and replay shares none between devices"));
    }
    let iid = guid_of(call, context)?;
    let world = &mut context.world;
    let class = by_iid(&iid).unwrap_or(CHILD);
    let opened = world.runtime.query(pointer, &iid);
    let opened = opened.ok_or_else(|| call.fail(format!("the shared object has no {} here", class.get().name)))?;
    if world.objects.given(&world.runtime, id, class, opened) {
        context.lists.made(id, &made);
        context.world.made(id, made);
    }
    Ok(())
}

/// The interface that a call asks for.
fn guid_of(call: &OpenCall, context: &Context<'_, '_>) -> Result<reprise_d3d12::model::Guid, Error> {
    let arguments = call.arguments(&context.codec)?;
    let iid = at(&arguments.members, "riid").and_then(guid);
    iid.ok_or_else(|| call.fail("the trace does not have the interface that was asked for"))
}
