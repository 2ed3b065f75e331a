//! Overlays while the trace plays: pipelines beside the program's, each draw once more for each layer, and the marks when the GPU has made them.

use std::time::Duration;

use reprise_codec::Codec;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_RESOURCE_DIMENSION, DXGI_SAMPLE_DESC, RECT};
use reprise_d3d12::{interface, method};

use super::plan::{Draw, Plan};
use super::surface::Surface;
use crate::awaited::{Awaited, Ended, NOT_THERE, PATIENCE};
use crate::call::open_call::{Enter, OpenCall};
use crate::mesh::words_of_draw;
use crate::opened;
use crate::pipeline_origin::Own;
use crate::pixel::{Draw as Bound, Mark, Marking, marking};
use crate::report::overlay::{Overlay, OverlayCull, OverlayLayer, OverlayWish};
use crate::root_arguments::Dynamic;
use crate::runtime::reference;
use crate::target_sets::{Set, TargetSets};
use crate::world::World;

const LIST: &str = "ID3D12GraphicsCommandList";
const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
const PREDICATE: MethodId = method(LIST, "SetPredication");
const SCISSORS: MethodId = method(LIST, "RSSetScissorRects");
const PIPELINE: MethodId = method(LIST, "SetPipelineState");
/// Scissor rectangles that a list can have.
const MOST_SCISSORS: usize = 16;

/// How far a wish is.
enum Stage {
    /// Its pipelines are not made yet.
    Planned(Box<Draw>),
    Made(Box<Draw>, Marking),
    /// The list has its draws.
    Recorded(Recorded),
    Over(Result<Overlay, String>),
}

/// What the list brings.
struct Recorded {
    list: u32,
    size: (u32, u32, u32),
    /// Of each layer: a texel that has a mark in one of them is reached.
    layers: Vec<Vec<Surface>>,
    /// What the target would have.
    colours: Option<Result<Surface, String>>,
    tests: (bool, bool),
    cull: (OverlayCull, bool),
    notes: Vec<String>,
}

/// Brings the layers of a plan.
pub(crate) struct Painter {
    plan: Plan,
    wishes: Vec<OverlayWish>,
    stages: Vec<Stage>,
    /// Calls that set targets of draws that are wanted.
    kept: Vec<u64>,
    sets: TargetSets,
    /// By wishes.
    waiting: Awaited<Vec<usize>>,
    timeout: Duration,
}

impl Painter {
    pub(crate) fn new(mut plan: Plan, wishes: Vec<OverlayWish>, timeout: Duration) -> Self {
        let draws = std::mem::take(&mut plan.draws);
        let kept = draws.iter().flatten().map(|draw| draw.set).collect();
        let stages = draws.into_iter().map(|draw| match draw {
            Ok(draw) => Stage::Planned(Box::new(draw)),
            Err(reason) => Stage::Over(Err(reason)),
        });
        let (stages, sets) = (stages.collect(), TargetSets::default());
        Self { plan, wishes, stages, kept, sets, waiting: Awaited::default(), timeout }
    }

    /// Everything is there: the replay has no more to play.
    pub(crate) fn is_over(&self) -> bool {
        self.stages.iter().all(|stage| matches!(stage, Stage::Over(_)))
    }

    /// A call was made, and its arguments are still there.
    pub(crate) fn made(&mut self, world: &mut World, codec: &Codec, call: &OpenCall) {
        let Some(called) = &call.called else { return };
        if opened::sets_targets(call.method) && self.kept.contains(&call.number) {
            // Without it the draw has no layers, and says so.
            let _kept = self.sets.keep(world, call, &called.words);
        }
        for wish in self.plan.pipelines.remove(&call.number).unwrap_or_default() {
            let Stage::Planned(draw) = &self.stages[wish] else { continue };
            let pointer = called.given.first().map_or(0, |given| given.pointer);
            let device = match pointer {
                0 => Err("its pipeline was not made".to_owned()),
                pointer => reference::device_of(&world.runtime, pointer),
            };
            let made = device.and_then(|device| {
                let arguments = (&draw.bound.origin, (call.method, called.words.as_slice()));
                // SAFETY: the codec rebuilt the words for this method, and their memory is the call's, which is not over.
                unsafe { marking(&world.runtime, codec, device.pointer(), arguments, &self.wishes[wish]) }
            });
            self.stages[wish] = match made {
                Ok(marking) => Stage::Made(draw.clone(), marking),
                Err(reason) => Stage::Over(Err(reason)),
            };
        }
    }

