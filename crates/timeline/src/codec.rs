//! The codec of the built-in model, for all of this crate.

use reprise_codec::{Codec, Wide};
use reprise_d3d12::MODEL;
use std::sync::OnceLock;

/// The codec of the built-in model.
pub fn codec() -> &'static Codec {
    static CODEC: OnceLock<Codec> = OnceLock::new();
    // The width of native text does not matter: nothing native is read or made.
    CODEC.get_or_init(|| Codec::new(MODEL, Wide::Bits16))
}
