//! What is in the scene, which rays go through it, and what each of them finds.
//!
//! All coordinates are sums of few powers of two, and no ray comes near an edge, so that every device computes the same.

use crate::acceleration::instance_flag;

/// Rays that go together: a square of 8 by 8.
pub(super) const SQUARE: u32 = 64;
/// Squares, each of other rays.
const SQUARES: u32 = 8;
/// Rays in all.
pub(super) const RAYS: u32 = SQUARE * SQUARES;
/// Words of what a ray finds.
pub(super) const WORDS: usize = 8;

/// Flags of rays (`D3D12_RAY_FLAGS`).
mod flag {
    pub(super) const FORCE_OPAQUE: u32 = 1;
    pub(super) const FORCE_NON_OPAQUE: u32 = 2;
    pub(super) const ACCEPT_FIRST: u32 = 4;
    pub(super) const CULL_BACK: u32 = 0x10;
    pub(super) const CULL_FRONT: u32 = 0x20;
    pub(super) const CULL_OPAQUE: u32 = 0x40;
    pub(super) const CULL_NON_OPAQUE: u32 = 0x80;
    pub(super) const SKIP_TRIANGLES: u32 = 0x100;
    pub(super) const SKIP_BOXES: u32 = 0x200;
}

/// A ray of the scene.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    origin: [f64; 3],
    least: f64,
    direction: [f64; 3],
    most: f64,
    flags: u32,
    mask: u32,
}

impl Ray {
    /// The ray of a number.
    pub(super) fn of(number: u32) -> Ray {
        let (x, y) = (f64::from(number % 8), f64::from(number / 8 % 8));
        let along = Ray {
            origin: [x + 0.3125, y + 0.5, -8.0],
            least: 0.0,
            direction: [0.0, 0.0, 1.0],
            most: 100.0,
            flags: 0,
            mask: 0xff,
        };
        match number / SQUARE {
            0 => along,
            1 => Ray { origin: [x + 0.3125, y + 0.5, 24.0], direction: [0.0, 0.0, -1.0], ..along },
            2 => Ray { flags: flag::CULL_BACK, ..along },
            3 => Ray { flags: flag::CULL_FRONT, mask: 0x0f, ..along },
            4 => Ray { direction: [0.0625, 0.0, 1.0], flags: flag::FORCE_OPAQUE, mask: 1 << (number % 5), ..along },
            5 => Ray { direction: [0.0, 0.0, 2.0], flags: flag::FORCE_NON_OPAQUE, ..along },
            6 => Ray {
                least: 8.25,
                most: 14.5,
                flags: [flag::CULL_NON_OPAQUE, flag::CULL_OPAQUE][number as usize % 2],
                ..along
            },
            _ => {
                let flags = [flag::SKIP_TRIANGLES, flag::SKIP_BOXES, flag::ACCEPT_FIRST | flag::FORCE_NON_OPAQUE];
                Ray { flags: flags[number as usize % 3], mask: 0x1f, ..along }
            }
        }
    }

    /// As the shader reads it: 12 words.
    pub(super) fn words(&self) -> [u32; 12] {
        let float = |value: f64| (value as f32).to_bits();
        let ([x, y, z], [along_x, along_y, along_z]) = (self.origin.map(float), self.direction.map(float));
        let (least, most) = (float(self.least), float(self.most));
        [x, y, z, least, along_x, along_y, along_z, most, self.flags, self.mask, 0, 0]
    }
}

type Point = [f64; 3];

/// Vertices of the bottom level of triangles: four of an indexed square, then three of each of two triangles, which are [`MOVED`].
pub(super) const CORNERS: [Point; 10] = [
    [0.0, 0.0, 0.0],
    [4.0, 0.0, 0.0],
    [0.0, 4.0, 0.0],
    [4.0, 4.0, 0.0],
    [0.0, 0.0, 0.0],
    [2.0, 0.0, 0.0],
    [0.0, 2.0, 0.0],
    [2.0, 2.0, 0.0],
    [2.0, 0.0, 0.0],
    [0.0, 2.0, 0.0],
];
/// Indices of the square.
pub(super) const INDICES: [u16; 6] = [0, 2, 1, 1, 2, 3];
/// Where the second geometry is moved.
pub(super) const MOVED: Point = [1.0, 1.0, -1.0];
/// The least and the largest corners of boxes. The third is of a geometry of its own, which is opaque.
pub(super) const BOXES: [[Point; 2]; 3] =
    [[[0.0, 0.0, 0.0], [2.0, 4.0, 1.0]], [[2.0, 0.0, -1.0], [4.0, 2.0, 1.0]], [[2.0, 2.0, 0.5], [4.0, 4.0, 1.5]]];

