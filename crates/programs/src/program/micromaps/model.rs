//! What lies where in the scene of `micromaps`, and what each ray meets there.

/// What a micromap says of a part of a triangle; the numbers are those of the format with four states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    Transparent = 0,
    Opaque = 1,
    MaybeTransparent = 2,
    MaybeOpaque = 3,
}

/// A micromap divides its triangle in four, so often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Map {
    pub(super) level: u32,
    /// Two bits a part, in place of one.
    pub(super) four_states: bool,
}

pub(super) const MAPS: [Map; 5] = [
    Map { level: 3, four_states: false },
    Map { level: 3, four_states: true },
    Map { level: 0, four_states: true },
    Map { level: 5, four_states: false },
    Map { level: 1, four_states: true },
];

/// Micromaps of the triangles of a geometry: numbers among [`MAPS`], or what a whole triangle is.
pub(super) const GEOMETRIES: [&[i32]; 3] = [&[0, 1, -1, -2, -3, -4, 2, 3, 4], &[4, -4, 1, -1, 3], &[0, 1, 2, 3, 4]];
/// Sides of triangles, and from one geometry or instance to the next.
const SIDE: f32 = 2.0;
pub(super) const INSTANCE_PITCH: f32 = 16.0;
const GEOMETRY_PITCH: f32 = 4.0;
const TRIANGLE_PITCH: f32 = 3.0;
/// Flags of the instances: none, `D3D12_RAYTRACING_INSTANCE_FLAG_FORCE_OMM_2_STATE` and `_DISABLE_OMMS`.
pub(super) const INSTANCES: [u32; 3] = [0, 0x10, 0x20];
/// `RAY_FLAG_FORCE_OMM_2_STATE`.
pub(super) const TWO_STATES: u32 = 0x400;

impl Map {
    pub(super) fn parts(self) -> u32 {
        1 << (2 * self.level)
    }

    /// Of each part, in a version of the scene.
    pub(super) fn states(self, number: usize, version: u32) -> impl Iterator<Item = State> {
        let of = move |part: u32| {
            let mixed =
                (part + 1).wrapping_mul(0x9e37_79b9) ^ (number as u32 + 5 * version + 1).wrapping_mul(0x85eb_ca6b);
            let bits = (mixed ^ mixed >> 15).wrapping_mul(0xc2b2_ae35) >> 30;
            let all = [State::Transparent, State::Opaque, State::MaybeTransparent, State::MaybeOpaque];
            all[if self.four_states { bits } else { bits & 1 } as usize]
        };
        (0..self.parts()).map(of)
    }

    /// The states as the GPU reads them: from the lowest bits of a byte up, whole bytes.
    pub(super) fn bytes(self, number: usize, version: u32) -> Vec<u8> {
        let width = if self.four_states { 2 } else { 1 };
        let mut bytes = vec![0; (self.parts() * width).div_ceil(8) as usize];
        for (at, state) in (0..).step_by(width as usize).zip(self.states(number, version)) {
            bytes[at / 8] |= (state as u8) << (at % 8);
        }
        bytes
    }
}

/// The middle of a part of a triangle, as weights of its second and third corner. Parts are in the order of the "bird curve" (DXR
/// specification, opacity micromaps): four parts, each divided as the whole is, with its corners in an order of its own.
fn middle(level: u32, part: u32) -> [f32; 2] {
    let mut corners = [[0.0f32, 0.0], [1.0, 0.0], [0.0, 1.0]];
    for step in (0..level).rev() {
        let between = |a: usize, b: usize| [0, 1].map(|axis| (corners[a][axis] + corners[b][axis]) / 2.0);
        let (first, second, third) = (between(0, 1), between(1, 2), between(2, 0));
        corners = match part >> (2 * step) & 3 {
            0 => [corners[0], first, third],
            1 => [third, second, first],
            2 => [first, corners[1], second],
            _ => [second, third, corners[2]],
        };
    }
    [0, 1].map(|axis| corners.iter().map(|corner| corner[axis]).sum::<f32>() / 3.0)
}

/// Where the first corner of a triangle lies.
fn corner(geometry: usize, triangle: usize) -> [f32; 2] {
    [triangle as f32 * TRIANGLE_PITCH, geometry as f32 * GEOMETRY_PITCH]
}

