//! A domain shader in the place of the program's, which shows what tessellation hands to that: where each vertex lies in its patch, or
//! what the hull shader gives.
//!
//! It takes what the hull shader gives, so that it goes behind it, and is of shader model 5, which any runtime takes. A patch has
//! the same vertices with it, because they come of the hull shader's factors alone.

use reprise_dxbc::Container;
use reprise_dxbc::container::{Tag, build};
use reprise_dxbc::signature::{self, Element};

use super::primitive;
use crate::report::mesh::PatchPart;
use crate::token_shader::{DOMAIN, GLOBAL_FLAGS, RETURN, program, signature};

/// Types of operands.
const OUTPUT: u32 = 2;
const PRIMITIVE: u32 = 11;
const POINT: u32 = 25;
const CONSTANT: u32 = 27;
const LOCATION: u32 = 28;
/// `D3D_REGISTER_COMPONENT_TYPE`.
const UNSIGNED: u32 = 1;
const FLOAT: u32 = 3;
/// What its outputs are called.
pub(super) const LOCATION_NAME: &str = "LOCATION";
pub(super) const PRIMITIVE_NAME: &str = "PRIMITIVE";
/// `D3D11_SB_TESSELLATOR_DOMAIN` of triangles, whose locations have three components.
const TRIANGLE: u32 = 2;

/// The rows of a part of a hull shader's container.
fn rows(shader: &Container<'_>, tags: &[[u8; 4]]) -> Result<Vec<Element>, String> {
    let part = tags.iter().find_map(|tag| shader.part(Tag(*tag)));
    part.map_or_else(|| Ok(Vec::new()), |part| signature::parse(&part).map_err(|error| error.to_string()))
}

/// An operand of four components, of which a mask or all are meant, at these indices.
fn operand(kind: u32, components: u32, indices: &[u32]) -> Vec<u32> {
    let head = 2 | components | kind << 12 | (indices.len() as u32) << 20;
    [&[head], indices].concat()
}

fn masked(kind: u32, mask: u8, indices: &[u32]) -> Vec<u32> {
    operand(kind, u32::from(mask) << 4, indices)
}

fn whole(kind: u32, indices: &[u32]) -> Vec<u32> {
    // A swizzle that leaves all in their places.
    operand(kind, 0xe4 << 4 | 1 << 2, indices)
}

/// `vPrim` has one component.
fn number() -> Vec<u32> {
    vec![1 | PRIMITIVE << 12]
}

fn instruction(opcode: u32, operands: &[Vec<u32>]) -> Vec<u32> {
    let operands = operands.concat();
    [&[opcode | (operands.len() as u32 + 1) << 24], &operands[..]].concat()
}

/// Instructions.
const MOV: u32 = 54;
const DCL_INPUT: u32 = 95;
const DCL_INPUT_SIV: u32 = 97;
const DCL_OUTPUT: u32 = 101;
const DCL_POINTS: u32 = 147;
const DCL_DOMAIN: u32 = 149;

/// `D3D10_SB_NAME` of a factor of an edge or of the inside, by its `D3D_NAME` and its number.
fn factor(row: &Element) -> Option<u32> {
    Some(match row.system_value {
        11 => 11 + row.index,
        12 => 15 + row.index,
        13 => 17 + row.index,
        14 => 20,
        15 => 21,
        16 => 22,
        _ => return None,
    })
}

