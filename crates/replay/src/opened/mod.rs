//! Render passes that are played as what they are made of: targets that are set, clears, and resolves at the end.
//!
//! Within a render pass nothing can be copied, no other target can be set and no query resolved, so nobody could look between its draws.
//! Where a replay looks at single calls it plays passes in this form, whose results are the same: a pass that is preserved is left as it is,
//! and one that is discarded keeps what was there.
//!
//! Invariant: what the trace says decides alone whether a pass is opened ([`can_be`]), so that plans know it before the replay.

pub(crate) mod player;

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_CPU_DESCRIPTOR_HANDLE as Handle, D3D12_RENDER_PASS_BEGINNING_ACCESS as BeginningAccess,
    D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE as Begin, D3D12_RENDER_PASS_DEPTH_STENCIL_DESC as DepthStencil,
    D3D12_RENDER_PASS_ENDING_ACCESS as EndingAccess, D3D12_RENDER_PASS_FLAGS as Flags,
    D3D12_RENDER_PASS_RENDER_TARGET_DESC as Colour,
};
use reprise_timeline::state::lists::{Bound, Pass};

/// `D3D12_SIMULTANEOUS_RENDER_TARGET_COUNT`.
const TARGETS: u32 = 8;
/// The call that sets targets.
pub(crate) const SET_TARGETS: MethodId = method("ID3D12GraphicsCommandList", "OMSetRenderTargets");
/// The call that begins a pass.
pub(crate) const BEGIN: MethodId = method("ID3D12GraphicsCommandList4", "BeginRenderPass");

/// Whether nothing can be recorded beside a draw with these bindings: it is in a pass that is not opened.
pub(crate) fn is_closed(bound: &Bound) -> bool {
    bound.pass.as_ref().is_some_and(|pass| !can_be(&pass.value))
}

/// Whether calls outside of passes can say the same as a pass. They cannot where draws do not write to one of its targets (a colour that is not
/// accessed, or both planes of a depth buffer), or where a flag binds a depth buffer for reading, which descriptors say otherwise.
pub(crate) fn can_be(pass: &Pass) -> bool {
    let is_bound = |(begin, _): &(u32, u32)| is_bound(Begin(*begin as _));
    let reads = Flags::BIND_READ_ONLY_DEPTH.0 | Flags::BIND_READ_ONLY_STENCIL.0;
    pass.flags & reads == 0
        && pass.colours.iter().all(is_bound)
        && pass.depth.is_none_or(|planes| planes.iter().any(is_bound))
}

/// Whether a method sets targets: also the one that begins a pass.
pub(crate) fn sets_targets(method: MethodId) -> bool {
    method == SET_TARGETS || method == BEGIN
}

fn is_bound(access: Begin) -> bool {
    matches!(access, Begin::DISCARD | Begin::PRESERVE | Begin::CLEAR | Begin::PRESERVE_LOCAL_RENDER)
}

/// The arguments of a call that begins a pass.
struct Arguments<'a> {
    colours: &'a [Colour],
    depth: Option<&'a DepthStencil>,
    flags: Flags,
}

impl<'a> Arguments<'a> {
    /// # Safety
    /// The words are rebuilt arguments of [`BEGIN`], whose memory outlives the result.
    unsafe fn of(words: &[u64]) -> Option<Arguments<'a>> {
        let &[count, colours, depth, flags] = words else { return None };
        let colours = match colours {
            0 => &[],
            // SAFETY: the codec rebuilt an array of so many, says the caller. More than a list can have set are passed over, as in a pass.
            at => unsafe { core::slice::from_raw_parts(at as *const Colour, (count as u32).min(TARGETS) as usize) },
        };
        // SAFETY: the codec rebuilt one or none, says the caller.
        let depth = unsafe { (depth as *const DepthStencil).as_ref() };
        Some(Arguments { colours, depth, flags: Flags(flags as u32 as _) })
    }

    fn can_be_opened(&self) -> bool {
        let types = |begin: &BeginningAccess, end: &EndingAccess| (begin.Type.0 as u32, end.Type.0 as u32);
        can_be(&Pass {
            flags: self.flags.0,
            colours: self.colours.iter().map(|it| types(&it.BeginningAccess, &it.EndingAccess)).collect(),
            depth: self.depth.map(|it| {
                [
                    types(&it.DepthBeginningAccess, &it.DepthEndingAccess),
                    types(&it.StencilBeginningAccess, &it.StencilEndingAccess),
                ]
            }),
        })
    }

    fn has(&self, flag: Flags) -> bool {
        self.flags.0 & flag.0 != 0
    }
}

/// The targets of a pass, as a call that sets targets has them.
///
/// # Safety
/// The words are rebuilt arguments of [`BEGIN`].
pub(crate) unsafe fn targets(words: &[u64]) -> Option<(Vec<Handle>, Option<Handle>)> {
    // SAFETY: as the caller says; nothing of it is kept.
    let arguments = unsafe { Arguments::of(words) }?;
    Some((
        arguments.colours.iter().map(|colour| colour.cpuDescriptor).collect(),
        arguments.depth.map(|it| it.cpuDescriptor),
    ))
}
