//! From values to the bits of a texel, as the API converts them when it clears by unordered access. Pure.
//!
//! Invariant: bits beyond a format's size are zero.

use ash::vk::Format as V;

use crate::format::row::{Encoding, Format, Swizzle};

/// Values of red, green, blue, alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// The low bits of each are the component's, whatever the format makes of them.
    Bits([u32; 4]),
    /// Numbers, converted to what the format has.
    Numbers([f32; 4]),
}

/// Where a component lies: which one, its first bit, its bits.
pub type Place = (usize, u32, u32);

/// Bits of the lowest component of a Vulkan format; `None` for blocks, depth, sRGB and formats of several planes.
pub fn lowest(format: V) -> Option<u32> {
    places(format).map(|(places, _)| places[0].2)
}

/// The components of a Vulkan format, from the lowest bit on, and how many there are; `None` for blocks, depth and formats of several planes.
pub fn places(format: V) -> Option<([Place; 4], usize)> {
    let plain = |bits: u32, count: usize| (core::array::from_fn(|at| (at, at as u32 * bits, bits)), count);
    Some(match format {
        V::R32G32B32A32_SFLOAT | V::R32G32B32A32_UINT | V::R32G32B32A32_SINT => plain(32, 4),
        V::R32G32B32_SFLOAT | V::R32G32B32_UINT | V::R32G32B32_SINT => plain(32, 3),
        V::R32G32_SFLOAT | V::R32G32_UINT | V::R32G32_SINT => plain(32, 2),
        V::R32_SFLOAT | V::R32_UINT | V::R32_SINT => plain(32, 1),
        V::R16G16B16A16_SFLOAT
        | V::R16G16B16A16_UNORM
        | V::R16G16B16A16_SNORM
        | V::R16G16B16A16_UINT
        | V::R16G16B16A16_SINT => plain(16, 4),
        V::R16G16_SFLOAT | V::R16G16_UNORM | V::R16G16_SNORM | V::R16G16_UINT | V::R16G16_SINT => plain(16, 2),
        V::R16_SFLOAT | V::R16_UNORM | V::R16_SNORM | V::R16_UINT | V::R16_SINT => plain(16, 1),
        V::R8G8B8A8_UNORM | V::R8G8B8A8_SNORM | V::R8G8B8A8_UINT | V::R8G8B8A8_SINT => plain(8, 4),
        V::R8G8_UNORM | V::R8G8_SNORM | V::R8G8_UINT | V::R8G8_SINT => plain(8, 2),
        V::R8_UNORM | V::R8_SNORM | V::R8_UINT | V::R8_SINT => plain(8, 1),
        V::B8G8R8A8_UNORM => ([(2, 0, 8), (1, 8, 8), (0, 16, 8), (3, 24, 8)], 4),
        V::A2B10G10R10_UNORM_PACK32 | V::A2B10G10R10_UINT_PACK32 => {
            ([(0, 0, 10), (1, 10, 10), (2, 20, 10), (3, 30, 2)], 4)
        }
        V::B10G11R11_UFLOAT_PACK32 => ([(0, 0, 11), (1, 11, 11), (2, 22, 10), (3, 0, 0)], 3),
        V::E5B9G9R9_UFLOAT_PACK32 => ([(0, 0, 9), (1, 9, 9), (2, 18, 9), (3, 27, 5)], 4),
        V::R5G6B5_UNORM_PACK16 => ([(2, 0, 5), (1, 5, 6), (0, 11, 5), (3, 0, 0)], 3),
        V::A1R5G5B5_UNORM_PACK16 => ([(2, 0, 5), (1, 5, 5), (0, 10, 5), (3, 15, 1)], 4),
        V::A4R4G4B4_UNORM_PACK16 => ([(2, 0, 4), (1, 4, 4), (0, 8, 4), (3, 12, 4)], 4),
        V::R4G4B4A4_UNORM_PACK16 => ([(3, 0, 4), (2, 4, 4), (1, 8, 4), (0, 12, 4)], 4),
        _ => return None,
    })
}

impl Format {
    /// The bits of a texel, in four words; `None` where the format cannot be cleared so.
    pub fn encode(&self, values: Values) -> Option<[u32; 4]> {
        let (places, count) = places(self.vk)?;
        if let (Values::Numbers([r, g, b, _]), V::E5B9G9R9_UFLOAT_PACK32) = (values, self.vk) {
            return Some([shared_exponent([r, g, b]), 0, 0, 0]);
        }
        let mut texel = [0u32; 4];
        for (component, first, bits) in places.into_iter().take(count) {
            let component = if self.swizzle == Swizzle::Alpha { 3 } else { component };
            let value = match values {
                Values::Bits(given) => given[component],
                Values::Numbers(given) => number(self.kind, bits, given[component])?,
            };
            let mask = if bits == 32 { u32::MAX } else { (1 << bits) - 1 };
            texel[first as usize / 32] |= (value & mask) << (first % 32);
        }
        Some(texel)
    }
}

