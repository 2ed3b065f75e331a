//! Elements and rows, without a device.
#![allow(clippy::unwrap_used)]

use super::*;

fn attribute(semantic: &str, index: u32, slot: u32, offset: u32, size: u32) -> Attribute {
    let format = (vk::Format::from_raw(size as i32), size);
    Attribute { semantic: semantic.to_owned(), index, format, slot, offset, step: None }
}

fn row(semantic: &str, index: u32, register: u32) -> Element {
    let semantic = semantic.to_owned();
    Element { semantic, index, system_value: 0, component_type: 3, register, mask: 0xf, stream: 0, min_precision: 0 }
}

/// (location, slot, offset) of all attributes.
fn places(input: &Input) -> Vec<(u32, u32, u32)> {
    input.attributes.iter().map(|it| (it.location, it.binding, it.offset)).collect()
}

#[test]
fn elements_find_their_row_by_name_and_index() {
    let attributes =
        [attribute("position", 0, 0, 0, 12), attribute("COLOR", 1, 2, 4, 16), attribute("UNUSED", 0, 5, 0, 4)];
    let rows = [row("COLOR", 1, 3), row("POSITION", 0, 1)];
    let input = connect(&attributes, &rows).unwrap();
    assert_eq!(places(&input), [(1, 0, 0), (3, 2, 4)]);
    assert_eq!(input.slots, 0b101, "what no row asks for is not read");
    assert_eq!(input.bindings.len(), 2);
}

#[test]
fn appended_elements_lie_behind_those_of_their_slot() {
    let attributes = [
        attribute("A", 0, 0, APPEND, 2),
        attribute("B", 0, 1, APPEND, 8),
        attribute("C", 0, 0, APPEND, 4),
        attribute("D", 0, 0, 32, 12),
        attribute("E", 0, 0, APPEND, 1),
        attribute("F", 0, 0, APPEND, 2),
    ];
    let rows: Vec<Element> =
        ["A", "B", "C", "D", "E", "F"].iter().zip(0..).map(|(name, at)| row(name, 0, at)).collect();
    let offsets: Vec<u32> = places(&connect(&attributes, &rows).unwrap()).into_iter().map(|place| place.2).collect();
    assert_eq!(offsets, [0, 0, 4, 32, 44, 46]);
}

#[test]
fn instances_step_by_their_rate() {
    let step = |semantic, slot, step| Attribute { step, ..attribute(semantic, 0, slot, 0, 4) };
    let attributes = [step("A", 0, None), step("B", 1, Some(1)), step("C", 2, Some(3)), step("D", 3, Some(0))];
    let rows: Vec<Element> = ["A", "B", "C", "D"].iter().zip(0..).map(|(name, at)| row(name, 0, at)).collect();
    let input = connect(&attributes, &rows).unwrap();
    let instanced: Vec<u32> = input
        .bindings
        .iter()
        .filter(|binding| binding.input_rate == vk::VertexInputRate::INSTANCE)
        .map(|binding| binding.binding)
        .collect();
    assert_eq!(instanced, [1, 2, 3]);
    let divisors: Vec<(u32, u32)> = input.divisors.iter().map(|it| (it.binding, it.divisor)).collect();
    assert_eq!(divisors, [(2, 3), (3, 0)]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let rows = [row("A", 0, 0), row("B", 0, 1)];
    assert!(connect(&[attribute("A", 0, 0, 0, 4)], &rows).is_err(), "B is missing");
    let generated = Element { system_value: 8, ..row("SV_InstanceID", 0, 1) };
    assert!(connect(&[attribute("A", 0, 0, 0, 4)], &[rows[0].clone(), generated]).is_ok());
    let twice = [attribute("A", 0, 0, 0, 4), attribute("a", 0, 0, 4, 4), attribute("B", 0, 0, 8, 4)];
    assert!(connect(&twice, &rows).is_err());
    let mut mixed = [attribute("A", 0, 0, 0, 4), attribute("B", 0, 0, 4, 4)];
    mixed[1].step = Some(1);
    assert!(connect(&mixed, &rows).is_err());
}
