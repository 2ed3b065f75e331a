//! Samplers at work: what a sampler makes of a texture, texel by texel, with how far the API lets a device be from it.
//!
//! The rules are those of the Direct3D 11.3 functional specification, 7.18 ("Texture Sampling"). [`level`] finds the level of detail,
//! [`address`] the texels, [`cube`] the faces of cubes, and [`filter`] weighs what was fetched.
//!
//! Invariant: a result is a value with the least and the greatest that a device may give ([`Spread`]); where both are the value, it is
//! exact. Coordinates and levels of detail have at least 8 bits of fraction (7.18.16.1), so a weight may be off by 1/256.

pub(crate) mod address;
pub(crate) mod cube;
pub(crate) mod filter;
pub(crate) mod level;
mod state;

pub(crate) use filter::{Spread, Texels, gather, sample};
pub use state::{Address, Compare, Reduction, Sampler, Surface};

/// How far a coordinate in texels, or a level of detail, may be from what it is: it has 8 bits of fraction, and is rounded within 0.6 of
/// the last (3.2.4.1).
pub(crate) const FRACTION: f64 = 0.6 / 256.0;
/// How far a weight may be off.
pub(crate) const WEIGHT: f64 = 1.0 / 256.0;

/// Whether a number is the same with 8 bits of fraction, so that no device rounds it.
pub(crate) fn is_kept(number: f64) -> bool {
    (number * 256.0).fract() == 0.0
}

/// Where and how a shader samples.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Coordinates, without the slice.
    pub(crate) at: [f64; 3],
    /// The slice of an array; of an array of cubes, the cube.
    pub(crate) slice: Option<f64>,
    /// In texels.
    pub(crate) offset: [i64; 3],
    /// What texels are compared with.
    pub(crate) compared: Option<f32>,
    /// The level of detail, or what it comes of.
    pub(crate) detail: level::Detail,
    /// Added to the level of detail.
    pub(crate) bias: f64,
    /// The least level of detail.
    pub(crate) least: Option<f64>,
}

/// The shape of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Axes of a slice.
    pub(crate) axes: usize,
    pub(crate) cube: bool,
    /// Slices; of cubes, faces.
    pub(crate) slices: u32,
    /// Its levels.
    pub(crate) levels: u32,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
