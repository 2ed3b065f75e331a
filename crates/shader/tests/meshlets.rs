//! Mesh shaders that store what they give into memory are valid, and have a place for each output.
#![allow(clippy::unwrap_used)]

mod common;

use common::{interface, validate};
use reprise_shader::meshlets::{HEAD, Layout, Output, Port, into_memory, with_parent};
use reprise_shader::{Link, Stage, Target, translate};

macro_rules! programs {
    ($($name:literal,)*) => {
        &[$(($name, include_bytes!(concat!("../../programs/shaders/", $name)))),*]
    };
}

/// Mesh shaders of the test programs, without that which gives shading rates: spirv-val does not know these of meshes.
const MESHES: &[(&str, &[u8])] = programs! {
    "mesh.plain.dxil",
    "mesh.chosen.dxil",
    "mesh_atomics.add.dxil",
    "mesh_derivatives.alone.dxil",
    "mesh_derivatives.behind.dxil",
    "ray_queries.mesh.dxil",
    "view_instances.mesh.dxil",
};
/// And amplification shaders.
const AMPLIFICATIONS: &[(&str, &[u8])] = programs! {
    "mesh.choose.dxil",
    "mesh_derivatives.before.dxil",
};

const CONTROL: u64 = 0x0000_7654_3210_abc0;

fn words(blob: &[u8], stage: Stage, whole: bool) -> Vec<u32> {
    let target = Target {
        whole_mesh_stores: whole,
        scalar_layout: true,
        storage_alignment: 4,
        subgroup_min: 8,
        subgroup_max: 8,
        ..Target::default()
    };
    translate(blob, stage, &interface(), &Link::default(), &target).unwrap().words
}

fn layout(name: &str) -> Layout {
    let (_, blob) = MESHES.iter().find(|(it, _)| *it == name).unwrap();
    into_memory(words(blob, Stage::Mesh, true), CONTROL, false).unwrap().1
}

#[test]
fn mesh_shaders_that_store_what_they_give_are_valid() {
    for (name, blob) in MESHES {
        for whole in [false, true] {
            for parented in [false, true] {
                let words = words(blob, Stage::Mesh, whole);
                let (stored, _) = into_memory(words, CONTROL, parented).unwrap();
                validate(name, &stored);
            }
        }
    }
    for (name, blob) in AMPLIFICATIONS {
        validate(name, &with_parent(words(blob, Stage::Amplification, false)).unwrap());
    }
}

/// The program `mesh` says in its source what a group of it gives: eight vertices at most, and four triangles.
#[test]
fn each_output_has_a_place() {
    let found = layout("mesh.plain.dxil");
    assert_eq!((found.most, found.corners), ([8, 4], 3));
    let widths = |of_primitives| {
        let mut all: Vec<(Port, u32)> =
            found.outputs.iter().filter(|it| it.of_primitives == of_primitives).map(|it| (it.port, it.width)).collect();
        all.sort_by_key(|(port, _)| format!("{port:?}"));
        all
    };
    // Position; PLACE and NUMBER share a register.
    assert_eq!(widths(false), [(Port::BuiltIn(0), 4), (Port::Location(1, 0), 2), (Port::Location(1, 2), 1)]);
    let of_primitives = widths(true);
    // Triangles, truths that cull, numbers, slices; COLOUR and MORE.
    for port in [(Port::BuiltIn(5296), 3), (Port::BuiltIn(5299), 1), (Port::BuiltIn(7), 1), (Port::BuiltIn(9), 1)] {
        assert!(of_primitives.contains(&port), "{port:?}: {of_primitives:?}");
    }
    assert_eq!(of_primitives.len(), 6, "{of_primitives:?}");
    // Places do not touch, and each has an element more than the shader may give.
    let mut all: Vec<&Output> = found.outputs.iter().collect();
    all.sort_by_key(|it| it.first);
    let ends = all.iter().map(|it| it.first + (found.most[usize::from(it.of_primitives)] + 1) * it.rows * it.width);
    let ends: Vec<u32> = ends.collect();
    assert_eq!(all[0].first, HEAD);
    assert!(all[1..].iter().zip(&ends).all(|(next, end)| next.first == *end));
    assert_eq!(ends.last(), Some(&found.words));
}

#[test]
fn what_is_cut_harms_nobody() {
    let (_, blob) = MESHES[1];
    let whole = words(blob, Stage::Mesh, true);
    for length in (0..whole.len()).step_by(7) {
        drop(into_memory(whole[..length].to_vec(), CONTROL, true));
    }
    let whole = words(AMPLIFICATIONS[0].1, Stage::Amplification, false);
    for length in (0..whole.len()).step_by(7) {
        drop(with_parent(whole[..length].to_vec()));
    }
}