/// The shader behind a hull shader.
///
/// # Errors
/// In words: the hull shader cannot be read, or its output is not of words.
pub(super) fn make(hull: &[u8], part: PatchPart) -> Result<Vec<u8>, String> {
    let container = Container::parse(hull).map_err(|error| error.to_string())?;
    let points = rows(&container, &[*b"OSG1", *b"OSG5", *b"OSGN"])?;
    let constants = rows(&container, &[*b"PSG1", *b"PCSG"])?;
    let said = |what| primitive::of_patch(hull, what).ok_or("its hull shader does not say what patches it gives");
    let (count, domain) = (said(primitive::OfPatch::Points)?, said(primitive::OfPatch::Domain)?);
    let mut declared = vec![
        GLOBAL_FLAGS.to_vec(),
        vec![DCL_POINTS | count << 11 | 1 << 24],
        vec![DCL_DOMAIN | domain << 11 | 1 << 24],
    ];
    let (mut outputs, mut moves, mut given) = (Vec::new(), Vec::new(), Vec::new());
    let mut give = |name: &str, index: u32, kind: u32, (register, mask): (u32, u8), from: Vec<u32>| {
        outputs.push(instruction(DCL_OUTPUT, &[masked(OUTPUT, mask, &[register])]));
        moves.push(instruction(MOV, &[masked(OUTPUT, mask, &[register]), from]));
        given.push((name.to_owned(), [index, 0, kind, register, u32::from(mask)]));
    };
    match part {
        PatchPart::Locations => {
            let mask = if domain == TRIANGLE { 0b111 } else { 0b11 };
            declared.push(instruction(DCL_INPUT, &[masked(LOCATION, mask, &[])]));
            declared.push(instruction(DCL_INPUT, &[number()]));
            give(LOCATION_NAME, 0, FLOAT, (0, mask), whole(LOCATION, &[]));
            give(PRIMITIVE_NAME, 0, UNSIGNED, (1, 1), number());
        }
        PatchPart::Point(point) => {
            for row in points.iter().filter(|row| row.mask != 0) {
                declared.push(instruction(DCL_INPUT, &[masked(POINT, row.mask, &[count, row.register])]));
                let place = (row.register, row.mask);
                give(&row.semantic, row.index, row.component_type, place, whole(POINT, &[point, row.register]));
            }
        }
        PatchPart::Constants => {
            for row in constants.iter().filter(|row| row.mask != 0) {
                let taken = masked(CONSTANT, row.mask, &[row.register]);
                declared.push(match factor(row) {
                    Some(name) => instruction(DCL_INPUT_SIV, &[taken, vec![name]]),
                    None => instruction(DCL_INPUT, &[taken]),
                });
                let place = (row.register, row.mask);
                give(&row.semantic, row.index, row.component_type, place, whole(CONSTANT, &[row.register]));
            }
        }
    }
    // Behind a prefix, so that no name is a system value's.
    let given: Vec<(String, [u32; 5])> = given.into_iter().map(|(name, words)| (given_name(&name), words)).collect();
    let given: Vec<(&str, [u32; 5])> = given.iter().map(|(name, words)| (name.as_str(), *words)).collect();
    let taken = |rows: &[Element]| -> Vec<(String, [u32; 5])> {
        let words = |row: &Element| {
            let mask = u32::from(row.mask) | u32::from(row.mask) << 8;
            (row.semantic.clone(), [row.index, row.system_value, row.component_type, row.register, mask])
        };
        rows.iter().map(words).collect()
    };
    let part = |rows: &[(String, [u32; 5])]| {
        signature(&rows.iter().map(|(name, words)| (name.as_str(), *words)).collect::<Vec<_>>())
    };
    let tokens = [declared, outputs, moves, vec![RETURN.to_vec()]].concat();
    let tokens: Vec<&[u32]> = tokens.iter().map(Vec::as_slice).collect();
    Ok(build(&[
        (Tag(*b"ISGN"), &part(&taken(&points))),
        (Tag(*b"PCSG"), &part(&taken(&constants))),
        (Tag(*b"OSGN"), &signature(&given)),
        (Tag::SHEX, &program(DOMAIN, &tokens)),
    ]))
}

/// What an output is called that shows something of this name.
pub(super) fn given_name(name: &str) -> String {
    format!("PATCH_{name}")
}

/// The name of what an output of this name shows.
pub(super) fn shown(name: &str) -> &str {
    name.strip_prefix("PATCH_").unwrap_or(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
