//! The viewports and scissors that are set at a draw: what lies in both, what the scissors cut off, and their edges.

use super::classes::{CYAN, Class, Classes, GREEN, RED, YELLOW};
use super::evidence::{Evidence, Inside};
use anyhow::{Result, bail};

const CLASSES: [Class; 4] = [
    Class { name: "edge", colour: CYAN, about: "the outermost texels inside a viewport" },
    Class { name: "scissor_edge", colour: YELLOW, about: "the outermost texels inside a scissor rectangle" },
    Class { name: "cut", colour: RED, about: "inside a viewport, and outside its scissor rectangle" },
    Class { name: "inside", colour: GREEN, about: "inside a viewport and its scissor rectangle" },
];

pub(super) fn classes(evidence: &Evidence) -> Result<Classes> {
    let set = evidence.rectangles()?;
    if set.viewports.is_empty() {
        bail!("no viewport is set at the call");
    }
    // A primitive goes through the viewport and the scissor of the same number; a scissor that is not set is empty.
    let viewports: Vec<Inside> = set.within_viewports().collect();
    let scissors: Vec<Inside> = set.within_scissors().collect();
    let mut found = Classes::new(evidence.size(), &CLASSES, |x, y| {
        let at = (i64::from(x), i64::from(y));
        if viewports.iter().any(|it| is_edge(it, at)) {
            return Some(0);
        }
        if scissors.iter().take(viewports.len()).any(|it| is_edge(it, at)) {
            return Some(1);
        }
        let passes = |(number, viewport): (usize, &Inside)| {
            holds(viewport, at) && scissors.get(number).is_some_and(|it| holds(it, at))
        };
        match (viewports.iter().any(|it| holds(it, at)), viewports.iter().enumerate().any(passes)) {
            (true, true) => Some(3),
            (true, false) => Some(2),
            _ => None,
        }
    });
    for (number, [left, top, width, height, ..]) in set.viewports.iter().enumerate() {
        let scissor = match set.scissors.get(number) {
            Some([left, top, right, bottom]) => format!("scissor {left},{top} to {right},{bottom}"),
            None => "no scissor, which lets nothing through".into(),
        };
        found.notes.push(format!("viewport {number}: {width}x{height} at {left},{top}; {scissor}"));
    }
    Ok(found)
}

fn holds([left, top, right, bottom]: &Inside, (x, y): (i64, i64)) -> bool {
    (*left..*right).contains(&x) && (*top..*bottom).contains(&y)
}

fn is_edge(it @ [left, top, right, bottom]: &Inside, at: (i64, i64)) -> bool {
    holds(it, at) && (at.0 == *left || at.0 == right - 1 || at.1 == *top || at.1 == bottom - 1)
}
