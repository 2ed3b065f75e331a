//! The draws and dispatches of a trace that write floats, in runs between which nothing else can write.
//!
//! Invariant: within a run nothing but its draws and dispatches writes the resource, as far as the list goes: every other command that could
//! write, and every barrier, ends all runs of its list.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BUFFER_UAV_FLAGS, D3D12_RENDER_TARGET_VIEW_DESC, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION,
    D3D12_UAV_DIMENSION, D3D12_UNORDERED_ACCESS_VIEW_DESC,
};
use reprise_d3d12::{MODEL, description, method};
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::Kind;
use reprise_timeline::argument::{Argument, ObjectId};
use reprise_timeline::state::bindings;
use reprise_timeline::state::descriptors::{Reach, View, ViewKind};
use reprise_timeline::state::lists::{Action, Bound, List, Pass as RenderPass, Roots, action, records};
use reprise_timeline::state::memory;
use reprise_timeline::{At, Call, Interests, Pass, State, argument};
use reprise_trace::read::Trace;

use crate::input::source::{Blobs, walk};
use crate::marks::{element_bytes, is_float};
use crate::opened;

/// Draws and dispatches of one list that write the same part of a resource, one after another.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) list: u32,
    pub(super) part: Part,
    /// Never empty.
    pub(super) writes: Vec<Write>,
}

/// A draw or dispatch; or all that write the resource in a render pass or a bundle, where no copy can stand between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    /// Copies can stand right before and right after these calls.
    pub(super) before: u64,
    pub(super) after: u64,
    /// The first and the last that writes.
    pub(super) first: u64,
    pub(super) last: u64,
}

/// What there is to look at.
#[derive(Default)]
pub(super) struct Found {
    pub(super) runs: Vec<Run>,
    /// What cannot be looked at, by reason.
    pub(super) left_out: BTreeMap<String, u64>,
}

/// The part of a resource that a view writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) resource: u32,
    /// `None`: all of them.
    pub(super) subresource: Option<u32>,
    /// Offset and number of bytes of a buffer.
    pub(super) bytes: Option<(u64, u64)>,
    /// `DXGI_FORMAT` of the view.
    pub(super) format: u32,
    /// A render target view, and not an unordered one.
    pub(super) target: bool,
}

impl Part {
    /// Whether both have an element.
    fn meets(&self, other: &Part) -> bool {
        let apart = matches!((self.subresource, other.subresource), (Some(one), Some(other)) if one != other);
        let beside = match (self.bytes, other.bytes) {
            (Some((one, size)), Some((other, rest))) => {
                one >= other.saturating_add(rest) || other >= one.saturating_add(size)
            }
            _ => false,
        };
        self.resource == other.resource && !apart && !beside
    }
}

/// A list while it is recorded.
#[derive(Default)]
struct Recording {
    runs: Vec<Run>,
    /// The call that began the render pass.
    pass: Option<u64>,
    /// What was written in the pass so far: first and last call.
    passed: Vec<(Part, u64, u64)>,
    /// The pass goes on from list to list, and no copy can stand beside it.
    goes_on: bool,
    /// Draws and dispatches of a bundle, with what the bundle binds.
    draws: Vec<(u64, Action, Bound)>,
}

struct Finder<'b> {
    blobs: &'b dyn Blobs,
    state: State,
    lists: HashMap<u32, Recording>,
    signatures: HashMap<(u32, u64), Option<Arc<RootSignature>>>,
    /// Raw and structured views are looked at, too, as floats of 32 bits.
    words: bool,
    found: Found,
}

const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
const CLOSE: MethodId = method("ID3D12GraphicsCommandList", "Close");
const BEGIN_PASS: MethodId = method("ID3D12GraphicsCommandList4", "BeginRenderPass");
const END_PASS: MethodId = method("ID3D12GraphicsCommandList4", "EndRenderPass");
const RAN: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteBundle", "pCommandList");

/// The pass is one of several lists.
const GOES_ON: u32 = RenderPass::SUSPENDS | RenderPass::RESUMES;

/// Descriptors that are looked at in one range of a table, which may have no end.
const MOST: usize = 64;

