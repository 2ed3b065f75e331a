//! Texels as numbers, of the bytes that `reprise show --raw` writes.

use crate::error::Error;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use reprise_picture::{Kind, Texels};

/// Texels row by row as 32-bit words, the NumPy type of these, and the names of their channels.
#[pyfunction]
pub(crate) fn decode<'py>(
    py: Python<'py>,
    bytes: Vec<u8>,
    format: u32,
    plane: u32,
    size: (u32, u32),
) -> PyResult<(Bound<'py, PyBytes>, &'static str, String)> {
    let (bytes, kind, channels) = py
        .detach(|| {
            let texels = Texels::new(format, plane, size, bytes)?;
            let layout = texels.layout();
            let kind = match layout.kind() {
                Kind::Uint => "<u4",
                Kind::Sint => "<i4",
                _ => "<f4",
            };
            let there = layout.channels();
            let mut bytes = Vec::new();
            for texel in texels.iter() {
                for (value, _) in texel.into_iter().zip(there).filter(|(_, there)| *there) {
                    bytes.extend(match kind {
                        "<u4" => (value as u32).to_le_bytes(),
                        "<i4" => (value as i32).to_le_bytes(),
                        _ => (value as f32).to_le_bytes(),
                    });
                }
            }
            let channels = "rgba".chars().zip(there).filter(|(_, there)| *there).map(|(name, _)| name).collect();
            Ok((bytes, kind, channels))
        })
        .map_err(|wrong: String| Error::new_err(wrong))?;
    Ok((PyBytes::new(py, &bytes), kind, channels))
}
