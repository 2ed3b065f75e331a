//! `WriteToSubresource` and `ReadFromSubresource`: how many bytes the pitches and the box reach.

use crate::frame::read_word;
use crate::objects::{Objects, Texels};
use crate::shape::Link;
use crate::wire::Reason;

/// A box of a subresource, in texels, upper bounds exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) front: u32,
    pub(crate) right: u32,
    pub(crate) bottom: u32,
    pub(crate) back: u32,
}

/// Bytes from the first to the last texel of `region` in linear memory with these pitches; the last row and slice reach
/// only as far as their texels.
pub(crate) fn reach(texels: &Texels, region: Option<Region>, row_pitch: u32, depth_pitch: u32) -> Option<u64> {
    let region = region.unwrap_or(Region {
        left: 0,
        top: 0,
        front: 0,
        right: texels.width,
        bottom: texels.height,
        back: texels.depth,
    });
    let blocks = |from: u32, to: u32, block: u32| u64::from(to.checked_sub(from)?.div_ceil(block.max(1))).into();
    let columns: Option<u64> = blocks(region.left, region.right, texels.block_width);
    let rows: Option<u64> = blocks(region.top, region.bottom, texels.block_height);
    let slices: Option<u64> = blocks(region.front, region.back, 1);
    let (columns, rows, slices) = (columns?, rows?, slices?);
    if columns == 0 || rows == 0 || slices == 0 {
        return Some(0);
    }
    (slices - 1)
        .checked_mul(u64::from(depth_pitch))?
        .checked_add((rows - 1).checked_mul(u64::from(row_pitch))?)?
        .checked_add(columns.checked_mul(u64::from(texels.block_bytes))?)
}

/// # Errors
/// The subresource's extent is not known, or the box is inside out.
pub(crate) fn bytes(link: &Link<'_>, objects: &dyn Objects) -> Result<u64, Reason> {
    let frame = link.frame;
    let find = |part: &str| {
        frame.fields.iter().position(|f| f.name.ends_with(part)).map(|i| frame.value(i)).ok_or(Reason::NoRule)
    };
    let subresource = find("Subresource")?;
    let texels = objects.texels(subresource as u32).ok_or(Reason::SizeUnknown)?;
    let pointer = find("Box")?;
    let region = (pointer != 0).then(|| {
        // SAFETY: `D3D12_BOX` is six 32-bit numbers; the API demands a valid pointer, and it is not null.
        let at = |i: usize| unsafe { read_word((pointer as *const u8).wrapping_add(i * 4), 4) as u32 };
        Region { left: at(0), top: at(1), front: at(2), right: at(3), bottom: at(4), back: at(5) }
    });
    reach(&texels, region, find("RowPitch")? as u32, find("DepthPitch")? as u32).ok_or(Reason::SizeUnknown)
}
