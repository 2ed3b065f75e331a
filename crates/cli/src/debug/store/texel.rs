//! Texels of one format: their bytes, and the components that a shader has of them.

use reprise_interpreter::half;
use reprise_picture::{Kind, Layout, Texels, srgb};

/// What a channel that a format lacks reads as: 0, and 1 for alpha.
pub(super) fn absent(kind: Kind) -> u64 {
    if matches!(kind, Kind::Uint | Kind::Sint) { 1 } else { u64::from(1f32.to_bits()) }
}

/// Whether colours are encoded as sRGB has them.
pub(super) fn is_encoded(layout: Layout) -> bool {
    matches!(layout, Layout::Packed { srgb: true, .. } | Layout::Blocks { srgb: true, .. })
}

/// Whether the second plane of a format is a stencil.
pub(super) fn is_stencil(format: u32) -> bool {
    reprise_picture::format_name(format).is_some_and(|name| name.contains("G8X24") || name.contains("G8_UINT"))
}

/// The components of a texel of one format.
pub(in crate::debug) fn decode(format: u32, plane: u32, bytes: &[u8]) -> Result<[u64; 4], String> {
    let layout = Layout::of(format, plane)?;
    let mut texel = [0, 0, 0, absent(layout.kind())];
    if let Layout::Packed { channels, .. } = layout
        && channels.iter().all(|(_, width)| matches!(width, 0 | 32))
    {
        for (to, (bit, width)) in texel.iter_mut().zip(channels) {
            let word = bytes.get(usize::from(bit / 8)..).and_then(|bytes| bytes.first_chunk::<4>());
            if let (32, Some(word)) = (width, word) {
                *to = u32::from_le_bytes(*word).into();
            }
        }
        return Ok(texel);
    }
    let values = Texels::new(format, plane, (1, 1), bytes.to_vec())?.at(0, 0).ok_or("a texel is cut")?;
    Ok(components(layout, values))
}

/// Numbers as a shader has them.
pub(super) fn components(layout: Layout, mut values: [f64; 4]) -> [u64; 4] {
    if is_encoded(layout) {
        values[..3].iter_mut().for_each(|value| *value = srgb::linear(*value));
    }
    let mut texel = values.map(|value| match layout.kind() {
        Kind::Uint => value as u32 as u64,
        Kind::Sint => u64::from(value as i32 as u32),
        _ => u64::from((value as f32).to_bits()),
    });
    if !layout.channels()[3] {
        texel[3] = absent(layout.kind());
    }
    texel
}

/// A texel of one format.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Encoded {
    pub(super) bytes: Vec<u8>,
    /// Components whose float holds less than the number: how these are rounded, the API leaves open.
    pub(super) is_rounded: [bool; 4],
}

/// A float without a sign, of 5 bits of exponent: the next one towards 0, and more than fits is the greatest.
fn unsigned_float(number: f64, fraction: u32) -> u64 {
    let infinity = 31 << fraction;
    if number.is_nan() {
        return infinity | 1 << (fraction - 1);
    }
    if number <= 0.0 {
        return 0;
    }
    if number.is_infinite() {
        return infinity;
    }
    let exponent = if number < 2f64.powi(-14) { -14 } else { (number.to_bits() >> 52) as i32 - 1023 };
    if exponent > 15 {
        return infinity - 1;
    }
    let steps = (number * 2f64.powi(fraction as i32 - exponent)).floor() as u64;
    (((exponent + 14) as u64) << fraction) + steps
}

/// The texel of one format that holds what a shader writes.
pub(super) fn encode(format: u32, components: [u64; 4]) -> Result<Encoded, String> {
    let layout = Layout::of(format, 0)?;
    let unsupported = || {
        let name = reprise_picture::format_name(format).unwrap_or("an unknown format");
        format!("writes to texels of {name} are not supported yet")
    };
    let Layout::Packed { bytes, channels, kind, srgb: false } = layout else { return Err(unsupported()) };
    let mut word = 0u128;
    for ((bit, width), component) in channels.into_iter().zip(components) {
        if width == 0 {
            continue;
        }
        let mask = (1u64 << width) - 1;
        let real = f64::from(f32::from_bits(component as u32));
        let steps = |most: f64| {
            let value = if real.is_nan() { 0.0 } else { real * most };
            // Half a step goes away from 0.
            value.abs().mul_add(1.0, 0.5).floor().copysign(value)
        };
        let field = match (kind, width) {
            // More than fits is the greatest.
            (Kind::Uint, _) => component.min(mask),
            (Kind::Sint, 32) => component,
            (Kind::Sint, _) => {
                let most = (1i64 << (width - 1)) - 1;
                i64::from(component as u32 as i32).clamp(-most - 1, most) as u64 & mask
            }
            (Kind::Float, 32) => component,
            (Kind::Float, 16) => u64::from(half(f32::from_bits(component as u32))),
            (Kind::Float, 10 | 11) => unsigned_float(real, u32::from(width) - 5),
            (Kind::Unorm, _) => steps(mask as f64).clamp(0.0, mask as f64) as u64,
            (Kind::Snorm, _) => {
                let most = ((1i64 << (width - 1)) - 1) as f64;
                steps(most).clamp(-most, most) as i64 as u64 & mask
            }
            _ => return Err(unsupported()),
        };
        word |= u128::from(field & mask) << bit;
    }
    let bytes = word.to_le_bytes()[..bytes as usize].to_vec();
    let mut is_rounded = [false; 4];
    if kind == Kind::Float && channels.iter().any(|(_, width)| (1..32).contains(width)) {
        let held = decode(format, 0, &bytes)?;
        for (index, (_, width)) in channels.into_iter().enumerate() {
            is_rounded[index] = width != 0 && held[index] != components[index] & u64::from(u32::MAX);
        }
    }
    Ok(Encoded { bytes, is_rounded })
}

