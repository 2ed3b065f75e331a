//! What a stage gives and the next one takes: signatures and primitives that do not fit are no pipeline.
//!
//! The rules are those of the API's own runtime, which refuses such pipelines before a driver sees them. Whether values are
//! interpolated is no part of them. Pure.

use reprise_dxbc::signature::Element;
use reprise_shader::{Passed, Primitive, Stage, Varying};

use crate::{Error, Result};

/// `D3D_NAME`s that a stage may read although the stage before does not write them.
mod name {
    pub(super) const PRIMITIVE_ID: u32 = 7;
    pub(super) const IS_FRONT_FACE: u32 = 9;
    pub(super) const SAMPLE_INDEX: u32 = 10;
    pub(super) const BARYCENTRICS: u32 = 23;
    pub(super) const SHADING_RATE: u32 = 24;
}

/// Whether the value is made on the way between two stages, when the first one does not give it.
fn is_made(value: u32, from: Stage, to: Stage) -> bool {
    match (value, to) {
        // Geometry shaders number what they make, or nobody does.
        (name::PRIMITIVE_ID, Stage::Pixel) => !matches!(from, Stage::Geometry | Stage::Mesh),
        (name::PRIMITIVE_ID, Stage::Hull | Stage::Domain | Stage::Geometry) => true,
        (name::IS_FRONT_FACE | name::SAMPLE_INDEX | name::BARYCENTRICS | name::SHADING_RATE, Stage::Pixel) => true,
        _ => false,
    }
}

fn is_same(one: &Element, other: &Element) -> bool {
    one.index == other.index && one.stream == other.stream && one.semantic.eq_ignore_ascii_case(&other.semantic)
}

/// Whether what one stage gives is what the next one takes; also for the constants of patches.
///
/// The stage that takes may leave out rows and components, except a domain shader. What it takes must be given in the same
/// register and components, of the same type and precision. A mesh shader counts registers of vertices and of primitives apart, so
/// it gives as many components in any place. Only the first stream of a geometry shader goes on.
///
/// # Errors
/// [`Error::Invalid`]; the log names the row.
pub(super) fn check_rows((from, gives): (Stage, &[Element]), (to, takes): (Stage, &[Element])) -> Result<()> {
    let exact = to == Stage::Domain;
    for row in takes {
        let fits = match gives.iter().find(|given| is_same(given, row)) {
            Some(given) => {
                let components = match from {
                    // Their places are the mesh shader's: [`varyings`].
                    Stage::Mesh => row.mask.count_ones() == given.mask.count_ones(),
                    _ if exact => given.mask == row.mask,
                    _ => row.mask & !given.mask == 0,
                };
                let register = |row: &Element| if from == Stage::Mesh { 0 } else { row.register };
                let kind = |row: &Element| (register(row), row.component_type, row.min_precision);
                components && kind(given) == kind(row)
            }
            None => is_made(row.system_value, from, to),
        };
        if !fits {
            return Err(unfit(from, to, row));
        }
    }
    match gives.iter().find(|given| exact && !takes.iter().any(|row| is_same(given, row))) {
        Some(unread) => Err(unfit(from, to, unread)),
        None => Ok(()),
    }
}

fn unfit(from: Stage, to: Stage, row: &Element) -> Error {
    reprise_log::debug(|| {
        let Element { semantic, index, register, mask, .. } = row;
        format!("{semantic}{index} (register {register}, mask {mask:#x}) is not the same for {from:?} and {to:?}")
    });
    Error::Invalid("what a shader stage gives does not fit what the next one takes")
}

/// The places of a mesh shader's outputs. Outputs of vertices lie by register, outputs of primitives behind them. System values have
/// no place.
pub(super) fn varyings(vertices: &[Element], primitives: &[Element]) -> Vec<Varying> {
    let users = |rows: &[Element]| -> Vec<Element> {
        rows.iter().filter(|row| row.system_value == 0 && row.register != u32::MAX).cloned().collect()
    };
    let (vertices, primitives) = (users(vertices), users(primitives));
    let behind = vertices.iter().map(|row| row.register + 1).max().unwrap_or(0);
    let place = |row: Element, first: u32, primitive: bool| Varying {
        location: first.saturating_add(row.register),
        component: row.mask.trailing_zeros().min(3),
        semantic: row.semantic,
        index: row.index,
        primitive,
    };
    let vertices = vertices.into_iter().map(|row| place(row, 0, false));
    vertices.chain(primitives.into_iter().map(|row| place(row, behind, true))).collect()
}

/// The places of layers and viewports that a geometry shader takes from the stage before it.
pub(super) fn passed(takes: &[Element]) -> Vec<Passed> {
    // `D3D_NAME`, and SPIR-V's number.
    const NAMES: [(u32, u32); 2] = [(4, 9), (5, 10)];
    let built_in = |row: &Element| NAMES.iter().find(|(name, _)| *name == row.system_value).map(|(_, number)| *number);
    let place = |row: &Element| {
        let (location, component) = (row.register, row.mask.trailing_zeros().min(3));
        built_in(row).map(|built_in| Passed { built_in, location, component })
    };
    takes.iter().filter(|row| row.register != u32::MAX).filter_map(place).collect()
}

/// What reaches a geometry shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// What the input assembler makes, in the pipeline's class of topologies.
    Assembler(Primitive),
    /// What the tessellator makes.
    Tessellator(Primitive),
}

/// Whether a geometry shader takes the primitives that reach it. Vertices beside a primitive come with it from the input
/// assembler, never from the tessellator.
pub(super) fn takes_primitives(source: Source, takes: Primitive) -> bool {
    match (source, takes) {
        (Source::Assembler(Primitive::Lines), Primitive::LinesAdjacency) => true,
        (Source::Assembler(Primitive::Triangles), Primitive::TrianglesAdjacency) => true,
        (Source::Assembler(given) | Source::Tessellator(given), takes) => given == takes,
    }
}

#[cfg(test)]
mod tests;
