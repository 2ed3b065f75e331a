//! A row of the table of formats.

use ash::vk;
use reprise_d3d12::types::DXGI_FORMAT;

/// How the bits of a texel are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Only a view says.
    Typeless,
    /// Floating point.
    Float,
    /// From 0 to 1.
    Unorm,
    /// From 0 to 1, colours stored as sRGB.
    Srgb,
    /// From -1 to 1.
    Snorm,
    /// Unsigned integers.
    Uint,
    /// Signed integers.
    Sint,
    /// Depth, with or without stencil.
    Depth,
    /// Only the driver knows.
    Opaque,
}

/// What shader components are made of the stored ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swizzle {
    /// As stored.
    Identity,
    /// One stored component is alpha, colours are zero: `A8_UNORM`, stored as `R8_UNORM`.
    Alpha,
    /// Alpha is one, whatever is stored: `B8G8R8X8`.
    Opaque,
    /// The stored component is green: stencil views.
    Green,
}

/// A plane of a format in copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// The format that footprints name.
    pub footprint: DXGI_FORMAT,
    /// Bytes of a block of the plane.
    pub bytes: u8,
    /// Texels of the whole per texel of the plane, in both directions, as a power of two.
    pub subsample_log2: u8,
    /// Vulkan's name.
    pub aspect: vk::ImageAspectFlags,
}

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Format {
    /// The API's name.
    pub dxgi: DXGI_FORMAT,
    /// Vulkan's format of textures and buffers; `UNDEFINED` when there is none.
    pub vk: vk::Format,
    /// How the bits are read.
    pub kind: Encoding,
    /// The typeless format that this one may be cast from; itself when there is none.
    pub family: DXGI_FORMAT,
    /// Width of a block in texels.
    pub block_width: u8,
    /// Height of a block in texels.
    pub block_height: u8,
    /// Bytes of a block, all planes of depth and stencil included; 0 where only planes have sizes (video).
    pub block_bytes: u8,
    /// Planes: one, or depth and stencil, or luma and chroma.
    pub planes: &'static [Plane],
    /// Aspects of a whole image of this format.
    pub aspects: vk::ImageAspectFlags,
    /// Component mapping of views.
    pub swizzle: Swizzle,
}

impl Format {
    /// Whether images have compressed blocks.
    pub fn is_block_compressed(&self) -> bool {
        self.block_width > 1 && self.planes.len() == 1 && self.block_height > 1
    }

    /// Whether the format has depth.
    pub fn has_depth(&self) -> bool {
        self.aspects.contains(vk::ImageAspectFlags::DEPTH)
    }

    /// Whether the format has stencil.
    pub fn has_stencil(&self) -> bool {
        self.aspects.contains(vk::ImageAspectFlags::STENCIL)
    }

    /// Whether luma and chroma are planes of their own. Views show one of them.
    pub fn is_video(&self) -> bool {
        self.aspects.contains(vk::ImageAspectFlags::PLANE_0)
    }

    /// Whether views must say how the bits are read.
    pub fn is_typeless(&self) -> bool {
        self.kind == Encoding::Typeless
    }

    /// Whether the values are integers.
    pub fn is_integer(&self) -> bool {
        matches!(self.kind, Encoding::Uint | Encoding::Sint)
    }

    /// Component mapping of a view, before the program's own.
    pub fn components(&self) -> vk::ComponentMapping {
        let (r, g, b, a) = match self.swizzle {
            Swizzle::Identity => return vk::ComponentMapping::default(),
            Swizzle::Alpha => (
                vk::ComponentSwizzle::ZERO,
                vk::ComponentSwizzle::ZERO,
                vk::ComponentSwizzle::ZERO,
                vk::ComponentSwizzle::R,
            ),
            Swizzle::Opaque => {
                (vk::ComponentSwizzle::R, vk::ComponentSwizzle::G, vk::ComponentSwizzle::B, vk::ComponentSwizzle::ONE)
            }
            Swizzle::Green => (
                vk::ComponentSwizzle::ZERO,
                vk::ComponentSwizzle::R,
                vk::ComponentSwizzle::ZERO,
                vk::ComponentSwizzle::ZERO,
            ),
        };
        vk::ComponentMapping { r, g, b, a }
    }
}
