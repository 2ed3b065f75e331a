//! What a render pass does with its targets at its beginning, and what it needs at its end.

use crate::nested::{self, Number};
use crate::record::{Context, planes};
use crate::recording::{Use, What};
use crate::role::Role;
use crate::rule::Severity;
use crate::states::Access;
use crate::subresource::Subresources;
use reprise_d3d12::types::{
    D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE as Begin, D3D12_RENDER_PASS_FLAGS,
    D3D12_RENDER_PASS_RENDER_TARGET_DESC,
};
use reprise_timeline::argument;
use reprise_timeline::argument::{Argument, Damaged, Many};
use reprise_timeline::call::Call;
use reprise_timeline::state::lists::{Pass, depth_of_pass};

/// A render pass begins: its targets are cleared, discarded or kept.
pub(crate) fn record(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    type Colour = D3D12_RENDER_PASS_RENDER_TARGET_DESC;
    const COLOURS: Argument<Many<Colour>> =
        argument!("ID3D12GraphicsCommandList4", "BeginRenderPass", "pRenderTargets");
    const FLAGS: Argument<D3D12_RENDER_PASS_FLAGS> =
        argument!("ID3D12GraphicsCommandList4", "BeginRenderPass", "Flags");
    let flags = FLAGS.of(call)?.0;
    let (suspends, resumes) = (flags & Pass::SUSPENDS != 0, flags & Pass::RESUMES != 0);
    // Where its targets are resolved to and from, at its end: not where it goes on in another list.
    for it in nested::all(call) {
        if let Number::Object(resource) = it.number {
            context.recording.needs.insert(resource);
            if suspends {
                continue;
            }
            let (access, role) = match it.path.ends_with("pSrcResource") {
                true => (Access::ResolveFrom, Role::ResolveSource),
                false => (Access::ResolveTo, Role::ResolveDestination),
            };
            note(context, call.number, (resource, Subresources::All), access, role);
        }
    }
    for colour in COLOURS.of(call)?.iter() {
        let Some((resource, subresources)) = viewed(context, colour.cpuDescriptor) else { continue };
        let begin = begins(colour.BeginningAccess.Type, resumes);
        match begin {
            begin if is_new(begin) => {
                let subresources = subresources.clone();
                context.recording.push(call.number, What::Initialise { resource, subresources });
            }
            Begin::PRESERVE => {}
            _ => continue,
        }
        note(context, call.number, (resource, subresources.clone()), Access::Target, role(begin));
        context.recording.uses(call.number, resource, subresources, Access::Target);
    }
    depth(context, call, resumes);
    Ok(())
}

/// Planes of depth and stencil that it clears, discards or keeps. Those that it keeps it may not write.
fn depth(context: &mut Context<'_>, call: &Call<'_>, resumes: bool) {
    let Some(desc) = depth_of_pass(call) else { return };
    let Some((resource, all)) = viewed(context, desc.cpuDescriptor) else { return };
    let shape = context.shape(resource);
    let types = [desc.DepthBeginningAccess.Type, desc.StencilBeginningAccess.Type];
    let roles = roles(types.map(|begin| begins(begin, resumes)), shape.planes);
    for (plane, role) in roles.into_iter().enumerate() {
        let Some(role) = role else { continue };
        let access = if role == Role::Keep { Access::DepthRead } else { Access::DepthWrite };
        note(context, call.number, (resource, planes(shape, &all, plane == 0, plane == 1)), access, role);
    }
    let [depth, stencil] = roles.map(|role| role.is_some_and(|role| role != Role::Keep));
    if depth || stencil {
        let subresources = planes(shape, &all, depth, stencil);
        let what = What::Initialise { resource, subresources: subresources.clone() };
        context.recording.push(call.number, what);
        context.recording.uses(call.number, resource, subresources, Access::DepthWrite);
    }
}

/// What a pass does with depth and stencil at its beginning. Without a plane of stencil its access counts for nothing.
fn roles(begins: [Begin; 2], planes: u32) -> [Option<Role>; 2] {
    let [depth, stencil] = begins.map(|begin| (is_new(begin) || begin == Begin::PRESERVE).then(|| role(begin)));
    [depth, stencil.filter(|_| planes > 1)]
}

/// What a pass begins a target with: one that resumes another goes on with what that left, whatever it says.
fn begins(says: Begin, resumes: bool) -> Begin {
    if resumes && is_new(says) { Begin::PRESERVE } else { says }
}

/// What a beginning is.
fn role(begin: Begin) -> Role {
    match begin {
        Begin::CLEAR => Role::Clear,
        Begin::DISCARD => Role::Discard,
        _ => Role::Keep,
    }
}

/// A use that says what the pass does.
fn note(context: &mut Context<'_>, call: u64, it: (u32, Subresources), access: Access, role: Role) {
    let (resource, subresources) = it;
    let it = Use { resource, subresources, access, bytes: None, severity: Severity::Error };
    context.recording.note(call, it, role);
}

/// Whether nothing is left of what was there before.
fn is_new(begin: Begin) -> bool {
    matches!(begin, Begin::CLEAR | Begin::DISCARD)
}

/// What the view of a target leads to.
fn viewed(context: &Context<'_>, handle: D3D12_CPU_DESCRIPTOR_HANDLE) -> Option<(u32, Subresources)> {
    let state = context.state;
    let slot = state.addresses.cpu(handle.ptr)?;
    context.viewed(&state.descriptors.get(slot)?.view)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_that_resumes_keeps_what_was_there() {
        for (says, begin) in [
            (Begin::CLEAR, Begin::PRESERVE),
            (Begin::DISCARD, Begin::PRESERVE),
            (Begin::PRESERVE, Begin::PRESERVE),
            (Begin::NO_ACCESS, Begin::NO_ACCESS),
        ] {
            assert_eq!((begins(says, true), begins(says, false)), (begin, says));
        }
    }

    #[test]
    fn each_plane_begins_by_itself() {
        let (clear, keep, discard) = (Some(Role::Clear), Some(Role::Keep), Some(Role::Discard));
        assert_eq!(roles([Begin::CLEAR, Begin::PRESERVE], 2), [clear, keep]);
        assert_eq!(roles([Begin::DISCARD, Begin::CLEAR], 2), [discard, clear]);
        assert_eq!(roles([Begin::NO_ACCESS, Begin::DISCARD], 2), [None, discard]);
        // There is no stencil to clear.
        assert_eq!(roles([Begin::DISCARD, Begin::CLEAR], 1), [discard, None]);
    }
}
