//! Primitives of the groups of a mesh shader, as the rasteriser has them.

use crate::report::mesh::{Mesh, MeshColumn, MeshStage, Meshlets, Outputs};

/// `D3D_PRIMITIVE_TOPOLOGY` of lists of points, lines and triangles, by vertices of a primitive.
const LISTS: [u32; 4] = [0, 1, 2, 4];

/// The mesh of all groups. Primitives that the shader culls are left out. Each corner has the outputs of its vertex, then those of the primitive.
pub(super) fn of(meshlets: Meshlets, mut notes: Vec<String>, submission: u64) -> Mesh {
    let Outputs { columns, stride } = &meshlets.vertices;
    let behind = meshlets
        .primitives
        .columns
        .iter()
        .map(|column| MeshColumn { offset: column.offset + stride, ..column.clone() });
    let columns: Vec<MeshColumn> = columns.iter().cloned().chain(behind).collect();
    let (of_vertex, of_primitive) = (*stride as usize, meshlets.primitives.stride as usize);
    let (mut bytes, mut culled, mut wrong) = (Vec::new(), 0u64, 0u64);
    for group in &meshlets.groups {
        for (number, corners) in group.corners.chunks_exact(meshlets.corners.max(1) as usize).enumerate() {
            if group.culled.as_ref().is_some_and(|culled| culled.get(number) == Some(&true)) {
                culled += 1;
                continue;
            }
            let vertex = |corner: &u32| {
                if *corner >= group.count {
                    return None;
                }
                let from = (*corner as usize).checked_mul(of_vertex)?;
                group.vertices.get(from..)?.get(..of_vertex)
            };
            let Some(vertices) = corners.iter().map(vertex).collect::<Option<Vec<&[u8]>>>() else {
                wrong += 1;
                continue;
            };
            let own = group.primitives.get(number * of_primitive..(number + 1) * of_primitive).unwrap_or_default();
            vertices.into_iter().for_each(|vertex| bytes.extend([vertex, own].concat()));
        }
    }
    let mut note = |count: u64, what: &str| {
        if count != 0 {
            notes.push(format!("{count} {what}"));
        }
    };
    note(culled, "primitives are left out, because the shader culls them");
    note(wrong, "primitives are left out, because they name vertices that their group does not have");
    note(meshlets.lost, "groups are missing, because there was no room for them");
    Mesh {
        submission,
        stage: MeshStage::Mesh,
        topology: LISTS[meshlets.corners.min(3) as usize],
        primitive: Some(meshlets.corners),
        columns,
        stride: (of_vertex + of_primitive) as u32,
        per_instance: None,
        bytes,
        notes,
        full: meshlets.lost != 0,
        meshlets: Some(meshlets),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::mesh::{MeshKind, Meshlet};

    #[test]
    fn corners_have_what_their_vertices_and_primitives_have() {
        let column = |semantic: &str| MeshColumn {
            semantic: semantic.into(),
            index: 0,
            system_value: 0,
            kind: MeshKind::Unsigned,
            components: 1,
            offset: 0,
        };
        let outputs = |semantic: &str| Outputs { columns: vec![column(semantic)], stride: 4 };
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let group = Meshlet {
            command: 0,
            parent: None,
            group: [0; 3],
            count: 3,
            vertices: bytes(&[10, 11, 12]),
            // The second is culled, the third names a vertex that is not there.
            corners: vec![0, 1, 0, 2, 3, 0, 2, 1],
            primitives: bytes(&[70, 71, 72, 73]),
            culled: Some(vec![false, true, false, false]),
        };
        let meshlets = Meshlets {
            vertices: outputs("PLACE"),
            primitives: outputs("COLOUR"),
            corners: 2,
            groups: vec![group],
            lost: 0,
        };
        let mesh = of(meshlets, Vec::new(), 9);
        assert_eq!(mesh.bytes, bytes(&[10, 70, 11, 70, 12, 73, 11, 73]));
        let offsets: Vec<(&str, u32)> = mesh.columns.iter().map(|it| (it.semantic.as_str(), it.offset)).collect();
        assert_eq!((offsets, mesh.stride, mesh.topology), (vec![("PLACE", 0), ("COLOUR", 4)], 8, 2));
        assert!(mesh.notes[0].contains("culls") && mesh.notes[1].contains("does not have"), "{:?}", mesh.notes);
    }
}
