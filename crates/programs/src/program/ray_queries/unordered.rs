//! `undefined-builds`: the scene of `ray-queries` without any barrier: between the levels, before the rays, and between builds that share
//! scratch memory. The rays find what they would find behind barriers.

use super::{AFTER, BEFORE, By, Data, Instances, Tracer, compare, slot};
use crate::acceleration::{self, Flags, Info, Inputs, Mode, Structure};
use crate::buffer::{self, Buffer};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::program::Program;
use crate::stage::Stage;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "undefined-builds", about: "acceleration structures without barriers", run };

/// How often everything is done.
const ROUNDS: u32 = 3;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_5)?;
    acceleration::needs_tier(&stage.device, D3D12_RAYTRACING_TIER::TIER_1_1)?;
    let mut digest = Digest::new();
    let mut list = List::direct(&stage.device)?;
    let (data, tracer) = (Data::new(&stage.device)?, Tracer::new(stage)?);
    for _ in 0..ROUNDS {
        scene(stage, &mut list, &data, &tracer, &mut digest)?;
    }
    frames(stage, &mut list, &data, &tracer, &mut digest)?;
    Ok(digest)
}

/// Every build of the scene has the same scratch memory: builds of both levels, an update, a copy and a compaction, each traced at
/// once.
fn scene(stage: &Stage, list: &mut List, data: &Data, tracer: &Tracer, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let flags = acceleration::all(&[Flags::ALLOW_UPDATE, Flags::ALLOW_COMPACTION]);
    let geometries = [data.triangles(0), data.triangles(1)];
    let from_triangles = acceleration::bottom(&geometries[0], flags);
    let shapes = [data.boxes(), data.opaque_box()];
    let from_boxes = acceleration::bottom(&shapes, Flags::PREFER_FAST_BUILD);
    let (triangles, boxes) = (Structure::new(device, &from_triangles)?, Structure::new(device, &from_boxes)?);
    let instances = Instances::new(device, BEFORE, triangles.address(), boxes.address())?;
    let from_instances = instances.inputs(Flags::ALLOW_UPDATE);
    let top = Structure::new(device, &from_instances)?;
    let room = |inputs: &Inputs| {
        let sizes = acceleration::sizes(device, inputs)?;
        Ok::<u64, Failure>(sizes.ScratchDataSizeInBytes.max(sizes.UpdateScratchDataSizeInBytes))
    };
    let bytes = room(&from_triangles)?.max(room(&from_boxes)?).max(room(&from_instances)?);
    let scratch = Buffer::writable(device, bytes)?;
    list.build_at(&from_triangles, triangles.address(), scratch.address, &[])?;
    list.build_at(&from_boxes, boxes.address(), scratch.address, &[])?;
    list.build_at(&from_instances, top.address(), scratch.address, &[])?;
    trace(stage, list, tracer, ("right behind its builds", top.address(), BEFORE), digest)?;

    // Both levels again, and a draw right behind them.
    tracer.heap.structure(slot::SCENE, top.address());
    list.build_at(&from_triangles, triangles.address(), scratch.address, &[])?;
    list.build_at(&from_instances, top.address(), scratch.address, &[])?;
    tracer.draw(stage, list, BEFORE, digest)?;

    // An update, an answer about it, a compact copy of it, and another top level.
    let answers = Buffer::writable(device, 64)?;
    let updates = acceleration::all(&[flags, Flags::PERFORM_UPDATE]);
    let update = acceleration::bottom(&geometries[1], updates);
    list.build_at(&update, triangles.address(), scratch.address, &[(Info::COMPACTED_SIZE, answers.address)])?;
    let copy = Buffer::readback(device, 8)?;
    list.copy_bytes(&copy, 0, &answers, 0, 8);
    stage.queue.run(list)?;
    let compacted = copy.read_u32()?[0].into();
    let within = (1..=triangles.sizes.ResultDataMaxSizeInBytes).contains(&compacted);
    Failure::unless(within, || format!("a compacted size of {compacted} bytes"))?;
    let compact = Buffer::structure(device, compacted)?;
    let instances = Instances::new(device, AFTER, compact.address, boxes.address())?;
    let from_instances = instances.inputs(Flags::PREFER_FAST_TRACE);
    let second = Structure::new(device, &from_instances)?;
    list.build_at(&update, triangles.address(), scratch.address, &[])?;
    list.copy_structure(compact.address, triangles.address(), Mode::COMPACT)?;
    list.build_at(&from_instances, second.address(), scratch.address, &[])?;
    let clone = Buffer::structure(device, second.sizes.ResultDataMaxSizeInBytes)?;
    list.copy_structure(clone.address, second.address(), Mode::CLONE)?;
    trace(stage, list, tracer, ("of a clone", clone.address, AFTER), digest)
}

/// One list changes the triangles and builds the top level anew for each of several dispatches, which must be neither a frame behind nor
/// ahead.
fn frames(stage: &Stage, list: &mut List, data: &Data, tracer: &Tracer, digest: &mut Digest) -> Result<(), Failure> {
    const POSES: [super::Pose; 4] = [BEFORE, AFTER, BEFORE, AFTER];
    let (device, flags) = (&stage.device, Flags::NONE);
    let shapes = [data.boxes(), data.opaque_box()];
    let from_boxes = acceleration::bottom(&shapes, flags);
    let geometries = [data.triangles(0), data.triangles(1)];
    let from_triangles = geometries.each_ref().map(|geometry| acceleration::bottom(geometry, flags));
    let (triangles, boxes) = (Structure::new(device, &from_triangles[0])?, Structure::new(device, &from_boxes)?);
    let of = |pose| Instances::new(device, pose, triangles.address(), boxes.address());
    let instances = [of(BEFORE)?, of(AFTER)?];
    let top = Structure::new(device, &instances[0].inputs(flags))?;
    let each = tracer.results.size;
    let results = Buffer::writable(device, each * POSES.len() as u64)?;
    list.begin_build(&from_boxes, &boxes, &[])?;
    for frame in 0..POSES.len() {
        list.begin_build(&from_triangles[frame % 2], &triangles, &[])?;
        list.begin_build(&instances[frame % 2].inputs(flags), &top, &[])?;
        tracer.dispatch(list, By::Address(top.address()), results.address + each * frame as u64);
    }
    let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
    let got = buffer::fetch(device, &stage.queue, list, &results, state)?.read_u32()?;
    for (frame, (got, pose)) in got.chunks(each as usize / 4).zip(POSES).enumerate() {
        compare(got, &format!("of frame {frame}"), Some(pose), digest)?;
    }
    Ok(())
}

/// Traces rays behind no barrier, and compares what they find.
fn trace(
    stage: &Stage,
    list: &mut List,
    tracer: &Tracer,
    (what, scene, pose): (&str, u64, super::Pose),
    digest: &mut Digest,
) -> Result<(), Failure> {
    tracer.dispatch(list, By::Address(scene), tracer.results.address);
    let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
    let got = buffer::fetch(&stage.device, &stage.queue, list, &tracer.results, state)?.read_u32()?;
    compare(&got, what, Some(pose), digest)
}
