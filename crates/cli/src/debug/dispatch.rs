//! The dispatches of a call: of a list one, of a bundle all that it has.

use super::indirect::{Indirect, Work};
use super::invocation::{Code, Command, Invocation};
use super::place::Place;
use super::ray_tables::{DISPATCH_RAYS, RayShaders, Rays};
use super::{Refused, pipeline};
use crate::ours::Linked;
use anyhow::{Context, anyhow};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_INDIRECT_ARGUMENT_TYPE as Type;
use reprise_timeline::argument::{Argument, Damaged};
use reprise_timeline::index::Index;
use reprise_timeline::state::lists::{Action, Bound, Pipeline, action};
use reprise_timeline::{Call, State, argument};
use reprise_trace::read::Trace;

const DISPATCH: MethodId = method("ID3D12GraphicsCommandList", "Dispatch");
const X: Argument<u32> = argument!("ID3D12GraphicsCommandList", "Dispatch", "ThreadGroupCountX");
const Y: Argument<u32> = argument!("ID3D12GraphicsCommandList", "Dispatch", "ThreadGroupCountY");
const Z: Argument<u32> = argument!("ID3D12GraphicsCommandList", "Dispatch", "ThreadGroupCountZ");

/// Calls of a bundle that are looked at.
const MOST_CALLS: usize = 1024;

/// The dispatch of a call, as a submission runs it; without one the first that does.
///
/// # Errors
/// When there is none, or it cannot be debugged.
pub(crate) fn of(
    trace: &Trace,
    index: &mut Index,
    (call, submission): (u64, Option<u64>),
    progress: &mut dyn FnMut(u64),
) -> Result<Invocation, Refused> {
    let moment = index.at(trace, call, progress)?;
    let entered = moment.call.call();
    let asked = |what: &str| Err(Refused::Asked(format!("call {call}: {what}")));
    let unsupported = |what: &str| Err(Refused::Unsupported(format!("call {call}: {what}")));
    match action(entered.method) {
        _ if entered.method == DISPATCH => {}
        Some(Action::Indirect) => {}
        Some(action) if action.draws() => {
            return asked("the call draws, and has no threads: name a vertex by --vertex I, or a pixel by --pixel X,Y");
        }
        Some(Action::DispatchRays) if entered.method == DISPATCH_RAYS => {}
        Some(Action::DispatchRays | Action::DispatchGraph) => {
            return unsupported("work graphs are not supported yet");
        }
        _ => return asked("the call dispatches nothing: `reprise dump --methods Dispatch` lists calls that do"),
    }
    let state = &moment.state;
    let Some(own) = state.lists.get(entered.object) else { return asked("the trace does not have its list") };
    let place = Place::of(index.chronicle(), (call, entered.object, own), submission)?;
    let outer = place.outer(trace, index, call, progress)?;
    let at_call = || format!("call {call}");
    let indirect = match entered.method {
        DISPATCH | DISPATCH_RAYS => None,
        _ => Some(Indirect::of(&entered, state).map_err(|what| anyhow!("call {call}: {what}"))?),
    };
    let last = indirect.as_ref().and_then(Indirect::last);
    if indirect.is_some() && !matches!(last, Some(Type::DISPATCH | Type::DISPATCH_RAYS)) {
        return asked("its commands dispatch nothing: --vertex I and --pixel X,Y are for draws");
    }
    let is_of_rays = entered.method == DISPATCH_RAYS || last == Some(Type::DISPATCH_RAYS);
    let is_predicated = |bound: &Bound| bound.predication.is_some_and(|set| set.value.is_some());
    let mut predicated = is_predicated(&own.bound);
    let (mut commands, mut chosen) = (Vec::new(), 0);
    let mut rays = None;
    match &outer {
        _ if is_of_rays => {
            let (state, bound) = match &outer {
                Some(outer) => (&outer.state, outer.within(&own.bound)),
                None => (state, own.bound.clone()),
            };
            let others = outer.iter().flat_map(|outer| &outer.calls).filter(|other| **other != call);
            for other in others {
                if action(index.at(trace, *other, progress)?.call.call().method).is_some() {
                    return unsupported("a bundle that draws or dispatches beside its rays is not supported yet");
                }
            }
            let object = match bound.pipeline.as_ref().map(|set| &set.value) {
                Some(Pipeline::StateObject(id)) => *id,
                _ => return asked("no state object is set that traces rays"),
            };
            rays = Some(RayShaders::of(trace, call, object, place.submission)?);
            let work = Work::Rays(Rays::of_call(&entered).with_context(at_call)?);
            // Records name the shaders.
            let none: Code = (0, Vec::new().into());
            commands.push(Command::of(trace, state, (bound, work), none, Linked::default()).with_context(at_call)?);
        }
        None => {
            let work = Work::Groups(groups(&entered).with_context(at_call)?);
            commands.push(command(trace, state, (own.bound.clone(), work)).with_context(at_call)?);
        }
        Some(outer) => {
            predicated |= is_predicated(&outer.bound);
            if outer.calls.len() > MOST_CALLS {
                return unsupported("a bundle of so many calls is not supported yet");
            }
            // What the bundle leaves is what all of its calls leave.
            for inner in &outer.calls {
                let moment = index.at(trace, *inner, progress)?;
                let entered = moment.call.call();
                match action(entered.method) {
                    None => continue,
                    Some(_) if entered.method == DISPATCH => {}
                    Some(Action::Indirect) if *inner == call => {}
                    Some(_) => {
                        return unsupported("its bundle draws or has other indirect calls, which is not supported yet");
                    }
                }
                let own = moment.state.lists.get(entered.object);
                let own =
                    own.ok_or_else(|| anyhow!("call {call}: the trace does not have its bundle at call {inner}"))?;
                let work = Work::Groups(groups(&entered).with_context(at_call)?);
                if *inner == call {
                    chosen = commands.len();
                }
                let made = command(trace, &outer.state, (outer.within(&own.bound), work));
                commands.push(made.with_context(at_call)?);
            }
            if !outer.calls.contains(&call) {
                return asked("its bundle is recorded anew where it runs");
            }
        }
    }
    if indirect.is_some() && commands.len() > 1 {
        return unsupported("its bundle dispatches elsewhere, too, which is not supported yet for indirect calls");
    }
    // Descriptors are read when the list runs.
    let state = index.at(trace, place.submission, progress)?.state;
    let mut invocation = Invocation::new((call, &place), (commands, chosen), indirect, predicated, state);
    invocation.rays = rays;
    Ok(invocation)
}

/// What is bound where a call dispatches.
fn command(trace: &Trace, state: &State, (bound, work): (Bound, Work)) -> anyhow::Result<Command> {
    let code: Code = pipeline::shader(trace, state, &bound, "CS")?;
    Command::of(trace, state, (bound, work), code, Linked::default())
}

/// The groups of a direct dispatch; none of an indirect one.
fn groups(call: &Call<'_>) -> anyhow::Result<[u32; 3]> {
    if call.method != DISPATCH {
        return Ok([0; 3]);
    }
    let damaged = |error: Damaged| anyhow!("{error}");
    Ok([X.of(call).map_err(damaged)?, Y.of(call).map_err(damaged)?, Z.of(call).map_err(damaged)?])
}
