//! Arbitrary bytes as a schema and as payloads of its calls: refused, or calls that today's model reads.
//!
//! The first two bytes are the length of the schema. What a translation says that it has converted must be what today's walk
//! reads, or an error of that walk; what it has not converted must be as it was.
#![no_main]

use reprise_codec::translate::{Extended, Translation};
use reprise_codec::{Codec, Wide, fuzz, schema};
use reprise_d3d12::MODEL;
use std::sync::LazyLock;

static TODAY: LazyLock<Extended> = LazyLock::new(|| Extended::new(MODEL));
static CODEC: LazyLock<Codec> = LazyLock::new(|| Codec::new(MODEL, Wide::Bits16));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((length, rest)) = bytes.split_first_chunk::<2>() else { return };
    let (text, payload) = rest.split_at(usize::from(u16::from_le_bytes(*length)).min(rest.len()));
    let Ok(Some(translation)) = Translation::new(&TODAY, text) else { return };
    let Ok(model) = schema::model(text) else { return };
    let (enter, leave) = payload.split_at(payload.len() / 2 / 8 * 8);
    for (number, method) in (0..).zip(model.methods).take(64) {
        let mut out = Vec::new();
        for enter in [enter, &enter[..enter.len().min(method.args_size.into())]] {
            out.clear();
            let today = translation.enter(number, enter, &mut out);
            if usize::from(today) >= MODEL.methods.len() {
                assert_eq!(out, enter, "not understood, and not as it was");
                let _ = translation.why(today, enter);
            } else {
                fuzz::decode(&CODEC, &[&today.to_le_bytes()[..], &[0], &out].concat());
            }
            let entered = out.clone();
            out.clear();
            let left = translation.leave(number, Some(enter), leave, &mut out);
            assert_eq!(left, today, "an enter and its leave have one method");
            if usize::from(left) < MODEL.methods.len() {
                let _ = CODEC.decode_leave(reprise_d3d12::model::MethodId(left), &entered, &out);
            }
        }
    }
});
