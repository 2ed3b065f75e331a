//! How often each square of two by two pixels is shaded: a triangle shades all four pixels of a square of which it covers one.

use super::classes::{BLUE, Class, Classes, GREEN, MAGENTA, RED, YELLOW};
use super::evidence::Evidence;
use super::geometry::triangles;
use anyhow::Result;

const CLASSES: [Class; 5] = [
    Class { name: "1", colour: BLUE, about: "one triangle shades its square" },
    Class { name: "2", colour: GREEN, about: "two triangles shade its square" },
    Class { name: "3", colour: YELLOW, about: "three triangles shade its square" },
    Class { name: "4", colour: RED, about: "four triangles shade its square" },
    Class { name: "more", colour: MAGENTA, about: "more triangles shade its square" },
];

pub(super) fn classes(evidence: &Evidence) -> Result<Classes> {
    let (width, height) = evidence.size();
    let across = width.div_ceil(2);
    let squares = across as usize * height.div_ceil(2) as usize;
    let mut times = vec![0u32; squares];
    // The last triangle that shaded a square, by number from 1 on.
    let mut last = vec![0u64; squares];
    let (mut triangle_number, mut quads, mut fragments) = (0, 0, 0);
    let notes = triangles(evidence, |triangle| {
        triangle_number += 1;
        fragments += triangle.pixels.len() as u64;
        for (x, y) in triangle.pixels {
            let square = (y / 2 * across + x / 2) as usize;
            if std::mem::replace(&mut last[square], triangle_number) != triangle_number {
                times[square] += 1;
                quads += 1;
            }
        }
    })?;
    let mut found = Classes::new((width, height), &CLASSES, |x, y| {
        let times = times.get((y / 2 * across + x / 2) as usize).copied().unwrap_or(0);
        (times as usize).checked_sub(1).map(|class| class.min(CLASSES.len() - 1))
    });
    let most = times.iter().copied().max().unwrap_or(0);
    found.numbers = vec![("quads", quads), ("fragments", fragments), ("most", most.into())];
    found.notes = notes;
    Ok(found)
}
