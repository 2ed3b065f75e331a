//! Points, directions, and what moves them.

/// x, y, z.
pub type Point = [f64; 3];

/// Three rows of four, as `D3D12_RAYTRACING_INSTANCE_DESC` has them.
pub type Matrix = [[f64; 4]; 3];

pub(crate) fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The sum of its components without their signs.
pub(crate) fn sum(a: Point) -> f64 {
    a.iter().map(|it| it.abs()).sum()
}

/// A place, moved.
pub(crate) fn place(by: &Matrix, at: Point) -> Point {
    by.map(|[a, b, c, d]| a * at[0] + b * at[1] + c * at[2] + d)
}

/// A direction, turned.
pub(crate) fn turn(by: &Matrix, along: Point) -> Point {
    by.map(|[a, b, c, _]| a * along[0] + b * along[1] + c * along[2])
}

/// The products of a place without their signs, of which rounding is a part.
pub(crate) fn products(by: &Matrix, at: Point) -> f64 {
    let row = |[a, b, c, d]: [f64; 4]| (a * at[0]).abs() + (b * at[1]).abs() + (c * at[2]).abs() + d.abs();
    by.iter().map(|it| row(*it)).fold(0.0, f64::max)
}

/// What moves back; `None` where nothing does.
pub(crate) fn inverse(of: &Matrix) -> Option<Matrix> {
    let column = |at: usize| [of[0][at], of[1][at], of[2][at]];
    let [x, y, z, moved] = [0, 1, 2, 3].map(column);
    let size = dot(x, cross(y, z));
    let rows = [cross(y, z), cross(z, x), cross(x, y)].map(|row| row.map(|it| it / size));
    let back = rows.map(|row| [row[0], row[1], row[2], -dot(row, moved)]);
    back.iter().flatten().all(|it| it.is_finite()).then_some(back)
}
