//! Concessions: a creation that this device refuses is tried again without arguments that a replay does not need.
//!
//! Invariants: a call is first made as recorded. It is tried again only if it succeeded at capture. The report names every
//! argument that was reduced.

use reprise_codec::Value;
use reprise_codec::decode::Outcome;
use reprise_d3d12::interface;
use reprise_d3d12::model::Type;

use crate::call::creation::made_by;
use crate::call::open_call::OpenCall;
use crate::call::{Called, dispensable};
use crate::context::Context;
use crate::input::values;
use crate::report::{Change, result_code};
use crate::world::any_or;

/// A creation succeeded at capture and fails here: makes it again without what a replay does not need. Where that succeeds, the
/// call is as if it had been made so at once. Where it fails, too, the call stays as it was.
pub(crate) fn ask_for_less(
    context: &mut Context<'_, '_>,
    call: &OpenCall,
    called: Option<&mut Called>,
    outcome: &Outcome<'_>,
) {
    let (Some(called), Value::Hresult(recorded)) = (called, &outcome.result) else { return };
    let here = called.result as u32;
    if (*recorded as i32) < 0 || here as i32 >= 0 || result_code::is_removed(here) {
        return;
    }
    let method = call.method.get();
    // SAFETY: these are rebuilt arguments of this method, in the arena's memory, which is kept and may be written.
    let changes = unsafe { dispensable::take_out(&context.codec, method, &mut called.words) };
    if changes.is_empty() {
        return;
    }
    let world = &mut context.world;
    let Ok(this) = world.pointer(call.object, method.interface.unwrap_or(interface("ID3D12Device"))) else { return };
    // Other threads may have released objects since the enter: none is passed on that has gone.
    for (field, word) in method.params.iter().zip(&mut called.words) {
        if let Type::Object(class) = field.ty
            && let Some(id) = values::argument(method, &call.enter, field.name).filter(|&id| id != 0)
        {
            let Ok(pointer) = world.pointer(id as u32, any_or(class)) else { return };
            *word = pointer;
        }
    }
    // SAFETY: the device and the objects among the arguments are alive; the structures that `take_out` changes hold none.
    let result = unsafe { world.runtime.call(this, call.method, &called.words) };
    if (result as i32) < 0 {
        return;
    }
    called.result = result;
    for given in &mut called.given {
        let (parameter, element) = given.slot;
        if let Some(&place) = called.words.get(parameter) {
            // SAFETY: the codec made storage for pointers there when it rebuilt the arguments.
            given.pointer = unsafe { (place as *const u64).add(element).read_unaligned() };
        }
    }
    called.made = made_by(&world.heap_types, method, &call.enter, &called.words);
    for dispensable::Without { field, asked, given } in changes {
        context.report.concede(&call.place, Change { field, recorded: asked, here: given });
    }
}
