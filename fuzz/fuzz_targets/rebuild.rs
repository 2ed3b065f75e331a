//! Arbitrary bytes as the arguments of a call, rebuilt in memory for a runtime: refused, or read by the null runtime, which
//! follows every pointer by rules of its own.
#![no_main]

use reprise_codec::{Arena, Codec, Wide, fuzz};
use std::cell::RefCell;
use std::sync::LazyLock;

static CODEC: LazyLock<Codec> = LazyLock::new(|| Codec::new(reprise_d3d12::MODEL, Wide::Bits16));
thread_local! {
    static ARENA: RefCell<Arena> = RefCell::new(Arena::default());
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fuzz::decode(&CODEC, bytes);
    ARENA.with_borrow_mut(|arena| fuzz::rebuild(&CODEC, bytes, arena));
});
