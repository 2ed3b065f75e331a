//! Rays through scenes, by the rules of Direct3D (DirectX Raytracing functional specification): what of a scene a ray meets, and what of that
//! is committed.
//!
//! All is computed with floats of 64 bits. Devices have 32, so what they may decide in another way is told: distances and barycentric
//! coordinates are open in their last bits, and whether a primitive is hit at an edge, or by the end of a ray, is open entirely.

mod query;
mod record;
mod scene;
mod stand;
mod told;
mod traverse;
mod tree;
pub(crate) mod vector;

pub(crate) use query::{Doubt, Hit, Query, arrange};
pub use record::{Record, Table};
pub use scene::{Bottom, Geometry, InstancePlace, Primitives, Scene};
pub(crate) use stand::{End, Numbers, Reports, Stand, Struck};
pub use told::{RayHit, TracedRay};
pub use traverse::{Meeting, Ray, flag as ray_flag, instance_flag};
pub use vector::{Matrix, Point};

#[cfg(test)]
mod tests;
