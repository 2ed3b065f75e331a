//! Layers and viewports that a geometry shader takes from the stage before it.
//!
//! The API passes them on as any value, and only what the last stage gives is where a primitive goes. SPIR-V lets no geometry shader
//! read them as such, so both sides get an ordinary place.

use std::collections::HashSet;

use crate::Stage;
use crate::facts::{HEADER, emit, instructions};
use crate::interface::Passed;

/// Numbers of the SPIR-V specification.
const VARIABLE: u32 = 59;
const DECORATE: u32 = 71;
const BUILT_IN: u32 = 11;
const LOCATION: u32 = 30;
const COMPONENT: u32 = 31;
const INPUT: u32 = 1;
const OUTPUT: u32 = 3;

/// The module with ordinary places: of what a geometry shader takes, and of what another stage gives.
pub(crate) fn with_places(words: Vec<u32>, stage: Stage, passed: &[Passed]) -> Vec<u32> {
    let class = if stage == Stage::Geometry { INPUT } else { OUTPUT };
    let variables: HashSet<u32> = instructions(&words)
        .filter_map(|(opcode, operands)| match (opcode, operands) {
            (VARIABLE, [_, id, of, ..]) if *of == class => Some(*id),
            _ => None,
        })
        .collect();
    let Some(header) = words.get(..HEADER) else { return words };
    let mut out = header.to_vec();
    for (opcode, operands) in instructions(&words) {
        if let (DECORATE, [variable, BUILT_IN, which, ..]) = (opcode, operands)
            && let Some(place) = passed.iter().find(|place| place.built_in == *which)
            && variables.contains(variable)
        {
            emit(&mut out, DECORATE, &[*variable, LOCATION, place.location]);
            if place.component != 0 {
                emit(&mut out, DECORATE, &[*variable, COMPONENT, place.component]);
            }
            continue;
        }
        out.push((operands.len() as u32 + 1) << 16 | opcode);
        out.extend(operands);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYER: u32 = 9;

    #[test]
    fn each_side_gets_the_place_and_the_other_side_keeps_the_layer() {
        let mut words = vec![0x0723_0203, 0x0001_0600, 0, 40, 0];
        emit(&mut words, DECORATE, &[7, BUILT_IN, LAYER]);
        emit(&mut words, DECORATE, &[8, BUILT_IN, LAYER]);
        for (variable, class) in [(7, INPUT), (8, OUTPUT)] {
            words.extend([4 << 16 | VARIABLE, 1, variable, class]);
        }
        let passed = [Passed { built_in: LAYER, location: 2, component: 3 }];
        let of = |stage| {
            let words = with_places(words.clone(), stage, &passed);
            let all = instructions(&words).filter(|(opcode, _)| *opcode == DECORATE);
            all.map(|(_, operands)| operands.to_vec()).collect::<Vec<_>>()
        };
        let given = [vec![7, BUILT_IN, LAYER], vec![8, LOCATION, 2], vec![8, COMPONENT, 3]];
        assert_eq!(of(Stage::Vertex), given);
        let taken = [vec![7, LOCATION, 2], vec![7, COMPONENT, 3], vec![8, BUILT_IN, LAYER]];
        assert_eq!(of(Stage::Geometry), taken);
        assert_eq!(with_places(words.clone(), Stage::Vertex, &[]), words);
    }
}
