//! Pipeline states whose mesh shaders store what their groups give, asked for and told by private data ([`reprise_d3d12::meshlets`] has the
//! protocol).

use reprise_com::result::{S_FALSE, S_OK};
use reprise_d3d12::meshlets::{Column, ID, Layout, NOWHERE};
use reprise_d3d12::model::Guid;
use reprise_dxbc::signature::Element;
use reprise_shader::meshlets::{Output, Port, into_memory, with_parent};
use reprise_shader::{Spirv, Stage, Varying};

use crate::device::Device;
use crate::wish::{Next, Wish};
use crate::{Error, Result};

thread_local! {
    /// The address for what the mesh shader of this thread's next pipeline state gives.
    static NEXT: Next<u64> = const { Next::new(None) };
}
static WISH: Wish<u64> = Wish::new(&NEXT);

/// `SetPrivateData` of a device.
pub fn ask(device: &Device, id: &Guid, bytes: Option<&[u8]>) -> Option<i32> {
    if *id != ID {
        return None;
    }
    let address = bytes.and_then(|bytes| <[u8; 8]>::try_from(bytes).ok()).map(u64::from_le_bytes);
    let address = address.filter(|address| *address != 0);
    WISH.set(device, address);
    Some(if bytes.is_none() || address.is_some() { S_OK } else { S_FALSE })
}

/// The address that the pipeline state is to have whose creation begins now.
pub(super) fn next(device: &Device) -> Option<u64> {
    WISH.take(device)
}

/// What a mesh shader's container says that it gives.
pub(super) struct Given<'g> {
    pub(super) vertices: &'g [Element],
    pub(super) primitives: &'g [Element],
    pub(super) varyings: &'g [Varying],
}

/// Lets a stage store what it gives, or say which group it is; of a mesh shader it says where things lie.
///
/// # Errors
/// The shader gives what cannot be stored.
pub(super) fn store(
    spirv: &mut Spirv,
    (address, parented): (u64, bool),
    given: Option<&Given<'_>>,
) -> Result<Option<Layout>> {
    let words = core::mem::take(&mut spirv.words);
    let failed = |error| {
        reprise_log::warning(format_args!("a shader of meshes: {error}"));
        Error::Unsupported("storing what this mesh shader gives")
    };
    match (spirv.stage, given) {
        (Stage::Amplification, _) => spirv.words = with_parent(words).map_err(failed)?,
        (Stage::Mesh, Some(given)) => {
            let (stored, layout) = into_memory(words, address, parented).map_err(failed)?;
            spirv.words = stored;
            return Ok(Some(told(&layout, given, parented)));
        }
        _ => spirv.words = words,
    }
    Ok(None)
}

/// Built-ins of SPIR-V.
mod built_in {
    pub(super) const POSITION: u32 = 0;
    pub(super) const CLIP_DISTANCE: u32 = 3;
    pub(super) const CULL_DISTANCE: u32 = 4;
    pub(super) const PRIMITIVE_ID: u32 = 7;
    pub(super) const LAYER: u32 = 9;
    pub(super) const VIEWPORT_INDEX: u32 = 10;
    pub(super) const SHADING_RATE: u32 = 4432;
    pub(super) const INDICES: core::ops::RangeInclusive<u32> = 5294..=5296;
    pub(super) const CULL_PRIMITIVE: u32 = 5299;
}

/// The built-in of a `D3D_NAME`. `None`: the row has a location.
fn built_in(row: &Element) -> Option<u32> {
    if row.semantic.eq_ignore_ascii_case("SV_CullPrimitive") {
        return Some(built_in::CULL_PRIMITIVE);
    }
    if row.semantic.eq_ignore_ascii_case("SV_ShadingRate") {
        return Some(built_in::SHADING_RATE);
    }
    Some(match row.system_value {
        1 => built_in::POSITION,
        2 => built_in::CLIP_DISTANCE,
        3 => built_in::CULL_DISTANCE,
        4 => built_in::LAYER,
        5 => built_in::VIEWPORT_INDEX,
        7 => built_in::PRIMITIVE_ID,
        _ => return None,
    })
}

