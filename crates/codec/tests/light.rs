//! The short way of rebuilding arguments against the long one.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{Blobs, SEEDS, WRAPPERS, World, call, codec, enter, masked, methods};
use reprise_codec::light::{Alike, Finder, MOST_WORDS};
use reprise_codec::rebuild::Resolver;
use reprise_codec::{Arena, Wide};
use reprise_d3d12::model::{BlobKind, InterfaceId, Role};

/// Calls that a frame consists of.
const FREQUENT: [&str; 14] = [
    "ID3D12GraphicsCommandList::DrawIndexedInstanced",
    "ID3D12GraphicsCommandList::IASetVertexBuffers",
    "ID3D12GraphicsCommandList::IASetIndexBuffer",
    "ID3D12GraphicsCommandList::SetGraphicsRootConstantBufferView",
    "ID3D12GraphicsCommandList::SetGraphicsRoot32BitConstants",
    "ID3D12GraphicsCommandList::SetGraphicsRootDescriptorTable",
    "ID3D12GraphicsCommandList::SetPipelineState",
    "ID3D12GraphicsCommandList::SetDescriptorHeaps",
    "ID3D12GraphicsCommandList::ResourceBarrier",
    "ID3D12GraphicsCommandList::OMSetRenderTargets",
    "ID3D12GraphicsCommandList::RSSetViewports",
    "ID3D12GraphicsCommandList::ClearRenderTargetView",
    "ID3D12Device::CopyDescriptorsSimple",
    "ID3D12Device::CreateConstantBufferView",
];

/// Nothing is here as it was recorded.
struct Moved;

impl Resolver for Moved {
    fn object(&mut self, id: u32, _interface: InterfaceId) -> Result<u64, String> {
        Ok(WRAPPERS + u64::from(id ^ 0xff) * 16)
    }
    fn word(&mut self, role: Role, value: u64) -> Result<u64, String> {
        Ok(value.rotate_left(match role {
            Role::CpuDescriptor => 8,
            Role::GpuDescriptor => 16,
            Role::GpuAddress => 24,
            _ => 32,
        }))
    }
    fn blob(&mut self, number: u32, _kind: BlobKind) -> Result<&[u8], String> {
        Err(format!("no blob {number}"))
    }
}

impl Finder for Moved {
    fn object(&mut self, id: u32, interface: InterfaceId) -> Option<u64> {
        Resolver::object(self, id, interface).ok()
    }
    fn word(&mut self, role: Role, value: u64) -> Option<Alike> {
        Some(Alike::only(value, Resolver::word(self, role, value).ok()?))
    }
}

#[test]
fn light_calls_are_rebuilt_as_by_the_long_way() {
    let codec = codec(Wide::Bits16);
    let (mut arena, mut light_arena) = (Arena::new(), Arena::new());
    let (mut plans, mut missing) = (0, FREQUENT.to_vec());
    for method in methods() {
        let Some(light) = codec.light(method) else { continue };
        let mut known = light.nothing_known();
        let name = codec.method_name(method);
        plans += 1;
        missing.retain(|frequent| *frequent != name);
        let (mut taken, mut again) = (0, 0);
        for seed in 0..SEEDS {
            arena.clear();
            let call = call(&codec, method, seed << 16 | u64::from(method.0), &mut arena);
            for kept in [false, true] {
                light_arena.clear();
                let mut words = [0; MOST_WORDS];
                // A copy, so that what is kept cannot lead to the payload.
                let payload = call.enter.clone();
                let rebuilt = light.rebuild(&payload, &mut Moved, &mut known, &mut light_arena, kept, &mut words);
                let Ok(words) = rebuilt else { continue };
                if kept {
                    drop(payload);
                }
                taken += 1;
                let encoded = enter(&codec, method, words, &World::wrappers(), &mut Blobs::default());
                let long = codec.rebuild(method, &call.enter, &mut Moved, &mut arena).unwrap();
                let expected = enter(&codec, method, &long.words, &World::wrappers(), &mut Blobs::default());
                assert_eq!(masked(&codec, method, &encoded), masked(&codec, method, &expected), "{name}");
                again += 1;
            }
        }
        // Only bytes beyond the size of an inline child make a call of such a method take the long way.
        assert!(taken > 0 && again == taken, "{name} never took the short way");
    }
    assert!(missing.is_empty() && plans > 100, "{plans} light methods, and not {missing:?}");
}

#[test]
#[cfg_attr(miri, ignore = "slow")]
fn what_the_short_way_takes_the_long_way_takes() {
    let codec = codec(Wide::Bits16);
    let (mut arena, mut light_arena) = (Arena::new(), Arena::new());
    let mut random = reprise_codec::fabricate::Random::new(5);
    for method in methods() {
        let Some(light) = codec.light(method) else { continue };
        let mut known = light.nothing_known();
        for seed in 0..SEEDS {
            arena.clear();
            let call = call(&codec, method, seed << 16 | u64::from(method.0), &mut arena);
            for step in 0..64 {
                let mut payload = call.enter.clone();
                match payload.len() {
                    0 => payload.resize(8, 0),
                    len if step < 16 => payload.truncate(random.below(len as u64) as usize),
                    len => payload[random.below(len as u64) as usize] ^= 1 << random.below(8),
                }
                let mut words = [0; MOST_WORDS];
                light_arena.clear();
                let short = light.rebuild(&payload, &mut Moved, &mut known, &mut light_arena, true, &mut words);
                let long = codec.rebuild(method, &payload, &mut Moved, &mut arena);
                assert!(short.is_err() || long.is_ok(), "{}: {}", codec.method_name(method), long.unwrap_err());
            }
        }
    }
}

#[test]
fn numbers_are_alike_at_whole_steps_of_their_range_only() {
    let handles = Alike::steps(0x1000, 4 * 32, 0x9000, 32, 8).unwrap();
    assert_eq!([0, 1, 3].map(|at| handles.of(0x1000 + at * 32)), [0, 1, 3].map(|at| Some(0x9000 + at * 8)));
    assert_eq!([0xfe0, 0x1001, 0x1010, 0x1080, 0].map(|number| handles.of(number)), [None; 5]);
    assert!(Alike::steps(0, 1, 0, 24, 8).is_none() && Alike::steps(0, 1, 0, 8, 0).is_none());
    let bytes = Alike::range(0x1000, 3, u64::MAX);
    assert_eq!([0xfff, 0x1000, 0x1001, 0x1003].map(|number| bytes.of(number)), [None, Some(u64::MAX), Some(0), None]);
    assert_eq!((Alike::only(7, 9).of(7), Alike::only(7, 9).of(8), Alike::NOTHING.of(0)), (Some(9), None, None));
}
