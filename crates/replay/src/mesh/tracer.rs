//! Meshes while the trace plays: pipelines beside the program's, each draw once more, and the vertices when the GPU has made them.

use std::time::Duration;

use reprise_codec::Codec;
use reprise_d3d12::{interface, method};

use super::assembled;
use super::meshlets::Storer;
use super::pipeline::{self, Streamer, Way};
use super::places::Places;
use super::plan::{Draw, Plan};
use super::primitive;
use super::stream::Stream;
use crate::awaited::{Awaited, Ended, NOT_THERE, PATIENCE, UNFINISHED};
use crate::call::open_call::{Enter, OpenCall};
use crate::lone_draw::Swap;
use crate::pipeline_origin::Own;
use crate::report::mesh::{Mesh, MeshStage};
use crate::root_arguments::{Arguments, Dynamic, targets};
use crate::runtime::{Runtime, reference};
use crate::view_mask::ViewMask;
use crate::world::World;

const LIST: &str = "ID3D12GraphicsCommandList";
/// Room for the vertices of a draw whose number only the GPU knows: those of tessellation, geometry shaders and indirect calls.
const UNKNOWN_ROOM: u64 = 128 << 20;
/// Most room for the vertices of any draw.
const MOST_ROOM: u64 = 1 << 30;

/// How far a wish is.
enum Stage {
    /// Its pipeline is not made yet.
    Planned(Box<Draw>),
    Made(Box<Draw>, Way),
    /// The list has its draw.
    Recorded(Box<Draw>, Recorded),
    Over(Result<Mesh, String>),
}

/// What gives the vertices, and the memory that has them then.
#[derive(Clone)]
enum Recorded {
    Stream(Streamer, Stream),
    Store(Storer, Places),
}

impl Recorded {
    /// Nothing is there from here on.
    fn empty(&self, runtime: &Runtime, timeout: Duration) -> Result<(), String> {
        match self {
            Recorded::Stream(_, stream) => stream.empty(runtime, timeout),
            Recorded::Store(_, places) => places.empty(runtime, timeout),
        }
    }

    fn read(&self, runtime: &Runtime, timeout: Duration, draw: &Draw, submission: u64) -> Result<Mesh, String> {
        match self {
            Recorded::Stream(streamer, stream) => {
                stream.read(runtime, timeout).map(|bytes| mesh(draw, streamer, stream, submission, bytes))
            }
            Recorded::Store(storer, places) => {
                let (bytes, lost) = places.read(runtime, timeout)?;
                let mut notes = storer.notes.clone();
                if draw.groups.is_none() {
                    notes.push("all commands of the indirect call, one behind the other".into());
                }
                if has_predicate(draw) {
                    notes.push(PREDICATED.into());
                }
                Ok(assembled::of(storer.groups(&bytes, lost), notes, submission))
            }
        }
    }
}

/// Brings the meshes of a plan.
pub(crate) struct Tracer {
    plan: Plan,
    stages: Vec<Stage>,
    /// By wishes.
    waiting: Awaited<Vec<usize>>,
    timeout: Duration,
}

impl Tracer {
    pub(crate) fn new(mut plan: Plan, timeout: Duration) -> Self {
        let stages = std::mem::take(&mut plan.draws).into_iter().map(|draw| match draw {
            Ok(draw) => Stage::Planned(Box::new(draw)),
            Err(reason) => Stage::Over(Err(reason)),
        });
        Self { stages: stages.collect(), plan, waiting: Awaited::default(), timeout }
    }

    /// Everything is there: the replay has no more to play.
    pub(crate) fn is_over(&self) -> bool {
        self.stages.iter().all(|stage| matches!(stage, Stage::Over(_)))
    }

    fn fail(&mut self, wish: usize, reason: String) {
        self.stages[wish] = Stage::Over(Err(reason));
    }