/// Goes over the whole trace; with `words`, raw and structured unordered views are taken for floats of 32 bits.
///
/// # Errors
/// When it cannot be read.
pub(super) fn find(trace: &Trace, words: bool) -> Result<Found, String> {
    let mut finder = Finder {
        blobs: trace,
        state: State::default(),
        lists: HashMap::new(),
        signatures: HashMap::new(),
        words,
        found: Found::default(),
    };
    walk(&mut trace.events().without_pages(), &mut [&mut finder], |_| false)?;
    let open: Vec<u32> = finder.lists.keys().copied().collect();
    open.into_iter().for_each(|list| finder.end(list));
    finder.found.runs.sort_by_key(|run| run.writes.first().map(|write| write.before));
    Ok(finder.found)
}

impl Pass for Finder<'_> {
    fn interests(&self) -> Interests {
        self.state.interests().and(&Interests::new().calls_where(records).calls(&[RESET, CLOSE]))
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.state)
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        if let Some(action) = action(call.method) {
            self.draw(call, action);
        } else if call.method == RAN.method() {
            self.run_bundle(call);
        } else if call.method == RESET || call.method == CLOSE {
            self.end(call.object);
            if call.method == RESET {
                self.lists.remove(&call.object);
            }
        } else if call.method == END_PASS {
            self.end_pass(call);
        } else if records(call.method) && call.method != BEGIN_PASS && writes(call.method) {
            self.end(call.object);
        }
        self.state.call(call, at);
        if call.method == BEGIN_PASS {
            self.begin_pass(call);
        }
    }
}

/// Whether a command of a list, which is no draw, no dispatch and no bundle, may change contents or let others do so.
fn writes(method: MethodId) -> bool {
    let name = MODEL.methods.get(usize::from(method.0)).map_or("", |row| row.name);
    // What begins so sets something, counts, or marks.
    const SET: [&str; 12] = [
        "IA",
        "RS",
        "OM",
        "SO",
        "Set",
        "ClearState",
        "ClearDepthStencilView",
        "BeginQuery",
        "EndQuery",
        "BeginEvent",
        "EndEvent",
        "WriteBufferImmediate",
    ];
    !SET.iter().any(|start| name.starts_with(start))
}

