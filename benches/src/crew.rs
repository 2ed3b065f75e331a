//! The mix of a crew: frames as an engine makes them on eight threads at once, executed.
//!
//! A frame is 200 lists with 20,000 draws, 10,000 descriptor copies and 64 MiB stored to mapped upload memory. Each thread stores its
//! share, copies its descriptors and records 25 lists into its own allocator, one after another: `Reset`, the state, one
//! `CopyBufferRegion` from the upload memory, 100 times the constants, the table and the draw, `Close`. Then the first thread executes
//! all lists with one call, and waits for them. A frame begins when the GPU has done the one before.

use crate::call;
use crate::com::{WIN64, slot};
use crate::make::{self, Maker, check};
use crate::queue::Queue;
use crate::stage::{DESCRIPTORS, Stage};
use anyhow::Result;
use core::ffi::c_void;
use reprise_d3d12::types::D3D12_RANGE;

const THREADS: usize = 8;
/// Lists of a thread.
const LISTS: usize = 25;
/// Draws of a list.
const DRAWS: u32 = 100;
/// Descriptors that a thread copies one by one.
const COPIES: u32 = 1_250;
/// Bytes that a frame stores.
const UPLOAD: u64 = 64 << 20;

/// Calls of a frame that are counted: three a draw, and the descriptors.
pub const CALLS: u32 = THREADS as u32 * (LISTS as u32 * DRAWS * 3 + COPIES);

/// What one thread has.
struct Member {
    number: usize,
    allocator: *mut c_void,
    lists: Vec<*mut c_void>,
    /// Its part of the upload memory.
    memory: *mut [u64],
}

// SAFETY: a device's objects may be used by any thread, and each member's by one at a time.
unsafe impl Send for Member {}

/// A stage that several threads record on.
struct Shared<'s> {
    stage: &'s Stage,
    /// The buffer that is stored to, and the one that lists copy to.
    upload: *mut c_void,
    target: *mut c_void,
    copy: usize,
}

// SAFETY: a device's objects may be used by any thread; the stage's own list is not used.
unsafe impl Sync for Shared<'_> {}

/// Makes so many frames.
///
/// # Errors
/// A call that failed.
///
/// # Safety
/// The stage and `make` are of one device.
pub unsafe fn run(stage: &Stage, make: &Maker<WIN64>, frames: u32) -> Result<()> {
    // SAFETY: all calls follow the API, on objects that they made.
    let (shared, mut crew, queue) = unsafe {
        let upload = make.resource(2, &make::buffer_desc(UPLOAD))?;
        let target = make.resource(1, &make::buffer_desc(UPLOAD))?;
        let mut mapped: *mut c_void = core::ptr::null_mut();
        let map = slot("ID3D12Resource", "Map")?;
        let code = call!(WIN64, upload, map, (u32, *const D3D12_RANGE, *mut *mut c_void) -> i32,
            (0, core::ptr::null(), &raw mut mapped));
        check("Map", code)?;
        let share = UPLOAD as usize / 8 / THREADS;
        let mut crew = Vec::new();
        for number in 0..THREADS {
            let allocator = make.create("CreateCommandAllocator", "ID3D12CommandAllocator", 0)?;
            let mut lists = Vec::new();
            for _ in 0..LISTS {
                let list = make.list(allocator, stage.pipeline)?;
                check("Close", call!(WIN64, list, stage.slots.close, () -> i32, ()))?;
                lists.push(list);
            }
            let memory = core::ptr::slice_from_raw_parts_mut(mapped.cast::<u64>().add(number * share), share);
            crew.push(Member { number, allocator, lists, memory });
        }
        let copy = slot("ID3D12GraphicsCommandList", "CopyBufferRegion")?;
        (Shared { stage, upload, target, copy }, crew, Queue::new(stage, make)?)
    };
    let lists: Vec<*mut c_void> = crew.iter().flat_map(|member| member.lists.iter().copied()).collect();
    for frame in 0..frames {
        std::thread::scope(|scope| {
            for member in &mut crew {
                let shared = &shared;
                // SAFETY: the lists of the frame before are executed, and each member is one thread's.
                scope.spawn(move || unsafe { member.frame(shared, frame) });
            }
        });
        queue.run_all(&lists);
    }
    Ok(())
}

impl Member {
    /// Records the thread's part of a frame.
    ///
    /// # Safety
    /// Nothing of the member is in use.
    unsafe fn frame(&mut self, shared: &Shared<'_>, frame: u32) {
        let (stage, slots) = (shared.stage, &shared.stage.slots);
        // SAFETY: this thread's part of mapped memory that lives as long as the process, which no list reads any more.
        for (at, word) in unsafe { &mut *self.memory }.iter_mut().enumerate() {
            *word = (u64::from(frame) << 32 | at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let number = self.number as u32;
        let descriptor = |at: u32| u64::from((number * COPIES + at) % DESCRIPTORS) * stage.increment;
        // SAFETY: calls of the API, on live objects; the allocator's lists are executed.
        unsafe {
            for at in 0..COPIES {
                let to = descriptor(at);
                let from = descriptor(at.wrapping_add(frame) % COPIES);
                call!(WIN64, stage.device, slots.copy_simple, (u32, u64, u64, i32) -> (),
                    (1, stage.cpu + to, stage.source + from, 0));
            }
            call!(WIN64, self.allocator, slots.allocator_reset, () -> i32, ());
            for (index, &list) in self.lists.iter().enumerate() {
                stage.open::<WIN64>((self.allocator, list));
                let size = (UPLOAD / (THREADS * LISTS) as u64) & !0xff;
                let offset = (self.number * LISTS + index) as u64 * size;
                call!(WIN64, list, shared.copy, (*mut c_void, u64, *mut c_void, u64, u64) -> (),
                    (shared.target, offset, shared.upload, offset, size));
                for draw in 0..DRAWS {
                    let constants = [draw, frame, index as u32, number];
                    let table = stage.gpu + descriptor((index as u32 * DRAWS + draw) % COPIES);
                    call!(WIN64, list, slots.constants, (u32, u32, *const u32, u32) -> (), (1, 4, constants.as_ptr(), 0));
                    call!(WIN64, list, slots.table, (u32, u64) -> (), (0, table));
                    call!(WIN64, list, slots.draw, (u32, u32, u32, u32) -> (), (3, 1, 0, 0));
                }
                call!(WIN64, list, slots.close, () -> i32, ());
            }
        }
    }
}
