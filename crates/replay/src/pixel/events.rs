//! The pass over the trace that finds the calls of a frame that may write a texel.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BOX, D3D12_CLEAR_FLAGS, D3D12_DISPATCH_RAYS_DESC, D3D12_RENDER_PASS_ENDING_ACCESS,
    D3D12_RENDER_PASS_ENDING_ACCESS_TYPE, D3D12_RENDER_PASS_RENDER_TARGET_DESC, D3D12_RESOLVE_MODE,
    D3D12_TEXTURE_COPY_LOCATION, D3D12_TILE_COPY_FLAGS, RECT,
};
use reprise_d3d12::{MODEL, method};
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::Kind;
use reprise_timeline::argument::{Argument, CpuHandle, Damaged, Many, ObjectId, One};
use reprise_timeline::state::addresses::Slot;
use reprise_timeline::state::bindings::{self, root_signature};
use reprise_timeline::state::descriptors::{Descriptor, ViewKind};
use reprise_timeline::state::lists::{Action, Bound, Pipeline, RESET, Roots, action, depth_of_pass, records};
use reprise_timeline::{At, Call, Interests, Pass, Recorded, State, argument};
use reprise_trace::read::Trace;

use super::area::{Area, Origin, Shape, of_copy, of_region};
use crate::input::source::{Blobs, Source, walk};
use crate::opened;
use crate::report::pixel::{NoPixelHistory, PixelEvent, PixelHistory, PixelPlace, PixelRays, PixelTouch, PixelWish};

macro_rules! list {
    ($method:literal, $parameter:literal) => {
        argument!("ID3D12GraphicsCommandList", $method, $parameter)
    };
}

const SUBMITTED: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");
const RAN: Argument<ObjectId> = list!("ExecuteBundle", "pCommandList");
const SIGNATURE: Argument<ObjectId> = list!("ExecuteIndirect", "pCommandSignature");
const COLOUR: (Argument<CpuHandle>, Argument<Many<RECT>>) =
    (list!("ClearRenderTargetView", "RenderTargetView"), list!("ClearRenderTargetView", "pRects"));
const DEPTH: (Argument<CpuHandle>, Argument<Many<RECT>>) =
    (list!("ClearDepthStencilView", "DepthStencilView"), list!("ClearDepthStencilView", "pRects"));
const CLEARED: Argument<D3D12_CLEAR_FLAGS> = list!("ClearDepthStencilView", "ClearFlags");
macro_rules! unordered {
    ($method:literal) => {
        (list!($method, "pResource"), list!($method, "ViewCPUHandle"), list!($method, "pRects"))
    };
}
/// What is cleared through an unordered view, the view, and where.
type Unordered = (Argument<ObjectId>, Argument<CpuHandle>, Argument<Many<RECT>>);

const UNORDERED: [Unordered; 2] =
    [unordered!("ClearUnorderedAccessViewUint"), unordered!("ClearUnorderedAccessViewFloat")];
const COPY: [Argument<ObjectId>; 2] = [list!("CopyResource", "pDstResource"), list!("CopyResource", "pSrcResource")];
const TILES: Argument<ObjectId> = list!("CopyTiles", "pTiledResource");
const TILED: Argument<D3D12_TILE_COPY_FLAGS> = list!("CopyTiles", "Flags");
const DISCARDED: Argument<ObjectId> = list!("DiscardResource", "pResource");
const TO: Argument<One<D3D12_TEXTURE_COPY_LOCATION>> = list!("CopyTextureRegion", "pDst");
const FROM: Argument<One<D3D12_TEXTURE_COPY_LOCATION>> = list!("CopyTextureRegion", "pSrc");
const PLACE: [Argument<u32>; 3] =
    [list!("CopyTextureRegion", "DstX"), list!("CopyTextureRegion", "DstY"), list!("CopyTextureRegion", "DstZ")];
const BOX: Argument<One<D3D12_BOX>> = list!("CopyTextureRegion", "pSrcBox");
const RESOLVE: [Argument<ObjectId>; 2] =
    [list!("ResolveSubresource", "pDstResource"), list!("ResolveSubresource", "pSrcResource")];
const RESOLVED: [Argument<u32>; 2] =
    [list!("ResolveSubresource", "DstSubresource"), list!("ResolveSubresource", "SrcSubresource")];
const REGION: [Argument<ObjectId>; 2] = [
    argument!("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion", "pDstResource"),
    argument!("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion", "pSrcResource"),
];
macro_rules! region {
    ($parameter:literal) => {
        argument!("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion", $parameter)
    };
}
/// Subresources, the place that is written, the part that is read, and how.
const REGION_OF: [Argument<u32>; 2] = [region!("DstSubresource"), region!("SrcSubresource")];
const REGION_AT: [Argument<u32>; 2] = [region!("DstX"), region!("DstY")];
const REGION_PART: Argument<One<RECT>> = region!("pSrcRect");
const REGION_MODE: Argument<D3D12_RESOLVE_MODE> = region!("ResolveMode");
const PASS: Argument<Many<D3D12_RENDER_PASS_RENDER_TARGET_DESC>> =
    argument!("ID3D12GraphicsCommandList4", "BeginRenderPass", "pRenderTargets");
