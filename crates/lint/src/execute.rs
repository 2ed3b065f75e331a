//! A submission runs: its operations against the resources, each by the rules that look at it.

use crate::recording::{Enhanced, Operation, Recording, Table, Transition, Use, What};
use crate::rule::Severity;
use crate::rules::{before_state, initialised, layout, race, unordered, use_state};
use crate::scene::{Place, Scene};
use crate::standing;
use crate::states::{Access, Kind, layout as layouts, legacy};
use crate::subresource::{Shape, Subresources};
use crate::used;
use crate::world::{Now, Running, Standing, World};
use std::collections::HashMap;
use std::rc::Rc;

/// A submission.
#[derive(Debug)]
pub(crate) struct Submission {
    /// Its number among all.
    pub(crate) number: u64,
    pub(crate) call: u64,
    /// The frame of that call, from 0.
    pub(crate) frame: u32,
    /// The queue's `D3D12_COMMAND_LIST_TYPE`.
    pub(crate) kind: u32,
    pub(crate) lists: Vec<Run>,
}

/// A list as it runs: its recording, and what its tables lead to, by the place of their operations.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) recording: Rc<Recording>,
    pub(crate) tables: HashMap<usize, Vec<Use>>,
    /// By the place of an array: what its descriptors show of what shares memory.
    pub(crate) arrays: HashMap<usize, Rc<[u32]>>,
    /// By the place of an array: what its descriptors show at all, where somebody wants each use.
    pub(crate) possible: HashMap<usize, Rc<[Use]>>,
}

/// Runs a submission.
pub(crate) fn run(world: &mut World, scene: &mut Scene<'_>, submission: &Submission, running: &Running<'_>) {
    let mut hazards = unordered::Hazards::default();
    for run in &submission.lists {
        for (index, operation) in run.recording.operations.iter().enumerate() {
            moment(world, submission, run, Some(operation));
            note(world, submission, running, run, index);
            if let Some(shown) = run.arrays.get(&index) {
                shown.iter().for_each(|resource| world.activity.reach(*resource, operation.call));
            }
            let place = Place {
                call: operation.call,
                list: Some(run.recording.list),
                submission: Some((submission.number, submission.call)),
            };
            let mut one = One { world, scene, running, place, hazards: &mut hazards };
            match run.tables.get(&index) {
                Some(uses) => uses.iter().for_each(|it| one.uses(it)),
                None => one.operation(operation),
            }
        }
        moment(world, submission, run, None);
    }
    world.end(running.kind == 3);
}

/// Where somebody looks at how all stands before this operation, or behind the last one, it is told.
fn moment(world: &mut World, submission: &Submission, run: &Run, operation: Option<&Operation>) {
    if world.log.as_ref().is_some_and(|log| log.comes(&run.recording, operation)) {
        world.look(Some(submission.call));
    }
}

/// Tells the uses of an operation, where somebody wants them.
fn note(world: &mut World, submission: &Submission, running: &Running<'_>, run: &Run, index: usize) {
    let World { log: Some(log), resources, .. } = world else { return };
    let Some(operation) = run.recording.operations.get(index) else { return };
    let ran = used::Run {
        list: run.recording.list,
        queue: running.queue,
        submission: (submission.number, submission.call),
        frame: submission.frame,
    };
    let mut tell = |it: &Use, role| {
        let shape = resources.get(&it.resource).map_or(Shape::ONE, |tracked| tracked.shape);
        log.ran(ran, operation, it, role, shape);
    };
    if let Some(uses) = run.tables.get(&index) {
        return uses.iter().for_each(|it| tell(it, None));
    }
    match &operation.what {
        What::Use(it) | What::Clear(it, _) => tell(it, None),
        What::Noted(it, role) => tell(it, Some(*role)),
        What::Address(resource, access) => {
            let (resource, subresources, severity) = (*resource, Subresources::All, Severity::Hint);
            tell(&Use { resource, subresources, access: *access, bytes: None, severity }, None);
        }
        What::Array(..) => {
            run.possible.get(&index).into_iter().flat_map(|all| all.iter()).for_each(|it| tell(it, None))
        }
        _ => {}
    }
}

/// One operation.
struct One<'o, 's, 'r> {
    world: &'o mut World,
    scene: &'o mut Scene<'s>,
    running: &'o Running<'r>,
    place: Place,
    hazards: &'o mut unordered::Hazards,
}

