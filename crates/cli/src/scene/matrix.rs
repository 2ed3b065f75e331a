//! Points, and what moves them.

/// x, y, z.
pub(crate) type Point = [f64; 3];

/// Three rows of four, as `D3D12_RAYTRACING_INSTANCE_DESC` has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matrix(pub(crate) [[f64; 4]; 3]);

impl Matrix {
    pub(crate) const IDENTITY: Self = Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);

    pub(crate) fn of_floats(rows: [[f32; 4]; 3]) -> Self {
        Self(rows.map(|row| row.map(f64::from)))
    }

    pub(crate) fn apply(&self, [x, y, z]: Point) -> Point {
        self.0.map(|[a, b, c, d]| a * x + b * y + c * z + d)
    }
}

pub(crate) fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Of length 1; the point itself where it has no length.
pub(crate) fn unit(a: Point) -> Point {
    // The squares of large numbers are infinite, and those of small ones 0.
    let most = a.iter().fold(0f64, |most, value| most.max(value.abs()));
    if most == 0.0 {
        return a;
    }
    let scaled = a.map(|value| value / most);
    let length = dot(scaled, scaled).sqrt();
    scaled.map(|value| value / length)
}
