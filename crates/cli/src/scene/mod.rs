//! What rays can hit: the triangles and boxes of acceleration structures, as a picture and as a model for other programs.
//!
//! A structure cannot be read. What can be read is what it was built of: the buffers of the build, as a replay has them right before it, and the
//! instances, as the trace tells them. Invariant: a geometry that cannot be shown is told, with the reason; none is left out without a word.

mod build;
mod camera;
mod geometry;
mod matrix;
mod model;
mod picture;
mod way;

pub(crate) use build::{Build, builds};
pub(crate) use camera::Camera;
pub(crate) use geometry::{Shape, Solid, read, shots};
pub(crate) use matrix::{Matrix, Point};
pub(crate) use model::obj;
pub(crate) use picture::{Face, paint};
pub(crate) use way::Way;
