//! Resources as submissions leave them: states or layouts of their subresources, what was never initialised, who used them last.
//!
//! Invariant: operations are taken in the order in which they run, submission by submission; promotion and decay happen as the documents
//! state them ([`crate::states`]).

use crate::mark::Marks;
use crate::queues::Clock;
use crate::standing::{self, Stand};
use crate::states::{Kind, legacy};
use crate::subresource::{Shape, Subresources};
use crate::supposed::Supposed;
use crate::used::Log;
use reprise_d3d12::types::{D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_FLAGS};
use reprise_timeline::activity::Activity;
use reprise_timeline::state::memory::{InitialState, Place};
use std::collections::{HashMap, HashSet};

/// How a subresource stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Now {
    /// Nothing is known.
    Unknown,
    Legacy(legacy::State),
    /// `D3D12_BARRIER_LAYOUT`.
    Layout(u32),
    /// A split barrier has begun.
    Split {
        before: u32,
        after: u32,
    },
}

impl Now {
    /// For other tools.
    fn told(self) -> standing::Standing {
        match self {
            Now::Unknown => standing::Standing::Unknown,
            Now::Legacy(state) => standing::Standing::State(state.bits),
            Now::Layout(layout) => standing::Standing::Layout(layout),
            Now::Split { before, after } => standing::Standing::Split { before, after },
        }
    }
}

/// How a subresource stands, and who brought it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) now: Now,
    /// The call.
    pub(crate) call: u64,
    /// Queue and submission on it; 0 for the creation.
    pub(crate) by: (u32, u64),
}

/// A resource.
#[derive(Debug)]
pub(crate) struct Tracked {
    pub(crate) kind: Kind,
    pub(crate) shape: Shape,
    /// `D3D12_RESOURCE_FLAGS`.
    pub(crate) flags: u32,
    /// A buffer of a swap chain.
    pub(crate) presented: bool,
    all: Standing,
    apart: HashMap<u32, Standing>,
    /// Subresources without contents, each with the call since which.
    pub(crate) blank: HashMap<u32, u64>,
    /// The heap that it is placed in; 0 for none.
    heap: u32,
    /// Resources that share its memory.
    pub(crate) overlaps: Vec<u32>,
    pub(crate) marks: Marks,
}

impl Tracked {
    /// A resource as its creation describes it.
    pub(crate) fn new(
        desc: &D3D12_RESOURCE_DESC1,
        initial: Option<InitialState>,
        place: Place,
        heap: i32,
        call: u64,
    ) -> Tracked {
        let flags = desc.Flags.0;
        let buffer = desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER;
        /// `RAYTRACING_ACCELERATION_STRUCTURE`, the state.
        const STRUCTURE: u32 = 0x40_0000;
        let simultaneous = flags & D3D12_RESOURCE_FLAGS::ALLOW_SIMULTANEOUS_ACCESS.0 != 0;
        let kind = match (buffer, heap, initial) {
            (true, _, Some(InitialState::State(STRUCTURE))) => Kind::Structure,
            (true, 2, _) => Kind::Upload,
            (true, 3, _) => Kind::Readback,
            (true, ..) => Kind::Buffer,
            (false, ..) if simultaneous => Kind::Simultaneous,
            (false, ..) => Kind::Texture,
        };
        let now = match (kind, initial) {
            // The runtime takes every other state of a buffer for common.
            (Kind::Buffer, _) if flags & D3D12_RESOURCE_FLAGS::RAYTRACING_ACCELERATION_STRUCTURE.0 != 0 => Now::Unknown,
            // Custom heaps in memory of the processor.
            (_, Some(InitialState::State(state))) if heap == 4 && state != 0 => Now::Unknown,
            (Kind::Buffer, _) => Now::Legacy(legacy::State::of(legacy::COMMON)),
            (_, Some(InitialState::State(state))) => Now::Legacy(legacy::State::of(state)),
            (Kind::Upload | Kind::Readback | Kind::Structure, _) => Now::Legacy(legacy::State::of(legacy::COMMON)),
            (_, Some(InitialState::Layout(layout))) => Now::Layout(layout),
            (_, None) => Now::Unknown,
        };
        let shape = Shape::of(desc);
        let target = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET.0 | D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL.0;
        let blank = match place {
            Place::Placed { .. } | Place::Reserved if !buffer && flags & target != 0 => {
                (0..shape.count()).map(|index| (index, call)).collect()
            }
            _ => HashMap::new(),
        };
        let all = Standing { now, call, by: (0, 0) };
        Tracked {
            kind,
            shape,
            flags,
            presented: false,
            all,
            apart: HashMap::new(),
            blank,
            heap: 0,
            overlaps: Vec::new(),
            marks: Marks::default(),
        }
    }

