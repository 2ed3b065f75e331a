//! A scene as a picture: each pixel shows what is next behind it.

use super::camera::Camera;
use super::matrix::{Point, cross, dot, minus, unit};
use reprise_picture::Image;

/// What is nearer than this is cut off: a part of the distance to what is looked at would hide what the camera stands in.
const NEAR: f64 = 1e-4;
/// Where nothing is.
const SKY: [u16; 3] = [24, 26, 30];

/// A triangle in the world, with its colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Face {
    pub(crate) corners: [Point; 3],
    /// 0 to 1.
    pub(crate) colour: [f64; 3],
}

/// Paints faces; gives the picture, and how many pixels show any.
pub(crate) fn paint(faces: impl Iterator<Item = Face>, camera: &Camera, size: (u32, u32)) -> (Image, u64) {
    let (width, height) = size;
    let count = width as usize * height as usize;
    let mut channels: Vec<u16> = std::iter::repeat_n([SKY[0], SKY[1], SKY[2], 255], count).flatten().collect();
    // One over the distance: it is linear in the picture.
    let mut nearest = vec![0.0f64; count];
    for face in faces {
        let [a, b, c] = face.corners;
        let normal = unit(cross(minus(b, a), minus(c, a)));
        // Both sides are lit along the view, so that no face is black and one plane has one shade.
        let light = 0.25 + 0.75 * dot(normal, camera.forward()).abs();
        let colour = face.colour.map(|channel| (channel * light * 255.0).round().clamp(0.0, 255.0) as u16);
        let seen = clip(face.corners.map(|corner| camera.see(corner)));
        for at in 2..seen.len() {
            let corners = [seen[0], seen[at - 1], seen[at]].map(|point| {
                let [x, y] = Camera::project(point, size);
                [x, y, 1.0 / point[2]]
            });
            fill(corners, size, |pixel, nearness| {
                if nearness > nearest[pixel] {
                    nearest[pixel] = nearness;
                    channels[pixel * 4..pixel * 4 + 3].copy_from_slice(&colour);
                }
            });
        }
    }
    let covered = nearest.iter().filter(|nearness| **nearness > 0.0).count() as u64;
    (Image { width, height, channels, is_deep: false, has_alpha: false }, covered)
}

/// The part of a triangle that lies before the camera.
fn clip(corners: [Point; 3]) -> Vec<Point> {
    let mut kept = Vec::with_capacity(4);
    for (at, this) in corners.iter().enumerate() {
        let next = &corners[(at + 1) % 3];
        if this[2] >= NEAR {
            kept.push(*this);
        }
        if (this[2] >= NEAR) != (next[2] >= NEAR) {
            let part = (NEAR - this[2]) / (next[2] - this[2]);
            kept.push(core::array::from_fn(|axis| this[axis] + (next[axis] - this[axis]) * part));
        }
    }
    kept
}

/// The pixels whose middles a triangle of places covers, each with its third number.
fn fill(corners: [[f64; 3]; 3], (width, height): (u32, u32), mut put: impl FnMut(usize, f64)) {
    let [a, b, c] = corners;
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if area == 0.0 || !area.is_finite() {
        return;
    }
    let range = |axis: usize, end: u32| {
        let values = corners.map(|corner| corner[axis]);
        let least = values.into_iter().fold(f64::INFINITY, f64::min).floor().clamp(0.0, end.into()) as u32;
        let most = values.into_iter().fold(f64::NEG_INFINITY, f64::max).ceil().clamp(0.0, end.into()) as u32;
        least..most
    };
    for y in range(1, height) {
        for x in range(0, width) {
            let at = [f64::from(x) + 0.5, f64::from(y) + 0.5];
            let side =
                |p: [f64; 3], q: [f64; 3]| ((q[0] - p[0]) * (at[1] - p[1]) - (q[1] - p[1]) * (at[0] - p[0])) / area;
            let weights = [side(b, c), side(c, a), side(a, b)];
            if weights.iter().all(|weight| *weight >= 0.0) {
                let nearness = weights.iter().zip(corners).map(|(weight, corner)| weight * corner[2]).sum();
                put(y as usize * width as usize + x as usize, nearness);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(z: f64, half: f64, colour: [f64; 3]) -> [Face; 2] {
        let at = |x: f64, y: f64| [x * half, y * half, z];
        [[at(-1., -1.), at(1., -1.), at(1., 1.)], [at(-1., -1.), at(1., 1.), at(-1., 1.)]]
            .map(|corners| Face { corners, colour })
    }

    #[test]
    fn the_nearer_face_is_seen_whatever_the_order() {
        let camera = Camera::new([0.0, 0.0, -1.0], [0.0; 3]).unwrap();
        let near = square(1.0, 0.2, [1.0, 0.0, 0.0]);
        let far = square(3.0, 10.0, [0.0, 1.0, 0.0]);
        let pictures = [[near, far], [far, near]].map(|order| paint(order.into_iter().flatten(), &camera, (64, 64)));
        assert_eq!(pictures[0], pictures[1]);
        let (picture, covered) = &pictures[0];
        assert_eq!(*covered, 64 * 64);
        let pixel = |x: usize, y: usize| &picture.channels[(y * 64 + x) * 4..][..3];
        assert!(pixel(32, 32)[0] > 200 && pixel(32, 32)[1] == 0 && pixel(2, 2)[0] == 0 && pixel(2, 2)[1] > 100);
        // 0.2 of half a width at a distance of 2, of which half a picture shows 0.83: a quarter of the width.
        let red = (0..64).filter(|x| pixel(*x, 32)[0] > 0).count();
        assert!((15..=16).contains(&red), "{red}");
    }

    #[test]
    fn what_lies_behind_the_camera_is_cut_off() {
        let camera = Camera::new([0.0; 3], [0.0, 0.0, 1.0]).unwrap();
        assert_eq!(paint(square(-1.0, 9.0, [1.0; 3]).into_iter(), &camera, (8, 8)).1, 0);
        let floor = Face { corners: [[-50.0, -1.0, -50.0], [50.0, -1.0, -50.0], [0.0, -1.0, 90.0]], colour: [1.0; 3] };
        let (_, covered) = paint([floor].into_iter(), &camera, (32, 32));
        assert!((300..=512).contains(&covered), "{covered}: the half below the horizon");
    }
}
