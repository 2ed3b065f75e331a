//! A scene as a file that modelling programs read: Wavefront OBJ.

use super::matrix::Point;
use std::fmt::Write;

/// Objects with their triangles. Corners are written once each, in the order of the triangles, with as many digits as tell the floats apart.
pub(crate) fn obj<'o>(objects: impl Iterator<Item = (String, &'o [[Point; 3]])>) -> String {
    let mut text = String::from("# reprise scene\n");
    let mut count = 0usize;
    for (name, triangles) in objects {
        _ = writeln!(text, "o {name}");
        for [x, y, z] in triangles.iter().flatten() {
            _ = writeln!(text, "v {} {} {}", *x as f32, *y as f32, *z as f32);
        }
        for _ in triangles {
            _ = writeln!(text, "f {} {} {}", count + 1, count + 2, count + 3);
            count += 3;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_name_their_corners_from_1() {
        let one = [[[0.0, 0.5, 0.0], [1.0, 0.0, 0.0], [0.0, 0.1, 0.0]]];
        let two = [[[2.0; 3], [3.0; 3], [4.0; 3]]];
        let text = obj([("a".to_owned(), &one[..]), ("b".to_owned(), &two[..])].into_iter());
        assert_eq!(
            text,
            "# reprise scene\no a\nv 0 0.5 0\nv 1 0 0\nv 0 0.1 0\nf 1 2 3\no b\nv 2 2 2\nv 3 3 3\nv 4 4 4\nf 4 5 6\n"
        );
    }
}
