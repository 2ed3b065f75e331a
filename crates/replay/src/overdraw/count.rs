//! Counting while the trace plays: depth buffers of replay's own, and each draw once more.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use reprise_codec::Codec;
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS, D3D12_CPU_DESCRIPTOR_HANDLE as Handle, D3D12_DEPTH_STENCIL_VIEW_DESC, D3D12_DSV_DIMENSION,
    D3D12_HEAP_TYPE, D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_RESOURCE_DESC, D3D12_RESOURCE_FLAGS,
    D3D12_RESOURCE_STATES as State, D3D12_SUBRESOURCE_FOOTPRINT, DXGI_FORMAT,
};
use reprise_d3d12::{description, interface, method};

use super::pipeline::{self, Traits};
use super::plan::{D24_UNORM_S8_UINT, Draw, Place, Plan};
use crate::call::open_call::{Enter, OpenCall};
use crate::opened::{self, SET_TARGETS};
use crate::report::overdraw::{OverdrawReport, OverdrawTarget};
use crate::resource_dump::stencil_of;
use crate::runtime::Runtime;
use crate::runtime::barrier::{barriers, transition};
use crate::runtime::copy::{self, whole};
use crate::runtime::reference;
use crate::runtime::replay_objects::{self, committed};
use crate::target_sets::TargetSets;
use crate::world::World;

const LIST: &str = "ID3D12GraphicsCommandList";
/// A target of draws, and the depth buffer that they had beside it: its resource, level and slice.
type Key = ([u32; 3], Option<[u32; 3]>);

/// A depth buffer of replay's own, whose stencil counts. Pointers are references held.
struct Depth {
    texture: u64,
    desc: D3D12_RESOURCE_DESC,
    /// Its view.
    view: Handle,
    /// What depth without a stencil goes through.
    between: Option<u64>,
    pitch: u32,
}

/// Counts the draws of a plan.
pub(crate) struct Counter {
    plan: Plan,
    timeout: Duration,
    /// By the call that made the pipeline: what is known of it, and the pipelines that count.
    pipelines: HashMap<u64, Result<(Traits, Vec<u64>), String>>,
    sets: TargetSets,
    depths: HashMap<Key, Depth>,
    /// Counted draws.
    counted: HashMap<u64, Key>,
    report: OverdrawReport,
    /// Why the counts are not those of the frame.
    spoiled: Option<String>,
    is_over: bool,
}

const UNFINISHED: &str = "the queues do not finish; raise --fence-timeout if the device is slow";

impl Counter {
    pub(crate) fn new(mut plan: Plan, timeout: Duration) -> Self {
        let report = OverdrawReport { left_out: std::mem::take(&mut plan.left_out), ..OverdrawReport::default() };
        Self {
            plan,
            timeout,
            pipelines: HashMap::new(),
            sets: TargetSets::default(),
            depths: HashMap::new(),
            counted: HashMap::new(),
            report,
            spoiled: None,
            is_over: false,
        }
    }

    /// Everything is counted: the replay has no more to play.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// A call was made, and its arguments are still there.
    pub(crate) fn made(&mut self, world: &mut World, codec: &Codec, call: &OpenCall) {
        let Some(called) = &call.called else { return };
        if let Some(variants) = self.plan.pipelines.get(&call.number) {
            let pointer = called.given.first().map_or(0, |given| given.pointer);
            let device = match pointer {
                0 => Err("they were not made".to_owned()),
                pointer => reference::device_of(&world.runtime, pointer),
            };
            let made = device.and_then(|device| {
                let runtime = &world.runtime;
                let arguments = (call.method, called.words.as_slice());
                // SAFETY: the codec rebuilt the words for this method, and their memory is the call's, which is not over.
                unsafe { pipeline::make(runtime, codec, device.pointer(), arguments, variants) }
            });
            self.pipelines.insert(call.number, made);
        }
        if opened::sets_targets(call.method) && self.plan.sets.contains(&call.number) {
            // Without it, draws are left out, and say so.
            let _kept = self.sets.keep(world, call, &called.words);
        }
    }

    /// A call is made next: where it is a draw that is counted, it is recorded once more.
    pub(crate) fn before(&mut self, world: &mut World, enter: Enter<'_, '_>) {
        let Some(draw) = self.plan.draws.get(&enter.event.number).cloned() else { return };
        if let Err(reason) = self.count(world, enter, &draw) {
            self.report.left_out.entry(reason).or_default().push(draw.call);
        }
    }

