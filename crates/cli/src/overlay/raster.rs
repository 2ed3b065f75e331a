//! Triangles on a grid of pixels: which pixels' middles each of them covers, of what lies before the eye and between the near and the far plane.
//!
//! Pure. Invariant: a pixel of a triangle is told once, whatever pieces clipping cuts the triangle into.

use super::evidence::Rectangles;
use crate::raster::{Clockwise, Place, STEPS, place, side};

/// A vertex in clip space: x, y, z, w.
pub(super) type Vertex = [f64; 4];
/// Faces that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Culled {
    Nothing,
    Front,
    Back,
}

/// What triangles are drawn to.
pub(super) struct Grid<'r> {
    pub(super) size: (u32, u32),
    pub(super) rectangles: &'r Rectangles,
    pub(super) culled: Culled,
    /// Front faces are counter-clockwise.
    pub(super) counter_clockwise: bool,
}

/// A triangle that is not culled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Triangle<'p> {
    /// In pixels, of what is within the near and the far plane.
    pub(super) area: f64,
    /// The pixels whose middles it covers, within the viewport and the scissor.
    pub(super) pixels: &'p [(u32, u32)],
}

impl Grid<'_> {
    /// A triangle on the grid; `None`: it is culled, or nothing of it lies between the near and the far plane. `room` has its pixels, and not
    /// those of the triangle before: all pixels of all triangles can be more than there is memory.
    pub(super) fn draw<'p>(&self, corners: [Vertex; 3], room: &'p mut Vec<(u32, u32)>) -> Option<Triangle<'p>> {
        let [left, top, width, height, ..] = self.rectangles.viewports.first()?.map(f64::from);
        let clipped = clip(&corners);
        let on = |[x, y, _, w]: &Vertex| place(left + (x / w + 1.0) * width / 2.0, top + (1.0 - y / w) * height / 2.0);
        let places: Vec<Place> = clipped.iter().map(on).collect();
        let pieces: Vec<[Place; 3]> = (2..places.len()).map(|at| [places[0], places[at - 1], places[at]]).collect();
        let doubled: i128 = pieces.iter().map(|[a, b, c]| i128::from(side(*a, *b, *c))).sum();
        if doubled == 0 {
            return None;
        }
        // The rows of pixels go downwards: clockwise is positive.
        let is_front = (doubled > 0) != self.counter_clockwise;
        if matches!((self.culled, is_front), (Culled::Front, true) | (Culled::Back, false)) {
            return None;
        }
        room.clear();
        pieces.iter().for_each(|piece| self.cover(*piece, room));
        if pieces.len() > 1 {
            room.sort_unstable();
            room.dedup();
        }
        Some(Triangle { area: doubled.unsigned_abs() as f64 / 2.0 / (STEPS * STEPS), pixels: room })
    }

    fn cover(&self, [a, b, c]: [Place; 3], pixels: &mut Vec<(u32, u32)>) {
        let Some(triangle) = Clockwise::of([a, b, c]) else { return };
        let (columns, rows) = self.bounds();
        let steps = STEPS as i64;
        let first = |least: i64, low: i64| low.max(least.div_euclid(steps));
        let last = |greatest: i64, high: i64| high.min(greatest.div_euclid(steps) + 1);
        let (low_x, high_x) = (a.0.min(b.0).min(c.0), a.0.max(b.0).max(c.0));
        let (low_y, high_y) = (a.1.min(b.1).min(c.1), a.1.max(b.1).max(c.1));
        for y in first(low_y, rows.0)..last(high_y, rows.1) {
            for x in first(low_x, columns.0)..last(high_x, columns.1) {
                let middle = (x * steps + steps / 2, y * steps + steps / 2);
                if triangle.covers(middle) {
                    pixels.push((x as u32, y as u32));
                }
            }
        }
    }

    /// Columns and rows within the picture, the viewport and the scissor.
    fn bounds(&self) -> ((i64, i64), (i64, i64)) {
        // A scissor that is not set is empty.
        let scissor = self.rectangles.within_scissors().next().unwrap_or_default();
        let viewport = self.rectangles.within_viewports().next().unwrap_or_default();
        let picture = [0, 0, i64::from(self.size.0), i64::from(self.size.1)];
        let least = |side: usize| scissor[side].max(viewport[side]).max(picture[side]);
        let most = |side: usize| scissor[side].min(viewport[side]).min(picture[side]);
        ((least(0), most(2)), (least(1), most(3)))
    }
}

