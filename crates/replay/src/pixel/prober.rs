//! Repeats draws while the trace plays: once for each test, with that test and those before it. A query counts the samples of one pixel that
//! pass them.
//!
//! The repeated draws stand right before the program's own draw, in its list, with its targets bound. They write nothing, and what is set for
//! them is set back. Invariant: a draw that is wanted has its counts, or the reason why not.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use reprise_codec::Codec;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_QUERY_HEAP_DESC, D3D12_QUERY_HEAP_TYPE, D3D12_QUERY_TYPE, RECT};
use reprise_d3d12::{MODEL, interface, method};

use super::fragments::{self, Brought, Scratch};
use super::pipeline::{self, Variants, Wanted};
use super::plan::{Draw, Plan};
use crate::awaited::{Awaited, Ended, NOT_THERE, PATIENCE};
use crate::call::open_call::{Enter, OpenCall};
use crate::lone_draw::Swap;
use crate::mesh::words_of_draw;
use crate::opened;
use crate::pipeline_origin::{Key, Own};
use crate::report::pixel::{DrawTests, PixelDraw, PixelDraws, PixelTest, PixelTests};
use crate::root_arguments::Dynamic;
use crate::runtime::reference;
use crate::runtime::replay_objects::{create, mapped, readback_buffer};
use crate::target_sets::TargetSets;
use crate::view_mask::ViewMask;
use crate::world::World;

const LIST: &str = "ID3D12GraphicsCommandList";
const RESET: MethodId = method(LIST, "Reset");
const CLOSE: MethodId = method(LIST, "Close");
const PREDICATE: MethodId = method(LIST, "SetPredication");
const SCISSORS: MethodId = method(LIST, "RSSetScissorRects");
const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
/// Bytes of a count.
const COUNT: u64 = 8;

/// What a query counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    Test(PixelTest),
    /// Front faces, of what is covered.
    Front,
    /// Fragments that the pixel shader does not discard, of those that are covered.
    Shaded,
    /// What is covered in the first instances.
    Instances,
}

/// Instances of a draw that are told apart.
const MOST_INSTANCES: u64 = 64;

/// A draw whose counts the list brings. Pointers are references held.
struct Recorded {
    heap: u64,
    values: u64,
    counted: Vec<Counted>,
    /// Of how many counts each of them is made: [`regions`].
    regions: usize,
    /// As in [`Prober::pipelines`].
    pipeline: (Key, Option<u32>),
    is_outside: bool,
    /// Instances of the draw; `None`: more than are told apart, or only the GPU knows.
    instances: Option<u64>,
    fragments: Result<Brought, String>,
}

/// Probes the draws of a plan.
pub(crate) struct Prober {
    asked: PixelDraws,
    plan: Plan,
    timeout: Duration,
    /// By what the pipeline is made of, and the slot of the target that is looked at.
    pipelines: HashMap<(Key, Option<u32>), Result<Variants, String>>,
    /// By draw.
    recorded: HashMap<u64, Result<Recorded, String>>,
    /// Draws of lists that are not closed yet, and whether the list predicates.
    open: HashMap<u32, (Vec<u64>, bool)>,
    waiting: Awaited<()>,
    submitted: HashSet<u64>,
    tests: PixelTests,
    sets: TargetSets,
    scratch: Scratch,
}

impl Prober {
    pub(crate) fn new(asked: PixelDraws, plan: Plan, timeout: Duration) -> Self {
        Self {
            asked,
            plan,
            timeout,
            pipelines: HashMap::new(),
            recorded: HashMap::new(),
            open: HashMap::new(),
            waiting: Awaited::default(),
            submitted: HashSet::new(),
            tests: PixelTests::new(),
            sets: TargetSets::default(),
            scratch: Scratch::default(),
        }
    }

    /// Everything is there: the replay has no more to play.
    pub(crate) fn is_over(&self) -> bool {
        self.waiting.is_empty() && self.plan.submissions.keys().all(|call| self.submitted.contains(call))
    }

