//! The table of formats, in the order of their numbers.

use ash::vk;
use ash::vk::Format as V;
use reprise_d3d12::format::{Format as Facts, of as facts_of};
use reprise_d3d12::types::DXGI_FORMAT as D;

use crate::format::row::Encoding::*;
use crate::format::row::{Encoding, Format, Plane, Swizzle};

const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
const DEPTH: vk::ImageAspectFlags = vk::ImageAspectFlags::DEPTH;
const STENCIL: vk::ImageAspectFlags = vk::ImageAspectFlags::STENCIL;
const BOTH: vk::ImageAspectFlags = vk::ImageAspectFlags::from_raw(DEPTH.as_raw() | STENCIL.as_raw());

/// A plane of a format, whose texels are fewer across and down alike.
const fn plane(footprint: D, of: D, index: usize, aspect: vk::ImageAspectFlags) -> Plane {
    let plane = facts(of).planes[index];
    assert!(plane.across == plane.down);
    Plane { footprint, bytes: plane.bytes, subsample_log2: plane.across, aspect }
}

const fn facts(format: D) -> Facts {
    match facts_of(format.0 as u32) {
        Some(facts) => facts,
        None => panic!("the table has a format that is none"),
    }
}

const NONE: &[Plane] = &[];
/// One plane whose footprint has the format's own name and size.
const OWN: &[Plane] = &[Plane { footprint: D::FORMAT_UNKNOWN, bytes: 0, subsample_log2: 0, aspect: COLOR }];
const DEPTH_16: &[Plane] = &[plane(D::FORMAT_UNKNOWN, D::FORMAT_D16_UNORM, 0, DEPTH)];
const DEPTH_32: &[Plane] = &[plane(D::FORMAT_UNKNOWN, D::FORMAT_D32_FLOAT, 0, DEPTH)];
const DEPTH_STENCIL: &[Plane] = &[
    plane(D::FORMAT_R32_TYPELESS, D::FORMAT_R32G8X24_TYPELESS, 0, DEPTH),
    plane(D::FORMAT_R8_TYPELESS, D::FORMAT_R32G8X24_TYPELESS, 1, STENCIL),
];
const LUMA: vk::ImageAspectFlags = vk::ImageAspectFlags::PLANE_0;
const CHROMA: vk::ImageAspectFlags = vk::ImageAspectFlags::PLANE_1;
const LUMA_CHROMA: vk::ImageAspectFlags = vk::ImageAspectFlags::from_raw(LUMA.as_raw() | CHROMA.as_raw());
const VIDEO_8: &[Plane] =
    &[plane(D::FORMAT_R8_TYPELESS, D::FORMAT_NV12, 0, LUMA), plane(D::FORMAT_R8G8_TYPELESS, D::FORMAT_NV12, 1, CHROMA)];
const VIDEO_16: &[Plane] = &[
    plane(D::FORMAT_R16_TYPELESS, D::FORMAT_P010, 0, LUMA),
    plane(D::FORMAT_R16G16_TYPELESS, D::FORMAT_P010, 1, CHROMA),
];

const fn color(dxgi: D, vk: V, kind: Encoding, family: D) -> Format {
    let Facts { block_width, block_height, planes } = facts(dxgi);
    let block_bytes = if let [plane] = planes { plane.bytes } else { 0 };
    Format {
        dxgi,
        vk,
        kind,
        family,
        block_width,
        block_height,
        block_bytes,
        planes: OWN,
        aspects: COLOR,
        swizzle: Swizzle::Identity,
    }
}

