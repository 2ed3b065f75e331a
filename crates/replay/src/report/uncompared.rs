//! Memory that submitted work wrote and no record of the trace shows, so that nothing there was compared.

use std::ops::Range;

/// Such bytes of one memory that the CPU can see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uncompared {
    /// The resource, or the heap that it is placed in.
    pub object: u32,
    /// Bytes that work surely wrote.
    pub bytes: u64,
    /// Other bytes that work may have written, because shaders reach them; `None` of a texture, whose layout is the driver's.
    pub perhaps: Option<u64>,
}

impl Uncompared {
    /// Of parts that work surely wrote, and others that it may have written; `None` where there are none. A texture has no end: one
    /// that records show in part counts as shown.
    pub(crate) fn new(object: u32, surely: &[Range<u64>], perhaps: &[Range<u64>]) -> Option<Self> {
        const TEXTURE: Range<u64> = 0..u64::MAX;
        let sum = |parts: &[Range<u64>]| {
            parts.iter().filter(|part| part.end != u64::MAX).map(|part| part.end - part.start).sum()
        };
        let perhaps = if perhaps.contains(&TEXTURE) { None } else { Some(sum(perhaps)) };
        let bytes = sum(surely);
        (bytes != 0 || perhaps != Some(0)).then_some(Self { object, bytes, perhaps })
    }
}
