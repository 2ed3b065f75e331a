//! Arbitrary bytes as the payloads of a call: decoding them gives values or an error.
#![no_main]

use reprise_codec::json::Plain;
use reprise_codec::{Codec, Wide};
use reprise_d3d12::model::MethodId;
use std::sync::LazyLock;

static CODEC: LazyLock<Codec> = LazyLock::new(|| Codec::new(reprise_d3d12::MODEL, Wide::Bits16));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((head, rest)) = bytes.split_first_chunk::<4>() else { return };
    let count = CODEC.model().methods.len();
    let method = MethodId((usize::from(u16::from_le_bytes([head[0], head[1]])) % count) as u16);
    let (enter, leave) = rest.split_at(usize::from(u16::from_le_bytes([head[2], head[3]])).min(rest.len()));
    if let Ok(arguments) = CODEC.decode_enter(method, enter) {
        let _ = CODEC.json_arguments(&arguments, &Plain);
        let outcome = CODEC.decode_leave(method, enter, leave);
        let _ = CODEC.text_call(&arguments, outcome.as_ref().ok(), &Plain);
        let _ = CODEC.output_ids(method, enter, leave);
    }
});