impl Finder<'_> {
    /// No run of this list goes on.
    fn end(&mut self, list: u32) {
        if let Some(list) = self.lists.get_mut(&list) {
            self.found.runs.append(&mut list.runs);
        }
    }

    fn leave_out(&mut self, reason: &str) {
        *self.found.left_out.entry(reason.to_owned()).or_default() += 1;
    }

    fn list(&self, id: u32) -> Option<&List> {
        self.state.lists.get(id)
    }

    fn draw(&mut self, call: &Call<'_>, action: Action) {
        let Some(list) = self.list(call.object) else { return };
        if list.is_bundle() {
            let bound = list.bound.clone();
            self.lists.entry(call.object).or_default().draws.push((call.number, action, bound));
            return;
        }
        let bound = list.bound.clone();
        for part in self.parts(&bound, action) {
            self.write(call.object, part, call.number, (call.number, call.number));
        }
    }

    /// The draws of a bundle write through what it binds and what it inherits.
    fn run_bundle(&mut self, call: &Call<'_>) {
        let Ok(ObjectId(bundle)) = RAN.of(call) else { return };
        let outer = self.list(call.object).map(|list| list.bound.clone()).unwrap_or_default();
        let draws = self.lists.get(&bundle).map(|list| list.draws.clone()).unwrap_or_default();
        let mut all: Vec<(Part, u64, u64)> = Vec::new();
        for (number, action, bound) in draws {
            let bound = Bound::within(&outer, &bound, |one, other| self.state.lists.are_same(one, other));
            self.parts(&bound, action).into_iter().for_each(|part| note(&mut all, part, (number, number)));
        }
        for (part, first, last) in all {
            self.write(call.object, part, call.number, (first, last));
        }
    }

    /// The call `at` of a list makes the draws or dispatches `first` to `last` write there.
    fn write(&mut self, list: u32, part: Part, at: u64, (first, last): (u64, u64)) {
        let id = list;
        let list = self.lists.entry(list).or_default();
        if list.pass.is_some() {
            note(&mut list.passed, part, (first, last));
            return;
        }
        add(list, &mut self.found.runs, id, part, Write { before: at, after: at, first, last });
    }

    fn begin_pass(&mut self, call: &Call<'_>) {
        let pass = self.list(call.object).and_then(|list| list.bound.pass.as_ref());
        let (is_opened, flags) = pass.map_or((false, 0), |pass| (opened::can_be(&pass.value), pass.value.flags));
        self.end(call.object);
        if is_opened {
            return;
        }
        let list = self.lists.entry(call.object).or_default();
        (list.pass, list.goes_on) = (Some(call.number), flags & GOES_ON != 0);
        list.passed.clear();
    }

    fn end_pass(&mut self, call: &Call<'_>) {
        let Some(list) = self.lists.get_mut(&call.object) else { return };
        let (Some(before), passed) = (list.pass.take(), std::mem::take(&mut list.passed)) else {
            return self.end(call.object);
        };
        if list.goes_on && !passed.is_empty() {
            return self.leave_out("render passes that go on from list to list");
        }
        for (part, first, last) in passed {
            let write = Write { before, after: call.number, first, last };
            add(list, &mut self.found.runs, call.object, part, write);
        }
        self.end(call.object);
    }

    /// What a draw or dispatch may write as floats.
    fn parts(&mut self, bound: &Bound, action: Action) -> Vec<Part> {
        let mut views: Vec<(Arc<View>, bool)> = Vec::new();
        let indirect = action == Action::Indirect;
        if action.draws() || indirect {
            let targets = bound.targets.iter().flat_map(|targets| &targets.value.colours);
            let targets = targets.filter_map(|target| target.descriptor.as_ref());
            views.extend(targets.map(|descriptor| (descriptor.view.clone(), true)));
            self.unordered(&bound.graphics, &mut views);
        }
        if !action.draws() {
            self.unordered(&bound.compute, &mut views);
        }
        let mut parts: Vec<Part> = Vec::new();
        for (view, target) in views {
            let part = if target { self.of_target(&view) } else { self.of_unordered(&view) };
            if let Some(part) = part
                && !parts.contains(&part)
            {
                parts.push(part);
            }
        }
        parts
    }

    /// Unordered views of the tables that are set.
    fn unordered(&mut self, roots: &Roots, views: &mut Vec<(Arc<View>, bool)>) {
        let Some(set) = &roots.signature else { return };
        let Some(signature) = self.signature(set.value) else { return };
        for binding in bindings::bindings(&self.state, roots, &signature) {
            let bindings::Bound::Table { slot: Some(table), ranges, .. } = binding.content else { continue };
            let count = self.state.descriptors.heap(table.heap).map_or(0, |heap| heap.count);
            for range in ranges.iter().filter(|range| range.register.kind == Kind::Uav) {
                let slots = range.slots(count).take(MOST);
                let found = slots.filter_map(|(_, slot)| Some(self.state.descriptors.get(slot)?.view.clone()));
                views.extend(found.filter(|view| view.kind == ViewKind::Unordered).map(|view| (view, false)));
            }
        }
    }

    /// A root signature, read once.
    fn signature(&mut self, id: u32) -> Option<Arc<RootSignature>> {
        // An id can be given again: the creation tells them apart.
        let made = self.state.objects.get(id)?.creation().number;
        if let Some(known) = self.signatures.get(&(id, made)) {
            return known.clone();
        }
        let read = bindings::root_signature(|place| self.blobs.at(place), &self.state, id);
        let read = read.ok().map(|(signature, _)| Arc::new(signature));
        if read.is_none() {
            self.leave_out("root signatures that cannot be read");
        }
        self.signatures.insert((id, made), read.clone());
        read
    }

    /// The description that a resource was made with; none for back buffers.
    fn description(&self, resource: u32) -> Option<D3D12_RESOURCE_DESC1> {
        memory::resource(&self.state.objects.get(resource)?.creation()).ok().flatten()
    }

    fn of_target(&self, view: &View) -> Option<Part> {
        let resource = Some(view.resource).filter(|id| *id != 0)?;
        let made = self.description(resource);
        let desc: Option<D3D12_RENDER_TARGET_VIEW_DESC> = view.desc();
        let format = format(desc.map(|desc| desc.Format.0), made.as_ref())?;
        let subresource = subresource(view, made.as_ref());
        Some(Part { resource, subresource, bytes: None, format, target: true })
    }

    fn of_unordered(&self, view: &View) -> Option<Part> {
        let resource = Some(view.resource).filter(|id| *id != 0)?;
        let made = self.description(resource);
        let desc: Option<D3D12_UNORDERED_ACCESS_VIEW_DESC> = view.desc();
        if let Some(desc) = desc.filter(|_| self.words)
            && let Some(bytes) = words(&desc)
        {
            return Some(Part { resource, subresource: None, bytes: Some(bytes), format: FLOAT, target: false });
        }
        let format = format(desc.map(|desc| desc.Format.0), made.as_ref())?;
        if made.as_ref().is_some_and(|made| made.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER) {
            let desc = desc.filter(|desc| desc.ViewDimension == D3D12_UAV_DIMENSION::BUFFER)?;
            // SAFETY: the dimension says that this member is in use.
            let elements = unsafe { desc.Anonymous.Buffer };
            // Structures are of elements that nothing here knows.
            let size = element_bytes(format).filter(|_| elements.StructureByteStride == 0)?;
            let first = elements.FirstElement.checked_mul(size)?;
            let bytes = u64::from(elements.NumElements).checked_mul(size).filter(|bytes| *bytes > 0)?;
            return Some(Part { resource, subresource: None, bytes: Some((first, bytes)), format, target: false });
        }
        let subresource = subresource(view, made.as_ref());
        Some(Part { resource, subresource, bytes: None, format, target: false })
    }
}