const RAYS: Argument<One<D3D12_DISPATCH_RAYS_DESC>> = argument!("ID3D12GraphicsCommandList4", "DispatchRays", "pDesc");
const META: MethodId = method("ID3D12GraphicsCommandList4", "ExecuteMetaCommand");
const PASS_END: MethodId = method("ID3D12GraphicsCommandList4", "EndRenderPass");

/// Descriptors that are looked at in one range of a table, which may have no end.
const MOST: usize = 1024;
/// A back buffer, whose size the trace's calls do not say.
const DEFAULT_BYTES: u64 = 16 << 20;
/// Most bytes of a texel.
const TEXEL: u64 = 16;
/// Copies that are followed back.
const FOLLOWED: usize = 8;
/// `D3D12_ROOT_SIGNATURE_FLAG_CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED`.
const DIRECT: u32 = 0x400;

/// Parts of textures.
type Parts = Vec<(u32, Area)>;

/// Why it is not known what a call writes.
type Lost = &'static str;

const UNREAD: Lost = "calls whose arguments cannot be read";
const UNKNOWN_RESOURCE: Lost = "calls on resources that the trace does not make";
const UNKNOWN_CLEAR: Lost = "clears through a descriptor that was never written";
const UNKNOWN_TARGET: Lost = "draws and render passes with a target whose descriptor was never written";
const UNKNOWN_ROOT: Lost = "draws and dispatches whose root signature cannot be read";
const UNKNOWN_COMMANDS: Lost = "indirect calls whose command signature is not in the trace";
const UNKNOWN_LISTS: Lost = "submissions whose lists cannot be read";
const META_COMMAND: Lost = "meta commands, which may write textures";
const CUT: Lost =
    "draws and dispatches with more than 1,024 descriptors in a range or heap, of which the others are not looked at";

/// Something that a call may write.
#[derive(Clone, Debug, PartialEq)]
struct Write {
    resource: u32,
    area: Area,
    touch: PixelTouch,
    origin: Option<Origin>,
}

/// Through what the shaders of a call may write. Descriptors can be written until the list is submitted, so they are read there.
#[derive(Debug)]
struct Access {
    signature: Option<Rc<RootSignature>>,
    roots: Roots,
    /// Heaps of which shaders may take any descriptor.
    heaps: Vec<u32>,
}

/// A call of a list that may write textures.
#[derive(Clone, Debug)]
struct Command {
    call: u64,
    method: &'static str,
    writes: Vec<Write>,
    accesses: Vec<Rc<Access>>,
    /// What of its writes is not known.
    lost: Vec<Lost>,
    /// What is bound beside the targets.
    depth: Option<(u32, Area, bool)>,
    bundle: Option<u64>,
    pass: Option<u64>,
    can_be_shown: [bool; 2],
    draws: bool,
    /// Threads of a dispatch of rays.
    threads: Option<[u32; 3]>,
}

impl Command {
    /// Whether it may write something.
    fn counts(&self) -> bool {
        !(self.writes.is_empty() && self.accesses.is_empty() && self.lost.is_empty())
    }

    fn lose(&mut self, reason: Lost) {
        if !self.lost.contains(&reason) {
            self.lost.push(reason);
        }
    }
}

/// A call of a bundle, whose targets are those of the list that runs it.
struct Inner {
    call: u64,
    method: &'static str,
    action: Action,
    dispatches: bool,
    threads: Option<[u32; 3]>,
    lost: Vec<Lost>,
    bound: Box<Bound>,
}

struct Finder<'t> {
    blobs: &'t dyn Blobs,
    /// How many the trace has.
    frames: u64,
    frame: u64,
    state: State,
    /// Commands of each list since it was reset; of bundles.
    lists: Recorded<Command>,
    bundles: Recorded<Inner>,
    /// Render passes that are open: what they resolve to at their ends.
    resolves: Recorded<Write>,
    /// The last access of each list, which the next call mostly shares.
    accesses: HashMap<u32, Rc<Access>>,
    signatures: HashMap<(u32, u64), Option<Rc<RootSignature>>>,
    /// What the frame runs: submission, list and command.
    ran: Vec<(u64, u32, Command)>,
    shapes: HashMap<u32, Shape>,
    left_out: BTreeMap<String, u64>,
}

/// The calls of a frame that may write each of these texels. All wishes are of the frame of the first one.
///
/// # Errors
/// The trace cannot be read, what is asked for is not there, or nothing writes it.
pub fn histories_of_pixels(trace: &Trace, wishes: &[PixelWish]) -> Result<Vec<PixelHistory>, NoPixelHistory> {
    find(&mut trace.events().without_pages(), (trace, u64::from(trace.frame_count())), wishes)
}

