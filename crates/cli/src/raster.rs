//! Triangles on the grid that corners are rounded to, by the rules of the API (Direct3D 11.3 functional specification, 3.4.1 and 3.4.2): places in
//! 256ths of a pixel, and of two triangles that share an edge one has the place that lies on it.
//!
//! Pure. Overlays draw with it, and `debug` finds with it which primitives have a pixel.

/// Parts of a pixel that places are rounded to.
pub(crate) const STEPS: f64 = 256.0;
/// Places lie within this many parts, so that products of two have room.
const FARTHEST: f64 = 1e9;

/// A place in parts of pixels; rows go downwards.
pub(crate) type Place = (i64, i64);

/// The place of what lies there, in pixels.
pub(crate) fn place(x: f64, y: f64) -> Place {
    let round = |value: f64| (value * STEPS).round_ties_even().clamp(-FARTHEST, FARTHEST) as i64;
    (round(x), round(y))
}

/// Twice the area of a triangle; positive where it is clockwise.
pub(crate) fn side(a: Place, b: Place, c: Place) -> i64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

/// A triangle that has a size, its corners clockwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clockwise([Place; 3]);

impl Clockwise {
    /// `None`: it has no size.
    pub(crate) fn of([a, b, c]: [Place; 3]) -> Option<Clockwise> {
        match side(a, b, c) {
            0 => None,
            turned if turned < 0 => Some(Clockwise([a, c, b])),
            _ => Some(Clockwise([a, b, c])),
        }
    }

    /// Whether it covers a place: inside of all its edges, or on one that is a top or a left edge.
    pub(crate) fn covers(&self, at: Place) -> bool {
        let [a, b, c] = self.0;
        [(a, b), (b, c), (c, a)].iter().all(|(from, to)| {
            let side = side(*from, *to, at);
            side > 0 || side == 0 && is_top_or_left((to.0 - from.0) as f64, (to.1 - from.1) as f64)
        })
    }
}

/// Whether an edge of a clockwise triangle that goes so far to the right and down has the places on it.
pub(crate) fn is_top_or_left(right: f64, down: f64) -> bool {
    down < 0.0 || down == 0.0 && right > 0.0
}
