//! What a render pass does with its targets at its beginning, and what it needs at its end.

use crate::nested::{self, Number};
use crate::record::{Context, planes};
use crate::recording::{Use, What};
use crate::role::Role;
use crate::rule::Severity;
use crate::states::Access;
use crate::subresource::Subresources;
use reprise_d3d12::types::{
    D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE as Begin, D3D12_RENDER_PASS_RENDER_TARGET_DESC,
};
use reprise_timeline::argument;
use reprise_timeline::argument::{Argument, Damaged, Many};
use reprise_timeline::call::Call;
use reprise_timeline::state::lists::depth_of_pass;

/// A render pass begins: its targets are cleared, discarded or kept.
pub(crate) fn record(context: &mut Context<'_>, call: &Call<'_>) -> Result<(), Damaged> {
    type Colour = D3D12_RENDER_PASS_RENDER_TARGET_DESC;
    const COLOURS: Argument<Many<Colour>> =
        argument!("ID3D12GraphicsCommandList4", "BeginRenderPass", "pRenderTargets");
    // Where its targets are resolved to and from, at its end.
    for it in nested::all(call) {
        if let Number::Object(resource) = it.number {
            context.recording.needs.insert(resource);
            let (access, role) = match it.path.ends_with("pSrcResource") {
                true => (Access::ResolveFrom, Role::ResolveSource),
                false => (Access::ResolveTo, Role::ResolveDestination),
            };
            note(context, call.number, (resource, Subresources::All), access, role);
        }
    }
    for colour in COLOURS.of(call)?.iter() {
        let Some((resource, subresources)) = viewed(context, colour.cpuDescriptor) else { continue };
        match colour.BeginningAccess.Type {
            begin if is_new(begin) => {
                let subresources = subresources.clone();
                context.recording.push(call.number, What::Initialise { resource, subresources });
            }
            Begin::PRESERVE => {}
            _ => continue,
        }
        let role = role(colour.BeginningAccess.Type);
        note(context, call.number, (resource, subresources.clone()), Access::Target, role);
        context.recording.uses(call.number, resource, subresources, Access::Target);
    }
    depth(context, call);
    Ok(())
}

/// Planes of depth and stencil that it clears or discards. Those that it keeps it may not write.
fn depth(context: &mut Context<'_>, call: &Call<'_>) {
    let Some(desc) = depth_of_pass(call) else { return };
    let Some((resource, all)) = viewed(context, desc.cpuDescriptor) else { return };
    let shape = context.shape(resource);
    let [depth, stencil] = [desc.DepthBeginningAccess.Type, desc.StencilBeginningAccess.Type].map(is_new);
    // Without a plane of stencil its access counts for nothing.
    let stencil = stencil && shape.planes > 1;
    if depth || stencil {
        let subresources = planes(shape, &all, depth, stencil);
        let clears = [desc.DepthBeginningAccess.Type, desc.StencilBeginningAccess.Type].contains(&Begin::CLEAR);
        let role = if clears { Role::Clear } else { Role::Discard };
        note(context, call.number, (resource, subresources.clone()), Access::DepthWrite, role);
        let what = What::Initialise { resource, subresources: subresources.clone() };
        context.recording.push(call.number, what);
        context.recording.uses(call.number, resource, subresources, Access::DepthWrite);
    }
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
