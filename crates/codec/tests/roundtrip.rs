//! Every method of the model, with random arguments, through encode, decode, rebuild and unwrap.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::native::Native;
use common::{Blobs, Call, SEEDS, Same, World, call, codec, enter, masked, methods};
use reprise_codec::json::Plain;
use reprise_codec::{Arena, Codec, Wide};
use reprise_d3d12::MODEL;

fn every_call(wide: Wide, mut check: impl FnMut(&Codec, &Call)) {
    let codec = codec(wide);
    let mut arena = Arena::new();
    for method in methods() {
        for seed in 0..SEEDS {
            arena.clear();
            check(&codec, &call(&codec, method, seed << 16 | u64::from(method.0), &mut arena));
        }
    }
}

#[test]
fn decoded_arguments_are_what_an_independent_reader_finds() {
    for wide in [Wide::Bits16, Wide::Bits32] {
        every_call(wide, |codec, call| {
            let arguments = codec.decode_enter(call.method, &call.enter).unwrap_or_else(|e| panic!("{e}"));
            let native = Native { world: World::wrappers(), blobs: &call.blobs, wide, leave: false };
            let block = common::block(call.method, &call.words);
            let params = MODEL.methods[call.method.0 as usize].params;
            assert_eq!(arguments.members.len(), params.len());
            native.arguments(params, block.as_ptr(), &arguments.members);
        });
    }
}

#[test]
fn rebuilt_arguments_encode_as_the_original_did() {
    for wide in [Wide::Bits16, Wide::Bits32] {
        let mut arena = Arena::new();
        every_call(wide, |codec, call| {
            arena.clear();
            let rebuilt = codec.rebuild(call.method, &call.enter, &mut Same(&call.blobs), &mut arena);
            let rebuilt = rebuilt.unwrap_or_else(|e| panic!("{e}"));
            let mut blobs = Blobs::default();
            let again = enter(codec, call.method, &rebuilt.words, &World::wrappers(), &mut blobs);
            assert_eq!(again.len(), call.enter.len(), "{}", codec.method_name(call.method));
            assert_eq!(masked(codec, call.method, &again), masked(codec, call.method, &call.enter));
            assert_eq!(blobs.0, call.blobs.0);
        });
    }
}

#[test]
fn unwrapped_arguments_hold_the_runtimes_objects_and_nothing_else_changes() {
    let mut arena = Arena::new();
    every_call(Wide::Bits16, |codec, call| {
        arena.clear();
        let mut words = call.words.clone();
        // SAFETY: the words were fabricated for this method.
        unsafe { codec.unwrap_words(call.method, &mut words, &World::wrappers(), &mut arena) };
        let name = codec.method_name(call.method);
        let reals = enter(codec, call.method, &words, &World::reals(), &mut Blobs::default());
        assert_eq!(masked(codec, call.method, &reals), masked(codec, call.method, &call.enter), "{name}");
        let untouched = enter(codec, call.method, &call.words, &World::wrappers(), &mut Blobs::default());
        assert_eq!(untouched, call.enter, "{name} wrote to the program's memory");
        let traits = codec.traits(call.method);
        if !traits.object_words && !traits.deep_objects {
            assert_eq!(words, call.words, "{name}");
        }
    });
}

#[test]
fn json_and_text_have_every_argument() {
    every_call(Wide::Bits16, |codec, call| {
        let arguments = codec.decode_enter(call.method, &call.enter).unwrap();
        let json = codec.json_arguments(&arguments, &Plain);
        let names: Vec<&str> = MODEL.methods[call.method.0 as usize].params.iter().map(|p| p.name).collect();
        assert_eq!(json.keys().map(String::as_str).collect::<Vec<_>>(), names);
        let text = codec.text_call(&arguments, None, &Plain);
        assert!(!text.contains('\n') && names.iter().all(|n| text.contains(n)), "{text}");
    });
}

#[test]
#[cfg_attr(miri, ignore = "asks for storage that Miri would really make")]
fn damaged_payloads_give_errors_or_values() {
    let mut arena = Arena::new();
    let mut random = reprise_codec::fabricate::Random::new(7);
    every_call(Wide::Bits16, |codec, call| {
        let mut try_one = |payload: &[u8]| {
            arena.clear();
            let decoded = codec.decode_enter(call.method, payload);
            let rebuilt = codec.rebuild(call.method, payload, &mut Same(&call.blobs), &mut arena);
            if let Ok(arguments) = &decoded {
                codec.json_arguments(arguments, &Plain);
            }
            if let Ok(rebuilt) = rebuilt {
                // What was accepted must be safe to look at as a callee would.
                enter(codec, call.method, &rebuilt.words, &World::wrappers(), &mut Blobs::default());
            }
            decoded.is_ok()
        };
        for length in (0..call.enter.len()).rev().take(32) {
            assert!(!try_one(&call.enter[..length]), "{}", codec.method_name(call.method));
        }
        for _ in 0..8 {
            let mut payload = call.enter.clone();
            if payload.is_empty() {
                break;
            }
            let at = random.below(payload.len() as u64) as usize;
            payload[at] ^= 1 << random.below(8);
            try_one(&payload);
        }
    });
}

#[test]
#[cfg_attr(miri, ignore = "asks for storage that Miri would really make")]
fn arbitrary_bytes_do_no_harm() {
    let codec = codec(Wide::Bits16);
    let (mut arena, mut random) = (Arena::new(), reprise_codec::fabricate::Random::new(11));
    for _ in 0..SEEDS * 500 {
        // Mostly zeros and small numbers, so that headers are often right.
        let bytes: Vec<u8> = (0..3 + random.below(120))
            .map(|_| if random.below(3) == 0 { random.next() as u8 >> random.below(8) } else { 0 })
            .collect();
        reprise_codec::fuzz::decode(&codec, &bytes);
        reprise_codec::fuzz::rebuild(&codec, &bytes, &mut arena);
    }
}
