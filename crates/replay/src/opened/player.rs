//! Plays passes in their opened form.

use std::collections::HashMap;

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS, D3D12_CPU_DESCRIPTOR_HANDLE as Handle, D3D12_RENDER_PASS_BEGINNING_ACCESS as BeginningAccess,
    D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE as Begin, D3D12_RENDER_PASS_DEPTH_STENCIL_DESC as DepthStencil,
    D3D12_RENDER_PASS_ENDING_ACCESS as EndingAccess,
    D3D12_RENDER_PASS_ENDING_ACCESS_RESOLVE_SUBRESOURCE_PARAMETERS as Part,
    D3D12_RENDER_PASS_ENDING_ACCESS_TYPE as End, D3D12_RENDER_PASS_FLAGS as Flags,
    D3D12_RENDER_PASS_RENDER_TARGET_DESC as Colour, D3D12_RESOURCE_STATES as State,
};

use super::{Arguments, SET_TARGETS};
use crate::runtime::Runtime;
use crate::runtime::barrier::{barriers, transition};

const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");

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

impl OpenedPasses {
    /// Plays the begin of a pass; false where it is to be begun as it is.
    ///
    /// # Safety
    /// The list is recording, and the words are rebuilt arguments of [`BEGIN`].
    pub(crate) unsafe fn begin(&mut self, runtime: &Runtime, (id, list): (u32, u64), words: &[u64]) -> bool {
        self.0.remove(&id);
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

    /// A call was made: a list that begins anew is in no pass.
    pub(crate) fn made(&mut self, method: MethodId, object: u32) {
        if method == RESET {
            self.0.remove(&object);
        }
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
    unsafe { runtime.call(list, CLEAR, &[colour.cpuDescriptor.ptr, value.as_ptr() as u64, 0, 0]) };
}

fn clear_depth(runtime: &Runtime, list: u64, it: &DepthStencil) {
    const CLEAR: MethodId = method("ID3D12GraphicsCommandList", "ClearDepthStencilView");
    let value = |access: &BeginningAccess| match access.Type {
        // SAFETY: the type says which member of the unions is in use; all of its bytes are numbers.
        Begin::CLEAR => Some(unsafe { access.Anonymous.Clear.ClearValue.Anonymous.DepthStencil }),
        _ => None,
    };
    let (depth, stencil) = (value(&it.DepthBeginningAccess), value(&it.StencilBeginningAccess));
    let flag = |is_set: bool, flag: D3D12_CLEAR_FLAGS| if is_set { u64::from(flag.0) } else { 0 };
    let flags = flag(depth.is_some(), D3D12_CLEAR_FLAGS::DEPTH) | flag(stencil.is_some(), D3D12_CLEAR_FLAGS::STENCIL);
    if flags == 0 {
        return;
    }
    let to_depth = u64::from(depth.map_or(0.0, |value| value.Depth).to_bits());
    let to_stencil = u64::from(stencil.map_or(0, |value| value.Stencil));
    // SAFETY: the list is recording, and the handle is the program's.
    unsafe { runtime.call(list, CLEAR, &[it.cpuDescriptor.ptr, flags, to_depth, to_stencil, 0, 0]) };
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
            // An empty rectangle is all of the source at the end of a pass, and nothing of it outside of one.
            let rect = &part.SrcRect;
            let whole = rect.left >= rect.right || rect.top >= rect.bottom;
            let rect = if whole { 0 } else { core::ptr::from_ref(rect) as u64 };
            let to = [self.to, part.DstSubresource.into(), part.DstX.into(), part.DstY.into()];
            let from = [self.from, part.SrcSubresource.into(), rect, self.format, self.mode];
            // SAFETY: the list is recording; the program's call named both resources, which live until its work is done.
            unsafe { runtime.call(list1, RESOLVE, &[&to[..], &from].concat()) };
        }
        barriers(runtime, list, &all(State::RESOLVE_SOURCE, target));
    }
}
