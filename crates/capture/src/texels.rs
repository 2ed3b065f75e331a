//! How many bytes lie behind a mapped pointer.
//!
//! Invariant: what the runtime lays out as it likes has no size here; nothing is guessed.

use crate::chain::Chain;
use crate::facts;
use reprise_codec::Texels;

const BUFFER: i64 = 1;
const ROW_MAJOR: i64 = 1;

/// Bytes behind the pointer that `Map` gives for a subresource; 0 where it cannot be told (the runtime's own layout).
///
/// # Safety
/// The chain is a resource's.
pub(crate) unsafe fn mapped_size(chain: &Chain, subresource: u32) -> u64 {
    // SAFETY: by contract.
    let desc = unsafe { facts::resource_desc(chain) };
    if i64::from(desc.Dimension.0) == BUFFER {
        return desc.Width;
    }
    if i64::from(desc.Layout.0) != ROW_MAJOR {
        return 0;
    }
    let Some(texels) = Texels::of(&desc, subresource) else { return 0 };
    let rows = u64::from(texels.height.div_ceil(texels.block_height));
    let row = u64::from(texels.width.div_ceil(texels.block_width)) * u64::from(texels.block_bytes);
    // Rows of a row-major texture are padded to 256 bytes, except the last.
    (row.next_multiple_of(256) * (rows - 1) + row) * u64::from(texels.depth)
}
