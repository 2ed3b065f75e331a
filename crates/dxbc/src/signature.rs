//! Signatures: what a shader takes in and gives out, by semantic.

use crate::{Bytes, Malformed, Part, Tag};

/// A row of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Semantic name; compared without case.
    pub semantic: String,
    /// Semantic index.
    pub index: u32,
    /// `D3D_NAME`: which system value it is; 0 is none.
    pub system_value: u32,
    /// `D3D_REGISTER_COMPONENT_TYPE`: 1 unsigned, 2 signed, 3 float.
    pub component_type: u32,
    /// The register; `u32::MAX` for outputs that have none, such as depth.
    pub register: u32,
    /// Components that are declared, one bit each.
    pub mask: u8,
    /// Stream of a geometry shader's output.
    pub stream: u32,
    /// `D3D_MIN_PRECISION`; 0 is none, also where the signature has no place for it.
    pub min_precision: u32,
}

/// Longest semantic name, in bytes; compilers allow far less.
const NAME_LIMIT: usize = 256;
/// Most rows; a stage has 32 registers of 4 components, in 4 streams.
const ROW_LIMIT: u32 = 1024;

/// Bytes of a row of the newest layout, which ends with its precision.
const LONG: usize = 32;

/// Whether a part is a signature, and how its rows are laid out: their size, and bytes before the name's offset.
fn layout(tag: Tag) -> Option<(usize, usize)> {
    match &tag.0 {
        b"ISGN" | b"OSGN" | b"PCSG" => Some((24, 0)),
        b"OSG5" => Some((28, 4)),
        b"ISG1" | b"OSG1" | b"PSG1" => Some((LONG, 4)),
        _ => None,
    }
}

/// Parses a signature's part.
///
/// # Errors
/// When it is no signature, or a count, an offset or a name is impossible.
pub fn parse(part: &Part<'_>) -> Result<Vec<Element>, Malformed> {
    let (size, before) =
        layout(part.tag).ok_or_else(|| Malformed::new(part.offset, format!("{:?} is no signature", part.tag)))?;
    let all = Bytes(part.data);
    let [count, start] = all.words(0, "a signature's header")?;
    if count > ROW_LIMIT {
        return Err(Malformed::new(part.offset, format!("{count} rows are more than {ROW_LIMIT}")));
    }
    let mut elements = Vec::new();
    for row in 0..count as usize {
        let at = (start as usize).saturating_add(row * size);
        let stream = if before == 0 { 0 } else { all.u32(at, "a row's stream")? };
        let [name, index, system_value, component_type, register, masks] =
            all.words(at + before, "a signature's row")?;
        elements.push(Element {
            semantic: text(part, name as usize)?,
            index,
            system_value,
            component_type,
            register,
            mask: masks as u8,
            stream,
            min_precision: if size < LONG { 0 } else { all.u32(at + LONG - 4, "a row's precision")? },
        });
    }
    Ok(elements)
}

fn text(part: &Part<'_>, at: usize) -> Result<String, Malformed> {
    let bytes = part.data.get(at..).unwrap_or_default();
    let bytes = bytes.get(..bytes.len().min(NAME_LIMIT)).unwrap_or_default();
    let length = bytes.iter().position(|byte| *byte == 0);
    let length = length.ok_or_else(|| Malformed::new(part.offset + at, "a semantic name has no end"))?;
    Ok(String::from_utf8_lossy(bytes.get(..length).unwrap_or_default()).into_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::Container;

    const DXBC: &[u8] = include_bytes!("../../shader/tests/shaders/triangle_vertex.dxbc");
    const DXIL: &[u8] = include_bytes!("../../shader/tests/shaders/triangle_vertex.dxil");

    /// The rows of a part, shortened to (semantic, index, system value, register, mask).
    fn rows(blob: &[u8], tag: &[u8; 4]) -> Vec<(String, u32, u32, u32, u8)> {
        let container = Container::parse(blob).unwrap();
        let part = container.part(Tag(*tag)).unwrap();
        let rows = parse(&part).unwrap();
        rows.into_iter().map(|row| (row.semantic, row.index, row.system_value, row.register, row.mask)).collect()
    }

    #[test]
    fn both_compilers_say_what_the_source_says() {
        const INSTANCE_ID: u32 = 8;
        let expected = [
            ("POSITION", 0, 0, 0, 0b111),
            ("TEXCOORD", 0, 0, 1, 0b11),
            ("COLOR", 1, 0, 2, 0b1111),
            ("SV_InstanceID", 0, INSTANCE_ID, 3, 1),
        ];
        let expected = expected.map(|row| (row.0.to_owned(), row.1, row.2, row.3, row.4));
        assert_eq!(rows(DXBC, b"ISGN"), expected);
        // DXIL has system values behind the rest, without a place among inputs.
        assert_eq!(rows(DXIL, b"ISG1")[..3], expected[..3]);
        assert_eq!(rows(DXIL, b"ISG1")[3].0, "SV_InstanceID");
        for (blob, tag) in [(DXBC, b"OSGN"), (DXIL, b"OSG1")] {
            let names: Vec<String> = rows(blob, tag).into_iter().map(|row| row.0).collect();
            assert_eq!(names, ["SV_Position", "TEXCOORD", "COLOR"]);
        }
    }

    #[test]
    fn cut_signatures_are_errors() {
        for (blob, tag) in [(DXBC, b"ISGN"), (DXIL, b"ISG1")] {
            let container = Container::parse(blob).unwrap();
            let part = container.part(Tag(*tag)).unwrap();
            let rows = parse(&part).unwrap().len();
            for length in 0..part.data.len() {
                let cut = Part { data: &part.data[..length], ..part };
                assert!(parse(&cut).map_or(true, |found| found.len() == rows));
            }
            assert!(parse(&Part { data: &[0xff; 64], ..part }).is_err());
        }
    }
}
