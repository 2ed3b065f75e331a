//! Acceleration structures: small ones by the thousand and one of 10,000 instances, recorded, and recorded and built.

use super::{Operation, WIN64};
use crate::call;
use crate::com::slot;
use crate::make::Maker;
use crate::queue::Queue;
use crate::stage::Stage;
use crate::structures::{Build, Builder, INSTANCES, bottom, instance, top, triangles};
use anyhow::{Context, Result};
use core::ffi::c_void;
use reprise_d3d12::types::D3D12_RAYTRACING_INSTANCE_DESC;

/// Builds of a list that is recorded only.
const BUILDS: u32 = 1_000;

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    // SAFETY: a runtime's device, by the caller's promise; so below.
    let Some(builder) = (unsafe { Builder::new(make)? }) else { return Ok(Vec::new()) };
    // SAFETY: three corners at the start of the stage's buffer.
    let bottom = unsafe { builder.plan(bottom(triangles(stage.address, 1)))? };
    // SAFETY: objects of one device; as many instances are mapped as there are.
    let (top, list, queue) = unsafe {
        let (_, at, address) = builder.mapped::<D3D12_RAYTRACING_INSTANCE_DESC>(2, INSTANCES as usize)?;
        for i in 0..INSTANCES {
            at.add(i as usize).write(instance(i, bottom.DestAccelerationStructureData, 0.0));
        }
        let list = make.query(stage.list, "ID3D12GraphicsCommandList4")?.context("lists have no version 4")?;
        (builder.plan(top(address, INSTANCES))?, list, Queue::new(stage, make)?)
    };
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
