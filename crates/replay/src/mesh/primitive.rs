//! Vertices of the primitives that come out of each stage.

use reprise_dxbc::Container;

/// What a draw reads becomes lists without adjacency: vertices of a primitive, and of all of so many vertices of an instance.
/// `None` for patches, which only a hull shader reads.
pub(super) fn of_topology(topology: u32, vertices: u64) -> Option<(u32, u64)> {
    let strip = |first: u64, step: u64| (vertices + step).saturating_sub(first) / step;
    Some(match topology {
        1 => (1, vertices),
        2 => (2, vertices / 2 * 2),
        3 => (2, 2 * strip(2, 1)),
        4 => (3, vertices / 3 * 3),
        // Strips and fans: each vertex from the third on ends a triangle.
        5 | 6 => (3, 3 * strip(3, 1)),
        10 => (2, vertices / 4 * 2),
        11 => (2, 2 * strip(4, 1)),
        12 => (3, vertices / 6 * 3),
        13 => (3, 3 * strip(6, 2)),
        _ => return None,
    })
}

/// A strip or fan, which an index can cut.
pub(super) fn is_strip(topology: u32) -> bool {
    matches!(topology, 3 | 5 | 6 | 11 | 13)
}

/// Its primitives have neighbours, which only a geometry shader sees.
pub(super) fn has_adjacency(topology: u32) -> bool {
    matches!(topology, 10..=13)
}

/// Vertices of the primitives that a geometry shader gives.
pub(super) fn of_geometry(shader: &[u8]) -> Option<u32> {
    // `dcl_outputtopology`; in the validator's part, the second word of what it says of the stage.
    match said(shader, 0x5c, 1)? {
        1 => Some(1),
        3 => Some(2),
        5 => Some(3),
        _ => None,
    }
}

/// Vertices of the primitives that tessellation gives, by the hull shader.
pub(super) fn of_hull(shader: &[u8]) -> Option<u32> {
    // `dcl_tessellator_output_primitive`; in the validator's part, the fourth word of what it says of the stage.
    match said(shader, 0x97, 3)? {
        1 => Some(1),
        2 => Some(2),
        3 | 4 => Some(3),
        _ => None,
    }
}

/// What a hull shader says of the patches that it gives.
#[derive(Clone, Copy, Debug)]
pub(super) enum OfPatch {
    Points,
    /// `D3D11_SB_TESSELLATOR_DOMAIN`.
    Domain,
}

/// The same.
pub(super) fn of_patch(shader: &[u8], what: OfPatch) -> Option<u32> {
    // `dcl_output_control_point_count` and `dcl_tessellator_domain`; in the validator's part, the second and the third word.
    match what {
        OfPatch::Points => said(shader, 0x94, 1),
        OfPatch::Domain => said(shader, 0x95, 2),
    }
}

/// What a declaration says: that of this opcode in shader model 5, or the word at this place that the validator of DXIL wrote.
fn said(shader: &[u8], opcode: u32, place: usize) -> Option<u32> {
    let container = Container::parse(shader).ok()?;
    let part = |name: &[u8; 4]| container.parts().iter().find(|part| &part.tag.0 == name).map(|part| part.data);
    let word = |data: &[u8], at: usize| data.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word));
    if let Some(data) = part(b"PSV0") {
        return word(data, 4 + 4 * place);
    }
    let code = part(b"SHEX").or_else(|| part(b"SHDR"))?;
    // Version, number of words, then instructions.
    let mut at = 8;
    loop {
        let token = word(code, at)?;
        if token & 0x7ff == opcode {
            return Some(token >> 11 & 0x7f);
        }
        let words = match token & 0x7ff {
            // Custom data has its length in the second word.
            0x35 => word(code, at + 4)?,
            _ => token >> 24 & 0x7f,
        };
        at = at.checked_add((words as usize).max(1).checked_mul(4)?)?;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The primitives of a strip or list of so many vertices, by the API's figures ("Primitive topologies").
    #[test]
    fn lists_have_whole_primitives_only() {
        for vertices in 0..40u64 {
            let count = |topology| of_topology(topology, vertices).unwrap().1;
            assert_eq!(count(1), vertices);
            assert_eq!(count(2), vertices / 2 * 2);
            assert_eq!(count(3), 2 * vertices.saturating_sub(1));
            assert_eq!(count(4), vertices / 3 * 3);
            assert_eq!(count(5), 3 * vertices.saturating_sub(2));
            assert_eq!(count(11), 2 * vertices.saturating_sub(3));
            assert_eq!(count(13), 3 * (vertices.saturating_sub(4) / 2), "{vertices}");
        }
        assert_eq!(of_topology(35, 9), None);
        assert_eq!(of_topology(0, 9), None);
    }
}
