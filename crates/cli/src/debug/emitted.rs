//! What a geometry shader emitted: as lists of primitives, which is how stream output has them, against the GPU's; and as people read it.

use super::mesh_told::values;
use super::outputs::{self, Compared, Numeral};
use super::ports::ports;
use super::told;
use super::vertex;
use reprise_dxbc::signature::Element;
use reprise_interpreter::{Emitted, Module, Open, Opens, Port, Words, either};
use reprise_replay::Mesh;
use serde_json::{Value as Json, json};

/// The vertices of a stream as a list: each primitive of a strip has vertices of its own. `size`: vertices of a primitive.
pub(crate) fn listed(emitted: &[Emitted], stream: u32, size: u32) -> Vec<&Words> {
    let own: Vec<&Emitted> = emitted.iter().filter(|it| it.stream == stream).collect();
    let strips = own.split(|it| it.vertex.is_none());
    let mut all = Vec::new();
    for strip in strips {
        let strip: Vec<&Words> = strip.iter().filter_map(|it| it.vertex.as_ref()).collect();
        for (number, primitive) in strip.windows(size.clamp(1, 3) as usize).enumerate() {
            match primitive {
                // Every second triangle turns.
                [first, second, third] if number % 2 == 1 => all.extend([first, third, second]),
                other => all.extend(other),
            }
        }
    }
    all
}

/// The rows of a stream, with the places of their words in a module: the translator gives streams behind the first other locations.
pub(crate) fn placed((rows, module): (&[Element], &Module), stream: u32) -> Vec<(Element, Vec<Port>)> {
    let rows: Vec<Element> = rows.iter().filter(|row| row.stream == stream && row.mask != 0).cloned().collect();
    let mut all = ports(&rows);
    let least = all.iter().flatten().filter_map(|port| match port {
        Port::Location { location, .. } => Some(*location),
        _ => None,
    });
    let moved = least.min().zip(module.first_location(stream)).map_or(0, |(least, first)| first.wrapping_sub(least));
    for port in all.iter_mut().flatten() {
        if let Port::Location { location, .. } = port {
            *location = location.wrapping_add(moved);
        }
    }
    rows.into_iter().zip(all).collect()
}

/// What one run of the shader emitted, and what runs beside did.
pub(crate) struct Runs<'r> {
    pub(crate) own: &'r [Emitted],
    pub(crate) asides: &'r [Vec<Emitted>],
}

/// Where in a mesh of the GPU's the vertices are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) begin: u64,
    pub(crate) count: u64,
}

/// Puts in the vertices of a stream: how many there are, and what they are. `size`: vertices of a primitive.
pub(crate) fn compare(
    compared: &mut Compared,
    (rows, stream): ((&[Element], &Module), u32),
    (runs, size): (&Runs<'_>, u32),
    (mesh, part): (&Mesh, Part),
) {
    let rows = placed(rows, stream);
    let own = listed(runs.own, stream, size);
    let asides: Vec<Vec<&Words>> = runs.asides.iter().map(|aside| listed(aside, stream, size)).collect();
    let of = if stream == 0 { String::new() } else { format!("stream {stream}, ") };
    let open = runs.own.iter().filter(|it| it.stream == stream).fold(0, |open: Open, it| either(open, it.open));
    let counts: Vec<u64> = asides.iter().map(|aside| aside.len() as u64).collect();
    let expected = (own.len() as u64, open);
    compared.outputs.push(outputs::words(
        format!("{of}vertices"),
        Numeral::Unsigned,
        expected,
        &counts,
        u32::try_from(part.count).unwrap_or(u32::MAX),
    ));
    // Of other primitives the vertices are others.
    if own.len() as u64 != part.count {
        return;
    }
    for (number, words) in own.into_iter().enumerate() {
        let beside: Vec<&Words> = asides.iter().filter_map(|aside| aside.get(number).copied()).collect();
        let before = format!("{of}vertex {number}: ");
        vertex::put(compared, (&rows, &before), (words, &beside), (mesh, part.begin + number as u64));
    }
}

/// What was emitted as JSON.
pub(crate) fn json(rows: (&[Element], &Module), emitted: &Emitted, opens: &Opens) -> Json {
    let Emitted { stream, vertex, open } = emitted;
    let rows = placed(rows, *stream);
    let vertex = vertex.as_ref().map(|words| {
        let named =
            rows.iter().map(|(row, ports)| (row, ports.iter().filter_map(|port| words.get(port).copied()).collect()));
        values(named)
    });
    json!({ "stream": stream, "vertex": vertex, "open": told::open(opens, *open) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(stream: u32, number: u64) -> Emitted {
        Emitted { stream, vertex: Some(Words::from([(Port::BuiltIn(0, 0), (number, 0))])), open: 0 }
    }

    fn cut(stream: u32) -> Emitted {
        Emitted { stream, vertex: None, open: 0 }
    }

    fn numbers(emitted: &[Emitted], stream: u32, size: u32) -> Vec<u64> {
        listed(emitted, stream, size).iter().map(|words| words[&Port::BuiltIn(0, 0)].0).collect()
    }

    /// As the API's figure has a strip of triangles: (0, 1, 2), (1, 3, 2), (2, 3, 4).
    #[test]
    fn strips_become_lists() {
        let mut all: Vec<Emitted> = (0..5).map(|number| vertex(0, number)).collect();
        assert_eq!(numbers(&all, 0, 3), [0, 1, 2, 1, 3, 2, 2, 3, 4]);
        assert_eq!(numbers(&all, 0, 2), [0, 1, 1, 2, 2, 3, 3, 4]);
        assert_eq!(numbers(&all, 0, 1), [0, 1, 2, 3, 4]);
        // A cut, and a vertex of another stream, which ends no strip.
        all.insert(3, cut(0));
        all.insert(5, vertex(1, 9));
        all.push(vertex(0, 7));
        assert_eq!(numbers(&all, 0, 3), [0, 1, 2, 3, 4, 7]);
        assert_eq!((numbers(&all, 1, 1), numbers(&all, 2, 1)), (vec![9], vec![]));
    }
}
