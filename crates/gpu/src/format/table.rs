//! The table of formats, in the order of their numbers.

use ash::vk;
use ash::vk::Format as V;
use reprise_d3d12::types::DXGI_FORMAT as D;

use crate::format::row::Encoding::*;
use crate::format::row::{Encoding, Format, Plane, Swizzle};

const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
const DEPTH: vk::ImageAspectFlags = vk::ImageAspectFlags::DEPTH;
const STENCIL: vk::ImageAspectFlags = vk::ImageAspectFlags::STENCIL;
const BOTH: vk::ImageAspectFlags = vk::ImageAspectFlags::from_raw(DEPTH.as_raw() | STENCIL.as_raw());

const fn plane(footprint: D, bytes: u8, subsample_log2: u8, aspect: vk::ImageAspectFlags) -> Plane {
    Plane { footprint, bytes, subsample_log2, aspect }
}

const NONE: &[Plane] = &[];
/// One plane whose footprint has the format's own name and size.
const OWN: &[Plane] = &[plane(D::FORMAT_UNKNOWN, 0, 0, COLOR)];
const DEPTH_16: &[Plane] = &[plane(D::FORMAT_UNKNOWN, 2, 0, DEPTH)];
const DEPTH_32: &[Plane] = &[plane(D::FORMAT_UNKNOWN, 4, 0, DEPTH)];
const DEPTH_STENCIL: &[Plane] =
    &[plane(D::FORMAT_R32_TYPELESS, 4, 0, DEPTH), plane(D::FORMAT_R8_TYPELESS, 1, 0, STENCIL)];
const LUMA: vk::ImageAspectFlags = vk::ImageAspectFlags::PLANE_0;
const CHROMA: vk::ImageAspectFlags = vk::ImageAspectFlags::PLANE_1;
const LUMA_CHROMA: vk::ImageAspectFlags = vk::ImageAspectFlags::from_raw(LUMA.as_raw() | CHROMA.as_raw());
const VIDEO_8: &[Plane] = &[plane(D::FORMAT_R8_TYPELESS, 1, 0, LUMA), plane(D::FORMAT_R8G8_TYPELESS, 2, 1, CHROMA)];
const VIDEO_16: &[Plane] = &[plane(D::FORMAT_R16_TYPELESS, 2, 0, LUMA), plane(D::FORMAT_R16G16_TYPELESS, 4, 1, CHROMA)];

const fn color(dxgi: D, vk: V, kind: Encoding, family: D, block_bytes: u8) -> Format {
    Format {
        dxgi,
        vk,
        kind,
        family,
        block_width: 1,
        block_height: 1,
        block_bytes,
        planes: OWN,
        aspects: COLOR,
        swizzle: Swizzle::Identity,
    }
}

impl Format {
    const fn block(mut self, width: u8, height: u8) -> Format {
        (self.block_width, self.block_height) = (width, height);
        self
    }

    const fn planar(mut self, planes: &'static [Plane], aspects: vk::ImageAspectFlags) -> Format {
        (self.planes, self.aspects) = (planes, aspects);
        self
    }

    const fn swizzled(mut self, swizzle: Swizzle) -> Format {
        self.swizzle = swizzle;
        self
    }
}