    fn count(&mut self, world: &mut World, enter: Enter<'_, '_>, draw: &Draw) -> Result<(), String> {
        let set = self.sets.get(draw.set).ok_or("draws whose targets could not be kept")?;
        let (traits, made) = match self.pipelines.get(&draw.made).ok_or("draws whose pipeline was not seen")? {
            Ok((traits, made)) => (*traits, made),
            Err(reason) => return Err(format!("draws without a pipeline that counts: {reason}")),
        };
        if traits.writes {
            return Err("draws whose shaders write through unordered views, which would write twice".into());
        }
        if traits.tests_stencil && set.depth.is_some() {
            return Err("draws with a stencil test, which takes the stencil that counts".into());
        }
        let at = self.plan.pipelines.get(&draw.made).and_then(|all| all.iter().position(|it| *it == draw.variant));
        let counting = at.and_then(|at| made.get(at)).copied().ok_or("draws whose pipeline was not seen")?;
        let list = world.pointer(enter.event.object, interface("ID3D12GraphicsCommandList"))?;
        let own = world.pointer(draw.pipeline, interface("ID3D12PipelineState"))?;
        let words: Vec<u64> = enter
            .method
            .params
            .iter()
            .map(|field| enter.number(field.name))
            .collect::<Option<_>>()
            .ok_or("draws whose arguments are no numbers")?;
        let key = key_of(draw).ok_or("draws without targets")?;
        let program = match draw.depth {
            Some((resource, part)) => {
                let pointer = world.pointer(resource, interface("ID3D12Resource"))?;
                let desc = world.resources.get(&resource).ok_or("draws whose depth buffer is gone")?.desc;
                let number = part.subresource(resource, &desc);
                let number =
                    number.map_err(|lacks| format!("draws whose depth buffer is no part of its texture: {lacks}"))?;
                Some((pointer, desc, number))
            }
            None => None,
        };
        if !self.depths.contains_key(&key) {
            let depth = self.depth(world, draw, list)?;
            self.depths.insert(key, depth);
        }
        let depth = self.depths.get(&key).ok_or("no depth")?;
        let runtime = &world.runtime;
        if let Some((pointer, desc, subresource)) = program {
            copy_depth(runtime, list, depth, (pointer, &desc, subresource, State(draw.state)))?;
        }
        let of = |name| method(LIST, name);
        // SAFETY: the list is recording, and is the program's; everything that is set is alive, arrays are ours. The draw has the
        // arguments that the program's own will have.
        unsafe {
            runtime.call(list, SET_TARGETS, &[0, 0, 0, core::ptr::from_ref(&depth.view) as u64]);
            runtime.call(list, of("SetPipelineState"), &[counting]);
            runtime.call(list, enter.id(), &words);
            runtime.call(list, of("SetPipelineState"), &[own]);
        }
        set.again(runtime, list);
        self.counted.insert(draw.call, key);
        Ok(())
    }

    /// A depth buffer as large as the program's, or as its target where it has none.
    fn depth(&mut self, world: &mut World, draw: &Draw, list: u64) -> Result<Depth, String> {
        let (resource, part) = draw.depth.or(draw.colour).ok_or("draws without targets")?;
        let desc = world.resources.get(&resource).ok_or("draws whose target is gone")?.desc;
        let (width, height) = ((desc.Width >> part.mip.min(31)).max(1), (desc.Height >> part.mip.min(31)).max(1));
        let has_stencil = matches!(desc.Format.0 as u32, 19..=22 | 44..=47);
        let through = draw.depth.is_some() && !has_stencil;
        if through && desc.SampleDesc.Count > 1 {
            return Err("draws with several samples and a depth buffer without a stencil".into());
        }
        let view = draw.variant.view;
        let own = D3D12_RESOURCE_DESC {
            Alignment: 0,
            Width: width,
            Height: height,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: DXGI_FORMAT(if view == D24_UNORM_S8_UINT { 44 } else { 19 }),
            Flags: D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL,
            ..desc
        };
        let runtime = &world.runtime;
        let heaps = self.sets.heaps(runtime, list)?;
        let texture = committed(runtime, heaps.device, D3D12_HEAP_TYPE::DEFAULT, &own, State::DEPTH_WRITE)?;
        let pitch = (width as u32 * 4).next_multiple_of(256);
        let between = match through {
            true => {
                let desc = description::buffer(u64::from(pitch) * u64::from(height), D3D12_RESOURCE_FLAGS::default());
                Some(
                    committed(runtime, heaps.device, D3D12_HEAP_TYPE::DEFAULT, &desc, State::COPY_DEST)?.into_pointer(),
                )
            }
            false => None,
        };
        let handle = heaps.take(true, 1)?;
        let several = own.SampleDesc.Count > 1;
        let desc = D3D12_DEPTH_STENCIL_VIEW_DESC {
            Format: DXGI_FORMAT(view as _),
            ViewDimension: if several { D3D12_DSV_DIMENSION::TEXTURE2DMS } else { D3D12_DSV_DIMENSION::TEXTURE2D },
            ..Default::default()
        };
        let words = [texture.pointer(), core::ptr::from_ref(&desc) as u64, handle.ptr];
        // SAFETY: device and texture are alive, the description and the descriptor are ours.
        unsafe { runtime.call(heaps.device, method("ID3D12Device", "CreateDepthStencilView"), &words) };
        let depth = Depth { texture: texture.into_pointer(), desc: own, view: handle, between, pitch };
        clear(runtime, heaps.device, &depth, self.timeout)?;
        Ok(depth)
    }

    /// Forgets what is counted so far.
    fn begin_anew(&mut self, world: &mut World) -> Result<(), String> {
        if !world.drain(self.timeout) {
            return Err(UNFINISHED.to_owned());
        }
        let device = self.sets.made()?.device;
        self.depths.values().try_for_each(|depth| clear(&world.runtime, device, depth, self.timeout))
    }