impl Format {
    /// The bytes of all planes together.
    const fn packed(mut self, bytes: u8) -> Format {
        self.block_bytes = bytes;
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
    color(D::FORMAT_R32G32B32A32_TYPELESS, V::R32G32B32A32_UINT, Typeless, D::FORMAT_R32G32B32A32_TYPELESS),
    color(D::FORMAT_R32G32B32A32_FLOAT, V::R32G32B32A32_SFLOAT, Float, D::FORMAT_R32G32B32A32_TYPELESS),
    color(D::FORMAT_R32G32B32A32_UINT, V::R32G32B32A32_UINT, Uint, D::FORMAT_R32G32B32A32_TYPELESS),
    color(D::FORMAT_R32G32B32A32_SINT, V::R32G32B32A32_SINT, Sint, D::FORMAT_R32G32B32A32_TYPELESS),
    color(D::FORMAT_R32G32B32_TYPELESS, V::R32G32B32_UINT, Typeless, D::FORMAT_R32G32B32_TYPELESS),
    color(D::FORMAT_R32G32B32_FLOAT, V::R32G32B32_SFLOAT, Float, D::FORMAT_R32G32B32_TYPELESS),
    color(D::FORMAT_R32G32B32_UINT, V::R32G32B32_UINT, Uint, D::FORMAT_R32G32B32_TYPELESS),
    color(D::FORMAT_R32G32B32_SINT, V::R32G32B32_SINT, Sint, D::FORMAT_R32G32B32_TYPELESS),
    color(D::FORMAT_R16G16B16A16_TYPELESS, V::R16G16B16A16_UINT, Typeless, D::FORMAT_R16G16B16A16_TYPELESS),
    color(D::FORMAT_R16G16B16A16_FLOAT, V::R16G16B16A16_SFLOAT, Float, D::FORMAT_R16G16B16A16_TYPELESS),
    color(D::FORMAT_R16G16B16A16_UNORM, V::R16G16B16A16_UNORM, Unorm, D::FORMAT_R16G16B16A16_TYPELESS),
    color(D::FORMAT_R16G16B16A16_UINT, V::R16G16B16A16_UINT, Uint, D::FORMAT_R16G16B16A16_TYPELESS),
    color(D::FORMAT_R16G16B16A16_SNORM, V::R16G16B16A16_SNORM, Snorm, D::FORMAT_R16G16B16A16_TYPELESS),
    color(D::FORMAT_R16G16B16A16_SINT, V::R16G16B16A16_SINT, Sint, D::FORMAT_R16G16B16A16_TYPELESS),
    color(D::FORMAT_R32G32_TYPELESS, V::R32G32_UINT, Typeless, D::FORMAT_R32G32_TYPELESS),
    color(D::FORMAT_R32G32_FLOAT, V::R32G32_SFLOAT, Float, D::FORMAT_R32G32_TYPELESS),
    color(D::FORMAT_R32G32_UINT, V::R32G32_UINT, Uint, D::FORMAT_R32G32_TYPELESS),
    color(D::FORMAT_R32G32_SINT, V::R32G32_SINT, Sint, D::FORMAT_R32G32_TYPELESS),
    color(D::FORMAT_R32G8X24_TYPELESS, V::D32_SFLOAT_S8_UINT, Typeless, D::FORMAT_R32G8X24_TYPELESS).planar(DEPTH_STENCIL, BOTH).packed(8),
    color(D::FORMAT_D32_FLOAT_S8X24_UINT, V::D32_SFLOAT_S8_UINT, Depth, D::FORMAT_R32G8X24_TYPELESS).planar(DEPTH_STENCIL, BOTH).packed(8),
    color(D::FORMAT_R32_FLOAT_X8X24_TYPELESS, V::D32_SFLOAT_S8_UINT, Float, D::FORMAT_R32G8X24_TYPELESS).planar(DEPTH_STENCIL, DEPTH).packed(8),
    color(D::FORMAT_X32_TYPELESS_G8X24_UINT, V::D32_SFLOAT_S8_UINT, Uint, D::FORMAT_R32G8X24_TYPELESS).planar(DEPTH_STENCIL, STENCIL).packed(8).swizzled(Swizzle::Green),
    color(D::FORMAT_R10G10B10A2_TYPELESS, V::A2B10G10R10_UNORM_PACK32, Typeless, D::FORMAT_R10G10B10A2_TYPELESS),
    color(D::FORMAT_R10G10B10A2_UNORM, V::A2B10G10R10_UNORM_PACK32, Unorm, D::FORMAT_R10G10B10A2_TYPELESS),
    color(D::FORMAT_R10G10B10A2_UINT, V::A2B10G10R10_UINT_PACK32, Uint, D::FORMAT_R10G10B10A2_TYPELESS),
    color(D::FORMAT_R11G11B10_FLOAT, V::B10G11R11_UFLOAT_PACK32, Float, D::FORMAT_R11G11B10_FLOAT),
    color(D::FORMAT_R8G8B8A8_TYPELESS, V::R8G8B8A8_UNORM, Typeless, D::FORMAT_R8G8B8A8_TYPELESS),
    color(D::FORMAT_R8G8B8A8_UNORM, V::R8G8B8A8_UNORM, Unorm, D::FORMAT_R8G8B8A8_TYPELESS),
    color(D::FORMAT_R8G8B8A8_UNORM_SRGB, V::R8G8B8A8_SRGB, Srgb, D::FORMAT_R8G8B8A8_TYPELESS),
    color(D::FORMAT_R8G8B8A8_UINT, V::R8G8B8A8_UINT, Uint, D::FORMAT_R8G8B8A8_TYPELESS),
    color(D::FORMAT_R8G8B8A8_SNORM, V::R8G8B8A8_SNORM, Snorm, D::FORMAT_R8G8B8A8_TYPELESS),
    color(D::FORMAT_R8G8B8A8_SINT, V::R8G8B8A8_SINT, Sint, D::FORMAT_R8G8B8A8_TYPELESS),
    color(D::FORMAT_R16G16_TYPELESS, V::R16G16_UINT, Typeless, D::FORMAT_R16G16_TYPELESS),
    color(D::FORMAT_R16G16_FLOAT, V::R16G16_SFLOAT, Float, D::FORMAT_R16G16_TYPELESS),
    color(D::FORMAT_R16G16_UNORM, V::R16G16_UNORM, Unorm, D::FORMAT_R16G16_TYPELESS),
    color(D::FORMAT_R16G16_UINT, V::R16G16_UINT, Uint, D::FORMAT_R16G16_TYPELESS),
    color(D::FORMAT_R16G16_SNORM, V::R16G16_SNORM, Snorm, D::FORMAT_R16G16_TYPELESS),
    color(D::FORMAT_R16G16_SINT, V::R16G16_SINT, Sint, D::FORMAT_R16G16_TYPELESS),
    color(D::FORMAT_R32_TYPELESS, V::R32_UINT, Typeless, D::FORMAT_R32_TYPELESS),
    color(D::FORMAT_D32_FLOAT, V::D32_SFLOAT, Depth, D::FORMAT_R32_TYPELESS).planar(DEPTH_32, DEPTH),
    color(D::FORMAT_R32_FLOAT, V::R32_SFLOAT, Float, D::FORMAT_R32_TYPELESS),
    color(D::FORMAT_R32_UINT, V::R32_UINT, Uint, D::FORMAT_R32_TYPELESS),
    color(D::FORMAT_R32_SINT, V::R32_SINT, Sint, D::FORMAT_R32_TYPELESS),
    color(D::FORMAT_R24G8_TYPELESS, V::D24_UNORM_S8_UINT, Typeless, D::FORMAT_R24G8_TYPELESS).planar(DEPTH_STENCIL, BOTH).packed(4),
    color(D::FORMAT_D24_UNORM_S8_UINT, V::D24_UNORM_S8_UINT, Depth, D::FORMAT_R24G8_TYPELESS).planar(DEPTH_STENCIL, BOTH).packed(4),
    color(D::FORMAT_R24_UNORM_X8_TYPELESS, V::D24_UNORM_S8_UINT, Unorm, D::FORMAT_R24G8_TYPELESS).planar(DEPTH_STENCIL, DEPTH).packed(4),
    color(D::FORMAT_X24_TYPELESS_G8_UINT, V::D24_UNORM_S8_UINT, Uint, D::FORMAT_R24G8_TYPELESS).planar(DEPTH_STENCIL, STENCIL).packed(4).swizzled(Swizzle::Green),
    color(D::FORMAT_R8G8_TYPELESS, V::R8G8_UNORM, Typeless, D::FORMAT_R8G8_TYPELESS),
    color(D::FORMAT_R8G8_UNORM, V::R8G8_UNORM, Unorm, D::FORMAT_R8G8_TYPELESS),
    color(D::FORMAT_R8G8_UINT, V::R8G8_UINT, Uint, D::FORMAT_R8G8_TYPELESS),
    color(D::FORMAT_R8G8_SNORM, V::R8G8_SNORM, Snorm, D::FORMAT_R8G8_TYPELESS),
    color(D::FORMAT_R8G8_SINT, V::R8G8_SINT, Sint, D::FORMAT_R8G8_TYPELESS),
    color(D::FORMAT_R16_TYPELESS, V::R16_UINT, Typeless, D::FORMAT_R16_TYPELESS),
    color(D::FORMAT_R16_FLOAT, V::R16_SFLOAT, Float, D::FORMAT_R16_TYPELESS),
    color(D::FORMAT_D16_UNORM, V::D16_UNORM, Depth, D::FORMAT_R16_TYPELESS).planar(DEPTH_16, DEPTH),
    color(D::FORMAT_R16_UNORM, V::R16_UNORM, Unorm, D::FORMAT_R16_TYPELESS),
    color(D::FORMAT_R16_UINT, V::R16_UINT, Uint, D::FORMAT_R16_TYPELESS),
    color(D::FORMAT_R16_SNORM, V::R16_SNORM, Snorm, D::FORMAT_R16_TYPELESS),
    color(D::FORMAT_R16_SINT, V::R16_SINT, Sint, D::FORMAT_R16_TYPELESS),
    color(D::FORMAT_R8_TYPELESS, V::R8_UNORM, Typeless, D::FORMAT_R8_TYPELESS),
    color(D::FORMAT_R8_UNORM, V::R8_UNORM, Unorm, D::FORMAT_R8_TYPELESS),
    color(D::FORMAT_R8_UINT, V::R8_UINT, Uint, D::FORMAT_R8_TYPELESS),
    color(D::FORMAT_R8_SNORM, V::R8_SNORM, Snorm, D::FORMAT_R8_TYPELESS),
    color(D::FORMAT_R8_SINT, V::R8_SINT, Sint, D::FORMAT_R8_TYPELESS),
    color(D::FORMAT_A8_UNORM, V::R8_UNORM, Unorm, D::FORMAT_A8_UNORM).swizzled(Swizzle::Alpha),
    color(D::FORMAT_R1_UNORM, V::UNDEFINED, Unorm, D::FORMAT_R1_UNORM),
    color(D::FORMAT_R9G9B9E5_SHAREDEXP, V::E5B9G9R9_UFLOAT_PACK32, Float, D::FORMAT_R9G9B9E5_SHAREDEXP),
    color(D::FORMAT_R8G8_B8G8_UNORM, V::UNDEFINED, Unorm, D::FORMAT_R8G8_B8G8_UNORM),
    color(D::FORMAT_G8R8_G8B8_UNORM, V::UNDEFINED, Unorm, D::FORMAT_G8R8_G8B8_UNORM),
    color(D::FORMAT_BC1_TYPELESS, V::BC1_RGBA_UNORM_BLOCK, Typeless, D::FORMAT_BC1_TYPELESS),
    color(D::FORMAT_BC1_UNORM, V::BC1_RGBA_UNORM_BLOCK, Unorm, D::FORMAT_BC1_TYPELESS),
    color(D::FORMAT_BC1_UNORM_SRGB, V::BC1_RGBA_SRGB_BLOCK, Srgb, D::FORMAT_BC1_TYPELESS),
    color(D::FORMAT_BC2_TYPELESS, V::BC2_UNORM_BLOCK, Typeless, D::FORMAT_BC2_TYPELESS),
    color(D::FORMAT_BC2_UNORM, V::BC2_UNORM_BLOCK, Unorm, D::FORMAT_BC2_TYPELESS),
    color(D::FORMAT_BC2_UNORM_SRGB, V::BC2_SRGB_BLOCK, Srgb, D::FORMAT_BC2_TYPELESS),
    color(D::FORMAT_BC3_TYPELESS, V::BC3_UNORM_BLOCK, Typeless, D::FORMAT_BC3_TYPELESS),
    color(D::FORMAT_BC3_UNORM, V::BC3_UNORM_BLOCK, Unorm, D::FORMAT_BC3_TYPELESS),
    color(D::FORMAT_BC3_UNORM_SRGB, V::BC3_SRGB_BLOCK, Srgb, D::FORMAT_BC3_TYPELESS),
    color(D::FORMAT_BC4_TYPELESS, V::BC4_UNORM_BLOCK, Typeless, D::FORMAT_BC4_TYPELESS),
    color(D::FORMAT_BC4_UNORM, V::BC4_UNORM_BLOCK, Unorm, D::FORMAT_BC4_TYPELESS),
    color(D::FORMAT_BC4_SNORM, V::BC4_SNORM_BLOCK, Snorm, D::FORMAT_BC4_TYPELESS),
    color(D::FORMAT_BC5_TYPELESS, V::BC5_UNORM_BLOCK, Typeless, D::FORMAT_BC5_TYPELESS),
    color(D::FORMAT_BC5_UNORM, V::BC5_UNORM_BLOCK, Unorm, D::FORMAT_BC5_TYPELESS),
    color(D::FORMAT_BC5_SNORM, V::BC5_SNORM_BLOCK, Snorm, D::FORMAT_BC5_TYPELESS),
    color(D::FORMAT_B5G6R5_UNORM, V::R5G6B5_UNORM_PACK16, Unorm, D::FORMAT_B5G6R5_UNORM),
    color(D::FORMAT_B5G5R5A1_UNORM, V::A1R5G5B5_UNORM_PACK16, Unorm, D::FORMAT_B5G5R5A1_UNORM),
    color(D::FORMAT_B8G8R8A8_UNORM, V::B8G8R8A8_UNORM, Unorm, D::FORMAT_B8G8R8A8_TYPELESS),
    color(D::FORMAT_B8G8R8X8_UNORM, V::B8G8R8A8_UNORM, Unorm, D::FORMAT_B8G8R8X8_TYPELESS).swizzled(Swizzle::Opaque),
    color(D::FORMAT_R10G10B10_XR_BIAS_A2_UNORM, V::UNDEFINED, Unorm, D::FORMAT_R10G10B10A2_TYPELESS),
    color(D::FORMAT_B8G8R8A8_TYPELESS, V::B8G8R8A8_UNORM, Typeless, D::FORMAT_B8G8R8A8_TYPELESS),
    color(D::FORMAT_B8G8R8A8_UNORM_SRGB, V::B8G8R8A8_SRGB, Srgb, D::FORMAT_B8G8R8A8_TYPELESS),
    color(D::FORMAT_B8G8R8X8_TYPELESS, V::B8G8R8A8_UNORM, Typeless, D::FORMAT_B8G8R8X8_TYPELESS).swizzled(Swizzle::Opaque),
    color(D::FORMAT_B8G8R8X8_UNORM_SRGB, V::B8G8R8A8_SRGB, Srgb, D::FORMAT_B8G8R8X8_TYPELESS).swizzled(Swizzle::Opaque),
    color(D::FORMAT_BC6H_TYPELESS, V::BC6H_UFLOAT_BLOCK, Typeless, D::FORMAT_BC6H_TYPELESS),
    color(D::FORMAT_BC6H_UF16, V::BC6H_UFLOAT_BLOCK, Float, D::FORMAT_BC6H_TYPELESS),
    color(D::FORMAT_BC6H_SF16, V::BC6H_SFLOAT_BLOCK, Float, D::FORMAT_BC6H_TYPELESS),
    color(D::FORMAT_BC7_TYPELESS, V::BC7_UNORM_BLOCK, Typeless, D::FORMAT_BC7_TYPELESS),
    color(D::FORMAT_BC7_UNORM, V::BC7_UNORM_BLOCK, Unorm, D::FORMAT_BC7_TYPELESS),
    color(D::FORMAT_BC7_UNORM_SRGB, V::BC7_SRGB_BLOCK, Srgb, D::FORMAT_BC7_TYPELESS),
    color(D::FORMAT_AYUV, V::UNDEFINED, Unorm, D::FORMAT_AYUV),
    color(D::FORMAT_Y410, V::UNDEFINED, Unorm, D::FORMAT_Y410),
    color(D::FORMAT_Y416, V::UNDEFINED, Unorm, D::FORMAT_Y416),
    color(D::FORMAT_NV12, V::G8_B8R8_2PLANE_420_UNORM, Unorm, D::FORMAT_NV12).planar(VIDEO_8, LUMA_CHROMA),
    // Views of P010 see 16 bits, of which the lowest six are zero.
    color(D::FORMAT_P010, V::G16_B16R16_2PLANE_420_UNORM, Unorm, D::FORMAT_P010).planar(VIDEO_16, LUMA_CHROMA),
    color(D::FORMAT_P016, V::G16_B16R16_2PLANE_420_UNORM, Unorm, D::FORMAT_P016).planar(VIDEO_16, LUMA_CHROMA),
    color(D::FORMAT_420_OPAQUE, V::UNDEFINED, Opaque, D::FORMAT_420_OPAQUE).planar(VIDEO_8, COLOR),
    color(D::FORMAT_YUY2, V::UNDEFINED, Unorm, D::FORMAT_YUY2),
    color(D::FORMAT_Y210, V::UNDEFINED, Unorm, D::FORMAT_Y210),
    color(D::FORMAT_Y216, V::UNDEFINED, Unorm, D::FORMAT_Y216),
    color(D::FORMAT_NV11, V::UNDEFINED, Unorm, D::FORMAT_NV11).planar(NONE, COLOR),
    color(D::FORMAT_AI44, V::UNDEFINED, Unorm, D::FORMAT_AI44),
    color(D::FORMAT_IA44, V::UNDEFINED, Unorm, D::FORMAT_IA44),
    color(D::FORMAT_P8, V::UNDEFINED, Unorm, D::FORMAT_P8),
    color(D::FORMAT_A8P8, V::UNDEFINED, Unorm, D::FORMAT_A8P8),
    color(D::FORMAT_B4G4R4A4_UNORM, V::A4R4G4B4_UNORM_PACK16, Unorm, D::FORMAT_B4G4R4A4_UNORM),
    color(D::FORMAT_P208, V::UNDEFINED, Unorm, D::FORMAT_P208).planar(NONE, COLOR),
    color(D::FORMAT_V208, V::UNDEFINED, Unorm, D::FORMAT_V208).planar(NONE, COLOR),
    color(D::FORMAT_V408, V::UNDEFINED, Unorm, D::FORMAT_V408).planar(NONE, COLOR),
    color(D::FORMAT_SAMPLER_FEEDBACK_MIN_MIP_OPAQUE, V::UNDEFINED, Opaque, D::FORMAT_SAMPLER_FEEDBACK_MIN_MIP_OPAQUE),
    color(D::FORMAT_SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE, V::UNDEFINED, Opaque, D::FORMAT_SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE),
    color(D::FORMAT_A4B4G4R4_UNORM, V::R4G4B4A4_UNORM_PACK16, Unorm, D::FORMAT_A4B4G4R4_UNORM),
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
