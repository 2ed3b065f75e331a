//! Acceleration structures: small ones by the thousand and one of 10,000 instances, recorded, and recorded and built.

use super::{Operation, WIN64};
use crate::call;
use crate::make::Maker;
use crate::queue::Queue;
use crate::stage::Stage;
use crate::structures::{Build, Structures};
use anyhow::Result;

/// Builds of a list that is recorded only.
const BUILDS: u32 = 1_000;

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    // SAFETY: a runtime's device, by the caller's promise.
    let (structures, queue) = unsafe {
        let Some(structures) = Structures::new(stage, make, Default::default())? else { return Ok(Vec::new()) };
        (structures, Queue::new(stage, make)?)
    };
    let Structures { bottom, top, .. } = structures;
    // SAFETY: the list is open.
    let build = move |desc: &Build| unsafe { structures.build(desc, &[]) };
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