    /// A call was made, and its arguments are still there.
    pub(crate) fn made(&mut self, world: &mut World, codec: &Codec, call: &OpenCall) {
        let Some(wishes) = self.plan.pipelines.remove(&call.number) else { return };
        let Some(called) = &call.called else { return };
        for wish in wishes {
            let Stage::Planned(draw) = &self.stages[wish] else { continue };
            let pointer = called.given.first().map_or(0, |given| given.pointer);
            let device = match pointer {
                0 => Err("the pipeline of the draw was not made".to_owned()),
                pointer => reference::device_of(&world.runtime, pointer),
            };
            let made = device.and_then(|device| {
                let arguments = (&draw.origin, (call.method, called.words.as_slice()));
                // SAFETY: the codec rebuilt the words for this method, and their memory is the call's, which is not over.
                unsafe {
                    pipeline::make(&world.runtime, codec, device.pointer(), arguments, (&draw.root, draw.of, draw.view))
                }
            });
            self.stages[wish] = match made {
                Ok(Way::Stream(_)) if draw.topology == 0 => {
                    Stage::Over(Err("no primitive topology is set at the draw".to_owned()))
                }
                Ok(way) => Stage::Made(draw.clone(), way),
                Err(reason) => Stage::Over(Err(reason)),
            };
        }
    }

    /// A call is made next.
    pub(crate) fn before(&mut self, world: &mut World, enter: Enter<'_, '_>) {
        let number = enter.event.number;
        for wish in self.plan.calls.remove(&number).unwrap_or_default() {
            self.stages[wish] = match std::mem::replace(&mut self.stages[wish], Stage::Over(Err(String::new()))) {
                Stage::Made(draw, way) => match self.record(world, enter, &draw, way) {
                    Ok(recorded) => Stage::Recorded(draw, recorded),
                    Err(reason) => Stage::Over(Err(reason)),
                },
                Stage::Planned(_) => Stage::Over(Err("the pipeline of the draw was not made".into())),
                stage => stage,
            };
        }
        let again = self.plan.submitted.get(&number).into_iter().flatten().filter(|(_, ran)| *ran);
        let again: Vec<usize> = again.map(|(wish, _)| *wish).collect();
        for wish in again {
            // What an earlier run of the list left is none of it.
            let Stage::Recorded(_, recorded) = &self.stages[wish] else { continue };
            let recorded = recorded.clone();
            let emptied = match world.drain(self.timeout) {
                true => recorded.empty(&world.runtime, self.timeout),
                false => Err(UNFINISHED.to_owned()),
            };
            if let Err(reason) = emptied {
                self.fail(wish, reason);
            }
        }
    }

    /// Call `number` on `object` was made.
    pub(crate) fn after(&mut self, world: &mut World, number: u64, object: u32) {
        if let Some(wishes) = self.plan.submitted.remove(&number) {
            let wishes: Vec<usize> = wishes.into_iter().map(|(wish, _)| wish).collect();
            if let Err((wishes, reason)) = self.waiting.submitted(world, number, object, wishes) {
                wishes.into_iter().for_each(|wish| self.fail(wish, reason.clone()));
            }
            let done = self.waiting.done(&world.runtime, PATIENCE);
            self.read(world, done);
        } else if !self.waiting.is_empty() {
            let done = self.waiting.done(&world.runtime, Duration::ZERO);
            self.read(world, done);
        }
    }

    /// Records the draw once more.
    fn record(&self, world: &mut World, enter: Enter<'_, '_>, draw: &Draw, way: Way) -> Result<Recorded, String> {
        Ok(match way {
            Way::Stream(streamer) => {
                let stream = self.record_streaming(world, enter, draw, &streamer)?;
                Recorded::Stream(streamer, stream)
            }
            Way::Store(storer) => {
                let places = self.record_storing(world, enter, draw, &storer)?;
                Recorded::Store(storer, places)
            }
        })
    }