/// The corners of the triangles of a geometry, three floats each.
pub(super) fn corners(geometry: usize) -> Vec<u32> {
    let of = |triangle| {
        let [x, y] = corner(geometry, triangle);
        [x, y, 0.0, x + SIDE, y, 0.0, x, y + SIDE, 0.0]
    };
    (0..GEOMETRIES[geometry].len()).flat_map(of).map(f32::to_bits).collect()
}

/// A ray: which instance and triangle it goes to, where, and what the micromap says there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    instance: usize,
    triangle: usize,
    pub(super) origin: [f32; 2],
    state: State,
}

/// A ray through the middle of each part of each triangle.
pub(super) fn rays(version: u32) -> Vec<Ray> {
    let mut all = Vec::new();
    for instance in 0..INSTANCES.len() {
        for (geometry, maps) in GEOMETRIES.iter().enumerate() {
            for (triangle, map) in maps.iter().enumerate() {
                let whole = [State::Transparent, State::Opaque, State::MaybeTransparent, State::MaybeOpaque];
                let (level, states) = match usize::try_from(*map) {
                    Ok(number) => (MAPS[number].level, MAPS[number].states(number, version).collect()),
                    Err(_) => (0, vec![whole[(-1 - map) as usize]]),
                };
                let [x, y] = corner(geometry, triangle);
                for (part, state) in (0..).zip(states) {
                    let [second, third] = middle(level, part);
                    let y = y + instance as f32 * INSTANCE_PITCH;
                    all.push(Ray { instance, triangle, origin: [x + second * SIDE, y + third * SIDE], state });
                }
            }
        }
    }
    all
}

impl Ray {
    /// What it gives: its hit, and how often the any-hit shader is asked.
    pub(super) fn expected(&self, flags: u32) -> [u32; 2] {
        let hit = 1 + self.triangle as u32 + 256 * self.instance as u32;
        let two = flags & TWO_STATES != 0 || INSTANCES[self.instance] & 0x10 != 0;
        match self.state {
            _ if INSTANCES[self.instance] & 0x20 != 0 => [hit, 1],
            State::Transparent => [0, 0],
            State::Opaque => [hit, 0],
            State::MaybeTransparent if two => [0, 0],
            State::MaybeOpaque if two => [hit, 0],
            State::MaybeTransparent | State::MaybeOpaque => [hit, 1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Parts tile a triangle: no two have the same middle, and one follows another across a side or a corner.
    #[test]
    fn parts_follow_each_other_through_the_whole_triangle() {
        for level in 0..=5 {
            let all: Vec<[f32; 2]> = (0..1 << (2 * level)).map(|part| middle(level, part)).collect();
            let different: HashSet<[u32; 2]> = all.iter().map(|at| at.map(f32::to_bits)).collect();
            assert_eq!(different.len(), all.len());
            let size = 1.0 / (1 << level) as f32;
            for pair in all.windows(2) {
                let [x, y] = [0, 1].map(|axis| (pair[0][axis] - pair[1][axis]).abs());
                assert!(x < 1.1 * size && y < 1.1 * size, "{level}: {pair:?}");
            }
            assert!(all.iter().all(|[x, y]| *x > 0.0 && *y > 0.0 && x + y < 1.0));
        }
        // Once divided: at the first corner, in the middle, at the second and at the third corner.
        let near = |part: u32| middle(1, part).map(|weight| (weight * 6.0).round());
        assert_eq!([0, 1, 2, 3].map(near), [[1.0, 1.0], [2.0, 2.0], [4.0, 1.0], [1.0, 4.0]]);
    }

    #[test]
    fn states_lie_in_bytes_from_the_lowest_bits_up() {
        for (number, map) in MAPS.iter().enumerate() {
            let (bytes, width) = (map.bytes(number, 1), if map.four_states { 2 } else { 1 });
            for (part, state) in map.states(number, 1).enumerate() {
                let bit = part * width;
                assert_eq!(bytes[bit / 8] >> (bit % 8) & ((1 << width) - 1), state as u8);
            }
        }
    }

    /// Every state is met, by rays of every kind.
    #[test]
    fn the_scene_has_every_state() {
        let rays = rays(0);
        for instance in 0..INSTANCES.len() {
            for state in [State::Transparent, State::Opaque, State::MaybeTransparent, State::MaybeOpaque] {
                assert!(rays.iter().any(|ray| ray.instance == instance && ray.state == state));
            }
        }
        let other = super::rays(1);
        assert!(rays.iter().zip(&other).any(|(one, other)| one.expected(0) != other.expected(0)));
    }
}
