//! What render passes clear where they begin, and resolve where they end.
//!
//! A pass that resumes another clears nothing, and one that is suspended resolves nothing, whatever their targets say.

use std::collections::HashMap;

use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE as Begin, D3D12_RENDER_PASS_FLAGS,
    D3D12_RENDER_PASS_RENDER_TARGET_DESC, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION,
};
use reprise_d3d12::{MODEL, method};
use reprise_timeline::argument::{Argument, Many};
use reprise_timeline::state::lists::{Pass, depth_of_pass};
use reprise_timeline::state::memory;
use reprise_timeline::{Call, State, argument};

use super::shot::ShotOf;

const COLOURS: Argument<Many<D3D12_RENDER_PASS_RENDER_TARGET_DESC>> =
    argument!("ID3D12GraphicsCommandList4", "BeginRenderPass", "pRenderTargets");
const FLAGS: Argument<D3D12_RENDER_PASS_FLAGS> = argument!("ID3D12GraphicsCommandList4", "BeginRenderPass", "Flags");
/// The call that begins a pass.
pub(super) const BEGIN: MethodId = method("ID3D12GraphicsCommandList4", "BeginRenderPass");
/// The call that ends it.
pub(super) const END: MethodId = method("ID3D12GraphicsCommandList4", "EndRenderPass");

/// Something that a pass resolves where it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Resolved {
    pub(super) source: u32,
    pub(super) destination: u32,
    /// The first subresource of the destination that it writes.
    subresource: u32,
}

impl Resolved {
    /// The destination, as a shot names it; nothing where the trace has no such texture.
    pub(super) fn shot(&self, state: &State) -> Option<ShotOf> {
        let made = state.objects.get(self.destination)?.creation();
        let desc: D3D12_RESOURCE_DESC1 = memory::resource(&made).ok()??;
        let mips = u32::from(desc.MipLevels).max(1);
        let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        let slices = if volume { 1 } else { u32::from(desc.DepthOrArraySize).max(1) };
        let rest = self.subresource / mips;
        let (resource, mip) = (self.destination, self.subresource % mips);
        Some(ShotOf::Texture { resource, mip, slice: rest % slices, plane: rest / slices, sample: 0 })
    }
}

/// What the passes that are open resolve where they end, by list.
#[derive(Default)]
pub(super) struct Passes(HashMap<u32, Vec<Resolved>>);

impl Passes {
    /// A call of a list.
    pub(super) fn call(&mut self, call: &Call<'_>) {
        if call.method == BEGIN {
            self.0.insert(call.object, resolved(call));
        }
    }

    /// What a call resolves that ends a pass.
    pub(super) fn ended(&self, call: &Call<'_>) -> &[Resolved] {
        let resolved = self.0.get(&call.object).filter(|_| call.method == END);
        resolved.map_or(&[], Vec::as_slice)
    }
}

/// Handles of what a call clears that begins a pass: colours with their slots, and depth or stencil.
pub(super) fn cleared(call: &Call<'_>) -> (Vec<(u32, u64)>, Option<u64>) {
    let resumes = FLAGS.of(call).is_ok_and(|flags| flags.0 & Pass::RESUMES != 0);
    if call.method != BEGIN || resumes {
        return (Vec::new(), None);
    }
    let colours = COLOURS.of(call).map(|colours| colours.iter().collect::<Vec<_>>()).unwrap_or_default();
    let colours = (0..).zip(colours).filter(|(_, colour)| colour.BeginningAccess.Type == Begin::CLEAR);
    let depth = depth_of_pass(call);
    let depth =
        depth.filter(|it| [it.DepthBeginningAccess.Type, it.StencilBeginningAccess.Type].contains(&Begin::CLEAR));
    (colours.map(|(slot, colour)| (slot, colour.cpuDescriptor.ptr)).collect(), depth.map(|it| it.cpuDescriptor.ptr))
}

/// The handle of a target that a call sets which begins a pass.
pub(super) fn target(call: &Call<'_>, of: &ShotOf) -> Option<D3D12_CPU_DESCRIPTOR_HANDLE> {
    match of {
        _ if call.method != BEGIN => None,
        ShotOf::Target { slot, .. } => {
            COLOURS.of(call).ok()?.iter().nth(*slot as usize).map(|colour| colour.cpuDescriptor)
        }
        ShotOf::Depth { .. } => depth_of_pass(call).map(|it| it.cpuDescriptor),
        _ => None,
    }
}

fn resolved(call: &Call<'_>) -> Vec<Resolved> {
    let suspends = FLAGS.of(call).is_ok_and(|flags| flags.0 & Pass::SUSPENDS != 0);
    let mut found = Vec::new();
    if !suspends && let Ok(arguments) = reprise_timeline::codec().decode_enter(call.method, call.enter.bytes) {
        arguments.members.iter().for_each(|member| collect(&member.value, &mut found));
    }
    found
}

fn collect(value: &Value<'_>, found: &mut Vec<Resolved>) {
    match value {
        Value::Struct(id, members) => {
            const NAME: &str = "D3D12_RENDER_PASS_ENDING_ACCESS_RESOLVE_PARAMETERS";
            if MODEL.structs.get(usize::from(id.0)).is_some_and(|layout| layout.name == NAME) {
                found.extend(one(members));
            } else {
                members.iter().for_each(|member| collect(&member.value, found));
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        _ => {}
    }
}

fn one(members: &[Member<'_>]) -> Option<Resolved> {
    let object = |name: &str| match named(members, name) {
        Some(Value::Object(id, _)) if *id != 0 => Some(*id),
        _ => None,
    };
    // A resolve of no part resolves nothing.
    let Value::Array(parts) = named(members, "pSubresourceParameters")? else { return None };
    let Some(Value::Struct(_, part)) = parts.first() else { return None };
    let subresource = u32::try_from(named(part, "DstSubresource")?.number()?).ok()?;
    Some(Resolved { source: object("pSrcResource")?, destination: object("pDstResource")?, subresource })
}

fn named<'a, 'v>(members: &'a [Member<'v>], name: &str) -> Option<&'a Value<'v>> {
    members.iter().find(|member| member.field.name == name).map(|member| &member.value)
}