    /// Groups of a mesh shader, into places of their own.
    fn record_storing(
        &self,
        world: &mut World,
        enter: Enter<'_, '_>,
        draw: &Draw,
        storer: &Storer,
    ) -> Result<Places, String> {
        let id = enter.event.object;
        let list = world.pointer(id, interface(LIST))?;
        let own = Own::of(world, id, &draw.bound)?;
        let dynamic = Dynamic::of(world, id, &draw.bound)?;
        let (drawing, words) = match &draw.lone {
            Some((lone, _)) => lone.drawn.call(),
            None => (enter.id(), words(world, enter, draw.groups.is_none())?),
        };
        let lone = draw.lone.as_ref().map(|(lone, own)| Swap::of(world, id, (lone, own))).transpose()?;
        let views = ViewMask::of(world, id, &draw.bound, draw.view)?;
        let size = u64::from(storer.layout.bytes.max(1));
        let groups = draw.groups.filter(|_| !storer.layout.parented);
        let count = match groups {
            Some(groups) => groups.into_iter().map(u64::from).product::<u64>().clamp(1, (MOST_ROOM / size).max(1)),
            None => (UNKNOWN_ROOM / size).max(1),
        };
        let device = reference::device_of(&world.runtime, list)?.into_pointer();
        let places = Places::new(&world.runtime, device, storer.control, (count, size), self.timeout)?;
        if let Some(lone) = &lone {
            lone.begin(world);
        }
        if let Some(views) = &views {
            views.begin(world);
        }
        let runtime = &world.runtime;
        // SAFETY: the list is recording, and is the program's; everything that is set is alive. The draw has the root signature and the
        // arguments that the program's own will have.
        unsafe {
            runtime.call(list, method(LIST, "SetPipelineState"), &[storer.pipeline]);
            runtime.call(list, drawing, &words);
        }
        own.set(world);
        dynamic.set(world, true);
        if let Some(views) = &views {
            views.end(world);
        }
        if let Some(lone) = &lone {
            lone.end(world);
        }
        Ok(places)
    }

    /// Vertices, into a buffer of their own.
    fn record_streaming(
        &self,
        world: &mut World,
        enter: Enter<'_, '_>,
        draw: &Draw,
        streamer: &Streamer,
    ) -> Result<Stream, String> {
        let id = enter.event.object;
        let list = world.pointer(id, interface(LIST))?;
        let own = Own::of(world, id, &draw.bound)?;
        let own_root = world.pointer(draw.signature, interface("ID3D12RootSignature"))?;
        let arguments = Arguments::of(world, &draw.bound)?;
        let dynamic = Dynamic::of(world, id, &draw.bound)?;
        let own_targets = targets(world, &draw.bound)?;
        let (drawing, words) = match &draw.lone {
            Some((lone, _)) => lone.drawn.call(),
            None => (enter.id(), words(world, enter, draw.counts.is_none())?),
        };
        let lone = draw.lone.as_ref().map(|(lone, own)| Swap::of(world, id, (lone, own))).transpose()?;
        let views = ViewMask::of(world, id, &draw.bound, draw.view)?;
        let listed = draw.listed().filter(|_| streamer.stage == MeshStage::Vertex);
        let stride = u64::from(streamer.stride);
        let room = match listed {
            // At least a primitive: a buffer of no bytes is none.
            Some((primitive, _, all)) => all.max(u64::from(primitive)).saturating_mul(stride).min(MOST_ROOM),
            None => UNKNOWN_ROOM,
        };
        let device = reference::device_of(&world.runtime, list)?.into_pointer();
        let stream = Stream::new(&world.runtime, device, room, self.timeout)?;
        let view = [stream.view(&world.runtime)];
        let runtime = &world.runtime;
        let of = |name| method(LIST, name);
        if let Some(lone) = &lone {
            lone.begin(world);
        }
        if let Some(views) = &views {
            views.begin(world);
        }
        arguments.set(world, list, streamer.root);
        // SAFETY: the list is recording, and is the program's; everything that is set is alive, arrays are ours. The draw has the
        // arguments that the program's own will have.
        unsafe {
            runtime.call(list, of("SetPipelineState"), &[streamer.pipeline]);
            match draw.instead_of {
                // Points are not cut.
                Some(_) => _ = runtime.call(list, of("IASetPrimitiveTopology"), &[u64::from(draw.topology)]),
                None => dynamic.set(world, false),
            }
            runtime.call(list, of("SOSetTargets"), &[0, 1, view.as_ptr() as u64]);
            runtime.call(list, drawing, &words);
            if let Some(own) = draw.instead_of {
                runtime.call(list, of("IASetPrimitiveTopology"), &[own.into()]);
            }
            runtime.call(list, of("SOSetTargets"), &[0, own_targets.len() as u64, own_targets.as_ptr() as u64]);
        }
        own.set(world);
        dynamic.set(world, true);
        if let Some(views) = &views {
            views.end(world);
        }
        match &lone {
            Some(lone) => lone.end(world),
            None => arguments.set(world, list, own_root),
        }
        Ok(stream)
    }

