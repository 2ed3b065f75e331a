#![allow(clippy::unwrap_used)]

use super::*;
use crate::model;
use crate::model::special::{self, Special};
use crate::recording::steps::is_light;
use reprise_d3d12::generated::METHODS;

#[test]
fn what_needs_more_than_recording_is_not_light() {
    for (index, method) in METHODS.iter().enumerate() {
        let special = special::of(MethodId(index as u16));
        assert!(special == Special::None || !is_light(index as u16), "{} is {special:?}", method.name);
    }
}

#[test]
fn the_calls_of_a_draw_are_light() {
    let list = "DrawInstanced DrawIndexedInstanced Dispatch SetPipelineState IASetVertexBuffers IASetIndexBuffer \
        RSSetViewports RSSetScissorRects OMSetRenderTargets OMSetBlendFactor OMSetStencilRef \
        IASetPrimitiveTopology SetGraphicsRootSignature SetGraphicsRootDescriptorTable \
        SetGraphicsRoot32BitConstant SetGraphicsRoot32BitConstants SetGraphicsRootConstantBufferView \
        ResourceBarrier SetDescriptorHeaps CopyTextureRegion ClearRenderTargetView ClearDepthStencilView CopyBufferRegion";
    let find = |owner: &str, name: &str| {
        let owner = model::by_name(owner).unwrap();
        let found = METHODS.iter().position(|m| m.name == name && m.interface.is_some_and(|i| owner.derives_from(i)));
        found.unwrap() as u16
    };
    for name in list.split_whitespace() {
        assert!(is_light(find("ID3D12GraphicsCommandList", name)), "{name}");
    }
    for name in ["CopyDescriptorsSimple", "CreateConstantBufferView", "GetDescriptorHandleIncrementSize"] {
        assert!(is_light(find("ID3D12Device", name)), "{name}");
    }
}

#[test]
fn counts_follow_their_siblings() {
    let words = [3, 0x1000, 1, 0];
    assert_eq!(elements(Count::Targets(0, 2), &words), 1);
    assert_eq!(elements(Count::Targets(0, 2), &[3, 0x1000, 0, 0]), 3);
    assert_eq!(elements(Count::Targets(0, 2), &[0, 0x1000, 1, 0]), 0);
    assert_eq!(bytes(24, Count::Field(0, 4), &[u64::MAX]), 24 * u64::from(u32::MAX));
    assert_eq!(bytes(24, Count::Field(0, 8), &[u64::MAX]), u64::MAX);
}

#[test]
fn copies_are_padded_with_zeros() {
    let from: Vec<u8> = (1..=64).collect();
    for size in 0..=64usize {
        let mut to = [[0xffu8; 8]; 9];
        // SAFETY: 64 readable bytes, 72 writable ones, aligned to 8.
        unsafe {
            let mut words = [u64::MAX; 9];
            copy(from.as_ptr(), words.as_mut_ptr().cast(), size);
            for (bytes, word) in to.iter_mut().zip(words) {
                *bytes = word.to_le_bytes();
            }
        }
        let to = to.as_flattened();
        let padded = size.next_multiple_of(8);
        assert_eq!(&to[..size], &from[..size]);
        assert!(to[size..padded].iter().all(|byte| *byte == 0));
        assert!(to[padded..].iter().all(|byte| *byte == 0xff), "{size}");
    }
}
