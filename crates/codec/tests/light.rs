//! The short way of rebuilding arguments against the long one.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{Blobs, SEEDS, WRAPPERS, World, call, codec, enter, masked, methods};
use reprise_codec::light::{Alike, Finder, Prepared};
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
        let (mut known, mut prepared) = (light.nothing_known(), Prepared::default());
        let name = codec.method_name(method);
        plans += 1;
        missing.retain(|frequent| *frequent != name);
        let mut taken = 0;
        for seed in 0..SEEDS {
            arena.clear();
            let call = call(&codec, method, seed << 16 | u64::from(method.0), &mut arena);
            for kept in [false, true] {
                light_arena.clear();
                // A copy, so that what is kept cannot lead to the payload.
                let payload = call.enter.clone();
                if light.prepare(&payload, None, &mut Moved, &mut known, &mut prepared).is_err() {
                    continue;
                }
                let words = match kept {
                    true => prepared.kept_words(&light, &payload, &mut light_arena),
                    false => prepared.words(&light, &payload),
                };
                if kept {
                    drop(payload);
                }
                taken += 1;
                let encoded = enter(&codec, method, words, &World::wrappers(), &mut Blobs::default());
                let long = codec.rebuild(method, &call.enter, &mut Moved, &mut arena).unwrap();
                let expected = enter(&codec, method, &long.words, &World::wrappers(), &mut Blobs::default());
                assert_eq!(masked(&codec, method, &encoded), masked(&codec, method, &expected), "{name}");
            }
        }
        // Only bytes beyond the size of an inline child make a call of such a method take the long way.
        assert!(taken > 0, "{name} never took the short way");
    }
    assert!(missing.is_empty() && plans > 100, "{plans} light methods, and not {missing:?}");
}

#[test]
#[cfg_attr(miri, ignore = "slow")]
fn what_the_short_way_takes_the_long_way_takes() {
    let codec = codec(Wide::Bits16);
    let mut arena = Arena::new();
    let mut random = reprise_codec::fabricate::Random::new(5);
    for method in methods() {
        let Some(light) = codec.light(method) else { continue };
        let (mut known, mut prepared) = (light.nothing_known(), Prepared::default());
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
                let short = light.prepare(&payload, None, &mut Moved, &mut known, &mut prepared);
                let long = codec.rebuild(method, &payload, &mut Moved, &mut arena);
                assert!(short.is_err() || long.is_ok(), "{}: {}", codec.method_name(method), long.unwrap_err());
            }
        }
    }
}

/// A payload as a record has it: in the same place for each call.
fn in_place(place: &mut [u64], payload: &[u8]) -> usize {
    for (word, bytes) in place.iter_mut().zip(payload.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    payload.len()
}

/// Calls follow each other as in a trace, and each tells which of its lanes may have changed. The words that are made from those of
/// the call before must be the words that are made from the call alone.
#[test]
#[cfg_attr(miri, ignore = "slow")]
fn words_of_the_last_call_become_those_of_the_next_one() {
    let codec = codec(Wide::Bits16);
    let mut arena = Arena::new();
    let mut random = reprise_codec::fabricate::Random::new(7);
    let (mut renewed, mut refused) = (0, 0);
    for method in methods() {
        let Some(light) = codec.light(method) else { continue };
        let name = codec.method_name(method);
        let (mut known, mut prepared) = (light.nothing_known(), Prepared::default());
        for seed in 0..SEEDS {
            arena.clear();
            let call = call(&codec, method, seed << 16 | u64::from(method.0), &mut arena);
            let mut payload = call.enter;
            if payload.len() > 248 || light.prepare(&payload, None, &mut Moved, &mut known, &mut prepared).is_err() {
                continue;
            }
            let mut place = vec![0; payload.len() / 8];
            for _ in 0..24 {
                // Some lanes change, others are only said to; a null pointer may become another one, a count too large.
                let mut changed = 0u64;
                for _ in 0..random.below(3).min(payload.len() as u64) {
                    let at = random.below(payload.len() as u64) as usize;
                    payload[at] ^= 1 << random.below(8);
                    changed |= 1 << (at / 4) | 1 << random.below(62);
                }
                let size = in_place(&mut place, &payload);
                // SAFETY: the words are plain bytes, as many as the payload has.
                let enter_now = unsafe { std::slice::from_raw_parts(place.as_ptr().cast::<u8>(), size) };
                let here = light.prepare(enter_now, Some(changed), &mut Moved, &mut known, &mut prepared);
                let mut alone = Prepared::default();
                let expected = light.prepare(enter_now, None, &mut Moved, &mut light.nothing_known(), &mut alone);
                assert_eq!(here, expected, "{name}: {changed:x} of {payload:?}");
                if here.is_err() {
                    refused += 1;
                    break;
                }
                renewed += 1;
                let (here, expected) = (prepared.words(&light, enter_now), alone.words(&light, enter_now));
                let read = |words: &[u64]| enter(&codec, method, words, &World::wrappers(), &mut Blobs::default());
                let (here, expected) = (read(here), read(expected));
                assert_eq!(masked(&codec, method, &here), masked(&codec, method, &expected), "{name}: {changed:x}");
            }
        }
    }
    assert!(renewed > 10_000 && refused > 100, "{renewed} renewed, {refused} refused");
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
