//! Commands of replay's own in a list of the program's.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_RESOURCE_BARRIER, D3D12_RESOURCE_BARRIER_2, D3D12_RESOURCE_BARRIER_TYPE, D3D12_RESOURCE_STATES,
    D3D12_RESOURCE_TRANSITION_BARRIER,
};

use super::parts::{Piece, Program};
use crate::runtime::Runtime;

pub(super) const PREDICATION: MethodId = method("ID3D12GraphicsCommandList", "SetPredication");
/// How copies are read: as indirect arguments, and as builds, dispatches of rays and shaders read buffers.
pub(super) const COPIES: D3D12_RESOURCE_STATES = D3D12_RESOURCE_STATES(
    D3D12_RESOURCE_STATES::INDIRECT_ARGUMENT.0 | D3D12_RESOURCE_STATES::NON_PIXEL_SHADER_RESOURCE.0,
);

/// A list that takes commands. Compute state is the kit's until it is given back.
#[derive(Clone, Copy)]
pub(super) struct Commands<'r> {
    runtime: &'r Runtime,
    list: u64,
}

impl<'r> Commands<'r> {
    /// # Safety
    /// The list is alive and recording. All that is passed to the methods lives until the GPU is done with the list.
    pub(super) unsafe fn new(runtime: &'r Runtime, list: u64) -> Self {
        Self { runtime, list }
    }

    fn call(&self, method: MethodId, words: &[u64]) {
        // SAFETY: list and objects are alive, says whoever made this; the callers' words match the method.
        unsafe { self.runtime.call(self.list, method, words) };
    }

    /// Commands that follow run whatever the predicate says: not all that reads what they write is skipped by it.
    pub(super) fn stop_predication(&self, has_predicate: bool) {
        if has_predicate {
            self.call(PREDICATION, &[0, 0, 0]);
        }
    }

    /// Several barriers in one call; none is none.
    pub(super) fn barriers(&self, all: impl IntoIterator<Item = D3D12_RESOURCE_BARRIER>) {
        let all: Vec<_> = all.into_iter().collect();
        if !all.is_empty() {
            let words = [all.len() as u64, all.as_ptr() as u64];
            self.call(method("ID3D12GraphicsCommandList", "ResourceBarrier"), &words);
        }
    }

    pub(super) fn program(&self, program: &Program) {
        self.call(method("ID3D12GraphicsCommandList", "SetComputeRootSignature"), &[program.root]);
        self.call(method("ID3D12GraphicsCommandList", "SetPipelineState"), &[program.pipeline]);
    }

    pub(super) fn constants(&self, values: &[u32]) {
        let words = [0, values.len() as u64, values.as_ptr() as u64, 0];
        self.call(method("ID3D12GraphicsCommandList", "SetComputeRoot32BitConstants"), &words);
    }

    pub(super) fn reads(&self, parameter: u32, address: u64) {
        self.call(
            method("ID3D12GraphicsCommandList", "SetComputeRootShaderResourceView"),
            &[parameter.into(), address],
        );
    }

    pub(super) fn writes(&self, parameter: u32, address: u64) {
        self.call(
            method("ID3D12GraphicsCommandList", "SetComputeRootUnorderedAccessView"),
            &[parameter.into(), address],
        );
    }

    /// A dispatch of so many threads, in groups of 64.
    pub(super) fn dispatch(&self, threads: u32) {
        self.call(method("ID3D12GraphicsCommandList", "Dispatch"), &[threads.div_ceil(GROUP).into(), 1, 1]);
    }

    /// Copies so many bytes of a buffer to a piece of memory.
    pub(super) fn copy(&self, (from, offset): (u64, u64), to: &Piece, bytes: u64) {
        let words = [to.buffer, to.offset, from, offset, bytes];
        self.call(method("ID3D12GraphicsCommandList", "CopyBufferRegion"), &words);
    }

    /// Executes so many commands at a piece of memory.
    pub(super) fn execute(&self, signature: u64, count: u32, from: &Piece) {
        let words = [signature, count.into(), from.buffer, from.offset, 0, 0];
        self.call(method("ID3D12GraphicsCommandList", "ExecuteIndirect"), &words);
    }
}

/// Threads of a group, as the shaders say.
pub(super) const GROUP: u32 = 64;

pub(super) fn transition(
    resource: u64,
    before: D3D12_RESOURCE_STATES,
    after: D3D12_RESOURCE_STATES,
) -> D3D12_RESOURCE_BARRIER {
    let mut transition = D3D12_RESOURCE_TRANSITION_BARRIER { pResource: resource as *mut _, ..Default::default() };
    (transition.StateBefore, transition.StateAfter) = (before, after);
    D3D12_RESOURCE_BARRIER { Anonymous: D3D12_RESOURCE_BARRIER_2 { Transition: transition }, ..Default::default() }
}

/// Waits for everything that shaders have written.
pub(super) fn writes_done() -> D3D12_RESOURCE_BARRIER {
    D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::UAV, ..Default::default() }
}

/// Before a piece is written that is read as `state` afterwards. Buffers begin in no state and come to one by their use; so the
/// first use in a list needs no barrier.
pub(super) fn begin_writing(piece: &Piece, state: D3D12_RESOURCE_STATES) -> Option<D3D12_RESOURCE_BARRIER> {
    piece.again.then(|| transition(piece.buffer, state, D3D12_RESOURCE_STATES::UNORDERED_ACCESS))
}

/// After a piece was written that is read as `state`.
pub(super) fn end_writing(piece: &Piece, state: D3D12_RESOURCE_STATES) -> D3D12_RESOURCE_BARRIER {
    transition(piece.buffer, D3D12_RESOURCE_STATES::UNORDERED_ACCESS, state)
}
