//! The codec over the built-in model, for the width of the runtime's wide characters.

use reprise_codec::{Codec, Wide};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bits of a `WCHAR`.
static WIDE: AtomicU32 = AtomicU32::new(if cfg!(windows) { 16 } else { 32 });

/// States the width of the runtime's `WCHAR`. Call before the first recorded call; the default is the system's `wchar_t`.
pub fn set_wide(wide: Wide) {
    WIDE.store(if matches!(wide, Wide::Bits16) { 16 } else { 32 }, Ordering::Relaxed);
}

/// The codec for the width that is set.
pub(crate) fn codec() -> &'static Codec {
    static CODECS: [OnceLock<Codec>; 2] = [const { OnceLock::new() }; 2];
    let (index, wide) = if WIDE.load(Ordering::Relaxed) == 16 { (0, Wide::Bits16) } else { (1, Wide::Bits32) };
    CODECS[index].get_or_init(|| Codec::new(*super::tables(), wide))
}
