//! What replay asks differently than the program did, and why.
//!
//! Each change is one that no picture depends on. Invariant: nothing else about the arguments is changed anywhere.

use reprise_d3d12::model::{Method, MethodId, StructId, Type};
use reprise_d3d12::struct_;
use reprise_d3d12::types::{
    D3D12_COMPUTE_PIPELINE_STATE_DESC, D3D12_GRAPHICS_PIPELINE_STATE_DESC, D3D12_HEAP_DESC, D3D12_HEAP_FLAGS,
};

/// A hint for tools that watch memory; runtimes on Linux refuse the creation for it.
const ALLOW_WRITE_WATCH: u32 = D3D12_HEAP_FLAGS::ALLOW_WRITE_WATCH.0;

/// Pipelines that a program loads from a library by name are made from the description that it passes along: what a
/// library holds belongs to the driver of the capture.
pub(crate) fn pipeline_creation(method: MethodId) -> Option<MethodId> {
    const LOADS: [(MethodId, MethodId); 3] = [
        (
            reprise_d3d12::method("ID3D12PipelineLibrary", "LoadGraphicsPipeline"),
            reprise_d3d12::method("ID3D12Device", "CreateGraphicsPipelineState"),
        ),
        (
            reprise_d3d12::method("ID3D12PipelineLibrary", "LoadComputePipeline"),
            reprise_d3d12::method("ID3D12Device", "CreateComputePipelineState"),
        ),
        (
            reprise_d3d12::method("ID3D12PipelineLibrary1", "LoadPipeline"),
            reprise_d3d12::method("ID3D12Device2", "CreatePipelineState"),
        ),
    ];
    LOADS.iter().find(|(load, _)| *load == method).map(|(_, create)| *create)
}

/// Whether [`arguments`] may change something of a call of this method.
pub(crate) fn concerns(method: &Method) -> bool {
    method.params.iter().any(|field| match field.ty {
        Type::Pointer(to) => matches!(to.ty, Type::Struct(id) if ADJUSTED.contains(&id)),
        _ => field.name == "HeapFlags",
    })
}

/// Structures in which something is adjusted.
const ADJUSTED: [StructId; 3] = [
    struct_("D3D12_HEAP_DESC"),
    struct_("D3D12_GRAPHICS_PIPELINE_STATE_DESC"),
    struct_("D3D12_COMPUTE_PIPELINE_STATE_DESC"),
];

/// Adjusts rebuilt argument words and what they point to.
///
/// # Safety
/// The words were rebuilt by the codec for this method: pointers lead to structures of the stated types that may be
/// written.
pub(crate) unsafe fn arguments(method: &Method, words: &mut [u64]) {
    if !method.name.starts_with("Create") && !method.name.starts_with("Load") {
        return;
    }
    if method.name == "CreatePipelineLibrary" {
        // Begins empty: see `pipeline_creation`.
        words[..2].fill(0);
    }
    for (field, word) in method.params.iter().zip(words) {
        if field.name == "HeapFlags" {
            *word &= !u64::from(ALLOW_WRITE_WATCH);
        }
        let Type::Pointer(pointee) = field.ty else { continue };
        let Type::Struct(id) = pointee.ty else { continue };
        if *word == 0 {
            continue;
        }
        // SAFETY: by contract.
        unsafe {
            if id == struct_("D3D12_HEAP_DESC") {
                (*(*word as *mut D3D12_HEAP_DESC)).Flags.0 &= !ALLOW_WRITE_WATCH;
            } else if id == struct_("D3D12_GRAPHICS_PIPELINE_STATE_DESC") {
                // A cache of the capture's driver: any other driver refuses the pipeline for it, none needs it.
                (*(*word as *mut D3D12_GRAPHICS_PIPELINE_STATE_DESC)).CachedPSO = Default::default();
            } else if id == struct_("D3D12_COMPUTE_PIPELINE_STATE_DESC") {
                (*(*word as *mut D3D12_COMPUTE_PIPELINE_STATE_DESC)).CachedPSO = Default::default();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use reprise_d3d12::method;

    use super::*;

    #[test]
    fn hints_and_caches_go_and_nothing_else() {
        let mut heap = D3D12_HEAP_DESC { SizeInBytes: 7, ..Default::default() };
        heap.Flags.0 = 0x241;
        let mut words = [core::ptr::from_mut(&mut heap) as u64, 0, 0];
        // SAFETY: the word points to a structure of this type.
        unsafe { arguments(method("ID3D12Device", "CreateHeap").get(), &mut words) };
        assert_eq!((heap.Flags.0, heap.SizeInBytes), (0x41, 7));

        let mut words = [0, 0x203, 0, 0, 0, 0, 0];
        // SAFETY: there are no pointers.
        unsafe { arguments(method("ID3D12Device", "CreateCommittedResource").get(), &mut words) };
        assert_eq!(words, [0, 0x03, 0, 0, 0, 0, 0]);

        let mut desc = D3D12_COMPUTE_PIPELINE_STATE_DESC { NodeMask: 1, ..Default::default() };
        desc.CachedPSO.CachedBlobSizeInBytes = 9;
        let mut words = [core::ptr::from_mut(&mut desc) as u64, 0, 0];
        // SAFETY: the word points to a structure of this type.
        unsafe { arguments(method("ID3D12Device", "CreateComputePipelineState").get(), &mut words) };
        assert_eq!((desc.CachedPSO.CachedBlobSizeInBytes, desc.NodeMask), (0, 1));
    }
}