    /// A call was made, and its arguments are still there.
    pub(crate) fn made(&mut self, world: &mut World, codec: &Codec, call: &OpenCall) {
        let Some(called) = &call.called else { return };
        if opened::sets_targets(call.method) && self.plan.sets.contains(&call.number) {
            // Without it, fragments are not told apart, and that is said.
            let _kept = self.sets.keep(world, call, &called.words);
        }
        if call.method == RESET && called.result as u32 as i32 >= 0 {
            // A list whose reset fails keeps what it has.
            self.open.remove(&call.object);
        }
        let Some(pipelines) = self.plan.pipelines.get(&call.number) else { return };
        let pointer = called.given.first().map_or(0, |given| given.pointer);
        let device = match pointer {
            0 => Err("its pipeline was not made".to_owned()),
            pointer => reference::device_of(&world.runtime, pointer),
        };
        for ((key, slot), origin) in pipelines {
            let wanted = if self.asked.coverage_only {
                Wanted::Coverage
            } else {
                Wanted::All { slot: *slot, in_full: self.asked.in_full }
            };
            let made = device.as_ref().map_err(String::clone).and_then(|device| {
                let arguments = (origin, (call.method, called.words.as_slice()));
                // SAFETY: the codec rebuilt the words for this method, and their memory is the call's, which is not over.
                unsafe {
                    let looked_at = (self.asked.sample, self.asked.view.is_some());
                    pipeline::make(&world.runtime, codec, device.pointer(), arguments, looked_at, wanted)
                }
            });
            self.pipelines.insert((key.clone(), *slot), made);
        }
    }

    /// A call is made next.
    pub(crate) fn before(&mut self, world: &mut World, codec: &Codec, enter: Enter<'_, '_>) {
        let list = enter.event.object;
        match enter.id() {
            CLOSE => self.close(world, list),
            PREDICATE => self.open.entry(list).or_default().1 = true,
            EXECUTE if !self.waiting.is_empty() => {
                // It may bring the counts of a list anew.
                if enter.submitted(codec).iter().any(|list| self.plan.lists.contains(list)) {
                    self.end(world);
                }
            }
            _ => {
                let Some(draw) = self.plan.draws.get(&enter.event.number).cloned() else { return };
                let recorded = draw.and_then(|draw| self.record(world, enter, &draw));
                if recorded.is_ok() {
                    self.open.entry(list).or_default().0.push(enter.event.number);
                }
                self.recorded.insert(enter.event.number, recorded);
            }
        }
    }

    /// Call `number` on `object` was made.
    pub(crate) fn after(&mut self, world: &mut World, number: u64, object: u32) {
        if self.plan.submissions.contains_key(&number) {
            self.submitted.insert(number);
            if let Err(((), reason)) = self.waiting.submitted(world, number, object, ()) {
                self.fail(number, &reason);
            }
            let done = self.waiting.done(&world.runtime, PATIENCE);
            self.read_all(world, done);
        } else if !self.waiting.is_empty() {
            let done = self.waiting.done(&world.runtime, Duration::ZERO);
            self.read_all(world, done);
        }
    }

    fn draws_of(&self, submission: u64) -> Vec<PixelDraw> {
        self.plan.submissions.get(&submission).cloned().unwrap_or_default()
    }

    fn fail(&mut self, submission: u64, reason: &str) {
        for draw in self.draws_of(submission) {
            self.tests.insert((submission, draw.call), Err(reason.to_owned()));
        }
    }

