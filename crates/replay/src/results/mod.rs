//! The end of a call: its result is compared with the recorded one, and new objects are kept under their recorded ids.
//!
//! Invariant: every reference that a call gave out is kept under an id or released here. A creation that succeeded at
//! capture and fails here ends the replay, unless the trace can be played without what it makes; every other difference is reported. Questions that libraries may answer as they like
//! are no differences (`answer`).

mod answer;
pub(crate) mod concession;
pub(crate) mod refusal;

use reprise_codec::decode::Outcome;
use reprise_codec::{BlobSink, Objects, Value};
use reprise_d3d12::interface;

use crate::call::creation::can_be_missed;
use crate::call::open_call::OpenCall;
use crate::call::{Called, Given};
use crate::context::Context;
use crate::error::Error;
use crate::hresult::HresultName;
use crate::input::outcome::recorded_id;
use crate::input::values;
use crate::report::{Difference, outcome_comparison, request, result_code};
use crate::resolve::objects::Virtual;
use crate::runtime::Runtime;
use crate::runtime::com::Com;

/// Compares the result of a call that was made, and keeps its objects. The whole answer of a `query` is compared.
///
/// # Errors
/// The device is removed here, or an object that the capture had does not come out.
pub(crate) fn finish(
    context: &mut Context<'_, '_>,
    call: &OpenCall,
    outcome: &Outcome<'_>,
    query: bool,
) -> Result<(), Error> {
    let Some(called) = &call.called else { return Ok(()) };
    let place = &call.place;
    let hresult = match outcome.result {
        Value::Hresult(recorded) => Some((recorded, called.result as u32)),
        _ => None,
    };
    if let Some((recorded, here)) = hresult {
        if let Err(error) = result_code::check_device(call, recorded, here) {
            release_all(&context.world.runtime, &called.given);
            return Err(error);
        }
        if (recorded as i32) < 0 && here as i32 >= 0 && called.cached.is_some() {
            repeat_with_blob(context, call, called, recorded);
            return Ok(());
        }
    }
    let mut missing = None;
    for given in &called.given {
        let id = recorded_id(call.method, outcome, given.slot);
        match (id, given.pointer) {
            (0, 0) => {}
            (0, pointer) => {
                context.world.runtime.release(pointer);
                if hresult.is_none_or(|(recorded, _)| recorded as i32 >= 0) && !answer::is_question(call.method) {
                    context.differ(place, "an object came out that did not at capture");
                }
            }
            (id, 0) => missing = Some(id),
            (id, pointer) => {
                let world = &mut context.world;
                if world.objects.given(&world.runtime, id, given.interface, pointer) {
                    context.lists.made(id, &called.made);
                    world.made(id, called.made);
                }
            }
        }
    }
    if let Some((recorded, here)) = hresult
        && recorded != here
        && answer::take(context, call, (recorded, here))
    {
        if let Some(id) = missing.filter(|&id| !context.world.objects.contains(id)) {
            context.world.objects.given_virtual(id, Virtual::LeftOut);
        }
    } else if let Some(id) = missing {
        let here = hresult.map_or(0, |(_, here)| here);
        let objects = &context.world.objects;
        let is_here = objects.contains(id) && objects.virtual_kind(id) != Some(Virtual::LeftOut);
        if !query && !is_here {
            return go_without(context, call, id, here);
        }
        if !context.world.objects.contains(id) {
            context.world.objects.given_virtual(id, Virtual::LeftOut);
        }
        context.differ(place, format!("object {id} does not come out here: {}", HresultName(here)));
    } else if let Some((recorded, here)) = hresult
        && recorded != here
    {
        differ_in_code(context, call, recorded, here);
    } else if query {
        compare_answer(context, call, called, outcome);
    }
    Ok(())
}

/// A creation succeeded at capture and fails here: goes on without the object, where the trace can be played so. A check counts what cannot
/// be made.
///
/// # Errors
/// It cannot.
fn go_without(context: &mut Context<'_, '_>, call: &OpenCall, id: u32, here: u32) -> Result<(), Error> {
    let error = refusal::error(context, call, id, here);
    if context.options.check || !can_be_missed(call.method, here) {
        return Err(error);
    }
    context.world.objects.given_virtual(id, Virtual::LeftOut);
    context.report.refused_states += 1;
    let error = error.to_string();
    let what = error.strip_prefix(&format!("{}: ", call.place)).unwrap_or(&error).to_owned();
    context.differ(&call.place, format!("{what}. What is drawn or dispatched with it is left out"));
    Ok(())
}