/// `DXGI_FORMAT_R32_FLOAT`.
const FLOAT: u32 = 41;

/// Offset and number of the bytes that a raw or structured view has; `None` for other views.
fn words(desc: &D3D12_UNORDERED_ACCESS_VIEW_DESC) -> Option<(u64, u64)> {
    if desc.ViewDimension != D3D12_UAV_DIMENSION::BUFFER {
        return None;
    }
    // SAFETY: the dimension says that this member is in use.
    let elements = unsafe { desc.Anonymous.Buffer };
    let raw = elements.Flags.0 & D3D12_BUFFER_UAV_FLAGS::RAW.0 != 0;
    let size = match elements.StructureByteStride {
        0 if raw => 4,
        stride if stride != 0 && stride.is_multiple_of(4) => u64::from(stride),
        _ => return None,
    };
    let first = elements.FirstElement.checked_mul(size)?;
    let bytes = u64::from(elements.NumElements).checked_mul(size).filter(|bytes| *bytes > 0)?;
    Some((first, bytes))
}

/// The format of a view, where its elements are floats.
fn format(view: Option<i32>, made: Option<&D3D12_RESOURCE_DESC1>) -> Option<u32> {
    let own = made.map(|made| made.Format.0);
    let format = view.filter(|format| *format != 0).or(own)? as u32;
    is_float(format).then_some(format)
}

/// The subresource of a view that has only one; `None` for all of the resource.
fn subresource(view: &View, made: Option<&D3D12_RESOURCE_DESC1>) -> Option<u32> {
    let Reach { mip, slices: (slice, 1), .. } = view.reach()? else { return None };
    slice.checked_mul(description::levels(made?))?.checked_add(mip)
}

/// Takes a write of a pass or bundle down.
fn note(all: &mut Vec<(Part, u64, u64)>, part: Part, (first, last): (u64, u64)) {
    match all.iter_mut().find(|other| other.0 == part) {
        Some(other) => other.2 = last,
        None => all.push((part, first, last)),
    }
}

/// Adds a write to the run that goes on, or begins one. Runs that write the same elements through another view end.
fn add(list: &mut Recording, ended: &mut Vec<Run>, id: u32, part: Part, write: Write) {
    ended.extend(list.runs.extract_if(.., |run| run.part != part && run.part.meets(&part)));
    match list.runs.iter_mut().find(|run| run.part == part) {
        Some(run) => run.writes.push(write),
        None => list.runs.push(Run { list: id, part, writes: vec![write] }),
    }
}