    /// A buffer of a swap chain, which begins in common.
    pub(crate) fn of_swap_chain(call: u64) -> Tracked {
        Tracked::presented(Now::Legacy(legacy::State::of(legacy::COMMON)), call)
    }

    /// A texture that stands for an image of Vulkan's, in whatever state the program said.
    pub(crate) fn of_image(call: u64) -> Tracked {
        Tracked::presented(Now::Unknown, call)
    }

    fn presented(now: Now, call: u64) -> Tracked {
        let all = Standing { now, call, by: (0, 0) };
        Tracked {
            kind: Kind::Texture,
            shape: Shape { mips: 1, slices: 1, planes: 1 },
            flags: D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET.0,
            presented: true,
            all,
            apart: HashMap::new(),
            blank: HashMap::new(),
            heap: 0,
            overlaps: Vec::new(),
            marks: Marks::default(),
        }
    }

    /// Whether its first use after it lies there must write all of it.
    pub(crate) fn is_target(&self) -> bool {
        let target = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET.0 | D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL.0;
        self.kind.is_texture() && self.flags & target != 0 && !self.presented
    }

    /// Whether nothing but copies and resolves can give it contents: those are all seen.
    pub(crate) fn is_filled_by_copies(&self) -> bool {
        let written = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET.0
            | D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL.0
            | D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS.0
            | D3D12_RESOURCE_FLAGS::VIDEO_DECODE_REFERENCE_ONLY.0
            | D3D12_RESOURCE_FLAGS::VIDEO_ENCODE_REFERENCE_ONLY.0;
        self.kind.is_texture() && self.flags & written == 0 && !self.presented
    }

    /// Changes how subresources stand; `change` gets each, with its index.
    pub(crate) fn change(&mut self, subresources: &Subresources, mut change: impl FnMut(u32, Standing) -> Standing) {
        match subresources {
            Subresources::All if self.apart.is_empty() => self.all = change(0, self.all),
            _ => {
                let count = self.shape.count();
                let (all, apart) = (self.all, &mut self.apart);
                subresources.each(count, |index| {
                    let old = apart.get(&index).copied().unwrap_or(all);
                    let new = change(index, old);
                    if new != old || apart.contains_key(&index) {
                        apart.insert(index, new);
                    }
                });
                // All alike again.
                if apart.len() == count as usize
                    && let Some(first) = apart.values().next().copied()
                    && apart.values().all(|standing| *standing == first)
                {
                    self.all = first;
                    apart.clear();
                }
            }
        }
    }

    /// How a subresource stands.
    fn at(&self, index: u32) -> Standing {
        self.apart.get(&index).copied().unwrap_or(self.all)
    }

    /// Whether the states of all subresources are known.
    fn is_known(&self) -> bool {
        self.all.now != Now::Unknown && self.apart.values().all(|standing| standing.now != Now::Unknown)
    }

    /// How each subresource stands, for other tools.
    pub(crate) fn standing(&self) -> Vec<standing::Standing> {
        (0..self.shape.count()).map(|index| self.at(index).now.told()).collect()
    }

    /// How its subresources stand, those that stand alike in boxes.
    fn stands(&self) -> Vec<Stand> {
        if self.apart.is_empty() {
            return self.stand(&Subresources::All, self.all);
        }
        let mut alike: Vec<(Standing, Vec<u32>)> = Vec::new();
        for index in 0..self.shape.count() {
            let standing = self.at(index);
            match alike.iter_mut().find(|(other, _)| (other.now, other.call) == (standing.now, standing.call)) {
                Some((_, indices)) => indices.push(index),
                None => alike.push((standing, vec![index])),
            }
        }
        let boxes =
            |(standing, indices): (Standing, Vec<u32>)| self.stand(&Subresources::Some(indices.into()), standing);
        let mut all: Vec<Stand> = alike.into_iter().flat_map(boxes).collect();
        all.sort_by_key(|stand| stand.part);
        all
    }

    fn stand(&self, subresources: &Subresources, it: Standing) -> Vec<Stand> {
        let standing = it.now.told();
        let one = |part| Stand { part, standing, call: it.call };
        self.shape.boxes(subresources).into_iter().map(one).collect()
    }

