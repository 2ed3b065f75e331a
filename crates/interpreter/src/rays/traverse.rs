//! What a ray meets.

use super::scene::{Bottom, InstancePlace, Primitives, Scene};
use super::tree::Solid;
use super::vector::{Point, cross, dot, minus, place, products, sum, turn};

/// `RAY_FLAG`s of HLSL, which are those of SPIR-V.
pub mod flag {
    /// `FORCE_OPAQUE`.
    pub const FORCE_OPAQUE: u32 = 0x1;
    /// `FORCE_NON_OPAQUE`.
    pub const FORCE_NON_OPAQUE: u32 = 0x2;
    /// `ACCEPT_FIRST_HIT_AND_END_SEARCH`.
    pub const ACCEPT_FIRST: u32 = 0x4;
    /// `SKIP_CLOSEST_HIT_SHADER`.
    pub const SKIP_CLOSEST_HIT: u32 = 0x8;
    /// `CULL_BACK_FACING_TRIANGLES`.
    pub const CULL_BACK: u32 = 0x10;
    /// `CULL_FRONT_FACING_TRIANGLES`.
    pub const CULL_FRONT: u32 = 0x20;
    /// `CULL_OPAQUE`.
    pub const CULL_OPAQUE: u32 = 0x40;
    /// `CULL_NON_OPAQUE`.
    pub const CULL_NON_OPAQUE: u32 = 0x80;
    /// `SKIP_TRIANGLES`.
    pub const SKIP_TRIANGLES: u32 = 0x100;
    /// `SKIP_PROCEDURAL_PRIMITIVES`.
    pub const SKIP_BOXES: u32 = 0x200;
}

/// `D3D12_RAYTRACING_INSTANCE_FLAGS`.
pub mod instance_flag {
    /// `TRIANGLE_CULL_DISABLE`.
    pub const CULL_DISABLE: u32 = 0x1;
    /// `TRIANGLE_FRONT_COUNTERCLOCKWISE`.
    pub const FRONT_COUNTERCLOCKWISE: u32 = 0x2;
    /// `FORCE_OPAQUE`.
    pub const FORCE_OPAQUE: u32 = 0x4;
    /// `FORCE_NON_OPAQUE`.
    pub const FORCE_NON_OPAQUE: u32 = 0x8;
}

/// A ray.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub origin: Point,
    /// Where it goes.
    pub direction: Point,
    /// `TMin`.
    pub least: f64,
    /// `TMax`.
    pub greatest: f64,
    /// Of [`flag`].
    pub flags: u32,
    /// Only what of an instance's mask is in it, too, is hit.
    pub mask: u32,
}

/// A primitive that a ray meets within its range, and that no flag takes away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Number of the instance.
    pub instance: u32,
    /// Number of the geometry.
    pub geometry: u32,
    /// Number of the primitive.
    pub primitive: u32,
    /// Of a triangle where it is hit; of a box where the ray comes into it, or begins in it.
    pub distance: f64,
    /// How far away from that a device may be.
    pub error: f64,
    /// Of triangles.
    pub barycentrics: Option<[f64; 2]>,
    /// How far away from those a device may be.
    pub spread: f64,
    /// Nobody is asked whether it counts. Of boxes: the shader is told so.
    pub opaque: bool,
    /// The triangle shows its front.
    pub front: bool,
    /// It is met, computed exactly.
    pub exact: bool,
    /// A device finds the same.
    pub sure: bool,
}

impl Meeting {
    /// It is a triangle.
    pub fn is_triangle(&self) -> bool {
        self.barycentrics.is_some()
    }

    /// It is hit without a shader.
    pub fn is_automatic(&self) -> bool {
        self.opaque && self.is_triangle()
    }

    /// Which primitive of the scene it is.
    pub(crate) fn order(&self) -> (u32, u32, u32) {
        (self.instance, self.geometry, self.primitive)
    }
}

/// What a device rounds off, as a part of the largest number that comes in: floats of 32 bits, a few times.
const ROUNDED: f64 = 1.0 / (1u64 << 21) as f64;

/// A ray in an object's space.
struct Local {
    origin: Point,
    direction: Point,
    /// How far away coordinates may be.
    error: f64,
}

