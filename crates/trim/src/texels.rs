//! Textures with several samples a texel, and what is drawn for the texels of each format.
//!
//! Which views have all bits of a texel is `reprise_picture::samples`'.

use reprise_d3d12::types::{D3D12_RESOURCE_DESC1, D3D12_RESOURCE_FLAGS};
use reprise_picture::samples::{Access, Channels};

/// A texture with several samples a texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Samples {
    /// `DXGI_FORMAT`.
    pub(crate) format: u32,
    /// In texels.
    pub(crate) size: (u32, u32),
    /// Elements of the array.
    pub(crate) slices: u32,
    /// Samples a texel, and the quality.
    pub(crate) count: (u32, u32),
    pub(crate) is_depth: bool,
}

impl Samples {
    /// Of a texture's description, where it has several.
    pub(crate) fn of(desc: &D3D12_RESOURCE_DESC1) -> Option<Samples> {
        (desc.SampleDesc.Count > 1).then(|| Samples {
            format: desc.Format.0 as u32,
            size: (u32::try_from(desc.Width).unwrap_or(u32::MAX), desc.Height),
            slices: desc.DepthOrArraySize.into(),
            count: (desc.SampleDesc.Count, desc.SampleDesc.Quality),
            is_depth: desc.Flags.0 & D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL.0 != 0,
        })
    }

    /// How the texels of a plane are drawn, where there is a way.
    pub(crate) fn access(&self, plane: u32) -> Option<Access> {
        Access::of(self.format, self.is_depth, plane)
    }
}

/// What a draw writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum What {
    Words,
    Floats,
    Depth,
    Stencil,
}

impl What {
    /// For such channels.
    pub(crate) fn of(channels: Channels) -> What {
        match channels {
            Channels::Words => What::Words,
            Channels::BlueFirst | Channels::Alpha | Channels::SmallFloats => What::Floats,
            Channels::Depth => What::Depth,
            Channels::Stencil => What::Stencil,
        }
    }
}

/// How channels become a colour, as the shader numbers it (`shaders/samples.hlsl`).
pub(crate) fn order(access: &Access) -> u32 {
    match access.channels {
        Channels::Words | Channels::Stencil => 0,
        Channels::BlueFirst => 1,
        Channels::Alpha => 2,
        Channels::SmallFloats => 3,
        // A depth of 32 bits is the float that it is; others are steps.
        Channels::Depth => {
            if access.widths == [32] {
                4
            } else {
                0
            }
        }
    }
}
