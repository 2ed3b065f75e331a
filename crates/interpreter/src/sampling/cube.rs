//! Faces of cubes.

/// For each face the directions of its axes: that of its middle, of its columns and of its rows.
const FACES: [[[f64; 3]; 3]; 6] = [
    [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]],
    [[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]],
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]],
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
    [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
];

fn dot(one: [f64; 3], other: [f64; 3]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The face that a direction meets. Of components that are as great, Z goes before Y, and Y before X (7.18.7).
pub(crate) fn face([x, y, z]: [f64; 3]) -> usize {
    let side = |component: f64| usize::from(component.is_sign_negative());
    if z.abs() >= x.abs() && z.abs() >= y.abs() {
        4 + side(z)
    } else if y.abs() >= x.abs() {
        2 + side(y)
    } else {
        side(x)
    }
}

/// Where a direction meets a face: from 0 to 1 across and down it.
pub(crate) fn on(face: usize, direction: [f64; 3]) -> [f64; 2] {
    let [middle, across, down] = FACES[face];
    let major = dot(direction, middle).abs();
    [across, down].map(|axis| if major == 0.0 { 0.5 } else { dot(direction, axis) / major * 0.5 + 0.5 })
}

/// How the place on a face changes as its direction does, from 0 to 1 across and down it (7.18.11).
pub(crate) fn change(face: usize, direction: [f64; 3], by: [f64; 3]) -> [f64; 2] {
    let [middle, across, down] = FACES[face];
    let (major, by_major) = (dot(direction, middle), dot(by, middle));
    [across, down].map(|axis| 0.5 * (major * dot(by, axis) - dot(direction, axis) * by_major) / (major * major))
}

/// A texel beside a face, as the face has it that it lies on; `None`: beyond a corner, where no texel is.
pub(crate) fn beside(own: usize, at: [i64; 2], side: u32) -> Option<(usize, [i64; 2])> {
    let count = i64::from(side.max(1));
    let is_within = |at: i64| (0..count).contains(&at);
    match at.map(is_within) {
        [true, true] => return Some((own, at)),
        [false, false] => return None,
        _ => {}
    }
    let [middle, across, down] = FACES[own];
    let [u, v] = at.map(|at| (at as f64 + 0.5) / count as f64 * 2.0 - 1.0);
    let direction = [0, 1, 2].map(|axis| middle[axis] + u * across[axis] + v * down[axis]);
    // The direction leans over the edge, so another component than the face's own is the greatest.
    let other = face(direction);
    let place = on(other, direction).map(|at| ((at * count as f64).floor() as i64).clamp(0, count - 1));
    Some((other, place))
}
