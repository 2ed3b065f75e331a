//! What calls about acceleration structures read and write.
//!
//! Invariant: a structure is named by the resource and the byte at which it begins, as the API names it by an address.

use crate::nested::{self, Number};
use crate::record::Context;
use crate::recording::{Structures, Use, What};
use crate::role::Role;
use crate::rule::Severity;
use crate::states::Access;
use crate::subresource::Subresources;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::*;
use reprise_timeline::argument;
use reprise_timeline::argument::{Argument, Damaged, One};
use reprise_timeline::call::Call;

/// Whether a method is about acceleration structures.
pub(crate) fn is_about(method: MethodId) -> bool {
    [nested::BUILD, nested::COPY, nested::ASK].contains(&method)
}

/// What lies at an address that such a call is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A structure that is written.
    To,
    /// A structure that is read.
    From,
    Scratch,
    /// What the GPU answers.
    Answer,
    /// Vertices, boxes, matrices, instances.
    Input,
}

/// By the last member of a path.
fn part(path: &str) -> Part {
    let last = path.rsplit('.').next().unwrap_or(path);
    match last.split('[').next().unwrap_or(last) {
        "DestAccelerationStructureData" => Part::To,
        "SourceAccelerationStructureData" | "pSourceAccelerationStructureData" | "OpacityMicromapArray" => Part::From,
        "ScratchAccelerationStructureData" => Part::Scratch,
        "DestBuffer" => Part::Answer,
        _ => Part::Input,
    }
}

/// A build, a copy, or a question.
pub(crate) fn record(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    let mut it = Structures::default();
    let level = level(call)?;
    it.is_top = level == Some(D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE::TOP_LEVEL);
    // A copy may be of either level.
    it.is_bottom = call.method != nested::ASK && !it.is_top;
    let (from, to) = copied(call)?;
    let mut uses = Vec::new();
    for nested in nested::all(call) {
        let Number::Address(address) = nested.number else { continue };
        let part = part(&nested.path);
        let access = match part {
            Part::To => to,
            Part::From => from,
            Part::Scratch | Part::Answer => Access::Unordered,
            Part::Input => Access::NonPixel,
        };
        uses.push((address, access));
        note(context, call.number, address, access, role(part, to));
        let Some(place) = context.place(address) else { continue };
        match part {
            Part::To if to == Access::Structure => it.writes.push(place),
            Part::From if from == Access::Structure => it.reads.push(place),
            Part::Scratch => it.scratch = Some(place),
            _ => {}
        }
    }
    context.recording.push(call.number, What::Structures(Box::new(it)));
    uses.into_iter().for_each(|(address, access)| context.address(call.number, address, access));
    Ok(())
}

/// What a use of a part is; `to` is how the destination is used.
fn role(part: Part, to: Access) -> Role {
    match part {
        Part::To if to != Access::Structure => Role::BuildResult,
        Part::To => Role::BuildDestination,
        Part::From => Role::BuildSource,
        Part::Scratch => Role::BuildScratch,
        Part::Answer => Role::BuildResult,
        Part::Input => Role::BuildInput,
    }
}

/// A use that says which part of the call it is.
fn note(context: &mut Context<'_>, call: u64, address: u64, access: Access, role: Role) {
    let location = context.state.addresses.resource(address).filter(|_| address != 0);
    let Some(resource) = location.map(|location| location.resource) else { return };
    // Buffers that share memory share addresses.
    let severity = if context.world.is_alone(resource) { Severity::Error } else { Severity::Hint };
    let it = Use { resource, subresources: Subresources::All, access, bytes: None, severity };
    context.recording.note(call, it, role);
}

/// The level that is built.
fn level(call: &Call<'_>) -> Result<Option<D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE>, Damaged> {
    const DESC: Argument<One<D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC>> =
        argument!("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure", "pDesc");
    if call.method != nested::BUILD {
        return Ok(None);
    }
    Ok(DESC.of(call)?.map(|desc| desc.Inputs.Type))
}

/// How source and destination are used: copies make structures into bytes and bytes into structures, too.
fn copied(call: &Call<'_>) -> Result<(Access, Access), Damaged> {
    const MODE: Argument<D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE> =
        argument!("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", "Mode");
    use D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE as Mode;
    let mode = if call.method == nested::COPY { MODE.of(call)? } else { Mode::CLONE };
    Ok(match mode {
        Mode::DESERIALIZE => (Access::NonPixel, Access::Structure),
        Mode::SERIALIZE | Mode::VISUALIZATION_DECODE_FOR_TOOLS => (Access::Structure, Access::Unordered),
        _ => (Access::Structure, Access::Structure),
    })
}