/// What an instance shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Triangles,
    Boxes,
    Nothing,
}

/// An object in the scene.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) object: Object,
    scale: Point,
    moved: Point,
    pub(super) id: u32,
    pub(super) group: u32,
    pub(super) mask: u8,
    /// Of [`instance_flag`].
    pub(super) flags: u32,
}

impl Placed {
    /// From the object's space into the scene's.
    pub(super) fn matrix(&self) -> [[f32; 4]; 3] {
        let mut rows = [[0.0; 4]; 3];
        for (at, row) in rows.iter_mut().enumerate() {
            (row[at], row[3]) = (self.scale[at] as f32, self.moved[at] as f32);
        }
        rows
    }
}

/// How the scene stands: what updates change.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pose {
    /// How far all triangles are moved.
    pub(super) lift: f64,
    /// How far the nearer boxes are moved.
    pub(super) raise: f64,
}

impl Pose {
    /// The instances, in their order.
    pub(super) fn instances(&self) -> [Placed; 7] {
        let plain = Placed {
            object: Object::Triangles,
            scale: [1.0; 3],
            moved: [0.0; 3],
            id: 100,
            group: 3,
            mask: 1,
            flags: 0,
        };
        [
            plain,
            Placed {
                scale: [1.0, 1.0, 2.0],
                moved: [4.0, 0.0, 1.0],
                id: 200,
                group: 5,
                mask: 2,
                flags: instance_flag::TRIANGLE_FRONT_COUNTERCLOCKWISE,
                ..plain
            },
            Placed { object: Object::Boxes, moved: [0.0, 4.0, self.raise], id: 300, group: 7, mask: 4, ..plain },
            Placed {
                scale: [-1.0, 1.0, 1.0],
                moved: [8.0, 4.0, 0.0],
                id: 400,
                group: 9,
                mask: 8,
                flags: instance_flag::TRIANGLE_CULL_DISABLE | instance_flag::FORCE_OPAQUE,
                ..plain
            },
            Placed {
                object: Object::Boxes,
                scale: [2.0; 3],
                moved: [0.0, 0.0, 6.0],
                id: 500,
                group: 11,
                mask: 16,
                flags: instance_flag::FORCE_NON_OPAQUE,
            },
            Placed { object: Object::Nothing, id: 600, mask: 0xff, ..plain },
            // Before everything, and in no ray's mask.
            Placed { object: Object::Boxes, scale: [2.0; 3], moved: [0.0, 0.0, -5.0], id: 700, mask: 0, ..plain },
        ]
    }

    /// What the ray of a number finds, as the shader says it.
    pub(super) fn find(&self, number: u32) -> [u32; WORDS] {
        let ray = Ray::of(number);
        let mut nearest = (ray.most, [0; WORDS]);
        for (index, placed) in (0..).zip(self.instances()) {
            if u32::from(placed.mask) & ray.mask == 0 {
                continue;
            }
            for hit in self.candidates(&ray, number, &placed) {
                if hit.distance < nearest.0 {
                    nearest = (hit.distance, hit.words(&ray, index, &placed));
                }
            }
        }
        match ray.flags & flag::ACCEPT_FIRST != 0 && nearest.1 != [0; WORDS] {
            true => [0xff, 0, 0, 0, 0, 0, 0, 0],
            false => nearest.1,
        }
    }

