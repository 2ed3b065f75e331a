//! Acceleration structures: small ones by the thousand and one of 10,000 instances, recorded, and recorded and built.

use super::{Operation, WIN64};
use crate::call;
use crate::com::slot;
use crate::make::{Maker, check};
use crate::operation::queue::Queue;
use crate::stage::Stage;
use D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE as Level;
use anyhow::{Context, Result};
use core::ffi::c_void;
use reprise_d3d12::description;
use reprise_d3d12::types::*;

const INSTANCES: u32 = 10_000;
/// Builds of a list that is recorded only.
const BUILDS: u32 = 1_000;

type Inputs = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS;
type Build = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC;

/// Three corners at the start of the stage's buffer, as a geometry.
fn triangle(stage: &Stage) -> D3D12_RAYTRACING_GEOMETRY_DESC {
    let triangles = D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC {
        VertexFormat: DXGI_FORMAT::FORMAT_R32G32B32_FLOAT,
        VertexCount: 3,
        VertexBuffer: D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE { StartAddress: stage.address, StrideInBytes: 12 },
        ..Default::default()
    };
    D3D12_RAYTRACING_GEOMETRY_DESC {
        Type: D3D12_RAYTRACING_GEOMETRY_TYPE::TRIANGLES,
        Flags: D3D12_RAYTRACING_GEOMETRY_FLAGS::OPAQUE,
        Anonymous: D3D12_RAYTRACING_GEOMETRY_DESC_2 { Triangles: triangles },
    }
}

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    // SAFETY: a runtime's device, by the caller's promise; so below.
    let options = unsafe { make.feature::<D3D12_FEATURE_DATA_D3D12_OPTIONS5>(D3D12_FEATURE::D3D12_OPTIONS5)? };
    if options.is_none_or(|options| options.RaytracingTier < D3D12_RAYTRACING_TIER::TIER_1_0) {
        return Ok(Vec::new());
    }
    let make = *make;
    // SAFETY: the runtime's own device.
    let device = unsafe { make.query(make.device, "ID3D12Device5")? }.context("the device has no ID3D12Device5")?;
    let ask = slot("ID3D12Device5", "GetRaytracingAccelerationStructurePrebuildInfo")?;
    // A build with buffers of the size that it needs.
    let plan = |inputs: Inputs| -> Result<Build> {
        let mut sizes = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO::default();
        // SAFETY: the inputs lie in memory of ours and of the device.
        unsafe {
            call!(WIN64, device, ask, (*const Inputs, *mut D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO) -> (),
                (&raw const inputs, &raw mut sizes));
            Ok(Build {
                DestAccelerationStructureData: buffer(&make, sizes.ResultDataMaxSizeInBytes, true)?,
                ScratchAccelerationStructureData: buffer(&make, sizes.ScratchDataSizeInBytes, false)?,
                Inputs: inputs,
                ..Default::default()
            })
        }
    };
    let geometry: &'static _ = Box::leak(Box::new(triangle(stage)));
    let mut bottom = Inputs { Type: Level::BOTTOM_LEVEL, NumDescs: 1, ..Default::default() };
    bottom.Anonymous.pGeometryDescs = geometry;
    let bottom = plan(bottom)?;
    // SAFETY: objects of one device; the mapped bytes are as many as there are instances.
    let (instances, list, queue) = unsafe {
        let size = u64::from(INSTANCES) * size_of::<D3D12_RAYTRACING_INSTANCE_DESC>() as u64;
        let upload = make.resource(2, &crate::make::buffer_desc(size))?;
        let mut at: *mut D3D12_RAYTRACING_INSTANCE_DESC = core::ptr::null_mut();
        let code = call!(WIN64, upload, slot("ID3D12Resource", "Map")?,
            (u32, *const c_void, *mut *mut D3D12_RAYTRACING_INSTANCE_DESC) -> i32, (0, core::ptr::null(), &raw mut at));
        check("Map", code)?;
        for i in 0..INSTANCES {
            let (x, y) = ((i % 100) as f32, (i / 100) as f32);
            at.add(i as usize).write(D3D12_RAYTRACING_INSTANCE_DESC {
                Transform: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, 0.0]],
                _bitfield1: 0xff00_0000 | i,
                AccelerationStructure: bottom.DestAccelerationStructureData,
                ..Default::default()
            });
        }
        let list = make.query(stage.list, "ID3D12GraphicsCommandList4")?.context("lists have no version 4")?;
        (make.address(upload)?, list, Queue::new(stage, &make)?)
    };
    let mut top = Inputs { Type: Level::TOP_LEVEL, NumDescs: INSTANCES, ..Default::default() };
    top.Anonymous.InstanceDescs = instances;
    let top = plan(top)?;
    let record = slot("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure")?;
    let build = move |desc: &Build| {
        // SAFETY: the list is open; the addresses are of buffers of this device.
        unsafe {
            call!(WIN64, list, record, (*const Build, u32, *const c_void) -> (), (desc, 0, core::ptr::null()));
        }
    };
    // SAFETY: the list is closed or open, its allocator not in use.
    let begin = move || unsafe { stage.begin::<WIN64>() };
    let (close, all_at) = (stage.slots.close, queue.clone());
    let run = move |desc: Build| {
        let queue = all_at.clone();
        move |number: u32| {
            for _ in 0..number {
                begin();
                build(&desc);
                // SAFETY: the list is open.
                unsafe { call!(WIN64, stage.list, close, () -> i32, ()) };
                queue.run(stage.list);
            }
        }
    };
    run(bottom)(1);
    // A library may keep builds and give all of them to Vulkan when the list closes.
    let recorded = move |name, desc: Build| {
        Operation::new(name, BUILDS, move |number| {
            begin();
            (0..number).for_each(|_| build(&desc));
            // SAFETY: the list is open.
            unsafe { call!(WIN64, stage.list, close, () -> i32, ()) };
        })
    };
    Ok(vec![
        recorded("BuildRaytracingAccelerationStructure of a triangle, recorded", bottom),
        recorded("BuildRaytracingAccelerationStructure of 10,000 instances, recorded", top),
        Operation::new("10,000 instances: recorded, built, waited for, all threads", 4, run(top))
            .after(begin)
            .of_all_threads(),
    ])
}

/// The address of a new buffer in the GPU's memory: one for a structure, or one that builds use for a while.
unsafe fn buffer(make: &Maker<WIN64>, bytes: u64, structure: bool) -> Result<u64> {
    use D3D12_RESOURCE_STATES as State;
    let desc = description::buffer(bytes.max(256), D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS);
    let state = if structure { State::RAYTRACING_ACCELERATION_STRUCTURE } else { State::UNORDERED_ACCESS };
    // SAFETY: by the caller's promise.
    unsafe { make.address(make.resource_in(1, &desc, state)?) }
}