    /// A frame ended.
    pub(crate) fn frame(&mut self, world: &mut World, number: u64) {
        if number + 1 == self.plan.frame && !self.depths.is_empty() {
            // What lists of this frame drew before is none of it.
            self.spoiled = self.begin_anew(world).err();
        }
        if number == self.plan.frame {
            self.is_over = true;
        }
    }

    /// Reads what was counted.
    pub(crate) fn finish(mut self, world: &mut World) -> Result<OverdrawReport, String> {
        if let Some(reason) = self.spoiled {
            return Err(reason);
        }
        if !world.drain(self.timeout) {
            return Err(UNFINISHED.to_owned());
        }
        let runtime = &world.runtime;
        let mut targets: Vec<OverdrawTarget> = Vec::new();
        let mut done: BTreeMap<Key, usize> = BTreeMap::new();
        for call in &self.plan.order {
            let Some(key) = self.counted.get(call) else { continue };
            if let Some(at) = done.get(key) {
                targets[*at].draws.push(*call);
                continue;
            }
            let Some(depth) = self.depths.get(key) else { continue };
            let counts = stencil_of(runtime, depth.texture, &depth.desc, self.timeout)?;
            let (width, height) = (depth.desc.Width as u32, depth.desc.Height);
            let [resource, mip, slice] = key.0;
            let same = targets.iter().position(|it| {
                (it.resource, it.mip, it.slice, it.width, it.height) == (resource, mip, slice, width, height)
            });
            let at = same.unwrap_or_else(|| {
                let counts = vec![0; counts.len()];
                let samples = depth.desc.SampleDesc.Count.max(1);
                targets.push(OverdrawTarget {
                    resource,
                    mip,
                    slice,
                    width,
                    height,
                    samples,
                    draws: Vec::new(),
                    counts,
                    saturated: 0,
                });
                targets.len() - 1
            });
            let target = &mut targets[at];
            target.saturated += counts.iter().filter(|count| **count == u8::MAX).count() as u64;
            target.counts.iter_mut().zip(&counts).for_each(|(sum, count)| *sum += u32::from(*count));
            target.draws.push(*call);
            done.insert(*key, at);
        }
        self.report.targets = targets;
        Ok(self.report)
    }
}

fn key_of(draw: &Draw) -> Option<Key> {
    let place = |(resource, part): Place| [resource, part.mip, part.slice];
    Some((place(draw.colour.or(draw.depth)?), draw.depth.map(place)))
}

/// Begins to count anew.
fn clear(runtime: &Runtime, device: u64, depth: &Depth, timeout: Duration) -> Result<(), String> {
    replay_objects::run(runtime, device, timeout, |list| {
        let flags = D3D12_CLEAR_FLAGS::DEPTH.0 | D3D12_CLEAR_FLAGS::STENCIL.0;
        let words = [depth.view.ptr, u64::from(flags), u64::from(1f32.to_bits()), 0, 0, 0];
        // SAFETY: the list is recording; the view is ours.
        unsafe { runtime.call(list, method(LIST, "ClearDepthStencilView"), &words) };
        Ok(())
    })
}

/// Copies the program's depth to that of replay's own.
fn copy_depth(
    runtime: &Runtime,
    list: u64,
    depth: &Depth,
    (from, desc, subresource, state): (u64, &D3D12_RESOURCE_DESC, u32, State),
) -> Result<(), String> {
    let placed = |buffer: u64, format: i32| {
        let footprint = D3D12_SUBRESOURCE_FOOTPRINT {
            Format: DXGI_FORMAT(format),
            Width: depth.desc.Width as u32,
            Height: depth.desc.Height,
            Depth: 1,
            RowPitch: depth.pitch,
        };
        copy::placed(buffer, D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: 0, Footprint: footprint })
    };
    let copy = |from, to| copy::copy_texels(runtime, list, from, to);
    let readable = state.0 & State::COPY_SOURCE.0 != 0;
    let own = depth.texture;
    let mut before = vec![transition(own, 0, State::DEPTH_WRITE, State::COPY_DEST)];
    let mut after = vec![transition(own, 0, State::COPY_DEST, State::DEPTH_WRITE)];
    if !readable {
        before.push(transition(from, subresource, state, State::COPY_SOURCE));
        after.push(transition(from, subresource, State::COPY_SOURCE, state));
    }
    barriers(runtime, list, &before);
    match depth.between {
        Some(between) => {
            let typeless = matches!(desc.Format.0, 39);
            copy(whole((from, subresource)), placed(between, if typeless { 39 } else { 41 }));
            barriers(runtime, list, &[transition(between, 0, State::COPY_DEST, State::COPY_SOURCE)]);
            copy(placed(between, 39), whole((own, 0)));
            barriers(runtime, list, &[transition(between, 0, State::COPY_SOURCE, State::COPY_DEST)]);
        }
        None => copy(whole((from, subresource)), whole((own, 0))),
    }
    barriers(runtime, list, &after);
    Ok(())
}