    /// Records the draw in all its variants.
    fn record(&mut self, world: &mut World, enter: Enter<'_, '_>, draw: &Draw) -> Result<Recorded, String> {
        let variants =
            self.pipelines.get(&(draw.origin.key(), draw.slot)).ok_or("its pipeline was not seen")?.as_ref()?;
        let id = enter.event.object;
        let list = world.pointer(id, interface(LIST))?;
        let own = Own::of(world, id, &draw.bound)?;
        let dynamic = Dynamic::of(world, id, &draw.bound)?;
        let (drawing, words) = match &draw.lone {
            Some((lone, _)) => lone.drawn.call(),
            None => (enter.id(), words_of_draw(world, enter, draw.is_indirect)?),
        };
        let lone = draw.lone.as_ref().map(|(lone, own)| Swap::of(world, id, (lone, own))).transpose()?;
        let predicate = match draw.bound.predication.as_ref().and_then(|set| set.value) {
            Some(it) => {
                Some([world.pointer(it.buffer, interface("ID3D12Resource"))?, it.offset, u64::from(it.operation)])
            }
            None => None,
        };
        let views = ViewMask::of(world, id, &draw.bound, self.asked.view)?;
        let (regions, is_outside) = regions(draw, self.asked.at, variants.are_multisampled())?;
        let own_scissors = draw.bound.scissors.as_ref().map(|set| set.value.clone()).unwrap_or_default();
        let own_scissors: Vec<RECT> = own_scissors.iter().map(rectangle).collect();
        let stencil = StencilReference::of(world, id, list, draw)?;
        let instances = match MODEL.methods.get(usize::from(drawing.0)).map_or("", |method| method.name) {
            "DrawInstanced" | "DrawIndexedInstanced" if !self.asked.coverage_only => {
                words.get(1).copied().filter(|it| *it <= MOST_INSTANCES)
            }
            _ => None,
        };
        let shaded = variants.singles.as_ref().ok().and_then(|singles| singles.counting);
        let shaded = shaded.map(|counting| (Counted::Shaded, counting));
        let front = variants.front.map(|pipeline| (Counted::Front, pipeline)).into_iter().chain(shaded);
        let tests = variants.tests.iter().map(|(test, pipeline)| (Counted::Test(*test), *pipeline));
        let all: Vec<(Counted, u64)> = front.chain(tests).collect();
        let device = reference::device_of(&world.runtime, list)?;
        let runtime = &world.runtime;
        let parts = instances.map_or(0, |instances| instances.saturating_sub(1));
        let count = (all.len() + usize::from(predicate.is_some()) + parts as usize) * regions.len();
        let desc = D3D12_QUERY_HEAP_DESC { Type: D3D12_QUERY_HEAP_TYPE::OCCLUSION, Count: count as u32, NodeMask: 0 };
        let heap = create(runtime, device.pointer(), "queries", interface("ID3D12QueryHeap"), |iid, out| {
            (method("ID3D12Device", "CreateQueryHeap"), vec![core::ptr::from_ref(&desc) as u64, iid, out])
        })?;
        let values = readback_buffer(runtime, device.pointer(), COUNT * count as u64)?;
        let recorder = Recorder { world, list, enter: drawing, words: &words, heap: heap.pointer(), dynamic: &dynamic };
        let set = draw.bound.targets.as_ref().and_then(|targets| self.sets.get(targets.call));
        let set = set.map(|set| Ok::<_, String>((set, self.sets.heaps(&world.runtime, list)?)));
        // What can fail is behind: from here on the list is changed, and set back.
        let mut counted = Vec::new();
        if let Some(lone) = &lone {
            lone.begin(world);
        }
        if let Some(views) = &views {
            views.begin(world);
        }
        if predicate.is_some() {
            recorder.call(PREDICATE, &[0, 0, 0]);
        }
        let covered = variants.tests.first().map_or(0, |(_, pipeline)| *pipeline);
        for some in 1..=parts {
            let mut words = words.clone();
            words[1] = some;
            Recorder { words: &words, ..recorder }.count(covered, (&regions, false), counted.len());
            counted.push(Counted::Instances);
        }
        let fragments = match (&variants.singles, set) {
            _ if opened::is_closed(&draw.bound) => {
                Err("in a render pass that cannot be opened, fragments are only counted".to_owned())
            }
            _ if world.runtime.records_in_order() => {
                Err("this library does not copy descriptors of targets, so fragments are not shown one by one"
                    .to_owned())
            }
            (Err(reason), _) => Err(reason.clone()),
            (Ok(_), None) => Err("the targets could not be kept, so fragments are not shown one by one".to_owned()),
            (Ok(_), Some(Err(reason))) => Err(reason),
            (Ok(singles), Some(Ok((set, heaps)))) => {
                recorder.scissors(&regions[0].whole);
                let asked = (singles, self.asked.at, self.asked.sample);
                let brought = fragments::record(&world.runtime, list, (&mut self.scratch, heaps), asked, |pipeline| {
                    recorder.call(method(LIST, "SetPipelineState"), &[pipeline]);
                    dynamic.set(world, true);
                    recorder.call(drawing, &words);
                });
                set.again(&world.runtime, list);
                stencil.set(world, list);
                brought
            }
        };
        let mut is_within = false;
        for (what, pipeline) in &all {
            is_within |= *what == Counted::Test(PixelTest::Scissor);
            recorder.count(*pipeline, (&regions, is_within), counted.len());
            counted.push(*what);
        }
        if let (Some(predicate), Some((_, pipeline))) = (predicate, all.last()) {
            recorder.call(PREDICATE, &predicate);
            recorder.count(*pipeline, (&regions, true), counted.len());
            counted.push(Counted::Test(PixelTest::Predicate));
        }
        recorder.scissors(&own_scissors);
        if let Some(views) = &views {
            views.end(world);
        }
        match &lone {
            Some(lone) => lone.end(world),
            None => {
                own.set(world);
                dynamic.set(world, true);
            }
        }
        let (heap, values) = (heap.into_pointer(), values.into_pointer());
        let regions = regions.len();
        Ok(Recorded {
            heap,
            values,
            counted,
            regions,
            pipeline: (draw.origin.key(), draw.slot),
            is_outside,
            instances,
            fragments,
        })
    }