/// Reports a result code that is not the recorded one, where nothing was lost by it.
pub(crate) fn differ_in_code(context: &mut Context<'_, '_>, call: &OpenCall, recorded: u32, here: u32) {
    let difference = result_code::difference(&context.codec, call, recorded, here);
    context.add_difference(difference);
}

/// Makes a pipeline again as the program asked for it, with its cached blob: it failed at capture and came out without the
/// blob here, so the blob may be what was refused. Drivers have several codes for that: one failure is as good as another.
fn repeat_with_blob(context: &mut Context<'_, '_>, call: &OpenCall, called: &Called, recorded: u32) {
    let world = &mut context.world;
    release_all(&world.runtime, &called.given);
    let interface = call.method.get().interface.unwrap_or(interface("ID3D12Device"));
    let again = called.cached.zip(world.pointer(call.object, interface).ok());
    let nothing_went = call.objects == world.objects.version();
    let again = again.filter(|_| nothing_went && call.method.get().name.starts_with("Create"));
    let here = again.map_or(called.result, |(blob, this)| {
        let outputs = called.given.iter().filter_map(|given| called.words.get(given.slot.0));
        let outputs: Vec<*mut u64> = outputs.map(|&word| word as *mut u64).collect();
        // SAFETY: these are the arguments of the call just before, in the arena's memory, and nothing that they name has
        // gone since its enter; the codec made storage for pointers where the objects came out.
        unsafe {
            outputs.iter().for_each(|output| output.write_unaligned(0));
            blob.put_back();
            let result = world.runtime.call(this, call.method, &called.words);
            let given = outputs.iter().map(|output| output.read_unaligned()).filter(|&pointer| pointer != 0);
            given.for_each(|pointer| world.runtime.release(pointer));
            result
        }
    }) as u32;
    if here as i32 >= 0 {
        differ_in_code(context, call, recorded, here);
    }
}

/// Reports where a query's answer is not the recorded one.
fn compare_answer(context: &mut Context<'_, '_>, call: &OpenCall, called: &Called, outcome: &Outcome<'_>) {
    let mut bytes = Vec::new();
    // SAFETY: these are the arguments of the call that gave this result; their memory is the arena's, which is kept.
    unsafe {
        let (words, before) = (&called.words, &called.before);
        context.codec.encode_leave(call.method, words, called.result, before, &NoObjects, &mut bytes, &mut NoBlobs);
    }
    let Ok(here) = context.codec.decode_leave(call.method, &call.enter, &bytes) else { return };
    let changes = outcome_comparison::outcomes(&context.codec, outcome, &here);
    if changes.is_empty() {
        return;
    }
    // The first difference of an answer says what was asked for, the others need not.
    let mut asked = request::of_call(&context.codec, call);
    for change in changes {
        let (place, what, asked) = (call.place.clone(), change.to_string(), core::mem::take(&mut asked));
        context.add_difference(Difference { place, what, change: Some(change), asked, count: 1 });
    }
}

/// Notes the objects of a call that replay does not make: nothing stands behind their ids.
pub(crate) fn leave_out(context: &mut Context<'_, '_>, call: &OpenCall, outcome: &Outcome<'_>) {
    let method = call.method.get();
    let dxgi = method.interface.is_some_and(|id| id.get().name.starts_with("IDXGI")) || method.name.contains("DXGI");
    // Another interface of an object is of the object's kind.
    let kind = context.world.objects.virtual_kind(call.object);
    let kind = kind.filter(|_| method.name == "QueryInterface");
    let kind = kind.unwrap_or(if dxgi { Virtual::Dxgi } else { Virtual::LeftOut });
    let outputs = outcome.outputs.iter().flat_map(|member| values::ids(&member.value));
    let ids: Vec<u32> = outputs.chain(values::ids(&outcome.result)).collect();
    for id in ids {
        if id != 0 && !context.world.objects.contains(id) {
            context.world.objects.given_virtual(id, kind);
        }
    }
}

/// Releases the objects that came out of a call.
pub(crate) fn release_all(runtime: &Runtime, given: &[Given]) {
    for given in given.iter().filter(|given| given.pointer != 0) {
        runtime.release(given.pointer);
    }
}

/// Objects are not compared.
struct NoObjects;

impl Objects for NoObjects {
    fn id_of(&self, _pointer: u64) -> u64 {
        0
    }

    fn real_of(&self, pointer: u64) -> u64 {
        pointer
    }
}

/// Blobs are not compared.
struct NoBlobs;

impl BlobSink for NoBlobs {
    fn blob(&mut self, _bytes: &[u8]) -> u32 {
        0
    }
}
