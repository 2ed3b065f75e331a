//! What encoding and unwrapping a few typical calls costs on one thread, warm: `cargo run --release -p reprise-codec
//! --example encode_cost`. Each figure is the best of 20 rounds of 200,000 calls; look-ups of objects are a subtraction.
#![allow(missing_docs)]

use reprise_codec::{Arena, BlobSink, Codec, Objects, Wide};
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_RESOURCE_BARRIER, D3D12_RESOURCE_DESC, D3D12_VERTEX_BUFFER_VIEW};
use reprise_d3d12::{MODEL, method};
use std::hint::black_box;
use std::time::Instant;

struct Near;
impl Objects for Near {
    fn id_of(&self, pointer: u64) -> u64 {
        pointer & 0xffff
    }
    fn real_of(&self, pointer: u64) -> u64 {
        pointer + 16
    }
}

struct Discard;
impl BlobSink for Discard {
    fn blob(&mut self, _bytes: &[u8]) -> u32 {
        1
    }
}

fn main() {
    let codec = Codec::new(MODEL, Wide::Bits16);
    let barriers = [D3D12_RESOURCE_BARRIER::default(); 2];
    let views = [D3D12_VERTEX_BUFFER_VIEW::default(); 2];
    let desc = D3D12_RESOURCE_DESC::default();
    let (heap, iid, handles, mut slot) = ([0u64; 4], [0u64; 2], [1u64; 2], 0u64);
    let at = |p: *const u8| p as u64;
    let calls: [(&str, MethodId, Vec<u64>); 5] = [
        (
            "ResourceBarrier, 2 barriers",
            method("ID3D12GraphicsCommandList", "ResourceBarrier"),
            vec![2, at(barriers.as_ptr().cast())],
        ),
        (
            "IASetVertexBuffers, 2 views",
            method("ID3D12GraphicsCommandList", "IASetVertexBuffers"),
            vec![0, 2, at(views.as_ptr().cast())],
        ),
        (
            "OMSetRenderTargets, 2 targets",
            method("ID3D12GraphicsCommandList", "OMSetRenderTargets"),
            vec![2, at(handles.as_ptr().cast()), 0, at(handles.as_ptr().cast())],
        ),
        ("DrawInstanced", method("ID3D12GraphicsCommandList", "DrawInstanced"), vec![3, 1, 0, 0]),
        (
            "CreateCommittedResource",
            method("ID3D12Device", "CreateCommittedResource"),
            vec![
                at(heap.as_ptr().cast()),
                0,
                at((&raw const desc).cast()),
                0,
                0,
                at(iid.as_ptr().cast()),
                &raw mut slot as u64,
            ],
        ),
    ];
    let (mut out, mut arena) = (Vec::new(), Arena::new());
    for (name, method, words) in &calls {
        let (mut encode, mut unwrap) = (f64::MAX, f64::MAX);
        for _ in 0..20 {
            let start = Instant::now();
            for _ in 0..200_000 {
                out.clear();
                // SAFETY: the words are valid arguments of the method.
                unsafe { codec.encode_enter(*method, black_box(words), &Near, &mut out, &mut Discard) };
                black_box(&out);
            }
            encode = encode.min(start.elapsed().as_nanos() as f64 / 200_000.0);
            let start = Instant::now();
            let mut copy = words.clone();
            for _ in 0..200_000 {
                arena.clear();
                copy.copy_from_slice(words);
                // SAFETY: as before.
                unsafe { codec.unwrap_words(*method, black_box(&mut copy), &Near, &mut arena) };
            }
            unwrap = unwrap.min(start.elapsed().as_nanos() as f64 / 200_000.0);
        }
        println!("{name:32} encode {encode:6.1} ns  unwrap {unwrap:6.1} ns  {} bytes", out.len());
    }
}
