//! The measured calls: the draw mix, and light calls one kind at a time.
//!
//! *Draw mix* ("D3D-draw"): per frame one command list of 10,000 times `CopyDescriptorsSimple` of one CBV,
//! `SetGraphicsRoot32BitConstants` of four values, `SetGraphicsRootDescriptorTable`, `DrawInstanced(3, 1)`; recorded and
//! never executed, so that the driver's execution is not in the figures. Setting the list up is not measured.
//!
//! *Lists*: the same number of calls in eight lists with allocators of their own, one after another: `SetPipelineState`, the
//! constants, the table, the draw. Descriptors stay as they are.

use crate::call;
use crate::clock;
use crate::stage::{DESCRIPTORS, Stage};
use core::ffi::c_void;
use reprise_d3d12::types::*;

/// Draws per frame.
pub const DRAWS: u32 = 10_000;
/// Calls per frame that are measured.
pub const CALLS: u32 = DRAWS * 4;

/// Lists of the mix of lists.
pub const LISTS: u32 = 8;

/// An allocator and a list that records into it.
pub type Recording = (*mut c_void, *mut c_void);

impl Stage {
    /// Starts the list over and sets what draws need.
    ///
    /// # Safety
    /// The stage is of this convention.
    pub unsafe fn begin<const WIN64: bool>(&self) {
        // SAFETY: passed on; both are the stage's own.
        unsafe { self.begin_in::<WIN64>((self.allocator, self.list)) }
    }

    /// Starts a list over and sets what draws need.
    ///
    /// # Safety
    /// As for [`Stage::begin`]; the list is open and of this stage's device.
    pub unsafe fn begin_in<const WIN64: bool>(&self, (allocator, list): Recording) {
        let slots = &self.slots;
        // SAFETY: calls of the API, on live objects.
        unsafe {
            call!(WIN64, list, slots.close, () -> i32, ());
            call!(WIN64, allocator, slots.allocator_reset, () -> i32, ());
            self.open::<WIN64>((allocator, list));
        }
    }

    /// Opens a list and sets what draws need.
    ///
    /// # Safety
    /// As for [`Stage::begin`]; the list is closed and of this stage's device, and no other one records into the allocator.
    pub unsafe fn open<const WIN64: bool>(&self, (allocator, list): Recording) {
        let slots = &self.slots;
        let viewport = D3D12_VIEWPORT { Width: 16.0, Height: 16.0, MaxDepth: 1.0, ..Default::default() };
        let scissor = RECT { left: 0, top: 0, right: 16, bottom: 16 };
        // SAFETY: calls of the API, on live objects.
        unsafe {
            call!(WIN64, list, slots.reset, (*mut c_void, *mut c_void) -> i32, (allocator, self.pipeline));
            call!(WIN64, list, slots.heaps, (u32, *const *mut c_void) -> (), (1, &raw const self.heap));
            call!(WIN64, list, slots.root_signature, (*mut c_void) -> (), (self.root_signature));
            call!(WIN64, list, slots.targets, (u32, *const u64, i32, *const u64) -> (),
                (1, &raw const self.target, 0, core::ptr::null()));
            call!(WIN64, list, slots.viewports, (u32, *const D3D12_VIEWPORT) -> (), (1, &raw const viewport));
            call!(WIN64, list, slots.scissors, (u32, *const RECT) -> (), (1, &raw const scissor));
            call!(WIN64, list, slots.topology, (i32) -> (), (4));
        }
    }

    /// Records one frame of the draw mix and gives the thread's CPU time for it, in nanoseconds.
    ///
    /// # Safety
    /// The stage is of this convention, and [`Stage::begin`] was called.
    pub unsafe fn draws<const WIN64: bool>(&self, frame: u32) -> u64 {
        let (list, device, slots) = (self.list, self.device, &self.slots);
        let before = clock::thread();
        for draw in 0..DRAWS {
            let at = u64::from(frame.wrapping_mul(DRAWS).wrapping_add(draw) % DESCRIPTORS) * self.increment;
            let constants = [draw, frame, draw ^ frame, 7];
            // SAFETY: calls of the API, on live objects.
            unsafe {
                call!(WIN64, device, slots.copy_simple, (u32, u64, u64, i32) -> (), (1, self.cpu + at, self.source + at, 0));
                call!(WIN64, list, slots.constants, (u32, u32, *const u32, u32) -> (), (1, 4, constants.as_ptr(), 0));
                call!(WIN64, list, slots.table, (u32, u64) -> (), (0, self.gpu + at));
                call!(WIN64, list, slots.draw, (u32, u32, u32, u32) -> (), (3, 1, 0, 0));
            }
        }
        clock::passed(before, clock::thread())
    }

