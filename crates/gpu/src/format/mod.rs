//! Formats: what a DXGI format is in memory, and which Vulkan format stands for it.
//!
//! Owns one table ([`table`]) of everything that does not depend on the device; [`caps`] asks what a device can do with a
//! format. Invariant: sizes are those of the API's own layout of copies (footprints), never Vulkan's internal ones.

pub mod bits;
pub mod caps;
mod row;
mod table;
#[cfg(test)]
mod tests;

use ash::vk;
use reprise_d3d12::types::DXGI_FORMAT;

pub use row::{Encoding, Format, Plane, Swizzle};

/// Maps of sampler feedback that say the finest level of each region.
pub const MIN_MIP: DXGI_FORMAT = DXGI_FORMAT::FORMAT_SAMPLER_FEEDBACK_MIN_MIP_OPAQUE;
/// Maps of sampler feedback that say each region of every level by itself.
pub const MIP_REGION_USED: DXGI_FORMAT = DXGI_FORMAT::FORMAT_SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE;

/// Whether a format is of maps of sampler feedback.
#[inline]
pub fn is_map(format: DXGI_FORMAT) -> bool {
    matches!(format, MIN_MIP | MIP_REGION_USED)
}

impl Format {
    /// The row of a format; `None` for `UNKNOWN` and numbers outside of the API.
    #[inline]
    pub fn get(format: DXGI_FORMAT) -> Option<&'static Format> {
        let row = *table::PLACES.get(usize::try_from(format.0).ok()?)?;
        table::FORMATS.get(usize::from(row))
    }

    /// The first row that a Vulkan format stands for and that says how the bits are read.
    pub fn of_vulkan(format: vk::Format) -> Option<&'static Format> {
        table::FORMATS.iter().find(|row| row.vk == format && row.kind != Encoding::Typeless)
    }

    /// All formats that share a family with this one, itself included.
    pub fn relatives(&self) -> impl Iterator<Item = &'static Format> + use<> {
        let family = self.family;
        table::FORMATS.iter().filter(move |other| other.family == family)
    }

    /// The format whose values are the bits: unsigned integers of the same family, else of the same size.
    pub fn bits(&self) -> Option<&'static Format> {
        if let Some(found) = self.relatives().find(|other| other.kind == Encoding::Uint && other.planes.len() == 1) {
            return Some(found);
        }
        Format::get(match self.block_bytes {
            1 => DXGI_FORMAT::FORMAT_R8_UINT,
            2 => DXGI_FORMAT::FORMAT_R16_UINT,
            4 => DXGI_FORMAT::FORMAT_R32_UINT,
            8 => DXGI_FORMAT::FORMAT_R32G32_UINT,
            16 => DXGI_FORMAT::FORMAT_R32G32B32A32_UINT,
            _ => return None,
        })
    }
}
