//! Render passes.
//!
//! A pass binds targets, clears some before, and resolves some after. Targets keep their contents, so a pass that resumes needs
//! nothing, and nothing that is preserved gets lost. Invariant: a list that is in a pass does not close.

use core::ffi::c_void;

use reprise_com::{Object, Slots};
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS, D3D12_DSV_FLAGS, D3D12_RECT, D3D12_RENDER_PASS_BEGINNING_ACCESS,
    D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE as Begin, D3D12_RENDER_PASS_DEPTH_STENCIL_DESC,
    D3D12_RENDER_PASS_ENDING_ACCESS, D3D12_RENDER_PASS_ENDING_ACCESS_TYPE as End, D3D12_RENDER_PASS_FLAGS as Flags,
    D3D12_RENDER_PASS_RENDER_TARGET_DESC, D3D12_RESOURCE_STATES as States,
};

use crate::list::array::array;
use crate::list::barrier::scope;
use crate::list::fixed_state::TARGETS;
use crate::list::pass_state::{Pass, Resolve};
use crate::list::recording::Recording;
use crate::resource::object::Resource;
use crate::{Error, Result};
use reprise_gpu::descriptor::record::{RecordKind, Target};
use reprise_gpu::scope::Gathered;

/// Methods about render passes.
pub(super) const LIST_METHODS: &Slots =
    &[("BeginRenderPass", begin as *const c_void), ("EndRenderPass", end as *const c_void)];

impl Resolve {
    /// Adds what an ending asks for.
    ///
    /// # Safety
    /// The description is the program's, complete.
    unsafe fn add(all: &mut Vec<Resolve>, ending: &D3D12_RENDER_PASS_ENDING_ACCESS) -> Result<()> {
        if ending.Type != End::RESOLVE {
            return Ok(());
        }
        // SAFETY: the type says which arm of the union is set; the description is the program's, complete.
        unsafe {
            let it = ending.Anonymous.Resolve;
            let resource = |pointer| {
                Object::<Resource>::from_pointer(pointer).ok_or(Error::Invalid("BeginRenderPass: nothing to resolve"))
            };
            let (from, to) = (resource(it.pSrcResource)?, resource(it.pDstResource)?);
            all.extend(array(it.pSubresourceParameters, it.SubresourceCount).iter().map(|part| Resolve {
                from: from.keep(),
                to: to.keep(),
                part: *part,
                format: it.Format,
                mode: it.ResolveMode,
            }));
        }
        Ok(())
    }
}

/// Whether shaders write to a target that is accessed so; others do not count among a pipeline's targets.
fn is_bound(access: Begin) -> bool {
    matches!(access, Begin::DISCARD | Begin::PRESERVE | Begin::CLEAR | Begin::PRESERVE_LOCAL_RENDER)
}

impl Recording {
    /// Whether a pass has begun.
    pub(super) fn in_pass(&self) -> bool {
        self.passes.open.is_some()
    }

    /// # Safety
    /// The descriptions are the program's, complete.
    unsafe fn begin_pass(
        &mut self,
        targets: &[D3D12_RENDER_PASS_RENDER_TARGET_DESC],
        depth: Option<&D3D12_RENDER_PASS_DEPTH_STENCIL_DESC>,
        flags: Flags,
    ) -> Result<()> {
        self.draws()?;
        if self.in_pass() {
            return Err(Error::Invalid("BeginRenderPass: a render pass has begun"));
        }
        let is = |flag: Flags| flags.0 & flag.0 != 0;
        let (suspends, resumes) = (is(Flags::SUSPENDING_PASS), is(Flags::RESUMING_PASS));
        let count = targets.len() as u32;
        match self.passes.suspended.take() {
            Some(other) if resumes && other != count => {
                return Err(Error::Invalid("BeginRenderPass: other targets than the suspended pass has"));
            }
            Some(_) if suspends && !resumes => {
                return Err(Error::Invalid("BeginRenderPass: the suspended pass is not resumed"));
            }
            _ => {}
        }
        let mut pass = Pass { targets: count, suspends, resolves: Vec::new() };
        // Nothing is bound while targets are cleared.
        self.bind_targets([None; TARGETS], 0, None);
        let (mut bound, mut used) = ([None::<Target>; TARGETS], 0);
        for desc in targets.iter().take(TARGETS) {
            // SAFETY: the caller promises: the descriptions are the program's, complete.
            let view = unsafe { self.target(desc.cpuDescriptor.ptr, RecordKind::RenderTarget) };
            if let Some(view) = view.filter(|_| desc.BeginningAccess.Type == Begin::CLEAR && !resumes) {
                // SAFETY: the type says which arm of the union is set; all are numbers.
                let colour = unsafe { desc.BeginningAccess.Anonymous.Clear.ClearValue.Anonymous.Color };
                self.clear_colour(&view, colour, &[]);
            }
            if let Some(view) = view.filter(|_| desc.BeginningAccess.Type == Begin::DISCARD && !resumes) {
                self.overwrites_target(&view, [true, false, false]);
            }
            if is_bound(desc.BeginningAccess.Type) {
                bound[used] = view;
                used += 1;
            }
            // SAFETY: the caller promises: the descriptions are the program's, complete.
            unsafe { Resolve::add(&mut pass.resolves, &desc.EndingAccess)? };
        }
        let mut depth_target = None;
        if let Some(desc) = depth {
            // SAFETY: the caller promises: the descriptions are the program's, complete.
            let view = unsafe { self.target(desc.cpuDescriptor.ptr, RecordKind::DepthStencil) };
            let (of_depth, of_stencil) = (&desc.DepthBeginningAccess, &desc.StencilBeginningAccess);
            if let Some(view) = view.filter(|_| !resumes) {
                let discards = [of_depth, of_stencil].map(|access| access.Type == Begin::DISCARD);
                self.overwrites_target(&view, [false, discards[0], discards[1]]);
                self.clear_aspects(&view, of_depth, of_stencil);
            }
            if is_bound(of_depth.Type) || is_bound(of_stencil.Type) {
                depth_target = view.map(|mut view| {
                    let read_only = |flag: Flags, set: D3D12_DSV_FLAGS| if is(flag) { set.0 } else { 0 };
                    view.flags |= read_only(Flags::BIND_READ_ONLY_DEPTH, D3D12_DSV_FLAGS::READ_ONLY_DEPTH)
                        | read_only(Flags::BIND_READ_ONLY_STENCIL, D3D12_DSV_FLAGS::READ_ONLY_STENCIL);
                    view
                });
            }
            // SAFETY: the caller promises: the descriptions are the program's, complete.
            unsafe {
                Resolve::add(&mut pass.resolves, &desc.DepthEndingAccess)?;
                Resolve::add(&mut pass.resolves, &desc.StencilEndingAccess)?;
            }
        }
        self.bind_targets(bound, used, depth_target);
        self.passes.open = Some(pass);
        Ok(())
    }