/// The same of events, whose trace has these blobs and so many frames.
pub(super) fn find(
    events: &mut dyn Source,
    (blobs, frames): (&dyn Blobs, u64),
    wishes: &[PixelWish],
) -> Result<Vec<PixelHistory>, NoPixelHistory> {
    let frame = wishes.first().map_or(1, |wish| wish.frame);
    let mut finder = Finder {
        blobs,
        frames,
        frame,
        state: State::default(),
        lists: Recorded::default(),
        bundles: Recorded::default(),
        resolves: Recorded::default(),
        accesses: HashMap::new(),
        signatures: HashMap::new(),
        ran: Vec::new(),
        shapes: HashMap::new(),
        left_out: BTreeMap::new(),
    };
    // A frame's number in events counts from 0.
    walk(events, &mut [&mut finder], |event| u64::from(event.frame) >= frame).map_err(NoPixelHistory::Unread)?;
    wishes.iter().map(|wish| finder.history(wish)).collect()
}

impl Pass for Finder<'_> {
    fn interests(&self) -> Interests {
        self.state.interests().and(&Interests::new().calls_where(records).calls(&[RESET]).enters(&[SUBMITTED.method()]))
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.state)
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        self.state.enter(call, at);
        if call.method == SUBMITTED.method() && u64::from(at.frame) + 1 == self.frame {
            match SUBMITTED.of(call) {
                Ok(lists) => lists.iter().for_each(|list| self.submit(list.0, call.number)),
                Err(_) => self.leave_out(UNKNOWN_LISTS),
            }
        }
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        let begins = call.method == PASS.method();
        if self.lists.call(call) {
            self.bundles.call(call);
            self.resolves.call(call);
        } else if !begins && records(call.method) {
            self.note(call);
        }
        self.state.call(call, at);
        if begins {
            // The state has its targets now.
            self.note(call);
        }
    }
}