    /// Split barriers that have begun.
    pub(crate) fn split(&self) -> impl Iterator<Item = Standing> {
        let all = std::iter::once(&self.all).filter(|_| self.apart.len() < self.shape.count() as usize);
        all.chain(self.apart.values()).copied().filter(|standing| matches!(standing.now, Now::Split { .. }))
    }

    /// The end of a submission that used it.
    fn decay(&mut self, copy_queue: bool) {
        let kind = self.kind;
        let decay = |standing: &mut Standing| {
            if let Now::Legacy(state) = standing.now {
                standing.now = Now::Legacy(legacy::decayed(kind, state, copy_queue));
            }
        };
        decay(&mut self.all);
        self.apart.values_mut().for_each(decay);
    }
}

/// A submission that runs.
pub(crate) struct Running<'c> {
    pub(crate) queue: u32,
    /// `D3D12_COMMAND_LIST_TYPE` of the queue.
    pub(crate) kind: u32,
    /// Its number on the queue.
    pub(crate) number: u64,
    /// What has ended before.
    pub(crate) before: &'c Clock,
}

impl Running<'_> {
    /// Whether a submission comes before this one, or is this one.
    pub(crate) fn is_after(&self, (queue, number): (u32, u64)) -> bool {
        queue == 0 || queue == self.queue || self.before.get(&queue).is_some_and(|ended| *ended >= number)
    }
}

/// All resources that are tracked.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) resources: HashMap<u32, Tracked>,
    /// Resources that the running submission used.
    pub(crate) touched: HashSet<u32>,
    /// Placed resources by heap: where each lies, and its bytes.
    heaps: HashMap<u32, Vec<(u32, u64, u64)>>,
    /// Which of the resources that share memory hold contents.
    pub(crate) activity: Activity,
    /// First uses since a point, where someone asked for them.
    pub(crate) firsts: Option<Firsts>,
    /// All uses, where someone asked for them.
    pub(crate) log: Option<Log>,
}

/// What happened to contents first since a point.
#[derive(Debug, Default)]
pub(crate) struct Firsts {
    /// By resource: subresources that were cleared or discarded whole before anything else used them.
    filled: HashMap<u32, HashSet<u32>>,
    /// Resources of which a use may have found what was there before.
    found: HashSet<u32>,
    /// By resource and subresource whose state is not known: what was done with it.
    supposed: HashMap<(u32, u32), Supposed>,
}

impl Firsts {
    /// All of these are cleared or discarded.
    pub(crate) fn fill(&mut self, resource: u32, shape: Shape, subresources: &Subresources) {
        let filled = self.filled.entry(resource).or_default();
        subresources.each(shape.count(), |index| _ = filled.insert(index));
    }

    /// All of these are used.
    pub(crate) fn uses(&mut self, resource: u32, shape: Shape, subresources: &Subresources) {
        let filled = self.filled.get(&resource);
        let mut found = false;
        subresources.each(shape.count(), |index| found |= filled.is_none_or(|filled| !filled.contains(&index)));
        if found {
            self.found.insert(resource);
        }
    }

    /// Something is done with those of these whose state is not known.
    pub(crate) fn suppose(
        &mut self,
        resource: u32,
        tracked: &Tracked,
        subresources: &Subresources,
        done: impl Fn(&mut Supposed),
    ) {
        if tracked.is_known() {
            return;
        }
        subresources.each(tracked.shape.count(), |index| {
            if tracked.at(index).now == Now::Unknown {
                done(self.supposed.entry((resource, index)).or_insert_with(|| Supposed::nothing(tracked.kind)));
            }
        });
    }

    /// What was done with a subresource whose state was not known, if anything was.
    pub(crate) fn supposed(&self, resource: u32, index: u32) -> Option<&Supposed> {
        self.supposed.get(&(resource, index))
    }

    /// Whether a use may have found what was there before.
    pub(crate) fn found(&self, resource: u32) -> bool {
        self.found.contains(&resource)
    }
}

impl World {
    /// How the subresources of a resource stand; nothing of what is not followed.
    pub(crate) fn stands(&self, resource: u32) -> Vec<Stand> {
        self.resources.get(&resource).map(Tracked::stands).unwrap_or_default()
    }

    /// Somebody looks at how all stands now, in the submission of this call.
    pub(crate) fn look(&mut self, submission: Option<u64>) {
        let Some(resource) = self.log.as_ref().map(|log| log.wish().resource.unwrap_or(0)) else { return };
        let stands = self.stands(resource);
        self.log.iter_mut().for_each(|log| log.reach(stands.clone(), submission));
    }

