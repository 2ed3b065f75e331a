//! The command queue as an object.

use std::sync::Arc;

use reprise_com::result::S_OK;
use reprise_com::{Facet, Object};
use reprise_d3d12::types::D3D12_COMMAND_QUEUE_DESC;
use reprise_gpu::queue::Recorded;

use crate::device::{Child, Device};
use crate::fence::{Armed, Fence};
use crate::list_type::role;
use crate::resource::heap::one_node;
use crate::{Error, Result};

/// Interfaces of a queue beside its own chain.
#[derive(Debug)]
pub struct Facets {
    /// DXVK's interface that makes swap chains.
    pub(crate) swap_chains: Facet,
    /// The one of Wine's dxgi, for windows of Windows.
    #[cfg(windows)]
    pub(crate) window_swap_chains: Facet,
    /// The private interface for a vendor's libraries.
    pub(crate) ext: Facet,
    /// `ID3D12DebugCommandQueue1`.
    pub(crate) debug: Facet,
}

/// The body of `ID3D12CommandQueue`.
pub struct CommandQueue {
    /// The device.
    pub(super) device: Child,
    /// As created, with its node.
    pub(super) desc: D3D12_COMMAND_QUEUE_DESC,
    /// Its further interfaces.
    pub(crate) facets: Facets,
    /// The queue's work and its threads.
    pub gpu: reprise_gpu::queue::CommandQueue,
}

impl CommandQueue {
    /// A queue of `device`, with its threads and its `facets`.
    ///
    /// # Errors
    /// The device is removed, the description is none of the API's, or Vulkan objects or threads cannot be made.
    pub fn new(device: &Object<Device>, desc: &D3D12_COMMAND_QUEUE_DESC, facets: Facets) -> Result<CommandQueue> {
        if device.removed_reason() != S_OK {
            return Err(Error::REMOVED);
        }
        let role = role(desc.Type).ok_or(Error::Invalid("there are no command queues of this type"))?;
        one_node(desc.NodeMask);
        let gpu = device.command_queue(role)?;
        let desc = D3D12_COMMAND_QUEUE_DESC { NodeMask: 1, ..*desc };
        Ok(CommandQueue { device: Child::new(device), desc, facets, gpu })
    }

    /// Runs lists.
    pub fn execute(&self, lists: Vec<Arc<Recorded>>) {
        self.gpu.execute(lists);
    }

    /// Signals a fence after everything before.
    pub fn signal(&self, fence: &Fence, value: u64) {
        fence.state.expect(self.gpu.id(), value);
        self.gpu.signal(fence.state.clone(), value);
    }

    /// Lets everything after wait for a fence.
    pub fn wait(&self, fence: &Fence, value: u64) {
        self.gpu.wait(Box::new(Armed::new(&fence.state, self.gpu.id(), value)));
    }

    /// The device.
    pub fn device(&self) -> &Object<Device> {
        &self.device
    }

    /// Blocks until the GPU has done everything that was asked before.
    pub fn drain(&self) {
        self.gpu.drain();
    }

    /// Ticks of the GPU's time stamps in a second.
    ///
    /// # Errors
    /// The queue has no time stamps.
    pub fn timestamp_frequency(&self) -> Result<u64> {
        if self.gpu.family().timestamp_bits == 0 {
            return Err(Error::Call("the queue has no time stamps"));
        }
        Ok((1e9 / f64::from(self.device.caps.limits.timestamp_period)).round() as u64)
    }
}

impl core::fmt::Debug for CommandQueue {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.gpu.fmt(f)
    }
}
