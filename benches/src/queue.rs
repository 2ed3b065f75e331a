//! A queue of a measured program, whose work can be waited for.

use crate::call;
use crate::com::{WIN64, iid, slot};
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
    pub(crate) fence: *mut c_void,
    list: *mut c_void,
    execute: usize,
    signal: usize,
    event: usize,
    pub(crate) completed: usize,
    /// The last value signalled.
    value: Rc<Cell<u64>>,
}

impl Queue {
    /// Makes all three.
    ///
    /// # Errors
    /// A call failed.
    ///
    /// # Safety
    /// As [`Maker::new`]; the stage and `make` are of one device.
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
    pub(crate) fn pointer(&self) -> *mut c_void {
        self.queue
    }

    /// Waits until everything is done.
    pub(crate) fn idle(&self) {
        self.signal();
        self.wait();
    }

    /// Runs the empty list.
    pub(crate) fn execute(&self) {
        self.execute_list(self.list);
    }

    fn execute_list(&self, list: *mut c_void) {
        self.execute_lists(&[list]);
    }

    fn execute_lists(&self, lists: &[*mut c_void]) {
        // SAFETY: closed lists.
        unsafe {
            call!(WIN64, self.queue, self.execute, (u32, *const *mut c_void) -> (), (lists.len() as u32, lists.as_ptr()));
        }
    }

    /// Runs a closed list, and waits.
    pub(crate) fn run(&self, list: *mut c_void) {
        self.run_all(&[list]);
    }

    /// Runs closed lists with one call, and waits.
    pub(crate) fn run_all(&self, lists: &[*mut c_void]) {
        self.execute_lists(lists);
        self.signal();
        self.wait();
    }

    /// Signals the next value.
    pub(crate) fn signal(&self) {
        let value = self.value.get() + 1;
        self.value.set(value);
        // SAFETY: a fence of the device.
        unsafe { call!(WIN64, self.queue, self.signal, (*mut c_void, u64) -> i32, (self.fence, value)) };
    }

    /// Blocks until the last value is there.
    pub(crate) fn wait(&self) {
        // SAFETY: a null event blocks.
        unsafe {
            call!(WIN64, self.fence, self.event, (u64, *mut c_void) -> i32, (self.value.get(), core::ptr::null_mut()));
        }
    }
}
