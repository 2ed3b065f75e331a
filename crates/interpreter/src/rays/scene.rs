//! What rays go through: a top level with its instances, and the bottom levels that these place.

use super::tree::{Solid, Tree};
use super::vector::{Matrix, Point, inverse};
use std::rc::Rc;

/// A top level.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// In the order of the build.
    pub instances: Vec<InstancePlace>,
}

/// An instance. Its index is its number in the scene.
#[derive(Clone, Debug)]
pub struct InstancePlace {
    /// `InstanceID`.
    pub id: u32,
    /// `InstanceMask`.
    pub mask: u32,
    /// `InstanceContributionToHitGroupIndex`.
    pub record: u32,
    /// `D3D12_RAYTRACING_INSTANCE_FLAGS`.
    pub flags: u32,
    /// From the object's space to the world's.
    pub transform: Matrix,
    /// Back; `None`: nothing of it can be hit.
    pub(crate) back: Option<Matrix>,
    /// What is placed; `None`: nothing.
    pub bottom: Option<Rc<Bottom>>,
}

impl InstancePlace {
    /// An instance; its numbers are id, mask, record and flags.
    pub fn new([id, mask, record, flags]: [u32; 4], transform: Matrix, bottom: Option<Rc<Bottom>>) -> InstancePlace {
        InstancePlace { id, mask, record, flags, transform, back: inverse(&transform), bottom }
    }
}

/// A bottom level.
#[derive(Clone, Debug, Default)]
pub struct Bottom {
    pub(crate) geometries: Vec<Geometry>,
    pub(crate) tree: Tree,
    /// The greatest coordinate of all, without its sign.
    pub(crate) reach: f64,
}

/// A geometry.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// It is flagged as opaque.
    pub opaque: bool,
    /// What it has.
    pub primitives: Primitives,
}

/// Primitives of a geometry: each with its number.
#[derive(Clone, Debug)]
pub enum Primitives {
    /// Corners.
    Triangles(Vec<(u32, [Point; 3])>),
    /// The least and the greatest corner.
    Boxes(Vec<(u32, [Point; 2])>),
}

impl Bottom {
    /// A bottom level of these geometries. Primitives with numbers that are not finite are not to be among them.
    pub fn new(geometries: Vec<Geometry>) -> Bottom {
        let mut bounds: Vec<(Solid, [Point; 2])> = Vec::new();
        for (number, geometry) in (0..).zip(&geometries) {
            match &geometry.primitives {
                Primitives::Triangles(all) => {
                    let of = |(at, (_, corners)): (u32, &(u32, [Point; 3]))| {
                        let axis = |axis: usize, pick: fn(f64, f64) -> f64| {
                            pick(corners[0][axis], pick(corners[1][axis], corners[2][axis]))
                        };
                        let both = [[0, 1, 2].map(|it| axis(it, f64::min)), [0, 1, 2].map(|it| axis(it, f64::max))];
                        ((number, at), both)
                    };
                    bounds.extend((0..).zip(all).map(of));
                }
                Primitives::Boxes(all) => bounds.extend((0..).zip(all).map(|(at, (_, ends))| ((number, at), *ends))),
            }
        }
        let reach =
            bounds.iter().flat_map(|(_, ends)| ends.iter().flatten()).fold(0.0, |all: f64, it| all.max(it.abs()));
        Bottom { geometries, tree: Tree::new(bounds), reach }
    }

    /// A primitive: its number, and whether it is of an opaque geometry.
    pub(crate) fn number(&self, (geometry, at): Solid) -> u32 {
        match self.geometries.get(geometry as usize).map(|it| &it.primitives) {
            Some(Primitives::Triangles(all)) => all.get(at as usize).map_or(0, |it| it.0),
            Some(Primitives::Boxes(all)) => all.get(at as usize).map_or(0, |it| it.0),
            None => 0,
        }
    }
}
