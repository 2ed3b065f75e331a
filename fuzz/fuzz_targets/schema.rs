//! Arbitrary bytes as the schema that a trace carries: refused, or a model by which calls are decoded.
#![no_main]

use reprise_codec::{Codec, Wide, fuzz, schema};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = schema::check(&reprise_d3d12::MODEL, bytes);
    let Ok(model) = schema::model(bytes) else { return };
    let codec = Codec::new(model, Wide::Bits16);
    let end = bytes.len().min(256);
    for method in 0..8u16 {
        let call = [&method.to_le_bytes()[..], &bytes[..end]].concat();
        fuzz::decode(&codec, &call);
    }
});
