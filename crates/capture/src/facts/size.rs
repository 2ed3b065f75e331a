//! Sizes that only the runtime's objects know: of mapped memory, of storage that an object owns, of subresources.
//!
//! Invariant: nothing is guessed. A subresource in a layout of the runtime's choice has no size here.

use crate::call::Call;
use crate::facts::creation::resource_desc;
use crate::wrapper::object::Chain;
use crate::{model, real};
use reprise_codec::Texels;
use reprise_d3d12::model::MethodId;

const BUFFER: i64 = 1;
const ROW_MAJOR: i64 = 1;

/// Bytes behind the pointer that `Map` gives for a subresource; 0 where it cannot be told (the runtime's own layout).
///
/// # Safety
/// The chain is a resource's.
pub(crate) unsafe fn mapped(chain: &Chain, subresource: u32) -> u64 {
    // SAFETY: the caller passes a resource's chain.
    let desc = unsafe { resource_desc(chain) };
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

/// Bytes of storage that the object owns and returned.
///
/// # Safety
/// The call is one on a living object.
pub(crate) unsafe fn owned(call: &Call<'_>, method: MethodId) -> Option<u64> {
    const POINTER: MethodId = reprise_d3d12::method("ID3DBlob", "GetBufferPointer");
    const SIZE: MethodId = reprise_d3d12::method("ID3DBlob", "GetBufferSize");
    let chain = call.chain.filter(|_| method == POINTER)?;
    // SAFETY: the object is a blob, alive.
    Some(unsafe { real::ask(call.convention, chain.real(), SIZE, &[]) })
}

/// The extent of a subresource of the resource that is called.
///
/// # Safety
/// The call is one on a living resource.
pub(crate) unsafe fn texels(call: &Call<'_>, subresource: u32) -> Option<Texels> {
    let chain = call.chain?;
    if !model::derives(chain.interface?, model::known().resource) {
        return None;
    }
    // SAFETY: as just compared.
    let desc = unsafe { resource_desc(chain) };
    Texels::of(&desc, subresource)
}
