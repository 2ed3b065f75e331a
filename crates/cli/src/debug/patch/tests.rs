use super::*;
use reprise_replay::{MeshColumn, MeshKind, MeshStage};

fn row(semantic: &str, index: u32, system_value: u32, register: u32, mask: u8) -> Element {
    let (component_type, stream, min_precision) = (3, 0, 0);
    Element {
        semantic: semantic.to_owned(),
        index,
        system_value,
        component_type,
        register,
        mask,
        stream,
        min_precision,
    }
}

fn mesh(vertices: &[([f32; 2], u32)]) -> Mesh {
    let column = |semantic: &str, kind, components, offset| MeshColumn {
        semantic: semantic.to_owned(),
        index: 0,
        system_value: 0,
        kind,
        components,
        offset,
    };
    let bytes = vertices.iter().flat_map(|([u, v], number)| [u.to_bits(), v.to_bits(), *number]);
    Mesh {
        submission: 0,
        stage: MeshStage::Domain,
        topology: 33,
        primitive: Some(3),
        columns: vec![column("LOCATION", MeshKind::Float, 2, 0), column("PRIMITIVE", MeshKind::Unsigned, 1, 8)],
        stride: 12,
        per_instance: None,
        bytes: bytes.flat_map(u32::to_le_bytes).collect(),
        notes: Vec::new(),
        full: false,
        meshlets: None,
    }
}

/// Two instances of a draw whose second patch is dropped.
#[test]
fn vertices_are_those_of_the_patch_and_its_instance() {
    let mesh = mesh(&[([0.0, 0.0], 0), ([1.0, 0.5], 2), ([0.5, 0.0], 0), ([0.25, 1.0], 2), ([0.75, 1.0], 2)]);
    let place = |u: f32, v: f32| Location([u.to_bits(), v.to_bits(), 0]);
    assert_eq!(of_patch(&mesh, 0, 0), (0, vec![place(0.0, 0.0), place(0.5, 0.0)]));
    assert_eq!(of_patch(&mesh, 2, 2), (3, vec![place(0.25, 1.0), place(0.75, 1.0)]));
    assert_eq!(of_patch(&mesh, 2, 1), (2, vec![]));
    let all = [place(0.25, 1.0), place(0.75, 1.0)];
    assert_eq!(nearest(&all, place(0.750_001, 1.0)), Some((1, place(0.75, 1.0))));
    assert_eq!(nearest(&all, place(0.7, 1.0)), None);
}

#[test]
fn places_are_two_or_three_numbers() {
    assert_eq!(Location::parse("0.5,0.25").map(Location::numbers), Ok([0.5, 0.25, 0.0]));
    assert_eq!(Location::parse("0.5,0.25,0.25").map(Location::numbers), Ok([0.5, 0.25, 0.25]));
    assert!(["", "1", "1,2,3,4", "a,b"].iter().all(|text| Location::parse(text).is_err()));
    let third = |is_triangle| Location::parse("0.5,0.25").map(|it| completed(it, is_triangle).numbers()[2]);
    assert_eq!((third(true), third(false)), (Ok(0.25), Ok(0.0)));
}

/// A patch is dropped where a factor of an edge is not above 0, whatever the inside has.
#[test]
fn patches_are_dropped_by_the_factors_of_their_edges() {
    let rows =
        [row("SV_TessFactor", 0, 13, 0, 1), row("SV_TessFactor", 1, 13, 1, 1), row("SV_InsideTessFactor", 0, 14, 2, 1)];
    let dropped = |factors: [f32; 3]| {
        let ports = rows.iter().filter_map(factor);
        let words = ports.zip(factors).map(|(port, factor)| (port, (factor.to_bits().into(), 0))).collect();
        is_dropped(&words, &rows).0
    };
    assert_eq!(
        [[1.0, 2.0, 0.0], [0.0, 2.0, 1.0], [1.0, -1.0, 1.0], [f32::NAN, 1.0, 1.0]].map(dropped),
        [false, true, true, true]
    );
}

#[test]
fn constants_lie_behind_the_points() {
    let rows = [row("SV_TessFactor", 1, 11, 1, 8), row("NUMBER", 0, 0, 2, 0b0110)];
    let found: Vec<Vec<Port>> = placed(&rows, 5).into_iter().map(|(_, ports)| ports).collect();
    let location = |component| Port::Location { location: 7, component, source: 0 };
    assert_eq!(found, [vec![Port::BuiltIn(BuiltIn::TessLevelOuter as u32, 1)], vec![location(1), location(2)]]);
}
