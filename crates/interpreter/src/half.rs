//! Floats of 16 bits.

/// The same number with 32 bits.
pub(crate) fn to_f32(half: u16) -> f32 {
    let (sign, exponent, fraction) = (half >> 15, half >> 10 & 31, half & 0x3ff);
    let size = match exponent {
        0 => f32::from(fraction) * 2f32.powi(-24),
        31 if fraction == 0 => f32::INFINITY,
        // What makes a NaN signal stays as it is: nothing is calculated.
        31 => return f32::from_bits(u32::from(sign) << 31 | 0x7f80_0000 | u32::from(fraction) << 13),
        _ => (1.0 + f32::from(fraction) / 1024.0) * 2f32.powi(i32::from(exponent) - 15),
    };
    if sign == 1 { -size } else { size }
}

/// The nearest number with 16 bits; of two the even one.
pub fn of_f32(number: f32) -> u16 {
    of_f64(f64::from(number))
}

/// The number with 16 bits that is next to a number on one side: -1 below, 1 above, 0 the nearest one. Those that are exact stay.
pub(crate) fn beside(number: f32, side: f64) -> u16 {
    let nearest = of_f32(number);
    let there = to_f32(nearest);
    let step = |up: bool| if up == (nearest >> 15 == 0) { nearest.wrapping_add(1) } else { nearest.wrapping_sub(1) };
    match (side < 0.0 && there > number, side > 0.0 && there < number) {
        (true, _) => step(false),
        (_, true) => step(true),
        _ => nearest,
    }
}

/// The nearest number with 16 bits; of two the even one.
pub(crate) fn of_f64(number: f64) -> u16 {
    let sign = u16::from(number.is_sign_negative()) << 15;
    let size = number.abs();
    if number.is_nan() {
        return sign | 0x7e00;
    }
    // Half a step above the largest one is already infinite.
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    let exponent = if size < 2f64.powi(-14) { -14 } else { (size.to_bits() >> 52) as i32 - 1023 };
    // A power of two: exact.
    let steps = (size * 2f64.powi(10 - exponent)).round_ties_even() as u16;
    // What rounds up to the next power carries into the exponent by itself.
    sign | (((exponent + 14) as u16) << 10).wrapping_add(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lie_between_their_neighbours() {
        for number in [1.0001f32, -1.0001, 0.999_9, -0.999_9, 65_519.0, 65_530.0, 1e-8, -1e-8, 3.3, -2048.5] {
            let [below, above] = [-1.0, 1.0].map(|side| beside(number, side));
            assert!(to_f32(below) < number && number < to_f32(above), "{number}: {below:#x}, {above:#x}");
            assert!(of_f32(number) == below || of_f32(number) == above);
            assert_eq!(below.abs_diff(above), 1, "{number}");
        }
        assert_eq!([-1.0, 0.0, 1.0].map(|side| beside(1.5, side)), [0x3e00; 3]);
    }

    /// IEEE 754-2019, binary16.
    #[test]
    fn numbers_are_those_of_the_standard() {
        for (half, number) in [
            (0x0000, 0.0),
            (0x8000, -0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0400, 6.103_515_6e-5),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x3555, 0.333_251_95),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(to_f32(half).to_bits(), f32::to_bits(number), "{half:04x}");
            assert_eq!(of_f32(number), half, "{number}");
        }
        assert!(to_f32(0x7e00).is_nan() && to_f32(of_f32(f32::NAN)).is_nan());
    }

    #[test]
    fn of_two_that_are_as_near_the_even_one_is_taken() {
        for (number, half) in [
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
            (1.0 + 1.0 / 2048.0 + 1.0 / 1_048_576.0, 0x3c01),
            (65519.99, 0x7bff),
            (65520.0, 0x7c00),
            (2f32.powi(-25), 0),
            (2f32.powi(-24) * 1.5, 2),
            // The last one below the normal ones rounds up to them.
            (2f32.powi(-14) - 2f32.powi(-26), 0x0400),
        ] {
            assert_eq!(of_f32(number), half, "{number}");
        }
    }

    #[test]
    fn all_numbers_come_back() {
        for half in 0..=u16::MAX {
            let number = to_f32(half);
            assert!(number.is_nan() || of_f32(number) == half, "{half:04x}");
        }
    }
}
