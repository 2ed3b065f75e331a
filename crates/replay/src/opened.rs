//! Render passes that are played as what they are made of: targets that are set, clears, and resolves at the end.
//!
//! Within a render pass nothing can be copied, no other target can be set and no query resolved, so nobody could look between its draws.
//! Where a replay looks at single calls it plays passes in this form, whose results are the same: a pass that is preserved is left as it is,
//! and one that is discarded keeps what was there.
//!
//! Invariant: what the trace says decides alone whether a pass is opened ([`can_be`]), so that plans know it before the replay.

use std::collections::HashMap;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS, D3D12_CPU_DESCRIPTOR_HANDLE as Handle, D3D12_RENDER_PASS_BEGINNING_ACCESS as BeginningAccess,
    D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE as Begin, D3D12_RENDER_PASS_DEPTH_STENCIL_DESC as DepthStencil,
    D3D12_RENDER_PASS_ENDING_ACCESS as EndingAccess,
    D3D12_RENDER_PASS_ENDING_ACCESS_RESOLVE_SUBRESOURCE_PARAMETERS as Part,
    D3D12_RENDER_PASS_ENDING_ACCESS_TYPE as End, D3D12_RENDER_PASS_FLAGS as Flags,
    D3D12_RENDER_PASS_RENDER_TARGET_DESC as Colour, D3D12_RESOURCE_STATES as State,
};
use reprise_d3d12::{interface, method};
use reprise_timeline::state::lists::{Bound, Pass};

use crate::resource_dump::own::{barriers, transition};
use crate::runtime::Runtime;
use crate::target_sets::SET_TARGETS;
use crate::world::World;

/// The call that begins a pass.
pub(crate) const BEGIN: MethodId = method("ID3D12GraphicsCommandList4", "BeginRenderPass");

/// Whether nothing can be recorded beside a draw with these bindings: it is in a pass that is not opened.
pub(crate) fn is_closed(bound: &Bound) -> bool {
    bound.pass.as_ref().is_some_and(|pass| !can_be(&pass.value))
}

/// Whether a pass is its targets, clears and resolves. One is not that has targets which its draws do not count, or that binds a depth
/// buffer for reading by a flag, which no descriptor says.
pub(crate) fn can_be(pass: &Pass) -> bool {
    let is_bound = |(begin, _): &(u32, u32)| is_bound(Begin(*begin as _));
    let reads = Flags::BIND_READ_ONLY_DEPTH.0 | Flags::BIND_READ_ONLY_STENCIL.0;
    pass.flags & reads as u32 == 0
        && pass.colours.iter().all(is_bound)
        && pass.depth.is_none_or(|planes| planes.iter().any(is_bound))
}

fn is_bound(access: Begin) -> bool {
    matches!(access, Begin::DISCARD | Begin::PRESERVE | Begin::CLEAR | Begin::PRESERVE_LOCAL_RENDER)
}

/// What the passes that are open resolve to at their ends, by list.
#[derive(Default)]
pub(crate) struct OpenedPasses(HashMap<u32, Vec<Resolve>>);