    /// The program closes a list next: its counts go where they can be read.
    fn close(&mut self, world: &mut World, list: u32) {
        let Some((draws, predicates)) = self.open.remove(&list) else { return };
        let Ok(pointer) = world.pointer(list, interface(LIST)) else { return };
        let runtime = &world.runtime;
        if predicates && !draws.is_empty() {
            // SAFETY: the list is alive and recording; what it predicated ends with it.
            unsafe { runtime.call(pointer, PREDICATE, &[0, 0, 0]) };
        }
        for draw in draws {
            let Some(Ok(Recorded { heap, values, counted, regions, .. })) = self.recorded.get(&draw) else { continue };
            const RESOLVE: MethodId = method(LIST, "ResolveQueryData");
            let words = [*heap, D3D12_QUERY_TYPE::OCCLUSION.0 as u64, 0, (counted.len() * regions) as u64, *values, 0];
            // SAFETY: all are alive, the buffer has room, and the list is recording and in no render pass: it is closed next.
            unsafe { runtime.call(pointer, RESOLVE, &words) };
        }
    }

    /// Waits for all submissions and reads their counts: no call may come before that they wait for.
    fn end(&mut self, world: &World) {
        let ended = self.waiting.end(&world.runtime, self.timeout, |()| true);
        self.read_all(world, ended);
    }

    /// Reads the counts of submissions.
    fn read_all(&mut self, world: &World, all: Vec<Ended<()>>) {
        for Ended { submission, failure, .. } in all {
            if let Some(failure) = failure {
                self.fail(submission, failure);
                continue;
            }
            for draw in self.draws_of(submission) {
                let found = self.read(world, &draw);
                self.tests.insert((submission, draw.call), found);
            }
        }
    }

