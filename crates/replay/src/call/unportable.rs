//! What replay asks differently than the program did, and why.
//!
//! Each change is one that no picture depends on. Invariant: nothing else about the arguments is changed anywhere.

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
    /// What is no blob at all is left where it is: any driver refuses it.
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

/// Adjusts rebuilt argument words and what they point to. Gives the cached blob that was taken out.
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
#[allow(clippy::unwrap_used)]
mod tests {
    use reprise_codec::Wide;
    use reprise_d3d12::{MODEL, method};

    use super::*;

    #[test]
    fn hints_and_caches_go_and_nothing_else() {
        let codec = Codec::new(MODEL, Wide::Bits16);
        let mut heap = D3D12_HEAP_DESC { SizeInBytes: 7, ..Default::default() };
        heap.Flags.0 = 0x241;
        let mut words = [core::ptr::from_mut(&mut heap) as u64, 0, 0];
        // SAFETY: the word points to a structure of this type.
        unsafe { take_out(&codec, method("ID3D12Device", "CreateHeap").get(), &mut words) };
        assert_eq!((heap.Flags.0, heap.SizeInBytes), (0x41, 7));

        let mut words = [0, 0x203, 0, 0, 0, 0, 0];
        // SAFETY: there are no pointers.
        unsafe { take_out(&codec, method("ID3D12Device", "CreateCommittedResource").get(), &mut words) };
        assert_eq!(words, [0, 0x03, 0, 0, 0, 0, 0]);

        let bytes = [7u8; 9];
        let blob = D3D12_CACHED_PIPELINE_STATE { pCachedBlob: bytes.as_ptr().cast(), CachedBlobSizeInBytes: 9 };
        let mut desc = D3D12_COMPUTE_PIPELINE_STATE_DESC { NodeMask: 1, CachedPSO: blob, ..Default::default() };
        let mut words = [core::ptr::from_mut(&mut desc) as u64, 0, 0];
        let create = method("ID3D12Device", "CreateComputePipelineState").get();
        // SAFETY: the word points to a structure of this type.
        let taken = unsafe { take_out(&codec, create, &mut words) }.unwrap();
        assert_eq!((desc.CachedPSO.CachedBlobSizeInBytes, desc.NodeMask), (0, 1));
        assert!(desc.CachedPSO.pCachedBlob.is_null());
        // SAFETY: the structure is where it was.
        unsafe { taken.put_back() };
        assert_eq!((desc.CachedPSO.pCachedBlob, desc.CachedPSO.CachedBlobSizeInBytes), (bytes.as_ptr().cast(), 9));

        // Half a blob is the program's mistake, which any driver sees.
        desc.CachedPSO.pCachedBlob = core::ptr::null();
        // SAFETY: the word points to a structure of this type.
        assert!(unsafe { take_out(&codec, create, &mut words) }.is_none());
        assert_eq!(desc.CachedPSO.CachedBlobSizeInBytes, 9);
    }

    /// A stream as C lays it out: a node mask, then the blob, each behind its number.
    #[test]
    fn a_blob_in_a_stream_goes_too() {
        let codec = Codec::new(MODEL, Wide::Bits16);
        let bytes = [7u8; 9];
        let numbers = [
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE::NODE_MASK.0 as u64 | 1 << 32,
            D3D12_PIPELINE_STATE_SUBOBJECT_TYPE::CACHED_PSO.0 as u64,
            bytes.as_ptr() as u64,
            9,
        ];
        let mut stream = numbers;
        let desc = D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: size_of_val(&stream) as _,
            pPipelineStateSubobjectStream: stream.as_mut_ptr().cast(),
        };
        let mut words = [core::ptr::from_ref(&desc) as u64, 0, 0];
        let create = method("ID3D12Device2", "CreatePipelineState").get();
        // SAFETY: the word points to the description of a stream, which may be written.
        let taken = unsafe { take_out(&codec, create, &mut words) }.unwrap();
        // SAFETY: as above; the runtime would read it so.
        let left = unsafe { desc.pPipelineStateSubobjectStream.cast::<[u64; 4]>().read() };
        assert_eq!(left, [numbers[0], numbers[1], 0, 0]);
        // SAFETY: the stream is where it was.
        unsafe { taken.put_back() };
        // SAFETY: as above.
        assert_eq!(unsafe { desc.pPipelineStateSubobjectStream.cast::<[u64; 4]>().read() }, numbers);
    }
}
