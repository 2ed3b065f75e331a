//! Pipelines: made of shaders that the process sees for the first time and of shaders that it has seen, and drawn with for the
//! first time.
//!
//! New vertex shaders differ from one process to the next, too. There are 1024 compute shaders, so give the process an empty cache on
//! disk (`XDG_CACHE_HOME`, and the libraries' own variables) where that counts. Submissions are made and waited for: what a driver leaves for the first draw is in the figure.

use super::{Operation, WIN64};
use crate::call;
use crate::com::slot;
use crate::dxbc;
use crate::make::Maker;
use crate::queue::Queue;
use crate::stage::Stage;
use anyhow::Result;
use core::ffi::c_void;
use reprise_d3d12::types::*;
use std::cell::Cell;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

const RELEASE: usize = 2;
/// New pipelines in a round: a few milliseconds each.
const NEW: u32 = 16;
const KNOWN: u32 = 200;

/// Numbers of shaders, each given out once.
#[derive(Clone)]
struct Numbers(Rc<Cell<u32>>);

impl Numbers {
    fn new() -> Numbers {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
        // Whole numbers below 2^24 are all different as floating point, which is how they get into a shader.
        Numbers(Rc::new(Cell::new(now % (1 << 23))))
    }

    fn next(&self) -> u32 {
        self.0.replace(self.0.get() + 1)
    }
}

fn release(pipeline: *mut c_void) {
    // SAFETY: the only reference to the pipeline, which nothing uses any more.
    unsafe { call!(WIN64, pipeline, RELEASE, () -> u32, ()) };
}

/// A list that draws once with a pipeline, and a queue that runs it.
#[derive(Clone)]
struct Draw {
    stage: &'static Stage,
    queue: Queue,
    allocator: *mut c_void,
    list: *mut c_void,
}

impl Draw {
    /// Records a draw, submits it, and waits.
    fn run(&self, pipeline: *mut c_void) {
        let (slots, list) = (&self.stage.slots, self.list);
        let view = D3D12_VIEWPORT { Width: 16.0, Height: 16.0, MaxDepth: 1.0, ..Default::default() };
        let scissor = [0i32, 0, 16, 16];
        // SAFETY: objects of one device; the queue is done with the list before it begins again.
        unsafe {
            call!(WIN64, self.allocator, slots.allocator_reset, () -> i32, ());
            call!(WIN64, list, slots.reset, (*mut c_void, *mut c_void) -> i32, (self.allocator, pipeline));
            call!(WIN64, list, slots.root_signature, (*mut c_void) -> (), (self.stage.root_signature));
            call!(WIN64, list, slots.targets, (u32, *const u64, i32, *const c_void) -> (),
                (1, &raw const self.stage.target, 0, core::ptr::null()));
            call!(WIN64, list, slots.viewports, (u32, *const D3D12_VIEWPORT) -> (), (1, &raw const view));
            call!(WIN64, list, slots.scissors, (u32, *const i32) -> (), (1, scissor.as_ptr()));
            call!(WIN64, list, slots.topology, (i32) -> (), (4));
            call!(WIN64, list, slots.draw, (u32, u32, u32, u32) -> (), (3, 1, 0, 0));
            call!(WIN64, list, slots.close, () -> i32, ());
        }
        self.queue.run(list);
    }
}

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    let (make, root, numbers) = (*make, stage.root_signature, Numbers::new());
    // SAFETY: a System V runtime's device, by the caller's promise; the objects are its own.
    let draw = unsafe {
        let allocator = make.create("CreateCommandAllocator", "ID3D12CommandAllocator", 0)?;
        let list = make.list(allocator, core::ptr::null_mut())?;
        call!(WIN64, list, slot("ID3D12GraphicsCommandList", "Close")?, () -> i32, ());
        Draw { stage, queue: Queue::new(stage, &make)?, allocator, list }
    };
    let graphics = move |number: u32| {
        // SAFETY: a root signature of the device.
        let made = unsafe { make.pipeline_of(root, false, &dxbc::numbered_shader(number)) };
        made.unwrap_or_else(|error| panic!("a pipeline could not be made: {error}"))
    };
    let compute = move |number: u32| {
        // SAFETY: a root signature of the device.
        let made = unsafe { make.compute_of(root, &dxbc::numbered_compute_shader(number)) };
        made.unwrap_or_else(|error| panic!("a pipeline could not be made: {error}"))
    };
    let (known, known_compute) = (numbers.next(), numbers.next());
    let known_pipeline = graphics(known);
    release(compute(known_compute));
    let new = |name, of: Box<dyn Fn(u32) -> *mut c_void>| {
        let numbers = numbers.clone();
        Operation::new(name, NEW, move |count| (0..count).for_each(|_| release(of(numbers.next())))).of_all_threads()
    };
    let first = {
        let (draw, numbers) = (draw.clone(), numbers.clone());
        move |count| {
            for _ in 0..count {
                let pipeline = graphics(numbers.next());
                draw.run(pipeline);
                release(pipeline);
            }
        }
    };
    Ok(vec![
        new("CreateGraphicsPipelineState + Release, new shader", Box::new(graphics)),
        Operation::new("CreateGraphicsPipelineState + Release, known shader", KNOWN, move |count| {
            (0..count).for_each(|_| release(graphics(known)));
        })
        .of_all_threads(),
        new("CreateComputePipelineState + Release, new shader", Box::new(compute)),
        Operation::new("CreateComputePipelineState + Release, known shader", KNOWN, move |count| {
            (0..count).for_each(|_| release(compute(known_compute)));
        })
        .of_all_threads(),
        Operation::new("new pipeline, its first draw, submit, wait", NEW, first).of_all_threads(),
        Operation::new("draw with a known pipeline, submit, wait", KNOWN, move |count| {
            (0..count).for_each(|_| draw.run(known_pipeline));
        })
        .of_all_threads(),
    ])
}
