//! Queues and fences: submissions of an empty list, signals, and a round trip through the GPU.

use super::{Operation, WIN64};
use crate::call;
use crate::com::{iid, slot};
use crate::make::{Maker, check};
use crate::stage::Stage;
use anyhow::Result;
use core::cell::Cell;
use core::ffi::c_void;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::D3D12_COMMAND_QUEUE_DESC;
use std::rc::Rc;

/// A queue, a fence that it signals, and an empty list that is closed.
#[derive(Clone)]
pub(crate) struct Queue {
    queue: *mut c_void,
    fence: *mut c_void,
    list: *mut c_void,
    execute: usize,
    signal: usize,
    event: usize,
    completed: usize,
    /// The last value signalled.
    value: Rc<Cell<u64>>,
}

impl Queue {
    pub(crate) unsafe fn new(stage: &Stage, make: &Maker<WIN64>) -> Result<Queue> {
        let desc = D3D12_COMMAND_QUEUE_DESC::default();
        let (mut queue, mut fence) = (core::ptr::null_mut(), core::ptr::null_mut());
        // SAFETY: by the caller's promise; everything pointed to is ours.
        unsafe {
            let id = iid("ID3D12CommandQueue")?;
            let code = call!(WIN64, make.device, slot("ID3D12Device", "CreateCommandQueue")?,
                (*const D3D12_COMMAND_QUEUE_DESC, *const Guid, *mut *mut c_void) -> i32,
                (&raw const desc, &raw const id, &raw mut queue));
            check("CreateCommandQueue", code)?;
            let id = iid("ID3D12Fence")?;
            let code = call!(WIN64, make.device, slot("ID3D12Device", "CreateFence")?,
                (u64, u32, *const Guid, *mut *mut c_void) -> i32, (0, 0, &raw const id, &raw mut fence));
            check("CreateFence", code)?;
            let allocator = make.create("CreateCommandAllocator", "ID3D12CommandAllocator", 0)?;
            let list = make.list(allocator, core::ptr::null_mut())?;
            check("Close", call!(WIN64, list, stage.slots.close, () -> i32, ()))?;
            Ok(Queue {
                queue,
                fence,
                list,
                execute: slot("ID3D12CommandQueue", "ExecuteCommandLists")?,
                signal: slot("ID3D12CommandQueue", "Signal")?,
                event: slot("ID3D12Fence", "SetEventOnCompletion")?,
                completed: slot("ID3D12Fence", "GetCompletedValue")?,
                value: Rc::default(),
            })
        }
    }

    /// The queue itself.
    pub(super) fn pointer(&self) -> *mut c_void {
        self.queue
    }

    /// Waits until everything is done.
    pub(super) fn idle(&self) {
        self.signal();
        self.wait();
    }

    fn execute(&self) {
        self.execute_list(self.list);
    }

    fn execute_list(&self, list: *mut c_void) {
        // SAFETY: a closed list.
        unsafe {
            call!(WIN64, self.queue, self.execute, (u32, *const *mut c_void) -> (), (1, &raw const list));
        }
    }

    /// Runs a closed list, and waits.
    pub(crate) fn run(&self, list: *mut c_void) {
        self.execute_list(list);
        self.signal();
        self.wait();
    }

    fn signal(&self) {
        let value = self.value.get() + 1;
        self.value.set(value);
        // SAFETY: a fence of the device.
        unsafe { call!(WIN64, self.queue, self.signal, (*mut c_void, u64) -> i32, (self.fence, value)) };
    }

    /// Blocks until the last value is there.
    fn wait(&self) {
        // SAFETY: a null event blocks.
        unsafe {
            call!(WIN64, self.fence, self.event, (u64, *mut c_void) -> i32, (self.value.get(), core::ptr::null_mut()));
        }
    }
}

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    // SAFETY: a System V runtime's device, by the caller's promise.
    let queue = unsafe { Queue::new(stage, make)? };
    let idle = {
        let queue = queue.clone();
        move || queue.idle()
    };
    let rounds = |run: fn(&Queue)| {
        let queue = queue.clone();
        move |number| (0..number).for_each(|_| run(&queue))
    };
    let (all_threads, caller) = (200, 200);
    Ok(vec![
        Operation::new("ExecuteCommandLists of an empty list, caller", caller, rounds(Queue::execute))
            .after(idle.clone()),
        Operation::new("ExecuteCommandLists + Signal + wait, caller", caller, rounds(trip)).after(idle.clone()),
        Operation::new("ExecuteCommandLists + Signal + wait, all threads", all_threads, rounds(trip))
            .after(idle.clone())
            .of_all_threads(),
        Operation::new("Signal + wait, all threads", all_threads, rounds(signalled)).after(idle).of_all_threads(),
        Operation::new(
            "GetCompletedValue",
            20_000,
            rounds(|queue| {
                // SAFETY: a fence.
                core::hint::black_box(unsafe { call!(WIN64, queue.fence, queue.completed, () -> u64, ()) });
            }),
        ),
    ])
}

fn trip(queue: &Queue) {
    queue.execute();
    signalled(queue);
}

fn signalled(queue: &Queue) {
    queue.signal();
    queue.wait();
}
