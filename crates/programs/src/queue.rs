//! Command queues.

use crate::com::{Com, attempt, call, create};
use crate::device::Device;
use crate::failure::Failure;
use crate::fence::Fence;
use crate::list::List;
use core::cell::Cell;
use core::ffi::c_void;
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE, D3D12_COMMAND_QUEUE_DESC};

/// A queue with a fence of its own for [`Queue::finish`].
pub(crate) struct Queue {
    pub(crate) com: Com,
    fence: Fence,
    /// The value that the fence was last signalled with.
    signalled: Cell<u64>,
}

impl Queue {
    /// Makes a queue of normal priority.
    pub(crate) fn new(device: &Device, kind: D3D12_COMMAND_LIST_TYPE) -> Result<Self, Failure> {
        Self::of(device, &D3D12_COMMAND_QUEUE_DESC { Type: kind, ..Default::default() })
    }

    /// Makes a queue as described.
    pub(crate) fn of(device: &Device, desc: &D3D12_COMMAND_QUEUE_DESC) -> Result<Self, Failure> {
        let com = create!(device.com, "ID3D12Device", "CreateCommandQueue", &raw const *desc; "ID3D12CommandQueue")?;
        Ok(Self { com, fence: Fence::new(device, 0)?, signalled: Cell::new(0) })
    }

    /// Submits closed lists, in order. Whatever they use must live until the queue has [finished](Queue::finish).
    pub(crate) fn execute(&self, lists: &[&List]) {
        self.execute_coms(&lists.iter().map(|list| &list.com).collect::<Vec<_>>());
    }

    /// As [`Queue::execute`].
    pub(crate) fn execute_coms(&self, lists: &[&Com]) {
        let pointers: Vec<*mut c_void> = lists.iter().map(|list| list.as_ptr()).collect();
        call!(self.com, "ID3D12CommandQueue", "ExecuteCommandLists", lists.len() as u32, pointers.as_ptr());
    }

    /// Lets the queue set a fence once it has done everything before.
    pub(crate) fn signal(&self, fence: &Fence, value: u64) -> Result<(), Failure> {
        attempt!(self.com, "ID3D12CommandQueue", "Signal", &fence.com, value)
    }

    /// Lets the queue wait for a fence before it does anything after.
    pub(crate) fn wait(&self, fence: &Fence, value: u64) -> Result<(), Failure> {
        attempt!(self.com, "ID3D12CommandQueue", "Wait", &fence.com, value)
    }

    /// Returns once everything submitted so far is done.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        let value = self.signalled.get() + 1;
        self.signalled.set(value);
        self.signal(&self.fence, value)?;
        self.fence.wait(value)
    }

    /// Closes a list, submits it, waits for it, and opens it again.
    pub(crate) fn run(&self, list: &mut List) -> Result<(), Failure> {
        list.close()?;
        self.execute(&[list]);
        self.finish()?;
        list.reset()
    }
}