    /// Records one frame of the mix of lists, each of which is begun first.
    ///
    /// # Safety
    /// As for [`Stage::begin_in`].
    pub unsafe fn lists<const WIN64: bool>(&self, lists: &[Recording], frame: u32) {
        let slots = &self.slots;
        for &recording in lists {
            // SAFETY: the caller passes lists of this convention, whose allocators are not in use.
            unsafe { self.begin_in::<WIN64>(recording) };
            for draw in 0..DRAWS / LISTS {
                let at = u64::from(draw % DESCRIPTORS) * self.increment;
                let constants = [draw, frame, draw ^ frame, 7];
                let list = recording.1;
                // SAFETY: calls of the API, on live objects.
                unsafe {
                    call!(WIN64, list, slots.pipeline, (*mut c_void) -> (), (self.pipeline));
                    call!(WIN64, list, slots.constants, (u32, u32, *const u32, u32) -> (), (1, 4, constants.as_ptr(), 0));
                    call!(WIN64, list, slots.table, (u32, u64) -> (), (0, self.gpu + at));
                    call!(WIN64, list, slots.draw, (u32, u32, u32, u32) -> (), (3, 1, 0, 0));
                }
            }
        }
    }

    /// Light calls by kind: name, and nanoseconds of the thread for `number` of them.
    ///
    /// # Safety
    /// The stage is of this convention, and [`Stage::begin`] was called.
    pub unsafe fn light<const WIN64: bool>(&self, number: u32) -> Vec<(&'static str, u64)> {
        let (list, device, slots) = (self.list, self.device, &self.slots);
        let constants = [1u32, 2, 3, 4];
        let view = D3D12_VERTEX_BUFFER_VIEW { BufferLocation: self.address, SizeInBytes: 4096, StrideInBytes: 16 };
        let mut barrier = D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE(2), ..Default::default() };
        barrier.Anonymous.UAV.pResource = self.buffer;
        let timed = |one: &dyn Fn(u32)| {
            let before = clock::thread();
            for i in 0..number {
                one(i);
            }
            clock::passed(before, clock::thread())
        };
        // SAFETY: calls of the API, on live objects.
        let draw = |_| unsafe { call!(WIN64, list, slots.draw, (u32, u32, u32, u32) -> (), (3, 1, 0, 0)) };
        // SAFETY: a call of the API, on live objects.
        let table = |i: u32| unsafe {
            let at = u64::from(i % DESCRIPTORS) * self.increment;
            call!(WIN64, list, slots.table, (u32, u64) -> (), (0, self.gpu + at));
        };
        // SAFETY: a call of the API, on live objects.
        let set = |_| unsafe {
            call!(WIN64, list, slots.constants, (u32, u32, *const u32, u32) -> (), (1, 4, constants.as_ptr(), 0));
        };
        // SAFETY: a call of the API, on live objects.
        let copy = |i: u32| unsafe {
            let at = u64::from(i % DESCRIPTORS) * self.increment;
            call!(WIN64, device, slots.copy_simple, (u32, u64, u64, i32) -> (), (1, self.cpu + at, self.source + at, 0));
        };
        // SAFETY: a call of the API, on live objects.
        let vertices = |_| unsafe {
            call!(WIN64, list, slots.vertex_buffers, (u32, u32, *const D3D12_VERTEX_BUFFER_VIEW) -> (), (0, 1, &raw const view));
        };
        // SAFETY: a call of the API, on live objects.
        let barriers = |_| unsafe {
            call!(WIN64, list, slots.barrier, (u32, *const D3D12_RESOURCE_BARRIER) -> (), (1, &raw const barrier));
        };
        // SAFETY: a call of the API, on live objects.
        let pipeline = |_| unsafe { call!(WIN64, list, slots.pipeline, (*mut c_void) -> (), (self.pipeline)) };
        vec![
            ("DrawInstanced", timed(&draw)),
            ("SetGraphicsRootDescriptorTable", timed(&table)),
            ("SetGraphicsRoot32BitConstants", timed(&set)),
            ("CopyDescriptorsSimple", timed(&copy)),
            ("IASetVertexBuffers", timed(&vertices)),
            ("ResourceBarrier", timed(&barriers)),
            ("SetPipelineState", timed(&pipeline)),
        ]
    }
}
