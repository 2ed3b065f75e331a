//! The rules, against the cases that the API's documentation and its own runtime settle.

use proptest::prelude::*;

use super::*;

const FLOAT: u32 = 3;
const UINT: u32 = 1;
const POSITION: u32 = 1;

fn row(semantic: &str, index: u32, register: u32, mask: u8) -> Element {
    let semantic = semantic.to_owned();
    Element { semantic, index, system_value: 0, component_type: FLOAT, register, mask, stream: 0, min_precision: 0 }
}

fn value(semantic: &str, system_value: u32, register: u32) -> Element {
    Element { system_value, component_type: UINT, ..row(semantic, 0, register, 1) }
}

/// Position, three floats, two floats, four unsigned integers.
fn vertex() -> Vec<Element> {
    vec![
        Element { system_value: POSITION, ..row("SV_Position", 0, 0, 0xf) },
        row("ARG", 0, 1, 0x7),
        row("ARG", 1, 2, 0x3),
        Element { component_type: UINT, ..row("ARG", 2, 3, 0xf) },
    ]
}

fn fits(from: Stage, gives: &[Element], to: Stage, takes: &[Element]) -> bool {
    check_rows((from, gives), (to, takes)).is_ok()
}

/// Whether a pixel shader fits that takes the vertex shader's rows after a change.
fn pixel(change: impl FnOnce(&mut Vec<Element>)) -> bool {
    let mut takes = vertex();
    change(&mut takes);
    fits(Stage::Vertex, &vertex(), Stage::Pixel, &takes)
}

#[test]
fn rows_and_components_may_be_left_out() {
    assert!(pixel(|_| {}));
    assert!(pixel(|rows| drop(rows.pop())));
    assert!(pixel(|rows| rows[3].mask = 1));
    assert!(pixel(|rows| rows.clear()));
    assert!(pixel(|rows| rows[1].semantic = "arg".to_owned()), "names have no case");
}

#[test]
fn what_is_taken_must_be_given_in_the_same_place_and_form() {
    assert!(!pixel(|rows| rows[3].semantic = "FROG".to_owned()), "a name");
    assert!(!pixel(|rows| rows[2].index = 3), "an index");
    assert!(!pixel(|rows| rows[2].mask = 0x7), "more components");
    assert!(!pixel(|rows| rows[3].register = 2), "a register");
    assert!(!pixel(|rows| rows[3].component_type = FLOAT), "a type");
    assert!(!pixel(|rows| rows[1].min_precision = 1), "a precision");
    assert!(!pixel(|rows| rows.push(row("ARG", 3, 1, 0x8))), "a row in the rest of a register");
}

#[test]
fn domain_shaders_take_exactly_what_hull_shaders_give() {
    let of = |change: &dyn Fn(&mut Vec<Element>)| {
        let mut takes = vertex();
        change(&mut takes);
        fits(Stage::Hull, &vertex(), Stage::Domain, &takes)
    };
    assert!(of(&|_| {}));
    assert!(!of(&|rows| drop(rows.pop())));
    assert!(!of(&|rows| rows[3].mask = 1));
    assert!(!of(&|rows| rows.push(row("ARG", 3, 4, 1))));
    assert!(of(&|rows| rows.push(value("SV_PrimitiveID", 7, u32::MAX))), "made on the way");
}

#[test]
fn some_values_are_made_on_the_way() {
    let pixel = |from, value: Element| fits(from, &vertex(), Stage::Pixel, &[value]);
    for made in [value("SV_IsFrontFace", 9, 4), value("SV_SampleIndex", 10, 4), value("SV_Barycentrics", 23, 4)] {
        for from in [Stage::Vertex, Stage::Domain, Stage::Geometry, Stage::Mesh] {
            assert!(pixel(from, made.clone()), "{} from {from:?}", made.semantic);
        }
    }
    let number = || value("SV_PrimitiveID", 7, 4);
    assert!(pixel(Stage::Vertex, number()) && pixel(Stage::Domain, number()));
    assert!(!pixel(Stage::Geometry, number()), "geometry shaders number their primitives themselves");
    for made_before in [value("SV_ClipDistance", 2, 4), value("SV_RenderTargetArrayIndex", 4, 4)] {
        assert!(!pixel(Stage::Vertex, made_before));
    }
    // A number that is given must be taken where it is given.
    let gives = [vertex(), vec![number()]].concat();
    assert!(fits(Stage::Geometry, &gives, Stage::Pixel, &[number()]));
    assert!(!fits(Stage::Geometry, &gives, Stage::Pixel, &[value("SV_PrimitiveID", 7, 5)]));
}