impl Ray {
    /// Whether the API says what it hits: numbers are numbers, the range is one, and it goes somewhere.
    pub fn is_defined(&self) -> bool {
        let finite = |at: &Point| at.iter().all(|it| it.is_finite());
        let range = self.least >= 0.0 && self.least <= self.greatest && self.least.is_finite();
        finite(&self.origin) && finite(&self.direction) && range && self.direction != [0.0; 3]
    }

    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Whether a primitive of an instance is opaque: a flag of the ray is stronger than one of the instance, and that than the geometry's.
    pub fn is_opaque(&self, instance: u32, geometry: bool) -> bool {
        let mut opaque = geometry;
        if instance & instance_flag::FORCE_OPAQUE != 0 {
            opaque = true;
        } else if instance & instance_flag::FORCE_NON_OPAQUE != 0 {
            opaque = false;
        }
        if self.has(flag::FORCE_OPAQUE) {
            opaque = true;
        } else if self.has(flag::FORCE_NON_OPAQUE) {
            opaque = false;
        }
        opaque
    }

    /// Whether flags leave a primitive out, but for which side of it shows.
    pub fn skips(&self, opaque: bool, triangle: bool) -> bool {
        self.has(if opaque { flag::CULL_OPAQUE } else { flag::CULL_NON_OPAQUE })
            || self.has(if triangle { flag::SKIP_TRIANGLES } else { flag::SKIP_BOXES })
    }

    /// Whether flags leave out a triangle that shows this side.
    pub fn culls(&self, instance: u32, front: bool) -> bool {
        instance & instance_flag::CULL_DISABLE == 0 && self.has(if front { flag::CULL_FRONT } else { flag::CULL_BACK })
    }

    /// The ray in an instance's space. `wide`: what the ray is made of is open in its last bits, too.
    fn local(&self, instance: &InstancePlace, bottom: &Bottom, wide: bool) -> Option<Local> {
        let back = instance.back.as_ref()?;
        let (origin, direction) = (place(back, self.origin), turn(back, self.direction));
        // Where it meets something, it has gone from its beginning to there.
        let size = 2.0 * products(back, self.origin) + bottom.reach * 2.0;
        let error = size * ROUNDED * if wide { 4.0 } else { 1.0 };
        (error.is_finite() && direction.iter().all(|it| it.is_finite())).then_some(Local { origin, direction, error })
    }

    fn is_within(&self, distance: f64) -> bool {
        self.least < distance && distance < self.greatest
    }
}

/// Where a ray runs through a box that is larger by `error` on each side; the first is greater than the second where it does not.
fn slab(ray: &Local, [least, greatest]: [Point; 2], error: f64) -> [f64; 2] {
    let mut range = [f64::NEG_INFINITY, f64::INFINITY];
    for axis in 0..3 {
        let (origin, along) = (ray.origin[axis], ray.direction[axis]);
        // What is taken off a thin box leaves its middle.
        let error = error.max((least[axis] - greatest[axis]) / 2.0);
        let (low, high) = (least[axis] - error - origin, greatest[axis] + error - origin);
        if along == 0.0 {
            if low > 0.0 || high < 0.0 {
                return [f64::INFINITY, f64::NEG_INFINITY];
            }
            continue;
        }
        let (a, b) = (low / along, high / along);
        range = [range[0].max(a.min(b)), range[1].min(a.max(b))];
    }
    range
}

impl Scene {
    /// All that a ray meets, in no order. `wide`: the ray's last bits are open.
    pub fn meetings(&self, ray: &Ray, wide: bool) -> Vec<Meeting> {
        let mut all = Vec::new();
        if !ray.is_defined() {
            return all;
        }
        for (number, instance) in (0..).zip(&self.instances) {
            let Some(bottom) = instance.bottom.as_ref().filter(|_| instance.mask & ray.mask != 0) else {
                continue;
            };
            let Some(local) = ray.local(instance, bottom, wide) else { continue };
            let passes = |ends| {
                let [from, to] = slab(&local, ends, local.error);
                from <= to && to >= ray.least && from <= ray.greatest
            };
            bottom.tree.visit(passes, |solid| all.extend(meet(ray, &local, (number, instance), bottom, solid)));
        }
        all
    }
}

