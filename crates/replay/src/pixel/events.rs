//! The pass over the trace that finds the calls of a frame that may write a texel.

use std::collections::HashMap;
use std::rc::Rc;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BOX, D3D12_RENDER_PASS_ENDING_ACCESS_TYPE, D3D12_RENDER_PASS_RENDER_TARGET_DESC, D3D12_TEXTURE_COPY_LOCATION,
    RECT,
};
use reprise_d3d12::{MODEL, method};
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::Kind;
use reprise_timeline::argument::{Argument, CpuHandle, Many, ObjectId, One};
use reprise_timeline::state::bindings::{self, root_signature};
use reprise_timeline::state::descriptors::ViewKind;
use reprise_timeline::state::lists::{Action, Bound, Roots, action, records};
use reprise_timeline::{At, Call, Interests, Pass, State, argument};
use reprise_trace::read::Trace;

use super::area::{Area, Origin, Shape, of_copy};
use crate::input::source::{Blobs, walk};
use crate::report::pixel::{PixelEvent, PixelHistory, PixelPlace, PixelTouch, PixelWish};

macro_rules! list {
    ($method:literal, $parameter:literal) => {
        argument!("ID3D12GraphicsCommandList", $method, $parameter)
    };
}

const SUBMITTED: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");
const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
const RAN: Argument<ObjectId> = list!("ExecuteBundle", "pCommandList");
const SIGNATURE: Argument<ObjectId> = list!("ExecuteIndirect", "pCommandSignature");
const COLOUR: (Argument<CpuHandle>, Argument<Many<RECT>>) =
    (list!("ClearRenderTargetView", "RenderTargetView"), list!("ClearRenderTargetView", "pRects"));
const DEPTH: (Argument<CpuHandle>, Argument<Many<RECT>>) =
    (list!("ClearDepthStencilView", "DepthStencilView"), list!("ClearDepthStencilView", "pRects"));
/// What is cleared through an unordered view, and where.
const UNORDERED: [(Argument<ObjectId>, Argument<Many<RECT>>); 2] = [
    (list!("ClearUnorderedAccessViewUint", "pResource"), list!("ClearUnorderedAccessViewUint", "pRects")),
    (list!("ClearUnorderedAccessViewFloat", "pResource"), list!("ClearUnorderedAccessViewFloat", "pRects")),
];
const COPY: [Argument<ObjectId>; 2] = [list!("CopyResource", "pDstResource"), list!("CopyResource", "pSrcResource")];
const TILES: Argument<ObjectId> = list!("CopyTiles", "pTiledResource");
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
const REGION_TO: Argument<u32> = argument!("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion", "DstSubresource");
const PASS: Argument<Many<D3D12_RENDER_PASS_RENDER_TARGET_DESC>> =
    argument!("ID3D12GraphicsCommandList4", "BeginRenderPass", "pRenderTargets");
const PASS_END: MethodId = method("ID3D12GraphicsCommandList4", "EndRenderPass");

/// `D3D12_RENDER_PASS_FLAG_SUSPENDING_PASS` and `_RESUMING_PASS`: between the two nothing can be copied.
const SUSPENDING: u32 = 2;
const RESUMING: u32 = 4;
/// Descriptors that are looked at in one range of a table, which may have no end.
const MOST: usize = 1024;
/// A back buffer, whose size the trace's calls do not say.
const DEFAULT_BYTES: u64 = 16 << 20;
/// Most bytes of a texel.
const TEXEL: u64 = 16;
/// Copies that are followed back.
const FOLLOWED: usize = 8;

/// Something that a call may write.
#[derive(Clone, Debug)]
struct Write {
    resource: u32,
    area: Area,
    touch: PixelTouch,
    origin: Option<Origin>,
}

/// A call of a list that may write textures.
#[derive(Clone, Debug)]
struct Command {
    call: u64,
    method: &'static str,
    writes: Vec<Write>,
    /// What is bound beside the targets.
    depth: Option<(u32, Area, bool)>,
    bundle: Option<u64>,
    pass: Option<u64>,
    can_be_shown: [bool; 2],
    draws: bool,
}

/// A call of a bundle, whose targets are those of the list that runs it.
struct Inner {
    call: u64,
    method: &'static str,
    action: Action,
    dispatches: bool,
    bound: Box<Bound>,
}

