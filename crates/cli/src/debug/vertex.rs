//! A vertex of a draw: what its shader is given, and where the GPU's outputs of it are.

use super::Store;
use super::draw::Draw;
use super::outputs::{self, Compared, Numeral};
use super::ports::ports;
use super::store::decode;
use reprise_dxbc::signature::Element;
use reprise_interpreter::{BuiltIn, Given, Left, Module, Open, Opens, Port, Words};
use reprise_picture::{Kind, Layout};
use reprise_replay::{Mesh, MeshKind};

/// `DXGI_FORMAT_R16_UINT`.
const R16_UINT: u32 = 57;

const DIVIDED: &str = "VertexBuffer: the last bit of a normalised attribute";
const OUTSIDE: &str = "VertexBuffer: what lies behind the end of a vertex buffer";

/// Why a vertex has no place among those that the GPU gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    /// The predicate that is set left the draw out.
    LeftOut,
    /// In words: they are other ones than the draw has.
    Other(String),
}

/// Bits of a component, and what is open about them.
type Word = (u64, Open);

/// A vertex: the one that is read at a place of the draw's vertices or indices, in an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vertex {
    pub(crate) at: u32,
    pub(crate) instance: u32,
}

impl Vertex {
    /// Its number as indices have it, and as vertex buffers have it. `None`, and noted, where the index buffer is not here.
    fn number(self, draw: &Draw, store: &mut Store<'_>) -> Result<Option<(u32, u32)>, String> {
        let counts = &draw.counts();
        let place = u64::from(counts.start) + u64::from(self.at);
        let Some(base) = counts.base else {
            let number = u32::try_from(place).map_err(|_| "there are not so many vertices".to_owned())?;
            return Ok(Some((self.at, number)));
        };
        let view = draw.bound().index.as_ref().and_then(|set| set.value).ok_or("no index buffer is set")?;
        let size = if view.format == R16_UINT { 2 } else { 4 };
        let end = (place + 1) * size as u64;
        if end > u64::from(view.size) {
            return Err(format!("index {} lies behind the end of the index buffer", self.at));
        }
        let Some(bytes) = store.inputs_at(view.address, place * size as u64, size)? else { return Ok(None) };
        let mut word = [0; 4];
        word[..size].copy_from_slice(&bytes);
        let index = u32::from_le_bytes(word);
        Ok(Some((index, index.wrapping_add_signed(base))))
    }

    /// The inputs of the vertex shader, and the rows of the signature that names them. `None`: contents are missing, and the store notes which.
    ///
    /// # Errors
    /// In words: what it would be is not known.
    pub(crate) fn given(
        self,
        draw: &Draw,
        (module, rows): (&Module, &[Element]),
        store: &mut Store<'_>,
        opens: &mut Opens,
    ) -> Result<Option<Given>, String> {
        let counts = &draw.counts();
        let Some((_, number)) = self.number(draw, store)? else { return Ok(None) };
        let mut given = Given::default();
        let first = counts.base.map_or(counts.start, |base| base as u32);
        let named = [
            (BuiltIn::VertexIndex, number),
            (BuiltIn::InstanceIndex, counts.first_instance.wrapping_add(self.instance)),
            (BuiltIn::BaseVertex, first),
            (BuiltIn::BaseInstance, counts.first_instance),
            (BuiltIn::DrawIndex, 0),
            (BuiltIn::ViewIndex, draw.view),
        ];
        for (built_in, value) in named {
            given.words.insert(Port::BuiltIn(built_in as u32, 0), (value.into(), 0));
        }
        let mut is_whole = true;
        let mut known: Vec<(u32, Option<[Word; 4]>)> = Vec::new();
        for declared in module.inputs().map_err(|fault| fault.to_string())? {
            let Port::Location { location, component, .. } = declared.port else { continue };
            if !known.iter().any(|(at, _)| *at == location) {
                let value = self.attribute((draw, rows), store, opens, (location, number))?;
                known.push((location, value));
            }
            match known.iter().find(|(at, _)| *at == location) {
                Some((_, Some(value))) => {
                    let word = value.get(component as usize).copied().unwrap_or((0, 0));
                    given.words.insert(declared.port, word);
                }
                _ => is_whole = false,
            }
        }
        Ok(is_whole.then_some(given))
    }

    /// The four components of a register.
    fn attribute(
        self,
        (draw, rows): (&Draw, &[Element]),
        store: &mut Store<'_>,
        opens: &mut Opens,
        (register, number): (u32, u32),
    ) -> Result<Option<[Word; 4]>, String> {
        let row = rows.iter().find(|row| row.register == register);
        let row = row.ok_or_else(|| format!("the shader reads register {register}, which its signature lacks"))?;
        let attribute = draw
            .layout
            .iter()
            .find(|it| it.index == row.index && it.semantic.eq_ignore_ascii_case(&row.semantic))
            .ok_or_else(|| format!("the input layout has no {}{}", row.semantic, row.index))?;
        let view = draw.bound().vertices.get(attribute.slot).and_then(|set| set.as_ref()).and_then(|set| set.value);
        let element = match attribute.step {
            None => u64::from(number),
            Some(step) => {
                let behind = self.instance.checked_div(step).unwrap_or(0);
                u64::from(draw.counts().first_instance) + u64::from(behind)
            }
        };
        let bytes = match view {
            Some(view) => {
                let from = element.saturating_mul(view.stride.into()).saturating_add(attribute.offset);
                let inside = from.saturating_add(u64::from(attribute.bytes)) <= u64::from(view.size);
                match inside {
                    true => Some(match store.inputs_at(view.address, from, attribute.bytes as usize)? {
                        Some(bytes) => bytes,
                        None => return Ok(None),
                    }),
                    false => None,
                }
            }
            None => None,
        };
        let open = if bytes.is_none() { opens.name(OUTSIDE) } else { 0 };
        let bytes = bytes.unwrap_or_else(|| vec![0; attribute.bytes as usize]);
        let texel = decode(attribute.format, 0, &bytes)?;
        let layout = Layout::of(attribute.format, 0)?;
        let is_divided = open == 0 && matches!(layout.kind(), Kind::Unorm | Kind::Snorm);
        Ok(Some(texel.map(|bits| if is_divided { divided(bits, opens) } else { (bits, open) })))
    }

