//! Patches: where their vertices lie, and what a hull shader gives of a patch itself.

use super::mesh_told::values;
use super::ports::ports;
use reprise_dxbc::signature::Element;
use reprise_interpreter::{BuiltIn, Open, Port, Words, either};
use reprise_replay::Mesh;
use serde_json::{Value as Json, json};

/// A place in a patch, as `SV_DomainLocation` has it: the bits of its components, which are 0 where the patch has only two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location(pub(crate) [u32; 3]);

/// How far from a vertex a place may be named: less than the tessellator tells apart (16 bits of fraction).
const NEAR: f32 = 1e-5;

impl Location {
    /// `0.5,0.25`, or with a third component.
    ///
    /// # Errors
    /// In words: it is none.
    pub(crate) fn parse(text: &str) -> Result<Location, String> {
        let parts: Result<Vec<f32>, _> = text.split(',').map(str::parse).collect();
        match parts.as_deref() {
            Ok([u, v]) => Ok(Location([*u, *v, 0.0].map(f32::to_bits))),
            Ok([u, v, w]) => Ok(Location([*u, *v, *w].map(f32::to_bits))),
            _ => Err("two or three numbers with commas between them, as in 0.5,0.25".to_owned()),
        }
    }

    fn numbers(self) -> [f32; 3] {
        self.0.map(f32::from_bits)
    }

    pub(crate) fn json(self) -> Json {
        json!(self.numbers())
    }
}

/// The vertices of a patch in a mesh of locations, behind those of earlier instances: where they begin, and where each lies.
pub(crate) fn of_patch(mesh: &Mesh, earlier: u64, number: u32) -> (u64, Vec<Location>) {
    let of = |name: &str| mesh.columns.iter().find(|column| column.semantic == name);
    let (Some(location), Some(primitive)) = (of("LOCATION"), of("PRIMITIVE")) else { return (earlier, Vec::new()) };
    let word = |vertex: u64, offset: u32| {
        let from = (vertex * u64::from(mesh.stride)) as usize + offset as usize;
        let bytes = mesh.bytes.get(from..).and_then(|bytes| bytes.first_chunk::<4>());
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    };
    let own = |vertex: &u64| word(*vertex, primitive.offset) == number;
    let own: Vec<u64> = (earlier..mesh.vertices()).filter(own).collect();
    let place = |vertex: &u64| {
        let mut bits = [0; 3];
        for (component, bits) in (0..location.components).zip(&mut bits) {
            *bits = word(*vertex, location.offset + 4 * component);
        }
        Location(bits)
    };
    (own.first().copied().unwrap_or(earlier), own.iter().map(place).collect())
}

/// The vertex that lies at a place: its number, and where it lies exactly.
pub(crate) fn nearest(all: &[Location], asked: Location) -> Option<(u32, Location)> {
    // Two components name a place of a triangle, too.
    let apart = |it: &Location| {
        let (one, other) = (it.numbers(), asked.numbers());
        (one[0] - other[0]).abs().max((one[1] - other[1]).abs())
    };
    let near = all.iter().enumerate().filter(|(_, it)| apart(it) <= NEAR);
    let found = near.min_by(|(_, one), (_, other)| apart(one).total_cmp(&apart(other)));
    found.map(|(number, it)| (number as u32, *it))
}

/// The third component of a place in a triangle that is named by two.
pub(crate) fn completed(asked: Location, is_triangle: bool) -> Location {
    let [u, v, w] = asked.numbers();
    match is_triangle && w == 0.0 {
        true => Location([u, v, 1.0 - u - v].map(f32::to_bits)),
        false => asked,
    }
}

/// `D3D_NAME` of the factors of edges, and of the inside.
const EDGES: [u32; 4] = [11, 13, 15, 16];
const INSIDE: [u32; 2] = [12, 14];

/// The place of a factor.
fn factor(row: &Element) -> Option<Port> {
    let built_in = match row.system_value {
        edge if EDGES.contains(&edge) => BuiltIn::TessLevelOuter,
        inside if INSIDE.contains(&inside) => BuiltIn::TessLevelInner,
        _ => return None,
    };
    Some(Port::BuiltIn(built_in as u32, row.index))
}

/// Rows of a point, with the places of their words among those that there are: to a hull shader a system value is one as any other.
pub(crate) fn of_points(rows: &[Element], words: &Words) -> Vec<(Element, Vec<Port>)> {
    let mut all = placed(rows, 0);
    for (row, ports) in &mut all {
        let components = (0..4).filter(|component| row.mask >> component & 1 != 0);
        for (port, component) in ports.iter_mut().zip(components) {
            let plain = Port::Location { location: row.register, component, source: 0 };
            if !words.contains_key(port) && words.contains_key(&plain) {
                *port = plain;
            }
        }
    }
    all
}

/// Rows of what a patch has itself, with the places of their words: those behind the factors have locations behind the points'.
pub(crate) fn placed(rows: &[Element], offset: u32) -> Vec<(Element, Vec<Port>)> {
    let rows: Vec<Element> = rows.iter().filter(|row| row.mask != 0).cloned().collect();
    let behind = |port: Port| match port {
        Port::Location { location, component, source } => {
            Port::Location { location: location.wrapping_add(offset), component, source }
        }
        other => other,
    };
    let all = ports(&rows);
    let place = |(row, ports): (Element, Vec<Port>)| {
        let ports = factor(&row).map_or_else(|| ports.into_iter().map(behind).collect(), |port| vec![port]);
        (row, ports)
    };
    rows.into_iter().zip(all).map(place).collect()
}

/// Whether the tessellator drops a patch: the factor of an edge is not above 0; and what is open about that.
pub(crate) fn is_dropped(constants: &Words, rows: &[Element]) -> (bool, Open) {
    let edges = rows.iter().filter(|row| EDGES.contains(&row.system_value)).filter_map(factor);
    let edges: Vec<(f32, Open)> = edges
        .filter_map(|port| constants.get(&port))
        .map(|(bits, open)| (f32::from_bits(*bits as u32), *open))
        .collect();
    let open = edges.iter().fold(0, |all, (_, open)| either(all, *open));
    (edges.iter().any(|(factor, _)| factor.is_nan() || *factor <= 0.0), open)
}

/// Values by what the shader calls them.
pub(crate) fn json(rows: &[(Element, Vec<Port>)], words: &Words) -> Json {
    values(rows.iter().map(|(row, ports)| (row, ports.iter().filter_map(|port| words.get(port).copied()).collect())))
}

#[cfg(test)]
mod tests;