#[rustfmt::skip]
pub(super) static FORMATS: &[Format] = &[
    color(D::FORMAT_R32G32B32A32_TYPELESS, V::R32G32B32A32_UINT, Typeless, D::FORMAT_R32G32B32A32_TYPELESS, 16),
    color(D::FORMAT_R32G32B32A32_FLOAT, V::R32G32B32A32_SFLOAT, Float, D::FORMAT_R32G32B32A32_TYPELESS, 16),
    color(D::FORMAT_R32G32B32A32_UINT, V::R32G32B32A32_UINT, Uint, D::FORMAT_R32G32B32A32_TYPELESS, 16),
    color(D::FORMAT_R32G32B32A32_SINT, V::R32G32B32A32_SINT, Sint, D::FORMAT_R32G32B32A32_TYPELESS, 16),
    color(D::FORMAT_R32G32B32_TYPELESS, V::R32G32B32_UINT, Typeless, D::FORMAT_R32G32B32_TYPELESS, 12),
    color(D::FORMAT_R32G32B32_FLOAT, V::R32G32B32_SFLOAT, Float, D::FORMAT_R32G32B32_TYPELESS, 12),
    color(D::FORMAT_R32G32B32_UINT, V::R32G32B32_UINT, Uint, D::FORMAT_R32G32B32_TYPELESS, 12),
    color(D::FORMAT_R32G32B32_SINT, V::R32G32B32_SINT, Sint, D::FORMAT_R32G32B32_TYPELESS, 12),
    color(D::FORMAT_R16G16B16A16_TYPELESS, V::R16G16B16A16_UINT, Typeless, D::FORMAT_R16G16B16A16_TYPELESS, 8),
    color(D::FORMAT_R16G16B16A16_FLOAT, V::R16G16B16A16_SFLOAT, Float, D::FORMAT_R16G16B16A16_TYPELESS, 8),
    color(D::FORMAT_R16G16B16A16_UNORM, V::R16G16B16A16_UNORM, Unorm, D::FORMAT_R16G16B16A16_TYPELESS, 8),
    color(D::FORMAT_R16G16B16A16_UINT, V::R16G16B16A16_UINT, Uint, D::FORMAT_R16G16B16A16_TYPELESS, 8),
    color(D::FORMAT_R16G16B16A16_SNORM, V::R16G16B16A16_SNORM, Snorm, D::FORMAT_R16G16B16A16_TYPELESS, 8),
    color(D::FORMAT_R16G16B16A16_SINT, V::R16G16B16A16_SINT, Sint, D::FORMAT_R16G16B16A16_TYPELESS, 8),
    color(D::FORMAT_R32G32_TYPELESS, V::R32G32_UINT, Typeless, D::FORMAT_R32G32_TYPELESS, 8),
    color(D::FORMAT_R32G32_FLOAT, V::R32G32_SFLOAT, Float, D::FORMAT_R32G32_TYPELESS, 8),
    color(D::FORMAT_R32G32_UINT, V::R32G32_UINT, Uint, D::FORMAT_R32G32_TYPELESS, 8),
    color(D::FORMAT_R32G32_SINT, V::R32G32_SINT, Sint, D::FORMAT_R32G32_TYPELESS, 8),
    color(D::FORMAT_R32G8X24_TYPELESS, V::D32_SFLOAT_S8_UINT, Typeless, D::FORMAT_R32G8X24_TYPELESS, 8).planar(DEPTH_STENCIL, BOTH),
    color(D::FORMAT_D32_FLOAT_S8X24_UINT, V::D32_SFLOAT_S8_UINT, Depth, D::FORMAT_R32G8X24_TYPELESS, 8).planar(DEPTH_STENCIL, BOTH),
    color(D::FORMAT_R32_FLOAT_X8X24_TYPELESS, V::D32_SFLOAT_S8_UINT, Float, D::FORMAT_R32G8X24_TYPELESS, 8).planar(DEPTH_STENCIL, DEPTH),
    color(D::FORMAT_X32_TYPELESS_G8X24_UINT, V::D32_SFLOAT_S8_UINT, Uint, D::FORMAT_R32G8X24_TYPELESS, 8).planar(DEPTH_STENCIL, STENCIL).swizzled(Swizzle::Green),
    color(D::FORMAT_R10G10B10A2_TYPELESS, V::A2B10G10R10_UNORM_PACK32, Typeless, D::FORMAT_R10G10B10A2_TYPELESS, 4),
    color(D::FORMAT_R10G10B10A2_UNORM, V::A2B10G10R10_UNORM_PACK32, Unorm, D::FORMAT_R10G10B10A2_TYPELESS, 4),
    color(D::FORMAT_R10G10B10A2_UINT, V::A2B10G10R10_UINT_PACK32, Uint, D::FORMAT_R10G10B10A2_TYPELESS, 4),
    color(D::FORMAT_R11G11B10_FLOAT, V::B10G11R11_UFLOAT_PACK32, Float, D::FORMAT_R11G11B10_FLOAT, 4),
    color(D::FORMAT_R8G8B8A8_TYPELESS, V::R8G8B8A8_UNORM, Typeless, D::FORMAT_R8G8B8A8_TYPELESS, 4),
    color(D::FORMAT_R8G8B8A8_UNORM, V::R8G8B8A8_UNORM, Unorm, D::FORMAT_R8G8B8A8_TYPELESS, 4),
    color(D::FORMAT_R8G8B8A8_UNORM_SRGB, V::R8G8B8A8_SRGB, Srgb, D::FORMAT_R8G8B8A8_TYPELESS, 4),
    color(D::FORMAT_R8G8B8A8_UINT, V::R8G8B8A8_UINT, Uint, D::FORMAT_R8G8B8A8_TYPELESS, 4),
    color(D::FORMAT_R8G8B8A8_SNORM, V::R8G8B8A8_SNORM, Snorm, D::FORMAT_R8G8B8A8_TYPELESS, 4),
    color(D::FORMAT_R8G8B8A8_SINT, V::R8G8B8A8_SINT, Sint, D::FORMAT_R8G8B8A8_TYPELESS, 4),
    color(D::FORMAT_R16G16_TYPELESS, V::R16G16_UINT, Typeless, D::FORMAT_R16G16_TYPELESS, 4),
    color(D::FORMAT_R16G16_FLOAT, V::R16G16_SFLOAT, Float, D::FORMAT_R16G16_TYPELESS, 4),
    color(D::FORMAT_R16G16_UNORM, V::R16G16_UNORM, Unorm, D::FORMAT_R16G16_TYPELESS, 4),
    color(D::FORMAT_R16G16_UINT, V::R16G16_UINT, Uint, D::FORMAT_R16G16_TYPELESS, 4),
    color(D::FORMAT_R16G16_SNORM, V::R16G16_SNORM, Snorm, D::FORMAT_R16G16_TYPELESS, 4),
    color(D::FORMAT_R16G16_SINT, V::R16G16_SINT, Sint, D::FORMAT_R16G16_TYPELESS, 4),
    color(D::FORMAT_R32_TYPELESS, V::R32_UINT, Typeless, D::FORMAT_R32_TYPELESS, 4),
    color(D::FORMAT_D32_FLOAT, V::D32_SFLOAT, Depth, D::FORMAT_R32_TYPELESS, 4).planar(DEPTH_32, DEPTH),
    color(D::FORMAT_R32_FLOAT, V::R32_SFLOAT, Float, D::FORMAT_R32_TYPELESS, 4),
    color(D::FORMAT_R32_UINT, V::R32_UINT, Uint, D::FORMAT_R32_TYPELESS, 4),
    color(D::FORMAT_R32_SINT, V::R32_SINT, Sint, D::FORMAT_R32_TYPELESS, 4),
    color(D::FORMAT_R24G8_TYPELESS, V::D24_UNORM_S8_UINT, Typeless, D::FORMAT_R24G8_TYPELESS, 4).planar(DEPTH_STENCIL, BOTH),
    color(D::FORMAT_D24_UNORM_S8_UINT, V::D24_UNORM_S8_UINT, Depth, D::FORMAT_R24G8_TYPELESS, 4).planar(DEPTH_STENCIL, BOTH),
    color(D::FORMAT_R24_UNORM_X8_TYPELESS, V::D24_UNORM_S8_UINT, Unorm, D::FORMAT_R24G8_TYPELESS, 4).planar(DEPTH_STENCIL, DEPTH),
    color(D::FORMAT_X24_TYPELESS_G8_UINT, V::D24_UNORM_S8_UINT, Uint, D::FORMAT_R24G8_TYPELESS, 4).planar(DEPTH_STENCIL, STENCIL).swizzled(Swizzle::Green),
    color(D::FORMAT_R8G8_TYPELESS, V::R8G8_UNORM, Typeless, D::FORMAT_R8G8_TYPELESS, 2),
    color(D::FORMAT_R8G8_UNORM, V::R8G8_UNORM, Unorm, D::FORMAT_R8G8_TYPELESS, 2),
    color(D::FORMAT_R8G8_UINT, V::R8G8_UINT, Uint, D::FORMAT_R8G8_TYPELESS, 2),
    color(D::FORMAT_R8G8_SNORM, V::R8G8_SNORM, Snorm, D::FORMAT_R8G8_TYPELESS, 2),
    color(D::FORMAT_R8G8_SINT, V::R8G8_SINT, Sint, D::FORMAT_R8G8_TYPELESS, 2),
    color(D::FORMAT_R16_TYPELESS, V::R16_UINT, Typeless, D::FORMAT_R16_TYPELESS, 2),
    color(D::FORMAT_R16_FLOAT, V::R16_SFLOAT, Float, D::FORMAT_R16_TYPELESS, 2),
    color(D::FORMAT_D16_UNORM, V::D16_UNORM, Depth, D::FORMAT_R16_TYPELESS, 2).planar(DEPTH_16, DEPTH),
    color(D::FORMAT_R16_UNORM, V::R16_UNORM, Unorm, D::FORMAT_R16_TYPELESS, 2),
    color(D::FORMAT_R16_UINT, V::R16_UINT, Uint, D::FORMAT_R16_TYPELESS, 2),
    color(D::FORMAT_R16_SNORM, V::R16_SNORM, Snorm, D::FORMAT_R16_TYPELESS, 2),
    color(D::FORMAT_R16_SINT, V::R16_SINT, Sint, D::FORMAT_R16_TYPELESS, 2),
    color(D::FORMAT_R8_TYPELESS, V::R8_UNORM, Typeless, D::FORMAT_R8_TYPELESS, 1),
    color(D::FORMAT_R8_UNORM, V::R8_UNORM, Unorm, D::FORMAT_R8_TYPELESS, 1),
    color(D::FORMAT_R8_UINT, V::R8_UINT, Uint, D::FORMAT_R8_TYPELESS, 1),
    color(D::FORMAT_R8_SNORM, V::R8_SNORM, Snorm, D::FORMAT_R8_TYPELESS, 1),
    color(D::FORMAT_R8_SINT, V::R8_SINT, Sint, D::FORMAT_R8_TYPELESS, 1),
    color(D::FORMAT_A8_UNORM, V::R8_UNORM, Unorm, D::FORMAT_A8_UNORM, 1).swizzled(Swizzle::Alpha),
    color(D::FORMAT_R1_UNORM, V::UNDEFINED, Unorm, D::FORMAT_R1_UNORM, 1).block(8, 1),
    color(D::FORMAT_R9G9B9E5_SHAREDEXP, V::E5B9G9R9_UFLOAT_PACK32, Float, D::FORMAT_R9G9B9E5_SHAREDEXP, 4),
    color(D::FORMAT_R8G8_B8G8_UNORM, V::UNDEFINED, Unorm, D::FORMAT_R8G8_B8G8_UNORM, 4).block(2, 1),
    color(D::FORMAT_G8R8_G8B8_UNORM, V::UNDEFINED, Unorm, D::FORMAT_G8R8_G8B8_UNORM, 4).block(2, 1),
    color(D::FORMAT_BC1_TYPELESS, V::BC1_RGBA_UNORM_BLOCK, Typeless, D::FORMAT_BC1_TYPELESS, 8).block(4, 4),
    color(D::FORMAT_BC1_UNORM, V::BC1_RGBA_UNORM_BLOCK, Unorm, D::FORMAT_BC1_TYPELESS, 8).block(4, 4),
    color(D::FORMAT_BC1_UNORM_SRGB, V::BC1_RGBA_SRGB_BLOCK, Srgb, D::FORMAT_BC1_TYPELESS, 8).block(4, 4),
    color(D::FORMAT_BC2_TYPELESS, V::BC2_UNORM_BLOCK, Typeless, D::FORMAT_BC2_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC2_UNORM, V::BC2_UNORM_BLOCK, Unorm, D::FORMAT_BC2_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC2_UNORM_SRGB, V::BC2_SRGB_BLOCK, Srgb, D::FORMAT_BC2_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC3_TYPELESS, V::BC3_UNORM_BLOCK, Typeless, D::FORMAT_BC3_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC3_UNORM, V::BC3_UNORM_BLOCK, Unorm, D::FORMAT_BC3_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC3_UNORM_SRGB, V::BC3_SRGB_BLOCK, Srgb, D::FORMAT_BC3_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC4_TYPELESS, V::BC4_UNORM_BLOCK, Typeless, D::FORMAT_BC4_TYPELESS, 8).block(4, 4),
    color(D::FORMAT_BC4_UNORM, V::BC4_UNORM_BLOCK, Unorm, D::FORMAT_BC4_TYPELESS, 8).block(4, 4),
    color(D::FORMAT_BC4_SNORM, V::BC4_SNORM_BLOCK, Snorm, D::FORMAT_BC4_TYPELESS, 8).block(4, 4),
    color(D::FORMAT_BC5_TYPELESS, V::BC5_UNORM_BLOCK, Typeless, D::FORMAT_BC5_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC5_UNORM, V::BC5_UNORM_BLOCK, Unorm, D::FORMAT_BC5_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC5_SNORM, V::BC5_SNORM_BLOCK, Snorm, D::FORMAT_BC5_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_B5G6R5_UNORM, V::R5G6B5_UNORM_PACK16, Unorm, D::FORMAT_B5G6R5_UNORM, 2),
    color(D::FORMAT_B5G5R5A1_UNORM, V::A1R5G5B5_UNORM_PACK16, Unorm, D::FORMAT_B5G5R5A1_UNORM, 2),
    color(D::FORMAT_B8G8R8A8_UNORM, V::B8G8R8A8_UNORM, Unorm, D::FORMAT_B8G8R8A8_TYPELESS, 4),
    color(D::FORMAT_B8G8R8X8_UNORM, V::B8G8R8A8_UNORM, Unorm, D::FORMAT_B8G8R8X8_TYPELESS, 4).swizzled(Swizzle::Opaque),
    color(D::FORMAT_R10G10B10_XR_BIAS_A2_UNORM, V::UNDEFINED, Unorm, D::FORMAT_R10G10B10A2_TYPELESS, 4),
    color(D::FORMAT_B8G8R8A8_TYPELESS, V::B8G8R8A8_UNORM, Typeless, D::FORMAT_B8G8R8A8_TYPELESS, 4),
    color(D::FORMAT_B8G8R8A8_UNORM_SRGB, V::B8G8R8A8_SRGB, Srgb, D::FORMAT_B8G8R8A8_TYPELESS, 4),
    color(D::FORMAT_B8G8R8X8_TYPELESS, V::B8G8R8A8_UNORM, Typeless, D::FORMAT_B8G8R8X8_TYPELESS, 4).swizzled(Swizzle::Opaque),
    color(D::FORMAT_B8G8R8X8_UNORM_SRGB, V::B8G8R8A8_SRGB, Srgb, D::FORMAT_B8G8R8X8_TYPELESS, 4).swizzled(Swizzle::Opaque),
    color(D::FORMAT_BC6H_TYPELESS, V::BC6H_UFLOAT_BLOCK, Typeless, D::FORMAT_BC6H_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC6H_UF16, V::BC6H_UFLOAT_BLOCK, Float, D::FORMAT_BC6H_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC6H_SF16, V::BC6H_SFLOAT_BLOCK, Float, D::FORMAT_BC6H_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC7_TYPELESS, V::BC7_UNORM_BLOCK, Typeless, D::FORMAT_BC7_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC7_UNORM, V::BC7_UNORM_BLOCK, Unorm, D::FORMAT_BC7_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_BC7_UNORM_SRGB, V::BC7_SRGB_BLOCK, Srgb, D::FORMAT_BC7_TYPELESS, 16).block(4, 4),
    color(D::FORMAT_AYUV, V::UNDEFINED, Unorm, D::FORMAT_AYUV, 4),
    color(D::FORMAT_Y410, V::UNDEFINED, Unorm, D::FORMAT_Y410, 4),
    color(D::FORMAT_Y416, V::UNDEFINED, Unorm, D::FORMAT_Y416, 8),
    color(D::FORMAT_NV12, V::G8_B8R8_2PLANE_420_UNORM, Unorm, D::FORMAT_NV12, 0).planar(VIDEO_8, LUMA_CHROMA),
    // Views of P010 see 16 bits, of which the lowest six are zero.
    color(D::FORMAT_P010, V::G16_B16R16_2PLANE_420_UNORM, Unorm, D::FORMAT_P010, 0).planar(VIDEO_16, LUMA_CHROMA),
    color(D::FORMAT_P016, V::G16_B16R16_2PLANE_420_UNORM, Unorm, D::FORMAT_P016, 0).planar(VIDEO_16, LUMA_CHROMA),
    color(D::FORMAT_420_OPAQUE, V::UNDEFINED, Opaque, D::FORMAT_420_OPAQUE, 0).planar(VIDEO_8, COLOR),
    color(D::FORMAT_YUY2, V::UNDEFINED, Unorm, D::FORMAT_YUY2, 4).block(2, 1),
    color(D::FORMAT_Y210, V::UNDEFINED, Unorm, D::FORMAT_Y210, 8).block(2, 1),
    color(D::FORMAT_Y216, V::UNDEFINED, Unorm, D::FORMAT_Y216, 8).block(2, 1),
    color(D::FORMAT_NV11, V::UNDEFINED, Unorm, D::FORMAT_NV11, 0).planar(NONE, COLOR),
    color(D::FORMAT_AI44, V::UNDEFINED, Unorm, D::FORMAT_AI44, 1),
    color(D::FORMAT_IA44, V::UNDEFINED, Unorm, D::FORMAT_IA44, 1),
    color(D::FORMAT_P8, V::UNDEFINED, Unorm, D::FORMAT_P8, 1),
    color(D::FORMAT_A8P8, V::UNDEFINED, Unorm, D::FORMAT_A8P8, 2),
    color(D::FORMAT_B4G4R4A4_UNORM, V::A4R4G4B4_UNORM_PACK16, Unorm, D::FORMAT_B4G4R4A4_UNORM, 2),
    color(D::FORMAT_P208, V::UNDEFINED, Unorm, D::FORMAT_P208, 0).planar(NONE, COLOR),
    color(D::FORMAT_V208, V::UNDEFINED, Unorm, D::FORMAT_V208, 0).planar(NONE, COLOR),
    color(D::FORMAT_V408, V::UNDEFINED, Unorm, D::FORMAT_V408, 0).planar(NONE, COLOR),
    color(D::FORMAT_SAMPLER_FEEDBACK_MIN_MIP_OPAQUE, V::UNDEFINED, Opaque, D::FORMAT_SAMPLER_FEEDBACK_MIN_MIP_OPAQUE, 1),
    color(D::FORMAT_SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE, V::UNDEFINED, Opaque, D::FORMAT_SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE, 1),
    color(D::FORMAT_A4B4G4R4_UNORM, V::R4G4B4A4_UNORM_PACK16, Unorm, D::FORMAT_A4B4G4R4_UNORM, 2),
];

/// By a format's number: its row; 255 where there is none.
pub(super) static PLACES: [u8; 192] = {
    let mut places = [255; 192];
    let mut row = 0;
    while row < FORMATS.len() {
        places[FORMATS[row].dxgi.0 as usize] = row as u8;
        row += 1;
    }
    places
};