/// Components where a view's mapping puts them.
pub(super) fn mapped(texel: [u64; 4], mapping: [u32; 4], layout: Layout) -> [u64; 4] {
    mapping.map(|from| match from {
        0..=3 => texel[from as usize],
        5 => absent(layout.kind()),
        _ => 0,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_d3d12::types::DXGI_FORMAT;

    /// Direct3D's rules for conversions (Direct3D 11.3 functional specification, 3.2.3).
    #[test]
    fn texels_are_as_the_rules_for_conversions_have_them() {
        let reals = |values: [f32; 4]| values.map(|it| u64::from(it.to_bits()));
        let encode = |format, components| encode(format, components).map(|texel| texel.bytes);
        let unorm = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM.0 as u32;
        assert_eq!(encode(unorm, reals([0.0, 1.0, 0.5, 7.0])).unwrap(), [0, 255, 128, 255]);
        assert_eq!(encode(unorm, reals([-1.0, f32::NAN, 0.001, 0.998])).unwrap(), [0, 0, 0, 254]);
        let snorm = DXGI_FORMAT::FORMAT_R8_SNORM.0 as u32;
        assert_eq!(encode(snorm, reals([-1.0, 0.0, 0.0, 0.0])).unwrap(), [0x81]);
        let words = DXGI_FORMAT::FORMAT_R16G16_UINT.0 as u32;
        assert_eq!(encode(words, [70_000, 5, 0, 0]).unwrap(), [0xff, 0xff, 5, 0]);
        assert_eq!(decode(words, 0, &[1, 2, 3, 4]).unwrap(), [0x201, 0x403, 0, 1]);
        let signed = DXGI_FORMAT::FORMAT_R8_SINT.0 as u32;
        assert_eq!(encode(signed, [u64::from(-200i32 as u32), 0, 0, 0]).unwrap(), [0x80]);
        assert_eq!(decode(signed, 0, &[0xff]).unwrap(), [0xffff_ffff, 0, 0, 1]);
        let single = DXGI_FORMAT::FORMAT_R32_FLOAT.0 as u32;
        let nan = 0x7f80_0001u32;
        assert_eq!(decode(single, 0, &nan.to_le_bytes()).unwrap(), [nan.into(), 0, 0, 0x3f80_0000]);
        let ten = DXGI_FORMAT::FORMAT_R10G10B10A2_UNORM.0 as u32;
        let word = (1023u32 | 512 << 10 | 3 << 30).to_le_bytes();
        assert_eq!(encode(ten, reals([1.5, 0.5, -1.0, 1.0])).unwrap(), word);
        let ten = DXGI_FORMAT::FORMAT_R10G10B10A2_UINT.0 as u32;
        assert_eq!(encode(ten, [5000, 7, 0, 9]).unwrap(), (1023u32 | 7 << 10 | 3 << 30).to_le_bytes());
    }

    /// Floats without a sign: 6 bits of fraction in red and green, 5 in blue.
    #[test]
    fn floats_of_ten_and_eleven_bits_are_rounded_towards_zero() {
        let format = DXGI_FORMAT::FORMAT_R11G11B10_FLOAT.0 as u32;
        let reals = |values: [f32; 3]| [values[0], values[1], values[2], 9.0].map(|it| u64::from(it.to_bits()));
        let texel = |values| encode(format, reals(values)).unwrap();
        let held = |values| {
            let held = decode(format, 0, &texel(values).bytes).unwrap();
            [held[0], held[1], held[2]].map(|bits| f32::from_bits(bits as u32))
        };
        // Exact: a denormal, and the greatest of each.
        for exact in [[1.0, 0.5, 3.0], [2f32.powi(-20), 65_024.0, 64_512.0], [0.0, f32::INFINITY, 1.5]] {
            assert_eq!((held(exact), texel(exact).is_rounded), (exact, [false; 4]));
        }
        assert_eq!(held([1.0 + 1.9 / 64.0, 1e9, 1.0 + 1.9 / 32.0]), [1.0 + 1.0 / 64.0, 65_024.0, 1.0 + 1.0 / 32.0]);
        assert_eq!(held([-1.0, f32::NEG_INFINITY, 1e-9]), [0.0; 3]);
        assert_eq!(texel([1.001, 1.0, -1.0]).is_rounded, [true, false, true, false]);
        assert!(held([f32::NAN; 3]).iter().all(|it| it.is_nan()));
    }
}