impl Finder<'_> {
    fn leave_out(&mut self, reason: Lost) {
        *self.left_out.entry(reason.to_owned()).or_default() += 1;
    }

    fn note(&mut self, call: &Call<'_>) {
        let Some(row) = MODEL.methods.get(usize::from(call.method.0)) else { return };
        let action = action(call.method);
        let Some(list) = self.state.lists.get(call.object) else { return };
        let commands = SIGNATURE.of(call).ok().and_then(|id| self.state.lists.commands(id.0));
        let is_indirect = action == Some(Action::Indirect);
        let dispatches = is_indirect && commands.is_some_and(|it| it.dispatches);
        let lost: Vec<Lost> = (is_indirect && commands.is_none()).then_some(UNKNOWN_COMMANDS).into_iter().collect();
        if list.is_bundle() {
            if let Some(action) = action {
                let bound = Box::new(list.bound.clone());
                let threads = threads_of_rays(call);
                let inner = Inner { call: call.number, method: row.name, action, dispatches, threads, lost, bound };
                self.bundles.push(call.object, inner);
            }
            return;
        }
        let pass = list.bound.pass.as_ref();
        // Between a pass that is suspended and the one that resumes it nothing can be copied.
        let resumes = pass.is_some_and(|pass| pass.value.resumes());
        let suspends = pass.is_some_and(|pass| pass.value.suspends());
        let (is_begin, is_end) = (call.method == PASS.method(), call.method == PASS_END);
        let can_be_shown = match (is_begin, is_end) {
            _ if !opened::is_closed(&list.bound) => [true; 2],
            (true, _) => [!resumes, false],
            (_, true) => [false, !suspends],
            _ => [false; 2],
        };
        let pass = pass.map(|pass| pass.call).filter(|begun| *begun != call.number && !is_end);
        let mut command = Command {
            call: call.number,
            method: row.name,
            writes: Vec::new(),
            accesses: Vec::new(),
            lost,
            depth: None,
            bundle: None,
            pass,
            can_be_shown,
            draws: false,
            threads: threads_of_rays(call),
        };
        if call.method == RAN.method() {
            return self.run_bundle(call, command);
        }
        match action {
            Some(action) => {
                let bound = list.bound.clone();
                self.bind(call.object, &mut command, &bound, (action, dispatches));
            }
            None if is_begin || is_end => {
                let touch = if is_begin { PixelTouch::PassBegin } else { PixelTouch::PassEnd };
                self.targets(&list.bound, &mut command);
                command.writes.iter_mut().for_each(|write| write.touch = touch);
                if is_begin {
                    let resolves = resolves_of(call, &mut command);
                    resolves.into_iter().for_each(|write| self.resolves.push(call.object, write));
                } else {
                    command.writes.extend(self.resolves.take(call.object));
                }
            }
            None => match self.transfer(call) {
                Ok(writes) => command.writes = writes,
                Err(reason) => command.lose(reason),
            },
        }
        if command.counts() {
            self.lists.push(call.object, command);
        }
    }

    /// The bundle as one step, and behind it what it has.
    fn run_bundle(&mut self, call: &Call<'_>, mut command: Command) {
        let Some(outer) = self.state.lists.get(call.object).map(|list| list.bound.clone()) else { return };
        let Ok(ObjectId(id)) = RAN.of(call) else {
            command.lose(UNREAD);
            self.lists.push(call.object, command);
            return;
        };
        // A bundle that runs again has the same calls.
        let bundle = self.bundles.take(id);
        let mut inners = Vec::new();
        for inner in &bundle {
            let bound = Bound::within(&outer, &inner.bound, |one, other| self.state.lists.are_same(one, other));
            let mut of = Command {
                call: inner.call,
                method: inner.method,
                bundle: Some(call.number),
                threads: inner.threads,
                can_be_shown: [false; 2],
                writes: Vec::new(),
                accesses: Vec::new(),
                lost: inner.lost.clone(),
                depth: None,
                ..command.clone()
            };
            self.bind(call.object, &mut of, &bound, (inner.action, inner.dispatches));
            command.depth = command.depth.take().or_else(|| of.depth.clone());
            for write in &of.writes {
                let write = Write { touch: PixelTouch::Bundle, ..write.clone() };
                // Many draws have one target; another part of it is another write.
                if !command.writes.contains(&write) {
                    command.writes.push(write);
                }
            }
            for access in &of.accesses {
                if !command.accesses.iter().any(|it| Rc::ptr_eq(it, access)) {
                    command.accesses.push(access.clone());
                }
            }
            inners.push(of);
        }
        bundle.into_iter().for_each(|inner| self.bundles.push(id, inner));
        let all = [command].into_iter().chain(inners);
        all.filter(Command::counts).for_each(|command| self.lists.push(call.object, command));
    }

    /// What a draw or dispatch writes.
    fn bind(&mut self, list: u32, command: &mut Command, bound: &Bound, (action, dispatches): (Action, bool)) {
        let draws = action.draws() || action == Action::Indirect && !dispatches;
        command.draws = draws;
        if draws {
            self.targets(bound, command);
        }
        let roots = if draws { &bound.graphics } else { &bound.compute };
        // Their local root signatures lie with the shaders, and name descriptors that only the GPU sees.
        let has_local = match action {
            Action::DispatchRays | Action::DispatchGraph => true,
            Action::Indirect => {
                matches!(bound.pipeline.as_ref().map(|set| set.value), Some(Pipeline::StateObject(_)))
            }
            _ => false,
        };
        let access = self.access(list, command, bound, (roots, has_local));
        command.accesses.extend(access);
    }

    /// Through what the shaders of a call may write; `None`: through nothing.
    fn access(
        &mut self,
        list: u32,
        command: &mut Command,
        bound: &Bound,
        (roots, has_local): (&Roots, bool),
    ) -> Option<Rc<Access>> {
        let id = roots.signature.as_ref().map(|signature| signature.value).filter(|id| *id != 0);
        let signature = id.and_then(|id| self.signature(id));
        if id.is_some() && signature.is_none() {
            command.lose(UNKNOWN_ROOT);
        }
        let takes_any = has_local || signature.as_ref().is_some_and(|signature| signature.flags & DIRECT != 0);
        let heaps = bound.heaps.as_ref().filter(|_| takes_any).map_or(&[][..], |heaps| &heaps.value);
        if signature.is_none() && heaps.is_empty() {
            return None;
        }
        let is_same = |known: &&Rc<Access>| {
            known.signature.as_ref().map(Rc::as_ptr) == signature.as_ref().map(Rc::as_ptr)
                && known.heaps == heaps
                && known.roots == *roots
        };
        if let Some(known) = self.accesses.get(&list).filter(is_same) {
            return Some(known.clone());
        }
        let access = Rc::new(Access { signature, roots: roots.clone(), heaps: heaps.to_vec() });
        self.accesses.insert(list, access.clone());
        Some(access)
    }

    /// The targets that are bound, and the depth buffer.
    fn targets(&self, bound: &Bound, command: &mut Command) {
        let Some(targets) = bound.targets.as_ref().map(|targets| &targets.value) else { return };
        let colours = (0..).zip(&targets.colours).map(|(slot, target)| (PixelTouch::Target(slot), target));
        for (touch, target) in colours.chain(targets.depth.as_ref().map(|target| (PixelTouch::Depth, target))) {
            let is_depth = touch == PixelTouch::Depth;
            let Some(descriptor) = &target.descriptor else {
                // A handle of 0 is no target.
                if target.handle != 0 {
                    command.lose(UNKNOWN_TARGET);
                }
                continue;
            };
            match Area::of_view(&self.state, &descriptor.view, is_depth) {
                Ok(Some((resource, area))) => {
                    if is_depth {
                        let has_stencil = Shape::of(&self.state, resource).is_some_and(|shape| shape.planes > 1);
                        command.depth = Some((resource, area.clone(), has_stencil));
                    }
                    command.writes.push(Write { resource, area, touch, origin: None });
                }
                Ok(None) => {}
                Err(()) => command.lose(UNKNOWN_RESOURCE),
            }
        }
    }

    /// Parts of textures that shaders have unordered views of by now, and whether there may be more.
    fn unordered(&self, access: &Access) -> (Parts, bool) {
        let (mut all, mut is_cut) = (Parts::new(), false);
        let mut take = |descriptor: &Descriptor| {
            all.extend(Area::of_unordered(&self.state, &descriptor.view).filter(|part| !all.contains(part)));
        };
        let descriptors = &self.state.descriptors;
        let of_tables = access.signature.iter();
        for binding in of_tables.flat_map(|signature| bindings::bindings(&self.state, &access.roots, signature)) {
            let bindings::Bound::Table { slot: Some(table), ranges, .. } = binding.content else { continue };
            let count = descriptors.heap(table.heap).map_or(0, |heap| heap.count);
            for range in ranges.iter().filter(|range| range.register.kind == Kind::Uav) {
                let mut slots = range.slots(count);
                let first = slots.by_ref().take(MOST);
                first.filter_map(|(_, slot): (_, Slot)| descriptors.get(slot)).for_each(&mut take);
                is_cut |= slots.next().is_some();
            }
        }
        // Shaders may take any of them.
        for heap in access.heaps.iter().filter_map(|heap| descriptors.heap(*heap)) {
            let mut slots = heap.slots().map(|(_, descriptor)| descriptor);
            slots.by_ref().take(MOST).for_each(&mut take);
            is_cut |= slots.any(|descriptor| descriptor.view.kind == ViewKind::Unordered);
        }
        (all, is_cut)
    }

    fn signature(&mut self, id: u32) -> Option<Rc<RootSignature>> {
        let made = self.state.objects.get(id)?.creation().number;
        if let Some(known) = self.signatures.get(&(id, made)) {
            return known.clone();
        }
        let read = root_signature(|place| self.blobs.at(place), &self.state, id).ok();
        let read = read.map(|(signature, _)| Rc::new(signature));
        self.signatures.insert((id, made), read.clone());
        read
    }

    /// What a copy, resolve or clear writes, or why that is not known.
    fn transfer(&self, call: &Call<'_>) -> Result<Vec<Write>, Lost> {
        let state = &self.state;
        let one = |resource, area, touch, origin| Ok(vec![Write { resource, area, touch, origin }]);
        let shape = |resource| Shape::of(state, resource).ok_or(UNKNOWN_RESOURCE);
        for ((handle, rects), is_depth) in [(COLOUR, false), (DEPTH, true)] {
            if call.method == handle.method() {
                let slot = state.addresses.cpu(read(handle.of(call))?.0);
                let descriptor = slot.and_then(|slot| state.descriptors.get(slot)).ok_or(UNKNOWN_CLEAR)?;
                let area = Area::of_view(state, &descriptor.view, is_depth).map_err(|()| UNKNOWN_RESOURCE)?;
                let Some((resource, mut area)) = area else { return Ok(Vec::new()) };
                area.rects = rectangles(&rects, call)?;
                if is_depth {
                    area.plane = match planes_of(read(CLEARED.of(call))?) {
                        [false, false] => return Ok(Vec::new()),
                        [true, false] => Some(0),
                        [false, true] => Some(1),
                        [true, true] => None,
                    };
                }
                return one(resource, area, PixelTouch::Clear, None);
            }
        }
        for (resource, view, rects) in UNORDERED {
            if call.method == resource.method() {
                let resource = read(resource.of(call))?.0;
                let slot = state.addresses.cpu(read(view.of(call))?.0);
                let descriptor = slot.and_then(|slot| state.descriptors.get(slot));
                // A view that is not known may be of any part.
                let of_view = descriptor.and_then(|descriptor| Area::of_unordered(state, &descriptor.view));
                let area = of_view.filter(|(id, _)| *id == resource).map_or_else(Area::default, |(_, area)| area);
                let area = Area { rects: rectangles(&rects, call)?, ..area };
                return one(resource, area, PixelTouch::Clear, None);
            }
        }
        if call.method == TO.method() {
            let (to, from) = (read(TO.of(call))?.ok_or(UNREAD)?, read(FROM.of(call))?.ok_or(UNREAD)?);
            let [x, y, z] = PLACE;
            let place = [read(x.of(call))?, read(y.of(call))?, read(z.of(call))?];
            let copied = of_copy(state, &to, place, &from, read(BOX.of(call))?).map_err(|()| UNKNOWN_RESOURCE)?;
            let Some((resource, area, origin)) = copied else { return Ok(Vec::new()) };
            return one(resource, area, PixelTouch::Copy, origin);
        }
        match call.method {
            method if method == COPY[0].method() => {
                let (to, from) = (read(COPY[0].of(call))?.0, read(COPY[1].of(call))?.0);
                let origin = Origin { resource: from, part: None, step: [0; 3] };
                one(to, Area::default(), PixelTouch::Copy, Some(origin))
            }
            method if method == TILES.method() => {
                // The other way round it reads the tiles.
                let reads = D3D12_TILE_COPY_FLAGS::SWIZZLED_TILED_RESOURCE_TO_LINEAR_BUFFER.0;
                if read(TILED.of(call))?.0 & reads != 0 {
                    return Ok(Vec::new());
                }
                one(read(TILES.of(call))?.0, Area::default(), PixelTouch::Copy, None)
            }
            method if method == DISCARDED.method() => {
                one(read(DISCARDED.of(call))?.0, Area::default(), PixelTouch::Discard, None)
            }
            method if method == RESOLVE[0].method() => {
                let (to, from) = (read(RESOLVE[0].of(call))?.0, read(RESOLVE[1].of(call))?.0);
                let [written, source] = RESOLVED;
                let area = Area::of_subresource(&shape(to)?, read(written.of(call))?);
                let part = shape(from)?.parts(read(source.of(call))?);
                let origin = Origin { resource: from, part: Some(part), step: [0; 3] };
                one(to, area, PixelTouch::Resolve, Some(origin))
            }
            method if method == REGION[0].method() => {
                let (to, from) = (read(REGION[0].of(call))?.0, read(REGION[1].of(call))?.0);
                let [written, source] = REGION_OF;
                let (written, source) = (read(written.of(call))?, read(source.of(call))?);
                let [x, y] = REGION_AT;
                let (at, part) = ([read(x.of(call))?, read(y.of(call))?], read(REGION_PART.of(call))?);
                let mode = read(REGION_MODE.of(call))?;
                let (area, origin) = of_region((&shape(to)?, written, at), (from, &shape(from)?, source), part, mode);
                one(to, area, PixelTouch::Resolve, origin)
            }
            META => Err(META_COMMAND),
            _ => Ok(Vec::new()),
        }
    }

    fn submit(&mut self, list: u32, submission: u64) {
        let commands = self.lists.of(list).to_vec();
        // Calls in a row mostly share their access.
        let mut known: HashMap<*const Access, (Parts, bool)> = HashMap::new();
        for mut command in commands {
            let is_bundle = command.method == RAN.method().get().name;
            let touch = if is_bundle { PixelTouch::Bundle } else { PixelTouch::Unordered };
            for access in std::mem::take(&mut command.accesses) {
                let found = known.entry(Rc::as_ptr(&access)).or_insert_with(|| self.unordered(&access));
                for (resource, area) in &found.0 {
                    let write = Write { resource: *resource, area: area.clone(), touch, origin: None };
                    if !command.writes.contains(&write) {
                        command.writes.push(write);
                    }
                }
                // A bundle's calls follow it, and say so themselves.
                if found.1 && !is_bundle {
                    command.lose(CUT);
                }
            }
            for write in &command.writes {
                if let Some(shape) = Shape::of(&self.state, write.resource) {
                    self.shapes.insert(write.resource, shape);
                }
            }
            command.lost.iter().for_each(|reason| self.leave_out(reason));
            self.ran.push((submission, list, command));
        }
    }

    fn is_texture(&self, resource: u32) -> bool {
        self.shapes.get(&resource).is_some_and(|shape| !shape.is_buffer)
    }

    /// What the frame shows: the back buffer that it writes last, or the texture. Parts that are not asked for are those that are written.
    fn shown(&self, wish: &PixelWish) -> Option<PixelPlace> {
        let written = || {
            let all = self.ran.iter().rev().flat_map(|(_, _, command)| &command.writes);
            all.filter(|write| self.is_texture(write.resource) && !matches!(write.touch, PixelTouch::Discard))
        };
        let shape = |write: &&Write| self.shapes.get(&write.resource).copied();
        let has = |write: &&Write| {
            let area = &write.area;
            let holds = |(first, count): (u32, u32), slice| (first..first.saturating_add(count)).contains(&slice);
            wish.mip.is_none_or(|mip| area.mip.is_none_or(|it| it == mip))
                && wish.slice.is_none_or(|slice| area.slices.is_none_or(|it| holds(it, slice)))
                && wish.plane.is_none_or(|plane| area.plane.is_none_or(|it| it == plane))
        };
        let is_back = |write: &&Write| shape(write).is_some_and(|shape| shape.is_back_buffer);
        let is_colour = |write: &&Write| shape(write).is_none_or(|shape| shape.planes == 1);
        let draws_depth = |write: &&Write| matches!(write.touch, PixelTouch::Depth);
        let write = written().find(|write| is_back(write) && has(write));
        let write = write.or_else(|| written().find(|it| !draws_depth(it) && is_colour(it) && has(it)));
        // A frame may write nothing but depth.
        let write = write.or_else(|| written().find(has)).or_else(|| written().next())?;
        let area = &write.area;
        let slice = area.slices.map_or(0, |(first, _)| first);
        Some(PixelPlace {
            resource: write.resource,
            mip: wish.mip.or(area.mip).unwrap_or(0),
            slice: wish.slice.unwrap_or(slice),
            plane: wish.plane.or(area.plane).unwrap_or(0),
            at: wish.at,
        })
    }

    /// What is asked for has to be there.
    fn check(&self, place: &PixelPlace, sample: u32) -> Result<Shape, NoPixelHistory> {
        let PixelPlace { resource: id, mip, slice, plane, at } = *place;
        let wrong = |what: String| Err(NoPixelHistory::Wrong(what));
        let textures = || match self.textures().as_slice() {
            [] => "writes no texture".to_owned(),
            all => format!("writes the textures {}", all.join(", ")),
        };
        let Some(shape) = self.shapes.get(&id).copied().or_else(|| Shape::of(&self.state, id)) else {
            let is = match self.state.objects.get(id) {
                Some(object) => format!("is no texture, but an {}", object.interface().get().name),
                None => "is not there".to_owned(),
            };
            return wrong(format!("resource {id} {is}; frame {} {}", self.frame, textures()));
        };
        if shape.is_buffer {
            return wrong(format!("resource {id} is a buffer; frame {} {}", self.frame, textures()));
        }
        let slices = shape.slices_of(mip);
        let parts = [
            ("mip", mip, shape.mips, "levels"),
            ("slice", slice, slices, if shape.depth > 1 { "slices at this level" } else { "slices" }),
            ("plane", plane, shape.planes, "planes"),
            ("sample", sample, shape.samples, "samples"),
        ];
        if let Some((part, asked, there, parts)) = parts.into_iter().find(|(_, asked, there, _)| asked >= there) {
            let there = match there {
                1 => format!("0 is the only {part}"),
                there => format!("it has {there} {parts}, from 0 to {}", there - 1),
            };
            return wrong(format!("resource {id} has no {part} {asked}: {there}"));
        }
        match shape.size_of(mip) {
            Some((width, height)) if at.0 >= width || at.1 >= height => {
                wrong(format!("pixel {},{} lies outside: resource {id} is {width} by {height} there", at.0, at.1))
            }
            _ => Ok(shape),
        }
    }

    /// Those that the frame writes.
    fn textures(&self) -> Vec<String> {
        let all = self.ran.iter().flat_map(|(.., command)| &command.writes).map(|write| write.resource);
        let all: BTreeSet<u32> = all.filter(|resource| self.is_texture(*resource)).collect();
        all.iter().map(u32::to_string).collect()
    }

    /// That nothing is known to write the texel.
    fn nothing(&self, place: Option<&PixelPlace>) -> NoPixelHistory {
        let frame = self.frame;
        let textures = self.textures();
        let mut what = match place.filter(|_| !textures.is_empty()) {
            None => format!(
                "frame {frame} writes no texture: its submissions draw, dispatch, trace rays, clear, copy and resolve to none"
            ),
            Some(place) => format!(
                "no call of frame {frame} writes resource {} (mip {}, slice {}, plane {}); it writes the textures {}",
                place.resource,
                place.mip,
                place.slice,
                place.plane,
                textures.join(", ")
            ),
        };
        for (reason, calls) in &self.left_out {
            what.push_str(&format!("; what these write is not known: {reason}: {calls}"));
        }
        NoPixelHistory::Nothing(what)
    }

    fn history(&self, wish: &PixelWish) -> Result<PixelHistory, NoPixelHistory> {
        let PixelWish { frame, at, resource, sample, .. } = *wish;
        let frames = self.frames;
        if frame == 0 || frame > frames.max(1) {
            return Err(NoPixelHistory::Wrong(format!("there is no frame {frame}: the trace has {frames}")));
        }
        let asked = |resource| PixelPlace {
            resource,
            mip: wish.mip.unwrap_or(0),
            slice: wish.slice.unwrap_or(0),
            plane: wish.plane.unwrap_or(0),
            at,
        };
        let place = resource.map(asked).or_else(|| self.shown(wish));
        let mut place = place.ok_or_else(|| self.nothing(None))?;
        let mut followed = Vec::new();
        while resource.is_none() && followed.len() < FOLLOWED {
            let Some((call, from)) = self.source(&place) else { break };
            followed.push((call, place, from, self.shapes.get(&from.resource).map_or(1, |shape| shape.samples)));
            place = from;
        }
        let shape = self.check(&place, sample)?;
        let events = self.events(&place);
        if events.is_empty() {
            return Err(self.nothing(Some(&place)));
        }
        let areas = self.ran.iter().flat_map(|(.., command)| &command.writes);
        let areas = areas.filter(|write| write.resource == place.resource && write.area.has(&place));
        let format = areas.map(|write| write.area.format).find(|format| *format != 0).unwrap_or(0);
        let bytes = shape.size_of(place.mip).map_or(DEFAULT_BYTES, |(width, height)| {
            u64::from(width) * u64::from(height) * u64::from(shape.depth) * TEXEL
        });
        Ok(PixelHistory {
            place,
            samples: shape.samples,
            format,
            bytes,
            followed,
            events,
            left_out: self.left_out.clone(),
        })
    }

    /// Where the last copy to this texel reads, if nothing but copies and resolves writes it and something writes that.
    fn source(&self, place: &PixelPlace) -> Option<(u64, PixelPlace)> {
        let mut last = None;
        for (.., command) in &self.ran {
            for write in self.of(command, place) {
                match (&write.origin, write.touch) {
                    (_, PixelTouch::Discard) => {}
                    (Some(origin), PixelTouch::Copy | PixelTouch::Resolve) => {
                        last = Some((command.call, origin.of(place)?));
                    }
                    _ => return None,
                }
            }
        }
        let (call, from) = last?;
        // Copies of blocks take what lies behind the last column and row of their source, too.
        let size = self.shapes.get(&from.resource).and_then(|shape| shape.size_of(from.mip));
        if size.is_some_and(|(width, height)| from.at.0 >= width || from.at.1 >= height) {
            return None;
        }
        self.ran.iter().any(|(.., command)| self.of(command, &from).next().is_some()).then_some((call, from))
    }

    /// What a command writes of a texel.
    fn of<'c>(&self, command: &'c Command, place: &PixelPlace) -> impl Iterator<Item = &'c Write> + use<'c> {
        let place = *place;
        command.writes.iter().filter(move |write| {
            write.resource == place.resource && write.area.has(&place) && !write.area.leaves_out(place.at)
        })
    }

    /// A dispatch of rays beside a texel.
    fn rays(&self, threads: [u32; 3], place: &PixelPlace) -> PixelRays {
        let [width, height, depth] = threads;
        let (x, y) = place.at;
        let z = if depth == 1 { 0 } else { place.slice };
        let shape = self.shapes.get(&place.resource);
        let is_texels = shape.is_some_and(|shape| {
            let slices = shape.slices_of(place.mip);
            shape.size_of(place.mip) == Some((width, height)) && (depth == 1 || depth == slices)
        });
        PixelRays { threads, thread: is_texels.then_some([x, y, z]) }
    }

    fn events(&self, place: &PixelPlace) -> Vec<PixelEvent> {
        let mut events = Vec::new();
        for (submission, list, command) in &self.ran {
            let write = command.writes.iter().find(|write| write.resource == place.resource && write.area.has(place));
            let Some(write) = write else { continue };
            let depth = command.depth.as_ref().filter(|(resource, ..)| *resource != place.resource);
            let depth = depth.map(|(resource, area, has_stencil)| {
                let (mip, slice) = (area.mip.unwrap_or(0), area.slices.map_or(0, |slices| slices.0));
                let first = write.area.slices.map_or(0, |slices| slices.0);
                let slice = slice + place.slice.saturating_sub(first);
                (PixelPlace { resource: *resource, mip, slice, plane: 0, at: place.at }, *has_stencil)
            });
            events.push(PixelEvent {
                submission: *submission,
                list: *list,
                call: command.call,
                method: command.method,
                touch: write.touch,
                is_stencil: place.plane == 1 && self.shapes.get(&place.resource).is_some_and(|it| it.planes > 1),
                is_outside: write.area.leaves_out(place.at),
                bundle: command.bundle,
                pass: command.pass,
                depth: depth.filter(|_| command.draws || write.touch == PixelTouch::Bundle),
                can_be_shown: command.can_be_shown,
                draws: command.draws,
                slices: write.area.slices.map_or(1, |(_, count)| count),
                rays: command.threads.map(|threads| self.rays(threads, place)),
            });
        }
        events
    }
}

