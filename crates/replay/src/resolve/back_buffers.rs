//! The textures that stand for the buffers of DXGI swap chains.
//!
//! A swap chain keeps its buffers, and what is in them, while the program holds none of them. Invariant: each entry holds one
//! reference. The entries of a chain go with the chain, or when it is resized.

use std::collections::HashMap;

use reprise_d3d12::types::D3D12_RESOURCE_DESC;

use crate::runtime::com::Com;

/// One buffer.
#[derive(Clone, Copy)]
pub(crate) struct BackBuffer {
    /// A pointer to `ID3D12Resource`, with a reference.
    pub(crate) pointer: u64,
    pub(crate) desc: D3D12_RESOURCE_DESC,
}

/// The buffers by the id of their chain, and by number.
#[derive(Default)]
pub(crate) struct BackBuffers(HashMap<u32, HashMap<u32, BackBuffer>>);

impl BackBuffers {
    /// Keeps a buffer, whose reference goes with it.
    pub(crate) fn keep(&mut self, com: &impl Com, chain: u32, index: u32, buffer: BackBuffer) {
        if let Some(old) = self.0.entry(chain).or_default().insert(index, buffer) {
            com.release(old.pointer);
        }
    }

    pub(crate) fn get(&self, chain: u32, index: u32) -> Option<BackBuffer> {
        self.0.get(&chain)?.get(&index).copied()
    }

    /// A chain is gone or resized. Ids of other objects have no entries.
    pub(crate) fn forget(&mut self, com: &impl Com, chain: u32) {
        for buffer in self.0.remove(&chain).into_iter().flat_map(HashMap::into_values) {
            com.release(buffer.pointer);
        }
    }

    /// Releases all of them.
    pub(crate) fn release(&mut self, com: &impl Com) {
        for buffer in self.0.drain().flat_map(|(_, buffers)| buffers.into_values()) {
            com.release(buffer.pointer);
        }
    }
}
