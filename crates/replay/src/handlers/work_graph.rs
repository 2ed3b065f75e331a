//! Programs of state objects: replay puts in this runtime's identifiers of work graphs and generic programs. It does not translate the
//! memory that work graphs read.
//!
//! Inputs in the program's own memory are in the trace. Inputs in the GPU's hold the addresses of their records, and the table of local root
//! arguments holds addresses and handles. If any of these differ here, the call is refused.

use reprise_codec::decode::Outcome;
use reprise_d3d12::types::{
    D3D12_DISPATCH_GRAPH_DESC, D3D12_DISPATCH_MODE as Mode, D3D12_PROGRAM_IDENTIFIER, D3D12_PROGRAM_TYPE,
    D3D12_SET_PROGRAM_DESC,
};

use crate::arguments::Arguments;
use crate::call::Called;
use crate::call::open_call::{Enter, OpenCall};
use crate::context::Context;
use crate::error::Error;
use crate::handlers::execute_indirect::is_guessed;
use crate::handlers::ray_tracing::lies_still;
use crate::input::values::{member, numbers, structure};

const UNKNOWN: &str = "no state object of this trace was asked for the program's identifier";
const KIND: &str = "only programs that are work graphs or generic pipelines are replayed";
pub(super) const INPUTS: &str =
    "the graph's inputs lie in GPU memory with the addresses of their records, and resources lie elsewhere here";
pub(super) const TABLE: &str =
    "the table of local root arguments holds addresses and handles, and resources lie elsewhere here";
pub(super) const HANDLES: &str =
    "the table of local root arguments may hold handles of descriptors, which are other ones here";

/// Whether memory can be used as it was recorded: everything lies where it lay. The list is told that it depends on that.
fn is_right(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<bool, Error> {
    let right = lies_still(context, enter)?;
    if right {
        context.world.indirect.trusts(enter.event.object);
    }
    Ok(right)
}

/// `GetProgramIdentifier`: the recorded identifier stands for the one here.
pub(crate) fn pair_identifier(context: &mut Context<'_, '_>, call: &OpenCall, outcome: &Outcome<'_>) {
    let recorded = outcome.outputs.first().map(|output| &output.value).and_then(structure);
    let recorded = recorded.and_then(|members| member(members, "OpaqueData")).map(numbers).unwrap_or_default();
    let recorded = <[u64; 4]>::try_from(recorded).ok().filter(|words| *words != [0; 4]);
    let Some((called, recorded)) = call.called.as_ref().zip(recorded) else { return };
    let place = called.words.first().copied().unwrap_or(0);
    let place = core::ptr::with_exposed_provenance::<D3D12_PROGRAM_IDENTIFIER>(place as usize);
    // SAFETY: the codec rebuilt the words for this method, whose first one is null or where the identifier is written; the call keeps it.
    let Some(here) = (unsafe { place.as_ref() }) else { return };
    context.world.identifiers.program(recorded, here.OpaqueData);
}

/// The identifier that a recorded program has here.
///
/// # Errors
/// It is neither a work graph nor a generic program, or the trace does not tell which one it is.
pub(super) fn identifier_here(
    context: &Context<'_, '_>,
    desc: &D3D12_SET_PROGRAM_DESC,
) -> Result<[u64; 4], &'static str> {
    // SAFETY: programs of each type have its arm.
    let recorded = unsafe {
        match desc.Type {
            D3D12_PROGRAM_TYPE::WORK_GRAPH => desc.Anonymous.WorkGraph.ProgramIdentifier,
            D3D12_PROGRAM_TYPE::GENERIC_PIPELINE => desc.Anonymous.GenericPipeline.ProgramIdentifier,
            _ => return Err(KIND),
        }
    };
    context.world.identifiers.program_of(&recorded.OpaqueData).ok_or(UNKNOWN)
}

/// Puts an identifier of this runtime in.
fn identify(desc: &mut D3D12_SET_PROGRAM_DESC, here: [u64; 4]) {
    match desc.Type {
        D3D12_PROGRAM_TYPE::GENERIC_PIPELINE => {
            desc.Anonymous.GenericPipeline.ProgramIdentifier.OpaqueData = here;
        }
        _ => desc.Anonymous.WorkGraph.ProgramIdentifier.OpaqueData = here,
    }
}

/// Whether a work graph has a table of local root arguments.
pub(super) fn has_table(desc: &D3D12_SET_PROGRAM_DESC) -> bool {
    // SAFETY: programs of this type have this arm.
    desc.Type == D3D12_PROGRAM_TYPE::WORK_GRAPH
        && unsafe { desc.Anonymous.WorkGraph.NodeLocalRootArgumentsTable.StartAddress } != 0
}

/// Whether a graph's inputs lie in GPU memory.
pub(super) fn in_memory(desc: &D3D12_DISPATCH_GRAPH_DESC) -> bool {
    matches!(desc.Mode, Mode::NODE_GPU_INPUT | Mode::MULTI_NODE_GPU_INPUT)
}

/// `SetProgram`.
///
/// # Errors
/// An argument cannot be honoured, or memory that it names is not right here.
pub(crate) fn set(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
) -> Result<Called, Error> {
    context.lists.before_call(enter.event.object);
    let ready = arguments.prepare(context, enter, &mut None)?;
    let desc = ready.words.first().copied().unwrap_or(0);
    let desc = core::ptr::with_exposed_provenance_mut::<D3D12_SET_PROGRAM_DESC>(desc as usize);
    // SAFETY: the codec rebuilt the words for this method, in memory of our own that may be written; null stays null.
    if let Some(desc) = unsafe { desc.as_mut() } {
        let here = identifier_here(context, desc).map_err(|why| enter.fail(why))?;
        identify(desc, here);
        if has_table(desc) {
            let right = is_right(context, enter)?;
            // Handles are not guessed.
            if !context.world.descriptors_lie_as_recorded() {
                return Err(enter.fail(HANDLES));
            }
            if !right && !is_guessed(context) {
                return Err(enter.fail(TABLE));
            }
        }
    }
    arguments.make(context, enter, ready)
}

/// `DispatchGraph`.
///
/// # Errors
/// An argument cannot be honoured, or inputs in memory are not right here.
pub(crate) fn dispatch(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
) -> Result<Called, Error> {
    context.lists.before_call(enter.event.object);
    let ready = arguments.prepare(context, enter, &mut None)?;
    let desc = ready.words.first().copied().unwrap_or(0);
    let desc = core::ptr::with_exposed_provenance::<D3D12_DISPATCH_GRAPH_DESC>(desc as usize);
    // SAFETY: the codec rebuilt the words for this method; null stays null.
    let in_memory = unsafe { desc.as_ref() }.is_some_and(in_memory);
    if in_memory && !is_right(context, enter)? && !is_guessed(context) {
        return Err(enter.fail(INPUTS));
    }
    arguments.make(context, enter, ready)
}