/// How many threads a dispatch of rays has in each direction.
fn threads_of_rays(call: &Call<'_>) -> Option<[u32; 3]> {
    let desc = (call.method == RAYS.method()).then(|| RAYS.of(call).ok().flatten())??;
    Some([desc.Width, desc.Height, desc.Depth])
}

/// An argument, or that it cannot be read.
fn read<T>(argument: Result<T, Damaged>) -> Result<T, Lost> {
    argument.map_err(|_| UNREAD)
}

/// Whether a clear of a depth buffer clears its depth, and its stencil.
fn planes_of(flags: D3D12_CLEAR_FLAGS) -> [bool; 2] {
    [D3D12_CLEAR_FLAGS::DEPTH, D3D12_CLEAR_FLAGS::STENCIL].map(|plane| flags.0 & plane.0 != 0)
}

/// What a render pass resolves to where it ends.
fn resolves_of(call: &Call<'_>, command: &mut Command) -> Vec<Write> {
    let write = |access: &D3D12_RENDER_PASS_ENDING_ACCESS, plane| {
        (access.Type == D3D12_RENDER_PASS_ENDING_ACCESS_TYPE::RESOLVE).then(|| {
            // SAFETY: the type says which member of the union is in use; all of its bytes were read from the payload.
            let resolve = unsafe { access.Anonymous.Resolve };
            // In a trace the pointer is an id.
            let resource = resolve.pDstResource as usize as u32;
            Write { resource, area: Area { plane, ..Area::default() }, touch: PixelTouch::Resolve, origin: None }
        })
    };
    let mut resolves = Vec::new();
    match PASS.of(call) {
        Ok(colours) => resolves.extend(colours.iter().filter_map(|colour| write(&colour.EndingAccess, None))),
        Err(_) => command.lose(UNREAD),
    }
    if let Some(depth) = depth_of_pass(call) {
        resolves.extend(write(&depth.DepthEndingAccess, Some(0)));
        resolves.extend(write(&depth.StencilEndingAccess, Some(1)));
    }
    resolves
}

/// Where a clear clears; `None`: everywhere.
fn rectangles(rects: &Argument<Many<RECT>>, call: &Call<'_>) -> Result<Option<Vec<[i64; 4]>>, Lost> {
    let rects = read(rects.of(call))?;
    let all: Vec<[i64; 4]> = rects.iter().map(|it| [it.left, it.top, it.right, it.bottom].map(i64::from)).collect();
    Ok((!all.is_empty()).then_some(all))
}
