//! A primitive as the rasteriser has it, and the values of its corners anywhere on it.

use crate::raster::{Clockwise, is_top_or_left, place};

/// A corner, in clip space: x, y, z, w.
pub(crate) type Corner = [f64; 4];

/// Left, top, width, height, least and greatest depth.
pub(crate) type Viewport = [f64; 6];

/// How much of each corner a place has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Weights {
    /// As in space.
    pub(crate) perspective: [f64; 3],
    /// As on the screen.
    pub(crate) linear: [f64; 3],
}

/// The place on the screen of what is in clip space, not yet divided by w.
fn on_screen(corner: Corner, viewport: Viewport) -> [f64; 3] {
    let [x, y, _, w] = corner;
    let [left, top, width, height, ..] = viewport;
    [x * width / 2.0 + (left + width / 2.0) * w, -y * height / 2.0 + (top + height / 2.0) * w, w]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Shares that come to 1.
fn shares(parts: [f64; 3]) -> Option<[f64; 3]> {
    let sum: f64 = parts.iter().sum();
    (sum != 0.0 && sum.is_finite()).then(|| parts.map(|part| part / sum))
}

/// The weights at a place of the screen, in pixels. `None`: the primitive has no size. Behind its edges they go on.
pub(crate) fn weights(corners: &[Corner], viewport: Viewport, at: (f64, f64)) -> Option<Weights> {
    let on = |corner: &Corner| on_screen(*corner, viewport);
    let place = [at.0, at.1, 1.0];
    let depths = |index: usize| corners.get(index).map_or(0.0, |corner| corner[3]);
    match corners {
        [_] => Some(Weights { perspective: [1.0, 0.0, 0.0], linear: [1.0, 0.0, 0.0] }),
        [first, second] => {
            let divided = |corner: &Corner| {
                let [x, y, w] = on(corner);
                (x / w, y / w)
            };
            let ((ax, ay), (bx, by)) = (divided(first), divided(second));
            let (dx, dy) = (bx - ax, by - ay);
            let along = ((at.0 - ax) * dx + (at.1 - ay) * dy) / (dx * dx + dy * dy);
            if !along.is_finite() {
                return None;
            }
            let linear = [1.0 - along, along, 0.0];
            let perspective = shares([linear[0] / first[3], linear[1] / second[3], 0.0])?;
            Some(Weights { perspective, linear })
        }
        [a, b, c] => {
            // What of each corner comes to the place, seen from the eye: Cramer's rule, whose divisor is the same of all.
            let (a, b, c) = (on(a), on(b), on(c));
            let perspective = shares([dot(place, cross(b, c)), dot(place, cross(c, a)), dot(place, cross(a, b))])?;
            let linear = shares([0, 1, 2].map(|index| perspective[index] * depths(index)))?;
            Some(Weights { perspective, linear })
        }
        _ => None,
    }
}

/// Whether a triangle covers a place of the screen, in pixels. Of triangles that share an edge through it one does: that whose upper or left edge it
/// is.
pub(crate) fn covers(corners: &[Corner], viewport: Viewport, at: (f64, f64)) -> bool {
    let Ok(corners) = <[Corner; 3]>::try_from(corners) else { return false };
    let on = corners.map(|corner| on_screen(corner, viewport));
    if on.iter().all(|[.., w]| *w > 0.0) {
        let places = on.map(|[x, y, w]| place(x / w, y / w));
        return Clockwise::of(places).is_some_and(|triangle| triangle.covers(place(at.0, at.1)));
    }
    // Corners behind the eye have no place on the screen, and edges through its plane have: those of what the eye sees.
    let [a, b, c] = on;
    let at = [at.0, at.1, 1.0];
    let edges = [cross(b, c), cross(c, a), cross(a, b)];
    let turned = dot(a, edges[0]).signum();
    let shares = edges.map(|edge| turned * dot(at, edge));
    let within = edges
        .iter()
        .zip(shares)
        .all(|(edge, share)| share > 0.0 || share == 0.0 && is_top_or_left(turned * edge[1], -turned * edge[0]));
    // The same place behind the eye has all shares turned around.
    within && shares.iter().any(|share| *share > 0.0)
}

impl Weights {
    /// The value there, of values at the corners.
    pub(crate) fn of(shares: [f64; 3], values: [f64; 3]) -> f64 {
        shares.iter().zip(values).filter(|(share, _)| **share != 0.0).map(|(share, value)| share * value).sum()
    }

    /// Depth in the viewport's range, and one by w.
    pub(crate) fn position(&self, corners: &[Corner], viewport: Viewport) -> (f64, f64) {
        let of = |part: usize| [0, 1, 2].map(|index| corners.get(index).map_or(0.0, |corner| corner[part]));
        let w = Self::of(self.perspective, of(3));
        let depth = Self::of(self.perspective, of(2)) / w;
        let [.., least, greatest] = viewport;
        (least + depth * (greatest - least), 1.0 / w)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const VIEWPORT: Viewport = [0.0, 0.0, 100.0, 100.0, 0.0, 1.0];

    /// Corners at the upper left, the upper right and the lower left of the viewport, as far away as these.
    fn triangle(w: [f64; 3]) -> Vec<Corner> {
        [(-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0)].iter().zip(w).map(|((x, y), w)| [x * w, y * w, 0.25 * w, w]).collect()
    }

    #[test]
    fn weights_are_those_of_the_screen_and_of_space() {
        let near =
            |one: [f64; 3], other: [f64; 3]| one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-12);
        let flat = weights(&triangle([1.0; 3]), VIEWPORT, (25.0, 50.0)).unwrap();
        assert!(near(flat.linear, [0.25, 0.25, 0.5]) && near(flat.perspective, flat.linear), "{flat:?}");
        // Half way on the screen to what is three times as far away is a quarter of the way in space.
        let deep = weights(&triangle([1.0, 3.0, 1.0]), VIEWPORT, (50.0, 0.0)).unwrap();
        assert!(near(deep.linear, [0.5, 0.5, 0.0]) && near(deep.perspective, [0.75, 0.25, 0.0]), "{deep:?}");
        let (depth, inverse) = deep.position(&triangle([1.0, 3.0, 1.0]), VIEWPORT);
        assert!((depth - 0.25).abs() < 1e-12 && (inverse - 1.0 / 1.5).abs() < 1e-12);
        let beyond = weights(&triangle([1.0; 3]), VIEWPORT, (60.0, 60.0)).unwrap();
        assert!(beyond.linear[0] < 0.0 && deep.linear.iter().all(|share| *share >= 0.0), "{beyond:?}");
        let line = weights(&triangle([1.0, 3.0, 1.0])[..2], VIEWPORT, (50.0, 7.0)).unwrap();
        assert!(near(line.linear, [0.5, 0.5, 0.0]) && near(line.perspective, [0.75, 0.25, 0.0]));
        let none = [triangle([1.0; 3])[0]; 3];
        assert_eq!(weights(&none, VIEWPORT, (1.0, 1.0)), None);
    }

    /// A square of two triangles: each pixel on their common edge, and on the square's border, is of one at most.
    #[test]
    fn a_pixel_on_an_edge_is_of_one_triangle() {
        // From the middle of pixel 10 to the middle of pixel 20, in both directions.
        let place = |pixel: f64| (pixel + 0.5) / 50.0 - 1.0;
        let corner = |x: f64, y: f64| [place(x), -place(y), 0.0, 1.0];
        let (a, b, c, d) = (corner(10.0, 10.0), corner(20.0, 10.0), corner(10.0, 20.0), corner(20.0, 20.0));
        for (one, other) in [([a, b, c], [c, b, d]), ([c, b, a], [d, b, c]), ([b, c, a], [b, d, c])] {
            for x in 9..=21 {
                for y in 9..=21 {
                    let middle = (f64::from(x) + 0.5, f64::from(y) + 0.5);
                    let count =
                        usize::from(covers(&one, VIEWPORT, middle)) + usize::from(covers(&other, VIEWPORT, middle));
                    let is_inside = (10..20).contains(&x) && (10..20).contains(&y);
                    assert_eq!(count, usize::from(is_inside), "{x},{y}");
                }
            }
        }
        assert!(!covers(&[a, b, b], VIEWPORT, (15.5, 10.5)));
    }

    /// What a triangle covers that goes through the eye's plane, against points of it: each lies on the triangle, and is seen where it lies before
    /// the eye.
    #[test]
    fn a_triangle_through_the_eyes_plane_covers_what_the_eye_sees_of_it() {
        let corners = [[0.0, 0.0, 0.5, 1.0], [4.0, 0.0, 0.5, -1.0], [0.0, 4.0, 0.5, 1.0]];
        for turned in [corners, [corners[0], corners[2], corners[1]]] {
            let (mut seen, mut behind) = (0, 0);
            for first in 1..20 {
                for second in 1..20 - first {
                    let third = 20 - first - second;
                    let shares = [first, second, third].map(|share| f64::from(share) / 20.0);
                    let of = |part: usize| (0..3).map(|corner| shares[corner] * turned[corner][part]).sum::<f64>();
                    let (x, y, w) = (of(0), of(1), of(3));
                    if w == 0.0 {
                        continue;
                    }
                    let at = (50.0 + 50.0 * x / w, 50.0 - 50.0 * y / w);
                    assert_eq!(covers(&turned, VIEWPORT, at), w > 0.0, "{shares:?}");
                    if w > 0.0 { seen += 1 } else { behind += 1 }
                }
            }
            assert!(seen > 50 && behind > 20, "{seen} {behind}");
            // Left of the edge between both corners before the eye, and above the one to that behind it.
            assert!(!covers(&turned, VIEWPORT, (49.0, 45.0)) && !covers(&turned, VIEWPORT, (60.0, 51.0)));
        }
        let all_behind = corners.map(|[x, y, z, _]| [x, y, z, -1.0]);
        assert!((0..100).all(|at| !covers(&all_behind, VIEWPORT, (f64::from(at), 40.0))));
    }

    /// A corner behind the eye is no obstacle.
    #[test]
    fn what_is_before_the_eye_is_found_of_a_triangle_that_goes_behind_it() {
        let corners = [[0.0, 0.0, 0.5, 1.0], [4.0, 0.0, 0.5, -1.0], [0.0, 4.0, 0.5, 1.0]];
        let at = weights(&corners, VIEWPORT, (60.0, 45.0)).unwrap();
        let x = Weights::of(at.perspective, [0.0, 4.0, 0.0]) / Weights::of(at.perspective, [1.0, -1.0, 1.0]);
        assert!((x - 0.2).abs() < 1e-12 && at.perspective.iter().all(|share| *share > 0.0), "{at:?}");
    }
}