/// One resource that a pass resolves.
struct Resolve {
    from: u64,
    to: u64,
    parts: Vec<Part>,
    format: u64,
    mode: u64,
    is_depth: bool,
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
        // SAFETY: the codec rebuilt an array of so many, and one or none; says the caller.
        let colours = match colours {
            0 => &[],
            at => unsafe { core::slice::from_raw_parts(at as *const Colour, count as u32 as usize) },
        };
        // SAFETY: as above.
        let depth = unsafe { (depth as *const DepthStencil).as_ref() };
        Some(Arguments { colours, depth, flags: Flags(flags as u32 as _) })
    }

    fn can_be_opened(&self) -> bool {
        let types = |begin: &BeginningAccess, end: &EndingAccess| (begin.Type.0 as u32, end.Type.0 as u32);
        can_be(&Pass {
            flags: self.flags.0 as u32,
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

impl OpenedPasses {
    /// Plays the begin of a pass; false where it is to be begun as it is.
    ///
    /// # Safety
    /// The list is recording, and the words are rebuilt arguments of [`BEGIN`].
    pub(crate) unsafe fn begin(&mut self, runtime: &Runtime, (id, list): (u32, u64), words: &[u64]) -> bool {
        // SAFETY: as the caller says; nothing of it outlives this call but what is copied.
        let Some(arguments) = unsafe { Arguments::of(words) }.filter(Arguments::can_be_opened) else { return false };
        let handles: Vec<Handle> = arguments.colours.iter().map(|colour| colour.cpuDescriptor).collect();
        let depth = arguments.depth.map_or(0, |it| core::ptr::from_ref(&it.cpuDescriptor) as u64);
        let set = [handles.len() as u64, handles.as_ptr() as u64, 0, depth];
        // SAFETY: the list is recording; the handles are those of the program's call, the arrays outlive the call.
        unsafe { runtime.call(list, SET_TARGETS, &set) };
        if !arguments.has(Flags::RESUMING_PASS) {
            arguments.colours.iter().for_each(|colour| clear_colour(runtime, list, colour));
            arguments.depth.iter().for_each(|depth| clear_depth(runtime, list, depth));
        }
        let mut resolves = Vec::new();
        if !arguments.has(Flags::SUSPENDING_PASS) {
            resolves.extend(arguments.colours.iter().filter_map(|it| Resolve::of(&it.EndingAccess, false)));
            let planes = arguments.depth.iter().flat_map(|it| [&it.DepthEndingAccess, &it.StencilEndingAccess]);
            resolves.extend(planes.filter_map(|access| Resolve::of(access, true)));
        }
        self.0.insert(id, resolves);
        true
    }

    /// Plays the end of a pass; false where it was begun as it is.
    ///
    /// # Safety
    /// The list is recording.
    pub(crate) unsafe fn end(&mut self, runtime: &Runtime, (id, list): (u32, u64), list1: u64) -> bool {
        let Some(resolves) = self.0.remove(&id) else { return false };
        // SAFETY: the list is recording; without targets nothing is read.
        unsafe { runtime.call(list, SET_TARGETS, &[0, 0, 0, 0]) };
        for resolve in resolves {
            resolve.record(runtime, list, list1);
        }
        true
    }
}

fn clear_colour(runtime: &Runtime, list: u64, colour: &Colour) {
    const CLEAR: MethodId = method("ID3D12GraphicsCommandList", "ClearRenderTargetView");
    if colour.BeginningAccess.Type != Begin::CLEAR {
        return;
    }
    // SAFETY: the type says which member of the unions is in use; all of its bytes are numbers.
    let value = unsafe { colour.BeginningAccess.Anonymous.Clear.ClearValue.Anonymous.Color };
    // SAFETY: the list is recording, the handle is the program's, the four numbers outlive the call.
    unsafe { runtime.call(list, CLEAR, &[colour.cpuDescriptor.ptr as u64, value.as_ptr() as u64, 0, 0]) };
}

fn clear_depth(runtime: &Runtime, list: u64, it: &DepthStencil) {
    const CLEAR: MethodId = method("ID3D12GraphicsCommandList", "ClearDepthStencilView");
    let value = |access: &BeginningAccess| {
        // SAFETY: the type says which member of the unions is in use; all of its bytes are numbers.
        (access.Type == Begin::CLEAR).then(|| unsafe { access.Anonymous.Clear.ClearValue.Anonymous.DepthStencil })
    };
    let (depth, stencil) = (value(&it.DepthBeginningAccess), value(&it.StencilBeginningAccess));
    let flag = |is_set: bool, flag: D3D12_CLEAR_FLAGS| if is_set { flag.0 as u32 as u64 } else { 0 };
    let flags = flag(depth.is_some(), D3D12_CLEAR_FLAGS::DEPTH) | flag(stencil.is_some(), D3D12_CLEAR_FLAGS::STENCIL);
    if flags == 0 {
        return;
    }
    let to_depth = u64::from(depth.map_or(0.0, |value| value.Depth).to_bits());
    let to_stencil = u64::from(stencil.map_or(0, |value| value.Stencil));
    // SAFETY: the list is recording, and the handle is the program's.
    unsafe { runtime.call(list, CLEAR, &[it.cpuDescriptor.ptr as u64, flags, to_depth, to_stencil, 0, 0]) };
}

impl Resolve {
    /// What an ending asks for, if it resolves.
    fn of(access: &EndingAccess, is_depth: bool) -> Option<Resolve> {
        if access.Type != End::RESOLVE {
            return None;
        }
        // SAFETY: the type says which member of the union is in use.
        let it = unsafe { access.Anonymous.Resolve };
        let count = if it.pSubresourceParameters.is_null() { 0 } else { it.SubresourceCount as usize };
        let parts = match count {
            0 => Vec::new(),
            // SAFETY: the codec rebuilt so many of them there.
            count => unsafe { core::slice::from_raw_parts(it.pSubresourceParameters, count) }.to_vec(),
        };
        let (from, to) = (it.pSrcResource as u64, it.pDstResource as u64);
        Some(Resolve {
            from,
            to,
            parts,
            format: it.Format.0 as u32 as u64,
            mode: it.ResolveMode.0 as u32 as u64,
            is_depth,
        })
    }

    /// Resolves: the source is a target before and after, and the destination is where resolves go.
    fn record(&self, runtime: &Runtime, list: u64, list1: u64) {
        const RESOLVE: MethodId = method("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion");
        let target = if self.is_depth { State::DEPTH_WRITE } else { State::RENDER_TARGET };
        let mut sources: Vec<u32> = self.parts.iter().map(|part| part.SrcSubresource).collect();
        sources.sort_unstable();
        sources.dedup();
        let all = |before, after| -> Vec<_> {
            sources.iter().map(|source| transition(self.from, *source, before, after)).collect()
        };
        barriers(runtime, list, &all(target, State::RESOLVE_SOURCE));
        for part in &self.parts {
            let rect = core::ptr::from_ref(&part.SrcRect) as u64;
            let to = [self.to, part.DstSubresource.into(), part.DstX.into(), part.DstY.into()];
            let from = [self.from, part.SrcSubresource.into(), rect, self.format, self.mode];
            // SAFETY: the list is recording; the program's call named both resources, which live until its work is done.
            unsafe { runtime.call(list1, RESOLVE, &[&to[..], &from].concat()) };
        }
        barriers(runtime, list, &all(State::RESOLVE_SOURCE, target));
    }
}

/// Begins a pass in its opened form, if replays look at calls; false where it is to be begun as it is.
///
/// # Errors
/// The list is gone.
///
/// # Safety
/// The words are rebuilt arguments of [`BEGIN`].
pub(crate) unsafe fn begin(world: &mut World, id: u32, words: &[u64]) -> Result<bool, String> {
    if world.opened.is_none() {
        return Ok(false);
    }
    let list = world.pointer(id, interface("ID3D12GraphicsCommandList"))?;
    let World { opened, runtime, .. } = world;
    // SAFETY: the table of live objects has the list, which is recording: the program just called it.
    Ok(opened.as_mut().is_some_and(|opened| unsafe { opened.begin(runtime, (id, list), words) }))
}

/// Ends a pass that was begun in its opened form; false where it was begun as it is.
///
/// # Errors
/// The list is gone.
pub(crate) fn end(world: &mut World, id: u32) -> Result<bool, String> {
    if world.opened.is_none() {
        return Ok(false);
    }
    let list = world.pointer(id, interface("ID3D12GraphicsCommandList"))?;
    let list1 = world.pointer(id, interface("ID3D12GraphicsCommandList1"))?;
    let World { opened, runtime, .. } = world;
    // SAFETY: the table of live objects has the list, which is recording: the program just called it.
    Ok(opened.as_mut().is_some_and(|opened| unsafe { opened.end(runtime, (id, list), list1) }))
}