    /// A call is made next.
    pub(crate) fn before(&mut self, world: &mut World, codec: &Codec, enter: Enter<'_, '_>) {
        if enter.id() == EXECUTE && !self.waiting.is_empty() {
            // Where it runs a list once more, the marks have to be read before. Others may wait for what comes behind it on its queue.
            let lists = enter.submitted(codec);
            let runs = |wish: &usize| matches!(&self.stages[*wish], Stage::Recorded(it) if lists.contains(&it.list));
            let ended = self.waiting.end(&world.runtime, self.timeout, |wishes| wishes.iter().any(runs));
            self.read(world, ended);
        }
        for wish in self.plan.calls.remove(&enter.event.number).unwrap_or_default() {
            self.stages[wish] = match std::mem::replace(&mut self.stages[wish], Stage::Over(Err(String::new()))) {
                Stage::Made(draw, marking) => match self.record(world, enter, &draw, (wish, &marking)) {
                    Ok(recorded) => Stage::Recorded(recorded),
                    Err(reason) => Stage::Over(Err(reason)),
                },
                Stage::Planned(_) => Stage::Over(Err("its pipeline was not made".into())),
                stage => stage,
            };
        }
    }

    /// Call `number` on `object` was made.
    pub(crate) fn after(&mut self, world: &mut World, number: u64, object: u32) {
        if let Some(wishes) = self.plan.submitted.remove(&number) {
            let wishes: Vec<usize> = wishes.into_iter().map(|(wish, _)| wish).collect();
            if let Err((wishes, reason)) = self.waiting.submitted(world, number, object, wishes) {
                wishes.into_iter().for_each(|wish| self.stages[wish] = Stage::Over(Err(reason.clone())));
            }
            let done = self.waiting.done(&world.runtime, PATIENCE);
            self.read(world, done);
        } else if !self.waiting.is_empty() {
            let done = self.waiting.done(&world.runtime, Duration::ZERO);
            self.read(world, done);
        }
    }

    /// Records the draw once more for each layer.
    fn record(
        &mut self,
        world: &mut World,
        enter: Enter<'_, '_>,
        draw: &Draw,
        (wish, marking): (usize, &Marking),
    ) -> Result<Recorded, String> {
        if world.runtime.records_in_order() {
            return Err("this library does not copy descriptors of targets, so they could not be set again".into());
        }
        let targets = self.sets.get(draw.set).ok_or("its targets could not be kept")?;
        let again = Again::of(world, enter, &draw.bound, targets)?;
        let (mut recorded, target) = self.prepare(world, (enter.event.object, again.list), draw, (wish, marking))?;
        // What can fail is behind: from here on the list is changed, and set back.
        again.without_predicate(world, || {
            recorded.layers.iter().flatten().for_each(|surface| surface.clear(&world.runtime, again.list));
            if let Some(Ok(surface)) = &recorded.colours {
                surface.fill(&world.runtime, again.list, target);
            }
        });
        let everywhere = everywhere(recorded.size);
        let scissors = |layer: &OverlayLayer| if layer.scissor { &again.scissors[..] } else { &everywhere };
        let asked = &self.wishes[wish];
        for ((layer, (pipeline, _)), surfaces) in asked.layers.iter().zip(&marking.layers).zip(&recorded.layers) {
            again.draw(world, *pipeline, scissors(layer), surfaces);
        }
        if let (Some(Ok(pipeline)), Some(Ok(surface)), Some(asked)) =
            (&marking.colours, &recorded.colours, asked.colours)
        {
            again.draw(world, *pipeline, scissors(&asked.layer), std::slice::from_ref(surface));
        }
        again.set_back(world);
        if again.predicate.is_some() {
            recorded.notes.push("the draw has a predicate: it reaches nothing where that says so".into());
        }
        Ok(recorded)
    }

