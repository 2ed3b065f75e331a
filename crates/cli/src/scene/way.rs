//! Ways of rays, as triangles beside those of the scene.

use super::matrix::{Point, cross, dot, minus, unit};
use reprise_interpreter::TracedRay;

/// From where a ray begins to where it ends in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    pub(crate) from: Point,
    pub(crate) to: Point,
    /// It ends at what it hits; otherwise it leaves the scene.
    pub(crate) hits: bool,
}

impl Way {
    /// Of a ray through a scene of these bounds; `None` where it goes nowhere.
    pub(crate) fn of(ray: &TracedRay, [least, most]: [Point; 2]) -> Option<Way> {
        let (origin, direction) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
        let length = dot(direction, direction).sqrt();
        let middle: Point = core::array::from_fn(|axis| (least[axis] + most[axis]) / 2.0);
        let (away, size) = (minus(middle, origin), minus(most, least));
        // As far as the far end of the scene lies, and a little more.
        let leaves = (dot(away, away).sqrt() + dot(size, size).sqrt() / 2.0) * 1.1 / length;
        let end = ray.hit.map_or(f64::from(ray.greatest).min(leaves), |hit| hit.distance);
        let at = |distance: f64| core::array::from_fn(|axis| origin[axis] + direction[axis] * distance);
        let way = Way { from: at(ray.least.into()), to: at(end), hits: ray.hit.is_some() };
        way.from.iter().chain(&way.to).all(|it| it.is_finite()).then_some(way)
    }

    /// The sides of a thin prism along it.
    pub(crate) fn triangles(&self, radius: f64) -> Vec<[Point; 3]> {
        let along = unit(minus(self.to, self.from));
        let other = if along[1].abs() > 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let (one, two) = (unit(cross(along, other)), cross(along, unit(cross(along, other))));
        let corner = |number: usize| {
            let angle = number as f64 * core::f64::consts::TAU / 3.0;
            core::array::from_fn(|axis| radius * (one[axis] * angle.cos() + two[axis] * angle.sin()))
        };
        let plus = |a: Point, b: Point| core::array::from_fn(|axis| a[axis] + b[axis]);
        (0..3)
            .flat_map(|side| {
                let (a, b): (Point, Point) = (corner(side), corner(side + 1));
                let [near, far] = [self.from, self.to];
                [[plus(near, a), plus(near, b), plus(far, a)], [plus(far, a), plus(near, b), plus(far, b)]]
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prism_lies_about_its_way() {
        for to in [[3.0, 0.0, 0.0], [0.0, 5.0, 0.0], [1.0, -2.0, 2.0]] {
            let way = Way { from: [0.0; 3], to, hits: true };
            let triangles = way.triangles(0.5);
            assert_eq!(triangles.len(), 6);
            for point in triangles.iter().flatten() {
                let along = unit(to);
                let far = dot(*point, along);
                let beside = minus(*point, along.map(|it| it * far));
                assert!((dot(beside, beside).sqrt() - 0.5).abs() < 1e-9, "{point:?}");
                assert!(far.abs() < 1e-9 || (far - dot(to, along)).abs() < 1e-9, "{point:?}");
            }
        }
    }
}
