//! Changes what lists record, while the trace plays.

use std::collections::HashMap;
use std::time::Duration;

use reprise_codec::Codec;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_SHADER_RESOURCE_VIEW_DESC, RECT};
use reprise_d3d12::{interface, method};

use super::pipeline;
use super::plan::{Change, Draw, Plan};
use super::textures::Texels;
use crate::call::open_call::{Enter, OpenCall};
use crate::report::experiment::{Experiment, ExperimentReport};
use crate::root_arguments::Dynamic;
use crate::runtime::reference;
use crate::world::World;

const LIST: &str = "ID3D12GraphicsCommandList";
const SET_PIPELINE: MethodId = method(LIST, "SetPipelineState");
const SET_SCISSORS: MethodId = method(LIST, "RSSetScissorRects");
const VIEW: MethodId = method("ID3D12Device", "CreateShaderResourceView");

/// Why a call is not made.
pub(crate) const LEFT_OUT: &str = "an experiment leaves it out";

/// Makes the changes of a plan.
pub(crate) struct Experimenter {
    what: Experiment,
    plan: Plan,
    timeout: Duration,
    /// By the call that made the pipeline: the one without what is taken out, where it has that.
    pipelines: HashMap<u64, Result<Option<u64>, String>>,
    texels: Texels,
    /// The frames have begun in which views are changed.
    replaces: bool,
    /// What is set back behind the call that is made.
    open: Option<u64>,
    report: ExperimentReport,
}

impl Experimenter {
    pub(crate) fn new(what: Experiment, mut plan: Plan, timeout: Duration) -> Self {
        let report = ExperimentReport { changed: 0, unchanged: std::mem::take(&mut plan.unchanged) };
        Self {
            what,
            plan,
            timeout,
            pipelines: HashMap::new(),
            texels: Texels::default(),
            replaces: false,
            open: None,
            report,
        }
    }

    /// Whether a call is not to be made.
    pub(crate) fn leaves_out(&mut self, call: u64) -> bool {
        let is_left_out = matches!(self.plan.changes.get(&call), Some(Change::LeftOut));
        self.report.changed += u64::from(is_left_out);
        is_left_out
    }

    /// A call was made, and its arguments are still there.
    pub(crate) fn made(&mut self, world: &mut World, codec: &Codec, call: &OpenCall) {
        let Some(called) = &call.called else { return };
        if self.plan.pipelines.contains(&call.number) {
            let pointer = called.given.first().map_or(0, |given| given.pointer);
            let device = match pointer {
                0 => Err("its pipeline was not made".to_owned()),
                pointer => reference::device_of(&world.runtime, pointer),
            };
            let made = device.and_then(|device| {
                let arguments = (call.method, called.words.as_slice());
                // SAFETY: the codec rebuilt the words for this method, and their memory is the call's, which is not over.
                unsafe { pipeline::make(&world.runtime, codec, device.pointer(), arguments, self.what) }
            });
            self.pipelines.insert(call.number, made);
        }
        if self.replaces
            && call.method == VIEW
            && let &[_, desc, handle] = called.words.as_slice()
        {
            let texture = call.number("pResource").unwrap_or(0) as u32;
            // SAFETY: the codec rebuilt the description, and its memory is the call's, which is not over.
            let desc = (desc != 0).then(|| unsafe { *(desc as *const D3D12_SHADER_RESOURCE_VIEW_DESC) });
            self.replace(world, texture, desc, handle, call.number);
        }
    }

    /// A call is made next.
    pub(crate) fn before(&mut self, world: &mut World, enter: Enter<'_, '_>) {
        let number = enter.place.call;
        if let Some((_, views)) = self.plan.views.take_if(|(first, _)| *first <= number) {
            self.replaces = true;
            if !views.is_empty() && !world.drain(self.timeout) {
                let told = "views that are there before the frames: work before these is not done";
                self.report.unchanged.entry(told.to_owned()).or_default().push(number);
                return;
            }
            for (heap, at, view) in views {
                if let Some(handle) = world.descriptor(heap, at) {
                    self.replace(world, view.resource, view.desc(), handle, view.call);
                }
            }
        }
        let list = enter.event.object;
        let changed = match self.plan.changes.get(&number) {
            Some(Change::Pipeline(draw)) => self.other_pipeline(world, list, draw),
            Some(Change::Scissors(own)) => {
                let one = own.iter().map(|it| [it[0], it[1], it[2].min(it[0] + 1), it[3].min(it[1] + 1)]);
                set_scissors(world, list, one).map(|()| true)
            }
            Some(Change::LeftOut) | None => return,
        };
        match changed {
            Ok(true) => {
                self.report.changed += 1;
                self.open = Some(number);
            }
            Ok(false) => {}
            Err(reason) => self.report.unchanged.entry(reason).or_default().push(number),
        }
    }