struct Finder<'t> {
    trace: &'t Trace,
    frame: u64,
    state: State,
    /// Commands of each list since it was reset; of bundles.
    lists: HashMap<u32, Vec<Command>>,
    bundles: HashMap<u32, Vec<Inner>>,
    /// Render passes that are open: what they resolve to at their ends.
    resolves: HashMap<u32, Vec<Write>>,
    signatures: HashMap<(u32, u64), Option<Rc<RootSignature>>>,
    /// What the frame runs: submission, list and command.
    ran: Vec<(u64, u32, Command)>,
    shapes: HashMap<u32, Shape>,
}

/// The calls of a frame that may write a texel.
///
/// # Errors
/// The trace cannot be read, has no such frame, or the frame writes no such texture.
pub fn history_of_pixel(trace: &Trace, wish: &PixelWish) -> Result<PixelHistory, String> {
    let frame = wish.frame;
    let mut finder = Finder {
        trace,
        frame,
        state: State::default(),
        lists: HashMap::new(),
        bundles: HashMap::new(),
        resolves: HashMap::new(),
        signatures: HashMap::new(),
        ran: Vec::new(),
        shapes: HashMap::new(),
    };
    // A frame's number in events counts from 0.
    walk(&mut trace.events().without_pages(), &mut [&mut finder], |event| u64::from(event.frame) >= frame)?;
    finder.history(wish)
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
            let lists = SUBMITTED.of(call).map(|lists| lists.iter().collect::<Vec<_>>());
            lists.into_iter().flatten().for_each(|list| self.submit(list.0, call.number));
        }
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        let begins = call.method == PASS.method();
        if call.method == RESET {
            if call.succeeded() {
                self.lists.remove(&call.object);
                self.bundles.remove(&call.object);
                self.resolves.remove(&call.object);
            }
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
    fn note(&mut self, call: &Call<'_>) {
        let Some(row) = MODEL.methods.get(usize::from(call.method.0)) else { return };
        let action = action(call.method);
        let Some(list) = self.state.lists.get(call.object) else { return };
        let dispatches = action == Some(Action::Indirect)
            && SIGNATURE.of(call).ok().and_then(|id| self.state.lists.commands(id.0)).is_some_and(|it| it.dispatches);
        if list.is_bundle() {
            if let Some(action) = action {
                let bound = Box::new(list.bound.clone());
                let inner = Inner { call: call.number, method: row.name, action, dispatches, bound };
                self.bundles.entry(call.object).or_default().push(inner);
            }
            return;
        }
        let pass = list.bound.pass.as_ref();
        let flags = pass.map_or(0, |pass| pass.value.flags);
        let (is_begin, is_end) = (call.method == PASS.method(), call.method == PASS_END);
        let can_be_shown = match (is_begin, is_end) {
            (true, _) => [flags & RESUMING == 0, false],
            (_, true) => [false, flags & SUSPENDING == 0],
            _ => [pass.is_none(); 2],
        };
        let pass = pass.map(|pass| pass.call).filter(|begun| *begun != call.number && !is_end);
        let mut command = Command {
            call: call.number,
            method: row.name,
            writes: Vec::new(),
            depth: None,
            bundle: None,
            pass,
            can_be_shown,
            draws: false,
        };
        if call.method == RAN.method() {
            return self.run_bundle(call, command);
        }
        match action {
            Some(action) => {
                let bound = list.bound.clone();
                self.bind(&mut command, &bound, action, dispatches);
            }
            None if is_begin || is_end => {
                let touch = if is_begin { PixelTouch::PassBegin } else { PixelTouch::PassEnd };
                let (mut writes, depth) = self.targets(&list.bound);
                writes.iter_mut().for_each(|write| write.touch = touch);
                (command.writes, command.depth) = (writes, depth);
                if is_begin {
                    let resolves = self.resolves_of(call);
                    self.resolves.insert(call.object, resolves);
                } else {
                    command.writes.extend(self.resolves.remove(&call.object).unwrap_or_default());
                }
            }
            None => command.writes = self.transfer(call).unwrap_or_default(),
        }
        if !command.writes.is_empty() {
            self.lists.entry(call.object).or_default().push(command);
        }
    }

    /// The bundle as one step, and behind it what it has.
    fn run_bundle(&mut self, call: &Call<'_>, mut command: Command) {
        let Ok(ObjectId(id)) = RAN.of(call) else { return };
        let Some(outer) = self.state.lists.get(call.object).map(|list| list.bound.clone()) else { return };
        let bundle = self.bundles.remove(&id).unwrap_or_default();
        let mut inners = Vec::new();
        for inner in &bundle {
            let bound = Bound::within(&outer, &inner.bound, |one, other| self.state.lists.are_same(one, other));
            let mut of = Command {
                call: inner.call,
                method: inner.method,
                bundle: Some(call.number),
                can_be_shown: [false; 2],
                ..command.clone()
            };
            self.bind(&mut of, &bound, inner.action, inner.dispatches);
            command.depth = command.depth.take().or_else(|| of.depth.clone());
            for write in &of.writes {
                if !command.writes.iter().any(|it| it.resource == write.resource) {
                    command.writes.push(Write { touch: PixelTouch::Bundle, ..write.clone() });
                }
            }
            inners.push(of);
        }
        self.bundles.insert(id, bundle);
        let list = self.lists.entry(call.object).or_default();
        list.extend(Some(command).filter(|command| !command.writes.is_empty()));
        list.extend(inners.into_iter().filter(|inner| !inner.writes.is_empty()));
    }

    /// What a draw or dispatch writes.
    fn bind(&mut self, command: &mut Command, bound: &Bound, action: Action, dispatches: bool) {
        let draws = action.draws() || action == Action::Indirect && !dispatches;
        command.draws = draws;
        if draws {
            (command.writes, command.depth) = self.targets(bound);
        }
        let roots = if draws { &bound.graphics } else { &bound.compute };
        for resource in self.unordered(bound, roots) {
            if !command.writes.iter().any(|write| write.resource == resource) {
                let (area, touch) = (Area::default(), PixelTouch::Unordered);
                command.writes.push(Write { resource, area, touch, origin: None });
            }
        }
    }

    /// The targets that are bound, and the depth buffer.
    fn targets(&self, bound: &Bound) -> (Vec<Write>, Option<(u32, Area, bool)>) {
        let Some(targets) = bound.targets.as_ref().map(|targets| &targets.value) else { return (Vec::new(), None) };
        let mut writes = Vec::new();
        for (slot, colour) in (0..).zip(&targets.colours) {
            let view = colour.descriptor.as_ref().map(|descriptor| &descriptor.view);
            if let Some((resource, area)) = view.and_then(|view| Area::of_view(&self.state, view, false)) {
                writes.push(Write { resource, area, touch: PixelTouch::Target(slot), origin: None });
            }
        }
        let view = targets.depth.as_ref().and_then(|depth| depth.descriptor.as_ref()).map(|it| &it.view);
        let depth = view.and_then(|view| Area::of_view(&self.state, view, true));
        if let Some((resource, area)) = &depth {
            let (resource, area) = (*resource, area.clone());
            writes.push(Write { resource, area, touch: PixelTouch::Depth, origin: None });
        }
        let has_stencil = |resource| Shape::of(&self.state, resource).is_some_and(|shape| shape.planes > 1);
        (writes, depth.map(|(resource, area)| (resource, area, has_stencil(resource))))
    }

    /// Textures that root arguments give unordered views of.
    fn unordered(&mut self, bound: &Bound, roots: &Roots) -> Vec<u32> {
        /// `D3D12_ROOT_SIGNATURE_FLAG_CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED`.
        const DIRECT: u32 = 0x400;
        let Some(id) = roots.signature.map(|signature| signature.value) else { return Vec::new() };
        let Some(signature) = self.signature(id) else { return Vec::new() };
        let mut all = Vec::new();
        let mut take = |slot| {
            let view = self.state.descriptors.get(slot).map(|descriptor| &descriptor.view);
            if let Some(view) = view.filter(|view| view.kind == ViewKind::Unordered && view.resource != 0)
                && !all.contains(&view.resource)
            {
                all.push(view.resource);
            }
        };
        for binding in bindings::bindings(&self.state, roots, &signature) {
            let bindings::Bound::Table { slot: Some(table), ranges, .. } = binding.content else { continue };
            let count = self.state.descriptors.heap(table.heap).map_or(0, |heap| heap.count);
            for range in ranges.iter().filter(|range| range.register.kind == Kind::Uav) {
                range.slots(count).take(MOST).for_each(|(_, slot)| take(slot));
            }
        }
        if signature.flags & DIRECT != 0 {
            // Shaders may take any of them.
            for heap in bound.heaps.iter().flat_map(|heaps| &heaps.value) {
                let slots = self.state.descriptors.heap(*heap).into_iter().flat_map(|it| it.slots()).take(MOST);
                slots.for_each(|(index, _)| take(reprise_timeline::state::addresses::Slot { heap: *heap, index }));
            }
        }
        all
    }

    fn signature(&mut self, id: u32) -> Option<Rc<RootSignature>> {
        let made = self.state.objects.get(id)?.creation().number;
        if let Some(known) = self.signatures.get(&(id, made)) {
            return known.clone();
        }
        let read = root_signature(|place| self.trace.at(place), &self.state, id).ok();
        let read = read.map(|(signature, _)| Rc::new(signature));
        self.signatures.insert((id, made), read.clone());
        read
    }

    /// What a render pass resolves to where it ends.
    fn resolves_of(&self, call: &Call<'_>) -> Vec<Write> {
        let colours = PASS.of(call).map(|colours| colours.iter().collect::<Vec<_>>()).unwrap_or_default();
        let resolved =
            colours.iter().filter(|it| it.EndingAccess.Type == D3D12_RENDER_PASS_ENDING_ACCESS_TYPE::RESOLVE);
        let write = |colour: &D3D12_RENDER_PASS_RENDER_TARGET_DESC| {
            // SAFETY: the type says which member of the union is in use; all of its bytes were read from the payload.
            let resolve = unsafe { colour.EndingAccess.Anonymous.Resolve };
            // In a trace the pointers are ids.
            let ids = (resolve.pDstResource as usize as u32, resolve.pSrcResource as usize as u32);
            Write { resource: ids.0, area: Area::default(), touch: PixelTouch::Resolve, origin: None }
        };
        resolved.map(write).collect()
    }

    /// What a copy, resolve or clear writes.
    fn transfer(&self, call: &Call<'_>) -> Option<Vec<Write>> {
        let state = &self.state;
        let one = |resource, area, touch, origin| Some(vec![Write { resource, area, touch, origin }]);
        for ((handle, rects), is_depth) in [(COLOUR, false), (DEPTH, true)] {
            if call.method == handle.method() {
                let slot = state.addresses.cpu(handle.of(call).ok()?.0)?;
                let (resource, mut area) = Area::of_view(state, &state.descriptors.get(slot)?.view, is_depth)?;
                area.rects = rectangles(&rects, call);
                return one(resource, area, PixelTouch::Clear, None);
            }
        }
        for (resource, rects) in UNORDERED {
            if call.method == resource.method() {
                let area = Area { rects: rectangles(&rects, call), ..Area::default() };
                return one(resource.of(call).ok()?.0, area, PixelTouch::Clear, None);
            }
        }
        if call.method == TO.method() {
            let (to, from) = (TO.of(call).ok()??, FROM.of(call).ok()??);
            let [x, y, z] = PLACE;
            let place = [x.of(call).ok()?, y.of(call).ok()?, z.of(call).ok()?];
            let (resource, area, origin) = of_copy(state, &to, place, &from, BOX.of(call).ok()?)?;
            return one(resource, area, PixelTouch::Copy, origin);
        }
        let whole = |[to, from]: [Argument<ObjectId>; 2], touch| {
            let origin = Origin { resource: from.of(call).ok()?.0, part: None, step: [0; 3] };
            one(to.of(call).ok()?.0, Area::default(), touch, Some(origin))
        };
        match call.method {
            method if method == COPY[0].method() => whole(COPY, PixelTouch::Copy),
            method if method == TILES.method() => one(TILES.of(call).ok()?.0, Area::default(), PixelTouch::Copy, None),
            method if method == DISCARDED.method() => {
                one(DISCARDED.of(call).ok()?.0, Area::default(), PixelTouch::Discard, None)
            }
            method if method == RESOLVE[0].method() => {
                let mut writes = whole(RESOLVE, PixelTouch::Resolve)?;
                let write = writes.first_mut()?;
                let shape = Shape::of(state, write.resource)?;
                write.area = Area::of_subresource(&shape, RESOLVED[0].of(call).ok()?);
                Some(writes)
            }
            method if method == REGION[0].method() => {
                let resource = REGION[0].of(call).ok()?.0;
                let shape = Shape::of(state, resource)?;
                let area = Area::of_subresource(&shape, REGION_TO.of(call).ok()?);
                one(resource, area, PixelTouch::Resolve, None)
            }
            _ => None,
        }
    }

    fn submit(&mut self, list: u32, submission: u64) {
        for command in self.lists.get(&list).into_iter().flatten() {
            for write in &command.writes {
                if let Some(shape) = Shape::of(&self.state, write.resource) {
                    self.shapes.insert(write.resource, shape);
                }
            }
            self.ran.push((submission, list, command.clone()));
        }
    }

    fn is_texture(&self, resource: u32) -> bool {
        self.shapes.get(&resource).is_some_and(|shape| !shape.is_buffer)
    }

    /// What the frame shows: the back buffer that it writes last, or the texture.
    fn shown(&self) -> Option<u32> {
        let written = || {
            let drawn = self.ran.iter().rev().flat_map(|(_, _, command)| &command.writes);
            drawn.filter(|write| !matches!(write.touch, PixelTouch::Depth) && self.is_texture(write.resource))
        };
        let back = |write: &&Write| self.shapes.get(&write.resource).is_some_and(|shape| shape.is_back_buffer);
        let colour = |write: &&Write| {
            let planes = self.shapes.get(&write.resource).map_or(1, |shape| shape.planes);
            planes == 1 && !matches!(write.touch, PixelTouch::Discard)
        };
        let found = written().find(back).or_else(|| written().find(colour)).or_else(|| written().next());
        found.map(|write| write.resource)
    }

    fn history(&self, wish: &PixelWish) -> Result<PixelHistory, String> {
        let PixelWish { frame, at, resource, mip, slice, plane, .. } = *wish;
        let frames = u64::from(self.trace.frame_count());
        if frame == 0 || frame > frames.max(1) {
            return Err(format!("there is no frame {frame}: the trace has {frames}"));
        }
        let id = resource.or_else(|| self.shown());
        let id =
            id.ok_or_else(|| format!("frame {frame} writes no texture: its submissions draw, clear and copy none"))?;
        let mut place = PixelPlace { resource: id, mip, slice, plane, at };
        if let Some((width, height)) = self.shapes.get(&id).and_then(|shape| shape.size_of(mip))
            && (at.0 >= width || at.1 >= height)
        {
            return Err(format!("pixel {},{} lies outside: resource {id} is {width} by {height} there", at.0, at.1));
        }
        let mut followed = Vec::new();
        while resource.is_none() && followed.len() < FOLLOWED {
            let Some((call, from)) = self.source(&place) else { break };
            followed.push((call, place, from));
            place = from;
        }
        let events = self.events(&place);
        if events.is_empty() {
            let mut others: Vec<u32> =
                self.ran.iter().flat_map(|(.., command)| &command.writes).map(|write| write.resource).collect();
            others.retain(|it| self.is_texture(*it));
            others.sort_unstable();
            others.dedup();
            let others: Vec<String> = others.iter().map(u32::to_string).collect();
            let (id, others) = (place.resource, others.join(", "));
            let part = format!("mip {mip}, slice {slice}, plane {plane}");
            return Err(match others.is_empty() {
                true => format!("frame {frame} writes no texture"),
                false => format!("no call of frame {frame} writes resource {id} ({part}); it writes {others}"),
            });
        }
        let areas = self.ran.iter().flat_map(|(.., command)| &command.writes);
        let areas = areas.filter(|write| write.resource == place.resource && write.area.has(&place));
        let format = areas.map(|write| write.area.format).find(|format| *format != 0).unwrap_or(0);
        let size = self.shapes.get(&place.resource).and_then(|shape| Some((shape.size_of(mip)?, shape.depth)));
        let bytes = size.map_or(DEFAULT_BYTES, |((width, height), depth)| {
            u64::from(width) * u64::from(height) * u64::from(depth) * TEXEL
        });
        Ok(PixelHistory { place, format, bytes, followed, events })
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
        self.ran.iter().any(|(.., command)| self.of(command, &from).next().is_some()).then_some((call, from))
    }

    /// What a command writes of a texel.
    fn of<'c>(&self, command: &'c Command, place: &PixelPlace) -> impl Iterator<Item = &'c Write> + use<'c> {
        let place = *place;
        command.writes.iter().filter(move |write| {
            write.resource == place.resource && write.area.has(&place) && !write.area.leaves_out(place.at)
        })
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
                is_outside: write.area.leaves_out(place.at),
                bundle: command.bundle,
                pass: command.pass,
                depth: depth.filter(|_| command.draws || write.touch == PixelTouch::Bundle),
                can_be_shown: command.can_be_shown,
                draws: command.draws,
                slices: write.area.slices.map_or(1, |(_, count)| count),
            });
        }
        events
    }
}

/// Where a clear clears; `None`: everywhere.
fn rectangles(rects: &Argument<Many<RECT>>, call: &Call<'_>) -> Option<Vec<[i64; 4]>> {
    let rects = rects.of(call).ok()?;
    let all: Vec<[i64; 4]> = rects.iter().map(|it| [it.left, it.top, it.right, it.bottom].map(i64::from)).collect();
    (!all.is_empty()).then_some(all)
}