    /// The counts of a draw; its submission is done.
    fn read(&self, world: &World, draw: &PixelDraw) -> Result<DrawTests, String> {
        let recorded = self.recorded.get(&draw.call).ok_or(NOT_THERE)?.as_ref()?;
        let variants = self.pipelines.get(&recorded.pipeline).ok_or(NOT_THERE)?.as_ref()?;
        let bytes = COUNT * (recorded.counted.len() * recorded.regions) as u64;
        let counts: Vec<u64> = mapped(&world.runtime, recorded.values, bytes, |bytes| {
            let counts: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|count| u64::from_le_bytes(*count)).collect();
            Ok(counts.chunks(recorded.regions).map(of_pixel).collect())
        })?;
        let mut tests = DrawTests {
            masked: variants.are_masked(draw.slot, draw.plane),
            is_outside: recorded.is_outside,
            notes: variants.notes.clone(),
            ..DrawTests::default()
        };
        let (mut front, mut shaded, mut prefixes) = (None, None, Vec::new());
        for (counted, count) in recorded.counted.iter().zip(counts) {
            match counted {
                Counted::Test(test) => tests.left.push((*test, count)),
                Counted::Front => front = Some(count),
                Counted::Shaded => shaded = Some(count),
                Counted::Instances => prefixes.push(count),
            }
        }
        let all = tests.left.first().map_or(0, |(_, count)| *count);
        tests.faces = front.map(|front| (front, all.saturating_sub(front)));
        match &recorded.fragments {
            Ok(brought) => {
                let aligned = shaded == Some(all);
                tests.fragments = brought.read(&world.runtime, (all, aligned), (draw.slot, self.timeout))?;
                tests.output_format = brought.format(draw.slot);
                if shaded.is_some_and(|shaded| shaded != all) {
                    tests.notes.push("some are discarded, so what the shader gives is not told by fragment".into());
                }
                if all > tests.fragments.len() as u64 {
                    tests.notes.push(format!("the first {} are shown", tests.fragments.len()));
                }
                if recorded.instances.is_some() {
                    for (number, fragment) in (0..).zip(&mut tests.fragments) {
                        let before = prefixes.iter().take_while(|prefix| **prefix <= number).count();
                        fragment.instance = Some(before as u32);
                    }
                }
            }
            Err(_) if self.asked.coverage_only => {}
            Err(reason) => tests.notes.push(reason.clone()),
        }
        Ok(tests)
    }

    /// The replay is at its end: what was found of each draw, or why nothing was.
    pub(crate) fn finish(mut self, world: &mut World) -> PixelTests {
        self.end(world);
        for draw in &self.asked.draws {
            let reason = self.plan.draws.get(&draw.call).and_then(|planned| planned.as_ref().err());
            let reason = reason.cloned().unwrap_or_else(|| NOT_THERE.to_owned());
            self.tests.entry((draw.submission, draw.call)).or_insert(Err(reason));
        }
        self.tests
    }
}

/// The program's reference of the stencil test.
struct StencilReference {
    /// The list, by the interface that sets it.
    list: u64,
    faces: [u32; 2],
}

impl StencilReference {
    fn of(world: &mut World, id: u32, list: u64, draw: &Draw) -> Result<Self, String> {
        let faces = draw.bound.stencil_ref.as_ref().map_or([0; 2], |set| set.value);
        let list = match faces[0] == faces[1] {
            true => list,
            false => world.pointer(id, interface("ID3D12GraphicsCommandList8"))?,
        };
        Ok(Self { list, faces })
    }

    fn set(&self, world: &World, list: u64) {
        let [front, back] = self.faces.map(u64::from);
        // SAFETY: the list is alive and recording, and has the method.
        unsafe {
            if front == back {
                world.runtime.call(list, method(LIST, "OMSetStencilRef"), &[front]);
            } else {
                let method = method("ID3D12GraphicsCommandList8", "OMSetFrontAndBackStencilRef");
                world.runtime.call(self.list, method, &[front, back]);
            }
        }
    }
}

/// Records calls of replay's own into the program's list.
#[derive(Clone, Copy)]
struct Recorder<'r> {
    world: &'r World,
    list: u64,
    /// The draw, and its arguments.
    enter: MethodId,
    words: &'r [u64],
    heap: u64,
    dynamic: &'r Dynamic,
}