    /// Makes what a draw is recorded into: that, and the texture and the subresource that it is beside.
    fn prepare(
        &mut self,
        world: &mut World,
        (id, list): (u32, u64),
        draw: &Draw,
        (wish, marking): (usize, &Marking),
    ) -> Result<(Recorded, (u64, u32)), String> {
        let (resource, part) = draw.target;
        let target = world.pointer(resource, interface("ID3D12Resource"))?;
        let desc = world.resources.get(&resource).ok_or("its target is gone")?.desc;
        let subresource = part.subresource(resource, &desc)?;
        let mip = part.mip.min(31);
        let width = u32::try_from((desc.Width >> mip).max(1)).map_err(|_| "its target is wider than any")?;
        let height = (desc.Height >> mip).max(1);
        let samples = DXGI_SAMPLE_DESC { Count: desc.SampleDesc.Count.max(1), ..desc.SampleDesc };
        let heaps = self.sets.heaps(&world.runtime, list)?;
        let mut surface =
            |mark: Mark, empty| Surface::new(&world.runtime, heaps, (width, height, samples), (mark, empty));
        let layers = marking.layers.iter().map(|(_, mark)| match mark {
            Mark::Blended(_) => Ok(vec![surface(*mark, 1.0)?]),
            // What the shader gives differs from one of the two.
            Mark::Given(..) => Ok(vec![surface(*mark, 1.0)?, surface(*mark, 2.0)?]),
        });
        let layers: Vec<Vec<Surface>> = layers.collect::<Result<_, String>>()?;
        let slot = self.wishes[wish].slot.unwrap_or(0) as usize;
        let colours = marking.colours.as_ref().map(|pipeline| {
            pipeline.as_ref().map_err(Clone::clone)?;
            if desc.Dimension != D3D12_RESOURCE_DIMENSION::TEXTURE2D {
                return Err("only targets of two dimensions are copied for that".to_owned());
            }
            let format = if part.format == 0 { desc.Format.0 as u32 } else { part.format };
            Surface::copy_of(&world.runtime, heaps, &desc, (slot, format), (width, height))
        });
        let recorded = Recorded {
            list: id,
            size: (width, height, samples.Count),
            layers,
            colours,
            tests: marking.tests,
            cull: marking.cull,
            notes: marking.notes.clone(),
        };
        Ok((recorded, (target, subresource)))
    }

    /// Reads the marks of submissions.
    fn read(&mut self, world: &World, all: Vec<Ended<Vec<usize>>>) {
        for Ended { submission, of: wishes, failure } in all {
            for wish in wishes {
                let Stage::Recorded(recorded) = &self.stages[wish] else { continue };
                let read = match failure {
                    Some(failure) => Err(failure.to_owned()),
                    None => recorded.read(world, submission, self.timeout),
                };
                self.stages[wish] = Stage::Over(read);
            }
        }
    }

    /// The replay is at its end: each overlay, or why there is none.
    pub(crate) fn finish(mut self, world: &mut World) -> Vec<Result<Overlay, String>> {
        let ended = self.waiting.end(&world.runtime, self.timeout, |_| true);
        self.read(world, ended);
        let ended = |stage| match stage {
            Stage::Over(over) => over,
            _ => Err(NOT_THERE.to_owned()),
        };
        self.stages.into_iter().map(ended).collect()
    }
}

/// Scissors that let everything of a target through.
fn everywhere((width, height, _): (u32, u32, u32)) -> [RECT; MOST_SCISSORS] {
    let side = |size: u32| i32::try_from(size).unwrap_or(i32::MAX);
    [RECT { left: 0, top: 0, right: side(width), bottom: side(height) }; MOST_SCISSORS]
}