    /// Its place among the vertices that the GPU gave.
    ///
    /// # Errors
    /// They are other ones than the draw has.
    pub(crate) fn place(self, draw: &Draw, mesh: &Mesh) -> Result<u64, NoPlace> {
        let counts = &draw.counts();
        let all = u64::from(counts.vertices) * u64::from(counts.instances);
        match mesh.vertices() {
            there if there == all => Ok(u64::from(self.instance) * u64::from(counts.vertices) + u64::from(self.at)),
            0 if draw.shader.predicated => Err(NoPlace::LeftOut),
            there => {
                let notes = mesh.notes.join("; ");
                Err(NoPlace::Other(format!("the GPU gave {there} vertices, and the draw has {all}: {notes}")))
            }
        }
    }
}

/// A normalised component is divided by its greatest value (Direct3D's data conversion rules), and the API bounds divisions to a unit in the
/// last place: 0, 1 and -1 are exact.
fn divided(bits: u64, opens: &mut Opens) -> Word {
    let number = f32::from_bits(bits as u32);
    if number.fract() == 0.0 {
        return (bits, 0);
    }
    let open = opens.near(DIVIDED);
    let side = opens.side(open);
    let number = match side {
        _ if side < 0.0 => number.next_down(),
        _ if side > 0.0 => number.next_up(),
        _ => number,
    };
    (number.to_bits().into(), open)
}

/// What the interpreter gave against a vertex of the GPU's; and what runs beside gave, which lean to one side where last bits are open.
pub(crate) fn compare(draw: &Draw, left: &Left, asides: &[Left], mesh: &Mesh, place: u64) -> Compared {
    let mut compared = Compared::default();
    let asides: Vec<&Words> = asides.iter().map(|aside| &aside.words).collect();
    put(&mut compared, (&placed(&draw.outputs), ""), (&left.words, &asides), (mesh, place));
    compared
}

/// Rows of a signature that have something, with the places of their words.
pub(crate) fn placed(rows: &[Element]) -> Vec<(Element, Vec<Port>)> {
    let rows: Vec<Element> = rows.iter().filter(|row| row.mask != 0).cloned().collect();
    let all = ports(&rows);
    rows.into_iter().zip(all).collect()
}

/// Adds the words of a vertex to what is compared, and what the further runs gave for them. The rows of a signature say where the words lie;
/// `before` stands before their names.
pub(crate) fn put(
    compared: &mut Compared,
    (rows, before): (&[(Element, Vec<Port>)], &str),
    (words, asides): (&Words, &[&Words]),
    (mesh, place): (&Mesh, u64),
) {
    let begin = (place * u64::from(mesh.stride)) as usize;
    for (row, ports) in rows {
        let name = format!("{before}{}{}", row.semantic, row.index);
        let column = mesh.columns.iter().find(|it| it.semantic == row.semantic && it.index == row.index);
        let Some(column) = column else {
            compared.unseen.push(format!("{name}: the GPU's vertices do not have it"));
            continue;
        };
        for (at, port) in ports.iter().enumerate() {
            let from = begin + column.offset as usize + 4 * at;
            let found = mesh.bytes.get(from..).and_then(|bytes| bytes.first_chunk::<4>());
            let numeral = match column.kind {
                MeshKind::Unsigned => Numeral::Unsigned,
                MeshKind::Signed => Numeral::Signed,
                MeshKind::Float => Numeral::Float,
            };
            let name = format!("{name}.{}", ['x', 'y', 'z', 'w'][at.min(3)]);
            match (words.get(port), found) {
                (Some(expected), Some(found)) => {
                    let beside = asides.iter().filter_map(|aside| Some(aside.get(port)?.0));
                    let (beside, found) = (beside.collect::<Vec<u64>>(), u32::from_le_bytes(*found));
                    compared.outputs.push(outputs::words(name, numeral, *expected, &beside, found));
                }
                (None, _) => compared.unseen.push(format!("{name}: the translated shader does not give it")),
                (_, None) => compared.unseen.push(format!("{name}: the GPU's vertex is cut")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_interpreter::{Lean, is_free};

    #[test]
    fn normalised_attributes_are_open_in_their_last_bit() {
        let number = 240f32 / 255.0;
        let found = [Lean::Less, Lean::Nearest, Lean::More].map(|lean| {
            let mut opens = Opens::default();
            opens.lean(lean);
            divided(number.to_bits().into(), &mut opens)
        });
        let bits = u64::from(number.to_bits());
        assert_eq!(found.map(|(bits, _)| bits), [bits - 1, bits, bits + 1]);
        assert!(found.iter().all(|(_, open)| *open != 0 && !is_free(*open)));
        for exact in [0f32, 1.0, -1.0] {
            let bits = u64::from(exact.to_bits());
            assert_eq!(divided(bits, &mut Opens::default()), (bits, 0));
        }
    }
}
