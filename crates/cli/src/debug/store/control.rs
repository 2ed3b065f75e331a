//! What a control makes of what is read.

/// What a control makes of a word: of a float the half, which shows also where it is rounded to a target of eight bits, and which formats of numbers up to 1
/// have, too; of all others the lowest bit is another one, because they may be indices and counts.
pub(super) fn turned(word: u64) -> u64 {
    let exponent = word >> 23 & 0xff;
    // From 2^-40 to 2^40.
    if (87..=167).contains(&exponent) { word - (1 << 23) } else { word ^ 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a control turns shows in a target of eight bits; numbers that count stay near.
    #[test]
    fn a_turned_bit_shows_behind_rounding() {
        let unorm = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        for value in [1.0f32, 0.75, 0.5, 0.2, 0.1, 0.02] {
            let bits = u64::from(value.to_bits());
            let other = f32::from_bits(turned(bits) as u32);
            assert!(unorm(value) != unorm(other), "{value} {other}");
        }
        assert_eq!([0u64, 1, 7, 4096, u64::from(u32::MAX)].map(turned), [1, 0, 6, 4097, u64::from(u32::MAX) - 1]);
    }
}
