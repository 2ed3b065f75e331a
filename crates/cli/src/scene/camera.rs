//! Where a scene is seen from.

use super::matrix::{Point, cross, dot, minus, unit};

/// Half of the angle that is seen, as its tangent: 45 degrees from edge to edge.
const HALF: f64 = 0.414_213_562_373_095_1;

/// A point, a direction, and what is upwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Camera {
    eye: Point,
    right: Point,
    up: Point,
    forward: Point,
}

impl Camera {
    /// From one point to another; y is upwards, or z where the camera looks along y.
    ///
    /// # Errors
    /// The points are one.
    pub(crate) fn new(eye: Point, at: Point) -> Result<Self, String> {
        let forward = unit(minus(at, eye));
        if dot(forward, forward) < 0.5 {
            return Err("--eye and --at are one point".into());
        }
        let upwards = if forward[1].abs() > 0.999 { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] };
        // Left-handed, as Direct3D's habit is: x to the right, y upwards, z away.
        let right = unit(cross(upwards, forward));
        Ok(Self { eye, right, up: cross(forward, right), forward })
    }

    /// From aside and above, so far away that all of these bounds is seen.
    pub(crate) fn of_bounds([least, most]: [Point; 2]) -> Result<Self, String> {
        let middle: Point = core::array::from_fn(|axis| (least[axis] + most[axis]) / 2.0);
        let half = minus(most, middle);
        let radius = dot(half, half).sqrt().max(1e-6);
        let away = unit([-0.5, 0.6, -1.0]);
        // The sine of half the angle: the ball around the bounds touches the edges.
        let distance = radius / (HALF / (1.0 + HALF * HALF).sqrt()) * 1.05;
        Self::new(core::array::from_fn(|axis| middle[axis] + away[axis] * distance), middle)
    }

    pub(crate) fn eye(&self) -> Point {
        self.eye
    }

    pub(crate) fn forward(&self) -> Point {
        self.forward
    }

    /// As the camera sees it: to the right, upwards, away.
    pub(crate) fn see(&self, point: Point) -> Point {
        let from = minus(point, self.eye);
        [dot(from, self.right), dot(from, self.up), dot(from, self.forward)]
    }

    /// Pixels of what is seen at a distance above 0.
    pub(crate) fn project([x, y, z]: Point, (width, height): (u32, u32)) -> [f64; 2] {
        let scale = f64::from(width.min(height)) / 2.0 / HALF;
        [f64::from(width) / 2.0 + x / z * scale, f64::from(height) / 2.0 - y / z * scale]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_lie_within_the_picture() {
        for bounds in [[[-1.0; 3], [1.0; 3]], [[5.0, -3.0, 2.0], [6.0, 200.0, 2.0]], [[0.0; 3], [0.0; 3]]] {
            let camera = Camera::of_bounds(bounds).unwrap();
            for corner in 0..8 {
                let point = core::array::from_fn(|axis| bounds[corner >> axis & 1][axis]);
                let seen = camera.see(point);
                assert!(seen[2] > 0.0, "{seen:?}");
                let [x, y] = Camera::project(seen, (200, 100));
                assert!((0.0..=200.0).contains(&x) && (0.0..=100.0).contains(&y), "{bounds:?}: {x} {y}");
            }
        }
    }

    #[test]
    fn x_is_to_the_right_and_y_upwards() {
        let camera = Camera::new([0.0, 0.0, -5.0], [0.0; 3]).unwrap();
        let at = |point| Camera::project(camera.see(point), (100, 100));
        assert_eq!(at([0.0; 3]), [50.0, 50.0]);
        assert!(at([1.0, 0.0, 0.0])[0] > 50.0 && at([0.0, 1.0, 0.0])[1] < 50.0);
        assert!(Camera::new([1.0; 3], [1.0; 3]).is_err());
        for at in [[1e300; 3], [1e-300, 0.0, 0.0]] {
            assert!(Camera::new([0.0; 3], at).is_ok(), "{at:?}");
        }
    }
}
