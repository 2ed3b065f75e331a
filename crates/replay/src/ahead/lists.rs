//! Handing calls of command lists to the threads that record them.
//!
//! Invariant: errors and differences name their own call, and are reported before those of later calls, as if the walk had
//! made each call where it stands.

use reprise_codec::decode::Outcome;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_trace::read::Call;

use crate::arguments::Lookup;
use crate::call::decision::{Decision, Handler};
use crate::call::open_call::{Enter, OpenCall};
use crate::context::Context;
use crate::error::Error;
use crate::input::outcome::succeeded;
use crate::light::Plans;
use crate::lists::effect::Effect;

const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");

/// Bytes that a blob among the arguments is taken to have: batches are bounded by their bytes, and blobs are not looked at.
const BLOB: usize = 16 << 10;

/// Whether a call on the long way is recorded ahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Recorded {
    /// The walk makes it; all that it could disturb is done.
    Not,
    /// It is in a batch.
    Ahead,
    /// It is a `Close` in a batch, whose result will be under this number.
    Close(u64),
}

/// Puts a call of a list into its batch, if its arguments can go the short way. If not, and the walk makes the call the short
/// way, nothing has to be waited for any more.
#[inline(always)]
pub(crate) fn record_light(context: &mut Context<'_, '_>, plans: &mut Plans, call: &Call<'_>) -> bool {
    context.lists.are_ahead() && record_planned(context, plans, call)
}

#[inline(never)]
fn record_planned(context: &mut Context<'_, '_>, plans: &mut Plans, call: &Call<'_>) -> bool {
    let Context { lists, world, report, .. } = context;
    let reading = match lists.effect(call.method) {
        Effect::Call(reading) => reading,
        Effect::Bundle | Effect::All => {
            lists.before_all();
            return false;
        }
        _ => return false,
    };
    let Some(lane) = lists.lane(call.object) else {
        lists.before_call(call.object);
        return false;
    };
    let Some(mut ready) = plans.ready(world, call) else { return false };
    let batch = lists.batch(lane);
    let this = ready.this;
    let words = ready.kept_words(call, &mut batch.arena);
    // SAFETY: the codec rebuilt the words for this method, in the batch's arena; the table of live objects gave `this`.
    unsafe { batch.push(MethodId(call.method), this, words, call.payload.len()) };
    world.indirect.note(&world.runtime, call, words);
    // SAFETY: the codec rebuilt the words for this method, whose effect says what it reads.
    unsafe { lists.put(lane, reading, words) };
    report.calls += 1;
    report.replayed += 1;
    true
}

/// On the long way: puts a call into a batch, or waits for all that it could disturb.
///
/// # Errors
/// The list cannot be called.
pub(crate) fn record(
    context: &mut Context<'_, '_>,
    enter: Enter<'_, '_>,
    decision: Decision,
) -> Result<Recorded, Error> {
    let Enter { event, method, .. } = enter;
    let made = match decision {
        Decision::Call => true,
        // Its handler waits, once it knows how the call is made.
        Decision::Handle(Handler::ExecuteIndirect | Handler::Hoist) => return Ok(Recorded::Not),
        Decision::Query => false,
        // Nothing is called, or it waits itself.
        Decision::Handle(_) | Decision::Skip(_) | Decision::Refuse(_) => return Ok(Recorded::Not),
    };
    let Context { lists, world, .. } = &mut *context;
    match lists.effect(event.method) {
        Effect::Call(_) if made => {
            return Ok(if record_whole(context, enter)? { Recorded::Ahead } else { Recorded::Not });
        }
        Effect::Close if made => {
            if let Some(lane) = lists.lane(event.object)
                && let Some(interface) = method.interface
                && let Ok(this) = world.pointer(event.object, interface)
            {
                let number = lists.put_close(lane, this);
                context.count_call();
                return Ok(Recorded::Close(number));
            }
            lists.before_call(event.object);
        }
        Effect::Call(_) | Effect::Close => lists.before_call(event.object),
        Effect::Bundle | Effect::All | Effect::Write(_) => lists.before_all(),
        Effect::Other => lists.before_use(event.object),
    }
    Ok(Recorded::Not)
}

/// Puts a call of a list into its batch, whatever it is passed; `false` where the walk has to make it.
///
/// # Errors
/// The list cannot be called.
pub(crate) fn record_whole(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<bool, Error> {
    let Enter { event, method, blobs, .. } = enter;
    let Context { lists, world, codec, report, .. } = context;
    let (Effect::Call(reading), Some(lane)) = (lists.effect(event.method), lists.lane(event.object)) else {
        lists.before_call(event.object);
        return Ok(false);
    };
    let Some(interface) = method.interface else { return Ok(false) };
    let Ok(this) = world.pointer(event.object, interface) else {
        // The walk says why.
        lists.before_call(event.object);
        return Ok(false);
    };
    let batch = lists.batch(lane);
    let mark = batch.arena.mark();
    let mut lookup = Lookup::new(world, blobs, event);
    let Ok(rebuilt) = codec.rebuild(enter.id(), event.payload, &mut lookup, &mut batch.arena) else {
        // The walk honours descriptor tables in no heap, and reports arguments that cannot be honoured.
        batch.arena.rewind(mark);
        lists.before_call(event.object);
        return Ok(false);
    };
    let bytes = event.payload.len().max(event.blobs.len() * BLOB);
    // SAFETY: the codec rebuilt the words for this method, in the batch's arena; the table of live objects gave `this`.
    unsafe { batch.push(enter.id(), this, &rebuilt.words, bytes) };
    world.indirect.note(&world.runtime, &event.call(), &rebuilt.words);
    // SAFETY: the codec rebuilt the words for this method, whose effect says what it reads.
    unsafe { lists.put(lane, reading, &rebuilt.words) };
    report.replayed += 1;
    Ok(true)
}

/// Notes which allocator a list records into after a `Reset`, or that it is not known.
pub(crate) fn note_reset(context: &mut Context<'_, '_>, call: &OpenCall, outcome: &Outcome<'_>) {
    if call.method != RESET || !context.lists.are_on() {
        return;
    }
    let allocator = call.number("pAllocator").unwrap_or(0) as u32;
    let here = call.called.as_ref().is_some_and(|called| called.result as i32 >= 0);
    if allocator != 0 && here && succeeded(outcome) {
        context.lists.begin(call.object, allocator);
    } else {
        context.lists.forget(call.object);
    }
}