    /// Reads the vertices of submissions.
    fn read(&mut self, world: &World, all: Vec<Ended<Vec<usize>>>) {
        for Ended { submission, of: wishes, failure } in all {
            for wish in wishes {
                let Stage::Recorded(draw, recorded) = &self.stages[wish] else { continue };
                let read = match failure {
                    Some(failure) => Err(failure.to_owned()),
                    None => recorded.read(&world.runtime, self.timeout, draw, submission),
                };
                self.stages[wish] = Stage::Over(read);
            }
        }
    }

    /// The replay is at its end: each mesh, or why there is none.
    pub(crate) fn finish(mut self, world: &mut World) -> Vec<Result<Mesh, String>> {
        let ended = self.waiting.end(&world.runtime, self.timeout, |_| true);
        self.read(world, ended);
        let ended = |stage| match stage {
            Stage::Over(over) => over,
            _ => Err(NOT_THERE.to_owned()),
        };
        self.stages.into_iter().map(ended).collect()
    }
}

/// The words of the program's draw, or of its indirect call, whose commands change nothing that is bound.
pub(crate) fn words(world: &mut World, enter: Enter<'_, '_>, is_indirect: bool) -> Result<Vec<u64>, String> {
    let number = |name| enter.number(name).ok_or_else(|| format!("{name} of the draw cannot be read"));
    if !is_indirect {
        return enter.method.params.iter().map(|field| number(field.name)).collect();
    }
    let mut object = |name, class| match number(name)? {
        0 => Ok(0),
        id => world.pointer(id as u32, interface(class)),
    };
    Ok(vec![
        object("pCommandSignature", "ID3D12CommandSignature")?,
        number("MaxCommandCount")?,
        object("pArgumentBuffer", "ID3D12Resource")?,
        number("ArgumentBufferOffset")?,
        object("pCountBuffer", "ID3D12Resource")?,
        number("CountBufferOffset")?,
    ])
}

const PREDICATED: &str = "the draw has a predicate: it has no vertices where that says so";

fn has_predicate(draw: &Draw) -> bool {
    draw.bound.predication.is_some_and(|set| set.value.is_some())
}

/// What the buffer has.
fn mesh(draw: &Draw, streamer: &Streamer, stream: &Stream, submission: u64, mut bytes: Vec<u8>) -> Mesh {
    let stride = u64::from(streamer.stride);
    bytes.truncate((bytes.len() as u64 / stride * stride) as usize);
    let vertices = bytes.len() as u64 / stride;
    let of_vertex = streamer.stage == MeshStage::Vertex;
    let listed = draw.listed().filter(|_| of_vertex);
    let primitive = match of_vertex {
        true => primitive::of_topology(draw.topology, 0).map(|(primitive, _)| primitive),
        false => streamer.primitive,
    };
    let mut notes = streamer.notes.clone();
    if of_vertex && primitive::is_strip(draw.topology) || !of_vertex && primitive != Some(1) {
        notes.push("strips come as lists: each primitive has vertices of its own".into());
    }
    if of_vertex && primitive::has_adjacency(draw.topology) {
        notes.push("vertices of adjacent primitives are left out, because no geometry shader reads them".into());
    }
    if draw.counts.is_none() {
        notes.push("all draws of the indirect call, one behind the other".into());
    }
    let predicated = has_predicate(draw);
    if predicated {
        notes.push(PREDICATED.into());
    }
    let wanted = listed.map(|(_, _, all)| all);
    let one = stride * u64::from(primitive.unwrap_or(3));
    let is_full = wanted.is_none_or(|all| vertices < all) && bytes.len() as u64 + one > stream.room;
    if is_full {
        notes.push(format!("the buffer of {} bytes is full: vertices that do not fit are missing", stream.room));
    }
    // Where a strip can be cut, instances differ from what is counted.
    let may_cut = draw.counts.is_some_and(|(_, _, indexed)| indexed) && primitive::is_strip(draw.topology);
    let per_instance = listed.filter(|(_, _, all)| !may_cut && *all == vertices).map(|(_, each, _)| each);
    if !may_cut && !is_full && !predicated && wanted.is_some_and(|all| all != vertices) {
        notes.push(format!("{} vertices were expected", wanted.unwrap_or_default()));
    }
    Mesh {
        submission,
        stage: streamer.stage,
        topology: draw.topology,
        primitive,
        columns: streamer.columns.clone(),
        stride: streamer.stride,
        per_instance,
        bytes,
        notes,
        full: is_full,
        meshlets: None,
    }
}