fn meet(
    ray: &Ray,
    local: &Local,
    (number, instance): (u32, &InstancePlace),
    bottom: &Bottom,
    solid: Solid,
) -> Option<Meeting> {
    let geometry = bottom.geometries.get(solid.0 as usize)?;
    let opaque = ray.is_opaque(instance.flags, geometry.opaque);
    let named = |meeting: Meeting| Meeting {
        instance: number,
        geometry: solid.0,
        primitive: bottom.number(solid),
        opaque,
        ..meeting
    };
    match &geometry.primitives {
        Primitives::Triangles(all) => {
            if ray.skips(opaque, true) {
                return None;
            }
            let met = triangle(ray, local, &all.get(solid.1 as usize)?.1)?;
            let front = met.front != (instance.flags & instance_flag::FRONT_COUNTERCLOCKWISE != 0);
            (!ray.culls(instance.flags, front)).then(|| named(Meeting { front, ..met }))
        }
        Primitives::Boxes(all) => {
            if ray.skips(opaque, false) {
                return None;
            }
            block(ray, local, all.get(solid.1 as usize)?.1).map(named)
        }
    }
}

const NONE: Meeting = Meeting {
    instance: 0,
    geometry: 0,
    primitive: 0,
    distance: 0.0,
    error: 0.0,
    barycentrics: None,
    spread: 0.0,
    opaque: false,
    front: false,
    exact: true,
    sure: true,
};

/// A triangle by the signs of the areas that the ray and its sides span, seen along the ray. Its front is where corners go round clockwise.
fn triangle(ray: &Ray, local: &Local, corners: &[Point; 3]) -> Option<Meeting> {
    let direction = local.direction;
    let along = (0..3usize).max_by(|a, b| direction[*a].abs().total_cmp(&direction[*b].abs())).unwrap_or(2);
    let (mut across, mut up) = ((along + 1) % 3, (along + 2) % 3);
    if direction[along] < 0.0 {
        std::mem::swap(&mut across, &mut up);
    }
    let (shear_x, shear_y) = (direction[across] / direction[along], direction[up] / direction[along]);
    let seen = corners.map(|corner| {
        let from = minus(corner, local.origin);
        [from[across] - shear_x * from[along], from[up] - shear_y * from[along]]
    });
    let [a, b, c] = seen;
    let area = |p: [f64; 2], q: [f64; 2]| p[0] * q[1] - p[1] * q[0];
    let areas = [area(c, b), area(a, c), area(b, a)];
    let size = |p: [f64; 2], q: [f64; 2]| p[0].abs() + p[1].abs() + q[0].abs() + q[1].abs();
    let errors = [size(c, b), size(a, c), size(b, a)].map(|size| size * 2.0 * local.error);
    let whole: f64 = areas.iter().sum();
    if whole == 0.0 || !whole.is_finite() {
        return None;
    }
    // All of one sign.
    let sided = areas.map(|it| it * whole.signum());
    let near = sided.iter().zip(errors).all(|(area, error)| *area >= -error);
    if !near {
        return None;
    }
    let inside = sided.iter().all(|it| *it >= 0.0);
    let surely = sided.iter().zip(errors).all(|(area, error)| *area > error);
    let normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
    let facing = dot(normal, direction);
    let distance = dot(normal, minus(corners[0], local.origin)) / facing;
    let error = local.error * 2.0 * sum(normal) / facing.abs() + distance.abs() * ROUNDED;
    if !distance.is_finite() || distance + error <= ray.least || distance - error >= ray.greatest {
        return None;
    }
    let within = ray.is_within(distance);
    let surely = surely && ray.is_within(distance - error) && ray.is_within(distance + error);
    let spread = errors.iter().sum::<f64>() / whole.abs() + ROUNDED;
    Some(Meeting {
        distance,
        error,
        barycentrics: Some([areas[1] / whole, areas[2] / whole]),
        spread,
        front: facing < 0.0,
        exact: inside && within,
        sure: surely,
        ..NONE
    })
}

/// A box that the ray runs through within its range, the ends of which count.
fn block(ray: &Ray, local: &Local, ends: [Point; 2]) -> Option<Meeting> {
    let meets = |[from, to]: [f64; 2]| from <= to && to >= ray.least && from <= ray.greatest;
    let wide = slab(local, ends, local.error);
    if !meets(wide) {
        return None;
    }
    let own = slab(local, ends, 0.0);
    let distance = if meets(own) { own[0] } else { wide[0] }.max(ray.least);
    let error = (own[0] - wide[0]).abs() + distance.abs() * ROUNDED;
    let sure = meets(slab(local, ends, -local.error));
    Some(Meeting { distance, error, exact: meets(own), sure, ..NONE })
}