    /// A resource is made in a heap.
    pub(crate) fn placed(&mut self, id: u32, heap: u32, offset: u64, bytes: u64) {
        let others = self.heaps.entry(heap).or_default();
        let sharing = others
            .iter()
            .filter(|(_, start, more)| *start < offset.saturating_add(bytes) && offset < start.saturating_add(*more));
        self.activity.place(id, sharing.map(|(other, ..)| *other));
        let end = offset.saturating_add(bytes);
        for (other, start, bytes) in others.iter() {
            if *start < end && offset < start.saturating_add(*bytes) {
                if let Some(tracked) = self.resources.get_mut(other) {
                    tracked.overlaps.push(id);
                }
                if let Some(tracked) = self.resources.get_mut(&id) {
                    tracked.overlaps.push(*other);
                }
            }
        }
        others.push((id, offset, bytes));
        if let Some(tracked) = self.resources.get_mut(&id) {
            tracked.heap = heap;
        }
    }

    /// Whether an address in a resource can only mean that resource: placed buffers share addresses where they share memory.
    pub(crate) fn is_alone(&self, resource: u32) -> bool {
        self.resources.get(&resource).is_none_or(|tracked| tracked.overlaps.is_empty())
    }

    /// Whether a buffer is made for acceleration structures.
    pub(crate) fn has_structures(&self, resource: u32) -> bool {
        self.resources.get(&resource).is_some_and(|tracked| {
            tracked.kind == Kind::Structure
                || tracked.flags & D3D12_RESOURCE_FLAGS::RAYTRACING_ACCELERATION_STRUCTURE.0 != 0
        })
    }

    /// A shader uses this buffer, or another one that has the same address.
    pub(crate) fn reach(&mut self, resource: u32, call: u64) {
        self.activity.reach(resource, call);
        let others = self.resources.get(&resource).map_or(&[][..], |tracked| &tracked.overlaps);
        for other in others {
            if self.resources.get(other).is_some_and(|other| !other.kind.is_texture()) {
                self.activity.reach(*other, call);
            }
        }
    }

    /// An object is gone.
    pub(crate) fn gone(&mut self, object: u32) {
        if let Some(tracked) = self.resources.remove(&object) {
            for other in tracked.overlaps {
                if let Some(tracked) = self.resources.get_mut(&other) {
                    tracked.overlaps.retain(|own| *own != object);
                }
            }
            if let Some(heap) = self.heaps.get_mut(&tracked.heap) {
                heap.retain(|(own, ..)| *own != object);
            }
        }
        self.heaps.remove(&object);
        self.touched.remove(&object);
        self.activity.gone(object);
    }

    /// The contents of what shares memory with a resource are lost.
    pub(crate) fn overwrite(&mut self, resource: u32, call: u64) {
        let Some(tracked) = self.resources.get(&resource).filter(|tracked| !tracked.overlaps.is_empty()) else {
            return;
        };
        for other in tracked.overlaps.clone() {
            self.blank(other, call);
        }
    }

    /// All subresources of a target, or of a texture that only copies fill and that shares memory, are without contents.
    pub(crate) fn blank(&mut self, resource: u32, call: u64) {
        if let Some(tracked) = self
            .resources
            .get_mut(&resource)
            .filter(|tracked| tracked.is_target() || (tracked.is_filled_by_copies() && !tracked.overlaps.is_empty()))
        {
            for index in 0..tracked.shape.count() {
                tracked.blank.entry(index).or_insert(call);
            }
        }
    }

    /// Nothing is known of a resource's state any more.
    pub(crate) fn forget(&mut self, resource: u32) {
        if let Some(tracked) = self.resources.get_mut(&resource) {
            if let Some(firsts) = &mut self.firsts {
                let lost = |supposed: &mut Supposed| supposed.moves(standing::Standing::Unknown);
                firsts.suppose(resource, tracked, &Subresources::All, lost);
            }
            tracked.change(&Subresources::All, |_, standing| Standing { now: Now::Unknown, ..standing });
        }
    }

    /// What submissions did before this point is not known: neither states nor contents.
    pub(crate) fn forget_all(&mut self) {
        for tracked in self.resources.values_mut() {
            tracked.change(&Subresources::All, |_, standing| Standing { now: Now::Unknown, ..standing });
            tracked.blank.clear();
        }
    }

    /// The running submission ends.
    pub(crate) fn end(&mut self, copy_queue: bool) {
        for resource in std::mem::take(&mut self.touched) {
            if let Some(tracked) = self.resources.get_mut(&resource) {
                tracked.decay(copy_queue);
            }
        }
    }
}
