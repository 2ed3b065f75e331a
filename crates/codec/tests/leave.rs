//! What calls give out: a made-up callee writes outputs, and the leave payload must say what it wrote.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::native::Native;
use common::{Blobs, REALS, SEEDS, WRAPPERS, World, call, codec, methods};
use reprise_codec::fabricate::Random;
use reprise_codec::outputs::OutputObject;
use reprise_codec::{Arena, Wide};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Direction, Field, Len, MethodId, Type};

const E_FAIL: u64 = 0x8000_4005;

/// Whether any number in the call counts elements of this output: the callee leaves it alone.
fn is_count(params: &[Field], index: usize) -> bool {
    params.iter().any(|p| match p.ty {
        Type::Pointer(p) => match p.len {
            Len::Through(i) | Len::BytesThrough(i) => usize::from(i) == index,
            Len::Rule(_) => true,
            _ => false,
        },
        _ => false,
    })
}

/// Writes single outputs as a callee would and says which objects it gave, in the order of the slots.
fn callee(method: MethodId, words: &[u64], failing: bool, random: &mut Random) -> Vec<u32> {
    let params = MODEL.methods[method.0 as usize].params;
    let mut given = Vec::new();
    for (i, param) in params.iter().enumerate() {
        let Type::Pointer(pointee) = param.ty else { continue };
        let (Type::Object(_), Len::Field(count)) = (pointee.ty, pointee.len) else { continue };
        for element in 0..words[usize::from(count)] {
            if param.direction != Direction::In && words[i] != 0 && !failing {
                let id = 1 + random.below(200);
                given.push(id as u32);
                // SAFETY: fabricated storage for the objects.
                unsafe { (words[i] as *mut u64).add(element as usize).write_unaligned(REALS + id * 16) };
            }
        }
    }
    for (i, param) in params.iter().enumerate() {
        let Type::Pointer(pointee) = param.ty else { continue };
        if param.direction == Direction::In || words[i] == 0 || !matches!(pointee.len, Len::One) {
            continue;
        }
        let flat = match pointee.ty {
            Type::Struct(id) => MODEL.structs[id.0 as usize].flat,
            Type::Object(_) | Type::Pointer(_) | Type::Void => false,
            _ => true,
        };
        let to = words[i] as *mut u8;
        if matches!(pointee.ty, Type::Object(_)) {
            let id = random.below(200) as u32;
            given.push(id);
            if id != 0 {
                // SAFETY: fabricated storage for one object.
                unsafe { to.cast::<u64>().write_unaligned(REALS + u64::from(id) * 16) };
            }
        } else if flat && !failing && !is_count(params, i) {
            for offset in 0..pointee.ty.size(MODEL.structs) as usize {
                // SAFETY: fabricated storage for one element.
                unsafe { to.add(offset).write(random.next() as u8) };
            }
        }
    }
    given
}

#[test]
fn outputs_are_wrapped_recorded_and_found_again() {
    let mut arena = Arena::new();
    let codec = codec(Wide::Bits16);
    for method in methods() {
        let tables = &MODEL.methods[method.0 as usize];
        for seed in 0..SEEDS {
            arena.clear();
            let call = call(&codec, method, seed << 16 | u64::from(method.0), &mut arena);
            let mut random = Random::new(seed);
            // SAFETY: the words were fabricated for this method.
            let before = unsafe { codec.outputs_before(method, &call.words) };
            let failing = seed % 3 == 2 && matches!(tables.result, Type::Hresult);
            let mut expected = callee(method, &call.words, failing, &mut random);
            let mut result = match tables.result {
                Type::Hresult if failing => E_FAIL,
                Type::Object(_) => {
                    let id = random.below(200);
                    expected.insert(0, id as u32);
                    if id == 0 { 0 } else { REALS + id * 16 }
                }
                _ => 0,
            };
            let mut visited = Vec::new();
            let wrap = |output: OutputObject| {
                // SAFETY: the slot holds what the callee wrote.
                let real = unsafe { output.slot.read_unaligned() };
                visited.push((output.index, ((real - REALS) / 16) as u32));
                // SAFETY: as before.
                unsafe { output.slot.write_unaligned(real - REALS + WRAPPERS) };
            };
            // SAFETY: the words were fabricated for this method, the outputs are in place.
            unsafe { codec.for_each_output_object(method, &call.words, &mut result, &before, wrap) };
            let (mut leave, mut blobs) = (Vec::new(), Blobs::default());
            let world = World::wrappers();
            // SAFETY: as before.
            unsafe { codec.encode_leave(method, &call.words, result, &before, &world, &mut leave, &mut blobs) };
            let name = codec.method_name(method);
            let outcome = codec.decode_leave(method, &call.enter, &leave).unwrap_or_else(|e| panic!("{e}"));
            let ids = codec.output_ids(method, &call.enter, &leave).unwrap();
            assert_eq!(ids, expected, "{name}");
            let seen: Vec<_> = expected.iter().copied().enumerate().filter(|(_, id)| *id != 0).collect();
            assert_eq!(visited, seen, "{name}");
            let native = Native { world, blobs: &blobs, wide: Wide::Bits16, leave: true };
            let block = common::block(method, &call.words);
            native.arguments(tables.params, block.as_ptr(), &outcome.outputs);
            if !failing {
                let outputs = tables.params.iter().zip(&call.words);
                let outputs = outputs.filter(|(p, w)| p.direction != Direction::In && **w != 0);
                let names: Vec<_> = outputs.map(|(p, _)| p.name).collect();
                assert_eq!(outcome.outputs.iter().map(|m| m.field.name).collect::<Vec<_>>(), names, "{name}");
            }
            for length in 0..leave.len() {
                assert!(codec.decode_leave(method, &call.enter, &leave[..length]).is_err(), "{name}");
            }
        }
    }
}