    fn clear_aspects(
        &mut self,
        view: &Target,
        depth: &D3D12_RENDER_PASS_BEGINNING_ACCESS,
        stencil: &D3D12_RENDER_PASS_BEGINNING_ACCESS,
    ) {
        let mut flags = D3D12_CLEAR_FLAGS(0);
        // SAFETY: the type says which arm of the unions is set; all are numbers.
        let value = |access: &D3D12_RENDER_PASS_BEGINNING_ACCESS| unsafe {
            access.Anonymous.Clear.ClearValue.Anonymous.DepthStencil
        };
        let (mut to_depth, mut to_stencil) = (0.0, 0);
        if depth.Type == Begin::CLEAR {
            flags.0 |= D3D12_CLEAR_FLAGS::DEPTH.0;
            to_depth = value(depth).Depth;
        }
        if stencil.Type == Begin::CLEAR {
            flags.0 |= D3D12_CLEAR_FLAGS::STENCIL.0;
            to_stencil = value(stencil).Stencil;
        }
        self.clear_depth(view, flags, to_depth, to_stencil, &[]);
    }

    fn end_pass(&mut self) -> Result<()> {
        let pass = self.passes.open.take().ok_or(Error::Invalid("EndRenderPass: no render pass has begun"))?;
        self.bind_targets([None; TARGETS], 0, None);
        if pass.suspends {
            self.passes.suspended = Some(pass.targets);
            return Ok(());
        }
        if pass.resolves.is_empty() {
            return Ok(());
        }
        // Sources are still targets.
        let targets = scope(States::RENDER_TARGET).or(scope(States::DEPTH_WRITE));
        let resolves = scope(States::RESOLVE_SOURCE).or(scope(States::RESOLVE_DEST));
        self.encoder.barriers(&Gathered { before: targets, after: resolves });
        for resolve in &pass.resolves {
            let part = &resolve.part;
            let to = (&*resolve.to, part.DstSubresource, [part.DstX, part.DstY]);
            let from = (&*resolve.from, part.SrcSubresource, rectangle(&part.SrcRect));
            self.resolve_region(to, from, resolve.format, resolve.mode)?;
        }
        self.encoder.barriers(&Gathered { before: resolves, after: targets });
        Ok(())
    }

    /// At the end of a list.
    pub(super) fn check_pass(&mut self) -> Result<()> {
        let passes = core::mem::take(&mut self.passes);
        match passes.open {
            Some(_) => Err(Error::Fail("a render pass has not ended")),
            None => Ok(()),
        }
    }
}

/// The part of a source that is resolved; `None` for all of it. The structure has no pointer that could be null, so an empty rectangle
/// stands for all: hardware without programmable sample positions resolves nothing else, and Dawn never asks for anything else.
fn rectangle(rect: &D3D12_RECT) -> Option<&D3D12_RECT> {
    (rect.left < rect.right && rect.top < rect.bottom).then_some(rect)
}

unsafe extern "C" fn begin(
    this: *mut c_void,
    count: u32,
    targets: *const D3D12_RENDER_PASS_RENDER_TARGET_DESC,
    depth: *const D3D12_RENDER_PASS_DEPTH_STENCIL_DESC,
    flags: Flags,
) {
    // SAFETY: a list of ours, the program's descriptions.
    unsafe { Recording::on_list(this, |list| list.begin_pass(array(targets, count), depth.as_ref(), flags)) };
}

unsafe extern "C" fn end(this: *mut c_void) {
    // SAFETY: a list of ours.
    unsafe { Recording::on_list(this, Recording::end_pass) };
}