    /// Whether the draw that comes next runs another pipeline.
    fn other_pipeline(&self, world: &mut World, list: u32, draw: &Draw) -> Result<bool, String> {
        let other = match self.pipelines.get(&draw.made) {
            Some(Ok(Some(other))) => *other,
            Some(Ok(None)) => return Ok(false),
            Some(Err(reason)) => return Err(format!("draws whose pipeline state cannot be changed: {reason}")),
            None => return Err("draws whose pipeline state was not seen".into()),
        };
        set_pipeline(world, list, other, draw)?;
        Ok(true)
    }

    /// A call was made.
    pub(crate) fn after(&mut self, world: &mut World, enter: Enter<'_, '_>) {
        let number = enter.place.call;
        if self.open.take_if(|open| *open == number).is_none() {
            return;
        }
        let list = enter.event.object;
        let back = match self.plan.changes.get(&number) {
            Some(Change::Pipeline(draw)) => world
                .pointer(draw.pipeline, interface("ID3D12PipelineState"))
                .and_then(|own| set_pipeline(world, list, own, draw)),
            Some(Change::Scissors(own)) => set_scissors(world, list, own.iter().copied()),
            Some(Change::LeftOut) | None => Ok(()),
        };
        if let Err(reason) = back {
            let reason = format!("what was changed could not be set back: {reason}");
            self.report.unchanged.entry(reason).or_default().push(number);
        }
    }

    /// Writes a view of one texel over one of this texture.
    fn replace(
        &mut self,
        world: &mut World,
        texture: u32,
        view: Option<D3D12_SHADER_RESOURCE_VIEW_DESC>,
        handle: u64,
        call: u64,
    ) {
        // What is gone is read by nobody.
        let Ok(pointer) = world.pointer(texture, interface("ID3D12Resource")) else { return };
        let written = match world.resources.get(&texture).map(|resource| resource.desc) {
            None => Err("views of resources whose description is not known".to_owned()),
            Some(desc) => reference::device_of(&world.runtime, pointer).and_then(|device| {
                // SAFETY: both are alive. Everything before the frames is done, and where the program writes a view, nobody reads it.
                unsafe { self.texels.write(&world.runtime, device.pointer(), (pointer, &desc), view, handle) }
            }),
        };
        match written {
            Ok(is_texture) => self.report.changed += u64::from(is_texture),
            Err(reason) => self.report.unchanged.entry(reason).or_default().push(call),
        }
    }

    /// No more calls are made.
    pub(crate) fn finish(mut self) -> ExperimentReport {
        for calls in self.report.unchanged.values_mut() {
            calls.sort_unstable();
            calls.dedup();
        }
        self.report
    }
}

fn set_pipeline(world: &mut World, list: u32, pipeline: u64, draw: &Draw) -> Result<(), String> {
    let pointer = world.pointer(list, interface(LIST))?;
    let dynamic = Dynamic::of(world, list, &draw.bound)?;
    // SAFETY: list and pipeline are alive, and the list is recording: the program records a draw in it.
    unsafe { world.runtime.call(pointer, SET_PIPELINE, &[pipeline]) };
    dynamic.set(world, true);
    Ok(())
}

fn set_scissors(world: &mut World, list: u32, rectangles: impl Iterator<Item = [i32; 4]>) -> Result<(), String> {
    let pointer = world.pointer(list, interface(LIST))?;
    let rectangles: Vec<RECT> =
        rectangles.map(|[left, top, right, bottom]| RECT { left, top, right, bottom }).collect();
    // SAFETY: the list is alive and recording, as above; the rectangles are ours.
    unsafe {
        world.runtime.call(pointer, SET_SCISSORS, &[rectangles.len() as u64, rectangles.as_ptr() as u64]);
    }
    Ok(())
}