/// A number as a component of so many bits.
fn number(kind: Encoding, bits: u32, value: f32) -> Option<u32> {
    // `as` saturates and makes zero of what is no number.
    let most = f64::from(u32::MAX >> (32 - bits));
    Some(match kind {
        Encoding::Float => float(bits, value),
        Encoding::Unorm => (f64::from(value).clamp(0.0, 1.0) * most + 0.5) as u32,
        Encoding::Snorm => (f64::from(value).clamp(-1.0, 1.0) * (most / 2.0).floor()).round() as i32 as u32,
        Encoding::Uint => f64::from(value).clamp(0.0, most) as u32,
        Encoding::Sint => {
            let half = (most + 1.0) / 2.0;
            f64::from(value).clamp(-half, half - 1.0) as i32 as u32
        }
        Encoding::Typeless | Encoding::Srgb | Encoding::Depth | Encoding::Opaque => return None,
    })
}

/// A smaller floating-point number: 16 bits with a sign, 11 and 10 without, all with five bits of exponent. As the API
/// has it, digits that do not fit are cut off, so that what is too large becomes the largest number and not infinity.
fn float(bits: u32, value: f32) -> u32 {
    let (digits, signed) = match bits {
        32 => return value.to_bits(),
        16 => (10, true),
        11 => (6, false),
        _ => (5, false),
    };
    let infinity = 31 << digits;
    if value.is_nan() {
        return infinity | 1 << (digits - 1);
    }
    let negative = value.is_sign_negative();
    if negative && !signed {
        return 0;
    }
    let size = value.abs();
    let all = size.to_bits();
    let exponent = (all >> 23) as i32 - 127 + 15;
    let fraction = all & 0x7f_ffff;
    let cut = match exponent {
        _ if size.is_infinite() => infinity,
        31.. => infinity - 1,
        1..=30 => (exponent as u32) << digits | fraction >> (23 - digits),
        // Too small for an exponent: digits move down.
        _ => {
            let down = 23 - digits + 1 - exponent;
            if down > 24 { 0 } else { (fraction | 0x80_0000) >> down }
        }
    };
    cut | u32::from(negative) << (bits - 1)
}