#[test]
fn only_the_first_stream_goes_on() {
    let second = Element { stream: 1, ..row("ARG", 0, 0, 0xf) };
    assert!(!fits(Stage::Geometry, &[second], Stage::Pixel, &[row("ARG", 0, 0, 0xf)]));
}

#[test]
fn geometry_shaders_take_what_reaches_them() {
    use Primitive::*;
    let plain = [Points, Lines, Triangles];
    for given in plain {
        for takes in [Points, Lines, LinesAdjacency, Triangles, TrianglesAdjacency] {
            let same = given == takes;
            let beside = matches!((given, takes), (Lines, LinesAdjacency) | (Triangles, TrianglesAdjacency));
            assert_eq!(takes_primitives(Source::Assembler(given), takes), same || beside, "{given:?} {takes:?}");
            assert_eq!(takes_primitives(Source::Tessellator(given), takes), same, "{given:?} {takes:?}");
        }
    }
}

proptest! {
    /// Whatever a stage gives: any part of it fits, and nothing that was changed does.
    #[test]
    fn parts_fit_and_changes_do_not(
        given in prop::collection::vec((1u8..16, 1u32..4, 0u32..3), 1..12),
        taken in prop::collection::vec((any::<bool>(), 1u8..16), 12),
        change in 0usize..5,
        at in any::<prop::sample::Index>(),
    ) {
        let gives: Vec<Element> = (0u32..)
            .zip(&given)
            .map(|(register, &(mask, component_type, min_precision))| Element {
                component_type,
                min_precision,
                ..row("VALUE", register, register, mask)
            })
            .collect();
        let mut takes: Vec<Element> = gives
            .iter()
            .zip(&taken)
            .filter(|(_, (wanted, _))| *wanted)
            .map(|(row, (_, mask))| Element { mask: if row.mask & mask == 0 { row.mask } else { row.mask & mask }, ..row.clone() })
            .collect();
        for to in [Stage::Pixel, Stage::Geometry, Stage::Hull] {
            prop_assert!(fits(Stage::Vertex, &gives, to, &takes));
        }
        prop_assert!(fits(Stage::Hull, &gives, Stage::Domain, &gives));
        let whole = takes.len() == gives.len() && takes == gives;
        prop_assert_eq!(fits(Stage::Hull, &gives, Stage::Domain, &takes), whole);
        if !takes.is_empty() {
            let at = at.index(takes.len());
            let changed = &mut takes[at];
            match change {
                0 => changed.register += 100,
                1 => changed.component_type += 10,
                2 => changed.min_precision += 10,
                3 => changed.mask |= 0x10,
                _ => changed.index += 100,
            }
            prop_assert!(!fits(Stage::Vertex, &gives, Stage::Pixel, &takes));
        }
    }
}

#[test]
fn what_mesh_shaders_give_lies_where_they_say() {
    let gives = [value("SV_Position", 1, 0), row("PLACE", 0, 1, 0b0011), row("NUMBER", 0, 1, 0b0100)];
    let primitives = [value("SV_PrimitiveID", 7, 2), row("COLOUR", 0, 0, 0b0001), row("MORE", 1, 1, 0b1100)];
    let places: Vec<_> = varyings(&gives, &primitives)
        .into_iter()
        .map(|varying| (varying.semantic, varying.index, varying.location, varying.component, varying.primitive))
        .collect();
    let place =
        |name: &str, index, location, component, primitive| (name.to_owned(), index, location, component, primitive);
    assert_eq!(
        places,
        [
            place("PLACE", 0, 1, 0, false),
            place("NUMBER", 0, 1, 2, false),
            place("COLOUR", 0, 2, 0, true),
            place("MORE", 1, 3, 2, true),
        ]
    );
    // A pixel shader takes them from any register, all components that there are, and of the same type.
    let all = [gives.to_vec(), primitives.to_vec()].concat();
    let takes = |row: Element| fits(Stage::Mesh, &all, Stage::Pixel, &[row]);
    assert!(takes(row("NUMBER", 0, 5, 0b0001)) && takes(row("MORE", 1, 0, 0b0011)));
    assert!(
        !takes(row("NUMBER", 0, 1, 0b0011)) && !takes(row("MORE", 1, 0, 0b0001)) && !takes(row("MORE", 0, 1, 0b0001))
    );
    assert!(takes(value("SV_PrimitiveID", 7, 4)), "given by the mesh shader");
}
