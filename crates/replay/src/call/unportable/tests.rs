//! Tests of `call::unportable`.
#![allow(clippy::unwrap_used)]

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
    // SAFETY: the stream has these four words.
    let left = unsafe { desc.pPipelineStateSubobjectStream.cast::<[u64; 4]>().read() };
    assert_eq!(left, [numbers[0], numbers[1], 0, 0]);
    // SAFETY: the stream is where it was.
    unsafe { taken.put_back() };
    // SAFETY: the stream has these four words.
    assert_eq!(unsafe { desc.pPipelineStateSubobjectStream.cast::<[u64; 4]>().read() }, numbers);
}