impl One<'_, '_, '_> {
    fn operation(&mut self, operation: &Operation) {
        match &operation.what {
            What::Use(it) => self.uses(it),
            What::Table(Table { .. }) | What::Array(..) | What::Traced(..) | What::Noted(..) => {}
            What::Address(resource, _) => self.world.reach(*resource, self.place.call),
            What::Clear(it, whole) => {
                self.resource(it);
                if *whole {
                    self.hazards.clear(it, self.place.call);
                }
            }
            What::Initialise { resource, subresources } => {
                self.world.activity.activate(*resource, self.place.call);
                if let (Some(firsts), Some(tracked)) = (&mut self.world.firsts, self.world.resources.get(resource)) {
                    firsts.fill(*resource, tracked.shape, subresources);
                }
                initialised::fill(self.world, *resource, subresources);
            }
            What::Transition(it) => self.transition(it),
            What::Unordered(resource) => self.hazards.barrier(*resource),
            What::Alias { after } => {
                self.hazards.barrier(0);
                self.world.activity.activate(*after, self.place.call);
                self.world.blank(*after, self.place.call);
            }
            What::Layout(barrier) => self.layout(barrier),
            What::Flush(resource) => self.flush(*resource),
            What::Structures(it) => self.hazards.structures(self.scene, self.place, it),
        }
    }

    fn standing(&self, now: Now) -> Standing {
        Standing { now, call: self.place.call, by: (self.running.queue, self.running.number) }
    }

    fn uses(&mut self, it: &Use) {
        let texture = self.world.resources.get(&it.resource).is_some_and(|tracked| tracked.kind.is_texture());
        if it.access == Access::Unordered && texture {
            self.hazards.unordered(self.scene, self.place, it);
        }
        if let (Access::Structure, Some((first, _))) = (it.access, it.bytes) {
            self.hazards.trace(self.scene, self.place, (it.resource, first));
        }
        self.resource(it);
    }

    fn resource(&mut self, it: &Use) {
        let resource = it.resource;
        self.world.activity.activate(resource, self.place.call);
        if let (Some(firsts), Some(tracked)) = (&mut self.world.firsts, self.world.resources.get(&resource)) {
            firsts.uses(resource, tracked.shape, &it.subresources);
        }
        if it.access.writes() {
            self.world.overwrite(resource, self.place.call);
        }
        let Some(tracked) = self.world.resources.get_mut(&resource) else { return };
        self.world.touched.insert(resource);
        race::used(self.scene, self.running, self.place, resource, tracked, it);
        initialised::used(self.scene, self.place, resource, tracked, it);
        let (kind, shape) = (tracked.kind, tracked.shape);
        // Shaders read acceleration structures through the same registers.
        let access = match it.access {
            Access::NonPixel | Access::Pixel if kind == Kind::Structure => Access::Structure,
            access => access,
        };
        if let Some(firsts) = &mut self.world.firsts {
            firsts.suppose(resource, tracked, &it.subresources, |supposed| supposed.uses(access));
        }
        let (place, running) = (self.place, self.running);
        let mut wrong: Option<(u32, Standing)> = None;
        let by = (running.queue, running.number);
        tracked.change(&it.subresources, |index, standing| match standing.now {
            Now::Unknown => standing,
            Now::Legacy(state) => match legacy::used(kind, state, access) {
                Some(new) if new == state => standing,
                Some(new) => Standing { now: Now::Legacy(new), call: place.call, by },
                None => {
                    wrong.get_or_insert((index, standing));
                    standing
                }
            },
            Now::Layout(layout) => {
                if !layouts::allows(kind, layout, access) {
                    wrong.get_or_insert((index, standing));
                }
                standing
            }
            Now::Split { .. } => {
                wrong.get_or_insert((index, standing));
                standing
            }
        });
        if let Some((index, standing)) = wrong
            && running.is_after(standing.by)
        {
            use_state::wrong(self.scene, place, resource, (kind, shape, index), standing, access, it.severity);
        }
    }

    fn transition(&mut self, it: &Transition) {
        const BEGIN: u32 = 1;
        const END: u32 = 2;
        self.hazards.barrier(it.resource);
        let place = self.place;
        let (place_of, running) = (self.standing(Now::Unknown), self.running);
        let Some(tracked) = self.world.resources.get_mut(&it.resource) else { return };
        self.world.touched.insert(it.resource);
        let subresources = Subresources::of_index(it.index);
        if tracked.kind == Kind::Texture {
            let written = Use {
                resource: it.resource,
                subresources: subresources.clone(),
                access: Access::CopyTo,
                bytes: None,
                severity: Severity::Error,
            };
            race::moved(self.scene, running, place, it.resource, tracked, &written);
        }
        if let Some(firsts) = &mut self.world.firsts {
            let before = match it.flags & END != 0 {
                true => standing::Standing::Split { before: it.before, after: it.after },
                false => standing::Standing::State(it.before),
            };
            firsts.suppose(it.resource, tracked, &subresources, |supposed| supposed.moves(before));
        }
        let (kind, shape) = (tracked.kind, tracked.shape);
        let mut wrong: Option<(u32, Standing)> = None;
        tracked.change(&subresources, |index, standing| {
            let state = match standing.now {
                Now::Layout(layouts::COMMON) => Now::Legacy(legacy::State::of(legacy::COMMON)),
                now => now,
            };
            let good = match state {
                Now::Unknown => true,
                Now::Legacy(state) => it.flags & END == 0 && legacy::matches(kind, state, it.before),
                Now::Split { before, after } => it.flags & END != 0 && (before, after) == (it.before, it.after),
                Now::Layout(_) => false,
            };
            if !good && running.is_after(standing.by) {
                wrong.get_or_insert((index, standing));
            }
            let now = match (kind, it.flags & BEGIN != 0) {
                (Kind::Structure | Kind::Upload | Kind::Readback, _) => return standing,
                (_, true) => Now::Split { before: it.before, after: it.after },
                (_, false) => Now::Legacy(legacy::State::of(it.after)),
            };
            Standing { now, ..place_of }
        });
        if let Some((index, standing)) = wrong {
            before_state::wrong(self.scene, place, it, (kind, shape, index), standing);
        }
    }

    fn layout(&mut self, barrier: &Enhanced) {
        let resource = barrier.resource;
        self.hazards.barrier(resource);
        let (place, place_of, running) = (self.place, self.standing(Now::Unknown), self.running);
        let Some(tracked) = self.world.resources.get_mut(&resource) else { return };
        self.world.touched.insert(resource);
        let subresources = layout::subresources(barrier, tracked.shape);
        if barrier.discards {
            initialised::fill_one(tracked, &subresources);
        }
        let [before, after] = barrier.layouts.unwrap_or([layouts::UNDEFINED; 2]);
        // Simultaneous access textures have no layout but common, and two undefined layouts change nothing.
        if tracked.kind != Kind::Texture || (before, after) == (layouts::UNDEFINED, layouts::UNDEFINED) {
            return;
        }
        if let Some(firsts) = &mut self.world.firsts {
            firsts.suppose(resource, tracked, &subresources, |supposed| {
                supposed.moves(standing::Standing::Layout(before))
            });
        }
        let begins = barrier.sync[1] & layouts::SPLIT != 0;
        let shape = tracked.shape;
        let mut wrong: Option<(u32, Standing)> = None;
        tracked.change(&subresources, |index, standing| {
            let good = match standing.now {
                _ if before == layouts::UNDEFINED => true,
                Now::Unknown => true,
                Now::Legacy(state) => (state.bits == legacy::COMMON || state.promoted) && before == layouts::COMMON,
                Now::Layout(layout) => layout == before,
                Now::Split { .. } => false,
            };
            if !good && running.is_after(standing.by) {
                wrong.get_or_insert((index, standing));
            }
            // The second half of a split barrier changes the layout.
            if begins { standing } else { Standing { now: Now::Layout(after), ..place_of } }
        });
        if let Some((index, standing)) = wrong {
            layout::wrong_before(self.scene, place, resource, (shape, index), standing, before);
        }
    }

    /// An enhanced barrier of buffers: what they were promoted to is over.
    fn flush(&mut self, resource: u32) {
        self.hazards.barrier(resource);
        let touched: Vec<u32> = match resource {
            0 => self.world.touched.iter().copied().collect(),
            one => vec![one],
        };
        for resource in touched {
            let Some(tracked) = self.world.resources.get_mut(&resource) else { continue };
            if matches!(tracked.kind, Kind::Buffer | Kind::Simultaneous) {
                tracked.change(&Subresources::All, |_, standing| match standing.now {
                    Now::Legacy(state) if state.promoted => {
                        Standing { now: Now::Legacy(legacy::State::of(legacy::COMMON)), ..standing }
                    }
                    _ => standing,
                });
            }
        }
    }
}
