//! Arguments that are valid on the captured machine only: replay takes them out.
//!
//! These are a hint for tools that watch memory, and cached pipelines and pipeline libraries of another driver. No picture
//! depends on them. Invariant: all other arguments stay as the codec rebuilt them.

use reprise_codec::Codec;
use reprise_d3d12::model::{Method, MethodId, StructId, Type};
use reprise_d3d12::struct_;
use reprise_d3d12::types::{
    D3D12_CACHED_PIPELINE_STATE, D3D12_COMPUTE_PIPELINE_STATE_DESC, D3D12_GRAPHICS_PIPELINE_STATE_DESC,
    D3D12_HEAP_DESC, D3D12_HEAP_FLAGS, D3D12_PIPELINE_STATE_STREAM_DESC, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE,
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

/// Whether [`take_out`] may change something of a call of this method.
pub(crate) fn concerns(method: &Method) -> bool {
    method.params.iter().any(|field| match field.ty {
        Type::Pointer(to) => matches!(to.ty, Type::Struct(id) if ADJUSTED.contains(&id)),
        _ => field.name == "HeapFlags",
    })
}

/// Structures in which something is adjusted.
const ADJUSTED: [StructId; 4] = [
    struct_("D3D12_HEAP_DESC"),
    struct_("D3D12_GRAPHICS_PIPELINE_STATE_DESC"),
    struct_("D3D12_COMPUTE_PIPELINE_STATE_DESC"),
    struct_("D3D12_PIPELINE_STATE_STREAM_DESC"),
];

/// A pipeline's cached blob that was taken out of its description: it belongs to the driver of the capture.
#[derive(Clone, Copy)]
pub(crate) struct CachedBlob {
    place: *mut D3D12_CACHED_PIPELINE_STATE,
    blob: D3D12_CACHED_PIPELINE_STATE,
}

// SAFETY: the pointers lead to the memory of a call's arguments, which goes with them.
unsafe impl Send for CachedBlob {}

impl CachedBlob {
    /// Takes a blob out. An empty one is left where it is: any driver refuses it.
    ///
    /// # Safety
    /// `place` may be read and written.
    unsafe fn take(place: *mut D3D12_CACHED_PIPELINE_STATE) -> Option<Self> {
        // SAFETY: the caller says that the place may be read and written.
        unsafe {
            let blob = *place;
            let whole = !blob.pCachedBlob.is_null() && blob.CachedBlobSizeInBytes != 0;
            whole.then(|| {
                *place = D3D12_CACHED_PIPELINE_STATE::default();
                Self { place, blob }
            })
        }
    }

    /// Puts it back into the description.
    ///
    /// # Safety
    /// The arguments that it was taken from still are where they were.
    pub(crate) unsafe fn put_back(&self) {
        // SAFETY: the caller says that the arguments are where they were.
        unsafe { *self.place = self.blob };
    }
}

/// Takes such arguments out of rebuilt words and their structures. Gives the cached blob that was taken out.
///
/// # Safety
/// The words were rebuilt by the codec for this method: pointers lead to structures of the stated types that may be
/// written.
pub(crate) unsafe fn take_out(codec: &Codec, method: &Method, words: &mut [u64]) -> Option<CachedBlob> {
    if !method.name.starts_with("Create") && !method.name.starts_with("Load") {
        return None;
    }
    let mut cached = None;
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
        // SAFETY: the word is not 0, so it leads to a structure of the parameter's type that may be written.
        unsafe {
            if id == struct_("D3D12_HEAP_DESC") {
                (*(*word as *mut D3D12_HEAP_DESC)).Flags.0 &= !ALLOW_WRITE_WATCH;
            } else if id == struct_("D3D12_GRAPHICS_PIPELINE_STATE_DESC") {
                // Any other driver refuses the pipeline for it, none needs it.
                cached = CachedBlob::take(&raw mut (*(*word as *mut D3D12_GRAPHICS_PIPELINE_STATE_DESC)).CachedPSO);
            } else if id == struct_("D3D12_COMPUTE_PIPELINE_STATE_DESC") {
                cached = CachedBlob::take(&raw mut (*(*word as *mut D3D12_COMPUTE_PIPELINE_STATE_DESC)).CachedPSO);
            } else if id == struct_("D3D12_PIPELINE_STATE_STREAM_DESC") {
                const CACHED: u32 = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE::CACHED_PSO.0 as u32;
                let stream = &*(*word as *const D3D12_PIPELINE_STATE_STREAM_DESC);
                let start = stream.pPipelineStateSubobjectStream.cast::<u8>();
                let place = codec.subobject_in_stream(start, stream.SizeInBytes as usize, CACHED);
                cached = place.and_then(|place| CachedBlob::take(start.add(place).cast()));
            }
        }
    }
    cached
}

#[cfg(test)]
mod tests;