/// The program's draw, and what its list has set there.
struct Again {
    list: u64,
    method: MethodId,
    words: Vec<u64>,
    own: Own,
    dynamic: Dynamic,
    /// Its buffer, offset and operation.
    predicate: Option<[u64; 3]>,
    scissors: Vec<RECT>,
    targets: Set,
}

impl Again {
    fn of(world: &mut World, enter: Enter<'_, '_>, draw: &Bound, targets: Set) -> Result<Self, String> {
        let (id, bound) = (enter.event.object, &draw.bound);
        let predicate = match bound.predication.as_ref().and_then(|set| set.value) {
            Some(it) => {
                Some([world.pointer(it.buffer, interface("ID3D12Resource"))?, it.offset, u64::from(it.operation)])
            }
            None => None,
        };
        let rectangle = |it: &[i32; 4]| RECT { left: it[0], top: it[1], right: it[2], bottom: it[3] };
        let scissors = bound.scissors.as_ref().map(|set| set.value.iter().map(rectangle).collect());
        Ok(Self {
            list: world.pointer(id, interface(LIST))?,
            method: enter.id(),
            words: words_of_draw(world, enter, draw.is_indirect)?,
            own: Own::of(world, id, bound)?,
            dynamic: Dynamic::of(world, id, bound)?,
            predicate,
            scissors: scissors.unwrap_or_default(),
            targets,
        })
    }

    fn call(&self, world: &World, method: MethodId, words: &[u64]) {
        // SAFETY: the list is alive and recording, and is the program's; everything that is set is alive, and arrays are ours. The draw has the
        // arguments that the program's own will have.
        unsafe { world.runtime.call(self.list, method, words) };
    }

    fn without_predicate(&self, world: &World, record: impl FnOnce()) {
        if self.predicate.is_some() {
            self.call(world, PREDICATE, &[0, 0, 0]);
        }
        record();
        if let Some(predicate) = &self.predicate {
            self.call(world, PREDICATE, predicate);
        }
    }

    /// Sets what the draw goes through; setting a pipeline takes what is dynamic.
    fn through(&self, world: &World, set_pipeline: impl FnOnce(), scissors: &[RECT]) {
        self.call(world, SCISSORS, &[scissors.len() as u64, scissors.as_ptr() as u64]);
        set_pipeline();
        self.dynamic.set(world, true);
    }

    /// The draw with another pipeline, once into each surface.
    fn draw(&self, world: &World, pipeline: u64, scissors: &[RECT], surfaces: &[Surface]) {
        self.through(world, || self.call(world, PIPELINE, &[pipeline]), scissors);
        for surface in surfaces {
            surface.set(&world.runtime, self.list, self.targets.depth);
            self.call(world, self.method, &self.words);
        }
    }

    /// As the program had it.
    fn set_back(&self, world: &World) {
        self.targets.again(&world.runtime, self.list);
        self.through(world, || self.own.set(world), &self.scissors);
    }
}

impl Recorded {
    fn read(&self, world: &World, submission: u64, timeout: Duration) -> Result<Overlay, String> {
        let layer = |surfaces: &Vec<Surface>| {
            let mut reached: Vec<bool> = Vec::new();
            for surface in surfaces {
                let marked = surface.read(&world.runtime, timeout)?;
                reached.resize(marked.len(), false);
                reached.iter_mut().zip(marked).for_each(|(reached, marked)| *reached |= marked);
            }
            Ok(reached)
        };
        let layers = self.layers.iter().map(layer).collect::<Result<_, String>>()?;
        let colours = self
            .colours
            .as_ref()
            .map(|surface| surface.as_ref().map_err(Clone::clone)?.texels(&world.runtime, timeout));
        let (width, height, samples) = self.size;
        let (tests_depth, tests_stencil) = self.tests;
        let (cull, counter_clockwise) = self.cull;
        Ok(Overlay {
            submission,
            width,
            height,
            samples,
            tests_depth,
            tests_stencil,
            cull,
            counter_clockwise,
            layers,
            colours,
            notes: self.notes.clone(),
        })
    }
}