/// Three numbers of nine bits that share an exponent of five.
fn shared_exponent(rgb: [f32; 3]) -> u32 {
    const MOST: f32 = 65408.0;
    let rgb = rgb.map(|value| if value.is_nan() { 0.0 } else { value.clamp(0.0, MOST) });
    let largest = rgb.into_iter().fold(0.0, f32::max);
    // The exponent of the largest, at least that of the smallest step.
    let exponent = ((largest.to_bits() >> 23) as i32 - 127).max(-16) + 1;
    let digits = |value: f32, exponent: i32| (f64::from(value) / 2f64.powi(exponent - 9) + 0.5) as u32;
    let exponent = if digits(largest, exponent) == 1 << 9 { exponent + 1 } else { exponent };
    let [r, g, b] = rgb.map(|value| digits(value, exponent));
    r | g << 9 | b << 18 | ((exponent + 15) as u32) << 27
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;
    use reprise_d3d12::types::DXGI_FORMAT as D;

    use super::*;

    fn texel(format: D, values: Values) -> u32 {
        Format::get(format).unwrap().encode(values).unwrap()[0]
    }

    #[test]
    fn bits_go_where_the_format_has_them() {
        let bits = Values::Bits([0x101, 0x202, 0x303, 0x404]);
        assert_eq!(texel(D::FORMAT_R8G8B8A8_UNORM, bits), 0x0403_0201);
        assert_eq!(texel(D::FORMAT_B8G8R8A8_UNORM, bits), 0x0401_0203);
        assert_eq!(texel(D::FORMAT_A8_UNORM, bits), 4);
        assert_eq!(texel(D::FORMAT_R16G16_FLOAT, bits), 0x0202_0101);
        assert_eq!(texel(D::FORMAT_R9G9B9E5_SHAREDEXP, Values::Bits([1, 2, 3, 4])), 0x200c_0401);
        assert_eq!(texel(D::FORMAT_B5G6R5_UNORM, Values::Bits([1, 2, 3, 4])), 1 << 11 | 2 << 5 | 3);
        assert_eq!(texel(D::FORMAT_B5G5R5A1_UNORM, Values::Bits([1, 2, 3, 1])), 1 << 15 | 1 << 10 | 2 << 5 | 3);
        assert_eq!(texel(D::FORMAT_B4G4R4A4_UNORM, Values::Bits([1, 2, 3, 4])), 0x4123);
        assert_eq!(texel(D::FORMAT_A4B4G4R4_UNORM, Values::Bits([1, 2, 3, 4])), 0x1234);
        let wide = Format::get(D::FORMAT_R32G32B32_SINT).unwrap().encode(bits).unwrap();
        assert_eq!(wide, [0x101, 0x202, 0x303, 0]);
        assert_eq!(Format::get(D::FORMAT_R16G16B16A16_UINT).unwrap().encode(bits).unwrap()[1], 0x0404_0303);
        assert!(Format::get(D::FORMAT_BC1_UNORM).unwrap().encode(bits).is_none());
        assert!(Format::get(D::FORMAT_D32_FLOAT).unwrap().encode(bits).is_none());
        // Clears by unordered access do not know the curve of sRGB.
        let numbers = Values::Numbers([0.5; 4]);
        assert!(Format::get(D::FORMAT_R8G8B8A8_UNORM_SRGB).unwrap().encode(numbers).is_none());
    }

    #[test]
    fn numbers_are_cut_to_what_the_format_has() {
        let (most, infinite, nan) = (f32::MAX, f32::INFINITY, f32::NAN);
        let numbers = |given| Values::Numbers(given);
        assert_eq!(texel(D::FORMAT_R16G16_FLOAT, numbers([most, -most, 0.0, 0.0])), 0xfbff_7bff);
        assert_eq!(texel(D::FORMAT_R16G16_FLOAT, numbers([infinite, -infinite, 0.0, 0.0])), 0xfc00_7c00);
        assert_eq!(texel(D::FORMAT_R11G11B10_FLOAT, numbers([most, -most, most, 0.0])), 0xf7c0_07bf);
        assert_eq!(texel(D::FORMAT_R11G11B10_FLOAT, numbers([infinite, -infinite, infinite, 0.0])), 0xf800_07c0);
        assert_eq!(texel(D::FORMAT_R11G11B10_FLOAT, numbers([0.5, 1.0, 2.0, 0.0])), 0x801e_0380);
        let shared = 31 << 27 | 0x1ff | 0x1ff << 18;
        assert_eq!(texel(D::FORMAT_R9G9B9E5_SHAREDEXP, numbers([most, -most, most, 0.0])), shared);
        assert_eq!(texel(D::FORMAT_R9G9B9E5_SHAREDEXP, numbers([infinite, nan, 0.0, 0.0])), 31 << 27 | 0x1ff);
        assert_eq!(texel(D::FORMAT_R8G8B8A8_UNORM, numbers([-1.0, nan, 0.5, 2.0])), 0xff80_0000);
        assert_eq!(texel(D::FORMAT_R8G8B8A8_SNORM, numbers([-2.0, nan, 0.5, 1.0])), 0x7f40_0081);
        assert_eq!(texel(D::FORMAT_R10G10B10A2_UNORM, numbers([0.500_488_76, 1.0, 0.0, 1.0])), 0xc00f_fe00);
        assert_eq!(texel(D::FORMAT_R16G16_UINT, numbers([1e9, -3.0, 0.0, 0.0])), 0xffff);
        assert_eq!(texel(D::FORMAT_R8G8_SINT, numbers([-300.0, 3.9, 0.0, 0.0])), 0x0380);
        assert_eq!(texel(D::FORMAT_R32_SINT, numbers([1e12, 0.0, 0.0, 0.0])), i32::MAX as u32);
    }

    /// What a half's bits say, from the definition.
    fn value(bits: u32) -> f64 {
        let (exponent, fraction) = (bits >> 10 & 31, f64::from(bits & 0x3ff));
        let size = match exponent {
            0 => fraction * 2f64.powi(-24),
            _ => (1024.0 + fraction) * 2f64.powi(exponent as i32 - 25),
        };
        if bits & 0x8000 != 0 { -size } else { size }
    }

    proptest! {
        /// The half is the nearest one towards zero.
        #[test]
        fn halves_are_cut_off(given in any::<f32>().prop_filter("finite", |value| value.is_finite())) {
            let half = float(16, given);
            prop_assert_eq!(half >> 15 & 1 == 1, given.is_sign_negative());
            let size = f64::from(given.abs());
            prop_assert!(value(half & 0x7fff) <= size);
            if half & 0x7fff < 0x7bff {
                prop_assert!(value((half & 0x7fff) + 1) > size);
            }
        }

        /// The shared exponent's numbers are right to half a step, and the largest has its top digit.
        #[test]
        fn shared_exponents_lose_half_a_step(rgb in prop::array::uniform3(0f32..65000.0)) {
            let bits = shared_exponent(rgb);
            let step = 2f64.powi((bits >> 27) as i32 - 24);
            for (at, given) in rgb.into_iter().enumerate() {
                let stored = f64::from(bits >> (9 * at) & 0x1ff) * step;
                prop_assert!((stored - f64::from(given)).abs() <= step / 2.0);
            }
        }
    }
}
