//! How large a draw's triangles are, in pixels.

use super::classes::{BLUE, CYAN, Class, Classes, GREEN, MAGENTA, RED, YELLOW};
use super::evidence::Evidence;
use super::geometry::triangles;
use anyhow::Result;

/// A texel is of the class of the smallest triangle that covers it.
const CLASSES: [Class; 6] = [
    Class { name: "below_1", colour: MAGENTA, about: "the smallest triangle there has less than 1 pixel" },
    Class { name: "below_4", colour: RED, about: "from 1 to less than 4 pixels" },
    Class { name: "below_16", colour: YELLOW, about: "from 4 to less than 16" },
    Class { name: "below_64", colour: GREEN, about: "from 16 to less than 64" },
    Class { name: "below_256", colour: CYAN, about: "from 64 to less than 256" },
    Class { name: "large", colour: BLUE, about: "256 and more" },
];
/// Where the classes end.
const ENDS: [f64; 5] = [1.0, 4.0, 16.0, 64.0, 256.0];

pub(super) fn classes(evidence: &Evidence) -> Result<Classes> {
    let class = |area: f64| ENDS.iter().take_while(|end| area >= **end).count();
    let (width, height) = evidence.size();
    let mut smallest = vec![f64::INFINITY; width as usize * height as usize];
    let (mut all, mut empty, mut counts) = (0, 0, [0u64; CLASSES.len()]);
    let notes = triangles(evidence, |triangle| {
        all += 1;
        empty += u64::from(triangle.pixels.is_empty());
        counts[class(triangle.area)] += 1;
        for (x, y) in triangle.pixels {
            let area = &mut smallest[*y as usize * width as usize + *x as usize];
            *area = area.min(triangle.area);
        }
    })?;
    let mut found = Classes::new((width, height), &CLASSES, |x, y| {
        let area = smallest.get(y as usize * width as usize + x as usize).copied()?;
        area.is_finite().then(|| class(area))
    });
    found.numbers = vec![("triangles", all), ("without_texels", empty)];
    const NAMES: [&str; CLASSES.len()] = [
        "triangles_below_1",
        "triangles_below_4",
        "triangles_below_16",
        "triangles_below_64",
        "triangles_below_256",
        "triangles_large",
    ];
    found.numbers.extend(NAMES.into_iter().zip(counts));
    found.notes = notes;
    Ok(found)
}