impl Recorder<'_> {
    fn call(&self, method: MethodId, words: &[u64]) {
        // SAFETY: the list is alive and recording; callers name objects that are alive, and words that match the method.
        unsafe { self.world.runtime.call(self.list, method, words) };
    }

    fn scissors(&self, all: &[RECT]) {
        self.call(SCISSORS, &[all.len() as u64, all.as_ptr() as u64]);
    }

    /// Draws with a pipeline, under a query for each region; `is_within`: within the program's scissors. `counted` are counted before.
    fn count(&self, pipeline: u64, (regions, is_within): (&[Region], bool), counted: usize) {
        self.call(method(LIST, "SetPipelineState"), &[pipeline]);
        self.dynamic.set(self.world, true);
        for (index, region) in (counted * regions.len()..).zip(regions) {
            self.scissors(if is_within { &region.within } else { &region.whole });
            let query = [self.heap, D3D12_QUERY_TYPE::OCCLUSION.0 as u64, index as u64];
            self.call(method(LIST, "BeginQuery"), &query);
            self.call(self.enter, self.words);
            self.call(method(LIST, "EndQuery"), &query);
        }
    }
}

/// A part of the target that a count is of, as scissors.
struct Region {
    /// For each viewport.
    whole: Vec<RECT>,
    /// The same within the program's scissors.
    within: Vec<RECT>,
}

/// The parts of the target whose counts [`of_pixel`] makes the pixel's of, and whether all viewports leave the pixel out.
///
/// Of one sample a pixel, the pixel is the only part. Of several, a scissor of one pixel is not enough: lavapipe lets samples of the pixels to the
/// left and above through, where they lie right of or below the middle (`findings/lavapipe-multisample-scissor.sh`). A scissor that begins at the target's corner has no such pixels.
fn regions(draw: &Draw, (x, y): (u32, u32), are_multisampled: bool) -> Result<(Vec<Region>, bool), String> {
    let large = || "the pixel lies where no scissor reaches".to_owned();
    let (x, y) = (i32::try_from(x).map_err(|_| large())?, i32::try_from(y).map_err(|_| large())?);
    let scissors = draw.bound.scissors.as_ref().map_or(&[][..], |set| &set.value);
    let viewports = draw.bound.viewports.as_ref().map_or(&[][..], |set| &set.value);
    let region = |part: RECT| {
        let within = |it: &[i32; 4]| {
            let (left, top) = (it[0].max(part.left), it[1].max(part.top));
            // Nothing is an empty rectangle, and not one that is turned around.
            let (right, bottom) = (it[2].min(part.right).max(left), it[3].min(part.bottom).max(top));
            RECT { left, top, right, bottom }
        };
        let whole = vec![part; scissors.len().max(viewports.len()).clamp(1, 16)];
        Region { whole, within: scissors.iter().map(within).collect() }
    };
    let corner = |right: i32, bottom: i32| region(RECT { left: 0, top: 0, right, bottom });
    let regions = match are_multisampled {
        true => vec![corner(x + 1, y + 1), corner(x, y + 1), corner(x + 1, y), corner(x, y)],
        false => vec![region(RECT { left: x, top: y, right: x + 1, bottom: y + 1 })],
    };
    let middle = (x as f32 + 0.5, y as f32 + 0.5);
    let holds =
        |it: &[f32; 6]| (it[0]..=it[0] + it[2]).contains(&middle.0) && (it[1]..=it[1] + it[3]).contains(&middle.1);
    Ok((regions, !viewports.iter().any(holds)))
}

/// The count of the pixel, from those of [`regions`].
fn of_pixel(counts: &[u64]) -> u64 {
    match counts {
        // What ends with the pixel, less what ends before its column and before its row, of which the corner is taken twice.
        [whole, left, above, corner] => (whole + corner).saturating_sub(left + above),
        counts => counts.first().copied().unwrap_or(0),
    }
}

fn rectangle(it: &[i32; 4]) -> RECT {
    RECT { left: it[0], top: it[1], right: it[2], bottom: it[3] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_a_pixel_is_what_is_in_no_other_region() {
        // Fragments of each pixel of a picture of three columns and two rows; the pixel is the last one.
        let picture = [[5, 1, 2], [7, 3, 4]];
        let sum = |columns: usize, rows: usize| -> u64 { picture[..rows].iter().flat_map(|row| &row[..columns]).sum() };
        assert_eq!(of_pixel(&[sum(3, 2), sum(2, 2), sum(3, 1), sum(2, 1)]), 4);
        assert_eq!(of_pixel(&[6]), 6);
    }
}