/// What of a triangle lies between the near and the far plane, and before the eye.
fn clip(corners: &[Vertex; 3]) -> Vec<Vertex> {
    /// What is nearer to the eye has no place.
    const NEAREST: f64 = 1e-9;
    let planes: [fn(&Vertex) -> f64; 3] = [|it| it[3] - NEAREST, |it| it[2], |it| it[3] - it[2]];
    let mut all = corners.to_vec();
    for plane in planes {
        let mut kept = Vec::new();
        for (at, corner) in all.iter().enumerate() {
            let next = &all[(at + 1) % all.len()];
            let (here, there) = (plane(corner), plane(next));
            if here >= 0.0 {
                kept.push(*corner);
            }
            if (here >= 0.0) != (there >= 0.0) {
                let part = here / (here - there);
                kept.push(std::array::from_fn(|axis| corner[axis] + (next[axis] - corner[axis]) * part));
            }
        }
        all = kept;
    }
    // What is no number lies nowhere.
    if all.iter().flatten().all(|value| value.is_finite()) { all } else { Vec::new() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn whole(size: u32) -> Rectangles {
        Rectangles {
            viewports: vec![[0.0, 0.0, size as f32, size as f32, 0.0, 1.0]],
            scissors: vec![[0, 0, size as i32, size as i32]],
        }
    }

    /// A vertex at a place in pixels of a grid of eight.
    fn at(x: f64, y: f64) -> Vertex {
        [x / 4.0 - 1.0, 1.0 - y / 4.0, 0.5, 1.0]
    }

    #[test]
    fn two_triangles_share_no_pixel_and_leave_none_out() {
        let rectangles = whole(8);
        let grid = Grid { size: (8, 8), rectangles: &rectangles, culled: Culled::Nothing, counter_clockwise: false };
        let (mut one, mut other) = (Vec::new(), Vec::new());
        let upper = grid.draw([at(0.0, 0.0), at(8.0, 0.0), at(0.0, 8.0)], &mut one).unwrap();
        let lower = grid.draw([at(8.0, 0.0), at(8.0, 8.0), at(0.0, 8.0)], &mut other).unwrap();
        assert_eq!((upper.area, lower.area), (32.0, 32.0));
        assert!(upper.pixels.iter().all(|pixel| !lower.pixels.contains(pixel)));
        assert_eq!(upper.pixels.len() + lower.pixels.len(), 64);
        // The diagonal is the lower one's left edge.
        assert_eq!((upper.pixels.len(), lower.pixels.len()), (28, 36));
    }

    #[test]
    fn faces_scissors_and_planes_take_what_is_theirs() {
        let mut rectangles = whole(8);
        let corners = [at(0.0, 0.0), at(8.0, 0.0), at(0.0, 8.0)];
        let turned = [corners[0], corners[2], corners[1]];
        fn grid(rectangles: &Rectangles, culled: Culled, counter_clockwise: bool) -> Grid<'_> {
            Grid { size: (8, 8), rectangles, culled, counter_clockwise }
        }
        for (culled, counter_clockwise, there) in [
            (Culled::Back, false, [true, false]),
            (Culled::Front, false, [false, true]),
            (Culled::Back, true, [false, true]),
        ] {
            let drawn = |corners| grid(&rectangles, culled, counter_clockwise).draw(corners, &mut Vec::new()).is_some();
            assert_eq!([drawn(corners), drawn(turned)], there, "{culled:?}");
        }
        rectangles.scissors = vec![[0, 0, 2, 3]];
        let mut room = Vec::new();
        let cut = grid(&rectangles, Culled::Nothing, false).draw(corners, &mut room).unwrap();
        assert_eq!((cut.area, cut.pixels.len()), (32.0, 6));
        // A viewport is narrower than its scissor: texels whose middle lies in it, and the triangle is larger than it.
        rectangles = whole(8);
        rectangles.viewports = vec![[2.0, 2.0, 3.5, 3.4, 0.0, 1.0]];
        let large = [[-3.0, 3.0, 0.5, 1.0], [9.0, 3.0, 0.5, 1.0], [-3.0, -9.0, 0.5, 1.0]];
        let cut = grid(&rectangles, Culled::Nothing, false).draw(large, &mut room).unwrap();
        assert_eq!(cut.pixels, (2..5).flat_map(|y| (2..5).map(move |x| (x, y))).collect::<Vec<_>>());
        // Beyond the far plane, half of it, and behind the eye.
        rectangles = whole(8);
        let deep = |depths: [f64; 3]| {
            let mut moved = corners;
            moved.iter_mut().zip(depths).for_each(|(corner, depth)| corner[2] = depth);
            grid(&rectangles, Culled::Nothing, false).draw(moved, &mut Vec::new()).map(|it| it.area)
        };
        assert_eq!(deep([1.5; 3]), None);
        assert_eq!(deep([0.5, 0.5, 1.5]), Some(24.0));
        let behind = corners.map(|[x, y, z, _]| [x, y, z, -1.0]);
        assert_eq!(grid(&rectangles, Culled::Nothing, false).draw(behind, &mut room), None);
    }

    #[test]
    fn a_triangle_leaves_no_pixels_to_the_next_one() {
        let rectangles = whole(8);
        let grid = Grid { size: (8, 8), rectangles: &rectangles, culled: Culled::Nothing, counter_clockwise: false };
        let mut room = Vec::new();
        // Each covers everything, and is cut into two pieces.
        let corners = [[-1.0, 1.0, 0.5, 1.0], [3.0, 1.0, 0.5, 1.0], [-1.0, -3.0, -0.001, 1.0]];
        let most = grid.draw(corners, &mut room).unwrap().pixels.len();
        assert!(most > 32, "{most}");
        for _ in 0..10_000 {
            assert_eq!(grid.draw(corners, &mut room).unwrap().pixels.len(), most);
        }
        assert!(room.capacity() <= 4 * 64, "room for {} pixels", room.capacity());
    }
}
