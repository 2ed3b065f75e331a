//! What a group of a mesh shader gave against what the GPU's group of the same number gave.

use super::mesh::{At, CULLED, Given, Meshes, three};
use super::outputs::{self, Compared, Numeral};
use super::vertex;
use reprise_dxbc::signature::Element;
use reprise_interpreter::{Meshlet, Opens, Port, Words};
use reprise_replay::{Mesh, Meshlets, Outputs};

const NOT_STORED: &str = "Mesh: an output that the shader does not store";

/// Compares the group, and what runs beside gave of it, with what a replay has.
pub(crate) fn compare(
    meshes: &Meshes,
    own: &Given,
    asides: &[Meshlet],
    (mesh, predicated): (&Mesh, bool),
    opens: &mut Opens,
) -> Compared {
    let mut compared = Compared::default();
    let Some(told) = &mesh.meshlets else {
        compared.unseen.push("the replay tells no groups".to_owned());
        return compared;
    };
    if told.groups.is_empty() && predicated {
        compared.notes.push("the GPU ran no group: the predicate that is set left the draw out".to_owned());
        return Compared { left_out: true, ..compared };
    }
    let mut same = told.groups.iter().filter(|it| (it.parent, it.group) == (own.parent, own.group));
    let Some(found) = same.next() else {
        compared.unseen.push(absent(own.parent, own.group, told));
        return compared;
    };
    if same.next().is_some() {
        compared.unseen.push(format!("the GPU's group {} is there several times", three(own.group)));
        return compared;
    }
    let (vertices, primitives) = (&own.meshlet.vertices, &own.meshlet.primitives);
    let size = told.corners.max(1) as usize;
    let counts = [found.count as usize, found.corners.len() / size];
    for (name, own_count, found) in
        [("vertices", vertices.len(), counts[0]), ("primitives", primitives.len(), counts[1])]
    {
        let expected = (own_count as u64, own.meshlet.open);
        let beside: Vec<u64> = asides
            .iter()
            .map(|it| if name == "vertices" { it.vertices.len() } else { it.primitives.len() } as u64)
            .collect();
        compared.outputs.push(outputs::words(name.to_owned(), Numeral::Unsigned, expected, &beside, found as u32));
    }
    let (of_vertices, of_primitives) = (meshes.placed(false), meshes.placed(true));
    let rows = as_mesh(mesh, &told.vertices, &found.vertices);
    for (number, words) in vertices.iter().enumerate().take(counts[0]) {
        let words = whole(words, &of_vertices, opens);
        let beside: Vec<&Words> = asides.iter().filter_map(|it| it.vertices.get(number)).collect();
        let before = format!("vertex {number}: ");
        vertex::put(&mut compared, (&of_vertices, &before), (&words, &beside), (&rows, number as u64));
    }
    let rows = as_mesh(mesh, &told.primitives, &found.primitives);
    for (number, shape) in primitives.iter().enumerate().take(counts[1]) {
        let before = format!("primitive {number}: ");
        let corners = found.corners.get(number * size..).unwrap_or_default();
        for (at, (corner, found)) in shape.corners.iter().zip(corners).enumerate() {
            let beside = asides.iter().filter_map(|it| it.primitives.get(number)?.corners.get(at));
            let beside: Vec<u64> = beside.map(|corner| u64::from(*corner)).collect();
            let expected = (u64::from(*corner), shape.open);
            let name = format!("{before}corner {at}");
            compared.outputs.push(outputs::words(name, Numeral::Unsigned, expected, &beside, *found));
        }
        let words = whole(&shape.words, &of_primitives, opens);
        let beside: Vec<&Words> = asides.iter().filter_map(|it| Some(&it.primitives.get(number)?.words)).collect();
        vertex::put(&mut compared, (&of_primitives, &before), (&words, &beside), (&rows, number as u64));
        if let Some(culled) = found.culled.as_ref().and_then(|culled| culled.get(number)) {
            let expected = shape.words.get(&CULLED).copied().unwrap_or_else(|| (0, opens.name(NOT_STORED)));
            let name = format!("{before}SV_CullPrimitive0");
            compared.outputs.push(outputs::words(name, Numeral::Unsigned, expected, &[], u32::from(*culled)));
        }
    }
    compared
}

fn absent(parent: Option<At>, group: At, told: &Meshlets) -> String {
    let parent = parent.map_or_else(String::new, |at| format!(" of the amplification shader's group {}", three(at)));
    let lost = match told.lost {
        0 => String::new(),
        lost => format!(": there was no room for {lost} groups"),
    };
    format!("the GPU ran no group {}{parent}{lost}", three(group))
}

/// Words of which those that the shader does not store are open: they are 0.
fn whole(words: &Words, rows: &[(Element, Vec<Port>)], opens: &mut Opens) -> Words {
    let mut words = words.clone();
    for port in rows.iter().flat_map(|(_, ports)| ports) {
        words.entry(*port).or_insert_with(|| (0, opens.name(NOT_STORED)));
    }
    words
}

/// Vertices or primitives of a group by themselves.
fn as_mesh(mesh: &Mesh, outputs: &Outputs, bytes: &[u8]) -> Mesh {
    Mesh {
        submission: mesh.submission,
        stage: mesh.stage,
        topology: mesh.topology,
        primitive: None,
        columns: outputs.columns.clone(),
        stride: outputs.stride,
        per_instance: None,
        bytes: bytes.to_vec(),
        notes: Vec::new(),
        full: false,
        meshlets: None,
    }
}