/// Where things lie, by the shader's signatures.
fn told(layout: &reprise_shader::meshlets::Layout, given: &Given<'_>, parented: bool) -> Layout {
    let is_index = |output: &&Output| matches!(output.port, Port::BuiltIn(which) if built_in::INDICES.contains(&which));
    let indices = layout.outputs.iter().find(is_index).map_or(NOWHERE, |output| 4 * output.first);
    let mut columns = Vec::new();
    for (of_primitives, rows) in [(false, given.vertices), (true, given.primitives)] {
        let outputs: Vec<&Output> = layout.outputs.iter().filter(|it| it.of_primitives == of_primitives).collect();
        // Distances are counted over all rows.
        let mut distances = [0; 2];
        for row in rows.iter().filter(|row| row.mask != 0) {
            let which = built_in(row);
            let varying = given.varyings.iter().find(|it| {
                it.primitive == of_primitives
                    && it.index == row.index
                    && it.semantic.eq_ignore_ascii_case(&row.semantic)
            });
            let location = varying.map_or(row.register, |varying| varying.location);
            let mut stride = 0;
            let places = (0..4u32).filter(|component| row.mask >> component & 1 != 0).map(|component| {
                let found = match which {
                    Some(which) => {
                        let at = match which {
                            built_in::CLIP_DISTANCE | built_in::CULL_DISTANCE => {
                                let next = &mut distances[usize::from(which == built_in::CULL_DISTANCE)];
                                *next += 1;
                                *next - 1
                            }
                            built_in::POSITION => component,
                            _ => 0,
                        };
                        let is_it = |output: &&&Output| output.port == Port::BuiltIn(which);
                        outputs.iter().find(is_it).map(|output| (*output, at))
                    }
                    None => outputs.iter().find_map(|output| {
                        let Port::Location(first, begin) = output.port else { return None };
                        let (row, part) = (location.checked_sub(first)?, component.checked_sub(begin)?);
                        (row < output.rows && part < output.width).then_some((*output, row * output.width + part))
                    }),
                };
                let found = found.filter(|(output, at)| *at < output.rows * output.width);
                found.map_or(NOWHERE, |(output, at)| {
                    stride = 4 * output.rows * output.width;
                    4 * (output.first + at)
                })
            });
            let places = places.collect();
            columns.push(Column {
                semantic: row.semantic.clone(),
                index: row.index,
                system_value: row.system_value,
                component_type: row.component_type,
                of_primitives,
                stride,
                places,
            });
        }
    }
    Layout { bytes: 4 * layout.words, most: layout.most, corners: layout.corners, indices, parented, columns }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(semantic: &str, system_value: u32, register: u32, mask: u8) -> Element {
        Element {
            semantic: semantic.to_owned(),
            index: 0,
            system_value,
            component_type: 3,
            register,
            mask,
            stream: 0,
            min_precision: 0,
        }
    }

    /// Two rows of a location, a part of another one, distances over two rows, and what is not stored.
    #[test]
    fn components_are_where_the_module_has_them() {
        let output = |port, of_primitives, first, rows, width| Output { port, of_primitives, first, rows, width };
        let outputs = vec![
            output(Port::BuiltIn(0), false, 9, 1, 4),
            output(Port::BuiltIn(3), false, 100, 3, 1),
            output(Port::Location(2, 0), false, 200, 2, 3),
            output(Port::Location(5, 1), true, 300, 1, 2),
            output(Port::BuiltIn(5296), true, 400, 1, 3),
        ];
        let layout = reprise_shader::meshlets::Layout { words: 500, most: [8, 4], corners: 3, outputs };
        let vertices = [
            row("SV_Position", 1, 0, 0b1111),
            row("SV_ClipDistance", 2, 1, 0b11),
            row("SV_ClipDistance", 2, 2, 0b1),
            row("SECOND", 0, 3, 0b110),
        ];
        let primitives = [row("TINT", 0, 0, 0b110), row("SV_CullPrimitive", 0, u32::MAX, 0b1)];
        let varyings = [Varying { semantic: "tint".to_owned(), index: 0, location: 5, component: 1, primitive: true }];
        let given = Given { vertices: &vertices, primitives: &primitives, varyings: &varyings };
        let told = told(&layout, &given, true);
        let places: Vec<Vec<u32>> = told.columns.iter().map(|column| column.places.clone()).collect();
        let words = |words: &[u32]| words.iter().map(|word| 4 * word).collect::<Vec<u32>>();
        assert_eq!(
            places,
            [
                words(&[9, 10, 11, 12]),
                words(&[100, 101]),
                words(&[102]),
                words(&[204, 205]),
                words(&[300, 301]),
                vec![NOWHERE],
            ]
        );
        let strides: Vec<u32> = told.columns.iter().map(|column| column.stride).collect();
        assert_eq!(strides, [16, 12, 12, 24, 8, 0]);
        assert_eq!((told.indices, told.bytes, told.parented), (1600, 2000, true));
    }
}