    /// The hits of a ray with an instance that count.
    fn candidates<'a>(&self, ray: &'a Ray, number: u32, placed: &'a Placed) -> impl Iterator<Item = Hit> + 'a {
        let (origin, direction) = in_object(ray, placed);
        let lift = self.lift;
        let is = move |flag: u32| placed.flags & flag != 0;
        let asks = |flag: u32| ray.flags & flag != 0;
        let shapes = match placed.object {
            Object::Triangles => [(0, 0), (0, 1), (1, 0), (1, 1)].as_slice(),
            Object::Boxes => [(0, 0), (0, 1), (1, 0)].as_slice(),
            Object::Nothing => &[],
        };
        shapes.iter().filter_map(move |&(geometry, primitive)| {
            let mut opaque = (geometry == 0) == (placed.object == Object::Triangles);
            opaque = (opaque || is(instance_flag::FORCE_OPAQUE)) && !is(instance_flag::FORCE_NON_OPAQUE);
            opaque = (opaque || asks(flag::FORCE_OPAQUE)) && !asks(flag::FORCE_NON_OPAQUE);
            if asks(if opaque { flag::CULL_OPAQUE } else { flag::CULL_NON_OPAQUE }) {
                return None;
            }
            let name = primitive + geometry + placed.id / 100 + number;
            let hit = if placed.object == Object::Triangles {
                if asks(flag::SKIP_TRIANGLES) || !opaque && name.is_multiple_of(3) {
                    return None;
                }
                let hit = meet_triangle(origin, direction, corners(geometry, primitive, lift))?;
                let front = hit.front != is(instance_flag::TRIANGLE_FRONT_COUNTERCLOCKWISE);
                let culled = asks(if front { flag::CULL_FRONT } else { flag::CULL_BACK });
                if culled && !is(instance_flag::TRIANGLE_CULL_DISABLE) {
                    return None;
                }
                Hit { front, ..hit }
            } else {
                if asks(flag::SKIP_BOXES) || name.is_multiple_of(4) {
                    return None;
                }
                meet_box(origin, direction, BOXES[(2 * geometry + primitive) as usize])?
            };
            let within = hit.distance > ray.least && hit.distance < ray.most;
            within.then_some(Hit { geometry, primitive, ..hit })
        })
    }
}

/// Where a ray meets something.
#[derive(Clone, Copy, Debug, Default)]
struct Hit {
    distance: f64,
    /// Of triangles, with which side they show.
    place: Option<[f64; 2]>,
    front: bool,
    geometry: u32,
    primitive: u32,
}

impl Hit {
    fn words(&self, ray: &Ray, index: u32, placed: &Placed) -> [u32; WORDS] {
        let steps = |value: f64| (value * 256.0).round() as i32 as u32;
        let (origin, direction) = in_object(ray, placed);
        // 1: a triangle; 2: what the shader makes of a box.
        let status = if self.place.is_some() { 1 | u32::from(self.front) << 8 } else { 2 };
        let [across, up] = self.place.unwrap_or_default();
        [
            status | index << 16,
            placed.id | placed.group << 16,
            self.primitive | self.geometry << 16,
            steps(self.distance),
            steps(across),
            steps(up),
            steps(origin[0] + direction[2]),
            steps(placed.moved[0] - placed.moved[2] / placed.scale[2]),
        ]
    }
}

/// A ray's origin and direction in an object's space.
fn in_object(ray: &Ray, placed: &Placed) -> (Point, Point) {
    let each = |of: &dyn Fn(usize) -> f64| [of(0), of(1), of(2)];
    let origin = each(&|at| (ray.origin[at] - placed.moved[at]) / placed.scale[at]);
    (origin, each(&|at| ray.direction[at] / placed.scale[at]))
}

/// The corners of a triangle.
fn corners(geometry: u32, primitive: u32, lift: f64) -> [Point; 3] {
    [0, 1, 2].map(|corner| {
        let at = (3 * primitive + corner) as usize;
        let ([x, y, z], [by_x, by_y, by_z]) = match geometry {
            0 => (CORNERS[usize::from(INDICES[at])], [0.0; 3]),
            _ => (CORNERS[4 + at], MOVED),
        };
        [x + by_x, y + by_y, z + by_z + lift]
    })
}

/// Triangles lie across the z axis, so that the ray's place in their plane is enough.
fn meet_triangle(origin: Point, direction: Point, [a, b, c]: [Point; 3]) -> Option<Hit> {
    let distance = (a[2] - origin[2]) / direction[2];
    let place = [0, 1].map(|at| origin[at] + distance * direction[at] - a[at]);
    let (to_b, to_c) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let cross = |one: [f64; 2], other: [f64; 2]| one[0] * other[1] - one[1] * other[0];
    let area = cross(to_b, to_c);
    let (across, up) = (cross(place, to_c) / area, cross(to_b, place) / area);
    let inside = across > 0.0 && up > 0.0 && across + up < 1.0;
    // The front is where corners go round clockwise.
    inside.then(|| Hit { distance, place: Some([across, up]), front: area * direction[2] < 0.0, ..Hit::default() })
}

/// Where a ray meets a box's near face.
fn meet_box(origin: Point, direction: Point, [least, most]: [Point; 2]) -> Option<Hit> {
    let face = if direction[2] > 0.0 { least[2] } else { most[2] };
    let distance = (face - origin[2]) / direction[2];
    let inside = [0, 1].iter().all(|&at| (least[at]..=most[at]).contains(&(origin[at] + distance * direction[at])));
    inside.then(|| Hit { distance, ..Hit::default() })
}
