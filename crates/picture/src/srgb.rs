//! Colours as sRGB encodes them (Direct3D 11.3 functional specification, 3.2.3.6 and 3.2.3.7).

/// A component of linear light from 0 to 1, encoded.
pub fn encoded(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

/// The linear light of an encoded component.
pub fn linear(encoded: f64) -> f64 {
    if encoded <= 0.040_45 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        for step in 0..=255 {
            let code = f64::from(step) / 255.0;
            assert!((encoded(linear(code)) - code).abs() < 1e-6, "{step}");
        }
        // A linear half is 188 of 255.
        assert!((encoded(0.5) * 255.0 - 187.5).abs() < 0.1 && (linear(0.5) - 0.214).abs() < 1e-3);
    }
}
